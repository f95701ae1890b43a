//! Each rule over conditions as they are bound: what comes of them, as text.

use super::*;
use crate::query::expr::{CmpOp, ColRef, Node};
use crate::query::plan::raw::RawGroup;
use crate::value::compare::CompareRule;
use crate::value::{SqlType, TypeInfo, Value};

fn col(table: u16, col: u16) -> BExpr {
    let place = ColRef { depth: 0, table, col };
    BExpr::new(Node::Col(place), TypeInfo::column(SqlType::BIGINT, true))
}

fn int(n: i64) -> BExpr {
    BExpr::constant(Value::Int(n))
}

fn cmp(op: CmpOp, a: BExpr, b: BExpr) -> BExpr {
    let (a, b) = (Box::new(a), Box::new(b));
    BExpr::boolean(Node::Cmp { op, rule: Some(CompareRule::Int), a, b }, true)
}

fn eq(a: BExpr, b: BExpr) -> BExpr {
    cmp(CmpOp::Eq, a, b)
}

fn and(list: Vec<BExpr>) -> BExpr {
    BExpr::boolean(Node::And(list), true)
}

fn or(list: Vec<BExpr>) -> BExpr {
    BExpr::boolean(Node::Or(list), true)
}

fn not(e: BExpr) -> BExpr {
    BExpr::boolean(Node::Not(Box::new(e)), true)
}

/// A condition as short text: columns are `table.column`.
fn shown(e: &BExpr) -> String {
    let list = |l: &[BExpr], between: &str| {
        format!("({})", l.iter().map(shown).collect::<Vec<_>>().join(between))
    };
    match &e.node {
        Node::Col(c) => format!("{}.{}", c.table, c.col),
        Node::Const(v) => v.to_string_lossy().unwrap_or_else(|| "NULL".into()),
        Node::Cmp { op, a, b, .. } => format!("{} {op:?} {}", shown(a), shown(b)),
        Node::And(l) => list(l, " and "),
        Node::Or(l) => list(l, " or "),
        Node::Not(e) => format!("not {}", shown(e)),
        other => format!("{other:?}"),
    }
}

fn raw(conds: Vec<BExpr>) -> Raw {
    Raw { conds, group_of: vec![None; 4], ..Raw::default() }
}

/// What rules make of conditions.
fn made(conds: Vec<BExpr>) -> Vec<String> {
    let mut raw = raw(conds);
    rewrite(&mut raw, Switches::default());
    raw.conds.iter().map(shown).collect()
}

#[test]
fn negations_reach_comparisons() {
    let less = || cmp(CmpOp::Lt, col(0, 0), int(1));
    let equal = || eq(col(0, 1), int(2));
    assert_eq!(made(vec![not(or(vec![less(), equal()]))]), ["0.0 Ge 1", "0.1 Ne 2"]);
    assert_eq!(made(vec![not(and(vec![less(), not(equal())]))]), ["(0.0 Ge 1 or 0.1 Eq 2)"]);
    assert_eq!(made(vec![not(not(less()))]), ["0.0 Lt 1"]);
    let null_safe = cmp(CmpOp::NullSafe, col(0, 0), int(1));
    assert_eq!(made(vec![not(null_safe)]), ["not 0.0 NullSafe 1"]);
    let mut raw = raw(vec![not(less())]);
    rewrite(&mut raw, Switches::of("negation_pushdown=off"));
    assert_eq!(shown(&raw.conds[0]), "not 0.0 Lt 1");
}

#[test]
fn what_all_branches_say_stands_before_them() {
    let join = || eq(col(0, 0), col(1, 0));
    let own = |n| eq(col(0, 1), int(n));
    let out = made(vec![or(vec![and(vec![join(), own(1)]), and(vec![own(2), join()])])]);
    assert_eq!(out, ["(0.1 Eq 1 or 0.1 Eq 2)", "0.0 Eq 1.0"]);
    // A branch that says no more makes the others needless.
    assert_eq!(made(vec![or(vec![join(), and(vec![join(), own(1)])])]), ["0.0 Eq 1.0"]);
}

#[test]
fn an_or_over_tables_filters_each() {
    let branch = |n| and(vec![eq(col(0, 1), int(n)), eq(col(1, 1), int(n))]);
    let out = made(vec![or(vec![branch(1), branch(2)])]);
    assert_eq!(out[1..], ["(0.1 Eq 1 or 0.1 Eq 2)", "(1.1 Eq 1 or 1.1 Eq 2)"]);
    let half = made(vec![or(vec![branch(1), eq(col(0, 1), int(2))])]);
    assert_eq!(half[1..], ["(0.1 Eq 1 or 0.1 Eq 2)"]);
    // Of the outer side nothing follows from ON.
    let mut raw = raw(vec![]);
    let on = vec![or(vec![branch(1), branch(2)])];
    raw.groups.push(RawGroup { parent: None, tables: 2, on });
    raw.group_of[1] = Some(0);
    rewrite(&mut raw, Switches::default());
    let on: Vec<String> = raw.groups[0].on.iter().map(shown).collect();
    assert_eq!(on[1..], ["(1.1 Eq 1 or 1.1 Eq 2)"]);
}

#[test]
fn equalities_are_transitive() {
    let chain = vec![eq(col(0, 0), col(1, 0)), eq(col(1, 0), col(2, 0))];
    assert_eq!(made(chain.clone())[2..], ["0.0 Eq 2.0"]);
    let with_constant = [chain, vec![eq(col(2, 0), int(7))]].concat();
    let out = made(with_constant);
    assert_eq!(out[3..], ["0.0 Eq 2.0", "0.0 Eq 7", "1.0 Eq 7"]);
    // Two classes that an equality makes one.
    let two = vec![eq(col(0, 0), col(1, 0)), eq(col(2, 0), col(3, 0)), eq(col(1, 0), col(2, 0))];
    assert_eq!(made(two)[3..], ["0.0 Eq 2.0", "0.0 Eq 3.0", "1.0 Eq 3.0"]);
}

#[test]
fn columns_of_other_kinds_are_of_no_class() {
    let text = |t| {
        let ty = SqlType::varchar(9, crate::value::Collation::Utf8mb4GeneralCi);
        let place = ColRef { depth: 0, table: t, col: 0 };
        BExpr::new(Node::Col(place), TypeInfo::column(ty, true))
    };
    let by = |rule, a, b| {
        let (a, b) = (Box::new(a), Box::new(b));
        BExpr::boolean(Node::Cmp { op: CmpOp::Eq, rule: Some(rule), a, b }, true)
    };
    // '1' and '01' are the same number, and other texts.
    let mixed = vec![
        by(CompareRule::Double, text(0), col(1, 0)),
        by(CompareRule::Double, col(1, 0), text(2)),
    ];
    assert_eq!(made(mixed).len(), 2);
    // What is equal in another collation need not be the same number.
    let ci = CompareRule::Text(crate::value::Collation::Utf8mb4GeneralCi);
    let number = vec![by(ci, text(0), text(1)), by(CompareRule::Double, text(0), int(1))];
    assert_eq!(made(number).len(), 2);
}

#[test]
fn an_outer_join_gets_the_constant_of_its_outer_side() {
    let mut raw = raw(vec![eq(col(0, 0), int(5))]);
    raw.groups.push(RawGroup { parent: None, tables: 2, on: vec![eq(col(1, 0), col(0, 0))] });
    raw.group_of[1] = Some(0);
    rewrite(&mut raw, Switches::default());
    let on: Vec<String> = raw.groups[0].on.iter().map(shown).collect();
    assert_eq!(on, ["1.0 Eq 0.0", "1.0 Eq 5"]);
}
