//! ALTER TABLE, CREATE INDEX, DROP INDEX: choosing the engine's call and making it.

use super::change::{Change, adds_check, check_online, choose, counts, recomputes};
use super::foreign::{self, Family};
use super::plan::{Algorithm, Lock, Plan};
use super::rebuild::{Mapper, read_by_old_rows};
use super::{
    alter, build, check, check_table_name, engine_error, env, partition_alter, resolve,
    resolve_kept, special, table_exists, writable_schema,
};
use crate::context::{AdminResult, StatementCtx};
use crate::errno;
use crate::meta::temporary::{self, HIDDEN};
use crate::meta::{
    ColumnDefault, IndexPart, PRIMARY, SqlColumn, SqlTable, TableMeta, codec, duplicate_entry,
};
use crate::session_api::SqlError;
use std::sync::Arc;
use weir_engine::row::{DatumBuf, RowForm, RowLayout};
use weir_engine::{
    BesideIt, DdlContext, Error, Isolation, LockMode, NewColumns, OnLocked, ScanSpec, Table,
    TxnOptions,
};
use weir_syntax::ast::{AlterSpec, CreateIndex, DropIndex, OnlineHow, TableName};

/// The session is charged for what its temporary table becomes.
fn charge_temporary(old: &SqlTable, plan: &Plan, ctx: &StatementCtx<'_>) -> Result<(), SqlError> {
    if old.is_temporary() {
        let bytes = temporary::bytes(&plan.meta, codec::encode_table(&plan.meta).len());
        let account = ctx.reads.session.memory();
        ctx.reads.temporaries.charge(account, &old.engine.def.name, bytes)?;
    }
    Ok(())
}

/// Runs ALTER TABLE.
pub async fn alter_table(
    name: &TableName,
    specs: &[AlterSpec],
    ctx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    let (schema, table) = resolve_kept(name, ctx)?;
    writable_schema(&schema, ctx)?;
    super::view::refuse_view(&schema, &table, ctx)?;
    let old = ctx.reads.meta().lookup(ctx.reads.db(), &schema, &table)?;
    let (schema, table) = (old.schema().to_owned(), old.name().to_owned());
    if let Some(done) = partition_alter::run(&old, specs, ctx).await? {
        return Ok(done);
    }
    let mut plan = alter::plan(&old.meta, &table, specs, &mut env(ctx, &schema, &table))?;
    plan.repartitions |= partition_alter::repartition(&old, &mut plan.meta, specs, ctx)?;
    plan.force |= plan.repartitions;
    if old.is_temporary() {
        special::check_temporary(&plan.meta.special)?;
    }
    if old.is_temporary() && plan.new_foreign > 0 {
        return Err(SqlError::of(errno::ER_CANNOT_ADD_FOREIGN, &[]));
    }
    foreign::settle(&mut plan.meta, &schema);
    let target = plan.rename.as_ref().map(|to| resolve(to, ctx)).transpose()?;
    let target = target.filter(|(s, t)| *s != schema || *t != table);
    if let Some((to_schema, to_name)) = &target {
        writable_schema(to_schema, ctx)?;
        check_table_name(to_name)?;
        not_taken(&old, to_schema, to_name, ctx)?;
    }
    let old_rows = read_by_old_rows(&plan, &env(ctx, &schema, &table))?;
    let (change, form) = choose(&old, &plan, old_rows.as_deref(), ctx.reads.db())?;
    let beside = beside_it(&old.meta, &plan, &change);
    check_online(&old, &change, &plan, beside)?;
    let named = target.as_ref().map_or((&schema, &table), |(s, t)| (s, t));
    if !old.is_temporary() && (target.is_some() || plan.meta.checks != old.checks) {
        let own = Some(old.engine.def.id);
        check::unique_in_schema(named.0, named.1, own, &plan.meta.checks, ctx)?;
    }
    let family = Family::of(&old, &plan, ctx);
    let brief = target.is_none() && leaves_family(&old, &mut plan, &change, &family, ctx)?;
    let mut ddl = gather(&old, &mut plan, &change, &family, brief, ctx).await?;
    ddl.beside_it = beside;
    notes(&old, &plan, &table, ctx)?;
    let old_rows = old_rows.unwrap_or_default();
    charge_temporary(&old, &plan, ctx)?;
    let (engine, copied) = apply(&old, &plan, (&change, form), old_rows, &ddl, ctx).await?;
    if let Some(next) = plan.auto_increment {
        set_auto_increment(&engine, &plan.meta, next, &ddl, ctx).await?;
    }
    if let Some((to_schema, to_name)) = target {
        if old.is_temporary() {
            let kept = ctx.reads.shared.temporary_names.kept_as(&to_schema, &to_name);
            let moves = [(engine, HIDDEN.to_owned(), kept.clone())];
            super::drop::move_tables(&moves, None, ctx).await?;
            ctx.reads.temporaries.renamed(&old.engine.def.name, &kept);
            ctx.reads.temporaries.forget(&schema, &table);
            ctx.reads.temporaries.add(&to_schema, &to_name, &kept);
            return Ok(altered(copied, ctx));
        }
        let moves = [(engine, to_schema, to_name)];
        let held = ddl.held.filter(|_| !family.is_empty());
        super::drop::move_tables(&moves, held, ctx).await?;
    }
    Ok(altered(copied, ctx))
}

