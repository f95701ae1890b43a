//! Subpartitions: what their definitions say and how they are shown, which leaf a row goes to and a search reads, and what maintenance
//! does to partitions that are divided again.
use crate::common::*;

fn check(cases: &[(&str, &str)]) {
    check_lives(&[cases]);
}

const WRONG_NUMBER: &str =
    "E1485 Wrong number of subpartitions defined, mismatch with previous setting";
const MIXED: &str = "E1500 It is only possible to mix RANGE/LIST partitioning with HASH/KEY partitioning for subpartitioning";

#[test]
fn definitions_that_do_not_hold() {
    let range = "partition by range (a) subpartition by";
    let two = "(partition p0 values less than (10), partition p1 values less than (20))";
    let cases = [
        ("partition by hash (a) subpartition by key (a)".into(), MIXED),
        ("partition by key (a) partitions 2 subpartition by hash (a)".into(), MIXED),
        (
            "partition by hash (a) subpartition by hash (a) (partition p0 (subpartition s0))".into(),
            MIXED,
        ),
        (
            "partition by range (a) (partition p0 values less than (10) (subpartition s0, subpartition s1))"
                .into(),
            MIXED,
        ),
        (format!("{range} range (a) {two}"), "E1064"),
        (format!("{range} list columns (a) {two}"), "E1064"),
        (format!("{range} key () {two}"), "E1064"),
        (format!("{range} hash (a) (partition p0 values less than (1) (subpartition s0 values less than (1)))"), "E1064"),
        (
            format!("{range} hash (a) subpartitions 0 {two}"),
            "E1504 Number of subpartitions = 0 is not an allowed value",
        ),
        (format!("{range} hash (a) subpartitions 4097 {two}"), "E1499"),
        (format!("{range} hash (a) subpartitions 18446744073709551615 {two}"), "E1499"),
        (format!("{range} hash (a) subpartitions 2"), "E1492"),
        (
            format!("{range} hash (a) subpartitions 3 (partition p0 values less than (10) (subpartition s0, subpartition s1))"),
            WRONG_NUMBER,
        ),
        (
            format!("{range} hash (a) (partition p0 values less than (10) (subpartition s0), partition p1 values less than (20))"),
            WRONG_NUMBER,
        ),
        (
            format!("{range} hash (a) (partition p0 values less than (10), partition p1 values less than (20) (subpartition s0))"),
            WRONG_NUMBER,
        ),
        (
            format!("{range} hash (a) (partition p0 values less than (10) (subpartition s0, subpartition s1), partition p1 values less than (20) (subpartition s2))"),
            WRONG_NUMBER,
        ),
        (
            format!("{range} hash (a) (partition p0 values less than (10) (subpartition s0, subpartition S0))"),
            "E1517 Duplicate partition name S0",
        ),
        (
            format!("{range} hash (a) (partition p0 values less than (10) (subpartition s0, subpartition p0))"),
            "E1517 Duplicate partition name p0",
        ),
        (
            format!("{range} hash (a) (partition p0 values less than (10), partition P0sp0 values less than (20))"),
            "E1517 Duplicate partition name P0sp0",
        ),
        (
            format!("{range} hash (a) (partition p0 values less than (10) (subpartition ``))"),
            "E1567 The partition name '' is not allowed",
        ),
        (format!("{range} hash (a) (partition {} values less than (10))", "p".repeat(64)), "E1059"),
        (format!("{range} hash (d) {two}"), "E1659 Field 'd' is of a not allowed type"),
        (format!("{range} hash (rand()) {two}"), "E1486"),
        (format!("{range} hash (4) {two}"), "E1486"),
        (format!("{range} hash (nope) {two}"), "E1488"),
        (format!("{range} key (nope) {two}"), "E1488"),
        (format!("{range} key (t) {two}"), "E1502"),
        (format!("{range} key (a, a) {two}"), "E1652"),
        (format!("{range} key algorithm = 3 (a) {two}"), "E1064"),
    ];
    for (by, want) in cases {
        let made = format!("create table t (a int, b int, d date, t text) {by}");
        let got = run_sql(&["create database test", "use test", &made, "select * from t"]);
        assert!(got[2].starts_with(want), "{by}\n  want {want}\n  got  {}", got[2]);
        assert!(got[3].starts_with("E1146"), "{by}");
    }
    check(&[
        (
            "create table t (a int primary key, b int) partition by range (a) subpartition by hash (b) (partition p0 values less than (10))",
            "E1503 A PRIMARY KEY must include all columns in the table's partitioning function (prefixed columns are not considered).",
        ),
        (
            "create table t (a int, b int, unique (b)) partition by range (a) subpartition by key (b) (partition p0 values less than (10))",
            "E1503",
        ),
        (
            "create temporary table t (a int) partition by range (a) subpartition by key (a) (partition p0 values less than (10))",
            "E1562",
        ),
        ("create table q (id int primary key)", "ok 0"),
        (
            "create table t (a int, foreign key (a) references q (id)) partition by range (a) subpartition by key (a) (partition p0 values less than (10))",
            "E1506",
        ),
        (
            "create table t (a int, b int, primary key (a, b)) partition by range (a) subpartition by hash (b) (partition p0 values less than (10))",
            "ok 0",
        ),
        ("alter table t add unique key (a)", "E1503"),
        ("alter table t drop column b", "E3855"),
        ("alter table t rename column b to c", "E3855"),
        ("alter table t modify b varchar(10)", "E1659"),
        ("alter table t modify b bigint", "ok 0"),
        ("alter table t add foreign key (a) references q (id)", "E1506"),
    ]);
}

