//! The rows of a block on their way out: DISTINCT, ORDER BY and LIMIT.

use super::destination::Out;
use super::out::Direct;
use super::sort::sort;
use super::stored::StoredRows;
use crate::func::aggregate::key_of;
use crate::memory::{Held, Over, row_bytes};
use crate::query::eval::frame::Frame;
use crate::query::eval::{Ev, eval};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::Block;
use crate::query::plan::outcome::{Row, Run};
use crate::value::compare::{CompareRule, compare_for_order};
use crate::value::{SqlType, TypeInfo, Value};
use std::cmp::Ordering;
use std::collections::HashSet;

/// How rows with these keys are ordered.
pub struct SortOrder {
    keys: Vec<(Option<CompareRule>, bool)>,
}

impl SortOrder {
    pub fn new(infos: &[TypeInfo], desc: impl Iterator<Item = bool>) -> SortOrder {
        let rule = |i: &TypeInfo| {
            if i.ty == SqlType::Null { None } else { CompareRule::of(i, i, "ORDER BY").ok() }
        };
        SortOrder { keys: infos.iter().map(rule).zip(desc).collect() }
    }

    pub fn by(keys: &[(BExpr, bool)]) -> SortOrder {
        let infos: Vec<TypeInfo> = keys.iter().map(|(e, _)| e.info).collect();
        SortOrder::new(&infos, keys.iter().map(|(_, d)| *d))
    }

    pub fn compare(&self, a: &[Value<'static>], b: &[Value<'static>]) -> Ordering {
        self.compare_by(|n| &a[n], |n| &b[n])
    }

    /// The values of the n-th key come from `a` and `b`.
    fn compare_by<'v>(
        &self,
        a: impl Fn(usize) -> &'v Value<'static>,
        b: impl Fn(usize) -> &'v Value<'static>,
    ) -> Ordering {
        (0..self.keys.len())
            .map(|n| self.compare_key(n, a(n), b(n)))
            .find(|o| *o != Ordering::Equal)
            .unwrap_or(Ordering::Equal)
    }

    /// The order by the n-th key alone.
    pub fn compare_key(&self, n: usize, x: &Value<'_>, y: &Value<'_>) -> Ordering {
        let (rule, desc) = &self.keys[n];
        let rule = rule.unwrap_or_else(|| CompareRule::of_values(x, y));
        let o = compare_for_order(x, y, rule);
        if *desc { o.reverse() } else { o }
    }

    /// A number that orders as the first key does, as far as it reaches: most comparisons of a sort end with it.
    /// `None`: values of this kind have none.
    pub fn prefix(&self, v: &Value<'_>) -> Option<u128> {
        self.prefix_of(0, v)
    }

    /// The same of the n-th key.
    fn prefix_of(&self, n: usize, v: &Value<'_>) -> Option<u128> {
        let (rule, desc) = self.keys.get(n)?;
        let n = match (v, rule.as_ref()?) {
            (Value::Null, _) => 0,
            (Value::Int(_) | Value::UInt(_), CompareRule::Int) => return self.exact(n, v),
            // NULL needs a place below, so the lowest bit goes.
            (Value::Str(b, c), CompareRule::Text(d)) if c == d => 1 + (c.order_prefix(b)? >> 1),
            _ => return None,
        };
        Some(if *desc { !n } else { n })
    }

    /// A number that orders as the n-th key does, and is the same for equal values only. `None`: values of this kind have none.
    fn exact(&self, n: usize, v: &Value<'_>) -> Option<u128> {
        let (rule, desc) = self.keys.get(n)?;
        // NULL is below all others, which the sign's bit and this one put above it.
        let above = |n: i128| (n + (1 << 64)) as u128;
        let n = match (v, rule.as_ref()?) {
            (Value::Null, _) => 0,
            (Value::Int(n), CompareRule::Int) => above(i128::from(*n)),
            (Value::UInt(n), CompareRule::Int) => above(i128::from(*n)),
            _ => return None,
        };
        Some(if *desc { !n } else { n })
    }
}

/// How a sort looks at its rows: first at numbers, which are close at hand, and at the values where those leave it open.
pub struct Numbers {
    /// So many keys the numbers are for, from the first one on.
    many: usize,
    /// And of so many of them they are the whole order: equal numbers, equal values.
    exact: usize,
}

/// A row of a sort, by its place in some list.
pub struct Numbered {
    numbers: [u128; Numbers::MOST],
    pub at: usize,
}

