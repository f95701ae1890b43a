//! UPDATE and DELETE, of one table or many.
//!
//! Rows are found by a block that locks them exclusively. A single table whose scan cannot meet its own changes is changed
//! row by row; otherwise the rows are collected first, by clustered key, and changed after.

use super::bind::{Binder, Raw, by_place, default_value, shapes_of, split_and};
use super::emit::SortOrder;
use super::exec::Runner;
use super::expr::{BExpr, ColRef, Ev, Node, eval, is_true};
use super::frame::{Frame, Row, Shape, Slot};
use super::join::Joiner;
use super::plan::{Access, Block, Limit, Source, Sub, TableSlot, refuse_own_reads};
use super::rules::{self, Storing};
use super::scope::Scope;
use super::sort::sort;
use super::write::{RowWriter, Updated, WriteKind, with_columns, zero};
use super::{Outcome, Run, optimize, source_lock};
use crate::account::Privileges;
use crate::ddl::rebuild::value_error;
use crate::errno;
use crate::memory::{Held, row_bytes};
use crate::meta::{ColumnDefault, SqlTable};
use crate::session_api::SqlError;
use crate::value::convert::now;
use crate::value::{DatumBuf, StoreCtx, Value, ValueError};
use crate::vars::Var;
use std::collections::HashSet;
use std::sync::Arc;
use weir_engine::row::RowView;
use weir_engine::{LockMode, OnLocked, RowBuf};
use weir_syntax::ast::{self, Expr};

/// `column = value` of a table; a missing value is DEFAULT.
pub struct Assign {
    pub table: usize,
    pub col: usize,
    pub value: Option<BExpr>,
}

pub enum What {
    Update(Vec<Assign>),
    /// Tables of the block whose rows go.
    Delete(Vec<usize>),
}

pub struct ChangePlan {
    pub block: Block,
    pub what: What,
    pub ignore: bool,
    pub order: Vec<(BExpr, bool)>,
    pub limit: Option<Limit>,
    /// Rows must be known before the first is changed.
    pub collect: bool,
    /// A value looks at a column that is assigned before it.
    pub looks_back: bool,
    pub multi: bool,
    /// Of tables that are changed through views WITH CHECK OPTION: what the new rows must fulfil.
    pub checks: Vec<ViewRows>,
    /// No index finds the rows, and no LIMIT bounds them: refused under `sql_safe_updates`.
    pub unsafe_scan: bool,
}

/// What rows must fulfil that are written through a view.
pub struct ViewRows {
    /// Number in the block.
    pub table: usize,
    pub view: (String, String),
    pub conds: Vec<BExpr>,
}

impl ViewRows {
    /// Of the tables of a block that are views with the option.
    pub fn of(scope: &Scope) -> Vec<ViewRows> {
        let of = |(table, t): (usize, &super::scope::ScopeTable)| {
            let m = t.merged.as_ref().filter(|m| !m.check.is_empty())?;
            Some(ViewRows { table, view: m.view.clone(), conds: m.check.clone() })
        };
        scope.tables.iter().enumerate().filter_map(of).collect()
    }

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

impl ChangePlan {
    /// DELETE, not UPDATE.
    pub fn deletes(&self) -> bool {
        matches!(self.what, What::Delete(_))
    }

