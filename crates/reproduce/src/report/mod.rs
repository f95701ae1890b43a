//! What came out, beside what was published: tables, pictures, verdicts. Uses `published`, `figures` and what `machine` says of itself; runs no
//! experiment.

pub mod disks;
pub mod explained;

use crate::figures::{Measured, Point};
use crate::machine::presets;
use crate::published::{Curve, Experiment, Judged, Observation, Verdict};
use std::collections::BTreeMap;
use std::fmt::Write;
use weir_bench::report::{chart, picture, svg};

/// An experiment with the runs that there are.
pub struct Outcome {
    pub experiment: Experiment,
    pub runs: BTreeMap<String, Measured>,
    pub machine: String,
}

/// A graph as it is drawn.
pub struct Picture {
    pub file: String,
    pub title: String,
    pub svg: String,
}

/// A figure as it is shown: as many digits as say something.
fn number(v: f64) -> String {
    match v.abs() {
        a if a == a.round() && a < 1000.0 => format!("{v:.0}"),
        a if a >= 100.0 => format!("{v:.0}"),
        a if a >= 10.0 => format!("{v:.1}"),
        a if a >= 0.995 => format!("{v:.2}"),
        _ => format!("{v:.3}"),
    }
}

/// A cell of a published figure and the name of ours.
fn parts(cell: &str) -> Option<(&str, &str)> {
    cell.rsplit_once(' ').filter(|(_, name)| name.contains('.'))
}

/// Within half to twice of what was published.
fn is_near(ratio: f64) -> bool {
    (0.5..=2.0).contains(&ratio)
}

/// Figures with their names, each once.
fn figures_of(names: impl Iterator<Item = String>, figure: &dyn Fn(&str) -> Option<f64>) -> String {
    let mut seen: Vec<String> = Vec::new();
    for name in names {
        let text = format!("{name} {}", figure(&name).map_or("-".into(), number));
        if !seen.contains(&text) {
            seen.push(text);
        }
    }
    seen.join(", ")
}

impl Outcome {
    fn figure(&self, name: &str) -> Option<f64> {
        let (run, what) = name.split_once('.')?;
        self.runs.get(run)?.figure(what)
    }

    /// `3386 v4-20-16.tpm` as `3386 / 3120`; a text as it is.
    fn cell(&self, c: &str) -> String {
        let Some((published, name)) = parts(c) else { return c.to_string() };
        let unit = if published.ends_with('%') { "%" } else { "" };
        let far = match self.ratio(c) {
            Some(r) if !is_near(r) => " !",
            _ => "",
        };
        match self.figure(name) {
            Some(v) => format!("{published} / **{}{unit}**{far}", number(v)),
            None => format!("{published} / -"),
        }
    }

    /// Our figure of a cell as a multiple of the published one.
    fn ratio(&self, c: &str) -> Option<f64> {
        let (published, name) = parts(c)?;
        let published: f64 = published.trim_end_matches('%').parse().ok()?;
        self.figure(name).map(|v| v / published)
    }

    /// How many published figures there are with one of ours, and how many of those lie within half to twice.
    pub fn cells(&self) -> (usize, usize) {
        let all = self.experiment.tables.iter().flat_map(|t| &t.rows).flatten();
        let ratios: Vec<f64> = all.filter_map(|c| self.ratio(c)).collect();
        (ratios.len(), ratios.iter().filter(|r| is_near(**r)).count())
    }

    fn judge(&self, o: &Observation) -> (Verdict, Option<Judged>) {
        let judged = o.claim.judge(&|f| self.figure(f));
        let null = || o.claim.judge(&|f| self.null_figure(f)).is_some_and(|j| j.holds);
        // A claim of runs that nothing stands for says something of one system alone.
        let replaced = o.claim.figures().iter().any(|f| {
            let run = f.split('.').next().unwrap_or_default();
            self.experiment.null_of(run) != run
        });
        let verdict = match judged {
            None => Verdict::NotDecidable,
            Some(j) if !j.holds => Verdict::NotReproduced,
            Some(_) if o.put_in => Verdict::PutIn,
            Some(_) if replaced && null() => Verdict::WithoutEffect,
            Some(_) => Verdict::Reproduced,
        };
        (verdict, judged)
    }

    /// A figure as it is where all systems run under one policy.
    fn null_figure(&self, name: &str) -> Option<f64> {
        let (run, what) = name.split_once('.')?;
        self.runs.get(self.experiment.null_of(run))?.figure(what)
    }

    /// What was published; comparisons of ours are not among them.
    pub fn verdicts(&self) -> Vec<Verdict> {
        let published = self.experiment.observations.iter().filter(|o| !o.ours);
        published.map(|o| self.judge(o).0).collect()
    }

    fn tables(&self, out: &mut String) {
        for t in &self.experiment.tables {
            let rule = vec!["---"; t.head.len()].join("|");
            let _ = write!(
                out,
                "{} (published / **here**):\n\n| {} |\n|{rule}|\n",
                t.title,
                t.head.join(" | ")
            );
            for r in &t.rows {
                let cells: Vec<_> = r.iter().map(|c| self.cell(c)).collect();
                let _ = writeln!(out, "| {} |", cells.join(" | "));
            }
            out.push('\n');
        }
    }

