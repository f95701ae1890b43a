//! Character sets other than UTF-8, as clients and tables meet them.
use crate::common::*;
use weir_sql::session_api::ParamValue;

/// A character set, a text in it, the text's bytes, the text in upper case.
const SETS: [(&str, &str, &str, &str); 35] = [
    ("armscii8", "Հայ", "D0B3DB", "ՀԱՅ"),
    ("dec8", "Œuf", "D77566", "ŒUF"),
    ("hp8", "été", "C574C5", "ÉTÉ"),
    ("keybcs2", "žluť", "916C759F", "ŽLUŤ"),
    ("geostd8", "აბგ", "C0C1C2", "აბგ"),
    ("macce", "žluť", "EC6C75E9", "ŽLUŤ"),
    ("gb2312", "中国", "D6D0B9FA", "中国"),
    ("latin2", "łódź", "B3F364BC", "ŁÓDŹ"),
    ("latin5", "ağaç", "61F061E7", "AĞAÇ"),
    ("latin7", "žąsis", "FEE0736973", "ŽĄSIS"),
    ("cp1250", "žluť", "9E6C759D", "ŽLUŤ"),
    ("cp1251", "привет", "EFF0E8E2E5F2", "ПРИВЕТ"),
    ("cp1256", "سلام", "D3E1C7E3", "سلام"),
    ("cp1257", "ūsas", "FB736173", "ŪSAS"),
    ("cp850", "über", "81626572", "ÜBER"),
    ("cp852", "őr", "8B72", "ŐR"),
    ("cp866", "мир", "ACA8E0", "МИР"),
    ("greek", "γη", "E3E7", "ΓΗ"),
    ("hebrew", "שלום", "F9ECE5ED", "שלום"),
    ("koi8r", "мир", "CDC9D2", "МИР"),
    ("koi8u", "їжа", "A7D6C1", "ЇЖА"),
    ("macroman", "né", "6E8E", "NÉ"),
    ("tis620", "ไทย", "E4B7C2", "ไทย"),
    ("sjis", "表ａ", "955C8281", "表Ａ"),
    ("cp932", "①表", "8740955C", "①表"),
    ("ujis", "日本", "C6FCCBDC", "日本"),
    ("eucjpms", "①本", "ADA1CBDC", "①本"),
    ("gbk", "中國", "D6D087F8", "中國"),
    ("big5", "功能", "A55CAFE0", "功能"),
    ("euckr", "한국", "C7D1B1B9", "한국"),
    ("gb18030", "中😀", "D6D09439FC36", "中😀"),
    ("ucs2", "žlя", "017E006C044F", "ŽLЯ"),
    ("utf16", "ž😀", "017ED83DDE00", "Ž😀"),
    ("utf16le", "ž😀", "7E013DD800DE", "Ž😀"),
    ("utf32", "ž😀", "0000017E0001F600", "Ž😀"),
];

