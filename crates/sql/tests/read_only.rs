//! `read_only`, `super_read_only`, and transactions that are READ ONLY: who may write, and what.
use crate::common::*;

const BY_OPTION: &str = "E1290 The MySQL server is running with the --read-only option so it cannot execute this statement";
const BY_SUPER: &str = "E1290 The MySQL server is running with the --super-read-only option so it cannot execute this statement";
const LOCKED: &str = "E1192 Can't execute the given command because you have active locked tables or an active transaction";

/// Root, and an account that may do anything in `test`.
async fn two(server: &Server) -> (Client, Client) {
    let mut root = server.client();
    root.all(&[
        "create table t (id int primary key, v int)",
        "insert into t values (1, 1), (2, 2)",
        "create table u (id int primary key, v int)",
        "create user u@localhost",
        "grant all on test.* to u@localhost",
        "grant all on n.* to u@localhost",
        "grant create user on *.* to u@localhost",
    ])
    .await;
    let c = server.client_in("u", "test");
    (root, c)
}

#[test]
fn ordinary_accounts_write_nothing() {
    with_server(1, |server| async move {
        let (mut root, mut c) = two(&server).await;
        root.all(&[
            "create function f() returns int begin update t set v = v + 1; return 1; end",
            "create procedure p() sql security invoker begin update t set v = v + 1; end",
            "grant execute on test.* to u@localhost",
            "set global read_only = 1",
        ])
        .await;
        let refused = [
            "insert into t values (3, 3)",
            "insert into t select * from u",
            "replace into t values (3, 3)",
            "update t set v = 1 where 1 = 0",
            "update t, u set t.v = u.v where t.id = u.id",
            "delete from t",
            "delete t from t, u where t.id = u.id",
            "select * from t where id = 1 for update",
            "select * from (select * from t for update) x",
            "select f()",
            "do f()",
            "call p()",
            "create table n (a int)",
            "create table n select * from t",
            "drop table t",
            "drop table if exists t",
            "truncate table t",
            "alter table t add column x int",
            "create index i on t (v)",
            "rename table t to n",
            "create view n as select 1",
            "create procedure q() begin end",
            "drop procedure p",
            "create trigger x before insert on t for each row set @a = 1",
            "create database n",
            "drop database test",
            "create user n",
            "lock tables t write",
            "lock tables u read, t write",
            "repair table t",
        ];
        for sql in refused {
            c.check(&[(sql, BY_OPTION)]).await;
        }
        c.check(&[
            ("select count(*), sum(v) from t", "2|3"),
            ("select * from t where id = 1 for share", "1|1"),
            ("explain update t set v = 1", "1|UPDATE|t|NULL|ALL|NULL|NULL|NULL|NULL|2|100.00|NULL"),
            ("lock tables t read", "ok 0"),
            ("unlock tables", "ok 0"),
            ("analyze table t", "test.t|analyze|status|OK"),
            ("show tables", "t; u"),
            ("set @a = 1", "ok 0"),
            ("set global read_only = 0", "E1227"),
        ])
        .await;
        // Anyone who may connect when all places are taken may write as well.
        root.check(&[("insert into t values (3, 3)", "ok 1"), ("create table n (a int)", "ok 0")])
            .await;
        root.rows("grant connection_admin on *.* to u@localhost").await;
        c.check(&[("delete from t where id = 3", "ok 1")]).await;
        root.rows("set global read_only = off").await;
        drop(server);
        c.0.close().await;
        root.0.close().await;
    });
}

#[test]
fn temporary_tables_are_written() {
    with_server(2, |server| async move {
        let (mut root, mut c) = two(&server).await;
        root.rows("set global read_only = 1").await;
        c.check(&[
            ("create temporary table t (id int primary key, v int)", "ok 0"),
            ("create temporary table s select 7 as id", "ok 1"),
            ("insert into t values (1, 1), (5, 5)", "ok 2"),
            ("update t set v = 2", "ok 2"),
            ("update t, s set t.v = s.id", "ok 2"),
            ("alter table t add column x int", "ok 0"),
            ("create index i on t (v)", "ok 0"),
            ("delete from t where id = 1", "ok 1"),
            ("select * from t for update", "5|7|NULL"),
            ("begin", "ok 0"),
            ("insert into t values (6, 6, 6)", "ok 1"),
            ("insert into u values (1, 1)", BY_OPTION),
            ("commit", "ok 0"),
            ("update t, u set u.v = 1 where t.id = u.id", BY_OPTION),
            ("update t, u set t.v = 1 where t.id = u.id", "ok 0"),
            ("truncate table t", "ok 0"),
            ("drop table s, u", BY_OPTION),
            ("drop table s", "ok 0"),
            ("drop temporary table t", "ok 0"),
            ("insert into t values (3, 3)", BY_OPTION),
        ])
        .await;
        drop(server);
        c.0.close().await;
        root.0.close().await;
    });
}

