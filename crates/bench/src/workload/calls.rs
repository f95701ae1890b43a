//! Workloads as calls of the engine (`--path=engine`): what the paths of all workloads share.

use crate::error::{Error, Result};
use crate::target::Target;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use weir_engine::row::{Datum, encode_datum, replace_columns};
use weir_engine::{
    Durability, Error as EngineError, LockMode, OnLocked, RowBuf, ScanSpec, Table, Txn,
};
use weir_rt::Rt;
use weir_sql::session::Instance;
use weir_sql::vars::Var;

/// How a workload's transactions are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    Sql,
    Engine,
}

impl PathKind {
    pub fn parse(name: Option<&str>) -> Result<PathKind> {
        match name {
            None | Some("sql") => Ok(PathKind::Sql),
            Some("engine") => Ok(PathKind::Engine),
            Some(other) => Err(Error::other(format!("--path={other}: sql or engine"))),
        }
    }

    pub fn check(self, target: &Target) -> Result<()> {
        if self == PathKind::Engine && !target.is_embedded() {
            return Err(Error::other(
                "--path=engine calls the engine in this process; it needs --target=embedded or embedded:DIR",
            ));
        }
        Ok(())
    }
}

pub type Done<T> = std::result::Result<T, EngineError>;

/// Whatever keeps other commits out while one is held.
pub type Turn = Option<Box<dyn std::any::Any + Send>>;

/// Rows of one call, which cost time beyond that of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Read one behind the other.
    Read(u64),
    Inserted(u64),
}

/// What a call costs on a machine that is only computed: a client of virtual time waits for its processor.
pub trait Compute: Send + Sync {
    fn statement(&self) -> Pin<Box<dyn Future<Output = ()> + Send>>;
    fn rows(&self, rows: Rows) -> Pin<Box<dyn Future<Output = ()> + Send>>;
    /// What a server does before the engine commits. The commit holds the turn that comes back until it is over.
    fn commit(&self) -> Pin<Box<dyn Future<Output = Turn> + Send>>;
}

/// Calls on rows, with buffers that are used again.
#[derive(Default)]
pub struct Calls {
    pub found: RowBuf,
    pub key: Vec<u8>,
    new: Vec<u8>,
    /// So many were made: what a report has as statements.
    pub calls: u64,
    compute: Option<Arc<dyn Compute>>,
    /// The clock of rows, in a world that has its own.
    clock: Option<Rt>,
}

pub fn durability(inst: &Instance) -> Durability {
    match inst.vars.u64(Var::innodb_flush_log_at_trx_commit) {
        0 => Durability::Lazy,
        2 => Durability::Write,
        _ => Durability::Flush,
    }
}

/// With the numbers that SQL gives, so that conflicts are retried alike.
pub fn engine_error(e: EngineError) -> Error {
    match e {
        EngineError::Deadlock => Error::Server { errno: 1213, message: e.to_string() },
        EngineError::LockWaitTimeout => Error::Server { errno: 1205, message: e.to_string() },
        EngineError::DiskFull { .. } => Error::Server { errno: 1114, message: e.to_string() },
        other => Error::Other(other.to_string()),
    }
}

/// A row that must be there is not.
pub fn no_row(t: &Table) -> EngineError {
    EngineError::Owner(format!(
        "a row of {} is missing: the data is not what prepare makes",
        t.def.name
    ))
}

/// A row that could not be built or read.
pub fn bad_row(t: &Table, e: weir_engine::row::RowError) -> EngineError {
    EngineError::Owner(format!("{}: {e}", t.def.name))
}

impl Calls {
    /// Of a client in a world with processors and a clock of its own.
    pub fn computed(compute: Arc<dyn Compute>, clock: Rt) -> Calls {
        Calls { compute: Some(compute), clock: Some(clock), ..Calls::default() }
    }

    /// A call begins.
    pub async fn called(&mut self) {
        self.calls += 1;
        if let Some(c) = &self.compute {
            c.statement().await;
        }
    }

    /// What a call costs for its rows.
    pub async fn takes_rows(&self, rows: Rows) {
        if let Some(c) = &self.compute {
            c.rows(rows).await;
        }
    }

    /// Microseconds since 1970.
    pub fn wall_micros(&self) -> u64 {
        match &self.clock {
            Some(rt) => rt.wall_micros(),
            None => {
                let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
                since.map_or(0, |d| d.as_micros() as u64)
            }
        }
    }

    /// A commit begins; it is over when the turn is dropped.
    pub async fn committing(&self) -> Turn {
        match &self.compute {
            Some(c) => c.commit().await,
            None => None,
        }
    }

    /// The key of some leading columns of an index into `self.key`.
    pub fn make_key(&mut self, t: &Table, index: usize, columns: &[Datum<'_>]) -> Done<()> {
        self.key.clear();
        for (part, datum) in t.indexes[index].types().iter().zip(columns) {
            encode_datum(part, *datum, &mut self.key).map_err(|e| bad_row(t, e))?;
        }
        Ok(())
    }

    /// The row with a primary key into `self.found`; false when there is none.
    pub async fn get(
        &mut self,
        t: &Arc<Table>,
        txn: &mut Txn,
        key: &[i64],
        lock: LockMode,
    ) -> Done<bool> {
        self.called().await;
        self.key.clear();
        for (part, n) in t.indexes[0].types().iter().zip(key) {
            encode_datum(part, Datum::Int(*n), &mut self.key).map_err(|e| bad_row(t, e))?;
        }
        txn.get_boxed(t, 0, &self.key, lock, OnLocked::Wait, &mut self.found).await
    }

    pub async fn must_get(
        &mut self,
        t: &Arc<Table>,
        txn: &mut Txn,
        key: &[i64],
        lock: LockMode,
    ) -> Done<()> {
        if self.get(t, txn, key, lock).await? { Ok(()) } else { Err(no_row(t)) }
    }

    /// Changes columns of the row in `self.found`, which is locked.
    pub async fn change(
        &mut self,
        t: &Arc<Table>,
        txn: &mut Txn,
        columns: &[(usize, Datum<'_>)],
    ) -> Done<()> {
        self.called().await;
        self.new.clear();
        replace_columns(&t.layout, &self.found.row, columns, &mut self.new)
            .map_err(|e| bad_row(t, e))?;
        txn.update_boxed(t, &self.found.key, &self.found.row, &self.new).await
    }

    pub async fn insert(&mut self, t: &Arc<Table>, txn: &mut Txn, row: &[Datum<'_>]) -> Done<()> {
        self.called().await;
        self.new.clear();
        let mut b = weir_engine::row::RowBuilder::new(&t.layout);
        row.iter().for_each(|d| {
            b.push(*d);
        });
        b.finish_into(&mut self.new).map_err(|e| bad_row(t, e))?;
        txn.insert_boxed(t, &self.new).await
    }

    /// All rows whose index entry begins with the key in `self.key`.
    pub fn range(&self, index: usize, lock: LockMode, reverse: bool, expect: u32) -> ScanSpec {
        ScanSpec {
            index,
            start: self.key.clone(),
            end: weir_engine::row::key::prefix_successor(&self.key),
            reverse,
            lock,
            on_locked: OnLocked::Wait,
            unique_eq: false,
            expect,
            fetch_external: true,
            rows_only: false,
            index_only: None,
        }
    }
}
