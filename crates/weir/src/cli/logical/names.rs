//! What there is to be dumped.

use weir_bench::client::Connection;
use weir_sql::dump::name;

/// Made by every server.
const SYSTEM: &str = "'information_schema','performance_schema','mysql','sys'";

pub struct Column {
    pub name: String,
    pub kind: Kind,
}

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// As it is.
    Number,
    /// In quotes.
    Text,
    /// In hexadecimal digits.
    Bytes,
}

pub struct Table {
    pub schema: String,
    pub name: String,
    pub columns: Vec<Column>,
    /// Bytes of rows as the server estimates them.
    pub bytes: u64,
    /// The only column of the primary key, if it is an integer.
    pub integer_key: Option<String>,
}

impl Table {
    pub fn full(&self) -> String {
        format!("{}.{}", name(&self.schema), name(&self.name))
    }
}

/// A string literal.
pub fn literal(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        match c {
            '\'' => out.push_str("''"),
            '\\' => out.push_str("\\\\"),
            other => out.push(other),
        }
    }
    out.push('\'');
    out
}

fn rows(c: &mut Connection, sql: &str) -> Result<Vec<Vec<String>>, String> {
    c.rows(sql).map_err(|e| e.to_string())
}

/// All databases but the server's own, or those that are named, which have to be there.
pub fn schemas(c: &mut Connection, wanted: Option<&str>) -> Result<Vec<String>, String> {
    let sql = format!(
        "SELECT schema_name FROM information_schema.schemata WHERE schema_name NOT IN ({SYSTEM}) ORDER BY 1"
    );
    let all: Vec<String> = rows(c, &sql)?.into_iter().map(|mut r| r.remove(0)).collect();
    let Some(wanted) = wanted else { return Ok(all) };
    let wanted: Vec<String> = wanted.split(',').map(str::to_string).collect();
    match wanted.iter().find(|w| !all.contains(w)) {
        Some(missing) => Err(format!("there is no database '{missing}'")),
        None => Ok(wanted),
    }
}

/// The base tables of a database, with the columns whose values are stored.
pub fn tables(c: &mut Connection, schema: &str) -> Result<Vec<Table>, String> {
    let of = literal(schema);
    let list = format!(
        "SELECT table_name, COALESCE(data_length, 0) FROM information_schema.tables \
         WHERE table_schema = {of} AND table_type = 'BASE TABLE' ORDER BY 1"
    );
    let mut out = Vec::new();
    for row in rows(c, &list)? {
        let (table, bytes) = (row[0].clone(), row[1].parse().unwrap_or(0));
        let sql = format!(
            "SELECT column_name, data_type, column_key FROM information_schema.columns \
             WHERE table_schema = {of} AND table_name = {} AND generation_expression = '' ORDER BY ordinal_position",
            literal(&table)
        );
        let found = rows(c, &sql)?;
        let mut keys = found.iter().filter(|r| r[2] == "PRI");
        let integer_key = match (keys.next(), keys.next()) {
            (Some(key), None) if key[1].ends_with("int") => Some(key[0].clone()),
            _ => None,
        };
        let columns =
            found.into_iter().map(|r| Column { kind: kind(&r[1]), name: r[0].clone() }).collect();
        out.push(Table { schema: schema.into(), name: table, columns, bytes, integer_key });
    }
    Ok(out)
}

/// Which form the values of a type have in a statement.
fn kind(data_type: &str) -> Kind {
    match data_type {
        "tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "decimal" | "float"
        | "double" | "year" => Kind::Number,
        "bit" | "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob"
        | "geometry" | "point" | "linestring" | "polygon" | "multipoint" | "multilinestring"
        | "multipolygon" | "geomcollection" | "geometrycollection" | "vector" => Kind::Bytes,
        _ => Kind::Text,
    }
}

/// Names of views, or of triggers, routines and events.
pub fn named(c: &mut Connection, sql: &str, schema: &str) -> Result<Vec<Vec<String>>, String> {
    rows(c, &sql.replace('?', &literal(schema)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_literals() {
        assert_eq!(
            (kind("int"), kind("json"), kind("bit")),
            (Kind::Number, Kind::Text, Kind::Bytes)
        );
        assert_eq!(
            (kind("timestamp"), kind("set"), kind("point")),
            (Kind::Text, Kind::Text, Kind::Bytes)
        );
        assert_eq!(literal("a'b\\c"), "'a''b\\\\c'");
    }
}