#[test]
fn columns_of_every_set() {
    with_server(1, |server| async move {
        let mut c = server.client();
        for (set, text, hex, upper) in SETS {
            let create = format!(
                "create table {set} (id int primary key, v varchar(20), f char(9), t text, \
                 b varchar(20) collate {set}_bin, key (v), key (t(3)), unique (b)) charset {set}"
            );
            let insert = format!(
                "insert into {set} values (1, '{text}', '{text}', '{text}', '{text}'), \
                 (2, 'Abc ', 'abc', null, 'abc')"
            );
            c.all(&[&create, &insert]).await;
            let chars = text.chars().count();
            let bytes = hex.len() / 2;
            let first = text.chars().next().unwrap_or(' ');
            let rest: String = text.chars().skip(1).collect();
            let ask = |what: &str| format!("select {what} from {set} where id = 1");
            let cases = [
                (ask("v, f, t, hex(v), hex(b)"), format!("{text}|{text}|{text}|{hex}|{hex}")),
                (ask("length(v), char_length(v), charset(v)"), format!("{bytes}|{chars}|{set}")),
                (ask("upper(v), substring(v, 2), left(v, 1)"), format!("{upper}|{rest}|{first}")),
                (
                    ask(&format!("locate('{rest}', v), v like '{first}%', v like '_'")),
                    format!("2|1|{}", u8::from(chars == 1)),
                ),
                (
                    ask("hex(convert(v using utf8mb4))"),
                    text.bytes().map(|b| format!("{b:02X}")).collect(),
                ),
                (
                    ask(&format!("hex(convert('{text}' using {set})), _{set} x'{hex}' = v")),
                    format!("{hex}|1"),
                ),
                (ask("concat(v, '!'), concat(v, _utf8mb4'ჰ')"), format!("{text}!|{text}ჰ")),
                (format!("select id from {set} where v = '{text}'"), "1".into()),
                (format!("select id from {set} where b = '{text}'"), "1".into()),
                (format!("select id from {set} where t like '{first}%'"), "1".into()),
                (format!("select id from {set} where v = 'aBC'"), "2".into()),
                (format!("select id from {set} where b = 'aBC'"), String::new()),
                (format!("select count(*) from {set} group by v"), "1; 1".into()),
                (format!("insert into {set} (id, b) values (3, '{text}')"), "E1062".into()),
            ];
            assert!(!rest.is_empty(), "{set}: a text of several characters");
            let cases: Vec<_> = cases.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            c.check(&cases).await;
            let shown = c.rows(&format!("show create table {set}")).await;
            assert!(shown.ends_with(&format!("DEFAULT CHARSET={set}")), "{shown}");
            // Into Unicode and back nothing is lost.
            let there = format!("alter table {set} convert to character set utf8mb4");
            let back = format!("alter table {set} convert to character set {set}");
            c.all(&[&there, &back]).await;
            assert_eq!(c.rows(&ask("hex(v)")).await, hex, "{set}");
        }
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn what_a_set_lacks() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (a varchar(9) charset cp1251, b varchar(9) charset latin2, c varchar(9))"])
            .await;
        c.check(&[
            ("insert into t values ('é', '', '')", "E1366"),
            ("insert into t values (_gbk x'D6D0', '', '')", "E1366"),
            ("create table u (a varchar(32768) charset gbk)", "E1074"),
            ("create table u (a varchar(769) charset gb18030, key (a))", "E1071"),
            ("set sql_mode = ''", "ok 0"),
            ("insert into t values ('é', 'я', 'я')", "ok 1"),
            ("select a, b, c from t", "?|?|я"),
            // No '?' is equal to what is not one.
            (
                "select b from t where a = '中'",
                "E3854 Cannot convert string '\\xE4\\xB8\\xAD' from utf8mb4 to cp1251",
            ),
            ("select b from t where a in ('x', '中')", "E3854"),
            ("alter table t add key (a)", "ok 0"),
            ("select b from t where a = '中'", "E3854"),
            ("select b from t where a = '?'", "?"),
            ("select b from t where a like '中'", "E3854"),
            (
                "select b from t where a like 'abcd中%'",
                "E3854 Cannot convert string 'abcd\\xE4\\xB8...' from utf8mb4 to cp1251",
            ),
            ("select locate('中', a) from t", "E3854"),
            ("select convert('é' using cp1251), hex(convert('я' using latin2))", "?|3F"),
            ("select _gbk x'81'", "E1300 Invalid gbk character string: '81'"),
            ("select _utf8mb4 x'61FF'", "E1300 Invalid utf8mb4 character string: 'FF'"),
            ("select a = b from t", "E1267"),
            ("select a = c, b = c from t", "0|0"),
            ("select _cp1251'a' collate latin2_general_ci", "E1253"),
            ("create table u (a char(1)) charset cp1252", "E1115 Unknown character set: 'cp1252'"),
            ("create table u (a char(1) charset cp1251 collate koi8r_bin)", "E1253"),
            ("set names cp1251 collate cp1251_bin", "ok 0"),
            ("select @@character_set_client, @@collation_connection", "cp1251|cp1251_bin"),
            ("set names utf8mb4", "ok 0"),
            ("set character_set_client = ucs2", "E1231"),
            ("select count(*) > 35 from information_schema.character_sets", "1"),
            (
                "select character_maximum_length, character_octet_length from \
                 information_schema.columns where table_name = 't' and column_name = 'a'",
                "9|9",
            ),
            (
                "select coercibility(a), coercibility('a'), coercibility('a' collate utf8mb4_bin), \
                 coercibility(1), coercibility(null) from t",
                "2|4|0|5|6",
            ),
            ("select coercibility()", "E1582"),
            ("show charset like 'gbk'", "gbk|GBK Simplified Chinese|gbk_chinese_ci|2"),
            (
                "show collation where id in (1, 51, 95)",
                "big5_chinese_ci|big5|1|Yes|Yes|1|PAD SPACE; \
              cp1251_general_ci|cp1251|51|Yes|Yes|1|PAD SPACE; \
              cp932_japanese_ci|cp932|95|Yes|Yes|1|PAD SPACE",
            ),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// The second byte of a character is no backslash, no quote, and no end of a word.
#[test]
fn statements_in_the_clients_set() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (a varchar(9) charset utf8mb4)"]).await;
        let cases: [(&str, &[u8], &str); 5] = [
            ("sjis", b"insert into t values ('\x95\x5c'), (_sjis'\x95\x5c')", "表; 表"),
            ("gbk", b"insert into t values ('\x81\x5c')", "乗"),
            ("big5", b"insert into t values ('\xa5\x5c')", "功"),
            (
                "cp1251",
                b"insert into t values ('\xcf'), (_koi8r'\xcf'), (_binary'abc')",
                "П; о; abc",
            ),
            ("gb18030", b"insert into t values ('\x94\x39\xfc\x36')", "😀"),
        ];
        for (set, insert, want) in cases {
            c.all(&[&format!("set names {set}")]).await;
            let mut answer = Answer::default();
            let end = c.0.query(insert, &mut answer).await;
            assert!(end.result.is_ok() && end.consumed == insert.len(), "{set} {:?}", end.result);
            c.all(&["set names utf8mb4"]).await;
            assert_eq!(c.rows("select a from t").await, want, "{set}");
            c.all(&["delete from t"]).await;
        }
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn keys_of_accents_and_case() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int primary key, a varchar(9) collate utf8mb4_0900_as_cs, unique (a))",
            "insert into t values (1,'a'), (2,'A'), (3,'á'), (4,'Á'), (5,'ab'), (6,'áb'), (7,'a ')",
        ])
        .await;
        c.check(&[
            ("select id from t order by a", "1; 2; 3; 4; 7; 5; 6"),
            ("select id from t where a = 'á'", "3"),
            ("select id from t where a > 'A' and a < 'áb' order by a", "3; 4; 7; 5"),
            ("select id from t where a like 'á%'", "3; 6"),
            ("insert into t values (8, 'a\u{301}')", "E1062"),
            (
                "select count(*) from t group by a collate utf8mb4_0900_as_ci order by 1",
                "1; 1; 1; 2; 2",
            ),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// A statement in the bytes of a client.
async fn send(c: &mut Client, sql: &[u8]) -> Answer {
    let mut answer = Answer::default();
    let end = c.0.query(sql, &mut answer).await;
    assert!(end.result.is_ok() && end.consumed == sql.len(), "{sql:x?} {:?}", end.result);
    answer
}

fn is_client(set: weir_sql::value::Charset) -> bool {
    use weir_sql::value::Charset::{Binary, Utf8mb3, Utf8mb4};
    set.is_for_clients() && !matches!(set, Binary | Utf8mb3 | Utf8mb4)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02X}")).collect()
}

/// Every code of every set and every byte that is not one comes through a literal as it was sent: into texts of the set, into
/// binary columns, with a plan that is new and one that is known.
#[test]
fn literals_keep_the_bytes_that_were_sent() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table b (a longblob)"]).await;
        for set in weir_sql::value::CHARSETS.iter().copied().filter(|s| is_client(*s)) {
            let name = set.name();
            let (mut codes, mut bytes) = (Vec::new(), Vec::new());
            for lead in 0x80..=0xFFu8 {
                // A space is within no character.
                bytes.extend_from_slice(&[lead, b' ']);
                match set.char_at(&[lead, 0xFF]) == 1 && set.max_char_bytes() == 1 {
                    true if name != "ascii" => codes.push(lead),
                    _ => {
                        let pairs = (0x40..=0xFFu8).map(|trail| [lead, trail]);
                        codes.extend(pairs.filter(|p| set.char_at(p) == 2).flatten());
                    }
                }
            }
            c.all(&[
                &format!("set names {name}"),
                "delete from b",
                "drop table if exists t",
                &format!("create table t (a longtext charset {name})"),
            ])
            .await;
            for text in [&codes, &bytes] {
                let quoted = [b"'", &text[..], b"'"].concat();
                for _ in 0..2 {
                    c.all(&["delete from b"]).await;
                    send(&mut c, &[b"insert into b values (", &quoted[..], b")"].concat()).await;
                    assert_eq!(c.rows("select hex(a) from b").await, hex(text), "{name}");
                }
                let got = send(&mut c, &[b"select hex(", &quoted[..], b")"].concat()).await;
                assert_eq!(got.line(), hex(text), "{name}");
                let binary = [b"select hex(_binary", &quoted[..], b")"].concat();
                assert_eq!(send(&mut c, &binary).await.line(), hex(text), "{name}");
            }
            let insert = [b"insert into t values ('", &codes[..], b"')"].concat();
            send(&mut c, &insert).await;
            assert_eq!(c.rows("select hex(a) from t").await, hex(&codes), "{name}");
        }
        c.0.close().await;
        drop(server);
    });
}

