//! A disk that turns: one arm, one rotation, commands one after the other.
//!
//! A request costs the arm's way, the turn until its first sector comes by, and its bytes. The way grows with the square root of the
//! distance, as arms accelerate; the turn follows from the drive's angle at that moment, so a log that is written record by record without
//! a cache misses its sector each time and waits for a whole turn, as it does on a real one.
//!
//! The kernel's queue ([`Queue`]) gives the drive as many commands as it takes: one, or with native command queueing several, of which the
//! one is next that is reached first, unless another has been passed over for too long. A drive with a memory for writes of its own
//! ([`OwnCache`]) takes a write there in its turn among the commands, so the write waits for the command before it. What is kept goes to the
//! platters while no command wants the arm, or when there is no room for the next: once there is enough to choose from, or after a rest. That is
//! no command: the interface takes writes into the memory meanwhile, and a read waits until the arm is free.

use super::elevator::{Elevator, Queue, Waiting};
use super::kept::{Kept, OwnCache};
use super::{Device, Request, Served};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use weir_rt::{Event, Nanos, Notify, Rt};

/// A drive in numbers. Times in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    pub bytes: u64,
    pub turns_per_minute: f64,
    /// The arm's way to the next track, and across the whole disk.
    pub shortest_seek: f64,
    pub longest_seek: f64,
    /// Until a write may begin after the arm has come.
    pub write_settle: f64,
    pub bytes_per_second: f64,
    /// Commands that the drive takes at once, and may choose from.
    pub queue: usize,
    /// Who orders the requests before it.
    pub elevator: Elevator,
    pub cache: Option<OwnCache>,
}

/// A command that the drive has known for so long is next, wherever it is.
const PATIENCE: Nanos = 1_000_000_000;
/// Without a command for so long, a drive writes the last few that it has kept (an estimate).
const REST: Duration = Duration::from_millis(100);

struct State {
    /// What the kernel has not given to the drive yet.
    queue: Queue,
    /// What the drive has: since when, in the order in which it came.
    commands: Vec<Waiting>,
    kept: Kept,
    /// Who waits for all kept writes up to a number.
    flushes: Vec<(u64, Arc<Event>)>,
    /// Where the arm is: behind the last request.
    at: u64,
    /// That was a read, and the drive has read on into its own memory.
    has_read: bool,
    /// When the arm has done what it was given.
    last_end: Nanos,
}

impl State {
    fn arm_is_free(&self, now: Nanos) -> bool {
        now >= self.last_end
    }

    /// Those who wait for kept writes that are on the platters now.
    fn end_flushes(&mut self, now: Nanos) {
        // What the arm is writing is no longer kept and not yet there.
        if !self.arm_is_free(now) {
            return;
        }
        let State { flushes, kept, .. } = self;
        flushes.retain(|(number, done)| {
            let written = kept.is_written(*number);
            if written {
                done.set();
            }
            !written
        });
    }
}

/// What the drive does next.
enum Work {
    /// A command: how long it takes, and whose end that is.
    Command {
        took: Nanos,
        ends: Vec<Arc<Event>>,
    },
    /// Nothing until the arm is free. `deaf`: whatever comes meanwhile waits behind a command that is waiting for the arm.
    Arm {
        deaf: bool,
    },
    Nothing,
}

pub struct Spindle {
    rt: Rt,
    drive: Drive,
    state: Mutex<State>,
    work: Notify,
}

