//! A client: transactions of random statements, each checked against the model as soon as it returns.
//!
//! A client draws from its own generator, whose seed follows from the scenario's seed, the life and the client's number:
//! leaving a client out does not change what the others ask for.

mod admin;
mod commit;
mod ddl;
mod lists;
mod read;
mod short;
mod two_phase;
mod write;

pub use ddl::create;
pub use lists::fill;
pub use two_phase::{check as check_prepared, end_all as end_prepared};
pub use write::fill_wide;

use crate::model::{Failure, Shared, Stop, failed};
use crate::scenario::{Scenario, Workload, mix};
use crate::schema::{Content, Handle, Row, SCHEMA, TableSpec, key_of};
use std::sync::Arc;
use std::time::Duration;
use weir_engine::{Db, Durability, Error, Isolation, LockMode, OnLocked, Turn, Txn, TxnOptions};
use weir_rt::{Event as Signal, Interrupt, Rng};

pub struct Client {
    pub db: Db,
    pub world: Shared,
    pub rng: Rng,
    pub workload: Workload,
    pub page_size: usize,
    pub ops: u64,
    pub frames: u64,
    pub injector: crate::faults::Injector,
    /// Set when a checker has spoken: everybody goes home.
    pub over: Arc<Signal>,
    /// For ascending keys.
    next_id: i64,
    /// When and how long it pauses within transactions, if it does.
    idle: Option<Rng>,
    /// For what came later than most seeds.
    odd: Rng,
    /// Which writes try the short way.
    short: Rng,
    /// Its session gives way to others (`weir_priority = 'background'`).
    background: bool,
    patient: bool,
    /// Some of its transactions are committed in two phases.
    prepares: bool,
}

/// A transaction under way, in the engine and in the model.
pub struct Open {
    pub txn: Txn,
    pub no: u64,
    pub interrupt: Arc<Interrupt>,
}

impl Open {
    fn isolation(&self) -> Isolation {
        self.txn.isolation()
    }

    /// The lock of a plain read: SERIALIZABLE has none without.
    fn plain(&self) -> LockMode {
        if self.isolation() == Isolation::Serializable { LockMode::Shared } else { LockMode::None }
    }
}

pub type Done<T> = Result<T, Stop>;

/// In a third of the worlds, by their memory, transactions are prepared; not where clients keep histories, whose end the model
/// wants to know at once.
fn prepares(s: &Scenario) -> bool {
    s.frames % 3 == 1 && !matches!(s.workload, Workload::Append | Workload::Register)
}

/// Ids that clients insert in ascending order begin here.
const ASCENDING: i64 = 1_000_000;

impl Client {
    pub fn new(
        db: &Db,
        world: &Shared,
        s: &Scenario,
        life: u64,
        no: u64,
        injector: &crate::faults::Injector,
        over: &Arc<Signal>,
    ) -> Client {
        let mut odd = Rng::new(mix(&[s.seed, life, no, 6]));
        let short = Rng::new(mix(&[s.seed, life, no, 7]));
        Client {
            db: db.clone(),
            world: world.clone(),
            rng: Rng::new(mix(&[s.seed, life, no, 2])),
            workload: s.workload,
            page_size: s.page_size,
            ops: s.ops,
            frames: s.frames,
            injector: injector.clone(),
            over: over.clone(),
            idle: s.pauses.then(|| Rng::new(mix(&[s.seed, life, no, 5]))),
            background: odd.chance(0.15),
            odd,
            short,
            patient: s.patient,
            prepares: prepares(s),
            next_id: ASCENDING * (no as i64 + 1) + life as i64 * 10_000,
        }
    }

    pub async fn run(mut self, txns: u64) {
        for _ in 0..txns {
            if self.over.is_set() || self.db.inner().core.log.failure().is_err() {
                return;
            }
            let begun = self.db.rt().now();
            let r = self.one().await;
            let r = r.and_then(|()| self.check_bounds().map_err(Stop::Failed));
            if let Err(stop) = r {
                let failure = match stop {
                    Stop::Failed(f) => Some(f),
                    Stop::Engine(e) => self.unexplained(&e),
                };
                if let Some(f) = failure {
                    self.world.lock().fail(f);
                    self.over.set();
                    return;
                }
            }
            // A pause now and then, so that background tasks have the engine for themselves.
            if self.rng.chance(0.05) {
                let pause = Duration::from_millis(self.rng.below(400));
                self.db.rt().sleep(pause).await;
            }
            let _ = begun;
        }
    }

