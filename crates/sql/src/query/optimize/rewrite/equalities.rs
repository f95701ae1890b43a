//! Equalities that follow from others: `a = b AND b = c` gives `a = c`, and `a = b AND a = 5` gives `b = 5`. So tables are joined through
//! whichever of the equal columns has an index, and a constant is searched for in all of them.
//!
//! Equality is transitive among values that are compared in one way. Columns are of one class only within a [`Domain`], and a constant goes
//! over to columns of the very same type: then the comparison sees the same value.

use crate::query::expr::{BExpr, CmpOp, ColRef, Node};
use crate::query::plan::raw::Raw;
use crate::value::compare::CompareRule;
use crate::value::types::Class;
use crate::value::{Collation, SqlType, TypeInfo};

/// Columns of a class between each two of which an equality is concluded. Of more columns only those next to each other are equated.
const MOST: usize = 8;

/// Values among which equality is transitive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Domain {
    /// Integers and decimals.
    Exact,
    Double,
    Text(Collation),
    /// Dates, with a time of day or without.
    Moment,
    Time,
}

impl Domain {
    /// The domain in which two columns are compared by a rule, if they are in one.
    fn of(rule: CompareRule, a: &SqlType, b: &SqlType) -> Option<Domain> {
        let both = |is: fn(&SqlType) -> bool| is(a) && is(b);
        match rule {
            CompareRule::Int | CompareRule::Decimal => {
                both(|t| matches!(t, SqlType::Int { .. } | SqlType::Decimal { .. }))
                    .then_some(Domain::Exact)
            }
            CompareRule::Double => {
                both(|t| matches!(t, SqlType::Double { .. } | SqlType::Float { .. }))
                    .then_some(Domain::Double)
            }
            CompareRule::Text(c) => {
                let own = |t: &SqlType| t.is_string() && !t.is_list() && t.collation() == Some(c);
                (own(a) && own(b)).then_some(Domain::Text(c))
            }
            CompareRule::DateTime => both(|t| matches!(t.class(), Class::Date | Class::DateTime))
                .then_some(Domain::Moment),
            CompareRule::Time => both(|t| t.class() == Class::Time).then_some(Domain::Time),
            CompareRule::Near { .. } | CompareRule::Json => None,
        }
    }
}

/// A column of the block, with its type.
type Column = (ColRef, TypeInfo);

/// Columns that are equal in every row that is wanted.
struct EqualColumns {
    domain: Domain,
    columns: Vec<Column>,
}

pub fn apply(raw: &mut Raw) {
    let mut classes: Vec<EqualColumns> = Vec::new();
    for (a, b, domain) in raw.conds.iter().filter_map(pair) {
        join(&mut classes, domain, a, b);
    }
    let constants: Vec<(ColRef, TypeInfo, BExpr)> = raw.conds.iter().filter_map(fixed).collect();
    let mut concluded = Vec::new();
    for class in &classes {
        between_columns(class, &raw.conds, &mut concluded);
        let known = |c: &ColRef| constants.iter().any(|(k, ..)| k == c);
        for (from, info, cond) in &constants {
            if class.columns.iter().any(|(c, _)| c == from) {
                let others = class.columns.iter().filter(|(c, i)| !known(c) && i.ty == info.ty);
                concluded
                    .extend(others.filter_map(|(c, i)| over(cond, from, (*c, *i), class.domain)));
            }
        }
        let columns = class.columns.iter().map(|(c, _)| (c.table, c.col)).collect();
        raw.classes.push((columns, class.columns.iter().any(|(c, _)| known(c))));
    }
    concluded.into_iter().for_each(|c| raw.conclude(c));
    on_inner_sides(raw, &constants, &classes);
}

/// The columns of a condition that equates two of the block's, of different tables or one, and their domain.
fn pair(cond: &BExpr) -> Option<(Column, Column, Domain)> {
    let Node::Cmp { op: CmpOp::Eq, rule, a, b } = &cond.node else { return None };
    let (Node::Col(x), Node::Col(y)) = (&a.node, &b.node) else { return None };
    let domain = Domain::of((*rule)?, &a.info.ty, &b.info.ty)?;
    (x.depth == 0 && y.depth == 0 && x != y).then_some(((*x, a.info), (*y, b.info), domain))
}

/// The column that a condition equates with what no row of the block decides.
fn fixed(cond: &BExpr) -> Option<(ColRef, TypeInfo, BExpr)> {
    let Node::Cmp { op: CmpOp::Eq, a, b, .. } = &cond.node else { return None };
    let of = |column: &BExpr, value: &BExpr| match column.node {
        Node::Col(c) if c.depth == 0 && super::tables(value) == 0 && super::is_plain(value) => {
            Some((c, column.info, cond.clone()))
        }
        _ => None,
    };
    of(a, b).or_else(|| of(b, a))
}

