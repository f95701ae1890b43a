//! Functions that look into a document.

use super::super::{FuncCtx, Out};
use super::{doc, part, path, written};
use crate::func::string::too_big;
use crate::value::json::{self, Dom, Item, Path, View, is_blob};
use crate::value::types::protocol::column_type;
use crate::value::{Value, ValueError};

/// Bytes of an array's entry, at least.
const ENTRY: usize = 3;

/// One part for one path without wildcards, else an array of all.
pub fn extract(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(doc) = doc(cx, args, 0, "json_extract")? else { return Ok(Value::Null) };
    let mut paths = Vec::with_capacity(args.len() - 1);
    for i in 1..args.len() {
        match path(args, i)? {
            Some(p) => paths.push(p),
            None => return Ok(Value::Null),
        }
    }
    if let [path] = &paths[..]
        && !path.is_wild()
    {
        return extract_one(cx, doc.view(), path);
    }
    let mut found = Vec::new();
    for path in &paths {
        found.extend(json::find(doc.view(), path, cx)?);
        if too_much(cx, &found, "json_extract")? {
            return Ok(Value::Null);
        }
    }
    if found.is_empty() {
        return Ok(Value::Null);
    }
    written(Dom::Array(found.into_iter().map(View::to_dom).collect()))
}

/// Whether an array of the parts would pass max_allowed_packet (warning 1301). Asked before they are copied: parts that lie inside
/// each other are together many times as long as the document.
pub fn too_much(
    cx: &mut FuncCtx<'_>,
    parts: &[View<'_>],
    function: &str,
) -> Result<bool, ValueError> {
    cx.work(size_of_val(parts))?;
    let bytes = parts.iter().fold(0usize, |n, v| n.saturating_add(ENTRY + v.size()));
    too_big(cx, bytes, function)
}

/// The first part that a path names; NULL if there is none.
pub fn extract_one(cx: &mut FuncCtx<'_>, doc: View<'_>, path: &Path) -> Out {
    let found = json::find_first(doc, path, cx)?;
    Ok(found.map_or(Value::Null, |v| Value::Json(v.to_json())))
}

pub fn valid(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    Ok(match &args[0] {
        Value::Null => Value::Null,
        Value::Json(_) => Value::TRUE,
        v @ Value::Str(b, _) => {
            cx.work(b.len())?;
            match json::from_text(v, Some(cx.session))? {
                Ok(_) => Value::TRUE,
                Err(json::ParseError::TooDeep) => return Err(json::too_deep()),
                Err(_) => Value::FALSE,
            }
        }
        _ => Value::FALSE,
    })
}

pub fn type_of(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(doc) = doc(cx, args, 0, "json_type")? else { return Ok(Value::Null) };
    let name = match doc.view().item() {
        Item::Null => "NULL",
        Item::Bool(_) => "BOOLEAN",
        Item::Int(_) => "INTEGER",
        Item::UInt(_) => "UNSIGNED INTEGER",
        Item::Double(_) => "DOUBLE",
        Item::Decimal(_) => "DECIMAL",
        Item::Str(_) => "STRING",
        Item::Date(_) => "DATE",
        Item::Time(_) => "TIME",
        Item::DateTime(..) => "DATETIME",
        Item::Opaque(column_type::BIT, _) => "BIT",
        Item::Opaque(ty, _) if is_blob(ty) => "BLOB",
        Item::Opaque(..) => "OPAQUE",
        Item::Array => "ARRAY",
        Item::Object => "OBJECT",
    };
    Ok(Value::text(name.as_bytes().to_vec(), crate::value::Collation::Utf8mb40900AiCi))
}

pub fn length(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(doc) = doc(cx, args, 0, "json_length")? else { return Ok(Value::Null) };
    // Paths that may lead to several values count what they find, as an array of it.
    if let Some(path) = args.get(1).map(|_| path(args, 1)).transpose()?.flatten()
        && path.is_wild()
    {
        let found = json::find(doc.view(), &path, cx)?;
        return Ok(if found.is_empty() { Value::Null } else { Value::Int(found.len() as i64) });
    }
    let part = part(cx, doc.view(), args, 1)?;
    let of = |v: View<'_>| if v.is_container() { v.len() as i64 } else { 1 };
    Ok(part.map_or(Value::Null, |v| Value::Int(of(v))))
}

pub fn depth(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let doc = doc(cx, args, 0, "json_depth")?;
    Ok(doc.map_or(Value::Null, |d| Value::Int(d.view().depth() as i64)))
}

pub fn keys(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(doc) = doc(cx, args, 0, "json_keys")? else { return Ok(Value::Null) };
    match part(cx, doc.view(), args, 1)? {
        Some(v) if v.is_object() => {
            written(Dom::Array(v.members().map(|(name, _)| Dom::str(name)).collect()))
        }
        _ => Ok(Value::Null),
    }
}

/// Bytes of the binary form, of text as if it were stored.
pub fn storage_size(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let doc = doc(cx, args, 0, "json_storage_size")?;
    Ok(doc.map_or(Value::Null, |d| Value::Int(d.as_bytes().len() as i64)))
}

/// Documents are always rewritten as a whole, so that nothing in them is free.
pub fn storage_free(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let doc = doc(cx, args, 0, "json_storage_free")?;
    Ok(doc.map_or(Value::Null, |_| Value::Int(0)))
}
