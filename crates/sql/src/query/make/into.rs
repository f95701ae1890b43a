//! The plan of SELECT ... INTO.

use crate::context::check_user_var;
use crate::errno;
use crate::query::bind::digits::whole_average;
use crate::query::expr::BExpr;
use crate::query::plan::env::PlanEnv;
use crate::query::plan::into::{FileKind, FileTarget, Target};
use crate::query::plan::{Body, Kind, QueryPlan};
use crate::query::textfile::Format;
use crate::session_api::SqlError;
use crate::value::{Charset, SqlMode, Value};
use std::sync::Arc;
use weir_syntax::ast::{IntoVar, SelectInto};

/// The plan of a SELECT with this INTO.
pub fn bind(into: &SelectInto, mut query: QueryPlan, env: &PlanEnv<'_>) -> Result<Kind, SqlError> {
    let vars = match into {
        SelectInto::Vars(vars) => vars,
        SelectInto::DumpFile(path) => {
            let target = FileTarget { path: path.clone(), kind: FileKind::Raw };
            return Ok(Kind::IntoFile(query, target));
        }
        SelectInto::OutFile { path, charset, format } => {
            let set = charset.as_deref().map(|name| {
                let text = || format!("Unknown character set: '{name}'");
                let unknown = || SqlError::new(errno::ER_UNKNOWN_CHARACTER_SET, text());
                Charset::by_name(name).ok_or_else(unknown)
            });
            let escapes = !env.reads.settings.mode.has(SqlMode::NO_BACKSLASH_ESCAPES);
            let kind = FileKind::Text(Format::of(format, escapes)?, set.transpose()?);
            return Ok(Kind::IntoFile(query, FileTarget { path: path.clone(), kind }));
        }
    };
    let name = |v: &IntoVar| match v {
        IntoVar::User(name) => {
            check_user_var(name.as_str()).map(|()| Target::User(Arc::from(name.as_str())))
        }
        IntoVar::Slot(n) => Ok(Target::Slot(*n)),
        // Outside of a routine nothing declares variables.
        IntoVar::Local(name) => Err(SqlError::of(errno::ER_SP_UNDECLARED_VAR, &[&name])),
    };
    let names = vars.iter().map(name).collect::<Result<Vec<_>, _>>()?;
    if names.len() != query.columns.len() {
        return Err(SqlError::of(errno::ER_WRONG_NUMBER_OF_COLUMNS_IN_SELECT, &[]));
    }
    if let Body::Block(block) = &mut query.body {
        for (item, _) in
            block.items.iter_mut().zip(&names).filter(|(_, t)| matches!(t, Target::User(_)))
        {
            let e = std::mem::replace(item, BExpr::constant(Value::Null));
            *item = whole_average(e);
        }
    }
    Ok(Kind::Into(query, names))
}
