//! A table's rows go into a new definition, one by one; its files are new, and take the old ones' place in the end.
//!
//! Readers go on meanwhile, and writers, too, where a row keeps its clustered key and its partition: what they change is in the table's
//! row log, and is made up for in the copy. Otherwise writers wait.
//!
//! Invariants
//! - The copy has each row that nobody has changed since the work began; the others come from the row log alone.
//! - Nobody knows the copy before it is whole: its records are put in and taken out without undo, and a crash leaves files that nothing
//!   names.

use super::Catalog;
use super::build::{RowLogEnd, Suspects, apply_words};
use super::ddl::{BesideIt, DdlContext, MapRow};
use crate::btree;
use crate::dict::counters::Marks;
use crate::error::{Error, Result};
use crate::mtr::{self, Stop};
use crate::page::redo::Redo;
use crate::page::slotted;
use crate::planted::{self, Bug};
use crate::row::RowView;
use crate::sync::Mutex;
use crate::sync::atomic::Ordering;
use crate::table::{From, NewTable, RowLog, Said, Table, Word};
use crate::txn::{Durability, ROW_HEADER, RowHeader, Txn, TxnOptions, View, external};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Rounds of catching up before the statement asks for the table alone, rows that are few enough for the last one, and rows whose
/// entries are sorted together.
const ROUNDS: usize = 16;
const FEW: usize = 200;
const CHUNK: usize = 512;

/// What a changed row costs beside its bytes.
const CHANGE: usize = 64;

/// The row log of a table that is copied: what has become of each row that was changed, in full, or that it is gone.
#[derive(Default)]
struct CopyLog {
    limit: usize,
    changes: Mutex<Changes>,
}

type Row = Option<Box<[u8]>>;

#[derive(Default)]
struct Changes {
    rows: HashMap<Box<[u8]>, Row>,
    bytes: usize,
    full: bool,
}

impl RowLog for CopyLog {
    fn changed(&self, key: &[u8], _: Option<&[u8]>, come: Option<&[u8]>) {
        let mut c = self.changes.lock();
        if c.full {
            return;
        }
        let bytes = |row: Option<&[u8]>| row.map_or(0, <[u8]>::len);
        let before = c.rows.insert(key.into(), come.map(Into::into));
        c.bytes += bytes(come);
        match before {
            Some(row) => c.bytes -= bytes(row.as_deref()),
            None => c.bytes += key.len() + CHANGE,
        }
        if c.bytes > self.limit {
            *c = Changes { full: true, ..Changes::default() };
        }
    }
}

impl CopyLog {
    /// The changes until now, in the order of their keys.
    fn take(&self) -> Result<Vec<(Box<[u8]>, Row)>> {
        let taken = {
            let mut c = self.changes.lock();
            if c.full && !planted::is(Bug::RowLogFullIgnored) {
                // By this name users know the index that has the rows.
                return Err(Error::RowLogFull { index: "PRIMARY".into() });
            }
            std::mem::take(&mut *c).rows
        };
        let mut all: Vec<_> = taken.into_iter().collect();
        all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(all)
    }
}

/// Rows on their way into a handle that nobody knows yet.
struct Copy<'a> {
    catalog: &'a Catalog,
    d: &'a DdlContext,
    from: &'a [Arc<Table>],
    target: &'a Arc<Table>,
    /// Which of the target's partitions (or itself) take rows.
    takes: Vec<bool>,
    /// Rows keep their keys and their partitions.
    keeps_keys: bool,
    /// The copy is written by a transaction of its own that always commits: nobody sees the table before.
    txn: Txn,
    trx: u64,
    rows: u64,
    /// What the AUTO_INCREMENT counter must be at least.
    seen: u64,
    beside: Option<BesideWriters<'a>>,
    out: Vec<u8>,
}

struct BesideWriters<'a> {
    /// What was committed when the work began; not registered.
    seen: Arc<View>,
    logs: Vec<Arc<CopyLog>>,
    suspects: Suspects,
    _end: RowLogEnd<'a>,
}

