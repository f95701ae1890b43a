//! The rows of a recursive common table.

use super::{Boxed, Runner};
use crate::errno;
use crate::func::aggregate::distinct_key;
use crate::memory::Held;
use crate::query::eval::frame::Frame;
use crate::query::plan::Recursive;
use crate::query::plan::outcome::{KeptRows, Row, Run};
use crate::session_api::SqlError;
use crate::value::{SqlType, Value, ValueError};
use crate::vars::Var;
use std::collections::HashSet;
use std::sync::Arc;

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
        let first = self.collect(&r.seed, outer, usize::MAX).await?;
        let mut last = self.take_new(first.rows, (types, &r.names), &mut seen, &mut kept)?;
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
            let made = made?;
            last = self.take_new(made.rows, (types, &r.names), &mut seen, &mut kept)?;
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
    fn take_new(
        &mut self,
        mut rows: Vec<Row>,
        (types, names): (&[SqlType], &[Arc<str>]),
        seen: &mut Option<(HashSet<Vec<u8>>, Held)>,
        kept: &mut KeptRows,
    ) -> Run<Vec<Row>> {
        for row in &rows {
            self.check_width(row, types, names)?;
        }
        self.coerce_rows(&mut rows, types);
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

    /// 1406: a text that is too long for the column that the first operands have made; a column of NULLs alone has no room at all.
    /// Without strict mode it is cut.
    fn check_width(&self, row: &Row, types: &[SqlType], names: &[Arc<str>]) -> Run<()> {
        if !self.ev.cx.mode.strict() {
            return Ok(());
        }
        for ((v, ty), name) in row.iter().zip(types).zip(names) {
            let fits = match (v, ty) {
                (Value::Null, _) => true,
                (_, SqlType::Null) => false,
                (Value::Str(b, c), SqlType::Varchar { chars, .. }) => {
                    c.char_len(b) <= *chars as usize
                }
                _ => true,
            };
            if !fits {
                let text = format!("Data too long for column '{name}' at row 1");
                return Err(ValueError::new(errno::ER_DATA_TOO_LONG, "22001", text).into());
            }
        }
        Ok(())
    }
}
