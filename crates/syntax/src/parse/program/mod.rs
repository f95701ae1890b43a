//! Stored programs: CREATE and ALTER of procedures, functions, triggers and events; their bodies as instructions.
//!
//! `body` reads statements, `declare` the head of a block, `signal` what looks at conditions; `scope` is what is known while a body
//! is read, `text` what is kept of it. May use the rest of the parser.
//!
//! Invariants: the tokens of the text are made again when a body begins, because semicolons are tokens in it; a name is a variable
//! only where the scope has it, and then it wins over a column of that name, as in MySQL.

mod body;
mod declare;
mod event;
mod scope;
mod signal;
mod text;

pub(super) use scope::Scope;

use super::{PResult, ParseError, Parser};
use crate::ast::{
    AlterRoutine, Characteristics, CreateRoutine, CreateTrigger, DataAccess, Definer, Ident,
    ParamMode, RoutineKind, SlotKind, Statement, TriggerEvent, VarType,
};
use crate::lex::{Kw, Lexer, T};
use scope::Owner;

/// An error with one of the numbers that stored programs have.
pub(super) fn refused(errno: u16, message: impl Into<Box<str>>) -> ParseError {
    ParseError { errno, message: message.into() }
}

/// ER_SP_NO_RECURSIVE_CREATE.
const ER_CREATE_IN_ROUTINE: u16 = 1303;
/// ER_SP_NORETURN.
const ER_NO_RETURN: u16 = 1320;
/// ER_SP_DUP_PARAM.
const ER_DUP_PARAM: u16 = 1330;
/// ER_SP_NO_RETSET, ER_COMMIT_NOT_ALLOWED_IN_SF_OR_TRG, ER_STMT_NOT_ALLOWED_IN_SF_OR_TRG, ER_SP_CANT_SET_AUTOCOMMIT.
const ER_NO_RESULTS: u16 = 1415;
const ER_NO_COMMIT: u16 = 1422;
const ER_NO_DYNAMIC: u16 = 1336;
const ER_NO_AUTOCOMMIT: u16 = 1445;

