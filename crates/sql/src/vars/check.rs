//! From what a user wrote to a checked value, with MySQL's errors and warnings.

use super::{Scope, Var, VarDef, VarType, VarValue, sql_mode, switches};
use crate::errno;
use crate::session_api::SqlError;
use crate::value::{TimeZone, old_sets};
use std::fmt::Display;
use weir_engine::row::{Charset, Collation};

/// The right side of SET, or the text of an option.
#[derive(Clone, Debug, PartialEq)]
pub enum SetInput<'a> {
    Null,
    Int(i64),
    UInt(u64),
    /// Also decimals.
    Float(f64),
    /// A string or a bare word (`SET sql_mode = ansi`).
    Str(&'a str),
}

impl SetInput<'_> {
    fn text(&self) -> String {
        match self {
            SetInput::Null => "NULL".to_owned(),
            SetInput::Int(v) => v.to_string(),
            SetInput::UInt(v) => v.to_string(),
            SetInput::Float(v) => v.to_string(),
            SetInput::Str(v) => (*v).to_owned(),
        }
    }
}

/// A warning for SHOW WARNINGS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarWarning {
    pub errno: u16,
    pub message: String,
}

/// An accepted value.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    pub value: VarValue,
    pub warning: Option<VarWarning>,
}

/// Checks `input` for the variable. `strict_all`: STRICT_ALL_TABLES makes a number out of range an
/// error instead of a clamp with a warning, as in MySQL.
pub fn check(def: &VarDef, input: &SetInput<'_>, strict_all: bool) -> Result<Checked, SqlError> {
    let (value, mut warning) = match def.ty {
        VarType::Bool => (VarValue::Bool(check_bool(def, input)?), None),
        VarType::Int { min, max } => {
            let wanted = whole(def, input)?;
            let v = wanted.clamp(i128::from(min), i128::from(max));
            (VarValue::Int(v as i64), clamped(def, wanted, v, strict_all)?)
        }
        VarType::UInt { min, max } => unsigned(def, input, (min, max, 1), strict_all)?,
        VarType::UIntOrAuto { min, max } => match input {
            SetInput::Str(word) if word.eq_ignore_ascii_case("auto") => (VarValue::UInt(0), None),
            _ => unsigned(def, input, (min, max, 1), strict_all)?,
        },
        VarType::Size { min, max, step } => unsigned(def, input, (min, max, step), strict_all)?,
        VarType::Float { min, max } => check_float(def, input, (min, max), strict_all)?,
        VarType::Enum(names) => (VarValue::Enum(check_enum(def, input, names)?), None),
        VarType::Set(names) => (VarValue::Set(check_set(def, input, names)?), None),
        VarType::Str if is_stopword_table(def.var) && !input.text().is_empty() => {
            return Err(SqlError::not_supported("stopword tables"));
        }
        VarType::Str if def.var == Var::optimizer_switch => {
            check_switches(def, input, switches::DEFAULT)?
        }
        VarType::Str => (check_str(def, input)?, None),
        VarType::Charset { nullable } => with_age(check_charset(def, input, nullable)?, |name| {
            old_sets::of_charset(Charset::by_name(name)?, name)
        }),
        VarType::Collation if def.var == Var::default_collation_for_utf8mb4 => {
            check_utf8mb4_default(def, input)?
        }
        VarType::Collation => with_age(check_collation(def, input)?, |name| {
            old_sets::of_collation(Collation::by_name(name)?)
        }),
        VarType::TimeZone => (check_time_zone(def, input)?, None),
    };
    if let (Var::sql_mode, VarValue::Set(bits)) = (def.var, &value) {
        warning = sql_mode::incomplete(*bits)
            .map(|(errno, message)| VarWarning { errno, message: message.into() });
    }
    if let Some(note) = def.note
        && warning.is_none()
        && value != def.default.value()
    {
        let message = format!("'{}' has no effect here: {note}", def.name);
        warning = Some(VarWarning { errno: errno::ER_NOT_SUPPORTED_YET, message });
    }
    Ok(Checked { value, warning })
}

