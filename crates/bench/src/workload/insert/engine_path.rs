//! The insert benchmark as calls of the engine, on the table that SQL has made: what is left out is the SQL layer.
//!
//! A batch is one `insert_many` and its commit. A query's OR of ranges is one range of its index, read by the entries alone, as the
//! planner of the SQL layer finds. The second way is a walk over all rows and a sort.

use super::Config;
use super::check::Checks;
use super::rows::{self, From, Query, Second};
use crate::error::{Error, Result};
use crate::target::Embedded;
use crate::workload::calls::{Calls, Done, Rows, bad_row, durability, engine_error};
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;
use weir_engine::row::key::prefix_successor;
use weir_engine::row::{Datum, RowBuilder, RowView};
use weir_engine::{Db, Durability, LockMode, RowList, ScanSpec, Table, Txn, TxnOptions};
use weir_rt::Rt;
use weir_sql::session::Instance;
use weir_sql::value::temporal::{Date, DateTime};

const DATE: usize = 1;
const REGISTER: usize = 2;
const CUSTOMER: usize = 3;
const PRICE: usize = 5;

/// A row of an answer: register, the bits of the price, date, customer; 0 where the query does not have the column. A price is
/// positive, so its bits are in its order, and the whole is in the order of the query's index.
type Answer = (i64, u32, u64, i64);

/// The batches and the queries on an open database; nothing here blocks a thread, so a client of virtual time runs them as well.
pub struct Statements {
    db: Db,
    table: Arc<Table>,
    work: Calls,
    list: RowList,
}

pub struct EnginePath {
    rt: Rt,
    inst: Arc<Instance>,
    all: Statements,
}

fn packed(d: Second) -> u64 {
    let [year, month, day, hour, minute, second] = d.parts();
    let date = Date { year: year as u16, month: month as u8, day: day as u8 };
    let (hour, minute, second) = (hour as u8, minute as u8, second as u8);
    let at = DateTime { date, hour, minute, second, ..DateTime::ZERO };
    at.pack()
}

/// A price as the FLOAT column keeps it, and as a query names it.
fn prices(cents: u64) -> (f32, f64) {
    let named = cents as f64 / 100.0;
    (named as f32, named)
}

fn answer(query: Query, row: &RowView<'_>) -> Answer {
    let int = |column| row.get(column).as_i64().unwrap_or(0);
    let date = match row.get(DATE) {
        Datum::UInt(d) if query == Query::Pdc => d,
        _ => 0,
    };
    let register = if query == Query::Register { int(REGISTER) } else { 0 };
    (register, price(row).to_bits(), date, int(CUSTOMER))
}

fn price(row: &RowView<'_>) -> f32 {
    match row.get(PRICE) {
        Datum::Float(x) => x as f32,
        _ => 0.0,
    }
}

/// The query's condition.
fn meets(query: Query, from: From, (register, bits, date, customer): Answer) -> bool {
    let (price, named) = (f64::from(f32::from_bits(bits)), prices(from.cents).1);
    let of_customers = customer >= from.customer as i64;
    match query {
        Query::Market => price > named || (price == named && of_customers),
        Query::Register => {
            let here = price > named || (price == named && of_customers);
            register > from.register as i64 || (register == from.register as i64 && here)
        }
        Query::Pdc => {
            let d = packed(from.date);
            price > named || (price == named && (date > d || (date == d && of_customers)))
        }
    }
}

impl EnginePath {
    pub fn open(e: &Embedded, c: &Config) -> Result<EnginePath> {
        let all = Statements::open(&e.db, c, Calls::default())?;
        Ok(EnginePath { rt: e.rt.clone(), inst: e.inst.clone(), all })
    }

    pub fn take_calls(&mut self) -> u64 {
        std::mem::take(&mut self.all.work.calls)
    }

    pub fn insert(&mut self, c: &Config, numbers: Range<u64>) -> Result<()> {
        let durability = durability(&self.inst);
        self.rt.block_on(self.all.insert(c, numbers, durability)).map_err(engine_error)
    }

    /// The first rows of the query's range, in the order of its index.
    pub fn ask(&mut self, c: &Config, query: Query, from: From) -> Result<Vec<Answer>> {
        self.rt.block_on(self.all.ask(c, query, from)).map_err(engine_error)
    }

    /// A query, and all rows that meet its condition, sorted, in one snapshot.
    pub fn both_ways(
        &mut self,
        checks: &Checks,
        c: &Config,
        query: Query,
        from: From,
    ) -> Result<()> {
        let answers = self.rt.block_on(self.all.both_ways(c, query, from));
        let (one, two) = answers.map_err(engine_error)?;
        let line = |l: Vec<Answer>| l.iter().map(|a| format!("{a:?}")).collect::<Vec<_>>();
        checks.compare(&line(one), &line(two), &query.text(c, &query.condition(from)));
        Ok(())
    }
}

impl Statements {
    pub fn open(db: &Db, c: &Config, work: Calls) -> Result<Statements> {
        let table = db.table(&c.schema, &c.table).ok_or_else(|| {
            Error::other(format!(
                "there is no table '{}.{}'; run `weir bench insert prepare` first",
                c.schema, c.table
            ))
        })?;
        Ok(Statements { db: db.clone(), table, work, list: RowList::default() })
    }

    pub async fn insert(
        &mut self,
        c: &Config,
        numbers: Range<u64>,
        durability: Durability,
    ) -> Done<()> {
        self.fill(c, numbers.clone())?;
        self.work.called().await;
        self.work.takes_rows(Rows::Inserted(numbers.end - numbers.start)).await;
        let mut txn = self.db.begin(TxnOptions::default());
        if let Err((_, e)) = txn.insert_many_boxed(&self.table, &self.list).await {
            txn.rollback().await?;
            return Err(e);
        }
        self.table.auto_increment_observe(numbers.end).await?;
        let _turn = self.work.committing().await;
        txn.commit_boxed(durability).await
    }

