//! Weights of characters: the tables that `tools/gen_uca.py` writes, and the weights that follow from the
//! code point alone.
//!
//! The `.bin` files hold data of the Unicode Collation Algorithm, © Unicode, Inc. (see NOTICE).

use super::super::charset::Charset;
use super::code::{Codes, Split};
use super::language::Language;
use super::tailor::{Contraction, Tailored};

const BLOCKS: usize = 0x1100;
const INDEX: usize = 1;
const PAGES: usize = INDEX + BLOCKS;
const PAGE: usize = 256;
/// Page number of a block, or entry of a character, that has implicit weights.
const IMPLICIT: u16 = 0xFFFF;
const LIST: u16 = 0x8000;
/// Weight of every character outside the BMP in the collations of UCA 4.0.0.
const SUPPLEMENTARY: &[u16] = &[0xFFFD];
/// First weight of a byte that begins no character; no character has it.
const ILL_FORMED: u16 = 0xFFFF;

/// Version of the Unicode Collation Algorithm that a collation follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    V400,
    V520,
    V900,
}

/// The weights of one version.
#[derive(Debug)]
pub struct Table {
    pub version: Version,
    words: &'static [u16],
    /// Weight of each ASCII character; 0 for the ignorable ones.
    pub ascii: [u16; 128],
    pub codes: Codes,
    /// Characters whose weights a language changes, by code point.
    tailored: &'static [Tailored],
    /// Pairs of characters that a language sorts as one.
    pub contractions: &'static [Contraction],
    /// What a language changes in version 9.0.0.
    pub language: Option<&'static Language>,
    /// Has every character of ASCII one weight or none, and do no character's weights depend on its neighbours?
    pub is_simple: bool,
}

/// What a character weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    Ignorable,
    One(u16),
    List(&'static [u16]),
    /// Up to four weights that no table holds, the first one lowest.
    Computed(u64),
}

macro_rules! table {
    ($words:ident, $table:ident, $version:ident, $file:literal) => {
        static $words: [u16; include_bytes!($file).len() / 2] = words(include_bytes!($file));
        pub static $table: Table = Table::new(Version::$version, &$words);
    };
}

table!(WORDS_400, UCA_400, V400, "400.bin");
table!(WORDS_520, UCA_520, V520, "520.bin");
table!(WORDS_900, UCA_900, V900, "900.bin");

pub(super) const fn words<const N: usize>(bytes: &[u8]) -> [u16; N] {
    let mut out = [0; N];
    let mut i = 0;
    while i < N {
        out[i] = bytes[2 * i] as u16 | (bytes[2 * i + 1] as u16) << 8;
        i += 1;
    }
    out
}

impl Table {
    const fn new(version: Version, words: &'static [u16]) -> Table {
        // ASCII is in the first page, and each of its characters has one weight at most.
        let mut ascii = [0; 128];
        let mut c = 0;
        while c < 128 {
            ascii[c] = words[PAGES + words[INDEX] as usize * PAGE + c];
            assert!(ascii[c] < LIST);
            c += 1;
        }
        let codes = Codes::new(&ascii, Split::NONE);
        let (tailored, contractions) = (&[], &[]);
        let language = None;
        Table { version, words, ascii, codes, tailored, contractions, language, is_simple: true }
    }

    /// The weights of a language. ASCII's letters keep one weight each.
    pub(super) const fn tailored(
        &'static self,
        tailored: &'static [Tailored],
        contractions: &'static [Contraction],
    ) -> Table {
        let mut ascii = self.ascii;
        let mut i = 0;
        while i < tailored.len() && tailored[i].cp < 128 {
            assert!(tailored[i].len == 1 && tailored[i].weights[0] > self.ascii[b' ' as usize]);
            ascii[tailored[i].cp as usize] = tailored[i].weights[0];
            i += 1;
        }
        let codes = self.codes.tailored(&ascii);
        let Table { version, words, .. } = *self;
        let is_simple = contractions.is_empty();
        Table { version, words, ascii, codes, tailored, contractions, language: None, is_simple }
    }

