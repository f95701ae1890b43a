//! Names of schemas and of what is in them.

use super::{PResult, ParseError, Parser};
use crate::ast::{Ident, TableName};
use crate::lex::T;

/// Characters of an object's name.
const MAX_NAME: usize = 64;

impl Parser<'_> {
    /// The name of a schema, table, view, routine, trigger or event; 1059 where no object can have it.
    pub(crate) fn object_name(&mut self) -> PResult<Ident> {
        let name = self.ident()?;
        match name.as_str().chars().nth(MAX_NAME) {
            Some(_) => Err(too_long(name.as_str())),
            None => Ok(name),
        }
    }

    /// `[schema.]name`.
    pub(crate) fn table_name(&mut self) -> PResult<TableName> {
        // Until MySQL 8.0, `.t` meant a table of the default schema.
        if self.lenient() && self.eat_t(T::Dot) {
            return Ok(TableName { schema: None, name: self.object_name()? });
        }
        // With a parenthesis right behind it, it is a call that nothing expects here.
        if self.at_built_in_call() {
            return Err(self.error());
        }
        let first = self.object_name()?;
        if self.eat_t(T::Dot) {
            return Ok(TableName { schema: Some(first), name: self.object_name()? });
        }
        Ok(TableName { schema: None, name: first })
    }
}

fn too_long(name: &str) -> ParseError {
    let message = format!("Identifier name '{name}' is too long");
    ParseError { errno: 1059, message: message.into() }
}
