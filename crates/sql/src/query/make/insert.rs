//! The plan of an INSERT.

use super::change::generated_value;
use super::load;
use crate::account::Privileges;
use crate::ddl::denied_to;
use crate::errno;
use crate::meta::{ColumnDefault, SqlTable, same_name};
use crate::planted::{self, Bug};
use crate::query::bind::scope::{Scope, ScopeColumn, ScopeTable, unknown_column};
use crate::query::bind::{
    Binder, as_number, by_place, number_as_text, own_reads, partition, several_bases, shapes_of,
    table_scope,
};
use crate::query::expr::{BExpr, ColRef, Node};
use crate::query::optimize;
use crate::query::plan::change::ViewRows;
use crate::query::plan::insert::{FIRST_SOURCE, Fill, InsertPlan, Rows};
use crate::query::plan::shape::Shape;
use crate::query::plan::{Body, QueryPlan, Source, Sub, TableSlot};
use crate::session_api::SqlError;
use crate::value::{DatumBuf, SqlType, TypeInfo};
use std::sync::Arc;
use weir_engine::ObjectKind;
use weir_syntax::ast::{self, Expr, InsertSource};

pub async fn bind(b: &mut Binder<'_>, i: &ast::Insert) -> Result<InsertPlan, SqlError> {
    bind_rows(b, i, None).await
}

/// LOAD DATA and LOAD XML: an INSERT whose rows are a file's.
pub async fn bind_load(b: &mut Binder<'_>, l: &ast::LoadData) -> Result<InsertPlan, SqlError> {
    // A format goes by the SQL mode, a file's character set by a variable.
    b.cacheable = false;
    let column = |t: &ast::LoadTarget| match t {
        ast::LoadTarget::Column(c) => Some(c.clone()),
        ast::LoadTarget::UserVar(_) => None,
    };
    let insert = ast::Insert {
        replace: l.duplicates == ast::LoadDuplicates::Replace,
        hints: None,
        priority: None,
        // What the client sends cannot be stopped in the middle.
        ignore: match l.duplicates {
            ast::LoadDuplicates::Ignore => true,
            ast::LoadDuplicates::Error => l.local || planted::is(Bug::LoadErrorIgnored),
            ast::LoadDuplicates::Replace => false,
        },
        table: l.table.clone(),
        partitions: l.partitions.clone(),
        columns: (!l.targets.is_empty()).then(|| l.targets.iter().filter_map(column).collect()),
        source: InsertSource::Values(Vec::new()),
        row_alias: None,
        on_duplicate: Vec::new(),
    };
    bind_rows(b, &insert, Some(l)).await
}

/// Whether an expression may look at the target's columns.
fn reads_target(i: &ast::Insert) -> bool {
    fn looks(e: &ast::Expr) -> bool {
        use ast::Expr as E;
        match e {
            E::Literal(_) | E::Param(_) | E::Default | E::UserVar(_) | E::SysVar(_) => false,
            E::Unary { expr, .. } | E::Odbc { expr, .. } => looks(expr),
            E::Call(c) => c.args.iter().any(looks),
            _ => true,
        }
    }
    let values = match &i.source {
        InsertSource::Values(rows) => rows.iter().flatten().any(looks),
        InsertSource::Query(_) => false,
    };
    values || !i.on_duplicate.is_empty()
}

