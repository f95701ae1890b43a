//! Partitioned tables: what their definitions say, what statements read and write, and what maintenance does.
use crate::common::*;

fn check(cases: &[(&str, &str)]) {
    check_lives(&[cases]);
}

#[test]
fn ranges_of_numbers() {
    check_lives(&[
        &[
            (
                "create table t (id int not null, v varchar(20), primary key (id)) partition by range (id) \
                 (partition p0 values less than (10), partition p1 values less than (20) comment 'x', partition p2 values less than maxvalue)",
                "ok 0",
            ),
            (
                "show create table t",
                "t|CREATE TABLE `t` (\n  `id` int NOT NULL,\n  `v` varchar(20) DEFAULT NULL,\n  PRIMARY KEY (`id`)\n) ENGINE=InnoDB \
                 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci\n/*!50100 PARTITION BY RANGE (`id`)\n\
                 (PARTITION p0 VALUES LESS THAN (10) ENGINE = InnoDB,\n PARTITION p1 VALUES LESS THAN (20) COMMENT = 'x' ENGINE = InnoDB,\n \
                 PARTITION p2 VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */",
            ),
            (
                "insert into t values (5, 'a'), (15, 'b'), (25, 'c'), (9, 'd'), (10, 'e'), (-3, 'f')",
                "ok 6",
            ),
            ("select * from t order by id", "-3|f; 5|a; 9|d; 10|e; 15|b; 25|c"),
            ("select * from t order by id desc limit 2", "25|c; 15|b"),
            ("select id from t partition (p1) order by id", "10; 15"),
            ("select id from t partition (P0, p2) order by id", "-3; 5; 9; 25"),
            ("select id from t partition (p9)", "E1735 Unknown partition 'p9' in table 't'"),
            ("select v from t where id = 15", "b"),
            ("select count(*), min(id), max(id) from t", "6|-3|25"),
            (
                "explain select * from t where id = 15",
                "1|SIMPLE|t|p1|const|PRIMARY|PRIMARY|4|const|1|100.00|NULL",
            ),
            ("update t set id = 31 where id = 5", "ok 1"),
            ("select id from t partition (p2) order by id", "25; 31"),
            ("update t set id = id + 100 where id < 20", "ok 4"),
            ("select id from t order by id", "25; 31; 97; 109; 110; 115"),
            ("insert into t values (25, 'z') on duplicate key update v = 'dup'", "ok 2"),
            ("replace into t values (31, 'r')", "ok 2"),
            ("insert into t partition (p0) values (50, 'no')", "E1748"),
            ("insert into t partition (p0, p1) values (3, 'y'), (13, 'y')", "ok 2"),
            ("update t partition (p0) set id = 14 where id = 3", "E1748"),
            ("delete from t partition (p2) where v <> 'r'", "ok 5"),
            ("select * from t order by id", "3|y; 13|y; 31|r"),
            (
                "insert into t values (1, 'a'), (1, 'b')",
                "E1062 Duplicate entry '1' for key 't.PRIMARY'",
            ),
            ("insert ignore into t values (1, 'a'), (1, 'b'), (2, 'c')", "ok 2"),
        ],
        &[
            ("select * from t order by id", "1|a; 2|c; 3|y; 13|y; 31|r"),
            ("check table t", "test.t|check|status|OK"),
            ("analyze table t", "test.t|analyze|status|OK"),
            (
                "optimize table t",
                "test.t|optimize|note|Table does not support optimize, doing recreate + analyze instead; test.t|optimize|status|OK",
            ),
            ("select * from t order by id", "1|a; 2|c; 3|y; 13|y; 31|r"),
            (
                "select partition_name, partition_ordinal_position, partition_method, partition_expression, partition_description, table_rows, partition_comment \
              from information_schema.partitions where table_name = 't'",
                "p0|1|RANGE|`id`|10|3|; p1|2|RANGE|`id`|20|1|x; p2|3|RANGE|`id`|MAXVALUE|1|",
            ),
            (
                "select create_options from information_schema.tables where table_name = 't'",
                "partitioned",
            ),
            ("truncate t", "ok 0"),
            ("select count(*) from t", "0"),
            ("insert into t values (1, 'a'), (100, 'b')", "ok 2"),
            ("drop table t", "ok 0"),
            ("select * from t", "E1146"),
        ],
    ]);
}

