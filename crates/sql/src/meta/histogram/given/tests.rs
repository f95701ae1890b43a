use super::*;
use crate::meta::histogram::json::tests::{of, text};
use crate::value::IntKind;

fn read(text: &str, column: &SqlColumn) -> Read<Histogram> {
    let mode = SqlMode::NO_ZERO_DATE | SqlMode::NO_ZERO_IN_DATE;
    from_json(text.as_bytes(), &Target { column, at: 2, now_micros: 0, mode })
}

#[test]
fn what_is_shown_is_read() {
    let bytes = |b: &[&[u8]]| b.iter().map(|b| DatumBuf::Bytes(b.to_vec())).collect();
    let uints = |n: &[u64]| n.iter().map(|n| DatumBuf::UInt(*n)).collect();
    let floats = |n: &[f64]| n.iter().map(|n| DatumBuf::Float(*n)).collect();
    let ints = |n: &[i64]| n.iter().map(|n| DatumBuf::Int(*n)).collect();
    let stored = |ty: SqlType, texts: &[&str]| {
        let c = SqlColumn::new("c", ty);
        let target = Target { column: &c, at: 0, now_micros: 0, mode: SqlMode::default() };
        let (kind, collation) = (Kind::Singleton, Collation::Utf8mb4Bin);
        let reader = Reader { target: &target, kind, collation };
        let one = |t: &&str| {
            let dom = Dom::str(t.as_bytes());
            reader.value(&dom, "").and_then(|v| reader.stored(&v, "")).expect("a value")
        };
        texts.iter().map(one).collect()
    };
    let unsigned = SqlType::int(IntKind::Tiny, true);
    let latin = SqlType::varchar(9, Collation::Latin1SwedishCi);
    let cases: Vec<(SqlType, Vec<DatumBuf>)> = vec![
        (SqlType::INT, ints(&[-5, 0, 7])),
        (unsigned, uints(&[0, 255])),
        (SqlType::UBIGINT, uints(&[0, u64::MAX])),
        (SqlType::Bit { bits: 64 }, uints(&[0, u64::MAX])),
        (SqlType::DOUBLE, floats(&[-1.5e300, 0.0, 2.5])),
        (SqlType::FLOAT, floats(&[0.5, 1024.0])),
        (latin, bytes(&[b"", b"\xe4x", b"zz"])),
        (SqlType::varbinary(9), bytes(&[b"\0", b"\xff\xfe"])),
        (SqlType::Date, stored(SqlType::Date, &["1000-01-01", "2026-11-26"])),
        (
            SqlType::Time { fsp: 2 },
            stored(SqlType::Time { fsp: 2 }, &["-12:00:00.25", "838:59:59"]),
        ),
        (
            SqlType::Timestamp { fsp: 0 },
            stored(SqlType::Timestamp { fsp: 0 }, &["1970-01-02 00:00:01", "2026-03-29 02:30:00"]),
        ),
    ];
    for (ty, values) in cases {
        for buckets in [1, 100] {
            let (h, c) = of(ty, &values, buckets);
            let shown = text(&h, &c);
            let again = read(&shown, &c)
                .map(|again| Histogram { updated_micros: h.updated_micros, ..again });
            assert_eq!(again.as_ref(), Ok(&h), "{shown}");
        }
    }
}

/// The sentence about data.
fn told(text: &str, column: &SqlColumn) -> String {
    match read(text, column) {
        Ok(_) => "read".into(),
        Err(r) => r.before.map_or(String::new(), |(_, text)| text + " ") + &r.text,
    }
}

/// The error for data where something is written in place of something else.
fn check(good: &str, column: &SqlColumn, changes: &[(&str, &str, &str)]) {
    assert_eq!(told(good, column), "read");
    for (from, to, want) in changes {
        assert!(good.contains(from), "{from}");
        assert_eq!(told(&good.replace(from, to), column), *want, "{to}");
    }
}

#[test]
fn what_is_no_object() {
    let c = SqlColumn::new("c", SqlType::INT);
    let invalid = "Invalid JSON text in argument 1 to function UPDATE HISTOGRAM:";
    for (text, want) in [
        ("x", format!("{invalid} \"Invalid value.\" at position 0. JSON format error.")),
        ("", format!("{invalid} \"The document is empty.\" at position 0. JSON format error.")),
        ("[]", "JSON data is not an object".into()),
        ("null", "JSON data is not an object".into()),
    ] {
        assert_eq!(told(text, &c), want, "{text}");
    }
}

#[test]
fn attributes_are_missed_in_an_order() {
    let c = SqlColumn::new("c", SqlType::INT);
    let mut text = "{".to_owned();
    for (name, value) in [
        ("histogram-type", "\"singleton\""),
        ("data-type", "\"int\""),
        ("sampling-rate", "1.0"),
        ("number-of-buckets-specified", "3"),
        ("null-values", "0.0"),
        ("collation-id", "8"),
        ("buckets", "[]"),
    ] {
        let want = format!("Missing attribute at '{}'.", path(name));
        assert_eq!(told(&format!("{text}}}"), &c), want);
        let comma = if text == "{" { "" } else { ", " };
        text += &format!("{comma}\"{name}\": {value}");
    }
    assert_eq!(told(&format!("{text}}}"), &c), "read");
}

