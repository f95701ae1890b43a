//! Which writes have a point plan: UPDATE and DELETE of one table by equality on all parts of a unique key, INSERT of one row of values.
//! Whatever a table asks for beyond the row itself (triggers, checks, generated columns, foreign keys, partitions) is the usual plan's.

use super::point::{
    checks_integers, is_plain, is_plain_block, is_plain_table, parts, says_no_more,
};
use crate::func::facts::Volatility;
use crate::meta::SqlTable;
use crate::query::expr::{BExpr, Node};
use crate::query::plan::change::{Assign, ChangePlan, What};
use crate::query::plan::env::PlanEnv;
use crate::query::plan::insert::{Fill, InsertPlan, Rows};
use crate::query::plan::point::{PointPart, PointPlan};
use crate::query::plan::point_write::{PointChange, PointWrite};
use crate::query::plan::{Access, Kind, Plan};
use crate::value::SqlType;
use std::sync::Arc;
use weir_engine::LockMode;

/// The point plan of a write whose plan is otherwise complete.
pub fn point_write(plan: &Plan, env: &PlanEnv<'_>) -> Option<Box<PointWrite>> {
    if !is_plain(plan) || plan.foreign.is_some() {
        return None;
    }
    let (table, index, what) = match &plan.kind {
        Kind::Change(p) => change(plan, p)?,
        Kind::Insert(p) => (p.table.clone(), 0, insert(plan, p)?),
        _ => return None,
    };
    if !is_simple(&table, env) {
        return None;
    }
    Some(Box::new(PointWrite { table, index, what, serial: PointPlan::next_serial() }))
}

/// The table asks for nothing beyond the row.
fn is_simple(table: &SqlTable, env: &PlanEnv<'_>) -> bool {
    let (rules, engine) = (&table.rules, &table.engine);
    let triggers = || {
        let programs = &env.reads.shared.programs;
        programs.triggers(env.reads.db(), table.schema(), table.name())
    };
    rules.generated.is_empty()
        && rules.late.is_empty()
        && !rules.checked
        && rules.groups.is_none()
        && table.special.is_empty()
        && engine.parts.is_empty()
        && !engine.has_hidden_key()
        && !engine.may_have_external()
        && !table.is_temporary()
        && engine.indexes.iter().all(|i| i.def.list_part().is_none())
        && triggers().is_none()
}

fn change(plan: &Plan, p: &ChangePlan) -> Option<(Arc<SqlTable>, usize, PointChange)> {
    let plain = !p.ignore
        && !p.multi
        && !p.collect
        && !p.looks_back
        && !p.unsafe_scan
        && p.order.is_empty()
        && p.limit.is_none()
        && p.checks.is_empty()
        && p.twins.is_empty()
        && is_plain_block(&p.block);
    let ([slot], [step]) = (&p.block.tables[..], &p.block.steps[..]) else { return None };
    let Access::Point(key) = &step.access else { return None };
    let bare = step.after.is_empty() && !step.completes && step.kept.is_none();
    if !plain || !bare || !is_plain_table(slot, LockMode::Exclusive) {
        return None;
    }
    let parts = parts(key)?;
    if !says_no_more(&step.conds, key, &parts) || !checks_integers(plan, &parts) {
        return None;
    }
    let what = match &p.what {
        What::Delete(_) => PointChange::Delete { key: parts },
        What::Update(assigns) => update(&key.table, assigns, parts)?,
    };
    Some((key.table.clone(), key.index, what))
}

fn update(table: &SqlTable, assigns: &[Assign], key: Box<[PointPart]>) -> Option<PointChange> {
    let mut by_row = Vec::with_capacity(assigns.len());
    for (n, a) in assigns.iter().enumerate() {
        let plain = a.table == 0
            && !table.engine.in_clustered_key(a.col)
            && table.rules.counter != Some(a.col)
            && assigns[..n].iter().all(|before| before.col != a.col);
        let value = a.value.as_ref().filter(|_| plain)?;
        by_row.push(match is_given(value) {
            true => false,
            false if is_small(value) => true,
            false => return None,
        });
    }
    Some(PointChange::Update { key, by_row: by_row.into() })
}

fn insert(plan: &Plan, p: &InsertPlan) -> Option<PointChange> {
    let plain = !p.ignore
        && !p.replace
        && !p.updates
        && p.on_duplicate.is_empty()
        && !p.hides_id
        && p.through.is_none()
        && p.view.is_none()
        && p.subs.is_empty()
        && p.selected.is_none()
        && !p.looks_back
        && plan.constants.is_empty();
    let Rows::Values(rows) = &p.rows else { return None };
    let [row] = &rows[..] else { return None };
    let given = |e: &Option<BExpr>| e.as_ref().is_some_and(is_given);
    let filled = |(col, fill): (usize, &Fill)| {
        p.targets.contains(&col) || matches!(fill, Fill::Datum(_) | Fill::Now(_) | Fill::Auto)
    };
    let whole = row.len() == p.targets.len() && row.iter().all(given);
    (plain && whole && p.fill.iter().enumerate().all(filled)).then_some(PointChange::Insert)
}

/// The value follows from the parameters and the session, and may be worked out twice.
fn is_given(e: &BExpr) -> bool {
    let mut given = true;
    e.walk(&mut |e| {
        given &= match &e.node {
            Node::Const(_)
            | Node::Param(_)
            | Node::Arith(..)
            | Node::Bits(..)
            | Node::BitNot(_)
            | Node::Neg(_)
            | Node::Is { .. }
            | Node::Case { .. }
            | Node::Cast(..)
            | Node::Collate(..)
            | Node::Adapted(..)
            | Node::DateAdd { .. }
            | Node::Extract(..) => true,
            Node::Func(def, _) => {
                matches!(def.volatility, Volatility::Never | Volatility::Statement)
            }
            _ => false,
        };
    });
    given
}

/// The value is arithmetic over the row's numbers and parameters.
fn is_small(e: &BExpr) -> bool {
    let number = |ty: &SqlType| {
        matches!(ty, SqlType::Int { .. } | SqlType::Decimal { .. } | SqlType::Double { .. })
    };
    let mut small = true;
    e.walk(&mut |e| {
        small &= match &e.node {
            Node::Const(_) | Node::Param(_) | Node::Arith(..) | Node::Neg(_) => true,
            Node::Col(c) => c.depth == 0 && c.table == 0 && number(&e.info.ty),
            _ => false,
        };
    });
    small
}
