//! Options: the command line and option files, all from the table of system variables.

use crate::profile;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use weir_sql::vars::{
    GlobalVars, SetInput, Settable, Var, VarType, VarValue, all, parse_size, sql_mode,
};

/// What the command line asked for.
#[derive(Debug)]
pub enum Wanted {
    Help,
    Serve(Arc<ServeOptions>),
}

#[derive(Debug)]
pub struct ServeOptions {
    /// In the order in which they were read, behind those of the profile.
    pub given: Vec<(Var, String)>,
    /// Warnings to log: options without effect.
    pub notes: Vec<String>,
    /// Those of the command line, which stand before what SET PERSIST has kept.
    pub commanded: Vec<Var>,
}

/// Reads `args` (without the program's name and the command).
pub fn read(args: &[String]) -> Result<Wanted, String> {
    if args.iter().any(|a| a == "--help" || a == "-?" || a == "-h") {
        return Ok(Wanted::Help);
    }
    let mut given = Vec::new();
    let mut notes = Vec::new();
    let mut rest = Vec::new();
    let mut files = Vec::new();
    for (i, a) in args.iter().enumerate() {
        match a
            .strip_prefix("--defaults-file=")
            .or_else(|| a.strip_prefix("--defaults-extra-file="))
        {
            Some(f) => files.push(f.to_string()),
            None if a == "--no-defaults" => {}
            None if a == "--defaults-file" || a == "--defaults-extra-file" => {
                return Err(format!("option '{a}' needs a file: {a}=FILE (argument {})", i + 1));
            }
            None => rest.push(a.clone()),
        }
    }
    for f in files {
        file(Path::new(&f), &mut given, &mut notes)?;
    }
    let from_files = given.len();
    let mut it = rest.into_iter().peekable();
    while let Some(a) = it.next() {
        let Some(body) = a.strip_prefix("--") else {
            return Err(format!(
                "'{a}' is no option; options look like --innodb-buffer-pool-size=1G, and --help lists them"
            ));
        };
        let (name, mut value) = match body.split_once('=') {
            Some((n, v)) => (n.to_string(), Some(v.to_string())),
            None => (body.to_string(), None),
        };
        // `--port 3307` is understood too, where the option needs a value.
        if value.is_none()
            && let Some((var, _)) = find(&name)
            && !var.def().ty.is_switch(var)
            && it.peek().is_some_and(|n| !n.starts_with("--"))
        {
            value = it.next();
        }
        add(&name, value.as_deref(), "", &mut given, &mut notes)?;
    }
    let commanded: Vec<Var> = given[from_files..]
        .iter()
        .map(|(var, _)| if *var == SSL { Var::tls_version } else { *var })
        .collect();
    settle_ssl(&mut given);
    profile::apply(&mut given, &mut notes);
    Ok(Wanted::Serve(Arc::new(ServeOptions { given, notes, commanded })))
}

/// The variable of an option name, and whether the name switches it off (`skip-`, `disable-`).
fn find(name: &str) -> Option<(Var, Option<bool>)> {
    let plain = name.replace('-', "_").to_lowercase();
    // Options whose variables have other names.
    let plain = match plain.as_str() {
        "default_time_zone" => "time_zone".into(),
        "http_port" | "http_bind_address" => format!("weir_{plain}"),
        _ => plain,
    };
    let option = |n: &str| Var::lookup(n).filter(|v| v.def().is_option());
    if let Some(v) = option(&plain) {
        return Some((v, None));
    }
    for (prefix, on) in [("skip_", false), ("disable_", false), ("enable_", true)] {
        if let Some(rest) = plain.strip_prefix(prefix)
            && let Some(v) = option(rest)
            && v.def().ty.is_switch(v)
        {
            return Some((v, Some(on)));
        }
    }
    None
}

