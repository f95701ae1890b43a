//! The table: statement kind, rights that MySQL 8.0 documents for it.
//!
//! The matches have no arm for "the rest": a new kind of statement does not compile before somebody has said here what
//! it needs.

use super::Need;
use super::reads::{Asks, Reads, base_tables};
use crate::account::{AccountName, ColumnRights, GrantLevel, Privileges as P};
use crate::meta::folded;
use crate::session_api::SqlError;
use crate::vars::Var;
use std::collections::{HashMap, HashSet};
use weir_syntax::ast::{
    self, AdminVerb, CreateTable, ExplainTarget, FlushKind, GrantObject, GrantWhat, Ident,
    InsertSource, LoadDuplicates, PurgeBinaryLogs, ResetKind, RoutineKind, SetItem, SetValue, Show,
    ShowFilter, ShowKind, Statement, TableLockKind, TableName, TableRef, UserAuth, UserOptions,
    UserSpec, VarScope, Xa,
};

type Needs = Result<Vec<Need>, SqlError>;
type Done = Result<(), SqlError>;

/// Whose session it is.
#[derive(Clone, Copy)]
pub struct Me<'a> {
    pub user: &'a str,
    pub host: &'a str,
}

impl Me<'_> {
    pub fn is(&self, u: &UserSpec) -> bool {
        match u {
            UserSpec::CurrentUser => true,
            UserSpec::Name { user, host } => {
                **user == *self.user
                    && host.as_deref().unwrap_or("%").eq_ignore_ascii_case(self.host)
            }
        }
    }

    fn name(&self, u: &UserSpec) -> AccountName {
        match u {
            UserSpec::CurrentUser => AccountName::new(self.user, self.host),
            UserSpec::Name { user, host } => AccountName::new(user, host.as_deref().unwrap_or("%")),
        }
    }
}

/// The needs of a statement that has a plan; they do not depend on whose session it is.
pub fn of_query(stmt: &Statement, schema: Option<&str>) -> Needs {
    let mut reads = Reads::new(schema);
    query(stmt, &mut reads)?;
    Ok(reads.needs)
}

/// The needs of a change, and whether there is an expression in it of which `asks` holds, or a query with a LIMIT.
pub fn of_change(
    stmt: &Statement,
    schema: Option<&str>,
    asks: Asks,
) -> Result<(Vec<Need>, bool), SqlError> {
    let mut reads = Reads::asking(schema, asks);
    query(stmt, &mut reads)?;
    Ok((reads.needs, reads.holds))
}

