//! Passwords as accounts keep them: the hashes of mysql_native_password, sha256_password and caching_sha2_password.
//!
//! They are made here and not in the server, because a program with the database inside it writes CREATE USER too, and must not link
//! the server's cryptography for it.

use sha1::Sha1;
use sha2::{Digest, Sha256};
use weir_rt::Rt;
use weir_sql::account::{AuthPlugin, PasswordHasher};

/// Bytes of a salt, as long as the challenge of a login.
const SALT_LEN: usize = 20;

fn sha1(parts: &[&[u8]]) -> [u8; 20] {
    let mut context = Sha1::new();
    parts.iter().for_each(|part| context.update(part));
    context.finalize().into()
}

fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut context = Sha256::new();
    parts.iter().for_each(|part| context.update(part));
    context.finalize().into()
}

/// The alphabet of crypt(3).
pub const CRYPT64: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Equal without telling by time where they differ.
pub fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |diff, (x, y)| diff | (x ^ y)) == 0
}

/// The bytes of a credential of mysql_native_password: `*HEX`.
pub fn decode_native(credential: &str) -> Option<[u8; 20]> {
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

/// Rounds of a new hash, as MySQL's default.
const ROUNDS: usize = 5000;

/// The SHA-256 crypt of Drepper's "Unix crypt using SHA-256 and SHA-512", without its prefix.
fn sha256_crypt(password: &[u8], salt: &[u8], rounds: usize) -> String {
    let repeat = |block: &[u8; 32], len: usize| -> Vec<u8> {
        block.iter().copied().cycle().take(len).collect()
    };
    let b = sha256(&[password, salt, password]);
    let mut a = Sha256::new();
    a.update(password);
    a.update(salt);
    a.update(repeat(&b, password.len()));
    let mut bits = password.len();
    while bits > 0 {
        a.update(if bits & 1 == 1 { &b } else { password });
        bits >>= 1;
    }
    let mut c: [u8; 32] = a.finalize().into();
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
fn hash_sha2(password: &[u8], salt: &[u8; SALT_LEN]) -> String {
    let salt_text: String = salt.iter().map(|b| char::from(*b)).collect();
    format!("$A$005${salt_text}{}", sha256_crypt(password, salt, ROUNDS))
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

/// What mysql_native_password keeps.
fn native(password: &[u8]) -> String {
    let hash = sha1(&[&sha1(&[password])]);
    let hex: String = hash.iter().map(|b| format!("{b:02X}")).collect();
    format!("*{hex}")
}

/// Is this the password behind the credential? Where the one is empty the other has to be.
pub fn verify(plugin: AuthPlugin, credential: &str, password: &[u8]) -> bool {
    match plugin {
        _ if credential.is_empty() || password.is_empty() => {
            credential.is_empty() && password.is_empty()
        }
        AuthPlugin::Native => same(native(password).as_bytes(), credential.as_bytes()),
        AuthPlugin::CachingSha2 | AuthPlugin::Sha256 => verify_sha2(credential, password),
    }
}

/// The hasher that accounts use. Salts are drawn by the runtime.
pub struct Hasher {
    rt: Rt,
}

impl Hasher {
    pub fn new(rt: Rt) -> Hasher {
        Hasher { rt }
    }

    fn salt(&self) -> [u8; SALT_LEN] {
        let mut salt = [0; SALT_LEN];
        // A hash without a salt would be worse than no statement at all.
        self.rt.fill_random(&mut salt).expect("the system has random numbers");
        salt.map(|byte| CRYPT64[usize::from(byte & 63)])
    }
}

impl PasswordHasher for Hasher {
    fn hash(&self, plugin: AuthPlugin, password: &[u8]) -> String {
        if password.is_empty() {
            return String::new();
        }
        match plugin {
            AuthPlugin::Native => native(password),
            AuthPlugin::CachingSha2 => hash_sha2(password, &self.salt()),
            AuthPlugin::Sha256 => {
                let salt = self.salt();
                let salt_text: String = salt.iter().map(|b| char::from(*b)).collect();
                format!("$5${salt_text}${}", sha256_crypt(password, &salt, ROUNDS))
            }
        }
    }

    fn verify(&self, plugin: AuthPlugin, credential: &str, password: &[u8]) -> bool {
        verify(plugin, credential, password)
    }

    fn is_credential(&self, plugin: AuthPlugin, text: &str) -> bool {
        match plugin {
            AuthPlugin::Native => decode_native(text).is_some(),
            AuthPlugin::CachingSha2 => text.starts_with("$A$") && parse_sha2(text).is_some(),
            AuthPlugin::Sha256 => text.starts_with("$5$") && parse_sha2(text).is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crypt_has_the_published_test_vector() {
        // From the specification of SHA-crypt.
        let hash = sha256_crypt(b"Hello world!", b"saltstring", 5000);
        assert_eq!(hash, "5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5");
    }

    #[test]
    fn sha256_hash() {
        let hasher = Hasher::new(Rt::real());
        let credential = hasher.hash(AuthPlugin::Sha256, b"secret");
        assert_eq!((&credential[..3], credential.len()), ("$5$", 67));
        assert!(hasher.is_credential(AuthPlugin::Sha256, &credential));
        assert!(!hasher.is_credential(AuthPlugin::CachingSha2, &credential));
        assert!(hasher.verify(AuthPlugin::Sha256, &credential, b"secret"));
        assert!(!hasher.verify(AuthPlugin::Sha256, &credential, b"Secret"));
        // The published vector, as crypt(3) writes it.
        let published = "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5";
        assert!(verify_sha2(published, b"Hello world!"));
        for bad in ["$5$", "$5$$", "$5$salt", "$5$é$x", "$A$005$"] {
            assert!(!hasher.is_credential(AuthPlugin::Sha256, bad), "{bad}");
        }
    }
}
