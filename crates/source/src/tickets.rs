//! Sessions that want to know what their transactions are called (`session_track_gtids`).
//!
//! Names are given behind the commit, in the order of the log. So a session draws a ticket, which rides in the record, and asks for what
//! has become of it when all that is durable is in the files.

use crate::log::BinaryLog;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use weir_binlog::Gtid;
use weir_engine::Result;

#[derive(Default)]
pub struct Tickets {
    last: AtomicU64,
    /// Those that somebody holds, with the names that are known.
    held: Mutex<HashMap<u64, Option<Gtid>>>,
}

impl Tickets {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Option<Gtid>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The transaction of a ticket has a name. A ticket of an earlier life of the server is nobody's.
    pub(crate) fn named(&self, number: u64, gtid: &Gtid) {
        if let Some(name) = self.lock().get_mut(&number) {
            *name = Some(gtid.clone());
        }
    }
}

/// A ticket; the name is forgotten when it is dropped.
pub struct Ticket {
    log: Arc<BinaryLog>,
    pub number: u64,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.log.tickets.lock().remove(&self.number);
    }
}

impl BinaryLog {
    pub fn ticket(self: &Arc<BinaryLog>) -> Ticket {
        let number = self.tickets.last.fetch_add(1, Ordering::Relaxed) + 1;
        self.tickets.lock().insert(number, None);
        Ticket { log: self.clone(), number }
    }

    /// The names of committed transactions. A ticket whose record was not written has none.
    pub async fn names_of(&self, tickets: &[Ticket]) -> Result<Vec<Gtid>> {
        self.settle_told().await?;
        let held = self.tickets.lock();
        Ok(tickets.iter().filter_map(|t| held.get(&t.number)?.clone()).collect())
    }
}
