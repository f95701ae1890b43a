//! JSON: the type, its functions, paths, and what its values are beside others. Results are those of MySQL's manual.
use crate::common::*;

fn check(setup: &'static [&'static str], cases: &[(&str, &str)]) {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(setup).await;
        c.check(cases).await;
        c.0.close().await;
        drop(server);
    });
}

async fn line(c: &mut Client, sql: &str) -> String {
    c.ask(sql).await.line()
}

#[test]
fn a_column_takes_json_only() {
    check(
        &["create table t (id int primary key, j json)"],
        &[
            (
                "insert into t values (1, '{\"bb\": 1, \"a\": [1,2.50,true,null], \"a\": \"x\"}')",
                "ok 1",
            ),
            ("select j from t", "{\"a\": \"x\", \"bb\": 1}"),
            (
                "insert into t values (2, '[1, 2,')",
                "E3140 Invalid JSON text: \"Invalid value.\" at position 6 in value for column 't.j'.",
            ),
            (
                "update t set j = 'x'",
                "E3140 Invalid JSON text: \"Invalid value.\" at position 0 in value for column 't.j'.",
            ),
            (
                "insert into t values (2, 1)",
                "E3140 Invalid JSON text: \"not a JSON text, may need CAST\" at position 0 in value for column 't.j'.",
            ),
            (
                "insert into t values (2, _binary '[]')",
                "E3144 Cannot create a JSON value from a string with CHARACTER SET 'binary'.",
            ),
            (
                "insert ignore into t values (2, '{')",
                "E3140 Invalid JSON text: \"Missing a name for object member.\" at position 1 in value for column 't.j'.",
            ),
            ("insert into t values (2, null), (3, 'null'), (4, cast(1.5 as json))", "ok 3"),
            (
                "select id, j, j is null, json_type(j) from t where id > 1 order by id",
                "2|NULL|1|NULL; 3|null|0|NULL; 4|1.5|0|DECIMAL",
            ),
            (
                "select data_type, column_type, character_maximum_length from information_schema.columns where table_name = 't' and column_name = 'j'",
                "json|json|NULL",
            ),
            (
                "create table u (j json default '{}')",
                "E1101 BLOB, TEXT, GEOMETRY or JSON column 'j' can't have a default value",
            ),
            (
                "create table u (j json, key (j))",
                "E3152 JSON column 'j' supports indexing only via generated columns on a specified JSON path.",
            ),
            (
                "create table u (j json primary key)",
                "E3152 JSON column 'j' supports indexing only via generated columns on a specified JSON path.",
            ),
            (
                "create table u (id int, j json not null default (json_array()), k json default (json_object('a', 1)))",
                "ok 0",
            ),
            ("insert into u (id) values (1)", "ok 1"),
            ("select * from u", "1|[]|{\"a\": 1}"),
            ("insert into u (id, j) values (1, null)", "E1048 Column 'j' cannot be null"),
        ],
    );
}

#[test]
fn show_create_and_alter() {
    check(
        &[
            "create table t (id int primary key, j json, d text)",
            "insert into t values (1, '[1]', '{\"a\":1}')",
        ],
        &[
            (
                "show create table t",
                "t|CREATE TABLE `t` (\n  `id` int NOT NULL,\n  `j` json DEFAULT NULL,\n  `d` text,\n  PRIMARY KEY (`id`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
            ),
            ("alter table t modify d json, modify j text", "ok 1"),
            ("select j, d, json_type(d), length(j) from t", "[1]|{\"a\": 1}|OBJECT|3"),
            ("update t set j = 'no'", "ok 1"),
            (
                "alter table t modify j json",
                "E3140 Invalid JSON text: \"Invalid value.\" at position 1 in value for column 'j'.",
            ),
            ("select j from t", "no"),
        ],
    );
}

#[test]
fn changes_of_documents() {
    check(
        &[
            "create table t (id int primary key, j json)",
            "insert into t values (1, '{\"a\": 1, \"b\": [2, 3]}')",
        ],
        &[
            (
                "select json_set(j, '$.a', 10, '$.c', '[true, false]') from t",
                "{\"a\": 10, \"b\": [2, 3], \"c\": \"[true, false]\"}",
            ),
            (
                "select json_insert(j, '$.a', 10, '$.c', '[true, false]') from t",
                "{\"a\": 1, \"b\": [2, 3], \"c\": \"[true, false]\"}",
            ),
            (
                "select json_insert(j, '$.a', 10, '$.c', cast('[true, false]' as json)) from t",
                "{\"a\": 1, \"b\": [2, 3], \"c\": [true, false]}",
            ),
            ("select json_replace(j, '$.a', 10, '$.c', 'x') from t", "{\"a\": 10, \"b\": [2, 3]}"),
            ("select json_remove('[\"a\", [\"b\", \"c\"], \"d\"]', '$[1]')", "[\"a\", \"d\"]"),
            (
                "select json_remove(j, '$')  from t",
                "E3153 The path expression '$' is not allowed in this context.",
            ),
            (
                "select json_set(j, '$.*', 1) from t",
                "E3149 In this situation, path expressions may not contain the * and ** tokens or an array range.",
            ),
            (
                "select json_set(j, '$.b[7]', 9, '$.a[1]', 8, '$.x.y', 1, '$.b[last-9]', 0) from t",
                "{\"a\": [1, 8], \"b\": [0, 2, 3, 9]}",
            ),
            (
                "select json_array_append('[\"a\", [\"b\", \"c\"], \"d\"]', '$[1]', 1), json_array_append('[\"a\", [\"b\", \"c\"], \"d\"]', '$[0]', 2), json_array_append('{\"a\": 1}', '$', 'z')",
                "[\"a\", [\"b\", \"c\", 1], \"d\"]|[[\"a\", 2], [\"b\", \"c\"], \"d\"]|[{\"a\": 1}, \"z\"]",
            ),
            (
                "select json_array_insert('[\"a\", {\"b\": [1, 2]}, [3, 4]]', '$[1]', 'x'), json_array_insert('[\"a\", {\"b\": [1, 2]}, [3, 4]]', '$[100]', 'x'), json_array_insert('[\"a\", {\"b\": [1, 2]}, [3, 4]]', '$[1].b[0]', 'x'), json_array_insert('[\"a\", {\"b\": [1, 2]}, [3, 4]]', '$[0]', 'x', '$[2][1]', 'y')",
                "[\"a\", \"x\", {\"b\": [1, 2]}, [3, 4]]|[\"a\", {\"b\": [1, 2]}, [3, 4], \"x\"]|[\"a\", {\"b\": [\"x\", 1, 2]}, [3, 4]]|[\"x\", \"a\", {\"b\": [1, 2]}, [3, 4]]",
            ),
            (
                "select json_array_insert('[1]', '$.a', 2)",
                "E3165 A path expression is not a path to a cell in an array.",
            ),
            (
                "select json_merge_preserve('[1, 2]', '[true, false]'), json_merge_preserve('{\"name\": \"x\"}', '{\"id\": 47}'), json_merge_preserve('1', 'true'), json_merge_preserve('{\"a\": 1, \"b\": 2}', '{\"a\": 3, \"c\": 4}', '{\"a\": 5, \"d\": 6}'), json_merge_preserve('[1]', null)",
                "[1, 2, true, false]|{\"id\": 47, \"name\": \"x\"}|[1, true]|{\"a\": [1, 3, 5], \"b\": 2, \"c\": 4, \"d\": 6}|NULL",
            ),
            (
                "select json_merge_patch('[1, 2]', '[true, false]'), json_merge_patch('{\"a\":1, \"b\":2}', '{\"b\":null}'), json_merge_patch('{\"a\":{\"x\":1}}', '{\"a\":{\"y\":2}}'), json_merge_patch('{}', null), json_merge_patch('{}', null, '3')",
                "[true, false]|{\"a\": 1}|{\"a\": {\"x\": 1, \"y\": 2}}|NULL|3",
            ),
            (
                "update t set j = json_set(j, '$.a', json_extract(j, '$.a') + 1, '$.t', true, '$.n', null) where id = 1",
                "ok 1",
            ),
            ("select j from t", "{\"a\": 2.0, \"b\": [2, 3], \"n\": null, \"t\": true}"),
            (
                "select json_set(null, '$.a', 1), json_set('{}', null, 1), json_set('{}', '$.a', null)",
                "NULL|NULL|{\"a\": null}",
            ),
            (
                "select json_set('{}', '$.a')",
                "E1582 Incorrect parameter count in the call to native function 'json_set'",
            ),
        ],
    );
}

