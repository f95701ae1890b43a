//! The transactions as calls of the engine, on the tables that SQL has made: what is left out is the SQL layer.
//!
//! One `block_on` for a whole transaction. Rows are the SQL layer's rows (decimals, dates), so both paths and `check` may
//! work on the same data.

mod codec;
mod reads;
mod writes;

use super::Path;
use super::input::Input;
use super::schema::TABLES;
use crate::error::{Error, Result};
use crate::target::Embedded;
use std::sync::Arc;
use weir_engine::row::{Datum, encode_datum, replace_columns};
use weir_engine::{
    Db, Durability, Error as EngineError, LockMode, OnLocked, RowBuf, ScanSpec, Table, Txn,
    TxnOptions,
};
use weir_rt::Rt;
use weir_sql::session::Instance;
use weir_sql::vars::Var;

type Done<T> = std::result::Result<T, EngineError>;

/// The nine tables, as they were when the user came.
struct Tables {
    item: Arc<Table>,
    warehouse: Arc<Table>,
    district: Arc<Table>,
    customer: Arc<Table>,
    history: Arc<Table>,
    stock: Arc<Table>,
    orders: Arc<Table>,
    new_orders: Arc<Table>,
    order_line: Arc<Table>,
}

pub struct EnginePath {
    rt: Rt,
    db: Db,
    inst: Arc<Instance>,
    tables: Tables,
    work: Work,
}

/// The transaction at hand, with buffers that are used again.
struct Work {
    found: RowBuf,
    key: Vec<u8>,
    new: Vec<u8>,
    calls: u64,
}

impl EnginePath {
    pub fn open(e: &Embedded, schema: &str) -> Result<EnginePath> {
        let table = |name: &str| {
            e.db.table(schema, name).ok_or_else(|| {
                Error::other(format!(
                    "there is no table '{schema}.{name}'; run `weir bench tpcc prepare` first"
                ))
            })
        };
        let [item, warehouse, district, customer, history, stock, orders, new_orders, order_line] =
            TABLES.map(table);
        let tables = Tables {
            item: item?,
            warehouse: warehouse?,
            district: district?,
            customer: customer?,
            history: history?,
            stock: stock?,
            orders: orders?,
            new_orders: new_orders?,
            order_line: order_line?,
        };
        let work = Work { found: RowBuf::default(), key: Vec::new(), new: Vec::new(), calls: 0 };
        Ok(EnginePath { rt: e.rt.clone(), db: e.db.clone(), inst: e.inst.clone(), tables, work })
    }

    fn durability(&self) -> Durability {
        match self.inst.vars.u64(Var::innodb_flush_log_at_trx_commit) {
            0 => Durability::Lazy,
            2 => Durability::Write,
            _ => Durability::Flush,
        }
    }
}

impl Path for EnginePath {
    fn run(&mut self, input: &Input) -> Result<bool> {
        let durability = self.durability();
        let rt = self.rt.clone();
        let (t, w) = (&self.tables, &mut self.work);
        let db = &self.db;
        let done = rt.block_on(async {
            let mut txn = db.begin(TxnOptions::default());
            let r = match input {
                Input::NewOrder(i) => w.new_order(t, &mut txn, i).await,
                Input::Payment(i) => w.payment(t, &mut txn, i).await.map(|()| true),
                Input::OrderStatus(i) => w.order_status(t, &mut txn, i).await.map(|()| true),
                Input::Delivery(i) => w.delivery(t, &mut txn, i).await.map(|()| true),
                Input::StockLevel(i) => w.stock_level(t, &mut txn, i).await.map(|()| true),
            };
            w.calls += 1;
            match r {
                Ok(true) => txn.commit(durability).await.map(|()| true),
                Ok(false) => txn.rollback().await.map(|()| false),
                Err(e) => {
                    txn.rollback().await?;
                    Err(e)
                }
            }
        });
        done.map_err(engine_error)
    }

