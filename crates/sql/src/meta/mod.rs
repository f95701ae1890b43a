//! What SQL knows about schemas and tables beyond the engine's definitions: types, defaults, comments.
//!
//! The engine stores this room's bytes (`TableDef::extra`, `SchemaDef::extra`) beside its own
//! definition, in the same atomic step, and never looks into them. May use `value` and the engine.
//!
//! Invariants:
//! - Column `i` here is column `i` of the engine's table; an index is found by its name.
//! - A literal default is kept as the datum that the column stores, so an insert copies it.
//! - Bytes written by an older version stay readable ([`codec`] carries a version).

pub mod cache;
pub mod codec;
pub mod constraint;
mod duplicate;
pub mod event;
pub mod foreign;
pub mod histogram;
pub mod partition;
pub mod program;
mod rules;
mod special;
pub mod temporary;
pub mod view;

pub use cache::{MetaCache, schema_meta};
pub use constraint::{CheckConstraint, ConstraintName};
pub use duplicate::duplicate_entry;
pub use foreign::ForeignKey;
pub use histogram::Histogram;
pub use partition::Partitioning;
pub use rules::RowRules;
pub use special::{SpecialKey, SpecialKind};

use std::any::Any;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use weir_engine::row::{Collation, DatumBuf, PhysCol, PhysType};

use crate::value::SqlType;

/// Name of the clustered index of a table without a primary key (InnoDB's name for it).
pub const HIDDEN_INDEX: &str = "GEN_CLUST_INDEX";
/// Name of the primary key's index.
pub const PRIMARY: &str = "PRIMARY";

/// What a column gets when an INSERT does not name it.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnDefault {
    /// No default: strict mode refuses the insert (1364).
    None,
    Null,
    /// The datum as stored, see `SqlType::load`.
    Literal(DatumBuf),
    /// CURRENT_TIMESTAMP(fsp).
    CurrentTimestamp(u8),
    /// Text of `DEFAULT (expr)`, evaluated for each row.
    Expr(String),
    /// The column is a generated one: it has no default, and takes no value. What is VIRTUAL is on disk too.
    Generated {
        expr: String,
        stored: bool,
    },
}

/// A column as SQL sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct SqlColumn {
    pub name: String,
    pub ty: SqlType,
    pub nullable: bool,
    pub default: ColumnDefault,
    /// Fractional digits of ON UPDATE CURRENT_TIMESTAMP.
    pub on_update_now: Option<u8>,
    pub auto_increment: bool,
    pub comment: String,
    /// Not part of `SELECT *`.
    pub invisible: bool,
    /// Made for a key part that is an expression: a generated column that no statement names or shows.
    pub hidden: bool,
    /// Of a hidden column of a multi-valued index the type of the elements: the column itself keeps a list of them, as bytes.
    pub array: Option<SqlType>,
    /// A COLLATE clause was given; SHOW CREATE TABLE repeats it.
    pub explicit_collation: bool,
}

impl SqlColumn {
    /// A nullable column without attributes.
    pub fn new(name: impl Into<String>, ty: SqlType) -> SqlColumn {
        SqlColumn {
            name: name.into(),
            ty,
            nullable: true,
            default: ColumnDefault::Null,
            on_update_now: None,
            auto_increment: false,
            comment: String::new(),
            invisible: false,
            hidden: false,
            array: None,
            explicit_collation: false,
        }
    }

    /// Do statements mean this column by this name? In any letter case; a hidden column has no name for them.
    pub fn is_named(&self, name: &str) -> bool {
        !self.hidden && same_name(&self.name, name)
    }

    /// A generated column.
    pub fn is_generated(&self) -> bool {
        matches!(self.default, ColumnDefault::Generated { .. })
    }

    /// A generated column whose values MySQL does not store.
    pub fn is_virtual(&self) -> bool {
        matches!(self.default, ColumnDefault::Generated { stored: false, .. })
    }

    /// The expression of the key part that a hidden column is for.
    pub fn key_expression(&self) -> Option<&str> {
        match &self.default {
            ColumnDefault::Generated { expr, .. } if self.hidden => Some(expr),
            _ => None,
        }
    }

