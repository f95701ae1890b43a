//! Foreign keys of rows that are written: the parent that a child's row must have, and what becomes of the children when a parent's
//! row goes or changes.
//!
//! What a statement needs for it is worked out with its plan ([`ForeignPlan`]), whose tables are among those that the statement locks its
//! definitions of.
//!
//! Locks are InnoDB's: of a child that is written a shared lock on the parent's row, or on the gap where it would be; of a parent
//! that goes or changes a locking read of the range of its children, which keeps new ones out.
//!
//! Invariant: a row is looked at after it was written, so a row may reference itself, and a cascade that comes back to a deleted row
//! does not find it. What is refused is taken back by anyone who wrote the row: the statement, or IGNORE to a savepoint.

use super::{Cascade, Cascaded, RowWriter, WriteKind};
use crate::errno;
use crate::memory::Held;
use crate::meta::SqlTable;
use crate::meta::foreign::{Action, ForeignKey};
use crate::planted::{self, Bug};
use crate::query::exec::Runner;
use crate::query::plan::foreign::{DEEPEST, Down, Target, id_of};
use crate::query::plan::outcome::{Run, RunError};
use crate::session_api::SqlError;
use crate::status::Stat;
use crate::value::{DatumBuf, StoreCtx, Value, Warnings};
use std::collections::VecDeque;
use std::sync::Arc;
use weir_engine::row::key::prefix_successor;
use weir_engine::row::{Datum, RowView, encode_datum};
use weir_engine::{LockMode, OnLocked, RowList, ScanSpec};

/// The parents of a row of `table` that was written; `old`: the row before, if there was one. The error of a parent that is missing.
/// `but`: the key by which a cascade came.
pub async fn missing_parent(
    r: &mut Runner<'_, '_>,
    table: &SqlTable,
    new: &[u8],
    old: Option<&[u8]>,
    but: Option<usize>,
) -> Run<Option<SqlError>> {
    let Some(plan) = r.foreign.clone() else { return Ok(None) };
    let Some(links) = plan.of_table(table) else { return Ok(None) };
    for u in links.up.iter().filter(|u| Some(u.at) != but) {
        let key = &table.foreign[u.at];
        if old.is_some_and(|old| same(table, &key.columns, old, new)) {
            continue;
        }
        let values = values_of(table, &key.columns, new);
        let one_is_enough = !planted::is(Bug::PartlyNullKeySearched);
        let null = |v: &DatumBuf| *v == DatumBuf::Null;
        if if one_is_enough { values.iter().any(null) } else { values.iter().all(null) } {
            continue;
        }
        let found = match &u.parent {
            Some(target) => {
                let lock = match planted::is(Bug::ParentUnlocked) {
                    true => LockMode::None,
                    false => LockMode::Shared,
                };
                !search(r, target, &values, lock, 1).await?.is_empty()
            }
            None => false,
        };
        if !found {
            return Ok(Some(no_parent(r, table, key)));
        }
    }
    Ok(None)
}

/// Whether columns of two rows have the same bytes.
fn same(table: &SqlTable, columns: &[usize], a: &[u8], b: &[u8]) -> bool {
    let (a, b) = (RowView::new(&table.engine.layout, a), RowView::new(&table.engine.layout, b));
    let most = if planted::is(Bug::OneColumnCompared) { 1 } else { columns.len() };
    columns.iter().take(most).all(|&c| a.get(c) == b.get(c))
}

fn values_of(table: &SqlTable, columns: &[usize], row: &[u8]) -> Vec<DatumBuf> {
    let view = RowView::new(&table.engine.layout, row);
    columns.iter().map(|&c| view.get(c).to_buf()).collect()
}

/// The beginning of the keys of an index that have these values; nothing when it cannot hold one of them.
fn key_of(table: &SqlTable, index: usize, values: &[DatumBuf]) -> Option<Vec<u8>> {
    let mut key = Vec::new();
    for (part, v) in table.engine.def.indexes[index].parts.iter().zip(values) {
        let v: Datum<'_> = v.as_ref();
        encode_datum(&part.of(&table.engine.layout), v, &mut key).ok()?;
    }
    Some(key)
}

