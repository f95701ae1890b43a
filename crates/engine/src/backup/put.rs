//! A data directory made of a full backup, incremental ones on top of it, and redo.
//!
//! Order: pages of the full backup, pages of each incremental one, the lengths of the files as the last one tells them, then redo from the
//! last one's start on, as far as it is wanted. What opens the directory is ordinary recovery.

use super::block::{Begin, End, Pages};
use crate::error::{Error, Result};
use crate::files::{self, FIRST_TABLE, SYSTEM, UNDO, path_of};
use crate::ids::{Lsn, PageId, SpaceId};
use crate::log::control::{self, Control, ControlFile};
use crate::log::stream::GroupStream;
use crate::log::{DIR as REDO, Segments};
use crate::page::PageType;
use crate::page::redo::Redo;
use std::collections::BTreeSet;
use std::sync::Arc;
use weir_disk::{Disk, File, IoBuf, Mode, OpenOptions};
use weir_rt::Rt;

const NEW_CONTROL: &str = "weir.ctl.new";
/// Pages that the file of a space has at first, as when a running engine makes it.
const FIRST_PAGES: u64 = 16;

/// What the directory will open as.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// Redo that the first start applies.
    pub from: Lsn,
    pub to: Lsn,
    /// Tables that will not be usable, because they were not in the server that the backup is of.
    pub damaged: Vec<SpaceId>,
}

/// A directory that is being made. It is not opened by anybody before [`Restorer::finish`] has ended.
pub struct Restorer {
    rt: Rt,
    disk: Arc<dyn Disk>,
    begin: Begin,
    page_size: u64,
    open: Option<(SpaceId, Arc<dyn File>)>,
    there: BTreeSet<SpaceId>,
    last: Option<End>,
    redo: Option<RedoOut>,
}

/// The log on its way into segments.
struct RedoOut {
    segments: Segments,
    stream: GroupStream,
    /// Nothing of a group that ends behind this LSN.
    upto: Lsn,
    /// Bytes from a block's beginning on that are not written yet.
    pending: Vec<u8>,
    pending_at: Lsn,
    written: Lsn,
    made: BTreeSet<SpaceId>,
    /// The log is there as far as it is wanted.
    whole: bool,
}

/// Blocks of so many bytes go to the segments at once.
const WRITE: usize = 1 << 20;

impl Restorer {
    /// The directory has to be empty. `begin`: of the full backup.
    pub async fn new(rt: &Rt, disk: Arc<dyn Disk>, begin: Begin) -> Result<Restorer> {
        for dir in ["", REDO, files::DIR] {
            let used = disk.list(dir).await?;
            if let Some(file) = used.iter().find(|f| !f.ends_with("weir.lock")) {
                return Err(Error::Unsupported(format!(
                    "the target is not empty, it has a file '{file}': a restore makes a new directory"
                )));
            }
        }
        disk.create_dir(REDO).await?;
        disk.create_dir(files::DIR).await?;
        Ok(Restorer {
            rt: rt.clone(),
            disk,
            page_size: u64::from(begin.page_size),
            begin,
            open: None,
            there: BTreeSet::new(),
            last: None,
            redo: None,
        })
    }

    /// An incremental backup follows; `begin` is its first block.
    pub fn follow(&mut self, begin: Begin) {
        self.last = None;
        self.begin = begin;
    }

    pub async fn pages(&mut self, p: &Pages) -> Result<()> {
        let size = self.page_size as usize;
        let file = self.file(p.space).await?;
        let runs = p.pages.chunk_by(|a, b| a + 1 == *b);
        let mut at = 0;
        for run in runs {
            let bytes = run.len() * size;
            let (_, done) = file
                .write(u64::from(run[0]) * self.page_size, IoBuf::of(&p.images[at..at + bytes]))
                .await;
            done?;
            at += bytes;
        }
        // What an older backup had there, if anything.
        let len = file.len().await?;
        for no in p.blank.iter().filter(|no| (u64::from(**no) + 1) * self.page_size <= len) {
            let (_, done) = file.write(u64::from(*no) * self.page_size, IoBuf::new(size)).await;
            done?;
        }
        Ok(())
    }

