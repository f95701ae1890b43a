//! The twelve consistency conditions (clause 3.3.2), warehouse by warehouse.
//!
//! The server aggregates each table by itself; the tables are put together here, so that no plan of a join decides how long
//! it takes, and all in one snapshot, so that it may run beside users.
//!
//! Condition 11 holds as printed for the initial population only (orders minus undelivered ones are 2100 in a district);
//! here the deliveries since, which customers count, are taken off.

use super::schema;
use crate::error::Result;
use crate::target::{Conn, Target};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Condition {
    pub number: usize,
    pub text: String,
    pub violations: u64,
    /// The first few of them.
    pub examples: Vec<String>,
}

const TEXTS: [&str; 12] = [
    "W_YTD = sum(D_YTD)",
    "D_NEXT_O_ID - 1 = max(O_ID) = max(NO_O_ID)",
    "max(NO_O_ID) - min(NO_O_ID) + 1 = rows in NEW-ORDER",
    "sum(O_OL_CNT) = rows in ORDER-LINE",
    "O_CARRIER_ID is null just for orders in NEW-ORDER",
    "O_OL_CNT = lines of the order",
    "OL_DELIVERY_D is null just for orders without carrier",
    "W_YTD = sum(H_AMOUNT)",
    "D_YTD = sum(H_AMOUNT)",
    "C_BALANCE = sum(OL_AMOUNT delivered) - sum(H_AMOUNT)",
    "orders - new orders - deliveries = 2100",
    "C_BALANCE + C_YTD_PAYMENT = sum(OL_AMOUNT delivered)",
];

const EXAMPLES: usize = 3;

pub struct Checker {
    conditions: Vec<Condition>,
}

/// What the tables say about one warehouse. Money in cents.
struct Facts {
    w: i64,
    w_ytd: i64,
    /// By district: D_YTD, D_NEXT_O_ID.
    districts: BTreeMap<i64, (i64, i64)>,
    /// By district: min, max, count of NO_O_ID.
    new_orders: BTreeMap<i64, (i64, i64, i64)>,
    undelivered: HashSet<(i64, i64)>,
    /// By district and order: customer, no carrier, O_OL_CNT.
    orders: Vec<((i64, i64), i64, bool, i64)>,
    /// By district and order: lines, lines without date, amount.
    lines: HashMap<(i64, i64), (i64, i64, i64)>,
    /// By the district that was paid in.
    paid_in: BTreeMap<i64, i64>,
    /// By district and customer: sum(H_AMOUNT).
    paid_by: HashMap<(i64, i64), i64>,
    /// By district and customer: balance, paid, deliveries.
    customers: HashMap<(i64, i64), (i64, i64, i64)>,
}

/// Checks all warehouses. `watch` gets each one before it is looked at.
pub fn check(
    target: &Target,
    schema: &str,
    mut watch: impl FnMut(i64, i64),
) -> Result<Vec<Condition>> {
    let mut conn = target.connect_patient(schema)?;
    let warehouses = schema::scale(&mut conn, schema)?;
    conn.query("START TRANSACTION WITH CONSISTENT SNAPSHOT")?;
    let mut checker = Checker::new();
    for w in 1..=warehouses {
        watch(w, warehouses);
        let facts = Facts::read(&mut conn, w)?;
        checker.look(&facts);
    }
    conn.query("COMMIT")?;
    Ok(checker.conditions)
}