    async fn one(&mut self) -> Done<()> {
        let ddl = if self.workload == Workload::Ddl { 0.25 } else { 0.01 };
        let histories = matches!(self.workload, Workload::Append | Workload::Register);
        if !histories && self.rng.chance(ddl) {
            return self.define().await;
        }
        if self.rng.chance(0.03) {
            return self.administer().await;
        }
        if histories {
            return self.history_transaction().await;
        }
        self.transaction().await
    }

    /// An error that nothing planned explains.
    fn unexplained(&self, e: &Error) -> Option<Failure> {
        unexplained(e, &self.injector, self.page_size)
    }

    fn begin(&mut self) -> Open {
        self.begin_as(false)
    }

    fn begin_as(&mut self, read_only: bool) -> Open {
        let isolation = match self.rng.below(10) {
            0 => Isolation::ReadUncommitted,
            1..=3 => Isolation::ReadCommitted,
            4..=7 => Isolation::RepeatableRead,
            _ => Isolation::Serializable,
        };
        let interrupt = Arc::new(Interrupt::new());
        let lock_timeout = self.patience();
        let mut txn = self.db.begin(TxnOptions {
            isolation,
            read_only,
            private_schema: "",
            lock_timeout,
            mdl_timeout: lock_timeout,
            interrupt: interrupt.clone(),
            session_id: 1,
            background: self.background,
            held: None,
            lock_time: None,
            notes_rows: false,
        });
        let mut world = self.world.lock();
        let no = world.begin(isolation);
        if isolation == Isolation::RepeatableRead && self.rng.chance(0.2) {
            txn.open_snapshot();
            world.snapshot_now(no);
        }
        drop(world);
        Open { txn, no, interrupt }
    }

    fn patience(&mut self) -> Duration {
        let some = Duration::from_millis(20 + self.rng.below(400));
        if self.patient { Duration::from_secs(7200) } else { some }
    }

    /// Thinks a while, so that others get far in the middle of a transaction.
    async fn pause(&mut self) {
        let Some(idle) = self.idle.as_mut() else { return };
        if !idle.chance(0.15) {
            return;
        }
        let micros = 1 << idle.below(18);
        let time = Duration::from_micros(idle.below(micros));
        self.db.rt().sleep(time).await;
    }

    fn durability(&mut self) -> Durability {
        match self.rng.below(6) {
            0 => Durability::Lazy,
            1 => Durability::Write,
            _ => Durability::Flush,
        }
    }

    /// A table to work on, and what the model knows of it.
    fn table(&mut self, content: Content) -> Done<Option<(Handle, TableSpec)>> {
        let tables = self.db.tables(SCHEMA);
        let mut world = self.world.lock();
        for t in &tables {
            world.adopt(t)?;
        }
        let fits: Vec<_> =
            tables.into_iter().filter(|t| world.table(t.def.id).spec.content == content).collect();
        if fits.is_empty() {
            return Ok(None);
        }
        let t = fits[self.rng.below(fits.len() as u64) as usize].clone();
        let spec = world.table(t.def.id).spec.clone();
        Ok(Some((t, spec)))
    }

    /// A transaction of some statements on one or two tables.
    async fn transaction(&mut self) -> Done<()> {
        if self.short.chance(0.1) {
            return self.alone().await;
        }
        let read_only = self.odd.chance(0.04);
        let mut o = self.begin_as(read_only);
        let r = self.statements(&mut o).await;
        if r.is_ok() {
            self.pause().await;
        }
        self.finish(o, r).await
    }