/// A character set or collation, with the warning of one that is about to go.
fn with_age(
    value: VarValue,
    old: impl FnOnce(&str) -> Option<(u16, String)>,
) -> (VarValue, Option<VarWarning>) {
    let warning = match &value {
        VarValue::Str(name) => old(name),
        _ => None,
    };
    (value, warning.map(|(errno, message)| VarWarning { errno, message }))
}

/// MATCH leaves out the words of the built-in list: a table of others is refused rather than forgotten.
fn is_stopword_table(var: Var) -> bool {
    matches!(var, Var::innodb_ft_server_stopword_table | Var::innodb_ft_user_stopword_table)
}

/// 1231.
fn wrong_value(def: &VarDef, value: impl Display) -> SqlError {
    SqlError::of(errno::ER_WRONG_VALUE_FOR_VAR, &[&def.name, &value])
}

/// 1232.
fn wrong_type(def: &VarDef) -> SqlError {
    SqlError::of(errno::ER_WRONG_TYPE_FOR_VAR, &[&def.name])
}

fn check_bool(def: &VarDef, input: &SetInput<'_>) -> Result<bool, SqlError> {
    match input {
        SetInput::Int(0) | SetInput::UInt(0) => Ok(false),
        SetInput::Int(1) | SetInput::UInt(1) => Ok(true),
        SetInput::Float(_) => Err(wrong_type(def)),
        SetInput::Str(word) => match word.to_ascii_lowercase().as_str() {
            "on" | "true" | "1" => Ok(true),
            "off" | "false" | "0" => Ok(false),
            _ => Err(wrong_value(def, word)),
        },
        other => Err(wrong_value(def, other.text())),
    }
}

fn whole(def: &VarDef, input: &SetInput<'_>) -> Result<i128, SqlError> {
    match input {
        SetInput::Int(v) => Ok(i128::from(*v)),
        SetInput::UInt(v) => Ok(i128::from(*v)),
        SetInput::Null | SetInput::Float(_) | SetInput::Str(_) => Err(wrong_type(def)),
    }
}

fn clamped(
    def: &VarDef,
    wanted: i128,
    got: i128,
    strict_all: bool,
) -> Result<Option<VarWarning>, SqlError> {
    if wanted == got { Ok(None) } else { truncated(def, wanted, strict_all).map(Some) }
}

fn truncated(def: &VarDef, wanted: impl Display, strict_all: bool) -> Result<VarWarning, SqlError> {
    if strict_all {
        return Err(wrong_value(def, wanted));
    }
    Ok(VarWarning {
        errno: errno::ER_TRUNCATED_WRONG_VALUE,
        message: format!("Truncated incorrect {} value: '{wanted}'", def.name),
    })
}

fn unsigned(
    def: &VarDef,
    input: &SetInput<'_>,
    (min, max, step): (u64, u64, u64),
    strict_all: bool,
) -> Result<(VarValue, Option<VarWarning>), SqlError> {
    let wanted = whole(def, input)?;
    let v = wanted.clamp(i128::from(min), i128::from(max)) as u64;
    let v = (v - v % step).max(min);
    Ok((VarValue::UInt(v), clamped(def, wanted, i128::from(v), strict_all)?))
}

fn check_float(
    def: &VarDef,
    input: &SetInput<'_>,
    (min, max): (f64, f64),
    strict_all: bool,
) -> Result<(VarValue, Option<VarWarning>), SqlError> {
    let wanted = match input {
        SetInput::Int(v) => *v as f64,
        SetInput::UInt(v) => *v as f64,
        SetInput::Float(v) if !v.is_nan() => *v,
        _ => return Err(wrong_type(def)),
    };
    let v = wanted.clamp(min, max);
    let warning = if v == wanted { None } else { Some(truncated(def, wanted, strict_all)?) };
    Ok((VarValue::Float(v), warning))
}