    /// The type of a key part over the column.
    pub fn key_type(&self) -> SqlType {
        self.array.unwrap_or(self.ty)
    }

    /// The physical column.
    pub fn phys(&self) -> PhysCol {
        PhysCol::new(self.ty.phys(), self.nullable)
    }
}

/// A part of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexPart {
    /// Position of the column in the table.
    pub column: usize,
    /// Characters of text or bytes of binary data; `None`: all.
    pub prefix: Option<u32>,
    pub desc: bool,
    /// The column is a list, and each of its elements, of this type, has an entry: the index is multi-valued.
    pub elements: Option<PhysType>,
}

/// USING clause as given; every index is a B-tree whatever it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsingClause {
    BTree,
    Hash,
}

/// An index as SQL sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlIndex {
    pub name: String,
    pub unique: bool,
    pub parts: Vec<IndexPart>,
    pub comment: String,
    /// USING as given.
    pub using: Option<UsingClause>,
    /// The optimizer leaves an invisible index alone.
    pub visible: bool,
    /// Made for a foreign key: it goes where an index of the user's own does as well.
    pub generated: bool,
}

impl SqlIndex {
    /// Is it the primary key?
    pub fn is_primary(&self) -> bool {
        self.name == PRIMARY
    }

    /// Has a row as many entries in it as a list has elements, which may be none?
    pub fn is_multi_valued(&self) -> bool {
        self.parts.iter().any(|p| p.elements.is_some())
    }
}

/// What is stored with a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableMeta {
    pub columns: Vec<SqlColumn>,
    /// In MySQL's order: primary key, unique keys without nullable parts, other unique keys, the rest.
    pub indexes: Vec<SqlIndex>,
    /// FULLTEXT and SPATIAL keys, which the engine knows nothing of: SPATIAL ones first, as MySQL shows them.
    pub special: Vec<SpecialKey>,
    /// Default collation of the table; its character set is the collation's.
    pub collation: Collation,
    pub comment: String,
    /// Table options that SHOW CREATE TABLE repeats, in its order: upper-case name and value as printed. Of another engine that a statement
    /// named there is [`DECLARED_ENGINE`], which is not shown.
    pub options: Vec<(String, String)>,
    /// In the order of their definition.
    pub checks: Vec<CheckConstraint>,
    /// In the order of their definition.
    pub foreign: Vec<ForeignKey>,
    pub partitions: Option<Box<Partitioning>>,
    /// At most one of a column.
    pub histograms: Vec<Arc<Histogram>>,
}

/// The option under which a table keeps the name of the engine that a statement declared it with, where that makes a difference.
pub const DECLARED_ENGINE: &str = "ENGINE";

/// The value of [`DECLARED_ENGINE`].
pub const MYISAM: &str = "MyISAM";

impl TableMeta {
    /// A table of these columns without anything else.
    pub fn new(columns: Vec<SqlColumn>, collation: Collation) -> TableMeta {
        TableMeta {
            columns,
            indexes: Vec::new(),
            special: Vec::new(),
            collation,
            comment: String::new(),
            options: Vec::new(),
            checks: Vec::new(),
            foreign: Vec::new(),
            partitions: None,
            histograms: Vec::new(),
        }
    }

    /// Whether the table was declared as one of MyISAM. It is InnoDB's all the same, and keeps two habits that applications rely on: a
    /// search IN BOOLEAN MODE needs no FULLTEXT key, and an AUTO_INCREMENT column may count within the groups of a key.
    pub fn is_like_myisam(&self) -> bool {
        self.option(DECLARED_ENGINE) == Some(MYISAM)
    }

    /// The options that clients see.
    pub fn shown_options(&self) -> impl Iterator<Item = &(String, String)> {
        self.options.iter().filter(|(name, _)| name != DECLARED_ENGINE)
    }

    /// Where the AUTO_INCREMENT column leads no key, it counts within the groups that the parts of a key before it make: the key, by its
    /// place in [`TableMeta::indexes`], and how many parts there are. MySQL takes the first key that has the column.
    pub fn counts_within(&self) -> Option<(usize, usize)> {
        let auto = self.auto_increment().filter(|_| self.is_like_myisam())?;
        let at = |i: &SqlIndex| i.parts.iter().position(|p| p.column == auto);
        if self.indexes.iter().any(|i| at(i) == Some(0)) {
            return None;
        }
        self.indexes.iter().enumerate().find_map(|(n, i)| Some((n, at(i)?)))
    }

