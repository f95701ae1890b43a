//! Writing to the tables of the schema `mysql`, and reading what was written.
//!
//! The grant tables are made from the accounts when they are read. A statement that writes to one has it made a table first, with the
//! rows that it has, so that whatever MySQL's administrators and dumps do with those tables can be done. As in MySQL that has no
//! effect before FLUSH PRIVILEGES, a restart, or a statement about accounts, which all read the tables. Then they are computed again.
//!
//! Invariants:
//! - A table takes the place of a computed one with all of its rows or not at all (it is made by CREATE TABLE ... SELECT).
//! - While any grant table is a table no statement changes accounts: it reads those tables first, and fails where it cannot. So
//!   what the tables say is never older than the accounts. Anyone who makes one of a computed one or reads it keeps others from changing
//!   accounts meanwhile ([`Alone`]). All enter the gate of writers, that of definitions and this guard in this order, and wait for
//!   tables' locks only behind them.
//! - A table is locked from before it is read until it is gone, so that no row is written to it in between and lost.
//! - Tables that leave no account are not read: nobody could log in any more.

use super::{Instance, Session};
use crate::account::{Access, AccountName, Alone, GRANT_TABLES, GrantRow, GrantRows, Privileges};
use crate::context::SYSTEM_SCHEMA;
use crate::errno;
use crate::infoschema::system_tables;
use crate::locks::{Defining, Inside};
use crate::rights::{self, Need};
use crate::session_api::{
    ColumnMeta, ConnInfo, Discard, KillSwitch, OkInfo, OutValue, ResultSink, SinkError, SqlError,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use weir_rt::{Boxed, Interrupt};
use weir_syntax::ast::{FlushKind, Statement, TableName};

/// Whom the server's own statements are of. There is no such account here; in MySQL it is locked.
const OWNER: (&str, &str) = ("mysql.sys", "localhost");

/// Attempts to read the grant tables before the sessions that make and drop them meanwhile are kept out.
const ATTEMPTS: usize = 8;
/// What a statement finds where one of its tables has gone or come since it was put together.
const GONE: [u16; 3] =
    [errno::ER_NO_SUCH_TABLE, errno::ER_TABLE_NOT_LOCKED, errno::ER_TABLE_DEF_CHANGED];

/// Seconds that the server's own statements wait for a table that somebody uses.
const PATIENCE: u32 = 10;

/// What statements of the server's own are within.
#[derive(Clone)]
pub(super) struct Within {
    /// The connection's, so that its own backup and its own locks keep nothing of it out.
    id: u64,
    kill: Arc<KillSwitch>,
    interrupt: Arc<Interrupt>,
    /// Inside the gate of writers, and of definitions. Nobody enters one of them twice, since it may be closing.
    pub writing: bool,
    pub defining: bool,
}

/// What anyone who makes and reads grant tables is inside of.
struct Gates<'s> {
    within: Within,
    _defining: Option<Defining<'s>>,
    _writing: Option<Inside>,
}

impl Session {
    /// A session of the server itself, which may do everything.
    pub fn of_server(inst: &Arc<Instance>, id: u64) -> Session {
        let (conn, access) = owner(inst, id);
        Session::open_with(inst, conn, access)
    }

    /// The same for the applier of a replica, which `kill` ends.
    pub fn of_replica(inst: &Arc<Instance>, id: u64, kill: Arc<KillSwitch>) -> Session {
        let (mut conn, _) = owner(inst, id);
        conn.kill = kill;
        let name = AccountName::new(&conn.account_user, &conn.account_host);
        let access = Access::of_replica(&inst.accounts, &name);
        Session::open_with(inst, conn, access)
    }

    /// The same for a statement of another session, with whose statement it is killed.
    fn of_server_within(inst: &Arc<Instance>, within: Within) -> Session {
        let (mut conn, access) = owner(inst, within.id);
        conn.kill = within.kill.clone();
        let mut s = Session::with_interrupt(inst, conn, access, within.interrupt.clone());
        s.within = Some(within);
        s
    }

