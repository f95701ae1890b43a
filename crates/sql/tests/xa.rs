//! XA: branches, their states and errors, and what is prepared over sessions and starts.
use crate::common::*;

const RMFAIL: &str =
    "E1399 XAER_RMFAIL: The command cannot be executed when global transaction is in the  ";

fn rmfail(state: &str) -> String {
    format!("{RMFAIL}{state} state")
}

#[test]
fn states_and_errors() {
    with_server(1, |server| async move {
        let mut c = server.client_in("root", "test");
        c.all(&["create table t (id int primary key)"]).await;
        let none = &*rmfail("NON-EXISTING");
        c.check(&[
            ("xa end 'a'", none),
            ("xa prepare 'a'", none),
            ("xa commit 'a'", "E1397 XAER_NOTA: Unknown XID"),
            ("xa commit 'a' one phase", "E1397"),
            ("xa rollback 'a'", "E1397"),
            ("xa start 'a' join", "E1398 XAER_INVAL: Invalid arguments (or unsupported command)"),
            ("xa start 'a' resume", "E1398"),
            ("begin", "ok 0"),
            ("xa start 'a'", "E1400 XAER_OUTSIDE: Some work is done outside global transaction"),
        ])
        .await;
        let mut c = server.client_in("root", "test");
        let active = &*rmfail("ACTIVE");
        c.check(&[
            ("insert into t values (9)", "ok 1"),
            ("xa start 'b', 'branch', 7", "ok 0"),
            ("xa start 'c'", active),
            ("commit", active),
            ("rollback", active),
            ("begin", active),
            ("create table u (id int)", active),
            ("lock tables t read", active),
            ("truncate t", active),
            ("xa prepare 'b', 'branch', 7", active),
            ("xa commit 'b', 'branch', 7", active),
            ("xa rollback 'b', 'branch', 7", active),
            ("xa rollback 'other'", active),
            ("xa end 'b'", "E1397"),
            ("xa end 'b', 'branch', 7 suspend", "E1398"),
            ("insert into t values (1)", "ok 1"),
            ("savepoint s", "ok 0"),
            ("insert into t values (2)", "ok 1"),
            ("rollback to s", "ok 0"),
            ("xa end 'b', 'branch', 7", "ok 0"),
        ])
        .await;
        let idle = &*rmfail("IDLE");
        c.check(&[
            ("insert into t values (2)", idle),
            ("select * from t", idle),
            ("select 1", "1"),
            ("savepoint z", idle),
            ("rollback to s", idle),
            ("release savepoint s", idle),
            ("commit", idle),
            ("xa start 'b', 'branch', 7 resume", "ok 0"),
            ("insert into t values (3)", "ok 1"),
            ("xa end 'b', 'branch', 7", "ok 0"),
            ("xa commit 'b', 'branch', 7", idle),
            ("xa commit 'b', 'branch', 7 one phase", "ok 0"),
            ("select * from t", "1; 3; 9"),
            ("xa recover", ""),
        ])
        .await;
    });
}

#[test]
fn what_is_prepared_is_anybodys() {
    with_server(1, |server| async move {
        let mut c = server.client_in("root", "test");
        c.all(&[
            "create table t (id int primary key, v int)",
            "insert into t values (1, 1), (2, 2)",
        ])
        .await;
        c.check(&[
            ("xa start x'61', 0x6232, 3", "ok 0"),
            ("update t set v = 10 where id = 1", "ok 1"),
            ("insert into t values (3, 3)", "ok 1"),
            ("xa end 'a', 'b2', 3", "ok 0"),
            ("xa prepare 'a', 'b2', 3", "ok 0"),
            // It is no affair of the session any more.
            ("insert into t values (4, 4)", "ok 1"),
            ("select * from t", "1|1; 2|2; 4|4"),
            ("xa recover", "3|1|2|ab2"),
            ("xa recover convert xid", "3|1|2|0x616232"),
            ("xa start 'a', 'b2', 3", "E1440 XAER_DUPID: The XID already exists"),
            ("xa start 'a', 'b2'", "ok 0"),
            ("xa end 'a', 'b2'", "ok 0"),
            ("xa rollback 'a', 'b2'", "ok 0"),
        ])
        .await;
        c.0.close().await;
        let mut d = server.client_in("root", "test");
        d.check(&[
            ("set innodb_lock_wait_timeout = 1", "ok 0"),
            ("update t set v = 0 where id = 1", "E1205"),
            ("select id from t where id = 3 for update nowait", "E3572"),
            ("set lock_wait_timeout = 1", "ok 0"),
            ("alter table t add column w int", "E1205"),
            ("xa start 'mine'", "ok 0"),
            ("xa commit 'a', 'b2', 3", &rmfail("ACTIVE")),
            ("xa end 'mine'", "ok 0"),
            ("xa rollback 'mine'", "ok 0"),
            ("xa commit 'a', 'b2', 3 one phase", "E1398"),
            ("xa commit 'a', 'b2', 3", "ok 0"),
            ("xa commit 'a', 'b2', 3", "E1397"),
            ("select * from t", "1|10; 2|2; 3|3; 4|4"),
            ("xa recover", ""),
        ])
        .await;
    });
}

