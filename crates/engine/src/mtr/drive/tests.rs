//! The driver with attempts that lack each of the things there are to lack, one after the other.

use super::*;
use crate::ids::PageId;
use crate::mtr::Job;
use crate::pool::{Access, LatchMode};
use crate::space::SYSTEM;
use crate::testing::{core, lives};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;
use weir_rt::Rt;

const HEADER: PageId = PageId::new(SYSTEM, 0);

/// Counts what it is asked for; the switch is its own.
struct Fake {
    met: u32,
    switch: Arc<Interrupt>,
}

impl Fake {
    fn new() -> Fake {
        Fake { met: 0, switch: Arc::new(Interrupt::new()) }
    }
}

impl Waiter for Fake {
    type Need = u32;

    async fn meet(&mut self, need: u32) -> Result<()> {
        self.met += need;
        Ok(())
    }

    fn switch(&self) -> Option<Arc<Interrupt>> {
        Some(self.switch.clone())
    }

    fn may_go_on(&self) -> Result<()> {
        match self.switch.killed() {
            0 => Ok(()),
            _ => Err(Error::Interrupted),
        }
    }
}

fn with_core(test: impl AsyncFn(&Rt, &Core)) {
    lives(1, 1, async |life| {
        let db = life.open().await;
        test(&life.rt, core(&db)).await;
    });
}

/// Both at once; the first is there to let go of what the second waits for.
async fn beside<T>(first: impl Future<Output = ()>, second: impl Future<Output = T>) -> T {
    let (mut first, mut second) = (std::pin::pin!(first), std::pin::pin!(second));
    let mut ended = false;
    std::future::poll_fn(|cx| {
        ended = ended || first.as_mut().poll(cx).is_ready();
        second.as_mut().poll(cx)
    })
    .await
}

#[test]
fn an_attempt_gets_one_thing_after_the_other() {
    with_core(async |_, core| {
        let mut who = Fake::new();
        let mut attempts = 0;
        let restarts = core.stats.restarts.load(Ordering::Relaxed);
        let seen = drive(core, 100, &mut who, |who, w| -> std::result::Result<_, Halt<u32>> {
            attempts += 1;
            let held = (w.grant.as_ref().map(Grant::payload), w.pins.len());
            match attempts {
                1 => Err(PageWait::Load(HEADER).into()),
                2 => {
                    assert_eq!(
                        held,
                        (Some(100), 1),
                        "grant and pin stay while a page is waited for"
                    );
                    Err(PageWait::Load(PageId::new(SYSTEM, 1)).into())
                }
                3 => {
                    assert_eq!(held, (Some(100), 2), "the first page stays pinned (I5)");
                    w.gather().seal(5000).map(|_| 0).map_err(Halt::Stop)
                }
                4 => {
                    assert_eq!(held, (Some(5000), 2));
                    assert_eq!(who.met, 0);
                    Err(Halt::Need(7))
                }
                5 => {
                    assert_eq!(
                        held,
                        (Some(5000), 0),
                        "pins went before the wait, the grant is new"
                    );
                    let job: Job = Box::new(|_| Box::pin(async { Ok(()) }));
                    Err(Stop::Wait(Wait::Job(job)).into())
                }
                _ => Ok(who.met),
            }
        });
        assert_eq!(seen.await.unwrap(), 7);
        assert_eq!(attempts, 6);
        assert_eq!(core.stats.restarts.load(Ordering::Relaxed) - restarts, 4, "a need is none");
    });
}

#[test]
fn nothing_is_held_while_a_need_is_met() {
    with_core(async |_, core| {
        let mut who = Fake::new();
        let mut w = Work::new(core, 100);
        assert!(w.is_ready());
        w.load(HEADER).await.unwrap();
        assert!(w.grant.is_some() && w.pins.len() == 1);
        w.wait(&mut who, Halt::Need(1)).await.unwrap();
        assert!(w.grant.is_none() && w.pins.len() == 0);
    });
}

