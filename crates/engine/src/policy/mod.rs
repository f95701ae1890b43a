//! Floor 0: what to write and when, as pure functions of an observation and a small state of their own.
//!
//! No I/O, no clock, no locks: each policy is tested with tables of numbers and can be replayed. One file a system:
//! `weir` (the default), and those of published InnoDB builds, which share the rhythm of InnoDB's master thread (`master`)
//! and the arithmetic of the redo limits (`limits`). What sessions do is computed from plain data in `user`.
//!
//! A policy speaks in *steps*: the mechanism (`cleaner`) asks for one action, carries it out, observes again and asks for
//! the next, until the action is a rest. So a policy sees what its last action did, and a batch that takes long shifts
//! what comes behind it, as it did in the systems that these policies come from. What sessions themselves must do before
//! they change something is given as plain data, [`UserRules`].
//!
//! Not theirs but the mechanism's: one batch of a kind at a time, neighbours of a page, the log first, doublewrite, and the rescue of
//! sessions that would otherwise wait for ever. Of the mechanism they say which order of replacement and which way of writing they run
//! on, as plain data, [`Mechanism`].

mod budget;
mod buffer;
#[cfg(test)]
mod fidelity;
mod google_v4;
mod limits;
mod mariadb_10_6;
mod master;
mod mechanism;
mod mysql_5_4;
mod mysql_5_5;
mod mysql_5_6;
mod mysql_8_0;
mod options;
mod plugin_1_0_4;
mod stock_5_0;
mod user;
pub(super) mod weir;
mod xtradb;

pub use budget::{BudgetState, Past};
pub use buffer::{BufferRules, CONTRACTION, Keeper, Merging, innodb_overhead};
pub use mechanism::{LeftOut, Mechanism, ReadAhead, Replacement};
pub use options::{FlushOption, OPTIONS, SettingValue, option};
pub use weir::Weir;

/// Values of `weir_flush_policy`, the default first.
pub const NAMES: &[&str] = &[
    "weir",
    "stock-5.0",
    "google-v4",
    "mysql-5.4",
    "xtradb-none",
    "xtradb-reflex",
    "xtradb-estimate",
    "xtradb-keep-average",
    "plugin-1.0.4",
    "mysql-5.5",
    "mysql-5.6",
    "mysql-8.0",
    "mariadb-10.6",
];

/// The policy of that name, in its first state.
pub fn named(name: &str) -> Option<Box<dyn FlushPolicy>> {
    Some(match name {
        "weir" => Box::new(Weir::default()),
        "stock-5.0" => stock_5_0::policy(),
        "google-v4" => google_v4::policy(),
        "mysql-5.4" => mysql_5_4::policy(),
        "xtradb-none" => xtradb::none(),
        "xtradb-reflex" => xtradb::reflex(),
        "xtradb-estimate" => xtradb::estimate(),
        "xtradb-keep-average" => xtradb::keep_average(),
        "plugin-1.0.4" => plugin_1_0_4::policy(),
        "mysql-5.5" => mysql_5_5::policy(),
        "mysql-5.6" => mysql_5_6::policy(),
        "mysql-8.0" => mysql_8_0::policy(),
        "mariadb-10.6" => mariadb_10_6::policy(),
        _ => return None,
    })
}

/// The policy of a new engine.
pub const DEFAULT: &str = "weir";

/// LSN limit of a batch that has none.
pub const NO_LIMIT: u64 = u64::MAX;

