//! Keys over expressions: their hidden columns are kept up, and no statement sees them.
use crate::common::*;

const TABLE: &str = "create table t (id int primary key auto_increment, name varchar(20), n int, \
                     key ((lower(name))), unique key u ((abs(n)), name), key k ((n + 1) desc))";

#[test]
fn hidden_columns_are_not_seen() {
    check(&[
        (TABLE, "ok 0"),
        ("insert into t values (1, 'Ab', 1), (2, 'cd', -2)", "ok 2"),
        ("insert into t (name, n) values ('xx', null), ('xx', null)", "ok 2"),
        ("insert into t values (9, 'Ab', -1)", "E1062 Duplicate entry '1-Ab' for key 't.u'"),
        ("select * from t where id < 3", "1|Ab|1; 2|cd|-2"),
        ("select * from t natural join t x where id = 1", "1|Ab|1"),
        ("select `!hidden!u!0` from t", "E1054"),
        ("select `` from t", "E1054"),
        ("insert into t (`!hidden!u!0`) values (1)", "E1054"),
        ("update t set `!hidden!u!0` = 1", "E1054"),
        ("alter table t add key (`!hidden!u!0`)", "E1072"),
        ("alter table t drop column `!hidden!u!0`", "E1091"),
        ("create table p (`!hidden!u!0` int)", "ok 0"),
        (
            "select column_name, ordinal_position from information_schema.columns where table_name = 't'",
            "id|1; name|2; n|3",
        ),
        (
            "select index_name, seq_in_index, column_name, expression \
             from information_schema.statistics where table_name = 't'",
            "PRIMARY|1|id|NULL; u|1|NULL|abs(`n`); u|2|name|NULL; \
             functional_index|1|NULL|lower(`name`); k|1|NULL|(`n` + 1)",
        ),
        (
            "select constraint_name, column_name from information_schema.key_column_usage \
             where table_name = 't'",
            "PRIMARY|id; u|name",
        ),
        ("create table c as select * from t", "ok 4"),
        (
            "select column_name from information_schema.columns where table_name = 'c'",
            "id; name; n",
        ),
    ]);
}

#[test]
fn they_follow_what_they_are_made_of() {
    check(&[
        (TABLE, "ok 0"),
        ("insert into t (name, n) values ('a', 1), ('b', -2), ('c', 3)", "ok 3"),
        ("update t set n = -3 where id = 1", "ok 1"),
        ("update t set name = 'c' where id = 1", "E1062 Duplicate entry '3-c' for key 't.u'"),
        ("alter table t add column z int first, add index k3 ((n * 2))", "ok 0"),
        ("alter table t rename index k3 to k4, add g int as (n + 5), add key kg ((g + 1))", "ok 0"),
        ("insert into t (z, name, n) values (7, 'q', 9)", "ok 1"),
        ("select z, name, n, g from t where id = 4", "7|q|9|14"),
        ("alter table t modify g int as (n + 6) after z", "ok 4"),
        ("select z, g from t where id = 4", "7|15"),
        ("check table t", "test.t|check|status|OK"),
        ("alter table t drop column n", "E3108"),
        ("alter table t drop column name", "E3755"),
        ("alter table t rename column name to other", "E3837"),
        ("alter table t change name other varchar(20)", "E3837"),
        ("alter table t modify name text", "E3757"),
        ("alter table t modify name varchar(30) character set latin1", "ok 4"),
        ("alter table t convert to character set utf8mb4", "ok 4"),
        ("check table t", "test.t|check|status|OK"),
        ("alter table t drop index u, drop index k, drop index k4, drop index kg", "ok 0"),
        ("alter table t drop column g, drop column n", "ok 0"),
        ("insert into t (name) values ('q')", "ok 1"),
        (
            "show create table t",
            "t|CREATE TABLE `t` (\n  `z` int DEFAULT NULL,\n  `id` int NOT NULL AUTO_INCREMENT,\n  \
             `name` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci DEFAULT NULL,\n  PRIMARY KEY (`id`),\n  \
             KEY `functional_index` ((lower(`name`)))\n) ENGINE=InnoDB AUTO_INCREMENT=6 \
             DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
        ),
        ("create table l like t", "ok 0"),
        (
            "show index from l where expression is not null",
            "l|1|functional_index|1|NULL|A|0|NULL|NULL|YES|BTREE|||YES|lower(`name`)",
        ),
    ]);
}

