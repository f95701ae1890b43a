//! Texts as clients send them, in UTF-8 for the lexer and back: see `weir_syntax::lex::client`.

use super::{Charset, Collation, Value, ValueError};
use std::borrow::Cow;
use weir_syntax::lex::Client;
use weir_syntax::lex::client::{is_placeholder, placeholder_at, push_placeholder};

/// A character set as the parser wants it; none where texts are UTF-8 as they come.
pub fn client(charset: Charset) -> Option<Client> {
    let foreign = !charset.is_unicode() && charset != Charset::Binary;
    foreign.then(|| Client { charset: charset.name(), encode, decode })
}

fn encode(charset: &str, text: &[u8]) -> Vec<u8> {
    match Charset::by_name(charset) {
        Some(set) => to_sent(set, text),
        None => text.to_vec(),
    }
}

fn decode(charset: &str, bytes: &[u8]) -> (Vec<u8>, usize) {
    match Charset::by_name(charset) {
        Some(set) => set.convert(bytes, Charset::Utf8mb4),
        None => (bytes.to_vec(), 0),
    }
}

/// A client's text in UTF-8. No byte of a character that is not ASCII's becomes ASCII, and [`to_sent`] gives back every byte.
pub fn to_lexed(set: Charset, sent: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(sent.len() + sent.len() / 2);
    let mut at = 0;
    while at < sent.len() {
        at += step(set, &sent[at..], &mut out);
    }
    out
}

/// How many bytes of a client's text make the first `lexed` bytes of it in UTF-8.
pub fn sent_bytes(set: Charset, sent: &[u8], lexed: usize) -> usize {
    let (mut at, mut made, mut out) = (0, 0, Vec::new());
    while made < lexed && at < sent.len() {
        at += step(set, &sent[at..], &mut out);
        made += out.len();
        out.clear();
    }
    at
}

/// Appends the first character; how many bytes it had.
fn step(set: Charset, sent: &[u8], out: &mut Vec<u8>) -> usize {
    if sent[0].is_ascii() {
        out.push(sent[0]);
        return 1;
    }
    let mark = out.len();
    let n = set.char_at(sent).clamp(1, sent.len());
    let exact = match set.decode(sent) {
        Some((cp, len)) if len == n && cp >= 0x80 && !is_placeholder(cp) => {
            let same = set.encode(cp, out) && out[mark..] == sent[..n];
            out.truncate(mark);
            char::from_u32(cp).filter(|_| same)
        }
        _ => None,
    };
    match exact {
        Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        None => sent[..n].iter().for_each(|b| push_placeholder(*b, out)),
    }
    n
}

/// The bytes that a client sent for a text in UTF-8 that was made of them.
pub fn to_sent(set: Charset, text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if let Some((byte, n)) = placeholder_at(&text[at..]) {
            out.push(byte);
            at += n;
            continue;
        }
        let (cp, n) = match text[at] {
            b if b.is_ascii() => (u32::from(b), 1),
            _ => Charset::Utf8mb4.decode(&text[at..]).unwrap_or((u32::MAX, 1)),
        };
        if cp < 0x80 || !set.encode(cp, &mut out) {
            out.push(if cp < 0x80 { cp as u8 } else { b'?' });
        }
        at += n;
    }
    out
}

/// A text without an introducer, as its client sent it, in the connection's collation.
pub fn sent_text(bytes: &[u8], charset: &str, connection: Collation) -> Value<'static> {
    let to = connection.charset();
    let text = match Charset::by_name(charset) {
        Some(from) if from != to => from.convert(bytes, to).0,
        _ => bytes.to_vec(),
    };
    Value::text(text, connection)
}

/// A literal's bytes behind the name of its character set. 1300, with the first bytes of what is no character.
pub fn introduced(bytes: &[u8], collation: Collation) -> Result<Value<'static>, ValueError> {
    let set = collation.charset();
    let bytes = set.padded(bytes);
    let valid = set.well_formed_bytes(&bytes);
    if valid < bytes.len() {
        let hex: String = bytes[valid..].iter().take(6).map(|b| format!("{b:02X}")).collect();
        let text = format!("Invalid {} character string: '{hex}'", set.name());
        return Err(ValueError::new(1300, "HY000", text));
    }
    Ok(Value::text(Charset::Binary.convert(&bytes, set).0, collation))
}

/// What is said to a client of a text that it sent: characters where placeholders stand.
pub fn shown(client: Client, text: &str) -> Cow<'_, str> {
    match weir_syntax::lex::client::has_placeholders(text.as_bytes()) {
        true => String::from_utf8_lossy(&client.plain(text.as_bytes()).0).into_owned().into(),
        false => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::super::CHARSETS;
    use super::*;

    /// Every pair of bytes of every set, with a quote and a backslash behind it.
    #[test]
    fn no_byte_of_a_character_is_lexed_and_all_come_back() {
        let sets = CHARSETS.iter().filter(|c| client(**c).is_some() && **c != Charset::Swe7);
        for &set in sets {
            for (a, b) in (0..=255u8).flat_map(|a| (0..=255u8).map(move |b| (a, b))) {
                let sent = [a, b, b'\\', b'\'', b'x'];
                let text = to_lexed(set, &sent);
                assert!(std::str::from_utf8(&text).is_ok());
                assert_eq!(to_sent(set, &text), sent, "{set:?} {sent:x?}");
                let mut want = Vec::new();
                let mut at = 0;
                while at < sent.len() {
                    let n = set.char_at(&sent[at..]);
                    want.extend(sent[at].is_ascii().then_some(sent[at]));
                    at += n;
                }
                let ascii: Vec<u8> = text.iter().copied().filter(u8::is_ascii).collect();
                assert_eq!(ascii, want, "{set:?} {sent:x?}");
                assert_eq!(sent_bytes(set, &sent, text.len()), sent.len());
            }
        }
    }
}
