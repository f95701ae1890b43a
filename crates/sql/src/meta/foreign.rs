//! Foreign keys as a table's definition keeps them, and the index of who references whom.
//!
//! A foreign key stands in the definition of the child alone, and names its parent: with `foreign_key_checks = 0` the parent need not
//! exist. Who references a table is worked out from all definitions, and kept until one of them changes ([`References`]).

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::{Arc, PoisonError, RwLock};

use weir_engine::Db;
use weir_syntax::ast::ReferentialAction;

use super::{ConstraintName, MetaCache, SqlIndex, SqlTable, TableMeta, same_name};

/// What stands between a table's name and the number of a foreign key.
pub const FOREIGN: &str = "_ibfk_";

/// What becomes of a child's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// As written; the same as RESTRICT, and shown as nothing.
    NoAction,
    Restrict,
    Cascade,
    SetNull,
}

impl Action {
    /// As SQL has it.
    pub fn text(self) -> &'static str {
        match self {
            Action::NoAction => "NO ACTION",
            Action::Restrict => "RESTRICT",
            Action::Cascade => "CASCADE",
            Action::SetNull => "SET NULL",
        }
    }

    /// The parent's row may not go while a child's row is there.
    pub fn refuses(self) -> bool {
        matches!(self, Action::NoAction | Action::Restrict)
    }

    /// `None` for SET DEFAULT, which there is not.
    pub fn of(written: Option<ReferentialAction>) -> Option<Action> {
        Some(match written {
            None | Some(ReferentialAction::NoAction) => Action::NoAction,
            Some(ReferentialAction::Restrict) => Action::Restrict,
            Some(ReferentialAction::Cascade) => Action::Cascade,
            Some(ReferentialAction::SetNull) => Action::SetNull,
            Some(ReferentialAction::SetDefault) => return None,
        })
    }
}

/// A foreign key of a child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignKey {
    pub name: ConstraintName,
    /// Positions of the child's columns.
    pub columns: Vec<usize>,
    pub parent: TablePlace,
    /// Names of the parent's columns, as many as the child's.
    pub parent_columns: Vec<String>,
    pub on_delete: Action,
    pub on_update: Action,
}

/// Schema and name of a table.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TablePlace {
    pub schema: String,
    pub name: String,
}

impl TablePlace {
    pub fn new(schema: &str, name: &str) -> TablePlace {
        TablePlace { schema: schema.into(), name: name.into() }
    }
}

impl ForeignKey {
    /// The name as shown; `table`: the child's.
    pub fn text(&self, table: &str) -> String {
        self.name.text(table, FOREIGN)
    }

    pub fn is_named(&self, name: &str, table: &str) -> bool {
        same_name(&self.text(table), name)
    }

    /// The constraint as errors name it.
    pub fn described(&self, (schema, table): (&str, &str), meta: &TableMeta) -> String {
        let quote = |n: &str| format!("`{}`", n.replace('`', "``"));
        let clause = self.clause((schema, table), meta, quote);
        format!("({}.{}, {clause})", quote(schema), quote(table))
    }

    /// `CONSTRAINT ... FOREIGN KEY ... REFERENCES ...` of SHOW CREATE TABLE and of errors. A parent in the child's schema is named
    /// without it.
    pub fn clause(
        &self,
        (schema, table): (&str, &str),
        meta: &TableMeta,
        quote: impl Fn(&str) -> String,
    ) -> String {
        let list = |names: Vec<String>| names.join(", ");
        let own = self.columns.iter().map(|&c| quote(&meta.columns[c].name)).collect();
        let theirs = self.parent_columns.iter().map(|c| quote(c)).collect();
        let mut out = format!("CONSTRAINT {} ", quote(&self.text(table)));
        let _ = write!(out, "FOREIGN KEY ({}) REFERENCES ", list(own));
        if self.parent.schema != schema {
            let _ = write!(out, "{}.", quote(&self.parent.schema));
        }
        let _ = write!(out, "{} ({})", quote(&self.parent.name), list(theirs));
        for (clause, action) in [("DELETE", self.on_delete), ("UPDATE", self.on_update)] {
            if action != Action::NoAction {
                let _ = write!(out, " ON {clause} {}", action.text());
            }
        }
        out
    }
}

/// Positions of the indexes whose first parts are whole `columns`, in this order: those that a foreign key can search.
pub fn searchable<'i>(
    indexes: &'i [SqlIndex],
    columns: &'i [usize],
) -> impl Iterator<Item = usize> + 'i {
    let fits = move |i: &SqlIndex| {
        i.parts.len() >= columns.len()
            && !i.is_multi_valued()
            && i.parts.iter().zip(columns).all(|(p, c)| p.column == *c && p.prefix.is_none())
    };
    indexes.iter().enumerate().filter(move |(_, i)| fits(i)).map(|(n, _)| n)
}

/// A foreign key and the table that it belongs to.
#[derive(Debug, Clone)]
pub struct ChildKey {
    pub child: Arc<SqlTable>,
    /// Its place among the child's foreign keys.
    pub at: usize,
}

impl ChildKey {
    pub fn key(&self) -> &ForeignKey {
        &self.child.foreign[self.at]
    }

    pub fn name(&self) -> String {
        self.key().text(self.child.name())
    }
}

/// Which foreign keys reference a table, of all tables at one version of the catalog.
#[derive(Debug, Default)]
pub struct References {
    version: u64,
    /// Id and version of the definitions that have no keys: most do not, and none is read twice.
    keyless: HashSet<(u64, u64)>,
    by_parent: HashMap<TablePlace, Vec<ChildKey>>,
}

impl References {
    /// The keys that reference a table, by the names of their tables and their places.
    pub fn to(&self, schema: &str, name: &str) -> &[ChildKey] {
        self.by_parent.get(&TablePlace::new(schema, name)).map_or(&[], Vec::as_slice)
    }
}

/// The references of the last version that somebody asked about.
#[derive(Debug, Default)]
pub struct ReferenceCache(RwLock<Option<Arc<References>>>);

impl ReferenceCache {
    /// Invariant: the version is read before the tables, so what is kept is never older than it says. A plan that was made of it looks
    /// at the version again when it has its metadata locks.
    pub fn get(&self, meta: &MetaCache, db: &Db) -> Arc<References> {
        let version = db.catalog_version();
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).clone();
        let known = known.unwrap_or_default();
        if known.version == version {
            return known;
        }
        let mut keyless = HashSet::with_capacity(known.keyless.len());
        let mut by_parent: HashMap<TablePlace, Vec<ChildKey>> = HashMap::new();
        for engine in db.all_tables() {
            let definition = (engine.def.id, engine.def.version);
            if known.keyless.contains(&definition) {
                keyless.insert(definition);
                continue;
            }
            let Ok(child) = meta.bind(&engine) else { continue };
            if child.foreign.is_empty() {
                keyless.insert(definition);
            }
            for (at, key) in child.foreign.iter().enumerate() {
                let list = by_parent.entry(key.parent.clone()).or_default();
                list.push(ChildKey { child: child.clone(), at });
            }
        }
        for list in by_parent.values_mut() {
            list.sort_by(|a, b| {
                let place = |k: &ChildKey| (k.child.schema().to_owned(), k.child.name().to_owned());
                place(a).cmp(&place(b)).then(a.at.cmp(&b.at))
            });
        }
        let found = Arc::new(References { version, keyless, by_parent });
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(found.clone());
        found
    }
}
