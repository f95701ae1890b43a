//! CREATE EVENT and ALTER EVENT. The body is that of a procedure.

use super::refused;
use super::scope::{Owner, Scope};
use crate::ast::{DefineEvent, Definer, EventSchedule, EventStatus, Statement};
use crate::lex::Kw;
use crate::parse::{PResult, Parser};

/// ER_EVENT_RECURSION_FORBIDDEN.
const ER_EVENT_IN_BODY: u16 = 1576;

impl Parser<'_> {
    /// At EVENT, after CREATE or ALTER and DEFINER.
    #[inline(never)]
    pub(in crate::parse) fn event(
        &mut self,
        alter: bool,
        definer: Option<Definer>,
    ) -> PResult<Statement> {
        let inside = self.scope.is_some();
        if !inside && self.tokens.iter().any(|t| t.kw == Kw::DO) {
            self.enter_body();
        }
        self.advance();
        let if_not_exists = !alter && self.if_not_exists();
        let mut e = Box::new(DefineEvent {
            alter,
            definer,
            if_not_exists,
            name: self.table_name()?,
            schedule: None,
            preserve: None,
            rename: None,
            status: None,
            comment: None,
            body: None,
        });
        if self.eat_all(&[Kw::ON, Kw::SCHEDULE]) {
            e.schedule = Some(self.event_schedule()?);
        } else if !alter {
            return Err(self.error());
        }
        if self.eat_all(&[Kw::ON, Kw::COMPLETION]) {
            e.preserve = Some(!self.eat(Kw::NOT));
            self.expect(Kw::PRESERVE)?;
        }
        if alter && self.eat_all(&[Kw::RENAME, Kw::TO]) {
            e.rename = Some(self.table_name()?);
        }
        e.status = self.event_status()?;
        if self.eat(Kw::COMMENT) {
            e.comment = Some(self.text()?);
        }
        if self.eat(Kw::DO) {
            if inside {
                let text = "Recursion of EVENT DDL statements is forbidden when body is present";
                return Err(refused(ER_EVENT_IN_BODY, text));
            }
            self.scope = Some(Box::new(Scope::new(Owner::Procedure)));
            let first = self.pos;
            self.routine_body()?;
            let text = self.program_text(first);
            e.body = Some((self.finish_body(&e.name.name)?, text));
        } else if !alter {
            return Err(self.error());
        }
        let said = (&e.schedule, e.preserve, &e.rename, e.status, &e.comment, &e.body);
        if matches!(said, (None, None, None, None, None, None)) {
            return Err(self.error());
        }
        Ok(Statement::DefineEvent(e))
    }

    fn event_schedule(&mut self) -> PResult<EventSchedule> {
        if self.eat(Kw::AT) {
            return Ok(EventSchedule::At(self.expr()?));
        }
        self.expect(Kw::EVERY)?;
        let amount = self.expr()?;
        let unit = self.time_unit()?;
        let starts = if self.eat(Kw::STARTS) { Some(self.expr()?) } else { None };
        let ends = if self.eat(Kw::ENDS) { Some(self.expr()?) } else { None };
        Ok(EventSchedule::Every { amount, unit, starts, ends })
    }

    fn event_status(&mut self) -> PResult<Option<EventStatus>> {
        if self.eat(Kw::ENABLE) {
            return Ok(Some(EventStatus::Enabled));
        }
        if !self.eat(Kw::DISABLE) {
            return Ok(None);
        }
        if !self.eat(Kw::ON) {
            return Ok(Some(EventStatus::Disabled));
        }
        match self.eat_any(&[Kw::SLAVE, Kw::REPLICA]) {
            Some(_) => Ok(Some(EventStatus::ReplicaSideDisabled)),
            None => Err(self.error()),
        }
    }
}
