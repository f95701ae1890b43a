//! Foreign keys of definitions: their names, the index that the child needs (here), what the parent must have (`fit`), what ALTER TABLE
//! may do to tables of one (`alter`), the rows that a new key must find right (`verify`), and the tables of the other statements, which they lock and protect (`family`).
//!
//! A statement that adds a key, or that changes a table of one, has all of them alone while it looks and changes, in the order of the
//! tables' ids. A parent gets a new handle in the step that adds a child: a statement that has waited for it plans again.

mod alter;
mod family;
mod fit;
mod verify;

pub use alter::{carried, check_alter};
pub use family::{
    Family, alone, alone_too, beside, check_drop, check_truncate, children_of, ddl, followed,
    parents_of,
};
pub use fit::{check_children, check_parents};
pub use verify::verify;

use super::expression;
use crate::context::StatementCtx;
use crate::ddl::refused::{check_length, duplicate_column};
use crate::errno;
use crate::meta::constraint::CHECK;
use crate::meta::foreign::{Action, FOREIGN, ForeignKey, TablePlace};
use crate::meta::{
    ColumnDefault, ConstraintName, IndexPart, SqlColumn, SqlIndex, TableMeta, folded, same_name,
};
use crate::session_api::SqlError;
use std::collections::{HashMap, HashSet};
use weir_syntax::ast::{
    ForeignKeyDef, IndexOptions, KeyDef, KeyKind, KeyPart, KeyPartKind, ReferentialMatch,
};

/// The name that the index made for a key is to have. The key itself is named by CONSTRAINT alone.
fn given_name(def: &ForeignKeyDef) -> Option<&weir_syntax::ast::Ident> {
    def.constraint.as_ref().or(def.name.as_ref())
}

/// The index that a child needs for a key.
pub fn supporting_key(def: &ForeignKeyDef) -> KeyDef {
    let part = |name: &weir_syntax::ast::Ident| KeyPart {
        kind: KeyPartKind::Column { name: name.clone(), length: None },
        descending: false,
        explicit_order: false,
    };
    KeyDef {
        kind: KeyKind::Index,
        constraint: None,
        name: given_name(def).cloned(),
        parts: def.columns.iter().map(part).collect(),
        options: IndexOptions::default(),
    }
}

/// The columns that a key begins with, as an index for a foreign key must have them: whole, and with an entry for each row, which a
/// multi-valued one does not have.
fn leading(k: &KeyDef, columns: &[SqlColumn]) -> Vec<String> {
    let is_list = |p: &KeyPart| match &p.kind {
        KeyPartKind::Column { name, .. } => {
            columns.iter().any(|c| c.array.is_some() && same_name(&c.name, name.as_str()))
        }
        KeyPartKind::Expr(_) => false,
    };
    if k.parts.iter().any(is_list) {
        return Vec::new();
    }
    let name = |p: &KeyPart| match &p.kind {
        KeyPartKind::Column { name, length: None } => name.as_str().to_owned(),
        // No name of a column: such a part ends what can be searched.
        _ => String::new(),
    };
    k.parts.iter().map(name).collect()
}

fn begins(long: &[String], short: &[String]) -> bool {
    long.len() >= short.len() && long.iter().zip(short).all(|(a, b)| same_name(a, b))
}

/// Of the indexes that a table has those go that were made for a foreign key and are spare beside a new one of the user's own.
pub fn drop_spare(
    indexes: &mut Vec<SqlIndex>,
    columns: &[SqlColumn],
    new: &[KeyDef],
    made: &[usize],
) {
    let own = new.iter().enumerate().filter(|(n, k)| {
        let tree = !matches!(k.kind, KeyKind::FullText | KeyKind::Spatial);
        tree && !made.contains(n) && !k.parts.iter().any(|p| p.descending)
    });
    let own: Vec<Vec<String>> = own.map(|(_, k)| leading(k, columns)).collect();
    indexes.retain(|i| {
        let name = |p: &IndexPart| columns[p.column].name.clone();
        let of: Vec<String> = i.parts.iter().map(name).collect();
        !i.generated || !own.iter().any(|k| begins(k, &of))
    });
}

