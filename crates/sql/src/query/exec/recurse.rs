//! The rows of a recursive common table.

mod chain;
mod seen;

use super::destination::{Limits, Out, Takes, row_key};
use super::emit::table_memory;
use super::row_store::{MadeRows, RowStore};
use super::{Boxed, Runner};
use crate::context::Reads;
use crate::errno;
use crate::query::eval::fitted::coerce_in_set;
use crate::query::eval::frame::{Frame, Slot};
use crate::query::eval::{Ev, eval, is_true};
use crate::query::plan::outcome::{KeptRows, Row, Run};
use crate::query::plan::{Access, Block, Body, QueryPlan, Recursive, Source};
use crate::session_api::SqlError;
use crate::value::types::IntKind;
use crate::value::{EvalCtx, SqlType, StoreCtx, Value, ValueError, Warnings};
use crate::vars::Var;
use seen::{Passes, Seen};
use std::sync::Arc;

/// Rows between two looks whether the statement must end.
const LOOK_EVERY: usize = 1024;

impl Runner<'_, '_> {
    /// The rows of the seed, then those that each round makes of the rows of the round before, until there are none, or as many as are
    /// wanted. 3636 when there are too many rounds.
    pub fn recurse<'b>(
        &'b mut self,
        r: &'b Recursive,
        types: &'b [SqlType],
        outer: Option<&'b Frame<'b>>,
        (out, limits): (&'b mut Out<'_>, &'b mut Limits),
    ) -> Boxed<'b, ()> {
        Box::pin(async move {
            let wanted = limits.wanted();
            if out.keeps() {
                let mut into = Gathered::Passed { to: out, limits };
                return self.rounds(r, (types, wanted), outer, &mut into).await;
            }
            let mut into = Gathered::Kept(RowStore::new(table_memory(self.reads)));
            self.rounds(r, (types, wanted), outer, &mut into).await?;
            let Gathered::Kept(kept) = into else { return Ok(()) };
            let (rows, _held) = kept.finish(self.reads).await?;
            self.pass_all(&rows, (out, limits)).await
        })
    }

    async fn rounds(
        &mut self,
        r: &Recursive,
        (types, wanted): (&[SqlType], usize),
        outer: Option<&Frame<'_>>,
        into: &mut Gathered<'_>,
    ) -> Run<()> {
        let memory = table_memory(self.reads);
        let mut seen = (!r.all).then(|| Seen::new(memory));
        let mut count = Count::new(self.ev.vars.u64(Var::cte_max_recursion_depth));
        loop {
            let fresh = RowStore::new(memory);
            let seed = count.is_seed();
            let mut to = Round { of: r, types, seed, seen: &mut seen, into: &mut *into, fresh };
            let made = match seed {
                true => self.run_query(&r.seed, outer, &mut Out::To(&mut to)).await.map(|_| ()),
                false => self.steps(r, outer, &mut to).await,
            };
            if !seed {
                self.working.pop();
            }
            made?;
            if let Some(mut seen) = to.seen.take() {
                let settled = Box::pin(seen.settle(self.reads, &mut self.ev, &mut to)).await;
                *to.seen = Some(seen);
                settled?;
            }
            let fresh = std::mem::replace(&mut to.fresh, RowStore::new(memory));
            let (mut last, mut held) = fresh.finish(self.reads).await?;
            if let Some((block, row)) = self.chained(r, &mut last) {
                to.seed = false;
                let what = (block, wanted, outer);
                let Some(row) = self.chain(what, row, &mut count, &mut to).await? else {
                    return Ok(());
                };
                let mut one = KeptRows::default();
                one.push(row, self.ev.cx.session.memory())?;
                (last, held) = (MadeRows::Memory(Arc::new(one.rows)), one.held);
            }
            if last.is_empty() || to.into.len() >= wanted {
                return Ok(());
            }
            count.next()?;
            self.go_on()?;
            self.working.push((r.number, last));
            drop(held);
        }
    }

    /// A round: the recursive operands over the rows of the round before.
    async fn steps(
        &mut self,
        r: &Recursive,
        outer: Option<&Frame<'_>>,
        to: &mut Round<'_, '_>,
    ) -> Run<()> {
        for step in &r.steps {
            match self.mapped(step, r.number) {
                Some((block, rows)) => self.map(block, &rows, outer, to).await?,
                None => {
                    self.run_query(step, outer, &mut Out::To(&mut *to)).await?;
                }
            }
        }
        Ok(())
    }

    /// The block of an operand that makes a row of each row of the round before, or none, and asks nobody else; and those rows. Most recursive
    /// tables count so, a row each round, and what a query takes to begin and to end would be most of their time.
    fn mapped<'q>(&self, q: &'q QueryPlan, number: u32) -> Option<(&'q Block, Arc<Vec<Row>>)> {
        let block = self.mapping(q, number)?;
        match self.working.last() {
            Some((n, MadeRows::Memory(rows))) if *n == number => Some((block, rows.clone())),
            _ => None,
        }
    }

    /// The block of such an operand.
    fn mapping<'q>(&self, q: &'q QueryPlan, number: u32) -> Option<&'q Block> {
        let Body::Block(b) = &q.body else { return None };
        let [table] = &b.tables[..] else { return None };
        let [step] = &b.steps[..] else { return None };
        let last = matches!(table.source, Source::Working(n, _) if n == number);
        let whole = matches!(&step.access, Access::Mem { hash } if hash.is_empty());
        let plain = b.agg.is_none()
            && b.windows.is_empty()
            && b.having.is_none()
            && b.subs.is_empty()
            && b.gate.is_empty()
            && b.groups.is_empty()
            && b.drawn.exprs.is_empty()
            && step.after.is_empty()
            && !b.distinct
            && !b.calc_found_rows
            && b.order.is_empty()
            && b.limit.is_none();
        (last && whole && plain && self.profile.is_none()).then_some(b)
    }

    async fn map(
        &mut self,
        b: &Block,
        rows: &Arc<Vec<Row>>,
        outer: Option<&Frame<'_>>,
        to: &mut Round<'_, '_>,
    ) -> Run<()> {
        let mut slots = [Slot::Mem { rows: rows.clone(), at: 0 }];
        for n in 0..rows.len() {
            if let [Slot::Mem { at, .. }] = &mut slots {
                *at = n;
            }
            self.reads.work.examine();
            if n % LOOK_EVERY == LOOK_EVERY - 1 {
                self.go_on()?;
            }
            let mut row = Row::new();
            if !self.row_of(b, &slots, outer, &mut row)? {
                continue;
            }
            to.row(row, &mut self.ev)?;
            if to.is_due() {
                to.make_room(self.reads, &mut self.ev).await?;
            }
        }
        Ok(())
    }

    /// What such an operand makes of the row in the slot; false: the conditions leave it out.
    fn row_of(
        &mut self,
        b: &Block,
        slots: &[Slot],
        outer: Option<&Frame<'_>>,
        row: &mut Row,
    ) -> Run<bool> {
        let shapes = &b.shapes;
        let frame = Frame { block: Some(b), shapes, slots, outer, ..Frame::empty(self.params) };
        for c in &b.steps[0].conds {
            if !is_true(&c.expr, &frame, &mut self.ev)? {
                return Ok(false);
            }
        }
        row.reserve_exact(b.items.len());
        for e in &b.items {
            row.push(eval(e, &frame, &mut self.ev)?.into_owned());
        }
        Ok(true)
    }
}

