//! A disk that turns: one arm, one rotation, a queue.
//!
//! A request costs the arm's way, the turn until its first sector comes by, and its bytes. The way grows with the square root of the
//! distance, as arms accelerate; the turn follows from the drive's angle at that moment, so a log that is written record by record without
//! a cache misses its sector each time and waits for a whole turn, as it does on a real one. Of the requests that wait the one is next that
//! is reached first (native command queueing), unless another has been passed over for too long. Neighbours of one kind that wait are one request.

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
    /// Requests that the drive may choose from.
    pub queue: usize,
}

/// A request that the drive has known for so long is next, wherever it is.
const PATIENCE: Nanos = 1_000_000_000;
/// Neighbours that wait are one request up to so many bytes.
const MERGED: u64 = 512 << 10;

struct Waiting {
    request: Request,
    /// When the drive was given it: it knows no more than its queue has room for.
    known: Option<Nanos>,
    done: Arc<Event>,
}

struct State {
    queue: Vec<Waiting>,
    /// Where the arm is: behind the last request.
    at: u64,
    /// That was a read, and the drive has read on into its own memory.
    has_read: bool,
    last_end: Nanos,
}

pub struct Spindle {
    rt: Rt,
    drive: Drive,
    state: Mutex<State>,
    work: Notify,
}

impl Spindle {
    pub fn start(rt: &Rt, drive: Drive) -> Arc<Spindle> {
        let state = State { queue: Vec::new(), at: 0, has_read: false, last_end: 0 };
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
                if !arm.step().await {
                    arm.work.notified().await;
                }
            }
        });
        spindle
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves one request, with its neighbours. False: there is none.
    async fn step(&self) -> bool {
        let now = self.rt.now();
        let (batch, took) = {
            let mut s = self.lock();
            let Some(first) = self.choose(&mut s, now) else { return false };
            let batch = gather(&mut s.queue, first);
            let start = batch.iter().map(|w| w.request.at).min().unwrap_or(0);
            let bytes: u64 = batch.iter().map(|w| w.request.bytes).sum();
            let write = batch[0].request.write;
            let took = self.time(&s, Request { at: start, bytes, write }, now);
            s.at = start + bytes;
            s.last_end = now + took;
            s.has_read = !write;
            (batch, took)
        };
        self.rt.sleep(Duration::from_nanos(took)).await;
        batch.iter().for_each(|w| w.done.set());
        true
    }

    /// The index of the request that is next.
    fn choose(&self, s: &mut State, now: Nanos) -> Option<usize> {
        // The queue is in the order of arrival.
        let seen = s.queue.len().min(self.drive.queue);
        s.queue[..seen].iter_mut().for_each(|w| _ = w.known.get_or_insert(now));
        let first = s.queue.first()?.known;
        if first.is_some_and(|known| now.saturating_sub(known) > PATIENCE) {
            return Some(0);
        }
        (0..seen).min_by_key(|i| self.way(s, s.queue[*i].request, now))
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

    fn time(&self, s: &State, r: Request, now: Nanos) -> Nanos {
        self.way(s, r, now) + (r.bytes as f64 * 1e9 / self.drive.bytes_per_second) as Nanos
    }
}

/// Takes a request out of the queue, and those that wait right before and behind it.
fn gather(queue: &mut Vec<Waiting>, first: usize) -> Vec<Waiting> {
    let one = queue.remove(first);
    let (mut start, mut end, write) =
        (one.request.at, one.request.at + one.request.bytes, one.request.write);
    let mut batch = vec![one];
    while end - start < MERGED {
        let next = queue.iter().position(|w| {
            let r = w.request;
            r.write == write && (r.at == end || r.at + r.bytes == start)
        });
        let Some(next) = next else { break };
        let w = queue.remove(next);
        start = start.min(w.request.at);
        end = end.max(w.request.at + w.request.bytes);
        batch.push(w);
    }
    batch
}

impl Device for Spindle {
    fn serve(&self, request: Request) -> Served<'_> {
        let done = Arc::new(Event::new());
        self.lock().queue.push(Waiting { request, known: None, done: done.clone() });
        self.work.notify_one();
        Box::pin(async move { done.wait().await })
    }

    /// Its writes are done when they are on the platters.
    fn flush(&self) -> Served<'_> {
        Box::pin(async {})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::presets::SATA_7200;
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
}
