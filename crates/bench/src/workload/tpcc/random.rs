//! TPC-C's random values (clauses 2.1.6, 4.3.2).

use weir_rt::Rng;

/// Constants of NURand: for the load of last names, and for the run. Their difference for last names (87) is allowed by
/// clause 2.1.6.1: 65 to 119, not 96 or 112.
const C_LAST_LOAD: i64 = 123;
const C_LAST_RUN: i64 = 210;
const C_CUSTOMER: i64 = 259;
const C_ITEM: i64 = 7911;

/// Rows of a warehouse. A world that is smaller than the published one divides them all by one number, so that there are as many
/// warehouses and districts to wait for as there were.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scale {
    pub items: i64,
    /// Of a district; it has as many orders.
    pub customers: i64,
}

impl Scale {
    pub const STANDARD: Scale = Scale { items: 100_000, customers: 3000 };

    pub fn divided(by: u64) -> Scale {
        let of = |n: i64, least: i64| (n / by.max(1) as i64).max(least);
        Scale { items: of(100_000, 100), customers: of(3000, 30) }
    }

    /// Different last names of a district: three customers share one.
    fn names(self) -> i64 {
        (self.customers / 3).clamp(1, 1000)
    }

    /// Orders up to this one are delivered at the beginning.
    pub fn delivered(self) -> i64 {
        self.customers * 7 / 10
    }
}

/// NURand's A for a range of `n`: as wide a share of it as the standard's is of its own, and all bits set.
fn spread(a: i64, of: i64, n: i64) -> i64 {
    let wanted = (a + 1) * n / of;
    (wanted.max(2) as u64).next_power_of_two() as i64 - 1
}

/// Draws values of one user or one part of the load.
#[derive(Clone, Debug)]
pub struct Random {
    rng: Rng,
    pub scale: Scale,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random::of(seed, Scale::STANDARD)
    }

    pub fn of(seed: u64, scale: Scale) -> Random {
        Random { rng: Rng::new(seed), scale }
    }

    /// Uniform in `low..=high`.
    pub fn int(&mut self, low: i64, high: i64) -> i64 {
        low + self.rng.below((high - low + 1) as u64) as i64
    }

    pub fn chance(&mut self, percent: i64) -> bool {
        self.int(1, 100) <= percent
    }

    fn nurand(&mut self, a: i64, low: i64, high: i64, c: i64) -> i64 {
        ((self.int(0, a) | self.int(low, high)) + c) % (high - low + 1) + low
    }

    pub fn customer(&mut self) -> i64 {
        let n = self.scale.customers;
        self.nurand(spread(1023, 3000, n), 1, n, C_CUSTOMER)
    }

    pub fn item(&mut self) -> i64 {
        let n = self.scale.items;
        self.nurand(spread(8191, 100_000, n), 1, n, C_ITEM)
    }

    /// An item of an order that was there before the run: all of them alike.
    pub fn item_of_load(&mut self) -> i64 {
        self.int(1, self.scale.items)
    }

    pub fn name_to_look_for(&mut self) -> String {
        let n = self.scale.names();
        last_name(self.nurand(spread(255, 1000, n), 0, n - 1, C_LAST_RUN))
    }

    /// The last name of a customer: each of the names once, then as they come.
    pub fn name_of(&mut self, customer: i64) -> String {
        if customer <= self.scale.names() { last_name(customer - 1) } else { self.name_to_load() }
    }

    fn name_to_load(&mut self) -> String {
        let n = self.scale.names();
        last_name(self.nurand(spread(255, 1000, n), 0, n - 1, C_LAST_LOAD))
    }

    /// Letters and digits.
    pub fn text(&mut self, low: i64, high: i64) -> String {
        const SET: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyzAB";
        let n = self.int(low, high) as usize;
        let mut out = String::with_capacity(n);
        let mut bits = 0u64;
        for i in 0..n {
            if i % 10 == 0 {
                bits = self.rng.next_u64();
            }
            out.push(char::from(SET[(bits & 63) as usize]));
            bits >>= 6;
        }
        out
    }

    pub fn digits(&mut self, n: usize) -> String {
        (0..n).map(|_| char::from(b'0' + self.int(0, 9) as u8)).collect()
    }

    pub fn zip(&mut self) -> String {
        format!("{}11111", self.digits(4))
    }

    /// 26 to 50 characters; a tenth of them hold the word ORIGINAL somewhere.
    pub fn data(&mut self) -> String {
        let mut t = self.text(26, 50);
        if self.chance(10) {
            let at = self.int(0, t.len() as i64 - 8) as usize;
            t.replace_range(at..at + 8, "ORIGINAL");
        }
        t
    }

    pub fn permutation(&mut self, n: i64) -> Vec<i64> {
        let mut list: Vec<i64> = (1..=n).collect();
        self.rng.shuffle(&mut list);
        list
    }

    /// Exponential with this mean, cut at ten times the mean (clause 5.2.5.4).
    pub fn exponential(&mut self, mean: f64) -> f64 {
        let r = (self.rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        (-mean * r.max(1e-12).ln()).min(mean * 10.0)
    }
}

