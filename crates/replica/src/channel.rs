//! A channel: what its two threads and the statements about it share.

use crate::acks::Acks;
use crate::lock;
use crate::queue::Queue;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
use weir_binlog::GtidSet;
use weir_binlog::gtid::MariaGtid;
use weir_sql::replication::{
    ChannelStatus, Failure, Filters, Position, Running, SourceSettings, Transaction,
};
use weir_sql::session_api::{KillKind, KillSwitch};

/// One of the two threads.
#[derive(Default)]
pub struct Thread {
    /// It is to end.
    stop: AtomicBool,
    handle: Mutex<Option<std::thread::JoinHandle<()>>>,
    running: AtomicBool,
}

impl Thread {
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    pub fn is_running(&self) -> bool {
        self.running.load(Ordering::SeqCst)
    }

    /// Starts it, unless it runs. The text of an error says why there is no thread.
    pub fn start(
        self: &Arc<Self>,
        name: &str,
        body: impl FnOnce() + Send + 'static,
    ) -> Result<bool, String> {
        let mut handle = lock(&self.handle);
        if self.is_running() {
            return Ok(false);
        }
        self.stop.store(false, Ordering::SeqCst);
        self.running.store(true, Ordering::SeqCst);
        let me = self.clone();
        let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            let _ended = Ended(me);
            body();
        });
        match spawned {
            Ok(h) => {
                *handle = Some(h);
                Ok(true)
            }
            Err(e) => {
                self.running.store(false, Ordering::SeqCst);
                Err(e.to_string())
            }
        }
    }

    pub fn ask_to_stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    pub fn join(&self) {
        let handle = lock(&self.handle).take();
        if let Some(h) = handle {
            _ = h.join();
        }
    }
}

/// The thread has ended, however it did.
struct Ended(Arc<Thread>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.running.store(false, Ordering::SeqCst);
    }
}

/// What START REPLICA UNTIL says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Until {
    #[default]
    Never,
    Position(Position),
    BeforeGtids(GtidSet),
    AfterGtids(GtidSet),
}

/// What SHOW REPLICA STATUS says of a channel, and what its threads tell each other.
#[derive(Default)]
pub struct State {
    pub settings: SourceSettings,
    pub filters: Filters,
    pub receiver: Running,
    pub receiver_state: &'static str,
    pub applier_state: &'static str,
    pub received: Position,
    pub applied: Position,
    pub maria: Vec<MariaGtid>,
    pub receiver_error: Option<Failure>,
    pub applier_error: Option<Failure>,
    /// The time at the source of the event at work, in seconds since 1970; 0: none is.
    pub at_work: u32,
    /// Seconds that this server's clock is ahead of the source's.
    pub ahead: i64,
    pub delayed_until: Option<i64>,
    pub skip: u64,
    pub until: Until,
    pub source_id: u32,
    pub source_uuid: String,
    pub retrieved: GtidSet,
    pub heartbeats: u64,
    pub last_heartbeat: i64,
    pub queued: Transaction,
    pub applying: Transaction,
    pub last: Transaction,
    pub retries: u64,
    /// The connection to the source is one on which transactions are acknowledged.
    pub semi_sync: bool,
    pub receiver_thread: Option<u64>,
    pub applier_thread: Option<u64>,
    /// USER and PASSWORD of START REPLICA, which are kept nowhere.
    pub login: Option<(String, String)>,
}

pub struct Channel {
    pub name: String,
    pub state: Mutex<State>,
    pub queue: Queue,
    pub acks: Acks,
    pub receiver: Arc<Thread>,
    pub applier: Arc<Thread>,
    /// The receiver's connection, so that it can be ended.
    socket: Mutex<Option<TcpStream>>,
    /// The receiver is to make another connection, for a reason that is no error.
    renewed: AtomicBool,
    /// What the applier's session is killed by.
    kill: Mutex<Option<Arc<KillSwitch>>>,
    asleep: (Mutex<()>, Condvar),
}

impl Channel {
    pub fn new(name: &str, state: State) -> Channel {
        Channel {
            name: name.to_owned(),
            state: Mutex::new(state),
            queue: Queue::default(),
            acks: Acks::default(),
            receiver: Arc::default(),
            applier: Arc::default(),
            socket: Mutex::default(),
            renewed: AtomicBool::new(false),
            kill: Mutex::default(),
            asleep: Default::default(),
        }
    }

