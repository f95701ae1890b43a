//! The tables of the schema `mysql`: read, written, dropped, made again, and what FLUSH PRIVILEGES and restarts make of them.
use crate::common::*;

#[test]
fn they_are_shown_as_mysql_shows_them() {
    with_server(1, |server| async move {
        let mut root = server.client();
        root.check(&[
            ("show databases", "information_schema; mysql; performance_schema; test"),
            ("show create database mysql", "mysql|CREATE DATABASE `mysql` /*!40100 DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci */ /*!80016 DEFAULT ENCRYPTION='N' */"),
            ("show columns from mysql.role_edges like 'TO%'", "TO_HOST|char(255)|NO|PRI||; TO_USER|char(32)|NO|PRI||"),
            ("select table_name, engine, table_type, table_comment from information_schema.tables where table_schema = 'mysql' and table_name in ('db', 'user') order by 1", "db|InnoDB|BASE TABLE|Database privileges; user|InnoDB|BASE TABLE|Users and global privileges"),
            ("select column_type, column_key, column_default from information_schema.columns where table_schema = 'mysql' and table_name = 'user' and column_name in ('Host', 'Select_priv')", "char(255)|PRI|; enum('N','Y')||N"),
            ("show create table mysql.default_roles", "default_roles|CREATE TABLE `default_roles` (\n  `HOST` char(255) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL DEFAULT '',\n  `USER` char(32) COLLATE utf8mb3_bin NOT NULL DEFAULT '',\n  `DEFAULT_ROLE_HOST` char(255) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL DEFAULT '%',\n  `DEFAULT_ROLE_USER` char(32) COLLATE utf8mb3_bin NOT NULL DEFAULT '',\n  PRIMARY KEY (`HOST`,`USER`,`DEFAULT_ROLE_HOST`,`DEFAULT_ROLE_USER`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_bin STATS_PERSISTENT=0 ROW_FORMAT=DYNAMIC COMMENT='Default roles'"),
            ("select count(*) from mysql.USER", "E1146"),
            ("select count(*) from MYSQL.user", "E1049"),
            ("create database mysql", "E3552"),
            ("create database if not exists mysql", "ok 1"),
            ("drop database mysql", "E3552"),
        ])
        .await;
    });
}

#[test]
fn what_is_written_holds_after_flush_privileges() {
    with_server(1, |server| async move {
        let mut root = server.client();
        root.check(&[
            ("create database a", "ok 1"),
            ("create user u@localhost", "ok 0"),
            ("create user ''@localhost", "ok 0"),
            ("grant select on a.* to u@localhost", "ok 0"),
            ("update mysql.user set host = 'h', insert_priv = 'Y' where user = 'u'", "ok 1"),
            // The rest of him stays where he was, as in MySQL.
            ("update mysql.db set host = 'h' where user = 'u'", "ok 1"),
            ("delete from mysql.user where user = ''", "ok 1"),
            ("select host, user from mysql.user order by user", "localhost|root; h|u"),
            (
                "show grants for u@localhost",
                "GRANT USAGE ON *.* TO `u`@`localhost`; GRANT SELECT ON `a`.* TO `u`@`localhost`",
            ),
            ("show grants for u@h", "E1141"),
            ("flush privileges", "ok 0"),
            (
                "show grants for u@h",
                "GRANT INSERT ON *.* TO `u`@`h`; GRANT SELECT ON `a`.* TO `u`@`h`",
            ),
            ("show grants for u@localhost", "E1141"),
            ("show grants for ''@localhost", "E1141"),
            ("select host, user from mysql.user order by user", "localhost|root; h|u"),
            // They are computed again.
            ("create user w@localhost", "ok 0"),
            ("select host, user from mysql.user order by user", "localhost|root; h|u; localhost|w"),
        ])
        .await;
    });
}

#[test]
fn statements_about_accounts_read_what_was_written_first() {
    with_server(1, |server| async move {
        let mut root = server.client();
        root.check(&[
            ("insert into mysql.user (host, user, ssl_cipher, x509_issuer, x509_subject, create_priv) values ('%', 'new', '', '', '', 'Y')", "ok 1"),
            ("show grants for new", "E1141"),
            ("grant drop on *.* to new", "ok 0"),
            ("show grants for new", "GRANT CREATE, DROP ON *.* TO `new`@`%`"),
            ("lock tables mysql.user write", "ok 0"),
            ("insert into mysql.user (host, user, ssl_cipher, x509_issuer, x509_subject) values ('%', 'other', '', '', '')", "ok 1"),
            ("flush privileges", "E1192"),
            ("unlock tables", "ok 0"),
            ("delete from mysql.user", "ok 3"),
            ("flush privileges", "E1105 mysql.user has no row: the accounts stay as they are, since nobody could log in with none"),
            ("create user x", "E1105 mysql.user has no row: the accounts stay as they are, since nobody could log in with none"),
            // What was written can be thrown away.
            ("drop table mysql.user", "ok 0"),
            ("select count(*) from mysql.user", "E1146"),
            ("flush privileges", "ok 0"),
            ("select user from mysql.user order by user", "new; root"),
        ])
        .await;
    });
}

