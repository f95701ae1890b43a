//! Texts as clients send them, in UTF-8 for the lexer and back: see `weir_syntax::lex::client`.

use super::{Charset, Collation, Value, ValueError};
use crate::errno;
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

/// How a client's text is read: what a backslash and a double quote mean decides where its characters begin.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Reading {
    pub no_backslash_escapes: bool,
    pub ansi_quotes: bool,
}

/// A client's text in UTF-8. No byte of a character that is not ASCII's becomes ASCII, and [`to_sent`] gives back every byte.
pub fn to_lexed(set: Charset, sent: &[u8], how: Reading) -> Vec<u8> {
    let mut out = Vec::with_capacity(sent.len() + sent.len() / 2);
    let mut walk = Walk::new(set, sent, how);
    while walk.step(&mut out) {}
    out
}

/// How many bytes of a client's text make the first `lexed` bytes of it in UTF-8.
pub fn sent_bytes(set: Charset, sent: &[u8], lexed: usize, how: Reading) -> usize {
    let (mut made, mut out) = (0, Vec::new());
    let mut walk = Walk::new(set, sent, how);
    while made < lexed && walk.step(&mut out) {
        made += out.len();
        out.clear();
    }
    walk.at
}

/// Where in a statement a byte stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Plain,
    /// In a text that ends with this quote and has backslashes as escapes.
    Text(u8),
    /// The byte behind a backslash in such a text.
    Escaped(u8),
    /// In a name, or in a text without escapes.
    Name(u8),
    Line,
    /// In a comment whose slash ends at this offset.
    Block(usize),
}

/// A client's text, character by character. In a text a backslash takes the one *byte* behind it, as MySQL's lexer and the clients'
/// functions that escape have it: in sets whose characters may end in a byte that is a backslash or a letter of ASCII, that byte is no
/// first half of a character. Anyone who read it as one would take the next backslash away from the quote that it escapes.
struct Walk<'s> {
    set: Charset,
    sent: &'s [u8],
    how: Reading,
    at: usize,
    /// None: no byte of a character of this set is one of ASCII.
    place: Option<Place>,
}

impl<'s> Walk<'s> {
    fn new(set: Charset, sent: &'s [u8], how: Reading) -> Walk<'s> {
        let place = set.has_ascii_tails().then_some(Place::Plain);
        Walk { set, sent, how, at: 0, place }
    }

    /// Appends the next character. False: there is none.
    fn step(&mut self, out: &mut Vec<u8>) -> bool {
        let rest = &self.sent[self.at..];
        let Some(first) = rest.first().copied() else { return false };
        self.at += match self.place {
            Some(Place::Escaped(_)) if !first.is_ascii() => {
                push_placeholder(first, out);
                1
            }
            _ => step(self.set, rest, out),
        };
        self.place = self.place.map(|place| self.behind(place, first, &rest[1..]));
        true
    }

    /// The place behind a character that begins with `byte`.
    fn behind(&self, place: Place, byte: u8, rest: &[u8]) -> Place {
        let quoted =
            |q: u8| match self.how.no_backslash_escapes || (q == b'"' && self.how.ansi_quotes) {
                true => Place::Name(q),
                false => Place::Text(q),
            };
        match (place, byte) {
            (Place::Plain, b'\'' | b'"') => quoted(byte),
            (Place::Plain, b'`') => Place::Name(byte),
            (Place::Plain, b'#') => Place::Line,
            (Place::Plain, b'-') if matches!(rest, [b'-', next, ..] if *next <= b' ') => {
                Place::Line
            }
            (Place::Plain, b'/') if rest.first() == Some(&b'*') => match rest.get(1) {
                // A comment that is read as code.
                Some(b'!') => Place::Plain,
                _ => Place::Block(self.at),
            },
            (Place::Text(q) | Place::Name(q), b) if b == q => Place::Plain,
            (Place::Text(q), b'\\') => Place::Escaped(q),
            (Place::Escaped(q), _) => Place::Text(q),
            (Place::Line, b'\n') => Place::Plain,
            // The star of the beginning ends nothing: /*/ is open.
            (Place::Block(from), b'/') if self.sent[from + 1..self.at].ends_with(b"*/") => {
                Place::Plain
            }
            (place, _) => place,
        }
    }
}

/// A client's name or value in UTF-8; what cannot be read becomes U+FFFD or a question mark.
pub fn text_in(set: Charset, sent: &[u8]) -> String {
    let converted = match set.is_utf8() || set == Charset::Binary {
        true => Cow::Borrowed(sent),
        false => Cow::Owned(set.convert(sent, Charset::Utf8mb4).0),
    };
    String::from_utf8_lossy(&converted).into_owned()
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
        return Err(ValueError::of(errno::ER_INVALID_CHARACTER_STRING, &[&set.name(), &hex]));
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
                let text = to_lexed(set, &sent, Reading::default());
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
                assert_eq!(sent_bytes(set, &sent, text.len(), Reading::default()), sent.len());
            }
        }
    }

    /// Where a byte stands decides whether it begins a character: behind a backslash only in a text.
    #[test]
    fn comments_and_names_have_no_escapes() {
        let gbk = Charset::by_name("gbk").expect("is known");
        for (begin, in_text) in [
            ("'", true),
            ("/*/ ' */ '", true),
            ("/**/ '", true),
            ("/* ' */ -- '\n # '\n '", true),
            ("/*! '", true),
            ("-1 - '", true),
            ("/*/ '", false),
            ("-- '", false),
            ("# '", false),
            ("`", false),
            ("'' ", false),
        ] {
            let sent = [begin.as_bytes(), b"\\\xBF\\"].concat();
            let text = to_lexed(gbk, &sent, Reading::default());
            // A backslash that is the second half of a character is no ASCII.
            assert_eq!(text.ends_with(b"\\"), in_text, "{begin}");
            assert_eq!(to_sent(gbk, &text), sent);
        }
    }

    /// What mysql_real_escape_string() makes of bytes ends where it ends there, in each set, whatever the bytes.
    #[test]
    fn what_a_client_escapes_stays_in_its_text() {
        let sets = CHARSETS.iter().filter(|c| c.has_ascii_tails() && client(**c).is_some());
        for &set in sets {
            for (a, b) in (0..=255u8).flat_map(|a| (0..=255u8).map(move |b| (a, b))) {
                let mut sent = b"select '".to_vec();
                let raw = [a, b, b'\''];
                let mut at = 0;
                while at < raw.len() {
                    // Whole characters stay as they are; a byte that could begin one, but does not, is escaped, as quotes are.
                    match set.char_at(&raw[at..]) {
                        n if n > 1 && set.decode(&raw[at..]).is_some() => {
                            sent.extend_from_slice(&raw[at..at + n]);
                            at += n;
                        }
                        _ => {
                            let b = raw[at];
                            let escapes = matches!(b, b'\'' | b'\\' | b'"' | 0) || !b.is_ascii();
                            sent.extend(escapes.then_some(b'\\'));
                            sent.push(b);
                            at += 1;
                        }
                    }
                }
                sent.extend_from_slice(b"', 1");
                let text = to_lexed(set, &sent, Reading::default());
                let mut escaped = false;
                let ends: Vec<usize> = (b"select '".len()..text.len())
                    .filter(|&i| {
                        let quote = text[i] == b'\'' && !escaped;
                        escaped = text[i] == b'\\' && !escaped;
                        quote
                    })
                    .collect();
                assert_eq!(ends, [text.len() - 4], "{set:?} {sent:x?}");
                assert_eq!(to_sent(set, &text), sent);
            }
        }
    }
}
