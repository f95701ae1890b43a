//! Tables that are computed when they are read: information_schema and its like.

use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;

use super::TableReads;
use crate::session_api::SqlError;
use crate::value::{SqlType, Value};

/// A future that a trait object can return.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A column of a virtual table or of a SHOW result.
#[derive(Debug, Clone, PartialEq)]
pub struct VirtualColumn {
    pub name: Cow<'static, str>,
    pub ty: SqlType,
    pub nullable: bool,
}

/// What the reader's condition pins down; a table may use it to produce fewer rows and may ignore it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VirtualHint {
    /// `TABLE_SCHEMA = '...'` (or the like).
    pub schema: Option<String>,
    /// `TABLE_NAME = '...'`.
    pub table: Option<String>,
}

impl VirtualHint {
    pub fn wants_schema(&self, name: &str) -> bool {
        self.schema.as_deref().is_none_or(|s| s.eq_ignore_ascii_case(name))
    }

    pub fn wants_table(&self, name: &str) -> bool {
        self.table.as_deref().is_none_or(|t| t.eq_ignore_ascii_case(name))
    }
}

/// A computed table.
pub trait VirtualTable: Send + Sync {
    fn schema(&self) -> &'static str;
    /// As MySQL writes it; found in any letter case.
    fn name(&self) -> &'static str;
    fn columns(&self) -> &[VirtualColumn];
    /// Column names that `hint.schema` and `hint.table` are about.
    fn hint_columns(&self) -> (Option<&'static str>, Option<&'static str>) {
        (None, None)
    }
    /// All rows, or fewer when the hint allows it; each as long as `columns`.
    fn rows<'a>(
        &'a self,
        cx: TableReads<'a>,
        hint: &'a VirtualHint,
    ) -> BoxFuture<'a, Result<Vec<Vec<Value<'static>>>, SqlError>>;
}
