//! AES in the modes of `block_encryption_mode`: a block cipher applied to texts of any length.
//!
//! The modes are those of NIST SP 800-38A. ECB and CBC fill the last block as PKCS #7 says; the others make a stream of key
//! bytes and leave the length as it is.

use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};

/// Bytes of a block, and of an initialization vector.
pub const BLOCK: usize = 16;
type Block = [u8; BLOCK];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Ecb,
    Cbc,
    Cfb1,
    Cfb8,
    Cfb128,
    Ofb,
}

/// One value of `block_encryption_mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scheme {
    mode: Mode,
    /// Bytes.
    key: usize,
}

impl Scheme {
    /// By its place among the variable's names: three lengths of a key for each mode.
    pub fn at(place: u8) -> Scheme {
        let mode = match place / 3 {
            0 => Mode::Ecb,
            1 => Mode::Cbc,
            2 => Mode::Cfb1,
            3 => Mode::Cfb8,
            4 => Mode::Cfb128,
            _ => Mode::Ofb,
        };
        Scheme { mode, key: [16, 24, 32][usize::from(place % 3)] }
    }

    pub fn key_bytes(self) -> usize {
        self.key
    }

    pub fn needs_iv(self) -> bool {
        self.mode != Mode::Ecb
    }

    pub fn fills_blocks(self) -> bool {
        matches!(self.mode, Mode::Ecb | Mode::Cbc)
    }
}

enum Aes {
    Bits128(Box<Aes128>),
    Bits192(Box<Aes192>),
    Bits256(Box<Aes256>),
}

impl Aes {
    /// `None`: no key of AES has this length.
    fn new(key: &[u8]) -> Option<Aes> {
        Some(match key.len() {
            16 => Aes::Bits128(Box::new(Aes128::new_from_slice(key).ok()?)),
            24 => Aes::Bits192(Box::new(Aes192::new_from_slice(key).ok()?)),
            _ => Aes::Bits256(Box::new(Aes256::new_from_slice(key).ok()?)),
        })
    }

    fn encrypt(&self, block: &mut Block) {
        match self {
            Aes::Bits128(aes) => aes.encrypt_block(block.into()),
            Aes::Bits192(aes) => aes.encrypt_block(block.into()),
            Aes::Bits256(aes) => aes.encrypt_block(block.into()),
        }
    }

    fn decrypt(&self, block: &mut Block) {
        match self {
            Aes::Bits128(aes) => aes.decrypt_block(block.into()),
            Aes::Bits192(aes) => aes.decrypt_block(block.into()),
            Aes::Bits256(aes) => aes.decrypt_block(block.into()),
        }
    }
}

fn xor(a: &mut [u8], b: &[u8]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a ^= b);
}

/// A text on its way, piece by piece. All pieces but the last are whole blocks; in ECB and CBC the last is one, too.
pub struct Cipher {
    aes: Aes,
    mode: Mode,
    /// What the next block depends on of those before.
    register: Block,
    decrypts: bool,
}

impl Cipher {
    /// `key` has the length that the scheme says.
    pub fn new(scheme: Scheme, key: &[u8], iv: Block, decrypts: bool) -> Option<Cipher> {
        Some(Cipher { aes: Aes::new(key)?, mode: scheme.mode, register: iv, decrypts })
    }

    pub fn work(&mut self, piece: &mut [u8]) {
        for part in piece.chunks_mut(BLOCK) {
            match self.mode {
                Mode::Ecb | Mode::Cbc => self.block(part),
                Mode::Cfb1 => part.iter_mut().for_each(|b| *b = self.bits(*b)),
                Mode::Cfb8 => part.iter_mut().for_each(|b| *b = self.byte(*b)),
                Mode::Cfb128 => self.feedback(part),
                Mode::Ofb => {
                    self.aes.encrypt(&mut self.register);
                    xor(part, &self.register);
                }
            }
        }
    }

    fn block(&mut self, part: &mut [u8]) {
        let Ok(block) = <&mut Block>::try_from(part) else { return };
        let chained = self.mode == Mode::Cbc;
        if self.decrypts {
            let cipher = *block;
            self.aes.decrypt(block);
            if chained {
                xor(block, &self.register);
                self.register = cipher;
            }
        } else {
            if chained {
                xor(block, &self.register);
            }
            self.aes.encrypt(block);
            if chained {
                self.register = *block;
            }
        }
    }

    /// The next block of the key stream.
    fn key_stream(&self) -> Block {
        let mut key = self.register;
        self.aes.encrypt(&mut key);
        key
    }

    fn feedback(&mut self, part: &mut [u8]) {
        let key = self.key_stream();
        let n = part.len();
        if self.decrypts {
            self.register[..n].copy_from_slice(part);
        }
        xor(part, &key);
        if !self.decrypts {
            self.register[..n].copy_from_slice(part);
        }
    }

