//! The nine tables and their secondary indexes: two that the transactions use, and on request those of the foreign keys.

use crate::error::{Error, Result};
use crate::target::Conn;

/// Tables in the order of their loading.
pub const TABLES: [&str; 9] = [
    "item",
    "warehouse",
    "district",
    "customer",
    "history",
    "stock",
    "orders",
    "new_orders",
    "order_line",
];

const COLUMNS: [&str; 9] = [
    "i_id int not null, i_im_id int not null, i_name varchar(24) not null, i_price decimal(5,2) not null, \
     i_data varchar(50) not null, primary key (i_id)",
    "w_id int not null, w_name varchar(10) not null, w_street_1 varchar(20) not null, w_street_2 varchar(20) not null, \
     w_city varchar(20) not null, w_state char(2) not null, w_zip char(9) not null, w_tax decimal(4,4) not null, \
     w_ytd decimal(12,2) not null, primary key (w_id)",
    "d_id tinyint not null, d_w_id int not null, d_name varchar(10) not null, d_street_1 varchar(20) not null, \
     d_street_2 varchar(20) not null, d_city varchar(20) not null, d_state char(2) not null, d_zip char(9) not null, \
     d_tax decimal(4,4) not null, d_ytd decimal(12,2) not null, d_next_o_id int not null, primary key (d_w_id, d_id)",
    "c_id int not null, c_d_id tinyint not null, c_w_id int not null, c_first varchar(16) not null, c_middle char(2) not null, \
     c_last varchar(16) not null, c_street_1 varchar(20) not null, c_street_2 varchar(20) not null, c_city varchar(20) not null, \
     c_state char(2) not null, c_zip char(9) not null, c_phone char(16) not null, c_since datetime not null, \
     c_credit char(2) not null, c_credit_lim decimal(12,2) not null, c_discount decimal(4,4) not null, \
     c_balance decimal(12,2) not null, c_ytd_payment decimal(12,2) not null, c_payment_cnt int not null, \
     c_delivery_cnt int not null, c_data varchar(500) not null, primary key (c_w_id, c_d_id, c_id), \
     key idx_customer (c_w_id, c_d_id, c_last, c_first)",
    "h_c_id int not null, h_c_d_id tinyint not null, h_c_w_id int not null, h_d_id tinyint not null, h_w_id int not null, \
     h_date datetime not null, h_amount decimal(6,2) not null, h_data varchar(24) not null",
    "s_i_id int not null, s_w_id int not null, s_quantity smallint not null, s_dist_01 char(24) not null, \
     s_dist_02 char(24) not null, s_dist_03 char(24) not null, s_dist_04 char(24) not null, s_dist_05 char(24) not null, \
     s_dist_06 char(24) not null, s_dist_07 char(24) not null, s_dist_08 char(24) not null, s_dist_09 char(24) not null, \
     s_dist_10 char(24) not null, s_ytd int not null, s_order_cnt int not null, s_remote_cnt int not null, \
     s_data varchar(50) not null, primary key (s_w_id, s_i_id)",
    "o_id int not null, o_d_id tinyint not null, o_w_id int not null, o_c_id int not null, o_entry_d datetime not null, \
     o_carrier_id tinyint, o_ol_cnt tinyint not null, o_all_local tinyint not null, primary key (o_w_id, o_d_id, o_id), \
     key idx_orders (o_w_id, o_d_id, o_c_id, o_id)",
    "no_o_id int not null, no_d_id tinyint not null, no_w_id int not null, primary key (no_w_id, no_d_id, no_o_id)",
    "ol_o_id int not null, ol_d_id tinyint not null, ol_w_id int not null, ol_number tinyint not null, ol_i_id int not null, \
     ol_supply_w_id int not null, ol_delivery_d datetime, ol_quantity tinyint not null, ol_amount decimal(6,2) not null, \
     ol_dist_info char(24) not null, primary key (ol_w_id, ol_d_id, ol_o_id, ol_number)",
];

