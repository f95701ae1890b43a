//! The Unicode collations as statements meet them.
use crate::common::*;
use weir_sql::session_api::ParamValue;

const COLLATIONS: [&str; 8] = [
    "utf8mb4_general_ci",
    "utf8mb4_unicode_ci",
    "utf8mb4_unicode_520_ci",
    "utf8mb4_0900_ai_ci",
    "utf8mb4_0900_as_ci",
    "utf8mb4_0900_as_cs",
    "utf8mb4_0900_bin",
    "utf8mb4_bin",
];

fn check(setup: &[&str], cases: &[(&str, &str)]) {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(setup).await;
        c.check(cases).await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn names_and_listings() {
    check(
        &["create database d collate utf8mb4_0900_ai_ci", "use d"],
        &[
            (
                "select collation_name, id, sortlen, pad_attribute from information_schema.collations \
                 where id > 247 and not collation_name regexp '^utf8mb4_[a-z_]+_0900' or collation_name like 'utf8%unicode%' order by id",
                "utf8mb3_unicode_ci|192|8|PAD SPACE; utf8mb3_unicode_520_ci|214|8|PAD SPACE; \
                 utf8mb4_unicode_ci|224|8|PAD SPACE; utf8mb4_unicode_520_ci|246|8|PAD SPACE; \
                 gb18030_chinese_ci|248|2|PAD SPACE; gb18030_bin|249|1|PAD SPACE; \
                 utf8mb4_0900_ai_ci|255|0|NO PAD; utf8mb4_0900_as_cs|278|0|NO PAD; \
                 utf8mb4_0900_as_ci|305|0|NO PAD; utf8mb4_0900_bin|309|1|NO PAD",
            ),
            (
                "show collation where collation = 'utf8mb4_0900_ai_ci'",
                "utf8mb4_0900_ai_ci|utf8mb4|255|Yes|Yes|0|NO PAD",
            ),
            (
                "create table t (a varchar(9), b varchar(9) collate utf8mb4_unicode_ci, c varchar(9) \
              collate utf8mb4_0900_ai_ci)",
                "ok 0",
            ),
            (
                "show create table t",
                "t|CREATE TABLE `t` (\n  `a` varchar(9) DEFAULT NULL,\n  `b` varchar(9) CHARACTER SET \
                 utf8mb4 COLLATE utf8mb4_unicode_ci DEFAULT NULL,\n  `c` varchar(9) CHARACTER SET \
                 utf8mb4 COLLATE utf8mb4_0900_ai_ci DEFAULT NULL\n) ENGINE=InnoDB DEFAULT \
                 CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
            ),
            (
                "select a = b from t",
                "E1267 Illegal mix of collations (utf8mb4_0900_ai_ci,IMPLICIT) and \
              (utf8mb4_unicode_ci,IMPLICIT) for operation '='",
            ),
            ("select a in (select b from t) from t", "E1267"),
            ("select locate(a, b) from t", "E1267"),
            ("select concat(a, b) from t", ""),
            (
                "select 'a' collate utf8mb4_0900_ai_ci = 'b' collate utf8mb4_bin",
                "E1267 Illegal mix of \
              collations (utf8mb4_0900_ai_ci,EXPLICIT) and (utf8mb4_bin,EXPLICIT) for operation '='",
            ),
            ("select _latin1'a' collate utf8mb4_0900_ai_ci", "E1253"),
            (
                "select 'a' collate utf8mb4_xx_0900_as_cs",
                "E1273 Unknown collation: 'utf8mb4_xx_0900_as_cs'",
            ),
            ("set names latin1 collate utf8mb4_0900_ai_ci", "E1253"),
            ("set names utf8mb4 collate utf8mb4_0900_ai_ci", "ok 0"),
            (
                "select @@collation_connection, collation('a'), collation(concat('a', 1)), 'a' = 'a '",
                "utf8mb4_0900_ai_ci|utf8mb4_0900_ai_ci|utf8mb4_0900_ai_ci|0",
            ),
            ("set collation_connection = utf8mb4_unicode_520_ci", "ok 0"),
            ("select collation('a'), 'a' = 'a ', 'ß' = 'SS'", "utf8mb4_unicode_520_ci|1|1"),
            ("set global collation_server = utf8mb4_unicode_ci", "ok 0"),
            (
                "select @@global.collation_server, @@global.character_set_server",
                "utf8mb4_unicode_ci|utf8mb4",
            ),
            (
                "set default_collation_for_utf8mb4 = utf8mb4_unicode_ci",
                "E3721 Invalid default collation utf8mb4_unicode_ci: utf8mb4_0900_ai_ci or \
              utf8mb4_general_ci expected",
            ),
            (
                "select collation(_utf8mb4'a'), collation(convert('a' using utf8mb4))",
                "utf8mb4_0900_ai_ci|utf8mb4_0900_ai_ci",
            ),
            ("set default_collation_for_utf8mb4 = utf8mb4_general_ci", "ok 0"),
            (
                "select collation(_utf8mb4'a'), collation(convert('a' using utf8mb4))",
                "utf8mb4_general_ci|utf8mb4_general_ci",
            ),
            ("set default_collation_for_utf8mb4 = utf8mb4_0900_ai_ci", "ok 0"),
            ("alter table t default charset utf8mb4, drop b, drop c", "ok 0"),
            (
                "select table_collation from information_schema.tables where table_name = 't'",
                "utf8mb4_0900_ai_ci",
            ),
        ],
    );
}

/// The client's number decides `collation_connection`; what names no collation is utf8mb4_0900_ai_ci.
#[test]
fn the_default_is_that_of_mysql_8() {
    check(
        &["create table t (a varchar(9), b char(3) character set utf8mb4, key (a))"],
        &[
            (
                "select @@collation_server, @@collation_database, @@default_collation_for_utf8mb4, \
                 @@collation_connection",
                "utf8mb4_0900_ai_ci|utf8mb4_0900_ai_ci|utf8mb4_0900_ai_ci|utf8mb4_general_ci",
            ),
            (
                "show create table t",
                "t|CREATE TABLE `t` (\n  `a` varchar(9) DEFAULT NULL,\n  `b` char(3) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci DEFAULT NULL,\n  KEY `a` (`a`)\n\
                 ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
            ),
            (
                "show create database test",
                "test|CREATE DATABASE `test` /*!40100 DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci */ \
                 /*!80016 DEFAULT ENCRYPTION='N' */",
            ),
            ("show character set like 'utf8mb4'", "utf8mb4|UTF-8 Unicode|utf8mb4_0900_ai_ci|4"),
            (
                "show collation where charset = 'utf8mb4' and `default` = 'Yes'",
                "utf8mb4_0900_ai_ci|utf8mb4|255|Yes|Yes|0|NO PAD",
            ),
            ("insert into t values ('ß', 'a'), ('SS', 'A'), ('ss ', 'Ä'), ('😀', 'b')", "ok 4"),
            ("select count(distinct a), count(distinct b) from t", "3|2"),
            ("select count(*) from t where a = 'ss'", "2"),
            ("select count(*) from t group by a order by a", "1; 2; 1"),
            ("select count(*) from t x join t y on x.a = y.a", "6"),
            ("select count(*) from (select a from t union select 'sS') d", "3"),
            ("select 'a' = 'a '", "1"),
            // A set that is named claims its collation against a literal of the connection's.
            (
                "select convert('a' using utf8mb4) = 'A', cast('a' as char character set utf8mb4) = 'a '",
                "1|0",
            ),
            ("select coercibility(convert('a' using utf8mb4))", "2"),
            // What MySQL refuses: a kept definition is to mean the same in all connections.
            ("select _utf8mb4'a' = 'a '", "0"),
            (
                "create table k (b int, check (hex(b) <> 'zz'), g varchar(9) as (if(hex(b) = '1', 'one', 'x')))",
                "ok 0",
            ),
            ("insert into k (b) values (1), (2)", "ok 2"),
            ("create view v as select hex(b) = '1' h from k where hex(b) <> 'z'", "ok 0"),
            ("select * from v", "1; 0"),
            ("set names utf8mb4", "ok 0"),
            ("insert into k (b) values (1)", "ok 1"),
            ("select g from k", "one; x; one"),
            ("select * from v", "1; 0; 1"),
            (
                "select @@collation_connection, 'a' = 'a ', collation(cast(1 as char)), collation(hex(1))",
                "utf8mb4_0900_ai_ci|0|utf8mb4_0900_ai_ci|utf8mb4_0900_ai_ci",
            ),
            // What the server itself tells meets columns and literals of the default collation.
            (
                "select @@version like '8%', @@sql_mode <> 'X', user() = 'X', database() = 'test'",
                "1|1|0|1",
            ),
            (
                "select count(*) from information_schema.columns c join t on c.column_type = t.a \
                 join t u on c.table_name = u.a or c.column_key = u.a",
                "0",
            ),
            (
                "select count(*) from information_schema.columns where column_key = 'mul' and table_name = 't'",
                "1",
            ),
            ("create table old (a varchar(9)) collate utf8mb4_general_ci", "ok 0"),
            ("alter table old add b varchar(9) character set utf8mb4, add c varchar(9)", "ok 0"),
            (
                "select column_name, collation_name from information_schema.columns \
                 where table_name = 'old' order by 1",
                "a|utf8mb4_general_ci; b|utf8mb4_0900_ai_ci; c|utf8mb4_general_ci",
            ),
        ],
    );
}

/// Older orders of languages: pairs that the language sorts otherwise than unicode_ci does.
#[test]
fn languages_have_their_letters() {
    check(
        &[
            "create table t (a varchar(9) collate utf8mb4_swedish_ci, key (a))",
            "insert into t values ('år'), ('är'), ('ör'), ('zr'), ('ar'), ('ür'), ('Yr'), ('Ær'), ('or')",
        ],
        &[
            (
                "select group_concat(a order by a, a collate utf8mb4_bin) from t",
                "ar,or,Yr,ür,zr,år,Ær,är,ör",
            ),
            (
                "select a from t where a > 'z' and a < 'ö' order by a, a collate utf8mb4_bin",
                "zr; år; Ær; är",
            ),
            ("select a from t where a like 'Ä%' order by a, a collate utf8mb4_bin", "Ær; är"),
            ("select 'Müller' = 'mueller' collate utf8mb4_german2_ci", "1"),
            (
                "select 'I' = 'i' collate utf8mb4_turkish_ci, 'I' = 'ı' collate utf8mb4_turkish_ci",
                "0|1",
            ),
            (
                "select 'llama' < 'luz' collate utf8mb4_spanish_ci, 'ña' > 'nz' collate utf8mb4_spanish_ci",
                "1|1",
            ),
            (
                "select 'z' < 't' collate utf8mb4_estonian_ci, 'y' < 'j' collate utf8mb4_latvian_ci",
                "1|1",
            ),
            ("select _utf8mb3'u' = _utf8mb3'v' collate utf8mb3_roman_ci", "1"),
            (
                "select id, is_default, sortlen, pad_attribute from information_schema.collations \
                 where collation_name in ('utf8mb3_swedish_ci', 'utf8mb4_vietnamese_ci') order by id",
                "200||8|PAD SPACE; 247||8|PAD SPACE",
            ),
            (
                "select 'a' collate utf8mb4_xx_0900_ai_ci",
                "E1273 Unknown collation: 'utf8mb4_xx_0900_ai_ci'",
            ),
        ],
    );
}

#[test]
fn functions_take_the_columns_collation() {
    check(
        &[
            "create table t (id int primary key, a varchar(9) collate utf8mb4_unicode_ci)",
            "insert into t values (1,'ß'), (2,'ST'), (3,'e\u{301}x')",
        ],
        &[
            ("select strcmp(a, 'ss'), strcmp('ss', a) from t where id = 1", "0|0"),
            ("select field(a, 'x', 'ss'), field('ss', a) from t where id = 1", "2|1"),
            (
                "select find_in_set(a, 'x,SS'), instr(a, 'S'), instr('xSSx', a) from t where id = 1",
                "2|0|2",
            ),
            ("select nullif(a, 'SS'), nullif('SS', a) from t where id = 1", "NULL|NULL"),
            ("select 'SS' in (select a from t), a = any (select 'SS') from t where id = 1", "1|1"),
            ("select greatest(a, 'su'), least('sr', a) from t where id = 2", "su|sr"),
            (
                "select concat(a, '') = 'SS', collation(concat('', a)) from t where id = 1",
                "1|utf8mb4_unicode_ci",
            ),
            (
                "select count(distinct concat('', x)) from (select a x from t union all select 'SS') d",
                "3",
            ),
            ("select id from t where a like 'É_'", ""),
            ("select id from t where a = 'ÉX'", "3"),
            ("select id from t where 'SS' = a or 'sT ' = a order by a", "1; 2"),
            (
                "select case a when 'ss' then 1 else 0 end, if(a = 'ss', 1, 0) from t where id = 1",
                "1|1",
            ),
            ("select upper(a), lower(a), char_length(a) from t where id = 1", "ß|ß|1"),
            ("select hex(weight_string(a)) from t where id = 1", "0FEA0FEA"),
            ("select max(a), min(a) from t", "ST|e\u{301}x"),
        ],
    );
}

#[test]
fn parameters_and_literals_are_alike() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.rows(
            "create table t (id int primary key, a varchar(9) collate utf8mb4_0900_ai_ci, key (a))",
        )
        .await;
        c.rows("insert into t values (1,'ß'), (2,'st'), (3,'st ')").await;
        let text = |s: &str| ParamValue::Bytes(s.as_bytes().to_vec());
        for (condition, param, want) in [
            ("a = ?", "SS", "1"),
            ("? = a", "ST", "2"),
            ("a like ?", "S%", "2; 3"),
            ("strcmp(a, ?) = 0", "SS", "1"),
            ("a in ('x', ?)", "ST ", "3"),
            ("nullif(a, ?) is null", "SS", "1"),
            ("locate(?, a) = 1", "ß", ""),
        ] {
            let sql = format!("select id from t where {condition} order by id");
            let p = c.0.prepare(sql.as_bytes()).await.expect("prepares");
            let a = c.execute(p.id, std::slice::from_ref(&text(param))).await;
            let literal = c.rows(&sql.replace('?', &format!("'{param}'"))).await;
            assert_eq!(a.line(), literal, "{sql} {param}");
            if !want.is_empty() {
                assert_eq!(literal, want, "{sql} {param}");
            }
        }
        c.0.close().await;
        drop(server);
    });
}

