//! 1093 and 1443: a statement changes a table that a subquery of it reads, by its name or through a view.

use crate::errno;
use crate::meta::SqlTable;
use crate::query::plan::{Sub, TableSlot};
use crate::session_api::SqlError;

/// What the messages name.
pub struct Target<'t> {
    /// The table as the statement names it.
    pub name: &'t str,
    /// It is a view.
    pub is_view: bool,
    pub verb: &'t str,
}

/// An error when one of the subqueries reads the table. `alias`: only under this name.
pub fn refuse(
    subs: &[Sub],
    t: &SqlTable,
    alias: Option<&str>,
    target: &Target<'_>,
) -> Result<(), SqlError> {
    match subs.iter().find_map(|s| s.reader(t, alias)) {
        Some(reader) => Err(error(reader, target)),
        None => Ok(()),
    }
}

fn error(reader: &TableSlot, target: &Target<'_>) -> SqlError {
    let name = target.name;
    let culprit = match reader.through.as_deref() {
        Some(view) if target.is_view && view == name => None,
        Some(view) => Some(view),
        None => target.is_view.then_some(name),
    };
    match culprit {
        Some(view) => SqlError::of(errno::ER_VIEW_PREVENT_UPDATE, &[&view, &target.verb, &name]),
        None => SqlError::of(errno::ER_UPDATE_TABLE_USED, &[&name]),
    }
}
