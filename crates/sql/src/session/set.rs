//! SET.

use super::{Session, binary_log};
use crate::admin::persist::check_persistent;
use crate::context::check_user_var;
use crate::ddl::engines::{is_another, is_ours, unknown_engine};
use crate::errno;
use crate::session_api::SqlError;
use crate::value::{Charset, Collation, SessionInfo as _, Value, old_sets};
use crate::vars::wanted::{Wanted, set_names};
use crate::vars::{
    PersistedValue, SetInput, SetTarget, Var, VarValue, VarWarning, as_input, check, resolve_set,
};
use std::sync::Arc;
use weir_syntax::ast::{Expr, Literal, SetItem, SetValue, SysVar, VarScope};

/// An item of SET whose value is known and fits: what is left is to set it.
enum Checked<'i> {
    User(&'i str, Value<'static>),
    Names(&'i SetItem),
    System { var: Var, target: SetTarget, value: Wanted, names_engines: bool, kept: Kept },
}

/// Whether a SET is one of PERSIST.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    No,
    /// The value rules now, and after the next start.
    Also,
    /// After the next start only.
    Only,
}

impl Session {
    /// All items are checked before the first is set, so a statement that fails has set none. Values are those of before the
    /// statement: `SET @a = 2, @b = @a` gives `@b` what `@a` was, as in MySQL.
    pub(super) async fn set(&mut self, items: &[SetItem]) -> Result<(), SqlError> {
        let mut checked = Vec::with_capacity(items.len());
        for item in items {
            checked.push(self.checked(item, items.len() > 1).await?);
        }
        let mut persisted = Vec::new();
        for item in checked {
            if let Checked::System { var, value, kept: Kept::Only, .. } = &item {
                persisted.push((*var, self.kept_value(*var, value)?));
                continue;
            }
            let also = match &item {
                Checked::System { var, kept: Kept::Also, .. } => Some(*var),
                _ => None,
            };
            self.apply(item).await?;
            if let Some(var) = also {
                persisted.push((var, var.def().kept(&self.inst.vars.get(var))));
            }
            let autocommit = self.settings.autocommit;
            self.settle_vars();
            self.info.memory.set_limit(self.settings.memory_limit);
            // Turning autocommit on ends the transaction.
            if !autocommit
                && self.settings.autocommit
                && let Err(e) = self.end_transaction(true).await
            {
                // A branch of a distributed transaction goes on as it was begun.
                if self.xa.is_some() {
                    self.vars.put(Var::autocommit, VarValue::Bool(false));
                    self.settle_vars();
                }
                return Err(e);
            }
        }
        if persisted.is_empty() {
            return Ok(());
        }
        let (user, host) = (self.conn.account_user.clone(), self.conn.account_host.clone());
        let micros = self.inst.db.rt().wall_micros();
        let value =
            |value| PersistedValue { value, user: user.clone(), host: host.clone(), micros };
        self.inst.persisted.keep(persisted.into_iter().map(|(var, v)| (var, value(v))).collect())
    }

    /// What PERSIST_ONLY writes down.
    fn kept_value(&self, var: Var, value: &Wanted) -> Result<String, SqlError> {
        let mut text = String::new();
        let value = match value.input(&mut text) {
            Some(input) => check(var.def(), &input, false)?.value,
            None => var.def().default.value(),
        };
        Ok(var.def().kept(&value))
    }

