//! Two sessions on one table: locks, waiting, snapshots, deadlocks, KILL, plans that a definition outgrows.
use crate::common::*;
use weir_sql::session_api::{
    ColumnMeta, KillKind, KillSwitch, OkInfo, OutValue, ResultSink, SinkError,
};

#[test]
fn locking_reads() {
    with_server(1, |server| async move {
        let (mut a, mut b) = (server.client(), server.client());
        a.all(&[
            "create table t (id int primary key, v int)",
            "insert into t values (1,1),(2,2),(3,3)",
            "begin",
            "select * from t where id = 2 for update",
        ])
        .await;
        b.all(&["set innodb_lock_wait_timeout = 1", "begin"]).await;
        b.check(&[
            ("select v from t where id = 2", "2"),
            ("select v from t where id = 2 for update nowait", "E3572"),
            ("select v from t where id = 2 for share nowait", "E3572"),
            ("select id from t for update skip locked", "1; 3"),
            (
                "update t set v = 0 where id = 2",
                "E1205 Lock wait timeout exceeded; try restarting transaction",
            ),
            ("select id from t x join t y using (id) where id = 1 for update of x", "1"),
            ("select id from t for update of q", "E3568"),
        ])
        .await;
        a.rows("update t set v = 20 where id = 2").await;
        a.rows("commit").await;
        // The snapshot is the transaction's, a locking read sees what is committed.
        b.check(&[
            ("select v from t where id = 2", "2"),
            ("select v from t where id = 2 for share", "20"),
            ("select v from t where id = 2 lock in share mode", "20"),
            ("rollback", "ok 0"),
            ("select v from t where id = 2", "20"),
        ])
        .await;
        a.0.close().await;
        b.0.close().await;
    });
}

#[test]
fn isolation_levels() {
    with_server(1, |server| async move {
        let (mut a, mut b) = (server.client(), server.client());
        a.all(&["create table t (id int primary key, v int)", "insert into t values (1,1)"]).await;
        for (level, during, after) in [
            ("read uncommitted", "2", "2"),
            ("read committed", "1", "2"),
            ("repeatable read", "1", "1"),
        ] {
            a.rows("update t set v = 1").await;
            b.all(&[
                &format!("set transaction isolation level {level}"),
                "begin",
                "select v from t",
            ])
            .await;
            a.all(&["begin", "update t set v = 2"]).await;
            assert_eq!(b.rows("select v from t").await, during, "{level}");
            a.rows("commit").await;
            assert_eq!(b.rows("select v from t").await, after, "{level}");
            b.rows("commit").await;
        }
        // SERIALIZABLE reads lock, outside of autocommit.
        a.rows("set innodb_lock_wait_timeout = 1").await;
        b.all(&["set transaction isolation level serializable", "begin", "select v from t"]).await;
        assert_eq!(a.ask("update t set v = 3").await.errno(), 1205);
        b.rows("commit").await;
        a.rows("update t set v = 3").await;
        // Rows that WHERE rejects are free again under READ COMMITTED, and not under REPEATABLE READ.
        a.rows("insert into t values (2,2)").await;
        for (level, errno) in [("read committed", 0), ("repeatable read", 1205)] {
            b.all(&[
                &format!("set transaction isolation level {level}"),
                "begin",
                "update t set v = 9 where v = 2",
            ])
            .await;
            assert_eq!(a.ask("update t set v = 4 where id = 1").await.errno(), errno, "{level}");
            b.rows("rollback").await;
        }
        a.0.close().await;
        b.0.close().await;
    });
}

