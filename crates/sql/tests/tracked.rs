//! What clients with CLIENT_SESSION_TRACK learn after each statement, and variables that decide what a statement tells or may do:
//! as a real MySQL 9.7 answers the same statements, except for its own variables.
use crate::common::*;
use weir_sql::session::Tracked;

/// All that follows a statement, in a line.
fn told(c: &mut Client) -> String {
    let one = |t: Tracked| match t {
        Tracked::Variable(name, value) => format!("{name}={value}"),
        Tracked::Schema(name) => format!("schema {name}"),
        Tracked::Changed => "changed".to_owned(),
        Tracked::Gtids(set) => format!("gtids {set}"),
        Tracked::Transaction(state) => state,
        Tracked::Characteristics(said) => format!("<{said}>"),
    };
    c.0.take_tracked().into_iter().map(one).collect::<Vec<_>>().join(" ")
}

async fn check(c: &mut Client, cases: &[(&str, &str)]) {
    let mut bad = String::new();
    for (sql, want) in cases {
        let answer = c.ask(sql).await;
        let got = told(c);
        if got != *want || answer.error.is_some() {
            bad.push_str(&format!("{sql}\n  want {want}\n  got  {got} {}\n", answer.line()));
        }
    }
    assert!(bad.is_empty(), "\n{bad}");
}

#[test]
fn variables_and_the_schema() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.rows("create table t (a int)").await;
        told(&mut c);
        let sets = "character_set_client=CS character_set_connection=CS character_set_results=CS";
        check(
            &mut c,
            &[
                ("set names latin1", &sets.replace("CS", "latin1")),
                ("set character set utf8mb4", &sets.replace("CS", "utf8mb4")),
                ("set autocommit = 0", "autocommit=OFF"),
                ("set autocommit = default", "autocommit=ON"),
                ("set @@session.time_zone = '+01:00'", "time_zone=+01:00"),
                ("set global time_zone = '+00:00'", ""),
                ("set sql_mode = ''", ""),
                ("set @x = 1", ""),
                ("select 1", ""),
                ("use mysql", "schema mysql"),
                ("use test", "schema test"),
                ("set session_track_schema = off", ""),
                ("use test", ""),
                ("set session_track_schema = on", ""),
                ("set session_track_system_variables = '*'", "session_track_system_variables=*"),
                (
                    "set sort_buffer_size = 300000, @a = 1, sql_notes = 1",
                    "sort_buffer_size=300000 sql_notes=ON",
                ),
                ("set session_track_system_variables = 'sql_mode, time_zone'", ""),
                ("set sql_mode = 'NO_ZERO_DATE'", "sql_mode=NO_ZERO_DATE"),
                ("set names utf8mb4", ""),
                ("set session_track_system_variables = ''", ""),
                ("set time_zone = default", ""),
            ],
        )
        .await;
        // What failed is not sent, and nothing is sent twice.
        assert_eq!(c.ask("set autocommit = 7").await.errno(), 1231);
        assert_eq!(told(&mut c), "");
        c.0.init_db("test").await.unwrap();
        assert_eq!((told(&mut c), told(&mut c)), ("schema test".into(), String::new()));
        c.0.close().await;
    });
}

/// However they are set: by SET TRANSACTION, by a function or a procedure, by what was prepared.
#[test]
fn variables_that_are_not_set_by_their_names() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create function f() returns int begin set session div_precision_increment = 7, sql_mode = ''; return 1; end",
            "create procedure p() begin set session transaction isolation level serializable; end",
            "set session_track_system_variables = '*', session_track_state_change = on",
        ])
        .await;
        told(&mut c);
        let level = |l| format!("transaction_isolation={l}");
        check(
            &mut c,
            &[
                (
                    "set session transaction isolation level read committed",
                    &format!("{} changed", level("READ-COMMITTED")),
                ),
                (
                    "set session transaction read only, isolation level serializable",
                    &format!("{} transaction_read_only=ON changed", level("SERIALIZABLE")),
                ),
                ("set transaction isolation level read committed", ""),
                ("set global transaction read write", ""),
                ("set session transaction read write", "transaction_read_only=OFF changed"),
                ("call p()", &format!("{} changed", level("SERIALIZABLE"))),
                ("select f()", "div_precision_increment=7 changed"),
                ("select f()", ""),
            ],
        )
        .await;
        c.0.close().await;
    });
}

