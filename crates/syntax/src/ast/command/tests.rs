use super::{InProgram, Logged, SqlCommand, UnderLocks};
use crate::ast::Statement;
use crate::parse::{ParseOptions, parse_one};
use std::collections::BTreeSet;

fn parse(sql: &str) -> Statement {
    let options = ParseOptions::default();
    parse_one(sql.as_bytes(), &options).unwrap_or_else(|e| panic!("{sql}: {}", e.message)).stmt
}

#[test]
fn rows_are_in_order_and_consistent() {
    let names: Vec<_> = SqlCommand::ALL.iter().map(|c| c.row().counter).collect();
    assert!(names.windows(2).all(|w| w[0] < w[1]), "{names:?}");
    for command in SqlCommand::ALL {
        let row = command.row();
        assert!(row.commits || !row.defines, "{command:?}: MySQL commits before each definition");
        assert!(row.defines || !row.changes_accounts, "{command:?}");
        assert!(
            !row.changes_accounts || row.under_locks == UnderLocks::GrantTables,
            "{command:?} writes to the grant tables"
        );
        assert!(
            row.logged != Logged::Statement || row.commits,
            "{command:?}: what is logged by its text is a transaction of its own"
        );
        assert!(!row.event().is_empty());
    }
    assert_eq!(SqlCommand::AlterDb.row().event(), "alter_db");
}

/// One for each kind that the grammar can make, so that none is taken for one that has no row.
const EACH: &[(&str, SqlCommand, Logged)] = {
    use super::Logged::{Never, Rows, Statement as Text, Transaction};
    use super::SqlCommand::*;
    &[
        ("select 1", Select, Rows),
        ("explain insert into t values (1)", Insert, Never),
        ("explain for connection 1", ExplainOther, Never),
        ("insert into t values (1)", Insert, Rows),
        ("insert into t table u", InsertSelect, Rows),
        ("replace into t set a = 1", Replace, Rows),
        ("replace into t select 1", ReplaceSelect, Rows),
        ("update t set a = 1", Update, Rows),
        ("update t, u set t.a = 1", UpdateMulti, Rows),
        ("delete from t", Delete, Rows),
        ("delete t from t join u", DeleteMulti, Rows),
        ("load data infile 'x' into table t", Load, Rows),
        ("call p()", CallProcedure, Rows),
        ("do 1", Do, Rows),
        ("signal sqlstate '45000'", Signal, Never),
        ("resignal", Resignal, Never),
        ("get diagnostics @n = number", GetDiagnostics, Never),
        ("handler t open", HaOpen, Never),
        ("handler t read first", HaRead, Never),
        ("handler t close", HaClose, Never),
        ("create table t (a int)", CreateTable, Text),
        ("create temporary table t (a int)", CreateTable, Never),
        ("alter table t add b int", AlterTable, Text),
        ("drop table t", DropTable, Text),
        ("drop temporary table t", DropTable, Never),
        ("truncate t", Truncate, Text),
        ("rename table t to u", RenameTable, Text),
        ("create index i on t (a)", CreateIndex, Text),
        ("drop index i on t", DropIndex, Text),
        ("create database d", CreateDb, Text),
        ("alter database d character set utf8mb4", AlterDb, Text),
        ("drop database d", DropDb, Text),
        ("create view v as select 1", CreateView, Text),
        ("alter view v as select 1", CreateView, Text),
        ("drop view v", DropView, Text),
        (
            "create spatial reference system 1 name 'n' definition 'd'",
            CreateSpatialReferenceSystem,
            Text,
        ),
        ("drop spatial reference system 1", DropSpatialReferenceSystem, Text),
        ("create procedure p() select 1", CreateProcedure, Text),
        ("create function f() returns int return 1", CreateFunction, Text),
        ("alter procedure p comment 'c'", AlterProcedure, Text),
        ("alter function f comment 'c'", AlterFunction, Text),
        ("create trigger r before insert on t for each row set @a = 1", CreateTrigger, Text),
        ("create event e on schedule every 1 day do do 1", CreateEvent, Text),
        ("alter event e disable", AlterEvent, Text),
        ("drop procedure p", DropProcedure, Text),
        ("drop function f", DropFunction, Text),
        ("drop trigger r", DropTrigger, Text),
        ("drop event e", DropEvent, Text),
        ("use d", ChangeDb, Never),
        ("set @a = 1", SetOption, Never),
        ("set transaction read only", SetOption, Never),
        ("set password = 'x'", SetPassword, Text),
        ("set role none", SetRole, Never),
        ("set default role none to u", AlterUserDefaultRole, Text),
        ("alter user u default role none", AlterUserDefaultRole, Text),
        ("set resource group g", SetResourceGroup, Never),
        ("prepare p from 'do 1'", PrepareSql, Never),
        ("execute p", ExecuteSql, Never),
        ("deallocate prepare p", DeallocSql, Never),
        ("begin", Begin, Transaction),
        ("start transaction", Begin, Transaction),
        ("commit", Commit, Transaction),
        ("rollback", Rollback, Transaction),
        ("savepoint s", Savepoint, Transaction),
        ("rollback to s", RollbackToSavepoint, Transaction),
        ("release savepoint s", ReleaseSavepoint, Transaction),
        ("lock tables t read", LockTables, Never),
        ("unlock tables", UnlockTables, Never),
        ("lock instance for backup", LockInstance, Never),
        ("unlock instance", UnlockInstance, Never),
        ("xa start 'x'", XaStart, Transaction),
        ("xa end 'x'", XaEnd, Transaction),
        ("xa prepare 'x'", XaPrepare, Transaction),
        ("xa commit 'x'", XaCommit, Transaction),
        ("xa rollback 'x'", XaRollback, Transaction),
        ("xa recover", XaRecover, Never),
        ("describe t", ShowFields, Never),
        ("help 'x'", Help, Never),
        ("kill 1", Kill, Never),
        ("analyze table t", Analyze, Text),
        ("analyze no_write_to_binlog table t", Analyze, Never),
        ("analyze table t update histogram on a with 2 buckets", Analyze, Text),
        ("check table t", Check, Never),
        ("checksum table t", Checksum, Never),
        ("cache index t in default", AssignToKeycache, Never),
        ("load index into cache t", PreloadKeys, Never),
        ("optimize table t", Optimize, Text),
        ("repair local table t", Repair, Never),
        ("flush privileges", Flush, Text),
        ("flush local privileges", Flush, Never),
        ("flush tables with read lock", Flush, Never),
        ("flush tables t for export", Flush, Never),
        ("flush tables t", Flush, Text),
        ("flush binary logs", Flush, Never),
        ("reset persist", Reset, Never),
        ("shutdown", Shutdown, Never),
        ("restart", Restart, Never),
        ("alter instance reload tls", AlterInstance, Never),
        ("backup stream", Backup, Never),
        ("binlog 'x'", Binlog, Rows),
        ("purge binary logs to 'x'", Purge, Never),
        ("purge binary logs before now()", PurgeBeforeDate, Never),
        ("change replication source to source_delay = 1", ChangeReplicationSource, Never),
        ("change replication filter replicate_do_db = ()", ChangeReplFilter, Never),
        ("start replica", ReplicaStart, Never),
        ("stop replica", ReplicaStop, Never),
        ("start group_replication", GroupReplicationStart, Never),
        ("stop group_replication", GroupReplicationStop, Never),
        ("install plugin p soname 's'", InstallPlugin, Never),
        ("uninstall plugin p", UninstallPlugin, Never),
        ("install component 'c'", InstallComponent, Never),
        ("uninstall component 'c'", UninstallComponent, Never),
        ("create user u", CreateUser, Text),
        ("alter user u identified by 'x'", AlterUser, Text),
        ("drop user u", DropUser, Text),
        ("rename user u to v", RenameUser, Text),
        ("create role r", CreateRole, Text),
        ("drop role r", DropRole, Text),
        ("grant select on t to u", Grant, Text),
        ("grant r to u", GrantRoles, Text),
        ("revoke select on t from u", Revoke, Text),
        ("revoke r from u", RevokeRoles, Text),
        ("revoke all privileges, grant option from u", RevokeAll, Text),
        ("show count(*) warnings", Select, Rows),
        ("show engine innodb mutex", ShowEngineMutex, Never),
        ("show engine innodb logs", ShowEngineLogs, Never),
        ("show engine innodb status", ShowEngineStatus, Never),
        ("show innodb status", ShowEngineStatus, Never),
    ]
};

