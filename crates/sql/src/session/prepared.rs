//! Prepared statements: of the binary protocol by number, of SQL by name.

use super::Session;
use super::execute::Origin;
use super::logged::offset_text;
use super::preparable::preparable;
use super::text::{for_client, lexed};
use crate::context::{AdminResult, Listed, PreparedStatement};
use crate::ddl::refused::value_error;
use crate::errno;
use crate::memory::{Held, LARGE};
use crate::query::{self, ParamKind, Plan};
use crate::rights;
use crate::session_api::{ColumnMeta, ParamValue, PreparedInfo, ResultSink, SqlError};
use crate::status::Stat;
use crate::value::temporal::MAX_TIME_SECONDS;
use crate::value::{Charset, Collation, Date, DateTime, Decimal, Time, Value, ValueError, sent};
use std::sync::Arc;
use weir_rt::Boxed;
use weir_syntax::ast::{Ident, PrepareSource, Show, Statement};

/// A statement of the binary protocol.
pub struct Prepared {
    stmt: Arc<Statement>,
    pub(super) params: usize,
    kinds: ParamKinds,
    pub(super) plan: Option<Arc<Plan>>,
    schema: Option<String>,
    /// In UTF-8, for the logs.
    pub(super) text: Box<[u8]>,
    pub(super) listed: Listed,
    held: Held,
}

impl Prepared {
    /// What its parameters are where they stand.
    pub(super) fn kinds(&self) -> &ParamKinds {
        &self.kinds
    }
}

/// Parameters that a session keeps the memory for between executions; others have up to 65,535.
pub(super) const SPARE_VALUES: usize = 256;

/// Texts of a client's set are texts of the connection's collation as they come.
pub(super) fn is_sent_in(from: Charset, collation: Collation) -> bool {
    let to = collation.charset();
    from == to || from == Charset::Binary || (from, to) == (Charset::Utf8mb3, Charset::Utf8mb4)
}

/// What parameters are where they stand.
pub(super) type ParamKinds = Arc<[(u32, ParamKind)]>;

