//! Rows of another server's binary log, written as they were there: no trigger fires, and no default is worked out that the source has
//! already worked out. `convert` makes values of this table's columns of those that an event has, `relation` says which types fit, `find` looks for the row that an
//! event changes.
//!
//! Columns go by their place, as in MySQL. What the source has more of at the end is left out; what this table has more of gets its
//! default, and generated columns are worked out here.
//!
//! Invariant: the event is written whole or an error says why not; the caller takes back what was written of it.

mod convert;
mod find;
mod json;
mod relation;

use super::{RowWriter, WriteKind};
use crate::errno;
use crate::meta::{ColumnDefault, SqlTable};
use crate::query::bind::rules::{self, Storing};
use crate::query::exec::Runner;
use crate::query::plan::env::PlanEnv;
use crate::query::plan::foreign::ForeignPlan;
use crate::query::plan::outcome::{Run, RunError};
use crate::query::plan::shape::Shape;
use crate::session_api::SqlError;
use crate::value::convert::now;
use crate::value::{DatumBuf, Value};
use convert::{Converter, Given};
use find::Finder;
use std::sync::Arc;
use weir_binlog::rows::{Change, Row, Rows, flag};
use weir_binlog::table_map::TableMap;
use weir_engine::RowBuf;
use weir_engine::row::RowView;

/// How the rows of an event are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct How {
    /// `replica_exec_mode = IDEMPOTENT`: a row that is there already is written over, and one that is missing stays so.
    pub idempotent: bool,
    /// `replica_type_conversions`.
    pub lossy: bool,
    pub non_lossy: bool,
}

/// Writes the rows of an event. `table` is what its map names.
pub async fn apply(
    r: &mut Runner<'_, '_>,
    table: &Arc<SqlTable>,
    (map, rows): (&TableMap, &Rows<'_>),
    how: How,
) -> Run<u64> {
    let converter = Converter::new(table, map, how)?;
    lock_and_link(r, table, rows).await?;
    let kind = match rows.change {
        Change::Write if how.idempotent => WriteKind::Replace,
        Change::Write => WriteKind::Insert,
        Change::Update => WriteKind::Update,
        Change::Delete => WriteKind::Delete,
    };
    let alone = r.foreign.as_ref().is_some_and(|f| f.looks_at_itself(table));
    let mut at_work = Applier {
        table,
        converter,
        how,
        finder: Finder::of(table, &rows.first),
        writer: RowWriter::replicated(kind, !alone),
        row: Vec::new(),
        found: RowBuf::default(),
    };
    let mut written = 0;
    for row in rows.rows(map).map_err(broken_event)? {
        if r.is_killed() {
            return Err(SqlError::interrupted().into());
        }
        let row = row.map_err(broken_event)?;
        match rows.change {
            Change::Write => at_work.insert(r, &row).await?,
            Change::Update => at_work.update(r, &row).await?,
            Change::Delete => at_work.delete(r, &row).await?,
        }
        written += 1;
    }
    at_work.writer.flush(r, table).await?;
    Ok(written)
}

/// 1594: the event cannot be read.
pub fn broken_event(e: weir_binlog::Error) -> RunError {
    RunError::Sql(SqlError::of(errno::ER_REPLICA_RELAY_LOG_READ_FAILURE, &[&e]))
}

/// The table and those of its foreign keys are locked as by a statement. Cascades are worked out here where the source has not written
/// them into its log.
async fn lock_and_link(r: &mut Runner<'_, '_>, table: &Arc<SqlTable>, rows: &Rows<'_>) -> Run<()> {
    let unchecked = flag::NO_FOREIGN_KEY_CHECKS | flag::SQL_FOREIGN_KEYS;
    let children = rows.change != Change::Write;
    let foreign = match rows.flags & unchecked {
        0 => {
            let env = PlanEnv::new(r.reads, r.ev.user_vars, &[]);
            ForeignPlan::of(std::slice::from_ref(table), children, &env)
        }
        _ => None,
    };
    let own = std::iter::once((table, true));
    let theirs = foreign.iter().flat_map(|f| f.tables.iter().map(|(t, w)| (t, *w)));
    let mut all: Vec<_> = own.chain(theirs).collect();
    all.sort_by_key(|(t, _)| t.engine.def.id);
    for (table, writes) in all {
        r.txn.use_table(&table.engine, writes).await?;
    }
    r.foreign = foreign;
    Ok(())
}

struct Applier<'a> {
    table: &'a Arc<SqlTable>,
    converter: Converter<'a>,
    how: How,
    finder: Finder,
    writer: RowWriter<'a>,
    row: Vec<DatumBuf>,
    found: RowBuf,
}

