//! Properties of the binary form, the text and the order; MySQL's messages.

use super::super::{Date, DateTime, Decimal, EvalCtx, NoSession, Time};
use super::*;
use proptest::prelude::*;
use std::cmp::Ordering;

fn json(text: &str) -> Json<'static> {
    parse(text.as_bytes()).expect("valid").to_json().expect("fits")
}

fn shown(text: &str) -> String {
    String::from_utf8(json(text).to_text()).expect("UTF-8")
}

fn leaves() -> impl Strategy<Value = Dom> {
    let decimal =
        |(n, scale): (i64, u8)| Dom::Decimal(Box::new(Decimal::from_i128(i128::from(n), scale)));
    let day = || Date::new(2024, 2, 29);
    prop_oneof![
        Just(Dom::Null),
        any::<bool>().prop_map(Dom::Bool),
        any::<i64>().prop_map(Dom::Int),
        (-3i64..4).prop_map(Dom::Int),
        any::<i32>().prop_map(|n| Dom::Int(i64::from(n))),
        any::<u64>().prop_map(Dom::UInt),
        (0u64..3).prop_map(Dom::UInt),
        prop::num::f64::NORMAL.prop_map(Dom::Double),
        (-3i8..4).prop_map(|n| Dom::Double(f64::from(n) / 2.0)),
        (any::<i64>(), 0u8..12).prop_map(decimal),
        (-30i64..30, 0u8..2).prop_map(decimal),
        ".{0,12}".prop_map(|s| Dom::str(s.as_bytes())),
        Just(Dom::Date(day())),
        any::<i32>().prop_map(|n| Dom::Time(Time::from_micros(i64::from(n), 6))),
        any::<bool>().prop_map(move |b| Dom::DateTime(Box::new((
            DateTime { fsp: 6, ..day().at_midnight() },
            b
        )))),
        (
            prop_oneof![Just(15u8), Just(16), Just(252), Just(254)],
            prop::collection::vec(any::<u8>(), 0..5)
        )
            .prop_map(|(ty, b)| Dom::Opaque(ty, b.into())),
    ]
}

fn doms() -> impl Strategy<Value = Dom> {
    leaves().prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Dom::Array),
            prop::collection::vec(("[ab]{0,3}", inner), 0..6).prop_map(|list| {
                Dom::object(list.into_iter().map(|(k, v)| (k.as_bytes().into(), v)).collect())
            }),
        ]
    })
}

/// As text holds it: what text cannot tell apart is what parsing makes of it.
fn has_text_form(d: &Dom) -> bool {
    match d {
        Dom::Array(list) => list.iter().all(has_text_form),
        Dom::Object(list) => list.iter().all(|(_, v)| has_text_form(v)),
        Dom::Null | Dom::Bool(_) | Dom::Str(_) | Dom::Double(_) => true,
        Dom::Int(n) => *n <= i64::from(u32::MAX),
        Dom::UInt(n) => *n > u64::from(u32::MAX),
        _ => false,
    }
}

