//! Redo records by page, as many as one batch holds.

use crate::error::{Error, Result};
use crate::ids::{Lsn, PageId, SpaceId};
use crate::page::codec::Reader;
use crate::page::redo::{self, Redo};
use std::collections::HashSet;
use weir_rt::Rt;

/// Log bytes of a batch. With records of some 30 bytes its entries take nearly as much again, and as much once more while they are
/// sorted: about 80 MiB for two batches, of which one is being sorted, whatever length the log has.
const BATCH_BYTES: usize = 16 << 20;
/// The same in simulation, where logs are small and should not fit into one.
const BATCH_BYTES_SIM: usize = 8 << 10;

/// One record: which page it is of, where its bytes are, and the group it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub page: PageId,
    /// Offset in the batch's bytes.
    at: u32,
    /// Start and end of the group, from the batch's first LSN on.
    start: u32,
    end: u32,
    pub init: bool,
}

/// Records of consecutive groups, divided by page among workers; within a part in the order of the log.
#[derive(Default)]
pub struct Batch {
    base: Lsn,
    bytes: Vec<u8>,
    pub parts: Vec<Vec<Entry>>,
}

impl Batch {
    pub fn start(&self, e: &Entry) -> Lsn {
        self.base + Lsn::from(e.start)
    }

    pub fn end(&self, e: &Entry) -> Lsn {
        self.base + Lsn::from(e.end)
    }

    pub fn record(&self, e: &Entry) -> Result<Redo<'_>> {
        let mut r = Reader::new(&self.bytes[e.at as usize..]);
        redo::decode(&mut r, &mut Some(e.page))
            .map(|(_, rec)| rec)
            .map_err(|_| unreadable(self.start(e)))
    }
}

fn unreadable(start: Lsn) -> Error {
    Error::corrupt_log(start, "a record cannot be read although its group is whole")
}

pub struct Collector {
    batch: Batch,
    /// Where the last group ended.
    reached: Lsn,
    records: u64,
    workers: usize,
    limit: usize,
    /// Events of the group that was added last.
    events: Option<Vec<u8>>,
}

impl Collector {
    pub fn new(rt: &Rt) -> Collector {
        let (workers, limit) =
            (rt.processors(), if rt.is_sim() { BATCH_BYTES_SIM } else { BATCH_BYTES });
        let mut c = Collector {
            batch: Batch::default(),
            reached: 0,
            records: 0,
            workers,
            limit,
            events: None,
        };
        c.take();
        c
    }

    pub fn is_full(&self) -> bool {
        self.batch.bytes.len() >= self.limit
    }

    /// Records in the batch, those without a page among them.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Events of the group that was added last.
    pub fn take_events(&mut self) -> Option<Vec<u8>> {
        self.events.take()
    }

    /// The batch so far; the next one begins.
    pub fn take(&mut self) -> Batch {
        self.records = 0;
        let parts = (0..self.workers).map(|_| Vec::new()).collect();
        std::mem::replace(&mut self.batch, Batch { base: 0, bytes: Vec::new(), parts })
    }

    /// Splits a group into its records. Spaces whose files it removes go into `deleted`.
    pub fn add(
        &mut self,
        start: Lsn,
        end: Lsn,
        payload: &[u8],
        deleted: &mut HashSet<SpaceId>,
    ) -> Result<()> {
        assert!(
            self.reached <= start && start < end,
            "a group from {start} to {end} follows one that ends at {}",
            self.reached
        );
        self.reached = end;
        let b = &mut self.batch;
        if b.bytes.is_empty() {
            b.base = start;
            b.bytes.reserve(self.limit + self.limit / 16);
        }
        // A group is shorter than 16 MiB, so both are far below 2^32.
        let (from, to) = ((start - b.base) as u32, (end - b.base) as u32);
        let base = b.bytes.len();
        let (mut r, mut last) = (Reader::new(payload), None);
        while !r.is_empty() {
            let at = (base + r.position()) as u32;
            let (page, rec) = redo::decode(&mut r, &mut last).map_err(|_| unreadable(start))?;
            self.records += 1;
            if let Some(page) = page {
                let init = rec.is_init();
                b.parts[part(page, self.workers)].push(Entry {
                    page,
                    at,
                    start: from,
                    end: to,
                    init,
                });
            } else if let Redo::FileDelete { space } = rec {
                deleted.insert(space);
            } else if let Redo::Events { data } = rec {
                self.events = Some(data.to_vec());
            }
        }
        b.bytes.extend_from_slice(payload);
        Ok(())
    }
}