#[test]
fn pruning() {
    check(&[
        (
            "create table r (a int, b int, key (b)) partition by range (a) (partition p0 values less than (0), partition p1 values less than (10), \
          partition p2 values less than (20), partition p3 values less than (30))",
            "ok 0",
        ),
        (
            "insert into r select n * 2 - 20, n from (with recursive c (n) as (select 0 union all select n + 1 from c where n < 24) select n from c) d",
            "ok 25",
        ),
        ("insert into r values (null, 1)", "ok 1"),
        ("insert into r values (30, 1)", "E1526 Table has no partition for value 30"),
        ("select a from r partition (p0) where a is null", "NULL"),
        (
            "explain select * from r where a = 5",
            "1|SIMPLE|r|p1|ALL|NULL|NULL|NULL|NULL|26|10.00|Using where",
        ),
        (
            "explain select * from r where a is null",
            "1|SIMPLE|r|p0|ALL|NULL|NULL|NULL|NULL|26|10.00|Using where",
        ),
        (
            "explain select * from r where a < 10",
            "1|SIMPLE|r|p0,p1|ALL|NULL|NULL|NULL|NULL|26|33.33|Using where",
        ),
        (
            "explain select * from r where a <= 10",
            "1|SIMPLE|r|p0,p1,p2|ALL|NULL|NULL|NULL|NULL|26|33.33|Using where",
        ),
        (
            "explain select * from r where a > 9",
            "1|SIMPLE|r|p2,p3|ALL|NULL|NULL|NULL|NULL|26|33.33|Using where",
        ),
        (
            "explain select * from r where a between 3 and 12",
            "1|SIMPLE|r|p1,p2|ALL|NULL|NULL|NULL|NULL|26|11.11|Using where",
        ),
        (
            "explain select * from r where a in (-5, 25)",
            "1|SIMPLE|r|p0,p3|ALL|NULL|NULL|NULL|NULL|26|20.00|Using where",
        ),
        (
            "explain select * from r where a = 100",
            "1|SIMPLE|r|NULL|ALL|NULL|NULL|NULL|NULL|26|10.00|Using where",
        ),
        (
            "explain select * from r",
            "1|SIMPLE|r|p0,p1,p2,p3|ALL|NULL|NULL|NULL|NULL|26|100.00|NULL",
        ),
        ("select count(*) from r where a < 10", "15"),
        ("select count(*) from r where a <= 10", "16"),
        ("prepare s from 'select a from r where a = ?'", "ok 0"),
        ("set @x = 4", "ok 0"),
        ("execute s using @x", "4"),
        ("set @x = 24", "ok 0"),
        ("execute s using @x", "24"),
        ("set @x = '6'", "ok 0"),
        ("execute s using @x", "6"),
        ("select x.a from r x join r y on x.a = y.a + 2 where y.a = 8", "10"),
        ("select b from r order by b limit 3", "0; 1; 1"),
        ("select a from r where b > 22 order by b", "26; 28"),
        (
            "create table d (d date not null, n int) partition by range (to_days(d)) (partition p0 values less than (to_days('2020-01-01')), \
          partition p1 values less than (to_days('2021-01-01')), partition p2 values less than maxvalue)",
            "ok 0",
        ),
        (
            "insert into d values ('2019-12-31', 1), ('2020-01-01', 2), ('2020-12-31', 3), ('2021-01-01', 4)",
            "ok 4",
        ),
        (
            "explain select * from d where d < '2020-01-01'",
            "1|SIMPLE|d|p0|ALL|NULL|NULL|NULL|NULL|4|33.33|Using where",
        ),
        (
            "explain select * from d where d >= '2021-01-01'",
            "1|SIMPLE|d|p0,p2|ALL|NULL|NULL|NULL|NULL|4|33.33|Using where",
        ),
        (
            "explain select * from d where d = '2020-05-05'",
            "1|SIMPLE|d|p1|ALL|NULL|NULL|NULL|NULL|4|25.00|Using where",
        ),
        ("select n from d where d between '2020-01-01' and '2020-12-31' order by n", "2; 3"),
        (
            "create table y (d datetime) partition by range (year(d)) (partition p0 values less than (2020), partition p1 values less than (2021))",
            "ok 0",
        ),
        ("insert into y values ('2019-12-31 23:59:59'), ('2020-06-01 00:00:00')", "ok 2"),
        (
            // '2020-00-00', which some modes let in, is before that day and of that year.
            "explain select * from y where d < '2020-01-01'",
            "1|SIMPLE|y|p0,p1|ALL|NULL|NULL|NULL|NULL|2|50.00|Using where",
        ),
        (
            "explain select * from y where d > '2020-01-01'",
            "1|SIMPLE|y|p1|ALL|NULL|NULL|NULL|NULL|2|50.00|Using where",
        ),
        ("select * from y where d < '2020-01-01'", "2019-12-31 23:59:59"),
    ]);
}

