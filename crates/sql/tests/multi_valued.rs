//! Multi-valued indexes: an entry for each element of a document's array, which MEMBER OF, JSON_CONTAINS and JSON_OVERLAPS search.
use crate::common::*;

const TABLE: &str = "create table t (id int primary key, k int, j json, \
                     key a ((cast(j->'$.a' as unsigned array))), \
                     key ka (k, (cast(j->'$.a' as unsigned array)), id), \
                     key s ((cast(j->'$.s' as char(5) array))))";

const ROWS: &str = r#"insert into t values (1, 1, '{"a": [1, 2, 3]}'), (2, 1, '{"a": []}'), (3, 2, '{}'),
    (4, 2, '{"a": 5}'), (5, 1, null), (6, 2, '{"a": [2, 2, 7], "s": ["x", "Y"]}'),
    (7, 1, '{"a": [1, "2"], "s": "x"}'), (8, 1, '{"a": [true, 2.0]}')"#;

#[test]
fn they_are_defined_and_shown() {
    check(&[
        (TABLE, "ok 0"),
        (
            "show create table t",
            "t|CREATE TABLE `t` (\n  `id` int NOT NULL,\n  `k` int DEFAULT NULL,\n  `j` json DEFAULT NULL,\n  \
             PRIMARY KEY (`id`),\n  \
             KEY `a` ((cast(json_extract(`j`,_utf8mb4'$.a') as unsigned array))),\n  \
             KEY `ka` (`k`,(cast(json_extract(`j`,_utf8mb4'$.a') as unsigned array)),`id`),\n  \
             KEY `s` ((cast(json_extract(`j`,_utf8mb4'$.s') as char(5) array)))\n) ENGINE=InnoDB \
             DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
        ),
        (
            "select index_name, seq_in_index, column_name, collation, nullable, expression \
             from information_schema.statistics where table_name = 't' and index_name = 'a'",
            "a|1|NULL|A|YES|cast(json_extract(`j`,_utf8mb4\\'$.a\\') as unsigned array)",
        ),
        ("create table l like t", "ok 0"),
        ("insert into l values (1, 1, '{\"a\": [\"q\"]}')", "E3903"),
        ("alter table l drop index a, drop index ka, rename index s to b", "ok 0"),
        ("alter table l add key ((cast(j as decimal(5,2) array)))", "ok 0"),
        (
            "show create table l",
            "l|CREATE TABLE `l` (\n  `id` int NOT NULL,\n  `k` int DEFAULT NULL,\n  `j` json DEFAULT NULL,\n  \
             PRIMARY KEY (`id`),\n  \
             KEY `b` ((cast(json_extract(`j`,_utf8mb4'$.s') as char(5) array))),\n  \
             KEY `functional_index` ((cast(`j` as decimal(5, 2) array)))\n) ENGINE=InnoDB \
             DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
        ),
        ("alter table t drop column j", "E3755"),
        ("alter table t rename column j to d", "E3837"),
        (ROWS, "ok 8"),
        ("create table c select * from t", "ok 8"),
        ("select count(*) from t", "8"),
        ("check table t", "test.t|check|status|OK"),
    ]);
}

