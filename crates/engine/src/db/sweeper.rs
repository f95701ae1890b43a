//! The sweep of the change buffer: decides which indexes have one and how large it may be, and moves entries to the main trees.
//!
//! An index is worth a buffer tree while its main tree has more leaves than an eighth of the pool: then fresh entries mostly meet leaves
//! that are not in memory. The pages of all buffer trees together stay within what the flush policy in charge says ([`BufferRules`]).
//!
//! Under `weir` the sweep lets them grow to most of that: the more entries wait, the more belong to one leaf of the main tree, and the less
//! each costs. Under the policies of InnoDB's builds it makes the moves that their steps and their sessions ask for, and no others, but
//! those of a buffer that is to become empty. A move there counts as a page merged.

use super::Inner;
use crate::btree;
use crate::change_buffer::{self, Buffer, Step, Terms, VALUE};
use crate::error::{Error, Result};
use crate::page::slotted;
use crate::policy::{self, Keeper};
use crate::sync::atomic::Ordering;
use crate::table::Table;
use std::sync::Arc;
use std::time::Duration;

/// Rest after trouble.
const TROUBLE: Duration = Duration::from_secs(1);
/// Rest when there is nothing to move.
const PAUSE: Duration = Duration::from_millis(20);
/// Moves of one index before the next has its turn.
const TURN: usize = 16;

/// An index with a buffer tree, by its ids.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Buffered {
    table: u64,
    index: u64,
}

pub async fn sweeper(db: Arc<Inner>) {
    let mut s = Sweeper { db, all: Vec::new(), seen: u64::MAX, told: String::new() };
    let look = s.db.settings.change_buffer.look.as_nanos() as u64;
    let mut looked = None;
    while !s.db.stopping() {
        let now = s.db.rt.now();
        if looked.is_none_or(|at: u64| now - at >= look) {
            looked = Some(now);
            let r = s.look().await;
            s.say(r).await;
        }
        let moved = s.sweep().await;
        s.measure();
        if s.say(moved).await == 0 {
            // An engine that buffers nothing has nothing to do here between two looks.
            let rest = if s.all.is_empty() { s.db.settings.change_buffer.look } else { PAUSE };
            s.db.rt.timeout(rest, s.db.stop.wait()).await;
        }
    }
}

struct Sweeper {
    db: Arc<Inner>,
    all: Vec<Buffered>,
    /// Rows that had been inserted at the last look: where none came, no index has grown.
    seen: u64,
    told: String,
}

impl Sweeper {
    /// Trouble is reported once; the sweep goes on later. Inserts bypass the buffer meanwhile when it is full.
    async fn say<T: Default>(&mut self, r: Result<T>) -> T {
        let e = match r {
            Ok(v) => return v,
            // A definition statement has the table.
            Err(Error::TableChanged { .. } | Error::TableDamaged { .. }) => return T::default(),
            Err(e) => e,
        };
        if self.db.core.log.failure().is_err() {
            self.db.fatal(&e);
            self.db.stop.wait().await;
            return T::default();
        }
        let text = e.to_string();
        if text != self.told {
            (self.db.log)(&format!("the change buffer's sweep is tried again: {text}"));
            self.told = text;
        }
        self.db.rt.timeout(TROUBLE, self.db.stop.wait()).await;
        T::default()
    }

