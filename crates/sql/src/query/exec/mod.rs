//! Queries at work: blocks, set operations, subqueries.
//!
//! [`Runner`] is everything that one execution works with. `join` reads a block's tables and joins their rows, by nested loops, hashes (`made`,
//! `row_hash`; in parts through files where they do not fit, `join::parted`) and rows kept from run to run (`subquery_cache`; results of subqueries by the values around them: `remembered`); `batch` sums up rows of one table by the leaf; `group`, `window`, `distinct`, `sort` and `emit` make of them what goes out. `sorter`,
//! `stored` and `runs` keep rows that wait for their order, `queue` those that wait to be written, `spool` those that have no room in memory;
//! `destination` and `out` say where they go, `point` sends the row of a point plan, `handler_read` those of HANDLER ... READ. `sets`, `recurse`, `json_table`, `fulltext` and `waiting` are the other kinds of rows and values,
//! `programs` what a statement calls. May use plans, evaluation, ranges, and the engine to read.
//!
//! Invariants:
//! - Rows that are kept are charged to the session's account of memory.
//! - A loop that may take long looks whether the statement has been killed or is out of time (`go_on`, `work`).

mod batch;
mod constants;
pub mod destination;
mod distinct;
pub mod emit;
mod folded;
mod fulltext;
mod group;
pub mod handler_read;
pub mod inside;
pub mod join;
mod json_table;
mod later;
mod limits;
mod made;
mod merge;
pub mod order;
pub mod out;
mod point;
pub mod programs;
pub mod queue;
mod recurse;
mod remembered;
mod row_hash;
mod row_sort;
pub mod row_store;
mod runs;
mod sets;
mod slots;
pub mod sort;
mod sorter;
mod spool;
mod stored;
mod subquery_cache;
mod temp;
mod texts;
pub use temp::temp_file;
mod waiting;
mod window;

pub use destination::Out;

use crate::account::Access;
use crate::context::{Reads, ShowResult, TableReads};
use crate::errno;
use crate::memory::Held;
use crate::meta::SqlTable;
use crate::query::eval::frame::{Frame, SubResult};
use crate::query::eval::ranks::Ranks;
use crate::query::eval::row_set::RowSet;
use crate::query::eval::{Ev, eval, is_true};
use crate::query::expr::BExpr;

use crate::query::plan::foreign::ForeignPlan;
use crate::query::plan::outcome::{KeptRows, Run};
use crate::query::plan::profile::Profile;
use crate::query::plan::{Aggregation, Block, Body, QueryPlan, Source, Sub, SubKind, TableSlot};
use crate::session_api::SqlError;
use crate::status::Stat;
use crate::value::{Value, Warnings};
use batch::Batch;
use emit::Emitter;
use group::Groups;
use inside::Inside;
use join::{Joiner, count_sort};
use made::MadeTables;
use programs::Programs;
use row_store::{MadeRows, RowStore};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use subquery_cache::Lasting;
use weir_engine::{Cursor, Isolation, LockMode, Txn};

/// Everything one execution works with.
pub struct Runner<'a, 't> {
    pub reads: Reads<'a>,
    /// Rights, which computed tables show their rows by.
    pub access: &'a Access,
    pub txn: &'t mut Txn,
    pub ev: Ev<'a>,
    pub params: &'a [Value<'static>],
    /// How tables without a locking clause are read.
    pub default_lock: LockMode,
    /// A key buffer that is used again.
    pub key: Vec<u8>,
    /// What foreign keys ask of the rows that are written. Nothing with `foreign_key_checks = 0`.
    pub foreign: Option<Arc<ForeignPlan>>,
    /// The tables of the plan that runs.
    pub tables: &'a [(Arc<SqlTable>, u64)],
    /// Anyone who runs what the statement calls and sets off.
    pub programs: &'a dyn Programs,
    /// The stored functions and triggers that it runs in, if any.
    pub inside: Option<&'a Inside<'a>>,
    /// The statement has IGNORE.
    pub ignore: bool,
    /// What rows are worth to the searches that the statement has made, each known by its place in the plan.
    pub searches: Vec<(usize, Arc<Ranks>)>,
    /// The rows that came last, of the recursive common tables that are being made.
    pub working: Vec<(u32, MadeRows)>,
    /// Tables that may be read again.
    pub made: MadeTables,
    /// Rows of subqueries' tables that are kept from one run to the next.
    pub lasting: Lasting,
    /// Cursors that are done, to be used again. A step holds its cursor in a box, which comes and goes without moving the cursor.
    #[expect(clippy::vec_box)]
    pub done: Vec<Box<Cursor>>,
    /// What steps did, where the run is measured (EXPLAIN ANALYZE).
    pub profile: Option<Box<Profile>>,
}

