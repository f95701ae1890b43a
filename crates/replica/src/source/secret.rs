//! Proofs of passwords, and the sealing of a password with a server's RSA key.

use super::{Result, SourceError};
use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, SHA256, digest};
use aws_lc_rs::rsa::{OAEP_SHA1_MGF1SHA1, OaepPublicEncryptingKey, PublicEncryptingKey};
use rustls::pki_types::SubjectPublicKeyInfoDer;
use rustls::pki_types::pem::PemObject;
use weir_wire::auth::{CACHING_SHA2, NATIVE};

/// The number of MySQL's client library for a login that it cannot do.
const NO_PLUGIN: u16 = 2059;
const REFUSED: u16 = 2061;

fn xor(a: &[u8], b: &[u8]) -> Vec<u8> {
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}

/// What an authentication method answers to a salt. Empty for an empty password.
pub fn proof(method: &str, password: &str, salt: &[u8]) -> Result<Vec<u8>> {
    if password.is_empty() {
        return Ok(Vec::new());
    }
    match method {
        NATIVE => {
            let sha = |b: &[u8]| digest(&SHA1_FOR_LEGACY_USE_ONLY, b);
            let first = sha(password.as_bytes());
            let mask = sha(&[salt, sha(first.as_ref()).as_ref()].concat());
            Ok(xor(first.as_ref(), mask.as_ref()))
        }
        CACHING_SHA2 => {
            let sha = |b: &[u8]| digest(&SHA256, b);
            let first = sha(password.as_bytes());
            let mask = sha(&[sha(first.as_ref()).as_ref(), salt].concat());
            Ok(xor(first.as_ref(), mask.as_ref()))
        }
        other => Err(SourceError::new(
            NO_PLUGIN,
            format!(
                "Authentication plugin '{other}' cannot be loaded: use an account with {CACHING_SHA2} or {NATIVE}"
            ),
        )),
    }
}

/// Seals a password, with its zero byte and masked by the salt, with a key in PEM.
pub fn seal(pem: &[u8], masked: &[u8]) -> Result<Vec<u8>> {
    let bad = || SourceError::new(REFUSED, "The source's RSA key cannot be used");
    let der = SubjectPublicKeyInfoDer::from_pem_slice(pem).map_err(|_| bad())?;
    let key = PublicEncryptingKey::from_der(der.as_ref()).map_err(|_| bad())?;
    let key = OaepPublicEncryptingKey::new(key).map_err(|_| bad())?;
    if masked.len() > key.max_plaintext_size(&OAEP_SHA1_MGF1SHA1) {
        return Err(SourceError::new(REFUSED, "The password is too long for the source's RSA key"));
    }
    let mut out = vec![0; key.ciphertext_size()];
    let sealed = key.encrypt(&OAEP_SHA1_MGF1SHA1, masked, &mut out, None).map_err(|_| bad())?;
    Ok(sealed.to_vec())
}

/// 2061, MySQL's answer where a password would go in clear.
pub fn needs_protection() -> SourceError {
    let text = "Authentication plugin 'caching_sha2_password' reported error: Authentication requires secure connection.";
    SourceError::new(REFUSED, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SALT: &[u8; 20] =
        &[10, 47, 74, 111, 75, 73, 34, 48, 88, 76, 114, 74, 37, 13, 3, 80, 82, 23, 2, 21];

    /// XOR(SHA256(password), SHA256(SHA256(SHA256(password)), nonce)) and its SHA-1 sister, by Python's hashlib.
    #[test]
    fn proofs_are_the_documented_ones() {
        let hex = |b: &[u8]| b.iter().map(|b| format!("{b:02x}")).collect::<String>();
        for (method, want) in [
            (CACHING_SHA2, "6fc17502c059de9ffc5d6d7b533d7618d047077209685ccc9a3cb930bc60f58f"),
            (NATIVE, "a2e3310bce8c6212279701b4c9d25cbc03b67931"),
        ] {
            assert_eq!(hex(&proof(method, "secret", SALT).expect("known")), want);
            assert_eq!(proof(method, "", SALT), Ok(Vec::new()));
        }
        assert_eq!(proof("client_ed25519", "x", SALT).map_err(|e| e.errno), Err(2059));
        assert!(seal(b"nonsense", b"x").is_err());
    }
}