impl Numbers {
    const MOST: usize = 2;

    /// Numbers for the first keys of the rows at these places, as far as all rows have some.
    pub fn of<'v>(
        by: &SortOrder,
        places: &[usize],
        key: impl Fn(usize, usize) -> &'v Value<'static>,
    ) -> (Numbers, Vec<Numbered>) {
        let none = |at: &usize| Numbered { numbers: [0; Numbers::MOST], at: *at };
        let mut rows: Vec<Numbered> = places.iter().map(none).collect();
        let mut n = Numbers { many: 0, exact: 0 };
        let mut fill = |k: usize, number: &dyn Fn(&Value<'static>) -> Option<u128>| {
            rows.iter_mut()
                .all(|row| number(key(row.at, k)).map(|number| row.numbers[k] = number).is_some())
        };
        for k in 0..by.keys.len().min(Numbers::MOST) {
            let exact = fill(k, &|v| by.exact(k, v));
            if exact || fill(k, &|v| by.prefix_of(k, v)) {
                n.many += 1;
            }
            if !exact {
                break;
            }
            n.exact += 1;
        }
        (n, rows)
    }

    /// The order of two rows as far as the numbers tell.
    #[inline]
    pub fn compare(&self, a: &Numbered, b: &Numbered) -> Ordering {
        a.numbers[..self.many].cmp(&b.numbers[..self.many])
    }

    /// Whether rows are equal in so many keys, if the numbers tell.
    pub fn same(&self, a: &Numbered, b: &Numbered, keys: usize) -> Option<bool> {
        match a.numbers[..keys.min(self.many)] == b.numbers[..keys.min(self.many)] {
            false => Some(false),
            true => (keys <= self.exact).then_some(true),
        }
    }
}

/// Where the value of a sort key is.
enum KeyAt {
    /// It is a column of the result.
    Item(usize),
    Extra(usize),
}

/// A row that waits for the sort.
struct Kept {
    prefix: u128,
    row: Row,
    /// Sort keys that are no columns of the result.
    extra: Row,
}

impl Kept {
    fn bytes(&self) -> usize {
        row_bytes(&self.row) + row_bytes(&self.extra) + size_of::<u64>()
    }

    fn key<'v>(&'v self, at: &KeyAt) -> &'v Value<'static> {
        match at {
            KeyAt::Item(i) => &self.row[*i],
            KeyAt::Extra(i) => &self.extra[*i],
        }
    }
}

struct Sort<'b> {
    order: SortOrder,
    keys: Vec<KeyAt>,
    extra: Vec<&'b BExpr>,
    kept: Vec<Kept>,
    /// Every kept row has a prefix.
    prefixes: bool,
    held: Held,
}

impl<'b> Sort<'b> {
    fn new(b: &'b Block, by: &'b [(BExpr, bool)]) -> Sort<'b> {
        let mut extra = Vec::new();
        let keys = by.iter().map(|(e, _)| match item_of(e, &b.items) {
            Some(i) => KeyAt::Item(i),
            None => {
                extra.push(e);
                KeyAt::Extra(extra.len() - 1)
            }
        });
        let keys = keys.collect();
        Sort {
            order: SortOrder::by(by),
            keys,
            extra,
            kept: Vec::new(),
            prefixes: true,
            held: Held::default(),
        }
    }

    fn push(&mut self, row: Row, f: &Frame<'_>, ev: &mut Ev<'_>) -> Run<()> {
        let extra = owned(self.extra.iter().copied(), f, ev)?;
        let mut kept = Kept { prefix: 0, row, extra };
        if self.prefixes {
            match self.order.prefix(kept.key(&self.keys[0])) {
                Some(p) => kept.prefix = p,
                None => self.prefixes = false,
            }
        }
        self.held.grow(ev.cx.session.memory(), kept.bytes()).map_err(Over::in_sort)?;
        self.kept.push(kept);
        Ok(())
    }

    fn sort(&mut self, ev: &mut Ev<'_>) -> Run<()> {
        let Sort { order, keys, kept, prefixes, .. } = self;
        let look = |work| ev.cx.work(work);
        let whole = |a: &Kept, b: &Kept| order.compare_by(|n| a.key(&keys[n]), |n| b.key(&keys[n]));
        if *prefixes {
            sort(kept, |a, b| a.prefix.cmp(&b.prefix).then_with(|| whole(a, b)), look)?;
        } else {
            sort(kept, whole, look)?;
        }
        Ok(())
    }
}