async fn bind_rows(
    b: &mut Binder<'_>,
    i: &ast::Insert,
    load: Option<&ast::LoadData>,
) -> Result<InsertPlan, SqlError> {
    let schema = match (&i.table.schema, b.env.reads.schema) {
        (Some(s), _) => s.as_str(),
        (None, Some(s)) => s,
        (None, None) => return Err(SqlError::no_database()),
    };
    let temporary = b.is_temporary(schema, i.table.name.as_str());
    if !temporary && b.env.reads.shared.computed(schema, i.table.name.as_str()).is_some() {
        return Err(denied_to(schema, b.env.reads.conn));
    }
    let view = b.env.reads.db().object(ObjectKind::View, schema, i.table.name.as_str());
    let view = view.filter(|_| !temporary);
    let (target, base_name, view_subs) = match &view {
        Some(o) => {
            let reads = load.is_some() || reads_target(i);
            b.insert_target(o, i.columns.as_deref(), i.replace, reads)?
        }
        None => {
            let name = i.table.name.as_str();
            let table = b.table(schema, name)?;
            if !temporary {
                b.uses.table(schema, table.name(), Privileges::NONE);
            }
            b.seen.push(table.clone());
            (table_scope(&table, table.name()), Arc::from(table.name()), Vec::new())
        }
    };
    let table = match target.view().zip(target.merged.as_ref().and_then(|m| m.table(0))) {
        Some((view, table)) => {
            let replaces = if i.replace { Privileges::DELETE } else { Privileges::NONE };
            let updates =
                if i.on_duplicate.is_empty() { Privileges::NONE } else { Privileges::UPDATE };
            b.change_through(view, table, Privileges::INSERT | replaces | updates);
            table.clone()
        }
        None => b.table(schema, i.table.name.as_str())?,
    };
    b.changes(&table, &target)?;
    let selected = partition::selected(&table, &i.partitions)?;
    // LAST_INSERT_ID() tells nothing of a column that the view has not.
    let hides_id = target.merged.as_ref().zip(table.rules.counter).is_some_and(|(m, counter)| {
        !(0..m.items.len()).any(|n| m.base_column(n) == Some((0, counter)))
    });
    let view = ViewRows::of(&Scope::of([target.clone()])).pop();
    let mut targets = targets(&table, &target, i)?;
    let fill = fills(&table);
    // The source of INSERT ... SELECT sees nothing of the target.
    let query = match &i.source {
        InsertSource::Query(q) => {
            b.keep_scope = !i.on_duplicate.is_empty();
            Some(b.bind_query(q)?)
        }
        InsertSource::Values(_) => None,
    };
    let sources = b.kept_scope.take();
    let widths: Vec<usize> =
        sources.iter().flat_map(|s| &s.tables).map(|t| t.columns.len()).collect();
    let new_scope = new_row(i, &table, &target, &targets)?;
    b.enter(Scope::of([target.clone()]));
    // They come first, as the view's conditions know them by number.
    b.top_mut().subs = view_subs;
    let bound = bind_values(b, i, (&table, &target), &targets, new_scope, sources);
    let loaded = load.map(|l| {
        load::bind(b, l, (&table, &target), &mut targets, |name| {
            target_column(&table, &target, name)
        })
    });
    let mut ctx = b.leave();
    let (values, on_duplicate) = bound?;
    let loaded = loaded.transpose()?;
    // `VALUES ()` names no column. LOAD DATA has no rows here, and names those of the file.
    let names_none =
        matches!(&i.source, InsertSource::Values(rows) if rows.iter().all(Vec::is_empty));
    // Temporary tables ask for no right, nor do those that CREATE ... SELECT fills.
    let asks = !table.is_temporary();
    let names = i.columns.is_some() || loaded.is_some() || !names_none;
    // Without a list the right is one on the whole table; LOAD DATA asks for each column.
    let whole = loaded.is_none() && i.columns.as_ref().is_none_or(Vec::is_empty);
    let all: Vec<usize> = (0..table.meta.columns.len()).collect();
    let written = if names && !targets.is_empty() { &targets } else { &all };
    for &column in written.iter().filter(|_| asks) {
        b.writes_column(&target, (0, column), Privileges::INSERT, whole);
    }
    for (column, _) in &on_duplicate {
        b.writes_column(&target, (0, *column), Privileges::UPDATE, false);
    }
    // The rows of a SELECT are all known before the first is inserted. VALUES may read the table by another name, as in MySQL.
    if matches!(&i.source, InsertSource::Values(_)) && !table.is_temporary() {
        let is_view = target.view().is_some();
        let shown = own_reads::Target { name: &target.alias, is_view, verb: "INSERT" };
        let alias = i.on_duplicate.is_empty().then_some(&*base_name);
        own_reads::refuse(&ctx.subs, &table, alias, &shown)?;
    }
    let mut read = Vec::new();
    let mut shapes_read: Vec<Vec<SqlType>> =
        widths.iter().map(|n| vec![SqlType::Null; *n]).collect();
    let rows = match (query, loaded) {
        (None, Some(l)) => Rows::File(Box::new(l)),
        (Some(mut q), _) => {
            if q.columns.len() != targets.len() {
                return Err(SqlError::of(errno::ER_WRONG_VALUE_COUNT_ON_ROW, &[&"1"]));
            }
            if let Some(&col) = targets.iter().find(|&&c| table.meta.columns[c].is_generated()) {
                return Err(generated_value(&table.meta.columns[col].name, table.name()));
            }
            numbers_selected(b, i, &table, &targets, &mut q);
            read = columns_read(&on_duplicate, &ctx.subs, &widths);
            if let Body::Block(block) = &mut q.body {
                for &(t, c) in &read {
                    let col = ColRef { depth: 0, table: t as u16, col: c as u16 };
                    let info = TypeInfo::new(block.shapes[t].column_type(c), true);
                    shapes_read[t][c] = info.ty;
                    let shown = |e: &BExpr| matches!(e.node, Node::Col(x) if x == col);
                    // A column more would make rows distinct that are not.
                    if block.distinct && !block.items.iter().any(shown) {
                        return Err(SqlError::not_supported(
                            "a column outside of the list of SELECT DISTINCT in ON DUPLICATE KEY UPDATE",
                        ));
                    }
                    block.items.push(BExpr::new(Node::Col(col), info));
                }
            }
            optimize::query(&mut q, b.env).await?;
            Rows::Query(Box::new(q))
        }
        (None, None) => Rows::Values(values),
    };
    optimize::subs(&mut ctx.subs, b.env).await?;
    if load.is_some() {
        // They may read variables that each line sets.
        ctx.subs.iter_mut().for_each(|s| s.correlated = true);
    }
    let given: Vec<&BExpr> = match &rows {
        Rows::Values(v) => v.iter().flatten().flatten().collect(),
        Rows::File(l) => l.set.iter().filter_map(|(_, e)| e.as_ref()).collect(),
        Rows::Query(_) => Vec::new(),
    };
    let later = on_duplicate.iter().filter_map(|(_, e)| e.as_ref());
    let checked = view.iter().flat_map(|v| &v.conds);
    optimize::guards::mark_without_rows(&mut ctx.subs, given, later, checked);
    let mut looks_back = false;
    let mut look = |e: &BExpr| e.walk(&mut |n| looks_back |= matches!(n.node, Node::Col(_)));
    match &rows {
        Rows::Values(v) => v.iter().flatten().flatten().for_each(&mut look),
        Rows::File(l) => l.set.iter().filter_map(|(_, e)| e.as_ref()).for_each(&mut look),
        Rows::Query(_) => {}
    }
    let slot = |t: &Arc<SqlTable>| TableSlot::new(t.name().into(), Source::Table(t.clone()));
    let mut shapes = shapes_of(&[slot(&table), slot(&table)]);
    shapes.extend(shapes_read.into_iter().map(Shape::Values));
    Ok(InsertPlan {
        selected,
        table,
        targets,
        rows,
        fill,
        ignore: i.ignore,
        replace: i.replace,
        updates: !i.on_duplicate.is_empty(),
        on_duplicate,
        hides_id,
        through: target.view().map(|v| (v.schema.clone(), v.name.clone())),
        view,
        subs: ctx.subs,
        shapes,
        read,
        looks_back,
    })
}

