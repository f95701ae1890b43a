//! Which statements have a point plan: SELECT of columns of one table by equality on all parts of a unique index, or of the clustered
//! one by equality on all parts but the last, which is between two integers.

use crate::query::eval::as_stored::{Form, form_of, sent_as_stored};
use crate::query::expr::usable::Alt;
use crate::query::expr::{BExpr, CmpOp, Node};
use crate::query::plan::key::{Key, Search};
use crate::query::plan::point::{PointPart, PointPlan, PointSpan, PointText};
use crate::query::plan::{Access, Block, Body, Cond, Kind, Plan, QueryPlan, Source, TableSlot};
use crate::value::compare::CompareRule;
use crate::value::{Collation, SqlType};
use weir_engine::LockMode;

/// The point plan of a statement whose plan is otherwise complete. `told`: what the columns of its result are announced in.
pub fn point(plan: &Plan, told: Option<Collation>) -> Option<Box<PointPlan>> {
    let Kind::Query(q) = &plan.kind else { return None };
    let block = plain_block(q).filter(|_| is_plain(plan))?;
    let ([slot], [step]) = (&block.tables[..], &block.steps[..]) else { return None };
    let plain = step.after.is_empty() && !step.completes && step.kept.is_none();
    if !plain || !is_plain_table(slot, LockMode::None) {
        return None;
    }
    let (key, parts, span) = match &step.access {
        Access::Point(key) => {
            let parts = parts(key).filter(|parts| says_no_more(&step.conds, key, parts))?;
            (key, parts, None)
        }
        Access::Ranges { key, reverse: false } => {
            // What is searched for are integers, so the ranges are exact and rows fulfil what follows from them.
            let implied = step.conds.iter().all(|c| c.subs.is_empty() && c.implied);
            let (parts, span) = span(key).filter(|_| implied)?;
            (key, parts, Some(span))
        }
        _ => return None,
    };
    let integer = |p: u32| {
        let of_span = |s: &PointSpan| [s.low, s.high].contains(&(p as usize));
        is_integer(&parts, p) || span.as_ref().is_some_and(of_span)
    };
    let is_checked = |e: &BExpr| matches!(e.node, Node::Param(p) if integer(p));
    if !plan.constants.iter().all(|b| is_checked(&b.value))
        || plan.param_kinds.iter().any(|(p, _)| !integer(*p))
    {
        return None;
    }
    Some(Box::new(PointPlan {
        columns: columns(block, key)?,
        table: key.table.clone(),
        index: key.index,
        parts,
        span,
        told,
        header: Default::default(),
        serial: PointPlan::next_serial(),
    }))
}

/// A statement of one stored table, whose plan is good for all of its executions.
pub(super) fn is_plain(plan: &Plan) -> bool {
    plan.cacheable
        && !plan.open_types
        && !plan.virtuals
        && plan.time_limit.is_none()
        && plan.deprecated.is_empty()
        && plan.sizes.len() == 1
}

/// The conditions are the equalities of the key's parts, and nothing else.
pub(super) fn says_no_more(conds: &[Cond], key: &Key, parts: &[PointPart]) -> bool {
    conds.iter().all(|c| c.subs.is_empty() && is_said_by(c, key, parts))
}

fn is_integer(parts: &[PointPart], param: u32) -> bool {
    parts.iter().any(|part| part.param == param as usize && part.text.is_none())
}

/// What is to be checked before an execution are integers of the key. What is no integer is left to the usual plan, which checks it.
pub(super) fn checks_integers(plan: &Plan, parts: &[PointPart]) -> bool {
    let is_checked = |e: &BExpr| matches!(e.node, Node::Param(p) if is_integer(parts, p));
    plan.constants.iter().all(|b| is_checked(&b.value))
}

/// A query that is a look at its table and nothing else.
fn plain_block(q: &QueryPlan) -> Option<&Block> {
    let Body::Block(b) = &q.body else { return None };
    let plain = q.order.is_empty() && q.limit.is_none() && is_plain_block(b);
    plain.then_some(&**b)
}

pub(super) fn is_plain_block(b: &Block) -> bool {
    b.groups.is_empty()
        && b.gate.is_empty()
        && b.subs.is_empty()
        && b.agg.is_none()
        && b.extremes.is_none()
        && b.windows.is_empty()
        && b.having.is_none()
        && b.item_subs.is_empty()
        && !b.distinct
        && b.order.is_empty()
        && b.limit.is_none()
        && !b.calc_found_rows
}

/// Rows of it are read with these locks, from one tree.
pub(super) fn is_plain_table(slot: &TableSlot, lock: LockMode) -> bool {
    let Source::Table(table) = &slot.source else { return false };
    slot.lock == lock && slot.selected.is_none() && table.engine.parts.is_empty()
}

