//! Sorting of more entries than memory takes: sorted runs go to a file without a name ([`crate::scratch`]), and are merged as they are
//! read back. An entry in a run: length u16, length of its columns u16, bytes.

use crate::error::Result;
use crate::planted::{self, Bug};
use crate::scratch::{Reader, Scratch, Stream};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use weir_disk::Disk;

/// Bytes of one write.
const CHUNK: usize = 1 << 20;
const HEAD: usize = 4;

/// An entry and how many of its bytes are the index's own columns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub bytes: Vec<u8>,
    pub columns: usize,
}

/// Where an entry stands in memory.
#[derive(Clone, Copy)]
pub(super) struct Item {
    at: u32,
    len: u16,
    columns: u16,
}

/// Takes entries in any order.
pub(super) struct Sorter<'a> {
    disk: &'a dyn Disk,
    index: u64,
    limit: usize,
    bytes: Vec<u8>,
    items: Vec<Item>,
    file: Option<Scratch>,
    runs: Vec<Stream>,
}

impl<'a> Sorter<'a> {
    /// `limit`: bytes that entries may take in memory before they go to a run.
    pub fn new(disk: &'a dyn Disk, index: u64, limit: usize) -> Sorter<'a> {
        Sorter {
            disk,
            index,
            limit: limit.min(u32::MAX as usize),
            bytes: Vec::new(),
            items: Vec::new(),
            file: None,
            runs: Vec::new(),
        }
    }

    pub async fn push(&mut self, entry: &[u8], columns: usize) -> Result<()> {
        let more = entry.len() + size_of::<Item>();
        if !self.items.is_empty()
            && self.bytes.len() + self.items.len() * size_of::<Item>() + more > self.limit
        {
            self.spill().await?;
        }
        let item =
            Item { at: self.bytes.len() as u32, len: entry.len() as u16, columns: columns as u16 };
        self.bytes.extend_from_slice(entry);
        self.items.push(item);
        Ok(())
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        self.items.sort_unstable_by(|a, b| of(bytes, a).cmp(of(bytes, b)));
    }

    /// What is in memory becomes a run.
    async fn spill(&mut self) -> Result<()> {
        self.sort();
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(Scratch::open(self.disk, &self.index.to_string()).await?),
        };
        let mut run = Stream::new(CHUNK);
        let lost = usize::from(planted::is(Bug::RunLosesLastEntry));
        for item in &self.items[..self.items.len() - lost] {
            let to = run.buffer();
            to.extend_from_slice(&item.len.to_le_bytes());
            to.extend_from_slice(&item.columns.to_le_bytes());
            to.extend_from_slice(of(&self.bytes, item));
            if run.is_due() {
                run.write(file).await?;
            }
        }
        run.close(file).await?;
        self.runs.push(run);
        self.bytes.clear();
        self.items.clear();
        Ok(())
    }

    /// All entries have come.
    pub async fn finish(mut self) -> Result<Sorted> {
        if self.file.is_some() && !self.items.is_empty() {
            self.spill().await?;
        }
        let Some(file) = self.file else {
            self.sort();
            return Ok(Sorted::Memory { bytes: self.bytes, items: self.items, next: 0 });
        };
        let memory = self.limit / self.runs.len();
        let mut m = Merge { runs: Vec::new(), heads: BinaryHeap::new() };
        for run in self.runs {
            m.runs.push(run.read(&file, memory));
            m.refill(m.runs.len() - 1).await?;
        }
        Ok(Sorted::Runs(m))
    }
}

fn of<'b>(bytes: &'b [u8], i: &Item) -> &'b [u8] {
    &bytes[i.at as usize..][..i.len as usize]
}

/// Entries in ascending order.
pub(super) enum Sorted {
    Memory { bytes: Vec<u8>, items: Vec<Item>, next: usize },
    Runs(Merge),
}

impl Sorted {
    pub async fn next(&mut self) -> Result<Option<Entry>> {
        match self {
            Sorted::Memory { bytes, items, next } => {
                let Some(i) = items.get(*next) else { return Ok(None) };
                *next += 1;
                let columns = usize::from(i.columns);
                Ok(Some(Entry { bytes: of(bytes, i).to_vec(), columns }))
            }
            Sorted::Runs(m) => m.next().await,
        }
    }
}

/// The runs, and the lowest entry of each that is not at its end.
pub(super) struct Merge {
    runs: Vec<Reader>,
    heads: BinaryHeap<Reverse<(Entry, usize)>>,
}

impl Merge {
    async fn refill(&mut self, run: usize) -> Result<()> {
        if let Some(e) = next_of(&mut self.runs[run]).await? {
            self.heads.push(Reverse((e, run)));
        }
        Ok(())
    }

    async fn next(&mut self) -> Result<Option<Entry>> {
        let Some(Reverse((e, run))) = self.heads.pop() else { return Ok(None) };
        self.refill(run).await?;
        Ok(Some(e))
    }
}

async fn next_of(run: &mut Reader) -> Result<Option<Entry>> {
    let Some(head) = run.take(HEAD).await? else { return Ok(None) };
    let word = |o: usize| usize::from(u16::from_le_bytes([head[o], head[o + 1]]));
    let (len, columns) = (word(0), word(2));
    let bytes = run.must(len).await?.to_vec();
    Ok(Some(Entry { bytes, columns }))
}

#[cfg(all(test, not(any(shuttle, miri))))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use weir_disk::sim::SimDisk;
    use weir_rt::sim::SimRt;

    async fn sorted(disk: &dyn Disk, entries: &[Vec<u8>], limit: usize) -> Vec<Entry> {
        let mut s = Sorter::new(disk, 7, limit);
        for e in entries {
            s.push(e, e.len() / 2).await.unwrap();
        }
        let mut all = s.finish().await.unwrap();
        let mut out = Vec::new();
        while let Some(e) = all.next().await.unwrap() {
            out.push(e);
        }
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Whatever fits into memory, everything comes back in order.
        #[test]
        fn runs_are_merged(
            entries in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..400),
            limit in 1usize..40_000,
        ) {
            let sim = SimRt::new(1);
            let d = SimDisk::new(sim.rt(), 1);
            let got = sim.run(async {
                let got = sorted(&d, &entries, limit).await;
                assert_eq!(d.paths(), Vec::<String>::new(), "the file has lost its name");
                got
            }).unwrap();
            let mut expected: Vec<Entry> =
                entries.iter().map(|e| Entry { bytes: e.clone(), columns: e.len() / 2 }).collect();
            expected.sort();
            prop_assert_eq!(got, expected);
            prop_assert_eq!(d.held_without_a_name(), 0);
        }
    }

    #[test]
    fn entries_longer_than_a_read_come_back() {
        let entries: Vec<Vec<u8>> = (0..40u8).rev().map(|i| vec![i; 60_000]).collect();
        let sim = SimRt::new(1);
        let d = SimDisk::new(sim.rt(), 1);
        let got = sim.run(sorted(&d, &entries, 100_000)).unwrap();
        assert!(got.iter().map(|e| &e.bytes).eq(entries.iter().rev()));
    }
}