fn add(
    name: &str,
    value: Option<&str>,
    place: &str,
    given: &mut Vec<(Var, String)>,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    let loose = name.strip_prefix("loose-").or_else(|| name.strip_prefix("loose_"));
    if let Some(on) = ssl_switch(loose.unwrap_or(name), value) {
        given.push((SSL, if on { ON } else { OFF }.into()));
        return Ok(());
    }
    if let Some(value) = value.filter(|_| is_log_bin(loose.unwrap_or(name))) {
        given.push((Var::log_bin, ON.into()));
        given.push((Var::log_bin_basename, value.into()));
        return Ok(());
    }
    let Some((var, switch)) = find(loose.unwrap_or(name)) else {
        let shown = name.replace('_', "-");
        let text = format!("{place}unknown option '--{shown}'; {}", nearest(name));
        if loose.is_some() {
            notes.push(text);
            return Ok(());
        }
        return Err(text);
    };
    let value = match (switch, value) {
        (Some(on), None) => on.to_string(),
        (Some(_), Some(_)) => return Err(format!("{place}option '--{name}' takes no value")),
        (None, Some(v)) => first_of(var, v, place, notes).to_string(),
        (None, None) if var.def().ty.is_switch(var) => "ON".into(),
        (None, None) => {
            return Err(format!("{place}option '--{name}' needs a value: --{name}=..."));
        }
    };
    if let Some(why) = var.def().note {
        notes.push(format!("option '{}' has no effect: {why}", name.replace('_', "-")));
    }
    given.push((var, value));
    Ok(())
}

/// What stands for `--ssl` among the options read, which has no variable of its own. This one is no option.
const SSL: Var = Var::have_ssl;
const ON: &str = "ON";
const OFF: &str = "OFF";

/// `--log-bin=NAME` names the files; the variable says only that there are some.
fn is_log_bin(name: &str) -> bool {
    name.replace('-', "_").eq_ignore_ascii_case("log_bin")
}

/// The last of the switches counts, wherever it stands: off is the same as no version to speak.
fn settle_ssl(given: &mut Vec<(Var, String)>) {
    let last = given.iter().rev().find(|(var, _)| *var == SSL);
    let is_off = last.is_some_and(|(_, value)| value == OFF);
    given.retain(|(var, _)| *var != SSL);
    if is_off {
        given.push((Var::tls_version, String::new()));
    }
}

/// `--ssl`, `--ssl=0`, `--skip-ssl`: whether connections may be encrypted.
fn ssl_switch(name: &str, value: Option<&str>) -> Option<bool> {
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

/// `20 or 80`, as published configurations write what they ran with: the first number counts.
fn first_of<'v>(var: Var, value: &'v str, place: &str, notes: &mut Vec<String>) -> &'v str {
    let number = |t: &str| parse_size(t).is_some() || t.parse::<f64>().is_ok();
    let Some((first, rest)) = value.split_once(" or ") else { return value };
    let (first, rest) = (first.trim(), rest.trim());
    if !is_number(var) || !number(first) || !number(rest) {
        return value;
    }
    let name = var.name().replace('_', "-");
    notes.push(format!(
        "{place}option '{name}' is {first}; for {rest} start again with --{name}={rest}"
    ));
    first
}

fn is_number(var: Var) -> bool {
    use VarType::*;
    matches!(
        var.def().ty,
        Size { .. } | UInt { .. } | UIntOrAuto { .. } | Int { .. } | Float { .. }
    )
}

/// The known option that is fewest edits away.
fn nearest(name: &str) -> String {
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

/// The `[mysqld]`, `[server]` and `[weir]` sections of an option file, and what stands before any section.
fn file(
    path: &Path,
    given: &mut Vec<(Var, String)>,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| format!("cannot read option file '{}': {e}", path.display()))?;
    let mut ours = true;
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with(';') {
            continue;
        }
        if let Some(section) = line.strip_prefix('[') {
            let Some(name) = section.strip_suffix(']') else {
                return Err(format!("{}:{}: a section looks like [mysqld]", path.display(), n + 1));
            };
            ours = matches!(name.trim(), "mysqld" | "server" | "weir");
            continue;
        }
        if !ours {
            continue;
        }
        let place = format!("{}:{}: ", path.display(), n + 1);
        if line.starts_with('!') {
            return Err(format!(
                "{place}!include is not supported; give the file with --defaults-file"
            ));
        }
        match line.split_once('=') {
            Some((name, value)) => {
                let value = value.trim();
                let bare = value
                    .strip_prefix('"')
                    .and_then(|v| v.strip_suffix('"'))
                    .or_else(|| value.strip_prefix('\'').and_then(|v| v.strip_suffix('\'')));
                let value = match bare {
                    Some(v) => v,
                    None => value.split(" #").next().unwrap_or(value).trim(),
                };
                add(name.trim(), Some(value), &place, given, notes)?;
            }
            None => add(line, None, &place, given, notes)?,
        }
    }
    Ok(())
}

