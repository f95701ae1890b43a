//! information_schema.PARTITIONS, and the texts of partitions that SHOW CREATE TABLE has too.

use super::cells::{
    BIGINT, DATETIME, LONGTEXT, NAME, Row, TEXT, TIMESTAMP, UBIGINT, UINT, at, c, n, os, s, text, u,
};
use super::tables::{BY_TABLE, visible};
use super::virtual_table;
use crate::context::{TableReads, VirtualTable};
use crate::ddl::literal::stored_text;
use crate::meta::partition::{Function, Partition, Values};
use crate::meta::{Partitioning, SqlTable, TableMeta};
use crate::value::{Collation, DatumBuf, TimeZone, Value};

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&Partitions]
}

/// A string literal.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''").replace('\0', "\\0"))
}

/// A value of the n-th partitioning column, or of the expression, as it is written in VALUES.
fn value(by: &Partitioning, table: &TableMeta, n: usize, d: &DatumBuf, tz: TimeZone) -> String {
    match d {
        DatumBuf::Null => return "NULL".into(),
        DatumBuf::Int(v) if by.function.method.has_expr() => return v.to_string(),
        DatumBuf::UInt(v) if by.function.method.has_expr() => return v.to_string(),
        _ => {}
    }
    let ty = table.columns[by.function.columns[n]].ty;
    if let (DatumBuf::Bytes(b), Some(Collation::Binary)) = (d, ty.collation())
        && !b.is_empty()
    {
        // Bytes may be no text of any character set.
        return b.iter().fold("0x".to_owned(), |text, b| text + &format!("{b:02X}"));
    }
    let text = stored_text(ty, d.as_ref(), tz).unwrap_or_default();
    if ty.is_numeric() { text } else { quoted(&text) }
}

/// What stands in the parentheses of VALUES; none of a partition without.
pub fn description(
    by: &Partitioning,
    table: &TableMeta,
    p: &Partition,
    tz: TimeZone,
) -> Option<String> {
    let tuple = |list: &[DatumBuf]| {
        let all = list.iter().enumerate().map(|(n, d)| value(by, table, n, d, tz));
        let all = all.collect::<Vec<_>>().join(",");
        if list.len() > 1 { format!("({all})") } else { all }
    };
    match &p.values {
        Values::None => None,
        Values::LessThan(bound) => {
            let one = |(n, d): (usize, &Option<DatumBuf>)| match d {
                Some(d) => value(by, table, n, d, tz),
                None => "MAXVALUE".to_owned(),
            };
            Some(bound.iter().enumerate().map(one).collect::<Vec<_>>().join(","))
        }
        Values::In(list) => Some(list.iter().map(|t| tuple(t)).collect::<Vec<_>>().join(",")),
    }
}

/// The expression, or the columns of the list.
fn expression(f: &Function, table: &TableMeta) -> String {
    if f.method.has_expr() {
        return f.expr.clone();
    }
    let name = |c: &usize| format!("`{}`", table.columns[*c].name.replace('`', "``"));
    f.columns.iter().map(name).collect::<Vec<_>>().join(",")
}

virtual_table!(
    Partitions,
    "information_schema",
    "PARTITIONS",
    BY_TABLE,
    [
        n("TABLE_CATALOG", NAME),
        n("TABLE_SCHEMA", NAME),
        n("TABLE_NAME", NAME),
        c("PARTITION_NAME", text(64)),
        c("SUBPARTITION_NAME", text(64)),
        c("PARTITION_ORDINAL_POSITION", UINT),
        c("SUBPARTITION_ORDINAL_POSITION", UINT),
        c("PARTITION_METHOD", text(13)),
        c("SUBPARTITION_METHOD", text(13)),
        c("PARTITION_EXPRESSION", text(2048)),
        c("SUBPARTITION_EXPRESSION", text(2048)),
        c("PARTITION_DESCRIPTION", TEXT),
        c("TABLE_ROWS", UBIGINT),
        c("AVG_ROW_LENGTH", UBIGINT),
        c("DATA_LENGTH", UBIGINT),
        c("MAX_DATA_LENGTH", UBIGINT),
        c("INDEX_LENGTH", UBIGINT),
        c("DATA_FREE", UBIGINT),
        n("CREATE_TIME", TIMESTAMP),
        c("UPDATE_TIME", DATETIME),
        c("CHECK_TIME", DATETIME),
        c("CHECKSUM", BIGINT),
        n("PARTITION_COMMENT", TEXT),
        c("NODEGROUP", text(256)),
        c("TABLESPACE_NAME", LONGTEXT),
    ],
    |cx, hint| visible(cx, hint).iter().flat_map(|t| rows(t, cx)).collect()
);

/// One row for each leaf; one for a table without partitions.
fn rows(t: &SqlTable, cx: TableReads<'_>) -> Vec<Row> {
    let tz = cx.reads.settings.tz;
    let (by, stored) = (t.meta.partitions.as_deref(), t.engine.stored());
    let row = |(i, part): (usize, &std::sync::Arc<weir_engine::Table>)| {
        let own = by.and_then(|by| by.leaf(i).map(|(p, sub)| (by, p, sub)));
        let sub = own.and_then(|(by, _, sub)| Some((by.sub.as_ref()?, sub?)));
        let n = by.map_or(1, Partitioning::per_part);
        let (count, data) = (part.estimated_rows(), part.data_bytes());
        vec![
            s("def"),
            s(t.schema()),
            s(t.name()),
            os(own.map(|(_, p, _)| p.name.clone())),
            os(sub.map(|(_, p)| p.name.clone())),
            own.map_or(Value::Null, |_| u((i / n) as u64 + 1)),
            sub.map_or(Value::Null, |_| u((i % n) as u64 + 1)),
            os(by.map(|by| by.function.method.name())),
            os(sub.map(|(s, _)| s.function.method.name())),
            os(by.map(|by| expression(&by.function, t))),
            os(sub.map(|(s, _)| expression(&s.function, t))),
            os(own.and_then(|(by, p, _)| description(by, t, p, tz))),
            u(count),
            u(data.checked_div(count).unwrap_or(0)),
            u(data),
            u(0),
            u(part.index_bytes()),
            u(0),
            at(t.engine.def.created_micros, tz),
            Value::Null,
            Value::Null,
            Value::Null,
            s(own.map_or(String::new(), |(_, p, sub)| sub.unwrap_or(p).comment.clone())),
            s(own.map_or("", |_| "default")),
            Value::Null,
        ]
    };
    stored.iter().enumerate().map(row).collect()
}