/// What a policy sees before each step. Counters count since the engine's start.
#[derive(Clone, Copy, Debug, Default)]
pub struct Observation<'a> {
    /// Nanoseconds of a monotonic clock.
    pub now: u64,
    /// End of the log; the oldest change that is not safely home (equal to `lsn` when nothing is dirty); last checkpoint.
    pub lsn: u64,
    pub oldest: u64,
    pub checkpoint: u64,
    /// Bytes of redo that may stand between checkpoint and end: beyond it sessions wait.
    pub log_capacity: u64,
    /// Dirty pages, pages in memory, free frames, frames in all.
    pub dirty: usize,
    pub used: usize,
    pub free: usize,
    pub pool: usize,
    /// Free frames that should be ready for sessions.
    pub free_want: usize,
    /// Dirty pages by the LSN of their first change: start of an interval and pages in it, oldest first, empty ones left
    /// out.
    pub ages: &'a [(u64, u32)],
    /// Pages written and not yet home, and the requests that the write threads take at once.
    pub pending: usize,
    pub write_slots: usize,
    /// Page reads, and log writes, under way.
    pub pending_reads: usize,
    pub pending_log: usize,
    /// Log writes (checkpoints among them), page reads and page writes together.
    pub io: u64,
    /// Changes by sessions: what stands still when the server is idle.
    pub activity: u64,
    /// Changes admitted (mini-transactions that write).
    pub changes: u64,
    /// Pages that became dirty; pages written by anyone; those of them written to get free frames.
    pub dirtied: u64,
    pub written: u64,
    pub written_lru: u64,
    /// Sessions waiting for log space, and for frames.
    pub waiting_log: usize,
    pub waiting_frames: usize,
    /// Pages of the change buffer's trees.
    pub buffered: u64,
    /// A batch of the kind is running.
    pub list_running: bool,
    pub lru_running: bool,
    /// What became of the last action.
    pub last: Outcome,
    /// Learnt from the device: pages per second that it writes at most, 0 while unknown; reads' mean latency lately and when
    /// nothing is being written, nanoseconds.
    pub device_pages: f64,
    pub read_nanos: f64,
    pub read_nanos_quiet: f64,
    /// With a recovery target: pages that the log behind the checkpoint is about, dirty or home again, and how many bytes of log
    /// that was when they were counted, a second ago at most.
    pub touched: usize,
    pub touched_age: u64,
    pub settings: Settings,
}

impl Observation<'_> {
    /// What a flush can reduce.
    pub fn age(&self) -> u64 {
        self.lsn.saturating_sub(self.oldest)
    }

    /// What only a checkpoint can reduce.
    pub fn checkpoint_age(&self) -> u64 {
        self.lsn.saturating_sub(self.checkpoint)
    }

    /// Dirty percent as most InnoDB builds count it: of the pages in memory, the free frames and one.
    pub fn dirty_pct(&self) -> f64 {
        100.0 * self.dirty as f64 / (1 + self.used + self.free) as f64
    }

    /// The same in whole percent, truncated.
    pub fn dirty_pct_whole(&self) -> u64 {
        (100 * self.dirty / (1 + self.used + self.free)) as u64
    }

    /// What InnoDB's masters look at to see whether the device is quiet: page reads and writes and log writes under way.
    pub fn pending_io(&self) -> usize {
        self.pending + self.pending_reads + self.pending_log
    }

    /// Free places among the requests that a batch may leave behind.
    pub fn write_free(&self) -> usize {
        self.write_slots.saturating_sub(self.pending)
    }

    /// Dirty pages first changed at or before `lsn`, from the ages: an interval's pages are taken as spread evenly up to
    /// the next one.
    pub fn pages_until(&self, lsn: u64) -> usize {
        let mut pages = 0.0;
        for (i, &(start, count)) in self.ages.iter().enumerate() {
            let start = start.max(self.oldest);
            if start > lsn {
                break;
            }
            let end = self.ages.get(i + 1).map_or(self.lsn, |a| a.0).max(start + 1);
            let part = (lsn - start).saturating_add(1) as f64 / (end - start) as f64;
            pages += count as f64 * part.min(1.0);
        }
        pages as usize
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Pages that the batch took.
    pub pages: usize,
    /// A batch of its kind was running already: nothing was done.
    pub refused: bool,
}