#[test]
fn attributes_that_are_wrong() {
    let (h, c) = of(SqlType::INT, &[1, 2, 3].map(DatumBuf::Int), 5);
    let data_type = "Histogram data type does not match column data type at '$.\"data-type\"'.";
    let frequency = "The frequency must be greater than or equal to 0 and less than or equal to 1 at '$.\"null-values\"'.";
    let rate = "The sampling rate must be greater than or equal to 0 and less than or equal to 1 at '$.\"sampling-rate\"'.";
    let asked = "The value of attribute number-of-buckets-specified must be an integer in the range from 1 to 1024 at '$.\"number-of-buckets-specified\"'.";
    let charset = "The charset ID does not exist at '$.\"collation-id\"'.";
    check(
        &text(&h, &c),
        &c,
        &[
            ("\"int\"", "\"double\"", data_type),
            ("\"int\"", "1", "Wrong attribute type at '$.\"data-type\"'."),
            ("singleton", "round", "Unsupported histogram type at '$.\"histogram-type\"'."),
            ("\"singleton\"", "1", "Wrong attribute type at '$.\"histogram-type\"'."),
            ("null-values\": 0.0", "null-values\": -0.1", frequency),
            (
                "null-values\": 0.0",
                "null-values\": 0",
                "Wrong attribute type at '$.\"null-values\"'.",
            ),
            ("rate\": 1.0", "rate\": 1.1", rate),
            ("rate\": 1.0", "rate\": 0.0", "read"),
            ("id\": 8", "id\": 2048", charset),
            ("id\": 8", "id\": -1", charset),
            ("id\": 8", "id\": 8.0", "Wrong attribute type at '$.\"collation-id\"'."),
            ("id\": 8", "id\": 33", "read"),
            ("specified\": 5", "specified\": 0", asked),
            ("specified\": 5", "specified\": 1025", asked),
            (
                "specified\": 5",
                "specified\": \"5\"",
                "Wrong attribute type at '$.\"number-of-buckets-specified\"'.",
            ),
            (
                "\"auto-update\": false",
                "\"auto-update\": 0",
                "Wrong attribute type at '$.\"auto-update\"'.",
            ),
            ("\"auto-update\": false, ", "", "read"),
            ("[[", "[\"x\", [", "Wrong attribute type at '$.buckets[0]'."),
        ],
    );
}

#[test]
fn buckets_of_one_value_that_are_wrong() {
    let (h, c) = of(SqlType::INT, &[1, 2, 3].map(DatumBuf::Int), 5);
    let frequency = "The frequency must be greater than or equal to 0 and less than or equal to 1 at '$.buckets[2][1]'.";
    let descends = "The cumulative frequency of bucket at '$.buckets[2][1]' must be greater than that of previous bucket.";
    let sum = "The sum of the null values fraction and the cumulative frequency of the last bucket should be 1.'";
    let many = "The number of real buckets must be less than or equal to the number specified by attribute number-of-buckets-specified.";
    check(
        &text(&h, &c),
        &c,
        &[
            ("[3, 1.0]", "[3]", "Two elements required for bucket at '$.buckets[2]'."),
            ("[3, 1.0]", "[\"x\", \"y\"]", "Wrong attribute type at '$.buckets[2][1]'."),
            ("[3, 1.0]", "[\"x\", 2.0]", "Wrong attribute type at '$.buckets[2][0]'."),
            ("[3, 1.0]", "[3.0, 1.0]", "Wrong attribute type at '$.buckets[2][0]'."),
            ("[3, 1.0]", "[3, 1]", "Wrong attribute type at '$.buckets[2][1]'."),
            ("[3, 1.0]", "[9999999999, 1.1]", frequency),
            (
                "[3, 1.0]",
                "[9999999999, 1.0]",
                "Out of range value for column at '$.buckets[2][0]'.",
            ),
            (
                "[3, 1.0]",
                "[2, 0.1]",
                "The value at '$.buckets[2][0]' must be greater than that of previous bucket.",
            ),
            ("[3, 1.0]", "[3, 0.1]", descends),
            ("[3, 1.0]", "[3, 0.9]", sum),
            ("0.0", "0.01", sum),
            ("specified\": 5", "specified\": 2", many),
        ],
    );
    let (none, c) = of(SqlType::INT, &[], 5);
    let nulls = "The null values fraction should be 0 or 1.";
    let empty = "Equi-height histogram must have at least one bucket";
    let changes =
        [("0.0", "1.0", "read"), ("0.0", "0.5", nulls), ("singleton", "equi-height", empty)];
    check(&text(&none, &c), &c, &changes);
}