#[test]
fn lists_hashes_and_columns() {
    check_lives(&[
        &[
            (
                "create table l (a int, b int) partition by list (a) (partition x values in (1, 3, null), partition y values in (2))",
                "ok 0",
            ),
            ("insert into l values (1, 1), (2, 2), (3, 3), (null, 4)", "ok 4"),
            ("insert into l values (1, 9), (4, 4)", "E1526 Table has no partition for value 4"),
            ("insert ignore into l values (4, 4), (2, 5)", "ok 1"),
            ("show warnings", "Warning|1526|Table has no partition for value 4"),
            ("select b from l partition (x) order by b", "1; 3; 4"),
            (
                "explain select * from l where a > 1 and a < 3",
                "1|SIMPLE|l|y|ALL|NULL|NULL|NULL|NULL|5|20.00|Using where",
            ),
            ("update l set a = 2 where a = 1", "ok 1"),
            ("select b from l partition (y) order by b", "1; 2; 5"),
            (
                "create table h (id int auto_increment primary key, v int) partition by hash (id) partitions 4",
                "ok 0",
            ),
            ("insert into h (v) values (1), (2), (3), (4), (5)", "ok 5"),
            ("select id from h partition (p1) order by id", "1; 5"),
            ("select id from h partition (p0)", "4"),
            (
                "explain select * from h where id = 6",
                "1|SIMPLE|h|p2|const|PRIMARY|PRIMARY|4|const|1|100.00|NULL",
            ),
            (
                "create table k (a varchar(20), b int, unique key (a, b)) partition by linear key (a) partitions 3",
                "ok 0",
            ),
            ("insert into k values ('one', 1), ('two', 2), ('THREE', 3), (null, 4)", "ok 4"),
            ("select b from k where a = 'three'", "3"),
            ("select b from k where a is null", "4"),
            ("select count(*) from k partition (p0, p1, p2)", "4"),
            (
                "create table c (a int, b varchar(10), c int) partition by range columns (a, b) \
              (partition p0 values less than (1, 'm'), partition p1 values less than (5, maxvalue), partition p2 values less than (maxvalue, maxvalue))",
                "ok 0",
            ),
            (
                "insert into c values (1, 'a', 1), (1, 'm', 2), (5, 'zzz', 3), (6, 'a', 4), (null, 'b', 5)",
                "ok 5",
            ),
            ("select c from c partition (p0) order by c", "1; 5"),
            ("select c from c partition (p1) order by c", "2; 3"),
            (
                "explain select * from c where a = 1 and b = 'a'",
                "1|SIMPLE|c|p0|ALL|NULL|NULL|NULL|NULL|5|20.00|Using where",
            ),
            (
                "explain select * from c where a = 1",
                "1|SIMPLE|c|p0,p1|ALL|NULL|NULL|NULL|NULL|5|20.00|Using where",
            ),
            (
                "explain select * from c where a > 5",
                "1|SIMPLE|c|p2|ALL|NULL|NULL|NULL|NULL|5|33.33|Using where",
            ),
            (
                "create table lc (a varchar(5), b date) partition by list columns (a) (partition p values in ('x', 'y'), partition q values in ('z', null))",
                "ok 0",
            ),
            ("insert into lc values ('X', '2020-01-01'), ('z', null), (null, null)", "ok 3"),
            ("select count(*) from lc partition (q)", "2"),
            (
                "insert into lc values ('w', null)",
                "E1526 Table has no partition for value from column_list",
            ),
        ],
        &[
            ("insert into h (v) values (6)", "ok 1"),
            ("select max(v), count(*) from h", "6|6"),
            (
                "show create table lc",
                "lc|CREATE TABLE `lc` (\n  `a` varchar(5) DEFAULT NULL,\n  `b` date DEFAULT NULL\n) ENGINE=InnoDB \
             DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci\n/*!50500 PARTITION BY LIST  COLUMNS(a)\n\
             (PARTITION p VALUES IN ('x','y') ENGINE = InnoDB,\n PARTITION q VALUES IN ('z',NULL) ENGINE = InnoDB) */",
            ),
            (
                "show create table k",
                "k|CREATE TABLE `k` (\n  `a` varchar(20) DEFAULT NULL,\n  `b` int DEFAULT NULL,\n  UNIQUE KEY `a` (`a`,`b`)\n) ENGINE=InnoDB \
             DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci\n/*!50100 PARTITION BY LINEAR KEY (a)\nPARTITIONS 3 */",
            ),
            (
                "check table l, h, k, c, lc",
                "test.l|check|status|OK; test.h|check|status|OK; test.k|check|status|OK; test.c|check|status|OK; test.lc|check|status|OK",
            ),
            ("drop database test", "ok 5"),
        ],
    ]);
}

