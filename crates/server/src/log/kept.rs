//! The last lines of the error log in memory, for `performance_schema.error_log`.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use weir_sql::files::{ErrorLog, ErrorLogLine};

/// Bytes of texts that are kept, and lines; MySQL keeps 5 MiB.
const BYTES_MAX: usize = 1 << 20;
const LINES_MAX: usize = 10_000;

#[derive(Default)]
struct Lines {
    lines: VecDeque<ErrorLogLine>,
    bytes: usize,
}

static KEPT: Mutex<Lines> = Mutex::new(Lines { lines: VecDeque::new(), bytes: 0 });

impl Lines {
    fn keep(&mut self, mut line: ErrorLogLine) {
        // The time of a line is its key.
        if let Some(last) = self.lines.back() {
            line.micros = line.micros.max(last.micros + 1);
        }
        self.bytes += line.text.len();
        self.lines.push_back(line);
        while self.bytes > BYTES_MAX || self.lines.len() > LINES_MAX {
            let Some(gone) = self.lines.pop_front() else { break };
            self.bytes -= gone.text.len();
        }
    }
}

pub(super) fn keep(line: ErrorLogLine) {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).keep(line);
}

/// The lines of this process, as statements read them.
pub struct KeptLines;

impl ErrorLog for KeptLines {
    fn lines(&self) -> Vec<ErrorLogLine> {
        KEPT.lock().unwrap_or_else(PoisonError::into_inner).lines.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(micros: u64, text: &str) -> ErrorLogLine {
        ErrorLogLine { micros, text: text.into(), ..ErrorLogLine::default() }
    }

    #[test]
    fn times_are_keys_and_the_oldest_goes() {
        let mut kept = Lines::default();
        for at in [5, 5, 4, 9] {
            kept.keep(line(at, "x"));
        }
        let times: Vec<u64> = kept.lines.iter().map(|l| l.micros).collect();
        assert_eq!(times, [5, 6, 7, 9]);
        kept.keep(line(10, &"y".repeat(BYTES_MAX - 2)));
        assert_eq!((kept.lines.len(), kept.bytes), (3, BYTES_MAX));
        kept.keep(line(11, &"z".repeat(BYTES_MAX + 1)));
        assert_eq!((kept.lines.len(), kept.bytes), (0, 0));
    }
}