    /// Which indexes are worth a buffer now, and how many leaves each may have. A table that cannot be looked at now stays as it was.
    async fn look(&mut self) -> Result<()> {
        let db = self.db.clone();
        let set = &db.settings.change_buffer;
        let rows = db.stats.rows_inserted.get();
        let on = set.on.load(Ordering::Relaxed);
        if rows == self.seen && self.all.is_empty() {
            return Ok(());
        }
        self.seen = rows;
        let worth = db.settings.change_buffer.worth_of(db.core.pool.size());
        let (mut worthy, mut idle, mut trouble) = (Vec::new(), Vec::new(), Ok(()));
        for t in db.catalog.all_stored() {
            let has = t.indexes.iter().any(|i| i.buffer.tree().is_some());
            // A partition gets no buffer. One that came in by an exchange with a table is to become empty.
            let on = on && !t.is_part();
            let may = on && u64::from(t.space.pages()) > worth && t.indexes.len() > 1;
            if (has || may) && t.usable().is_ok() {
                let looked = self.look_at(&t, on, worth, &mut worthy, &mut idle).await;
                db.core.log.failure()?;
                trouble = trouble.and(looked);
            }
        }
        let rules = *db.core.flush.buffer.lock();
        let number = worthy.len().max(1) as u64;
        // Of one buffer each index may have all that there is.
        let number = if rules.one { 1 } else { number };
        let contract_from = match rules.keeper {
            Keeper::Sweep => None,
            Keeper::Contraction { from } => Some(from / number),
        };
        db.core.flush.buffers.set(rules.pages, contract_from.unwrap_or(u64::MAX));
        for (t, i) in &worthy {
            let index = &t.indexes[*i];
            let limit = rules.limit_of(index.tree.leaves(), number);
            let (one, merging) = (rules.one, rules.merging);
            let padding =
                if rules.large_entries || set.large_entries { db.padding(t, *i) } else { 0 };
            index.buffer.set(Terms { takes: true, limit, contract_from, one, padding, merging });
            index.buffer.count(&db.core);
        }
        for (t, i) in &idle {
            t.indexes[*i].buffer.set(Terms::default());
            t.indexes[*i].buffer.count(&db.core);
        }
        self.all = worthy
            .iter()
            .chain(&idle)
            .map(|(t, i)| Buffered { table: t.def.id, index: t.indexes[*i].id })
            .collect();
        trouble
    }

    async fn look_at(
        &self,
        t: &Arc<Table>,
        on: bool,
        worth: u64,
        worthy: &mut Vec<(Arc<Table>, usize)>,
        idle: &mut Vec<(Arc<Table>, usize)>,
    ) -> Result<()> {
        for (i, index) in t.indexes.iter().enumerate().skip(1).filter(|(_, i)| !i.def.unique) {
            let Ok(hold) = t.mdl_glance() else {
                // LOCK TABLES ... WRITE, perhaps for long: what is known without a look at the pages has to do.
                match (index.tree.leaves(), index.buffer.tree()) {
                    // Nobody has looked at the tree yet. Its buffer goes on as it was.
                    (0, _) if on => index.buffer.want(),
                    (leaves, Some(_)) if on && leaves > worth => worthy.push((t.clone(), i)),
                    (_, Some(_)) => idle.push((t.clone(), i)),
                    (leaves, None) if on && leaves > worth => index.buffer.want(),
                    _ => {}
                }
                continue;
            };
            t.met().await?;
            for tree in index.trees().each().filter(|tree| tree.leaves() == 0) {
                tree.set_leaves(btree::leaf_statistics(&self.db.core, tree).await?.0);
            }
            drop(hold);
            let large = on && index.tree.leaves() > worth;
            if large && index.buffer.tree().is_none() {
                self.db.catalog.make_buffer(t.def.id, index.id, None).await?;
            }
            match index.buffer.tree() {
                Some(_) if large => worthy.push((t.clone(), i)),
                Some(_) => idle.push((t.clone(), i)),
                None => {}
            }
        }
        Ok(())
    }

    /// A turn for each index that has more than it should; returns the number of entries moved.
    async fn sweep(&mut self) -> Result<usize> {
        let (mut moved, mut reached, mut trouble) = (0, false, Ok(()));
        if self.all.is_empty() {
            self.db.core.flush.merged(u64::MAX);
        }
        for b in self.all.clone() {
            match self.sweep_one(b).await {
                Ok(n) => (moved, reached) = (moved + n, true),
                // Somebody has the table alone, perhaps for long.
                Err(Error::TableChanged { .. }) => {}
                // Trouble with one index does not keep the others waiting.
                Err(e) => (reached, trouble) = (true, trouble.and(Err(e))),
            }
        }
        if !reached {
            // Anyone who waits for merges is not to wait for tables that cannot be had.
            self.db.core.flush.merged(1);
        }
        trouble.map(|()| moved)
    }

