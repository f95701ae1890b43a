//! Rows that do not stand in the partition that their values give: what EXCHANGE PARTITION must not let in, and what CHECK TABLE looks for.

use super::engine_error;
use crate::context::StatementCtx;
use crate::meta::SqlTable;
use crate::session_api::SqlError;
use crate::value::DatumBuf;
use std::sync::Arc;
use weir_engine::row::RowView;
use weir_engine::{HeldTables, Isolation, LockMode, OnLocked, ScanSpec, Table, TxnOptions};

fn every_row() -> ScanSpec {
    ScanSpec {
        index: 0,
        start: Vec::new(),
        end: None,
        reverse: false,
        lock: LockMode::None,
        on_locked: OnLocked::Wait,
        unique_eq: false,
        expect: 0,
        fetch_external: true,
        rows_only: false,
        index_only: None,
    }
}

/// The first row of `rows` that does not belong to partition `at` of `table`: where it belongs, if anywhere.
pub async fn misplaced(
    table: &SqlTable,
    at: usize,
    rows: &Arc<Table>,
    held: Option<Arc<HeldTables>>,
    ctx: &StatementCtx<'_>,
) -> Result<Option<Option<usize>>, SqlError> {
    let mut exprs = ctx.reads.bind_rows(ctx.now_micros, table.name(), &table.meta)?;
    let columns = table.meta.partitions.as_ref().map_or(&[][..], |p| &p.columns);
    let mut values = vec![DatumBuf::Null; table.meta.columns.len()];
    let mut txn = ctx.reads.db().begin(TxnOptions {
        isolation: Isolation::ReadCommitted,
        read_only: true,
        lock_timeout: ctx.reads.settings.ddl_timeout,
        mdl_timeout: ctx.reads.settings.ddl_timeout,
        interrupt: ctx.reads.interrupt.clone(),
        session_id: ctx.reads.conn.id,
        held,
        ..TxnOptions::default()
    });
    txn.begin_statement();
    let mut scan = txn.scan(rows, every_row());
    let mut found = None;
    while found.is_none() && scan.next(&mut txn).await.map_err(engine_error)? {
        let view = RowView::new(&rows.layout, scan.row());
        columns.iter().for_each(|c| values[*c] = view.get(*c).to_buf());
        let placed = exprs.as_mut().and_then(|e| e.partition(&values).ok());
        found = (placed != Some(at)).then_some(placed);
    }
    drop(scan);
    txn.rollback().await.map_err(engine_error)?;
    Ok(found)
}

/// What CHECK TABLE says of rows in other partitions than their own.
pub async fn findings(table: &SqlTable, ctx: &StatementCtx<'_>) -> Result<Vec<String>, SqlError> {
    let held = ctx.reads.locked.map(|l| l.held.clone());
    let mut all = Vec::new();
    for (at, part) in table.engine.parts.iter().enumerate() {
        match misplaced(table, at, part, held.clone(), ctx).await? {
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
