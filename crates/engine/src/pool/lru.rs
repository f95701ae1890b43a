//! Batches near eviction, neighbours, and what could be evicted at once.

use super::Pool;
use super::dblwr::BATCH;
use super::evict::LIST_NEAR;
use super::frame::FrameNo;
use super::gate::Kind;
use crate::error::Result;
use crate::ids::PageId;
use crate::log::Log;
use crate::policy::{Cause, Neighbours};
use crate::sync::atomic::Ordering;

/// Pages near eviction to be made free.
#[derive(Clone, Copy, Debug)]
pub struct LruBatch {
    /// Frames to have free.
    pub want: usize,
    /// Pages to look at.
    pub depth: usize,
    /// Pages to write, about.
    pub max: usize,
    pub neighbours: Neighbours,
    pub cause: Cause,
}

impl LruBatch {
    pub fn simple(want: usize, max: usize, cause: Cause) -> LruBatch {
        LruBatch { want, depth: BATCH, max, neighbours: Neighbours::None, cause }
    }
}

impl Pool {
    /// The chosen pages, each followed by the dirty pages of its area, until there are `n` or more.
    pub(super) fn with_neighbours(
        &self,
        chosen: &[FrameNo],
        how: Neighbours,
        n: usize,
        kind: Kind,
    ) -> Vec<FrameNo> {
        // InnoDB's rules go with its list: nobody uses the neighbour now, a batch near eviction leaves young ones, and with few pages
        // in memory there are none.
        // Sessions need the list's lock at each first use of a page, so it is taken for the neighbours of one page at a time.
        let by_list = self.by_list();
        if by_list && self.replace.lock().is_short() {
            return chosen.to_vec();
        }
        let may_go = |near: &mut Vec<FrameNo>| {
            if by_list {
                near.retain(|no| self.frames[*no as usize].pins.load(Ordering::Relaxed) == 0);
            }
            if by_list && kind == Kind::Lru && !near.is_empty() {
                let list = self.replace.lock();
                near.retain(|no| list.is_old(*no));
            }
        };
        let area = self.area();
        let mut all: Vec<FrameNo> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for no in chosen {
            if all.len() >= n {
                break;
            }
            if !seen.insert(*no) {
                continue;
            }
            let id = self.frames[*no as usize].id();
            let first = id.page / area * area;
            // A frame that was emptied since it was chosen has the highest page number, beyond all areas.
            let Some(end) = first.checked_add(area) else { continue };
            all.push(*no);
            let dirty = |page: u32| {
                let no = self.table.peek(&self.frames, PageId::new(id.space, page))?;
                (self.frames[no as usize].oldest_lsn() != 0).then_some(no)
            };
            let mut near: Vec<FrameNo> = match how {
                Neighbours::None | Neighbours::ByDevice => Vec::new(),
                Neighbours::Area => (first..end).filter_map(dirty).collect(),
                Neighbours::Run => {
                    let down = (first..id.page).rev().map_while(dirty);
                    down.chain((id.page + 1..end).map_while(dirty)).collect()
                }
            };
            may_go(&mut near);
            let before = all.len();
            all.extend(near.into_iter().filter(|no| seen.insert(*no)));
            let more = (all.len() - before) as u64;
            self.flush.stats.neighbours.fetch_add(more, Ordering::Relaxed);
        }
        all
    }

    /// Pages that count as neighbours: InnoDB's 64, fewer in a small pool.
    pub(super) fn area(&self) -> u32 {
        let by_pool = (self.size() / 32).max(1).next_power_of_two().min(self.size() / 16);
        by_pool.clamp(1, 64) as u32
    }

