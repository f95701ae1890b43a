//! Commits of a session that wait for replicas (semi-synchronous replication).
//!
//! With AFTER_SYNC a transaction waits between its record in the log and the moment at which others see it: the wait is a hold of the engine's
//! commit. With AFTER_COMMIT, and where something else than a transaction was logged (a definition, a statement about accounts or tables, XA
//! PREPARE), the session waits behind it, before its client has an answer.
//!
//! Invariant: no statement is answered while a record that it has written is unconfirmed. So what a commit owes is not left to anybody else
//! ([`super::deferred_ack`]) then.

use super::Session;
use crate::errno;
use crate::session_api::SqlError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use weir_engine::{Hold, Lsn};
use weir_source::BinaryLog;
use weir_source::semi_sync::Waited;

/// As MySQL shows it in the list of processes.
const STAGE: &str = "Waiting for semi-sync ACK from replica";

/// Records that the session has made and no replica is known to have.
#[derive(Default)]
pub(super) struct Unconfirmed {
    records: AtomicU32,
    /// The end of the last group with events when the first of them was made.
    before: AtomicU64,
    /// Where the last commit ends, if that is known.
    reached: Option<Lsn>,
    /// A wait inside a commit was interrupted.
    interrupted: Arc<AtomicBool>,
}

impl Unconfirmed {
    /// A record is made. `last`: the end of the last group with events.
    pub fn add(&self, last: Lsn) {
        if self.records.fetch_add(1, Ordering::Relaxed) == 0 {
            self.before.store(last, Ordering::Relaxed);
        }
    }

    pub fn any(&self) -> bool {
        self.records.load(Ordering::Relaxed) > 0 || self.interrupted.load(Ordering::Relaxed)
    }

    /// The commit whose record was made ends here.
    pub fn reaches(&mut self, lsn: Lsn) {
        self.reached = Some(lsn);
    }

    fn take(&mut self) -> u64 {
        std::mem::take(self.records.get_mut()).into()
    }
}

impl Session {
    fn semi_sync_log(&self) -> Option<&Arc<BinaryLog>> {
        self.inst.binlog.get().filter(|l| l.settings.semi_sync.is_enabled())
    }

    pub(super) fn waits_for_replicas(&self) -> bool {
        self.semi_sync_log().is_some()
    }

    /// What the commit of the record at hand is to be held by, so that nobody sees it before a replica has it.
    pub(super) fn hold_for_replicas(&mut self) -> Option<Hold> {
        let log = self.semi_sync_log().filter(|l| l.settings.semi_sync.is_before_visible())?;
        let (log, inst, id) = (log.clone(), self.inst.clone(), self.conn.id);
        let transactions = self.said.unconfirmed.take();
        if transactions == 0 {
            return None;
        }
        let interrupt = self.interrupt.clone();
        let interrupted = self.said.unconfirmed.interrupted.clone();
        Some(Box::new(move |lsn| {
            Box::pin(async move {
                let _stage = inst.stages.enter(id, STAGE);
                // A log that has failed ends the server, and the commit says so itself.
                if inst.db.make_durable_to(lsn).await.is_ok() {
                    let ended = log.settings.semi_sync.wait(lsn, transactions, &interrupt).await;
                    interrupted.store(ended == Waited::Interrupted, Ordering::Relaxed);
                }
            })
        }))
    }

    /// Waits until replicas have what the session has logged.
    pub(super) async fn confirm(&mut self) -> Result<(), SqlError> {
        let said = &mut self.said.unconfirmed;
        let (transactions, reached) = (said.take(), said.reached.take());
        let before = *said.before.get_mut();
        let mut interrupted = said.interrupted.swap(false, Ordering::Relaxed);
        if transactions > 0
            && let Some(log) = self.semi_sync_log().cloned()
        {
            let lsn = reached.unwrap_or_else(|| self.inst.db.last_events());
            // Nobody has logged anything: the statement has failed.
            if lsn != before {
                let _stage = self.inst.stages.enter(self.conn.id, STAGE);
                self.inst.db.make_durable_to(lsn).await.map_err(crate::ddl::engine_error)?;
                let ended = log.settings.semi_sync.wait(lsn, transactions, &self.interrupt).await;
                interrupted |= ended == Waited::Interrupted;
            }
        }
        if interrupted {
            self.current.warn(errno::ER_QUERY_INTERRUPTED, || {
                "The wait for a semi-synchronous replica was interrupted; what was committed stays committed".to_owned()
            });
        }
        Ok(())
    }
}
