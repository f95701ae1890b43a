//! What share of a table's rows conditions leave, as far as histograms tell: [`selectivity`].
//!
//! Estimates and nothing else rest on it: a plan is right whatever the estimate is. The values of parameters are those of the first execution,
//! as for all estimates.

use crate::context::UserVars;
use crate::meta::{Histogram, SqlTable};
use crate::query::eval::frame::Frame;
use crate::query::eval::{Ev, eval};
use crate::query::expr::usable::{Alt, Usable, usable};
use crate::query::expr::{BExpr, CmpOp, Node, Truth};
use crate::query::plan::env::PlanEnv;
use crate::query::ranges::is_known;
use crate::query::ranges::point::{Point, point_of};
use crate::value::{EvalCtx, Value, Warnings};
use std::sync::Arc;
use weir_engine::UNSEEN;

/// What is known of conditions that all hold: their share, and which of them it is about.
#[derive(Debug, PartialEq)]
pub struct Told {
    pub share: f64,
    pub by: Vec<bool>,
}

/// The share of the rows of table `t` that fulfil those of the conditions that histograms tell of. The columns of a table are taken to have
/// nothing to do with each other.
pub fn selectivity(conds: &[&BExpr], t: u16, table: &SqlTable, env: &PlanEnv<'_>) -> Told {
    let mut told = Told { share: 1.0, by: vec![false; conds.len()] };
    if table.histograms.is_empty() {
        return told;
    }
    let mut user_vars = UserVars::default();
    let ev = evaluator(env, &mut user_vars);
    let mut teller = Teller { t, table, params: env.params, ev };
    let mut all = Conjunction::default();
    for (c, by) in conds.iter().zip(&mut told.by) {
        let one = teller.tell(c);
        *by = one.is_some();
        one.into_iter().for_each(|one| all.add(one));
    }
    told.share = all.share();
    told
}

/// For constants, without a warning.
fn evaluator<'e>(env: &PlanEnv<'e>, user_vars: &'e mut UserVars) -> Ev<'e> {
    let mut cx = EvalCtx::new(env.reads.session);
    (cx.mode, cx.tz) = (env.reads.settings.mode, env.reads.settings.tz);
    cx.collation = env.reads.settings.collation;
    cx.warnings = Warnings::with_limit(0);
    Ev { cx, vars: env.reads.vars, user_vars, lists: Default::default() }
}

/// The share of the rows of table `t` that an equality leaves, by the sample of its column's values. What it is compared with need not be
/// known: then it is that of any value.
pub fn sampled(c: &BExpr, t: u16, table: &SqlTable, env: &PlanEnv<'_>) -> Option<f64> {
    let Some((col, Usable::Eq(alts))) = usable(c, t, &|_| true) else { return None };
    let columns = &table.columns;
    // A virtual column has no place in the rows.
    if table.engine.layout.len() != columns.len() {
        return None;
    }
    let sample = table.engine.values.of(usize::from(col))?;
    let mut user_vars = UserVars::default();
    let mut ev = evaluator(env, &mut user_vars);
    let ty = columns[usize::from(col)].ty;
    let mut share = |alt: &Alt| {
        if !is_known(&alt.expr, env.params) {
            return sample.average();
        }
        let Ok(v) = eval(&alt.expr, &Frame::empty(env.params), &mut ev) else {
            return sample.average();
        };
        match point_of(&ty, &v, alt.rule, &mut ev) {
            Point::Exact(d) => sample.share(d.as_ref()),
            Point::Null | Point::Below | Point::Above | Point::Between(_) => UNSEEN,
            Point::Around(..) | Point::Unknown => sample.average(),
        }
    };
    Some(alts.iter().map(&mut share).sum::<f64>().min(1.0))
}

/// What one condition leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
enum One {
    Share(f64),
    /// Of the values of a column, in their order, those between two shares.
    Between(u16, f64, f64),
    /// Of the share of a column's values, NULL not among them, all but another share.
    Without(u16, f64, f64),
}

/// Conditions that all hold: bounds of one column meet, all else is multiplied.
#[derive(Default)]
struct Conjunction {
    rest: Option<f64>,
    bounds: Vec<(u16, f64, f64)>,
    without: Vec<(u16, f64, f64)>,
}

