//! What is drawn, for both drawers: lines over the seconds of a run.

use super::Report;
use crate::measure::{Interval, ServerRates};

/// A line; `None` is a gap.
#[derive(Clone, Debug)]
pub struct Line {
    pub label: String,
    /// Number of the run.
    run: usize,
    /// Number of the colour: a run's own where there are several.
    pub colour: usize,
    pub points: Vec<(f64, Option<f64>)>,
    pub dashed: bool,
}

#[derive(Clone, Debug)]
pub struct Chart {
    pub id: &'static str,
    pub title: String,
    pub unit: &'static str,
    pub lines: Vec<Line>,
    /// Where the measured period begins.
    pub measured_from: f64,
}

/// All charts of one run, or of several laid over each other.
pub fn charts(list: &[Report]) -> Vec<Chart> {
    let many = list.len() > 1;
    let mut out = vec![
        chart("throughput", "Throughput per interval", "transactions/s", list),
        chart("latency", "Response time", "ms", list),
        chart("dirty", "Dirty pages and their limit", "% of the pool", list),
        chart("log", "Log writes", "writes/s", list),
        chart("pages", "Pages written", "pages/s", list),
        chart("age", "Checkpoint age", "MB", list),
        chart("cpu", "Processors", "%", list),
    ];
    for (run, r) in list.iter().enumerate() {
        let name = |what: &str| match (many, what) {
            (true, "") => r.name.clone(),
            (true, w) => format!("{} {w}", r.name),
            (false, "") => r.metric.clone(),
            (false, w) => w.to_string(),
        };
        let line = |what: &str, of: &dyn Fn(&Interval) -> Option<f64>| Line {
            label: name(what),
            run,
            colour: run,
            points: r.intervals.iter().map(|i| (i.at, of(i))).collect(),
            dashed: false,
        };
        let server = |what: &str, of: fn(&ServerRates) -> Option<f64>| {
            line(what, &move |i| i.server.as_ref().and_then(of))
        };
        out[0].lines.push(line("transactions/s", &|i| Some(i.rate())));
        let seen = |i: &Interval, v: f64| (i.max > 0.0).then_some(v);
        if !many {
            out[1].lines.push(line("p50", &|i| seen(i, i.p50)));
        }
        out[1].lines.push(line("p95", &|i| seen(i, i.p95)));
        out[1].lines.push(line("p99", &|i| seen(i, i.p99)));
        if !many {
            out[1].lines.push(line("max", &|i| seen(i, i.max)));
        }
        out[2].lines.push(server("dirty", |s| s.dirty_pct));
        if let Some(limit) = r.dirty_limit.filter(|_| r.server.dirty_pct.is_some()) {
            out[2].lines.push(Line { dashed: true, ..line("limit", &|_| Some(limit)) });
        }
        out[3].lines.push(server("log writes", |s| s.log_writes));
        out[4].lines.push(server("pages flushed", |s| s.pages_flushed));
        out[5].lines.push(server("age", |s| s.checkpoint_age.map(|b| b / 1e6)));
        out[6].lines.push(line("CPU", &|i| i.machine.as_ref().map(|m| m.cpu_pct)));
        if !many {
            out[6].lines.push(line("I/O wait", &|i| i.machine.as_ref().map(|m| m.wait_pct)));
        }
    }
    for c in &mut out {
        c.lines.retain(|l| l.points.iter().any(|p| p.1.is_some()));
        for n in 0..c.lines.len() {
            if !many {
                c.lines[n].colour = n;
            } else if n > 0 && c.lines[n - 1].run == c.lines[n].run {
                // One colour for a run: its second line is dashed.
                c.lines[n].dashed = true;
            }
        }
    }
    out.retain(|c| !c.lines.is_empty());
    out
}

fn chart(id: &'static str, title: &'static str, unit: &'static str, list: &[Report]) -> Chart {
    let measured_from = list.first().map_or(0.0, |r| r.warmup_seconds);
    Chart { id, title: title.into(), unit, lines: Vec::new(), measured_from }
}

/// Any curves in one chart.
pub fn of_curves(title: &str, unit: &'static str, curves: Vec<(String, Vec<(f64, f64)>)>) -> Chart {
    let line = |(n, (label, points)): (usize, (String, Vec<(f64, f64)>))| Line {
        label,
        run: n,
        colour: n,
        points: points.into_iter().map(|(x, y)| (x, Some(y))).collect(),
        dashed: false,
    };
    let lines = curves.into_iter().enumerate().map(line).collect();
    Chart { id: "curves", title: title.into(), unit, lines, measured_from: 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;

    #[test]
    fn what_a_server_does_not_tell_is_not_drawn() {
        let one = charts(&[sample("a", 1.0)]);
        let ids: Vec<_> = one.iter().map(|c| c.id).collect();
        assert_eq!(ids, ["throughput", "latency", "dirty", "log", "pages", "cpu"]);
        assert_eq!(one[1].lines.len(), 4);
        assert!(one[2].lines[1].dashed);
        let two = charts(&[sample("a", 1.0), sample("b", 2.0)]);
        assert_eq!(two[0].lines.len(), 2);
        assert_eq!(two[0].lines[1].label, "b transactions/s");
        let latency: Vec<_> = two[1].lines.iter().map(|l| (l.colour, l.dashed)).collect();
        assert_eq!(latency, [(0, false), (0, true), (1, false), (1, true)]);
        assert!(charts(&[]).is_empty());
    }
}