/// A future whose type is forgotten, where plans nest or a statement's future would grow by what few need.
pub type Boxed<'b, T> = Pin<Box<dyn Future<Output = Run<T>> + Send + 'b>>;

impl<'a, 't> Runner<'a, 't> {
    /// `single`: the statement is a transaction of its own.
    pub fn new(
        reads: Reads<'a>,
        access: &'a Access,
        ev: Ev<'a>,
        params: &'a [Value<'static>],
        (programs, single): (&'a dyn Programs, bool),
        txn: &'t mut Txn,
    ) -> Runner<'a, 't> {
        let serial = txn.isolation() == Isolation::Serializable && !single;
        Runner {
            reads,
            access,
            txn,
            ev,
            params,
            default_lock: if serial { LockMode::Shared } else { LockMode::None },
            key: Vec::new(),
            foreign: None,
            ignore: false,
            working: reads.shown.map(shown).into_iter().collect(),
            searches: Vec::new(),
            made: MadeTables::default(),
            lasting: Lasting::default(),
            done: Vec::new(),
            profile: None,
            tables: &[],
            programs,
            inside: None,
        }
    }

    pub fn access(&self) -> &Access {
        self.access
    }

    /// The statement is to end, killed or out of time: for loops that evaluate nothing which would notice.
    pub fn is_killed(&self) -> bool {
        self.reads.interrupt.killed() != 0
    }

    /// An error when the statement has been killed or has run out of time.
    pub fn go_on(&self) -> Run<()> {
        Ok(self.ev.cx.session.stopped().map_or(Ok(()), Err)?)
    }

    pub fn lock_of(&self, t: &TableSlot) -> LockMode {
        if t.lock == LockMode::None { self.default_lock } else { t.lock }
    }

