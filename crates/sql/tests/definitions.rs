//! What definitions say of other engines, constraints and columns: what is made of them, and what is refused.
use crate::common::*;

#[test]
fn tables_of_other_engines() {
    check(&[
        // The default mode has the word, but nobody wrote it.
        ("select @@sql_mode like '%NO_ENGINE_SUBSTITUTION%'", "1"),
        ("create table m (a int) engine=MyISAM row_format=fixed", "ok 0"),
        (
            "show warnings",
            "Warning|1266|Using storage engine InnoDB for table 'm'; \
             Warning|1478|InnoDB: assuming ROW_FORMAT=DYNAMIC.",
        ),
        (
            "show create table m",
            "m|CREATE TABLE `m` (\n  `a` int DEFAULT NULL\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 \
             COLLATE=utf8mb4_0900_ai_ci",
        ),
        ("create table n (a int) engine=nothing", "ok 0"),
        (
            "show warnings",
            "Warning|1286|Unknown storage engine 'nothing'; \
             Warning|1266|Using storage engine InnoDB for table 'n'",
        ),
        ("alter table m engine=memory", "ok 0"),
        ("show warnings", "Warning|1266|Using storage engine InnoDB for table 'm'"),
        // What dump tools do with the mode changes nothing.
        ("set @old = @@sql_mode, sql_mode = 'NO_AUTO_VALUE_ON_ZERO'", "ok 0"),
        ("create table d1 (a int) engine=aria", "ok 0"),
        ("set sql_mode = @old", "ok 0"),
        ("create table d2 (a int) engine=aria", "ok 0"),
        ("set sql_mode = concat(@@sql_mode, ',STRICT_ALL_TABLES')", "ok 0"),
        ("create table d3 (a int) engine=csv", "ok 0"),
        // The user's own hand.
        ("set sql_mode = 'STRICT_TRANS_TABLES,no_engine_substitution'", "ok 0"),
        ("create table r (a int) engine=aria", "E1286 Unknown storage engine 'aria'"),
        ("alter table m engine=aria", "E1286 Unknown storage engine 'aria'"),
        ("create table r (a int) engine=nothing", "E1286 Unknown storage engine 'nothing'"),
        ("set @old = @@sql_mode, sql_mode = ''", "ok 0"),
        ("create table d4 (a int) engine=aria", "ok 0"),
        ("set sql_mode = @old", "ok 0"),
        ("create table r (a int) engine=aria", "E1286 Unknown storage engine 'aria'"),
        ("set sql_mode = default", "ok 0"),
        ("create table d5 (a int) engine=aria", "ok 0"),
        ("set sql_mode = traditional", "ok 0"),
        ("create table r (a int) engine=aria", "E1286 Unknown storage engine 'aria'"),
        ("create table r (a int) engine=innodb", "ok 0"),
    ]);
}

#[test]
fn default_engines_of_other_names() {
    check(&[
        ("set default_storage_engine = myisam", "ok 0"),
        (
            "show warnings",
            "Warning|1266|Using storage engine InnoDB for tables that name none, not 'myisam'",
        ),
        ("select @@default_storage_engine", "InnoDB"),
        ("set global storage_engine = 'HEAP', default_tmp_storage_engine = 'MEMORY'", "ok 0"),
        ("select @@global.default_storage_engine", "InnoDB"),
        ("set default_storage_engine = nothing", "E1286 Unknown storage engine 'nothing'"),
        ("set default_storage_engine = weir", "ok 0"),
        ("show warnings", ""),
        ("set sql_mode = 'NO_ENGINE_SUBSTITUTION'", "ok 0"),
        ("set default_storage_engine = myisam", "ok 0"),
        ("set default_storage_engine = innodb", "ok 0"),
    ]);
}

#[test]
fn columns_made_of_a_query_have_names_that_columns_may_have() {
    check(&[
        ("create table c as select ''", "E1166 Incorrect column name ''"),
        ("create table c as select 1 as ''", "E1166 Incorrect column name ''"),
        ("create table c as select 'a '", "E1166 Incorrect column name 'a '"),
        ("create table c as select 'a ' as a", "ok 1"),
    ]);
}

#[test]
fn an_auto_increment_column_at_its_end() {
    check(&[
        ("create table a (id bigint unsigned auto_increment primary key)", "ok 0"),
        (
            "insert into a values (18446744073709551614), (null), (null)",
            "E1467 Failed to read auto-increment value from storage engine",
        ),
        // The counter stays where the rolled back rows have brought it.
        (
            "insert into a values (null)",
            "E1467 Failed to read auto-increment value from storage engine",
        ),
        ("truncate table a", "ok 0"),
        ("insert into a values (18446744073709551613)", "ok 1"),
        ("insert into a values (null)", "ok 1"),
        ("select * from a", "18446744073709551613; 18446744073709551614"),
        (
            "insert into a values (null)",
            "E1467 Failed to read auto-increment value from storage engine",
        ),
        (
            "insert into a values (null), (null)",
            "E1467 Failed to read auto-increment value from storage engine",
        ),
        ("create table e (id bigint unsigned)", "ok 0"),
        ("insert into e values (18446744073709551615)", "ok 1"),
        ("alter table e modify id bigint unsigned auto_increment primary key", "ok 1"),
        (
            "insert into e values (null)",
            "E1467 Failed to read auto-increment value from storage engine",
        ),
        ("set auto_increment_increment = 10", "ok 0"),
        (
            "create table b (id bigint unsigned auto_increment primary key) auto_increment = 18446744073709551600",
            "ok 0",
        ),
        (
            "insert into b values (null), (null), (null)",
            "E1467 Failed to read auto-increment value from storage engine",
        ),
    ]);
}

