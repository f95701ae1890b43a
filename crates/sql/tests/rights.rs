//! What each statement needs to be allowed: every row of `rights_cases` with its rights, with too few and with others' objects.
use crate::common::*;
use crate::rights_cases::all_cases;
use std::collections::BTreeSet;
use std::fmt::Write;
use weir_syntax::ast::{ShowKind, Statement};
use weir_syntax::parse::{ParseOptions, parse_one};

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

/// Anyone who has no rights gets the same answer whether or not a table or schema exists.
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
        // Only accounts that may see all schemas learn that one does not exist.
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
        // Schema names differ by letter case.
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
        // A view's text is shown to anyone who has SHOW VIEW, whatever else bears its name.
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
