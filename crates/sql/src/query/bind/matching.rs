//! MATCH in a statement: its columns, its key and the subquery that reads them.

use super::{Binder, shapes_of};
use crate::ddl::refused::value_error;
use crate::errno;
use crate::func::infer::{compared, mixed};
use crate::meta::{SpecialKind, SqlTable};
use crate::query::expr::{BExpr, CmpOp, ColRef, Node};
use crate::query::plan::matching::Matching;
use crate::query::plan::raw::Raw;
use crate::query::plan::{Block, Body, OutColumn, QueryPlan, Source, Sub, SubKind, TableSlot};
use crate::session_api::SqlError;
use crate::value::{Collation, SqlType, TypeInfo};
use std::sync::Arc;
use weir_syntax::ast::{self, Expr, MatchMode};

/// 1210.
fn wrong_arguments(to: &str) -> SqlError {
    SqlError::of(errno::ER_WRONG_ARGUMENTS, &[&to])
}

/// Is the value the same for all rows of the statement?
pub fn is_constant(e: &BExpr) -> bool {
    let mut constant = true;
    e.walk(&mut |e| match &e.node {
        Node::Col(_)
        | Node::Agg(_)
        | Node::OuterAgg { .. }
        | Node::Window(_)
        | Node::Sub(_)
        | Node::SubColumn { .. }
        | Node::Call { .. }
        | Node::InSub { .. }
        | Node::Quantified { .. }
        | Node::Match { .. }
        | Node::Assign(..)
        | Node::Row(_) => constant = false,
        Node::Func(def, _) => constant &= !def.draws(),
        _ => {}
    });
    constant
}

impl Binder<'_> {
    pub fn match_against(
        &mut self,
        columns: &[ast::ColumnRef],
        against: &Expr,
        mode: MatchMode,
    ) -> Result<BExpr, SqlError> {
        let bound = columns.iter().map(|c| self.column(c)).collect::<Result<Vec<_>, _>>()?;
        let against = self.scalar(against)?;
        if !is_constant(&against) {
            return Err(wrong_arguments("AGAINST"));
        }
        let mut places = Vec::new();
        for e in &bound {
            let Node::Col(c) = e.node else { return Err(wrong_arguments("MATCH")) };
            places.push(c);
        }
        let one = |c: &ColRef| (c.depth, c.table) == (places[0].depth, places[0].table);
        if places.is_empty() || !places.iter().all(one) {
            return Err(wrong_arguments("MATCH"));
        }
        let table = self.table_of(places[0])?;
        let asked: Vec<usize> = places.iter().map(|c| usize::from(c.col)).collect();
        let Some(key) = table.fulltext_over(&asked) else {
            if mode == MatchMode::Boolean && table.meta.is_like_myisam() {
                return self.match_by_row(bound, against, places[0], asked);
            }
            return Err(SqlError::of(errno::ER_FT_MATCHING_KEY_NOT_FOUND, &[]));
        };
        let in_order = |c: &usize| asked.iter().position(|a| a == c).map(|at| bound[at].clone());
        let columns: Vec<BExpr> = key.columns.iter().filter_map(in_order).collect();
        let matching = Matching {
            against,
            boolean: mode == MatchMode::Boolean,
            expands: matches!(mode, MatchMode::WithExpansion | MatchMode::NaturalWithExpansion),
            collation: columns[0].info.ty.collation().unwrap_or(Collation::Utf8mb4GeneralCi),
            ngram: key.kind == SpecialKind::FullText { ngram: true },
            place: (places[0].depth, places[0].table),
            columns: key.columns.clone(),
        };
        let plan = reads(&table, &matching.columns);
        let sub = self.matching(matching, Some(plan));
        Ok(BExpr::new(Node::Match { sub, columns }, TypeInfo::new(SqlType::DOUBLE, true)))
    }

    /// A search IN BOOLEAN MODE over columns of a table of MyISAM that have no key in common. It reads no table for itself.
    fn match_by_row(
        &mut self,
        columns: Vec<BExpr>,
        against: BExpr,
        place: ColRef,
        asked: Vec<usize>,
    ) -> Result<BExpr, SqlError> {
        let infos: Vec<TypeInfo> = columns.iter().map(|c| c.info).collect();
        // They are searched as they are stored: none is converted into another's character set.
        let sets = infos.iter().filter_map(|i| i.ty.collation()).filter(|c| !c.is_binary());
        let mut sets: Vec<_> = sets.map(|c| c.charset().name()).collect();
        sets.dedup();
        if sets.len() > 1 {
            return Err(value_error(mixed(&infos, "match")));
        }
        let matching = Matching {
            against,
            boolean: true,
            expands: false,
            collation: compared(&infos, "match").map_err(value_error)?,
            ngram: false,
            place: (place.depth, place.table),
            columns: asked,
        };
        let sub = self.matching(matching, None);
        Ok(BExpr::new(Node::Match { sub, columns }, TypeInfo::new(SqlType::DOUBLE, true)))
    }

    /// The table that a column is of; 1210 for one of a derived or computed table.
    fn table_of(&mut self, c: ColRef) -> Result<Arc<SqlTable>, SqlError> {
        let level = self.stack.len() - 1 - usize::from(c.depth);
        let t = &self.stack[level].scope.tables[usize::from(c.table)];
        if let Some(m) = &t.merged {
            return m.table(c.table.into()).cloned().ok_or_else(|| wrong_arguments("MATCH"));
        }
        let schema = t.schema.clone();
        let origin = t.columns.get(usize::from(c.col)).and_then(|c| c.origin.clone());
        match origin {
            Some(origin) if !schema.is_empty() && !crate::ddl::is_virtual_schema(&schema) => {
                // A view that is no longer one with its table stands there as a table of its own.
                self.table(&schema, &origin.org_table).map_err(|_| wrong_arguments("MATCH"))
            }
            _ => Err(wrong_arguments("MATCH")),
        }
    }

    /// The subquery of a search; equal ones of a block are one.
    fn matching(&mut self, m: Matching, plan: Option<QueryPlan>) -> u32 {
        let text = format!(
            "match {:?} {} {} {:?} {:?}",
            m.place, m.boolean, m.expands, m.columns, m.against
        );
        if let Some(at) = self.known_sub(&text, |s| matches!(s.kind, SubKind::Match(_))) {
            return at;
        }
        let kind = SubKind::Match(Box::new(m));
        let (tables, sums, draws) = (0, false, false);
        let sub = Sub { kind, plan, correlated: false, tables, sums, draws, guard: None };
        self.push_known(text, sub)
    }
}

