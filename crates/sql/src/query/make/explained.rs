//! EXPLAIN: the statement is planned as if it ran, and the description of its plan becomes a plan of its own.

use crate::query::bind::{Binder, partition};
use crate::query::explain::tree::Trees;
use crate::query::explain::{self, Lines, text};
use crate::query::plan::change::ChangePlan;
use crate::query::plan::insert::{InsertPlan, Rows};
use crate::query::plan::profile::{Branch, Placed};
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
    Analyze(Box<QueryPlan>, Vec<Branch>),
}

/// A statement that was planned in order to be explained.
enum Planned {
    Query(Box<QueryPlan>),
    Insert(Box<InsertPlan>),
    Change(Box<ChangePlan>, &'static str),
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
    let planned = planned(b, e).await?;
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
        Default | Traditional => Explained::Rows(lines(b, &planned).lines, note(b, &planned)),
        Tree => {
            let branches = tree(Trees::new(b.env.reads, b.env.params, true), &planned);
            Explained::Text(explain::text::tree(&branches, None), None)
        }
        Json => Explained::Text(explain::text::json(&lines(b, &planned)), Some(note(b, &planned))),
    })
}

async fn analyze(b: &mut Binder<'_>, e: &ast::Explain) -> Result<Explained, SqlError> {
    match &e.target {
        ast::ExplainTarget::Statement(stmt) => match &**stmt {
            Statement::Select(q) if q.into.is_none() => {
                let plan = Box::new(b.query(q).await?);
                // Its run is that of single rows, not of batches.
                let branches = Trees::new(b.env.reads, b.env.params, false).query(&plan, 1);
                Ok(Explained::Analyze(plan, branches))
            }
            _ => Err(SqlError::not_supported("EXPLAIN ANALYZE of a statement that is no query")),
        },
        ast::ExplainTarget::Connection(_) => {
            Err(SqlError::not_supported("EXPLAIN ANALYZE FOR CONNECTION"))
        }
    }
}

async fn planned(b: &mut Binder<'_>, e: &ast::Explain) -> Result<Planned, SqlError> {
    let ast::ExplainTarget::Statement(stmt) = &e.target else {
        return Err(SqlError::not_supported("EXPLAIN FOR CONNECTION"));
    };
    Ok(match &**stmt {
        Statement::Select(q) => Planned::Query(Box::new(b.query(q).await?)),
        Statement::Insert(i) => Planned::Insert(Box::new(super::insert::bind(b, i).await?)),
        Statement::Update(u) => {
            Planned::Change(Box::new(super::change::bind_update(b, u).await?), "UPDATE")
        }
        Statement::Delete(d) => {
            Planned::Change(Box::new(super::change::bind_delete(b, d).await?), "DELETE")
        }
        _ => return Err(SqlError::not_supported("EXPLAIN of this statement")),
    })
}

/// The rows of MySQL's twelve columns.
fn lines(b: &Binder<'_>, planned: &Planned) -> Placed {
    let (reads, params) = (b.env.reads, b.env.params);
    let mut x = Lines::new(b);
    match planned {
        Planned::Query(plan) => x.select(plan),
        Planned::Insert(p) => {
            let verb = if p.replace { "REPLACE" } else { "INSERT" };
            x.line(verb, text(p.table.name()), "ALL", None, 0.0, None);
            if let Some(line) = x.out.last_mut() {
                let parts = partition::shown(&p.table, None, p.selected.as_deref(), reads, params);
                line[3] = parts.map_or(Value::Null, text);
            }
            if let Rows::Query(q) = &p.rows {
                x.query(q, "SIMPLE");
            }
        }
        Planned::Change(p, verb) => x.block(&p.block, verb),
    }
    x.placed()
}

fn tree<'p>(mut trees: Trees<'p>, planned: &'p Planned) -> Vec<Branch> {
    match planned {
        Planned::Query(plan) => trees.query(plan, 1),
        Planned::Insert(p) => trees.insert(p),
        Planned::Change(p, _) => trees.change(p),
    }
}

/// The statement as it was bound and will be run.
fn note(b: &Binder<'_>, planned: &Planned) -> String {
    let mut note = Note::new(b.env.params);
    match planned {
        Planned::Query(plan) => note.query(plan, 1),
        Planned::Insert(p) => note.insert(p),
        Planned::Change(p, _) => note.change(p),
    }
    note.out
}
