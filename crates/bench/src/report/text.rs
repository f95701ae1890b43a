//! Results for the terminal, in the shapes of the published ones.

use super::table::{Table, number, percent};
use super::{OltpTotals, Report};
use std::fmt::Write as _;

/// Everything about one run.
pub fn show(r: &Report) -> String {
    let mut out = String::new();
    if let Some(why) = &r.partial {
        let _ = writeln!(out, "PARTIAL RESULT: {why}\n");
    }
    match (r.workload.as_str(), r.style.as_str()) {
        ("oltp", _) => out.push_str(&oltp(r)),
        (_, "tpcc-mysql") => out.push_str(&tpcc_mysql(r)),
        (_, "dbt2") => out.push_str(&dbt2(r)),
        _ => {}
    }
    if let Some(t) = &r.insert {
        out.push_str(&super::insert::text(t));
    }
    out.push_str(&tables_text(std::slice::from_ref(r)));
    let t = &r.throughput;
    let _ = writeln!(
        out,
        "\nThroughput per interval: mean {:.1}/s, minimum {:.1}/s, coefficient of variation {:.3}, {} of {} intervals under half of the mean",
        t.mean, t.min, t.variation, t.under_half, t.intervals
    );
    let _ = writeln!(
        out,
        "Statements: {:.0}/s; generator {} of one processor, server {} and {} MB",
        r.statements_per_second,
        percent(r.machine.generator_cpu_pct),
        percent(r.machine.server_cpu_pct),
        number(r.machine.server_rss_mb, 0),
    );
    if let Some(l) = &r.load {
        let rate = l.rows as f64 / l.seconds.max(1e-9);
        let _ = writeln!(out, "Load: {} rows in {:.1} s, {rate:.0} rows/s", l.rows, l.seconds);
    }
    for o in &r.outages {
        let _ =
            writeln!(out, "Without connection from {:.1} s to {:.1} s: {}", o.from, o.to, o.why);
    }
    out.push_str(&check(r));
    out
}

/// The tables of the published results, a line for each run, with their titles.
pub fn tables(list: &[Report]) -> Vec<(String, Table)> {
    let mut out = vec![
        (String::new(), throughput(list)),
        ("The machine".into(), machine(list)),
        ("The server".into(), server(list)),
    ];
    if list.iter().all(|r| r.workload == "tpcc") && !list.is_empty() {
        out.extend(response_times(list));
    } else if list.iter().any(|r| r.insert.is_some()) {
        out.push(("Inserts".into(), inserts(list)));
        out.push(("Response time in milliseconds".into(), kinds(list)));
    } else {
        let mut t = Table::new(["Run", "mean ms", "p50", "p90", "p95", "p99", "p99.9", "max"]);
        for r in list {
            let l = &r.latency;
            let all = [l.mean, l.p50, l.p90, l.p95, l.p99, l.p999, l.max];
            t.row([r.name.clone()].into_iter().chain(all.iter().map(|v| format!("{v:.2}"))));
        }
        out.push(("Response time in milliseconds".into(), t));
    }
    out
}

/// The same as text.
pub fn tables_text(list: &[Report]) -> String {
    let one = |(title, t): (String, Table)| match title.as_str() {
        "" => format!("\n{}", t.text()),
        title => format!("\n{title}:\n\n{}", t.text()),
    };
    tables(list).into_iter().map(one).collect()
}

/// Of the insert benchmark: does the rate hold, and what does a row cost?
fn inserts(list: &[Report]) -> Table {
    let mut t = Table::new([
        "Run",
        "Rows/s",
        "First tenth",
        "Last tenth",
        "Last to first",
        "Queries/s",
        "Written per byte",
        "Checked",
        "Wrong",
    ]);
    for r in list {
        let none = super::insert::InsertTotals::default();
        let i = r.insert.as_ref().unwrap_or(&none);
        t.row([
            r.name.clone(),
            format!("{:.0}", r.value),
            number(i.tenths.first().copied(), 0),
            number(i.tenths.last().copied(), 0),
            number(i.last_to_first(), 2),
            format!("{:.1}", i.queries_per_second),
            i.written_per_byte.map_or("unknown".into(), |w| format!("{w:.1}")),
            i.checked.to_string(),
            i.wrong.to_string(),
        ]);
    }
    t
}

