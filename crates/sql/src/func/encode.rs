//! Functions that write bytes in other ways: hex, base64, digests, number bases.

use super::facts::{Arg, Form, Length};
use super::infer;
use super::{FuncCtx, FuncDef, Out, def, varying};
use crate::errno;
use crate::value::{Collation, Value, json};
use md5::Digest;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub(super) const TABLE: &[FuncDef] = &[
    def("HEX", 1, 1, infer::hexadecimal, hex).keyed(),
    def("UNHEX", 1, 1, infer::unhexed, unhex).texts(),
    def("BIN", 1, 1, infer::text_null::<65>, |cx, a| in_base(cx, a, 2))
        .written(Form::Binary)
        .takes(&[Arg::Digits]),
    def("OCT", 1, 1, infer::text_null::<65>, |cx, a| in_base(cx, a, 8))
        .written(Form::Octal)
        .takes(&[Arg::Digits]),
    def("CONV", 3, 3, infer::text_null::<65>, conv).takes(&[Arg::Digits, Arg::Number]),
    def("TO_BASE64", 1, 1, infer::base64, to_base64).texts(),
    def("FROM_BASE64", 1, 1, infer::from_base64, from_base64).texts(),
    def("MD5", 1, 1, infer::text::<32>, digest::<md5::Md5>).texts().keyed(),
    def("SHA1", 1, 1, infer::text::<40>, digest::<sha1::Sha1>).alias_of("sha").texts().keyed(),
    def("SHA", 1, 1, infer::text::<40>, digest::<sha1::Sha1>).texts().keyed(),
    def("SHA2", 2, 2, infer::text_null::<128>, sha2)
        .takes(&[Arg::Text, Arg::Any])
        .keyed()
        .length(Length::Digest),
    def("CRC32", 1, 1, infer::uint::<10>, crc32).texts().keyed(),
    varying("UUID", 0, 0, infer::server_text::<36>, uuid).volatile(),
    def("UUID_TO_BIN", 1, 2, infer::bytes_null::<16>, uuid_to_bin).texts(),
    def("BIN_TO_UUID", 1, 2, infer::text::<36>, bin_to_uuid).texts(),
    def("IS_UUID", 1, 1, infer::boolean, is_uuid).texts().truth(),
    def("INET_ATON", 1, 1, infer::uint_null::<21>, inet_aton).texts(),
    def("INET_NTOA", 1, 1, infer::text_null::<31>, inet_ntoa).numbers(),
    def("INET6_ATON", 1, 1, infer::bytes_null::<16>, inet6_aton).texts(),
    def("INET6_NTOA", 1, 1, infer::text_null::<39>, inet6_ntoa),
    def("IS_IPV4", 1, 1, infer::int::<1>, |_, a| Ok(is_address(&a[0], |i| i.is_ipv4())))
        .texts()
        .truth(),
    def("IS_IPV6", 1, 1, infer::int::<1>, |_, a| Ok(is_address(&a[0], |i| i.is_ipv6())))
        .texts()
        .truth(),
    def("IS_IPV4_COMPAT", 1, 1, infer::int::<1>, |_, a| Ok(is_inside_ipv6(&a[0], [0, 0]))).truth(),
    def("IS_IPV4_MAPPED", 1, 1, infer::int::<1>, |_, a| Ok(is_inside_ipv6(&a[0], [255, 255])))
        .truth(),
];