/// The item that is this very column.
fn item_of(key: &BExpr, items: &[BExpr]) -> Option<usize> {
    let Node::Col(k) = key.node else { return None };
    items.iter().position(|i| matches!(i.node, Node::Col(c) if c == k))
}

fn owned<'e>(list: impl Iterator<Item = &'e BExpr>, f: &Frame<'_>, ev: &mut Ev<'_>) -> Run<Row> {
    let mut row = Row::with_capacity(list.size_hint().0);
    for e in list {
        row.push(eval(e, f, ev)?.into_owned());
    }
    Ok(row)
}

pub struct Emitter<'b> {
    b: &'b Block,
    offset: usize,
    count: usize,
    seen: HashSet<Vec<u8>>,
    seen_held: Held,
    passed: usize,
    sort: Option<Sort<'b>>,
    /// Instead of `sort`, where rows can wait as they are stored.
    stored: Option<StoredRows<'b>>,
    /// How rows go to the client without becoming values.
    direct: Option<Direct<'b>>,
}

impl<'b> Emitter<'b> {
    pub fn new(b: &'b Block, offset: usize, count: usize) -> Emitter<'b> {
        Emitter {
            b,
            offset,
            count,
            seen: HashSet::new(),
            seen_held: Held::default(),
            passed: 0,
            sort: (!b.order.is_empty()).then(|| Sort::new(b, &b.order)),
            stored: None,
            direct: None,
        }
    }

    /// For rows straight from the tables: those that can go to the client as they are stored do.
    pub fn of_tables(b: &'b Block, offset: usize, count: usize, out: &Out<'_>) -> Emitter<'b> {
        let mut e = Emitter::new(b, offset, count);
        let Out::Client(client) = out else { return e };
        // The columns of an outer join's missing row are in no table.
        if !b.groups.is_empty() || b.having.is_some() {
            return e;
        }
        e.direct = client.direct(&b.items, &b.shapes);
        if let (Some(d), Some(_)) = (&e.direct, &e.sort) {
            e.stored = StoredRows::new(b, d, client.time_zone());
        }
        e
    }

    /// The index does not deliver its order this time. Before the first row.
    pub fn sort_after_all(&mut self) {
        if self.sort.is_none() && !self.b.index_order.is_empty() {
            self.sort = Some(Sort::new(self.b, &self.b.index_order));
        }
    }

    /// Takes the current row; false: no more rows are wanted.
    pub fn row(&mut self, f: &Frame<'_>, ev: &mut Ev<'_>, out: &mut Out<'_>) -> Run<bool> {
        let b = self.b;
        if !b.distinct && self.sort.is_none() {
            self.passed += 1;
            if self.in_limit() && !out.frame(&b.items, self.direct.as_ref(), f, ev)? {
                return Ok(false);
            }
            return Ok(self.wants_more());
        }
        if let (Some(rows), Some(d)) = (&mut self.stored, &self.direct)
            && let Some(bytes) = f.slots[d.table].bytes()
        {
            self.passed += 1;
            rows.push(bytes, ev.cx.session.memory())?;
            self.prune(ev)?;
            return Ok(true);
        }
        let row = owned(b.items.iter(), f, ev)?;
        if b.distinct && !self.is_new(&row, ev)? {
            return Ok(true);
        }
        self.passed += 1;
        match &mut self.sort {
            Some(sort) => {
                sort.push(row, f, ev)?;
                self.prune(ev)?;
                Ok(true)
            }
            None => {
                if self.in_limit() && !out.row(row, ev.cx.session.memory())? {
                    return Ok(false);
                }
                Ok(self.wants_more())
            }
        }
    }

    /// The row counted last is one of those asked for.
    fn in_limit(&self) -> bool {
        self.passed > self.offset && self.passed - self.offset <= self.count
    }

    fn wants_more(&self) -> bool {
        self.b.calc_found_rows || self.passed.saturating_sub(self.offset) < self.count
    }