/// 1050 where the new name is another table's.
fn not_taken(
    old: &SqlTable,
    schema: &str,
    name: &str,
    ctx: &StatementCtx<'_>,
) -> Result<(), SqlError> {
    let taken = match old.is_temporary() {
        true => ctx.reads.temporaries.has(schema, name),
        false => {
            ctx.reads.db().table(schema, name).is_some()
                || ctx.reads.shared.computed(schema, name).is_some()
        }
    };
    if taken { Err(table_exists(name)) } else { Ok(()) }
}

pub fn altered(copied: u64, ctx: &StatementCtx<'_>) -> AdminResult {
    let warnings = ctx.changes.warnings.total();
    let info = format!("Records: {copied}  Duplicates: 0  Warnings: {warnings}");
    AdminResult::Ok { affected: copied, info }
}

/// Whether nothing of the change reaches a table that foreign keys tie to this one, and no key of its own: then the statement needs none
/// of them alone, and its own table in the end only. What is checked here stays true: who gives the table a new child, or takes a key
/// away, needs the table alone, and leaves this statement an old handle.
fn leaves_family(
    old: &SqlTable,
    plan: &mut Plan,
    change: &Change,
    family: &Family,
    ctx: &StatementCtx<'_>,
) -> Result<bool, SqlError> {
    let converts =
        matches!(change, Change::Nothing | Change::Meta | Change::Rebuild { converts: true });
    let same_keys = plan.meta.foreign.len() == old.foreign.len();
    if converts || !same_keys || !family.added.is_empty() {
        return Ok(false);
    }
    let mut tried = plan.clone();
    if !foreign::check_alter(old, &mut tried, ctx)?.is_empty() {
        return Ok(false);
    }
    *plan = tried;
    Ok(true)
}

/// Locks the tables that foreign keys tie to the altered one, if there are any, and checks what they say of the change; what changes
/// beside it. `brief`: the change leaves them alone.
async fn gather(
    old: &SqlTable,
    plan: &mut Plan,
    change: &Change,
    family: &Family,
    brief: bool,
    ctx: &StatementCtx<'_>,
) -> Result<DdlContext, SqlError> {
    if family.is_empty() || brief {
        return Ok(ctx.reads.ddl());
    }
    if !family.added.is_empty() && ctx.reads.settings.foreign_checks {
        copies(plan)?;
    }
    let long = matches!(change, Change::AddIndexes(_) | Change::Rebuild { .. });
    if long && matches!(plan.lock, Lock::None | Lock::Shared) {
        return Err(SqlError::of(
            errno::ER_ALTER_OPERATION_NOT_SUPPORTED_REASON,
            &[
                &"LOCK=NONE/SHARED",
                &"foreign keys change with the table, which is locked while it is changed",
                &"LOCK=EXCLUSIVE",
            ],
        ));
    }
    let held = foreign::alone(&family.all(old), ctx).await?;
    let followers = foreign::check_alter(old, plan, ctx)?;
    let place = (old.schema(), old.name());
    foreign::unique_in_schema(place, Some(old.engine.def.id), &family.added, ctx)?;
    foreign::check_parents(place, &plan.meta, &family.added, ctx)?;
    if ctx.reads.settings.foreign_checks {
        foreign::verify(old, plan, &family.added, &held, ctx).await?;
    }
    Ok(foreign::ddl(&held, foreign::beside(&family.parents, followers), ctx))
}

