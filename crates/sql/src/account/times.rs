//! When the passwords of accounts were set: a list of its own, beside the accounts.
//!
//! Every password has such a time. Were it with the accounts, no older server could read them any more, for the sake of something
//! that it would not miss. `WTIM`, then for each account: user, host, credential (u32 length and bytes each), seconds since 1970
//! (u64, little-endian).
//!
//! Invariant: a time counts only for the credential that it was written with. A server that knows nothing of the list may have
//! changed the password since, and a crash may come between the two lists.

use super::Account;
use std::sync::Arc;

const MAGIC: &[u8; 4] = b"WTIM";

pub(super) fn encode(accounts: &[Arc<Account>]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    for account in accounts {
        let Some(at) = account.changed else { continue };
        for text in [&account.user, &account.host, &account.credential] {
            let len = u32::try_from(text.len()).expect("texts of accounts are far below 4 GiB");
            out.extend_from_slice(&len.to_le_bytes());
            out.extend_from_slice(text.as_bytes());
        }
        out.extend_from_slice(&at.to_le_bytes());
    }
    out
}

/// Gives accounts their times. What cannot be read is not known.
pub(super) fn remember(accounts: &mut [Account], bytes: &[u8]) {
    let Some(mut rest) = bytes.strip_prefix(MAGIC) else { return };
    while let Some((user, host, credential, at)) = entry(&mut rest) {
        let same = |a: &&mut Account| {
            a.user.as_bytes() == user
                && a.host.as_bytes() == host
                && a.credential.as_bytes() == credential
        };
        if let Some(account) = accounts.iter_mut().find(same) {
            account.changed = Some(at);
        }
    }
}

fn take<'a>(rest: &mut &'a [u8], n: usize) -> Option<&'a [u8]> {
    let (head, tail) = rest.split_at_checked(n)?;
    *rest = tail;
    Some(head)
}

fn text<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = u32::from_le_bytes(take(rest, 4)?.try_into().ok()?);
    take(rest, len as usize)
}

type Entry<'a> = (&'a [u8], &'a [u8], &'a [u8], u64);

fn entry<'a>(rest: &mut &'a [u8]) -> Option<Entry<'a>> {
    let (user, host, credential) = (text(rest)?, text(rest)?, text(rest)?);
    Some((user, host, credential, u64::from_le_bytes(take(rest, 8)?.try_into().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::super::AccountName;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_time_is_that_of_its_credential() {
        let named = |user: &str, credential: &str, changed| Account {
            credential: credential.into(),
            changed,
            ..Account::new(&AccountName::new(user, "%"))
        };
        let list = [named("a", "x", Some(5)), named("b", "", None), named("c", "y", Some(7))];
        let bytes = encode(&list.map(Arc::new));
        let mut read = [named("c", "y", None), named("a", "other", None), named("b", "", None)];
        remember(&mut read, &bytes);
        assert_eq!(read.map(|a| a.changed), [Some(7), None, None]);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let mut account = [Account::new(&AccountName::new("a", "%"))];
            remember(&mut account, &bytes);
            let mut framed = MAGIC.to_vec();
            framed.extend(&bytes);
            remember(&mut account, &framed);
        }
    }
}