/// The keys that remain to be made, and whether each is for a foreign key: an index for a foreign key is not, where another one
/// begins with the same columns. `made`: the places in `keys` of those; `there`: columns of the indexes that the table has.
pub fn needed_keys(
    keys: Vec<KeyDef>,
    made: &[usize],
    there: &[Vec<String>],
    columns: &[SqlColumn],
) -> Vec<(KeyDef, bool)> {
    let lists: Vec<Vec<String>> = keys.iter().map(|k| leading(k, columns)).collect();
    let mut is_made = vec![false; keys.len()];
    made.iter().for_each(|n| is_made[*n] = true);
    // For each list of columns that a key begins with: whether a key of the user's or one that is there begins so, and of those
    // that are made the longest, and the first of these.
    let mut beginnings: HashMap<Vec<String>, (bool, usize, usize)> = HashMap::new();
    let users =
        |n: usize| !is_made[n] && !matches!(keys[n].kind, KeyKind::FullText | KeyKind::Spatial);
    let known = there.iter().map(|l| (l, true, usize::MAX));
    let listed = lists.iter().enumerate().map(|(n, l)| (l, users(n), n));
    for (list, other, n) in known.chain(listed.filter(|(_, user, n)| *user || is_made[*n])) {
        for length in 1..=list.len() {
            let key = list[..length].iter().map(|name| folded(name)).collect();
            let (by_other, longest, first) =
                beginnings.entry(key).or_insert((false, 0, usize::MAX));
            *by_other |= other;
            if !other && list.len() > *longest {
                (*longest, *first) = (list.len(), n);
            }
        }
    }
    let spare = |n: usize| {
        let key: Vec<String> = lists[n].iter().map(|name| folded(name)).collect();
        let found = beginnings.get(&key);
        found.is_some_and(|(other, longest, first)| *other || *longest > key.len() || *first < n)
    };
    let keep: Vec<bool> = (0..keys.len()).map(|n| !is_made[n] || !spare(n)).collect();
    let marked = keys.into_iter().enumerate().map(|(n, key)| (key, is_made[n]));
    marked.zip(keep).filter(|(_, k)| *k).map(|(key, _)| key).collect()
}

/// Adds `new` to the foreign keys that a table has. A parent without a schema is in the child's.
pub fn add(
    keys: &mut Vec<ForeignKey>,
    new: &[ForeignKeyDef],
    table: &str,
    columns: &[SqlColumn],
) -> Result<(), SqlError> {
    let number = |k: &ForeignKey| match k.name {
        ConstraintName::Numbered(n) => n,
        ConstraintName::Given(_) => 0,
    };
    let mut last = keys.iter().map(number).max().unwrap_or(0);
    let mut known: HashSet<String> = keys.iter().map(|k| folded(&k.text(table))).collect();
    for def in new {
        let name = match &def.constraint {
            Some(name) => {
                check_length(name.as_str())?;
                ConstraintName::of(name.as_str(), table, FOREIGN)
            }
            None => {
                last += 1;
                ConstraintName::Numbered(last)
            }
        };
        let shown = name.text(table, FOREIGN);
        check_length(&shown)?;
        if !known.insert(folded(&shown)) {
            return Err(duplicate_name(&shown));
        }
        keys.push(foreign_key(def, name, &shown, columns)?);
    }
    Ok(())
}

fn foreign_key(
    def: &ForeignKeyDef,
    name: ConstraintName,
    shown: &str,
    columns: &[SqlColumn],
) -> Result<ForeignKey, SqlError> {
    let mut own: Vec<usize> = Vec::new();
    for column in &def.columns {
        let at = columns.iter().position(|c| c.is_named(column.as_str()));
        let at = at.ok_or_else(|| SqlError::of(errno::ER_KEY_COLUMN_DOES_NOT_EXIST, &[&column]))?;
        if own.contains(&at) {
            return Err(duplicate_column(&columns[at].name));
        }
        own.push(at);
    }
    let to = &def.references;
    if to.columns.len() != own.len() {
        let what = given_name(def).map_or("foreign key without name", |n| n.as_str());
        return Err(SqlError::of(
            errno::ER_WRONG_FK_DEF,
            &[&what, &"Key reference and table reference don't match"],
        ));
    }
    if matches!(to.match_, Some(ReferentialMatch::Full | ReferentialMatch::Partial)) {
        // MySQL reads them and keeps to SIMPLE.
        return Err(SqlError::not_supported(
            "MATCH FULL and MATCH PARTIAL of a foreign key (MATCH SIMPLE is what there is)",
        ));
    }
    let actions = (Action::of(to.on_delete), Action::of(to.on_update));
    let (Some(on_delete), Some(on_update)) = actions else {
        return Err(SqlError::of(errno::ER_CANNOT_ADD_FOREIGN, &[]));
    };
    for &at in &own {
        check_column(&columns[at], shown, on_delete, on_update)?;
    }
    let schema = to.table.schema.as_ref().map_or("", |s| s.as_str());
    Ok(ForeignKey {
        name,
        columns: own,
        parent: TablePlace::new(schema, to.table.name.as_str()),
        parent_columns: to.columns.iter().map(|c| c.as_str().to_owned()).collect(),
        on_delete,
        on_update,
    })
}

