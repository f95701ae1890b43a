//! Table and schema options: which count, which are kept, which are refused.

use crate::context::refused;
use crate::errno;
use crate::meta::{DECLARED_ENGINE, MYISAM};
use crate::session_api::SqlError;
use crate::value::{Charset, Collation};
use weir_syntax::ast::{DatabaseOption, OptionValue, TableOption};

use super::types::{charset_by_name, collation_by_name, collation_for};
use super::{Env, engines};

/// What a list of table options asks for; `None`: not mentioned.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct OptionChanges {
    /// An engine was named, so that ALTER TABLE copies the table.
    pub engine: bool,
    /// The engine named is another one, in whose place stands ours.
    pub replaced: bool,
    pub collation: Option<Collation>,
    pub auto_increment: Option<u64>,
    pub comment: Option<String>,
    /// Kept options by name; an empty value takes the option away.
    pub kept: Vec<(String, String)>,
}

/// Options that SHOW CREATE TABLE repeats, in its order.
const KEPT: [&str; 12] = [
    "MIN_ROWS",
    "MAX_ROWS",
    "AVG_ROW_LENGTH",
    "PACK_KEYS",
    "STATS_PERSISTENT",
    "STATS_AUTO_RECALC",
    "STATS_SAMPLE_PAGES",
    "CHECKSUM",
    "DELAY_KEY_WRITE",
    "ROW_FORMAT",
    "KEY_BLOCK_SIZE",
    "COMPRESSION",
];
const MAX_TABLE_COMMENT: usize = 2048;

/// Reads a list of options. `base` is the collation that CHARSET and COLLATE start from.
pub fn read(
    table: &str,
    options: &[TableOption],
    base: Collation,
    env: &mut Env<'_>,
) -> Result<OptionChanges, SqlError> {
    let mut found = OptionChanges::default();
    let mut charset = None;
    // What other options mean depends on the engine, wherever it stands.
    for option in options.iter().filter(|o| o.name == "ENGINE") {
        engine(table, &option.value, &mut found, env)?;
    }
    for option in options {
        match option.name {
            "ENGINE" => {}
            "CHARSET" => {
                let c = match word(&option.value) {
                    Some(name) => charset_by_name(&name, env)?,
                    None => base.charset(),
                };
                one_set(&mut charset, c)?;
                // A collation of the same set that came before stays.
                if found.collation.is_none_or(|known| known.charset() != c) {
                    found.collation = Some(env.default_of(c));
                }
            }
            "COLLATE" => {
                let name = word(&option.value).unwrap_or_else(|| base.name().into());
                let collation = collation_for(&name, charset, env)?;
                charset = Some(collation.charset());
                found.collation = Some(collation);
            }
            "AUTO_INCREMENT" => found.auto_increment = Some(int(&option.value)?),
            "COMMENT" => found.comment = Some(table_comment(table, &option.value, env)?),
            _ => other(table, option, &mut found, env)?,
        }
    }
    Ok(found)
}

