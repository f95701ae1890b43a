//! CREATE, ALTER and DROP of stored programs; SIGNAL and GET DIAGNOSTICS as statements of their own.

use super::Session;
use crate::account::{AccountName, Privileges};
use crate::context::AdminResult;
use crate::ddl::refused::check_length;
use crate::ddl::types::{TextDefaults, column_type};
use crate::ddl::{engine_error, is_virtual_schema};
use crate::errno;
use crate::infoschema::describe::program_type;
use crate::meta::SqlColumn;
use crate::meta::program::{ProgramMeta, object_kind, object_name};
use crate::query::program::{does_not_exist, env, get_diagnostics, schema_collation, signalled};
use crate::session_api::SqlError;
use crate::value::{SqlMode, Warnings};
use crate::vars::Var;
use weir_engine::{Object, ObjectKind};
use weir_syntax::ast::{
    AlterRoutine, CreateRoutine, Definer, GetDiagnostics, IntoVar, Op, Program, RoutineKind,
    SetItem, Signal, SlotKind, Statement, TableName, UserSpec, VarType,
};

impl Session {
    pub(super) async fn create_routine(
        &mut self,
        r: &CreateRoutine,
    ) -> Result<AdminResult, SqlError> {
        let (schema, name) = self.program_place(&r.name)?;
        let kind = object_kind(r.kind);
        let word = r.kind.name();
        if self.inst.db.object(kind, &schema, &object_name(&name)).is_some() {
            let text = || format!("{word} {name} already exists");
            if r.if_not_exists {
                self.current.note(errno::ER_SP_ALREADY_EXISTS, text);
                return Ok(AdminResult::ok());
            }
            return Err(SqlError::new(errno::ER_SP_ALREADY_EXISTS, text()));
        }
        if kind == ObjectKind::Function && crate::func::lookup(&name.to_ascii_uppercase()).is_some()
        {
            let text = || format!("This function '{name}' has the same name as a native function");
            self.current.note(errno::ER_NATIVE_FCT_NAME_COLLISION, text);
        }
        let definer = self.program_definer(r.definer.as_ref())?;
        let mut meta = self.new_program(&schema, &name, definer);
        let mut params = Vec::new();
        for (mode, slot) in r.params.iter().zip(&r.body.slots) {
            let SlotKind::Variable(v) = &slot.kind else { continue };
            crate::ddl::refused::check_length(slot.name.as_str())?;
            params.push((*mode, self.variable_column(&schema, slot.name.as_str(), v)?));
        }
        // Types of local variables are read for the errors in them.
        for slot in r.body.slots.iter().skip(r.params.len()) {
            if let SlotKind::Variable(v) = &slot.kind {
                self.variable_column(&schema, slot.name.as_str(), v)?;
            }
        }
        check_variables(&r.body)?;
        if let Some(v) = &r.returns {
            let column = self.variable_column(&schema, "", v)?;
            meta.returns = Some((program_type(column.ty), column));
        }
        meta.params = params;
        meta.params_text = r.params_text.to_string();
        meta.body = r.body_text.to_string();
        change_characteristics(&mut meta, &r.characteristics);
        let procedure = kind == ObjectKind::Procedure;
        let (of, name) = (schema.clone(), meta.name.clone());
        self.put_program(kind, schema, &meta).await?;
        if let Err(e) = self.own_routine(procedure, &of, &name).await {
            let text = "Failed to grant EXECUTE and ALTER ROUTINE privileges";
            self.current.warn(errno::ER_PROC_AUTO_GRANT_FAIL, || told(text, &e));
        }
        Ok(AdminResult::ok())
    }

    /// `automatic_sp_privileges`: anyone who makes a routine may run, alter and drop it. Rights on a routine of this name that is gone are gone
    /// with it. Anyone who has these rights by wider ones is given none, as in MySQL.
    async fn own_routine(
        &mut self,
        procedure: bool,
        schema: &str,
        name: &str,
    ) -> Result<(), SqlError> {
        let rights = Privileges::all_routine();
        let held = self.access.on_routine(procedure, schema, name);
        if !self.inst.vars.bool(Var::automatic_sp_privileges) || held.contains(rights) {
            return Ok(());
        }
        let (user, host) = self.access.account();
        let creator = AccountName::new(user, host);
        if self.inst.accounts.has_grant_tables() {
            self.read_grant_tables().await?;
        }
        self.inst.accounts.own_routine(&creator, procedure, schema, name).await
    }

    /// `automatic_sp_privileges`: what was granted on a routine goes with it.
    async fn forget_routine(
        &mut self,
        procedure: bool,
        schema: &str,
        name: &str,
    ) -> Result<(), SqlError> {
        if !self.inst.vars.bool(Var::automatic_sp_privileges) {
            return Ok(());
        }
        if self.inst.accounts.has_grant_tables() {
            self.read_grant_tables().await?;
        }
        self.inst.accounts.forget_routine(procedure, schema, name).await
    }

