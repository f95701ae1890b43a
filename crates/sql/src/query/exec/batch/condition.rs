//! Conditions over vectors: each takes the rows for which it is not true out of the selection.
//!
//! What is selected is what conditions are *true* for. So AND is one condition after the other and OR the rows of all its branches together;
//! NOT has no place here but within a comparison, since what is unknown stays out on both sides of it.

use super::bounds::{compared, number_of};
use super::column::{Columns, Kind};
use super::constants::{Constants, settled};
use crate::func::facts::Id;
use crate::func::string::collation_of;
use crate::query::eval::lists::info_at_run;
use crate::query::expr::{BExpr, CmpOp, Node, Truth};
use crate::value::compare::CompareRule;
use crate::value::{Collation, Value};
use std::cmp::Ordering;

pub enum Test {
    /// True for no row.
    Never,
    /// The number is in the range, or outside of it.
    Within {
        column: usize,
        low: i64,
        high: i64,
        negated: bool,
    },
    Real {
        column: usize,
        op: CmpOp,
        value: f64,
    },
    /// The number is in the list, which is in order, or it is not.
    Among {
        column: usize,
        list: Vec<i64>,
        negated: bool,
    },
    Null {
        column: usize,
        negated: bool,
    },
    /// Two columns of one kind.
    Pair {
        a: usize,
        b: usize,
        op: CmpOp,
    },
    Text(Box<TextTest>),
    Like(Box<LikeTest>),
    All(Vec<Test>),
    Any(Vec<Test>),
}

/// A comparison of texts with a constant, with what was found for texts that came before: columns of few texts are compared a few times.
pub struct TextTest {
    column: usize,
    op: CmpOp,
    value: Vec<u8>,
    collation: Collation,
    known: Vec<(Vec<u8>, bool)>,
}

/// LIKE with a constant pattern.
pub struct LikeTest {
    column: usize,
    pattern: Vec<u8>,
    collation: Collation,
    negated: bool,
}

/// Longer patterns are asked row by row: under the latch a text is compared with a pattern at each of its places.
const PATTERN: usize = 64;

/// Texts whose answer is kept, each at the place that its bytes say.
const KNOWN: usize = 64;

impl Test {
    pub fn text(column: usize, op: CmpOp, value: &[u8], collation: Collation) -> Test {
        let (value, known) = (value.to_vec(), Vec::new());
        Test::Text(Box::new(TextTest { column, op, value, collation, known }))
    }

    /// `None`: the condition is to be evaluated row by row.
    pub fn of(
        e: &BExpr,
        columns: &mut Columns<'_>,
        cx: &mut Constants<'_, '_, '_>,
    ) -> Option<Test> {
        let list = |list: &[BExpr], columns: &mut Columns<'_>, cx: &mut Constants<'_, '_, '_>| {
            list.iter().map(|e| Test::of(e, columns, cx)).collect::<Option<Vec<Test>>>()
        };
        match &e.node {
            Node::And(all) => Some(Test::All(list(all, columns, cx)?)),
            Node::Or(any) => Some(Test::Any(list(any, columns, cx)?)),
            Node::Is { expr, test: Truth::Null, negated } => {
                let column = columns.place(expr, cx)?;
                Some(Test::Null { column, negated: *negated })
            }
            Node::Cmp { op, rule, a, b } => match (columns.place(a, cx), settled(b, cx)) {
                (Some(at), Some(v)) => {
                    let rule = at_run(*rule, a, (&**b, &v))?;
                    Test::with_constant(columns, at, *op, rule, &v)
                }
                (Some(at), None) => Test::pair(columns, at, *op, b, cx),
                (None, _) => {
                    let at = columns.place(b, cx)?;
                    let v = settled(a, cx)?;
                    let rule = at_run(*rule, b, (&**a, &v))?;
                    Test::with_constant(columns, at, op.swapped(), rule, &v)
                }
            },
            Node::In { left, list, negated, .. } => {
                let column = columns.place(left, cx)?;
                let (mut found, mut unknown) = (Vec::with_capacity(list.len()), false);
                let mut texts = Vec::new();
                for (rule, item) in list {
                    let v = settled(item, cx)?;
                    unknown |= v.is_null();
                    if v.is_null() {
                        continue;
                    }
                    let (c, rule) = (&columns.list[column], at_run(*rule, left, (item, &v))?);
                    if let Kind::Text(_) = c.kind {
                        let op = if *negated { CmpOp::Ne } else { CmpOp::Eq };
                        texts.push(compared((column, c), op, rule, &v)?);
                    } else {
                        found.extend(number_of(c, rule, &v)?);
                    }
                }
                if *negated && unknown {
                    return Some(Test::Never);
                }
                if let Kind::Text(_) = columns.list[column].kind {
                    return Some(if *negated { Test::All(texts) } else { Test::Any(texts) });
                }
                found.sort_unstable();
                found.dedup();
                Some(Test::Among { column, list: found, negated: *negated })
            }
            Node::Func(def, args) if def.id == Id::Like => Test::like(args, false, columns, cx),
            Node::Not(not) => match &not.node {
                Node::Func(def, args) if def.id == Id::Like => Test::like(args, true, columns, cx),
                _ => None,
            },
            _ => None,
        }
    }

