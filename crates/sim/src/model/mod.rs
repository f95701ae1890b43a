//! What must be true: a database in memory, with all versions, beside the engine.
//!
//! Everything runs in one thread, so that the moment when a commit becomes visible is known exactly (the client's poll in
//! which its transaction stops being active). Commits are numbered in that order; a snapshot is a number. Where a
//! statement's snapshot was made inside of an interval, every number of the interval is a candidate, and each read leaves
//! those that explain it: none left is a violation.
//!
//! - `reads`: what each isolation level may see.
//! - `claims`: what transactions have locked; others must not change it, nor put rows into ranges.
//! - `prepared`: transactions that were promised, and are decided on later.
//! - `recovery`: after a start the state must be that of a prefix of the commits, none acknowledged missing.

mod claims;
mod prepared;
mod reads;
mod recovery;

pub use claims::Claim;
pub use reads::Range;
pub use recovery::Found;

use crate::history::{Event, History, Status};
use crate::schema::{Row, TableSpec};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use weir_engine::{Error, Isolation, Table};

/// The engine's number of a table; TRUNCATE and rebuilds give a new one.
pub type Tid = u64;
pub type Key = Vec<u8>;
type Cell = (Tid, Key);
pub type RowRef = Arc<Row>;

/// What a checker says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub checker: &'static str,
    pub what: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.checker, self.what)
    }
}

/// Why an operation of a client ended early.
#[derive(Debug)]
pub enum Stop {
    Failed(Failure),
    Engine(Error),
}

impl From<Error> for Stop {
    fn from(e: Error) -> Stop {
        Stop::Engine(e)
    }
}

impl From<Failure> for Stop {
    fn from(f: Failure) -> Stop {
        Stop::Failed(f)
    }
}

pub fn failed<T>(checker: &'static str, what: impl Into<String>) -> Result<T, Failure> {
    Err(Failure { checker, what: what.into() })
}

#[derive(Clone, Debug)]
struct Version {
    seq: u64,
    row: Option<RowRef>,
}

#[derive(Clone, Debug)]
pub struct TableModel {
    pub name: String,
    pub spec: TableSpec,
    /// An index came or went when the engine ended, or could not be taken away: what was left of it stays taken until the
    /// table is rebuilt, as the engine documents.
    pub leaky: bool,
    /// Committed versions of each key, oldest first.
    rows: BTreeMap<Key, Vec<Version>>,
    /// Everything that anybody has tried to put there in this life, committed or not: what READ UNCOMMITTED may see.
    tried: BTreeMap<Key, Vec<Option<RowRef>>>,
}

impl TableModel {
    pub fn new(name: &str, spec: TableSpec) -> TableModel {
        TableModel {
            name: name.into(),
            spec,
            leaky: false,
            rows: BTreeMap::new(),
            tried: BTreeMap::new(),
        }
    }

    fn at(&self, key: &[u8], seq: u64) -> Option<&RowRef> {
        let versions = self.rows.get(key)?;
        versions.iter().rev().find(|v| v.seq <= seq)?.row.as_ref()
    }
}

/// How sure a committed transaction's client may be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Promise {
    /// Survives a power failure.
    Durable,
    /// Survives the end of the process.
    Written,
}

/// A running transaction, as the model knows it.
pub struct Tx {
    pub isolation: Isolation,
    writes: BTreeMap<Cell, Option<RowRef>>,
    /// Previous values in `writes`, for savepoints.
    undo: Vec<(Cell, Option<Option<RowRef>>)>,
    claims: Vec<Claim>,
    /// Others went past its writes. It may be a deadlock's victim that the engine rolls back right now; when it goes on, it
    /// is not, and this is a failure.
    suspicion: Option<Failure>,
    /// Candidates for the snapshot of REPEATABLE READ.
    snapshot: Option<Vec<u64>>,
    /// Commits visible when it first tried a plain read.
    first_read: Option<u64>,
    events: Vec<Event>,
    /// AUTO_INCREMENT numbers that it drew.
    numbers: Vec<(Tid, u64)>,
}

/// A definition change under way.
#[derive(Clone, Debug)]
pub enum Ddl {
    Create {
        name: String,
        spec: TableSpec,
    },
    Drop {
        tid: Tid,
    },
    Truncate {
        tid: Tid,
    },
    Rebuild {
        tid: Tid,
    },
    Rename {
        tid: Tid,
        to: String,
    },
    /// Indexes, comments: the rows stay, the number too.
    Alter {
        tid: Tid,
    },
}

