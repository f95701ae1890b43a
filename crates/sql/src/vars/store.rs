//! Where the values live: one global set, and for each session only what it changed.

mod computed;

use super::check::{Checked, SetInput, VarWarning, check, check_over};
use super::{Scope, Settable, Var, VarType, VarValue, sorted, sql_mode, table};
use crate::errno;
use crate::session_api::SqlError;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use weir_engine::row::{Charset, Collation};

/// Called before a global value changes, so that the engine can follow or refuse (with the text of
/// the reason).
pub type ChangeHook = Box<dyn Fn(&VarValue) -> Result<(), String> + Send + Sync>;

/// A set of identifiers of transactions, with the others that are given.
pub type GtidsFn = Box<dyn Fn(bool, &str) -> String + Send + Sync>;

/// The global values.
pub struct GlobalVars {
    /// Replaced as a whole at each change, so that a session takes its snapshot by one count.
    values: RwLock<Arc<[VarValue]>>,
    /// Serialises SET GLOBAL, so that hook and value stay in step.
    hooks: Mutex<Vec<(Var, ChangeHook)>>,
    /// See `read_pressure_by`.
    pressure: OnceLock<Box<dyn Fn() -> u16 + Send + Sync>>,
    /// See `read_gtids_by`.
    gtids: OnceLock<GtidsFn>,
    /// See [`SessionVars::refuses_engines`].
    names_engines: AtomicBool,
    /// `read_only`, for anyone who asks before each write. `super_read_only` is never on without it.
    read_only: AtomicBool,
    /// `innodb_flush_log_at_trx_commit`, for anyone who asks at each commit.
    flush_at_commit: AtomicU8,
    /// `weir_snapshot_max_age`, for anyone who asks before each statement.
    snapshot_max_age: AtomicU64,
}

impl Default for GlobalVars {
    fn default() -> Self {
        let values = table::TABLE.iter().map(|def| def.default.value()).collect();
        GlobalVars {
            values: RwLock::new(values),
            hooks: Mutex::new(Vec::new()),
            pressure: OnceLock::new(),
            gtids: OnceLock::new(),
            names_engines: AtomicBool::new(false),
            read_only: AtomicBool::new(false),
            flush_at_commit: AtomicU8::new(1),
            snapshot_max_age: AtomicU64::new(0),
        }
    }
}

