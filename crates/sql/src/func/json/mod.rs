//! The JSON functions.
//!
//! An argument is a document (JSON, or text that is parsed), a path, or a value (text is a JSON string). `read` looks into documents,
//! `search` compares and searches them, `change` makes others of them, `make` builds them.
//!
//! Where no function says otherwise, NULL for a document or a path gives NULL. Documents that are text are parsed for each call.

mod change;
mod make;
mod read;
mod schema;
mod search;

use super::facts::{Definitions, Id};
use super::{ANY, FuncCtx, FuncDef, Out, def};
use crate::errno;
use crate::value::cast::text_length;
use crate::value::json::{self, Dom, Json, Path, View};
use crate::value::{Collation, SqlType, TypeInfo, Value, ValueError};

pub use make::name as member_name;
pub use read::{extract_one, too_much};

pub const TABLE: &[FuncDef] = &[
    def("JSON_ARRAY", 0, ANY, document, make::array),
    def("JSON_OBJECT", 0, ANY, document, make::object),
    def("JSON_QUOTE", 1, 1, quoted, make::quote),
    def("JSON_UNQUOTE", 1, 1, unquoted, make::unquote).keyed(),
    def("JSON_PRETTY", 1, 1, text, make::pretty),
    def("JSON_MERGE_PATCH", 2, ANY, document, make::merge_patch),
    def("JSON_MERGE_PRESERVE", 2, ANY, document, make::merge_preserve),
    def("JSON_MERGE", 2, ANY, document, make::merge)
        .alias_of("json_merge_preserve")
        .in_definitions(Definitions::Nowhere),
    def("JSON_EXTRACT", 2, ANY, document, read::extract).keyed(),
    def("JSON_VALID", 1, 1, truth, read::valid).truth(),
    def("JSON_TYPE", 1, 1, type_name, read::type_of),
    def("JSON_LENGTH", 1, 2, number, read::length),
    def("JSON_DEPTH", 1, 1, number, read::depth),
    def("JSON_KEYS", 1, 2, document, read::keys),
    def("JSON_STORAGE_SIZE", 1, 1, number, read::storage_size),
    def("JSON_STORAGE_FREE", 1, 1, number, read::storage_free),
    def("JSON_CONTAINS", 2, 3, truth, search::contains).id(Id::JsonContains).truth(),
    def("JSON_CONTAINS_PATH", 3, ANY, truth, search::contains_path).truth(),
    def("JSON_OVERLAPS", 2, 2, truth_of_both, search::overlaps).id(Id::JsonOverlaps).truth(),
    def("JSON_SEARCH", 3, ANY, document, search::search),
    // MEMBER OF; no name that a statement could call.
    def("MEMBER OF", 2, 2, truth_of_both, search::member_of).id(Id::MemberOf).alias_of("member of"),
    def("JSON_SCHEMA_VALID", 2, 2, truth_of_both, search::schema_valid).truth(),
    def("JSON_SCHEMA_VALIDATION_REPORT", 2, 2, document, search::schema_report),
    def("JSON_SET", 3, ANY, document, change::set),
    def("JSON_INSERT", 3, ANY, document, change::insert),
    def("JSON_REPLACE", 3, ANY, document, change::replace),
    def("JSON_REMOVE", 2, ANY, document, change::remove),
    def("JSON_ARRAY_APPEND", 3, ANY, document, change::array_append),
    def("JSON_ARRAY_INSERT", 3, ANY, document, change::array_insert),
];

/// Whether the argument at that place is a value, not a document, a path or an option.
pub fn takes_value(name: &str, at: usize) -> bool {
    match name {
        "JSON_ARRAY" | "JSON_ARRAYAGG" => true,
        "JSON_OBJECT" | "JSON_OBJECTAGG" => at % 2 == 1,
        "JSON_SET" | "JSON_INSERT" | "JSON_REPLACE" | "JSON_ARRAY_APPEND" | "JSON_ARRAY_INSERT" => {
            at >= 2 && at.is_multiple_of(2)
        }
        "MEMBER OF" => at == 0,
        _ => false,
    }
}

/// A function that takes JSON as it is; the others get it as text, or as the number in it.
pub fn knows_json(name: &str) -> bool {
    name.starts_with("JSON_")
        || matches!(
            name,
            "MEMBER OF" | "IF" | "IFNULL" | "COALESCE" | "ANY_VALUE" | "ISNULL" | "NULLIF"
        )
}

fn document(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::Json, true)
}

fn number(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::LONG_INT, true)
}

/// A truth value that MySQL has as a number.
fn truth(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::LONG_INT, true)
}

fn truth_of_both(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::BOOL, args.iter().any(|a| a.nullable))
}

/// Text of JSON, of any length, in utf8mb4_bin, which gives way to the collation of a column.
pub fn text(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::varchar(super::infer::UNKNOWN, Collation::Utf8mb4Bin), true)
}