impl Conjunction {
    fn add(&mut self, one: One) {
        match one {
            One::Share(s) => self.rest = Some(self.rest.unwrap_or(1.0) * s.clamp(0.0, 1.0)),
            One::Without(col, of, among) => match self.without.iter_mut().find(|w| w.0 == col) {
                Some(w) => w.2 += among,
                None => self.without.push((col, of, among)),
            },
            One::Between(col, from, to) => match self.bounds.iter_mut().find(|b| b.0 == col) {
                Some(b) => *b = (col, b.1.max(from), b.2.min(to)),
                None => self.bounds.push((col, from, to)),
            },
        }
    }

    fn share(&self) -> f64 {
        let between = |(_, from, to): &(u16, f64, f64)| (to - from).clamp(0.0, 1.0);
        let without = |(_, of, among): &(u16, f64, f64)| (of - among).max(0.0);
        let excluded = self.without.iter().map(without).product::<f64>();
        self.rest.unwrap_or(1.0) * self.bounds.iter().map(between).product::<f64>() * excluded
    }
}

struct Teller<'e> {
    t: u16,
    table: &'e SqlTable,
    params: &'e [Value<'static>],
    ev: Ev<'e>,
}

impl<'e> Teller<'e> {
    fn histogram(&self, col: u16) -> Option<&'e Arc<Histogram>> {
        self.table.histogram(usize::from(col))
    }

    fn tell(&mut self, c: &BExpr) -> Option<One> {
        if let Node::And(list) = &c.node {
            return self.all(list).map(One::Share);
        }
        let params = self.params;
        let share = match usable(c, self.t, &|e| is_known(e, params)) {
            Some((col, Usable::Eq(alts))) => self.any_of(col, &alts)?,
            Some((col, Usable::Range(CmpOp::Ne, alt))) => return self.without(col, &[alt]),
            Some((col, Usable::AnyRange(any))) if let Some(alts) = excluded(&any) => {
                return self.without(col, &alts);
            }
            Some((col, Usable::Range(op, alt))) => {
                let (from, to) = self.bound(col, op, &alt)?;
                return Some(One::Between(col, from, to));
            }
            Some((col, Usable::AnyRange(any))) => self.any_range(col, &any)?,
            Some((_, Usable::Like(_))) => return None,
            None => self.other(c)?,
        };
        Some(One::Share(share))
    }

    /// Conditions that all hold, all of which must be told of.
    fn all(&mut self, list: &[BExpr]) -> Option<f64> {
        let mut all = Conjunction::default();
        for e in list {
            all.add(self.tell(e)?);
        }
        Some(all.share())
    }

    /// What is not about one column, or is the opposite of such a condition.
    fn other(&mut self, c: &BExpr) -> Option<f64> {
        let opposite = |node: Node| BExpr::new(node, c.info);
        match &c.node {
            Node::Or(list) => {
                let mut none = 1.0;
                for e in list {
                    none *= 1.0 - self.all(std::slice::from_ref(e))?;
                }
                Some(1.0 - none)
            }
            Node::Not(e) => {
                let share = self.all(std::slice::from_ref(e))?;
                Some((self.not_null(e)? - share).max(0.0))
            }
            Node::Cmp { op: CmpOp::Ne, rule, a, b } => {
                let (op, rule) = (CmpOp::Eq, *rule);
                let equal = Node::Cmp { op, rule, a: a.clone(), b: b.clone() };
                self.opposite(&opposite(equal))
            }
            Node::In { left, list, negated: true, id } => {
                let (left, list) = (left.clone(), list.clone());
                self.opposite(&opposite(Node::In { left, list, negated: false, id: *id }))
            }
            Node::Is { expr, test: Truth::Null, negated: true } => match expr.node {
                Node::Col(col) if col.depth == 0 && col.table == self.t => {
                    Some(self.histogram(col.col)?.not_null())
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Rows with none of some values.
    fn without(&mut self, col: u16, alts: &[Alt]) -> Option<One> {
        let among = self.any_of(col, alts)?;
        Some(One::Without(col, self.histogram(col)?.not_null(), among))
    }

    /// Rows in which no column of a condition is NULL.
    fn not_null(&self, e: &BExpr) -> Option<f64> {
        let mut columns = Vec::new();
        e.walk(&mut |n| match n.node {
            Node::Col(c) if !columns.contains(&c.col) => columns.push(c.col),
            _ => {}
        });
        columns.into_iter().map(|c| Some(self.histogram(c)?.not_null())).product()
    }

    /// Rows with none of the values that an equality names: NULLs are not among them.
    fn opposite(&mut self, equal: &BExpr) -> Option<f64> {
        let params = self.params;
        let (col, Usable::Eq(alts)) = usable(equal, self.t, &|e| is_known(e, params))? else {
            return None;
        };
        let among = self.any_of(col, &alts)?;
        Some((self.histogram(col)?.not_null() - among).max(0.0))
    }

    fn any_of(&mut self, col: u16, alts: &[Alt]) -> Option<f64> {
        let mut sum = 0.0;
        for alt in alts {
            sum += self.place(col, alt)?.equal;
        }
        Some(sum.min(1.0))
    }

    fn any_range(&mut self, col: u16, any: &[Vec<(CmpOp, Alt)>]) -> Option<f64> {
        let mut sum = 0.0;
        for bounds in any {
            let mut all = Conjunction::default();
            for (op, alt) in bounds {
                let (from, to) = self.bound(col, *op, alt)?;
                all.add(One::Between(col, from, to));
            }
            sum += all.share();
        }
        Some(sum.min(1.0))
    }

    /// Between which shares the values lie that a bound lets through.
    fn bound(&mut self, col: u16, op: CmpOp, alt: &Alt) -> Option<(f64, f64)> {
        let all = self.histogram(col)?.not_null();
        let p = self.place(col, alt)?;
        if p.null {
            return Some((0.0, 0.0));
        }
        let up_to = p.below + p.equal;
        match op {
            CmpOp::Lt => Some((0.0, p.below)),
            CmpOp::Le => Some((0.0, up_to)),
            CmpOp::Gt => Some((up_to, all)),
            CmpOp::Ge => Some((p.below, all)),
            CmpOp::Eq => Some((p.below, up_to)),
            CmpOp::NullSafe | CmpOp::Ne => None,
        }
    }

    fn place(&mut self, col: u16, alt: &Alt) -> Option<Place> {
        let (h, ty) = (self.histogram(col)?, self.table.columns[usize::from(col)].ty);
        let phys = ty.phys();
        let v = eval(&alt.expr, &Frame::empty(self.params), &mut self.ev).ok()?;
        let at = |below: f64, equal: f64| Some(Place { below, equal, null: false });
        match point_of(&ty, &v, alt.rule, &mut self.ev) {
            Point::Exact(d) => at(h.below(&phys, d.as_ref()), h.equal(&phys, d.as_ref())),
            Point::Between(d) => at(h.below(&phys, d.as_ref()) + h.equal(&phys, d.as_ref()), 0.0),
            Point::Around(a, b) => {
                let below = h.below(&phys, a.as_ref());
                let up_to = h.below(&phys, b.as_ref()) + h.equal(&phys, b.as_ref());
                at(below, (up_to - below).max(0.0))
            }
            Point::Below => at(0.0, 0.0),
            Point::Above => at(h.not_null(), 0.0),
            Point::Null => {
                let equal = if alt.null_safe { h.nulls } else { 0.0 };
                Some(Place { below: 0.0, equal, null: true })
            }
            Point::Unknown => None,
        }
    }
}

/// The values that bounds leave out, where they say nothing else.
fn excluded(any: &[Vec<(CmpOp, Alt)>]) -> Option<Vec<Alt>> {
    let [conj] = any else { return None };
    let alts = conj.iter().map(|(op, alt)| (*op == CmpOp::Ne).then(|| alt.clone()));
    alts.collect()
}

/// Where a value stands among those of a column.
struct Place {
    below: f64,
    equal: f64,
    null: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(list: &[One]) -> f64 {
        let mut all = Conjunction::default();
        list.iter().for_each(|one| all.add(*one));
        (all.share() * 1e6).round() / 1e6
    }

    #[test]
    fn bounds_of_one_column_meet() {
        assert_eq!(share(&[]), 1.0);
        assert_eq!(share(&[One::Between(1, 0.2, 1.0), One::Between(1, 0.0, 0.5)]), 0.3);
        assert_eq!(share(&[One::Between(1, 0.2, 1.0), One::Between(2, 0.0, 0.5)]), 0.4);
        assert_eq!(share(&[One::Between(1, 0.6, 1.0), One::Between(1, 0.0, 0.5)]), 0.0);
    }

    #[test]
    fn all_else_is_multiplied() {
        assert_eq!(share(&[One::Share(0.5), One::Share(0.5), One::Between(0, 0.0, 0.4)]), 0.1);
        assert_eq!(share(&[One::Share(1.5)]), 1.0);
    }
}
