//! The expressions of a table's definition, bound: what the writer of rows (`write`) and ALTER TABLE ask about a row.
//!
//! They are bound once, at the first row that asks for them, and kept with the definition ([`SqlTable::bound`]): the kept text
//! means the same in every session (`ddl::expression`). A table without such expressions never comes here.

use super::partition::{self, Router};
use super::scope::{self, Scope, ScopeColumn, ScopeTable};
use super::{Binder, key_values};
use crate::context::{Reads, RowExprs, UserVars};
use crate::ddl::expression;
use crate::errno;
use crate::meta::constraint::checks_by_name;
use crate::meta::{ColumnDefault, SqlColumn, SqlTable, TableMeta};
use crate::query::eval::frame::{Frame, Slot};
use crate::query::eval::{Ev, eval, truth};
use crate::query::expr::BExpr;
use crate::query::plan::env::PlanEnv;
use crate::query::plan::kept::kept;
use crate::query::plan::outcome::Run;
use crate::query::plan::shape::Shape;
use crate::session_api::SqlError;
use crate::value::{DatumBuf, SqlType, StoreCtx, TypeInfo, Value};
use std::sync::Arc;
use weir_engine::row::{RowBuilder, RowView};

/// A definition's expressions. Column `i` of the table is column `i` of the one table they see.
pub struct BoundRules {
    /// The enforced checks by name.
    checks: Vec<(String, BExpr)>,
    /// Generated columns in their order, and columns with an expression as default.
    generated: Vec<(usize, BExpr)>,
    defaults: Vec<(usize, BExpr)>,
    pub partitions: Option<Router>,
}

/// How values are stored that an expression gives.
#[derive(Clone, Copy)]
pub struct Storing {
    pub strict: bool,
    pub row: u64,
}

/// The rules of a table, bound if nobody did so before.
pub fn of<'t>(
    table: &'t SqlTable,
    reads: Reads<'_>,
    user_vars: &UserVars,
) -> Result<&'t BoundRules, SqlError> {
    let bound = match table.bound.get() {
        Some(bound) => bound,
        None => {
            let rules = bind(table.name(), &table.meta, &PlanEnv::new(reads, user_vars, &[]))?;
            // Anyone else who was as fast has bound the same.
            table.bound.get_or_init(|| Box::new(rules))
        }
    };
    bound.downcast_ref().ok_or_else(|| SqlError::internal("rules of a table of another kind"))
}

/// The names of a definition's expressions: the columns of its table.
fn one_table(table: &str, columns: &[SqlColumn]) -> Scope {
    let column = |c: &SqlColumn| ScopeColumn {
        name: scope::column_name(c),
        info: TypeInfo::column(c.ty, c.nullable),
        hidden: c.invisible,
        origin: None,
    };
    let table = ScopeTable {
        schema: "".into(),
        alias: table.into(),
        columns: columns.iter().map(column).collect(),
        nullable: false,
        merged: None,
        row_id: None,
    };
    Scope::of([table])
}

/// See [`crate::context::TypeOf`].
pub fn type_of(
    reads: Reads<'_>,
    table: &str,
    columns: &[SqlColumn],
    text: &str,
) -> Result<SqlType, SqlError> {
    let user_vars = UserVars::default();
    let env = PlanEnv::new(reads, &user_vars, &[]);
    let mut b = Binder::new(&env);
    b.enter(one_table(table, columns));
    b.place("functional index");
    let e = b.scalar(&expression::parse(text)?)?;
    if !b.leave().subs.is_empty() {
        return Err(SqlError::internal("a subquery in a definition"));
    }
    Ok(kept(e.info.ty))
}

