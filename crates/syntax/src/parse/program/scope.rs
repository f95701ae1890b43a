//! What is known while a body is read: variables, conditions, cursors and labels by block, and the instructions so far.

use crate::ast::{
    ColumnRef, Condition, Expr, HandlerDef, Ident, Op, Program, SlotDef, SlotKind, TriggerEvent,
    TypeKind,
};
use crate::parse::ParseError;

use super::refused;
use std::collections::HashMap;

/// Whose body it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Procedure,
    Function,
    Trigger { before: bool, event: TriggerEvent },
}

/// The names of a block, folded.
#[derive(Default)]
struct Names {
    variables: HashMap<Box<str>, u32>,
    conditions: HashMap<Box<str>, Condition>,
    cursors: HashMap<Box<str>, u32>,
}

/// A block or loop that LEAVE and ITERATE can name, or the wall that a handler's body is behind.
pub(super) struct Label {
    /// None: the wall.
    pub name: Option<Ident>,
    pub is_loop: bool,
    pub start: u32,
    /// Jumps to the end.
    pub leaves: Vec<u32>,
    /// Blocks with handlers, and cursors, around it.
    pub handlers: u32,
    pub cursors: u32,
}

/// The state of a body that is being read.
pub(crate) struct Scope {
    owner: Owner,
    pub(super) program: Program,
    blocks: Vec<Names>,
    pub(super) labels: Vec<Label>,
    /// Blocks with handlers around the statement at hand, up to the handler whose body it is in.
    pub(super) handlers: u32,
}

impl Scope {
    pub(super) fn new(owner: Owner) -> Scope {
        let program = Program::default();
        let blocks = vec![Names::default()];
        Scope { owner, program, blocks, labels: Vec::new(), handlers: 0 }
    }

    pub(super) fn finish(self) -> (Owner, Program) {
        (self.owner, self.program)
    }

    pub(super) fn owner(&self) -> Owner {
        self.owner
    }

    /// Whether a variable is of an integer type; columns of a trigger's rows are taken for such.
    pub(crate) fn holds_integers(&self, slot: u32) -> bool {
        use TypeKind::{BigInt, Int, MediumInt, SmallInt, TinyInt};
        match self.program.slots.get(slot as usize).map(|s| &s.kind) {
            Some(SlotKind::Variable(ty)) => {
                matches!(ty.data.kind, TinyInt | SmallInt | MediumInt | Int | BigInt)
            }
            _ => true,
        }
    }

    /// Whether there are rows before and after a change: the body is a trigger's.
    pub(crate) fn has_rows(&self) -> bool {
        matches!(self.owner, Owner::Trigger { .. })
    }

    /// Where the next instruction goes.
    pub(super) fn here(&self) -> u32 {
        self.program.ops.len() as u32
    }

    pub(super) fn emit(&mut self, op: Op) -> u32 {
        self.program.ops.push(op);
        self.here() - 1
    }

    /// The jump at `at` goes to the next instruction; a condition that fails goes on there as well, if it had no place yet.
    pub(super) fn land(&mut self, at: u32) {
        let here = self.here();
        match &mut self.program.ops[at as usize] {
            Op::Jump(to) | Op::JumpUnless { to, .. } => *to = here,
            _ => {}
        }
    }

    pub(super) fn resume(&mut self, at: u32) {
        let here = self.here();
        match &mut self.program.ops[at as usize] {
            Op::JumpUnless { resume, .. } => *resume = here,
            Op::Set { resume, .. } => *resume = Some(here),
            _ => {}
        }
    }

    pub(super) fn enter(&mut self) {
        self.blocks.push(Names::default());
    }

    pub(super) fn leave(&mut self) {
        self.blocks.pop();
    }

    fn top(&mut self) -> &mut Names {
        self.blocks.last_mut().expect("a body has a block of its own around it")
    }

    pub(super) fn declares_here(&mut self, name: &Ident) -> bool {
        self.top().variables.contains_key(&name.folded())
    }