    fn like(
        args: &[BExpr],
        negated: bool,
        columns: &mut Columns<'_>,
        cx: &mut Constants<'_, '_, '_>,
    ) -> Option<Test> {
        let [text, pattern] = args else { return None };
        let column = columns.place(text, cx)?;
        let Kind::Text(own) = columns.list[column].kind else { return None };
        let pattern = match settled(pattern, cx)? {
            Value::Null => return Some(Test::Never),
            Value::Str(p, theirs) if !own.is_binary() && theirs.charset() == own.charset() => {
                Value::Str(p, theirs)
            }
            _ => return None,
        };
        let collation = collation_of(&cx.ev.cx, &[Value::text(Vec::new(), own), pattern.borrow()]);
        let pattern = pattern.as_bytes().filter(|p| p.len() <= PATTERN)?.to_vec();
        Some(Test::Like(Box::new(LikeTest { column, pattern, collation, negated })))
    }

    fn with_constant(
        columns: &Columns<'_>,
        at: usize,
        op: CmpOp,
        rule: Option<CompareRule>,
        v: &Value<'_>,
    ) -> Option<Test> {
        match (v.is_null(), op) {
            (true, CmpOp::NullSafe) => Some(Test::Null { column: at, negated: false }),
            (true, _) => Some(Test::Never),
            (false, _) => compared((at, &columns.list[at]), op, rule, v),
        }
    }

    fn pair(
        columns: &mut Columns<'_>,
        a: usize,
        op: CmpOp,
        other: &BExpr,
        cx: &mut Constants<'_, '_, '_>,
    ) -> Option<Test> {
        let b = columns.place(other, cx)?;
        let kinds = [a, b].map(|at| columns.list[at].kind);
        let ordered = matches!(
            kinds[0],
            Kind::Int | Kind::UInt | Kind::Exact(_) | Kind::Date | Kind::DateTime
        );
        (kinds[0] == kinds[1] && ordered && op != CmpOp::NullSafe).then_some(Test::Pair {
            a,
            b,
            op,
        })
    }

    /// The columns that it looks at, added to those in `out`.
    pub fn columns(&self, out: &mut Vec<usize>) {
        match self {
            Test::Never => {}
            Test::Within { column, .. }
            | Test::Real { column, .. }
            | Test::Among { column, .. }
            | Test::Null { column, .. } => out.push(*column),
            Test::Text(t) => out.push(t.column),
            Test::Like(t) => out.push(t.column),
            Test::Pair { a, b, .. } => out.extend([*a, *b]),
            Test::All(list) | Test::Any(list) => list.iter().for_each(|t| t.columns(out)),
        }
    }

