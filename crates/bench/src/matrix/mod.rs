//! `weir bench matrix FILE`: targets x settings, interleaved and repeated, then compared.
//!
//! Runs alternate (all targets for one setting, then the next, then all of it again), so that a machine that changes its
//! speed does so for all. May use `command`, `report`.

use crate::args::Args;
use crate::command::{Options, measure};
use crate::error::{Error, Result};
use crate::live::Live;
use crate::report::{Report, compare, html, write_file};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

type Values = BTreeMap<String, toml::Value>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Matrix {
    workload: String,
    #[serde(default = "three")]
    repeat: usize,
    /// Where results go.
    #[serde(default = "results")]
    out: PathBuf,
    #[serde(default)]
    prepare: Prepare,
    /// Options of every run, and variables of every server.
    #[serde(default)]
    options: Values,
    #[serde(default)]
    set: Values,
    target: Vec<Part>,
    #[serde(default)]
    setting: Vec<Part>,
}

fn three() -> usize {
    3
}

fn results() -> PathBuf {
    "weir-bench-results".into()
}

/// When data is made again.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Prepare {
    /// Before every run: all begin with the same data.
    #[default]
    Each,
    /// Before the first run on each target.
    Once,
    Never,
}

/// A target or a setting: a name, and what it adds.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    name: String,
    #[serde(default)]
    target: Option<String>,
    /// Options of the workload.
    #[serde(default)]
    options: Values,
    /// Variables of the server.
    #[serde(default)]
    set: Values,
}

/// One run to be made.
#[derive(Clone, Debug)]
struct Planned {
    name: String,
    target: String,
    args: Args,
}

fn text(name: &str, v: &toml::Value) -> Result<String> {
    Ok(match v {
        toml::Value::String(s) => s.clone(),
        toml::Value::Integer(n) => n.to_string(),
        toml::Value::Float(x) => x.to_string(),
        toml::Value::Boolean(b) => if *b { "yes" } else { "no" }.into(),
        _ => return Err(Error::other(format!("'{name}' is a text, a number, true or false"))),
    })
}

impl Matrix {
    fn read(path: &Path) -> Result<Matrix> {
        let shown = path.display();
        let file = std::fs::read_to_string(path)
            .map_err(|e| Error::other(format!("cannot read the matrix '{shown}': {e}")))?;
        Matrix::parse(&file).map_err(|e| Error::other(format!("{shown}: {e}")))
    }

    fn parse(file: &str) -> Result<Matrix> {
        let m: Matrix = toml::from_str(file).map_err(|e| Error::other(e.to_string()))?;
        if m.target.is_empty() || m.repeat == 0 {
            return Err(Error::other(
                "a matrix has at least one [[target]], and repeat is at least 1",
            ));
        }
        if let Some(t) = m.target.iter().find(|t| t.target.is_none()) {
            return Err(Error::other(format!("[[target]] '{}' has no target = \"...\"", t.name)));
        }
        Ok(m)
    }

    /// All runs in their order.
    fn plan(&self) -> Result<Vec<Planned>> {
        let none = [Part::default()];
        let settings = if self.setting.is_empty() { &none[..] } else { &self.setting[..] };
        let mut out: Vec<Planned> = Vec::new();
        for repetition in 0..self.repeat {
            for s in settings {
                for t in &self.target {
                    let first = !out.iter().any(|p| p.target == t.name);
                    let prepare = match self.prepare {
                        Prepare::Each => true,
                        Prepare::Once => repetition == 0 && first,
                        Prepare::Never => false,
                    };
                    out.push(self.planned(t, s, prepare)?);
                }
            }
        }
        Ok(out)
    }

    fn planned(&self, t: &Part, s: &Part, prepare: bool) -> Result<Planned> {
        let mut args = Args::read(&[])?;
        // The narrower one wins: options are read by their last value.
        for list in [&self.options, &t.options, &s.options] {
            for (n, v) in list {
                args.put(n, text(n, v)?);
            }
        }
        for (n, v) in self.set.iter().chain(&t.set).chain(&s.set) {
            args.put("set", format!("{n}={}", text(n, v)?));
        }
        let target = t.target.clone().unwrap_or_default();
        args.put("target", target);
        let name =
            if s.name.is_empty() { t.name.clone() } else { format!("{} {}", t.name, s.name) };
        args.put("name", name.clone());
        if prepare {
            args.put("prepare", "yes".into());
        }
        Ok(Planned { name, target: t.name.clone(), args })
    }
}