#[test]
fn looking_into_documents() {
    check(
        &[
            "create table t (id int primary key, j json)",
            "insert into t values (1, '{\"id\": 3, \"name\": \"Barney\", \"x y\": [1, {\"z\": \"a\\\\tb\"}]}'), (2, null)",
        ],
        &[
            (
                "select j->'$.name', j->>'$.name', j->'$.\"x y\"[1].z', j->>'$.\"x y\"[1].z' from t where id = 1",
                "\"Barney\"|Barney|\"a\\tb\"|a\tb",
            ),
            (
                "select j->'$.nope', j->>'$.nope', j->'$.*' from t",
                "NULL|NULL|[3, [1, {\"z\": \"a\\tb\"}], \"Barney\"]; NULL|NULL|NULL",
            ),
            (
                "select json_extract('[10, 20, [30, 40]]', '$[1]', '$[0]'), json_extract('[10, 20, [30, 40]]', '$[2][*]'), json_extract('[1,2,3,4,5]', '$[1 to 3]', '$[last]')",
                "[20, 10]|[30, 40]|[2, 3, 4, 5]",
            ),
            (
                "select json_extract('{\"a\": {\"b\": 1}, \"c\": {\"b\": 2}}', '$**.b'), json_extract('1', '$[0]'), json_extract('1', '$[1]')",
                "[1, 2]|1|NULL",
            ),
            (
                "select json_extract('{', '$')",
                "E3141 Invalid JSON text in argument 1 to function json_extract: \"Missing a name for object member.\" at position 1.",
            ),
            (
                "select json_extract(1, '$')",
                "E3146 Invalid data type for JSON data in argument 1 to function json_extract; a JSON string or JSON type is required.",
            ),
            (
                "select json_extract('[1]', '$[')",
                "E3143 Invalid JSON path expression. The error is around character position 2.",
            ),
            (
                "select json_extract('[1]', _binary '$')",
                "E3148 A path expression must be encoded in the utf8 character set. The path expression '$' is encoded in character set 'binary'.",
            ),
            (
                "select json_type('{}'), json_type('[]'), json_type('1'), json_type('4294967296'), json_type('1.0'), json_type('\"\"'), json_type('true'), json_type('null'), json_type(null)",
                "OBJECT|ARRAY|INTEGER|UNSIGNED INTEGER|DOUBLE|STRING|BOOLEAN|NULL|NULL",
            ),
            (
                "select json_type(cast(now() as json)), json_type(json_extract(json_array(curdate(), curtime(), 1.5, x'00', b'1'), '$[0]'))",
                "DATETIME|DATE",
            ),
            (
                "select json_valid('{\"a\": 1}'), json_valid('hello'), json_valid('\"hello\"'), json_valid(null), json_valid(1)",
                "1|0|1|NULL|0",
            ),
            (
                "select json_length('[1, 2, {\"a\": 3}]'), json_length('{\"a\": 1, \"b\": {\"c\": 30}}'), json_length('{\"a\": 1, \"b\": {\"c\": 30}}', '$.b'), json_length('1'), json_length('[]', '$.x')",
                "3|2|1|1|NULL",
            ),
            (
                "select json_depth('{}'), json_depth('[]'), json_depth('true'), json_depth('[10, 20]'), json_depth('[[], {}]'), json_depth('[10, {\"a\": 20}]')",
                "1|1|1|2|2|3",
            ),
            (
                "select json_keys('{\"a\": 1, \"b\": {\"c\": 30}}'), json_keys('{\"a\": 1, \"b\": {\"c\": 30}}', '$.b'), json_keys('[]')",
                "[\"a\", \"b\"]|[\"c\"]|NULL",
            ),
            (
                "select json_storage_size('{\"a\": 1000, \"b\": \"a\", \"c\": \"[1, 3, 5, 7]\"}'), json_storage_free('{}')",
                "44|0",
            ),
            (
                "select json_unquote('\"abc\"'), json_unquote('[1, 2, 3]'), json_unquote('\"\\\\t\\\\u0032\"'), json_unquote('abc'), json_quote('null'), json_quote('\"null\"')",
                "abc|[1, 2, 3]|\t2|abc|\"null\"|\"\\\"null\\\"\"",
            ),
            ("select json_unquote('\"abc')", "\"abc"),
            (
                "select json_unquote('\"a\\\\q\"')",
                "E3141 Invalid JSON text in argument 1 to function json_unquote: \"Invalid escape character in string.\" at position 2.",
            ),
            ("select json_quote(1)", "E3064 Incorrect type for argument 1 in function json_quote."),
            (
                "select json_pretty('{\"a\":\"10\",\"b\":[],\"x\":[1,{\"y\":2}]}')",
                "{\n  \"a\": \"10\",\n  \"b\": [],\n  \"x\": [\n    1,\n    {\n      \"y\": 2\n    }\n  ]\n}",
            ),
        ],
    );
}

