//! The published measurements as data: what was run, what came out, what was said about it.
//!
//! Each is a file beside this one with the name of its source. `claim` reads what it claims as comparisons of figures. Uses `plan`.

mod claim;

pub use claim::{Claim, Judged, Verdict};

use crate::machine::Array;
use crate::plan::{Load, Plan, Size};
use serde::Deserialize;
use std::collections::BTreeMap;

const FILES: [&str; 9] = [
    include_str!("tpcc-disk-bound.toml"),
    include_str!("insert-benchmark.toml"),
    include_str!("tpcc-in-memory.toml"),
    include_str!("dbt2-adaptive-flushing.toml"),
    include_str!("sysbench-commit.toml"),
    include_str!("tpcc-memory-2009.toml"),
    include_str!("prefetch.toml"),
    include_str!("xtradb-first.toml"),
    include_str!("io-bound-2009.toml"),
];

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    pub name: String,
    pub title: String,
    /// The file of the published text.
    pub source: String,
    pub machine: String,
    pub load: Load,
    pub small: Size,
    pub full: Size,
    /// Seconds that a point of the published curve sums up: dips are looked for in such, divided as time is. Without it a window is a part of
    /// the run.
    #[serde(default)]
    pub window: Option<f64>,
    #[serde(default)]
    pub serial_commits: bool,
    /// What the source does not say, and was chosen here.
    #[serde(default)]
    pub assumed: Vec<String>,
    #[serde(rename = "system")]
    pub systems: Vec<System>,
    #[serde(rename = "run")]
    pub runs: Vec<Run>,
    #[serde(default, rename = "table")]
    pub tables: Vec<Table>,
    #[serde(default, rename = "graph")]
    pub graphs: Vec<Graph>,
    #[serde(default, rename = "observation")]
    pub observations: Vec<Observation>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct System {
    pub name: String,
    pub profile: String,
    /// How its threads found requests, where the published processor times depend on it.
    #[serde(default)]
    pub array: Option<Array>,
    /// Lines of its option file, as published.
    pub options: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    pub name: String,
    pub system: String,
    pub users: usize,
    /// What this run has beside the system's options, or instead of them.
    #[serde(default)]
    pub set: Vec<String>,
    /// Runs that this one stands for where all systems are to run under one policy: a claim that holds then as well says nothing of them.
    #[serde(default)]
    pub stands_for: Vec<String>,
}

/// A published table. A cell is a text, or a published figure and the name of ours: `3386 v4-20-16.tpm`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub title: String,
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// A published graph, or one that the text describes: a curve of some runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Graph {
    pub title: String,
    pub of: Curve,
    pub runs: Vec<String>,
    /// Published means of its runs, in the graph's unit.
    #[serde(default)]
    pub means: BTreeMap<String, f64>,
    #[serde(default)]
    pub logarithmic: bool,
}

/// What a graph shows over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Curve {
    Rate,
    Log,
    Dirty,
    Age,
    ChangeBuffer,
}

/// Something that was published in words, or that the facts explain.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    pub says: String,
    pub claim: Claim,
    /// The published text does not say it: it follows from its build's program, or is a comparison of ours. It is not counted.
    #[serde(default)]
    pub ours: bool,
    /// A figure of it is an input of the simulation.
    #[serde(default)]
    pub put_in: bool,
    /// What may be the cause where it does not come out, and what an experiment said about that.
    #[serde(default)]
    pub because: String,
}

/// What a program explains, and how it is seen: in order and direction, and about as large as published.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explained {
    pub says: String,
    pub by: String,
    /// Figures are named `EXPERIMENT/RUN.FIGURE`.
    pub order: Claim,
    pub size: Claim,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    row: Vec<Explained>,
}

/// What the programs of the builds explain, over all experiments.
pub fn explained() -> Vec<Explained> {
    let rows: Rows = toml::from_str(include_str!("explained.toml"))
        .expect("a file of this program, which a test reads");
    rows.row
}

