//! Values of key parts that are expressions. What goes wrong with one is told of its index, with MySQL's own numbers: nobody knows the
//! hidden column that keeps the value.

use crate::ddl::functional;
use crate::meta::SqlColumn;
use crate::query::eval::Ev;
use crate::query::plan::outcome::{Run, RunError};
use crate::value::{DatumBuf, ValueError};

/// Makes the value of a hidden column by `make`, and tells its errors and warnings as its index's.
pub fn make(
    column: &SqlColumn,
    (strict, row): (bool, u64),
    ev: &mut Ev<'_>,
    make: impl FnOnce(&mut Ev<'_>) -> Run<DatumBuf>,
) -> Run<DatumBuf> {
    let index = functional::index_of(&column.name);
    let outer = std::mem::take(&mut ev.cx.warnings);
    let made = make(ev);
    let own = std::mem::replace(&mut ev.cx.warnings, outer);
    for w in own.list() {
        match told(w.code, &w.message, index, row) {
            Some(e) if strict => return Err(e.into()),
            Some(e) => ev.cx.warnings.warn(e.errno, || e.message),
            None => ev.cx.warnings.push(w.level, w.code, || w.message.clone()),
        }
    }
    made.map_err(|e| match e {
        RunError::Sql(e) => {
            told(e.errno, &e.message, index, row).map_or(RunError::Sql(e), RunError::from)
        }
        other => other,
    })
}

/// What MySQL says of an index for what it says of a column. `given`: what was said; of an array that is too long how much it is too long.
fn told(code: u16, given: &str, index: &str, row: u64) -> Option<ValueError> {
    let (errno, state, text) = match code {
        1406 => (3907, "22001", format!("Data too long for functional index '{index}'.")),
        1264 => {
            let text = format!("Value is out of range for functional index '{index}' at row {row}");
            (3752, "22003", text)
        }
        1265 | 1292 => {
            let text = format!("Data truncated for functional index '{index}' at row {row}");
            (3751, "01000", text)
        }
        3156 => {
            let text = format!("Invalid JSON value for CAST for functional index '{index}'.");
            (3903, "22018", text)
        }
        3155 => {
            let text = format!("Out of range JSON value for CAST for functional index '{index}'.");
            (3904, "22003", text)
        }
        3905 => {
            let text = format!(
                "Exceeded max number of values per record for multi-valued index '{index}' by {given} value(s)."
            );
            (3905, "HY000", text)
        }
        3906 => {
            let text = format!(
                "Exceeded max total length of values per record for multi-valued index '{index}' by {given} bytes."
            );
            (3906, "HY000", text)
        }
        3908 => {
            let text = format!(
                "Cannot store an array or an object in a scalar key part of the index '{index}'."
            );
            (3908, "HY000", text)
        }
        _ => return None,
    };
    Some(ValueError::new(errno, state, text))
}