/// Rounds, of which there are no more than `cte_max_recursion_depth`.
struct Count {
    round: u64,
    most: u64,
}

impl Count {
    fn new(most: u64) -> Count {
        Count { round: 0, most }
    }

    fn is_seed(&self) -> bool {
        self.round == 0
    }

    fn next(&mut self) -> Run<()> {
        self.round += 1;
        if self.round > self.most {
            return Err(SqlError::of(errno::ER_CTE_MAX_RECURSION_DEPTH, &[&self.round]).into());
        }
        Ok(())
    }
}

/// Where the rows of all rounds go.
enum Gathered<'g> {
    /// They wait for the last round: nobody is to see a row of a table that cannot be made.
    Kept(RowStore),
    /// They go to who keeps them himself.
    Passed { to: &'g mut (dyn Takes + Send), limits: &'g mut Limits },
}

impl Gathered<'_> {
    fn push(&mut self, row: Row, ev: &mut Ev<'_>) -> Run<()> {
        match self {
            Gathered::Kept(kept) => kept.push(row, ev.cx.session.memory()),
            Gathered::Passed { to, limits } => match limits.wants_more() {
                true => limits.pass(row, *to, ev).map(|_| ()),
                false => Ok(()),
            },
        }
    }

    /// Rows so far, as far as they are wanted.
    fn len(&self) -> usize {
        match self {
            Gathered::Kept(kept) => kept.len(),
            Gathered::Passed { limits, .. } if !limits.wants_more() => usize::MAX,
            Gathered::Passed { limits, .. } => limits.passed,
        }
    }

    fn is_due(&self) -> bool {
        match self {
            Gathered::Kept(kept) => kept.is_due(),
            Gathered::Passed { to, .. } => to.is_due(),
        }
    }

    async fn make_room(&mut self, reads: Reads<'_>, ev: &mut Ev<'_>) -> Run<()> {
        match self {
            Gathered::Kept(kept) => kept.write(reads).await,
            Gathered::Passed { to, .. } => to.make_room(reads, ev).await,
        }
    }
}

/// The rows of a round on their way: those that are there already are left out where the union is DISTINCT; the others are kept, for the result
/// and for the next round.
struct Round<'s, 'g> {
    of: &'s Recursive,
    types: &'s [SqlType],
    /// The rows are those of the first operands, whose types the columns have.
    seed: bool,
    seen: &'s mut Option<Seen>,
    into: &'s mut Gathered<'g>,
    fresh: RowStore,
}

