//! Arrays of one SQL type: what `CAST(document AS type ARRAY)` makes, the list that a multi-valued index is over.
//!
//! A list's bytes are the key bytes of its elements, in ascending order and each once, as the engine wants them
//! ([`weir_engine::row::KeyPart::elements`]).
//!
//! Invariant: values that are equal as JSON have the same key, or none of them has one. So a search by an element's key finds all rows whose
//! document has an equal element, and perhaps others, which the condition leaves out. Where the conversion does not promise that (the text
//! of a number: `3` is `3.0`), rows are stored, but nothing is searched for ([`wanted`]). No setting of a session decides about a key.

use super::super::context::SqlMode;
use super::super::convert::only_spaces;
use super::super::store_ctx::StoreCtx;
use super::super::zone::TimeZone;
use super::super::{Collation, Decimal, EvalCtx, SqlType, Value, ValueError, Warnings};
use super::binary::{Item, View};
use super::convert::{from_text, from_value, is_integer};
use super::{Dom, Json};
use crate::errno;
use weir_engine::row::{DatumBuf, KeyPartType, PhysType, decode_datum, encode_datum};

/// What InnoDB takes of one row's array: so many values, and so many bytes of texts.
const MAX_VALUES: usize = 1605;
const MAX_BYTES: usize = 5354;

/// How a condition searches the elements of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// `value MEMBER OF (list)`.
    Member,
    /// `JSON_CONTAINS(list, value)`: all elements of the value.
    All,
    /// `JSON_OVERLAPS(list, value)`: any of them.
    Any,
}

/// The key part that an element is.
pub fn part_of(element: &SqlType) -> KeyPartType {
    KeyPartType::asc(element.phys(), true)
}

/// `CAST(v AS element ARRAY)`: the bytes of the list.
pub fn list(
    v: &Value<'_>,
    element: &SqlType,
    cx: &mut EvalCtx<'_>,
) -> Result<Value<'static>, ValueError> {
    let document = match v {
        Value::Null => return Ok(Value::Null),
        Value::Json(j) => j.borrow(),
        Value::Str(b, _) => {
            cx.work(b.len())?;
            let parsed = from_text(v, Some(cx.session))?;
            parsed.map_err(|e| e.in_argument(1, "cast_as_array"))?.to_json()?
        }
        _ => {
            return Err(ValueError::of(errno::ER_INVALID_TYPE_FOR_JSON, &[&"1", &"cast_as_array"]));
        }
    };
    let view = document.view();
    if view.is_object() {
        return Err(ValueError::of(
            errno::ER_NOT_SUPPORTED_YET,
            &[&"CAST-ing JSON OBJECT type to array"],
        ));
    }
    let mut keys = Vec::new();
    match view.is_array() {
        true => {
            for e in view.elements() {
                cx.work(64)?;
                keys.push(key_bytes(&of_item(e, element)?, element)?);
            }
        }
        false => keys.push(key_bytes(&of_item(view, element)?, element)?),
    }
    keys.sort_unstable();
    keys.dedup();
    check_size(&keys, element)?;
    Ok(Value::Bytes(keys.concat().into()))
}

/// 3905 and 3906, whose texts need the index's name: here is the number alone.
fn check_size(keys: &[Vec<u8>], element: &SqlType) -> Result<(), ValueError> {
    let over = |errno, n: usize| Err(ValueError::new(errno, n.to_string()));
    if keys.len() > MAX_VALUES {
        return over(errno::ER_EXCEEDED_MV_KEYS_NUM, keys.len() - MAX_VALUES);
    }
    // Behind each text are its mark and its end.
    let bytes: usize = keys.iter().map(|k| k.len().saturating_sub(3)).sum();
    match element.is_string() && bytes > MAX_BYTES {
        true => over(errno::ER_EXCEEDED_MV_KEYS_SPACE, bytes - MAX_BYTES),
        false => Ok(()),
    }
}

fn key_bytes(d: &DatumBuf, element: &SqlType) -> Result<Vec<u8>, ValueError> {
    let mut out = Vec::new();
    encode_datum(&part_of(element), d.as_ref(), &mut out).map_err(|_| out_of_range())?;
    Ok(out)
}