/// A hexadecimal literal in the list of the SELECT that goes to a number is one.
fn numbers_selected(
    b: &Binder<'_>,
    i: &ast::Insert,
    table: &SqlTable,
    targets: &[usize],
    q: &mut QueryPlan,
) {
    let InsertSource::Query(query) = &i.source else { return };
    let (ast::QueryBody::Select(s), Body::Block(block)) = (&query.body, &mut q.body) else {
        return;
    };
    // With an asterisk in the list its expressions stand elsewhere.
    if s.items.len() != block.items.len() {
        return;
    }
    for ((item, e), &col) in s.items.iter().zip(&mut block.items).zip(targets) {
        let ast::SelectItem::Expr { expr, .. } = item else { continue };
        match table.meta.columns[col].ty {
            ty if ty.is_numeric() && b.is_hex(expr) => *e = as_number(e.clone()),
            // A column's place; what a function makes of it is a text.
            ty if ty.is_numeric() && matches!(e.node, Node::Col(_)) => *e = by_place(e.clone()),
            ty if ty.is_string() && e.info.ty == SqlType::Year => *e = number_as_text(e.clone()),
            _ => {}
        }
    }
}

/// Columns of the SELECT's tables that are looked at; of those that a subquery reads, all.
fn columns_read(
    on_duplicate: &[(usize, Option<BExpr>)],
    subs: &[Sub],
    widths: &[usize],
) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    for e in on_duplicate.iter().filter_map(|(_, e)| e.as_ref()) {
        e.walk(&mut |n| {
            if let Node::Col(ColRef { depth: 0, table, col }) = n.node
                && let Some(t) = (table as usize).checked_sub(FIRST_SOURCE)
                && !out.contains(&(t, col as usize))
            {
                out.push((t, col as usize));
            }
        });
    }
    for (t, n) in widths.iter().enumerate() {
        if subs.iter().any(|s| s.tables & (1 << (t + FIRST_SOURCE)) != 0) {
            out.retain(|(o, _)| *o != t);
            out.extend((0..*n).map(|c| (t, c)));
        }
    }
    out
}

