//! Character sets: where characters begin, their code points, case, conversion.

mod list;
mod multi;
mod tables;
mod wide;

pub use list::{CHARSETS, Charset};
pub use tables::{Single, kanji_place};

use super::tables::CP1252;
use list::Form;
use std::borrow::Cow;
use wide::Wide;

impl Charset {
    pub fn by_name(name: &str) -> Option<Charset> {
        let name = name.to_ascii_lowercase();
        let name = if name == "utf8" { "utf8mb3" } else { &*name };
        CHARSETS.iter().copied().find(|c| c.name() == name)
    }

    /// Are the bytes of ASCII its characters, where a character begins?
    pub fn has_ascii(self) -> bool {
        self != Charset::Swe7
    }

    pub fn is_utf8(self) -> bool {
        matches!(self, Charset::Utf8mb3 | Charset::Utf8mb4)
    }

    /// Does it have units of several bytes? Its texts are UTF-8 in here, see [`wide`].
    pub fn is_wide(self) -> bool {
        self.wide().is_some()
    }

    /// Bytes of the shortest character.
    pub fn unit(self) -> usize {
        self.wide().map_or(1, Wide::unit)
    }

    fn wide(self) -> Option<Wide> {
        match self.form() {
            Form::Wide(wide) => Some(wide),
            _ => None,
        }
    }

    /// Can a client write statements in it?
    pub fn is_for_clients(self) -> bool {
        self.has_ascii() && !self.is_wide()
    }

    /// May a character of several bytes end in a byte that is one of ASCII?
    pub fn has_ascii_tails(self) -> bool {
        matches!(
            self,
            Charset::Big5 | Charset::Cp932 | Charset::Gb18030 | Charset::Gbk | Charset::Sjis
        )
    }

    /// Has it all characters of Unicode, or of the BMP?
    pub fn is_unicode(self) -> bool {
        self.is_utf8() || self.is_wide()
    }

    /// The most bytes of a character in memory and on disk.
    pub const fn stored_char_bytes(self) -> usize {
        match self.form() {
            Form::Wide(Wide::Ucs2) => 3,
            _ => self.max_char_bytes(),
        }
    }

    /// The fewest bytes of a character, as the set has them.
    pub fn min_char_bytes(self) -> usize {
        self.wide().map_or(1, Wide::unit)
    }

    /// Is this text the same in the other set, byte by byte?
    pub fn keeps(self, s: &[u8], to: Charset) -> bool {
        if self == to {
            return true;
        }
        if self == Charset::Binary || to == Charset::Binary {
            return !self.is_wide() && !to.is_wide();
        }
        let bmp = |set: Charset| matches!(set, Charset::Utf8mb3 | Charset::Ucs2);
        (self.is_unicode() && to.is_unicode() && (bmp(self) || !bmp(to)))
            || (s.is_ascii() && self.has_ascii() && to.has_ascii())
    }

