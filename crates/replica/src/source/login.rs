//! The login: capabilities, TLS, and the dialogue about the password.

use super::{Result, Source, SourceError, Stream, Target, encrypted, secret};
use weir_wire::auth::{CACHING_SHA2, FAST_AUTH_OK, FULL_AUTH, NATIVE, REQUEST_PUBLIC_KEY, unmask};
use weir_wire::handshake::{Login, decode_greeting, encode_login};
use weir_wire::{Capabilities, Reader};

/// What this client can. Without DEPRECATE_EOF results end as those of all versions.
const WANTED: u32 = Capabilities::LONG_PASSWORD.0
    | Capabilities::LONG_FLAG.0
    | Capabilities::PROTOCOL_41.0
    | Capabilities::TRANSACTIONS.0
    | Capabilities::SECURE_CONNECTION.0
    | Capabilities::PLUGIN_AUTH.0;

const MAX_SENT: u32 = 1 << 30;
/// utf8mb4_general_ci: both families know it.
const COLLATION: u16 = 45;

impl Source {
    pub(super) fn log_in(&mut self, target: &Target) -> Result<()> {
        let (_, salt, offered, method) = decode_greeting(self.packet()?)?;
        let tls = if target.tls.on { Capabilities::SSL.0 } else { 0 };
        self.caps = Capabilities(WANTED & offered.0 | tls);
        if target.tls.on {
            if !offered.has(Capabilities::SSL) {
                let text =
                    "SSL connection error: SSL is required, but the server does not support it";
                return Err(SourceError::new(2026, text));
            }
            self.encrypt(target)?;
        }
        let method = match method.as_slice() {
            m if m == CACHING_SHA2.as_bytes() => CACHING_SHA2,
            _ => NATIVE,
        };
        let proof = secret::proof(method, &target.password, &salt)?;
        let login = Login {
            capabilities: self.caps,
            max_packet: MAX_SENT,
            collation: COLLATION,
            user: target.user.as_bytes(),
            auth_response: &proof,
            auth_plugin: Some(method.as_bytes()),
            ..Login::default()
        };
        if !target.tls.on {
            self.writer.set_sequence(self.framer.sequence());
        }
        encode_login(&login, self.writer.begin());
        self.writer.end();
        self.flush()?;
        self.prove(target, salt.to_vec())
    }

    /// Asks for TLS: the first half of a login, in clear.
    fn encrypt(&mut self, target: &Target) -> Result<()> {
        self.writer.set_sequence(self.framer.sequence());
        let out = self.writer.begin();
        out.extend_from_slice(&self.caps.0.to_le_bytes());
        out.extend_from_slice(&MAX_SENT.to_le_bytes());
        out.push(COLLATION as u8);
        out.extend_from_slice(&[0; 23]);
        self.writer.end();
        self.flush()?;
        self.stream = match self.stream.take() {
            Some(Stream::Plain(s)) => {
                Some(Stream::Encrypted(Box::new(encrypted::begin(s, target)?)))
            }
            other => other,
        };
        Ok(())
    }

    /// The dialogue about the password, until OK or error.
    fn prove(&mut self, target: &Target, mut salt: Vec<u8>) -> Result<()> {
        loop {
            let packet = self.packet()?.to_vec();
            match packet.as_slice() {
                [0, ..] => return Ok(()),
                [0xFE, rest @ ..] => {
                    let mut r = Reader::new(rest);
                    let method = String::from_utf8_lossy(r.nul_str()?).into_owned();
                    let rest = r.rest();
                    salt = rest.strip_suffix(&[0]).unwrap_or(rest).to_vec();
                    let proof = secret::proof(&method, &target.password, &salt)?;
                    self.reply(&proof)?;
                }
                [1, FAST_AUTH_OK] => {}
                [1, FULL_AUTH] => self.send_password(target, &salt)?,
                _ => {
                    let text = "The source wants a login dialogue that is unknown here";
                    return Err(SourceError::new(2059, text));
                }
            }
        }
    }

    fn reply(&mut self, payload: &[u8]) -> Result<()> {
        self.writer.set_sequence(self.framer.sequence());
        self.writer.begin().extend_from_slice(payload);
        self.writer.end();
        self.flush()
    }

    /// The password itself: as it is over TLS, sealed with the source's key in clear.
    fn send_password(&mut self, target: &Target, salt: &[u8]) -> Result<()> {
        let mut text = target.password.as_bytes().to_vec();
        text.push(0);
        if target.tls.on {
            return self.reply(&text);
        }
        let key = if !target.key_file.is_empty() {
            std::fs::read(&target.key_file).map_err(|_| secret::needs_protection())?
        } else if target.asks_key {
            self.reply(&[REQUEST_PUBLIC_KEY])?;
            let [1, key @ ..] = self.packet()? else { return Err(secret::needs_protection()) };
            key.to_vec()
        } else {
            return Err(secret::needs_protection());
        };
        unmask(&mut text, salt);
        let sealed = secret::seal(&key, &text)?;
        self.reply(&sealed)
    }
}
