//! Transactions of other servers on their way into this server's log (`log_replica_updates`).
//!
//! The session of a replica's applier logs what it commits only while it has said whose transaction that is ([`Session::apply_as`]). The
//! transaction keeps its identifier, the number of its server and the time at which it was committed there first; its place, and the
//! transactions that it comes behind, are those of this server's log.
//!
//! Invariant: while an identifier is owned, exactly one commit has it. Where the transaction has changed nothing that is logged, that is the
//! commit of the channel's position, which an empty transaction rides with. So the log has a transaction exactly if the tables have it.

use super::Session;
use crate::errno;
use crate::session_api::SqlError;
use std::sync::atomic::{AtomicBool, Ordering};
use weir_source::owned::Owned;
use weir_source::{Named, Record};

/// A transaction of another server.
#[derive(Clone, Debug)]
pub struct Foreign {
    pub named: Named,
    pub server_id: u32,
    /// Microseconds since 1970 at which it was committed at the server that it began at; 0: that is not known.
    pub original: u64,
    pub original_version: u32,
}

/// What the applier commits now.
pub(super) struct Applied {
    of: Foreign,
    /// Nobody else commits under its identifier, if it has one.
    _owned: Option<Owned>,
    /// A record has it.
    logged: AtomicBool,
    /// The commit that comes is its last one.
    ends: bool,
}

impl Applied {
    /// It ends, has an identifier, or gets one, and is in no record yet.
    pub fn is_due(&self) -> bool {
        self.ends && self.of.named != Named::Anonymous && !self.logged.load(Ordering::Relaxed)
    }

    pub fn server_id(&self) -> u32 {
        self.of.server_id
    }

    /// Makes a record that of the transaction.
    pub fn take(&self, record: &mut Record<'_>) {
        self.logged.store(true, Ordering::Relaxed);
        record.named = self.of.named.clone();
        record.server_id = self.of.server_id;
        record.original = self.of.original;
        record.original_version = self.of.original_version;
    }

    /// The record that was made was not written.
    pub fn give_back(&self) {
        self.logged.store(false, Ordering::Relaxed);
    }
}

impl Session {
    /// What the session commits from now on goes to the log as this transaction. False: there is a transaction of its identifier, and this
    /// one is to be passed over. The session waits for an identifier that another session owns.
    pub async fn apply_as(&mut self, of: Foreign) -> Result<bool, SqlError> {
        self.said.applied = None;
        let owned = match &of.named {
            Named::Given(gtid) => {
                let own = self.log()?.own(gtid);
                let owned = weir_rt::or_killed(&self.interrupt, own).await;
                match owned.map_err(|_| SqlError::of(errno::ER_QUERY_INTERRUPTED, &[]))? {
                    Some(owned) => Some(owned),
                    None => return Ok(false),
                }
            }
            _ => None,
        };
        let logged = AtomicBool::new(false);
        self.said.applied = Some(Box::new(Applied { of, _owned: owned, logged, ends: false }));
        Ok(true)
    }

    /// The commit that comes is the transaction's last one: it has the channel's position.
    pub fn ends_applied(&mut self) {
        if let Some(applied) = &mut self.said.applied {
            applied.ends = true;
        }
    }

    /// The transaction was rolled back and begins again.
    pub fn applies_again(&mut self) {
        if let Some(applied) = &mut self.said.applied {
            applied.give_back();
            applied.ends = false;
        }
    }

    /// The transaction is over: what comes next is the server's own affair.
    pub fn has_applied(&mut self) {
        self.said.applied = None;
    }
}
