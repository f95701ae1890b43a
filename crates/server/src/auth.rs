//! Logins: the greeting, the proof of the password, COM_CHANGE_USER.

use crate::conn::{Conn, ReadError};
use crate::crypto::{self, FastHash, RsaKey};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use weir_boot::passwords::verify;
use weir_sql::account::attempts::Limits;
use weir_sql::account::host::Peer;
use weir_sql::account::{Account, AccountName, AuthPlugin};
use weir_sql::errno::{self, ER_USER_ACCESS_DENIED_FOR_USER_ACCOUNT_BLOCKED_BY_PASSWORD_LOCK};
use weir_sql::session::Instance;
use weir_sql::session_api::SqlError;
use weir_sql::status::Stat;
use weir_sql::tls::TlsSession;
use weir_sql::vars::Var;
use weir_wire::auth::{
    CACHING_SHA2, FAST_AUTH_OK, FULL_AUTH, NATIVE, REQUEST_PUBLIC_KEY, REQUEST_PUBLIC_KEY_SHA256,
    SHA256, put_more, put_switch, strip_nul, unmask,
};
use weir_wire::constants::SALT_LEN;
use weir_wire::handshake::Login;

/// What logins share: passwords proved once, and the key for those that are sent.
#[derive(Default)]
pub struct AuthState {
    cache: Mutex<HashMap<[u8; 32], FastHash>>,
    rsa: RsaKey,
}

impl AuthState {
    /// Has somebody proved the account's password to the cache?
    fn knows(&self, account: &Account) -> bool {
        let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        account.credentials().any(|c| cache.contains_key(&key_of(account, c)))
    }

    /// Whether this is a password of the account: by the cache, for a page asks once a second and 5000 rounds of SHA-256 are some
    /// milliseconds.
    fn proven_now(&self, account: &Account, password: &[u8]) -> bool {
        if account.plugin == AuthPlugin::Native {
            return account.credentials().any(|c| verify(account.plugin, c, password));
        }
        let fast = crypto::fast_hash(password);
        let known = {
            let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            let cached =
                account.credentials().filter_map(|c| cache.get(&key_of(account, c)).copied());
            cached.fold(false, |known, c| known | crypto::same(&c, &fast))
        };
        known || proven_by(account, password).inspect(|c| self.keep(account, c, fast)).is_some()
    }

    /// The credential's password is known from now on.
    fn keep(&self, account: &Account, credential: &str, fast: FastHash) {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.len() >= CACHE {
            cache.clear();
        }
        cache.insert(key_of(account, credential), fast);
    }
}

fn key_of(account: &Account, credential: &str) -> [u8; 32] {
    crypto::cache_key(&account.user, &account.host, credential)
}

/// The method that the greeting names. Every client knows it; an account with another one is asked to switch
/// to switch.
pub const GREETED: &str = NATIVE;

/// Entries of the cache; beyond, it begins again.
const CACHE: usize = 10_000;

/// Why there is no login.
pub enum Refused {
    /// To be told to the client.
    Sql(SqlError),
    Gone(ReadError),
}

impl From<ReadError> for Refused {
    fn from(e: ReadError) -> Refused {
        Refused::Gone(e)
    }
}

fn denied(user: &str, peer: Peer, password: bool) -> Refused {
    let using = if password { "YES" } else { "NO" };
    Refused::Sql(SqlError::of(errno::ER_ACCESS_DENIED_ERROR, &[&user, &peer.host(), &using]))
}

/// Proves the password of a login; gives the account. After failures the answer is held back, whatever it is.
pub fn check(
    conn: &mut Conn,
    state: &AuthState,
    inst: &Instance,
    login: &Login<'_>,
    salt: &[u8; SALT_LEN],
) -> Result<Arc<Account>, Refused> {
    let user = String::from_utf8_lossy(login.user);
    let peer = conn.peer;
    if !inst.accounts.attempts.may_try(&user, peer) {
        return Err(denied(&user, peer, !login.auth_response.is_empty()));
    }
    let verdict = prove(conn, state, inst, login, salt);
    if let Err(Refused::Gone(_)) = verdict {
        return verdict;
    }
    match inst.accounts.attempts.judged(&user, peer, verdict.is_ok(), limits(inst)) {
        Ok(None) => {}
        Ok(Some(held)) => {
            inst.status.inc(Stat::Connection_control_delay_generated);
            conn.hold_back(held.delay)?;
        }
        Err(_crowded) => return Err(denied(&user, peer, !login.auth_response.is_empty())),
    }
    verdict
}

/// How long an answer to a request of HTTP is held back at most. It has one of few threads, and `HELD_BACK` bounds those that a guesser
/// keeps in any case.
const HELD_AT_MOST: Duration = Duration::from_secs(5);