    /// Moves of an index before the next has its turn. Of one buffer each has as many as its part of the pages makes out, and an empty
    /// one none, unless all are.
    fn turn(&self, b: Buffered) -> usize {
        let pages = |b: Buffered| {
            let t = self.db.handles.by_id(b.table)?;
            let buffer = &t.indexes[t.index_position(b.index)?].buffer;
            (buffer.takes() && buffer.is_part_of_one()).then(|| buffer.pages() as usize)
        };
        let sum: usize = self.all.iter().filter_map(|b| pages(*b)).sum();
        match pages(b) {
            Some(own) if sum > 0 => (TURN * self.all.len() * own).div_ceil(sum),
            _ => TURN,
        }
    }

    async fn sweep_one(&self, b: Buffered) -> Result<usize> {
        let (core, mut left, mut moved) = (&self.db.core, self.turn(b), 0);
        while left > 0 {
            let Some(t) = self.db.handles.by_id(b.table) else { return Ok(moved) };
            let Some(i) = t.index_position(b.index) else { return Ok(moved) };
            let index = &t.indexes[i];
            let owed = core.flush.merges_owed().min(left as u64) as usize;
            let asked = index.buffer.next_asked();
            if self.db.stopping() || !(owed > 0 || asked.is_some() || self.is_over(&index.buffer)) {
                return Ok(moved);
            }
            let _hold = t.mdl_glance()?;
            t.met().await?;
            if let Some(key) = asked {
                left -= 1;
                let step = change_buffer::step_at(core, index.trees(), &index.buffer, &key).await?;
                moved += step.moved();
                continue;
            }
            // What was asked for goes out together, as far as threads read at once; what the sweep does by itself, one by one.
            let n = owed.clamp(1, index.buffer.merging().at_once);
            // What fails counts as well.
            core.flush.merged(n as u64);
            left -= n;
            let steps = change_buffer::steps(core, index.trees(), &index.buffer, n).await?;
            moved += steps.iter().map(|s| s.moved()).sum::<usize>();
            let turned = steps.contains(&Step::Turned);
            if turned && (owed > 0 || !index.buffer.takes()) {
                return Ok(moved);
            }
        }
        Ok(moved)
    }

    /// A buffer has more than the sweep lets it have. One that takes nothing any more is to become empty.
    fn is_over(&self, buffer: &Buffer) -> bool {
        let sweeps = self.db.core.flush.buffer.lock().keeper == Keeper::Sweep;
        !buffer.takes() || (sweeps && buffer.leaves() > self.aim(buffer.limit()))
    }

    /// Tells the policy how much is buffered.
    fn measure(&self) {
        let pages = self.all.iter().filter_map(|b| {
            let t = self.db.handles.by_id(b.table)?;
            let i = t.index_position(b.index)?;
            Some(t.indexes[i].buffer.pages())
        });
        self.db.core.flush.buffered.store(pages.sum(), Ordering::Relaxed);
    }

    /// The size down to which the sweep works.
    fn aim(&self, limit: u64) -> u64 {
        limit * self.db.settings.change_buffer.aim_percent.load(Ordering::Relaxed) / 100
    }
}

impl Inner {
    /// Bytes behind the value of an entry of an index with which it is as large as in InnoDB's insert buffer. The values themselves take
    /// about as much in both. Pages that are much smaller than InnoDB's are left as they are.
    fn padding(&self, t: &Table, i: usize) -> usize {
        const LEAST_PAGE: usize = 4096;
        if self.core.spaces.page_size() < LEAST_PAGE {
            return 0;
        }
        let columns = |i: usize| t.indexes[i].def.parts.iter().map(|p| p.col);
        let more = columns(0).filter(|c| columns(i).all(|own| own != *c)).count();
        // A table without a primary key has a row id there.
        let key = if t.indexes[0].def.parts.is_empty() { 1 } else { more };
        let overhead = policy::innodb_overhead(columns(i).count() + key);
        overhead.saturating_sub(slotted::cell_size(0, VALUE))
    }
}
