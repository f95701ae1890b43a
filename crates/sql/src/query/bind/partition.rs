//! Which partition a row belongs to, and which partitions a search can find rows in.
//!
//! Both rest on one function of the partitioning columns ([`Level`]), whose value stands among the partitions as the key of a row
//! stands among the ranges of an index. Where partitions are divided again there are two such functions, each of its own columns: a row's
//! leaf follows from both, and a search is pruned by each. Everything is worked out from values as they are stored, on a clock without
//! time zone, so that no setting of a session moves a row.
//!
//! Invariants
//! - A row is only ever looked for in the partition that its values give it.
//! - Pruning may keep a partition without rows, never leave out one with rows: the conditions are checked on the row again.

mod level;
mod prune;

use super::{Binder, rules};
use crate::context::{Reads, UserVars};
use crate::errno;
use crate::meta::{Partitioning, SqlTable, TableMeta};
use crate::query::eval::Ev;
use crate::query::eval::frame::Frame;
use crate::query::plan::key::Key;
use crate::query::plan::outcome::Run;
use crate::query::plan::pruning::Pruning;
use crate::session_api::SqlError;
use crate::value::{DatumBuf, Value, ValueError};
use level::Level;
use std::sync::Arc;
use weir_engine::Table;
use weir_engine::row::RowView;

/// The partitioning of a table, bound.
pub struct Router {
    outer: Level,
    /// Of the subpartitions, the same in each partition.
    inner: Option<Level>,
}

impl Router {
    pub fn bind(
        b: &mut Binder<'_>,
        by: &Partitioning,
        table: &TableMeta,
    ) -> Result<Router, SqlError> {
        let outer = Level::bind(b, "PARTITION", &by.function, by.parts.len(), table)?;
        let inner =
            by.sub.as_ref().map(|s| Level::bind(b, "SUBPARTITION", &s.function, s.count, table));
        Ok(Router { outer: outer.with_values(&by.parts, table), inner: inner.transpose()? })
    }

    /// The leaf of a row with these values; otherwise the value that no partition is for, as 1526 tells it.
    fn place(
        &self,
        table: &TableMeta,
        get: &dyn Fn(usize) -> DatumBuf,
        ev: &mut Ev<'_>,
    ) -> Result<Result<usize, String>, ValueError> {
        let at = match self.outer.place(table, get, ev)? {
            Ok(at) => at,
            Err(value) => return Ok(Err(value)),
        };
        let Some(inner) = &self.inner else { return Ok(Ok(at)) };
        Ok(inner.place(table, get, ev)?.map(|sub| at * inner.n + sub))
    }

    /// Marks the leaves that rows of two searches can be in.
    fn mark(
        &self,
        table: &TableMeta,
        [outer, inner]: [Option<&Key>; 2],
        wanted: &mut [bool],
        f: &Frame<'_>,
        ev: &mut Ev<'_>,
    ) -> Result<(), ValueError> {
        let outer = self.outer.wanted(table, outer, f, ev)?;
        let inner = match &self.inner {
            Some(level) => level.wanted(table, inner, f, ev)?,
            None => vec![true],
        };
        for (at, wanted) in wanted.iter_mut().enumerate() {
            *wanted |= outer[at / inner.len()] && inner[at % inner.len()];
        }
        Ok(())
    }
}

/// 1526.
pub fn no_partition(value: &str) -> SqlError {
    SqlError::of(errno::ER_NO_PARTITION_FOR_GIVEN_VALUE, &[&value])
}

/// The leaf's number of a row in its stored form.
pub fn number_of(
    table: &SqlTable,
    row: &[u8],
    reads: Reads<'_>,
    ev: &mut Ev<'_>,
) -> Run<Result<usize, String>> {
    let rules = rules::of(table, reads, ev.user_vars)?;
    let Some(router) = &rules.partitions else { return Ok(Ok(0)) };
    let view = RowView::new(&table.engine.layout, row);
    Ok(router.place(&table.meta, &|c| view.get(c).to_buf(), ev)?)
}

