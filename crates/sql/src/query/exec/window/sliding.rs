//! MIN and MAX over a frame that moves: the values that may still be the best one, each better than those behind it will ever let be seen.
//!
//! A value that comes ends the chances of those before it that it is better than, for it stays in the frame longer. So what is left is in
//! order, the best first, and each row comes and goes once: a frame of n rows costs no more for each row than one of two.
//!
//! Invariant: of values that are equal the first stays the best, as where a frame is aggregated from its first row on.

use crate::memory::{Held, heap_of};
use crate::query::exec::Runner;
use crate::query::plan::outcome::Run;
use crate::value::Value;
use crate::value::compare::{CompareRule, compare};
use std::cmp::Ordering;
use std::collections::VecDeque;

/// What an entry takes besides the bytes of its value.
const ENTRY: usize = size_of::<(usize, Value<'static>)>();

pub struct Extreme {
    /// How a better value compares.
    want: Ordering,
    /// The candidates, with the places of their rows.
    kept: VecDeque<(usize, Value<'static>)>,
    held: Held,
}

impl Extreme {
    pub fn new(want: Ordering) -> Extreme {
        Extreme { want, kept: VecDeque::new(), held: Held::default() }
    }

    pub fn clear(&mut self) {
        self.kept.clear();
        self.held.shrink(self.held.bytes());
    }

    /// The value of the next row comes into the frame.
    pub fn enter(&mut self, at: usize, v: &Value<'static>, r: &mut Runner<'_, '_>) -> Run<()> {
        if v.is_null() {
            return Ok(());
        }
        let cx = &mut r.ev.cx;
        while let Some((_, last)) = self.kept.back() {
            cx.work(64)?;
            if compare(v, last, CompareRule::of_values(v, last), cx)? != Some(self.want) {
                break;
            }
            let gone = self.kept.pop_back();
            self.held.shrink(gone.map_or(0, |(_, v)| ENTRY + heap_of(&v)));
        }
        cx.hold(&mut self.held, ENTRY + heap_of(v))?;
        self.kept.push_back((at, v.clone()));
        Ok(())
    }

    /// The frame begins with this row now.
    pub fn leave_before(&mut self, start: usize) {
        while self.kept.front().is_some_and(|(at, _)| *at < start) {
            let gone = self.kept.pop_front();
            self.held.shrink(gone.map_or(0, |(_, v)| ENTRY + heap_of(&v)));
        }
    }

    pub fn best(&self) -> Value<'static> {
        self.kept.front().map_or(Value::Null, |(_, v)| v.clone())
    }
}
