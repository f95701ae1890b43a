//! Sessions beside each other: locks, KILL, clients that vanish.

use crate::common::{Client, Login, Server, cap, param, until};

fn with_table() -> (Server, Client) {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("use d");
    c.run("create table t (a int primary key, b int)");
    c.run("insert into t values (1, 10), (2, 20), (3, 30)");
    (server, c)
}

fn open(server: &Server) -> Client {
    server.connect(&Login { database: "d", ..Login::default() }).unwrap()
}

/// Waits until the connection's statement waits for a row.
fn until_it_waits(c: &mut Client, waiter: u32) {
    until("the statement waits for a lock", || {
        c.rows("show status like 'Innodb_row_lock_current_waits'")
            != "Innodb_row_lock_current_waits,0"
    });
    let sql = format!("select command from information_schema.processlist where id = {waiter}");
    assert_eq!(c.rows(&sql), "Query");
}

#[test]
fn kill_query_ends_the_statement_only() {
    let (server, mut c) = with_table();
    let (mut holder, mut waiter) = (open(&server), open(&server));
    holder.run("begin");
    holder.run("update t set b = 11 where a = 1");
    waiter.run("begin");
    waiter.run("update t set b = 21 where a = 2");
    waiter.send_query("update t set b = b + 1 where a = 1");
    until_it_waits(&mut c, waiter.id);
    c.run(&format!("kill query {}", waiter.id));
    let e = waiter.read_answer(false).unwrap_err();
    assert_eq!((e.errno, &*e.state), (1317, "70100"));
    // Its transaction goes on, and the next statement is not hit.
    assert_eq!(waiter.rows("select b from t where a = 2"), "21");
    waiter.run("commit");
    holder.run("rollback");
    assert_eq!(c.rows("select a, b from t"), "1,10;2,21;3,30");
}

#[test]
fn kill_ends_the_connection_and_its_locks() {
    let (server, mut c) = with_table();
    let (mut holder, mut waiter) = (open(&server), open(&server));
    holder.run("begin");
    holder.run("update t set b = 11 where a = 1");
    waiter.run("begin");
    waiter.run("update t set b = 21 where a = 2");
    waiter.send_query("update t set b = b + 1 where a = 1");
    until_it_waits(&mut c, waiter.id);
    c.run(&format!("kill {}", waiter.id));
    // The end of the connection is the answer, as in MySQL.
    assert_eq!(waiter.read_answer(false).unwrap_err().errno, 0);
    assert!(waiter.is_closed());
    c.run("update t set b = 22 where a = 2");
    // An idle one.
    c.run(&format!("kill {}", holder.id));
    c.run("update t set b = 12 where a = 1");
    assert_eq!(c.rows("select a, b from t"), "1,12;2,22;3,30");
    let e = holder.try_query("select 1").unwrap_err();
    assert!([0, 1927].contains(&e.errno), "{e:?}");
    assert_eq!(c.fail("kill 4000000"), 1094);
    assert_eq!(c.fail(&format!("kill {}", holder.id)), 1094);
}

#[test]
fn kill_needs_a_right_for_others_sessions() {
    let (server, mut c) = with_table();
    c.run("create user u@localhost");
    let login = Login { user: "u", ..Login::default() };
    let mut u = server.connect(&login).unwrap();
    let other = server.connect(&login).unwrap();
    assert_eq!(u.fail(&format!("kill {}", c.id)), 1095);
    u.run(&format!("kill {}", other.id));
    assert_eq!(
        u.rows("select count(*) from information_schema.processlist where user <> 'u'"),
        "0"
    );
}

#[test]
fn kill_of_long_statements() {
    let (server, mut c) = with_table();
    let slow = [
        "select sleep(1000)",
        "select benchmark(1000000000000, sha2(repeat('x', 1000), 256))",
        "select benchmark(1000000000000, 1 + 1)",
        "select count(*) from t x1, t x2, t x3, t x4, t x5, t x6, t x7, t x8, t x9, t x10, t x11, \
         t x12, t x13, t x14, t x15, t x16, t x17, t x18, t x19, t x20",
        "insert into t select x1.a * 100000 + x2.a, 0 from t x1, t x2, t x3, t x4, t x5, t x6, t x7, \
         t x8, t x9, t x10, t x11, t x12, t x13, t x14, t x15, t x16, t x17, t x18, t x19, t x20",
        // One call of a function that takes minutes or more.
        "select instr(repeat('a', 3000000), concat(repeat('a', 1500000), 'b'))",
        "select replace(binary repeat('a', 3000000), concat(repeat('a', 1500000), 'b'), 'x')",
        "select repeat('a', 3000000) like concat('%', repeat('a', 1500000), 'b%')",
        "select regexp_like(repeat('a', 30000000), 'a.{500}b')",
        "select regexp_replace(repeat('a', 30000000), 'a(.{500})b', '$1')",
    ];
    for sql in slow {
        let mut s = open(&server);
        s.send_query(sql);
        let id = s.id;
        until("it runs", || {
            let list = "select command from information_schema.processlist where id = ";
            c.rows(&format!("{list}{id}")) == "Query"
        });
        c.run(&format!("kill query {id}"));
        match s.read_answer(false) {
            Err(e) => assert!([1317, 1062].contains(&e.errno), "{sql}: {e:?}"),
            // SLEEP() returns 1 when it was interrupted.
            Ok(a) => assert_eq!(a.rows, [[Some("1".to_string())]], "{sql}"),
        }
        assert_eq!(s.rows("select count(*) from t"), "3");
    }
}

