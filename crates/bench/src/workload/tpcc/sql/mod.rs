//! The transactions as SQL statements, prepared once for each user.
//!
//! A file for each transaction. Statements have tpcc-mysql's shapes, or DBT-2's where the style says so.

mod delivery;
mod new_order;
mod order_status;
mod payment;
pub mod procedures;
mod stock_level;

pub(super) use payment::bad_credit_data as payment_data;

use super::input::{Input, Who};
use super::{Path, Style};
use crate::error::{Error, Result};
use crate::target::{Conn, Value};
use Value::{Int, Text};

pub struct SqlPath {
    conn: Conn,
    style: Style,
    new_order: new_order::Statements,
    payment: payment::Statements,
    order_status: order_status::Statements,
    delivery: delivery::Statements,
    stock_level: stock_level::Statements,
    by_name: ByName,
}

impl SqlPath {
    pub fn open(mut conn: Conn, style: Style) -> Result<SqlPath> {
        conn.query("SET autocommit = 0")?;
        Ok(SqlPath {
            new_order: new_order::Statements::prepare(&mut conn, style)?,
            payment: payment::Statements::prepare(&mut conn, style)?,
            order_status: order_status::Statements::prepare(&mut conn, style)?,
            delivery: delivery::Statements::prepare(&mut conn, style)?,
            stock_level: stock_level::Statements::prepare(&mut conn, style)?,
            by_name: ByName::prepare(&mut conn, style)?,
            conn,
            style,
        })
    }

    fn commit(&mut self) -> Result<()> {
        self.conn.query("COMMIT")?;
        Ok(())
    }

    fn customer(&mut self, w: i64, d: i64, who: &Who) -> Result<i64> {
        match who {
            Who::Id(c) => Ok(*c),
            Who::Name(name) => self.by_name.find(&mut self.conn, w, d, name),
        }
    }
}

impl Path for SqlPath {
    fn run(&mut self, input: &Input) -> Result<bool> {
        match input {
            Input::NewOrder(i) => return self.new_order(i),
            Input::Payment(i) => self.payment(i)?,
            Input::OrderStatus(i) => self.order_status(i)?,
            Input::Delivery(i) => self.delivery(i)?,
            Input::StockLevel(i) => self.stock_level(i)?,
        }
        Ok(true)
    }

    fn undo(&mut self) -> Result<()> {
        self.conn.query("ROLLBACK")?;
        Ok(())
    }

    fn take_statements(&mut self) -> u64 {
        std::mem::take(&mut self.conn.statements)
    }
}

/// The customer in the middle of those with a last name (clause 2.5.2.2).
struct ByName {
    /// tpcc-mysql counts first.
    count: Option<u32>,
    list: u32,
}

impl ByName {
    fn prepare(conn: &mut Conn, style: Style) -> Result<ByName> {
        let count =
            "SELECT COUNT(c_id) FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ?";
        let list = "SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? ORDER BY c_first";
        let counts = style != Style::Dbt2;
        Ok(ByName {
            count: if counts { Some(conn.prepare(count)?) } else { None },
            list: conn.prepare(list)?,
        })
    }

    fn find(&self, conn: &mut Conn, w: i64, d: i64, name: &str) -> Result<i64> {
        let key = [Int(w), Int(d), Text(name)];
        if let Some(count) = self.count {
            conn.run(count, &key)?;
            conn.rows.int(0, 0)?;
        }
        conn.run(self.list, &key)?;
        let n = conn.rows.len();
        if n == 0 {
            return Err(Error::other(format!(
                "no customer '{name}' in district {d} of warehouse {w}: the data is not TPC-C's"
            )));
        }
        conn.rows.int(n.div_ceil(2) - 1, 0)
    }
}