/// CREATE INDEX is ALTER TABLE ADD KEY.
pub async fn create_index(
    stmt: &CreateIndex,
    ctx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    let mut specs = vec![AlterSpec::AddKey(Box::new(stmt.key.clone()))];
    online(&stmt.how, &mut specs);
    alter_table(&stmt.table, &specs, ctx).await
}

/// DROP INDEX is ALTER TABLE DROP KEY.
pub async fn drop_index(
    stmt: &DropIndex,
    ctx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    let mut specs = vec![match stmt.name.is(PRIMARY) {
        true => AlterSpec::DropPrimaryKey,
        false => AlterSpec::DropKey(stmt.name.clone()),
    }];
    online(&stmt.how, &mut specs);
    alter_table(&stmt.table, &specs, ctx).await
}

fn online(how: &OnlineHow, specs: &mut Vec<AlterSpec>) {
    specs.extend(how.algorithm.clone().map(AlterSpec::Algorithm));
    specs.extend(how.lock.clone().map(AlterSpec::Lock));
}

fn notes(
    old: &SqlTable,
    plan: &Plan,
    table: &str,
    ctx: &mut StatementCtx<'_>,
) -> Result<(), SqlError> {
    if plan.keys_switch {
        ctx.changes.warnings.note(errno::ER_ILLEGAL_HA, || {
            format!("Table storage engine for '{table}' doesn't have this option")
        });
    }
    if plan.order_by {
        if old.clustered().is_none() {
            return Err(SqlError::not_supported("ALTER TABLE ... ORDER BY"));
        }
        ctx.changes.warnings.warn(errno::ER_UNKNOWN_ERROR, || {
            format!(
                "ORDER BY ignored as there is a user-defined clustered index in the table '{table}'"
            )
        });
    }
    Ok(())
}

/// Virtual columns in no index: their values are only looked at if WITH VALIDATION says so.
fn unvalidated(plan: &Plan) -> Vec<usize> {
    let indexed = |at: usize| {
        plan.meta.indexes.iter().any(|index| index.parts.iter().any(|p| p.column == at))
    };
    let left = |(at, c): &(usize, &SqlColumn)| {
        let is_virtual = matches!(c.default, ColumnDefault::Generated { stored: false, .. });
        is_virtual && !plan.validates && !indexed(*at)
    };
    plan.meta.columns.iter().enumerate().filter(left).map(|(at, _)| at).collect()
}

/// Who may use the table while an index of it is built, or its rows are copied. A foreign key has its tables alone before that is asked.
fn beside_it(old: &TableMeta, plan: &Plan, change: &Change) -> BesideIt {
    let everybody = match change {
        Change::Rebuild { converts } => !converts && keeps_places(old, plan),
        _ => true,
    };
    match (plan.lock, plan.algorithm) {
        (Lock::Exclusive, _) => BesideIt::Nobody,
        (Lock::Shared, _) | (_, Algorithm::Copy) => BesideIt::Readers,
        (Lock::None | Lock::Default, _) if everybody => BesideIt::Everybody,
        (Lock::None | Lock::Default, _) => BesideIt::Readers,
    }
}

/// Whether each row that is copied keeps its clustered key and its partition, and no row depends on how many there were before it.
fn keeps_places(old: &TableMeta, plan: &Plan) -> bool {
    let new = &plan.meta;
    let same_column = |was: usize, is: usize| {
        plan.sources[is] == Some(was) && new.columns[is].phys() == old.columns[was].phys()
    };
    let same_key = match (old.clustered(), new.clustered()) {
        (None, None) => true,
        (Some(a), Some(b)) => {
            let (a, b) = (&old.indexes[a].parts, &new.indexes[b].parts);
            let same = |(a, b): (&IndexPart, &IndexPart)| {
                same_column(a.column, b.column) && (a.prefix, a.desc) == (b.prefix, b.desc)
            };
            a.len() == b.len() && a.iter().zip(b).all(same)
        }
        _ => false,
    };
    let counts = new.auto_increment().is_some_and(|i| plan.sources[i].is_none());
    same_key && !counts && !plan.repartitions
}