/// What a character becomes in Unicode, or that it becomes nothing, does not end a literal, nor begin anything else.
#[test]
fn characters_of_a_client_are_no_syntax() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (a int)", "insert into t values (1), (2)"]).await;
        let cases: [(&str, &[u8]); 8] = [
            // A full width backslash, which is ASCII's in Unicode's table.
            ("sjis", b"select count(*) from t where 'x' = '\x81\x5f'"),
            ("ujis", b"select count(*) from t where 'x' = '\xa1\xc0'"),
            // An apostrophe and parentheses with two codes.
            ("armscii8", b"select count(*) from t where 'x' = ' or 1 -- \xff\xa4\xa5'"),
            // Codes of no character, whose second byte is a backslash's.
            ("gbk", b"select count(*) from t where 'x' = '\xfe\x5c'"),
            ("big5", b"select count(*) from t where 'x' = '\xf9\x5c'"),
            ("sjis", b"select count(*) from t where 'x' = '\xfc\x5c'"),
            ("cp932", b"select count(*) from t where 'x' = '\xf0\x5c'"),
            ("gb18030", b"select count(*) from t where 'x' = '\xfe\x5c'"),
        ];
        for (set, sql) in cases {
            c.all(&[&format!("set names {set}")]).await;
            assert_eq!(send(&mut c, sql).await.line(), "0", "{set}");
        }
        c.all(&["set names cp1251"]).await;
        let mut answer = Answer::default();
        // 98 is no character of cp1251: no name, and shown as '?'.
        let end = c.0.query(b"select 1 as \x98", &mut answer).await;
        assert_eq!(end.result.unwrap_err().errno, 1300);
        let end = c.0.query(b"select 1 1 '\x98\xcf'", &mut answer).await;
        let message = end.result.unwrap_err().message;
        assert!(message.contains("'1 '?П''"), "{message}");
        c.check(&[
            ("set names swe7", "E1231"),
            ("set character_set_client = swe7", "E1231"),
            ("set character_set_results = swe7", "ok 0"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// Definitions mean the same no matter who reads them first.
#[test]
fn definitions_know_no_client() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int primary key, a varchar(9) default _utf8mb4'где', \
             g varchar(9) as (concat(a, 'я', _utf8mb4'ж')), check (a <> 'нет' and a <> _utf8mb4'да'))",
            "create view v as select id, a = 'где' as x, a = _utf8mb4'где' as y from t",
            "create procedure p() select hex('é'), hex(_latin1'\u{e9}')",
            "set names latin1",
        ])
        .await;
        let sql =
            b"create procedure q() select hex('\xe9'), hex(_latin1'\xe9'), hex(_cp1251 '\xe9')";
        send(&mut c, sql).await;
        let sql = b"create table u (a varchar(9) charset koi8r default _koi8r'\xc1', \
                    b varchar(9) as (_cp1251'\xe9'))";
        send(&mut c, sql).await;
        c.all(&["set names utf8mb4", "insert into u () values ()"]).await;
        assert_eq!(c.rows("select a, b from u").await, "а|й");
        c.0.close().await;
        for (i, set) in ["latin1", "cp1251", "gbk", "utf8mb4"].into_iter().enumerate() {
            let server = server.again().await;
            let mut c = server.client();
            c.all(&[&format!("set names {set}"), &format!("insert into t (id) values ({i})")])
                .await;
            c.check(&[
                ("insert into t (id, a) values (9, _utf8mb4 x'D0B4D0B0')", "E3819"),
                ("insert into t (id, a) values (9, _utf8mb4 x'D0BDD0B5D182')", "E3819"),
                ("select distinct hex(g) from t", "D0B3D0B4D0B5D18FD0B6"),
                ("select distinct x, y from v", "1|1"),
                ("call p()", "C3A9|C3A9"),
                ("call q()", "E9|E9|E9"),
            ])
            .await;
            c.0.close().await;
            drop(server);
        }
        drop(server);
    });
}

