//! Batches of redo applied to their pages, by a task for each processor.

use super::collect::{Batch, Entry, by_page};
use crate::error::{Error, Result};
use crate::ids::{Lsn, PageId, PageNo, SpaceId};
use crate::mtr::Core;
use crate::page::{self, PageError, redo};
use crate::planted::{self, Bug};
use crate::policy::Cause;
use crate::pool::{Access, BATCH, Guard, LatchMode, LruBatch, PageWait};
use crate::space::{self, Space};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;
use weir_disk::IoBuf;
use weir_rt::JoinHandle;

/// Pages that a task reads at once, if the pool is large enough.
const READ_AT_ONCE: usize = 64;

/// How often a page of a table is read before the table is given up, and the pause between.
const READ_TRIES: u32 = 30;
const PAUSE: Duration = Duration::from_millis(100);

/// What has been done.
#[derive(Default)]
pub struct Done {
    pub pages: usize,
    /// Spaces without a file, and the first LSN that speaks of them.
    pub missing: BTreeMap<SpaceId, Lsn>,
    /// Pages that are damaged and that the log does not make again.
    pub damaged: BTreeMap<PageId, String>,
    /// Files that are other spaces' or another directory's, or cannot be read.
    pub foreign: BTreeMap<SpaceId, String>,
    /// Spaces that had something of the log in their files already.
    pub ahead: BTreeSet<SpaceId>,
    /// The newest LSN that a page had when it was read.
    pub newest: Option<(Lsn, PageId)>,
}

/// One worker's share of it: its pages are no other worker's.
#[derive(Default)]
struct Share {
    touched: HashSet<PageId>,
    missing: BTreeMap<SpaceId, Lsn>,
    damaged: BTreeMap<PageId, String>,
    foreign: BTreeMap<SpaceId, String>,
    /// Spaces whose headers have been looked at.
    known: HashSet<SpaceId>,
    ahead: BTreeSet<SpaceId>,
    newest: Option<(Lsn, PageId)>,
}

type Worked = (Share, Result<()>);

/// The workers. Between two batches their shares are here.
pub struct Appliers {
    core: Arc<Core>,
    shares: Vec<Share>,
    running: Vec<JoinHandle<Worked>>,
}

impl Appliers {
    pub fn new(core: Arc<Core>, workers: usize) -> Appliers {
        let shares = (0..workers).map(|_| Share::default()).collect();
        Appliers { core, shares, running: Vec::new() }
    }

    /// Begins with a batch when the last one is done.
    pub async fn apply(&mut self, mut batch: Batch) -> Result<()> {
        if !planted::is(Bug::RedoBatchesOverlap) {
            self.wait().await?;
            assert!(self.running.is_empty(), "a batch begins before the last one is applied");
        }
        let parts = std::mem::take(&mut batch.parts);
        let (batch, workers) = (Arc::new(batch), parts.len());
        let shares = std::mem::take(&mut self.shares);
        let shares = shares.into_iter().chain(std::iter::repeat_with(Share::default));
        for (entries, share) in parts.into_iter().zip(shares) {
            let w = Worker { core: self.core.clone(), batch: batch.clone(), workers, share };
            self.running.push(self.core.pool.rt.spawn("weir-redo", w.run(entries)));
        }
        Ok(())
    }

    /// All workers end, also when one of them fails.
    async fn wait(&mut self) -> Result<()> {
        let mut first = Ok(());
        for w in std::mem::take(&mut self.running) {
            let (share, done) = w.await;
            self.shares.push(share);
            first = first.and(done);
        }
        first
    }

    pub async fn finish(mut self) -> Result<Done> {
        self.wait().await?;
        let mut done = Done::default();
        for s in self.shares {
            done.pages += s.touched.len();
            for (space, lsn) in s.missing {
                let first = done.missing.entry(space).or_insert(lsn);
                *first = lsn.min(*first);
            }
            done.damaged.extend(s.damaged);
            done.foreign.extend(s.foreign);
            done.ahead.extend(s.ahead);
            done.newest = done.newest.max(s.newest);
        }
        Ok(done)
    }
}

struct Worker {
    core: Arc<Core>,
    batch: Arc<Batch>,
    workers: usize,
    share: Share,
}

/// The records of one page.
type OfPage<'a> = &'a [Entry];

