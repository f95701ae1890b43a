//! Items that set user variables, behind a sort: `SELECT @n := @n + 1, a FROM t ORDER BY a` numbers the rows as they go out.

use super::sorter::owned;
use crate::query::eval::frame::Frame;
use crate::query::eval::{Ev, eval};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::Block;
use crate::query::plan::outcome::{Row, Run};
use crate::value::{SqlType, Value};

/// The items that are computed when the order is known. What they read of the tables waits beside the row.
pub struct Later {
    /// Their places, and they themselves with [`Node::Agg`] for what waits.
    items: Vec<(usize, BExpr)>,
    waits: Vec<BExpr>,
}

impl Later {
    /// None where no item sets a variable, where the order follows such an item, and where an item is more than what reads rows.
    pub fn of(b: &Block) -> Option<Later> {
        let sets = |e: &BExpr| has(e, |n| matches!(n, Node::Assign(..)));
        if !b.items.iter().any(sets) || b.distinct || b.order.iter().any(|(e, _)| e.varies()) {
            return None;
        }
        let mut later = Later { items: Vec::new(), waits: Vec::new() };
        for (at, e) in b.items.iter().enumerate() {
            if !has(e, |n| matches!(n, Node::Assign(..) | Node::UserVar(_))) {
                continue;
            }
            if !e.has_no_subs() || e.is_from_outside() || has(e, needs_its_row) {
                return None;
            }
            let mut e = e.clone();
            later.replace(&mut e);
            later.items.push((at, e));
        }
        // A member of a list is a number where it is stored, which one that waits is not.
        let list = |e: &BExpr| matches!(e.info.ty, SqlType::Enum { .. } | SqlType::Set { .. });
        let member = |e: &BExpr| list(e) && matches!(e.node, Node::Col(_));
        (!later.waits.iter().any(member)).then_some(later)
    }

    /// What no variable and no chance is in waits as a whole.
    fn replace(&mut self, e: &mut BExpr) {
        if e.varies() {
            return e.for_children_mut(&mut |c| self.replace(c));
        }
        if has(e, |n| matches!(n, Node::Col(_) | Node::Param(_))) {
            let at = self.waits.len() as u32;
            let node = std::mem::replace(&mut e.node, Node::Agg(at));
            self.waits.push(BExpr::new(node, e.info));
        }
    }

    /// How many values wait beside each row.
    pub fn width(&self) -> usize {
        self.waits.len()
    }

    /// The items of a row that is to wait: NULL stands for those of later.
    pub fn row(&self, items: &[BExpr], f: &Frame<'_>, ev: &mut Ev<'_>) -> Run<Row> {
        let mut row = Row::with_capacity(items.len());
        let mut places = self.items.iter().map(|(at, _)| *at).peekable();
        for (at, e) in items.iter().enumerate() {
            row.push(match places.next_if_eq(&at) {
                Some(_) => Value::Null,
                None => eval(e, f, ev)?.into_owned(),
            });
        }
        Ok(row)
    }

    /// What waits beside it.
    pub fn beside(&self, f: &Frame<'_>, ev: &mut Ev<'_>) -> Run<Row> {
        owned(self.waits.iter(), f, ev)
    }

    /// The row is the next one that goes out; what waited stands at the end of `extra`.
    pub fn complete(&self, row: &mut Row, extra: &Row, ev: &mut Ev<'_>) -> Run<()> {
        let frame = Frame { aggs: &extra[extra.len() - self.width()..], ..Frame::empty(&[]) };
        for (at, e) in &self.items {
            row[*at] = eval(e, &frame, ev)?.into_owned();
        }
        Ok(())
    }
}

fn has(e: &BExpr, is: impl Fn(&Node) -> bool) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= is(&e.node));
    found
}

fn needs_its_row(n: &Node) -> bool {
    matches!(n, Node::Match { .. } | Node::Call { .. } | Node::Agg(_) | Node::Window(_))
}
