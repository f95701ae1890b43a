//! The codes of plain text: characters of a byte, each of which has a code of one byte. They are looked up sixteen at a time, and one look
//! at all of them tells whether there is another kind among them.
//!
//! Not plain are, in the collations of Unicode's weights, what weighs nothing and letters to which a language gives a weight that no other
//! table has ([`LONG`]); where letters in pairs are sorted as one (`Table::is_simple`), nothing is plain. In the others the two least weights are not,
//! which control characters have. With PAD SPACE the space is not, whose runs are written otherwise.

use super::uca::{LONG, Uca};
use super::{ASCII_UPPER, Collation, list::Order};

const BLOCK: usize = 16;
const HIGH: u64 = 0x8080_8080_8080_8080;
const EACH: u64 = 0x0101_0101_0101_0101;

/// The codes of bytes, 0 for those that are not plain, and the code of the space if its runs are written otherwise, else 0.
#[derive(Clone, Copy)]
pub(in super::super) struct Plain {
    codes: &'static [u8; 256],
    space: u8,
}

/// Weights of ASCII where letters are like capital ones.
static UPPER: [u8; 256] = upper();
/// Bytes that are their own weights.
static SAME: [u8; 256] = same();

const fn upper() -> [u8; 256] {
    let (mut out, mut b) = ([0; 256], 0);
    while b < 0x80 {
        out[b] = ASCII_UPPER[b];
        b += 1;
    }
    out
}

const fn same() -> [u8; 256] {
    let (mut out, mut b) = ([0; 256], 0);
    while b < 256 {
        out[b] = b as u8;
        b += 1;
    }
    out
}

impl Collation {
    /// For keys of texts that are padded, of other collations than Unicode's.
    pub(in super::super) fn plain(self) -> Option<Plain> {
        let codes = match self.order() {
            Order::Table(table) => table,
            Order::General | Order::General500 | Order::Code => &UPPER,
            Order::Bytes => &SAME,
            Order::Expanding(_) | Order::Uca(..) => return None,
        };
        Some(Plain { codes, space: codes[usize::from(b' ')] })
    }
}

impl Uca {
    /// Appends the codes of the plain characters that `s` begins with, and returns how many these are.
    pub fn put_plain(self, s: &[u8], out: &mut Vec<u8>) -> usize {
        if !self.table.is_simple {
            return 0;
        }
        let codes = &self.table.codes;
        Plain { codes: &codes.ascii, space: if self.pad { codes.space() } else { 0 } }.put(s, out)
    }
}

impl Plain {
    #[inline]
    fn has(self, b: u8) -> bool {
        let code = self.codes[usize::from(b)];
        code > LONG && code != self.space
    }

    /// Appends the codes of the plain bytes that `s` begins with, and returns how many these are.
    pub fn put(self, s: &[u8], out: &mut Vec<u8>) -> usize {
        if !s.first().is_some_and(|b| self.has(*b)) {
            return 0;
        }
        let Plain { codes, space } = self;
        let (blocks, rest) = s.as_chunks::<BLOCK>();
        let mut put = 0;
        for block in blocks {
            let block_codes = block.map(|b| codes[usize::from(b)]);
            if !is_plain(&block_codes, space) {
                return put + self.put_singly(block, out);
            }
            out.extend_from_slice(&block_codes);
            put += BLOCK;
        }
        put + self.put_singly(rest, out)
    }

    /// The same, one byte after the other.
    fn put_singly(self, s: &[u8], out: &mut Vec<u8>) -> usize {
        let plain = s.iter().position(|b| !self.has(*b)).unwrap_or(s.len());
        out.extend(s[..plain].iter().map(|b| self.codes[usize::from(*b)]));
        plain
    }
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
    use super::super::super::key::{put_ended, put_text as put_padded};
    use super::super::super::spaces::{TEXT_END, put_run};
    use super::super::{ALL, put_text, put_weight};
    use super::*;
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

    /// Each weight in turn, of a collation that pads and is not Unicode's.
    fn weight_by_weight(c: Collation, s: &[u8]) -> Vec<u8> {
        let text = c.trim_padding(s);
        let space = c.space_weight();
        let (mut out, mut at) = (Vec::new(), 0);
        while at < text.len() {
            let (weight, n) = c.next_weight(&text[at..]);
            if weight == space && c.is_blank(text[at]) {
                let run = text[at..].iter().take_while(|b| c.is_blank(**b)).count();
                at += run;
                put_run(space as u8, run, c.next_weight(&text[at..]).0 > space, &mut out);
                continue;
            }
            match c.is_bytewise() {
                true => out.push(text[at]),
                false => put_weight(weight, c.weight_form(), &mut out),
            }
            at += if c.is_bytewise() { 1 } else { n };
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// The same of all other collations that have such bytes.
        #[test]
        fn keys_of_padded_texts_are_those_of_their_weights(s in text()) {
            for c in ALL.iter().copied().filter(|c| c.pad_space() && c.plain().is_some()) {
                let (mut out, mut ended) = (Vec::new(), Vec::new());
                put_padded(c, &s, &mut out);
                prop_assert_eq!(&out, &weight_by_weight(c, &s), "{} {:?}", c.name(), s);
                put_ended(c, &s, &mut ended);
                out.extend([c.space_weight() as u8, TEXT_END]);
                prop_assert_eq!(&ended, &out);
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