impl<'a> Copy<'a> {
    async fn begin(
        catalog: &'a Catalog,
        from: &'a [Arc<Table>],
        target: &'a Arc<Table>,
        into: &[Arc<Table>],
        d: &'a DdlContext,
    ) -> Result<Copy<'a>> {
        let filled: HashSet<u64> = into.iter().map(|p| p.def.id).collect();
        let takes = target.stored().iter().map(|p| filled.contains(&p.def.id)).collect();
        let options = TxnOptions { interrupt: d.interrupt.clone(), ..TxnOptions::default() };
        let mut txn = Txn::new(catalog.sys.clone(), options);
        txn.ensure_writer().await?;
        let trx = txn.id().unwrap_or(0);
        Ok(Copy {
            catalog,
            d,
            from,
            target,
            takes,
            keeps_keys: false,
            txn,
            trx,
            rows: 0,
            seen: 1,
            beside: None,
            out: Vec::new(),
        })
    }

    /// From here on writers tell what they change. The caller keeps them out at this moment.
    fn listen(&mut self) {
        let c = self.catalog;
        let limit = c.row_log_bytes.load(Ordering::Relaxed) as usize;
        let mut logs = Vec::new();
        for part in self.from {
            logs.push(Arc::new(CopyLog { limit, ..CopyLog::default() }));
            part.row_logs.begin(logs[logs.len() - 1].clone());
        }
        let seen = c.sys.trx.open_view();
        seen.close();
        let (suspects, _end) = (Suspects::default(), RowLogEnd(self.from));
        self.beside = Some(BesideWriters { seen, logs, suspects, _end });
    }

    /// Copies the rows, and builds the indexes.
    async fn all(&mut self, map: &mut MapRow<'_>) -> Result<()> {
        let seen = self.beside.as_ref().map(|b| b.seen.clone());
        for (place, t) in self.from.iter().enumerate() {
            t.met().await?;
            let mut at: Option<Vec<u8>> = Some(Vec::new());
            while let Some(pos) = at {
                if self.d.interrupt.killed() != 0 {
                    return Err(Error::Interrupted);
                }
                let _kept = self.catalog.keep_chains(t, seen.as_deref());
                let (batch, upper) = self.catalog.leaf_rows(t, &pos, seen.as_deref()).await?;
                for (key, row) in batch {
                    let full = external::materialise(&self.catalog.core, t, &row).await?;
                    self.put(place, &key, &full, map).await?;
                }
                at = upper;
            }
        }
        for (part, _) in self.target.stored().iter().zip(&self.takes).filter(|(_, takes)| **takes) {
            for i in 1..part.indexes.len() {
                self.catalog.build_index(part, i, None, &self.d.interrupt).await?;
            }
        }
        Ok(())
    }

    /// Copies one row, which stands under `key` in the source at `place`; the clustered record only. The new row is in `out`.
    async fn put(
        &mut self,
        place: usize,
        key: &[u8],
        row: &[u8],
        map: &mut MapRow<'_>,
    ) -> Result<()> {
        self.out.clear();
        let n = map(RowView::new(&self.from[place].layout, row), &mut self.out)
            .map_err(Error::Owner)?;
        let home = self.target.stored().get(n).filter(|_| self.takes[n]);
        let home = home.ok_or_else(|| Error::Owner(format!("a row for partition {n}")))?;
        let key = match (home.has_hidden_key(), self.keeps_keys) {
            (true, true) => key.to_vec(),
            (true, false) => home.new_row_id().await?,
            (false, keeps) => {
                let new = home.clustered_key(&self.out)?;
                if keeps && (new != key || n != place) {
                    return Err(Error::Owner("a row that does not keep its place".into()));
                }
                new
            }
        };
        let stored = self.txn.store_form(home, key.len(), &self.out, None).await?;
        if !self.catalog.copy_row(home, &key, &stored, self.trx).await? {
            let mut twice = home.duplicate(0, key);
            if let Error::DuplicateKey { row, .. } = &mut twice {
                *row = Some(self.out.clone());
            }
            return Err(twice);
        }
        if let Some(c) = self.target.def.auto_increment
            && let Some(v) = RowView::new(&self.target.layout, &self.out).get(c).as_u64()
        {
            self.seen = self.seen.max(v.saturating_add(1));
        }
        if home.is_part() {
            home.rows.fetch_add(1, Ordering::Relaxed);
        }
        self.rows += 1;
        Ok(())
    }

    /// Catches up with what was changed meanwhile until little is left.
    async fn most(&mut self, map: &mut MapRow<'_>) -> Result<()> {
        for _ in 0..ROUNDS {
            if self.catch_up(map).await? < FEW {
                break;
            }
        }
        Ok(())
    }

    /// Nobody writes the table any more: makes up for what is left.
    async fn rest(&mut self, map: &mut MapRow<'_>) -> Result<()> {
        self.catch_up(map).await?;
        match &self.beside {
            Some(b) => b.suspects.judge(self.catalog, self.target).await,
            None => Ok(()),
        }
    }

    async fn catch_up(&mut self, map: &mut MapRow<'_>) -> Result<usize> {
        let Some(mut beside) = self.beside.take() else { return Ok(0) };
        let done = self.follow(&mut beside, map).await;
        self.beside = Some(beside);
        done
    }

    async fn follow(
        &mut self,
        beside: &mut BesideWriters<'_>,
        map: &mut MapRow<'_>,
    ) -> Result<usize> {
        let core = &self.catalog.core;
        let mut n = 0;
        for (place, log) in beside.logs.iter().enumerate() {
            let part = &self.target.stored()[place];
            let changes = log.take()?;
            n += changes.len();
            for few in changes.chunks(CHUNK) {
                let mut words: Vec<Vec<Said>> = vec![Vec::new(); part.indexes.len()];
                for (key, row) in few {
                    if let Some(old) = self.take_out(part, key).await? {
                        say(&mut words, part, key, &old, false)?;
                    }
                    if let Some(row) = row {
                        self.put(place, key, row, map).await?;
                        say(&mut words, part, key, &self.out, true)?;
                    }
                }
                for (i, mut words) in words.into_iter().enumerate().skip(1) {
                    words.sort_unstable_by(|a, b| a.0.cmp(&b.0));
                    let s = &mut beside.suspects;
                    apply_words(core, part, (place, i), &words, s, &self.d.interrupt).await?;
                }
            }
        }
        core.stats.row_log_entries.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }

    /// Takes a row out of the copy, and gives it in full.
    async fn take_out(&mut self, t: &Arc<Table>, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let (core, tree) = (&self.catalog.core, &t.indexes[0].tree);
        let stored = mtr::run(core, 0, |w| {
            let g = btree::leaf(w.core, tree, key, crate::pool::Access::Point)?;
            let Ok(s) = slotted::search(g.bytes(), key) else { return Ok(None) };
            Ok(Some(slotted::value(g.bytes(), s)[ROW_HEADER..].to_vec()))
        })
        .await?;
        let Some(stored) = stored else { return Ok(None) };
        let full = external::materialise(core, t, &stored).await?;
        let chains = external::chains(t, &stored);
        for first in &chains {
            external::free_tail(core, &t.space, *first).await?;
        }
        mtr::run(core, 160 + chains.len() * 32, |w| {
            let mut g = w.gather();
            let at = btree::place(&mut g, tree, key)?;
            let Ok(slot) = at.slot else { return Err(Stop::Err(t.lost_row(key))) };
            let freed = external::free_heads(&mut g, &t.space, &chains)?;
            let mut a = g.seal(96 + chains.len() * 24)?;
            a.record(at.leaf, &Redo::SlotRemove { slot: slot as u16 });
            freed.into_iter().for_each(|f| f.clear(&mut a));
            a.commit();
            Ok(())
        })
        .await?;
        btree::merge_soon(core, tree, key).await?;
        if t.is_part() {
            t.rows.fetch_sub(1, Ordering::Relaxed);
        }
        self.rows -= 1;
        Ok(Some(full))
    }

    async fn end(self) -> Result<(u64, u64)> {
        self.txn.commit(Durability::Lazy).await?;
        Ok((self.rows, self.seen))
    }
}