fn ascii(cx: &FuncCtx<'_>, text: impl Into<Vec<u8>>) -> Value<'static> {
    Value::text(text.into(), cx.collation)
}

fn hex_text(bytes: &[u8], upper: bool) -> Vec<u8> {
    let digits: &[u8; 16] = if upper { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
    bytes.iter().flat_map(|b| [digits[usize::from(b >> 4)], digits[usize::from(b & 15)]]).collect()
}

fn hex(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    // Decimals go through doubles here as well, and lose the digits that those have not.
    let real = match &args[0] {
        Value::Double(x) => Some(*x),
        d @ Value::Decimal(_) => d.to_f64(&mut cx.warnings),
        _ => None,
    };
    if let Some(x) = real {
        let fits = x > i64::MIN as f64 && x < u64::MAX as f64;
        // Halves go away from zero here, as nowhere else for doubles.
        let n = if fits { x.round() as i128 as u64 } else { u64::MAX };
        return Ok(ascii(cx, format!("{n:X}")));
    }
    if args[0].is_numeric() {
        let n = args[0].to_u64(&mut cx.warnings).unwrap_or(0);
        return Ok(ascii(cx, format!("{n:X}")));
    }
    Ok(args[0].to_octets().map_or(Value::Null, |b| ascii(cx, hex_text(&b, true))))
}

fn unhex_bytes(b: &[u8]) -> Option<Vec<u8>> {
    let digit = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
    let (first, rest) = b.split_at(b.len() % 2);
    let mut out = Vec::with_capacity(b.len() / 2 + 1);
    if let [b] = first {
        out.push(digit(*b)?);
    }
    for pair in rest.chunks_exact(2) {
        out.push(digit(pair[0])? << 4 | digit(pair[1])?);
    }
    Some(out)
}

fn unhex(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let bytes = args[0].to_bytes().and_then(|b| unhex_bytes(&b));
    Ok(bytes.map_or_else(|| wrong(cx, &args[0], "unhex"), |b| Value::Bytes(b.into())))
}

/// NULL, with warning 1411 where it is not that of the argument.
fn wrong(cx: &mut FuncCtx<'_>, v: &Value<'_>, function: &str) -> Value<'static> {
    if !v.is_null() {
        let shown = v.to_string_lossy().unwrap_or_default();
        let shown = if v.is_string() { format!("'{shown}'") } else { shown };
        let kind = if function == "inet_ntoa" { "integer" } else { "string" };
        let text = || format!("Incorrect {kind} value: '{shown}' for function {function}");
        cx.warnings.warn(errno::ER_WRONG_VALUE_FOR_TYPE, text);
    }
    Value::Null
}

fn digits(mut n: u64, base: u64) -> String {
    let mut out = Vec::new();
    loop {
        out.push(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(n % base) as usize]);
        n /= base;
        if n == 0 {
            break;
        }
    }
    out.reverse();
    String::from_utf8_lossy(&out).into_owned()
}

/// BIN and OCT are CONV from base 10: what comes after the digits is cut, not rounded.
fn in_base(cx: &mut FuncCtx<'_>, args: &[Value<'_>], base: i64) -> Out {
    conv(cx, &[args[0].borrow(), Value::Int(10), Value::Int(base)])
}

/// CONV(n, from, to): a negative base means signed numbers.
fn conv(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let w = &mut cx.warnings;
    let (Some(text), Some(from), Some(to)) =
        (args[0].to_string_lossy(), args[1].to_i64(w), args[2].to_i64(w))
    else {
        return Ok(Value::Null);
    };
    let ok = |b: i64| (2..=36).contains(&b.unsigned_abs());
    if !ok(from) || !ok(to) {
        return Ok(Value::Null);
    }
    let text = text.trim_start();
    if text.is_empty() {
        return Ok(Value::Null);
    }
    let (neg, body) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut n = 0u64;
    for d in body.chars().map_while(|c| c.to_digit(from.unsigned_abs() as u32)) {
        let next = n.checked_mul(from.unsigned_abs()).and_then(|n| n.checked_add(u64::from(d)));
        n = next.unwrap_or(u64::MAX);
    }
    if neg {
        n = n.wrapping_neg();
    }
    let signed = n as i64;
    let out = if to < 0 && signed < 0 {
        format!("-{}", digits(signed.unsigned_abs(), to.unsigned_abs()))
    } else {
        digits(n, to.unsigned_abs())
    };
    Ok(ascii(cx, out))
}