fn check_enum(def: &VarDef, input: &SetInput<'_>, names: &[&str]) -> Result<u32, SqlError> {
    let found = match input {
        SetInput::Str(word) => {
            let word = if def.ty.is_switch(def.var) { switched(word) } else { word };
            names.iter().position(|n| n.eq_ignore_ascii_case(word))
        }
        SetInput::Int(v) => usize::try_from(*v).ok().filter(|i| *i < names.len()),
        SetInput::UInt(v) => usize::try_from(*v).ok().filter(|i| *i < names.len()),
        SetInput::Float(_) => return Err(wrong_type(def)),
        SetInput::Null => None,
    };
    found.map(|i| i as u32).ok_or_else(|| match (def.var, input) {
        (Var::lc_time_names | Var::lc_messages, SetInput::Str(name)) => {
            SqlError::of(errno::ER_UNKNOWN_LOCALE, &[&name])
        }
        _ => wrong_value(def, input.text()),
    })
}

/// The words of a switch for the first two of names that came later.
fn switched(word: &str) -> &str {
    match word.to_ascii_lowercase().as_str() {
        "off" | "false" => "none",
        "on" | "true" => "reflex",
        _ => word,
    }
}

fn check_set(def: &VarDef, input: &SetInput<'_>, names: &[&str]) -> Result<u64, SqlError> {
    let known = names.iter().enumerate().filter(|(_, n)| !n.is_empty());
    let known = known.fold(0u64, |bits, (i, _)| bits | (1 << i));
    let bits = match input {
        SetInput::Str(list) => {
            let mut bits = 0;
            for word in list.split(',').map(str::trim).filter(|w| !w.is_empty()) {
                let at = names.iter().position(|n| n.eq_ignore_ascii_case(word));
                bits |= 1 << at.ok_or_else(|| wrong_value(def, word))?;
            }
            bits
        }
        SetInput::Int(v) if *v >= 0 && *v as u64 & !known == 0 => *v as u64,
        SetInput::UInt(v) if v & !known == 0 => *v,
        SetInput::Float(_) => return Err(wrong_type(def)),
        other => return Err(wrong_value(def, other.text())),
    };
    Ok(if def.var == Var::sql_mode { sql_mode::expand(bits) } else { bits })
}

/// The flags of `optimizer_switch` over those of `before`.
fn check_switches(
    def: &VarDef,
    input: &SetInput<'_>,
    before: &str,
) -> Result<(VarValue, Option<VarWarning>), SqlError> {
    let all = switches::set(before, input).ok_or_else(|| wrong_type(def))?;
    let all = all.map_err(|part| wrong_value(def, part))?;
    let warning = switches::without_effect(&all).map(|flag| VarWarning {
        errno: errno::ER_NOT_SUPPORTED_YET,
        message: format!(
            "'{flag}' of '{}' has no effect here: the planner has no such choice",
            def.name
        ),
    });
    Ok((VarValue::Str(all.into()), warning))
}

/// As [`check`] for a variable of which a SET names a part: the rest is what it was.
pub fn check_over(
    def: &VarDef,
    input: &SetInput<'_>,
    before: &VarValue,
    strict_all: bool,
) -> Result<Checked, SqlError> {
    match (def.var, before) {
        (Var::optimizer_switch, VarValue::Str(before)) => {
            let (value, warning) = check_switches(def, input, before)?;
            Ok(Checked { value, warning })
        }
        _ => check(def, input, strict_all),
    }
}

fn check_str(def: &VarDef, input: &SetInput<'_>) -> Result<VarValue, SqlError> {
    match input {
        SetInput::Str(text) if !allows_text(def.var, text) => Err(wrong_value(def, text)),
        SetInput::Str(text) => Ok(VarValue::Str((*text).into())),
        SetInput::Null if def.scope != Scope::Global => Ok(VarValue::Null),
        SetInput::Null => Err(wrong_value(def, "NULL")),
        _ => Err(wrong_type(def)),
    }
}

/// Whether a text has the form that its variable needs.
fn allows_text(var: Var, text: &str) -> bool {
    match var {
        Var::protocol_compression_algorithms => {
            let known = ["zlib", "zstd", "uncompressed"];
            text.split(',').all(|name| known.iter().any(|k| name.eq_ignore_ascii_case(k)))
        }
        Var::socket_mode => octal_mode(text).is_some(),
        // There would be no engine left.
        Var::disabled_storage_engines => {
            let ours = ["innodb", "weir"];
            !text.split(',').any(|name| ours.iter().any(|o| name.trim().eq_ignore_ascii_case(o)))
        }
        _ => true,
    }
}

