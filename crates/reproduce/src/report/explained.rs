//! What the builds' programs explain, row by row: which of it is seen here in order and direction, and which in size too.

use super::{Outcome, figures_of};
use crate::published::{self, Explained, Verdict};
use std::fmt::Write;

/// A figure of an experiment's run: `EXPERIMENT/RUN.FIGURE`.
fn figure(all: &[Outcome], name: &str) -> Option<f64> {
    let (experiment, rest) = name.split_once('/')?;
    all.iter().find(|o| o.experiment.name == experiment)?.figure(rest)
}

/// In order and direction, and in size.
fn verdicts(all: &[Outcome], row: &Explained) -> (Verdict, Verdict) {
    let judge = |c: &published::Claim| match c.judge(&|f| figure(all, f)) {
        None => Verdict::NotDecidable,
        Some(j) if j.holds => Verdict::Reproduced,
        Some(_) => Verdict::NotReproduced,
    };
    (judge(&row.order), judge(&row.size))
}

fn words((order, size): (Verdict, Verdict)) -> &'static str {
    match (order, size) {
        (Verdict::Reproduced, Verdict::Reproduced) => "yes, and in size",
        (Verdict::Reproduced, _) => "yes, in another size",
        (Verdict::NotDecidable, _) => Verdict::NotDecidable.words(),
        _ => "**no**",
    }
}

/// Nothing where the experiments that were run decide no row.
pub fn markdown(all: &[Outcome]) -> String {
    let rows = published::explained();
    let is =
        |wanted: fn(Verdict) -> bool| rows.iter().filter(|r| wanted(verdicts(all, r).0)).count();
    let decided = is(|v| v != Verdict::NotDecidable);
    if decided == 0 {
        return String::new();
    }
    let mut out = format!(
        "## What the builds' programs explain\n\n{} of {decided} rows are reproduced in order and direction.\n\n\
         | observed | explained by | in order and direction | figures |\n|---|---|---|---|\n",
        is(|v| v == Verdict::Reproduced)
    );
    for r in &rows {
        let names = r.order.figures().into_iter().chain(r.size.figures());
        let shown = figures_of(names, &|f| figure(all, f));
        let v = words(verdicts(all, r));
        let _ = writeln!(out, "| {} | {} | {v} | {shown} |", r.says, r.by);
    }
    out.push('\n');
    out
}
