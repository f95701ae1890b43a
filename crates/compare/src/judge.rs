//! Whether two answers are the same.

use crate::client::{Answer, Column, Row, Rows};

/// In what two answers differ; the first that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// One of the servers closed the connection or fell silent.
    Lost,
    /// An error here, an answer there.
    Refused,
    Errno,
    ColumnCount,
    Rows,
    Affected,
    Names,
    Types,
    Warnings,
}

pub const KINDS: &[(&str, Kind)] = &[
    ("lost", Kind::Lost),
    ("refused", Kind::Refused),
    ("errno", Kind::Errno),
    ("columns", Kind::ColumnCount),
    ("rows", Kind::Rows),
    ("affected", Kind::Affected),
    ("names", Kind::Names),
    ("types", Kind::Types),
    ("warnings", Kind::Warnings),
];

/// Doubles may differ in the last digits: libraries of mathematics do.
const TOLERANCE: f64 = 1e-12;

/// `None`: they say the same. Kinds that are not in `wanted` are not looked for. `warnings` are the numbers of both.
pub fn difference(a: &Answer, b: &Answer, warnings: [&[u16]; 2], wanted: &[Kind]) -> Option<Kind> {
    let found = match (a, b) {
        (Answer::Error { errno: x, .. }, Answer::Error { errno: y, .. }) => {
            (x != y).then_some(Kind::Errno).into_iter().collect()
        }
        (Answer::Error { .. }, _) | (_, Answer::Error { .. }) => vec![Kind::Refused],
        (Answer::Done { affected: x }, Answer::Done { affected: y }) => {
            let mut all: Vec<_> = (x != y).then_some(Kind::Affected).into_iter().collect();
            all.extend((warnings[0] != warnings[1]).then_some(Kind::Warnings));
            all
        }
        (Answer::Rows { rows: x }, Answer::Rows { rows: y }) => {
            let mut all = results(x, y);
            all.extend((warnings[0] != warnings[1]).then_some(Kind::Warnings));
            all
        }
        _ => vec![Kind::ColumnCount],
    };
    found.into_iter().find(|k| wanted.contains(k))
}

fn results(a: &Rows, b: &Rows) -> Vec<Kind> {
    if a.columns.len() != b.columns.len() {
        return vec![Kind::ColumnCount];
    }
    let mut all = Vec::new();
    if !same_rows(a, b) {
        all.push(Kind::Rows);
    }
    let names = a.columns.iter().zip(&b.columns).all(|(x, y)| x.name == y.name);
    all.extend((!names).then_some(Kind::Names));
    let types = a.columns.iter().zip(&b.columns).all(|(x, y)| kind_of(x) == kind_of(y));
    all.extend((!types).then_some(Kind::Types));
    all
}

/// Families of types, where width says nothing: both servers choose widths of integers and texts by rules of their own.
fn kind_of(c: &Column) -> (&'static str, bool) {
    const UNSIGNED: u16 = 32;
    let family = match c.type_code {
        1 | 2 | 3 | 8 | 9 => return ("integer", c.flags & UNSIGNED != 0),
        0 | 246 => "decimal",
        4 | 5 => "double",
        10 => "date",
        11 => "time",
        7 | 12 => "datetime",
        13 => "year",
        16 => "bit",
        6 => "null",
        245 => "json",
        _ if c.collation == 63 => "bytes",
        _ => "text",
    };
    (family, false)
}

/// Rows as sets: no statement of the generator asks for an order.
fn same_rows(a: &Rows, b: &Rows) -> bool {
    if a.rows.len() != b.rows.len() {
        return false;
    }
    let double: Vec<bool> = a
        .columns
        .iter()
        .zip(&b.columns)
        .map(|(x, y)| matches!(x.type_code, 4 | 5) || matches!(y.type_code, 4 | 5))
        .collect();
    let (mut x, mut y): (Vec<&Row>, Vec<&Row>) = (a.rows.iter().collect(), b.rows.iter().collect());
    // Doubles by what they are worth, whatever their digits: 1.5e15 and 1500000000000000.
    let key = |r: &&Row| -> Vec<Option<Vec<u8>>> {
        let cell = |(v, d): (&Option<Vec<u8>>, &bool)| match (d, v) {
            (true, Some(text)) => {
                let number: Option<f64> =
                    std::str::from_utf8(text).ok().and_then(|t| t.parse().ok());
                Some(number.map_or_else(|| text.clone(), |n| format!("{n:.9e}").into_bytes()))
            }
            _ => v.clone(),
        };
        r.iter().zip(&double).map(cell).collect()
    };
    x.sort_by_cached_key(key);
    y.sort_by_cached_key(key);
    let same = |(p, q): (&&Row, &&Row)| {
        p.iter().zip(q.iter()).zip(&double).all(|((v, w), d)| v == w || (*d && near(v, w)))
    };
    x.iter().zip(&y).all(same)
}

fn near(a: &Option<Vec<u8>>, b: &Option<Vec<u8>>) -> bool {
    let number = |v: &Option<Vec<u8>>| -> Option<f64> {
        std::str::from_utf8(v.as_deref()?).ok()?.parse().ok()
    };
    match (number(a), number(b)) {
        (Some(x), Some(y)) => {
            (x - y).abs() <= TOLERANCE * x.abs().max(y.abs()) || (x - y).abs() < 1e-15
        }
        _ => false,
    }
}
