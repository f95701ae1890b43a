//! What bounds an account beside its rights: resources, the age and the reuse of its password, failed logins, and what is noted of it.
//!
//! The rules are MySQL's. Former passwords are kept only while a rule asks for them; as their hashes are salted, a new one is tried
//! against each. An empty password is no former one.

use super::statements::AccountOptions;
use super::{Account, AuthPlugin, PasswordHasher, Restrictions};
use crate::errno;
use crate::session_api::SqlError;
use crate::value::json::{self, Dom};

/// Seconds of a day.
pub(super) const DAY: u64 = 86_400;

/// WITH MAX_QUERIES_PER_HOUR and its like; 0 for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    pub queries: u32,
    pub updates: u32,
    pub connections: u32,
    /// MAX_USER_CONNECTIONS.
    pub at_once: u32,
}

impl Resources {
    /// Do statements count?
    pub fn limit_statements(&self) -> bool {
        self.queries > 0 || self.updates > 0
    }
}

/// PASSWORD_LOCK_TIME.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockTime {
    Days(u16),
    Unbounded,
}

impl Default for LockTime {
    fn default() -> LockTime {
        LockTime::Days(0)
    }
}

/// A password that was set while some rule asked for former ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Former {
    /// Seconds since 1970.
    pub at: u64,
    pub credential: String,
}

/// All of it; `None` means DEFAULT: what the global variable says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policy {
    pub resources: Resources,
    /// PASSWORD EXPIRE: until it is changed.
    pub expired: bool,
    /// Days; 0 for NEVER.
    pub lifetime: Option<u16>,
    pub history: Option<u32>,
    pub reuse_days: Option<u32>,
    pub require_current: Option<bool>,
    /// FAILED_LOGIN_ATTEMPTS; 0: they are not counted.
    pub attempts: u16,
    pub lock_time: LockTime,
    /// COMMENT and ATTRIBUTE: the text of a JSON object.
    pub attribute: Option<String>,
    /// The latest first, with the one that is in force.
    pub former: Vec<Former>,
    /// The credential of the password before, which logs in beside the current one: RETAIN CURRENT PASSWORD. Of the same method, and
    /// never beside an empty password.
    pub second: Option<String>,
}

/// What the global variables say for DEFAULT.
#[derive(Clone, Copy, Debug, Default)]
pub struct PolicyDefaults {
    pub lifetime: u64,
    pub history: u64,
    pub reuse_days: u64,
    pub require_current: bool,
}

/// What a statement says of a policy; `None` leaves it as it is.
#[derive(Clone, Debug, Default)]
pub struct PolicyChange {
    pub queries: Option<u32>,
    pub updates: Option<u32>,
    pub connections: Option<u32>,
    pub at_once: Option<u32>,
    pub expire: bool,
    pub lifetime: Option<Option<u16>>,
    pub history: Option<Option<u32>>,
    pub reuse_days: Option<Option<u32>>,
    pub require_current: Option<Option<bool>>,
    pub attempts: Option<u16>,
    pub lock_time: Option<LockTime>,
    pub attribute: Option<Attribute>,
}

impl PolicyChange {
    pub fn of_resources(&self) -> bool {
        [self.queries, self.updates, self.connections, self.at_once].iter().any(Option::is_some)
    }

    pub fn of_attempts(&self) -> bool {
        self.attempts.is_some() || self.lock_time.is_some()
    }
}

/// A JSON object that COMMENT or ATTRIBUTE gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute(Dom);

/// 3982.
fn no_object() -> SqlError {
    SqlError::of(errno::ER_INVALID_USER_ATTRIBUTE_JSON, &[])
}

impl Attribute {
    pub fn parse(text: &[u8]) -> Result<Attribute, SqlError> {
        match json::parse(text) {
            Ok(dom @ Dom::Object(_)) => Ok(Attribute(dom)),
            _ => Err(no_object()),
        }
    }

    pub fn comment(text: &[u8]) -> Attribute {
        Attribute(Dom::object(vec![(b"comment".as_slice().into(), Dom::str(text))]))
    }

