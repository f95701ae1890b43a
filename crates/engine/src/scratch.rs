//! Files without a name, for what a statement has more of than its memory takes: sorted runs, rows that wait.
//!
//! A file loses its name as soon as it is open, so it ends with anyone who holds it, whatever becomes of the statement; a crash between the two
//! leaves a name that the next start removes. Nothing of it is ever synced, and none of it outlives a crash. Several [`Stream`]s share one
//! file: each knows the pieces that are its own. May use the disk; knows nothing of what is written.
//!
//! Invariant: [`Used`] counts the bytes of all files that are open, and a write that would take it beyond the quota changes nothing.

use crate::cost::{self, Cost};
use crate::error::{Error, Result};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use weir_disk::{Disk, File, IoBuf, Mode, OpenOptions};

/// The folder of such files.
const DIR: &str = "sort";
/// The most that one read takes.
const READ_MAX: usize = 1 << 20;
/// The least that is read at once.
const READ_MIN: usize = 16 << 10;

/// Bytes in all files without a name that are open.
#[derive(Default)]
pub struct Used(AtomicU64);

impl Used {
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// False: all files together would have more bytes than `quota`, and nothing is counted.
    fn take(&self, bytes: u64, quota: u64) -> bool {
        let fits = self.0.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) <= quota;
        if !fits {
            self.0.fetch_sub(bytes, Ordering::Relaxed);
        }
        fits
    }
}

/// What a file counts against a quota; given back when the last reader of the file has gone.
struct Share {
    of: Arc<Used>,
    bytes: AtomicU64,
    quota: u64,
}

impl Drop for Share {
    fn drop(&mut self) {
        self.of.0.fetch_sub(*self.bytes.get_mut(), Ordering::Relaxed);
    }
}

pub struct Scratch {
    file: Arc<dyn File>,
    path: String,
    end: u64,
    share: Option<Arc<Share>>,
}

impl Scratch {
    /// The bytes of the file are counted in `used`, and beyond `quota` bytes there a write is refused as it is where the device is full.
    pub fn with_quota(mut self, used: Arc<Used>, quota: u64) -> Scratch {
        self.share = Some(Arc::new(Share { of: used, bytes: AtomicU64::new(0), quota }));
        self
    }

    /// `name`: one that nobody else uses at the same time.
    pub async fn open(disk: &dyn Disk, name: &str) -> Result<Scratch> {
        disk.create_dir(DIR).await?;
        let path = format!("{DIR}/{name}");
        let how = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
        let file = disk.open(&path, how).await?;
        disk.remove(&path).await?;
        Ok(Scratch { file, path, end: 0, share: None })
    }

    /// Writes the bytes behind all others; returns where they are.
    pub async fn append(&mut self, bytes: &[u8]) -> Result<Range<u64>> {
        if let Some(share) = &self.share {
            if !share.of.take(bytes.len() as u64, share.quota) {
                return Err(Error::DiskFull { file: self.path.clone() });
            }
            share.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        }
        self.file.write(self.end, IoBuf::of(bytes)).await.1?;
        cost::spend(Cost::TemporaryBytes, bytes.len() as u64);
        let from = self.end;
        self.end += bytes.len() as u64;
        Ok(from..self.end)
    }

    /// Reads what [`Scratch::append`] has written.
    pub async fn read_at(&self, at: &Range<u64>) -> Result<IoBuf> {
        let (bytes, done) =
            self.file.read(at.start, IoBuf::new((at.end - at.start) as usize)).await;
        done?;
        Ok(bytes)
    }
}

/// Bytes that are written one after the other, and read again in that order.
pub struct Stream {
    waiting: Vec<u8>,
    pieces: VecDeque<Range<u64>>,
    /// Bytes of one write.
    chunk: usize,
}

impl Stream {
    pub fn new(chunk: usize) -> Stream {
        Stream { waiting: Vec::new(), pieces: VecDeque::new(), chunk }
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.pieces.is_empty()
    }

    /// Memory that it takes.
    pub fn memory(&self) -> usize {
        self.waiting.capacity() + self.pieces.capacity() * size_of::<Range<u64>>()
    }

    /// Where the next bytes are put; [`Stream::write`] sees to those that are enough.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.waiting
    }

    /// Enough bytes wait for a write.
    pub fn is_due(&self) -> bool {
        self.waiting.len() >= self.chunk
    }

    /// Writes what waits.
    pub async fn write(&mut self, to: &mut Scratch) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let piece = to.append(&self.waiting).await?;
        self.waiting.clear();
        match self.pieces.back_mut() {
            Some(last) if last.end == piece.start => last.end = piece.end,
            _ => self.pieces.push_back(piece),
        }
        Ok(())
    }

    /// Writes the rest. The memory in which it waited is given back.
    pub async fn close(&mut self, to: &mut Scratch) -> Result<()> {
        self.write(to).await?;
        self.waiting = Vec::new();
        Ok(())
    }

    /// Reads it from the beginning, about `memory` bytes at once, as often as wanted. It must be closed.
    pub fn read(&self, from: &Scratch, memory: usize) -> Reader {
        debug_assert!(self.waiting.is_empty(), "read before it was closed");
        let (rest, piece) = (self.pieces.clone(), memory.clamp(READ_MIN, READ_MAX));
        let share = from.share.clone();
        Reader { file: from.file.clone(), _share: share, rest, piece, buf: Vec::new(), at: 0 }
    }

    /// Bytes that were put into it.
    pub fn bytes(&self) -> u64 {
        let written: u64 = self.pieces.iter().map(|p| p.end - p.start).sum();
        written + self.waiting.len() as u64
    }
}