impl ServeOptions {
    /// Puts the values into the variables; an error names the option.
    pub fn apply(&self, vars: &GlobalVars) -> Result<Vec<String>, String> {
        let mut warnings = self.notes.clone();
        warnings.extend(self.apply_those(vars, |_| true)?);
        self.count_log_files(vars);
        Ok(warnings)
    }

    /// Puts the command line's values in once more, behind those that are kept: they rule.
    pub fn apply_commanded(&self, vars: &GlobalVars) -> Result<(), String> {
        // What there is to say of them was said the first time.
        self.apply_those(vars, |var| self.commanded.contains(&var)).map(|_| ())
    }

    fn apply_those(
        &self,
        vars: &GlobalVars,
        wanted: impl Fn(Var) -> bool,
    ) -> Result<Vec<String>, String> {
        let mut warnings = Vec::new();
        // A character set brings its default collation along, so a named collation comes behind it, wherever it stood; what
        // a flush policy reads comes behind its name.
        let order = |var: Var| match var {
            Var::weir_flush_policy => 0,
            Var::collation_server => 2,
            _ => 1,
        };
        let mut given: Vec<_> = self.given.iter().filter(|(var, _)| wanted(*var)).collect();
        given.sort_by_key(|(v, _)| order(*v));
        for (var, text) in given {
            let input = input_of(*var, text);
            // Rounding it would choose for the life of the data directory.
            if *var == Var::innodb_page_size
                && !parse_size(text)
                    .is_some_and(|n| [4, 8, 16, 32, 64].contains(&(n / 1024)) && n % 1024 == 0)
            {
                return Err(format!(
                    "option '--innodb-page-size={text}': pages have 4K, 8K, 16K, 32K or 64K"
                ));
            }
            let warning = vars.set(*var, &input, false).map_err(|e| {
                format!("option '--{}={text}': {}", var.name().replace('_', "-"), e.message)
            })?;
            if *var == Var::sql_mode {
                vars.name_engines(vars.u64(*var) & sql_mode::NO_ENGINE_SUBSTITUTION != 0);
            }
            // An option without effect is in the notes already.
            if let Some(w) = warning.filter(|_| var.def().note.is_none()) {
                warnings.push(w.message);
            }
        }
        Ok(warnings)
    }

    /// The redo log as files: their sizes together, where no capacity is given.
    fn count_log_files(&self, vars: &GlobalVars) {
        let by_files = self.is_given(Var::innodb_log_file_size)
            || self.is_given(Var::innodb_log_files_in_group);
        if by_files && !self.is_given(Var::innodb_redo_log_capacity) {
            let (size, files) =
                (vars.u64(Var::innodb_log_file_size), vars.u64(Var::innodb_log_files_in_group));
            let capacity = VarValue::UInt(size.saturating_mul(files));
            vars.put(Var::innodb_redo_log_capacity, capacity);
        }
    }

    pub fn is_given(&self, var: Var) -> bool {
        self.given.iter().any(|(v, _)| *v == var)
    }
}

/// An option's text as its variable takes it.
pub fn input_of(var: Var, text: &str) -> SetInput<'_> {
    let float = matches!(var.def().ty, VarType::Float { .. });
    let number = parse_size(text).filter(|_| is_number(var) && !float);
    match (number, text.parse::<f64>().ok().filter(|_| float)) {
        (Some(n), _) => SetInput::UInt(n),
        (None, Some(x)) => SetInput::Float(x),
        _ => match (var.def().ty, text) {
            (VarType::Enum(names), t) if names.contains(&t) => SetInput::Str(t),
            (VarType::Bool | VarType::Enum(_), t) if t.parse::<i64>().is_ok() => {
                SetInput::Int(t.parse().unwrap_or(0))
            }
            // Below zero; where that is too little, it is clamped as SET does it.
            (_, t) if is_number(var) && t.trim().parse::<i64>().is_ok() => {
                SetInput::Int(t.trim().parse().unwrap_or(0))
            }
            (VarType::Bool, "true") => SetInput::Str("ON"),
            (VarType::Bool, "false") => SetInput::Str("OFF"),
            (_, t) => SetInput::Str(t),
        },
    }
}

/// What the handshake announces.
pub fn protocol_version() -> &'static str {
    weir_sql::vars::SERVER_VERSION
}