#[test]
fn what_there_are_no_arrays_of() {
    let key = |part: &str| format!("create table x (j json, i int, key a ({part}))");
    let unsupported =
        |what: &str| format!("E1235 This version of MySQL doesn't yet support '{what}'");
    let elsewhere = unsupported(
        "Use of CAST( .. AS .. ARRAY) outside of functional index in CREATE(non-SELECT)/ALTER TABLE or in general expressions",
    );
    let lob = unsupported("CAST-ing data to array of char/binary BLOBs");
    let cases = [
        (key("(cast(j as char array))"), lob.clone()),
        (key("(cast(j as char(513) array))"), lob.clone()),
        (key("(cast(j as binary(513) array))"), lob),
        (key("(cast(j as year array))"), unsupported("CAST-ing data to array of YEAR")),
        (key("(cast(j as double array))"), unsupported("CAST-ing data to array of DOUBLE")),
        (key("(cast(j as float array))"), unsupported("CAST-ing data to array of FLOAT")),
        (key("(cast(j as json array))"), unsupported("CAST-ing data to array of JSON")),
        (
            key("(cast(j as char(5) character set latin1 array))"),
            unsupported("specifying charset for multi-valued index"),
        ),
        (
            key("(cast(j as char(0) array))"),
            "E3761 The used storage engine cannot index the expression 'cast(`j` as char(0) array)'.".into(),
        ),
        (
            key("(cast(j as unsigned array)) desc"),
            "E1221 Incorrect usage of multi-valued index and explicit index order".into(),
        ),
        (key("(cast(j as unsigned array)) asc"), "E1221".into()),
        (
            key("(cast(j as unsigned array)), (cast(j->'$.b' as signed array))"),
            unsupported("more than one multi-valued key part per index"),
        ),
        (key("(cast(j as unsigned array) + 1)"), elsewhere.clone()),
        ("create table x (j json, g json as (cast(j as unsigned array)))".into(), elsewhere.clone()),
        ("select cast('[1]' as unsigned array)".into(), elsewhere),
        ("create table x (j json, primary key ((cast(j as unsigned array))))".into(), "E3756".into()),
        ("create table x (j json, fulltext key ((cast(j as char(5) array))))".into(), "E3759".into()),
        // A number that is counted on needs an entry for each row as well.
        (
            "create table x (a int auto_increment, j json, key (a, (cast(j as unsigned array))))".into(),
            "E1075".into(),
        ),
        // A foreign key needs an entry for each row.
        ("create table p (a int primary key)".into(), "ok 0".into()),
        (
            "create table x (a int, j json, key k (a, (cast(j as unsigned array))), foreign key f (a) references p (a))".into(),
            "ok 0".into(),
        ),
        (
            "select index_name from information_schema.statistics where table_name = 'x' and seq_in_index = 1".into(),
            "k; f".into(),
        ),
    ];
    let cases: Vec<(&str, &str)> = cases.iter().map(|(q, a)| (&**q, &**a)).collect();
    check(&cases);
}