    async fn statements(&mut self, o: &mut Open) -> Done<()> {
        let mut savepoints = Vec::new();
        for _ in 0..1 + self.rng.below(self.ops) {
            self.pause().await;
            // Before the table is chosen: others may drop it while the turn is waited for.
            let turn = if self.background { Some(self.turn(o).await?) } else { None };
            let Some((t, spec)) = self.table(Content::Random)? else { return Ok(()) };
            match self.rng.below(14) {
                0 => {
                    let mark = self.world.lock().mark(o.no);
                    savepoints.push((o.txn.savepoint(), mark));
                    continue;
                }
                1 if !savepoints.is_empty() => {
                    let i = self.rng.below(savepoints.len() as u64) as usize;
                    let (s, mark) = savepoints[i];
                    savepoints.truncate(i + 1);
                    self.world.lock().revert(o.no, mark);
                    o.txn.rollback_to(s).await?;
                    continue;
                }
                2 if self.rng.chance(0.1) => {
                    // KILL: the next wait or statement ends with an error.
                    o.interrupt.kill(1);
                }
                _ => {}
            }
            match turn {
                Some(turn) => turn.run(Box::pin(self.statement(o, &t, &spec))).await?,
                None => self.statement(o, &t, &spec).await?,
            }
        }
        Ok(())
    }

    /// One statement; when it fails its changes are taken back, and mostly the transaction goes on.
    async fn statement(&mut self, o: &mut Open, t: &Handle, spec: &TableSpec) -> Done<()> {
        let save = o.txn.begin_statement();
        let mark = self.world.lock().mark(o.no);
        match self.some_statement(o, t, spec).await {
            Ok(()) if self.odd.chance(0.25) => self.check_writer(o, t).await,
            Err(Stop::Engine(e)) if ends_statement_only(&e) => {
                if let Some(f) = self.unexplained(&e) {
                    return Err(f.into());
                }
                self.world.lock().revert(o.no, mark);
                o.txn.rollback_to(save).await?;
                if self.rng.chance(0.3) { Err(Stop::Engine(e)) } else { Ok(()) }
            }
            other => other,
        }
    }

    /// The turn of a background session's next statement, which is not put off for ever: a second, a tenth of it for anyone who
    /// holds locks; and a moment, for what the device and the clock are made to do.
    async fn turn(&mut self, o: &mut Open) -> Done<Turn> {
        let begun = self.db.rt().now();
        let turn = o.txn.background_turn().await;
        let waited = self.db.rt().now() - begun;
        let holds = self.world.lock().holds(o.no);
        let most = if holds { 200_000_000 } else { 1_100_000_000 };
        let slept = self.injector.happened().counts.iter().any(|c| c.0 == "sleep");
        if waited > most && !slept {
            let what = format!(
                "a statement of the background waited {waited} ns for its turn, locks {holds}"
            );
            return Err(Failure { checker: "liveness", what }.into());
        }
        Ok(turn)
    }

    async fn some_statement(&mut self, o: &mut Open, t: &Handle, spec: &TableSpec) -> Done<()> {
        if o.txn.is_read_only() {
            return self.only_read(o, t, spec).await;
        }
        let grow = self.workload == Workload::Grow;
        match self.rng.below(if grow { 24 } else { 18 }) {
            0..=2 => self.point_read(o, t, spec).await,
            3 => self.unique_read(o, t, spec).await,
            4..=6 if self.odd.chance(0.2) => self.pass_over(o, t, spec).await,
            4..=6 => self.range_read(o, t, spec).await,
            7..=9 => self.insert(o, t, spec).await,
            10 => self.insert_or_update(o, t, spec).await,
            11..=13 => self.update(o, t, spec).await,
            14 | 15 => self.delete(o, t, spec).await,
            16 => self.change_range(o, t, spec).await,
            17 => self.repeat_range(o, t, spec).await,
            18..=21 => self.insert_many(o, t, spec).await,
            _ => self.change_range(o, t, spec).await,
        }
    }

    /// An id, mostly of the small domain, so that clients meet.
    fn some_id(&mut self, spec: &TableSpec, ascending: bool) -> i64 {
        if ascending {
            self.next_id += 1;
            return self.next_id;
        }
        self.rng.below(spec.ids) as i64
    }

