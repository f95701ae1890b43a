//! Subqueries and calls of stored functions that an expression asks for only sometimes: in a branch of IF(), CASE, COALESCE() and their
//! like, and behind the first operand of AND and OR.
//!
//! The executor runs what an expression needs before it evaluates the expression, which waits for nothing. Without more it would run every
//! branch: `IF(a, f(), g())` would call both functions. So such a subquery gets a *guard* ([`Sub::guard`]): the condition under which the
//! expression reads its result. Where it is not true the subquery is not run, and its result stays pending.
//!
//! Invariant: when an expression reads a result, the guard has been true for the row at hand. It holds because evaluation takes branches in
//! the same order over the same row; because a guard has only what is the same when it is asked twice (nothing drawn, no variable
//! that is assigned); and because the subqueries in a guard have smaller numbers, so they are run before it is asked. What does not
//! fulfil this has no guard, and is run always. A guard that is true without need costs a run and changes no answer.

use crate::func::facts::{Id, Nulls};
use crate::query::expr::{BExpr, Node, Truth};
use crate::query::plan::raw::Raw;
use crate::query::plan::{Block, Sub, SubKind};
use crate::value::Value;

/// Sets the guards of the subqueries of a block. `others`: what is evaluated over its rows and is no part of it, as the values of an UPDATE.
pub fn mark_block<'e>(
    b: &mut Block,
    raw: Option<&'e Raw>,
    others: impl IntoIterator<Item = &'e BExpr>,
) {
    if b.subs.is_empty() {
        return;
    }
    let mut found = Found::of(b.subs.len());
    for e in others {
        found.look(e);
    }
    if let Some(r) = raw {
        r.conds.iter().chain(r.groups.iter().flat_map(|g| &g.on)).for_each(|e| found.look(e));
    }
    let steps = b.steps.iter().flat_map(|s| s.conds.iter().chain(s.after.iter().map(|(_, c)| c)));
    steps.chain(&b.gate).chain(&b.having).for_each(|c| found.look(&c.expr));
    b.items.iter().chain(b.order.iter().map(|(e, _)| e)).for_each(|e| found.look(e));
    b.drawn.exprs.iter().for_each(|e| found.look(e));
    b.windows.iter().flat_map(|w| w.exprs()).for_each(|e| found.look(e));
    if let Some(a) = &b.agg {
        a.keys.iter().for_each(|e| found.look(e));
        a.specs.iter().flat_map(|(_, args)| args).for_each(|e| found.look(e));
    }
    found.look_in_arguments(&b.subs);
    found.set(&mut b.subs);
}

/// Sets the guards of subqueries that are run before there are rows: such a guard reads no column and no other subquery. `later`: what
/// is evaluated over rows all the same, as the values of ON DUPLICATE KEY UPDATE. `checked`: what has its subqueries always.
pub fn mark_without_rows<'e>(
    subs: &mut [Sub],
    exprs: impl IntoIterator<Item = &'e BExpr>,
    later: impl IntoIterator<Item = &'e BExpr>,
    checked: impl IntoIterator<Item = &'e BExpr>,
) {
    if subs.is_empty() {
        return;
    }
    let mut found = Found::of(subs.len());
    exprs.into_iter().for_each(|e| found.look(e));
    found.look_in_arguments(subs);
    for asked in &mut found.asked {
        if let Asked::Under(guards) = asked
            && guards.iter().any(|g| !g.has_no_subs() || g.any(|n| matches!(n, Node::Col(_))))
        {
            *asked = Asked::Always;
        }
    }
    // What both ask for is run before there are rows.
    let before: Vec<bool> = found.asked.iter().map(|a| !matches!(a, Asked::Never)).collect();
    let mut after = Found::of(subs.len());
    later.into_iter().for_each(|e| after.look(e));
    for ((asked, later), before) in found.asked.iter_mut().zip(after.asked).zip(before) {
        *asked = match (later, before) {
            (Asked::Never, _) => std::mem::replace(asked, Asked::Never),
            (_, true) => Asked::Always,
            (later, false) => later,
        };
    }
    found.assigns |= after.assigns;
    let mut always = Vec::new();
    for e in checked {
        e.subs(&mut always);
    }
    always.iter().for_each(|s| found.asked[*s as usize] = Asked::Always);
    found.set(subs);
}

/// When the result of a subquery is read.
enum Asked {
    Never,
    /// Under one of these conditions.
    Under(Vec<BExpr>),
    Always,
}

struct Found {
    asked: Vec<Asked>,
    /// Conditions that hold where the walk is.
    path: Vec<BExpr>,
    /// A variable is assigned somewhere, so none is the same when it is read twice.
    assigns: bool,
}

