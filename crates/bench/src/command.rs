//! `weir bench tpcc|oltp|insert prepare|run|check|cleanup`: from options to a result.

use crate::args::Args;
use crate::error::{Error, Result};
use crate::inserts::InsertRun;
use crate::live::Live;
use crate::measure::{Interval, speed, status};
use crate::report::{Load, OltpTotals, Report, Speed};
use crate::run::{Measured, RunOptions, UserTotals, run};
use crate::target::Target;
use crate::workload::Workload;
use crate::workload::calls::PathKind;
use crate::workload::insert::{self, Insert};
use crate::workload::oltp::{self, Oltp};
use crate::workload::tpcc::{self, Style, Tpcc, check};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// What the workload's own options say.
pub enum Plan {
    Tpcc { config: tpcc::Config, given: Option<i64> },
    Oltp { config: oltp::Config, given: Option<u64> },
    Insert { config: insert::Config },
}

impl Plan {
    /// Connections that a run makes.
    fn users(&self, a: &mut Args) -> Result<usize> {
        match self {
            Plan::Insert { config } => Ok(config.inserters + config.query_users),
            Plan::Tpcc { .. } | Plan::Oltp { .. } => a.or("users", 1usize),
        }
    }

    /// (Most requests, longest time) where the options say nothing: sysbench makes 10,000 requests; the insert benchmark ends
    /// with its rows.
    fn usual_end(&self) -> (Option<u64>, Option<Duration>) {
        match self {
            Plan::Oltp { .. } => (Some(10_000), None),
            Plan::Insert { config } if config.rows.is_some() => (None, None),
            Plan::Tpcc { .. } | Plan::Insert { .. } => (None, Some(Duration::from_secs(60))),
        }
    }
}

/// All options of a command.
pub struct Options {
    pub target: String,
    pub settings: Vec<String>,
    pub engine: String,
    pub load_threads: usize,
    pub plan: Plan,
    pub run: RunOptions,
    pub name: Option<String>,
    pub out: Option<String>,
    pub prepare: bool,
    /// None: where the data was made for this run.
    pub check: Option<bool>,
    pub no_live: bool,
    /// As given, for the result.
    pub shown: Vec<(String, String)>,
}

/// Scale where none is given and data is to be made.
const WAREHOUSES: i64 = 1;
const TABLE_SIZE: u64 = 10_000;

impl Options {
    pub fn read(workload: &str, a: &mut Args, stop: &Arc<AtomicBool>) -> Result<Options> {
        let shown = a.shown();
        let target = a.text("target").unwrap_or_else(|| "embedded".into());
        let engine = a.text("engine").unwrap_or_else(|| "InnoDB".into());
        let seed = a.or("seed", 1u64)?;
        let schema = a.text("schema");
        let plan = match workload {
            "tpcc" => tpcc_plan(a, schema, seed)?,
            "oltp" => oltp_plan(a, schema, seed)?,
            "insert" => Plan::Insert { config: insert::Config::read(a, schema, seed)? },
            other => {
                let text = format!("unknown workload '{other}': tpcc, oltp or insert");
                return Err(Error::other(text));
            }
        };
        let requests: Option<u64> = a.get("max-requests")?;
        let duration = a.duration("duration")?;
        let (requests, duration) = match (requests, duration) {
            (None, None) => plan.usual_end(),
            (r, d) => (r.filter(|n| *n > 0), d.filter(|d| !d.is_zero())),
        };
        let interval = a.duration("interval")?.unwrap_or(Duration::from_secs(1));
        let users = plan.users(a)?;
        if users == 0 || interval < Duration::from_millis(10) {
            return Err(Error::other("--users is at least 1, --interval at least 10ms"));
        }
        let rate: Option<f64> = a.get("rate")?;
        if rate.is_some_and(|r| r.is_nan() || r <= 0.0) {
            return Err(Error::other("--rate is a number of transactions per second above 0"));
        }
        let run = RunOptions {
            users,
            warmup: a.duration("warmup")?.unwrap_or_default(),
            duration,
            max_requests: requests,
            interval,
            rate,
            rocks: engine.eq_ignore_ascii_case("rocksdb"),
            stop: stop.clone(),
        };
        let cpus = std::thread::available_parallelism().map_or(1, |n| n.get());
        let check = match (a.switch("check"), a.switch("no-check")) {
            (_, true) => Some(false),
            (true, _) => Some(true),
            _ => None,
        };
        let o = Options {
            target,
            settings: a.list("set"),
            engine,
            load_threads: a.or("load-threads", cpus.clamp(2, 8))?.max(1),
            plan,
            run,
            name: a.text("name"),
            out: a.text("out"),
            prepare: a.switch("prepare"),
            check,
            no_live: a.switch("no-live"),
            shown,
        };
        a.finish()?;
        if let Some(f) = a.files.first() {
            return Err(Error::other(format!("'{f}' is no option; options look like --users=8")));
        }
        Ok(o)
    }

