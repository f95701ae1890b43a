//! Metadata of the columns of a result, which the client gets before the rows.
//!
//! MySQL tells of an expression and of a column in two ways: the numbers of expressions are binary, their texts have 31 decimals, and those
//! of the TEXT family are named by how long they may get. A temporary table that the rows stand in before they are sent has columns, also
//! for what was computed.

use super::env::PlanEnv;
use super::kept::kept;
use super::outcome::Run;
use super::{Aggregation, Block, OutColumn, Source, TableSlot};
use crate::context::Settings;
use crate::func::aggregate::AggKind;
use crate::infoschema::told::{Told, of_show};
use crate::query::expr::{BExpr, ColRef, Node};
use crate::session_api::{ColumnMeta, ColumnText, ResultSink, column_flag, column_type};
use crate::value::cast::octet_length;
use crate::value::types::NOT_FIXED;
use crate::value::{Charset, Collation, IntKind, SqlType, TypeInfo};
use std::borrow::Cow;
use std::sync::Arc;

/// Bytes of the longest text that is no TEXT.
const LONGEST_TEXT: u64 = 65_535;
/// Characters that GROUP_CONCAT() says it may give, whose text MySQL always has as a TEXT.
const GROUPED_CHARS: u32 = 16_384;
/// Characters of the longest text that a temporary table has as a VARCHAR.
const LONGEST_STORED: u32 = 512;

/// The metadata of an expression; text is announced in `told`, see [`Settings::told`].
fn expression_meta(name: &str, info: TypeInfo, told: Option<Collation>) -> ColumnMeta {
    let ty = shown_type(info.ty);
    let text = text_of_expression(&ty);
    let (collation_id, length) = match text {
        Some(text) => told_as(text, told),
        None => (Collation::Binary.id(), ty.display_length(1)),
    };
    // ZEROFILL, and what a column's type is kept as, are a column's.
    let of_column =
        column_flag::ZEROFILL | column_flag::BLOB | column_flag::ENUM | column_flag::SET;
    let mut flags = ty.flags() & !of_column;
    if !info.nullable {
        flags |= column_flag::NOT_NULL;
    }
    let type_code = match info.ty {
        SqlType::Null => column_type::NULL,
        SqlType::Enum { .. } | SqlType::Set { .. } => column_type::STRING,
        _ => text_code(&ty).unwrap_or(ty.protocol_type()),
    };
    let decimals = match info.ty {
        SqlType::Null | SqlType::Geometry { .. } => 0,
        SqlType::Json => NOT_FIXED,
        _ if ty.is_string() => NOT_FIXED,
        _ => ty.decimals(),
    };
    meta(name, collation_id, length, type_code, flags, decimals, text)
}

/// The metadata of a column of a table, and of one of a temporary table.
pub fn column_meta(name: &str, info: TypeInfo, told: Option<Collation>) -> ColumnMeta {
    let ty = shown_type(info.ty);
    let text = text_of(&ty);
    let (collation_id, length) = match text {
        Some(text) => told_as(text, told),
        None => (Collation::Binary.id(), ty.display_length(1)),
    };
    let mut flags = ty.flags();
    if ty.is_numeric() {
        flags &= !column_flag::BINARY;
    }
    if !info.nullable {
        flags |= column_flag::NOT_NULL;
    }
    let long = text_code(&ty).is_some();
    if long {
        flags |= column_flag::BLOB;
    }
    let type_code = match info.ty {
        SqlType::Null => column_type::NULL,
        _ if long => column_type::BLOB,
        _ => ty.protocol_type(),
    };
    let decimals = match info.ty {
        SqlType::Null => 0,
        _ if ty.is_string() => 0,
        _ => ty.decimals(),
    };
    meta(name, collation_id, length, type_code, flags, decimals, text)
}

fn meta(
    name: &str,
    collation_id: u16,
    length: u32,
    type_code: u8,
    flags: u16,
    decimals: u8,
    text: Option<ColumnText>,
) -> ColumnMeta {
    ColumnMeta {
        schema: "".into(),
        table: "".into(),
        org_table: "".into(),
        name: name.into(),
        org_name: "".into(),
        collation_id,
        length,
        type_code,
        flags,
        decimals,
        text,
        encoded: None,
    }
}

/// The code of a text that may be longer than any VARCHAR.
fn text_code(ty: &SqlType) -> Option<u8> {
    let SqlType::Varchar { chars, collation } = *ty else { return None };
    // Up to here all fits where characters have three bytes, as in the texts of system variables.
    if u64::from(chars) * 3 <= LONGEST_TEXT {
        let grouped = chars == GROUPED_CHARS && !collation.is_binary();
        return grouped.then_some(column_type::LONG_BLOB);
    }
    match u64::from(chars) * collation.max_char_bytes() as u64 {
        0..=LONGEST_TEXT => None,
        bytes if bytes < 1 << 24 => Some(column_type::MEDIUM_BLOB),
        _ => Some(column_type::LONG_BLOB),
    }
}