    /// Whether rows of the table are changed.
    pub fn changes(&self, t: &Arc<SqlTable>) -> bool {
        self.block.tables.iter().any(|s| {
            s.lock == LockMode::Exclusive
                && matches!(&s.source, Source::Table(x) if Arc::ptr_eq(x, t))
        })
    }
}

struct Bound {
    tables: Vec<TableSlot>,
    raw: Raw,
    order: Vec<(BExpr, bool)>,
    limit: Option<Limit>,
}

fn bind_from(
    b: &mut Binder<'_>,
    from: &[ast::TableRef],
    where_: Option<&Expr>,
    order_by: &[ast::OrderItem],
    limit: Option<&ast::Limit>,
) -> Result<Bound, SqlError> {
    let mut raw = Raw::default();
    let mut tables = Vec::new();
    for t in from {
        b.from(t, None, &mut raw, &mut tables)?;
    }
    b.place("where clause");
    if let Some(w) = where_ {
        let e = b.numeric(w)?;
        split_and(e, &mut raw.conds);
    }
    b.place("order clause");
    let mut order = Vec::new();
    for o in order_by {
        order.push((by_place(b.scalar(&o.expr)?), o.descending));
    }
    let limit = b.limit(limit)?;
    b.place("field list");
    Ok(Bound { tables, raw, order, limit })
}

fn block_of(bound: &mut Bound, subs: Vec<Sub>) -> Block {
    let tables = std::mem::take(&mut bound.tables);
    let shapes = shapes_of(&tables);
    Block {
        tables,
        shapes,
        steps: Vec::new(),
        groups: Vec::new(),
        gate: Vec::new(),
        subs,
        agg: None,
        extremes: None,
        windows: Vec::new(),
        having: None,
        items: Vec::new(),
        item_subs: Vec::new(),
        distinct: false,
        order: bound.order.clone(),
        limit: bound.limit.clone(),
        calc_found_rows: false,
        index_order: Vec::new(),
        raw: Some(std::mem::take(&mut bound.raw)),
        seen: Default::default(),
    }
}

fn updatable<'t>(
    tables: &'t [TableSlot],
    t: usize,
    verb: &str,
) -> Result<&'t Arc<SqlTable>, SqlError> {
    match &tables[t].source {
        Source::Table(table) => Ok(table),
        _ => Err(SqlError::new(
            1288,
            format!("The target table {} of the {verb} is not updatable", tables[t].alias),
        )),
    }
}

/// 1221: rows of a join have no order to be changed in.
fn refuse_order(u: &ast::Update) -> Result<(), SqlError> {
    let clause = match () {
        () if !u.order_by.is_empty() => "ORDER BY",
        () if u.limit.is_some() => "LIMIT",
        () => return Ok(()),
    };
    let text = format!("Incorrect usage of UPDATE and {clause}");
    Err(SqlError::new(errno::ER_WRONG_USAGE, text))
}

fn refuse_target_reads(tables: &[TableSlot], t: usize, subs: &[Sub]) -> Result<(), SqlError> {
    match &tables[t].source {
        Source::Table(table) => refuse_own_reads(subs, table, &tables[t].alias),
        Source::Derived(_) | Source::Virtual(..) | Source::Working(..) => Ok(()),
    }
}

