//! Inputs of the five transactions, as a terminal would send them (clauses 2.4.1 to 2.8.1).

use super::random::{Random, now};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    NewOrder = 0,
    Payment = 1,
    OrderStatus = 2,
    Delivery = 3,
    StockLevel = 4,
}

pub const NAMES: &[&str] = &["New-Order", "Payment", "Order-Status", "Delivery", "Stock-Level"];
/// Longest response times that count as in time, in seconds (clause 5.2.5.7; Delivery as tpcc-mysql has it).
pub const LIMITS: [f64; 5] = [5.0, 5.0, 5.0, 80.0, 20.0];
/// Keying times and mean think times, in seconds (clause 5.2.5.7, and DBT-2's).
pub const KEYING: [f64; 5] = [18.0, 3.0, 2.0, 2.0, 2.0];
pub const THINKING: [f64; 5] = [12.0, 12.0, 10.0, 5.0, 5.0];

#[derive(Clone, Debug)]
pub struct Line {
    pub item: i64,
    pub supply: i64,
    pub quantity: i64,
}

#[derive(Clone, Debug)]
pub struct NewOrder {
    pub w: i64,
    pub d: i64,
    pub c: i64,
    pub lines: Vec<Line>,
    pub all_local: bool,
    pub date: String,
}

/// How a customer is named.
#[derive(Clone, Debug)]
pub enum Who {
    Id(i64),
    Name(String),
}

#[derive(Clone, Debug)]
pub struct Payment {
    pub w: i64,
    pub d: i64,
    pub c_w: i64,
    pub c_d: i64,
    pub who: Who,
    pub cents: i64,
    pub date: String,
}

#[derive(Clone, Debug)]
pub struct OrderStatus {
    pub w: i64,
    pub d: i64,
    pub who: Who,
}

#[derive(Clone, Debug)]
pub struct Delivery {
    pub w: i64,
    pub carrier: i64,
    pub date: String,
}

#[derive(Clone, Debug)]
pub struct StockLevel {
    pub w: i64,
    pub d: i64,
    pub threshold: i64,
}

#[derive(Clone, Debug)]
pub enum Input {
    NewOrder(NewOrder),
    Payment(Payment),
    OrderStatus(OrderStatus),
    Delivery(Delivery),
    StockLevel(StockLevel),
}

/// What a user at warehouse `w` of `warehouses` asks next. `sorted`: lines by stock row, so that two orders lock theirs in
/// the same order and do not deadlock (as tpcc-mysql does).
pub fn draw(kind: Kind, r: &mut Random, w: i64, warehouses: i64, sorted: bool) -> Input {
    let d = r.int(1, 10);
    match kind {
        Kind::NewOrder => Input::NewOrder(new_order(r, w, d, warehouses, sorted)),
        Kind::Payment => Input::Payment(payment(r, w, d, warehouses)),
        Kind::OrderStatus => Input::OrderStatus(OrderStatus { w, d, who: who(r) }),
        Kind::Delivery => Input::Delivery(Delivery { w, carrier: r.int(1, 10), date: now() }),
        Kind::StockLevel => Input::StockLevel(StockLevel { w, d, threshold: r.int(10, 20) }),
    }
}

/// 60 of 100 by name.
fn who(r: &mut Random) -> Who {
    if r.chance(60) { Who::Name(r.name_to_look_for()) } else { Who::Id(r.customer()) }
}

fn other_warehouse(r: &mut Random, w: i64, warehouses: i64) -> i64 {
    let other = r.int(1, warehouses - 1);
    if other >= w { other + 1 } else { other }
}

fn new_order(r: &mut Random, w: i64, d: i64, warehouses: i64, sorted: bool) -> NewOrder {
    let c = r.customer();
    let count = r.int(5, 15);
    let bad = r.chance(1);
    let mut lines: Vec<Line> = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let supply =
            if warehouses > 1 && r.chance(1) { other_warehouse(r, w, warehouses) } else { w };
        lines.push(Line { item: r.item(), supply, quantity: r.int(1, 10) });
    }
    if sorted {
        lines.sort_by_key(|l| (l.supply, l.item));
    }
    if let Some(last) = lines.last_mut().filter(|_| bad) {
        last.item = r.scale.items + 1;
    }
    let all_local = lines.iter().all(|l| l.supply == w);
    NewOrder { w, d, c, lines, all_local, date: now() }
}

fn payment(r: &mut Random, w: i64, d: i64, warehouses: i64) -> Payment {
    let (c_w, c_d) = if warehouses > 1 && r.chance(15) {
        (other_warehouse(r, w, warehouses), r.int(1, 10))
    } else {
        (w, d)
    };
    Payment { w, d, c_w, c_d, who: who(r), cents: r.int(100, 500_000), date: now() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_what_is_drawn() {
        let mut r = Random::new(5);
        let (mut bad, mut remote, mut lines) = (0, 0, 0);
        for _ in 0..20_000 {
            let Input::NewOrder(o) = draw(Kind::NewOrder, &mut r, 2, 3, true) else { panic!() };
            assert!((5..=15).contains(&o.lines.len()));
            bad += u32::from(o.lines.iter().any(|l| l.item > r.scale.items));
            remote += o.lines.iter().filter(|l| l.supply != 2).count();
            lines += o.lines.len();
            assert!(o.lines.iter().all(|l| (1..=3).contains(&l.supply)));
        }
        assert!((120..280).contains(&bad), "{bad}");
        let share = remote as f64 / lines as f64;
        assert!((0.007..0.013).contains(&share), "{share}");
        let away = (0..20_000)
            .filter(|_| {
                let Input::Payment(p) = draw(Kind::Payment, &mut r, 1, 2, true) else { panic!() };
                p.c_w != 1
            })
            .count();
        assert!((2700..3300).contains(&away), "{away}");
        // With one warehouse nobody is elsewhere.
        let Input::Payment(p) = draw(Kind::Payment, &mut r, 1, 1, true) else { panic!() };
        assert_eq!(p.c_w, 1);
    }
}
