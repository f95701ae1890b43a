//! Images on their way home: the log first, the doublewrite area, the pages, the files' syncs.

use super::Pool;
use super::dblwr::BATCH;
use super::flush::Image;
use crate::error::{Error, Result};
use crate::files::Space;
use crate::ids::Lsn;
use crate::log::{Log, Reach};
use crate::planted::{self, Bug};
use crate::sync::atomic::{AtomicUsize, Ordering};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use weir_disk::IoBuf;

/// Files synced at once. Each end of one looks at all.
const SYNCS: usize = 256;

impl Image {
    /// Its bytes and where they go; the image has none from then on.
    pub(super) fn at_home(&mut self, page_size: usize) -> (u64, IoBuf) {
        let bytes = std::mem::replace(&mut self.buf, IoBuf::new(0));
        self.space.goes_home(self.id.page, self.lsn);
        (u64::from(self.id.page) * page_size as u64, bytes)
    }
}

/// Returns when the log is durable up to the newest of these page LSNs.
pub(super) async fn log_first(log: &Log, mut lsns: impl Iterator<Item = Lsn>) -> Result<()> {
    let first = lsns.next().unwrap_or(0);
    let newest = lsns.fold(first, Lsn::max);
    let goal = if planted::is(Bug::WalOfFirstPageOnly) { first } else { newest };
    log.flush_to(goal, Reach::Durable).await?;
    assert!(log.durable() >= newest, "pages up to {newest} go home before their log (I8)");
    Ok(())
}

/// Carries out requests, `n` at a time, to their last; the first error counts.
async fn at_once<F: Future<Output = weir_disk::Result<()>>>(
    n: usize,
    all: Vec<F>,
) -> weir_disk::Result<()> {
    let mut waiting = all.into_iter().map(Box::pin);
    let mut busy: Vec<Pin<Box<F>>> = waiting.by_ref().take(n.max(1)).collect();
    let mut result = Ok(());
    std::future::poll_fn(|cx| {
        let mut i = 0;
        while i < busy.len() {
            let Poll::Ready(done) = busy[i].as_mut().poll(cx) else {
                i += 1;
                continue;
            };
            if result.is_ok() {
                result = done;
            }
            match waiting.next() {
                Some(next) => busy[i] = next,
                None => drop(busy.swap_remove(i)),
            }
        }
        if busy.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    result
}

/// So many syncs are under way.
struct Under<'a>(&'a AtomicUsize, usize);

impl<'a> Under<'a> {
    fn way(count: &'a AtomicUsize, n: usize) -> Under<'a> {
        count.fetch_add(n, Ordering::Relaxed);
        Under(count, n)
    }
}

impl Drop for Under<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(self.1, Ordering::Relaxed);
    }
}

impl Pool {
    pub(super) async fn write_images(&self, log: &Log, images: &mut [Image]) -> Result<()> {
        if images.is_empty() {
            return Ok(());
        }
        images.sort_by_key(|i| i.id);
        // I8: first the log, then the copy that repairs a torn page, then the page itself.
        log_first(log, images.iter().map(|i| i.lsn)).await?;
        let copies = !self.flush.without_copies.load(Ordering::Relaxed);
        if let Some(d) = self.flush.dblwr.as_ref().filter(|_| copies) {
            for chunk in images.chunks_mut(BATCH) {
                let bufs: Vec<IoBuf> = chunk
                    .iter_mut()
                    .map(|i| std::mem::replace(&mut i.buf, IoBuf::new(0)))
                    .collect();
                let back = d.write(bufs).await?;
                for (i, b) in chunk.iter_mut().zip(back) {
                    i.buf = b;
                }
                self.flush.stats.dblwr_pages.fetch_add(chunk.len() as u64, Ordering::Relaxed);
                self.flush.stats.dblwr_writes.fetch_add(1, Ordering::Relaxed);
                self.write_home(chunk).await?;
            }
            return Ok(());
        }
        self.write_home(images).await
    }