/// The message that the client gets names the index (`query::bind::key_values`).
fn refused(errno: u16) -> ValueError {
    ValueError::new(errno, "a value of an array")
}

fn invalid() -> ValueError {
    refused(errno::ER_INVALID_JSON_VALUE_FOR_CAST)
}

fn out_of_range() -> ValueError {
    refused(errno::ER_WARN_DATA_OUT_OF_RANGE)
}

/// A part of a document as an element.
fn of_item(view: View<'_>, element: &SqlType) -> Result<DatumBuf, ValueError> {
    let item = view.item();
    if matches!(item, Item::Array | Item::Object) {
        return Err(refused(errno::ER_WRONG_MVI_VALUE));
    }
    match *element {
        SqlType::Int { unsigned, .. } => integer(&item, unsigned),
        SqlType::Decimal { precision, scale, .. } => decimal(&item, precision, scale),
        SqlType::Varchar { chars, collation } => text(view, &item, chars as usize, collation),
        _ => temporal(&item, element),
    }
}

/// The number in an item, with all its digits: numbers that are equal as JSON are the same decimal. `None`: it is no number.
fn number(item: &Item<'_>) -> Option<Result<Decimal, ValueError>> {
    Some(match *item {
        Item::Int(n) => Ok(Decimal::from_i64(n)),
        Item::UInt(n) => Ok(Decimal::from_u64(n)),
        Item::Bool(b) => Ok(Decimal::from_i64(b.into())),
        Item::Double(x) => {
            Decimal::from_f64(x).map_err(|_| refused(errno::ER_NUMERIC_JSON_VALUE_OUT_OF_RANGE))
        }
        Item::Decimal(d) => Ok(d),
        _ => return None,
    })
}

fn integer(item: &Item<'_>, unsigned: bool) -> Result<DatumBuf, ValueError> {
    let n = match (item, number(item)) {
        (Item::Str(s), _) => return integer_in_text(s, unsigned),
        (_, Some(d)) => d?.round(0).ok().and_then(Decimal::to_i128).ok_or_else(out_of_range)?,
        (_, None) => return Err(invalid()),
    };
    let fits = match unsigned {
        true => u64::try_from(n).map(DatumBuf::UInt),
        false => i64::try_from(n).map(DatumBuf::Int),
    };
    // A number that no type of integer holds has another error than one that a larger type would hold.
    fits.map_err(|_| match item {
        Item::Double(_) => refused(errno::ER_NUMERIC_JSON_VALUE_OUT_OF_RANGE),
        _ => out_of_range(),
    })
}

/// The integer that a text is. As in MySQL one of the other signedness is taken by its bits.
fn integer_in_text(s: &[u8], unsigned: bool) -> Result<DatumBuf, ValueError> {
    let whole = Some(s).filter(|s| is_integer(s)).and_then(|s| std::str::from_utf8(s).ok());
    let n: i128 = whole.and_then(|s| s.trim().parse().ok()).ok_or_else(invalid)?;
    let bits = u64::try_from(n).or_else(|_| i64::try_from(n).map(|n| n as u64));
    let bits = bits.map_err(|_| invalid())?;
    Ok(if unsigned { DatumBuf::UInt(bits) } else { DatumBuf::Int(bits as i64) })
}

fn decimal(item: &Item<'_>, precision: u8, scale: u8) -> Result<DatumBuf, ValueError> {
    let d = match (item, number(item)) {
        (Item::Str(s), _) => {
            let parsed = Decimal::parse(s);
            if parsed.used == 0 || !only_spaces(&s[parsed.used..]) {
                return Err(invalid());
            }
            parsed.value.ok_or_else(out_of_range)?
        }
        (_, Some(d)) => d?,
        (_, None) => return Err(invalid()),
    };
    let fixed = d.round(scale).ok().and_then(|d| d.to_fixed(precision, scale));
    fixed.map(DatumBuf::Bytes).ok_or_else(out_of_range)
}

fn text(
    view: View<'_>,
    item: &Item<'_>,
    chars: usize,
    collation: Collation,
) -> Result<DatumBuf, ValueError> {
    let mut text = Vec::new();
    match item {
        Item::Null => return Err(invalid()),
        Item::Opaque(_, b) if collation.is_binary() => text.extend_from_slice(b),
        Item::Opaque(..) => return Err(invalid()),
        _ => view.write_unquoted(&mut text),
    }
    let keep = collation.prefix_bytes(&text, chars);
    if !only_spaces(&text[keep..]) {
        return Err(refused(errno::ER_DATA_TOO_LONG));
    }
    text.truncate(keep);
    Ok(DatumBuf::Bytes(text))
}