/// The needs of any statement, in a session of `me` with this default schema.
pub fn of_statement(stmt: &Statement, schema: Option<&str>, me: Me<'_>) -> Needs {
    let mut r = Reads::new(schema);
    match stmt {
        Statement::Select(_)
        | Statement::Insert(_)
        | Statement::LoadData(_)
        | Statement::Update(_)
        | Statement::Delete(_)
        | Statement::Do(_)
        | Statement::Explain(_) => query(stmt, &mut r)?,
        Statement::Call { name, args } => {
            routine(&mut r, RoutineKind::Procedure, name, P::EXECUTE)?;
            r.exprs(args)?;
        }
        Statement::Signal(s) => r.exprs(s.items.iter().map(|(_, e)| e))?,
        Statement::GetDiagnostics(g) => {
            if let ast::Diagnostics::Condition(e, _) = &g.what {
                r.exprs([e])?;
            }
        }
        Statement::Handler(h) => match &**h {
            ast::Handler::Open { table, .. } => r.table(table, P::SELECT)?,
            ast::Handler::Close(_) | ast::Handler::Read(_) => {}
        },

        Statement::CreateTable(c) => create_table(c, &mut r)?,
        Statement::AlterTable(a) => {
            // As the server does it: its manual also names CREATE and INSERT, which only a new name and an exchange ask for.
            r.table(&a.name, P::ALTER)?;
            a.specs.iter().try_for_each(|s| r.alter(&a.name, s))?;
        }
        Statement::DropTable(d) if d.temporary => {}
        Statement::DropTable(d) => d.names.iter().try_for_each(|n| r.table(n, P::DROP))?,
        Statement::TruncateTable(n) => r.table(n, P::DROP)?,
        Statement::RenameTable(pairs) => pairs.iter().try_for_each(|(old, new)| {
            r.table(old, P::ALTER | P::DROP)?;
            r.table(new, P::CREATE | P::INSERT)
        })?,
        Statement::CreateIndex(c) => r.table(&c.table, P::INDEX)?,
        Statement::DropIndex(d) => r.table(&d.table, P::INDEX)?,
        Statement::CreateDatabase { name, .. } => on_schema(&mut r, Some(name), P::CREATE)?,
        Statement::AlterDatabase { name, .. } => on_schema(&mut r, name.as_ref(), P::ALTER)?,
        Statement::DropDatabase { name, .. } => on_schema(&mut r, Some(name), P::DROP)?,
        Statement::CreateReferenceSystem(_) | Statement::DropReferenceSystem { .. } => {
            r.push(Need::Global(P::SUPER));
        }
        Statement::CreateView(v) => {
            let replaces = v.alter || v.or_replace;
            r.table(&v.name, if replaces { P::CREATE_VIEW | P::DROP } else { P::CREATE_VIEW })?;
            r.query(&v.query)?;
        }
        Statement::DropView { names, .. } => names.iter().try_for_each(|n| r.table(n, P::DROP))?,
        Statement::CreateRoutine(c) => {
            on_schema(&mut r, c.name.schema.as_ref(), P::CREATE_ROUTINE)?
        }
        Statement::AlterRoutine(a) => routine(&mut r, a.kind, &a.name, P::ALTER_ROUTINE)?,
        Statement::CreateTrigger(t) => {
            let table = TableName {
                schema: t.table.schema.clone().or_else(|| t.name.schema.clone()),
                name: t.table.name.clone(),
            };
            r.table(&table, P::TRIGGER)?;
        }
        Statement::DefineEvent(e) => {
            on_schema(&mut r, e.name.schema.as_ref(), P::EVENT)?;
            if let Some(to) = &e.rename {
                on_schema(&mut r, to.schema.as_ref(), P::EVENT)?;
            }
        }
        Statement::DropRoutine { kind, name, .. } => match kind {
            RoutineKind::Procedure | RoutineKind::Function => {
                routine(&mut r, *kind, name, P::ALTER_ROUTINE)?;
            }
            RoutineKind::Trigger => on_schema(&mut r, name.schema.as_ref(), P::TRIGGER)?,
            RoutineKind::Event => on_schema(&mut r, name.schema.as_ref(), P::EVENT)?,
        },

        Statement::Use(name) => r.push(Need::AnyOnSchema { schema: name.as_str().into() }),
        Statement::Set(items) => items.iter().try_for_each(|item| set(item, &mut r))?,
        Statement::SetTransaction(t) => {
            if t.scope.is_some_and(|s| s != VarScope::Session) {
                r.push(set_global());
            }
        }
        Statement::SetPassword(s) => {
            if s.user.as_ref().is_some_and(|u| !me.is(u)) {
                // Unlike ALTER USER, as in MySQL.
                r.push(Need::Schema { privileges: P::UPDATE, schema: "mysql".into() });
            } else if s.retain_current {
                r.push(own_second_password());
            }
        }
        Statement::SetDefaultRole { users, .. } => {
            if !users.iter().all(|u| me.is(u)) {
                r.push(accounts(P::UPDATE));
            }
        }
        // Anyone who has a role may take it; resource groups have rights of their own, which do not exist here: they are
        // refused (1235).
        Statement::SetRole(_) | Statement::SetResourceGroup { .. } => {}
        // The statement that is prepared is checked when it is planned and whenever it is executed.
        Statement::Prepare { .. } | Statement::Execute { .. } | Statement::Deallocate { .. } => {}

        Statement::Begin
        | Statement::StartTransaction(_)
        | Statement::Commit(_)
        | Statement::Rollback(_)
        | Statement::Savepoint(_)
        | Statement::RollbackTo(_)
        | Statement::ReleaseSavepoint(_) => {}
        Statement::LockTables(list) => list.iter().try_for_each(|l| {
            let schema = r.schema_of(l.name.schema.as_ref())?;
            r.push(Need::Schema { privileges: P::LOCK_TABLES, schema });
            match l.kind {
                TableLockKind::Read
                | TableLockKind::ReadLocal
                | TableLockKind::Write
                | TableLockKind::LowPriorityWrite => r.table(&l.name, P::SELECT),
            }
        })?,
        Statement::UnlockTables | Statement::Comment => {}
        Statement::LockInstance | Statement::UnlockInstance => {
            r.push(Need::Global(P::BACKUP_ADMIN));
        }
        // A copy of everything is read past all rights on tables, and accounts are in it.
        Statement::Backup(_) => r.push(Need::Global(P::BACKUP_ADMIN)),
        Statement::Xa(x) => match x {
            Xa::Start { .. }
            | Xa::End { .. }
            | Xa::Prepare(_)
            | Xa::Commit { .. }
            | Xa::Rollback(_) => {}
            Xa::Recover { .. } => r.push(Need::XaRecover),
        },

        Statement::Show(s) => show(s, me, &mut r)?,
        Statement::Describe { table, .. } => r.any_on_table(table, P::of_tables(), "SELECT")?,
        Statement::Help(_) => {}

        // Whose session it is (1095) is known when the id is.
        Statement::Kill { id, .. } => r.expr(id)?,
        Statement::TableAdmin(a) => a.tables.iter().try_for_each(|n| match a.verb {
            AdminVerb::Analyze
            | AdminVerb::UpdateHistogram { .. }
            | AdminVerb::DropHistogram { .. }
            | AdminVerb::Optimize
            | AdminVerb::Repair => r.table(n, P::SELECT | P::INSERT),
            AdminVerb::Checksum => r.table(n, P::SELECT),
            AdminVerb::AssignToKeyCache(_) | AdminVerb::PreloadKeys => r.table(n, P::INDEX),
            AdminVerb::Check => r.any_on_table(n, P::of_tables(), "SELECT"),
        })?,
        Statement::Flush(f) => f.what.iter().try_for_each(|w| flush(w, &mut r))?,
        Statement::Reset(list) => list.iter().for_each(|k| match k {
            ResetKind::Persist { name, .. } => {
                r.push(set_global());
                // All of them are options of the start, too.
                if name.as_ref().is_none_or(|n| is_for_starts(n.as_str())) {
                    r.push(Need::Global(P::PERSIST_RO_VARIABLES_ADMIN));
                }
            }
            ResetKind::BinaryLogs(_) | ResetKind::Replica { .. } => {
                r.push(Need::Global(P::RELOAD));
            }
        }),
        Statement::ReloadTls { .. } => r.push(Need::Global(P::CONNECTION_ADMIN)),
        Statement::Shutdown | Statement::Restart => r.push(Need::Global(P::SHUTDOWN)),
        Statement::Binlog(_) | Statement::Replication(_) => r.push(Need::Global(P::SUPER)),
        Statement::PurgeBinaryLogs(what) => {
            r.push(Need::Global(P::SUPER));
            if let PurgeBinaryLogs::Before(time) = what {
                r.expr(time)?;
            }
        }
        Statement::InstallPlugin { .. } => r.push(plugin(P::INSERT)),
        Statement::UninstallPlugin(_) => r.push(plugin(P::DELETE)),
        Statement::InstallComponent { sets, .. } => {
            r.push(component(P::INSERT));
            if *sets {
                r.push(set_global());
            }
        }
        Statement::UninstallComponent(_) => r.push(component(P::DELETE)),

        Statement::CreateUser(c) => {
            r.push(accounts(P::INSERT));
            // The account is granted them with it.
            if !c.default_roles.is_empty() {
                r.push(Need::Roles(c.default_roles.iter().map(|u| me.name(u)).collect()));
            }
        }
        Statement::AlterUser(a) => {
            // One's own password is one's own to change, and one's default roles. What bounds the account is not: nobody takes a REQUIRE
            // or a lock off himself.
            let bounds = a.options != UserOptions::default();
            let own = !bounds && a.users.iter().all(|u| me.is(&u.user));
            let second =
                |u: &UserAuth| u.auth.as_ref().is_some_and(|a| a.retain_current || a.discard_old);
            if !own {
                r.push(accounts(P::UPDATE));
            } else if a.users.iter().any(second) {
                r.push(own_second_password());
            }
        }
        Statement::DropUser { .. } => r.push(accounts(P::DELETE)),
        Statement::RenameUser(_) => r.push(accounts(P::UPDATE)),
        Statement::CreateRole { .. } => {
            let any_of = P::CREATE_ROLE | P::CREATE_USER;
            r.push(Need::Accounts { any_of, or_on_mysql: P::INSERT });
        }
        Statement::DropRole { .. } => {
            let any_of = P::DROP_ROLE | P::CREATE_USER;
            r.push(Need::Accounts { any_of, or_on_mysql: P::DELETE });
        }
        Statement::Grant(g) => grant(&g.what, me, &mut r)?,
        Statement::Revoke(g) => grant(&g.what, me, &mut r)?,
        // Refused by name (1235), whatever it says.
        Statement::Unsupported { .. } => {}
    }
    Ok(r.needs)
}