/// Texts as what they are where they stand.
pub(super) fn settle(kinds: &ParamKinds, values: &mut [Value<'static>]) {
    for (n, kind) in kinds.iter() {
        if let Some(v) = values.get_mut(*n as usize)
            && let Value::Str(text, collation) = v
            && !collation.charset().is_wide()
            && let Some(settled) = kind.value(text)
        {
            *v = settled;
        }
    }
}

/// What a prepared statement is charged: its text as it is kept and listed, its tree, which is several times as large, and its plan,
/// which a short text may make very large (`SELECT *`).
fn prepared_bytes(text: &[u8], plan: Option<&Plan>) -> usize {
    2048 + 8 * text.len() + plan.map_or(0, |p| p.bytes)
}

/// A statement prepared by name.
pub struct Named {
    stmt: Arc<Statement>,
    /// Of a definition statement: the binary log has it.
    text: Option<Box<[u8]>>,
    params: usize,
    kinds: ParamKinds,
    listed: Listed,
    /// It is at work: what it runs may not run it again.
    running: bool,
    _held: Held,
}

impl Session {
    /// Lists a statement for other sessions. `id`: its number in the binary protocol, or `name`: its name in SQL.
    fn listed(&self, id: Option<u32>, name: Option<&str>, text: &[u8]) -> Listed {
        self.inst.prepared.add(PreparedStatement::new(self.conn.id, id, name, text))
    }

    pub fn prepare<'a>(&'a mut self, sql: &'a [u8]) -> Boxed<'a, Result<PreparedInfo, SqlError>> {
        Box::pin(async move {
            self.start_statement();
            let r = self.prepare_inner(sql).await;
            match r {
                Ok(i) => {
                    self.end_statement(Ok(()))?;
                    Ok(i)
                }
                Err(e) => {
                    self.end_statement(Err(e.clone())).ok();
                    Err(e)
                }
            }
        })
    }

    async fn prepare_inner(&mut self, sql: &[u8]) -> Result<PreparedInfo, SqlError> {
        self.check_statement_count()?;
        let mut held = Held::default();
        held.grow(Some(&self.info.memory), prepared_bytes(sql, None))?;
        let client = self.settings.client;
        let sql = &*lexed(client, sql, self.reading());
        let parsed = self.parse(sql, true, client).map_err(|e| for_client(client, e))?;
        if !parsed.alone {
            let rest = String::from_utf8_lossy(&sql[parsed.consumed..]).trim_start().to_string();
            return Err(SqlError::parse(&rest, 1));
        }
        preparable(&parsed.stmt, sql, self.settings.lex_mode)?;
        let mut kinds = ParamKinds::default();
        let (columns, plan) = if query::is_query(&parsed.stmt) {
            let p = self.plan(&parsed.stmt, &[]).await?;
            rights::check(p.needs(), &mut self.access)?;
            self.warn_of(&p);
            kinds = p.param_kinds().clone();
            (p.columns().to_vec(), Some(Arc::new(p)))
        } else {
            self.check_statement(&parsed.stmt)?;
            (self.shown_columns(&parsed.stmt).await?, None)
        };
        held.set(Some(&self.info.memory), prepared_bytes(sql, plan.as_deref()))?;
        let columns = query::announced(&columns, &self.settings).into_owned();
        let id = self.next_statement;
        self.next_statement = self.next_statement.wrapping_add(1).max(1);
        let params = parsed.params as usize;
        if params > 65_535 {
            return Err(SqlError::of(errno::ER_PS_MANY_PARAM, &[]));
        }
        let listed = self.listed(Some(id), None, sql);
        self.inst.status.inc(Stat::Prepared_stmt_count);
        self.prepared.insert(
            id,
            Prepared {
                stmt: Arc::new(parsed.stmt),
                params,
                kinds,
                plan,
                schema: self.info.database.clone(),
                text: sql.into(),
                listed,
                held,
            },
        );
        Ok(PreparedInfo {
            id,
            params: params as u16,
            columns,
            warnings: self.current.total().min(65_535) as u16,
        })
    }

    /// Columns of SHOW and DESCRIBE, which depend on nothing that the execution could change. The list itself is made and
    /// dropped: its rows cost a look at the dictionary, and such statements are rarely prepared.
    async fn shown_columns(&mut self, stmt: &Statement) -> Result<Vec<ColumnMeta>, SqlError> {
        let stmt = match stmt {
            Statement::Show(s) => {
                Statement::Show(Box::new(Show { kind: s.kind.clone(), filter: None }))
            }
            Statement::Describe { table, .. } => {
                Statement::Describe { table: table.clone(), column: None }
            }
            _ => return Ok(Vec::new()),
        };
        let mut cx = statement_ctx!(self);
        match crate::admin::run_admin(&stmt, &mut cx).await? {
            AdminResult::Ok { .. } => Ok(Vec::new()),
            AdminResult::Rows(r) | AdminResult::Unfiltered(r) => {
                Ok(query::show_columns(&r, self.settings.told))
            }
        }
    }

    /// A SELECT ... INTO, whose rows no cursor can give.
    pub fn selects_into(&self, id: u32) -> bool {
        let into = |p: &Prepared| matches!(&*p.stmt, Statement::Select(q) if q.into.is_some());
        self.prepared.get(&id).is_some_and(into)
    }

    /// How many parameters a statement has; `None`: there is no such statement.
    pub fn param_count(&self, id: u32) -> Option<usize> {
        self.prepared.get(&id).map(|p| p.params)
    }

    /// As [`Session::execute`].
    pub(super) async fn run_execute(
        &mut self,
        id: u32,
        params: &[ParamValue],
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        self.start_statement();
        if self.has_old_snapshot() {
            let refused = Box::pin(self.refuse_old_snapshot(b"")).await;
            return self.end_statement(refused);
        }
        let r = self.execute_inner(id, params, sink).await;
        self.end_statement(r)
    }

    pub(super) async fn execute_inner(
        &mut self,
        id: u32,
        params: &[ParamValue],
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        let Some(p) = self.prepared.get(&id) else {
            return Err(SqlError::unknown_statement(id, "mysqld_stmt_execute"));
        };
        if params.len() != p.params {
            return Err(SqlError::of(errno::ER_WRONG_ARGUMENTS, &[&"mysqld_stmt_execute"]));
        }
        if self.said.started.is_some() {
            self.check_started(&p.stmt)?;
        }
        p.listed.executed();
        let (stmt, plan, kinds) = (p.stmt.clone(), p.plan.clone(), p.kinds.clone());
        if self.access.is_limited() {
            self.count_query()?;
        }
        let collation = self.settings.collation;
        let large = |p: &ParamValue| match p {
            ParamValue::Bytes(b) | ParamValue::Blob(b) | ParamValue::Decimal(b) => b.len(),
            _ => 0,
        };
        // The server's copy is charged where it came in pieces; this one is the values'.
        let mut held = Held::default();
        let bytes: usize = params.iter().map(large).sum();
        if bytes >= LARGE {
            held.grow(Some(&self.info.memory), bytes)?;
        }
        params.iter().try_for_each(in_range)?;
        let mut values = std::mem::take(&mut self.spare_values);
        // Texts come in the client's set and are the connection's. A binary client's are taken for the connection's.
        let from = self.settings.sent;
        let client = (!is_sent_in(from, collation)).then_some(from);
        values.extend(params.iter().map(|v| match (client, v) {
            (Some(set), ParamValue::Bytes(_)) => match param_value(v, set.bin_collation()) {
                Value::Str(text, _) => {
                    Value::text(set.convert(&text, collation.charset()).0, collation)
                }
                other => other,
            },
            _ => param_value(v, collation),
        }));
        settle(&kinds, &mut values);
        let r = self.execute_values(id, &stmt, plan, &values, sink).await;
        values.clear();
        values.shrink_to(SPARE_VALUES);
        self.spare_values = values;
        r
    }

    pub(super) async fn execute_values(
        &mut self,
        id: u32,
        stmt: &Arc<Statement>,
        plan: Option<Arc<Plan>>,
        values: &[Value<'static>],
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        let version = self.inst.db.catalog_version();
        if let Some(plan) = plan
            && self.locked.is_none()
            && plan.catalog_version() == version
            && plan.is_cacheable()
            && !plan.is_outgrown()
            && !plan.has_open_types()
            && self.said.next_gtid.is_plain()
            && (!plan.is_watched() || self.fits(&plan, values).await)
        {
            if let Ok(r) = self.run_plan(&plan, values, sink).await {
                return r;
            }
        } else if !query::is_query(stmt) {
            self.out_to = super::call::OutTo::Client;
            self.said_prepared(id);
            let done = self.run_statement_apart(stmt, values, sink).await;
            self.out_to = Default::default();
            return done;
        }
        if !self.said.next_gtid.is_plain() {
            return Box::pin(self.run_named(stmt, Some(id), values, sink)).await;
        }
        self.run_query_apart(stmt, Origin::Prepared(id), values, sink).await
    }

    /// In a box that is filled by a function of its own: what an execution whose plan is kept does not need takes no room in its frames.
    fn run_statement_apart<'f>(
        &'f mut self,
        stmt: &'f Arc<Statement>,
        values: &'f [Value<'static>],
        sink: &'f mut dyn ResultSink,
    ) -> Boxed<'f, Result<(), SqlError>> {
        Box::pin(self.run_statement(stmt, values, sink))
    }

    /// The same.
    fn run_query_apart<'f>(
        &'f mut self,
        stmt: &'f Statement,
        origin: Origin,
        values: &'f [Value<'static>],
        sink: &'f mut dyn ResultSink,
    ) -> Boxed<'f, Result<(), SqlError>> {
        Box::pin(self.run_query(stmt, origin, values, sink))
    }

    /// A plan that is kept is one for these values as well.
    pub(super) fn fits<'f>(
        &'f self,
        plan: &'f Plan,
        params: &'f [Value<'static>],
    ) -> std::pin::Pin<Box<dyn Future<Output = bool> + Send + 'f>> {
        Box::pin(async move {
            let fits = query::fits(plan, &self.plan_env(params)).await;
            if !fits {
                self.work.inc(Stat::Weir_plan_cache_remade);
            }
            fits
        })
    }

    /// The plan of a prepared statement, made in the schema that was the default one when it was prepared.
    pub(super) async fn plan_prepared(
        &mut self,
        id: u32,
        stmt: &Statement,
        values: &[Value<'static>],
    ) -> Result<Arc<Plan>, SqlError> {
        let schema = self.prepared.get(&id).and_then(|p| p.schema.clone());
        let now = std::mem::replace(&mut self.info.database, schema);
        let plan = self.plan(stmt, values).await;
        self.info.database = now;
        let plan = Arc::new(plan?);
        if !plan.has_open_types()
            && let Some(p) = self.prepared.get_mut(&id)
        {
            let bytes = prepared_bytes(&p.text, Some(&plan));
            p.held.set(Some(&self.info.memory), bytes)?;
            p.plan = Some(plan.clone());
            p.listed.planned();
        }
        Ok(plan)
    }

    pub fn close_statement(&mut self, id: u32) {
        self.tally.forget(id);
        if self.prepared.remove(&id).is_some() {
            self.inst.status.dec(Stat::Prepared_stmt_count);
        }
    }

    pub(super) async fn prepare_named(
        &mut self,
        name: &str,
        source: &PrepareSource,
    ) -> Result<(), SqlError> {
        let text = match source {
            PrepareSource::Text(t) => (t.to_vec(), self.settings.client),
            PrepareSource::UserVar(v) => match self.user_vars.get(v.as_str()) {
                // A text in a set of its own is read as a client's in that set would be.
                Some(Value::Str(b, c)) if sent::client(c.charset()).is_some() => {
                    (sent::to_lexed(c.charset(), b, self.reading()), Some(c.charset()))
                }
                v => match v.and_then(Value::to_string_lossy) {
                    Some(t) => (t.into_bytes(), None),
                    None => (b"NULL".to_vec(), None),
                },
            },
        };
        let (text, client) = text;
        self.forget_named(name);
        self.check_statement_count()?;
        let mut held = Held::default();
        held.grow(Some(&self.info.memory), prepared_bytes(&text, None))?;
        let parsed = self.parse(&text, true, client).map_err(|e| for_client(client, e))?;
        if !parsed.alone {
            let rest = String::from_utf8_lossy(&text[parsed.consumed..]).trim_start().to_string();
            return Err(SqlError::parse(&rest, 1));
        }
        preparable(&parsed.stmt, &text, self.settings.lex_mode)?;
        let mut kinds = ParamKinds::default();
        if query::is_query(&parsed.stmt) {
            let plan = self.plan(&parsed.stmt, &[]).await?;
            rights::check(plan.needs(), &mut self.access)?;
            kinds = plan.param_kinds().clone();
        } else {
            self.check_statement(&parsed.stmt)?;
        }
        let listed = self.listed(None, Some(name), &text);
        let defines = parsed.stmt.defines();
        self.inst.status.inc(Stat::Prepared_stmt_count);
        self.named.insert(
            name.to_lowercase(),
            Named {
                stmt: Arc::new(parsed.stmt),
                text: defines.then(|| text[..].into()),
                params: parsed.params as usize,
                kinds,
                listed,
                running: false,
                _held: held,
            },
        );
        self.tracking.changed();
        Ok(())
    }

    pub(super) async fn execute_named(
        &mut self,
        name: &str,
        using: &[Ident],
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        let key = name.to_lowercase();
        let Some(n) = self.named.get_mut(&key) else {
            return Err(SqlError::of(errno::ER_UNKNOWN_STMT_HANDLER, &[&name, &"EXECUTE"]));
        };
        if n.params != using.len() {
            return Err(SqlError::of(errno::ER_WRONG_ARGUMENTS, &[&"EXECUTE"]));
        }
        if n.running {
            return Err(SqlError::of(errno::ER_PS_NO_RECURSION, &[]));
        }
        n.listed.executed();
        n.running = true;
        let (stmt, kinds, text) = (n.stmt.clone(), n.kinds.clone(), n.text.clone());
        let mut values: Vec<Value<'static>> = using
            .iter()
            .map(|u| self.user_vars.get(u.as_str()).cloned().unwrap_or(Value::Null))
            .collect();
        settle(&kinds, &mut values);
        self.said_inside(text.as_deref());
        self.out_to = super::call::OutTo::Variables(using.to_vec());
        let done = self.run_for_outer(&stmt, &values, sink).await;
        self.out_to = Default::default();
        if let Some(n) = self.named.get_mut(&key) {
            n.running = false;
        }
        done
    }

    pub(super) fn deallocate(&mut self, name: &str) -> Result<(), SqlError> {
        match self.forget_named(name) {
            true => {
                self.tracking.changed();
                Ok(())
            }
            false => {
                Err(SqlError::of(errno::ER_UNKNOWN_STMT_HANDLER, &[&name, &"DEALLOCATE PREPARE"]))
            }
        }
    }

    /// Whether there was one.
    fn forget_named(&mut self, name: &str) -> bool {
        let was = self.named.remove(&name.to_lowercase()).is_some();
        if was {
            self.inst.status.dec(Stat::Prepared_stmt_count);
        }
        was
    }

    /// 1461: those of the protocol and of SQL are counted together.
    fn check_statement_count(&self) -> Result<(), SqlError> {
        let max = self.inst.vars.u64(crate::vars::Var::max_prepared_stmt_count);
        if self.inst.status.get_of_server(Stat::Prepared_stmt_count) < max {
            return Ok(());
        }
        Err(SqlError::of(errno::ER_MAX_PREPARED_STMT_COUNT_REACHED, &[&max]))
    }
}

