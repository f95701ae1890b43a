//! Rows into the table: defaults, generated values, duplicates.

use super::defaults::{default_for, is_expression, set_to_defaults};
use super::{
    Inserted, RowWriter, ThroughView, Updated, WriteKind, counted, locked_row, with_assigned,
};
use crate::ddl::refused::value_error;
use crate::meta::SqlColumn;
use crate::query::bind::partition;
use crate::query::bind::rules::{self, Storing};
use crate::query::eval::eval;
use crate::query::eval::frame::{Frame, Slot, SubResult};
use crate::query::exec::destination::Out;
use crate::query::exec::emit::table_memory;
use crate::query::exec::queue::RowQueue;
use crate::query::exec::{Boxed, Runner, source_lock};
use crate::query::expr::BExpr;
use crate::query::plan::insert::{FIRST_SOURCE, Fill, InsertPlan, Rows};
use crate::query::plan::outcome::{Outcome, Row, Run};
use crate::query::plan::shape::Shape;
use crate::query::plan::{QueryPlan, Sub, SubKind};
use crate::session_api::{ResultSink, SqlError};
use crate::value::convert::now;
use crate::value::{DatumBuf, SqlMode, StoreCtx, Value, ValueError, Warnings};
use weir_engine::row::RowView;
use weir_engine::{LockMode, RowBuf};

/// Progress of one INSERT.
pub struct Inserter<'p> {
    pub(super) p: &'p InsertPlan,
    pub(super) strict: bool,
    /// Values set aside for generated keys: next and how many are left.
    pub(super) reserved: (u64, u64),
    /// They begin at what SET insert_id says: the counter follows them as it follows those that a statement gives itself.
    pub(super) forced: bool,
    pub(super) first_generated: u64,
    last_explicit: u64,
    affected: u64,
    pub(super) records: u64,
    duplicates: u64,
    subs: Vec<SubResult>,
    pub(super) row: Vec<DatumBuf>,
    /// Columns of the row at hand whose defaults are expressions.
    unset: Vec<usize>,
    /// BEFORE INSERT triggers may give columns their values, and these are still without one.
    triggers_give: bool,
    missing: Vec<usize>,
    /// A trigger has ended the statement, whatever rows are left.
    ended: bool,
    /// Columns that the statement leaves out, of which it has been warned.
    told: Vec<usize>,
    /// What ON DUPLICATE KEY UPDATE reads of the SELECT's tables, for the row at hand.
    source: Row,
    pub(super) writer: RowWriter<'p>,
    buf: RowBuf,
}

/// The subqueries that are the same for all rows.
async fn run_first(r: &mut Runner<'_, '_>, p: &InsertPlan) -> Run<Vec<SubResult>> {
    let mut subs: Vec<SubResult> = p.subs.iter().map(|_| SubResult::Pending).collect();
    let later = only_for_duplicates(p);
    for (n, s) in p.subs.iter().enumerate() {
        if !s.correlated && !later.contains(&(n as u32)) {
            let result = r.run_sub(s, &Frame::empty(r.params)).await?;
            subs[n] = result;
        }
    }
    Ok(subs)
}

/// Subqueries that nothing asks for before a row is checked or in the way.
fn only_for_duplicates(p: &InsertPlan) -> Vec<u32> {
    let (mut later, mut before) = (Vec::new(), Vec::new());
    p.view.iter().flat_map(|v| &v.conds).for_each(|e| e.subs(&mut later));
    p.on_duplicate.iter().filter_map(|(_, e)| e.as_ref()).for_each(|e| e.subs(&mut later));
    if later.is_empty() {
        return later;
    }
    if let Rows::Values(rows) = &p.rows {
        rows.iter().flatten().flatten().for_each(|e| e.subs(&mut before));
    }
    later.retain(|s| !before.contains(s));
    later
}

