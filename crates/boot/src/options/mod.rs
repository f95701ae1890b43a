//! Options: the command line and option files, all from the table of system variables.
//!
//! `file` reads option files into entries, `taken` makes values and warnings of entries, by `names` (which variable), `values` (what its
//! text means) and `unserved` (what other servers know and this one has not); `help` lists them all.

mod file;
mod help;
mod names;
mod taken;
mod unserved;
mod values;

pub use help::help;
pub use values::input_of;

use crate::profile;
use file::{Entry, Files, places_of_mysql};
use names::{SSL, find, settle_ssl};
use std::path::Path;
use std::sync::Arc;
use taken::Taken;
use weir_sql::vars::{GlobalVars, Var, VarValue, parse_size, sql_mode};

/// What the command line asked for.
#[derive(Debug)]
pub enum Wanted {
    Help,
    Serve(Arc<ServeOptions>),
    /// A new data directory, and no server: `--initialize` with a password that is made, `--initialize-insecure` without one.
    Initialize {
        options: Arc<ServeOptions>,
        insecure: bool,
    },
    /// Only whether the options are right.
    Validate(Arc<ServeOptions>),
    /// The options of the files and of the command line, as one line.
    Print(String),
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

/// Options that say where options are, or what is to be done with them. They stand on the command line alone.
#[derive(Debug, Default)]
struct First {
    files: Vec<String>,
    of_mysql: bool,
    suffix: String,
    /// `--initialize`: false, `--initialize-insecure`: true.
    initialize: Option<bool>,
    validate: bool,
    print: bool,
    /// The options themselves.
    rest: Vec<String>,
}

impl First {
    fn of(args: &[String]) -> Result<First, String> {
        let mut first = First::default();
        for (i, a) in args.iter().enumerate() {
            let file = a.strip_prefix("--defaults-file=");
            match file.or_else(|| a.strip_prefix("--defaults-extra-file=")) {
                Some(f) => first.files.push(f.to_string()),
                None if a == "--defaults-file" || a == "--defaults-extra-file" => {
                    return Err(format!(
                        "option '{a}' needs a file: {a}=FILE (argument {})",
                        i + 1
                    ));
                }
                None => first.take(a),
            }
        }
        Ok(first)
    }

    fn take(&mut self, argument: &str) {
        match argument {
            "--no-defaults" => {}
            "--mysql-defaults" => self.of_mysql = true,
            "--initialize" => self.initialize = Some(self.initialize.unwrap_or(false)),
            "--initialize-insecure" => self.initialize = Some(true),
            "--validate-config" => self.validate = true,
            "--print-defaults" => self.print = true,
            _ => match argument.strip_prefix("--defaults-group-suffix=") {
                Some(suffix) => self.suffix = suffix.to_string(),
                None => self.rest.push(argument.to_string()),
            },
        }
    }

    fn read_files(&self) -> Result<Files, String> {
        let mut files = Files { suffix: self.suffix.clone(), ..Files::default() };
        if self.of_mysql {
            let places = places_of_mysql();
            if places.is_empty() {
                return Err("--mysql-defaults: there is neither /etc/my.cnf nor /etc/mysql/my.cnf nor a file of the account's".into());
            }
            places.iter().try_for_each(|p| files.read(p))?;
        }
        self.files.iter().try_for_each(|f| files.read(Path::new(f)))?;
        Ok(files)
    }
}

/// Reads `args` (without the program's name and the command).
pub fn read(args: &[String]) -> Result<Wanted, String> {
    if args.iter().any(|a| a == "--help" || a == "-?" || a == "-h") {
        return Ok(Wanted::Help);
    }
    let first = First::of(args)?;
    let files = first.read_files()?;
    if first.print {
        return Ok(Wanted::Print(printed(&files, &first.rest)));
    }
    let mut taken = Taken { notes: files.notes, ..Taken::default() };
    for Entry { name, value, place } in &files.entries {
        taken.add(name, value.as_deref(), place)?;
    }
    let from_files = taken.given.len();
    command_line(first.rest, &mut taken)?;
    let Taken { mut given, mut notes } = taken;
    let commanded: Vec<Var> = given[from_files..]
        .iter()
        .map(|(var, _)| if *var == SSL { Var::tls_version } else { *var })
        .collect();
    settle_ssl(&mut given);
    profile::apply(&mut given, &mut notes);
    let options = Arc::new(ServeOptions { given, notes, commanded });
    Ok(match first.initialize {
        Some(insecure) => Wanted::Initialize { options, insecure },
        None if first.validate => Wanted::Validate(options),
        None => Wanted::Serve(options),
    })
}

fn command_line(rest: Vec<String>, taken: &mut Taken) -> Result<(), String> {
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
        taken.add(&name, value.as_deref(), "")?;
    }
    Ok(())
}

fn printed(files: &Files, rest: &[String]) -> String {
    let of_files = files.entries.iter().map(|e| match &e.value {
        Some(value) => format!("--{}={value}", e.name),
        None => format!("--{}", e.name),
    });
    let all: Vec<String> = of_files.chain(rest.iter().cloned()).collect();
    all.join(" ")
}

impl ServeOptions {
    /// Puts the values into the variables; an error names the option.
    pub fn apply(&self, vars: &GlobalVars) -> Result<Vec<String>, String> {
        let mut warnings = self.notes.clone();
        warnings.extend(self.apply_those(vars, |_| true)?);
        self.count_log_files(vars);
        Ok(warnings)
    }

    /// A line for each given option that only flush policies of published builds read, and that the policy in force is one of: its name, value
    /// and effect. The variables hold the values of the options by now.
    pub fn confirmed(&self, vars: &GlobalVars) -> Vec<String> {
        profile::confirmed(vars, &self.given)
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
        let unlogged = vars.bool(Var::log_replica_updates) && !vars.bool(Var::log_bin);
        if unlogged && self.is_given(Var::log_replica_updates) {
            warnings.push("You need to use --log-bin to make --log-replica-updates work.".into());
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

/// What the handshake announces.
pub fn protocol_version() -> &'static str {
    weir_sql::vars::SERVER_VERSION
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(list: &[&str]) -> Vec<String> {
        list.iter().map(|s| s.to_string()).collect()
    }

    fn serve(list: &[&str]) -> Result<Arc<ServeOptions>, String> {
        match read(&args(list))? {
            Wanted::Serve(o) => Ok(o),
            other => Err(format!("{other:?}")),
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
        let o =
            serve(&["--innodb-max-merged-io=40", "--query-cache-type=1", "--query-cache-size=0"])
                .unwrap();
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
