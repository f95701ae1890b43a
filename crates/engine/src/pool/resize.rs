//! Changing the number of frames while running.

use super::Pool;
use super::frame::FrameNo;
use crate::error::{Error, Result};
use crate::log::Log;
use std::sync::atomic::Ordering;

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
        let old = self.size.swap(frames, Ordering::AcqRel);
        self.replace.lock().resize(frames);
        if frames >= old {
            for no in old..frames {
                self.free.lock().push(no as FrameNo);
                self.free_len.fetch_add(1, Ordering::Relaxed);
                self.free_queue.wake_one();
            }
            return Ok(());
        }
        {
            let mut free = self.free.lock();
            let before = free.len();
            free.retain(|no| {
                let keep = (*no as usize) < frames;
                if !keep {
                    self.memory.release(*no);
                }
                keep
            });
            self.free_len.fetch_sub(before - free.len(), Ordering::Relaxed);
        }
        self.replace.lock().retire(frames as FrameNo);
        for no in (frames..old).map(|n| n as FrameNo) {
            self.empty_frame(log, no).await?;
        }
        Ok(())
    }

    async fn empty_frame(&self, log: &Log, no: FrameNo) -> Result<()> {
        let f = &self.frames[no as usize];
        let mut rounds = 0u32;
        while f.is_resident() {
            if f.oldest_lsn() != 0 {
                self.flush_frames(log, &[no], super::FlushKind::Lru).await?;
            }
            if !self.try_evict(no) && f.is_resident() {
                // Pinned, latched or being written; its user is on the way out.
                rounds += 1;
                let pause = std::time::Duration::from_micros(200 << rounds.min(8));
                self.rt.sleep(pause).await;
            }
        }
        Ok(())
    }
}
