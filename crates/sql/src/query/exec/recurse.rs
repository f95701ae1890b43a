//! The rows of a recursive common table.

mod seen;

use super::destination::{Out, Takes, row_key};
use super::emit::table_memory;
use super::row_store::{MadeRows, RowStore};
use super::{Boxed, Runner};
use crate::context::Reads;
use crate::errno;
use crate::memory::Held;
use crate::query::eval::fitted::coerce_in_set;
use crate::query::eval::frame::{Frame, Slot};
use crate::query::eval::{Ev, eval, is_true};
use crate::query::plan::outcome::{Row, Run};
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
    /// `wanted`. 3636 when there are too many rounds.
    pub fn recurse<'b>(
        &'b mut self,
        r: &'b Recursive,
        what: (&'b [SqlType], usize),
        outer: Option<&'b Frame<'b>>,
    ) -> Boxed<'b, (MadeRows, Held)> {
        Box::pin(self.rounds(r, what, outer))
    }

    async fn rounds(
        &mut self,
        r: &Recursive,
        (types, wanted): (&[SqlType], usize),
        outer: Option<&Frame<'_>>,
    ) -> Run<(MadeRows, Held)> {
        let most = self.ev.vars.u64(Var::cte_max_recursion_depth);
        let memory = table_memory(self.reads);
        let mut seen = (!r.all).then(|| Seen::new(memory));
        let mut kept = RowStore::new(memory);
        let mut round = 0;
        loop {
            let fresh = RowStore::new(memory);
            let mut to =
                Round { of: r, types, seed: round == 0, seen: &mut seen, kept: &mut kept, fresh };
            let made = match round {
                0 => self.run_query(&r.seed, outer, &mut Out::To(&mut to)).await.map(|_| ()),
                _ => self.steps(r, outer, &mut to).await,
            };
            if round > 0 {
                self.working.pop();
            }
            made?;
            if let Some(mut seen) = to.seen.take() {
                let settled = Box::pin(seen.settle(self.reads, &mut self.ev, &mut to)).await;
                *to.seen = Some(seen);
                settled?;
            }
            let (last, _held) = to.fresh.finish(self.reads).await?;
            if last.is_empty() || kept.len() >= wanted {
                return kept.finish(self.reads).await;
            }
            round += 1;
            if round > most {
                return Err(SqlError::of(errno::ER_CTE_MAX_RECURSION_DEPTH, &[&round]).into());
            }
            self.go_on()?;
            self.working.push((r.number, last));
        }
    }

    /// A round: the recursive operands over the rows of the round before.
    async fn steps(
        &mut self,
        r: &Recursive,
        outer: Option<&Frame<'_>>,
        to: &mut Round<'_>,
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
        if !(last && whole && plain) || self.profile.is_some() {
            return None;
        }
        match self.working.last() {
            Some((n, MadeRows::Memory(rows))) if *n == number => Some((b, rows.clone())),
            _ => None,
        }
    }

    async fn map(
        &mut self,
        b: &Block,
        rows: &Arc<Vec<Row>>,
        outer: Option<&Frame<'_>>,
        to: &mut Round<'_>,
    ) -> Run<()> {
        let mut slots = [Slot::Mem { rows: rows.clone(), at: 0 }];
        'rows: for n in 0..rows.len() {
            if let [Slot::Mem { at, .. }] = &mut slots {
                *at = n;
            }
            self.reads.work.examine();
            if n % LOOK_EVERY == LOOK_EVERY - 1 {
                self.go_on()?;
            }
            let frame = Frame {
                block: Some(b),
                shapes: &b.shapes,
                slots: &slots,
                outer,
                ..Frame::empty(self.params)
            };
            for c in &b.steps[0].conds {
                if !is_true(&c.expr, &frame, &mut self.ev)? {
                    continue 'rows;
                }
            }
            let mut row = Row::with_capacity(b.items.len());
            for e in &b.items {
                row.push(eval(e, &frame, &mut self.ev)?.into_owned());
            }
            to.row(row, &mut self.ev)?;
            if to.is_due() {
                to.make_room(self.reads, &mut self.ev).await?;
            }
        }
        Ok(())
    }
}

/// The rows of a round on their way: those that are there already are left out where the union is DISTINCT; the others are kept, for the result
/// and for the next round.
struct Round<'s> {
    of: &'s Recursive,
    types: &'s [SqlType],
    /// The rows are those of the first operands, whose types the columns have.
    seed: bool,
    seen: &'s mut Option<Seen>,
    kept: &'s mut RowStore,
    fresh: RowStore,
}

impl Round<'_> {
    fn keep(&mut self, row: Row, ev: &mut Ev<'_>) -> Run<()> {
        let account = ev.cx.session.memory();
        self.kept.push(row.clone(), account)?;
        self.fresh.push(row, account)
    }
}

impl Takes for Round<'_> {
    fn row(&mut self, mut row: Row, ev: &mut Ev<'_>) -> Run<bool> {
        if self.seed {
            for (v, ty) in row.iter_mut().zip(self.types) {
                *v = coerce_in_set(std::mem::take(v), ty, &mut ev.cx);
            }
        } else {
            convert_row(&mut row, self.types, self.of, &mut ev.cx)?;
        }
        if let Some(seen) = self.seen
            && !seen.is_new(row_key(&row), &row, ev)?
        {
            return Ok(true);
        }
        self.keep(row, ev).map(|()| true)
    }

    fn is_due(&self) -> bool {
        self.kept.is_due() || self.fresh.is_due() || self.seen.as_ref().is_some_and(Seen::is_due)
    }

    fn make_room<'d>(&'d mut self, reads: Reads<'d>, _: &'d mut Ev<'_>) -> Boxed<'d, ()> {
        Box::pin(async move {
            for store in [&mut *self.kept, &mut self.fresh] {
                if store.is_due() {
                    store.write(reads).await?;
                }
            }
            match self.seen.as_mut().filter(|seen| seen.is_due()) {
                Some(seen) => seen.write(reads).await,
                None => Ok(()),
            }
        })
    }
}

impl Passes for Round<'_> {
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
