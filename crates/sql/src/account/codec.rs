//! Accounts to bytes and back: the form in which the engine keeps them.
//!
//! `WACC`, version u8, count u32, then each account; strings are u32 length and bytes, all
//! numbers little-endian. The engine's pages carry the checksum.
//!
//! Version 2 has rights on single tables behind those on databases. It is written where there are any, so that servers
//! that know version 1 alone read what they can hold.

use super::{Account, AuthPlugin, Privileges, TableRights};
use std::sync::Arc;

const MAGIC: &[u8; 4] = b"WACC";
const VERSION: u8 = 1;
const WITH_TABLES: u8 = 2;

pub(super) fn encode(accounts: &[std::sync::Arc<Account>]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    let with_tables = accounts.iter().any(|a| !a.tables.is_empty());
    out.push(if with_tables { WITH_TABLES } else { VERSION });
    put_u32(&mut out, accounts.len());
    for account in accounts {
        put_str(&mut out, &account.user);
        put_str(&mut out, &account.host);
        out.push(account.plugin as u8);
        put_str(&mut out, &account.credential);
        out.push(u8::from(account.locked));
        out.extend_from_slice(&account.global.bits().to_le_bytes());
        put_u32(&mut out, account.databases.len());
        for (name, privileges) in &account.databases {
            put_str(&mut out, name);
            out.extend_from_slice(&privileges.bits().to_le_bytes());
        }
        if with_tables {
            put_u32(&mut out, account.tables.len());
            for t in account.tables.iter() {
                put_str(&mut out, &t.schema);
                put_str(&mut out, &t.table);
                out.extend_from_slice(&t.held.bits().to_le_bytes());
            }
        }
    }
    out
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
    let with_tables = match input.u8()? {
        VERSION => false,
        WITH_TABLES => true,
        _ => return None,
    };
    let count = input.u32()?;
    let mut accounts = Vec::new();
    for _ in 0..count {
        accounts.push(input.account(with_tables)?);
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

    fn account(&mut self, with_tables: bool) -> Option<Account> {
        let (user, host) = (self.str()?, self.str()?);
        let plugin = match self.u8()? {
            0 => AuthPlugin::Native,
            1 => AuthPlugin::CachingSha2,
            _ => return None,
        };
        let credential = self.str()?;
        let locked = self.u8()? != 0;
        let global = self.privileges()?;
        let mut databases = Vec::new();
        for _ in 0..self.u32()? {
            databases.push((self.str()?, self.privileges()?));
        }
        let mut tables = Vec::new();
        if with_tables {
            for _ in 0..self.u32()? {
                let (schema, table) = (self.str()?, self.str()?);
                tables.push(TableRights { schema, table, held: self.privileges()? });
            }
        }
        let tables = Arc::new(tables);
        Some(Account { user, host, plugin, credential, locked, global, databases, tables })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::Arc;

    #[test]
    fn round_trip() {
        let account = Account {
            user: "app".into(),
            host: "10.%".into(),
            plugin: AuthPlugin::Native,
            credential: "*0123".into(),
            locked: true,
            global: Privileges::PROCESS,
            databases: vec![("shop\\_eu".into(), Privileges::SELECT | Privileges::GRANT_OPTION)],
            tables: Arc::default(),
        };
        let held = Privileges::INSERT;
        let one = TableRights { schema: "shop".into(), table: "orders".into(), held };
        let finer = Account { tables: Arc::new(vec![one]), ..account.clone() };
        for (version, list) in [(1, vec![account.clone()]), (2, vec![account, finer])] {
            let shared: Vec<_> = list.iter().cloned().map(Arc::new).collect();
            let bytes = encode(&shared);
            assert_eq!(bytes[4], version);
            assert_eq!(decode(&bytes[..bytes.len() - 1]), None);
            assert_eq!(decode(&bytes), Some(list));
        }
    }

    proptest! {
        #[test]
        fn garbage_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            decode(&bytes);
            for version in [1, 2] {
                let mut framed = b"WACC".to_vec();
                framed.push(version);
                framed.extend(&bytes);
                decode(&framed);
            }
        }
    }
}
