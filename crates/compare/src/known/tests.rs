//! Each row matches what it is for, and nothing beside it.

use super::*;
use std::fmt::Write;

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compatibility.md");
const BEGIN: &str = "<!-- differences: begin -->\n";
const END: &str = "<!-- differences: end -->";

/// `WEIR_WRITE_DOCS=1` writes the section again.
#[test]
fn the_document_lists_them() {
    let mut want = String::from("| what | who does as MySQL | why |\n|---|---|---|\n");
    for k in known() {
        let _ = writeln!(want, "| {} | {} | {} |", k.what, k.right.name(), k.why);
    }
    let text = std::fs::read_to_string(DOCUMENT).unwrap();
    let (head, rest) = text.split_once(BEGIN).expect("the section begins");
    let (found, tail) = rest.split_once(END).expect("the section ends");
    if std::env::var_os("WEIR_WRITE_DOCS").is_some() {
        std::fs::write(DOCUMENT, format!("{head}{BEGIN}{want}{END}{tail}")).unwrap();
        return;
    }
    assert_eq!(found, want, "WEIR_WRITE_DOCS=1 writes it anew");
}

#[test]
fn a_row_hides_only_what_it_names() {
    let answers = ["error 1525: Incorrect DATE value: 'x'", "1 row"];
    assert!(
        explain(Kind::Refused, "SELECT 'x' = DATE'2024-01-01'", answers, Reference::MariaDb)
            .is_some()
    );
    assert!(
        explain(Kind::Rows, "SELECT 'x' = DATE'2024-01-01'", answers, Reference::MariaDb).is_none()
    );
    let mirrored = [answers[1], answers[0]];
    assert!(
        explain(Kind::Refused, "SELECT 'x' = DATE'2024-01-01'", mirrored, Reference::MariaDb)
            .is_none()
    );
    let frame = "SELECT RANK() OVER (ROWS CURRENT ROW)";
    let refused = "error 4017: no frame";
    assert!(explain(Kind::Refused, frame, ["1 row", refused], Reference::MariaDb).is_some());
    assert!(explain(Kind::Refused, frame, [refused, "1 row"], Reference::MariaDb).is_none());
    assert!(
        explain(Kind::Refused, "SELECT 1", ["1 row", "error 1064: syntax"], Reference::MariaDb)
            .is_none()
    );
    assert!(
        known().all(|k| !k.words.is_empty() || !k.any.is_empty() || k.answer.names_something())
    );
}

