//! The log's files: equal segments named by their first LSN, recycled by renaming.

use crate::error::{Error, Result};
use crate::ids::Lsn;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU64, Ordering};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::Arc;
use weir_disk::{Disk, File, IoBuf, Mode, OpenOptions};

pub const DIR: &str = "redo";
/// Bytes before a segment's part of the stream: magic with the format's number, directory id, CRC.
pub const SEGMENT_HEADER: u64 = 4096;
/// A segment of so many bytes is synced as soon as it is made, so that the system does not hold the whole of a large log in its memory.
const SYNCED_ALONE: u64 = 16 << 20;
/// Most bytes of a sample.
const SAMPLE: u64 = 512;
const MAGIC: &[u8; 8] = b"WEIRlog1";

struct Segment {
    start: Lsn,
    file: Arc<dyn File>,
}

/// Files that a write has touched: one nearly always.
pub type Touched = SmallVec<[Arc<dyn File>; 2]>;

/// All segments, contiguous and in order: `[first.start, last.start + content)`.
pub struct Segments {
    disk: Arc<dyn Disk>,
    mode: Mode,
    size: u64,
    id: [u8; 16],
    list: Mutex<VecDeque<Segment>>,
    /// `end()` without the lock, for the grant path.
    end: AtomicU64,
}

fn name(start: Lsn) -> String {
    format!("{DIR}/{start:016x}.log")
}

fn header(id: &[u8; 16]) -> IoBuf {
    let mut b = IoBuf::new(SEGMENT_HEADER as usize);
    b[..8].copy_from_slice(MAGIC);
    b[8..24].copy_from_slice(id);
    let crc = crc32c::crc32c(&b[..24]);
    b[24..28].copy_from_slice(&crc.to_le_bytes());
    b
}

impl Segments {
    /// Opens what a directory holds; the segments must be contiguous.
    pub async fn open(
        disk: Arc<dyn Disk>,
        mode: Mode,
        size: u64,
        id: [u8; 16],
    ) -> Result<Segments> {
        let s = Segments {
            disk,
            mode,
            size,
            id,
            list: Mutex::new(VecDeque::new()),
            end: AtomicU64::new(0),
        };
        let mut starts = Vec::new();
        for f in s.disk.list(DIR).await? {
            let base = f.rsplit('/').next().unwrap_or(&f).to_string();
            if let Some(hex) = base.strip_suffix(".log")
                && let Ok(v) = Lsn::from_str_radix(hex, 16)
            {
                starts.push(v);
            } else if base.ends_with(".new") {
                s.disk.remove(&format!("{DIR}/{base}")).await?;
            }
        }
        starts.sort_unstable();
        for start in starts {
            let how = OpenOptions { create: false, create_new: false, mode };
            let file = s.disk.open_needed(&name(start), how).await?;
            s.check_header(start, file.as_ref()).await?;
            let mut list = s.list.lock();
            if let Some(last) = list.back()
                && last.start + s.content() != start
            {
                return Err(Error::corrupt_log(
                    last.start + s.content(),
                    format!(
                        "segment file '{}' is missing; put it back, or restore a backup",
                        name(last.start + s.content())
                    ),
                ));
            }
            list.push_back(Segment { start, file });
        }
        s.note_end();
        Ok(s)
    }

    fn note_end(&self) {
        self.end.store(self.end(), Ordering::Release);
    }

    pub fn end_cache(&self) -> &AtomicU64 {
        &self.end
    }

    async fn check_header(&self, start: Lsn, file: &dyn File) -> Result<()> {
        let (b, done) = file.read(0, IoBuf::new(SEGMENT_HEADER as usize)).await;
        done?;
        let bad = |what: &str| {
            Err(Error::corrupt_log(start, format!("segment file '{}': {what}", name(start))))
        };
        if &b[..8] != MAGIC || b[24..28] != crc32c::crc32c(&b[..24]).to_le_bytes() {
            return bad("header is damaged");
        }
        if b[8..24] != self.id {
            return bad("belongs to another data directory; put back the redo files of this one");
        }
        if file.len().await? < self.size {
            return bad("file is shorter than the segment size");
        }
        Ok(())
    }