impl Applier<'_> {
    async fn insert(&mut self, r: &mut Runner<'_, '_>, row: &Row<'_>) -> Run<()> {
        let mut values = std::mem::take(&mut self.row);
        values.clear();
        values.resize(self.table.meta.columns.len(), DatumBuf::Null);
        let given = self.converter.image(&row.after, None, r)?;
        let mut missing: Vec<usize> = (0..values.len()).collect();
        for (column, value) in given {
            values[column] = value;
            missing.retain(|m| *m != column);
        }
        self.fill(r, &missing, &mut values)?;
        self.writer.settle(r, self.table, &mut values)?;
        self.writer.insert(r, self.table, &values, true).await?;
        self.row = values;
        Ok(())
    }

    /// Defaults of columns that the event has no value of. A column without one gets the zero of its type, as in MySQL's applier.
    fn fill(&self, r: &mut Runner<'_, '_>, missing: &[usize], values: &mut [DatumBuf]) -> Run<()> {
        let mut worked_out = Vec::new();
        for &at in missing {
            let column = &self.table.meta.columns[at];
            values[at] = match &column.default {
                ColumnDefault::Literal(d) => d.clone(),
                ColumnDefault::CurrentTimestamp(fsp) => {
                    let v = now(&r.ev.cx, *fsp).map_or(Value::Null, Value::DateTime);
                    self.converter.store(at, &v, r)?
                }
                ColumnDefault::Expr(_) => {
                    worked_out.push(at);
                    DatumBuf::Null
                }
                ColumnDefault::None if !column.nullable => column.ty.zero(),
                ColumnDefault::None | ColumnDefault::Null | ColumnDefault::Generated { .. } => {
                    DatumBuf::Null
                }
            };
        }
        if worked_out.is_empty() {
            return Ok(());
        }
        let rules = rules::of(self.table, r.reads, r.ev.user_vars)?;
        let shapes = [Shape::Table(self.table.clone())];
        let how = Storing { strict: false, row: 1 };
        let columns = &self.table.meta.columns;
        rules.fill(&worked_out, &shapes, columns, values, how, &mut r.ev)
    }

    async fn update(&mut self, r: &mut Runner<'_, '_>, row: &Row<'_>) -> Run<()> {
        if !self.find(r, row).await? {
            return Ok(());
        }
        let found = std::mem::take(&mut self.found);
        let mut changes = {
            let old = RowView::new(&self.table.engine.layout, &found.row);
            self.converter.image(&row.after, Some(&old), r)?
        };
        let done = self.writer.update(r, self.table, &found.key, &found.row, &mut changes).await;
        self.found = found;
        done?;
        Ok(())
    }

    async fn delete(&mut self, r: &mut Runner<'_, '_>, row: &Row<'_>) -> Run<()> {
        if !self.find(r, row).await? {
            return Ok(());
        }
        let found = std::mem::take(&mut self.found);
        let done = self.writer.delete(r, self.table, &found.key, &found.row).await;
        self.found = found;
        done?;
        Ok(())
    }

    /// Finds and locks the row of an image before a change. 1032 where there is none, unless that does not matter.
    async fn find(&mut self, r: &mut Runner<'_, '_>, row: &Row<'_>) -> Run<bool> {
        let given: Vec<Given> = self.converter.image(&row.before, None, r)?;
        if self.finder.find(r, self.table, &given, &mut self.found).await? {
            return Ok(true);
        }
        match self.how.idempotent {
            true => Ok(false),
            false => Err(SqlError::of(errno::ER_KEY_NOT_FOUND, &[&self.table.name()]).into()),
        }
    }
}