fn query<'a>(stmt: &'a Statement, r: &mut Reads<'a>) -> Done {
    match stmt {
        Statement::Select(q) => r.query(q),
        Statement::Insert(i) => insert(i, r),
        Statement::LoadData(l) => {
            let replaces = l.duplicates == LoadDuplicates::Replace;
            r.table(&l.table, if replaces { P::INSERT | P::DELETE } else { P::INSERT })?;
            r.exprs(l.set.iter().map(|a| &a.value))?;
            if !l.local {
                r.push(Need::File);
            }
            Ok(())
        }
        Statement::Update(u) => update(u, r),
        Statement::Delete(d) => delete(d, r),
        Statement::Do(exprs) => r.exprs(exprs),
        // The rights of the statement itself. That of another connection is refused (1235).
        Statement::Explain(e) => match &e.target {
            ExplainTarget::Statement(s) => query(s, r),
            ExplainTarget::Connection(_) => Ok(()),
        },
        _ => Ok(()),
    }
}

fn insert<'a>(i: &'a ast::Insert, r: &mut Reads<'a>) -> Done {
    let mut needed = P::INSERT;
    if i.replace {
        needed |= P::DELETE;
    }
    if !i.on_duplicate.is_empty() {
        needed |= P::UPDATE;
    }
    r.table(&i.table, needed)?;
    match &i.source {
        InsertSource::Values(rows) => r.exprs(rows.iter().flatten())?,
        InsertSource::Query(q) => r.query(q)?,
    }
    r.exprs(i.on_duplicate.iter().map(|a| &a.value))
}

