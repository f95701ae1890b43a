//! The command line of `weir reproduce`.

use crate::data::STOPPED;
use crate::figures::Measured;
use crate::machine::presets;
use crate::published::{self, Experiment, Verdict};
use crate::report::{self, Outcome, disks};
use crate::work::{Job, Where, Work, program, write};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const USAGE: &str = "\
Usage: weir reproduce [NAME...|all] [options]
       weir reproduce list
       weir reproduce disks

Runs published measurements of flush policies again, with the published option lines, and says of each published
figure and observation what came out. `list` names experiments, runs and machines; `disks` sets the simulated disks
beside published figures of such disks.

  --world=sim|real    sim: virtual time on a computed machine of that year (default); real: this computer's disk
  --scale=small|full  small: minutes for all (default); full: overnight for all, mostly in the published size; the page
                      says by what each world is smaller than the published one
  --run=NAME          only this run; may be repeated
  --machine=NAME      on another computed machine, to ask the same of the disks that you have; NAME+SWITCH switches one
                      property of its disks (`list` names both)
  --set name=value    server option over those of all runs, to switch one thing at a time; may be repeated
  --without=foreign-keys   TPC-C's tables without the indexes of tpcc-mysql's foreign keys
  --jobs=N            runs at once (default: as many as processors; with --world=real always one)
  --out=DIR           results, kept and gone on with (default: weir-reproduce)      --again  make kept runs again
  --doc=FILE          write the page there, its pictures beside it, if no run is missing
  --dir=DIR           with --world=real: where data are made and removed again (default: here)

Exit codes: 0 done, 1 error, 3 interrupted or some runs failed.
";

const PARTIAL: u8 = 3;

const COMPUTED: &str = "on a computed machine: processors with a cost for each call of the engine and each request, disks with arms and \
turns, caches, an array, a file system; in virtual time, so the same command of the same program makes the same digits";

#[derive(Default)]
struct Args {
    names: Vec<String>,
    real: bool,
    full: bool,
    runs: Vec<String>,
    machine: Option<String>,
    set: Vec<String>,
    /// TPC-C's tables have no indexes of foreign keys.
    no_foreign_keys: bool,
    jobs: Option<usize>,
    out: Option<PathBuf>,
    again: bool,
    doc: Option<PathBuf>,
    dir: Option<PathBuf>,
}

impl Args {
    fn read(list: &[String]) -> Result<Args, String> {
        let mut a = Args::default();
        let mut it = list.iter();
        while let Some(word) = it.next() {
            let Some(option) = word.strip_prefix("--") else {
                a.names.push(word.clone());
                continue;
            };
            if option == "again" {
                a.again = true;
                continue;
            }
            let (name, value) = match option.split_once('=') {
                Some((n, v)) => (n, v.to_string()),
                None => {
                    let v = it.next().ok_or_else(|| format!("--{option} needs a value"))?;
                    (option, v.clone())
                }
            };
            a.take(name, value)?;
        }
        Ok(a)
    }

    fn take(&mut self, name: &str, value: String) -> Result<(), String> {
        match (name, value.as_str()) {
            ("world", "sim") => self.real = false,
            ("world", "real") => self.real = true,
            ("scale", "small") => self.full = false,
            ("scale", "full") => self.full = true,
            ("world", v) => return Err(format!("--world={v}: sim or real")),
            ("scale", v) => return Err(format!("--scale={v}: small or full")),
            ("run", _) => self.runs.push(value),
            ("without", "foreign-keys") => self.no_foreign_keys = true,
            ("without", v) => return Err(format!("--without={v}: foreign-keys")),
            ("set", v) if v.contains('=') => self.set.push(value),
            ("set", v) => return Err(format!("--set {v}: name=value")),
            ("machine", v) => {
                presets::find(v)?;
                self.machine = Some(value);
            }
            ("jobs", v) => {
                let n = v.parse().ok().filter(|n| (1..=256).contains(n));
                self.jobs = Some(n.ok_or_else(|| format!("--jobs={v}: a number from 1 to 256"))?);
            }
            ("out", _) => self.out = Some(value.into()),
            ("doc", _) => self.doc = Some(value.into()),
            ("dir", _) => self.dir = Some(value.into()),
            (n, _) => {
                return Err(format!("unknown option '--{n}'; `weir reproduce help` lists them"));
            }
        }
        Ok(())
    }