/// Clause 4.3.2.3.
pub fn last_name(n: i64) -> String {
    const PARTS: [&str; 10] =
        ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];
    let part = |k: i64| PARTS[(k % 10) as usize];
    format!("{}{}{}", part(n / 100), part(n / 10), part(n))
}

/// Now, as a DATETIME.
pub fn now() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    datetime(since.map_or(0, |d| d.as_secs()))
}

/// Seconds since 1970 as `YYYY-MM-DD hh:mm:ss`.
pub fn datetime(seconds: u64) -> String {
    let (days, s) = (seconds as i64 / 86_400, seconds % 86_400);
    // Days to a civil date: eras of 400 years that begin in March.
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day = z.rem_euclid(146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let d = of_year - (153 * month + 2) / 5 + 1;
    let m = if month < 10 { month + 3 } else { month - 9 };
    let y = year + era * 400 + i64::from(m <= 2);
    format!("{y:04}-{m:02}-{d:02} {:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_dates() {
        assert_eq!(last_name(0), "BARBARBAR");
        assert_eq!(last_name(371), "PRICALLYOUGHT");
        assert_eq!(datetime(0), "1970-01-01 00:00:00");
        assert_eq!(datetime(1_709_210_096), "2024-02-29 12:34:56");
    }

    #[test]
    fn values_stay_in_their_ranges() {
        let mut r = Random::new(1);
        for _ in 0..10_000 {
            assert!((1..=3000).contains(&r.customer()));
            assert!((1..=100_000).contains(&r.item()));
            assert!((26..=50).contains(&r.data().len()));
            assert!(r.exponential(12.0) <= 120.0);
        }
        let mut p = r.permutation(3000);
        p.sort_unstable();
        assert!(p.iter().zip(1..).all(|(a, b)| *a == b));
        assert_eq!(r.zip().len(), 9);
    }

    #[test]
    fn a_divided_warehouse_keeps_to_its_ranges() {
        assert_eq!(spread(8191, 100_000, 100_000), 8191);
        assert_eq!(spread(1023, 3000, 3000), 1023);
        assert_eq!(spread(255, 1000, 1000), 255);
        let scale = Scale::divided(32);
        let mut r = Random::of(1, scale);
        let known: Vec<String> = (1..=scale.customers).map(|c| r.name_of(c)).collect();
        for _ in 0..10_000 {
            assert!((1..=scale.customers).contains(&r.customer()));
            assert!((1..=scale.items).contains(&r.item()));
            assert!(known.contains(&r.name_to_look_for()));
        }
    }

    #[test]
    fn the_same_seed_draws_the_same() {
        let draw = || {
            let mut r = Random::new(7);
            (r.item(), r.text(8, 16), r.customer())
        };
        assert_eq!(draw(), draw());
    }
}
