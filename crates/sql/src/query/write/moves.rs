//! Triggers that may move rows to where the statement would meet them again. They come and go while a plan is kept, so they are asked when it
//! runs: a column of NEW that one of them sets counts as assigned.

use super::RowWriter;
use crate::meta::SqlTable;
use crate::query::exec::Runner;
use crate::query::plan::Source;
use crate::query::plan::change::ChangePlan;
use crate::session_api::SqlError;
use std::sync::Arc;

fn table(p: &ChangePlan, n: usize) -> Option<&Arc<SqlTable>> {
    match &p.block.tables[n].source {
        Source::Table(t) => Some(t),
        _ => None,
    }
}

/// Whether triggers may move rows to where the statement, which changes them as it finds them, is still to read.
pub fn by_triggers(p: &ChangePlan, writer: &mut RowWriter<'_>, r: &Runner<'_, '_>) -> bool {
    let step = p.block.steps.first();
    let target = step.and_then(|s| table(p, s.table));
    target.is_some_and(|t| writer.triggers_set(r, t, &p.place))
}

/// 1706 where triggers may move rows of a table that is changed under two names.
pub fn refuse_twins(
    p: &ChangePlan,
    writer: &mut RowWriter<'_>,
    r: &Runner<'_, '_>,
) -> Result<(), SqlError> {
    for twin in &p.twins {
        let names = |t: &Arc<SqlTable>| writer.triggers_set(r, t, &twin.columns);
        if table(p, twin.tables.0).is_some_and(names) {
            return Err(twin.refused(&p.block.tables));
        }
    }
    Ok(())
}
