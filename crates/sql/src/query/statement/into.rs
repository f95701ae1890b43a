//! SELECT ... INTO: the row goes to variables, or the rows go to a file of the server, instead of to the client.

use crate::errno;
use crate::query::exec::Runner;
use crate::query::exec::destination::Out;
use crate::query::plan::QueryPlan;
use crate::query::plan::into::{FileKind, FileTarget, Target};
use crate::query::plan::outcome::{KeptRows, Outcome, Run};
use crate::query::textfile::{TextWriter, write_raw};
use crate::session_api::SqlError;

/// Sets the variables. Without a row they stay as they are, with 1329; more than one row is 1172.
pub async fn run(r: &mut Runner<'_, '_>, q: &QueryPlan, targets: &[Target]) -> Run<Outcome> {
    let mut kept = KeptRows::default();
    let strict = targets.iter().any(|t| matches!(t, Target::Slot(_))) && r.ev.cx.mode.strict();
    r.run_query(q, None, &mut Out::Rows { rows: &mut kept, limit: 2, strict }).await?;
    if kept.rows.len() > 1 {
        return Err(SqlError::of(errno::ER_TOO_MANY_ROWS, &[]).into());
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
    // DO keeps nothing of its row.
    let affected = u64::from(!targets.is_empty());
    Ok(Outcome { affected, into, ..Outcome::default() })
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
                warnings.warn(errno::WARN_NON_ASCII_SEPARATOR_NOT_IMPLEMENTED, || text.to_owned());
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
            r.run_query(q, None, &mut Out::Rows { rows: &mut kept, limit: 2, strict: false })
                .await?;
            if kept.rows.len() > 1 {
                return Err(SqlError::of(errno::ER_TOO_MANY_ROWS, &[]).into());
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
