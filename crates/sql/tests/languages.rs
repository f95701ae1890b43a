//! Collations of languages, with an index and without one.
use crate::common::*;

/// Texts that languages sort in their own ways.
const TEXTS: [&str; 52] = [
    "a", "A", "aa", "Aa", "aA", "AA", "å", "Å", "ab", "z", "zz", "c", "C", "ch", "Ch", "CH", "cH",
    "ç", "çh", "ci", "d", "dz", "dž", "DŽ", "ǆ", "h", "hz", "i", "l", "ll", "Ll", "lL", "lj", "ǉ",
    "lm", "nj", "ñ", "č", "ď", "cch", "ddzs", "dzsdzs", "ж", "か", "カ", "カー", "かあ", "中",
    "沈阳", "重庆", "á", "I",
];

const PATTERNS: [&str; 15] = [
    "か%", "カー%", "沈%", "c%", "ch%", "C_", "%h", "a%", "aa%", "l%", "ll%", "çh%", "d%", "_j",
    "cc%",
];

/// Languages of 9.0.0 that differ in what they do to keys.
const NEWER: [&str; 9] = [
    "hu_0900_ai_ci",
    "hr_0900_as_cs",
    "da_0900_as_cs",
    "tr_0900_ai_ci",
    "vi_0900_as_cs",
    "ru_0900_as_cs",
    "zh_0900_as_cs",
    "ja_0900_as_cs",
    "ja_0900_as_cs_ks",
];

/// Rows of every text come in one order, and the same ones are found, whichever way they are read.
#[test]
fn indexes_find_what_is_there() {
    let languages = [
        "czech",
        "danish",
        "slovak",
        "lithuanian",
        "spanish2",
        "croatian",
        "persian",
        "sinhala",
        "swedish",
        "unicode",
    ];
    let mut collations: Vec<String> = Vec::new();
    for l in languages {
        for set in ["utf8mb4", "utf8mb3", "ucs2", "utf16", "utf32"] {
            collations.push(format!("{set}_{l}_ci"));
        }
    }
    collations.extend(
        ["ucs2_bin", "utf16le_general_ci", "utf8mb3_general_mysql500_ci"].map(String::from),
    );
    collations.extend(NEWER.map(|l| format!("utf8mb4_{l}")));
    with_server(1, |server| async move {
        let mut c = server.client();
        for collation in collations {
            let set = collation.split('_').next().unwrap_or_default();
            let rows: Vec<String> =
                TEXTS.iter().enumerate().map(|(n, t)| format!("({n}, '{t}', '{t}')")).collect();
            c.all(&[
                "drop table if exists t",
                &format!(
                    "create table t (id int primary key, a varchar(9), b varchar(9), key (a), key (a(1)), key (b desc)) charset {set} collate {collation}"
                ),
                &format!("insert into t values {}", rows.join(", ")),
            ])
            .await;
            let mut cases = vec![
                "select group_concat(id order by id) from t {} group by a order by a".to_string(),
                "select count(distinct a), min(a) = max(a) from t {}".into(),
            ];
            for p in PATTERNS {
                cases.push(format!("select id from t {{}} where a like '{p}' order by id"));
                cases.push(format!("select id from t {{}} where b like '{p}' order by id"));
            }
            for t in TEXTS {
                cases.push(format!("select id from t {{}} where a = '{t}' order by id"));
                cases.push(format!("select id from t {{}} where a > '{t}' order by id"));
                cases.push(format!(
                    "select id from t {{}} where b between 'c' and '{t}' order by id"
                ));
            }
            for case in cases {
                let free = c.rows(&case.replace("{}", "")).await;
                let bare = c.rows(&case.replace("{}", "ignore index (a, a_2, b)")).await;
                assert_eq!(free, bare, "{collation} {case}");
            }
        }
        c.0.close().await;
        drop(server);
    });
}

