//! What each statement needs to be allowed: a table of statements, the rights that MySQL 8.0 documents and the error that
//! each of them is missed with.
use crate::common::*;
use std::collections::BTreeSet;
use std::fmt::Write;
use weir_syntax::ast::{ShowKind, Statement};
use weir_syntax::parse::{ParseOptions, parse_one};

/// Statement; rights, each with the error without it (alternatives are separated by `|`); outcome with exactly these
/// rights (0: success).
type Case = (&'static str, &'static [(&'static str, u16)], u16);

const ACCOUNTS_INSERT: &str = "CREATE USER ON *.* | INSERT ON mysql.*";
const ACCOUNTS_UPDATE: &str = "CREATE USER ON *.* | UPDATE ON mysql.*";
const ACCOUNTS_DELETE: &str = "CREATE USER ON *.* | DELETE ON mysql.*";
const ROLES_CREATE: &str = "CREATE USER ON *.* | CREATE ROLE ON *.* | INSERT ON mysql.*";
const ROLES_DROP: &str = "CREATE USER ON *.* | DROP ROLE ON *.* | DELETE ON mysql.*";
const ROLE_ADMIN: &str = "ROLE_ADMIN ON *.* | SUPER ON *.*";
const SET_GLOBAL: &str = "SUPER ON *.* | SYSTEM_VARIABLES_ADMIN ON *.*";
const ANY_ON_A: &str = "SELECT ON a.* | DROP ON a.* | TRIGGER ON a.*";
const ROW_LOCKS: &str = "UPDATE ON a.* | DELETE ON a.* | LOCK TABLES ON a.*";
const LOG_READER: &str = "SUPER ON *.* | REPLICATION CLIENT ON *.*";

/// Names are qualified, so that the table says which schema a right is on. The session's schema is `a`.
const DATA: &[Case] = &[
    ("select 1", &[], 0),
    ("/* a comment alone */", &[], 0),
    ("select 1 from dual", &[], 0),
    ("select * from a.t", &[("SELECT ON a.*", 1142)], 0),
    ("select count(*) from a.t", &[("SELECT ON a.*", 1142)], 0),
    ("table a.t", &[("SELECT ON a.*", 1142)], 0),
    ("select * from a.w", &[("SELECT ON a.*", 1142)], 0),
    ("select * from a.i", &[("SELECT ON a.*", 1142), ("SELECT ON b.*", 1356)], 0),
    ("update a.w set v = 1", &[("UPDATE ON a.*", 1142)], 0),
    ("insert into a.w values (9, 9)", &[("INSERT ON a.*", 1142)], 0),
    ("delete from a.w", &[("DELETE ON a.*", 1142)], 0),
    ("values row(1)", &[], 0),
    (
        "select * from a.t x join b.secret y using (id)",
        &[("SELECT ON a.*", 1142), ("SELECT ON b.*", 1142)],
        0,
    ),
    (
        "select v, (select max(v) from b.secret) from a.t",
        &[("SELECT ON a.*", 1142), ("SELECT ON b.*", 1142)],
        0,
    ),
    (
        "select v from a.t where id in (select id from b.secret)",
        &[("SELECT ON a.*", 1142), ("SELECT ON b.*", 1142)],
        0,
    ),
    (
        "select v from a.t where exists (select 1 from b.secret)",
        &[("SELECT ON a.*", 1142), ("SELECT ON b.*", 1142)],
        0,
    ),
    (
        "select v from a.t order by (select max(id) from b.secret)",
        &[("SELECT ON a.*", 1142), ("SELECT ON b.*", 1142)],
        0,
    ),
    (
        "select count(*) from a.t group by v having count(*) > (select 0 from b.secret)",
        &[("SELECT ON a.*", 1142), ("SELECT ON b.*", 1142)],
        0,
    ),
    ("select case when 1 then 2 else (select id from b.secret) end", &[("SELECT ON b.*", 1142)], 0),
    ("select coalesce(null, (select id from b.secret))", &[("SELECT ON b.*", 1142)], 0),
    ("select * from (select v from b.secret) d", &[("SELECT ON b.*", 1142)], 0),
    ("with t as (select v from b.secret) select * from t", &[("SELECT ON b.*", 1142)], 0),
    // The inner `t` is the table, the outer one is not.
    ("with t as (select v from a.t) select * from t", &[("SELECT ON a.*", 1142)], 0),
    ("with t as (select v from t) select * from t", &[("SELECT ON a.*", 1142)], 0),
    (
        "select v from a.t union select v from b.secret",
        &[("SELECT ON a.*", 1142), ("SELECT ON b.*", 1142)],
        0,
    ),
    ("(select v from a.t) order by 1 limit 1", &[("SELECT ON a.*", 1142)], 0),
    ("select * from a.t for update", &[("SELECT ON a.*", 1142), (ROW_LOCKS, 1142)], 0),
    ("select * from a.t for share", &[("SELECT ON a.*", 1142)], 0),
    ("select * from a.t lock in share mode", &[("SELECT ON a.*", 1142)], 0),
    (
        "select * from a.t x join b.secret y using (id) for update of x",
        &[("SELECT ON a.*", 1142), ("SELECT ON b.*", 1142), (ROW_LOCKS, 1142)],
        0,
    ),
    ("select max(v) from a.t into @x", &[("SELECT ON a.*", 1142)], 0),
    (
        "select * from a.t into outfile '/x'",
        &[("SELECT ON a.*", 1142), ("FILE ON *.*", 1045)],
        1290,
    ),
    ("insert into a.t values (9, 9)", &[("INSERT ON a.*", 1142)], 0),
    ("insert into a.t set id = 9, v = default", &[("INSERT ON a.*", 1142)], 0),
    (
        "insert into a.t (id, v) values (9, id + 1)",
        &[("INSERT ON a.*", 1142), ("SELECT ON a.*", 1143)],
        0,
    ),
    (
        "insert into a.t values (9, (select max(v) from b.secret))",
        &[("INSERT ON a.*", 1142), ("SELECT ON b.*", 1142)],
        0,
    ),
    (
        "insert into a.t select id + 100, v from b.secret",
        &[("INSERT ON a.*", 1142), ("SELECT ON b.*", 1142)],
        0,
    ),
    (
        "insert into a.t values (1, 9) on duplicate key update v = values(v)",
        &[("INSERT ON a.*", 1142), ("UPDATE ON a.*", 1142)],
        0,
    ),
    (
        "insert into a.t values (1, 9) as n on duplicate key update v = n.v",
        &[("INSERT ON a.*", 1142), ("UPDATE ON a.*", 1142)],
        0,
    ),
    (
        "insert into a.t values (1, 9) on duplicate key update v = t.v + 1",
        &[("INSERT ON a.*", 1142), ("UPDATE ON a.*", 1142), ("SELECT ON a.*", 1143)],
        0,
    ),
    (
        "insert into a.t values (1, 9) on duplicate key update v = (select 1 from b.secret)",
        &[("INSERT ON a.*", 1142), ("UPDATE ON a.*", 1142), ("SELECT ON b.*", 1142)],
        0,
    ),
    ("replace into a.t values (1, 9)", &[("INSERT ON a.*", 1142), ("DELETE ON a.*", 1142)], 0),
    ("update a.t set v = 1", &[("UPDATE ON a.*", 1142)], 0),
    ("update a.t set v = default", &[("UPDATE ON a.*", 1142)], 0),
    ("update a.t set v = default(v)", &[("UPDATE ON a.*", 1142), ("SELECT ON a.*", 1143)], 0),
    ("update a.t set v = v + 1", &[("UPDATE ON a.*", 1142), ("SELECT ON a.*", 1143)], 0),
    ("update a.t set v = 1 where id = 1", &[("UPDATE ON a.*", 1142), ("SELECT ON a.*", 1143)], 0),
    ("update a.t set v = 1 order by id", &[("UPDATE ON a.*", 1142), ("SELECT ON a.*", 1143)], 0),
    (
        "update a.t set v = (select max(v) from b.secret)",
        &[("UPDATE ON a.*", 1142), ("SELECT ON b.*", 1142)],
        0,
    ),
    (
        "update a.t x, b.secret y set x.v = 1",
        &[("UPDATE ON a.*", 1142), ("SELECT ON b.*", 1142)],
        0,
    ),
    (
        "update a.t x, b.secret y set x.v = y.v where x.id = y.id",
        &[("UPDATE ON a.*", 1142), ("SELECT ON a.*", 1143), ("SELECT ON b.*", 1142)],
        0,
    ),
    (
        "update a.t x join b.secret y using (id) set x.v = 1, y.v = 2",
        &[
            ("UPDATE ON a.*", 1142),
            ("SELECT ON a.*", 1143),
            ("UPDATE ON b.*", 1142),
            ("SELECT ON b.*", 1143),
        ],
        0,
    ),
    ("delete from a.t", &[("DELETE ON a.*", 1142)], 0),
    ("delete from a.t where id = 1", &[("DELETE ON a.*", 1142), ("SELECT ON a.*", 1143)], 0),
    ("delete x from a.t x, b.secret y", &[("DELETE ON a.*", 1142), ("SELECT ON b.*", 1142)], 0),
    ("delete x, y from a.t x, b.secret y", &[("DELETE ON a.*", 1142), ("DELETE ON b.*", 1142)], 0),
    (
        "delete from x using a.t x join b.secret y on x.id = y.id",
        &[("DELETE ON a.*", 1142), ("SELECT ON a.*", 1143), ("SELECT ON b.*", 1142)],
        0,
    ),
    (
        "load data infile '/x' into table a.t",
        &[("INSERT ON a.*", 1142), ("FILE ON *.*", 1045)],
        1290,
    ),
    ("load data local infile '/x' into table a.t", &[("INSERT ON a.*", 1142)], 3948),
    ("call a.p()", &[("EXECUTE ON a.*", 1370)], 1305),
    ("do 1", &[], 0),
    ("signal sqlstate '45000'", &[], 1644),
    (
        "get diagnostics condition (select max(v) from b.secret) @a = message_text",
        &[("SELECT ON b.*", 1142)],
        1235,
    ),
    ("do (select max(v) from b.secret)", &[("SELECT ON b.*", 1142)], 0),
    ("handler a.t open", &[("SELECT ON a.*", 1142)], 1235),
    ("explain select * from b.secret", &[("SELECT ON b.*", 1142)], 0),
    (
        "explain delete from a.t where id = 1",
        &[("DELETE ON a.*", 1142), ("SELECT ON a.*", 1143)],
        0,
    ),
    ("explain insert into a.t values (9, 9)", &[("INSERT ON a.*", 1142)], 0),
    ("explain for connection 7", &[], 1094),
];

const DEFINITIONS: &[Case] = &[
    ("create table a.n (id int)", &[("CREATE ON a.*", 1142)], 0),
    ("create table if not exists a.t (id int)", &[("CREATE ON a.*", 1142)], 0),
    ("create table a.n like b.secret", &[("CREATE ON a.*", 1142), ("SELECT ON b.*", 1142)], 0),
    (
        "create table a.n select * from b.secret",
        &[("CREATE ON a.*", 1142), ("INSERT ON a.*", 1142), ("SELECT ON b.*", 1142)],
        0,
    ),
    (
        "create table a.n (id int, foreign key (id) references b.secret (id))",
        &[("CREATE ON a.*", 1142), ("REFERENCES ON b.*", 1142)],
        0,
    ),
    ("create temporary table a.n (id int)", &[("CREATE TEMPORARY TABLES ON a.*", 1044)], 0),
    (
        "alter table a.t add column w int",
        &[("ALTER ON a.*", 1142), ("CREATE ON a.*", 1142), ("INSERT ON a.*", 1142)],
        0,
    ),
    (
        "alter table a.t rename to b.moved",
        &[
            ("ALTER ON a.*", 1142),
            ("CREATE ON a.*", 1142),
            ("INSERT ON a.*", 1142),
            ("DROP ON a.*", 1142),
            ("ALTER ON b.*", 1142),
            ("CREATE ON b.*", 1142),
            ("INSERT ON b.*", 1142),
        ],
        0,
    ),
    ("drop table a.t", &[("DROP ON a.*", 1142)], 0),
    ("drop table a.t, b.secret", &[("DROP ON a.*", 1142), ("DROP ON b.*", 1142)], 0),
    ("drop table if exists a.t", &[("DROP ON a.*", 1142)], 0),
    ("drop temporary table a.t", &[], 1051),
    ("truncate table a.t", &[("DROP ON a.*", 1142)], 0),
    (
        "rename table a.t to b.moved",
        &[
            ("ALTER ON a.*", 1142),
            ("DROP ON a.*", 1142),
            ("CREATE ON b.*", 1142),
            ("INSERT ON b.*", 1142),
        ],
        0,
    ),
    ("create index i on a.t (v)", &[("INDEX ON a.*", 1142)], 0),
    ("drop index v on a.t", &[("INDEX ON a.*", 1142)], 0),
    ("create database c", &[("CREATE ON c.*", 1044)], 0),
    ("create database if not exists b", &[("CREATE ON b.*", 1044)], 0),
    ("alter database a character set utf8mb4", &[("ALTER ON a.*", 1044)], 0),
    ("drop database a", &[("DROP ON a.*", 1044)], 0),
    (
        "create view a.n as select * from b.secret",
        &[("CREATE VIEW ON a.*", 1142), ("SELECT ON b.*", 1142)],
        0,
    ),
    (
        "create or replace view a.w as select 1",
        &[("CREATE VIEW ON a.*", 1142), ("DROP ON a.*", 1142)],
        0,
    ),
    ("drop view a.w", &[("DROP ON a.*", 1142)], 0),
    ("create procedure a.p() select 1", &[("CREATE ROUTINE ON a.*", 1044)], 0),
    ("create function a.f() returns int return 1", &[("CREATE ROUTINE ON a.*", 1044)], 0),
    ("alter procedure a.nothing comment 'x'", &[("ALTER ROUTINE ON a.*", 1370)], 1305),
    (
        "create trigger a.g before insert on a.t for each row set @a = 1",
        &[("TRIGGER ON a.*", 1142)],
        0,
    ),
    ("drop procedure a.nothing", &[("ALTER ROUTINE ON a.*", 1370)], 1305),
    ("drop function a.nothing", &[("ALTER ROUTINE ON a.*", 1370)], 1305),
    ("drop trigger a.nothing", &[("TRIGGER ON a.*", 1044)], 1360),
    ("create event a.e on schedule every 1 day do select 1", &[("EVENT ON a.*", 1044)], 0),
    ("alter event a.e rename to b.e", &[("EVENT ON a.*", 1044), ("EVENT ON b.*", 1044)], 1539),
    ("drop event a.e", &[("EVENT ON a.*", 1044)], 1539),
    ("analyze table a.t", &[("SELECT ON a.*", 1142), ("INSERT ON a.*", 1142)], 0),
    (
        "analyze table a.t update histogram on v",
        &[("SELECT ON a.*", 1142), ("INSERT ON a.*", 1142)],
        0,
    ),
    (
        "analyze table a.t drop histogram on v",
        &[("SELECT ON a.*", 1142), ("INSERT ON a.*", 1142)],
        0,
    ),
    ("optimize table a.t", &[("SELECT ON a.*", 1142), ("INSERT ON a.*", 1142)], 0),
    ("repair table a.t", &[("SELECT ON a.*", 1142), ("INSERT ON a.*", 1142)], 0),
    ("check table a.t", &[(ANY_ON_A, 1142)], 0),
    ("checksum table a.t", &[("SELECT ON a.*", 1142)], 0),
];

const SESSION: &[Case] = &[
    ("use b", &[("SELECT ON b.* | EXECUTE ON b.*", 1044)], 0),
    ("set @x = 1", &[], 0),
    ("set @x = (select max(v) from b.secret)", &[("SELECT ON b.*", 1142)], 0),
    ("set sql_safe_updates = (select 0 from b.secret where id = 1)", &[("SELECT ON b.*", 1142)], 0),
    ("set names utf8mb4", &[], 0),
    ("set session sort_buffer_size = 65536", &[], 0),
    ("set global sort_buffer_size = 65536", &[(SET_GLOBAL, 1227)], 0),
    ("set persist sort_buffer_size = 65536", &[(SET_GLOBAL, 1227)], 1235),
    ("set transaction read only", &[], 0),
    ("set session transaction read write", &[], 0),
    ("set global transaction read write", &[(SET_GLOBAL, 1227)], 0),
    ("set password = 'x'", &[], 0),
    ("set password for other@localhost = 'x'", &[(ACCOUNTS_UPDATE, 1227)], 0),
    ("set role none", &[], 0),
    ("set default role none to u@localhost", &[], 0),
    ("set default role none to other@localhost", &[(ACCOUNTS_UPDATE, 1227)], 0),
    ("set resource group g", &[], 1235),
    ("prepare p from 'select * from b.secret'", &[("SELECT ON b.*", 1142)], 0),
    ("prepare p from 'drop table a.t'", &[("DROP ON a.*", 1142)], 0),
    ("execute nothing", &[], 1243),
    ("deallocate prepare nothing", &[], 1243),
    ("begin", &[], 0),
    ("start transaction read only", &[], 0),
    ("commit", &[], 0),
    ("rollback", &[], 0),
    ("savepoint s", &[], 0),
    ("rollback to s", &[], 1305),
    ("release savepoint s", &[], 1305),
    ("lock tables a.t read", &[("LOCK TABLES ON a.*", 1044), ("SELECT ON a.*", 1142)], 0),
    ("lock tables a.t write", &[("LOCK TABLES ON a.*", 1044), ("SELECT ON a.*", 1142)], 0),
    ("unlock tables", &[], 0),
    ("lock instance for backup", &[("BACKUP_ADMIN ON *.*", 1227)], 0),
    ("unlock instance", &[("BACKUP_ADMIN ON *.*", 1227)], 0),
    ("xa recover", &[("XA_RECOVER_ADMIN ON *.*", 1401)], 0),
    ("xa start 'x'", &[], 0),
    ("help 'select'", &[], 0),
    // Whoever may not see the sessions of others learns nothing about them either.
    ("kill 4711", &[], 1094),
    ("kill (select id from b.secret)", &[("SELECT ON b.*", 1142)], 1094),
];

const SERVER: &[Case] = &[
    ("flush privileges", &[("RELOAD ON *.*", 1227)], 0),
    ("flush tables", &[("RELOAD ON *.*", 1227)], 0),
    ("flush status", &[("RELOAD ON *.*", 1227)], 0),
    (
        "flush tables a.t with read lock",
        &[("RELOAD ON *.*", 1227), ("LOCK TABLES ON a.*", 1044), ("SELECT ON a.*", 1142)],
        0,
    ),
    ("reset master", &[("RELOAD ON *.*", 1227)], 1186),
    ("reset replica", &[("RELOAD ON *.*", 1227)], 0),
    (
        "set persist_only port = 1",
        &[(SET_GLOBAL, 1227), ("PERSIST_RO_VARIABLES_ADMIN ON *.*", 1227)],
        1238,
    ),
    ("reset persist", &[(SET_GLOBAL, 1227), ("PERSIST_RO_VARIABLES_ADMIN ON *.*", 1227)], 1235),
    ("alter instance reload tls", &[("CONNECTION_ADMIN ON *.*", 1227)], 1235),
    (
        "reset persist innodb_log_files_in_group",
        &[(SET_GLOBAL, 1227), ("PERSIST_RO_VARIABLES_ADMIN ON *.*", 1227)],
        1235,
    ),
    ("cache index a.t in default", &[("INDEX ON a.*", 1142)], 0),
    ("load index into cache a.t", &[("INDEX ON a.*", 1142)], 0),
    ("shutdown", &[("SHUTDOWN ON *.*", 1227)], 1235),
    ("restart", &[("SHUTDOWN ON *.*", 1227)], 3707),
    ("binlog 'x'", &[("SUPER ON *.*", 1227)], 1235),
    ("purge binary logs to 'x'", &[("SUPER ON *.*", 1227)], 1235),
    ("install plugin p soname 'x'", &[("INSERT ON mysql.*", 1142)], 1235),
    ("uninstall plugin p", &[("DELETE ON mysql.*", 1142)], 1235),
    ("install component 'file://component_query_attributes'", &[("INSERT ON mysql.*", 1142)], 0),
    (
        "install component 'file://x' set global max_connections = 5",
        &[("INSERT ON mysql.*", 1142), (SET_GLOBAL, 1227)],
        3529,
    ),
    ("uninstall component 'file://x'", &[("DELETE ON mysql.*", 1142)], 3537),
    ("create user n@localhost", &[(ACCOUNTS_INSERT, 1227)], 0),
    ("alter user u@localhost identified by 'x'", &[], 0),
    ("alter user u@localhost account lock", &[(ACCOUNTS_UPDATE, 1227)], 0),
    ("alter user current_user() account unlock", &[(ACCOUNTS_UPDATE, 1227)], 0),
    ("alter user u@localhost require none", &[(ACCOUNTS_UPDATE, 1227)], 0),
    ("alter user current_user() require none", &[(ACCOUNTS_UPDATE, 1227)], 0),
    (
        "alter user u@localhost identified by 'x' require subject '/CN=x'",
        &[(ACCOUNTS_UPDATE, 1227)],
        0,
    ),
    ("alter user u@localhost with max_user_connections 0", &[(ACCOUNTS_UPDATE, 1227)], 0),
    ("alter user u@localhost password expire never", &[(ACCOUNTS_UPDATE, 1227)], 0),
    ("alter user u@localhost attribute '{}'", &[(ACCOUNTS_UPDATE, 1227)], 0),
    ("alter user current_user() comment 'x'", &[(ACCOUNTS_UPDATE, 1227)], 0),
    ("alter user u@localhost failed_login_attempts 0", &[(ACCOUNTS_UPDATE, 1227)], 0),
    ("alter user u@localhost password history default", &[(ACCOUNTS_UPDATE, 1227)], 0),
    ("alter user u@localhost default role none", &[], 0),
    ("alter user other@localhost identified by 'x'", &[(ACCOUNTS_UPDATE, 1227)], 0),
    ("drop user other@localhost", &[(ACCOUNTS_DELETE, 1227)], 0),
    ("rename user other@localhost to n@localhost", &[(ACCOUNTS_UPDATE, 1227)], 0),
    ("create role r", &[(ROLES_CREATE, 1227)], 0),
    ("drop role if exists r", &[(ROLES_DROP, 1227)], 0),
    ("grant other@localhost to u@localhost", &[(ROLE_ADMIN, 1227)], 0),
    ("revoke other@localhost from u@localhost", &[(ROLE_ADMIN, 1227)], 0),
    (
        "grant select on b.* to other@localhost",
        &[("SELECT ON b.*", 1044), ("GRANT OPTION ON b.*", 1044)],
        0,
    ),
    (
        "grant process on *.* to other@localhost",
        &[("PROCESS ON *.*", 1045), ("GRANT OPTION ON *.*", 1045)],
        0,
    ),
    (
        "grant select on b.secret to other@localhost",
        &[
            ("SELECT ON b.* | SELECT ON b.secret", 1142),
            ("GRANT OPTION ON b.* | GRANT OPTION ON b.secret", 1142),
        ],
        0,
    ),
    (
        "grant execute on procedure b.p to other@localhost",
        &[("EXECUTE ON b.*", 1370), ("GRANT OPTION ON b.*", 1370)],
        1305,
    ),
    (
        "revoke select on b.* from other@localhost",
        &[("SELECT ON b.*", 1044), ("GRANT OPTION ON b.*", 1044)],
        0,
    ),
    ("revoke all privileges, grant option from other@localhost", &[(ACCOUNTS_UPDATE, 1227)], 0),
    // An example of what is known by name only.
    ("stop replica", &[], 1235),
];

const SHOW: &[Case] = &[
    ("describe a.t", &[(ANY_ON_A, 1142)], 0),
    ("explain a.t", &[(ANY_ON_A, 1142)], 0),
    ("show databases", &[], 0),
    ("show tables from a", &[(ANY_ON_A, 1044)], 0),
    (
        "show tables from a where (select 1 from b.secret)",
        &[(ANY_ON_A, 1044), ("SELECT ON b.*", 1142)],
        0,
    ),
    ("show table status from a", &[(ANY_ON_A, 1044)], 0),
    ("show open tables from a", &[(ANY_ON_A, 1044)], 0),
    ("show triggers from a", &[(ANY_ON_A, 1044)], 0),
    ("show events from a", &[("EVENT ON a.*", 1044)], 0),
    ("show columns from a.t", &[(ANY_ON_A, 1142)], 0),
    ("show index from a.t", &[(ANY_ON_A, 1142)], 0),
    ("show variables like 'port'", &[], 0),
    ("show status like 'uptime'", &[], 0),
    ("show create table a.t", &[(ANY_ON_A, 1142)], 0),
    ("show create view a.w", &[("SELECT ON a.*", 1142), ("SHOW VIEW ON a.*", 1142)], 0),
    ("show create view a.t", &[("SELECT ON a.*", 1142), ("SHOW VIEW ON a.*", 1142)], 1347),
    ("show create database a", &[(ANY_ON_A, 1044)], 0),
    ("show create procedure a.p", &[], 1305),
    ("show create function a.f", &[], 1305),
    ("show create trigger a.g", &[("TRIGGER ON a.*", 1044)], 1360),
    ("show create event a.e", &[("EVENT ON a.*", 1044)], 1539),
    ("show create user u@localhost", &[], 0),
    ("show create user other@localhost", &[("SELECT ON mysql.*", 1044)], 0),
    ("show procedure status", &[], 0),
    ("show function status", &[], 0),
    ("show procedure code a.p", &[], 1235),
    ("show engine innodb status", &[("PROCESS ON *.*", 1227)], 0),
    ("show engines", &[], 0),
    ("show processlist", &[], 0),
    ("show warnings", &[], 0),
    ("show errors", &[], 0),
    ("show count(*) warnings", &[], 0),
    ("show count(*) errors", &[], 0),
    ("show master status", &[(LOG_READER, 1227)], 0),
    ("show binary logs", &[(LOG_READER, 1227)], 1381),
    ("show binlog events", &[("REPLICATION SLAVE ON *.*", 1227)], 0),
    ("show relaylog events", &[("REPLICATION SLAVE ON *.*", 1227)], 0),
    ("show replica status", &[(LOG_READER, 1227)], 0),
    ("show replicas", &[("REPLICATION SLAVE ON *.*", 1227)], 0),
    ("show grants", &[], 0),
    ("show grants for other@localhost", &[("SELECT ON mysql.*", 1044)], 0),
    ("show character set", &[], 0),
    ("show collation", &[], 0),
    ("show plugins", &[], 0),
    ("show privileges", &[], 0),
    ("show profiles", &[], 1235),
    ("show profile", &[], 1235),
];

fn all_cases() -> impl Iterator<Item = &'static Case> {
    [DATA, DEFINITIONS, SESSION, SERVER, SHOW].into_iter().flatten()
}

fn parse(sql: &str) -> Statement {
    let options = ParseOptions { allow_params: true, ..Default::default() };
    parse_one(sql.as_bytes(), &options).unwrap_or_else(|e| panic!("{sql}: {}", e.message)).stmt
}

#[test]
fn every_kind_of_statement_has_a_row() {
    let (mut kinds, mut shows) = (BTreeSet::new(), BTreeSet::new());
    for (sql, ..) in all_cases() {
        let stmt = parse(sql);
        kinds.insert(stmt.kind());
        if let Statement::Show(s) = &stmt {
            shows.insert(s.kind.kind());
        }
    }
    let missing = |all: &[&'static str], seen: &BTreeSet<&str>| -> Vec<&'static str> {
        all.iter().copied().filter(|k| !seen.contains(k)).collect()
    };
    assert_eq!(missing(Statement::KINDS, &kinds), [""; 0]);
    assert_eq!(missing(ShowKind::KINDS, &shows), [""; 0]);
}

/// The same schemas, tables and accounts before each statement.
async fn reset(root: &mut Client) {
    root.all(&[
        "drop database if exists a",
        "drop database if exists b",
        "drop database if exists c",
        "create database a",
        "create database b",
        "create table a.t (id int primary key, v int default 0, key v (v))",
        "create table b.secret (id int primary key, v int)",
        "insert into a.t values (1, 1), (2, 2)",
        "create view a.w as select id, v from b.secret",
        "create sql security invoker view a.i as select id, v from b.secret",
        "insert into b.secret values (1, 10)",
        "drop user if exists n@localhost, other@localhost, u@localhost",
        "drop role if exists r",
        "create user other@localhost",
        "grant select on b.* to other@localhost",
        "create user u@localhost",
    ])
    .await;
}

/// Gives `u` exactly these rights.
async fn grant(root: &mut Client, rights: &[&str]) {
    root.rows("revoke all privileges, grant option from u@localhost").await;
    for right in rights {
        root.rows(&format!("grant {right} to u@localhost")).await;
    }
}

/// The rights of a case with alternative `n` of each.
fn chosen(rights: &[(&'static str, u16)], n: usize) -> Vec<&'static str> {
    let pick = |text: &'static str| {
        let list: Vec<&str> = text.split('|').map(str::trim).collect();
        list[n % list.len()]
    };
    rights.iter().map(|(text, _)| pick(text)).collect()
}

fn alternatives(rights: &[(&str, u16)]) -> usize {
    rights.iter().map(|(text, _)| text.split('|').count()).max().unwrap_or(1)
}

#[test]
fn each_right_is_needed_and_together_they_are_enough() {
    with_server(1, |server| async move {
        let mut root = server.client();
        let mut bad = String::new();
        for (sql, rights, outcome) in all_cases() {
            reset(&mut root).await;
            for (n, (right, errno)) in rights.iter().enumerate() {
                let mut others = chosen(rights, 0);
                others.remove(n);
                grant(&mut root, &others).await;
                let got = server.client_in("u", "a").ask(sql).await;
                if got.errno() != *errno {
                    let _ = writeln!(bad, "{sql}\n  without {right}: {}", got.line());
                }
            }
            for n in 0..alternatives(rights) {
                reset(&mut root).await;
                grant(&mut root, &chosen(rights, n)).await;
                let got = server.client_in("u", "a").ask(sql).await;
                if got.errno() != *outcome {
                    let _ = writeln!(bad, "{sql}\n  with all: {}", got.line());
                }
            }
        }
        assert!(bad.is_empty(), "\n{bad}");
    });
}

/// A prepared statement is checked whenever it is executed, by names and numbers.
#[test]
fn a_revoke_reaches_what_is_prepared() {
    with_server(1, |server| async move {
        let mut root = server.client();
        let mut bad = String::new();
        for (sql, rights, outcome) in all_cases() {
            let unprepared = matches!(
                parse(sql),
                Statement::Prepare { .. }
                    | Statement::Execute { .. }
                    | Statement::Deallocate { .. }
                    | Statement::Use(_)
                    | Statement::Unsupported { .. }
            );
            if rights.is_empty() || *outcome != 0 || unprepared {
                continue;
            }
            reset(&mut root).await;
            let all = chosen(rights, 0);
            grant(&mut root, &all).await;
            let mut u = server.client_in("u", "a");
            let id = match u.0.prepare(sql.as_bytes()).await {
                Ok(p) => p.id,
                // MySQL does not prepare it either.
                Err(e) if e.errno == 1295 => continue,
                Err(e) => {
                    let _ = writeln!(bad, "{sql}\n  prepare: {e}");
                    continue;
                }
            };
            u.rows(&format!("prepare p from '{}'", sql.replace('\'', "''"))).await;
            for (n, (right, errno)) in rights.iter().enumerate() {
                let mut others = all.clone();
                others.remove(n);
                grant(&mut root, &others).await;
                for got in [u.execute(id, &[]).await, u.ask("execute p").await] {
                    if got.errno() != *errno {
                        let _ = writeln!(bad, "{sql}\n  executed without {right}: {}", got.line());
                    }
                }
                let got = u.0.prepare(sql.as_bytes()).await.map_or_else(|e| e.errno, |_| 0);
                if got != *errno {
                    let _ = writeln!(bad, "{sql}\n  prepared without {right}: {got}");
                }
            }
            grant(&mut root, &all).await;
            let got = u.execute(id, &[]).await;
            if got.errno() != 0 {
                let _ = writeln!(bad, "{sql}\n  executed with all: {}", got.line());
            }
        }
        assert!(bad.is_empty(), "\n{bad}");
    });
}

/// Whoever has no rights gets the same answer whether or not a table or schema exists.
#[test]
fn errors_do_not_tell_which_names_exist() {
    with_server(1, |server| async move {
        let mut root = server.client();
        reset(&mut root).await;
        let mut u = server.client_in("u", "a");
        let mut bad = String::new();
        for (sql, rights, _) in all_cases() {
            if rights.is_empty() {
                continue;
            }
            let there = u.ask(sql).await.line();
            for (name, other) in [("a.t", "a.nope"), ("b.secret", "b.nope"), ("b.", "zz.")] {
                let not_there = u.ask(&sql.replace(name, other)).await.line();
                let table = |n: &str| n.rsplit_once('.').map_or("", |(_, t)| t).to_string();
                let same = match name {
                    "b." => not_there.replace("zz", "b"),
                    _ => not_there.replace(&table(other), &table(name)),
                };
                if there != same {
                    let _ = writeln!(bad, "{sql}\n  {name}: {there}\n  {other}: {not_there}");
                }
            }
        }
        assert!(bad.is_empty(), "\n{bad}");
        // Unknown schemas are told to those who may see all.
        u.check(&[("use zz", "E1044"), ("use a", "E1044"), ("show tables from zz", "E1044")]).await;
        root.check(&[("use zz", "E1049"), ("show tables from zz", "E1049")]).await;
    });
}

#[test]
fn messages() {
    with_server(1, |server| async move {
        let mut root = server.client();
        reset(&mut root).await;
        let mut u = server.client_in("u", "a");
        u.check(&[
            (
                "select * from a.t",
                "E1142 SELECT command denied to user 'u'@'localhost' for table 't'",
            ),
            (
                "show create table a.t",
                "E1142 SHOW command denied to user 'u'@'localhost' for table 't'",
            ),
            ("use b", "E1044 Access denied for user 'u'@'localhost' to database 'b'"),
            (
                "call a.p()",
                "E1370 execute command denied to user 'u'@'localhost' for routine 'a.p'",
            ),
            (
                "load data infile '/x' into table a.t",
                "E1142 INSERT command denied to user 'u'@'localhost' for table 't'",
            ),
        ])
        .await;
        grant(&mut root, &["UPDATE ON a.*", "SELECT ON b.*"]).await;
        u.check(&[
            (
                "update a.t set v = 1 where id = 1",
                "E1143 SELECT command denied to user 'u'@'localhost' for column 'id' in table 't'",
            ),
            ("update a.t set v = 7", "ok 2"),
        ])
        .await;
        grant(&mut root, &["SELECT ON a.*"]).await;
        u.check(&[(
            "select * from a.t for update",
            "E1142 SELECT with locking clause command denied to user 'u'@'localhost' for table 't'",
        )])
        .await;
    });
}

#[test]
fn listings_show_what_one_may_see() {
    with_server(1, |server| async move {
        let mut root = server.client();
        reset(&mut root).await;
        let mut u = server.client_in("u", "");
        let tables =
            "select table_name from information_schema.tables where table_schema in ('a', 'b')";
        let columns = "select distinct table_name, privileges from information_schema.columns \
                       where table_schema in ('a', 'b')";
        u.check(&[("show databases", "information_schema"), (tables, ""), (columns, "")]).await;
        // A right that concerns routines shows the schema, not its tables.
        grant(&mut root, &["EXECUTE ON a.*"]).await;
        u.check(&[("show databases", "a; information_schema"), (tables, "")]).await;
        grant(&mut root, &["SELECT ON a.*", "INSERT ON a.*"]).await;
        u.check(&[
            (tables, "t; i; w"),
            (columns, "t|select,insert; i|select,insert; w|select,insert"),
        ])
        .await;
        // Dynamic privileges say nothing about schemas, static ones show all.
        grant(&mut root, &["SYSTEM_VARIABLES_ADMIN ON *.*"]).await;
        u.check(&[("show databases", "information_schema")]).await;
        grant(&mut root, &["PROCESS ON *.*"]).await;
        u.check(&[
            ("show databases", "a; b; information_schema; mysql; performance_schema; test"),
            ("use a", "E1044"),
        ])
        .await;
        // Schema names are told apart by letter case.
        root.all(&["create database A", "create table A.t (id int)"]).await;
        grant(&mut root, &["SELECT ON a.*"]).await;
        u.check(&[("select count(*) from a.t", "2"), ("select count(*) from A.t", "E1142")]).await;
        root.rows("drop database A").await;
    });
}

/// A right on one table is one on that table: for statements, views, listings, and what has been prepared.
#[test]
fn rights_on_single_tables() {
    with_server(1, |server| async move {
        let mut root = server.client();
        reset(&mut root).await;
        root.all(&[
            "create table a.o (id int primary key, v int)",
            "insert into a.o values (5, 5)",
        ])
        .await;
        let mut u = server.client_in("u", "");
        u.check(&[("use a", "E1044"), ("select * from a.t", "E1142")]).await;
        grant(&mut root, &["SELECT ON a.t", "INSERT, UPDATE ON a.o", "SELECT ON a.i"]).await;
        u.check(&[
            ("use a", "ok 0"),
            ("show databases", "a; information_schema"),
            ("show tables", "i; o; t"),
            ("select table_name from information_schema.tables where table_schema in ('a', 'b') order by 1", "i; o; t"),
            ("select distinct table_name, privileges from information_schema.columns where table_schema = 'a' order by 1", "i|select; o|insert,update; t|select"),
            ("select name from (select table_name as name from information_schema.statistics where table_schema = 'a') as x group by name order by 1", "o; t"),
            ("select count(*) from t", "2"),
            ("select count(*) from o", "E1142 SELECT command denied to user 'u'@'localhost' for table 'o'"),
            ("insert into o values (6, 6)", "ok 1"),
            ("insert into t values (6, 6)", "E1142 INSERT command denied to user 'u'@'localhost' for table 't'"),
            ("update o set v = 1", "ok 2"),
            ("update o set v = 1 where id = 5", "E1143"),
            ("update o, t set o.v = t.v where o.id = t.id", "E1143"),
            ("delete from o", "E1142"),
            ("select * from w", "E1142"),
            // The view is the invoker's, who may not read what it reads.
            ("select * from i", "E1356"),
            ("create table n (a int)", "E1142"),
            ("drop table t", "E1142"),
            ("lock tables t read", "E1044"),
            ("describe o", "id|int|NO|PRI|NULL|; v|int|YES||NULL|"),
            ("show create table w", "E1142"),
            ("grant select on a.t to other@localhost", "E1142 GRANT command denied to user 'u'@'localhost' for table 't'"),
            ("show grants", "GRANT USAGE ON *.* TO `u`@`localhost`; GRANT SELECT ON `a`.`i` TO `u`@`localhost`; GRANT INSERT, UPDATE ON `a`.`o` TO `u`@`localhost`; GRANT SELECT ON `a`.`t` TO `u`@`localhost`"),
            ("select table_name, privilege_type, is_grantable from information_schema.table_privileges order by 1, 2", "i|SELECT|NO; o|INSERT|NO; o|UPDATE|NO; t|SELECT|NO"),
            ("prepare s from 'select count(*) from a.t'", "ok 0"),
            ("execute s", "2"),
        ])
        .await;
        root.check(&[
            ("revoke insert on a.t from u@localhost", "ok 0"),
            ("revoke select on a.t from u@localhost", "ok 0"),
            ("revoke select on a.t from u@localhost", "E1147 There is no such grant defined for user 'u' on host 'localhost' on table 't'"),
            ("grant process on a.t to u@localhost", "E1144"),
            ("grant execute on a.t to u@localhost", "E1144"),
            ("grant select on a.missing to u@localhost", "E1146"),
            ("grant create on a.missing to u@localhost", "ok 0"),
            ("grant select (nothing) on a.t to u@localhost", "E1054"),
            ("grant all on a.o to u@localhost with grant option", "ok 0"),
            ("show grants for u@localhost", "GRANT USAGE ON *.* TO `u`@`localhost`; GRANT SELECT ON `a`.`i` TO `u`@`localhost`; GRANT CREATE ON `a`.`missing` TO `u`@`localhost`; GRANT ALL PRIVILEGES ON `a`.`o` TO `u`@`localhost` WITH GRANT OPTION"),
        ])
        .await;
        u.check(&[
            ("execute s", "E1142"),
            ("select * from t", "E1142"),
            ("select count(*) from o", "2"),
            ("grant select on a.o to other@localhost", "ok 0"),
            ("create table missing (id int)", "ok 0"),
            ("drop table missing", "E1142"),
            ("truncate o", "ok 0"),
        ])
        .await;
        // The rights of another table, or of one in another letter case, are not those of this one.
        root.all(&["create table a.T (id int)", "create database c", "create table c.o (id int)"])
            .await;
        u.check(&[("select * from a.T", "E1142"), ("select * from c.o", "E1142")]).await;
        root.all(&["rename user u@localhost to n@localhost"]).await;
        let mut n = server.client_in("n", "a");
        n.check(&[("select count(*) from o", "0")]).await;
        root.rows("revoke all privileges, grant option from n@localhost").await;
        n.check(&[("select count(*) from o", "E1142"), ("show tables", "E1044")]).await;
    });
}

/// Cached plans of one session do not let another one in.
#[test]
fn a_cached_plan_is_checked_for_each_session() {
    with_server(1, |server| async move {
        let mut root = server.client();
        reset(&mut root).await;
        let mut u = server.client_in("u", "a");
        grant(&mut root, &["SELECT ON a.*"]).await;
        let select = "select v from a.t where id = 1";
        let update = "update a.t set v = 5 where id = 2";
        root.check(&[(select, "1"), (update, "ok 1")]).await;
        u.check(&[(select, "1"), (update, "E1142")]).await;
        grant(&mut root, &["UPDATE ON a.*"]).await;
        u.check(&[(select, "E1142"), (update, "E1143")]).await;
    });
}

/// Ways around: patterns that reach further than one's own, names of temporary tables, parents in other schemas, triggers whose
/// definer has lost his right.
#[test]
fn no_way_around() {
    with_server(1, |server| async move {
        let mut root = server.client();
        reset(&mut root).await;
        grant(&mut root, &["SELECT ON `my_db`.*"]).await;
        root.all(&["grant grant option on `my_db`.* to u@localhost"]).await;
        let mut u = server.client_in("u", "");
        u.check(&[
            ("grant select on `my%db`.* to other@localhost", "E1044"),
            ("grant select on `my\\_db`.* to other@localhost", "ok 0"),
            ("grant select on `my%`.* to other@localhost", "E1044"),
        ])
        .await;
        // A view's text is shown to whoever has SHOW VIEW, whatever else bears its name.
        grant(&mut root, &["SELECT ON a.w", "CREATE TEMPORARY TABLES ON a.*"]).await;
        u.check(&[
            (
                "show create table a.w",
                "E1142 SHOW VIEW command denied to user 'u'@'localhost' for table 'w'",
            ),
            ("create temporary table a.w (x int)", "ok 0"),
            ("show create view a.w", "E1142"),
            ("drop temporary table a.w", "ok 0"),
        ])
        .await;
        // The parent of a foreign key is one of the child's schema.
        root.all(&["create database x", "create table x.secret (id int primary key)"]).await;
        grant(&mut root, &["CREATE ON b.c", "ALL ON x.*"]).await;
        u.check(&[
            ("use x", "ok 0"),
            (
                "create table b.c (p int, foreign key (p) references secret(id))",
                "E1142 REFERENCES command denied to user 'u'@'localhost' for table 'secret'",
            ),
            ("create table x.c (p int, foreign key (p) references secret(id))", "ok 0"),
        ])
        .await;
        // A trigger fires with its definer's rights on the table, as they are then.
        root.all(&["create table a.log (v int)"]).await;
        grant(&mut root, &["TRIGGER ON a.t", "INSERT ON a.log"]).await;
        u.check(&[(
            "create trigger a.x before insert on a.t for each row insert into a.log values (new.v)",
            "ok 0",
        )])
        .await;
        root.check(&[(
            "insert into a.t values (77, 7)",
            "E1143 SELECT command denied to user 'u'@'localhost' for column 'v' in table 't'",
        )])
        .await;
        root.all(&["grant select on a.t to u@localhost"]).await;
        root.check(&[("insert into a.t values (77, 7)", "ok 1"), ("select v from a.log", "7")])
            .await;
        root.all(&["revoke trigger on a.t from u@localhost"]).await;
        root.check(&[(
            "insert into a.t values (78, 7)",
            "E1142 TRIGGER command denied to user 'u'@'localhost' for table 't'",
        )])
        .await;
    });
}
