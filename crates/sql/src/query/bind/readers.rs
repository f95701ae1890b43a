//! Who reads the common tables of a statement.

use crate::query::plan::{Block, Body, QueryPlan, Source, TableSlot};

/// A common table with one reader is a derived table: its rows need not be the same for anyone else, so conditions may go into its query.
pub fn free_if_alone(plan: &mut QueryPlan, number: u32) {
    let mut readers = 0;
    for_slots(plan, &mut |slot| readers += usize::from(slot.common == Some(number)));
    if readers == 1 {
        for_slots(plan, &mut |slot| {
            if slot.common == Some(number) {
                slot.common = None;
            }
        });
    }
}

/// All tables of a query and of the queries within it.
fn for_slots(q: &mut QueryPlan, f: &mut impl FnMut(&mut TableSlot)) {
    match &mut q.body {
        Body::Block(b) => for_slots_of(b, f),
        Body::Set { left, right, .. } => {
            for_slots(left, f);
            for_slots(right, f);
        }
        Body::Nested(inner) => for_slots(inner, f),
        Body::Recursive(r) => {
            for_slots(&mut r.seed, f);
            r.steps.iter_mut().for_each(|step| for_slots(step, f));
        }
        Body::Json(json) => for_slots(&mut json.source, f),
        Body::Values(_) => {}
    }
}

fn for_slots_of(b: &mut Block, f: &mut impl FnMut(&mut TableSlot)) {
    for slot in &mut b.tables {
        f(slot);
        if let Source::Derived(q) = &mut slot.source {
            for_slots(q, f);
        }
    }
    for plan in b.subs.iter_mut().filter_map(|s| s.plan.as_mut()) {
        for_slots(plan, f);
    }
}
