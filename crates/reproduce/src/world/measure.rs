//! What is seen of a run while it is under way.

use crate::data::{STOPPED, Watch};
use crate::figures::{Measured, Point};
use crate::machine::{self, presets::Machine};
use crate::plan::{Load, Plan};
use crate::users::World;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Points of a curve.
const POINTS: u64 = 600;
/// Looks at the processors for each point.
const LOOKS: u64 = 20;
/// A run that is not over after so many times its published length will not be.
const PATIENCE: f64 = 4.0;
/// Nor does a warm-up by laps of the log last longer than this, in nanoseconds of the world's time.
const LAPS_PATIENCE: u64 = 3_600_000_000_000;

/// Counters of device and processors since the beginning.
#[derive(Clone, Copy, Default)]
pub struct Hardware {
    pub reads: u64,
    pub writes: u64,
    /// Nanoseconds of all processors together.
    pub busy: u64,
    /// Direct reads, and direct writes, where they are known.
    pub direct: [Direct; 2],
}

/// Sums over the requests of a kind.
#[derive(Clone, Copy, Default)]
pub struct Direct {
    pub requests: u64,
    pub bytes: u64,
    /// Nanoseconds that threads waited for them.
    pub time: u64,
}

impl Direct {
    fn since(self, from: Direct) -> Direct {
        let (requests, bytes) = (self.requests - from.requests, self.bytes - from.bytes);
        Direct { requests, bytes, time: self.time - from.time }
    }

    /// Milliseconds of a request.
    fn latency(self) -> f64 {
        self.time as f64 / 1e6 / self.requests.max(1) as f64
    }

    /// Pages of 16 KiB in a request.
    fn pages(self) -> f64 {
        self.bytes as f64 / 16384.0 / self.requests.max(1) as f64
    }
}

/// What knows them.
pub trait Meter: Sync {
    fn read(&self, engine: &Seen) -> Hardware;
    fn processors(&self) -> f64;
    /// The share of the processors that the kernel counts as waiting for a disk, from 0 to 1.
    fn waiting(&self) -> f64;
}

/// Of a computed machine.
pub struct Computed<'a>(pub &'a Machine);

impl Meter for Computed<'_> {
    fn read(&self, _: &Seen) -> Hardware {
        let n = |a: &AtomicU64| a.load(Ordering::Relaxed);
        let c = &self.0.counters;
        let direct = |d: &machine::Direct| Direct {
            requests: n(&d.requests),
            bytes: n(&d.bytes),
            time: n(&d.time),
        };
        Hardware {
            reads: n(&c.reads),
            writes: n(&c.writes),
            busy: self.0.cpu.busy(),
            direct: c.direct.each_ref().map(direct),
        }
    }

    fn processors(&self) -> f64 {
        self.0.cpu.processors() as f64
    }

    fn waiting(&self) -> f64 {
        let sleepers = self.0.counters.waiting.load(Ordering::Relaxed);
        let processors = self.processors();
        idle_and_waiting(self.0.cpu.idle() as f64 / processors, sleepers, processors)
    }
}

/// Linux 2.6 counts the time of an idle processor as waiting if a task that sleeps for a disk went to sleep on that processor. Each of the
/// sleepers did so on any of them, so a processor that is idle has none of them with (1 - 1/processors) to the power of their number.
fn idle_and_waiting(idle: f64, sleepers: u64, processors: f64) -> f64 {
    idle * (1.0 - (1.0 - 1.0 / processors.max(1.0)).powf(sleepers as f64))
}

/// Sums over the measured part, and what they were at the last look.
#[derive(Default)]
struct Totals {
    looks: f64,
    dirty: f64,
    change_buffer: f64,
    waiting: f64,
}