impl GlobalVars {
    /// All values as they are now.
    pub fn snapshot(&self) -> Arc<[VarValue]> {
        self.values.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn get(&self, var: Var) -> VarValue {
        match var {
            Var::weir_pressure => return self.pressure(),
            Var::gtid_executed | Var::gtid_purged => return self.gtids(var),
            _ => {}
        }
        self.stored(var)
    }

    fn stored(&self, var: Var) -> VarValue {
        self.values.read().unwrap_or_else(PoisonError::into_inner)[var as usize].clone()
    }

    pub fn bool(&self, var: Var) -> bool {
        matches!(self.get(var), VarValue::Bool(true))
    }

    /// Numbers, enum indexes and set bits.
    pub fn u64(&self, var: Var) -> u64 {
        number(&self.get(var))
    }

    /// `weir_snapshot_max_age`.
    pub fn snapshot_max_age(&self) -> u64 {
        self.snapshot_max_age.load(Ordering::Relaxed)
    }

    pub fn f64(&self, var: Var) -> f64 {
        match self.get(var) {
            VarValue::Float(v) => v,
            other => number(&other) as f64,
        }
    }

    /// As SHOW VARIABLES prints it.
    pub fn text(&self, var: Var) -> String {
        var.def().show(&self.get(var)).into_owned()
    }

    /// `read_only`.
    pub fn is_read_only(&self) -> bool {
        self.read_only.load(Ordering::SeqCst)
    }

    /// Is the value other than the table's default?
    pub fn is_changed(&self, var: Var) -> bool {
        self.get(var) != var.def().default.value()
    }

    /// Sets without check or hook: the server at start, and facts such as `hostname`.
    pub fn put(&self, var: Var, value: VarValue) {
        let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
        if var == Var::read_only {
            self.read_only.store(value == VarValue::Bool(true), Ordering::SeqCst);
        }
        if var == Var::innodb_flush_log_at_trx_commit {
            // 0, 1 or 2.
            self.flush_at_commit.store(number(&value) as u8, Ordering::SeqCst);
        }
        if var == Var::weir_snapshot_max_age {
            self.snapshot_max_age.store(number(&value), Ordering::Relaxed);
        }
        let mut copy = values.to_vec();
        copy[var as usize] = value;
        *values = copy.into();
    }

    /// Calls `hook` before each later SET GLOBAL of `var`.
    pub fn on_change(&self, var: Var, hook: ChangeHook) {
        self.hooks.lock().unwrap_or_else(PoisonError::into_inner).push((var, hook));
    }

    /// SET GLOBAL, after [`resolve_set`]; the caller has checked the privilege.
    pub fn set(
        &self,
        var: Var,
        input: &SetInput<'_>,
        strict_all: bool,
    ) -> Result<Option<VarWarning>, SqlError> {
        let Checked { value, mut warning } =
            check_over(var.def(), input, &self.get(var), strict_all)?;
        if warning.is_none() && value != var.def().default.value() {
            warning = self.unread(var);
        }
        let hooks = self.hooks.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, hook) in hooks.iter().filter(|(of, _)| *of == var) {
            hook(&value).map_err(|why| {
                let shown = var.def().show(&value);
                let text = format!(
                    "Variable '{}' can't be set to the value of '{shown}': {why}",
                    var.name()
                );
                SqlError::new(errno::ER_WRONG_VALUE_FOR_VAR, text)
            })?;
        }
        if let Some((other, linked)) = linked_values(var, &value) {
            self.put(other, linked);
        }
        if let Some(policy) = self.xtradb_policy(var, &value) {
            self.put(Var::weir_flush_policy, policy);
        }
        self.put(var, value);
        Ok(warning)
    }

    /// Whether somebody wrote NO_ENGINE_SUBSTITUTION for the server as a whole, see [`SessionVars::refuses_engines`].
    pub fn name_engines(&self, written: bool) {
        self.names_engines.store(written, Ordering::Relaxed);
    }

    /// What to say when the flush policy in charge does not read the variable.
    fn unread(&self, var: Var) -> Option<VarWarning> {
        let policies = var.def().policies;
        let policy = self.text(Var::weir_flush_policy);
        if policies.is_empty() || policies.contains(&&*policy) {
            return None;
        }
        let message = format!(
            "'{}' has no effect with weir_flush_policy={policy}; it is read by {}",
            var.name(),
            policies.join(", ")
        );
        Some(VarWarning { errno: errno::ER_NOT_SUPPORTED_YET, message })
    }

    /// XtraDB chooses among its ways by `innodb_adaptive_checkpoint`.
    fn xtradb_policy(&self, var: Var, value: &VarValue) -> Option<VarValue> {
        let in_charge = self.text(Var::weir_flush_policy);
        if var != Var::innodb_adaptive_checkpoint || !in_charge.starts_with("xtradb-") {
            return None;
        }
        let way = var.def().show(value).replace('_', "-");
        let VarType::Enum(names) = Var::weir_flush_policy.def().ty else { return None };
        let at = names.iter().position(|n| n.strip_prefix("xtradb-") == Some(&way))?;
        Some(VarValue::Enum(at as u32))
    }