/// Response times of each kind of transaction.
fn kinds(list: &[Report]) -> Table {
    let mut t = Table::new(["Run", "Kind", "Done", "mean ms", "p50", "p95", "p99", "p99.9", "max"]);
    for r in list {
        for k in r.kinds.iter().filter(|k| k.count() > 0) {
            let l = &k.latency;
            let all = [l.mean, l.p50, l.p95, l.p99, l.p999, l.max];
            let names = [r.name.clone(), k.name.clone(), k.count().to_string()];
            t.row(names.into_iter().chain(all.iter().map(|v| format!("{v:.2}"))));
        }
    }
    t
}

fn throughput(list: &[Report]) -> Table {
    let metric = list.first().map_or("", |r| &r.metric);
    let users = list.first().map_or(0, |r| r.users);
    let same_users = list.iter().all(|r| r.users == users);
    let heading = if same_users { format!("{metric} @ {users} users") } else { metric.to_string() };
    let mut t = Table::new(["Run", &heading, "Transactions/s", "Avg pct dirty"]);
    for r in list {
        t.row([
            mark(r),
            format!("{:.0}", r.value),
            format!("{:.1}", r.transactions_per_second),
            r.server.dirty_pct.map_or("-".into(), |p| format!("{p:.0}%")),
        ]);
    }
    t
}

fn machine(list: &[Report]) -> Table {
    let mut t = Table::new([
        "Run",
        "Pct dirty",
        "Reads/s",
        "Writes/s",
        "MB/s read",
        "MB/s written",
        "CPU%",
        "Idle%",
        "Wait%",
    ]);
    for r in list {
        let m = &r.machine;
        t.row([
            r.name.clone(),
            r.dirty_limit.map_or("-".into(), |p| format!("{p:.0}%")),
            format!("{:.0}", m.reads),
            format!("{:.0}", m.writes),
            format!("{:.1}", m.read_mb),
            format!("{:.1}", m.write_mb),
            percent(Some(m.cpu_pct)),
            percent(Some(m.idle_pct)),
            percent(Some(m.wait_pct)),
        ]);
    }
    t
}

fn server(list: &[Report]) -> Table {
    let mut t = Table::new([
        "Run",
        "Checkpoint age MB",
        "Pages flushed/s",
        "list",
        "LRU",
        "sync",
        "Log writes/s",
        "Log MB/s",
        "Log syncs/s",
        "Pool reads/s",
    ]);
    for r in list {
        let s = &r.server;
        t.row([
            r.name.clone(),
            number(s.checkpoint_age.map(|b| b / 1e6), 1),
            number(s.pages_flushed, 0),
            number(s.flushed_list, 0),
            number(s.flushed_lru, 0),
            number(s.flushed_sync, 0),
            number(s.log_writes, 0),
            number(s.log_mb, 2),
            number(s.log_syncs, 0),
            number(s.pool_reads, 0),
        ]);
    }
    t
}

fn mark(r: &Report) -> String {
    if r.partial.is_some() { format!("{} (partial)", r.name) } else { r.name.clone() }
}

fn response_times(list: &[Report]) -> Vec<(String, Table)> {
    let names: Vec<&str> = list[0].kinds.iter().map(|k| k.name.as_str()).collect();
    type Figure = fn(&super::Kind) -> String;
    let all: [(&str, Figure); 3] = [
        ("90th percentile response time in seconds", |k| seconds(k.latency.p90)),
        ("Max response time in seconds", |k| seconds(k.latency.max)),
        ("Transactions (rolled back, retried, failed)", |k| {
            format!("{} ({}, {}, {})", k.count(), k.rolled_back, k.retried, k.failed)
        }),
    ];
    let table = |(title, figure): (&str, Figure)| {
        let mut t = Table::new(["Run"].into_iter().chain(names.iter().copied()));
        for r in list {
            t.row([r.name.clone()].into_iter().chain(r.kinds.iter().map(figure)));
        }
        (title.to_string(), t)
    };
    all.into_iter().map(table).collect()
}