/// Clustered keys of the rows with these values, at most `most`; they are locked, with the gaps between them.
async fn search(
    r: &mut Runner<'_, '_>,
    target: &Target,
    values: &[DatumBuf],
    lock: LockMode,
    most: usize,
) -> Run<Vec<Vec<u8>>> {
    let Some(start) = key_of(&target.table, target.index, values) else { return Ok(Vec::new()) };
    let def = &target.table.engine.def.indexes[target.index];
    let spec = ScanSpec {
        index: target.index,
        end: prefix_successor(&start),
        start,
        reverse: false,
        lock,
        on_locked: OnLocked::Wait,
        unique_eq: def.unique && def.parts.len() == values.len(),
        expect: most.min(16) as u32,
        fetch_external: false,
        rows_only: false,
        index_only: None,
    };
    r.txn.use_table(&target.table.engine, false).await?;
    r.reads.work.inc(Stat::Handler_read_key);
    let mut cursor = r.txn.scan(&target.table.engine, spec);
    let mut keys = Vec::new();
    while keys.len() < most && cursor.next(r.txn).await? {
        keys.push(cursor.key().to_vec());
        if keys.len() % 256 == 255 && r.is_killed() {
            return Err(SqlError::interrupted().into());
        }
    }
    Ok(keys)
}

/// A row that went or changed, and how far its children have been followed.
struct Step {
    table: Arc<SqlTable>,
    old: Vec<u8>,
    new: Option<Vec<u8>>,
    /// The next key downwards.
    next: usize,
    /// Of the key before that: its children that are still to be done.
    children: VecDeque<Vec<u8>>,
    held: Held,
}

impl Step {
    fn new(table: &Arc<SqlTable>, old: Vec<u8>, new: Option<Vec<u8>>) -> Step {
        let (next, children, held) = (0, VecDeque::new(), Held::default());
        Step { table: table.clone(), old, new, next, children, held }
    }
}

/// The children of a row of `table` that went (`new`: none) or changed: cascades, depth first. The error of a child that stays.
pub async fn follow(
    r: &mut Runner<'_, '_>,
    table: &Arc<SqlTable>,
    old: &[u8],
    new: Option<&[u8]>,
) -> Run<Option<SqlError>> {
    let Some(plan) = r.foreign.clone() else { return Ok(None) };
    if plan.of_table(table).is_none_or(|l| l.down.is_empty()) {
        return Ok(None);
    }
    let mut writer = RowWriter::new(WriteKind::Update, false);
    let mut steps = vec![Step::new(table, old.to_vec(), new.map(<[u8]>::to_vec))];
    while let Some(step) = steps.last_mut() {
        let downs = plan.of_table(&step.table).map_or(&[][..], |l| &l.down);
        if let Some(child) = step.children.pop_front() {
            let down = &downs[step.next - 1];
            if r.is_killed() {
                return Err(SqlError::interrupted().into());
            }
            match cascade(r, &mut writer, down, &child, &steps).await? {
                Err(e) => return Ok(Some(e)),
                Ok(None) => {}
                Ok(Some(_)) if steps.len() >= DEEPEST => return Ok(Some(too_deep())),
                Ok(Some(done)) => {
                    steps.push(Step::new(&down.key.child, done.old, done.new));
                }
            }
            continue;
        }
        let enough = step.next > 0 && planted::is(Bug::OneKeyFollowed);
        let Some(down) = downs.get(step.next).filter(|_| !enough) else {
            steps.pop();
            continue;
        };
        step.next += 1;
        if let Some(e) = find_children(r, step, down).await? {
            return Ok(Some(e));
        }
    }
    Ok(None)
}

