//! Character sets: where characters begin, their code points, case, conversion.

use super::tables::CP1252;

/// A character set, under MySQL's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Charset {
    Binary,
    Ascii,
    Latin1,
    Utf8mb3,
    Utf8mb4,
}

impl Charset {
    pub fn name(self) -> &'static str {
        match self {
            Charset::Binary => "binary",
            Charset::Ascii => "ascii",
            Charset::Latin1 => "latin1",
            Charset::Utf8mb3 => "utf8mb3",
            Charset::Utf8mb4 => "utf8mb4",
        }
    }

    pub fn by_name(name: &str) -> Option<Charset> {
        Some(match name.to_ascii_lowercase().as_str() {
            "binary" => Charset::Binary,
            "ascii" => Charset::Ascii,
            "latin1" => Charset::Latin1,
            "utf8" | "utf8mb3" => Charset::Utf8mb3,
            "utf8mb4" => Charset::Utf8mb4,
            _ => return None,
        })
    }

    pub fn max_char_bytes(self) -> usize {
        match self {
            Charset::Binary | Charset::Ascii | Charset::Latin1 => 1,
            Charset::Utf8mb3 => 3,
            Charset::Utf8mb4 => 4,
        }
    }

    pub fn is_utf8(self) -> bool {
        matches!(self, Charset::Utf8mb3 | Charset::Utf8mb4)
    }

    /// First character: code point (or, for `binary`, the byte) and length. `None` at the end or where
    /// the bytes are no character of the set.
    pub fn decode(self, s: &[u8]) -> Option<(u32, usize)> {
        let &b = s.first()?;
        match self {
            Charset::Binary => Some((u32::from(b), 1)),
            Charset::Ascii => (b < 0x80).then_some((u32::from(b), 1)),
            Charset::Latin1 => Some((u32::from(CP1252[usize::from(b)]), 1)),
            Charset::Utf8mb3 => decode_utf8(s).filter(|&(_, n)| n <= 3),
            Charset::Utf8mb4 => decode_utf8(s),
        }
    }

    /// Appends a code point; false (nothing appended) when the set does not have it.
    pub fn encode(self, cp: u32, out: &mut Vec<u8>) -> bool {
        match self {
            Charset::Binary if cp < 0x100 => out.push(cp as u8),
            Charset::Ascii if cp < 0x80 => out.push(cp as u8),
            Charset::Latin1 => match latin1_byte(cp) {
                Some(b) => out.push(b),
                None => return false,
            },
            Charset::Utf8mb3 | Charset::Utf8mb4 => match char::from_u32(cp) {
                Some(c) if self == Charset::Utf8mb4 || cp < 0x10000 => {
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => return false,
            },
            _ => return false,
        }
        true
    }

    /// Length of the first character; a byte that begins none counts as one character.
    pub fn char_at(self, s: &[u8]) -> usize {
        match self {
            Charset::Binary | Charset::Ascii | Charset::Latin1 => usize::from(!s.is_empty()),
            _ => match s.first() {
                None => 0,
                Some(&b) if b < 0x80 => 1,
                Some(_) => self.decode(s).map_or(1, |(_, n)| n),
            },
        }
    }

    pub fn char_len(self, s: &[u8]) -> usize {
        if self.max_char_bytes() == 1 {
            return s.len();
        }
        let ascii = s.iter().take_while(|b| b.is_ascii()).count();
        let (mut at, mut n) = (ascii, ascii);
        while at < s.len() {
            at += self.char_at(&s[at..]);
            n += 1;
        }
        n
    }

    /// Bytes of the first `chars` characters (all when there are fewer).
    pub fn prefix_bytes(self, s: &[u8], chars: usize) -> usize {
        if self.max_char_bytes() == 1 {
            return s.len().min(chars);
        }
        let (mut at, mut n) = (0, 0);
        while n < chars && at < s.len() {
            at += self.char_at(&s[at..]);
            n += 1;
        }
        at
    }

    /// Length of the longest prefix that is well formed in this set.
    pub fn well_formed(self, s: &[u8]) -> usize {
        match self {
            Charset::Binary | Charset::Latin1 => s.len(),
            Charset::Ascii => s.iter().take_while(|b| b.is_ascii()).count(),
            Charset::Utf8mb4 => match std::str::from_utf8(s) {
                Ok(_) => s.len(),
                Err(e) => e.valid_up_to(),
            },
            Charset::Utf8mb3 => {
                let mut at = 0;
                while let Some((_, n)) = self.decode(&s[at..]) {
                    at += n;
                }
                at
            }
        }
    }

    /// Converts text to another set; characters that `to` lacks become '?'. The number is how many did.
    pub fn convert(self, s: &[u8], to: Charset) -> (Vec<u8>, usize) {
        let same = self == to
            || self == Charset::Binary
            || to == Charset::Binary
            || (self == Charset::Utf8mb3 && to == Charset::Utf8mb4);
        if same || s.is_ascii() {
            return (s.to_vec(), 0);
        }
        let mut out = Vec::with_capacity(s.len());
        let (mut at, mut lost) = (0, 0);
        while at < s.len() {
            let (cp, n) = self.decode(&s[at..]).unwrap_or((u32::MAX, 1));
            at += n;
            if !to.encode(cp, &mut out) {
                out.push(b'?');
                lost += 1;
            }
        }
        (out, lost)
    }

    pub fn upper(self, s: &[u8]) -> Vec<u8> {
        self.map_case(s, u8::to_ascii_uppercase, |c| single(c.to_uppercase()))
    }

    pub fn lower(self, s: &[u8]) -> Vec<u8> {
        self.map_case(s, u8::to_ascii_lowercase, |c| single(c.to_lowercase()))
    }

    /// Characters whose other case is several characters, or is not in the set, stay as they are.
    fn map_case(
        self,
        s: &[u8],
        ascii: impl Fn(&u8) -> u8,
        wide: impl Fn(char) -> Option<char>,
    ) -> Vec<u8> {
        if self == Charset::Binary {
            return s.to_vec();
        }
        let mut out = Vec::with_capacity(s.len());
        let mut at = 0;
        while at < s.len() {
            if s[at].is_ascii() {
                out.push(ascii(&s[at]));
                at += 1;
                continue;
            }
            let (cp, n) = self.decode(&s[at..]).unwrap_or((u32::MAX, 1));
            let mapped = char::from_u32(cp).and_then(&wide);
            if !mapped.is_some_and(|c| self.encode(u32::from(c), &mut out)) {
                out.extend_from_slice(&s[at..at + n]);
            }
            at += n;
        }
        out
    }
}

