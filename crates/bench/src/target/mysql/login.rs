//! The login: proofs of mysql_native_password and caching_sha2_password, with the RSA key of the latter's full path.

use super::{Client, Stream, malformed};
use crate::error::{Error, Result};
use crate::target::Url;
use aws_lc_rs::rsa::{OAEP_SHA1_MGF1SHA1, OaepPublicEncryptingKey, PublicEncryptingKey};
use weir_server::crypto::{native_response, sha2_response};
use weir_wire::auth::{CACHING_SHA2, FAST_AUTH_OK, FULL_AUTH, NATIVE, REQUEST_PUBLIC_KEY, unmask};
use weir_wire::handshake::{Login, decode_greeting, encode_login};
use weir_wire::{Capabilities, Reader};

/// What this client can.
const WANTED: u32 = Capabilities::LONG_PASSWORD.0
    | Capabilities::LONG_FLAG.0
    | Capabilities::PROTOCOL_41.0
    | Capabilities::TRANSACTIONS.0
    | Capabilities::SECURE_CONNECTION.0
    | Capabilities::PLUGIN_AUTH.0
    | Capabilities::DEPRECATE_EOF.0;

impl Client {
    pub(super) fn log_in(&mut self, url: &Url, schema: &str) -> Result<()> {
        let (_, salt, offered, plugin) = decode_greeting(self.packet()?).map_err(malformed)?;
        let schema_cap = if schema.is_empty() { 0 } else { Capabilities::CONNECT_WITH_DB.0 };
        self.caps = Capabilities(WANTED & offered.0 | schema_cap);
        let plugin = match plugin.as_slice() {
            p if p == CACHING_SHA2.as_bytes() => CACHING_SHA2,
            _ => NATIVE,
        };
        let proof = proof(plugin, &url.password, &salt)?;
        let login = Login {
            capabilities: self.caps,
            max_packet: 1 << 30,
            // utf8mb4_general_ci: both families know it.
            collation: 45,
            user: url.user.as_bytes(),
            auth_response: &proof,
            database: (!schema.is_empty()).then_some(schema.as_bytes()),
            auth_plugin: Some(plugin.as_bytes()),
            attributes: Vec::new(),
        };
        self.writer.set_sequence(self.framer.sequence());
        encode_login(&login, self.writer.begin());
        self.writer.end();
        self.flush()?;
        self.prove(url, salt.to_vec())
    }

    /// The dialogue about the password, until OK or error.
    fn prove(&mut self, url: &Url, mut salt: Vec<u8>) -> Result<()> {
        loop {
            let packet = self.packet()?.to_vec();
            match packet.as_slice() {
                [0, ..] => return Ok(()),
                [0xFE, rest @ ..] => {
                    let mut r = Reader::new(rest);
                    let plugin = String::from_utf8_lossy(r.nul_str().map_err(malformed)?);
                    salt = r.rest().strip_suffix(&[0]).unwrap_or_default().to_vec();
                    let proof = proof(&plugin, &url.password, &salt)?;
                    self.reply(&proof)?;
                }
                [1, FAST_AUTH_OK] => {}
                [1, FULL_AUTH] => self.send_password(url, &salt)?,
                _ => {
                    return Err(Error::other(
                        "the server wants a login dialogue that is unknown here",
                    ));
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

    /// The password itself: in clear on a unix socket, sealed with the server's key elsewhere.
    fn send_password(&mut self, url: &Url, salt: &[u8]) -> Result<()> {
        let mut text = url.password.as_bytes().to_vec();
        text.push(0);
        if matches!(self.stream, Stream::Tcp(_)) {
            self.reply(&[REQUEST_PUBLIC_KEY])?;
            let key = self.packet()?.get(1..).unwrap_or_default().to_vec();
            unmask(&mut text, salt);
            text = seal(&key, &text)?;
        }
        self.reply(&text)
    }
}

fn proof(plugin: &str, password: &str, salt: &[u8]) -> Result<Vec<u8>> {
    match plugin {
        NATIVE => Ok(native_response(password.as_bytes(), salt)),
        CACHING_SHA2 => Ok(sha2_response(password.as_bytes(), salt)),
        other => Err(Error::other(format!(
            "the account logs in with '{other}', which is unknown here; use an account with {NATIVE} or {CACHING_SHA2}"
        ))),
    }
}

/// RSA-OAEP with a key in PEM.
fn seal(pem: &[u8], text: &[u8]) -> Result<Vec<u8>> {
    let bad = || Error::other("the server's RSA key cannot be used");
    let der = decode_pem(pem).ok_or_else(bad)?;
    let key = PublicEncryptingKey::from_der(&der).map_err(|_| bad())?;
    let key = OaepPublicEncryptingKey::new(key).map_err(|_| bad())?;
    let mut out = vec![0; key.ciphertext_size()];
    let n = key.encrypt(&OAEP_SHA1_MGF1SHA1, text, &mut out, None).map_err(|_| bad())?.len();
    out.truncate(n);
    Ok(out)
}

fn decode_pem(pem: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(pem).ok()?;
    let (mut out, mut bits, mut count) = (Vec::new(), 0u32, 0u32);
    let body = text.lines().filter(|l| !l.starts_with('-')).flat_map(str::bytes);
    for c in body.filter(|c| *c != b'=' && !c.is_ascii_whitespace()) {
        let digit = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pem() {
        let pem = b"-----BEGIN PUBLIC KEY-----\naGVsbG8g\nd29ybGQ=\n-----END PUBLIC KEY-----\n";
        assert_eq!(decode_pem(pem).unwrap(), b"hello world");
        assert_eq!(decode_pem(b"*"), None);
        assert!(seal(b"aGVsbG8=", b"x").is_err());
    }

    #[test]
    fn unknown_methods_are_named() {
        let e = proof("client_ed25519", "x", b"salt").unwrap_err().to_string();
        assert!(e.contains("client_ed25519"), "{e}");
        assert!(proof(NATIVE, "", b"salt").unwrap().is_empty());
    }
}
