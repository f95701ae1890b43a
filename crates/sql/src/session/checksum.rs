//! CHECKSUM TABLE: a number that is the same for tables of the same rows, in whatever order they are stored.
//!
//! It is the sum of a CRC-32 of each row's values as a client would get them, so it does not depend on how rows are stored; nor
//! is it the number that MySQL has for them, which does.

use super::Session;
use crate::context::{AdminResult, ShowResult, VirtualColumn};
use crate::ddl::drop::refuse_repeated;
use crate::errno;
use crate::func::encode::crc32_of;
use crate::session_api::{ColumnMeta, OkInfo, OutValue, ResultSink, SinkError, SqlError};
use crate::value::{Collation, Level, SqlType, Value};
use weir_engine::ObjectKind;
use weir_syntax::ast::{Expr, Limit, Query, QueryBody, Statement, TableAdmin, TableName};

const COLUMNS: [VirtualColumn; 2] = [
    VirtualColumn::new("Table", SqlType::varchar(128, Collation::Utf8mb4GeneralCi)),
    VirtualColumn::new("Checksum", SqlType::BIGINT),
];

impl Session {
    pub(super) async fn checksum(&mut self, stmt: &TableAdmin) -> Result<AdminResult, SqlError> {
        refuse_repeated(&stmt.tables, &statement_ctx!(self))?;
        let mut result = ShowResult::new(COLUMNS.to_vec());
        for name in &stmt.tables {
            let schema = name.schema.as_ref().map(|s| s.as_str()).or(self.info.database.as_deref());
            let schema = schema.ok_or_else(SqlError::no_database)?;
            let shown = format!("{schema}.{}", name.name);
            // A checksum that is kept is all that QUICK asks for, and none is kept.
            let view = self.inst.db.object(ObjectKind::View, schema, name.name.as_str()).is_some();
            if view {
                let e = crate::ddl::view::is_not(schema, name.name.as_str(), "BASE TABLE");
                self.current.push(Level::Error, e.errno, || e.message);
            }
            let sum = match view || stmt.options.contains(&"QUICK") {
                true => Value::Null,
                false => match self.checksum_of(name).await {
                    Ok(sum) => Value::Int(sum.into()),
                    // A table that cannot be read has no checksum; what ends the statement ends it.
                    Err(e) if is_of_table(&e) => {
                        self.current.push(Level::Error, e.errno, || e.message);
                        Value::Null
                    }
                    Err(e) => return Err(e),
                },
            };
            let shown = Value::text(shown.into_bytes(), Collation::Utf8mb4GeneralCi);
            result.rows.push(vec![shown, sum]);
        }
        Ok(AdminResult::Rows(result))
    }

    /// Reads the table in the session's transaction, as TABLE does.
    async fn checksum_of(&mut self, name: &TableName) -> Result<u32, SqlError> {
        let mut query = Query::bare(QueryBody::Table(name.clone()));
        // Whatever `sql_select_limit` says.
        query.limit = Some(Limit { offset: None, count: Expr::int(u64::MAX) });
        let mut sum = Sum::default();
        self.run_for_outer(&Statement::Select(Box::new(query)), &[], &mut sum).await?;
        Ok(sum.sum)
    }
}

fn is_of_table(e: &SqlError) -> bool {
    matches!(
        e.errno,
        errno::ER_NO_SUCH_TABLE
            | errno::ER_BAD_DB_ERROR
            | errno::ER_UNKNOWN_TABLE
            | errno::ER_TABLE_CORRUPT
    )
}

/// Sums up rows instead of sending them.
#[derive(Default)]
struct Sum {
    sum: u32,
    row: Vec<u8>,
}

impl ResultSink for Sum {
    fn columns(&mut self, _: &[ColumnMeta]) -> Result<(), SinkError> {
        Ok(())
    }

    fn row(&mut self, row: &[OutValue<'_>]) -> Result<(), SinkError> {
        self.row.clear();
        for v in row {
            match v {
                OutValue::Null => self.row.push(0),
                OutValue::Bytes(b) => {
                    // With its length, so that no value runs into the next one.
                    self.row.push(1);
                    self.row.extend_from_slice(&(b.len() as u64).to_le_bytes());
                    self.row.extend_from_slice(b);
                }
                OutValue::Int(n) => self.number(2, *n as u64),
                OutValue::UInt(n) => self.number(3, *n),
                OutValue::Double(x) | OutValue::Shown(x, _) => self.number(4, x.to_bits()),
                OutValue::Float(x) => self.number(5, x.to_bits().into()),
                other => {
                    self.row.push(6);
                    self.row.extend_from_slice(format!("{other:?}").as_bytes());
                }
            }
        }
        self.sum = self.sum.wrapping_add(crc32_of(&self.row));
        Ok(())
    }

    fn end_rows(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }

    fn ok(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

impl Sum {
    fn number(&mut self, kind: u8, n: u64) {
        self.row.push(kind);
        self.row.extend_from_slice(&n.to_le_bytes());
    }
}
