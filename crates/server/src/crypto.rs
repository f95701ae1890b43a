//! Passwords: hashes as MySQL stores them, proofs as MySQL's clients send them, the RSA key that
//! carries a password over a connection without TLS. Digests, random numbers and RSA are aws-lc's.

use aws_lc_rs::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY, SHA256, digest};
use aws_lc_rs::encoding::AsDer;
use aws_lc_rs::rand::{SecureRandom, SystemRandom};
use aws_lc_rs::rsa::{KeySize, OAEP_SHA1_MGF1SHA1, OaepPrivateDecryptingKey, PrivateDecryptingKey};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use weir_sql::account::{AuthPlugin, PasswordHasher};
use weir_wire::constants::SALT_LEN;

fn sha1(parts: &[&[u8]]) -> [u8; 20] {
    let mut context = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
    parts.iter().for_each(|part| context.update(part));
    context.finish().as_ref().try_into().expect("SHA-1 has 20 bytes")
}

fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut context = Context::new(&SHA256);
    parts.iter().for_each(|part| context.update(part));
    context.finish().as_ref().try_into().expect("SHA-256 has 32 bytes")
}

fn random(bytes: &mut [u8]) {
    // Without randomness there is no safe login at all.
    SystemRandom::new().fill(bytes).expect("the system has random numbers");
}

/// The alphabet of crypt(3).
const CRYPT64: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

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

/// Equal without telling by time where they differ.
pub fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |diff, (x, y)| diff | (x ^ y)) == 0
}