/// Classes of definition changes: any, those that take a table's file away, those of indexes.
pub const DDL_CLASSES: usize = 3;

impl Ddl {
    fn classes(&self) -> impl Iterator<Item = usize> {
        let own = match self {
            Ddl::Drop { .. } | Ddl::Truncate { .. } | Ddl::Rebuild { .. } => Some(1),
            Ddl::Alter { .. } => Some(2),
            Ddl::Create { .. } | Ddl::Rename { .. } => None,
        };
        std::iter::once(0).chain(own)
    }
}

#[derive(Default)]
pub struct World {
    pub tables: BTreeMap<Tid, TableModel>,
    /// Specifications whose table was made at some time.
    made: Vec<bool>,
    txs: BTreeMap<u64, Tx>,
    prepared: BTreeMap<weir_engine::Xid, prepared::Pending>,
    next_tx: u64,
    next_value: u64,
    /// AUTO_INCREMENT numbers: drawn in this life, and by which commit.
    drawn: BTreeSet<(Tid, u64)>,
    numbers: Vec<(u64, Tid, u64)>,
    /// The highest number that a client has chosen itself in this life.
    chosen: BTreeMap<Tid, u64>,
    ddl: BTreeMap<u64, Ddl>,
    /// Changes of indexes that ended in this life, and how long the log was then: the pages that they gave back are free
    /// for good once that much of it is durable.
    altered: Vec<(Tid, u64)>,
    /// Definition changes begun in this life, by class, for who ends the life in the middle of one.
    pub windows: Arc<[AtomicU64; DDL_CLASSES]>,
    /// Files of dropped tables that were gone when the statement was answered: they do not come back.
    pub gone: Vec<String>,
    /// Commits so far.
    pub seq: u64,
    durable: u64,
    written: u64,
    /// A start was compared with the model since this was last asked.
    compared: bool,
    pub history: History,
    failure: Option<Failure>,
    /// Tell on standard error what happens.
    pub trace: bool,
    /// What the log of this life has reached.
    pub log: crate::faults::LogSeen,
    /// What this life has written home, where somebody will ask.
    pub home: Option<crate::put_back::Written>,
    /// The largest redo log of this scenario.
    capacity: u64,
    pub commits: u64,
    pub rollbacks: u64,
    pub operations: u64,
}

/// The model, shared by the clients of one scenario.
#[derive(Clone, Default)]
pub struct Shared(Arc<Mutex<World>>);

