//! The expressions of a table's definition, evaluated for its rows. Statements that define tables ask for it; the room that
//! evaluates stands above them.

use super::Reads;
use crate::meta::{SqlColumn, TableMeta};
use crate::session_api::SqlError;
use crate::value::{DatumBuf, SqlType, Value};

/// A definition's expressions, bound.
pub trait RowExprs: Send {
    /// Works out the defaults of the columns `added` and all generated columns of row number `row_number`.
    fn complete(
        &mut self,
        row: &mut [DatumBuf],
        added: &[usize],
        row_number: u64,
    ) -> Result<(), SqlError>;

    /// Values of these generated columns are made to fit, without a word.
    fn leave_unvalidated(&mut self, columns: Vec<usize>);

    /// The value of a column's DEFAULT (expr) as the expression gives it, not yet as the column has it, and the expression's type.
    fn default_value(&mut self, column: usize) -> Result<(SqlType, Value<'static>), SqlError>;

    /// 3819 for a row that one of the enforced checks refuses.
    fn check(&mut self, row: &[DatumBuf]) -> Result<(), SqlError>;

    /// The number of the partition that the row goes to, or 1526; 0 where there are none.
    fn partition(&mut self, row: &[DatumBuf]) -> Result<usize, SqlError>;
}

/// Binds the expressions of a table of this name, as the statement at `now_micros` sees the clock.
pub type BindRows =
    for<'a> fn(Reads<'a>, i64, &str, &TableMeta) -> Result<Box<dyn RowExprs + 'a>, SqlError>;

/// The type of a column that keeps the values of an expression's kept text over the columns of a table of this name.
pub type TypeOf = fn(Reads<'_>, &str, &[SqlColumn], &str) -> Result<SqlType, SqlError>;

impl<'a> Reads<'a> {
    /// The bound expressions of a definition, or what is wrong with them; `None`: it has none.
    pub fn bind_rows(
        self,
        now_micros: i64,
        table: &str,
        meta: &TableMeta,
    ) -> Result<Option<Box<dyn RowExprs + 'a>>, SqlError> {
        match meta.has_expressions() {
            true => (self.shared.bind_rows)(self, now_micros, table, meta).map(Some),
            false => Ok(None),
        }
    }
}
