//! ALTER TABLE beside readers and writers: who may go on, and what is refused.
use crate::common::*;

#[test]
fn what_writers_need_not_wait_for() {
    check_lives(&[&[
        ("create table t (a int primary key, b int, c varchar(10), d text)", "ok 0"),
        ("insert into t values (1, 1, 'one', 'd'), (2, 2, 'two', 'd'), (3, 2, null, null)", "ok 3"),
        ("alter table t add key (b), lock=none", "ok 0"),
        ("alter table t add key (c), algorithm=inplace, lock=shared", "ok 0"),
        ("create index d on t (d(5)) lock=exclusive", "ok 0"),
        ("drop index d on t lock=none", "ok 0"),
        ("alter table t add e int first, lock=none", "ok 0"),
        ("alter table t modify e int after b, algorithm=inplace, lock=none", "ok 0"),
        ("alter table t drop column e, drop key c, add key cc (c, b), lock=none", "ok 0"),
        ("alter table t force, lock=none", "ok 0"),
        ("alter table t modify b int not null, lock=none", "ok 0"),
        ("alter table t modify c varchar(10) not null, lock=none", "E1138"),
        ("select * from t", "1|1|one|d; 2|2|two|d; 3|2|NULL|NULL"),
        (
            "alter table t modify b varchar(10) not null, lock=none",
            "E1846 LOCK=NONE is not supported. Reason: Cannot change column type INPLACE. Try LOCK=SHARED.",
        ),
        ("alter table t modify b varchar(10) not null, lock=shared", "ok 3"),
        ("alter table t modify b int not null, algorithm=copy", "ok 3"),
        ("alter table t modify b bigint not null, lock=none", "ok 0"),
        (
            "alter table t modify a bigint, lock=none",
            "E1846 LOCK=NONE is not supported. Reason: rows do not keep their places in the table. Try LOCK=SHARED.",
        ),
        (
            "alter table t add key x (b), algorithm=copy, lock=none",
            "E1846 LOCK=NONE is not supported. Reason: COPY algorithm requires a lock. Try LOCK=SHARED.",
        ),
        ("alter table t drop primary key, add primary key (a, b), lock=none", "E1846"),
        ("alter table t drop primary key, add primary key (a, b)", "ok 0"),
        ("alter table t add n int auto_increment, add key (n), lock=none", "E1846"),
        ("alter table t add n int auto_increment, add key (n), lock=shared", "ok 0"),
        ("check table t extended", "test.t|check|status|OK"),
    ]]);
}

#[test]
fn values_that_are_there_twice_are_told() {
    check_lives(&[&[
        ("create table t (a int, b varchar(20), c decimal(5,2), d datetime)", "ok 0"),
        ("insert into t values (1, 'eins', 1.5, '2001-02-03'), (1, 'zwei', 2.5, null)", "ok 2"),
        ("insert into t values (2, 'eins', 2.5, '2001-02-03')", "ok 1"),
        ("alter table t add unique u (b)", "E1062 Duplicate entry 'eins' for key 't.u'"),
        ("alter table t add unique u (a)", "E1062 Duplicate entry '1' for key 't.u'"),
        ("create unique index u on t (c)", "E1062 Duplicate entry '2.50' for key 't.u'"),
        (
            "alter table t add unique u (b(2), d)",
            "E1062 Duplicate entry 'ei-2001-02-03 00:00:00' for key 't.u'",
        ),
        ("alter table t add primary key (a)", "E1062 Duplicate entry '1' for key 't.PRIMARY'"),
        (
            "alter table t drop column d, add unique (c)",
            "E1062 Duplicate entry '2.50' for key 't.c'",
        ),
        (
            "alter table t modify a bigint, add unique (b)",
            "E1062 Duplicate entry 'eins' for key 't.b'",
        ),
        ("alter table t add unique u (a, b)", "ok 0"),
    ]]);
}