/// The definition as it is shown makes the same table again.
#[test]
fn what_is_shown_is_read_again() {
    let columns = "`a` int DEFAULT NULL,\n  `b` varchar(10) DEFAULT NULL,\n  `d` date DEFAULT NULL";
    let cases = [
        (
            "range (a) subpartition by hash (to_days(d)) subpartitions 2 (partition p0 values less than (10) comment 'x', partition p1 values less than maxvalue)",
            "/*!50100 PARTITION BY RANGE (`a`)\nSUBPARTITION BY HASH (to_days(`d`))\nSUBPARTITIONS 2\n(PARTITION p0 VALUES LESS THAN (10) COMMENT = 'x' ENGINE = InnoDB,\n PARTITION p1 VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */",
        ),
        (
            "list (a) partitions 1 subpartition by linear hash (a + 1) (partition p0 values in (1, null))",
            "/*!50100 PARTITION BY LIST (`a`)\nSUBPARTITION BY LINEAR HASH ((`a` + 1))\n(PARTITION p0 VALUES IN (1,NULL) ENGINE = InnoDB) */",
        ),
        (
            "range columns (d, a) subpartition by key (b, a) subpartitions 3 (partition p0 values less than ('2020-01-01', maxvalue))",
            "/*!50500 PARTITION BY RANGE  COLUMNS(d,a)\nSUBPARTITION BY KEY (b,a)\nSUBPARTITIONS 3\n(PARTITION p0 VALUES LESS THAN ('2020-01-01',MAXVALUE) ENGINE = InnoDB) */",
        ),
        (
            "list columns (b) subpartition by linear key algorithm = 1 (a) subpartitions 2 (partition p0 values in ('x'))",
            "/*!50500 PARTITION BY LIST  COLUMNS(b)\nSUBPARTITION BY LINEAR KEY */ /*!50611 ALGORITHM = 1 */ /*!50100 (a)\nSUBPARTITIONS 2\n(PARTITION p0 VALUES IN ('x') ENGINE = InnoDB) */",
        ),
        (
            "range (a) subpartition by key algorithm = 2 (b) subpartitions 2 (partition p0 values less than (10) comment 'outer' max_rows 7 \
             (subpartition `s 0` comment 'inner', subpartition `select` engine innodb min_rows 3), partition p1 values less than (20) (subpartition `1`, subpartition s3))",
            "/*!50100 PARTITION BY RANGE (`a`)\nSUBPARTITION BY KEY (b)\n(PARTITION p0 VALUES LESS THAN (10)\n (SUBPARTITION `s 0` MAX_ROWS = 7 COMMENT = 'inner' ENGINE = InnoDB,\n  \
             SUBPARTITION `select` MAX_ROWS = 7 MIN_ROWS = 3 COMMENT = 'outer' ENGINE = InnoDB),\n PARTITION p1 VALUES LESS THAN (20)\n (SUBPARTITION `1` ENGINE = InnoDB,\n  \
             SUBPARTITION s3 ENGINE = InnoDB)) */",
        ),
    ];
    for (by, shown) in cases {
        let made = format!(
            "CREATE TABLE `t` (\n  {columns}\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci\n{shown}"
        );
        let told = format!("t|{made}");
        let create = format!("create table t (a int, b varchar(10), d date) partition by {by}");
        check_lives(&[
            &[(&create, "ok 0"), ("show create table t", &told)],
            &[
                ("show create table t", &told),
                ("create table copy like t", "ok 0"),
                ("drop table t", "ok 0"),
                (&made, "ok 0"),
                ("show create table t", &told),
                ("drop table t", "ok 0"),
                ("rename table copy to t", "ok 0"),
                ("show create table t", &told),
                ("check table t", "test.t|check|status|OK"),
            ],
        ]);
    }
}

