//! Roles: accounts whose rights other accounts may be given.
//!
//! A role is an account like any other; CREATE ROLE makes one that is locked. The grants of roles are edges of a graph without
//! cycles (4027), which [`reachable`] walks.
//!
//! Invariants:
//! - Every edge leads to an account that exists: DROP takes the edges to it away, and RENAME of a role is refused (3532).
//! - A default role is a role that is granted, or a mandatory one.

use super::name::AccountName;
use super::statements::{USER_ALREADY_EXISTS, check_lengths, does_not_exist, failed};
use super::{Account, Accounts, Note, Privileges};
use crate::errno;
use crate::session_api::SqlError;
use std::sync::Arc;

/// A role that an account has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantedRole {
    pub role: AccountName,
    /// WITH ADMIN OPTION: it may be handed on.
    pub admin: bool,
}

/// What the system variables say about roles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RolePolicy {
    /// `mandatory_roles`: granted to every account.
    pub mandatory: Vec<AccountName>,
    /// `activate_all_roles_on_login`.
    pub activate_all: bool,
}

impl Accounts {
    /// Whether one of these accounts holds SYSTEM_USER, by itself or by its roles.
    pub fn has_system_account(&self, accounts: &[AccountName]) -> bool {
        let reached = reachable(&self.list(), accounts);
        reached.iter().any(|a| a.global.contains(Privileges::SYSTEM_USER))
    }
}

impl RolePolicy {
    /// `mandatory_roles` as it is written: names with or without a host, in quotes or without. `None`: that is no list of names.
    pub fn parse(mandatory: &str, activate_all: bool) -> Option<RolePolicy> {
        let mut list = Vec::new();
        for part in split(mandatory, ',')? {
            let (user, host) = match &split(part, '@')?[..] {
                [user] => (unquote(user)?, "%".to_owned()),
                [user, host] => (unquote(user)?, unquote(host)?),
                _ => return None,
            };
            match user.is_empty() {
                true if mandatory.trim().is_empty() => {}
                true => return None,
                false => list.push(AccountName::new(&user, &host)),
            }
        }
        Some(RolePolicy { mandatory: list, activate_all })
    }

    /// 3628 for a role that may be neither dropped nor revoked.
    pub(super) fn refuse_mandatory(&self, name: &AccountName) -> Result<(), SqlError> {
        if !self.mandatory.contains(name) {
            return Ok(());
        }
        Err(SqlError::of(errno::ER_MANDATORY_ROLE, &[&name.quoted()]))
    }
}

/// Splits at a character outside of quotes; `None`: a quote is not closed.
fn split(text: &str, at: char) -> Option<Vec<&str>> {
    let (mut parts, mut from, mut open) = (Vec::new(), 0, None);
    for (i, c) in text.char_indices() {
        match open {
            Some(quote) if c == quote => open = None,
            Some(_) => {}
            None if c == at => {
                parts.push(&text[from..i]);
                from = i + c.len_utf8();
            }
            None if matches!(c, '\'' | '"' | '`') => open = Some(c),
            None => {}
        }
    }
    parts.push(&text[from..]);
    open.is_none().then_some(parts)
}

fn unquote(text: &str) -> Option<String> {
    let text = text.trim();
    for quote in ['\'', '"', '`'] {
        if let Some(inner) = text.strip_prefix(quote) {
            return inner.strip_suffix(quote).map(str::to_owned);
        }
    }
    Some(text.to_owned())
}

/// Which roles SET ROLE and DEFAULT ROLE name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoleChoice {
    Default,
    None,
    All,
    AllExcept(Vec<AccountName>),
    Some(Vec<AccountName>),
}

/// 3523.
pub(super) fn unknown(name: &AccountName) -> SqlError {
    let text = format!("Unknown authorization ID {}", name.quoted());
    SqlError::new(errno::ER_UNKNOWN_AUTHID, text)
}

/// 3530.
pub(super) fn not_granted(role: &AccountName, to: &AccountName) -> SqlError {
    let text = format!("{} is not granted to {}", role.quoted(), to.quoted());
    SqlError::new(errno::ER_ROLE_NOT_GRANTED, text)
}

fn find<'l>(list: &'l [Arc<Account>], name: &AccountName) -> Option<&'l Arc<Account>> {
    list.iter().find(|a| name.is(a))
}

/// The accounts of these roles and of all roles granted to them, each once. Names that no account has are left out.
pub(super) fn reachable(list: &[Arc<Account>], from: &[AccountName]) -> Vec<Arc<Account>> {
    let mut found: Vec<Arc<Account>> = Vec::new();
    let add = |found: &mut Vec<Arc<Account>>, name: &AccountName| {
        if let Some(account) = find(list, name)
            && !found.iter().any(|f| Arc::ptr_eq(f, account))
        {
            found.push(account.clone());
        }
    };
    from.iter().for_each(|name| add(&mut found, name));
    let mut next = 0;
    while let Some(account) = found.get(next).cloned() {
        account.roles.iter().for_each(|r| add(&mut found, &r.role));
        next += 1;
    }
    found
}