impl Facts {
    fn read(conn: &mut Conn, w: i64) -> Result<Facts> {
        let rows = conn.query(&format!("SELECT w_ytd FROM warehouse WHERE w_id = {w}"))?;
        let w_ytd = if rows.is_empty() { 0 } else { rows.cents(0, 0)? };
        let districts = table(
            conn,
            &format!("SELECT d_id, d_ytd, d_next_o_id FROM district WHERE d_w_id = {w}"),
            |r, i| Ok((r.int(i, 0)?, (r.cents(i, 1)?, r.int(i, 2)?))),
        )?;
        let new_orders = table(
            conn,
            &format!(
                "SELECT no_d_id, MIN(no_o_id), MAX(no_o_id), COUNT(*) FROM new_orders WHERE no_w_id = {w} GROUP BY no_d_id"
            ),
            |r, i| Ok((r.int(i, 0)?, (r.int(i, 1)?, r.int(i, 2)?, r.int(i, 3)?))),
        )?;
        let undelivered = table(
            conn,
            &format!("SELECT no_d_id, no_o_id FROM new_orders WHERE no_w_id = {w}"),
            |r, i| Ok((r.int(i, 0)?, r.int(i, 1)?)),
        )?;
        let orders = table(
            conn,
            &format!(
                "SELECT o_d_id, o_id, o_c_id, o_carrier_id, o_ol_cnt FROM orders WHERE o_w_id = {w}"
            ),
            |r, i| Ok(((r.int(i, 0)?, r.int(i, 1)?), r.int(i, 2)?, r.is_null(i, 3), r.int(i, 4)?)),
        )?;
        let lines = table(
            conn,
            &format!(
                "SELECT ol_d_id, ol_o_id, COUNT(*), COUNT(ol_delivery_d), SUM(ol_amount) FROM order_line WHERE ol_w_id = {w} GROUP BY ol_d_id, ol_o_id"
            ),
            |r, i| {
                let all = r.int(i, 2)?;
                Ok(((r.int(i, 0)?, r.int(i, 1)?), (all, all - r.int(i, 3)?, r.cents(i, 4)?)))
            },
        )?;
        let paid_in = table(
            conn,
            &format!(
                "SELECT h_d_id, SUM(h_amount) FROM history WHERE h_w_id = {w} GROUP BY h_d_id"
            ),
            |r, i| Ok((r.int(i, 0)?, r.cents(i, 1)?)),
        )?;
        let paid_by = table(
            conn,
            &format!(
                "SELECT h_c_d_id, h_c_id, SUM(h_amount) FROM history WHERE h_c_w_id = {w} GROUP BY h_c_d_id, h_c_id"
            ),
            |r, i| Ok(((r.int(i, 0)?, r.int(i, 1)?), r.cents(i, 2)?)),
        )?;
        let customers = table(
            conn,
            &format!(
                "SELECT c_d_id, c_id, c_balance, c_ytd_payment, c_delivery_cnt FROM customer WHERE c_w_id = {w}"
            ),
            |r, i| {
                Ok(((r.int(i, 0)?, r.int(i, 1)?), (r.cents(i, 2)?, r.cents(i, 3)?, r.int(i, 4)?)))
            },
        )?;
        Ok(Facts {
            w,
            w_ytd,
            districts,
            new_orders,
            undelivered,
            orders,
            lines,
            paid_in,
            paid_by,
            customers,
        })
    }
}

fn table<T, C: FromIterator<T>>(
    conn: &mut Conn,
    sql: &str,
    read: impl Fn(&crate::target::Rows, usize) -> Result<T>,
) -> Result<C> {
    let rows = conn.query(sql).map_err(|e| e.at(sql))?;
    (0..rows.len()).map(|i| read(rows, i)).collect()
}

/// Cents as an amount.
fn money(cents: i64) -> String {
    let mut out = Vec::new();
    crate::target::push_cents(&mut out, cents);
    String::from_utf8_lossy(&out).into_owned()
}

impl Checker {
    fn new() -> Checker {
        let condition = |(i, t): (usize, &&str)| Condition {
            number: i + 1,
            text: t.to_string(),
            violations: 0,
            examples: Vec::new(),
        };
        Checker { conditions: TEXTS.iter().enumerate().map(condition).collect() }
    }

    fn expect(&mut self, number: usize, holds: bool, example: impl FnOnce() -> String) {
        if holds {
            return;
        }
        let c = &mut self.conditions[number - 1];
        c.violations += 1;
        if c.examples.len() < EXAMPLES {
            c.examples.push(example());
        }
    }

    fn look(&mut self, f: &Facts) {
        let w = f.w;
        let d_ytd: i64 = f.districts.values().map(|d| d.0).sum();
        self.expect(1, f.w_ytd == d_ytd, || {
            format!("warehouse {w}: W_YTD {}, districts {}", money(f.w_ytd), money(d_ytd))
        });
        let paid: i64 = f.paid_in.values().sum();
        self.expect(8, f.w_ytd == paid, || {
            format!("warehouse {w}: W_YTD {}, history {}", money(f.w_ytd), money(paid))
        });
        let amounts = self.look_at_orders(f);
        self.look_at_districts(f);
        for (key, (balance, paid, _)) in &f.customers {
            let (d, c) = *key;
            let delivered = amounts.get(key).copied().unwrap_or(0);
            let history = f.paid_by.get(key).copied().unwrap_or(0);
            let who = || format!("customer {c} of district {d} of warehouse {w}");
            self.expect(10, *balance == delivered - history, || {
                format!(
                    "{}: balance {}, delivered {}, history {}",
                    who(),
                    money(*balance),
                    money(delivered),
                    money(history)
                )
            });
            self.expect(12, balance + paid == delivered, || {
                format!(
                    "{}: balance {}, paid {}, delivered {}",
                    who(),
                    money(*balance),
                    money(*paid),
                    money(delivered)
                )
            });
        }
    }

    /// Conditions 5 to 7; returns the delivered amounts by district and customer.
    fn look_at_orders(&mut self, f: &Facts) -> HashMap<(i64, i64), i64> {
        let w = f.w;
        let mut delivered = HashMap::new();
        for (key, customer, no_carrier, count) in &f.orders {
            let (d, o) = *key;
            let (lines, undated, amount) = f.lines.get(key).copied().unwrap_or_default();
            let what = || format!("order {o} of district {d} of warehouse {w}");
            let waiting = f.undelivered.contains(key);
            self.expect(5, *no_carrier == waiting, || {
                format!("{}: carrier missing {no_carrier}, in NEW-ORDER {waiting}", what())
            });
            self.expect(6, *count == lines, || {
                format!("{}: O_OL_CNT {count}, lines {lines}", what())
            });
            self.expect(7, undated == if *no_carrier { lines } else { 0 }, || {
                format!(
                    "{}: {undated} of {lines} lines without date, carrier missing {no_carrier}",
                    what()
                )
            });
            if !no_carrier {
                *delivered.entry((d, *customer)).or_insert(0) += amount;
            }
        }
        delivered
    }