#[test]
fn that_something_has_changed() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (a int)", "set session_track_state_change = on"]).await;
        told(&mut c);
        check(
            &mut c,
            &[
                ("set @x = 2", "changed"),
                ("set sql_notes = 1", "changed"),
                ("select 1", ""),
                ("use test", "schema test changed"),
                ("create temporary table x (a int)", "changed"),
                ("insert into x values (1)", ""),
                ("drop temporary table x", "changed"),
                ("prepare s from 'select 1'", "changed"),
                ("execute s", ""),
                ("deallocate prepare s", "changed"),
                ("insert into t values (1)", ""),
                ("begin", ""),
                ("commit", ""),
            ],
        )
        .await;
        c.0.close().await;
    });
}

#[test]
fn the_state_of_the_transaction() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (a int)", "set session_track_transaction_info = 'STATE'"]).await;
        told(&mut c);
        check(
            &mut c,
            &[
                ("select 1", ""),
                ("insert into t values (1)", ""),
                ("begin", "T_______"),
                ("select 1", "T_____S_"),
                ("select * from t", "T_R___S_"),
                ("insert into t values (2)", "T_R_W_S_"),
                ("select * from t", ""),
                ("savepoint a", ""),
                ("rollback to a", ""),
                ("commit", "________"),
                ("set autocommit = 0", "autocommit=OFF"),
                ("select * from t", "I_R___S_"),
                ("insert into t values (3)", "I_R_W_S_"),
                ("rollback", "________"),
                ("rollback", ""),
                ("set autocommit = 1", "autocommit=ON"),
                ("start transaction with consistent snapshot", "T_R_____"),
                ("create table u (a int)", "________"),
                ("lock tables t write", "_______L"),
                ("insert into t values (4)", ""),
                ("unlock tables", "________"),
                ("begin", "T_______"),
                ("select * from information_schema.schemata limit 0", "T_R__sS_"),
                ("rollback", "________"),
            ],
        )
        .await;
        c.0.close().await;
    });
}

#[test]
fn the_characteristics_of_the_transaction() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (a int)",
            "set session_track_transaction_info = 'CHARACTERISTICS'",
        ])
        .await;
        told(&mut c);
        let level = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED;";
        check(
            &mut c,
            &[
                ("begin", "T_______ <START TRANSACTION;>"),
                ("select * from t", "T_R___S_"),
                ("commit", "________ <>"),
                ("set transaction isolation level read committed", &format!("<{level}>")),
                ("set transaction read only", &format!("<{level} SET TRANSACTION READ ONLY;>")),
                ("start transaction", &format!("T_______ <{level} START TRANSACTION READ ONLY;>")),
                ("commit", "________ <>"),
                ("set transaction isolation level read committed", &format!("<{level}>")),
                ("insert into t values (9)", "<>"),
                ("set session transaction isolation level serializable", ""),
                ("begin", "T_______ <START TRANSACTION;>"),
                ("commit and chain", "<START TRANSACTION;>"),
                ("rollback", "________ <>"),
                ("start transaction read only", "T_______ <START TRANSACTION READ ONLY;>"),
                ("commit", "________ <>"),
                (
                    "start transaction with consistent snapshot, read write",
                    "T_R_____ <START TRANSACTION WITH CONSISTENT SNAPSHOT, READ WRITE;>",
                ),
                ("commit", "________ <>"),
                ("xa start 'x'", "T_______ <XA START 'x';>"),
                ("insert into t values (10)", "T___W___"),
                ("xa end 'x'", ""),
                ("xa prepare 'x'", "________ <>"),
                ("xa commit 'x'", ""),
            ],
        )
        .await;
        c.0.close().await;
    });
}

