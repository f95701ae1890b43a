//! Stock-Level (clause 2.8.2).

use super::SqlPath;
use crate::error::Result;
use crate::target::{Conn, Value};
use crate::workload::tpcc::Style;
use crate::workload::tpcc::input::StockLevel;
use Value::Int;

pub struct Statements {
    district: u32,
    items: Option<u32>,
    count: u32,
}

impl Statements {
    pub fn prepare(conn: &mut Conn, style: Style) -> Result<Statements> {
        let district = "SELECT d_next_o_id FROM district WHERE d_id = ? AND d_w_id = ?";
        let items = "SELECT DISTINCT ol_i_id FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? AND ol_o_id >= (? - 20)";
        let one = "SELECT COUNT(*) FROM stock WHERE s_w_id = ? AND s_i_id = ? AND s_quantity < ?";
        let joined = "SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? AND ol_o_id >= (? - 20) AND s_w_id = ol_w_id AND s_i_id = ol_i_id AND s_quantity < ?";
        let by_item = style == Style::TpccMysql;
        Ok(Statements {
            district: conn.prepare(district)?,
            items: if by_item { Some(conn.prepare(items)?) } else { None },
            count: conn.prepare(if by_item { one } else { joined })?,
        })
    }
}

impl SqlPath {
    pub(super) fn stock_level(&mut self, i: &StockLevel) -> Result<()> {
        let s = &self.stock_level;
        let conn = &mut self.conn;
        conn.run(s.district, &[Int(i.d), Int(i.w)])?;
        let next = conn.rows.int(0, 0)?;
        let key = [Int(i.w), Int(i.d), Int(next), Int(next)];
        match s.items {
            None => conn.run(s.count, &[key[0], key[1], key[2], key[3], Int(i.threshold)])?,
            Some(items) => {
                conn.run(items, &key)?;
                let list: Result<Vec<i64>> =
                    (0..conn.rows.len()).map(|r| conn.rows.int(r, 0)).collect();
                for item in list? {
                    conn.run(s.count, &[Int(i.w), Int(item), Int(i.threshold)])?;
                    conn.rows.int(0, 0)?;
                }
            }
        }
        self.commit()
    }
}
