//! On whose behalf the code at hand runs: a number that goes with the task, so that what waits deep inside can say whose
//! wait it is without being handed a session by every caller.
//!
//! A thread that serves one session at a time says so once ([`act_as`]); a task that shares its thread with others carries
//! it ([`acting`]) and sets it for each of its polls. Reading it is one load from the thread's own memory.

use std::cell::Cell;
use std::future::Future;
use std::marker::PhantomData;

/// Who acts. Numbers are the embedding program's (a server's connection ids); most are sessions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Actor(u64);

impl Actor {
    /// A session that nobody gave a number.
    pub const UNNAMED: Actor = Actor(0);
    /// A task that no session waits for.
    pub const BACKGROUND: Actor = Actor(u64::MAX);

    pub const fn session(id: u64) -> Actor {
        Actor(id)
    }

    /// The session's number, 0 when it has none; `None` for background tasks.
    pub fn id(self) -> Option<u64> {
        (self != Actor::BACKGROUND).then_some(self.0)
    }

    /// Who acts on this thread now.
    pub fn current() -> Actor {
        Actor(NOW.get())
    }
}

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
}

/// See [`act_as`]. Belongs to its thread.
#[must_use]
pub struct Acting {
    before: u64,
    _not_send: PhantomData<*const ()>,
}

impl Drop for Acting {
    fn drop(&mut self) {
        NOW.set(self.before);
    }
}

/// What this thread does while the guard lives is done for `who`.
pub fn act_as(who: Actor) -> Acting {
    Acting { before: NOW.replace(who.0), _not_send: PhantomData }
}

/// `f`, each of whose polls is done for `who`.
pub async fn acting<F: Future>(who: Actor, f: F) -> F::Output {
    let mut f = std::pin::pin!(f);
    std::future::poll_fn(move |cx| {
        let _acting = act_as(who);
        f.as_mut().poll(cx)
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::SimRt;

    #[test]
    fn tasks_on_one_thread_keep_their_own() {
        for seed in 0..20 {
            let sim = SimRt::new(seed);
            let rt = sim.rt();
            let tasks = (1..=5).map(|id| {
                let me = async move {
                    for _ in 0..10 {
                        assert_eq!(Actor::current().id(), Some(id));
                        crate::yield_now().await;
                    }
                };
                rt.spawn("t", acting(Actor::session(id), me))
            });
            let tasks: Vec<_> = tasks.collect();
            let all = async {
                let nested = acting(Actor::BACKGROUND, async { Actor::current().id() });
                let nested = acting(Actor::session(9), async { (nested.await, Actor::current()) });
                assert_eq!(nested.await, (None, Actor::session(9)));
                for t in tasks {
                    assert_eq!(Actor::current(), Actor::UNNAMED);
                    t.await;
                }
            };
            assert!(sim.run(all).is_ok());
        }
        assert_eq!(Actor::current(), Actor::UNNAMED);
    }
}
