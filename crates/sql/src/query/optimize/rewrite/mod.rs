//! Rewriting of a block's conditions before its tables are ordered: rules with names, one file each, for queries and for changes of rows alike.
//!
//! `negation` carries NOT down to comparisons, `or_factors` takes what all branches of an OR have in common out of it, `or_filters` makes what an
//! OR says of one table a condition on that table, `equalities` concludes equalities from others. `once` is no rule about conditions: it marks
//! constants that a run evaluates once, when the plan is made otherwise. `derived` gives conditions to the
//! queries of derived tables, which are planned after that.
//!
//! Invariants:
//! - A condition of WHERE or ON counts as true, false, or unknown, and the last two alike. A rule keeps the rows for which all conditions
//!   are true; inside of an OR and an AND it keeps all three answers.
//! - Conditions that a rule adds follow from those that were given. They come after the given ones ([`Raw::given`]), for they must not make
//!   the estimates of what is left smaller, and the note of EXPLAIN leaves them out.

pub mod derived;
mod equalities;
mod negation;
pub mod once;
mod or_factors;
mod or_filters;

use crate::query::bind::outer_joins::drop_outer_joins;
use crate::query::expr::BExpr;
use crate::query::plan::raw::Raw;
use crate::vars::switches::{Switch, Switches};
use std::mem;

/// A rule: the flag of `optimizer_switch` that stands for it, and what it does.
pub struct Rule {
    pub flag: Switch,
    apply: fn(&mut Raw),
}

/// The rules in the order in which they are applied: each may find something in what those before it have made.
pub const RULES: [Rule; 5] = [
    Rule { flag: Switch::NegationPushdown, apply: negation::apply },
    Rule { flag: Switch::OuterToInner, apply: drop_outer_joins },
    Rule { flag: Switch::OrFactoring, apply: or_factors::apply },
    Rule { flag: Switch::OrTableFilters, apply: or_filters::apply },
    Rule { flag: Switch::EqualityPropagation, apply: equalities::apply },
];

/// Applies the rules to the conditions of a block. Those that are switched off are left out.
pub fn rewrite(raw: &mut Raw, switches: Switches) {
    if raw.conds.is_empty() && raw.groups.is_empty() {
        return;
    }
    for rule in RULES.iter().filter(|r| !switches.is_off(r.flag)) {
        (rule.apply)(raw);
    }
}

impl Raw {
    /// Adds a condition that follows from the others.
    fn conclude(&mut self, cond: BExpr) {
        self.given.get_or_insert(self.conds.len());
        self.conds.push(cond);
    }

    /// All lists of conditions: that of WHERE, and those of outer joins.
    fn lists_mut(&mut self) -> impl Iterator<Item = &mut Vec<BExpr>> {
        std::iter::once(&mut self.conds).chain(self.groups.iter_mut().map(|g| &mut g.on))
    }
}

/// Takes an expression out of its place, where another one will be put.
fn take(e: &mut BExpr) -> BExpr {
    mem::replace(e, BExpr::constant(crate::value::Value::Null))
}

/// The tables of the block that an expression without subqueries reads, as bits.
fn tables(e: &BExpr) -> u64 {
    e.tables(&|_| 0)
}

/// It may be asked of a row once or twice, earlier or later, and always answers the same.
fn is_plain(e: &BExpr) -> bool {
    e.has_no_subs() && !e.varies() && !e.has_agg()
}

#[cfg(test)]
mod tests;
