//! Logins of the page: an account proves its password once and gets a cookie, which stands for it until it is idle for an hour.
//!
//! Cookies are 256 random bits that only browsers know: what is kept here is their digest. They end with the server, with a new password,
//! with a lock, and are good from the address alone that they were given to.

use crate::crypto;
use crate::listener::Server;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use weir_sql::account::Account;

/// The cookie's name.
pub const COOKIE: &str = "weir";
/// Without a request for so long, a login ends.
const IDLE: Duration = Duration::from_secs(3600);
/// However busy it is, it ends after so long.
const LONGEST: Duration = Duration::from_secs(12 * 3600);
/// Logins at a time; the one that was idle longest makes room.
const SESSIONS: usize = 256;
/// Bytes of a cookie.
const TOKEN: usize = 32;

struct Session {
    user: String,
    host: String,
    /// As it was at the login: another one ends the session.
    credential: String,
    from: IpAddr,
    begun: Instant,
    used: Instant,
}

#[derive(Default)]
pub struct Sessions(Mutex<HashMap<[u8; 32], Session>>);

impl Sessions {
    fn all(&self) -> MutexGuard<'_, HashMap<[u8; 32], Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A login that has proved its password: its cookie.
    pub fn begin(&self, server: &Server, account: &Account, from: IpAddr) -> Option<String> {
        let mut token = [0; TOKEN];
        server.rt.fill_random(&mut token).ok()?;
        let token = crate::backup::hex(&token);
        let now = Instant::now();
        let mut all = self.all();
        all.retain(|_, s| s.is_alive(now));
        if all.len() >= SESSIONS {
            let oldest = all.iter().min_by_key(|(_, s)| s.used).map(|(key, _)| *key);
            oldest.and_then(|key| all.remove(&key));
        }
        let session = Session {
            user: account.user.clone(),
            host: account.host.clone(),
            credential: account.credential.clone(),
            from,
            begun: now,
            used: now,
        };
        all.insert(crypto::sha256(&[token.as_bytes()]), session);
        Some(token)
    }

    /// The account that a cookie stands for.
    pub fn account(&self, server: &Server, token: &str, from: IpAddr) -> Option<Arc<Account>> {
        let key = crypto::sha256(&[token.as_bytes()]);
        let now = Instant::now();
        let mut all = self.all();
        let session = all.get_mut(&key).filter(|s| s.from == from && s.is_alive(now))?;
        let account = server.inst.accounts.get(&session.user, &session.host);
        let account = account.filter(|a| !a.locked && a.credential == session.credential);
        match account {
            Some(_) => session.used = now,
            None => _ = all.remove(&key),
        }
        account
    }

    /// The holder of the cookie logs out.
    pub fn end(&self, token: &str) {
        self.all().remove(&crypto::sha256(&[token.as_bytes()]));
    }
}

impl Session {
    fn is_alive(&self, now: Instant) -> bool {
        now.duration_since(self.used) < IDLE && now.duration_since(self.begun) < LONGEST
    }
}

/// The header that gives a cookie to a browser: no script reads it, no other site's page sends it, and where there is TLS nothing else does.
pub fn set_cookie(token: &str, encrypted: bool) -> String {
    let secure = if encrypted { "; Secure" } else { "" };
    format!(
        "{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{secure}",
        LONGEST.as_secs()
    )
}

/// The header that takes it away.
pub fn clear_cookie() -> String {
    format!("{COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
}

/// The token in a Cookie header. One that stands twice is nobody's.
pub fn token_of(header: &str) -> Option<&str> {
    let mut found =
        header.split(';').filter_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='));
    let token = found.next().filter(|_| found.next().is_none())?;
    (token.len() == 2 * TOKEN).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_read_and_written() {
        let token = "a".repeat(64);
        assert_eq!(token_of(&format!("x=1; weir={token}; y=2")), Some(token.as_str()));
        assert_eq!(token_of(&format!("weir={token}; weir={token}")), None);
        for bad in ["", "weir", "weir=", "weir=short", "weird=x", &format!("xweir={token}")] {
            assert_eq!(token_of(bad), None, "{bad}");
        }
        assert!(
            set_cookie(&token, true).ends_with("; Secure")
                && !set_cookie(&token, false).contains("Secure")
        );
        for word in ["HttpOnly", "SameSite=Strict", "Path=/"] {
            assert!(set_cookie(&token, false).contains(word) && clear_cookie().contains(word));
        }
    }

    #[test]
    fn sessions_end_by_themselves() {
        let at = Instant::now();
        let session = |begun, used| Session {
            user: String::new(),
            host: String::new(),
            credential: String::new(),
            from: IpAddr::from([127, 0, 0, 1]),
            begun,
            used,
        };
        let later = |hours: u64| at + Duration::from_secs(3600 * hours);
        assert!(session(at, at).is_alive(at) && !session(at, at).is_alive(later(1)));
        assert!(
            session(at, later(11)).is_alive(later(11))
                && !session(at, later(12)).is_alive(later(12))
        );
    }
}
