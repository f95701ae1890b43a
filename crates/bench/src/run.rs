//! One run: users in threads, a ticker, an end.
//!
//! Invariants: warm-up and measured period meet at an interval's border; a user whose connection is lost tries again
//! until the run ends, and the time without it is reported; whatever ends a run early, what was measured is kept.

use crate::error::{Error, Result};
use crate::measure::proc::Machine;
use crate::measure::status::{Counters, Probe};
use crate::measure::{Collector, Interval, Recorder, UserStats};
use crate::target::Target;
use crate::workload::Workload;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub struct RunOptions {
    pub users: usize,
    pub warmup: Duration,
    /// None: until `max_requests` or a signal.
    pub duration: Option<Duration>,
    pub max_requests: Option<u64>,
    pub interval: Duration,
    /// Transactions per second of all users together; none: as fast as they can.
    pub rate: Option<f64>,
    /// The tables are MyRocks'.
    pub rocks: bool,
    /// Set by a signal.
    pub stop: Arc<AtomicBool>,
}

/// Everything that a run has shown.
pub struct Measured {
    pub collector: Collector,
    pub intervals: Vec<Interval>,
    pub users: Vec<UserTotals>,
    /// Length of the measured period.
    pub seconds: f64,
    /// None: complete; else why it ended early.
    pub partial: Option<String>,
    /// Seconds in which a user was without a connection: begin, end, why.
    pub outages: Vec<Outage>,
}

/// A user's counters over the measured period.
#[derive(Clone, Copy, Debug, Default)]
pub struct UserTotals {
    pub events: u64,
    pub busy_seconds: f64,
    /// Reads, writes, others.
    pub classes: [u64; 3],
    pub statements: u64,
}

impl UserTotals {
    fn of(s: &UserStats) -> UserTotals {
        let n = |a: &AtomicU64| a.load(Ordering::Relaxed);
        UserTotals {
            events: n(&s.events),
            busy_seconds: n(&s.busy_nanos) as f64 / 1e9,
            classes: [n(&s.classes[0]), n(&s.classes[1]), n(&s.classes[2])],
            statements: n(&s.statements),
        }
    }

