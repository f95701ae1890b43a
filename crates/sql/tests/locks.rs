//! Locks that sessions take by statement: GET_LOCK and its family.
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
