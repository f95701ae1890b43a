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

/// The lines of EXPLAIN, and for each that is about a step the conditions that are looked at there.
pub struct Placed {
    pub lines: Vec<Line>,
    pub conds: Vec<Option<String>>,
}

impl Placed {
    /// The conditions of the step that a line is about.
    pub fn conditions(&self, line: &Line) -> Option<&str> {
        let at = self.lines.iter().position(|l| std::ptr::eq(l, line))?;
        self.conds.get(at)?.as_deref()
    }
}

/// What of a step's work a branch of the tree stands for.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// The rows that its table gave.
    Read,
    /// Those that its conditions let through.
    Passed,
    /// Those of the join of the steps up to it.
    Joined,
}

/// A line of EXPLAIN FORMAT=TREE and what gives it its rows.
#[derive(Clone)]
pub struct Branch {
    pub what: String,
    /// Rows that are expected for each time that it is begun; 0: not known.
    pub rows: f64,
    /// Where the step stands that it is of, for EXPLAIN ANALYZE.
    pub part: Option<(usize, Part)>,
    pub under: Vec<Branch>,
}

impl Branch {
    pub fn new(what: impl Into<String>) -> Branch {
        Branch { what: what.into(), rows: 0.0, part: None, under: Vec::new() }
    }
}
