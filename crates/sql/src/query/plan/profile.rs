//! What the steps of a plan did in a run that is measured, for EXPLAIN ANALYZE.

use super::{Line, Step};
use std::collections::HashMap;

/// What happened at a step.
#[derive(Clone, Copy, Default)]
pub struct Measured {
    /// How often its rows were begun.
    pub loops: u64,
    /// Rows that its table gave.
    pub read: u64,
    /// Rows of them that its conditions let through.
    pub passed: u64,
    /// Rows of the join of the steps up to this one.
    pub joined: u64,
    /// Microseconds in reading its table, and of them those up to its first row.
    pub micros: i64,
    pub first: i64,
}

/// By the step's place in memory: a plan does not move while it runs.
#[derive(Default)]
pub struct Profile(HashMap<usize, Measured>);

impl Profile {
    pub fn of(&mut self, step: &Step) -> &mut Measured {
        self.0.entry(place(step)).or_default()
    }

    pub fn at(&self, place: usize) -> Measured {
        self.0.get(&place).copied().unwrap_or_default()
    }
}

/// Where a step stands in memory.
pub fn place(step: &Step) -> usize {
    std::ptr::from_ref(step).addr()
}

/// What is looked at on the rows of a step: as the tree shows it, with short names, and as the document does.
pub struct Conditions {
    pub short: String,
    pub long: String,
}

/// The lines of EXPLAIN, and for each that is about a step where this stands, and its conditions.
pub struct Placed {
    pub lines: Vec<Line>,
    pub places: Vec<Option<usize>>,
    pub conds: Vec<Option<Conditions>>,
}

impl Placed {
    /// The conditions of the step that a line is about.
    pub fn conditions(&self, line: &Line) -> Option<&Conditions> {
        let at = self.lines.iter().position(|l| std::ptr::eq(l, line))?;
        self.conds.get(at)?.as_ref()
    }
}
