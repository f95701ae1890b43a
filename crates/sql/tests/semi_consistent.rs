//! What READ COMMITTED reads of rows that others have locked (semi-consistent reads of UPDATE), and what a savepoint gives back. Each
//! answer was asked of MySQL 9.7 with two sessions.
use crate::common::*;

const TABLES: [(&str, &str); 2] =
    [("with a key", "id int primary key"), ("without a key", "id int")];

/// Each case: what the first session does, then statements of the second with what they answer while the first goes on.
async fn beside_another(server: &Server, level: &str, cases: &[(&str, &[(&str, &str)])]) {
    for (shape, id) in TABLES {
        for (first, then) in cases {
            let (mut a, mut b) = (server.client(), server.client());
            let create = format!("create table t ({id}, v int, w int, key (w))");
            let set = format!("set session transaction isolation level {level}");
            let own =
                [&*create, "insert into t values (1,1,1),(2,2,2),(3,3,3)", &set, "begin", first];
            a.all(&own).await;
            b.all(&[&set, "set innodb_lock_wait_timeout = 1"]).await;
            for (sql, want) in *then {
                let got = b.ask(sql).await.line();
                let got = got.split(' ').take(2).collect::<Vec<_>>().join(" ");
                let got = if got.starts_with('E') { &got[..5] } else { &got };
                assert_eq!(got, *want, "{shape}, {level}: {first}; {sql}");
            }
            a.all(&["rollback", "drop table t"]).await;
            a.0.close().await;
            b.0.close().await;
        }
    }
}

/// UPDATE passes over a locked row whose last committed version it does not want, and waits for one that it wants.
#[test]
fn update_reads_what_is_committed_of_locked_rows() {
    with_server(1, |server| async move {
        let v10 = "update t set v = 10 where id = 1";
        let cases: &[(&str, &[(&str, &str)])] = &[
            (v10, &[("update t set v = 20 where v = 2", "ok 1")]),
            (v10, &[("update t set v = 20 where v = 1", "E1205")]),
            (v10, &[("update t set v = 20 where v = 10", "ok 0")]),
            (v10, &[("update t set v = 20 where v = 2 limit 1", "ok 1")]),
            (v10, &[("update t set v = 20 where v = 2 order by id desc", "E1205")]),
            (v10, &[("update t set v = 20 where v = (select 2)", "ok 1")]),
            (v10, &[("update t set id = id + 10 where v = 2", "ok 1")]),
            (v10, &[("update ignore t set v = 20 where v = 2", "ok 1")]),
            (
                "insert into t values (0,0,0)",
                &[
                    ("update t set v = 20 where v = 2", "ok 1"),
                    ("update t set v = 20 where v = 0", "ok 0"),
                ],
            ),
            (
                "delete from t where id = 1",
                &[
                    ("update t set v = 20 where v = 2", "ok 1"),
                    ("update t set v = 20 where v = 1", "E1205"),
                ],
            ),
            (
                "select * from t where v = 1 for update",
                &[
                    ("update t set v = 20 where v = 2", "ok 1"),
                    ("update t set v = 20 where v = 1", "E1205"),
                ],
            ),
            (
                "select * from t where v = 1 for share",
                &[
                    ("update t set v = 20 where v = 2", "ok 1"),
                    ("update t set v = 20 where v = 1", "E1205"),
                ],
            ),
            (v10, &[("update t x, t y set x.v = 20 where x.v = 2 and y.id = x.id", "ok 1")]),
            // Nothing but UPDATE does so.
            (v10, &[("delete from t where v = 2", "E1205")]),
            (v10, &[("select * from t where v = 2 for update", "E1205")]),
            // Nor does a search of another index.
            (v10, &[("update t force index (w) set v = 20 where w >= 1 and v = 2", "E1205")]),
        ];
        beside_another(&server, "read committed", cases).await;
        beside_another(&server, "read uncommitted", &cases[..3]).await;
        let waits: &[(&str, &[(&str, &str)])] =
            &[(v10, &[("update t set v = 20 where v = 2", "E1205")])];
        beside_another(&server, "repeatable read", waits).await;
    });
}

