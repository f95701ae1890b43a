//! The options of flush policies that can be changed while the engine runs: one row for each, with its name in MySQL (or in the
//! build that it comes from) and the setting that it is. Ranges, units and defaults are the business of anyone who takes the option
//! from a user.

use super::{LeftOut, Neighbours, Settings};

/// A value of an option.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingValue {
    Int(i64),
    Float(f64),
    Str(String),
}

impl SettingValue {
    pub fn int(&self) -> Option<u64> {
        match self {
            SettingValue::Int(v) => u64::try_from(*v).ok(),
            SettingValue::Float(v) => Some(*v as u64),
            SettingValue::Str(s) => s.parse().ok(),
        }
    }

    pub fn float(&self) -> Option<f64> {
        match self {
            SettingValue::Int(v) => Some(*v as f64),
            SettingValue::Float(v) => Some(*v),
            SettingValue::Str(s) => s.parse().ok(),
        }
    }

    pub fn is_on(&self) -> bool {
        match self {
            SettingValue::Int(v) => *v != 0,
            SettingValue::Float(v) => *v != 0.0,
            SettingValue::Str(s) => s.eq_ignore_ascii_case("ON") || s == "1",
        }
    }

    /// By MySQL's numbers or XtraDB's words.
    fn neighbours(&self) -> Option<Neighbours> {
        let word = match self {
            SettingValue::Str(s) => s.clone(),
            _ => self.int()?.to_string(),
        };
        match word.as_str() {
            "0" | "none" => Some(Neighbours::None),
            "1" | "cont" => Some(Neighbours::Run),
            "2" | "area" => Some(Neighbours::Area),
            "auto" => Some(Neighbours::ByDevice),
            _ => None,
        }
    }

    /// XtraDB's words or its bits: random and linear.
    fn read_ahead(&self) -> Option<(bool, bool)> {
        let word = match self {
            SettingValue::Str(s) => s.clone(),
            _ => self.int()?.to_string(),
        };
        match word.as_str() {
            "0" | "none" => Some((false, false)),
            "1" | "random" => Some((true, false)),
            "2" | "linear" => Some((false, true)),
            "3" | "both" => Some((true, true)),
            _ => None,
        }
    }

    /// Names of mechanisms.
    fn left_out(&self) -> Option<LeftOut> {
        match self {
            SettingValue::Str(s) => LeftOut::named(s),
            _ => None,
        }
    }
}

/// What an option's value is read as, and where it goes.
enum Set {
    Number(fn(&mut Settings, u64)),
    Real(fn(&mut Settings, f64)),
    Switch(fn(&mut Settings, bool)),
    Neighbours(fn(&mut Settings, Neighbours)),
    ReadAhead(fn(&mut Settings, (bool, bool))),
    LeftOut(fn(&mut Settings, LeftOut)),
}

use Set::{Number, Real, Switch};

/// A row of the table.
pub struct FlushOption {
    pub name: &'static str,
    set: Set,
}

impl FlushOption {
    /// Puts the value where it belongs. False: it is not one for this option, and nothing has changed.
    pub fn apply(&self, s: &mut Settings, value: &SettingValue) -> bool {
        match self.set {
            Number(set) => value.int().map(|v| set(s, v)).is_some(),
            Real(set) => value.float().map(|v| set(s, v)).is_some(),
            Set::Neighbours(set) => value.neighbours().map(|v| set(s, v)).is_some(),
            Set::ReadAhead(set) => value.read_ahead().map(|v| set(s, v)).is_some(),
            Set::LeftOut(set) => value.left_out().map(|v| set(s, v)).is_some(),
            Switch(set) => {
                set(s, value.is_on());
                true
            }
        }
    }
}

const fn row(name: &'static str, set: Set) -> FlushOption {
    FlushOption { name, set }
}

/// Google's switches of neighbours.
fn area(on: bool) -> Neighbours {
    if on { Neighbours::Area } else { Neighbours::None }
}

fn both_sides(s: &mut Settings, n: Neighbours) {
    s.neighbours = n;
    s.neighbours_foreground = n;
}

