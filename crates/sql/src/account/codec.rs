//! Accounts to bytes and back: the form in which the engine keeps them.
//!
//! `WACC`, version u8, count u32, then each account; strings are u32 length and bytes, all
//! numbers little-endian. The engine's pages carry the checksum.
//!
//! Version 2 has rights on single tables behind those on databases. Version 3 has behind them: rights on columns with each table
//! (count u32, name, bits), rights on routines (count u32; 1 for a procedure, schema, name, bits), roles (count u32; user, host,
//! 1 for ADMIN OPTION) and default roles (count u32; user, host). Version 4 has behind them what a connection must have: 0 nothing, 1 SSL,
//! 2 X509, 3 cipher, issuer and subject; and it knows passwords of sha256_password (2). Version 5 has before the count the privileges that
//! its writer knew (bits). Version 6 has with each account, at its end, what bounds it beside its rights (`put_policy`). Version 7 has at the end of that
//! the second password, 1 before it where there is one. Version 8 has behind that the databases that rights on all do not reach (count u32, name, bits). The lowest version is written that can hold what there is, so that older servers read what they know.
//!
//! Invariant: an account of a store whose writer did not know a privilege holds it if that is what it could do ([`Privileges::upgraded`]);
//! one whose writer knew it holds it only where it was granted. What the writers of versions 1 to 4 knew is in [`known_to`].

use super::policy::Former;
use super::{
    Account, AccountName, AuthPlugin, ColumnRights, GrantedRole, LockTime, Policy, Privileges,
    Resources, Restrictions, RoutineRights, TableRights,
};
use crate::tls::Require;

const MAGIC: &[u8; 4] = b"WACC";
const VERSION: u8 = 1;
const WITH_TABLES: u8 = 2;
const WITH_ROLES: u8 = 3;
const WITH_TLS: u8 = 4;
const WITH_KNOWN: u8 = 5;
const WITH_POLICY: u8 = 6;
const WITH_SECOND: u8 = 7;
const WITH_RESTRICTIONS: u8 = 8;

/// The privileges that anyone who writes a version knows. Nobody wrote versions 3 and 4 who knew those that came later: those are said in version 5.
fn known_to(version: u8) -> Privileges {
    let later = Privileges::PERSIST_RO_VARIABLES_ADMIN
        | Privileges::APPLICATION_PASSWORD_ADMIN
        | Privileges::SYSTEM_USER;
    let with_roles = Privileges::ROLE_ADMIN
        | Privileges::XA_RECOVER_ADMIN
        | Privileges::CREATE_ROLE
        | Privileges::DROP_ROLE;
    let before = Privileges::known().without(later);
    if version < WITH_ROLES { before.without(with_roles) } else { before }
}

/// The lowest version that holds all of these.
fn version_for(accounts: &[std::sync::Arc<Account>]) -> u8 {
    let needs_roles = |a: &Account| {
        let finer = a.tables.iter().any(|t| !t.columns.is_empty()) || !a.routines.is_empty();
        finer || !a.roles.is_empty() || !a.default_roles.is_empty()
    };
    if accounts.iter().any(|a| !a.restrictions.is_empty()) {
        return WITH_RESTRICTIONS;
    }
    if accounts.iter().any(|a| a.policy.second.is_some()) {
        return WITH_SECOND;
    }
    if accounts.iter().any(|a| a.policy != Policy::default()) {
        return WITH_POLICY;
    }
    let needs_tls = |a: &Account| a.require != Require::Nothing || a.plugin == AuthPlugin::Sha256;
    let lowest = if accounts.iter().any(|a| needs_tls(a)) {
        WITH_TLS
    } else if accounts.iter().any(|a| needs_roles(a)) {
        WITH_ROLES
    } else if accounts.iter().any(|a| !a.tables.is_empty()) {
        WITH_TABLES
    } else {
        VERSION
    };
    // Where reading it would add what was revoked, or an older server would drop what was granted on its own.
    let reads_back = |version: u8| {
        accounts.iter().all(|a| {
            let known = known_to(version);
            a.global.kept_by(known).upgraded(known) == a.global
        })
    };
    let old = [lowest, lowest.max(WITH_ROLES)];
    old.into_iter().find(|v| reads_back(*v)).unwrap_or(WITH_KNOWN)
}

