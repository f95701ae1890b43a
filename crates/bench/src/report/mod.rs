//! Results: one document for each run, shown as text, JSON, SVG and HTML, and compared.
//!
//! Knows `measure`'s figures and the TPC-C check; runs nothing. The JSON document is what everything else is made of, so a
//! result of last year can be drawn and compared today: fields are only added, and a missing one has a default.

pub mod chart;
pub mod compare;
mod glyphs;
pub mod html;
pub mod insert;
pub mod picture;
pub mod png;
pub mod side;
pub mod svg;
pub mod table;
pub mod text;

use crate::error::{Error, Result};
use crate::measure::collector::KindTotals;
use crate::measure::series::{machine_mean, mean, server_mean};
use crate::measure::{Interval, MachineRates, ServerRates, Throughput};
use crate::run::Measured;
use crate::workload::tpcc::check::Condition;
use crate::workload::tpcc::input::LIMITS;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Version of the document.
pub const FORMAT: u32 = 1;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    pub format: u32,
    /// Name in tables and charts.
    pub name: String,
    pub workload: String,
    pub style: String,
    pub target: String,
    /// Statements through `sql`, or calls of the `engine`.
    pub path: String,
    pub engine: String,
    pub server_version: String,
    pub started: String,
    /// The workload's options.
    pub options: BTreeMap<String, String>,
    /// The server's variables.
    pub settings: BTreeMap<String, String>,
    /// Why the run ended early; none: it is complete.
    pub partial: Option<String>,
    pub users: usize,
    pub warmup_seconds: f64,
    pub seconds: f64,
    pub metric: String,
    pub value: f64,
    pub transactions_per_second: f64,
    pub statements_per_second: f64,
    pub kinds: Vec<Kind>,
    pub latency: Latency,
    pub throughput: Throughput,
    pub server: ServerRates,
    pub machine: MachineRates,
    /// `innodb_max_dirty_pages_pct`.
    pub dirty_limit: Option<f64>,
    pub constraints: Vec<Constraint>,
    pub oltp: Option<OltpTotals>,
    pub insert: Option<insert::InsertTotals>,
    pub load: Option<Load>,
    pub check: Option<Vec<Condition>>,
    pub speed: Speed,
    pub outages: Vec<OutageReport>,
    pub intervals: Vec<Interval>,
}

/// Milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Latency {
    pub min: f64,
    pub mean: f64,
    pub p50: f64,
    pub p90: f64,
    pub p95: f64,
    pub p99: f64,
    pub p999: f64,
    pub max: f64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Kind {
    pub name: String,
    pub done: u64,
    pub rolled_back: u64,
    pub retried: u64,
    pub failed: u64,
    /// Slower than the limit.
    pub late: u64,
    pub limit_seconds: f64,
    pub latency: Latency,
    /// tpcc-mysql's: seconds, upper edge of buckets of 0.2 s, warm-up included.
    pub bucket_p90_seconds: f64,
    pub max_with_warmup_seconds: f64,
}

impl Kind {
    pub fn count(&self) -> u64 {
        self.done + self.rolled_back
    }
}

/// A line of tpcc-mysql's constraint check.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Constraint {
    pub name: String,
    pub percent: f64,
    pub at_least: f64,
    pub ok: bool,
}

/// What sysbench's report needs beside the latencies.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OltpTotals {
    pub header: Vec<String>,
    pub read: u64,
    pub write: u64,
    pub other: u64,
    pub deadlocks: u64,
    pub events: u64,
    pub busy_seconds: f64,
    /// Mean and standard deviation over the users.
    pub events_of_user: (f64, f64),
    pub busy_of_user: (f64, f64),
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Load {
    pub rows: u64,
    pub seconds: f64,
}

/// How fast the machine was before the run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Speed {
    pub cpu_ms: f64,
    pub sync_ms: Option<f64>,
    pub cpus: usize,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OutageReport {
    pub from: f64,
    pub to: f64,
    pub why: String,
}