impl Shared {
    pub fn lock(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl World {
    fn tell(&self, text: impl FnOnce() -> String) {
        if self.trace {
            eprintln!("      {}", text());
        }
    }

    pub fn fail(&mut self, f: Failure) {
        self.failure.get_or_insert(f);
    }

    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    pub fn begin(&mut self, isolation: Isolation) -> u64 {
        self.next_tx += 1;
        self.tell(|| format!("{} begins, {isolation:?}", self.next_tx));
        let tx = Tx {
            isolation,
            writes: BTreeMap::new(),
            undo: Vec::new(),
            claims: Vec::new(),
            suspicion: None,
            snapshot: None,
            first_read: None,
            events: Vec::new(),
            numbers: Vec::new(),
        };
        self.txs.insert(self.next_tx, tx);
        self.next_tx
    }

    /// The redo log has this size now; returns the largest so far.
    pub fn had_capacity(&mut self, bytes: u64) -> u64 {
        self.capacity = self.capacity.max(bytes);
        self.capacity
    }

    /// A number that nobody has written before.
    pub fn fresh_value(&mut self) -> u64 {
        self.next_value += 1;
        self.next_value
    }

    /// The highest number of a table that nobody may get any more: a commit has used it, or a client of this life has
    /// chosen it itself.
    pub fn used(&self, tid: Tid) -> Option<u64> {
        let committed = self.numbers.iter().filter(|x| x.1 == tid).map(|x| x.2);
        committed.chain(self.chosen.get(&tid).copied()).max()
    }

    /// A client used a number of its own choice, and the engine has taken notice of it.
    pub fn chose(&mut self, no: u64, tid: Tid, n: u64) {
        let highest = self.chosen.entry(tid).or_default();
        *highest = n.max(*highest);
        self.tx_mut(no).numbers.push((tid, n));
    }

    /// The engine gave numbers away. It gives none twice, and none at or below one that a surviving commit had used when it
    /// was asked (while it answers, others may draw the next ones and commit): the log is one sequence.
    pub fn drew(
        &mut self,
        no: u64,
        tid: Tid,
        given: impl Iterator<Item = u64>,
        used: Option<u64>,
    ) -> Result<(), Failure> {
        for n in given {
            if !self.drawn.insert((tid, n)) || used.is_some_and(|u| n <= u) {
                let what = format!("table {tid} gave the number {n} twice ({used:?})");
                return failed("numbers", what);
            }
            self.tx_mut(no).numbers.push((tid, n));
        }
        Ok(())
    }

    fn tx(&self, no: u64) -> &Tx {
        self.txs.get(&no).expect("a client's transaction is in the model until the client ends it")
    }

    fn tx_mut(&mut self, no: u64) -> &mut Tx {
        self.txs.get_mut(&no).expect("a client's transaction is in the model until it is ended")
    }

    /// What CHECK TABLE said, without what is known and harmless.
    pub fn unexpected(&self, tid: Tid, mut problems: Vec<String>) -> Vec<String> {
        let altered = |d: &Ddl| matches!(d, Ddl::Alter { tid: t } if *t == tid);
        let leaky = self.tables.get(&tid).is_some_and(|t| t.leaky);
        if leaky || self.ddl.values().any(altered) {
            problems.retain(|p| !p.ends_with("are taken but belong to nothing"));
        }
        problems
    }

    pub fn table(&self, tid: Tid) -> &TableModel {
        self.tables.get(&tid).expect("a table in use is in the model")
    }

    /// The transaction is alive: whatever the others did with its rows, they did it to a transaction that goes on.
    fn alive(&self, no: u64) -> Result<(), Failure> {
        self.tx(no).suspicion.clone().map_or(Ok(()), Err)
    }

    fn suspect(&mut self, no: u64, f: Failure) {
        self.tell(|| format!("{no} must be a victim, or: {f}"));
        self.tx_mut(no).suspicion.get_or_insert(f);
    }

    /// The engine has rolled it back.
    pub fn was_victim(&mut self, no: u64) {
        self.tx_mut(no).suspicion = None;
    }

    /// The newest committed row, or the transaction's own.
    pub fn newest(&self, no: u64, tid: Tid, key: &[u8]) -> Option<RowRef> {
        let tx = self.tx(no);
        match tx.writes.get(&(tid, key.to_vec())) {
            Some(own) => own.clone(),
            None => self.table(tid).at(key, u64::MAX).cloned(),
        }
    }

    /// Some key that is or was there, for clients in search of one.
    pub fn some_key(&self, tid: Tid, n: u64) -> Option<Key> {
        let rows = &self.table(tid).rows;
        let n = n.checked_rem(rows.len() as u64)?;
        rows.keys().nth(n as usize).cloned()
    }

    /// Somebody is about to write this.
    pub fn intend(&mut self, tid: Tid, key: &[u8], row: Option<RowRef>) {
        if let Some(t) = self.tables.get_mut(&tid) {
            t.tried.entry(key.to_vec()).or_default().push(row);
        }
    }

    /// A write that the engine said is done.
    pub fn wrote(
        &mut self,
        no: u64,
        t: &Table,
        key: &[u8],
        row: Option<RowRef>,
    ) -> Result<(), Failure> {
        self.operations += 1;
        self.alive(no)?;
        let old = self.newest(no, t.def.id, key);
        self.tell(|| {
            let what = row.as_deref().map_or("deleted".into(), reads::describe);
            format!("{no} wrote {} {}: {what}", t.def.name, claims::short(key))
        });
        self.check_write(no, t, key, old.as_deref(), row.as_deref())?;
        let cell = (t.def.id, key.to_vec());
        let tx = self.tx_mut(no);
        let before = tx.writes.insert(cell.clone(), row);
        tx.undo.push((cell, before));
        Ok(())
    }

    /// Whether a transaction has been told of locks, or has written.
    pub fn holds(&self, no: u64) -> bool {
        self.txs.get(&no).is_some_and(|tx| !tx.claims.is_empty() || !tx.writes.is_empty())
    }

    /// Entries of secondary indexes that a transaction has made, or marked, by its writes to a table (some of them, if there
    /// are many): those in which the row differs from the committed one.
    pub fn entries_made(&self, no: u64, t: &Table) -> Vec<(usize, Key)> {
        let Some(tx) = self.txs.get(&no) else { return Vec::new() };
        let here = tx.writes.iter().filter(|((tid, _), _)| *tid == t.def.id);
        let mut all = Vec::new();
        for ((tid, key), new) in here.take(10) {
            let old = self.table(*tid).at(key, u64::MAX);
            for i in 1..t.indexes.len() {
                let entry = |r: &RowRef| crate::schema::entry_of(t, i, r);
                let (old, new) = (old.map(entry), new.as_ref().map(entry));
                if old != new {
                    all.extend([old, new].into_iter().flatten().map(|e| (i, e)));
                }
            }
        }
        all
    }

    pub fn event(&mut self, no: u64, e: Event) {
        self.tx_mut(no).events.push(e);
    }

    /// A place to go back to.
    pub fn mark(&mut self, no: u64) -> (usize, usize) {
        let tx = self.tx(no);
        (tx.undo.len(), tx.events.len())
    }

    /// The changes since `mark` were taken back. Locks stay, but there is none on a row that is not there any more: what
    /// locks its place are gaps, and they are ranges here.
    pub fn revert(&mut self, no: u64, mark: (usize, usize)) {
        self.tell(|| format!("{no} rolls back to a savepoint"));
        let tx = self.tx_mut(no);
        let mut gone = Vec::new();
        while tx.undo.len() > mark.0 {
            let Some((cell, before)) = tx.undo.pop() else { break };
            match before {
                Some(b) => tx.writes.insert(cell, b),
                None => {
                    gone.push(cell.clone());
                    tx.writes.remove(&cell)
                }
            };
        }
        let there = |t: &TableModel, key: &[u8]| t.at(key, u64::MAX).is_some();
        gone.retain(|(tid, key)| !self.tables.get(tid).is_some_and(|t| there(t, key)));
        let tx = self.tx_mut(no);
        tx.claims.retain(|c| match c {
            Claim::Row { tid, key, .. } => !gone.iter().any(|(t, k)| t == tid && k == key),
            Claim::Range { .. } => true,
        });
        // What was read stays read; what was written is aborted.
        let reverted = tx.events.split_off(mark.1);
        let (writes, reads): (Vec<_>, Vec<_>) = reverted.into_iter().partition(Event::is_write);
        tx.events.extend(reads);
        self.history.aborted_writes(&writes);
    }

    /// The transaction has no locks from here on.
    pub fn release(&mut self, no: u64) -> Result<(), Failure> {
        self.tx_mut(no).claims.clear();
        self.alive(no)
    }

    /// Its commit is visible from this moment on.
    pub fn visible(&mut self, no: u64) -> u64 {
        self.seq += 1;
        let seq = self.seq;
        self.tell(|| format!("{no} is committed, number {seq}"));
        self.prepared_is_committed(no, seq);
        let Some(tx) = self.txs.remove(&no) else { return seq };
        self.numbers.extend(tx.numbers.iter().map(|(tid, n)| (seq, *tid, *n)));
        if let Some(f) = tx.suspicion {
            self.failure.get_or_insert(f);
        }
        for ((tid, key), row) in tx.writes {
            if let Some(t) = self.tables.get_mut(&tid) {
                t.rows.entry(key).or_default().push(Version { seq, row });
            }
        }
        self.history.add(no, tx.isolation, Status::Committed, tx.events, true);
        self.commits += 1;
        seq
    }

    /// It ended without a commit that others can see. A reader that ended well has a place in the history.
    pub fn ended(&mut self, no: u64, committed: bool) {
        self.tell(|| format!("{no} ended, committed: {committed}"));
        if let Some(tx) = self.txs.remove(&no) {
            let status = if committed { Status::Committed } else { Status::Aborted };
            self.history.add(no, tx.isolation, status, tx.events, false);
            if committed {
                self.commits += 1;
            } else {
                self.rollbacks += 1;
            }
        }
    }

    /// The client was told that its commit is done; everything before it is then as safe.
    pub fn acknowledged(&mut self, seq: u64, p: Promise) {
        self.tell(|| format!("commits up to {seq} are acknowledged as {p:?}"));
        if p == Promise::Durable {
            self.durable = self.durable.max(seq);
        }
        self.written = self.written.max(seq);
    }

    /// Whether a statement is under way that gives a table another number or name. Two of them at once could not be told
    /// apart from outside.
    pub fn is_redefining(&self) -> bool {
        self.ddl.values().any(|d| !matches!(d, Ddl::Alter { .. }))
    }

    pub fn ddl_begin(&mut self, d: Ddl) -> u64 {
        self.next_tx += 1;
        self.tell(|| format!("{} is {d:?}", self.next_tx));
        for class in d.classes() {
            self.windows[class].fetch_add(1, Ordering::Relaxed);
        }
        self.ddl.insert(self.next_tx, d);
        self.next_tx
    }

    /// Makes the table known when a definition change that is under way explains it.
    pub fn adopt(&mut self, t: &Table) -> Result<(), Failure> {
        if self.tables.contains_key(&t.def.id) {
            return Ok(());
        }
        let made = self.ddl.values().find_map(|d| match d {
            Ddl::Create { name, spec } if *name == t.def.name => {
                Some(TableModel::new(name, spec.clone()))
            }
            Ddl::Truncate { tid } => {
                let old = self.tables.get(tid).filter(|m| m.name == t.def.name)?;
                Some(TableModel::new(&old.name, old.spec.clone()))
            }
            Ddl::Rebuild { tid } => self.rebuilt(*tid, &t.def.name),
            _ => None,
        });
        match made {
            Some(m) => {
                self.tables.insert(t.def.id, m);
                self.numbers_go_on(t.def.id, &t.def.name);
                Ok(())
            }
            None => {
                failed("catalog", format!("there is a table '{}' that nobody made", t.def.name))
            }
        }
    }

    /// What a rebuild makes of a table: the same rows in new pages.
    fn rebuilt(&self, tid: Tid, name: &str) -> Option<TableModel> {
        let m = self.tables.get(&tid).filter(|m| m.name == name)?;
        Some(TableModel { leaky: false, ..m.clone() })
    }

    /// A rebuilt table must not give the numbers of the old one again.
    fn numbers_go_on(&mut self, new: Tid, name: &str) {
        let old = self.ddl.values().find_map(|d| match d {
            Ddl::Rebuild { tid } if self.tables.get(tid).is_some_and(|m| m.name == name) => {
                Some(*tid)
            }
            _ => None,
        });
        let Some(old) = old else { return };
        let more: Vec<_> =
            self.numbers.iter().filter(|n| n.1 == old).map(|n| (n.0, new, n.2)).collect();
        self.numbers.extend(more);
    }

    /// The statement ended; `new` is the table that it returned.
    pub fn ddl_end(&mut self, id: u64, new: Option<&Table>, log: u64) -> Result<(), Failure> {
        self.tell(|| format!("{id} is done, table {:?}", new.map(|t| t.def.id)));
        if let Some(t) = new {
            self.adopt(t)?;
        }
        match self.ddl.remove(&id) {
            Some(Ddl::Drop { tid } | Ddl::Truncate { tid } | Ddl::Rebuild { tid }) => {
                self.tables.remove(&tid);
            }
            Some(Ddl::Rename { tid, to }) => {
                if let Some(m) = self.tables.get_mut(&tid) {
                    m.name = to;
                }
            }
            Some(Ddl::Alter { tid }) => self.altered.push((tid, log)),
            Some(Ddl::Create { .. }) | None => {}
        }
        // Its dictionary change is durable, and with it the log before.
        Ok(())
    }

    /// The statement ended with an error: what it did, the catalog tells. `half`: it could not take back what it had begun.
    pub fn ddl_failed(&mut self, id: u64, half: bool, log: u64) {
        self.tell(|| format!("{id} failed"));
        if let Some(Ddl::Alter { tid }) = self.ddl.remove(&id) {
            self.altered.push((tid, log));
            if let Some(t) = self.tables.get_mut(&tid).filter(|_| half) {
                t.leaky = true;
            }
        }
    }

    /// The life has ended, and the log was known to be durable up to here: index pages that were given back behind it may
    /// be taken again.
    pub fn log_ended(&mut self, durable: u64) {
        for (tid, at) in std::mem::take(&mut self.altered) {
            if at > durable
                && let Some(t) = self.tables.get_mut(&tid)
            {
                t.leaky = true;
            }
        }
    }
}
