//! Functions that build documents and texts of them.

use super::super::{FuncCtx, Out};
use super::{as_text, doc, pairs, tree, written, wrong_type};
use crate::errno;
use crate::func::string::too_big;
use crate::value::json::{self, Dom, from_value};
use crate::value::{Collation, Value, ValueError};

pub fn array(_: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    written(Dom::Array(args.iter().map(from_value).collect()))
}

/// 3158.
pub fn null_name() -> ValueError {
    ValueError::of(errno::ER_JSON_DOCUMENT_NULL_KEY, &[])
}

/// The name of a member.
pub fn name(v: &Value<'_>) -> Result<json::Key, ValueError> {
    let text = v.to_text_in(Collation::Utf8mb4Bin).ok_or_else(null_name)?;
    match std::str::from_utf8(&text) {
        Ok(_) => Ok(text.into_owned().into()),
        Err(_) => Err(json::binary()),
    }
}

pub fn object(_: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    pairs(args, 0, "json_object")?;
    let mut members = Vec::with_capacity(args.len() / 2);
    for pair in args.chunks_exact(2) {
        members.push((name(&pair[0])?, from_value(&pair[1])));
    }
    written(Dom::object(members))
}

pub fn quote(_: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    match &args[0] {
        Value::Null => Ok(Value::Null),
        Value::Bytes(_) => Err(json::binary()),
        v @ Value::Str(..) => {
            let mut out = Vec::new();
            json::quote(&v.to_text_in(Collation::Utf8mb4Bin).unwrap_or_default(), &mut out);
            Ok(as_text(out))
        }
        _ => Err(wrong_type(1, "json_quote")),
    }
}

/// A JSON string without its quotes; any other text as it is.
pub fn unquote(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    match &args[0] {
        Value::Null => Ok(Value::Null),
        Value::Json(j) => {
            let mut out = Vec::new();
            j.view().write_unquoted(&mut out);
            Ok(as_text(out))
        }
        Value::Bytes(_) => Err(json::binary()),
        v @ Value::Str(..) => {
            let text = v.to_text_in(Collation::Utf8mb4Bin).unwrap_or_default();
            if text.len() < 2 || !text.starts_with(b"\"") || !text.ends_with(b"\"") {
                return Ok(as_text(text.into_owned()));
            }
            match cx
                .looking(|look| json::parse_looking(&text, look))?
                .map_err(|e| e.in_argument(1, "json_unquote"))?
            {
                Dom::Str(s) => Ok(as_text(s.into())),
                _ => Ok(as_text(text.into_owned())),
            }
        }
        _ => Err(wrong_type(1, "json_unquote")),
    }
}

pub fn pretty(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(doc) = doc(cx, args, 0, "json_pretty")? else { return Ok(Value::Null) };
    let mut out = Vec::new();
    // Ends where the result is too long: the spaces alone may be a hundred times the document.
    json::pretty(doc.view(), 0, &mut out, cx)?;
    Ok(match too_big(cx, out.len(), "json_pretty")? {
        true => Value::Null,
        false => as_text(out),
    })
}

pub fn merge_preserve(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    merged(cx, args, "json_merge_preserve")
}

/// The old name, with warning 1287.
pub fn merge(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let text = "'JSON_MERGE' is deprecated and will be removed in a future release. Please use JSON_MERGE_PRESERVE/JSON_MERGE_PATCH instead";
    cx.warnings.warn(errno::ER_WARN_DEPRECATED_SYNTAX, || text.into());
    merged(cx, args, "json_merge")
}

/// Every argument is looked at, so that a bad document is an error beside a NULL, too.
fn merged(cx: &mut FuncCtx<'_>, args: &[Value<'_>], function: &str) -> Out {
    let (mut out, mut null) = (None, false);
    for i in 0..args.len() {
        match (tree(cx, args, i, function)?, out.take()) {
            (Some(d), None) => out = Some(d),
            (Some(d), Some(before)) => out = Some(json::merge_preserve(before, d, cx)?),
            (None, before) => (null, out) = (true, before),
        }
    }
    match out {
        Some(d) if !null => written(d),
        _ => Ok(Value::Null),
    }
}

/// NULL is an unknown document: what is patched by it is unknown, until a patch that is no object replaces all.
pub fn merge_patch(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let mut out = tree(cx, args, 0, "json_merge_patch")?;
    for i in 1..args.len() {
        out = match (out, tree(cx, args, i, "json_merge_patch")?) {
            (_, None) => None,
            (None, Some(Dom::Object(_))) => None,
            (None, Some(patch)) => Some(patch),
            (Some(target), Some(patch)) => Some(json::merge_patch(target, patch, cx)?),
        };
    }
    out.map_or(Ok(Value::Null), written)
}