#[test]
fn refused() {
    check(&[
        ("create table t (a int, key ((a)))", "E3762"),
        ("create table t (a json, key ((a->'$.b')))", "E3753"),
        ("create table t (a text, key ((lower(a))))", "E3757"),
        ("create table t (a int, primary key ((a + 1)))", "E3756"),
        ("create table t (a int, fulltext key ((a + 1)))", "E3759"),
        ("create table t (a int, spatial key ((a + 1)))", "E3760"),
        (
            "create table t (a int, key i ((rand())))",
            "E3758 Expression of functional index 'i' contains a disallowed function.",
        ),
        ("create table t (a int, key i ((a + @x)))", "E3758"),
        ("create table t (a int, key i (((1, 2) = (a, 3))))", "E3800"),
        ("create table t (a int, key ((a in (select 1))))", "E3758"),
        ("create table t (a int, key ((b + 1)))", "E1054 Unknown column 'b' in 'functional index'"),
        ("create table t (a int auto_increment primary key, key ((a + 1)))", "E3754"),
        ("create table t (a varchar(500), b varchar(500), key ((upper(a)), (upper(b))))", "E1071"),
        ("create table t (a int, key i ((a + 1)), key i ((a + 2)))", "E1061"),
        ("create table t (a int, key ((a + 1)), key ((a + 2)))", "ok 0"),
        (
            "select distinct index_name from information_schema.statistics where table_name = 't'",
            "functional_index; functional_index_2",
        ),
        ("insert into t values (1), (2)", "ok 2"),
        ("create unique index u on t ((a div 10))", "E1062"),
        ("select * from t", "1; 2"),
    ]);
}