#[test]
fn a_dump_drops_makes_and_fills_them() {
    with_server(1, |server| async move {
        let mut root = server.client();
        root.check(&[("create user u@localhost comment 'kept'", "ok 0")]).await;
        let made = root.ask("show create table mysql.user").await.rows[0].clone();
        let (_, made) = made.split_once('|').expect("a name and a text");
        let rows = root.ask("select concat_ws('|', host, user, plugin, user_attributes) from mysql.user order by user").await;
        root.check(&[
            ("create table copy like mysql.user", "ok 0"),
            ("use mysql", "ok 0"),
            ("create table kept select * from user", "ok 2"),
            ("drop table if exists user", "ok 0"),
            ("select 1 from user", "E1146"),
            ("show tables like 'user'", ""),
            (made, "ok 0"),
            (made, "E1050"),
            ("lock tables user write, kept read", "ok 0"),
            ("alter table user disable keys", "ok 0"),
            ("insert into user select * from kept", "ok 2"),
            ("unlock tables", "ok 0"),
            ("flush privileges", "ok 0"),
            ("drop table kept", "ok 0"),
        ])
        .await;
        let again = root.ask("select concat_ws('|', host, user, plugin, user_attributes) from mysql.user order by user").await;
        assert_eq!(rows.rows, again.rows);
    });
}

#[test]
fn other_statements_on_them() {
    with_server(1, |server| async move {
        let mut root = server.client();
        root.check(&[
            // What loads time zones.
            ("use mysql", "ok 0"),
            ("truncate table time_zone", "ok 0"),
            ("insert into time_zone (use_leap_seconds) values ('N')", "ok 1"),
            ("set @id = last_insert_id()", "ok 0"),
            ("insert into time_zone_name (name, time_zone_id) values ('Mars/Utopia', @id)", "ok 1"),
            ("select * from time_zone_name join time_zone using (time_zone_id)", "1|Mars/Utopia|N"),
            ("alter table time_zone_transition order by time_zone_id, transition_time", "ok 0"),
            ("create table own (a int)", "ok 0"),
            ("create table user (a int)", "E1050"),
            ("create view user as select 1", "E1050"),
            ("rename table own to user", "E1050"),
            ("rename table servers to own2", "ok 0"),
            ("select count(*) from own2", "0"),
            ("select count(*) from servers", "E1146"),
            ("create table like_user like user", "ok 0"),
            ("select column_type from information_schema.columns where table_name = 'like_user' and column_name = 'plugin'", "char(64)"),
            ("analyze table db", "mysql.db|analyze|note|The storage engine for the table doesn't support analyze"),
            ("create trigger t before insert on user for each row set @a = 1", "E1465"),
            ("prepare s from 'update mysql.db set db = ? where false'", "ok 0"),
        ])
        .await;
    });
}

#[test]
fn they_need_the_rights_of_tables() {
    with_server(1, |server| async move {
        let mut root = server.client();
        root.check(&[
            ("create user u@localhost", "ok 0"),
            ("grant select on mysql.db to u@localhost", "ok 0"),
        ])
        .await;
        let mut u = server.client_of("u");
        u.check(&[
            ("show databases", "information_schema; mysql"),
            ("show tables from mysql", "db"),
            ("select count(*) from mysql.db", "0"),
            ("select count(*) from mysql.user", "E1142"),
            ("update mysql.user set super_priv = 'Y'", "E1142"),
            ("delete from mysql.db", "E1142"),
            ("drop table mysql.db", "E1142"),
            ("flush privileges", "E1227"),
        ])
        .await;
    });
}

