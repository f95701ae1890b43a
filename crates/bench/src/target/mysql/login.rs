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
            zstd_level: None,
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
                    salt = r.rest().strip_suffix(&[0]).unwrap_or(r.rest()).to_vec();
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
            let [1, key @ ..] = self.packet()? else {
                return Err(Error::other("the server did not send its RSA key"));
            };
            unmask(&mut text, salt);
            text = seal(key, &text)?;
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
    if text.len() > key.max_plaintext_size(&OAEP_SHA1_MGF1SHA1) {
        return Err(Error::other(
            "the password is too long for the server's RSA key; use a unix socket",
        ));
    }
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

    /// Made by `openssl genpkey` and `openssl rsa -pubout`, as the key that MySQL sends.
    const PEM: &str = "-----BEGIN PUBLIC KEY-----\n\
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA6eF9T+uNczhexbafgUIc\n\
TsupXv/LKB/cyO0ect1A8lBFtV1Fnz8QY74U02pcEbCJy1DQt+yB5ziQtF+hSuu3\n\
mjtNWGOiK5/PZUPuR7OnZuyVBXWPuLkDpEsyhfLqAMdWzKEF7qEd+3puiwW3qfZ4\n\
Dms3pVdBrfS0xg2LojYjn/OlvPnWB4UIAUP8NVC+W3LhVuzft45FTzTiVwkS4nD9\n\
a3jKwzG4NnHnAFUq9H1hvx4WQfQGcjQQUShOdLgZBDOXnc1SKeyhCiaUIWYRQUju\n\
sqIZxSSVnBEgx2+Yf2hP8j4be5Q8CFDml29A2DajN5qXC1CvKe3dvZ9rcllxXXWV\n\
lQIDAQAB\n\
-----END PUBLIC KEY-----\n";

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }

    #[test]
    fn a_key_of_openssl() {
        let der = decode_pem(PEM.as_bytes()).unwrap();
        let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &der);
        assert_eq!(
            hex(digest.as_ref()),
            "a6d04c3574f4d82598fe55e3c47c274527cc2b4b36160e6d348a3500bfef538e"
        );
        assert_eq!(seal(PEM.as_bytes(), b"secret\0").unwrap().len(), 256);
        let e = seal(PEM.as_bytes(), &[b'x'; 215]).unwrap_err().to_string();
        assert!(e.contains("too long"), "{e}");
    }

    const SALT: &[u8; 20] =
        &[10, 47, 74, 111, 75, 73, 34, 48, 88, 76, 114, 74, 37, 13, 3, 80, 82, 23, 2, 21];

    /// XOR(SHA256(password), SHA256(SHA256(SHA256(password)), nonce)) and its SHA-1 sister, by Python's hashlib.
    #[test]
    fn proofs_are_the_documented_ones() {
        for (plugin, password, want) in [
            (
                CACHING_SHA2,
                "secret",
                "6fc17502c059de9ffc5d6d7b533d7618d047077209685ccc9a3cb930bc60f58f",
            ),
            (
                CACHING_SHA2,
                "secret2",
                "bc3f6dd9e9828d5a96ea3f67c1ad4bc8678d0e5b34bf8688a36fbc7dea9083aa",
            ),
            (NATIVE, "secret", "a2e3310bce8c6212279701b4c9d25cbc03b67931"),
            (CACHING_SHA2, "", ""),
            (NATIVE, "", ""),
        ] {
            assert_eq!(hex(&proof(plugin, password, SALT).unwrap()), want, "{plugin} {password}");
        }
    }

    /// A server as the protocol's documentation has it, byte by byte: greets, and then says what the script says. `Key` sends
    /// the RSA key and checks what comes back under it.
    enum Say {
        Bytes(Vec<u8>),
        Hear(Vec<u8>),
        Key,
    }

    fn read_packet(s: &mut std::net::TcpStream, sequence: &mut u8) -> Vec<u8> {
        use std::io::Read;
        let mut head = [0; 4];
        s.read_exact(&mut head).unwrap();
        assert_eq!(head[3], *sequence);
        *sequence += 1;
        let mut body = vec![0; u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize];
        s.read_exact(&mut body).unwrap();
        body
    }

    fn send_packet(s: &mut std::net::TcpStream, sequence: &mut u8, body: &[u8]) {
        use std::io::Write;
        let mut out = (body.len() as u32).to_le_bytes().to_vec();
        out[3] = *sequence;
        *sequence += 1;
        out.extend_from_slice(body);
        s.write_all(&out).unwrap();
    }

    fn greeting(plugin: &str) -> Vec<u8> {
        let mut g = b"\x0A8.0.36\0\x07\0\0\0".to_vec();
        g.extend_from_slice(&SALT[..8]);
        g.extend_from_slice(&[0, 0xFF, 0xF7, 0xFF, 2, 0, 0xFF, 0xDF, 21]);
        g.extend_from_slice(&[0; 10]);
        g.extend_from_slice(&SALT[8..]);
        g.push(0);
        g.extend_from_slice(plugin.as_bytes());
        g.push(0);
        g
    }

    /// Logs in with the password "secret"; what the client makes of the script's end.
    fn log_in_to(plugin: &'static str, script: Vec<Say>) -> Result<()> {
        use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
        use aws_lc_rs::rsa::{KeySize, OaepPrivateDecryptingKey, PrivateDecryptingKey};
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (mut s, _) = listener.accept().unwrap();
            let mut seq = 0;
            send_packet(&mut s, &mut seq, &greeting(plugin));
            let login = read_packet(&mut s, &mut seq);
            let proof = proof(plugin, "secret", SALT).unwrap_or_default();
            assert!(login.windows(proof.len().max(1)).any(|w| w == proof) || proof.is_empty());
            for say in script {
                match say {
                    Say::Bytes(b) => send_packet(&mut s, &mut seq, &b),
                    Say::Hear(b) => assert_eq!(read_packet(&mut s, &mut seq), b),
                    Say::Key => {
                        let key = PrivateDecryptingKey::generate(KeySize::Rsa2048).unwrap();
                        let public = key.public_key();
                        let der: PublicKeyX509Der<'_> = public.as_der().unwrap();
                        let mut answer = b"\x01".to_vec();
                        answer.extend_from_slice(encode_pem(der.as_ref()).as_bytes());
                        send_packet(&mut s, &mut seq, &answer);
                        let sealed = read_packet(&mut s, &mut seq);
                        let key = OaepPrivateDecryptingKey::new(key).unwrap();
                        let mut out = vec![0; key.min_output_size()];
                        let clear = key.decrypt(&OAEP_SHA1_MGF1SHA1, &sealed, &mut out, None);
                        let clear: Vec<u8> = clear
                            .unwrap()
                            .iter()
                            .zip(SALT.iter().cycle())
                            .map(|(a, b)| a ^ b)
                            .collect();
                        assert_eq!(clear, b"secret\0");
                    }
                }
            }
        });
        let url = Url::parse(&format!("mysql://u:secret@127.0.0.1:{port}")).unwrap();
        let done = Client::connect(&url, "", std::time::Duration::from_secs(10)).map(drop);
        server.join().unwrap();
        done
    }

    fn encode_pem(der: &[u8]) -> String {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut text = String::new();
        for c in der.chunks(3) {
            let n = c.iter().fold(0u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - c.len()));
            for i in 0..4 {
                let digit = DIGITS[(n >> (18 - 6 * i) & 63) as usize];
                text.push(if i <= c.len() { digit.into() } else { '=' });
            }
        }
        let lines: Vec<&str> =
            text.as_bytes().chunks(64).map(|l| std::str::from_utf8(l).unwrap()).collect();
        format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", lines.join("\n"))
    }

    fn ok() -> Say {
        Say::Bytes(b"\0\0\0\x02\0\0\0".to_vec())
    }

    #[test]
    fn the_dialogues_of_caching_sha2_password() {
        let fast = || Say::Bytes(vec![1, 3]);
        let full = || [Say::Bytes(vec![1, 4]), Say::Hear(vec![2]), Say::Key];
        log_in_to(CACHING_SHA2, vec![fast(), ok()]).unwrap();
        log_in_to(CACHING_SHA2, full().into_iter().chain([ok()]).collect()).unwrap();
        // A server whose default is another method asks for this one.
        let mut switch = b"\xFEcaching_sha2_password\0".to_vec();
        switch.extend_from_slice(SALT);
        switch.push(0);
        let again = || Say::Hear(proof(CACHING_SHA2, "secret", SALT).unwrap());
        log_in_to(NATIVE, vec![Say::Bytes(switch.clone()), again(), fast(), ok()]).unwrap();
        let list = [Say::Bytes(switch), again()].into_iter().chain(full()).chain([ok()]);
        log_in_to(NATIVE, list.collect()).unwrap();
        let denied = Say::Bytes(b"\xFF\x15\x04#28000Access denied".to_vec());
        let list = full().into_iter().chain([denied]);
        assert_eq!(log_in_to(CACHING_SHA2, list.collect()).unwrap_err().errno(), 1045);
        let list = [Say::Bytes(vec![1, 4]), Say::Hear(vec![2]), ok()];
        let e = log_in_to(CACHING_SHA2, list.into()).unwrap_err().to_string();
        assert!(e.contains("RSA key"), "{e}");
    }

    #[test]
    fn unknown_methods_are_named() {
        let e = proof("client_ed25519", "x", b"salt").unwrap_err().to_string();
        assert!(e.contains("client_ed25519"), "{e}");
        assert!(proof(NATIVE, "", b"salt").unwrap().is_empty());
    }
}
