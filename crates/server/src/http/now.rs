//! What the live page shows: a row of numbers for each second of the last ten minutes, and lists as they were a moment ago.
//!
//! A thread of its own takes a sample once a second and keeps it in a ring, so a page that is opened has the past, and pages cost what
//! it takes to send them: the lists are made once for all.

use crate::listener::Server;
use crate::process::Process;
use crate::stage::Stage;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use weir_engine::WaitInfo;
use weir_engine::cost::Cost;
use weir_sql::digests::{Durations, Summary};
use weir_sql::metrics;
use weir_sql::vars::Var;

/// Seconds that are kept.
const KEPT: usize = 600;
/// Rows of each list at most.
const STATEMENTS: usize = 15;
const WAITS: usize = 200;
const STALLS: usize = 5;
/// Characters of a statement.
const TEXT: usize = 400;

/// How a number of a sample is made of status variables.
enum Of {
    /// By how much their sum has grown in a second.
    Rate(&'static [&'static str]),
    /// As it is.
    Value(&'static str),
}
use Of::{Rate, Value as Now_};

/// The numbers of a sample that come from status variables; [`OTHERS`] follow.
const FIELDS: &[(&str, Of)] = &[
    ("commits", Rate(&["Weir_transactions_committed"])),
    ("statements", Rate(&["Questions"])),
    ("rows_read", Rate(&["Innodb_rows_read"])),
    ("rows_changed", Rate(&["Innodb_rows_inserted", "Innodb_rows_updated", "Innodb_rows_deleted"])),
    ("written_age", Rate(&["Weir_flush_age_pages"])),
    ("written_dirty", Rate(&["Weir_flush_dirty_pages"])),
    ("written_extra", Rate(&["Weir_flush_extra_pages"])),
    ("written_free", Rate(&["Weir_flush_free_pages"])),
    (
        "written_users",
        Rate(&[
            "Weir_flush_user_async_pages",
            "Weir_flush_user_sync_pages",
            "Weir_flush_user_dirty_pages",
            "Weir_flush_user_free_pages",
        ]),
    ),
    ("written_rescue", Rate(&["Weir_flush_rescue_pages"])),
    ("pages_read", Rate(&["Innodb_pages_read"])),
    ("paced", Rate(&["Weir_paced_changes"])),
    ("checkpoint_age", Now_("Weir_checkpoint_age")),
    ("log_capacity", Now_("Innodb_redo_log_capacity_resized")),
    ("pressure", Now_("Weir_pressure")),
    ("running", Now_("Threads_running")),
    ("connected", Now_("Threads_connected")),
    ("lock_waits", Now_("Innodb_row_lock_current_waits")),
    ("history", Now_("Innodb_history_list_length")),
    ("connection_memory", Now_("Global_connection_memory")),
];

/// Percentages, milliseconds and bytes that have no status variable.
const OTHERS: [&str; 6] = ["dirty_share", "dirty_limit", "p50", "p95", "p99", "resident"];

struct Sample {
    number: u64,
    at_millis: u64,
    values: Vec<f64>,
}

/// Counters at one moment.
struct Reading {
    at: Instant,
    status: HashMap<&'static str, u64>,
    durations: Option<Durations>,
}

impl Reading {
    fn of(server: &Server) -> Reading {
        let all = metrics::metrics(&server.inst);
        Reading {
            at: Instant::now(),
            status: all.into_iter().map(|(def, value)| (def.name, value)).collect(),
            durations: metrics::durations(&server.inst),
        }
    }

    fn get(&self, name: &str) -> u64 {
        self.status.get(name).copied().unwrap_or(0)
    }

    /// The numbers of a sample, given those of a second ago.
    fn values(&self, before: &Reading, dirty_limit: f64, resident: u64) -> Vec<f64> {
        let seconds = self.at.duration_since(before.at).as_secs_f64().max(1e-3);
        let value = |of: &Of| match of {
            Now_(name) => self.get(name) as f64,
            // FLUSH STATUS sets some back.
            Rate(names) => {
                let grown = |n: &&str| self.get(n).saturating_sub(before.get(n));
                names.iter().map(grown).sum::<u64>() as f64 / seconds
            }
        };
        let mut values: Vec<f64> = FIELDS.iter().map(|(_, of)| value(of)).collect();
        let pages = self.get("Innodb_buffer_pool_pages_total").max(1) as f64;
        values.push(self.get("Innodb_buffer_pool_pages_dirty") as f64 * 100.0 / pages);
        values.push(dirty_limit);
        let took = match (&self.durations, &before.durations) {
            (Some(now), Some(then)) => now.since(then),
            _ => Durations::default(),
        };
        values.extend([0.5, 0.95, 0.99].map(|share| took.quantile(share) as f64 / 1e6));
        values.push(resident as f64);
        values
    }
}

