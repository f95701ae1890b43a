//! Locks that sessions take by statement: GET_LOCK and its family, LOCK TABLES, FLUSH TABLES WITH READ LOCK, LOCK INSTANCE.
use crate::common::*;
use weir_sql::session_api::KillKind;

#[test]
fn names_belong_to_sessions() {
    with_server(1, |server| async move {
        let (mut a, mut b) = (server.client(), server.client());
        let id = a.rows("select connection_id()").await;
        a.check(&[
            ("select get_lock('L', 0), get_lock('l', 0), get_lock('m', 10)", "1|1|1"),
            ("select is_free_lock('l'), is_free_lock('n'), is_used_lock('n')", "0|1|NULL"),
            ("select get_lock('', 1)", "E3057 Incorrect user-level lock name ''."),
            ("select get_lock(null, 1)", "E3057 Incorrect user-level lock name 'NULL'."),
            ("select get_lock('l')", "E1582"),
            ("select release_lock(repeat('x', 65))", "E3057"),
            ("select release_lock('nobody')", "NULL"),
            // They are no part of transactions.
            ("begin", "ok 0"),
            ("rollback", "ok 0"),
        ])
        .await;
        assert_eq!(b.rows("select is_used_lock('l')").await, id);
        b.check(&[
            ("select get_lock('l', 0), get_lock('l', 0.01)", "0|0"),
            ("select release_lock('l'), release_all_locks()", "0|0"),
        ])
        .await;
        a.check(&[("select release_lock('l')", "1")]).await;
        b.check(&[("select get_lock('l', 0)", "0")]).await;
        // Twice taken, twice released.
        a.check(&[("select release_lock('l')", "1"), ("select release_lock('l')", "NULL")]).await;
        b.check(&[("select get_lock('l', 0)", "1"), ("do release_lock('l')", "ok 0")]).await;
        a.check(&[
            ("do get_lock('o', 0), get_lock('o', 0)", "ok 0"),
            ("select release_all_locks()", "3"),
        ])
        .await;
        a.check(&[("select get_lock('p', 0)", "1")]).await;
        a.0.close().await;
        b.check(&[("select is_free_lock('p')", "1"), ("select get_lock('p', 0)", "1")]).await;
        b.0.reset().await.unwrap();
        assert_eq!(b.rows("select is_free_lock('p')").await, "1");
        b.0.close().await;
    });
}

#[test]
fn whoever_waits_is_next_or_killed() {
    with_server(3, |server| async move {
        let rt = server.inst.db.rt().clone();
        let mut a = server.client();
        a.check(&[("select get_lock('l', 0)", "1")]).await;
        let wait = |sql: &'static str, mut c: Client| {
            rt.spawn("waits", async move {
                let line = c.ask(sql).await.line();
                (line, c)
            })
        };
        let switch = server.kill_switch();
        let killed = wait("select get_lock('l', -1)", server.client_with(switch.clone()));
        rt.sleep(std::time::Duration::from_secs(1)).await;
        let next = wait("select get_lock('l', 100)", server.client());
        let late = wait("select get_lock('l', 5)", server.client());
        rt.sleep(std::time::Duration::from_secs(10)).await;
        switch.kill(KillKind::Query);
        let (line, k) = killed.await;
        assert_eq!(line, "E1317 Query execution was interrupted");
        k.0.close().await;
        let (line, l) = late.await;
        assert_eq!(line, "0", "out of time");
        l.0.close().await;
        a.0.close().await;
        let (line, n) = next.await;
        assert_eq!(line, "1", "the owner has gone");
        n.0.close().await;
    });
}

#[test]
fn a_circle_of_waits_is_refused() {
    with_server(5, |server| async move {
        let rt = server.inst.db.rt().clone();
        let (mut a, mut b) = (server.client(), server.client());
        a.check(&[("select get_lock('x', 0)", "1")]).await;
        b.check(&[("select get_lock('y', 0)", "1")]).await;
        let waits = rt.spawn("waits", async move {
            let line = a.ask("select get_lock('y', 50)").await.line();
            (line, a)
        });
        rt.sleep(std::time::Duration::from_secs(1)).await;
        b.check(&[("select get_lock('x', 50)", "E3058"), ("select release_lock('y')", "1")]).await;
        let (line, a) = waits.await;
        assert_eq!(line, "1");
        a.0.close().await;
        b.0.close().await;
    });
}