    /// Stream bytes per segment.
    pub fn content(&self) -> u64 {
        self.size - SEGMENT_HEADER
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    pub fn count(&self) -> usize {
        self.list.lock().len()
    }

    /// First LSN that is in the files.
    pub fn first(&self) -> Option<Lsn> {
        self.list.lock().front().map(|s| s.start)
    }

    /// First LSN behind the files.
    pub fn end(&self) -> Lsn {
        self.list.lock().back().map_or(0, |s| s.start + self.content())
    }

    /// Adds a zero-filled segment at the end. Zeros now mean that later syncs need no file-system metadata.
    /// It gets its name only when it is complete, so that a crash in between leaves nothing to explain.
    pub async fn grow(&self, start_if_empty: Lsn) -> Result<()> {
        let start = self.next_start(start_if_empty);
        let temp = format!("{DIR}/{start:016x}.new");
        let file = self.create(&temp).await?;
        let filled = match self.fill(file.as_ref()).await {
            Ok(()) => file.sync().await.map_err(Error::from),
            failed => failed,
        };
        if let Err(e) = filled {
            // A part of a segment helps nobody, and a full device wants its room back.
            let _ = self.disk.remove(&temp).await;
            return Err(e);
        }
        self.disk.rename(&temp, &name(start)).await?;
        self.disk.sync_dir(DIR).await?;
        self.push(start, file);
        Ok(())
    }

    /// Adds a zero-filled segment to the log of a directory that is being made. Neither the file nor its name is synced: the directory
    /// does not count before [`Segments::sync_made`].
    pub async fn make(&self, start_if_empty: Lsn) -> Result<()> {
        let start = self.next_start(start_if_empty);
        let file = self.create(&name(start)).await?;
        self.fill(file.as_ref()).await?;
        if self.size >= SYNCED_ALONE {
            file.sync().await?;
        }
        self.push(start, file);
        Ok(())
    }

    /// Makes what [`Segments::make`] has made durable. The first segment is durable already: all of the log that was written is in it,
    /// and was synced.
    pub async fn sync_made(&self) -> Result<()> {
        for f in self.files().iter().skip(1) {
            f.sync().await?;
        }
        Ok(self.disk.sync_dir(DIR).await?)
    }

    fn files(&self) -> Vec<Arc<dyn File>> {
        self.list.lock().iter().map(|s| s.file.clone()).collect()
    }

    fn next_start(&self, start_if_empty: Lsn) -> Lsn {
        match self.end() {
            0 => start_if_empty,
            end => end,
        }
    }

    async fn create(&self, path: &str) -> Result<Arc<dyn File>> {
        let how = OpenOptions { create: true, create_new: false, mode: self.mode };
        Ok(self.disk.open_needed(path, how).await?)
    }

    fn push(&self, start: Lsn, file: Arc<dyn File>) {
        self.list.lock().push_back(Segment { start, file });
        self.note_end();
    }

    async fn fill(&self, file: &dyn File) -> Result<()> {
        file.allocate(self.size, true).await?;
        let (_, done) = file.write(0, header(&self.id)).await;
        Ok(done?)
    }

    /// Gives segments wholly below `checkpoint` (durable!) a new place at the end, or removes them while there are more
    /// than `want`. Returns whether anything changed.
    pub async fn recycle(&self, checkpoint: Lsn, want: usize) -> Result<bool> {
        let mut moved = false;
        loop {
            let (segment, count, end) = {
                let mut list = self.list.lock();
                let content = self.content();
                match list.front() {
                    Some(s) if s.start + content <= checkpoint => {}
                    _ => break,
                }
                let end = list.back().map_or(0, |s| s.start + content);
                let count = list.len();
                (list.pop_front().expect("front was looked at"), count, end)
            };
            if count > want {
                self.disk.remove(&name(segment.start)).await?;
            } else {
                self.disk.rename(&name(segment.start), &name(end)).await?;
            }
            self.disk.sync_dir(DIR).await?;
            if count <= want {
                self.list.lock().push_back(Segment { start: end, file: segment.file });
                self.note_end();
            }
            moved = true;
        }
        Ok(moved)
    }

    fn at(&self, lsn: Lsn) -> Option<(Arc<dyn File>, u64, u64)> {
        let list = self.list.lock();
        let first = list.front()?.start;
        let i = lsn.checked_sub(first)? / self.content();
        let s = list.get(i as usize)?;
        let within = lsn - s.start;
        Some((s.file.clone(), SEGMENT_HEADER + within, self.content() - within))
    }

    /// The file that holds `lsn`, for messages.
    pub fn file_at(&self, lsn: Lsn) -> Option<String> {
        let list = self.list.lock();
        let i = lsn.checked_sub(list.front()?.start)? / self.content();
        list.get(i as usize).map(|s| name(s.start))
    }

    /// Makes what the files hold durable: after the end of a process the system may still have written bytes in its memory
    /// alone, and what recovery makes of them must not outlive them.
    pub async fn sync(&self) -> Result<()> {
        for f in self.files() {
            f.sync().await?;
        }
        Ok(())
    }

    /// Whether a checkpoint at `lsn` frees a segment.
    pub fn frees(&self, lsn: Lsn) -> bool {
        self.first().is_some_and(|first| first + self.content() <= lsn)
    }

    /// Length and checksum of the last bytes below `lsn` in its segment: what tells this log from one of another time.
    pub async fn sample(&self, lsn: Lsn) -> Result<(u32, u32)> {
        let Some(first) = self.first().filter(|f| *f <= lsn) else { return Ok((0, 0)) };
        let len = ((lsn - first) % self.content()).min(SAMPLE);
        let bytes = self.read(lsn - len, len as usize).await?;
        Ok((bytes.len() as u32, crc32c::crc32c(&bytes)))
    }

    /// Whether the files have the bytes below `lsn` that a sample was taken of.
    pub async fn has_sample(&self, lsn: Lsn, sample: (u32, u32)) -> Result<bool> {
        let (len, crc) = (u64::from(sample.0), sample.1);
        if len == 0 || len > SAMPLE {
            return Ok(true);
        }
        if self.first().is_none_or(|f| f > lsn - len) {
            return Ok(false);
        }
        let bytes = self.read(lsn - len, len as usize).await?;
        Ok(bytes.len() as u64 == len && crc32c::crc32c(&bytes) == crc)
    }

    /// Whether the log was made for a checkpoint at `lsn` and has not been written since: its first segment begins with the
    /// block of `lsn`, and nothing stands before it there. Of a log that was written, that block is not empty.
    pub async fn made_anew_at(&self, lsn: Lsn) -> Result<bool> {
        let begin = lsn / 4096 * 4096;
        if self.first() != Some(begin) {
            return Ok(false);
        }
        Ok(self.read(begin, (lsn - begin) as usize).await?.iter().all(|b| *b == 0))
    }

    /// Writes whole blocks at `lsn`, which is 4096-aligned in its segment; returns the files touched.
    pub async fn write(&self, lsn: Lsn, data: IoBuf) -> (IoBuf, Result<Touched>) {
        let outside = |lsn| Error::corrupt_log(lsn, "write outside the segments");
        let Some((file, off, left)) = self.at(lsn) else { return (data, Err(outside(lsn))) };
        if data.len() as u64 <= left {
            let (data, done) = file.write(off, data).await;
            return (data, done.map(|()| Touched::from_iter([file])).map_err(Error::from));
        }
        let (mut lsn, mut rest, mut touched) = (lsn, &data[..], Touched::new());
        while !rest.is_empty() {
            let Some((file, off, left)) = self.at(lsn) else { return (data, Err(outside(lsn))) };
            let n = rest.len().min(left as usize);
            if let (_, Err(e)) = file.write(off, IoBuf::of(&rest[..n])).await {
                return (data, Err(e.into()));
            }
            touched.push(file);
            lsn += n as u64;
            rest = &rest[n..];
        }
        (data, Ok(touched))
    }

    /// Reads up to `len` bytes from `lsn` (any alignment); shorter at the end of the segments.
    pub async fn read(&self, lsn: Lsn, len: usize) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(len);
        let mut at = lsn;
        while out.len() < len {
            let Some((file, off, left)) = self.at(at) else { break };
            let want = (len - out.len()).min(left as usize);
            let base = off / 4096 * 4096;
            let span = ((off - base) as usize + want).next_multiple_of(4096);
            let span = span.min((self.size - base) as usize);
            let (buf, done) = file.read(base, IoBuf::new(span)).await;
            done?;
            let from = (off - base) as usize;
            out.extend_from_slice(&buf[from..from + want]);
            at += want as u64;
        }
        Ok(out)
    }