impl Experiment {
    /// The plan of a run; `more` are options that go over all others.
    pub fn plan(&self, run: &Run, size: Size, machine: &str, more: &[String]) -> Plan {
        let system = self.systems.iter().find(|s| s.name == run.system);
        let system = system.expect("a run names one of the systems, which a test holds");
        let own = |line: &&str| !line.is_empty() && !line.starts_with('#');
        let mut options = vec![format!("weir_profile={}", system.profile)];
        options.extend(system.options.lines().map(str::trim).filter(own).map(String::from));
        options.extend(run.set.iter().chain(more).cloned());
        Plan {
            name: run.name.clone(),
            machine: machine.into(),
            load: self.load.clone(),
            users: run.users,
            options,
            size,
            array: system.array,
            window: self.window.map(|w| w / size.divided as f64),
            serial_commits: self.serial_commits,
            seed: 2009,
        }
    }

    /// The run that stands for another one where all systems run under one policy.
    pub fn null_of<'a>(&'a self, run: &'a str) -> &'a str {
        let stands = |r: &&Run| r.stands_for.iter().any(|of| of == run);
        self.runs.iter().find(stands).map_or(run, |r| &r.name)
    }

    pub fn size(&self, full: bool) -> Size {
        if full { self.full } else { self.small }
    }
}

/// All of them, in the order of their sources.
pub fn all() -> Vec<Experiment> {
    let read = |t: &&str| toml::from_str(t).expect("the files of this program, which a test reads");
    FILES.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Measured;

    #[test]
    fn what_is_explained_names_figures_that_there_are() {
        let rows = explained();
        assert_eq!(rows.len(), 11);
        let all = all();
        for f in rows.iter().flat_map(|r| [&r.order, &r.size]).flat_map(Claim::figures) {
            let (experiment, rest) = f.split_once('/').unwrap_or_else(|| panic!("{f}: of what?"));
            let (run, figure) = rest.split_once('.').unwrap_or_else(|| panic!("{f}: which?"));
            let e = all.iter().find(|e| e.name == experiment).unwrap_or_else(|| panic!("{f}"));
            assert!(e.runs.iter().any(|r| r.name == run), "{f}: no such run");
            assert!(Measured::default().figure(figure).is_some(), "{f}: no such figure");
        }
    }

    fn by_work(e: &Experiment) -> bool {
        !matches!(e.load, Load::Tpcc { .. })
    }

    #[test]
    fn every_figure_named_is_a_run_that_there_is() {
        for e in all() {
            let known = |name: &str| {
                let (run, figure) = name.split_once('.').unwrap_or((name, "tps"));
                let m = Measured {
                    p90: vec![0.0; 5],
                    p95: vec![0.0; 5],
                    mean: vec![0.0; 5],
                    min: vec![0.0; 5],
                    max: vec![0.0; 5],
                    ..Default::default()
                };
                assert!(e.runs.iter().any(|r| r.name == run), "{}: no run '{run}'", e.name);
                assert!(m.figure(figure).is_some(), "{}: no figure '{figure}'", e.name);
            };
            for s in [e.small, e.full] {
                let whole = s.divided.is_multiple_of(s.warehouses);
                assert!(whole && (s.warehouses == 1 || !by_work(&e)), "{}: warehouses", e.name);
            }
            // Divided rows take a divided time only where pages are not divided as well.
            assert!(!by_work(&e) || (e.small.pages, e.full.pages) == (1, 1), "{}", e.name);
            let cells = e.tables.iter().flat_map(|t| &t.rows).flatten();
            cells
                .filter_map(|c| c.rsplit_once(' '))
                .filter(|c| c.1.contains('.'))
                .for_each(|c| known(c.1));
            e.graphs.iter().flat_map(|g| &g.runs).for_each(|r| known(r));
            let has_all = |g: &Graph| g.means.keys().all(|r| g.runs.contains(r));
            assert!(e.graphs.iter().all(has_all), "{}: means", e.name);
            e.observations.iter().flat_map(|o| o.claim.figures()).for_each(|f| known(&f));
            e.runs.iter().flat_map(|r| &r.stands_for).for_each(|r| known(r));
            for o in &e.observations {
                assert!(o.claim.is_bounded(), "{}: '{}' has one bound only", e.name, o.says);
            }
            assert!(
                e.tables.iter().all(|t| t.rows.iter().all(|r| r.len() == t.head.len())),
                "{}",
                e.name
            );
        }
    }
}