/// Partitions by a, subpartitions by b.
const MADE: (&str, &str) = (
    "create table t (a int, b int, c varchar(20), key (c), key (b)) partition by range (a) subpartition by hash (b) subpartitions 3 \
     (partition p0 values less than (10), partition p1 values less than (20) comment 'second', partition p2 values less than maxvalue)",
    "ok 0",
);

#[test]
fn rows_go_by_both_functions() {
    check_lives(&[
        &[
            MADE,
            (
                "insert into t values (1, 0, 'a'), (1, 1, 'b'), (11, 4, 'c'), (25, 5, 'd'), (null, null, 'e'), (5, -4, 'f')",
                "ok 6",
            ),
            ("select c from t partition (p0) order by c", "a; b; e; f"),
            ("select c from t partition (p0sp0) order by c", "a; e"),
            ("select c from t partition (P0SP1, p1sp1, p2sp2) order by c", "b; c; d; f"),
            ("select c from t partition (p0, p0sp1, p2) order by c", "a; b; d; e; f"),
            (
                "select c from t partition (p0_p0sp0)",
                "E1735 Unknown partition 'p0_p0sp0' in table 't'",
            ),
            ("select c from t partition (p0sp3)", "E1735"),
            ("insert into t partition (p0sp1) values (2, 7, 'g')", "ok 1"),
            ("insert into t partition (p0sp1) values (2, 8, 'h')", "E1748"),
            ("insert into t partition (p0sp1) values (12, 7, 'h')", "E1748"),
            ("replace into t partition (p1, p2sp0) values (12, 7, 'h'), (22, 9, 'i')", "ok 2"),
            ("replace into t partition (p1, p2sp0) values (22, 10, 'i')", "E1748"),
            ("update t partition (p0sp1) set b = 10 where c = 'g'", "ok 1"),
            ("update t partition (p0sp1) set b = 9 where c = 'g'", "E1748"),
            ("delete from t partition (p2sp0)", "ok 1"),
            // Within a partition, between partitions, and both.
            ("update t set b = b + 1 where c = 'a'", "ok 1"),
            ("update t set a = 15 where c = 'b'", "ok 1"),
            ("update t set a = a + 10, b = b + 1 where c in ('b', 'c')", "ok 2"),
            ("update t set a = 3 where c = 'e'", "ok 1"),
            ("select c from t partition (p0sp1) order by c", "a; f; g"),
            ("select c from t partition (p2sp2) order by c", "b; c; d"),
            (
                "select c, a, b from t order by c",
                "a|1|1; b|25|2; c|21|5; d|25|5; e|3|NULL; f|5|-4; g|2|10; h|12|7",
            ),
            ("delete x from t x join t y on x.a = y.a where y.c = 'd' and x.c = 'b'", "ok 1"),
        ],
        &[
            ("select c from t order by c desc limit 3", "h; g; f"),
            ("select c from t where b = 5 order by c", "c; d"),
            ("check table t", "test.t|check|status|OK"),
            (
                "select partition_name, subpartition_name, partition_ordinal_position, subpartition_ordinal_position, partition_method, subpartition_method, \
                 partition_expression, subpartition_expression, partition_description, table_rows, partition_comment from information_schema.partitions \
                 where table_name = 't' and partition_name > 'p0'",
                "p1|p1sp0|2|1|RANGE|HASH|`a`|`b`|20|0|second; p1|p1sp1|2|2|RANGE|HASH|`a`|`b`|20|1|second; p1|p1sp2|2|3|RANGE|HASH|`a`|`b`|20|0|second; \
                 p2|p2sp0|3|1|RANGE|HASH|`a`|`b`|MAXVALUE|0|; p2|p2sp1|3|2|RANGE|HASH|`a`|`b`|MAXVALUE|0|; p2|p2sp2|3|3|RANGE|HASH|`a`|`b`|MAXVALUE|2|",
            ),
            (
                "select name from information_schema.innodb_tables where name like 'test/%#p1#%'",
                "test/t#p#p1#sp#p1sp0; test/t#p#p1#sp#p1sp1; test/t#p#p1#sp#p1sp2",
            ),
            ("begin", "ok 0"),
            ("select c from t where a = 12 and b = 7 for update", "h"),
            (
                "select distinct partition_name, subpartition_name from performance_schema.data_locks where lock_type = 'RECORD'",
                "p1|p1sp1",
            ),
            ("rollback", "ok 0"),
            ("truncate table t", "ok 0"),
            ("select count(*) from t", "0"),
            ("drop table t", "ok 0"),
        ],
    ]);
}