/// Whatever was acknowledged is there after the tables have been read, whoever wrote, read, made and dropped them meanwhile.
#[test]
fn writers_and_statements_about_accounts_lose_nothing() {
    for seed in 0..12 {
        with_server(seed, |server| async move {
            let rt = server.inst.db.rt().clone();
            let mut tasks = Vec::new();
            for n in 0..5u64 {
                let (mut c, own) = (server.client(), rt.clone());
                tasks.push(rt.spawn("client", async move {
                    let mut kept = Vec::new();
                    for round in 0..12u64 {
                        let name = format!("u{n}_{round}");
                        let sql = match n {
                            0 => "flush privileges".to_owned(),
                            1 => format!("create user {name}"),
                            2 => format!("grant select on *.* to {name}_of_nobody"),
                            _ => format!("insert into mysql.user (host, user, ssl_cipher, x509_issuer, x509_subject) values ('%', '{name}', '', '', '')"),
                        };
                        let got = c.ask(&sql).await;
                        match got.errno() {
                            0 if n == 0 => {}
                            0 => kept.push(name),
                            // No such account.
                            1410 if n == 2 => {}
                            _ => panic!("{sql}: {}", got.line()),
                        }
                        let pause = (seed * 5 + n * 3 + round) % 7;
                        own.sleep(std::time::Duration::from_micros(pause * 150)).await;
                    }
                    c.0.close().await;
                    kept
                }));
            }
            let mut kept = Vec::new();
            for t in tasks {
                kept.extend(t.await);
            }
            let mut root = server.client();
            root.rows("flush privileges").await;
            for name in kept {
                let there = format!("select count(*) from mysql.user where user = '{name}'");
                assert_eq!(root.rows(&there).await, "1", "{name}, seed {seed}");
                root.rows(&format!("show grants for {name}")).await;
            }
            root.0.close().await;
        });
    }
}

#[test]
fn a_routine_comes_and_goes_while_the_tables_are_written_to() {
    with_server(1, |server| async move {
        let mut root = server.client();
        root.check(&[
            ("create database d", "ok 1"),
            ("create user u@localhost", "ok 0"),
            ("grant create, create routine on d.* to u@localhost", "ok 0"),
            ("insert into mysql.user (host, user, ssl_cipher, x509_issuer, x509_subject) values ('%', 'new', '', '', '')", "ok 1"),
        ])
        .await;
        let mut u = server.client_of("u");
        u.check(&[("create procedure d.p() select 1", "ok 0"), ("call d.p()", "1")]).await;
        // What was written is read with it, and the right of the creator is not lost.
        root.check(&[
            ("show grants for new", "GRANT USAGE ON *.* TO `new`@`%`"),
            ("select user, routine_name from mysql.procs_priv", "u|p"),
            ("delete from mysql.user where user = 'new'", "ok 1"),
            ("drop procedure d.p", "ok 0"),
            ("select count(*) from mysql.procs_priv", "0"),
            // Where they cannot be read the routine comes all the same.
            ("delete from mysql.user", "ok 2"),
        ])
        .await;
        u.check(&[
            ("create procedure d.q() select 1", "ok 0"),
            ("show warnings", "Warning|1404|Failed to grant EXECUTE and ALTER ROUTINE privileges: mysql.user has no row: the accounts stay as they are, since nobody could log in with none"),
        ])
        .await;
    });
}

#[test]
fn only_what_a_statement_changes_is_made_a_table() {
    with_server(1, |server| async move {
        let mut root = server.client();
        let tables =
            "select count(*) from information_schema.innodb_tables where name like 'mysql/%'";
        root.check(&[
            (tables, "0"),
            // A computed table of another schema cannot be written to, whatever the statement reads.
            ("insert into information_schema.tables select * from mysql.user", "E1044"),
            (tables, "0"),
            ("create table t select user from mysql.user", "ok 1"),
            ("update t join mysql.db on true set t.user = 'x'", "ok 0"),
            (tables, "0"),
            ("delete p from mysql.procs_priv p join mysql.user using (user)", "ok 0"),
            (tables, "1"),
            // Which of its tables an UPDATE of a join changes is known only when it is bound.
            ("update mysql.db join mysql.tables_priv using (user) set db.db = 'x'", "ok 0"),
            (tables, "3"),
            // A temporary table of its name is another one.
            ("create temporary table mysql.role_edges (a int)", "ok 0"),
            ("select * from mysql.role_edges", ""),
            ("drop temporary table mysql.role_edges", "ok 0"),
            ("select from_user from mysql.role_edges", ""),
            ("drop temporary table mysql.role_edges", "E1051"),
            ("select from_user from mysql.role_edges", ""),
            ("drop table mysql.role_edges, mysql.role_edges", "E1066"),
            ("select from_user from mysql.role_edges", ""),
        ])
        .await;
    });
}
