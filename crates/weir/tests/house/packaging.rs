//! What the packages name is there: each metric of the dashboard and of the alert rules is one that the server has.

use crate::source::root;
use std::collections::BTreeSet;

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Names of samples: counters and histograms with what their kind adds.
fn samples() -> BTreeSet<String> {
    let list = read("crates/weir/tests/blackbox/http/metrics.txt");
    let of = |line: &str| {
        let mut words = line.split(' ');
        let (name, kind) = (words.next().unwrap(), words.next().unwrap());
        let suffixes: &[&str] = match kind {
            "counter" => &["_total"],
            "histogram" => &["_bucket", "_sum", "_count"],
            _ => &[""],
        };
        suffixes.iter().map(|s| format!("{name}{s}")).collect::<Vec<_>>()
    };
    list.lines().flat_map(of).collect()
}

/// Words of a text that look like metrics of the server.
fn named(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let ours = |w: &&str| w.starts_with("weir_") || w.starts_with("process_");
    words.filter(ours).map(str::to_owned).collect()
}

#[test]
fn dashboard_and_alerts_name_metrics_that_there_are() {
    let there = samples();
    assert!(there.len() > 200);
    // Tables of the server that the descriptions of alerts send people to.
    let tables = ["weir_stalls", "weir_waits"];
    for path in [
        "packaging/grafana/weir.json",
        "packaging/prometheus/weir.rules.yml",
        "docs/book/src/operate/monitoring.md",
    ] {
        let names = named(&read(path));
        let unknown: Vec<_> = names
            .iter()
            .filter(|n| !there.contains(*n) && !tables.contains(&n.as_str()))
            .filter(|n| path != "docs/book/src/operate/monitoring.md" || n.ends_with("_total"))
            .collect();
        assert!(unknown.is_empty(), "{path} names {unknown:?}, which the server does not have");
        assert!(names.len() > 3, "{path} names {names:?}");
    }
}

#[test]
fn the_unit_is_told_what_the_server_tells() {
    let unit = read("packaging/systemd/weir.service");
    for line in [
        "Type=notify",
        "WatchdogSec=120",
        "ExecStart=/usr/bin/weir serve --defaults-file=/etc/weir/weir.cnf",
    ] {
        assert!(unit.lines().any(|l| l == line), "{line}");
    }
}