proptest! {
    #[test]
    fn binary_form_keeps_everything(d in doms()) {
        let j = d.to_json().expect("fits");
        prop_assert_eq!(&j.view().to_dom(), &d);
        prop_assert_eq!(j.view().to_json(), j);
    }

    #[test]
    fn text_keeps_what_json_has(d in doms()) {
        let text = d.to_json().expect("fits").to_text();
        let again = parse(&text).expect("printed text is JSON");
        // What is printed once is printed the same again.
        if has_text_form(&d) {
            prop_assert_eq!(&again, &d);
            prop_assert_eq!(again.to_json().expect("fits").to_text(), text);
        }
    }

    #[test]
    fn order_is_total_and_agrees_with_keys(a in doms(), b in doms(), c in doms()) {
        let (a, b, c) = (a.to_json().unwrap(), b.to_json().unwrap(), c.to_json().unwrap());
        let (a, b, c) = (a.view(), b.view(), c.view());
        prop_assert_eq!(compare(a, a), Ordering::Equal);
        prop_assert_eq!(compare(a, b), compare(b, a).reverse());
        let mut three = [a, b, c];
        three.sort_by(|x, y| compare(*x, *y));
        prop_assert_ne!(compare(three[0], three[2]), Ordering::Greater);
        let key = |v| { let mut k = Vec::new(); canonical(v, &mut k); k };
        prop_assert_eq!(compare(a, b) == Ordering::Equal, key(a) == key(b));
    }

    #[test]
    fn numbers_are_in_one_order(list in prop::collection::vec(leaves(), 3..8)) {
        let list: Vec<Json<'_>> = list.iter().map(|d| d.to_json().unwrap()).collect();
        for a in &list { for b in &list { for c in &list {
            let (x, y) = (compare(a.view(), b.view()), compare(b.view(), c.view()));
            if x != Ordering::Greater && y != Ordering::Greater {
                prop_assert_ne!(compare(a.view(), c.view()), Ordering::Greater);
            }
        }}}
    }

    #[test]
    fn damaged_bytes_end(mut bytes in prop::collection::vec(any::<u8>(), 0..60), ty in 0u8..16) {
        if let Some(b) = bytes.first_mut() { *b = ty; }
        let j = Json::from_bytes(bytes);
        j.view().write_text(&mut Vec::new());
        j.view().depth();
        canonical(j.view(), &mut Vec::new());
    }

    #[test]
    fn anything_parses_or_says_where(text in "[\\[\\]{}:,\"a0\\\\u1e.+-]{0,24}") {
        if let Err(ParseError::Syntax(_, at)) = parse(text.as_bytes()) {
            prop_assert!(at <= text.len());
        }
    }

    #[test]
    fn paths_parse_or_say_where(text in "\\$?[\\[\\].*a1\" to-]{0,16}") {
        if let Err(PathError(at)) = Path::parse(text.as_bytes()) {
            prop_assert!(at <= text.len());
        }
    }

    #[test]
    fn what_is_put_is_found(mut d in doms(), name in "[ab]{0,3}", i in 0u32..4) {
        let path = Path { legs: vec![Leg::Member(name.as_bytes().into()), Leg::Cell(Cell { n: i, from_end: false })] };
        if let Some(at) = place_mut(&mut d, &path.legs) {
            *at = Dom::str(b"new");
            let j = d.to_json().unwrap();
            let mut cx = EvalCtx::new(&NoSession);
            let found = find(j.view(), &path, &mut cx).unwrap();
            prop_assert_eq!(found.len(), 1);
            prop_assert_eq!(found[0].to_dom(), Dom::str(b"new"));
            prop_assert_eq!(find_first(j.view(), &path, &mut cx).unwrap().unwrap().to_dom(), Dom::str(b"new"));
        }
    }
}

