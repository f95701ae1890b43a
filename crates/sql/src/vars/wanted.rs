//! The values that a SET asks for.

use super::store::SessionVars;
use super::{SetInput, Var, VarType};
use crate::errno;
use crate::session_api::SqlError;
use crate::value::Value;
use weir_syntax::ast::SetItem;

/// The value of a variable that a SET asks for.
pub enum Wanted {
    Default,
    Word(Box<str>),
    Value(Value<'static>),
}

impl Wanted {
    /// As the variable takes it. `text` keeps what it borrows.
    pub fn input<'v>(&'v self, text: &'v mut String) -> Option<SetInput<'v>> {
        Some(match self {
            Wanted::Default => return None,
            Wanted::Word(w) => SetInput::Str(w),
            Wanted::Value(Value::Null) => SetInput::Null,
            Wanted::Value(Value::Int(n)) => SetInput::Int(*n),
            Wanted::Value(Value::UInt(n)) => SetInput::UInt(*n),
            Wanted::Value(Value::Double(x)) => SetInput::Float(*x),
            Wanted::Value(Value::Decimal(d)) => SetInput::Float(d.to_f64()),
            Wanted::Value(other) => {
                *text = other.to_string_lossy().unwrap_or_default();
                SetInput::Str(text)
            }
        })
    }

    /// 1231: a switch is ON or OFF where it is no number. Option files may say more.
    pub fn check_switch(&self, var: Var) -> Result<(), SqlError> {
        let mut text = String::new();
        match (var.def().ty, self.input(&mut text)) {
            (VarType::Bool, Some(SetInput::Str(word)))
                if !["ON", "OFF"].iter().any(|w| w.eq_ignore_ascii_case(word)) =>
            {
                let name = var.name();
                Err(SqlError::of(errno::ER_WRONG_VALUE_FOR_VAR, &[&name, &word]))
            }
            _ => Ok(()),
        }
    }
}

/// SET NAMES and SET CHARACTER SET.
pub fn set_names(vars: &mut SessionVars, item: &SetItem) -> Result<(), SqlError> {
    let default = || vars.globals().text(Var::character_set_client);
    match item {
        SetItem::Names { charset, collation } => {
            let cs = charset.as_deref().map_or_else(default, str::to_string);
            vars.set_names(&cs, collation.as_deref())
        }
        SetItem::CharacterSet(charset) => {
            let cs = charset.as_deref().map_or_else(default, str::to_string);
            let database = vars.text(Var::collation_database);
            vars.set(Var::character_set_client, &SetInput::Str(&cs))?;
            vars.set(Var::character_set_results, &SetInput::Str(&cs))?;
            vars.set(Var::collation_connection, &SetInput::Str(&database)).map(|_| ())
        }
        SetItem::User { .. } | SetItem::System { .. } => Ok(()),
    }
}