/// As a server of MySQL's family tells it.
#[test]
fn pairs_of_letters() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("select hex(weight_string('cch' collate utf8mb4_czech_ci)), hex(weight_string('cH' collate utf8mb4_czech_ci))", "0E600EE2|0E600EE1"),
            ("select 'ch' collate utf8mb4_lithuanian_ci = 'c', 'aa' collate utf8mb4_danish_ci = 'å', 'aA' collate utf8mb4_danish_ci = 'å'", "1|1|0"),
            ("select 'aaa' collate utf8mb4_danish_ci > 'aab', 'aaa' collate utf8mb4_danish_ci = 'åa'", "0|1"),
            ("select 'ch' like 'c%' collate utf8mb4_czech_ci, 'ch' like '__' collate utf8mb4_czech_ci, 'ǆ' collate utf8mb4_croatian_ci = 'dž'", "1|1|1"),
            ("select 'hz' < 'ch' collate utf8mb4_slovak_ci, 'i' > 'ch' collate utf8mb4_slovak_ci, 'lz' < 'll' collate utf8mb4_spanish2_ci", "1|1|1"),
            ("select (_utf8mb3'ß' collate utf8mb3_general_ci) = 's', (_utf8mb3'ß' collate utf8mb3_general_mysql500_ci) = 's'", "1|0"),
            // A literal beside a column is in the column's set and order.
            ("create table s (a varchar(9), b varchar(9) collate latin1_bin) charset latin1", "ok 0"),
            ("insert into s values ('ä', 'A'), ('a', 'a'), ('y', 'é')", "ok 3"),
            ("select a from s where a like 'a%'", "a"),
            ("select b from s where b like 'a%' or b like 'É'", "a"),
            ("select instr(a, 'a'), locate('A', b), strcmp(a, 'ü'), find_in_set('Ä', a) from s", "0|1|1|1; 1|0|-1|0; 0|0|0|0"),
            ("select a like '%語%' from s", "E3854 Cannot convert string '%\\xE8\\xAA\\x9E%' from utf8mb4 to latin1"),
            ("create table g (a varchar(9), unique (a)) charset latin1 collate latin1_german2_ci", "ok 0"),
            ("insert into g values ('Müller'), ('Muster'), ('Straße'), ('ad'), ('af')", "ok 5"),
            ("insert into g values ('MUELLER')", "E1062"),
            ("insert into g values ('STRASSE')", "E1062"),
            ("insert into g values ('ä')", "ok 1"),
            ("select a from g where a < 'n' order by a", "ad; ä; af; Müller; Muster"),
            ("select a from g where a like 'mü%' or a = 'strasse'", "Müller; Straße"),
            ("select a from g where a like 'mu%'", "Muster"),
            ("create table l (a varchar(9), key (a)) charset latin7 collate latin7_estonian_cs", "ok 0"),
            ("insert into l values ('z'), ('t'), ('s  x'), ('s'), ('s x'), ('S'), ('s\t'), ('')", "ok 8"),
            ("select hex(a) from l order by a", "; 53; 73; 73202078; 732078; 7309; 7A; 74"),
            ("select hex(a) from l where a = 's   '", "73"),
            ("select sortlen from information_schema.collations where collation_name = 'latin1_german2_ci'", "2"),
            ("select count(*) from information_schema.collations where collation_name like '%czech%'", "5"),
            ("select 'a' collate latin2_czech_cs", "E1273"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// Orders and equalities of languages of 9.0.0, as MySQL's documents and CLDR tell them.
#[test]
fn languages_of_nine() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            (
                "select id, is_default, sortlen, pad_attribute from information_schema.collations where collation_name in \
                 ('utf8mb4_de_pb_0900_ai_ci', 'utf8mb4_ja_0900_as_cs_ks', 'utf8mb4_mn_cyrl_0900_as_cs') order by id",
                "256||0|NO PAD; 304||0|NO PAD; 323||0|NO PAD",
            ),
            ("select count(*) from information_schema.collations where collation_name like 'utf8mb4%0900%'", "63"),
            ("show collation like 'utf8mb4_zh%'", "utf8mb4_zh_0900_as_cs|utf8mb4|308||Yes|0|NO PAD"),
            ("select 'a' collate utf8mb4_zh_0900_ai_ci", "E1273 Unknown collation: 'utf8mb4_zh_0900_ai_ci'"),
            ("create table d (a varchar(20) collate utf8mb4_da_0900_ai_ci, unique (a)) collate utf8mb4_sv_0900_as_cs", "ok 0"),
            (
                "show create table d",
                "d|CREATE TABLE `d` (\n  `a` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_da_0900_ai_ci DEFAULT NULL,\n  UNIQUE KEY `a` (`a`)\n) \
                 ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_sv_0900_as_cs",
            ),
            ("insert into d values ('Aarhus'), ('Zealand'), ('Ærø'), ('Østerbro'), ('Odense'), ('bar')", "ok 6"),
            ("insert into d values ('ÅRHUS')", "E1062"),
            ("select a from d order by a", "bar; Odense; Zealand; Ærø; Østerbro; Aarhus"),
            ("select a from d where a >= 'z' and a < 'å' order by a desc", "Østerbro; Ærø; Zealand"),
            ("select a from d where a like 'å%' or a like 'aa%' or a like 'O%' order by a", "Odense; Aarhus"),
            ("select group_concat(x order by x collate utf8mb4_da_0900_as_cs) from (select 'ab' x union all select 'Ab' union all select 'AB') t", "AB,Ab,ab"),
            ("create table h (a varchar(20), key (a)) collate utf8mb4_hu_0900_ai_ci", "ok 0"),
            ("insert into h values ('csak'), ('cukor'), ('cukkó'), ('czár'), ('dzsem'), ('dzeta'), ('dúl'), ('dzzz'), ('ez'), ('eddzs'), ('edzsdzs'), ('zs'), ('zz')", "ok 13"),
            ("select a from h where a < 'e' order by a", "cukkó; cukor; czár; csak; dúl; dzeta; dzzz; dzsem"),
            ("select count(distinct a) from h where a like 'e%'", "2"),
            ("select group_concat(a order by a) from h where a like 'z%'", "zz,zs"),
            ("create table r (a varchar(20), key (a)) collate utf8mb4_ru_0900_ai_ci", "ok 0"),
            ("insert into r values ('zebra'), ('яма'), ('Абзац'), ('ёж'), ('ель'), ('1'), ('Ωmega')", "ok 7"),
            ("select a from r order by a", "1; Абзац; ёж; ель; яма; zebra; Ωmega"),
            ("select a from r where a between 'е' and 'я'", "ёж; ель"),
            ("create table j (a varchar(20), key (a)) collate utf8mb4_ja_0900_as_cs_ks", "ok 0"),
            ("insert into j values ('カー'), ('かあ'), ('かア'), ('かー'), ('きゃ'), ('ｷｬ'), ('亜'), ('一'), ('a'), ('ж')", "ok 10"),
            ("select a from j order by a", "a; かー; カー; かあ; かア; きゃ; ｷｬ; 亜; 一; ж"),
            ("select a from j where a like 'か%' order by a", "かー; カー; かあ; かア"),
            ("select count(distinct a), count(distinct a collate utf8mb4_ja_0900_as_cs) from j", "10|7"),
            ("create table z (a varchar(20), key (a)) collate utf8mb4_zh_0900_as_cs", "ok 0"),
            ("insert into z values ('张三'), ('李四'), ('王五'), ('赵六'), ('安'), ('b'), ('重庆'), ('重'), ('沈阳')", "ok 9"),
            ("select a from z order by a", "安; 重庆; 李四; 沈阳; 王五; 张三; 赵六; 重; b"),
            ("select a from z where a like '重%' order by a", "重庆; 重"),
            ("select 'i' = 'I' collate utf8mb4_tr_0900_ai_ci, 'ı' = 'I' collate utf8mb4_tr_0900_ai_ci, 'ä' = 'ae' collate utf8mb4_de_pb_0900_ai_ci", "0|1|1"),
            ("select hex(weight_string('ñ' collate utf8mb4_es_0900_ai_ci)), hex(weight_string('か' collate utf8mb4_ja_0900_as_cs_ks))", "1DB954A5|1FBC000000200000000E00000002"),
            ("set names utf8mb4 collate utf8mb4_vi_0900_ai_ci", "ok 0"),
            ("select 'd' < 'đ', 'a' = 'á', 'a' = 'ă', @@collation_connection", "1|1|0|utf8mb4_vi_0900_ai_ci"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// FORMAT() in the signs of a language, and functions that MySQL has for its own use.
#[test]
fn numbers_and_names() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("select format(1234567.891, 2, 'de_DE'), format(-1234567.891, 2, 'en_IN'), format(1234.5, 1, 'pt_BR')", "1.234.567,89|-12,34,567.89|1234,5"),
            ("select format(1234.5, 1, 'xx_YY'), format(1234.5, 1, null)", "1,234.5|1,234.5"),
            ("show warnings", "Warning|1649|Unknown locale: 'xx_YY'; Warning|1649|Unknown locale: 'NULL'"),
            ("create table v (l varchar(9))", "ok 0"),
            ("insert into v values ('sv_SE'), ('de_CH')", "ok 2"),
            ("select format(12345, 0, l) from v", "12 345; 12'345"),
            ("select name_const('n', -1.5), name_const('t', 'x' collate utf8mb4_bin), name_const('u', null)", "-1.5|x|NULL"),
            ("select * from (select name_const('n', 14) union select 15) d order by n", "14; 15"),
            ("select count(*) from v where l > name_const('x', 'e')", "1"),
            ("select name_const('n', l) from v", "E1210 Incorrect arguments to NAME_CONST"),
            ("select name_const(null, 1)", "E1210"),
            ("select name_const('n', 1 + 1)", "E1210"),
            ("select name_const('n')", "E1582"),
            ("select validate_password_strength('N0t_weak'), validate_password_strength(null)", "0|NULL"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// The form with numbers, by which MySQL's own tests ask for so many bytes of so many weights. What a real MySQL 9.7 answers.
#[test]
fn weights_by_numbers() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let cases = [
            ("'ab' collate utf8mb4_0900_ai_ci, 1, 1, 0xC0", "1C"),
            ("'ab' collate utf8mb4_0900_ai_ci, 8, 1, 0xC0", "1C47000000000000"),
            ("'ab' collate utf8mb4_0900_ai_ci, 8, 5, 0x40", "1C471C60"),
            ("'ab' collate utf8mb4_0900_ai_ci, 0, 0, 0x40", "1C471C60"),
            ("'aß' collate utf8mb4_unicode_ci, 10, 2, 0xC0", "0E330FEA0FEA02090209"),
            ("'aß' collate utf8mb4_unicode_ci, 10, 4, 0x40", "0E330FEA0FEA02090209"),
            ("'aß' collate utf8mb4_unicode_ci, 5, 4, 0x40", "0E330FEA0F"),
            ("'a' collate utf8mb4_general_ci, 10, 3, 0", "004100200020"),
            ("'aß' collate utf8mb4_general_ci, 10, 3, 0x80", "00410053002000200020"),
            ("'aß' collate utf8mb4_bin, 10, 1, 0xC0", "00006100002000002000"),
            ("_latin1 0x61DF collate latin1_german2_ci, 10, 3, 0x40", "41535320"),
            ("_latin1 0x61DF collate latin1_bin, 10, 1, 0xC0", "61202020202020202020"),
            ("_sjis 0x81408140 collate sjis_japanese_ci, 3, 2, 0xC0", "814081"),
            ("_sjis 0x81408140 collate sjis_japanese_ci, 6, 1, 0xC0", "814020202020"),
            ("_sjis 0x81408140 collate sjis_japanese_ci, 6, 4, 0x40", "814081402020"),
            ("_binary 'ab', 5, 1, 0xC0", "6100000000"),
            ("_binary 'ab', 5, 4, 0x40", "6162"),
            ("null, 1, 1, 0xC0", "NULL"),
        ];
        for (args, want) in cases {
            let sql = format!("select hex(weight_string({args}))");
            assert_eq!(c.rows(&sql).await, want, "{args}");
        }
        c.check(&[
            ("select weight_string('a', 1, 1)", "E1064"),
            ("select weight_string('a', 1, 1, 1, 1)", "E1064"),
            ("select weight_string('a', 1, 1 + 1, 1)", "E1064"),
            ("select weight_string('a' as char(3), 1, 1, 1)", "E1064"),
            ("select weight_string('a', 4294967296, 1, 0x80)", "NULL"),
            ("create view w as select weight_string('a', 4, 1, 0x80) x", "ok 0"),
            ("select hex(x) from w", "00410020"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}