/// The query of these columns of all rows. It asks for no right: who names the columns needs it.
fn reads(table: &Arc<SqlTable>, columns: &[usize]) -> QueryPlan {
    let item = |c: &usize| {
        let column = &table.columns[*c];
        let place = ColRef { depth: 0, table: 0, col: *c as u16 };
        BExpr::new(Node::Col(place), TypeInfo::column(column.ty, column.nullable))
    };
    let shown = |c: &usize| {
        let column = &table.columns[*c];
        let info = TypeInfo::column(column.ty, column.nullable);
        OutColumn::stored(column.name.as_str().into(), info)
    };
    let tables = vec![TableSlot::new(table.name().into(), Source::Table(table.clone()))];
    let block = Block {
        shapes: shapes_of(&tables),
        tables,
        steps: Vec::new(),
        groups: Vec::new(),
        gate: Vec::new(),
        subs: Vec::new(),
        agg: None,
        extremes: None,
        windows: Vec::new(),
        drawn: Default::default(),
        having: None,
        items: columns.iter().map(item).collect(),
        item_subs: Vec::new(),
        distinct: false,
        order: Vec::new(),
        limit: None,
        calc_found_rows: false,
        index_order: Vec::new(),
        together: Default::default(),
        guessed: 1.0,
        joins_queries: false,
        raw: Some(Raw::default()),
        seen: Default::default(),
    };
    QueryPlan {
        body: Body::Block(Box::new(block)),
        order: Vec::new(),
        limit: None,
        columns: columns.iter().map(shown).collect(),
    }
}

/// The order in which rows come that a condition finds by a search over a key: the best first, as InnoDB gives them.
pub fn by_relevance(conds: &[BExpr], subs: &[Sub]) -> Option<(BExpr, bool)> {
    let is_match = |e: &BExpr| match e.node {
        Node::Match { sub, .. } => subs.get(sub as usize).is_some_and(|s| s.plan.is_some()),
        _ => false,
    };
    let search = |e: &BExpr| match &e.node {
        Node::Match { .. } if is_match(e) => Some(e.clone()),
        Node::Cmp { op: CmpOp::Gt | CmpOp::Ge, a, .. } if is_match(a) => Some((**a).clone()),
        Node::Cmp { op: CmpOp::Lt | CmpOp::Le, b, .. } if is_match(b) => Some((**b).clone()),
        _ => None,
    };
    conds.iter().find_map(search).map(|e| (e, true))
}
