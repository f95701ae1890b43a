//! Order-Status (clause 2.6.2).

use super::SqlPath;
use crate::error::{Error, Result};
use crate::target::{Conn, Value};
use crate::workload::tpcc::Style;
use crate::workload::tpcc::input::OrderStatus;
use Value::Int;

pub struct Statements {
    customer: u32,
    order: u32,
    lines: u32,
    /// The key is given twice: for the latest number and for its row.
    twice: bool,
}

impl Statements {
    pub fn prepare(conn: &mut Conn, style: Style) -> Result<Statements> {
        let twice = style != Style::Dbt2;
        let order = if twice {
            "SELECT o_id, o_entry_d, COALESCE(o_carrier_id, 0) FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? AND o_id = (SELECT MAX(o_id) FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ?)"
        } else {
            "SELECT o_id, o_entry_d, o_carrier_id FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? ORDER BY o_id DESC LIMIT 1"
        };
        Ok(Statements {
            customer: conn.prepare(
                "SELECT c_balance, c_first, c_middle, c_last FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
            )?,
            order: conn.prepare(order)?,
            lines: conn.prepare(
                "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
            )?,
            twice,
        })
    }
}

impl SqlPath {
    pub(super) fn order_status(&mut self, i: &OrderStatus) -> Result<()> {
        let c = self.customer(i.w, i.d, &i.who)?;
        let s = &self.order_status;
        let conn = &mut self.conn;
        let key = [Int(i.w), Int(i.d), Int(c), Int(i.w), Int(i.d), Int(c)];
        conn.run(s.customer, &key[..3])?;
        conn.run(s.order, if s.twice { &key } else { &key[..3] })?;
        let o = conn.rows.int(0, 0)?;
        conn.run(s.lines, &[Int(i.w), Int(i.d), Int(o)])?;
        if conn.rows.is_empty() {
            return Err(Error::other(format!(
                "order {o} of district {} of warehouse {} has no lines: the data is not TPC-C's",
                i.d, i.w
            )));
        }
        self.commit()
    }
}