#[test]
fn a_latch_is_waited_for() {
    with_core(async |rt, core| {
        run(core, 0, |w| w.gather().fix(HEADER, LatchMode::S).map(|_| ())).await.unwrap();
        let holder = async {
            let latched = core.pool.fix(HEADER, LatchMode::X, Access::Point);
            rt.sleep(Duration::from_secs(1)).await;
            drop(latched);
        };
        let mut attempts = 0;
        let begun = rt.now();
        let read = run(core, 0, |w| {
            attempts += 1;
            w.gather().fix(HEADER, LatchMode::S).map(|_| ())
        });
        beside(holder, read).await.unwrap();
        assert_eq!((attempts, rt.now() - begun), (2, 1_000_000_000));
    });
}

/// All the room that can be granted, so that the next one waits.
fn fill(core: &Core) -> Vec<Grant<'_>> {
    let size = core.log.grant_max() as usize / 8;
    std::iter::from_fn(|| core.log.grant_now(size)).collect()
}

#[test]
fn room_in_the_log_is_waited_for_before_the_first_attempt() {
    with_core(async |rt, core| {
        let want = core.log.grant_max() as usize / 4;
        let taken = Rc::new(Cell::new(Some(fill(core))));
        let others = async {
            rt.sleep(Duration::from_secs(1)).await;
            taken.take();
        };
        let begun = rt.now();
        let mut attempts = 0;
        let write = run(core, want, |w| {
            attempts += 1;
            assert!(w.grant.as_ref().is_some_and(|g| g.payload() >= want));
            Ok(())
        });
        beside(others, write).await.unwrap();
        assert_eq!((attempts, rt.now() - begun), (1, 1_000_000_000));
    });
}

#[test]
fn a_kill_ends_the_wait_for_room() {
    with_core(async |rt, core| {
        let want = core.log.grant_max() as usize / 4;
        let _taken = fill(core);
        let mut who = Fake::new();
        let switch = who.switch.clone();
        let killer = async {
            rt.sleep(Duration::from_secs(1)).await;
            switch.kill(1);
        };
        let write = drive(core, want, &mut who, |_, _| Ok::<(), Halt<u32>>(()));
        assert!(matches!(beside(killer, write).await, Err(Error::Interrupted)));
    });
}

#[test]
fn who_is_killed_makes_no_further_attempt_but_an_operation_on_its_own_does() {
    with_core(async |_, core| {
        let mut who = Fake::new();
        let mut attempts = 0;
        let killed = drive(core, 0, &mut who, |who, _| {
            attempts += 1;
            who.switch.kill(1);
            Err::<(), Halt<u32>>(PageWait::Load(HEADER).into())
        });
        assert!(matches!(killed.await, Err(Error::Interrupted)));
        assert_eq!(attempts, 1);

        let alone = run(core, 0, |_| {
            attempts += 1;
            if attempts < 4 { Err(PageWait::Load(HEADER).into()) } else { Ok(attempts) }
        });
        let inside = patience::until_killed(who.switch.clone(), alone);
        assert_eq!(inside.await.unwrap(), 4);
    });
}

#[test]
fn an_error_ends_it_at_once() {
    with_core(async |_, core| {
        let mut attempts = 0;
        let failed = run(core, 0, |_| {
            attempts += 1;
            Err::<(), Stop>(Error::ShuttingDown.into())
        });
        assert!(matches!(failed.await, Err(Error::ShuttingDown)));
        assert_eq!(attempts, 1);
    });
}

/// No latch is held across a wait: a guard that has left its attempt is found before the wait begins.
#[test]
#[should_panic(expected = "an attempt ended with a page latched (I1)")]
fn a_latch_that_outlives_its_attempt_is_found() {
    with_core(async |_, core| {
        let mut kept = None;
        let mut attempts = 0;
        let leaky = run(core, 0, |_| {
            attempts += 1;
            if attempts > 1 {
                kept = Some(core.pool.fix(HEADER, LatchMode::S, Access::Point)?);
            }
            Err::<(), Stop>(PageWait::Load(HEADER).into())
        });
        let _ = leaky.await;
    });
}
