//! Changing the number of frames while running.

use super::Pool;
use super::frame::{Frame, FrameNo};
use super::gate::Kind;
use crate::error::{Error, Result};
use crate::log::Log;
use crate::policy::Cause;
use crate::sync::atomic::Ordering;

impl Pool {
    pub fn frames_max(&self) -> usize {
        self.frames.len()
    }

    /// Grows at once; shrinks by emptying the frames from `frames` up, writing the dirty ones first.
    pub async fn resize(&self, log: &Log, frames: usize) -> Result<()> {
        if frames > self.frames.len() {
            return Err(Error::Unsupported(format!(
                "the pool can grow to {} pages without a restart (twice its size at start)",
                self.frames.len()
            )));
        }
        if self.resizing.swap(true, Ordering::AcqRel) {
            return Err(Error::Unsupported(
                "the buffer pool is being resized already: try again when it is done".into(),
            ));
        }
        let _one = Resizing(self);
        let prepared = self.prepared.fetch_max(frames, Ordering::Relaxed);
        if frames > prepared {
            self.frames[prepared..frames].iter().for_each(Frame::prepare);
        }
        let old = self.size.swap(frames, Ordering::AcqRel);
        self.replace.lock().resize(frames);
        if frames >= old {
            for _ in 0..self.free.grow(frames) {
                self.free_queue.wake_one();
            }
            return Ok(());
        }
        for no in self.free.shrink(frames) {
            self.memory.release(no);
            self.free.retire(no);
        }
        self.replace.lock().retire(frames as FrameNo);
        for no in (frames..old).map(|n| n as FrameNo) {
            self.empty_frame(log, no).await?;
        }
        // Pages that were being loaded have joined the queues since.
        self.replace.lock().retire(frames as FrameNo);
        Ok(())
    }

    /// Returns when the frame is retired: anyone who loads or uses its page has let go of it, and it was written.
    async fn empty_frame(&self, log: &Log, no: FrameNo) -> Result<()> {
        let f = &self.frames[no as usize];
        let mut rounds = 0u32;
        while !self.free.is_retired(no) {
            if f.oldest_lsn() != 0 {
                self.flush_frames(log, &[no], self.way(Kind::List, Cause::Stop)).await?;
            }
            if !self.try_evict(no, true) {
                // Being loaded, pinned, latched or written: its user is on the way out.
                rounds += 1;
                let pause = std::time::Duration::from_micros(200 << rounds.min(8));
                self.rt.sleep(pause).await;
            }
        }
        Ok(())
    }
}

struct Resizing<'p>(&'p Pool);

impl Drop for Resizing<'_> {
    fn drop(&mut self) {
        self.0.resizing.store(false, Ordering::Release);
    }
}
