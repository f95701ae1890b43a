//! SIGNAL, RESIGNAL and GET DIAGNOSTICS.

use super::frame::{Frame, state_of};
use crate::context::StatementCtx;
use crate::errno;
use crate::query::plan::code::Code;
use crate::session_api::SqlError;
use crate::value::{Collation, Level, Said, Value, Warning, Warnings};
use weir_syntax::ast::{
    ConditionItem, Diagnostics, Expr, GetDiagnostics, IntoVar, Signal, SignalItem, StatementItem,
};

/// How an expression is evaluated here.
type Evaluate<'e> = &'e dyn Fn(&Expr, &mut StatementCtx<'_>) -> Result<Value<'static>, SqlError>;

fn item_name(item: SignalItem) -> &'static str {
    match item {
        SignalItem::ClassOrigin => "CLASS_ORIGIN",
        SignalItem::SubclassOrigin => "SUBCLASS_ORIGIN",
        SignalItem::ConstraintCatalog => "CONSTRAINT_CATALOG",
        SignalItem::ConstraintSchema => "CONSTRAINT_SCHEMA",
        SignalItem::ConstraintName => "CONSTRAINT_NAME",
        SignalItem::CatalogName => "CATALOG_NAME",
        SignalItem::SchemaName => "SCHEMA_NAME",
        SignalItem::TableName => "TABLE_NAME",
        SignalItem::ColumnName => "COLUMN_NAME",
        SignalItem::CursorName => "CURSOR_NAME",
        SignalItem::MessageText => "MESSAGE_TEXT",
        SignalItem::MysqlErrno => "MYSQL_ERRNO",
    }
}

/// What SIGNAL or RESIGNAL in a program raises: the condition, and the error unless it is a warning.
pub fn raise(
    s: &Signal,
    taken: Option<&Warnings>,
    code: &Code,
    f: &Frame,
    cx: &mut StatementCtx<'_>,
) -> Result<(Warning, Option<SqlError>), SqlError> {
    signalled(s, taken, cx, &|e, cx| {
        let v = code.value_anew(e, &f.vars, cx)?;
        v.ok_or_else(|| SqlError::not_supported("subquery in SIGNAL"))
    })
}

/// The same, for any surroundings. `taken`: what the handler around it has taken.
pub fn signalled(
    s: &Signal,
    taken: Option<&Warnings>,
    cx: &mut StatementCtx<'_>,
    value: Evaluate<'_>,
) -> Result<(Warning, Option<SqlError>), SqlError> {
    let before = match (s.resignal, taken) {
        (false, _) => None,
        (true, Some(w)) => w.list().last(),
        (true, None) => {
            return Err(SqlError::of(errno::ER_RESIGNAL_WITHOUT_ACTIVE_HANDLER, &[]));
        }
    };
    let state = match (s.state, before) {
        (Some(state), _) => state,
        (None, Some(w)) => state_of(w),
        (None, None) => *b"HY000",
    };
    let (level, code, text) = match &state[..2] {
        b"01" => (Level::Warning, 1642, "Unhandled user-defined warning condition"),
        b"02" => (Level::Error, 1643, "Unhandled user-defined not found condition"),
        _ => (Level::Error, 1644, "Unhandled user-defined exception condition"),
    };
    // Without a state of its own what was a warning stays one, whatever its class.
    let level = match (s.state, before) {
        (None, Some(b)) => b.level,
        _ => level,
    };
    let mut w = match before {
        Some(b) if s.state.is_none() => b.clone(),
        _ => Warning { level, code, message: text.to_owned(), said: None },
    };
    if let (Some(b), Some(_)) = (before, s.state) {
        // RESIGNAL with a state of its own has that state's number, and keeps the text unless it says another.
        w.message = b.message.clone();
    }
    let mut said = w.said.take().map_or_else(Said::default, |b| *b);
    said.state = state;
    for (item, e) in &s.items {
        let v = value(e, cx)?;
        set_item(*item, &v, &mut w, &mut said, cx)?;
    }
    w.said = Some(Box::new(said));
    let error =
        (level == Level::Error).then(|| SqlError::with_state(w.code, state, w.message.clone()));
    Ok((w, error))
}

