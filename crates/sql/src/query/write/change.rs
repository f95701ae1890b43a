//! Running UPDATE and DELETE, of one table or many: rows are found by a block that locks them exclusively.
//!
//! A single table whose scan cannot meet its own changes is changed row by row; otherwise the rows are collected first, by clustered key, and
//! changed after.

use super::defaults::{default_for, is_expression, set_to_defaults};
use super::{RowWriter, RowsBeside, ThroughView, Updated, WriteKind, moves, with_assigned, zero};
use crate::ddl::refused::value_error;
use crate::errno;
use crate::memory::{Held, row_bytes};
use crate::meta::SqlTable;
use crate::planted::{self, Bug};
use crate::query::bind::rules::Storing;
use crate::query::eval::frame::{Frame, Slot};
use crate::query::eval::{Ev, eval, is_true};
use crate::query::exec::join::Joiner;
use crate::query::exec::order::SortOrder;
use crate::query::exec::sort::sort;
use crate::query::exec::{Runner, source_lock};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::Source;
use crate::query::plan::change::{Assign, ChangePlan, ViewRows, What};
use crate::query::plan::outcome::{Outcome, Row, Run};
use crate::session_api::SqlError;
use crate::value::{DatumBuf, StoreCtx, Value, ValueError, Warnings};
use crate::vars::Var;
use std::collections::HashSet;
use std::sync::Arc;
use weir_engine::row::RowView;
use weir_engine::{LockMode, OnLocked, RowBuf, Table};

/// MySQL's text ends so: a reason may follow.
const UNSAFE: &str = "You are using safe update mode and you tried to update a table without a WHERE that uses a KEY \
                      column. ";

/// A row found, to be changed later.
struct Found {
    sort: Row,
    /// For each target table (by number in the block): where the row is, clustered key, and the values for UPDATE of many tables.
    rows: Vec<(usize, Arc<Table>, Vec<u8>)>,
    values: Vec<Value<'static>>,
    /// By slot the rows of tables that a view's WITH CHECK OPTION looks at beside the changed one.
    beside: Option<RowsBeside>,
}

impl Found {
    fn bytes(&self) -> usize {
        // Each key is there twice: in the list, and among those seen.
        let key = |k: &Vec<u8>| 2 * (size_of::<(usize, u64, Vec<u8>)>() + k.len());
        let keys: usize = self.rows.iter().map(|(.., k)| key(k)).sum();
        let beside: usize = self.beside.iter().flat_map(|b| b.iter()).flatten().map(Vec::len).sum();
        size_of::<Found>() + keys + beside + row_bytes(&self.sort) + row_bytes(&self.values)
    }
}

pub async fn run(r: &mut Runner<'_, '_>, p: &ChangePlan) -> Run<Outcome> {
    if p.unsafe_scan && r.ev.vars.bool(Var::sql_safe_updates) {
        return Err(SqlError::new(errno::ER_UPDATE_WITHOUT_KEY_IN_SAFE_MODE, UNSAFE).into());
    }
    for t in &p.block.tables {
        if let (Source::Table(table), LockMode::Exclusive) = (&t.source, t.lock) {
            r.txn.use_table(&table.engine, true).await?;
        }
    }
    r.ev.cx.strict_dml = r.ev.cx.mode.strict() && !p.ignore;
    let before = r.default_lock;
    if p.block.tables.len() > 1 && before == LockMode::None {
        r.default_lock = source_lock(r.txn);
    }
    let done = run_change(r, p).await;
    r.default_lock = before;
    let done = done?;
    r.ev.refuse_strict()?;
    Ok(done)
}

async fn run_change(r: &mut Runner<'_, '_>, p: &ChangePlan) -> Run<Outcome> {
    let (_, limit) = r.limits(p.limit.as_ref())?;
    let kind = if p.deletes() { WriteKind::Delete } else { WriteKind::Update };
    let mut writer = RowWriter::new(kind, p.ignore);
    moves::refuse_twins(p, &mut writer, r)?;
    let collects = p.collect || moves::by_triggers(p, &mut writer, r);
    let mut x = Changer { p, matched: 0, changed: 0, buf: RowBuf::default(), writer };
    if limit > 0 {
        if collects {
            let (found, held) = collect(r, p, limit).await?;
            r.lasting.stop();
            x.apply(r, found).await?;
            drop(held);
        } else {
            r.lasting.stop();
            let mut j = Joiner::new(&p.block);
            let table = p.block.steps.first().map_or(0, |s| s.table);
            while (x.matched as usize) < limit && j.next(r, None).await? {
                x.matched += 1;
                x.current(r, &mut j, table).await?;
                r.ev.refuse_strict()?;
            }
        }
    }
    let warnings = r.ev.cx.warnings.total();
    Ok(match &p.what {
        What::Update(_) => Outcome {
            affected: if r.reads.conn.found_rows { x.matched } else { x.changed },
            info: format!(
                "Rows matched: {}  Changed: {}  Warnings: {warnings}",
                x.matched, x.changed
            ),
            ..Outcome::default()
        },
        What::Delete(_) => Outcome { affected: x.changed, ..Outcome::default() },
    })
}

