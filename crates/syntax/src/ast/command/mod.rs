//! Kinds of statements as MySQL tells them apart (its `enum_sql_command`), and what its rules ask of each.
//!
//! `table` has one row for each kind. `of` finds the kind of a statement, and answers those questions whose answer depends on more
//! than the kind: a temporary table, LOCAL, the verb of a maintenance statement. Code that wants to know whether a statement commits,
//! can be prepared or is written to a binary log reads the row; it does not list statements.

mod of;
mod table;
#[cfg(test)]
mod tests;

pub use table::SqlCommand;

/// How a statement reaches a binary log whose format is ROW.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logged {
    /// By the rows that it changes, its own or those of the functions and procedures that it calls.
    Rows,
    /// By its text.
    Statement,
    /// It begins, divides or ends a transaction, whose own events say so.
    Transaction,
    Never,
}

/// What a statement is in the body of a stored program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InProgram {
    Allowed,
    /// Sends rows to the client: 1415 in a function or a trigger.
    SendsRows,
    /// Commits: 1422 in a function or a trigger.
    Commits,
    /// May switch `autocommit`: 1445 in a function or a trigger.
    SetsAutocommit,
    /// PREPARE and its like: 1336 in a function or a trigger.
    Dynamic,
    /// FLUSH and RESET: 1336, with the statement's name, in a function or a trigger.
    Flushes(&'static str),
    /// 1314 in any program, with the statement's name.
    Refused(&'static str),
    /// Defines another program, which the grammar of programs refuses (1303, 1357, 1576).
    Program,
}

/// What LOCK TABLES asks of the session's other statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnderLocks {
    Allowed,
    /// The tables that it names have to be among those that are locked (1099, 1100).
    NamedTables,
    /// It writes to the grant tables, which no session locks (1100).
    GrantTables,
    /// 1192.
    Refused,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The status variable that counts it.
    pub counter: &'static str,
    pub logged: Logged,
    pub in_program: InProgram,
    pub under_locks: UnderLocks,
    /// Commits the transaction at hand before it runs, and therefore is refused in an XA transaction (1399).
    pub commits: bool,
    /// Changes definitions or accounts: refused in a READ ONLY transaction (1792) and where `read_only` is on (1290), and one of an
    /// account's updates for an hour.
    pub defines: bool,
    /// Writes to the grant tables.
    pub changes_accounts: bool,
    /// Waits for LOCK INSTANCE FOR BACKUP.
    pub blocked_by_backup: bool,
    /// Makes a definition that stays in memory, for which there must be room.
    pub makes_definition: bool,
    /// The prepared statement protocol does not take it (1295).
    pub unprepared: bool,
    /// Closes the session's handlers (HANDLER) of the tables that it names, whatever becomes of it.
    pub closes_handlers: bool,
    /// Reads or sets the diagnostics area of the statement before, so that it must leave it as it is.
    pub diagnostics: bool,
}

impl Facts {
    const fn new(
        counter: &'static str,
        logged: Logged,
        in_program: InProgram,
        under_locks: UnderLocks,
    ) -> Facts {
        Facts {
            counter,
            logged,
            in_program,
            under_locks,
            commits: false,
            defines: false,
            changes_accounts: false,
            blocked_by_backup: false,
            makes_definition: false,
            unprepared: false,
            closes_handlers: false,
            diagnostics: false,
        }
    }

    /// The name that MySQL's performance_schema has for the statement: `statement/sql/` and this.
    pub fn event(&self) -> &'static str {
        &self.counter["Com_".len()..]
    }
}
