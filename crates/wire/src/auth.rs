//! Packets of the password methods. The hashing is the server's.

/// `mysql_native_password`.
pub const NATIVE: &str = "mysql_native_password";
/// `caching_sha2_password`.
pub const CACHING_SHA2: &str = "caching_sha2_password";

/// `sha256_password`.
pub const SHA256: &str = "sha256_password";

/// AuthMoreData of caching_sha2_password: the cache knew the password; OK follows.
pub const FAST_AUTH_OK: u8 = 3;
/// AuthMoreData of caching_sha2_password: send the password itself.
pub const FULL_AUTH: u8 = 4;
/// What a client sends to get the server's RSA key.
pub const REQUEST_PUBLIC_KEY: u8 = 2;
/// The same with sha256_password.
pub const REQUEST_PUBLIC_KEY_SHA256: u8 = 1;

/// AuthSwitchRequest: use this method with this challenge.
pub fn put_switch(out: &mut Vec<u8>, plugin: &str, salt: &[u8]) {
    out.push(0xFE);
    out.extend_from_slice(plugin.as_bytes());
    out.push(0);
    out.extend_from_slice(salt);
    out.push(0);
}

/// AuthMoreData.
pub fn put_more(out: &mut Vec<u8>, data: &[u8]) {
    out.push(0x01);
    out.extend_from_slice(data);
}

/// The clear or XORed password of the full path ends with a zero byte.
pub fn strip_nul(packet: &[u8]) -> &[u8] {
    packet.strip_suffix(&[0]).unwrap_or(packet)
}

/// The password of the RSA path is XORed with the challenge, again and again.
pub fn unmask(password: &mut [u8], salt: &[u8]) {
    for (byte, mask) in password.iter_mut().zip(salt.iter().cycle()) {
        *byte ^= mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets() {
        let mut out = Vec::new();
        put_switch(&mut out, NATIVE, b"salt");
        assert_eq!(out, b"\xFEmysql_native_password\0salt\0");
        out.clear();
        put_more(&mut out, &[FULL_AUTH]);
        assert_eq!(out, [1, 4]);
    }

    #[test]
    fn masking_twice_is_nothing() {
        let mut text = b"a long password, longer than the salt\0".to_vec();
        let copy = text.clone();
        unmask(&mut text, b"12345678901234567890");
        assert_ne!(text, copy);
        unmask(&mut text, b"12345678901234567890");
        assert_eq!(strip_nul(&text), strip_nul(&copy));
    }
}
