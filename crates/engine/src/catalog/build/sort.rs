//! Sorting of more entries than memory takes: sorted runs go to a file, and are merged as they are read back.
//!
//! The file loses its name as soon as it is open, so it ends with the statement whatever becomes of that; a crash between the two leaves
//! a name that the next start removes. Nothing of it is ever synced. An entry in a run: length u16, length of its columns u16, bytes.

use crate::error::{Error, Result};
use crate::planted::{self, Bug};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;
use weir_disk::{Disk, File, IoBuf, Mode, OpenOptions};

/// The folder of such files.
const DIR: &str = "sort";
/// Bytes of one write, and the most of one read.
const CHUNK: usize = 1 << 20;
/// The least that is read of a run at once.
const READ_MIN: usize = 16 << 10;
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
    path: String,
    limit: usize,
    bytes: Vec<u8>,
    items: Vec<Item>,
    file: Option<Arc<dyn File>>,
    runs: Vec<Range<u64>>,
}

impl<'a> Sorter<'a> {
    /// `limit`: bytes that entries may take in memory before they go to a run.
    pub fn new(disk: &'a dyn Disk, index: u64, limit: usize) -> Sorter<'a> {
        Sorter {
            disk,
            path: format!("{DIR}/{index}"),
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

    async fn file(&mut self) -> Result<Arc<dyn File>> {
        if let Some(f) = &self.file {
            return Ok(f.clone());
        }
        self.disk.create_dir(DIR).await?;
        let how = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
        let f = self.disk.open(&self.path, how).await?;
        self.disk.remove(&self.path).await?;
        self.file = Some(f.clone());
        Ok(f)
    }

    /// What is in memory becomes a run.
    async fn spill(&mut self) -> Result<()> {
        self.sort();
        let file = self.file().await?;
        let from = self.runs.last().map_or(0, |r| r.end);
        let mut end = from;
        let mut chunk = Vec::with_capacity(CHUNK + HEAD + u16::MAX as usize);
        let lost = usize::from(planted::is(Bug::RunLosesLastEntry));
        let kept = self.items.len() - lost;
        for (n, item) in self.items[..kept].iter().enumerate() {
            chunk.extend_from_slice(&item.len.to_le_bytes());
            chunk.extend_from_slice(&item.columns.to_le_bytes());
            chunk.extend_from_slice(of(&self.bytes, item));
            if chunk.len() >= CHUNK || n + 1 == kept {
                let mut buf = IoBuf::new(chunk.len());
                buf.copy_from_slice(&chunk);
                file.write(end, buf).await.1?;
                end += chunk.len() as u64;
                chunk.clear();
            }
        }
        self.runs.push(from..end);
        self.bytes.clear();
        self.items.clear();
        Ok(())
    }

    /// All entries have come.
    pub async fn finish(mut self) -> Result<Sorted> {
        let Some(file) = self.file.clone() else {
            self.sort();
            return Ok(Sorted::Memory { bytes: self.bytes, items: self.items, next: 0 });
        };
        if !self.items.is_empty() {
            self.spill().await?;
        }
        let piece = (self.limit / self.runs.len()).clamp(READ_MIN, CHUNK);
        let mut m = Merge { runs: Vec::new(), heads: BinaryHeap::new() };
        for r in self.runs {
            m.runs.push(Run { file: file.clone(), rest: r, piece, buf: Vec::new(), at: 0 });
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
    runs: Vec<Run>,
    heads: BinaryHeap<Reverse<(Entry, usize)>>,
}

impl Merge {
    async fn refill(&mut self, run: usize) -> Result<()> {
        if let Some(e) = self.runs[run].next().await? {
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

struct Run {
    file: Arc<dyn File>,
    /// What has not been read.
    rest: Range<u64>,
    piece: usize,
    buf: Vec<u8>,
    at: usize,
}

impl Run {
    async fn next(&mut self) -> Result<Option<Entry>> {
        if !self.have(HEAD).await? {
            return Ok(None);
        }
        let word = |b: &[u8], o: usize| usize::from(u16::from_le_bytes([b[o], b[o + 1]]));
        let head = &self.buf[self.at..][..HEAD];
        let (len, columns) = (word(head, 0), word(head, 2));
        if !self.have(HEAD + len).await? {
            let what = "a run of sorted entries ends within an entry".into();
            return Err(Error::Corrupt { what, place: format!("folder '{DIR}'") });
        }
        let bytes = self.buf[self.at + HEAD..][..len].to_vec();
        self.at += HEAD + len;
        Ok(Some(Entry { bytes, columns }))
    }

    /// Whether so many bytes are to come; they are in the buffer then.
    async fn have(&mut self, n: usize) -> Result<bool> {
        while self.buf.len() - self.at < n && !self.rest.is_empty() {
            self.buf.drain(..self.at);
            self.at = 0;
            let len = (self.rest.end - self.rest.start).min(self.piece as u64) as usize;
            let (piece, done) = self.file.read(self.rest.start, IoBuf::new(len)).await;
            done?;
            self.buf.extend_from_slice(&piece);
            self.rest.start += len as u64;
        }
        Ok(self.buf.len() - self.at >= n)
    }
}

/// Names that a crash has left.
pub(crate) async fn remove_leftovers(disk: &dyn Disk) -> Result<()> {
    for name in disk.list(DIR).await? {
        disk.remove(&format!("{DIR}/{name}")).await?;
    }
    Ok(())
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
