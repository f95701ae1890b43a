//! What the rows of a statement set off. The writer of rows calls it at its stages.
//!
//! Invariant: a trigger before the row sees, and may set, the values that are about to be checked and stored; a trigger after it sees
//! what was stored.

use super::{generate, values_after};
use crate::context::{Reads, TableTriggers};
use crate::ddl::refused::value_error;
use crate::errno;
use crate::meta::SqlTable;
use crate::planted::{self, Bug};
use crate::query::exec::{Boxed, Runner};
use crate::query::plan::code::{Code, of_object};
use crate::query::plan::outcome::Run;
use crate::session_api::SqlError;
use crate::value::{DatumBuf, StoreCtx, Value};
use std::sync::Arc;
use weir_engine::row::RowView;
use weir_engine::{LockMode, OnLocked, RowBuf, Savepoint};
use weir_syntax::ast::{SlotKind, TriggerEvent};

/// The rows that a trigger sees, as stored values by column.
struct Rows<'r> {
    old: Option<&'r [DatumBuf]>,
    new: Option<&'r mut [DatumBuf]>,
}

fn values(table: &SqlTable, row: &[u8]) -> Vec<DatumBuf> {
    let view = RowView::new(&table.engine.layout, row);
    (0..table.meta.columns.len()).map(|i| view.get(i).to_buf()).collect()
}

/// BEFORE INSERT.
pub fn before_insert<'b>(
    r: &'b mut Runner<'_, '_>,
    t: &'b TableTriggers,
    table: &'b SqlTable,
    row: &'b mut [DatumBuf],
) -> Boxed<'b, ()> {
    Box::pin(async move {
        fire(r, t, table, (TriggerEvent::Insert, true), Rows { old: None, new: Some(row) }).await
    })
}

/// BEFORE UPDATE. What a trigger sets becomes one of the changes; it sees generated columns as they are of the statement's values.
/// Returns the row where it is another one behind the triggers ([`left`]).
pub fn before_update<'b>(
    r: &'b mut Runner<'_, '_>,
    t: &'b TableTriggers,
    table: &'b Arc<SqlTable>,
    (key, old): (&'b [u8], &'b [u8]),
    changes: &'b mut Vec<(usize, DatumBuf)>,
    ignore: bool,
) -> Boxed<'b, Option<Vec<u8>>> {
    Box::pin(async move {
        let since = r.txn.savepoint();
        let mut before = values_after(table, old, changes);
        if !table.rules.generated.is_empty() && !t.of(TriggerEvent::Update, true).is_empty() {
            generate(r, table, &mut before, ignore)?;
        }
        let mut new = before.clone();
        let seen = values(table, old);
        let rows = Rows { old: Some(&seen), new: Some(&mut new) };
        fire(r, t, table, (TriggerEvent::Update, true), rows).await?;
        for (col, (was, now)) in before.iter().zip(new).enumerate() {
            if *was != now {
                changes.retain(|(c, _)| *c != col);
                changes.push((col, now));
            }
        }
        left(r, table, (key, old), since).await
    })
}

/// The row as triggers before its change have left it, unless it is as it was: their statements cannot name its table (1442), but what they
/// change of a parent comes to its children by cascades. A change worked out from the former row would leave its index entries behind.
async fn left(
    r: &mut Runner<'_, '_>,
    table: &Arc<SqlTable>,
    (key, old): (&[u8], &[u8]),
    since: Savepoint,
) -> Run<Option<Vec<u8>>> {
    // Tables with foreign keys have no partitions.
    if table.meta.foreign.is_empty() || r.txn.savepoint() == since {
        return Ok(None);
    }
    let mut now = RowBuf::default();
    let lock = LockMode::Exclusive;
    if !r.txn.get(&table.engine, 0, key, lock, OnLocked::Wait, &mut now).await? {
        return Err(SqlError::of(errno::ER_KEY_NOT_FOUND, &[&table.name()]).into());
    }
    super::complete(table, &mut now.row, r)?;
    Ok((now.row != old).then_some(now.row))
}

/// Whether a BEFORE UPDATE trigger may set one of these columns of NEW. One that cannot be read is taken for such: it fails when it is
/// fired.
pub fn before_update_sets(reads: Reads<'_>, t: &TableTriggers, columns: &[usize]) -> bool {
    let may = |code: &Code, slot: u32| code.body.may_set(slot);
    before_sets(reads, t, TriggerEvent::Update, columns, may)
}

/// Whether SET in a BEFORE INSERT trigger gives the column a value.
pub fn before_insert_sets(reads: Reads<'_>, t: &TableTriggers, column: usize) -> bool {
    let sets = |code: &Code, slot: u32| code.body.sets(slot);
    before_sets(reads, t, TriggerEvent::Insert, &[column], sets)
}