#[test]
fn generated_columns_triggers_and_lists_without_a_place() {
    check(&[
        (
            "create table g (a int, b int, h int as (a + b) stored, primary key (a, b, h)) partition by list (a mod 3) subpartition by hash (h) subpartitions 2 \
             (partition p0 values in (0), partition p1 values in (1))",
            "ok 0",
        ),
        ("insert into g (a, b) values (1, 1), (3, 4), (4, 4)", "ok 3"),
        ("insert into g (a, b) values (1, 2), (2, 2)", "E1526 Table has no partition for value 2"),
        ("insert ignore into g (a, b) values (1, 3), (2, 2)", "ok 1"),
        ("select a, b from g partition (p1sp0) order by b", "1|1; 1|3; 4|4"),
        ("update g set b = b + 1 where a = 1", "ok 2"),
        ("select a, b from g partition (p1sp1) order by b", "1|2; 1|4"),
        ("create trigger up before update on g for each row set new.b = old.b + 10", "ok 0"),
        ("update g set a = a + 3", "ok 4"),
        ("select a, b, h from g order by a, b", "4|12|16; 4|14|18; 6|14|20; 7|14|21"),
        ("select a, b from g partition (p1sp0) order by b", "4|12; 4|14"),
        ("update g x join g y on x.a = y.a set x.b = 1, y.a = 5", "E1706"),
        ("check table g", "test.g|check|status|OK"),
    ]);
}