#[test]
fn text_is_normalized() {
    let cases = [
        (r#" {"bb":1,"a":[ ],"c":{ } , "a" : 2}"#, r#"{"a": 2, "c": {}, "bb": 1}"#),
        (
            "[1.0, 1e20, -0, 0.1, 1E-7, 18446744073709551615, 18446744073709551616]",
            "[1.0, 1e20, 0, 0.1, 0.0000001, 18446744073709551615, 1.8446744073709552e19]",
        ),
        (r#""\u00e4\ud83d\ude00\/\n\u0001\"""#, "\"ä😀/\\n\\u0001\\\"\""),
        (
            "[-9223372036854775808, -9223372036854775809]",
            "[-9223372036854775808, -9.223372036854776e18]",
        ),
    ];
    for (text, want) in cases {
        assert_eq!(shown(text), want, "{text}");
    }
}

#[test]
fn bad_text_is_told_as_mysql_does() {
    let cases = [
        ("", "The document is empty.", 0),
        ("  ", "The document is empty.", 2),
        ("1 2", "The document root must not be followed by other values.", 2),
        ("[1 2]", "Missing a comma or ']' after an array element.", 3),
        ("{\"a\" 1}", "Missing a colon after a name of object member.", 5),
        ("{\"a\":1 \"b\"}", "Missing a comma or '}' after an object member.", 7),
        ("{a:1}", "Missing a name for object member.", 1),
        ("[1,]", "Invalid value.", 3),
        ("nul", "Invalid value.", 3),
        ("abc", "Invalid value.", 0),
        ("1.", "Miss fraction part in number.", 2),
        ("1e", "Miss exponent in number.", 2),
        ("1e400", "Number too big to be stored in double.", 0),
        ("\"abc", "Missing a closing quotation mark in string.", 4),
        ("\"a\nb\"", "Invalid encoding in string.", 2),
        ("\"a\\x\"", "Invalid escape character in string.", 2),
        ("\"\\u12g4\"", "Incorrect hex digit after \\u escape in string.", 1),
        ("\"\\ud800\"", "The surrogate pair in string is invalid.", 1),
        ("\"\\udc00\"", "The surrogate pair in string is invalid.", 1),
    ];
    for (text, what, at) in cases {
        assert_eq!(parse(text.as_bytes()), Err(ParseError::Syntax(what, at)), "{text}");
    }
    let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
    assert_eq!(parse(deep(101).as_bytes()), Err(ParseError::TooDeep));
    assert_eq!(parse("[".repeat(1_000_000).as_bytes()), Err(ParseError::TooDeep));
    assert_eq!(json(&deep(100)).view().depth(), 100);
    let digits = "9".repeat(400);
    let too_big = "Number too big to be stored in double.";
    assert_eq!(parse(digits.as_bytes()), Err(ParseError::Syntax(too_big, 0)));
    let name = |n: usize| format!("{{\"{}\": 1}}", "k".repeat(n));
    assert_eq!(parse(name(70_000).as_bytes()).unwrap().to_json().expect_err("long").errno, 3151);
    assert_eq!(json(&name(65_535)).view().len(), 1);
}

#[test]
fn sizes_are_mysqls() {
    let size = |text: &str| json(text).as_bytes().len();
    // From the manual's page on JSON_STORAGE_SIZE.
    assert_eq!(size(r#"{"a": 1000, "b": "wxyz", "c": "[1, 3, 5, 7]"}"#), 47);
    assert_eq!(size(r#"{"a": 1000, "b": "wxyz", "c": [1, 3, 5, 7]}"#), 50);
    assert_eq!(size(r#"[100, "sakila", [1, 3, 5], 425.05]"#), 45);
    assert_eq!(size(r#"{"a": 1000, "b": "a", "c": "[1, 3, 5, 7]"}"#), 44);
}

#[test]
fn types_and_numbers_are_ordered() {
    let ascending = [
        "null",
        "-1.5",
        "0",
        "0.5",
        "1",
        "9223372036854775807",
        "9223372036854775808",
        "1e300",
        "\"\"",
        "\"a\"",
        "\"b\"",
        "{}",
        "{\"a\": 1}",
        "{\"a\": 1, \"b\": 0}",
        "[]",
        "[1]",
        "[1, 0]",
        "[2]",
        "false",
        "true",
    ];
    for w in ascending.windows(2) {
        assert_eq!(compare(json(w[0]).view(), json(w[1]).view()), Ordering::Less, "{w:?}");
    }
    assert_eq!(compare(json("1").view(), json("1.0").view()), Ordering::Equal);
    let tenth = Dom::Decimal(Box::new(Decimal::from_i128(10, 2))).to_json().unwrap();
    assert_eq!(compare(tenth.view(), json("0.1").view()), Ordering::Equal);
}

#[test]
fn paths() {
    let bad = |text: &str| Path::parse(text.as_bytes()).expect_err(text).0;
    assert_eq!(bad(""), 0);
    assert_eq!(bad("a"), 1);
    assert_eq!(bad("$a"), 1);
    assert_eq!(bad("$."), 2);
    assert_eq!(bad("$**"), 3);
    assert_eq!(bad("$[1"), 3);
    assert_eq!(bad("$[a]"), 2);
    assert_eq!(bad("$.1"), 3);
    assert_eq!(bad("$[3 to 2]"), 8);
    assert_eq!(bad("$[99999999999]"), 2);
    let doc = json(r#"{"a": [1, 2, {"b": 3}], "c d": {"b": 4}, "b": 5}"#);
    let mut cx = EvalCtx::new(&NoSession);
    let mut at = |path: &str| {
        let path = Path::parse(path.as_bytes()).expect(path);
        let found = find(doc.view(), &path, &mut cx).expect("no error");
        let texts = found.iter().map(|v| String::from_utf8(v.to_json().to_text()).unwrap());
        texts.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(at("$.a[0]"), "1");
    assert_eq!(at("$.a[last]"), "{\"b\": 3}");
    assert_eq!(at("$.a[last-1]"), "2");
    assert_eq!(at("$ . a [ 0 to last - 1 ]"), "1 2");
    assert_eq!(at("$.a[5 to 7]"), "");
    assert_eq!(at("$.\"c d\".b"), "4");
    assert_eq!(at("$**.b"), "5 3 4");
    assert_eq!(at("$.*[0]"), "1 5 {\"b\": 4}");
    assert_eq!(at("$.b[0][last][0 to 3]"), "5");
    assert_eq!(at("$.b[1]"), "");
    assert_eq!(at("$.b[*]"), "");
    assert_eq!(at("$.a[*]"), "1 2 {\"b\": 3}");
    assert_eq!(at("$"), String::from_utf8(doc.to_text()).unwrap());
}

/// Each `**` comes to every part on many ways; each part counts once.
#[test]
fn ellipses_do_not_multiply() {
    let deep = format!("{}1{}", "{\"a\": ".repeat(90), "}".repeat(90));
    let doc = json(&deep);
    let path = Path::parse(format!("${}", "**.a".repeat(60)).as_bytes()).expect("a path");
    let mut cx = EvalCtx::new(&NoSession);
    assert_eq!(find(doc.view(), &path, &mut cx).expect("no error").len(), 31);
}