/// Lines of 76 characters, as MySQL breaks them.
fn to_base64(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(b) = args[0].to_octets() else { return Ok(Value::Null) };
    let mut out = Vec::with_capacity(b.len() * 4 / 3 + 4);
    for (i, chunk) in b.chunks(3).enumerate() {
        if i > 0 && i % 19 == 0 {
            out.push(b'\n');
        }
        let n = chunk.iter().fold(0u32, |n, &b| n << 8 | u32::from(b)) << (8 * (3 - chunk.len()));
        for k in 0..4 {
            let digit = json::BASE64_DIGITS[(n >> (18 - 6 * k) & 63) as usize];
            out.push(if k <= chunk.len() { digit } else { b'=' });
        }
    }
    Ok(ascii(cx, out))
}

fn from_base64(_: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(b) = args[0].to_bytes() else { return Ok(Value::Null) };
    Ok(json::from_base64(&b).map_or(Value::Null, |b| Value::Bytes(b.into())))
}

/// Bytes of a large value between two looks whether the statement is to end.
const PIECE: usize = 256 * 1024;

fn digest<D: Digest>(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(b) = args[0].to_octets() else { return Ok(Value::Null) };
    let mut sum = D::new();
    for piece in b.chunks(PIECE) {
        sum.update(piece);
        cx.work(piece.len())?;
    }
    Ok(ascii(cx, hex_text(sum.finalize().as_ref(), false)))
}

fn sha2(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    match args[1].to_i64(&mut cx.warnings) {
        Some(0 | 256) => digest::<sha2::Sha256>(cx, args),
        Some(224) => digest::<sha2::Sha224>(cx, args),
        Some(384) => digest::<sha2::Sha384>(cx, args),
        Some(512) => digest::<sha2::Sha512>(cx, args),
        _ => Ok(Value::Null),
    }
}

/// CRC-32 of zlib (polynomial EDB88320): what each byte does to the register.
const CRC: [u32; 256] = {
    let mut table = [0; 256];
    let mut n = 0;
    while n < table.len() {
        let mut crc = n as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
            bit += 1;
        }
        table[n] = crc;
        n += 1;
    }
    table
};

fn crc32_go_on(crc: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(crc, |crc, b| crc >> 8 ^ CRC[usize::from(crc as u8 ^ b)])
}

/// CRC-32 of zlib.
pub fn crc32_of(bytes: &[u8]) -> u32 {
    !crc32_go_on(u32::MAX, bytes)
}

fn crc32(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(bytes) = args[0].to_octets() else { return Ok(Value::Null) };
    let mut crc = u32::MAX;
    for piece in bytes.chunks(PIECE) {
        crc = crc32_go_on(crc, piece);
        cx.work(piece.len())?;
    }
    Ok(Value::UInt(u64::from(!crc)))
}

/// Version 1: 100 ns since 1582-10-15, a random node.
fn uuid(cx: &mut FuncCtx<'_>, _: &[Value<'_>]) -> Out {
    let random = cx.session.random();
    let since_1582 = 0x01B2_1DD2_1381_4000u64;
    // The last digit of the 100 ns clock is random, so that two calls in a microsecond differ.
    let ticks = (cx.session.clock_micros() as u64).wrapping_mul(10).wrapping_add(random % 10);
    let t = ticks.wrapping_add(since_1582);
    let node = random >> 16 | 0x0100_0000_0000;
    let text = format!(
        "{:08x}-{:04x}-1{:03x}-{:04x}-{:012x}",
        t as u32,
        (t >> 32) as u16,
        t >> 48 & 0xFFF,
        0x8000 | (cx.session.random() & 0x3FFF),
        node & 0xFFFF_FFFF_FFFF
    );
    Ok(Value::text(text.into_bytes(), infer::SYSTEM))
}

fn parse_uuid(b: &[u8]) -> Option<Vec<u8>> {
    let b = b.strip_prefix(b"{").and_then(|b| b.strip_suffix(b"}")).unwrap_or(b);
    let bare = match b.len() {
        32 => b.to_vec(),
        36 if [8, 13, 18, 23].iter().all(|&i| b[i] == b'-') => {
            b.iter().copied().filter(|&c| c != b'-').collect()
        }
        _ => return None,
    };
    (bare.len() == 32).then(|| unhex_bytes(&bare)).flatten()
}