#[test]
fn the_two_variables_go_together() {
    with_server(3, |server| async move {
        let (mut root, mut c) = two(&server).await;
        root.check(&[
            ("select @@read_only, @@super_read_only", "0|0"),
            ("set read_only = 1", "E1229"),
            ("set global super_read_only = 1", "ok 0"),
            ("select @@read_only, @@super_read_only", "1|1"),
            ("insert into t values (3, 3)", BY_SUPER),
            ("create user x", BY_SUPER),
            ("create temporary table x (a int)", "ok 0"),
            ("insert into x values (1)", "ok 1"),
            ("set global super_read_only = 0", "ok 0"),
            ("select @@read_only, @@super_read_only", "1|0"),
            ("insert into t values (3, 3)", "ok 1"),
            ("set global super_read_only = on", "ok 0"),
            ("set global read_only = off", "ok 0"),
            ("select @@read_only, @@super_read_only", "0|0"),
            ("insert into t values (4, 4)", "ok 1"),
            ("set global read_only = 'x'", "E1231"),
            ("set global read_only = default", "ok 0"),
            ("set global super_read_only = 1", "ok 0"),
        ])
        .await;
        c.check(&[("insert into t values (5, 5)", BY_SUPER)]).await;
        root.rows("set global read_only = 0").await;
        drop(server);
        c.0.close().await;
        root.0.close().await;
    });
}

#[test]
fn a_commit_of_what_was_written_is_refused() {
    with_server(4, |server| async move {
        let (mut root, mut c) = two(&server).await;
        let mut other = server.client_in("u", "test");
        c.check(&[("begin", "ok 0"), ("update t set v = 10 where id = 1", "ok 1")]).await;
        other
            .check(&[
                ("begin", "ok 0"),
                ("select v from t where id = 1", "1"),
                ("rollback", "ok 0"),
            ])
            .await;
        root.check(&[("begin", "ok 0"), ("update t set v = 20 where id = 2", "ok 1")]).await;
        root.check(&[("set global read_only = 1", LOCKED), ("commit", "ok 0")]).await;
        root.rows("set global read_only = 1").await;
        c.check(&[
            ("commit", BY_OPTION),
            ("select v from t order by id", "1; 20"),
            ("begin", "ok 0"),
            ("select v from t where id = 1", "1"),
            ("commit", "ok 0"),
            // Nothing of it is left: the locks are gone, too.
            ("rollback", "ok 0"),
        ])
        .await;
        root.check(&[("update t set v = 30 where id = 1", "ok 1")]).await;
        drop(server);
        for c in [c, other, root] {
            c.0.close().await;
        }
    });
}

#[test]
fn switching_it_on_waits_for_writers() {
    with_server(5, |server| async move {
        let rt = server.inst.db.rt().clone();
        let (mut root, mut c) = two(&server).await;
        root.check(&[
            ("lock tables t read", "ok 0"),
            ("set global read_only = 1", LOCKED),
            ("unlock tables", "ok 0"),
            ("lock instance for backup", "ok 0"),
            ("set global super_read_only = 1", LOCKED),
            ("unlock instance", "ok 0"),
            ("flush tables with read lock", "ok 0"),
            ("set global read_only = 1", "ok 0"),
            ("unlock tables", "ok 0"),
            ("set global read_only = 0", "ok 0"),
        ])
        .await;
        c.rows("lock tables t write, u read").await;
        c.rows("insert into t values (3, 3)").await;
        let mut setter = server.client();
        let waits = rt.spawn("set", async move {
            let done = setter.rows("set global read_only = 1").await;
            setter.0.close().await;
            done
        });
        rt.sleep(std::time::Duration::from_secs(1)).await;
        // Anyone who has locked tables before goes on; nobody else begins.
        c.check(&[("select @@read_only", "0"), ("insert into t values (4, 4)", "ok 1")]).await;
        root.rows("set lock_wait_timeout = 1").await;
        root.check(&[
            ("insert into u values (4, 4)", "E1205"),
            ("create table x (a int)", "E1205"),
        ])
        .await;
        root.rows("set lock_wait_timeout = 100").await;
        c.rows("unlock tables").await;
        assert_eq!(waits.await, "ok 0");
        c.check(&[("select @@read_only", "1"), ("insert into t values (5, 5)", BY_OPTION)]).await;
        root.check(&[("select count(*) from t", "4"), ("insert into u values (4, 4)", "ok 1")])
            .await;
        drop(server);
        c.0.close().await;
        root.0.close().await;
    });
}

