//! The order of JSON values: first by type, then within it.
//!
//! Numbers of all kinds are one type and compare exactly. For that a double without a fraction stands for its exact value and any
//! other for its shortest digits: both keep the order of doubles, and 0.1 is equal to DECIMAL 0.1 as in MySQL.

use super::super::Decimal;
use super::binary::{Item, View};
use std::cmp::Ordering;

/// BINARY, VARBINARY and the BLOB family, as `MYSQL_TYPE_*`.
pub fn is_blob(ty: u8) -> bool {
    use super::super::types::protocol::column_type::{STRING, VARCHAR};
    ty == VARCHAR || (249..=STRING).contains(&ty)
}

/// MySQL's precedence, the lowest first.
fn rank(item: &Item<'_>) -> u8 {
    use super::super::types::protocol::column_type::BIT;
    match item {
        Item::Null => 0,
        Item::Int(_) | Item::UInt(_) | Item::Double(_) | Item::Decimal(_) => 1,
        Item::Str(_) => 2,
        Item::Object => 3,
        Item::Array => 4,
        Item::Bool(_) => 5,
        Item::Date(_) => 6,
        Item::Time(_) => 7,
        Item::DateTime(..) => 8,
        Item::Opaque(BIT, _) => 10,
        Item::Opaque(ty, _) if is_blob(*ty) => 11,
        Item::Opaque(..) => 9,
    }
}

/// Total order of JSON values; equal ones may differ in the kinds of their numbers.
pub fn compare(a: View<'_>, b: View<'_>) -> Ordering {
    let (x, y) = (a.item(), b.item());
    let by_type = rank(&x).cmp(&rank(&y));
    if by_type.is_ne() {
        return by_type;
    }
    match (x, y) {
        (Item::Bool(x), Item::Bool(y)) => x.cmp(&y),
        (Item::Str(x), Item::Str(y)) => x.cmp(y),
        (Item::Date(x), Item::Date(y)) => x.cmp(&y),
        (Item::Time(x), Item::Time(y)) => x.micros.cmp(&y.micros),
        (Item::DateTime(x, _), Item::DateTime(y, _)) => x.pack().cmp(&y.pack()),
        (Item::Opaque(s, x), Item::Opaque(t, y)) => x.cmp(y).then(s.cmp(&t)),
        (Item::Array, Item::Array) => {
            let pairs = a.elements().zip(b.elements());
            let differing = pairs.map(|(x, y)| compare(x, y)).find(|o| o.is_ne());
            differing.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Item::Object, Item::Object) => a.len().cmp(&b.len()).then_with(|| {
            let pairs = a.members().zip(b.members());
            let order = pairs.map(|((k, x), (l, y))| k.cmp(l).then_with(|| compare(x, y)));
            order.into_iter().find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
        }),
        (x, y) => compare_numbers(&x, &y),
    }
}

fn whole(item: &Item<'_>) -> Option<i128> {
    match *item {
        Item::Int(n) => Some(i128::from(n)),
        Item::UInt(n) => Some(i128::from(n)),
        Item::Double(x) if x == x.trunc() && x.abs() < 1e30 => Some(x as i128),
        _ => None,
    }
}

fn compare_numbers(x: &Item<'_>, y: &Item<'_>) -> Ordering {
    match (x, y) {
        (Item::Double(x), Item::Double(y)) => return x.partial_cmp(y).unwrap_or(Ordering::Equal),
        (Item::Decimal(x), Item::Decimal(y)) => return x.cmp(y),
        _ => {}
    }
    if let (Some(x), Some(y)) = (whole(x), whole(y)) {
        return x.cmp(&y);
    }
    Digits::of(x).cmp(&Digits::of(y))
}

/// A number as its sign, the place of its first digit before the point, and its digits without zeros at the ends.
#[derive(PartialEq, Eq)]
struct Digits {
    /// -1, 0 or 1.
    sign: i8,
    exponent: i32,
    digits: String,
}

impl Digits {
    fn of(item: &Item<'_>) -> Digits {
        match item {
            Item::Double(x) if *x == x.trunc() => Digits::parse(&format!("{x:.0}")),
            Item::Double(x) => Digits::parse(&format!("{x:e}")),
            Item::Decimal(d) => Digits::parse(&Decimal::to_string(d)),
            other => Digits::parse(&whole(other).unwrap_or(0).to_string()),
        }
    }