/// What a child's column may not be: 1830, 3104, 3733.
fn check_column(
    column: &SqlColumn,
    key: &str,
    on_delete: Action,
    on_update: Action,
) -> Result<(), SqlError> {
    if !column.nullable && [on_delete, on_update].contains(&Action::SetNull) {
        return Err(SqlError::of(errno::ER_FK_COLUMN_NOT_NULL, &[&column.name, &key]));
    }
    let ColumnDefault::Generated { stored, .. } = &column.default else { return Ok(()) };
    if !stored {
        return Err(SqlError::of(errno::ER_FK_CANNOT_USE_VIRTUAL_COLUMN, &[&key, &column.name]));
    }
    let clause = match (on_update, on_delete) {
        (Action::Cascade, _) => "ON UPDATE CASCADE",
        (Action::SetNull, _) => "ON UPDATE SET NULL",
        (_, Action::SetNull) => "ON DELETE SET NULL",
        _ => return Ok(()),
    };
    Err(SqlError::of(errno::ER_WRONG_FK_OPTION_FOR_GENERATED_COLUMN, &[&clause]))
}

/// 1826.
fn duplicate_name(name: &str) -> SqlError {
    SqlError::of(errno::ER_FK_DUP_NAME, &[&name])
}

/// Parents without a schema are in the child's.
pub fn settle(meta: &mut TableMeta, schema: &str) {
    for key in &mut meta.foreign {
        if key.parent.schema.is_empty() {
            key.parent.schema = schema.to_owned();
        }
    }
}

/// Names of foreign keys are unique in their schema (1826). `own`: the table that is defined, where it exists.
pub fn unique_in_schema(
    (schema, table): (&str, &str),
    own: Option<u64>,
    keys: &[ForeignKey],
    ctx: &StatementCtx<'_>,
) -> Result<(), SqlError> {
    if keys.is_empty() {
        return Ok(());
    }
    for other in ctx.reads.meta().tables(ctx.reads.db(), schema) {
        if Some(other.engine.def.id) == own {
            continue;
        }
        let known: HashSet<String> =
            other.foreign.iter().map(|k| folded(&k.text(other.name()))).collect();
        for key in keys.iter().filter(|_| !known.is_empty()) {
            let name = key.text(table);
            if known.contains(&folded(&name)) {
                return Err(duplicate_name(&name));
            }
        }
    }
    Ok(())
}

/// 3823: a column that a foreign key changes by itself is in no check, since cascades are not checked.
pub fn check_checks(meta: &TableMeta, table: &str) -> Result<(), SqlError> {
    for key in &meta.foreign {
        let sets = key.on_delete == Action::SetNull || !key.on_update.refuses();
        for check in meta.checks.iter().filter(|_| sets) {
            let used = expression::columns_of(&check.expr);
            let mut names = key.columns.iter().map(|&c| &meta.columns[c].name);
            let Some(name) = names.find(|n| used.iter().any(|u| same_name(u, n))) else {
                continue;
            };
            return Err(SqlError::of(
                errno::ER_CHECK_CONSTRAINT_CLAUSE_USING_FK_REFER_ACTION_COLUMN,
                &[&name, &check.name.text(table, CHECK), &key.text(table)],
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_syntax::ast::Ident;

    fn key(kind: KeyKind, columns: &[&str]) -> KeyDef {
        let part = |name: &&str| KeyPart {
            kind: KeyPartKind::Column { name: Ident::new(name), length: None },
            descending: false,
            explicit_order: false,
        };
        KeyDef {
            kind,
            constraint: None,
            name: None,
            parts: columns.iter().map(part).collect(),
            options: IndexOptions::default(),
        }
    }

    #[test]
    fn an_index_is_made_where_none_begins_with_the_columns() {
        use KeyKind::{FullText, Index, Unique};
        let left = |keys: Vec<KeyDef>, made: &[usize], there: &[&[&str]]| {
            let there: Vec<Vec<String>> =
                there.iter().map(|l| l.iter().map(|c| (*c).to_owned()).collect()).collect();
            needed_keys(keys, made, &there, &[]).len()
        };
        let (a, b) = (|| key(Index, &["a"]), || key(Index, &["a", "b"]));
        assert_eq!(left(vec![a()], &[0], &[]), 1);
        assert_eq!(left(vec![a()], &[0], &[&["A", "b"]]), 0);
        assert_eq!(left(vec![a()], &[0], &[&["b", "a"]]), 1);
        assert_eq!(left(vec![a(), key(Unique, &["a", "c"])], &[0], &[]), 1);
        assert_eq!(left(vec![a(), key(FullText, &["a"])], &[0], &[]), 2);
        // Of two that are made the longer one stays, of equal ones the first.
        assert_eq!(left(vec![a(), b()], &[0, 1], &[]), 1);
        assert_eq!(left(vec![a(), a()], &[0, 1], &[]), 1);
        // A user's own key stays, whatever it is good for.
        assert_eq!(left(vec![a(), b()], &[1], &[]), 2);
    }
}