#[test]
fn searching_documents() {
    const J: &[&str] =
        &["set @j = '[\"abc\", [{\"k\": \"10\"}, \"def\"], {\"x\":\"abc\"}, {\"y\":\"bcd\"}]'"];
    check(
        J,
        &[
            (
                "select json_search(@j, 'one', 'abc'), json_search(@j, 'all', 'abc'), json_search(@j, 'all', 'ghi'), json_search(@j, 'all', '10')",
                "\"$[0]\"|[\"$[0]\", \"$[2].x\"]|NULL|\"$[1][0].k\"",
            ),
            (
                "select json_search(@j, 'all', '10', null, '$'), json_search(@j, 'all', '10', null, '$[*]'), json_search(@j, 'all', '10', null, '$**.k'), json_search(@j, 'all', '10', null, '$[1][0]'), json_search(@j, 'all', 'abc', null, '$[2]')",
                "\"$[1][0].k\"|\"$[1][0].k\"|\"$[1][0].k\"|\"$[1][0].k\"|\"$[2].x\"",
            ),
            (
                "select json_search(@j, 'all', '%a%'), json_search(@j, 'all', '%b%', null, '$[3]'), json_search(@j, 'one', null)",
                "[\"$[0]\", \"$[2].x\"]|\"$[3].y\"|NULL",
            ),
            (
                "select json_search(@j, 'some', 'a')",
                "E3154 The oneOrAll argument to json_search may take these values: 'one' or 'all'.",
            ),
            (
                "select json_contains('{\"a\": 1, \"b\": 2, \"c\": {\"d\": 4}}', '1', '$.a'), json_contains('{\"a\": 1, \"b\": 2, \"c\": {\"d\": 4}}', '1', '$.b'), json_contains('{\"a\": 1, \"b\": 2, \"c\": {\"d\": 4}}', '{\"d\": 4}', '$.c'), json_contains('[1, 2, [3, 4]]', '[1, [3]]'), json_contains('[1,[2]]', '2'), json_contains('{\"a\": {\"b\": 1}}', '{\"b\": 1}'), json_contains('{}', '1', '$.x')",
                "1|0|1|1|1|0|NULL",
            ),
            (
                "select json_contains_path('{\"a\": 1, \"b\": 2}', 'one', '$.a', '$.e'), json_contains_path('{\"a\": 1, \"b\": 2}', 'all', '$.a', '$.e'), json_contains_path('{\"c\": {\"d\": 4}}', 'one', '$.c.d'), json_contains_path('{}', 'one', null)",
                "1|0|1|NULL",
            ),
            (
                "select json_overlaps('[1,3,5,7]', '[2,5,7]'), json_overlaps('[1,3,5,7]', '[2,6,8]'), json_overlaps('{\"a\":1,\"b\":10}', '{\"c\":1,\"b\":10}'), json_overlaps('[4,5,6]', '6'), json_overlaps('[4,5,\"6\",7]', '6'), json_overlaps('5', '5'), json_overlaps(null, '1')",
                "1|0|1|1|0|1|NULL",
            ),
            (
                "select 17 member of ('[23, \"abc\", 17, \"ab\", 10]'), 'abc' member of ('[23, \"abc\", 17]'), '17' member of ('[23, 17]'), cast('[4,5]' as json) member of ('[[3,4],[4,5]]'), json_array(4,5) member of ('[[4,5]]'), null member of ('[1]'), true member of ('[true]')",
                "1|1|0|1|1|NULL|1",
            ),
        ],
    );
}

#[test]
fn building_documents() {
    check(
        &[
            "create table t (id int primary key, b blob, v varbinary(4), f binary(2), bi bit(9), d date, ts timestamp(3), n decimal(8,2), e enum('x','y'), y year, l varchar(9) character set latin1)",
            "insert into t values (1, 'ab', 'c', 'd', b'100000001', '2024-02-29', '2024-02-29 10:11:12.5', 1.5, 'y', 2024, 'ä')",
        ],
        &[
            (
                "select json_array(b, v, f, bi, d, ts, n, e, y, l) from t",
                "[\"base64:type252:YWI=\", \"base64:type15:Yw==\", \"base64:type254:ZAA=\", \"base64:type16:AQE=\", \"2024-02-29\", \"2024-02-29 10:11:12.500000\", 1.50, \"y\", 2024, \"ä\"]",
            ),
            (
                "select json_array(1, 'abc', null, true, 1 = 1, 1.25, 1e0, cast('[1]' as json)), json_array()",
                "[1, \"abc\", null, true, true, 1.25, 1.0, [1]]|[]",
            ),
            (
                "select json_object('id', 87, 'name', 'carrot', 1, false), json_object()",
                "{\"1\": false, \"id\": 87, \"name\": \"carrot\"}|{}",
            ),
            (
                "select json_object('a', 1, 'b')",
                "E1582 Incorrect parameter count in the call to native function 'json_object'",
            ),
            (
                "select json_object(null, 1)",
                "E3158 JSON documents may not contain NULL member names.",
            ),
            (
                "select cast('{\"a\" : 1}' as json), cast(1 as json), cast(1.50 as json), cast('\"x\"' as json), cast(null as json), cast(date'2024-01-02' as json), cast(true as json)",
                "{\"a\": 1}|1|1.50|\"x\"|NULL|\"2024-01-02\"|true",
            ),
            (
                "select cast('x' as json)",
                "E3141 Invalid JSON text in argument 1 to function cast_as_json: \"Invalid value.\" at position 0.",
            ),
            (
                "select json_arrayagg(id), json_objectagg(e, n), json_arrayagg(e = 'y') from t",
                "[1]|{\"y\": 1.50}|[true]",
            ),
            ("select json_arrayagg(id), json_objectagg(e, n) from t where id > 9", "NULL|NULL"),
            (
                "select json_arrayagg(x) over (order by x) from (select 1 as x union all select 2) q",
                "[1]; [1, 2]",
            ),
            ("select json_arrayagg(x) from (select null as x union all select 2) q", "[null, 2]"),
            (
                "select json_objectagg(null, 1)",
                "E3158 JSON documents may not contain NULL member names.",
            ),
        ],
    );
}

