//! The status variables for Prometheus: its text format 0.0.4 and OpenMetrics 1.0.
//!
//! Names, kinds, units and help come from the tables of status variables. A name is `weir_`, the variable's name without `Weir_`, and
//! the unit; times are in seconds and a counter ends in `_total`, as both formats ask for. What of the process Prometheus'
//! own client libraries tell has their names.

use super::histogram;
use crate::process::{Process, TICKS};
use std::fmt::Write as _;
use weir_engine::{StatusDef, StatusKind, StatusUnit};
use weir_sql::metrics;
use weir_sql::session::Instance;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Text,
    OpenMetrics,
}

impl Form {
    pub fn accepted(accept: &str) -> Form {
        match accept.contains("application/openmetrics-text") {
            true => Form::OpenMetrics,
            false => Form::Text,
        }
    }

    pub fn kind(self) -> &'static str {
        match self {
            Form::Text => "text/plain; version=0.0.4; charset=utf-8",
            Form::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

/// The metric's name without what its kind adds.
fn family(def: &StatusDef) -> String {
    let lower = def.name.to_ascii_lowercase();
    let mut words: Vec<&str> = lower.strip_prefix("weir_").unwrap_or(&lower).split('_').collect();
    // The unit stands at the end, once.
    words.retain(|w| {
        !matches!((*w, def.unit), ("bytes", StatusUnit::Bytes) | ("usec", StatusUnit::Micros))
    });
    // Those words mean a counter and a histogram's sample to Prometheus.
    if def.kind == StatusKind::Gauge && matches!(words.last(), Some(&("total" | "count"))) {
        words.pop();
    }
    let unit = unit(def.unit);
    let suffix = if unit.is_empty() { String::new() } else { format!("_{unit}") };
    format!("weir_{}{suffix}", words.join("_"))
}

fn unit(unit: StatusUnit) -> &'static str {
    match unit {
        StatusUnit::One => "",
        StatusUnit::Bytes => "bytes",
        StatusUnit::Micros | StatusUnit::Millis | StatusUnit::Seconds => "seconds",
    }
}

fn scaled(value: u64, unit: StatusUnit) -> f64 {
    match unit {
        StatusUnit::One | StatusUnit::Bytes | StatusUnit::Seconds => value as f64,
        StatusUnit::Millis => value as f64 / 1e3,
        StatusUnit::Micros => value as f64 / 1e6,
    }
}

/// A text being written.
struct Written {
    form: Form,
    text: String,
}

impl Written {
    fn head(&mut self, name: &str, kind: &str, unit: &str, help: &str) {
        // The older format has one name for the family and its sample.
        let name = match (self.form, kind) {
            (Form::Text, "counter") => format!("{name}_total"),
            _ => name.to_owned(),
        };
        let help = help.replace('\\', "\\\\").replace('\n', "\\n");
        let _ = writeln!(self.text, "# TYPE {name} {kind}");
        if self.form == Form::OpenMetrics && !unit.is_empty() {
            let _ = writeln!(self.text, "# UNIT {name} {unit}");
        }
        let _ = writeln!(self.text, "# HELP {name} {help}");
    }

    fn one(&mut self, def: &StatusDef, value: u64) {
        let name = family(def);
        let (kind, suffix) = match def.kind {
            StatusKind::Counter => ("counter", "_total"),
            StatusKind::Gauge => ("gauge", ""),
        };
        self.head(&name, kind, unit(def.unit), &in_seconds(def));
        let _ = writeln!(self.text, "{name}{suffix} {}", scaled(value, def.unit));
    }

    fn gauge(&mut self, name: &str, unit: &str, help: &str, samples: &[(&str, f64)]) {
        self.head(name, "gauge", unit, help);
        for (labels, value) in samples {
            let _ = writeln!(self.text, "{name}{labels} {value}");
        }
    }

    fn durations(&mut self, inst: &Instance) {
        let Some(durations) = metrics::durations(inst) else { return };
        let name = "weir_statement_duration_seconds";
        self.head(name, "histogram", "seconds", "How long statements took.");
        for (bound, count) in histogram::buckets(&durations) {
            let _ = writeln!(self.text, "{name}_bucket{{le=\"{bound}\"}} {count}");
        }
        let count = durations.count();
        let _ = writeln!(self.text, "{name}_bucket{{le=\"+Inf\"}} {count}");
        let _ = writeln!(self.text, "{name}_sum {}", durations.nanos as f64 / 1e9);
        let _ = writeln!(self.text, "{name}_count {count}");
    }