#[test]
fn pruning_by_either_function_and_by_both() {
    let leaves = |list: &str, share: &str| {
        format!("1|SIMPLE|t|{list}|ALL|NULL|NULL|NULL|NULL|40|{share}|Using where")
    };
    let both = "create table t (a int, b int) partition by range (a) subpartition by hash (b) subpartitions 3 \
                (partition p0 values less than (10), partition p1 values less than (20), partition p2 values less than maxvalue)";
    let fill = "insert into t with recursive c (n) as (select 0 union all select n + 1 from c where n < 39) select n, n from c";
    let cases = [
        ("a = 5", leaves("p0_p0sp0,p0_p0sp1,p0_p0sp2", "10.00")),
        ("a > 19", leaves("p2_p2sp0,p2_p2sp1,p2_p2sp2", "33.33")),
        ("b = 4", leaves("p0_p0sp1,p1_p1sp1,p2_p2sp1", "10.00")),
        ("b in (3, 4)", leaves("p0_p0sp0,p0_p0sp1,p1_p1sp0,p1_p1sp1,p2_p2sp0,p2_p2sp1", "20.00")),
        ("b between 3 and 4 and a < 10", leaves("p0_p0sp0,p0_p0sp1", "3.70")),
        ("a = 5 and b = 5", leaves("p0_p0sp2", "2.50")),
        ("a < 20 and b is null", leaves("p0_p0sp0,p1_p1sp0", "3.33")),
        ("a between 5 and 15 and b = 2", leaves("p0_p0sp2,p1_p1sp2", "2.50")),
        ("(a = 1 and b = 2) or (a = 12 and b = 3)", leaves("p0_p0sp2,p1_p1sp0", "2.50")),
        ("a = 1 or b = 3", leaves("p0_p0sp0,p0_p0sp1,p0_p0sp2,p1_p1sp0,p2_p2sp0", "19.00")),
        (
            "a > 9 and ((a < 20 and b = 1) or (a >= 20 and b in (2, 3)))",
            leaves("p1_p1sp1,p2_p2sp0,p2_p2sp2", "3.26"),
        ),
        (
            "(a = 1 and b = 2) or (a = 12 and b < 3)",
            leaves("p0_p0sp2,p1_p1sp0,p1_p1sp1,p1_p1sp2", "4.30"),
        ),
        (
            "b > 4",
            leaves(
                "p0_p0sp0,p0_p0sp1,p0_p0sp2,p1_p1sp0,p1_p1sp1,p1_p1sp2,p2_p2sp0,p2_p2sp1,p2_p2sp2",
                "33.33",
            ),
        ),
    ];
    let explained: Vec<(String, String)> = cases
        .into_iter()
        .map(|(c, want)| (format!("explain select * from t where {c}"), want))
        .collect();
    let mut all =
        vec![(both, "ok 0"), (fill, "ok 40"), ("analyze table t", "test.t|analyze|status|OK")];
    all.extend(explained.iter().map(|(a, b)| (&a[..], &b[..])));
    all.extend([
        ("explain select * from t partition (p1sp1, p2) where b = 1", "1|SIMPLE|t|p1_p1sp1,p2_p2sp1|ALL|NULL|NULL|NULL|NULL|40|10.00|Using where"),
        ("explain delete from t where a = 11 and b = 11", "1|DELETE|t|p1_p1sp2|ALL|NULL|NULL|NULL|NULL|40|2.50|Using where"),
        ("explain insert into t partition (p0sp1) values (1, 1)", "1|INSERT|t|p0_p0sp1|ALL|NULL|NULL|NULL|NULL|NULL|NULL|NULL"),
        ("select count(*) from t where b = 4", "1"),
        ("select a from t where a < 10 and b in (3, 4, 12)", "3; 4"),
        ("select x.a from t x join t y on x.a = y.a + 2 and x.b = y.b + 2 where y.b = 8", "10"),
        ("select a from t where b = (select max(b) from t where a < 7)", "6"),
        ("prepare s from 'select a from t where a > ? and b = ?'", "ok 0"),
        ("set @a = 3, @b = 33", "ok 0"),
        ("execute s using @a, @b", "33"),
        ("select max(b), min(b) from t where a < 20", "19|0"),
        // Both by one column.
        (
            "create table d (d date) partition by range (year(d)) subpartition by hash (to_days(d)) subpartitions 4 (partition p0 values less than (2000), partition p1 values less than maxvalue)",
            "ok 0",
        ),
        ("insert into d values ('1999-12-31'), ('2000-01-01'), ('2000-01-02'), (null)", "ok 4"),
        ("select d from d where d = '2000-01-01'", "2000-01-01"),
        ("select d from d where d > '1999-12-31' order by d", "2000-01-01; 2000-01-02"),
        ("explain select d from d where d = '2000-01-01'", "1|SIMPLE|d|p1_p1sp1|ALL|NULL|NULL|NULL|NULL|4|25.00|Using where"),
    ]);
    check(&all);
}

