//! New-Order (clause 2.4.2).

use super::SqlPath;
use crate::error::Result;
use crate::target::{Conn, Value};
use crate::workload::tpcc::Style;
use crate::workload::tpcc::input::NewOrder;
use Value::{Cents, Int, Text};

pub struct Statements {
    /// DBT-2 asks for the warehouse by itself.
    warehouse: Option<u32>,
    customer: u32,
    district: u32,
    next: u32,
    order: u32,
    new_order: u32,
    item: u32,
    stock: u32,
    take: u32,
    line: u32,
}

impl Statements {
    pub fn prepare(conn: &mut Conn, style: Style) -> Result<Statements> {
        let dbt2 = style == Style::Dbt2;
        let warehouse = "SELECT w_tax FROM warehouse WHERE w_id = ?";
        let customer = if dbt2 {
            "SELECT c_discount, c_last, c_credit FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?"
        } else {
            "SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse WHERE w_id = ? AND c_w_id = w_id AND c_d_id = ? AND c_id = ?"
        };
        let stock = if dbt2 {
            "SELECT s_quantity, s_data, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10 FROM stock WHERE s_i_id = ? AND s_w_id = ?"
        } else {
            "SELECT s_quantity, s_data, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10 FROM stock WHERE s_i_id = ? AND s_w_id = ? FOR UPDATE"
        };
        let take = match style {
            Style::TpccMysql => "UPDATE stock SET s_quantity = ? WHERE s_i_id = ? AND s_w_id = ?",
            Style::Dbt2 => {
                "UPDATE stock SET s_quantity = s_quantity - ? WHERE s_i_id = ? AND s_w_id = ?"
            }
            Style::Standard => {
                "UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + ? WHERE s_i_id = ? AND s_w_id = ?"
            }
        };
        Ok(Statements {
            warehouse: if dbt2 { Some(conn.prepare(warehouse)?) } else { None },
            customer: conn.prepare(customer)?,
            district: conn.prepare(
                "SELECT d_next_o_id, d_tax FROM district WHERE d_id = ? AND d_w_id = ? FOR UPDATE",
            )?,
            next: conn.prepare("UPDATE district SET d_next_o_id = ? + 1 WHERE d_id = ? AND d_w_id = ?")?,
            order: conn.prepare(
                "INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) VALUES (?, ?, ?, ?, ?, ?, ?)",
            )?,
            new_order: conn
                .prepare("INSERT INTO new_orders (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)")?,
            item: conn.prepare("SELECT i_price, i_name, i_data FROM item WHERE i_id = ?")?,
            stock: conn.prepare(stock)?,
            take: conn.prepare(take)?,
            line: conn.prepare(
                "INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?,
        })
    }
}

impl SqlPath {
    /// False: an item is unknown, and all of it is rolled back.
    pub(super) fn new_order(&mut self, i: &NewOrder) -> Result<bool> {
        let s = &self.new_order;
        let conn = &mut self.conn;
        if let Some(warehouse) = s.warehouse {
            conn.run(warehouse, &[Int(i.w)])?;
            conn.rows.real(0, 0)?;
        }
        conn.run(s.customer, &[Int(i.w), Int(i.d), Int(i.c)])?;
        conn.rows.real(0, 0)?;
        conn.run(s.district, &[Int(i.d), Int(i.w)])?;
        let o = conn.rows.int(0, 0)?;
        conn.run(s.next, &[Int(o), Int(i.d), Int(i.w)])?;
        let (count, local) = (i.lines.len() as i64, i64::from(i.all_local));
        conn.run(
            s.order,
            &[Int(o), Int(i.d), Int(i.w), Int(i.c), Text(&i.date), Int(count), Int(local)],
        )?;
        conn.run(s.new_order, &[Int(o), Int(i.d), Int(i.w)])?;
        for (n, line) in (1..).zip(&i.lines) {
            conn.run(s.item, &[Int(line.item)])?;
            if conn.rows.is_empty() {
                conn.query("ROLLBACK")?;
                return Ok(false);
            }
            let cents = conn.rows.cents(0, 0)? * line.quantity;
            conn.run(s.stock, &[Int(line.item), Int(line.supply)])?;
            let left = conn.rows.int(0, 0)? - line.quantity;
            let quantity = if left >= 10 { left } else { left + 91 };
            let info = conn.rows.text(0, 1 + i.d as usize).into_owned();
            let key = [Int(line.item), Int(line.supply)];
            match self.style {
                Style::Standard => {
                    let remote = i64::from(line.supply != i.w);
                    conn.run(
                        s.take,
                        &[Int(quantity), Int(line.quantity), Int(remote), key[0], key[1]],
                    )?;
                }
                Style::TpccMysql => conn.run(s.take, &[Int(quantity), key[0], key[1]])?,
                Style::Dbt2 => {
                    conn.run(s.take, &[Int(line.quantity + left - quantity), key[0], key[1]])?
                }
            }
            conn.run(
                s.line,
                &[
                    Int(o),
                    Int(i.d),
                    Int(i.w),
                    Int(n),
                    Int(line.item),
                    Int(line.supply),
                    Int(line.quantity),
                    Cents(cents),
                    Text(&info),
                ],
            )?;
        }
        self.commit()?;
        Ok(true)
    }
}