impl Session {
    pub(super) fn forget_statements(&mut self) {
        let named = self.named.drain().count();
        for _ in 0..self.prepared.drain().count() + named {
            self.inst.status.dec(Stat::Prepared_stmt_count);
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.forget_statements();
        if self.within.is_none() {
            self.inst.user_locks.release_all(self.conn.id);
        }
    }
}

impl Session {
    /// What the client sends with its next statement beside parameters, for mysql_query_attribute_string(). Errors: 4082 and 4081; the
    /// statement has none then.
    pub fn set_attributes(&mut self, list: Vec<(Vec<u8>, ParamValue)>) -> Result<(), SqlError> {
        if list.is_empty() && !self.has_attributes {
            return Ok(());
        }
        self.has_attributes = !list.is_empty();
        let collation = self.settings.collation;
        list.iter().try_for_each(|(_, v)| in_range(v))?;
        let text = |v: &ParamValue| match param_value(v, collation) {
            Value::Null => None,
            value => {
                let mut text = Vec::new();
                value.write_text(&mut text);
                if matches!(v, ParamValue::DateTime { .. } | ParamValue::Time { .. }) {
                    with_micros(&mut text);
                }
                Some(text)
            }
        };
        self.info.set_attributes(list.iter().map(|(n, v)| (n.clone(), text(v))).collect())?;
        Ok(())
    }
}

/// A time of day with all its six digits, which attributes have in MySQL whether they were sent or not.
fn with_micros(text: &mut Vec<u8>) {
    let digits = match text.iter().position(|b| *b == b'.') {
        Some(dot) => text.len() - dot - 1,
        None => {
            text.push(b'.');
            0
        }
    };
    text.resize(text.len() + 6usize.saturating_sub(digits), b'0');
}

/// A date or time that no clock shows is refused before anything else is done: what stores such values would have to trust them.
fn in_range(p: &ParamValue) -> Result<(), SqlError> {
    let days = |year: u16, month: u8, day: u8| year <= 9999 && month <= 12 && day <= 31;
    let clock =
        |minute: u8, second: u8, micros: u32| minute < 60 && second < 60 && micros < 1_000_000;
    let (kind, fits) = match *p {
        ParamValue::Date { year, month, day } => ("DATE", days(year, month, day)),
        ParamValue::DateTime { year, month, day, hour, minute, second, micros, zone: _ } => {
            ("DATETIME", days(year, month, day) && hour < 24 && clock(minute, second, micros))
        }
        ParamValue::Time { hours, minutes, seconds, micros, .. } => {
            let last = MAX_TIME_SECONDS / 3600;
            ("TIME", i64::from(hours) <= last && clock(minutes, seconds, micros))
        }
        _ => return Ok(()),
    };
    match fits {
        true => Ok(()),
        false => Err(value_error(ValueError::out_of_range(kind, "set_parameter_value"))),
    }
}

pub(super) fn param_value(p: &ParamValue, collation: crate::value::Collation) -> Value<'static> {
    match p {
        ParamValue::Null => Value::Null,
        ParamValue::Int(v) => Value::Int(*v),
        ParamValue::UInt(v) => i64::try_from(*v).map_or(Value::UInt(*v), Value::Int),
        ParamValue::Float(v) => Value::Double(f64::from(*v)),
        ParamValue::Double(v) => Value::Double(*v),
        // Text that is not one is binary data.
        ParamValue::Bytes(b) | ParamValue::Blob(b)
            if collation.max_char_bytes() > 1 && collation.well_formed(b) < b.len() =>
        {
            Value::Bytes(b.clone().into())
        }
        ParamValue::Bytes(b) | ParamValue::Blob(b) => Value::text(b.clone(), collation),
        ParamValue::Decimal(b) => match Decimal::parse(b).value {
            Some(d) => Value::Decimal(d),
            None => Value::text(b.clone(), collation),
        },
        ParamValue::Date { year, month, day } => Value::Date(Date::new(*year, *month, *day)),
        // With a zone it is the literal that has one: what takes it converts it.
        ParamValue::DateTime { year, month, day, hour, minute, second, micros, zone } => {
            let at = DateTime {
                date: Date::new(*year, *month, *day),
                hour: *hour,
                minute: *minute,
                second: *second,
                micro: *micros,
                fsp: if *micros == 0 { 0 } else { 6 },
                later: false,
            };
            match zone {
                None => Value::DateTime(at),
                Some(minutes) => {
                    Value::text(format!("{at}{}", offset_text(*minutes)).into_bytes(), collation)
                }
            }
        }
        ParamValue::Time { negative, hours, minutes, seconds, micros } => {
            let fsp = if *micros == 0 { 0 } else { 6 };
            Value::Time(Time::new(
                *negative,
                *hours,
                u32::from(*minutes),
                u32::from(*seconds),
                *micros,
                fsp,
            ))
        }
    }
}
