//! Short answers: those of statements by a key that wait for nothing. They are made by a call, before anybody asks for their first row, and
//! cost no future, no pipe and no memory for each row.
//!
//! Invariant: how many rows such an answer has is bounded by its statement's key (`weir_sql::session`), so nothing is gained by making them later.

use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::row::{Columns, Row, value_of};
use crate::statement::Source;
use crate::stream::Executed;
use crate::value::Value;
use std::sync::Arc;
use weir_rt::{Actor, act_as};
use weir_sql::session_api::{ColumnMeta, OkInfo, OutValue, ParamValue, ResultSink, SinkError};

/// An answer of which the rows are given out one by one.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    columns: Arc<Columns>,
    /// Of all rows, one behind the other.
    values: Vec<Value>,
    /// How many of them were given out.
    given: usize,
    executed: Executed,
}

impl Gathered {
    pub fn columns(&self) -> &Arc<Columns> {
        &self.columns
    }

    pub fn executed(&self) -> &Executed {
        &self.executed
    }

    fn width(&self) -> usize {
        self.columns.0.len()
    }

    pub fn has_more(&self) -> bool {
        self.given < self.values.len()
    }

    /// Goes to the next row; false: there is none.
    pub fn step(&mut self) -> bool {
        let there = self.has_more();
        self.given += if there { self.width() } else { 0 };
        there
    }

    /// The values of the current row, there behind a step.
    pub fn values(&self) -> &[Value] {
        &self.values[self.given.saturating_sub(self.width())..self.given]
    }

    /// The next row as one of its own.
    pub fn next_row(&mut self) -> Option<Row> {
        if !self.step() {
            return None;
        }
        let begin = self.given - self.width();
        let row = &mut self.values[begin..self.given];
        let values = row.iter_mut().map(|v| std::mem::replace(v, Value::Null)).collect();
        Some(Row::new(self.columns.clone(), values))
    }
}

impl ResultSink for Gathered {
    fn columns(&mut self, cols: &[ColumnMeta]) -> std::result::Result<(), SinkError> {
        self.columns = Columns::like(&self.columns, cols);
        Ok(())
    }

    fn row(&mut self, row: &[OutValue<'_>]) -> std::result::Result<(), SinkError> {
        self.values.extend(row.iter().zip(&self.columns.0).map(|(v, c)| value_of(v, c)));
        Ok(())
    }

    fn end_rows(&mut self, ok: &OkInfo<'_>) -> std::result::Result<(), SinkError> {
        self.executed = Executed::of(ok);
        Ok(())
    }

    fn ok(&mut self, ok: &OkInfo<'_>) -> std::result::Result<(), SinkError> {
        self.executed = Executed::of(ok);
        Ok(())
    }

    fn hold(&mut self) -> bool {
        true
    }

    fn hold_all(&mut self) -> bool {
        true
    }

    fn take_back(&mut self) {
        self.values.clear();
    }
}

impl Connection {
    /// Executes a statement that was prepared, where that waits for nothing. `None`: nothing was done, and it runs as any other.
    pub(crate) fn gather(
        &mut self,
        source: Source<'_>,
        params: &[ParamValue],
    ) -> Result<Option<Gathered>> {
        let Some(id) = self.known(source, params.len())? else { return Ok(None) };
        let mut rows = Gathered { columns: self.columns.clone(), ..Gathered::default() };
        let session = self.session()?;
        if !session.may_execute_now(id) {
            return Ok(None);
        }
        self.entry.begin(source.text());
        self.entry.kill.clear_query();
        let _acting = act_as(Actor::session(self.entry.id));
        let Some(done) = self.session()?.execute_now(id, params, &mut rows) else {
            return Ok(None);
        };
        self.ended();
        done.map_err(Error::from)?;
        if !Arc::ptr_eq(&self.columns, &rows.columns) {
            self.columns = rows.columns.clone();
        }
        Ok(Some(rows))
    }
}