/// The table's column of this name, as the statement's target has names.
fn target_column(table: &SqlTable, target: &ScopeTable, name: &str) -> Option<usize> {
    match &target.merged {
        None => table.meta.column(name),
        Some(m) => {
            let at = target.columns.iter().position(|c| same_name(&c.name, name))?;
            m.base_column(at).map(|(_, column)| column)
        }
    }
}

fn targets(table: &SqlTable, target: &ScopeTable, i: &ast::Insert) -> Result<Vec<usize>, SqlError> {
    let Some(columns) = &i.columns else {
        if let Some(m) = &target.merged {
            return Ok((0..m.items.len()).filter_map(|n| Some(m.base_column(n)?.1)).collect());
        }
        return Ok((0..table.meta.columns.len())
            .filter(|c| !table.meta.columns[*c].invisible)
            .collect());
    };
    let mut out = Vec::with_capacity(columns.len());
    for c in columns {
        let Some(at) = target_column(table, target, c.column.as_str()) else {
            return Err(unknown_column(c, "field list"));
        };
        if out.contains(&at) {
            return Err(SqlError::of(errno::ER_FIELD_SPECIFIED_TWICE, &[&c.column]));
        }
        out.push(at);
    }
    Ok(out)
}

fn fills(table: &SqlTable) -> Vec<Fill> {
    table
        .meta
        .columns
        .iter()
        .map(|c| {
            if c.auto_increment {
                return Fill::Auto;
            }
            match &c.default {
                // An ENUM that bears no NULL has its first member as a default.
                ColumnDefault::None if matches!(c.ty, SqlType::Enum { .. }) => {
                    Fill::Datum(c.ty.zero())
                }
                ColumnDefault::None => Fill::Missing,
                ColumnDefault::Null => Fill::Datum(DatumBuf::Null),
                ColumnDefault::Literal(d) => Fill::Datum(d.clone()),
                ColumnDefault::CurrentTimestamp(fsp) => Fill::Now(*fsp),
                // Worked out last: it may look at other columns.
                ColumnDefault::Expr(_) => Fill::Expr,
                ColumnDefault::Generated { .. } => Fill::Datum(DatumBuf::Null),
            }
        })
        .collect()
}

