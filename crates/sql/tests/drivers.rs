//! What drivers, monitors and tools ask of a server beside the statements of an application.
use crate::common::*;

/// The grant tables of `mysql`, which tools read, and who may.
#[test]
fn grant_tables() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("create user u identified with mysql_native_password by 'p'", "ok 0"),
            ("create role r", "ok 0"),
            ("create database a", "ok 1"),
            ("create table a.t (x int, y int)", "ok 0"),
            ("grant select, grant option on a.* to u", "ok 0"),
            ("grant insert, update (x), create view on a.t to u", "ok 0"),
            ("grant backup_admin on *.* to u", "ok 0"),
            ("grant r to u", "ok 0"),
            ("set default role r to u", "ok 0"),
            (
                "select user, host, select_priv, super_priv, plugin, account_locked from mysql.user where user in ('root', 'u', 'r') order by user",
                "r|%|N|N|caching_sha2_password|Y; root|localhost|Y|Y|caching_sha2_password|N; u|%|N|N|mysql_native_password|N",
            ),
            ("select db, user, select_priv, grant_priv, drop_priv from mysql.db", "a|u|Y|Y|N"),
            (
                "select db, user, table_name, table_priv, column_priv from mysql.tables_priv",
                "a|u|t|Insert,Create View|Update",
            ),
            ("select column_name, column_priv from mysql.columns_priv", "x|Update"),
            ("select user, priv from mysql.global_grants where user = 'u'", "u|BACKUP_ADMIN"),
            ("select from_user, to_user, with_admin_option from mysql.role_edges", "r|u|N"),
            ("select user, default_role_user from mysql.default_roles", "u|r"),
            ("select count(*) from mysql.time_zone_name", "0"),
            ("select count(*) > 50 from information_schema.columns where table_schema = 'mysql' and table_name = 'user'", "1"),
            ("show columns from mysql.role_edges like 'TO%'", "TO_HOST|char(255)|NO|PRI||; TO_USER|char(32)|NO|PRI||"),
            ("show index from mysql.user", "user|0|PRIMARY|1|Host|A|0|NULL|NULL||BTREE|||YES|NULL; user|0|PRIMARY|2|User|A|0|NULL|NULL||BTREE|||YES|NULL"),
            ("select table_type from information_schema.tables where table_schema = 'mysql' and table_name = 'db'", "BASE TABLE"),
            ("use mysql", "ok 0"),
            ("select count(*) from user where user = 'u'", "1"),
        ])
        .await;
        c.0.close().await;
    });
}

/// Views that drivers and monitors ask for, and placeholders in the WHERE of a list.
#[test]
fn what_drivers_ask() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("create database a", "ok 1"),
            ("use a", "ok 0"),
            ("create table t (id int primary key, b int, key kb (b))", "ok 0"),
            ("select word, reserved from information_schema.keywords where word in ('SELECT', 'STATUS')", "SELECT|1; STATUS|0"),
            ("select plugin_name from information_schema.plugins where plugin_type = 'STORAGE ENGINE'", "InnoDB"),
            ("select count(*) from performance_schema.events_statements_summary_by_digest", "0"),
            ("select digest, sum_timer_wait from performance_schema.events_statements_summary_by_digest", ""),
            ("show create table performance_schema.setup_consumers", "setup_consumers|CREATE TEMPORARY TABLE `setup_consumers` (\n  `NAME` varchar(64) NOT NULL,\n  `ENABLED` varchar(3) NOT NULL\n) ENGINE=MEMORY DEFAULT CHARSET=utf8mb3"),
            ("select count(*) > 500 from information_schema.columns where table_schema = 'information_schema'", "1"),
            ("select count(*) from information_schema.columns where table_schema = 'information_schema' and table_name = 'KEYWORDS'", "2"),
            ("prepare p from 'show tables where tables_in_a = ? or ? > 5'", "ok 0"),
            ("set @name = 't', @n = 1", "ok 0"),
            ("execute p using @name, @n", "t"),
            ("execute p using @n, @n", ""),
            // mydumper's files are restored in this set.
            ("set names binary", "ok 0"),
            ("create table d (i int default '5', n decimal(5,2) default '1.50', f double default '-2.5', x int default x'35', c varchar(3) default 'ab', y year default '2024')", "ok 0"),
            ("set names utf8mb4", "ok 0"),
            ("insert into d () values ()", "ok 1"),
            ("select * from d", "5|1.50|-2.5|53|ab|2024"),
            // The session's READ ONLY refuses definitions, and ends nothing. A transaction that may only read is ended by them first.
            ("set session transaction read only", "ok 0"),
            ("drop table t", "E1792"),
            ("create temporary table tt (a int)", "E1792"),
            ("create user x", "E1792"),
            ("set session transaction read write", "ok 0"),
            ("start transaction read only", "ok 0"),
            ("alter table t add c int", "ok 0"),
            ("commit", "ok 0"),
            ("drop table t", "ok 0"),
            // The error names the function.
            ("create function f() returns varchar(2) deterministic return 'long'", "ok 0"),
            ("select f()", "E1406 Data too long for column 'f()' at row 1"),
        ])
        .await;
        c.0.close().await;
    });
}

