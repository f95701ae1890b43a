//! Values of options: texts as their variables take them, and texts of other servers' option files put into that form.

use weir_sql::ddl::engines;
use weir_sql::vars::{SetInput, Settable, Var, VarType, check, parse_size, switches};

pub(super) fn is_number(var: Var) -> bool {
    use VarType::*;
    matches!(
        var.def().ty,
        Size { .. } | UInt { .. } | UIntOrAuto { .. } | Int { .. } | Float { .. }
    )
}

/// `20 or 80`, as published configurations write what they ran with: the first number counts.
pub(super) fn first_of<'v>(
    var: Var,
    value: &'v str,
    place: &str,
    notes: &mut Vec<String>,
) -> &'v str {
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

/// Words that switch an option off.
pub(super) fn is_off(value: &str) -> bool {
    matches!(
        value.to_ascii_lowercase().as_str(),
        "0" | "off" | "false" | "no" | "none" | "disabled" | ""
    )
}

fn is_on(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "1" | "on" | "true" | "yes")
}

/// Whether a value is the variable's default: that it has no effect is no news then.
pub(super) fn is_default(var: Var, value: &str) -> bool {
    let def = var.def();
    check(def, &input_of(var, value), false).is_ok_and(|c| c.value == def.default.value())
}

/// What another server's value becomes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Adapted {
    /// The variable takes it as it is, or refuses it.
    AsItIs,
    /// -1 where that asks the server to choose: the default.
    Default,
    /// The value that the variable has for it, and why.
    Other(String, String),
}

/// Where -1 asks for a size that the server chooses, and a number would be clamped to the least.
const CHOSEN_BY_THE_SERVER: &[Var] =
    &[Var::performance_schema_digests_size, Var::innodb_open_files];

/// Modes of MySQL 5.7 and MariaDB that ask for what is always so here, or for how SHOW CREATE TABLE writes.
const MODES_WITHOUT_EFFECT: &[&str] = &[
    "NO_AUTO_CREATE_USER",
    "NO_FIELD_OPTIONS",
    "NO_KEY_OPTIONS",
    "NO_TABLE_OPTIONS",
    "IGNORE_BAD_TABLE_OPTIONS",
    "TIME_ROUND_FRACTIONAL",
];

/// Values that MySQL 5.7 to 9 and MariaDB take, as this server's variables take them.
pub(super) fn adapted(var: Var, value: &str) -> Adapted {
    match var {
        _ if value.trim() == "-1" && CHOSEN_BY_THE_SERVER.contains(&var) => Adapted::Default,
        Var::sql_mode => without(
            value,
            |mode| !MODES_WITHOUT_EFFECT.iter().any(|m| m.eq_ignore_ascii_case(mode)),
            "MySQL 8.0 has no such mode",
        ),
        Var::optimizer_switch => {
            let known = |flag: &str| {
                let name = flag.split('=').next().unwrap_or_default().trim();
                name.eq_ignore_ascii_case("default")
                    || switches::DEFAULT.split(',').any(|f| f.split('=').next() == Some(name))
            };
            without(value, known, "the planner has no such flag")
        }
        Var::log_output => {
            match without(value, |t| !t.eq_ignore_ascii_case("TABLE"), "logs are written to files")
            {
                Adapted::Other(left, why) if left.is_empty() => Adapted::Other("FILE".into(), why),
                other => other,
            }
        }
        Var::default_storage_engine | Var::default_tmp_storage_engine
            if engines::is_another(value) =>
        {
            Adapted::Other("InnoDB".into(), "tables of all engines are InnoDB's here".into())
        }
        Var::innodb_flush_method => flush_method(value),
        Var::binlog_format
            if ["STATEMENT", "MIXED"].iter().any(|f| f.eq_ignore_ascii_case(value)) =>
        {
            Adapted::Other("ROW".into(), "changes are logged as rows".into())
        }
        Var::tls_version => {
            let safe = |v: &str| {
                !["TLSv1", "TLSv1.0", "TLSv1.1", "SSLv3"].iter().any(|o| o.eq_ignore_ascii_case(v))
            };
            match without(value, safe, "such connections are not safe") {
                // Nothing would be left of what asks for protection: the value is refused as it is.
                Adapted::Other(left, _) if left.is_empty() => Adapted::AsItIs,
                other => other,
            }
        }
        _ => Adapted::AsItIs,
    }
}