/// The same of a row of values, for ALTER TABLE.
pub fn number_of_values(
    router: &Router,
    meta: &TableMeta,
    row: &[DatumBuf],
    ev: &mut Ev<'_>,
) -> Result<usize, SqlError> {
    let placed =
        router.place(meta, &|c| row[c].clone(), ev).map_err(crate::ddl::refused::value_error)?;
    placed.map_err(|v| no_partition(&v))
}

/// Where a row is, or is to be: the table itself unless it is partitioned.
pub fn home<'t>(
    table: &'t SqlTable,
    row: &[u8],
    reads: Reads<'_>,
    ev: &mut Ev<'_>,
) -> Run<&'t Arc<Table>> {
    if table.engine.parts.is_empty() {
        return Ok(&table.engine);
    }
    match number_of(table, row, reads, ev)? {
        Ok(at) => Ok(&table.engine.parts[at]),
        Err(value) => Err(no_partition(&value).into()),
    }
}

/// The leaves that PARTITION (...) names, by number in rising order; 1735, or 1747 for a table without.
pub fn selected(
    table: &SqlTable,
    names: &[weir_syntax::ast::Ident],
) -> Result<Option<Arc<[usize]>>, SqlError> {
    if names.is_empty() {
        return Ok(None);
    }
    let Some(by) = &table.meta.partitions else {
        return Err(SqlError::of(errno::ER_PARTITION_CLAUSE_ON_NONPARTITIONED, &[]));
    };
    let found = by
        .leaves_named(names.iter().map(|n| n.as_str()))
        .map_err(|n| SqlError::of(errno::ER_UNKNOWN_PARTITION, &[&n, &table.name()]))?;
    let mut out: Vec<usize> = found.into_iter().flatten().collect();
    out.sort_unstable();
    out.dedup();
    Ok(Some(out.into()))
}

/// The leaves, by number, that rows of a step can be in. `known`: whether the values of a search are known already.
pub fn pruned(
    table: &SqlTable,
    pruning: Option<&Pruning>,
    known: impl Fn(&Key) -> bool,
    selected: Option<&[usize]>,
    f: &Frame<'_>,
    (reads, ev): (Reads<'_>, &mut Ev<'_>),
) -> Run<Vec<usize>> {
    let mut left = vec![true; table.engine.parts.len()];
    if let Some(Pruning(lists)) = pruning {
        let rules = rules::of(table, reads, ev.user_vars)?;
        let router = rules.partitions.as_ref();
        for (router, list) in lists.iter().filter_map(|list| Some((router?, list))) {
            let mut wanted = vec![false; left.len()];
            for searched in list {
                let keys = [&searched.outer, &searched.inner];
                let keys = keys.map(|k| k.as_ref().filter(|k| known(k)));
                router.mark(&table.meta, keys, &mut wanted, f, ev)?;
            }
            left.iter_mut().zip(wanted).for_each(|(left, wanted)| *left &= wanted);
        }
    }
    let selected = |at: &usize| selected.is_none_or(|s| s.binary_search(at).is_ok());
    Ok((0..left.len()).filter(|at| left[*at]).filter(selected).collect())
}

/// Names of the partitions that a step reads, for EXPLAIN: all that cannot be left out with what is known now.
pub fn shown(
    table: &SqlTable,
    pruning: Option<&Pruning>,
    selected: Option<&[usize]>,
    reads: Reads<'_>,
    params: &[Value<'static>],
) -> Option<String> {
    let by = table.meta.partitions.as_ref()?;
    let known = |k: &Key| k.is_known(params);
    let mut user_vars = UserVars::default();
    let mut ev = Ev {
        cx: reads.eval(0),
        vars: reads.vars,
        user_vars: &mut user_vars,
        lists: Default::default(),
    };
    let frame = Frame::empty(params);
    let parts = pruned(table, pruning, known, selected, &frame, (reads, &mut ev)).ok()?;
    let names: Vec<String> = parts.iter().filter_map(|at| by.leaf_name(*at)).collect();
    (!names.is_empty()).then(|| names.join(","))
}