/// JSON_QUOTE(): of each character six, as in \u0001.
fn quoted(args: &[TypeInfo]) -> TypeInfo {
    let n = args.first().map_or(0, |a| text_length(&a.ty));
    let chars = n.saturating_mul(6).saturating_add(2);
    TypeInfo::new(SqlType::varchar(chars, Collation::Utf8mb4Bin), true)
}

fn unquoted(args: &[TypeInfo]) -> TypeInfo {
    let n = args.first().map_or(0, |a| text_length(&a.ty));
    TypeInfo::new(SqlType::varchar(n, Collation::Utf8mb4Bin), true)
}

fn type_name(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::varchar(17, Collation::Utf8mb4Bin), true)
}

fn as_text(bytes: Vec<u8>) -> Value<'static> {
    Value::Str(bytes.into(), Collation::Utf8mb4Bin)
}

/// 3146.
pub fn no_json(argument: usize, function: &str) -> ValueError {
    ValueError::of(errno::ER_INVALID_TYPE_FOR_JSON, &[&argument, &function])
}

/// 3064.
fn wrong_type(argument: usize, function: &str) -> ValueError {
    ValueError::of(errno::ER_INCORRECT_TYPE, &[&argument, &function])
}

/// 1582 for arguments that must come in pairs behind the first `single` ones.
fn pairs(args: &[Value<'_>], single: usize, function: &str) -> Result<(), ValueError> {
    match (args.len() - single.min(args.len())) % 2 {
        0 => Ok(()),
        _ => Err(ValueError::wrong_parameter_count(function)),
    }
}

/// The document in the argument at `i`, as a tree. None: NULL.
fn tree(
    cx: &mut FuncCtx<'_>,
    args: &[Value<'_>],
    i: usize,
    function: &str,
) -> Result<Option<Dom>, ValueError> {
    match &args[i] {
        Value::Null => Ok(None),
        Value::Json(j) => Ok(Some(j.view().to_dom())),
        v @ (Value::Str(b, _) | Value::Bytes(b)) => {
            cx.work(b.len())?;
            let parsed = json::from_text(v, Some(cx.session))?;
            parsed.map(Some).map_err(|e| e.in_argument(i + 1, function))
        }
        _ => Err(no_json(i + 1, function)),
    }
}

/// The document in the argument at `i`, to be read. None: NULL.
fn doc<'a>(
    cx: &mut FuncCtx<'_>,
    args: &'a [Value<'_>],
    i: usize,
    function: &str,
) -> Result<Option<Json<'a>>, ValueError> {
    match &args[i] {
        Value::Json(j) => Ok(Some(j.borrow())),
        _ => tree(cx, args, i, function)?.map(|d| d.to_json()).transpose(),
    }
}

/// The path in the argument at `i`. None: NULL.
fn path(args: &[Value<'_>], i: usize) -> Result<Option<Path>, ValueError> {
    let v = &args[i];
    if let Value::Bytes(b) = v {
        let shown = String::from_utf8_lossy(b);
        return Err(ValueError::of(errno::ER_INVALID_JSON_PATH_CHARSET, &[&shown, &"binary"]));
    }
    let Some(text) = v.to_text_in(Collation::Utf8mb4Bin) else { return Ok(None) };
    Path::parse(&text).map(Some).map_err(|e| e.error())
}

/// A path without wildcards; 3149 for another.
fn plain_path(args: &[Value<'_>], i: usize) -> Result<Option<Path>, ValueError> {
    let path = path(args, i)?;
    if path.as_ref().is_some_and(Path::is_wild) {
        return Err(ValueError::of(errno::ER_INVALID_JSON_PATH_WILDCARD, &[]));
    }
    Ok(path)
}

/// `one` or `all`: whether it is `all`. 3154 for another text.
fn one_or_all(v: &Value<'_>, function: &str) -> Result<Option<bool>, ValueError> {
    let Some(word) = v.to_string_lossy() else { return Ok(None) };
    match word.to_ascii_lowercase().as_str() {
        "one" => Ok(Some(false)),
        "all" => Ok(Some(true)),
        _ => Err(ValueError::of(errno::ER_JSON_BAD_ONE_OR_ALL_ARG, &[&function])),
    }
}

/// The part of a document that an optional path in the argument at `i` names. None: NULL, or no such part.
fn part<'a>(
    cx: &mut FuncCtx<'_>,
    doc: View<'a>,
    args: &[Value<'_>],
    i: usize,
) -> Result<Option<View<'a>>, ValueError> {
    if i >= args.len() {
        return Ok(Some(doc));
    }
    match plain_path(args, i)? {
        Some(path) => json::find_first(doc, &path, cx),
        None => Ok(None),
    }
}

fn written(dom: Dom) -> Out {
    dom.to_json().map(Value::Json)
}