/// An expression's text: of one of the TEXT family MySQL takes the bytes for characters.
fn text_of_expression(ty: &SqlType) -> Option<ColumnText> {
    if *ty == SqlType::Json {
        let bin = Collation::Utf8mb4Bin;
        let chars = u32::MAX / bin.max_char_bytes() as u32;
        return Some(ColumnText { collation_id: bin.id(), chars, length: chars * 4 });
    }
    let SqlType::Text { collation, .. } = *ty else { return text_of(ty) };
    let own = Some(collation).filter(|c| !c.is_binary())?;
    let chars = octet_length(ty);
    let length = chars.saturating_mul(own.max_char_bytes() as u32);
    Some(ColumnText { collation_id: own.id(), chars, length })
}

fn text_of(ty: &SqlType) -> Option<ColumnText> {
    let own = ty.collation().filter(|c| !c.is_binary())?;
    let shown = ty.display_length(1);
    // The limit of the TEXT family is one of bytes.
    let (chars, length) = match ty.is_lob() {
        true => (shown / own.charset().min_char_bytes() as u32, shown),
        false => (shown, ty.display_length(own.max_char_bytes() as u32)),
    };
    Some(ColumnText { collation_id: own.id(), chars, length })
}

/// The collation's number and the length in bytes of a text in its metadata.
fn told_as(text: ColumnText, told: Option<Collation>) -> (u16, u32) {
    match told {
        None => (text.collation_id, text.length),
        Some(to) => (to.id(), text.chars.saturating_mul(to.max_char_bytes() as u32)),
    }
}

/// Tells the client what columns come, with names in `character_set_results`.
pub fn announce(columns: &[ColumnMeta], settings: &Settings, sink: &mut dyn ResultSink) -> Run<()> {
    Ok(sink.columns(&announced(columns, settings))?)
}

/// The columns as the client gets them: names in `character_set_results`, texts in it and as long as they are in it. To one that
/// asks for no set, names are UTF-8. A plan may have been made before that variable changed.
pub fn announced<'c>(columns: &'c [ColumnMeta], settings: &Settings) -> Cow<'c, [ColumnMeta]> {
    let names = settings.results.filter(|r| !r.is_binary()).map(Collation::charset);
    let is_told = |c: &ColumnMeta| {
        c.text.is_none_or(|t| told_as(t, settings.told) == (c.collation_id, c.length))
    };
    if names.is_none() && columns.iter().all(is_told) {
        return Cow::Borrowed(columns);
    }
    let converted = |c: &ColumnMeta| {
        let mut c = c.clone();
        if let Some(to) = names {
            let name = |n: &[u8]| to.own_bytes(&Charset::Utf8mb4.convert(n, to).0).into_owned();
            c.encoded = Some(Arc::new(c.names().map(name)));
        }
        if let Some(text) = c.text {
            (c.collation_id, c.length) = told_as(text, settings.told);
        }
        c
    };
    Cow::Owned(columns.iter().map(converted).collect())
}

/// What is not typed is sent as text.
fn shown_type(ty: SqlType) -> SqlType {
    if ty == SqlType::Null { SqlType::varbinary(0) } else { ty }
}

/// The columns of a query's result.
pub fn result_columns(columns: &[OutColumn], env: &PlanEnv<'_>) -> Vec<ColumnMeta> {
    let told = env.reads.settings.told;
    columns.iter().map(|c| of_out_column(c, env, told)).collect()
}

fn of_out_column(c: &OutColumn, env: &PlanEnv<'_>, told: Option<Collation>) -> ColumnMeta {
    let column = c.origin.as_ref().is_some_and(|o| !o.computed);
    let info = TypeInfo { ty: c.kept.unwrap_or(c.info.ty), ..c.info };
    let mut m = match (column, c.stored) {
        (true, _) => column_meta(&c.name, c.info, told),
        (false, _) if c.of_program => of_program(&c.name, c.info, told),
        (false, true) => stored_meta(&c.name, info, told),
        (false, false) => expression_meta(&c.name, info, told),
    };
    // An untyped parameter is text until it has a value.
    if info.ty == SqlType::Null && !env.params.is_empty() {
        m.type_code = column_type::VAR_STRING;
    }
    if let Some(o) = &c.origin {
        m.schema = o.schema.clone();
        m.table = o.table.clone();
        m.org_table = o.org_table.clone();
        m.org_name = o.column.clone();
        m.flags |= if c.stored { o.flags & !OF_TABLE } else { o.flags };
        if let Some(facts) = &o.told {
            as_told(&mut m, facts, told);
            if c.stored {
                m.flags &= !OF_TABLE;
                m.decimals = if facts.text { 0 } else { facts.decimals };
            }
        }
    }
    m
}