#[test]
fn a_mode_written_for_the_server_holds_for_new_sessions() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let refused = "E1286 Unknown storage engine 'aria'";
        c.check(&[
            ("set global sql_mode = 'NO_ENGINE_SUBSTITUTION'", "ok 0"),
            ("create table t (a int) engine=aria", "ok 0"),
        ])
        .await;
        let mut d = server.client();
        d.check(&[("create table u (a int) engine=aria", refused)]).await;
        c.check(&[("set global sql_mode = default", "ok 0")]).await;
        d.check(&[("create table u (a int) engine=aria", refused)]).await;
        let mut e = server.client();
        e.check(&[("create table u (a int) engine=aria", "ok 0")]).await;
        for client in [c, d, e] {
            client.0.close().await;
        }
        drop(server);
    });
}

#[test]
fn indexes_that_there_are_not() {
    let mecab = "create table t (a json, b text, fulltext key f (b) with parser mecab)";
    check(&[
        (mecab, "E1128 Function 'mecab' is not defined"),
        ("set weir_skip_unsupported_indexes = on", "ok 0"),
        (mecab, "ok 0"),
        (
            "show warnings",
            "Warning|1128|FULLTEXT index 'f' of table 'test.t' was left out: Function 'mecab' is not defined",
        ),
        ("drop table t", "ok 0"),
        (mecab, "ok 0"),
        ("alter table t add key (b(3))", "ok 0"),
        ("create fulltext index f on t (c)", "E1072 Key column 'c' doesn't exist in table"),
        (
            "show create table t",
            "t|CREATE TABLE `t` (\n  `a` json DEFAULT NULL,\n  `b` text,\n  KEY `b` (`b`(3))\n) ENGINE=InnoDB \
             DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
        ),
    ]);
}

#[test]
fn checks_of_the_manual() {
    check(&[
        (
            "create table t1 (check (c1 <> c2), c1 int check (c1 > 10), \
             c2 int constraint c2_positive check (c2 > 0), c3 int check (c3 < 100), \
             constraint c1_nonzero check (c1 <> 0), check (c1 > c3))",
            "ok 0",
        ),
        (
            "show create table t1",
            "t1|CREATE TABLE `t1` (\n  `c1` int DEFAULT NULL,\n  `c2` int DEFAULT NULL,\n  \
             `c3` int DEFAULT NULL,\n  CONSTRAINT `c1_nonzero` CHECK ((`c1` <> 0)),\n  \
             CONSTRAINT `c2_positive` CHECK ((`c2` > 0)),\n  CONSTRAINT `t1_chk_1` CHECK ((`c1` <> `c2`)),\n  \
             CONSTRAINT `t1_chk_2` CHECK ((`c1` > 10)),\n  CONSTRAINT `t1_chk_3` CHECK ((`c3` < 100)),\n  \
             CONSTRAINT `t1_chk_4` CHECK ((`c1` > `c3`))\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 \
             COLLATE=utf8mb4_0900_ai_ci",
        ),
        ("insert into t1 values (1, 2, 3)", "E3819 Check constraint 't1_chk_2' is violated."),
        ("insert into t1 values (11, 11, 3)", "E3819 Check constraint 't1_chk_1' is violated."),
        ("insert into t1 values (11, null, null), (12, 1, 5)", "ok 2"),
        ("insert into t1 values (20, 3, 5), (5, 1, 1), (21, 3, 5)", "E3819"),
        ("select count(*) from t1", "2"),
        (
            "update t1 set c3 = c1 + 1 where c1 = 12",
            "E3819 Check constraint 't1_chk_4' is violated.",
        ),
        ("insert ignore into t1 values (5, 1, 1), (30, 1, 1)", "ok 1"),
        ("show warnings", "Warning|3819|Check constraint 't1_chk_2' is violated."),
        ("update ignore t1 set c2 = c2 - 1", "ok 0"),
        ("replace into t1 values (1, 1, 1)", "E3819"),
        (
            "select constraint_name, check_clause from information_schema.check_constraints \
             where constraint_schema = 'test' order by 1 limit 2",
            "c1_nonzero|(`c1` <> 0); c2_positive|(`c2` > 0)",
        ),
        (
            "select constraint_name, constraint_type, enforced from information_schema.table_constraints \
             where table_name = 't1' order by 1 limit 1",
            "c1_nonzero|CHECK|YES",
        ),
        ("rename table t1 to t2", "ok 0"),
        ("insert into t2 values (1, 2, 3)", "E3819 Check constraint 't2_chk_2' is violated."),
        ("create table t3 like t2", "ok 0"),
        ("insert into t3 values (5, -1, 1)", "E3819 Check constraint 't3_chk_2' is violated."),
    ]);
}