    /// The weights of a language over version 9.0.0.
    pub(super) const fn spoken(&'static self, language: &'static Language) -> Table {
        let mut ascii = self.ascii;
        let mut is_simple = language.is_context_free();
        let mut c = 0;
        while c < 128 {
            match language.ascii(c as u32, self.ascii[c]) {
                Some(weight) => ascii[c] = weight,
                None => (ascii[c], is_simple) = (0, false),
            }
            c += 1;
        }
        let codes = match language.split() {
            Some(split) => Codes::new(&ascii, split),
            None => self.codes.tailored(&ascii),
        };
        let Table { version, words, tailored, contractions, .. } = *self;
        Table {
            version,
            words,
            ascii,
            codes,
            tailored,
            contractions,
            language: Some(language),
            is_simple,
        }
    }

    /// The one weight that a letter of the base table has.
    pub(super) const fn weight_of(&self, cp: u32) -> u16 {
        let page = self.words[INDEX + (cp >> 8) as usize];
        let w = self.words[PAGES + page as usize * PAGE + (cp & 0xFF) as usize];
        assert!(w != 0 && w < LIST);
        w
    }

    #[cfg(test)]
    pub fn changes(&self) -> &'static [Tailored] {
        self.tailored
    }

    pub fn space(&self) -> u16 {
        self.ascii[b' ' as usize]
    }

    pub fn entry(&self, cp: u32) -> Entry {
        if self.version == Version::V400 && cp > 0xFFFF {
            return Entry::List(SUPPLEMENTARY);
        }
        if let [first, .., last] = self.tailored
            && (first.cp..=last.cp).contains(&cp)
            && let Ok(at) = self.tailored.binary_search_by_key(&cp, |t| t.cp)
        {
            let t = &self.tailored[at];
            return Entry::List(&t.weights[..usize::from(t.len)]);
        }
        match look(self.words, cp) {
            Look::Nothing => Entry::Ignorable,
            Look::One(w) => Entry::One(w),
            Look::List(list) => Entry::List(list),
            Look::Implicit => Entry::Computed(self.implicit(cp)),
        }
    }

    /// The pair that a text begins with, and its length.
    pub fn contraction(&self, set: Charset, s: &[u8]) -> Option<(&'static [u16], usize)> {
        let (first, n) = set.decode(s)?;
        if !self.contractions.iter().any(|c| c.first == first) {
            return None;
        }
        let (second, m) = set.decode(&s[n..])?;
        let pair = self.contractions.iter().find(|c| (c.first, c.second) == (first, second))?;
        Some((&pair.weight, n + m))
    }

    /// May a character be equal to one whose weights depend on what stands beside it: does it weigh what the first one of a pair weighs?
    pub fn is_unsettled(&self, cp: u32) -> bool {
        if let Some(language) = self.language {
            return language.is_unsettled(cp);
        }
        let one = |cp: u32| match self.entry(cp) {
            Entry::One(weight) | Entry::List(&[weight]) => Some(weight),
            _ => None,
        };
        one(cp).is_some_and(|weight| self.contractions.iter().any(|c| one(c.first) == Some(weight)))
    }

    fn implicit(&self, cp: u32) -> u64 {
        let (base, rest) = match self.version {
            Version::V900 if (0xAC00..=0xD7AF).contains(&cp) => return self.hangul(cp),
            Version::V900 if (0x17000..=0x18AFF).contains(&cp) => (0xFB00, cp - 0x17000),
            Version::V900 => (han_900(cp) + (cp >> 15), cp & 0x7FFF),
            Version::V400 | Version::V520 => (han(cp) + (cp >> 15), cp & 0x7FFF),
        };
        u64::from(base) | u64::from(rest | 0x8000) << 16
    }

    /// A syllable weighs what its two or three letters weigh.
    fn hangul(&self, cp: u32) -> u64 {
        let n = cp - 0xAC00;
        let letter = |cp: u32| match self.entry(cp) {
            Entry::One(w) => u64::from(w),
            _ => 0,
        };
        let tail = if n.is_multiple_of(28) { 0 } else { letter(0x11A7 + n % 28) };
        letter(0x1100 + n / 588) | letter(0x1161 + n % 588 / 28) << 16 | tail << 32
    }
}