impl Parser<'_> {
    /// Makes the tokens of the whole text, with its semicolons.
    fn enter_body(&mut self) {
        self.tokens.clear();
        self.params.clear();
        let mut lexer = Lexer::of_body(self.sql, self.opts.sql_mode);
        loop {
            let token = lexer.next_token();
            self.tokens.push(token);
            if matches!(token.kind, T::End | T::Bad) {
                break;
            }
        }
        self.opts.allow_params = false;
        self.close_tokens();
        self.consumed = lexer.position();
    }

    /// At PROCEDURE or FUNCTION, after CREATE and DEFINER.
    #[inline(never)]
    pub(super) fn create_routine(&mut self, definer: Option<Definer>) -> PResult<Statement> {
        let function = self.at(Kw::FUNCTION);
        let kind = if function { RoutineKind::Function } else { RoutineKind::Procedure };
        self.refuse_in_body(kind.name())?;
        self.enter_body();
        self.advance();
        let if_not_exists = self.if_not_exists();
        let name = self.table_name()?;
        if function && self.eat(Kw::RETURNS) {
            return Ok(self.unsupported("loadable functions"));
        }
        let owner = if function { Owner::Function } else { Owner::Procedure };
        self.scope = Some(Box::new(Scope::new(owner)));
        let open = self.token();
        self.expect_t(T::LParen)?;
        let params = self.routine_params(function)?;
        let close = self.token();
        self.expect_t(T::RParen)?;
        let inside = &self.sql[open.end as usize..close.start as usize];
        let params_text = String::from_utf8_lossy(inside).into();
        let returns = match function {
            true => {
                self.expect(Kw::RETURNS)?;
                Some(self.var_type()?)
            }
            false => None,
        };
        let characteristics = self.characteristics(true)?;
        let first = self.pos;
        self.routine_body()?;
        let body_text = self.program_text(first);
        let body = self.finish_body(&name.name)?;
        Ok(Statement::CreateRoutine(Box::new(CreateRoutine {
            kind,
            definer,
            if_not_exists,
            name,
            params,
            params_text,
            returns,
            characteristics,
            body,
            body_text,
        })))
    }

    fn routine_params(&mut self, function: bool) -> PResult<Vec<ParamMode>> {
        let mut modes = Vec::new();
        if self.kind() == T::RParen {
            return Ok(modes);
        }
        loop {
            let mode = match function {
                true => None,
                false => self.eat_any(&[Kw::IN, Kw::OUT, Kw::INOUT]),
            };
            modes.push(match mode {
                Some(Kw::OUT) => ParamMode::Out,
                Some(Kw::INOUT) => ParamMode::InOut,
                _ => ParamMode::In,
            });
            let name = self.ident()?;
            let ty = self.var_type()?;
            if self.scope_mut().declares_here(&name) {
                return Err(refused(ER_DUP_PARAM, format!("Duplicate parameter: {name}")));
            }
            self.scope_mut().declare(name, SlotKind::Variable(Box::new(ty)));
            if !self.eat_t(T::Comma) {
                return Ok(modes);
            }
        }
    }

    /// A type with its collation.
    fn var_type(&mut self) -> PResult<VarType> {
        let data = self.data_type()?;
        let collate = match self.eat(Kw::COLLATE) {
            true if data.charset.is_none() && !self.lenient() => {
                let what = "COLLATE with no CHARACTER SET in SP parameters, RETURNS, DECLARE";
                return Err(ParseError::not_yet(what));
            }
            true => Some(self.charset_name()?),
            false => None,
        };
        Ok(VarType { data, collate })
    }

    /// `create`: whether the routine is deterministic is said when it is made, and cannot be altered.
    fn characteristics(&mut self, create: bool) -> PResult<Characteristics> {
        let mut c = Characteristics::default();
        loop {
            if self.eat(Kw::COMMENT) {
                c.comment = Some(self.text()?);
            } else if self.eat(Kw::LANGUAGE) {
                self.expect(Kw::SQL)?;
            } else if create && self.eat(Kw::DETERMINISTIC) {
                c.deterministic = Some(true);
            } else if create && self.eat_all(&[Kw::NOT, Kw::DETERMINISTIC]) {
                c.deterministic = Some(false);
            } else if self.eat_all(&[Kw::CONTAINS, Kw::SQL]) {
                c.access = Some(DataAccess::ContainsSql);
            } else if self.eat_all(&[Kw::NO, Kw::SQL]) {
                c.access = Some(DataAccess::NoSql);
            } else if self.eat_all(&[Kw::READS, Kw::SQL, Kw::DATA]) {
                c.access = Some(DataAccess::ReadsSql);
            } else if self.eat_all(&[Kw::MODIFIES, Kw::SQL, Kw::DATA]) {
                c.access = Some(DataAccess::ModifiesSql);
            } else if self.eat_all(&[Kw::SQL, Kw::SECURITY]) {
                c.invoker = Some(match self.eat_any(&[Kw::INVOKER, Kw::DEFINER]) {
                    Some(kw) => kw == Kw::INVOKER,
                    None => return Err(self.error()),
                });
            } else {
                return Ok(c);
            }
        }
    }

    /// At PROCEDURE or FUNCTION, after ALTER.
    pub(super) fn alter_routine(&mut self) -> PResult<Statement> {
        let kind = match self.at(Kw::FUNCTION) {
            true => RoutineKind::Function,
            false => RoutineKind::Procedure,
        };
        self.advance();
        let name = self.table_name()?;
        let characteristics = self.characteristics(false)?;
        Ok(Statement::AlterRoutine(Box::new(AlterRoutine { kind, name, characteristics })))
    }

    /// At TRIGGER, after CREATE and DEFINER.
    #[inline(never)]
    pub(super) fn create_trigger(&mut self, definer: Option<Definer>) -> PResult<Statement> {
        self.refuse_in_body("TRIGGER")?;
        self.enter_body();
        self.advance();
        let if_not_exists = self.if_not_exists();
        let name = self.table_name()?;
        let before = match self.eat_any(&[Kw::BEFORE, Kw::AFTER]) {
            Some(kw) => kw == Kw::BEFORE,
            None => return Err(self.error()),
        };
        let event = match self.eat_any(&[Kw::INSERT, Kw::UPDATE, Kw::DELETE]) {
            Some(Kw::INSERT) => TriggerEvent::Insert,
            Some(Kw::UPDATE) => TriggerEvent::Update,
            Some(_) => TriggerEvent::Delete,
            None => return Err(self.error()),
        };
        self.expect(Kw::ON)?;
        let table = self.table_name()?;
        self.expect_all(&[Kw::FOR, Kw::EACH, Kw::ROW])?;
        let order = match self.eat_any(&[Kw::FOLLOWS, Kw::PRECEDES]) {
            Some(kw) => Some((kw == Kw::FOLLOWS, self.ident_or_string()?)),
            None => None,
        };
        self.scope = Some(Box::new(Scope::new(Owner::Trigger { before, event })));
        let first = self.pos;
        self.routine_body()?;
        let body_text = self.program_text(first);
        let body = self.finish_body(&name.name)?;
        Ok(Statement::CreateTrigger(Box::new(CreateTrigger {
            definer,
            if_not_exists,
            name,
            before,
            event,
            table,
            order,
            body,
            body_text,
        })))
    }

    fn refuse_in_body(&self, what: &str) -> PResult<()> {
        if self.scope.is_none() {
            return Ok(());
        }
        let text = format!("Can't create a {what} from within another stored routine");
        Err(refused(ER_CREATE_IN_ROUTINE, text))
    }

    /// The one statement that is the body.
    fn routine_body(&mut self) -> PResult<()> {
        self.body_statement()
    }

    /// The body, unless it does what its kind of program cannot do.
    fn finish_body(&mut self, name: &Ident) -> PResult<crate::ast::Program> {
        let Some(scope) = self.scope.take() else { return Err(self.error()) };
        let (owner, program) = scope.finish();
        let uses = program.uses;
        if owner == Owner::Function && !uses.returns {
            return Err(refused(ER_NO_RETURN, format!("No RETURN found in FUNCTION {name}")));
        }
        if owner == Owner::Procedure {
            return Ok(program);
        }
        if uses.results {
            let what = if owner == Owner::Function { "function" } else { "trigger" };
            let text = format!("Not allowed to return a result set from a {what}");
            return Err(refused(ER_NO_RESULTS, text));
        }
        if uses.commits {
            let text = "Explicit or implicit commit is not allowed in stored function or trigger.";
            return Err(refused(ER_NO_COMMIT, text));
        }
        if uses.autocommit {
            let text = "Not allowed to set autocommit from a stored function or trigger";
            return Err(refused(ER_NO_AUTOCOMMIT, text));
        }
        if let Some(what) = uses.flushes {
            let text = format!("{what} is not allowed in stored function or trigger");
            return Err(refused(ER_NO_DYNAMIC, text));
        }
        if uses.prepares {
            let text = "Dynamic SQL is not allowed in stored function or trigger";
            return Err(refused(ER_NO_DYNAMIC, text));
        }
        Ok(program)
    }

    /// The scope of the body that is being read.
    fn scope_mut(&mut self) -> &mut Scope {
        self.scope.as_mut().expect("rules of bodies run while a body is read")
    }
}