/// The options that policies read, under their names in MySQL; each says which policies it belongs to in `vars`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Percent of the pool that may be dirty.
    pub max_dirty_pct: f64,
    pub max_dirty_pct_lwm: f64,
    /// Pages per second; 0: `auto`, measured by `weir`, the default of its time in the others.
    pub io_capacity: u64,
    pub io_capacity_max: u64,
    /// Threads that read and write in systems without native asynchronous I/O.
    pub read_io_threads: u64,
    pub write_io_threads: u64,
    /// Google v4: pages that a thread merges into one request.
    pub max_merged_io: u64,
    /// Reading ahead: Google v4's switches; XtraDB's, random and linear; the plugin's pages in order; 5.5's random one.
    pub readahead_random: bool,
    pub readahead_sequential: bool,
    pub read_ahead: (bool, bool),
    pub read_ahead_threshold: u64,
    pub random_read_ahead: bool,
    /// Redo files of the options, of which InnoDB's limits are fractions.
    pub log_files: u64,
    pub log_file_size: u64,
    pub thread_concurrency: u64,
    /// As in `Observation`; filled in by the mechanism, as `doublewrite`.
    pub log_capacity: u64,
    pub doublewrite: bool,
    pub flush_log_at_trx_commit: u64,
    pub adaptive_flushing: bool,
    pub adaptive_flushing_lwm: f64,
    pub flushing_avg_loops: u64,
    pub flush_sync: bool,
    pub idle_flush_pct: u64,
    pub lru_scan_depth: u64,
    pub neighbours: Neighbours,
    pub neighbours_foreground: Neighbours,
    /// Google v4: the master does what sessions did at the asynchronous limit; sessions hold the dirty limit.
    pub adaptive_checkpoint: bool,
    pub check_max_dirty_foreground: bool,
    /// MySQL 5.4.
    pub extra_dirty_writes: bool,
    /// XtraDB: bytes, 0: none.
    pub checkpoint_age_target: u64,
    /// Percent of the pool that the change buffer may have.
    pub change_buffer_pct: u64,
    /// Google v4: the same, softly; percent of the capacity for merging beyond it; merges wait for their reads.
    pub ibuf_max_pct: u64,
    pub ibuf_flush_pct: u64,
    pub ibuf_reads_sync: bool,
    /// XtraDB: bytes that the change buffer may have, 0: half of the pool; each growth of it is followed by a contraction; percent of
    /// the rate of merging.
    pub ibuf_max_size: u64,
    pub ibuf_active_contract: bool,
    pub ibuf_accel_rate: u64,
    /// Mechanisms of InnoDB's builds that are not in force, to see what each of them does.
    pub left_out: LeftOut,
    /// Weir: seconds that recovery may take, 0: not limited.
    pub recovery_target: f64,
    /// Redo bytes per second that recovery applies, measured.
    pub recovery_speed: f64,
    /// Weir: page writes in MB per second and in TB per day, 0: no bound.
    pub write_budget: f64,
    pub write_budget_daily: f64,
    /// What writing a page costs the device, with its copy in the doublewrite area; filled in by the mechanism.
    pub page_bytes: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            max_dirty_pct: 90.0,
            max_dirty_pct_lwm: 10.0,
            io_capacity: 0,
            io_capacity_max: 2000,
            read_io_threads: 4,
            write_io_threads: 4,
            max_merged_io: mechanism::MERGE as u64,
            readahead_random: true,
            readahead_sequential: true,
            read_ahead: (true, true),
            read_ahead_threshold: 56,
            random_read_ahead: false,
            log_files: 2,
            log_file_size: 50 << 20,
            thread_concurrency: 0,
            log_capacity: 100 << 20,
            doublewrite: true,
            flush_log_at_trx_commit: 1,
            adaptive_flushing: true,
            adaptive_flushing_lwm: 10.0,
            flushing_avg_loops: 30,
            flush_sync: true,
            idle_flush_pct: 100,
            lru_scan_depth: 1024,
            neighbours: Neighbours::ByDevice,
            neighbours_foreground: Neighbours::ByDevice,
            adaptive_checkpoint: false,
            check_max_dirty_foreground: false,
            extra_dirty_writes: true,
            checkpoint_age_target: 0,
            change_buffer_pct: 50,
            ibuf_max_pct: 50,
            ibuf_flush_pct: 5,
            ibuf_reads_sync: true,
            ibuf_max_size: 0,
            ibuf_active_contract: false,
            ibuf_accel_rate: 100,
            left_out: LeftOut::default(),
            recovery_target: 0.0,
            recovery_speed: 100e6,
            write_budget: 0.0,
            write_budget_daily: 0.0,
            page_bytes: 16384,
        }
    }
}

impl Settings {
    /// Pages per second, or what the system took when nobody said.
    fn io_capacity_or(&self, default: u64) -> u64 {
        if self.io_capacity == 0 { default } else { self.io_capacity }
    }
}