impl Spindle {
    pub fn start(rt: &Rt, drive: Drive) -> Arc<Spindle> {
        let state = State {
            queue: Queue::new(drive.elevator),
            commands: Vec::new(),
            kept: Kept::default(),
            flushes: Vec::new(),
            at: 0,
            has_read: false,
            last_end: 0,
        };
        let spindle = Arc::new(Spindle {
            rt: rt.clone(),
            drive,
            state: Mutex::new(state),
            work: Notify::new(),
        });
        // The task goes with the simulated runtime.
        let arm = spindle.clone();
        rt.spawn("drive", async move {
            loop {
                if arm.step(false).await {
                    continue;
                }
                let rested = arm.rt.timeout(REST, arm.work.notified()).await.is_none();
                // Nothing has come: what is kept need not wait for more of it.
                if rested && !arm.step(true).await {
                    arm.work.notified().await;
                }
            }
        });
        spindle
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does one thing. `rested`: however little is kept, it goes to the platters. False: there is nothing to do.
    async fn step(&self, rested: bool) -> bool {
        let (work, free) = {
            let (mut s, now) = (self.lock(), self.rt.now());
            s.end_flushes(now);
            let work = self.next(&mut s, rested, now);
            (work, s.last_end.saturating_sub(now))
        };
        match work {
            Work::Nothing => return false,
            Work::Command { took, ends } => {
                self.rt.sleep(Duration::from_nanos(took)).await;
                ends.iter().for_each(|e| e.set());
            }
            Work::Arm { deaf: true } => self.rt.sleep(Duration::from_nanos(free)).await,
            Work::Arm { deaf: false } => {
                self.rt.timeout(Duration::from_nanos(free), self.work.notified()).await;
            }
        }
        let now = self.rt.now();
        self.lock().end_flushes(now);
        true
    }

    fn next(&self, s: &mut State, rested: bool, now: Nanos) -> Work {
        while s.commands.len() < self.drive.queue {
            let Some(w) = s.queue.next(now) else { break };
            s.commands.push(Waiting { since: now, ..w });
        }
        // A flush is a command as well: others wait for its end.
        if !s.flushes.is_empty() {
            self.empty(s, now);
            if !s.arm_is_free(now) {
                return Work::Arm { deaf: true };
            }
        }
        let Some(first) = self.choose(s, now) else {
            let enough = self.drive.cache.is_some_and(|c| s.kept.len() >= c.choice);
            if enough || rested {
                self.empty(s, now);
            }
            return if s.arm_is_free(now) { Work::Nothing } else { Work::Arm { deaf: false } };
        };
        let request = s.commands[first].request;
        if let (Some(cache), true) = (self.drive.cache, request.write) {
            // Where there is no room, another write goes to the platters first.
            if !s.kept.take(request, cache.bytes) {
                self.empty(s, now);
                return Work::Arm { deaf: true };
            }
            let w = s.commands.remove(first);
            return Work::Command { took: cache.time(request.bytes), ends: vec![w.done] };
        }
        if !s.arm_is_free(now) {
            return Work::Arm { deaf: true };
        }
        let w = s.commands.remove(first);
        let State { queue, commands, .. } = s;
        let (request, ends) = queue.gather(w, commands);
        Work::Command { took: self.move_arm(s, request, now), ends }
    }

    /// One of the kept writes goes to the platters, if the arm is free.
    fn empty(&self, s: &mut State, now: Nanos) {
        let Some(cache) = self.drive.cache.filter(|_| !s.kept.is_empty() && s.arm_is_free(now))
        else {
            return;
        };
        let mut kept = std::mem::take(&mut s.kept);
        let next = kept.leave(s.at, cache.choice, |r| self.way(s, r, now));
        s.kept = kept;
        if let Some(request) = next {
            self.move_arm(s, request, now);
        }
    }

    /// Nanoseconds of a request of the arm, which is behind it then.
    fn move_arm(&self, s: &mut State, r: Request, now: Nanos) -> Nanos {
        let bytes = r.bytes as f64 * 1e9 / self.drive.bytes_per_second;
        let took = self.way(s, r, now) + bytes as Nanos;
        (s.at, s.last_end, s.has_read) = (r.at + r.bytes, now + took, !r.write);
        took
    }

    /// The index of the command that is next.
    fn choose(&self, s: &State, now: Nanos) -> Option<usize> {
        let known = s.commands.first()?.since;
        if now.saturating_sub(known) > PATIENCE {
            return Some(0);
        }
        // A write that is only kept needs no arm.
        let way = |r: Request| match self.drive.cache {
            Some(_) if r.write => 0,
            _ => self.way(s, r, now),
        };
        (0..s.commands.len()).min_by_key(|i| way(s.commands[*i].request))
    }

    /// Nanoseconds until the first sector of a request comes by.
    fn way(&self, s: &State, r: Request, now: Nanos) -> Nanos {
        let d = &self.drive;
        if r.at == s.at && (now == s.last_end || (s.has_read && !r.write)) {
            return 0;
        }
        let turn = 60e9 / d.turns_per_minute;
        let track = d.bytes_per_second * turn / 1e9;
        let distance = r.at.abs_diff(s.at) as f64;
        let seek = if distance < track {
            0.0
        } else {
            let share = (distance / d.bytes as f64).min(1.0);
            (d.shortest_seek + (d.longest_seek - d.shortest_seek) * share.sqrt()) * 1e6
        };
        let settle = if r.write && seek > 0.0 { d.write_settle * 1e6 } else { 0.0 };
        let there = now as f64 + seek + settle;
        // Angles as shares of a turn.
        let angle = (there / turn).fract();
        let sector = (r.at as f64 / track).fract();
        let rest = (sector - angle).rem_euclid(1.0) * turn;
        (seek + settle + rest) as Nanos
    }
}

impl Device for Spindle {
    fn serve(&self, request: Request) -> Served<'_> {
        let done = Arc::new(Event::new());
        let w = Waiting { request, since: self.rt.now(), done: done.clone() };
        self.lock().queue.push(w);
        self.work.notify_one();
        Box::pin(async move { done.wait().await })
    }