/// Sorts entries by page. It is stable: a page's records stay in the order of the log. A radix sort, from the lowest byte up, over those
/// bytes of the page's address that differ at all: three passes over one table's pages, where a sort by comparison makes some eighteen.
pub fn by_page(mut entries: Vec<Entry>) -> Vec<Entry> {
    let key = |e: &Entry| u64::from(e.page.space) << 32 | u64::from(e.page.page);
    let Some(first) = entries.first().map(key) else { return entries };
    let differ = entries.iter().fold(0, |bits, e| bits | (key(e) ^ first));
    let mut sorted = entries.clone();
    for byte in (0..8).filter(|b| differ >> (8 * b) & 0xFF != 0) {
        let digit = |e: &Entry| (key(e) >> (8 * byte)) as usize & 0xFF;
        let mut next = [0usize; 256];
        entries.iter().for_each(|e| next[digit(e)] += 1);
        let mut at = 0;
        for n in &mut next {
            at += std::mem::replace(n, at);
        }
        for e in &entries {
            let place = &mut next[digit(e)];
            sorted[*place] = *e;
            *place += 1;
        }
        std::mem::swap(&mut entries, &mut sorted);
    }
    entries
}

/// The worker that a page belongs to. Neighbours go to the same one, which reads them at once.
fn part(page: PageId, workers: usize) -> usize {
    let word = (u64::from(page.space) << 32 | u64::from(page.page)) >> 5;
    (word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as usize % workers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_keep_their_order_and_their_group() {
        let (a, b) = (PageId::new(20, 3), PageId::new(21, 900));
        let mut c = Collector::new(&weir_rt::sim::SimRt::new(1).rt());
        let workers = c.workers;
        let mut deleted = HashSet::new();
        for n in 0..10u64 {
            let (mut out, mut last) = (Vec::new(), None);
            for page in [a, a, b] {
                Redo::MaxTrx { id: n }.encode(Some(page), &mut last, &mut out);
            }
            Redo::FileDelete { space: 30 }.encode(None, &mut last, &mut out);
            c.add(5000 + 100 * n, 5000 + 100 * n + 60, &out, &mut deleted).unwrap();
        }
        assert_eq!((c.records(), deleted.len()), (40, 1));
        let batch = c.take();
        for (page, each) in [(a, 2), (b, 1)] {
            let of_page = batch.parts[part(page, workers)].iter().filter(|e| e.page == page);
            let seen: Vec<_> =
                of_page.map(|e| (batch.start(e), batch.end(e), batch.record(e).unwrap())).collect();
            let expected: Vec<_> = (0..10u64)
                .flat_map(|n| (0..each).map(move |_| n))
                .map(|n| (5000 + 100 * n, 5060 + 100 * n, Redo::MaxTrx { id: n }))
                .collect();
            assert_eq!(seen, expected);
        }
        assert_eq!(c.records(), 0);
    }

    #[test]
    fn entries_are_sorted_by_page_and_stay_in_order_within_one() {
        let mut seed = 7u64;
        for n in [0, 1, 2, 500, 5000] {
            for (spaces, pages) in [(1, 1), (1, 300), (300, 2), (70_000, 1 << 32), (1 << 32, 1)] {
                let mut next = |below: u64| {
                    seed = seed.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(11);
                    ((seed >> 32) % below) as u32
                };
                let mut entries: Vec<Entry> = (0..n)
                    .map(|at| Entry {
                        page: PageId::new(next(spaces), next(pages)),
                        at,
                        start: at,
                        end: at + 1,
                        init: at % 3 == 0,
                    })
                    .collect();
                let sorted = by_page(entries.clone());
                entries.sort_by_key(|e| e.page);
                assert_eq!(sorted, entries);
            }
        }
    }
}
