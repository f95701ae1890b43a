//! MIN and MAX without GROUP BY from an index: each is the first row of a scan in the index's order.
//!
//! The scan is an ordinary one with LIMIT 1, so read views, locks and what is deleted mean what they always do. All
//! conditions must be the index's own: constants for the columns before, bounds for the column that is asked for.
//! Otherwise the first row that satisfies them may be far, and a search by another index nearer.

use super::anew::is_drawn;
use super::seen::read_by_entries;
use super::{Optimizer, delivers};
use crate::func::aggregate::AggKind;
use crate::meta::SqlTable;
use crate::query::expr::usable::Usable;
use crate::query::expr::{BExpr, ColRef, Node, Truth};
use crate::query::plan::key::{Key, Search};
use crate::query::plan::{
    Access, Block, Body, Cond, Limit, OutColumn, QueryPlan, Source, Step, TableSlot,
};
use crate::value::Value;
use std::sync::Arc;

/// One query of one value for each aggregate, if all of them are such.
pub fn extremes(o: &Optimizer<'_>) -> Option<Vec<QueryPlan>> {
    let b = o.b;
    let agg = b.agg.as_ref().filter(|a| a.implicit)?;
    let [slot] = &b.tables[..] else { return None };
    let Source::Table(table) = &slot.source else { return None };
    if agg.specs.is_empty() || looks_at_rows(b) {
        return None;
    }
    let sub = |e: &BExpr| {
        let mut subs = Vec::new();
        e.subs(&mut subs);
        !subs.is_empty()
    };
    if o.raw.conds.iter().any(|c| sub(c) || is_drawn(c, b, o.raw)) {
        return None;
    }
    agg.specs
        .iter()
        .map(|(spec, args)| {
            let max = match spec.kind {
                AggKind::Min => false,
                AggKind::Max => true,
                _ => return None,
            };
            let [BExpr { node: Node::Col(c), .. }] = &args[..] else { return None };
            if c.depth != 0 {
                return None;
            }
            let access = access(o, table, c.col, max)?;
            Some(first_row(o, table, &args[0], max, access))
        })
        .collect()
}

/// The result shows a column outside of the aggregates, or a subquery does.
fn looks_at_rows(b: &Block) -> bool {
    let mut columns = b.subs.iter().any(|s| s.tables != 0);
    let mut see = |e: &BExpr| {
        e.walk(&mut |n| columns |= matches!(n.node, Node::Col(ColRef { depth: 0, .. })));
    };
    b.items.iter().for_each(&mut see);
    b.order.iter().for_each(|(e, _)| see(e));
    b.having.iter().for_each(|c| see(&c.expr));
    b.drawn.exprs.iter().for_each(&mut see);
    columns
}

/// The scan whose first row has the column's extreme.
fn access(o: &Optimizer<'_>, table: &Arc<SqlTable>, col: u16, max: bool) -> Option<Access> {
    // Of texts of an ENUM or SET the least by name is not the first of an index.
    if table.meta.columns[col as usize].ty.is_list() {
        return None;
    }
    let on = o.on_table(0, None, 0);
    let on_rows = o.raw.conds.iter().filter(|c| o.tables_of(c) != 0).count();
    // A search by the branches of an OR would be in several ranges.
    if on.all.len() != on_rows {
        return None;
    }
    let def = &table.engine.def;
    (0..def.indexes.len()).find_map(|index| {
        let usable = o.raw.usable[0].as_ref().is_none_or(|u| u.contains(&index));
        if !usable || !table.has_all_rows(index) {
            return None;
        }
        let mut key = o.key(table, index, &on).unwrap_or_else(|| Key {
            table: table.clone(),
            index,
            searches: vec![Search::default()],
            unique: false,
            subs: Vec::new(),
            over: None,
        });
        let [search] = &mut key.searches[..] else { return None };
        let parts = &def.indexes[index].parts;
        let fixed = &parts[..search.eq.len()];
        let own = |(c, u): &(u16, Usable)| match u {
            Usable::Eq(_) => fixed.iter().any(|p| p.col == *c as usize),
            Usable::Range(..) | Usable::AnyRange(_) => *c == col,
            Usable::Like(_) => false,
        };
        let single = search.eq.iter().all(|alts| alts.len() == 1);
        if !single || !on.all.iter().all(own) || fixed.iter().any(|p| p.col == col as usize) {
            return None;
        }
        let eq: Vec<usize> = search.eq.iter().map(Vec::len).collect();
        let reverse = delivers(table, index, &eq, &[(col as usize, max)])?;
        match parts.get(search.eq.len()) {
            // No bound but that of NULL, which is no extreme.
            Some(p) if p.col == col as usize => {
                let null = search.range.is_empty() && table.meta.columns[p.col].nullable;
                search.range.extend(null.then(Vec::new));
            }
            // The clustered key, behind an index's own columns.
            _ if on.all.iter().any(|(c, _)| *c == col) => return None,
            _ => {}
        }
        Some(if search.eq.is_empty() && search.range.is_empty() {
            Access::Scan { index, reverse }
        } else {
            Access::Ranges { key, reverse }
        })
    })
}