    fn is_new(&mut self, row: &[Value<'static>], ev: &Ev<'_>) -> Run<bool> {
        // Room for kinds, lengths and two bytes of weight for each byte of text: most keys grow but once.
        let text = row.iter().map(|v| if let Value::Str(b, _) = v { 2 * b.len() } else { 16 });
        let mut key = Vec::with_capacity(8 * row.len() + text.sum::<usize>());
        let typed = row.iter().zip(&self.b.items);
        typed.for_each(|(v, e)| key_of(v, &e.info.ty, &mut key));
        let bytes = size_of::<Vec<u8>>() + key.len();
        let new = self.seen.insert(key);
        if new {
            ev.cx.hold(&mut self.seen_held, bytes)?;
        }
        Ok(new)
    }

    /// With a LIMIT only the first rows are kept.
    fn prune(&mut self, ev: &mut Ev<'_>) -> Run<()> {
        let Some(want) = self.offset.checked_add(self.count) else { return Ok(()) };
        if let Some(rows) = &mut self.stored {
            return rows.trim(want, ev);
        }
        let Some(sort) = &mut self.sort else { return Ok(()) };
        if sort.kept.len() >= want.saturating_mul(2).saturating_add(1024) {
            sort.sort(ev)?;
            sort.kept.truncate(want);
            let kept: usize = sort.kept.iter().map(Kept::bytes).sum();
            sort.held.shrink(sort.held.bytes() - kept);
        }
        Ok(())
    }

    /// Rows that wait for their order; none where they come in it.
    pub fn waiting(&self) -> Option<usize> {
        match &self.stored {
            Some(rows) => rows.waiting(),
            None => self.sort.as_ref().map(|s| s.kept.len()),
        }
    }

    /// Sends what was kept for the sort. Returns the number for FOUND_ROWS().
    pub fn finish(self, ev: &mut Ev<'_>, out: &mut Out<'_>) -> Run<u64> {
        let Emitter { b, offset, count, passed, sort, stored, .. } = self;
        if let (Some(rows), Out::Client(client)) = (stored, &mut *out) {
            let sent = rows.send(offset, count, client, ev)?;
            return Ok(if b.calc_found_rows { passed as u64 } else { sent });
        }
        let Some(mut sort) = sort else {
            return Ok(if b.calc_found_rows {
                passed as u64
            } else {
                passed.saturating_sub(offset).min(count) as u64
            });
        };
        sort.sort(ev)?;
        let mut sent = 0;
        for kept in sort.kept.into_iter().skip(offset).take(count) {
            sent += 1;
            sort.held.shrink(kept.bytes());
            if !out.row(kept.row, ev.cx.session.memory())? {
                break;
            }
        }
        Ok(if b.calc_found_rows { passed as u64 } else { sent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Collation;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = Value<'static>> {
        let near = prop_oneof![Just(i64::MIN), Just(-1), Just(0), Just(1), Just(i64::MAX)];
        prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::Int),
            near.prop_map(Value::Int),
            any::<u64>().prop_map(Value::UInt),
        ]
    }

    proptest! {
        #[test]
        fn prefixes_of_numbers_never_contradict_the_order(a in value(), b in value(), desc in any::<bool>()) {
            let order = SortOrder { keys: vec![(Some(CompareRule::Int), desc)] };
            let (x, y) = (order.prefix(&a).unwrap(), order.prefix(&b).unwrap());
            let (a, b) = ([a], [b]);
            prop_assert!(x == y || x.cmp(&y) == order.compare(&a, &b), "{a:?} {b:?}");
        }

        #[test]
        fn numbers_of_numbers_are_their_order(a in value(), b in value(), desc in any::<bool>()) {
            let order = SortOrder { keys: vec![(Some(CompareRule::Int), desc)] };
            let (x, y) = (order.exact(0, &a).unwrap(), order.exact(0, &b).unwrap());
            let (a, b) = ([a], [b]);
            prop_assert!(x.cmp(&y) == order.compare(&a, &b), "{a:?} {b:?}");
        }

        #[test]
        fn prefixes_of_texts_never_contradict_the_order(a in "[abA \\t\u{e4}]{0,11}", b in "[abA \\t\u{e4}]{0,11}") {
            let c = Collation::Utf8mb4GeneralCi;
            let text = |s: &str| [Value::Str(s.as_bytes().to_vec().into(), c)];
            let order = SortOrder { keys: vec![(Some(CompareRule::Text(c)), false)] };
            let (a, b) = (text(&a), text(&b));
            let (x, y) = (order.prefix(&a[0]).unwrap(), order.prefix(&b[0]).unwrap());
            prop_assert!(x == y || x.cmp(&y) == order.compare(&a, &b), "{a:?} {b:?}");
        }
    }
}