    fn observations(&self, out: &mut String) {
        out.push_str("| observed | here | from its bound | figures |\n|---|---|--:|---|\n");
        for o in &self.experiment.observations {
            let ((v, judged), whose) = (self.judge(o), if o.ours { "(ours) " } else { "" });
            let by = judged.map_or("-".into(), |j| format!("{:+.1} %", j.distance));
            let shown = figures_of(o.claim.figures().into_iter(), &|f| self.figure(f));
            let why = match (v, o.because.as_str()) {
                (Verdict::Reproduced | Verdict::PutIn, _) | (_, "") => String::new(),
                (_, b) => format!(" {b}"),
            };
            let _ = writeln!(out, "| {whose}{} | {}.{why} | {by} | {shown} |", o.says, v.words());
        }
        out.push('\n');
    }

    fn place(&self) -> String {
        match presets::find(&self.machine) {
            Ok(p) => format!(
                "machine `{}` ({}; {:.0} µs for a call, {:.0} for a request)",
                self.machine, p.what, p.statement_cpu, p.request_cpu
            ),
            Err(_) => self.machine.clone(),
        }
    }

    /// What each run was: the same command gives the same numbers.
    fn digests(&self, out: &mut String) {
        let of = |(name, m): (&String, &Measured)| format!("{name} {:016x}", m.digest);
        let all: Vec<_> = self.runs.iter().filter(|r| r.1.digest != 0).map(of).collect();
        if !all.is_empty() {
            let _ = writeln!(out, "Digests: {}.\n", all.join(", "));
        }
    }

    pub fn pictures(&self) -> Vec<Picture> {
        let mut out = Vec::new();
        for (n, g) in self.experiment.graphs.iter().enumerate() {
            let value = |p: &Point| match g.of {
                Curve::Rate => p.rate,
                Curve::Log => p.log / 1e6,
                Curve::Dirty => p.dirty,
                Curve::Age => p.age * 100.0,
                Curve::ChangeBuffer => p.change_buffer,
            };
            let unit = match g.of {
                Curve::Rate => "per second",
                Curve::Log => "MB/s",
                Curve::Age => "% of the redo log",
                Curve::Dirty | Curve::ChangeBuffer => "% of the pool",
            };
            let found = g.runs.iter().filter_map(|r| Some((r.clone(), self.runs.get(r)?)));
            let curve = |(name, m): (String, &Measured)| {
                let of = |points: &[Point]| points.iter().map(|p| (p.at, value(p))).collect();
                let points = m.published_points();
                let is_coarse = points.len() < m.points.len();
                let fine = if is_coarse { of(&m.points) } else { Vec::new() };
                let mean = g.means.get(&name).copied();
                chart::Curve { label: name, points: of(&points), fine, mean }
            };
            let curves: Vec<_> = found.map(curve).collect();
            if curves.is_empty() {
                continue;
            }
            let chart = chart::of_curves(&g.title, unit, g.logarithmic, &curves);
            let file = format!("{}-{}.svg", self.experiment.name, n + 1);
            let svg = svg::draw(&picture::lay_out(&[chart], &self.experiment.title));
            out.push(Picture { file, title: g.title.clone(), svg });
        }
        out
    }

    /// The experiment's part of the page; `pictures` is the folder where they are.
    pub fn markdown(&self, pictures: &str) -> String {
        let e = &self.experiment;
        let mut out = format!("## {}\n\n", e.title);
        let size = self.runs.values().next().map_or("", |m| m.size.as_str());
        let _ = writeln!(out, "Source `{}`; {}; size: {size}.", e.source, self.place());
        if !e.assumed.is_empty() {
            let _ = writeln!(out, "Not in the source and chosen here: {}", e.assumed.join(" "));
        }
        out.push('\n');
        self.tables(&mut out);
        self.observations(&mut out);
        for p in self.pictures() {
            let _ = writeln!(out, "![{}]({pictures}{})\n", p.title, p.file);
        }
        self.digests(&mut out);
        out
    }
}

/// One line for each experiment, and what the page counts over all.
pub fn summary(all: &[Outcome]) -> String {
    const COLUMNS: [Verdict; 5] = [
        Verdict::Reproduced,
        Verdict::WithoutEffect,
        Verdict::PutIn,
        Verdict::NotReproduced,
        Verdict::NotDecidable,
    ];
    let mut out = String::from(
        "| experiment | runs | reproduced | without the effect | put in | not reproduced | not decidable | figures within half to twice |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for o in all {
        let v = o.verdicts();
        let count = |k: &Verdict| v.iter().filter(|x| *x == k).count().to_string();
        let (cells, near) = o.cells();
        let _ = writeln!(
            out,
            "| {} | {} of {} | {} | {near} of {cells} |",
            o.experiment.name,
            o.runs.len(),
            o.experiment.runs.len(),
            COLUMNS.iter().map(count).collect::<Vec<_>>().join(" | ")
        );
    }
    out
}

/// Markdown as a terminal shows it: without marks.
pub fn plain(markdown: &str) -> String {
    markdown
        .lines()
        .filter(|l| !l.starts_with("![") && !l.starts_with("|---"))
        .map(|l| format!("{}\n", l.replace("**", "")))
        .collect()
}