    /// Without a memory of its own its writes are done when they are on the platters.
    fn flush(&self) -> Served<'_> {
        let done = Arc::new(Event::new());
        {
            let mut s = self.lock();
            let last = s.kept.last();
            s.flushes.push((last, done.clone()));
            s.end_flushes(self.rt.now());
        }
        self.work.notify_one();
        Box::pin(async move { done.wait().await })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::presets::{SATA_2009, SATA_7200};
    use weir_rt::Rng;
    use weir_rt::sim::SimRt;

    /// Random reads of 16 KiB per second with so many under way.
    fn random_reads(depth: u64) -> f64 {
        let sim = SimRt::new(1);
        let rt = sim.rt();
        sim.run(async {
            let d = Spindle::start(&rt, SATA_7200);
            let begun = rt.now();
            let readers = (0..depth).map(|n| {
                let d = d.clone();
                rt.spawn("r", async move {
                    let mut rng = Rng::new(n);
                    for _ in 0..400 {
                        let at = rng.below(SATA_7200.bytes / 16384) * 16384;
                        d.serve(Request { at, bytes: 16384, write: false }).await;
                    }
                })
            });
            for r in readers.collect::<Vec<_>>() {
                r.await;
            }
            (400 * depth) as f64 * 1e9 / (rt.now() - begun) as f64
        })
        .unwrap()
    }

    #[test]
    fn a_queue_makes_it_faster() {
        let (one, four, many) = (random_reads(1), random_reads(4), random_reads(32));
        assert!((65.0..95.0).contains(&one), "{one} reads per second");
        assert!(four > one * 1.2 && many > one * 1.8 && many < one * 4.0, "{one} {four} {many}");
        // More wait than the drive can be told of: it is no slower.
        let (more, most) = (random_reads(64), random_reads(128));
        assert!(more > many * 0.95 && most > many * 0.95, "{many} {more} {most}");
    }

    #[test]
    fn a_stream_runs_at_the_speed_of_the_platters_and_records_wait_for_a_turn() {
        let sim = SimRt::new(1);
        let rt = sim.rt();
        sim.run(async {
            let d = Spindle::start(&rt, SATA_7200);
            let (a, b) = (Request { at: 1 << 30, bytes: 64 << 20, write: false }, rt.now());
            d.serve(a).await;
            let rate = (64 << 20) as f64 * 1e9 / (rt.now() - b) as f64;
            assert!((0.9..1.01).contains(&(rate / SATA_7200.bytes_per_second)), "{rate}");
            let begun = rt.now();
            for n in 0..100 {
                d.serve(Request { at: (2 << 30) + n * 512, bytes: 512, write: true }).await;
                // The next record is made before it is written.
                rt.sleep(Duration::from_micros(100)).await;
            }
            let each = (rt.now() - begun) as f64 / 100e6;
            assert!((8.2..8.5).contains(&each), "{each} ms for a record");
        })
        .unwrap();
    }

    /// Where the data of a published run lie on one of ten disks: 1.4 GB at its begin.
    const STROKE: u64 = 1_400_000_000;
    const PAGE: u64 = 16384;

    fn page(rng: &mut Rng, write: bool) -> Request {
        Request { at: rng.below(STROKE / PAGE) * PAGE, bytes: PAGE, write }
    }

    /// Milliseconds on a disk of 2009 of whatever is done with it.
    fn ms<F: Future<Output = ()>>(work: impl FnOnce(Rt, Arc<Spindle>) -> F) -> f64 {
        let sim = SimRt::new(1);
        let rt = sim.rt();
        sim.run(async {
            let d = Spindle::start(&rt, SATA_2009);
            let begun = rt.now();
            work(rt.clone(), d).await;
            (rt.now() - begun) as f64 / 1e6
        })
        .unwrap()
    }