fn before_sets(
    reads: Reads<'_>,
    t: &TableTriggers,
    event: TriggerEvent,
    columns: &[usize],
    gives: impl Fn(&Code, u32) -> bool,
) -> bool {
    let sets = |code: &Code| {
        let slots = code.body.slots.iter().zip(&code.columns).enumerate();
        let mut wanted = slots.filter(|(_, (slot, column))| {
            slot.kind == SlotKind::New && column.is_some_and(|c| columns.contains(&c))
        });
        wanted.any(|(n, _)| gives(code, n as u32))
    };
    !columns.is_empty()
        && t.of(event, true).iter().any(|o| of_object(reads, o).map_or(true, |code| sets(&code)))
}

/// BEFORE DELETE. Returns the row where it is another one behind the triggers.
pub fn before_delete<'b>(
    r: &'b mut Runner<'_, '_>,
    t: &'b TableTriggers,
    table: &'b Arc<SqlTable>,
    (key, old): (&'b [u8], &'b [u8]),
) -> Boxed<'b, Option<Vec<u8>>> {
    Box::pin(async move {
        let since = r.txn.savepoint();
        let seen = values(table, old);
        let rows = Rows { old: Some(&seen), new: None };
        fire(r, t, table, (TriggerEvent::Delete, true), rows).await?;
        left(r, table, (key, old), since).await
    })
}

/// AFTER the change of a row.
pub fn after<'b>(
    r: &'b mut Runner<'_, '_>,
    t: &'b TableTriggers,
    table: &'b SqlTable,
    event: TriggerEvent,
    old: Option<&'b [u8]>,
    new: Option<&'b [u8]>,
) -> Boxed<'b, ()> {
    Box::pin(async move {
        let old = old.map(|row| values(table, row));
        let mut new = new.map(|row| values(table, row));
        let rows = Rows { old: old.as_deref(), new: new.as_deref_mut() };
        fire(r, t, table, (event, false), rows).await
    })
}

async fn fire(
    r: &mut Runner<'_, '_>,
    t: &TableTriggers,
    table: &SqlTable,
    (event, before): (TriggerEvent, bool),
    mut rows: Rows<'_>,
) -> Run<()> {
    for o in t.of(event, before) {
        let code = of_object(r.reads, o)?;
        let vars = seen(&code, table, &rows, r);
        let given = vars.clone();
        let programs = r.programs;
        let Some(vars) = programs.fire(r, &code, vars).await? else { continue };
        if let (true, Some(new)) = (before, rows.new.as_deref_mut()) {
            take(&code, table, (&given, vars), new, r)?;
        }
    }
    Ok(())
}

/// The values of a trigger's slots.
fn seen(code: &Code, table: &SqlTable, rows: &Rows<'_>, r: &Runner<'_, '_>) -> Vec<Value<'static>> {
    let slots = code.body.slots.iter().zip(&code.columns);
    slots
        .map(|(slot, column)| {
            let row = match slot.kind {
                SlotKind::Old if planted::is(Bug::OldShowsNew) => rows.new.as_deref().or(rows.old),
                SlotKind::Old => rows.old,
                SlotKind::New => rows.new.as_deref(),
                SlotKind::Variable(_) | SlotKind::Hidden => None,
            };
            match (row, column) {
                (Some(row), Some(at)) => {
                    let column = &table.meta.columns[*at];
                    match &row[*at] {
                        // The number is drawn behind the triggers; they see none yet.
                        DatumBuf::Null if column.auto_increment && !column.nullable => {
                            Value::Int(0)
                        }
                        d => column.ty.load(d.as_ref(), r.ev.cx.tz).into_owned(),
                    }
                }
                _ => Value::Null,
            }
        })
        .collect()
}

/// Takes over what a trigger has set of NEW.
fn take(
    code: &Code,
    table: &SqlTable,
    (given, vars): (&[Value<'static>], Vec<Value<'static>>),
    new: &mut [DatumBuf],
    r: &mut Runner<'_, '_>,
) -> Run<()> {
    for (n, v) in vars.into_iter().enumerate() {
        let (SlotKind::New, Some(at)) = (&code.body.slots[n].kind, code.columns[n]) else {
            continue;
        };
        if v == given[n] {
            continue;
        }
        let column = &table.meta.columns[at];
        let cx = &mut r.ev.cx;
        let mut sx = StoreCtx {
            column: &column.name,
            table: None,
            row: 1,
            strict: code.mode.strict(),
            mode: code.mode,
            tz: cx.tz,
            now_micros: cx.now_micros,
            warnings: &mut cx.warnings,
            session: None,
        };
        new[at] = column.ty.store(&v, &mut sx).map_err(value_error)?;
    }
    Ok(())
}
