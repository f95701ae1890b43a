//! What can be set while the engine runs.

use crate::policy;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

pub struct Settings {
    pub flush: Mutex<policy::Settings>,
    /// Name of the policy that is to decide, and a number that grows with each change of it or of `flush`.
    pub flush_policy: Mutex<&'static str>,
    pub flush_version: AtomicU64,
    /// Seconds between two writes of the log for commits that did not wait for one.
    pub flush_timeout: AtomicU64,
    pub flight_recorder: AtomicBool,
    /// No commit for so long while sessions wait is a stall; 0: not watched.
    pub stall_seconds: AtomicU64,
    pub change_buffer: ChangeBuffer,
}

/// What may wait in buffer trees.
pub struct ChangeBuffer {
    /// Fresh entries of large indexes are buffered (`innodb_change_buffering`).
    pub on: AtomicBool,
    /// Leaves of an index that make it worth a buffer; 0: an eighth of the pool.
    pub worth: AtomicU64,
    /// The sweep works while a buffer has more than this percentage of what it may have.
    pub aim_percent: AtomicU64,
    /// Entries are as large as InnoDB's whatever the policy says.
    pub large_entries: bool,
    pub look: Duration,
}

/// The same at a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeBufferLimits {
    pub on: bool,
    pub worth: u64,
    pub aim_percent: u64,
    /// Entries are as large as InnoDB's, for data that a policy of its builds will find in the buffer.
    pub large_entries: bool,
    /// How often it is looked which indexes are worth a buffer.
    pub look: Duration,
}

impl Default for ChangeBufferLimits {
    fn default() -> ChangeBufferLimits {
        ChangeBufferLimits {
            on: true,
            worth: 0,
            aim_percent: 75,
            large_entries: false,
            look: Duration::from_secs(1),
        }
    }
}

impl ChangeBuffer {
    pub fn of(l: &ChangeBufferLimits) -> ChangeBuffer {
        ChangeBuffer {
            on: AtomicBool::new(l.on),
            worth: AtomicU64::new(l.worth),
            aim_percent: AtomicU64::new(l.aim_percent),
            large_entries: l.large_entries,
            look: l.look,
        }
    }

    /// Leaves beyond which an index is worth a buffer, in a pool of so many frames.
    pub fn worth_of(&self, frames: usize) -> u64 {
        match self.worth.load(Ordering::Relaxed) {
            0 => frames as u64 / 8,
            leaves => leaves,
        }
    }
}
