//! What partitioned tables must not let through: functions that depend on more than the row, definitions that ALTER TABLE leaves broken,
//! tables that are no partitions, rows that a statement would meet twice, and pruning that leaves rows out.
use crate::common::*;

fn check(cases: &[(&str, &str)]) {
    check_lives(&[cases]);
}

#[test]
fn functions_rest_on_the_row_alone() {
    let columns =
        "d date, dt datetime, t time, v varchar(20), n int, u int unsigned, x decimal(5, 2)";
    let refused = [
        "dayofmonth(t)",
        "year(t)",
        "to_days(v)",
        "year(v)",
        "month(n)",
        "hour(d)",
        "second(v)",
        "time_to_sec(d)",
        "extract(year from t)",
        "extract(hour from d)",
        "extract(day_hour from d)",
        "extract(day_hour from t)",
        "datediff(d, t)",
        "datediff(d, v)",
        "datediff(d, time '10:00:00')",
        "v + 1",
        "abs(v)",
        "d + 1",
        "n mod d",
        "ceiling(v)",
        "floor(t)",
        "year('2020-01-01') + n",
    ];
    for f in refused {
        let made = run_sql(&[
            "create database test",
            "use test",
            &format!("create table a ({columns}) partition by hash ({f}) partitions 2"),
        ]);
        assert!(made[2].starts_with("E1486"), "{f}: {}", made[2]);
    }
    let taken = [
        "dayofmonth(dt)",
        "year(d)",
        "to_days(d)",
        "to_seconds(dt)",
        "hour(t)",
        "time_to_sec(dt)",
        "extract(year from d)",
        "extract(minute from t)",
        "extract(day_hour from dt)",
        "datediff(d, dt)",
        "datediff(d, '2000-01-01')",
        "n + 1",
        "abs(n)",
        "floor(x)",
        "mod(n, 7)",
        "n div 7",
        "yearweek(d, 1)",
    ];
    for f in taken {
        let made = run_sql(&[
            "create database test",
            "use test",
            &format!("create table a ({columns}) partition by hash ({f}) partitions 2"),
            "insert into a values ('2020-02-03', '2020-02-03 10:20:30', '10:20:30', 'v', 5, 6, 7)",
        ]);
        assert_eq!(made[2..], ["ok 0", "ok 1"], "{f}");
    }
    check(&[
        ("create table u (u int unsigned) partition by hash (u - 10) partitions 3", "ok 0"),
        ("set sql_mode = 'NO_UNSIGNED_SUBTRACTION'", "ok 0"),
        ("insert into u values (5)", "E1690"),
        ("insert into u values (15)", "ok 1"),
        ("set sql_mode = default", "ok 0"),
        ("select u from u where u = 15", "15"),
    ]);
}

#[test]
fn clauses_about_partitions_stand_alone() {
    check(&[
        ("create table t (a int) partition by hash (a) partitions 2", "ok 0"),
        ("insert into t values (1), (2)", "ok 2"),
        ("alter table t add column c int, truncate partition p0", "E1064"),
        ("alter table t truncate partition p0, add column c int", "E1064"),
        ("alter table t truncate partition p0, rename to s", "E1064"),
        ("alter table t truncate partition p0, truncate partition p1", "E1064"),
        ("alter table t rebuild partition p0, comment = 'x'", "E1064"),
        ("select count(*) from t", "2"),
        ("alter table t algorithm = copy, lock = exclusive, rebuild partition p0", "ok 0"),
        ("alter table t add column c int, partition by hash (c) partitions 3", "ok 2"),
        ("select count(*) from t", "2"),
    ]);
}