/// All of them. Where two set the same field the later row is the finer one.
pub const OPTIONS: &[FlushOption] = &[
    row("innodb_max_dirty_pages_pct", Real(|s, v| s.max_dirty_pct = v)),
    row("innodb_max_dirty_pages_pct_lwm", Real(|s, v| s.max_dirty_pct_lwm = v)),
    row("innodb_io_capacity", Number(|s, v| s.io_capacity = v)),
    row("innodb_io_capacity_max", Number(|s, v| s.io_capacity_max = v)),
    row("innodb_adaptive_flushing", Switch(|s, on| s.adaptive_flushing = on)),
    row("innodb_adaptive_flushing_lwm", Real(|s, v| s.adaptive_flushing_lwm = v)),
    row("innodb_flushing_avg_loops", Number(|s, v| s.flushing_avg_loops = v)),
    row("innodb_flush_sync", Switch(|s, on| s.flush_sync = on)),
    row("innodb_idle_flush_pct", Number(|s, v| s.idle_flush_pct = v)),
    row("innodb_lru_scan_depth", Number(|s, v| s.lru_scan_depth = v)),
    row("innodb_flush_neighbors", Set::Neighbours(both_sides)),
    row("innodb_flush_neighbor_pages", Set::Neighbours(both_sides)),
    row("innodb_flush_adjacent_background", Switch(|s, on| s.neighbours = area(on))),
    row("innodb_flush_adjacent_foreground", Switch(|s, on| s.neighbours_foreground = area(on))),
    row("innodb_thread_concurrency", Number(|s, v| s.thread_concurrency = v)),
    row("innodb_adaptive_checkpoint", Switch(|s, on| s.adaptive_checkpoint = on)),
    row("innodb_check_max_dirty_foreground", Switch(|s, on| s.check_max_dirty_foreground = on)),
    row("innodb_extra_dirty_writes", Switch(|s, on| s.extra_dirty_writes = on)),
    row("innodb_change_buffer_max_size", Number(|s, v| s.change_buffer_pct = v)),
    row("innodb_max_merged_io", Number(|s, v| s.max_merged_io = v)),
    row("innodb_readahead_random", Switch(|s, on| s.readahead_random = on)),
    row("innodb_readahead_sequential", Switch(|s, on| s.readahead_sequential = on)),
    row("innodb_read_ahead", Set::ReadAhead(|s, v| s.read_ahead = v)),
    row("innodb_read_ahead_threshold", Number(|s, v| s.read_ahead_threshold = v)),
    row("innodb_random_read_ahead", Switch(|s, on| s.random_read_ahead = on)),
    row("innodb_ibuf_max_pct_of_buffer", Number(|s, v| s.ibuf_max_pct = v)),
    row("innodb_ibuf_flush_pct", Number(|s, v| s.ibuf_flush_pct = v)),
    row("innodb_ibuf_reads_sync", Switch(|s, on| s.ibuf_reads_sync = on)),
    row("innodb_ibuf_max_size", Number(|s, v| s.ibuf_max_size = v)),
    row("innodb_ibuf_active_contract", Switch(|s, on| s.ibuf_active_contract = on)),
    row("innodb_ibuf_accel_rate", Number(|s, v| s.ibuf_accel_rate = v)),
    row("innodb_checkpoint_age_target", Number(|s, v| s.checkpoint_age_target = v)),
    row("innodb_flush_log_at_trx_commit", Number(|s, v| s.flush_log_at_trx_commit = v)),
    row("weir_left_out", Set::LeftOut(|s, v| s.left_out = v)),
    row("weir_recovery_time_target", Real(|s, v| s.recovery_target = v)),
    row("weir_write_budget", Real(|s, v| s.write_budget = v)),
    row("weir_write_budget_daily", Real(|s, v| s.write_budget_daily = v)),
];

/// The row of that name.
pub fn option(name: &str) -> Option<&'static FlushOption> {
    OPTIONS.iter().find(|o| o.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_option_sets_something() {
        for o in OPTIONS {
            let mut s = Settings::default();
            let words = [SettingValue::Str("written-latched".into())];
            let changes = [0, 1, 7].map(SettingValue::Int).iter().chain(&words).any(|v| {
                let taken = o.apply(&mut s, v);
                taken && s != Settings::default()
            });
            assert!(changes, "{}", o.name);
            let rows = OPTIONS.iter().filter(|x| x.name == o.name).count();
            assert_eq!(rows, 1, "{} stands there more than once", o.name);
        }
    }

    #[test]
    fn what_is_no_value_changes_nothing() {
        let mut s = Settings::default();
        let word = SettingValue::Str("far".into());
        for name in ["innodb_io_capacity", "weir_write_budget", "innodb_flush_neighbors"] {
            assert!(!option(name).expect("listed").apply(&mut s, &word), "{name}");
        }
        assert_eq!(s, Settings::default());
        let both = option("innodb_flush_neighbors").expect("listed");
        assert!(both.apply(&mut s, &SettingValue::Str("cont".into())));
        assert_eq!((s.neighbours, s.neighbours_foreground), (Neighbours::Run, Neighbours::Run));
    }
}