async fn collect(r: &mut Runner<'_, '_>, p: &ChangePlan, limit: usize) -> Run<(Vec<Found>, Held)> {
    let mut j = Joiner::new(&p.block);
    let mut out: Vec<Found> = Vec::new();
    let mut held = Held::default();
    let mut seen: HashSet<(usize, u64, Vec<u8>)> = HashSet::new();
    let targets: Vec<usize> = match &p.what {
        What::Delete(t) => t.clone(),
        // One of which only a generated column is given its default is among them.
        What::Update(_) => {
            let tables = p.block.tables.iter().enumerate();
            tables.filter(|(_, t)| t.lock == LockMode::Exclusive).map(|(n, _)| n).collect()
        }
    };
    let mut sorted = !p.block.order.is_empty();
    let (item_subs, order_subs) = subs_of(p);
    while (sorted || out.len() < limit) && j.next(r, None).await? {
        sorted |= j.widened && !p.order.is_empty();
        let mut rows = Vec::new();
        for &t in &targets {
            if let (Some(k), Some(home)) = (j.slots[t].key(), j.home(t))
                && seen.insert((t, home.def.id, k.to_vec()))
            {
                rows.push((t, home.clone(), k.to_vec()));
            }
        }
        if rows.is_empty() {
            continue;
        }
        let looking_back = match &p.what {
            What::Update(assigns) if p.looks_back && !p.multi && !item_subs.is_empty() => {
                Some(values_looking_back(r, p, &mut j, assigns).await?)
            }
            _ => None,
        };
        let needed = if looking_back.is_some() { &order_subs } else { &item_subs };
        if !needed.is_empty() {
            j.run_subs(needed, r, None).await?;
        }
        let frame = j.frame(r.params, None);
        let sort = if sorted {
            p.order
                .iter()
                .map(|(e, _)| eval(e, &frame, &mut r.ev).map(Value::into_owned))
                .collect::<Result<Row, _>>()?
        } else {
            Row::new()
        };
        // Values that need other tables or subqueries are computed here, where those rows are.
        let values = match &p.what {
            _ if looking_back.is_some() => looking_back.unwrap_or_default(),
            What::Update(assigns) if p.multi || !item_subs.is_empty() => assigns
                .iter()
                .map(|a| match &a.value {
                    Some(e) => eval(e, &frame, &mut r.ev).map(Value::into_owned),
                    None => Ok(Value::Null),
                })
                .collect::<Result<_, _>>()?,
            _ => Vec::new(),
        };
        let found = Found { sort, rows, values, beside: rows_beside(p, &j) };
        r.ev.cx.hold(&mut held, found.bytes())?;
        out.push(found);
    }
    if sorted {
        let order = SortOrder::by(&p.order);
        sort(&mut out, |a, b| order.compare(&a.sort, &b.sort), |n| r.ev.cx.work(n))?;
        out.truncate(limit);
    }
    Ok((out, held))
}

/// The subqueries of the values and of the order together, and those of the order.
fn subs_of(p: &ChangePlan) -> (Vec<u32>, Vec<u32>) {
    let (mut all, mut of_order) = (Vec::new(), Vec::new());
    if let What::Update(assigns) = &p.what {
        assigns.iter().filter_map(|a| a.value.as_ref()).for_each(|e| e.subs(&mut all));
    }
    for (e, _) in &p.order {
        e.subs(&mut all);
        e.subs(&mut of_order);
    }
    (all, of_order)
}