/// `sql_notes`: notes are not kept where it is off.
#[test]
fn notes_may_be_switched_off() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.rows("create table t (d date)").await;
        let note = |n: u64| {
            [
                ("drop table if exists nope", n),
                ("insert into t values ('2024-01-02 10:00:00')", n),
                ("create table if not exists t (a int)", n),
            ]
        };
        for (switch, n) in [("set sql_notes = 0", 0), ("set sql_notes = 1", 1)] {
            c.rows(switch).await;
            for (sql, n) in note(n) {
                let answer = c.ask(sql).await;
                assert_eq!((answer.warnings.into(), answer.error), (n, None), "{switch}: {sql}");
                assert_eq!(
                    c.rows("show count(*) warnings").await,
                    n.to_string(),
                    "{switch}: {sql}"
                );
            }
            // Warnings are none.
            assert_eq!(c.ask("select 'x' + 1").await.warnings, 1);
        }
        c.0.close().await;
    });
}

/// 1104: `max_join_size`, which `sql_big_selects` follows.
#[test]
fn joins_may_be_limited() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.rows("create table t (a int primary key)").await;
        c.rows("insert into t values (1), (2), (3), (4), (5), (6), (7), (8), (9), (10)").await;
        let cross = "select count(*) from t a, t b";
        c.check(&[
            ("select @@sql_big_selects, @@max_join_size", "1|18446744073709551615"),
            (cross, "100"),
            ("set max_join_size = 50", "ok 0"),
            ("select @@sql_big_selects", "0"),
            (cross, "E1104"),
            ("select 1 from t a, t b where a.a = b.a and a.a = 3", "1"),
            ("insert into t select a.a * 100 + b.a from t a, t b", "E1104"),
            ("(select 1) union all (select count(*) from t a, t b)", "E1104"),
            ("select n from (select count(*) n from t a, t b) d", "E1104"),
            ("select 1 from t where a in (select a.a + b.a from t a, t b)", "E1104"),
            ("delete a from t a, t b where a.a + b.a <> 7", "E1104"),
            ("delete from t where a > 1000", "ok 0"),
            ("set sql_big_selects = 1", "ok 0"),
            (cross, "100"),
            ("set sql_big_selects = 0", "ok 0"),
            (cross, "E1104"),
            ("set max_join_size = default", "ok 0"),
            ("select @@sql_big_selects", "1"),
            (cross, "100"),
            ("set global max_join_size = 50", "ok 0"),
        ])
        .await;
        // A new session begins with the server's limit, as one that is begun again.
        assert_eq!(server.client().ask(cross).await.errno(), 1104);
        c.0.reset().await.unwrap();
        assert_eq!(c.ask(cross).await.errno(), 1104);
        c.0.close().await;
    });
}

#[test]
fn flags_of_the_answer() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let read_only = |c: &Client| c.0.status_flags().read_only;
        for (sql, want) in [
            ("select 1", false),
            ("start transaction", false),
            ("start transaction read only", true),
            ("select 1", true),
            ("commit", false),
            ("set session transaction read only", false),
            ("begin", true),
            ("rollback", false),
        ] {
            c.rows(sql).await;
            assert_eq!(read_only(&c), want, "{sql}");
        }
        c.0.close().await;
    });
}

/// RANDOM PASSWORD: the answer is the only place where it is shown.
#[test]
fn passwords_are_made() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let mut seen = Vec::new();
        for sql in [
            "create user a identified by random password, b identified by 'x'",
            "create user if not exists a identified by random password, c identified by random password",
            "alter user a identified by random password",
            "set password for a to random",
        ] {
            let line = c.rows(sql).await;
            let rows: Vec<&str> = line.split("; ").filter(|_| !line.is_empty()).collect();
            assert_eq!(rows.len(), 1, "{sql}: {line}");
            let cells: Vec<&str> = rows[0].splitn(3, '|').collect();
            assert_eq!((cells[0], cells[1]), (if sql.contains("not") { "c" } else { "a" }, "%"));
            let password = cells[2].strip_suffix("|1").expect("a factor").to_owned();
            assert_eq!(password.len(), 20, "{password}");
            assert!(!seen.contains(&password));
            seen.push(password);
        }
        c.rows("set generated_random_password_length = 255").await;
        let long = c.rows("set password for b to random").await;
        assert_eq!(long.len(), "b|%||1".len() + 255);
        c.0.close().await;
    });
}