#[test]
fn a_deadlock_rolls_one_transaction_back() {
    with_server(3, |server| async move {
        let (mut a, mut b) = (server.client(), server.client());
        a.all(&[
            "create table t (id int primary key, v int)",
            "insert into t values (1,1),(2,2)",
            "begin",
            "update t set v = 10 where id = 1",
        ])
        .await;
        b.all(&["begin", "update t set v = 20 where id = 2"]).await;
        let rt = server.inst.db.rt().clone();
        let waits = rt.spawn("a", async move {
            let answer = a.ask("update t set v = 11 where id = 2").await;
            (a, answer)
        });
        let mine = b.ask("update t set v = 21 where id = 1").await;
        let dead = |e: u16| e == 1213;
        if !dead(mine.errno()) {
            b.rows("commit").await;
        }
        let (mut a, theirs) = waits.await;
        assert!(dead(mine.errno()) ^ dead(theirs.errno()), "{mine:?} {theirs:?}");
        if dead(mine.errno()) {
            // The whole transaction is gone: nothing of it is left to commit.
            b.rows("commit").await;
            a.rows("commit").await;
            assert_eq!(a.rows("select v from t order by id").await, "10; 11");
        } else {
            a.rows("commit").await;
            assert_eq!(a.rows("select v from t order by id").await, "21; 20");
        }
        a.0.close().await;
        b.0.close().await;
    });
}

/// What happens at the fourth row.
enum Then {
    Gone,
    Kill(std::sync::Arc<KillSwitch>),
}

/// Takes rows until something happens.
struct Fourth(u32, Then);

impl ResultSink for Fourth {
    fn columns(&mut self, _: &[ColumnMeta]) -> Result<(), SinkError> {
        Ok(())
    }
    fn row(&mut self, _: &[OutValue<'_>]) -> Result<(), SinkError> {
        self.0 += 1;
        match &self.1 {
            Then::Gone if self.0 >= 4 => return Err(SinkError),
            Then::Kill(k) if self.0 == 4 => k.kill(KillKind::Query),
            _ => {}
        }
        Ok(())
    }
    fn end_rows(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
    fn ok(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

#[test]
fn a_client_that_is_gone_stops_the_rows() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int primary key)",
            "insert into t values (1),(2),(3),(4),(5),(6)",
        ])
        .await;
        let mut sink = Fourth(0, Then::Gone);
        let end = c.0.query(b"select * from t", &mut sink).await;
        assert!(end.result.is_err());
        assert_eq!(sink.0, 4);
        c.0.close().await;
    });
}

#[test]
fn killing_a_statement() {
    with_server(1, |server| async move {
        let mut a = server.client();
        a.all(&["create table t (id int primary key, v int)", "insert into t values (1,1)"]).await;
        let rt = server.inst.db.rt().clone();
        let kill = server.kill_switch();
        let mut b = server.client_with(kill.clone());
        a.all(&["begin", "update t set v = 2"]).await;
        // One waits for a lock, one sleeps.
        for sql in ["update t set v = 3", "select sleep(1000)"] {
            let running = rt.spawn("b", async move {
                let answer = b.ask(sql).await;
                (b, answer)
            });
            rt.sleep(std::time::Duration::from_millis(20)).await;
            kill.kill(KillKind::Query);
            let (back, answer) = running.await;
            b = back;
            let ok =
                answer.errno() == 1317 || (sql.contains("sleep(1000)") && answer.line() == "1");
            assert!(ok, "{sql}: {}", answer.line());
            kill.clear_query();
        }
        // One is in the middle of its rows.
        let digits =
            (0..10).map(|n| format!("select {n} d")).collect::<Vec<_>>().join(" union all ");
        b.rows("create table d (d int)").await;
        b.rows(&format!("insert into d {digits}")).await;
        let mut sink = Fourth(0, Then::Kill(kill.clone()));
        let end = b.0.query(b"select a.d from d a, d b, d c, d e, d f", &mut sink).await;
        assert_eq!(end.result.expect_err("it was killed").errno, 1317);
        assert!(sink.0 < 5_000, "{} rows after the kill", sink.0);
        kill.clear_query();
        assert_eq!(b.rows("select 1").await, "1");
        a.0.close().await;
        b.0.close().await;
    });
}