#[test]
fn read_only_transactions_write_temporary_tables() {
    const READ_ONLY: &str = "E1792 Cannot execute statement in a READ ONLY transaction.";
    check(&[
        ("create table p (a int primary key, b varchar(9), key (b))", "ok 0"),
        ("insert into p values (1, 'a')", "ok 1"),
        ("create temporary table t (a int primary key, b varchar(9), key (b))", "ok 0"),
        ("start transaction read only", "ok 0"),
        ("insert into t values (1, 'x'), (2, 'y')", "ok 2"),
        ("insert into t select a + 10, b from p", "ok 1"),
        ("savepoint s", "ok 0"),
        ("update t set b = 'z' where a = 1", "ok 1"),
        ("delete from t where a = 2", "ok 1"),
        ("select * from t", "1|z; 11|a"),
        ("rollback to s", "ok 0"),
        ("select * from t where b = 'y'", "2|y"),
        ("insert into t values (1, 'double')", "E1062"),
        ("insert into p values (2, 'b')", READ_ONLY),
        ("update p set b = 'c'", READ_ONLY),
        ("update p, t set t.b = 'q' where p.a = t.a", "ok 1"),
        ("update p, t set p.b = 'q' where p.a = t.a", READ_ONLY),
        ("delete from p", READ_ONLY),
        ("select * from p for update", READ_ONLY),
        ("create temporary table x (a int)", READ_ONLY),
        ("commit", "ok 0"),
        ("select * from t", "1|q; 2|y; 11|a"),
        ("start transaction read only", "ok 0"),
        ("delete from t", "ok 3"),
        ("rollback", "ok 0"),
        ("select count(*) from t", "3"),
        ("set session transaction read only", "ok 0"),
        ("delete from t where a = 1", "ok 1"),
        ("delete from p", READ_ONLY),
        ("set session transaction read write", "ok 0"),
        ("delete from p", "ok 1"),
    ]);
}

#[test]
fn other_ways_to_write() {
    with_server(6, |server| async move {
        let (mut root, mut c) = two(&server).await;
        root.all(&[
            "create table log (a int)",
            "create trigger tr after insert on u for each row insert into log values (new.id)",
            "create view w as select * from t where v < 100 with check option",
            "create definer = root@localhost procedure p() begin insert into log values (9); end",
            "create procedure q() sql security invoker begin insert into log values (8); end",
            "create table parent (id int primary key)",
            "create table child (id int primary key, p int, foreign key (p) references parent (id) on delete cascade)",
        ])
        .await;
        c.check(&[
            ("prepare i from 'insert into t values (?, 1)'", "ok 0"),
            ("set @n = 5", "ok 0"),
            ("create temporary table own (id int primary key, v int)", "ok 0"),
            ("prepare j from 'insert into own values (?, 1)'", "ok 0"),
            ("xa start 'x'", "ok 0"),
            ("insert into t values (50, 1)", "ok 1"),
            ("xa end 'x'", "ok 0"),
            ("xa prepare 'x'", "ok 0"),
            ("xa start 'y'", "ok 0"),
            ("insert into t values (60, 1)", "ok 1"),
            ("xa end 'y'", "ok 0"),
        ])
        .await;
        root.rows("set global read_only = 1").await;
        c.check(&[
            ("xa commit 'y' one phase", BY_OPTION),
            ("execute i using @n", BY_OPTION),
            ("execute j using @n", "ok 1"),
            ("insert into u values (1, 1)", BY_OPTION),
            ("insert into w values (7, 7)", BY_OPTION),
            ("update w set v = 2", BY_OPTION),
            ("delete from parent", BY_OPTION),
            ("insert ignore into t values (1, 1)", BY_OPTION),
            ("call q()", BY_OPTION),
            // Its statements are root's.
            ("call p()", "ok 1"),
            ("insert into own select id, v from t where id in (1, 2)", "ok 2"),
            ("insert into own values (1, 1) on duplicate key update v = 9", "ok 2"),
            ("replace into own values (1, 2)", "ok 2"),
            ("select v from own where id = 1 for update", "2"),
            ("set autocommit = 0", "ok 0"),
            ("insert into own values (70, 1)", "ok 1"),
            ("set autocommit = 1", "ok 0"),
            ("select count(*) from own where id = 70", "1"),
            ("alter table t rename to z", BY_OPTION),
            ("alter user u@localhost identified by 'x'", BY_OPTION),
            ("create event e on schedule every 1 day do set @a = 1", BY_OPTION),
            ("optimize table own", "test.own|optimize|note|Table does not support optimize, doing recreate + analyze instead; test.own|optimize|status|OK"),
        ])
        .await;
        root.check(&[
            ("select count(*), max(a) from log", "1|9"),
            ("select count(*) from t where id >= 50", "0"),
            ("xa rollback 'x'", "ok 0"),
        ])
        .await;
        drop(server);
        c.0.close().await;
        root.0.close().await;
    });
}