    /// The set's own bytes of a text: as it stands here, except for the sets with units of several bytes.
    pub fn own_bytes(self, s: &[u8]) -> Cow<'_, [u8]> {
        let Some(wide) = self.wide() else { return Cow::Borrowed(s) };
        let mut out = Vec::with_capacity(2 * s.len());
        let mut rest = s;
        while !rest.is_empty() {
            let (cp, n) = self.decode(rest).unwrap_or((u32::from(b'?'), 1));
            wide.put(cp, &mut out);
            rest = &rest[n..];
        }
        Cow::Owned(out)
    }

    /// How many bytes [`Charset::own_bytes`] gives.
    pub fn octets(self, s: &[u8]) -> usize {
        match self.wide() {
            None => s.len(),
            Some(Wide::Utf32) => 4 * self.char_len(s),
            // Four bytes of UTF-8 are a pair.
            Some(_) => 2 * (self.char_len(s) + s.iter().filter(|b| **b >= 0xF0).count()),
        }
    }

    /// The start of a text that has so many of the set's own bytes, without a character that the last one cuts. `None`: it has fewer.
    pub(super) fn window(self, s: &[u8], octets: usize) -> Option<&[u8]> {
        if !self.is_wide() {
            return s.get(..octets);
        }
        let (mut at, mut have) = (0, 0);
        while have < octets {
            let n = self.char_at(s.get(at..)?);
            have += self.octets(s.get(at..at + n).filter(|c| !c.is_empty())?);
            if have <= octets {
                at += n;
            }
        }
        Some(&s[..at])
    }

    /// Length of the longest prefix of bytes that is well formed in this set, in bytes that come from outside.
    pub fn well_formed_bytes(self, bytes: &[u8]) -> usize {
        let Some(wide) = self.wide() else { return self.well_formed(bytes) };
        let mut at = 0;
        while let Some((_, n)) = wide.take(&bytes[at..]) {
            at += n;
        }
        at
    }

    /// Bytes from outside with zeros before what is no whole unit, as MySQL has them.
    pub fn padded(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        let missing = bytes.len().next_multiple_of(self.min_char_bytes()) - bytes.len();
        match missing {
            0 => Cow::Borrowed(bytes),
            _ => Cow::Owned([&vec![0; missing], bytes].concat()),
        }
    }

    /// The text that bytes from outside are, `?` for those that are none, and how many those were.
    fn text_of_bytes(self, wide: Wide, bytes: &[u8]) -> (Vec<u8>, usize) {
        let bytes = self.padded(bytes);
        let (mut out, mut lost, mut at) = (Vec::with_capacity(bytes.len()), 0, 0);
        while at < bytes.len() {
            let (cp, n) = wide.take(&bytes[at..]).unwrap_or_else(|| {
                lost += 1;
                (u32::from(b'?'), wide.unit())
            });
            self.encode(cp, &mut out);
            at += n;
        }
        (out, lost)
    }

    /// First character: code point (or, for `binary`, the byte) and length. `None` at the end or where
    /// the bytes are no character of the set.
    pub fn decode(self, s: &[u8]) -> Option<(u32, usize)> {
        let &b = s.first()?;
        match self.form() {
            Form::Binary => Some((u32::from(b), 1)),
            Form::Ascii => (b < 0x80).then_some((u32::from(b), 1)),
            Form::Latin1 => Some((u32::from(CP1252[usize::from(b)]), 1)),
            Form::Utf8mb3 => decode_utf8(s).filter(|&(_, n)| n <= 3),
            Form::Utf8mb4 => decode_utf8(s),
            Form::Wide(wide) => decode_utf8(s).filter(|(cp, _)| wide.has(*cp)),
            Form::Single(set) => Some((set.decode(b)?, 1)),
            Form::Multi(_) if b < 0x80 => Some((u32::from(b), 1)),
            Form::Multi(set) => set.decode(s),
        }
    }

    /// Appends a code point; false (nothing appended) when the set does not have it.
    pub fn encode(self, cp: u32, out: &mut Vec<u8>) -> bool {
        match self.form() {
            Form::Binary if cp < 0x100 => out.push(cp as u8),
            Form::Ascii | Form::Multi(_) if cp < 0x80 => out.push(cp as u8),
            Form::Latin1 => match latin1_byte(cp) {
                Some(b) => out.push(b),
                None => return false,
            },
            Form::Single(set) => match set.encode(cp) {
                Some(b) => out.push(b),
                None => return false,
            },
            Form::Multi(set) => return set.encode(cp, out),
            Form::Utf8mb3 | Form::Utf8mb4 | Form::Wide(_) => match char::from_u32(cp) {
                Some(c) if cp < 0x10000 || !matches!(self, Charset::Utf8mb3 | Charset::Ucs2) => {
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => return false,
            },
            _ => return false,
        }
        true
    }

    /// A number for the first character, where it has several bytes, and its length: see [`multi::Multi::weight`].
    pub(super) fn code_weight(self, s: &[u8]) -> Option<(u32, usize)> {
        match self.form() {
            Form::Multi(set) => set.weight(s),
            _ => None,
        }
    }

    /// The weights of the default collation, of a set of one byte for each character.
    pub(super) const fn single_order(self) -> &'static [u8; 256] {
        match self.form() {
            Form::Single(set) => set.order(),
            _ => panic!("not a set of the table"),
        }
    }

    /// Length of the first character; a byte that begins none counts as one character.
    pub fn char_at(self, s: &[u8]) -> usize {
        match self.max_char_bytes() {
            1 => usize::from(!s.is_empty()),
            _ => match s.first() {
                None => 0,
                Some(&b) if b < 0x80 => 1,
                Some(_) => self.length(s).unwrap_or(1),
            },
        }
    }

    /// Length of the first character, whether or not the set has one of that code; `None` where the bytes are none.
    fn length(self, s: &[u8]) -> Option<usize> {
        match self.form() {
            Form::Multi(set) if !s.first()?.is_ascii() => set.length(s),
            _ => self.decode(s).map(|(_, n)| n),
        }
    }

    pub fn char_len(self, s: &[u8]) -> usize {
        if self.max_char_bytes() == 1 {
            return s.len();
        }
        if s.is_ascii() {
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
        // No character has less than a byte.
        if s.len() <= chars {
            return s.len();
        }
        if s[..chars].is_ascii() {
            return chars;
        }
        let (mut at, mut n) = (0, 0);
        while n < chars && at < s.len() {
            at += self.char_at(&s[at..]);
            n += 1;
        }
        at
    }

    /// Length of the longest prefix that is well formed in this set.
    ///
    /// A code without a character is taken, as in MySQL; it is '?' in any other set.
    pub fn well_formed(self, s: &[u8]) -> usize {
        match self {
            Charset::Ascii | Charset::Swe7 => s.iter().take_while(|b| b.is_ascii()).count(),
            _ if self.max_char_bytes() == 1 => s.len(),
            Charset::Utf8mb4 | Charset::Utf16 | Charset::Utf16le | Charset::Utf32 => {
                match std::str::from_utf8(s) {
                    Ok(_) => s.len(),
                    Err(e) => e.valid_up_to(),
                }
            }
            _ => {
                let mut at = 0;
                while let Some(n) = self.length(&s[at..]) {
                    at += n;
                }
                at
            }
        }
    }

    /// Converts text to another set; characters that `to` lacks become '?'. The number is how many did. To and from `binary` the bytes
    /// are the set's own.
    pub fn convert(self, s: &[u8], to: Charset) -> (Vec<u8>, usize) {
        if self.keeps(s, to) {
            return (s.to_vec(), 0);
        }
        match (self, to) {
            (Charset::Binary, _) => {
                return to.wide().map_or((s.to_vec(), 0), |w| to.text_of_bytes(w, s));
            }
            (_, Charset::Binary) => return (self.own_bytes(s).into_owned(), 0),
            _ => {}
        }
        let mut out = Vec::with_capacity(s.len());
        let (mut at, mut lost) = (0, 0);
        while at < s.len() {
            let unknown = || (u32::MAX, self.char_at(&s[at..]));
            let (cp, n) = self.decode(&s[at..]).unwrap_or_else(unknown);
            at += n;
            if !to.encode(cp, &mut out) {
                out.push(b'?');
                lost += 1;
            }
        }
        (out, lost)
    }

    pub fn upper(self, s: &[u8], turkish: bool) -> Vec<u8> {
        self.map_case(s, (turkish, b'i'), u8::to_ascii_uppercase, |c| match c {
            'i' if turkish => Some('İ'),
            c => single(c.to_uppercase()),
        })
    }

    pub fn lower(self, s: &[u8], turkish: bool) -> Vec<u8> {
        self.map_case(s, (turkish, b'I'), u8::to_ascii_lowercase, |c| match c {
            'I' if turkish => Some('ı'),
            // Unicode makes two characters of it, and MySQL the first of them.
            'İ' => Some('i'),
            c => single(c.to_lowercase()),
        })
    }

    /// Characters whose other case is several characters, or is not in the set, stay as they are. `special`: whether one ASCII letter has
    /// no other case in ASCII, and which.
    fn map_case(
        self,
        s: &[u8],
        (special, letter): (bool, u8),
        ascii: impl Fn(&u8) -> u8,
        wide: impl Fn(char) -> Option<char>,
    ) -> Vec<u8> {
        if self == Charset::Binary {
            return s.to_vec();
        }
        let mut out = Vec::with_capacity(s.len());
        let mut at = 0;
        while at < s.len() {
            if s[at].is_ascii() && self.has_ascii() && !(special && s[at] == letter) {
                out.push(ascii(&s[at]));
                at += 1;
                continue;
            }
            let unknown = || (u32::MAX, self.char_at(&s[at..]));
            let (cp, n) = self.decode(&s[at..]).unwrap_or_else(unknown);
            // What has no other case keeps its code: some characters have several.
            let mapped = char::from_u32(cp).and_then(&wide).filter(|c| u32::from(*c) != cp);
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
        assert_eq!(u.lower("ÀBß".as_bytes(), false), "àbß".as_bytes());
        assert_eq!(u.upper("àbß".as_bytes(), false), "ÀBß".as_bytes());
        assert_eq!(Charset::Latin1.upper(&[0xE4, b'x', 0xDF], false), [0xC4, b'X', 0xDF]);
        assert_eq!(u.well_formed(b"ab\xFFc"), 2);
        assert_eq!(Charset::Utf8mb3.well_formed("a😀".as_bytes()), 1);
    }

    #[test]
    fn every_character_comes_back() {
        let (utf8, mut total) = (Charset::Utf8mb4, Vec::new());
        for &set in CHARSETS.iter().filter(|c| **c != Charset::Binary) {
            let mut n = 0u32;
            for c in '\0'..=char::MAX {
                let mut code = Vec::new();
                if !set.encode(u32::from(c), &mut code) {
                    continue;
                }
                n += 1;
                assert!(code.len() <= set.stored_char_bytes(), "{set:?} {c:?}");
                assert_eq!(set.decode(&code), Some((u32::from(c), code.len())), "{set:?} {c:?}");
                assert_eq!(set.char_len(&code), 1, "{set:?} {c:?}");
                assert_eq!(set.well_formed(&code), code.len(), "{set:?} {c:?}");
                // Not cut by what follows, and no character by itself when it is cut.
                let two = [&code[..], b"1a"].concat();
                assert_eq!(set.prefix_bytes(&two, 1), code.len(), "{set:?} {c:?}");
                let there = utf8.convert(c.encode_utf8(&mut [0; 4]).as_bytes(), set);
                assert_eq!(there, (code, 0), "{set:?} {c:?}");
            }
            total.push((set.name(), n));
        }
        let of = |name| total.iter().find(|(set, _)| *set == name).map_or(0, |(_, n)| *n);
        // All of Unicode; the tables' numbers of characters.
        assert_eq!((of("gb18030"), of("utf8mb4"), of("utf8mb3")), (1_112_064, 1_112_064, 63_488));
        assert_eq!((of("cp1251"), of("koi8r"), of("ascii"), of("swe7")), (255, 256, 128, 127));
        assert_eq!((of("gbk"), of("gb2312"), of("euckr")), (21_919, 7_573, 17_176));
    }

    /// By MySQL's rules for lead and trail bytes, told here once more: no byte within a character stands by itself, whether or not
    /// the table has the character.
    #[test]
    fn pairs_are_characters_by_their_bytes() {
        let trails = |set: Charset, t: u8| match set {
            Charset::Big5 => matches!(t, 0x40..=0x7E | 0xA1..=0xFE),
            Charset::Gbk | Charset::Gb18030 => matches!(t, 0x40..=0x7E | 0x80..=0xFE),
            Charset::Euckr => matches!(t, 0x41..=0x5A | 0x61..=0x7A | 0x81..=0xFE),
            Charset::Sjis | Charset::Cp932 => matches!(t, 0x40..=0x7E | 0x80..=0xFC),
            _ => t >= 0xA1 && t != 0xFF,
        };
        let leads = |set: Charset, l: u8| match set {
            Charset::Big5 => matches!(l, 0xA1..=0xF9),
            Charset::Gb2312 => matches!(l, 0xA1..=0xF7),
            Charset::Gbk | Charset::Gb18030 | Charset::Euckr => matches!(l, 0x81..=0xFE),
            Charset::Sjis | Charset::Cp932 => matches!(l, 0x81..=0x9F | 0xE0..=0xFC),
            _ => matches!(l, 0xA1..=0xFE),
        };
        let multi = |c: &&Charset| matches!(c.form(), Form::Multi(_));
        for &set in CHARSETS.iter().filter(multi) {
            for (lead, trail) in (0x80..=0xFFu8).flat_map(|l| (0..=0xFFu8).map(move |t| (l, t))) {
                if matches!(set, Charset::Ujis | Charset::Eucjpms) && matches!(lead, 0x8E | 0x8F) {
                    continue;
                }
                let pair = [lead, trail, b'a'];
                let whole = leads(set, lead) && trails(set, trail);
                let n = if whole { 2 } else { 1 };
                assert_eq!(set.char_at(&pair), n, "{set:?} {pair:x?}");
                assert_eq!(
                    set.well_formed(&pair) == 3,
                    whole || set.length(&pair) == Some(1) && set.well_formed(&pair[1..]) == 2,
                    "{set:?} {pair:x?}"
                );
                let (text, lost) = set.convert(&pair, Charset::Utf8mb4);
                let chars = String::from_utf8(text).expect("UTF-8").chars().count();
                assert!(!whole || (chars == 2 && lost <= 1), "{set:?} {pair:x?}");
                assert_eq!(set.code_weight(&pair).is_some(), set.length(&pair).is_some());
                assert!(set.decode(&pair).is_none_or(|(_, n)| n == set.char_at(&pair)));
            }
        }
    }

    #[test]
    fn codes_are_those_of_the_published_tables() {
        let check = |set: Charset, text: &str, code: &[u8]| {
            let got = Charset::Utf8mb4.convert(text.as_bytes(), set);
            assert_eq!(got, (code.to_vec(), 0), "{set:?} {text}");
            let back = set.convert(code, Charset::Utf8mb4);
            assert_eq!(back, (text.as_bytes().to_vec(), 0), "{set:?} {text}");
        };
        check(Charset::Sjis, "表ｱ", b"\x95\x5c\xb1");
        check(Charset::Cp932, "①ⅰ", b"\x87\x40\xfa\x40");
        check(Charset::Ujis, "亜ｱ丂", b"\xb0\xa1\x8e\xb1\x8f\xb0\xa1");
        check(Charset::Eucjpms, "①～", b"\xad\xa1\xa1\xc1");
        check(Charset::Gbk, "中國", b"\xd6\xd0\x87\xf8");
        check(
            Charset::Gb18030,
            "中é😀\u{e7c7}ḿ",
            b"\xd6\xd0\xa8\xa6\x94\x39\xfc\x36\x81\x35\xf4\x37\xa8\xbc",
        );
        check(Charset::Big5, "功能", b"\xa5\x5c\xaf\xe0");
        check(Charset::Euckr, "한똠", b"\xc7\xd1\x8c\x63");
        check(Charset::Cp1251, "Привет", b"\xcf\xf0\xe8\xe2\xe5\xf2");
        check(Charset::Latin2, "Łódź", b"\xa3\xf3d\xbc");
        check(Charset::Swe7, "Å|ö".split('|').collect::<String>().as_str(), b"]|");
        assert_eq!(Charset::Utf8mb4.convert("[".as_bytes(), Charset::Swe7), (b"?".to_vec(), 1));
        assert_eq!(Charset::Gbk.upper(b"\x81\x61a", false), b"\x81\x61A");
        assert_eq!(Charset::Cp1251.lower(b"\xcf\xd0A", false), b"\xef\xf0a");
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
