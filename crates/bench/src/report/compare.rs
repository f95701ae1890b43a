//! Runs side by side: medians over repetitions, ratios, and whether the machine was the same all the time.

use super::table::{Table, number};
use super::{Report, text};
use std::fmt::Write as _;

/// Spread of the machine's speed above which a comparison is to be doubted.
const CPU_DRIFT: f64 = 1.10;
const SYNC_DRIFT: f64 = 1.5;

/// Repetitions of one run.
pub struct Group {
    pub name: String,
    pub runs: Vec<Report>,
}

/// By name, in the order of their first appearance.
pub fn groups(list: Vec<Report>) -> Vec<Group> {
    let mut out: Vec<Group> = Vec::new();
    for r in list {
        match out.iter_mut().find(|g| g.name == r.name) {
            Some(g) => g.runs.push(r),
            None => out.push(Group { name: r.name.clone(), runs: vec![r] }),
        }
    }
    out
}

/// The middle value; of an even number the mean of both.
pub fn median(mut list: Vec<f64>) -> Option<f64> {
    list.sort_by(f64::total_cmp);
    let n = list.len();
    match n {
        0 => None,
        n if n % 2 == 1 => Some(list[n / 2]),
        _ => Some((list[n / 2 - 1] + list[n / 2]) / 2.0),
    }
}

impl Group {
    fn of(&self, figure: impl Fn(&Report) -> Option<f64>) -> Option<f64> {
        median(self.runs.iter().filter_map(figure).collect())
    }

    /// The run whose value is nearest to the median: the one to draw.
    pub fn typical(&self) -> &Report {
        let m = self.of(|r| Some(r.value)).unwrap_or(0.0);
        let far = |r: &&Report| (r.value - m).abs();
        self.runs
            .iter()
            .min_by(|a, b| far(a).total_cmp(&far(b)))
            .expect("a group begins with its first run")
    }
}

/// Microseconds of the server's processor time for a transaction.
fn cpu_per_transaction(r: &Report) -> Option<f64> {
    let rate = r.transactions_per_second;
    (rate > 0.0).then_some(r.machine.server_cpu_pct? / 100.0 / rate * 1e6)
}

/// What speaks against comparing these runs.
pub fn warnings(list: &[Group]) -> Vec<String> {
    let runs = || list.iter().flat_map(|g| &g.runs);
    let mut out = Vec::new();
    let spread = |of: &dyn Fn(&Report) -> Option<f64>| {
        let v: Vec<f64> = runs().filter_map(of).filter(|v| *v > 0.0).collect();
        let (min, max) = v.iter().fold((f64::INFINITY, 0.0f64), |(a, b), v| (a.min(*v), b.max(*v)));
        if v.len() > 1 { max / min } else { 1.0 }
    };
    let cpu = spread(&|r| Some(r.speed.cpu_ms));
    if cpu > CPU_DRIFT {
        out.push(format!(
            "the machine's processors were up to {cpu:.2} times as fast in one run as in another; figures of different runs are not comparable to better than that"
        ));
    }
    let sync = spread(&|r| r.speed.sync_ms);
    if sync > SYNC_DRIFT {
        out.push(format!(
            "synced writes were up to {sync:.1} times as fast before one run as before another"
        ));
    }
    for r in runs().filter(|r| r.partial.is_some()) {
        out.push(format!("'{}' is partial: {}", r.name, r.partial.as_deref().unwrap_or_default()));
    }
    let first = runs().next();
    if let Some(f) = first
        && runs().any(|r| r.workload != f.workload || r.style != f.style || r.metric != f.metric)
    {
        out.push("the runs are of different workloads or styles".into());
    }
    out
}

pub fn show(list: &[Group]) -> String {
    let mut out = String::new();
    for w in warnings(list) {
        let _ = writeln!(out, "WARNING: {w}");
    }
    let Some(first) = list.first() else { return out };
    let base = first.of(|r| Some(r.value)).unwrap_or(0.0);
    let metric = &first.typical().metric;
    let mut t = Table::new([
        "Run",
        "Runs",
        metric,
        "min",
        "max",
        "ratio",
        "p95 ms",
        "p99 ms",
        "max ms",
        "variation",
        "under half",
        "CPU us/transaction",
    ]);
    for g in list {
        let value = g.of(|r| Some(r.value)).unwrap_or(0.0);
        let values = || g.runs.iter().map(|r| r.value);
        let ratio = (base > 0.0).then_some(value / base);
        t.row([
            g.name.clone(),
            g.runs.len().to_string(),
            format!("{value:.0}"),
            format!("{:.0}", values().fold(f64::INFINITY, f64::min)),
            format!("{:.0}", values().fold(0.0, f64::max)),
            number(ratio, 2),
            number(g.of(|r| Some(r.latency.p95)), 2),
            number(g.of(|r| Some(r.latency.p99)), 2),
            number(g.of(|r| Some(r.latency.max)), 1),
            number(g.of(|r| Some(r.throughput.variation)), 3),
            number(g.of(|r| Some(r.throughput.under_half as f64)), 0),
            number(g.of(cpu_per_transaction), 1),
        ]);
    }
    let typical: Vec<Report> = list.iter().map(|g| g.typical().clone()).collect();
    let _ = write!(out, "\nMedians, ratio to '{}':\n\n{}", first.name, t.text());
    let _ = write!(out, "\nThe run in the middle of each:\n{}", text::tables_text(&typical));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;

    fn run(name: &str, scale: f64, cpu_ms: f64) -> Report {
        let mut r = sample(name, scale);
        r.speed.cpu_ms = cpu_ms;
        r
    }

    #[test]
    fn medians_and_ratios() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0]), Some(2.5));
        assert_eq!(median(vec![]), None);
        let list = groups(vec![
            run("a", 1.0, 10.0),
            run("b", 2.0, 10.0),
            run("a", 1.2, 10.0),
            run("b", 2.4, 10.1),
            run("a", 1.1, 10.0),
            run("b", 9.0, 10.0),
        ]);
        assert_eq!(list.iter().map(|g| g.runs.len()).collect::<Vec<_>>(), [3, 3]);
        assert_eq!(list[0].typical().value, 1100.0);
        let t = show(&list);
        assert!(t.contains(" 2400 ") && t.contains(" 2.18 "), "{t}");
        assert!(!t.contains("WARNING"), "{t}");
    }

    #[test]
    fn a_machine_that_changed_its_speed_is_told() {
        let list = groups(vec![run("a", 1.0, 10.0), run("b", 1.0, 13.0)]);
        let w = warnings(&list);
        assert!(w.len() == 1 && w[0].contains("1.30"), "{w:?}");
        let mut odd = run("c", 1.0, 10.0);
        odd.partial = Some("disk full".into());
        odd.style = "dbt2".into();
        let w = warnings(&groups(vec![run("a", 1.0, 10.0), odd]));
        assert_eq!(w.len(), 2, "{w:?}");
    }
}