    fn schema(&self) -> &str {
        match &self.plan {
            Plan::Tpcc { config, .. } => &config.schema,
            Plan::Oltp { config, .. } => &config.schema,
            Plan::Insert { config } => &config.schema,
        }
    }

    /// Opens the target; a schema in its URL is taken where no option names one.
    pub fn open(&mut self) -> Result<Target> {
        let embedded = self.target.starts_with("embedded");
        // The data is made at full speed: a slowed down device counts from the run on.
        let at_start: Vec<String> = match embedded {
            true => self.settings.iter().map(|s| start_value(s)).collect(),
            false => Vec::new(),
        };
        let target = Target::open(&self.target, &at_start)?;
        let given = self.shown.iter().any(|(n, _)| n == "schema");
        if let Some(s) = target.schema().filter(|_| !given) {
            match &mut self.plan {
                Plan::Tpcc { config, .. } => config.schema = s,
                Plan::Oltp { config, .. } => config.schema = s,
                Plan::Insert { config } => config.schema = s,
            }
        }
        Ok(target)
    }
}

fn tpcc_plan(a: &mut Args, schema: Option<String>, seed: u64) -> Result<Plan> {
    let style = Style::parse(&a.text("style").unwrap_or_else(|| "standard".into()))?;
    let path = PathKind::parse(a.text("path").as_deref())?;
    let procedures = a.switch("procedures");
    if procedures && (style != Style::Dbt2 || path == PathKind::Engine) {
        return Err(Error::other("--procedures: with --style=dbt2 and SQL only"));
    }
    let fixed_home = match a.text("home").as_deref() {
        None => style == Style::Standard,
        Some("fixed") => true,
        Some("random") => false,
        Some(other) => return Err(Error::other(format!("--home={other}: fixed or random"))),
    };
    let given: Option<i64> = a.get("warehouses")?;
    if given.is_some_and(|w| !(1..=100_000).contains(&w)) {
        return Err(Error::other("--warehouses: 1 to 100000"));
    }
    let config = tpcc::Config {
        schema: schema.unwrap_or_else(|| "tpcc".into()),
        warehouses: given.unwrap_or(WAREHOUSES),
        foreign: a.switch("foreign-key-indexes"),
        style,
        path,
        procedures,
        fixed_home,
        keying: a.or("keying", 0.0)?,
        thinking: a.or("think", 0.0)?,
        seed,
    };
    if config.keying < 0.0 || config.thinking < 0.0 {
        return Err(Error::other(
            "--keying and --think are factors on the standard's times, at least 0",
        ));
    }
    Ok(Plan::Tpcc { config, given })
}