    /// The text of what was there with this merged into it.
    fn onto(&self, old: Option<&str>) -> Result<String, SqlError> {
        let patch = self.0.clone();
        let merged = match old.map(|text| json::parse(text.as_bytes())) {
            Some(Ok(old)) => merge(old, patch),
            _ => patch,
        };
        text_of(&merged).ok_or_else(no_object)
    }
}

pub(super) fn text_of(dom: &Dom) -> Option<String> {
    String::from_utf8(dom.to_json().ok()?.to_text()).ok()
}

/// RFC 7396, as JSON_MERGE_PATCH() has it. How deep it goes is bounded by what [`json::parse`] takes.
fn merge(target: Dom, patch: Dom) -> Dom {
    let Dom::Object(patch) = patch else { return patch };
    let mut members = match target {
        Dom::Object(members) => members,
        _ => Vec::new(),
    };
    for (name, new) in patch {
        let old = Dom::take(&mut members, &name);
        if new != Dom::Null {
            Dom::put(&mut members, &name, merge(old.unwrap_or(Dom::Null), new));
        }
    }
    Dom::Object(members)
}

/// A credential that is to be an account's, with the password where that is known.
pub(super) struct Fresh {
    pub plugin: AuthPlugin,
    pub credential: String,
    pub password: Option<Vec<u8>>,
    /// The password before it goes on to log in.
    pub retains: bool,
}

impl Policy {
    /// Takes over what a statement says, except for PASSWORD EXPIRE.
    fn apply(&mut self, change: &PolicyChange) -> Result<(), SqlError> {
        let own = &mut self.resources;
        own.queries = change.queries.unwrap_or(own.queries);
        own.updates = change.updates.unwrap_or(own.updates);
        own.connections = change.connections.unwrap_or(own.connections);
        own.at_once = change.at_once.unwrap_or(own.at_once);
        self.lifetime = change.lifetime.unwrap_or(self.lifetime);
        self.history = change.history.unwrap_or(self.history);
        self.reuse_days = change.reuse_days.unwrap_or(self.reuse_days);
        self.require_current = change.require_current.unwrap_or(self.require_current);
        self.attempts = change.attempts.unwrap_or(self.attempts);
        self.lock_time = change.lock_time.unwrap_or(self.lock_time);
        if let Some(attribute) = &change.attribute {
            self.attribute = Some(attribute.onto(self.attribute.as_deref())?);
        }
        Ok(())
    }

    /// `mysql.user`.`User_attributes`.
    pub fn user_attributes(&self, restrictions: &Restrictions) -> Option<String> {
        let mut members = Vec::new();
        if !restrictions.is_empty() {
            members.push((b"Restrictions".as_slice().into(), restrictions.to_dom()));
        }
        if let Some(Ok(metadata)) = self.attribute.as_ref().map(|t| json::parse(t.as_bytes())) {
            members.push((b"metadata".as_slice().into(), metadata));
        }
        if self.counts_failures() {
            let days = match self.lock_time {
                LockTime::Days(n) => i64::from(n),
                LockTime::Unbounded => -1,
            };
            let of = vec![
                (b"failed_login_attempts".as_slice().into(), Dom::Int(i64::from(self.attempts))),
                (b"password_lock_time_days".as_slice().into(), Dom::Int(days)),
            ];
            members.push((b"Password_locking".as_slice().into(), Dom::object(of)));
        }
        if let Some(second) = &self.second {
            let text = Dom::str(second.as_bytes());
            members.push((b"additional_password".as_slice().into(), text));
        }
        if members.is_empty() { None } else { text_of(&Dom::object(members)) }
    }

    /// Is there anything about failed logins? They are counted where both numbers are set.
    pub fn counts_failures(&self) -> bool {
        self.attempts > 0 || self.lock_time != LockTime::default()
    }

    /// Does changing one's own password take the current one?
    pub fn asks_for_current(&self, defaults: &PolicyDefaults) -> bool {
        self.require_current.unwrap_or(defaults.require_current)
    }
}