#[test]
fn partitions_come_and_go_with_their_subpartitions() {
    check_lives(&[
        &[
            MADE,
            (
                "insert into t with recursive c (n) as (select 0 union all select n + 1 from c where n < 29) select n, n, concat('v', n) from c",
                "ok 30",
            ),
            ("alter table t add partition (partition p3 values less than (40))", "E1481"),
            (
                "alter table t reorganize partition p2 into (partition p2 values less than (30), partition p3 values less than (40))",
                "E1520",
            ),
            (
                "alter table t reorganize partition p2 into (partition p2 values less than (30), partition last values less than maxvalue)",
                "ok 0",
            ),
            ("alter table t drop partition last", "ok 0"),
            ("alter table t add partition (partition p3 values less than (40))", "ok 0"),
            ("select count(*) from t partition (p2)", "10"),
            ("select a from t partition (p2sp1) order by a", "22; 25; 28"),
            (
                "alter table t add partition (partition p4 values less than (50), partition p5 values less than (60))",
                "ok 0",
            ),
            ("insert into t values (45, 3, 'new'), (55, 4, 'new')", "ok 2"),
            ("select a from t partition (p4sp0, p5sp1) order by a", "45; 55"),
            ("alter table t drop partition p5sp0", "E1507 Error in list of partitions to DROP"),
            ("alter table t drop partition p5, p1", "ok 0"),
            ("select count(*) from t", "21"),
            ("select count(*) from t where b = 11", "0"),
            ("alter table t add partition partitions 2", "E1492"),
            ("alter table t coalesce partition 1", "E1509"),
            (
                "alter table t reorganize partition p0sp0 into (partition x values less than (10))",
                "E1507",
            ),
            (
                "alter table t reorganize partition p0, p2 into (partition x values less than (30))",
                "ok 0",
            ),
            ("select count(*) from t partition (x)", "20"),
            ("select count(*) from t partition (xsp2)", "7"),
            ("select count(*) from t force index (c) where c = 'v25'", "1"),
            ("alter table t drop partition x, p3, p4", "E1508"),
            ("check table t", "test.t|check|status|OK"),
        ],
        &[
            ("select count(*) from t", "21"),
            (
                "select group_concat(subpartition_name order by subpartition_name) from information_schema.partitions where table_name = 't'",
                "p3sp0,p3sp1,p3sp2,p4sp0,p4sp1,p4sp2,xsp0,xsp1,xsp2",
            ),
            ("check table t", "test.t|check|status|OK"),
        ],
    ]);
}