    /// Enters both gates where the statement at hand is not inside them.
    async fn enter_gates(&self) -> Result<Gates<'_>, SqlError> {
        let writing = self.enter_writing().await?;
        let inside = self.defining || self.within.as_ref().is_some_and(|w| w.defining);
        let defining = match inside {
            true => None,
            false => Some(self.inst.definitions.define(self.conn.id, &self.patience()).await?),
        };
        let within = Within {
            id: self.conn.id,
            kill: self.conn.kill.clone(),
            interrupt: self.interrupt.clone(),
            writing: true,
            defining: true,
        };
        Ok(Gates { within, _defining: defining, _writing: writing })
    }

    /// Makes tables of the computed ones of `mysql` that a query changes. Answers whether there was one.
    pub(super) async fn make_written(&self, stmt: &Statement) -> Result<bool, SqlError> {
        let mut needs = rights::of_query(stmt, self.info.database.as_deref())?;
        rights::spare_temporary(&mut needs, &self.temporaries);
        let writing = Privileges::INSERT | Privileges::UPDATE | Privileges::DELETE;
        let mut made = false;
        for need in needs {
            let (held, schema, table) = match need {
                Need::Table { privileges, schema, table } => (privileges, schema, table),
                Need::AnyOnTable { any_of, schema, table, .. } => (any_of, schema, table),
                _ => continue,
            };
            if held.intersects(writing) {
                made |= self.make_system_table(&schema, &table).await?;
            }
        }
        Ok(made)
    }

    /// Makes a table of what the name says, if that is a computed one of `mysql`.
    async fn make_named(&self, name: &TableName) -> Result<(), SqlError> {
        let schema = name.schema.as_ref().map(|s| s.as_str());
        let Some(schema) = schema.or(self.info.database.as_deref()) else { return Ok(()) };
        let name = name.name.as_str();
        if !self.temporaries.has(schema, name) {
            self.make_system_table(schema, name).await?;
        }
        Ok(())
    }

    /// Makes a table of a computed one of `mysql`. Answers whether it is one.
    pub(super) async fn make_system_table(
        &self,
        schema: &str,
        name: &str,
    ) -> Result<bool, SqlError> {
        let table = self.inst.computed(schema, name).filter(|t| t.schema() == SYSTEM_SCHEMA);
        let Some(table) = table else { return Ok(false) };
        let gates = self.enter_gates().await?;
        make(&self.inst, gates.within.clone(), table.name()).await?;
        Ok(true)
    }

    /// What a statement that is no query has to find done: tables where it changes computed ones, and accounts as the grant tables
    /// say where it changes them.
    pub(super) async fn settle_system_tables(&mut self, stmt: &Statement) -> Result<(), SqlError> {
        match stmt {
            Statement::AlterTable(a) => self.make_named(&a.name).await?,
            Statement::TruncateTable(name) => self.make_named(name).await?,
            Statement::CreateIndex(c) => self.make_named(&c.table).await?,
            Statement::DropIndex(d) => self.make_named(&d.table).await?,
            Statement::RenameTable(pairs) => {
                for (from, _) in pairs {
                    self.make_named(from).await?;
                }
            }
            Statement::CreateTable(c) => {
                if let Some(like) = &c.like {
                    self.make_named(like).await?;
                }
            }
            Statement::Flush(f) if f.what.contains(&FlushKind::Privileges) => {
                if self.inst.accounts.has_grant_tables() {
                    self.read_grant_tables().await?;
                }
                self.inst.system_tables.bring_back();
            }
            other if other.row().changes_accounts && self.inst.accounts.has_grant_tables() => {
                self.read_grant_tables().await?;
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) async fn read_grant_tables(&mut self) -> Result<(), SqlError> {
        if self.locked.is_some() {
            return Err(SqlError::of(errno::ER_LOCK_OR_ACTIVE_TRANSACTION, &[]));
        }
        let told = {
            let gates = self.enter_gates().await?;
            read_written(&self.inst, &gates.within).await?
        };
        for told in told {
            self.current.warn(errno::ER_UNKNOWN_ERROR, || told);
        }
        Ok(())
    }
}

/// Runs a statement of the server's own.
async fn run(s: &mut Session, text: &str, sink: &mut dyn ResultSink) -> Result<(), SqlError> {
    // It is within a statement of another session.
    Box::pin(s.query(text.as_bytes(), sink)).await.result
}

/// Whom the server's own statements are of.
fn owner(inst: &Arc<Instance>, id: u64) -> (ConnInfo, Access) {
    let (user, host) = (OWNER.0.to_owned(), OWNER.1.to_owned());
    let access = Access::of_server(&inst.accounts, &AccountName::new(&user, &host));
    let conn = ConnInfo {
        id,
        user: user.clone(),
        host: host.clone(),
        account_user: user,
        account_host: host,
        database: String::new(),
        collation_id: 255,
        found_rows: false,
        interactive: false,
        ignore_space: false,
        multi_statements: false,
        multi_results: false,
        out_params: false,
        attributes: Vec::new(),
        compression: None,
        tls: None,
        kill: Arc::default(),
    };
    (conn, access)
}

async fn begin(inst: &Arc<Instance>, within: Within) -> Result<Session, SqlError> {
    let mut s = Session::of_server_within(inst, within);
    // Rows as they are: no mode refuses them, and times are UTC.
    let set = format!(
        "SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO', time_zone = '+00:00', lock_wait_timeout = {PATIENCE}"
    );
    run(&mut s, &set, &mut Discard).await?;
    Ok(s)
}

/// Makes a table of a computed one, with its rows. Somebody else may have been first.
async fn make(inst: &Arc<Instance>, within: Within, name: &'static str) -> Result<(), SqlError> {
    let Some(text) = system_tables::filled(name) else {
        return Err(SqlError::internal(format!("mysql.{name} is not defined")));
    };
    // From the rows' computation until the table is there, from when on it has to be read first.
    let _alone = inst.accounts.alone().await;
    let mut s = begin(inst, within).await?;
    let done = run(&mut s, &text, &mut Discard).await;
    s.close().await;
    match done {
        Err(e) if e.errno != errno::ER_TABLE_EXISTS_ERROR => Err(e),
        _ => Ok(()),
    }
}

/// Makes the accounts again from the grant tables, which are computed again then; nothing where nobody has written to one. Answers
/// what is different from what the rows say. Errors: rows that make no accounts, a table that somebody uses; the accounts stay as
/// they were, or the tables are read again next time.
pub fn read_grant_tables(
    inst: &Arc<Instance>,
    id: u64,
) -> Boxed<'_, Result<Vec<String>, SqlError>> {
    Box::pin(async move {
        let nothing = Within {
            id,
            kill: Arc::default(),
            interrupt: Arc::default(),
            writing: false,
            defining: false,
        };
        read_written(inst, &nothing).await
    })
}

