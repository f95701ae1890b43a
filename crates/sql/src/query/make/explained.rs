//! EXPLAIN: the statement is planned as if it ran, and the description of its plan becomes a plan of its own.

use crate::query::bind::{Binder, partition};
use crate::query::explain::{Lines, text};
use crate::query::plan::profile::Placed;
use crate::query::plan::{Line, QueryPlan};
use crate::query::print::Note;
use crate::session_api::SqlError;
use crate::value::Value;
use crate::vars::Var;
use weir_syntax::ast::{self, Statement};

/// What EXPLAIN gives.
pub enum Explained {
    Rows(Vec<Line>, String),
    /// FORMAT=TREE and FORMAT=JSON, with the note.
    Text(String, Option<String>),
    /// EXPLAIN ANALYZE: the query is run before its plan is printed.
    Analyze(Box<QueryPlan>, Placed),
}

pub async fn explain(b: &mut Binder<'_>, e: &ast::Explain) -> Result<Explained, SqlError> {
    use ast::ExplainFormat::{Default, Json, Traditional, Tree};
    if e.analyze {
        match e.format {
            Default | Tree => return analyze(b, e).await,
            Json => return Err(SqlError::not_supported("EXPLAIN ANALYZE with JSON format")),
            Traditional => {
                return Err(SqlError::not_supported("EXPLAIN ANALYZE with TRADITIONAL format"));
            }
        }
    }
    let (mut placed, note) = lines(b, e).await?;
    let format = match e.format {
        Default => {
            b.cacheable = false;
            match &*b.env.reads.vars.text(Var::explain_format) {
                "JSON" => Json,
                "TREE" => Tree,
                _ => Traditional,
            }
        }
        given => given,
    };
    Ok(match format {
        Default | Traditional => {
            crate::query::explain::as_columns(&mut placed.lines);
            Explained::Rows(placed.lines, note)
        }
        Tree => Explained::Text(crate::query::explain::text::tree(&placed, None), None),
        Json => Explained::Text(crate::query::explain::text::json(&placed), Some(note)),
    })
}

async fn analyze(b: &mut Binder<'_>, e: &ast::Explain) -> Result<Explained, SqlError> {
    match &e.target {
        ast::ExplainTarget::Statement(stmt) => match &**stmt {
            Statement::Select(q) if q.into.is_none() => {
                let plan = b.query(q).await?;
                let mut x = Lines::new(b);
                x.select(&plan);
                let mut placed = x.placed();
                // Its run is that of single rows.
                crate::query::explain::as_columns(&mut placed.lines);
                Ok(Explained::Analyze(Box::new(plan), placed))
            }
            _ => Err(SqlError::not_supported("EXPLAIN ANALYZE of a statement that is no query")),
        },
        ast::ExplainTarget::Connection(_) => {
            Err(SqlError::not_supported("EXPLAIN ANALYZE FOR CONNECTION"))
        }
    }
}

async fn lines(b: &mut Binder<'_>, e: &ast::Explain) -> Result<(Placed, String), SqlError> {
    let ast::ExplainTarget::Statement(stmt) = &e.target else {
        return Err(SqlError::not_supported("EXPLAIN FOR CONNECTION"));
    };
    let (reads, params) = (b.env.reads, b.env.params);
    let mut x = Lines::new(b);
    let note = match &**stmt {
        Statement::Select(q) => {
            let plan = b.query(q).await?;
            x.select(&plan);
            note_by(params, |n| n.query(&plan, 1))
        }
        Statement::Insert(i) => {
            let p = super::insert::bind(b, i).await?;
            let verb = if p.replace { "REPLACE" } else { "INSERT" };
            x.line(verb, text(p.table.name()), "ALL", None, 0.0, None);
            if let Some(line) = x.out.last_mut() {
                let parts = partition::shown(&p.table, None, p.selected.as_deref(), reads, params);
                line[3] = parts.map_or(Value::Null, text);
            }
            if let crate::query::plan::insert::Rows::Query(q) = &p.rows {
                x.query(q, "SIMPLE");
            }
            note_by(params, |n| n.insert(&p))
        }
        Statement::Update(u) => {
            let p = super::change::bind_update(b, u).await?;
            x.block(&p.block, "UPDATE");
            note_by(params, |n| n.change(&p))
        }
        Statement::Delete(d) => {
            let p = super::change::bind_delete(b, d).await?;
            x.block(&p.block, "DELETE");
            note_by(params, |n| n.change(&p))
        }
        _ => return Err(SqlError::not_supported("EXPLAIN of this statement")),
    };
    Ok((x.placed(), note))
}

fn note_by<'p>(params: &'p [Value<'static>], write: impl FnOnce(&mut Note<'p>)) -> String {
    let mut note = Note::new(params);
    write(&mut note);
    note.out
}