pub async fn bind_update(b: &mut Binder<'_>, u: &ast::Update) -> Result<ChangePlan, SqlError> {
    b.with(u.with.as_ref())?;
    b.enter(Scope::default());
    let bound = (|| {
        let mut bound = bind_from(b, &u.tables, u.where_.as_ref(), &u.order_by, u.limit.as_ref())?;
        if bound.tables.len() > 1 {
            refuse_order(u)?;
        }
        let mut assigns: Vec<Assign> = Vec::new();
        let mut looks_back = false;
        for a in &u.assignments {
            let (t, col) = b.target_column(&a.column)?;
            let table = updatable(&bound.tables, t as usize, "UPDATE")?;
            match b.top().scope.tables[t as usize].merged.clone() {
                Some(m) => b.change_through(&m, Privileges::UPDATE),
                None => b.uses.table(table.schema(), table.name(), Privileges::UPDATE),
            }
            b.changes(table, &b.top().scope.tables[t as usize])?;
            let ty = table.meta.columns[col as usize].ty;
            let column = &table.meta.columns[col as usize];
            if column.is_generated() {
                match a.value {
                    Expr::Default => continue,
                    _ => return Err(generated_value(&column.name, table.name())),
                }
            }
            let value = match &a.value {
                Expr::Default => None,
                e => {
                    let e = b.stored(e, &ty)?;
                    e.walk(&mut |n| {
                        if let Node::Col(ColRef { depth: 0, table, col }) = n.node {
                            looks_back |= assigns
                                .iter()
                                .any(|a| a.table == table as usize && a.col == col as usize);
                        }
                    });
                    Some(e)
                }
            };
            assigns.push(Assign { table: t as usize, col: col as usize, value });
        }
        for a in &assigns {
            bound.tables[a.table].lock = LockMode::Exclusive;
        }
        for (n, t) in bound.tables.iter().enumerate() {
            if t.lock == LockMode::Exclusive || b.top().scope.tables[n].merged.is_some() {
                continue;
            }
            if let Source::Table(table) = &t.source {
                b.uses.table(table.schema(), table.name(), Privileges::SELECT);
            }
        }
        Ok::<_, SqlError>((bound, assigns, looks_back))
    })();
    let ctx = b.leave();
    let (mut bound, assigns, looks_back) = bound?;
    let checks = ViewRows::of(&ctx.scope);
    for a in &assigns {
        refuse_target_reads(&bound.tables, a.table, &ctx.subs)?;
    }
    let multi = bound.tables.len() > 1;
    let mut block = block_of(&mut bound, ctx.subs);
    let searchable = optimize::searchable(&block, b.env);
    let scanned = assigns.iter().any(|a| searchable & (1 << a.table) == 0);
    let unsafe_scan = scanned && block.limit.is_none();
    optimize::block(&mut block, b.env).await?;
    for a in &assigns {
        block.tables[a.table].needs_external = true;
    }
    let meets_itself =
        block.steps.first().is_some_and(|s| match (&s.access, &block.tables[s.table].source) {
            (Access::Point(_), _) => false,
            (Access::Scan { index, .. }, Source::Table(t)) => moves(t, *index, &assigns),
            (Access::Ranges { key, .. }, Source::Table(t)) => moves(t, key.index, &assigns),
            _ => true,
        });
    let has_subs = block.subs.iter().any(|s| s.plan.is_some());
    let collect = multi || meets_itself || is_ordered(&block) || has_subs;
    Ok(ChangePlan {
        block,
        what: What::Update(assigns),
        ignore: u.ignore,
        order: bound.order,
        limit: bound.limit,
        collect,
        looks_back,
        multi,
        checks,
        unsafe_scan,
    })
}

fn is_ordered(b: &Block) -> bool {
    !b.order.is_empty() || !b.index_order.is_empty()
}

/// 3105.
pub fn generated_value(column: &str, table: &str) -> SqlError {
    let text = format!(
        "The value specified for generated column '{column}' in table '{table}' is not allowed."
    );
    SqlError::new(3105, text)
}

/// Whether the changes move rows within the index that is scanned.
fn moves(t: &SqlTable, index: usize, assigns: &[Assign]) -> bool {
    let parts = |i: usize| t.engine.def.indexes[i].parts.iter().map(|p| p.col);
    assigns.iter().any(|a| parts(index).chain(parts(0)).any(|c| c == a.col))
        || t.rules.generated.iter().any(|col| parts(index).any(|p| p == *col))
        || t.rules.touched.iter().any(|(col, _)| parts(index).any(|p| p == *col))
}

/// Tables of the block whose rows go.
fn delete_targets(d: &ast::Delete, tables: &[TableSlot]) -> Result<Vec<usize>, SqlError> {
    let mut targets = Vec::new();
    if d.targets.is_empty() {
        targets.push(0);
    }
    for n in &d.targets {
        let at = tables.iter().position(|t| {
            *t.alias == *n.name.as_str()
                && match (&n.schema, &t.source) {
                    (Some(s), Source::Table(t)) => t.schema() == s.as_str(),
                    _ => true,
                }
        });
        match at {
            Some(at) if !targets.contains(&at) => targets.push(at),
            Some(_) => {
                return Err(SqlError::new(1066, format!("Not unique table/alias: '{}'", n.name)));
            }
            None => {
                return Err(SqlError::new(
                    1109,
                    format!("Unknown table '{}' in MULTI DELETE", n.name),
                ));
            }
        }
    }
    Ok(targets)
}

