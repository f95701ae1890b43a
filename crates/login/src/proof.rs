//! Proofs that a client knows its password.

use crate::error::{Error, Result};
use aws_lc_rs::digest::{Algorithm, Context, Digest, SHA1_FOR_LEGACY_USE_ONLY, SHA256};
use weir_wire::auth::{CACHING_SHA2, NATIVE};

fn digest(algorithm: &'static Algorithm, parts: &[&[u8]]) -> Digest {
    let mut context = Context::new(algorithm);
    parts.iter().for_each(|part| context.update(part));
    context.finish()
}

fn xor(a: &Digest, b: &Digest) -> Vec<u8> {
    a.as_ref().iter().zip(b.as_ref()).map(|(a, b)| a ^ b).collect()
}

/// What an authentication method answers to a salt.
pub fn of(method: &str, password: &str, salt: &[u8]) -> Result<Vec<u8>> {
    match method {
        NATIVE => Ok(native(password.as_bytes(), salt)),
        CACHING_SHA2 => Ok(caching_sha2(password.as_bytes(), salt)),
        // An empty password is an empty answer to every method.
        _ if password.is_empty() => Ok(Vec::new()),
        other => Err(Error::UnknownMethod(other.into())),
    }
}

/// What mysql_native_password sends: SHA1(password) XOR SHA1(salt, SHA1(SHA1(password))).
pub fn native(password: &[u8], salt: &[u8]) -> Vec<u8> {
    if password.is_empty() {
        return Vec::new();
    }
    let sha = |parts: &[&[u8]]| digest(&SHA1_FOR_LEGACY_USE_ONLY, parts);
    let first = sha(&[password]);
    let second = sha(&[first.as_ref()]);
    xor(&first, &sha(&[salt, second.as_ref()]))
}

/// What caching_sha2_password sends: SHA256(password) XOR SHA256(SHA256(SHA256(password)), salt).
pub fn caching_sha2(password: &[u8], salt: &[u8]) -> Vec<u8> {
    if password.is_empty() {
        return Vec::new();
    }
    let sha = |parts: &[&[u8]]| digest(&SHA256, parts);
    let first = sha(&[password]);
    let second = sha(&[first.as_ref()]);
    xor(&first, &sha(&[second.as_ref(), salt]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SALT: &[u8; 20] =
        &[10, 47, 74, 111, 75, 73, 34, 48, 88, 76, 114, 74, 37, 13, 3, 80, 82, 23, 2, 21];

    /// The formulas above by Python's hashlib.
    #[test]
    fn proofs_are_the_documented_ones() {
        let hex = |b: &[u8]| b.iter().map(|b| format!("{b:02x}")).collect::<String>();
        let secret = "6fc17502c059de9ffc5d6d7b533d7618d047077209685ccc9a3cb930bc60f58f";
        let secret2 = "bc3f6dd9e9828d5a96ea3f67c1ad4bc8678d0e5b34bf8688a36fbc7dea9083aa";
        for (method, password, want) in [
            (CACHING_SHA2, "secret", secret),
            (CACHING_SHA2, "secret2", secret2),
            (NATIVE, "secret", "a2e3310bce8c6212279701b4c9d25cbc03b67931"),
            (CACHING_SHA2, "", ""),
            (NATIVE, "", ""),
            ("client_ed25519", "", ""),
        ] {
            let proof = of(method, password, SALT).expect("known");
            assert_eq!(hex(&proof), want, "{method} {password}");
        }
        let unknown = of("client_ed25519", "x", SALT).expect_err("unknown");
        assert_eq!(unknown, Error::UnknownMethod("client_ed25519".into()));
        assert_eq!(unknown.errno(), 2059);
        assert!(unknown.to_string().contains("client_ed25519"), "{unknown}");
    }
}