    /// A slot nobody can name.
    pub(super) fn hidden(&mut self) -> u32 {
        self.slot(Ident::new(""), SlotKind::Hidden)
    }

    fn slot(&mut self, name: Ident, kind: SlotKind) -> u32 {
        self.program.slots.push(SlotDef { name, kind, read: false, set: false });
        self.program.slots.len() as u32 - 1
    }

    pub(super) fn declare(&mut self, name: Ident, kind: SlotKind) -> u32 {
        let folded = name.folded();
        let slot = self.slot(name, kind);
        self.top().variables.insert(folded, slot);
        slot
    }

    pub(super) fn declare_condition(&mut self, name: Ident, c: Condition) -> bool {
        self.top().conditions.insert(name.folded(), c).is_none()
    }

    pub(super) fn declare_cursor(&mut self, name: Ident, cursor: u32) -> bool {
        self.top().cursors.insert(name.folded(), cursor).is_none()
    }

    pub(super) fn variable(&self, name: &Ident) -> Option<u32> {
        let name = name.folded();
        self.blocks.iter().rev().find_map(|b| b.variables.get(&name).copied())
    }

    /// Whether the name is that of a variable.
    pub(crate) fn knows(&self, name: &Ident) -> bool {
        self.variable(name).is_some()
    }

    pub(super) fn condition(&self, name: &Ident) -> Option<Condition> {
        let name = name.folded();
        self.blocks.iter().rev().find_map(|b| b.conditions.get(&name).cloned())
    }

    pub(super) fn cursor(&self, name: &Ident) -> Option<u32> {
        let name = name.folded();
        self.blocks.iter().rev().find_map(|b| b.cursors.get(&name).copied())
    }

    /// A column of the row before or after the change. `set`: it is assigned.
    pub(super) fn row_column(
        &mut self,
        row: &Ident,
        column: &Ident,
        set: bool,
    ) -> Result<Option<u32>, ParseError> {
        let Owner::Trigger { before, event } = self.owner else { return Ok(None) };
        let kind = match () {
            () if row.is("NEW") => SlotKind::New,
            () if row.is("OLD") => SlotKind::Old,
            () => return Ok(None),
        };
        if set && kind == SlotKind::Old {
            return Err(refused(1362, "Updating of OLD row is not allowed in trigger"));
        }
        let none = match event {
            TriggerEvent::Insert if kind == SlotKind::Old => Some(("OLD", "INSERT")),
            TriggerEvent::Delete if kind == SlotKind::New => Some(("NEW", "DELETE")),
            _ => None,
        };
        if let Some((row, event)) = none {
            let text = format!("There is no {row} row in on {event} trigger");
            return Err(refused(1363, text));
        }
        if set && !before {
            return Err(refused(1362, "Updating of NEW row is not allowed in after trigger"));
        }
        let same = |s: &SlotDef| s.kind == kind && s.name.is(column.as_str());
        let known = self.program.slots.iter().position(same);
        let at = match known {
            Some(at) => at as u32,
            None => self.slot(column.clone(), kind),
        };
        let slot = &mut self.program.slots[at as usize];
        (slot.read, slot.set) = (slot.read || !set, slot.set || set);
        Ok(Some(at))
    }

    /// What a name in an expression stands for, if it is no column.
    pub(crate) fn resolve(&mut self, c: &ColumnRef) -> Result<Option<Expr>, ParseError> {
        let slot = match &c.table {
            None => self.variable(&c.column),
            Some(t) if c.schema.is_none() => self.row_column(t, &c.column, false)?,
            Some(_) => None,
        };
        Ok(slot.map(Expr::Param))
    }

    /// Handlers of one block, which stand together.
    pub(super) fn add_handlers(&mut self, list: Vec<HandlerDef>) -> u32 {
        let first = self.program.handlers.len() as u32;
        self.program.handlers.extend(list);
        first
    }
}