pub(super) fn encode(accounts: &[std::sync::Arc<Account>]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    let version = version_for(accounts);
    out.push(version);
    if version >= WITH_KNOWN {
        put_bits(&mut out, Privileges::known());
    }
    put_u32(&mut out, accounts.len());
    for account in accounts {
        put_str(&mut out, &account.user);
        put_str(&mut out, &account.host);
        out.push(account.plugin as u8);
        put_str(&mut out, &account.credential);
        out.push(u8::from(account.locked));
        put_bits(&mut out, account.global);
        put_u32(&mut out, account.databases.len());
        for (name, privileges) in &account.databases {
            put_str(&mut out, name);
            put_bits(&mut out, *privileges);
        }
        if version >= WITH_TABLES {
            put_tables(&mut out, &account.tables, version);
        }
        if version >= WITH_ROLES {
            put_roles(&mut out, account);
        }
        if version >= WITH_TLS {
            put_require(&mut out, &account.require);
        }
        if version >= WITH_POLICY {
            put_policy(&mut out, &account.policy);
        }
        if version >= WITH_SECOND {
            let second = &account.policy.second;
            out.push(u8::from(second.is_some()));
            second.iter().for_each(|text| put_str(&mut out, text));
        }
        if version >= WITH_RESTRICTIONS {
            put_u32(&mut out, account.restrictions.iter().len());
            for (database, held) in account.restrictions.iter() {
                put_str(&mut out, database);
                put_bits(&mut out, held);
            }
        }
    }
    out
}

/// Four limits of resources; 1 for an expired password; lifetime, history, days of reuse, and 1 for the current password being asked for,
/// each with 1 before it where it is not DEFAULT; failed logins, and days of the lock, all ones for UNBOUNDED; the attribute in the same
/// manner; former passwords (count, time u64, credential).
fn put_policy(out: &mut Vec<u8>, policy: &Policy) {
    let of = &policy.resources;
    let mut put = |n: u32| out.extend_from_slice(&n.to_le_bytes());
    [of.queries, of.updates, of.connections, of.at_once].into_iter().for_each(&mut put);
    out.push(u8::from(policy.expired));
    let days = [policy.lifetime.map(u32::from), policy.history, policy.reuse_days];
    for n in days.into_iter().chain([policy.require_current.map(u32::from)]) {
        out.push(u8::from(n.is_some()));
        out.extend(n.into_iter().flat_map(u32::to_le_bytes));
    }
    out.extend_from_slice(&u32::from(policy.attempts).to_le_bytes());
    let lock = match policy.lock_time {
        LockTime::Days(n) => u32::from(n),
        LockTime::Unbounded => u32::MAX,
    };
    out.extend_from_slice(&lock.to_le_bytes());
    out.push(u8::from(policy.attribute.is_some()));
    policy.attribute.iter().for_each(|text| put_str(out, text));
    put_u32(out, policy.former.len());
    for f in &policy.former {
        out.extend_from_slice(&f.at.to_le_bytes());
        put_str(out, &f.credential);
    }
}

fn put_tables(out: &mut Vec<u8>, tables: &[TableRights], version: u8) {
    put_u32(out, tables.len());
    for t in tables {
        put_str(out, &t.schema);
        put_str(out, &t.table);
        put_bits(out, t.held);
        if version >= WITH_ROLES {
            put_u32(out, t.columns.len());
            for c in &t.columns {
                put_str(out, &c.column);
                put_bits(out, c.held);
            }
        }
    }
}

fn put_roles(out: &mut Vec<u8>, account: &Account) {
    put_u32(out, account.routines.len());
    for r in &account.routines {
        out.push(u8::from(r.procedure));
        put_str(out, &r.schema);
        put_str(out, &r.name);
        put_bits(out, r.held);
    }
    put_u32(out, account.roles.len());
    for r in &account.roles {
        put_str(out, &r.role.user);
        put_str(out, &r.role.host);
        out.push(u8::from(r.admin));
    }
    put_u32(out, account.default_roles.len());
    for r in &account.default_roles {
        put_str(out, &r.user);
        put_str(out, &r.host);
    }
}

fn put_require(out: &mut Vec<u8>, require: &Require) {
    out.push(match require {
        Require::Nothing => 0,
        Require::Ssl => 1,
        Require::X509 => 2,
        Require::Specific { .. } => 3,
    });
    if matches!(require, Require::Specific { .. }) {
        require.texts().iter().for_each(|text| put_str(out, text));
    }
}

fn put_bits(out: &mut Vec<u8>, privileges: Privileges) {
    out.extend_from_slice(&privileges.bits().to_le_bytes());
}