    /// SHOW GLOBAL VARIABLES: names in order with their values.
    pub fn show(&self) -> Vec<(&'static str, String)> {
        let values = self.snapshot();
        let listed = sorted().iter().filter(|var| var.def().scope != Scope::Session);
        let value = |v: Var| match v {
            Var::weir_pressure => self.pressure(),
            Var::gtid_executed | Var::gtid_purged => self.gtids(v),
            v => values[v as usize].clone(),
        };
        listed.map(|v| (v.name(), v.def().show(&value(*v)).into_owned())).collect()
    }
}

/// A session's values: what it changed, over the global values as they were when it began.
#[derive(Clone)]
pub struct SessionVars {
    globals: Arc<GlobalVars>,
    base: Arc<[VarValue]>,
    /// Sorted by variable; a session changes a handful, so an idle one costs little.
    own: Vec<(Var, VarValue)>,
    names_engines: bool,
}

impl SessionVars {
    /// The variables of the session that have another value than they had.
    pub fn changed_since(&self, before: &SessionVars) -> Vec<Var> {
        let own = self.own.iter().chain(&before.own).map(|(var, _)| *var);
        own.filter(|var| self.get(*var) != before.get(*var)).collect()
    }

    pub fn new(globals: &Arc<GlobalVars>) -> SessionVars {
        SessionVars {
            globals: globals.clone(),
            base: globals.snapshot(),
            own: Vec::new(),
            names_engines: globals.names_engines.load(Ordering::Relaxed),
        }
    }

    /// Whether a table of an engine that not every MySQL has is to be refused: NO_ENGINE_SUBSTITUTION is in the mode, and somebody wrote
    /// it there. MySQL's default mode has the word too, and dumps of other servers (`ENGINE=Aria`) are loaded under it.
    pub fn refuses_engines(&self) -> bool {
        self.names_engines && self.has_mode(sql_mode::NO_ENGINE_SUBSTITUTION)
    }

    /// Notes that a SET wrote NO_ENGINE_SUBSTITUTION. The note outlives a mode without it: anyone who saves the mode, changes it
    /// and puts it back, as dumps do, gets what was there before.
    pub fn name_engines(&mut self) {
        self.names_engines = true;
    }

    pub fn globals(&self) -> &Arc<GlobalVars> {
        &self.globals
    }

    /// COM_RESET_CONNECTION, COM_CHANGE_USER: begin again from the global values.
    pub fn reset(&mut self) {
        *self = SessionVars::new(&self.globals);
    }

    /// The value that rules in this session; a global variable's is read live.
    pub fn get(&self, var: Var) -> VarValue {
        if var.def().scope == Scope::Global {
            return self.globals.get(var);
        }
        if var == Var::innodb_flush_log_at_trx_commit {
            return self.flush_at_commit();
        }
        self.local(var).clone()
    }

    /// `innodb_flush_log_at_trx_commit`: what the session has set, or else what is set for all now. In MySQL it is a variable of the
    /// server alone, and SET GLOBAL has its effect on the next commit of every session.
    fn flush_at_commit(&self) -> VarValue {
        let own = self.own(Var::innodb_flush_log_at_trx_commit);
        let all = || self.globals.flush_at_commit.load(Ordering::SeqCst);
        own.cloned().unwrap_or_else(|| VarValue::UInt(all().into()))
    }

    /// Bytes of the texts that the session has set.
    pub fn text_bytes(&self) -> usize {
        let text = |v: &VarValue| match v {
            VarValue::Str(s) => s.len(),
            _ => 0,
        };
        self.own.iter().map(|(_, v)| text(v)).sum()
    }

    fn own(&self, var: Var) -> Option<&VarValue> {
        let at = self.own.binary_search_by_key(&(var as u16), |(v, _)| *v as u16).ok()?;
        Some(&self.own[at].1)
    }

    /// The session's value by reference, for the variables of a session.
    fn local(&self, var: Var) -> &VarValue {
        self.own(var).unwrap_or(&self.base[var as usize])
    }

    pub fn bool(&self, var: Var) -> bool {
        matches!(self.get(var), VarValue::Bool(true))
    }