#[test]
fn checks_and_alter_table() {
    check(&[
        ("create table t (a int primary key, b int, c varchar(10))", "ok 0"),
        ("insert into t values (1, 1, 'x'), (2, -2, 'it''s')", "ok 2"),
        ("alter table t add check (b > 0)", "E3819 Check constraint 't_chk_1' is violated."),
        ("alter table t add constraint b_pos check (b > 0) not enforced", "ok 0"),
        ("insert into t values (3, -3, null)", "ok 1"),
        ("alter table t alter check b_pos enforced", "E3819 Check constraint 'b_pos' is violated."),
        ("update t set b = -b where b < 0", "ok 2"),
        ("alter table t alter constraint b_pos enforced", "ok 3"),
        ("insert into t values (4, -3, null)", "E3819"),
        (
            "alter table t rename column b to bb",
            "E3959 Check constraint 'b_pos' uses column 'b', hence column cannot be dropped or renamed.",
        ),
        ("alter table t change b bb int", "E3959"),
        ("alter table t add check (c <> 'it''s' or a > 1 and b between 1 and 5)", "ok 3"),
        (
            "select check_clause from information_schema.check_constraints where constraint_name = 't_chk_1'",
            "((`c` <> _utf8mb4\\'it\\\\\\'s\\') or ((`a` > 1) and (`b` between 1 and 5)))",
        ),
        ("alter table t drop column c", "E3959"),
        ("alter table t drop check t_chk_1, drop column c", "ok 0"),
        ("alter table t drop column b", "ok 0"),
        ("insert into t values (4)", "ok 1"),
        (
            "alter table t drop check b_pos",
            "E3821 Check constraint 'b_pos' is not found in the table.",
        ),
        ("alter table t drop constraint nope", "E3940 Constraint 'nope' does not exist."),
        ("alter table t add d int default 5 check (d > 9)", "E3819"),
        ("alter table t add d int default 10 check (d > 9), algorithm=inplace", "E1845"),
        ("alter table t add d int default 10 check (d > 9)", "ok 4"),
        ("alter table t modify d tinyint default 11", "ok 4"),
        ("insert into t values (9, 9)", "E3819 Check constraint 't_chk_1' is violated."),
        ("alter table t alter check t_chk_1 not enforced", "ok 0"),
        ("insert into t values (9, 9)", "ok 1"),
        (
            "create table u (a int, constraint b_pos check (a > 0), constraint B_POS check (a > 1))",
            "E3822 Duplicate check constraint name 'B_POS'.",
        ),
        ("create table u (a int, constraint b_pos check (a > 0))", "ok 0"),
        (
            "create table v (a int, constraint B_pos check (a > 0))",
            "E3822 Duplicate check constraint name 'B_pos'.",
        ),
    ]);
}

#[test]
fn checks_that_are_refused() {
    let long = format!("create table {} (a int check (a > 0))", "n".repeat(60));
    check(&[
        (
            "create table t (a int check (b > 0), b int)",
            "E3813 Column check constraint 't_chk_1' references other column.",
        ),
        (
            "create table t (a int, check (x > 0))",
            "E3820 Check constraint 't_chk_1' refers to non-existing column 'x'.",
        ),
        (
            "create table t (a int auto_increment primary key, check (a > 0))",
            "E3818 Check constraint 't_chk_1' cannot refer to an auto-increment column.",
        ),
        (
            "create table t (a int, check (a))",
            "E3812 An expression of non-boolean type specified to a check constraint 't_chk_1'.",
        ),
        (
            "create table t (a int, check (a > (select 1)))",
            "E3815 An expression of a check constraint 't_chk_1' contains disallowed function.",
        ),
        (
            "create table t (a date, check (a > now()))",
            "E3814 An expression of a check constraint 't_chk_1' contains disallowed function: now.",
        ),
        (
            "create table t (a int, check (a > @x))",
            "E3816 An expression of a check constraint 't_chk_1' cannot refer to a user or system variable.",
        ),
        ("create table t (a int, check (nofunc(a) > 1))", "E3814"),
        (&long, "E1059"),
        ("create table t (a int, constraint x check (a > 0), constraint x check (a > 0))", "E3822"),
        ("show tables", ""),
    ]);
}