/// Time-high first, for keys that grow.
fn swap(b: &[u8]) -> Vec<u8> {
    [&b[6..8], &b[4..6], &b[..4], &b[8..]].concat()
}

fn unswap(b: &[u8]) -> Vec<u8> {
    [&b[4..8], &b[2..4], &b[..2], &b[8..]].concat()
}

fn wrong_uuid(args: &[Value<'_>], function: &str) -> crate::value::ValueError {
    let shown = args[0].to_string_lossy().unwrap_or_default();
    let text = format!("Incorrect string value: '{shown}' for function {function}");
    crate::value::ValueError::new(errno::ER_WRONG_VALUE_FOR_TYPE, text)
}

fn uuid_to_bin(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(text) = args[0].to_bytes() else { return Ok(Value::Null) };
    let b = parse_uuid(&text).ok_or_else(|| wrong_uuid(args, "uuid_to_bin"))?;
    let swapped = args.get(1).and_then(|v| v.to_bool(&mut cx.warnings)) == Some(true);
    Ok(Value::Bytes(if swapped { swap(&b) } else { b }.into()))
}

fn bin_to_uuid(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(b) = args[0].to_bytes() else { return Ok(Value::Null) };
    if b.len() != 16 {
        return Err(wrong_uuid(args, "bin_to_uuid"));
    }
    let swapped = args.get(1).and_then(|v| v.to_bool(&mut cx.warnings)) == Some(true);
    let b = if swapped { unswap(&b) } else { b.into_owned() };
    let parts = [&b[..4], &b[4..6], &b[6..8], &b[8..10], &b[10..]];
    let text = parts.map(|p| hex_text(p, false)).join(&b'-');
    Ok(ascii(cx, text))
}

fn is_uuid(_: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    Ok(args[0].to_bytes().map_or(Value::Null, |b| Value::bool(parse_uuid(&b).is_some())))
}

fn inet_aton(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let parsed = args[0].to_string_lossy().and_then(|t| ipv4(&t));
    Ok(parsed.map_or_else(|| wrong(cx, &args[0], "inet_aton"), |n| Value::UInt(n as u64)))
}

/// Parts of one byte each, of which an empty one is zero; where there are two or three, the last one is the lowest byte ('127.1' is
/// 127.0.0.1), and the others are the highest.
fn ipv4(text: &str) -> Option<i64> {
    // A sign, which Rust's parser takes, is no part of an address.
    let digits = |p: &str| p.bytes().all(|b| b.is_ascii_digit());
    let part = |p: &str| match p {
        "" => Some(0),
        p => p.parse().ok().filter(|_| digits(p)),
    };
    let parts: Vec<u8> = text.split('.').map(part).collect::<Option<_>>()?;
    let (last, high) = parts.split_last().filter(|_| !text.is_empty() && !text.ends_with('.'))?;
    // Bits that leave 64 are lost, as in MySQL, which counts no parts.
    let high = high.iter().fold(0u64, |n, b| n << 8 | u64::from(*b));
    let missing = match parts.len() {
        2 => 2,
        3 => 1,
        _ => 0,
    };
    Some((high << (8 * (missing + 1)) | u64::from(*last)) as i64)
}

fn inet_ntoa(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let n = args[0].to_integer(&mut cx.warnings).and_then(|n| u32::try_from(n).ok());
    let Some(n) = n else { return Ok(wrong(cx, &args[0], "inet_ntoa")) };
    let text = Ipv4Addr::from_bits(n).to_string();
    Ok(Value::text(text.into_bytes(), Collation::Utf8mb4GeneralCi))
}

/// The address that a text is; the text of an IPv4 address has four numbers of at most three digits.
fn address(v: &Value<'_>) -> Option<IpAddr> {
    if !v.is_string() {
        return None;
    }
    let text = v.to_string_lossy()?;
    if let Some(v4) = four_numbers(&text) {
        return Some(IpAddr::V4(v4));
    }
    // At the end of an IPv6 address, too, MySQL reads the numbers with zeros before them.
    let plain = text.rsplit_once(':').and_then(|(high, low)| {
        Some(format!("{high}:{}", low.contains('.').then(|| four_numbers(low)).flatten()?))
    });
    plain.as_deref().unwrap_or(&text).parse::<Ipv6Addr>().ok().map(IpAddr::V6)
}

fn four_numbers(text: &str) -> Option<Ipv4Addr> {
    let digits = |p: &str| (1..=3).contains(&p.len()) && p.bytes().all(|b| b.is_ascii_digit());
    let number = |p: &str| p.parse::<u8>().ok().filter(|_| digits(p));
    let bytes = text.split('.').map(number).collect::<Option<Vec<u8>>>()?;
    Some(<[u8; 4]>::try_from(bytes).ok()?.into())
}

/// 0 also for NULL, as in MySQL.
fn is_address(v: &Value<'_>, is: impl Fn(&IpAddr) -> bool) -> Value<'static> {
    Value::bool(address(v).is_some_and(|i| is(&i)))
}

fn inet6_aton(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    if args[0].is_null() {
        return Ok(Value::Null);
    }
    Ok(match address(&args[0]) {
        Some(IpAddr::V4(a)) => Value::Bytes(a.octets().to_vec().into()),
        Some(IpAddr::V6(a)) => Value::Bytes(a.octets().to_vec().into()),
        None => wrong(cx, &args[0], "inet6_aton"),
    })
}

fn inet6_ntoa(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    // The text of an address is not one, nor is any text that happens to be as long as one.
    let bytes = Some(&args[0]).filter(|v| matches!(v, Value::Bytes(_)));
    let text = match bytes.and_then(Value::as_bytes) {
        Some(b) if b.len() == 4 => <[u8; 4]>::try_from(b).ok().map(|b| IpAddr::from(b).to_string()),
        Some(b) => <[u8; 16]>::try_from(b).ok().map(|b| ipv6_text(Ipv6Addr::from(b))),
        None => None,
    };
    let Some(t) = text else { return Ok(wrong(cx, &args[0], "inet6_ntoa")) };
    Ok(Value::text(t.into_bytes(), infer::TEXT))
}

/// As MySQL writes it: `::` also stands for a single zero, and an address behind six of them is IPv4's.
fn ipv6_text(address: Ipv6Addr) -> String {
    let words = address.segments();
    let run = |from: usize| words[from..].iter().take_while(|w| **w == 0).count();
    // The first of the longest ones.
    let (from, zeros) = (0..8).map(|i| (i, run(i))).rev().max_by_key(|(_, n)| *n).unwrap_or((0, 0));
    let [.., a, b, c, d] = address.octets();
    let mapped = from == 0 && zeros == 5 && words[5] == 0xFFFF;
    if mapped || (from == 0 && zeros == 6) {
        let mark = if mapped { "ffff:" } else { "" };
        return format!("::{mark}{a}.{b}.{c}.{d}");
    }
    let list = |part: &[u16]| part.iter().map(|w| format!("{w:x}")).collect::<Vec<_>>().join(":");
    match zeros {
        0 => list(&words),
        n => format!("{}::{}", list(&words[..from]), list(&words[from + n..])),
    }
}

/// Whether 16 bytes are an IPv4 address behind ten zeros and `mark`. Of those behind zeros alone, `::` and `::1` are IPv6's own.
fn is_inside_ipv6(v: &Value<'_>, mark: [u8; 2]) -> Value<'static> {
    let inside = v.as_bytes().is_some_and(|b| {
        b.len() == 16
            && b[..10].iter().all(|x| *x == 0)
            && b[10..12] == mark
            && (mark != [0, 0] || b[12..15] != [0; 3] || b[15] > 1)
    });
    Value::bool(inside)
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    #[test]
    fn table() {
        check(&[
            ("HEX", &[s("abc")], Some("616263")),
            ("HEX", &[i(255)], Some("FF")),
            ("UNHEX", &[s("4D7953514C")], Some("MySQL")),
            ("UNHEX", &[s("GG")], None),
            ("BIN", &[i(12)], Some("1100")),
            ("OCT", &[i(12)], Some("14")),
            ("CONV", &[s("a"), i(16), i(2)], Some("1010")),
            ("CONV", &[s("6E"), i(18), i(8)], Some("172")),
            ("CONV", &[i(-17), i(10), i(-18)], Some("-H")),
            ("TO_BASE64", &[s("abc")], Some("YWJj")),
            ("TO_BASE64", &[s("abcd")], Some("YWJjZA==")),
            ("FROM_BASE64", &[s("YWJjZA==")], Some("abcd")),
            ("FROM_BASE64", &[s("!")], None),
            ("MD5", &[s("testing")], Some("ae2b1fca515949e5d54fb22b8ed95575")),
            ("SHA1", &[s("abc")], Some("a9993e364706816aba3e25717850c26c9cd0d89d")),
            (
                "SHA2",
                &[s("abc"), i(224)],
                Some("23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
            ),
            ("CRC32", &[s("MySQL")], Some("3259397556")),
            ("INET_ATON", &[s("10.0.5.9")], Some("167773449")),
            ("INET_ATON", &[s("+3")], None),
            ("INET_ATON", &[s(".5")], Some("5")),
            ("INET_ATON", &[s("127.1")], Some("2130706433")),
            ("INET_ATON", &[s("1.2.3")], Some("16908291")),
            ("INET_ATON", &[s("1..3")], Some("16777219")),
            ("INET_ATON", &[s("7")], Some("7")),
            ("INET_ATON", &[s("1.")], None),
            ("INET_ATON", &[s("")], None),
            ("INET_ATON", &[s("256")], None),
            ("IS_IPV4", &[s("10.0.5.9")], Some("1")),
            ("IS_IPV4", &[s("10.0.5.256")], Some("0")),
            ("IS_IPV4", &[s("10.0.5")], Some("0")),
            ("IS_IPV4", &[s("10.0.0005.1")], Some("0")),
            ("IS_IPV4", &[crate::value::Value::Null], Some("0")),
            ("IS_IPV4", &[i(1)], Some("0")),
            ("IS_IPV6", &[s("::1")], Some("1")),
            ("IS_IPV6", &[s("10.0.5.9")], Some("0")),
            ("INET6_ATON", &[s("x")], None),
            ("INET6_NTOA", &[crate::value::Value::Bytes(b"abcd".into())], Some("97.98.99.100")),
            ("INET6_NTOA", &[s("abcd")], None),
            ("INET6_NTOA", &[s("abc")], None),
            ("IS_IPV4_COMPAT", &[s("abcd")], Some("0")),
            ("INET_NTOA", &[i(167_773_449)], Some("10.0.5.9")),
            ("IS_UUID", &[s("6ccd780c-baba-1026-9564-5b8c656024db")], Some("1")),
        ]);
    }

    #[test]
    fn uuids() {
        let text = "6ccd780c-baba-1026-9564-5b8c656024db";
        for swapped in [0, 1] {
            let bin = call("UUID_TO_BIN", &[s(text), i(swapped)]).expect("valid");
            assert_eq!(run("BIN_TO_UUID", &[bin, i(swapped)]).as_deref(), Some(text));
        }
        let swapped = call("UUID_TO_BIN", &[s(text), i(1)]).expect("valid");
        assert_eq!(run("HEX", &[swapped]).as_deref(), Some("1026BABA6CCD780C95645B8C656024DB"));
        let fresh = run("UUID", &[]).expect("text");
        assert_eq!(run("IS_UUID", &[s(&fresh)]).as_deref(), Some("1"));
    }
}
