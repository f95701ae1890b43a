//! JSON_TABLE: the parts of a document as rows.
//!
//! A level is a path with its columns; each part that the path names is a row of it. Levels inside of a level (NESTED PATH) are rows
//! of their parent's part: those of the first, then those of the second, with NULL in the columns of all others; where none of them
//! has a row, the parent has one by itself.

use super::Runner;
use crate::errno;
use crate::memory::row_bytes;
use crate::query::eval::Ev;
use crate::query::eval::frame::Frame;
use crate::query::eval::json_value::document;
use crate::query::expr::json::Missing;
use crate::query::plan::json_table::{Column, JsonTable, Level};
use crate::query::plan::outcome::{KeptRows, Run};
use crate::value::json::{self, View};
use crate::value::{Class, SqlType, Value, ValueError};

type Row = Vec<Value<'static>>;
type Sink<'s> = dyn FnMut(Row) -> Result<(), ValueError> + 's;

impl Runner<'_, '_> {
    /// The rows of a JSON_TABLE.
    pub async fn json_rows(
        &mut self,
        table: &JsonTable,
        outer: Option<&Frame<'_>>,
    ) -> Run<KeptRows> {
        let docs = self.collect(&table.source, outer, usize::MAX).await?;
        let mut kept = KeptRows::default();
        let session = self.ev.cx.session;
        for doc in docs.rows.into_iter().flatten() {
            table.rows(doc, &mut self.ev, &mut |row| {
                kept.held.grow(session.memory(), row_bytes(&row))?;
                kept.rows.push(row);
                Ok(())
            })?;
        }
        Ok(kept)
    }
}

impl JsonTable {
    /// Makes the rows of a document.
    pub fn rows(
        &self,
        doc: Value<'_>,
        ev: &mut Ev<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<(), ValueError> {
        let Some(doc) = document(doc, "json_table", ev)? else { return Ok(()) };
        let mut row = vec![Value::Null; self.columns];
        self.root.rows(doc.view(), &mut row, ev, sink)?;
        Ok(())
    }
}

impl Level {
    /// Gives the rows of all parts, and whether there was one. `row` has the columns of the levels above.
    fn rows(
        &self,
        doc: View<'_>,
        row: &mut Row,
        ev: &mut Ev<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<bool, ValueError> {
        let parts = json::find(doc, &self.path, &mut ev.cx)?;
        for (i, part) in parts.iter().enumerate() {
            for (at, column) in &self.columns {
                row[*at] = match column {
                    Column::Ordinality => Value::UInt(i as u64 + 1),
                    Column::Exists(path) => {
                        let found = json::find_first(*part, path, &mut ev.cx)?;
                        Value::Int(i64::from(found.is_some()))
                    }
                    Column::Path(name, wanted) => {
                        wanted.get(*part, ev, |m| refused(name, &wanted.ty, m))?
                    }
                };
            }
            let mut any = false;
            for level in &self.nested {
                any |= level.rows(*part, row, ev, sink)?;
            }
            if !any {
                sink(row.clone())?;
            }
        }
        self.clear(row);
        Ok(!parts.is_empty())
    }

    /// The columns of this level are NULL in the rows of its siblings.
    fn clear(&self, row: &mut Row) {
        self.columns.iter().for_each(|(at, _)| row[*at] = Value::Null);
    }
}

/// What ERROR ON EMPTY and ERROR ON ERROR say.
fn refused(column: &str, ty: &SqlType, missing: Missing) -> ValueError {
    match missing {
        Missing::Empty => ValueError::of(errno::ER_MISSING_JSON_TABLE_VALUE, &[&column]),
        Missing::Many | Missing::Container => {
            ValueError::of(errno::ER_WRONG_JSON_TABLE_VALUE, &[&column])
        }
        Missing::NoNumber => {
            let kind = match ty.class() {
                Class::Decimal => "DECIMAL",
                Class::Real => "DOUBLE",
                _ => "INTEGER",
            };
            ValueError::of(errno::ER_INVALID_JSON_VALUE_FOR_CAST, &[&"", &kind, &column, &1])
        }
        Missing::Unfit => ValueError::of(errno::ER_JT_VALUE_OUT_OF_RANGE, &[&column]),
    }
}
