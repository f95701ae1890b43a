//! USING and NATURAL: columns of both operands that become one.
//!
//! As in MySQL the columns of such a join are first those joined, in the order of its first operand, then the others of the first,
//! then those of the second. The first operand of a RIGHT JOIN is the one on the right. What counts is what an operand shows
//! as its columns: those that a join within it has made one are one here.

use super::scope::{NamedColumn, ambiguous, unknown_column};
use super::{Bind, Binder, operator};
use crate::meta::same_name;
use crate::query::expr::{BExpr, CmpOp};
use weir_syntax::ast::{self, Ident, JoinKind};

const PLACE: &str = "from clause";

/// The operands of a join, whose columns are the last ones of the scope.
pub struct Operands {
    pub kind: JoinKind,
    /// Where the columns of the left one begin.
    pub named: usize,
    /// Where the columns of the right one begin.
    pub between: usize,
}

fn bare(name: &str) -> ast::ColumnRef {
    ast::ColumnRef { schema: None, table: None, column: Ident::new(name) }
}

/// Where the columns of an operand have the name. 1052 when there are several.
fn place_of(columns: &[NamedColumn], name: &str, natural: bool) -> Bind<Option<usize>> {
    let same = |c: &NamedColumn| same_name(&c.name, name) && !(natural && c.hidden);
    let mut found = columns.iter().enumerate().filter(|(_, c)| same(c)).map(|(i, _)| i);
    match (found.next(), found.next()) {
        (_, Some(_)) => Err(ambiguous(&bare(name), PLACE)),
        (at, None) => Ok(at),
    }
}

/// Pairs of columns, as positions in each operand.
fn pairs(
    left: &[NamedColumn],
    right: &[NamedColumn],
    using: Option<&[Ident]>,
) -> Bind<Vec<(usize, usize)>> {
    let mut out: Vec<(usize, usize)> = Vec::new();
    match using {
        Some(names) => {
            for n in names {
                let name = n.as_str();
                let (l, r) = (place_of(left, name, false)?, place_of(right, name, false)?);
                let both = l.zip(r).ok_or_else(|| unknown_column(&bare(name), PLACE))?;
                if !out.contains(&both) {
                    out.push(both);
                }
            }
        }
        None => {
            for (l, c) in left.iter().enumerate().filter(|(_, c)| !c.hidden) {
                let Some(r) = place_of(right, &c.name, true)? else { continue };
                // Two columns of the left are not both the one of the right.
                place_of(left, &c.name, true)?;
                out.push((l, r));
            }
        }
    }
    Ok(out)
}

impl Binder<'_> {
    /// Makes the columns of the names one, of all common names if none are given; the conditions that follow.
    pub fn join_columns(&mut self, of: Operands, using: Option<&[Ident]>) -> Bind<Vec<BExpr>> {
        self.place(PLACE);
        let right = self.top_mut().scope.columns.split_off(of.between);
        let left = self.top_mut().scope.columns.split_off(of.named);
        let pairs = pairs(&left, &right, using)?;
        let here = self.stack.len() - 1;
        let mut conds = Vec::new();
        for (l, r) in &pairs {
            let (a, b) = (left[*l].places[0], right[*r].places[0]);
            self.note_read(here, a);
            self.note_read(here, b);
            let scope = &self.top().scope;
            let (x, y) = (scope.column(a.0, a.1, 0), scope.column(b.0, b.1, 0));
            conds.push(operator::compare_exprs(CmpOp::Eq, x, y)?);
        }
        let (first, second, mut pairs) = match of.kind {
            JoinKind::Right => (right, left, pairs.iter().map(|(l, r)| (*r, *l)).collect()),
            _ => (left, right, pairs),
        };
        pairs.sort_unstable();
        let columns = &mut self.top_mut().scope.columns;
        for (a, b) in &pairs {
            // The side that is never missing gives the value.
            let mut one = first[*a].clone();
            one.places.extend_from_slice(&second[*b].places);
            // `*` shows a column that was named, also one that it would not show of either table.
            one.hidden = false;
            columns.push(one);
        }
        let others = |list: Vec<NamedColumn>, joined: Vec<usize>| {
            let rest = list.into_iter().enumerate().filter(move |(i, _)| !joined.contains(i));
            rest.map(|(_, c)| c)
        };
        columns.extend(others(first, pairs.iter().map(|p| p.0).collect()));
        columns.extend(others(second, pairs.iter().map(|p| p.1).collect()));
        Ok(conds)
    }
}