    /// Options that do not go together.
    fn check(&self) -> Result<(), String> {
        match (self.real, &self.machine, &self.dir) {
            (true, Some(m), _) => Err(format!(
                "--machine={m} is computed, and --world=real is this computer; choose one of them"
            )),
            (false, _, Some(d)) => Err(format!(
                "--dir={} is for --world=real; a computed world has no folder",
                d.display()
            )),
            _ => Ok(()),
        }
    }

    /// Where data of this computer's runs are made.
    fn folder(&self) -> Result<PathBuf, String> {
        let d = self.dir.clone().unwrap_or_else(|| ".".into());
        d.canonicalize().map_err(|e| format!("--dir={}: {e}", d.display()))
    }

    /// The experiments named.
    fn chosen(&self) -> Result<Vec<Experiment>, String> {
        let mut all = published::all();
        let names: Vec<_> = all.iter().map(|e| e.name.clone()).collect();
        for n in self.names.iter().filter(|n| *n != "all") {
            if !names.contains(n) {
                return Err(format!(
                    "there is no experiment '{n}'; there are {}",
                    names.join(", ")
                ));
            }
        }
        if !self.names.is_empty() && !self.names.iter().any(|n| n == "all") {
            all.retain(|e| self.names.contains(&e.name));
        }
        let known = |r: &String| all.iter().any(|e| e.runs.iter().any(|x| x.name == *r));
        if let Some(r) = self.runs.iter().find(|r| !known(r)) {
            return Err(format!(
                "there is no run '{r}' in these experiments; `weir reproduce list` names them"
            ));
        }
        Ok(all)
    }
}

/// `args`: without `weir reproduce`.
pub fn main(args: &[String]) -> ExitCode {
    let word = args.first().map_or("", String::as_str);
    if args.iter().any(|a| matches!(a.as_str(), "help" | "--help" | "-h")) {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let done = match word {
        "list" => {
            list();
            Ok(0)
        }
        "disks" => {
            print!("{}", report::plain(&disks::markdown()));
            Ok(0)
        }
        _ => reproduce(args),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(e) => {
            eprintln!("weir reproduce: {e}");
            ExitCode::FAILURE
        }
    }
}

fn list() {
    for e in published::all() {
        println!("{}: {}\n  source {}, machine {}", e.name, e.title, e.source, e.machine);
        let runs: Vec<_> = e.runs.iter().map(|r| r.name.as_str()).collect();
        println!("  runs {}", runs.join(" "));
    }
    println!("\nmachines:");
    for p in presets::ALL {
        println!("  {:<16} {}", p.name, p.what);
    }
    println!("\nswitches of a machine with disks (--machine=raid0-2009+native-queue):");
    for (name, what) in presets::SWITCHES {
        println!("  {name:<16} {what}");
    }
}

fn reproduce(args: &[String]) -> Result<u8, String> {
    let a = Args::read(args)?;
    a.check()?;
    let experiments = a.chosen()?;
    let machine = |e: &Experiment| a.machine.clone().unwrap_or_else(|| e.machine.clone());
    let told = |e: &Experiment| if a.real { "this computer".into() } else { machine(e) };
    let mut jobs = Vec::new();
    for e in &experiments {
        for r in e.runs.iter().filter(|r| a.runs.is_empty() || a.runs.contains(&r.name)) {
            let mut plan = e.plan(r, e.size(a.full), &machine(e), &a.set);
            if a.no_foreign_keys {
                plan.load.drop_foreign_keys();
            }
            jobs.push(Job { experiment: e.name.clone(), plan });
        }
    }
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, stop.clone()).map_err(|e| e.to_string())?;
    }
    let work = Work {
        place: match a.real {
            false => Where::Sim,
            true => Where::Real(a.folder()?),
        },
        out: a.out.clone().unwrap_or_else(|| "weir-reproduce".into()),
        threads: a.jobs.unwrap_or(processors),
        again: a.again,
        program: program()?,
        stop: stop.clone(),
    };
    let (done, mut errors) = work.run(&jobs);
    let missing = jobs.len() - done.len();
    let outcomes = outcomes(experiments, done, &told);
    show(&a, &outcomes, missing)?;
    // Data that cannot be loaded are reported once, and not for each run that waited for them.
    errors.dedup();
    errors.iter().filter(|e| *e != STOPPED).for_each(|e| eprintln!("weir reproduce: {e}"));
    if stop.load(Ordering::Relaxed) {
        eprintln!(
            "interrupted; the runs that are done are kept, and the same command goes on with the others"
        );
    }
    Ok(if errors.is_empty() && !stop.load(Ordering::Relaxed) { 0 } else { PARTIAL })
}