/// True: all runs were made and are complete.
pub fn command(path: &Path, stop: &Arc<AtomicBool>) -> Result<bool> {
    let m = Matrix::read(path)?;
    let plan = m.plan()?;
    // Every option is looked at before the first run begins.
    for p in &plan {
        Options::read(&m.workload, &mut p.args.clone(), stop)
            .map_err(|e| e.at(format!("run '{}'", p.name)))?;
    }
    let mut live = Live::new(false);
    let mut done: Vec<Report> = Vec::new();
    for (n, p) in plan.iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        live.note(&format!("\nrun {} of {}: {}", n + 1, plan.len(), p.name));
        // One target that fails is no reason to lose the others.
        let r = match one(&m.workload, p, stop, &mut live) {
            Ok(r) => r,
            Err(e) => {
                live.note(&format!("FAILED: {e}"));
                continue;
            }
        };
        live.note(&format!("{}: {:.0} {}", r.name, r.value, r.metric));
        let file = format!("{:03}-{}.json", n + 1, p.name.replace([' ', '/'], "-"));
        r.save(&m.out.join(file))?;
        done.push(r);
    }
    let complete = done.len() == plan.len() && done.iter().all(|r| r.partial.is_none());
    let groups = compare::groups(done);
    println!("{}", compare::show(&groups));
    let typical: Vec<Report> = groups.iter().map(|g| g.typical().clone()).collect();
    let page =
        html::page(&typical, &format!("Matrix {}", path.display()), &compare::warnings(&groups));
    let file = m.out.join("matrix.html");
    write_file(&file, &page)?;
    println!("results in {}, page {}", m.out.display(), file.display());
    Ok(complete)
}

fn one(workload: &str, p: &Planned, stop: &Arc<AtomicBool>, live: &mut Live) -> Result<Report> {
    let mut o = Options::read(workload, &mut p.args.clone(), stop)?;
    let told = |e: Error| e.at(format!("run '{}'", p.name));
    let target = o.open().map_err(told)?;
    let r = measure(&mut o, &target, live).map_err(told);
    let closed = target.close();
    let r = r?;
    closed?;
    Ok(r)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        workload = "tpcc"
        repeat = 2
        prepare = "once"
        options = { warehouses = 2, users = 8, duration = "30s" }
        [[target]]
        name = "weir"
        target = "mysql://root@127.0.0.1:3306"
        [[target]]
        name = "myrocks"
        target = "mysql://root@127.0.0.1:3307"
        options = { engine = "rocksdb" }
        [[setting]]
        name = "dirty20"
        set = { innodb_max_dirty_pages_pct = 20 }
        [[setting]]
        name = "48 users"
        options = { users = 48 }
    "#;

    #[test]
    fn runs_are_interleaved() {
        let plan = Matrix::parse(FILE).unwrap().plan().unwrap();
        let names: Vec<_> = plan.iter().map(|p| p.name.as_str()).collect();
        let round = ["weir dirty20", "myrocks dirty20", "weir 48 users", "myrocks 48 users"];
        assert_eq!(names, [round, round].concat());
        let prepares: Vec<_> = plan.iter().map(|p| p.args.clone().switch("prepare")).collect();
        assert_eq!(prepares, [true, true, false, false, false, false, false, false]);
        let o = Options::read("tpcc", &mut plan[3].args.clone(), &Arc::default()).unwrap();
        assert_eq!((o.run.users, o.engine.as_str()), (48, "rocksdb"));
        let o = Options::read("tpcc", &mut plan[0].args.clone(), &Arc::default()).unwrap();
        assert_eq!(o.settings, ["innodb_max_dirty_pages_pct=20"]);
        assert_eq!(o.run.users, 8);
    }

    #[test]
    fn bad_files_are_told() {
        for (bad, want) in [
            ("workload = 'tpcc'\ntarget = []", "at least one"),
            ("workload = 'tpcc'\n[[target]]\nname = 'a'", "'a' has no target"),
            ("workload = 'tpcc'\nrepeets = 1\ntarget = []", "repeets"),
            ("x", ""),
        ] {
            let e = Matrix::parse(bad).unwrap_err().to_string();
            assert!(e.contains(want), "{e}");
        }
        assert!(Matrix::read(Path::new("/nowhere")).is_err());
    }
}
