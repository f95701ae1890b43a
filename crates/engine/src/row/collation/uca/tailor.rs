//! The orders of languages: where letters stand whose weights differ from those of the version's table.
//!
//! MySQL's older languages' collations change single letters of UCA 4.0.0: a letter becomes one of its own, behind another and
//! before whatever follows it, or is sorted as other letters are. Nothing depends on a character's neighbours, so what
//! [`super`] says of texts is true of these collations, too. Those in which two letters are sorted as one (Czech ch, Danish aa, Croatian lj)
//! are not here.
//!
//! A rule is: these letters weigh what the letters of `like` weigh, and `more`. The places behind a letter are free in the table, or shared
//! with letters of other alphabets, as in MySQL. All weights were compared with MariaDB 10.11's, which are MySQL's.

use super::table::{Table, UCA_400};

/// A character's weights in a language.
#[derive(Debug, Clone, Copy)]
pub struct Tailored {
    pub cp: u32,
    pub weights: [u16; 2],
    pub len: u8,
}

type Rule = (&'static str, &'static str, u16);

macro_rules! languages {
    ($($table:ident: $list:ident = [$($rule:expr),* $(,)?];)*) => {
        $(
            static $list: [Tailored; count(&[$($rule),*])] = tailored(&[$($rule),*]);
            pub static $table: Table = UCA_400.tailored(&$list);
        )*
    };
}

#[rustfmt::skip]
languages! {
    ICELANDIC: WORDS_ICELANDIC = [
        ("áÁ", "a", 1), ("ðÐ", "d", 1), ("éÉ", "e", 1), ("íÍ", "i", 1), ("óÓ", "o", 1), ("úÚ", "u", 1), ("ýÝ", "y", 1),
        ("þÞ", "z", 1), ("æÆäÄ", "z", 2), ("öÖøØ", "z", 3), ("åÅ", "z", 4),
    ];
    LATVIAN: WORDS_LATVIAN = [
        ("čČ", "c", 1), ("ģĢ", "g", 1), ("yY", "i", 1), ("ķĶ", "k", 1), ("ļĻ", "l", 1), ("ņŅ", "n", 1), ("ŗŖ", "r", 1),
        ("šŠ", "s", 1), ("žŽ", "z", 1),
    ];
    ROMANIAN: WORDS_ROMANIAN = [
        ("ăĂ", "a", 1), ("âÂ", "a", 2), ("îÎ", "i", 1), ("şŞșȘ", "s", 1), ("ţŢțȚ", "t", 1),
    ];
    SLOVENIAN: WORDS_SLOVENIAN = [
        ("čČ", "c", 1), ("šŠ", "s", 1), ("žŽ", "z", 1),
    ];
    POLISH: WORDS_POLISH = [
        ("ąĄ", "a", 1), ("ćĆ", "c", 1), ("ęĘ", "e", 1), ("łŁ", "l", 1), ("ńŃ", "n", 1), ("óÓ", "o", 1), ("śŚ", "s", 1),
        ("źŹ", "z", 1), ("żŻ", "z", 2),
    ];
    ESTONIAN: WORDS_ESTONIAN = [
        ("šŠ", "s", 1), ("zZ", "s", 2), ("žŽ", "s", 3), ("õÕ", "w", 1), ("äÄ", "w", 2), ("öÖ", "w", 3), ("üÜ", "w", 4),
    ];
    SPANISH: WORDS_SPANISH = [
        ("ñÑ", "n", 1),
    ];
    SWEDISH: WORDS_SWEDISH = [
        ("üÜ", "y", 0), ("åÅ", "z", 1), ("äÄæÆ", "z", 2), ("öÖøØ", "z", 3),
    ];
    TURKISH: WORDS_TURKISH = [
        ("çÇ", "c", 1), ("ğĞ", "g", 1), ("ıI", "h", 1), ("öÖ", "o", 1), ("şŞ", "s", 1), ("üÜ", "u", 1),
    ];
    ROMAN: WORDS_ROMAN = [
        ("jJ", "i", 0), ("uU", "v", 0),
    ];
    ESPERANTO: WORDS_ESPERANTO = [
        ("ĉĈ", "c", 1), ("ĝĜ", "g", 1), ("ĥĤ", "h", 1), ("ĵĴ", "j", 1), ("ŝŜ", "s", 1), ("ŭŬ", "u", 1),
    ];
    HUNGARIAN: WORDS_HUNGARIAN = [
        ("öÖőŐ", "o", 1), ("üÜűŰ", "u", 1),
    ];
    GERMAN2: WORDS_GERMAN2 = [
        ("äÄæÆ", "ae", 0), ("öÖœŒ", "oe", 0), ("üÜ", "ue", 0),
    ];
    VIETNAMESE: WORDS_VIETNAMESE = [
        ("ăĂằẰẳẲẵẴắẮặẶ", "a", 1), ("âÂầẦẩẨẫẪấẤậẬ", "a", 2), ("đĐ", "d", 1), ("êÊềỀểỂễỄếẾệỆ", "e", 1),
        ("ôÔồỒổỔỗỖốỐộỘ", "o", 1), ("ơƠờỜởỞỡỠớỚợỢ", "o", 2), ("ưƯừỪửỬữỮứỨựỰ", "u", 1),
    ];
}

