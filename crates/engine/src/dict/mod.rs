//! Floor 4: the dictionary as a tree: small keys and their values, changed by one mini-transaction per DDL statement. `counters` are
//! entries that change without DDL.
//!
//! May use: `btree`, `mtr`, `page`, `log`. Knows what kinds of entries there are, and not what their values mean: that is `table`'s and
//! `catalog`'s.
//!
//! A short value stands in its entry. A long one (a table of many columns, or with long comments) would not fit into the pages that one
//! mini-transaction may change, so it is staged first: its pieces go into the same tree under a number that was never used,
//! in mini-transactions of their own, and the entry, which is the commit point, names the number. A crash in between
//! leaves pieces that no entry names; the next start removes them.
//!
//! `riders` are entries that a session has written together with its next DDL statement.
//!
//! Entries: `kind 1 | name or id | 0 | chunk 1 -> bytes`, the chunk being 0 for a value that stands there and 255 for the number
//! of a staged value. Pieces: `'B' | number 8 | piece 4 -> bytes`, integers of keys big-endian.

pub mod counters;
mod riders;

pub use riders::Rider;
use riders::Riders;

use crate::btree::{self, Survivors, Tree};
use crate::error::{Error, Result};
use crate::ids::{Lsn, PageNo};
use crate::mtr::{self, Apply, Attempt, Core, Gather, P, Work};
use crate::page::redo::Redo;
use crate::page::slotted;
use crate::planted::{self, Bug};
use crate::pool::Access;
use crate::space;
use crate::sync::atomic::{AtomicU64, Ordering};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Index id of the dictionary tree; its root is the first page behind header and bitmap of the system space.
pub const INDEX: u64 = 1;
pub const ROOT: PageNo = 2;

pub mod kind {
    pub const SCHEMA: u8 = b'S';
    pub const TABLE: u8 = b'T';
    pub const META: u8 = b'M';
    /// Counters of tables (`counters`).
    pub const COUNTERS: u8 = b'C';
    /// Views and programs (`catalog::objects`).
    pub const OBJECT: u8 = b'O';
    /// Lists of tables that are being dropped (`drop`).
    pub const DROPPED: u8 = b'D';
    /// Trees that are being built or freed (`half_trees`).
    pub const HALF_TREE: u8 = b'I';
    /// Pieces of long values.
    pub const PIECE: u8 = b'B';
}

/// Most bytes of an entry that `Dict::patch` changes.
const PATCHED_MAX: usize = 64;

/// The chunk of an entry whose value is the number of a staged one.
const STAGED: u8 = 255;

pub struct Dict {
    tree: Arc<Tree>,
    /// The number of the next staged value.
    next: AtomicU64,
    riders: Riders,
}

/// What a write has to do in the tree: cells that come, and keys that go.
#[derive(Default)]
struct Cells {
    puts: Vec<(Vec<u8>, Vec<u8>)>,
    gone: Vec<Vec<u8>>,
}

fn piece_prefix(number: u64) -> Vec<u8> {
    let mut k = vec![kind::PIECE];
    k.extend_from_slice(&number.to_be_bytes());
    k
}

fn piece_key(number: u64, piece: usize) -> Vec<u8> {
    let mut k = piece_prefix(number);
    k.extend_from_slice(
        &u32::try_from(piece).expect("a definition is far below 4 GiB").to_be_bytes(),
    );
    k
}

/// The number that a staged entry names, or that stands in the key of a piece.
fn number(bytes: &[u8]) -> Result<u64> {
    let eight = bytes.get(..8).and_then(|b| b.try_into().ok());
    eight.map(u64::from_be_bytes).ok_or_else(|| Error::Corrupt {
        what: "the number of a long definition is cut off".into(),
        place: "data dictionary".into(),
    })
}

/// One change: put (`Some`) or delete (`None`).
pub type Change = (Vec<u8>, Option<Vec<u8>>);

pub fn key(kind: u8, name: &[u8]) -> Vec<u8> {
    let mut k = vec![kind];
    k.extend_from_slice(name);
    k.push(0);
    k
}

