//! The differential tester: statements from a seed on Weir and on a MySQL or MariaDB, and what the two answer differently.
//!
//! Beside the product: nothing of it is in the binary `weir`, and it speaks to both servers over the protocol, so that what a
//! client sees is what is compared. Rooms: [`client`] asks, [`generate`] says what, [`judge`] compares, [`known`] has the
//! differences that are explained, [`tree`] cuts statements down, [`run`] puts them together.
#![forbid(unsafe_code)]

mod client;
mod generate;
mod judge;
mod known;
mod run;
mod tree;

use judge::{KINDS, Kind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const USAGE: &str = "\
Runs statements from a seed on Weir and on another server, and prints what they answer differently.
The schema weir_compare is dropped and made again on both.

Usage: weir-compare --weir=HOST:PORT --other=HOST:PORT [options]

  --user=NAME           account on both, without a password (root)
  --seed=N              first round (1); each round takes the next one
  --minutes=N           how long (1)
  --rounds=N            so many rounds, if there is the time: the same ones again with the same --seed
  --statements=N        statements of a round (60)
  --through=WAY         how queries are asked: plain, cte, view or prepared (plain)
  --max-findings=N      stop after so many (20)
  --kinds=A,B           lost, refused, errno, columns, rows, affected, names, types, warnings (lost,refused,columns,rows,affected)
";

fn parse(args: &[String]) -> Result<run::Options, String> {
    let mut o = run::Options {
        weir: String::new(),
        other: String::new(),
        user: "root".into(),
        seed: 1,
        until: Instant::now(),
        rounds: u64::MAX,
        kinds: vec![Kind::Lost, Kind::Refused, Kind::ColumnCount, Kind::Rows, Kind::Affected],
        max_findings: 20,
        statements: 60,
        through: run::Through::Plain,
    };
    let mut minutes = 1.0;
    for arg in args {
        let (name, value) = arg.split_once('=').ok_or_else(|| format!("'{arg}' has no value"))?;
        let bad = |_| format!("{name}: '{value}' is no number");
        match name {
            "--weir" => o.weir = value.into(),
            "--other" => o.other = value.into(),
            "--user" => o.user = value.into(),
            "--seed" => o.seed = value.parse().map_err(bad)?,
            "--minutes" => {
                minutes = value.parse().map_err(|_| format!("{name}: '{value}' is no number"))?;
            }
            "--rounds" => o.rounds = value.parse().map_err(bad)?,
            "--statements" => o.statements = value.parse().map_err(bad)?,
            "--max-findings" => o.max_findings = value.parse().map_err(bad)?,
            "--through" => o.through = run::Through::by_name(value)?,
            "--kinds" => o.kinds = kinds(value)?,
            _ => return Err(format!("unknown option {name}")),
        }
    }
    if o.weir.is_empty() || o.other.is_empty() {
        return Err("both servers must be named".into());
    }
    if !(0.0..1e6).contains(&minutes) {
        return Err("--minutes: from 0 to a million".into());
    }
    o.until = Instant::now() + Duration::from_secs_f64(minutes * 60.0);
    Ok(o)
}

fn kinds(list: &str) -> Result<Vec<Kind>, String> {
    let one = |name: &str| {
        let found = KINDS.iter().find(|(n, _)| *n == name);
        found.map(|(_, k)| *k).ok_or_else(|| format!("--kinds: '{name}' is unknown"))
    };
    list.split(',').map(one).collect()
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let wanted = match parse(&args) {
        Ok(w) => w,
        Err(e) => {
            eprint!("weir-compare: {e}\n\n{USAGE}");
            return ExitCode::from(64);
        }
    };
    match run::run(&wanted) {
        Ok(tally) => {
            println!(
                "{} statements, {} refused by both, {} unexplained differences",
                tally.statements, tally.refused_by_both, tally.findings
            );
            for (what, (count, known)) in &tally.known {
                println!("  known, {count} times, {}: {what}. {}", known.right.name(), known.why);
            }
            if tally.findings == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(e) => {
            eprintln!("weir-compare: {e}");
            ExitCode::from(2)
        }
    }
}
