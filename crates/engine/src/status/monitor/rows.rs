//! TRANSACTIONS, ROW OPERATIONS.

use super::{Page, Rate, line};
use std::fmt::Write;

impl Page<'_> {
    /// The number of a transaction as the build wrote it.
    fn trx(&self, id: u64) -> String {
        match self.build {
            Some(b) if b.split_ids => format!("{} {}", id >> 32, id & 0xffff_ffff),
            Some(_) => format!("{id:X}"),
            None => id.to_string(),
        }
    }

    pub(super) fn transactions(&mut self) {
        let (db, i) = (self.r.db, self.r.i);
        self.section("TRANSACTIONS");
        line!(self, "Trx id counter {}", self.trx(i.trx.next_id()));
        if self.build.is_some() {
            let below = i.trx.oldest_view().no;
            line!(
                self,
                "Purge done for trx's n:o < {} undo n:o < {}",
                self.trx(below),
                self.trx(0)
            );
        }
        line!(self, "History list length {}", i.purge.history_length());
        let locks = i.locks.count();
        if self.build.is_none() {
            if let Some(o) = i.oldest_snapshot() {
                line!(
                    self,
                    "Oldest snapshot: thread id {}, open for {} sec, {} commits since then stay in the history with {} bytes of undo",
                    o.session,
                    o.seconds,
                    o.commits,
                    o.undo
                );
            }
            line!(self, "{locks} locks in the lock table");
        } else if self.has(|b| b.halves) {
            line!(self, "Total number of lock structs in row lock hash table {locks}");
        }
        line!(self, "LIST OF TRANSACTIONS FOR EACH SESSION:");
        for t in db.transactions() {
            let age = match t.started_micros {
                0 => 0,
                at => i.rt.wall_micros().saturating_sub(at) / 1_000_000,
            };
            line!(self, "---TRANSACTION {}, ACTIVE {age} sec", self.trx(t.id));
            let waits = if t.waiting { "LOCK WAIT " } else { "" };
            line!(self, "{waits}{} lock struct(s), undo log entries {}", t.locks, t.changes);
            line!(self, "MySQL thread id {}", t.session);
        }
    }

    pub(super) fn row_operations(&mut self) {
        self.section("ROW OPERATIONS");
        let i = self.r.i;
        if self.build.is_some() {
            line!(self, "0 queries inside InnoDB, 0 queries in queue");
        }
        let views = i.between.snapshots().len();
        line!(self, "{views} read views open inside InnoDB");
        if self.build.is_some() {
            let state = *i.core.flush.background.state.lock();
            line!(self, "Main thread id 1, state: {state}");
        }
        let s = &i.stats;
        line!(
            self,
            "Number of rows inserted {}, updated {}, deleted {}, read {}",
            s.rows_inserted.get(),
            s.rows_updated.get(),
            s.rows_deleted.get(),
            s.rows_read.get()
        );
        line!(
            self,
            "{:.2} inserts/s, {:.2} updates/s, {:.2} deletes/s, {:.2} reads/s",
            self.rate(Rate::Inserted),
            self.rate(Rate::Updated),
            self.rate(Rate::Deleted),
            self.rate(Rate::RowsRead)
        );
    }
}