#[test]
fn beside_other_values() {
    check(
        &[
            "create table t (id int primary key, j json)",
            "insert into t values (1, '3'), (2, '3.0'), (3, '\"3\"'), (4, 'true'), (5, '[1]'), (6, '{\"a\": \"abc\"}'), (7, 'null'), (8, '\"abc\"'), (9, '10'), (10, null)",
        ],
        &[
            ("select id from t where j = 3 order by id", "1; 2"),
            ("select id from t where j = '3' order by id", "3"),
            ("select id from t where j = true order by id", "4"),
            ("select id from t where j in (3, 'abc') order by id", "1; 2; 8"),
            ("select id from t where j = cast('[1.0]' as json)", "5"),
            ("select id from t where j->'$.a' = 'abc'", "6"),
            ("select id from t where j->>'$.a' = 'ABC' collate utf8mb4_general_ci", "6"),
            ("select id from t where j > 3 and j < 'a' order by id", "3; 9"),
            ("select id from t order by j, id", "10; 7; 1; 2; 9; 3; 8; 6; 5; 4"),
            ("select j, count(*) from t where id < 4 group by j order by j", "3|2; \"3\"|1"),
            ("select count(distinct j) from t", "8"),
            ("select min(j), max(j) from t", "null|true"),
            ("select id from t where j like '%abc%' order by id", "6; 8"),
            (
                "select upper(j), length(j), concat(j, '!') from t where id = 8",
                "\"ABC\"|5|\"abc\"!",
            ),
            (
                "select cast(j as signed), cast(j as char), j + 1, abs(j) from t where id in (1, 2) order by id",
                "3|3|4|3; 3|3.0|4|3",
            ),
            ("select cast(cast('[1]' as json) as signed)", "0"),
            (
                "show warnings",
                "Warning|3156|Invalid JSON value for CAST to INTEGER from column CAST() at row 1",
            ),
            (
                "select ifnull(j, '[]'), coalesce(j, cast('1' as json)), if(id = 10, cast('{}' as json), j) from t where id in (1, 10) order by id",
                "3|3|3; []|1|{}",
            ),
            ("select j from t where id = 5 union select '[1]'", "[1]"),
            ("select sum(j), avg(j) from t where id in (1, 9)", "13|6.5"),
            ("create table u as select j, j->>'$.a' as a from t where id = 6", "ok 1"),
            ("select * from u", "{\"a\": \"abc\"}|abc"),
            (
                "select data_type from information_schema.columns where table_name = 'u' order by ordinal_position",
                "json; longtext",
            ),
            ("select x.id from t x join t y on x.j = y.j and y.id = 1 order by x.id", "1; 2"),
            (
                "select id from t where j in (select j from t where id in (1, 5)) order by id",
                "1; 2; 5",
            ),
        ],
    );
}

#[test]
fn indexed_by_generated_columns() {
    check(
        &[
            "create table t (id int primary key, j json, n int generated always as (j->'$.n') stored, s varchar(20) as (j->>'$.s'), key (n), key (s))",
            "insert into t (id, j) values (1, '{\"n\": 5, \"s\": \"five\"}'), (2, '{\"n\": 7, \"s\": \"seven\"}'), (3, '{\"s\": \"none\"}')",
        ],
        &[
            ("select id, n, s from t order by id", "1|5|five; 2|7|seven; 3|NULL|none"),
            ("select id from t where n = 7", "2"),
            ("select id from t where s = 'five'", "1"),
            ("update t set j = json_set(j, '$.n', 9) where n = 7", "ok 1"),
            ("select id, n from t where n > 5", "2|9"),
            ("select id from t where s = json_extract('\"five\"', '$')", "1"),
            ("select id from t where n = cast('9' as json)", "2"),
            // The text of a document takes the collation of the column that it meets.
            ("select id from t where s = json_unquote(json_extract('\"FIVE\"', '$'))", "1"),
            ("select json_unquote('\"a\"') = 'A', 'x' = json_unquote('x')", "0|1"),
            (
                "create table u (j json, x json as (j->'$.x'), key (x))",
                "E3152 JSON column 'x' supports indexing only via generated columns on a specified JSON path.",
            ),
        ],
    );
}

#[test]
fn json_value() {
    check(
        &[],
        &[
            (
                "select json_value('{\"fname\": \"Joe\", \"lname\": \"Palmer\"}', '$.fname'), json_value('{\"item\": \"shoes\", \"price\": \"49.95\"}', '$.price' returning decimal(4,2))",
                "Joe|49.95",
            ),
            (
                "select json_value('{\"a\": 1}', '$.b'), json_value('{\"a\": 1}', '$.b' default 7 on empty), json_value('{\"a\": null}', '$.a')",
                "NULL|7|NULL",
            ),
            (
                "select json_value('{\"a\": 1}', '$.b' error on empty)",
                "E3966 No value was found by 'json_value' on the specified path.",
            ),
            (
                "select json_value('{\"a\": [1]}', '$.a'), json_value('{\"a\": [1]}', '$.a' returning json), json_value('{\"a\": \"x\"}', '$.a' returning signed default 3 on error)",
                "[1]|[1]|3",
            ),
            (
                "select json_value('{\"a\": \"x\"}', '$.a' returning signed error on error)",
                "E1690 SIGNED value is out of range in 'json_value'",
            ),
            (
                "select json_value('[1, 2]', '$[*]' error on error)",
                "E3967 More than one value was found by 'json_value' on the specified path.",
            ),
            (
                "select json_value('[1]', '$[0]' returning unsigned), json_value('[\"2024-02-29\"]', '$[0]' returning date), json_value('[true]', '$[0]'), json_value(null, '$')",
                "1|2024-02-29|true|NULL",
            ),
            (
                "select json_value('[', '$' error on error)",
                "E3141 Invalid JSON text in argument 1 to function json_value: \"Invalid value.\" at position 1.",
            ),
        ],
    );
}