/// A statement that only computes never waits for anything that a timer could end: it looks at the clock itself.
#[test]
fn max_execution_time_ends_what_only_computes() {
    let (server, mut c) = with_table();
    c.run("set max_execution_time = 300");
    let many: Vec<String> = (0..20).map(|n| format!("t x{n}")).collect();
    let sum: Vec<String> = (0..20).map(|n| format!("x{n}.b")).collect();
    for sql in [
        "select benchmark(1000000000000, sha2(repeat('x', 1000), 256))".to_string(),
        "select benchmark(1000000000000, 1 + 1)".to_string(),
        format!("select count(*) from {}", many.join(", ")),
        format!("select x0.a from {} where {} < 0", many.join(", "), sum.join(" + ")),
    ] {
        assert_eq!(c.fail(&sql), 3024, "{sql}");
    }
    // The time is the statement's: those after it have their own, and what is no SELECT has none.
    assert_eq!(c.rows("select count(*) from t"), "3");
    c.run("show variables where variable_name like concat('max', '%')");
    c.run("update t set b = b + length(sha2(repeat('x', 1000), 256))");
    drop(server);
}

#[test]
fn a_killed_client_that_takes_nothing_does_not_stay() {
    let (server, mut c) = with_table();
    let mut deaf = open(&server);
    deaf.run("begin");
    deaf.run("update t set b = 11 where a = 1");
    // More than the sockets' buffers hold; nobody reads it.
    deaf.send_query("select repeat('x', 60000000) from t");
    until("it runs", || {
        let list = "select command from information_schema.processlist where id = ";
        c.rows(&format!("{list}{}", deaf.id)) == "Query"
    });
    c.run(&format!("kill {}", deaf.id));
    c.run("update t set b = 12 where a = 1");
    until("it is gone", || c.rows("show status like 'Threads_connected'") == "Threads_connected,1");
}

#[test]
fn a_vanished_client_leaves_no_locks() {
    let (server, mut c) = with_table();
    // Between statements.
    let mut idle = open(&server);
    idle.run("begin");
    idle.run("update t set b = 11 where a = 1");
    idle.vanish();
    c.run("update t set b = 12 where a = 1");
    // While its statement waits for a lock.
    c.run("begin");
    c.run("update t set b = 31 where a = 3");
    let mut waiter = open(&server);
    waiter.run("begin");
    waiter.run("update t set b = 21 where a = 2");
    waiter.send_query("update t set b = b + 1 where a = 3");
    let mut watcher = open(&server);
    until_it_waits(&mut watcher, waiter.id);
    waiter.vanish();
    watcher.run("update t set b = 22 where a = 2");
    c.run("commit");
    assert_eq!(c.rows("select a, b from t"), "1,12;2,22;3,31");
    until("only two are left", || {
        c.rows("show status like 'Threads_connected'") == "Threads_connected,2"
    });
}

#[test]
fn lock_wait_timeout_undoes_the_statement_only() {
    let (server, mut c) = with_table();
    let mut other = open(&server);
    c.run("begin");
    c.run("update t set b = 0 where a = 3");
    other.run("set innodb_lock_wait_timeout = 1");
    other.run("begin");
    other.run("update t set b = 21 where a = 2");
    let e = other.query("update t set b = b + 1").unwrap_err();
    assert_eq!((e.errno, &*e.state), (1205, "HY000"));
    assert_eq!(e.message, "Lock wait timeout exceeded; try restarting transaction");
    assert_eq!(other.rows("select a, b from t"), "1,10;2,21;3,30");
    other.run("commit");
    c.run("rollback");
    assert_eq!(c.rows("select a, b from t"), "1,10;2,21;3,30");
}

