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
        "n + '1'",
        "mod(n, '7')",
        "yearweek(d, '1')",
        "n + (1 + 'x')",
    ];
    for f in refused {
        let made = run_sql(&[
            "create database test",
            "use test",
            &format!("create table a ({columns}) partition by hash ({f}) partitions 2"),
        ]);
        assert!(made[2].starts_with("E1486"), "{f}: {}", made[2]);
    }
    for (f, want) in [
        ("sleep(n)", "E1564"),
        ("get_lock(v, n)", "E1564"),
        ("n + @x", "E1564"),
        ("n + (select 1)", "E1564"),
        ("sum(n)", "E1111"),
        ("n + (n, n)", "E1564"),
    ] {
        let made = format!("create table a ({columns}) partition by hash ({f}) partitions 2");
        let got = run_sql(&["use test", &made]);
        assert!(got[1].starts_with(want), "{f}: {}", got[1]);
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
fn values_are_constants_of_the_right_type() {
    let by_number = |value: &str, list: bool| match list {
        true => format!("partition by list (n) (partition p values in ({value}))"),
        false => format!("partition by range (n) (partition p values less than ({value}))"),
    };
    let columns = "n int, y tinyint, v varchar(10), d date, b varbinary(5)";
    let mut bad = String::new();
    let mut expect = |by: &str, want: &str| {
        let made = format!("create table a ({columns}) {by}");
        let got = &run_sql(&["use test", &made])[1];
        if !got.starts_with(want) {
            bad += &format!("{by}\n  want {want}\n  got  {got}\n");
        }
    };
    let numbers = [
        ("year(now())", "E1486"),
        ("rand() * 10", "E1486"),
        ("year(curdate()) + 1", "E1486"),
        ("connection_id()", "E1486"),
        ("n", "E1486"),
        ("sleep(1)", "E1564 This partition function is not allowed"),
        ("@x", "E1564"),
        ("if(1, 5, 'x')", "E1564"),
        ("-1.5", "E1697 VALUES value for partition 'p' must have type INT"),
        ("1 + 0.5", "E1697"),
        ("concat('1', '0')", "E1564"),
        ("ascii('a')", "E1564"),
        ("round(4.3)", "E1564"),
        ("case when 1 then 2 end", "E1564"),
        ("floor(abs(-4)) + extract(year from '2020-01-01')", "ok 0"),
        ("1e1", "E1697"),
        ("'10'", "E1697"),
        ("x'10'", "E1697"),
        ("date '2020-01-01'", "E1697"),
        ("99999999999999999999", "E1697"),
        ("18446744073709551615", "E1563"),
        ("9223372036854775807 + 1", "E1563"),
        ("10", "ok 0"),
        ("-10", "ok 0"),
        ("true", "ok 0"),
        ("1 + 2 * 3", "ok 0"),
        ("to_days('2020-01-01')", "ok 0"),
        ("year('2020-01-01') + 1", "ok 0"),
        ("unix_timestamp('2020-01-01 00:00:00')", "ok 0"),
    ];
    for (value, want) in numbers {
        expect(&by_number(value, false), want);
        expect(&by_number(value, true), want);
    }
    let wrong = "E1654 Partition column values of incorrect type";
    let listed = [
        ("v", "5", wrong),
        ("v", "5.5", wrong),
        ("v", "1 + 1", wrong),
        ("v", "'five'", "ok 0"),
        ("v", "concat('a', 'b')", "E1564"),
        ("v", "x'41'", "ok 0"),
        ("v", "now()", "E1486"),
        ("d", "20200101", wrong),
        ("d", "to_days('2020-01-01')", wrong),
        ("d", "'2020-01-01'", "ok 0"),
        ("d", "'garbage'", wrong),
        ("d", "date '2020-01-01'", "ok 0"),
        ("d", "'2020-01-01' + interval 1 day", "E1564"),
        ("b", "x'00ff'", "ok 0"),
        ("b", "1", wrong),
        ("n", "'5'", wrong),
        ("n", "1.5", wrong),
        ("n", "concat('5')", "E1564"),
        ("n", "5 + 1", "ok 0"),
        ("y", "1000", wrong),
        ("y", "500 + 500", wrong),
    ];
    for (column, value, want) in listed {
        let range = "(partition p values less than";
        expect(&format!("partition by range columns ({column}) {range} ({value}))"), want);
        let list = "(partition p values in";
        expect(&format!("partition by list columns ({column}) {list} ({value}, null))"), want);
    }
    assert!(bad.is_empty(), "\n{bad}");
}

#[test]
fn long_columns_are_no_partitioning_columns() {
    let refused = "E1502 A BLOB field is not allowed in partition function";
    for ty in ["text", "tinytext", "blob", "longblob", "json", "geometry"] {
        let made = |by: &str| format!("create table a (n int, c {ty}) partition by {by}");
        let got = run_sql(&[
            "use test",
            &made("key (c)"),
            &made("range columns (c) (partition p values less than ('a'))"),
            &made("list columns (n, c) (partition p values in ((1, 'a')))"),
            "create table k (c varchar(5), n int) partition by key (c) partitions 2",
            &format!("alter table k modify c {ty}"),
        ]);
        assert_eq!(got[1..], [refused, refused, refused, "ok 0", refused], "{ty}");
    }
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
        ("alter table t algorithm = instant, rebuild partition p0", "E1845"),
        ("alter table t algorithm = instant, optimize partition p0", "E1845"),
        ("alter table t algorithm = instant, truncate partition p0", "E1845"),
        ("alter table t algorithm = instant, add partition partitions 1", "E1845"),
        ("alter table t algorithm = instant, coalesce partition 1", "E1845"),
        ("alter table t algorithm = instant, check partition p0", "test.t|check|status|OK"),
        ("alter table t algorithm = nonsense, check partition p0", "E1800"),
        ("alter table t lock = none, optimize partition p0", "E1846"),
        ("alter table t lock = shared, rebuild partition all", "E1846"),
        ("alter table t lock = none, add partition partitions 1", "E1846"),
        ("create table o (a int)", "ok 0"),
        ("alter table t lock = none, exchange partition p0 with table o", "E1846"),
        ("alter table t lock = shared, exchange partition p0 with table o", "E1846"),
        (
            "alter table t algorithm = inplace, lock = exclusive, exchange partition p1 with table o",
            "ok 0",
        ),
        ("alter table t exchange partition p0 with table o", "E1737"),
        ("alter table t exchange partition p1 with table o", "ok 0"),
        ("select count(*) from t", "2"),
        ("alter table t add column c int partition by hash (c) partitions 3", "ok 2"),
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
        ("alter table o drop column a partition by hash (b) partitions 3", "ok 0"),
        ("alter table o rename column b to c remove partitioning", "ok 0"),
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
        ("update t x join t y on x.a = y.a set x.n = 7, y.n = 5 where y.a > 30", "ok 2"),
        ("create table p (a int primary key, n int)", "ok 0"),
        ("insert into p values (1, 0), (2, 0), (3, 0)", "ok 3"),
        ("update p x join p y on x.a = y.a set x.a = x.a + 10, y.n = 5", "E1706"),
        ("create trigger b before update on p for each row set new.a = old.a + 10", "ok 0"),
        ("update p set n = n + 1", "ok 3"),
        ("select * from p", "11|1; 12|1; 13|1"),
    ]);
}

