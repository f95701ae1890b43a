//! What the source has: databases, tables, columns, views and programs.

use super::{Done, literal, name, rows};
use crate::source::Source;

/// The servers' own.
const OWN: [&str; 4] = ["information_schema", "performance_schema", "mysql", "sys"];

pub fn databases(s: &mut Source, wanted: &[String]) -> Done<Vec<String>> {
    let all = rows(s, "SELECT schema_name FROM information_schema.schemata ORDER BY schema_name")?;
    let all: Vec<String> = all.into_iter().map(|r| r[0].clone()).collect();
    if let Some(missing) = wanted.iter().find(|w| !all.contains(w)) {
        return Err(format!("the source has no database '{missing}'"));
    }
    let of_user = |d: &String| !OWN.iter().any(|own| own.eq_ignore_ascii_case(d));
    Ok(all
        .into_iter()
        .filter(|d| of_user(d) && (wanted.is_empty() || wanted.contains(d)))
        .collect())
}

#[derive(Clone, Debug)]
pub struct Table {
    pub database: String,
    pub table: String,
    /// By the server's own estimate.
    pub rows: u64,
}

impl Table {
    pub fn full(&self) -> String {
        format!("{}.{}", name(&self.database), name(&self.table))
    }
}

pub fn tables(s: &mut Source, database: &str) -> Done<Vec<Table>> {
    let sql = format!(
        "SELECT table_name, COALESCE(table_rows, 0) FROM information_schema.tables WHERE table_schema = {} AND table_type = 'BASE TABLE' ORDER BY table_name",
        literal(database)
    );
    let table = |r: Vec<String>| Table {
        database: database.to_owned(),
        table: r[0].clone(),
        rows: r[1].parse().unwrap_or(0),
    };
    Ok(rows(s, &sql)?.into_iter().map(table).collect())
}

/// How a column is read as text from which the same value comes back.
pub struct Column {
    pub name: String,
    pub read: String,
    pub form: Form,
}

/// What a value's text is, and so how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Text,
    Hex,
    /// Digits: in quotes they would be the bytes of a BIT.
    Number,
}

const BINARY: [&str; 15] = [
    "binary",
    "varbinary",
    "tinyblob",
    "blob",
    "mediumblob",
    "longblob",
    "geometry",
    "point",
    "linestring",
    "polygon",
    "multipoint",
    "multilinestring",
    "multipolygon",
    "geometrycollection",
    "geomcollection",
];

/// The columns that have values of their own: generated ones are worked out at the target.
pub fn columns(s: &mut Source, t: &Table) -> Done<Vec<Column>> {
    let sql = format!(
        "SELECT column_name, LOWER(data_type) FROM information_schema.columns WHERE table_schema = {} AND table_name = {} AND extra NOT LIKE '%GENERATED' ORDER BY ordinal_position",
        literal(&t.database),
        literal(&t.table)
    );
    let column = |r: Vec<String>| {
        let (quoted, kind) = (name(&r[0]), r[1].as_str());
        let (read, form) = match kind {
            _ if BINARY.contains(&kind) => (format!("HEX({quoted})"), Form::Hex),
            "bit" => (format!("{quoted} + 0"), Form::Number),
            // A FLOAT as text has six digits, and as a double all that it needs.
            "float" => (format!("{quoted} + 0E0"), Form::Text),
            _ => (quoted, Form::Text),
        };
        Column { name: r[0].clone(), read, form }
    };
    Ok(rows(s, &sql)?.into_iter().map(column).collect())
}

/// A view, trigger, routine or event.
#[derive(Clone, Debug)]
pub struct Object {
    pub database: String,
    pub kind: &'static str,
    pub name: String,
    pub definition: String,
    pub sql_mode: String,
}

/// Kind, the query for names, and the columns of SHOW CREATE that have the text and the mode.
const KINDS: [(&str, &str, usize, Option<usize>); 5] = [
    (
        "FUNCTION",
        "SELECT routine_name FROM information_schema.routines WHERE routine_type = 'FUNCTION' AND routine_schema = ",
        2,
        Some(1),
    ),
    (
        "PROCEDURE",
        "SELECT routine_name FROM information_schema.routines WHERE routine_type = 'PROCEDURE' AND routine_schema = ",
        2,
        Some(1),
    ),
    ("VIEW", "SELECT table_name FROM information_schema.views WHERE table_schema = ", 1, None),
    (
        "TRIGGER",
        "SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = ",
        2,
        Some(1),
    ),
    ("EVENT", "SELECT event_name FROM information_schema.events WHERE event_schema = ", 3, Some(1)),
];

pub fn objects(s: &mut Source, database: &str) -> Done<Vec<Object>> {
    let mut all = Vec::new();
    for (kind, query, text, mode) in KINDS {
        for row in rows(s, &format!("{query}{}", literal(database)))? {
            let full = format!("{}.{}", name(database), name(&row[0]));
            let shown = rows(s, &format!("SHOW CREATE {kind} {full}"))?;
            let Some(shown) = shown.first() else { continue };
            all.push(Object {
                database: database.to_owned(),
                kind,
                name: row[0].clone(),
                definition: shown.get(text).cloned().unwrap_or_default(),
                sql_mode: mode.and_then(|m| shown.get(m)).cloned().unwrap_or_default(),
            });
        }
    }
    Ok(all)
}

/// The text that makes a table.
pub fn create_table(s: &mut Source, t: &Table) -> Done<String> {
    let shown = rows(s, &format!("SHOW CREATE TABLE {}", t.full()))?;
    Ok(shown.into_iter().next().and_then(|r| r.into_iter().nth(1)).unwrap_or_default())
}

/// Views may name views that come behind them: what fails is tried again as long as anything succeeds. What is left, with its error.
pub fn make_all(
    to: &mut Source,
    mut objects: Vec<Object>,
    scratch: Option<&str>,
) -> Done<Vec<(Object, String)>> {
    loop {
        let before = objects.len();
        let mut left = Vec::new();
        for o in objects {
            match make(to, &o, scratch) {
                Ok(()) => {}
                Err(why) => left.push((o, why)),
            }
        }
        if left.is_empty() || left.len() == before {
            return Ok(left);
        }
        objects = left.into_iter().map(|(o, _)| o).collect();
    }
}

fn make(to: &mut Source, o: &Object, scratch: Option<&str>) -> Done<()> {
    let database = scratch.unwrap_or(&o.database);
    let mut text = o.definition.clone();
    if scratch.is_some() {
        // Texts of views name their databases.
        text = text.replace(&format!("{}.", name(&o.database)), &format!("{}.", name(database)));
    }
    let mut ask = |sql: &str| to.query(sql).map(drop).map_err(|e| e.to_string());
    ask(&format!("USE {}", name(database)))?;
    ask(&format!("SET sql_mode = {}", literal(&o.sql_mode)))?;
    let done = ask(&text);
    ask("SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO'")?;
    done
}