fn other(
    table: &str,
    option: &TableOption,
    found: &mut OptionChanges,
    env: &mut Env<'_>,
) -> Result<(), SqlError> {
    let value = text(&option.value);
    match option.name {
        "ROW_FORMAT" => {
            let format = row_format(table, &value, found.replaced, env)?;
            keep(found, option.name, if format == "DEFAULT" { String::new() } else { format });
        }
        "PACK_KEYS" | "STATS_PERSISTENT" | "STATS_AUTO_RECALC" => {
            let default = option.value == OptionValue::Default;
            keep(found, option.name, if default { String::new() } else { value });
        }
        "MIN_ROWS" | "MAX_ROWS" | "AVG_ROW_LENGTH" | "KEY_BLOCK_SIZE" | "STATS_SAMPLE_PAGES"
        | "CHECKSUM" | "DELAY_KEY_WRITE" => {
            let unset = option.value == OptionValue::Default || value == "0";
            keep(found, option.name, if unset { String::new() } else { value });
        }
        "COMPRESSION" => {
            if !value.is_empty() && !value.eq_ignore_ascii_case("none") {
                warn_without_effect(option.name, env);
            }
            keep(found, option.name, if value.is_empty() { value } else { format!("'{value}'") });
        }
        "ENCRYPTION" if !value.eq_ignore_ascii_case("n") => {
            return Err(SqlError::not_supported("ENCRYPTION='Y'"));
        }
        "ENCRYPTION" => {}
        "DATA DIRECTORY" | "INDEX DIRECTORY" => {
            env.warnings
                .warn(errno::WARN_OPTION_IGNORED, || format!("<{}> option ignored", option.name));
        }
        "ENGINE_ATTRIBUTE" | "SECONDARY_ENGINE_ATTRIBUTE" => {
            return Err(engine_attribute(option.name));
        }
        "TABLESPACE" if value.eq_ignore_ascii_case("innodb_file_per_table") => {}
        // Those that there always are in MySQL. Dumps name the one of the system tables.
        "TABLESPACE" if ["mysql", "innodb_system"].contains(&&*value.to_ascii_lowercase()) => {
            warn_without_effect(option.name, env);
        }
        "TABLESPACE" => {
            return Err(SqlError::of(errno::ER_TABLESPACE_MISSING_WITH_NAME, &[&value]));
        }
        "SECONDARY_ENGINE" if value.eq_ignore_ascii_case("null") => {}
        "SECONDARY_ENGINE" | "UNION" => {
            return Err(SqlError::not_supported(format!("table option {}", option.name)));
        }
        // Options of other engines; MySQL's own engine takes no notice of them either.
        name => warn_without_effect(name, env),
    }
    Ok(())
}

/// ROW_FORMAT, in capitals.
fn row_format(
    table: &str,
    value: &str,
    replaced: bool,
    env: &mut Env<'_>,
) -> Result<String, SqlError> {
    let format = value.to_ascii_uppercase();
    if format == "FIXED" && replaced {
        env.warnings.warn(errno::ER_ILLEGAL_HA_CREATE_OPTION, || {
            "InnoDB: assuming ROW_FORMAT=DYNAMIC.".into()
        });
        return Ok("DEFAULT".into());
    }
    let known = ["DEFAULT", "DYNAMIC", "COMPACT", "REDUNDANT", "COMPRESSED"];
    if !known.contains(&format.as_str()) {
        return Err(no_such_option(table));
    }
    // The pages are as large as those of other tables.
    if format == "COMPRESSED" {
        warn_without_effect("ROW_FORMAT=COMPRESSED", env);
    }
    Ok(format)
}

/// 3981.
pub fn engine_attribute(name: &str) -> SqlError {
    SqlError::new(
        errno::ER_ENGINE_ATTRIBUTE_NOT_SUPPORTED,
        format!("Storage engine 'InnoDB' does not support {name}."),
    )
}

/// 1478.
pub fn warn_without_effect(name: &'static str, env: &mut Env<'_>) {
    env.warnings.warn(errno::ER_ILLEGAL_HA_CREATE_OPTION, || {
        format!("Table storage engine 'InnoDB' does not support the create option '{name}'")
    });
}

fn no_such_option(table: &str) -> SqlError {
    SqlError::of(errno::ER_ILLEGAL_HA, &[&table])
}

fn keep(found: &mut OptionChanges, name: &str, value: String) {
    found.kept.retain(|(n, _)| n != name);
    found.kept.push((name.into(), value));
}

/// Puts option changes over the options a table has.
pub fn merge(options: &mut Vec<(String, String)>, changes: &[(String, String)]) {
    for (name, value) in changes {
        options.retain(|(n, _)| n != name);
        if !value.is_empty() {
            options.push((name.clone(), value.clone()));
        }
    }
    options.sort_by_key(|(n, _)| KEPT.iter().position(|k| k == n));
}

