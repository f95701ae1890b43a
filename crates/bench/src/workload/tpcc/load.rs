//! The initial population (clause 4.3.3): items once, everything else by warehouse.

use super::random::{Random, now};
use super::schema;
use crate::error::Result;
use crate::target::{Conn, Target};
use crate::workload::load::{Field, Loader, Progress, in_parallel};
use Field::{Cents, Int, Null, Text};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub const ITEMS: i64 = 100_000;
const DISTRICTS: i64 = 10;
const CUSTOMERS: i64 = 3000;
/// Orders up to this one are delivered.
const DELIVERED: i64 = 2100;
/// Parts of a warehouse that are loaded side by side: one for each district, and the stock.
const PARTS: usize = DISTRICTS as usize + 1;

/// Rows of a scale, about (order lines are random).
pub fn expected_rows(warehouses: i64) -> u64 {
    (ITEMS + warehouses * (1 + 10 + ITEMS + 3 * 30_000 + 9000 + 300_000)) as u64
}

pub struct Load<'a> {
    pub target: &'a Target,
    pub schema: &'a str,
    pub engine: &'a str,
    pub warehouses: i64,
    pub threads: usize,
    pub seed: u64,
}

impl Load<'_> {
    /// Rows loaded.
    pub fn run(&self, stop: &AtomicBool, watch: impl FnMut(u64, u64, Duration)) -> Result<u64> {
        let mut conn = self.target.connect_patient("")?;
        schema::create(&mut conn, self.schema, self.engine)?;
        drop(conn);
        let progress = Progress::new(expected_rows(self.warehouses), stop);
        let parts = 1 + self.warehouses as usize * PARTS;
        in_parallel(
            self.target,
            self.schema,
            self.threads,
            parts,
            &progress,
            watch,
            |n, conn, p| self.part(n, conn, p),
        )?;
        let mut conn = self.target.connect_patient(self.schema)?;
        self.warehouse_rows(&mut conn, &progress)?;
        Ok(progress.rows.load(Ordering::Relaxed))
    }

    fn part(&self, n: usize, conn: &mut Conn, p: &Progress<'_>) -> Result<()> {
        let mut r = Random::new(self.seed.wrapping_mul(1_000_003).wrapping_add(n as u64));
        if n == 0 {
            return items(&mut r, conn, p);
        }
        let w = ((n - 1) / PARTS) as i64 + 1;
        match ((n - 1) % PARTS) as i64 {
            0 => stock(&mut r, w, conn, p),
            d => {
                customers(&mut r, w, d, conn, p)?;
                orders(&mut r, w, d, conn, p)
            }
        }
    }

    /// Last of all: a load that was cut off has no warehouses.
    fn warehouse_rows(&self, conn: &mut Conn, p: &Progress<'_>) -> Result<()> {
        let mut r = Random::new(self.seed);
        let mut out = loader(conn, "district", p)?;
        for w in 1..=self.warehouses {
            for d in 1..=DISTRICTS {
                let mut row = vec![Int(d), Int(w), Text(r.text(6, 10))];
                row.extend(address(&mut r));
                row.extend([tax(&mut r), Cents(3_000_000), Int(CUSTOMERS + 1)]);
                out.row(row)?;
            }
        }
        out.finish()?;
        let mut out = loader(conn, "warehouse", p)?;
        for w in 1..=self.warehouses {
            let mut row = vec![Int(w), Text(r.text(6, 10))];
            row.extend(address(&mut r));
            row.extend([tax(&mut r), Cents(30_000_000)]);
            out.row(row)?;
        }
        out.finish()
    }
}

fn loader<'c>(conn: &'c mut Conn, table: &'static str, p: &'c Progress<'_>) -> Result<Loader<'c>> {
    Loader::new(conn, table, schema::columns(table), p)
}

/// Street, street, city, state, zip.
fn address(r: &mut Random) -> [Field; 5] {
    [
        Text(r.text(10, 20)),
        Text(r.text(10, 20)),
        Text(r.text(10, 20)),
        Text(r.text(2, 2)),
        Text(r.zip()),
    ]
}