/// Milliseconds as seconds, with as many digits as say something.
fn seconds(ms: f64) -> String {
    if ms >= 1000.0 { format!("{:.2}", ms / 1e3) } else { format!("{:.4}", ms / 1e3) }
}

pub fn check(r: &Report) -> String {
    let Some(list) = &r.check else { return String::new() };
    let mut out = String::from("\nConsistency (TPC-C clause 3.3.2):\n");
    for c in list {
        let state = if c.violations == 0 {
            "OK".into()
        } else {
            format!("VIOLATED {} times", c.violations)
        };
        let _ = writeln!(out, "  {:>2}. {:<55} {state}", c.number, c.text);
        c.examples.iter().for_each(|e| {
            let _ = writeln!(out, "        {e}");
        });
    }
    out
}

/// sysbench 0.4.12's report, line for line.
pub fn oltp(r: &Report) -> String {
    let none = OltpTotals::default();
    let o = r.oltp.as_ref().unwrap_or(&none);
    let mut out = o.header.join("\n");
    let per = |n: u64| n as f64 / r.seconds.max(1e-9);
    let l = &r.latency;
    let both = o.read + o.write;
    let _ = write!(
        out,
        "\n
OLTP test statistics:
    queries performed:
        read:                            {}
        write:                           {}
        other:                           {}
        total:                           {}
    transactions:                        {:<6} ({:.2} per sec.)
    deadlocks:                           {:<6} ({:.2} per sec.)
    read/write requests:                 {:<6} ({:.2} per sec.)
    other operations:                    {:<6} ({:.2} per sec.)

Test execution summary:
    total time:                          {:.4}s
    total number of events:              {}
    total time taken by event execution: {:.4}
    per-request statistics:
         min:                            {:>10.2}ms
         avg:                            {:>10.2}ms
         max:                            {:>10.2}ms
         approx.  95 percentile:         {:>10.2}ms

Threads fairness:
    events (avg/stddev):           {:.4}/{:.2}
    execution time (avg/stddev):   {:.4}/{:.2}
",
        o.read,
        o.write,
        o.other,
        both + o.other,
        o.events,
        per(o.events),
        o.deadlocks,
        per(o.deadlocks),
        both,
        per(both),
        o.other,
        per(o.other),
        r.seconds,
        o.events,
        o.busy_seconds,
        l.min,
        l.mean,
        l.max,
        l.p95,
        o.events_of_user.0,
        o.events_of_user.1,
        o.busy_of_user.0,
        o.busy_of_user.1,
    );
    out
}

/// tpcc-mysql's end of a run. Its 90th percentiles are edges of buckets of 0.2 s with the warm-up in them.
fn tpcc_mysql(r: &Report) -> String {
    let mut out = String::from("<Raw Results>\n");
    for (i, k) in r.kinds.iter().enumerate() {
        let late = k.late.min(k.count());
        let _ = writeln!(
            out,
            "  [{i}] sc:{}  lt:{late}  rt:{}  fl:{}   (90th {:.2}, max {:.2})",
            k.count() - late,
            k.retried,
            k.failed,
            k.bucket_p90_seconds,
            k.max_with_warmup_seconds
        );
    }
    let _ = writeln!(out, " in {:.0} sec.\n\n<Constraint Check> (all must be [OK])", r.seconds);
    let verdict = |ok: bool| if ok { "[OK]" } else { "[NG]" };
    let _ = writeln!(out, " [transaction percentage]");
    let (shares, times) = r.constraints.split_at(r.constraints.len().min(4));
    for (c, k) in shares.iter().zip(r.kinds.iter().skip(1)) {
        let _ = writeln!(
            out,
            "  {:>13}: {:.2}% (>={:.1}%) {}",
            k.name,
            c.percent,
            c.at_least,
            verdict(c.ok)
        );
    }
    let _ = writeln!(out, " [response time (at least 90% passed)]");
    for (c, k) in times.iter().zip(&r.kinds) {
        let _ = writeln!(out, "  {:>13}: {:.2}%  {}", k.name, c.percent, verdict(c.ok));
    }
    let _ = writeln!(out, "\n<TpmC>\n{:>25.3} TpmC", r.value);
    out
}