/// Which of many tables are updated is known when the columns are bound; until then one of the two rights will do.
fn update<'a>(u: &'a ast::Update, r: &mut Reads<'a>) -> Done {
    r.with(u.with.as_ref())?;
    let single = matches!(&u.tables[..], [TableRef::Table(_)]);
    for t in &u.tables {
        r.from(t, &mut |r, f| match single {
            true => r.table(&f.name, P::UPDATE),
            false => r.any_on_table(&f.name, P::SELECT | P::UPDATE, "SELECT"),
        })?;
    }
    r.exprs(u.assignments.iter().map(|a| &a.value))?;
    r.exprs(&u.where_)?;
    r.order(&u.order_by)?;
    r.own_limit(u.limit.as_ref())
}

fn delete<'a>(d: &'a ast::Delete, r: &mut Reads<'a>) -> Done {
    r.with(d.with.as_ref())?;
    let alone = d.targets.is_empty();
    let targets: HashSet<&str> = d.targets.iter().map(|n| n.name.as_str()).collect();
    for t in &d.from {
        r.from(t, &mut |r, f| {
            let alias = f.alias.as_ref().unwrap_or(&f.name.name);
            let target = alone || targets.contains(alias.as_str());
            r.table(&f.name, if target { P::DELETE } else { P::SELECT })
        })?;
    }
    // A target that FROM does not name is an error (1109), told to anyone who may delete from it.
    let mut named = Vec::new();
    d.from.iter().for_each(|t| base_tables(t, &mut named));
    let known = |f: &&'a ast::TableFactor| f.alias.as_ref().unwrap_or(&f.name.name).as_str();
    let known: HashSet<&str> = named.iter().map(known).collect();
    for n in &d.targets {
        if !known.contains(n.name.as_str()) && r.is_base(n) {
            r.table(n, P::DELETE)?;
        }
    }
    r.exprs(&d.where_)?;
    r.order(&d.order_by)?;
    r.own_limit(d.limit.as_ref())
}

