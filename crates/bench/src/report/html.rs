//! One HTML file with everything in it: no request leaves it. Charts by uPlot (MIT licence, in the file).

use super::chart::{Chart, charts};
use super::picture::COLOURS;
use super::svg::escape;
use super::{Report, text};
use serde_json::json;
use std::fmt::Write as _;

const UPLOT_JS: &str = include_str!("../../assets/uplot-1.6.32.iife.min.js");
const UPLOT_CSS: &str = include_str!("../../assets/uplot-1.6.32.min.css");
const UPLOT_LICENCE: &str = include_str!("../../assets/uplot-LICENSE");
const CSS: &str = include_str!("../../assets/report.css");
const JS: &str = include_str!("../../assets/report.js");

/// A page about one run, or about several with their lines over each other.
pub fn page(list: &[Report], title: &str, notes: &[String]) -> String {
    let all = charts(list);
    let mut body = format!(
        "<header><h1>{}</h1><button id=\"theme\" type=\"button\">light / dark</button></header>\n",
        escape(title)
    );
    for r in list.iter().filter(|r| r.partial.is_some()) {
        let why = r.partial.as_deref().unwrap_or_default();
        let _ = writeln!(
            body,
            "<div class=\"warning\">{}: partial result: {}</div>",
            escape(&r.name),
            escape(why)
        );
    }
    for n in notes {
        let _ = writeln!(body, "<div class=\"warning\">{}</div>", escape(n));
    }
    if let [r] = list {
        body.push_str(&cards(r));
    }
    for (heading, t) in text::tables(list) {
        if !heading.is_empty() {
            let _ = writeln!(body, "<h2>{}</h2>", escape(&heading));
        }
        let _ = writeln!(body, "<div class=\"scroll\">{}</div>", t.html());
    }
    body.push_str(
        "<p class=\"hint\">Drag in a chart to zoom all of them, double-click to see everything again; click a name to hide its line.</p>\n",
    );
    for c in &all {
        let _ = writeln!(
            body,
            "<h2>{} <span class=\"hint\">({})</span><span id=\"save-{id}\"></span></h2><div class=\"chart\" id=\"chart-{id}\"></div>",
            escape(&c.title),
            escape(c.unit),
            id = c.id
        );
    }
    list.iter().for_each(|r| body.push_str(&details(r)));
    assemble(title, &body, &all)
}

fn assemble(title: &str, body: &str, charts: &[Chart]) -> String {
    // Nothing in a script element may look like its end.
    let data = data(charts).replace("</", "<\\/");
    let licence = UPLOT_LICENCE.replace("--", "- -");
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n\
         <!-- Charts: uPlot 1.6.32, https://github.com/leeoniya/uPlot\n{licence}-->\n\
         <style>{UPLOT_CSS}\n{CSS}</style></head>\n<body>\n{body}\
         <footer>Made by weir bench. Charts: uPlot 1.6.32, MIT licence.</footer>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script>{UPLOT_JS}</script>\n<script>{JS}</script>\n</body></html>\n",
        escape(title)
    )
}

fn data(charts: &[Chart]) -> String {
    let round = |v: f64| (v * 1000.0).round() / 1000.0;
    let chart = |c: &Chart| {
        let lines = c.lines.iter().map(|l| {
            json!({
                "label": l.label,
                "colour": COLOURS[l.colour % COLOURS.len()],
                "dashed": l.dashed,
                "x": l.points.iter().map(|p| round(p.0)).collect::<Vec<_>>(),
                "y": l.points.iter().map(|p| p.1.map(round)).collect::<Vec<_>>(),
            })
        });
        json!({ "id": c.id, "title": c.title, "unit": c.unit, "from": c.measured_from, "lines": lines.collect::<Vec<_>>() })
    };
    serde_json::Value::Array(charts.iter().map(chart).collect()).to_string()
}

fn cards(r: &Report) -> String {
    let t = &r.throughput;
    let card = |value: String, what: &str| {
        format!("<div class=\"card\"><b>{}</b><span>{}</span></div>", escape(&value), escape(what))
    };
    let mut list = vec![
        card(format!("{:.0}", r.value), &r.metric),
        card(format!("{:.1}", r.transactions_per_second), "transactions/s"),
        card(format!("{:.2} ms", r.latency.p95), "95th percentile"),
        card(format!("{:.2} ms", r.latency.p99), "99th percentile"),
        card(format!("{:.1} ms", r.latency.max), "longest"),
        card(format!("{:.3}", t.variation), "coefficient of variation"),
        card(format!("{} of {}", t.under_half, t.intervals), "intervals under half of the mean"),
    ];
    if let Some(i) = &r.insert {
        let ratio = i.last_to_first().map_or("-".into(), |v| format!("{v:.2}"));
        list.push(card(ratio, "last tenth against the first"));
        list.push(card(format!("{:.1}", i.queries_per_second), "queries/s"));
        list.push(card(format!("{} of {}", i.wrong, i.checked), "checked answers wrong"));
    }
    if let Some(c) = &r.check {
        let bad = c.iter().filter(|c| c.violations > 0).count();
        let text = if bad == 0 { "all 12".into() } else { format!("{bad} violated") };
        list.push(card(text, "consistency conditions"));
    }
    format!("<div class=\"cards\">{}</div>\n", list.concat())
}

fn details(r: &Report) -> String {
    let mut t = format!(
        "started    {}\ntarget     {} {}\nworkload   {} {} {}\nusers      {}\nmeasured   {:.1} s after {:.0} s of warm-up\n",
        r.started,
        r.target,
        r.server_version,
        r.workload,
        r.style,
        r.path,
        r.users,
        r.seconds,
        r.warmup_seconds
    );
    for (k, v) in &r.options {
        let _ = writeln!(t, "--{k}={v}");
    }
    if let Some(i) = &r.insert {
        let _ = write!(t, "\n{}", super::insert::text(i));
    }
    t.push('\n');
    for (k, v) in &r.settings {
        let _ = writeln!(t, "{k}={v}");
    }
    format!("<h2>{}: configuration</h2><pre>{}</pre>\n", escape(&r.name), escape(&t))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;

    #[test]
    fn nothing_in_the_page_points_outside() {
        let html = page(&[sample("a", 1.0), sample("</script>", 2.0)], "x < y", &["slow".into()]);
        let without_comment = {
            let (head, rest) = html.split_once("<!--").unwrap();
            format!("{head}{}", rest.split_once("-->").unwrap().1)
        };
        for bad in ["src=", "@import", "fetch(", "XMLHttpRequest"] {
            assert!(!without_comment.contains(bad), "{bad}");
        }
        assert_eq!(html.matches("</script>").count(), 3);
        assert!(html.contains("Leon Sorokin") && html.contains("x &lt; y"));
        assert!(html.contains("id=\"chart-throughput\""));
    }
}