/// A field that is of no table. Documents alone have their text's length.
fn of_program(name: &str, info: TypeInfo, told: Option<Collation>) -> ColumnMeta {
    if info.ty != SqlType::Json {
        return column_meta(name, info, told);
    }
    let m = expression_meta(name, info, told);
    ColumnMeta { decimals: 0, flags: m.flags | column_flag::BLOB, ..m }
}

/// The column as MySQL tells of it, whose facts these are.
fn as_told(m: &mut ColumnMeta, facts: &Told, told: Option<Collation>) {
    (m.type_code, m.decimals, m.flags) = (facts.type_code, facts.decimals, facts.flags);
    if !facts.text {
        m.text = None;
        (m.collation_id, m.length) = (Collation::Binary.id(), facts.chars);
        return;
    }
    let own = Collation::Utf8mb3GeneralCi;
    let collation_id = m.text.map_or(own.id(), |t| t.collation_id);
    let length = facts.chars.saturating_mul(own.max_char_bytes() as u32);
    let text = ColumnText { collation_id, chars: facts.chars, length };
    m.text = Some(text);
    (m.collation_id, m.length) = told_as(text, told);
}

/// Flags of a table's column that one of a temporary table with the same values has not.
pub const OF_TABLE: u16 = column_flag::PRI_KEY
    | column_flag::UNIQUE_KEY
    | column_flag::MULTIPLE_KEY
    | column_flag::PART_KEY
    | column_flag::AUTO_INCREMENT;

/// The metadata of a temporary table's column that keeps the values of an expression.
fn stored_meta(name: &str, info: TypeInfo, told: Option<Collation>) -> ColumnMeta {
    let mut m = column_meta(name, info, told);
    match info.ty {
        SqlType::Text { .. } => {
            if let Some(text) = text_of_expression(&info.ty) {
                m.text = Some(text);
                (m.collation_id, m.length) = told_as(text, told);
            }
        }
        // MySQL makes a TEXT of it, whose bytes it takes for characters.
        SqlType::Varchar { chars, collation } if chars > LONGEST_STORED => {
            m.type_code = column_type::BLOB;
            m.flags |= column_flag::BLOB;
            let bytes = chars.saturating_mul(collation.max_char_bytes() as u32);
            if let Some(text) = &mut m.text
                && u64::from(bytes) <= LONGEST_TEXT
            {
                *text = ColumnText { chars: bytes, length: bytes, ..*text };
                (m.collation_id, m.length) = told_as(*text, told);
            }
        }
        _ => {}
    }
    m
}

/// The type of a column of a temporary table that keeps the values of an expression: nine characters fit an INT, and a text that may be
/// long is a TEXT.
pub fn kept_in_rows(ty: SqlType) -> SqlType {
    match ty {
        SqlType::Varchar { chars, .. } if chars > LONGEST_STORED => kept(ty),
        SqlType::Int { unsigned, width, .. } if ty.display_length(1) < 10 => {
            let width = width.or(Some(ty.display_length(1) as u8));
            SqlType::Int { kind: IntKind::Int, unsigned, zerofill: false, width }
        }
        other => other,
    }
}

/// Notes which columns of a block MySQL tells of as columns of the temporary table that its rows stand in.
pub(in crate::query) fn note_stored(block: &Block, columns: &mut [OutColumn]) {
    if !keeps_rows(block) {
        return;
    }
    for (c, item) in columns.iter_mut().zip(&block.items) {
        let grouped = block.agg.as_ref().filter(|_| block.windows.is_empty());
        let behind = grouped.is_some_and(|agg| comes_behind(item, agg));
        if behind || matches!(item.node, Node::Const(_)) || item.is_statement_constant() {
            continue;
        }
        c.stored = true;
        let short = c.info.ty.is_integer() && c.origin.is_none();
        c.kept = short.then(|| kept_in_rows(c.info.ty));
    }
}

/// What is computed of the groups in a temporary table, and not kept there: expressions of aggregates, and those that are made of several
/// numbers at the end.
fn comes_behind(item: &BExpr, agg: &Aggregation) -> bool {
    match &item.node {
        Node::Agg(n) => agg.specs.get(*n as usize).is_some_and(|(s, _)| {
            use AggKind as K;
            matches!(s.kind, K::Avg | K::StdPop | K::StdSamp | K::VarPop | K::VarSamp)
        }),
        _ => item.has_agg(),
    }
}