#[test]
fn what_is_refused() {
    check(&[
        (
            "create table t (a int primary key, b int) partition by hash (b)",
            "E1503 A PRIMARY KEY must include all columns in the table's partitioning function (prefixed columns are not considered).",
        ),
        ("create table t (a int, b int, unique (a)) partition by key (b)", "E1503"),
        (
            "create table t (a int) partition by range (a)",
            "E1492 For RANGE partitions each partition must be defined",
        ),
        (
            "create table t (a int) partition by range (a) (partition p values less than (5), partition q values less than (5))",
            "E1493",
        ),
        (
            "create table t (a int) partition by range (a) (partition p values less than maxvalue, partition q values less than (5))",
            "E1481",
        ),
        ("create table t (a int) partition by range (a) (partition p values in (5))", "E1480"),
        ("create table t (a int) partition by range (a) (partition p)", "E1479"),
        (
            "create table t (a int) partition by range (a) (partition p values less than (null))",
            "E1566",
        ),
        (
            "create table t (a int) partition by range (a) (partition p values less than ('x'))",
            "E1697",
        ),
        (
            "create table t (a int) partition by list (a) (partition p values in (1), partition q values in (1))",
            "E1495",
        ),
        (
            "create table t (a int) partition by list (a) (partition p values in (1), partition P values in (2))",
            "E1517 Duplicate partition name P",
        ),
        (
            "create table t (a int) partition by hash (a) partitions 0",
            "E1504 Number of partitions = 0 is not an allowed value",
        ),
        ("create table t (a int) partition by hash (a) partitions 9000", "E1499"),
        ("create table t (a int) partition by hash (a) partitions 2 (partition p)", "E1484"),
        (
            "create table t (a varchar(5)) partition by hash (a)",
            "E1659 Field 'a' is of a not allowed type for this type of partitioning",
        ),
        ("create table t (a text) partition by key (a)", "E1502"),
        ("create table t (a int) partition by hash (rand())", "E1486"),
        ("create table t (a int) partition by hash (4)", "E1486"),
        ("create table t (a int) partition by hash (a | 1)", "E1564"),
        ("create table t (a timestamp) partition by hash (year(a))", "E1486"),
        ("create table t (a int) partition by hash (b)", "E1488"),
        ("create table t (a int) partition by key (a, a)", "E1652"),
        (
            "create table t (a int, b int) partition by range columns (a, b) (partition p values less than (1))",
            "E1653",
        ),
        ("create temporary table t (a int) partition by hash (a)", "E1562"),
        ("create table t (a int) partition by hash (a) subpartition by key (a)", "E1500"),
        ("create table p (id int primary key, w int) partition by hash (id) partitions 2", "ok 0"),
        ("create table c (id int, foreign key (id) references p (id))", "E1506"),
        ("create table q (id int primary key)", "ok 0"),
        (
            "create table c (id int, foreign key (id) references q (id)) partition by hash (id)",
            "E1506",
        ),
        ("create table c (id int, foreign key (id) references q (id))", "ok 0"),
        ("alter table q partition by hash (id) partitions 2", "E1506"),
        ("alter table c partition by hash (id) partitions 2", "E1506"),
        ("alter table q drop partition p0", "E1505"),
        ("alter table q remove partitioning", "E1505"),
        ("select * from q partition (p0)", "E1747"),
        ("alter table p drop partition p0", "E1512"),
        ("alter table p drop column id", "E3855"),
        ("alter table p rename column id to x", "E3855"),
        ("alter table p add unique key (id), add column b int, add unique key u (b)", "E1503"),
        ("alter table p coalesce partition 2", "E1508"),
        ("alter table p coalesce partition 0", "E1515"),
        ("alter table p add partition partitions 0", "E1514"),
    ]);
}