fn temporal(item: &Item<'_>, element: &SqlType) -> Result<DatumBuf, ValueError> {
    let cut = || refused(errno::ER_WARN_DATA_TRUNCATED);
    let dated = !matches!(element, SqlType::Time { .. });
    let v = match *item {
        Item::Null | Item::Opaque(..) => return Err(invalid()),
        // It has no day, and today's is no property of the document.
        Item::Time(_) if dated => return Err(cut()),
        Item::Time(t) => Value::Time(t),
        Item::Date(d) => Value::Date(d),
        Item::DateTime(d, _) => Value::DateTime(d),
        Item::Str(s) => Value::Str(s.into(), Collation::Utf8mb4Bin),
        Item::Double(x) => Value::Double(x),
        _ => Value::Decimal(number(item).ok_or_else(invalid)??),
    };
    let mut cx = StoreCtx {
        column: "",
        table: None,
        row: 1,
        strict: true,
        mode: SqlMode::default(),
        tz: TimeZone::UTC,
        now_micros: 0,
        warnings: &mut Warnings::with_limit(0),
        session: None,
    };
    element.store(&v, &mut cx).map_err(|_| cut())
}

/// The elements that rows are searched for by a condition; `None`: those that it holds for cannot be found by their elements.
pub fn wanted(by: Listed, v: &Value<'_>, element: &SqlType) -> Option<Vec<DatumBuf>> {
    let document: Json<'_> = match v {
        Value::Null => return Some(Vec::new()),
        Value::Json(j) => j.borrow(),
        v if by == Listed::Member => from_value(v).to_json().ok()?,
        Value::Str(..) => from_text(v, None).ok()?.ok()?.to_json().ok()?,
        _ => return None,
    };
    let view = document.view();
    if !view.is_array() {
        return searched(view, element).map(Vec::from_iter);
    }
    match by {
        Listed::Member => None,
        // All of them are in each row, so one is enough to find it.
        Listed::All => view.elements().find_map(|e| searched(e, element)).map(Vec::from_iter),
        Listed::Any => {
            let all: Option<Vec<_>> = view.elements().map(|e| searched(e, element)).collect();
            Some(all?.into_iter().flatten().collect())
        }
    }
}

/// The element that is equal to a part of a document, or none where no row can have it; `None`: its key does not tell.
fn searched(view: View<'_>, element: &SqlType) -> Option<Option<DatumBuf>> {
    let item = view.item();
    let numeric = matches!(item, Item::Int(_) | Item::UInt(_) | Item::Double(_) | Item::Decimal(_));
    let dated = matches!(item, Item::Date(_) | Item::Time(_) | Item::DateTime(..));
    let settled = match element {
        SqlType::Int { .. } | SqlType::Decimal { .. } => true,
        SqlType::Varchar { .. } => !numeric && !dated,
        _ => !numeric,
    };
    let known = settled && !matches!(item, Item::Array | Item::Object);
    known.then(|| of_item(view, element).ok())
}