/// The text of --help.
pub fn help() -> String {
    let mut out = String::from(
        "Usage: weir serve [options]\n\n\
         Runs the server: data in ./weir-data, MySQL protocol on 127.0.0.1:3306 and on the unix socket in the data directory.\n\
         The first start makes the data directory with the account root, without password, for this machine only.\n\n\
         Options may stand on the command line (--innodb-buffer-pool-size=2G), or in a file, before any section or in [mysqld], [server] or [weir]:\n  \
         --defaults-file=FILE                     read options from FILE first\n  \
         --skip-ssl                               no connection is encrypted\n  \
         --help                                   this text\n",
    );
    let mut group = "";
    for d in all().iter().filter(|d| d.is_option() && d.note.is_none()) {
        if d.group != group {
            group = d.group;
            let _ = write!(out, "\n{group}:\n");
        }
        let value = d.default.value();
        let shown = d.show(&value);
        let name = format!("--{}", d.name.replace('_', "-"));
        let running = if d.settable == Settable::AtStart { "" } else { "  [SET GLOBAL]" };
        let read = match d.policies {
            [] => String::new(),
            p => format!(" Read by the flush policies {}.", p.join(", ")),
        };
        let words = match d.ty {
            VarType::Enum(names) => format!(" One of {}.", names.join(", ")),
            _ => String::new(),
        };
        let _ = writeln!(
            out,
            "  {name:<40} {}{words}{read} Default: {}{running}",
            d.doc,
            if shown.is_empty() { "(none)" } else { &shown }
        );
    }
    out.push_str(&without_effect());
    out
}

/// The options that are taken for the sake of MySQL's option files, by what keeps them from an effect.
fn without_effect() -> String {
    let mut out = String::from(
        "\nOptions of MySQL's that are taken, shown by SHOW VARIABLES, and have no effect here (setting one is a warning):\n",
    );
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for d in all().iter().filter(|d| d.is_option()) {
        if let Some(why) = d.note {
            reasons.entry(why).or_default().push(format!("--{}", d.name.replace('_', "-")));
        }
    }
    for (why, names) in reasons.iter().filter(|(_, names)| names.len() == 1) {
        let _ = writeln!(out, "    {}: {why}", names[0]);
    }
    for (why, names) in reasons.iter().filter(|(_, names)| names.len() > 1) {
        let _ = writeln!(out, "\n  Since {why}:");
        let mut line = String::from("   ");
        for name in names {
            if line.len() + name.len() > HELP_WIDTH {
                let _ = writeln!(out, "{line}");
                line.truncate(3);
            }
            line.push(' ');
            line.push_str(name);
        }
        let _ = writeln!(out, "{line}");
    }
    out
}