fn put_u32(out: &mut Vec<u8>, n: usize) {
    let n = u32::try_from(n).expect("account texts and lists are far below 4 GiB");
    out.extend_from_slice(&n.to_le_bytes());
}

fn put_str(out: &mut Vec<u8>, text: &str) {
    put_u32(out, text.len());
    out.extend_from_slice(text.as_bytes());
}

/// `None` when the bytes are no account list of a version known here.
pub(super) fn decode(bytes: &[u8]) -> Option<Vec<Account>> {
    let mut input = Input(bytes);
    if input.take(4)? != MAGIC {
        return None;
    }
    let version = input.u8()?;
    if !(VERSION..=WITH_RESTRICTIONS).contains(&version) {
        return None;
    }
    let known = if version >= WITH_KNOWN { input.privileges()? } else { known_to(version) };
    let count = input.u32()?;
    let mut accounts = Vec::new();
    for _ in 0..count {
        let mut account = input.account(version)?;
        account.global = account.global.upgraded(known);
        accounts.push(account);
    }
    input.0.is_empty().then_some(accounts)
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(head)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take(1).map(|b| b[0])
    }

    fn u32(&mut self) -> Option<usize> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?) as usize)
    }

    fn privileges(&mut self) -> Option<Privileges> {
        Some(Privileges::from_bits(u64::from_le_bytes(self.take(8)?.try_into().ok()?)))
    }

    fn str(&mut self) -> Option<String> {
        let len = self.u32()?;
        String::from_utf8(self.take(len)?.to_vec()).ok()
    }

    fn list<T>(&mut self, one: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut list = Vec::new();
        for _ in 0..self.u32()? {
            list.push(one(self)?);
        }
        Some(list)
    }

    fn flag(&mut self) -> Option<bool> {
        match self.u8()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn name(&mut self) -> Option<AccountName> {
        Some(AccountName { user: self.str()?, host: self.str()? })
    }

    fn column(&mut self) -> Option<ColumnRights> {
        Some(ColumnRights { column: self.str()?, held: self.privileges()? })
    }

    fn table(&mut self, version: u8) -> Option<TableRights> {
        let (schema, table, held) = (self.str()?, self.str()?, self.privileges()?);
        let columns = match version >= WITH_ROLES {
            true => self.list(Self::column)?,
            false => Vec::new(),
        };
        Some(TableRights { schema, table, held, columns })
    }

    fn require(&mut self) -> Option<Require> {
        Some(match self.u8()? {
            0 => Require::Nothing,
            1 => Require::Ssl,
            2 => Require::X509,
            3 => {
                let (cipher, issuer) = (self.str()?, self.str()?);
                Require::Specific { cipher, issuer, subject: self.str()? }
            }
            _ => return None,
        })
    }

    fn account(&mut self, version: u8) -> Option<Account> {
        let mut account = Account::new(&AccountName { user: self.str()?, host: self.str()? });
        account.plugin = match self.u8()? {
            0 => AuthPlugin::Native,
            1 => AuthPlugin::CachingSha2,
            2 if version >= WITH_TLS => AuthPlugin::Sha256,
            _ => return None,
        };
        account.credential = self.str()?;
        account.locked = self.u8()? != 0;
        account.global = self.privileges()?;
        account.databases = self.list(|i| Some((i.str()?, i.privileges()?)))?;
        if version >= WITH_TABLES {
            account.tables = self.list(|i| i.table(version))?;
        }
        if version < WITH_ROLES {
            return Some(account);
        }
        account.routines = self.list(|i| {
            let (procedure, schema) = (i.flag()?, i.str()?);
            Some(RoutineRights { procedure, schema, name: i.str()?, held: i.privileges()? })
        })?;
        account.roles = self.list(|i| Some(GrantedRole { role: i.name()?, admin: i.flag()? }))?;
        account.default_roles = self.list(Self::name)?;
        if version >= WITH_TLS {
            account.require = self.require()?;
        }
        if version >= WITH_POLICY {
            account.policy = self.policy()?;
        }
        if version >= WITH_SECOND {
            account.policy.second = self.said(Self::str)?;
        }
        if version >= WITH_RESTRICTIONS {
            let list = self.list(|i| Some((i.str()?, i.privileges()?)))?;
            account.restrictions = Restrictions::from_list(list);
        }
        Some(account)
    }

    fn number<T: TryFrom<usize>>(&mut self) -> Option<T> {
        T::try_from(self.u32()?).ok()
    }

    /// What is not DEFAULT.
    fn said<T>(&mut self, one: impl Fn(&mut Self) -> Option<T>) -> Option<Option<T>> {
        if self.flag()? { one(self).map(Some) } else { Some(None) }
    }

    fn policy(&mut self) -> Option<Policy> {
        let resources = Resources {
            queries: self.number()?,
            updates: self.number()?,
            connections: self.number()?,
            at_once: self.number()?,
        };
        Some(Policy {
            resources,
            expired: self.flag()?,
            lifetime: self.said(Self::number)?,
            history: self.said(Self::number)?,
            reuse_days: self.said(Self::number)?,
            require_current: self.said(|i| Some(i.u32()? != 0))?,
            attempts: self.number()?,
            lock_time: match self.number()? {
                u32::MAX => LockTime::Unbounded,
                n => LockTime::Days(n.try_into().ok()?),
            },
            attribute: self.said(Self::str)?,
            former: self.list(|i| {
                let at = u64::from_le_bytes(i.take(8)?.try_into().ok()?);
                Some(Former { at, credential: i.str()? })
            })?,
            second: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn account() -> Account {
        Account {
            plugin: AuthPlugin::Native,
            credential: "*0123".into(),
            locked: true,
            global: Privileges::PROCESS,
            databases: vec![("shop\\_eu".into(), Privileges::SELECT | Privileges::GRANT_OPTION)],
            ..Account::new(&AccountName::new("app", "10.%"))
        }
    }

    fn table(columns: Vec<ColumnRights>) -> TableRights {
        let held = Privileges::INSERT;
        TableRights { schema: "shop".into(), table: "orders".into(), held, columns }
    }

    /// Each part of what bounds an account, alone and with others.
    fn bounded() -> Vec<Account> {
        let of = |policy: Policy| Account { policy, ..account() };
        let resources = Resources { queries: 1, updates: u32::MAX, connections: 3, at_once: 4 };
        let former = vec![
            Former { at: u64::MAX, credential: "h".into() },
            Former { at: 0, credential: String::new() },
        ];
        vec![
            account(),
            of(Policy { resources, ..Policy::default() }),
            of(Policy { expired: true, lifetime: Some(0), ..Policy::default() }),
            of(Policy { history: Some(u32::MAX), reuse_days: Some(0), ..Policy::default() }),
            of(Policy { require_current: Some(false), former, ..Policy::default() }),
            of(Policy { attempts: 3, lock_time: LockTime::Unbounded, ..Policy::default() }),
            of(Policy { second: Some("*4567".into()), ..Policy::default() }),
            of(Policy { attempts: 32_767, lock_time: LockTime::Days(1), ..Policy::default() }),
            of(Policy {
                attribute: Some("{}".into()),
                require_current: Some(true),
                ..Policy::default()
            }),
        ]
    }

    /// Stores without any of that are written as before, whenever their passwords were set.
    #[test]
    fn the_lowest_version_holds_accounts_without_bounds() {
        let plain = account();
        let timed = Account { changed: Some(1), ..account() };
        let [plain, timed] = [plain, timed].map(|a| encode(&[Arc::new(a)]));
        assert_eq!((plain[4], &plain), (1, &timed));
        for a in bounded().into_iter().skip(1) {
            let version = if a.policy.second.is_some() { 7 } else { 6 };
            assert_eq!(encode(&[Arc::new(a)])[4], version);
        }
    }

    #[test]
    fn round_trip() {
        let finer = Account { tables: vec![table(Vec::new())], ..account() };
        let column = ColumnRights { column: "id".into(), held: Privileges::SELECT };
        let held = Privileges::EXECUTE;
        let routine =
            RoutineRights { procedure: true, schema: "shop".into(), name: "p".into(), held };
        let role = AccountName::new("r", "%");
        let finest = Account {
            tables: vec![table(vec![column])],
            routines: vec![routine],
            roles: vec![GrantedRole { role: role.clone(), admin: true }],
            default_roles: vec![role],
            ..account()
        };
        let asks = |require: Require| Account { require, ..finest.clone() };
        let specific = Require::Specific {
            cipher: "A".into(),
            issuer: String::new(),
            subject: "/CN=it's".into(),
        };
        let tls = [Require::Ssl, Require::X509, specific, Require::Nothing].map(asks).to_vec();
        let sha256 = Account { plugin: AuthPlugin::Sha256, ..account() };
        let persist = Privileges::PERSIST_RO_VARIABLES_ADMIN;
        let alone = Account { global: persist, ..account() };
        let without = Account { global: Privileges::all_global().without(persist), ..account() };
        let all = Account { global: Privileges::all_global(), ..account() };
        let lists = [
            (1, vec![account()]),
            (2, vec![account(), finer.clone()]),
            (3, vec![finer, finest]),
            (4, tls),
            (4, vec![sha256.clone()]),
            (1, vec![all.clone()]),
            (4, vec![all, sha256.clone()]),
            (5, vec![alone, sha256]),
            (5, vec![without]),
            (6, bounded().into_iter().filter(|a| a.policy.second.is_none()).collect()),
            (7, bounded()),
        ];
        for (version, list) in lists {
            let shared: Vec<_> = list.iter().cloned().map(Arc::new).collect();
            let bytes = encode(&shared);
            assert_eq!(bytes[4], version);
            assert_eq!(decode(&bytes[..bytes.len() - 1]), None);
            assert_eq!(decode(&bytes), Some(list));
        }
    }

    /// What servers before version 3 wrote, byte by byte: one account with SUPER, and in version 2 one table.
    #[test]
    fn older_stores_are_read() {
        let mut bytes = b"WACC\x01\x01\0\0\0\x03\0\0\0app\x01\0\0\0%\x01\0\0\0\0\0".to_vec();
        bytes.extend(Privileges::SUPER.bits().to_le_bytes());
        bytes.extend([0; 4]);
        let upgraded = Privileges::SUPER
            | Privileges::ROLE_ADMIN
            | Privileges::XA_RECOVER_ADMIN
            | Privileges::PERSIST_RO_VARIABLES_ADMIN
            | Privileges::SYSTEM_USER;
        let mut known = Account { global: upgraded, ..Account::new(&AccountName::new("app", "%")) };
        assert_eq!(decode(&bytes), Some(vec![known.clone()]));
        bytes[4] = 2;
        bytes.extend(b"\x01\0\0\0\x04\0\0\0shop\x06\0\0\0orders\x02\0\0\0\0\0\0\0");
        known.tables = vec![table(Vec::new())];
        assert_eq!(decode(&bytes), Some(vec![known.clone()]));
        // What was revoked since stays revoked, which version 2 could not say.
        let taken = Account { global: Privileges::SUPER, ..known };
        let written = encode(&[Arc::new(taken.clone())]);
        assert_eq!((written[4], decode(&written)), (5, Some(vec![taken])));
    }

    /// What servers wrote that knew of roles (3) and of TLS (4), but of no PERSIST_RO_VARIABLES_ADMIN and no
    /// APPLICATION_PASSWORD_ADMIN: ALL stays ALL, and others get what was part of a right that they have.
    #[test]
    fn all_stays_all() {
        let of_users = Privileges::APPLICATION_PASSWORD_ADMIN;
        let old =
            Privileges::all_global().without(Privileges::PERSIST_RO_VARIABLES_ADMIN | of_users);
        let little = Privileges::SELECT | Privileges::CREATE_USER;
        for version in [WITH_ROLES, WITH_TLS] {
            let mut bytes = b"WACC".to_vec();
            bytes.push(version);
            bytes.extend(2u32.to_le_bytes());
            for (user, held) in [("app", old), ("few", little)] {
                bytes.extend(b"\x03\0\0\0");
                bytes.extend(user.as_bytes());
                bytes.extend(b"\x01\0\0\0%\x01\0\0\0\0\0");
                bytes.extend(held.bits().to_le_bytes());
                // No databases, tables, routines; one role; no default roles.
                bytes.extend([0; 12]);
                bytes.extend(b"\x01\0\0\0\x01\0\0\0r\x01\0\0\0%\0");
                bytes.extend([0; 4]);
                if version >= WITH_TLS {
                    bytes.push(0);
                }
            }
            let role = GrantedRole { role: AccountName::new("r", "%"), admin: false };
            let named = |user: &str, global| Account {
                global,
                roles: vec![role.clone()],
                ..Account::new(&AccountName::new(user, "%"))
            };
            let read =
                vec![named("app", Privileges::all_global()), named("few", little | of_users)];
            assert_eq!(decode(&bytes), Some(read), "version {version}");
        }
    }

    proptest! {
        #[test]
        fn garbage_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            decode(&bytes);
            for version in [1, 2, 3, 4, 5, 6, 7] {
                let mut framed = b"WACC".to_vec();
                framed.push(version);
                framed.extend(&bytes);
                decode(&framed);
            }
        }
    }
}
