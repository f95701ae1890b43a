//! CREATE and DROP SPATIAL REFERENCE SYSTEM.

use super::{PResult, Parser};
use crate::ast::{CreateReferenceSystem, ReferenceSystemAttribute, Statement};
use crate::lex::Kw;

impl Parser<'_> {
    /// Behind CREATE, at OR: what may be replaced is a reference system, or a view.
    pub(crate) fn create_or_replace(&mut self, first: usize) -> PResult<Statement> {
        let at = self.pos;
        if self.eat_all(&[Kw::OR, Kw::REPLACE]) && self.kw() == Kw::SPATIAL {
            return self.create_reference_system(true);
        }
        self.pos = at;
        self.create_defined(first)
    }

    /// Behind CREATE, at SPATIAL.
    pub(crate) fn create_reference_system(&mut self, or_replace: bool) -> PResult<Statement> {
        self.expect(Kw::SPATIAL)?;
        self.expect(Kw::REFERENCE)?;
        self.expect(Kw::SYSTEM)?;
        let if_not_exists = !or_replace && self.if_not_exists();
        let srid = self.number()?;
        let mut attributes = Vec::new();
        loop {
            use ReferenceSystemAttribute as A;
            attributes.push(match () {
                () if self.eat_word(&["NAME"]) => A::Name(self.text()?),
                () if self.eat_word(&["DEFINITION"]) => A::Definition(self.text()?),
                () if self.eat_word(&["DESCRIPTION"]) => A::Description(self.text()?),
                () if self.eat_word(&["ORGANIZATION"]) => {
                    let name = self.text()?;
                    self.expect(Kw::IDENTIFIED)?;
                    self.expect(Kw::BY)?;
                    A::Organization(name, self.number()?)
                }
                () => break,
            });
        }
        let system = CreateReferenceSystem { or_replace, if_not_exists, srid, attributes };
        Ok(Statement::CreateReferenceSystem(Box::new(system)))
    }

    /// Behind DROP SPATIAL.
    pub(crate) fn drop_reference_system(&mut self) -> PResult<Statement> {
        self.expect(Kw::REFERENCE)?;
        self.expect(Kw::SYSTEM)?;
        let if_exists = self.if_exists();
        Ok(Statement::DropReferenceSystem { if_exists, srid: self.number()? })
    }
}
