//! DROP, TRUNCATE and RENAME TABLE.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use weir_engine::{DdlContext, Error, HeldTables, MdlMode, Object, ObjectKind, Table};

use super::{
    access_denied, check_table_name, engine_error, foreign, is_virtual_schema, resolve,
    resolve_kept, table_exists, temporary, writable_schema,
};
use crate::context::{AdminResult, StatementCtx};
use crate::errno;
use crate::meta::cache::no_such_table;
use crate::meta::program::ProgramMeta;
use crate::session_api::{LoginsBy, SqlError};
use crate::statement_history::{OF_ALL_TABLE, OF_SESSIONS_TABLE};
use weir_syntax::ast::{DropTable, TableName};

pub async fn drop_tables(
    stmt: &DropTable,
    ctx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    refuse_repeated(&stmt.names, ctx)?;
    let mut found: Vec<Arc<Table>> = Vec::new();
    let mut ids = HashSet::new();
    let mut own: Vec<(String, String)> = Vec::new();
    let mut own_names = HashSet::new();
    let mut missing = Vec::new();
    let mut system = Vec::new();
    for name in &stmt.names {
        let (schema, name) = resolve(name, ctx)?;
        if is_virtual_schema(&schema) {
            return Err(access_denied(&schema, ctx));
        }
        if ctx.reads.temporaries.has(&schema, &name) {
            if !own_names.insert((schema.clone(), name.clone())) {
                return Err(not_unique(&name));
            }
            own.push((schema, name));
            continue;
        }
        let table = ctx.reads.db().table(&schema, &name).filter(|_| !stmt.temporary);
        if !stmt.temporary && hides_computed(&schema, &name, ctx) {
            if system.contains(&name) {
                return Err(not_unique(&name));
            }
            system.push(name.clone());
            if table.is_none() {
                continue;
            }
        }
        match table {
            Some(table) if !ids.insert(table.def.id) => {
                return Err(not_unique(&name));
            }
            Some(table) => found.push(table),
            None if ctx.reads.db().schema(&schema).is_none() && !stmt.if_exists => {
                return Err(SqlError::unknown_database(&schema));
            }
            None => missing.push(format!("{schema}.{name}")),
        }
    }
    if !missing.is_empty() && !stmt.if_exists {
        return Err(SqlError::of(errno::ER_BAD_TABLE_ERROR, &[&missing.join(",")]));
    }
    foreign::check_drop(&found, ctx)?;
    if !found.is_empty() {
        let mut ddl = ctx.reads.ddl();
        for t in &found {
            let triggers = triggers_of(&t.def.schema, &t.def.name, ctx);
            ddl.objects.extend(triggers.into_iter().map(|(o, _)| (o, None)));
        }
        ctx.reads.db().drop_tables(&found, &ddl).await.map_err(engine_error)?;
    }
    for name in &system {
        ctx.reads.shared.system_tables.drop(name);
    }
    for (schema, name) in own {
        temporary::drop(&schema, &name, ctx);
    }
    for name in missing {
        ctx.changes.warnings.note(errno::ER_BAD_TABLE_ERROR, || format!("Unknown table '{name}'"));
    }
    Ok(AdminResult::ok())
}

/// Is a computed table to be hidden, too, when what has this name is gone? The server's own statements make place for it.
fn hides_computed(schema: &str, name: &str, ctx: &StatementCtx<'_>) -> bool {
    let shared = ctx.reads.shared;
    let known = (shared.virtuals)(schema, name).is_some() && !shared.system_tables.is_dropped(name);
    known && !ctx.changes.access.is_of_server()
}

/// 1066 for a name that stands twice in a list of tables, whether there is such a table or not.
pub fn refuse_repeated(names: &[TableName], ctx: &StatementCtx<'_>) -> Result<(), SqlError> {
    let mut seen = HashSet::new();
    for name in names {
        let (schema, table) = resolve(name, ctx)?;
        if !seen.insert((schema, table)) {
            return Err(not_unique(name.name.as_str()));
        }
    }
    Ok(())
}

/// 1066.
fn not_unique(name: &str) -> SqlError {
    SqlError::of(errno::ER_NONUNIQ_TABLE, &[&name])
}

/// The triggers of a table, which go and move with it.
pub fn triggers_of(
    schema: &str,
    table: &str,
    ctx: &StatementCtx<'_>,
) -> Vec<(Arc<Object>, ProgramMeta)> {
    let all = ctx.reads.db().objects(ObjectKind::Trigger, schema);
    let read = all.into_iter().filter_map(|o| ProgramMeta::of(&o).ok().map(|p| (o, p)));
    read.filter(|(_, p)| p.trigger.as_ref().is_some_and(|t| t.table == table)).collect()
}