#[test]
fn maintenance() {
    check_lives(&[
        &[
            (
                "create table t (id int, v int, key (v)) partition by range (id) (partition p0 values less than (10), partition p1 values less than (20))",
                "ok 0",
            ),
            ("insert into t values (1, 1), (5, 5), (11, 11), (19, 19)", "ok 4"),
            ("alter table t add partition (partition p2 values less than (30))", "ok 0"),
            ("alter table t add partition (partition p3 values less than (25))", "E1493"),
            ("insert into t values (29, 29)", "ok 1"),
            (
                "alter table t reorganize partition p0 into (partition a values less than (3), partition b values less than (10))",
                "ok 0",
            ),
            ("select id from t partition (a)", "1"),
            ("select id from t partition (b)", "5"),
            ("select id from t force index (v) where v = 5", "5"),
            (
                "alter table t reorganize partition a, b, p1 into (partition m values less than (20))",
                "ok 0",
            ),
            ("select id from t partition (m) order by id", "1; 5; 11; 19"),
            (
                "alter table t reorganize partition m into (partition m values less than (21))",
                "E1520",
            ),
            (
                "alter table t reorganize partition p2 into (partition p2 values less than maxvalue)",
                "ok 0",
            ),
            ("insert into t values (1000, 1)", "ok 1"),
            ("alter table t drop partition nope", "E1507 Error in list of partitions to DROP"),
            ("alter table t truncate partition m", "ok 0"),
            ("select id from t order by id", "29; 1000"),
            ("alter table t rebuild partition all", "ok 0"),
            ("alter table t check partition p2", "test.t|check|status|OK"),
            ("alter table t analyze partition all", "test.t|analyze|status|OK"),
            ("create table e like t", "ok 0"),
            ("alter table e remove partitioning", "ok 0"),
            ("insert into e values (2, 2), (3, 3)", "ok 2"),
            ("alter table t exchange partition p2 with table e", "E1737"),
            ("alter table t exchange partition m with table e", "ok 0"),
            ("select id from t order by id", "2; 3; 29; 1000"),
            ("select * from e", ""),
            ("insert into t values (4, 4)", "ok 1"),
            ("alter table t exchange partition m with table e without validation", "ok 0"),
            ("select id from e order by id", "2; 3; 4"),
            ("alter table e add column x int", "ok 0"),
            ("alter table t exchange partition m with table e", "E1736"),
            ("alter table t drop partition m", "ok 0"),
            ("alter table t drop partition p2", "E1508"),
            ("alter table t add index w (id, v), drop index v", "ok 0"),
            ("alter table t add column z int default 7 first", "ok 0"),
            ("select * from t order by id", "7|29|29; 7|1000|1"),
            ("alter table t drop column v", "ok 0"),
            ("alter table t modify id bigint", "ok 0"),
            ("select * from t partition (p2) order by id", "7|29; 7|1000"),
            ("alter table t partition by hash (id) partitions 3", "ok 2"),
            ("insert into t values (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6)", "ok 6"),
            ("alter table t coalesce partition 1", "ok 0"),
            ("select id from t partition (p0) order by id", "2; 4; 6; 1000"),
            ("alter table t add partition partitions 3", "ok 0"),
            ("select id from t partition (p4)", "4; 29"),
            ("rename table t to s", "ok 0"),
            ("select count(*) from s", "8"),
        ],
        &[
            ("select id from s order by id", "1; 2; 3; 4; 5; 6; 29; 1000"),
            ("check table s, e", "test.s|check|status|OK; test.e|check|status|OK"),
            ("alter table s remove partitioning", "ok 8"),
            ("select id from s order by id", "1; 2; 3; 4; 5; 6; 29; 1000"),
            (
                "show create table s",
                "s|CREATE TABLE `s` (\n  `z` int DEFAULT '7',\n  `id` bigint DEFAULT NULL,\n  KEY `w` (`id`)\n) ENGINE=InnoDB \
             DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
            ),
            ("alter table s partition by list (id) (partition p values in (1, 2))", "E1526"),
            ("select count(*) from s", "8"),
        ],
    ]);
}