/// Finds the children of a step by one key: they are kept to be changed, or are in the way.
async fn find_children(
    r: &mut Runner<'_, '_>,
    step: &mut Step,
    down: &Down,
) -> Run<Option<SqlError>> {
    if step.new.as_ref().is_some_and(|new| same(&step.table, &down.columns, &step.old, new)) {
        return Ok(None);
    }
    let values = values_of(&step.table, &down.columns, &step.old);
    if values.contains(&DatumBuf::Null) {
        return Ok(None);
    }
    let action = action_of(down, step.new.is_none());
    if action.refuses() {
        if references_itself(step, down, &values) {
            return Ok(Some(has_children(r, down)));
        }
        let found = search(r, &down.child, &values, LockMode::Shared, 1).await?;
        return Ok((!found.is_empty()).then(|| has_children(r, down)));
    }
    let found = search(r, &down.child, &values, LockMode::Exclusive, usize::MAX).await?;
    let bytes = found.iter().map(|k| k.len() + size_of::<Vec<u8>>()).sum();
    step.held = Held::default();
    r.ev.cx.hold(&mut step.held, bytes)?;
    step.children = found.into();
    Ok(None)
}

/// InnoDB does not let a row go that references itself: it is its own child until it is gone.
fn references_itself(step: &Step, down: &Down, values: &[DatumBuf]) -> bool {
    let child = &down.child;
    if id_of(&child.table) != id_of(&step.table) {
        return false;
    }
    let own = values_of(&step.table, &down.key.key().columns, &step.old);
    let key = |v: &[DatumBuf]| key_of(&child.table, child.index, v);
    !own.contains(&DatumBuf::Null) && key(&own).is_some() && key(&own) == key(values)
}

fn action_of(down: &Down, deletes: bool) -> Action {
    let key = down.key.key();
    if deletes { key.on_delete } else { key.on_update }
}

/// Does to a child's row what its key says. The row before and after, if it was changed; or the error that it cannot be.
async fn cascade(
    r: &mut Runner<'_, '_>,
    writer: &mut RowWriter<'_>,
    down: &Down,
    child: &[u8],
    steps: &[Step],
) -> Run<Result<Option<Cascaded>, SqlError>> {
    let Some(step) = steps.last() else { return Ok(Ok(None)) };
    let key = down.key.key();
    let table = &down.key.child;
    let changes = match (action_of(down, step.new.is_none()), &step.new) {
        (Action::Cascade, None) => None,
        (Action::Cascade, Some(new)) => match fitted(r, step, down, new) {
            Some(values) => Some(values),
            None => return Ok(Err(has_children(r, down))),
        },
        _ => Some(vec![DatumBuf::Null; key.columns.len()]),
    };
    let Some(values) = changes else {
        return Ok(Ok(writer.cascade(r, table, child, Cascade::Delete).await?));
    };
    // As InnoDB: an update that comes back to a table that an update before it has changed might never end.
    let updates = |s: &Step| id_of(&s.table) == id_of(table) && s.new.is_some();
    let null = |(&c, v): (&usize, &DatumBuf)| *v == DatumBuf::Null && !table.columns[c].nullable;
    let nulls = key.columns.iter().zip(&values).any(null);
    if nulls || steps.iter().any(updates) {
        return Ok(Err(has_children(r, down)));
    }
    let list = key.columns.iter().copied().zip(values.iter().cloned()).collect();
    let done = match writer.cascade(r, table, child, Cascade::Update(list)).await {
        Err(RunError::Sql(e)) if e.errno == errno::ER_DUP_ENTRY => {
            return Ok(Err(would_duplicate(r, &steps[0], &values, down, &e)));
        }
        other => other?,
    };
    if let Some(Cascaded { old, new: Some(new) }) = &done
        && !planted::is(Bug::CascadeUnchecked)
        && let Some(e) = missing_parent(r, table, new, Some(old), Some(down.key.at)).await?
    {
        return Ok(Err(e));
    }
    Ok(Ok(done))
}

/// The parent's new values as the child's columns keep them; nothing when one is too long for its column.
fn fitted(r: &Runner<'_, '_>, step: &Step, down: &Down, new: &[u8]) -> Option<Vec<DatumBuf>> {
    let values = values_of(&step.table, &down.columns, new);
    let pairs = down.columns.iter().zip(&down.key.key().columns).zip(values);
    pairs
        .map(|((&theirs, &own), value)| {
            let (from, to) = (&step.table.columns[theirs], &down.key.child.columns[own]);
            if from.ty == to.ty || value == DatumBuf::Null {
                return Some(value);
            }
            let cx = &r.ev.cx;
            let mut none = Warnings::with_limit(0);
            let mut sx = StoreCtx {
                column: &to.name,
                table: None,
                row: 1,
                strict: true,
                mode: cx.mode,
                tz: cx.tz,
                now_micros: cx.now_micros,
                warnings: &mut none,
                session: Some(cx.session),
            };
            to.ty.store(&from.ty.load(value.as_ref(), cx.tz), &mut sx).ok()
        })
        .collect()
}