fn single(mut chars: impl Iterator<Item = char>) -> Option<char> {
    let first = chars.next()?;
    chars.next().is_none().then_some(first)
}

fn latin1_byte(cp: u32) -> Option<u8> {
    if cp < 0x80 || (0xA0..0x100).contains(&cp) {
        return Some(cp as u8);
    }
    (0x80u8..0xA0).find(|&b| u32::from(CP1252[usize::from(b)]) == cp)
}

fn decode_utf8(s: &[u8]) -> Option<(u32, usize)> {
    let b0 = u32::from(*s.first()?);
    let cont = |i: usize| s.get(i).filter(|&&b| b & 0xC0 == 0x80).map(|&b| u32::from(b & 0x3F));
    match b0 {
        0..=0x7F => Some((b0, 1)),
        0xC2..=0xDF => Some(((b0 & 0x1F) << 6 | cont(1)?, 2)),
        0xE0..=0xEF => {
            let cp = (b0 & 0x0F) << 12 | cont(1)? << 6 | cont(2)?;
            (cp >= 0x800 && !(0xD800..0xE000).contains(&cp)).then_some((cp, 3))
        }
        0xF0..=0xF4 => {
            let cp = (b0 & 0x07) << 18 | cont(1)? << 12 | cont(2)? << 6 | cont(3)?;
            (0x10000..0x11_0000).contains(&cp).then_some((cp, 4))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_case() {
        let u = Charset::Utf8mb4;
        let s = "aÄ€😀".as_bytes();
        assert_eq!(u.char_len(s), 4);
        assert_eq!(u.prefix_bytes(s, 2), 3);
        assert_eq!(u.lower("ÀBß".as_bytes()), "àbß".as_bytes());
        assert_eq!(u.upper("àbß".as_bytes()), "ÀBß".as_bytes());
        assert_eq!(Charset::Latin1.upper(&[0xE4, b'x', 0xDF]), [0xC4, b'X', 0xDF]);
        assert_eq!(u.well_formed(b"ab\xFFc"), 2);
        assert_eq!(Charset::Utf8mb3.well_formed("a😀".as_bytes()), 1);
    }

    #[test]
    fn conversion() {
        let (latin, lost) = Charset::Utf8mb4.convert("Ä€語".as_bytes(), Charset::Latin1);
        assert_eq!((latin.as_slice(), lost), (&[0xC4, 0x80, b'?'][..], 1));
        let (back, lost) = Charset::Latin1.convert(&latin, Charset::Utf8mb4);
        assert_eq!((back.as_slice(), lost), ("Ä€?".as_bytes(), 0));
        for b in 0..=255u8 {
            let (u, _) = Charset::Latin1.convert(&[b], Charset::Utf8mb4);
            assert_eq!(Charset::Utf8mb4.convert(&u, Charset::Latin1), (vec![b], 0));
        }
    }
}
