//! Conditions of a plan.

use super::raw::Raw;
use crate::query::expr::BExpr;

/// A condition and the subqueries it needs.
#[derive(Clone)]
pub struct Cond {
    pub expr: BExpr,
    pub subs: Vec<u32>,
    /// Rows of the step's ranges fulfil it, if those are exact.
    pub implied: bool,
    /// It is about the step's table alone: kept rows fulfil it.
    pub early: bool,
    /// It is among what kept rows, or those in memory, are found by: rows found fulfil it.
    pub equated: bool,
    /// It follows from other conditions.
    pub concluded: bool,
}

impl Cond {
    pub fn new(expr: BExpr) -> Cond {
        let mut subs = Vec::new();
        expr.subs(&mut subs);
        Cond { expr, subs, implied: false, early: false, equated: false, concluded: false }
    }

    /// One of WHERE's conditions, by its place among them.
    pub fn of(raw: &Raw, at: usize) -> Cond {
        let concluded = raw.is_concluded(at);
        Cond { concluded, ..Cond::new(raw.conds[at].clone()) }
    }
}
