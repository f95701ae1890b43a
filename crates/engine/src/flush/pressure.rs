//! How hard the engine is pressed, as one number with its cause: a pure function of a view of the engine.
//!
//! From 0 (nothing to tell) to 500 writing makes up for it and nobody is delayed for it; above, sessions are delayed; at 1000
//! they wait. A client that halves its rate above 500 and stops for a moment near 1000 does no worse than one that is
//! delayed, and can choose what it leaves out.
//!
//! Invariant: with all else equal, a scarcer resource never gives a smaller number. Each cause is judged by itself and the
//! greatest is shown, so one number moves for one reason.

use crate::policy::weir::{GATE, band};
use crate::waits::Scarcity;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pressure {
    /// 0 to 1000.
    pub value: u16,
    pub cause: Scarcity,
}

/// What pressure is made of.
#[derive(Clone, Copy, Debug, Default)]
pub struct View {
    pub checkpoint_age: u64,
    pub log_capacity: u64,
    /// Sessions waiting for log space, and for frames.
    pub waiting_log: usize,
    pub waiting_frames: usize,
    pub free: usize,
    /// Free frames that should be ready for sessions.
    pub free_want: usize,
    pub dirty: usize,
    pub pool: usize,
    /// Percent of the pool.
    pub dirty_limit: f64,
    /// Committed transactions not yet purged.
    pub history: usize,
    /// Pages per second that the device writes at most, 0 while unknown; pages that it wrote in the last second.
    pub device_pages: f64,
    pub written: f64,
    /// Delays by admission in the last second, of all sessions together, in seconds.
    pub paced: f64,
}

/// Where pressure begins, where sessions are delayed, where they wait.
type Scale = [(f64, f64); 3];

/// Share of the log. `weir` writes what is older than 80 %, and delays sessions from 86 % on.
const LOG: Scale = [(0.70, 0.0), (0.86, 500.0), (1.0, 1000.0)];
/// Share of the frames that should be free and are not. That sessions wait is seen, not guessed.
const FREE: Scale = [(0.50, 0.0), (0.90, 500.0), (1.0, 700.0)];
/// Powers of ten of the history's length.
const HISTORY: Scale = [(5.0, 0.0), (6.0, 500.0), (7.0, 1000.0)];
/// Share of what the device can write.
const DEVICE: Scale = [(0.70, 0.0), (1.0, 500.0), (1.0, 500.0)];
/// Delays in seconds per second.
const PACED: Scale = [(0.0, 0.0), (0.001, 500.0), (1.0, 1000.0)];
/// Linear between the points of a scale.
fn on(scale: &Scale, x: f64) -> f64 {
    let [(x0, y0), (x1, y1), (x2, y2)] = *scale;
    let between =
        |(xa, ya): (f64, f64), (xb, yb): (f64, f64)| ya + (yb - ya) * (x - xa) / (xb - xa);
    match x {
        x if x.is_nan() || x <= x0 => y0,
        x if x < x1 => between((x0, y0), (x1, y1)),
        x if x < x2 => between((x1, y1), (x2, y2)),
        _ => y2,
    }
}

fn share(part: f64, of: f64) -> f64 {
    if of > 0.0 { part / of } else { 0.0 }
}

/// 1000 where somebody waits.
fn or_waiting(value: f64, waiting: usize) -> f64 {
    if waiting > 0 { 1000.0 } else { value }
}

fn dirty_limit(v: &View) -> f64 {
    let limit = v.dirty_limit;
    // `weir` writes from a band below the limit on, delays sessions from its middle on, and lets them wait above the limit.
    let band = band(limit);
    let from = (limit - band).max(0.0);
    let scale = [(from, 0.0), ((from + limit) / 2.0, 500.0), (limit + GATE, 1000.0)];
    on(&scale, 100.0 * share(v.dirty as f64, v.pool as f64))
}

fn device(v: &View) -> f64 {
    on(&DEVICE, share(v.written, v.device_pages)).max(on(&PACED, v.paced))
}