    /// Numbers, enum indexes and set bits.
    pub fn u64(&self, var: Var) -> u64 {
        number(&self.get(var))
    }

    /// As SHOW VARIABLES prints it.
    pub fn text(&self, var: Var) -> String {
        var.def().show(&self.get(var)).into_owned()
    }

    /// What a character set stands for where no collation is named.
    pub fn default_of(&self, charset: Charset) -> Collation {
        let chosen = match charset {
            Charset::Utf8mb4 => Collation::by_name(&self.text(Var::default_collation_for_utf8mb4)),
            _ => None,
        };
        chosen.unwrap_or(Collation::default_of(charset))
    }

    /// `sql_mode` as bits, see [`super::sql_mode`].
    pub fn sql_mode(&self) -> u64 {
        self.u64(Var::sql_mode)
    }

    pub fn has_mode(&self, bits: u64) -> bool {
        self.sql_mode() & bits != 0
    }

    /// SET SESSION, after [`resolve_set`].
    pub fn set(&mut self, var: Var, input: &SetInput<'_>) -> Result<Option<VarWarning>, SqlError> {
        let strict_all = self.has_mode(sql_mode::STRICT_ALL_TABLES);
        let Checked { value, warning } = check_over(var.def(), input, &self.get(var), strict_all)?;
        if let Some((other, linked)) = linked_values(var, &value) {
            self.put(other, linked);
        }
        self.put(var, value);
        Ok(warning)
    }

    /// SET SESSION x = DEFAULT: back to the global value (or the built-in one of a session variable).
    pub fn set_default(&mut self, var: Var) -> Result<Option<VarWarning>, SqlError> {
        if var == Var::innodb_flush_log_at_trx_commit {
            // From here on it follows the global one again.
            self.own.retain(|(own, _)| *own != var);
            return Ok(None);
        }
        let value = match var.def().scope {
            Scope::Both => self.globals.get(var),
            _ => var.def().default.value(),
        };
        if var == Var::sql_mode {
            self.names_engines = self.globals.names_engines.load(Ordering::Relaxed);
        }
        self.set(var, &as_input(var, &value))
    }

    /// Sets without check: what the executor itself knows (`last_insert_id`, the database's
    /// character set, ...).
    pub fn put(&mut self, var: Var, value: VarValue) {
        match self.own.binary_search_by_key(&(var as u16), |(v, _)| *v as u16) {
            Ok(at) => self.own[at].1 = value,
            Err(at) => self.own.insert(at, (var, value)),
        }
    }

    /// SET NAMES. `None` collation = the character set's default.
    pub fn set_names(&mut self, charset: &str, collation: Option<&str>) -> Result<(), SqlError> {
        let known = check(Var::character_set_client.def(), &SetInput::Str(charset), false)?;
        let VarValue::Str(name) = known.value else {
            return Err(SqlError::internal("a character set is a name"));
        };
        if let Some(collation) = collation {
            check(Var::collation_connection.def(), &SetInput::Str(collation), false)?;
            let of = Collation::by_name(collation).map(|c| c.charset().name());
            if of != Some(&*name) {
                return Err(SqlError::of(
                    errno::ER_COLLATION_CHARSET_MISMATCH,
                    &[&collation, &name],
                ));
            }
        }
        for var in [Var::character_set_client, Var::character_set_results] {
            self.put(var, VarValue::Str(name.clone()));
        }
        self.set(Var::character_set_connection, &SetInput::Str(&name))?;
        if let Some(collation) = collation {
            self.set(Var::collation_connection, &SetInput::Str(collation))?;
        }
        Ok(())
    }

