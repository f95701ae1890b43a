//! Logins: checks of the proofs that MySQL's clients send (`weir_login` has the client's side), the RSA key that carries a password over a connection without TLS. Digests, random
//! numbers and RSA are aws-lc's. The hashes that accounts keep are made in `weir_boot::passwords`.

use aws_lc_rs::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY, SHA256, digest};
use aws_lc_rs::encoding::AsDer;
use aws_lc_rs::rand::{SecureRandom, SystemRandom};
use aws_lc_rs::rsa::{KeySize, OAEP_SHA1_MGF1SHA1, OaepPrivateDecryptingKey, PrivateDecryptingKey};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use weir_boot::passwords::{CRYPT64, decode_native};
pub use weir_boot::passwords::{Hasher, same, verify_sha2};
use weir_wire::constants::SALT_LEN;

fn sha1(parts: &[&[u8]]) -> [u8; 20] {
    let mut context = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
    parts.iter().for_each(|part| context.update(part));
    context.finish().as_ref().try_into().expect("SHA-1 has 20 bytes")
}

pub fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut context = Context::new(&SHA256);
    parts.iter().for_each(|part| context.update(part));
    context.finish().as_ref().try_into().expect("SHA-256 has 32 bytes")
}

fn random(bytes: &mut [u8]) {
    // Without randomness there is no safe login at all.
    SystemRandom::new().fill(bytes).expect("the system has random numbers");
}

/// A challenge: printable, so that no client trips over a zero or a `$`.
///
/// Made by one thread for all connections: the library keeps some 400 KiB of generator for every thread that asks it.
pub fn new_salt() -> [u8; SALT_LEN] {
    static SALTS: OnceLock<Mutex<Receiver<[u8; SALT_LEN]>>> = OnceLock::new();
    let ready = SALTS.get_or_init(|| {
        let (to, from) = sync_channel(32);
        let make = move || while to.send(fresh_salt()).is_ok() {};
        // Without the thread the channel is closed, and each caller makes its own.
        let _ = std::thread::Builder::new().name("weir-salt".into()).spawn(make);
        Mutex::new(from)
    });
    let made = ready.lock().unwrap_or_else(PoisonError::into_inner).recv();
    made.unwrap_or_else(|_| fresh_salt())
}

fn fresh_salt() -> [u8; SALT_LEN] {
    let mut salt = [0; SALT_LEN];
    random(&mut salt);
    salt.map(|byte| CRYPT64[usize::from(byte & 63)])
}