/// Proves a password that was sent as it is, over HTTP and TLS; gives the account. What is asked of a login is asked here: failures before it,
/// blocks, REQUIRE, a lock. An account without a password is not let in, for a request would need no secret.
pub fn check_sent(
    state: &AuthState,
    inst: &Instance,
    user: &str,
    password: &[u8],
    peer: Peer,
    tls: Option<&TlsSession>,
) -> Option<Arc<Account>> {
    if !inst.accounts.attempts.may_try(user, peer) {
        return None;
    }
    let account = inst.accounts.find_for_login(user, peer);
    let proved = match &account {
        Some(account) => {
            let proved = !account.credential.is_empty() && state.proven_now(account, password);
            inst.accounts.blocks.judged(account, proved, today(inst)).is_none() && proved
        }
        // An unknown name takes as long as a wrong password.
        None => proven_by(&decoy(user), password).is_some(),
    };
    match inst.accounts.attempts.judged(user, peer, proved, limits(inst)) {
        Ok(None) => {}
        Ok(Some(held)) => {
            inst.status.inc(Stat::Connection_control_delay_generated);
            std::thread::sleep(held.delay.min(HELD_AT_MOST));
        }
        Err(_crowded) => return None,
    }
    account.filter(|a| proved && !a.locked && a.require.is_met_by(tls))
}

/// What the options say of failures in a row.
fn limits(inst: &Instance) -> Limits {
    Limits {
        threshold: inst.vars.u64(Var::connection_control_failed_connections_threshold),
        min_delay: inst.vars.u64(Var::connection_control_min_connection_delay),
        max_delay: inst.vars.u64(Var::connection_control_max_connection_delay),
    }
}

fn prove(
    conn: &mut Conn,
    state: &AuthState,
    inst: &Instance,
    login: &Login<'_>,
    salt: &[u8; SALT_LEN],
) -> Result<Arc<Account>, Refused> {
    let user = String::from_utf8_lossy(login.user).into_owned();
    let peer = conn.peer;
    let mut response = login.auth_response.to_vec();
    let account = inst.accounts.find_for_login(&user, peer);
    // An unknown name costs a client the same dialogue as a wrong password.
    let plugin = account.as_ref().map_or(AuthPlugin::CachingSha2, |a| a.plugin);
    let wanted = match plugin {
        AuthPlugin::Native => NATIVE,
        AuthPlugin::CachingSha2 => CACHING_SHA2,
        AuthPlugin::Sha256 => SHA256,
    };
    let came = login.auth_plugin.map_or(NATIVE.as_bytes(), |p| p);
    let empty = account.as_ref().is_some_and(|a| a.credential.is_empty());
    // A client whose own method is not the greeting's holds its answer back.
    let withheld = response.is_empty() && wanted != GREETED;
    // A change of the user begins without an answer, whether there is a password or not: only the answer to the question tells.
    let unasked = login.auth_plugin == Some(b"");
    if (came != wanted.as_bytes() || withheld) && !(empty && response.is_empty() && !unasked) {
        if login.auth_plugin.is_none() && plugin != AuthPlugin::Native && !empty {
            return Err(denied(&user, peer, !response.is_empty()));
        }
        // The challenge stays, as in MySQL: some clients look at the greeting's alone when they change the user.
        conn.out.packet(|buf| put_switch(buf, wanted, salt));
        conn.send()?;
        response = conn.read_packet()?;
        if response == [0] {
            response.clear();
        }
    }
    let given = !response.is_empty();
    let Some(account) = account else {
        if given {
            sha2(conn, state, &decoy(&user), &response, salt)?;
        }
        return Err(denied(&user, peer, given));
    };
    // Anyone who is asked for the password itself, though others have proved it since, learns by that alone that his guess was wrong.
    let guessed = given && account.plugin == AuthPlugin::CachingSha2 && state.knows(&account);
    let proved = match proves(conn, state, &account, response, salt) {
        Ok(proved) => proved,
        Err(gone) => {
            if guessed {
                inst.accounts.blocks.judged(&account, false, today(inst));
            }
            return Err(Refused::Gone(gone));
        }
    };
    if let Some(blocked) = inst.accounts.blocks.judged(&account, proved, today(inst)) {
        let text = format!("Access denied for user '{user}'@'{}'. {}", peer.host(), blocked.text());
        return Err(Refused::Sql(SqlError::new(
            ER_USER_ACCESS_DENIED_FOR_USER_ACCOUNT_BLOCKED_BY_PASSWORD_LOCK,
            text,
        )));
    }
    if !proved {
        return Err(denied(&user, peer, given));
    }
    may_come(conn, inst, &account, &user, given)?;
    Ok(account)
}

