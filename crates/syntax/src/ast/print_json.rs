//! SQL text of JSON_TABLE, and of the types of its columns.

use std::fmt::{self, Display, Formatter};

use super::print::{Quoted, StrLiteral, json_on};
use super::*;

impl Display for JsonTable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let lateral = if self.lateral { "LATERAL " } else { "" };
        write!(f, "{lateral}JSON_TABLE({}, {} COLUMNS (", self.doc, StrLiteral(&self.path))?;
        columns(f, &self.columns)?;
        write!(f, ")) AS {}", Quoted(self.alias.as_str()))
    }
}

/// They nest as deep as the parser lets them.
fn columns(f: &mut Formatter<'_>, list: &[JsonColumn]) -> fmt::Result {
    for (i, column) in list.iter().enumerate() {
        f.write_str(if i > 0 { ", " } else { "" })?;
        match column {
            JsonColumn::Ordinality(name) => {
                write!(f, "{} FOR ORDINALITY", Quoted(name.as_str()))?;
            }
            JsonColumn::Path { name, data_type, exists, path, on_empty, on_error } => {
                let exists = if *exists { "EXISTS " } else { "" };
                let (name, path) = (Quoted(name.as_str()), StrLiteral(path));
                write!(f, "{name} {data_type} {exists}PATH {path}")?;
                json_on(f, on_empty.as_ref(), on_error.as_ref())?;
            }
            JsonColumn::Nested { path, columns: inner } => {
                write!(f, "NESTED PATH {} COLUMNS (", StrLiteral(path))?;
                columns(f, inner)?;
                f.write_str(")")?;
            }
        }
    }
    Ok(())
}

impl Display for DataType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.word())?;
        match (self.length, self.scale) {
            (Some(length), Some(scale)) => write!(f, "({length},{scale})")?,
            (Some(length), None) => write!(f, "({length})")?,
            _ => {}
        }
        for (i, member) in self.members.iter().enumerate() {
            write!(f, "{}{}", if i > 0 { ", " } else { "(" }, StrLiteral(member))?;
        }
        f.write_str(if self.members.is_empty() { "" } else { ")" })?;
        f.write_str(if self.unsigned { " UNSIGNED" } else { "" })?;
        f.write_str(if self.zerofill { " ZEROFILL" } else { "" })?;
        if let Some(charset) = &self.charset {
            write!(f, " CHARACTER SET {}", Quoted(charset))?;
        }
        f.write_str(if self.binary { " BINARY" } else { "" })?;
        if let Some(collation) = &self.collation {
            write!(f, " COLLATE {}", Quoted(collation))?;
        }
        Ok(())
    }
}

impl TypeKind {
    fn word(self) -> &'static str {
        match self {
            TypeKind::TinyInt => "TINYINT",
            TypeKind::SmallInt => "SMALLINT",
            TypeKind::MediumInt => "MEDIUMINT",
            TypeKind::Int => "INT",
            TypeKind::BigInt => "BIGINT",
            TypeKind::Decimal => "DECIMAL",
            TypeKind::Float => "FLOAT",
            TypeKind::Double => "DOUBLE",
            TypeKind::Bit => "BIT",
            TypeKind::Date => "DATE",
            TypeKind::Time => "TIME",
            TypeKind::DateTime => "DATETIME",
            TypeKind::Timestamp => "TIMESTAMP",
            TypeKind::Year => "YEAR",
            TypeKind::Char => "CHAR",
            TypeKind::VarChar => "VARCHAR",
            TypeKind::Binary => "BINARY",
            TypeKind::VarBinary => "VARBINARY",
            TypeKind::TinyBlob => "TINYBLOB",
            TypeKind::Blob => "BLOB",
            TypeKind::MediumBlob => "MEDIUMBLOB",
            TypeKind::LongBlob => "LONGBLOB",
            TypeKind::TinyText => "TINYTEXT",
            TypeKind::Text => "TEXT",
            TypeKind::MediumText => "MEDIUMTEXT",
            TypeKind::LongText => "LONGTEXT",
            TypeKind::Enum => "ENUM",
            TypeKind::Set => "SET",
            TypeKind::Json => "JSON",
            TypeKind::Geometry => "GEOMETRY",
            TypeKind::Point => "POINT",
            TypeKind::LineString => "LINESTRING",
            TypeKind::Polygon => "POLYGON",
            TypeKind::MultiPoint => "MULTIPOINT",
            TypeKind::MultiLineString => "MULTILINESTRING",
            TypeKind::MultiPolygon => "MULTIPOLYGON",
            TypeKind::GeometryCollection => "GEOMETRYCOLLECTION",
        }
    }
}
