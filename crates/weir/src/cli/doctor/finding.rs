//! What was found, as people and as programs read it.

use serde_json::{Value, json};
use std::fmt::Write as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// It is as it should be; shown so that one sees that it was looked at.
    Fine,
    Warning,
    /// The server does not start, or loses data.
    Error,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub level: Level,
    /// What was looked at.
    pub subject: &'static str,
    pub found: String,
    /// What to do, and why; empty where nothing is to be done.
    pub change: String,
    pub why: String,
}

impl Finding {
    pub fn fine(subject: &'static str, found: impl Into<String>) -> Finding {
        Finding {
            level: Level::Fine,
            subject,
            found: found.into(),
            change: String::new(),
            why: String::new(),
        }
    }

    pub fn warning(
        subject: &'static str,
        found: impl Into<String>,
        change: impl Into<String>,
        why: impl Into<String>,
    ) -> Finding {
        Finding {
            level: Level::Warning,
            subject,
            found: found.into(),
            change: change.into(),
            why: why.into(),
        }
    }

    pub fn error(
        subject: &'static str,
        found: impl Into<String>,
        change: impl Into<String>,
        why: impl Into<String>,
    ) -> Finding {
        Finding { level: Level::Error, ..Finding::warning(subject, found, change, why) }
    }

    fn json(&self) -> Value {
        let level = match self.level {
            Level::Fine => "fine",
            Level::Warning => "warning",
            Level::Error => "error",
        };
        json!({ "level": level, "subject": self.subject, "found": self.found, "change": self.change, "why": self.why })
    }
}

#[derive(Debug, Default)]
pub struct Report(Vec<Finding>);

impl Report {
    pub fn add(&mut self, finding: Finding) {
        self.0.push(finding);
    }

    fn count(&self, level: Level) -> usize {
        self.0.iter().filter(|f| f.level == level).count()
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        match self.0.iter().map(|f| f.level).max() {
            None | Some(Level::Fine) => 0,
            Some(Level::Warning) => 1,
            Some(Level::Error) => 2,
        }
    }

    /// The worst first.
    fn sorted(&self) -> Vec<&Finding> {
        let mut all: Vec<&Finding> = self.0.iter().collect();
        all.sort_by_key(|f| std::cmp::Reverse(f.level));
        all
    }

    pub fn text(&self) -> String {
        let mut out = String::new();
        for f in self.sorted() {
            let level = match f.level {
                Level::Fine => "fine   ",
                Level::Warning => "WARNING",
                Level::Error => "ERROR  ",
            };
            let _ = writeln!(out, "{level} {}: {}", f.subject, f.found);
            if !f.change.is_empty() {
                let _ = writeln!(out, "        change: {}\n        why:    {}", f.change, f.why);
            }
        }
        let plural = |n: usize, word: &str| match n {
            1 => format!("1 {word}"),
            n => format!("{n} {word}s"),
        };
        let (errors, warnings) = (self.count(Level::Error), self.count(Level::Warning));
        let _ = writeln!(
            out,
            "\n{}, {}; {} fine",
            plural(errors, "error"),
            plural(warnings, "warning"),
            self.count(Level::Fine)
        );
        out
    }

    pub fn json(&self) -> String {
        let findings: Vec<Value> = self.sorted().into_iter().map(Finding::json).collect();
        let value = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "errors": self.count(Level::Error),
            "warnings": self.count(Level::Warning),
            "findings": findings,
        });
        format!("{value:#}")
    }

    #[cfg(test)]
    pub fn of(&self, subject: &str) -> Vec<&Finding> {
        self.0.iter().filter(|f| f.subject == subject).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_finding_is_the_exit_code_and_stands_first() {
        let mut r = Report::default();
        assert_eq!(r.code(), 0);
        r.add(Finding::fine("clock", "tsc"));
        assert_eq!(r.code(), 0);
        r.add(Finding::warning("swap", "60", "set 1", "pages"));
        assert_eq!(r.code(), 1);
        r.add(Finding::error("room", "none", "make some", "it fails"));
        assert_eq!(r.code(), 2);
        let text = r.text();
        assert!(text.starts_with("ERROR   room: none\n        change: make some\n"), "{text}");
        assert!(text.ends_with("\n1 error, 1 warning; 1 fine\n"), "{text}");
        let json: Value = serde_json::from_str(&r.json()).unwrap();
        assert_eq!(json["findings"][0]["subject"], "room");
        assert_eq!((json["errors"].as_u64(), json["warnings"].as_u64()), (Some(1), Some(1)));
    }
}