pub async fn bind_delete(b: &mut Binder<'_>, d: &ast::Delete) -> Result<ChangePlan, SqlError> {
    b.with(d.with.as_ref())?;
    b.enter(Scope::default());
    let bound = (|| {
        let mut bound = bind_from(b, &d.from, d.where_.as_ref(), &d.order_by, d.limit.as_ref())?;
        let targets = delete_targets(d, &bound.tables)?;
        for &t in &targets {
            let table = updatable(&bound.tables, t, "DELETE")?.clone();
            match b.top().scope.tables[t].merged.clone() {
                Some(m) => b.change_through(&m, Privileges::DELETE),
                None => b.uses.table(table.schema(), table.name(), Privileges::DELETE),
            }
            b.changes(&table, &b.top().scope.tables[t])?;
            bound.tables[t].lock = LockMode::Exclusive;
        }
        Ok::<_, SqlError>((bound, targets))
    })();
    let ctx = b.leave();
    let (mut bound, targets) = bound?;
    let checks = Vec::new();
    for &t in &targets {
        refuse_target_reads(&bound.tables, t, &ctx.subs)?;
    }
    let multi = bound.tables.len() > 1;
    let mut block = block_of(&mut bound, ctx.subs);
    let searchable = optimize::searchable(&block, b.env);
    let scanned = targets.iter().any(|t| searchable & (1 << t) == 0);
    let unsafe_scan = scanned && block.limit.is_none();
    optimize::block(&mut block, b.env).await?;
    for &t in &targets {
        block.tables[t].needs_external = true;
    }
    let has_subs = block.subs.iter().any(|s| s.plan.is_some());
    let collect = multi || is_ordered(&block) || has_subs;
    Ok(ChangePlan {
        block,
        what: What::Delete(targets),
        ignore: d.ignore,
        order: bound.order,
        limit: bound.limit,
        collect,
        looks_back: false,
        multi,
        checks,
        unsafe_scan,
    })
}

/// MySQL's text ends so: a reason may follow.
const UNSAFE: &str = "You are using safe update mode and you tried to update a table without a WHERE that uses a KEY \
                      column. ";

/// A row found, to be changed later.
struct Found {
    sort: Row,
    /// For each target table (by number in the block): clustered key, and the values for UPDATE of many tables.
    rows: Vec<(usize, Vec<u8>)>,
    values: Vec<Value<'static>>,
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
    done
}