/// The values of a row, of which each sees those that are assigned before it, as do the subqueries and functions that it asks for.
async fn values_looking_back(
    r: &mut Runner<'_, '_>,
    p: &ChangePlan,
    j: &mut Joiner<'_>,
    assigns: &[Assign],
) -> Run<Row> {
    let Some(t) = assigns.first().map(|a| a.table) else { return Ok(Row::new()) };
    let Source::Table(table) = &p.block.tables[t].source else { return Ok(Row::new()) };
    let mut now = j.slots[t].bytes().unwrap_or_default().to_vec();
    let found = std::mem::replace(&mut j.slots[t], Slot::Bytes(now.clone()));
    let mut values = Row::new();
    for a in assigns {
        let Some(e) = a.value.as_ref().filter(|_| !is_itself(a)) else {
            values.push(Value::Null);
            continue;
        };
        let mut subs = Vec::new();
        e.subs(&mut subs);
        j.run_subs(&subs, r, None).await?;
        let v = eval(e, &j.frame(r.params, None), &mut r.ev)?.into_owned();
        // What there is to say of the value is said when the row is changed.
        let said = std::mem::replace(&mut r.ev.cx.warnings, Warnings::with_limit(0));
        let stored = stored(p, 0, r, table, a.col, &v);
        r.ev.cx.warnings = said;
        if let Ok(d) = stored
            && let Some(assigned) = with_assigned(table, &now, a.col, &d)?
        {
            now = assigned;
            j.slots[t] = Slot::Bytes(now.clone());
        }
        values.push(v);
    }
    j.slots[t] = found;
    Ok(values)
}

/// The rows that conditions of views look at beside those that are changed.
fn rows_beside(p: &ChangePlan, j: &Joiner<'_>) -> Option<RowsBeside> {
    if p.checks.iter().all(|v| v.beside.is_empty()) {
        return None;
    }
    let looked_at = |slot: &usize| p.checks.iter().any(|v| v.beside.contains(slot));
    let row = |slot: usize| j.slots[slot].bytes().filter(|_| looked_at(&slot)).map(<[u8]>::to_vec);
    Some((0..p.block.tables.len()).map(row).collect())
}

/// What was known of a row when it was found.
struct Known<'f> {
    values: Option<&'f [Value<'static>]>,
    beside: Option<RowsBeside>,
}

struct Changer<'p> {
    p: &'p ChangePlan,
    matched: u64,
    changed: u64,
    buf: RowBuf,
    writer: RowWriter<'p>,
}

/// A column that is set to itself stays as it is, whatever would become of its value; and it is set, so ON UPDATE leaves it.
fn is_itself(a: &Assign) -> bool {
    match &a.value {
        Some(BExpr { node: Node::Col(c), .. }) => {
            (c.depth, usize::from(c.table), usize::from(c.col)) == (0, a.table, a.col)
        }
        _ => false,
    }
}