    async fn file(&mut self, space: SpaceId) -> Result<Arc<dyn File>> {
        if let Some((id, file)) = &self.open
            && *id == space
        {
            return Ok(file.clone());
        }
        self.close().await?;
        let how = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
        let file = self.disk.open(&path_of(space), how).await?;
        self.there.insert(space);
        self.open = Some((space, file.clone()));
        Ok(file)
    }

    async fn close(&mut self) -> Result<()> {
        if let Some((_, file)) = self.open.take() {
            file.sync().await?;
        }
        Ok(())
    }

    /// The last block of a backup: its files get their lengths, and those that it does not have go.
    pub async fn end(&mut self, end: End) -> Result<()> {
        self.close().await?;
        let named: BTreeSet<SpaceId> = end.spaces.iter().map(|s| s.id).collect();
        let gone: Vec<SpaceId> = self.there.difference(&named).copied().collect();
        for id in gone {
            self.disk.remove(&path_of(id)).await?;
            self.there.remove(&id);
        }
        for s in &end.spaces {
            let file = self.file(s.id).await?;
            let (len, want) = (file.len().await?, u64::from(s.pages) * self.page_size);
            match len > want {
                true => file.truncate(want).await?,
                false => file.allocate(want, false).await?,
            }
        }
        self.close().await?;
        self.last = Some(end);
        Ok(())
    }

    /// Redo follows, as far as `upto`: as it was while the last backup was made, then as it was archived. Its first byte is at the last
    /// backup's start.
    pub async fn begin_redo(&mut self, upto: Lsn) -> Result<()> {
        let b = &self.begin;
        let segments =
            Segments::open(self.disk.clone(), Mode::Buffered, b.segment_size, b.ids.directory)
                .await?;
        segments.grow(b.start / 4096 * 4096).await?;
        let block = segments.block_start(b.start);
        self.redo = Some(RedoOut {
            stream: GroupStream::new(b.start, &b.epochs),
            upto,
            pending: vec![0; (b.start - block) as usize],
            pending_at: block,
            written: b.start,
            segments,
            made: BTreeSet::new(),
            whole: false,
        });
        Ok(())
    }

    /// The next bytes of redo. What came before may come again.
    pub async fn redo(&mut self, at: Lsn, bytes: &[u8]) -> Result<()> {
        let out = self.redo.as_mut().expect("redo follows `begin_redo`");
        let have = out.stream.end();
        if out.whole {
            return Ok(());
        }
        if at > have {
            return Err(Error::corrupt_log(
                have,
                format!("the log from here up to LSN {at} is missing"),
            ));
        }
        let known = (have - at).min(bytes.len() as u64) as usize;
        out.stream.push(&bytes[known..]);
        out.take_groups()?;
        if out.pending.len() >= WRITE {
            out.write(false).await?;
        }
        Ok(())
    }

    /// Everything is there: the control file makes it a directory.
    pub async fn finish(mut self) -> Result<Restored> {
        let mut out = self.redo.take().expect("redo is a part of every restore");
        let end = self.last.take().expect("a backup ends with its last block");
        out.write(true).await?;
        if out.written < end.end {
            return Err(Error::corrupt_log(
                out.written,
                format!("the redo ends here, and the backup needs it up to LSN {}", end.end),
            ));
        }
        for id in [SYSTEM, UNDO] {
            if !self.there.contains(&id) {
                return Err(Error::Corrupt {
                    what: "the backup has nothing of it".into(),
                    place: format!("file '{}'", path_of(id)),
                });
            }
        }
        self.make_files(&out.made).await?;
        out.segments.sync().await?;
        for dir in [REDO, files::DIR, ""] {
            self.disk.sync_dir(dir).await?;
        }
        let state = Control {
            seq: 0,
            id: self.begin.ids.directory,
            page_size: self.begin.page_size,
            checkpoint: self.begin.start,
            segment_size: self.begin.segment_size,
            segments: out.segments.count() as u32,
            clean: false,
            durable: out.written,
            sample: out.segments.sample(out.written).await?,
            history: self.rt.random_u64().max(1),
            damaged: end.damaged.clone(),
            epochs: out.stream.epochs().to_vec(),
        };
        ControlFile::create_as(self.disk.as_ref(), NEW_CONTROL, state).await?;
        self.disk.rename(NEW_CONTROL, control::FILE).await?;
        self.disk.sync_dir("").await?;
        Ok(Restored { from: self.begin.start, to: out.written, damaged: end.damaged })
    }