#[test]
fn a_deadlock_undoes_the_transaction() {
    let (server, mut c) = with_table();
    let mut other = open(&server);
    c.run("begin");
    c.run("update t set b = 11 where a = 1");
    c.run("insert into t values (4, 40), (5, 50), (6, 60)");
    other.run("begin");
    other.run("update t set b = 22 where a = 2");
    c.send_query("update t set b = 12 where a = 2");
    let mut watcher = open(&server);
    until_it_waits(&mut watcher, c.id);
    let e = other.query("update t set b = 21 where a = 1").unwrap_err();
    assert_eq!((e.errno, &*e.state), (1213, "40001"));
    assert_eq!(c.read_answer(false).unwrap().affected, 1);
    assert_eq!(other.run("select 1").status & 1, 0, "in no transaction any more");
    c.run("commit");
    assert_eq!(c.rows("select a, b from t where a < 4"), "1,11;2,12;3,30");
    assert!(c.run("show engine innodb status").rows[0][2].as_ref().unwrap().contains("DEADLOCK"));
}

#[test]
fn transactions_and_savepoints() {
    let (_server, mut c) = with_table();
    c.run("begin");
    c.run("insert into t values (4, 40)");
    c.run("savepoint one");
    c.run("insert into t values (5, 50)");
    c.run("savepoint two");
    assert_eq!(c.fail("insert into t values (6, 60), (1, 1)"), 1062);
    assert_eq!(c.rows("select count(*) from t"), "5");
    c.run("rollback to one");
    assert_eq!(c.fail("rollback to two"), 1305);
    assert_eq!(c.rows("select count(*) from t"), "4");
    c.run("commit and chain");
    assert_eq!(c.run("delete from t where a = 4").status & 1, 1);
    c.run("rollback and no chain");
    assert_eq!(c.rows("select count(*) from t"), "4");
    // Definitions commit.
    c.run("begin");
    c.run("delete from t where a = 4");
    c.run("create table u (a int primary key)");
    c.run("rollback");
    assert_eq!(c.rows("select count(*) from t"), "3");
    c.run("start transaction read only");
    assert_eq!(c.fail("delete from t"), 1792);
    c.run("commit");
    c.run("set session transaction read only");
    assert_eq!(c.fail("delete from t"), 1792);
    c.run("set session transaction read write");
    c.run("commit release");
    assert!(c.is_closed());
}

#[test]
fn isolation_levels_between_sessions() {
    let (server, mut c) = with_table();
    let mut other = open(&server);
    let mut sees = |level: &str| {
        c.run("update t set b = 10 where a = 1");
        other.run(&format!("set session transaction isolation level {level}"));
        other.run("begin");
        other.rows("select b from t where a = 2");
        c.run("begin");
        c.run("update t set b = 11 where a = 1");
        let dirty = other.rows("select b from t where a = 1");
        c.run("commit");
        let committed = other.rows("select b from t where a = 1");
        other.run("commit");
        (dirty, committed)
    };
    let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
    assert_eq!(sees("read uncommitted"), pair("11", "11"));
    assert_eq!(sees("read committed"), pair("10", "11"));
    assert_eq!(sees("repeatable read"), pair("10", "10"));
}

#[test]
fn an_idle_connection_is_closed_after_its_time() {
    let (server, mut c) = with_table();
    let mut s = open(&server);
    s.run("set wait_timeout = 1");
    s.run("begin");
    s.run("update t set b = 11 where a = 1");
    let e = s.read_failure();
    assert_eq!(e.errno, 4031);
    assert!(s.is_closed());
    c.run("update t set b = 12 where a = 1");
    // One without limits keeps what it has while it is idle.
    let mut idle = open(&server);
    let (id, ..) = idle.prepare("select ? + b from t where a = 1").unwrap();
    idle.run("set @x = 5");
    idle.run("begin");
    idle.run("update t set b = 100 where a = 1");
    std::thread::sleep(std::time::Duration::from_millis(700));
    assert_eq!(idle.execute(id, &[param::int(1)]).unwrap().cells.len(), 1);
    assert_eq!(idle.rows("select @x, b from t where a = 1"), "5,100");
    idle.run("rollback");
}

#[test]
fn processlist_shows_who_does_what() {
    let (server, mut c) = with_table();
    let mut other = open(&server);
    other.run("begin");
    other.run("update t set b = 11 where a = 1");
    let flags = cap::DEPRECATE_EOF;
    let mut waiter =
        Client::unix(&server.socket(), &Login { flags, database: "d", ..Login::default() })
            .unwrap();
    waiter.send_query("delete from t where a = 1");
    until_it_waits(&mut c, waiter.id);
    let list = c.run("show full processlist").rows;
    let line = |id: u32| {
        let id = id.to_string();
        list.iter().find(|r| r[0].as_deref() == Some(&*id)).unwrap().clone()
    };
    let text = |r: &[Option<String>], i: usize| r[i].clone().unwrap_or_default();
    let w = line(waiter.id);
    assert_eq!(text(&w, 1), "root");
    assert_eq!(text(&w, 2), "localhost");
    assert_eq!(text(&w, 3), "d");
    assert_eq!(text(&w, 4), "Query");
    assert_eq!(text(&w, 7), "delete from t where a = 1");
    let o = line(other.id);
    assert_eq!((text(&o, 4), text(&o, 7)), ("Sleep".to_string(), String::new()));
    assert!(text(&o, 2).starts_with("127.0.0.1:") || text(&o, 2).starts_with("localhost"));
    other.run("rollback");
    waiter.read_answer(false).unwrap();
}

