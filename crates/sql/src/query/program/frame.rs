//! A program on its way: its variables, cursors, and handlers.

use super::machine::OutTarget;
use crate::errno;
use crate::memory::Held;
use crate::query::plan::code::Code;
use crate::query::plan::outcome::Row;
use crate::session_api::SqlError;
use crate::value::{Level, Value, Warning, Warnings};
use std::sync::Arc;
use weir_syntax::ast::{Condition, Op};

/// The rows of an open cursor.
pub struct OpenCursor {
    pub rows: std::vec::IntoIter<Row>,
    pub columns: Option<usize>,
    pub _held: Held,
}

/// A handler's body that runs.
struct Active {
    handler: u32,
    /// Where a CONTINUE handler goes back to.
    resume: usize,
    /// The handlers that hold where the condition was raised, and which of them the handler's block is.
    around: Vec<(u32, u32)>,
    block: usize,
    /// What it handles: GET STACKED DIAGNOSTICS, RESIGNAL.
    taken: Warnings,
}

/// A program on its way.
pub struct Frame {
    pub code: Arc<Code>,
    pub pc: usize,
    pub vars: Vec<Value<'static>>,
    pub cursors: Vec<Option<OpenCursor>>,
    /// Blocks with handlers around the instruction, outermost first: first handler and count.
    handlers: Vec<(u32, u32)>,
    active: Vec<Active>,
    /// Where the values of OUT parameters go in the end.
    pub outs: Vec<(u32, OutTarget)>,
    pub result: Option<Value<'static>>,
}

impl Frame {
    pub fn new(code: Arc<Code>, vars: Vec<Value<'static>>, outs: Vec<(u32, OutTarget)>) -> Frame {
        let mut vars = vars;
        vars.resize(code.body.slots.len(), Value::Null);
        let cursors = (0..code.body.cursors.len()).map(|_| None).collect();
        let (handlers, active) = (Vec::new(), Vec::new());
        Frame { code, pc: 0, vars, cursors, handlers, active, outs, result: None }
    }

    pub fn enter_handlers(&mut self, first: u32, count: u32) {
        self.handlers.push((first, count));
    }

    pub fn leave_handlers(&mut self, blocks: u32) {
        let left = self.handlers.len().saturating_sub(blocks as usize);
        self.handlers.truncate(left);
    }

    pub fn close_cursors(&mut self, from: u32) {
        self.cursors[from as usize..].iter_mut().for_each(|c| *c = None);
    }

    /// RESIGNAL has changed what the innermost handler has taken.
    pub fn change_stacked(&mut self, conditions: &Warnings) {
        if let Some(a) = self.active.last_mut() {
            a.taken = conditions.clone();
        }
    }

    /// What the innermost handler that runs has taken.
    pub fn stacked(&self) -> Option<&Warnings> {
        self.active.last().map(|a| &a.taken)
    }

    /// Goes into the handler for this condition, if there is one. `next`: where a CONTINUE handler goes on.
    pub fn handle(&mut self, w: &Warning, all: &Warnings, next: usize) -> bool {
        let state = state_of(w);
        for block in (0..self.handlers.len()).rev() {
            let (first, count) = self.handlers[block];
            let fit = |h: u32| {
                let list = &self.code.body.handlers[h as usize].conditions;
                list.iter().filter_map(|c| fits(c, w, &state)).min()
            };
            let best = (first..first + count).filter_map(|h| fit(h).map(|f| (f, h))).min();
            let Some((_, handler)) = best else { continue };
            let around = std::mem::take(&mut self.handlers);
            self.handlers = around[..block].to_vec();
            let taken = all.clone();
            self.active.push(Active { handler, resume: next, around, block, taken });
            self.pc = self.code.body.handlers[handler as usize].entry as usize;
            return true;
        }
        false
    }

    /// The body of a handler has ended.
    pub fn end_handler(&mut self, handler: u32) {
        let Some(a) = self.active.pop() else { return };
        debug_assert_eq!(a.handler, handler, "handlers end innermost first");
        let code = self.code.clone();
        let def = &code.body.handlers[handler as usize];
        if !def.exit {
            self.handlers = a.around;
            self.pc = a.resume;
            return;
        }
        // Handlers of blocks that are left with this one do not go on.
        while self.active.last().is_some_and(|inner| inner.block > a.block) {
            self.active.pop();
        }
        self.handlers = a.around;
        self.handlers.truncate(a.block);
        self.close_cursors(def.cursors);
        self.pc = def.leaves_to as usize;
    }

    /// Where a CONTINUE handler goes on when the instruction at hand fails.
    pub fn after(&self) -> usize {
        match self.code.body.ops.get(self.pc) {
            Some(Op::JumpUnless { resume, .. } | Op::Set { resume: Some(resume), .. }) => {
                *resume as usize
            }
            _ => self.pc + 1,
        }
    }
}

/// How exactly a handler's condition fits, the best first.
fn fits(c: &Condition, w: &Warning, state: &[u8; 5]) -> Option<u8> {
    match c {
        Condition::Errno(n) => (*n == w.code).then_some(0),
        Condition::State(s) => (s == state).then_some(1),
        Condition::Warning => (state.starts_with(b"01")
            || w.level == Level::Warning && !state.starts_with(b"02"))
        .then_some(2),
        Condition::NotFound => state.starts_with(b"02").then_some(2),
        Condition::Exception => {
            (w.level == Level::Error && !state.starts_with(b"01") && !state.starts_with(b"02"))
                .then_some(2)
        }
    }
}

/// The state of a condition.
pub fn state_of(w: &Warning) -> [u8; 5] {
    match &w.said {
        Some(said) => said.state,
        None => errno::sqlstate(w.code),
    }
}

/// An error as a condition.
pub fn condition_of(e: &SqlError) -> Warning {
    let said = (e.sqlstate != errno::sqlstate(e.errno))
        .then(|| Box::new(crate::value::Said { state: e.sqlstate, items: Vec::new() }));
    Warning { level: Level::Error, code: e.errno, message: e.message.clone(), said }
}