#[test]
fn altered_columns_keep_a_partitioning_that_holds() {
    check(&[
        (
            "create table r (c varchar(5) collate utf8mb4_bin) partition by range columns (c) \
             (partition p0 values less than ('B'), partition p1 values less than ('a'), partition p2 values less than (maxvalue))",
            "ok 0",
        ),
        ("insert into r values ('A'), ('C'), ('b')", "ok 3"),
        ("alter table r convert to character set utf8mb4 collate utf8mb4_general_ci", "E1493"),
        ("alter table r modify c varchar(5) collate utf8mb4_general_ci", "E1493"),
        ("select c from r where c = 'C'", "C"),
        (
            "create table l (c varchar(5) collate utf8mb4_bin) partition by list columns (c) \
             (partition p0 values in ('a'), partition p1 values in ('A'))",
            "ok 0",
        ),
        ("alter table l modify c varchar(5) collate utf8mb4_general_ci", "E1495"),
        (
            "create table n (n int) partition by range (n) (partition p0 values less than (-5), partition p1 values less than (5))",
            "ok 0",
        ),
        ("alter table n modify n int unsigned", "E1563"),
        ("alter table n modify n bigint", "ok 0"),
        ("alter table n modify n varchar(5)", "E1659"),
        ("create table d (d date) partition by hash (year(d)) partitions 2", "ok 0"),
        ("alter table d modify d varchar(20)", "E1486"),
        ("alter table d modify d timestamp null", "E1486"),
        ("alter table d modify d datetime", "ok 0"),
        (
            "create table k (a int not null primary key, b int not null) partition by key () partitions 2",
            "ok 0",
        ),
        ("alter table k drop primary key", "E1488"),
        ("alter table k drop primary key, add unique (b)", "ok 0"),
        ("insert into k values (1, 1), (2, 2), (3, 3)", "ok 3"),
        ("select a from k where b = 2", "2"),
        ("check table k", "test.k|check|status|OK"),
        ("create table o (a int, b int) partition by hash (a) partitions 2", "ok 0"),
        ("alter table o drop column a, partition by hash (b) partitions 3", "ok 0"),
        ("alter table o rename column b to c, remove partitioning", "ok 0"),
        ("alter table o remove partitioning", "E1505"),
    ]);
}

#[test]
fn only_a_table_of_the_same_form_becomes_a_partition() {
    check(&[
        (
            "create table t (a int not null, b int not null, unique k1 (a, b), unique k2 (b, a)) partition by hash (a) partitions 1",
            "ok 0",
        ),
        (
            "create table o (a int not null, b int not null, unique k2 (b, a), unique k1 (a, b))",
            "ok 0",
        ),
        ("insert into t values (1, 9), (2, 8), (3, 7)", "ok 3"),
        ("insert into o values (4, 6), (5, 5), (6, 4)", "ok 3"),
        ("alter table t exchange partition p0 with table o", "E1736"),
        (
            "create table s (a int not null, b int not null, unique k1 (a, b), unique k2 (b, a))",
            "ok 0",
        ),
        ("insert into s select * from o", "ok 3"),
        ("alter table t exchange partition p0 with table s", "ok 0"),
        ("select a from t where b = 5", "5"),
        ("select b from s where a = 2 and b = 8", "8"),
        (
            "check table t, o, s",
            "test.t|check|status|OK; test.o|check|status|OK; test.s|check|status|OK",
        ),
        ("create table c (a int, check (a > 5)) partition by hash (a) partitions 1", "ok 0"),
        ("create table p (a int)", "ok 0"),
        ("create table q (a int) partition by hash (a) partitions 1", "ok 0"),
        ("create table w (a int, check (a > 5))", "ok 0"),
        ("insert into p values (1)", "ok 1"),
        ("insert into q values (1)", "ok 1"),
        ("alter table c exchange partition p0 with table p", "E1736"),
        ("alter table q exchange partition p0 with table w", "E1736"),
        ("alter table c exchange partition p0 with table w", "ok 0"),
    ]);
}

#[test]
fn no_row_is_met_twice() {
    check(&[
        (
            "create table t (a int, n int) partition by range (a) (partition p0 values less than (10), partition p1 values less than (20), partition p2 values less than maxvalue)",
            "ok 0",
        ),
        ("insert into t values (1, 0), (2, 0), (11, 0), (25, 0)", "ok 4"),
        ("create trigger b before update on t for each row set new.a = old.a + 10", "ok 0"),
        ("update t set n = n + 1", "ok 4"),
        ("select * from t order by a", "11|1; 12|1; 21|1; 35|1"),
        ("drop trigger b", "ok 0"),
        ("update t x join t y on x.a = y.a set x.a = x.a + 10, y.n = 5", "E1706"),
        ("create table p (a int primary key, n int)", "ok 0"),
        ("insert into p values (1, 0), (2, 0), (3, 0)", "ok 3"),
        ("create trigger b before update on p for each row set new.a = old.a + 10", "ok 0"),
        ("update p set n = n + 1", "ok 3"),
        ("select * from p", "11|1; 12|1; 13|1"),
    ]);
}

