//! JSON_VALUE, and what it has in common with the columns of JSON_TABLE: a part of a document as a value of a SQL type.

use super::Ev;
use crate::func::json::too_much;
use crate::query::expr::json::{Missing, Otherwise, Wanted};
use crate::value::json::{self, Item, Json, View};
use crate::value::{Collation, SqlMode, SqlType, StoreCtx, TimeZone, Value, ValueError};

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
            [one] => typed(*one, &self.ty, ev.cx.mode, ev.cx.tz, ev.cx.now_micros),
            many if self.ty == SqlType::Json && self.path.is_wild() => {
                if too_much(&mut ev.cx, many, "json_value")? {
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
        match clause {
            Otherwise::Null => Ok(Value::Null),
            Otherwise::Default(v) => Ok(v.clone()),
            Otherwise::Error => Err(error(missing)),
        }
    }
}

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
    let text = || {
        let mut out = Vec::new();
        v.write_unquoted(&mut out);
        Value::Str(out.into(), Collation::Utf8mb4Bin)
    };
    let value = match item {
        Item::Null => return Ok(Value::Null),
        Item::Array | Item::Object => return Err(Missing::Container),
        _ if ty.is_string() => text(),
        // A date or time is no number, and a time no date; a text is an integer as a whole or not at all.
        Item::Date(_) | Item::Time(_) | Item::DateTime(..) if ty.is_numeric() => {
            return Err(Missing::Unfit);
        }
        Item::Time(_) if matches!(ty, SqlType::Date | SqlType::DateTime { .. }) => {
            return Err(Missing::Unfit);
        }
        Item::Str(s) if ty.is_integer() && !json::is_integer(s) => return Err(Missing::Unfit),
        Item::Bool(b) => Value::bool(b),
        Item::Int(n) => Value::Int(n),
        Item::UInt(n) => Value::UInt(n),
        Item::Double(x) => Value::Double(x),
        Item::Decimal(d) => Value::Decimal(d),
        Item::Date(d) => Value::Date(d),
        Item::Time(t) => Value::Time(t),
        Item::DateTime(d, _) => Value::DateTime(d),
        Item::Str(_) | Item::Opaque(..) => text(),
    };
    as_stored(&value, ty, mode, tz, now_micros).map_err(|_| Missing::Unfit)
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

/// JSON_VALUE(doc, path ...).
pub fn json_value<'v>(
    doc: Value<'v>,
    wanted: &Wanted,
    ev: &mut Ev<'_>,
) -> Result<Value<'v>, ValueError> {
    let Some(doc) = document(doc, "json_value", ev)? else { return Ok(Value::Null) };
    wanted.get(doc.view(), ev, |missing| match missing {
        Missing::Empty => {
            let text = "No value was found by 'json_value' on the specified path.";
            ValueError::new(3966, "22035", text.into())
        }
        Missing::Many => {
            let text = "More than one value was found by 'json_value' on the specified path.";
            ValueError::new(3967, "22034", text.into())
        }
        Missing::Container | Missing::Unfit => {
            let to = wanted.ty.name().to_uppercase();
            let text =
                format!("Invalid JSON value for CAST to {to} from column json_value at row 1");
            ValueError::new(3156, "22018", text)
        }
    })
}
