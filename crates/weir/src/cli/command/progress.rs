//! One line in a terminal that shows how far a copy is; elsewhere nothing.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

const WIDTH: usize = 30;
const EVERY: Duration = Duration::from_millis(200);

pub struct Progress {
    what: &'static str,
    shown: bool,
    total: u64,
    done: u64,
    begun: Instant,
    drawn: Option<Instant>,
}

impl Progress {
    /// `total`: bytes, as far as they are known; 0 when they are not.
    pub fn new(what: &'static str, total: u64, quiet: bool) -> Progress {
        let shown = !quiet && std::io::stderr().is_terminal();
        Progress { what, shown, total, done: 0, begun: Instant::now(), drawn: None }
    }

    pub fn expect(&mut self, total: u64) {
        self.total = total;
    }

    pub fn step(&mut self, bytes: u64) {
        self.done += bytes;
        if self.shown && self.drawn.is_none_or(|d| d.elapsed() > EVERY) {
            self.drawn = Some(Instant::now());
            // Nobody is helped by an error about a progress bar.
            let _ = write!(std::io::stderr(), "\r{}", self.line(self.begun.elapsed()));
        }
    }

    fn line(&self, elapsed: Duration) -> String {
        let share = (self.total > 0).then(|| (self.done as f64 / self.total as f64).min(1.0));
        let full = share.map_or(0, |s| (s * WIDTH as f64) as usize);
        let percent = share.map_or(String::new(), |s| format!("{:3.0} % ", s * 100.0));
        let speed = self.done as f64 / elapsed.as_secs_f64().max(0.001);
        format!(
            "{} [{}{}] {percent}{} {}/s  ",
            self.what,
            "#".repeat(full),
            " ".repeat(WIDTH - full),
            size(self.done as f64),
            size(speed)
        )
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            let _ = write!(std::io::stderr(), "\r{}\r", " ".repeat(79));
        }
    }
}

/// Bytes for people.
pub fn size(bytes: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let (mut n, mut unit) = (bytes, 0);
    while n >= 1024.0 && unit + 1 < units.len() {
        n /= 1024.0;
        unit += 1;
    }
    match unit {
        0 => format!("{n:.0} B"),
        _ => format!("{n:.1} {}", units[unit]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_sizes() {
        let mut p = Progress::new("copying", 4096, true);
        p.step(2048);
        let line = p.line(Duration::from_secs(2));
        assert!(line.contains(" 50 % ") && line.contains("2.0 KiB 1.0 KiB/s"), "{line}");
        p.expect(0);
        assert!(!p.line(Duration::from_secs(1)).contains('%'));
        assert_eq!((size(5.0), size(5e9)), ("5 B".to_string(), "4.7 GiB".to_string()));
    }
}