#[test]
fn enums() {
    check(&[
        ("create table t (id int primary key, e enum('small','medium','large'), key (e))", "ok 0"),
        ("insert into t values (1, 'large'), (2, 'SMALL'), (3, 2), (4, null), (5, '1')", "ok 5"),
        ("select e from t order by id", "large; small; medium; NULL; small"),
        ("select id, e+0 from t order by e desc, id", "1|3; 3|2; 2|1; 5|1; 4|NULL"),
        ("select id from t where e = 'large'", "1"),
        ("select id from t where e = 2", "3"),
        ("select id from t where e = 'nope'", ""),
        ("select id from t where e in ('small', 'large') order by id", "1; 2; 5"),
        ("select id from t where e > 'large' order by id", "2; 3; 5"),
        ("select id from t where e > 1 order by id", "1; 3"),
        ("select id from t where e like 's%' order by id", "2; 5"),
        ("select id from t where e between 'm' and 'z' order by id", "2; 3; 5"),
        ("select min(e), max(e), sum(e), count(distinct e) from t", "large|small|7|3"),
        ("select e, count(*) from t group by e order by e", "NULL|1; small|2; medium|1; large|1"),
        ("select concat(e, '!'), length(e), upper(e) from t where id = 1", "large!|5|LARGE"),
        (
            "select cast(e as unsigned), cast(e as char), if(e, 'y', 'n') from t where id = 3",
            "2|medium|y",
        ),
        ("select group_concat(e order by e) from t", "small,small,medium,large"),
        ("insert into t values (6, 'huge')", "E1265 Data truncated for column 'e' at row 1"),
        ("insert into t values (6, 0)", "E1265"),
        ("insert into t values (6, '')", "E1265"),
        ("insert ignore into t values (6, 'huge')", "ok 1"),
        ("show warnings", "Warning|1265|Data truncated for column 'e' at row 1"),
        ("select id, e, e+0 from t where e = ''", "6||0"),
        ("select id from t where e = 0", "6"),
        (
            "alter table t modify e enum('small','medium','large','huge') not null default 'medium'",
            "E1138",
        ),
        ("delete from t where e = 0 or e is null", "ok 2"),
        (
            "alter table t modify e enum('small','medium','large','huge') not null default 'medium'",
            "ok 0",
        ),
        ("insert into t (id) values (7)", "ok 1"),
        ("update t set e = 'huge' where id = 1", "ok 1"),
        (
            "select a.id, b.id from t a join t b on a.e = b.e where a.id < b.id order by 1, 2",
            "2|5; 3|7",
        ),
        ("alter table t modify e enum('huge','small','medium','large')", "ok 5"),
        (
            "select id, e, e+0 from t order by id",
            "1|huge|1; 2|small|2; 3|medium|3; 5|small|2; 7|medium|3",
        ),
        ("alter table t modify e varchar(10)", "ok 5"),
        ("select e from t where id = 1", "huge"),
        ("create table n (a int, e enum('x','y') not null)", "ok 0"),
        ("insert into n (a) values (1)", "ok 1"),
        ("alter table n add f enum('p','q') not null", "ok 0"),
        ("select * from n", "1|x|p"),
        ("alter table n modify f int", "ok 1"),
        ("select f from n", "1"),
        ("create table l (e enum('a','ä','it''s') character set latin1 default 'ä')", "ok 0"),
        (
            "show create table l",
            "l|CREATE TABLE `l` (\n  `e` enum('a','ä','it''s') CHARACTER SET latin1 COLLATE latin1_swedish_ci DEFAULT 'ä'\n) \
             ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
        ),
        (
            "select column_type, data_type, character_maximum_length, character_octet_length, collation_name \
             from information_schema.columns where table_name = 'l'",
            "enum('a','ä','it''s')|enum|4|4|latin1_swedish_ci",
        ),
        ("select e, e+0 from t union select 'z', 1 from n order by 1 limit 1", "huge|0"),
        ("create table b (e enum('a','A'))", "E1291 Column 'e' has duplicated value 'A' in ENUM"),
        ("create table b (e enum('a','b') default 'c')", "E1067 Invalid default value for 'e'"),
        ("create table b (e enum('a','b'), key (e(1)))", "E1089"),
        ("create table b (e enum('a','b') primary key)", "ok 0"),
        ("insert into b values ('b'), ('a')", "ok 2"),
        ("insert into b values ('b')", "E1062 Duplicate entry 'b' for key 'b.PRIMARY'"),
        ("select * from b where e = 'b'", "b"),
        ("select * from b order by e", "a; b"),
    ]);
}