/// 0.0000 to 0.2000, as text: four digits.
fn tax(r: &mut Random) -> Field {
    Text(format!("0.{:04}", r.int(0, 2000)))
}

fn items(r: &mut Random, conn: &mut Conn, p: &Progress<'_>) -> Result<()> {
    let mut out = loader(conn, "item", p)?;
    for i in 1..=ITEMS {
        let im = r.int(1, 10_000);
        let (name, price, data) = (r.text(14, 24), r.int(100, 10_000), r.data());
        out.row([Int(i), Int(im), Text(name), Cents(price), Text(data)])?;
    }
    out.finish()
}

fn stock(r: &mut Random, w: i64, conn: &mut Conn, p: &Progress<'_>) -> Result<()> {
    let mut out = loader(conn, "stock", p)?;
    for i in 1..=ITEMS {
        let mut row = vec![Int(i), Int(w), Int(r.int(10, 100))];
        row.extend((0..DISTRICTS).map(|_| Text(r.text(24, 24))));
        row.extend([Int(0), Int(0), Int(0), Text(r.data())]);
        out.row(row)?;
    }
    out.finish()
}

fn customers(r: &mut Random, w: i64, d: i64, conn: &mut Conn, p: &Progress<'_>) -> Result<()> {
    let since = now();
    let mut out = loader(conn, "customer", p)?;
    for c in 1..=CUSTOMERS {
        let last = if c <= 1000 { super::random::last_name(c - 1) } else { r.name_to_load() };
        let credit = if r.chance(10) { "BC" } else { "GC" };
        let mut row =
            vec![Int(c), Int(d), Int(w), Text(r.text(8, 16)), Text("OE".into()), Text(last)];
        row.extend(address(r));
        row.extend([
            Text(r.digits(16)),
            Text(since.clone()),
            Text(credit.into()),
            Cents(5_000_000),
            Text(format!("0.{:04}", r.int(0, 5000))),
            Cents(-1000),
            Cents(1000),
            Int(1),
            Int(0),
            Text(r.text(300, 500)),
        ]);
        out.row(row)?;
    }
    out.finish()?;
    let mut out = loader(conn, "history", p)?;
    for c in 1..=CUSTOMERS {
        let data = Text(r.text(12, 24));
        out.row([Int(c), Int(d), Int(w), Int(d), Int(w), Text(since.clone()), Cents(1000), data])?;
    }
    out.finish()
}

fn orders(r: &mut Random, w: i64, d: i64, conn: &mut Conn, p: &Progress<'_>) -> Result<()> {
    let entry = now();
    let customers = r.permutation(CUSTOMERS);
    let counts: Vec<i64> = (0..CUSTOMERS).map(|_| r.int(5, 15)).collect();
    let mut out = loader(conn, "orders", p)?;
    for ((o, c), count) in (1..).zip(&customers).zip(&counts) {
        let carrier = if o <= DELIVERED { Int(r.int(1, 10)) } else { Null };
        let date = Text(entry.clone());
        out.row([Int(o), Int(d), Int(w), Int(*c), date, carrier, Int(*count), Int(1)])?;
    }
    out.finish()?;
    let mut out = loader(conn, "new_orders", p)?;
    for o in DELIVERED + 1..=CUSTOMERS {
        out.row([Int(o), Int(d), Int(w)])?;
    }
    out.finish()?;
    let mut out = loader(conn, "order_line", p)?;
    for (o, count) in (1..).zip(&counts) {
        for n in 1..=*count {
            // What is delivered was paid for long ago: amount 0.
            let (date, cents) =
                if o <= DELIVERED { (Text(entry.clone()), 0) } else { (Null, r.int(1, 999_999)) };
            let (item, info) = (r.int(1, ITEMS), r.text(24, 24));
            out.row([
                Int(o),
                Int(d),
                Int(w),
                Int(n),
                Int(item),
                Int(w),
                date,
                Int(5),
                Cents(cents),
                Text(info),
            ])?;
        }
    }
    out.finish()
}