    /// Conditions 2 to 4, 9 and 11.
    fn look_at_districts(&mut self, f: &Facts) {
        for (d, (ytd, next)) in &f.districts {
            let what = || format!("district {d} of warehouse {}", f.w);
            let orders = f.orders.iter().filter(|o| o.0.0 == *d);
            let (count, max, lines) =
                orders.fold((0, 0, 0), |(n, max, lines), o| (n + 1, o.0.1.max(max), lines + o.3));
            let (min_new, max_new, new) = f.new_orders.get(d).copied().unwrap_or((0, 0, 0));
            let newest = new == 0 || max_new == next - 1;
            self.expect(2, max == next - 1 && newest, || {
                format!("{}: D_NEXT_O_ID {next}, max(O_ID) {max}, max(NO_O_ID) {max_new}", what())
            });
            self.expect(3, new == 0 || max_new - min_new + 1 == new, || {
                format!("{}: NO_O_ID from {min_new} to {max_new}, {new} rows", what())
            });
            let stored: i64 = f.lines.iter().filter(|l| l.0.0 == *d).map(|l| l.1.0).sum();
            self.expect(4, lines == stored, || {
                format!("{}: sum(O_OL_CNT) {lines}, lines {stored}", what())
            });
            let paid = f.paid_in.get(d).copied().unwrap_or(0);
            self.expect(9, *ytd == paid, || {
                format!("{}: D_YTD {}, history {}", what(), money(*ytd), money(paid))
            });
            let deliveries: i64 = f.customers.iter().filter(|c| c.0.0 == *d).map(|c| c.1.2).sum();
            self.expect(11, count - new - deliveries == 2100, || {
                format!("{}: {count} orders, {new} new, {deliveries} delivered", what())
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A district with one delivered and one new order; 2098 earlier ones are taken as deliveries not counted.
    fn facts() -> Facts {
        let mut orders = vec![((1, 3), 7, false, 2), ((1, 4), 7, true, 1)];
        let mut lines = HashMap::from([((1, 3), (2, 0, 500)), ((1, 4), (1, 1, 900))]);
        for o in 10_000..12_099 {
            orders.push(((1, o - 20_000), 7, false, 1));
            lines.insert((1, o - 20_000), (1, 0, 0));
        }
        Facts {
            w: 1,
            w_ytd: 1000,
            districts: BTreeMap::from([(1, (1000, 5))]),
            new_orders: BTreeMap::from([(1, (4, 4, 1))]),
            undelivered: HashSet::from([(1, 4)]),
            orders,
            lines,
            paid_in: BTreeMap::from([(1, 1000)]),
            paid_by: HashMap::from([((1, 7), 1000)]),
            customers: HashMap::from([((1, 7), (-500, 1000, 0))]),
        }
    }

    fn violated(f: &Facts) -> Vec<usize> {
        let mut c = Checker::new();
        c.look(f);
        c.conditions.iter().filter(|c| c.violations > 0).map(|c| c.number).collect()
    }

    #[test]
    fn consistent_data_passes() {
        assert_eq!(violated(&facts()), [0usize; 0]);
    }

    #[test]
    fn every_planted_inconsistency_is_found() {
        type Plant = fn(&mut Facts);
        let plants: [(Plant, &[usize]); 11] = [
            (|f| f.w_ytd += 1, &[1, 8]),
            (|f| f.districts.get_mut(&1).unwrap().1 += 1, &[2]),
            (|f| f.new_orders.get_mut(&1).unwrap().0 -= 1, &[3]),
            (|f| f.orders[0].3 += 1, &[4, 6]),
            (
                |f| {
                    f.undelivered.clear();
                },
                &[5],
            ),
            (|f| f.lines.get_mut(&(1, 3)).unwrap().1 = 1, &[7]),
            (|f| f.districts.get_mut(&1).unwrap().0 += 1, &[1, 9]),
            (
                |f| {
                    f.paid_by.insert((1, 7), 999);
                },
                &[10],
            ),
            (|f| f.customers.get_mut(&(1, 7)).unwrap().2 += 1, &[11]),
            (|f| f.customers.get_mut(&(1, 7)).unwrap().1 += 1, &[12]),
            (|f| f.lines.get_mut(&(1, 3)).unwrap().2 += 1, &[10, 12]),
        ];
        for (n, (plant, want)) in plants.iter().enumerate() {
            let mut f = facts();
            plant(&mut f);
            assert_eq!(violated(&f), *want, "plant {n}");
        }
    }
}