    /// Works an item's value out. `ahead`: others are set with it, so that it must be known to fit before that.
    async fn checked<'i>(
        &mut self,
        item: &'i SetItem,
        ahead: bool,
    ) -> Result<Checked<'i>, SqlError> {
        match item {
            SetItem::User { name, value } => {
                check_user_var(name.as_str())?;
                Ok(Checked::User(name.as_str(), self.set_value(value).await?))
            }
            SetItem::Names { .. } | SetItem::CharacterSet(_) => {
                if ahead {
                    let mut trial = self.vars.clone();
                    set_names(&mut trial, item)?;
                }
                Ok(Checked::Names(item))
            }
            SetItem::System { var, value } => {
                let (var, target, kept) = resolve(var)?;
                if kept != Kept::No {
                    self.inst.persisted.check()?;
                }
                let names_engines = var == Var::sql_mode && names_engines(value);
                let wanted = match value {
                    SetValue::Default => Wanted::Default,
                    SetValue::Word(w) => Wanted::Word(w.clone()),
                    SetValue::Expr(e) => Wanted::Value(self.set_value(e).await?),
                };
                wanted.check_switch(var)?;
                let wanted =
                    binary_log::checked(var, wanted, self.shows_transaction(), self.has_gtids())?;
                if ahead
                    && kept != Kept::Only
                    && matches!(var, Var::read_only | Var::super_read_only)
                {
                    self.check_still()?;
                }
                if ahead || kept == Kept::Only {
                    self.check_wanted(var, target, &wanted)?;
                }
                Ok(Checked::System { var, target, value: wanted, names_engines, kept })
            }
        }
    }

    fn check_wanted(&self, var: Var, target: SetTarget, value: &Wanted) -> Result<(), SqlError> {
        let mut text = String::new();
        let Some(input) = value.input(&mut text) else { return Ok(()) };
        if let (true, SetInput::Str(name)) = (is_engine(var), &input)
            && *name != OUR_ENGINE
        {
            return another_engine(name).map(|_| ());
        }
        let strict_all = target == SetTarget::Session
            && self.vars.has_mode(crate::vars::sql_mode::STRICT_ALL_TABLES);
        check(var.def(), &input, strict_all).map(|_| ())
    }

    async fn apply(&mut self, item: Checked<'_>) -> Result<(), SqlError> {
        match item {
            Checked::User(name, v) => {
                self.user_vars.set(Some(&self.info.memory), name, v)?;
                self.tracking.changed();
            }
            Checked::Names(item) => {
                set_names(&mut self.vars, item)?;
                for var in [
                    Var::character_set_client,
                    Var::character_set_connection,
                    Var::character_set_results,
                ] {
                    self.track_variable(var);
                }
                // SET CHARACTER SET says nothing.
                if let SetItem::Names { charset, collation } = item {
                    let set = charset
                        .as_deref()
                        .and_then(|name| old_sets::of_charset(Charset::by_name(name)?, name));
                    let order = collation.as_deref().and_then(Collation::by_name);
                    for (number, text) in
                        set.into_iter().chain(order.and_then(old_sets::of_collation))
                    {
                        self.current.warn(number, || text);
                    }
                }
            }
            Checked::System { var, target, value, names_engines, .. } => {
                let mut text = String::new();
                let warning = match (value.input(&mut text), target) {
                    (Some(input), _) => self.assign(var, target, &input).await?,
                    (None, SetTarget::Global) => {
                        if var == Var::sql_mode {
                            self.inst.vars.name_engines(false);
                        }
                        let default = var.def().default.value();
                        self.assign(var, target, &as_input(var, &default)).await?
                    }
                    (None, SetTarget::Session) => {
                        let warning = self.vars.set_default(var)?;
                        self.settle_variables();
                        warning
                    }
                };
                if let Some(w) = warning {
                    self.current.warn(w.errno, || w.message);
                }
                self.tell_updated(var);
                self.warn_of_changes(var, target);
                match (names_engines, target) {
                    (false, _) => {}
                    (true, SetTarget::Global) => self.inst.vars.name_engines(true),
                    (true, SetTarget::Session) => self.vars.name_engines(),
                }
                if target == SetTarget::Session {
                    if var == Var::max_join_size {
                        self.follow_join_size();
                    }
                    self.tell_info(var);
                    self.track_variable(var);
                }
            }
        }
        Ok(())
    }

    /// Takes over what stored functions and triggers of the statement that has ended have set.
    pub(super) fn take_set_inside(&mut self) {
        let Some(vars) = self.set_inside.take() else { return };
        let before = self.vars.clone();
        if let Err(e) = self.replace_vars(Arc::unwrap_or_clone(vars)) {
            self.current.warn(e.errno, || e.message.clone());
            return;
        }
        for var in self.vars.changed_since(&before) {
            self.track_variable(var);
        }
        self.settle_vars();
        self.info.memory.set_limit(self.settings.memory_limit);
    }

    /// Warns of variables that are not to be set.
    fn tell_updated(&mut self, var: Var) {
        if matches!(var, Var::character_set_database | Var::collation_database) {
            let name = var.name();
            self.current.warn(errno::ER_WARN_DEPRECATED_SYNTAX_NO_REPLACEMENT, || {
                format!(
                    "Updating '{name}' is deprecated. It will be made read-only in a future release."
                )
            });
        }
    }

    /// Those variables that are read and used up while a statement runs.
    pub(super) fn tell_info(&self, var: Var) {
        match var {
            Var::last_insert_id => self.info.set_generated_id(self.vars.u64(var)),
            Var::insert_id => self.info.set_insert_id(self.vars.u64(var)),
            _ => {}
        }
    }

    /// An expression that may contain subqueries.
    async fn set_value(&mut self, e: &Expr) -> Result<Value<'static>, SqlError> {
        self.value_of(e).await
    }

    async fn assign(
        &mut self,
        var: Var,
        target: SetTarget,
        input: &SetInput<'_>,
    ) -> Result<Option<VarWarning>, SqlError> {
        if is_engine(var)
            && let SetInput::Str(name) = input
            && *name != OUR_ENGINE
        {
            let warning = another_engine(name)?;
            Box::pin(self.assign(var, target, &SetInput::Str(OUR_ENGINE))).await?;
            return Ok(warning);
        }
        if target == SetTarget::Session {
            if matches!(var, Var::transaction_isolation | Var::transaction_read_only) {
                self.next_isolation = None;
                self.next_read_only = None;
            }
            if let SetInput::Str(text) = input {
                self.reserve_variable(text)?;
            }
            if var == Var::gtid_next {
                Box::pin(self.set_next_gtid(input)).await?;
            }
            let set = self.vars.set(var, input);
            self.settle_variables();
            return set;
        }
        if matches!(var, Var::read_only | Var::super_read_only) {
            return self.set_read_only(var, input).await;
        }
        if var == Var::gtid_purged
            && let (Some(replicas), SetInput::Str(set)) = (self.inst.replicas.get(), input)
            && let Ok(set) = set.parse()
        {
            match self.inst.binlog.get().filter(|l| l.is_on()) {
                Some(log) => self.purge_gtids(&log.clone(), &set).await?,
                None => replicas.purge(&set).await?,
            }
            return Ok(None);
        }
        let vars = &self.inst.vars;
        // A variable may choose the policy, see `GlobalVars::set`.
        let both = [var, Var::weir_flush_policy];
        let before = both.map(|v| vars.get(v));
        let warning = vars.set(var, input, false)?;
        if var == Var::partial_revokes
            && let Err(e) = self.inst.accounts.set_partial_revokes(vars.bool(var))
        {
            let [old, _] = before;
            vars.put(var, old);
            return Err(e);
        }
        if var == Var::event_scheduler {
            self.inst.events_changed.notify_one();
        }
        for (v, old) in both.into_iter().zip(before) {
            let value = vars.get(v);
            if value != old
                && let Err(e) = crate::admin::engine_setting(&self.inst.db, v, &value).await
            {
                vars.put(v, old);
                return Err(e);
            }
        }
        Ok(warning)
    }
}

