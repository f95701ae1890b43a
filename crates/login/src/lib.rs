//! The client's side of a MySQL login: packets in, packets out.
//!
//! [`Login`] is the dialogue, [`proof`] computes what a client sends instead of its password, and [`key`] seals a password with a server's
//! RSA key. The replica, the bench and the tools that compare servers log in through this crate. There is no I/O here: the caller moves
//! the packets, answers error packets itself, and begins TLS where it wants it.
//!
//! Invariant: a password leaves as it is only over a channel that the caller has declared private ([`Protection::Private`]).
//!
//! Source: MySQL 8.0 "Connection Phase" and "Caching_sha2_password information" in the MySQL internals documentation.
#![forbid(unsafe_code)]

mod error;
pub mod key;
pub mod proof;
#[cfg(test)]
mod tests;

pub use error::{Error, Result};

use weir_wire::auth::{CACHING_SHA2, FAST_AUTH_OK, FULL_AUTH, NATIVE, REQUEST_PUBLIC_KEY, unmask};
use weir_wire::handshake::{self, decode_greeting, encode_login};
use weir_wire::{Capabilities, Reader};

/// What every client here can. A caller adds what it can besides.
pub const BASIC: Capabilities = Capabilities(
    Capabilities::LONG_PASSWORD.0
        | Capabilities::LONG_FLAG.0
        | Capabilities::PROTOCOL_41.0
        | Capabilities::TRANSACTIONS.0
        | Capabilities::SECURE_CONNECTION.0
        | Capabilities::PLUGIN_AUTH.0,
);

/// Longest packet in bytes that the client announces.
const MAX_SENT: u32 = 1 << 30;
/// utf8mb4_general_ci: MySQL and MariaDB both know it.
const COLLATION: u16 = 45;

/// How a password reaches a server that does not know it by its hash yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Nobody can listen: TLS or a Unix socket. The password is sent as it is.
    Private,
    /// The channel is in clear: the password is sealed with the server's RSA key.
    Sealed {
        /// The key in PEM, if the client has it.
        key: Option<Vec<u8>>,
        /// The client takes a key from the channel, and with it the risk that somebody in the middle sends another one.
        asks: bool,
    },
}

/// Who logs in.
#[derive(Clone, Debug)]
pub struct Account<'a> {
    pub user: &'a str,
    pub password: &'a str,
    /// The default database; empty: none.
    pub database: &'a str,
}

/// What the client does after a packet of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// It sends this payload as the next packet of the dialogue, and reads the answer.
    Send(Vec<u8>),
    /// It reads the next packet.
    Receive,
    /// It has logged in.
    Done,
}

/// One login, from the greeting to OK.
#[derive(Debug)]
pub struct Login<'a> {
    account: Account<'a>,
    protection: Protection,
    capabilities: Capabilities,
    method: &'static str,
    salt: Vec<u8>,
    awaits_key: bool,
}

impl<'a> Login<'a> {
    /// `wanted`: what the client can, [`BASIC`] and more. With [`Capabilities::SSL`] among it a server without TLS is an error.
    pub fn new(
        greeting: &[u8],
        account: Account<'a>,
        wanted: Capabilities,
        protection: Protection,
    ) -> Result<Login<'a>> {
        let (_, salt, offered, method) = decode_greeting(greeting)?;
        if wanted.has(Capabilities::SSL) && !offered.has(Capabilities::SSL) {
            return Err(Error::NoTls);
        }
        let database =
            if account.database.is_empty() { 0 } else { Capabilities::CONNECT_WITH_DB.0 };
        // A server whose default is a method that is unknown here asks for the account's own one afterwards.
        let method = if method == CACHING_SHA2.as_bytes() { CACHING_SHA2 } else { NATIVE };
        let capabilities = Capabilities(wanted.0 & offered.0 | database);
        let salt = salt.to_vec();
        Ok(Login { account, protection, capabilities, method, salt, awaits_key: false })
    }

    /// What client and server both can.
    pub fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// The packet that asks for TLS: the first half of a login. It is sent in clear, and all that follows it under TLS.
    pub fn tls_request(&self) -> Vec<u8> {
        let mut out = self.capabilities.0.to_le_bytes().to_vec();
        out.extend_from_slice(&MAX_SENT.to_le_bytes());
        out.push(COLLATION as u8);
        out.extend_from_slice(&[0; 23]);
        out
    }

    /// The answer to the greeting.
    pub fn response(&self) -> Result<Vec<u8>> {
        let proof = proof::of(self.method, self.account.password, &self.salt)?;
        let login = handshake::Login {
            capabilities: self.capabilities,
            max_packet: MAX_SENT,
            collation: COLLATION,
            user: self.account.user.as_bytes(),
            auth_response: &proof,
            database: Some(self.account.database.as_bytes()).filter(|name| !name.is_empty()),
            auth_plugin: Some(self.method.as_bytes()),
            ..handshake::Login::default()
        };
        let mut out = Vec::new();
        encode_login(&login, &mut out);
        Ok(out)
    }

    /// Takes a packet of the server that is no error packet.
    pub fn receive(&mut self, packet: &[u8]) -> Result<Step> {
        if std::mem::take(&mut self.awaits_key) {
            let [1, key @ ..] = packet else { return Err(Error::NoKey) };
            return self.seal(key).map(Step::Send);
        }
        match packet {
            [0, ..] => Ok(Step::Done),
            [0xFE, rest @ ..] => {
                let mut r = Reader::new(rest);
                let method = String::from_utf8_lossy(r.nul_str()?);
                let salt = r.rest();
                self.salt = salt.strip_suffix(&[0]).unwrap_or(salt).to_vec();
                Ok(Step::Send(proof::of(&method, self.account.password, &self.salt)?))
            }
            [1, FAST_AUTH_OK] => Ok(Step::Receive),
            [1, FULL_AUTH] => self.password().map(Step::Send),
            _ => Err(Error::UnknownDialogue),
        }
    }

    /// The password itself, or the question for the key that it will be sealed with.
    fn password(&mut self) -> Result<Vec<u8>> {
        match &self.protection {
            Protection::Private => Ok(self.clear()),
            Protection::Sealed { key: Some(key), .. } => self.seal(key),
            Protection::Sealed { asks: true, .. } => {
                self.awaits_key = true;
                Ok(vec![REQUEST_PUBLIC_KEY])
            }
            Protection::Sealed { .. } => Err(Error::Unprotected),
        }
    }

    fn clear(&self) -> Vec<u8> {
        let mut text = self.account.password.as_bytes().to_vec();
        text.push(0);
        text
    }

    fn seal(&self, pem: &[u8]) -> Result<Vec<u8>> {
        let mut text = self.clear();
        unmask(&mut text, &self.salt);
        key::seal(pem, &text)
    }
}