    async fn write_home(&self, images: &mut [Image]) -> Result<()> {
        match self.flush.merge.load(Ordering::Relaxed) {
            0 => self.write_portions(images).await?,
            merge => self.write_requests(images, merge).await?,
        }
        if planted::is(Bug::PageSyncForgotten) {
            return Ok(());
        }
        let spaces = images.chunk_by(|a, b| a.id.space == b.id.space);
        self.sync_files(spaces.map(|run| run[0].space.clone()).collect()).await
    }

    /// In portions of as many pages as may be at the device at once; it joins those that are adjacent.
    async fn write_portions(&self, images: &mut [Image]) -> Result<()> {
        for run in images.chunk_by_mut(|a, b| a.id.space == b.id.space) {
            let space = run[0].space.clone();
            let file = space.file();
            for part in run.chunks_mut(self.flush.window.load(Ordering::Relaxed)) {
                let batch = part.iter_mut().map(|i| i.at_home(self.page_size)).collect();
                let (pages, begun) = (part.len(), self.rt.now());
                let (_, done) = file.write_all(batch).await;
                done?;
                self.requesters.wrote(&space, pages, self.rt.now() - begun);
            }
        }
        Ok(())
    }

    /// By threads, each of which takes up to `merge` adjacent pages and writes them with one request.
    async fn write_requests(&self, images: &mut [Image], merge: usize) -> Result<()> {
        let adjacent =
            |a: &Image, b: &Image| a.id.space == b.id.space && a.id.page + 1 == b.id.page;
        let mut requests = Vec::new();
        for run in images.chunk_by_mut(adjacent) {
            for part in run.chunks_mut(merge) {
                let space = part[0].space.clone();
                let batch = part.iter_mut().map(|i| i.at_home(self.page_size)).collect();
                let pages = part.len();
                requests.push(async move {
                    let (turn, begun) = (self.requesters.writers.begin(), self.rt.now());
                    space.file().write_all(batch).await.1?;
                    let took = self.rt.now() - begun;
                    turn.ended(pages as u64, took, (0..pages).map(|_| took));
                    space.meters[1].add(pages as u64, took);
                    Ok(())
                });
            }
        }
        self.flush.stats.requests.fetch_add(requests.len() as u64, Ordering::Relaxed);
        Ok(at_once(self.flush.window.load(Ordering::Relaxed), requests).await?)
    }

    /// Syncs files at once: the device can serve them with one flush of its cache.
    pub(crate) async fn sync_files(&self, spaces: Vec<Arc<Space>>) -> Result<()> {
        self.flush.stats.data_syncs.fetch_add(spaces.len() as u64, Ordering::Relaxed);
        let syncs = spaces.iter().map(|s| s.file().sync()).collect::<Vec<_>>();
        let _under_way = Under::way(&self.flush.syncing, spaces.len());
        match at_once(SYNCS, syncs).await {
            // I12: after a failed sync nobody knows what is on disk.
            Err(e) if !planted::is(Bug::PageSyncErrorIgnored) => {
                Err(Error::Io { what: format!("sync failed, the server must stop: {e}") })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(all(test, not(any(shuttle, loom))))]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;
    use std::time::Duration;
    use weir_rt::sim::SimRt;

    #[test]
    fn so_many_requests_at_a_time() {
        let sim = SimRt::new(1);
        let rt = sim.rt();
        sim.run(async {
            for (n, most, millis) in [(1, 1, 100), (4, 4, 30), (64, 10, 10), (0, 1, 100)] {
                let (now, seen) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
                let begun = rt.now();
                let all = (0..10).map(|_| {
                    let (rt, now, seen) = (rt.clone(), now.clone(), seen.clone());
                    async move {
                        now.set(now.get() + 1);
                        seen.set(seen.get().max(now.get()));
                        rt.sleep(Duration::from_millis(10)).await;
                        now.set(now.get() - 1);
                        Ok(())
                    }
                });
                at_once(n, all.collect()).await.unwrap();
                assert_eq!((seen.get(), (rt.now() - begun) / 1_000_000), (most, millis), "{n}");
            }
        })
        .unwrap();
    }
}
