//! Values of literal tokens.

use std::borrow::Cow;

/// Removes the quotes of a string or identifier and undoes doubled quotes and, if `escapes`,
/// backslash sequences. `\%` and `\_` stay as they are: LIKE gives them their meaning.
pub fn unquote(raw: &[u8], escapes: bool) -> Cow<'_, [u8]> {
    let quote = raw[0];
    let inner = &raw[1..raw.len() - 1];
    let plain = !inner.iter().any(|&b| b == quote || (escapes && b == b'\\'));
    if plain {
        return Cow::Borrowed(inner);
    }
    let mut out = Vec::with_capacity(inner.len());
    let mut i = 0;
    while i < inner.len() {
        let b = inner[i];
        if b == quote {
            // The lexer saw to it that quotes inside come in pairs.
            out.push(quote);
            i += 2;
        } else if escapes && b == b'\\' && i + 1 < inner.len() {
            match inner[i + 1] {
                b'n' => out.push(b'\n'),
                b't' => out.push(b'\t'),
                b'r' => out.push(b'\r'),
                b'b' => out.push(8),
                b'0' => out.push(0),
                b'Z' => out.push(0x1a),
                c @ (b'%' | b'_') => out.extend_from_slice(&[b'\\', c]),
                c => out.push(c),
            }
            i += 2;
        } else {
            out.push(b);
            i += 1;
        }
    }
    Cow::Owned(out)
}

/// Digits of a `x'..'` or `0x..` token (the same for `b`).
fn digits(raw: &[u8]) -> &[u8] {
    if raw[0] == b'0' { &raw[2..] } else { &raw[2..raw.len() - 1] }
}

/// Bytes of a hexadecimal literal; an odd number of digits gets a leading zero.
pub fn hex(raw: &[u8]) -> Box<[u8]> {
    let digits = digits(raw);
    let mut out = Vec::with_capacity(digits.len().div_ceil(2));
    let odd = digits.len() % 2;
    if odd == 1 {
        out.push(nibble(digits[0]));
    }
    for pair in digits[odd..].chunks_exact(2) {
        out.push(nibble(pair[0]) << 4 | nibble(pair[1]));
    }
    out.into()
}

fn nibble(b: u8) -> u8 {
    match b {
        b'0'..=b'9' => b - b'0',
        _ => (b & 0xdf) - b'A' + 10,
    }
}

/// Bytes of a bit literal, big-endian, the first byte padded with zeros in front.
pub fn bits(raw: &[u8]) -> Box<[u8]> {
    let digits = digits(raw);
    let mut out = vec![0u8; digits.len().div_ceil(8)];
    let pad = out.len() * 8 - digits.len();
    for (i, &d) in digits.iter().enumerate() {
        let bit = pad + i;
        out[bit / 8] |= (d - b'0') << (7 - bit % 8);
    }
    out.into()
}

/// An unsigned integer, if it fits.
pub fn int(raw: &[u8]) -> Option<u64> {
    let mut value: u64 = 0;
    for &b in raw {
        value = value.checked_mul(10)?.checked_add(u64::from(b.wrapping_sub(b'0')))?;
    }
    Some(value)
}

/// Character sets an introducer may name (after the underscore).
const CHARSETS: [&str; 42] = [
    "utf8mb4", "utf8mb3", "utf8", "latin1", "binary", "ascii", "armscii8", "big5", "cp1250",
    "cp1251", "cp1256", "cp1257", "cp850", "cp852", "cp866", "cp932", "dec8", "eucjpms", "euckr",
    "gb18030", "gb2312", "gbk", "geostd8", "greek", "hebrew", "hp8", "keybcs2", "koi8r", "koi8u",
    "latin2", "latin5", "latin7", "macce", "macroman", "sjis", "swe7", "tis620", "ucs2", "ujis",
    "utf16", "utf16le", "utf32",
];

/// The character set a word such as `_utf8mb4` introduces.
pub fn introducer(word: &[u8]) -> Option<&'static str> {
    let name = word.strip_prefix(b"_")?;
    CHARSETS.iter().find(|c| c.as_bytes().eq_ignore_ascii_case(name)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(&*unquote(br"'a\n\0\Z\%\_\x\''''", true), b"a\n\0\x1a\\%\\_x''");
        assert_eq!(&*unquote(br"'a\n'", false), br"a\n");
        assert_eq!(&*unquote(b"`a``b`", false), b"a`b");
    }

    #[test]
    fn radix() {
        assert_eq!(&*hex(b"x'4D79'"), b"My");
        assert_eq!(&*hex(b"0xabc"), [0x0a, 0xbc]);
        assert_eq!(&*bits(b"b'0101'"), [5]);
        assert_eq!(&*bits(b"0b100000001"), [1, 1]);
        assert_eq!(int(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(int(b"18446744073709551616"), None);
    }
}