#[test]
fn named_subpartitions_of_partitions_that_come() {
    let three = "(subpartition a, subpartition b, subpartition c)";
    let add = |list: &str| {
        format!("alter table t add partition (partition p3 values less than (40){list})")
    };
    let into = |list: &str| {
        format!(
            "alter table t reorganize partition p2 into (partition p2 values less than (30){list})"
        )
    };
    check(&[
        MADE,
        (&into(" (subpartition a)"), WRONG_NUMBER),
        (&into(""), "E1520"),
        ("alter table t drop partition p2", "ok 0"),
        (
            &add(" (subpartition a)"),
            "E1513 Trying to Add partition(s) with wrong number of subpartitions",
        ),
        (
            &add(" (subpartition p0sp0, subpartition b, subpartition c)"),
            "E1517 Duplicate partition name p0sp0",
        ),
        (&add(three), "ok 0"),
        (
            "show create table t",
            "t|CREATE TABLE `t` (\n  `a` int DEFAULT NULL,\n  `b` int DEFAULT NULL,\n  `c` varchar(20) DEFAULT NULL,\n  KEY `c` (`c`),\n  KEY `b` (`b`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 \
             COLLATE=utf8mb4_0900_ai_ci\n/*!50100 PARTITION BY RANGE (`a`)\nSUBPARTITION BY HASH (`b`)\n(PARTITION p0 VALUES LESS THAN (10)\n (SUBPARTITION p0sp0 ENGINE = InnoDB,\n  \
             SUBPARTITION p0sp1 ENGINE = InnoDB,\n  SUBPARTITION p0sp2 ENGINE = InnoDB),\n PARTITION p1 VALUES LESS THAN (20)\n (SUBPARTITION p1sp0 COMMENT = 'second' ENGINE = InnoDB,\n  \
             SUBPARTITION p1sp1 COMMENT = 'second' ENGINE = InnoDB,\n  SUBPARTITION p1sp2 COMMENT = 'second' ENGINE = InnoDB),\n PARTITION p3 VALUES LESS THAN (40)\n \
             (SUBPARTITION a ENGINE = InnoDB,\n  SUBPARTITION b ENGINE = InnoDB,\n  SUBPARTITION c ENGINE = InnoDB)) */",
        ),
        ("insert into t values (30, 2, 'x')", "ok 1"),
        ("select c from t partition (c)", "x"),
        (
            "alter table t reorganize partition p3 into (partition p3 values less than (35), partition p4 values less than (40))",
            "ok 0",
        ),
        ("select c from t partition (p3sp2)", "x"),
        (
            "create table plain (a int) partition by range (a) (partition p0 values less than (10))",
            "ok 0",
        ),
        (
            "alter table plain add partition (partition p1 values less than (20) (subpartition a))",
            MIXED,
        ),
        (
            "alter table plain reorganize partition p0 into (partition p0 values less than (10) (subpartition a))",
            MIXED,
        ),
        // A partition and its only subpartition are the same rows under two names.
        (
            "create table only (a int) partition by range (a) subpartition by hash (a) (partition p0 values less than (10))",
            "ok 0",
        ),
        ("insert into only values (1)", "ok 1"),
        ("alter table only exchange partition p0 with table h", "E1734"),
        ("alter table only truncate partition p0, p0sp0", "ok 0"),
        ("select count(*) from only", "0"),
        (
            "create table wide (a int) partition by range (a) subpartition by hash (a) subpartitions 4096 (partition p0 values less than (10))",
            "ok 0",
        ),
        (
            "alter table wide add partition (partition p1 values less than (20), partition p2 values less than (30))",
            "E1499",
        ),
        (
            "alter table wide reorganize partition p0 into (partition p0 values less than (1), partition p1 values less than (2), partition p2 values less than (10))",
            "E1499",
        ),
        ("drop table wide", "ok 0"),
        ("create table h (a int) partition by hash (a)", "ok 0"),
        ("alter table h add partition (partition x (subpartition a))", MIXED),
    ]);
}