/// By each kind of wait that MySQL has words for, and by statements that wait for a row, which it has none for.
#[test]
fn states_say_what_each_session_waits_for() {
    let (server, mut c) = with_table();
    let mut holder = open(&server);
    let state = |c: &mut Client, id: u32| {
        c.rows(&format!(
            "select command, state from information_schema.processlist where id = {id}"
        ))
    };
    let mut shows = |before: &[&str], statement: &str, wanted: &str, after: &[&str]| {
        before.iter().for_each(|sql| _ = holder.run(sql));
        let mut waiter = open(&server);
        waiter.send_query(statement);
        until(wanted, || state(&mut c, waiter.id) == wanted);
        after.iter().for_each(|sql| _ = holder.run(sql));
        waiter.read_answer(false).unwrap();
        until("it is idle", || state(&mut c, waiter.id) == "Sleep,");
    };
    let row = ["begin", "update t set b = 11 where a = 1"];
    shows(
        &row,
        "alter table t comment 'x'",
        "Query,Waiting for table metadata lock",
        &["rollback"],
    );
    shows(&row, "delete from t where a = 1", "Query,updating", &["rollback"]);
    shows(
        &row,
        "insert into t values (1, 1), (4, 4) on duplicate key update b = 5",
        "Query,update",
        &["commit"],
    );
    shows(
        &["do get_lock('l', 1)"],
        "do get_lock('l', 60)",
        "Query,User lock",
        &["do release_lock('l')"],
    );
    shows(
        &["lock instance for backup"],
        "create table u (a int)",
        "Query,Waiting for backup lock",
        &["unlock instance"],
    );
    shows(
        &["flush tables with read lock"],
        "insert into t values (7, 7)",
        "Query,Waiting for global read lock",
        &["unlock tables"],
    );
    let mut sleeper = open(&server);
    sleeper.send_query("do sleep(3600)");
    until("it sleeps", || state(&mut c, sleeper.id) == "Query,User sleep");
    c.run(&format!("kill query {}", sleeper.id));
    _ = sleeper.read_answer(false);
    until("it is idle", || state(&mut c, sleeper.id) == "Sleep,");
    let own = "select state from performance_schema.processlist where id = connection_id()";
    assert_eq!(c.rows(own), "executing");
    let id = c.id.to_string();
    let list = c.run("show processlist").rows;
    let line = list.iter().find(|r| r[0].as_deref() == Some(&*id)).unwrap();
    assert_eq!(line[6].as_deref(), Some("init"));
}

#[test]
fn logins_are_counted_until_they_are_forgotten() {
    let (server, mut c) = with_table();
    open(&server);
    let mut other = open(&server);
    let there = "select count(*) from information_schema.processlist";
    until("the first has gone", || c.rows(there) == "2");
    let total = |c: &mut Client, table: &str| {
        c.rows(&format!(
            "select current_connections, total_connections from performance_schema.{table}"
        ))
    };
    for table in ["users", "accounts"] {
        assert_eq!(total(&mut c, table), "2,3", "{table}");
    }
    c.run("truncate performance_schema.accounts");
    assert_eq!(total(&mut c, "accounts"), "2,2");
    assert_eq!(total(&mut c, "users"), "2,3");
    c.run("truncate table performance_schema.users");
    c.run("truncate table performance_schema.hosts");
    for table in ["users", "hosts", "accounts"] {
        assert_eq!(total(&mut c, table), "2,2", "{table}");
    }
    other.run("do 1");
}

#[test]
fn locked_gaps_and_rows() {
    let (server, mut c) = with_table();
    let mut other = open(&server);
    c.run("insert into t values (9, 90)");
    c.run("begin");
    c.run("select * from t where a between 2 and 9 for update");
    other.run("set innodb_lock_wait_timeout = 1");
    assert_eq!(other.fail("insert into t values (5, 50)"), 1205);
    assert_eq!(other.fail("select * from t where a = 2 for update nowait"), 3572);
    assert_eq!(other.rows("select a from t for update skip locked"), "1");
    assert_eq!(other.rows("select a from t"), "1;2;3;9");
    c.run("commit");
    other.run("insert into t values (5, 50)");
}
