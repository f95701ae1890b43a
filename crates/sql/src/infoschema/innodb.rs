//! What the engine's transactions are at, under InnoDB's names.

use super::cells::{BIGINT, DATETIME, INT, Row, UBIGINT, at, c, i, n, os, s, settle, text, u};
use super::data_locks::{id_of, number};
use crate::account::Privileges;
use crate::context::TableReads;
use crate::context::{BoxFuture, VirtualColumn, VirtualHint, VirtualTable};
use crate::session_api::SqlError;
use crate::value::Value;
use std::collections::HashMap;
use weir_engine::Isolation;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&InnodbTrx]
}

/// Transactions that have written something, or have or want locks of rows.
pub struct InnodbTrx;

impl VirtualTable for InnodbTrx {
    fn schema(&self) -> &'static str {
        "information_schema"
    }

    fn name(&self) -> &'static str {
        "INNODB_TRX"
    }

    fn columns(&self) -> &[VirtualColumn] {
        static COLUMNS: super::Columns = super::Columns::new();
        COLUMNS.get_or_init(|| {
            vec![
                n("trx_id", UBIGINT),
                n("trx_state", text(13)),
                n("trx_started", DATETIME),
                c("trx_requested_lock_id", text(126)),
                c("trx_wait_started", DATETIME),
                n("trx_weight", UBIGINT),
                n("trx_mysql_thread_id", UBIGINT),
                c("trx_query", text(1024)),
                c("trx_operation_state", text(64)),
                n("trx_tables_in_use", UBIGINT),
                n("trx_tables_locked", UBIGINT),
                n("trx_lock_structs", UBIGINT),
                n("trx_lock_memory_bytes", UBIGINT),
                n("trx_rows_locked", UBIGINT),
                n("trx_rows_modified", UBIGINT),
                n("trx_concurrency_tickets", UBIGINT),
                n("trx_isolation_level", text(16)),
                n("trx_unique_checks", INT),
                n("trx_foreign_key_checks", INT),
                c("trx_last_foreign_key_error", text(256)),
                n("trx_adaptive_hash_latched", INT),
                n("trx_adaptive_hash_timeout", UBIGINT),
                n("trx_is_read_only", INT),
                n("trx_autocommit_non_locking", INT),
                c("trx_schedule_weight", BIGINT),
            ]
        })
    }

    fn rows<'a>(
        &'a self,
        cx: TableReads<'a>,
        _: &'a VirtualHint,
    ) -> BoxFuture<'a, Result<Vec<Row>, SqlError>> {
        let allowed = cx.access.clone().require_any_global(Privileges::PROCESS);
        let rows = allowed.map(|()| {
            let mut rows = transactions(cx);
            settle(self.columns(), &mut rows);
            rows
        });
        Box::pin(std::future::ready(rows))
    }
}

fn transactions(cx: TableReads<'_>) -> Vec<Row> {
    let running: HashMap<u64, String> = cx
        .reads
        .shared
        .sessions()
        .list()
        .into_iter()
        .filter_map(|p| Some((p.id, p.info?)))
        .collect();
    let level = |isolation| match isolation {
        Isolation::ReadUncommitted => "READ UNCOMMITTED",
        Isolation::ReadCommitted => "READ COMMITTED",
        Isolation::RepeatableRead => "REPEATABLE READ",
        Isolation::Serializable => "SERIALIZABLE",
    };
    let db = cx.reads.db();
    let wanted: HashMap<u64, String> =
        db.locks().iter().filter(|l| l.waits).map(|l| (l.serial, id_of(l))).collect();
    let waits: HashMap<u64, u64> = db
        .waits()
        .into_iter()
        .filter(|w| w.lasts && w.cause == "row lock")
        .map(|w| (w.session, w.started_micros))
        .collect();
    let now = db.rt().wall_micros();
    let row = |t: weir_engine::TrxInfo| {
        let query = running.get(&t.session).map(|q| q.chars().take(1024).collect::<String>());
        let tz = cx.reads.settings.tz;
        let since = waits.get(&t.session).copied().filter(|_| t.waiting);
        // Of one that has only locked, the beginning is not known: it is before its wait.
        let started = match t.started_micros {
            0 => since.unwrap_or(now),
            known => known,
        };
        vec![
            u(number(t.id, t.serial)),
            s(if t.waiting { "LOCK WAIT" } else { "RUNNING" }),
            at(started, tz),
            os(wanted.get(&t.serial).cloned().filter(|_| t.waiting)),
            since.map_or(Value::Null, |s| at(s, tz)),
            u(t.locks + t.changes),
            u(t.session),
            os(query),
            Value::Null,
            u(0),
            u(0),
            u(t.locks),
            u(0),
            u(t.locks),
            u(t.changes),
            u(0),
            s(level(t.isolation)),
            i(1),
            i(1),
            Value::Null,
            i(0),
            u(0),
            i(0),
            i(0),
            Value::Null,
        ]
    };
    db.transactions().into_iter().map(row).collect()
}
