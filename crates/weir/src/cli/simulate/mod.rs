//! `weir simulate`: its options, and the texts that people see. The simulator itself is `weir-sim`, with `weir-sim-sql` for sessions over
//! the engine and `weir-sim-net` for the server over both.

mod driver;

use std::process::ExitCode;
use std::time::Duration;

use weir_sim::{EngineStorey, FLUSH_POLICIES, FaultSet, Overrides, Size, Storey, Workload};
use weir_sim_net::NetStorey;
use weir_sim_sql::SqlStorey;

const HELP: &str = "\
weir simulate: the whole storage engine in one thread, in virtual time, from one seed.

A seed draws page size, pool, redo log, tables, clients, transactions, crashes and faults, and runs them; a model beside
the engine checks every read, every lock, every start after a crash. The same seed does the same thing again.

With --storey sql it plays SQL sessions over the engine: statements of all kinds, XA, partitions, views, programs, triggers, events,
files that are loaded, definitions that change while queries and prepared statements run, KILL, clients that vanish, crowds of waiters,
rights, little memory, few descriptors, full disks, crashes.

With --storey net it plays the whole server behind a network that delays, splits, fills and cuts: logins, commands one by one and several at
once, answers that are taken slowly, parked connections, KILL, timeouts, clients that vanish or talk nonsense, crashes.

Usage: weir simulate [options]

Which seeds:
  --seed N              one seed
  --seeds A..B          these, B not included
  --minutes M           until so much time has passed (default 1); without seeds, from a random one on
  --jobs N              threads, each with seeds of its own (default: one for each processor)
  --keep-going          go on after a failure

What they may do:
  --storey S            engine (default): the storage engine alone; sql: sessions over it; net: the server behind a
                        network
  --workload W          mixed, hot, grow, long, ddl, append or register; default: the seed decides
  --size S              usual, wide (tables of several map pages) or large (hundreds of clients, dozens of tables, a log that
                        wraps many times); default: the seed decides, one in a hundred is large
  --faults F            all (default), none, or some of:
                          to be survived: crash, slow, stuck, full, read, descriptors, again, sleep, wall
                          to be told, never silent: write, sync, flip, lost
  --policy P            weir_flush_policy of all lives; default: each life draws one, some change it
  --plant BUG           with a bug of docs/planted-bugs.md; needs a build with --features weir/planted
  --check-determinism   every seed twice, with the same digest of schedule and device (else every 64th)

Smaller (what the program prints when it has shrunk a failure):
  --lives 0,2           only these lives        --clients 0,3       only these clients
  --txns N              transactions of each    --ops N             most statements of a transaction
  --tables N            only the first tables   --drop-faults 1,4   without these planned faults
  --no-shrink           do not search for a smaller case
  --trace               tell what happens, with the engine's own log

Exit code 0: nothing found. 1: a checker failed; the seed, the checker's sentence and the command that shows it again are
printed. 64: the options cannot be understood.

Examples:
  weir simulate --seeds 0..10000
  weir simulate --minutes 10 --workload hot --faults none
  weir simulate --seed 7 --trace
";

/// Options of one call.
#[derive(Clone)]
struct Call {
    storey: &'static dyn Storey,
    seeds: Option<(u64, u64)>,
    time: Option<Duration>,
    jobs: Option<usize>,
    keep_going: bool,
    twice: bool,
    shrink: bool,
    trace: bool,
    /// Name of a planted bug.
    plant: Option<String>,
    overrides: Overrides,
}

