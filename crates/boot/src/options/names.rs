//! Names of options: those of variables, older names, and which known name a wrong one is nearest to.

use weir_sql::vars::{Settable, Var, all};

/// Names that MySQL or MariaDB had or have for a variable, where only options use them.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("default_time_zone", "time_zone"),
    ("default_character_set", "character_set_server"),
    ("default_collation", "collation_server"),
    ("default_table_type", "default_storage_engine"),
    ("http_port", "weir_http_port"),
    ("http_bind_address", "weir_http_bind_address"),
    ("key_buffer", "key_buffer_size"),
    ("log", "general_log"),
    ("log_slow_queries", "slow_query_log"),
    ("log_slow_query", "slow_query_log"),
    ("log_slow_query_file", "slow_query_log_file"),
    ("log_slow_query_time", "long_query_time"),
    ("log_slow_min_examined_row_limit", "min_examined_row_limit"),
    ("myisam_recover", "myisam_recover_options"),
    ("performance_schema_consumer_events_statements_history", "weir_statement_history"),
    ("performance_schema_consumer_events_statements_history_long", "weir_statement_history"),
    ("record_buffer", "read_buffer_size"),
    ("record_rnd_buffer", "read_rnd_buffer_size"),
    ("sort_buffer", "sort_buffer_size"),
    ("table_cache", "table_open_cache"),
    ("thread_cache", "thread_cache_size"),
];

/// Lower case, with `_`, by the name that the variable has.
pub(super) fn plain(name: &str) -> String {
    let plain = name.replace('-', "_").to_lowercase();
    let other = OTHER_NAMES.iter().find(|(from, _)| *from == plain);
    other.map_or(plain, |(_, to)| (*to).into())
}

/// The variable of an option's plain name, and whether the name itself says on or off (`skip_`, `disable_`, `enable_`). `wanted`: which
/// variables are looked for.
fn find_among(plain: &str, wanted: impl Fn(Var) -> bool) -> Option<(Var, Option<bool>)> {
    let known = |n: &str| Var::lookup(n).filter(|v| wanted(*v));
    if let Some(v) = known(plain) {
        return Some((v, None));
    }
    let (rest, on) = switched(plain)?;
    known(rest).filter(|v| v.def().ty.is_switch(*v)).map(|v| (v, Some(on)))
}

/// `skip_x`, `disable_x`, `enable_x`: what is switched, and which way.
pub(super) fn switched(plain: &str) -> Option<(&str, bool)> {
    let prefixes = [("skip_", false), ("disable_", false), ("enable_", true)];
    prefixes.into_iter().find_map(|(prefix, on)| Some((plain.strip_prefix(prefix)?, on)))
}

pub(super) fn find(name: &str) -> Option<(Var, Option<bool>)> {
    find_among(&plain(name), |v| v.def().is_option())
}

/// A variable that states a fact, which option files of other servers set.
pub(super) fn find_fact(name: &str) -> Option<(Var, Option<bool>)> {
    find_among(&plain(name), |v| v.def().settable == Settable::Never)
}

/// What stands for `--ssl` among the options read, which has no variable of its own. This one is no option.
pub(super) const SSL: Var = Var::have_ssl;
pub(super) const ON: &str = "ON";
pub(super) const OFF: &str = "OFF";

/// The last of the switches counts, wherever it stands: off is the same as no version to speak.
pub(super) fn settle_ssl(given: &mut Vec<(Var, String)>) {
    let last = given.iter().rev().find(|(var, _)| *var == SSL);
    let is_off = last.is_some_and(|(_, value)| value == OFF);
    given.retain(|(var, _)| *var != SSL);
    if is_off {
        given.push((Var::tls_version, String::new()));
    }
}

/// `--ssl`, `--ssl=0`, `--skip-ssl`: whether connections may be encrypted.
pub(super) fn ssl_switch(name: &str, value: Option<&str>) -> Option<bool> {
    match (name.replace('_', "-").to_lowercase().as_str(), value) {
        ("ssl" | "enable-ssl", None) => Some(true),
        ("skip-ssl" | "disable-ssl", None) => Some(false),
        ("ssl", Some(v)) => match v.to_ascii_lowercase().as_str() {
            "1" | "on" | "true" => Some(true),
            "0" | "off" | "false" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// The known option that is fewest edits away.
pub(super) fn nearest(name: &str) -> String {
    let name = name.replace('-', "_").to_lowercase();
    let known = all().iter().filter(|d| d.is_option());
    let best = known.min_by_key(|d| distance(d.name, &name));
    match best {
        Some(d) => format!("did you mean '--{}'? (--help lists all)", d.name.replace('_', "-")),
        None => "--help lists all".into(),
    }
}

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = before + usize::from(x != *y);
            before = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(before + 1);
        }
    }
    row[b.len()]
}
