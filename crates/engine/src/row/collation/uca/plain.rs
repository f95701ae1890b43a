//! The codes of plain text: characters of ASCII, each of which has a code of one byte. They are looked up sixteen at a time, and one look
//! at all of them tells whether there is another kind among them.
//!
//! Not plain are what weighs nothing, letters to which a language gives a weight that no other table has ([`LONG`]), and with PAD SPACE the
//! space, whose runs are written otherwise. With pairs of letters (`Table::is_simple`) nothing is plain.

use super::Uca;
use super::code::LONG;

const BLOCK: usize = 16;
const HIGH: u64 = 0x8080_8080_8080_8080;
const EACH: u64 = 0x0101_0101_0101_0101;

impl Uca {
    /// Appends the codes of the plain characters that `s` begins with, and returns how many these are.
    pub fn put_plain(self, s: &[u8], out: &mut Vec<u8>) -> usize {
        if !self.table.is_simple {
            return 0;
        }
        let codes = &self.table.codes.ascii;
        // Without PAD SPACE the space is as any other character: 0 stands for no code.
        let space = if self.pad { self.table.codes.space() } else { 0 };
        let (blocks, rest) = s.as_chunks::<BLOCK>();
        let mut put = 0;
        for block in blocks {
            let block_codes = block.map(|b| codes[usize::from(b)]);
            if !is_plain(&block_codes, space) {
                return put + put_singly(block, codes, space, out);
            }
            out.extend_from_slice(&block_codes);
            put += BLOCK;
        }
        put + put_singly(rest, codes, space, out)
    }
}

/// The same, one character after the other.
fn put_singly(s: &[u8], codes: &[u8; 256], space: u8, out: &mut Vec<u8>) -> usize {
    for (at, b) in s.iter().enumerate() {
        let code = codes[usize::from(*b)];
        if code <= LONG || code == space {
            return at;
        }
        out.push(code);
    }
    s.len()
}

/// Whether none of these is [`LONG`], that of nothing, or `space`.
#[inline]
fn is_plain(codes: &[u8; BLOCK], space: u8) -> bool {
    let mut other = 0;
    for codes in codes.as_chunks::<8>().0 {
        let x = u64::from_ne_bytes(*codes);
        // The usual tests for a byte below a bound, and for one that is zero: they find one where there is one.
        other |= x.wrapping_sub(EACH * (u64::from(LONG) + 1)) & !x;
        if space != 0 {
            let y = x ^ (EACH * u64::from(space));
            other |= y.wrapping_sub(EACH) & !y;
        }
    }
    other & HIGH == 0
}

#[cfg(test)]
mod tests {
    use super::super::super::super::spaces::put_run;
    use super::super::super::{ALL, Collation, put_text};
    use super::super::Uca;
    use proptest::prelude::*;

    fn text() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            "[0-9-]{0,140}".prop_map(String::into_bytes),
            "[ -~]{0,60}".prop_map(String::into_bytes),
            "[a-z]{0,40}[ ]{0,3}[\u{0}-\u{7f}]{0,40}[ ]{0,3}".prop_map(String::into_bytes),
            "[a-zA-Z]{0,20}[ch dzCH\u{e4}\u{df}\u{1}\u{301}\u{4e00}\u{1f600}\u{d55c}\u{4d2}]{0,30}[0-9]{0,40}".prop_map(String::into_bytes),
            proptest::collection::vec(any::<u8>(), 0..60),
            (proptest::collection::vec(0u8..128, 0..50), any::<u8>(), 0usize..50).prop_map(|(mut s, b, at)| {
                s.insert(at.min(s.len()), b);
                s
            }),
        ]
    }

    /// Each weight's code, and no look at what is ASCII.
    fn one_by_one(uca: Uca, s: &[u8]) -> Vec<u8> {
        let codes = &uca.table.codes;
        let (mut out, mut spaces) = (Vec::new(), 0);
        for weight in uca.weights(s) {
            if uca.pad && weight == uca.table.space() {
                spaces += 1;
                continue;
            }
            if spaces > 0 {
                put_run(codes.space(), spaces, weight > uca.table.space(), &mut out);
                spaces = 0;
            }
            codes.put(weight, &mut out);
        }
        out
    }

    fn all() -> impl Iterator<Item = (Collation, Uca)> {
        ALL.iter().filter_map(|c| c.uca().map(|uca| (*c, uca)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// All collations of Unicode's weights, and all kinds of bytes.
        #[test]
        fn the_short_way_gives_what_the_weights_give(s in text()) {
            for (c, uca) in all() {
                let mut out = Vec::new();
                put_text(uca, &s, &mut out);
                prop_assert_eq!(&out, &one_by_one(uca, &s), "{} {:?}", c.name(), s);
                let mut plain = Vec::new();
                let n = uca.put_plain(&s, &mut plain);
                prop_assert_eq!(&plain, &one_by_one(uca, &s[..n]), "{} {:?}", c.name(), s);
                prop_assert_eq!(n, plain.len());
            }
        }
    }

    /// No byte stops it before its time, at any place of a block, and none goes past.
    #[test]
    fn it_ends_where_a_character_is_not_plain() {
        for (c, uca) in all().filter(|(_, uca)| uca.table.is_simple) {
            for b in 0..=255u8 {
                for at in [0, 7, 8, 15, 16, 20] {
                    let mut s = [b'-'; 40];
                    s[at] = b;
                    let code = uca.table.codes.ascii[usize::from(b)];
                    let plain = code > 1 && !(uca.pad && code == uca.table.codes.space());
                    let n = uca.put_plain(&s, &mut Vec::new());
                    assert_eq!(n, if plain { 40 } else { at }, "{} {b}", c.name());
                }
            }
        }
    }
}
