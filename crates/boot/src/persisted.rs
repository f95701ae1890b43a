//! `mysqld-auto.cnf` in the data directory: what SET PERSIST keeps, as a JSON document in MySQL's form.
//!
//! It is read before the engine opens, behind all option files; what stands on the command line rules. It is replaced as a whole: a
//! new file is written beside it, synced and renamed.

use crate::options::{ServeOptions, input_of};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs::{OpenOptions, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use weir_sql::errno;
use weir_sql::session_api::SqlError;
use weir_sql::vars::{GlobalVars, KeptSettings, PersistedValue, Var, share_a_value};

const NAME: &str = "mysqld-auto.cnf";
/// For the server and its group.
const MODE: u32 = 0o640;
/// Of the document's form.
const VERSION: u64 = 2;
/// Where the values are: those that SET GLOBAL changes, and those of the start alone. MySQL has others beside them, for its own order of starting.
const SECTIONS: [&str; 4] = [
    "mysql_dynamic_variables",
    "mysql_static_variables",
    "mysql_dynamic_parse_early_variables",
    "mysql_static_parse_early_variables",
];

type Values = BTreeMap<&'static str, PersistedValue>;

/// The file of a data directory.
pub struct KeptFile(PathBuf);

impl KeptFile {
    pub fn of(datadir: &Path) -> KeptFile {
        KeptFile(datadir.join(NAME))
    }

    fn replace(&self, text: &str) -> std::io::Result<()> {
        let new = self.0.with_extension("cnf.new");
        // Names of accounts are in it.
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(MODE).open(&new)?;
        // One that a crash has left keeps the rights that it has.
        file.set_permissions(Permissions::from_mode(MODE))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&new, &self.0)?;
        match self.0.parent() {
            Some(dir) => std::fs::File::open(dir)?.sync_all(),
            None => Ok(()),
        }
    }
}

impl KeptSettings for KeptFile {
    fn write(&self, all: &Values) -> Result<(), SqlError> {
        let (mut running, mut starts) = (Map::new(), Map::new());
        for (name, v) in all {
            let about = json!({ "Host": v.host, "User": v.user, "Timestamp": v.micros });
            let value = json!({ "Value": v.value, "Metadata": about });
            let at_start = Var::lookup(name).is_some_and(|v| v.def().is_for_starts());
            let section = if at_start { &mut starts } else { &mut running };
            section.insert((*name).to_owned(), value);
        }
        let document = json!({ "Version": VERSION, SECTIONS[0]: running, SECTIONS[1]: starts });
        self.replace(&document.to_string()).map_err(|e| {
            let text =
                format!("Error writing file '{}' ({e}); nothing was persisted", self.0.display());
            SqlError::new(errno::ER_ERROR_ON_WRITE, text)
        })
    }
}

/// What the file keeps; nothing where there is none. With it what is to be logged of names that mean nothing here.
fn read(path: &Path) -> Result<(Values, Vec<String>), String> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Default::default()),
        Err(e) => return Err(format!("cannot read '{}': {e}", path.display())),
    };
    let damaged = |what: &str| {
        format!(
            "'{}' is no document of persisted variables ({what}); repair it, or start with --persisted-globals-load=OFF",
            path.display()
        )
    };
    let document: Value = serde_json::from_str(&text).map_err(|e| damaged(&e.to_string()))?;
    let (mut values, mut notes) = (Values::new(), Vec::new());
    for section in SECTIONS {
        let Some(list) = document.get(section) else { continue };
        let list = list.as_object().ok_or_else(|| damaged(section))?;
        for (name, kept) in list {
            let value = kept.get("Value").and_then(Value::as_str).ok_or_else(|| damaged(name))?;
            let about = |key: &str| kept.get("Metadata").and_then(|m| m.get(key));
            let word = |key: &str| about(key).and_then(Value::as_str).unwrap_or("").to_owned();
            match Var::lookup(name).filter(|v| v.def().is_persistent()) {
                Some(var) => {
                    let micros = about("Timestamp").and_then(Value::as_u64).unwrap_or(0);
                    let (user, host) = (word("User"), word("Host"));
                    let value = value.to_owned();
                    values.insert(var.name(), PersistedValue { value, user, host, micros });
                }
                None => notes.push(format!(
                    "'{name}' of '{}' is no variable that can be persisted here",
                    path.display()
                )),
            }
        }
    }
    Ok((values, notes))
}