async fn read_written(inst: &Arc<Instance>, within: &Within) -> Result<Vec<String>, SqlError> {
    let mut tries = 1;
    loop {
        let alone = inst.accounts.alone().await;
        if !inst.accounts.has_grant_tables() {
            return Ok(Vec::new());
        }
        let mut s = begin(inst, within.clone()).await?;
        let told = read_and_drop(inst, &alone, &mut s).await;
        s.close().await;
        match told {
            // A table was made or dropped meanwhile by a statement that names it.
            Err(e) if GONE.contains(&e.errno) && tries < ATTEMPTS => tries += 1,
            done => return done,
        }
    }
}

/// Nobody writes to a table between what is read of it and its end: it is locked.
async fn read_and_drop(
    inst: &Arc<Instance>,
    alone: &Alone<'_>,
    s: &mut Session,
) -> Result<Vec<String>, SqlError> {
    let written = GRANT_TABLES.iter().filter(|t| inst.db.table(SYSTEM_SCHEMA, t).is_some());
    let written: Vec<String> = written.map(|t| format!("mysql.{t}")).collect();
    let lock = format!("LOCK TABLES {} WRITE", written.join(" WRITE, "));
    run(s, &lock, &mut Discard).await?;
    let mut told = Vec::new();
    let rows = read_all(s).await?;
    inst.accounts.replace(alone, &rows, &mut told).await?;
    run(s, &format!("DROP TABLE {}", written.join(", ")), &mut Discard).await?;
    inst.system_tables.bring_back();
    Ok(told)
}

async fn read_all(s: &mut Session) -> Result<GrantRows, SqlError> {
    let mut rows = GrantRows::new();
    for name in GRANT_TABLES {
        let there = s.inst.computed(SYSTEM_SCHEMA, name).is_some()
            || s.inst.db.table(SYSTEM_SCHEMA, name).is_some();
        let mut read = Read::default();
        // One that was dropped says nothing. Without the first there are no accounts.
        if there || name == "user" {
            run(s, &format!("SELECT * FROM mysql.{name}"), &mut read).await?;
        }
        rows.insert(name, read.rows);
    }
    Ok(rows)
}

/// Keeps the rows of a grant table.
#[derive(Default)]
struct Read {
    columns: Vec<String>,
    rows: Vec<GrantRow>,
}

impl ResultSink for Read {
    fn columns(&mut self, cols: &[ColumnMeta]) -> Result<(), SinkError> {
        let name = |c: &ColumnMeta| String::from_utf8_lossy(c.names()[3]).to_lowercase();
        self.columns = cols.iter().map(name).collect();
        Ok(())
    }

    fn row(&mut self, row: &[OutValue<'_>]) -> Result<(), SinkError> {
        let values = self.columns.iter().cloned().zip(row.iter().map(text_of));
        self.rows.push(GrantRow(BTreeMap::from_iter(values)));
        Ok(())
    }

    fn end_rows(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }

    fn ok(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

/// A value of a grant table, which has texts, whole numbers and points in time.
fn text_of(value: &OutValue<'_>) -> Option<String> {
    match value {
        OutValue::Int(n) => Some(n.to_string()),
        OutValue::UInt(n) => Some(n.to_string()),
        OutValue::Bytes(b) => Some(String::from_utf8_lossy(b).into_owned()),
        OutValue::DateTime { year, month, day, hour, minute, second, .. } => {
            Some(format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"))
        }
        _ => None,
    }
}