/// The error of a value names the index.
#[test]
fn values_that_do_not_fit() {
    check(&[
        (
            "create table t (id int primary key, a varchar(20), d json, key k ((cast(a as unsigned))))",
            "ok 0",
        ),
        (
            "insert into t (id, a) values (1, 'x')",
            "E3751 Data truncated for functional index 'k' at row 1",
        ),
        ("insert into t (id, a) values (1, '7')", "ok 1"),
        ("alter table t rename index k to v", "ok 0"),
        ("update t set a = 'y'", "E3751 Data truncated for functional index 'v' at row 1"),
        ("insert ignore into t (id, a) values (2, 'z')", "ok 1"),
        ("show warnings", "Warning|3751|Data truncated for functional index 'v' at row 1"),
        ("alter table t drop index v, add key j ((cast(d->'$.a' as signed)))", "ok 0"),
        (
            r#"insert into t (id, d) values (3, '{"a": "q"}')"#,
            "E3903 Invalid JSON value for CAST for functional index 'j'.",
        ),
        (r#"insert into t (id, d) values (3, '{"a": 5}')"#, "ok 1"),
        ("alter table t add c int after `!hidden!j!0`", "E1054"),
        ("alter table t add c int as (`!hidden!j!0` + 1)", "E1054"),
        ("select count(*) from t a join t b using (``)", "E1054"),
        ("check table t", "test.t|check|status|OK"),
    ]);
}

/// A condition or an order that has the expression of a key is answered by the key.
#[test]
fn queries_find_keys_by_their_expressions() {
    check(&[
        (TABLE, "ok 0"),
        ("insert into t (name, n) values ('Ab', 1), ('cd', -2), ('EF', 30), (null, null)", "ok 4"),
        ("insert into t (name, n) select concat('x', id), 100 + id from t", "ok 4"),
        ("select name from t where lower(name) = 'ab'", "Ab"),
        (
            "explain select name from t where lower(name) = 'ab'",
            "1|SIMPLE|t|NULL|ref|functional_index|functional_index|83|const|1|100.00|Using where",
        ),
        ("select name from t where 'ef' = lower(`name`)", "EF"),
        ("select name from t where lower(name) in ('ab', 'cd') order by id", "Ab; cd"),
        ("select name from t where n + 1 = 31", "EF"),
        ("select name from t where n + 1 = 32", ""),
        // The same form with another literal is another expression.
        ("select name from t where n + 2 = 32", "EF"),
        ("select name from t where n + 1 between 30 and 40", "EF"),
        ("select name from t where abs(n) = 2 and name = 'cd'", "cd"),
        ("select name from t where lower(name) = 'ab' or n + 1 = 31 order by id", "Ab; EF"),
        ("select n from t where n < 50 order by n + 1 desc", "30; 1; -2"),
        ("select lower(name) as l from t where id < 4 order by l desc", "ef; cd; ab"),
        ("select x.name from t x join t y on lower(x.name) = y.name and y.id = 2", "cd"),
        (
            "select count(*) from t x left join t y on lower(y.name) = lower(x.name) and y.n + 1 = 2 where y.id is null",
            "7",
        ),
        ("update t set name = 'Zz' where lower(name) = 'ab'", "ok 1"),
        ("select name from t where lower(name) = 'zz'", "Zz"),
        ("delete from t where n + 1 = 31", "ok 1"),
        ("select count(*) from t where n + 1 = 31", "0"),
        ("prepare p from 'select name from t where lower(name) = ?'", "ok 0"),
        ("set @v = 'cd'", "ok 0"),
        ("execute p using @v", "cd"),
        ("set @v = 'zz'", "ok 0"),
        ("execute p using @v", "Zz"),
        ("prepare p from 'select name from t where n + ? = -1'", "ok 0"),
        ("set @v = 1", "ok 0"),
        ("execute p using @v", "cd"),
        ("set @v = 2", "ok 0"),
        ("execute p using @v", ""),
        ("create view v as select name, n + 1 as m from t", "ok 0"),
        ("select name from v where m = -1", "cd"),
    ]);
}

/// What an index says of a statement tells whether it was found.
#[test]
fn explain_names_the_key_of_an_expression() {
    check(&[
        (
            "create table e (id int primary key, d json, x int, key kj ((cast(json_unquote(json_extract(d, '$.a')) as unsigned))), key kx ((x * 2)))",
            "ok 0",
        ),
        (
            "insert into e values (1, '{\"a\": 5}', 1), (2, '{\"a\": 6}', 2), (3, '{}', 3), (4, '{\"a\": 7}', 4)",
            "ok 4",
        ),
        ("insert into e select id + 10, '{\"a\": 100}', 100 + id from e", "ok 4"),
        ("insert into e select id + 100, '{\"a\": 100}', 100 + id from e", "ok 8"),
        ("select id from e where cast(d->>'$.a' as unsigned) = 6", "2"),
        (
            "explain select id from e where x * 2 = 8",
            "1|SIMPLE|e|NULL|ref|kx|kx|9|const|1|100.00|Using index",
        ),
        (
            "explain select id from e where x * 3 = 8",
            "1|SIMPLE|e|NULL|ALL|NULL|NULL|NULL|NULL|16|10.00|Using where",
        ),
        ("select id from e where x * 2 > 3 and x * 2 < 7 order by id", "2; 3"),
        ("set div_precision_increment = 5", "ok 0"),
        ("select id from e where x * 2 = 8", "4"),
    ]);
}

/// A row of an outer join that is missing has NULL for the key's column, whatever the expression makes of NULL.
#[test]
fn outer_joins_are_not_answered_by_keys() {
    check(&[
        ("create table t (id int primary key)", "ok 0"),
        (
            "create table y (id int primary key, name varchar(9), key k ((ifnull(name, 'none'))))",
            "ok 0",
        ),
        ("insert into t values (1), (2)", "ok 2"),
        ("insert into y values (1, 'a'), (9, null)", "ok 2"),
        (
            "select t.id from t left join y on y.id = t.id where ifnull(y.name, 'none') = 'none'",
            "2",
        ),
        (
            "select t.id, y.id from t left join y on y.id = t.id and ifnull(y.name, 'none') = 'a' order by 1",
            "1|1; 2|NULL",
        ),
        (
            "select t.id from t left join y on y.id = t.id order by ifnull(y.name, 'none') desc",
            "2; 1",
        ),
        (
            "delete t from t left join y on y.id = t.id where ifnull(y.name, 'none') = 'none'",
            "ok 1",
        ),
        ("select id from t", "1"),
    ]);
}

/// The value in the key is the writer's: no setting that differs for a reader may decide about it.
#[test]
fn settings_that_differ_find_the_same_rows() {
    check(&[
        ("set div_precision_increment = 10", "ok 0"),
        ("create table q (a int, b int, key k ((a / b)))", "ok 0"),
        ("insert into q values (1, 3)", "ok 1"),
        ("set div_precision_increment = 4", "ok 0"),
        ("select a from q where a / b = 0.3333", "1"),
        (
            "create table w (n int, s varchar(9), key k ((concat(n, 'a'))), key i ((instr(s, 'b'))))",
            "ok 0",
        ),
        ("insert into w values (1, 'B')", "ok 1"),
        ("select n from w where concat(n, 'a') = '1a'", "1"),
        ("select n from w where instr(s, 'b') = 1", "1"),
        ("select n from w where instr(s, x'62') = 1", ""),
        ("set names utf8mb4 collate utf8mb4_bin", "ok 0"),
        ("select n from w where concat(n, 'a') = '1A'", ""),
        ("select n from w where instr(s, 'b') = 1", "1"),
    ]);
}

/// An expression over one table is never answered by the key of another.
#[test]
fn keys_answer_for_their_own_table() {
    check(&[
        ("create table k (id int primary key, name varchar(20), key l ((lower(name))))", "ok 0"),
        ("create table p (id int primary key, name varchar(20))", "ok 0"),
        ("insert into k values (1, 'Ab'), (2, 'cd')", "ok 2"),
        ("insert into p values (1, 'AB'), (3, 'x')", "ok 2"),
        ("select p.id, k.id from p join k on k.name = lower(p.name) order by 1, 2", "1|1"),
        (
            "select p.id, k.id from p left join k on lower(k.name) = lower(p.name) order by 1, 2",
            "1|1; 3|NULL",
        ),
        ("select p.id, k.id from p, k where lower(k.name) = 'cd' order by 1", "1|2; 3|2"),
        ("select p.id, k.id from p, k where lower(p.name) = 'ab' order by 2", "1|1; 1|2"),
        (
            "select x.id, y.id from k x join k y on lower(x.name) = lower(y.name) order by 1",
            "1|1; 2|2",
        ),
    ]);
}

#[test]
fn json_value_is_an_expression_of_definitions_and_keys() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("create table j (id int primary key, j json, g int as (json_value(j, '$.b' returning unsigned default 3 on empty error on error)), c char(5) as (json_value(j, '$.c')), check (7 member of (j->'$.z')), key k ((json_value(j, '$.id' returning unsigned))))", "ok 0"),
            ("show create table j", "j|CREATE TABLE `j` (\n  `id` int NOT NULL,\n  `j` json DEFAULT NULL,\n  `g` int GENERATED ALWAYS AS (json_value(`j`, _utf8mb4'$.b' returning unsigned default 3 on empty error on error)) VIRTUAL,\n  `c` char(5) GENERATED ALWAYS AS (json_value(`j`, _utf8mb4'$.c' returning char(512))) VIRTUAL,\n  PRIMARY KEY (`id`),\n  KEY `k` ((json_value(`j`, _utf8mb4'$.id' returning unsigned))),\n  CONSTRAINT `j_chk_1` CHECK (7 member of (json_extract(`j`,_utf8mb4'$.z')))\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci"),
            (r#"insert into j (id, j) values (1, '{"id": 5, "c": "x", "z": [7]}'), (2, '{"id": 6, "b": 4, "z": 7}')"#, "ok 2"),
            (r#"insert into j (id, j) values (3, '{"z": [8]}')"#, "E3819"),
            ("select id, g, c from j", "1|3|x; 2|4|NULL"),
            ("select id from j where json_value(j, '$.id' returning unsigned) = 6", "2"),
        ])
        .await;
        let plan = c
            .rows("explain select id from j where json_value(j, '$.id' returning unsigned) = 6")
            .await;
        assert!(plan.contains("|ref|k|k|"), "{plan}");
    });
}

