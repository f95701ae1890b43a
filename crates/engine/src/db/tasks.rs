//! The background tasks: their start, and their end in the order in which they need each other.

use super::{Inner, cleaner, readers, recorder, sweeper, writers};
use crate::cost::charged;
use crate::error::{Error, Result};
use crate::priority::{Class, in_class};
use crate::sync::atomic::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;
use weir_rt::{Actor, JoinHandle, acting};

impl Inner {
    /// Ends the background tasks except for the cleaner: they, and what follows them, may still need frames and log space.
    pub(super) async fn stop_tasks(&self) {
        self.stop.set();
        self.purge.wake.notify_all();
        self.orphans.wake.notify_all();
        self.core.log.end_answers();
        let tasks = std::mem::take(&mut *self.tasks.lock());
        for t in tasks {
            t.await;
        }
    }

    /// What only a clean stop writes down: counters and row counts.
    pub(super) async fn settle(&self) -> Result<()> {
        self.core.log.failure()?;
        for t in self.catalog.all_tables().into_iter().filter(|t| t.usable().is_ok()) {
            t.settle_counters().await?;
        }
        Ok(())
    }

    pub(super) async fn stop_cleaner(&self) {
        self.stop_cleaner.set();
        self.core.pool.frames_wanted.notify_all();
        self.core.log.space_wanted.notify_all();
        self.core.flush.handed_over.notify_all();
        self.core.pool.wake_writer();
        self.core.pool.wake_reader();
        let cleaner = std::mem::take(&mut *self.cleaner.lock());
        for t in cleaner {
            t.await;
        }
    }

    pub(super) async fn stop_recorder(&self) {
        self.stop_recorder.set();
        let tasks = std::mem::take(&mut *self.recorder.lock());
        for t in tasks {
            t.await;
        }
    }
}

/// A task that no session waits for by its name. The engine cannot do without any of them: one that ends by a panic ends the engine, since
/// sessions would wait for it for ever and nobody would know why.
fn spawn(
    inner: &Arc<Inner>,
    name: &'static str,
    task: impl Future<Output = ()> + Send + 'static,
) -> JoinHandle<()> {
    let task = charged(acting(Actor::BACKGROUND, task), inner.core.stats.background.clone());
    if inner.rt.is_sim() {
        // Anyone who simulates wants the panic itself.
        return inner.rt.spawn(name, task);
    }
    let db = inner.clone();
    let lost = move || {
        let what = format!(
            "the background task {name} ended by an internal error, please report it with what was told before; the next start recovers"
        );
        db.fatal(&Error::Io { what });
    };
    inner.rt.spawn(name, watched(task, lost))
}

/// Runs a task to its end, or to its panic, which is reported.
async fn watched(task: impl Future<Output = ()>, lost: impl Fn()) {
    let mut task = std::pin::pin!(task);
    std::future::poll_fn(|cx| {
        // The receiver of the report judges what the task has changed.
        let polled = catch_unwind(AssertUnwindSafe(|| task.as_mut().poll(cx)));
        polled.unwrap_or_else(|_| {
            lost();
            Poll::Ready(())
        })
    })
    .await;
}

pub(super) fn spawn_cleaner(inner: &Arc<Inner>) {
    let task = spawn(inner, "weir-cleaner", cleaner::cleaner(inner.clone()));
    inner.core.flush.has_writer.store(true, Ordering::Release);
    let writer = spawn(inner, "weir-writer", writers::writer(inner.clone()));
    let posted = spawn(inner, "weir-posted", writers::posted(inner.clone()));
    // What nobody has asked for yet is no sign of the foreground.
    let reader = in_class(Class::Engine, readers::reader(inner.clone()));
    let reader = spawn(inner, "weir-reader", reader);
    inner.cleaner.lock().extend([task, writer, posted, reader]);
}

pub(super) fn spawn_tasks(inner: &Arc<Inner>) {
    let flusher = spawn(inner, "weir-log", cleaner::log_flusher(inner.clone()));
    inner.tasks.lock().push(flusher);
    if inner.force.purges() {
        let purger = in_class(Class::Engine, cleaner::purger(inner.clone()));
        inner.tasks.lock().push(spawn(inner, "weir-purge", purger));
    }
    if inner.force.purges() {
        let sweeper = in_class(Class::Engine, sweeper::sweeper(inner.clone()));
        inner.tasks.lock().push(spawn(inner, "weir-sweep", sweeper));
    }
    if inner.force.rolls_back() {
        let keeper = in_class(Class::Engine, cleaner::orphan_keeper(inner.clone()));
        inner.tasks.lock().push(spawn(inner, "weir-undo", keeper));
    }
    inner.recorder.lock().extend([
        spawn(inner, "weir-history", recorder::recorder(inner.clone())),
        spawn(inner, "weir-flight", recorder::flight(inner.clone())),
    ]);
}

/// The task that gives answers in place of sessions. It ends when nobody can leave any more, see `stop_tasks`.
pub(super) fn spawn_answers(inner: &Arc<Inner>) {
    inner.core.log.begin_answers();
    let db = inner.clone();
    let serve = async move { db.core.log.serve_answers().await };
    inner.tasks.lock().push(spawn(inner, "weir-answers", serve));
}

#[cfg(all(test, not(any(shuttle, loom))))]
mod tests {
    use super::*;
    use std::cell::Cell;
    use weir_rt::Rt;

    #[test]
    fn a_panic_is_told_and_the_task_is_over() {
        let told = Cell::new(0);
        let rt = Rt::real();
        let lost = || told.set(told.get() + 1);
        rt.block_on(watched(async {}, lost));
        assert_eq!(told.get(), 0);
        let task = async {
            weir_rt::yield_now().await;
            panic!("on purpose");
        };
        rt.block_on(watched(task, lost));
        assert_eq!(told.get(), 1);
    }
}