/// What an index finds is what a scan finds, cut keys and texts of other lengths included.
#[test]
fn indexes_agree_with_scans() {
    let texts = [
        "",
        " ",
        "a",
        "A ",
        "á",
        "a\u{1}",
        "\u{1}",
        "ss",
        "ß",
        "SS ",
        "st",
        "sr",
        "ﬃ",
        "ffi",
        "F",
        "æ",
        "ae",
        "a e",
        "a\u{a0}",
        "a\t",
        "中",
        "中a",
        "한",
        "\u{1112}\u{1161}\u{11ab}",
        "😀",
        "😁",
        "z",
    ];
    let quoted: Vec<String> = texts.iter().map(|t| format!("'{t}'")).collect();
    for collation in COLLATIONS {
        with_server(1, |server| {
            let quoted = &quoted;
            async move {
                let mut c = server.client();
                for keys in ["", ", key (a)", ", key (a desc)", ", key (a(1))", ", key (a(2), id)"]
                {
                    let n = keys.len();
                    c.rows(&format!(
                        "create table t{n} (id int primary key, a varchar(9) collate {collation}{keys})"
                    ))
                    .await;
                    for (id, text) in quoted.iter().enumerate() {
                        c.rows(&format!("insert into t{n} values ({id}, {text})")).await;
                    }
                }
                for text in quoted {
                    let like = text.replace("''", "'%'").trim_end_matches('\'').to_owned() + "%'";
                    for condition in [
                        format!("a = {text}"),
                        format!("a in ({text}, 'st')"),
                        format!("a < {text}"),
                        format!("a >= {text}"),
                        format!("a > {text} and a <= 'ﬃ'"),
                        format!("a like {text}"),
                        format!("a like {like}"),
                    ] {
                        let mut want = None;
                        for n in [0, 9, 14, 12, 16] {
                            let hint = if n == 0 { "" } else { "force index (a)" };
                            let sql = format!(
                                "select id from t{n} {hint} where {condition} order by a, id"
                            );
                            let got = c.rows(&sql).await;
                            assert_eq!(want.get_or_insert(got.clone()), &got, "{collation} {sql}");
                        }
                    }
                }
                let mut groups = None;
                for n in [0, 9, 14] {
                    let sql = format!("select count(*), min(id) from t{n} group by a order by a");
                    let got = c.rows(&sql).await;
                    assert_eq!(groups.get_or_insert(got.clone()), &got, "{collation} {sql}");
                    let distinct = c.rows(&format!("select count(distinct a) from t{n}")).await;
                    assert_eq!(distinct, got.split("; ").count().to_string(), "{collation}");
                }
                c.0.close().await;
                drop(server);
            }
        });
    }
}