/// The second byte of a character is within it.
#[test]
fn functions_keep_characters_whole() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let cases = [
            ("hex(trim(trailing _gbk'a' from _gbk x'8161'))", "8161"),
            ("hex(trim(_gbk'a' from _gbk x'61816161'))", "8161"),
            ("hex(trim(trailing _gbk x'8161' from _gbk x'81818161'))", "8181"),
            ("hex(trim(trailing _sjis'a' from _sjis x'9561'))", "9561"),
            ("trim(trailing 'ж' from 'жабажж')", "жаба"),
            ("hex(quote(_gbk x'815C'))", "27815C27"),
            ("hex(quote(_sjis x'955C27'))", "27955C5C2727"),
            ("hex(_gbk x'A2A1FE5C'), char_length(_gbk x'FE5CFE5C')", "A2A1FE5C|2"),
            ("hex(convert(_gbk x'FE5C61' using utf8mb4))", "3F61"),
            ("_gbk x'FE5C' like _gbk'_', _gbk x'FE5C' like _gbk'__'", "1|0"),
            ("hex(left(_gbk x'FE5C61', 1)), hex(reverse(_gbk x'FE5C61'))", "FE5C|61FE5C"),
            ("_gbk x'FF5C'", "E1300"),
        ];
        let cases: Vec<_> = cases.iter().map(|(e, want)| (format!("select {e}"), *want)).collect();
        let cases: Vec<_> = cases.iter().map(|(e, want)| (e.as_str(), *want)).collect();
        c.check(&cases).await;
        c.0.close().await;
        drop(server);
    });
}