#[test]
fn sets_and_bits() {
    check(&[
        ("create table s (id int primary key, s set('a','b','c') default 'a,c', key (s))", "ok 0"),
        ("insert into s values (1, 'c,a'), (2, ''), (3, 6), (4, 'b,b,b'), (5, null)", "ok 5"),
        ("insert into s (id) values (6)", "ok 1"),
        (
            "select id, s, s+0 from s order by id",
            "1|a,c|5; 2||0; 3|b,c|6; 4|b|2; 5|NULL|NULL; 6|a,c|5",
        ),
        ("select id from s where s = 'a,c' order by id", "1; 6"),
        ("select id from s where find_in_set('b', s) order by id", "3; 4"),
        ("select id from s where s & 1 order by id", "1; 6"),
        ("select id from s order by s desc, id limit 2", "3; 1"),
        ("insert into s values (7, 'a,x')", "E1265 Data truncated for column 's' at row 1"),
        ("insert into s values (7, 8)", "E1265"),
        ("insert ignore into s values (7, 'a,x')", "ok 1"),
        ("select s from s where id = 7", "a"),
        ("create table x (s set('a,b'))", "E1367 Illegal set 'a,b' value found during parsing"),
        (
            "create table b (id int primary key, f bit, g bit(10) default b'101', h bit(64), key (g))",
            "ok 0",
        ),
        (
            "insert into b values (1, 1, b'1111', 0xffffffffffffffff), (2, b'0', 5, 'a'), (3, 0, 1023, 7)",
            "ok 3",
        ),
        ("insert into b (id) values (4)", "ok 1"),
        (
            "select id, f+0, g+0, hex(h) from b order by id",
            "1|1|15|FFFFFFFFFFFFFFFF; 2|0|5|61; 3|0|1023|7; 4|NULL|5|NULL",
        ),
        ("select id from b where g = 5 order by id", "2; 4"),
        ("select id from b where g = b'101' order by id", "2; 4"),
        ("select id from b where f order by id", "1"),
        ("select id from b where g > 5 order by g", "1; 3"),
        ("select length(g), concat(h) from b where id = 2", "2|\0\0\0\0\0\0\0a"),
        ("select bit_count(h), g | 2, bin(g) from b where id = 2", "3|7|101"),
        ("insert into b values (5, 2, 0, 0)", "E1406 Data too long for column 'f' at row 1"),
        ("insert into b values (5, 1, 1024, 0)", "E1406"),
        ("insert ignore into b values (5, 3, 0, 0)", "ok 1"),
        ("select f+0 from b where id = 5", "1"),
        (
            "show create table b",
            "b|CREATE TABLE `b` (\n  `id` int NOT NULL,\n  `f` bit(1) DEFAULT NULL,\n  \
             `g` bit(10) DEFAULT b'101',\n  `h` bit(64) DEFAULT NULL,\n  PRIMARY KEY (`id`),\n  \
             KEY `g` (`g`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
        ),
        (
            "select column_type, column_default, numeric_precision from information_schema.columns \
             where table_name = 'b' and column_name = 'g'",
            "bit(10)|b'101'|10",
        ),
        (
            "create table c (a bit(65))",
            "E1439 Display width out of range for column 'a' (max = 64)",
        ),
        ("alter table b modify g bit(20)", "ok 0"),
        ("alter table b modify g int", "ok 5"),
        ("select g from b where id = 3", "1023"),
    ]);
}

#[test]
fn generated_columns() {
    check(&[
        (
            "create table t (id int primary key, a int, b int, c int as (a + b) virtual, \
             d int generated always as (c * 2) stored not null, s varchar(20) as (concat('<', a, '>')), key (c))",
            "ok 0",
        ),
        (
            "show create table t",
            "t|CREATE TABLE `t` (\n  `id` int NOT NULL,\n  `a` int DEFAULT NULL,\n  `b` int DEFAULT NULL,\n  \
             `c` int GENERATED ALWAYS AS ((`a` + `b`)) VIRTUAL,\n  \
             `d` int GENERATED ALWAYS AS ((`c` * 2)) STORED NOT NULL,\n  \
             `s` varchar(20) GENERATED ALWAYS AS (concat(_utf8mb4'<',`a`,_utf8mb4'>')) VIRTUAL,\n  \
             PRIMARY KEY (`id`),\n  KEY `c` (`c`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 \
             COLLATE=utf8mb4_0900_ai_ci",
        ),
        ("insert into t (id, a, b) values (1, 1, 2), (2, 10, 20)", "ok 2"),
        ("insert into t values (3, 5, 6, default, default, default)", "ok 1"),
        ("select * from t order by id", "1|1|2|3|6|<1>; 2|10|20|30|60|<10>; 3|5|6|11|22|<5>"),
        ("select id from t where c = 30", "2"),
        (
            "insert into t values (4, 5, 6, 11, default, default)",
            "E3105 The value specified for generated column 'c' in table 't' is not allowed.",
        ),
        ("insert into t (id, c) select 9, 9", "E3105"),
        ("insert into t (id, a) values (4, 1)", "E1048 Column 'd' cannot be null"),
        ("update t set c = 4", "E3105"),
        ("update t set a = a + 1, c = default where id < 3", "ok 2"),
        (
            "select id, c, d, s from t where c > 3 order by c",
            "1|4|8|<2>; 3|11|22|<5>; 2|31|62|<11>",
        ),
        ("update t set a = null where id = 1", "E1048"),
        ("update t set a = c where c < 100", "ok 3"),
        (
            "select id, a, c from t force index (c) where c > 0 order by c",
            "1|4|6; 3|11|17; 2|31|51",
        ),
        ("insert into t (id, a, b) values (1, 0, 0) on duplicate key update b = 100", "ok 2"),
        ("replace into t (id, a, b) values (2, 0, 7)", "ok 2"),
        ("select id, c, d from t order by id", "1|104|208; 2|7|14; 3|17|34"),
        (
            "select column_name, extra, generation_expression, column_default from information_schema.columns \
             where table_name = 't' and extra <> '' order by 1",
            "c|VIRTUAL GENERATED|(`a` + `b`)|NULL; d|STORED GENERATED|(`c` * 2)|NULL; \
             s|VIRTUAL GENERATED|concat(_utf8mb4\\'<\\',`a`,_utf8mb4\\'>\\')|NULL",
        ),
        ("alter table t drop column a", "E3108 Column 'a' has a generated column dependency."),
        ("alter table t rename column b to bb", "E3108"),
        ("alter table t modify c int as (a - b)", "ok 3"),
        ("select id, c, d from t order by id", "1|-96|-192; 2|-7|-14; 3|5|10"),
        ("alter table t add e int as (d + 1) stored, add unique (e)", "ok 0"),
        ("select id, e from t order by e", "1|-191; 2|-13; 3|11"),
        ("insert into t (id, a, b) values (4, 5, 0)", "E1062 Duplicate entry '11' for key 't.e'"),
        (
            "alter table t modify c int",
            "E3106 'Changing the STORED status' is not supported for generated columns.",
        ),
        ("alter table t add f int default 1, add check (c < f)", "E3819"),
        ("create table x (a int as (a + 1))", "E3107"),
        ("create table x (a int as (b), b int as (1))", "E3107"),
        (
            "create table x (a int auto_increment primary key, b int as (a))",
            "E3109 Generated column 'b' cannot refer to auto-increment column.",
        ),
        (
            "create table x (a int, b int as (nope))",
            "E1054 Unknown column 'nope' in 'generated column function'",
        ),
        (
            "create table x (a int, b datetime as (now()))",
            "E3763 Expression of generated column 'b' contains a disallowed function: now.",
        ),
        ("create table x (a int, b int as ((select 1)))", "E3102"),
        (
            "create table x (a int, b int as (a) default 3)",
            "E1221 Incorrect usage of DEFAULT and generated column",
        ),
        ("create table x (a int, b int as (a) primary key)", "E3106"),
        ("create table y like t", "ok 0"),
        ("insert into y (id, a, b) values (1, 5, 2)", "ok 1"),
        ("select c, d, s from y", "3|6|<5>"),
    ]);
}

