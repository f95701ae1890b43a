//! SELECT ... INTO: the row goes to variables instead of to the client.

use super::exec::{KeptRows, Out, Runner};
use super::plan::{Kind, QueryPlan};
use super::{Outcome, Run};
use crate::errno;
use crate::session_api::SqlError;
use std::sync::Arc;
use weir_syntax::ast::{IntoVar, SelectInto};

/// Where a value goes.
pub enum Target {
    User(Arc<str>),
    /// A variable of the stored program that runs the statement.
    Slot(u32),
}

/// The plan of a SELECT with this INTO.
pub fn bind(into: &SelectInto, query: QueryPlan) -> Result<Kind, SqlError> {
    let SelectInto::Vars(vars) = into else {
        return Err(SqlError::not_supported("SELECT ... INTO OUTFILE/DUMPFILE"));
    };
    let name = |v: &IntoVar| match v {
        IntoVar::User(name) => Ok(Target::User(Arc::from(name.as_str()))),
        IntoVar::Slot(n) => Ok(Target::Slot(*n)),
        // Outside of a routine nothing declares variables.
        IntoVar::Local(name) => {
            let text = format!("Undeclared variable: {name}");
            Err(SqlError::new(errno::ER_SP_UNDECLARED_VAR, text))
        }
    };
    let names = vars.iter().map(name).collect::<Result<Vec<_>, _>>()?;
    if names.len() != query.columns.len() {
        return Err(SqlError::new(
            errno::ER_WRONG_NUMBER_OF_COLUMNS_IN_SELECT,
            "The used SELECT statements have a different number of columns",
        ));
    }
    Ok(Kind::Into(query, names))
}

/// Sets the variables. Without a row they stay as they are, with 1329; more than one row is 1172.
pub async fn run(r: &mut Runner<'_, '_>, q: &QueryPlan, targets: &[Target]) -> Run<Outcome> {
    let mut kept = KeptRows::default();
    r.run_query(q, None, &mut Out::Rows { rows: &mut kept, limit: 2 }).await?;
    if kept.rows.len() > 1 {
        let text = "Result consisted of more than one row";
        return Err(SqlError::new(errno::ER_TOO_MANY_ROWS, text).into());
    }
    let Some(row) = kept.rows.pop() else {
        let text = || "No data - zero rows fetched, selected, or processed".to_owned();
        r.ev.cx.warnings.warn(errno::ER_SP_FETCH_NO_DATA, text);
        return Ok(Outcome::default());
    };
    let account = r.ev.cx.session.memory();
    let mut into = Vec::new();
    for (target, v) in targets.iter().zip(row) {
        match target {
            Target::User(name) => r.ev.user_vars.set(account, name, v).map_err(SqlError::from)?,
            Target::Slot(n) => into.push((*n, v)),
        }
    }
    Ok(Outcome { affected: 1, into, ..Outcome::default() })
}
