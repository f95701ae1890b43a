//! What came out, beside what was published: tables, pictures, verdicts. Uses `published` and `figures`; runs nothing.

pub mod disks;

use crate::figures::{Measured, Point};
use crate::published::{Experiment, Verdict};
use std::collections::BTreeMap;
use std::fmt::Write;
use weir_bench::report::{chart, picture, svg};

/// An experiment with the runs that there are.
pub struct Outcome {
    pub experiment: Experiment,
    pub runs: BTreeMap<String, Measured>,
    pub machine: String,
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

impl Outcome {
    fn figure(&self, name: &str) -> Option<f64> {
        let (run, what) = name.split_once('.')?;
        self.runs.get(run)?.figure(what)
    }

    /// `3386 v4-20-16.tpm` as `3386 / 3120`; a text as it is.
    fn cell(&self, c: &str) -> String {
        let Some((published, name)) = c.rsplit_once(' ').filter(|(_, n)| n.contains('.')) else {
            return c.to_string();
        };
        let unit = if published.ends_with('%') { "%" } else { "" };
        match self.figure(name) {
            Some(v) => format!("{published} / **{}{unit}**", number(v)),
            None => format!("{published} / -"),
        }
    }

    pub fn verdicts(&self) -> Vec<Verdict> {
        let judge = |o: &crate::published::Observation| o.claim.judge(&|f| self.figure(f));
        self.experiment.observations.iter().map(judge).collect()
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
        out.push_str("| observed | here | figures |\n|---|---|---|\n");
        for (o, v) in self.experiment.observations.iter().zip(self.verdicts()) {
            let mut seen: Vec<String> = Vec::new();
            for f in o.claim.figures() {
                let shown = self.figure(&f).map_or("-".into(), number);
                let text = format!("{f} {shown}");
                if !seen.contains(&text) {
                    seen.push(text);
                }
            }
            let why = match (v, o.because.as_str()) {
                (Verdict::Reproduced, _) | (_, "") => String::new(),
                (_, b) => format!(" {b}"),
            };
            let _ = writeln!(out, "| {} | {}.{why} | {} |", o.says, v.words(), seen.join(", "));
        }
        out.push('\n');
    }

    /// The pictures by the names of their files.
    pub fn pictures(&self) -> Vec<(String, String)> {
        let mut out = Vec::new();
        for (n, g) in self.experiment.graphs.iter().enumerate() {
            let value = |p: &Point| match g.of.as_str() {
                "rate" => p.rate,
                "log" => p.log / 1e6,
                "dirty" => p.dirty,
                "age" => p.age * 100.0,
                _ => p.change_buffer,
            };
            let unit = match g.of.as_str() {
                "rate" => "per second",
                "log" => "MB/s",
                "age" => "% of the redo log",
                _ => "% of the pool",
            };
            let found = g.runs.iter().filter_map(|r| Some((r.clone(), self.runs.get(r)?)));
            let curve = |(name, m): (String, &Measured)| {
                (name, m.points.iter().map(|p| (p.at, value(p))).collect::<Vec<_>>())
            };
            let curves: Vec<_> = found.map(curve).collect();
            if curves.is_empty() {
                continue;
            }
            let chart = chart::of_curves(&g.title, unit, curves);
            let file = format!("{}-{}.svg", self.experiment.name, n + 1);
            out.push((file, svg::draw(&picture::lay_out(&[chart], &self.experiment.title))));
        }
        out
    }

    /// The experiment's part of the page.
    pub fn markdown(&self, pictures: &str) -> String {
        let e = &self.experiment;
        let mut out = format!("## {}\n\n", e.title);
        let size = self.runs.values().next().map_or("", |m| m.size.as_str());
        let _ = writeln!(out, "Source `{}`; machine `{}`; size: {size}.", e.source, self.machine);
        if !e.assumed.is_empty() {
            let _ = writeln!(out, "Not in the source and chosen here: {}", e.assumed.join(" "));
        }
        out.push('\n');
        self.tables(&mut out);
        self.observations(&mut out);
        for ((file, _), g) in self.pictures().iter().zip(&e.graphs) {
            let _ = writeln!(out, "![{}]({pictures}{file})\n", g.title);
        }
        out
    }
}

/// One line for each experiment, and the sum.
pub fn summary(all: &[Outcome]) -> String {
    let mut out = String::from(
        "| experiment | runs | reproduced | not reproduced | not decidable |\n|---|--:|--:|--:|--:|\n",
    );
    for o in all {
        let v = o.verdicts();
        let count = |k: Verdict| v.iter().filter(|x| **x == k).count();
        let _ = writeln!(
            out,
            "| {} | {} of {} | {} | {} | {} |",
            o.experiment.name,
            o.runs.len(),
            o.experiment.runs.len(),
            count(Verdict::Reproduced),
            count(Verdict::NotReproduced),
            count(Verdict::NotDecidable)
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