impl Round<'_, '_> {
    /// The row becomes one of the table's columns; false: it is there already.
    #[inline]
    fn admit(&mut self, row: &mut Row, ev: &mut Ev<'_>) -> Run<bool> {
        if self.seed {
            for (v, ty) in row.iter_mut().zip(self.types) {
                *v = coerce_in_set(std::mem::take(v), ty, &mut ev.cx);
            }
        } else {
            convert_row(row, self.types, self.of, &mut ev.cx)?;
        }
        match self.seen {
            Some(seen) => {
                let mut key = Vec::new();
                row_key(row, &mut key);
                Ok(seen.is_new(key, row, ev)?)
            }
            None => Ok(true),
        }
    }

    fn keep(&mut self, row: Row, ev: &mut Ev<'_>) -> Run<()> {
        self.into.push(row.clone(), ev)?;
        self.fresh.push(row, ev.cx.session.memory())
    }
}

impl Takes for Round<'_, '_> {
    fn row(&mut self, mut row: Row, ev: &mut Ev<'_>) -> Run<bool> {
        if self.admit(&mut row, ev)? {
            self.keep(row, ev)?;
        }
        Ok(true)
    }

    fn is_due(&self) -> bool {
        self.into.is_due() || self.fresh.is_due() || self.seen.as_ref().is_some_and(Seen::is_due)
    }

    fn make_room<'d>(&'d mut self, reads: Reads<'d>, ev: &'d mut Ev<'_>) -> Boxed<'d, ()> {
        Box::pin(async move {
            if self.into.is_due() {
                self.into.make_room(reads, ev).await?;
            }
            if self.fresh.is_due() {
                self.fresh.write(reads).await?;
            }
            match self.seen.as_mut().filter(|seen| seen.is_due()) {
                Some(seen) => seen.write(reads).await,
                None => Ok(()),
            }
        })
    }
}

impl Passes for Round<'_, '_> {
    async fn pass(&mut self, row: Row, reads: Reads<'_>, ev: &mut Ev<'_>) -> Run<()> {
        self.keep(row, ev)?;
        match self.is_due() {
            true => self.make_room(reads, ev).await,
            false => Ok(()),
        }
    }
}

/// A row of a recursive operand, as the columns that the first operands have made hold it.
fn convert_row(
    row: &mut Row,
    types: &[SqlType],
    r: &Recursive,
    cx: &mut EvalCtx<'_>,
) -> Result<(), ValueError> {
    for ((v, ty), column) in row.iter_mut().zip(types).zip(&r.names) {
        if !is_held(v, ty) {
            *v = held_by(v, ty, (&r.name, column), cx)?;
        }
    }
    Ok(())
}

/// Whether a column of the type holds the value as it is. Most recursive tables count.
fn is_held(v: &Value<'_>, ty: &SqlType) -> bool {
    match (v, ty) {
        (Value::Null, _) => true,
        (Value::Int(_), SqlType::Int { kind: IntKind::Big, unsigned: false, .. }) => true,
        (Value::Str(b, c), SqlType::Varchar { chars, collation }) => {
            c == collation && c.char_len(b) <= *chars as usize
        }
        _ => false,
    }
}

/// The value that a column of the type keeps of `v`. In a strict mode a value that does not fit is an error, and a value of which something
/// is cut without harm is noted; in other modes nothing is said, except of texts that are no dates, times or numbers at all.
fn held_by(
    v: &Value<'_>,
    ty: &SqlType,
    (table, column): (&str, &str),
    cx: &mut EvalCtx<'_>,
) -> Result<Value<'static>, ValueError> {
    let ty = match *ty {
        // The column does not pad what it keeps.
        SqlType::Char { chars, collation } if collation.is_binary() => SqlType::varbinary(chars),
        ty => ty,
    };
    let strict = cx.mode.strict();
    let mut told = Warnings::default();
    let stored = store(v, &ty, (table, column), (true, &mut told), cx);
    if strict {
        cx.warnings.absorb(told);
        return stored;
    }
    match stored {
        Ok(kept) => Ok(kept),
        Err(e) => {
            if is_told_in_lax_modes(&e) {
                cx.warnings.demote(e);
            }
            store(v, &ty, (table, column), (false, &mut Warnings::with_limit(0)), cx)
        }
    }
}

/// 1292 of dates and times, and 1366 of other numbers than integers.
fn is_told_in_lax_modes(e: &ValueError) -> bool {
    let of_integer = e.message.starts_with("Incorrect integer value");
    matches!(e.errno, errno::ER_TRUNCATED_WRONG_VALUE | errno::ER_TRUNCATED_WRONG_VALUE_FOR_FIELD)
        && !of_integer
}

fn store(
    v: &Value<'_>,
    ty: &SqlType,
    (table, column): (&str, &str),
    (strict, warnings): (bool, &mut Warnings),
    cx: &EvalCtx<'_>,
) -> Result<Value<'static>, ValueError> {
    let mut sx = StoreCtx {
        column,
        table: Some(table),
        row: 1,
        strict,
        mode: cx.mode,
        tz: cx.tz,
        now_micros: cx.now_micros,
        warnings,
        session: Some(cx.session),
    };
    let datum = ty.store(v, &mut sx)?;
    Ok(ty.load(datum.as_ref(), cx.tz).into_owned())
}