/// The words about the entries of a row that comes or goes.
fn say(words: &mut [Vec<Said>], t: &Table, key: &[u8], row: &[u8], there: bool) -> Result<()> {
    for (i, words) in words.iter_mut().enumerate().skip(1) {
        for entry in t.entries(i, row, key)? {
            let word = Word { columns: (entry.len() - key.len()) as u16, there };
            words.push((entry.into(), word));
        }
    }
    Ok(())
}

impl Catalog {
    /// A table may have the name of the one that it takes the place of.
    fn name_is_free(&self, t: &Table, new: &NewTable) -> Result<()> {
        if (&new.schema, &new.name) != (&t.def.schema, &t.def.name)
            && self.name_is_taken(&new.schema, &new.name)
        {
            return Err(Error::TableExists { schema: new.schema.clone(), name: new.name.clone() });
        }
        Ok(())
    }

    /// Copies a table into a new definition row by row. `BesideIt::Everybody` asks that `map` leaves each row its clustered key and its
    /// partition; another row ends the statement with `Error::Owner`.
    ///
    /// Errors: as of `add_indexes`.
    pub async fn rebuild_table(
        &self,
        t: &Arc<Table>,
        new: NewTable,
        map: &mut MapRow<'_>,
        d: &DdlContext,
    ) -> Result<Arc<Table>> {
        let mut hold = self.begin_work(t, d).await?;
        let (storage, id) = {
            let _ddl = self.ddl().await;
            self.name_is_free(t, &new)?;
            let storage = self.make_whole(new.indexes.len(), new.parts, d).await?;
            (storage, self.next_table.fetch_add(1, Ordering::AcqRel))
        };
        let start = new.auto_increment_start;
        let def = self.new_def(new.clone(), id, t.def.version + 1, t.def.created_micros);
        let copied = async {
            let target =
                self.handle(def.clone(), &storage, From::Marks(Marks::default()), |_| 0)?;
            let mut copy = Copy::begin(self, t.stored(), &target, target.stored(), d).await?;
            copy.keeps_keys = d.beside_it == BesideIt::Everybody;
            if let (Some(hold), true) = (&mut hold, copy.keeps_keys) {
                copy.listen();
                hold.thaw();
                self.core.stats.tables_copied_beside_writers.fetch_add(1, Ordering::Relaxed);
            }
            copy.all(map).await?;
            copy.most(map).await?;
            if let Some(hold) = &mut hold {
                hold.be_alone(&self.core.waits, &self.rt, d.lock_timeout, &d.interrupt).await?;
            }
            copy.rest(map).await?;
            let (rows, auto_increment) = copy.end().await?;
            let ddl = self.ddl().await;
            self.name_is_free(t, &new)?;
            Ok((Marks { auto_increment, rows, ..target.marks() }, ddl))
        }
        .await;
        match copied {
            Ok((seen, _ddl)) => {
                let (before, rows) = (t.marks(), seen.rows);
                let before_it = match planted::is(Bug::RebuildForgetsCounter) {
                    true => 1,
                    false => before.auto_increment,
                };
                let auto_increment = before_it.max(start).max(seen.auto_increment);
                let row_id = before.row_id.max(seen.row_id);
                self.replace(t, def, &storage, Marks { auto_increment, row_id, rows }, d).await
            }
            Err(e) => {
                self.discard(&storage).await?;
                Err(e)
            }
        }
    }