fn bind(table: &str, meta: &TableMeta, env: &PlanEnv<'_>) -> Result<BoundRules, SqlError> {
    let mut b = Binder::new(env);
    b.enter(one_table(table, &meta.columns));
    if meta.checks.iter().any(|c| c.expr.contains("default(")) {
        b.defined = meta.columns.clone();
    }
    let checks = checks_by_name(&meta.checks, table)
        .into_iter()
        .map(|(name, check)| {
            b.place("check constraint");
            let e = b.numeric(&expression::parse(&check.expr)?)?;
            Ok((check.enforced, name, e))
        })
        .collect::<Result<Vec<_>, SqlError>>()?;
    let (mut generated, mut defaults) = (Vec::new(), Vec::new());
    for (i, c) in meta.columns.iter().enumerate() {
        let (text, list, place) = match &c.default {
            ColumnDefault::Generated { expr, .. } => {
                (expr, &mut generated, "generated column function")
            }
            ColumnDefault::Expr(text) => (text, &mut defaults, "default value expression"),
            _ => continue,
        };
        b.place(place);
        let e = expression::parse(text)?;
        let bound = match c.array {
            Some(element) => b.array(&e, element),
            None => b.stored(&e, &c.ty),
        };
        list.push((i, bound?));
    }
    let by = meta.partitions.as_ref();
    let partitions = by.map(|by| Router::bind(&mut b, by, meta)).transpose()?;
    if !b.leave().subs.is_empty() {
        return Err(SqlError::internal("a subquery in a definition"));
    }
    let enforced = checks.into_iter().filter(|(enforced, ..)| *enforced);
    let checks = enforced.map(|(_, name, e)| (name, e)).collect();
    Ok(BoundRules { checks, generated, defaults, partitions })
}

impl BoundRules {
    /// Generated columns by number, with their expressions.
    pub fn generated(&self) -> &[(usize, BExpr)] {
        &self.generated
    }

    /// Generated columns of a row of values.
    pub fn generate(
        &self,
        shapes: &[Shape],
        columns: &[SqlColumn],
        row: &mut [DatumBuf],
        how: Storing,
        ev: &mut Ev<'_>,
    ) -> Run<()> {
        compute(self.generated.iter(), shapes, columns, row, how, ev)
    }

    /// Defaults of the columns `wanted`.
    pub fn fill(
        &self,
        wanted: &[usize],
        shapes: &[Shape],
        columns: &[SqlColumn],
        row: &mut [DatumBuf],
        how: Storing,
        ev: &mut Ev<'_>,
    ) -> Run<()> {
        let list = self.defaults.iter().filter(|(i, _)| wanted.contains(i));
        compute(list, shapes, columns, row, how, ev)
    }

    /// The error of the first check that the row does not pass. Unknown passes.
    fn refusal(&self, f: &Frame<'_>, ev: &mut Ev<'_>) -> Run<Option<SqlError>> {
        for (name, condition) in &self.checks {
            if truth(condition, f, ev)? == Some(false) {
                return Ok(Some(violated(name)));
            }
        }
        Ok(None)
    }

    /// As [`BoundRules::refusal`], of a row in its stored form, which is given back.
    pub fn refusal_of_image(
        &self,
        table: &Arc<SqlTable>,
        image: &mut Vec<u8>,
        ev: &mut Ev<'_>,
    ) -> Run<Option<SqlError>> {
        let shapes = [Shape::Table(table.clone())];
        let mut slots = [Slot::Bytes(std::mem::take(image))];
        let refusal =
            self.refusal(&Frame { shapes: &shapes, slots: &slots, ..Frame::empty(&[]) }, ev);
        if let Slot::Bytes(bytes) = &mut slots[0] {
            *image = std::mem::take(bytes);
        }
        refusal
    }
}