/// A difference as it was found, and the row that is to explain it: kind, statement with its types, what Weir answers, what the other.
const FOUND: &[(Kind, &str, &str, &str, &str)] = &[
    (
        Kind::Refused,
        "INSERT INTO t1 (id, c1:int) SELECT a.id + 100, (1 + a.c2:varchar(20)) FROM t2 a",
        "error 1292: Truncated incorrect DOUBLE value: 'x'",
        "7 rows affected; ",
        "Strict modes: columns of texts as numbers, in INSERT ... SELECT",
    ),
    (
        Kind::Refused,
        "UPDATE t0 SET c0:decimal(10,3) = 1 WHERE (c1:varchar(20) character set latin1 | NULL)",
        "error 1292: Truncated incorrect INTEGER value: '255.000'",
        "0 rows affected; ",
        "Strict modes: bit operators of texts",
    ),
    (
        Kind::Refused,
        "INSERT INTO t1 VALUES (3, NULL→blob, DATE'2000-01-01'→year)",
        "2 rows affected; ",
        "error 1292: Incorrect date value: '2000-01-01' for column",
        "A time or date, inserted as a YEAR",
    ),
    (
        Kind::Rows,
        "INSERT INTO t0 VALUES (12, CAST(0 AS TIME)→year)",
        "('2024')",
        "('0000')",
        "A time, inserted as a YEAR",
    ),
    (
        Kind::Refused,
        "UPDATE t2 SET c2:date = ADDDATE(TIME'10:11:12', 64)",
        "16 rows affected; ",
        "error 1441: Datetime function: time field overflow",
        "A time and a number of days, refused",
    ),
    (
        Kind::Refused,
        "UPDATE t1 SET c0:year = REGEXP_SUBSTR(1, '[a-z]+')",
        "3 rows affected; ",
        "error 1366: Incorrect integer value: '' for column `c0` at row 1",
        "REGEXP_SUBSTR() without a match, stored",
    ),
    (
        Kind::Refused,
        "SELECT (a.c5:int * x'41') FROM t1 a",
        "error 1690: BIGINT UNSIGNED value is out of range in '(-5 * 65)'",
        "5 rows",
        "A hexadecimal literal, computed with",
    ),
    (
        Kind::Refused,
        "SELECT '-1.5e2' BETWEEN 1 AND (18446744073709551615 * b'101')",
        "1 rows of types 8: ('0') ",
        "error 1690: BIGINT UNSIGNED value is out of range",
        "The upper bound of BETWEEN",
    ),
    (
        Kind::Refused,
        "SELECT NULL FROM t2 b WHERE (NULL, 1) < (NULL, (b.c0:double * b.c0:double))",
        "error 1690: DOUBLE value is out of range in '(1e308 * 1e308)'",
        "0 rows",
        "Rows, behind a column that is NULL",
    ),
    (
        Kind::Refused,
        "DELETE FROM t1 WHERE CAST(c2:double AS SIGNED)",
        "error 1292: Truncated incorrect INTEGER value: '9.223372036854776e18'",
        "2 rows affected; ",
        "CAST() of doubles beyond the integers",
    ),
    (
        Kind::Refused,
        "SELECT (a.c0:bigint unsigned + a.c3:time) FROM t1 a",
        "8 rows of types 8: (NULL)",
        "error 1690: BIGINT value is out of range",
        "Sums beyond the integers, of columns and times",
    ),
    (
        Kind::Rows,
        "SELECT (TIMESTAMP'2024-06-30 23:59:59.999999' | 1)",
        "('20240701000001')",
        "('20240630235961')",
        "Fractions of times as bits",
    ),
    (
        Kind::Rows,
        "REPLACE INTO t2 VALUES (9, SUBSTRING('99999', 1)→set('x','y','z'))",
        "('9', '') [1265 Data truncated for column 'c2' at row 1]",
        "('9', 'x,y,z')",
        "A number as a text, in a SET",
    ),
    (
        Kind::Rows,
        "SELECT CONVERT_TZ(a.c3:datetime, '+00:00', '+05:30') FROM t1 a",
        "('2040-12-31 05:30:00')",
        "('2040-12-31 00:00:00')",
        "CONVERT_TZ() beyond 2038",
    ),
    (
        Kind::Rows,
        "SELECT NULL FROM t0 a LEFT JOIN t2 b ON NULL WHERE FIELD(1, NULL, b.c2:int) IS NOT NULL",
        "8 rows of types 253: (NULL)",
        "0 rows of types 6:  ",
        "Outer joins with conditions that NULL meets",
    ),
    (
        Kind::Rows,
        "SELECT MONTHNAME('2024-02-30') FROM t0 a",
        "('February')",
        "(NULL) [1292 Incorrect datetime value: '2024-02-30']",
        "A day that no month has, in functions",
    ),
    (
        Kind::Rows,
        "SELECT CAST(SIN(a.c2:tinyint) AS UNSIGNED) FROM t0 a",
        "('18446744073709551615')",
        "('0') [1916 Got overflow when converting '-0.5' to UNSIGNED BIGINT. Value truncated]",
        "Negative doubles as BIGINT UNSIGNED",
    ),
    (
        Kind::Rows,
        "SELECT (-NULLIF(a.c1:enum('a','b','c',''), NULL)) FROM t2 a",
        "('-4')",
        "('0') [1292 Truncated incorrect DOUBLE value: '']",
        "NULLIF() of an ENUM as a number",
    ),
];

#[test]
fn rows_match_what_they_are_for() {
    for (kind, sql, weir, other, what) in FOUND {
        let found = explain(*kind, sql, [weir, other], Reference::MariaDb).map(|k| k.what);
        assert_eq!(found, Some(*what), "{sql}");
        // Of the mirror image none of the rows that name an answer of one server says anything.
        let mirrored =
            explain(*kind, sql, [other, weir], Reference::MariaDb).filter(|k| k.what == *what);
        assert!(mirrored.is_none(), "{sql}, mirrored");
        let plain = explain(*kind, "SELECT 1", [weir, other], Reference::MariaDb)
            .filter(|k| k.what == *what);
        assert!(plain.is_none(), "{what}: without its words");
    }
}

/// The rows of these two rooms say what one of the servers answers: none matches whatever the two say.
#[test]
fn every_later_row_names_an_answer() {
    let mut rows = strict::ROWS.iter().chain(conversions::ROWS);
    assert!(rows.all(|k| k.answer.names_something()));
}