    /// `run` has rolled back already.
    fn undo(&mut self) -> Result<()> {
        Ok(())
    }

    fn take_statements(&mut self) -> u64 {
        std::mem::take(&mut self.work.calls)
    }
}

/// With the numbers that SQL gives, so that conflicts are retried alike.
fn engine_error(e: EngineError) -> Error {
    match e {
        EngineError::Deadlock => Error::Server { errno: 1213, message: e.to_string() },
        EngineError::LockWaitTimeout => Error::Server { errno: 1205, message: e.to_string() },
        EngineError::DiskFull { .. } => Error::Server { errno: 1114, message: e.to_string() },
        other => Error::Other(other.to_string()),
    }
}

/// A row that must be there is not.
fn no_row(t: &Table) -> EngineError {
    EngineError::Owner(format!("a row of {} is missing: the data is not TPC-C's", t.def.name))
}

/// A row that could not be built or read.
fn bad_row(t: &Table, e: weir_engine::row::RowError) -> EngineError {
    EngineError::Owner(format!("{}: {e}", t.def.name))
}

impl Work {
    /// The key of some leading columns of an index into `self.key`.
    fn make_key(&mut self, t: &Table, index: usize, columns: &[Datum<'_>]) -> Done<()> {
        self.key.clear();
        for (part, datum) in t.indexes[index].types().iter().zip(columns) {
            encode_datum(part, *datum, &mut self.key).map_err(|e| bad_row(t, e))?;
        }
        Ok(())
    }

    /// The row with a primary key into `self.found`; false when there is none.
    async fn get(
        &mut self,
        t: &Arc<Table>,
        txn: &mut Txn,
        key: &[i64],
        lock: LockMode,
    ) -> Done<bool> {
        self.calls += 1;
        self.key.clear();
        for (part, n) in t.indexes[0].types().iter().zip(key) {
            encode_datum(part, Datum::Int(*n), &mut self.key).map_err(|e| bad_row(t, e))?;
        }
        txn.get(t, 0, &self.key, lock, OnLocked::Wait, &mut self.found).await
    }

    async fn must_get(
        &mut self,
        t: &Arc<Table>,
        txn: &mut Txn,
        key: &[i64],
        lock: LockMode,
    ) -> Done<()> {
        if self.get(t, txn, key, lock).await? { Ok(()) } else { Err(no_row(t)) }
    }

    /// Changes columns of the row in `self.found`, which is locked.
    async fn change(
        &mut self,
        t: &Arc<Table>,
        txn: &mut Txn,
        columns: &[(usize, Datum<'_>)],
    ) -> Done<()> {
        self.calls += 1;
        self.new.clear();
        replace_columns(&t.layout, &self.found.row, columns, &mut self.new)
            .map_err(|e| bad_row(t, e))?;
        txn.update(t, &self.found.key, &self.found.row, &self.new).await
    }

    async fn insert(&mut self, t: &Arc<Table>, txn: &mut Txn, row: &[Datum<'_>]) -> Done<()> {
        self.calls += 1;
        self.new.clear();
        let mut b = weir_engine::row::RowBuilder::new(&t.layout);
        row.iter().for_each(|d| {
            b.push(*d);
        });
        b.finish_into(&mut self.new).map_err(|e| bad_row(t, e))?;
        txn.insert(t, &self.new).await
    }

    /// All rows whose index entry begins with the key in `self.key`.
    fn range(&self, index: usize, lock: LockMode, reverse: bool, expect: u32) -> ScanSpec {
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
            covering: false,
            rows_only: false,
        }
    }
}

/// The position of an index by its name.
fn index_of(t: &Table, name: &str) -> Done<usize> {
    t.indexes
        .iter()
        .position(|i| i.def.name == name)
        .ok_or_else(|| EngineError::NoSuchIndex { table: t.def.name.clone(), index: name.into() })
}
