//! This server as a replica of others: what its statements ask for and what it tells.
//!
//! Threads and connections are the affair of a room above this crate, which does what [`Replicas`] names. Here are the settings of a
//! channel ([`settings`]), the filters of what is applied ([`filter`]), and what SHOW REPLICA STATUS and the tables of
//! `performance_schema` tell of one ([`ChannelStatus`]).

pub mod filter;
pub mod settings;

pub use filter::Filters;
pub use settings::SourceSettings;

use crate::session_api::SqlError;
use weir_binlog::GtidSet;
use weir_rt::{Boxed, Notify};
use weir_syntax::ast::{ReplicationFilter, RunReplica, SourceOption};

/// A warning of a statement: number and text.
pub type Note = (u16, String);

/// The channels of this server. A channel that is not named is all of them, or the default one where the statement means one.
pub trait Replicas: Send + Sync {
    fn change_source<'a>(
        &'a self,
        channel: &'a str,
        options: &'a [SourceOption],
    ) -> Boxed<'a, Result<Vec<Note>, SqlError>>;

    fn change_filter<'a>(
        &'a self,
        channel: Option<&'a str>,
        filters: &'a [ReplicationFilter],
    ) -> Boxed<'a, Result<(), SqlError>>;

    fn start<'a>(
        &'a self,
        channel: Option<&'a str>,
        run: &'a RunReplica,
    ) -> Boxed<'a, Result<Vec<Note>, SqlError>>;

    fn stop<'a>(
        &'a self,
        channel: Option<&'a str>,
        run: &'a RunReplica,
    ) -> Boxed<'a, Result<Vec<Note>, SqlError>>;

    fn reset<'a>(&'a self, channel: Option<&'a str>, all: bool) -> Boxed<'a, Result<(), SqlError>>;

    /// In the order of their names.
    fn channels(&self) -> Vec<ChannelStatus>;

    /// The transactions of other servers that this one has carried out.
    fn executed(&self) -> GtidSet;

    /// SET GLOBAL gtid_purged: what is in the set counts as carried out from now on.
    fn purge<'a>(&'a self, set: &'a GtidSet) -> Boxed<'a, Result<(), SqlError>>;

    /// RESET BINARY LOGS AND GTIDS.
    fn forget_gtids(&self) -> Boxed<'_, Result<(), SqlError>>;

    /// Something was applied, or a thread has stopped.
    fn changed(&self) -> &Notify;
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Running {
    #[default]
    No,
    Connecting,
    Yes,
}

impl Running {
    pub fn name(self) -> &'static str {
        match self {
            Running::No => "No",
            Running::Connecting => "Connecting",
            Running::Yes => "Yes",
        }
    }
}

/// Why a thread has stopped, or cannot connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub errno: u16,
    pub text: String,
    /// Microseconds since 1970 UTC.
    pub at: i64,
}

/// A place in the source's log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    pub file: String,
    pub offset: u64,
}

/// A transaction on its way, or the last one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transaction {
    /// As it is shown; empty where there is none, ANONYMOUS where it has no identifier.
    pub name: String,
    /// Microseconds since 1970 UTC: committed at the first source and at this one's, begun and ended here.
    pub original: i64,
    pub immediate: i64,
    pub begun: i64,
    pub ended: i64,
}

/// What there is to tell of a channel.
#[derive(Clone, Debug, Default)]
pub struct ChannelStatus {
    pub name: String,
    pub settings: SourceSettings,
    pub filters: Filters,
    pub receiver: Running,
    pub receiver_state: &'static str,
    pub applier: bool,
    pub applier_state: &'static str,
    pub received: Position,
    pub applied: Position,
    /// Bytes of events that wait for the applier.
    pub waiting: u64,
    pub receiver_error: Option<Failure>,
    pub applier_error: Option<Failure>,
    /// `None`: the applier does not run, or knows nothing of the source.
    pub behind: Option<u64>,
    pub remaining_delay: Option<u64>,
    pub skip: u64,
    /// What it runs until: MySQL's word and, of a position, the place.
    pub until: (&'static str, Position),
    pub source_id: u32,
    pub source_uuid: String,
    pub retrieved: GtidSet,
    pub executed: GtidSet,
    pub heartbeats: u64,
    pub last_heartbeat: i64,
    pub queued: Transaction,
    pub applying: Transaction,
    pub last: Transaction,
    pub retries: u64,
    /// Transactions are acknowledged to the source.
    pub semi_sync: bool,
    /// The numbers of the two threads in the list of processes, while they run.
    pub receiver_thread: Option<u64>,
    pub applier_thread: Option<u64>,
}
