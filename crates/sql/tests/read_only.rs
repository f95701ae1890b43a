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
            ("explain update t set v = 1", "1|UPDATE|t|NULL|ALL|NULL|NULL|NULL|NULL|2|100|NULL"),
            ("lock tables t read", "ok 0"),
            ("unlock tables", "ok 0"),
            ("analyze table t", "test.t|analyze|status|OK"),
            ("show tables", "t; u"),
            ("set @a = 1", "ok 0"),
            ("set global read_only = 0", "E1227"),
        ])
        .await;
        // Whoever may connect when all places are taken may write as well.
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
        // Whoever has locked tables before goes on; nobody else begins.
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
