//! Sets of global transaction identifiers: `uuid:1-5:9,uuid:3`. This server makes none; tools of replication compute with those of others.

use super::infer;
use super::{FuncDef, def};
use crate::value::{Value, ValueError};
use std::collections::BTreeMap;

pub(super) const TABLE: &[FuncDef] = &[
    def("GTID_SUBSET", 2, 2, infer::int_null::<21>, |_, a| {
        let Some((a, b)) = both(a)? else { return Ok(Value::Null) };
        Ok(Value::bool(minus(&a, &b).is_empty()))
    })
    .truth(),
    def("GTID_SUBTRACT", 2, 2, infer::long_text, |cx, a| {
        let Some((a, b)) = both(a)? else { return Ok(Value::Null) };
        Ok(Value::text(text(&minus(&a, &b)).into_bytes(), cx.collation))
    }),
];

/// For each source, ranges of transactions, both ends of them in it, in order and apart from each other.
type Set = BTreeMap<String, Vec<(u64, u64)>>;

fn both(args: &[Value<'_>]) -> Result<Option<(Set, Set)>, ValueError> {
    let (Some(a), Some(b)) = (args[0].to_string_lossy(), args[1].to_string_lossy()) else {
        return Ok(None);
    };
    Ok(Some((parse(&a)?, parse(&b)?)))
}

/// Errors: 1772 for what is no set.
fn parse(list: &str) -> Result<Set, ValueError> {
    let wrong = || {
        let text = format!("Malformed GTID set specification '{list}'.");
        ValueError::new(1772, "HY000", text)
    };
    let mut set = Set::new();
    for source in list.split(',').map(str::trim).filter(|s| !s.is_empty()) {
        let mut pieces = source.split(':').map(str::trim);
        let uuid = pieces.next().and_then(uuid).ok_or_else(wrong)?;
        let ranges = set.entry(uuid).or_default();
        let mut any = false;
        for piece in pieces {
            any = true;
            ranges.extend(range(piece).ok_or_else(wrong)?);
        }
        if !any {
            return Err(wrong());
        }
    }
    for ranges in set.values_mut() {
        *ranges = joined(std::mem::take(ranges));
    }
    set.retain(|_, ranges| !ranges.is_empty());
    Ok(set)
}

/// Whether a text is a set of identifiers.
pub fn is_set(text: &str) -> bool {
    parse(text).is_ok()
}

/// Whether a text is the identifier of one transaction: `uuid:number`.
pub fn is_one(text: &str) -> bool {
    let Some((source, number)) = text.trim().split_once(':') else { return false };
    let number = number.trim().parse::<i64>();
    uuid(source.trim()).is_some() && number.is_ok_and(|n| n > 0 && n < i64::MAX)
}

fn uuid(text: &str) -> Option<String> {
    let bare: String = text.chars().filter(|c| *c != '-').collect();
    let hex = bare.len() == 32 && bare.chars().all(|c| c.is_ascii_hexdigit());
    let dashed = text.len() == 32
        || (text.len() == 36 && [8, 13, 18, 23].iter().all(|at| text.as_bytes()[*at] == b'-'));
    if !hex || !dashed {
        return None;
    }
    let b = bare.to_ascii_lowercase();
    Some(format!("{}-{}-{}-{}-{}", &b[..8], &b[8..12], &b[12..16], &b[16..20], &b[20..]))
}

/// `n` or `n-m`; one whose end stands before its beginning is empty.
fn range(text: &str) -> Option<Option<(u64, u64)>> {
    let number = |t: &str| {
        let n: i64 = t.trim().parse().ok()?;
        (n > 0 && n < i64::MAX).then_some(n as u64)
    };
    match text.split_once('-') {
        None => number(text).map(|n| Some((n, n))),
        Some((a, b)) => {
            let (a, b) = (number(a)?, b.trim().parse::<u64>().ok()?);
            Some((a <= b).then_some((a, b)))
        }
    }
}

fn joined(mut ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    ranges.sort_unstable();
    let mut out: Vec<(u64, u64)> = Vec::with_capacity(ranges.len());
    for (a, b) in ranges {
        match out.last_mut() {
            Some((_, end)) if a <= end.saturating_add(1) => *end = b.max(*end),
            _ => out.push((a, b)),
        }
    }
    out
}

fn minus(a: &Set, b: &Set) -> Set {
    let none = Vec::new();
    let rest = |(uuid, ranges): (&String, &Vec<(u64, u64)>)| {
        let taken = b.get(uuid).unwrap_or(&none);
        let left: Vec<_> = ranges.iter().flat_map(|r| without(*r, taken)).collect();
        (!left.is_empty()).then(|| (uuid.clone(), left))
    };
    a.iter().filter_map(rest).collect()
}

fn without((mut from, to): (u64, u64), taken: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut left = Vec::new();
    for (a, b) in taken {
        if *a > to || *b < from {
            continue;
        }
        if *a > from {
            left.push((from, a - 1));
        }
        from = from.max(b.saturating_add(1));
    }
    if from <= to {
        left.push((from, to));
    }
    left
}

fn text(set: &Set) -> String {
    let source = |(uuid, ranges): (&String, &Vec<(u64, u64)>)| {
        let ranges = ranges.iter().map(|(a, b)| match a == b {
            true => format!(":{a}"),
            false => format!(":{a}-{b}"),
        });
        uuid.clone() + &ranges.collect::<String>()
    };
    set.iter().map(source).collect::<Vec<_>>().join(",\n")
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    const A: &str = "3E11FA47-71CA-11E1-9E33-C80AA9429562";
    const B: &str = "2174b383-5441-11e8-b90a-c80aa9429562";

    #[test]
    fn sets() {
        let of = |uuid: &str, rest: &str| format!("{uuid}:{rest}");
        let cases = [
            (of(A, "23"), of(A, "21-57"), "1", ""),
            (of(A, "21-57"), of(A, "20-25"), "0", "26-57"),
            (of(A, "23-25"), of(A, "24"), "0", "23:25"),
            (of(A, "1:3:2"), of(B, "1"), "0", "1-3"),
            (String::new(), of(B, "1"), "1", ""),
        ];
        for (a, b, subset, left) in cases {
            let args = [s(&a), s(&b)];
            assert_eq!(run("GTID_SUBSET", &args).as_deref(), Some(subset), "{a} {b}");
            let left = match left {
                "" => String::new(),
                l => of(&A.to_ascii_lowercase(), l),
            };
            assert_eq!(run("GTID_SUBTRACT", &args), Some(left), "{a} {b}");
        }
        assert_eq!(run("GTID_SUBSET", &[crate::value::Value::Null, s("")]), None);
        for wrong in ["x", A, &of(A, ""), &of(A, "0"), &of(A, "1-")] {
            let e = call("GTID_SUBSET", &[s(wrong), s("")]).expect_err("malformed");
            assert_eq!(e.errno, 1772, "{wrong}");
        }
    }
}
