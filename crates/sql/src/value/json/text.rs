//! A JSON value as text.

use super::super::DateTime;
use super::super::convert::{write_i64, write_u64};
use super::super::double::double_text;
use super::super::{EvalCtx, Time, ValueError};
use super::binary::{Item, View};

impl View<'_> {
    /// Appends the normalized text: a space behind each comma and colon.
    pub fn write_text(self, out: &mut Vec<u8>) {
        match self.item() {
            Item::Array => {
                out.push(b'[');
                for (i, e) in self.elements().enumerate() {
                    if i > 0 {
                        out.extend_from_slice(b", ");
                    }
                    e.write_text(out);
                }
                out.push(b']');
            }
            Item::Object => {
                out.push(b'{');
                for (i, (name, value)) in self.members().enumerate() {
                    if i > 0 {
                        out.extend_from_slice(b", ");
                    }
                    quote(name, out);
                    out.extend_from_slice(b": ");
                    value.write_text(out);
                }
                out.push(b'}');
            }
            item => write_scalar(item, true, out),
        }
    }

    /// Appends a string without its quotes, and all else as text.
    pub fn write_unquoted(self, out: &mut Vec<u8>) {
        match self.item() {
            Item::Array | Item::Object => self.write_text(out),
            item => write_scalar(item, false, out),
        }
    }
}

fn write_scalar(item: Item<'_>, quoted: bool, out: &mut Vec<u8>) {
    let text = |s: &[u8], out: &mut Vec<u8>| match quoted {
        true => quote(s, out),
        false => out.extend_from_slice(s),
    };
    match item {
        Item::Null | Item::Array | Item::Object => out.extend_from_slice(b"null"),
        Item::Bool(true) => out.extend_from_slice(b"true"),
        Item::Bool(false) => out.extend_from_slice(b"false"),
        Item::Int(n) => write_i64(n, out),
        Item::UInt(n) => write_u64(n, out),
        Item::Decimal(d) => out.extend_from_slice(d.to_string().as_bytes()),
        Item::Double(x) => {
            let shown = double_text(x);
            out.extend_from_slice(shown.as_bytes());
            // The point makes it a double and not an integer.
            if !shown.contains(['.', 'e']) {
                out.extend_from_slice(b".0");
            }
        }
        Item::Str(s) => text(s, out),
        Item::Date(d) => text(d.to_string().as_bytes(), out),
        Item::Time(t) => text(Time { fsp: 6, ..t }.to_string().as_bytes(), out),
        Item::DateTime(d, _) => text(DateTime { fsp: 6, ..d }.to_string().as_bytes(), out),
        Item::Opaque(ty, data) => {
            let mut shown = format!("base64:type{ty}:").into_bytes();
            base64(data, &mut shown);
            text(&shown, out);
        }
    }
}

/// Appends a string in quotes, with the escapes that JSON needs.
pub fn quote(s: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let mut from = 0;
    for (i, &b) in s.iter().enumerate() {
        if !matches!(b, b'"' | b'\\' | 0..0x20) {
            continue;
        }
        out.extend_from_slice(&s[from..i]);
        from = i + 1;
        match b {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', b]),
            8 => out.extend_from_slice(b"\\b"),
            12 => out.extend_from_slice(b"\\f"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            _ => out.extend_from_slice(format!("\\u{b:04x}").as_bytes()),
        }
    }
    out.extend_from_slice(&s[from..]);
    out.push(b'"');
}

pub const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(data: &[u8], out: &mut Vec<u8>) {
    for chunk in data.chunks(3) {
        let n = chunk.iter().fold(0u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let digit = DIGITS[(n >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= chunk.len() { digit } else { b'=' });
        }
    }
}

/// The bytes of a text in base64, white space aside.
pub fn from_base64(text: &[u8]) -> Option<Vec<u8>> {
    let clean: Vec<u8> = text.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
    let padding = clean.iter().rev().take_while(|&&b| b == b'=').count();
    if !clean.len().is_multiple_of(4) || padding > 2 {
        return None;
    }
    let mut out = Vec::with_capacity(clean.len() / 4 * 3);
    let (mut n, mut bits) = (0u32, 0);
    for b in &clean[..clean.len() - padding] {
        n = n << 6 | DIGITS.iter().position(|c| c == b)? as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((n >> bits) as u8);
        }
    }
    Some(out)
}

/// JSON_PRETTY: a line for each element, two spaces for each level. What is longer than max_allowed_packet is not written to its end.
pub fn pretty(
    v: View<'_>,
    level: usize,
    out: &mut Vec<u8>,
    cx: &mut EvalCtx<'_>,
) -> Result<(), ValueError> {
    if !v.is_container() || v.is_empty() {
        v.write_text(out);
        return Ok(());
    }
    let line = |level: usize, out: &mut Vec<u8>| {
        out.push(b'\n');
        out.resize(out.len() + 2 * level, b' ');
    };
    let object = v.is_object();
    out.push(if object { b'{' } else { b'[' });
    for i in 0..v.len() {
        let from = out.len();
        if from > cx.max_packet {
            return Ok(());
        }
        if i > 0 {
            out.push(b',');
        }
        line(level + 1, out);
        if object {
            quote(v.name(i), out);
            out.extend_from_slice(b": ");
        }
        cx.work(out.len() - from)?;
        pretty(v.element(i), level + 1, out, cx)?;
    }
    line(level, out);
    out.push(if object { b'}' } else { b']' });
    Ok(())
}