    fn since(self, before: UserTotals) -> UserTotals {
        UserTotals {
            events: self.events - before.events,
            busy_seconds: self.busy_seconds - before.busy_seconds,
            classes: std::array::from_fn(|i| self.classes[i] - before.classes[i]),
            statements: self.statements - before.statements,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Outage {
    pub from: f64,
    pub to: f64,
    pub why: String,
    /// A connection was there again before the run ended.
    pub back: bool,
}

/// What the user threads share.
struct Shared {
    begun: Instant,
    stop: AtomicBool,
    requests: AtomicU64,
    max_requests: u64,
    running: AtomicUsize,
    fatal: Mutex<Option<Error>>,
    outages: Mutex<Vec<Outage>>,
    options_rate: Option<f64>,
    users: usize,
}

/// A user that lost its connection tries again after this long.
const RECONNECT: Duration = Duration::from_millis(250);
/// Users that are in the middle of a transaction when the run ends get this long.
const GRACE: Duration = Duration::from_secs(10);

pub fn run(
    target: &Target,
    workload: &Arc<dyn Workload>,
    o: &RunOptions,
    mut watch: impl FnMut(&Interval, &RunOptions),
) -> Result<Measured> {
    // Connected before the clock starts: what cannot work at all is an error, not a result.
    let mut made = Vec::new();
    for n in 0..o.users {
        made.push(workload.user(n)?);
    }
    let probe = Probe::start(target.clone(), o.rocks, o.interval.min(Duration::from_secs(1)));
    // The first interval's rates need a reading before it.
    probe.wait_for_first(Duration::from_secs(1));
    let stats: Vec<Arc<UserStats>> = (0..o.users).map(|_| Arc::default()).collect();
    let shared = Arc::new(Shared {
        begun: Instant::now(),
        stop: AtomicBool::new(false),
        requests: AtomicU64::new(0),
        max_requests: o.max_requests.unwrap_or(u64::MAX),
        running: AtomicUsize::new(o.users),
        fatal: Mutex::new(None),
        outages: Mutex::new(Vec::new()),
        options_rate: o.rate,
        users: o.users,
    });
    let mut threads = Vec::new();
    for (n, user) in made.into_iter().enumerate() {
        let (shared, workload) = (shared.clone(), workload.clone());
        let rec = Recorder::new(stats[n].clone(), workload.restarts_timing());
        let work = move || {
            user_loop(&shared, workload.as_ref(), n, user, rec);
            shared.running.fetch_sub(1, Ordering::Release);
        };
        let thread = std::thread::Builder::new().name(format!("bench-user-{n}"));
        threads.push(
            thread.spawn(work).map_err(|e| Error::other(format!("cannot start user {n}: {e}")))?,
        );
    }
    let Ticked { collector, intervals, base } =
        tick(target, probe, workload, o, &shared, &stats, &mut watch);
    shared.stop.store(true, Ordering::Relaxed);
    let ended = Instant::now();
    while shared.running.load(Ordering::Acquire) > 0 && ended.elapsed() < GRACE {
        std::thread::sleep(Duration::from_millis(2));
    }
    let all_ended = shared.running.load(Ordering::Acquire) == 0;
    if all_ended {
        for t in threads {
            // A panic in a user would have been told on stderr; its samples stay.
            let _ = t.join();
        }
    }
    let fatal = shared.fatal.lock().unwrap_or_else(PoisonError::into_inner).take();
    let interrupted = o.stop.load(Ordering::Relaxed);
    let outages = join_outages(std::mem::take(
        &mut *shared.outages.lock().unwrap_or_else(PoisonError::into_inner),
    ));
    let gone = outages.iter().find(|o| !o.back);
    let partial = match (fatal, gone) {
        (Some(e), _) => Some(e.to_string()),
        _ if interrupted => Some("interrupted".into()),
        (_, Some(o)) => Some(format!("the server was gone from {:.1} s to the end", o.from)),
        _ if !all_ended => Some("some users did not come back from their last statement".into()),
        _ => None,
    };
    let seconds = intervals.iter().filter(|i| i.measured).map(|i| i.seconds).sum();
    let users = stats.iter().zip(base).map(|(s, b)| UserTotals::of(s).since(b)).collect();
    Ok(Measured { collector, intervals, users, seconds, partial, outages: join_outages(outages) })
}

/// One line for one outage, though all users met it.
fn join_outages(mut list: Vec<Outage>) -> Vec<Outage> {
    list.sort_by(|a, b| a.from.total_cmp(&b.from));
    let mut out: Vec<Outage> = Vec::new();
    for o in list {
        match out.last_mut() {
            Some(last) if o.from <= last.to + 0.5 => {
                last.to = last.to.max(o.to);
                last.back &= o.back;
            }
            _ => out.push(o),
        }
    }
    out
}

impl Shared {
    fn stopping(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn give_up(&self, e: Error) {
        self.fatal.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Sleeps, but not beyond the end of the run.
    fn sleep_until(&self, when: Instant) {
        while !self.stopping() {
            let left = when.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(Duration::from_millis(20)));
        }
    }
}

/// When a user's transactions are due, where a rate is given.
struct Schedule {
    next: Instant,
    every: Duration,
}

impl Schedule {
    fn new(shared: &Shared, number: usize) -> Option<Schedule> {
        let every = Duration::from_secs_f64(shared.users as f64 / shared.options_rate?);
        let offset = every.mul_f64(number as f64 / shared.users as f64);
        Some(Schedule { next: shared.begun + offset, every })
    }

    fn due(&mut self) -> Instant {
        let due = self.next;
        self.next += self.every;
        due
    }
}

fn user_loop(
    shared: &Shared,
    workload: &dyn Workload,
    number: usize,
    user: Box<dyn crate::workload::User>,
    mut rec: Recorder,
) {
    let mut user = Some(user);
    let mut schedule = Schedule::new(shared, number);
    while !shared.stopping() {
        let Some(u) = user.as_mut() else { return };
        let due = schedule.as_mut().map(Schedule::due);
        if let Some(d) = due {
            shared.sleep_until(d);
        }
        if shared.stopping()
            || workload.is_done()
            || shared.requests.fetch_add(1, Ordering::Relaxed) >= shared.max_requests
        {
            return;
        }
        match u.step(&mut rec, due.unwrap_or_else(Instant::now)) {
            Ok(()) => {}
            Err(e) if e.is_lost() => {
                user = reconnect(shared, workload, number, e);
                continue;
            }
            // The run is over, and the statement with it.
            Err(_) if shared.stopping() => return,
            Err(e) => return shared.give_up(e),
        }
        let pause = u.pause();
        if !pause.is_zero() {
            shared.sleep_until(Instant::now() + pause);
        }
    }
}

fn reconnect(
    shared: &Shared,
    workload: &dyn Workload,
    number: usize,
    why: Error,
) -> Option<Box<dyn crate::workload::User>> {
    let from = shared.begun.elapsed().as_secs_f64();
    let mut found = None;
    while !shared.stopping() && found.is_none() {
        shared.sleep_until(Instant::now() + RECONNECT);
        match workload.user(number) {
            Ok(u) => found = Some(u),
            Err(e) if e.is_lost() => {}
            // It is back, but not what it was.
            Err(e) => {
                shared.give_up(e.at("after the connection was lost"));
                break;
            }
        }
    }
    let to = shared.begun.elapsed().as_secs_f64();
    let outage = Outage { from, to, why: why.to_string(), back: found.is_some() };
    shared.outages.lock().unwrap_or_else(PoisonError::into_inner).push(outage);
    found
}

/// What the ticker hands over.
struct Ticked {
    collector: Collector,
    intervals: Vec<Interval>,
    /// The users' counters when the measured period began.
    base: Vec<UserTotals>,
}

/// Ends intervals until the run ends.
fn tick(
    target: &Target,
    probe: Probe,
    workload: &Arc<dyn Workload>,
    o: &RunOptions,
    shared: &Shared,
    stats: &[Arc<UserStats>],
    watch: &mut impl FnMut(&Interval, &RunOptions),
) -> Ticked {
    let mut collector = Collector::new(workload.kinds(), stats.to_vec());
    let mut intervals: Vec<Interval> = Vec::new();
    let machine = Machine { server: target.server_process() };
    let mut seen = machine.snapshot();
    let mut counters: Option<Counters> = probe.last();
    let end = o.duration.map(|d| o.warmup + d);
    let mut last = Duration::ZERO;
    let totals = || stats.iter().map(|s| UserTotals::of(s)).collect::<Vec<_>>();
    let mut base = vec![UserTotals::default(); stats.len()];
    let mut was_measured = o.warmup.is_zero();
    loop {
        let measured = last >= o.warmup;
        if measured && !was_measured {
            base = totals();
            was_measured = true;
        }
        let mut border = last + o.interval;
        if !measured {
            border = border.min(o.warmup);
        }
        if let Some(end) = end {
            border = border.min(end);
        }
        let over = wait_for(shared, &o.stop, border);
        let now = shared.begun.elapsed();
        let mut i =
            collector.tick(now.as_secs_f64(), (now - last).as_secs_f64().max(1e-9), measured);
        let snapshot = machine.snapshot();
        i.machine = Some(snapshot.since(&seen));
        seen = snapshot;
        let newest = probe.last();
        if let (Some(a), Some(b)) = (&newest, &counters) {
            i.server = Some(a.since(b));
        }
        counters = newest.or(counters);
        watch(&i, o);
        intervals.push(i);
        last = if over { now } else { border };
        if over || end.is_some_and(|e| last >= e) {
            return Ticked { collector, intervals, base };
        }
    }
}

/// True: the run ended before the border.
fn wait_for(shared: &Shared, signal: &AtomicBool, border: Duration) -> bool {
    loop {
        if signal.load(Ordering::Relaxed) || shared.stopping() {
            return true;
        }
        if shared.running.load(Ordering::Acquire) == 0 {
            return true;
        }
        let left = border.saturating_sub(shared.begun.elapsed());
        if left.is_zero() {
            return false;
        }
        std::thread::sleep(left.min(Duration::from_millis(10)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_of_all_users_is_one() {
        let o = |from, to| Outage { from, to, why: "x".into(), back: true };
        let list = join_outages(vec![o(5.0, 7.0), o(1.0, 2.0), o(5.2, 7.5), o(20.0, 21.0)]);
        let times: Vec<_> = list.iter().map(|o| (o.from, o.to)).collect();
        assert_eq!(times, [(1.0, 2.0), (5.0, 7.5), (20.0, 21.0)]);
    }

    /// Counts; the third user cannot work.
    struct Counting {
        fail: bool,
    }

    impl Workload for Counting {
        fn kinds(&self) -> &'static [&'static str] {
            &["count"]
        }
        fn user(&self, number: usize) -> Result<Box<dyn crate::workload::User>> {
            Ok(Box::new(One(self.fail && number == 2)))
        }
    }

    struct One(bool);

    impl crate::workload::User for One {
        fn step(&mut self, rec: &mut Recorder, due: Instant) -> Result<()> {
            if self.0 {
                return Err(Error::Server { errno: 1114, message: "The table is full".into() });
            }
            rec.begin(due);
            rec.end(0, crate::measure::Outcome::Done);
            Ok(())
        }
    }

    fn options(max: Option<u64>) -> RunOptions {
        RunOptions {
            users: 4,
            warmup: Duration::ZERO,
            duration: Some(Duration::from_secs(60)),
            max_requests: max,
            interval: Duration::from_secs(1),
            rate: None,
            rocks: false,
            stop: Arc::default(),
        }
    }

    fn nowhere() -> Target {
        Target::open("mysql://nobody@127.0.0.1:1", &[]).unwrap()
    }

    #[test]
    fn the_number_of_requests_is_kept() {
        let w: Arc<dyn Workload> = Arc::new(Counting { fail: false });
        let m = run(&nowhere(), &w, &options(Some(1000)), |_, _| {}).unwrap();
        assert_eq!(m.collector.kinds[0].count(), 1000);
        assert!(m.partial.is_none());
    }

    #[test]
    fn an_error_ends_the_run_and_keeps_what_was_measured() {
        let w: Arc<dyn Workload> = Arc::new(Counting { fail: true });
        let m = run(&nowhere(), &w, &options(None), |_, _| {}).unwrap();
        assert!(m.partial.is_some_and(|p| p.contains("The table is full")));
        assert!(!m.intervals.is_empty());
    }
}