pub async fn run(
    r: &mut Runner<'_, '_>,
    p: &InsertPlan,
    sink: &mut dyn ResultSink,
) -> Run<Outcome> {
    r.txn.use_table(&p.table.engine, true).await?;
    let strict = r.ev.cx.mode.strict() && !p.ignore;
    r.ev.cx.strict_dml = strict;
    let subs = run_first(r, p).await?;
    let many = !matches!(&p.rows, Rows::Values(v) if v.len() == 1);
    let nulls_fail = strict || (!many && !p.ignore);
    let mut writer = RowWriter::of_insert(p.kind(), p.ignore, many, nulls_fail);
    writer.within(p.selected.clone());
    writer.through(p.view.as_ref().map(|rows| ThroughView {
        rows,
        shapes: &p.shapes,
        subs: &p.subs,
        beside: None,
    }));
    let mut x = Inserter {
        p,
        strict,
        reserved: (0, 0),
        forced: false,
        first_generated: 0,
        last_explicit: 0,
        affected: 0,
        records: 0,
        duplicates: 0,
        subs,
        row: vec![DatumBuf::Null; p.table.meta.columns.len()],
        unset: Vec::new(),
        triggers_give: writer.has_before_insert(r, &p.table),
        missing: Vec::new(),
        ended: false,
        told: Vec::new(),
        source: Row::new(),
        writer,
        buf: RowBuf::default(),
    };
    // What is asked for each row finds the rows before it.
    let asks_each = |s: &Sub| {
        (s.correlated && s.reader(&p.table, None).is_some()) || matches!(s.kind, SubKind::Call(..))
    };
    if r.foreign.as_ref().is_some_and(|f| f.looks_at_itself(&p.table))
        || p.subs.iter().any(asks_each)
    {
        x.writer.one_by_one();
    }
    // The error of a row that cannot be made is raised only if the rows before it could be inserted.
    let done = match &p.rows {
        // Few statements need what it holds.
        Rows::File(load) => Box::pin(x.load(r, load, sink)).await,
        Rows::Values(_) | Rows::Query(_) => x.rows(r).await,
    };
    x.writer.flush(r, &p.table).await?;
    done?;
    r.ev.refuse_strict()?;
    Ok(Outcome {
        affected: x.affected,
        last_insert_id: if p.hides_id { 0 } else { x.first_generated },
        explicit_id: x.last_explicit,
        info: x.info(many, r.ev.cx.warnings.total()),
        ..Outcome::default()
    })
}