/// Which dirty pages near a chosen one are written with it (`innodb_flush_neighbors`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Neighbours {
    #[default]
    None,
    /// As the device is: runs where it seeks. `weir` decides when the option is not given, the others take it for `None`.
    ByDevice,
    /// The unbroken run of dirty pages around it.
    Run,
    /// All dirty pages of its area of 64.
    Area,
}

/// Why pages are written; each has its counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Background, because of the dirty share.
    Dirty,
    /// Background, because of the age of the oldest change.
    Age,
    /// Background, because there is time: idle, trickle and ten-second batches.
    Extra,
    /// To have free frames: by the cleaner, and by sessions.
    Free,
    UserFree,
    /// By sessions: at the asynchronous and the synchronous limit of the redo log, at the dirty limit.
    UserAsync,
    UserSync,
    UserDirty,
    /// The mechanism's own: sessions were waiting and the policy did nothing.
    Rescue,
    /// Shutdown, recovery, a smaller pool.
    Stop,
}

impl Cause {
    pub const ALL: [Cause; 10] = [
        Cause::Dirty,
        Cause::Age,
        Cause::Extra,
        Cause::Free,
        Cause::UserFree,
        Cause::UserAsync,
        Cause::UserSync,
        Cause::UserDirty,
        Cause::Rescue,
        Cause::Stop,
    ];
}

/// In which order a batch takes dirty pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By their first change: what moves the checkpoint.
    #[default]
    Oldest,
    /// Of the older ones those first that are changed least often: they are not dirtied again soon.
    Coldest,
}

/// A flush-list batch: `n_flush(LIST, pages, limit)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// At least this many are written, if there are that many: neighbours come on top.
    pub pages: usize,
    /// Pages whose first change is at or behind it are not begun with.
    pub limit: u64,
    pub order: Order,
    pub neighbours: Neighbours,
    pub cause: Cause,
    /// The step ends when all is home; else when the last request is handed over (with doublewrite that is the same).
    pub wait: bool,
}

