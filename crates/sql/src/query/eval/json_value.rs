//! JSON_VALUE, and what it has in common with the columns of JSON_TABLE: a part of a document as a value of a SQL type.

use super::Ev;
use crate::errno;
use crate::func::json::too_much;
use crate::query::expr::json::{Missing, Otherwise, Wanted};
use crate::value::json::{self, Item, Json, View};
use crate::value::{
    Class, Collation, Decimal, SqlMode, SqlType, StoreCtx, TimeZone, Value, ValueError,
};

impl Wanted {
    /// The value, or what the clauses say; `error` names what they do not catch.
    pub fn get(
        &self,
        doc: View<'_>,
        ev: &mut Ev<'_>,
        error: impl FnOnce(Missing) -> ValueError,
    ) -> Result<Value<'static>, ValueError> {
        let found = json::find(doc, &self.path, &mut ev.cx)?;
        let value = match &found[..] {
            [] => Err(Missing::Empty),
            [one] => self.value(*one, ev),
            many if self.of_table && self.ty == SqlType::Json && self.path.is_wild() => {
                if too_much(&mut ev.cx, many, "json_table")? {
                    return Ok(Value::Null);
                }
                let list = json::Dom::Array(many.iter().map(|v| v.to_dom()).collect());
                return list.to_json().map(Value::Json);
            }
            _ => Err(Missing::Many),
        };
        let missing = match value {
            Ok(v) => return Ok(v),
            Err(m) => m,
        };
        let clause = if missing == Missing::Empty { &self.on_empty } else { &self.on_error };
        clause.value(|| error(missing))
    }

    fn value(&self, v: View<'_>, ev: &Ev<'_>) -> Result<Value<'static>, Missing> {
        let (mode, tz, now_micros) = (ev.cx.mode, ev.cx.tz, ev.cx.now_micros);
        let container = matches!(v.item(), Item::Array | Item::Object);
        if container && !self.of_table && self.ty.is_string() {
            return as_stored(&text_of(v), &self.ty, mode, tz, now_micros)
                .map_err(|_| Missing::Unfit);
        }
        typed(v, &self.ty, mode, tz, now_micros)
    }
}

impl Otherwise {
    fn value(&self, error: impl FnOnce() -> ValueError) -> Result<Value<'static>, ValueError> {
        match self {
            Otherwise::Null => Ok(Value::Null),
            Otherwise::Default(v) => Ok(v.clone()),
            Otherwise::Error => Err(error()),
        }
    }
}

fn text_of(v: View<'_>) -> Value<'static> {
    let mut out = Vec::new();
    v.write_unquoted(&mut out);
    Value::Str(out.into(), Collation::Utf8mb4Bin)
}

/// The number of a text that is no JSON.
const NO_DOCUMENT: u16 = errno::ER_INVALID_JSON_TEXT_IN_PARAM;

/// A part as a value of the type; JSON's `null` is NULL.
pub fn typed(
    v: View<'_>,
    ty: &SqlType,
    mode: SqlMode,
    tz: TimeZone,
    now_micros: i64,
) -> Result<Value<'static>, Missing> {
    let item = v.item();
    if *ty == SqlType::Json && !matches!(item, Item::Null) {
        return Ok(Value::Json(v.to_json()));
    }
    let value = match item {
        Item::Null => return Ok(Value::Null),
        Item::Array | Item::Object => return Err(Missing::Container),
        _ if ty.is_string() => text_of(v),
        // A date or time is no number, and a time no date; a text is an integer as a whole or not at all.
        Item::Date(_) | Item::Time(_) | Item::DateTime(..) if ty.is_numeric() => {
            return Err(Missing::Unfit);
        }
        Item::Time(_) if matches!(ty, SqlType::Date | SqlType::DateTime { .. }) => {
            return Err(Missing::Unfit);
        }
        Item::Str(s) if ty.is_numeric() && !is_number(s, ty) => return Err(Missing::NoNumber),
        Item::Bool(b) => Value::bool(b),
        Item::Int(n) => Value::Int(n),
        Item::UInt(n) => Value::UInt(n),
        Item::Double(x) => Value::Double(x),
        Item::Decimal(d) => Value::Decimal(d),
        Item::Date(d) => Value::Date(d),
        Item::Time(t) => Value::Time(t),
        Item::DateTime(d, _) => Value::DateTime(d),
        Item::Str(_) | Item::Opaque(..) => text_of(v),
    };
    as_stored(&value, ty, mode, tz, now_micros).map_err(|_| Missing::Unfit)
}

/// Whether a text is a number of such a type as a whole.
fn is_number(text: &[u8], ty: &SqlType) -> bool {
    match ty.class() {
        Class::Int => json::is_integer(text),
        _ => {
            let text = text.trim_ascii();
            Decimal::parse(text).used == text.len() && !text.is_empty()
        }
    }
}

/// A value as a column of the type holds it.
pub fn as_stored(
    v: &Value<'_>,
    ty: &SqlType,
    mode: SqlMode,
    tz: TimeZone,
    now_micros: i64,
) -> Result<Value<'static>, ValueError> {
    let mut warnings = crate::value::Warnings::with_limit(0);
    let mut sx = StoreCtx {
        column: "",
        table: None,
        row: 1,
        strict: true,
        mode,
        tz,
        now_micros,
        warnings: &mut warnings,
        session: None,
    };
    let datum = ty.store(v, &mut sx)?;
    Ok(ty.load(datum.as_ref(), tz).into_owned())
}