#[test]
fn buckets_of_several_values_that_are_wrong() {
    let (h, c) = of(SqlType::INT, &[1, 2, 3, 4].map(DatumBuf::Int), 2);
    let frequency = "The frequency must be greater than or equal to 0 and less than or equal to 1 at '$.buckets[1][2]'.";
    let count = "The number of distinct values must be a positive integer at '$.buckets[1][3]'.";
    let bounds = "The lower inclusive value of bucket at '$.buckets[1][0]' must be less than or equal to upper inclusive value.";
    let before = "The lower inclusive value of bucket at '$.buckets[1][0]' must be greater than the upper inclusive value of previous bucket.";
    let last = "[3, 4, 1.0, 2]";
    check(
        &text(&h, &c),
        &c,
        &[
            (last, "[3, 4, 1.0]", "Four elements required for bucket at '$.buckets[1]'."),
            (last, "[3, 4, \"x\", \"y\"]", "Wrong attribute type at '$.buckets[1][2]'."),
            (last, "[\"x\", 4, 2.0, 2.0]", "Wrong attribute type at '$.buckets[1][3]'."),
            (last, "[\"x\", 4, 2.0, 0]", count),
            (last, "[9999999999, \"x\", 2.0, 2]", "Wrong attribute type at '$.buckets[1][1]'."),
            (last, "[9999999999, 4, 2.0, 2]", frequency),
            (
                last,
                "[3, 9999999999, 1.0, 2]",
                "Out of range value for column at '$.buckets[1][1]'.",
            ),
            (last, "[2, 1, 1.0, 2]", bounds),
            (last, "[2, 4, 0.1, 2]", before),
        ],
    );
}

/// The error for a value of a column.
fn of_value(ty: SqlType, value: &str) -> String {
    let c = SqlColumn::new("c", ty);
    let data_type = data_type(&ty).expect("a type with histograms");
    let text = format!(
        r#"{{"buckets": [[{value}, 1.0]], "data-type": "{data_type}", "null-values": 0.0, "collation-id": 255, "sampling-rate": 1.0, "histogram-type": "singleton", "number-of-buckets-specified": 1}}"#
    );
    told(&text, &c).replace(" at '$.buckets[0][0]'.", "")
}

#[test]
fn values_that_are_wrong() {
    let out = "Out of range value for column";
    let incorrect = |kind: &str, value: &str| {
        format!("Incorrect {kind} value: '{value}' for column 'c' at row 1 {out}")
    };
    let (wrong, misshapen) = ("Wrong attribute type", "Value format error");
    let (dt, time) = (SqlType::DateTime { fsp: 0 }, SqlType::Time { fsp: 0 });
    let text = SqlType::varchar(2, Collation::Utf8mb40900AiCi);
    let decimal = SqlType::decimal(5, 2);
    let cases = [
        (SqlType::UBIGINT, "-1", out),
        (SqlType::UBIGINT, "20000000000000000000", wrong),
        (SqlType::Bit { bits: 4 }, "16", out),
        (SqlType::Year, "1800", out),
        (SqlType::DOUBLE, "1", wrong),
        (SqlType::FLOAT, "1e300", out),
        (decimal, "\"1.5\"", wrong),
        (decimal, "7", "read"),
        (decimal, "1e100", misshapen),
        (decimal, "1000.0", out),
        (decimal, "1.555", out),
        (text, "1", wrong),
        (text, "\"YWI=\"", misshapen),
        (text, "\"base64:type15:YWI=\"", misshapen),
        (text, "\"base64:type254:YWI\"", misshapen),
        (text, "\"base64:type254:YWI=\"", "read"),
        (text, "\"base64:type254:YWIg\"", out),
        (text, "\"base64:type254:/w==\"", &incorrect("string", "\\xFF")),
        (SqlType::Date, "20200101", wrong),
        (SqlType::Date, "\"x\"", misshapen),
        (SqlType::Date, "\"14:48:11\"", misshapen),
        (SqlType::Date, "\"2020-01-01 00:00:00\"", out),
        (SqlType::Date, "\"2020-02-30\"", &incorrect("date", "2020-02-30")),
        (SqlType::Date, "\"0000-00-00\"", &incorrect("date", "0000-00-00")),
        (dt, "\"2020-01-01\"", "read"),
        (dt, "\"16:22:23.000000\"", misshapen),
        (dt, "\"2020-01-01 10:00:00.5\"", "read"),
        (dt, "\"0000-00-00 00:00:00.000\"", &incorrect("datetime", "0000-00-00 00:00:00")),
        (dt, "\"2020-02-00\"", &incorrect("datetime", "2020-02-00 00:00:00")),
        (time, "\"2020-01-01\"", misshapen),
        (time, "\"2020-01-01 10:00:00\"", out),
        (time, "\"839:00:00\"", misshapen),
        (time, "\"838:59:59\"", "read"),
        (time, "\"838:59:59.5\"", misshapen),
        (time, "\"10:61:00\"", misshapen),
    ];
    for (ty, value, want) in cases {
        assert_eq!(of_value(ty, value), want, "{ty:?} {value}");
    }
}
