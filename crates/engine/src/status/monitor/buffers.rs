//! INSERT BUFFER AND ADAPTIVE HASH INDEX, BUFFER POOL AND MEMORY.

use super::{Page, Rate, line};
use crate::policy::Cause;
use crate::status::table::n;
use std::fmt::Write;

impl Page<'_> {
    /// Nothing is ever discarded: a buffer tree goes with its index. There is no adaptive hash index.
    pub(super) fn change_buffer(&mut self) {
        self.section("INSERT BUFFER AND ADAPTIVE HASH INDEX");
        let b = &self.r.i.core.stats.change_buffer;
        let (moves, moved, inserts) = (n(&b.moves), n(&b.moved), n(&b.inserts));
        let size = self.r.db.buffered_pages();
        let start = format!("Ibuf: size {size}, free list len 0, seg size {size},");
        if self.build.is_none() || self.has(|b| b.merged_operations) {
            line!(
                self,
                "{start} {moves} merges\nmerged operations:\n insert {moved}, delete mark 0, delete 0\n\
                 discarded operations:\n insert 0, delete mark 0, delete 0"
            );
        } else {
            line!(self, "{start}\n{inserts} inserts, {moved} merged recs, {moves} merges");
        }
        if self.has(|b| b.google) {
            let (ordered, actual) = (self.count(Rate::MergesOrdered), self.count(Rate::MergeReads));
            line!(self, "Ibuf read pages: {ordered} requested, {actual} actual");
            line!(
                self,
                "Ibuf merge: {:.1} requested_io/s, {:.1} records_in/s, {:.1} records_out/s, {:.1} page_reads/s",
                self.rate(Rate::MergesOrdered),
                self.rate(Rate::EntriesIn),
                self.rate(Rate::EntriesOut),
                self.rate(Rate::MergeReads)
            );
        }
        if self.build.is_none() {
            let each = moved as f64 / moves.max(1) as f64;
            line!(self, "{inserts} inserts, {moved} merged recs, {each:.1} per merge");
        }
        line!(self, "Hash table size 0, node heap has 0 buffer(s)");
    }

    pub(super) fn pool(&mut self) {
        let pool = &self.r.i.core.pool;
        self.section("BUFFER POOL AND MEMORY");
        let bytes = pool.size() as u64 * self.r.page;
        match self.build {
            Some(_) => {
                line!(self, "Total memory allocated {bytes}; in additional pool allocated 0");
            }
            None => line!(self, "Total large memory allocated {bytes}"),
        }
        line!(self, "Buffer pool size   {}", pool.size());
        line!(self, "Free buffers       {}", pool.free_frames());
        line!(self, "Database pages     {}", pool.pages_in_use());
        if self.build.is_none() || self.has(|b| b.old_pages) {
            line!(self, "Old database pages {}", pool.old_pages());
        }
        line!(self, "Modified db pages  {}", pool.dirty_pages());
        if self.has(|b| b.google) {
            line!(self, "LRU_old pages      {}", pool.old_pages());
        }
        line!(self, "Pending reads {}", pool.reads.pages_at_device());
        let [list, lru] = pool.posted_by_kind();
        // A batch that waits for its end has its pages in no slots.
        let list = list + pool.pages_in_flight().saturating_sub(list + lru);
        line!(self, "Pending writes: LRU {lru}, flush list {list}, single page 0");
        if self.has(|b| b.google) {
            self.sources();
        }
        line!(
            self,
            "Pages read {}, created {}, written {}",
            self.count(Rate::PagesRead),
            self.count(Rate::PagesCreated),
            self.count(Rate::PagesWritten)
        );
        line!(
            self,
            "{:.2} reads/s, {:.2} creates/s, {:.2} writes/s",
            self.rate(Rate::PagesRead),
            self.rate(Rate::PagesCreated),
            self.rate(Rate::PagesWritten)
        );
        self.hits();
        if self.build.is_none() || self.has(|b| b.merged_operations) {
            line!(
                self,
                "Pages read ahead {:.2}/s, evicted without access 0.00/s, Random read ahead {:.2}/s",
                self.rate(Rate::PagesAhead),
                self.rate(Rate::PagesAheadRandom)
            );
        }
        if self.build.is_none() {
            let (p, l) = (self.r.p, self.r.l);
            line!(
                self,
                "Waits: free frame {}, log space {} ({} us), latch {}",
                n(&p.free_waits),
                n(&l.room_waits),
                n(&l.room_wait_nanos) / 1000,
                n(&p.latch_waits)
            );
        }
    }

    fn hits(&mut self) {
        let (gets, read) = (self.grown(Rate::Gets), self.grown(Rate::PagesRead));
        if gets == 0 {
            line!(self, "No buffer pool page gets since the last printout");
            return;
        }
        let hits = 1000 - (1000 * read / gets).min(1000);
        line!(self, "Buffer pool hit rate {hits} / 1000");
    }

    /// Where writes came from, as Google's v4 printed it.
    fn sources(&mut self) {
        let (f, pool) = (self.r.f, &self.r.i.core.pool);
        let by = |list: &[Cause]| list.iter().map(|c| f.by(*c)).sum::<u64>();
        let lru = f.lru_pages();
        line!(
            self,
            "Total writes: LRU {lru}, flush list {}, single page 0",
            n(&f.pages).saturating_sub(lru)
        );
        line!(
            self,
            "Write sources: free margin {}, bg dirty {}, bg lsn {}, bg extra {}, recv 0, preflush {}",
            by(&[Cause::Free, Cause::UserFree, Cause::Rescue]),
            by(&[Cause::Dirty]),
            by(&[Cause::Age]),
            by(&[Cause::Extra]),
            by(&[Cause::UserAsync, Cause::UserSync])
        );
        line!(self, "Foreground flushed dirty {}", by(&[Cause::UserDirty]));
        let [random, linear] = pool.extent_pages();
        line!(self, "Read ahead: {random} random, {linear} sequential");
        let share = pool.dirty_pages() as f64 * 100.0 / pool.size().max(1) as f64;
        line!(self, "Pct_dirty {share:.2}");
    }
}