    /// What the handshake's collation id means; an id unknown here falls back to the server's
    /// default, as MySQL does.
    pub fn set_handshake_collation(&mut self, id: u16) {
        let fallback = self.globals.text(Var::collation_server);
        let known = Collation::by_id(id).filter(|c| c.charset().is_for_clients());
        let collation = known.or_else(|| Collation::by_name(&fallback));
        let collation = collation.unwrap_or(Collation::default_of(Charset::Utf8mb4));
        let charset: Arc<str> = collation.charset().name().into();
        self.put(Var::character_set_client, VarValue::Str(charset.clone()));
        self.put(Var::character_set_results, VarValue::Str(charset.clone()));
        self.put(Var::character_set_connection, VarValue::Str(charset));
        self.put(Var::collation_connection, VarValue::Str(collation.name().into()));
    }

    /// SHOW [SESSION] VARIABLES: names in order with the values that rule in this session.
    pub fn show(&self) -> Vec<(&'static str, String)> {
        let globals = self.globals.snapshot();
        let show = |var: &Var| {
            if matches!(var, Var::weir_pressure | Var::innodb_flush_log_at_trx_commit) {
                return (var.name(), var.def().show(&self.get(*var)).into_owned());
            }
            let global = var.def().scope == Scope::Global;
            let value = if global { &globals[*var as usize] } else { self.local(*var) };
            (var.name(), var.def().show(value).into_owned())
        };
        sorted().iter().map(show).collect()
    }
}

fn number(value: &VarValue) -> u64 {
    match value {
        VarValue::Bool(v) => u64::from(*v),
        VarValue::Int(v) => *v as u64,
        VarValue::UInt(v) | VarValue::Set(v) => *v,
        VarValue::Enum(v) => u64::from(*v),
        VarValue::Float(v) => *v as u64,
        VarValue::Null | VarValue::Str(_) => 0,
    }
}

/// The input that gives this value.
pub(crate) fn as_input<'v>(var: Var, value: &'v VarValue) -> SetInput<'v> {
    match value {
        VarValue::UInt(0) if matches!(var.def().ty, VarType::UIntOrAuto { .. }) => {
            SetInput::Str("auto")
        }
        VarValue::Null => SetInput::Null,
        VarValue::Bool(v) => SetInput::Int(i64::from(*v)),
        VarValue::Int(v) => SetInput::Int(*v),
        VarValue::UInt(v) | VarValue::Set(v) => SetInput::UInt(*v),
        VarValue::Enum(v) => SetInput::UInt(u64::from(*v)),
        VarValue::Float(v) => SetInput::Float(*v),
        VarValue::Str(v) => {
            debug_assert!(!matches!(var.def().ty, VarType::Bool));
            SetInput::Str(v)
        }
    }
}

/// A collation brings its character set along, and a character set its default collation. Two names for one thing have
/// one value.
fn linked_values(var: Var, value: &VarValue) -> Option<(Var, VarValue)> {
    match (var, value) {
        (Var::super_read_only, VarValue::Bool(true)) => {
            return Some((Var::read_only, value.clone()));
        }
        (Var::read_only, VarValue::Bool(false)) => {
            return Some((Var::super_read_only, value.clone()));
        }
        _ => {}
    }
    if let VarValue::Enum(i) = *value {
        // None, run, area, auto here; none, area, run, auto there.
        let swapped = VarValue::Enum([0, 2, 1, 3][i as usize % 4]);
        return match var {
            Var::innodb_flush_neighbors => Some((Var::innodb_flush_neighbor_pages, swapped)),
            Var::innodb_flush_neighbor_pages => Some((Var::innodb_flush_neighbors, swapped)),
            _ => None,
        };
    }
    let VarValue::Str(name) = value else { return None };
    let collation_of = |name: &str| {
        let charset = Charset::by_name(name)?;
        // As in MySQL, default_collation_for_utf8mb4 does not rule here.
        Some(VarValue::Str(Collation::default_of(charset).name().into()))
    };
    let charset_of =
        |name: &str| Some(VarValue::Str(Collation::by_name(name)?.charset().name().into()));
    let (other, linked) = match var {
        Var::character_set_connection => (Var::collation_connection, collation_of(name)),
        Var::character_set_server => (Var::collation_server, collation_of(name)),
        Var::character_set_database => (Var::collation_database, collation_of(name)),
        Var::collation_connection => (Var::character_set_connection, charset_of(name)),
        Var::collation_server => (Var::character_set_server, charset_of(name)),
        Var::collation_database => (Var::character_set_database, charset_of(name)),
        _ => return None,
    };
    linked.map(|value| (other, value))
}

