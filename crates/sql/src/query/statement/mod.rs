//! A planned statement at work: its metadata locks first, then what kind of statement it is decides who runs it.
//!
//! `into` is SELECT ... INTO, `handler_read` HANDLER ... READ, `analyze` the lines of EXPLAIN and the run that EXPLAIN ANALYZE tells of. May use all rooms that read and write.
//!
//! Invariants:
//! - Every definition of the plan is locked before anything is evaluated, changed or sent: `Stale` comes from the locks only.
//! - The header of a result is sent once, before its first row.

mod analyze;
mod handler_read;
mod into;

use crate::errno;
use crate::meta::SqlTable;
use crate::planted::{self, Bug};
use crate::query::eval::eval;
use crate::query::eval::frame::{Frame, SubResult};
use crate::query::exec::Runner;
use crate::query::exec::destination::Out;
use crate::query::exec::out::Client;
use crate::query::plan::outcome::{Outcome, Run, RunError};
use crate::query::plan::told::announce;
use crate::query::plan::{Body, Kind, Plan};
use crate::query::write;
use crate::session_api::ResultSink;
use crate::status::Stat;
use std::sync::Arc;

impl<'a> Runner<'a, '_> {
    /// `Err(Stale)` comes from [`Runner::lock_tables`] only, before anything is evaluated, changed or sent.
    pub async fn run_plan(&mut self, plan: &'a Plan, sink: &mut dyn ResultSink) -> Run<Outcome> {
        self.tables = &plan.sizes;
        self.ignore = plan.ignores();
        self.reads.work.add(Stat::Handler_external_lock, 2 * plan.sizes.len() as u64);
        self.reads.work.add(Stat::Table_locks_immediate, plan.sizes.len() as u64);
        if planted::is(Bug::HeaderBeforeLocks) && matches!(plan.kind, Kind::Query(_)) {
            announce(&plan.columns, self.reads.settings, sink)?;
        }
        self.lock_tables(plan).await?;
        match self.run_locked(plan, sink).await {
            Err(RunError::Stale) => {
                debug_assert!(false, "a definition changed under the statement's metadata locks");
                Err(RunError::Sql(RunError::Stale.into_sql()))
            }
            other => other,
        }
    }

    /// Takes the metadata locks of all the plan's tables. Definitions cannot change from here to the statement's end, so the
    /// result's header, which is sent before the first table is read, holds for all of its rows.
    async fn lock_tables(&mut self, plan: &Plan) -> Run<()> {
        if plan.version != self.reads.db().catalog_version() {
            return Err(RunError::Stale);
        }
        if !matches!(plan.kind, Kind::Explain(..)) {
            // A table that is written is locked for that at once: to become a writer later costs a look more.
            let changes = plan.is_change() && !self.txn.is_read_only();
            // So is one whose rows are locked for being changed: a copy by ALTER TABLE locks them too, and would wait for this
            // statement in the end. Under LOCK TABLES there is no copy.
            let locks = !self.txn.is_read_only() && self.reads.locked.is_none();
            let writes =
                |t: &Arc<SqlTable>| (changes && plan.changes(t)) || (locks && plan.locks(t));
            match &plan.foreign {
                None => {
                    for (table, _) in &plan.sizes {
                        self.txn.use_table(&table.engine, writes(table)).await?;
                    }
                }
                Some(foreign) => {
                    // In the order of definition statements, which lock a child and its parents.
                    let own = plan.sizes.iter().map(|(t, _)| (t, writes(t)));
                    let theirs = foreign.tables.iter().map(|(t, w)| (t, changes && *w));
                    let mut all: Vec<_> = own.chain(theirs).collect();
                    all.sort_by_key(|(t, _)| t.engine.def.id);
                    for (table, writes) in all {
                        self.txn.use_table(&table.engine, writes).await?;
                    }
                    if self.reads.settings.foreign_checks {
                        self.foreign = Some(foreign.clone());
                    }
                }
            }
        }
        Ok(())
    }

    async fn run_locked(&mut self, plan: &Plan, sink: &mut dyn ResultSink) -> Run<Outcome> {
        if !plan.constants.is_empty() {
            self.check_constants(plan)?;
        }
        match &plan.kind {
            Kind::Query(q) => {
                if !planted::is(Bug::HeaderBeforeLocks) {
                    announce(&plan.columns, self.reads.settings, sink)?;
                }
                let client = Client::new(
                    sink,
                    &q.columns,
                    self.reads.settings.results,
                    self.ev.cx.tz,
                    self.ev.cx.max_packet,
                );
                let select_limit = self.reads.settings.select_limit;
                let mut out = if select_limit == u64::MAX || q.is_limited() {
                    Out::Client(client)
                } else {
                    Out::Some { client, left: select_limit }
                };
                // A query that is one block needs no box: nothing recurs here.
                let found = match &q.body {
                    Body::Block(b) => self.run_block(b, None, &mut out).await?,
                    _ => self.run_query(q, None, &mut out).await?,
                };
                Ok(Outcome { found_rows: found, sent_rows: true, ..Outcome::default() })
            }
            Kind::Into(q, names) => into::run(self, q, names).await,
            Kind::IntoFile(q, target) => Box::pin(into::run_file(self, q, target)).await,
            Kind::Collect(q) => {
                let rows = self.collect(q, None, usize::MAX).await?;
                let found_rows = rows.rows.len() as u64;
                Ok(Outcome { found_rows, rows: Some(rows), ..Outcome::default() })
            }
            Kind::Insert(p) => write::run_insert(self, p, sink).await,
            Kind::Change(p) => write::run_change(self, p).await,
            Kind::Do(exprs, subs) => {
                let mut results: Vec<SubResult> = Vec::new();
                for s in subs {
                    // The arguments of a stored function's call may need those before.
                    let before = Frame { subs: &results, ..Frame::empty(self.params) };
                    let r = self.run_sub(s, &before).await?;
                    results.push(r);
                }
                let frame = Frame { subs: &results, ..Frame::empty(self.params) };
                for e in exprs {
                    eval(e, &frame, &mut self.ev)?;
                }
                Ok(Outcome::default())
            }
            Kind::Analyze(q, tree) => {
                crate::query::statement::analyze::run(self, q, tree, &plan.columns, sink).await
            }
            Kind::Handler(h) => Box::pin(handler_read::run(self, h, &plan.columns, sink)).await,
            Kind::Explain(rows, note) => {
                if let Some(note) = note {
                    self.ev.cx.warnings.note(errno::ER_YES, || note.clone());
                }
                announce(&plan.columns, self.reads.settings, sink)?;
                crate::query::statement::analyze::send(rows, self.reads.settings.results, sink)?;
                Ok(Outcome { found_rows: rows.len() as u64, sent_rows: true, ..Outcome::default() })
            }
        }
    }
}
