//! Collations of languages, with an index and without one.
use crate::common::*;

/// Texts that languages sort in their own ways.
const TEXTS: [&str; 40] = [
    "a", "A", "aa", "Aa", "aA", "AA", "å", "Å", "ab", "z", "zz", "c", "C", "ch", "Ch", "CH", "cH",
    "ç", "çh", "ci", "d", "dz", "dž", "DŽ", "ǆ", "h", "hz", "i", "l", "ll", "Ll", "lL", "lj", "ǉ",
    "lm", "nj", "ñ", "č", "ď", "cch",
];

const PATTERNS: [&str; 12] =
    ["c%", "ch%", "C_", "%h", "a%", "aa%", "l%", "ll%", "çh%", "d%", "_j", "cc%"];

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
            ("select instr(a, 'a'), locate('A', b), strcmp(a, 'ü'), find_in_set('Ä', a), a like '%語%' from s", "0|1|1|1|0; 1|0|-1|0|0; 0|0|0|0|0"),
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