/// The permissions of a file, written in octal digits as chmod takes them.
pub fn octal_mode(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    u32::from_str_radix(text, 8).ok().filter(|mode| digits && *mode <= 0o777)
}

fn check_charset(def: &VarDef, input: &SetInput<'_>, nullable: bool) -> Result<VarValue, SqlError> {
    let unknown = |name: &str| SqlError::of(errno::ER_UNKNOWN_CHARACTER_SET, &[&name]);
    match input {
        SetInput::Null if nullable => Ok(VarValue::Null),
        SetInput::Str("") if nullable => Ok(VarValue::Null),
        SetInput::Null => Err(wrong_value(def, "NULL")),
        SetInput::Str(name) => {
            let charset = Charset::by_name(name).ok_or_else(|| unknown(name))?;
            for_clients(def, charset)
        }
        // MySQL takes a collation id here.
        SetInput::Int(_) | SetInput::UInt(_) => {
            let id = u16::try_from(whole(def, input)?).ok();
            let collation = id.and_then(Collation::by_id).ok_or_else(|| unknown(&input.text()))?;
            for_clients(def, collation.charset())
        }
        SetInput::Float(_) => Err(wrong_type(def)),
    }
}

/// 1231 for a set in which a client cannot write statements: one whose backslash is a letter, or whose characters
/// have two bytes and more.
fn for_clients(def: &VarDef, charset: Charset) -> Result<VarValue, SqlError> {
    match def.var {
        Var::character_set_client if !charset.is_for_clients() => {
            Err(wrong_value(def, charset.name()))
        }
        _ => Ok(VarValue::Str(charset.name().into())),
    }
}

fn check_collation(def: &VarDef, input: &SetInput<'_>) -> Result<VarValue, SqlError> {
    let found = match input {
        SetInput::Null => return Err(wrong_value(def, "NULL")),
        SetInput::Float(_) => return Err(wrong_type(def)),
        SetInput::Str(name) => Collation::by_name(name),
        SetInput::Int(_) | SetInput::UInt(_) => {
            u16::try_from(whole(def, input)?).ok().and_then(Collation::by_id)
        }
    };
    let found = found.ok_or_else(|| SqlError::of(errno::ER_UNKNOWN_COLLATION, &[&input.text()]))?;
    Ok(VarValue::Str(found.name().into()))
}

/// 3721 for all but two collations, and a warning for a change, as in MySQL.
fn check_utf8mb4_default(
    def: &VarDef,
    input: &SetInput<'_>,
) -> Result<(VarValue, Option<VarWarning>), SqlError> {
    let value = check_collation(def, input)?;
    match &value {
        VarValue::Str(name) if !matches!(&**name, "utf8mb4_0900_ai_ci" | "utf8mb4_general_ci") => {
            Err(SqlError::of(errno::ER_INVALID_DEFAULT_UTF8MB4_COLLATION, &[&name]))
        }
        _ if value == def.default.value() => Ok((value, None)),
        _ => {
            let message = format!(
                "Updating '{}' is deprecated. It will be made read-only in a future release.",
                def.name
            );
            Ok((
                value,
                Some(VarWarning {
                    errno: errno::ER_WARN_DEPRECATED_SYNTAX_NO_REPLACEMENT,
                    message,
                }),
            ))
        }
    }
}

/// `SYSTEM`, an offset from -13:59 to +14:00, or a zone's name, which is kept as it was given.
fn check_time_zone(def: &VarDef, input: &SetInput<'_>) -> Result<VarValue, SqlError> {
    match input {
        SetInput::Str(zone) if zone.eq_ignore_ascii_case("SYSTEM") => {
            Ok(VarValue::Str("SYSTEM".into()))
        }
        SetInput::Str(zone) if zone.eq_ignore_ascii_case("UTC") => Ok(VarValue::Str("UTC".into())),
        SetInput::Str(zone) if TimeZone::parse(zone).is_ok() => Ok(VarValue::Str((*zone).into())),
        SetInput::Str(_) | SetInput::Null => {
            Err(SqlError::of(errno::ER_UNKNOWN_TIME_ZONE, &[&input.text()]))
        }
        _ => Err(wrong_type(def)),
    }
}