/// What the engine says at one moment.
pub struct Seen(pub Vec<(&'static str, u64)>);

impl Seen {
    pub fn of(&self, name: &str) -> f64 {
        self.0.iter().find(|s| s.0 == name).map_or(0.0, |s| s.1 as f64)
    }

    fn share(&self, name: &str) -> f64 {
        self.of(name) * 100.0 / self.of("Innodb_buffer_pool_pages_total").max(1.0)
    }
}

/// Warm-up and length of the measured part in seconds; a length of `None` ends with the work.
fn length(plan: &Plan) -> (f64, f64, bool) {
    match plan.load {
        Load::Tpcc { warmup, seconds, .. } => {
            (plan.size.warmup(warmup), plan.size.seconds(seconds), false)
        }
        // As long as the slowest published one, for the curve's steps.
        Load::Insert { rows, .. } => {
            let rows = rows / plan.size.rows() / plan.size.shorter;
            (0.0, rows as f64 / 300.0, true)
        }
        Load::Oltp { requests, .. } => (0.0, requests as f64 / 18.0, true),
    }
}

pub async fn measure(
    w: &Arc<World>,
    m: &dyn Meter,
    redo: u64,
    watch: Watch<'_>,
) -> Result<Measured, String> {
    let (warmup, seconds, by_work) = length(&w.plan);
    let step = seconds / POINTS as f64;
    let mut out = Measured {
        name: w.plan.name.clone(),
        size: w.plan.size.describe(),
        shorter: w.plan.size.time(),
        step,
        window: w.plan.window,
        ..Measured::default()
    };
    first_laps(w, redo, watch).await?;
    let zero = w.rt.now();
    let warm = (warmup / step).round() as u64;
    let most = if by_work { (POINTS as f64 * PATIENCE) as u64 } else { warm + POINTS };
    let mut t = Totals::default();
    let mut before = Seen(w.db.status());
    let mut from = (w.rt.now(), m.read(&before));
    let mut progress = (w.recording.progress(), before.of("Innodb_os_log_written"));
    let mut lsn = progress.1;
    for n in 0..most {
        if n == warm {
            w.recording.restart();
            (t, before) = (Totals::default(), Seen(w.db.status()));
            from = (w.rt.now(), m.read(&before));
        }
        if w.is_over() {
            break;
        }
        let last = w.rt.now();
        let s = look(w, m, step, &mut t).await;
        let now = (w.recording.progress(), s.of("Innodb_os_log_written"));
        let at = (w.rt.now() - zero) as f64 / 1e9;
        // The last step of a load that ends with its work is shorter than the others.
        let took = (w.rt.now() - last).max(1) as f64 / 1e9;
        out.points.push(Point {
            at,
            rate: (now.0 - progress.0) as f64 / took,
            dirty: s.share("Innodb_buffer_pool_pages_dirty"),
            age: s.of("Weir_checkpoint_age") / redo as f64,
            log: (now.1 - lsn) / took,
            change_buffer: s.share("Innodb_ibuf_size"),
        });
        (progress, lsn) = (now, now.1);
        if !watch(n as f64 / (if by_work { POINTS } else { most }) as f64) {
            return Err(STOPPED.into());
        }
    }
    if by_work && !w.is_over() {
        return Err(format!(
            "{} is not over after {PATIENCE} times the length of the slowest that was published",
            w.plan.name
        ));
    }
    out.points.drain(..(warm as usize).min(out.points.len()));
    finish(w, m, &t, from, &before, &mut out);
    w.recording.fill(&mut out);
    Ok(out)
}

/// The part of the warm-up that ends with so many laps of the redo log.
async fn first_laps(w: &World, redo: u64, watch: Watch<'_>) -> Result<(), String> {
    let Load::Tpcc { warmup_laps: laps @ 1.., .. } = w.plan.load else { return Ok(()) };
    let written = || Seen(w.db.status()).of("Innodb_os_log_written");
    let (begun, end) = (written(), f64::from(laps) * redo as f64);
    let since = w.rt.now();
    while !w.is_over() && written() - begun < end {
        w.rt.sleep(Duration::from_millis(500)).await;
        if !watch(0.0) {
            return Err(STOPPED.into());
        }
        if w.rt.now() - since > LAPS_PATIENCE {
            return Err(format!("{} does not write its log {laps} times in an hour", w.plan.name));
        }
    }
    Ok(())
}

/// One step of the curve.
async fn look(w: &World, m: &dyn Meter, step: f64, t: &mut Totals) -> Seen {
    for _ in 0..LOOKS {
        w.rt.sleep(Duration::from_secs_f64(step / LOOKS as f64)).await;
        t.waiting += m.waiting() / LOOKS as f64;
        if w.is_over() {
            break;
        }
    }
    let s = Seen(w.db.status());
    let dirty = s.share("Innodb_buffer_pool_pages_dirty");
    t.looks += 1.0;
    t.dirty += dirty;
    t.change_buffer += s.share("Innodb_ibuf_size");
    s
}

fn finish(
    w: &World,
    m: &dyn Meter,
    t: &Totals,
    (begun, from): (u64, Hardware),
    before: &Seen,
    out: &mut Measured,
) {
    let after = Seen(w.db.status());
    let to = m.read(&after);
    let seconds = (w.rt.now() - begun).max(1) as f64 / 1e9;
    let looks = t.looks.max(1.0);
    out.seconds = seconds;
    out.dirty = t.dirty / looks;
    out.change_buffer = t.change_buffer / looks;
    out.reads = (to.reads - from.reads) as f64 / seconds;
    out.writes = (to.writes - from.writes) as f64 / seconds;
    out.cpu = (to.busy - from.busy) as f64 / 1e7 / seconds / m.processors();
    let [reads, writes] = [0, 1].map(|k| to.direct[k].since(from.direct[k]));
    (out.read_ms, out.write_ms) = (reads.latency(), writes.latency());
    (out.read_pages, out.write_pages) = (reads.pages(), writes.pages());
    out.wait = (t.waiting * 100.0 / looks).min(100.0 - out.cpu);
    let kept = |name: &str| {
        name.starts_with("Weir_flush_")
            || name.starts_with("Innodb_ibuf")
            || [
                "Innodb_buffer_pool_reads",
                "Innodb_buffer_pool_read_ahead",
                "Innodb_buffer_pool_wait_free",
                "Innodb_buffer_pool_pages_flushed",
                "Weir_pages_rewritten",
            ]
            .contains(&name)
    };
    out.counters = after
        .0
        .iter()
        .zip(&before.0)
        .filter(|(a, _)| kept(a.0))
        .map(|(a, b)| (a.0.to_string(), a.1.saturating_sub(b.1)))
        .collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published shares of the insert benchmark come out of four to six sleepers: its four query sessions and the inserter.
    #[test]
    fn idle_processors_wait_for_sleepers_that_are_their_own() {
        assert_eq!(idle_and_waiting(1.0, 0, 8.0), 0.0);
        assert!((idle_and_waiting(1.0, 1, 8.0) - 0.125).abs() < 1e-9);
        assert!((idle_and_waiting(0.5, 1, 1.0) - 0.5).abs() < 1e-9, "one processor has them all");
        let shares = [(47.0, 45.0), (48.0, 43.0), (43.3, 48.3), (43.8, 46.0), (53.0, 42.0)];
        for (idle, wait) in shares {
            let of = |n| 100.0 * idle_and_waiting((idle + wait) / 100.0, n, 8.0);
            assert!(of(4) < wait && wait < of(6), "{idle} {wait}: {} {}", of(4), of(6));
        }
    }
}
