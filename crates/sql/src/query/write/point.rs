//! Writes that take the short way: the new row is put together and handed to the engine in one call, without an executor.
//!
//! What is left out has nothing to say: a plan with a [`PointWrite`] has no triggers, checks, generated columns or foreign keys, and values
//! that give a warning, an error, or the row that is there already are a reason to decline. `None` means so: nothing has happened, and
//! the statement is run in the usual way.

use super::before_update;
use super::image::{build, counted, put_columns};
use crate::context::{Changes, StatementCtx};
use crate::meta::SqlTable;
use crate::query::eval::frame::{Frame, Slot};
use crate::query::eval::lists::Lists;
use crate::query::eval::{Ev, eval};
use crate::query::expr::BExpr;
use crate::query::plan::change::{Assign, ChangePlan, What};
use crate::query::plan::insert::{Fill, InsertPlan, Rows};
use crate::query::plan::point_write::{PointChange, PointWrite};
use crate::query::plan::{Kind, Plan};
use crate::status::Stat;
use crate::value::convert::now;
use crate::value::{DatumBuf, SqlMode, StoreCtx, Value};
use std::sync::Arc;
use weir_engine::row::RowView;
use weir_engine::{Alone, Db, Durability, Error as EngineError, Made, Owed, RowChange, Table, Txn};

/// What a write that has happened came to.
#[derive(Default)]
pub struct Wrote {
    /// False: the row is what it was to be.
    pub changed: bool,
    /// Of a transaction that has ended with it.
    pub owed: Option<Owed>,
    /// The number that the AUTO_INCREMENT column was given; 0: none.
    pub generated: u64,
    /// The one that it got from the statement.
    pub explicit: u64,
}

type Done = Option<Result<Wrote, EngineError>>;

/// The transaction of a write.
pub enum Within<'t> {
    Txn(&'t mut Txn),
    /// It is the whole of one, for this session.
    Alone {
        db: &'t Db,
        session: u64,
        durability: Durability,
    },
}

impl Within<'_> {
    fn change(
        &mut self,
        t: &Arc<Table>,
        (index, key): (usize, &[u8]),
        change: RowChange<'_>,
    ) -> Option<Result<Alone, EngineError>> {
        match self {
            Within::Txn(txn) => {
                let changed = txn.change_now(t, index, key, change)?;
                Some(Ok(Alone { changed, owed: None }))
            }
            Within::Alone { db, session, durability } => {
                db.change_alone(t, (index, key), change, (*session, *durability))
            }
        }
    }

    fn put_new(&mut self, t: &Arc<Table>, row: &[u8]) -> Option<Result<Alone, EngineError>> {
        match self {
            Within::Txn(txn) => {
                txn.insert_now(t, row)?;
                Some(Ok(Alone { changed: true, owed: None }))
            }
            Within::Alone { db, session, durability } => {
                db.insert_alone(t, row, (*session, *durability))
            }
        }
    }
}

impl From<Alone> for Wrote {
    fn from(Alone { changed, owed }: Alone) -> Wrote {
        Wrote { changed, owed, ..Wrote::default() }
    }
}

