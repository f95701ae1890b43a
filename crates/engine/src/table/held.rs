//! Tables that a session keeps locked across statements and transactions: LOCK TABLES, FLUSH TABLES ... WITH READ LOCK.

use super::Table;
use super::mdl::{MdlHold, MdlMode};
use crate::sync::Mutex;

/// The metadata locks of a session's own, which its transactions and definition statements use instead of waiting for themselves.
///
/// Invariant: a table that a definition statement of the session puts in the place of one that is held exclusively is held, too,
/// before anybody else can find it.
#[derive(Default)]
pub struct HeldTables(Mutex<Vec<MdlHold>>);

impl HeldTables {
    /// How the session holds the table; the strongest mode, where it does so twice.
    pub fn mode_of(&self, t: &Table) -> Option<MdlMode> {
        let holds = self.0.lock();
        let own = holds.iter().filter(|h| h.is_for(t)).map(MdlHold::mode);
        own.max_by_key(|m| *m == MdlMode::Exclusive)
    }

    pub fn is_alone(&self, t: &Table) -> bool {
        self.mode_of(t) == Some(MdlMode::Exclusive)
    }

    /// Ids of the tables that nobody else can use.
    pub fn alone(&self) -> Vec<u64> {
        let holds = self.0.lock();
        holds.iter().filter(|h| h.mode() == MdlMode::Exclusive).map(MdlHold::table).collect()
    }

    pub fn add(&self, hold: MdlHold) {
        self.0.lock().push(hold);
    }

    /// Lets go of all.
    pub fn release(&self) {
        let holds = std::mem::take(&mut *self.0.lock());
        drop(holds);
    }
}