fn oltp_plan(a: &mut Args, schema: Option<String>, seed: u64) -> Result<Plan> {
    let path = PathKind::parse(a.text("path").as_deref())?;
    let mode = a.text("mode").unwrap_or_else(|| "complex".into());
    let nontrx = a.text("nontrx-mode").unwrap_or_else(|| "select".into());
    let dist = a.text("dist").unwrap_or_else(|| "special".into());
    let (iterations, pct, res) =
        (a.or("dist-iter", 12)?, a.or("dist-pct", 1)?, a.or("dist-res", 75)?);
    let given: Option<u64> = a.get("table-size")?;
    if given == Some(0) || given.is_some_and(|n| n > u64::from(u32::MAX)) {
        return Err(Error::other("--table-size: 1 to 4294967295"));
    }
    let table = a.text("table").unwrap_or_else(|| "sbtest".into());
    if !table.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') || table.is_empty() {
        return Err(Error::other(format!("--table={table}: letters, digits and _ only")));
    }
    let config = oltp::Config {
        schema: schema.unwrap_or_else(|| "sbtest".into()),
        table,
        rows: given.unwrap_or(TABLE_SIZE),
        mode: oltp::Mode::parse(&mode, &nontrx)?,
        path,
        distribution: oltp::random::Distribution::parse(&dist, iterations, pct, res)?,
        range: a.or("range-size", 100)?,
        read_only: a.switch("read-only"),
        skip_trx: a.switch("skip-trx"),
        seed,
    };
    Ok(Plan::Oltp { config, given })
}

/// Makes the data again.
pub fn prepare(o: &Options, target: &Target, live: &mut Live) -> Result<Load> {
    let begun = Instant::now();
    live.note(&format!("preparing schema '{}' on {}", o.schema(), target.describe()));
    let stop = &o.run.stop;
    let rows = match &o.plan {
        Plan::Tpcc { config, .. } => tpcc::load::Load {
            target,
            schema: &config.schema,
            engine: &o.engine,
            warehouses: config.warehouses,
            foreign: config.foreign,
            threads: o.load_threads,
            seed: config.seed,
        }
        .run(stop, |rows, of, took| live.load(rows, of, took))?,
        Plan::Oltp { config, .. } => {
            oltp::prepare(target, config, &o.engine, o.load_threads, stop, |rows, of, took| {
                live.load(rows, of, took);
            })?
        }
        Plan::Insert { config } => {
            insert::prepare(target, config, &o.engine, o.load_threads, stop, |rows, of, took| {
                live.load(rows, of, took);
            })?
        }
    };
    let load = Load { rows, seconds: begun.elapsed().as_secs_f64() };
    live.note(&format!(
        "loaded {rows} rows in {:.1} s, {:.0} rows/s",
        load.seconds,
        rows as f64 / load.seconds.max(1e-9)
    ));
    Ok(load)
}

/// Is the data there, and of the scale that was asked for?
fn look_at_data(o: &mut Options, target: &Target) -> Result<()> {
    let mut conn = connect_to_data(o, target)?;
    match &mut o.plan {
        Plan::Tpcc { config, given } => {
            let found = tpcc::schema::scale(&mut conn, &config.schema)?;
            if let Some(asked) = given.filter(|n| *n != found) {
                return Err(Error::other(format!(
                    "schema '{}' has {found} warehouses, --warehouses={asked} was asked for; leave the option out, or run \
                     `weir bench tpcc prepare --warehouses {asked}` with the same --target and --schema",
                    config.schema
                )));
            }
            config.warehouses = found;
        }
        Plan::Oltp { config, given } => {
            if given.is_none() {
                config.rows = 1;
            }
            let found = oltp::scale(&mut conn, config)?;
            config.rows = given.unwrap_or(found);
        }
        Plan::Insert { config } => config.start_rows = insert::scale(&mut conn, config)?,
    }
    Ok(())
}

fn connect_to_data(o: &Options, target: &Target) -> Result<crate::target::Conn> {
    let schema = o.schema();
    target.connect_patient(schema).map_err(|e| match e.errno() {
        1049 => Error::other(format!(
            "there is no schema '{schema}' on {}; run prepare first with the same --target and --schema",
            target.describe()
        )),
        1044 | 1045 | 1698 => Error::other(format!("cannot log in to {}: {e}", target.describe())),
        _ => e,
    })
}