/// The row with the virtual columns that came after it was written ([`RowRules::late`](crate::meta::RowRules::late)); `None`: it has them
/// all. Its long columns are in place. A value that does not fit its column is made to fit, for no statement gave it.
pub fn complete(
    table: &Arc<SqlTable>,
    row: &[u8],
    reads: Reads<'_>,
    ev: &mut Ev<'_>,
) -> Run<Option<Vec<u8>>> {
    let view = RowView::new(&table.engine.layout, row);
    let late = &table.rules.late;
    if !late.iter().any(|i| view.lacks(*i)) {
        return Ok(None);
    }
    let rules = of(table, reads, ev.user_vars)?;
    let shapes = [Shape::Table(table.clone())];
    let columns = &table.meta.columns;
    let mut values: Vec<DatumBuf> = view.iter().map(DatumBuf::from).collect();
    let list = rules.generated.iter().filter(|(i, _)| late.contains(i) && view.lacks(*i));
    let strict = std::mem::replace(&mut ev.cx.strict_dml, false);
    let how = Storing { strict: false, row: 1 };
    let done = compute(list, &shapes, columns, &mut values, how, ev);
    ev.cx.strict_dml = strict;
    done?;
    for &i in late {
        if values[i] == DatumBuf::Null && !columns[i].nullable {
            values[i] = columns[i].ty.zero();
        }
    }
    let mut builder = RowBuilder::new(&table.engine.layout);
    for value in &values {
        builder.push(value.as_ref());
    }
    let mut out = Vec::new();
    builder.finish_into(&mut out).map_err(|e| SqlError::internal(e.to_string()))?;
    Ok(Some(out))
}

/// Each column of the list by its expression, which sees the values of those before.
fn compute<'e>(
    list: impl Iterator<Item = &'e (usize, BExpr)>,
    shapes: &[Shape],
    columns: &[SqlColumn],
    row: &mut [DatumBuf],
    how: Storing,
    ev: &mut Ev<'_>,
) -> Run<()> {
    let tz = ev.cx.tz;
    let load = |(d, c): (&DatumBuf, &SqlColumn)| c.ty.load(d.as_ref(), tz).into_owned();
    let mut slots = [Slot::Values(row.iter().zip(columns).map(load).collect())];
    for (col, e) in list {
        let column = &columns[*col];
        let one = |ev: &mut Ev<'_>| {
            let frame = Frame { shapes, slots: &slots, ..Frame::empty(&[]) };
            let v = eval(e, &frame, ev)?.into_owned();
            let cx = &mut ev.cx;
            let mut sx = StoreCtx {
                column: &column.name,
                table: None,
                row: how.row,
                strict: how.strict,
                mode: cx.mode,
                tz: cx.tz,
                now_micros: cx.now_micros,
                warnings: &mut cx.warnings,
                session: Some(cx.session),
            };
            Ok(column.ty.store(&v, &mut sx)?)
        };
        row[*col] = match column.hidden {
            true => key_values::make(column, (how.strict, how.row), ev, one)?,
            false => one(ev)?,
        };
        if let Slot::Values(values) = &mut slots[0] {
            values[*col] = column.ty.load(row[*col].as_ref(), tz).into_owned();
        }
    }
    Ok(())
}

/// 3819.
fn violated(name: &str) -> SqlError {
    SqlError::of(errno::ER_CHECK_CONSTRAINT_VIOLATED, &[&name])
}

/// The rules of a definition that is being made: its rows have no stored form yet.
struct Drafted<'a> {
    reads: Reads<'a>,
    rules: BoundRules,
    meta: TableMeta,
    shapes: [Shape; 1],
    now_micros: i64,
    unvalidated: Vec<usize>,
}

/// See [`crate::context::BindRows`].
pub fn bind_rows<'a>(
    reads: Reads<'a>,
    now_micros: i64,
    table: &str,
    meta: &TableMeta,
) -> Result<Box<dyn RowExprs + 'a>, SqlError> {
    let user_vars = UserVars::default();
    let rules = bind(table, meta, &PlanEnv::new(reads, &user_vars, &[]))?;
    let shapes = [Shape::Values(meta.columns.iter().map(|c| c.ty).collect())];
    let meta = meta.clone();
    Ok(Box::new(Drafted { reads, rules, meta, shapes, now_micros, unvalidated: Vec::new() }))
}

