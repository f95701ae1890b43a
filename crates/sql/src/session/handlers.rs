//! HANDLER: tables that a session reads index by index, row by row, for as long as it likes.
//!
//! An open handler is a name, the table that it stands for, and a place in it (`Bookmark`). It holds nothing of the engine: the table's
//! metadata lock is taken for each read, with the definition as it is then. Where another session has changed the definition, the handler
//! is opened once more, as in MySQL, and has lost its place. The session's own definition statements close the handlers of their tables.
//!
//! Invariant: a handler is charged to the session for as long as it is open.

use super::Session;
use super::execute::ATTEMPTS;
use crate::ddl::is_virtual_schema;
use crate::ddl::view::is_not;
use crate::errno;
use crate::memory::Held;
use crate::meta::cache::no_such_table;
use crate::query::{self, Bookmark};
use crate::rights::{self, Need};
use crate::session_api::{OkInfo, ResultSink, SqlError};
use std::collections::HashMap;
use std::sync::Arc;
use weir_engine::ObjectKind;
use weir_syntax::ast::{
    FlushKind, Handler, HandlerRead, Ident, Query, QueryBody, RoutineKind, Select, SelectItem,
    SqlCommand, Statement, TableFactor, TableName, TableRef,
};

/// What an open handler takes besides its names.
const HANDLER: usize = 512;

/// An open handler.
struct Open {
    /// The name as it was given, and those of the table.
    alias: Ident,
    schema: String,
    table: String,
    bookmark: Arc<Bookmark>,
    _held: Held,
}

/// The open handlers of a session.
#[derive(Default)]
pub(super) struct Handlers {
    /// By their names, whose letter case does not matter.
    by_name: HashMap<String, Open>,
}

impl Handlers {
    pub fn close_all(&mut self) {
        self.by_name.clear();
    }

    /// Closes those of a table, or of all tables of a schema.
    fn close_of(&mut self, schema: &str, table: Option<&str>) {
        self.by_name.retain(|_, h| h.schema != schema || table.is_some_and(|t| h.table != t));
    }

    fn forget_places(&self, of: Option<(&str, &str)>) {
        for h in self.by_name.values() {
            if of.is_none_or(|of| of == (h.schema.as_str(), h.table.as_str())) {
                h.bookmark.forget();
            }
        }
    }
}

fn folded(name: &Ident) -> String {
    name.as_str().to_lowercase()
}

/// 1109.
fn unknown(name: &Ident) -> SqlError {
    SqlError::of(errno::ER_UNKNOWN_TABLE, &[&name, &"HANDLER"])
}

/// All columns of the table, with the conditions of a read.
fn rows_of(h: &Open, read: &HandlerRead) -> Query {
    let name = TableName { schema: Some(Ident::new(&h.schema)), name: Ident::new(&h.table) };
    let factor = TableFactor {
        name,
        partitions: Vec::new(),
        alias: Some(h.alias.clone()),
        index_hints: Vec::new(),
    };
    let all = SelectItem::Wildcard { schema: None, table: None };
    let mut query = Query::of_items(vec![all]);
    if let QueryBody::Select(s) = &mut query.body {
        let Select { from, where_, .. } = &mut **s;
        *from = vec![TableRef::Table(Box::new(factor))];
        where_.clone_from(&read.where_);
    }
    query
}

impl Session {
    pub(super) async fn handler(
        &mut self,
        stmt: &Statement,
        handler: &Handler,
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        match handler {
            Handler::Open { table, alias } => {
                self.check_locked(stmt)?;
                self.open_handler(table, alias.as_ref())?;
            }
            Handler::Close(name) => {
                self.check_locked(stmt)?;
                self.handlers.by_name.remove(&folded(name)).ok_or_else(|| unknown(name))?;
            }
            Handler::Read(read) => return self.read_handler(stmt, read, sink).await,
        }
        self.ok(sink, OkInfo::default())
    }

    fn open_handler(&mut self, name: &TableName, alias: Option<&Ident>) -> Result<(), SqlError> {
        let alias = alias.unwrap_or(&name.name).clone();
        let key = folded(&alias);
        if self.handlers.by_name.contains_key(&key) {
            return Err(SqlError::of(errno::ER_NONUNIQ_TABLE, &[&alias]));
        }
        let schema = name.schema.as_ref().map(|s| s.as_str()).or(self.info.database.as_deref());
        let schema = schema.ok_or_else(SqlError::no_database)?.to_owned();
        let table = name.name.as_str().to_owned();
        self.check_branch_active()?;
        self.check_handled(&schema, &table)?;
        let mut held = Held::default();
        let bytes = HANDLER + key.len() + alias.as_str().len() + schema.len() + table.len();
        held.grow(Some(&self.info.memory), bytes)?;
        let bookmark = Arc::default();
        let open = Open { alias, schema, table, bookmark, _held: held };
        self.handlers.by_name.insert(key, open);
        Ok(())
    }