/// DBT-2's table.
fn dbt2(r: &Report) -> String {
    let mut out = String::from(
        "                         Response Time (s)\n \
         Transaction      %    Average :    90th %        Total        Rollbacks      %\n\
         ------------  -----  ---------------------  -----------  ---------------  -----\n",
    );
    let all: u64 = r.kinds.iter().map(|k| k.count()).sum();
    for k in &r.kinds {
        let share = 100.0 * k.count() as f64 / all.max(1) as f64;
        let rolled = 100.0 * k.rolled_back as f64 / k.count().max(1) as f64;
        let _ = writeln!(
            out,
            "{:>12}  {share:>5.2}  {:>9.3} : {:>9.3}  {:>11}  {:>15}  {rolled:>5.2}",
            k.name,
            k.latency.mean / 1e3,
            k.latency.p90 / 1e3,
            k.count(),
            k.rolled_back
        );
    }
    let errors: u64 = r.kinds.iter().map(|k| k.failed).sum();
    let _ = writeln!(
        out,
        "------------  -----  ---------------------  -----------  ---------------  -----\n\n\
         {:.2} new-order transactions per minute (NOTPM)\n{:.1} minute duration\n{errors} total unknown errors",
        r.value,
        r.seconds / 60.0
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Latency;
    use crate::report::tests::sample;

    #[test]
    fn the_report_of_sysbench_line_for_line() {
        let r = Report {
            seconds: 562.2973,
            latency: Latency {
                min: 111.64,
                mean: 899.16,
                max: 3981.26,
                p95: 1367.64,
                ..Latency::default()
            },
            oltp: Some(OltpTotals {
                header: vec!["Threads started!".into(), "Done.".into()],
                read: 140_014,
                write: 50_005,
                other: 20_002,
                deadlocks: 0,
                events: 10_001,
                busy_seconds: 8992.4807,
                events_of_user: (625.0625, 5.45),
                busy_of_user: (562.03, 0.21),
            }),
            ..Report::default()
        };
        let want = "\
Threads started!
Done.

OLTP test statistics:
    queries performed:
        read:                            140014
        write:                           50005
        other:                           20002
        total:                           210021
    transactions:                        10001  (17.79 per sec.)
    deadlocks:                           0      (0.00 per sec.)
    read/write requests:                 190019 (337.93 per sec.)
    other operations:                    20002  (35.57 per sec.)

Test execution summary:
    total time:                          562.2973s
    total number of events:              10001
    total time taken by event execution: 8992.4807
    per-request statistics:
         min:                                111.64ms
         avg:                                899.16ms
         max:                               3981.26ms
         approx.  95 percentile:            1367.64ms

Threads fairness:
    events (avg/stddev):           625.0625/5.45
    execution time (avg/stddev):   562.0300/0.21
";
        assert_eq!(oltp(&r), want);
    }

    #[test]
    fn tables_have_a_line_for_each_run() {
        let mut b = sample("xtradb", 0.5);
        b.partial = Some("interrupted".into());
        let t = tables_text(&[sample("weir", 1.0), b]);
        assert!(t.contains("| TpmC @ 8 users |"), "{t}");
        assert!(t.contains("xtradb (partial)") && t.contains("New-Order"), "{t}");
        assert!(t.contains("0.0035") && t.contains("430"), "{t}");
    }

    #[test]
    fn styles() {
        let mut r = sample("a", 1.0);
        r.style = "tpcc-mysql".into();
        let t = show(&r);
        assert!(t.contains("[0] sc:1000  lt:0  rt:0  fl:0"), "{t}");
        assert!(t.contains("      Payment: 43.48% (>=43.0%) [OK]"), "{t}");
        r.style = "dbt2".into();
        assert!(show(&r).contains("1000.00 new-order transactions per minute (NOTPM)"));
        r.partial = Some("interrupted".into());
        assert!(show(&r).starts_with("PARTIAL RESULT: interrupted"));
    }
}