#[test]
fn schemas() {
    const SCHEMA: &[&str] = &[
        "set @s = '{\"type\": \"object\", \"properties\": {\"latitude\": {\"type\": \"number\", \"minimum\": -90, \"maximum\": 90}, \"tags\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/tag\"}, \"uniqueItems\": true}}, \"required\": [\"latitude\"], \"definitions\": {\"tag\": {\"type\": \"string\", \"pattern\": \"^[a-z]+$\", \"maxLength\": 3}}}'",
    ];
    check(
        SCHEMA,
        &[
            (
                "select json_schema_valid(@s, '{\"latitude\": 63.4}'), json_schema_valid(@s, '{}'), json_schema_valid(@s, '{\"latitude\": 90.1}'), json_schema_valid(@s, '{\"latitude\": \"1\"}'), json_schema_valid(@s, null)",
                "1|0|0|0|NULL",
            ),
            (
                "select json_schema_valid(@s, '{\"latitude\": 1, \"tags\": [\"ab\", \"c\"]}'), json_schema_valid(@s, '{\"latitude\": 1, \"tags\": [\"abcd\"]}'), json_schema_valid(@s, '{\"latitude\": 1, \"tags\": [\"A\"]}'), json_schema_valid(@s, '{\"latitude\": 1, \"tags\": [\"a\", \"a\"]}')",
                "1|0|0|0",
            ),
            ("select json_schema_validation_report(@s, '{\"latitude\": 1}')", "{\"valid\": true}"),
            (
                "select json_schema_validation_report(@s, '{\"latitude\": 91}')",
                "{\"valid\": false, \"reason\": \"The JSON document location '#/latitude' failed requirement 'maximum' at JSON Schema location '#/properties/latitude'\", \"schema-location\": \"#/properties/latitude\", \"document-location\": \"#/latitude\", \"schema-failed-keyword\": \"maximum\"}",
            ),
            (
                "select json_schema_valid('1', '1')",
                "E3853 Invalid JSON type in argument 1 to function json_schema_valid; an object is required.",
            ),
            (
                "select json_schema_valid('{\"$ref\": \"#\"}', '1')",
                "E3157 The JSON document exceeds the maximum depth.",
            ),
        ],
    );
}

#[test]
fn json_table() {
    check(
        &[
            "create table t (id int primary key, j json)",
            "insert into t values (1, '[{\"x\": 2, \"y\": \"8\"}, {\"x\": \"3\", \"y\": \"7\"}]'), (2, '[{\"x\": 4}]'), (3, null), (4, '[]')",
        ],
        &[
            (
                "select * from json_table('[{\"c1\": null}]', '$[*]' columns (c1 int path '$.c1' error on error)) as jt",
                "NULL",
            ),
            (
                "select * from json_table('[{\"a\":\"3\"},{\"a\":2},{\"b\":1},{\"a\":0},{\"a\":[1,2]}]', '$[*]' columns (rowid for ordinality, ac varchar(100) path '$.a' default '111' on empty default '999' on error, aj json path '$.a' default '{\"x\": 333}' on empty, bx int exists path '$.b')) as tt",
                "1|3|\"3\"|0; 2|2|2|0; 3|111|{\"x\": 333}|1; 4|0|0|0; 5|999|[1, 2]|0",
            ),
            (
                "select * from json_table('[{\"a\": 1, \"b\": [11,111]}, {\"a\": 2, \"b\": [22,222]}, {\"a\":3}]', '$[*]' columns (a int path '$.a', nested path '$.b[*]' columns (b int path '$'))) as jt where b is not null",
                "1|11; 1|111; 2|22; 2|222",
            ),
            (
                "select * from json_table('[{\"a\": 1, \"b\": [11, 111]}, {\"a\": 2, \"b\": [22]}, {\"a\": 3}]', '$[*]' columns (a int path '$.a', nested path '$.b[*]' columns (b1 int path '$'), nested path '$.b[*]' columns (o for ordinality, b2 int path '$'))) as jt",
                "1|11|NULL|NULL; 1|111|NULL|NULL; 1|NULL|1|11; 1|NULL|2|111; 2|22|NULL|NULL; 2|NULL|1|22; 3|NULL|NULL|NULL",
            ),
            (
                "select id, x, y from t, json_table(t.j, '$[*]' columns (x int path '$.x', y int path '$.y')) as jt order by id, x",
                "1|2|8; 1|3|7; 2|4|NULL",
            ),
            (
                "select id, x from t left join json_table(j, '$[*]' columns (x int path '$.x')) as jt on x > 2 order by id",
                "1|3; 2|4; 3|NULL; 4|NULL",
            ),
            (
                "select id, (select sum(x) from json_table(t.j, '$[*]' columns (x int path '$.x')) as jt) from t order by id",
                "1|5; 2|4; 3|NULL; 4|NULL",
            ),
            (
                "select a.x, b.x from json_table('[1,2]', '$[*]' columns (x int path '$')) as a join json_table('[2,3]', '$[*]' columns (x int path '$')) as b on a.x = b.x",
                "2|2",
            ),
            (
                "select * from json_table('[1, \"x\"]', '$[*]' columns (x int path '$' error on error)) as jt",
                "E3156 Invalid JSON value for CAST to INTEGER from column x at row 1",
            ),
            (
                "select * from json_table('[\"1.5x\"]', '$[*]' columns (x decimal(5,2) path '$' error on error)) as jt",
                "E3156 Invalid JSON value for CAST to DECIMAL from column x at row 1",
            ),
            (
                "select * from json_table('[\"x\"]', '$[*]' columns (x double path '$' error on error)) as jt",
                "E3156 Invalid JSON value for CAST to DOUBLE from column x at row 1",
            ),
            (
                "select * from json_table('[\"1e3\", \" 2.5 \"]', '$[*]' columns (x double path '$' error on error)) as jt",
                "1000; 2.5",
            ),
            (
                "select * from json_table('[5000000000]', '$[*]' columns (x int path '$' error on error)) as jt",
                "E3669 Value is out of range for JSON_TABLE's column 'x'",
            ),
            (
                "select * from json_table('[1]', '$[*]' columns (nested '$' columns (x int path '$'))) as jt",
                "E1064 You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ''$' columns (x int path '$'))) as jt' at line 1",
            ),
            (
                "select * from json_table('[{}]', '$[*]' columns (x int path '$.a' error on empty)) as jt",
                "E3665 Missing value for JSON_TABLE column 'x'",
            ),
            (
                "select * from json_table('[[1]]', '$[*]' columns (x int path '$' error on error)) as jt",
                "E3666 Can't store an array or an object in the scalar JSON_TABLE column 'x'",
            ),
            (
                "select * from json_table('[1', '$' columns (x int path '$')) as jt",
                "E3141 Invalid JSON text in argument 1 to function json_table: \"Missing a comma or ']' after an array element.\" at position 2.",
            ),
            (
                "select * from json_table('[1]', '$[' columns (x int path '$')) as jt",
                "E3143 Invalid JSON path expression. The error is around character position 2.",
            ),
            (
                "select * from json_table('[1]', '$' columns (x int path '$', x int path '$')) as jt",
                "E1060 Duplicate column name 'x'",
            ),
            (
                "select * from json_table('[1]', '$' columns (x int path '$' default 'a' on empty)) as jt",
                "E1067 Invalid default value for 'x'",
            ),
            (
                "insert into t (id, j) select x, json_array(x) from json_table('[10, 11]', '$[*]' columns (x int path '$')) as jt",
                "ok 2",
            ),
            (
                "update t, json_table('[{\"id\": 10, \"v\": \"a\"}]', '$[*]' columns (id int path '$.id', v varchar(5) path '$.v')) as jt set j = json_quote(jt.v) where t.id = jt.id",
                "ok 1",
            ),
            ("select j from t where id > 9 order by id", "\"a\"; [11]"),
        ],
    );
}

