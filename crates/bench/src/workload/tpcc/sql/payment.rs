//! Payment (clause 2.5.2).

use super::SqlPath;
use crate::error::Result;
use crate::target::{Conn, Value};
use crate::workload::tpcc::Style;
use crate::workload::tpcc::input::Payment;
use Value::{Cents, Int, Text};

pub struct Statements {
    pay_warehouse: u32,
    warehouse: u32,
    pay_district: u32,
    district: u32,
    customer: u32,
    data: u32,
    pay: u32,
    pay_bad: u32,
    history: u32,
}

impl Statements {
    pub fn prepare(conn: &mut Conn, style: Style) -> Result<Statements> {
        // DBT-2 locks the customer by the update alone.
        let customer = if style == Style::Dbt2 {
            "SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_credit, c_credit_lim, c_discount, c_balance, c_since FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?"
        } else {
            "SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_credit, c_credit_lim, c_discount, c_balance, c_since FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ? FOR UPDATE"
        };
        Ok(Statements {
            pay_warehouse: conn.prepare("UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?")?,
            warehouse: conn.prepare(
                "SELECT w_street_1, w_street_2, w_city, w_state, w_zip, w_name FROM warehouse WHERE w_id = ?",
            )?,
            pay_district: conn
                .prepare("UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?")?,
            district: conn.prepare(
                "SELECT d_street_1, d_street_2, d_city, d_state, d_zip, d_name FROM district WHERE d_w_id = ? AND d_id = ?",
            )?,
            customer: conn.prepare(customer)?,
            data: conn
                .prepare("SELECT c_data FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?")?,
            pay: conn.prepare(
                "UPDATE customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?, c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
            )?,
            pay_bad: conn.prepare(
                "UPDATE customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?, c_payment_cnt = c_payment_cnt + 1, c_data = ? WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
            )?,
            history: conn.prepare(
                "INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            )?,
        })
    }
}

/// Longest c_data.
pub(in crate::workload::tpcc) const DATA_MAX: usize = 500;

/// What a customer with bad credit has in `c_data` after a payment.
pub(in crate::workload::tpcc) fn bad_credit_data(i: &Payment, c: i64, old: &str) -> String {
    let mut data = format!(
        "| {c} {} {} {} {} {}.{:02} ",
        i.c_d,
        i.c_w,
        i.d,
        i.w,
        i.cents / 100,
        i.cents % 100
    );
    data.push_str(old);
    data.truncate(DATA_MAX);
    data
}

impl SqlPath {
    pub(super) fn payment(&mut self, i: &Payment) -> Result<()> {
        let s = &self.payment;
        let conn = &mut self.conn;
        let amount = Cents(i.cents);
        conn.run(s.pay_warehouse, &[amount, Int(i.w)])?;
        conn.run(s.warehouse, &[Int(i.w)])?;
        let w_name = conn.rows.text(0, 5).into_owned();
        conn.run(s.pay_district, &[amount, Int(i.w), Int(i.d)])?;
        conn.run(s.district, &[Int(i.w), Int(i.d)])?;
        let d_name = conn.rows.text(0, 5).into_owned();
        let c = self.customer(i.c_w, i.c_d, &i.who)?;
        let s = &self.payment;
        let conn = &mut self.conn;
        let key = [Int(i.c_w), Int(i.c_d), Int(c)];
        conn.run(s.customer, &key)?;
        if conn.rows.text(0, 9) == "BC" {
            conn.run(s.data, &key)?;
            let data = bad_credit_data(i, c, &conn.rows.text(0, 0));
            conn.run(s.pay_bad, &[amount, amount, Text(&data), key[0], key[1], key[2]])?;
        } else {
            conn.run(s.pay, &[amount, amount, key[0], key[1], key[2]])?;
        }
        let data = format!("{w_name}    {d_name}");
        conn.run(
            s.history,
            &[
                Int(i.c_d),
                Int(i.c_w),
                Int(c),
                Int(i.d),
                Int(i.w),
                Text(&i.date),
                amount,
                Text(&data),
            ],
        )?;
        self.commit()
    }
}
