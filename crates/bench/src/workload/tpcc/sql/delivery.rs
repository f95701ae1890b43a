//! Delivery (clause 2.7.4), done at once instead of queued.

use super::SqlPath;
use crate::error::Result;
use crate::target::{Conn, Value};
use crate::workload::tpcc::Style;
use crate::workload::tpcc::input::Delivery;
use Value::{Cents, Int, Text};

pub struct Statements {
    oldest: u32,
    remove: u32,
    customer: u32,
    carrier: u32,
    date: u32,
    sum: u32,
    pay: u32,
}

impl Statements {
    pub fn prepare(conn: &mut Conn, style: Style) -> Result<Statements> {
        let oldest = if style == Style::Dbt2 {
            "SELECT no_o_id FROM new_orders WHERE no_w_id = ? AND no_d_id = ? ORDER BY no_o_id LIMIT 1"
        } else {
            "SELECT COALESCE(MIN(no_o_id), 0) FROM new_orders WHERE no_w_id = ? AND no_d_id = ?"
        };
        Ok(Statements {
            oldest: conn.prepare(oldest)?,
            remove: conn.prepare(
                "DELETE FROM new_orders WHERE no_o_id = ? AND no_d_id = ? AND no_w_id = ?",
            )?,
            customer: conn
                .prepare("SELECT o_c_id FROM orders WHERE o_id = ? AND o_d_id = ? AND o_w_id = ?")?,
            carrier: conn.prepare(
                "UPDATE orders SET o_carrier_id = ? WHERE o_id = ? AND o_d_id = ? AND o_w_id = ?",
            )?,
            date: conn.prepare(
                "UPDATE order_line SET ol_delivery_d = ? WHERE ol_o_id = ? AND ol_d_id = ? AND ol_w_id = ?",
            )?,
            sum: conn.prepare(
                "SELECT SUM(ol_amount) FROM order_line WHERE ol_o_id = ? AND ol_d_id = ? AND ol_w_id = ?",
            )?,
            pay: conn.prepare(
                "UPDATE customer SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1 WHERE c_id = ? AND c_d_id = ? AND c_w_id = ?",
            )?,
        })
    }
}

impl SqlPath {
    pub(super) fn delivery(&mut self, i: &Delivery) -> Result<()> {
        for d in 1..=10 {
            self.deliver_oldest(i, d)?;
            // tpcc-mysql: ten commits, and ten syncs of the log with innodb_flush_log_at_trx_commit=1.
            if self.style == Style::TpccMysql {
                self.commit()?;
            }
        }
        if self.style != Style::TpccMysql {
            self.commit()?;
        }
        Ok(())
    }

    fn deliver_oldest(&mut self, i: &Delivery, d: i64) -> Result<()> {
        let s = &self.delivery;
        let conn = &mut self.conn;
        // Read from a snapshot: when another delivery removes it meanwhile, this one leaves the district alone.
        conn.run(s.oldest, &[Int(i.w), Int(d)])?;
        let o = if conn.rows.is_empty() { 0 } else { conn.rows.int(0, 0)? };
        if o == 0 {
            return Ok(());
        }
        let key = [Int(o), Int(d), Int(i.w)];
        conn.run(s.remove, &key)?;
        if conn.rows.affected == 0 {
            return Ok(());
        }
        conn.run(s.customer, &key)?;
        let c = conn.rows.int(0, 0)?;
        conn.run(s.carrier, &[Int(i.carrier), key[0], key[1], key[2]])?;
        conn.run(s.date, &[Text(&i.date), key[0], key[1], key[2]])?;
        conn.run(s.sum, &key)?;
        let cents = conn.rows.cents(0, 0)?;
        conn.run(s.pay, &[Cents(cents), Int(c), Int(d), Int(i.w)])
    }
}