    /// The AUTO_INCREMENT column where the table's counter gives its numbers. Those within groups are looked up in the table.
    pub fn counter(&self) -> Option<usize> {
        self.auto_increment().filter(|_| self.counts_within().is_none())
    }

    /// Position of a column by name, in any letter case.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.is_named(name))
    }

    /// The columns that statements know, each with its position.
    pub fn shown_columns(&self) -> impl Iterator<Item = (usize, &SqlColumn)> {
        self.columns.iter().enumerate().filter(|(_, c)| !c.hidden)
    }

    /// Position of an index by name, in any letter case.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.indexes.iter().position(|i| same_name(&i.name, name))
    }

    /// The primary key.
    pub fn primary(&self) -> Option<&SqlIndex> {
        self.indexes.first().filter(|i| i.is_primary())
    }

    /// The index that rows are stored in: the primary key, else the first unique key whose parts are
    /// whole NOT NULL columns (InnoDB's rule), else none: the engine's hidden row id.
    pub fn clustered(&self) -> Option<usize> {
        let whole = |i: &SqlIndex| {
            i.parts.iter().all(|p| p.prefix.is_none() && !self.columns[p.column].nullable)
        };
        if self.primary().is_some() {
            return Some(0);
        }
        self.indexes.iter().position(|i| i.unique && whole(i))
    }

    /// The key that a table without a primary key shows as one: the first unique key of whole NOT NULL columns, none of them virtual.
    fn shown_as_primary(&self) -> Option<&SqlIndex> {
        let fits = |p: &IndexPart| {
            let column = &self.columns[p.column];
            let is_virtual =
                matches!(column.default, ColumnDefault::Generated { stored: false, .. });
            p.prefix.is_none() && !column.nullable && !is_virtual
        };
        match self.primary() {
            Some(_) => None,
            None => self.indexes.iter().find(|i| i.unique && i.parts.iter().all(fits)),
        }
    }

    /// Position of the AUTO_INCREMENT column.
    pub fn auto_increment(&self) -> Option<usize> {
        self.columns.iter().position(|c| c.auto_increment)
    }

    /// Is there an expression in the definition?
    pub fn has_expressions(&self) -> bool {
        let computed = |c: &SqlColumn| {
            matches!(c.default, ColumnDefault::Expr(_) | ColumnDefault::Generated { .. })
        };
        !self.checks.is_empty() || self.partitions.is_some() || self.columns.iter().any(computed)
    }

    /// The histogram of a column.
    pub fn histogram(&self, column: usize) -> Option<&Arc<Histogram>> {
        self.histograms.iter().find(|h| h.column == column)
    }

    /// A visible unique key over this column alone: its values are known to differ, so it has no histogram.
    pub fn is_unique_alone(&self, column: usize) -> bool {
        let alone = |i: &SqlIndex| {
            i.unique && i.visible && matches!(i.parts[..], [p] if p.column == column)
        };
        self.indexes.iter().any(alone)
    }

    /// Value of a kept table option.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// PRI, UNI, MUL or nothing, as SHOW COLUMNS has it.
    pub fn column_key(&self, column: usize) -> &'static str {
        let in_primary =
            self.primary().is_some_and(|p| p.parts.iter().any(|part| part.column == column));
        if in_primary {
            return "PRI";
        }
        let leads = |i: &&SqlIndex| i.parts.first().is_some_and(|p| p.column == column);
        let alone = |i: &SqlIndex| i.unique && i.parts.len() == 1;
        if self.shown_as_primary().is_some_and(|i| i.parts.iter().any(|p| p.column == column)) {
            return "PRI";
        }
        if self.indexes.iter().filter(leads).any(alone) {
            return "UNI";
        }
        let special = self.special.iter().any(|k| k.columns.first() == Some(&column));
        if special || self.indexes.iter().any(|i| leads(&i)) { "MUL" } else { "" }
    }
}