fn create_table<'a>(c: &'a CreateTable, r: &mut Reads<'a>) -> Done {
    if c.temporary {
        on_schema(r, c.name.schema.as_ref(), P::CREATE_TEMPORARY_TABLES)?;
    } else {
        r.table(&c.name, if c.query.is_some() { P::CREATE | P::INSERT } else { P::CREATE })?;
    }
    if let Some(like) = &c.like {
        r.table(like, P::SELECT)?;
    }
    c.elements.iter().try_for_each(|e| r.element(&c.name, e))?;
    c.options.iter().try_for_each(|o| r.table_option(o))?;
    c.query.iter().try_for_each(|q| r.query(q))
}

fn on_schema(r: &mut Reads<'_>, name: Option<&Ident>, privileges: P) -> Done {
    let schema = r.schema_of(name)?;
    r.push(Need::Schema { privileges, schema });
    Ok(())
}

fn routine(r: &mut Reads<'_>, kind: RoutineKind, name: &TableName, privilege: P) -> Done {
    let (schema, routine) = (r.schema_of(name.schema.as_ref())?, name.name.as_str().into());
    let procedure = kind == RoutineKind::Procedure;
    r.push(Need::Routine { privilege, procedure, schema, routine });
    Ok(())
}

/// SET GLOBAL and its like.
fn set_global() -> Need {
    Need::Global(P::SUPER | P::SYSTEM_VARIABLES_ADMIN)
}

fn accounts(or_on_mysql: P) -> Need {
    Need::Accounts { any_of: P::CREATE_USER, or_on_mysql }
}

/// To keep or discard a second password of one's own account.
fn own_second_password() -> Need {
    Need::Global(P::APPLICATION_PASSWORD_ADMIN | P::CREATE_USER)
}

fn component(privileges: P) -> Need {
    Need::Table { privileges, schema: "mysql".into(), table: "component".into() }
}

fn plugin(privileges: P) -> Need {
    Need::Table { privileges, schema: "mysql".into(), table: "plugin".into() }
}

/// Whether a variable is an option of the start alone.
fn is_for_starts(name: &str) -> bool {
    Var::lookup(name).is_some_and(|v| v.def().is_for_starts())
}

