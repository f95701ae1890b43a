//! The sealing of a password with a server's RSA key.

use crate::error::{Error, Result};
use aws_lc_rs::rsa::{OAEP_SHA1_MGF1SHA1, OaepPublicEncryptingKey, PublicEncryptingKey};
use rustls_pki_types::SubjectPublicKeyInfoDer;
use rustls_pki_types::pem::PemObject;

/// Seals a text, which is a password with its zero byte under the mask of the salt, with a key in PEM.
pub fn seal(pem: &[u8], masked: &[u8]) -> Result<Vec<u8>> {
    let der = SubjectPublicKeyInfoDer::from_pem_slice(pem).map_err(|_| Error::BadKey)?;
    let key = PublicEncryptingKey::from_der(der.as_ref()).map_err(|_| Error::BadKey)?;
    let key = OaepPublicEncryptingKey::new(key).map_err(|_| Error::BadKey)?;
    if masked.len() > key.max_plaintext_size(&OAEP_SHA1_MGF1SHA1) {
        return Err(Error::TooLong);
    }
    let mut out = vec![0; key.ciphertext_size()];
    let sealed = key.encrypt(&OAEP_SHA1_MGF1SHA1, masked, &mut out, None);
    Ok(sealed.map_err(|_| Error::BadKey)?.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_key_of_openssl_seals_what_fits() {
        assert_eq!(seal(PEM.as_bytes(), b"secret\0").map(|sealed| sealed.len()), Ok(256));
        // 256 bytes less two digests of 20 and two.
        assert_eq!(seal(PEM.as_bytes(), &[b'x'; 214]).map(|sealed| sealed.len()), Ok(256));
        assert_eq!(seal(PEM.as_bytes(), &[b'x'; 215]), Err(Error::TooLong));
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let text = b"-----BEGIN PUBLIC KEY-----\naGVsbG8g\nd29ybGQ=\n-----END PUBLIC KEY-----\n";
        let private = PEM.replace("PUBLIC", "PRIVATE");
        let cut = &PEM.as_bytes()[..PEM.len() / 2];
        for pem in [&b""[..], b"*", b"aGVsbG8=", text, private.as_bytes(), cut] {
            assert_eq!(seal(pem, b"x"), Err(Error::BadKey), "{}", String::from_utf8_lossy(pem));
        }
    }
}