/// 1846: foreign keys whose rows are to be checked are added by a copy, for MySQL.
fn copies(plan: &Plan) -> Result<(), SqlError> {
    let (clause, instead) = match (plan.algorithm, plan.lock) {
        (Algorithm::Inplace, _) => ("ALGORITHM=INPLACE", "ALGORITHM=COPY"),
        (Algorithm::Instant, _) => ("ALGORITHM=INSTANT", "ALGORITHM=COPY"),
        (_, Lock::None) => ("LOCK=NONE", "LOCK=SHARED"),
        _ => return Ok(()),
    };
    Err(SqlError::of(
        errno::ER_ALTER_OPERATION_NOT_SUPPORTED_REASON,
        &[&clause, &"Adding foreign keys needs foreign_key_checks=OFF", &instead],
    ))
}

/// Makes the change; the table afterwards and the number of rows copied.
async fn apply(
    old: &SqlTable,
    plan: &Plan,
    (change, form): (&Change, RowForm),
    old_rows: Vec<DatumBuf>,
    ddl: &DdlContext,
    ctx: &mut StatementCtx<'_>,
) -> Result<(Arc<Table>, u64), SqlError> {
    let extra = codec::encode_table(&plan.meta);
    let table = &old.engine;
    let changed = match change {
        Change::Nothing => Ok(table.clone()),
        Change::Meta => ctx.reads.db().alter_extra(table, extra, ddl).await,
        Change::Columns => {
            let mut come = old_rows.into_iter();
            // Of columns that are there the engine keeps what rows read.
            let read = |(c, s): (&SqlColumn, &Option<usize>)| {
                let come = if s.is_none() { come.next() } else { None };
                build::column_def(c, come.unwrap_or_else(|| c.phys().empty()))
            };
            let columns = plan.meta.columns.iter().zip(&plan.sources).map(read).collect();
            let sources = plan.sources.clone();
            let new = NewColumns { columns, sources, counts: counts(old, plan) };
            ctx.reads.db().alter_columns(table, new, extra, ddl).await
        }
        Change::AddIndexes(list) => {
            let defs: Vec<_> =
                list.iter().map(|&i| build::index_def(&plan.meta.indexes[i])).collect();
            ctx.reads.db().add_indexes(table, &defs, extra, ddl).await
        }
        Change::DropIndexes(names) => ctx.reads.db().drop_indexes(table, names, extra, ddl).await,
        Change::Rebuild { .. } => return rebuild(old, plan, form, ddl, ctx).await,
    };
    match changed {
        Ok(table) => Ok((table, 0)),
        Err(e) => Err(refused(e, old, &plan.meta, &table.layout, ctx)),
    }
}

/// An engine's error; one about a row that is there twice tells its values. `layout`: of that row.
fn refused(
    error: Error,
    old: &SqlTable,
    new: &TableMeta,
    layout: &RowLayout,
    ctx: &StatementCtx<'_>,
) -> SqlError {
    let Error::DuplicateKey { index_name, row: Some(row), .. } = &error else {
        return engine_error(error);
    };
    let Some(index) = new.indexes.iter().find(|i| i.name == *index_name) else {
        return engine_error(error);
    };
    let (parts, name) = (build::index_def(index).parts, (old.name(), index.name.as_str()));
    duplicate_entry(&new.columns, &parts, name, (layout, row), ctx.reads.settings.tz)
}

/// The same where rows are copied: a key that begins with the AUTO_INCREMENT column has MySQL's own text.
fn renumbered(
    error: Error,
    new: &TableMeta,
    old: &SqlTable,
    layout: &RowLayout,
    ctx: &StatementCtx<'_>,
) -> SqlError {
    let mut e = refused(error, old, new, layout, ctx);
    let first = new.indexes.first().filter(|_| e.errno == errno::ER_DUP_ENTRY);
    let counts = first.and_then(|i| i.parts.first()).map(|p| p.column) == new.auto_increment();
    if let (Some(i), true) = (first, counts && new.auto_increment().is_some())
        && e.message.ends_with(&format!(".{}'", i.name))
    {
        let told = e.message.trim_start_matches("Duplicate entry");
        e.message = format!(
            "ALTER TABLE causes auto_increment resequencing, resulting in duplicate entry{told}"
        );
    }
    e
}