    fn parse(text: &str) -> Digits {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (int, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{int}{fraction}");
        let bare = all.trim_start_matches('0');
        let lost = all.len() - bare.len();
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let digits = bare.trim_end_matches('0').to_string();
        if digits.is_empty() {
            return Digits { sign: 0, exponent: 0, digits };
        }
        let exponent = exponent + int.len() as i32 - lost as i32;
        Digits { sign: if negative { -1 } else { 1 }, exponent, digits }
    }

    /// The sign from 0 to 2, the exponent and the digits with a zero behind them, inverted below zero.
    fn put_sorted(&self, out: &mut Vec<u8>) {
        out.push((self.sign + 1) as u8);
        if self.sign == 0 {
            return;
        }
        let start = out.len();
        out.extend_from_slice(&(self.exponent ^ i32::MIN).to_be_bytes());
        out.extend_from_slice(self.digits.as_bytes());
        out.push(0);
        if self.sign < 0 {
            out[start..].iter_mut().for_each(|b| *b = !*b);
        }
    }
}

impl Ord for Digits {
    fn cmp(&self, other: &Digits) -> Ordering {
        self.sign.cmp(&other.sign).then_with(|| {
            let size = self.exponent.cmp(&other.exponent);
            let size = size.then_with(|| self.digits.cmp(&other.digits));
            if self.sign < 0 { size.reverse() } else { size }
        })
    }
}

impl PartialOrd for Digits {
    fn partial_cmp(&self, other: &Digits) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Appends bytes whose order is that of [`compare`], self-delimiting; no more of a value once `most` of them are there.
pub fn put_sorted(v: View<'_>, most: usize, out: &mut Vec<u8>) {
    let end = out.len() + most;
    put_sorted_until(v, end, out);
}

fn put_sorted_until(v: View<'_>, end: usize, out: &mut Vec<u8>) {
    let item = v.item();
    out.push(rank(&item));
    match item {
        Item::Null => {}
        Item::Bool(b) => out.push(u8::from(b)),
        Item::Str(s) => put_escaped(s, end, out),
        Item::Date(d) => out.extend_from_slice(&d.pack().to_be_bytes()),
        Item::Time(t) => out.extend_from_slice(&(t.micros ^ i64::MIN).to_be_bytes()),
        Item::DateTime(d, _) => out.extend_from_slice(&d.pack().to_be_bytes()),
        Item::Opaque(ty, data) => {
            put_escaped(data, end, out);
            out.push(ty);
        }
        Item::Array => {
            for element in v.elements() {
                if out.len() > end {
                    return;
                }
                out.push(1);
                put_sorted_until(element, end, out);
            }
            out.push(0);
        }
        Item::Object => {
            out.extend_from_slice(&(v.len() as u32).to_be_bytes());
            for (name, value) in v.members() {
                if out.len() > end {
                    return;
                }
                put_escaped(name, end, out);
                put_sorted_until(value, end, out);
            }
        }
        number => Digits::of(&number).put_sorted(out),
    }
}

/// Bytes that are ended by two zeros: one zero of their own is followed by FF.
fn put_escaped(bytes: &[u8], end: usize, out: &mut Vec<u8>) {
    for b in bytes {
        if out.len() > end {
            return;
        }
        out.push(*b);
        if *b == 0 {
            out.push(0xFF);
        }
    }
    out.extend_from_slice(&[0, 0]);
}

/// Appends bytes that are equal exactly for values that [`compare`] holds equal.
pub fn canonical(v: View<'_>, out: &mut Vec<u8>) {
    let item = v.item();
    let counted = |b: &[u8], out: &mut Vec<u8>| {
        out.extend_from_slice(&(b.len() as u32).to_be_bytes());
        out.extend_from_slice(b);
    };
    out.push(rank(&item));
    match item {
        Item::Null => {}
        Item::Bool(b) => out.push(u8::from(b)),
        Item::Str(s) => counted(s, out),
        Item::Date(d) => out.extend_from_slice(&d.pack().to_be_bytes()),
        Item::Time(t) => out.extend_from_slice(&t.micros.to_be_bytes()),
        Item::DateTime(d, _) => out.extend_from_slice(&d.pack().to_be_bytes()),
        Item::Opaque(ty, data) => {
            out.push(ty);
            counted(data, out);
        }
        Item::Array => {
            out.extend_from_slice(&(v.len() as u32).to_be_bytes());
            v.elements().for_each(|e| canonical(e, out));
        }
        Item::Object => {
            out.extend_from_slice(&(v.len() as u32).to_be_bytes());
            for (name, value) in v.members() {
                counted(name, out);
                canonical(value, out);
            }
        }
        number => {
            let d = Digits::of(&number);
            out.push(d.sign as u8);
            out.extend_from_slice(&d.exponent.to_be_bytes());
            counted(d.digits.as_bytes(), out);
        }
    }
}
