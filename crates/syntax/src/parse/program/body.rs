//! Statements of a body.

use super::refused;
use super::scope::{Label, Owner};
use super::signal::undeclared;
use crate::ast::{
    BinaryOp, Expr, Ident, InProgram, Op, RoutineKind, SetItem, Statement, names_variable,
};
use crate::lex::{Kw, T};
use crate::parse::{PResult, Parser};

/// Words that end a list of statements.
const ENDS: [Kw; 5] = [Kw::END, Kw::ELSE, Kw::ELSEIF, Kw::UNTIL, Kw::WHEN];

impl Parser<'_> {
    /// One statement, without the semicolon behind it.
    pub(super) fn body_statement(&mut self) -> PResult<()> {
        self.nested(Parser::body_statement_here)
    }

    #[inline(never)]
    fn body_statement_here(&mut self) -> PResult<()> {
        if self.at_ident() && self.ahead(1).kind == T::Colon {
            let label = self.ident()?;
            self.advance();
            return self.labelled(Some(label));
        }
        match self.kw() {
            Kw::BEGIN | Kw::LOOP | Kw::WHILE => self.labelled(None),
            Kw::REPEAT if self.ahead(1).kind != T::LParen => self.labelled(None),
            Kw::REPEAT => self.labelled(None),
            Kw::IF => self.if_statement(),
            Kw::CASE => self.case_statement(),
            Kw::LEAVE | Kw::ITERATE => self.jump_to_label(),
            Kw::RETURN => self.return_statement(),
            Kw::OPEN | Kw::CLOSE => {
                let open = self.at(Kw::OPEN);
                self.advance();
                let cursor = self.cursor_name()?;
                self.scope_mut().emit(if open { Op::Open(cursor) } else { Op::Close(cursor) });
                Ok(())
            }
            Kw::FETCH => self.fetch_statement(),
            Kw::SET if self.sets_variables() => self.set_in_body(),
            _ => self.plain_statement(),
        }
    }

    /// Statements up to a word that ends them.
    fn statements(&mut self) -> PResult<()> {
        while !(self.token().kind == T::Word && ENDS.contains(&self.kw())) {
            self.body_statement()?;
            self.expect_t(T::Semicolon)?;
        }
        Ok(())
    }

    fn at_least_one(&mut self) -> PResult<()> {
        self.body_statement()?;
        self.expect_t(T::Semicolon)?;
        self.statements()
    }

    /// BEGIN, LOOP, WHILE or REPEAT, with the label in front, if any.
    fn labelled(&mut self, label: Option<Ident>) -> PResult<()> {
        let kw = self.kw();
        if let Some(name) = &label {
            let known = self.scope_mut().labels.iter().rev().take_while(|l| l.name.is_some());
            if known.flat_map(|l| &l.name).any(|n| n.is(name.as_str())) {
                return Err(refused(1309, format!("Redefining label {name}")));
            }
        }
        let scope = self.scope_mut();
        let start = scope.here();
        let mark = Label {
            // A name that nobody can write.
            name: Some(label.clone().unwrap_or_else(|| Ident::new(""))),
            is_loop: kw != Kw::BEGIN,
            start,
            leaves: Vec::new(),
            handlers: scope.handlers,
            cursors: scope.program.cursors.len() as u32,
        };
        scope.labels.push(mark);
        self.advance();
        match kw {
            Kw::BEGIN => self.block()?,
            Kw::LOOP => {
                self.at_least_one()?;
                self.scope_mut().emit(Op::Jump(start));
                self.expect_all(&[Kw::END, Kw::LOOP])?;
            }
            Kw::WHILE => {
                let condition = self.expr()?;
                self.expect(Kw::DO)?;
                let test = self.scope_mut().emit(unless(condition));
                self.at_least_one()?;
                self.expect_all(&[Kw::END, Kw::WHILE])?;
                self.scope_mut().emit(Op::Jump(start));
                self.scope_mut().land(test);
                self.scope_mut().resume(test);
            }
            Kw::REPEAT => {
                self.at_least_one()?;
                self.expect(Kw::UNTIL)?;
                let condition = self.expr()?;
                let resume = self.scope_mut().here() + 1;
                self.scope_mut().emit(Op::JumpUnless { condition, to: start, resume });
                self.expect_all(&[Kw::END, Kw::REPEAT])?;
            }
            _ => return Err(self.error()),
        }
        self.end_label(label.as_ref())?;
        let scope = self.scope_mut();
        let ended = scope.labels.pop().map(|l| l.leaves).unwrap_or_default();
        ended.into_iter().for_each(|at| scope.land(at));
        Ok(())
    }

    /// The label behind END, which must be the one in front.
    fn end_label(&mut self, label: Option<&Ident>) -> PResult<()> {
        // A block without a label in front has none behind.
        if !self.at_ident() || label.is_none() && !self.lenient() {
            return Ok(());
        }
        let name = self.ident()?;
        match label {
            Some(l) if l.is(name.as_str()) => Ok(()),
            _ => Err(refused(1310, format!("End-label {name} without match"))),
        }
    }

    /// After BEGIN.
    fn block(&mut self) -> PResult<()> {
        self.scope_mut().enter();
        let cursors = self.scope_mut().program.cursors.len() as u32;
        let handlers = self.declarations()?;
        self.statements()?;
        self.expect(Kw::END)?;
        let scope = self.scope_mut();
        scope.leave();
        if handlers.is_some() {
            scope.emit(Op::LeaveHandlers(1));
            scope.handlers -= 1;
        }
        if scope.program.cursors.len() as u32 > cursors {
            scope.emit(Op::CloseCursors(cursors));
        }
        if let Some((first, count)) = handlers {
            let end = scope.here();
            for h in &mut scope.program.handlers[first as usize..(first + count) as usize] {
                h.leaves_to = end;
            }
        }
        Ok(())
    }

    fn if_statement(&mut self) -> PResult<()> {
        let (mut tests, mut ends) = (Vec::new(), Vec::new());
        self.advance();
        loop {
            let condition = self.expr()?;
            self.expect(Kw::THEN)?;
            let test = self.scope_mut().emit(unless(condition));
            tests.push(test);
            self.at_least_one()?;
            let more = matches!(self.kw(), Kw::ELSEIF | Kw::ELSE);
            if more {
                ends.push(self.scope_mut().emit(Op::Jump(0)));
            }
            self.scope_mut().land(test);
            if self.eat(Kw::ELSEIF) {
                continue;
            }
            if self.eat(Kw::ELSE) {
                self.at_least_one()?;
            }
            break;
        }
        self.expect_all(&[Kw::END, Kw::IF])?;
        ends.into_iter().for_each(|at| self.scope_mut().land(at));
        tests.into_iter().for_each(|at| self.scope_mut().resume(at));
        Ok(())
    }

    fn case_statement(&mut self) -> PResult<()> {
        self.advance();
        let operand = match self.at(Kw::WHEN) {
            true => None,
            false => {
                let value = self.expr()?;
                let slot = self.scope_mut().hidden();
                let value = Some(value);
                let set = self.scope_mut().emit(Op::Set { slot, value, resume: None });
                Some((slot, set))
            }
        };
        let (mut tests, mut ends) = (Vec::new(), Vec::new());
        while self.eat(Kw::WHEN) {
            let value = self.expr()?;
            let condition = match operand {
                None => value,
                Some((slot, _)) => Expr::Binary {
                    op: BinaryOp::Eq,
                    left: Box::new(Expr::Param(slot)),
                    right: Box::new(value),
                },
            };
            self.expect(Kw::THEN)?;
            let test = self.scope_mut().emit(unless(condition));
            tests.push(test);
            self.at_least_one()?;
            ends.push(self.scope_mut().emit(Op::Jump(0)));
            self.scope_mut().land(test);
        }
        if tests.is_empty() {
            return Err(self.error());
        }
        match self.eat(Kw::ELSE) {
            true => self.at_least_one()?,
            false => {
                self.scope_mut().emit(Op::CaseNotFound);
            }
        }
        self.expect_all(&[Kw::END, Kw::CASE])?;
        ends.into_iter().for_each(|at| self.scope_mut().land(at));
        tests.into_iter().for_each(|at| self.scope_mut().resume(at));
        operand.into_iter().for_each(|(_, at)| self.scope_mut().resume(at));
        Ok(())
    }

    /// LEAVE and ITERATE undo what the blocks between have set up.
    fn jump_to_label(&mut self) -> PResult<()> {
        let leave = self.at(Kw::LEAVE);
        self.advance();
        let name = self.ident()?;
        let scope = self.scope_mut();
        let seen = scope.labels.iter().rposition(|l| l.name.is_none()).map_or(0, |wall| wall + 1);
        let fits = |l: &Label| {
            (leave || l.is_loop) && l.name.as_ref().is_some_and(|n| n.is(name.as_str()))
        };
        let found = scope.labels[seen..].iter().rposition(fits);
        let Some(at) = found.map(|i| seen + i) else {
            let verb = if leave { "LEAVE" } else { "ITERATE" };
            return Err(refused(1308, format!("{verb} with no matching label: {name}")));
        };
        let (start, handlers, cursors) = {
            let l = &scope.labels[at];
            (l.start, l.handlers, l.cursors)
        };
        if scope.handlers > handlers {
            scope.emit(Op::LeaveHandlers(scope.handlers - handlers));
        }
        if scope.program.cursors.len() as u32 > cursors {
            scope.emit(Op::CloseCursors(cursors));
        }
        let jump = scope.emit(Op::Jump(start));
        if leave {
            scope.labels[at].leaves.push(jump);
        }
        Ok(())
    }

    fn return_statement(&mut self) -> PResult<()> {
        if self.scope_mut().owner() != Owner::Function {
            return Err(refused(1313, "RETURN is only allowed in a FUNCTION"));
        }
        self.advance();
        let value = self.expr()?;
        self.scope_mut().program.uses.returns = true;
        self.scope_mut().emit(Op::Return(value));
        Ok(())
    }

    fn cursor_name(&mut self) -> PResult<u32> {
        let name = self.ident()?;
        let known = self.scope_mut().cursor(&name);
        known.ok_or_else(|| refused(1324, format!("Undefined CURSOR: {name}")))
    }

    fn fetch_statement(&mut self) -> PResult<()> {
        self.advance();
        if self.eat(Kw::NEXT) {
            self.expect(Kw::FROM)?;
        } else {
            self.eat(Kw::FROM);
        }
        let cursor = self.cursor_name()?;
        self.expect(Kw::INTO)?;
        let into = self.comma_list(|p| {
            let name = p.ident()?;
            p.scope_mut().variable(&name).ok_or_else(|| undeclared(&name))
        })?;
        self.scope_mut().emit(Op::Fetch { cursor, into });
        Ok(())
    }

    /// At SET: is it one that assigns variables?
    fn sets_variables(&self) -> bool {
        let (first, second) = (self.ahead(1), self.ahead(2));
        !(matches!(first.kw, Kw::TRANSACTION | Kw::ROLE | Kw::PASSWORD | Kw::RESOURCE)
            && !matches!(second.kind, T::Eq | T::Assign)
            || first.kw == Kw::DEFAULT
            || second.kw == Kw::TRANSACTION)
    }

    /// Each assignment is an instruction.
    fn set_in_body(&mut self) -> PResult<()> {
        self.advance();
        loop {
            match self.assigned_slot()? {
                Some(slot) => {
                    if self.eat(Kw::DEFAULT) {
                        return Err(self.error());
                    }
                    let value = Some(self.expr()?);
                    self.scope_mut().emit(Op::Set { slot, value, resume: None });
                }
                None => {
                    let item = self.set_item()?;
                    self.note_autocommit(&item);
                    let run = Statement::Set(vec![item]);
                    self.scope_mut().emit(Op::Run(Box::new(run)));
                }
            }
            if !self.eat_t(T::Comma) {
                return Ok(());
            }
        }
    }

    /// Turning autocommit on ends the transaction.
    fn note_autocommit(&mut self, item: &SetItem) {
        if let SetItem::System { var, .. } = item
            && var.name.is("autocommit")
        {
            self.scope_mut().program.uses.autocommit = true;
        }
    }

    /// The slot that is assigned here, with the sign behind it taken.
    fn assigned_slot(&mut self) -> PResult<Option<u32>> {
        if !self.at_ident() {
            return Ok(None);
        }
        let name = self.name_of(self.token())?;
        let slot = if self.ahead(1).kind == T::Dot {
            let third = self.ahead(2);
            if !matches!(third.kind, T::Word | T::Quoted) {
                return Ok(None);
            }
            let column = self.name_of(third)?;
            let slot = self.scope_mut().row_column(&name, &column, true)?;
            if slot.is_some() {
                self.pos += 3;
            }
            slot
        } else if matches!(self.ahead(1).kind, T::Eq | T::Assign) {
            let slot = self.scope_mut().variable(&name);
            if slot.is_some() {
                self.advance();
            }
            slot
        } else {
            None
        };
        if slot.is_some() {
            self.assign_sign()?;
        }
        Ok(slot)
    }

    /// Any other statement is run as it is.
    fn plain_statement(&mut self) -> PResult<()> {
        let first = self.pos;
        let stmt = self.statement()?;
        let in_program = stmt.in_program();
        if let InProgram::Refused(what) = in_program {
            return Err(refused(1314, format!("{what} is not allowed in stored procedures")));
        }
        refuse_definition(&stmt)?;
        let uses = &mut self.scope_mut().program.uses;
        match in_program {
            InProgram::Allowed | InProgram::Refused(_) | InProgram::Program => {}
            InProgram::SendsRows => uses.results = true,
            InProgram::Commits => uses.commits = true,
            InProgram::SetsAutocommit => uses.autocommit = true,
            InProgram::Dynamic => uses.prepares = true,
            InProgram::Flushes(what) => uses.flushes = Some(what),
        }
        let text = stmt.defines().then(|| self.program_text(first));
        let scope = self.scope_mut();
        let at = scope.emit(Op::Run(Box::new(stmt)));
        scope.program.definitions.extend(text.map(|text| (at, text)));
        Ok(())
    }
}

/// A test whose targets are not known yet.
fn unless(condition: Expr) -> Op {
    Op::JumpUnless { condition, to: 0, resume: 0 }
}

/// What a body may not define or drop, whatever it does when it runs: 1351, 1357.
fn refuse_definition(stmt: &Statement) -> PResult<()> {
    let kind = match stmt {
        Statement::CreateView(v) if names_variable(&v.query) => {
            return Err(refused(1351, "View's SELECT contains a variable or parameter"));
        }
        Statement::DropRoutine { kind, .. } => *kind,
        Statement::AlterRoutine(a) => a.kind,
        _ => return Ok(()),
    };
    let kind = match kind {
        RoutineKind::Procedure => "PROCEDURE",
        RoutineKind::Function => "FUNCTION",
        RoutineKind::Trigger | RoutineKind::Event => return Ok(()),
    };
    Err(refused(1357, format!("Can't drop or alter a {kind} from within another stored routine")))
}