/// What a file has for a character.
pub enum Look {
    Nothing,
    One(u16),
    List(&'static [u16]),
    Implicit,
}

#[inline]
pub fn look(words: &'static [u16], cp: u32) -> Look {
    let page = words[INDEX + (cp >> 8) as usize];
    if page == IMPLICIT {
        return Look::Implicit;
    }
    match words[PAGES + usize::from(page) * PAGE + (cp & 0xFF) as usize] {
        0 => Look::Nothing,
        IMPLICIT => Look::Implicit,
        w if w < LIST => Look::One(w),
        at => {
            let lists = PAGES + usize::from(words[0]) * PAGE;
            let list = &words[lists + usize::from(at & !LIST)..];
            Look::List(&list[1..1 + usize::from(list[0])])
        }
    }
}

/// Weights of a byte that begins no character: behind all characters.
pub fn ill_formed(b: u8) -> u64 {
    u64::from(ILL_FORMED) | (0x100 | u64::from(b)) << 16
}

/// Base of the implicit weights in the collations of UCA 4.0.0 and 5.2.0: MySQL knows the same ideographs in both.
fn han(cp: u32) -> u32 {
    match cp {
        0x3400..=0x4DB5 => 0xFB80,
        0x4E00..=0x9FA5 => 0xFB40,
        _ => 0xFBC0,
    }
}

fn han_900(cp: u32) -> u32 {
    match cp {
        0x3400..=0x4DB5
        | 0x20000..=0x2A6D6
        | 0x2A700..=0x2B734
        | 0x2B740..=0x2B81D
        | 0x2B820..=0x2CEA1 => 0xFB80,
        0x4E00..=0x9FD5 | 0xFA0E..=0xFA29 => 0xFB40,
        _ => 0xFBC0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entry: Entry) -> Vec<u16> {
        match entry {
            Entry::Ignorable => vec![],
            Entry::One(w) => vec![w],
            Entry::List(l) => l.to_vec(),
            Entry::Computed(mut v) => {
                let mut out = vec![];
                while v != 0 {
                    out.push(v as u16);
                    v >>= 16;
                }
                out
            }
        }
    }

    #[test]
    fn known_weights() {
        let check = |t: &Table, c: char, want: &[u16]| {
            assert_eq!(list(t.entry(u32::from(c))), want, "{c:?} {:?}", t.version);
        };
        check(&UCA_400, 'A', &[0x0E33]);
        check(&UCA_400, '中', &[0xFB40, 0xCE2D]);
        check(&UCA_400, '각', &[0xFBC1, 0xAC01]);
        check(&UCA_400, '😀', &[0xFFFD]);
        check(&UCA_400, '\u{FDFA}', &[0xFBC1, 0xFDFA]);
        check(&UCA_520, 'A', &[0x120F]);
        check(&UCA_520, '😀', &[0xFBC3, 0xF600]);
        check(&UCA_900, 'A', &[0x1C47]);
        check(&UCA_900, '\u{0}', &[]);
        check(&UCA_900, '각', &[0x3BF5, 0x3C73, 0x3CD1]);
        check(&UCA_900, '\u{17000}', &[0xFB00, 0x8000]);
        check(&UCA_900, '中', &[0xFB40, 0xCE2D]);
        check(&UCA_900, '\u{20000}', &[0xFB84, 0x8000]);
        check(&UCA_900, '\u{10FFFF}', &[0xFBE1, 0xFFFF]);
        assert_eq!(list(UCA_900.entry(0xFDFA)).len(), 8);
    }

    #[test]
    fn every_character_has_its_place() {
        for table in [&UCA_400, &UCA_520, &UCA_900] {
            for c in '\0'..=char::MAX {
                let weights = list(table.entry(u32::from(c)));
                assert!(weights.len() <= 8, "{c:?}");
                assert!(weights.iter().all(|w| *w != 0 && *w != ILL_FORMED || weights.len() == 2));
                assert_ne!(weights.first(), Some(&ILL_FORMED));
            }
        }
    }
}