impl Batch {
    pub fn oldest(pages: usize, limit: u64, cause: Cause) -> Batch {
        Batch {
            pages,
            limit,
            order: Order::Oldest,
            neighbours: Neighbours::None,
            cause,
            wait: false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Writes the log out and, with `sync`, makes it durable.
    FlushLog {
        sync: bool,
    },
    /// What sessions do before a change, `UserRules::check`, without the dirty limit (`UserView::dirty_checked`).
    UserCheck,
    List(Batch),
    /// Evicts and writes near eviction until this many frames are free, looking at `depth` pages and writing at most `pages`.
    Lru {
        free: usize,
        depth: usize,
        pages: usize,
        neighbours: Neighbours,
    },
    /// Moves waiting entries of the change buffer into this many pages of their indexes; with `wait` the step ends when that is done.
    Merge {
        pages: u64,
        wait: bool,
    },
    /// Until no list batch runs.
    AwaitList,
    Checkpoint,
    /// How many changes per second sessions may make, all together (infinite: as many as they like), and how many page
    /// writes may be at the device at once.
    Admit {
        changes_per_second: f64,
        in_flight: usize,
    },
    /// Nothing until then; with `wake`, or until a session wants log space or frames.
    Rest {
        until: u64,
        wake: bool,
    },
}

/// A system's way to decide.
pub trait FlushPolicy: Send + Sync {
    fn name(&self) -> &'static str;
    /// The next action. Called again at once unless it was a rest.
    fn step(&mut self, o: &Observation<'_>) -> Action;
    /// What sessions must do; asked again when the settings change.
    fn user_rules(&self, s: &Settings) -> UserRules;
    /// What carries its decisions out: asked with `user_rules`.
    fn mechanism(&self, s: &Settings) -> Mechanism {
        let _ = s;
        Mechanism::default()
    }
    /// Who else moves entries out of the change buffer, and how much may wait there, of a pool of this many frames.
    fn buffer_rules(&self, s: &Settings, pool: u64) -> BufferRules {
        BufferRules::innodb(s, pool)
    }
    /// Told what was written lately: before the first step, when that is known better, and when settings change.
    fn remember(&mut self, past: Past) {
        let _ = past;
    }
    /// What it makes of the budget of page writes, where it knows one.
    fn budget(&self) -> BudgetState {
        BudgetState::default()
    }
}

/// What a session does before it changes something, and when it wants a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UserRules {
    /// Preflush at the limits of the redo log (InnoDB's `log_free_check`).
    pub preflush: Option<Preflush>,
    /// Checkpoint age from which a session waits for a checkpoint and writes nothing itself.
    pub wait_age: Option<u64>,
    /// Percent of the pool: at this dirty share a session waits until a page has been written.
    pub wait_dirty_pct: Option<f64>,
    /// Percent of the pool: at this dirty share the policy wants to be called.
    pub wake_dirty_pct: Option<f64>,
    /// The dirty limit held by sessions.
    pub dirty: Option<UserDirty>,
    /// Who makes frames free.
    pub free: FreeRule,
}

/// Limits in bytes; each is passed when the age is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preflush {
    /// From here a session flushes without waiting; `None`: the master does.
    pub flush_async: Option<u64>,
    pub flush_sync: u64,
    pub checkpoint_async: u64,
    pub checkpoint_sync: u64,
    pub neighbours: Neighbours,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserDirty {
    /// In whole percent of the frames plus one; passed when the truncated share is greater.
    pub above_pct: u64,
    pub pages: usize,
    pub neighbours: Neighbours,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FreeRule {
    /// The cleaner; a session that finds none waits.
    #[default]
    Cleaner,
    /// A session that has brought a page in: when fewer than `margin` of the `scan` pages nearest to eviction and the free
    /// frames can be replaced, it writes what is missing to `margin + extra`.
    Users { margin: usize, extra: usize, scan: usize, neighbours: Neighbours },
}

/// What a session sees when it checks.
#[derive(Clone, Copy, Debug, Default)]
pub struct UserView {
    pub lsn: u64,
    pub oldest: u64,
    pub checkpoint: u64,
    pub dirty: usize,
    pub pool: usize,
    /// Free places among the requests of the write threads.
    pub write_free: usize,
    /// The dirty limit is not looked at: it was in an earlier round of this check, or the caller is no session.
    pub dirty_checked: bool,
}

/// What a session is to do now.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UserOrder {
    pub batch: Option<Batch>,
    /// Then wait until no list batch runs.
    pub await_list: bool,
    /// Then, if the batch was refused, check again at once and leave out the rest of the order.
    pub again_if_refused: bool,
    /// Then write a checkpoint; `Some(true)`: and wait for it.
    pub checkpoint: Option<bool>,
    /// Wait until a checkpoint has brought the checkpoint age to or below this.
    pub wait_age: Option<u64>,
    /// Then check again, with `UserView::dirty_checked`.
    pub again: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_policies() {
        assert_eq!(NAMES[0], "weir");
        for &name in NAMES {
            let policy = named(name).expect("listed");
            assert_eq!(policy.name(), name);
        }
        for name in ["", "Weir", "stock", "mysql-5.7"] {
            assert!(named(name).is_none());
        }
    }

    #[test]
    fn pages_until_an_lsn() {
        let ages = [(100, 10), (200, 20), (400, 40)];
        let o = Observation { oldest: 150, lsn: 500, ages: &ages, ..Observation::default() };
        // The first interval begins at the oldest change; within one the pages lie evenly.
        for (lsn, pages) in
            [(0, 0), (149, 0), (174, 5), (199, 10), (299, 20), (399, 30), (499, 70), (u64::MAX, 70)]
        {
            assert_eq!(o.pages_until(lsn), pages, "{lsn}");
        }
        assert_eq!(Observation { ages: &[], ..o }.pages_until(300), 0);
    }

    #[test]
    fn dirty_percent() {
        let o = Observation { dirty: 2583, used: 9000, free: 999, ..Observation::default() };
        assert_eq!((o.dirty_pct(), o.dirty_pct_whole()), (25.83, 25));
        let none = Observation::default();
        assert_eq!((none.dirty_pct(), none.dirty_pct_whole(), none.write_free()), (0.0, 0, 0));
    }
}