/// Variables of a session by which it leaves a log, or changes what others read there: those who may do that may do it for all.
const OF_LOGS: [&str; 10] = [
    "sql_log_off",
    "sql_log_bin",
    "gtid_next",
    "binlog_format",
    "binlog_row_image",
    "binlog_row_value_options",
    "binlog_rows_query_log_events",
    "binlog_direct_non_transactional_updates",
    "binlog_transaction_compression",
    "binlog_transaction_compression_level_zstd",
];

fn set<'a>(item: &'a SetItem, r: &mut Reads<'a>) -> Done {
    match item {
        SetItem::User { value, .. } => r.expr(value),
        SetItem::System { var, value } => {
            if var.scope.is_some_and(|s| s != VarScope::Session) {
                r.push(set_global());
                let only = var.scope == Some(VarScope::PersistOnly);
                if only && is_for_starts(var.name.as_str()) {
                    r.push(Need::Global(P::PERSIST_RO_VARIABLES_ADMIN));
                }
                // It grants roles, whatever they may do, to everybody.
                if var.name.as_str().eq_ignore_ascii_case("mandatory_roles") {
                    r.push(Need::Global(P::ROLE_ADMIN));
                    r.push(Need::Global(P::SUPER));
                }
            }
            if OF_LOGS.iter().any(|name| var.name.as_str().eq_ignore_ascii_case(name)) {
                r.push(set_global());
            }
            match value {
                SetValue::Expr(e) => r.expr(e),
                SetValue::Default | SetValue::Word(_) => Ok(()),
            }
        }
        SetItem::Names { .. } | SetItem::CharacterSet(_) => Ok(()),
    }
}

fn flush(what: &FlushKind, r: &mut Reads<'_>) -> Done {
    r.push(Need::Global(P::RELOAD));
    let FlushKind::Tables { names, read_lock, export } = what else { return Ok(()) };
    if !read_lock && !export {
        return Ok(());
    }
    names.iter().try_for_each(|n| {
        on_schema(r, n.schema.as_ref(), P::LOCK_TABLES)?;
        r.table(n, P::SELECT)
    })
}

fn grant(what: &GrantWhat, me: Me<'_>, r: &mut Reads<'_>) -> Done {
    let (list, all, object, level) = match what {
        GrantWhat::Privileges { list, all, object, level } => (list, *all, *object, level),
        GrantWhat::AllAndGrantOption => {
            r.push(accounts(P::UPDATE));
            return Ok(());
        }
        GrantWhat::Roles(roles) => {
            r.push(Need::Roles(roles.iter().map(|u| me.name(u)).collect()));
            return Ok(());
        }
        // Refused (1235).
        GrantWhat::Proxy(_) => return Ok(()),
    };
    let (level, everything) = match level {
        ast::GrantLevel::Global => (GrantLevel::Global, P::all_global()),
        ast::GrantLevel::Schema(s) => {
            (GrantLevel::Database(r.schema_of(s.as_ref())?), P::all_database())
        }
        ast::GrantLevel::Object(n) if object == GrantObject::Table => {
            let (schema, table) = (r.schema_of(n.schema.as_ref())?, n.name.as_str().into());
            let columns = column_rights(list);
            (GrantLevel::Table { schema, table, columns }, P::all_table())
        }
        ast::GrantLevel::Object(n) => {
            let procedure = object == GrantObject::Procedure;
            let (schema, name) = (r.schema_of(n.schema.as_ref())?, n.name.as_str().into());
            (GrantLevel::Routine { procedure, schema, name }, P::all_routine())
        }
    };
    let whole = list.iter().filter(|p| p.columns.is_empty());
    let named = whole.filter_map(|p| P::by_name(&p.name));
    let privileges = match all {
        true => everything,
        false => named.fold(P::NONE, |set, p| set | p),
    };
    r.push(Need::Grantable { privileges, level });
    Ok(())
}