#[test]
fn maintenance_takes_names_of_both() {
    check_lives(&[
        &[
            MADE,
            (
                "insert into t with recursive c (n) as (select 0 union all select n + 1 from c where n < 29) select n, n, concat('v', n) from c",
                "ok 30",
            ),
            ("alter table t truncate partition p1sp1, p2", "ok 0"),
            ("select group_concat(a order by a) from t where a >= 10", "11,12,14,15,17,18"),
            (
                "alter table t truncate partition p0sp3",
                "E1735 Unknown partition 'p0sp3' in table 't'",
            ),
            ("alter table t truncate partition p1, p1sp2", "ok 0"),
            ("select count(*) from t", "10"),
            ("alter table t rebuild partition p0", "ok 0"),
            (
                "alter table t rebuild partition p0sp0",
                "E1507 Error in list of partitions to REBUILD",
            ),
            ("alter table t rebuild partition all", "ok 0"),
            ("alter table t check partition p0sp1, p1", "test.t|check|status|OK"),
            (
                "alter table t check partition p0sp9",
                "test.t|check|Error|Error in list of partitions to test.t; test.t|check|status|Operation failed",
            ),
            ("alter table t analyze partition p0sp1", "test.t|analyze|status|OK"),
            (
                "alter table t optimize partition p0sp1",
                "test.t|optimize|note|Table does not support optimize on partitions. All partitions will be rebuilt and analyzed.; test.t|optimize|status|OK",
            ),
            (
                "alter table t repair partition p0sp1",
                "test.t|repair|note|The storage engine for the table doesn't support repair",
            ),
            ("create table e (a int, b int, c varchar(20), key (c), key (b))", "ok 0"),
            ("insert into e values (2, 4, 'in'), (3, 7, 'in')", "ok 2"),
            (
                "alter table t exchange partition p0 with table e",
                "E1734 Subpartitioned table, use subpartition instead of partition",
            ),
            ("alter table t exchange partition p0sp9 with table e", "E1735"),
            ("alter table t exchange partition p0sp0 with table e", "E1737"),
            ("alter table t exchange partition p1sp1 with table e", "E1737"),
            ("alter table t exchange partition p0sp1 with table e", "ok 0"),
            ("select group_concat(a order by a) from e", "1,4,7"),
            ("select group_concat(a order by a) from t", "0,2,2,3,3,5,6,8,9"),
            ("select c from t force index (c) where c = 'in' order by a", "in; in"),
            (
                "alter table e partition by range (a) subpartition by key (b) (partition p0 values less than (100))",
                "ok 3",
            ),
            ("alter table t exchange partition p0sp1 with table e", "E1732"),
            ("alter table t algorithm = instant, truncate partition p0sp0", "E1845"),
            ("alter table t lock = none, rebuild partition p0", "E1846"),
        ],
        &[
            ("select group_concat(a order by a) from t", "0,2,2,3,3,5,6,8,9"),
            ("select group_concat(a order by a) from e", "1,4,7"),
            ("check table t, e", "test.t|check|status|OK; test.e|check|status|OK"),
            (
                "optimize table t",
                "test.t|optimize|note|Table does not support optimize, doing recreate + analyze instead; test.t|optimize|status|OK",
            ),
            (
                "alter table t add column z int default 4 first, drop index b, add index w (b, z)",
                "ok 0",
            ),
            ("select z, b from t force index (w) where b = 8", "4|8"),
            ("alter table t partition by hash (b) partitions 2", "ok 9"),
            ("select count(*) from t partition (p0)", "5"),
            (
                "alter table t partition by list (a) subpartition by key (c) subpartitions 2 (partition x values in (0, 1, 2), partition y values in (3, 5, 6, 8))",
                "E1526",
            ),
            (
                "alter table t partition by range (b) subpartition by linear hash (a) subpartitions 5 (partition x values less than (5), partition y values less than maxvalue)",
                "ok 9",
            ),
            ("select group_concat(a order by a) from t partition (x)", "0,2,2,3"),
            ("alter table t remove partitioning", "ok 9"),
            (
                "select count(*) from information_schema.partitions where table_name = 't' and partition_name is null",
                "1",
            ),
            ("select group_concat(a order by a) from t", "0,2,2,3,3,5,6,8,9"),
            ("check table t, e", "test.t|check|status|OK; test.e|check|status|OK"),
        ],
    ]);
}