fn too_deep() -> SqlError {
    SqlError::of(errno::ER_FK_DEPTH_EXCEEDED, &[&DEEPEST])
}

/// 1761. `e`: 1062, whose text ends with the key's name.
fn would_duplicate(
    r: &Runner<'_, '_>,
    first: &Step,
    values: &[DatumBuf],
    down: &Down,
    e: &SqlError,
) -> SqlError {
    let mut record = Vec::new();
    let child = &down.key.child;
    for (n, (v, &c)) in values.iter().zip(&down.key.key().columns).enumerate() {
        if n > 0 {
            record.push(b'-');
        }
        let ty = child.columns[c].ty;
        match ty.load(v.as_ref(), r.ev.cx.tz) {
            Value::Null => record.extend_from_slice(b"NULL"),
            v => ty.write_text(&v, &mut record),
        }
    }
    let index = e.message.rsplit_once("for key '").map_or("", |(_, k)| k.trim_end_matches('\''));
    let index = index.rsplit_once('.').map_or(index, |(_, name)| name);
    SqlError::of(
        errno::ER_FOREIGN_DUPLICATE_KEY_WITH_CHILD_INFO,
        &[&first.table.name(), &String::from_utf8_lossy(&record), &child.name(), &index],
    )
}

fn described(child: &SqlTable, key: &ForeignKey) -> String {
    key.described((child.schema(), child.name()), &child.meta)
}

/// 1451; 1217 for somebody who may not know of the child.
fn has_children(r: &Runner<'_, '_>, down: &Down) -> SqlError {
    let text = "Cannot delete or update a parent row: a foreign key constraint fails";
    let child = &down.key.child;
    match knows(r, (child.schema(), child.name())) {
        true => SqlError::new(
            errno::ER_ROW_IS_REFERENCED_2,
            format!("{text} {}", described(child, down.key.key())),
        ),
        false => SqlError::new(errno::ER_ROW_IS_REFERENCED, text),
    }
}

/// 1452; 1216 for somebody who may not know of the parent.
fn no_parent(r: &Runner<'_, '_>, child: &SqlTable, key: &ForeignKey) -> SqlError {
    let text = "Cannot add or update a child row: a foreign key constraint fails";
    match knows(r, (&key.parent.schema, &key.parent.name)) {
        true => SqlError::new(
            errno::ER_NO_REFERENCED_ROW_2,
            format!("{text} {}", described(child, key)),
        ),
        false => SqlError::new(errno::ER_NO_REFERENCED_ROW, text),
    }
}

/// Whether the session's account has any right on a table.
fn knows(r: &Runner<'_, '_>, (schema, table): (&str, &str)) -> bool {
    r.access().clone().can_see_table(schema, table)
}

/// The parents of the first rows of a batch that was written.
pub async fn missing_parents(
    r: &mut Runner<'_, '_>,
    table: &SqlTable,
    rows: &RowList,
    written: usize,
) -> Run<()> {
    for n in 0..written {
        if let Some(e) = missing_parent(r, table, rows.row(n), None, None).await? {
            return Err(e.into());
        }
    }
    Ok(())
}

/// What the foreign keys say of a row that has changed, or gone: the parent first, then the children.
pub async fn broken(
    r: &mut Runner<'_, '_>,
    table: &Arc<SqlTable>,
    old: &[u8],
    new: Option<&[u8]>,
) -> Run<Option<SqlError>> {
    if let Some(new) = new
        && let Some(e) = missing_parent(r, table, new, Some(old), None).await?
    {
        return Ok(Some(e));
    }
    follow(r, table, old, new).await
}