    /// Evicts clean pages near eviction and writes dirty ones until there are free frames enough; returns pages written,
    /// `None` when such a batch is running already.
    pub async fn lru_batch(&self, log: &Log, b: &LruBatch) -> Result<Option<usize>> {
        let LruBatch { want, depth, max, neighbours, cause } = *b;
        let Some(_running) = self.flush.lru.begin() else {
            self.flush.stats.batches_refused.fetch_add(1, Ordering::Relaxed);
            return Ok(None);
        };
        if self.by_list() {
            return self.lru_batch_by_list(log, b).await.map(Some);
        }
        let way = self.way(Kind::Lru, cause);
        let mut wrote = 0;
        for _ in 0..8 {
            let free = self.free_frames();
            if free >= want {
                break;
            }
            // In the order of replacement, clean or dirty: half of the candidates may be dirty.
            self.evict_near(want - free, (want - free) * 2 + 16);
            if self.free_frames() >= want || wrote >= max {
                break;
            }
            let mut cold = Vec::new();
            self.replace.lock().coldest(&self.frames, depth, &mut cold);
            cold.retain(|no| self.frames[*no as usize].oldest_lsn() != 0);
            cold.truncate(BATCH.min(max - wrote));
            if cold.is_empty() {
                break;
            }
            let picked = match neighbours {
                Neighbours::None | Neighbours::ByDevice => cold,
                how => self.with_neighbours(&cold, how, cold.len(), Kind::Lru),
            };
            wrote += self.send(log, &picked, way).await?;
        }
        Ok(Some(wrote))
    }

    /// InnoDB's batch: pages from the end of its list are written and stay; who needs a frame evicts them. Where frames are wanted as well,
    /// clean ones near the end are evicted before and after.
    async fn lru_batch_by_list(&self, log: &Log, b: &LruBatch) -> Result<usize> {
        let way = self.way(Kind::Lru, b.cause);
        self.evict_for(b.want);
        let mut wrote = 0;
        let mut at = None;
        while wrote < b.max && (b.want == 0 || self.free_frames() < b.want) {
            let n = (b.max - wrote).min(BATCH);
            let (chosen, next) = self.last_writable(at, n);
            at = next;
            let picked = match b.neighbours {
                Neighbours::None | Neighbours::ByDevice => chosen,
                how => self.with_neighbours(&chosen, how, n, Kind::Lru),
            };
            let went = self.send(log, &picked, way).await?;
            self.evict_for(b.want);
            wrote += went;
            if went == 0 || at.is_none() {
                break;
            }
        }
        Ok(wrote)
    }

    fn evict_for(&self, want: usize) {
        if let missing @ 1.. = want.saturating_sub(self.free_frames()) {
            self.evict_near(missing, LIST_NEAR + missing);
        }
    }

    /// As many pages as are wanted and can be written, from a place of the list on, or from its end; and where to go on, unless that was all.
    pub(super) fn last_writable(
        &self,
        from: Option<FrameNo>,
        n: usize,
    ) -> (Vec<FrameNo>, Option<FrameNo>) {
        let mut chosen = Vec::new();
        let next = self.walk(from, usize::MAX, |no| {
            if self.can_be_written(no) {
                chosen.push(no);
            }
            chosen.len() < n
        });
        (chosen, next)
    }

    /// Dirty, not on its way to the device, and used by nobody.
    fn can_be_written(&self, no: FrameNo) -> bool {
        let f = &self.frames[no as usize];
        f.oldest_lsn() != 0
            && f.inflight.load(Ordering::Acquire) == 0
            && f.pins.load(Ordering::Relaxed) == 0
    }

    pub async fn await_lru(&self) {
        self.flush.lru.batch_end().await;
    }

    /// Free frames, and pages among the `scan` next to be evicted that could be, now. Nobody counts further than `enough`: each read of a
    /// page asks.
    pub fn replaceable(&self, scan: usize, enough: usize) -> usize {
        let clean = |no: &FrameNo| {
            let f = &self.frames[*no as usize];
            !f.is_dirty() && f.pins.load(Ordering::Relaxed) == 0
        };
        let (mut found, mut seen) = (self.free_frames(), 0);
        if self.by_list() {
            self.replace.lock().end_first(|no| {
                found += usize::from(seen < scan && clean(&no));
                seen += 1;
                seen < scan && found < enough
            });
            return found;
        }
        let mut cold = Vec::new();
        self.replace.lock().coldest(&self.frames, scan, &mut cold);
        found + cold.iter().filter(|no| clean(no)).count()
    }
}
