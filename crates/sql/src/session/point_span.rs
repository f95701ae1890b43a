//! SELECT of rows that follow one another in the clustered index, between two integers that are not far from each other: run as a SELECT of
//! one row is ([`super::point`]).
//!
//! The rows go from their leaves to the packet, and the answer is only sent when all of them are there. Where one of them cannot be
//! had without waiting, everything is taken back and the usual way answers. A sink that cannot take rows back is not given any.

use super::Session;
use super::point::Keys;
use crate::query::{Plan, PointPlan};
use crate::session_api::{OkInfo, ResultSink, SinkError, SqlError};
use weir_engine::{EachNow, Isolation, KeysNow};

/// Bytes of rows that are gathered at most.
const MOST_BYTES: usize = 256 * 1024;

impl Session {
    /// As `run_point`, which has looked at everything but the rows.
    pub(super) fn run_span(
        &mut self,
        plan: &Plan,
        point: &PointPlan,
        keys: &Keys,
        sink: &mut dyn ResultSink,
    ) -> Option<Result<(), SqlError>> {
        if !sink.hold_all() {
            return None;
        }
        let (tz, most) = (self.settings.tz, self.settings.max_packet);
        let (mut gathered, mut sent) = (0, sink.columns_kept(plan.columns(), &point.header));
        let mut each = |row: &[u8]| {
            gathered += row.len();
            // A column may be there several times. A row that no packet has room for is an error, which the usual way reports.
            let fits = row.len().saturating_mul(point.columns.len()) <= most;
            if sent.is_ok() && fits && gathered <= MOST_BYTES {
                sent = point.send(row, tz, sink).map_err(|_| SinkError);
                return sent.is_ok();
            }
            false
        };
        let keys = KeysNow { from: &keys.0, to: &keys.1 };
        let found = self.read_span(point, keys, &mut each).filter(|_| sent.is_ok());
        let Some(found) = found else {
            sink.take_back();
            return None;
        };
        // The look behind the last row is a step as well; the search itself has found the first one.
        self.point_ended(plan, found, Some(found as u64));
        let released = sink.release();
        let ok = self.ok_info(OkInfo::default());
        Some(released.and_then(|()| sink.end_rows(&ok)).map_err(SqlError::from))
    }

    fn read_span(
        &mut self,
        point: &PointPlan,
        keys: KeysNow<'_>,
        each: EachNow<'_>,
    ) -> Option<usize> {
        let table = &point.table.engine;
        match &mut self.txn {
            // A transaction begins in the usual way.
            None if self.explicit || !self.settings.autocommit => None,
            None => {
                let uncommitted = self.settings.isolation == Isolation::ReadUncommitted;
                self.inst.db.read_range_now(table, keys, uncommitted, each)
            }
            Some(_) if self.settings.autocommit && !self.explicit => None,
            // Reads lock what they read, unless the statement is its own transaction.
            Some(txn) if txn.isolation() == Isolation::Serializable => None,
            Some(txn) => {
                txn.set_timeouts(self.settings.lock_timeout, self.settings.mdl_timeout());
                txn.begin_statement();
                txn.read_range_now(table, keys, each)
            }
        }
    }
}
