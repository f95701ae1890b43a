//! User variables (`@x`).

use crate::errno;
use crate::memory::{Account, Held, Over, row_bytes};
use crate::session_api::SqlError;
use crate::value::{Collation, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// User variables (`@x`); names are kept in lower case.
#[derive(Default, Debug)]
pub struct UserVars {
    values: HashMap<Arc<str>, Value<'static>>,
    held: Held,
}

/// What a variable is charged.
fn var_bytes(name: &str, v: &Value<'_>) -> usize {
    name.len() + row_bytes(std::slice::from_ref(v))
}

/// Characters of a name at most.
const LONGEST_NAME: usize = 64;

/// 3061 for the name of a variable that nothing may be assigned to. Such a name can be read: no variable has it.
pub fn check_user_var(name: &str) -> Result<(), SqlError> {
    match name.is_empty() || name.ends_with(' ') || name.chars().count() > LONGEST_NAME {
        true => Err(SqlError::of(errno::ER_ILLEGAL_USER_VAR, &[&name])),
        false => Ok(()),
    }
}

impl UserVars {
    pub fn get(&self, name: &str) -> Option<&Value<'static>> {
        match self.values.get(name) {
            Some(v) => Some(v),
            None => self.values.get(name.to_lowercase().as_str()),
        }
    }

    pub fn set(&mut self, account: Account<'_>, name: &str, v: Value<'static>) -> Result<(), Over> {
        let name = name.to_lowercase();
        // A variable has no type JSON: it holds the text.
        let v = match v {
            Value::Json(j) => Value::Str(j.to_text().into(), Collation::Utf8mb4Bin),
            other => other,
        };
        let before = self.values.get(name.as_str()).map_or(0, |v| var_bytes(&name, v));
        let after = var_bytes(&name, &v);
        match after.checked_sub(before) {
            Some(more) => self.held.grow(account, more)?,
            None => self.held.shrink(before - after),
        }
        self.values.insert(name.into(), v);
        Ok(())
    }

    pub fn take(&mut self, name: &str) -> Option<Value<'static>> {
        let v = self.values.remove(name)?;
        self.held.shrink(var_bytes(name, &v));
        Some(v)
    }

    pub fn clear(&mut self) {
        *self = UserVars::default();
    }
}
