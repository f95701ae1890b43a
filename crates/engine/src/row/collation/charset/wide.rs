//! Sets whose units have two or four bytes: ucs2, utf16, utf16le, utf32.
//!
//! In memory and on disk their texts are UTF-8, as those of utf8mb3 and utf8mb4 are, so that whatever reads ASCII from a text (numbers,
//! dates, patterns, JSON, names of members) reads theirs. Their own bytes exist where bytes are asked for: in a literal behind an
//! introducer, in a conversion from and to `binary`, in HEX() and LENGTH(), in results for a client that wants them. `Charset::convert`
//! makes them, and [`Wide::put`] and [`Wide::take`] are all that knows of them.

/// The units of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wide {
    /// Characters of the BMP in two bytes.
    Ucs2,
    /// Big endian, with pairs of surrogates.
    Utf16,
    Utf16Le,
    Utf32,
}

impl Wide {
    /// Bytes of a unit.
    pub fn unit(self) -> usize {
        if self == Wide::Utf32 { 4 } else { 2 }
    }

    pub fn has(self, cp: u32) -> bool {
        char::from_u32(cp).is_some() && (self != Wide::Ucs2 || cp < 0x10000)
    }

    /// Appends the set's own bytes of a code point that it has.
    pub fn put(self, cp: u32, out: &mut Vec<u8>) {
        if self == Wide::Utf32 {
            return out.extend_from_slice(&cp.to_be_bytes());
        }
        let pair = |c: char| c.encode_utf16(&mut [0; 2]).to_vec();
        for unit in char::from_u32(cp).map(pair).unwrap_or_default() {
            let bytes = if self == Wide::Utf16Le { unit.to_le_bytes() } else { unit.to_be_bytes() };
            out.extend_from_slice(&bytes);
        }
    }

    /// The first character of a text in the set's own bytes; `None` where they are none, half of a pair for one.
    pub fn take(self, s: &[u8]) -> Option<(u32, usize)> {
        if self == Wide::Utf32 {
            let cp = u32::from_be_bytes(*s.first_chunk()?);
            return self.has(cp).then_some((cp, 4));
        }
        let unit = |at: usize| {
            let bytes = [*s.get(at)?, *s.get(at + 1)?];
            let le = self == Wide::Utf16Le;
            Some(if le { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
        };
        let first = u32::from(unit(0)?);
        if self == Wide::Ucs2 || !(0xD800..0xDC00).contains(&first) {
            return self.has(first).then_some((first, 2));
        }
        let second = u32::from(unit(2)?);
        let low = (0xDC00..0xE000).contains(&second);
        low.then(|| (0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00), 4))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{super::Collation, Charset};

    #[test]
    fn every_character_comes_back_from_its_bytes() {
        for set in [Charset::Ucs2, Charset::Utf16, Charset::Utf16le, Charset::Utf32] {
            let mut n = 0;
            for c in '\0'..=char::MAX {
                let (text, lost) = Charset::Utf8mb4.convert(c.to_string().as_bytes(), set);
                let (bytes, _) = set.convert(&text, Charset::Binary);
                assert_eq!(set.octets(&text), bytes.len());
                assert_eq!(Charset::Binary.convert(&bytes, set), (text, 0), "{set:?} {c:?}");
                n += 1 - lost;
            }
            assert_eq!(n, if set == Charset::Ucs2 { 63_488 } else { 1_112_064 }, "{set:?}");
        }
    }

    /// A text is searched by windows of the set's own bytes, in which 'ä' is as long as 'a'.
    #[test]
    fn windows_are_of_own_bytes() {
        let starts = |c: Collation, s: &str, of: &str| c.starts_like(s.as_bytes(), of.as_bytes());
        for c in [Collation::Ucs2GeneralCi, Collation::Utf16UnicodeCi, Collation::Utf32GeneralCi] {
            assert!(starts(c, "ab", "Ä") && starts(c, "äb", "a") && starts(c, "ä", "A"), "{c:?}");
            assert!(!starts(c, "a", "äb") && !starts(c, "", "a") && !starts(c, "b", "a"), "{c:?}");
            assert!(starts(c, "x", ""), "{c:?}");
        }
        assert!(!starts(Collation::Utf16Bin, "😀", "a") && !starts(Collation::Utf16Bin, "a", "😀"));
    }

    #[test]
    fn bytes_of_each_set() {
        let bytes = |set: Charset, text: &str| set.convert(text.as_bytes(), Charset::Binary).0;
        assert_eq!(bytes(Charset::Ucs2, "aж"), b"\0a\x04\x36");
        assert_eq!(bytes(Charset::Utf16, "a😀"), b"\0a\xd8\x3d\xde\x00");
        assert_eq!(bytes(Charset::Utf16le, "a😀"), b"a\0\x3d\xd8\x00\xde");
        assert_eq!(bytes(Charset::Utf32, "😀"), b"\0\x01\xf6\0");
        let valid = |set: Charset, bytes: &[u8]| set.well_formed_bytes(bytes);
        assert_eq!(valid(Charset::Utf16, b"\0a\xd8\x3d\0a"), 2);
        assert_eq!(valid(Charset::Utf16, b"\0a\xdc\0"), 2);
        assert_eq!(valid(Charset::Utf16, b"\0a\0"), 2);
        assert_eq!(valid(Charset::Utf32, b"\0\x11\0\0"), 0);
        assert_eq!(valid(Charset::Ucs2, b"\xd8\0"), 0);
        // What is half a unit is put on its feet by zeros before it.
        assert_eq!(Charset::Binary.convert(b"a", Charset::Ucs2), (b"a".to_vec(), 0));
        assert_eq!(Charset::Binary.convert(b"\x01\xf6\0", Charset::Utf32).0, "😀".as_bytes());
        assert_eq!(Charset::Binary.convert(b"\xd8\0", Charset::Utf16), (b"?".to_vec(), 1));
        // The order of utf16_bin is that of the characters, not that of the units.
        assert!(Collation::Utf16Bin.compare("\u{ffff}".as_bytes(), "😀".as_bytes()).is_lt());
    }
}