fn xor<const N: usize>(a: &[u8; N], b: &[u8; N]) -> [u8; N] {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// What a client of mysql_native_password answers; for tests and tools.
pub fn native_response(password: &[u8], salt: &[u8]) -> Vec<u8> {
    if password.is_empty() {
        return Vec::new();
    }
    let stage1 = sha1(&[password]);
    xor(&stage1, &sha1(&[salt, &sha1(&[&stage1])])).to_vec()
}

/// What a client of caching_sha2_password answers; for tests and tools.
pub fn sha2_response(password: &[u8], salt: &[u8]) -> Vec<u8> {
    if password.is_empty() {
        return Vec::new();
    }
    let stage1 = sha256(&[password]);
    xor(&stage1, &sha256(&[&sha256(&[&stage1]), salt])).to_vec()
}

/// Does the answer prove the password behind `*HEX`?
pub fn check_native(credential: &str, response: &[u8], salt: &[u8]) -> bool {
    let Some(stored) = decode_native(credential) else { return false };
    let Ok(response) = <&[u8; 20]>::try_from(response) else { return false };
    let stage1 = xor(response, &sha1(&[salt, &stored]));
    same(&sha1(&[&stage1]), &stored)
}

fn decode_native(credential: &str) -> Option<[u8; 20]> {
    let hex = credential.strip_prefix('*')?.as_bytes();
    let mut out = [0; 20];
    if hex.len() != 40 {
        return None;
    }
    for (byte, pair) in out.iter_mut().zip(hex.chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(out)
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

/// Rounds of a new hash, as MySQL's default.
const ROUNDS: usize = 5000;

/// The SHA-256 crypt of Drepper's "Unix crypt using SHA-256 and SHA-512", without its prefix.
fn sha256_crypt(password: &[u8], salt: &[u8], rounds: usize) -> String {
    let repeat = |block: &[u8; 32], len: usize| -> Vec<u8> {
        block.iter().copied().cycle().take(len).collect()
    };
    let b = sha256(&[password, salt, password]);
    let mut a = Context::new(&SHA256);
    a.update(password);
    a.update(salt);
    a.update(&repeat(&b, password.len()));
    let mut bits = password.len();
    while bits > 0 {
        a.update(if bits & 1 == 1 { &b } else { password });
        bits >>= 1;
    }
    let mut c: [u8; 32] = a.finish().as_ref().try_into().expect("SHA-256 has 32 bytes");
    let p = repeat(&sha256(&vec![password; password.len()]), password.len());
    let s = repeat(&sha256(&vec![salt; 16 + usize::from(c[0])]), salt.len());
    for round in 0..rounds {
        let odd = round & 1 == 1;
        let first: &[u8] = if odd { &p } else { &c };
        let by3: &[u8] = if round % 3 == 0 { &[] } else { &s };
        let by7: &[u8] = if round % 7 == 0 { &[] } else { &p };
        let last: &[u8] = if odd { &c } else { &p };
        c = sha256(&[first, by3, by7, last]);
    }
    crypt64(&c)
}

/// The odd byte order of crypt's base 64.
fn crypt64(c: &[u8; 32]) -> String {
    let mut out = String::with_capacity(43);
    let mut put = |bytes: [u8; 3], chars: usize| {
        let mut word = u32::from_be_bytes([0, bytes[0], bytes[1], bytes[2]]);
        for _ in 0..chars {
            out.push(char::from(CRYPT64[(word & 63) as usize]));
            word >>= 6;
        }
    };
    let (mut i, mut j, mut k) = (0, 10, 20);
    for _ in 0..10 {
        put([c[i], c[j], c[k]], 4);
        (i, j, k) = (k + 1, i + 1, j + 1);
    }
    put([0, c[31], c[30]], 3);
    out
}

/// MySQL's `$A$005$` + 20 bytes of salt + 43 bytes of hash.
fn hash_sha2(password: &[u8]) -> String {
    let salt = new_salt();
    let salt_text: String = salt.iter().map(|b| char::from(*b)).collect();
    format!("$A$005${salt_text}{}", sha256_crypt(password, &salt, ROUNDS))
}

/// Rounds, salt and hash of a stored credential, of either method.
fn parse_sha2(credential: &str) -> Option<(usize, &[u8], &str)> {
    if let Some(rest) = credential.strip_prefix("$5$") {
        let (salt, hash) = rest.split_once('$')?;
        let fits = (1..=SALT_LEN).contains(&salt.len()) && hash.len() == 43 && rest.is_ascii();
        return fits.then_some((ROUNDS, salt.as_bytes(), hash));
    }
    let rest = credential.strip_prefix("$A$")?;
    let (rounds, rest) = rest.split_once('$')?;
    let thousands = usize::from_str_radix(rounds, 16).ok().filter(|_| rounds.len() == 3)?;
    if rest.len() != SALT_LEN + 43 || !rest.is_ascii() || thousands == 0 {
        return None;
    }
    let (salt, hash) = rest.split_at(SALT_LEN);
    Some((thousands * 1000, salt.as_bytes(), hash))
}

/// Slow on purpose: some milliseconds.
pub fn verify_sha2(credential: &str, password: &[u8]) -> bool {
    let Some((rounds, salt, hash)) = parse_sha2(credential) else { return false };
    same(sha256_crypt(password, salt, rounds).as_bytes(), hash.as_bytes())
}

/// A key of the cache: changes with the credential, so that a changed password is asked anew.
pub fn cache_key(user: &str, host: &str, credential: &str) -> [u8; 32] {
    let text = format!("{user}\0{host}\0{credential}");
    digest(&SHA256, text.as_bytes()).as_ref().try_into().expect("SHA-256 has 32 bytes")
}

/// The hasher that accounts use.
pub struct Hasher;

impl PasswordHasher for Hasher {
    fn hash(&self, plugin: AuthPlugin, password: &[u8]) -> String {
        if password.is_empty() {
            return String::new();
        }
        match plugin {
            AuthPlugin::Native => {
                let hash = sha1(&[&sha1(&[password])]);
                let hex: String = hash.iter().map(|b| format!("{b:02X}")).collect();
                format!("*{hex}")
            }
            AuthPlugin::CachingSha2 => hash_sha2(password),
            AuthPlugin::Sha256 => {
                let salt = new_salt();
                let salt_text: String = salt.iter().map(|b| char::from(*b)).collect();
                format!("$5${salt_text}${}", sha256_crypt(password, &salt, ROUNDS))
            }
        }
    }

    fn verify(&self, plugin: AuthPlugin, credential: &str, password: &[u8]) -> bool {
        match plugin {
            _ if credential.is_empty() || password.is_empty() => {
                credential.is_empty() && password.is_empty()
            }
            AuthPlugin::Native => {
                same(self.hash(plugin, password).as_bytes(), credential.as_bytes())
            }
            AuthPlugin::CachingSha2 | AuthPlugin::Sha256 => verify_sha2(credential, password),
        }
    }

    fn is_credential(&self, plugin: AuthPlugin, text: &str) -> bool {
        match plugin {
            AuthPlugin::Native => decode_native(text).is_some(),
            AuthPlugin::CachingSha2 => text.starts_with("$A$") && parse_sha2(text).is_some(),
            AuthPlugin::Sha256 => text.starts_with("$5$") && parse_sha2(text).is_some(),
        }
    }
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

    #[test]
    fn crypt_has_the_published_test_vector() {
        // From the specification of SHA-crypt.
        let hash = sha256_crypt(b"Hello world!", b"saltstring", 5000);
        assert_eq!(hash, "5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5");
    }

    #[test]
    fn native_hash_and_proof() {
        // SELECT PASSWORD('password') of every MySQL that had the function.
        let credential = Hasher.hash(AuthPlugin::Native, b"password");
        assert_eq!(credential, "*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19");
        let salt = new_salt();
        assert!(check_native(&credential, &native_response(b"password", &salt), &salt));
        assert!(!check_native(&credential, &native_response(b"passwort", &salt), &salt));
        assert!(!check_native(&credential, b"short", &salt));
    }

    #[test]
    fn sha2_hash_and_proof() {
        let credential = Hasher.hash(AuthPlugin::CachingSha2, b"secret");
        assert_eq!(credential.len(), 70);
        assert!(Hasher.is_credential(AuthPlugin::CachingSha2, &credential));
        assert!(Hasher.verify(AuthPlugin::CachingSha2, &credential, b"secret"));
        assert!(!Hasher.verify(AuthPlugin::CachingSha2, &credential, b"Secret"));
        assert!(!Hasher.verify(AuthPlugin::CachingSha2, &credential, b""));
        assert!(Hasher.verify(AuthPlugin::CachingSha2, "", b""));
        let salt = new_salt();
        let cached = fast_hash(b"secret");
        assert!(check_fast(&cached, &sha2_response(b"secret", &salt), &salt));
        assert!(!check_fast(&cached, &sha2_response(b"secreT", &salt), &salt));
    }

    #[test]
    fn sha256_hash() {
        let credential = Hasher.hash(AuthPlugin::Sha256, b"secret");
        assert_eq!((&credential[..3], credential.len()), ("$5$", 67));
        assert!(Hasher.is_credential(AuthPlugin::Sha256, &credential));
        assert!(!Hasher.is_credential(AuthPlugin::CachingSha2, &credential));
        assert!(Hasher.verify(AuthPlugin::Sha256, &credential, b"secret"));
        assert!(!Hasher.verify(AuthPlugin::Sha256, &credential, b"Secret"));
        // The published vector, as crypt(3) writes it.
        let published = "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5";
        assert!(verify_sha2(published, b"Hello world!"));
        for bad in ["$5$", "$5$$", "$5$salt", "$5$é$x", "$A$005$"] {
            assert!(!Hasher.is_credential(AuthPlugin::Sha256, bad), "{bad}");
        }
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