    fn fill(&mut self, c: &Config, numbers: Range<u64>) -> Done<()> {
        let (t, mut bytes) = (&self.table, Vec::new());
        self.list.clear();
        for n in numbers.clone() {
            let r = rows::row(c, numbers.start, n);
            let int = |n: u64| Datum::Int(n as i64);
            let mut b = RowBuilder::new(&t.layout);
            b.push(int(r.id))
                .push(Datum::UInt(packed(r.date)))
                .push(int(r.register))
                .push(int(r.customer));
            b.push(int(r.product)).push(Datum::Float(f64::from(prices(r.cents).0)));
            bytes.clear();
            b.finish_into(&mut bytes).map_err(|e| bad_row(t, e))?;
            self.list.push(&bytes);
        }
        Ok(())
    }

    /// Where the query's range begins. The price is compared as a number with two digits, of which a FLOAT is a neighbour: only
    /// where both are the same do the columns behind it count.
    fn start(&mut self, query: Query, from: From) -> Done<Vec<u8>> {
        let (price, named) = prices(from.cents);
        let mut key = Vec::new();
        key.extend((query == Query::Register).then_some(Datum::Int(from.register as i64)));
        key.push(Datum::Float(f64::from(price)));
        if f64::from(price) == named {
            key.extend((query == Query::Pdc).then(|| Datum::UInt(packed(from.date))));
            key.push(Datum::Int(from.customer as i64));
        }
        self.work.make_key(&self.table, index(query), &key)?;
        let behind = (f64::from(price) < named).then(|| prefix_successor(&self.work.key)).flatten();
        Ok(behind.unwrap_or_else(|| self.work.key.clone()))
    }

    pub async fn ask(&mut self, c: &Config, query: Query, from: From) -> Done<Vec<Answer>> {
        let start = self.start(query, from)?;
        self.work.called().await;
        self.work.takes_rows(Rows::Read(c.rows_per_query)).await;
        let mut txn = self.db.begin(TxnOptions::default());
        let rows = self.read(&mut txn, c, query, start).await;
        // It has changed nothing: how durable it is does not matter.
        txn.commit_boxed(Durability::Lazy).await?;
        rows
    }

    /// As many rows as a query has from a row's number on, by the primary key.
    pub async fn read_ids(&mut self, c: &Config, from: u64) -> Done<()> {
        self.work.called().await;
        self.work.takes_rows(Rows::Read(c.rows_per_query)).await;
        self.work.make_key(&self.table, 0, &[Datum::Int(from as i64 + 1)])?;
        let spec = ScanSpec {
            end: None,
            expect: c.rows_per_query.min(u64::from(u32::MAX)) as u32,
            rows_only: true,
            ..self.work.range(0, LockMode::None, false, 0)
        };
        let mut txn = self.db.begin(TxnOptions::default());
        let mut rows = txn.scan(&self.table, spec);
        let mut n = 0;
        while n < c.rows_per_query && rows.next_boxed(&mut txn).await? {
            n += 1;
        }
        txn.commit_boxed(Durability::Lazy).await
    }

    async fn read(
        &self,
        txn: &mut Txn,
        c: &Config,
        query: Query,
        start: Vec<u8>,
    ) -> Done<Vec<Answer>> {
        let t = &self.table;
        let columns: &[u16] = match query {
            Query::Market => &[CUSTOMER as u16, PRICE as u16],
            Query::Register => &[REGISTER as u16, CUSTOMER as u16, PRICE as u16],
            Query::Pdc => &[DATE as u16, CUSTOMER as u16, PRICE as u16],
        };
        let spec = ScanSpec {
            start,
            end: None,
            expect: c.rows_per_query.min(u64::from(u32::MAX)) as u32,
            index_only: Some(columns.into()),
            rows_only: true,
            ..self.work.range(index(query), LockMode::None, false, 0)
        };
        let mut out = Vec::new();
        let mut rows = txn.scan(t, spec);
        while (out.len() as u64) < c.rows_per_query && rows.next_boxed(txn).await? {
            out.push(answer(query, &RowView::new(&t.layout, rows.row())));
        }
        Ok(out)
    }

    async fn both_ways(
        &mut self,
        c: &Config,
        query: Query,
        from: From,
    ) -> Done<(Vec<Answer>, Vec<Answer>)> {
        let start = self.start(query, from)?;
        let mut txn = self.db.begin(TxnOptions::default());
        let both = async {
            let one = self.read(&mut txn, c, query, start).await?;
            Ok((one, self.second_way(&mut txn, c, query, from).await?))
        };
        let both = both.await;
        txn.commit_boxed(Durability::Lazy).await?;
        both
    }

    async fn second_way(
        &self,
        txn: &mut Txn,
        c: &Config,
        query: Query,
        from: From,
    ) -> Done<Vec<Answer>> {
        let t = &self.table;
        let spec = ScanSpec {
            start: Vec::new(),
            end: None,
            rows_only: true,
            ..self.work.range(0, LockMode::None, false, 0)
        };
        let (mut found, mut rows) = (BinaryHeap::new(), txn.scan(t, spec));
        while rows.next_boxed(txn).await? {
            let row = answer(query, &RowView::new(&t.layout, rows.row()));
            if meets(query, from, row) {
                found.push(row);
            }
            if found.len() as u64 > c.rows_per_query {
                found.pop();
            }
        }
        Ok(found.into_sorted_vec())
    }
}

fn index(query: Query) -> usize {
    1 + query as usize
}