/// The document of JSON_VALUE or JSON_TABLE. None: NULL.
pub fn document<'v>(
    v: Value<'v>,
    function: &str,
    ev: &mut Ev<'_>,
) -> Result<Option<Json<'v>>, ValueError> {
    match v {
        Value::Null => Ok(None),
        Value::Json(j) => Ok(Some(j)),
        Value::Str(ref b, _) | Value::Bytes(ref b) => {
            ev.cx.work(b.len())?;
            let dom = json::from_text(&v, Some(ev.cx.session))?
                .map_err(|e| e.in_argument(1, function))?;
            dom.to_json().map(Some)
        }
        _ => Err(crate::func::json::no_json(1, function)),
    }
}

/// JSON_VALUE(doc, path ...). A text that is no document is for ON ERROR to decide, which tells of it.
pub fn json_value<'v>(
    doc: Value<'v>,
    wanted: &Wanted,
    ev: &mut Ev<'_>,
) -> Result<Value<'v>, ValueError> {
    let doc = match document(doc, "json_value", ev) {
        Ok(Some(doc)) => doc,
        Ok(None) => return Ok(Value::Null),
        Err(e) if e.errno == NO_DOCUMENT && !matches!(wanted.on_error, Otherwise::Error) => {
            ev.cx.warnings.demote(e.clone());
            return wanted.on_error.value(|| e);
        }
        Err(e) => return Err(e),
    };
    wanted.get(doc.view(), ev, |missing| match missing {
        Missing::Empty => ValueError::of(errno::ER_MISSING_JSON_VALUE, &[&"json_value"]),
        Missing::Many => ValueError::of(errno::ER_MULTIPLE_JSON_VALUES, &[&"json_value"]),
        Missing::Container | Missing::Unfit | Missing::NoNumber => {
            ValueError::out_of_range(wanted.ty.returned_name(), "json_value")
        }
    })
}

/// A DEFAULT as a value of the type, of which it has to be one exactly.
pub fn default_value(
    v: &Value<'_>,
    ty: &SqlType,
    mode: SqlMode,
    tz: TimeZone,
    now_micros: i64,
) -> Result<Value<'static>, ValueError> {
    let text = || String::from_utf8_lossy(&v.to_bytes().unwrap_or_default()).into_owned();
    if *ty == SqlType::Json {
        let dom = json::from_text(v, None)?.map_err(|e| e.in_argument(1, "json_value"))?;
        return dom.to_json().map(Value::Json);
    }
    if ty.is_integer() && !json::is_integer(&v.to_bytes().unwrap_or_default()) {
        let kind = format!("INTEGER {}", ty.returned_name());
        return Err(ValueError::truncated_wrong(&kind, &text()));
    }
    let out_of_range = || {
        let kind = match ty {
            SqlType::Year => "YEAR".into(),
            SqlType::DateTime { .. } => "TIME DEFAULT".into(),
            _ if ty.is_string() => "CHAR DEFAULT".into(),
            _ => format!("{} DEFAULT", ty.returned_name()),
        };
        ValueError::out_of_range(&kind, "json_value")
    };
    let stored = as_stored(v, ty, mode, tz, now_micros);
    let exact = exact_type(ty);
    let same = |value: &Value<'_>| {
        let whole = exact.and_then(|ty| as_stored(v, &ty, mode, tz, now_micros).ok());
        whole.is_none_or(|whole| same_value(value, &whole))
    };
    match stored {
        Ok(Value::Int(1..=1900)) if *ty == SqlType::Year => Err(out_of_range()),
        Ok(value) if same(&value) => Ok(value),
        Ok(_) => Err(out_of_range()),
        Err(e)
            if matches!(e.errno, errno::ER_WARN_DATA_OUT_OF_RANGE | errno::ER_DATA_TOO_LONG)
                || ty.is_string() =>
        {
            Err(out_of_range())
        }
        Err(_) => Err(match ty {
            SqlType::DateTime { .. } => {
                let text = format!("Incorrect datetime value: '{}'", text());
                ValueError::new(errno::ER_TRUNCATED_WRONG_VALUE, text)
            }
            SqlType::Date => ValueError::truncated_wrong("date", &text()),
            SqlType::Time { .. } => ValueError::truncated_wrong("time", &text()),
            SqlType::Float { .. } => ValueError::truncated_wrong("DOUBLE", &text()),
            _ => ValueError::truncated_wrong(ty.returned_name(), &text()),
        }),
    }
}

/// The type that holds what this one rounds.
fn exact_type(ty: &SqlType) -> Option<SqlType> {
    match ty {
        SqlType::Decimal { .. } => Some(SqlType::decimal(65, 30)),
        SqlType::Time { .. } => Some(SqlType::Time { fsp: 6 }),
        SqlType::DateTime { .. } => Some(SqlType::DateTime { fsp: 6 }),
        _ => None,
    }
}

fn same_value(a: &Value<'_>, b: &Value<'_>) -> bool {
    match (a, b) {
        (Value::Decimal(a), Value::Decimal(b)) => a == b,
        (Value::Time(a), Value::Time(b)) => a == b,
        (Value::DateTime(a), Value::DateTime(b)) => a == b,
        _ => true,
    }
}
