//! Options of the command line: `--name value`, `--name=value`, `--name`.

use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;

/// Named options of one command; every one that is read is known, the rest is refused at the end.
#[derive(Clone, Debug, Default)]
pub struct Args {
    named: BTreeMap<String, Vec<String>>,
    /// What is no option: files.
    pub files: Vec<String>,
    known: Vec<&'static str>,
}

/// Options without a value.
const SWITCHES: &[&str] = &[
    "help",
    "prepare",
    "check",
    "no-check",
    "no-live",
    "read-only",
    "oltp-read-only",
    "skip-trx",
    "oltp-skip-trx",
    "procedures",
    "foreign-key-indexes",
];

/// Names that other programs have for the same options.
const ALIASES: &[(&str, &str)] = &[
    ("threads", "users"),
    ("num-threads", "users"),
    ("connections", "users"),
    ("time", "duration"),
    ("max-time", "duration"),
    ("oltp-test-mode", "mode"),
    ("oltp-nontrx-mode", "nontrx-mode"),
    ("oltp-table-size", "table-size"),
    ("oltp-table-name", "table"),
    ("oltp-range-size", "range-size"),
    ("oltp-read-only", "read-only"),
    ("oltp-skip-trx", "skip-trx"),
    ("oltp-dist-type", "dist"),
    ("oltp-dist-iter", "dist-iter"),
    ("oltp-dist-pct", "dist-pct"),
    ("oltp-dist-res", "dist-res"),
    ("mysql-table-engine", "engine"),
];

fn canonical(name: &str) -> String {
    let name = name.replace('_', "-");
    let alias = ALIASES.iter().find(|(a, _)| *a == name);
    alias.map_or(name, |(_, n)| n.to_string())
}

impl Args {
    pub fn read(list: &[String]) -> Result<Args> {
        let mut out = Args::default();
        let mut it = list.iter().peekable();
        while let Some(a) = it.next() {
            let Some(body) = a.strip_prefix("--") else {
                out.files.push(a.clone());
                continue;
            };
            let (name, value) = match body.split_once('=') {
                Some((n, v)) => (n.to_string(), v.to_string()),
                None if SWITCHES.contains(&body) => (body.to_string(), "yes".to_string()),
                None => match it.next() {
                    Some(v) => (body.to_string(), v.clone()),
                    None => {
                        return Err(Error::other(format!("option '{a}' needs a value: {a}=...")));
                    }
                },
            };
            out.put(&name, value);
        }
        Ok(out)
    }

    pub fn put(&mut self, name: &str, value: String) {
        self.named.entry(canonical(name)).or_default().push(value);
    }

    /// Names and last values, as given.
    pub fn shown(&self) -> Vec<(String, String)> {
        let value = |v: &Vec<String>| v.join(" ");
        self.named.iter().map(|(n, v)| (n.clone(), value(v))).collect()
    }

    /// The last value of an option.
    pub fn text(&mut self, name: &'static str) -> Option<String> {
        self.known.push(name);
        self.named.get(name).and_then(|v| v.last()).cloned()
    }

    /// All values of an option that may be repeated.
    pub fn list(&mut self, name: &'static str) -> Vec<String> {
        self.known.push(name);
        self.named.get(name).cloned().unwrap_or_default()
    }

    pub fn switch(&mut self, name: &'static str) -> bool {
        matches!(self.text(name).as_deref(), Some("yes" | "true" | "on" | "1"))
    }

    pub fn get<T: FromStr>(&mut self, name: &'static str) -> Result<Option<T>> {
        match self.text(name) {
            None => Ok(None),
            Some(t) => match t.parse() {
                Ok(v) => Ok(Some(v)),
                Err(_) => Err(Error::other(format!("option '--{name}={t}': not a number"))),
            },
        }
    }

    pub fn or<T: FromStr>(&mut self, name: &'static str, default: T) -> Result<T> {
        Ok(self.get(name)?.unwrap_or(default))
    }

    /// Seconds, or a number with `ms`, `s`, `m` or `h`.
    pub fn duration(&mut self, name: &'static str) -> Result<Option<Duration>> {
        let Some(t) = self.text(name) else { return Ok(None) };
        let number = t.trim_end_matches(char::is_alphabetic);
        let unit = match &t[number.len()..] {
            "ms" => 0.001,
            "" | "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => f64::NAN,
        };
        match number.parse::<f64>().map(|n| n * unit) {
            Ok(s) if (0.0..1e9).contains(&s) => Ok(Some(Duration::from_secs_f64(s))),
            _ => Err(Error::other(format!("option '--{name}={t}': seconds, or 500ms, 2m, 1h"))),
        }
    }

    /// Refuses what nobody asked for.
    pub fn finish(&self) -> Result<()> {
        for name in self.named.keys() {
            if !self.known.iter().any(|k| k == name) {
                let near = self.known.iter().min_by_key(|k| distance(k, name));
                let hint = near.map(|n| format!("; did you mean '--{n}'?")).unwrap_or_default();
                return Err(Error::other(format!(
                    "unknown option '--{name}'{hint} (`weir bench help` lists all)"
                )));
            }
        }
        Ok(())
    }
}

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = before + usize::from(x != *y);
            before = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(before + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(list: &[&str]) -> Args {
        Args::read(&list.iter().map(|s| s.to_string()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn values_in_every_form() {
        let mut a = args(&["a.json", "--users", "8", "--duration=1.5m", "--check", "b.json"]);
        assert_eq!(a.or("users", 1u32).unwrap(), 8);
        assert_eq!(a.duration("duration").unwrap(), Some(Duration::from_secs(90)));
        assert!(a.switch("check"));
        assert_eq!(a.files, ["a.json", "b.json"]);
        a.finish().unwrap();
    }

    #[test]
    fn bad_values_name_the_option() {
        assert!(Args::read(&["--users".to_string()]).is_err());
        let e = args(&["--users=many"]).or("users", 1u32).unwrap_err().to_string();
        assert!(e.contains("--users=many"), "{e}");
        assert!(args(&["--duration=5y"]).duration("duration").is_err());
        let mut a = args(&["--user=8"]);
        let _ = a.or("users", 1u32);
        let e = a.finish().unwrap_err().to_string();
        assert!(e.contains("did you mean '--users'"), "{e}");
    }
}