/// What is granted to an account: its own roles, and the mandatory ones that exist.
pub(super) fn granted_to(
    account: &Account,
    list: &[Arc<Account>],
    policy: &RolePolicy,
) -> Vec<AccountName> {
    let mut roles: Vec<AccountName> = account.roles.iter().map(|r| r.role.clone()).collect();
    for name in &policy.mandatory {
        let counts = !name.is(account) && !roles.contains(name) && find(list, name).is_some();
        if counts {
            roles.push(name.clone());
        }
    }
    roles.sort();
    roles
}

/// Accounts are gone: nobody has them as roles any more.
pub(super) fn forget(list: &mut [Arc<Account>], gone: &[AccountName]) {
    for account in list.iter_mut() {
        let held = |r: &AccountName| gone.contains(r);
        if account.roles.iter().any(|r| held(&r.role)) || account.default_roles.iter().any(held) {
            let account = Arc::make_mut(account);
            account.roles.retain(|r| !held(&r.role));
            account.default_roles.retain(|r| !held(r));
        }
    }
}

/// Those that are not there when their turn comes: an account that is named twice is gone the second time.
pub(super) fn missing<'a>(list: &[Arc<Account>], names: &'a [AccountName]) -> Vec<&'a AccountName> {
    let gone = |i: usize| names[..i].contains(&names[i]) || find(list, &names[i]).is_none();
    (0..names.len()).filter(|&i| gone(i)).map(|i| &names[i]).collect()
}

/// 3532 for an account that is somebody's role.
pub(super) fn refuse_rename(
    list: &[Arc<Account>],
    name: &AccountName,
    policy: &RolePolicy,
) -> Result<(), SqlError> {
    let granted = list.iter().any(|a| a.roles.iter().any(|r| r.role == *name));
    match granted || policy.mandatory.contains(name) {
        true => Err(SqlError::of(errno::ER_RENAME_ROLE, &[])),
        false => Ok(()),
    }
}

impl Accounts {
    /// CREATE ROLE: locked accounts without a password.
    pub async fn create_roles(
        &self,
        names: &[AccountName],
        if_not_exists: bool,
    ) -> Result<Vec<Note>, SqlError> {
        names.iter().try_for_each(check_lengths)?;
        self.edit(|list| {
            let (mut notes, mut existing) = (Vec::new(), Vec::new());
            for name in names {
                if find(list, name).is_none() {
                    list.push(Arc::new(Account { locked: true, ..Account::new(name) }));
                } else if if_not_exists {
                    let message = format!("Authorization ID {name} already exists.");
                    notes.push(Note { errno: USER_ALREADY_EXISTS, message });
                } else {
                    existing.push(name);
                }
            }
            if existing.is_empty() { Ok(notes) } else { Err(failed("CREATE ROLE", &existing)) }
        })
        .await
    }

    /// DROP ROLE.
    pub async fn drop_roles(
        &self,
        names: &[AccountName],
        if_exists: bool,
    ) -> Result<Vec<Note>, SqlError> {
        let policy = self.policy();
        self.edit(|list| {
            names.iter().try_for_each(|n| policy.refuse_mandatory(n))?;
            let missing = missing(list, names);
            if !if_exists && !missing.is_empty() {
                return Err(failed("DROP ROLE", &missing));
            }
            list.retain(|a| !names.iter().any(|name| name.is(a)));
            forget(list, names);
            Ok(missing.into_iter().map(does_not_exist).collect())
        })
        .await
        .inspect(|_| names.iter().for_each(|name| self.forget_use(name)))
    }

    /// GRANT role TO user.
    pub async fn grant_roles(
        &self,
        roles: &[AccountName],
        to: &[AccountName],
        admin: bool,
    ) -> Result<(), SqlError> {
        self.edit(|list| {
            for name in to {
                for role in roles {
                    grant_role(list, role, name, admin)?;
                }
            }
            Ok(())
        })
        .await
    }

    /// REVOKE role FROM user. One that is not granted is not one the less not granted afterwards.
    pub async fn revoke_roles(
        &self,
        roles: &[AccountName],
        from: &[AccountName],
    ) -> Result<(), SqlError> {
        let policy = self.policy();
        self.edit(|list| {
            for role in roles {
                policy.refuse_mandatory(role)?;
                find(list, role).ok_or_else(|| unknown(role))?;
            }
            for name in from {
                let account = list.iter_mut().find(|a| name.is(a)).ok_or_else(|| unknown(name))?;
                let account = Arc::make_mut(account);
                account.roles.retain(|r| !roles.contains(&r.role));
                account.default_roles.retain(|r| !roles.contains(r));
            }
            Ok(())
        })
        .await
    }