#[derive(Default)]
struct Kept {
    samples: VecDeque<Sample>,
    taken: u64,
    /// JSON of what is no row of numbers: members of an object.
    lists: String,
}

#[derive(Default)]
pub struct Now(Mutex<Kept>);

impl Now {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a sample each second, for as long as the process lives.
    pub fn keep(&self, stage: &Stage) {
        let mut before: Option<Reading> = None;
        loop {
            std::thread::sleep(Duration::from_secs(1));
            // Not kept over the sleep: the server may go meanwhile.
            let Some(server) = stage.server() else { continue };
            let reading = Reading::of(&server);
            if let Some(before) = &before {
                self.take(&server, &reading, before);
            }
            before = Some(reading);
        }
    }

    fn take(&self, server: &Server, reading: &Reading, before: &Reading) {
        let resident = Process::now().resident;
        let limit = server.inst.vars.f64(Var::innodb_max_dirty_pages_pct);
        let values = reading.values(before, limit, resident);
        let lists = lists(server, reading, resident);
        let at_millis = server.rt.wall_micros() / 1000;
        let mut kept = self.kept();
        kept.taken += 1;
        let number = kept.taken;
        if kept.samples.len() >= KEPT {
            kept.samples.pop_front();
        }
        kept.samples.push_back(Sample { number, at_millis, values });
        kept.lists = lists;
    }

    /// The samples behind number `after`, and the lists.
    pub fn json(&self, stage: &Stage, after: u64) -> String {
        let names: Vec<&str> = FIELDS.iter().map(|(name, _)| *name).chain(OTHERS).collect();
        let not_ready = stage.not_ready();
        let kept = self.kept();
        // A page of another life of the server begins again.
        let after = if after > kept.taken { 0 } else { after };
        let new = kept.samples.iter().filter(|s| s.number > after);
        let rows: Vec<Value> = new.map(|s| json!([s.number, s.at_millis, s.values])).collect();
        let head = json!({ "fields": names, "samples": rows, "not_ready": not_ready }).to_string();
        let lists = &kept.lists;
        if lists.is_empty() {
            return head;
        }
        // The closing brace goes behind the lists.
        format!("{},{lists}}}", &head[..head.len() - 1])
    }
}

/// Members of an object, as JSON.
fn lists(server: &Server, reading: &Reading, resident: u64) -> String {
    let inst = &server.inst;
    let vars = &inst.vars;
    let pool = vars.u64(Var::innodb_buffer_pool_size);
    let value = json!({
        "server": {
            "version": env!("CARGO_PKG_VERSION"),
            "host": vars.text(Var::hostname),
            "port": vars.u64(Var::port),
            "uptime": reading.get("Uptime"),
            "policy": vars.text(Var::weir_flush_policy),
            "pressure_cause": inst.db.pressure().cause.name(),
            "last_backup": reading.get("Weir_backup_last_time"),
        },
        "memory": {
            "resident": resident,
            "buffer pool": pool.min(reading.get("Innodb_buffer_pool_bytes_data")),
            "log buffer": vars.u64(Var::innodb_log_buffer_size),
            "sessions": reading.get("Global_connection_memory"),
        },
        "statements": inst.digests.are_kept().then(|| statements(inst.digests.list())),
        "waits": waits(server),
        "stalls": stalls(server),
    });
    let text = value.to_string();
    text[1..text.len() - 1].to_owned()
}

/// Those that took most time since the start, or since the table was truncated.
fn statements(all: Vec<std::sync::Arc<Summary>>) -> Vec<Value> {
    let mut by_time: Vec<_> = all.iter().map(|row| (row.sums(), row)).collect();
    by_time.sort_by_key(|(sums, _)| std::cmp::Reverse(sums.nanos));
    let row = |(sums, row): &(weir_sql::digests::Sums, &std::sync::Arc<Summary>)| {
        let text = row.text.as_deref().unwrap_or("(all for which the table of digests had no row)");
        json!({
            "schema": row.schema,
            "text": text.chars().take(TEXT).collect::<String>(),
            "count": sums.count,
            "seconds": sums.nanos as f64 / 1e9,
            "mean_ms": sums.nanos as f64 / 1e6 / sums.count.max(1) as f64,
            "p95_ms": row.quantile(0.95) as f64 / 1e6,
            "max_ms": row.max_nanos.load(Relaxed) as f64 / 1e6,
            "lock_seconds": sums.lock_nanos as f64 / 1e9,
            "examined": sums.examined,
            "sent": sums.sent,
            "errors": sums.errors,
            "pages_read": sums.costs[Cost::PagesRead as usize],
            "pages_dirtied": sums.costs[Cost::PagesDirtied as usize],
            "redo": sums.costs[Cost::RedoBytes as usize],
        })
    };
    by_time.iter().filter(|(sums, _)| sums.count > 0).take(STATEMENTS).map(row).collect()
}