fn xor<const N: usize>(a: &[u8; N], b: &[u8; N]) -> [u8; N] {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// Does the answer prove the password behind `*HEX`?
pub fn check_native(credential: &str, response: &[u8], salt: &[u8]) -> bool {
    let Some(stored) = decode_native(credential) else { return false };
    let Ok(response) = <&[u8; 20]>::try_from(response) else { return false };
    let stage1 = xor(response, &sha1(&[salt, &stored]));
    same(&sha1(&[&stage1]), &stored)
}

/// What the fast path of caching_sha2_password keeps: SHA256(SHA256(password)).
pub type FastHash = [u8; 32];

pub fn fast_hash(password: &[u8]) -> FastHash {
    sha256(&[&sha256(&[password])])
}

/// Does the answer prove the password behind a cached hash?
pub fn check_fast(cached: &FastHash, response: &[u8], salt: &[u8]) -> bool {
    let Ok(response) = <&[u8; 32]>::try_from(response) else { return false };
    let stage1 = xor(response, &sha256(&[cached, salt]));
    same(&sha256(&[&stage1]), cached)
}

/// A key of the cache: changes with the credential, so that a changed password is asked again.
pub fn cache_key(user: &str, host: &str, credential: &str) -> [u8; 32] {
    let text = format!("{user}\0{host}\0{credential}");
    digest(&SHA256, text.as_bytes()).as_ref().try_into().expect("SHA-256 has 32 bytes")
}

/// The RSA key of this server run; made when the first client asks.
#[derive(Default)]
pub struct RsaKey(OnceLock<Option<(OaepPrivateDecryptingKey, String)>>);

impl RsaKey {
    fn get(&self) -> Option<&(OaepPrivateDecryptingKey, String)> {
        let make = || {
            let private = PrivateDecryptingKey::generate(KeySize::Rsa2048).ok()?;
            let der = private.public_key().as_der().ok()?;
            let pem = pem("PUBLIC KEY", der.as_ref());
            Some((OaepPrivateDecryptingKey::new(private).ok()?, pem))
        };
        self.0.get_or_init(make).as_ref()
    }

    /// The public key, as clients expect it.
    pub fn public_pem(&self) -> Option<&str> {
        self.get().map(|(_, pem)| &**pem)
    }

    pub fn decrypt(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        let (key, _) = self.get()?;
        let mut out = vec![0; key.min_output_size()];
        let plain = key.decrypt(&OAEP_SHA1_MGF1SHA1, sealed, &mut out, None).ok()?.len();
        out.truncate(plain);
        Some(out)
    }
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let mut word = [0; 4];
        word[1..=three.len()].copy_from_slice(three);
        let word = u32::from_be_bytes(word);
        for i in 0..4 {
            let digit = BASE64[(word >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= three.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// The bytes of a text in base64 with its padding (RFC 4648, 4). `None`: it is not such a text.
pub fn from_base64(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let digits = text.trim_end_matches('=');
    if text.len() - digits.len() > 2 {
        return None;
    }
    let (mut out, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for c in digits.bytes() {
        let digit = BASE64.iter().position(|b| *b == c)? as u32;
        bits = (bits << 6 | digit) & 0xFFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    Some(out)
}

/// SHA-256 in base64, as a page's policy names its scripts.
pub fn sha256_base64(bytes: &[u8]) -> String {
    base64(&sha256(&[bytes]))
}

/// Bytes as a text between lines that say what they are.
pub fn pem(label: &str, der: &[u8]) -> String {
    let lines: String = der.chunks(48).map(|line| base64(line) + "\n").collect();
    format!("-----BEGIN {label}-----\n{lines}-----END {label}-----\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_lc_rs::rsa::{OaepPublicEncryptingKey, PublicEncryptingKey};
    use weir_boot::passwords::Hasher;
    use weir_login::proof;
    use weir_rt::Rt;
    use weir_sql::account::{AuthPlugin, PasswordHasher};

    fn hasher() -> Hasher {
        Hasher::new(Rt::real())
    }

    #[test]
    fn native_hash_and_proof() {
        // SELECT PASSWORD('password') of every MySQL that had the function.
        let credential = hasher().hash(AuthPlugin::Native, b"password");
        assert_eq!(credential, "*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19");
        let salt = new_salt();
        assert!(check_native(&credential, &proof::native(b"password", &salt), &salt));
        assert!(!check_native(&credential, &proof::native(b"passwort", &salt), &salt));
        assert!(!check_native(&credential, b"short", &salt));
    }

    #[test]
    fn sha2_hash_and_proof() {
        let credential = hasher().hash(AuthPlugin::CachingSha2, b"secret");
        assert_eq!(credential.len(), 70);
        assert!(hasher().is_credential(AuthPlugin::CachingSha2, &credential));
        assert!(hasher().verify(AuthPlugin::CachingSha2, &credential, b"secret"));
        assert!(!hasher().verify(AuthPlugin::CachingSha2, &credential, b"Secret"));
        assert!(!hasher().verify(AuthPlugin::CachingSha2, &credential, b""));
        assert!(hasher().verify(AuthPlugin::CachingSha2, "", b""));
        let salt = new_salt();
        let cached = fast_hash(b"secret");
        assert!(check_fast(&cached, &proof::caching_sha2(b"secret", &salt), &salt));
        assert!(!check_fast(&cached, &proof::caching_sha2(b"secreT", &salt), &salt));
    }

    #[test]
    fn rsa_carries_a_password() {
        let key = RsaKey::default();
        let pem = key.public_pem().unwrap();
        assert!(pem.starts_with("-----BEGIN PUBLIC KEY-----\n"));
        let der = key.get().unwrap().0.key_size_bytes();
        assert_eq!(der, 256);
        let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
        let public = PublicEncryptingKey::from_der(&from_base64(&body).unwrap()).unwrap();
        let public = OaepPublicEncryptingKey::new(public).unwrap();
        let mut sealed = vec![0; 256];
        public.encrypt(&OAEP_SHA1_MGF1SHA1, b"secret\0", &mut sealed, None).unwrap();
        assert_eq!(key.decrypt(&sealed).unwrap(), b"secret\0");
        assert_eq!(key.decrypt(b"nonsense"), None);
    }

    #[test]
    fn base64_there_and_back() {
        for (plain, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(
                (base64(plain.as_bytes()).as_str(), from_base64(text).unwrap()),
                (text, plain.into())
            );
        }
        for bad in ["Z", "Zg", "Zg=", "Z===", "====", "Zm9*", "Zm9v\n", "é==="] {
            assert_eq!(from_base64(bad), None, "{bad}");
        }
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(from_base64(&base64(&all)), Some(all));
        assert_eq!(sha256_base64(b""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }
}