impl Worker {
    async fn run(mut self, mut entries: Vec<Entry>) -> Worked {
        if planted::is(Bug::RedoOutOfOrder) {
            entries.reverse();
        }
        let entries = by_page(entries);
        let mut pages: Vec<OfPage<'_>> = entries.chunk_by(|a, b| a.page == b.page).collect();
        pages.iter_mut().for_each(|p| *p = newest_life(p));
        let mut done = Ok(());
        for of_space in pages.chunk_by(|a, b| a[0].page.space == b[0].page.space) {
            done = self.apply_space(of_space).await;
            if done.is_err() {
                break;
            }
        }
        (self.share, done)
    }

    async fn apply_space(&mut self, pages: &[OfPage<'_>]) -> Result<()> {
        let id = pages[0][0].page.space;
        let Some(space) = self.core.spaces.get(id) else {
            let first = pages.iter().map(|p| self.batch.start(&p[0])).min().unwrap_or(0);
            self.share.missing.entry(id).or_insert(first);
            return Ok(());
        };
        if space.refusal().is_some() {
            return Ok(());
        }
        let mut tries = 0;
        loop {
            match self.is_own(&space).await {
                Ok(true) => break,
                Ok(false) => return Ok(()),
                Err(e) => self.unreadable(&space, e, &mut tries).await?,
            }
        }
        // All workers together keep at most a quarter of the pool pinned.
        let at_once = (self.core.pool.size() / (4 * self.workers)).clamp(1, READ_AT_ONCE);
        for some in pages.chunks(at_once) {
            self.apply_some(&space, some).await?;
        }
        Ok(())
    }

    /// A read has failed. Of a table's file it is tried again for some time, and then the table is given up: the device will not do better
    /// at the next start, and the other tables are not to wait for it.
    async fn unreadable(&mut self, space: &Space, e: Error, tries: &mut u32) -> Result<()> {
        let of_table = space.id >= space::FIRST_TABLE && matches!(e, Error::Io { .. });
        if !of_table || self.core.log.failure().is_err() {
            return Err(e);
        }
        *tries += 1;
        if *tries < READ_TRIES {
            self.core.pool.rt.sleep(PAUSE).await;
        } else {
            self.share.foreign.insert(space.id, format!("its file cannot be read: {e}"));
        }
        Ok(())
    }

    /// Whether the file is the space's own, by its header: files may have been swapped, or be another directory's. A header that
    /// is damaged or was never written says nothing; then the pages are judged one by one.
    async fn is_own(&mut self, space: &Space) -> Result<bool> {
        if self.share.foreign.contains_key(&space.id) {
            return Ok(false);
        }
        let (size, header) = (self.core.spaces.page_size(), PageId::new(space.id, 0));
        if self.share.known.contains(&space.id) || space.file().len().await? < size as u64 {
            return Ok(true);
        }
        let (bytes, done) = space.file().read(0, IoBuf::new(size)).await;
        done?;
        self.share.known.insert(space.id);
        let other = match page::verify(&bytes, header) {
            Ok(()) => self.core.spaces.check_owner(header, &bytes).err().map(str::to_string),
            Err(e @ PageError::Misplaced { .. }) => {
                Some(format!("the file is another table's: its {e}"))
            }
            Err(_) => None,
        };
        let other = match other {
            None => self.core.spaces.is_stale(space).await?,
            other => other,
        };
        let own = other.is_none();
        if let Some(what) = other {
            self.share.foreign.insert(space.id, what);
        }
        Ok(own)
    }

    async fn apply_some(&mut self, space: &Space, pages: &[OfPage<'_>]) -> Result<()> {
        let core = self.core.clone();
        let last = pages.iter().map(|p| p[0].page.page).max().unwrap_or(0);
        core.spaces.ensure_page(space, last).await?;
        let keep = planted::is(Bug::OldLifeKept);
        // The page by which the file is known must not be older for a moment than it was: another worker, or a start after a crash of this
        // one, would take the file for an older copy.
        let read = |e: &Entry| !e.init || keep || core.spaces.is_witness(e.page);
        let want: Vec<(PageNo, bool)> =
            pages.iter().map(|p| (p[0].page.page, read(&p[0]))).collect();
        let mut tries = 0;
        let loaded = loop {
            if self.share.foreign.contains_key(&space.id) {
                return Ok(());
            }
            make_room(&core, want.len()).await?;
            match core.pool.load_unchecked(space, &want).await {
                Ok(Some(all)) => break all,
                Ok(None) => {}
                Err(e) => self.unreadable(space, e, &mut tries).await?,
            }
        };
        let mut done = Ok(());
        for (list, page) in pages.iter().zip(loaded) {
            if done.is_ok() {
                done = self.apply_page(space, list, page.valid).await;
            }
            core.pool.unpin(page.pin);
        }
        done
    }

    async fn apply_page(&mut self, space: &Space, list: OfPage<'_>, valid: bool) -> Result<()> {
        let (core, id) = (self.core.clone(), list[0].page);
        self.share.touched.insert(id);
        if !list[0].init && (!valid || self.share.damaged.contains_key(&id)) {
            let what = "the page is damaged, has no whole copy in the doublewrite area, and the log does not rebuild it";
            self.share.damaged.entry(id).or_insert_with(|| what.into());
            return Ok(());
        }
        self.share.damaged.remove(&id);
        loop {
            match self.try_page(space, list, valid) {
                // Of a table's page: the table is given up, and the others go on.
                Ok(Err(Error::Corrupt { what, .. })) if id.space >= space::FIRST_TABLE => {
                    self.share.damaged.insert(id, what);
                    return Ok(());
                }
                Ok(done) => return done,
                // Another worker makes room, and looks at or copies this page.
                Err(PageWait::Latch(no, mode)) => core.pool.latch_free(no, mode).await,
                Err(_) => unreachable!("recovery has the page pinned"),
            }
        }
    }

    fn try_page(
        &mut self,
        space: &Space,
        list: OfPage<'_>,
        valid: bool,
    ) -> std::result::Result<Result<()>, PageWait> {
        let core = self.core.clone();
        let mut g = core.pool.fix(list[0].page, LatchMode::X, Access::Scan)?;
        if valid {
            let seen = Some((page::lsn(g.bytes()), list[0].page));
            self.share.newest = self.share.newest.max(seen);
            space.goes_home(list[0].page.page, page::lsn(g.bytes()));
        }
        Ok(self.apply_list(&mut g, space, list, valid))
    }

    fn apply_list(
        &mut self,
        g: &mut Guard<'_>,
        space: &Space,
        list: OfPage<'_>,
        valid: bool,
    ) -> Result<()> {
        let (b, id) = (&self.batch, list[0].page);
        // All records of one group carry the same end, and the page LSN is the end of the last group: what is beyond it is missing.
        let has = match valid {
            true => {
                page::lsn(g.bytes()).saturating_sub(planted::is(Bug::RedoAgainAtSameLsn).into())
            }
            false => 0,
        };
        let missing = &list[list.partition_point(|e| b.end(e) <= has)..];
        if missing.len() < list.len() {
            self.share.ahead.insert(space.id);
        }
        for e in missing {
            if e.init && valid && planted::is(Bug::OldLifeKept) {
                continue;
            }
            redo::apply(g.bytes_mut(), id, &b.record(e)?).map_err(|err| {
                let what = format!("redo record of LSN {} does not apply: {err}", b.start(e));
                Error::corrupt_page(id, space.path(), what)
            })?;
        }
        if let (Some(first), Some(last)) = (missing.first(), missing.last()) {
            assert!(
                has < b.end(first) && b.end(first) <= b.end(last),
                "page {id:?} at {has} gets redo from {} to {}",
                b.end(first),
                b.end(last)
            );
            g.stamp(b.start(first), b.end(last));
        }
        Ok(())
    }
}

/// A page's records from the last time it was formatted on: what came before does not matter.
fn newest_life(list: OfPage<'_>) -> OfPage<'_> {
    match list.iter().rposition(|e| e.init) {
        Some(i) if !planted::is(Bug::OldLifeKept) => &list[i..],
        _ => list,
    }
}

/// Free frames for a worker's pages and a few more: others may take some.
pub(super) async fn make_room(core: &Core, pages: usize) -> Result<()> {
    let pool = &core.pool;
    let want = pages.max(pool.low_water());
    while pool.free_frames() < want {
        let most = LruBatch::simple(want * 2, 2 * BATCH, Cause::Stop);
        if pool.lru_batch(&core.log, &most).await?.is_none() {
            pool.await_lru().await;
        } else if pool.free_frames() < want {
            // Pages of other workers are in the way; they have theirs done in a moment.
            if pool.free_frames() >= pages {
                break;
            }
            weir_rt::yield_now().await;
        }
    }
    Ok(())
}