/// What becomes of the triggers when tables move: they follow them, within the schema.
fn moving(
    moves: &[(Arc<Table>, String, String)],
    ctx: &StatementCtx<'_>,
    ddl: &mut DdlContext,
) -> Result<(), SqlError> {
    for (t, schema, name) in moves {
        for (o, mut p) in triggers_of(&t.def.schema, &t.def.name, ctx) {
            if *schema != t.def.schema {
                return Err(SqlError::of(errno::ER_TRG_IN_WRONG_SCHEMA, &[]));
            }
            if let Some(of) = &mut p.trigger {
                of.table.clone_from(name);
            }
            ddl.objects.push((o, Some(p.encode())));
        }
    }
    Ok(())
}

/// Tables of performance_schema whose figures nothing sets back, by the beginnings of their names.
const COUNT_ON: [&str; 5] = [
    "events_statements_summary_",
    "events_waits_summary_global",
    "file_summary_",
    "memory_summary_",
    "status_by_thread",
];

/// TRUNCATE TABLE of a table of performance_schema that adds up what was. Many are empty; where the figures go on, a warning says so.
fn empties_statistics(schema: &str, name: &str, ctx: &mut StatementCtx<'_>) -> bool {
    let known = schema.eq_ignore_ascii_case("performance_schema")
        && ctx.reads.shared.computed(schema, name).is_some();
    let name = name.to_ascii_lowercase();
    let counts = ["accounts", "hosts", "users"].contains(&&*name);
    let parts = ["_summary_", "_history", "_current", "status_by_", "setup_actors"];
    let sums = parts.iter().any(|part| name.contains(part));
    if !known || !(counts || sums) {
        return false;
    }
    let sessions = ctx.reads.shared.sessions();
    match &*name {
        OF_SESSIONS_TABLE => ctx.reads.shared.history.clear(false),
        OF_ALL_TABLE => ctx.reads.shared.history.clear(true),
        crate::digests::TABLE => ctx.reads.shared.digests.clear(),
        "accounts" => sessions.forget_logins(LoginsBy::Account),
        "users" => sessions.forget_logins(LoginsBy::User),
        "hosts" => sessions.forget_logins(LoginsBy::Host),
        "table_io_waits_summary_by_table"
        | "table_io_waits_summary_by_index_usage"
        | "objects_summary_global_by_type" => {
            for schema in ctx.reads.db().schemas() {
                ctx.reads.db().tables(&schema.name).iter().for_each(|t| t.forget_uses());
            }
        }
        "status_by_account" | "status_by_user" | "status_by_host" => {
            ctx.reads.shared.status.forget_accounts();
        }
        _ if COUNT_ON.iter().any(|begin| name.starts_with(begin)) => {
            ctx.changes.warnings.warn(errno::ER_NOT_SUPPORTED_YET, || {
                format!("TRUNCATE of '{name}' has no effect here: it counts from the start of the server")
            });
        }
        _ => {}
    }
    true
}

pub async fn truncate(
    name: &TableName,
    ctx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    let (schema, name) = resolve_kept(name, ctx)?;
    if empties_statistics(&schema, &name, ctx) {
        return Ok(AdminResult::ok());
    }
    if schema.eq_ignore_ascii_case("performance_schema") {
        if ctx.reads.shared.computed(&schema, &name).is_none() {
            return Err(no_such_table(&schema, &name));
        }
        let (user, host) = (&ctx.reads.conn.account_user, &ctx.reads.conn.account_host);
        return Err(SqlError::of(
            errno::ER_TABLEACCESS_DENIED_ERROR,
            &[&"DROP", &user, &host, &name],
        ));
    }
    writable_schema(&schema, ctx)?;
    // A view is no table that it knows, unlike in other definitions: 1146.
    let table =
        ctx.reads.db().table(&schema, &name).ok_or_else(|| no_such_table(&schema, &name))?;
    foreign::check_truncate(&table, ctx)?;
    ctx.reads.db().truncate_table(&table, &ctx.reads.ddl()).await.map_err(engine_error)?;
    Ok(AdminResult::ok())
}

/// RENAME TABLE. It waits for a session that has one of the tables alone before it says that a name is taken, as MySQL does: a session that
/// holds the table to be moved, and one in its way, may drop the latter first (the cut-over of gh-ost rests on that).
pub async fn rename(
    pairs: &[(TableName, TableName)],
    ctx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    if let [(old, new)] = pairs
        && let Some(done) = rename_view(old, new, ctx).await?
    {
        return Ok(done);
    }
    let (moves, held) = match moves_of(pairs, ctx) {
        Err(e) if e.errno == errno::ER_TABLE_EXISTS_ERROR && ctx.reads.locked.is_none() => {
            let held = until_free(pairs, ctx).await?;
            let moves = moves_of(pairs, ctx)?;
            let mut touched = foreign::children_of(&moves, ctx);
            touched.extend(moves.iter().map(|m| m.0.clone()));
            foreign::alone_too(&held, &touched, ctx).await?;
            (moves, Some(held))
        }
        moves => (moves?, None),
    };
    if !moves.is_empty() {
        move_tables(&moves, held, ctx).await?;
    }
    Ok(AdminResult::ok())
}

