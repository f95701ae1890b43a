//! ucs2, utf16, utf16le and utf32: sets whose ASCII has two or four bytes.
use crate::common::*;

const SETS: [(&str, &str, &str); 4] = [
    ("ucs2", "00610062", "0031"),
    ("utf16", "00610062", "0031"),
    ("utf16le", "61006200", "3100"),
    ("utf32", "0000006100000062", "00000031"),
];

/// Whatever reads numbers, dates, patterns, names or documents from a text reads them from these.
#[test]
fn functions_read_what_the_text_says() {
    with_server(1, |server| async move {
        let mut c = server.client();
        for (set, ab, one) in SETS {
            c.all(&[
                "drop table if exists w",
                &format!(
                    "create table w (id int primary key, n varchar(20), d char(30), j text, e enum('a','b é'), s set('x','y'), \
                     g int generated always as (char_length(n) + id) stored, k varchar(9) default '7', key (n), key ((upper(d)))) charset {set}"
                ),
                "insert into w (id, n, d, j, e, s) values \
                 (1, '12.5', '2024-02-29 10:11:12', '{\"a\": [1, \"é\"]}', 'b é', 'x,y'), (2, ' 7', 'b', '3', 'A', ''), (3, 'x', '', null, 2, 'y')",
            ])
            .await;
            c.check(&[
                ("select n + 1, n * 1e0, cast(n as decimal(9,1)), n > 8, g, k + 1 from w where id = 1", "13.5|12.5|12.5|1|5|8"),
                ("select cast(d as datetime), date_add(d, interval 1 day), year(d), d < now(), date_format(d, '%d.%m') from w where id = 1",
                 "2024-02-29 10:11:12|2024-03-01 10:11:12|2024|1|29.02"),
                ("select json_extract(j, '$.a[1]'), j->>'$.a[0]', json_valid(j) from w where id = 1", "\"é\"|1|1"),
                ("select e, e + 0, s, s + 0, hex(e) = hex(convert('b é' using utf8mb4)), find_in_set('y', s) from w where id = 1", "b é|2|x,y|3|0|2"),
                ("select id from w where e = 'a'", "2"),
                ("select id from w where d like '2024-__-%' or n regexp '^[x]$' order by id", "1; 3"),
                ("select concat(n, 1), concat_ws('-', n, d), lpad(n, 4, '0'), replace(n, '.', ','), substring_index(d, '-', 1) from w where id = 1",
                 "12.51|12.5-2024-02-29 10:11:12|12.5|12,5|2024"),
                ("select conv('ff', 16, 10), inet_aton(convert('1.2.3.4' using utf16)), unhex(convert('4142' using ucs2)), from_base64(convert('QUI=' using utf32))",
                 "255|16909060|AB|AB"),
                ("select trim(n), ltrim(n), char_length(n), repeat(n, 2), reverse(trim(n)), format(n, 2) from w where id = 2", "7|7|2| 7 7|7|7.00"),
                ("select group_concat(n order by n separator ';'), max(n), min(d), count(distinct n) from w", " 7;12.5;x|x||3"),
                ("select id from w where n = '12.5' and n = 12.5", "1"),
                ("select id from w where upper(d) = 'B'", "2"),
                ("select id from w order by n", "2; 1; 3"),
                ("select case n when '12.5' then n else 'z' end, if(id > 1, n, d), coalesce(j, n) from w order by id", "12.5|2024-02-29 10:11:12|{\"a\": [1, \"é\"]}; z| 7|3; z|x|x"),
                ("select id from w where n in ('x', '12.5') union select n from w where id = 1 order by 1", "1; 12.5; 3"),
            ])
            .await;
            let bytes = format!(
                "select hex(convert('ab' using {set})), length(convert('1' using {set})), bit_length(convert('1' using {set})) / 8, \
                 hex(cast(convert('1' using {set}) as binary)), md5(convert('ab' using {set})) = md5(x'{ab}'), crc32(convert('ab' using {set})) = crc32(x'{ab}'), \
                 hex(binary convert('1' using {set})), convert('ab' using {set}) = x'{ab}', convert(x'{ab}' using {set}) = 'ab', to_base64(convert('1' using {set})) = to_base64(x'{one}')"
            );
            let n = one.len() / 2;
            let want = format!("{ab}|{n}|{n}.0000|{one}|1|1|{one}|1|1|1");
            assert_eq!(c.rows(&bytes).await, want, "{set}");
            // Bytes of a binary text are those of the column's set, there and back.
            let show = c.rows("show create table w").await;
            assert!(
                show.contains(&format!("DEFAULT CHARSET={set}")) && show.contains("'b é'"),
                "{show}"
            );
            c.all(&[
                "alter table w add b blob, add v varbinary(40)",
                "update w set b = d, v = n where id = 2",
            ])
            .await;
            let got =
                c.rows("select hex(b) = hex(d), hex(v) = hex(n), b = d from w where id = 2").await;
            assert_eq!(got, "1|1|1", "{set}");
            c.all(&[
                "update w set d = b, n = v where id = 2",
                "alter table w modify n varbinary(80)",
                &format!("alter table w modify n varchar(20) charset {set}"),
            ])
            .await;
            assert_eq!(c.rows("select n, trim(d) from w where id = 2").await, " 7|b", "{set}");
        }
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn limits_and_what_is_refused() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("select hex(_ucs2'ab'), hex(_utf16'a'), hex(_utf32'a'), hex(_ucs2 x'41'), hex(_utf16 x'000041')", "6162|0061|00000061|0041|00000041"),
            ("select _utf16 x'd800'", "E1300 Invalid utf16 character string: 'D800'"),
            ("select _utf32 x'00110000'", "E1300"),
            ("select hex(cast(x'd80041' as char character set utf16)), convert(x'd800' using utf16)", "00D80041|NULL"),
            ("select length(char(65 using utf16)), hex(char(65, 66 using ucs2)), hex(char(0x1f600 using utf32))", "2|00410042|0001F600"),
            ("select ascii(convert('a' using utf16)), ord(convert('a' using utf16)), ord(_utf16 x'd83dde00')", "0|97|3627933184"),
            ("select charset(concat(convert('a' using ucs2), 1)), collation(convert('a' using utf32))", "ucs2|utf32_general_ci"),
            ("select hex(weight_string(_ucs2 x'00e9' collate ucs2_bin)), hex(weight_string(_utf16 x'00e9' collate utf16_bin)), \
              hex(weight_string(_ucs2 x'00e9' collate ucs2_general_ci))", "00E9|0000E9|0045"),
            ("set names utf16", "E1231 Variable 'character_set_client' can't be set to the value of 'utf16'"),
            ("create table t (a varchar(10) charset ucs2, t tinytext charset utf16, u char(2) charset utf32, unique (a))", "ok 0"),
            ("insert into t (a) values ('😀')", "E1366 Incorrect string value: '\\xF0\\x9F\\x98\\x80' for column 'a' at row 1"),
            ("insert into t (u) values (x'00110000')", "E1366"),
            ("insert into t (a) values (x'41')", "ok 1"),
            ("insert into t (t) values (repeat('a', 128))", "E1406"),
            ("insert into t (t, u) values (repeat('é', 127), '😀a')", "ok 1"),
            ("insert into t (t) values (repeat('😀', 64))", "E1406"),
            ("insert into t (u) values ('abc')", "E1406"),
            ("insert into t (a) values ('É'), ('b'), ('ab')", "ok 3"),
            ("insert into t (a) values ('e\u{301}'), ('é')", "E1062 Duplicate entry 'é' for key 't.a'"),
            ("select hex(a) from t where a = x'00C9'", "00C9"),
            ("select hex(a) from t where a = x'00E9'", "00C9"),
            ("set @q = convert('select ''é'', hex(_utf16 x''41'')' using ucs2)", "ok 0"),
            ("prepare q from @q", "ok 0"),
            ("execute q", "é|0041"),
            ("select a from t where a like 'E%' or a between 'a' and 'b' order by a", "A; ab; b; É"),
            ("select octet_length(t), char_length(t), hex(u) from t where t is not null", "254|127|0001F60000000061"),
            ("select character_maximum_length, character_octet_length from information_schema.columns where table_name = 't' and column_name in ('a', 'u')", "10|20; 2|8"),
            ("create table u (a varchar(32768) charset ucs2)", "E1074"),
            ("create table u (a varchar(16384) charset utf32)", "E1074"),
            ("create table u (a varchar(1537) charset ucs2, key (a))", "E1071"),
            ("create table u (a varchar(1536) charset ucs2, key (a), b varchar(9) default _utf16'a', c varchar(3) default _ucs2 x'0416')", "ok 0"),
            ("insert into u (a) values (repeat('я', 1500))", "ok 1"),
            ("select char_length(a), b, c from u where a = repeat('Я', 1500)", "1500|a|Ж"),
            ("select convert(t.a using utf8mb4) = 'B', t.a = _latin1'b' from t where t.a = 'b'", "1|1"),
            ("create table v (a varchar(9) charset utf8mb4, b varchar(9) charset latin1, c varchar(9) charset utf16)", "ok 0"),
            ("insert into v values ('я', 'é', 'é')", "ok 1"),
            ("select b = c from v", "1"),
            ("select a = c from v", "E1267"),
            ("show charset like 'u%'", "ucs2|UCS-2 Unicode|ucs2_general_ci|2; ujis|EUC-JP Japanese|ujis_japanese_ci|3; utf16|UTF-16 Unicode|utf16_general_ci|4; \
              utf16le|UTF-16LE Unicode|utf16le_general_ci|4; utf32|UTF-32 Unicode|utf32_general_ci|4; utf8mb3|UTF-8 Unicode|utf8mb3_general_ci|3; \
              utf8mb4|UTF-8 Unicode|utf8mb4_0900_ai_ci|4"),
            ("set collation_connection = ucs2_unicode_ci", "ok 0"),
            ("select 'é' = 'E', charset('x'), hex('é'), 1 + '2', hex(concat('a', 1))", "1|ucs2|00E9|3|00610031"),
            ("select date('2024-01-02'), cast('5' as signed), json_object('é', '1')", "2024-01-02|5|{\"é\": \"1\"}"),
            ("select count(*) from t where a = 'B'", "1"),
            ("create view w as select 'é' as x, upper(a) as y from t where a = 'é'", "ok 0"),
            ("set names utf8mb4", "ok 0"),
            ("select * from w", "é|É"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// A database of the set, partitions by its texts, and what a crash leaves of them.
#[test]
fn databases_and_partitions() {
    check_lives(&[
        &[
            ("create database d character set utf16 collate utf16_unicode_ci", "ok 1"),
            (
                "create table d.p (a varchar(9), n int) partition by list columns (a) (partition x values in ('é', 'b'), partition y values in ('c'))",
                "ok 0",
            ),
            ("insert into d.p values ('E', 1), ('B', 2), ('c', 3)", "ok 3"),
            ("insert into d.p values ('z', 1)", "E1526"),
            (
                "create table d.k (a varchar(9) primary key, b varchar(9) default 'é') partition by key (a) partitions 3",
                "ok 0",
            ),
            ("insert into d.k (a) values ('я'), ('ъ'), ('a')", "ok 3"),
        ],
        &[
            ("select a from d.p partition (x) order by a", "B; E"),
            ("select b, hex(b) from d.k where a = 'Я'", "é|00E9"),
            ("select a from d.k order by a", "a; ъ; я"),
            ("insert into d.k (a) values ('Я')", "E1062"),
        ],
    ]);
}

/// Sets with all of Unicode contain those of the BMP; neither of two with the same characters contains the other.
#[test]
fn wider_sets_contain_narrower_ones() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            (
                "create table t (u2 varchar(9) charset ucs2, u3 varchar(9) charset utf8mb3, u4 varchar(9) charset utf8mb4, \
                 w varchar(9) charset utf16, le varchar(9) charset utf16le, q varchar(9) charset utf32, key (u2), key (u4))",
                "ok 0",
            ),
            ("insert into t values ('é', 'é', 'É', 'É', 'é', 'é')", "ok 1"),
            ("select u2 = u4, u2 = w, u2 = le, u2 = q, u3 = u4, u3 = w, u3 = le, u3 = q from t", "1|1|1|1|1|1|1|1"),
            ("select charset(concat(u2, u4)), charset(concat(u3, w)), concat(u2, u4) from t", "utf8mb4|utf16|éÉ"),
            ("select u2 in (u4), u3 in (u4, w is null) from t", "1|1"),
            ("select count(*) from t a join t b on a.u2 = b.u4", "1"),
            ("select u2 from t union select u4 from t", "é"),
            ("select u2 = u3 from t", "E1267"),
            ("select u4 = w from t", "E1267"),
            ("select w = le from t", "E1267"),
            ("select le = q from t", "E1267"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// A default behind the name of a set is its text, or refused as in an expression.
#[test]
fn defaults_that_are_no_texts_are_refused() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            (
                "create table t (a varchar(3) charset utf16 default _utf16 0xD800)",
                "E1300 Invalid utf16 character string: 'D800'",
            ),
            ("create table t (a varchar(3) charset utf32 default _utf32 x'110000')", "E1300"),
            ("create table t (a varchar(3) default _utf8mb4 x'ff')", "E1300"),
            ("create table t (a varchar(3) charset ucs2 default _ucs2 0x41)", "ok 0"),
            ("alter table t alter a set default _ucs2 x'DC00'", "E1300"),
            ("insert into t values ()", "ok 1"),
            ("select hex(a) from t", "0041"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}