    /// Runs a query; returns the number for FOUND_ROWS().
    pub fn run_query<'b>(
        &'b mut self,
        q: &'b QueryPlan,
        outer: Option<&'b Frame<'b>>,
        out: &'b mut Out<'_>,
    ) -> Boxed<'b, u64> {
        Box::pin(async move {
            match &q.body {
                Body::Block(b) => self.run_block(b, outer, out).await,
                _ => self.run_set(q, outer, out).await,
            }
        })
    }

    pub async fn collect(
        &mut self,
        q: &QueryPlan,
        outer: Option<&Frame<'_>>,
        limit: usize,
    ) -> Run<KeptRows> {
        let mut rows = KeptRows::default();
        self.run_query(q, outer, &mut Out::Rows { rows: &mut rows, limit, strict: false }).await?;
        Ok(rows)
    }

    /// The rows that waited for their order are sorted and go out.
    async fn finish(&mut self, b: &Block, e: &mut Emitter<'_>, out: &mut Out<'_>) -> Run<u64> {
        if let Some(found) = e.ended() {
            return Ok(found);
        }
        if let Some(rows) = e.waiting() {
            count_sort(b, self.reads.work, rows);
        }
        e.finish(self.reads, &mut self.ev, out).await
    }

    pub async fn run_block(
        &mut self,
        b: &Block,
        outer: Option<&Frame<'_>>,
        out: &mut Out<'_>,
    ) -> Run<u64> {
        let limits = self.limits(b.limit.as_ref())?;
        if limits.1 == 0 && !b.calc_found_rows {
            return Ok(0);
        }
        if !b.windows.is_empty() {
            return self.run_windows(b, limits, outer, out).await;
        }
        if let (Some(agg), None) = (&b.agg, &b.extremes) {
            return self.run_groups(b, agg, limits, outer, out).await;
        }
        let mut j = Joiner::new(b);
        if let Some(list) = &b.extremes {
            let mut e = Emitter::new(b, limits, self.reads);
            let aggs = self.extremes(list, outer).await?;
            self.emit(&mut j, &aggs, &mut e, outer, out).await?;
            self.finish(b, &mut e, out).await
        } else {
            let mut e = Emitter::of_tables(b, limits, self.reads, out);
            if b.steps.first().is_some_and(|s| s.in_batches(self.reads.vars))
                && self.run_sifted((b, limits), &mut j, &mut e, outer, out).await?
            {
                j.end(self);
                return self.finish(b, &mut e, out).await;
            }
            j.sift(self, outer);
            j.pours = e.pours(out)?;
            'rows: while j.next(self, outer).await? {
                if j.widened {
                    e.sort_after_all(self.reads);
                }
                if !self.emit(&mut j, &[], &mut e, outer, out).await? {
                    break;
                }
                self.pour(&mut j, &mut e, out)?;
                if j.pours && e.streams().is_some_and(|d| j.may_pour(d.table)) {
                    Box::pin(self.pour_leaves(&mut j, &mut e, out)).await?;
                } else if j.pours && e.sorts_stored().is_some() {
                    self.pour_sorted(&mut j, &mut e, out).await?;
                }
                while j.next_at_hand(self, outer)? {
                    if !self.emit_now(&j, &[], &mut e, outer, out)? {
                        break 'rows;
                    }
                    if e.is_due(out) {
                        e.make_room(self.reads, &mut self.ev, out).await?;
                    }
                }
            }
            j.end(self);
            j.close_all(self);
            self.finish(b, &mut e, out).await
        }
    }

    /// Sends the rows that are at hand and go out as they are stored, one after the other.
    fn pour(&mut self, j: &mut Joiner<'_>, e: &mut Emitter<'_>, out: &mut Out<'_>) -> Run<()> {
        let (Some(d), Out::Client(client)) = (e.streams(), out) else { return Ok(()) };
        let rows = j.pour_at_hand(d.table, self, |bytes| client.stored_bytes(d, bytes))?;
        e.streamed(rows);
        Ok(())
    }

    /// The same with rows that are still in their leaves, leaf by leaf.
    async fn pour_leaves(
        &mut self,
        j: &mut Joiner<'_>,
        e: &mut Emitter<'_>,
        out: &mut Out<'_>,
    ) -> Run<()> {
        let (Some(d), Out::Client(client)) = (e.streams(), out) else { return Ok(()) };
        let mut rows = 0;
        while !client.is_full() && client.hold() {
            let poured = j.pour_leaf(d.table, self, |row| client.stored_bytes(d, row)).await;
            client.release()?;
            match poured? {
                Some(n) => rows += n,
                None => break,
            }
        }
        e.streamed(rows);
        Ok(())
    }

    /// Rows go into the sort as they are stored, leaf by leaf.
    fn pour_sorted<'e>(
        &'e mut self,
        j: &'e mut Joiner<'_>,
        e: &'e mut Emitter<'_>,
        out: &'e mut Out<'_>,
    ) -> Boxed<'e, ()> {
        Box::pin(async move {
            let Some(table) = e.sorts_stored() else { return Ok(()) };
            let account = self.reads.session.memory();
            j.pour_at_hand(table, self, |row| e.take_stored(row, account))?;
            while j.may_pour(table) {
                let poured = j.pour_leaf(table, self, |row| e.take_stored(row, account)).await?;
                if poured.is_none() {
                    break;
                }
                e.prune(&mut self.ev)?;
                if e.is_due(out) {
                    e.make_room(self.reads, &mut self.ev, out).await?;
                }
            }
            Ok(())
        })
    }

    fn run_groups<'b>(
        &'b mut self,
        b: &'b Block,
        agg: &'b Aggregation,
        limits: (usize, usize),
        outer: Option<&'b Frame<'b>>,
        out: &'b mut Out<'_>,
    ) -> Boxed<'b, u64> {
        Box::pin(async move {
            let mut j = Joiner::new(b);
            let mut e = Emitter::new(b, limits, self.reads);
            let mut groups = Groups::new(agg, b, emit::table_memory(self.reads));
            let mut more = true;
            // A subquery that is run for each row around may read the same rows each time.
            let folded = outer.is_none() && self.fold((b, agg), &mut j, &mut groups).await?;
            if let Some(mut batch) = Batch::of_sums(b, agg, &groups, outer, self) {
                let sums = (&mut batch, agg);
                more = self.run_batches(&mut j, sums, &mut groups, outer, (&mut e, out)).await?;
            } else {
                j.sift(self, outer);
            }
            'rows: while more && !folded && j.next(self, outer).await? {
                j.run_subs(&agg.subs, self, outer).await?;
                if j.widened {
                    groups.disorder();
                    e.sort_after_all(self.reads);
                }
                loop {
                    let frame = j.frame(self.params, outer);
                    if groups.is_behind_group(&frame, &mut self.ev)? {
                        more = self
                            .send_groups((&mut groups, agg), &mut j, &mut e, outer, out)
                            .await?;
                        if !more {
                            break 'rows;
                        }
                    }
                    let frame = j.frame(self.params, outer);
                    groups.add(&frame, &j.slots, &mut self.ev)?;
                    if groups.is_due() {
                        groups.write(self.reads).await?;
                    }
                    if groups.overflow(b) {
                        drop((groups, j, e));
                        return self.run_rolled((b, agg), limits, outer, out).await;
                    }
                    if !j.next_at_hand(self, outer)? {
                        break;
                    }
                }
            }
            j.end(self);
            while more {
                more = self.send_groups((&mut groups, agg), &mut j, &mut e, outer, out).await?
                    && groups.refill(self.reads, &mut self.ev).await?;
            }
            self.finish(b, &mut e, out).await
        })
    }

    /// Sends the groups at hand; false: no more are wanted.
    async fn send_groups(
        &mut self,
        (groups, agg): (&mut Groups<'_>, &Aggregation),
        j: &mut Joiner<'_>,
        e: &mut Emitter<'_>,
        outer: Option<&Frame<'_>>,
        out: &mut Out<'_>,
    ) -> Run<bool> {
        groups.settle(self.reads, &mut self.ev).await?;
        let (list, _held) = groups.finish();
        let mut more = true;
        for mut g in list {
            let aggs = g.values(agg, &mut self.ev)?;
            if g.slots.is_empty() {
                more = self.emit(j, &aggs, e, outer, out).await?;
            } else {
                // The tables' rows stay where they are, for there may be more of them.
                std::mem::swap(&mut j.slots, &mut g.slots);
                more = self.emit(j, &aggs, e, outer, out).await?;
                std::mem::swap(&mut j.slots, &mut g.slots);
            }
            if !more {
                break;
            }
        }
        Ok(more)
    }

    /// The first value of each query, NULL where there is none.
    async fn extremes(
        &mut self,
        list: &[QueryPlan],
        outer: Option<&Frame<'_>>,
    ) -> Run<Vec<Value<'static>>> {
        let mut out = Vec::with_capacity(list.len());
        for q in list {
            let row = self.collect(q, outer, 1).await?.rows.pop();
            out.push(row.and_then(|mut r| r.pop()).unwrap_or(Value::Null));
        }
        Ok(out)
    }

    async fn emit(
        &mut self,
        j: &mut Joiner<'_>,
        aggs: &[Value<'static>],
        e: &mut Emitter<'_>,
        outer: Option<&Frame<'_>>,
        out: &mut Out<'_>,
    ) -> Run<bool> {
        let b = j.block;
        let drawn;
        let mut aggs = aggs;
        if !b.drawn.exprs.is_empty() {
            self.run_group_subs(j, aggs, &b.drawn.subs, outer).await?;
            drawn = self.draw(j, aggs, outer)?;
            aggs = &drawn;
        }
        if let Some(h) = &b.having {
            self.run_group_subs(j, aggs, &h.subs, outer).await?;
            let frame = Frame { aggs, ..j.frame(self.params, outer) };
            if !is_true(&h.expr, &frame, &mut self.ev)? {
                return Ok(true);
            }
        }
        if !b.item_subs.is_empty() {
            self.run_group_subs(j, aggs, &b.item_subs, outer).await?;
        }
        let frame = Frame { aggs, ..j.frame(self.params, outer) };
        let more = e.row(&frame, &mut self.ev, out)?;
        if e.is_due(out) {
            e.make_room(self.reads, &mut self.ev, out).await?;
        }
        Ok(more)
    }

    /// As `emit`, in a block without subqueries.
    fn emit_now(
        &mut self,
        j: &Joiner<'_>,
        aggs: &[Value<'static>],
        e: &mut Emitter<'_>,
        outer: Option<&Frame<'_>>,
        out: &mut Out<'_>,
    ) -> Run<bool> {
        let drawn;
        let mut aggs = aggs;
        if !j.block.drawn.exprs.is_empty() {
            drawn = self.draw(j, aggs, outer)?;
            aggs = &drawn;
        }
        let frame = Frame { aggs, ..j.frame(self.params, outer) };
        if let Some(h) = &j.block.having
            && !is_true(&h.expr, &frame, &mut self.ev)?
        {
            return Ok(true);
        }
        e.row(&frame, &mut self.ev, out)
    }

    /// The values of the aggregates, and behind them what the row draws.
    pub fn draw(
        &mut self,
        j: &Joiner<'_>,
        aggs: &[Value<'static>],
        outer: Option<&Frame<'_>>,
    ) -> Run<Vec<Value<'static>>> {
        let mut all = aggs.to_vec();
        let frame = Frame { aggs, ..j.frame(self.params, outer) };
        for e in &j.block.drawn.exprs {
            all.push(eval(e, &frame, &mut self.ev)?.into_owned());
        }
        Ok(all)
    }

    pub async fn run_group_subs(
        &mut self,
        j: &mut Joiner<'_>,
        aggs: &[Value<'static>],
        list: &[u32],
        outer: Option<&Frame<'_>>,
    ) -> Run<()> {
        for &s in list {
            let sub = &j.block.subs[s as usize];
            if !sub.correlated && !matches!(j.subs[s as usize], SubResult::Pending) {
                continue;
            }
            let frame = Frame {
                block: Some(j.block),
                shapes: &j.block.shapes,
                slots: &j.slots,
                aggs,
                subs: &j.subs,
                params: self.params,
                outer,
            };
            let result = self.run_sub(sub, &frame).await?;
            j.subs[s as usize] = result;
        }
        Ok(())
    }

    /// 1242; in a statement with IGNORE a warning, and the subquery is NULL.
    fn more_than_one(&mut self) -> Run<()> {
        let text = "Subquery returns more than 1 row";
        if !self.ignore {
            return Err(SqlError::new(errno::ER_SUBQUERY_NO_1_ROW, text).into());
        }
        self.ev.cx.warnings.warn(errno::ER_SUBQUERY_NO_1_ROW, || text.to_owned());
        Ok(())
    }

    /// Evaluates a subquery (or SLEEP) for the rows of `outer`.
    pub fn run_sub<'b>(&'b mut self, sub: &'b Sub, outer: &'b Frame<'b>) -> Boxed<'b, SubResult> {
        if sub.guard.as_ref().is_some_and(|g| !self.is_asked_for(g, outer)) {
            return Box::pin(std::future::ready(Ok(SubResult::Pending)));
        }
        // In a block that is run again, what reads nothing around is run once. Rows of a recursive table come and go meanwhile.
        let same = !sub.correlated
            && sub.is_query()
            && outer.outer.is_some()
            && self.working.is_empty()
            && !self.lasting.is_stopped();
        if self.may_remember(sub) {
            return Box::pin(self.run_or_remember(sub, outer));
        }
        if !same {
            return self.run_sub_anew(sub, outer);
        }
        Box::pin(async move {
            if let Some(known) = self.lasting.result(sub) {
                return Ok(known);
            }
            let result = self.run_sub_anew(sub, outer).await?;
            Ok(match sub.plan.iter().all(QueryPlan::is_settled) {
                true => self.lasting.keep_result(sub, result),
                false => result,
            })
        })
    }

    /// Whether a guard is true. It says nothing: what there is to warn of is said when the expression is evaluated. One that fails counts as
    /// true, since the expression might not fail: memory may be free again.
    fn is_asked_for(&mut self, guard: &BExpr, outer: &Frame<'_>) -> bool {
        let before = std::mem::replace(&mut self.ev.cx.warnings, Warnings::with_limit(0));
        let asked = is_true(guard, outer, &mut self.ev);
        self.ev.cx.warnings = before;
        asked.unwrap_or(true)
    }

    fn run_sub_anew<'b>(&'b mut self, sub: &'b Sub, outer: &'b Frame<'b>) -> Boxed<'b, SubResult> {
        Box::pin(async move {
            let Some(plan) = &sub.plan else {
                return match &sub.kind {
                    SubKind::Sleep(e) => self.sleep(e, outer).await.map(SubResult::Scalar),
                    SubKind::Benchmark(n, e) => self.benchmark(n, e, outer).map(SubResult::Scalar),
                    SubKind::GetLock(name, limit) => {
                        self.get_lock(name, limit, outer).await.map(SubResult::Scalar)
                    }
                    SubKind::Wait(what, args) => {
                        self.wait_for(*what, args, outer).await.map(SubResult::Scalar)
                    }
                    SubKind::LoadFile(path) => self.load_file(path, outer).map(SubResult::Scalar),
                    SubKind::Call(code, args) => {
                        self.call_function(code, args, outer).await.map(SubResult::Scalar)
                    }
                    SubKind::Match(m) => self.ask(m, outer),
                    SubKind::Scalar | SubKind::Exists | SubKind::Row | SubKind::Rows => {
                        Ok(SubResult::Pending)
                    }
                };
            };
            if let SubKind::Match(m) = &sub.kind {
                return self.search(m, plan, outer).await;
            }
            Ok(match sub.kind {
                SubKind::Exists => {
                    let KeptRows { rows, held } = self.collect(plan, Some(outer), 1).await?;
                    SubResult::Rows { rows, hashed: None, _held: held }
                }
                SubKind::Scalar => {
                    let mut rows = self.collect(plan, Some(outer), 2).await?.rows;
                    if rows.len() > 1 {
                        self.more_than_one()?;
                        rows.clear();
                    }
                    SubResult::Scalar(rows.pop().and_then(|mut r| r.pop()).unwrap_or(Value::Null))
                }
                SubKind::Row => {
                    let KeptRows { mut rows, held } = self.collect(plan, Some(outer), 2).await?;
                    if rows.len() > 1 {
                        self.more_than_one()?;
                        rows.clear();
                    }
                    SubResult::Rows { rows, hashed: None, _held: held }
                }
                SubKind::Rows
                | SubKind::Sleep(_)
                | SubKind::Benchmark(..)
                | SubKind::GetLock(..)
                | SubKind::Wait(..)
                | SubKind::LoadFile(_)
                | SubKind::Match(_)
                | SubKind::Call(..) => {
                    let KeptRows { rows, mut held } =
                        self.collect(plan, Some(outer), usize::MAX).await?;
                    let hashed =
                        if sub.correlated { None } else { RowSet::of(&rows).map(Box::new) };
                    if hashed.is_some() {
                        let bytes = held.bytes();
                        self.ev.cx.hold(&mut held, bytes)?;
                    }
                    SubResult::Rows { rows, hashed, _held: held }
                }
            })
        })
    }

    /// All rows of a derived or computed table, and what is charged for them. `memory`: bytes of rows that may be in memory.
    pub fn materialise<'b>(
        &'b mut self,
        source: &'b Source,
        memory: usize,
        outer: Option<&'b Frame<'b>>,
    ) -> Boxed<'b, (MadeRows, Held)> {
        Box::pin(async move {
            self.reads.work.inc(Stat::Created_tmp_tables);
            match source {
                Source::Derived(q) => {
                    let mut rows = RowStore::new(memory);
                    self.run_query(q, outer, &mut Out::To(&mut rows)).await?;
                    rows.finish(self.reads).await
                }
                Source::Virtual(v, hint) => {
                    let mut kept = KeptRows::default();
                    let cx = TableReads { reads: self.reads, access: self.access };
                    for row in v.rows(cx, hint).await? {
                        kept.push(row, self.ev.cx.session.memory())?;
                    }
                    Ok((MadeRows::Memory(Arc::new(kept.rows)), kept.held))
                }
                Source::Working(number, _) => {
                    let last = self.working.iter().rfind(|(n, _)| n == number);
                    Ok((
                        last.map_or_else(MadeRows::none, |(_, rows)| rows.clone()),
                        Held::default(),
                    ))
                }
                Source::Table(_) => Ok((MadeRows::none(), Held::default())),
            }
        })
    }
}

/// The rows of a SHOW, which its WHERE reads as a table.
fn shown(rows: &ShowResult) -> (u32, MadeRows) {
    (0, MadeRows::Memory(Arc::new(rows.rows.clone())))
}

/// Locking of rows that are only read on behalf of a change (INSERT ... SELECT).
pub fn source_lock(txn: &Txn) -> weir_engine::LockMode {
    if txn.isolation() >= Isolation::RepeatableRead {
        weir_engine::LockMode::Shared
    } else {
        weir_engine::LockMode::None
    }
}