/// A session that ends, is reset or changes its user takes its branch with it, and its name is free again.
#[test]
fn a_branch_ends_with_its_session() {
    with_server(1, |server| async move {
        let mut c = server.client_in("root", "test");
        c.all(&["create table t (id int primary key)", "xa start 'a'", "insert into t values (1)"])
            .await;
        let mut d = server.client_in("root", "test");
        d.check(&[("xa start 'a'", "E1440")]).await;
        c.0.reset().await.expect("resets");
        d.check(&[("xa start 'a'", "ok 0"), ("xa end 'a'", "ok 0"), ("xa rollback 'a'", "ok 0")])
            .await;
        c.check(&[
            ("select * from t", ""),
            ("set autocommit = 0", "ok 0"),
            ("xa start 'a'", "ok 0"),
            ("insert into t values (1)", "ok 1"),
            ("set autocommit = 1", &rmfail("ACTIVE")),
            ("select @@autocommit", "0"),
            ("xa end 'a'", "ok 0"),
            ("xa prepare 'a'", "ok 0"),
            ("xa rollback 'a'", "ok 0"),
            ("select * from t", ""),
        ])
        .await;
    });
}

#[test]
fn limits_and_strangers() {
    with_server(1, |server| async move {
        let mut c = server.client_in("root", "test");
        let long = "x".repeat(65);
        c.check(&[
            (&format!("xa start '{long}'"), "E1064"),
            (&format!("xa start 'a', '{long}'"), "E1064"),
            ("xa start 'a', 'b', 9223372036854775808", "E1398"),
            ("create temporary table m (id int)", "ok 0"),
            ("create user u@localhost", "ok 0"),
            ("create table t (id int primary key)", "ok 0"),
            ("xa start 'a'", "ok 0"),
            ("insert into m values (1)", "E4091"),
            ("create temporary table n (id int)", "E4091"),
            ("insert into t values (1)", "ok 1"),
            ("xa end 'a'", "ok 0"),
            ("xa prepare 'a'", "ok 0"),
        ])
        .await;
        let mut u = server.client_of("u");
        u.check(&[("xa recover", "E1401")]).await;
        c.check(&[("grant xa_recover_admin on *.* to u@localhost", "ok 0")]).await;
        u.check(&[("xa recover", "1|1|0|a"), ("xa commit 'a'", "ok 0")]).await;
        c.check(&[("select * from t", "1")]).await;
    });
}