/// Several statements in one text, and statements made of texts.
#[test]
fn statements_behind_statements() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["set names sjis"]).await;
        c.0.set_multi_statements(true);
        let sql = b"select hex('\x95\x5c\x81\x5f'); set names gbk; select hex('\xfe\x5c')";
        let (mut at, mut got) = (0, Vec::new());
        while at < sql.len() {
            let mut answer = Answer::default();
            let end = match at {
                0 => c.0.query(sql, &mut answer).await,
                _ => c.0.query_rest(&sql[at..], &mut answer).await,
            };
            assert!(end.result.is_ok() && end.consumed > 0);
            at += end.consumed;
            got.push(answer.line());
        }
        assert_eq!(got, ["955C815F", "ok 0", "FE5C"]);
        // Another text of the same length is another text.
        let mut answer = Answer::default();
        let end = c.0.query(b"select 1; select 2", &mut answer).await;
        let rest = 18 - end.consumed;
        let mut answer = Answer::default();
        c.0.query(&b"select 3 "[..rest], &mut answer).await.result.unwrap();
        assert_eq!(answer.line(), "3");

        c.all(&["set names sjis"]).await;
        send(&mut c, b"prepare p from 'select hex(''\x81\x5f'')'").await;
        assert_eq!(c.rows("execute p").await, "815F");
        // The full width backslash is not one in a text that is a statement either.
        send(&mut c, b"set @s = 'select hex(''\x81\x5f'')'").await;
        c.all(&["prepare p from @s"]).await;
        assert_eq!(c.rows("execute p").await, "815F");
        let id = c.0.prepare(b"select hex('\xfc\x5c'), hex(?)").await.unwrap().id;
        let got = c.execute(id, &[ParamValue::Bytes(b"\x81\x5f\xfc\x5c".to_vec())]).await;
        assert_eq!(got.line(), "FC5C|815FFC5C");
        c.0.close().await;
        drop(server);
    });
}

