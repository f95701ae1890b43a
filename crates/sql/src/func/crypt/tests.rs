use super::super::{lookup, testing::*};
use super::*;
use crate::value::NoSession;

/// Calls with `block_encryption_mode` at this place. The result and the numbers of the warnings.
fn call_in(
    mode: u8,
    name: &str,
    args: &[Value<'_>],
) -> (Result<Option<Vec<u8>>, ValueError>, Vec<u16>) {
    let mut cx = FuncCtx::new(&NoSession);
    cx.encryption_mode = mode;
    let out = (lookup(name).expect("there").eval)(&mut cx, args);
    let codes = cx.warnings.list().iter().map(|w| w.code).collect();
    (out.map(|v| v.to_bytes().map(|b| b.to_vec())), codes)
}

fn hex(mode: u8, args: &[Value<'_>]) -> String {
    let bytes = call_in(mode, "AES_ENCRYPT", args).0.expect("no error").expect("not NULL");
    bytes.iter().map(|b| format!("{b:02X}")).collect()
}

fn error(mode: u8, name: &str, args: &[Value<'_>]) -> (u16, String) {
    let e = call_in(mode, name, args).0.expect_err("refused");
    (e.errno, e.message)
}

const IV: &str = "1234567890123456";

#[test]
fn other_servers_have_the_same_bytes() {
    assert_eq!(hex(0, &[s("text"), s("key")]), "15E36637363712FC2E699B9C95B75393");
    assert_eq!(hex(0, &[s("a"), s("")]), "8E4A3D4BEB92D54C7E95F67D41DAED59");
    assert_eq!(hex(5, &[s("text"), s("key"), s(IV)]), "53C2A3389ACA49DC6D54A64FF0D653E4");
    assert_eq!(hex(10, &[s("text"), s("key"), s(IV)]), "0D0B3D84");
    let derived: &[(&[&str], &str)] = &[
        (&["hkdf"], "A4162DA9554160ED1D3256CD929D62D6"),
        (&["hkdf", "salt", "info"], "8EC3809A498FD3573159A00EC7861637"),
        (&["pbkdf2_hmac", "salt", " 2000"], "D04495C823A8C080C54A837BBBE88D35"),
    ];
    for (options, want) in derived {
        let all: Vec<_> = ["text", "key", IV].iter().chain(*options).map(|t| s(t)).collect();
        assert_eq!(hex(5, &all), *want, "{options:?}");
    }
}

#[test]
fn what_is_encrypted_comes_back() {
    for mode in 0..18 {
        for n in [0usize, 1, 15, 16, 17, 100, 2 * PIECE + 5] {
            let n = if mode >= 6 { n.min(100) } else { n };
            let text: Vec<u8> = (0..n).map(|i| (i * 7) as u8).collect();
            let args = [Value::Bytes(text.clone().into()), s("a key"), s(IV)];
            let secret = call_in(mode, "AES_ENCRYPT", &args).0.expect("fits").expect("not NULL");
            assert_eq!(secret.len(), if mode < 6 { n / 16 * 16 + 16 } else { n }, "{mode}");
            let args = [Value::Bytes(secret.into()), s("a key"), s(IV)];
            assert_eq!(call_in(mode, "AES_DECRYPT", &args).0, Ok(Some(text)), "{mode} {n}");
        }
    }
}

#[test]
fn what_no_key_has_encrypted_is_null() {
    for text in ["", "x", "fifteen bytes..", "sixteen bytes...", "seventeen bytes.."] {
        for mode in [0, 5] {
            let args = [s(text), s("key"), s(IV)];
            let (out, _) = call_in(mode, "AES_DECRYPT", &args[..if mode == 0 { 2 } else { 3 }]);
            assert_eq!(out, Ok(None), "{text}");
        }
    }
    for name in ["AES_ENCRYPT", "AES_DECRYPT"] {
        // NULL comes before what else is wrong.
        for args in [[Value::Null, s("k")], [s("t"), Value::Null]] {
            assert_eq!(call_in(3, name, &args), (Ok(None), vec![]));
        }
    }
}

#[test]
fn vectors() {
    let function = "aes_decrypt";
    let count = format!("Incorrect parameter count in the call to native function '{function}'");
    assert_eq!(error(3, "AES_DECRYPT", &[s("t"), s("k")]), (1582, count));
    let short = "The initialization vector supplied to aes_encrypt is too short. Must be at least 16 bytes long";
    for iv in [s(""), s("fifteen bytes.."), Value::Null] {
        let args = [s("t"), s("k"), iv];
        assert_eq!(error(15, "AES_ENCRYPT", &args), (1882, short.into()));
    }
    // What is behind the 16th byte does not count.
    let long = format!("{IV}more");
    assert_eq!(hex(3, &[s("t"), s("k"), s(&long)]), hex(3, &[s("t"), s("k"), s(IV)]));
    assert_eq!(call_in(0, "AES_ENCRYPT", &[s("t"), s("k"), s(IV)]).1, [1618]);
    assert_eq!(call_in(0, "AES_ENCRYPT", &[s("t"), s("k"), Value::Null]).1, [1618]);
    assert_eq!(call_in(0, "AES_ENCRYPT", &[s("t"), s("k"), s(""), s("hkdf")]).1, []);
}

#[test]
fn derivations() {
    let with = |options: &[Value<'_>]| {
        let mut args = vec![s("t"), s("k"), s("")];
        args.extend(options.iter().map(Value::borrow));
        call_in(0, "AES_ENCRYPT", &args).0.map_err(|e| e.errno)
    };
    let long = "x".repeat(256);
    for name in [s("HKDF"), s("scrypt"), s("")] {
        assert_eq!(with(&[name]), Err(3235));
    }
    for name in [s(&long), Value::Null] {
        assert_eq!(with(&[name]), Err(3238));
    }
    for method in ["hkdf", "pbkdf2_hmac"] {
        assert_eq!(with(&[s(method), s(&long)]), Err(3238));
        assert_eq!(with(&[s(method), Value::Null]), Err(3238));
        assert_eq!(with(&[s(method), s("salt"), Value::Null]), Err(3238));
        assert!(with(&[s(method), s("")]).is_ok());
        assert_eq!(with(&[s(method), s("a\0b")]), with(&[s(method), s("a")]));
    }
    for n in ["999", "65536", "aa", "", "-2000"] {
        assert_eq!(with(&[s("pbkdf2_hmac"), s("salt"), s(n)]), Err(3236), "{n}");
    }
    assert_eq!(with(&[s("pbkdf2_hmac"), s("salt"), s("123456")]), Err(3238));
    let (a, b) = (with(&[s("pbkdf2_hmac")]), with(&[s("pbkdf2_hmac"), s(""), i(1000)]));
    assert_eq!(a, b);
    // A long password is warned of where it is folded and nothing is derived of it.
    let password = "x".repeat(17);
    assert_eq!(call_in(0, "AES_ENCRYPT", &[s("t"), s(&password)]).1, [3237]);
    assert_eq!(call_in(2, "AES_ENCRYPT", &[s("t"), s(&password)]).1, []);
    assert_eq!(call_in(0, "AES_ENCRYPT", &[s("t"), s(&password), s(""), s("hkdf")]).1, []);
    assert_eq!(call_in(0, "AES_DECRYPT", &[s("t"), s(&password)]).1, []);
}

#[test]
fn random_numbers_of_bytes() {
    for n in [1, 7, 8, 9, 1024] {
        let (out, _) = call_in(0, "RANDOM_BYTES", &[i(n)]);
        assert_eq!(out.expect("fits").map(|b| b.len()), Some(n as usize));
    }
    assert_eq!(call_in(0, "RANDOM_BYTES", &[Value::Null]).0, Ok(None));
    let text = "length value is out of range in 'random_bytes'";
    for n in [i(0), i(-1), i(1025), i(i64::MIN), Value::UInt(u64::MAX)] {
        assert_eq!(error(0, "RANDOM_BYTES", &[n]), (1690, text.into()));
    }
}