    /// A clustered key: of a row that is or was there, or of one that may never have been.
    fn some_key(&mut self, t: &Handle, spec: &TableSpec) -> Vec<u8> {
        if self.rng.chance(0.8) {
            let n = self.rng.next_u64();
            if let Some(k) = self.world.lock().some_key(t.def.id, n) {
                return k;
            }
        }
        let id = self.some_id(spec, false);
        let row = spec.random_row(&mut self.rng, id);
        key_of(t, &row)
    }

    fn some_lock(&mut self, o: &Open) -> LockMode {
        match self.rng.below(5) {
            0..=2 => o.plain(),
            3 => LockMode::Shared,
            _ => LockMode::Exclusive,
        }
    }

    fn on_locked(&mut self) -> OnLocked {
        match self.rng.below(10) {
            0 => OnLocked::NoWait,
            1 => OnLocked::SkipLocked,
            _ => OnLocked::Wait,
        }
    }

    /// What must hold at any time.
    fn check_bounds(&self) -> Result<(), Failure> {
        let core = &self.db.inner().core;
        let (size, writing) = (core.pool.size(), core.pool.pages_in_flight());
        // A page that changes while its image is being written counts twice.
        let dirty = core.pool.dirty_pages() - writing;
        // While the pool shrinks its pages are still there.
        if dirty.max(writing) > size.max(self.frames as usize * 2) {
            return failed(
                "bounds",
                format!("{dirty} dirty pages and {writing} being written in a pool of {size}"),
            );
        }
        let age = core.log.published().saturating_sub(core.log.checkpoint());
        // A log that is made smaller keeps its size until the checkpoint has come near.
        let capacity = self.world.lock().had_capacity(core.log.capacity());
        if age > capacity {
            return failed(
                "bounds",
                format!("checkpoint age {age} of a log of at most {capacity} bytes"),
            );
        }
        Ok(())
    }
}

/// Errors after which the transaction may go on, once the statement is taken back.
fn ends_statement_only(e: &Error) -> bool {
    matches!(
        e,
        Error::LockWaitTimeout
            | Error::LockNotAvailable
            | Error::DuplicateKey { .. }
            | Error::DiskFull { .. }
            | Error::RowTooLarge { .. }
            | Error::KeyTooLong { .. }
            | Error::Io { .. }
            | Error::Corrupt { .. }
            | Error::TableDamaged { .. }
            | Error::TooManyTransactions { .. }
    )
}

/// A failure, unless the error is part of normal work or a fault that has happened explains it.
pub fn unexplained(
    e: &Error,
    injector: &crate::faults::Injector,
    page_size: usize,
) -> Option<Failure> {
    let h = injector.happened();
    let fine = match e {
        Error::Deadlock
        | Error::LockWaitTimeout
        | Error::LockNotAvailable
        | Error::Interrupted
        | Error::DuplicateKey { .. }
        | Error::TableChanged { .. }
        | Error::SnapshotTooOld { .. }
        | Error::NoSuchTable { .. }
        | Error::TableExists { .. }
        | Error::IndexExists { .. }
        | Error::NoSuchIndex { .. }
        | Error::RowLogFull { .. } => true,
        // Test sizes below those of the product have room for less.
        Error::RowTooLarge { .. }
        | Error::KeyTooLong { .. }
        | Error::TooManyTransactions { .. } => page_size < 4096,
        Error::DiskFull { .. } => h.full,
        Error::Io { .. } => h.read || h.write || h.sync || h.descriptors,
        Error::Corrupt { .. } | Error::TableDamaged { .. } => h.is_damaged(),
        _ => false,
    };
    (!fine).then(|| Failure {
        checker: "errors",
        what: format!("no fault explains the error: {e} ({e:?})"),
    })
}

/// Rows as the engine returned them.
fn decoded(t: &Handle, bytes: &[u8]) -> Result<Row, Failure> {
    match crate::schema::decode(t, bytes) {
        Some(r) => Ok(r),
        None => failed("reads", format!("a row of {} contradicts itself", t.def.name)),
    }
}
