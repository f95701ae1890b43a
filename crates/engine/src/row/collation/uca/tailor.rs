//! The orders of languages: where letters stand whose weights differ from those of the version's table.
//!
//! MySQL's older languages' collations change single letters of UCA 4.0.0: a letter becomes one of its own, behind another and
//! before whatever follows it, or is sorted as other letters are. In some of them two letters are sorted as one (Czech ch, Danish aa,
//! Croatian lj): see [`Contraction`].
//!
//! A rule is: these letters weigh what the letters of `like` weigh, and `more`; without a `like` they weigh that number. The places behind a letter are free in the table, or shared
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

/// Two characters that weigh as one where they stand together: not in every case of letters ("cH" is two of them in Czech).
#[derive(Debug, Clone, Copy)]
pub struct Contraction {
    pub first: u32,
    pub second: u32,
    pub weight: [u16; 1],
}

macro_rules! languages {
    ($($table:ident: $list:ident = [$($rule:expr),* $(,)?] $(with $pairs:ident = [$($pair:expr),* $(,)?])?;)*) => {
        $(
            static $list: [Tailored; count(&[$($rule),*])] = tailored(&[$($rule),*]);
            $(static $pairs: &[Contraction] = &[$(contraction($pair)),*];)?
            pub static $table: Table = UCA_400.tailored(&$list, languages!(@pairs $($pairs)?));
        )*
    };
    (@pairs $pairs:ident) => { $pairs };
    (@pairs) => { &[] };
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
    CZECH: WORDS_CZECH = [
        ("čČ", "c", 1), ("řŘ", "r", 1), ("šŠ", "s", 1), ("žŽ", "z", 1),
    ] with PAIRS_CZECH = [("ch", 0x0EE2), ("Ch", 0x0EE2), ("CH", 0x0EE2)];
    DANISH: WORDS_DANISH = [
        ("üÜűŰ", "y", 0), ("äÄæÆ", "z", 1), ("öÖøØőŐ", "z", 2), ("åÅ", "z", 3),
    ] with PAIRS_DANISH = [("aa", 0x106D), ("Aa", 0x106D), ("AA", 0x106D)];
    LITHUANIAN: WORDS_LITHUANIAN = [
        ("yY", "i", 0), ("čČ", "c", 1), ("šŠ", "s", 1), ("žŽ", "z", 1),
    ] with PAIRS_LITHUANIAN = [("ch", 0x0E60), ("Ch", 0x0E60), ("CH", 0x0E60)];
    SLOVAK: WORDS_SLOVAK = [
        ("äÄ", "a", 1), ("ôÔ", "o", 1), ("čČ", "c", 1), ("šŠ", "s", 1), ("žŽ", "z", 1),
    ] with PAIRS_SLOVAK = [("ch", 0x0EE2), ("Ch", 0x0EE2), ("CH", 0x0EE2)];
    SPANISH2: WORDS_SPANISH2 = [
        ("ñÑ", "n", 1),
    ] with PAIRS_SPANISH2 = [("ch", 0x0E61), ("Ch", 0x0E61), ("CH", 0x0E61), ("ll", 0x0F2F), ("Ll", 0x0F2F), ("LL", 0x0F2F)];
    CROATIAN: WORDS_CROATIAN = [
        ("čČ", "c", 1), ("ćĆ", "c", 2), ("ǆǅǄ", "d", 1), ("đĐ", "d", 2), ("ǉǈǇ", "l", 1), ("ǌǋǊ", "n", 1), ("šŠ", "s", 1), ("žŽ", "z", 1),
    ] with PAIRS_CROATIAN = [
        ("dž", 0x0E6E), ("dŽ", 0x0E6E), ("Dž", 0x0E6E), ("DŽ", 0x0E6E), ("lj", 0x0F2F), ("lJ", 0x0F2F), ("Lj", 0x0F2F), ("LJ", 0x0F2F),
        ("nj", 0x0F65), ("nJ", 0x0F65), ("Nj", 0x0F65), ("NJ", 0x0F65),
    ];
    PERSIAN: WORDS_PERSIAN = [
        ("\u{653}", "", 0x0001), ("\u{654}", "", 0x0002), ("\u{655}", "", 0x0003), ("\u{670}", "", 0x0004),
        ("\u{64e}", "", 0x02CC), ("\u{fe76}", "", 0x02CD), ("\u{fe77}", "", 0x02CE), ("\u{650}", "", 0x02CF),
        ("\u{fe7a}", "", 0x02D0), ("\u{fe7b}", "", 0x02D1), ("\u{64f}", "", 0x02D2), ("\u{fe78}", "", 0x02D3),
        ("\u{fe79}", "", 0x02D4), ("\u{64b}", "", 0x02D5), ("\u{fe70}", "", 0x02D6), ("\u{fe71}", "", 0x02D7),
        ("\u{64d}", "", 0x02D8), ("\u{fe74}", "", 0x02D9), ("\u{64c}", "", 0x02DA), ("\u{fe72}", "", 0x02DB),
        ("\u{622}", "", 0x0E33), ("\u{627}", "", 0x0E34), ("\u{671}", "", 0x0E35), ("\u{621}", "", 0x0E36),
        ("\u{623}", "", 0x0E37), ("\u{625}", "", 0x0E38), ("\u{624}", "", 0x0E39), ("\u{626}", "", 0x0E3A),
        ("\u{fe82}", "", 0x1349), ("\u{fe8d}", "", 0x134A), ("\u{fe8e}", "", 0x134B), ("\u{fb50}", "", 0x134C),
        ("\u{fb51}", "", 0x134D), ("\u{fe80}", "", 0x134E), ("\u{fe83}", "", 0x134F), ("\u{fe84}", "", 0x1350),
        ("\u{fe87}", "", 0x1351), ("\u{fe88}", "", 0x1352), ("\u{fe85}", "", 0x1353), ("\u{fe86}", "", 0x1354),
        ("\u{689}", "", 0x1355), ("\u{68a}", "", 0x1356), ("\u{fdfc}", "", 0x1376), ("\u{6a9}\u{fb8e}", "", 0x139C),
        ("\u{643}\u{fb8f}", "", 0x139D), ("\u{fb90}", "", 0x139E), ("\u{fed9}", "", 0x13A0), ("\u{feda}", "", 0x13A1),
        ("\u{fedb}", "", 0x13A2), ("\u{fedc}", "", 0x13A3), ("\u{647}\u{fee9}", "", 0x13BE), ("\u{629}\u{feea}", "", 0x13BF),
        ("\u{6c0}\u{feeb}", "", 0x13C0), ("\u{6cc}\u{feec}", "", 0x13C1), ("\u{649}\u{fe93}", "", 0x13C2),
        ("\u{64a}\u{fe94}", "", 0x13C3), ("\u{fba4}", "", 0x13C4), ("\u{fba5}", "", 0x13C5), ("\u{fbfc}", "", 0x13C6),
        ("\u{fbfd}", "", 0x13C7), ("\u{fbfe}", "", 0x13C8), ("\u{feef}", "", 0x13CA), ("\u{fef0}", "", 0x13CB),
        ("\u{fef1}", "", 0x13CC), ("\u{fef2}", "", 0x13CD), ("\u{fef3}", "", 0x13CE), ("\u{fef4}", "", 0x13CF),
        ("\u{fef5}", "", 0x13D0), ("\u{fef6}", "", 0x13D1), ("\u{fef7}", "", 0x13D2), ("\u{fef8}", "", 0x13D3),
        ("\u{fef9}", "", 0x13D4), ("\u{fefa}", "", 0x13D5), ("\u{fefb}", "", 0x13D6), ("\u{fefc}", "", 0x13D7),
    ];
    SINHALA: WORDS_SINHALA = [
        ("\u{d82}", "", 0x17A9), ("\u{d83}", "", 0x17AA), ("\u{d9a}", "", 0x17AB), ("\u{d9b}", "", 0x17AC),
        ("\u{d9c}", "", 0x17AD), ("\u{d9d}", "", 0x17AE), ("\u{d9e}", "", 0x17AF), ("\u{d9f}", "", 0x17B0),
        ("\u{da0}", "", 0x17B1), ("\u{da1}", "", 0x17B2), ("\u{da2}", "", 0x17B3), ("\u{da3}", "", 0x17B4),
        ("\u{da5}", "", 0x17B5), ("\u{da4}", "", 0x17B6), ("\u{da6}", "", 0x17B7), ("\u{da7}", "", 0x17B8),
        ("\u{da8}", "", 0x17B9), ("\u{da9}", "", 0x17BA), ("\u{daa}", "", 0x17BB), ("\u{dab}", "", 0x17BC),
        ("\u{dac}", "", 0x17BD), ("\u{dad}", "", 0x17BE), ("\u{dae}", "", 0x17BF), ("\u{daf}", "", 0x17C0),
        ("\u{db0}", "", 0x17C1), ("\u{db1}", "", 0x17C2), ("\u{db3}", "", 0x17C3), ("\u{db4}", "", 0x17C4),
        ("\u{db5}", "", 0x17C5), ("\u{db6}", "", 0x17C6), ("\u{db7}", "", 0x17C7), ("\u{db8}", "", 0x17C8),
        ("\u{db9}", "", 0x17C9), ("\u{dba}", "", 0x17CA), ("\u{dbb}", "", 0x17CB), ("\u{dbd}", "", 0x17CC),
        ("\u{dc0}", "", 0x17CD), ("\u{dc1}", "", 0x17CE), ("\u{dc2}", "", 0x17CF), ("\u{dc3}", "", 0x17D0),
        ("\u{dc4}", "", 0x17D1), ("\u{dc5}", "", 0x17D2), ("\u{dc6}", "", 0x17D3), ("\u{dcf}", "", 0x17D4),
        ("\u{dd0}", "", 0x17D5), ("\u{dd1}", "", 0x17D6), ("\u{dd2}", "", 0x17D7), ("\u{dd3}", "", 0x17D8),
        ("\u{dd4}", "", 0x17D9), ("\u{dd6}", "", 0x17DA), ("\u{dd8}", "", 0x17DB), ("\u{df2}", "", 0x17DC),
        ("\u{ddf}", "", 0x17DD), ("\u{df3}", "", 0x17DE), ("\u{dd9}", "", 0x17DF), ("\u{dda}", "", 0x17E0),
        ("\u{ddb}", "", 0x17E1), ("\u{ddc}", "", 0x17E2), ("\u{ddd}", "", 0x17E3), ("\u{dde}", "", 0x17E4),
        ("\u{dca}", "", 0x17E5),
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

const fn contraction((letters, weight): (&str, u16)) -> Contraction {
    let (first, at) = character(letters, 0);
    let (second, end) = character(letters, at);
    assert!(end == letters.len());
    Contraction { first, second, weight: [weight] }
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
        if one.len == 0 {
            one.len = 1;
        }
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
            names
                .filter(|n| !n.contains("_0900") && !n.ends_with("_mysql500_ci"))
                .map(str::to_string)
                .collect()
        };
        assert_eq!(languages("utf8mb3"), languages("utf8mb4"));
        let c = |name: &str| Collation::by_name(name).unwrap().id();
        assert_eq!(
            [c("utf8mb4_swedish_ci"), c("utf8_swedish_ci"), c("utf8_vietnamese_ci")],
            [232, 200, 215]
        );
    }
}
