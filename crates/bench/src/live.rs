//! The view while something runs: a few lines drawn again and again in a terminal, plain lines elsewhere.

use crate::measure::Interval;
use std::io::{IsTerminal, Write};
use std::time::Duration;

pub struct Live {
    tty: bool,
    /// Lines drawn last, to be drawn over.
    drawn: usize,
    history: Vec<f64>,
    /// Seconds between plain lines.
    every: f64,
    shown: f64,
    metric_of: fn(&Interval) -> f64,
    metric: String,
    dirty_limit: Option<f64>,
    total: Option<f64>,
}

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const WIDTH: usize = 60;
/// What the narrowest usual terminal shows in one line.
const COLUMNS: usize = 79;

impl Live {
    pub fn new(off: bool) -> Live {
        Live {
            tty: !off && std::io::stdout().is_terminal(),
            drawn: 0,
            history: Vec::new(),
            every: 10.0,
            shown: 0.0,
            metric_of: |_| 0.0,
            metric: String::new(),
            dirty_limit: None,
            total: None,
        }
    }

    /// What the lines of the next run show. `total`: its length, when that is known.
    pub fn run(
        &mut self,
        metric: &str,
        metric_of: fn(&Interval) -> f64,
        dirty_limit: Option<f64>,
        total: Option<Duration>,
    ) {
        self.metric = metric.into();
        self.metric_of = metric_of;
        self.dirty_limit = dirty_limit;
        self.total = total.map(|t| t.as_secs_f64());
        self.history.clear();
        self.shown = 0.0;
    }

    pub fn note(&mut self, text: &str) {
        self.clear();
        println!("{text}");
    }

    /// Progress of a load.
    pub fn load(&mut self, rows: u64, expected: u64, took: Duration) {
        let rate = rows as f64 / took.as_secs_f64().max(1e-9);
        let share = rows as f64 / expected.max(1) as f64;
        if self.tty {
            self.draw(&[format!("loading  {} {rows} rows  {rate:.0} rows/s", bar(share))]);
        } else if took.as_secs_f64() - self.shown >= self.every {
            self.shown = took.as_secs_f64();
            println!("loading: {rows} rows, {:.0}%, {rate:.0} rows/s", share.min(1.0) * 100.0);
        }
    }

    pub fn interval(&mut self, i: &Interval) {
        self.history.push(i.rate());
        let phase = if i.measured { "running" } else { "warm-up" };
        let dirty = i.server.as_ref().and_then(|s| s.dirty_pct);
        let dirty = dirty.map_or("-".into(), |d| format!("{d:.1}%"));
        let metric = (self.metric_of)(i);
        if !self.tty {
            if i.at - self.shown < self.every - 0.01 {
                return;
            }
            self.shown = i.at;
            println!(
                "{:>6.0} s {phase}: {:.1} transactions/s, {metric:.0} {}, p95 {:.2} ms, p99 {:.2} ms, max {:.1} ms, retried {}, dirty {dirty}",
                i.at,
                i.rate(),
                self.metric,
                i.p95,
                i.p99,
                i.max,
                i.retried
            );
            return;
        }
        let limit = self.dirty_limit.map(|l| format!(" of at most {l:.0}%")).unwrap_or_default();
        let progress = match self.total {
            Some(t) => format!("{} {:.0} of {t:.0} s", bar(i.at / t), i.at),
            None => format!("{:.0} s", i.at),
        };
        let machine = i.machine.clone().unwrap_or_default();
        let server = i.server.clone().unwrap_or_default();
        let lines = [
            format!("{phase}  {progress}   (Ctrl-C: report)"),
            format!(
                "  transactions/s {:>10.1}   {} {metric:>10.0}   statements/s {:.0}",
                i.rate(),
                self.metric,
                i.statements as f64 / i.seconds
            ),
            format!(
                "  milliseconds   p50 {:.2}  p95 {:.2}  p99 {:.2}  max {:.1}   retried {}  failed {}",
                i.p50, i.p95, i.p99, i.max, i.retried, i.failed
            ),
            format!(
                "  dirty pages    {dirty}{limit}   flushed {:.0}/s   log writes {:.0}/s",
                server.pages_flushed.unwrap_or(0.0),
                server.log_writes.unwrap_or(0.0)
            ),
            format!(
                "  machine        CPU {:.0}%  wait {:.0}%  disk {:.0} writes/s {:.1} MB/s",
                machine.cpu_pct, machine.wait_pct, machine.writes, machine.write_mb
            ),
            format!("  {}", spark(&self.history)),
        ];
        self.draw(&lines);
    }

    fn draw(&mut self, lines: &[String]) {
        let mut out = std::io::stdout().lock();
        if self.drawn > 0 {
            let _ = write!(out, "\x1b[{}A", self.drawn);
        }
        for l in lines {
            // A line that wrapped would spoil the next drawing.
            let l: String = l.chars().take(COLUMNS).collect();
            let _ = writeln!(out, "\x1b[2K{l}");
        }
        for _ in lines.len()..self.drawn {
            let _ = writeln!(out, "\x1b[2K");
        }
        // A terminal that is gone is nobody to tell.
        let _ = out.flush();
        self.drawn = lines.len().max(self.drawn);
    }

    /// Leaves what is drawn where it is.
    pub fn clear(&mut self) {
        self.drawn = 0;
    }
}

fn bar(share: f64) -> String {
    let full = (share.clamp(0.0, 1.0) * 20.0).round() as usize;
    format!("[{}{}]", "#".repeat(full), ".".repeat(20 - full))
}

/// The last rates as bars.
fn spark(list: &[f64]) -> String {
    let list = &list[list.len().saturating_sub(WIDTH)..];
    let max = list.iter().copied().fold(0.0, f64::max);
    let one = |v: &f64| {
        let n = if max > 0.0 { (v / max * 7.0).round() as usize } else { 0 };
        BARS[n.min(7)]
    };
    list.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars() {
        assert_eq!(bar(0.5), "[##########..........]");
        assert_eq!(bar(7.0), "[####################]");
        assert_eq!(spark(&[0.0, 5.0, 10.0]), "▁▅█");
        assert_eq!(spark(&[1.0; 100]).chars().count(), WIDTH);
        assert_eq!(spark(&[]), "");
    }
}