#[test]
fn pruning_leaves_no_row_out() {
    check(&[
        ("set sql_mode = ''", "ok 0"),
        (
            "create table y (d date) partition by range (year(d)) (partition p0 values less than (2000), partition p1 values less than (2001))",
            "ok 0",
        ),
        (
            "insert into y values ('2000-00-00'), ('1999-12-31'), ('2000-01-01'), ('2000-00-05')",
            "ok 4",
        ),
        ("select count(*) from y where d < '2000-01-01'", "3"),
        ("select count(*) from y where d <= '2000-00-00'", "2"),
        ("select count(*) from y where d < '2000-00-00'", "1"),
        ("create table h (a bigint, b bigint) partition by hash (a + b) partitions 3", "ok 0"),
        ("insert into h values (1, 1), (null, 4)", "ok 2"),
        ("insert into h values (9223372036854775807, 1)", "E1690"),
        ("select * from h where a = 9223372036854775807 and b = 1", ""),
        ("select * from h where a in (1, 9223372036854775807) and b = 1", "1|1"),
        ("delete from h where a = 9223372036854775807 and b = 1", "ok 0"),
        ("set sql_mode = 'ALLOW_INVALID_DATES'", "ok 0"),
        (
            "create table i (d date) partition by range (to_days(d)) (partition p0 values less than (to_days('2000-03-01')), partition p1 values less than maxvalue)",
            "ok 0",
        ),
        ("insert into i values ('2000-02-30'), ('2000-02-28'), ('2000-03-01')", "ok 3"),
        ("select count(*) from i where d < '2000-03-01'", "2"),
        ("select count(*) from i where d > '2000-02-28'", "2"),
        ("set sql_mode = default", "ok 0"),
        ("select count(*) from i where d < '2000-03-01'", "2"),
        ("check table i", "test.i|check|status|OK"),
    ]);
}

#[test]
fn many_partitions_are_read_in_order() {
    check(&[
        (
            "create table m (a int primary key, v varchar(100)) partition by hash (a) partitions 300",
            "ok 0",
        ),
        (
            "insert into m select n, repeat('x', 100) from (with recursive c (n) as (select 0 union all select n + 1 from c where n < 899) select n from c) d",
            "ok 900",
        ),
        ("select a from m order by a limit 3", "0; 1; 2"),
        ("select a from m order by a desc limit 3", "899; 898; 897"),
        ("select a from m where a > 700 order by a limit 2 offset 100", "801; 802"),
        ("alter table m add key (v), add key w (a, v)", "ok 0"),
        ("alter table m drop key v, drop key w", "ok 0"),
        ("select count(*) from m", "900"),
    ]);
}

#[test]
fn bounds_of_bytes_are_shown_so_that_they_can_be_read() {
    check_lives(&[
        &[
            (
                "create table b (c varbinary(5)) partition by range columns (c) (partition p0 values less than (x'00ff27'), partition p1 values less than (maxvalue))",
                "ok 0",
            ),
            (
                "show create table b",
                "b|CREATE TABLE `b` (\n  `c` varbinary(5) DEFAULT NULL\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci\n\
                 /*!50500 PARTITION BY RANGE  COLUMNS(c)\n(PARTITION p0 VALUES LESS THAN (0x00FF27) ENGINE = InnoDB,\n PARTITION p1 VALUES LESS THAN (MAXVALUE) ENGINE = InnoDB) */",
            ),
            ("insert into b values (x'00ff26'), (x'00ff27'), (null)", "ok 3"),
            ("select hex(c) from b partition (p1)", "00FF27"),
        ],
        &[("select count(*) from b partition (p0)", "2")],
    ]);
}