    /// So many writes that wait for their turns together.
    async fn at_once(rt: &Rt, d: &Arc<Spindle>, pages: u64) {
        let mut rng = Rng::new(9);
        let one = |_| {
            let (d, r) = (d.clone(), page(&mut rng, true));
            rt.spawn("w", async move { d.serve(r).await })
        };
        for w in (0..pages).map(one).collect::<Vec<_>>() {
            w.await;
        }
    }

    /// The times that a model of ten such disks was made with: 5.9 ms for a read (1.5 of them the arm's way), 0.3 for a write into the memory,
    /// 3.5 for a page that leaves it.
    #[test]
    fn service_times_of_a_disk_that_does_one_command_at_a_time() {
        let each = ms(|_, d| async move {
            let mut rng = Rng::new(5);
            for _ in 0..1000 {
                d.serve(page(&mut rng, false)).await;
            }
        }) / 1000.0;
        assert!((5.4..6.4).contains(&each), "{each} ms for a read");
        let each = ms(|rt, d| async move {
            let mut rng = Rng::new(5);
            for _ in 0..20 {
                d.serve(page(&mut rng, true)).await;
                rt.sleep(Duration::from_millis(20)).await;
            }
        }) / 20.0
            - 20.0;
        assert!((0.25..0.4).contains(&each), "{each} ms for a write");
        let each = (ms(|rt, d| async move {
            at_once(&rt, &d, 900).await;
            d.flush().await;
        }) / 900.0)
            - 0.31;
        assert!((2.5..4.5).contains(&each), "{each} ms for a page that leaves the memory");
    }

    /// Four pages are enough for the arm to begin; the interface has time for others meanwhile, and a read waits for the page under the arm.
    #[test]
    fn a_memory_takes_writes_while_the_arm_empties_it() {
        let latency = |write: bool| {
            let all = ms(|rt, d| async move {
                for n in 0..4 {
                    d.serve(Request { at: (n + 1) * STROKE / 8, bytes: PAGE, write: true }).await;
                }
                // The arm has begun, and needs some milliseconds for its way.
                rt.sleep(Duration::from_micros(100)).await;
                d.serve(Request { at: 0, bytes: PAGE, write }).await;
            });
            all - 4.0 * SATA_2009.cache.unwrap().time(PAGE) as f64 / 1e6 - 0.1
        };
        let (write, read) = (latency(true), latency(false));
        assert!((0.25..0.4).contains(&write), "{write} ms for a write beside the arm's work");
        assert!(read > 4.0, "{read} ms for a read behind it");
    }

    #[test]
    fn a_write_waits_for_the_command_before_it_and_a_full_memory_for_the_arm() {
        let write = |at| Request { at, bytes: PAGE, write: true };
        let behind = ms(|rt, d| async move {
            let one = d.clone();
            let far = Request { at: STROKE, bytes: 512 << 10, write: false };
            let read = rt.spawn("r", async move { one.serve(far).await });
            rt.sleep(Duration::from_micros(1)).await;
            d.serve(write(0)).await;
            read.await;
        });
        assert!(behind > 6.0, "{behind} ms: the read alone has 512 KiB to bring");
        // Twice what the memory holds, at once: the second half waits for the first to leave.
        let pages = 2 * (16 << 20) / PAGE;
        let all = ms(|rt, d| async move { at_once(&rt, &d, pages).await });
        let each = (all - 0.31 * pages as f64) / (pages / 2) as f64;
        assert!((2.0..4.5).contains(&each), "{each} ms for a page that makes room");
    }

    /// What a flush waits for: the writes before it, the one under the arm among them, and no later ones.
    #[test]
    fn a_flush_ends_while_writes_go_on() {
        let flush = ms(|rt, d| async move {
            let writer = d.clone();
            rt.spawn("w", async move {
                let mut rng = Rng::new(3);
                loop {
                    writer.serve(page(&mut rng, true)).await;
                }
            });
            rt.sleep(Duration::from_millis(5)).await;
            d.flush().await;
            assert!(d.lock().kept.is_written(1), "one was kept by then");
        });
        assert!((6.0..400.0).contains(&flush), "{flush} ms");
    }
}
