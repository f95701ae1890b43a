//! Blocks of a running engine, one after the other, as fast as they are asked for.
//!
//! The redo log has its turn first: whatever is durable and not copied is copied before more pages are, so that the log is kept for as short
//! as can be. A reader of pages gives way as a background session does, rests while the engine is pressed, and keeps to its rate.

use super::block::{Base, Begin, Block, End, Ids, Pages, SpaceEnd};
use crate::db::Db;
use crate::error::{Error, Result};
use crate::files::Space;
use crate::ids::{Lsn, PageId, PageNo, SpaceId};
use crate::log::stream::GroupStream;
use crate::log::{Keep, Reach};
use crate::mtr;
use crate::page;
use crate::pool::LatchMode;
use crate::priority;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use weir_disk::IoBuf;
use weir_rt::{Boxed, Interrupt};

/// Bytes of pages that are read at once, and most redo in one block.
const READ: usize = 1 << 20;
const REDO: usize = 1 << 20;
/// So much redo is copied before more pages are.
const REDO_FIRST: u64 = 256 << 10;

/// A page that is read while it is written may be torn, and is whole a moment later.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(5);

/// Above this pressure (of 1000) sessions are delayed, and a batch of pages waits for up to [`REST`].
const PRESSED: u16 = 500;
const REST: Duration = Duration::from_millis(400);
/// The longest sleep without a look at the interrupt.
const NAP: Duration = Duration::from_millis(50);

#[derive(Clone, Default)]
pub struct BackupOptions {
    /// An incremental backup: only pages that changed since this one.
    pub base: Option<Base>,
    /// Bytes of pages read in a second at most; 0: as many as the engine's pressure allows.
    pub rate: u64,
    pub program: String,
    /// The engine works on a copy of the directory that is thrown away, so its log goes another way than the directory's: the backup is of a
    /// history of its own, and no increment and no archive fits to it.
    pub apart: bool,
    pub interrupt: Arc<Interrupt>,
}

enum Step {
    Begin,
    Pages,
    Redo,
    End,
    Done,
}

struct Current {
    space: Arc<Space>,
    next: PageNo,
    end: PageNo,
}

/// A backup under way. Dropped, it is given up, and the log is kept no longer.
pub struct Backup {
    db: Db,
    keep: Keep,
    o: BackupOptions,
    begin: Begin,
    step: Step,
    files: VecDeque<Arc<Space>>,
    current: Option<Current>,
    done: Vec<SpaceEnd>,
    damaged: Vec<SpaceId>,
    redo: GroupStream,
    /// Known once all pages are copied.
    end: Lsn,
    began: u64,
    read: u64,
    copied: u64,
}

impl Db {
    /// Begins a backup. Errors: `Unsupported` where the base is not of this database's history.
    pub fn begin_backup(&self, o: BackupOptions) -> Boxed<'_, Result<Backup>> {
        Box::pin(async move {
            let core = &self.0.core;
            core.log.failure()?;
            if !self.0.force.recovers() {
                return Err(Error::ForcedRecovery { level: self.0.force.0 });
            }
            let keep = core.log.keep().await;
            let control = core.log.control_state().await;
            let start = keep.begin;
            check_base(o.base.as_ref(), control.history, start)?;
            // Behind the claim: a file that is not here was made behind the start, and the redo has all of it.
            let files: VecDeque<Arc<Space>> = core.spaces.all().into();
            let mut backup = [0; 16];
            backup[..8].copy_from_slice(&self.0.rt.random_u64().to_le_bytes());
            backup[8..].copy_from_slice(&self.0.rt.random_u64().to_le_bytes());
            let history = match o.apart {
                true => self.0.rt.random_u64().max(1),
                false => control.history,
            };
            let ids = Ids { backup, directory: control.id, history };
            let begin = Begin {
                ids,
                page_size: control.page_size,
                segment_size: control.segment_size,
                start,
                epochs: control.epochs.clone(),
                base: o.base.clone(),
                begun_micros: self.0.rt.wall_micros(),
                expected_pages: expected(&files, core.spaces.page_size()).await,
                program: o.program.clone(),
            };
            Ok(Backup {
                db: self.clone(),
                keep,
                o,
                step: Step::Begin,
                files,
                current: None,
                done: Vec::new(),
                damaged: control.damaged,
                redo: GroupStream::new(start, &begin.epochs),
                begin,
                end: 0,
                began: self.0.rt.now(),
                read: 0,
                copied: 0,
            })
        })
    }
}

