//! Which columns of its tables a block looks at: long ones that nobody looks at stay off the page, and an index that has
//! them all need not lead to its rows.

use crate::query::expr::{BExpr, Node};
use crate::query::plan::raw::Raw;
use crate::query::plan::{Access, Block, Source, SubKind};
use crate::value::Class;
use std::collections::BTreeSet;

/// Notes at each table what is looked at. Of a block whose subqueries or derived tables look at its rows nothing is known.
pub fn note_columns(b: &mut Block, raw: &Raw) {
    let lateral = b.tables.iter().any(|t| t.lateral.is_some());
    if lateral || b.subs.iter().any(|s| s.correlated && s.plan.is_some()) {
        return;
    }
    let mut seen = vec![BTreeSet::new(); b.tables.len()];
    let mut see = |e: &BExpr| {
        e.walk(&mut |n| {
            if let Node::Col(c) = n.node
                && c.depth == 0
            {
                seen[c.table as usize].insert(c.col);
            }
        });
    };
    b.items.iter().for_each(&mut see);
    b.order.iter().for_each(|(e, _)| see(e));
    b.having.iter().for_each(|c| see(&c.expr));
    b.drawn.exprs.iter().for_each(&mut see);
    b.windows.iter().flat_map(|w| w.exprs()).for_each(&mut see);
    raw.conds.iter().for_each(&mut see);
    raw.groups.iter().flat_map(|g| &g.on).for_each(&mut see);
    if let Some(a) = &b.agg {
        a.keys.iter().for_each(&mut see);
        a.specs.iter().flat_map(|(_, args)| args).for_each(&mut see);
    }
    for s in &b.subs {
        match &s.kind {
            SubKind::Sleep(e) | SubKind::LoadFile(e) => see(e),
            SubKind::Benchmark(n, e) | SubKind::GetLock(n, e) => {
                see(n);
                see(e);
            }
            SubKind::Call(_, args) | SubKind::Wait(_, args) => args.iter().for_each(&mut see),
            SubKind::Scalar
            | SubKind::Exists
            | SubKind::Row
            | SubKind::Rows
            | SubKind::Match(_) => {}
        }
    }
    for (slot, columns) in b.tables.iter_mut().zip(seen) {
        slot.needs_external = match &slot.source {
            // A virtual column that rows lack is made of others, which may be long.
            Source::Table(t) => columns.iter().map(|c| usize::from(*c)).any(|c| {
                matches!(t.meta.columns[c].ty.class(), Class::Text | Class::Json)
                    || t.rules.late.contains(&c)
            }),
            _ => false,
        };
        slot.columns = Some(columns.into_iter().collect());
    }
}

/// A query that takes no locks reads an index alone where that has all columns.
pub fn read_by_entries(b: &mut Block) {
    for s in &mut b.steps {
        let index = match &s.access {
            Access::Scan { index, .. } | Access::Loose { index, .. } => *index,
            Access::Ranges { key, .. } => key.index,
            Access::Skip(s) => s.key.index,
            Access::Point(_) | Access::Merged(_) | Access::Mem { .. } => 0,
        };
        let slot = &b.tables[s.table];
        s.index_only = slot.columns.clone().filter(|_| slot.is_covered_by(index));
    }
}