#[test]
fn unique_keys() {
    check(
        &[
            "create table t (a varchar(9) collate utf8mb4_0900_ai_ci primary key, n int)",
            "create table p (a varchar(9) collate utf8mb4_unicode_ci, unique key (a(1)))",
            "create table c (a char(9) collate utf8mb4_0900_ai_ci unique)",
        ],
        &[
            ("insert into t values ('ß', 1), ('ss ', 2), ('x', 3)", "ok 3"),
            ("insert into t values ('SS', 9)", "E1062 Duplicate entry 'SS' for key 't.PRIMARY'"),
            ("insert into t values ('\u{1}X', 9) on duplicate key update n = n + 10", "ok 2"),
            ("select n from t order by a", "1; 2; 13"),
            ("replace into t values ('Ss', 7)", "ok 2"),
            ("select a, n from t where a = 'ß'", "Ss|7"),
            ("insert into p values ('ab'), ('ss')", "ok 2"),
            ("insert into p values ('Ác')", "E1062"),
            ("insert into p values ('ß')", "ok 1"),
            // Padding of CHAR is no part of its value, whatever the collation says of spaces.
            ("insert into c values ('a ')", "ok 1"),
            ("insert into c values ('A')", "E1062"),
            ("select concat('[', a, ']'), a = 'a', a = 'a ' from c", "[a]|1|0"),
            ("alter table t modify a varchar(9) collate utf8mb4_general_ci", "E1062"),
            ("delete from t where a = 'ss'", "ok 1"),
            ("alter table t modify a varchar(9) collate utf8mb4_general_ci", "ok 0"),
            ("select n from t where a = 'SS'", "2"),
            ("check table t", "test.t|check|status|OK"),
        ],
    );
}