async fn rebuild(
    old: &SqlTable,
    plan: &Plan,
    form: RowForm,
    ddl: &DdlContext,
    ctx: &mut StatementCtx<'_>,
) -> Result<(Arc<Table>, u64), SqlError> {
    let (schema, name) = (old.schema().to_owned(), old.name().to_owned());
    let mut exprs = ctx.reads.bind_rows(ctx.now_micros, &name, &plan.meta)?;
    if let Some(exprs) = &mut exprs {
        exprs.leave_unvalidated(unvalidated(plan));
    }
    let mut mapper = Mapper::new(&old.meta, plan, form, &env(ctx, &schema, &name))?;
    mapper.compute_rows_by(exprs, adds_check(&old.meta, &plan.meta) || recomputes(&old.meta, plan));
    // A column that goes on counting does so where it is; another one begins behind its values.
    let continues = plan.meta.auto_increment().and_then(|i| plan.sources[i]);
    let continues = continues.is_some_and(|s| old.columns[s].auto_increment);
    let next = if continues { old.engine.auto_increment_next() } else { 1 };
    let place = &old.engine.def;
    let new = build::new_table(&place.schema, &place.name, &plan.meta, form, next);
    let mut map = |row: weir_engine::row::RowView<'_>, out: &mut Vec<u8>| mapper.map(row, out);
    let rebuilt = ctx.reads.db().rebuild_table(&old.engine, new, &mut map, ddl).await;
    if let Some(error) = mapper.error.take() {
        return Err(error);
    }
    for w in mapper.warnings.list() {
        ctx.changes.warnings.push(w.level, w.code, || w.message.clone());
    }
    let phys: Vec<_> = plan.meta.columns.iter().map(SqlColumn::phys).collect();
    let table =
        rebuilt.map_err(|e| renumbered(e, &plan.meta, old, &RowLayout::of(&phys, form), ctx))?;
    if plan.meta.counter().is_some() && mapper.auto_max >= next {
        ctx.reads
            .db()
            .set_auto_increment(&table, mapper.auto_max.saturating_add(1))
            .await
            .map_err(engine_error)?;
    }
    let told = mapper.converts() || plan.repartitions || plan.algorithm == Algorithm::Copy;
    let copied = if told { mapper.rows } else { 0 };
    Ok((table, copied))
}

/// AUTO_INCREMENT = n: never at or below a value that is in the table.
async fn set_auto_increment(
    table: &Arc<Table>,
    meta: &TableMeta,
    next: u64,
    ddl: &DdlContext,
    ctx: &mut StatementCtx<'_>,
) -> Result<(), SqlError> {
    let Some(auto) = meta.auto_increment() else { return Ok(()) };
    let mut next = next.max(1);
    if next < table.auto_increment_next() {
        next = next.max(largest(table, auto, ddl, ctx).await?.saturating_add(1));
    }
    ctx.reads.db().set_auto_increment(table, next).await.map_err(engine_error)
}

/// The largest value of the AUTO_INCREMENT column, from an index that begins with it.
async fn largest(
    table: &Arc<Table>,
    column: usize,
    ddl: &DdlContext,
    ctx: &StatementCtx<'_>,
) -> Result<u64, SqlError> {
    let leads = |i: &weir_engine::IndexDef| i.parts.first().is_some_and(|p| p.col == column);
    let Some(index) = table.def.indexes.iter().position(leads) else { return Ok(0) };
    let descending = table.def.indexes[index].parts[0].desc;
    let mut txn = ctx.reads.db().begin(TxnOptions {
        isolation: Isolation::ReadCommitted,
        read_only: true,
        lock_timeout: ctx.reads.settings.ddl_timeout,
        mdl_timeout: ctx.reads.settings.ddl_timeout,
        interrupt: ctx.reads.interrupt.clone(),
        session_id: ctx.reads.conn.id,
        // What the statement has alone it would wait for in vain.
        held: ddl.held.clone().or_else(|| ctx.reads.locked.map(|l| l.held.clone())),
        ..TxnOptions::default()
    });
    txn.begin_statement();
    txn.use_table(table, false).await.map_err(engine_error)?;
    let mut value = 0;
    for part in table.stored() {
        let spec = ScanSpec {
            index,
            start: Vec::new(),
            end: None,
            reverse: !descending,
            lock: LockMode::None,
            on_locked: OnLocked::Wait,
            unique_eq: false,
            expect: 1,
            fetch_external: false,
            rows_only: false,
            index_only: None,
        };
        let mut cursor = txn.scan(part, spec);
        if cursor.next(&mut txn).await.map_err(engine_error)? {
            let row = weir_engine::row::RowView::new(&part.layout, cursor.row());
            value = value.max(row.get(column).as_u64().unwrap_or(0));
        }
    }
    txn.rollback().await.map_err(engine_error)?;
    Ok(value)
}
