//! The columns that CREATE TABLE ... SELECT makes of a query.

use super::Binder;
use crate::ddl::column::check_column_name;
use crate::errno;
use crate::func::facts::Id;
use crate::meta::{ColumnDefault, SqlColumn, SqlTable, same_name};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::env::PlanEnv;
use crate::query::plan::kept::{LONGEST_VARCHAR, kept, unmeasured};
use crate::query::plan::{Body, OutColumn, QueryPlan};
use crate::session_api::SqlError;
use crate::value::cast::text_length;
use crate::value::{Class, Collation, IntKind, LobKind, SqlType};
use weir_syntax::ast;

/// The columns of a table that is made of a query.
pub fn created_columns(query: &ast::Query, env: &PlanEnv<'_>) -> Result<Vec<SqlColumn>, SqlError> {
    let mut b = Binder::new(env);
    let plan = b.bind_query(query)?;
    let strict = env.reads.settings.mode.strict();
    let mut out: Vec<SqlColumn> = Vec::with_capacity(plan.columns.len());
    for (i, c) in plan.columns.iter().enumerate() {
        let column = match base_of(c, &mut b) {
            Some((table, at)) => copied(c, &table.columns[at], strict),
            None => computed(c, (i, &plan), strict),
        };
        check_column_name(&column.name)?;
        if out.iter().any(|k| same_name(&k.name, &column.name)) {
            return Err(SqlError::of(errno::ER_DUP_FIELDNAME, &[&column.name]));
        }
        out.push(column);
    }
    Ok(out)
}

/// The column of a table that a column of the query shows.
fn base_of(c: &OutColumn, b: &mut Binder<'_>) -> Option<(std::sync::Arc<SqlTable>, usize)> {
    let origin = c.origin.as_ref()?;
    let table = b.table(&origin.schema, &origin.org_table).ok()?;
    let at = table.column(&origin.column)?;
    (table.columns[at].ty == c.info.ty).then_some((table, at))
}

/// It keeps type, default and comment. It is no AUTO_INCREMENT and no generated column; an outer join may make it nullable.
fn copied(c: &OutColumn, base: &SqlColumn, strict: bool) -> SqlColumn {
    let mut column = SqlColumn {
        nullable: c.info.nullable,
        default: base.default.clone(),
        on_update_now: base.on_update_now,
        comment: base.comment.clone(),
        explicit_collation: base.explicit_collation,
        ..SqlColumn::new(c.name.to_string(), base.ty)
    };
    if base.auto_increment || base.is_generated() {
        column.default = without_default(column.ty, column.nullable, strict);
    }
    if column.nullable && column.default == ColumnDefault::None {
        column.default = ColumnDefault::Null;
    }
    column
}

fn computed(c: &OutColumn, (at, plan): (usize, &QueryPlan), strict: bool) -> SqlColumn {
    let ty = match (&c.origin, plan.item(at)) {
        (Some(o), _) if !o.computed => unmeasured(c.info.ty),
        // Of a view or derived table that is written into the query.
        (Some(_), _) => kept(c.info.ty),
        (_, Some(item)) => kept_of(item, c.info.ty, plan),
        // Neither INT nor INT UNSIGNED has room for the values of both.
        _ if c.info.ty.is_integer() && mixes_signs(plan, at) => SqlType::BIGINT,
        _ => kept(c.info.ty),
    };
    let nullable = c.info.nullable || c.info.ty == SqlType::Null;
    let mut column = SqlColumn::new(c.name.to_string(), ty);
    column.nullable = nullable;
    column.default = without_default(ty, nullable, strict);
    column
}

/// Whether a column of UNION has values of INT UNSIGNED, and others that have a sign.
fn mixes_signs(plan: &QueryPlan, column: usize) -> bool {
    let (mut signed, mut unsigned) = (false, false);
    for_branches(plan, &mut |branch| match branch.columns[column].info.ty {
        SqlType::Int { unsigned: false, .. } => signed = true,
        SqlType::Int { kind: IntKind::Int, unsigned: true, .. } => unsigned = true,
        _ => {}
    });
    signed && unsigned
}