#[test]
fn plans_follow_definitions_and_parameters() {
    with_server(1, |server| async move {
        let (mut a, mut b) = (server.client(), server.client());
        a.all(&[
            "create table t (id int primary key, v int)",
            "insert into t values (1,10),(2,20)",
        ])
        .await;
        for (id, v) in [(1, "10"), (2, "20"), (3, "")] {
            let sql = format!("select v from t where id = {id}");
            assert_eq!(a.rows(&sql).await, v);
            assert_eq!(b.rows(&sql).await, v);
        }
        assert_eq!(a.rows("select v from t where id = '2'").await, "20");
        assert_eq!(a.rows("select v from t where id = 1.0").await, "10");
        assert_eq!(a.rows("select v from t where id = 1.5").await, "");
        b.rows("alter table t add index (v), add column w varchar(5) default 'x'").await;
        assert_eq!(a.rows("select * from t where id = 1").await, "1|10|x");
        b.rows("alter table t drop column v").await;
        assert_eq!(a.ask("select v from t where id = 1").await.errno(), 1054);
        b.rows("drop table t").await;
        assert_eq!(a.ask("select w from t where id = 1").await.errno(), 1146);
        b.all(&[
            "create table t (id varchar(5) primary key, v int)",
            "insert into t values ('1', 7)",
        ])
        .await;
        assert_eq!(a.rows("select v from t where id = 1").await, "7");
        a.0.close().await;
        b.0.close().await;
    });
}

#[test]
fn a_limit_locks_no_more_rows_than_it_takes() {
    with_server(1, |server| async move {
        let (mut a, mut b) = (server.client(), server.client());
        a.rows("create table t (id int primary key, k int, v int, key (k))").await;
        let rows: Vec<String> = (1..=150).map(|i| format!("({i},{i},0)")).collect();
        a.rows(&format!("insert into t values {}", rows.join(","))).await;
        for (sql, row) in [
            ("select id from t limit 1 for update", 1),
            ("select id from t order by id desc limit 1 for update", 150),
            ("select id from t where k >= 120 order by k limit 1 for update", 120),
            ("select id from t limit 1 for update skip locked", 1),
            ("update t set v = v + 1 limit 1", 1),
            ("update t set v = v + 1 order by id desc limit 1", 150),
            ("delete from t where k > 120 and k < 140 order by k limit 1", 121),
        ] {
            a.all(&["begin", sql]).await;
            b.rows("begin").await;
            for id in 1..=150 {
                let probe = format!("select id from t where id = {id} for update nowait");
                let locked = b.ask(&probe).await.errno() == 3572;
                assert_eq!(locked, id == row, "{sql}: row {id}");
            }
            b.rows("rollback").await;
            a.rows("rollback").await;
        }
        a.0.close().await;
        b.0.close().await;
    });
}

#[test]
fn transactions_are_listed() {
    with_server(1, |server| async move {
        let (mut a, mut b, mut c) = (server.client(), server.client(), server.client());
        a.all(&[
            "create table t (id int primary key, v int)",
            "insert into t values (1,1),(2,2),(3,3)",
        ])
        .await;
        let list = "select trx_mysql_thread_id, trx_state, trx_rows_modified, trx_isolation_level \
                    from information_schema.innodb_trx order by trx_id";
        assert_eq!(c.rows(list).await, "", "nobody writes");
        a.all(&["begin", "select * from t", "update t set v = 0 where id < 3"]).await;
        let id = a.rows("select connection_id()").await;
        assert_eq!(c.rows(list).await, format!("{id}|RUNNING|2|REPEATABLE READ"));
        assert_eq!(
            c.rows("select count(*) from information_schema.innodb_trx where trx_started <= now() and trx_id > 0").await,
            "1"
        );
        b.all(&[
            "set transaction isolation level read committed",
            "begin",
            "update t set v = 9 where id = 3",
        ])
        .await;
        let other = b.rows("select connection_id()").await;
        assert_eq!(
            c.rows(list).await,
            format!("{id}|RUNNING|2|REPEATABLE READ; {other}|RUNNING|1|READ COMMITTED")
        );
        a.rows("commit").await;
        b.rows("rollback").await;
        assert_eq!(c.rows(list).await, "");
        a.0.close().await;
        b.0.close().await;
        c.0.close().await;
    });
}