/// A table bound for use: the engine's handle and what SQL knows about it.
pub struct SqlTable {
    pub engine: Arc<weir_engine::Table>,
    pub meta: TableMeta,
    /// For each of `meta.indexes` its position in the engine's definition.
    pub engine_indexes: Vec<usize>,
    /// Of a temporary table the names that its session knows it by.
    pub shown: Option<(String, String)>,
    /// What holds for each row that is written.
    pub rules: RowRules,
    /// The definition's expressions, bound at their first use by the room that evaluates them (`query::bind::rules`), which alone
    /// knows what is in here.
    pub bound: OnceLock<Box<dyn Any + Send + Sync>>,
}

impl Deref for SqlTable {
    type Target = TableMeta;
    fn deref(&self) -> &TableMeta {
        &self.meta
    }
}

impl SqlTable {
    pub fn schema(&self) -> &str {
        self.shown.as_ref().map_or(&self.engine.def.schema, |s| &s.0)
    }

    pub fn name(&self) -> &str {
        self.shown.as_ref().map_or(&self.engine.def.name, |s| &s.1)
    }

    pub fn is_temporary(&self) -> bool {
        self.shown.is_some()
    }

    /// The SQL index that comes after position `engine` of the engine's definition; `None` for the
    /// hidden row id.
    pub fn sql_index(&self, engine: usize) -> Option<usize> {
        self.engine_indexes.iter().position(|&e| e == engine)
    }

    /// Whether an index of the engine's may be read in place of the table: it has a name, and one entry for each row.
    pub fn has_all_rows(&self, engine: usize) -> bool {
        self.sql_index(engine).is_some_and(|i| !self.meta.indexes[i].is_multi_valued())
    }
}

impl std::fmt::Debug for SqlTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SqlTable({}.{})", self.schema(), self.name())
    }
}

/// What is stored with a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaMeta {
    pub collation: Collation,
}

/// A schema without stored metadata has the collation that was the default when such schemas were made.
impl Default for SchemaMeta {
    fn default() -> Self {
        SchemaMeta { collation: Collation::Utf8mb4GeneralCi }
    }
}

/// Column and index names compare without regard to letter case.
pub fn same_name(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || a.to_lowercase() == b.to_lowercase()
}

/// A name as a key of maps: two names have the same one where [`same_name`] says that they are one.
pub fn folded(name: &str) -> String {
    name.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(name: &str, unique: bool, columns: &[usize]) -> SqlIndex {
        let parts = columns.iter().map(|&c| IndexPart {
            column: c,
            prefix: None,
            desc: false,
            elements: None,
        });
        let parts = parts.collect();
        SqlIndex {
            name: name.into(),
            unique,
            parts,
            comment: String::new(),
            using: None,
            visible: true,
            generated: false,
        }
    }

    fn table(indexes: Vec<SqlIndex>, nullable: &[bool]) -> TableMeta {
        let columns = nullable
            .iter()
            .enumerate()
            .map(|(i, &n)| SqlColumn {
                nullable: n,
                ..SqlColumn::new(format!("c{i}"), SqlType::INT)
            })
            .collect();
        TableMeta { indexes, ..TableMeta::new(columns, Collation::Utf8mb4GeneralCi) }
    }

    #[test]
    fn clustered_key_choice() {
        assert_eq!(table(vec![], &[false]).clustered(), None);
        assert_eq!(table(vec![index("u", true, &[0])], &[true]).clustered(), None);
        let t = table(vec![index("a", true, &[1]), index("b", true, &[0])], &[false, true]);
        assert_eq!(t.clustered(), Some(1));
        assert_eq!(t.column_key(0), "PRI");
        assert_eq!(t.column_key(1), "UNI");
    }

    #[test]
    fn column_keys_with_a_primary_key() {
        let t = table(
            vec![index(PRIMARY, true, &[0, 1]), index("u", true, &[2]), index("k", false, &[3])],
            &[false, false, false, true],
        );
        let keys: Vec<_> = (0..4).map(|c| t.column_key(c)).collect();
        assert_eq!(keys, ["PRI", "PRI", "UNI", "MUL"]);
    }

    #[test]
    fn names_ignore_case() {
        assert!(same_name("Äpfel", "äPFEL"));
        assert!(!same_name("a", "b"));
    }
}