#[test]
fn whoever_waits_to_switch_it_on_can_be_killed() {
    with_server(7, |server| async move {
        let rt = server.inst.db.rt().clone();
        let (mut root, mut c) = two(&server).await;
        c.rows("lock tables t write").await;
        let switch = server.kill_switch();
        let mut setter = server.client_with(switch.clone());
        let waits = rt.spawn("set", async move {
            let line = setter.ask("set global super_read_only = 1").await.line();
            (line, setter)
        });
        let mut second = server.client();
        rt.sleep(std::time::Duration::from_secs(1)).await;
        let behind = rt.spawn("set too", async move {
            let line = second.ask("set global read_only = 1").await.line();
            (line, second)
        });
        rt.sleep(std::time::Duration::from_secs(1)).await;
        switch.kill(weir_sql::session_api::KillKind::Query);
        let (line, setter) = waits.await;
        assert_eq!(line, "E1317 Query execution was interrupted");
        root.rows("set lock_wait_timeout = 1").await;
        // It has its turn now; which of the two is run first is the scheduler's choice.
        rt.sleep(std::time::Duration::from_millis(10)).await;
        // The other one still closes the gate.
        root.check(&[("select @@read_only", "0"), ("insert into u values (1, 1)", "E1205")]).await;
        // A session that ends with its tables locked gives its place back.
        c.0.close().await;
        let (line, second) = behind.await;
        assert_eq!(line, "ok 0");
        root.check(&[
            ("select @@read_only, @@super_read_only", "1|0"),
            ("insert into u values (1, 1)", "ok 1"),
            ("set global read_only = 0", "ok 0"),
        ])
        .await;
        drop(server);
        for c in [setter, second, root] {
            c.0.close().await;
        }
    });
}

/// A commit is let through while statements are waited for, or a statement that waits for the transaction's row would never end.
#[test]
fn a_commit_passes_while_statements_are_waited_for() {
    with_server(8, |server| async move {
        let rt = server.inst.db.rt().clone();
        let (root, mut c) = two(&server).await;
        let (mut other, mut setter) = (server.client_in("u", "test"), server.client());
        c.check(&[("begin", "ok 0"), ("update t set v = 5 where id = 1", "ok 1")]).await;
        let waits = rt.spawn("update", async move {
            let line = other.ask("update t set v = v + 1 where id = 1").await.line();
            (line, other)
        });
        rt.sleep(std::time::Duration::from_secs(1)).await;
        let sets = rt.spawn("set", async move {
            let line = setter.ask("set global read_only = 1").await.line();
            (line, setter)
        });
        rt.sleep(std::time::Duration::from_secs(1)).await;
        c.check(&[("commit", "ok 0")]).await;
        let (line, other) = waits.await;
        assert_eq!(line, "ok 1");
        let (line, setter) = sets.await;
        assert_eq!(line, "ok 0");
        c.check(&[("select v from t where id = 1", "6"), ("update t set v = 1", BY_OPTION)]).await;
        drop(server);
        for c in [c, other, setter, root] {
            c.0.close().await;
        }
    });
}