    pub fn tell(&self, change: impl FnOnce(&mut State)) {
        change(&mut lock(&self.state));
    }

    pub fn is_running(&self) -> bool {
        self.receiver.is_running() || self.applier.is_running()
    }

    pub fn set_socket(&self, socket: Option<TcpStream>) {
        *lock(&self.socket) = socket;
    }

    pub fn set_kill(&self, kill: Option<Arc<KillSwitch>>) {
        *lock(&self.kill) = kill;
    }

    /// Ends the receiver's connection: it begins another one, or ends.
    pub fn hang_up(&self) {
        if let Some(socket) = &*lock(&self.socket) {
            _ = socket.shutdown(Shutdown::Both);
        }
    }

    /// Has the receiver begin again from where the applier is.
    pub fn renew(&self) {
        self.renewed.store(true, Ordering::SeqCst);
        self.hang_up();
    }

    /// Whether the last connection ended by [`Channel::renew`].
    pub fn was_renewed(&self) -> bool {
        self.renewed.swap(false, Ordering::SeqCst)
    }

    pub fn stop_receiver(&self) {
        self.receiver.ask_to_stop();
        self.hang_up();
        self.wake();
        self.receiver.join();
    }

    /// The transaction at work is given up.
    pub fn stop_applier(&self) {
        self.applier.ask_to_stop();
        if let Some(kill) = &*lock(&self.kill) {
            kill.kill(KillKind::Connection);
        }
        self.wake();
        self.applier.join();
    }

    fn wake(&self) {
        self.queue.wake();
        let _asleep = lock(&self.asleep.0);
        self.asleep.1.notify_all();
    }

    /// Sleeps, unless `thread` is to stop. False: it is.
    pub fn sleep(&self, time: Duration, thread: &Thread) -> bool {
        let end = Instant::now() + time;
        let mut asleep = lock(&self.asleep.0);
        while !thread.is_stopped() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            let waited = self.asleep.1.wait_timeout(asleep, left);
            asleep = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        false
    }

    /// `now`: microseconds since 1970 UTC.
    pub fn status(&self, executed: &GtidSet, now: i64) -> ChannelStatus {
        let s = lock(&self.state);
        let applies = self.applier.is_running();
        let receives = self.receiver.is_running();
        let second = now / 1_000_000 - s.ahead;
        let behind = match (applies, s.at_work) {
            (false, _) => None,
            (true, 0) if !receives || s.receiver == Running::Yes => receives.then_some(0),
            (true, 0) => None,
            (true, at) => Some((second - i64::from(at)).max(0) as u64),
        };
        let until = match &s.until {
            Until::Never => ("", Position::default()),
            Until::Position(p) => ("Source", p.clone()),
            Until::BeforeGtids(_) => ("SQL_BEFORE_GTIDS", Position::default()),
            Until::AfterGtids(_) => ("SQL_AFTER_GTIDS", Position::default()),
        };
        let left = s.delayed_until.map(|at| (at - now).max(0) as u64 / 1_000_000);
        ChannelStatus {
            name: self.name.clone(),
            settings: s.settings.clone(),
            filters: s.filters.clone(),
            receiver: if receives { s.receiver } else { Running::No },
            receiver_state: if receives { s.receiver_state } else { "" },
            applier: applies,
            applier_state: if applies { s.applier_state } else { "" },
            received: s.received.clone(),
            applied: s.applied.clone(),
            waiting: self.queue.bytes(),
            receiver_error: s.receiver_error.clone(),
            applier_error: s.applier_error.clone(),
            behind,
            remaining_delay: left.filter(|_| applies),
            skip: s.skip,
            until,
            source_id: s.source_id,
            source_uuid: s.source_uuid.clone(),
            retrieved: s.retrieved.clone(),
            executed: executed.clone(),
            heartbeats: s.heartbeats,
            last_heartbeat: s.last_heartbeat,
            queued: s.queued.clone(),
            applying: s.applying.clone(),
            last: s.last.clone(),
            retries: s.retries,
            semi_sync: receives && s.semi_sync,
            receiver_thread: s.receiver_thread.filter(|_| receives),
            applier_thread: s.applier_thread.filter(|_| applies),
        }
    }
}
