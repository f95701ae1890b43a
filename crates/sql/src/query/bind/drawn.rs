//! Items of the select list that give another value each time they are evaluated, and that HAVING names: `@n := @n + 1 AS n ... HAVING n > 2`.
//!
//! Such an item is evaluated once for a row or group, in front of HAVING, and its value comes after those of the aggregates. While the block is
//! bound a name in HAVING or ORDER BY is a mark with the item's place in the list.
//!
//! A key of GROUP BY of this kind is evaluated once, too, for each row, and the groups keep its values ([`super::rollup::place`]).

use super::Binder;
use crate::query::expr::{BExpr, Node};
use crate::query::plan::{Drawn, Sub};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Marks are numbered from here on, below the calls of GROUPING().
const MARK: u32 = 1 << 30;
const MARKS: std::ops::Range<u32> = MARK..super::rollup::GROUPING;

/// Whether the expression gives another value each time: a stored function may.
pub fn draws(e: &BExpr, subs: &[Sub]) -> bool {
    let mut own = Vec::new();
    e.subs(&mut own);
    e.draws()
        || e.any(|n| matches!(n, Node::Call { .. }))
        || own.iter().any(|s| subs.get(*s as usize).is_some_and(|s| s.draws))
}

fn marked(e: &BExpr) -> Option<usize> {
    match e.node {
        Node::Agg(n) if MARKS.contains(&n) => Some((n - MARK) as usize),
        _ => None,
    }
}

fn mark(at: usize, e: &BExpr) -> BExpr {
    BExpr::new(Node::Agg(MARK + at as u32), e.info)
}

impl Binder<'_> {
    /// What a name of the select list stands for in HAVING and ORDER BY: the item, or its mark if it draws.
    pub(super) fn item_or_draw(&self, at: usize, e: BExpr) -> BExpr {
        let top = self.top();
        let named = matches!(top.place, "having clause" | "order clause") && !top.in_agg;
        // Values of windows come later than HAVING.
        let windowed = e.any(|n| matches!(n, Node::Window(_)));
        if named && !windowed && draws(&e, &top.subs) { mark(at, &e) } else { e }
    }
}

/// Keeps the marks of items that HAVING names, in ORDER BY too; the others become the items again. Returns the places of those kept.
pub fn settle(
    items: &[BExpr],
    having: Option<&mut BExpr>,
    order: &mut [(BExpr, bool)],
) -> Vec<usize> {
    let mut named = BTreeSet::new();
    having.iter().for_each(|e| e.walk(&mut |e| named.extend(marked(e))));
    let text = |e: &BExpr| format!("{:?}", e.node);
    for (e, _) in order {
        // ORDER BY 2 is the item itself.
        let whole = named.iter().find(|at| items.get(**at).is_some_and(|i| text(i) == text(e)));
        match whole {
            Some(at) => *e = mark(*at, e),
            None => unmark(e, items, &named),
        }
    }
    named.into_iter().collect()
}

fn unmark(e: &mut BExpr, items: &[BExpr], named: &BTreeSet<usize>) {
    match marked(e) {
        Some(at) if !named.contains(&at) => {
            if let Some(item) = items.get(at) {
                *e = item.clone();
            }
        }
        Some(_) => {}
        None => e.for_children_mut(&mut |c| unmark(c, items, named)),
    }
}

/// ORDER BY with the items in the places of their marks, for checks of what it names.
pub fn unmarked<'o>(
    order: &'o [(BExpr, bool)],
    items: &[BExpr],
    named: &[usize],
) -> Cow<'o, [(BExpr, bool)]> {
    if named.is_empty() {
        return Cow::Borrowed(order);
    }
    let mut order = order.to_vec();
    order.iter_mut().for_each(|(e, _)| unmark(e, items, &BTreeSet::new()));
    Cow::Owned(order)
}

/// Takes the items out of the list; their marks stay there.
pub fn take(named: &[usize], items: &mut [BExpr]) -> Drawn {
    let taken = named.iter().filter_map(|at| {
        let item = items.get_mut(*at)?;
        let mark = mark(*at, item);
        Some(std::mem::replace(item, mark))
    });
    let exprs: Vec<BExpr> = taken.collect();
    let mut subs = Vec::new();
    exprs.iter().for_each(|e| e.subs(&mut subs));
    Drawn { exprs, subs }
}

/// Marks become the places of values, `behind` so many others.
pub fn place(e: &mut BExpr, named: &[usize], behind: u32) {
    match marked(e).and_then(|at| named.iter().position(|n| *n == at)) {
        Some(n) => e.node = Node::Agg(behind + n as u32),
        None => e.for_children_mut(&mut |c| place(c, named, behind)),
    }
}
