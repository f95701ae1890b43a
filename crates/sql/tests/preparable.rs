//! What can be prepared.
use crate::common::*;

/// What MySQL does not prepare is 1295, in SQL and in the binary protocol: drivers send it as text then.
#[test]
fn what_mysql_does_not_prepare_is_told() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (a int)"]).await;
        let refused = [
            "begin",
            "start transaction",
            "savepoint s",
            "rollback to savepoint s",
            "release savepoint s",
            "lock tables t read",
            "unlock tables",
            "lock instance for backup",
            "unlock instance",
            "create procedure p() select 1",
            "create function f() returns int return 1",
            "create trigger r before insert on t for each row set @a = 1",
            "alter procedure p comment ''x''",
            "drop procedure p",
            "drop function f",
            "drop trigger r",
            "xa recover",
            "help ''a''",
            "check table t",
            "create role r",
            "drop role r",
            "alter database test charset utf8mb4",
            "alter view v as select 1",
            "show warnings",
            "show errors",
            "show count(*) warnings",
            "signal sqlstate ''45000''",
            "get diagnostics @a = number",
            "purge binary logs to ''x''",
            "shutdown",
            "use test",
            "explain for connection 1",
            "prepare q from ''select 1''",
        ];
        for text in refused {
            let told = "E1295 This command is not supported in the prepared statement protocol yet";
            c.check(&[(&format!("prepare p from '{text}'"), told)]).await;
        }
        let taken = [
            "commit",
            "rollback",
            "create event e on schedule every 1 day do select 1",
            "drop event if exists e",
            "create or replace view v as select 1",
            "drop view if exists v",
            "create database if not exists other",
            "create user if not exists u",
            "grant select on test.t to u",
            "analyze table t",
            "optimize table t",
            "checksum table t",
            "set autocommit = 1",
            "flush tables",
            "show tables",
            "kill 1000000",
            "explain select 1",
        ];
        for text in taken {
            c.check(&[(&format!("prepare p from '{text}'"), "ok 0")]).await;
        }
    });
}

/// Statements that SQL has named count as those of the protocol do.
#[test]
fn named_statements_are_counted() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["set global max_prepared_stmt_count = 2"]).await;
        c.check(&[
            ("prepare a from 'select 1'", "ok 0"),
            ("prepare b from 'select 1'", "ok 0"),
            (
                "prepare c from 'select 1'",
                "E1461 Can't create more than max_prepared_stmt_count statements (current value: 2)",
            ),
            ("prepare a from 'select 2'", "ok 0"),
            ("show status like 'prepared_stmt_count'", "Prepared_stmt_count|2"),
            ("deallocate prepare b", "ok 0"),
            ("prepare c from 'select 1'", "ok 0"),
            ("prepare c from 'select 1 from nothing'", "E1146"),
            ("show status like 'prepared_stmt_count'", "Prepared_stmt_count|1"),
        ])
        .await;
        c.0.close().await;
        let mut other = s.client();
        other.check(&[("show status like 'prepared_stmt_count'", "Prepared_stmt_count|0")]).await;
    });
}