#[test]
fn defaults_that_are_expressions() {
    check(&[
        (
            "create table t (a int default (1 + 2), b int default (a * 10), u char(36) default (uuid()), \
             c text default ('it''s'))",
            "ok 0",
        ),
        ("insert into t (a) values (7), (default)", "ok 2"),
        ("insert into t () values ()", "ok 1"),
        ("select a, b, length(u), c from t", "7|70|36|it's; 3|30|36|it's; 3|30|36|it's"),
        ("select count(distinct u) from t", "3"),
        ("update t set a = 1, b = default where a = 7", "ok 1"),
        ("select b from t where a = 1", "10"),
        ("alter table t add d int not null default (b + 1)", "ok 0"),
        ("select b, d from t", "10|11; 30|31; 30|31"),
        (
            "select column_name, column_default, extra from information_schema.columns where table_name = 't' \
             and column_name in ('b', 'c')",
            "b|(`a` * 10)|DEFAULT_GENERATED; c|_utf8mb4\\'it\\\\\\'s\\'|DEFAULT_GENERATED",
        ),
        (
            "show create table t",
            "t|CREATE TABLE `t` (\n  `a` int DEFAULT ((1 + 2)),\n  `b` int DEFAULT ((`a` * 10)),\n  \
             `u` char(36) DEFAULT (uuid()),\n  \
             `c` text DEFAULT (_utf8mb4'it\\'s'),\n  \
             `d` int NOT NULL DEFAULT ((`b` + 1))\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 \
             COLLATE=utf8mb4_0900_ai_ci",
        ),
        (
            "alter table t drop column a",
            "E3766 Column 'a' of table 't' has a default value expression dependency and cannot be dropped or renamed.",
        ),
        ("alter table t alter b set default (5), drop column a", "ok 0"),
        ("insert into t (c) values (null)", "ok 1"),
        ("select b, d from t where c is null", "5|6"),
        ("create table x (a int default (b), b int default (1))", "E3767"),
        ("create table x (a int default (@x))", "E3772"),
        ("create table x (a int default ((select 1)))", "E3769"),
    ]);
}

#[test]
fn tables_change_places_by_one_statement() {
    check(&[
        ("create table a (x int)", "ok 0"),
        ("create table b (y int)", "ok 0"),
        ("create table w (z int)", "ok 0"),
        ("insert into a values (1)", "ok 1"),
        ("rename table a to t, b to a, t to b", "ok 0"),
        ("select x from b", "1"),
        // As tools do that copy a table: the old one goes aside, the new one takes its place.
        ("rename table b to old, w to b", "ok 0"),
        ("select z from b", ""),
        ("select x from old", "1"),
        ("rename table old to b", "E1050 Table 'b' already exists"),
        ("rename table old to n, b to n", "E1050 Table 'n' already exists"),
        ("rename table a to a", "E1050 Table 'a' already exists"),
    ]);
}