/// The privileges of a GRANT that are on columns, by column.
pub fn column_rights(list: &[ast::Privilege]) -> Vec<ColumnRights> {
    let mut out: Vec<ColumnRights> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for p in list {
        let Some(held) = P::by_name(&p.name) else { continue };
        for c in &p.columns {
            let at = *known.entry(folded(c.as_str())).or_insert(out.len());
            match out.get_mut(at) {
                Some(known) => known.held |= held,
                None => out.push(ColumnRights { column: c.as_str().into(), held }),
            }
        }
    }
    out
}

fn show<'a>(s: &'a Show, me: Me<'_>, r: &mut Reads<'a>) -> Done {
    match &s.kind {
        // Of all schemas, where none is named.
        ShowKind::OpenTables { schema } => {
            if schema.is_some() {
                let schema = r.schema_of(schema.as_ref())?;
                r.push(Need::AnyOnSchema { schema });
            }
        }
        ShowKind::Tables { schema, .. }
        | ShowKind::TableStatus { schema }
        | ShowKind::Triggers { schema, .. } => {
            let schema = r.schema_of(schema.as_ref())?;
            r.push(Need::AnyOnSchema { schema });
        }
        ShowKind::Events { schema } => on_schema(r, schema.as_ref(), P::EVENT)?,
        ShowKind::Columns { table, .. } | ShowKind::Index { table, .. } => {
            r.any_on_table(table, P::of_tables(), "SELECT")?;
        }
        ShowKind::CreateTable(name) => {
            let (schema, table) = (r.schema_of(name.schema.as_ref())?, name.name.as_str().into());
            r.push(Need::Definition { schema, table });
        }
        ShowKind::CreateView(table) => r.table(table, P::SELECT | P::SHOW_VIEW)?,
        ShowKind::CreateDatabase { name, .. } => {
            r.push(Need::AnyOnSchema { schema: name.as_str().into() });
        }
        ShowKind::CreateEvent(name) => on_schema(r, name.schema.as_ref(), P::EVENT)?,
        ShowKind::CreateTrigger(name) => on_schema(r, name.schema.as_ref(), P::TRIGGER)?,
        ShowKind::Engine { .. } | ShowKind::InnodbStatus { .. } => r.push(Need::Global(P::PROCESS)),
        ShowKind::BinaryLogStatus | ShowKind::BinaryLogs | ShowKind::ReplicaStatus { .. } => {
            r.push(Need::Global(P::SUPER | P::REPLICATION_CLIENT));
        }
        ShowKind::BinlogEvents { .. } | ShowKind::RelaylogEvents { .. } | ShowKind::Replicas => {
            r.push(Need::Global(P::REPLICATION_SLAVE));
        }
        ShowKind::CreateUser(user) | ShowKind::Grants { user: Some(user), .. } => {
            if !me.is(user) {
                let schema = "mysql".into();
                r.push(Need::Schema { privileges: P::SELECT, schema });
            }
        }
        // Everybody may ask; rows of others are left out, and there are no routines and profiles.
        ShowKind::Databases
        | ShowKind::Processlist { .. }
        | ShowKind::Grants { user: None, .. }
        | ShowKind::CreateProcedure(_)
        | ShowKind::CreateFunction(_)
        | ShowKind::ProcedureStatus
        | ShowKind::FunctionStatus
        | ShowKind::RoutineCode(_)
        | ShowKind::Variables { .. }
        | ShowKind::Status { .. }
        | ShowKind::Engines
        | ShowKind::Warnings(_)
        | ShowKind::Errors(_)
        | ShowKind::CountWarnings
        | ShowKind::CountErrors
        | ShowKind::CharacterSet
        | ShowKind::Collation
        | ShowKind::Plugins
        | ShowKind::Privileges
        | ShowKind::Profiles
        | ShowKind::Profile { .. } => {}
    }
    match &s.filter {
        Some(ShowFilter::Where(e)) => r.expr(e),
        Some(ShowFilter::Like(_)) | None => Ok(()),
    }
}