/// The character at `at`, and where the next one begins.
const fn character(text: &str, at: usize) -> (u32, usize) {
    let b = text.as_bytes();
    let lead = b[at] as u32;
    let (mut cp, n) = match lead {
        0..0x80 => (lead, 1),
        0x80..0xE0 => (lead & 0x1F, 2),
        _ => (lead & 0x0F, 3),
    };
    let mut i = 1;
    while i < n {
        cp = cp << 6 | (b[at + i] & 0x3F) as u32;
        i += 1;
    }
    (cp, at + n)
}

const fn count(rules: &[Rule]) -> usize {
    let (mut n, mut r) = (0, 0);
    while r < rules.len() {
        let mut at = 0;
        while at < rules[r].0.len() {
            at = character(rules[r].0, at).1;
            n += 1;
        }
        r += 1;
    }
    n
}

/// The weights of all letters of the rules, in the order of the code points.
const fn tailored<const N: usize>(rules: &[Rule]) -> [Tailored; N] {
    let mut out = [Tailored { cp: 0, weights: [0; 2], len: 0 }; N];
    let (mut n, mut r) = (0, 0);
    while r < rules.len() {
        let (letters, like, more) = rules[r];
        let mut one = Tailored { cp: 0, weights: [0; 2], len: 0 };
        let mut at = 0;
        while at < like.len() {
            let (cp, next) = character(like, at);
            one.weights[one.len as usize] = UCA_400.weight_of(cp);
            one.len += 1;
            at = next;
        }
        one.weights[0] += more;
        at = 0;
        while at < letters.len() {
            (one.cp, at) = character(letters, at);
            let mut place = n;
            while place > 0 && out[place - 1].cp > one.cp {
                out[place] = out[place - 1];
                place -= 1;
            }
            out[place] = one;
            n += 1;
        }
        r += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::table::Entry;
    use super::*;
    use crate::row::collation::{ALL, Collation};

    fn weights(table: &Table, c: char) -> Vec<u16> {
        match table.entry(u32::from(c)) {
            Entry::One(w) => vec![w],
            Entry::List(l) => l.to_vec(),
            Entry::Ignorable | Entry::Computed(_) => vec![],
        }
    }

    #[test]
    fn letters_in_both_cases() {
        for table in [&ICELANDIC, &SWEDISH, &POLISH, &HUNGARIAN, &GERMAN2, &VIETNAMESE, &ESTONIAN] {
            for t in table.changes() {
                let c = char::from_u32(t.cp).unwrap();
                let upper = c.to_uppercase().next().unwrap();
                assert_eq!(weights(table, c), weights(table, upper), "{c}");
            }
        }
        // Turkish has two pairs of i.
        assert_eq!(weights(&TURKISH, 'I'), weights(&TURKISH, 'ı'));
        assert_eq!(weights(&TURKISH, 'i'), weights(&TURKISH, 'İ'));
        assert_ne!(weights(&TURKISH, 'I'), weights(&TURKISH, 'i'));
    }

    /// As WEIGHT_STRING() has them in a server of MySQL's family.
    #[test]
    fn known_weights() {
        for (table, c, want) in [
            (&ICELANDIC, 'Ð', &[0x0E6E][..]),
            (&SWEDISH, 'å', &[0x106B]),
            (&SWEDISH, 'Ø', &[0x106D]),
            (&SWEDISH, 'é', &[0x0E8B]),
            (&GERMAN2, 'ä', &[0x0E33, 0x0E8B]),
            (&TURKISH, 'I', &[0x0EE2]),
            (&ESTONIAN, 'z', &[0x0FEC]),
            (&ROMAN, 'U', &[0x1044]),
            (&VIETNAMESE, 'ự', &[0x1020]),
            (&POLISH, 'ł', &[0x0F2F]),
        ] {
            assert_eq!(weights(table, c), want, "{c}");
        }
    }

    #[test]
    fn both_sets_have_every_language() {
        let languages = |set: &str| -> Vec<String> {
            let names = ALL.iter().filter_map(|c| c.name().strip_prefix(set));
            names.filter(|n| !n.starts_with("_0900")).map(str::to_string).collect()
        };
        assert_eq!(languages("utf8mb3"), languages("utf8mb4"));
        let c = |name: &str| Collation::by_name(name).unwrap().id();
        assert_eq!(
            [c("utf8mb4_swedish_ci"), c("utf8_swedish_ci"), c("utf8_vietnamese_ci")],
            [232, 200, 215]
        );
    }
}