/// Switches a planted bug on, in builds that have them.
#[cfg(feature = "planted")]
fn plant(name: &str) -> Result<(), String> {
    use {
        weir_sim::planted as engine, weir_sim_net::planted as server, weir_sim_sql::planted as sql,
    };
    if let Some(bug) = server::by_name(name) {
        server::plant(Some(bug));
        return Ok(());
    }
    if let Some(bug) = sql::by_name(name) {
        sql::plant(Some(bug));
        return Ok(());
    }
    let bug = engine::by_name(name).ok_or_else(|| {
        let engine = engine::ALL.iter().map(|b| b.1);
        let above = sql::ALL.iter().map(|b| b.1).chain(server::ALL.iter().map(|b| b.1));
        let all: Vec<&str> = engine.chain(above).collect();
        format!("--plant {name}: there is no such bug; choose one of {}", all.join(", "))
    })?;
    engine::plant(Some(bug));
    Ok(())
}

#[cfg(not(feature = "planted"))]
fn plant(name: &str) -> Result<(), String> {
    Err(format!(
        "--plant {name}: this program was built without planted bugs; \
         use cargo run --release -p weir --features weir/planted -- simulate --plant {name}"
    ))
}

pub fn main(args: &[String]) -> ExitCode {
    if args.iter().any(|a| a == "--help" || a == "-h" || a == "-?") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let call = parse(args).and_then(|c| c.plant.as_deref().map_or(Ok(()), plant).map(|()| c));
    match call {
        Ok(call) => driver::drive(&call),
        Err(e) => {
            eprintln!("weir simulate: {e}; `weir simulate --help` lists the options");
            ExitCode::from(64)
        }
    }
}

fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{name} {text}: not a number"))
}

fn list<T: std::str::FromStr>(name: &str, text: &str) -> Result<Vec<T>, String> {
    text.split(',').map(|t| number(name, t)).collect()
}

fn range(text: &str) -> Result<(u64, u64), String> {
    let (a, b) = text
        .split_once("..")
        .ok_or_else(|| format!("--seeds {text}: two numbers with .. between"))?;
    let (a, b) = (number("--seeds", a)?, number("--seeds", b)?);
    if a >= b {
        return Err(format!("--seeds {text}: there is none"));
    }
    Ok((a, b))
}

fn storey(name: &str) -> Result<&'static dyn Storey, String> {
    match name {
        "engine" => Ok(&EngineStorey),
        "sql" => Ok(&SqlStorey),
        "net" => Ok(&NetStorey),
        s => Err(format!("there is no storey '{s}'; there are engine, sql and net")),
    }
}

fn policy(name: &str) -> Result<&'static str, String> {
    let known = FLUSH_POLICIES.iter().copied().find(|n| *n == name);
    known.ok_or_else(|| {
        format!("there is no policy '{name}'; there are {}", FLUSH_POLICIES.join(", "))
    })
}

fn named<T>(what: &str, name: &str, by_name: impl Fn(&str) -> Option<T>) -> Result<T, String> {
    by_name(name).ok_or_else(|| format!("there is no {what} '{name}'"))
}