/// Documents at their limits: MySQL's error, or the value.
#[test]
fn limits() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (id int primary key, j json)"]).await;
        let put = |text: &str| format!("insert into t values (1, '{text}')");
        let deep = "[".repeat(101) + &"]".repeat(101);
        let depth = "E3157 The JSON document exceeds the maximum depth.";
        assert_eq!(line(&mut c, &put(&deep)).await, depth);
        assert_eq!(line(&mut c, &format!("select json_valid('{deep}')")).await, depth);
        let deep = "[".repeat(100) + &"]".repeat(100);
        let wrapped = line(&mut c, &format!("select json_array(cast('{deep}' as json))")).await;
        assert_eq!(wrapped, depth);
        let name = format!("{{\"{}\": 1}}", "k".repeat(70_000));
        let too_long = "E3151 The JSON object contains a key name that is too long.";
        assert_eq!(line(&mut c, &put(&name)).await, too_long);
        assert_eq!(c.ask(&put("1e400")).await.errno(), 3140);
        assert_eq!(c.ask(&put(&"9".repeat(400))).await.errno(), 3140);
        assert_eq!(c.ask(&put("\"\\\\ud800\"")).await.errno(), 3140);
        assert_eq!(c.ask(&put("\"a\\0b\"")).await.errno(), 3140);
        // Beyond 64 KiB containers are large ones, and the row's column is on pages of its own.
        let big = format!("[{}]", vec!["1234567"; 200_000].join(","));
        assert_eq!(line(&mut c, &put(&big)).await, "ok 1");
        let asked = "select json_length(j), j->'$[199999]', json_storage_size(j) from t";
        assert_eq!(line(&mut c, asked).await, "200000|1234567|1000009");
        assert_eq!(line(&mut c, "update t set j = json_set(j, '$[5]', 'x')").await, "ok 1");
        assert_eq!(line(&mut c, "select j->'$[5]', j->'$[last]' from t").await, "\"x\"|1234567");
        // A part is there once, on however many ways `**` comes to it.
        let legs = "**[0]".repeat(2_000);
        let legs = format!("select json_extract('[[1, 2], [3]]', '${legs}')");
        assert_eq!(line(&mut c, &legs).await, "[1, 2, 3]");
        let legs = format!("select json_extract('1', '${}')", "[0]".repeat(10_000));
        assert_eq!(line(&mut c, &legs).await, "1");
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn in_programs_and_variables() {
    check(
        &[
            "create table t (id int primary key, j json)",
            "create table log (j json)",
            "create trigger tr before insert on t for each row set new.j = json_set(new.j, '$.id', new.id)",
            "create function f(d json) returns json deterministic return json_extract(d, '$.a')",
            "create procedure p(in d json) begin declare v json default '[]'; set v = json_array_append(v, '$', d); insert into log values (v); end",
        ],
        &[
            ("insert into t values (7, '{}')", "ok 1"),
            ("select j from t", "{\"id\": 7}"),
            ("select f('{\"a\": [1]}'), f(j) from t", "[1]|NULL"),
            ("call p('{\"k\": 1}')", "ok 1"),
            ("select j from log", "[{\"k\": 1}]"),
            ("set @v = json_object('a', 1.0)", "ok 0"),
            (
                "select @v, json_type(@v), json_type(json_extract(@v, '$.a'))",
                "{\"a\": 1.0}|OBJECT|DOUBLE",
            ),
        ],
    );
}