pub fn pressure(v: &View) -> Pressure {
    let missing = v.free_want.saturating_sub(v.free) as f64;
    let age = share(v.checkpoint_age as f64, v.log_capacity as f64);
    let values = [
        (Scarcity::LogAge, or_waiting(on(&LOG, age), v.waiting_log)),
        (
            Scarcity::FreeFrames,
            or_waiting(on(&FREE, share(missing, v.free_want as f64)), v.waiting_frames),
        ),
        (Scarcity::DirtyLimit, dirty_limit(v)),
        (Scarcity::PurgeDebt, on(&HISTORY, (v.history.max(1) as f64).log10())),
        (Scarcity::Device, device(v)),
    ];
    let mut out = Pressure::default();
    for (cause, value) in values {
        let value = value.round() as u16;
        if value > out.value {
            out = Pressure { value, cause };
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet() -> View {
        View {
            checkpoint_age: 50,
            log_capacity: 100,
            free: 100,
            free_want: 100,
            dirty: 500,
            pool: 1000,
            dirty_limit: 90.0,
            history: 1000,
            device_pages: 1000.0,
            written: 300.0,
            ..View::default()
        }
    }

    #[test]
    fn each_cause_by_itself() {
        let q = quiet();
        let table = [
            (q, 0, Scarcity::None),
            (View::default(), 0, Scarcity::None),
            (View { checkpoint_age: 70, ..q }, 0, Scarcity::None),
            (View { checkpoint_age: 78, ..q }, 250, Scarcity::LogAge),
            (View { checkpoint_age: 86, ..q }, 500, Scarcity::LogAge),
            (View { checkpoint_age: 93, ..q }, 750, Scarcity::LogAge),
            (View { checkpoint_age: 120, ..q }, 1000, Scarcity::LogAge),
            (View { waiting_log: 1, ..q }, 1000, Scarcity::LogAge),
            (View { free: 50, ..q }, 0, Scarcity::None),
            (View { free: 10, ..q }, 500, Scarcity::FreeFrames),
            (View { free: 0, ..q }, 700, Scarcity::FreeFrames),
            (View { free: 0, waiting_frames: 3, ..q }, 1000, Scarcity::FreeFrames),
            (View { dirty: 860, ..q }, 0, Scarcity::None),
            (View { dirty: 880, ..q }, 500, Scarcity::DirtyLimit),
            (View { dirty: 905, ..q }, 1000, Scarcity::DirtyLimit),
            // A small limit has the smallest band, a large one the largest.
            (View { dirty: 40, dirty_limit: 5.0, ..q }, 500, Scarcity::DirtyLimit),
            (View { dirty: 30, dirty_limit: 5.0, ..q }, 0, Scarcity::None),
            (View { history: 100_000, ..q }, 0, Scarcity::None),
            (View { history: 1_000_000, ..q }, 500, Scarcity::PurgeDebt),
            (View { history: 1_000_000_000, ..q }, 1000, Scarcity::PurgeDebt),
            (View { written: 850.0, ..q }, 250, Scarcity::Device),
            // Measured speeds are passed now and then: that alone delays nobody.
            (View { written: 3000.0, ..q }, 500, Scarcity::Device),
            (View { written: 3000.0, device_pages: 0.0, ..q }, 0, Scarcity::None),
            (View { paced: 0.001, ..q }, 500, Scarcity::Device),
            (View { paced: 5.0, ..q }, 1000, Scarcity::Device),
        ];
        for (v, value, cause) in table {
            assert_eq!(pressure(&v), Pressure { value, cause }, "{v:?}");
        }
    }

    #[test]
    fn the_greatest_is_told_and_the_first_of_equals() {
        let q = quiet();
        let v = View { checkpoint_age: 78, dirty: 880, ..q };
        assert_eq!(pressure(&v), Pressure { value: 500, cause: Scarcity::DirtyLimit });
        let v = View { waiting_log: 1, waiting_frames: 1, ..q };
        assert_eq!(pressure(&v).cause, Scarcity::LogAge);
    }

    #[test]
    fn less_of_anything_never_lowers_it() {
        let value = |v: View| pressure(&v).value;
        for n in 0..100usize {
            let q = quiet();
            let pair = |f: &dyn Fn(usize) -> View| assert!(value(f(n)) <= value(f(n + 1)), "{n}");
            pair(&|n| View { checkpoint_age: n as u64, ..q });
            pair(&|n| View { free: 100 - n, ..q });
            pair(&|n| View { dirty: 10 * n, ..q });
            pair(&|n| View { history: 200_000 * n, ..q });
            pair(&|n| View { written: 20.0 * n as f64, ..q });
            pair(&|n| View { paced: n as f64 / 50.0, ..q });
        }
    }

    #[test]
    fn causes_have_numbers() {
        for c in Scarcity::ALL {
            assert_eq!(Scarcity::from_number(c as u8), c);
        }
        assert_eq!(Scarcity::from_number(200), Scarcity::None);
    }
}