impl Found {
    fn of(subs: usize) -> Found {
        Found { asked: (0..subs).map(|_| Asked::Never).collect(), path: Vec::new(), assigns: false }
    }

    fn look(&mut self, e: &BExpr) {
        self.assigns |= matches!(e.node, Node::Assign(..));
        if let Some(sub) = e.sub() {
            self.note(sub);
        }
        match &e.node {
            Node::And(list) => self.each_while(list, Truth::False),
            Node::Or(list) => self.each_while(list, Truth::True),
            Node::Case { whens, otherwise } => {
                let before = self.path.len();
                for (when, then) in whens {
                    self.look(when);
                    self.under(when.clone(), then);
                    self.path.push(is_not(when, Truth::True));
                }
                if let Some(e) = otherwise {
                    self.look(e);
                }
                self.path.truncate(before);
            }
            Node::Func(def, args) => match (def.id, &args[..]) {
                (Id::If | Id::IfItself, [condition, then, otherwise]) => {
                    self.look(condition);
                    self.under(condition.clone(), then);
                    self.under(is_not(condition, Truth::True), otherwise);
                }
                (Id::Ifnull | Id::Coalesce | Id::AnyValue, list) => {
                    let before = self.path.len();
                    for e in list {
                        self.look(e);
                        let test = Node::Is {
                            expr: Box::new(e.clone()),
                            test: Truth::Null,
                            negated: false,
                        };
                        self.path.push(BExpr::boolean(test, false));
                    }
                    self.path.truncate(before);
                }
                (_, [first, list @ ..]) if def.nulls == Nulls::Chooses => {
                    self.look(first);
                    for (n, e) in list.iter().enumerate() {
                        // The same choice among NULLs and one truth: true where this one is taken.
                        let one = |k| if k == n { Value::Int(1) } else { Value::Null };
                        let others = (0..list.len()).map(|k| BExpr::constant(one(k)));
                        let args = std::iter::once(first.clone()).chain(others).collect();
                        self.under(BExpr::new(Node::Func(def, args), e.info), e);
                    }
                }
                (_, list) => list.iter().for_each(|e| self.look(e)),
            },
            _ => e.for_children(&mut |c| self.look(c)),
        }
    }

    /// Arguments that are no part of the expressions; those of a call are.
    fn look_in_arguments(&mut self, subs: &[Sub]) {
        for s in subs {
            match &s.kind {
                SubKind::Sleep(e) | SubKind::LoadFile(e) => self.look(e),
                SubKind::Benchmark(a, b) | SubKind::GetLock(a, b) => {
                    self.look(a);
                    self.look(b);
                }
                SubKind::Wait(_, args) => args.iter().for_each(|e| self.look(e)),
                SubKind::Scalar
                | SubKind::Exists
                | SubKind::Row
                | SubKind::Rows
                | SubKind::Call(..)
                | SubKind::Match(_) => {}
            }
        }
    }

    /// Operands in their order, up to the first that is `last`.
    fn each_while(&mut self, list: &[BExpr], last: Truth) {
        let before = self.path.len();
        for e in list {
            self.look(e);
            self.path.push(is_not(e, last));
        }
        self.path.truncate(before);
    }

    fn under(&mut self, condition: BExpr, e: &BExpr) {
        self.path.push(condition);
        self.look(e);
        self.path.pop();
    }

    fn note(&mut self, sub: u32) {
        let stable = |c: &BExpr| {
            let mut subs = Vec::new();
            c.subs(&mut subs);
            !c.draws() && subs.iter().all(|s| *s < sub)
        };
        // A condition that cannot be asked twice is left out: the others are true wherever the result is read, too.
        let all: Vec<BExpr> = self.path.iter().filter(|c| stable(c)).cloned().collect();
        let asked = &mut self.asked[sub as usize];
        match asked {
            Asked::Always => {}
            _ if all.is_empty() => *asked = Asked::Always,
            Asked::Never => *asked = Asked::Under(vec![BExpr::boolean(Node::And(all), true)]),
            Asked::Under(list) => list.push(BExpr::boolean(Node::And(all), true)),
        }
    }

    fn set(self, subs: &mut [Sub]) {
        for (sub, asked) in subs.iter_mut().zip(self.asked) {
            let Asked::Under(mut list) = asked else {
                sub.guard = None;
                continue;
            };
            let changes = self.assigns && list.iter().any(BExpr::reads_variables);
            sub.guard = match list.len() {
                _ if changes || matches!(sub.kind, SubKind::Match(_)) => None,
                1 => list.pop(),
                _ => Some(BExpr::boolean(Node::Or(list), true)),
            };
        }
    }
}

fn is_not(e: &BExpr, test: Truth) -> BExpr {
    BExpr::boolean(Node::Is { expr: Box::new(e.clone()), test, negated: true }, false)
}