/// By the account's own method.
fn proves(
    conn: &mut Conn,
    state: &AuthState,
    account: &Account,
    response: Vec<u8>,
    salt: &[u8; SALT_LEN],
) -> Result<bool, ReadError> {
    let given = !response.is_empty();
    if account.credential.is_empty() {
        return Ok(!given);
    }
    match account.plugin {
        AuthPlugin::Native => {
            Ok(account.credentials().any(|c| crypto::check_native(c, &response, salt)))
        }
        AuthPlugin::CachingSha2 => Ok(given && sha2(conn, state, account, &response, salt)?),
        AuthPlugin::Sha256 => Ok(given && sha256(conn, state, account, response, salt)?),
    }
}

/// Days since 1970.
fn today(inst: &Instance) -> u64 {
    inst.db.rt().wall_micros() / 86_400_000_000
}

/// What is asked beside the password, and told to nobody who does not know that.
fn may_come(
    conn: &Conn,
    inst: &Instance,
    account: &Account,
    user: &str,
    given: bool,
) -> Result<(), Refused> {
    let peer = conn.peer;
    // In MySQL's order: anyone who does not know the password learns nothing of the rest.
    if !account.require.is_met_by(conn.tls.as_deref()) {
        return Err(denied(user, peer, given));
    }
    if account.locked {
        let text = format!("Access denied for user '{user}'@'{}'. Account is locked.", peer.host());
        return Err(Refused::Sql(SqlError::new(errno::ER_ACCOUNT_HAS_BEEN_LOCKED, text)));
    }
    if !conn.transport.is_secure() && inst.vars.bool(Var::require_secure_transport) {
        return Err(Refused::Sql(SqlError::of(errno::ER_SECURE_TRANSPORT_REQUIRED, &[])));
    }
    Ok(())
}

/// An account that nobody has: with a hash, so that the check takes as long as for others.
fn decoy(user: &str) -> Account {
    Account {
        credential: format!("$A$005${}{}", "x".repeat(SALT_LEN), ".".repeat(43)),
        locked: true,
        ..Account::new(&AccountName::new(user, ""))
    }
}

/// A password under RSA, for which the client asks for the key unless it has it. `None`: what came is not one.
fn sealed_password(
    conn: &mut Conn,
    state: &AuthState,
    mut packet: Vec<u8>,
    asked: bool,
    salt: &[u8],
) -> Result<Option<Vec<u8>>, ReadError> {
    if asked {
        let Some(pem) = state.rsa.public_pem() else { return Ok(None) };
        conn.out.packet(|buf| put_more(buf, pem.as_bytes()));
        conn.send()?;
        packet = conn.read_packet()?;
    }
    let Some(mut plain) = state.rsa.decrypt(&packet) else { return Ok(None) };
    unmask(&mut plain, salt);
    Ok(Some(strip_nul(&plain).to_vec()))
}

/// sha256_password: the password itself, each time.
fn sha256(
    conn: &mut Conn,
    state: &AuthState,
    account: &Account,
    response: Vec<u8>,
    salt: &[u8],
) -> Result<bool, ReadError> {
    // A client asks for the key over a unix socket too, which it does not hold to be secure; others send the password there.
    let asked = response == [REQUEST_PUBLIC_KEY_SHA256] && conn.tls.is_none();
    let password = if asked || !conn.transport.is_secure() {
        sealed_password(conn, state, response, asked, salt)?
    } else {
        Some(strip_nul(&response).to_vec())
    };
    Ok(password.is_some_and(|p| proven_by(account, &p).is_some()))
}

/// The credential that the password proves.
fn proven_by<'a>(account: &'a Account, password: &[u8]) -> Option<&'a str> {
    account.credentials().find(|c| crypto::verify_sha2(c, password))
}

/// caching_sha2_password: by the cache, or with the password itself over the socket or under RSA.
fn sha2(
    conn: &mut Conn,
    state: &AuthState,
    account: &Account,
    response: &[u8],
    salt: &[u8],
) -> Result<bool, ReadError> {
    let cached: Vec<FastHash> = {
        let cache = state.cache.lock().unwrap_or_else(PoisonError::into_inner);
        account.credentials().filter_map(|c| cache.get(&key_of(account, c)).copied()).collect()
    };
    if cached.iter().any(|c| crypto::check_fast(c, response, salt)) {
        conn.out.packet(|buf| put_more(buf, &[FAST_AUTH_OK]));
        return Ok(true);
    }
    conn.out.packet(|buf| put_more(buf, &[FULL_AUTH]));
    conn.send()?;
    let packet = conn.read_packet()?;
    let password = if conn.transport.is_secure() {
        strip_nul(&packet).to_vec()
    } else {
        let asked = packet == [REQUEST_PUBLIC_KEY];
        let Some(password) = sealed_password(conn, state, packet, asked, salt)? else {
            return Ok(false);
        };
        password
    };
    let Some(credential) = proven_by(account, &password) else { return Ok(false) };
    state.keep(account, credential, crypto::fast_hash(&password));
    Ok(true)
}