/// A search for rows by their whole keys waits; one of a part of the key or of a range does not.
#[test]
fn a_unique_search_waits_for_its_row() {
    with_server(1, |server| async move {
        let (mut a, mut b) = (server.client(), server.client());
        let rc = "set session transaction isolation level read committed";
        a.all(&[
            "create table t (id int, n int, v int, primary key (id, n))",
            "insert into t values (1,1,1),(1,2,2),(2,1,2),(3,1,3)",
            "create table p (id int primary key, v int) partition by hash (id) partitions 3",
            "insert into p values (1,1),(2,2),(3,3),(4,4)",
            rc,
            "begin",
            "update t set v = 10 where id = 1 and n = 1",
            "update p set v = 10 where id = 1",
        ])
        .await;
        b.all(&[rc, "set innodb_lock_wait_timeout = 1"]).await;
        b.check(&[
            ("update t set v = 20 where id = 1 and v = 2", "ok 1"),
            ("update t set v = 20 where id <= 2 and v = 2", "ok 1"),
            ("update p set v = 20 where v = 2", "ok 1"),
            ("update p set v = 30 where v = 3 order by id limit 5", "ok 1"),
        ])
        .await;
        for waits in [
            "update t set v = 20 where id = 1 and n = 1 and v = 2",
            "update t set v = 20 where id = 1 and n in (1, 2) and v = 2",
            "update p set v = 20 where v = 1",
        ] {
            assert_eq!(b.ask(waits).await.errno(), 1205, "{waits}");
        }
        a.0.close().await;
        b.0.close().await;
    });
}

/// The row is looked at again when its lock is had: what is changed is the row that was committed meanwhile.
#[test]
fn a_row_that_was_waited_for_is_looked_at_again() {
    with_server(1, |server| async move {
        let (mut a, mut b) = (server.client(), server.client());
        let rc = "set session transaction isolation level read committed";
        a.all(&["create table t (id int primary key, v int, x longtext)", rc]).await;
        b.all(&[rc]).await;
        a.all(&["insert into t values (1, 1, repeat('a', 40000)), (2, 2, 'b')"]).await;
        for (change, want, left) in [
            ("update t set v = 5 where id = 1", "ok 0", "1|5; 2|2"),
            ("update t set x = repeat('c', 50000) where id = 1", "ok 1", "1|9; 2|2"),
            ("delete from t where id = 1", "ok 0", "2|2"),
        ] {
            a.all(&["update t set v = 1, x = repeat('a', 40000) where id = 1", "begin", change])
                .await;
            let rt = server.inst.db.rt().clone();
            let other = rt.spawn("b", async move {
                let got = b.rows("update t set v = 9 where v = 1 and x like 'a%' or v = 1").await;
                (b, got)
            });
            rt.sleep(std::time::Duration::from_millis(50)).await;
            a.rows("commit").await;
            let (back, got) = other.await;
            b = back;
            assert_eq!(got, want, "{change}");
            assert_eq!(a.rows("select id, v from t").await, left, "{change}");
        }
        a.0.close().await;
        b.0.close().await;
    });
}

/// ROLLBACK TO gives row locks back only where the transaction had done nothing when the savepoint was set.
#[test]
fn a_savepoint_before_the_first_read_gives_locks_back() {
    with_server(1, |server| async move {
        let (v9, read) = ("update t set v = 9 where id = 1", "select * from t where id = 2");
        let cases: [(&str, &[&str], u16); 9] = [
            ("begin", &["savepoint a", v9], 0),
            ("begin", &["savepoint a", read, v9], 0),
            ("begin", &["savepoint a", "select * from t where id = 1 for update"], 0),
            ("begin", &["savepoint a", v9, "savepoint b", "update t set v = 9 where id = 2"], 0),
            ("begin", &["savepoint a", v9, "rollback to a", v9], 0),
            ("set autocommit = 0", &["savepoint a", v9], 0),
            ("begin", &[read, "savepoint a", v9], 1205),
            ("begin", &["update t set v = 9 where id = 2", "savepoint a", v9], 1205),
            ("start transaction with consistent snapshot", &["savepoint a", v9], 1205),
        ];
        for (begin, statements, errno) in cases {
            let (mut a, mut b) = (server.client(), server.client());
            a.all(&[
                "create table t (id int primary key, v int)",
                "insert into t values (1,1),(2,2)",
            ])
            .await;
            a.all(&[begin]).await;
            a.all(statements).await;
            a.all(&["rollback to a"]).await;
            b.all(&["set innodb_lock_wait_timeout = 1, lock_wait_timeout = 1"]).await;
            let said = format!("{begin} {statements:?}");
            assert_eq!(b.ask("update t set v = 7 where id = 1").await.errno(), errno, "{said}");
            // The table may be altered, and the transaction reads what is committed now.
            let altered = b.ask("alter table t add column x int").await.errno();
            assert_eq!(altered, if errno == 0 { 0 } else { 1205 }, "{said}");
            if errno == 0 {
                assert_eq!(a.rows("select v from t where id = 1").await, "7", "{said}");
                a.all(&[
                    "update t set v = 8 where id = 2",
                    "rollback to a",
                    "update t set v = 6 where id = 2",
                ])
                .await;
                a.all(&["commit"]).await;
                assert_eq!(a.rows("select id, v from t").await, "1|7; 2|6", "{said}");
            } else {
                a.all(&["rollback"]).await;
            }
            a.all(&["drop table t"]).await;
            a.0.close().await;
            b.0.close().await;
        }
    });
}