    /// 1146 for a table that is not there, 1347 for a view, 1031 for one that is computed.
    fn check_handled(&self, schema: &str, table: &str) -> Result<(), SqlError> {
        let reads = reads!(self);
        if self.temporaries.has(schema, table) {
            return Ok(());
        }
        let listed = schema.eq_ignore_ascii_case("information_schema");
        if let Some(v) = reads.computed(schema, table) {
            return Err(match listed {
                true => is_not(v.schema(), v.name(), "BASE TABLE"),
                false => SqlError::of(errno::ER_ILLEGAL_HA, &[&v.name()]),
            });
        }
        if listed {
            let name = table.to_uppercase();
            return Err(SqlError::of(errno::ER_UNKNOWN_TABLE, &[&name, &"information_schema"]));
        }
        if is_virtual_schema(schema) {
            return Err(no_such_table(schema, table));
        }
        if self.inst.db.object(ObjectKind::View, schema, table).is_some() {
            return Err(is_not(schema, table, "BASE TABLE"));
        }
        reads.table(schema, table).map(drop)
    }

    async fn read_handler(
        &mut self,
        stmt: &Statement,
        read: &HandlerRead,
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        // It changes nothing, so no text of a statement goes into the binary log.
        self.said.as_text = None;
        for attempt in 0..ATTEMPTS {
            let plan = match self.check_locked(stmt) {
                Ok(()) => self.plan_read(read).await,
                Err(e) => Err(e),
            };
            // One that has a plan is counted when the plan has run.
            let plan = plan.inspect_err(|_| self.work.inc(SqlCommand::HaRead))?;
            if attempt == 0 {
                self.warn_of(&plan);
            }
            if let Ok(done) = self.run_plan(&plan, &[], sink).await {
                return done;
            }
        }
        Err(SqlError::of(errno::ER_TABLE_DEF_CHANGED, &[]))
    }

    /// The plan of a read by the table's definition as it is now.
    async fn plan_read(&mut self, read: &HandlerRead) -> Result<query::Plan, SqlError> {
        let open = self.handlers.by_name.get(&folded(&read.handler));
        let open = open.ok_or_else(|| unknown(&read.handler))?;
        let (bookmark, rows) = (open.bookmark.clone(), rows_of(open, read));
        self.check_handled(&open.schema, &open.table)?;
        let select = Statement::Select(Box::new(rows.clone()));
        let needs = rights::of_query(&select, self.info.database.as_deref())?;
        self.check_query(&select)?;
        let env = self.plan_env(&[]);
        let plan = query::plan_handler_read(&rows, read, needs, &bookmark, &env);
        by_priority!(self, Box::pin(plan))
    }

    /// Before a statement: the handlers of the tables whose definitions it may change are closed, whatever becomes of it, and FLUSH TABLES
    /// makes handlers lose their places.
    pub(super) fn close_handlers_of(&mut self, stmt: &Statement) {
        if self.handlers.by_name.is_empty() {
            return;
        }
        let mut named: Vec<&TableName> = Vec::new();
        match stmt {
            // They may name temporary tables, and ask for no rights on those.
            Statement::CreateTable(c) => named.push(&c.name),
            Statement::DropTable(d) => named.extend(&d.names),
            Statement::DropRoutine { kind: RoutineKind::Trigger, name, .. } => {
                if let Some((schema, table)) = self.table_of_trigger(name) {
                    self.handlers.close_of(&schema, Some(&table));
                }
            }
            Statement::DropDatabase { name, .. } => self.handlers.close_of(name.as_str(), None),
            Statement::Flush(f) => self.forget_places_of(&f.what),
            _ => {}
        }
        for n in named {
            if let Ok(schema) = self.schema_for(n) {
                self.handlers.close_of(&schema, Some(n.name.as_str()));
            }
        }
        if stmt.row().closes_handlers {
            self.close_needed(stmt);
        }
    }

    /// Closes the handlers of all tables that a statement asks for rights on.
    fn close_needed(&mut self, stmt: &Statement) {
        let (user, host) = self.access.account();
        let me = rights::Me { user, host };
        let needs = rights::of_statement(stmt, self.info.database.as_deref(), me);
        for need in needs.unwrap_or_default() {
            if let Need::Table { schema, table, .. } | Need::AnyOnTable { schema, table, .. } = need
            {
                self.handlers.close_of(&schema, Some(&table));
            }
        }
    }

    fn forget_places_of(&self, what: &[FlushKind]) {
        for kind in what {
            let FlushKind::Tables { names, .. } = kind else { continue };
            if names.is_empty() {
                self.handlers.forget_places(None);
            }
            for n in names {
                if let Ok(schema) = self.schema_for(n) {
                    self.handlers.forget_places(Some((&schema, n.name.as_str())));
                }
            }
        }
    }
}
