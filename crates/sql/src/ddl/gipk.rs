//! Generated invisible primary keys: what `sql_generate_invisible_primary_key` adds to a table that is made without a primary key, and
//! what may become of it.
//!
//! Such a key is known by its form and by nothing else, as in MySQL: an invisible column `my_row_id` at the head of the table, which
//! counts, and is the primary key.

use super::Env;
use super::column::inline_key;
use crate::errno;
use crate::meta::{SqlColumn, SqlTable, TableMeta, same_name};
use crate::session_api::SqlError;
use crate::value::SqlType;
use std::sync::Arc;
use weir_syntax::ast::{
    AlterSpec, ColumnAttr, ColumnDef, CreateTable, Ident, KeyDef, KeyKind, OptionValue,
    TableElement, TableOption,
};

const NAME: &str = "my_row_id";

/// The column and its key, as they stand in the text that a replica is given.
pub const TEXT: &str =
    "`my_row_id` bigint unsigned NOT NULL AUTO_INCREMENT /*!80023 INVISIBLE */ PRIMARY KEY, ";

/// Whether a statement makes a table that gets such a key under the variable: one of this engine, without a primary key.
pub fn is_wanted(create: &CreateTable) -> bool {
    let ours = |v: &OptionValue| match v {
        OptionValue::Word(name) => name.is("innodb"),
        OptionValue::Str(name) => name.eq_ignore_ascii_case(b"innodb"),
        _ => false,
    };
    let other = |o: &TableOption| o.name == "ENGINE" && !ours(&o.value);
    create.like.is_none()
        && !create.options.iter().any(other)
        && !create.elements.iter().any(is_key)
}

/// Puts the column before all others and its key before all keys. 1235 for a table with partitions, 4108 and 4109 where a column is in
/// the way.
pub fn generate(
    create: &CreateTable,
    columns: &mut Vec<SqlColumn>,
    explicit_null: &mut Vec<bool>,
    keys: &mut Vec<KeyDef>,
) -> Result<(), SqlError> {
    if create.partition.is_some() {
        let what = "generating invisible primary key for the partitioned tables";
        return Err(SqlError::not_supported(what));
    }
    if columns.iter().any(|c| same_name(&c.name, NAME)) {
        return Err(SqlError::of(errno::ER_GIPK_COLUMN_EXISTS, &[&NAME]));
    }
    if columns.iter().any(|c| c.auto_increment) {
        return Err(SqlError::of(errno::ER_GIPK_FAILED_AUTOINC_COLUMN_EXISTS, &[]));
    }
    let mut column = SqlColumn::new(NAME.to_string(), SqlType::UBIGINT);
    (column.nullable, column.auto_increment, column.invisible) = (false, true, true);
    columns.insert(0, column);
    explicit_null.insert(0, false);
    keys.insert(0, inline_key(KeyKind::Primary, NAME));
    Ok(())
}

/// Whether the table has such a key, be its column visible by now or not.
fn has_key(meta: &TableMeta) -> bool {
    let Some(first) = meta.columns.first() else { return false };
    first.name == NAME
        && first.auto_increment
        && first.ty == SqlType::UBIGINT
        && meta.primary().is_some_and(|key| key.parts.len() == 1 && key.parts[0].column == 0)
}

/// Whether the table has such a key that is invisible, so that it is in nobody's way.
pub fn is_generated(meta: &TableMeta) -> bool {
    has_key(meta) && meta.columns[0].invisible
}

/// What ALTER TABLE may do with the column: show it and hide it, and drop it together with its key.
pub fn check_alter(old: &TableMeta, specs: &[AlterSpec], env: &Env<'_>) -> Result<(), SqlError> {
    let drops = |name: &str| {
        specs.iter().any(|s| matches!(s, AlterSpec::DropColumn(c) if same_name(c.as_str(), name)))
    };
    let drops_key = specs.iter().any(|s| matches!(s, AlterSpec::DropPrimaryKey));
    let key = old.primary().map_or(&[][..], |key| &key.parts[..]);
    let loses =
        !key.is_empty() && (drops_key || key.iter().all(|p| drops(&old.columns[p.column].name)));
    if env.generates_key && loses && !specs.iter().any(adds_key) {
        let what = "existing primary key drop without adding a new primary key. In @@sql_generate_invisible_primary_key=ON mode table should have a primary key. Please add a new primary key to be able to drop existing primary key.";
        return Err(SqlError::not_supported(what));
    }
    if !is_generated(old) {
        return Ok(());
    }
    let changed = |name: &Ident| same_name(name.as_str(), NAME);
    let changes = specs.iter().any(|s| match s {
        AlterSpec::ModifyColumn { column, .. } => changed(&column.name),
        AlterSpec::ChangeColumn { old, .. } | AlterSpec::RenameColumn { old, .. } => changed(old),
        AlterSpec::SetDefault { column, .. } => changed(column),
        AlterSpec::DropDefault(name) => changed(name),
        _ => false,
    });
    if changes {
        return Err(SqlError::of(errno::ER_GIPK_COLUMN_ALTER_NOT_ALLOWED, &[&NAME]));
    }
    let stays = !drops(NAME);
    if stays && drops_key {
        return Err(SqlError::of(errno::ER_DROP_PK_COLUMN_TO_DROP_GIPK, &[]));
    }
    if stays && specs.iter().any(|s| matches!(s, AlterSpec::PartitionBy(_))) {
        let what = "partitioning table with generated invisible primary key";
        return Err(SqlError::not_supported(what));
    }
    Ok(())
}

fn adds_key(spec: &AlterSpec) -> bool {
    match spec {
        AlterSpec::AddKey(key) => key.kind == KeyKind::Primary,
        AlterSpec::AddColumn { column, .. }
        | AlterSpec::ModifyColumn { column, .. }
        | AlterSpec::ChangeColumn { column, .. } => is_primary(column),
        AlterSpec::AddElements(elements) => elements.iter().any(is_key),
        _ => false,
    }
}

fn is_key(element: &TableElement) -> bool {
    match element {
        TableElement::Column(def) => is_primary(def),
        TableElement::Key(key) => key.kind == KeyKind::Primary,
        _ => false,
    }
}

fn is_primary(def: &ColumnDef) -> bool {
    def.attrs.iter().any(|a| matches!(a, ColumnAttr::PrimaryKey | ColumnAttr::Key))
}

/// The table as it is shown without its generated key, where it has one that is invisible.
pub fn without(table: Arc<SqlTable>) -> Arc<SqlTable> {
    if !is_generated(&table.meta) {
        return table;
    }
    let mut meta = table.meta.clone();
    (meta.columns[0].hidden, meta.columns[0].auto_increment) = (true, false);
    meta.indexes.remove(0);
    Arc::new(SqlTable {
        engine: table.engine.clone(),
        meta,
        engine_indexes: table.engine_indexes[1..].to_vec(),
        shown: table.shown.clone(),
        rules: table.rules.clone(),
        bound: Default::default(),
    })
}