#[test]
fn virtual_columns_are_looked_at_if_that_is_said() {
    check(&[
        ("create table t (a int)", "ok 0"),
        ("insert into t values (100000)", "ok 1"),
        ("alter table t add b smallint as (a) virtual, with validation", "E1264"),
        ("alter table t add b smallint as (a) stored", "E1264"),
        ("alter table t add b smallint as (a) virtual, add key (b)", "E1264"),
        ("alter table t add b smallint as (a) virtual", "ok 0"),
        ("alter table t add c int as (a / 0) virtual, without validation", "ok 0"),
        ("select * from t", "100000|32767|NULL"),
        ("insert into t (a) values (100001)", "E1264"),
        ("alter table t force, with validation", "E1221"),
    ]);
}

#[test]
fn a_stored_column_follows_what_its_names_mean_now() {
    check(&[
        ("create table t (b int, a int, g int as (a + 10) stored)", "ok 0"),
        ("insert into t (b, a) values (1, 2)", "ok 1"),
        ("alter table t rename column a to b, rename column b to a", "E3108"),
        (
            "alter table t rename column a to b, rename column b to a, modify g int as (a + 10) stored",
            "ok 1",
        ),
        ("select a, b, g from t", "1|2|11"),
    ]);
}

#[test]
fn conditions_over_numbers_are_written_as_comparisons_with_zero() {
    check(&[
        (
            "create table t (a int, b int, c int as (a or b), d int as (not a), e int as (a xor b and not b), \
             check (a or b > 1 or not b))",
            "ok 0",
        ),
        (
            "select generation_expression from information_schema.columns where table_name = 't' and extra <> '' order by 1",
            "((0 <> `a`) or (0 <> `b`)); ((0 <> `a`) xor ((0 <> `b`) and (0 = `b`))); (0 = `a`)",
        ),
        (
            "select check_clause from information_schema.check_constraints",
            "((0 <> `a`) or (`b` > 1) or (0 = `b`))",
        ),
        ("insert into t (a, b) values (0, 3), (2, 0)", "ok 2"),
        ("select c, d, e from t", "1|1|0; 1|0|1"),
    ]);
}

/// A new AUTO_INCREMENT column counts as INSERT does: from the table's AUTO_INCREMENT on, by the session's steps, and only as far as its
/// type goes.
#[test]
fn numbers_of_an_added_column() {
    check(&[
        ("create table t (a int)", "ok 0"),
        ("insert into t values (7), (8), (9)", "ok 3"),
        ("alter table t add id int auto_increment primary key, auto_increment = 42", "ok 0"),
        ("insert into t (a) values (10)", "ok 1"),
        ("select a, id from t order by id", "7|42; 8|43; 9|44; 10|45"),
        ("set auto_increment_increment = 5, auto_increment_offset = 3", "ok 0"),
        (
            "alter table t drop column id, add n int auto_increment primary key, auto_increment = 42",
            "ok 0",
        ),
        ("select n from t order by n", "43; 48; 53; 58"),
        (
            "alter table t drop column n, add m tinyint auto_increment primary key, auto_increment = 120",
            "E1467",
        ),
    ]);
}

/// At its end a column has the last number again and again: there is one already (1062), unless its row is gone.
#[test]
fn the_last_number_is_given_again() {
    check(&[
        ("create table t (id tinyint auto_increment primary key, a int)", "ok 0"),
        ("insert into t values (126, 1)", "ok 1"),
        ("insert into t (a) values (2)", "ok 1"),
        ("insert into t (a) values (3)", "E1062 Duplicate entry '127' for key 't.PRIMARY'"),
        ("insert into t (a) values (4), (5)", "E1062"),
        ("delete from t where id = 127", "ok 1"),
        ("insert into t (a) values (6)", "ok 1"),
        ("insert into t (a) values (7) on duplicate key update a = 70", "ok 2"),
        ("select * from t", "126|1; 127|70"),
        ("delete from t", "ok 2"),
        ("alter table t auto_increment = 120", "ok 0"),
        ("insert into t (a) values (1), (2), (3), (4), (5), (6), (7), (8), (9)", "E1467"),
    ]);
}