fn outcomes(
    experiments: Vec<Experiment>,
    done: Vec<(Job, Measured)>,
    machine: &dyn Fn(&Experiment) -> String,
) -> Vec<Outcome> {
    let mut by: BTreeMap<String, BTreeMap<String, Measured>> = BTreeMap::new();
    for (j, m) in done {
        by.entry(j.experiment).or_default().insert(j.plan.name, m);
    }
    let one = |e: Experiment| {
        let (runs, machine) = (by.remove(&e.name).unwrap_or_default(), machine(&e));
        Outcome { experiment: e, runs, machine }
    };
    experiments.into_iter().map(one).collect()
}

/// `missing`: runs that were asked for and are not there.
fn show(a: &Args, all: &[Outcome], missing: usize) -> Result<(), String> {
    let out = a.out.clone().unwrap_or_else(|| "weir-reproduce".into());
    let folder = |p: &Path| p.parent().map(Path::to_path_buf).unwrap_or_default();
    let (page, pictures) = match a.doc.as_ref().filter(|_| missing == 0) {
        Some(d) => (d.clone(), folder(d).join("reproduction")),
        None => (out.join("reproduction.md"), out.join("reproduction")),
    };
    if let Some(d) = a.doc.as_ref().filter(|_| missing > 0) {
        eprintln!("{missing} runs are missing, so '{}' stays as it is", d.display());
    }
    for p in all.iter().flat_map(Outcome::pictures) {
        write(&pictures.join(&p.file), p.svg.as_bytes())?;
    }
    write(&page, document(a, all).as_bytes())?;
    for o in all.iter().filter(|o| !o.runs.is_empty()) {
        println!("{}", report::plain(&o.markdown("")));
    }
    println!("{}", report::plain(&report::summary(all)));
    println!("{}", report::plain(&report::explained::markdown(all)));
    println!("the page: {}", page.display());
    Ok(())
}

/// The page, with the way to make it again.
fn document(a: &Args, all: &[Outcome]) -> String {
    let scale = if a.full { "full" } else { "small" };
    let world = if a.real { "real" } else { "sim" };
    let mut command = format!(
        "weir reproduce {} --world={world} --scale={scale}",
        if a.names.is_empty() { "all".into() } else { a.names.join(" ") }
    );
    a.runs.iter().for_each(|r| command.push_str(&format!(" --run={r}")));
    a.machine.iter().for_each(|m| command.push_str(&format!(" --machine={m}")));
    a.set.iter().for_each(|s| command.push_str(&format!(" --set {s}")));
    if a.no_foreign_keys {
        command.push_str(" --without=foreign-keys");
    }
    let reproduced: usize =
        all.iter().flat_map(Outcome::verdicts).filter(|v| *v == Verdict::Reproduced).count();
    let observations = all.iter().flat_map(Outcome::verdicts).count();
    let place = if a.real { "on the disk of this computer" } else { COMPUTED };
    let mut out = include_str!("head.md").replace("COMMAND", &command).replace("PLACE", place);
    let sum = |(a, b): (usize, usize), (c, d)| (a + c, b + d);
    let (cells, near) = all.iter().map(Outcome::cells).fold((0, 0), sum);
    out.push_str(&format!(
        "{reproduced} of {observations} published observations are reproduced; {near} of {cells} published figures come out within half to twice.\n\n"
    ));
    out.push_str(&report::summary(all));
    out.push('\n');
    out.push_str(&report::explained::markdown(all));
    all.iter().for_each(|o| out.push_str(&o.markdown("reproduction/")));
    if !a.real {
        out.push_str("## The simulated disks\n\n");
        out.push_str(&disks::markdown());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Vec<Experiment>, String> {
        let words: Vec<String> = words.iter().map(|w| w.to_string()).collect();
        let a = Args::read(&words)?;
        a.check()?;
        a.chosen()
    }

    #[test]
    fn names_and_options() {
        assert_eq!(read(&[]).unwrap().len(), 9);
        assert_eq!(read(&["insert-benchmark", "--run", "v4-20"]).unwrap().len(), 1);
        for bad in [
            &["nothing"][..],
            &["--world=moon"],
            &["--scale"],
            &["--machine=abacus"],
            &["--jobs=0"],
            &["--set", "x"],
            &["--without=indexes"],
            &["--machine=raid0-2009+warp"],
            &["--run=none"],
            &["--frobnicate=1"],
            &["--world=real", "--machine=nvme"],
            &["--dir=/tmp"],
        ] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
    }
}