/// Runs a write by its point plan. `key`: of the row, by [`PointWrite::key`].
pub fn write_now(
    plan: &Plan,
    key: &[u8],
    params: &[Value<'static>],
    cx: StatementCtx<'_>,
    within: &mut Within<'_>,
) -> Done {
    let write = plan.point_write()?;
    let StatementCtx { reads, now_micros, changes } = cx;
    let Changes { user_vars, .. } = changes;
    let cx = reads.eval(now_micros);
    let mut ev = Ev { cx, vars: reads.vars, user_vars, lists: Lists::kept() };
    ev.cx.strict_dml = ev.cx.mode.strict();
    let done = match (&plan.kind, &write.what) {
        (Kind::Change(p), PointChange::Update { by_row, .. }) => {
            let What::Update(assigns) = &p.what else { return None };
            update(write, p, (assigns, by_row), key, params, &mut ev, within)?
        }
        (Kind::Change(_), PointChange::Delete { .. }) => within
            .change(&write.table.engine, (write.index, key), RowChange::Delete)?
            .map(Wrote::from),
        (Kind::Insert(p), PointChange::Insert) => {
            insert(write, p, reads.settings.auto_increment, params, &mut ev, within)?
        }
        _ => return None,
    };
    if done.as_ref().is_ok_and(|wrote| wrote.changed) {
        reads.work.inc(write.what.stat());
    }
    Some(done)
}

impl PointChange {
    /// The counter of such writes.
    fn stat(&self) -> Stat {
        match self {
            PointChange::Update { .. } => Stat::Handler_update,
            PointChange::Delete { .. } => Stat::Handler_delete,
            PointChange::Insert => Stat::Handler_write,
        }
    }
}

/// A value as its column keeps it, where there is nothing to say of it.
fn stored(
    table: &SqlTable,
    col: usize,
    v: &Value<'_>,
    has_session: bool,
    ev: &mut Ev<'_>,
) -> Option<DatumBuf> {
    let (c, cx) = (&table.meta.columns[col], &mut ev.cx);
    let mut sx = StoreCtx {
        column: &c.name,
        table: Some(table.name()),
        row: 1,
        strict: cx.mode.strict(),
        mode: cx.mode,
        tz: cx.tz,
        now_micros: cx.now_micros,
        warnings: &mut cx.warnings,
        session: has_session.then_some(cx.session),
    };
    let d = c.ty.store(v, &mut sx).ok()?;
    let silent = cx.warnings.total() == 0;
    silent.then_some(d)
}

#[allow(clippy::too_many_arguments)]
fn update(
    write: &PointWrite,
    p: &ChangePlan,
    (assigns, by_row): (&[Assign], &[bool]),
    key: &[u8],
    params: &[Value<'static>],
    ev: &mut Ev<'_>,
    within: &mut Within<'_>,
) -> Done {
    let table = &write.table;
    let mut changes: Vec<(usize, DatumBuf)> = Vec::with_capacity(assigns.len() + 1);
    let set = |a: &Assign, e: &BExpr, frame: &Frame<'_>, ev: &mut Ev<'_>| {
        let v = eval(e, frame, ev).ok()?;
        let d = stored(table, a.col, &v, true, ev)?;
        let bears = d != DatumBuf::Null || table.meta.columns[a.col].nullable;
        bears.then_some(d)
    };
    for (a, by_row) in assigns.iter().zip(by_row) {
        let e = a.value.as_ref()?;
        let d = match by_row {
            true => DatumBuf::Null,
            false => set(a, e, &Frame::empty(params), ev)?,
        };
        changes.push((a.col, d));
    }
    let mut make = |old: &[u8], new: &mut Vec<u8>| {
        if by_row.contains(&true) {
            let slots = [Slot::Bytes(old.to_vec())];
            let (block, shapes) = (Some(&p.block), &p.block.shapes[..]);
            let frame = Frame { block, shapes, slots: &slots, ..Frame::empty(params) };
            for ((a, _), change) in
                assigns.iter().zip(by_row).zip(&mut changes).filter(|((_, by_row), _)| **by_row)
            {
                let Some(d) = a.value.as_ref().and_then(|e| set(a, e, &frame, ev)) else {
                    return Made::Declined;
                };
                change.1 = d;
            }
        }
        let view = RowView::new(&table.engine.layout, old);
        // A row that stays as it is has no new version.
        if changes.iter().all(|(c, d)| view.get(*c) == d.as_ref()) {
            return Made::Same;
        }
        let touched =
            table.rules.touched.is_empty() || before_update(table, &mut changes, ev).is_ok();
        let made = touched && put_columns(table, old, &changes, new).is_ok();
        changes.truncate(assigns.len());
        match made && ev.cx.warnings.total() == 0 {
            true => Made::New,
            false => Made::Declined,
        }
    };
    Some(
        within
            .change(&table.engine, (write.index, key), RowChange::Update(&mut make))?
            .map(Wrote::from),
    )
}

fn insert(
    write: &PointWrite,
    p: &InsertPlan,
    (increment, offset): (u64, u64),
    params: &[Value<'static>],
    ev: &mut Ev<'_>,
    within: &mut Within<'_>,
) -> Done {
    let table = &write.table;
    let mut row = values(table, p, params, ev)?;
    let (mut wrote, mut taken) = (Wrote::default(), None);
    if let Some(col) = table.rules.counter {
        match &row[col] {
            d if generates(d, ev.cx.mode) => {
                if table.meta.columns[col].nullable {
                    return None;
                }
                let number = table.engine.auto_increment_now(increment, offset)?;
                (wrote.generated, taken) = (number.first, Some(number));
            }
            // The counter would have to follow.
            d if counted(d).is_some_and(|v| v >= table.engine.auto_increment_next()) => {
                return None;
            }
            DatumBuf::Int(v) => wrote.explicit = *v as u64,
            DatumBuf::UInt(v) => wrote.explicit = *v,
            _ => {}
        }
        if wrote.generated > 0 {
            let number = stored(table, col, &Value::UInt(wrote.generated), true, ev);
            row[col] = number.unwrap_or(DatumBuf::Null);
        }
    }
    let mut image = Vec::with_capacity(256);
    let whole = table.rules.required.iter().all(|c| row[*c] != DatumBuf::Null);
    let made = whole && build(table, &row, &mut image).is_ok();
    let done = match made {
        true => within.put_new(&table.engine, &image),
        false => None,
    };
    if let (None, Some(taken)) = (&done, taken) {
        table.engine.auto_increment_untake(taken);
    }
    Some(done?.map(|Alone { changed, owed }| Wrote { changed, owed, ..wrote }))
}

/// The row's AUTO_INCREMENT column is left to the counter.
fn generates(d: &DatumBuf, mode: SqlMode) -> bool {
    let zero = match d {
        DatumBuf::Null => return true,
        DatumBuf::Int(n) => *n == 0,
        DatumBuf::UInt(n) => *n == 0,
        DatumBuf::Float(x) => *x == 0.0,
        _ => false,
    };
    zero && !mode.has(SqlMode::NO_AUTO_VALUE_ON_ZERO)
}

/// The values of the statement's row, and what the other columns have without one.
fn values(
    table: &SqlTable,
    p: &InsertPlan,
    params: &[Value<'static>],
    ev: &mut Ev<'_>,
) -> Option<Vec<DatumBuf>> {
    let Rows::Values(rows) = &p.rows else { return None };
    let mut row = vec![DatumBuf::Null; table.meta.columns.len()];
    for (col, fill) in p.fill.iter().enumerate() {
        match fill {
            Fill::Datum(d) => row[col] = d.clone(),
            Fill::Now(fsp) if !p.targets.contains(&col) => {
                let v = now(&ev.cx, *fsp).map_or(Value::Null, Value::DateTime);
                row[col] = stored(table, col, &v, false, ev)?;
            }
            _ => {}
        }
    }
    let frame = Frame::empty(params);
    for (e, col) in rows.first()?.iter().zip(&p.targets) {
        let v = eval(e.as_ref()?, &frame, ev).ok()?;
        row[*col] = stored(table, *col, &v, false, ev)?;
    }
    (ev.cx.warnings.total() == 0).then_some(row)
}