fn check_base(base: Option<&Base>, history: u64, start: Lsn) -> Result<()> {
    match base {
        Some(b) if b.history != history || b.start > start => Err(Error::Unsupported(
            "the base of the incremental backup is of another history of this database: since then it was restored from a backup. \
             Make a full backup"
                .into(),
        )),
        _ => Ok(()),
    }
}

async fn expected(files: &VecDeque<Arc<Space>>, page_size: usize) -> u64 {
    let mut pages = 0;
    for space in files.iter().filter(|s| s.refusal().is_none()) {
        pages += match space.pages() {
            0 => space.file().len().await.unwrap_or(0) / page_size as u64,
            known => u64::from(known),
        };
    }
    pages
}

/// What a page was found to be.
enum Found {
    Blank,
    Whole(Lsn),
    Bad(String),
}

impl Backup {
    pub fn begin(&self) -> &Begin {
        &self.begin
    }

    /// Pages read so far, and copied.
    pub fn progress(&self) -> (u64, u64) {
        (self.read / u64::from(self.begin.page_size), self.copied)
    }

    /// The next block; `None` behind the last one.
    pub fn next_block(&mut self) -> Boxed<'_, Result<Option<Block>>> {
        Box::pin(async move { priority::in_background(self.advance()).await })
    }

    async fn advance(&mut self) -> Result<Option<Block>> {
        loop {
            self.may_go_on()?;
            match self.step {
                Step::Begin => {
                    self.step = Step::Pages;
                    return Ok(Some(Block::Begin(self.begin.clone())));
                }
                Step::Pages => {
                    if self.durable_redo() >= REDO_FIRST {
                        return self.some_redo(self.db.0.core.log.durable()).await.map(Some);
                    }
                    if let Some(pages) = self.some_pages().await? {
                        return Ok(Some(Block::Pages(pages)));
                    }
                    if self.current.is_none() && self.files.is_empty() {
                        let log = &self.db.0.core.log;
                        // No page that was copied is newer than this.
                        log.flush_all(Reach::Durable).await?;
                        self.end = log.durable();
                        self.step = Step::Redo;
                    }
                }
                Step::Redo if self.redo.end() < self.end => {
                    return self.some_redo(self.end).await.map(Some);
                }
                Step::Redo => self.step = Step::End,
                Step::End => {
                    self.step = Step::Done;
                    return self.last_block().await.map(Some);
                }
                Step::Done => return Ok(None),
            }
        }
    }

    fn may_go_on(&self) -> Result<()> {
        if self.o.interrupt.killed() != 0 {
            return Err(Error::Interrupted);
        }
        if self.db.0.stopping() {
            return Err(Error::ShuttingDown);
        }
        self.keep.still_there()
    }

    fn durable_redo(&self) -> u64 {
        self.db.0.core.log.durable().saturating_sub(self.redo.end())
    }

    /// Redo up to `limit`, which is durable. Each group that becomes whole is checked.
    async fn some_redo(&mut self, limit: Lsn) -> Result<Block> {
        let log = &self.db.0.core.log;
        let at = self.redo.end();
        let want = (limit - at).min(REDO as u64) as usize;
        let bytes = log.segments().read(at, want).await?;
        // The bytes were those of this lap if the claim still holds behind the read.
        self.keep.still_there()?;
        if bytes.len() != want {
            return Err(Error::corrupt_log(at, "the log ends before what was durable"));
        }
        self.redo.push(&bytes);
        while self.redo.next_group()?.is_some() {}
        self.keep.copied(self.redo.end());
        Ok(Block::Redo { at, bytes })
    }

    /// One read of pages; `None` when there was nothing in it to be copied.
    async fn some_pages(&mut self) -> Result<Option<Pages>> {
        let Some(mut c) = self.next_file().await? else { return Ok(None) };
        let size = self.begin.page_size as usize;
        if c.next == c.end {
            self.done.push(SpaceEnd { id: c.space.id, pages: c.end });
            return Ok(None);
        }
        self.pace().await?;
        let n = (c.end - c.next).min((READ / size).max(1) as u32);
        let core = &self.db.0.core;
        core.pool.reads.give_way(&core.pool.rt).await;
        let reading = core.pool.reads.begin(n as usize);
        let off = u64::from(c.next) * size as u64;
        let (bytes, done) = c.space.file().read(off, IoBuf::new(n as usize * size)).await;
        drop(reading);
        if let Err(e) = done {
            return self.cannot_read(c, e.into()).await;
        }
        self.read += bytes.len() as u64;
        let (first, mut out) = (c.next, self.empty(c.space.id));
        for (i, image) in bytes.chunks_exact(size).enumerate() {
            if !self.take_page(&c.space, first + i as u32, image, &mut out).await? {
                return Ok(None);
            }
        }
        c.next += n;
        self.copied += out.pages.len() as u64;
        self.current = Some(c);
        Ok((!out.pages.is_empty() || !out.blank.is_empty()).then_some(out))
    }

    fn empty(&self, space: SpaceId) -> Pages {
        Pages { space, pages: Vec::new(), blank: Vec::new(), images: Vec::new() }
    }

    /// The file under way, or the next one. Of a table that is not used nothing is copied.
    async fn next_file(&mut self) -> Result<Option<Current>> {
        if let Some(c) = self.current.take() {
            return Ok(Some(c));
        }
        let Some(space) = self.files.pop_front() else { return Ok(None) };
        if space.refusal().is_some() {
            if !self.damaged.contains(&space.id) {
                self.damaged.push(space.id);
            }
            return Ok(None);
        }
        match space.file().len().await {
            Ok(len) => {
                let end = (len / u64::from(self.begin.page_size)) as PageNo;
                Ok(Some(Current { space, next: 0, end }))
            }
            Err(e) if self.is_gone(&space) => {
                drop(e);
                Ok(None)
            }
            Err(e) => Err(e.into()),
        }
    }

    fn is_gone(&self, space: &Arc<Space>) -> bool {
        let there = self.db.0.core.spaces.get(space.id);
        !space.is_live() || !there.is_some_and(|s| Arc::ptr_eq(&s, space))
    }

    /// A read has failed: the table was dropped, the file became shorter, or the device is at fault.
    async fn cannot_read(&mut self, mut c: Current, e: Error) -> Result<Option<Pages>> {
        if self.is_gone(&c.space) {
            return Ok(None);
        }
        let len = c.space.file().len().await?;
        let end = (len / u64::from(self.begin.page_size)) as PageNo;
        if end >= c.end {
            return Err(e);
        }
        c.end = end.max(c.next);
        self.current = Some(c);
        Ok(None)
    }

    /// Takes a page, if it is wanted. False: its table was dropped meanwhile.
    async fn take_page(
        &self,
        space: &Arc<Space>,
        no: PageNo,
        image: &[u8],
        out: &mut Pages,
    ) -> Result<bool> {
        let id = PageId::new(space.id, no);
        let again;
        let (image, lsn) = match self.look_at(id, image) {
            Found::Whole(lsn) => (image, lsn),
            Found::Blank => return self.take_blank(no, out),
            Found::Bad(what) => match self.read_again(space, id, what).await? {
                Some(page) if page::is_blank(&page) => return self.take_blank(no, out),
                Some(page) => {
                    again = page;
                    (again.as_slice(), page::lsn(&again))
                }
                None => return Ok(false),
            },
        };
        if self.begin.base.as_ref().is_none_or(|b| lsn > b.start) {
            out.pages.push(no);
            out.images.extend_from_slice(image);
        }
        Ok(true)
    }

    /// Only the base may have something else in this place.
    fn take_blank(&self, no: PageNo, out: &mut Pages) -> Result<bool> {
        if self.begin.base.is_some() {
            out.blank.push(no);
        }
        Ok(true)
    }

    fn look_at(&self, id: PageId, image: &[u8]) -> Found {
        let core = &self.db.0.core;
        if page::is_blank(image) {
            return Found::Blank;
        }
        if let Err(e) = page::verify(image, id) {
            return Found::Bad(e.to_string());
        }
        if let Err(e) = core.spaces.check_owner(id, image) {
            return Found::Bad(e.into());
        }
        // A page goes home behind its log, and the log's end is read behind the page.
        let (lsn, end) = (page::lsn(image), core.log.durable());
        if lsn > end {
            return Found::Bad(crate::pool::beyond_log(lsn, end));
        }
        Found::Whole(lsn)
    }

    /// A page that was torn, because it was being written: it is read until it is whole. If it stays as it is, the pool may have it in memory.
    async fn read_again(
        &self,
        space: &Arc<Space>,
        id: PageId,
        mut what: String,
    ) -> Result<Option<Vec<u8>>> {
        let size = self.begin.page_size as usize;
        for _ in 0..TRIES {
            self.db.0.rt.sleep(PAUSE).await;
            if self.is_gone(space) {
                return Ok(None);
            }
            let off = u64::from(id.page) * size as u64;
            let (image, done) = space.file().read(off, IoBuf::new(size)).await;
            if done.is_err() {
                continue;
            }
            match self.look_at(id, &image) {
                Found::Bad(e) => what = e,
                Found::Blank | Found::Whole(_) => return Ok(Some(image.to_vec())),
            }
        }
        let read = mtr::run(&self.db.0.core, 0, |w| {
            let mut g = w.gather();
            let p = g.fix(id, LatchMode::S)?;
            Ok(g.bytes(p).to_vec())
        });
        match read.await {
            Ok(mut image) => {
                page::seal(&mut image);
                Ok(Some(image))
            }
            Err(_) if self.is_gone(space) => Ok(None),
            Err(_) => Err(Error::corrupt_page(id, space.path(), what)),
        }
    }

    /// Waits until the next read is due.
    async fn pace(&self) -> Result<()> {
        let rt = &self.db.0.rt;
        let pressure = self.db.0.pressure().value;
        let mut due = rt.now();
        if pressure >= PRESSED {
            let share = u64::from(pressure - PRESSED) + 100;
            due += REST.as_nanos() as u64 * share / 600;
        }
        if let Some(nanos) = (self.read * 1_000_000).checked_div(self.o.rate / 1000) {
            due = due.max(self.began + nanos);
        }
        while let Some(left) = due.checked_sub(rt.now()).filter(|left| *left > 0) {
            self.may_go_on()?;
            if self.durable_redo() >= REDO_FIRST {
                // It must not wait for pages.
                break;
            }
            rt.sleep(NAP.min(Duration::from_nanos(left))).await;
        }
        Ok(())
    }

    async fn last_block(&mut self) -> Result<Block> {
        let control = self.db.0.core.log.control_state().await;
        // The server may have given up a table meanwhile.
        let given_up = control.damaged.iter().filter(|id| !self.damaged.contains(id));
        let given_up: Vec<SpaceId> = given_up.copied().collect();
        self.damaged.extend(given_up);
        Ok(Block::End(End {
            end: self.end,
            spaces: std::mem::take(&mut self.done),
            damaged: std::mem::take(&mut self.damaged),
            ended_micros: self.db.0.rt.wall_micros(),
            copied_pages: self.copied,
            redo_bytes: self.end - self.begin.start,
        }))
    }
}
