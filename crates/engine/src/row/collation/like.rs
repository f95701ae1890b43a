//! LIKE: character by character, in any collation.

use super::charset::Charset;
use super::list::Order;
use super::{ASCII_UPPER, Collation};
use std::convert::Infallible;

impl Collation {
    /// SQL LIKE: `%` any text, `_` one character, `escape` makes the next character literal. Compares character by
    /// character, so trailing spaces count.
    pub fn like(self, text: &[u8], pattern: &[u8], escape: Option<char>) -> bool {
        let Ok(is) = self.like_until(text, pattern, escape, |_| Ok::<_, Infallible>(()));
        is
    }

    /// The same for texts that may be long: `look` gets the number of bytes that were compared, and may end it.
    pub fn like_until<E>(
        self,
        text: &[u8],
        pattern: &[u8],
        escape: Option<char>,
        look: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<bool, E> {
        // Mostly all of it is ASCII, where a character is a byte and its weight stands in a table.
        if let Some(weights) = self.ascii_weights()
            && escape.is_none_or(|c| c.is_ascii())
            && text.is_ascii()
            && pattern.is_ascii()
        {
            let escape = escape.map(|c| c as u8);
            return match weights {
                AsciiWeights::Own => like_ascii(text, pattern, escape, |a, b| a == b, look),
                AsciiWeights::Bytes(w) => like_ascii(text, pattern, escape, by(w), look),
                AsciiWeights::Words(w) => like_ascii(text, pattern, escape, by(w), look),
            };
        }
        let mut esc = Vec::new();
        if let Some(c) = escape
            && !self.charset().encode(u32::from(c), &mut esc)
        {
            esc.clear();
        }
        like(self, text, pattern, &esc, look)
    }
}

/// What ASCII weighs to LIKE.
enum AsciiWeights {
    Own,
    Bytes(&'static [u8]),
    Words(&'static [u16]),
}

impl Collation {
    /// None: of other sets, and where a character has more than one weight.
    fn ascii_weights(self) -> Option<AsciiWeights> {
        if !matches!(self.charset(), Charset::Utf8mb4 | Charset::Utf8mb3) {
            return None;
        }
        match self.order() {
            Order::Bytes => Some(AsciiWeights::Own),
            Order::General | Order::General500 => Some(AsciiWeights::Bytes(&ASCII_UPPER)),
            Order::Uca(table, 1) if table.is_simple => Some(AsciiWeights::Words(&table.ascii)),
            _ => None,
        }
    }
}

fn by<W: PartialEq>(weights: &[W]) -> impl Fn(u8, u8) -> bool + '_ {
    |a, b| a == b || weights[usize::from(a)] == weights[usize::from(b)]
}

/// [`like`] of ASCII.
fn like_ascii<E>(
    text: &[u8],
    pattern: &[u8],
    escape: Option<u8>,
    same: impl Fn(u8, u8) -> bool,
    mut look: impl FnMut(usize) -> Result<(), E>,
) -> Result<bool, E> {
    let mut compared = 0;
    let (mut t, mut p) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    loop {
        if let Some(&c) = pattern.get(p) {
            let escaped = escape == Some(c) && p + 1 < pattern.len();
            if c == b'%' && !escaped {
                p += 1;
                back = Some((t, p));
                continue;
            }
            if t < text.len() {
                compared += 1;
                if compared == STRIDE {
                    compared = 0;
                    look(STRIDE)?;
                }
                let at = p + usize::from(escaped);
                if (c == b'_' && !escaped) || same(text[t], pattern[at]) {
                    (t, p) = (t + 1, at + 1);
                    continue;
                }
            }
        } else if t == text.len() {
            return Ok(true);
        }
        match back {
            Some((from, resume)) if from < text.len() => {
                back = Some((from + 1, resume));
                (t, p) = (from + 1, resume);
            }
            _ => return Ok(false),
        }
    }
}

/// Characters compared between two looks.
const STRIDE: usize = 16 * 1024;

/// `text LIKE pattern`, keeping only the last `%` to come back to: linear in practice, quadratic at worst.
fn like<E>(
    c: Collation,
    text: &[u8],
    pattern: &[u8],
    esc: &[u8],
    mut look: impl FnMut(usize) -> Result<(), E>,
) -> Result<bool, E> {
    let charset = c.charset();
    let mut compared = 0;
    let (mut t, mut p) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    loop {
        if p < pattern.len() {
            let rest = &pattern[p..];
            let escaped = !esc.is_empty() && rest.starts_with(esc) && rest.len() > esc.len();
            if rest[0] == b'%' && !escaped {
                p += 1;
                back = Some((t, p));
                continue;
            }
            if t < text.len() {
                compared += 1;
                if compared == STRIDE {
                    compared = 0;
                    look(STRIDE)?;
                }
                let any = rest[0] == b'_' && !escaped;
                let at = if escaped { p + esc.len() } else { p };
                let p_len = charset.char_at(&pattern[at..]);
                let t_len = charset.char_at(&text[t..]);
                if any || same_char(c, &text[t..t + t_len], &pattern[at..at + p_len]) {
                    t += t_len;
                    p = at + p_len;
                    continue;
                }
            }
        } else if t == text.len() {
            return Ok(true);
        }
        // Mismatch: let the last `%` swallow one character more.
        match back {
            Some((from, resume)) if from < text.len() => {
                let next = from + charset.char_at(&text[from..]);
                back = Some((next, resume));
                (t, p) = (next, resume);
            }
            _ => return Ok(false),
        }
    }
}

fn same_char(c: Collation, a: &[u8], b: &[u8]) -> bool {
    if a == b || c.is_bytewise() {
        return a == b;
    }
    match c.uca() {
        Some(uca) => uca.same_char(a, b),
        None => c.next_weight(a).0 == c.next_weight(b).0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::collation::ALL;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// The way of ASCII is the way of all texts, in every collation.
        #[test]
        fn ascii_is_no_exception(
            t in "[a-eivwxyA-EIVWXY1%_|\\\\ \x01\x7f-]{0,8}",
            p in "[a-eivwxyA-EIVWXY1%_|\\\\ \x01\x7f-]{0,6}",
            e in 0..4usize,
        ) {
            let escape = [None, Some('\\'), Some('|'), Some('a')][e];
            for c in ALL.iter().copied() {
                let mut esc = Vec::new();
                // In swe7 the byte of the bar is a letter, and no bar escapes anything.
                if escape.is_some_and(|e| !c.charset().encode(u32::from(e), &mut esc)) {
                    esc.clear();
                }
                let Ok(plain) = like(c, t.as_bytes(), p.as_bytes(), &esc, |_| Ok::<_, Infallible>(()));
                prop_assert_eq!(c.like(t.as_bytes(), p.as_bytes(), escape), plain, "{}", c.name());
            }
        }
    }
}