/// The variable that a SET names.
fn resolve(v: &SysVar) -> Result<(Var, SetTarget, Kept), SqlError> {
    let name = v.name.as_str();
    let (scope, kept) = match v.scope {
        None => (None, Kept::No),
        Some(VarScope::Session) => (Some(SetTarget::Session), Kept::No),
        Some(VarScope::Global) => (Some(SetTarget::Global), Kept::No),
        Some(VarScope::Persist) => (Some(SetTarget::Global), Kept::Also),
        Some(VarScope::PersistOnly) => (Some(SetTarget::Global), Kept::Only),
    };
    if let Some(c) = &v.component {
        return Err(SqlError::new(
            errno::ER_UNKNOWN_SYSTEM_VARIABLE,
            format!("Unknown system variable '{c}.{name}'"),
        ));
    }
    if kept != Kept::No
        && let Some(var) = Var::lookup(name)
    {
        check_persistent(var, kept == Kept::Only)?;
        if kept == Kept::Only {
            return Ok((var, SetTarget::Global, kept));
        }
    }
    resolve_set(name, scope).map(|(var, target)| (var, target, kept))
}

fn is_engine(var: Var) -> bool {
    matches!(var, Var::default_storage_engine | Var::default_tmp_storage_engine)
}

/// What the default engines are always called.
const OUR_ENGINE: &str = "InnoDB";

/// A default engine that MySQL has and Weir has not: tables that name no engine would get that one, so the default stays InnoDB,
/// and a warning says so; also where a table that names the engine is refused, for dumps of another server set it for none.
fn another_engine(name: &str) -> Result<Option<VarWarning>, SqlError> {
    if is_ours(name) {
        return Ok(None);
    }
    if !is_another(name) {
        return Err(unknown_engine(name));
    }
    let message = format!("Using storage engine InnoDB for tables that name none, not '{name}'");
    Ok(Some(VarWarning { errno: errno::ER_WARN_USING_OTHER_HANDLER, message }))
}

/// Does the SET itself write NO_ENGINE_SUBSTITUTION, or a mode that stands for it? A value that is copied from a variable was
/// written by anyone who gave it to the variable, and may be the server's default.
fn names_engines(value: &SetValue) -> bool {
    let text = match value {
        SetValue::Default => return false,
        SetValue::Expr(Expr::Literal(Literal::Int(_)) | Expr::Param(_)) => return true,
        SetValue::Word(word) => word.to_ascii_uppercase(),
        SetValue::Expr(e) => e.to_string().to_ascii_uppercase(),
    };
    ["NO_ENGINE_SUBSTITUTION", "TRADITIONAL"].iter().any(|name| text.contains(name))
}