impl Inserter<'_> {
    /// What the answer says in addition to the number of rows.
    fn info(&self, many: bool, warnings: u64) -> String {
        let (records, duplicates) = (self.records, self.duplicates);
        match &self.p.rows {
            Rows::File(_) => {
                let (deleted, skipped) =
                    if self.p.replace { (duplicates, 0) } else { (0, duplicates) };
                format!(
                    "Records: {records}  Deleted: {deleted}  Skipped: {skipped}  Warnings: {warnings}"
                )
            }
            _ if many => {
                format!("Records: {records}  Duplicates: {duplicates}  Warnings: {warnings}")
            }
            _ => String::new(),
        }
    }

    async fn rows(&mut self, r: &mut Runner<'_, '_>) -> Run<()> {
        let p = self.p;
        match &p.rows {
            // Those come from a reader of their own (`load`).
            Rows::File(_) => {}
            Rows::Values(rows) => {
                r.lasting.stop();
                // Behind the explicit values before it, as their rows have moved the counter.
                let first_generating = match p.table.rules.followed {
                    Some(_) if rows.len() > 1 => rows.iter().position(|row| self.generates(r, row)),
                    _ => None,
                };
                for (n, row) in rows.iter().enumerate() {
                    if n % 256 == 255 && r.is_killed() {
                        return Err(SqlError::interrupted().into());
                    }
                    if first_generating == Some(n) {
                        self.reserve_for(r, &rows[n..]).await?;
                    }
                    self.values(r, row).await?;
                }
            }
            Rows::Query(q) => self.query(r, q).await?,
        }
        Ok(())
    }

    /// The rows of a query: all are read before the first is written.
    fn query<'b>(&'b mut self, r: &'b mut Runner<'_, '_>, q: &'b QueryPlan) -> Boxed<'b, ()> {
        Box::pin(async move {
            let before = r.default_lock;
            if r.default_lock == LockMode::None {
                r.default_lock = source_lock(r.txn);
            }
            let mut rows = RowQueue::new(table_memory(r.reads));
            let read = r.run_query(q, None, &mut Out::To(&mut rows)).await;
            r.default_lock = before;
            r.lasting.stop();
            read?;
            while let Some(mut row) = rows.next(r.reads).await? {
                self.source = row.split_off(self.p.targets.len());
                self.selected(r, &row).await?;
            }
            Ok(())
        })
    }

    /// A row of VALUES.
    async fn values(&mut self, r: &mut Runner<'_, '_>, row: &[Option<BExpr>]) -> Run<()> {
        let p = self.p;
        self.records += 1;
        self.fill_rest(r)?;
        for (e, &col) in row.iter().zip(&p.targets) {
            let Some(e) = e else {
                self.default(r, col)?;
                continue;
            };
            if p.subs.iter().any(|s| s.correlated) {
                self.run_before(r, e).await?;
            }
            if p.looks_back {
                self.looking_back(r, col, e)?;
            } else {
                let frame = Frame { subs: &self.subs, ..Frame::empty(r.params) };
                let v = eval(e, &frame, &mut r.ev)?;
                let d = store(
                    p,
                    col,
                    &v,
                    self.records,
                    self.strict,
                    r.ev.cx.mode,
                    r.ev.cx.tz,
                    r.ev.cx.now_micros,
                    &mut r.ev.cx.warnings,
                )?;
                self.row[col] = d;
            }
        }
        self.insert(r).await
    }

    /// A column's value by an expression over the row as it is so far.
    fn looking_back(&mut self, r: &mut Runner<'_, '_>, col: usize, e: &BExpr) -> Run<()> {
        let (slots, subs) = (self.slots_so_far(r), &self.subs);
        let shapes = &self.p.shapes;
        let frame = Frame { shapes, slots: &slots, subs, ..Frame::empty(r.params) };
        let v = eval(e, &frame, &mut r.ev)?.into_owned();
        self.set(r, col, &v)
    }

    /// SET of LOAD DATA: a missing expression is DEFAULT.
    pub(super) async fn assign(
        &mut self,
        r: &mut Runner<'_, '_>,
        col: usize,
        e: Option<&BExpr>,
    ) -> Run<()> {
        let Some(e) = e else { return self.default(r, col) };
        if self.p.subs.iter().any(|s| s.correlated) {
            self.run_before(r, e).await?;
        }
        self.looking_back(r, col, e)
    }

    /// What an expression of VALUES needs again for its row: stored functions, SLEEP and its like.
    async fn run_before(&mut self, r: &mut Runner<'_, '_>, e: &BExpr) -> Run<()> {
        let p = self.p;
        let mut list = Vec::new();
        e.subs(&mut list);
        for n in list.into_iter().map(|n| n as usize).filter(|n| p.subs[*n].correlated) {
            let slots = self.slots_so_far(r);
            let (shapes, subs) = (&p.shapes, &self.subs);
            let frame = Frame { shapes, slots: &slots, subs, ..Frame::empty(r.params) };
            let result = r.run_sub(&p.subs[n], &frame).await?;
            self.subs[n] = result;
        }
        Ok(())
    }

    async fn selected(&mut self, r: &mut Runner<'_, '_>, row: &[Value<'static>]) -> Run<()> {
        self.records += 1;
        if self.records.is_multiple_of(256) && r.is_killed() {
            return Err(SqlError::interrupted().into());
        }
        self.fill_rest(r)?;
        for (v, &col) in row.iter().zip(&self.p.targets) {
            self.set(r, col, v)?;
        }
        self.insert(r).await
    }

    fn slots_so_far(&self, r: &Runner<'_, '_>) -> Vec<Slot> {
        // A number that is still to be given is zero.
        let number = |(d, c): (&DatumBuf, &SqlColumn)| match d {
            DatumBuf::Null if c.auto_increment && !c.nullable => Value::Int(0),
            d => c.ty.load(d.as_ref(), r.ev.cx.tz).into_owned(),
        };
        let values: Row = self.row.iter().zip(&self.p.table.meta.columns).map(number).collect();
        vec![Slot::Values(values.clone()), Slot::Values(values)]
    }

    pub(super) fn set(&mut self, r: &mut Runner<'_, '_>, col: usize, v: &Value<'_>) -> Run<()> {
        self.row[col] = self.stored(r, col, v)?;
        Ok(())
    }

    /// A value as its column keeps it.
    fn stored(&self, r: &mut Runner<'_, '_>, col: usize, v: &Value<'_>) -> Run<DatumBuf> {
        let cx = &mut r.ev.cx;
        store(
            self.p,
            col,
            v,
            self.records,
            self.strict,
            cx.mode,
            cx.tz,
            cx.now_micros,
            &mut cx.warnings,
        )
    }

    /// Every column gets what it has without a value; those that are named are set after.
    pub(super) fn fill_rest(&mut self, r: &mut Runner<'_, '_>) -> Run<()> {
        let p = self.p;
        for col in 0..p.fill.len() {
            if p.targets.contains(&col) {
                self.row[col] = if p.looks_back { self.before(col) } else { DatumBuf::Null };
            } else {
                self.default(r, col)?;
            }
        }
        Ok(())
    }

    /// What a value sees of a column that gets its own later in the row: its constant default, as in MySQL, or the type's zero where
    /// it bears no NULL.
    fn before(&self, col: usize) -> DatumBuf {
        let c = &self.p.table.meta.columns[col];
        match &self.p.fill[col] {
            Fill::Datum(d) => d.clone(),
            _ if !c.nullable && c.ty.has_zero() => c.ty.zero(),
            _ => DatumBuf::Null,
        }
    }

    fn default(&mut self, r: &mut Runner<'_, '_>, col: usize) -> Run<()> {
        let p = self.p;
        self.row[col] = match &p.fill[col] {
            Fill::Datum(d) => d.clone(),
            Fill::Auto => DatumBuf::Null,
            Fill::Now(fsp) => {
                let v = now(&r.ev.cx, *fsp).map_or(Value::Null, Value::DateTime);
                return self.set(r, col, &v);
            }
            Fill::Expr => {
                self.unset.push(col);
                DatumBuf::Null
            }
            Fill::Missing if self.triggers_give => {
                self.missing.push(col);
                DatumBuf::Null
            }
            Fill::Missing => self.without_default(r, col)?,
        };
        Ok(())
    }

    /// A column that nobody has given a value to: an error, or the type's zero with a warning.
    fn without_default(&mut self, r: &mut Runner<'_, '_>, col: usize) -> Run<DatumBuf> {
        let c = &self.p.table.meta.columns[col];
        let (number, text) = self.p.without_default(c);
        if self.strict || !c.ty.has_zero() {
            return Err(SqlError::new(number, text).into());
        }
        // Once for all rows where the statement names no value, as it does by DEFAULT.
        if !self.told.contains(&col) {
            r.ev.cx.warnings.warn(number, || text);
        }
        if !self.p.targets.contains(&col) {
            self.told.push(col);
        }
        Ok(c.ty.zero())
    }

    /// The defaults that are expressions, when all other columns are known.
    fn defaults(&mut self, r: &mut Runner<'_, '_>) -> Run<()> {
        let table = &self.p.table;
        let unset = std::mem::take(&mut self.unset);
        let rules = rules::of(table, r.reads, r.ev.user_vars)?;
        let shapes = [Shape::Table(table.clone())];
        let how = Storing { strict: self.strict, row: self.records };
        rules.fill(&unset, &shapes, &table.meta.columns, &mut self.row, how, &mut r.ev)
    }

    /// Inserts the row that was put together.
    pub(super) async fn insert(&mut self, r: &mut Runner<'_, '_>) -> Run<()> {
        if !self.unset.is_empty() {
            self.defaults(r)?;
        }
        if self.ended {
            return Ok(());
        }
        if self.triggers_give && !self.passes_triggers(r).await? {
            self.ended = true;
            return Ok(());
        }
        for col in std::mem::take(&mut self.missing) {
            if self.row[col] == DatumBuf::Null {
                self.row[col] = self.without_default(r, col)?;
            }
        }
        let table = &self.p.table;
        if !self.writer.settle(r, table, &mut self.row)?
            || self.writer.asks_subqueries() && !self.writer.passes_subqueries(r, table).await?
        {
            self.duplicates += 1;
            return Ok(());
        }
        let generated = self.auto_value(r).await?;
        let given = generated.is_none() || self.forced;
        match self.writer.insert(r, &self.p.table, &self.row, given).await? {
            Inserted::Row { replaced } => {
                self.duplicates += replaced;
                self.affected += replaced + 1;
                self.inserted(generated);
            }
            Inserted::InTheWay(key) => {
                self.duplicates += 1;
                self.give_back(generated);
                self.update_duplicate(r, &key).await?;
            }
            Inserted::LeftOut => {
                self.duplicates += 1;
                self.give_back(generated);
            }
        }
        Ok(())
    }

    /// BEFORE INSERT triggers, behind which no column has NULL that takes none: with IGNORE it is a warning, and as in MySQL the last row
    /// of the statement, which is left out (false).
    async fn passes_triggers(&mut self, r: &mut Runner<'_, '_>) -> Run<bool> {
        let table = &self.p.table;
        let nulls = self.row.iter().enumerate().filter(|(_, d)| **d == DatumBuf::Null);
        let before: Vec<usize> = nulls.map(|(n, _)| n).collect();
        self.writer.before_insert(r, table, &mut self.row).await?;
        let of_row = (&before[..], &self.missing[..]);
        let Some(col) = self.writer.nulled(r, table, &self.row, of_row) else { return Ok(true) };
        if !self.p.ignore && !self.writer.nulls_fail {
            return Ok(true);
        }
        let e = ValueError::bad_null(&table.meta.columns[col].name);
        if !self.p.ignore {
            return Err(value_error(e).into());
        }
        r.ev.cx.warnings.demote(e);
        Ok(false)
    }

    /// Notes where the values of the AUTO_INCREMENT column come from.
    fn inserted(&mut self, generated: Option<u64>) {
        match generated {
            Some(v) if self.first_generated == 0 => self.first_generated = v,
            Some(_) => {}
            None => self.observe(),
        }
    }

    /// A value that the statement gave.
    fn observe(&mut self) {
        let Some(col) = self.p.table.rules.counter else { return };
        match &self.row[col] {
            DatumBuf::Int(v) => self.last_explicit = *v as u64,
            DatumBuf::UInt(v) => self.last_explicit = *v,
            _ => {}
        }
        // What was set aside below it would come after it: the rest comes from the counter.
        if counted(&self.row[col]).is_some_and(|v| v >= self.reserved.0) {
            self.reserved = (0, 0);
        }
    }

    /// Rows of the SELECT's tables, with the columns that are read.
    fn source_slots(&mut self) -> impl Iterator<Item = Slot> {
        let mut rows: Vec<Row> = self.p.shapes[FIRST_SOURCE..]
            .iter()
            .map(|s| match s {
                Shape::Values(types) => vec![Value::Null; types.len()],
                Shape::Table(_) => Row::new(),
            })
            .collect();
        for (v, &(t, c)) in std::mem::take(&mut self.source).into_iter().zip(&self.p.read) {
            rows[t][c] = v;
        }
        rows.into_iter().map(Slot::Values)
    }

    /// What an expression of ON DUPLICATE KEY UPDATE gives, with the subqueries that it needs.
    async fn value_of_duplicate(
        &mut self,
        r: &mut Runner<'_, '_>,
        e: &BExpr,
        slots: &[Slot],
    ) -> Run<Value<'static>> {
        let p = self.p;
        let mut needed = Vec::new();
        e.subs(&mut needed);
        for s in needed.into_iter().map(|s| s as usize) {
            if p.subs[s].correlated || matches!(self.subs[s], SubResult::Pending) {
                let (shapes, subs) = (&p.shapes, &self.subs);
                let frame = Frame { shapes, slots, subs, ..Frame::empty(r.params) };
                let result = r.run_sub(&p.subs[s], &frame).await?;
                self.subs[s] = result;
            }
        }
        let (shapes, subs) = (&p.shapes, &self.subs);
        let frame = Frame { shapes, slots, subs, ..Frame::empty(r.params) };
        Ok(eval(e, &frame, &mut r.ev)?.into_owned())
    }

    /// ON DUPLICATE KEY UPDATE.
    async fn update_duplicate(&mut self, r: &mut Runner<'_, '_>, key: &[u8]) -> Run<()> {
        let p = self.p;
        let table = &p.table;
        let home = partition::home(table, self.writer.image(), r.reads, &mut r.ev)?;
        if !locked_row(r, table, home, key, &mut self.buf).await? {
            return Err(SqlError::internal("the row in the way of an INSERT is gone").into());
        }
        let old = self.buf.row.clone();
        let new = self.writer.image().to_vec();
        let mut slots = vec![Slot::Bytes(old.clone()), Slot::Bytes(new)];
        slots.extend(self.source_slots());
        let mut changes: Vec<(usize, DatumBuf)> = Vec::with_capacity(p.on_duplicate.len());
        let mut unset = Vec::new();
        for (col, value) in &p.on_duplicate {
            let d = match value {
                Some(e) => {
                    let v = self.value_of_duplicate(r, e, &slots).await?;
                    self.stored(r, *col, &v)?
                }
                None if is_expression(table, *col) => {
                    unset.push(*col);
                    continue;
                }
                None => {
                    let e = default_for(table, *col, &r.ev)?;
                    let v = eval(&e, &Frame::empty(r.params), &mut r.ev)?.into_owned();
                    self.stored(r, *col, &v)?
                }
            };
            let seen = slots[0].bytes().unwrap_or_default();
            if let Some(seen) = with_assigned(table, seen, *col, &d)? {
                slots[0] = Slot::Bytes(seen);
            }
            changes.retain(|(c, _)| c != col);
            changes.push((*col, d));
        }
        if !unset.is_empty() {
            let how = Storing { strict: self.strict, row: self.records };
            set_to_defaults(r, table, &old, &unset, &mut changes, (how, p.ignore))?;
        }
        match self.writer.update(r, table, &self.buf.key, &old, &mut changes).await? {
            Updated::Changed => {
                self.affected += 2;
                // The answer has the row's number; LAST_INSERT_ID() is of inserted rows only.
                if let Some(col) = table.rules.counter
                    && let Some(v) = slots[0]
                        .bytes()
                        .and_then(|b| RowView::new(&table.engine.layout, b).get(col).as_u64())
                {
                    self.last_explicit = v;
                }
            }
            Updated::Same if r.reads.conn.found_rows => self.affected += 1,
            Updated::Same | Updated::LeftOut => {}
        }
        Ok(())
    }
}

#[allow(clippy::too_many_arguments)]
fn store(
    p: &InsertPlan,
    col: usize,
    v: &Value<'_>,
    row: u64,
    strict: bool,
    mode: SqlMode,
    tz: crate::value::TimeZone,
    now_micros: i64,
    warnings: &mut Warnings,
) -> Run<DatumBuf> {
    let c = &p.table.meta.columns[col];
    let mut cx = StoreCtx {
        column: &c.name,
        table: Some(p.table.name()),
        row,
        strict,
        mode,
        tz,
        now_micros,
        warnings,
        session: None,
    };
    Ok(c.ty.store(v, &mut cx)?)
}

impl InsertPlan {
    fn kind(&self) -> WriteKind {
        match (self.replace, self.updates) {
            (true, _) => WriteKind::Replace,
            (false, false) => WriteKind::Insert,
            (false, true) => WriteKind::Upsert,
        }
    }
}
