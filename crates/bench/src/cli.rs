//! The command line of `weir bench`.

use crate::args::Args;
use crate::command::{self, Options, Plan};
use crate::error::{Error, Result};
use crate::live::Live;
use crate::matrix;
use crate::report::{Report, chart, compare, html, picture, png, side, svg, text, write_file};
use crate::sysbench;
use crate::target::Target;
use crate::workload::insert;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const USAGE: &str = "\
Usage: weir bench tpcc|oltp|insert prepare|run|check|cleanup [options]
       weir bench sysbench --test=oltp [options of sysbench 0.4.12] [--each=VARIABLE=value,value] prepare|run|cleanup
       weir bench compare a.json b.json ...
       weir bench matrix FILE

  tpcc   order entry (TPC-C's tables, transactions and consistency conditions)
  oltp   the OLTP test of sysbench 0.4.12
  insert the insert benchmark: rows into three secondary indexes, beside sessions that ask for ranges of them

`weir bench tpcc run` alone needs nothing: it makes a fresh database in this process, loads it, runs, checks and reports.

Options of all:
  --target=T            embedded (default: a fresh data directory, removed afterwards), embedded:DIR,
                        or mysql://user:password@host:port/schema[?socket=PATH] for Weir, MariaDB, MySQL
  --schema=S            default tpcc, sbtest or insertbench
  --engine=E            storage engine of the tables: InnoDB, RocksDB
  --users=N             connections (also --threads)             --duration=60s    measured time (also --time)
  --warmup=0s           not measured                             --interval=1s     of the series
  --rate=N              transactions per second of all users; response times count from when one was due
  --max-requests=N      transactions in all                      --seed=1          of what users draw
  --prepare             make the data again first                --load-threads=N
  --set name=value      server option (embedded) or global variable (put back afterwards); may be repeated
  --name=TEXT           in tables and charts                     --out=PREFIX      PREFIX.json, .html, .svg, .png
  --no-live             plain lines

tpcc:
  --warehouses=N        scale: about 70 MB each                  --style=standard|tpcc-mysql|dbt2
  --home=fixed|random   a user's warehouse                       --path=sql|engine (embedded only)
  --keying=0 --think=0  factors on the standard's keying and think times
  --procedures          with --style=dbt2: a CALL for each transaction, as DBT-2 does
  --foreign-key-indexes the tables get the indexes of tpcc-mysql's foreign keys
  --check, --no-check   the twelve consistency conditions after the run (default: on fresh data)

oltp:
  --table-size=10000    --table=sbtest                           --mode=simple|complex|nontrx
  --nontrx-mode=select|update_key|update_nokey|insert|delete     --read-only  --skip-trx  --range-size=100
  --dist=special|uniform|gaussian  --dist-iter=12  --dist-pct=1  --dist-res=75

insert (--users is the sum of --inserters and --query-users):
  --rows=N              to be inserted; the run ends with them   --start-rows=N    that prepare makes
  --inserters=1         --query-users=0  --query-pause=0s        --rows-per-commit=1000  --rows-per-query=10
  --checks=3            answers computed a second way, without indexes, behind the timed part while rows go on coming in
  --check-every=0s      within the timed part too, an answer of each query session in turn (0: none)
  --table=purchases_index                                        --path=sql|engine (embedded only)

compare: runs of the same name are repetitions; --out=PREFIX writes PREFIX.html.
matrix: a TOML file, see docs/bench.md.

Exit codes: 0 done, 1 error, 3 partial result, 4 consistency violated or answers wrong.
";

/// A run that ended early.
const PARTIAL: u8 = 3;
const VIOLATED: u8 = 4;

/// `args`: without `weir bench`.
pub fn main(args: &[String]) -> ExitCode {
    if args.is_empty() || args.iter().any(|a| matches!(a.as_str(), "help" | "--help" | "-h")) {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    match dispatch(args) {
        Ok(code) => ExitCode::from(code),
        Err(e) => {
            eprintln!("weir bench: {e}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &[String]) -> Result<u8> {
    let word = |n: usize| args.get(n).map_or("", String::as_str);
    match word(0) {
        "compare" => compare_files(&mut Args::read(&args[1..])?),
        "matrix" => {
            let a = Args::read(&args[1..])?;
            a.finish()?;
            let [file] = a.files.as_slice() else {
                return Err(Error::other("weir bench matrix FILE: one file"));
            };
            let complete = matrix::command(Path::new(file), &signals()?)?;
            Ok(if complete { 0 } else { PARTIAL })
        }
        "tpcc" | "oltp" | "insert" => {
            let verb = word(1);
            if !["prepare", "run", "check", "cleanup"].contains(&verb) {
                return Err(Error::other(format!(
                    "weir bench {} '{verb}': prepare, run, check or cleanup (`weir bench help` lists all)",
                    word(0)
                )));
            }
            workload(word(0), verb, &args[2..])
        }
        "sysbench" => {
            let line = sysbench::translate(&args[1..])?;
            match &line.each {
                Some((name, values)) => side_by_side(&line, name, values),
                None => workload("oltp", &line.verb, &line.options),
            }
        }
        other => Err(Error::other(format!(
            "unknown '{other}': tpcc, oltp, insert, sysbench, compare or matrix (`weir bench help` lists all)"
        ))),
    }
}

/// The first Ctrl-C ends a run with its report, the second ends the process.
fn signals() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for s in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(s, 130, stop.clone())
            .and_then(|_| signal_hook::flag::register(s, stop.clone()))
            .map_err(|e| Error::other(format!("cannot handle signals: {e}")))?;
    }
    Ok(stop)
}

fn workload(name: &str, verb: &str, args: &[String]) -> Result<u8> {
    let stop = signals()?;
    let mut o = Options::read(name, &mut Args::read(args)?, &stop)?;
    if verb != "run" && o.target == "embedded" {
        return Err(Error::other(format!(
            "a fresh embedded database is gone when {verb} ends; give --target=embedded:DIR or mysql://..."
        )));
    }
    let mut live = Live::new(o.no_live);
    let target = o.open()?;
    let done = act(&mut o, verb, &target, &mut live);
    let closed = target.close();
    let code = done?;
    closed?;
    Ok(code)
}

/// Makes one run after the other, each with one value of the variable, and prints their reports side by side.
fn side_by_side(line: &sysbench::Line, name: &str, values: &[String]) -> Result<u8> {
    let stop = signals()?;
    let (mut columns, mut worst) = (Vec::new(), 0);
    for value in values {
        let mut list = line.options.clone();
        list.extend([format!("--set={name}={value}"), format!("--name={name}={value}")]);
        let mut o = Options::read("oltp", &mut Args::read(&list)?, &stop)?;
        let target = o.open()?;
        let mut live = Live::new(o.no_live);
        let report = command::measure(&mut o, &target, &mut live);
        target.close()?;
        let report = match report {
            Ok(report) => report,
            Err(e) => {
                // What the runs before it found is not lost.
                print!("{}", side::by_side(&columns));
                return Err(e);
            }
        };
        worst = worst.max(code(&report));
        columns.push((format!("{name} = {value}"), text::oltp(&report)));
        let prefix = o.out.as_ref().map(|out| format!("{out}-{value}"));
        for file in save(&report, prefix.as_deref())? {
            println!("written: {}", file.display());
        }
        if report.partial.is_some() {
            break;
        }
    }
    print!("{}", side::by_side(&columns));
    Ok(worst)
}

fn act(o: &mut Options, verb: &str, target: &Target, live: &mut Live) -> Result<u8> {
    match verb {
        "prepare" => {
            command::prepare(o, target, live)?;
            Ok(0)
        }
        "cleanup" => {
            println!("{}", command::cleanup(o, target)?);
            Ok(0)
        }
        "check" => check(o, target, live),
        _ => {
            let report = command::measure(o, target, live)?;
            println!("{}", text::show(&report));
            for file in save(&report, o.out.as_deref())? {
                println!("written: {}", file.display());
            }
            Ok(code(&report))
        }
    }
}

fn code(r: &Report) -> u8 {
    let violated = r.check.as_ref().is_some_and(|c| c.iter().any(|c| c.violations > 0));
    if violated || r.insert.as_ref().is_some_and(|i| i.wrong > 0) {
        VIOLATED
    } else if r.partial.is_some() {
        PARTIAL
    } else {
        0
    }
}

fn check(o: &Options, target: &Target, live: &mut Live) -> Result<u8> {
    if let Plan::Insert { config } = &o.plan {
        let checks = insert::check(target, config, 20)?;
        let wrong = checks.wrong.load(Ordering::Relaxed);
        let made = checks.made.load(Ordering::Relaxed);
        println!("{made} answers computed a second way, {wrong} wrong");
        checks.first_wrong().into_iter().for_each(|w| println!("  {w}"));
        return Ok(if wrong > 0 { VIOLATED } else { 0 });
    }
    let Plan::Tpcc { config, .. } = &o.plan else {
        return Err(Error::other(
            "oltp has no consistency conditions; `weir bench tpcc check` has",
        ));
    };
    let list = command::check_all(target, &config.schema, live)?;
    let report = Report { check: Some(list), ..Report::default() };
    println!("{}", text::check(&report));
    Ok(code(&report))
}

/// The files of a result.
fn save(r: &Report, out: Option<&str>) -> Result<Vec<PathBuf>> {
    let prefix = match out {
        Some(p) => p.to_string(),
        None => format!("weir-bench-{}-{}", r.workload, r.started.replace([' ', ':'], "-")),
    };
    let file = |ending: &str| PathBuf::from(format!("{prefix}.{ending}"));
    let title = format!("{} {}: {:.0} {}", r.workload, r.name, r.value, r.metric);
    r.save(&file("json"))?;
    let list = std::slice::from_ref(r);
    write_file(&file("html"), html::page(list, &title, &[]))?;
    let picture = picture::lay_out(&chart::charts(list), &title);
    write_file(&file("svg"), svg::draw(&picture))?;
    write_file(&file("png"), png::draw(&picture)?)?;
    Ok(["json", "html", "svg", "png"].map(file).to_vec())
}

fn compare_files(a: &mut Args) -> Result<u8> {
    let out = a.text("out");
    a.finish()?;
    if a.files.len() < 2 {
        return Err(Error::other("weir bench compare a.json b.json ...: at least two results"));
    }
    let list: Result<Vec<Report>> = a.files.iter().map(|f| Report::load(Path::new(f))).collect();
    let mut list = list?;
    // Runs of the same name are named by their files.
    if list.iter().all(|r| r.name == list[0].name) {
        for (r, f) in list.iter_mut().zip(&a.files) {
            let stem = Path::new(f).file_stem().map(|s| s.to_string_lossy().into_owned());
            r.name = stem.unwrap_or_else(|| f.clone());
        }
    }
    let groups = compare::groups(list);
    println!("{}", compare::show(&groups));
    if let Some(prefix) = out {
        let typical: Vec<Report> = groups.iter().map(|g| g.typical().clone()).collect();
        let file = PathBuf::from(format!("{prefix}.html"));
        write_file(&file, html::page(&typical, "Comparison", &compare::warnings(&groups)))?;
        println!("written: {}", file.display());
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(list: &[&str]) -> Result<u8> {
        dispatch(&list.iter().map(|s| s.to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn wrong_usage_is_told() {
        for (list, want) in [
            (vec!["tpch"], "unknown 'tpch'"),
            (vec!["sysbench", "--test=memory", "run"], "--test=memory"),
            (vec!["tpcc"], "prepare, run, check or cleanup"),
            (vec!["compare", "a.json"], "at least two"),
            (vec!["matrix"], "one file"),
            (vec!["matrix", "/nowhere.toml"], "/nowhere.toml"),
            (vec!["tpcc", "prepare"], "embedded:DIR"),
            (vec!["oltp", "run", "--target=postgres://x"], "targets look like"),
        ] {
            let e = run(&list).unwrap_err().to_string();
            assert!(e.contains(want), "{e}");
        }
    }
}