impl Changer<'_> {
    async fn apply(&mut self, r: &mut Runner<'_, '_>, found: Vec<Found>) -> Run<()> {
        let p = self.p;
        for (n, f) in found.into_iter().enumerate() {
            if n % 256 == 255 && r.is_killed() {
                return Err(SqlError::interrupted().into());
            }
            for (t, home, key) in &f.rows {
                let Source::Table(table) = &p.block.tables[*t].source else { continue };
                if !r
                    .txn
                    .get(home, 0, key, LockMode::Exclusive, OnLocked::Wait, &mut self.buf)
                    .await?
                {
                    continue;
                }
                self.matched += 1;
                match &p.what {
                    What::Delete(_) => {
                        if *t > 0 && planted::is(Bug::SecondTableKept) {
                            continue;
                        }
                        let buf = &self.buf;
                        let gone = self.writer.delete(r, table, &buf.key, &buf.row).await?;
                        self.changed += u64::from(gone);
                    }
                    What::Update(assigns) => {
                        let old = std::mem::take(&mut self.buf.row);
                        let values = if f.values.is_empty() { None } else { Some(&f.values[..]) };
                        let known = Known { values, beside: f.beside.clone() };
                        let done =
                            self.update(r, *t, table, &key.clone(), &old, assigns, known).await;
                        self.buf.row = old;
                        done?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Changes the row the joiner stands on.
    async fn current(&mut self, r: &mut Runner<'_, '_>, j: &mut Joiner<'_>, t: usize) -> Run<()> {
        let p = self.p;
        let Source::Table(table) = &p.block.tables[t].source else { return Ok(()) };
        let (Some(key), Some(old)) = (j.slots[t].key(), j.slots[t].bytes()) else { return Ok(()) };
        match &p.what {
            What::Delete(_) => {
                let gone = self.writer.delete(r, table, key, old).await?;
                self.changed += u64::from(gone);
                Ok(())
            }
            What::Update(assigns) => {
                let known = Known { values: None, beside: None };
                self.update(r, t, table, key, old, assigns, known).await
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    async fn update(
        &mut self,
        r: &mut Runner<'_, '_>,
        t: usize,
        table: &Arc<SqlTable>,
        key: &[u8],
        old: &[u8],
        assigns: &[Assign],
        known: Known<'_>,
    ) -> Run<()> {
        let p = self.p;
        let values = known.values;
        let mut changes: Vec<(usize, DatumBuf)> = Vec::with_capacity(assigns.len());
        let seen_first = self.writer.has_before_update(r, table);
        // Columns set to a default that is an expression, which sees the other values.
        let mut unset = Vec::new();
        // The row as expressions see it: with the assignments made so far.
        let mut slots: Vec<Slot> = (0..p.block.tables.len()).map(|_| Slot::Null).collect();
        if values.is_none() {
            slots[t] = Slot::Bytes(old.to_vec());
        }
        for (n, a) in assigns.iter().enumerate().filter(|(_, a)| a.table == t) {
            if is_itself(a) {
                let now = slots[t].bytes().unwrap_or(old);
                let d = RowView::new(&table.engine.layout, now).get(a.col).to_buf();
                changes.retain(|(c, _)| *c != a.col);
                changes.push((a.col, d));
                continue;
            }
            if a.value.is_none() && is_expression(table, a.col) {
                unset.push(a.col);
                continue;
            }
            let v = match (&a.value, values) {
                (None, _) => {
                    let e = default_for(table, a.col, &r.ev)?;
                    eval(&e, &Frame::empty(r.params), &mut r.ev)?.into_owned()
                }
                (Some(_), Some(values)) => values[n].clone(),
                (Some(e), None) => {
                    let (block, shapes) = (Some(&p.block), &p.block.shapes);
                    let frame = Frame { block, shapes, slots: &slots, ..Frame::empty(r.params) };
                    eval(e, &frame, &mut r.ev)?.into_owned()
                }
            };
            let open = seen_first && v.is_null() && !table.meta.columns[a.col].nullable;
            let d = match open {
                true => DatumBuf::Null,
                false => stored(p, self.matched, r, table, a.col, &v)?,
            };
            if p.looks_back && values.is_none() {
                let now = slots[t].bytes().unwrap_or_default();
                if let Some(now) = with_assigned(table, now, a.col, &d)? {
                    slots[t] = Slot::Bytes(now);
                }
            }
            changes.retain(|(c, _)| *c != a.col);
            changes.push((a.col, d));
        }
        if !unset.is_empty() {
            let how =
                Storing { strict: r.ev.cx.mode.strict() && !self.p.ignore, row: self.matched };
            set_to_defaults(r, table, old, &unset, &mut changes, (how, self.p.ignore))?;
        }
        self.aim(t, known.beside);
        if self.writer.update(r, table, key, old, &mut changes).await? == Updated::Changed {
            self.changed += 1;
        }
        Ok(())
    }
}

impl Changer<'_> {
    /// Rows of the table in a slot are written next: into which partitions, and through which view.
    fn aim(&mut self, t: usize, beside: Option<RowsBeside>) {
        let p = self.p;
        let view = p.checks.iter().find(|v| v.table == t);
        self.writer.within(p.block.tables[t].selected.clone());
        let through = view.map(|rows| ThroughView {
            rows,
            shapes: &p.block.shapes,
            subs: &p.block.subs,
            beside,
        });
        self.writer.through(through);
    }
}

/// A value as its column keeps it; for NULL where there must be none, 1048 or the type's zero.
fn stored(
    p: &ChangePlan,
    matched: u64,
    r: &mut Runner<'_, '_>,
    table: &SqlTable,
    col: usize,
    v: &Value<'_>,
) -> Run<DatumBuf> {
    let c = &table.meta.columns[col];
    let strict = r.ev.cx.mode.strict() && !p.ignore;
    let cx = &mut r.ev.cx;
    let mut sx = StoreCtx {
        column: &c.name,
        table: Some(table.name()),
        row: matched,
        strict,
        mode: cx.mode,
        tz: cx.tz,
        now_micros: cx.now_micros,
        warnings: &mut cx.warnings,
        session: Some(cx.session),
    };
    let d = c.ty.store(v, &mut sx)?;
    if !matches!(d, DatumBuf::Null) || c.nullable {
        return Ok(d);
    }
    if strict || !c.ty.has_zero() {
        return Err(value_error(ValueError::bad_null(&c.name)).into());
    }
    cx.warnings.demote(ValueError::bad_null(&c.name));
    Ok(zero(table, col))
}

impl ViewRows {
    /// 1369 unless the row in `frame` is one of the view's. `false`: it is passed over (IGNORE).
    pub fn check(&self, frame: &Frame<'_>, ev: &mut Ev<'_>, ignore: bool) -> Run<bool> {
        for c in &self.conds {
            if is_true(c, frame, ev)? {
                continue;
            }
            let text = format!("CHECK OPTION failed '{}.{}'", self.view.0, self.view.1);
            if !ignore {
                return Err(SqlError::new(errno::ER_VIEW_CHECK_FAILED, text).into());
            }
            ev.cx.warnings.warn(errno::ER_VIEW_CHECK_FAILED, || text);
            return Ok(false);
        }
        Ok(true)
    }
}
