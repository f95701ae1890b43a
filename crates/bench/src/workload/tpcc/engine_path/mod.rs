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
use crate::workload::calls::{Calls, Done, durability, engine_error};
use std::sync::Arc;
use weir_engine::{Db, Durability, Error as EngineError, Table, TxnOptions};
use weir_rt::Rt;
use weir_sql::session::Instance;

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

/// The transactions on an open database; nothing here blocks a thread, so a client of virtual time runs them as well.
pub struct Transactions {
    db: Db,
    tables: Tables,
    work: Calls,
}

impl Transactions {
    pub fn open(db: &Db, schema: &str, work: Calls) -> Result<Transactions> {
        let table = |name: &str| {
            db.table(schema, name).ok_or_else(|| {
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
        Ok(Transactions { db: db.clone(), tables, work })
    }

    /// One attempt. False: rolled back because of an unknown item. After an error nothing of it stays.
    pub async fn run(&mut self, input: &Input, durability: Durability) -> Done<bool> {
        let (t, w) = (&self.tables, &mut self.work);
        let mut txn = self.db.begin(TxnOptions::default());
        let r = match input {
            Input::NewOrder(i) => w.new_order(t, &mut txn, i).await,
            Input::Payment(i) => w.payment(t, &mut txn, i).await.map(|()| true),
            Input::OrderStatus(i) => w.order_status(t, &mut txn, i).await.map(|()| true),
            Input::Delivery(i) => w.delivery(t, &mut txn, i).await.map(|()| true),
            Input::StockLevel(i) => w.stock_level(t, &mut txn, i).await.map(|()| true),
        };
        w.called().await;
        match r {
            Ok(true) => {
                let _turn = w.committing().await;
                txn.commit_boxed(durability).await.map(|()| true)
            }
            Ok(false) => txn.rollback().await.map(|()| false),
            Err(e) => {
                txn.rollback().await?;
                Err(e)
            }
        }
    }
}

pub struct EnginePath {
    rt: Rt,
    inst: Arc<Instance>,
    all: Transactions,
}

impl EnginePath {
    pub fn open(e: &Embedded, schema: &str) -> Result<EnginePath> {
        let all = Transactions::open(&e.db, schema, Calls::default())?;
        Ok(EnginePath { rt: e.rt.clone(), inst: e.inst.clone(), all })
    }
}

impl Path for EnginePath {
    fn run(&mut self, input: &Input) -> Result<bool> {
        let durability = durability(&self.inst);
        self.rt.block_on(self.all.run(input, durability)).map_err(engine_error)
    }

    /// `run` has rolled back already.
    fn undo(&mut self) -> Result<()> {
        Ok(())
    }

    fn take_statements(&mut self) -> u64 {
        std::mem::take(&mut self.all.work.calls)
    }
}

/// The position of an index by its name.
fn index_of(t: &Table, name: &str) -> Done<usize> {
    t.indexes
        .iter()
        .position(|i| i.def.name == name)
        .ok_or_else(|| EngineError::NoSuchIndex { table: t.def.name.clone(), index: name.into() })
}