/// Characters of a line of names.
const HELP_WIDTH: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    fn args(list: &[&str]) -> Vec<String> {
        list.iter().map(|s| s.to_string()).collect()
    }

    fn serve(list: &[&str]) -> Result<Arc<ServeOptions>, String> {
        match read(&args(list))? {
            Wanted::Serve(o) => Ok(o),
            Wanted::Help => Err("help".into()),
        }
    }

    #[test]
    fn the_last_switch_of_encryption_counts_wherever_it_stands() {
        for (list, versions) in [
            (&["--ssl=0", "--tls-version=TLSv1.3"][..], ""),
            (&["--tls-version=TLSv1.3", "--skip-ssl"], ""),
            (&["--ssl=0", "--ssl", "--tls-version=TLSv1.3"], "TLSv1.3"),
            (&["--skip-ssl", "--ssl=1"], "TLSv1.2,TLSv1.3"),
            (&["--ssl", "--disable-ssl"], ""),
        ] {
            let vars = GlobalVars::default();
            serve(list).unwrap().apply(&vars).unwrap();
            assert_eq!(vars.text(Var::tls_version), versions, "{list:?}");
        }
    }

    #[test]
    fn values_in_every_form() {
        let o = serve(&[
            "--innodb-buffer-pool-size=2G",
            "--innodb_doublewrite=0",
            "--port",
            "3307",
            "--skip-networking",
        ])
        .unwrap();
        let vars = GlobalVars::default();
        o.apply(&vars).unwrap();
        assert_eq!(vars.u64(Var::innodb_buffer_pool_size), 2 << 30);
        assert!(!vars.bool(Var::innodb_doublewrite));
        assert_eq!(vars.u64(Var::port), 3307);
        assert!(vars.bool(Var::skip_networking));
    }

    #[test]
    fn a_named_collation_outlives_its_character_set() {
        let options = ["--collation-server=utf8mb4_0900_ai_ci", "--character-set-server=utf8mb4"];
        for options in [options, [options[1], options[0]]] {
            let vars = GlobalVars::default();
            serve(&options).unwrap().apply(&vars).unwrap();
            assert_eq!(vars.text(Var::collation_server), "utf8mb4_0900_ai_ci");
        }
    }

    #[test]
    fn unknown_options_name_the_nearest() {
        let e = serve(&["--innodb-bufer-pool-size=1G"]).unwrap_err();
        assert!(e.contains("did you mean '--innodb-buffer-pool-size'?"), "{e}");
        assert!(serve(&["serve"]).is_err());
        assert!(serve(&["--port"]).is_err());
        assert!(serve(&["--loose-nonsense=1"]).is_ok());
    }

    fn from_file(name: &str, text: &str) -> Result<Arc<ServeOptions>, String> {
        let path = std::env::temp_dir().join(format!("weir-{name}-{}.cnf", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let read = serve(&[&format!("--defaults-file={}", path.display())]);
        std::fs::remove_file(&path).unwrap();
        read
    }

    #[test]
    fn lines_before_any_section_count_and_other_sections_do_not() {
        let text =
            "  # a comment\n  port = 3311\n[client]\nport=1\nuser=x\n[mysqld]\nback-log = 7\n";
        let o = from_file("sections", text).unwrap();
        let given: Vec<_> = o.given.iter().map(|(v, t)| (v.name(), t.as_str())).collect();
        assert_eq!(given, [("port", "3311"), ("back_log", "7")]);
        let e = from_file("unknown", "innodb_page_kleaners=3\n").unwrap_err();
        assert!(e.contains(".cnf:1: ") && e.contains("--innodb-page-cleaners"), "{e}");
    }

    #[test]
    fn of_two_numbers_the_first_counts() {
        let o =
            serve(&["--innodb-max-dirty-pages-pct=20 or 80", "--innodb-log-file-size=64M or 1G"]);
        let o = o.unwrap();
        let vars = GlobalVars::default();
        let log = o.apply(&vars).unwrap();
        assert_eq!(vars.f64(Var::innodb_max_dirty_pages_pct), 20.0);
        assert_eq!(vars.u64(Var::innodb_redo_log_capacity), 128 << 20);
        assert!(log[0].contains("--innodb-max-dirty-pages-pct=80"), "{log:?}");
        // Where no numbers are expected it is a value like any other.
        let o = serve(&["--innodb-flush-method=fsync or O_DIRECT"]).unwrap();
        assert!(o.apply(&GlobalVars::default()).is_err());
        let o = serve(&["--socket=this or that"]).unwrap();
        assert_eq!(o.given[0].1, "this or that");
    }

    #[test]
    fn the_capacity_is_automatic_or_a_number() {
        let value = |list: &[&str]| {
            let vars = GlobalVars::default();
            serve(list)?.apply(&vars)?;
            Ok::<_, String>((vars.text(Var::innodb_io_capacity), vars.u64(Var::innodb_io_capacity)))
        };
        assert_eq!(value(&[]), Ok(("auto".into(), 0)));
        assert_eq!(value(&["--innodb-io-capacity=auto"]), Ok(("auto".into(), 0)));
        assert_eq!(value(&["--innodb-io-capacity", "5000"]), Ok(("5000".into(), 5000)));
        assert_eq!(value(&["--innodb-io-capacity=50"]), Ok(("100".into(), 100)));
        assert!(value(&["--innodb-io-capacity=much"]).is_err());
    }

    #[test]
    fn options_without_effect_say_so_once() {
        let o = serve(&["--innodb-max-merged-io=40", "--query-cache-type=0"]).unwrap();
        let log = o.apply(&GlobalVars::default()).unwrap();
        assert_eq!(log.len(), 2, "{log:?}");
    }

    #[test]
    fn help_lists_the_table() {
        let h = help();
        assert!(h.contains("Read by the flush policies google-v4."));
        assert!(h.contains("One of weir, stock-5.0, google-v4"));
        assert!(h.contains("Default: auto"));
        assert!(h.contains("--innodb-buffer-pool-size") && h.contains("Default: 134217728"));
    }
}