/// A change under one name of a table must not be lost because the row moved under the other.
#[test]
fn no_change_is_lost_between_two_names_of_a_table() {
    let refused = "E1706 Primary key/partition key update is not allowed since the table is updated both as 'x' and 'y'.";
    check(&[
        (
            "create table t (a int, b int, n int, h int as (b + 1) stored, g int as (h * 2) stored) partition by hash (g) partitions 3",
            "ok 0",
        ),
        ("insert into t (a, b, n) values (1, 1, 0), (2, 2, 0)", "ok 2"),
        ("update t x join t y on x.a = y.a set x.b = x.b + 1, y.n = 5", refused),
        ("update t x join t y on x.a = y.a set y.n = 5, x.b = x.b + 1", refused),
        ("update t x join t y on x.a = y.a set x.a = x.a + 10, y.n = 5", "ok 4"),
        ("select a, n from t order by a", "11|5; 12|5"),
        ("create trigger b before update on t for each row set new.b = old.b + 1", "ok 0"),
        ("update t x join t y on x.a = y.a set x.a = x.a + 10, y.n = 6", refused),
        ("update t x join t y on x.a = y.a set x.n = 7 where y.a = 11", "ok 1"),
        ("select a, b, n from t order by a", "11|2|7; 12|2|5"),
        (
            "create table u (a int, n int, at timestamp not null default '2020-01-01 00:00:00' on update current_timestamp) \
             partition by hash (unix_timestamp(at)) partitions 5",
            "ok 0",
        ),
        ("insert into u (a, n) values (1, 0), (2, 0)", "ok 2"),
        ("update u x join u y on x.a = y.a set x.a = x.a + 10, y.n = 5", refused),
        ("update u set n = n + 1", "ok 2"),
        ("select a, n from u order by a", "1|1; 2|1"),
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

/// A row behind the back of the server, in a partition that is not its own.
async fn misplace(server: &Server, table: &str, from: usize, to: usize) {
    use weir_engine::{Durability, ScanSpec, TxnOptions};
    let t = server.inst.db.table("test", table).expect("there");
    let mut txn = server.inst.db.begin(TxnOptions::default());
    txn.begin_statement();
    let every_row = ScanSpec {
        index: 0,
        start: Vec::new(),
        end: None,
        reverse: false,
        lock: weir_engine::LockMode::None,
        on_locked: weir_engine::OnLocked::Wait,
        unique_eq: false,
        expect: 0,
        fetch_external: true,
        rows_only: false,
        index_only: None,
    };
    let mut scan = txn.scan(&t.parts[from], every_row);
    assert!(scan.next(&mut txn).await.expect("reads"));
    let row = scan.row().to_vec();
    drop(scan);
    txn.insert(&t.parts[to], &row).await.expect("writes");
    txn.commit(Durability::Flush).await.expect("commits");
}

#[test]
fn a_check_finds_rows_in_other_partitions_than_their_own() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let long = "repeat('long', 20000)";
        c.all(&[
            "create table h (a int primary key, v longtext) partition by hash (a) partitions 3",
            &format!("insert into h values (1, {long}), (2, {long})"),
            "create table r (a varchar(20)) partition by range columns (a) \
             (partition p0 values less than ('b'), partition p1 values less than ('c'))",
            "insert into r values ('a'), ('b')",
            "create table l (a int) partition by list (a) (partition p0 values in (1), partition p1 values in (2))",
            "insert into l values (1), (2)",
            "create table s (a int, b int) partition by range (a) subpartition by hash (b) subpartitions 2 \
             (partition p0 values less than (10), partition p1 values less than (20))",
            "insert into s values (15, 5)",
        ])
        .await;
        c.check(&[
            ("check table h, r", "test.h|check|status|OK; test.r|check|status|OK"),
            ("alter table l check partition all", "test.l|check|status|OK"),
        ])
        .await;
        misplace(&server, "h", 1, 2).await;
        misplace(&server, "r", 1, 0).await;
        misplace(&server, "l", 0, 1).await;
        misplace(&server, "s", 3, 2).await;
        c.check(&[
            (
                "check table h, r",
                "test.h|check|error|Found a misplaced row in part 2 should be in part 1; test.h|check|error|Corrupt; \
                 test.r|check|error|Found a misplaced row in part 0 should be in part 1; test.r|check|error|Corrupt",
            ),
            ("alter table l check partition p0", "test.l|check|status|OK"),
            (
                "alter table l check partition p1",
                "test.l|check|error|Found a misplaced row in part 1 should be in part 0; test.l|check|error|Corrupt",
            ),
            ("alter table l exchange partition p1 with table h", "E1732"),
            (
                "check table s",
                "test.s|check|error|Found a misplaced row in part 2 should be in part 3; test.s|check|error|Corrupt",
            ),
            ("alter table s check partition p1sp1, p0", "test.s|check|status|OK"),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn many_partitions_are_read_in_order() {
    check(&[
        (
            "create table m (a int primary key, v varchar(500)) partition by hash (a) partitions 300",
            "ok 0",
        ),
        (
            "insert into m select n, repeat('x', 500) from (with recursive c (n) as (select 0 union all select n + 1 from c where n < 899) select n from c) d",
            "ok 900",
        ),
        ("select a from m order by a limit 3", "0; 1; 2"),
        ("select a from m order by a desc limit 3", "899; 898; 897"),
        ("set connection_memory_limit = 2097152", "ok 0"),
        ("select a from m order by a limit 3", "E4082"),
        ("select v from m order by a desc limit 3", "E4082"),
        ("select a from m where a in (5, 6) order by a", "5; 6"),
        ("set connection_memory_limit = default", "ok 0"),
        ("select a from m where a > 700 order by a limit 2 offset 100", "801; 802"),
        ("alter table m add key (v(100)), add key w (a, v(100))", "ok 0"),
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
                "b|CREATE TABLE `b` (\n  `c` varbinary(5) DEFAULT NULL\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci\n\
                 /*!50500 PARTITION BY RANGE  COLUMNS(c)\n(PARTITION p0 VALUES LESS THAN (0x00FF27) ENGINE = InnoDB,\n PARTITION p1 VALUES LESS THAN (MAXVALUE) ENGINE = InnoDB) */",
            ),
            ("insert into b values (x'00ff26'), (x'00ff27'), (null)", "ok 3"),
            ("select hex(c) from b partition (p1)", "00FF27"),
        ],
        &[("select count(*) from b partition (p0)", "2")],
    ]);
}

/// Rows in VALUES IN are of several columns.
#[test]
fn rows_of_one_value() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let told = "E1064 Row expressions in VALUES IN only allowed for multi-field column partitioning near '))' at line 1";
        c.check(&[
            ("create table a (a int) partition by list (a) (partition p values in ((4)))", told),
            ("create table a (a int) partition by list columns (a) (partition p values in ((4)))", told),
            ("create table a (a int, b int) partition by list columns (a, b) (partition p values in ((4, 5)))", "ok 0"),
            ("create table b (a int) partition by list (a) (partition p values in (1 + (4)))", "ok 0"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}