/// Prepares where that is wanted, runs, checks: a result.
pub fn measure(o: &mut Options, target: &Target, live: &mut Live) -> Result<Report> {
    let mut report = Report { started: tpcc::random::now(), ..Report::default() };
    if target.is_fresh() || o.prepare {
        report.load = Some(prepare(o, target, live)?);
    }
    look_at_data(o, target)?;
    let _restored = Applied::set(target, &o.settings)?;
    describe(&mut report, o, target)?;
    live.note(&format!(
        "{} users on {}, {} of warm-up, {}",
        o.run.users,
        target.describe(),
        seconds(o.run.warmup),
        match (o.run.duration, o.run.max_requests) {
            (Some(d), _) => format!("{} measured", seconds(d)),
            (None, Some(n)) => format!("{n} requests"),
            (None, None) => "until Ctrl-C".into(),
        }
    ));
    let mut inserts = None;
    let workload: Arc<dyn Workload> = match &o.plan {
        Plan::Insert { config } => {
            let w = Insert::new(target.clone(), config.clone())?;
            inserts = Some(InsertRun::begin(target, config, &w, o.run.rocks)?);
            Arc::new(w)
        }
        Plan::Tpcc { config, .. } => Arc::new(Tpcc::new(target.clone(), config.clone())?),
        Plan::Oltp { config, .. } => Arc::new(Oltp::new(target.clone(), config.clone())?),
    };
    let total = o.run.duration.map(|d| d + o.run.warmup);
    let new_orders: fn(&Interval) -> f64 =
        |i| i.done.first().map_or(0.0, |n| *n as f64 * 60.0 / i.seconds.max(1e-9));
    let metric_of = match &o.plan {
        Plan::Tpcc { .. } => new_orders,
        Plan::Oltp { .. } | Plan::Insert { .. } => Interval::rate,
    };
    live.run(&report.metric, metric_of, report.dirty_limit, total);
    let measured = run(target, &workload, &o.run, |i, _| live.interval(i))?;
    drop(workload);
    live.clear();
    report.measured(&measured);
    match &o.plan {
        Plan::Tpcc { .. } => report.tpcc_figures(),
        Plan::Oltp { config, .. } => {
            report.value = report.transactions_per_second;
            report.oltp = Some(oltp_totals(&measured, config, &o.run));
        }
        Plan::Insert { config } => {
            let totals =
                inserts.map(|i| end_inserts(&i, &mut report, &measured, (o, config), target, live));
            report.value =
                totals.as_ref().map_or(0.0, |t| t.rows as f64 / measured.seconds.max(1e-9));
            report.insert = totals;
        }
    }
    let wanted = o.check.unwrap_or(target.is_fresh());
    if let Plan::Tpcc { config, .. } = &o.plan
        && wanted
    {
        report.check = Some(check_all(target, &config.schema, live)?);
    }
    Ok(report)
}

/// The insert benchmark's own figures, and the answers that are computed a second way.
fn end_inserts(
    run: &InsertRun,
    report: &mut Report,
    measured: &Measured,
    (o, config): (&Options, &insert::Config),
    target: &Target,
    live: &mut Live,
) -> crate::report::insert::InsertTotals {
    let mut totals = run.end(target, config, measured);
    if config.query_users > 0 && config.checks > 0 {
        live.note(&format!("computing {} answers a second way", config.checks));
    }
    // The figures stand, whatever happens now.
    if report.partial.is_none()
        && let Err(e) = run.check(target, config, &o.run.stop, &mut totals)
    {
        report.partial = Some(format!("no answers could be computed a second way: {e}"));
    }
    totals
}

fn seconds(d: Duration) -> String {
    format!("{} s", d.as_secs_f64())
}

pub fn check_all(target: &Target, schema: &str, live: &mut Live) -> Result<Vec<check::Condition>> {
    live.note("checking the twelve consistency conditions");
    check::check(target, schema, |_, _| {})
}