    /// Copies rows into a handle that nobody knows yet, and builds the indexes of the partitions `into` of it (or of itself). Returns how
    /// many rows there were and what the AUTO_INCREMENT counter must be at least.
    pub(super) async fn fill(
        &self,
        from: &[Arc<Table>],
        target: &Arc<Table>,
        into: &[Arc<Table>],
        map: &mut MapRow<'_>,
        d: &DdlContext,
    ) -> Result<(u64, u64)> {
        let mut copy = Copy::begin(self, from, target, into, d).await?;
        copy.all(map).await?;
        copy.end().await
    }

    /// The live rows of the leaf that owns `pos`, from `pos` on, and where the next leaf begins; of a table that is written meanwhile
    /// those that `seen` sees. Purge goes on, and may merge rows that the caller has had already into the leaf that owns `pos`.
    pub(super) async fn leaf_rows(
        &self,
        t: &Table,
        pos: &[u8],
        seen: Option<&View>,
    ) -> Result<(Vec<(Vec<u8>, Vec<u8>)>, Option<Vec<u8>>)> {
        mtr::run(&self.core, 0, |w| {
            let g = btree::leaf(w.core, &t.indexes[0].tree, pos, crate::pool::Access::Scan)?;
            let p = g.bytes();
            let rest = match slotted::search(p, pos) {
                _ if planted::is(Bug::RowsOfWholeLeaf) => 0,
                Ok(s) | Err(s) => s,
            };
            let rows = (rest..slotted::count(p))
                .filter(|s| {
                    let h = RowHeader::read(slotted::value(p, *s));
                    seen.is_none_or(|v| v.sees(h.trx))
                        && (!h.is_deleted() || planted::is(Bug::IndexOfDeletedRows))
                })
                .map(|s| (slotted::key(p, s), slotted::value(p, s)[ROW_HEADER..].to_vec()))
                .collect();
            Ok((rows, slotted::upper(p).map(<[u8]>::to_vec)))
        })
        .await
    }

    /// False: the key is there already.
    async fn copy_row(&self, t: &Arc<Table>, key: &[u8], row: &[u8], trx: u64) -> Result<bool> {
        let tree = &t.indexes[0].tree;
        let value = RowHeader { flags: 0, trx, roll: 0 }.with(row);
        mtr::run(&self.core, btree::insert_need(key.len(), value.len()), |w| {
            let mut g = w.gather();
            let at = btree::place(&mut g, tree, key)?;
            let Err(slot) = at.slot else { return Ok(false) };
            btree::room_for_insert(&g, tree, &at, key, value.len())?;
            let mut a = g.seal(btree::insert_need(key.len(), value.len()))?;
            btree::insert(&mut a, tree, at.leaf, slot, key, &value);
            a.commit();
            Ok(true)
        })
        .await
    }
}
