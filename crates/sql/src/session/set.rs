//! SET.

use super::{Session, Settings};
use crate::ddl::engines::{is_another, is_ours, unknown_engine};
use crate::session_api::SqlError;
use crate::value::{SessionInfo as _, Value};
use crate::vars::{SetInput, SetTarget, Var, VarValue, VarWarning, as_input, resolve_set};
use weir_syntax::ast::{Expr, Literal, SetItem, SetValue, SysVar, VarScope};

impl Session {
    pub(super) async fn set(&mut self, items: &[SetItem]) -> Result<(), SqlError> {
        for item in items {
            match item {
                SetItem::User { name, value } => {
                    let v = self.set_value(value).await?;
                    self.user_vars.set(Some(&self.info.memory), name.as_str(), v)?;
                }
                SetItem::Names { charset, collation } => {
                    let cs = charset.as_deref().map_or_else(
                        || self.inst.vars.text(Var::character_set_client),
                        str::to_string,
                    );
                    self.vars.set_names(&cs, collation.as_deref())?;
                }
                SetItem::CharacterSet(charset) => {
                    let cs = charset.as_deref().map_or_else(
                        || self.inst.vars.text(Var::character_set_client),
                        str::to_string,
                    );
                    self.vars.set(Var::character_set_client, &SetInput::Str(&cs))?;
                    self.vars.set(Var::character_set_results, &SetInput::Str(&cs))?;
                    let database = self.vars.text(Var::collation_database);
                    self.vars.set(Var::collation_connection, &SetInput::Str(&database))?;
                }
                SetItem::System { var, value } => self.set_system(var, value).await?,
            }
            let autocommit = self.settings.autocommit;
            self.settings = Settings::of(&self.vars);
            self.info.memory.set_limit(self.settings.memory_limit);
            // Turning autocommit on ends the transaction.
            if !autocommit
                && self.settings.autocommit
                && let Err(e) = self.end_transaction(true).await
            {
                // A branch of a distributed transaction goes on as it was begun.
                if self.xa.is_some() {
                    self.vars.put(Var::autocommit, VarValue::Bool(false));
                    self.settings = Settings::of(&self.vars);
                }
                return Err(e);
            }
        }
        Ok(())
    }

    /// An expression that may contain subqueries.
    async fn set_value(&mut self, e: &Expr) -> Result<Value<'static>, SqlError> {
        self.value_of(e).await
    }

    async fn set_system(&mut self, v: &SysVar, value: &SetValue) -> Result<(), SqlError> {
        let name = v.name.as_str();
        let scope = match v.scope {
            None => None,
            Some(VarScope::Session) => Some(SetTarget::Session),
            Some(VarScope::Global) => Some(SetTarget::Global),
            Some(VarScope::Persist | VarScope::PersistOnly) => {
                return Err(SqlError::not_supported("SET PERSIST"));
            }
        };
        if let Some(c) = &v.component {
            return Err(SqlError::new(1193, format!("Unknown system variable '{c}.{name}'")));
        }
        let (var, target) = resolve_set(name, scope)?;
        let warning = match value {
            SetValue::Default => match target {
                SetTarget::Global => {
                    if var == Var::sql_mode {
                        self.inst.vars.name_engines(false);
                    }
                    let default = var.def().default.value();
                    self.assign(var, target, &as_input(var, &default)).await?
                }
                SetTarget::Session => self.vars.set_default(var)?,
            },
            SetValue::Word(w) => self.assign(var, target, &SetInput::Str(w)).await?,
            SetValue::Expr(e) => {
                let v = self.set_value(e).await?;
                let text;
                let input = match &v {
                    Value::Null => SetInput::Null,
                    Value::Int(n) => SetInput::Int(*n),
                    Value::UInt(n) => SetInput::UInt(*n),
                    Value::Double(x) => SetInput::Float(*x),
                    Value::Decimal(d) => SetInput::Float(d.to_f64()),
                    other => {
                        text = other.to_string_lossy().unwrap_or_default();
                        SetInput::Str(&text)
                    }
                };
                self.assign(var, target, &input).await?
            }
        };
        if let Some(w) = warning {
            self.current.warn(w.errno, || w.message);
        }
        if var == Var::sql_mode && names_engines(value) {
            match target {
                SetTarget::Global => self.inst.vars.name_engines(true),
                SetTarget::Session => self.vars.name_engines(),
            }
        }
        if target == SetTarget::Session && var == Var::last_insert_id {
            self.info.set_generated_id(self.vars.u64(var));
        }
        Ok(())
    }

    async fn assign(
        &mut self,
        var: Var,
        target: SetTarget,
        input: &SetInput<'_>,
    ) -> Result<Option<VarWarning>, SqlError> {
        if matches!(var, Var::default_storage_engine | Var::default_tmp_storage_engine)
            && let SetInput::Str(name) = input
            && *name != OUR_ENGINE
        {
            let warning = another_engine(name, self.vars.refuses_engines())?;
            Box::pin(self.assign(var, target, &SetInput::Str(OUR_ENGINE))).await?;
            return Ok(warning);
        }
        if target == SetTarget::Session {
            if matches!(var, Var::transaction_isolation | Var::transaction_read_only) {
                self.next_isolation = None;
                self.next_read_only = None;
            }
            return self.vars.set(var, input);
        }
        let vars = &self.inst.vars;
        // A variable may choose the policy, see `GlobalVars::set`.
        let both = [var, Var::weir_flush_policy];
        let before = both.map(|v| vars.get(v));
        let warning = vars.set(var, input, false)?;
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

/// What the default engines are always called.
const OUR_ENGINE: &str = "InnoDB";

/// A default engine that MySQL has and Weir has not: tables that name no engine would get that one, so the default stays InnoDB,
/// and a warning says so. It is refused where its tables are.
fn another_engine(name: &str, refused: bool) -> Result<Option<VarWarning>, SqlError> {
    if is_ours(name) {
        return Ok(None);
    }
    if refused || !is_another(name) {
        return Err(unknown_engine(name));
    }
    let message = format!("Using storage engine InnoDB for tables that name none, not '{name}'");
    Ok(Some(VarWarning { errno: 1266, message }))
}

/// Does the SET itself write NO_ENGINE_SUBSTITUTION, or a mode that stands for it? A value that is copied from a variable was
/// written by whoever gave it to the variable, and may be the server's default.
fn names_engines(value: &SetValue) -> bool {
    let text = match value {
        SetValue::Default => return false,
        SetValue::Expr(Expr::Literal(Literal::Int(_)) | Expr::Param(_)) => return true,
        SetValue::Word(word) => word.to_ascii_uppercase(),
        SetValue::Expr(e) => e.to_string().to_ascii_uppercase(),
    };
    ["NO_ENGINE_SUBSTITUTION", "TRADITIONAL"].iter().any(|name| text.contains(name))
}
