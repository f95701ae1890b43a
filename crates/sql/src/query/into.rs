//! SELECT ... INTO: the row goes to variables, or the rows go to a file of the server, instead of to the client.

use super::exec::{KeptRows, Out, Runner};
use super::plan::{Kind, QueryPlan};
use super::textfile::{Format, TextWriter, write_raw};
use super::{Outcome, PlanEnv, Run};
use crate::errno;
use crate::session_api::SqlError;
use crate::value::{Charset, SqlMode};
use std::sync::Arc;
use weir_syntax::ast::{IntoVar, SelectInto};

/// Where a value goes.
pub enum Target {
    User(Arc<str>),
    /// A variable of the stored program that runs the statement.
    Slot(u32),
}

/// The file that the rows go to.
pub struct FileTarget {
    path: Box<[u8]>,
    kind: FileKind,
}

enum FileKind {
    /// OUTFILE; texts are converted where a character set was named.
    Text(Format, Option<Charset>),
    /// DUMPFILE.
    Raw,
}

/// The plan of a SELECT with this INTO.
pub fn bind(into: &SelectInto, query: QueryPlan, env: &PlanEnv<'_>) -> Result<Kind, SqlError> {
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

/// Writes the rows to the file, which must be new. A statement that fails leaves none.
pub async fn run_file(r: &mut Runner<'_, '_>, q: &QueryPlan, target: &FileTarget) -> Run<Outcome> {
    let mut file = r.reads.shared.files().create(&target.path)?;
    let types = q.columns.iter().map(|c| c.info.ty);
    let affected = match &target.kind {
        FileKind::Text(format, charset) => {
            let warnings = &mut r.ev.cx.warnings;
            if format.is_foreign() {
                let text = "Non-ASCII separator arguments are not fully supported";
                warnings.warn(1638, || text.to_owned());
            }
            let writer = TextWriter::new(file, format.clone(), types, *charset, warnings);
            let left = if q.is_limited() { u64::MAX } else { r.reads.settings.select_limit };
            let mut out = Out::File { writer: Box::new(writer), left };
            if left > 0 {
                r.run_query(q, None, &mut out).await?;
            }
            match out {
                Out::File { writer, .. } => writer.finish()?,
                _ => 0,
            }
        }
        FileKind::Raw => {
            let mut kept = KeptRows::default();
            r.run_query(q, None, &mut Out::Rows { rows: &mut kept, limit: 2 }).await?;
            if kept.rows.len() > 1 {
                let text = "Result consisted of more than one row";
                return Err(SqlError::new(errno::ER_TOO_MANY_ROWS, text).into());
            }
            for row in &kept.rows {
                write_raw(&mut *file, types.clone(), row)?;
            }
            file.finish()?;
            kept.rows.len() as u64
        }
    };
    Ok(Outcome { affected, ..Outcome::default() })
}