impl Account {
    /// Is the password too old, or was it said to be? `now` in seconds since 1970. One whose time of change is not known does not
    /// grow old.
    pub fn is_expired(&self, defaults: &PolicyDefaults, now: u64) -> bool {
        let days = self.policy.lifetime.map_or(defaults.lifetime, u64::from);
        let old = |at: u64| days > 0 && now.saturating_sub(at) >= days.saturating_mul(DAY);
        self.policy.expired || self.changed.is_some_and(old)
    }

    /// Takes over a statement's options, then the password, which has to keep to them.
    pub(super) fn alter(
        &mut self,
        fresh: Option<Fresh>,
        options: &AccountOptions,
        hasher: &dyn PasswordHasher,
    ) -> Result<(), SqlError> {
        self.locked = options.locked.unwrap_or(self.locked);
        if let Some(require) = &options.require {
            self.require = require.clone();
        }
        self.policy.apply(&options.policy)?;
        if let Some(fresh) = fresh {
            self.policy.second = self.second_beside(&fresh)?;
            self.keep_former(&fresh, options, hasher)?;
            self.plugin = fresh.plugin;
            self.credential = fresh.credential;
            self.changed = Some(options.now);
            self.policy.expired = false;
        }
        self.policy.expired |= options.policy.expire;
        Ok(())
    }

    /// The password that logs in beside a new one: the current one where that is retained, else the one that was kept before. None does
    /// beside an empty password, or beside one that is proved by another method.
    fn second_beside(&self, fresh: &Fresh) -> Result<Option<String>, SqlError> {
        let refused = |errno, why: &str| {
            let text = format!(
                "Current password can not be retained for user '{}'@'{}' because {why}.",
                self.user, self.host
            );
            Err(SqlError::new(errno, text))
        };
        match fresh.retains {
            true if fresh.plugin != self.plugin => refused(
                errno::ER_PASSWORD_CANNOT_BE_RETAINED_ON_PLUGIN_CHANGE,
                "authentication plugin is being changed",
            ),
            true if self.credential.is_empty() => Err(SqlError::of(
                errno::ER_SECOND_PASSWORD_CANNOT_BE_EMPTY,
                &[&self.user, &self.host],
            )),
            true if fresh.credential.is_empty() => {
                refused(errno::ER_CURRENT_PASSWORD_CANNOT_BE_RETAINED, "new password is empty")
            }
            true => Ok(Some(self.credential.clone())),
            false if fresh.plugin != self.plugin || fresh.credential.is_empty() => Ok(None),
            false => Ok(self.policy.second.clone()),
        }
    }

    /// The credentials that log in. Empty where none is asked for.
    pub fn credentials(&self) -> impl Iterator<Item = &str> {
        let first = Some(&*self.credential).filter(|c| !c.is_empty());
        first.into_iter().chain(self.policy.second.as_deref())
    }