impl Report {
    /// Fills in what comes from the run itself.
    pub fn measured(&mut self, m: &Measured) {
        self.format = FORMAT;
        self.partial = m.partial.clone();
        self.seconds = m.seconds;
        self.kinds = m.collector.kinds.iter().enumerate().map(|(i, k)| kind(k, i)).collect();
        let count: u64 = self.kinds.iter().map(Kind::count).sum();
        let seconds = m.seconds.max(1e-9);
        self.transactions_per_second = count as f64 / seconds;
        let statements: u64 = m.users.iter().map(|u| u.statements).sum();
        self.statements_per_second = statements as f64 / seconds;
        self.latency = latency(&m.collector.all);
        self.throughput = Throughput::of(&m.intervals);
        self.server = server_means(&m.intervals);
        self.machine = machine_means(&m.intervals);
        self.outages = m
            .outages
            .iter()
            .map(|o| OutageReport { from: o.from, to: o.to, why: o.why.clone() })
            .collect();
        self.intervals = m.intervals.clone();
    }

    /// New-Orders per minute and tpcc-mysql's constraints.
    pub fn tpcc_figures(&mut self) {
        let Some(new_order) = self.kinds.first() else { return };
        self.value = new_order.count() as f64 * 60.0 / self.seconds.max(1e-9);
        let all: u64 = self.kinds.iter().map(Kind::count).sum();
        let percent = |n: u64, of: u64| if of == 0 { 0.0 } else { 100.0 * n as f64 / of as f64 };
        let line = |name: String, percent: f64, at_least: f64| Constraint {
            name,
            percent,
            at_least,
            ok: percent >= at_least,
        };
        let shares = self.kinds.iter().skip(1).zip([43.0, 4.0, 4.0, 4.0]);
        let mut list: Vec<Constraint> = shares
            .map(|(k, least)| line(format!("share of {}", k.name), percent(k.count(), all), least))
            .collect();
        list.extend(self.kinds.iter().map(|k| {
            let in_time = k.count().saturating_sub(k.late);
            line(format!("{} in time", k.name), percent(in_time, k.count()), 90.0)
        }));
        self.constraints = list;
    }

    pub fn save(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string(self)
            .map_err(|e| Error::other(format!("cannot write the result as JSON: {e}")))?;
        write_file(path, &text)
    }

    pub fn load(path: &Path) -> Result<Report> {
        let shown = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|e| Error::other(format!("cannot read '{shown}': {e}")))?;
        let r: Report = serde_json::from_str(&text)
            .map_err(|e| Error::other(format!("'{shown}' is no result of weir bench: {e}")))?;
        if r.format == 0 || r.format > FORMAT {
            return Err(Error::other(format!(
                "'{shown}' is of format {}, this program reads up to {FORMAT}",
                r.format
            )));
        }
        Ok(r)
    }
}

pub fn write_file(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    if let Some(dir) = path.parent().filter(|d| !d.as_os_str().is_empty()) {
        std::fs::create_dir_all(dir)
            .map_err(|e| Error::other(format!("cannot make '{}': {e}", dir.display())))?;
    }
    std::fs::write(path, bytes)
        .map_err(|e| Error::other(format!("cannot write '{}': {e}", path.display())))
}

fn latency(h: &hdrhistogram::Histogram<u64>) -> Latency {
    if h.is_empty() {
        return Latency::default();
    }
    let q = |q: f64| h.value_at_quantile(q) as f64 / 1e6;
    Latency {
        min: h.min() as f64 / 1e6,
        mean: h.mean() / 1e6,
        p50: q(0.5),
        p90: q(0.9),
        p95: q(0.95),
        p99: q(0.99),
        p999: q(0.999),
        max: h.max() as f64 / 1e6,
    }
}

fn kind(k: &KindTotals, number: usize) -> Kind {
    let limit = LIMITS.get(number).copied().unwrap_or(f64::MAX);
    let all = &k.latency_all;
    Kind {
        name: k.name.into(),
        done: k.done,
        rolled_back: k.rolled_back,
        retried: k.retried,
        failed: k.failed,
        late: k.later_than(limit),
        limit_seconds: limit.min(1e9),
        latency: latency(&k.latency),
        bucket_p90_seconds: if all.is_empty() {
            0.0
        } else {
            (all.value_at_quantile(0.9) as f64 / 0.2e9).ceil() * 0.2
        },
        max_with_warmup_seconds: if all.is_empty() { 0.0 } else { all.max() as f64 / 1e9 },
    }
}