/// As in MySQL both variables follow the default schema: drivers read from them what a text is made of, and LOAD DATA takes a file's
/// character set from them.
#[test]
fn the_default_schemas_collation_is_told() {
    const OF: &str = "select @@character_set_database, @@collation_database";
    with_server(1, |server| async move {
        let mut root = server.client();
        root.all(&[
            "create database l collate latin1_german1_ci",
            "create database u collate utf8mb4_unicode_ci",
            "create procedure l.p() select @@collation_database",
            "use l",
        ])
        .await;
        root.check(&[
            (OF, "latin1|latin1_german1_ci"),
            ("use u", "ok 0"),
            (OF, "utf8mb4|utf8mb4_unicode_ci"),
            ("call l.p()", "latin1_german1_ci"),
            (OF, "utf8mb4|utf8mb4_unicode_ci"),
            ("alter database collate = utf8mb4_bin", "ok 1"),
            (OF, "utf8mb4|utf8mb4_bin"),
            ("use information_schema", "ok 0"),
            (OF, "utf8mb3|utf8mb3_general_ci"),
            ("use l", "ok 0"),
            ("drop database l", "ok 0"),
            (OF, "utf8mb4|utf8mb4_0900_ai_ci"),
        ])
        .await;
        let mut other = server.client_in("root", "u");
        other.check(&[(OF, "utf8mb4|utf8mb4_bin")]).await;
        root.all(&["drop database u"]).await;
    });
}