/// Tables of other engines become our own with warning 1266. An engine that not every MySQL has, and a name that no engine has, are refused
/// (1286) if the user wrote NO_ENGINE_SUBSTITUTION; else the latter has warning 1286 as well. `disabled_storage_engines` refuses any (3161).
fn engine(
    table: &str,
    value: &OptionValue,
    found: &mut OptionChanges,
    env: &mut Env<'_>,
) -> Result<(), SqlError> {
    let name = text(value);
    if engines::is_ours(&name) {
        found.engine = true;
        keep(found, DECLARED_ENGINE, String::new());
        return Ok(());
    }
    engines::check_enabled(&name, env.reads.vars)?;
    let unknown = engines::unknown_engine(&name);
    if env.refuses_engines && !engines::is_everywhere(&name) {
        return Err(unknown);
    }
    let known = engines::is_another(&name);
    if !known {
        env.warnings.warn(unknown.errno, || unknown.message);
    }
    env.warnings.warn(errno::ER_WARN_USING_OTHER_HANDLER, || {
        format!("Using storage engine InnoDB for table '{table}'")
    });
    found.engine |= known;
    found.replaced = true;
    if known {
        let habits = if engines::is_like_myisam(&name) { MYISAM } else { "" };
        keep(found, DECLARED_ENGINE, habits.into());
    }
    Ok(())
}

fn table_comment(table: &str, value: &OptionValue, env: &mut Env<'_>) -> Result<String, SqlError> {
    comment_within(&text(value), MAX_TABLE_COMMENT, 1628, env, || {
        format!("Comment for table '{table}' is too long (max = {MAX_TABLE_COMMENT})")
    })
}

/// A comment of at most `max` characters: an error when strict, else cut with a warning.
pub fn comment_within(
    comment: &str,
    max: usize,
    code: u16,
    env: &mut Env<'_>,
    message: impl FnOnce() -> String,
) -> Result<String, SqlError> {
    // MySQL keeps comments in utf8mb3, which ends with the first plane.
    let first_plane = |c: char| if c > '\u{ffff}' { '?' } else { c };
    let comment: String = comment.chars().map(first_plane).collect();
    if comment.chars().count() <= max {
        return Ok(comment);
    }
    if env.mode.strict() {
        return Err(SqlError::new(code, message()));
    }
    env.warnings.warn(code, message);
    Ok(comment.chars().take(max).collect())
}

fn word(value: &OptionValue) -> Option<String> {
    match value {
        OptionValue::Default => None,
        other => Some(text(other)),
    }
}

fn text(value: &OptionValue) -> String {
    match value {
        OptionValue::Default => "DEFAULT".into(),
        OptionValue::Int(n) => n.to_string(),
        OptionValue::Str(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        OptionValue::Word(w) => w.as_str().into(),
        OptionValue::Tables(_) => String::new(),
    }
}

fn int(value: &OptionValue) -> Result<u64, SqlError> {
    match value {
        OptionValue::Int(n) => Ok(*n),
        other => Err(SqlError::parse(&text(other), 1)),
    }
}

/// 1302 for a set beside another one, which COLLATE may have named.
fn one_set(known: &mut Option<Charset>, c: Charset) -> Result<(), SqlError> {
    if let Some(other) = known.filter(|k| *k != c) {
        let (one, two) = (other.name(), c.name());
        let text =
            format!("Conflicting declarations: 'CHARACTER SET {one}' and 'CHARACTER SET {two}'");
        return Err(SqlError::new(errno::ER_CONFLICTING_DECLARATIONS, text));
    }
    *known = Some(c);
    Ok(())
}

/// The collation that the options of a schema ask for.
pub fn schema_collation(
    options: &[DatabaseOption],
    base: Collation,
    env: &mut Env<'_>,
) -> Result<Collation, SqlError> {
    let mut charset = None;
    let mut collation = base;
    let mut collated = false;
    for option in options {
        match option {
            DatabaseOption::Charset(name) => {
                let c = charset_by_name(name, env)?;
                one_set(&mut charset, c)?;
                // A collation of the same set that came before stays.
                if !collated {
                    collation = env.default_of(c);
                }
            }
            DatabaseOption::Collate(name) => {
                collation = match charset {
                    Some(_) => collation_for(name, charset, env)?,
                    None => collation_by_name(name, env)?,
                };
                charset = Some(collation.charset());
                collated = true;
            }
            DatabaseOption::Encryption(value) if value.eq_ignore_ascii_case(b"n") => {}
            DatabaseOption::Encryption(_) => {
                return Err(SqlError::not_supported("ENCRYPTION='Y'"));
            }
            DatabaseOption::ReadOnly(false) => {}
            DatabaseOption::ReadOnly(true) => {
                return Err(refused(
                    "This version of MySQL doesn't yet support 'READ ONLY schemas'",
                ));
            }
        }
    }
    Ok(collation)
}
