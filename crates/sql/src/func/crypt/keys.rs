//! Keys of AES_ENCRYPT made of passwords: folded, or derived by HKDF (RFC 5869) or PBKDF2 (RFC 8018), both with SHA-512.

use crate::errno;
use crate::value::{Value, ValueError};
use md5::Digest;
use sha2::Sha512;

type Sum = [u8; 64];
/// Bytes of a block of SHA-512.
const BLOCK: usize = 128;

/// Bytes that a name, a salt or an info may have, and one more; those of a number of iterations.
const OPTION: usize = 256;
const ITERATIONS: usize = 6;

/// How the key is made of the password.
#[derive(Debug, PartialEq, Eq)]
pub enum Derivation {
    /// MySQL's own: the password's bytes one over the other.
    Folded,
    Hkdf {
        salt: Vec<u8>,
        info: Vec<u8>,
    },
    Pbkdf2 {
        salt: Vec<u8>,
        iterations: u32,
    },
}

/// An option as MySQL reads it: up to the first zero byte. 3238 for NULL and for too long ones.
fn option(v: Option<&Value<'_>>, most: usize) -> Result<Vec<u8>, ValueError> {
    let Some(v) = v else { return Ok(Vec::new()) };
    let bytes = v
        .to_octets()
        .filter(|b| b.len() < most)
        .ok_or_else(|| ValueError::of(errno::ER_AES_INVALID_KDF_OPTION_SIZE, &[&most]))?;
    Ok(bytes.iter().copied().take_while(|b| *b != 0).collect())
}

/// A number as C's atoi reads it.
fn leading_number(text: &[u8]) -> u32 {
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let digits = text.iter().take_while(|b| b.is_ascii_digit());
    digits.fold(0u32, |n, b| n.saturating_mul(10).saturating_add(u32::from(b - b'0')))
}

/// From the arguments behind the initialization vector: the name, and two options of what it names.
pub fn derivation(args: &[Value<'_>]) -> Result<Derivation, ValueError> {
    if args.is_empty() {
        return Ok(Derivation::Folded);
    }
    let name = option(args.first(), OPTION)?;
    match &name[..] {
        b"hkdf" => {
            let salt = option(args.get(1), OPTION)?;
            Ok(Derivation::Hkdf { salt, info: option(args.get(2), OPTION)? })
        }
        b"pbkdf2_hmac" => {
            let salt = option(args.get(1), OPTION)?;
            let number = option(args.get(2), ITERATIONS)?;
            let iterations = if args.len() > 2 { leading_number(&number) } else { 1000 };
            if !(1000..=65_535).contains(&iterations) {
                let text = "For KDF method pbkdf2_hmac iterations value less than 1000 or more than 65535 is not allowed";
                return Err(ValueError::new(errno::ER_AES_INVALID_KDF_ITERATIONS, text));
            }
            Ok(Derivation::Pbkdf2 { salt, iterations })
        }
        _ => Err(ValueError::of(errno::ER_AES_INVALID_KDF_NAME, &[])),
    }
}

/// HMAC-SHA-512 (RFC 2104), begun with its key so that many sums need the key's blocks once.
#[derive(Clone)]
struct Hmac {
    inner: Sha512,
    outer: Sha512,
}

impl Hmac {
    fn new(key: &[u8]) -> Hmac {
        let mut block = [0; BLOCK];
        if key.len() > BLOCK {
            block[..64].copy_from_slice(&Sha512::digest(key));
        } else {
            block[..key.len()].copy_from_slice(key);
        }
        let begun = |mask: u8| Sha512::new_with_prefix(block.map(|b| b ^ mask));
        Hmac { inner: begun(0x36), outer: begun(0x5C) }
    }

    fn sum(&self, parts: &[&[u8]]) -> Sum {
        let mut inner = self.inner.clone();
        parts.iter().for_each(|part| inner.update(part));
        let mut outer = self.outer.clone();
        outer.update(inner.finalize());
        outer.finalize().into()
    }
}

impl Derivation {
    /// Bytes that the sums of a key read.
    pub fn work(&self) -> usize {
        match self {
            Derivation::Pbkdf2 { iterations, .. } => *iterations as usize * 2 * BLOCK,
            _ => 0,
        }
    }

    /// A key of `length` bytes, 32 at most: each derivation's first sum has more.
    pub fn key(&self, password: &[u8], length: usize) -> Vec<u8> {
        let sum = match self {
            Derivation::Folded => {
                let mut key = vec![0; length];
                password.iter().enumerate().for_each(|(i, b)| key[i % length] ^= b);
                return key;
            }
            Derivation::Hkdf { salt, info } => {
                let pseudorandom = Hmac::new(salt).sum(&[password]);
                Hmac::new(&pseudorandom).sum(&[info, &[1]])
            }
            Derivation::Pbkdf2 { salt, iterations } => {
                let hmac = Hmac::new(password);
                let mut last = hmac.sum(&[salt, &[0, 0, 0, 1]]);
                let mut sum = last;
                for _ in 1..*iterations {
                    last = hmac.sum(&[&last]);
                    sum.iter_mut().zip(last).for_each(|(s, l)| *s ^= l);
                }
                sum
            }
        };
        sum[..length].to_vec()
    }
}