/// Those that a start sets, in the order in which they were kept: of two that change each other the later one rules. A variable that the command
/// line sets, or that changes one of those, is left out.
fn in_order<'v>(values: &'v Values, options: &ServeOptions) -> Vec<(Var, &'v PersistedValue)> {
    let ruled = |var: Var| {
        options.commanded.iter().any(|other| *other == var || share_a_value(*other, var))
    };
    let known = values.iter().filter_map(|(name, kept)| Some((Var::lookup(name)?, kept)));
    let mut list: Vec<_> = known.filter(|(var, _)| !ruled(*var)).collect();
    // Of one statement: a character set brings its default collation along, so the collation comes behind it.
    list.sort_by_key(|(var, kept)| (kept.micros, var.name().starts_with("collation_")));
    list
}

/// Reads the file and sets what the command line does not: the kept values, and warnings to be logged.
pub fn load(
    datadir: &Path,
    vars: &GlobalVars,
    options: &ServeOptions,
) -> Result<(Values, Vec<String>), String> {
    let path = datadir.join(NAME);
    if !vars.bool(Var::persisted_globals_load) {
        // They stay listed, so that RESET PERSIST reaches them. A damaged file is replaced by the next SET PERSIST.
        return Ok(read(&path).unwrap_or_else(|damage| (Values::new(), vec![damage])));
    }
    let (values, mut warnings) = read(&path)?;
    for (var, kept) in in_order(&values, options) {
        let name = var.name();
        match vars.set(var, &input_of(var, &kept.value), false) {
            Ok(w) => warnings.extend(w.map(|w| w.message)),
            Err(e) => {
                return Err(format!(
                    "'{}': variable '{name}' cannot be '{}': {}; start with --persisted-globals-load=OFF and RESET PERSIST {name}",
                    path.display(),
                    kept.value,
                    e.message
                ));
            }
        }
        if var == Var::sql_mode {
            // Who kept it may have copied the server's default.
            vars.name_engines(false);
        }
    }
    options.apply_commanded(vars)?;
    Ok((values, warnings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_sql::vars::{VarType, VarValue, all, check};

    fn kept(value: &str, micros: u64) -> PersistedValue {
        PersistedValue { value: value.into(), user: "u".into(), host: "%".into(), micros }
    }

    fn folder(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("weir-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        dir
    }

    /// Whatever SET PERSIST writes, a start takes.
    #[test]
    fn every_kept_value_is_taken_back() {
        for def in all().iter().filter(|d| d.is_persistent()) {
            let mut values = vec![def.default.value()];
            values.extend(match def.ty {
                VarType::Int { min, max } => {
                    vec![VarValue::Int(min), VarValue::Int(max), VarValue::Int(min.max(-1))]
                }
                VarType::UInt { min, max } | VarType::UIntOrAuto { min, max } => {
                    vec![VarValue::UInt(min), VarValue::UInt(max)]
                }
                VarType::Size { min, max, step } => {
                    vec![VarValue::UInt(min), VarValue::UInt((max - max % step).max(min))]
                }
                VarType::Float { min, max } => [min, max, max / 3.0].map(VarValue::Float).to_vec(),
                VarType::Enum(names) => (0..names.len() as u32).map(VarValue::Enum).collect(),
                VarType::Bool => [true, false].map(VarValue::Bool).to_vec(),
                _ => Vec::new(),
            });
            for value in values {
                let text = def.kept(&value);
                let read = check(def, &input_of(def.var, &text), false);
                let read =
                    read.unwrap_or_else(|e| panic!("{} = '{text}': {}", def.name, e.message));
                assert_eq!(read.value, value, "{} = '{text}'", def.name);
            }
        }
    }

    #[test]
    fn later_values_rule_and_the_command_line_rules_them() {
        let dir = folder("order");
        let file = KeptFile::of(&dir);
        let mut all = Values::new();
        all.insert("read_only", kept("OFF", 9));
        all.insert("super_read_only", kept("ON", 5));
        all.insert("collation_server", kept("utf8mb4_bin", 3));
        all.insert("character_set_server", kept("utf8mb4", 3));
        file.write(&all).unwrap();
        let mode = std::fs::metadata(dir.join(NAME)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, MODE);
        let start = |given: &[(Var, &str)]| {
            let commanded = given.iter().map(|(var, _)| *var).collect();
            let given = given.iter().map(|(var, text)| (*var, (*text).to_owned())).collect();
            let options = ServeOptions { given, notes: Vec::new(), commanded };
            let vars = GlobalVars::default();
            options.apply(&vars).unwrap();
            load(&dir, &vars, &options).unwrap();
            vars
        };
        let vars = start(&[]);
        assert!(!vars.bool(Var::read_only) && !vars.bool(Var::super_read_only));
        assert_eq!(vars.text(Var::collation_server), "utf8mb4_bin");
        all.insert("super_read_only", kept("ON", 10));
        file.write(&all).unwrap();
        let vars = start(&[]);
        assert!(vars.bool(Var::read_only) && vars.bool(Var::super_read_only));
        let vars = start(&[(Var::read_only, "0"), (Var::character_set_server, "latin1")]);
        assert!(!vars.bool(Var::read_only) && !vars.bool(Var::super_read_only));
        assert_eq!(vars.text(Var::collation_server), "latin1_swedish_ci");
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn a_bad_value_is_named() {
        let dir = folder("bad");
        let mut all = Values::new();
        all.insert("max_connections", kept("many", 1));
        KeptFile::of(&dir).write(&all).unwrap();
        let options = ServeOptions { given: Vec::new(), notes: Vec::new(), commanded: Vec::new() };
        let told = load(&dir, &GlobalVars::default(), &options).unwrap_err();
        for part in ["'max_connections'", "'many'", "--persisted-globals-load=OFF", NAME] {
            assert!(told.contains(part), "{told}");
        }
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn what_is_written_is_read() {
        let dir = std::env::temp_dir().join(format!("weir-persisted-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let file = KeptFile::of(&dir);
        let value = |v: &str| PersistedValue {
            value: v.into(),
            user: "r\"t".into(),
            host: "%".into(),
            micros: 7,
        };
        let mut all = Values::new();
        all.insert("max_connections", value("77"));
        all.insert("innodb_log_files_in_group", value("3"));
        all.insert("sql_mode", value("ANSI_QUOTES"));
        file.write(&all).unwrap();
        assert_eq!(read(&dir.join(NAME)).unwrap(), (all, Vec::new()));
        let vars = GlobalVars::default();
        let commanded = vec![Var::sql_mode];
        let options = ServeOptions { given: Vec::new(), notes: Vec::new(), commanded };
        load(&dir, &vars, &options).unwrap();
        assert_eq!(vars.u64(Var::max_connections), 77);
        assert_eq!(vars.u64(Var::innodb_log_files_in_group), 3);
        assert!(!vars.is_changed(Var::sql_mode), "the command line rules");
        for damaged in [
            "",
            "{",
            "[]x",
            r#"{"mysql_dynamic_variables": 7}"#,
            r#"{"mysql_static_variables": {"port": 7}}"#,
        ] {
            std::fs::write(dir.join(NAME), damaged).unwrap();
            assert!(read(&dir.join(NAME)).is_err(), "{damaged}");
        }
        let strange = r#"{"Version": 2, "mysql_dynamic_variables": {"nothing": {"Value": "1"}, "port": {"Value": "1"}}}"#;
        std::fs::write(dir.join(NAME), strange).unwrap();
        let (values, notes) = read(&dir.join(NAME)).unwrap();
        assert_eq!((values.len(), notes.len()), (0, 2));
        std::fs::write(
            dir.join(NAME),
            r#"{"mysql_dynamic_variables": {"sql_mode": {"Value": "x"}}}"#,
        )
        .unwrap();
        let none = ServeOptions { given: Vec::new(), notes: Vec::new(), commanded: Vec::new() };
        assert!(load(&dir, &vars, &none).is_err());
        std::fs::remove_dir_all(&dir).unwrap();
        assert_eq!(read(&dir.join(NAME)).unwrap(), Default::default());
    }
}
