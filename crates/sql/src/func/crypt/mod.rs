//! AES_ENCRYPT, AES_DECRYPT and RANDOM_BYTES.
//!
//! `modes` has the cipher, `keys` makes keys of passwords. Random bytes come from the session, which asks the runtime.
//! What is encrypted has MySQL's bytes: either server decrypts what the other one has encrypted.

mod keys;
mod modes;

use super::facts::Definitions;
use super::zlib::octets;
use super::{FuncCtx, FuncDef, Out, infer, varying};
use crate::errno;
use crate::value::{Collation, SqlType, TypeInfo, Value, ValueError};
use modes::{BLOCK, Cipher, Scheme};

/// They follow `block_encryption_mode`, so that constants do not fold.
pub(super) const TABLE: &[FuncDef] = &[
    varying("AES_ENCRYPT", 2, 6, infer_encrypt, encrypt)
        .texts()
        .in_definitions(Definitions::Anywhere),
    varying("AES_DECRYPT", 2, 6, infer_decrypt, decrypt)
        .texts()
        .in_definitions(Definitions::Anywhere),
    varying("RANDOM_BYTES", 1, 1, infer_random, random_bytes).numbers().volatile(),
];

/// Bytes that are worked off between two looks whether the statement is to end.
const PIECE: usize = 1024 * BLOCK;
/// Most bytes that RANDOM_BYTES gives.
const MOST_RANDOM: u64 = 1024;

fn infer_encrypt(args: &[TypeInfo]) -> TypeInfo {
    let n = args.first().map_or(0, octets);
    let block = BLOCK as u32;
    let most = (n / block).saturating_add(1).saturating_mul(block);
    TypeInfo::new(infer::text_type(most, Collation::Binary), infer::any_null(args))
}

fn infer_decrypt(args: &[TypeInfo]) -> TypeInfo {
    let most = args.first().map_or(0, octets);
    TypeInfo::new(infer::text_type(most, Collation::Binary), true)
}

fn infer_random(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::varbinary(MOST_RANDOM as u32), infer::any_null(args))
}

/// The initialization vector: 1882 where it is too short, 1582 where a mode needs one and there is none.
fn vector(
    cx: &mut FuncCtx<'_>,
    args: &[Value<'_>],
    scheme: Scheme,
    name: &str,
) -> Result<[u8; BLOCK], ValueError> {
    if !scheme.needs_iv() {
        // An argument behind it makes it one of those that must be there.
        if args.len() == 3 {
            cx.warnings.warn(errno::WARN_OPTION_IGNORED, || "<IV> option ignored".into());
        }
        return Ok([0; BLOCK]);
    }
    let given = args.get(2).ok_or_else(|| ValueError::wrong_parameter_count(name))?;
    let bytes = given.to_octets();
    bytes
        .as_deref()
        .and_then(|b| b.first_chunk())
        .copied()
        .ok_or_else(|| ValueError::of(errno::ER_AES_INVALID_IV, &[&name, &BLOCK]))
}

/// The cipher that the arguments and the session's mode ask for. The vector is looked at before the derivation, as in MySQL.
fn cipher(
    cx: &mut FuncCtx<'_>,
    args: &[Value<'_>],
    password: &[u8],
    decrypts: bool,
) -> Result<Option<Cipher>, ValueError> {
    let scheme = Scheme::at(cx.encryption_mode);
    let name = if decrypts { "aes_decrypt" } else { "aes_encrypt" };
    let iv = vector(cx, args, scheme, name)?;
    let derivation = keys::derivation(args.get(3..).unwrap_or(&[]))?;
    let length = scheme.key_bytes();
    if !decrypts && password.len() > length && derivation == keys::Derivation::Folded {
        let text = || {
            format!(
                "AES key size should be {length} bytes length or secure KDF methods hkdf or pbkdf2_hmac should be used, please provide exact AES key size or use KDF methods for better security."
            )
        };
        cx.warnings.warn(errno::WARN_AES_KEY_SIZE, text);
    }
    cx.work(derivation.work())?;
    let key = derivation.key(password, length);
    Ok(Cipher::new(scheme, &key, iv, decrypts))
}

fn work(cx: &mut FuncCtx<'_>, mut cipher: Cipher, text: &mut [u8]) -> Result<(), ValueError> {
    for piece in text.chunks_mut(PIECE) {
        cipher.work(piece);
        cx.work(piece.len())?;
    }
    Ok(())
}

fn encrypt(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let (Some(text), Some(password)) = (args[0].to_octets(), args[1].to_octets()) else {
        return Ok(Value::Null);
    };
    let Some(cipher) = cipher(cx, args, &password, false)? else { return Ok(Value::Null) };
    let fills = Scheme::at(cx.encryption_mode).fills_blocks();
    let mut out = if fills { modes::fill(&text) } else { text.to_vec() };
    work(cx, cipher, &mut out)?;
    Ok(Value::Bytes(out.into()))
}

/// NULL without a warning for what no key has encrypted.
fn decrypt(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let (Some(text), Some(password)) = (args[0].to_octets(), args[1].to_octets()) else {
        return Ok(Value::Null);
    };
    let Some(cipher) = cipher(cx, args, &password, true)? else { return Ok(Value::Null) };
    let fills = Scheme::at(cx.encryption_mode).fills_blocks();
    if fills && !text.len().is_multiple_of(BLOCK) {
        return Ok(Value::Null);
    }
    let mut out = text.to_vec();
    work(cx, cipher, &mut out)?;
    if fills {
        let Some(length) = modes::filled(&out) else { return Ok(Value::Null) };
        out.truncate(length);
    }
    Ok(Value::Bytes(out.into()))
}

fn random_bytes(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(n) = args[0].to_integer(&mut cx.warnings) else { return Ok(Value::Null) };
    let n = u64::try_from(n).ok().filter(|n| (1..=MOST_RANDOM).contains(n));
    let n = n.ok_or_else(|| ValueError::out_of_range("length", "random_bytes"))?;
    let mut out = vec![0; n as usize];
    cx.session.fill_random(&mut out)?;
    Ok(Value::Bytes(out.into()))
}

#[cfg(test)]
mod tests;
