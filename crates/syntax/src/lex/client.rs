//! Texts of clients whose character set is not UTF-8.
//!
//! Such a text is lexed as UTF-8. What does not come back exactly from there (a code without a character, the second code of a
//! character, a byte that is no character) and what would become ASCII stands in it as placeholders, one for each byte. So no
//! byte within a character is ever lexed, and a literal gets the very bytes that the client sent.

/// The placeholder of byte 0; the others follow. The code points are for private use, and one that a client sends is itself
/// sent through placeholders.
const FIRST: u32 = 0x10_F000;
const BYTES: usize = 4;

/// The client's character set, as far as literals need it.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    pub charset: &'static str,
    /// A text in UTF-8 in the named set, without its placeholders.
    pub encode: fn(&str, &[u8]) -> Vec<u8>,
    /// A text of the named set in UTF-8, and how many characters became '?'.
    pub decode: fn(&str, &[u8]) -> (Vec<u8>, usize),
}

impl Client {
    /// The bytes that the client sent for a piece of the text.
    pub fn sent(&self, text: &[u8]) -> Vec<u8> {
        (self.encode)(self.charset, text)
    }

    /// A piece of the text as UTF-8 alone, and how many characters became '?'.
    pub fn plain(&self, text: &[u8]) -> (Vec<u8>, usize) {
        (self.decode)(self.charset, &self.sent(text))
    }
}

/// Appends what stands for a byte.
pub fn push_placeholder(byte: u8, out: &mut Vec<u8>) {
    if let Some(c) = char::from_u32(FIRST + u32::from(byte)) {
        out.extend_from_slice(c.encode_utf8(&mut [0; BYTES]).as_bytes());
    }
}

pub fn is_placeholder(cp: u32) -> bool {
    (FIRST..FIRST + 256).contains(&cp)
}

/// The byte for which the first character stands, and the placeholder's length.
pub fn placeholder_at(text: &[u8]) -> Option<(u8, usize)> {
    match text {
        [0xF4, 0x8F, high @ 0x80..=0x83, low @ 0x80..=0xBF, ..] => {
            Some(((high & 3) << 6 | (low & 0x3F), BYTES))
        }
        _ => None,
    }
}

pub fn has_placeholders(text: &[u8]) -> bool {
    text.windows(BYTES).any(|w| placeholder_at(w).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_one() {
        for b in 0..=255u8 {
            let mut text = b"a".to_vec();
            push_placeholder(b, &mut text);
            assert_eq!(placeholder_at(&text[1..]), Some((b, 4)));
            assert!(has_placeholders(&text) && !has_placeholders(&text[..4]));
            assert!(text[1..].iter().all(|b| *b >= 0x80));
        }
        assert!(!has_placeholders("aé中😀\u{10EFFF}\u{10F100}".as_bytes()));
    }
}