/// Statements that wait while ALTER TABLE changes what they were planned on: each is planned again and answers once, by the new
/// definition. (`Answer` refuses a second header, and rows of another width.)
#[test]
fn a_statement_that_waited_for_ddl_answers_once() {
    const CASES: &[(&str, &str)] = &[
        ("select * from t where id = 1", "1|10|7"),
        ("select * from u join t using (id)", "1|5|10|7"),
        ("select * from (select * from t) d", "1|10|7"),
        ("select (select count(*) from t), n from u", "1|5"),
        ("select n from u union all select v from t", "5; 10"),
        ("select id, count(*) from t group by id", "1|1"),
        ("select * from t order by v limit 1 for update", "1|10|7"),
        ("execute s", "1|10|7"),
        ("update t set v = v + 1", "ok 1"),
        ("update u, t set n = 6, v = 11 where u.id = t.id", "ok 2"),
        ("insert into t (id, v) values (2, 20)", "ok 1"),
        ("insert into u select id + 1, v from t", "ok 1"),
        ("replace into t (id, v) values (1, 11)", "ok 2"),
        ("delete from t", "ok 1"),
        ("do (select count(*) from t)", "ok 0"),
        ("set @a = (select count(*) from t)", "ok 0"),
        ("analyze table t", "test.t|analyze|status|OK"),
        ("show columns from t like 'v'", "v|int|YES||NULL|"),
        ("check table t", "test.t|check|status|OK"),
        (
            "optimize table t",
            "test.t|optimize|note|Table does not support optimize, doing recreate + analyze instead; test.t|optimize|status|OK",
        ),
        ("alter table t drop column v", "ok 0"),
        ("create index v on t (v)", "ok 0"),
        ("rename table t to w, w to t", "ok 0"),
        ("truncate table t", "ok 0"),
    ];
    with_server(1, |server| async move {
        let rt = server.inst.db.rt().clone();
        let pause = std::time::Duration::from_millis(20);
        let mut bad = Vec::new();
        for (sql, want) in CASES {
            let (mut holder, mut ddl, mut b) = (server.client(), server.client(), server.client());
            holder
                .all(&[
                    "drop table if exists t, u",
                    "create table t (id int primary key, v int)",
                    "create table u (id int primary key, n int)",
                    "insert into t values (1, 10)",
                    "insert into u values (1, 5)",
                ])
                .await;
            b.all(&["prepare s from 'select * from t'", "begin", "select * from u", "commit"])
                .await;
            holder.all(&["begin", "select * from t"]).await;
            let ddl = rt.spawn("ddl", async move {
                ddl.rows("alter table t add column z int default 7").await;
                ddl.0.close().await;
            });
            rt.sleep(pause).await;
            let waiting = rt.spawn("b", async move {
                let answer = b.ask(sql).await;
                (b, answer)
            });
            rt.sleep(pause).await;
            holder.rows("commit").await;
            let (b, answer) = waiting.await;
            if answer.line() != *want {
                bad.push(format!("{sql}\n  want {want}\n  got  {}", answer.line()));
            }
            ddl.await;
            b.0.close().await;
            holder.0.close().await;
        }
        assert!(bad.is_empty(), "{}", bad.join("\n"));
    });
}

/// Planning again does not forget what SET TRANSACTION said of the transaction to come.
#[test]
fn a_statement_planned_anew_keeps_its_isolation() {
    with_server(1, |server| async move {
        let rt = server.inst.db.rt().clone();
        let (mut holder, mut ddl, mut b) = (server.client(), server.client(), server.client());
        holder
            .all(&["create table t (id int primary key)", "insert into t values (1)", "begin"])
            .await;
        b.all(&["set transaction read only", "set @n = 1"]).await;
        holder.rows("select * from t").await;
        let ddl = rt.spawn("ddl", async move {
            ddl.rows("alter table t add column z int").await;
            ddl.0.close().await;
        });
        let pause = std::time::Duration::from_millis(20);
        rt.sleep(pause).await;
        let waiting = rt.spawn("b", async move {
            let answer = b.ask("insert into t (id) values (2)").await;
            (b, answer)
        });
        rt.sleep(pause).await;
        holder.rows("commit").await;
        let (b, answer) = waiting.await;
        assert_eq!(answer.errno(), 1792, "{}", answer.line());
        ddl.await;
        b.0.close().await;
        holder.0.close().await;
    });
}