    /// Every LSN of the form `segment start + k * 4096` begins a device block.
    pub fn block_start(&self, lsn: Lsn) -> Lsn {
        let first = self.list.lock().front().map_or(0, |s| s.start);
        let within = (lsn - first) % self.content();
        lsn - within % 4096
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_disk::sim::SimDisk;
    use weir_rt::sim::SimRt;

    /// A log that is made smaller gives its files back to the device as checkpoints pass them, and not one more.
    #[test]
    fn a_smaller_log_has_fewer_files() {
        let sim = SimRt::new(1);
        let disk = Arc::new(SimDisk::new(sim.rt(), 1));
        let done = sim.run(async {
            let size = SEGMENT_HEADER + 8192;
            let s = Segments::open(disk.clone(), Mode::Buffered, size, [1; 16]).await.unwrap();
            for _ in 0..8 {
                s.grow(4096).await.unwrap();
            }
            let (first, content) = (4096, s.content());
            // Nothing lies wholly below this one.
            assert!(!s.recycle(first + content - 1, 5).await.unwrap());
            assert_eq!((s.count(), s.first(), s.end()), (8, Some(first), first + 8 * content));
            // Three go, then the fourth has its place at the end.
            for (passed, gone, end) in [(3, 3, 8), (4, 4, 9)] {
                assert!(s.recycle(first + passed * content, 5).await.unwrap());
                assert_eq!((s.count(), s.end()), (5, first + end * content));
                assert_eq!(s.first(), Some(first + gone * content));
                let names = |of: Vec<String>| -> Vec<String> {
                    of.iter().map(|p| p.rsplit('/').next().unwrap_or(p).to_string()).collect()
                };
                let want = (gone..end).map(|i| name(first + i * content)).collect();
                assert_eq!(names(disk.list(DIR).await.unwrap()), names(want));
            }
        });
        done.map_err(|s| s.tasks).unwrap();
    }
}
