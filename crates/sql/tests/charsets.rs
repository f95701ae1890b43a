//! Character sets other than UTF-8, as clients and tables meet them.
use crate::common::*;

/// A character set, a text in it, the text's bytes, the text in upper case.
const SETS: [(&str, &str, &str, &str); 24] = [
    ("latin2", "łódź", "B3F364BC", "ŁÓDŹ"),
    ("latin5", "ağaç", "61F061E7", "AĞAÇ"),
    ("latin7", "žąsis", "FEE0736973", "ŽĄSIS"),
    ("cp1250", "žluť", "9E6C759D", "ŽLUŤ"),
    ("cp1251", "привет", "EFF0E8E2E5F2", "ПРИВЕТ"),
    ("cp1256", "سلام", "D3E1C7E3", "سلام"),
    ("cp1257", "ūsas", "FB736173", "ŪSAS"),
    ("cp850", "über", "81626572", "ÜBER"),
    ("cp852", "ő", "8B", "Ő"),
    ("cp866", "мир", "ACA8E0", "МИР"),
    ("greek", "γη", "E3E7", "ΓΗ"),
    ("hebrew", "שלום", "F9ECE5ED", "שלום"),
    ("koi8r", "мир", "CDC9D2", "МИР"),
    ("koi8u", "їжа", "A7D6C1", "ЇЖА"),
    ("macroman", "é", "8E", "É"),
    ("tis620", "ไทย", "E4B7C2", "ไทย"),
    ("sjis", "表ａ", "955C8281", "表Ａ"),
    ("cp932", "①表", "8740955C", "①表"),
    ("ujis", "日本", "C6FCCBDC", "日本"),
    ("eucjpms", "①本", "ADA1CBDC", "①本"),
    ("gbk", "中國", "D6D087F8", "中國"),
    ("big5", "功能", "A55CAFE0", "功能"),
    ("euckr", "한국", "C7D1B1B9", "한국"),
    ("gb18030", "中😀", "D6D09439FC36", "中😀"),
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
            if !rest.is_empty() {
                let cases: Vec<_> = cases.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
                c.check(&cases).await;
            }
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
            // No '?' is equal to what is none.
            (
                "select b from t where a = '中'",
                "E1267 Illegal mix of collations \
              (cp1251_general_ci,IMPLICIT) and (utf8mb4_general_ci,COERCIBLE) for operation '='",
            ),
            ("select b from t where a in ('x', '中')", "E1267"),
            ("alter table t add key (a)", "ok 0"),
            ("select b from t where a = '中'", "E1267"),
            ("select b from t where a = '?'", "?"),
            ("select b from t where a like '中'", ""),
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
            ("set character_set_client = ucs2", "E1115"),
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