    /// SET DEFAULT ROLE, and DEFAULT ROLE of CREATE and ALTER USER.
    pub async fn set_default_roles(
        &self,
        users: &[AccountName],
        choice: &RoleChoice,
    ) -> Result<(), SqlError> {
        let policy = self.policy();
        self.edit(|list| {
            for name in users {
                let account = find(list, name).ok_or_else(|| unknown(name))?;
                let granted = granted_to(account, list, &policy);
                let defaults = chosen(choice, name, &granted, &account.default_roles)?;
                let at = list.iter_mut().find(|a| name.is(a));
                let account = at.expect("the account was found above");
                Arc::make_mut(account).default_roles = defaults;
            }
            Ok(())
        })
        .await
    }

    /// 3530 where one of these accounts cannot have these default roles, before anything about it is changed.
    pub fn check_default_roles(
        &self,
        users: &[AccountName],
        choice: &RoleChoice,
    ) -> Result<(), SqlError> {
        let (list, policy) = (self.list(), self.policy());
        for (name, account) in users.iter().filter_map(|n| Some((n, find(&list, n)?))) {
            let granted = granted_to(account, &list, &policy);
            chosen(choice, name, &granted, &account.default_roles)?;
        }
        Ok(())
    }

    /// DEFAULT ROLE of CREATE USER: roles that exist, which the account is granted with it, as MySQL does.
    pub async fn give_default_roles(
        &self,
        users: &[AccountName],
        roles: &[AccountName],
    ) -> Result<(), SqlError> {
        self.edit(|list| {
            for name in users {
                for role in roles {
                    grant_role(list, role, name, false)?;
                }
                if let Some(account) = list.iter_mut().find(|a| name.is(a)) {
                    Arc::make_mut(account).default_roles = sorted(roles.to_vec());
                }
            }
            Ok(())
        })
        .await
    }

    /// 3162 for the first of these names that no account has, as CREATE USER ... DEFAULT ROLE answers.
    pub fn check_roles_exist(&self, roles: &[AccountName]) -> Result<(), SqlError> {
        let list = self.list();
        match roles.iter().find(|r| find(&list, r).is_none()) {
            None => Ok(()),
            Some(r) => {
                let note = does_not_exist(r);
                Err(SqlError::new(note.errno, note.message))
            }
        }
    }

    /// The accounts of roles that SHOW GRANTS ... USING names, with the roles granted to them.
    pub fn roles_in_use(
        &self,
        account: &Account,
        roles: &[AccountName],
    ) -> Result<Vec<Arc<Account>>, SqlError> {
        let list = self.list();
        let granted = granted_to(account, &list, &self.policy());
        if let Some(other) = roles.iter().find(|r| !granted.contains(r)) {
            return Err(not_granted(other, &account.name()));
        }
        Ok(reachable(&list, roles))
    }
}

fn sorted(mut roles: Vec<AccountName>) -> Vec<AccountName> {
    roles.sort();
    roles.dedup();
    roles
}

/// The roles that a choice means, of those that are granted. 3530 for one that is not.
pub(super) fn chosen(
    choice: &RoleChoice,
    of: &AccountName,
    granted: &[AccountName],
    defaults: &[AccountName],
) -> Result<Vec<AccountName>, SqlError> {
    let named = match choice {
        RoleChoice::None => return Ok(Vec::new()),
        RoleChoice::All => return Ok(granted.to_vec()),
        RoleChoice::AllExcept(list) => {
            return Ok(granted.iter().filter(|r| !list.contains(r)).cloned().collect());
        }
        // A mandatory role may have become none since.
        RoleChoice::Default => {
            return Ok(granted.iter().filter(|r| defaults.contains(r)).cloned().collect());
        }
        RoleChoice::Some(list) => list,
    };
    match named.iter().find(|r| !granted.contains(r)) {
        Some(other) => Err(not_granted(other, of)),
        None => Ok(sorted(named.to_vec())),
    }
}

