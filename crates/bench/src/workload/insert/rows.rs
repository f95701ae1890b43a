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

/// A second since the beginning of 2009, in years of 336 days and months of 28.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Second(u64);

impl Second {
    fn of_row(row: u64) -> Second {
        Second(row / ROWS_PER_SECOND)
    }

    /// Year, month, day, hour, minute, second.
    pub fn parts(self) -> [u64; 6] {
        let (d, s) = (self.0 / 86_400, self.0 % 86_400);
        [2009 + d / 336, 1 + d % 336 / 28, 1 + d % 28, s / 3600, s / 60 % 60, s % 60]
    }
}

impl std::fmt::Display for Second {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [year, month, day, h, m, s] = self.parts();
        write!(f, "{year:04}-{month:02}-{day:02} {h:02}:{m:02}:{s:02}")
    }
}

/// Hundredths as a decimal number.
struct Cents(u64);

impl std::fmt::Display for Cents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

pub struct Row {
    pub id: u64,
    pub date: Second,
    pub register: u64,
    pub customer: u64,
    pub product: u64,
    /// The price.
    pub cents: u64,
}

/// The row with a number, of which the first is 0 and has id 1, in a batch that begins with another.
pub fn row(c: &Config, batch: u64, n: u64) -> Row {
    let mut rng = Rng::new(c.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(n));
    let (register, product) = (rng.below(REGISTERS), rng.below(PRODUCTS));
    let customer = rng.below(CUSTOMERS);
    let cents = price(&mut rng, customer);
    Row { id: n + 1, date: Second::of_row(batch), register, customer, product, cents }
}

/// The INSERT of rows with these numbers.
pub fn batch(c: &Config, numbers: Range<u64>) -> String {
    let mut sql = format!(
        "INSERT INTO `{}` (transactionid,dateandtime,cashregisterid,customerid,productid,price) VALUES ",
        c.table
    );
    for n in numbers.clone() {
        let r = row(c, numbers.start, n);
        let comma = if n > numbers.start { "," } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(
            sql,
            "{comma}({},'{}',{},{},{},{})",
            r.id,
            r.date,
            r.register,
            r.customer,
            r.product,
            Cents(r.cents)
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

/// Where a query begins.
#[derive(Clone, Copy, Debug)]
pub struct From {
    pub customer: u64,
    pub cents: u64,
    pub register: u64,
    pub date: Second,
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

    /// From where on rows are asked for. The register counts for its query only, and the date for its.
    pub fn draw(self, rng: &mut Rng, rows: u64) -> From {
        let customer = rng.below(CUSTOMERS);
        let cents = price(rng, customer);
        let register = if self == Query::Register { rng.below(REGISTERS) } else { 0 };
        let row = if self == Query::Pdc { rng.below(rows.max(1)) } else { 0 };
        From { customer, cents, register, date: Second::of_row(row) }
    }

    /// As published, an OR over the columns of the index.
    pub fn condition(self, from: From) -> String {
        let From { customer, cents, register: r, date: d } = from;
        let p = Cents(cents);
        match self {
            Query::Market => format!("(price={p} and customerid>={customer}) OR (price>{p})"),
            Query::Register => {
                format!(
                    "(cashregisterid={r} and price={p} and customerid>={customer}) OR \
                     (cashregisterid={r} and price>{p}) OR (cashregisterid>{r})"
                )
            }
            Query::Pdc => {
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
            let d = Second::of_row(n).to_string();
            let part = |r: Range<usize>| d[r].parse::<u32>().unwrap();
            assert!((1..=12).contains(&part(5..7)) && (1..=28).contains(&part(8..10)), "{d}");
        }
    }
}