fn not_null(e: BExpr) -> BExpr {
    BExpr::boolean(Node::Is { expr: Box::new(e), test: Truth::Null, negated: true }, false)
}

/// The step of a block that has one table.
fn only_step(o: &Optimizer<'_>, access: Access, conds: Vec<Cond>) -> Step {
    Step {
        table: 0,
        access,
        conds,
        after: Vec::new(),
        begins: Vec::new(),
        ends: Vec::new(),
        rows: 1.0,
        possible: Box::default(),
        share: 1.0,
        told: 1.0,
        joined: 1.0,
        index_only: None,
        batched: false,
        anti: false,
        completes: o.b.tables[0].completes(),
        prune: o.pruning(0, None, 0).map(Box::new),
        kept: None,
    }
}

/// SELECT column FROM table WHERE the block's conditions LIMIT 1, in the order of the access.
fn first_row(
    o: &Optimizer<'_>,
    table: &Arc<SqlTable>,
    e: &BExpr,
    max: bool,
    access: Access,
) -> QueryPlan {
    let slot = &o.b.tables[0];
    let conds = |rows: bool| -> Vec<Cond> {
        let of_kind = o.raw.conds.iter().filter(move |c| (o.tables_of(c) != 0) == rows);
        of_kind.cloned().map(Cond::new).collect()
    };
    let mut on_row = conds(true);
    if e.info.nullable {
        on_row.push(Cond::new(not_null(e.clone())));
    }
    let mut block = Block {
        tables: vec![TableSlot {
            lock: slot.lock,
            on_locked: slot.on_locked,
            needs_external: slot.needs_external,
            columns: slot.columns.clone(),
            selected: slot.selected.clone(),
            ..TableSlot::new(slot.alias.clone(), Source::Table(table.clone()))
        }],
        shapes: o.b.shapes.clone(),
        steps: vec![only_step(o, access, on_row)],
        groups: Vec::new(),
        gate: conds(false),
        subs: Vec::new(),
        agg: None,
        extremes: None,
        windows: Vec::new(),
        drawn: Default::default(),
        having: None,
        items: vec![e.clone()],
        item_subs: Vec::new(),
        distinct: false,
        order: Vec::new(),
        limit: Some(Limit { offset: None, count: BExpr::constant(Value::Int(1)) }),
        calc_found_rows: false,
        index_order: vec![(e.clone(), max)],
        together: Default::default(),
        guessed: 1.0,
        joins_queries: false,
        raw: None,
        seen: Default::default(),
    };
    read_by_entries(&mut block);
    QueryPlan {
        body: Body::Block(Box::new(block)),
        order: Vec::new(),
        limit: None,
        columns: vec![OutColumn::computed("".into(), e.info)],
    }
}
