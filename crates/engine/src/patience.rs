//! How long a change waits for room in the log: a statement until its session is killed, an undoing ahead of everybody else.
//!
//! It belongs to a future, like the class of `priority`: while it is polled its thread has it. It is read only by those who have
//! to wait anyway.
//!
//! Invariant: what undoes changes is never interrupted, no matter who runs it.

use crate::error::{Error, Result};
use std::cell::RefCell;
use std::future::Future;
use std::sync::Arc;
use weir_rt::Interrupt;

#[derive(Clone, Default)]
enum Patience {
    /// To the end.
    #[default]
    Endless,
    UntilKilled(Arc<Interrupt>),
    /// To the end, and nobody else gets room that it waits for.
    Undoing,
}

thread_local! {
    static CURRENT: RefCell<Patience> = const { RefCell::new(Patience::Endless) };
}

/// The patience of a future on this thread, until the end of one poll.
struct Entered(Patience);

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(std::mem::take(&mut self.0));
    }
}

/// On the heap, so that anyone who awaits it does not grow by all of `f`.
fn with<F: Future>(patience: Option<Patience>, f: F) -> impl Future<Output = F::Output> {
    let mut f = Box::pin(f);
    std::future::poll_fn(move |cx| {
        let _entered = patience.as_ref().map(|p| Entered(CURRENT.replace(p.clone())));
        f.as_mut().poll(cx)
    })
}

/// Waits of a statement: those for room end with `Interrupted` when the switch is thrown.
pub fn until_killed<F: Future>(i: Arc<Interrupt>, f: F) -> impl Future<Output = F::Output> {
    with(Some(Patience::UntilKilled(i)), f)
}

/// As `until_killed`, where there is a switch; without one, waits have the patience of anyone who runs them.
pub fn on_behalf<F: Future>(i: Option<Arc<Interrupt>>, f: F) -> impl Future<Output = F::Output> {
    with(i.map(Patience::UntilKilled), f)
}

/// A rollback that a session waits for.
pub fn undoing<F: Future>(f: F) -> impl Future<Output = F::Output> {
    with(Some(Patience::Undoing), f)
}

pub fn is_undoing() -> bool {
    CURRENT.with_borrow(|p| matches!(p, Patience::Undoing))
}

fn switch() -> Option<Arc<Interrupt>> {
    CURRENT.with_borrow(|p| match p {
        Patience::UntilKilled(i) => Some(i.clone()),
        _ => None,
    })
}

/// An error when the statement that waits is killed: for waits that look at what they wait for now and then.
pub fn is_over() -> Result<()> {
    match switch().is_some_and(|i| i.killed() != 0) {
        true => Err(Error::Interrupted),
        false => Ok(()),
    }
}

/// Waits for `f` as long as anyone who waits is ready to. Nothing may be lost with `f` when it is dropped.
pub async fn or_killed<T>(f: impl Future<Output = T>) -> Result<T> {
    match switch() {
        None => Ok(f.await),
        Some(i) => weir_rt::or_killed(&i, f).await.map_err(|_| Error::Interrupted),
    }
}

#[cfg(all(test, not(any(shuttle, miri))))]
mod tests {
    use super::*;
    use std::time::Duration;
    use weir_rt::sim::SimRt;

    #[test]
    fn a_kill_ends_waits_but_none_of_an_undoing() {
        let sim = SimRt::new(1);
        let rt = sim.rt();
        let i = Arc::new(Interrupt::new());
        sim.run(async {
            let wait = async || {
                rt.sleep(Duration::from_secs(10)).await;
                7
            };
            let killer = {
                let (rt, i) = (rt.clone(), i.clone());
                rt.clone().spawn("killer", async move {
                    rt.sleep(Duration::from_secs(1)).await;
                    i.kill(1);
                })
            };
            let both = until_killed(i.clone(), async {
                assert!(!is_undoing());
                let ended = or_killed(wait()).await;
                let undone = undoing(async { (is_undoing(), or_killed(wait()).await) }).await;
                (ended, undone, or_killed(wait()).await)
            });
            let (ended, (inside, undone), after) = both.await;
            assert!(matches!(ended, Err(Error::Interrupted)));
            assert!(inside && matches!(undone, Ok(7)));
            assert!(matches!(after, Err(Error::Interrupted)));
            assert!(!is_undoing() && matches!(or_killed(wait()).await, Ok(7)));
            killer.await;
        })
        .unwrap();
    }
}
