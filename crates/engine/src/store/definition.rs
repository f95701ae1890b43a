//! Definitions of tables, and handles to those that are there.

use super::columns::{Columns, Key};
use crate::error::{Error, Result};
use crate::row::{DatumBuf, KeyPart, PhysCol, RowForm};
use crate::table::{ColumnDef, IndexDef, NewTable, Table as Stored};
use std::marker::PhantomData;
use std::sync::Arc;

/// The engine's folder of these tables. No SQL database has this name, which is longer than those may be.
pub(super) const SCHEMA: &str =
    "tables of a program that has them by the interface of the engine and not by SQL statements";

/// What the dictionary has of such a table besides its columns.
const MARK: &[u8] = b"weir store 1";

/// Indexes of a table at most.
const INDEXES: usize = 8;

#[derive(Clone, Copy)]
struct IndexOf {
    name: &'static str,
    columns: &'static [usize],
    unique: bool,
}

/// What a table is called and which indexes it has: a constant of the program. `K`: what its rows are found by; `V`: what they have besides.
///
/// ```
/// use weir_engine::store::TableDefinition;
///
/// /// Orders by customer and number: article, cents, remark.
/// const ORDERS: TableDefinition<(u32, u64), (String, i64, Option<String>)> =
///     TableDefinition::new("orders").index("by_article", &[0]).index("by_price", &[1, 0]);
/// ```
pub struct TableDefinition<K, V> {
    name: &'static str,
    indexes: [Option<IndexOf>; INDEXES],
    of: PhantomData<fn() -> (K, V)>,
}

impl<K: Key, V: Columns> TableDefinition<K, V> {
    /// A table without secondary indexes.
    pub const fn new(name: &'static str) -> TableDefinition<K, V> {
        TableDefinition { name, indexes: [None; INDEXES], of: PhantomData }
    }

    /// Has an index over columns of the value: `&[1, 0]` is its second column, and then its first one. Eight indexes are allowed.
    pub const fn index(
        self,
        name: &'static str,
        columns: &'static [usize],
    ) -> TableDefinition<K, V> {
        self.with(IndexOf { name, columns, unique: false })
    }

    /// Has an index in which no two rows have the same values. Rows that have a NULL in it are not compared.
    pub const fn unique(
        self,
        name: &'static str,
        columns: &'static [usize],
    ) -> TableDefinition<K, V> {
        self.with(IndexOf { name, columns, unique: true })
    }

    const fn with(mut self, index: IndexOf) -> TableDefinition<K, V> {
        assert!(!index.columns.is_empty(), "an index has a column");
        let mut i = 0;
        while i < index.columns.len() {
            assert!(index.columns[i] < V::COLUMNS.len(), "an index is over columns of the value");
            i += 1;
        }
        let mut place = 0;
        while self.indexes[place].is_some() {
            place += 1;
            assert!(place < INDEXES, "a table has eight secondary indexes at most");
        }
        self.indexes[place] = Some(index);
        self
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    fn columns() -> Vec<ColumnDef> {
        let column = |name: String, phys: &PhysCol| {
            let default = if phys.nullable { DatumBuf::Null } else { phys.ty.zero() };
            ColumnDef { name, phys: *phys, default }
        };
        let keys = K::COLUMNS.iter().enumerate().map(|(i, c)| column(format!("k{i}"), c));
        let values = V::COLUMNS.iter().enumerate().map(|(i, c)| column(format!("v{i}"), c));
        keys.chain(values).collect()
    }

    /// The secondary indexes as the engine has them.
    pub(super) fn index_defs(&self) -> Vec<IndexDef> {
        let first = K::COLUMNS.len();
        let def = |i: &IndexOf| IndexDef {
            name: i.name.to_owned(),
            unique: i.unique,
            parts: i.columns.iter().map(|c| KeyPart::asc(first + c)).collect(),
        };
        self.indexes.iter().flatten().map(def).collect()
    }

    /// What is to be made where the table is not there.
    pub(super) fn new_table(&self) -> NewTable {
        let parts = (0..K::COLUMNS.len()).map(KeyPart::asc).collect();
        let primary = IndexDef { name: "PRIMARY".to_owned(), unique: true, parts };
        NewTable {
            schema: SCHEMA.to_owned(),
            name: self.name.to_owned(),
            columns: Self::columns(),
            indexes: std::iter::once(primary).chain(self.index_defs()).collect(),
            auto_increment: None,
            auto_increment_start: 1,
            parts: 0,
            form: RowForm::default(),
            extra: MARK.to_vec(),
        }
    }

    /// Whether a stored table has these columns. Its indexes may be others.
    pub(super) fn check(&self, stored: &Stored) -> Result<()> {
        let wanted = K::COLUMNS.iter().chain(V::COLUMNS);
        let same = stored.def.columns.iter().map(|c| &c.phys).eq(wanted)
            && stored.def.indexes[0].parts.len() == K::COLUMNS.len();
        match same {
            true => Ok(()),
            false => Err(Error::Unsupported(format!(
                "table '{}' has other columns than its definition in this program; the definition must be that which it was made with",
                self.name
            ))),
        }
    }
}

/// A table that is there. A handle may be used in all threads and transactions of its database.
pub struct Table<K, V> {
    pub(super) stored: Arc<Stored>,
    of: PhantomData<fn() -> (K, V)>,
}

impl<K, V> Clone for Table<K, V> {
    fn clone(&self) -> Table<K, V> {
        Table { stored: self.stored.clone(), of: PhantomData }
    }
}

impl<K: Key, V: Columns> Table<K, V> {
    pub(super) fn of(stored: Arc<Stored>) -> Table<K, V> {
        Table { stored, of: PhantomData }
    }

    /// An index by its name. `I`: the columns that it is over.
    ///
    /// Errors: [`Error::NoSuchIndex`]; [`Error::Unsupported`] where `I` is not what the index is over.
    pub fn index<I: Columns>(&self, name: &str) -> Result<Index<K, V, I>> {
        let def = &self.stored.def;
        let at = def.indexes.iter().skip(1).position(|i| i.name == name).map(|i| i + 1);
        let at = at.ok_or_else(|| Error::NoSuchIndex {
            table: def.name.clone(),
            index: name.to_owned(),
        })?;
        let over = def.indexes[at].parts.iter().map(|p| &def.columns[p.col].phys);
        if !over.eq(I::COLUMNS) {
            return Err(Error::Unsupported(format!(
                "index '{name}' of table '{}' is over columns of other types",
                def.name
            )));
        }
        Ok(Index { table: self.clone(), at, of: PhantomData })
    }
}

/// An index of a table that is there.
pub struct Index<K, V, I> {
    pub(super) table: Table<K, V>,
    /// Its position among the indexes of the table.
    pub(super) at: usize,
    of: PhantomData<fn() -> I>,
}

impl<K, V, I> Clone for Index<K, V, I> {
    fn clone(&self) -> Index<K, V, I> {
        Index { table: self.table.clone(), at: self.at, of: PhantomData }
    }
}
