//! Rows and queries, drawn as the published benchmark draws them.

use super::Config;
use std::fmt::Write;
use std::ops::Range;
use weir_rt::Rng;

const REGISTERS: u64 = 1_000;
const PRODUCTS: u64 = 10_000;
const CUSTOMERS: u64 = 100_000;
/// Rows inserted in a second of the time that rows are from.
const ROWS_PER_SECOND: u64 = 100_000;

/// A price in whole cents: up to 500 of them at random, and as many as the customer's number.
fn price(rng: &mut Rng, customer: u64) -> u64 {
    // (random of 0 to 500 + customer) / 100, with two digits: what is behind them is rounded.
    (rng.below(50_001) + 50) / 100 + customer
}

fn date(row: u64) -> String {
    let seconds = row / ROWS_PER_SECOND;
    let (days, s) = (seconds / 86_400, seconds % 86_400);
    let day = |d: u64| format!("{:04}-{:02}-{:02}", 2009 + d / 336, 1 + d % 336 / 28, 1 + d % 28);
    format!("{} {:02}:{:02}:{:02}", day(days), s / 3600, s / 60 % 60, s % 60)
}

/// The INSERT of rows with these numbers, of which the first is 0 and has id 1.
pub fn batch(c: &Config, numbers: Range<u64>) -> String {
    let mut sql = format!(
        "INSERT INTO `{}` (transactionid,dateandtime,cashregisterid,customerid,productid,price) VALUES ",
        c.table
    );
    for n in numbers.clone() {
        let mut rng = Rng::new(c.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(n));
        let (register, product) = (rng.below(REGISTERS), rng.below(PRODUCTS));
        let customer = rng.below(CUSTOMERS);
        let cents = price(&mut rng, customer);
        let comma = if n > numbers.start { "," } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(
            sql,
            "{comma}({},'{}',{register},{customer},{product},{}.{:02})",
            n + 1,
            date(numbers.start),
            cents / 100,
            cents % 100
        );
    }
    sql
}

/// Bytes of a row's values as the table declares them: five integers and a float of 4 bytes, a date and time of 5.
pub const ROW_BYTES: u64 = 4 * 5 + 5;

/// One of the three queries, each of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    Market,
    Register,
    Pdc,
}

pub const QUERIES: [Query; 3] = [Query::Market, Query::Register, Query::Pdc];

impl Query {
    pub fn index(self) -> &'static str {
        match self {
            Query::Market => "marketsegment",
            Query::Register => "registersegment",
            Query::Pdc => "pdc",
        }
    }

    /// The columns of the index, which are what is asked for.
    fn columns(self) -> &'static str {
        match self {
            Query::Market => "price,customerid",
            Query::Register => "cashregisterid,price,customerid",
            Query::Pdc => "price,dateandtime,customerid",
        }
    }

    /// From where on rows are asked for: as published, an OR over the columns of the index.
    pub fn condition(self, rng: &mut Rng, rows: u64) -> String {
        let customer = rng.below(CUSTOMERS);
        let cents = price(rng, customer);
        let p = format!("{}.{:02}", cents / 100, cents % 100);
        match self {
            Query::Market => format!("(price={p} and customerid>={customer}) OR (price>{p})"),
            Query::Register => {
                let r = rng.below(REGISTERS);
                format!(
                    "(cashregisterid={r} and price={p} and customerid>={customer}) OR \
                     (cashregisterid={r} and price>{p}) OR (cashregisterid>{r})"
                )
            }
            Query::Pdc => {
                let d = date(rng.below(rows.max(1)));
                format!(
                    "(price={p} and dateandtime='{d}' and customerid>={customer}) OR \
                     (price={p} and dateandtime>'{d}') OR (price>{p})"
                )
            }
        }
    }

    /// As published: the index is forced, and gives the order.
    pub fn text(self, c: &Config, condition: &str) -> String {
        format!(
            "SELECT {} FROM `{}` FORCE INDEX ({}) WHERE {condition} LIMIT {}",
            self.columns(),
            c.table,
            self.index(),
            c.rows_per_query
        )
    }

    /// The same without any of the indexes: all rows, sorted.
    pub fn second_way(self, c: &Config, condition: &str) -> String {
        let columns = self.columns();
        format!(
            "SELECT {columns} FROM `{}` IGNORE INDEX (marketsegment,registersegment,pdc) WHERE {condition} \
             ORDER BY {columns} LIMIT {}",
            c.table, c.rows_per_query
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::insert::tests::config;

    #[test]
    fn a_row_depends_on_its_number_only() {
        let c = config();
        let whole = batch(&c, 0..20);
        let (_, tail) = whole.split_once("VALUES ").unwrap();
        let rows: Vec<&str> = tail.split("),(").collect();
        assert_eq!(rows.len(), 20);
        let one = batch(&c, 7..8);
        let without = |r: &str| r.trim_matches(['(', ')']).to_string();
        assert_eq!(without(one.split_once("VALUES ").unwrap().1), without(rows[7]));
    }

    #[test]
    fn dates_are_dates() {
        for n in [0, 1, 3_000_000, 8_640_000_000, 8_640_000_000 * 700] {
            let d = date(n);
            let part = |r: Range<usize>| d[r].parse::<u32>().unwrap();
            assert!((1..=12).contains(&part(5..7)) && (1..=28).contains(&part(8..10)), "{d}");
        }
    }
}
