//! What can be set while the engine runs.

use crate::policy;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicU64};

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
}