/// A snapshot from before a rebuild cannot read the table: one error, at once, and the transaction goes on.
#[test]
fn a_snapshot_older_than_the_table_is_told_once() {
    with_server(1, |server| async move {
        let (mut a, mut b) = (server.client(), server.client());
        a.all(&[
            "create table t (id int primary key, v int)",
            "insert into t values (1,10),(2,20)",
        ])
        .await;
        a.all(&["create table u (id int primary key)", "insert into u values (1)"]).await;
        b.all(&["begin", "select * from u"]).await;
        a.rows("alter table t add column z int default 7 first, algorithm = copy").await;
        for sql in ["select * from t", "select * from t where id = 1", "select * from u join t"] {
            let answer = b.ask(sql).await;
            assert_eq!(answer.errno(), 1412, "{sql}: {}", answer.line());
        }
        assert_eq!(b.rows("select * from u").await, "1");
        assert_eq!(b.rows("select * from t for share").await, "7|1|10; 7|2|20");
        b.rows("commit").await;
        assert_eq!(b.rows("select * from t").await, "7|1|10; 7|2|20");
        a.0.close().await;
        b.0.close().await;
    });
}

/// The writer beyond the engine's limit gets MySQL's error; what it read, and its transaction, stay.
#[test]
fn too_many_writers_are_told() {
    use weir_engine::row::{Datum, RowBuilder};
    use weir_engine::{Durability, Error, TxnOptions};
    with_server(4, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (id int primary key)", "insert into t values (0)"]).await;
        let db = server.inst.db.clone();
        let t = db.table("test", "t").expect("made above");
        let mut open = Vec::new();
        for id in 1.. {
            let mut row = Vec::new();
            let mut builder = RowBuilder::new(&t.layout);
            builder.push(Datum::Int(id)).finish_into(&mut row).expect("a row of the table");
            let mut txn = db.begin(TxnOptions::default());
            match txn.insert(&t, &row).await {
                Ok(_) => open.push(txn),
                Err(e) => {
                    assert!(matches!(e, Error::TooManyTransactions { .. }), "{e:?}");
                    break;
                }
            }
        }
        c.check(&[
            ("begin", "ok 0"),
            ("select * from t", "0"),
            ("insert into t values (-1)", "E1637"),
            ("delete from t where id = 0", "E1637"),
            ("select * from t", "0"),
            ("commit", "ok 0"),
        ])
        .await;
        open.pop().expect("many").commit(Durability::Lazy).await.expect("commits");
        c.check(&[("insert into t values (-1)", "ok 1")]).await;
        for txn in open {
            txn.rollback().await.expect("rolls back");
        }
        c.check(&[("select count(*) from t", "3")]).await;
        c.0.close().await;
    });
}