fn flush_method(value: &str) -> Adapted {
    let (method, why) = match value.to_ascii_lowercase().as_str() {
        "fdatasync" | "normal" => ("fsync", "it is the older name of this method"),
        "nosync" | "littlesync" => ("fsync", "files are always synced"),
        "all_o_direct" | "o_all_direct" | "unbuffered" | "async_unbuffered" => {
            ("O_DIRECT", "the log is written through the system's cache")
        }
        _ => return Adapted::AsItIs,
    };
    Adapted::Other(method.into(), why.into())
}

/// A list without the words that mean nothing here.
fn without(list: &str, keep: impl Fn(&str) -> bool, why: &str) -> Adapted {
    let words = || list.split(',').map(str::trim);
    let gone: Vec<&str> = words().filter(|w| !w.is_empty() && !keep(w)).collect();
    match gone.is_empty() {
        true => Adapted::AsItIs,
        false => {
            let left: Vec<&str> = words().filter(|w| keep(w)).collect();
            Adapted::Other(left.join(","), format!("{} is left out, since {why}", gone.join(",")))
        }
    }
}

/// Facts that decide what statements mean or what is protected: another value must not pass with a warning.
const FIRM: &[Var] = &[Var::lower_case_table_names, Var::innodb_read_only];

/// An option that names a fact about this server: nothing to say where it is so, otherwise why it has no effect.
pub(super) fn of_fact(var: Var, value: &str) -> Result<Option<String>, String> {
    let def = var.def();
    debug_assert_eq!(def.settable, Settable::Never);
    let fact = def.default.value();
    let shown = def.show(&fact);
    let is_so = match def.ty {
        VarType::Bool if is_on(&shown) => is_on(value),
        VarType::Bool => is_off(value),
        _ => shown.eq_ignore_ascii_case(value),
    };
    match is_so {
        true => Ok(None),
        false if FIRM.contains(&var) => Err(def.doc.into()),
        false => {
            let why = def.doc.trim_start_matches("Empty: ").trim_end_matches('.');
            Ok(Some(why.into()))
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn other(var: Var, value: &str) -> Option<String> {
        match adapted(var, value) {
            Adapted::Other(v, _) => Some(v),
            Adapted::Default => Some("default".into()),
            Adapted::AsItIs => None,
        }
    }

    #[test]
    fn values_of_other_servers() {
        for (var, value, becomes) in [
            (Var::sql_mode, "NO_AUTO_CREATE_USER,STRICT_TRANS_TABLES", Some("STRICT_TRANS_TABLES")),
            (Var::sql_mode, "STRICT_TRANS_TABLES,ORACLE", None),
            (Var::sql_mode, "", None),
            (
                Var::optimizer_switch,
                "mrr=on,rowid_filter=on,hash_join=off",
                Some("mrr=on,hash_join=off"),
            ),
            (Var::optimizer_switch, "default", None),
            (Var::log_output, "TABLE", Some("FILE")),
            (Var::log_output, "FILE,TABLE", Some("FILE")),
            (Var::default_storage_engine, "MyISAM", Some("InnoDB")),
            (Var::default_storage_engine, "Nonsense", None),
            (Var::innodb_flush_method, "nosync", Some("fsync")),
            (Var::innodb_flush_method, "O_DIRECT", None),
            (Var::tls_version, "TLSv1,TLSv1.1,TLSv1.2", Some("TLSv1.2")),
            (Var::performance_schema_digests_size, "-1", Some("default")),
            (Var::max_connections, "-1", None),
        ] {
            assert_eq!(other(var, value).as_deref(), becomes, "{} = {value}", var.name());
        }
    }

    #[test]
    fn facts() {
        assert_eq!(of_fact(Var::skip_name_resolve, "1"), Ok(None));
        assert_eq!(of_fact(Var::lower_case_table_names, "0"), Ok(None));
        assert!(of_fact(Var::lower_case_table_names, "1").is_err());
        assert!(of_fact(Var::innodb_read_only, "ON").is_err());
        assert_eq!(of_fact(Var::large_pages, "OFF"), Ok(None));
        assert!(matches!(of_fact(Var::tmpdir, "/tmp"), Ok(Some(_))));
    }
}