#[test]
fn two_collations_by_name_do_not_make_one_text() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let (a, b) = ("'a' collate utf8mb4_bin", "'b' collate utf8mb4_general_ci");
        let mix = "E1267 Illegal mix of collations (utf8mb4_bin,EXPLICIT) and (utf8mb4_general_ci,EXPLICIT) for operation";
        for call in ["concat", "coalesce", "ifnull", "greatest", "least"] {
            let want = format!("{mix} '{call}'");
            c.check(&[(&format!("select {call}({a}, {b})"), &want)]).await;
        }
        c.check(&[
            (&format!("select if(1, {a}, {b})"), &format!("{mix} 'if'")),
            (&format!("select case when 1 then {a} else {b} end"), &format!("{mix} 'case'")),
            (&format!("select elt(1, {a}, {b})"), &format!("{mix} 'elt'")),
            (&format!("select make_set(3, {a}, {b})"), &format!("{mix} 'make_set'")),
            (&format!("select concat_ws(',', {a}, {b})"), "E1270"),
            (&format!("select concat({a}, 'c', {a})"), "aca"),
            (&format!("select insert({a}, 1, 1, {b})"), "b"),
        ])
        .await;
    });
}

/// A regular expression tells letters apart where its collation does.
#[test]
fn regular_expressions_follow_collations_of_case() {
    check(
        &[],
        &[
            (
                "select 'a' collate utf8mb4_0900_as_cs regexp 'A', 'a' collate utf8mb4_0900_as_ci regexp 'A', _latin1'a' collate latin1_general_cs regexp 'A'",
                "0|1|0",
            ),
            (
                "select regexp_like('a' collate utf8mb4_0900_as_cs, 'A', 'i'), regexp_replace('aA' collate utf8mb4_0900_as_cs, 'A', '-')",
                "1|a-",
            ),
        ],
    );
}

/// The error names the operator, and an equation where a list has one value.
#[test]
fn operators_of_mixed_collations() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let (a, b) = ("_latin1'a' collate latin1_bin", "_latin1'b' collate latin1_swedish_ci");
        for (sql, operation) in [
            (format!("{a} < {b}"), "<"),
            (format!("{a} >= {b}"), ">="),
            (format!("{a} <> {b}"), "<>"),
            (format!("{a} <=> {b}"), "<=>"),
            (format!("{a} in ({b})"), "="),
            (format!("{a} between {b} and 'c'"), "between"),
        ] {
            let line = c.ask(&format!("select {sql}")).await.line();
            assert!(line.contains(&format!("for operation '{operation}'")), "{sql}: {line}");
        }
        c.0.close().await;
        drop(server);
    });
}
