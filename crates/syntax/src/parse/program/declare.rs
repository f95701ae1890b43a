//! The head of a block: variables and conditions, then cursors, then handlers.

use super::refused;
use super::scope::Label;
use crate::ast::{Condition, CursorDef, HandlerDef, Ident, Op, SlotKind};
use crate::lex::{Kw, T};
use crate::parse::{PResult, Parser};
use std::collections::HashSet;

/// How far the head has come.
#[derive(PartialEq, PartialOrd)]
enum Stage {
    Variables,
    Cursors,
    Handlers,
}

/// The handlers of a head, and their last instructions.
#[derive(Default)]
struct Handlers {
    list: Vec<HandlerDef>,
    ends: Vec<u32>,
    /// What they take.
    taken: HashSet<Condition>,
}

impl Parser<'_> {
    /// All DECLARE of a block. Gives the numbers of its handlers, if it has some.
    pub(super) fn declarations(&mut self) -> PResult<Option<(u32, u32)>> {
        let mut stage = Stage::Variables;
        let cursors = self.scope_mut().program.cursors.len() as u32;
        let mut handlers = Handlers::default();
        while self.eat(Kw::DECLARE) {
            match (self.kw(), self.ahead(1).kw) {
                (Kw::CONTINUE | Kw::EXIT | Kw::UNDO, Kw::HANDLER) => {
                    stage = Stage::Handlers;
                    self.declare_handler(&mut handlers, cursors)?;
                }
                (_, Kw::CURSOR) => {
                    if stage > Stage::Cursors {
                        let text = "Cursor declaration after handler declaration";
                        return Err(refused(1338, text));
                    }
                    stage = Stage::Cursors;
                    self.declare_cursor()?;
                }
                (_, second) => {
                    if stage > Stage::Variables {
                        let text =
                            "Variable or condition declaration after cursor or handler declaration";
                        return Err(refused(1337, text));
                    }
                    match second {
                        Kw::CONDITION => self.declare_condition()?,
                        _ => self.declare_variables()?,
                    }
                }
            }
            self.expect_t(T::Semicolon)?;
        }
        if handlers.list.is_empty() {
            return Ok(None);
        }
        let count = handlers.list.len() as u32;
        let scope = self.scope_mut();
        let first = scope.add_handlers(handlers.list);
        for (i, at) in handlers.ends.into_iter().enumerate() {
            scope.program.ops[at as usize] = Op::EndHandler(first + i as u32);
        }
        scope.emit(Op::EnterHandlers { first, count });
        scope.handlers += 1;
        Ok(Some((first, count)))
    }

    fn declare_variables(&mut self) -> PResult<()> {
        let names = self.ident_list()?;
        let ty = self.var_type()?;
        let value = if self.eat(Kw::DEFAULT) { Some(self.expr()?) } else { None };
        for name in names {
            if self.scope_mut().declares_here(&name) {
                return Err(refused(1331, format!("Duplicate variable: {name}")));
            }
            let slot = self.scope_mut().declare(name, SlotKind::Variable(Box::new(ty.clone())));
            self.scope_mut().emit(Op::Set { slot, value: value.clone(), resume: None });
        }
        Ok(())
    }

    fn declare_condition(&mut self) -> PResult<()> {
        let name = self.ident()?;
        self.advance();
        self.expect(Kw::FOR)?;
        let condition = match self.kind() {
            T::Int => Condition::Errno(self.errno()?),
            _ => Condition::State(self.sqlstate()?),
        };
        if !self.scope_mut().declare_condition(name.clone(), condition) {
            return Err(refused(1332, format!("Duplicate condition: {name}")));
        }
        Ok(())
    }

    fn errno(&mut self) -> PResult<u16> {
        let text = String::from_utf8_lossy(self.raw(self.token())).into_owned();
        match u16::try_from(self.number()?) {
            Ok(n) if n > 0 => Ok(n),
            _ => Err(refused(1525, format!("Incorrect CONDITION value: '{text}'"))),
        }
    }

    /// `SQLSTATE [VALUE] 'xxxxx'`, of a class that is not success.
    pub(super) fn sqlstate(&mut self) -> PResult<[u8; 5]> {
        self.expect(Kw::SQLSTATE)?;
        self.eat(Kw::VALUE);
        let text = self.text()?;
        let fits = |b: &u8| b.is_ascii_digit() || b.is_ascii_uppercase();
        match <[u8; 5]>::try_from(text.as_bytes()) {
            Ok(state) if state.iter().all(fits) && !state.starts_with(b"00") => Ok(state),
            _ => Err(refused(1407, format!("Bad SQLSTATE: '{text}'"))),
        }
    }

    fn declare_cursor(&mut self) -> PResult<()> {
        let name = self.ident()?;
        self.expect_all(&[Kw::CURSOR, Kw::FOR])?;
        let query = self.outer_query(true)?;
        if query.into.is_some() {
            return Err(refused(1323, "Cursor SELECT must not have INTO"));
        }
        let scope = self.scope_mut();
        let cursor = scope.program.cursors.len() as u32;
        scope.program.cursors.push(CursorDef { name: name.clone(), query });
        if !scope.declare_cursor(name.clone(), cursor) {
            return Err(refused(1333, format!("Duplicate cursor: {name}")));
        }
        Ok(())
    }

    /// The body of a handler stands where it is declared, and is jumped over.
    fn declare_handler(&mut self, known: &mut Handlers, cursors: u32) -> PResult<()> {
        let exit = match self.kw() {
            Kw::EXIT => true,
            Kw::CONTINUE => false,
            _ => return Err(self.error()),
        };
        self.advance();
        self.advance();
        self.expect(Kw::FOR)?;
        let conditions = self.comma_list(Parser::handler_condition)?;
        if !conditions.iter().all(|c| known.taken.insert(c.clone())) {
            return Err(refused(1413, "Duplicate handler declared in the same block"));
        }
        let over = self.scope_mut().emit(Op::Jump(0));
        let entry = self.scope_mut().here();
        let wall = Label {
            name: None,
            is_loop: false,
            start: 0,
            leaves: Vec::new(),
            handlers: 0,
            cursors: 0,
        };
        self.scope_mut().labels.push(wall);
        let around = std::mem::take(&mut self.scope_mut().handlers);
        self.body_statement()?;
        let scope = self.scope_mut();
        scope.handlers = around;
        scope.labels.pop();
        known.ends.push(scope.emit(Op::EndHandler(0)));
        scope.land(over);
        known.list.push(HandlerDef { exit, conditions, entry, leaves_to: 0, cursors });
        Ok(())
    }

    fn handler_condition(&mut self) -> PResult<Condition> {
        if self.eat(Kw::SQLWARNING) {
            return Ok(Condition::Warning);
        }
        if self.eat(Kw::SQLEXCEPTION) {
            return Ok(Condition::Exception);
        }
        if self.eat_all(&[Kw::NOT, Kw::FOUND]) {
            return Ok(Condition::NotFound);
        }
        match self.kind() {
            T::Int => Ok(Condition::Errno(self.errno()?)),
            _ if self.at(Kw::SQLSTATE) => Ok(Condition::State(self.sqlstate()?)),
            _ => {
                let name = self.ident()?;
                self.named_condition(&name)
            }
        }
    }

    pub(super) fn named_condition(&mut self, name: &Ident) -> PResult<Condition> {
        let known = self.scope.as_ref().and_then(|s| s.condition(name));
        known.ok_or_else(|| refused(1319, format!("Undefined CONDITION: {name}")))
    }
}