/// What functions make of numbers and moments is a text of the connection's set, whichever that is; what the server itself says is utf8mb3.
#[test]
fn texts_of_functions_are_the_connections() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "set names latin1",
            "create table t as select hex(1) h, group_concat(2) g, concat(now()) c, uuid() u",
        ])
        .await;
        let latin = "latin1_swedish_ci";
        let own = [
            "bin(3)",
            "concat(1, 2)",
            "elt(1, 2)",
            "trim(1)",
            "group_concat(1)",
            "format(1, 2)",
            "date_format(now(), '%Y')",
            "date_add('2020-02-02', interval 1 day)",
            "get_format(date, 'usa')",
            "repeat(hex(1), 2)",
        ];
        for e in own {
            c.check(&[(&format!("select collation({e})"), latin)]).await;
        }
        c.check(&[
            ("select collation(uuid()), collation(format_bytes(1)), collation(@@version)", "utf8mb3_general_ci|utf8mb3_general_ci|utf8mb3_general_ci"),
            ("select hex(concat(1, _latin1 x'E4')), concat(1) = '1', lower(hex(255))", "31E4|1|ff"),
            (
                "select column_name, collation_name from information_schema.columns where table_name = 't' order by 1",
                "c|latin1_swedish_ci; g|latin1_swedish_ci; h|latin1_swedish_ci; u|utf8mb3_general_ci",
            ),
            ("set lc_time_names = 'ru_RU'", "ok 0"),
            ("select monthname('2020-01-01')", "??????"),
            ("set names utf8mb4", "ok 0"),
            ("select monthname('2020-01-01'), collation(bin(3))", "Января|utf8mb4_0900_ai_ci"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// A literal of a view is a text of the connection that the view was made over.
#[test]
fn literals_of_views_keep_their_set() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "set names latin1",
            "create view v as select 'a' collate latin1_german1_ci as a, 'bc' as b, cast(5 as char) as c",
            "set names utf8mb4",
        ])
        .await;
        c.check(&[
            (
                "select collation(a), collation(b), collation(c) from v",
                "latin1_german1_ci|latin1_swedish_ci|latin1_swedish_ci",
            ),
            ("select hex(b), b = 'BC', concat(b, 'x') from v where a = 'A'", "6263|1|bcx"),
            (
                "select count(*) from (select a from v union select a from v) d where a in ('a')",
                "1",
            ),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}