/// Whether MySQL puts a block's rows into a temporary table before it sends them: for window functions, and for DISTINCT and GROUP BY
/// where no index gives the rows in that order.
fn keeps_rows(block: &Block) -> bool {
    let ordered = |keys: &[BExpr]| match &block.tables[..] {
        [slot] => begins_index(slot, keys),
        _ => false,
    };
    // The dictionary's views are joins.
    let computed = |t: &TableSlot| matches!(t.source, Source::Virtual(..));
    if !block.windows.is_empty() || !block.order.is_empty() && block.tables.iter().any(computed) {
        return true;
    }
    match &block.agg {
        Some(agg) if agg.implicit || agg.has_supers() => false,
        Some(agg) if sorts_for_groups(agg) => !is_ordered_as(&block.order, &agg.keys),
        Some(agg) => {
            let (sorted, first) = (ordered(&agg.keys), is_ordered_as(&block.order, &agg.keys));
            !(sorted && first) || block.distinct
        }
        None => block.distinct && !block.tables.is_empty() && !ordered(&block.items),
    }
}

/// Aggregates that take the rows of a group one behind the other.
fn sorts_for_groups(agg: &Aggregation) -> bool {
    use AggKind::{Collect, GroupConcat, JsonArray, JsonObject};
    let behind = |kind| matches!(kind, GroupConcat | JsonArray | JsonObject | Collect);
    agg.specs.iter().any(|(s, _)| s.distinct || behind(s.kind))
}

fn is_ordered_as(order: &[(BExpr, bool)], keys: &[BExpr]) -> bool {
    order.len() <= keys.len()
        && order
            .iter()
            .zip(keys)
            .all(|((e, _), key)| column_of(e).is_some_and(|c| column_of(key) == Some(c)))
}

fn column_of(e: &BExpr) -> Option<usize> {
    match e.node {
        Node::Col(ColRef { depth: 0, table: 0, col }) => Some(usize::from(col)),
        _ => None,
    }
}

/// Whether these are the first columns of an index, in its order, or have among them all columns of a unique one.
fn begins_index(slot: &TableSlot, keys: &[BExpr]) -> bool {
    let Source::Table(table) = &slot.source else { return false };
    let columns: Option<Vec<usize>> = keys.iter().map(column_of).collect();
    table.meta.indexes.iter().filter(|i| !i.is_multi_valued()).any(|index| {
        let mut parts = index.parts.iter();
        let named = |n: usize| keys.iter().any(|k| column_of(k) == Some(n));
        let never_null = |n: usize| !table.meta.columns[n].nullable;
        let whole = index.unique && parts.clone().all(|p| named(p.column) && never_null(p.column));
        whole
            || columns.as_ref().is_some_and(|c| {
                c.len() <= index.parts.len()
                    && c.iter().all(|n| parts.next().is_some_and(|p| p.column == *n))
            })
    })
}

/// Metadata of a small result set.
pub fn show_columns(r: &crate::context::ShowResult, told: Option<Collation>) -> Vec<ColumnMeta> {
    let of_column = |c: &crate::context::VirtualColumn| {
        column_meta(&c.name, TypeInfo::column(c.ty, c.nullable), told)
    };
    let mut columns: Vec<ColumnMeta> = r.columns.iter().map(of_column).collect();
    tell_as_mysql(&mut columns, told);
    // These say how long their text is.
    if let [.., last] = &mut columns[..]
        && matches!(&*last.name, "Create Table" | "Create View")
        && let Some(text) = r.rows.first().and_then(|row| row.last()?.to_string_lossy())
        && let Some(known) = last.text
    {
        let chars = known.chars.max(text.chars().count() as u32);
        let text = ColumnText { chars, length: chars.saturating_mul(3), ..known };
        last.text = Some(text);
        (last.collation_id, last.length) = told_as(text, told);
    }
    columns
}

/// The columns of a SHOW, or of a statement that answers like one, as MySQL tells of them.
pub fn tell_as_mysql(columns: &mut [ColumnMeta], told: Option<Collation>) {
    let names: Vec<Arc<str>> = columns.iter().map(|c| c.name.clone()).collect();
    let Some(facts) = of_show(names.iter().map(|n| &**n)) else { return };
    for (c, (facts, origin)) in columns.iter_mut().zip(facts) {
        as_told(c, facts, told);
        if let Some(o) = origin {
            (c.schema, c.table, c.org_table) =
                (o.schema.into(), o.table.into(), o.org_table.into());
            c.org_name = if o.org_name.is_empty() { c.name.clone() } else { o.org_name.into() };
        }
    }
}
