//! Floor 7: the tasks that write for those who do not wait: batches handed over, checkpoints, and the pages that batches have posted.

use super::Inner;
use crate::error::Result;
use crate::flush::checkpoint::checkpoint;
use crate::sync::atomic::Ordering;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

/// How often a stop looks whether everything posted is home.
const LOOK: Duration = Duration::from_millis(20);

/// Writes the batches and checkpoints of those who do not wait for their end.
pub async fn writer(db: Arc<Inner>) {
    let c = &db.core.flush;
    loop {
        if c.take_checkpoint()
            && let Err(e) = checkpoint(&db.core).await
        {
            db.fatal(&e);
            break;
        }
        let next = *c.handed.lock();
        if let Some(h) = next {
            let r = db.core.pool.list_batch(&db.core.log, &h.batch).await;
            *c.handed.lock() = None;
            c.handed_back.wake_all();
            if let Err(e) = r {
                db.fatal(&e);
                break;
            }
            continue;
        }
        if db.stop_cleaner.is_set() {
            break;
        }
        c.handed_over.notified().await;
    }
    c.has_writer.store(false, Ordering::Release);
    c.handed_back.wake_all();
}

/// A request at the device.
pub(super) type Request<'a> = Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>;

/// Writes what is posted: as many requests at the device at once as the mechanism in charge has threads. After a failure it goes on, so
/// that nobody waits for pages that would never come home; they go back to the dirty ones.
pub async fn posted(db: Arc<Inner>) {
    let (pool, log) = (&db.core.pool, &db.core.log);
    let mut busy: Vec<Request<'_>> = Vec::new();
    pool.open_posting();
    loop {
        while busy.len() < pool.write_threads()
            && let Some(request) = pool.next_request()
        {
            busy.push(Box::pin(pool.carry_out(log, request)));
        }
        if busy.is_empty() && db.stop_cleaner.is_set() {
            if pool.close_posting() {
                break;
            }
            db.rt.timeout(LOOK, pool.something_posted()).await;
            continue;
        }
        if let Err(e) = some_end(&mut busy, pool.something_posted()).await {
            db.fatal(&e);
        }
    }
}

/// Until a request has ended, or there may be another; the first error.
pub(super) async fn some_end(
    busy: &mut Vec<Request<'_>>,
    more: impl Future<Output = ()>,
) -> Result<()> {
    let mut more = pin!(more);
    std::future::poll_fn(|cx| {
        let before = busy.len();
        let mut result = Ok(());
        busy.retain_mut(|r| match r.as_mut().poll(cx) {
            Poll::Pending => true,
            Poll::Ready(done) => {
                if result.is_ok() {
                    result = done;
                }
                false
            }
        });
        if busy.len() < before || more.as_mut().poll(cx).is_ready() {
            return Poll::Ready(result);
        }
        Poll::Pending
    })
    .await
}