    /// Files of tables that were made behind the start: all of their pages are in the redo.
    async fn make_files(&mut self, made: &BTreeSet<SpaceId>) -> Result<()> {
        for id in made.difference(&self.there.clone()) {
            let file = self.file(*id).await?;
            file.allocate(FIRST_PAGES * self.page_size, false).await?;
        }
        self.close().await
    }
}

impl RedoOut {
    fn take_groups(&mut self) -> Result<()> {
        while !self.whole {
            let Some((start, group)) = self.stream.next_group()? else { break };
            if self.stream.position() > self.upto {
                self.whole = true;
                break;
            }
            let (stream, made) = (&self.stream, &mut self.made);
            stream.records(start, group.clone(), |page, rec| {
                let header = matches!(rec, Redo::PageInit { kind, .. } if kind == PageType::SpaceHeader as u8);
                let own = |id: &PageId| header && id.page == 0 && id.space >= FIRST_TABLE;
                made.extend(page.filter(own).map(|id| id.space));
            })?;
            self.pending.extend_from_slice(self.stream.bytes(group));
        }
        Ok(())
    }

    /// Whole blocks, and at the end the last one, too.
    async fn write(&mut self, all: bool) -> Result<()> {
        let whole = self.pending.len() / 4096 * 4096;
        let n = if all { self.pending.len() } else { whole };
        if n == 0 {
            return Ok(());
        }
        let end = self.pending_at + n as u64;
        while self.segments.end() < end.next_multiple_of(4096) {
            self.segments.grow(0).await?;
        }
        let mut data = IoBuf::new(n.next_multiple_of(4096));
        data[..n].copy_from_slice(&self.pending[..n]);
        self.segments.write(self.pending_at, data).await.1?;
        self.pending.drain(..n);
        self.pending_at = end;
        self.written = self.written.max(end);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backup::Ids;
    use weir_disk::sim::SimDisk;
    use weir_rt::sim::SimRt;

    fn begin() -> Begin {
        Begin {
            ids: Ids { backup: [1; 16], directory: [2; 16], history: 0 },
            page_size: 512,
            segment_size: crate::log::SEGMENT_HEADER + (16 << 10),
            start: 5000,
            epochs: vec![(4096, 1)],
            base: None,
            begun_micros: 0,
            expected_pages: 0,
            program: String::new(),
        }
    }

    #[test]
    fn a_directory_with_a_file_in_it_is_no_target() {
        for path in ["note", "tables/00000010.weir", "redo/0000000000001000.log"] {
            let sim = SimRt::new(1);
            let disk: Arc<dyn Disk> = Arc::new(SimDisk::new(sim.rt(), 1));
            let rt = sim.rt();
            sim.run(async {
                let how = OpenOptions { create: true, create_new: true, mode: Mode::Buffered };
                if let Some((dir, _)) = path.split_once('/') {
                    disk.create_dir(dir).await.unwrap();
                }
                disk.open(path, how).await.unwrap();
                let refused = Restorer::new(&rt, disk.clone(), begin()).await.err().unwrap();
                assert!(refused.to_string().contains("not empty"), "{refused}");
            })
            .map_err(|s| s.tasks)
            .unwrap();
        }
    }

    #[test]
    fn redo_that_is_missing_is_named_and_makes_no_directory() {
        let sim = SimRt::new(1);
        let disk: Arc<dyn Disk> = Arc::new(SimDisk::new(sim.rt(), 1));
        let rt = sim.rt();
        sim.run(async {
            let mut r = Restorer::new(&rt, disk.clone(), begin()).await.unwrap();
            let end = End {
                end: 6000,
                spaces: vec![],
                damaged: vec![],
                ended_micros: 0,
                copied_pages: 0,
                redo_bytes: 1000,
            };
            r.end(end).await.unwrap();
            r.begin_redo(u64::MAX).await.unwrap();
            let gap = r.redo(5400, &[0; 10]).await.unwrap_err();
            assert!(gap.to_string().contains("up to LSN 5400"), "{gap}");
            let short = r.finish().await.unwrap_err();
            assert!(short.to_string().contains("6000"), "{short}");
            assert!(!disk.exists(control::FILE).await.unwrap());
        })
        .map_err(|s| s.tasks)
        .unwrap();
    }
}