#[test]
fn every_kind_has_its_row() {
    let mut kinds = BTreeSet::new();
    let mut commands = BTreeSet::new();
    for (sql, command, logged) in EACH {
        let stmt = parse(sql);
        assert_eq!((stmt.command(), stmt.logged()), (*command, *logged), "{sql}");
        kinds.insert(stmt.kind());
        commands.insert(*command);
    }
    // SHOW has a match with an arm for each; a comment and what is refused by name are none that `parse_one` gives.
    let elsewhere = ["Show", "Comment", "Unsupported"];
    let missing: Vec<_> = Statement::KINDS
        .iter()
        .filter(|k| !kinds.contains(**k) && !elsewhere.contains(k))
        .collect();
    assert!(missing.is_empty(), "no statement of the kinds {missing:?}");
    let shown = |c: &&SqlCommand| !c.row().event().starts_with("show_");
    let missing: Vec<_> = SqlCommand::ALL
        .iter()
        .filter(shown)
        .filter(|c| !commands.contains(c))
        .filter(|c| !matches!(c, SqlCommand::EmptyQuery | SqlCommand::Unsupported))
        .collect();
    assert!(missing.is_empty(), "no statement gives {missing:?}");
}

#[test]
fn what_depends_on_more_than_the_kind() {
    let commits = |sql: &str| parse(sql).commits_implicitly();
    assert!(commits("create table t (a int)") && commits("check table t"));
    assert!(!commits("create temporary table t (a int)") && !commits("checksum table t"));
    let unprepared = |sql: &str| parse(sql).is_unprepared();
    assert!(unprepared("alter view v as select 1") && unprepared("show count(*) errors"));
    assert!(!unprepared("create view v as select 1") && !unprepared("show grants"));
    let blocked = |sql: &str| parse(sql).is_blocked_by_backup();
    assert!(blocked("optimize table t") && blocked("drop table t"));
    assert!(!blocked("analyze table t") && !blocked("drop temporary table t"));
    let in_program = |sql: &str| parse(sql).in_program();
    assert_eq!(in_program("select 1"), InProgram::SendsRows);
    assert_eq!(in_program("select 1 into @a"), InProgram::Allowed);
    assert_eq!(in_program("explain insert into t values (1)"), InProgram::SendsRows);
    assert_eq!(in_program("alter view v as select 1"), InProgram::Refused("ALTER VIEW"));
    assert_eq!(in_program("create view v as select 1"), InProgram::Commits);
}