    pub(super) async fn alter_routine(
        &mut self,
        a: &AlterRoutine,
    ) -> Result<AdminResult, SqlError> {
        let (schema, name) = self.program_name(&a.name)?;
        let kind = object_kind(a.kind);
        let known = self.inst.db.object(kind, &schema, &object_name(&name));
        let known = known.ok_or_else(|| does_not_exist(a.kind.name(), &schema, &name))?;
        let mut meta = ProgramMeta::of(&known)?;
        change_characteristics(&mut meta, &a.characteristics);
        meta.modified = self.inst.db.rt().wall_micros() as i64;
        let new = Object { kind, schema, name: known.name.clone(), text: meta.encode() };
        match self.inst.db.swap_object(&known, Some(new)).await.map_err(engine_error)? {
            true => Ok(AdminResult::ok()),
            // Somebody else has changed or dropped it meanwhile: the statement begins again.
            false => Err(SqlError::of(errno::ER_TABLE_DEF_CHANGED, &[])),
        }
    }

    pub(super) async fn drop_program(
        &mut self,
        kind: RoutineKind,
        if_exists: bool,
        name: &TableName,
    ) -> Result<AdminResult, SqlError> {
        let (schema, name) = self.program_name(name)?;
        let found = self.inst.db.object(object_kind(kind), &schema, &object_name(&name));
        let missing = || match kind {
            RoutineKind::Trigger => SqlError::of(errno::ER_TRG_DOES_NOT_EXIST, &[]),
            RoutineKind::Event => super::events::unknown_event(&name),
            _ => does_not_exist(kind.name(), &schema, &name),
        };
        match found {
            Some(o) if kind == RoutineKind::Trigger => self.drop_trigger(o).await?,
            Some(o) => {
                let (routine, procedure) = (o.kind, o.kind == ObjectKind::Procedure);
                self.inst.db.drop_objects(&[o]).await.map_err(engine_error)?;
                let is_routine = procedure || routine == ObjectKind::Function;
                if is_routine && let Err(e) = self.forget_routine(procedure, &schema, &name).await {
                    let text = "Failed to revoke all privileges to dropped routine";
                    self.current.warn(errno::ER_PROC_AUTO_REVOKE_FAIL, || told(text, &e));
                }
            }
            None if if_exists => {
                let e = missing();
                self.current.note(e.errno, || e.message);
            }
            None => return Err(missing()),
        }
        Ok(AdminResult::ok())
    }

    pub(super) fn program_name(&self, name: &TableName) -> Result<(String, String), SqlError> {
        let given = name.schema.as_ref().map(|s| s.as_str()).or(self.info.database.as_deref());
        let schema = given.ok_or_else(SqlError::no_database)?.to_owned();
        Ok((schema, name.name.as_str().to_owned()))
    }

    /// Where a new program goes.
    pub(super) fn program_place(&self, name: &TableName) -> Result<(String, String), SqlError> {
        let (schema, name) = self.program_name(name)?;
        check_length(&name)?;
        if name.is_empty() || name.ends_with(' ') {
            return Err(SqlError::of(errno::ER_SP_WRONG_NAME, &[&name]));
        }
        if is_virtual_schema(&schema) {
            let (user, host) = self.access.account();
            return Err(SqlError::of(errno::ER_DBACCESS_DENIED_ERROR, &[&user, &host, &schema]));
        }
        match self.inst.db.schema(&schema) {
            Some(_) => Ok((schema, name)),
            None => Err(SqlError::unknown_database(&schema)),
        }
    }

    /// A program of nothing yet, with what the session is set to.
    pub(super) fn new_program(
        &self,
        schema: &str,
        name: &str,
        definer: (String, String),
    ) -> ProgramMeta {
        let now = self.inst.db.rt().wall_micros() as i64;
        ProgramMeta {
            name: name.to_owned(),
            definer,
            invoker: false,
            mode: self.vars.sql_mode(),
            client: self.vars.text(Var::character_set_client).to_string(),
            connection: self.vars.text(Var::collation_connection).to_string(),
            database: schema_collation(reads!(self), schema).name().to_owned(),
            created: now,
            modified: now,
            body: String::new(),
            comment: String::new(),
            deterministic: false,
            access: Default::default(),
            params_text: String::new(),
            params: Vec::new(),
            returns: None,
            trigger: None,
            event: None,
        }
    }

    pub(super) async fn put_program(
        &mut self,
        kind: ObjectKind,
        schema: String,
        meta: &ProgramMeta,
    ) -> Result<(), SqlError> {
        let name = object_name(&meta.name);
        let object = Object { kind, schema, name, text: meta.encode() };
        self.inst.db.put_object(object, false).await.map_err(engine_error)
    }