/// Tables of foreign keys are no exception, as long as no key is concerned.
#[test]
fn families_go_on_as_well() {
    check_lives(&[&[
        ("create table p (id int primary key, v int)", "ok 0"),
        (
            "create table c (id int primary key, p int, v int, foreign key (p) references p (id))",
            "ok 0",
        ),
        ("insert into p values (1, 1), (2, 2)", "ok 2"),
        ("insert into c values (1, 1, 1), (2, null, 2)", "ok 2"),
        ("alter table p add key (v), lock=none", "ok 0"),
        ("alter table c add key (v), lock=none", "ok 0"),
        ("alter table p drop column v, lock=none", "ok 0"),
        ("alter table c drop column v, lock=none", "ok 0"),
        ("alter table p change id no int, lock=none", "ok 0"),
        // Keys that change need both tables alone, so what takes long is refused.
        ("set foreign_key_checks = 0", "ok 0"),
        ("alter table c add q int, add foreign key (q) references p (no), lock=none", "E1846"),
        ("alter table c add q int, add foreign key (q) references p (no), lock=shared", "E1846"),
        ("set foreign_key_checks = 1", "ok 0"),
        ("alter table c drop key p, lock=none", "E1553"),
        ("alter table p drop primary key, lock=none", "E1846"),
        ("insert into c values (3, 3)", "E1452"),
        ("delete from p where no = 1", "E1451"),
        ("check table p, c extended", "test.p|check|status|OK; test.c|check|status|OK"),
    ]]);
}

/// Rows are locked FOR UPDATE by anyone who means to change them: a copy that lets readers go on and locks rows itself must not wait for them
/// while they wait for it.
#[test]
fn locking_reads_and_copies_do_not_wait_for_each_other() {
    for seed in 1..=12 {
        with_server(seed, |server| async move {
            let mut c = server.client();
            c.all(&[
                "create table t (id int primary key, v int)",
                "set cte_max_recursion_depth = 3000",
            ])
            .await;
            c.rows("insert into t with recursive n as (select 1 as i union all select i + 1 from n where i < 3000) select i, i from n")
                .await;
            let rt = server.inst.db.rt().clone();
            let mut readers = Vec::new();
            for n in 0..3 {
                let mut b = server.client();
                readers.push(rt.spawn("reader", async move {
                    for k in 0..40 {
                        let id = 1 + (n * 977 + k * 131) % 3000;
                        b.rows(&format!("select id from t where id = {id} for update")).await;
                    }
                    b.0.close().await;
                }));
            }
            for ty in ["bigint", "int", "decimal(9,0)"] {
                c.rows(&format!("alter table t modify v {ty}")).await;
            }
            for r in readers {
                r.await;
            }
            c.check(&[("select count(*), sum(v) from t", "3000|4501500")]).await;
            c.0.close().await;
        });
    }
}

/// What is run beside the row for a value that an UPDATE sets.
#[test]
fn values_that_are_waited_for_can_be_set() {
    check(&[
        ("create table t (id int primary key, v int, w varchar(20))", "ok 0"),
        ("insert into t values (1, 1, 'x'), (2, 2, 'y')", "ok 2"),
        ("update t set v = sleep(0)", "ok 2"),
        ("update t set v = get_lock('a', 0) + id where id = 2", "ok 1"),
        ("update ignore t set v = benchmark(2, 1) where id = 1", "ok 0"),
        ("update t set w = load_file(w)", "ok 2"),
        ("create view x as select * from t", "ok 0"),
        (
            "update x set v = case id when 1 then 5 + sleep(0) else v end order by id limit 2",
            "ok 1",
        ),
        ("with q as (select 1) update t set v = v + sleep(0)", "ok 0"),
        ("select * from t", "1|5|NULL; 2|3|NULL"),
        ("delete from t where sleep(0) = 0 and id = 1", "ok 1"),
        ("insert into t values (3, sleep(0), 'z') on duplicate key update v = sleep(0)", "ok 1"),
        ("insert into t values (3, 1, 'z') on duplicate key update v = 9 + sleep(0)", "ok 2"),
        ("replace into t values (3, sleep(0) + 4, 'z')", "ok 2"),
        ("select * from t", "2|3|NULL; 3|4|z"),
    ]);
}
