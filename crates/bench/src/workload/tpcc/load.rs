//! The initial population (clause 4.3.3): items once, everything else by warehouse.

use super::random::{Random, Scale, now};
use super::schema;
use crate::error::Result;
use crate::target::{Conn, Target};
use crate::workload::load::{Field, Loader, Progress, in_parallel};
use Field::{Cents, Int, Null, Text};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const DISTRICTS: i64 = 10;
/// Parts of a warehouse that are loaded side by side: one for each district, and the stock.
const PARTS: usize = DISTRICTS as usize + 1;

/// Rows of a scale, about (order lines are random).
pub fn expected_rows(warehouses: i64, s: Scale) -> u64 {
    let orders = DISTRICTS * s.customers;
    let new = orders - DISTRICTS * s.delivered();
    (s.items + warehouses * (1 + DISTRICTS + s.items + 3 * orders + new + 10 * orders)) as u64
}

pub struct Load<'a> {
    pub target: &'a Target,
    pub schema: &'a str,
    pub engine: &'a str,
    pub warehouses: i64,
    /// With the indexes of the foreign keys.
    pub foreign: bool,
    pub threads: usize,
    pub seed: u64,
}

impl Load<'_> {
    /// Rows loaded.
    pub fn run(&self, stop: &AtomicBool, watch: impl FnMut(u64, u64, Duration)) -> Result<u64> {
        let mut conn = self.target.connect_patient("")?;
        schema::create(&mut conn, self.schema, self.engine, self.foreign)?;
        drop(conn);
        let progress = Progress::new(expected_rows(self.warehouses, Scale::STANDARD), stop);
        let parts = parts(self.warehouses);
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
        part(self.seed, Scale::STANDARD, &now(), n, &mut Inserts { conn, progress: p })
    }

    /// Last of all: a load that was cut off has no warehouses.
    fn warehouse_rows(&self, conn: &mut Conn, p: &Progress<'_>) -> Result<()> {
        let (seed, scale) = (self.seed, Scale::STANDARD);
        warehouses(seed, scale, self.warehouses, &mut Inserts { conn, progress: p })
    }
}

/// Where a load puts its rows, one table after the other.
pub trait Rows {
    fn table(
        &mut self,
        name: &'static str,
        rows: &mut dyn Iterator<Item = Vec<Field>>,
    ) -> Result<()>;
}

/// Statements to a server.
struct Inserts<'c> {
    conn: &'c mut Conn,
    progress: &'c Progress<'c>,
}

impl Rows for Inserts<'_> {
    fn table(
        &mut self,
        name: &'static str,
        rows: &mut dyn Iterator<Item = Vec<Field>>,
    ) -> Result<()> {
        let mut out = Loader::new(self.conn, name, schema::columns(name), self.progress)?;
        for r in rows {
            out.row(r)?;
        }
        out.finish()
    }
}

/// Parts of which a load of so many warehouses consists.
pub fn parts(warehouses: i64) -> usize {
    1 + warehouses as usize * PARTS
}

/// One part of a load; `date` is when its rows were made.
pub fn part(seed: u64, scale: Scale, date: &str, n: usize, out: &mut dyn Rows) -> Result<()> {
    let mut r = Random::of(seed.wrapping_mul(1_000_003).wrapping_add(n as u64), scale);
    if n == 0 {
        return out.table("item", &mut items(&mut r));
    }
    let w = ((n - 1) / PARTS) as i64 + 1;
    match ((n - 1) % PARTS) as i64 {
        0 => out.table("stock", &mut stock(&mut r, w)),
        d => {
            customers(&mut r, (w, d), date, out)?;
            orders(&mut r, (w, d), date, out)
        }
    }
}

/// What is loaded behind all parts.
pub fn warehouses(seed: u64, scale: Scale, count: i64, out: &mut dyn Rows) -> Result<()> {
    let mut r = Random::of(seed, scale);
    let mut list = Vec::new();
    for w in 1..=count {
        for d in 1..=DISTRICTS {
            let mut row = vec![Int(d), Int(w), Text(r.text(6, 10))];
            row.extend(address(&mut r));
            row.extend([tax(&mut r), Cents(3_000_000), Int(scale.customers + 1)]);
            list.push(row);
        }
    }
    out.table("district", &mut list.into_iter())?;
    let mut list = Vec::new();
    for w in 1..=count {
        let mut row = vec![Int(w), Text(r.text(6, 10))];
        row.extend(address(&mut r));
        row.extend([tax(&mut r), Cents(30_000_000)]);
        list.push(row);
    }
    out.table("warehouse", &mut list.into_iter())
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

fn items(r: &mut Random) -> impl Iterator<Item = Vec<Field>> {
    let last = r.scale.items;
    let one = move |i: i64| {
        let im = r.int(1, 10_000);
        let (name, price, data) = (r.text(14, 24), r.int(100, 10_000), r.data());
        vec![Int(i), Int(im), Text(name), Cents(price), Text(data)]
    };
    (1..=last).map(one)
}

fn stock(r: &mut Random, w: i64) -> impl Iterator<Item = Vec<Field>> {
    let last = r.scale.items;
    let one = move |i: i64| {
        let mut row = vec![Int(i), Int(w), Int(r.int(10, 100))];
        row.extend((0..DISTRICTS).map(|_| Text(r.text(24, 24))));
        row.extend([Int(0), Int(0), Int(0), Text(r.data())]);
        row
    };
    (1..=last).map(one)
}

fn customers(r: &mut Random, (w, d): (i64, i64), date: &str, out: &mut dyn Rows) -> Result<()> {
    let (since, all) = (date.to_string(), r.scale.customers);
    let mut list = Vec::new();
    for c in 1..=all {
        let last = r.name_of(c);
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
        list.push(row);
    }
    out.table("customer", &mut list.into_iter())?;
    let one = |c: i64| {
        let data = Text(r.text(12, 24));
        vec![Int(c), Int(d), Int(w), Int(d), Int(w), Text(since.clone()), Cents(1000), data]
    };
    out.table("history", &mut (1..=all).map(one))
}

fn orders(r: &mut Random, (w, d): (i64, i64), date: &str, out: &mut dyn Rows) -> Result<()> {
    let entry = date.to_string();
    let (all, delivered) = (r.scale.customers, r.scale.delivered());
    let customers = r.permutation(all);
    let counts: Vec<i64> = (0..all).map(|_| r.int(5, 15)).collect();
    let mut list = Vec::new();
    for ((o, c), count) in (1..).zip(&customers).zip(&counts) {
        let carrier = if o <= delivered { Int(r.int(1, 10)) } else { Null };
        let date = Text(entry.clone());
        list.push(vec![Int(o), Int(d), Int(w), Int(*c), date, carrier, Int(*count), Int(1)]);
    }
    out.table("orders", &mut list.into_iter())?;
    let mut new = (delivered + 1..=all).map(|o| vec![Int(o), Int(d), Int(w)]);
    out.table("new_orders", &mut new)?;
    let mut list = Vec::new();
    for (o, count) in (1..).zip(&counts) {
        for n in 1..=*count {
            // What is delivered was paid for long ago: amount 0.
            let (date, cents) =
                if o <= delivered { (Text(entry.clone()), 0) } else { (Null, r.int(1, 999_999)) };
            let (item, info) = (r.item_of_load(), r.text(24, 24));
            list.push(vec![
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
            ]);
        }
    }
    out.table("order_line", &mut list.into_iter())
}