/// A session that writes in its transaction is let in while somebody waits to switch it on: one of those that are waited for may wait
/// for that session.
#[test]
fn whoever_holds_locks_is_let_in() {
    for holds in ["begin", "set autocommit = 0", "xa start 'x'"] {
        with_server(9, |server| async move {
            let rt = server.inst.db.rt().clone();
            let (mut root, mut c) = two(&server).await;
            c.check(&[(holds, "ok 0"), ("update t set v = 5 where id = 1", "ok 1")]).await;
            let (mut alters, mut setter) = (server.client_in("u", "test"), server.client());
            let altered = rt.spawn("alter", async move {
                let line = alters.ask("alter table t add column w int").await.line();
                (line, alters)
            });
            rt.sleep(std::time::Duration::from_secs(1)).await;
            let set = rt.spawn("set", async move {
                let line = setter.ask("set global read_only = 1").await.line();
                (line, setter)
            });
            rt.sleep(std::time::Duration::from_secs(1)).await;
            root.rows("set lock_wait_timeout = 5").await;
            root.check(&[("insert into u values (7, 7)", "E1205")]).await;
            let begun = rt.now();
            c.check(&[("update t set v = 6 where id = 2", "ok 1")]).await;
            assert!(rt.now() - begun < 3_000_000_000, "{holds}");
            match holds.starts_with("xa") {
                true => {
                    c.check(&[("xa end 'x'", "ok 0"), ("xa commit 'x' one phase", "ok 0")]).await
                }
                false => c.check(&[("commit", "ok 0")]).await,
            }
            let (line, alters) = altered.await;
            assert_eq!(line, "ok 0", "{holds}");
            let (line, setter) = set.await;
            assert_eq!(line, "ok 0", "{holds}");
            c.check(&[("update t set v = 7", BY_OPTION), ("select v from t", "5; 6")]).await;
            drop(server);
            for c in [c, root, alters, setter] {
                c.0.close().await;
            }
        });
    }
}

/// What is prepared stays so; rows are not locked for an update, wherever that is asked.
#[test]
fn prepared_branches_and_locks_within_statements() {
    with_server(10, |server| async move {
        let (mut root, mut c) = two(&server).await;
        root.all(&["grant xa_recover_admin, create temporary tables on *.* to u@localhost"]).await;
        c.check(&[
            ("create temporary table own (id int, v int)", "ok 0"),
            ("xa start 'x'", "ok 0"),
            ("insert into t values (9, 9)", "ok 1"),
            ("xa end 'x'", "ok 0"),
        ])
        .await;
        let prepared = c.ask("xa prepare 'x'").await.line();
        if prepared != "ok 0" {
            // A session with temporary tables may not prepare: without one then.
            c.rows("xa rollback 'x'").await;
            c.rows("drop temporary table own").await;
            c.check(&[
                ("xa start 'x'", "ok 0"),
                ("insert into t values (9, 9)", "ok 1"),
                ("xa end 'x'", "ok 0"),
                ("xa prepare 'x'", "ok 0"),
                ("create temporary table own (id int, v int)", "ok 0"),
            ])
            .await;
        }
        root.check(&[("set global read_only = 1", "ok 0")]).await;
        c.check(&[
            ("xa commit 'x'", BY_OPTION),
            ("xa recover", "1|1|0|x"),
            ("xa commit 'nothing'", "E1397"),
            ("select (select max(v) from t for update)", BY_OPTION),
            ("select 1 where exists (select 1 from t for update)", BY_OPTION),
            ("select * from (select v from t for update) d", BY_OPTION),
            ("insert into own select * from u for update", BY_OPTION),
            ("insert into own values (1, (select max(v) from u for update))", BY_OPTION),
            ("do (select max(v) from u for update)", BY_OPTION),
            ("insert into own select * from u", "ok 0"),
            ("select (select max(v) from u for share)", "NULL"),
        ])
        .await;
        root.check(&[("set global super_read_only = 1", "ok 0"), ("xa commit 'x'", BY_SUPER)])
            .await;
        root.check(&[("set global read_only = 0", "ok 0")]).await;
        c.check(&[("xa commit 'x'", "ok 0"), ("select max(v) from t", "9")]).await;
        c.0.close().await;
        root.0.close().await;
    });
}

/// A statement that commits implicitly ends a READ ONLY transaction before it begins; the session's own READ ONLY refuses it.
#[test]
fn definitions_end_read_only_transactions() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            ("start transaction read only", "ok 0"),
            ("create table t (a int)", "ok 0"),
            ("insert into t values (1)", "ok 1"),
            ("set transaction read only", "ok 0"),
            ("alter table t add b int", "ok 0"),
            ("start transaction read only", "ok 0"),
            ("drop table t", "ok 0"),
            ("set session transaction read only", "ok 0"),
            (
                "create table t (a int)",
                "E1792 Cannot execute statement in a READ ONLY transaction.",
            ),
            ("set session transaction read write", "ok 0"),
            ("create table t (a int)", "ok 0"),
        ])
        .await;
    });
}