fn join(
    classes: &mut Vec<EqualColumns>,
    domain: Domain,
    a: (ColRef, TypeInfo),
    b: (ColRef, TypeInfo),
) {
    let at = |classes: &[EqualColumns], c: ColRef| {
        classes.iter().position(|k| k.domain == domain && k.columns.iter().any(|(x, _)| *x == c))
    };
    match (at(classes, a.0), at(classes, b.0)) {
        (None, None) => classes.push(EqualColumns { domain, columns: vec![a, b] }),
        (Some(k), None) => classes[k].columns.push(b),
        (None, Some(k)) => classes[k].columns.push(a),
        (Some(k), Some(l)) if k != l => {
            let other = classes.swap_remove(k.max(l));
            classes[k.min(l)].columns.extend(other.columns);
        }
        _ => {}
    }
}

/// Equalities between columns of different tables that none of the conditions says.
fn between_columns(class: &EqualColumns, conds: &[BExpr], out: &mut Vec<BExpr>) {
    let said = |x: ColRef, y: ColRef| {
        conds.iter().filter_map(pair).any(|(a, b, _)| (a.0, b.0) == (x, y) || (a.0, b.0) == (y, x))
    };
    for (i, (x, x_info)) in class.columns.iter().enumerate() {
        let reach = if class.columns.len() > MOST { 1 } else { MOST };
        for (y, y_info) in class.columns.iter().skip(i + 1).take(reach) {
            if x.table == y.table || said(*x, *y) {
                continue;
            }
            let Ok(rule) = CompareRule::of(x_info, y_info, "=") else { continue };
            if Domain::of(rule, &x_info.ty, &y_info.ty) != Some(class.domain) {
                continue;
            }
            let column = |c: &ColRef, info: &TypeInfo| Box::new(BExpr::new(Node::Col(*c), *info));
            let (a, b) = (column(x, x_info), column(y, y_info));
            let nullable = x_info.nullable || y_info.nullable;
            let node = Node::Cmp { op: CmpOp::Eq, rule: Some(rule), a, b };
            out.push(BExpr::boolean(node, nullable));
        }
    }
}

/// The condition on one column of a class as one on another of the same type.
fn over(
    cond: &BExpr,
    from: &ColRef,
    (to, info): (ColRef, TypeInfo),
    domain: Domain,
) -> Option<BExpr> {
    let mut cond = cond.clone();
    let Node::Cmp { rule, a, b, .. } = &mut cond.node else { return None };
    // Texts that are equal in a collation may be different numbers, or differ in another collation.
    if let Domain::Text(c) = domain
        && *rule != Some(CompareRule::Text(c))
    {
        return None;
    }
    let side = if matches!(&a.node, Node::Col(c) if c == from) { a } else { b };
    **side = BExpr::new(Node::Col(to), info);
    Some(cond)
}

/// What an outer join equates with a column that has one value in all rows that are wanted, is that value: rows of the outer side with another
/// one are not wanted, whatever they are joined with.
fn on_inner_sides(
    raw: &mut Raw,
    constants: &[(ColRef, TypeInfo, BExpr)],
    classes: &[EqualColumns],
) {
    let group_of = &raw.group_of;
    let is_outer = |c: &ColRef| group_of.get(usize::from(c.table)).copied().flatten().is_none();
    for group in raw.groups.iter_mut().filter(|g| g.parent.is_none()) {
        let inside = |c: &ColRef| group.tables & (1 << c.table) != 0;
        let mut concluded = Vec::new();
        for (a, b, domain) in group.on.iter().filter_map(pair) {
            let (inner, outer) = if inside(&a.0) { (a, b) } else { (b, a) };
            if !inside(&inner.0) || inside(&outer.0) || !is_outer(&outer.0) {
                continue;
            }
            let class = classes
                .iter()
                .find(|k| k.domain == domain && k.columns.iter().any(|(c, _)| *c == outer.0));
            let same = |c: &ColRef| {
                *c == outer.0 || class.is_some_and(|k| k.columns.iter().any(|(x, _)| x == c))
            };
            let known = constants.iter().find(|(c, i, _)| same(c) && i.ty == inner.1.ty);
            concluded.extend(known.and_then(|(from, _, cond)| over(cond, from, inner, domain)));
        }
        let said: Vec<String> = group.on.iter().map(|c| format!("{:?}", c.node)).collect();
        concluded.retain(|c| !said.contains(&format!("{:?}", c.node)));
        group.on.extend(concluded);
    }
}
