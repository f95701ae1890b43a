//! Pages for recovery: several of one file in one batch of reads, as they are on the device, damaged or not.
//!
//! Recovery's workers have no page in common, so nothing is registered as being read; `Core` is not anybody else's yet.

use super::frame::FrameNo;
use super::{Pin, Pool};
use crate::error::{Error, Result};
use crate::files::Space;
use crate::ids::{PageId, PageNo};
use crate::page;
use crate::sync::atomic::Ordering;

/// A page in memory, pinned.
pub struct Loaded {
    pub pin: Pin,
    /// It is as it was written. If not (never written, torn, damaged) its bytes are zeros, and the log has to make it.
    pub valid: bool,
}

impl Pool {
    /// All of `n` free frames, or none. Nobody waits for more with some in hand.
    fn take_frames(&self, n: usize) -> Option<Vec<FrameNo>> {
        let mut taken = Vec::with_capacity(n);
        while taken.len() < n {
            match self.take_free() {
                Some(no) => taken.push(no),
                None => {
                    taken.into_iter().for_each(|no| self.give_free(no));
                    return None;
                }
            }
        }
        Some(taken)
    }

    /// Pins the pages of one file, reading those that are not in memory and that are asked for with `true`; the others begin
    /// blank. `None` when there are too few free frames for all of them.
    pub async fn load_unchecked(
        &self,
        space: &Space,
        pages: &[(PageNo, bool)],
    ) -> Result<Option<Vec<Loaded>>> {
        // Before anything is taken that an error would have to give back.
        let there = space.file().len().await?;
        let mut out: Vec<Option<Loaded>> = pages.iter().map(|p| self.pinned(space, p.0)).collect();
        let missing: Vec<usize> = (0..pages.len()).filter(|i| out[*i].is_none()).collect();
        let Some(frames) = self.take_frames(missing.len()) else {
            out.into_iter().flatten().for_each(|l| self.unpin(l.pin));
            return Ok(None);
        };
        let (mut batch, mut read) = (Vec::new(), vec![false; missing.len()]);
        for (n, i) in missing.iter().enumerate() {
            let at = u64::from(pages[*i].0) * self.page_size as u64;
            read[n] = pages[*i].1 && at + self.page_size as u64 <= there;
            if read[n] {
                // SAFETY: the frame came from the free list, so nobody else knows it until it is entered below. Where this future is
                // dropped, it goes to nobody any more, and its memory outlives the pool (`lent`).
                batch.push((at, unsafe { self.memory.io(frames[n]) }));
            }
        }
        let lent = self.memory.lend();
        let (_, done) = space.file().read_all(batch).await;
        lent.over();
        if let Err(e) = done {
            frames.into_iter().for_each(|no| self.give_free(no));
            out.into_iter().flatten().for_each(|l| self.unpin(l.pin));
            return Err(e.into());
        }
        for (n, i) in missing.into_iter().enumerate() {
            out[i] =
                Some(self.enter_loaded(PageId::new(space.id, pages[i].0), frames[n], read[n])?);
        }
        Ok(Some(out.into_iter().flatten().collect()))
    }

    fn pinned(&self, space: &Space, page: PageNo) -> Option<Loaded> {
        self.table.with(&self.frames, PageId::new(space.id, page), |no| {
            let f = &self.frames[no? as usize];
            f.pins.fetch_add(1, Ordering::AcqRel);
            no.map(|no| Loaded { pin: Pin::new(no), valid: true })
        })
    }

    fn enter_loaded(&self, id: PageId, no: FrameNo, read: bool) -> Result<Loaded> {
        // SAFETY: the frame is still this task's alone.
        let valid = read && page::verify(unsafe { self.memory.bytes(no) }, id).is_ok();
        if !valid {
            // SAFETY: the frame is still this task's alone.
            unsafe { self.memory.bytes_mut(no) }.fill(0);
        }
        let f = &self.frames[no as usize];
        f.set_loading();
        f.pins.store(1, Ordering::Release);
        if self.table.insert(&self.frames, id, no).is_err() {
            return Err(Error::Io { what: format!("{id} loaded twice during recovery") });
        }
        f.set_resident();
        self.replace.lock().admit(no, id, false);
        Ok(Loaded { pin: Pin::new(no), valid })
    }
}