#[test]
fn no_tree_grows_too_deep_on_the_way() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let deep = format!("set @d = cast('{}1{}' as json)", "{\"a\":".repeat(99), "}".repeat(99));
        assert_eq!(line(&mut c, &deep).await, "ok 0");
        // Each pair would put 99 levels below the lowest leaf. It is refused where the limit is passed: a tree of 40,000 levels could
        // not even be dropped.
        let too_deep = "E3157 The JSON document exceeds the maximum depth.";
        let pairs = |from: usize| -> String {
            (from..400)
                .map(|n| format!(", concat('$', repeat('.a', {})), cast(@d as json)", 99 * n + 1))
                .collect()
        };
        let set = format!("select json_set('{{}}', '$.a', cast(@d as json){})", pairs(1));
        assert_eq!(line(&mut c, &set).await, too_deep);
        let replace = format!("select json_replace('{{\"a\": 1}}'{})", pairs(0));
        assert_eq!(line(&mut c, &replace).await, too_deep);
        let append: String = (0..400)
            .map(|n| {
                format!(", concat('$.a', repeat(concat('[1]', repeat('.a', 99)), {n})), cast(@d as json)")
            })
            .collect();
        let append = format!("select json_array_append('{{\"a\": 1}}'{append})");
        assert_eq!(line(&mut c, &append).await, too_deep);
        // Legs that stand for the value itself, and what a later pair takes away again, pass no limit at the end of each pair.
        let legs = format!("select json_set('1', '${}', 2, '$[1]', 3)", "[0]".repeat(500));
        assert_eq!(line(&mut c, &legs).await, "[2, 3]");
        let same =
            "select json_depth(json_set(@d, '$.b', 1, '$.a', 1, '$.a', json_extract(@d, '$.a')))";
        assert_eq!(line(&mut c, same).await, "100");
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn merges_of_many_members() {
    check(
        &[],
        &[
            (
                "select json_merge_preserve('{\"a\": 1, \"c\": 2, \"bb\": {\"x\": 1}}', '{\"b\": 0, \"c\": [3], \"bb\": {\"x\": null}}', '{\"d\": 1}')",
                "{\"a\": 1, \"b\": 0, \"c\": [2, 3], \"d\": 1, \"bb\": {\"x\": [1, null]}}",
            ),
            (
                "select json_merge_patch('{\"a\": 1, \"c\": 2, \"bb\": {\"x\": 1, \"y\": 2}}', '{\"a\": null, \"0\": null, \"e\": {\"f\": null}, \"bb\": {\"x\": null}}')",
                "{\"c\": 2, \"e\": {}, \"bb\": {\"y\": 2}}",
            ),
        ],
    );
    // As many steps as members: what moves all that lies behind for each of them takes minutes.
    with_server(1, |server| async move {
        let mut c = server.client();
        let members = |from: usize| -> String {
            let list: Vec<String> =
                (from..400_000).step_by(2).map(|n| format!("\"{n:06}\":0")).collect();
            format!("'{{{}}}'", list.join(","))
        };
        let merge =
            format!("select json_length(json_merge_preserve({}, {}))", members(1), members(0));
        assert_eq!(line(&mut c, &merge).await, "400000");
        let gone = members(1).replace(":0", ":null");
        let patch = format!("select json_length(json_merge_patch({}, {gone}))", members(1));
        assert_eq!(line(&mut c, &patch).await, "0");
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn parts_inside_each_other_are_bounded() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let deep = |leaf: &str| {
            format!("set @d = cast('{}{leaf}{}' as json)", "[".repeat(99), "]".repeat(99))
        };
        assert_eq!(line(&mut c, &deep("1")).await, "ok 0");
        // Many ways to each part, each part once; the five outermost are first of nothing.
        let asked = "select json_length(json_extract(@d, '$**[0]**[0]**[0]**[0]**[0]'))";
        assert_eq!(line(&mut c, asked).await, "95");
        let leaf = format!("\"{}\"", "x".repeat(1_000_000));
        assert_eq!(line(&mut c, &deep(&leaf)).await, "ok 0");
        let asked = "select json_extract(@d, '$**[0]') is null";
        assert_eq!(line(&mut c, asked).await, "1");
        let asked = "show warnings";
        let said = "was larger than max_allowed_packet (67108864) - truncated";
        let extract = format!("Warning|1301|Result of json_extract() {said}");
        assert_eq!(line(&mut c, asked).await, extract);
        let table = "select j is null from json_table(@d, '$' columns (j json path '$**[0]')) t";
        assert_eq!(line(&mut c, table).await, "1");
        assert_eq!(line(&mut c, asked).await, extract.replace("extract", "table"));
        // The spaces alone are a hundred times the document.
        let list = format!("[{}0]", "0,".repeat(500_000));
        assert_eq!(line(&mut c, &deep(&list)).await, "ok 0");
        assert_eq!(line(&mut c, "select json_pretty(@d) is null").await, "1");
        assert_eq!(line(&mut c, asked).await, extract.replace("extract", "pretty"));
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn search_gives_each_path_once() {
    let names = "'{\"a\": {\"b\": \"x\"}, \"c\": [\"x\", \"y\", \"x\"]}'";
    let found = "[\"$.a.b\", \"$.c[0]\", \"$.c[2]\"]";
    let twice = format!("select json_search({names}, 'all', 'x', null, '$.a', '$.c', '$**.b')");
    check(&[], &[(twice.as_str(), found)]);
    with_server(1, |server| async move {
        let mut c = server.client();
        let list = format!("'[{}\"x\"]'", "\"x\",".repeat(200_000));
        let asked =
            format!("select json_length(json_search({list}, 'all', 'x', null, '$[*]', '$'))");
        assert_eq!(line(&mut c, &asked).await, "200001");
        // Long names make the paths together far longer than the document.
        let long = format!("'{{\"{}\": [{}\"x\"]}}'", "n".repeat(50_000), "\"x\",".repeat(3_000));
        let asked = format!("select json_search({long}, 'all', 'x') is null");
        assert_eq!(line(&mut c, &asked).await, "1");
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn json_that_is_no_number_is_refused_by_numbers() {
    let refused =
        |to: &str| format!("E3156 Invalid JSON value for CAST to {to} from column n at row 1");
    let (integer, decimal, double) = (refused("INTEGER"), refused("DECIMAL"), refused("DOUBLE"));
    check(
        &[
            "create table i (n int)",
            "create table b (n bit(8))",
            "create table d (n decimal(10,2))",
            "create table f (n double)",
        ],
        &[
            ("insert into i values (cast('\"abc\"' as json))", integer.as_str()),
            ("insert into i values (cast('[1]' as json))", integer.as_str()),
            // Bits are those of the text.
            (
                "insert into b values (cast('{}' as json))",
                "E1406 Data too long for column 'n' at row 1",
            ),
            ("insert into d values (cast('[1]' as json))", decimal.as_str()),
            ("insert into f values (cast('null' as json))", double.as_str()),
            ("insert into i values (cast('12' as json)), (cast('\"13\"' as json))", "ok 2"),
            ("insert ignore into i values (cast('\"abc\"' as json))", "ok 1"),
            ("set sql_mode = ''", "ok 0"),
            ("insert into i values (cast('[1]' as json))", "ok 1"),
            ("select n from i", "12; 13; 0; 0"),
        ],
    );
}

#[test]
fn json_value_is_binary_text() {
    check(
        &[],
        &[
            ("select json_value('{\"a\": \"X\"}', '$.a') = 'x'", "0"),
            ("select collation(json_value('{\"a\": \"X\"}', '$.a'))", "utf8mb4_bin"),
            ("select json_value('{\"a\": \"X\"}', '$.a' returning char(3)) = 'x'", "0"),
            (
                "select json_value('{\"a\": \"X\"}', '$.a' returning char character set utf8mb4) = 'x'",
                "1",
            ),
        ],
    );
}

#[test]
fn lists_of_in_are_compared_one_by_one() {
    check(
        &["create table t (y year)", "insert into t values (2012)"],
        &[
            ("select true in (cast('true' as json)), true in (cast('1' as json))", "1|0"),
            ("select true not in (cast('true' as json)), true in (2, cast('true' as json))", "0|1"),
            ("select 12 in (y), 12 not in (y), 12 in (5, y) from t", "1|0|0"),
        ],
    );
}

#[test]
fn functions_of_dates_read_json() {
    check(
        &[
            "create table t (j json, k json)",
            "insert into t values (cast(cast('2024-02-29 10:20:30' as datetime) as json), '\"2024-03-01\"')",
        ],
        &[
            // A time of day is read from a TIME alone.
            ("select year(j), month(j), date(j), hour(j) from t", "2024|2|2024-02-29|NULL"),
            ("select year(k), to_days(k) - to_days(j), datediff(k, j) from t", "2024|1|1"),
            (
                "select date_format(j, '%Y/%m'), extract(month from k), dayname(j) from t",
                "2024/02|3|Thursday",
            ),
        ],
    );
}

#[test]
fn lists_of_windows_are_charged() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int primary key)",
            "insert into t with recursive r(n) as (select 1 union all select n + 1 from r where n < 900) select n from r",
            "set session connection_memory_limit = 2097152",
        ])
        .await;
        // Each row has a list of its own. One is no more than the rows are, but a sort keeps them all.
        let asked = "select json_length(json_arrayagg(repeat('x', 10)) over ()) from t limit 1";
        assert_eq!(line(&mut c, asked).await, "900");
        let asked = "select json_arrayagg(repeat('x', 10)) over () j from t order by j";
        let said = line(&mut c, asked).await;
        assert!(said.starts_with("E1038"), "{said}");
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn patterns_of_schemas() {
    check(
        &[],
        &[
            ("select json_schema_valid('{\"pattern\": \"(\"}', '\"x\"')", "1"),
            (
                "select json_schema_valid('{\"items\": {\"pattern\": \"^a\"}}', '[\"a\", \"ab\"]'), json_schema_valid('{\"items\": {\"pattern\": \"^a\"}}', '[\"a\", \"b\"]')",
                "1|0",
            ),
            (
                "select json_schema_valid('{\"patternProperties\": {\"(\": {\"type\": \"string\"}, \"^a\": {\"type\": \"number\"}}}', '{\"a\": 1, \"b\": 2}')",
                "1",
            ),
        ],
    );
}

#[test]
fn documents_among_others_are_texts_or_doubles() {
    const SETUP: &[&str] = &[
        "create table jd (id int, j json, s varchar(20), n int)",
        "insert into jd values (1, '1', '1', 1), (2, '\"b\"', 'b', 2), (3, '[]', '[]', 0), (4, '2', '2', 2)",
    ];
    check(
        SETUP,
        &[
            ("select id from jd where j between '1' and '3' order by id", "1; 4"),
            ("select id from jd where j between 'a' and 'c' order by id", ""),
            ("select id from jd where n between j and '3' order by id", "1; 2; 3; 4"),
            (
                "select id, case s when j then 1 end, case n when j then 1 end from jd order by id",
                "1|1|1; 2|NULL|NULL; 3|1|1; 4|1|1",
            ),
            ("select id from jd where (j, n) in (('b', 2), (1, 1))", "1"),
            ("select id from jd where (j, n) = ('b', 2)", "2"),
            (
                "select 0 in (json_array(), '0'), '0' in (json_array(), 0), 1 in ('1', cast('1' as json)), 0 between json_array() and '0'",
                "0|0|1|1",
            ),
            (
                "select coalesce(j, 'x') = '\"B\"', ifnull(j, 'x') = '\"B\"', if(1, j, 'x') = '\"B\"', case when 1 then j else 'x' end = '\"B\"' from jd where id = 2",
                "0|0|0|0",
            ),
            (
                "select collation(coalesce(j, 'x')), collation(ifnull(j, 1)), collation(nullif(j, 1)), collation(j), coercibility(json_object()) from jd limit 1",
                "utf8mb4_bin|utf8mb4_bin|utf8mb4_bin|binary|2",
            ),
            (
                "select x from (select j x from jd union select 'B' union select 'a') q order by 1",
                "\"b\"; 1; 2; B; []; a",
            ),
            (
                "select json_length('[1,[2,3]]', '$[*]'), json_length('{\"a\":1}', '$.x[*]'), json_length('[1,2,3]', '$[0 to 1]')",
                "2|NULL|2",
            ),
        ],
    );
}

/// What is true or false by its kind is a boolean of a document; what chooses among such values gives numbers.
#[test]
fn truths_in_documents() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            (
                "select json_array(json_valid('1'), json_contains('1', '2'), json_contains_path('{}', 'one', '$'), gtid_subset('', ''))",
                "[true, false, true, true]",
            ),
            ("select json_array(1 = 1, 1 like 2, 1 in (2), true, not 1, exists(select 1), is_uuid('a'))", "[true, false, false, true, false, true, false]"),
            ("select json_array(if(1, true, false), ifnull(1 = 1, 0), coalesce(null, true), any_value(1 = 1))", "[1, 1, 1, 1]"),
            ("select json_array(least(true, false), greatest(1 = 1, 0), nullif(true, false), is_free_lock('q'))", "[0, 1, 1, 1]"),
            ("select json_object('a', json_valid('x'))", "{\"a\": false}"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}