fn server_means(list: &[Interval]) -> ServerRates {
    ServerRates {
        dirty_pct: server_mean(list, |s| s.dirty_pct),
        checkpoint_age: server_mean(list, |s| s.checkpoint_age),
        pages_flushed: server_mean(list, |s| s.pages_flushed),
        flushed_list: server_mean(list, |s| s.flushed_list),
        flushed_lru: server_mean(list, |s| s.flushed_lru),
        flushed_sync: server_mean(list, |s| s.flushed_sync),
        log_writes: server_mean(list, |s| s.log_writes),
        log_mb: server_mean(list, |s| s.log_mb),
        log_syncs: server_mean(list, |s| s.log_syncs),
        pool_reads: server_mean(list, |s| s.pool_reads),
    }
}

fn machine_means(list: &[Interval]) -> MachineRates {
    let all = |of: fn(&MachineRates) -> f64| {
        mean(list, |i| i.machine.as_ref().map(of)).unwrap_or_default()
    };
    MachineRates {
        reads: all(|m| m.reads),
        writes: all(|m| m.writes),
        read_mb: all(|m| m.read_mb),
        write_mb: all(|m| m.write_mb),
        cpu_pct: all(|m| m.cpu_pct),
        idle_pct: all(|m| m.idle_pct),
        wait_pct: all(|m| m.wait_pct),
        server_cpu_pct: machine_mean(list, |m| m.server_cpu_pct),
        server_rss_mb: machine_mean(list, |m| m.server_rss_mb),
        generator_cpu_pct: machine_mean(list, |m| m.generator_cpu_pct),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A TPC-C result to draw and print.
    pub fn sample(name: &str, scale: f64) -> Report {
        let interval = |n: usize| Interval {
            at: n as f64 + 1.0,
            seconds: 1.0,
            measured: n >= 3,
            done: vec![(100.0 * scale) as u64 + n as u64 % 7, 100, 10, 10, 10],
            p50: 2.0,
            p95: 5.0 + n as f64 % 3.0,
            p99: 9.0,
            max: 20.0,
            server: Some(ServerRates {
                dirty_pct: Some(10.0 + n as f64),
                log_writes: Some(50.0),
                pages_flushed: Some(200.0 * scale),
                ..ServerRates::default()
            }),
            machine: Some(MachineRates { writes: 430.0, cpu_pct: 30.2, ..MachineRates::default() }),
            ..Interval::default()
        };
        let kind = |(i, name): (usize, &&str)| Kind {
            name: name.to_string(),
            done: if i < 2 { 1000 } else { 100 },
            latency: Latency { p90: 3.5, max: 20.0, ..Latency::default() },
            bucket_p90_seconds: 0.2,
            ..Kind::default()
        };
        let mut r = Report {
            format: FORMAT,
            name: name.into(),
            workload: "tpcc".into(),
            style: "standard".into(),
            metric: "TpmC".into(),
            users: 8,
            seconds: 60.0,
            dirty_limit: Some(90.0),
            kinds: crate::workload::tpcc::input::NAMES.iter().enumerate().map(kind).collect(),
            intervals: (0..20).map(interval).collect(),
            ..Report::default()
        };
        r.tpcc_figures();
        r.value *= scale;
        r.throughput = Throughput::of(&r.intervals);
        r.server = server_means(&r.intervals);
        r.machine = machine_means(&r.intervals);
        r
    }

    #[test]
    fn figures_of_the_order_entry_workload() {
        let r = sample("a", 1.0);
        assert_eq!(r.value, 1000.0);
        let payment = &r.constraints[0];
        assert!(payment.ok && (payment.percent - 43.478).abs() < 0.01, "{payment:?}");
        assert_eq!(r.constraints.len(), 9);
    }

    #[test]
    fn documents_round_trip_and_old_ones_are_read() {
        let text = serde_json::to_string(&sample("a", 1.0)).unwrap();
        let r: Report = serde_json::from_str(&text).unwrap();
        assert_eq!((r.kinds.len(), r.intervals.len(), r.value), (5, 20, 1000.0));
        let r: Report = serde_json::from_str(r#"{"format":1,"name":"old"}"#).unwrap();
        assert!(r.name == "old" && r.intervals.is_empty());
        let e = Report::load(Path::new("/nowhere/x.json")).unwrap_err().to_string();
        assert!(e.contains("/nowhere/x.json"), "{e}");
    }
}