/// What is kept of an expression says what the expression says.
#[test]
fn member_of_and_texts_of_json_keep_their_meaning() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let ints = [
            "1 + (a member of (j))",
            "(a member of (j)) + 1",
            "(a member of (j)) in (0, 2)",
            "(a member of (j)) member of ('[1]')",
            "(a member of (j)) is null",
            "isnull((a member of (j)))",
            "(a member of (j)) between (2 member of (j)) and 1",
            "(+(a member of (j))) like '1'",
            "(a member of (j)) = (2 member of (j))",
            "if(a member of (j), 7, 8)",
            "case when a member of (j) then 7 else 8 end",
            "not (a member of (j)) and a member of (j)",
            "-(a member of (j))",
            "(a member of (j)) << 2 member of (j)",
            "json_value(j, '$[1]' returning char) = 'x'",
            "json_value(j, '$[1]' returning char(3)) = 'x'",
            "json_value(j, '$[1]' returning char(3) charset latin1) = 'x'",
            "json_value(j, '$[1]') = 'x'",
        ];
        let columns: Vec<String> =
            ints.iter().enumerate().map(|(n, e)| format!("g{n} int as ({e})")).collect();
        let create = format!("create table t (a int, j json, {})", columns.join(", "));
        c.check(&[(&*create, "ok 0")]).await;
        c.check(&[(r#"insert into t (a, j) values (1, '[1, "X"]'), (2, '[1, "x"]'), (2, '[2]'), (null, '[1]'), (1, null)"#, "ok 5")]).await;
        let view = format!("create view v as select {} from t", ints.join(", "));
        c.check(&[(&*view, "ok 0")]).await;
        for (n, e) in ints.iter().enumerate() {
            let direct = c.rows(&format!("select {e} from t")).await;
            assert_eq!(c.rows(&format!("select g{n} from t")).await, direct, "{e}");
        }
        let direct = c.rows(&format!("select {} from t", ints.join(", "))).await;
        assert_eq!(c.rows("select * from v").await, direct);
        // What SHOW CREATE TABLE says makes the same table.
        let text = c.rows("show create table t").await;
        let text = text.strip_prefix("t|").expect("a table").replacen("`t`", "`u`", 1);
        c.check(&[(&*text, "ok 0")]).await;
        c.check(&[("insert into u (a, j) select a, j from t", "ok 5")]).await;
        for (n, e) in ints.iter().enumerate() {
            let direct = c.rows(&format!("select g{n} from t")).await;
            assert_eq!(c.rows(&format!("select g{n} from u")).await, direct, "{e}");
        }
        let text = c.rows("show create view v").await;
        let text = text.split('|').nth(1).expect("a text").replacen("`v`", "`w`", 1);
        c.check(&[(&*text, "ok 0")]).await;
        assert_eq!(c.rows("select * from w").await, c.rows("select * from v").await);
    });
}

