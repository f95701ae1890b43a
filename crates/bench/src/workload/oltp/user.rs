//! One connection of the OLTP test: draws a transaction, has it done, records it.

use super::{Config, Mode, NonTrx, Path};
use crate::error::Result;
use crate::measure::{Outcome, Recorder};
use crate::workload::User;
use std::fmt::Write;
use std::time::Instant;
use weir_rt::Rng;

/// One statement of a transaction, drawn before it begins.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Point(i64),
    /// From this id on, as many ids as the range has.
    Range(Kind, i64),
    AddToK(i64),
    SetC(i64, String),
    Delete(i64),
    /// The id, or the key's value where ids come from AUTO_INCREMENT.
    Insert(i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Rows,
    Sum,
    Order,
    Distinct,
}

impl Step {
    /// sysbench's class: 0 a read, 1 a write.
    pub fn class(&self) -> usize {
        usize::from(!matches!(self, Step::Point(_) | Step::Range(..)))
    }
}

/// Draws a user's transactions.
pub struct Draws {
    config: Config,
    rng: Rng,
    /// The transaction at hand.
    plan: Vec<Step>,
    /// Memory of the text of the last transaction's update.
    text: String,
}

pub struct OltpUser {
    path: Box<dyn Path>,
    draws: Draws,
    /// Reads, writes, others executed.
    counts: [u64; 3],
}

impl OltpUser {
    pub fn new(path: Box<dyn Path>, config: Config, number: usize) -> OltpUser {
        OltpUser { path, draws: Draws::new(config, number), counts: [0; 3] }
    }
}

impl Draws {
    pub fn new(config: Config, number: usize) -> Draws {
        let rng = Rng::new(config.seed.wrapping_mul(7919).wrapping_add(number as u64 + 1));
        Draws { config, rng, plan: Vec::new(), text: String::new() }
    }

    fn id(&mut self) -> i64 {
        self.config.distribution.draw(&mut self.rng, self.config.rows) as i64
    }

    /// The start of a range; its end is clipped to the table.
    fn range_start(&mut self) -> i64 {
        let last = (self.config.rows as i64 - self.config.range as i64).max(1);
        self.id().min(last)
    }

    fn c_value(&mut self) -> String {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        for n in 0..10 {
            let dash = if n > 0 { "-" } else { "" };
            // Writing to a string cannot fail.
            let _ = write!(text, "{dash}{}", self.rng.next_u64() as u32 >> 1);
        }
        text
    }

    /// The next transaction.
    pub fn draw(&mut self) -> &[Step] {
        let mut plan = std::mem::take(&mut self.plan);
        for step in plan.drain(..) {
            if let Step::SetC(_, text) = step {
                self.text = text;
            }
        }
        match self.config.mode {
            Mode::Simple => plan.push(Step::Point(self.id())),
            Mode::NonTrx(kind) => plan.push(self.draw_single(kind)),
            Mode::Complex => self.draw_complex(&mut plan),
        }
        self.plan = plan;
        &self.plan
    }

    fn draw_single(&mut self, kind: NonTrx) -> Step {
        let id = self.id();
        match kind {
            NonTrx::Select => Step::Point(id),
            NonTrx::UpdateKey => Step::AddToK(id),
            NonTrx::UpdateNoKey => Step::SetC(id, self.c_value()),
            NonTrx::Delete => Step::Delete(id),
            NonTrx::Insert => Step::Insert(id),
        }
    }

    fn draw_complex(&mut self, plan: &mut Vec<Step>) {
        for _ in 0..10 {
            plan.push(Step::Point(self.id()));
        }
        for kind in [Kind::Rows, Kind::Sum, Kind::Order, Kind::Distinct] {
            plan.push(Step::Range(kind, self.range_start()));
        }
        if self.config.read_only {
            return;
        }
        plan.push(Step::AddToK(self.id()));
        let c = self.c_value();
        plan.push(Step::SetC(self.id(), c));
        let x = self.id();
        plan.extend([Step::AddToK(x), Step::Delete(x), Step::Insert(x)]);
    }
}

impl User for OltpUser {
    fn step(&mut self, rec: &mut Recorder, due: Instant) -> Result<()> {
        let plan = self.draws.draw();
        rec.begin(due);
        loop {
            match self.path.run(plan, &mut self.counts) {
                Ok(()) => break,
                // 1062: between the DELETE and the INSERT of an id another transaction put it back.
                Err(e) if e.is_conflict() || e.errno() == 1062 => {
                    rec.end(0, Outcome::Retried);
                    self.path.undo()?;
                }
                Err(e) => return Err(e),
            }
        }
        rec.end(0, Outcome::Done);
        let [read, write, other] = std::mem::take(&mut self.counts);
        rec.classes(read, write, other);
        rec.statements(self.path.take_statements());
        Ok(())
    }
}