async fn two_tables(c: &mut Client) {
    c.all(&[
        "create table t (id int primary key, a int)",
        "create table u (id int primary key, a int)",
        "insert into t values (1, 1)",
        "insert into u values (1, 1)",
    ])
    .await;
}

#[test]
fn locked_tables_are_all_there_is() {
    with_server(7, |server| async move {
        let mut c = server.client();
        two_tables(&mut c).await;
        c.check(&[
            ("lock tables nope read", "E1146"),
            ("lock tables t read, t write", "E1066 Not unique table/alias: 't'"),
            ("lock tables t read, u as x write", "ok 0"),
            ("select a from t", "1"),
            ("select a from t as y", "E1100 Table 'y' was not locked with LOCK TABLES"),
            ("select a from u", "E1100 Table 'u' was not locked with LOCK TABLES"),
            ("select x.a from u as x join t using (id)", "1"),
            ("update t set a = 2", "E1099 Table 't' was locked with a READ lock and can't be updated"),
            ("insert into t values (2, 2)", "E1099"),
            ("delete from t", "E1099"),
            ("select a from t for update", "E1099"),
            ("select a from t for share", "1"),
            ("update u as x set a = 2", "ok 1"),
            ("insert into u values (2, 2)", "E1100"),
            ("select count(*) from information_schema.tables where table_name = 't'", "1"),
            ("select 1 from dual", "1"),
            ("create table v (a int)", "E1100"),
            ("alter table t add b int", "E1099"),
            ("alter table u add b int", "ok 0"),
            ("alter table u drop b", "ok 0"),
            ("drop database test", "E1192"),
            ("check table t", "test.t|check|status|OK"),
            ("analyze table u", "E1100"),
            ("unlock tables", "ok 0"),
            ("select a from u", "2"),
            ("insert into t values (2, 2)", "ok 1"),
            // A prepared statement minds them, too.
            ("prepare p from 'select a from u'", "ok 0"),
            ("lock tables t write", "ok 0"),
            ("execute p", "E1100"),
            ("truncate table t", "ok 0"),
            ("insert into t values (5, 5)", "ok 1"),
            ("alter table t disable keys", "ok 0"),
            ("optimize table t", "test.t|optimize|note|Table does not support optimize, doing recreate + analyze instead; test.t|optimize|status|OK"),
            ("alter table t add key (a), add c int", "ok 0"),
            ("select id from t", "5"),
            ("rename table t to w", "ok 0"),
            ("select id from w", "5"),
            ("drop table w", "ok 0"),
            ("select id from w", "E1146"),
            // Locks end with the next ones, and with a transaction.
            ("lock tables u read", "ok 0"),
            ("begin", "ok 0"),
            ("update u set a = 9", "ok 1"),
            ("lock tables u read", "ok 0"),
            ("rollback", "ok 0"),
            ("select a from u", "9"),
            ("unlock tables", "ok 0"),
            ("execute p", "9"),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn views_are_locked_with_their_tables() {
    with_server(15, |server| async move {
        let (mut a, mut b) = (server.client(), impatient(&server).await);
        two_tables(&mut a).await;
        a.all(&[
            "create view v as select id, a from t",
            "create view w as select v.id from v join u using (id)",
        ])
        .await;
        a.check(&[
            ("lock tables w read", "ok 0"),
            ("select id from w", "1"),
            ("select id from v", "E1100"),
            ("select id from t", "E1100"),
        ])
        .await;
        b.check(&[
            ("update t set a = 2", "E1205"),
            ("update u set a = 2", "E1205"),
            ("select a from v", "1"),
        ])
        .await;
        a.check(&[
            ("lock tables v write", "ok 0"),
            ("update v set a = 5", "ok 1"),
            ("update w set id = 5", "E1100"),
        ])
        .await;
        b.check(&[("select a from t", "E1205"), ("select a from u", "1")]).await;
        a.check(&[
            ("unlock tables", "ok 0"),
            ("lock tables v read", "ok 0"),
            ("update v set a = 6", "E1099"),
        ])
        .await;
        a.0.close().await;
        b.0.close().await;
    });
}

/// Sessions that do not wait get 1205 at once.
async fn impatient(server: &Server) -> Client {
    let mut c = server.client();
    c.rows("set lock_wait_timeout = 1").await;
    c
}

#[test]
fn others_wait_for_locked_tables() {
    with_server(9, |server| async move {
        let (mut a, mut b) = (server.client(), impatient(&server).await);
        two_tables(&mut a).await;
        a.rows("lock tables t read, u write").await;
        b.check(&[
            ("select a from t", "1"),
            ("update t set a = 2", "E1205"),
            ("insert into t values (7, 7)", "E1205"),
            ("select * from t for update", "E1205"),
            ("alter table t add b int", "E1205"),
            ("select a from u", "E1205"),
            ("lock tables t write", "E1205"),
            ("lock tables t read", "ok 0"),
            ("unlock tables", "ok 0"),
        ])
        .await;
        // A transaction that has read goes on to write when the lock is gone.
        b.check(&[("begin", "ok 0"), ("select a from t", "1"), ("update t set a = 2", "E1205")])
            .await;
        a.rows("unlock tables").await;
        b.check(&[("update t set a = 3", "ok 1"), ("select a from u", "1")]).await;
        let mut c = impatient(&server).await;
        c.check(&[("lock tables t read", "E1205"), ("select a from t", "1")]).await;
        b.rows("commit").await;
        c.check(&[("lock tables t read", "ok 0")]).await;
        b.check(&[("update t set a = 4", "E1205")]).await;
        // Anyone who goes lets go.
        c.0.close().await;
        b.check(&[("update t set a = 4", "ok 1")]).await;
        // The table that a definition statement puts in the place of a locked one is locked before it is seen.
        a.check(&[("lock tables t write", "ok 0"), ("truncate table t", "ok 0")]).await;
        b.check(&[("select count(*) from t", "E1205")]).await;
        a.check(&[("alter table t add d int, algorithm=copy", "ok 0")]).await;
        b.check(&[("select count(*) from t", "E1205")]).await;
        a.0.reset().await.unwrap();
        b.check(&[("select count(*) from t", "0")]).await;
        a.0.close().await;
        b.0.close().await;
    });
}

#[test]
fn the_global_read_lock() {
    with_server(11, |server| async move {
        let (mut a, mut b) = (server.client(), impatient(&server).await);
        two_tables(&mut a).await;
        a.rows("flush tables with read lock").await;
        let conflict = "E1223 Can't execute the query because you have a conflicting read lock";
        a.check(&[
            ("select a from t", "1"),
            ("update t set a = 2", conflict),
            ("create table v (a int)", conflict),
            ("lock tables t write", conflict),
        ])
        .await;
        b.check(&[
            ("select a from t", "1"),
            ("update t set a = 2", "E1205"),
            ("create table v (a int)", "E1205"),
            ("drop table t", "E1205"),
            ("create user x@localhost", "E1205"),
        ])
        .await;
        // As a dump takes its snapshot: the transaction outlives the lock, and holds nobody up.
        a.check(&[
            ("start transaction with consistent snapshot", "ok 0"),
            ("select a from t", "1"),
            ("unlock tables", "ok 0"),
        ])
        .await;
        b.check(&[("update t set a = 2", "ok 1"), ("alter table t add b int", "E1205")]).await;
        b.check(&[("create table v (a int)", "ok 0"), ("alter table u add b int", "ok 0")]).await;
        a.check(&[("select a from t", "1"), ("commit", "ok 0"), ("select a from t", "2")]).await;
        a.check(&[("flush tables t, u with read lock", "ok 0"), ("select * from v", "E1100")])
            .await;
        b.check(&[("update t set a = 3", "E1205"), ("insert into v values (1)", "ok 1")]).await;
        a.check(&[("flush tables with read lock", "E1192"), ("unlock tables", "ok 0")]).await;
        // It waits for anyone who writes.
        b.check(&[("begin", "ok 0"), ("update t set a = 4", "ok 1")]).await;
        a.check(&[("set lock_wait_timeout = 1", "ok 0"), ("flush tables with read lock", "E1205")])
            .await;
        b.check(&[("update u set a = 4", "ok 1"), ("commit", "ok 0"), ("drop table v", "ok 0")])
            .await;
        a.0.close().await;
        b.0.close().await;
    });
}

#[test]
fn a_backup_keeps_definitions_out() {
    with_server(13, |server| async move {
        let (mut a, mut b) = (server.client(), impatient(&server).await);
        two_tables(&mut a).await;
        a.rows("lock instance for backup").await;
        a.rows("lock instance for backup").await;
        b.check(&[
            ("insert into t values (2, 2)", "ok 1"),
            ("alter table t add b int", "E1205"),
            ("create table v (a int)", "E1205"),
            ("truncate table t", "E1205"),
        ])
        .await;
        // One's own definitions are one's own affair.
        a.check(&[("create table w (a int)", "ok 0"), ("unlock tables", "ok 0")]).await;
        b.check(&[("drop table w", "E1205"), ("lock instance for backup", "ok 0")]).await;
        a.check(&[
            ("unlock instance", "ok 0"),
            ("set lock_wait_timeout = 1", "ok 0"),
            ("drop table w", "E1205"),
        ])
        .await;
        b.0.close().await;
        a.check(&[("drop table w", "ok 0")]).await;
        a.0.close().await;
    });
}

#[test]
fn the_last_locked_table_takes_the_mode_with_it() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("create table t (a int)", "ok 0"),
            ("create table u (a int)", "ok 0"),
            ("create table v (a int)", "ok 0"),
            ("lock tables t write, u write", "ok 0"),
            ("drop table t", "ok 0"),
            ("select a from v", "E1100 Table 'v' was not locked with LOCK TABLES"),
            ("drop table u", "ok 0"),
            ("select a from v", ""),
            ("create table t (a int)", "ok 0"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn a_check_waits_no_longer_than_the_session_says() {
    with_server(1, |server| async move {
        let (mut a, mut b) = (server.client(), server.client());
        a.all(&[
            "create table t (a int primary key)",
            "create table p (a int primary key) partition by hash (a) partitions 2",
            "insert into t values (1)",
            "lock tables t read, p read",
        ])
        .await;
        b.all(&["set lock_wait_timeout = 1"]).await;
        for table in ["t", "p"] {
            let checked = b.ask(&format!("check table {table}")).await.line();
            assert!(checked.contains("Lock wait timeout exceeded"), "{checked}");
        }
        let checked = b.ask("alter table p check partition p0").await.line();
        assert!(checked.contains("Lock wait timeout exceeded"), "{checked}");
        a.all(&["unlock tables"]).await;
        b.check(&[
            ("check table t", "test.t|check|status|OK"),
            ("alter table p check partition p0", "test.p|check|status|OK"),
        ])
        .await;
        for c in [a, b] {
            c.0.close().await;
        }
        drop(server);
    });
}

/// A tool that changes a table online swaps it with its copy so: a table in the way of RENAME TABLE is dropped by the session that has
/// both locked, and the renaming comes before all who wait for the table.
#[test]
fn a_renaming_waits_for_the_table_in_its_way() {
    for seed in 0..12 {
        with_server(seed, |server| async move {
            let rt = server.inst.db.rt().clone();
            let second = std::time::Duration::from_secs(1);
            let mut a = server.client();
            two_tables(&mut a).await;
            a.rows("create table in_the_way (id int primary key)").await;
            a.rows("lock tables t write, in_the_way write").await;
            let ask = |sql: String| {
                let mut c = server.client();
                rt.spawn("asks", async move {
                    let line = c.ask(&sql).await.line();
                    c.0.close().await;
                    line
                })
            };
            let insert = |id: u32| ask(format!("insert into t values ({id}, 0)"));
            let mut inserts: Vec<_> = (2..6).map(insert).collect();
            rt.sleep(second).await;
            let renames = ask("rename table t to in_the_way, u to t".into());
            rt.sleep(second).await;
            inserts.extend((6..9).map(insert));
            rt.sleep(second).await;
            a.check(&[("drop table in_the_way", "ok 0"), ("unlock tables", "ok 0")]).await;
            assert_eq!(renames.await, "ok 0");
            for i in inserts {
                assert_eq!(i.await, "ok 1");
            }
            a.check(&[("select id from in_the_way", "1"), ("select count(*) from t", "8")]).await;
            // One that stays in the way is an error when the locks are gone.
            a.rows("lock tables t write, in_the_way write").await;
            let refused = ask("rename table t to in_the_way".into());
            rt.sleep(second).await;
            a.rows("unlock tables").await;
            assert_eq!(refused.await, "E1050 Table 'in_the_way' already exists");
            a.check(&[("select count(*) from t", "8")]).await;
            a.0.close().await;
        });
    }
}