/// A list as a JSON document, for messages.
pub fn shown(list: &[u8], element: &SqlType) -> Vec<u8> {
    let mut part = part_of(element);
    // Both kinds of texts have their bytes in a key as they are.
    if let PhysType::Var { max_bytes, .. } = part.ty {
        part.ty = PhysType::Var { collation: Collation::Binary, max_bytes };
    }
    let (mut elements, mut at) = (Vec::new(), 0);
    while let Some((d, len)) = decode_datum(&part, &list[at..]).filter(|_| at < list.len()) {
        elements.push(from_value(&element.load(d.as_ref(), TimeZone::UTC)));
        at += len;
    }
    let mut out = Vec::new();
    if let Ok(document) = Dom::Array(elements).to_json() {
        document.view().write_text(&mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::super::NoSession;
    use super::*;

    fn json(text: &str) -> Value<'static> {
        let v = Value::str(text);
        Value::Json(from_text(&v, None).unwrap().unwrap().to_json().unwrap())
    }

    fn listed(text: &str, element: SqlType) -> Result<String, u16> {
        let mut cx = EvalCtx::new(&NoSession);
        match list(&json(text), &element, &mut cx) {
            Ok(Value::Bytes(b)) => Ok(String::from_utf8(shown(&b, &element)).unwrap()),
            Ok(_) => Ok("NULL".into()),
            Err(e) => Err(e.errno),
        }
    }

    const CHAR: SqlType = SqlType::varchar(3, Collation::Utf8mb40900Bin);

    #[test]
    fn elements_become_values_of_their_type() {
        let (signed, unsigned) = (SqlType::LONG_INT, SqlType::LONG_UINT);
        let dec = SqlType::decimal(5, 2);
        for (text, element, want) in [
            ("[3, 1, 2, 1]", unsigned, Ok("[1, 2, 3]")),
            ("[]", unsigned, Ok("[]")),
            ("7", unsigned, Ok("[7]")),
            (r#"[1, "2", true, 1.5]"#, unsigned, Ok("[1, 2]")),
            ("[null]", unsigned, Err(3156)),
            ("null", unsigned, Err(3156)),
            (r#"["x"]"#, unsigned, Err(3156)),
            (r#"["12 "]"#, signed, Err(3156)),
            ("[-2]", unsigned, Err(1264)),
            ("[1e30]", unsigned, Err(3155)),
            ("[9223372036854775808]", signed, Err(1264)),
            ("[[1]]", unsigned, Err(3908)),
            (r#"{"a": 1}"#, unsigned, Err(1235)),
            (r#"[1.005, "3.5", 999.99]"#, dec, Ok("[1.01, 3.50, 999.99]")),
            ("[1000]", dec, Err(1264)),
            (r#"["abc"]"#, dec, Err(3156)),
            (r#"["b", "a", 3, "abc  "]"#, CHAR, Ok(r#"["3", "a", "abc", "b"]"#)),
            (r#"["abcd"]"#, CHAR, Err(1406)),
            (r#"["2020-02-31"]"#, SqlType::Date, Err(1265)),
            (r#"["2020-02-03"]"#, SqlType::Date, Ok(r#"["2020-02-03"]"#)),
        ] {
            assert_eq!(listed(text, element), want.map(str::to_owned), "{text} {element:?}");
        }
    }

    #[test]
    fn there_is_a_limit_to_values_and_to_their_bytes() {
        let numbers = |n: usize| format!("{:?}", (0..n).collect::<Vec<_>>());
        assert!(listed(&numbers(1605), SqlType::LONG_INT).is_ok());
        assert_eq!(listed(&numbers(1606), SqlType::LONG_INT), Err(3905));
        let texts: Vec<String> = (0..600).map(|n| format!("{n:010}")).collect();
        let ten = SqlType::varchar(10, Collation::Utf8mb40900Bin);
        assert_eq!(listed(&format!("{texts:?}"), ten), Err(3906));
    }

    #[test]
    fn searches_find_what_is_equal() {
        let n = |v: u64| Some(vec![DatumBuf::UInt(v)]);
        let u = SqlType::LONG_UINT;
        assert_eq!(wanted(Listed::Member, &json("5.0"), &u), n(5));
        assert_eq!(wanted(Listed::Member, &Value::Int(5), &u), n(5));
        assert_eq!(wanted(Listed::Member, &Value::str("x"), &u), Some(vec![]));
        assert_eq!(wanted(Listed::Member, &json("[5]"), &u), None);
        assert_eq!(wanted(Listed::All, &json("[[1], 7, 8]"), &u), n(7));
        assert_eq!(wanted(Listed::All, &json("[]"), &u), None);
        assert_eq!(wanted(Listed::Any, &json("[]"), &u), Some(vec![]));
        let both = Some(vec![DatumBuf::UInt(7), DatumBuf::UInt(8)]);
        assert_eq!(wanted(Listed::Any, &json(r#"[7, "x", 8]"#), &u), both);
        assert_eq!(wanted(Listed::Any, &json("[7, [8]]"), &u), None);
        assert_eq!(wanted(Listed::Member, &Value::Int(3), &CHAR), None, "3.0 is the same number");
    }
}
