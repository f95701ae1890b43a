//! What the insert benchmark tells beside rates and response times.

use crate::measure::Interval;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct InsertTotals {
    /// Rows that the table had, and that the run has put in.
    pub start_rows: u64,
    pub rows: u64,
    /// Rows per second of each tenth of the rows, in their order.
    pub tenths: Vec<f64>,
    pub queries_per_second: f64,
    /// Written to the device for each byte of the rows inserted; none: the server does not tell.
    pub written_per_byte: Option<f64>,
    /// Of each query its index and its plan.
    pub plans: Vec<(String, String)>,
    /// Answers computed a second way, how many differed, and the first that did.
    pub checked: u64,
    pub wrong: u64,
    pub first_wrong: Option<String>,
    /// Rows that came in behind the timed part, while answers were checked.
    pub rows_behind: u64,
}

impl InsertTotals {
    /// Rate of the last tenth against that of the first.
    pub fn last_to_first(&self) -> Option<f64> {
        let (first, last) = (self.tenths.first()?, self.tenths.last()?);
        (*first > 0.0).then_some(last / first)
    }
}

/// Rows per second of each tenth of what was inserted: when a tenth was reached is interpolated within an interval.
pub fn tenths(list: &[Interval], rows_per_batch: u64) -> Vec<f64> {
    let measured: Vec<(f64, f64)> = list
        .iter()
        .filter(|i| i.measured)
        .map(|i| (i.seconds, i.done.first().map_or(0.0, |n| (n * rows_per_batch) as f64)))
        .collect();
    let all: f64 = measured.iter().map(|(_, n)| n).sum();
    if all <= 0.0 {
        return Vec::new();
    }
    let reached = |wanted: f64| {
        let (mut time, mut rows) = (0.0, 0.0);
        for (seconds, n) in &measured {
            if rows + n >= wanted && *n > 0.0 {
                return time + seconds * (wanted - rows) / n;
            }
            time += seconds;
            rows += n;
        }
        time
    };
    let ends: Vec<f64> = (0..=10).map(|k| reached(all * f64::from(k) / 10.0)).collect();
    ends.windows(2).map(|w| all / 10.0 / (w[1] - w[0]).max(1e-9)).collect()
}

pub fn text(t: &InsertTotals) -> String {
    let mut out = String::new();
    let tenths: Vec<String> = t.tenths.iter().map(|r| format!("{r:.0}")).collect();
    let _ = writeln!(out, "Rows: {} into a table of {}", t.rows, t.start_rows);
    let _ = writeln!(out, "Rows/s of each tenth: {}", tenths.join(" "));
    if let Some(r) = t.last_to_first() {
        let _ = writeln!(out, "Last tenth against the first: {r:.2}");
    }
    let _ = writeln!(out, "Queries/s: {:.1}", t.queries_per_second);
    let written = t.written_per_byte.map_or("unknown".into(), |w| format!("{w:.1}"));
    let _ = writeln!(out, "Bytes written per inserted byte: {written}");
    for (index, plan) in &t.plans {
        let ranges = plan.split(' ').any(|w| w == "range");
        let note = if ranges { "" } else { " (NO RANGE of the index that was forced)" };
        let _ = writeln!(out, "Plan by {index}: {plan}{note}");
    }
    let _ = writeln!(out, "Answers computed a second way: {}, {} WRONG", t.checked, t.wrong);
    if let Some(w) = &t.first_wrong {
        let _ = writeln!(out, "  {w}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenths_of_a_rate_that_halves() {
        let interval =
            |n| Interval { seconds: 1.0, measured: true, done: vec![n, 7], ..Interval::default() };
        let list = [interval(10), interval(5), interval(5)];
        let t = tenths(&list, 100);
        assert_eq!(t.len(), 10);
        assert!((t[0] - 1000.0).abs() < 1e-6 && (t[9] - 500.0).abs() < 1e-6, "{t:?}");
        assert_eq!(tenths(&[], 100), Vec::<f64>::new());
    }
}
