//! AES-256-GCM by aws-lc, with a key for each backup that is derived from the administrator's.
//!
//! The administrator's key is in a file: 32 bytes, or 64 hexadecimal digits. Each backup draws a salt, and HKDF-SHA-256 makes its key of
//! both. A frame's nonce is its number, which no other frame under this key has.

use super::{Fault, unhex};
use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};
use std::path::Path;

pub const SALT: usize = 16;
/// Bytes that a frame becomes longer.
pub const TAG: usize = 16;
const INFO: &[u8] = b"weir backup frames, format 1";

/// The administrator's key.
#[derive(Clone)]
pub struct Key([u8; 32]);

impl Key {
    pub fn read(path: &Path) -> Fault<Key> {
        let bytes = std::fs::read(path)
            .map_err(|e| format!("cannot read the key file '{}': {e}", path.display()))?;
        Key::of(&bytes).ok_or_else(|| {
            format!(
                "the key file '{}' has {} bytes: a key is 32 bytes, or 64 hexadecimal digits (`openssl rand -hex 32`)",
                path.display(),
                bytes.len()
            )
        })
    }

    pub fn of(bytes: &[u8]) -> Option<Key> {
        if let Ok(raw) = <[u8; 32]>::try_from(bytes) {
            return Some(Key(raw));
        }
        let text = std::str::from_utf8(bytes).ok()?.trim_ascii();
        unhex::<32>(text).map(Key)
    }

    /// The key of one backup.
    pub fn derive(&self, salt: &[u8; SALT]) -> FrameKey {
        let okm = Salt::new(HKDF_SHA256, salt).extract(&self.0);
        let mut bytes = [0; 32];
        okm.expand(&[INFO], &AES_256_GCM)
            .and_then(|k| k.fill(&mut bytes))
            .expect("32 bytes are within what HKDF-SHA-256 gives");
        let key = UnboundKey::new(&AES_256_GCM, &bytes).expect("the key has 32 bytes");
        FrameKey(LessSafeKey::new(key))
    }
}

pub struct FrameKey(LessSafeKey);

fn nonce(number: u64) -> Nonce {
    let mut bytes = [0; 12];
    bytes[4..].copy_from_slice(&number.to_be_bytes());
    Nonce::assume_unique_for_key(bytes)
}

impl FrameKey {
    /// Encrypts in place, and appends the tag.
    pub fn seal(&self, number: u64, head: &[u8], bytes: &mut Vec<u8>) {
        self.0
            .seal_in_place_append_tag(nonce(number), Aad::from(head), bytes)
            .expect("a frame is far shorter than what one key encrypts at once");
    }

    /// `None`: another key, or other bytes.
    pub fn open(&self, number: u64, head: &[u8], bytes: &mut Vec<u8>) -> Option<()> {
        let len = self.0.open_in_place(nonce(number), Aad::from(head), bytes).ok()?.len();
        bytes.truncate(len);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_raw_or_hexadecimal() {
        assert!(Key::of(&[7; 32]).is_some());
        let hex = "0123456789abcdef".repeat(4);
        assert!(Key::of(hex.as_bytes()).is_some());
        assert!(Key::of(format!("{hex}\n").as_bytes()).is_some());
        for bad in [&b""[..], &[7; 31], &[7; 33], b"not hexadecimal", &hex.as_bytes()[..62]] {
            assert!(Key::of(bad).is_none(), "{bad:?}");
        }
    }

    #[test]
    fn only_the_same_key_number_head_and_bytes_open_a_frame() {
        let key = Key([1; 32]).derive(&[2; SALT]);
        let mut sealed = b"some bytes".to_vec();
        key.seal(5, b"head", &mut sealed);
        assert_eq!(sealed.len(), 10 + TAG);
        let mut again = sealed.clone();
        assert!(key.open(5, b"head", &mut again).is_some());
        assert_eq!(again, b"some bytes");
        let mut changed = sealed.clone();
        changed[0] ^= 1;
        for (key, number, head, bytes) in [
            (Key([1; 32]).derive(&[2; SALT]), 6, &b"head"[..], &sealed),
            (Key([1; 32]).derive(&[2; SALT]), 5, b"had", &sealed),
            (Key([1; 32]).derive(&[3; SALT]), 5, b"head", &sealed),
            (Key([9; 32]).derive(&[2; SALT]), 5, b"head", &sealed),
            (Key([1; 32]).derive(&[2; SALT]), 5, b"head", &changed),
        ] {
            assert!(key.open(number, head, &mut bytes.clone()).is_none());
        }
    }
}