    /// 3638 for a former password; keeps the new one with those that the rules still ask for.
    fn keep_former(
        &mut self,
        fresh: &Fresh,
        options: &AccountOptions,
        hasher: &dyn PasswordHasher,
    ) -> Result<(), SqlError> {
        let defaults = &options.defaults;
        let history = self.policy.history.map_or(defaults.history, u64::from);
        let days = self.policy.reuse_days.map_or(defaults.reuse_days, u64::from);
        let former = std::mem::take(&mut self.policy.former);
        // Hashes of another kind tell nothing of the new password.
        let former = if fresh.plugin == self.plugin { former } else { Vec::new() };
        let age = |f: &Former| options.now.saturating_sub(f.at) / DAY;
        let password = fresh.password.as_deref().filter(|p| !p.is_empty());
        let again = |(i, f): (usize, &Former)| {
            let asked = (i as u64) < history || age(f) < days;
            asked && password.is_some_and(|p| hasher.verify(fresh.plugin, &f.credential, p))
        };
        if former.iter().enumerate().any(again) {
            return Err(SqlError::of(
                errno::ER_CREDENTIALS_CONTRADICT_TO_HISTORY,
                &[&self.user, &self.host],
            ));
        }
        let added = (history > 0 || days > 0) && !fresh.credential.is_empty();
        let room = history.saturating_sub(u64::from(added));
        let stays = |(i, f): (usize, Former)| {
            let asked = (i as u64) < room || (days > 0 && age(&f) <= days);
            asked.then_some(f)
        };
        let newest =
            added.then(|| Former { at: options.now, credential: fresh.credential.clone() });
        let kept = former.into_iter().enumerate().filter_map(stays);
        self.policy.former = newest.into_iter().chain(kept).collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{accounts, now};
    use super::super::{AccountName, Auth};
    use super::*;

    fn password(text: &str) -> Auth {
        Auth::Password { plugin: None, password: text.as_bytes().to_vec() }
    }

    #[test]
    fn attributes_are_merged() {
        let merged = |old: &str, new: &str| {
            Attribute::parse(new.as_bytes()).and_then(|a| a.onto(Some(old))).unwrap()
        };
        assert_eq!(merged("{}", r#"{"b": 1, "a": {"x": 1}}"#), r#"{"a": {"x": 1}, "b": 1}"#);
        assert_eq!(
            merged(r#"{"a": {"x": 1, "y": 2}, "b": 1}"#, r#"{"a": {"x": null}, "b": null}"#),
            r#"{"a": {"y": 2}}"#
        );
        assert_eq!(Attribute::comment(b"it's").onto(None).unwrap(), r#"{"comment": "it's"}"#);
        for bad in ["", "[]", "1", "null", "{", "{\"a\":}"] {
            assert_eq!(Attribute::parse(bad.as_bytes()).unwrap_err().errno, 3982, "{bad}");
        }
    }

    #[test]
    fn former_passwords_are_refused_as_long_as_the_rules_say() {
        let accounts = accounts();
        let u = AccountName::new("u", "%");
        let at = |day: u64, history: u32, days: u32| AccountOptions {
            policy: PolicyChange {
                history: Some(Some(history)),
                reuse_days: Some(Some(days)),
                ..PolicyChange::default()
            },
            now: day * DAY,
            ..AccountOptions::default()
        };
        let users = [(u.clone(), password("a"))];
        now(accounts.create_users(&users, false, at(1, 2, 0))).unwrap();
        let set = |text: &str, options: AccountOptions| {
            let done = now(accounts.alter_users(&[(u.clone(), password(text))], false, options));
            done.map(|_| accounts.get("u", "%").unwrap().policy.former.len()).map_err(|e| e.errno)
        };
        assert_eq!(set("a", at(2, 2, 0)), Err(3638));
        assert_eq!(set("b", at(2, 2, 0)), Ok(2));
        assert_eq!(set("a", at(2, 2, 0)), Err(3638));
        assert_eq!(set("c", at(3, 2, 0)), Ok(2));
        assert_eq!(set("a", at(4, 2, 0)), Ok(2));
        // By age: what is left of it counts for as many days.
        assert_eq!(set("c", at(8, 0, 10)), Err(3638));
        assert_eq!(set("d", at(8, 0, 10)), Ok(3));
        assert_eq!(set("c", at(14, 0, 10)), Ok(3));
        // An empty password may come back, and no rule keeps none.
        assert_eq!(set("", at(14, 5, 10)), Ok(3));
        assert_eq!(set("", at(14, 5, 10)), Ok(3));
        assert_eq!(set("c", at(14, 0, 0)), Ok(0));
        assert_eq!(set("c", at(14, 0, 0)), Ok(0));
    }

    #[test]
    fn passwords_grow_old() {
        let mut a = Account::new(&AccountName::new("u", "%"));
        let days = |lifetime| PolicyDefaults { lifetime, ..PolicyDefaults::default() };
        assert!(!a.is_expired(&days(1), u64::MAX));
        a.changed = Some(0);
        assert!(a.is_expired(&days(2), 2 * DAY) && !a.is_expired(&days(2), 2 * DAY - 1));
        a.policy.lifetime = Some(0);
        assert!(!a.is_expired(&days(2), 2 * DAY));
        a.policy.lifetime = Some(1);
        assert!(a.is_expired(&days(0), DAY));
        a.policy = Policy { expired: true, ..Policy::default() };
        assert!(a.is_expired(&days(0), 0));
    }
}