/// The victim of a deadlock has lost its branch, and hears of it at XA END.
#[test]
fn a_deadlock_rolls_the_branch_back() {
    with_server(1, |server| async move {
        let mut c = server.client_in("root", "test");
        c.all(&[
            "create table t (id int primary key, v int)",
            "insert into t values (1, 1), (2, 2), (3, 3)",
        ])
        .await;
        let mut d = server.client_in("root", "test");
        // The other one has done more, so it is the branch that goes.
        d.all(&["begin", "update t set v = v + 1 where id in (2, 3)"]).await;
        c.all(&["xa start 'a'", "update t set v = 9 where id = 1"]).await;
        let rt = server.inst.db.rt().clone();
        let waiting = rt.spawn("d", async move {
            let done = d.ask("update t set v = 5 where id = 1").await.line();
            (d, done)
        });
        rt.sleep(std::time::Duration::from_millis(100)).await;
        let lost = rmfail("ROLLBACK ONLY");
        c.check(&[
            ("update t set v = 9 where id = 2", "E1213"),
            ("update t set v = 9 where id = 3", &lost),
            ("xa end 'a'", "E1614"),
            ("xa prepare 'a'", &lost),
            ("xa rollback 'a'", "ok 0"),
            ("xa start 'a'", "ok 0"),
        ])
        .await;
        let (mut d, done) = waiting.await;
        assert_eq!(done, "ok 1");
        d.rows("commit").await;
    });
}

#[test]
fn starts() {
    check_lives(&[
        &[
            ("create table test.t (id int primary key)", "ok 0"),
            ("xa start 'a'", "ok 0"),
            ("insert into test.t values (1)", "ok 1"),
            ("xa end 'a'", "ok 0"),
            ("xa prepare 'a'", "ok 0"),
            ("xa start 'b'", "ok 0"),
            ("insert into test.t values (2)", "ok 1"),
            ("xa end 'b'", "ok 0"),
            ("xa prepare 'b'", "ok 0"),
        ],
        &[
            ("xa recover", "1|1|0|a; 1|1|0|b"),
            ("select * from test.t", ""),
            ("select * from test.t where id = 1 for update nowait", "E3572"),
            ("xa commit 'a'", "ok 0"),
        ],
        &[
            ("xa recover", "1|1|0|b"),
            ("select * from test.t", "1"),
            ("xa rollback 'b'", "ok 0"),
            ("select * from test.t", "1"),
        ],
        &[("xa recover", ""), ("select * from test.t for update nowait", "1")],
    ]);
}

/// What a stored function or a trigger does is done in the branch, or not at all.
#[test]
fn programs_ask_the_branch() {
    with_server(1, |server| async move {
        let mut c = server.client_in("root", "test");
        c.all(&[
            "create table t (id int primary key auto_increment, v int)",
            "create table log (v int)",
            "create temporary table m (id int)",
            "create function f() returns int begin insert into t (v) values (1); return 1; end",
            "create function g() returns int begin insert into m values (1); return 1; end",
            "create trigger tr before insert on log for each row insert into m values (new.v)",
        ])
        .await;
        let idle = rmfail("IDLE");
        c.check(&[
            ("xa start 'a'", "ok 0"),
            ("select g()", "E4091"),
            ("insert into log values (1)", "E4091"),
            ("select f()", "1"),
            ("xa end 'a'", "ok 0"),
            ("select f()", &idle),
            ("do f()", &idle),
            ("set @x = f()", &idle),
            ("xa prepare 'a'", "ok 0"),
            ("select f(), g()", "1|1"),
            ("select count(*) from t", "1"),
            ("xa commit 'a'", "ok 0"),
            ("select count(*) from t", "2"),
        ])
        .await;
        // A branch that is lost lets nothing be committed beside it.
        c.all(&["insert into t values (100, 0), (101, 0), (102, 0)"]).await;
        let mut d = server.client_in("root", "test");
        d.all(&["begin", "update t set v = 5 where id in (101, 102)"]).await;
        c.all(&["xa start 'a'", "update t set v = 9 where id = 100"]).await;
        let rt = server.inst.db.rt().clone();
        let waiting = rt.spawn("d", async move {
            let done = d.ask("update t set v = 5 where id = 100").await.line();
            (d, done)
        });
        rt.sleep(std::time::Duration::from_millis(100)).await;
        let lost = rmfail("ROLLBACK ONLY");
        c.check(&[
            ("update t set v = 9 where id = 101", "E1213"),
            ("select f()", &lost),
            ("do f()", &lost),
            ("xa rollback 'a'", "ok 0"),
            ("select count(*) from t", "5"),
        ])
        .await;
        let (mut d, done) = waiting.await;
        assert_eq!(done, "ok 1");
        d.rows("commit").await;
    });
}
