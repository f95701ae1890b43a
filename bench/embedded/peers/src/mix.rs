//! A mix of transactions after TPC-C's: new orders, payments, states of orders, deliveries and stock levels over one table, whose keys have the
//! kind of the row in their upper bits. Only the shape is TPC-C's: numbers of rows read and written, shares, and where they meet.

use crate::store::{Work, Worker};

pub const WAREHOUSES: u64 = 8;
const DISTRICTS: u64 = 10;
const CUSTOMERS: u64 = 300;
const LINES: u64 = 10;

/// Kinds of rows, in the order in which a transaction takes their locks.
const WAREHOUSE: u64 = 1 << 40;
const DISTRICT: u64 = 2 << 40;
const CUSTOMER: u64 = 3 << 40;
const STOCK: u64 = 4 << 40;
const ORDER: u64 = 5 << 40;
const HISTORY: u64 = 6 << 40;
const LINE: u64 = 7 << 40;

/// Numbers that are the same in each run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// Makes the rows that there are at first: all but orders and history.
pub fn load(w: &mut dyn Worker, items: u64) {
    w.bulk(WAREHOUSE, WAREHOUSES);
    w.bulk(DISTRICT, WAREHOUSES * DISTRICTS);
    w.bulk(CUSTOMER, WAREHOUSES * DISTRICTS * CUSTOMERS);
    w.bulk(STOCK, WAREHOUSES * items);
}

/// What one thread does. Its new rows have numbers that no other thread's have.
pub struct Terminal {
    pub random: Random,
    pub number: u64,
    pub items: u64,
    orders: u64,
    payments: u64,
}

impl Terminal {
    pub fn new(number: u64, items: u64) -> Terminal {
        Terminal {
            random: Random(number * 7919 + 88172645463325252),
            number,
            items,
            orders: 0,
            payments: 0,
        }
    }

    /// The first line of one of this terminal's orders.
    fn line(&self, order: u64) -> u64 {
        LINE + (self.number << 32) + order * LINES
    }

    pub fn next(&mut self) -> Work {
        let r = &mut self.random;
        let w = r.below(WAREHOUSES);
        let d = w * DISTRICTS + r.below(DISTRICTS);
        let c = CUSTOMER + d * CUSTOMERS + r.below(CUSTOMERS);
        match r.below(100) {
            0..45 => self.new_order(w, d, c),
            45..88 => {
                self.payments += 1;
                let inserts = vec![HISTORY + (self.number << 32) + self.payments];
                Work { adds: vec![WAREHOUSE + w, DISTRICT + d, c], inserts, ..Work::default() }
            }
            88..92 if self.orders > 0 => {
                let order = self.random.below(self.orders) + 1;
                Work { reads: vec![c], ranges: vec![(self.line(order), LINES)], ..Work::default() }
            }
            92..96 => {
                let adds = (0..DISTRICTS)
                    .map(|d| CUSTOMER + (w * DISTRICTS + d) * CUSTOMERS + c % CUSTOMERS);
                Work { adds: adds.collect(), ..Work::default() }
            }
            _ => {
                let from = self.orders.saturating_sub(20);
                let first = STOCK + w * self.items + self.random.below(self.items - 100);
                let ranges =
                    vec![(self.line(from + 1), (self.orders - from) * LINES), (first, 100)];
                Work { reads: vec![DISTRICT + d], ranges, ..Work::default() }
            }
        }
    }

    fn new_order(&mut self, w: u64, d: u64, c: u64) -> Work {
        self.orders += 1;
        let mut adds = vec![DISTRICT + d];
        // One line in a hundred is of another warehouse.
        for _ in 0..LINES {
            let of = if self.random.below(100) == 0 { self.random.below(WAREHOUSES) } else { w };
            adds.push(STOCK + of * self.items + self.random.below(self.items));
        }
        adds.sort_unstable();
        adds.dedup();
        let mut inserts = vec![ORDER + (self.number << 32) + self.orders];
        inserts.extend((0..LINES).map(|i| self.line(self.orders) + i));
        Work { reads: vec![WAREHOUSE + w, c], adds, inserts, ..Work::default() }
    }
}