fn parse(args: &[String]) -> Result<Call, String> {
    let mut c = Call {
        storey: &EngineStorey,
        seeds: None,
        time: None,
        jobs: None,
        keep_going: false,
        twice: false,
        shrink: true,
        trace: false,
        plant: None,
        overrides: Overrides::default(),
    };
    let o = &mut c.overrides;
    let mut it = args.iter();
    while let Some(arg) = it.next() {
        let (name, inline) = match arg.split_once('=') {
            Some((n, v)) => (n, Some(v.to_string())),
            None => (arg.as_str(), None),
        };
        let mut value =
            || inline.clone().or_else(|| it.next().cloned()).ok_or(format!("{name} needs a value"));
        match name {
            "--seed" => {
                let n: u64 = number(name, &value()?)?;
                c.seeds = Some((n, n.saturating_add(1)));
            }
            "--seeds" => c.seeds = Some(range(&value()?)?),
            "--minutes" => {
                let m: f64 = number(name, &value()?)?;
                c.time = Some(Duration::try_from_secs_f64(m * 60.0).map_err(|e| e.to_string())?);
            }
            "--storey" => c.storey = storey(&value()?)?,
            "--jobs" => c.jobs = Some(number::<usize>(name, &value()?)?.max(1)),
            "--workload" => o.workload = Some(named("workload", &value()?, Workload::by_name)?),
            "--size" => o.size = Some(named("size", &value()?, Size::by_name)?),
            "--policy" => o.policy = Some(policy(&value()?)?),
            "--faults" => o.faults = Some(FaultSet::parse(&value()?)?),
            "--clients" => o.clients = Some(list(name, &value()?)?),
            "--lives" => o.lives = Some(list(name, &value()?)?),
            "--drop-faults" => o.drop_faults = list(name, &value()?)?,
            "--txns" => o.txns = Some(number(name, &value()?)?),
            "--ops" => o.ops = Some(number(name, &value()?)?),
            "--tables" => o.tables = Some(number(name, &value()?)?),
            "--keep-going" => c.keep_going = true,
            "--check-determinism" => c.twice = true,
            "--no-shrink" => c.shrink = false,
            "--trace" => c.trace = true,
            "--plant" => c.plant = Some(value()?),
            other => return Err(format!("there is no option '{other}'")),
        }
    }
    if !c.storey.has_policies() {
        engine_only(&c.overrides)?;
    }
    Ok(c)
}

/// Options that mean nothing to sessions.
fn engine_only(o: &Overrides) -> Result<(), String> {
    let given = [
        ("--workload", o.workload.is_some()),
        ("--policy", o.policy.is_some()),
        ("--ops", o.ops.is_some()),
        ("--size wide", o.size == Some(Size::Wide)),
    ];
    match given.iter().find(|g| g.1) {
        Some((name, _)) => Err(format!("{name} is for the engine's storey alone")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(s: &str) -> Vec<String> {
        s.split_whitespace().map(str::to_string).collect()
    }

    #[test]
    fn the_printed_options_are_understood() {
        let o = Overrides {
            size: Some(Size::Wide),
            workload: Some(Workload::Hot),
            faults: Some(FaultSet::parse("crash,full").unwrap()),
            clients: Some(vec![0, 2]),
            txns: Some(3),
            ops: Some(4),
            lives: Some(vec![1]),
            drop_faults: vec![5, 6],
            tables: Some(1),
            policy: Some("mysql-5.5"),
        };
        let call = parse(&words(&format!("--seed 7{}", o.options()))).unwrap();
        assert_eq!(call.overrides, o);
        assert_eq!(call.seeds, Some((7, 8)));
    }

    #[test]
    fn a_planted_bug_needs_its_build_and_its_name() {
        let call = parse(&words("--plant fire --seed 1")).unwrap();
        assert_eq!(call.plant.as_deref(), Some("fire"));
        let e = plant("fire").unwrap_err();
        assert!(e.contains("fire"), "{e}");
        assert_eq!(e.contains("--features"), !cfg!(feature = "planted"), "{e}");
    }

    #[test]
    fn what_is_not_understood_is_named() {
        for (args, word) in [
            ("--sed 1", "--sed"),
            ("--seed x", "x"),
            ("--seeds 5..5", "5..5"),
            ("--faults fire", "fire"),
            ("--workload tpcc", "tpcc"),
            ("--policy none", "none"),
            ("--size huge", "huge"),
            ("--storey attic", "attic"),
            ("--storey sql --workload hot", "--workload"),
            ("--size wide --storey sql", "--size wide"),
            ("--seed", "--seed"),
        ] {
            let e = parse(&words(args)).err().expect(args);
            assert!(e.contains(word), "{e}");
        }
    }

    #[test]
    fn the_storey_of_a_failure_is_in_its_replay() {
        let call = parse(&words("--seed 7 --storey sql --txns 3")).unwrap();
        assert_eq!(call.storey.options(), " --storey sql");
        assert_eq!(parse(&words("--seed 7")).unwrap().storey.options(), "");
    }
}