fn for_branches(plan: &QueryPlan, f: &mut impl FnMut(&QueryPlan)) {
    match &plan.body {
        Body::Set { left, right, .. } => {
            for_branches(left, f);
            for_branches(right, f);
        }
        Body::Nested(inner) => for_branches(inner, f),
        _ => f(plan),
    }
}

/// The type of a column that keeps the values of this expression.
fn kept_of(item: &BExpr, ty: SqlType, plan: &QueryPlan) -> SqlType {
    let by_type = match &item.node {
        // Of these MySQL makes a column of just that type.
        Node::Func(def, _) => def.id == Id::Ifnull,
        Node::Agg(n) => plan.is_extreme(*n),
        Node::Col(_) => true,
        _ => false,
    };
    let computes =
        matches!(item.node, Node::Arith(..) | Node::Neg(_) | Node::Func(..) | Node::Case { .. });
    let taken_over = !by_type
        && !computes
        && !matches!(item.node, Node::Const(_) | Node::Param(_) | Node::Cast(..));
    let chosen = matches!(item.node, Node::Func(..) | Node::Case { .. });
    match ty {
        // A literal of nine digits is a BIGINT: of ten not all would fit an INT.
        SqlType::Int { unsigned, width: Some(10..), .. } if matches!(item.node, Node::Const(_)) => {
            SqlType::int(IntKind::Big, unsigned)
        }
        // What has no column of its own any more is as long as its digits, or its members, may be.
        SqlType::Int { kind: IntKind::Int | IntKind::Big, unsigned, width, .. }
            if taken_over && width.is_none_or(|digits| digits >= 10) =>
        {
            SqlType::int(IntKind::Big, unsigned)
        }
        SqlType::Year if taken_over => SqlType::int(IntKind::Int, true),
        SqlType::Bit { .. } if chosen => SqlType::int(IntKind::Int, true),
        _ if ty.is_list() && (chosen || taken_over) => {
            SqlType::varchar(text_length(&ty), ty.collation().unwrap_or(Collation::Binary))
        }
        // The least or largest of a column is filled up as the column is.
        _ if ty.is_zerofill() && matches!(item.node, Node::Agg(_)) => ty,
        SqlType::Int { kind, unsigned, .. } if by_type => SqlType::int(kind, unsigned),
        SqlType::Int {
            unsigned, kind: IntKind::Tiny | IntKind::Small | IntKind::Medium, ..
        } => SqlType::int(IntKind::Int, unsigned),
        SqlType::Text { collation, .. } if computes => {
            SqlType::Text { kind: LobKind::Long, collation }
        }
        SqlType::Double { unsigned, .. } if computes && !by_type => {
            let digits = ty.fixed_digits().map(|(_, d)| (22, d));
            SqlType::Double { unsigned, zerofill: false, digits }
        }
        // GROUP_CONCAT() alone makes a TEXT of 64 KiB, and a MEDIUMTEXT.
        SqlType::Char { chars, collation } | SqlType::Varchar { chars, collation }
            if chars > LONGEST_VARCHAR && matches!(item.node, Node::Agg(_)) =>
        {
            let kind = match u64::from(chars) * collation.max_char_bytes() as u64 {
                ..=0x1_0000 => LobKind::Normal,
                0x1_0001..=0xFF_FFFF => LobKind::Medium,
                _ => LobKind::Long,
            };
            SqlType::Text { kind, collation }
        }
        _ => kept(ty),
    }
}

/// NULL, or the type's zero; what can have no default has none. The zero date is no default in strict modes.
fn without_default(ty: SqlType, nullable: bool, strict: bool) -> ColumnDefault {
    match ty {
        _ if nullable => ColumnDefault::Null,
        ty if strict && matches!(ty.class(), Class::Date | Class::DateTime) => ColumnDefault::None,
        ty if ty.is_lob() => ColumnDefault::None,
        ty => ColumnDefault::Literal(ty.zero()),
    }
}