/// Whether setting one of two variables may set the other one, see [`linked_values`] and `weir_flush_policy`.
pub fn share_a_value(a: Var, b: Var) -> bool {
    use Var::*;
    let pairs = [
        (read_only, super_read_only),
        (character_set_server, collation_server),
        (character_set_database, collation_database),
        (character_set_connection, collation_connection),
        (innodb_flush_neighbors, innodb_flush_neighbor_pages),
        (innodb_adaptive_checkpoint, weir_flush_policy),
    ];
    pairs.contains(&(a, b)) || pairs.contains(&(b, a))
}

/// Which value a SET means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetTarget {
    Global,
    Session,
}

/// 1193.
fn unknown(name: &str) -> SqlError {
    SqlError::of(errno::ER_UNKNOWN_SYSTEM_VARIABLE, &[&name])
}

/// The variable that `SET [GLOBAL|SESSION] name` means; no `scope` = session.
pub fn resolve_set(name: &str, scope: Option<SetTarget>) -> Result<(Var, SetTarget), SqlError> {
    let var = Var::lookup(name).ok_or_else(|| unknown(name))?;
    let def = var.def();
    let target = scope.unwrap_or(SetTarget::Session);
    if matches!(def.settable, Settable::Never | Settable::AtStart) {
        return Err(SqlError::of(errno::ER_INCORRECT_GLOBAL_LOCAL_VAR, &[&def.name, &"read only"]));
    }
    match (def.scope, target) {
        (Scope::Global, SetTarget::Session) => {
            Err(SqlError::of(errno::ER_GLOBAL_VARIABLE, &[&def.name]))
        }
        (Scope::Session, SetTarget::Global) => {
            Err(SqlError::of(errno::ER_LOCAL_VARIABLE, &[&def.name]))
        }
        (_, SetTarget::Session) if def.settable == Settable::GlobalOnly => {
            Err(SqlError::of(errno::ER_VARIABLE_IS_READONLY, &[&"SESSION", &def.name, &"GLOBAL"]))
        }
        _ => Ok((var, target)),
    }
}