/// Waits under way, the longest first, with who they are that wait and stand in the way. Statements may have secrets and are left out.
fn waits(server: &Server) -> Value {
    let mut open: Vec<WaitInfo> = server.inst.db.waits().into_iter().filter(|w| w.lasts).collect();
    open.sort_by_key(|w| std::cmp::Reverse(w.micros));
    open.truncate(WAITS);
    let concerned = |id: u64| open.iter().any(|w| w.session == id || w.blocker == id);
    let who: BTreeMap<String, Value> = match open.is_empty() {
        true => BTreeMap::new(),
        false => weir_sql::processes::processes(&server.inst)
            .into_iter()
            .filter(|p| concerned(p.id))
            .map(|p| {
                let does = json!({ "user": p.user, "host": p.host, "command": p.command, "seconds": p.time });
                (p.id.to_string(), does)
            })
            .collect(),
    };
    let row = |w: &WaitInfo| {
        json!({
            "session": w.session,
            "blocker": w.blocker,
            "blocker_trx": w.blocker_trx,
            "cause": w.cause,
            "object": w.object,
            "seconds": w.micros as f64 / 1e6,
        })
    };
    json!({ "open": open.iter().map(row).collect::<Vec<_>>(), "sessions": who })
}

/// The last times without a commit while sessions waited.
fn stalls(server: &Server) -> Vec<Value> {
    let mut all = server.inst.db.stalls();
    all.sort_by_key(|s| std::cmp::Reverse(s.began_micros));
    let row = |s: &weir_engine::StallInfo| {
        let first = s.stuck.first();
        json!({
            "began_ms": s.began_micros / 1000,
            "ended_ms": s.ended_micros.map(|t| t / 1000),
            "sessions": s.sessions,
            "cause": first.map(|w| w.cause),
            "object": first.and_then(|w| w.object.clone()),
            "blocker": first.map(|w| w.blocker),
        })
    };
    all.iter().take(STALLS).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn reading(at: Instant, status: &[(&'static str, u64)]) -> Reading {
        Reading { at, status: status.iter().copied().collect(), durations: None }
    }

    fn field(values: &[f64], name: &str) -> f64 {
        let names: Vec<&str> = FIELDS.iter().map(|(name, _)| *name).chain(OTHERS).collect();
        assert_eq!(names.len(), values.len());
        values[names.iter().position(|n| *n == name).unwrap()]
    }

    #[test]
    fn a_sample_has_rates_and_values() {
        let begun = Instant::now();
        let before = reading(begun, &[("Questions", 100), ("Innodb_rows_inserted", 5)]);
        let status = [
            ("Questions", 300),
            ("Innodb_rows_updated", 10),
            ("Weir_pressure", 12),
            ("Innodb_buffer_pool_pages_total", 200),
            ("Innodb_buffer_pool_pages_dirty", 50),
        ];
        let values = reading(begun + Duration::from_secs(2), &status).values(&before, 75.0, 1024);
        assert_eq!(field(&values, "statements"), 100.0);
        assert_eq!(field(&values, "rows_changed"), 5.0, "a counter that was set back adds nothing");
        assert_eq!(field(&values, "pressure"), 12.0);
        assert_eq!((field(&values, "dirty_share"), field(&values, "dirty_limit")), (25.0, 75.0));
        assert_eq!((field(&values, "p99"), field(&values, "resident")), (0.0, 1024.0));
    }

    #[test]
    fn the_ring_gives_what_is_new() {
        let now = Now::default();
        let stage = Stage::new(Path::new("/"));
        {
            let mut kept = now.kept();
            for number in 1..=3 {
                kept.samples.push_back(Sample { number, at_millis: number, values: vec![1.5] });
            }
            kept.taken = 3;
            kept.lists = r#""waits":[]"#.into();
        }
        let numbers = |after| {
            let v: Value = serde_json::from_str(&now.json(&stage, after)).unwrap();
            assert_eq!(v["not_ready"], "starting");
            assert!(v["waits"].is_array());
            v["samples"]
                .as_array()
                .unwrap()
                .iter()
                .map(|s| s[0].as_u64().unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(numbers(0), [1, 2, 3]);
        assert_eq!(numbers(2), [3]);
        assert_eq!(numbers(3), [0u64; 0]);
        assert_eq!(numbers(99), [1, 2, 3], "the page is of an earlier start");
    }
}