    fn byte(&mut self, b: u8) -> u8 {
        let out = b ^ self.key_stream()[0];
        self.register.copy_within(1.., 0);
        self.register[BLOCK - 1] = if self.decrypts { b } else { out };
        out
    }

    /// Bit by bit, the highest first.
    fn bits(&mut self, b: u8) -> u8 {
        let mut out = 0;
        for shift in (0..8).rev() {
            let bit = b >> shift & 1;
            let made = bit ^ self.key_stream()[0] >> 7;
            let fed = if self.decrypts { bit } else { made };
            let register = u128::from_be_bytes(self.register) << 1 | u128::from(fed);
            self.register = register.to_be_bytes();
            out = out << 1 | made;
        }
        out
    }
}

/// The text with the last block filled: each byte that is added tells how many were.
pub fn fill(text: &[u8]) -> Vec<u8> {
    let more = BLOCK - text.len() % BLOCK;
    let mut out = Vec::with_capacity(text.len() + more);
    out.extend_from_slice(text);
    out.resize(text.len() + more, more as u8);
    out
}

/// The length of the text without what [`fill`] has added. `None`: it was not that.
pub fn filled(text: &[u8]) -> Option<usize> {
    let more = usize::from(*text.last()?);
    let length = text.len().checked_sub(more).filter(|_| (1..=BLOCK).contains(&more))?;
    text[length..].iter().all(|b| usize::from(*b) == more).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unhex(text: &str) -> Vec<u8> {
        let digit = |at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex");
        (0..text.len()).step_by(2).map(digit).collect()
    }

    const KEY: &str = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";
    const PLAIN: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51";

    /// The first two blocks of the examples in appendix F of SP 800-38A (two bytes for CFB1, 18 for CFB8).
    const EXAMPLES: &[(u8, &str, &str)] = &[
        (
            0,
            "2b7e151628aed2a6abf7158809cf4f3c",
            "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf",
        ),
        (
            1,
            "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
            "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef",
        ),
        (2, KEY, "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870"),
        (
            3,
            "2b7e151628aed2a6abf7158809cf4f3c",
            "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2",
        ),
        (5, KEY, "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"),
        (6, "2b7e151628aed2a6abf7158809cf4f3c", "68b3"),
        (8, KEY, "9029"),
        (9, "2b7e151628aed2a6abf7158809cf4f3c", "3b79424c9c0dd436bace9e0ed4586a4f32b9"),
        (11, KEY, "dc1f1a8520a64db55fcc8ac554844e889700"),
        (
            12,
            "2b7e151628aed2a6abf7158809cf4f3c",
            "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b",
        ),
        (14, KEY, "dc7e84bfda79164b7ecd8486985d386039ffed143b28b1c832113c6331e5407b"),
        (
            15,
            "2b7e151628aed2a6abf7158809cf4f3c",
            "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed825",
        ),
        (17, KEY, "dc7e84bfda79164b7ecd8486985d38604febdc6740d20b3ac88f6ad82a4fb08d"),
    ];

    #[test]
    fn the_standards_examples() {
        let iv: Block = std::array::from_fn(|i| i as u8);
        for (place, key, want) in EXAMPLES {
            let want = unhex(want);
            let plain = &unhex(PLAIN)[..want.len()];
            let scheme = Scheme::at(*place);
            let key = unhex(key);
            assert_eq!(key.len(), scheme.key_bytes());
            let mut text = plain.to_vec();
            Cipher::new(scheme, &key, iv, false).expect("fits").work(&mut text);
            assert_eq!(text, want, "{scheme:?}");
            Cipher::new(scheme, &key, iv, true).expect("fits").work(&mut text);
            assert_eq!(text, plain, "{scheme:?} back");
        }
    }

    #[test]
    fn pieces_make_the_same_text_as_the_whole() {
        for place in 0..18 {
            let scheme = Scheme::at(place);
            let key: Vec<u8> = (0..scheme.key_bytes() as u8).collect();
            let whole: Vec<u8> = (0..=255).cycle().take(7 * BLOCK).collect();
            let (mut once, mut twice) = (whole.clone(), whole.clone());
            Cipher::new(scheme, &key, [7; BLOCK], false).expect("fits").work(&mut once);
            let mut cipher = Cipher::new(scheme, &key, [7; BLOCK], false).expect("fits");
            twice.chunks_mut(3 * BLOCK).for_each(|piece| cipher.work(piece));
            assert_eq!(once, twice, "{scheme:?}");
        }
    }

    #[test]
    fn filling() {
        for n in 0..40 {
            let text = vec![3; n];
            let full = fill(&text);
            assert!(full.len() > n && full.len().is_multiple_of(BLOCK));
            assert_eq!(filled(&full), Some(n));
        }
        assert_eq!(filled(b""), None);
        assert_eq!(filled(&[0; 16]), None);
        assert_eq!(filled(&[17; 32]), None);
        assert_eq!(filled(&[1, 2, 1, 2, 3]), None);
    }
}
