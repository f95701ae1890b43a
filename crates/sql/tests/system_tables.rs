//! The tables of the schema `mysql`: read, written, dropped, made again, and what FLUSH PRIVILEGES and restarts make of them.
use crate::common::*;
use weir_sql::session_api::KillKind;

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

/// Whatever was acknowledged is there after the tables have been read, no matter who wrote, read, made and dropped them meanwhile.
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

/// What is done for a statement within it is done in its connection's name.
#[test]
fn locks_and_kills_of_the_connection_stay_its_own() {
    with_server(1, |server| async move {
        let kill = server.kill_switch();
        let (mut c, mut other) = (server.client(), server.client_with(kill.clone()));
        c.check(&[
            ("select get_lock('mine', 0)", "1"),
            ("update mysql.user set ssl_cipher = '' where user = 'nobody'", "ok 0"),
            ("flush privileges", "ok 0"),
            ("update mysql.db set db = 'x' where user = 'nobody'", "ok 0"),
            ("create user u", "ok 0"),
            ("lock instance for backup", "ok 0"),
            ("update mysql.db set db = 'x' where user = 'nobody'", "ok 0"),
            ("create role r", "ok 0"),
            ("unlock instance", "ok 0"),
            ("select is_used_lock('mine') = connection_id()", "1"),
        ])
        .await;
        other.check(&[("select get_lock('mine', 0)", "0")]).await;
        // Anyone who waits for a table within a statement is killed with it.
        c.check(&[("lock tables mysql.user write", "ok 0")]).await;
        let waits = server.inst.db.rt().spawn("waiter", async move {
            let got = other.ask("create user w").await.errno();
            other.0.close().await;
            got
        });
        server.inst.db.rt().sleep(std::time::Duration::from_millis(200)).await;
        kill.kill(KillKind::Query);
        assert_eq!(waits.await, 1317);
        c.check(&[("unlock tables", "ok 0"), ("create user w", "ok 0")]).await;
    });
}

/// Anyone who closes a gate waits for those inside it, who do not wait for him.
#[test]
fn gates_are_entered_once() {
    for seed in 0..12 {
        with_server(seed, |server| async move {
            let rt = server.inst.db.rt().clone();
            let began = rt.now();
            let mut tasks = Vec::new();
            for n in 0..4u64 {
                let (mut c, own) = (server.client(), rt.clone());
                tasks.push(rt.spawn("client", async move {
                    for round in 0..10u64 {
                        let statements = match n {
                            0 => vec!["set global read_only = on".to_owned(), "set global read_only = off".into()],
                            1 => vec!["lock instance for backup".into(), "unlock instance".into()],
                            2 => vec![
                                format!("create user if not exists v{round}"),
                                format!("create procedure test.p{round}() select 1"),
                                format!("drop procedure test.p{round}"),
                            ],
                            _ => vec!["insert into mysql.user (host, user, ssl_cipher, x509_issuer, x509_subject) values ('%', concat('i', uuid_short() % 1000000), '', '', '')".into()],
                        };
                        for sql in statements {
                            let got = c.ask(&sql).await;
                            assert_eq!(got.errno(), 0, "{sql}: {}", got.line());
                        }
                        own.sleep(std::time::Duration::from_micros((seed + n * 3 + round) % 7 * 150)).await;
                    }
                    c.0.close().await;
                }));
            }
            for t in tasks {
                t.await;
            }
            let took = rt.now() - began;
            assert!(
                took < 5_000_000_000,
                "somebody waited until his patience ended: {took} ns, seed {seed}"
            );
        });
    }
}

#[test]
fn temporary_tables_views_and_names() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let tables =
            "select count(*) from information_schema.innodb_tables where name like 'mysql/%'";
        c.check(&[
            ("create temporary table mysql.db (a int)", "ok 0"),
            ("insert into mysql.db values (7)", "ok 1"),
            ("select a from mysql.db", "7"),
            ("update mysql.db set a = 8", "ok 1"),
            ("show columns from mysql.db", "a|int|YES||NULL|"),
            ("show create table mysql.db", "db|CREATE TEMPORARY TABLE `db` (\n  `a` int DEFAULT NULL\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci"),
            ("show index from mysql.db", ""),
            ("alter table mysql.db add b int", "ok 0"),
            ("truncate mysql.db", "ok 0"),
            (tables, "0"),
            ("drop temporary table mysql.db", "ok 0"),
            ("show columns from mysql.db like 'db'", "Db|char(64)|NO|PRI||"),
            // What is refused for its rights or its names makes no table.
            ("rename table mysql.db to mysql.user", "E1050"),
            ("create table test.own (a int)", "ok 0"),
            ("rename table test.own to mysql.user", "E1050"),
            ("alter table test.own rename mysql.user", "E1050"),
            ("select count(*) from information_schema.innodb_tables where name = 'mysql/user'", "0"),
            // A view in the place of one that was dropped stays there.
            ("drop table mysql.procs_priv", "ok 0"),
            ("create view mysql.procs_priv as select 1 as one", "ok 0"),
            ("flush privileges", "ok 0"),
            ("select * from mysql.procs_priv", "1"),
            ("select count(*) from information_schema.tables where table_name = 'procs_priv'", "1"),
            ("drop view mysql.procs_priv", "ok 0"),
            ("select count(*) from mysql.procs_priv", "0"),
            // ALTER hides it as RENAME does.
            ("alter table mysql.procs_priv rename mysql.kept", "ok 0"),
            ("create table mysql.procs_priv (a int)", "ok 0"),
            ("drop table mysql.procs_priv, mysql.kept", "ok 0"),
            ("flush privileges", "ok 0"),
            ("create database MYSQL", "ok 1"),
            ("show tables from MYSQL", ""),
            ("drop database MYSQL", "ok 0"),
        ])
        .await;
    });
}

/// What SHOW INDEX says of a table's keys is the same whether the table is computed or not.
#[test]
fn keys_are_told_of_computed_tables() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let told = [
            "select index_name, seq_in_index, column_name, non_unique from information_schema.statistics where table_schema = 'mysql' and table_name = 'db' order by 1, 2",
            "select constraint_name, constraint_type from information_schema.table_constraints where table_schema = 'mysql' and table_name = 'db'",
            "select constraint_name, ordinal_position, column_name from information_schema.key_column_usage where table_schema = 'mysql' and table_name = 'db' order by 2",
        ];
        let mut before = Vec::new();
        for sql in told {
            before.push(c.rows(sql).await);
        }
        assert!(before[0].starts_with("PRIMARY|1|Host|0; PRIMARY|2|"), "{}", before[0]);
        assert_eq!(before[1], "PRIMARY|PRIMARY KEY");
        assert!(c.rows("show index from mysql.db").await.starts_with("db|0|PRIMARY|1|Host|A|"));
        c.rows("update mysql.db set db = 'x' where user = 'nobody'").await;
        for (sql, before) in told.iter().zip(before) {
            assert_eq!(c.rows(sql).await, before);
        }
    });
}