fn set_item(
    item: SignalItem,
    v: &Value<'_>,
    w: &mut Warning,
    said: &mut Said,
    cx: &mut StatementCtx<'_>,
) -> Result<(), SqlError> {
    let name = item_name(item);
    let bad = |v: &Value<'_>| {
        let text = v.to_string_lossy().unwrap_or_else(|| "NULL".to_owned());
        SqlError::of(errno::ER_WRONG_VALUE_FOR_VAR, &[&name, &text])
    };
    if v.is_null() {
        return Err(bad(v));
    }
    match item {
        SignalItem::MysqlErrno => {
            let n = v.to_u64(cx.changes.warnings).unwrap_or(0);
            w.code = u16::try_from(n).ok().filter(|n| *n > 0).ok_or_else(|| bad(v))?;
        }
        SignalItem::MessageText => {
            let text = v.to_string_lossy().unwrap_or_default();
            w.message = limited(text, 128, name, cx)?;
        }
        _ => {
            let text = v.to_string_lossy().unwrap_or_default();
            said.items.push((name, limited(text, 64, name, cx)?));
        }
    }
    Ok(())
}

/// 1648 for a text that is too long; outside of strict mode it is cut.
fn limited(
    text: String,
    most: usize,
    name: &str,
    cx: &mut StatementCtx<'_>,
) -> Result<String, SqlError> {
    if text.chars().count() <= most {
        return Ok(text);
    }
    let told = format!("Data too long for condition item '{name}'");
    if cx.reads.settings.mode.strict() {
        return Err(SqlError::new(errno::ER_COND_ITEM_TOO_LONG, told));
    }
    cx.changes.warnings.warn(errno::ER_COND_ITEM_TOO_LONG, || told);
    Ok(text.chars().take(most).collect())
}

/// 3004.
pub fn no_stacked() -> SqlError {
    SqlError::of(errno::ER_GET_STACKED_DA_WITHOUT_ACTIVE_HANDLER, &[])
}

/// What GET DIAGNOSTICS gives to its targets.
pub fn get_diagnostics(
    g: &GetDiagnostics,
    from: &Warnings,
    cx: &mut StatementCtx<'_>,
    value: impl Fn(&Expr, &mut StatementCtx<'_>) -> Result<Value<'static>, SqlError>,
) -> Result<Vec<(IntoVar, Value<'static>)>, SqlError> {
    let (number, items) = match &g.what {
        Diagnostics::Statement(items) => {
            let give = |(target, item): &(IntoVar, StatementItem)| {
                let v = match item {
                    StatementItem::Number => Value::Int(from.list().len() as i64),
                    StatementItem::RowCount => Value::Int(cx.reads.session.row_count()),
                };
                (target.clone(), v)
            };
            return Ok(items.iter().map(give).collect());
        }
        Diagnostics::Condition(e, items) => (value(e, cx)?, items),
    };
    let n = number.to_u64(cx.changes.warnings).unwrap_or(0);
    let found = usize::try_from(n).ok().and_then(|n| from.list().get(n.checked_sub(1)?));
    let Some(w) = found else {
        // As in MySQL this goes into the diagnostics area, and the targets stay as they are.
        cx.changes.warnings.add(Warning {
            level: Level::Error,
            code: errno::ER_DA_INVALID_CONDITION_NUMBER,
            message: "Invalid condition number".into(),
            said: None,
        });
        return Ok(Vec::new());
    };
    let text = |s: &str| Value::text(s.as_bytes().to_vec(), Collation::Utf8mb4GeneralCi);
    let give = |(target, item): &(IntoVar, ConditionItem)| {
        let state = state_of(w);
        let v = match item {
            ConditionItem::State => text(&String::from_utf8_lossy(&state)),
            ConditionItem::Of(SignalItem::MysqlErrno) => Value::Int(i64::from(w.code)),
            ConditionItem::Of(SignalItem::MessageText) => text(&w.message),
            ConditionItem::Of(item) => text(&said(w, *item, &state)),
        };
        (target.clone(), v)
    };
    Ok(items.iter().map(give).collect())
}

fn said(w: &Warning, item: SignalItem, state: &[u8; 5]) -> String {
    let name = item_name(item);
    let own = w.said.as_ref().and_then(|s| s.items.iter().find(|(n, _)| *n == name));
    if let Some((_, text)) = own {
        return text.clone();
    }
    match item {
        // The classes of the standard begin with 0 to 4 and A to H.
        SignalItem::ClassOrigin | SignalItem::SubclassOrigin => {
            let standard = matches!(state[0], b'0'..=b'4' | b'A'..=b'H');
            if standard { "ISO 9075" } else { "MySQL" }.to_owned()
        }
        _ => String::new(),
    }
}
