//! Rows that do not stand in the partition that their values give: what EXCHANGE PARTITION must not let in, and what CHECK TABLE looks for.

use super::engine_error;
use crate::context::{Reads, RowExprs, StatementCtx};
use crate::meta::SqlTable;
use crate::session_api::SqlError;
use crate::value::{Class, DatumBuf};
use std::sync::Arc;
use weir_engine::row::RowView;
use weir_engine::{HeldTables, Isolation, LockMode, OnLocked, ScanSpec, Table, TxnOptions};

fn every_row(external: bool) -> ScanSpec {
    ScanSpec {
        index: 0,
        start: Vec::new(),
        end: None,
        reverse: false,
        lock: LockMode::None,
        on_locked: OnLocked::Wait,
        unique_eq: false,
        expect: 0,
        fetch_external: external,
        rows_only: false,
        index_only: None,
    }
}

/// Tells rows that stand in another partition than their own. The table's expressions are bound once, however many partitions there are.
pub struct Placement<'c> {
    exprs: Option<Box<dyn RowExprs + 'c>>,
    /// The partitioning columns, and a row of which they alone are filled in.
    columns: Vec<usize>,
    values: Vec<DatumBuf>,
    /// A partitioning column may be off the page.
    external: bool,
    held: Option<Arc<HeldTables>>,
    reads: Reads<'c>,
}

impl<'c> Placement<'c> {
    /// `held`: the tables that the statement has locked itself.
    pub fn new(
        table: &'c SqlTable,
        held: Option<Arc<HeldTables>>,
        ctx: &StatementCtx<'c>,
    ) -> Result<Placement<'c>, SqlError> {
        let reads = ctx.reads;
        let exprs = reads.bind_rows(ctx.now_micros, table.name(), &table.meta)?;
        let columns = table.meta.partitions.iter().flat_map(|p| p.all_columns());
        let columns: Vec<usize> = columns.collect();
        let long = |c: &usize| {
            matches!(table.meta.columns[*c].ty.class(), Class::Null | Class::Text | Class::Json)
        };
        let values = vec![DatumBuf::Null; table.meta.columns.len()];
        let external = columns.iter().any(long);
        Ok(Placement { exprs, columns, values, external, held, reads })
    }

    /// The first row of `rows` that does not belong to leaf `at`: where it belongs, if anywhere.
    pub async fn misplaced(
        &mut self,
        at: usize,
        rows: &Arc<Table>,
    ) -> Result<Option<Option<usize>>, SqlError> {
        let mut txn = self.reads.db().begin(TxnOptions {
            isolation: Isolation::ReadCommitted,
            read_only: true,
            lock_timeout: self.reads.settings.ddl_timeout,
            mdl_timeout: self.reads.settings.ddl_timeout,
            interrupt: self.reads.interrupt.clone(),
            session_id: self.reads.conn.id,
            held: self.held.clone(),
            ..TxnOptions::default()
        });
        txn.begin_statement();
        let mut scan = txn.scan(rows, every_row(self.external));
        let mut found = None;
        while found.is_none() && scan.next(&mut txn).await.map_err(engine_error)? {
            let view = RowView::new(&rows.layout, scan.row());
            self.columns.iter().for_each(|c| self.values[*c] = view.get(*c).to_buf());
            let placed = self.exprs.as_mut().and_then(|e| e.partition(&self.values).ok());
            found = (placed != Some(at)).then_some(placed);
        }
        drop(scan);
        txn.rollback().await.map_err(engine_error)?;
        Ok(found)
    }
}

/// What CHECK TABLE says of rows in other partitions than their own, of these partitions or of all.
pub async fn findings(
    table: &SqlTable,
    named: Option<&[usize]>,
    ctx: &StatementCtx<'_>,
) -> Result<Vec<String>, SqlError> {
    let held = ctx.reads.locked.map(|l| l.held.clone());
    let mut placement = Placement::new(table, held, ctx)?;
    let mut all = Vec::new();
    for (at, part) in table.engine.parts.iter().enumerate() {
        if named.is_some_and(|named| !named.contains(&at)) {
            continue;
        }
        match placement.misplaced(at, part).await? {
            None => {}
            Some(Some(to)) => {
                all.push(format!("Found a misplaced row in part {at} should be in part {to}"));
            }
            Some(None) => {
                all.push(format!("Found a misplaced row in part {at}, no part is for it"))
            }
        }
    }
    Ok(all)
}
