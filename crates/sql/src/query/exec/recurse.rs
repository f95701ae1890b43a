//! The rows of a recursive common table.

use super::{Boxed, Runner};
use crate::errno;
use crate::func::aggregate::distinct_key;
use crate::memory::Held;
use crate::query::eval::frame::Frame;
use crate::query::plan::Recursive;
use crate::query::plan::outcome::{KeptRows, Row, Run};
use crate::session_api::SqlError;
use crate::value::types::IntKind;
use crate::value::{EvalCtx, SqlType, StoreCtx, Value, ValueError, Warnings};
use crate::vars::Var;
use std::collections::HashSet;

/// The rows that a UNION DISTINCT has given, as keys, and the memory of them.
type Seen = Option<(HashSet<Vec<u8>>, Held)>;

impl Runner<'_, '_> {
    /// The rows of the seed, then those that each round makes of the rows of the round before, until there are none, or as many as are
    /// `wanted`. 3636 when there are too many rounds.
    pub fn recurse<'b>(
        &'b mut self,
        r: &'b Recursive,
        what: (&'b [SqlType], usize),
        outer: Option<&'b Frame<'b>>,
    ) -> Boxed<'b, KeptRows> {
        Box::pin(self.rounds(r, what, outer))
    }

    async fn rounds(
        &mut self,
        r: &Recursive,
        (types, wanted): (&[SqlType], usize),
        outer: Option<&Frame<'_>>,
    ) -> Run<KeptRows> {
        let most = self.ev.vars.u64(Var::cte_max_recursion_depth);
        let mut seen = (!r.all).then(|| (HashSet::new(), Held::default()));
        let mut kept = KeptRows::default();
        let mut first = self.collect(&r.seed, outer, usize::MAX).await?;
        self.coerce_rows(&mut first.rows, types);
        let mut last = self.take_new(first.rows, &mut seen, &mut kept)?;
        drop(first.held);
        let mut rounds = 0;
        while !last.is_empty() && kept.rows.len() < wanted {
            rounds += 1;
            if rounds > most {
                let text = format!(
                    "Recursive query aborted after {rounds} iterations. Try increasing @@cte_max_recursion_depth to a larger value."
                );
                return Err(SqlError::new(errno::ER_CTE_MAX_RECURSION_DEPTH, text).into());
            }
            self.go_on()?;
            self.working.push((r.number, last.into()));
            let made = self.round(r, outer).await;
            self.working.pop();
            let mut made = made?;
            for row in &mut made.rows {
                convert_row(row, types, r, &mut self.ev.cx)?;
            }
            last = self.take_new(made.rows, &mut seen, &mut kept)?;
        }
        Ok(kept)
    }

    async fn round(&mut self, r: &Recursive, outer: Option<&Frame<'_>>) -> Run<KeptRows> {
        let mut made = KeptRows::default();
        for step in &r.steps {
            let rows = self.collect(step, outer, usize::MAX).await?;
            made.rows.extend(rows.rows);
            made.held.merge(rows.held);
        }
        Ok(made)
    }

    /// Keeps rows, those that are there already left out where the union is DISTINCT; gives them back as the next round reads them.
    fn take_new(&mut self, rows: Vec<Row>, seen: &mut Seen, kept: &mut KeptRows) -> Run<Vec<Row>> {
        let account = self.ev.cx.session.memory();
        let mut new = Vec::with_capacity(rows.len());
        for row in rows {
            if let Some((keys, held)) = seen {
                let mut key = Vec::new();
                row.iter().for_each(|v| distinct_key(v, &mut key));
                let bytes = size_of::<Vec<u8>>() + key.len();
                if !keys.insert(key) {
                    continue;
                }
                self.ev.cx.hold(held, bytes)?;
            }
            kept.push(row.clone(), account)?;
            new.push(row);
        }
        Ok(new)
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
    matches!(e.errno, 1292 | 1366) && !of_integer
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