    /// A parameter, variable or result as a column.
    fn variable_column(
        &mut self,
        schema: &str,
        name: &str,
        v: &VarType,
    ) -> Result<SqlColumn, SqlError> {
        let reads = reads!(self);
        let text = TextDefaults { collation: schema_collation(reads, schema) };
        let mut warnings = Warnings::default();
        let mut env = env(reads, SqlMode(self.vars.sql_mode()), &mut warnings);
        let (ty, _) = column_type(name, &v.data, v.collate.as_deref(), text, &mut env)?;
        self.current.absorb(warnings);
        Ok(SqlColumn::new(name.to_owned(), ty))
    }

    /// Whose rights the program or view has. Another's name is for anyone who may do everything.
    pub(super) fn program_definer(
        &mut self,
        definer: Option<&Definer>,
    ) -> Result<(String, String), SqlError> {
        let (user, host) = self.access.account();
        let own = (user.to_owned(), host.to_owned());
        let named = match definer {
            None | Some(Definer::CurrentUser | Definer::User(UserSpec::CurrentUser)) => {
                return Ok(own);
            }
            Some(Definer::User(UserSpec::Name { user, host })) => {
                (user.to_string(), host.as_deref().unwrap_or("%").to_owned())
            }
        };
        crate::account::check_lengths(&AccountName::new(&named.0, &named.1))?;
        if named != own {
            self.access.require_any_global(Privileges::SUPER)?;
            let account = AccountName::new(&named.0, &named.1);
            self.access.require_system_user_over(std::slice::from_ref(&account))?;
        }
        if self.inst.accounts.get(&named.0, &named.1).is_none() {
            let text = || {
                let (user, host) = &named;
                format!("The user specified as a definer ('{user}'@'{host}') does not exist")
            };
            self.current.note(errno::ER_NO_SUCH_USER, text);
        }
        Ok(named)
    }

    /// SIGNAL outside of a program.
    pub(super) fn signal(&mut self, s: &Signal) -> Result<(), SqlError> {
        let params = self.params.clone();
        let mut cx = statement_ctx!(self);
        let (condition, error) = signalled(s, None, &mut cx, &|e, cx| {
            let cx = super::reborrow(cx);
            let v = crate::query::constant(e, &params, cx)?;
            v.ok_or_else(|| SqlError::not_supported("subquery in SIGNAL"))
        })?;
        match error {
            Some(e) => {
                self.signalled = Some(condition);
                Err(e)
            }
            None => {
                self.current.add(condition);
                Ok(())
            }
        }
    }

    /// GET DIAGNOSTICS outside of a program: of the statement before.
    pub(super) fn diagnostics(&mut self, g: &GetDiagnostics) -> Result<(), SqlError> {
        self.keep_warnings = true;
        if g.stacked {
            return Err(crate::query::program::no_stacked());
        }
        let from = self.warnings.clone();
        let params = self.params.clone();
        let mut cx = statement_ctx!(self);
        let given = get_diagnostics(g, &from, &mut cx, |e, cx| {
            let v = crate::query::constant(e, &params, super::reborrow(cx))?;
            v.ok_or_else(|| SqlError::not_supported("subquery in GET DIAGNOSTICS"))
        })?;
        for (target, v) in given {
            match target {
                IntoVar::User(name) => {
                    self.user_vars.set(Some(&self.info.memory), name.as_str(), v)?;
                }
                IntoVar::Local(name) => {
                    return Err(SqlError::of(errno::ER_SP_UNDECLARED_VAR, &[&name]));
                }
                IntoVar::Slot(_) => {}
            }
        }
        Ok(())
    }
}

/// 1193 for a SET of what is neither a variable of the program nor one of the system.
pub(super) fn check_variables(body: &Program) -> Result<(), SqlError> {
    for op in &body.ops {
        let Op::Run(stmt) = op else { continue };
        let Statement::Set(items) = &**stmt else { continue };
        for item in items {
            if let SetItem::System { var, .. } = item
                && var.component.is_none()
                && Var::lookup(var.name.as_str()).is_none()
            {
                return Err(SqlError::of(errno::ER_UNKNOWN_SYSTEM_VARIABLE, &[&var.name]));
            }
        }
    }
    Ok(())
}

/// A warning about something that the statement did not do beside its own work.
fn told(text: &str, e: &SqlError) -> String {
    format!("{text}: {}", e.message)
}

fn change_characteristics(meta: &mut ProgramMeta, c: &weir_syntax::ast::Characteristics) {
    if let Some(comment) = &c.comment {
        meta.comment = comment.to_string();
    }
    if let Some(deterministic) = c.deterministic {
        meta.deterministic = deterministic;
    }
    if let Some(access) = c.access {
        meta.access = access;
    }
    if let Some(invoker) = c.invoker {
        meta.invoker = invoker;
    }
}
