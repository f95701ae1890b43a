//! Languages' orders of latin1, as changes of the two orders that have tables ([`super::tables`]).

use super::tables::{LATIN1_GENERAL, LATIN1_SWEDISH};

/// DIN 5007-1: umlauts are their base letters, ß is s.
pub(super) static GERMAN1: [u8; 256] = changed(
    &LATIN1_SWEDISH,
    &[
        (b"\xC4\xC5\xC6\xE4\xE5\xE6", b'A'),
        (b"\xD6\xD8\xF6\xF8", b'O'),
        (b"\xDC\xFC", b'U'),
        (b"\xDF", b'S'),
        (b"\xD0\xF0", 0xD0),
    ],
);

/// DIN 5007-2: an umlaut is its base letter and e, ß is ss.
pub(super) static GERMAN2: Expanding = Expanding {
    first: changed(
        &GERMAN1,
        &[(b"\xC6\xE6", b'Z' + 2), (b"\xD0\xF0", b'D'), (b"\xD8\xF8", 0xD8), (b"\xFF", b'Y')],
    ),
    second: changed(&[0; 256], &[(b"\xC4\xE4\xD6\xF6\xDC\xFC", b'E'), (b"\xDF", b'S')]),
};

/// æ and ä, ø and ö, and å behind z.
pub(super) static DANISH: [u8; 256] = changed(
    &LATIN1_SWEDISH,
    &[(b"\xC4\xC6\xE4\xE6", b'Z' + 1), (b"\xD6\xD8\xF6\xF8", b'Z' + 2), (b"\xC5\xE5", b'Z' + 3)],
);

/// ñ is a letter, all others are their base letters.
pub(super) static SPANISH: [u8; 256] = changed(
    &LATIN1_GENERAL,
    &[
        (
            b"\xC0\xC1\xC2\xC3\xC4\xC5\xC6\xE0\xE1\xE2\xE3\xE4\xE5\xE6",
            LATIN1_GENERAL[b'A' as usize],
        ),
        (b"\xC7\xE7", LATIN1_GENERAL[b'C' as usize]),
        (b"\xD0\xF0", LATIN1_GENERAL[b'D' as usize]),
        (b"\xC8\xC9\xCA\xCB\xE8\xE9\xEA\xEB", LATIN1_GENERAL[b'E' as usize]),
        (b"\xCC\xCD\xCE\xCF\xEC\xED\xEE\xEF", LATIN1_GENERAL[b'I' as usize]),
        (b"\xD2\xD3\xD4\xD5\xD6\xD8\xF2\xF3\xF4\xF5\xF6\xF8", LATIN1_GENERAL[b'O' as usize]),
        (b"\xD9\xDA\xDB\xDC\xF9\xFA\xFB\xFC", LATIN1_GENERAL[b'U' as usize]),
        (b"\xDD\xFD\xFF", LATIN1_GENERAL[b'Y' as usize]),
    ],
);

/// The order of `latin1_general_ci`, each letter's upper case before its lower case.
pub(super) static GENERAL_CS: [u8; 256] = cases_apart(&LATIN1_GENERAL);

/// An order in which some characters have two weights.
#[derive(Debug)]
pub(super) struct Expanding {
    first: [u8; 256],
    /// 0: none.
    second: [u8; 256],
}

impl Expanding {
    /// The weights of a text, a byte each. That of the space is the space's only.
    pub fn weights(&self, s: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(s.len() + s.len() / 8);
        for b in s.iter().copied().map(usize::from) {
            out.push(self.first[b]);
            out.extend(Some(self.second[b]).filter(|w| *w != 0));
        }
        out
    }

    /// What LIKE compares of a character: one of two weights is like itself in both cases only.
    pub fn like(&self, b: u8) -> u8 {
        match self.second[usize::from(b)] {
            0 => self.first[usize::from(b)],
            _ if b == 0xDF => b,
            _ => b & !0x20,
        }
    }
}

const fn changed(base: &[u8; 256], changes: &[(&[u8], u8)]) -> [u8; 256] {
    let mut out = *base;
    let mut i = 0;
    while i < changes.len() {
        let (letters, weight) = changes[i];
        let mut k = 0;
        while k < letters.len() {
            out[letters[k] as usize] = weight;
            k += 1;
        }
        i += 1;
    }
    out
}

/// The rank of each byte by its weight and then its code. Bytes of one weight are a letter in two cases, the upper one first.
const fn cases_apart(base: &[u8; 256]) -> [u8; 256] {
    let mut out = [0; 256];
    let mut b = 0;
    while b < 256 {
        let mut other = 0;
        while other < 256 {
            if base[other] < base[b] || (base[other] == base[b] && other < b) {
                out[b] += 1;
            }
            other += 1;
        }
        b += 1;
    }
    // The keys of texts rely on it.
    assert!(out[b' ' as usize] == b' ');
    out
}

#[cfg(test)]
mod tests {
    use super::super::Collation;

    #[test]
    fn letters_of_languages() {
        let of = |name: &str| Collation::by_name(name).unwrap();
        let german = of("latin1_german1_ci");
        assert!(german.eq(b"\xE4\xF6\xFC\xDF", b"AOUS") && german.eq(b"\xD0", b"\xF0"));
        let danish = of("latin1_danish_ci");
        assert!(danish.compare(b"z", b"\xE6").is_lt() && danish.compare(b"\xE6", b"\xF8").is_lt());
        assert!(danish.compare(b"\xF8", b"\xE5").is_lt() && danish.eq(b"\xF8", b"\xD6"));
        let german2 = of("latin1_german2_ci");
        let eq = |a: &[u8], b: &[u8]| german2.eq(a, b) && german2.compare(a, b).is_eq();
        assert!(eq(b"M\xFCller ", b"MUELLER") && eq(b"\xDF", b"ss") && eq(b"\xFF", b"y"));
        assert!(!eq(b"\xE4", b"a") && german2.compare(b"\xE4", b"ad").is_gt());
        assert!(german2.compare(b"\xE4", b"af").is_lt() && !eq(b"\xE6", b"ae"));
        assert!(german2.like(b"\xE4b", b"\xC4B", None) && !german2.like(b"\xE4", b"a%", None));
        let spanish = of("latin1_spanish_ci");
        assert!(spanish.eq(b"\xE1", b"A") && !spanish.eq(b"\xF1", b"n"));
        assert!(spanish.compare(b"nz", b"\xF1a").is_lt() && spanish.compare(b"\xF1", b"o").is_lt());
        let cs = of("latin1_general_cs");
        assert!(cs.compare(b"A", b"a").is_lt() && cs.compare(b"a", b"\xC0").is_lt());
        assert!(cs.compare(b"\xE0", b"B").is_lt() && cs.compare(b"z", b"\xC0").is_gt());
        assert_eq!([german, danish, cs, spanish].map(Collation::id), [5, 15, 49, 94]);
    }
}