/// Locks and who waits for them, as monitors of MySQL 8.0 ask for them.
#[test]
fn locks_and_their_waits_are_listed() {
    with_server(1, |server| async move {
        let (mut a, b, mut c) = (server.client(), server.client(), server.client());
        a.all(&[
            "create table t (id int primary key, v binary(3), key (v))",
            "insert into t values (1, 'one'), (2, 'two')",
            "begin",
            "select * from t where id = 1 for update",
            "select * from t force index (v) where v = 'two' for share",
        ])
        .await;
        let locks = "select object_schema, object_name, index_name, lock_type, lock_mode, lock_status, lock_data \
                     from performance_schema.data_locks order by index_name, lock_data, lock_status, lock_mode";
        assert_eq!(
            c.rows(locks).await,
            "test|t|PRIMARY|RECORD|X,REC_NOT_GAP|GRANTED|1; test|t|PRIMARY|RECORD|S,REC_NOT_GAP|GRANTED|2; \
             test|t|v|RECORD|S|GRANTED|'two', 2; test|t|v|RECORD|S|GRANTED|supremum pseudo-record"
        );
        let mut waiter = b;
        let rt = server.inst.db.rt().clone();
        let waiting = rt.spawn("waiter", async move {
            waiter.rows("select connection_id()").await;
            waiter.ask("update t set v = 'x' where id = 1").await.line()
        });
        rt.sleep(std::time::Duration::from_millis(50)).await;
        assert_eq!(
            c.rows(
                "select r.lock_mode, r.lock_status, r.thread_id <> b.thread_id, b.lock_mode, b.lock_data \
                 from performance_schema.data_lock_waits w \
                 join performance_schema.data_locks r on r.engine_lock_id = w.requesting_engine_lock_id \
                 join performance_schema.data_locks b on b.engine_lock_id = w.blocking_engine_lock_id"
            )
            .await,
            "X,REC_NOT_GAP|WAITING|1|X,REC_NOT_GAP|1"
        );
        // Neither has written anything, and both are listed.
        weir_sql::sys::install(&server.inst, 900).await.expect("is made");
        assert_eq!(
            c.rows(
                "select locked_table, locked_index, waiting_lock_mode, blocking_pid, wait_age_secs >= 0 \
                 from sys.innodb_lock_waits"
            )
            .await,
            format!("`test`.`t`|PRIMARY|X,REC_NOT_GAP|{}|1", a.rows("select connection_id()").await)
        );
        assert_eq!(
            c.rows(
                "select trx_state, trx_isolation_level, trx_requested_lock_id is null, trx_wait_started is null \
                 from information_schema.innodb_trx order by trx_state"
            )
            .await,
            "LOCK WAIT|REPEATABLE READ|0|0; RUNNING|REPEATABLE READ|1|1"
        );
        a.all(&["commit"]).await;
        assert_eq!(waiting.await, "ok 1");
        assert_eq!(c.rows("select count(*) from performance_schema.data_lock_waits").await, "0");
        c.all(&["create user u"]).await;
        let mut u = server.client_of("u");
        assert_eq!(u.ask("select * from performance_schema.data_locks").await.errno(), 1142);
        assert_eq!(u.ask("select * from information_schema.innodb_metrics").await.errno(), 1227);
    });
}

/// What InnoDB's dictionary tells of tables, and its counters.
#[test]
fn tables_are_told_as_innodb_tells_them() {
    check(&[
        ("create table t (id int primary key auto_increment, v varchar(10), w int, unique key (v), key (w, v))", "ok 0"),
        ("create table h (a int) partition by hash (a) partitions 2", "ok 0"),
        ("insert into t (v) values ('a'), ('b')", "ok 2"),
        (
            "select name, n_cols, space > 0, row_format, space_type from information_schema.innodb_tables where name like 'test/%' order by name",
            "test/h#p#p0|4|1|Dynamic|Single; test/h#p#p1|4|1|Dynamic|Single; test/t|6|1|Dynamic|Single",
        ),
        (
            "select i.name, i.type, i.n_fields from information_schema.innodb_indexes i join information_schema.innodb_tables t using (table_id)
             where t.name = 'test/t' order by index_id",
            "PRIMARY|3|1; v|2|1; w|0|2",
        ),
        (
            "select f.name, f.pos from information_schema.innodb_fields f join information_schema.innodb_indexes i using (index_id)
             where i.name = 'w' order by pos",
            "w|0; v|1",
        ),
        (
            "select s.file_size > 0, s.page_size, s.state from information_schema.innodb_tablespaces s join information_schema.innodb_tables t using (space)
             where t.name = 'test/t'",
            "1|16384|normal",
        ),
        ("select num_rows, autoinc from information_schema.innodb_tablestats where name = 'test/t'", "2|3"),
        (
            "select subsystem, type, status, count >= 2 from information_schema.innodb_metrics where name = 'dml_inserts'",
            "dml|status_counter|enabled|1",
        ),
    ]);
}