/// A remainder is settled where its divisor is: only division by zero is for the mode to decide.
#[test]
fn remainders_are_found_by_their_keys() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int auto_increment primary key, a int, b int, index m((a % 10)), index d((a div 10)), index z((a % b)))",
            "insert into t (a, b) values (1, 2), (12, 5), (23, 9), (32, 7), (45, 2)",
            "insert into t (a, b) select a + 100, b from t",
            "insert into t (a, b) select a + 200, b from t",
            "insert into t (a, b) select a + 400, b from t",
            "insert into t (a, b) select a + 800, b from t",
        ])
        .await;
        for (condition, key) in
            [("a % 10 = 2", "m"), ("a div 10 = 3", "d"), ("a % 10 in (2, 3)", "m")]
        {
            let plan = c.rows(&format!("explain select id from t where {condition}")).await;
            assert_eq!(plan.split('|').nth(6), Some(key), "{condition}: {plan}");
            let by_key = c.rows(&format!("select id from t where {condition} order by id")).await;
            let without =
                format!("select id from t ignore index (m, d, z) where {condition} order by id");
            assert_eq!(by_key, c.rows(&without).await, "{condition}");
        }
        let plan = c.rows("explain select id from t where a % b = 2").await;
        assert_eq!(plan.split('|').nth(6), Some("NULL"), "{plan}");
        c.0.close().await;
    });
}