pub struct Reader {
    file: Arc<dyn File>,
    _share: Option<Arc<Share>>,
    /// What has not been read.
    rest: VecDeque<Range<u64>>,
    piece: usize,
    buf: Vec<u8>,
    at: usize,
}

impl Reader {
    /// Bytes that are read at once.
    pub fn memory(&self) -> usize {
        self.piece
    }

    /// The next `n` bytes; `None`: the stream ended before them.
    pub async fn take(&mut self, n: usize) -> Result<Option<&[u8]>> {
        if self.buf.len() - self.at < n {
            self.fill(n).await?;
        }
        let (had, left) = (self.at, self.buf.len() - self.at);
        if left < n {
            return match left {
                0 => Ok(None),
                _ => Err(Error::Corrupt {
                    what: "what was written ends within an entry".into(),
                    place: format!("a file of folder '{DIR}'"),
                }),
            };
        }
        self.at += n;
        Ok(Some(&self.buf[had..self.at]))
    }

    /// As [`Reader::take`], where the bytes have to be there.
    pub async fn must(&mut self, n: usize) -> Result<&[u8]> {
        let missing = || Error::Corrupt {
            what: "what was written ends too early".into(),
            place: format!("a file of folder '{DIR}'"),
        };
        self.take(n).await?.ok_or_else(missing)
    }

    /// Reads on until so many bytes are in the buffer, or all is read.
    async fn fill(&mut self, n: usize) -> Result<()> {
        self.buf.drain(..self.at);
        self.at = 0;
        while self.buf.len() < n
            && let Some(range) = self.rest.front_mut()
        {
            let len = (range.end - range.start).min(self.piece as u64) as usize;
            let (piece, done) = self.file.read(range.start, IoBuf::new(len)).await;
            done?;
            self.buf.extend_from_slice(&piece);
            range.start += len as u64;
            if range.is_empty() {
                self.rest.pop_front();
            }
        }
        Ok(())
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Streams that are written in turns come back whole, each its own, wherever writes and reads are cut.
        #[test]
        fn streams_share_a_file(
            puts in prop::collection::vec((0usize..4, prop::collection::vec(any::<u8>(), 0..5000)), 0..200),
            chunk in 1usize..20_000,
            takes in prop::collection::vec(1usize..40_000, 1..20),
        ) {
            let sim = SimRt::new(1);
            let d = SimDisk::new(sim.rt(), 1);
            sim.run(async {
                let mut file = Scratch::open(&d, "q1").await.unwrap();
                assert_eq!(d.paths(), Vec::<String>::new(), "the file has lost its name");
                let mut streams: Vec<Stream> = (0..4).map(|_| Stream::new(chunk)).collect();
                let mut all = vec![Vec::new(); 4];
                for (n, bytes) in &puts {
                    streams[*n].buffer().extend_from_slice(bytes);
                    all[*n].extend_from_slice(bytes);
                    if streams[*n].is_due() {
                        streams[*n].write(&mut file).await.unwrap();
                    }
                }
                for (mut s, mut expected) in streams.into_iter().zip(all) {
                    s.close(&mut file).await.unwrap();
                    let mut reader = s.read(&file, 0);
                    for n in takes.iter().cycle().copied() {
                        let n = n.min(expected.len().max(1));
                        let Some(got) = reader.take(n).await.unwrap() else { break };
                        assert_eq!(got, &expected[..n]);
                        expected.drain(..n);
                    }
                    assert_eq!(expected.len(), 0);
                }
            }).unwrap();
            prop_assert_eq!(d.held_without_a_name(), 0);
        }
    }

    /// Files share a quota. What has no room in it is not counted, and the bytes of a file are free when its last reader has gone.
    #[test]
    fn a_quota_is_shared() {
        let sim = SimRt::new(1);
        let d = SimDisk::new(sim.rt(), 1);
        let used = Arc::new(Used::default());
        sim.run(async {
            let mut a = Scratch::open(&d, "a").await.unwrap().with_quota(used.clone(), 100);
            let mut b = Scratch::open(&d, "b").await.unwrap().with_quota(used.clone(), 100);
            let at = a.append(&[1; 60]).await.unwrap();
            assert_eq!(&a.read_at(&at).await.unwrap()[..], &[1; 60]);
            let over = b.append(&[2; 41]).await.unwrap_err();
            assert!(matches!(&over, Error::DiskFull { file } if file == "sort/b"), "{over:?}");
            assert_eq!(used.bytes(), 60);
            b.append(&[2; 40]).await.unwrap();
            assert_eq!(used.bytes(), 100);
            let mut s = Stream::new(1);
            s.buffer().push(3);
            assert!(s.close(&mut a).await.is_err());
            drop(b);
            s.close(&mut a).await.unwrap();
            let reader = s.read(&a, 0);
            drop(a);
            assert_eq!(used.bytes(), 61, "somebody may still read it");
            drop(reader);
            assert_eq!(used.bytes(), 0);
        })
        .unwrap();
    }

    #[test]
    fn an_end_within_an_entry_is_told() {
        let sim = SimRt::new(1);
        let d = SimDisk::new(sim.rt(), 1);
        let (within, behind) = sim
            .run(async {
                let mut file = Scratch::open(&d, "q1").await.unwrap();
                let mut s = Stream::new(1);
                s.buffer().extend_from_slice(b"abc");
                s.close(&mut file).await.unwrap();
                let mut r = s.read(&file, 0);
                let within = r.take(4).await.map(|b| b.map(<[u8]>::to_vec));
                r.take(3).await.unwrap();
                (within, r.must(1).await.map(<[u8]>::to_vec))
            })
            .unwrap();
        assert!(matches!(within, Err(Error::Corrupt { .. })), "{within:?}");
        assert!(matches!(behind, Err(Error::Corrupt { .. })), "{behind:?}");
    }
}