pub fn table_key(id: u64) -> Vec<u8> {
    key(kind::TABLE, &id.to_be_bytes())
}

impl Dict {
    pub async fn create(core: &Core) -> Result<Dict> {
        let space = core.spaces.get(space::SYSTEM).expect("the system space is always open");
        let tree = btree::create(core, &space, INDEX).await?;
        assert_eq!(tree.root, ROOT, "the first page after header and bitmap");
        Ok(Dict { tree: Arc::new(tree), next: AtomicU64::new(1), riders: Riders::default() })
    }

    pub fn open(core: &Core) -> Dict {
        let space = core.spaces.get(space::SYSTEM).expect("the system space is always open");
        Dict {
            tree: Arc::new(Tree::new(space, ROOT, INDEX)),
            next: AtomicU64::new(1),
            riders: Riders::default(),
        }
    }

    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// See [`Rider`].
    pub fn wait_rider(&self, key: &[u8], value: Vec<u8>) -> Rider {
        self.riders.wait(key, value)
    }

    /// The same with events, which ride in the log only.
    pub fn wait_rider_with(&self, events: Vec<u8>) -> Rider {
        self.riders.wait_with_events(events)
    }

    /// All entries whose key begins with `prefix`, with their whole values.
    pub async fn scan(&self, core: &Core, prefix: &[u8]) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let mut out: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        for (mut k, v) in self.cells(core, prefix).await? {
            match k.pop() {
                Some(STAGED) => match self.staged(core, number(&v)?).await {
                    Ok(value) => out.push((k, value)),
                    Err(Error::Corrupt { .. }) if core.spaces.leaves_damage() => {}
                    Err(e) => return Err(e),
                },
                Some(0) => out.push((k, v)),
                // The first builds of 0.1.0 wrote values of several chunks into the entries.
                _ => match out.last_mut().filter(|last| last.0 == k) {
                    Some(last) => last.1.extend_from_slice(&v),
                    None => out.push((k, v)),
                },
            }
        }
        Ok(out)
    }

    pub async fn get(&self, core: &Core, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.scan(core, key).await?.into_iter().find(|(k, _)| k == key).map(|(_, v)| v))
    }

    /// The cells whose key begins with `prefix`, as they stand in the tree; of a damaged tree, if damage is to be left, those that are
    /// left.
    async fn cells(&self, core: &Core, prefix: &[u8]) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        match self.cells_in_order(core, prefix).await {
            Err(Error::Corrupt { .. } | Error::Io { .. }) if core.spaces.leaves_damage() => {
                self.surviving_cells(core, prefix).await
            }
            all => all,
        }
    }

    async fn surviving_cells(&self, core: &Core, prefix: &[u8]) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let (mut out, mut all) = (BTreeMap::new(), Survivors::new(core, &self.tree, false));
        while let Some(leaf) = all.next_leaf().await? {
            let cells = leaf.cells().filter(|(k, _)| k.starts_with(prefix));
            out.extend(cells.map(|(k, v)| (k, v.to_vec())));
        }
        for (page, why) in &all.bad {
            core.spaces.say(&format!(
                "error: page {page} of the data dictionary in '{}' is left out: {why}",
                self.tree.space.path()
            ));
        }
        Ok(out.into_iter().collect())
    }

    async fn cells_in_order(&self, core: &Core, prefix: &[u8]) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let mut out: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        let mut at = prefix.to_vec();
        loop {
            let (cells, next) = mtr::run(core, 0, |w| {
                let g = btree::leaf(w.core, &self.tree, &at, Access::Point)?;
                let p = g.bytes();
                let from = slotted::search(p, &at).unwrap_or_else(|s| s);
                let cells: Vec<(Vec<u8>, Vec<u8>)> = (from..slotted::count(p))
                    .map(|s| (slotted::key(p, s), slotted::value(p, s).to_vec()))
                    .take_while(|(k, _)| k.starts_with(prefix))
                    .collect();
                let whole = from + cells.len() == slotted::count(p);
                Ok((cells, slotted::upper(p).filter(|_| whole).map(<[u8]>::to_vec)))
            })
            .await?;
            out.extend(cells);
            match next {
                Some(u) if u.starts_with(prefix) || u.as_slice() < prefix => at = u,
                _ => return Ok(out),
            }
        }
    }

    /// The value that was staged under a number.
    async fn staged(&self, core: &Core, number: u64) -> Result<Vec<u8>> {
        let pieces = self.cells(core, &piece_prefix(number)).await?;
        let in_order = pieces.iter().enumerate().all(|(i, (k, _))| *k == piece_key(number, i));
        if pieces.is_empty() || !in_order {
            return Err(Error::Corrupt {
                what: format!("a piece of the long definition {number} is missing"),
                place: "data dictionary".into(),
            });
        }
        Ok(pieces.into_iter().flat_map(|(_, v)| v).collect())
    }

    /// What a value in an entry, or a piece, may have at most: a few of them fit into any page.
    fn piece_size(core: &Core) -> usize {
        core.spaces.page_size() / 8
    }

    /// Puts a long value into the tree; nothing names it yet.
    async fn stage(&self, core: &Core, value: &[u8]) -> Result<u64> {
        let number = self.next.fetch_add(1, Ordering::AcqRel);
        for (i, piece) in value.chunks(Self::piece_size(core)).enumerate() {
            let put = Cells { puts: vec![(piece_key(number, i), piece.to_vec())], gone: vec![] };
            if let Err(e) = self.change(core, &put).await {
                // On a full device; the next start removes what cannot be removed now.
                let _ = self.unstage(core, number).await;
                return Err(e);
            }
        }
        Ok(number)
    }

    /// Removes a value that nothing names any more.
    async fn unstage(&self, core: &Core, number: u64) -> Result<()> {
        for (key, _) in self.cells(core, &piece_prefix(number)).await? {
            self.change(core, &Cells { puts: vec![], gone: vec![key] }).await?;
        }
        Ok(())
    }

    /// At the start: numbers go on behind the last one in use, and pieces that no entry names are removed.
    pub async fn remove_unnamed(&self, core: &Core) -> Result<()> {
        let mut named = HashSet::new();
        for entries in [kind::SCHEMA, kind::TABLE, kind::META, kind::OBJECT, kind::DROPPED] {
            for (k, v) in self.cells(core, &[entries]).await? {
                if k.last() == Some(&STAGED) {
                    named.insert(number(&v)?);
                }
            }
        }
        let mut there = Vec::new();
        for (k, _) in self.cells(core, &[kind::PIECE]).await? {
            there.push(number(&k[1..])?);
        }
        there.dedup();
        self.next.fetch_max(there.last().map_or(1, |n| n + 1), Ordering::AcqRel);
        for n in there.into_iter().filter(|n| !named.contains(n)) {
            self.unstage(core, n).await?;
        }
        Ok(())
    }

    /// Applies all changes in one mini-transaction and makes it durable: the commit point of a DDL. What rides with the statement of the
    /// session at hand ([`Rider`]) is part of it.
    pub async fn write(&self, core: &Core, changes: &[Change]) -> Result<()> {
        match self.riders.of_current() {
            None => self.write_alone(core, changes).await,
            Some((entry, events)) => {
                let all = [changes, entry.as_slice()].concat();
                if events.is_some() {
                    core.log.events_room().await;
                }
                self.write_carrying(core, &all, events).await?;
                self.riders.has_ridden();
                Ok(())
            }
        }
    }

    /// The same for a change that is no statement's commit point.
    pub async fn write_alone(&self, core: &Core, changes: &[Change]) -> Result<()> {
        self.write_carrying(core, changes, None).await
    }

    async fn write_carrying(
        &self,
        core: &Core,
        changes: &[Change],
        events: Option<Vec<u8>>,
    ) -> Result<()> {
        if planted::is(Bug::DdlInPieces) && changes.len() > 1 {
            for one in changes {
                Box::pin(self.write_alone(core, std::slice::from_ref(one))).await?;
            }
            return Ok(());
        }
        let (mut cells, mut staged, mut obsolete) = (Cells::default(), Vec::new(), Vec::new());
        for (k, v) in changes {
            let old = self.entry(core, k).await?;
            let new = match v {
                None => None,
                Some(v) if v.len() <= Self::piece_size(core) => Some((with_chunk(k, 0), v.clone())),
                Some(v) => match self.stage(core, v).await {
                    Ok(number) => {
                        staged.push(number);
                        Some((with_chunk(k, STAGED), number.to_be_bytes().to_vec()))
                    }
                    Err(e) => return Err(self.give_up(core, &staged, e).await),
                },
            };
            for (key, value) in old {
                if key.last() == Some(&STAGED) {
                    obsolete.push(number(&value)?);
                }
                if new.as_ref().is_none_or(|(n, _)| *n != key) {
                    cells.gone.push(key);
                }
            }
            cells.puts.extend(new);
        }
        if planted::is(Bug::OldDefinitionRemovedFirst) {
            for n in &obsolete {
                self.unstage(core, *n).await?;
            }
        }
        let lsn = match self.change_carrying(core, &cells, events).await {
            Ok(lsn) => lsn,
            Err(e) => return Err(self.give_up(core, &staged, e).await),
        };
        if planted::is(Bug::DdlNotDurable) {
            return Ok(());
        }
        core.log.flush_for(lsn, crate::log::Reach::Durable, (0, 0)).await?;
        core.stats.commits.add(1);
        // The statement has its outcome; what cannot be removed now goes at the next start.
        for n in obsolete {
            if self.unstage(core, n).await.is_err() {
                core.log.failure()?;
            }
        }
        Ok(())
    }

    /// First half of putting a short entry together with another change.
    pub fn prepare_put(&self, g: &mut Gather<'_, '_>, key: &[u8], len: usize) -> Attempt<Put> {
        let key = with_chunk(key, 0);
        let leaf = btree::leaf_x(g.core(), &self.tree, &key)?;
        let leaf = g.adopt(leaf);
        let need = slotted::cell_size(key.len(), len);
        if slotted::room_for(g.bytes(leaf), &key) < need {
            return Err(btree::split_job(&self.tree, &key, need));
        }
        Ok(Put { leaf, key })
    }

    /// Overwrites bytes of a short entry from `off` on; returns the LSN behind which that is durable. An entry that is gone, because its
    /// table is, stays gone.
    pub async fn patch(&self, core: &Core, key: &[u8], off: usize, bytes: &[u8]) -> Result<Lsn> {
        let key = with_chunk(key, 0);
        let need = key.len() + PATCHED_MAX + 96;
        mtr::run(core, need, |w| {
            let mut g = w.gather();
            let leaf = btree::leaf_x(g.core(), &self.tree, &key)?;
            let p = g.adopt(leaf);
            let Ok(slot) = slotted::search(g.bytes(p), &key) else {
                return Ok(core.log.published());
            };
            let mut value = slotted::value(g.bytes(p), slot).to_vec();
            assert!(value.len() <= PATCHED_MAX);
            value[off..off + bytes.len()].copy_from_slice(bytes);
            let mut a = g.seal(need)?;
            a.record(p, &Redo::SlotReplace { slot: slot as u16, value: &value });
            Ok(a.commit())
        })
        .await
    }

    /// Takes back what was staged for a change that cannot be made.
    async fn give_up(&self, core: &Core, staged: &[u64], why: Error) -> Error {
        for n in staged {
            let _ = self.unstage(core, *n).await;
        }
        why
    }

    /// The cells of an entry.
    async fn entry(&self, core: &Core, key: &[u8]) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let mut cells = self.cells(core, key).await?;
        cells.retain(|(k, _)| k.len() == key.len() + 1);
        Ok(cells)
    }

    /// Whether a step that writes one entry and removes `gone` short ones with keys of `key` bytes fits the log, for a caller who has
    /// much to do before it.
    pub fn fits(core: &Core, gone: usize, key: usize) -> Result<()> {
        let bytes = Self::piece_size(core) + 256 + gone * (key + 1 + 32);
        core.log.fits(bytes * 2)
    }

    /// One mini-transaction; its LSN.
    async fn change(&self, core: &Core, c: &Cells) -> Result<u64> {
        self.change_carrying(core, c, None).await
    }

    /// The same with events in its group.
    async fn change_carrying(
        &self,
        core: &Core,
        c: &Cells,
        mut events: Option<Vec<u8>>,
    ) -> Result<u64> {
        let more = events.as_ref().map_or(0, |e| e.len() + 16);
        let bytes: usize = c.puts.iter().map(|(k, v)| k.len() + v.len() + 64).sum::<usize>()
            + c.gone.iter().map(|k| k.len() + 32).sum::<usize>()
            + 128;
        let need = bytes * 2 + more;
        let lsn = mtr::run(core, need, |w| self.attempt(w, &c.puts, &c.gone, (need, &mut events)))
            .await?;
        if more > 0 {
            core.log.release_events(lsn);
        }
        Ok(lsn)
    }

    fn attempt(
        &self,
        w: &mut Work<'_>,
        puts: &[(Vec<u8>, Vec<u8>)],
        gone: &[Vec<u8>],
        (need, events): (usize, &mut Option<Vec<u8>>),
    ) -> Attempt<u64> {
        let mut g = w.gather();
        // First half: every leaf is latched, and has room for all that goes into it.
        let mut incoming: Vec<(crate::mtr::P, usize)> = Vec::new();
        let leaf_of = |g: &mut crate::mtr::Gather<'_, '_>, k: &[u8]| -> Attempt<crate::mtr::P> {
            let here = g.find_where(|p| {
                crate::page::owner(p.bytes()) == INDEX
                    && crate::page::page_type(p.bytes()) == Some(crate::page::PageType::Tree)
                    && slotted::owns(p.bytes(), k)
            });
            match here {
                Some(p) => Ok(p),
                None => {
                    let guard = btree::leaf_x(g.core(), &self.tree, k)?;
                    Ok(g.adopt(guard))
                }
            }
        };
        for (k, v) in puts {
            let p = leaf_of(&mut g, k)?;
            let add = slotted::cell_size(k.len(), v.len());
            let sum = match incoming.iter_mut().find(|(q, _)| *q == p) {
                Some(x) => {
                    x.1 += add;
                    x.1
                }
                None => {
                    incoming.push((p, add));
                    add
                }
            };
            if slotted::room_for(g.bytes(p), k) < sum {
                return Err(btree::split_job(&self.tree, k, sum));
            }
        }
        for k in gone {
            leaf_of(&mut g, k)?;
        }
        let places: Vec<crate::mtr::P> = puts
            .iter()
            .map(|(k, _)| k)
            .chain(gone)
            .map(|k| leaf_of(&mut g, k))
            .collect::<Attempt<_>>()?;
        let mut a = g.seal(need)?;
        for (i, (k, v)) in puts.iter().enumerate() {
            let p = places[i];
            match slotted::search(a.bytes(p), k) {
                Ok(slot) => a.record(p, &Redo::SlotReplace { slot: slot as u16, value: v }),
                Err(slot) => btree::insert(&mut a, &self.tree, p, slot, k, v),
            }
        }
        for (i, k) in gone.iter().enumerate() {
            let p = places[puts.len() + i];
            if let Ok(slot) = slotted::search(a.bytes(p), k) {
                a.record(p, &Redo::SlotRemove { slot: slot as u16 });
            }
        }
        Ok(match events.take() {
            Some(events) => a.commit_with(events),
            None => a.commit(),
        })
    }
}

/// An entry that is to come, its leaf latched and with room for it.
pub struct Put {
    leaf: P,
    key: Vec<u8>,
}

impl Put {
    pub fn put(&self, a: &mut Apply<'_>, dict: &Dict, value: &[u8]) {
        match slotted::search(a.bytes(self.leaf), &self.key) {
            Ok(slot) => a.record(self.leaf, &Redo::SlotReplace { slot: slot as u16, value }),
            Err(slot) => btree::insert(a, &dict.tree, self.leaf, slot, &self.key, value),
        }
    }
}

fn with_chunk(key: &[u8], chunk: u8) -> Vec<u8> {
    let mut k = key.to_vec();
    k.push(chunk);
    k
}