impl Drafted<'_> {
    /// Generated columns one by one, since some are made to fit and others are not.
    fn generate_in_turn(&self, row: &mut [DatumBuf], how: Storing, ev: &mut Ev<'_>) -> Run<()> {
        for one in &self.rules.generated {
            let strict = how.strict && !self.unvalidated.contains(&one.0);
            ev.cx.strict_dml = strict;
            let how = Storing { strict, ..how };
            compute(std::iter::once(one), &self.shapes, &self.meta.columns, row, how, ev)?;
        }
        Ok(())
    }
}

impl RowExprs for Drafted<'_> {
    fn complete(
        &mut self,
        row: &mut [DatumBuf],
        added: &[usize],
        row_number: u64,
    ) -> Result<(), SqlError> {
        let cx = self.reads.eval(self.now_micros);
        let how = Storing { strict: cx.mode.strict(), row: row_number };
        let mut user_vars = UserVars::default();
        let mut ev =
            Ev { cx, vars: self.reads.vars, user_vars: &mut user_vars, lists: Default::default() };
        ev.cx.strict_dml = how.strict;
        let (rules, shapes, columns) = (&self.rules, &self.shapes, &self.meta.columns);
        rules
            .fill(added, shapes, columns, row, how, &mut ev)
            .and_then(|()| match self.unvalidated.is_empty() {
                true => rules.generate(shapes, columns, row, how, &mut ev),
                false => self.generate_in_turn(row, how, &mut ev),
            })
            .map_err(crate::query::plan::outcome::RunError::into_sql)
    }

    fn leave_unvalidated(&mut self, columns: Vec<usize>) {
        self.unvalidated = columns;
    }

    fn default_value(&mut self, column: usize) -> Result<(SqlType, Value<'static>), SqlError> {
        let found = self.rules.defaults.iter().find(|(c, _)| *c == column);
        let (_, e) = found.ok_or_else(|| SqlError::internal("a column without an expression"))?;
        let mut user_vars = UserVars::default();
        let cx = self.reads.eval(self.now_micros);
        let mut ev =
            Ev { cx, vars: self.reads.vars, user_vars: &mut user_vars, lists: Default::default() };
        let slots = [Slot::Null];
        let frame = Frame { shapes: &self.shapes, slots: &slots, ..Frame::empty(&[]) };
        let v = eval(e, &frame, &mut ev).map_err(crate::ddl::refused::value_error)?;
        Ok((e.info.ty, v.into_owned()))
    }

    fn check(&mut self, row: &[DatumBuf]) -> Result<(), SqlError> {
        let tz = self.reads.settings.tz;
        let load = |(d, c): (&DatumBuf, &SqlColumn)| -> Value<'static> {
            c.ty.load(d.as_ref(), tz).into_owned()
        };
        let slots = [Slot::Values(row.iter().zip(&self.meta.columns).map(load).collect())];
        let mut user_vars = UserVars::default();
        let cx = self.reads.eval(self.now_micros);
        let mut ev =
            Ev { cx, vars: self.reads.vars, user_vars: &mut user_vars, lists: Default::default() };
        let frame = Frame { shapes: &self.shapes, slots: &slots, ..Frame::empty(&[]) };
        let refusal = self.rules.refusal(&frame, &mut ev);
        match refusal.map_err(crate::query::plan::outcome::RunError::into_sql)? {
            Some(e) => Err(e),
            None => Ok(()),
        }
    }

    fn partition(&mut self, row: &[DatumBuf]) -> Result<usize, SqlError> {
        let Some(router) = &self.rules.partitions else { return Ok(0) };
        let mut user_vars = UserVars::default();
        let cx = self.reads.eval(self.now_micros);
        let mut ev =
            Ev { cx, vars: self.reads.vars, user_vars: &mut user_vars, lists: Default::default() };
        partition::number_of_values(router, &self.meta, row, &mut ev)
    }
}
