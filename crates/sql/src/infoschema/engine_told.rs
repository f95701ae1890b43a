//! A computed table about the engine. Those of information_schema are for accounts that may see the server's work (PROCESS), those of
//! performance_schema for anyone who may read them, as its tables are.

use std::sync::OnceLock;

use super::cells::{Row, settle};
use super::empty::parsed;
use crate::account::Privileges;
use crate::context::{BoxFuture, TableReads, VirtualColumn, VirtualHint, VirtualTable};
use crate::session_api::SqlError;

pub(super) struct Told {
    schema: &'static str,
    name: &'static str,
    text: &'static str,
    columns: OnceLock<Vec<VirtualColumn>>,
    make: fn(TableReads<'_>) -> Vec<Row>,
}

impl Told {
    /// `text`: the columns, as [`parsed`] reads them.
    pub const fn new(
        schema: &'static str,
        name: &'static str,
        text: &'static str,
        make: fn(TableReads<'_>) -> Vec<Row>,
    ) -> Told {
        Told { schema, name, text, columns: OnceLock::new(), make }
    }
}

impl VirtualTable for Told {
    fn schema(&self) -> &'static str {
        self.schema
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn columns(&self) -> &[VirtualColumn] {
        self.columns.get_or_init(|| parsed(self.text))
    }

    fn rows<'a>(
        &'a self,
        cx: TableReads<'a>,
        _: &'a VirtualHint,
    ) -> BoxFuture<'a, Result<Vec<Row>, SqlError>> {
        let allowed = match self.schema {
            "information_schema" => cx.access.clone().require_any_global(Privileges::PROCESS),
            _ => Ok(()),
        };
        let rows = allowed.map(|()| {
            let mut rows = (self.make)(cx);
            settle(self.columns(), &mut rows);
            rows
        });
        Box::pin(std::future::ready(rows))
    }
}
