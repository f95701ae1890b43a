//! Tables that a session has locked by statement, as its other statements look at them.

use super::gate::Backup;
use super::read_only::Inside;
use crate::errno;
use crate::memory::{Account, Held};
use crate::session_api::SqlError;
use std::sync::Arc;
use weir_engine::HeldTables;

/// One table of LOCK TABLES, under the name by which statements may use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedTable {
    pub schema: String,
    pub table: String,
    pub alias: String,
    pub write: bool,
}

/// What a session has locked until UNLOCK TABLES.
pub struct LockedTables {
    /// The place among those who write, where a table is locked for that.
    pub writing: Option<Inside>,
    /// The engine's locks.
    pub held: Arc<HeldTables>,
    pub what: LockedWhat,
    /// What the list takes of the session's memory.
    pub memory: Held,
}

/// A list of tables is charged: a long one of short aliases is much larger than the statement that it comes from.
pub fn charge(account: Account<'_>, list: &[LockedTable]) -> Result<Held, SqlError> {
    let bytes = |l: &LockedTable| {
        2 * size_of::<LockedTable>() + l.schema.len() + l.table.len() + l.alias.len()
    };
    let mut held = Held::default();
    if list.len() > FEW {
        held.grow(account, list.iter().map(bytes).sum())?;
    }
    Ok(held)
}

/// So few are of no account.
const FEW: usize = 32;

pub enum LockedWhat {
    /// LOCK TABLES: no other tables may be used.
    Listed(Vec<LockedTable>),
    /// FLUSH TABLES WITH READ LOCK: all may be read and none written.
    All(Backup),
}

impl Drop for LockedTables {
    fn drop(&mut self) {
        self.held.release();
    }
}

impl LockedTables {
    pub fn is_listed(&self) -> bool {
        matches!(self.what, LockedWhat::Listed(_))
    }

    /// It keeps its place among those who write.
    pub fn writes(&self) -> bool {
        self.writing.is_some()
    }

    /// LOCK TABLES of which no table is left.
    pub fn is_empty(&self) -> bool {
        matches!(&self.what, LockedWhat::Listed(list) if list.is_empty())
    }

    /// LOCK TABLES has named it, under whatever alias.
    pub fn names(&self, schema: &str, table: &str) -> bool {
        match &self.what {
            LockedWhat::All(_) => true,
            LockedWhat::Listed(list) => list.iter().any(|l| l.schema == schema && l.table == table),
        }
    }

    /// 1100 for a table that may not be read under this name.
    pub fn check_read(&self, schema: &str, table: &str, alias: &str) -> Result<(), SqlError> {
        match &self.what {
            LockedWhat::All(_) => Ok(()),
            LockedWhat::Listed(list) => {
                let same =
                    |l: &&LockedTable| l.schema == schema && l.table == table && l.alias == alias;
                list.iter().find(same).map(|_| ()).ok_or_else(|| not_locked(alias))
            }
        }
    }

    /// 1099, 1100 or 1223 for a table that may not be changed under this name.
    pub fn check_write(&self, schema: &str, table: &str, alias: &str) -> Result<(), SqlError> {
        let LockedWhat::Listed(list) = &self.what else { return Err(conflicting()) };
        let named = |l: &&LockedTable| l.schema == schema && l.table == table && l.alias == alias;
        match list.iter().find(named) {
            Some(l) if l.write => Ok(()),
            Some(_) => Err(SqlError::of(errno::ER_TABLE_NOT_LOCKED_FOR_WRITE, &[&alias])),
            None => Err(not_locked(alias)),
        }
    }

    /// The same for a definition statement, whatever name the table was locked under.
    pub fn check_define(&self, schema: &str, table: &str) -> Result<(), SqlError> {
        let LockedWhat::Listed(list) = &self.what else { return Err(conflicting()) };
        let same = |l: &&LockedTable| l.schema == schema && l.table == table;
        match list.iter().filter(same).any(|l| l.write) {
            true => Ok(()),
            false => match list.iter().find(same) {
                Some(l) => self.check_write(schema, table, &l.alias),
                None => Err(not_locked(table)),
            },
        }
    }

    /// FLUSH TABLES closes all of them, and so needs all for itself.
    pub fn check_flush(&self) -> Result<(), SqlError> {
        let LockedWhat::Listed(list) = &self.what else { return Err(conflicting()) };
        list.iter().try_for_each(|l| self.check_define(&l.schema, &l.table))
    }

    /// A definition statement has given a table another name, or taken it away.
    pub fn follow(&mut self, schema: &str, table: &str, to: Option<(&str, &str)>) {
        let LockedWhat::Listed(list) = &mut self.what else { return };
        let same = |l: &LockedTable| l.schema == schema && l.table == table;
        let Some((schema, name)) = to else { return list.retain(|l| !same(l)) };
        for l in list.iter_mut().filter(|l| same(l)) {
            if l.alias == l.table {
                l.alias = name.to_owned();
            }
            (l.schema, l.table) = (schema.to_owned(), name.to_owned());
        }
    }
}

fn not_locked(alias: &str) -> SqlError {
    SqlError::of(errno::ER_TABLE_NOT_LOCKED, &[&alias])
}

/// 1223.
pub fn conflicting() -> SqlError {
    SqlError::of(errno::ER_CANT_UPDATE_WITH_READLOCK, &[])
}