fn describe(r: &mut Report, o: &Options, target: &Target) -> Result<()> {
    let mut conn = target.connect("")?;
    r.server_version = conn.first("SELECT VERSION()")?.unwrap_or_default();
    r.settings = status::variables(&mut conn)?.into_iter().collect();
    r.dirty_limit = r.settings.get("innodb_max_dirty_pages_pct").and_then(|v| v.parse().ok());
    if o.run.rocks {
        r.dirty_limit = None;
    }
    r.target = target.describe();
    r.engine = o.engine.clone();
    r.users = o.run.users;
    r.warmup_seconds = o.run.warmup.as_secs_f64();
    r.options = o.shown.iter().cloned().collect();
    // A password is nobody's business.
    r.options.insert("target".into(), target.describe());
    r.path = "sql".into();
    match &o.plan {
        Plan::Tpcc { config, .. } => {
            r.workload = "tpcc".into();
            r.style = config.style.name().into();
            r.metric = config.style.metric().into();
            r.options.insert("warehouses".into(), config.warehouses.to_string());
            if config.path == PathKind::Engine {
                r.path = "engine".into();
            }
        }
        Plan::Oltp { config, .. } => {
            r.workload = "oltp".into();
            r.metric = "transactions/s".into();
            r.options.insert("table-size".into(), config.rows.to_string());
            if config.path == PathKind::Engine {
                r.path = "engine".into();
            }
        }
        Plan::Insert { config } => {
            r.workload = "insert".into();
            r.metric = "rows/s".into();
            r.options.insert("start-rows".into(), config.start_rows.to_string());
            if config.path == PathKind::Engine {
                r.path = "engine".into();
            }
        }
    }
    r.name = o.name.clone().unwrap_or_else(|| match r.path.as_str() {
        "engine" => "embedded-engine".into(),
        _ if target.is_embedded() => "embedded".into(),
        _ => r.server_version.clone(),
    });
    r.speed = Speed {
        cpu_ms: speed::cpu_ms(),
        sync_ms: speed::sync_ms(Path::new(".")),
        cpus: std::thread::available_parallelism().map_or(1, |n| n.get()),
    };
    Ok(())
}

/// Mean and standard deviation.
fn spread(list: &[f64]) -> (f64, f64) {
    let n = list.len().max(1) as f64;
    let mean = list.iter().sum::<f64>() / n;
    (mean, (list.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt())
}

fn oltp_totals(m: &Measured, c: &oltp::Config, run: &RunOptions) -> OltpTotals {
    let class = |n: usize| m.users.iter().map(|u| u.classes[n]).sum();
    let of_users = |f: fn(&UserTotals) -> f64| m.users.iter().map(f).collect::<Vec<_>>();
    let kind = &m.collector.kinds[0];
    let mut header = vec![
        "Running the test with following options:".into(),
        format!("Number of threads: {}", run.users),
        String::new(),
        "Doing OLTP test.".into(),
        c.mode.describe().into(),
        c.distribution.describe(),
    ];
    if c.mode == oltp::Mode::Complex && !c.skip_trx {
        header.push("Using \"BEGIN\" for starting transactions".into());
    }
    header.push("Using auto_inc on the id column".into());
    if let Some(n) = run.max_requests {
        header.push(format!("Maximum number of requests for OLTP test is limited to {n}"));
    }
    header.push("Threads started!".into());
    if run.duration.is_some() {
        header.push("Time limit exceeded, exiting...".into());
    }
    header.push("Done.".into());
    let busy = of_users(|u| u.busy_seconds);
    OltpTotals {
        header,
        read: class(0),
        write: class(1),
        other: class(2),
        deadlocks: kind.retried,
        events: kind.count(),
        busy_seconds: busy.iter().sum(),
        events_of_user: spread(&of_users(|u| u.events as f64)),
        busy_of_user: spread(&busy),
    }
}

pub fn cleanup(o: &Options, target: &Target) -> Result<String> {
    let mut conn = target.connect_patient("")?;
    Ok(match &o.plan {
        Plan::Tpcc { config, .. } => {
            conn.query(&format!("DROP DATABASE IF EXISTS `{}`", config.schema))?;
            format!("schema '{}' is dropped", config.schema)
        }
        Plan::Oltp { config, .. } => {
            conn.query(&format!("DROP TABLE IF EXISTS `{}`.`{}`", config.schema, config.table))?;
            format!("table '{}.{}' is dropped", config.schema, config.table)
        }
        Plan::Insert { config } => {
            conn.query(&format!("DROP TABLE IF EXISTS `{}`.`{}`", config.schema, config.table))?;
            format!("table '{}.{}' is dropped", config.schema, config.table)
        }
    })
}

const THROTTLE: &str = "weir_throttle_iops";

fn is_throttle(setting: &str) -> bool {
    setting.split('=').next().is_some_and(|n| n.trim().replace('-', "_") == THROTTLE)
}

/// What an embedded engine is opened with.
fn start_value(setting: &str) -> String {
    if is_throttle(setting) { format!("{THROTTLE}=0") } else { setting.into() }
}

/// Server variables set for a run on a remote server (embedded: those that are not for the loading of the data); put back
/// when dropped.
struct Applied {
    target: Target,
    before: Vec<(String, String)>,
}

impl Applied {
    fn set(target: &Target, settings: &[String]) -> Result<Option<Applied>> {
        let embedded = target.is_embedded();
        let settings: Vec<_> = settings.iter().filter(|s| !embedded || is_throttle(s)).collect();
        if settings.is_empty() {
            return Ok(None);
        }
        let mut conn = target.connect("")?;
        let mut applied = Applied { target: target.clone(), before: Vec::new() };
        for s in settings {
            let bad = || Error::other(format!("--set {s}: a setting is name=value"));
            let (name, value) = s.split_once('=').ok_or_else(bad)?;
            let name = name.trim().replace('-', "_");
            if !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                return Err(bad());
            }
            let told = |e: Error| e.at(format!("--set {s}"));
            let old = conn.first(&format!("SELECT @@GLOBAL.{name}")).map_err(told)?;
            conn.query(&format!("SET GLOBAL {name} = {}", literal(value.trim()))).map_err(told)?;
            applied.before.push((name, old.unwrap_or_default()));
        }
        Ok(Some(applied))
    }
}

