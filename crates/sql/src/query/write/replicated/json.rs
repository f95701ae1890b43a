//! Changes of a document as `binlog_row_value_options = PARTIAL_JSON` logs them.

use crate::errno;
use crate::session_api::SqlError;
use crate::value::ValueError;
use crate::value::json::{Dom, Json, Leg, Path, place_mut};
use weir_binlog::value::{JsonDiff, JsonOp};
use weir_engine::row::Datum;

/// The document behind the changes. Errors: 13146's sister 3903, the changes do not fit the document.
pub fn changed(old: Datum<'_>, diffs: &[JsonDiff<'_>]) -> Result<Json<'static>, SqlError> {
    let wrong = || {
        SqlError::new(
            errno::ER_INVALID_JSON_VALUE_FOR_FUNC_INDEX,
            "Couldn't apply JSON diff: a path of it is not in the document",
        )
    };
    let bytes = old.as_bytes().ok_or_else(wrong)?;
    let mut doc = Json::from_bytes(bytes).view().to_dom();
    for diff in diffs {
        let path = Path::parse(diff.path).map_err(|_| wrong())?;
        if path.is_wild() {
            return Err(wrong());
        }
        let value = || Json::from_bytes(diff.value).view().to_dom();
        let done = match diff.op {
            JsonOp::Replace => place_mut(&mut doc, &path.legs).map(|at| *at = value()),
            JsonOp::Insert => insert(&mut doc, &path, value()),
            JsonOp::Remove => remove(&mut doc, &path),
        };
        done.ok_or_else(wrong)?;
    }
    let shown = |e: ValueError| SqlError::new(e.errno, e.message);
    doc.check_depth().map_err(shown)?;
    doc.to_json().map_err(shown)
}

fn insert(doc: &mut Dom, path: &Path, value: Dom) -> Option<()> {
    let (last, parent) = path.legs.split_last()?;
    match (last, place_mut(doc, parent)?) {
        (Leg::Member(name), Dom::Object(members)) => Dom::put(members, name, value),
        (Leg::Cell(c), Dom::Array(list)) => list.insert(c.position(list.len()), value),
        _ => return None,
    }
    Some(())
}

fn remove(doc: &mut Dom, path: &Path) -> Option<()> {
    let (last, parent) = path.legs.split_last()?;
    match (last, place_mut(doc, parent)?) {
        (Leg::Member(name), Dom::Object(members)) => Dom::take(members, name).map(drop),
        (Leg::Cell(c), Dom::Array(list)) => c.within(list.len()).map(|at| drop(list.remove(at))),
        _ => None,
    }
}