/// The names of the row that is inserted, for ON DUPLICATE KEY UPDATE.
fn new_row(
    i: &ast::Insert,
    table: &Arc<SqlTable>,
    target: &ScopeTable,
    targets: &[usize],
) -> Result<ScopeTable, SqlError> {
    let Some(alias) = &i.row_alias else { return Ok(table_scope(table, "")) };
    if same_name(&target.alias, alias.name.as_str()) {
        return Err(SqlError::of(errno::ER_NONUNIQ_TABLE, &[&alias.name]));
    }
    if !alias.columns.is_empty() && alias.columns.len() != targets.len() {
        return Err(SqlError::of(errno::ER_VIEW_WRONG_LIST, &[]));
    }
    for (n, name) in alias.columns.iter().enumerate() {
        if alias.columns[..n].iter().any(|c| same_name(c.as_str(), name.as_str())) {
            return Err(SqlError::of(errno::ER_DUP_FIELDNAME, &[&name]));
        }
    }
    let mut row = table_scope(table, alias.name.as_str());
    for (at, column) in row.columns.iter_mut().enumerate() {
        // Columns that the statement gives no value have no name in the new row.
        let given = targets.iter().position(|t| *t == at);
        match given.map(|n| alias.columns.get(n)) {
            Some(Some(name)) => column.name = name.as_str().into(),
            Some(None) => {}
            None => column.name = "".into(),
        }
    }
    row.schema = "".into();
    Ok(row)
}

type Values = Vec<Vec<Option<BExpr>>>;
type OnDuplicate = Vec<(usize, Option<BExpr>)>;

fn bind_values(
    b: &mut Binder<'_>,
    i: &ast::Insert,
    (table, target): (&SqlTable, &ScopeTable),
    targets: &[usize],
    new_scope: ScopeTable,
    sources: Option<Scope>,
) -> Result<(Values, OnDuplicate), SqlError> {
    let mut values = Vec::new();
    if let InsertSource::Values(rows) = &i.source {
        for (n, row) in rows.iter().enumerate() {
            if row.is_empty() && i.columns.as_ref().is_none_or(Vec::is_empty) {
                values.push(targets.iter().map(|_| None).collect());
                continue;
            }
            if row.len() != targets.len() {
                return Err(SqlError::of(errno::ER_WRONG_VALUE_COUNT_ON_ROW, &[&(n + 1)]));
            }
            let mut out = Vec::with_capacity(row.len());
            for (e, &col) in row.iter().zip(targets) {
                out.push(match e {
                    Expr::Default => None,
                    _ if table.meta.columns[col].is_generated() => {
                        return Err(generated_value(&table.meta.columns[col].name, table.name()));
                    }
                    e => Some(b.stored(e, &table.meta.columns[col].ty)?),
                });
            }
            values.push(out);
        }
    }
    // From here on the new row's columns have names too: by the alias, or by VALUES().
    if i.row_alias.is_some() {
        b.top_mut().scope.push(new_scope);
    } else if let Some(s) = sources {
        // The row's columns have no names, but their place.
        let scope = &mut b.top_mut().scope;
        scope.push(ScopeTable { columns: Vec::new(), ..new_scope });
        scope.tables.extend(s.tables);
        scope.columns.extend(s.columns.into_iter().map(|mut c| {
            c.places.iter_mut().for_each(|(t, _)| *t += FIRST_SOURCE as u16);
            c
        }));
    }
    b.new_row = Some(1);
    let mut on_duplicate = Vec::new();
    for a in &i.on_duplicate {
        let of_row = a.column.table.as_ref().is_some_and(|t| !same_name(t.as_str(), &target.alias));
        let col = target_column(table, target, a.column.column.as_str()).filter(|_| !of_row);
        let Some(col) = col else {
            let shown = |c: &ScopeColumn| same_name(&c.name, a.column.column.as_str());
            return Err(match !of_row && target.columns.iter().any(shown) {
                true => several_bases(target),
                false => unknown_column(&a.column, "field list"),
            });
        };
        let column = &table.meta.columns[col];
        let value = match &a.value {
            Expr::Default if column.is_generated() => continue,
            _ if column.is_generated() => {
                return Err(generated_value(&column.name, table.name()));
            }
            Expr::Default => None,
            e => Some(b.stored(e, &table.meta.columns[col].ty)?),
        };
        on_duplicate.push((col, value));
    }
    b.new_row = None;
    Ok((values, on_duplicate))
}