/// The indexes that tpcc-mysql's second script (`add_fkey_idx.sql`) makes for its foreign keys, where no other index begins with their
/// columns: table, name, columns.
const FOREIGN: [(&str, &str, &str); 4] = [
    ("history", "fkey_history_1", "h_c_w_id, h_c_d_id, h_c_id"),
    ("history", "fkey_history_2", "h_w_id, h_d_id"),
    ("stock", "fkey_stock_2", "s_i_id"),
    ("order_line", "fkey_order_line_2", "ol_supply_w_id, ol_i_id"),
];

/// Number of columns of a table.
pub fn columns(table: &str) -> usize {
    match table {
        "item" => 5,
        "warehouse" => 9,
        "district" => 11,
        "customer" => 21,
        "history" => 8,
        "stock" => 17,
        "orders" => 8,
        "new_orders" => 3,
        _ => 10,
    }
}

/// What makes the schema again. Texts are latin1 with a binary collation: all engines can index it, and names compare as bytes.
/// `foreign`: with the indexes of the foreign keys. The keys themselves are not made: the transactions keep them.
pub fn statements(schema: &str, engine: &str, foreign: bool) -> Vec<String> {
    let mut all = vec![
        format!("DROP DATABASE IF EXISTS `{schema}`"),
        format!("CREATE DATABASE `{schema}` DEFAULT CHARACTER SET latin1 COLLATE latin1_bin"),
    ];
    all.extend(TABLES.iter().zip(COLUMNS).map(|(table, columns)| {
        let own = FOREIGN.iter().filter(|f| foreign && f.0 == *table);
        let keys: String = own.map(|(_, name, of)| format!(", key {name} ({of})")).collect();
        format!(
            "CREATE TABLE `{schema}`.{table} ({columns}{keys}) ENGINE={engine} DEFAULT CHARSET=latin1 COLLATE=latin1_bin"
        )
    }));
    all
}

pub fn create(conn: &mut Conn, schema: &str, engine: &str, foreign: bool) -> Result<()> {
    for sql in statements(schema, engine, foreign) {
        conn.query(&sql).map_err(|e| e.at("creating the tables"))?;
    }
    Ok(())
}

/// How many warehouses are there; checks that the load was complete.
pub fn scale(conn: &mut Conn, schema: &str) -> Result<i64> {
    let prepare = "prepare it with `weir bench tpcc prepare --warehouses N` and the same --target and --schema";
    let count = match conn.query("SELECT COUNT(*) FROM warehouse") {
        Ok(rows) => rows.int(0, 0)?,
        Err(e) if matches!(e.errno(), 1046 | 1049 | 1146) => {
            return Err(Error::other(format!(
                "there is no TPC-C data in schema '{schema}' ({e}); {prepare}"
            )));
        }
        Err(e) => return Err(e),
    };
    // Warehouses are loaded last: without them the load was cut off.
    let districts = conn.query("SELECT COUNT(*) FROM district")?.int(0, 0)?;
    if count == 0 || districts != count * 10 {
        return Err(Error::other(format!(
            "the TPC-C data in schema '{schema}' is incomplete: {count} warehouses, {districts} districts; {prepare}"
        )));
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_of_foreign_keys_are_made_on_request() {
        let count = |foreign| {
            let all = statements("s", "InnoDB", foreign);
            all.iter().map(|sql| sql.matches(", key ").count()).sum::<usize>()
        };
        assert_eq!((count(false), count(true)), (2, 2 + FOREIGN.len()));
        assert!(FOREIGN.iter().all(|f| TABLES.contains(&f.0)));
    }

    #[test]
    fn the_number_of_columns_is_right() {
        for (table, text) in TABLES.iter().zip(COLUMNS) {
            let defined = text.split(", ").filter(|p| {
                p.contains(" not null")
                    || p.starts_with("o_carrier")
                    || p.starts_with("ol_delivery")
            });
            assert_eq!(defined.count(), columns(table), "{table}");
        }
    }
}