async fn run_change(r: &mut Runner<'_, '_>, p: &ChangePlan) -> Run<Outcome> {
    let (_, limit) = r.limits(p.limit.as_ref())?;
    let kind = if p.deletes() { WriteKind::Delete } else { WriteKind::Update };
    let writer = RowWriter::new(kind, p.ignore);
    let mut x = Changer { p, matched: 0, changed: 0, buf: RowBuf::default(), writer };
    if limit > 0 {
        if p.collect {
            let (found, held) = collect(r, p, limit).await?;
            x.apply(r, found).await?;
            drop(held);
        } else {
            let mut j = Joiner::new(&p.block);
            let table = p.block.steps.first().map_or(0, |s| s.table);
            while (x.matched as usize) < limit && j.next(r, None).await? {
                x.matched += 1;
                x.current(r, &mut j, table).await?;
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
    let mut seen: HashSet<(usize, Vec<u8>)> = HashSet::new();
    let targets: Vec<usize> = match &p.what {
        What::Delete(t) => t.clone(),
        What::Update(a) => {
            let mut t: Vec<usize> = a.iter().map(|a| a.table).collect();
            t.sort_unstable();
            t.dedup();
            t
        }
    };
    let mut sorted = !p.block.order.is_empty();
    let mut item_subs = Vec::new();
    if let What::Update(assigns) = &p.what {
        assigns.iter().filter_map(|a| a.value.as_ref()).for_each(|e| e.subs(&mut item_subs));
    }
    p.order.iter().for_each(|(e, _)| e.subs(&mut item_subs));
    while (sorted || out.len() < limit) && j.next(r, None).await? {
        sorted |= j.widened && !p.order.is_empty();
        let mut rows = Vec::new();
        for &t in &targets {
            if let Some(k) = j.slots[t].key()
                && seen.insert((t, k.to_vec()))
            {
                rows.push((t, k.to_vec()));
            }
        }
        if rows.is_empty() {
            continue;
        }
        if !item_subs.is_empty() {
            j.run_subs(&item_subs, r, None).await?;
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
            What::Update(assigns) if p.multi || !item_subs.is_empty() => assigns
                .iter()
                .map(|a| match &a.value {
                    Some(e) => eval(e, &frame, &mut r.ev).map(Value::into_owned),
                    None => Ok(Value::Null),
                })
                .collect::<Result<_, _>>()?,
            _ => Vec::new(),
        };
        // Each key is there twice: in the list, and among those seen.
        let keys: usize =
            rows.iter().map(|(_, k)| 2 * (size_of::<(usize, Vec<u8>)>() + k.len())).sum();
        let bytes = size_of::<Found>() + keys + row_bytes(&sort) + row_bytes(&values);
        r.ev.cx.hold(&mut held, bytes)?;
        out.push(Found { sort, rows, values });
    }
    if sorted {
        let order = SortOrder::by(&p.order);
        sort(&mut out, |a, b| order.compare(&a.sort, &b.sort), |n| r.ev.cx.work(n))?;
        out.truncate(limit);
    }
    Ok((out, held))
}

struct Changer<'p> {
    p: &'p ChangePlan,
    matched: u64,
    changed: u64,
    buf: RowBuf,
    writer: RowWriter,
}

impl Changer<'_> {
    async fn apply(&mut self, r: &mut Runner<'_, '_>, found: Vec<Found>) -> Run<()> {
        let p = self.p;
        for (n, f) in found.into_iter().enumerate() {
            if n % 256 == 255 && r.is_killed() {
                return Err(SqlError::interrupted().into());
            }
            for (t, key) in &f.rows {
                let Source::Table(table) = &p.block.tables[*t].source else { continue };
                if !r
                    .txn
                    .get(&table.engine, 0, key, LockMode::Exclusive, OnLocked::Wait, &mut self.buf)
                    .await?
                {
                    continue;
                }
                self.matched += 1;
                match &p.what {
                    What::Delete(_) => {
                        self.writer.delete(r, table, &self.buf.key, &self.buf.row).await?;
                        self.changed += 1;
                    }
                    What::Update(assigns) => {
                        let old = std::mem::take(&mut self.buf.row);
                        let values = if f.values.is_empty() { None } else { Some(&f.values[..]) };
                        let done =
                            self.update(r, *t, table, &key.clone(), &old, assigns, values).await;
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
                self.writer.delete(r, table, key, old).await?;
                self.changed += 1;
                Ok(())
            }
            What::Update(assigns) => self.update(r, t, table, key, old, assigns, None).await,
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
        values: Option<&[Value<'static>]>,
    ) -> Run<()> {
        let p = self.p;
        let mut changes: Vec<(usize, DatumBuf)> = Vec::with_capacity(assigns.len());
        // Columns set to a default that is an expression, which sees the other values.
        let mut unset = Vec::new();
        // The row as expressions see it: with the assignments made so far.
        let mut slots: Vec<Slot> = (0..p.block.tables.len()).map(|_| Slot::Null).collect();
        if values.is_none() {
            slots[t] = Slot::Bytes(old.to_vec());
        }
        for (n, a) in assigns.iter().enumerate().filter(|(_, a)| a.table == t) {
            if a.value.is_none()
                && matches!(table.meta.columns[a.col].default, ColumnDefault::Expr(_))
            {
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
                    let frame =
                        Frame { shapes: &p.block.shapes, slots: &slots, ..Frame::empty(r.params) };
                    eval(e, &frame, &mut r.ev)?.into_owned()
                }
            };
            let d = self.stored(r, table, a.col, &v)?;
            if p.looks_back && values.is_none() {
                let now = with_columns(
                    table,
                    slots[t].bytes().unwrap_or_default(),
                    &[(a.col, d.clone())],
                )?;
                slots[t] = Slot::Bytes(now);
            }
            changes.retain(|(c, _)| *c != a.col);
            changes.push((a.col, d));
        }
        if !unset.is_empty() {
            self.defaults(r, table, old, &unset, &mut changes)?;
        }
        if self.is_of_view(r, t, table, old, &changes)?
            && self.writer.update(r, table, key, old, &mut changes).await? == Updated::Changed
        {
            self.changed += 1;
        }
        Ok(())
    }
}

impl Changer<'_> {
    /// Whether the row as it will be may be written through the view that the statement names, if that is one WITH CHECK OPTION.
    fn is_of_view(
        &self,
        r: &mut Runner<'_, '_>,
        t: usize,
        table: &SqlTable,
        old: &[u8],
        changes: &[(usize, DatumBuf)],
    ) -> Run<bool> {
        let p = self.p;
        let Some(v) = p.checks.iter().find(|v| v.table == t) else { return Ok(true) };
        let mut slots: Vec<Slot> = (0..p.block.tables.len()).map(|_| Slot::Null).collect();
        slots[t] = Slot::Bytes(with_columns(table, old, changes)?);
        let shapes = &p.block.shapes;
        let frame = Frame { shapes, slots: &slots, ..Frame::empty(r.params) };
        v.check(&frame, &mut r.ev, p.ignore)
    }

    /// A value as its column keeps it; for NULL where there must be none, 1048 or the type's zero.
    fn stored(
        &self,
        r: &mut Runner<'_, '_>,
        table: &SqlTable,
        col: usize,
        v: &Value<'_>,
    ) -> Run<DatumBuf> {
        let c = &table.meta.columns[col];
        let strict = r.ev.cx.mode.strict() && !self.p.ignore;
        let cx = &mut r.ev.cx;
        let mut sx = StoreCtx {
            column: &c.name,
            row: self.matched,
            strict,
            mode: cx.mode,
            tz: cx.tz,
            now_micros: cx.now_micros,
            warnings: &mut cx.warnings,
        };
        let d = c.ty.store(v, &mut sx)?;
        if !matches!(d, DatumBuf::Null) || c.nullable {
            return Ok(d);
        }
        if strict {
            return Err(value_error(ValueError::bad_null(&c.name)).into());
        }
        cx.warnings.demote(ValueError::bad_null(&c.name));
        Ok(zero(table, col))
    }

    /// Sets columns to their defaults that are expressions.
    fn defaults(
        &self,
        r: &mut Runner<'_, '_>,
        table: &Arc<SqlTable>,
        old: &[u8],
        unset: &[usize],
        changes: &mut Vec<(usize, DatumBuf)>,
    ) -> Run<()> {
        let view = RowView::new(&table.engine.layout, old);
        let columns = &table.meta.columns;
        let mut row: Vec<DatumBuf> = (0..columns.len()).map(|i| view.get(i).to_buf()).collect();
        for (col, d) in changes.iter() {
            row[*col] = d.clone();
        }
        let how = Storing { strict: r.ev.cx.mode.strict() && !self.p.ignore, row: self.matched };
        let rules = rules::of(table, r.reads, r.ev.user_vars)?;
        rules.fill(unset, &[Shape::Table(table.clone())], columns, &mut row, how, &mut r.ev)?;
        for &col in unset {
            if row[col] == DatumBuf::Null && !columns[col].nullable {
                return Err(value_error(ValueError::bad_null(&columns[col].name)).into());
            }
            changes.retain(|(c, _)| *c != col);
            changes.push((col, row[col].clone()));
        }
        Ok(())
    }
}

/// DEFAULT as a value: of a column without one, NULL or the type's zero is the store's affair.
fn default_for(table: &SqlTable, col: usize, ev: &Ev<'_>) -> Run<BExpr> {
    let c = &table.meta.columns[col];
    if let ColumnDefault::CurrentTimestamp(fsp) = c.default {
        return Ok(BExpr::constant(now(&ev.cx, fsp).map_or(Value::Null, Value::DateTime)));
    }
    Ok(default_value(table, col)?)
}