    fn process(&mut self) {
        let p = Process::now();
        let resident = [("", p.resident as f64)];
        self.gauge(
            "process_resident_memory_bytes",
            "bytes",
            "Resident memory of the process.",
            &resident,
        );
        self.gauge(
            "process_open_fds",
            "",
            "File descriptors that are open.",
            &[("", Process::descriptors() as f64)],
        );
        self.head("process_cpu_seconds", "counter", "seconds", "Processor time of the process.");
        let _ = writeln!(self.text, "process_cpu_seconds_total {}", p.cpu_ticks as f64 / TICKS);
    }
}

/// The help of a variable whose unit is another one here.
fn in_seconds(def: &StatusDef) -> String {
    def.doc
        .replace(", in microseconds", "")
        .replace(", in milliseconds", "")
        .replace(", in seconds", "")
}

/// All metrics of a server.
pub fn written(inst: &Instance, form: Form) -> String {
    let mut w = Written { form, text: String::with_capacity(64 << 10) };
    let version = format!("{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
    w.gauge("weir_build_info", "", "The server's version.", &[(&version, 1.0)]);
    let mut all = metrics::metrics(inst);
    all.sort_by_key(|(def, _)| def.name);
    for (def, value) in &all {
        w.one(def, *value);
    }
    let cause = inst.db.pressure().cause;
    let of = |name: &str| format!("{{cause=\"{name}\"}}");
    let causes: Vec<(String, f64)> = weir_engine::waits::Scarcity::ALL
        .iter()
        .map(|c| (of(c.name()), f64::from(u8::from(*c == cause))))
        .collect();
    let samples: Vec<(&str, f64)> = causes.iter().map(|(l, v)| (l.as_str(), *v)).collect();
    w.gauge("weir_pressure_cause", "", "1 for what the pressure comes from.", &samples);
    w.durations(inst);
    w.process();
    if form == Form::OpenMetrics {
        w.text.push_str("# EOF\n");
    }
    w.text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn def(name: &'static str, kind: StatusKind, unit: StatusUnit) -> StatusDef {
        StatusDef { name, kind, unit, doc: "." }
    }

    #[test]
    fn names_end_in_their_units() {
        use StatusKind::*;
        for (name, kind, unit, want) in [
            ("Bytes_received", Counter, StatusUnit::Bytes, "weir_received_bytes"),
            (
                "Innodb_buffer_pool_bytes_dirty",
                Gauge,
                StatusUnit::Bytes,
                "weir_innodb_buffer_pool_dirty_bytes",
            ),
            (
                "Innodb_buffer_pool_pages_total",
                Gauge,
                StatusUnit::One,
                "weir_innodb_buffer_pool_pages",
            ),
            ("Weir_pace_usec_max", Gauge, StatusUnit::Micros, "weir_pace_max_seconds"),
            (
                "Innodb_row_lock_time",
                Counter,
                StatusUnit::Millis,
                "weir_innodb_row_lock_time_seconds",
            ),
            ("Weir_pressure", Gauge, StatusUnit::One, "weir_pressure"),
            ("Prepared_stmt_count", Gauge, StatusUnit::One, "weir_prepared_stmt"),
            ("Uptime", Gauge, StatusUnit::Seconds, "weir_uptime_seconds"),
        ] {
            assert_eq!(family(&def(name, kind, unit)), want);
        }
    }

    #[test]
    fn values_are_in_base_units_and_help_is_escaped() {
        let mut w = Written { form: Form::OpenMetrics, text: String::new() };
        let d = StatusDef {
            doc: "A \\ and\na line, in microseconds.",
            ..def("Weir_x_usec", StatusKind::Counter, StatusUnit::Micros)
        };
        w.one(&d, 1_500_000);
        assert_eq!(
            w.text,
            "# TYPE weir_x_seconds counter\n# UNIT weir_x_seconds seconds\n# HELP weir_x_seconds A \\\\ and\\na line.\nweir_x_seconds_total 1.5\n"
        );
        let mut w = Written { form: Form::Text, text: String::new() };
        w.one(&def("Weir_x", StatusKind::Counter, StatusUnit::One), 7);
        assert_eq!(w.text, "# TYPE weir_x_total counter\n# HELP weir_x_total .\nweir_x_total 7\n");
    }

    #[test]
    fn the_form_is_what_was_asked_for() {
        assert_eq!(
            Form::accepted("application/openmetrics-text;version=1.0.0;q=0.5,*/*"),
            Form::OpenMetrics
        );
        assert_eq!(Form::accepted("text/html"), Form::Text);
    }
}