/// The variable that `@@[global.|session.]name` reads.
pub fn resolve_read(name: &str, scope: Option<SetTarget>) -> Result<(Var, SetTarget), SqlError> {
    let var = Var::lookup(name).ok_or_else(|| unknown(name))?;
    let wrong =
        |kind: &str| Err(SqlError::of(errno::ER_INCORRECT_GLOBAL_LOCAL_VAR, &[&var.name(), &kind]));
    match (var.def().scope, scope) {
        (Scope::Global, Some(SetTarget::Session)) => wrong("GLOBAL"),
        (Scope::Session, Some(SetTarget::Global)) => wrong("SESSION"),
        (Scope::Global, _) => Ok((var, SetTarget::Global)),
        (_, asked) => Ok((var, asked.unwrap_or(SetTarget::Session))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_begins_from_the_globals_and_keeps_its_own() {
        let globals = Arc::new(GlobalVars::default());
        let mut early = SessionVars::new(&globals);
        globals.set(Var::wait_timeout, &SetInput::Int(100), false).unwrap();
        let late = SessionVars::new(&globals);
        assert_eq!(early.u64(Var::wait_timeout), 28800);
        assert_eq!(late.u64(Var::wait_timeout), 100);
        early.set(Var::wait_timeout, &SetInput::Int(7)).unwrap();
        assert_eq!(early.u64(Var::wait_timeout), 7);
        early.set_default(Var::wait_timeout).unwrap();
        assert_eq!(early.u64(Var::wait_timeout), 100);
        early.reset();
        assert_eq!(early.own.len(), 0);
    }

    /// In MySQL no session has one of its own, so SET GLOBAL is obeyed by all from their next commit on.
    #[test]
    fn flush_at_commit_follows_the_global_one_until_the_session_sets_it() {
        let globals = Arc::new(GlobalVars::default());
        let var = Var::innodb_flush_log_at_trx_commit;
        let mut session = SessionVars::new(&globals);
        let all = |n| globals.set(var, &SetInput::Int(n), false).unwrap();
        all(2);
        assert_eq!((session.u64(var), globals.u64(var)), (2, 2));
        assert!(session.show().contains(&(var.name(), "2".into())));
        session.set(var, &SetInput::Int(0)).unwrap();
        all(1);
        assert_eq!(session.u64(var), 0);
        session.set_default(var).unwrap();
        all(2);
        assert_eq!(session.u64(var), 2);
    }

    #[test]
    fn global_only_variables_are_read_live() {
        let globals = Arc::new(GlobalVars::default());
        let session = SessionVars::new(&globals);
        globals.set(Var::max_connections, &SetInput::Int(9), false).unwrap();
        assert_eq!(session.u64(Var::max_connections), 9);
    }

    #[test]
    fn scopes_are_kept() {
        let text = |r: Result<(Var, SetTarget), SqlError>| r.expect_err("refused").to_string();
        assert!(text(resolve_set("max_connections", None)).starts_with("ERROR 1229"));
        assert!(text(resolve_set("datadir", Some(SetTarget::Global))).starts_with("ERROR 1238"));
        assert!(
            text(resolve_set("weir_pressure", Some(SetTarget::Global))).starts_with("ERROR 1238")
        );
        assert!(text(resolve_set("nope", None)).starts_with("ERROR 1193"));
        assert!(text(resolve_set("insert_id", Some(SetTarget::Global))).starts_with("ERROR 1228"));
        assert!(text(resolve_set("max_allowed_packet", None)).starts_with("ERROR 1621"));
        assert!(
            text(resolve_read("max_connections", Some(SetTarget::Session)))
                .starts_with("ERROR 1238")
        );
        assert_eq!(resolve_read("port", None).unwrap(), (Var::port, SetTarget::Global),);
    }

    #[test]
    fn charset_and_collation_go_together() {
        let globals = Arc::new(GlobalVars::default());
        let mut session = SessionVars::new(&globals);
        session.set_names("latin1", None).unwrap();
        assert_eq!(session.text(Var::collation_connection), "latin1_swedish_ci");
        assert_eq!(session.text(Var::character_set_results), "latin1");
        session.set_names("utf8mb4", Some("utf8mb4_bin")).unwrap();
        assert_eq!(session.text(Var::collation_connection), "utf8mb4_bin");
        assert_eq!(session.text(Var::character_set_connection), "utf8mb4");
        assert_eq!(session.set_names("latin1", Some("utf8mb4_bin")).unwrap_err().errno, 1253);
        session.set_handshake_collation(255);
        assert_eq!(session.text(Var::collation_connection), "utf8mb4_0900_ai_ci");
        assert_eq!(session.text(Var::character_set_client), "utf8mb4");
        session.set_handshake_collation(45);
        assert_eq!(session.text(Var::collation_connection), "utf8mb4_general_ci");
        session.set_names("utf8mb4", None).unwrap();
        assert_eq!(session.text(Var::collation_connection), "utf8mb4_0900_ai_ci");
        session.set_handshake_collation(45);
        session.set_handshake_collation(254);
        assert_eq!(session.text(Var::collation_connection), "utf8mb4_0900_ai_ci");
    }

    #[test]
    fn what_the_policy_does_not_read_is_said() {
        let globals = GlobalVars::default();
        let set = |var, input| globals.set(var, &input, false).unwrap().map(|w| w.message);
        let told = set(Var::innodb_adaptive_checkpoint, SetInput::Str("ON")).expect("a warning");
        assert!(told.contains("weir_flush_policy=weir") && told.contains("google-v4"), "{told}");
        assert_eq!(set(Var::innodb_adaptive_checkpoint, SetInput::Str("none")), None);
        assert_eq!(set(Var::weir_flush_policy, SetInput::Str("google-v4")), None);
        assert_eq!(set(Var::innodb_adaptive_checkpoint, SetInput::Int(1)), None);
        assert_eq!(globals.text(Var::innodb_adaptive_checkpoint), "reflex");
        assert_eq!(globals.text(Var::weir_flush_policy), "google-v4");
        assert!(set(Var::innodb_idle_flush_pct, SetInput::Int(50)).is_some());
    }

    #[test]
    fn adaptive_checkpoint_chooses_among_the_policies_of_xtradb() {
        let globals = GlobalVars::default();
        let set = |var, text| globals.set(var, &SetInput::Str(text), false).unwrap();
        set(Var::weir_flush_policy, "xtradb-none");
        for way in ["reflex", "estimate", "keep_average", "none"] {
            set(Var::innodb_adaptive_checkpoint, way);
            let policy = globals.text(Var::weir_flush_policy);
            assert_eq!(policy, format!("xtradb-{}", way.replace('_', "-")));
        }
    }

    #[test]
    fn neighbours_have_two_names() {
        let globals = GlobalVars::default();
        let set = |var, input| globals.set(var, &input, false).unwrap();
        set(Var::innodb_flush_neighbors, SetInput::Int(1));
        assert_eq!(globals.text(Var::innodb_flush_neighbor_pages), "cont");
        set(Var::innodb_flush_neighbor_pages, SetInput::Str("area"));
        assert_eq!(globals.text(Var::innodb_flush_neighbors), "2");
        set(Var::innodb_flush_neighbors, SetInput::Str("auto"));
        assert_eq!(globals.text(Var::innodb_flush_neighbor_pages), "auto");
        set(Var::innodb_flush_neighbor_pages, SetInput::Int(0));
        assert_eq!(globals.text(Var::innodb_flush_neighbors), "0");
    }

    #[test]
    fn auto_is_a_value_and_comes_back() {
        let globals = GlobalVars::default();
        let var = Var::innodb_io_capacity;
        let set = |input| globals.set(var, &input, false);
        assert_eq!((globals.text(var), globals.u64(var)), ("auto".into(), 0));
        assert_eq!(set(SetInput::Int(100)).unwrap(), None);
        assert_eq!(globals.text(var), "100");
        assert_eq!(set(SetInput::Int(0)).unwrap().map(|w| w.errno), Some(1292));
        assert_eq!(globals.text(var), "100");
        assert_eq!(set(SetInput::Str("AUTO")).unwrap(), None);
        assert_eq!(globals.text(var), "auto");
        assert_eq!(set(SetInput::Str("much")).unwrap_err().errno, 1232);
        set(SetInput::UInt(5000)).unwrap();
        let default = var.def().default.value();
        set(as_input(var, &default)).unwrap();
        assert_eq!(globals.text(var), "auto");
    }

    #[test]
    fn a_hook_may_refuse() {
        let globals = GlobalVars::default();
        globals.on_change(
            Var::innodb_buffer_pool_size,
            Box::new(|_| Err("a resize is still running".to_owned())),
        );
        let error = globals.set(Var::innodb_buffer_pool_size, &SetInput::UInt(1 << 30), false);
        assert_eq!(error.unwrap_err().errno, 1231);
        assert!(!globals.is_changed(Var::innodb_buffer_pool_size));
    }
}