/// The parts of a search that is equality with one parameter for each part of a unique index.
pub(super) fn parts(key: &Key) -> Option<Box<[PointPart]>> {
    let [search] = &key.searches[..] else { return None };
    let index = &key.table.engine.def.indexes[key.index];
    let whole = key.unique
        && key.over.is_none()
        && key.subs.is_empty()
        && search.is_single()
        && search.eq.len() == index.parts.len();
    if !whole || index.parts.is_empty() {
        return None;
    }
    point_parts(key, search)
}

/// The parameters that the leading parts of a key are equal to.
fn point_parts(key: &Key, search: &Search) -> Option<Box<[PointPart]>> {
    let index = &key.table.engine.def.indexes[key.index];
    let part = |(n, alts): (usize, &Vec<Alt>)| {
        let [alt] = &alts[..] else { return None };
        let Node::Param(param) = alt.expr.node else { return None };
        let text = match (key.table.meta.columns[key.column(n)].ty, alt.rule) {
            (SqlType::Int { .. }, None | Some(CompareRule::Int | CompareRule::Decimal)) => None,
            (SqlType::Char { collation, .. } | SqlType::Varchar { collation, .. }, None) => {
                Some(PointText { collation, decides: false })
            }
            (
                SqlType::Char { collation, .. } | SqlType::Varchar { collation, .. },
                Some(CompareRule::Text(by)),
            ) if by == collation => Some(PointText { collation, decides: true }),
            _ => return None,
        };
        let prefix = index.parts[n].prefix.is_some();
        let plain = !alt.null_safe && !prefix;
        plain.then(|| PointPart { param: param as usize, ty: key.part_type(n), text })
    };
    search.eq.iter().enumerate().map(part).collect()
}

/// A search of the clustered index by equality with integers in front, and two integers that the last part is between.
fn span(key: &Key) -> Option<(Box<[PointPart]>, PointSpan)> {
    let [search] = &key.searches[..] else { return None };
    let index = &key.table.engine.def.indexes[key.index];
    let n = search.eq.len();
    let plain =
        key.index == 0 && key.over.is_none() && key.subs.is_empty() && search.like.is_none();
    if !plain || n + 1 != index.parts.len() || index.parts[n].desc {
        return None;
    }
    let [bounds] = &search.range[..] else { return None };
    let integer = matches!(key.table.meta.columns[key.column(n)].ty, SqlType::Int { .. });
    let bound = |op: CmpOp| {
        let mut found = bounds.iter().filter(|(o, _)| *o == op).map(|(_, alt)| alt);
        let (Some(alt), None) = (found.next(), found.next()) else { return None };
        let Node::Param(param) = alt.expr.node else { return None };
        let exact = matches!(alt.rule, None | Some(CompareRule::Int | CompareRule::Decimal));
        (exact && !alt.null_safe && alt.listed.is_none()).then_some(param as usize)
    };
    if !integer || bounds.len() != 2 {
        return None;
    }
    let parts = point_parts(key, search)?;
    let integers = parts.iter().all(|part| part.text.is_none());
    let span = PointSpan { low: bound(CmpOp::Ge)?, high: bound(CmpOp::Le)?, ty: key.part_type(n) };
    integers.then_some((parts, span))
}

/// The condition is the equality of a part of the key with its parameter.
fn is_said_by(cond: &Cond, key: &Key, parts: &[PointPart]) -> bool {
    let Node::Cmp { op: CmpOp::Eq, a, b, rule } = &cond.expr.node else { return false };
    let (column, param) = match (&a.node, &b.node) {
        (Node::Col(c), Node::Param(p)) | (Node::Param(p), Node::Col(c)) => (c, *p as usize),
        _ => return false,
    };
    let Some(search) = key.searches.first() else { return false };
    column.depth == 0
        && parts.iter().zip(&search.eq).enumerate().any(|(n, (part, alts))| {
            let same_rule = alts.first().is_some_and(|alt| alt.rule == *rule);
            part.param == param && key.column(n) == usize::from(column.col) && same_rule
        })
}

/// The columns that go out, each with its type; `None`: an item is not a column that goes out as it is stored.
fn columns(block: &Block, key: &Key) -> Option<Box<[(u16, SqlType, bool)]>> {
    let column = |item: &BExpr| {
        let Node::Col(c) = item.node else { return None };
        let ty = key.table.meta.columns[usize::from(c.col)].ty;
        let plain = c.depth == 0 && c.table == 0 && sent_as_stored(&ty);
        plain.then(|| (c.col, ty, form_of(&ty) == Form::Same))
    };
    block.items.iter().map(column).collect()
}