#[test]
fn elements_that_are_none_of_the_type() {
    check(&[
        (TABLE, "ok 0"),
        (
            r#"insert into t values (1, 1, '{"a": [1, null]}')"#,
            "E3903 Invalid JSON value for CAST for functional index 'a'.",
        ),
        (r#"insert into t values (1, 1, '{"a": null}')"#, "E3903"),
        (r#"insert into t values (1, 1, '{"a": [1, "x"]}')"#, "E3903"),
        (
            r#"insert into t values (1, 1, '{"a": [1, -2]}')"#,
            "E3752 Value is out of range for functional index 'a' at row 1",
        ),
        (
            r#"insert into t values (1, 1, '{"a": [1e30]}')"#,
            "E3904 Out of range JSON value for CAST for functional index 'a'.",
        ),
        (
            r#"insert into t values (1, 1, '{"a": [1, [2]]}')"#,
            "E3908 Cannot store an array or an object in a scalar key part of the index 'a'.",
        ),
        (
            r#"insert into t values (1, 1, '{"a": {"b": 1}}')"#,
            "E1235 This version of MySQL doesn't yet support 'CAST-ing JSON OBJECT type to array'",
        ),
        (
            r#"insert into t values (1, 1, '{"s": ["abcdef"]}')"#,
            "E3907 Data too long for functional index 's'.",
        ),
        (r#"insert ignore into t values (1, 1, '{"a": ["x"]}')"#, "E3903"),
        ("set sql_mode = ''", "ok 0"),
        (r#"insert into t values (1, 1, '{"a": ["x"]}')"#, "E3903"),
        ("set session cte_max_recursion_depth = 100000, group_concat_max_len = 1000000", "ok 0"),
        (
            "insert into t select 1, 1, concat('{\"a\":[', group_concat(n), ']}') from \
             (with recursive r(n) as (select 1 union all select n + 1 from r where n < 5000) select n from r) x",
            "E3905 Exceeded max number of values per record for multi-valued index 'a' by 3395 value(s).",
        ),
        (
            "insert into t select 1, 1, concat('{\"s\":[', group_concat('\"', n + 1000, '\"'), ']}') from \
             (with recursive r(n) as (select 1 union all select n + 1 from r where n < 1500) select n from r) x",
            "E3906 Exceeded max total length of values per record for multi-valued index 's' by 646 bytes.",
        ),
        ("create table v (d varchar(20), key ((cast(d as signed array))))", "ok 0"),
        ("insert into v values ('[5]'), ('6')", "ok 2"),
        (
            "insert into v values ('abc')",
            "E3141 Invalid JSON text in argument 1 to function cast_as_array: \"Invalid value.\" at position 0.",
        ),
        ("create table i (d int, key ((cast(d as signed array))))", "ok 0"),
        ("insert into i values (5)", "E3146"),
        ("select count(*) from t", "0"),
    ]);
}

#[test]
fn conditions_search_by_elements() {
    check(&[
        (TABLE, "ok 0"),
        (ROWS, "ok 8"),
        ("insert into t select id + 100, 9, '{\"a\": [1000, 1001], \"s\": \"z\"}' from t", "ok 8"),
        ("insert into t select id + 200, 9, '{\"a\": [1000, 1001], \"s\": \"z\"}' from t", "ok 16"),
        ("select id from t where 2 member of (j->'$.a')", "1; 6; 8"),
        (
            "explain select id from t where 2 member of (j->'$.a')",
            "1|SIMPLE|t|NULL|ref|a|a|9|const|4|100.00|Using where",
        ),
        (
            "explain select id from t where 2 member of (j->'$.a') and k = 1",
            "1|SIMPLE|t|NULL|ref|a,ka|ka|14|const,const|3|10.00|Using where",
        ),
        ("select id from t where 2 member of (j->'$.a') and k = 1", "1; 8"),
        ("select id from t where json_contains(j->'$.a', '[1, 2]')", "1"),
        ("select id from t where json_contains(j->'$.a', '2')", "1; 6; 8"),
        (
            "explain select id from t where json_contains(j->'$.a', '[1, 2]')",
            "1|SIMPLE|t|NULL|range|a|a|9|NULL|3|100.00|Using where",
        ),
        ("select id from t where json_overlaps(j->'$.a', '[1, 7, 5]')", "1; 4; 6; 7"),
        ("select id from t where json_overlaps('[1, 2, 3]', j->'$.a')", "1; 6; 7; 8"),
        (
            "explain select id from t where json_overlaps(j->'$.a', '[1, 7, 5]')",
            "1|SIMPLE|t|NULL|range|a|a|9|NULL|5|100.00|Using where",
        ),
        // Of these no element tells which rows are wanted.
        ("select count(*) from t where json_contains(j->'$.a', '[]')", "29"),
        (
            "explain select count(*) from t where json_contains(j->'$.a', '[]')",
            "1|SIMPLE|t|NULL|ALL|a|NULL|NULL|NULL|32|100.00|Using where",
        ),
        ("select id from t where json_overlaps(j->'$.a', '[[5], 7]')", "6"),
        ("select count(*) from t where cast('[1, 2]' as json) member of (j->'$.a')", "0"),
        ("select id from t where 'q' member of (j->'$.a')", ""),
        ("select id from t where '2' member of (j->'$.a')", "7"),
        ("select id from t where null member of (j->'$.a')", ""),
        ("select id from t where true member of (j->'$.a')", "8"),
        ("select id from t where 'x' member of (j->'$.s')", "6; 7"),
        ("select id from t where 'y' member of (j->'$.s')", ""),
        ("select id from t where 'Y' member of (j->'$.s') or id = 3", "3; 6"),
        ("select id from t where not (2 member of (j->'$.a')) and id < 9", "2; 4; 7"),
        (
            "select count(*), sum(json_length(j->'$.a')) from t where json_overlaps(j->'$.a', '[1, 2, 3]')",
            "4|10",
        ),
        // Neither the order nor the number of entries is that of the rows.
        ("select count(*) from t", "32"),
        ("select k from t force index (ka) where k = 2 order by k", "2; 2; 2"),
        ("select min(k), max(k) from t", "1|9"),
        ("select distinct k from t order by k", "1; 2; 9"),
        (
            "select x.id, y.id from t x join t y on x.id member of (y.j->'$.a') where x.id < 9 order by 1, 2",
            "1|1; 1|7; 2|1; 2|6; 2|8; 3|1; 5|4; 7|6",
        ),
        (
            "select x.id, y.id from t x left join t y on x.id + 1 member of (y.j->'$.a') and y.k = 1 where x.id < 4 order by 1, 2",
            "1|1; 1|8; 2|1; 3|NULL",
        ),
        ("prepare p from 'select id from t where json_contains(j->''$.a'', ?)'", "ok 0"),
        ("set @v = '[2, 7]'", "ok 0"),
        ("execute p using @v", "6"),
        ("set @v = '[]'", "ok 0"),
        (
            "execute p using @v",
            "1; 2; 6; 7; 8; 101; 102; 103; 104; 105; 106; 107; 108; 201; 202; 203; 204; 205; 206; 207; 208; 301; 302; 303; 304; 305; 306; 307; 308",
        ),
        ("set @v = 'x'", "ok 0"),
        ("execute p using @v", "E3141"),
    ]);
}

#[test]
fn changes_keep_the_entries() {
    check(&[
        (TABLE, "ok 0"),
        (ROWS, "ok 8"),
        (
            "update t set j = json_set(j, '$.a', json_array(2, 9)) where 2 member of (j->'$.a')",
            "ok 3",
        ),
        ("select id from t where 9 member of (j->'$.a')", "1; 6; 8"),
        ("select id from t where 3 member of (j->'$.a')", ""),
        ("begin", "ok 0"),
        ("update t set j = '{\"a\": [40, 41, 2]}' where 9 member of (j->'$.a')", "ok 3"),
        ("savepoint s", "ok 0"),
        ("update t set j = '{\"a\": [41, 42]}' where json_overlaps(j->'$.a', '[40, 41]')", "ok 3"),
        ("delete from t where 5 member of (j->'$.a')", "ok 1"),
        ("select id from t where 42 member of (j->'$.a')", "1; 6; 8"),
        ("rollback to s", "ok 0"),
        ("select id from t where 41 member of (j->'$.a')", "1; 6; 8"),
        ("select id from t where 42 member of (j->'$.a')", ""),
        ("select id from t where 5 member of (j->'$.a')", "4"),
        ("rollback", "ok 0"),
        (
            "select id from t where 2 member of (j->'$.a') and json_contains(j->'$.a', '9')",
            "1; 6; 8",
        ),
        ("check table t", "test.t|check|status|OK"),
        ("replace into t values (1, 7, '{\"a\": [77]}')", "ok 2"),
        (
            "insert into t values (1, 7, '{}') on duplicate key update j = '{\"a\": [78, 77]}'",
            "ok 2",
        ),
        ("select id from t where 77 member of (j->'$.a') and 78 member of (j->'$.a')", "1"),
        ("delete from t where json_overlaps(j->'$.a', '[9, 5, 78]')", "ok 4"),
        ("select id from t", "2; 3; 5; 7"),
        ("check table t", "test.t|check|status|OK"),
        ("alter table t add column z int first, force", "ok 0"),
        ("alter table t modify k bigint", "ok 0"),
        ("select id from t where 1 member of (j->'$.a')", "7"),
        ("alter table t add key n ((cast(j->'$.a' as signed array))), lock = none", "ok 0"),
        ("alter table t add key x ((cast(j->'$.s' as unsigned array)))", "E3903"),
        ("select id from t force index (n) where 1 member of (j->'$.a')", "7"),
        ("truncate t", "ok 0"),
        ("select id from t where 1 member of (j->'$.a')", ""),
        ("check table t", "test.t|check|status|OK"),
    ]);
}

#[test]
fn unique_elements() {
    check(&[
        (
            "create table u (id int primary key, j json, unique key a ((cast(j->'$.a' as unsigned array))))",
            "ok 0",
        ),
        (r#"insert into u values (1, '{"a": [1, 2]}'), (2, '{"a": [3, 3]}')"#, "ok 2"),
        (
            r#"insert into u values (3, '{"a": [4, 2]}')"#,
            "E1062 Duplicate entry '[2, 4]' for key 'u.a'",
        ),
        ("select id from u where 4 member of (j->'$.a')", ""),
        (
            r#"insert into u values (3, null), (4, null), (5, '{"a": []}'), (6, '{"a": []}')"#,
            "ok 4",
        ),
        (r#"update u set j = '{"a": [2, 9]}' where id = 3"#, "E1062"),
        (r#"update u set j = '{"a": [2, 9]}' where id = 1"#, "ok 1"),
        (r#"update u set j = '{"a": [1]}' where id = 3"#, "ok 1"),
        (r#"insert ignore into u values (7, '{"a": [9]}')"#, "ok 0"),
        (r#"replace into u values (7, '{"a": [9, 3, 8]}')"#, "ok 3"),
        (
            "select id, j from u order by id",
            r#"3|{"a": [1]}; 4|NULL; 5|{"a": []}; 6|{"a": []}; 7|{"a": [9, 3, 8]}"#,
        ),
        (r#"insert into u values (8, '{"a": [8]}') on duplicate key update id = 9"#, "ok 2"),
        ("select id from u where 8 member of (j->'$.a')", "9"),
        ("check table u", "test.u|check|status|OK"),
        ("alter table u drop index a", "ok 0"),
        (r#"insert into u values (10, '{"a": [8, 50]}')"#, "ok 1"),
        ("alter table u add unique a ((cast(j->'$.a' as unsigned array)))", "E1062"),
        ("delete from u where id = 9", "ok 1"),
        ("alter table u add unique a ((cast(j->'$.a' as unsigned array)))", "ok 0"),
        ("check table u", "test.u|check|status|OK"),
    ]);
}

#[test]
fn readers_of_older_versions_find_theirs() {
    with_server(5, async |server| {
        let (mut a, mut b) = (server.client(), server.client());
        a.check(&[(TABLE, "ok 0"), (ROWS, "ok 8")]).await;
        b.check(&[("begin", "ok 0"), ("select id from t where 2 member of (j->'$.a')", "1; 6; 8")])
            .await;
        a.check(&[
            ("update t set j = '{\"a\": [3, 2]}' where id = 1", "ok 1"),
            ("update t set j = '{\"a\": [30]}' where id = 6", "ok 1"),
            ("delete from t where id = 8", "ok 1"),
            ("select id from t where 2 member of (j->'$.a')", "1"),
            ("select id from t where json_overlaps(j->'$.a', '[2, 30, 3]')", "1; 6"),
        ])
        .await;
        b.check(&[
            ("select id from t where 2 member of (j->'$.a')", "1; 6; 8"),
            ("select id from t where json_overlaps(j->'$.a', '[2, 30, 3, 7]')", "1; 6; 8"),
            ("select id from t where 30 member of (j->'$.a')", ""),
            ("select id from t where 2 member of (j->'$.a') for update", "1"),
            ("commit", "ok 0"),
            ("check table t", "test.t|check|status|OK"),
        ])
        .await;
        a.0.close().await;
        b.0.close().await;
        drop(server);
    });
}

#[test]
fn they_come_back_after_a_crash() {
    check_over_a_crash(
        &[
            (TABLE, "ok 0"),
            (ROWS, "ok 8"),
            ("begin", "ok 0"),
            ("delete from t where 2 member of (j->'$.a')", "ok 3"),
        ],
        "select 1",
        &[
            ("check table t", "test.t|check|status|OK"),
            ("select id from t where 2 member of (j->'$.a')", "1; 6; 8"),
        ],
    );
}

#[test]
fn partitions_and_temporary_tables_have_them() {
    check(&[
        (
            "create table p (id int primary key, j json, key a ((cast(j as unsigned array)))) partition by hash (id) partitions 3",
            "ok 0",
        ),
        ("insert into p values (1, '[1, 2]'), (2, '[2, 3]'), (3, '[3]'), (4, '[]')", "ok 4"),
        ("insert into p select id + 10, '[1000, 1001]' from p", "ok 4"),
        ("insert into p select id + 100, '[1000, 1001]' from p", "ok 8"),
        ("select id from p where 2 member of (j) order by id", "1; 2"),
        (
            "explain select id from p where 2 member of (j) order by id",
            "1|SIMPLE|p|p0,p1,p2|ref|a|a|9|const|2|100.00|Using where",
        ),
        (
            "select id from p where json_overlaps(j, '[1, 2, 3]') and id in (2, 3) order by id",
            "2; 3",
        ),
        ("update p set j = '[2]' where 3 member of (j)", "ok 2"),
        ("select id from p where 2 member of (j) order by id desc", "3; 2; 1"),
        ("check table p", "test.p|check|status|OK"),
        ("create temporary table x (id int, j json, key a ((cast(j as char(3) array))))", "ok 0"),
        ("insert into x values (1, '[\"a\", \"b\"]'), (2, '\"b\"')", "ok 2"),
        ("select id from x force index (a) where 'b' member of (j)", "1; 2"),
    ]);
}

/// Whatever is asked, a table with the indexes answers as one without.
#[test]
fn rows_are_those_that_a_scan_finds() {
    with_server(11, async |server| {
        let mut c = server.client();
        c.check(&[
            ("create table t (id int primary key, k int, j json, key a ((cast(j as signed array))), key b (k, (cast(j as signed array))), key d ((cast(j as decimal(6,2) array))))", "ok 0"),
            ("create table s (id int primary key, k int, j json)", "ok 0"),
        ])
        .await;
        let mut state = 12345u64;
        let mut draw = move |n: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % n
        };
        let document = |draw: &mut dyn FnMut(u64) -> u64| {
            let value = |draw: &mut dyn FnMut(u64) -> u64| match draw(8) {
                0 => format!("\"{}\"", draw(12)),
                1 => format!("{}.5", draw(12)),
                2 => format!("{}.0", draw(12)),
                3 => "true".into(),
                _ => draw(12).to_string(),
            };
            match draw(9) {
                0 => "null".to_owned(),
                1 => format!("'{}'", value(draw)),
                n => {
                    let all: Vec<String> = (0..n - 2).map(|_| value(draw)).collect();
                    format!("'[{}]'", all.join(", "))
                }
            }
        };
        for step in 0..400u64 {
            let (id, k) = (draw(60), draw(3));
            let doc = document(&mut draw);
            let change = match draw(5) {
                0 => format!("delete from T where id = {id}"),
                1 => format!("update T set j = {doc} where id = {id}"),
                _ => format!("replace into T values ({id}, {k}, {doc})"),
            };
            for table in ["t", "s"] {
                c.ask(&change.replace('T', table)).await;
            }
            let asked = document(&mut draw);
            let by = match draw(4) {
                0 => format!("{} member of (j)", draw(12)),
                1 => format!("cast({asked} as json) member of (j)"),
                2 => format!("json_contains(j, {asked})"),
                _ => format!("json_overlaps(j, {asked})"),
            };
            let more = match draw(3) {
                0 => format!(" and k = {}", draw(3)),
                1 => format!(" or id = {id}"),
                _ => String::new(),
            };
            let query = format!("select id from T where {by}{more} order by id");
            let hinted = ["a", "b", "d"][draw(3) as usize];
            let with = query.replace('T', &format!("t force index ({hinted})"));
            let (found, want) = (c.rows(&with).await, c.rows(&query.replace('T', "s")).await);
            assert_eq!(found, want, "step {step}: {with}");
        }
        c.check(&[("check table t", "test.t|check|status|OK")]).await;
        c.0.close().await;
        drop(server);
    });
}