    /// Leaves those of the selected rows that it is true for.
    pub fn narrow(&mut self, columns: &Columns<'_>, selected: &mut Vec<u32>) {
        match self {
            Test::Never => selected.clear(),
            Test::Within { column, low, high, negated } => {
                let c = &columns.list[*column];
                let (low, width) = (*low, high.wrapping_sub(*low) as u64);
                let outside = *negated;
                match c.nulls.is_empty() {
                    true => keep(selected, |row| {
                        (c.number(row).wrapping_sub(low) as u64 <= width) != outside
                    }),
                    false => keep(selected, |row| {
                        let inside = c.number(row).wrapping_sub(low) as u64 <= width;
                        (inside != outside) & !c.is_null(row)
                    }),
                }
            }
            Test::Real { column, op, value } => {
                let c = &columns.list[*column];
                keep(selected, |row| {
                    let order = c.real(row).partial_cmp(value).unwrap_or(Ordering::Equal);
                    !c.is_null(row) && op.holds(order)
                });
            }
            Test::Among { column, list, negated } => {
                let c = &columns.list[*column];
                keep(selected, |row| !c.is_null(row) && is_among(list, c.number(row)) != *negated);
            }
            Test::Null { column, negated } => {
                let c = &columns.list[*column];
                keep(selected, |row| c.is_null(row) != *negated);
            }
            Test::Pair { a, b, op } => {
                let (x, y) = (&columns.list[*a], &columns.list[*b]);
                keep(selected, |row| {
                    !x.is_null(row)
                        && !y.is_null(row)
                        && op.holds(x.number(row).cmp(&y.number(row)))
                });
            }
            Test::Text(t) => {
                let c = &columns.list[t.column];
                keep(selected, |row| !c.is_null(row) && t.holds(c.text(row)));
            }
            Test::Like(t) => {
                let c = &columns.list[t.column];
                let like = |text| t.collation.like(text, &t.pattern, Some('\\'));
                keep(selected, |row| !c.is_null(row) && like(c.text(row)) != t.negated);
            }
            Test::All(list) => list.iter_mut().for_each(|t| t.narrow(columns, selected)),
            Test::Any(list) => {
                let mut found: Vec<u32> = Vec::new();
                for t in list {
                    let mut branch = selected.clone();
                    t.narrow(columns, &mut branch);
                    found.extend(branch);
                }
                found.sort_unstable();
                found.dedup();
                *selected = found;
            }
        }
    }
}

/// The rule of a comparison, if it is known before the run or once the constant is there. `None`: each row is to find it.
fn at_run(
    rule: Option<CompareRule>,
    column: &BExpr,
    (constant, v): (&BExpr, &Value<'_>),
) -> Option<Option<CompareRule>> {
    if rule.is_some() || v.is_null() {
        return Some(rule);
    }
    // A text may be a number to the digit, or not.
    if v.is_string() && !column.info.ty.is_string() {
        return None;
    }
    CompareRule::of(&column.info, &info_at_run(constant, v), "=").ok().map(Some)
}

impl TextTest {
    fn holds(&mut self, text: &[u8]) -> bool {
        if self.known.is_empty() {
            self.known = vec![(Vec::new(), self.answer(b"")); KNOWN];
        }
        let byte = |at: usize| usize::from(*text.get(at).unwrap_or(&0));
        let place = text.len() + 7 * byte(0) + 31 * byte(text.len() / 2);
        let place = (place + 3 * byte(text.len().saturating_sub(1))) % KNOWN;
        if self.known[place].0 != text {
            let answer = self.answer(text);
            let (known, kept) = &mut self.known[place];
            known.clear();
            known.extend_from_slice(text);
            *kept = answer;
        }
        self.known[place].1
    }

    fn answer(&self, text: &[u8]) -> bool {
        self.op.holds(self.collation.compare(text, &self.value))
    }
}

#[inline]
fn keep(selected: &mut Vec<u32>, mut wanted: impl FnMut(u32) -> bool) {
    let mut kept = 0;
    for at in 0..selected.len() {
        let row = selected[at];
        selected[kept] = row;
        kept += usize::from(wanted(row));
    }
    selected.truncate(kept);
}

#[inline]
fn is_among(list: &[i64], number: i64) -> bool {
    match list.len() {
        ..=8 => list.iter().fold(false, |found, n| found | (*n == number)),
        _ => list.binary_search(&number).is_ok(),
    }
}