/// A number (with K, M, G worked out) or a quoted text.
fn literal(v: &str) -> String {
    if let Some(n) = weir_sql::vars::parse_size(v) {
        return n.to_string();
    }
    if v.parse::<f64>().is_ok() {
        return v.into();
    }
    format!("'{}'", v.replace('\\', "\\\\").replace('\'', "''"))
}

impl Drop for Applied {
    fn drop(&mut self) {
        let Ok(mut conn) = self.target.connect("") else {
            eprintln!("weir: the server's variables could not be put back: {:?}", self.before);
            return;
        };
        for (name, value) in self.before.iter().rev() {
            if let Err(e) = conn.query(&format!("SET GLOBAL {name} = {}", literal(value))) {
                eprintln!("weir: {name} could not be put back to {value}: {e}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(workload: &str, list: &[&str]) -> Result<Options> {
        let list: Vec<String> = list.iter().map(|s| s.to_string()).collect();
        Options::read(workload, &mut Args::read(&list)?, &Arc::default())
    }

    #[test]
    fn defaults_of_both_workloads() {
        let o = options("oltp", &[]).unwrap();
        assert_eq!((o.run.max_requests, o.run.duration), (Some(10_000), None));
        let o = options("tpcc", &["--style=tpcc-mysql", "--users", "16"]).unwrap();
        assert_eq!(o.run.duration, Some(Duration::from_secs(60)));
        let Plan::Tpcc { config, given } = o.plan else { panic!() };
        assert!(!config.fixed_home && given.is_none());
    }

    #[test]
    fn names_of_sysbench_are_understood() {
        let o = options(
            "oltp",
            &[
                "--num-threads=16",
                "--max-requests=100",
                "--oltp-table-size=500",
                "--oltp-test-mode=simple",
                "--max-time=5",
            ],
        )
        .unwrap();
        assert_eq!((o.run.users, o.run.max_requests), (16, Some(100)));
        assert_eq!(o.run.duration, Some(Duration::from_secs(5)));
        let Plan::Oltp { config, given } = o.plan else { panic!() };
        assert_eq!((config.mode, given), (oltp::Mode::Simple, Some(500)));
    }

    #[test]
    fn bad_options_are_named() {
        for (list, want) in [
            (vec!["--warehouses=0"], "--warehouses"),
            (vec!["--style=tpch"], "--style=tpch"),
            (vec!["--path=disk"], "--path=disk"),
            (vec!["--usres=8"], "did you mean '--users'"),
            (vec!["--rate=0"], "--rate"),
            (vec!["run"], "'run' is no option"),
        ] {
            let e = options("tpcc", &list).err().unwrap().to_string();
            assert!(e.contains(want), "{e}");
        }
        assert!(options("tpch", &[]).is_err());
        assert!(options("oltp", &["--path=disk"]).is_err());
        let mut o =
            options("oltp", &["--path=engine", "--target=mysql://root@127.0.0.1:1"]).unwrap();
        let target = o.open().unwrap();
        let Plan::Oltp { config, .. } = o.plan else { panic!() };
        assert!(Oltp::new(target, config).err().unwrap().to_string().contains("embedded:DIR"));
        assert!(options("oltp", &["--table=a;b"]).is_err());
    }

    #[test]
    fn a_run_in_this_process_from_nothing_to_a_result() {
        let dir = std::env::temp_dir().join(format!("weir-bench-test-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        let target = format!("--target=embedded:{}", dir.display());
        let list =
            [target.as_str(), "--prepare", "--table-size=500", "--users=3", "--max-requests=200"];
        let mut o = options("oltp", &list).unwrap();
        let target = o.open().unwrap();
        let r = measure(&mut o, &target, &mut Live::new(true)).unwrap();
        let totals = r.oltp.unwrap();
        assert_eq!((r.partial, totals.events, r.load.map(|l| l.rows)), (None, 200, Some(500)));
        // What a conflict made run again stays counted.
        assert!(totals.read >= 200 * 14 && totals.write >= 200 * 5 && totals.other >= 200 * 2);
        assert_eq!(r.options["table-size"], "500");
        // Another scale, and no data at all, are reported.
        for (list, want) in
            [(["--table-size=501"], "has ids up to 500"), (["--schema=none"], "no schema 'none'")]
        {
            let mut o = options("oltp", &list).unwrap();
            let e = measure(&mut o, &target, &mut Live::new(true)).err().unwrap().to_string();
            assert!(e.contains(want), "{e}");
        }
        both_paths_leave_the_same_rows(&target);
        target.close().unwrap();
        std::fs::remove_dir_all(&dir).unwrap();
    }

    /// One user, the same seed: every row is what the other path has made of it.
    fn both_paths_leave_the_same_rows(target: &Target) {
        let mut rows = Vec::new();
        for path in ["sql", "engine"] {
            for mode in [&["--mode=complex"][..], &["--mode=nontrx", "--nontrx-mode=insert"]] {
                let path = format!("--path={path}");
                let mut list = vec![path.as_str(), "--max-requests=100", "--seed=5"];
                list.extend(mode);
                if mode.len() == 1 {
                    list.extend(["--prepare", "--table-size=300"]);
                }
                let mut o = options("oltp", &list).unwrap();
                let r = measure(&mut o, target, &mut Live::new(true)).unwrap();
                assert_eq!((r.partial, r.path), (None, path["--path=".len()..].to_string()));
                if mode.len() == 1 {
                    let t = r.oltp.unwrap();
                    assert_eq!((t.read, t.write, t.other), (1400, 500, 200));
                }
            }
            let mut conn = target.connect("sbtest").unwrap();
            let all = conn.query("SELECT id, k, HEX(c), HEX(pad) FROM sbtest ORDER BY id").unwrap();
            let row = |r| (0..4).map(|c| all.text(r, c).into_owned()).collect::<Vec<_>>();
            rows.push((0..all.len()).map(row).collect::<Vec<_>>());
        }
        assert_eq!(rows[0].len(), 400);
        assert_eq!(rows[0], rows[1]);
    }

    #[test]
    fn values_of_settings() {
        assert_eq!(
            (literal("2G"), literal("0.5"), literal("O'x")),
            ("2147483648".into(), "0.5".into(), "'O''x'".into())
        );
        assert_eq!(spread(&[1.0, 3.0]), (2.0, 1.0));
    }
}