fn grant_role(
    list: &mut [Arc<Account>],
    role: &AccountName,
    to: &AccountName,
    admin: bool,
) -> Result<(), SqlError> {
    find(list, to).ok_or_else(|| unknown(to))?;
    find(list, role).ok_or_else(|| unknown(role))?;
    if reachable(list, std::slice::from_ref(role)).iter().any(|a| to.is(a)) {
        return Err(SqlError::of(
            errno::ER_ROLE_GRANTED_TO_ITSELF,
            &[&to.quoted(), &role.quoted()],
        ));
    }
    let account = list.iter_mut().find(|a| to.is(a)).expect("the account was found above");
    let roles = &mut Arc::make_mut(account).roles;
    match roles.iter_mut().find(|r| r.role == *role) {
        Some(known) => known.admin |= admin,
        None => roles.push(GrantedRole { role: role.clone(), admin }),
    }
    roles.sort_by(|a, b| a.role.cmp(&b.role));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{accounts, now};
    use super::super::{Auth, Privileges, show_grants};
    use super::*;

    fn name(user: &str) -> AccountName {
        AccountName::new(user, "%")
    }

    #[test]
    fn mandatory_roles_are_written_in_many_ways() {
        let parse = |text| RolePolicy::parse(text, false).map(|p| p.mandatory);
        assert_eq!(parse(" "), Some(Vec::new()));
        let two = Some(vec![name("a"), AccountName::new("b,c", "localhost")]);
        assert_eq!(parse("a, 'b,c'@`localhost`"), two);
        assert_eq!(parse("'a"), None);
        assert_eq!(parse("a,,b"), None);
        assert_eq!(parse("a@b@c"), None);
    }

    #[test]
    fn roles_of_roles_make_no_circle() {
        let accounts = accounts();
        let names: Vec<_> = ["a", "b", "c"].map(name).into();
        assert!(now(accounts.create_roles(&names, false)).unwrap().is_empty());
        assert_eq!(now(accounts.create_roles(&names, false)).unwrap_err().errno, 1396);
        assert_eq!(now(accounts.create_roles(&names, true)).unwrap().len(), 3);
        let grant = |role: &str, to: &str| {
            now(accounts.grant_roles(&[name(role)], &[name(to)], false)).map_err(|e| e.errno)
        };
        grant("a", "b").unwrap();
        grant("b", "c").unwrap();
        assert_eq!(grant("c", "a"), Err(4027));
        assert_eq!(grant("a", "a"), Err(4027));
        assert_eq!(grant("x", "a"), Err(3523));
        assert_eq!(grant("a", "x"), Err(3523));
        assert_eq!(reachable(&accounts.list(), &[name("c")]).len(), 3);
        assert_eq!(now(accounts.rename_users(&[(name("a"), name("z"))])).unwrap_err().errno, 3532);
        now(accounts.drop_roles(&[name("b")], false)).unwrap();
        assert_eq!(reachable(&accounts.list(), &[name("c")]).len(), 1);
    }

    #[test]
    fn rights_of_active_roles_count() {
        let accounts = accounts();
        let (u, r) = (name("u"), name("r"));
        now(accounts.create_users(&[(u.clone(), Auth::None)], false, None)).unwrap();
        now(accounts.create_roles(std::slice::from_ref(&r), false)).unwrap();
        let level = super::super::GrantLevel::Database("d".into());
        now(accounts.grant(Privileges::SELECT, &level, std::slice::from_ref(&r), false)).unwrap();
        let mut access = accounts.access(&accounts.get("u", "%").unwrap(), "localhost");
        let some = RoleChoice::Some(vec![r.clone()]);
        assert_eq!(access.set_roles(&some).unwrap_err().errno, 3530);
        let (roles, to) = (std::slice::from_ref(&r), std::slice::from_ref(&u));
        now(accounts.grant_roles(roles, to, false)).unwrap();
        assert_eq!(access.current_role(), "NONE");
        access.set_roles(&some).unwrap();
        assert_eq!(access.current_role(), "`r`@`%`");
        access.require_table(Privileges::SELECT, "d", "t").unwrap();
        now(accounts.revoke(Privileges::SELECT, &level, roles)).unwrap();
        assert_eq!(access.require_table(Privileges::SELECT, "d", "t").unwrap_err().errno, 1142);
        now(accounts.revoke_roles(roles, to)).unwrap();
        assert_eq!(access.current_role(), "NONE");
        // A mandatory role is granted to all, and stays.
        accounts.set_policy(RolePolicy { mandatory: vec![r.clone()], activate_all: true });
        assert_eq!(now(accounts.drop_roles(roles, false)).unwrap_err().errno, 3628);
        let mut later = accounts.access(&accounts.get("u", "%").unwrap(), "localhost");
        assert_eq!(later.current_role(), "`r`@`%`");
        let own = accounts.get("u", "%").unwrap();
        let lines = show_grants(&own, &[], &accounts.policy().mandatory);
        assert_eq!(lines, ["GRANT USAGE ON *.* TO `u`@`%`", "GRANT `r`@`%` TO `u`@`%`"]);
    }
}