/// ActiveRecord asks for uniqueness with regard to case by `= BINARY 'x'`: the operator has the strength of CAST, on either side.
#[test]
fn the_binary_operator_decides_against_a_column() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table bt (a varchar(9))", "insert into bt values ('Ab')", "set @v = 'AB'"])
            .await;
        c.check(&[
            ("select coercibility(binary 'x'), coercibility(cast('x' as binary))", "2|2"),
            ("select a from bt where a = 'AB'", "Ab"),
            ("select a from bt where a = binary 'AB'", ""),
            ("select a from bt where binary 'AB' = a", ""),
            ("select a from bt where a <=> binary 'AB'", ""),
            ("select a from bt where a != binary 'AB'", "Ab"),
            ("select a from bt where a in (binary 'AB', 'x')", ""),
            ("select a from bt where a between binary 'AB' and binary 'AB'", ""),
            ("select a from bt where a = binary @v", ""),
            ("select a from bt where a = binary concat('A', 'B')", ""),
            ("select a from bt where a = binary upper(a)", ""),
            ("select case a when binary 'AB' then 1 else 0 end from bt", "0"),
            ("select x.a from bt x join bt y on x.a = binary upper(y.a)", ""),
            ("select a from bt group by a having a = binary 'AB'", ""),
            ("select a from bt where a = binary 'Ab'", "Ab"),
            ("update bt set a = 'z' where a = binary 'AB'", "ok 0"),
            ("create index i on bt (a)", "ok 0"),
            ("select a from bt where a = binary 'AB'", ""),
            ("select a from bt where a in (binary 'AB')", ""),
            ("select a from bt where a = binary 'Ab'", "Ab"),
            ("delete from bt where a = binary 'AB'", "ok 0"),
        ])
        .await;
    });
}

#[test]
fn aggregates_take_as_many_arguments_as_in_mysql() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (a int, b int)", "insert into t values (1, 2)"]).await;
        for f in
            ["count", "sum", "max", "min", "avg", "bit_or", "std", "json_arrayagg", "any_value"]
        {
            let errno = if f == "any_value" { "E1582" } else { "E1064" };
            c.check(&[(&format!("select {f}(a, b) from t"), errno)]).await;
        }
        c.check(&[
            ("select avg(distinct a, b) from t", "E1064"),
            ("select count(a, b) over () from t", "E1064"),
            ("select json_objectagg(a) from t", "E1064"),
            ("select json_objectagg(a, b, a) from t", "E1064"),
            ("select count(distinct a, b), group_concat(a, b) from t", "1|12"),
            ("select json_objectagg(a, b) from t", "{\"1\": 2}"),
        ])
        .await;
    });
}

/// PHP's suite numbers rows by LAST_INSERT_ID(id + 1) in the row itself. As in MySQL a value that looks at a column that is not set yet
/// sees its constant default, or the type's zero where it bears no NULL.
#[test]
fn a_value_sees_the_defaults_of_what_is_not_set_yet() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "set sql_mode = ''",
            "create table t (id int auto_increment primary key, n int not null, s varchar(5) not null, z int, d int default 7)",
        ])
        .await;
        c.check(&[
            ("insert into t (n) values (n + 1)", "ok 1"),
            ("insert into t set n = 2, s = id", "ok 1"),
            ("insert into t (z) values (id + 1)", "ok 1"),
            ("insert into t (z, n) values (ifnull(n, -9), 3)", "ok 1"),
            ("insert into t (z, d) values (d + 1, 1)", "ok 1"),
            ("insert into t (n, z) values (4, z), (5, n)", "ok 2"),
            (
                "select n, s, z, d from t order by id",
                "1||NULL|7; 2|0|NULL|7; 0||1|7; 3||0|7; 0||8|1; 4||NULL|7; 5||5|7",
            ),
            ("insert into t (id, n) values (last_insert_id(id + 50), 9)", "ok 1"),
            ("select id from t where n = 9", "50"),
            ("insert into t (id, n) values (id, 10)", "ok 1"),
            ("select id from t where n = 10", "51"),
        ])
        .await;
    });
}

/// mysqltuner and other monitors reckon with these.
#[test]
fn what_monitors_look_for() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (a int)", "select * from t"]).await;
        c.check(&[
            (
                "select count(*) from performance_schema.global_status where variable_name in \
                 ('Open_tables', 'Opened_tables', 'Open_files', 'Key_reads', 'Binlog_cache_disk_use')",
                "5",
            ),
            (
                "select variable_value > 0 from performance_schema.global_status where variable_name = 'Opened_tables'",
                "1",
            ),
            ("show engine myisam status", ""),
            ("show engine nothing status", "E1286"),
        ])
        .await;
        let shown = c.rows("show engine performance_schema status").await;
        assert!(shown.starts_with("performance_schema|"), "{shown}");
    });
}
