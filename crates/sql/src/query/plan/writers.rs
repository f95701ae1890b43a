//! Which plans write what other sessions see: they are what `read_only` refuses.

use super::insert::Rows;
use super::{Body, Kind, Plan, QueryPlan, Source, Sub, TableSlot};
use crate::meta::SqlTable;
use std::sync::Arc;
use weir_engine::LockMode;

/// Which kinds of tables a statement reads and writes; a table that it writes it may read too.
#[derive(Clone, Copy, Debug, Default)]
pub struct Touched {
    pub reads: bool,
    pub writes: bool,
    pub reads_temporary: bool,
    pub writes_temporary: bool,
}

impl Plan {
    /// Of its own tables; what routines and triggers do in it, their own statements report.
    pub fn touched(&self) -> Touched {
        let mut touched = Touched { reads: self.virtuals, ..Touched::default() };
        for (table, _) in &self.sizes {
            let temporary = table.engine.def.schema == crate::meta::temporary::HIDDEN;
            let changes = self.is_change() && self.changes(table);
            *match (temporary, changes) {
                (false, false) => &mut touched.reads,
                (false, true) => &mut touched.writes,
                (true, false) => &mut touched.reads_temporary,
                (true, true) => &mut touched.writes_temporary,
            } = true;
        }
        touched
    }

    /// Its answer is rows.
    pub fn gives_rows(&self) -> bool {
        matches!(
            self.kind,
            Kind::Query(_) | Kind::Analyze(..) | Kind::Explain(..) | Kind::Handler(_)
        )
    }

    /// INSERT, REPLACE, UPDATE, DELETE.
    pub fn is_change(&self) -> bool {
        matches!(self.kind, Kind::Insert(_) | Kind::Change(_))
    }

    /// Whether tables that others see are written, or rows of them locked for it.
    pub fn writes_shared(&self) -> bool {
        let shared = |t: &SqlTable| t.engine.def.schema != crate::meta::temporary::HIDDEN;
        match &self.kind {
            Kind::Insert(i) => {
                let source = matches!(&i.rows, Rows::Query(q) if q.locks_for_update(&shared));
                source
                    || locking(&i.subs, &shared)
                    || self.sizes.iter().any(|(t, _)| shared(t) && self.changes(t))
            }
            Kind::Change(c) => {
                locking(&c.block.subs, &shared)
                    || self.sizes.iter().any(|(t, _)| shared(t) && self.changes(t))
            }
            kind => kind.locks_for_update(&shared),
        }
    }

    /// Whether rows of the table are locked for being changed.
    pub(in crate::query) fn locks(&self, table: &Arc<SqlTable>) -> bool {
        self.locks_rows && self.kind.locks_for_update(&|t| std::ptr::eq(t, &**table))
    }
}

impl Kind {
    /// FOR UPDATE of one of these tables, where the statement reads them.
    pub(in crate::query) fn locks_for_update(&self, of: &dyn Fn(&SqlTable) -> bool) -> bool {
        match self {
            Kind::Query(q) | Kind::Into(q, _) | Kind::IntoFile(q, _) | Kind::Collect(q) => {
                q.locks_for_update(of)
            }
            Kind::Analyze(q, _) => q.locks_for_update(of),
            Kind::Do(_, subs) => locking(subs, of),
            Kind::Insert(i) => {
                let source = matches!(&i.rows, Rows::Query(q) if q.locks_for_update(of));
                source || locking(&i.subs, of)
            }
            Kind::Change(c) => locking(&c.block.subs, of),
            Kind::Explain(..) | Kind::Handler(_) => false,
        }
    }
}

/// FOR UPDATE in a subquery of these.
fn locking(subs: &[Sub], of: &dyn Fn(&SqlTable) -> bool) -> bool {
    subs.iter().filter_map(|s| s.plan.as_ref()).any(|q| q.locks_for_update(of))
}

impl Plan {
    /// IGNORE, as far as subqueries ask (1242).
    pub fn ignores(&self) -> bool {
        match &self.kind {
            // Of LOAD DATA the word is not told from LOCAL, which leaves out rows and no errors of subqueries.
            Kind::Insert(i) => i.ignore && !matches!(i.rows, Rows::File(_)),
            Kind::Change(c) => c.ignore,
            _ => false,
        }
    }
}

impl QueryPlan {
    /// FOR UPDATE of a table among these.
    fn locks_for_update(&self, of: &dyn Fn(&SqlTable) -> bool) -> bool {
        match &self.body {
            Body::Block(b) => {
                let locks = |t: &TableSlot| match &t.source {
                    Source::Table(table) => t.lock == LockMode::Exclusive && of(table),
                    Source::Derived(q) => q.locks_for_update(of),
                    Source::Virtual(..) | Source::Working(..) => false,
                };
                b.tables.iter().any(locks) || locking(&b.subs, of)
            }
            Body::Set { left, right, .. } => {
                left.locks_for_update(of) || right.locks_for_update(of)
            }
            Body::Nested(q) => q.locks_for_update(of),
            Body::Recursive(r) => {
                r.seed.locks_for_update(of) || r.steps.iter().any(|q| q.locks_for_update(of))
            }
            Body::Json(j) => j.source.locks_for_update(of),
            Body::Values(_) => false,
        }
    }
}
