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