/// Gets all tables alone that have one of the names, in the order of their ids. One that is dropped meanwhile is passed over: to
/// begin again would let those in who wait for the others.
async fn until_free(
    pairs: &[(TableName, TableName)],
    ctx: &StatementCtx<'_>,
) -> Result<Arc<HeldTables>, SqlError> {
    let mut tables = Vec::new();
    for name in pairs.iter().flat_map(|(old, new)| [old, new]) {
        let (schema, name) = resolve(name, ctx)?;
        tables.extend(ctx.reads.db().table(&schema, &name));
    }
    tables.sort_by_key(|t| t.def.id);
    tables.dedup_by_key(|t| t.def.id);
    let held = Arc::new(HeldTables::default());
    let limit = ctx.reads.settings.ddl_timeout;
    for t in &tables {
        let hold = ctx.reads.db().lock_table(t, MdlMode::Exclusive, limit, ctx.reads.interrupt);
        match hold.await {
            Ok(hold) => held.add(hold),
            Err(Error::TableChanged { .. }) => {}
            Err(e) => return Err(engine_error(e)),
        }
    }
    Ok(held)
}

/// The moves that a list of renames comes to, applied in order (`a` to `t`, `b` to `a`, `t` to `b`).
fn moves_of(
    pairs: &[(TableName, TableName)],
    ctx: &StatementCtx<'_>,
) -> Result<Vec<(Arc<Table>, String, String)>, SqlError> {
    // Where each touched table is after the pairs so far; `None`: nothing is there any more.
    let mut places: HashMap<(String, String), Option<Arc<Table>>> = HashMap::new();
    for (old, new) in pairs {
        let (from, to) = (resolve(old, ctx)?, resolve(new, ctx)?);
        writable_schema(&from.0, ctx)?;
        writable_schema(&to.0, ctx)?;
        check_table_name(&to.1)?;
        let at = |place: &(String, String), places: &HashMap<_, Option<Arc<Table>>>| {
            places.get(place).cloned().unwrap_or_else(|| ctx.reads.db().table(&place.0, &place.1))
        };
        let Some(table) = at(&from, &places) else {
            return Err(no_such_table(&from.0, &from.1));
        };
        if at(&to, &places).is_some() || ctx.reads.shared.computed(&to.0, &to.1).is_some() {
            return Err(table_exists(&to.1));
        }
        places.insert(from, None);
        places.insert(to, Some(table));
    }
    let moves = places
        .into_iter()
        .filter_map(|((schema, name), table)| table.map(|t| (t, schema, name)))
        .filter(|(t, schema, name)| t.def.schema != *schema || t.def.name != *name);
    Ok(moves.collect())
}

/// Renames tables. Keys that reference one of them follow it, in the same step; those that wait for a table of its new name must fit.
/// `held`: what the statement has alone already. A computed table in whose place one was stays hidden.
pub async fn move_tables(
    moves: &[(Arc<Table>, String, String)],
    held: Option<Arc<HeldTables>>,
    ctx: &StatementCtx<'_>,
) -> Result<(), SqlError> {
    let mut touched = foreign::children_of(moves, ctx);
    let held = match held {
        Some(held) => Some(held),
        // Who adds a child meanwhile gives its parent a new handle, so that the old one is refused.
        None if touched.is_empty() => None,
        None => {
            touched.extend(moves.iter().map(|m| m.0.clone()));
            Some(foreign::alone(&touched, ctx).await?)
        }
    };
    let followers = foreign::followed(moves, ctx)?;
    let mut ddl = match held {
        Some(held) => foreign::ddl(&held, followers, ctx),
        None => ctx.reads.ddl(),
    };
    moving(moves, ctx, &mut ddl)?;
    ctx.reads.db().rename_tables(moves, &ddl).await.map_err(engine_error)?;
    for (old, ..) in moves.iter().filter(|(t, ..)| hides_computed(&t.def.schema, &t.def.name, ctx))
    {
        ctx.reads.shared.system_tables.drop(&old.def.name);
    }
    Ok(())
}

/// A view keeps its schema when it is renamed; it is renamed alone.
async fn rename_view(
    old: &TableName,
    new: &TableName,
    ctx: &mut StatementCtx<'_>,
) -> Result<Option<AdminResult>, SqlError> {
    let (from, to) = (resolve(old, ctx)?, resolve(new, ctx)?);
    let Some(view) = ctx.reads.db().object(ObjectKind::View, &from.0, &from.1) else {
        return Ok(None);
    };
    if from.0 != to.0 {
        return Err(SqlError::of(errno::ER_FORBID_SCHEMA_CHANGE, &[&from.0, &to.0]));
    }
    check_table_name(&to.1)?;
    ctx.reads.db().rename_object(&view, &to.0, &to.1).await.map_err(engine_error)?;
    Ok(Some(AdminResult::ok()))
}