/// `2G` and the like, as options write sizes and numbers.
pub fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let shift = match text.as_bytes().last()?.to_ascii_uppercase() {
        b'K' => 10,
        b'M' => 20,
        b'G' => 30,
        b'T' => 40,
        b'P' => 50,
        b'E' => 60,
        _ => 0,
    };
    let digits = if shift == 0 { text } else { &text[..text.len() - 1] };
    let number: u64 = digits.parse().ok()?;
    number.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(var: Var, input: SetInput<'_>) -> Result<Checked, SqlError> {
        check(var.def(), &input, false)
    }

    fn error(var: Var, input: SetInput<'_>) -> String {
        set(var, input).expect_err("it must be refused").to_string()
    }

    #[test]
    fn errors_have_mysqls_numbers_and_words() {
        assert_eq!(
            error(Var::autocommit, SetInput::Int(2)),
            "ERROR 1231 (42000): Variable 'autocommit' can't be set to the value of '2'"
        );
        assert_eq!(
            error(Var::max_connections, SetInput::Str("a")),
            "ERROR 1232 (42000): Incorrect argument type to variable 'max_connections'"
        );
        assert_eq!(
            error(Var::sql_mode, SetInput::Str("ANSI,NOPE")),
            "ERROR 1231 (42000): Variable 'sql_mode' can't be set to the value of 'NOPE'"
        );
        assert_eq!(
            error(Var::character_set_client, SetInput::Str("klingon")),
            "ERROR 1115 (42000): Unknown character set: 'klingon'"
        );
        assert_eq!(
            error(Var::time_zone, SetInput::Str("+15:00")),
            "ERROR 1298 (HY000): Unknown or incorrect time zone: '+15:00'"
        );
    }

    #[test]
    fn numbers_out_of_range_are_clamped_with_a_warning() {
        let checked = set(Var::max_connections, SetInput::Int(-5)).unwrap();
        assert_eq!(checked.value, VarValue::UInt(1));
        let warning = checked.warning.unwrap();
        assert_eq!(warning.errno, 1292);
        assert_eq!(warning.message, "Truncated incorrect max_connections value: '-5'");
        assert!(check(Var::max_connections.def(), &SetInput::Int(-5), true).is_err());
    }

    #[test]
    fn sizes_round_to_their_step() {
        let checked = set(Var::max_allowed_packet, SetInput::Int(1_000_001)).unwrap();
        assert_eq!(checked.value, VarValue::UInt(1_000_001 - 1_000_001 % 1024));
        assert_eq!(parse_size("2G"), Some(2 << 30));
        assert_eq!(parse_size("16k"), Some(16384));
        assert_eq!(parse_size("99999999999999999999"), None);
        assert_eq!(parse_size("G"), None);
    }

    #[test]
    fn modes_combine_and_charsets_normalise() {
        let checked = set(Var::sql_mode, SetInput::Str("ansi")).unwrap();
        assert_eq!(checked.warning, None);
        let text = Var::sql_mode.def().show(&checked.value).into_owned();
        assert_eq!(
            text,
            "REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,ONLY_FULL_GROUP_BY,ANSI"
        );
        let checked = set(Var::character_set_client, SetInput::Str("UTF8")).unwrap();
        assert_eq!(checked.value, VarValue::Str("utf8mb3".into()));
        let checked = set(Var::character_set_results, SetInput::Null).unwrap();
        assert_eq!(checked.value, VarValue::Null);
    }

    #[test]
    fn permissions_are_octal() {
        assert_eq!(octal_mode("0777"), Some(0o777));
        assert_eq!(octal_mode("660"), Some(0o660));
        for wrong in ["", "8", "+7", "rwx", "1777", "0x1ff"] {
            assert_eq!(octal_mode(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_option_without_effect_says_so() {
        let warning = set(Var::bulk_insert_buffer_size, SetInput::Int(0)).unwrap().warning.unwrap();
        assert!(warning.message.contains("has no effect here"), "{}", warning.message);
        assert_eq!(set(Var::foreign_key_checks, SetInput::Int(0)).unwrap().warning, None);
    }
}