/// The table is there with the COMMIT, and nothing stands before that.
#[test]
fn tables_that_come_with_a_commit() {
    with_server(1, async |s| {
        let (mut c, mut other) = (s.client(), s.client());
        c.check(&[
            ("create table t (a int primary key, b int, key (b)) start transaction", "ok 0"),
            ("select * from t", "E3977"),
            ("select 1", "E3977"),
            ("insert into t values (1)", "E3977"),
            ("create table u (a int)", "E3977"),
            ("set @a = 1", "E3977"),
            ("savepoint s", "E3977"),
            ("prepare p from 'select 1'", "E3977"),
            ("call nothing()", "E3977"),
            ("binlog ''", "E1149"),
        ])
        .await;
        other.check(&[("select * from t", "E1146"), ("show tables", "")]).await;
        c.check(&[
            ("commit", "ok 0"),
            ("insert into t values (1, 2)", "ok 1"),
            ("create table u (a int) start transaction engine = innodb, comment = 'c'", "ok 0"),
            ("rollback", "ok 0"),
            ("select * from u", "E1146"),
            ("create table if not exists t (a int) start transaction", "ok 0"),
            ("select 1", "E3977"),
            ("commit", "ok 0"),
            ("create table u (a int, constraint c check (a > 1)) start transaction", "ok 0"),
            ("commit and chain", "ok 0"),
            ("insert into u values (1)", "E3819"),
            ("commit", "ok 0"),
            ("create table v (a int, constraint c check (a > 1)) start transaction", "E3822"),
            ("create table v (a int, constraint c check (a > 1)) select 5 as a", "E3822"),
            ("create procedure p() create table w (a int) start transaction", "ok 0"),
            ("call p()", "ok 0"),
            ("do 1", "E3977"),
            ("rollback", "ok 0"),
            ("show tables", "t; u"),
        ])
        .await;
        // The session that takes the name first has it.
        c.check(&[("create table w (a int) start transaction", "ok 0")]).await;
        other.check(&[("create table w (b int)", "ok 0")]).await;
        c.check(&[("commit", "E1050"), ("select b from w", "")]).await;
        c.check(&[("create table x (a int) start transaction", "ok 0")]).await;
        c.0.reset().await.expect("resets");
        c.check(&[("show tables", "t; u; w")]).await;
    });
}

#[test]
fn what_cannot_start_a_transaction() {
    check(&[
        ("create table p (a int primary key)", "ok 0"),
        (
            "create temporary table t (a int) start transaction",
            "E3979 START TRANSACTION clause cannot be used to create temporary tables.",
        ),
        (
            "create table t (a int) start transaction select 1 as a",
            "E3979 START TRANSACTION clause cannot be used with CREATE TABLE ... AS SELECT statement.",
        ),
        (
            "create table t (a int) engine=myisam start transaction",
            "E3979 START TRANSACTION clause cannot be used with engine that does not support atomic DDL.",
        ),
        (
            "alter table p comment 'x', start transaction",
            "E3979 START TRANSACTION clause cannot be used with ALTER TABLE command.",
        ),
        ("create table t (a int, foreign key (a) references p (a)) start transaction", "E3978"),
        ("prepare s from 'create table t (a int) start transaction'", "E1295"),
        ("create table t (a int) partition by hash (a) start transaction", "E1064"),
        ("create table t like p start transaction", "E1064"),
        ("create table p (a int) start transaction", "E1050"),
        ("select 1", "1"),
        ("lock tables p write", "ok 0"),
        ("create table t (a int) start transaction", "E1100"),
    ]);
}

/// Values of a column that gets another type are what the column shows: a FLOAT its six digits, a YEAR four, a text that becomes a
/// BIT the number that it writes. What does not fit is an error, and not a shorter number.
#[test]
fn other_types_take_what_the_column_shows() {
    with_server(1, async |s| {
        let mut c = s.client();
        for (from, value, to, answer) in [
            ("float", "0.1", "varchar(20)", "0.1"),
            ("float", "16777217", "text", "16777200"),
            ("float", "0.1", "json", "0.1"),
            ("float(7,2)", "0.1", "varchar(20)", "0.10"),
            ("double", "123456789.125", "varchar(20)", "123456789.125"),
            ("year", "0", "varchar(20)", "0000"),
            ("int(5) zerofill", "42", "char(9)", "00042"),
            ("bit(10)", "65", "text", "\0A"),
            ("bit(10)", "65", "varchar(9)", "65"),
            ("varchar(20)", "'12'", "bit(10)", "12"),
            ("varbinary(20)", "'7'", "bit(10)", "7"),
            ("json", "'12'", "bit(10)", "12"),
            ("text", "''", "int", "E1366"),
            ("varchar(20)", "'abc'", "bit(10)", "E1292"),
            ("double", "123456789.125", "char(5)", "E1406"),
            ("double", "123456789.125", "varbinary(10)", "E1406"),
        ] {
            c.all(&["drop table if exists x"]).await;
            c.all(&[&format!("create table x (id int primary key, a {from})")]).await;
            c.all(&[&format!("insert into x values (1, {value}), (2, null)")]).await;
            let sum = if to.starts_with("bit") { "a + 0" } else { "a" };
            let done = c.ask(&format!("alter table x modify a {to}")).await;
            match answer.strip_prefix('E') {
                Some(number) => assert_eq!(done.errno().to_string(), number, "{from} {value} {to}"),
                None => {
                    let seen = c.rows(&format!("select {sum} from x order by id")).await;
                    assert_eq!(seen, format!("{answer}; NULL"), "{from} {value} {to}");
                }
            }
        }
        c.all(&["drop table x", "create table x (f float, b bit(10), t text, u text)"]).await;
        c.all(&["insert into x (f, b) values (0.1, 65)", "update x set t = f, u = b"]).await;
        c.check(&[("select t, hex(u) from x", "0.1|0041")]).await;
    });
}
