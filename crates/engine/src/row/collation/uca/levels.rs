//! The second and third level of version 9.0.0: accents, and case with the other variants of a character.
//!
//! Each element of a character has a secondary and a tertiary weight. A text's weights of a level are those of all its
//! elements but the zeros, and levels are compared one after the other, as in MySQL.
//!
//! In a key a level is the byte 0 and its weights: one byte each, or two from F0 on (secondary weights reach 0114), in
//! order. The most common weight is left out at the end of a level. That keeps the order and equality: no weight is
//! less, and texts of equal primary weights have equally many elements with the common secondary weight, as it is that of
//! every element with a primary weight and of no other (`tools/gen_uca.py` makes sure of it); and those of equal
//! secondary weights have equally many tertiary ones.
//!
//! The `.bin` file holds data of the Unicode Collation Algorithm, © Unicode, Inc. (see NOTICE).

use super::super::charset::Charset;
use super::table::{Look, look};

pub const TERTIARY_BITS: u32 = 5;
pub const TERTIARY: u16 = 0x1F;
pub const COMMON_SECONDARY: u8 = 0x20;
pub const COMMON_TERTIARY: u8 = 2;
/// Begins and ends a level of a key.
pub const END: u8 = 0;
/// First byte of a weight of two.
const WIDE: u8 = 0xF0;
/// The element of what is in no table.
const COMMON: u16 = (COMMON_SECONDARY as u16) << TERTIARY_BITS | COMMON_TERTIARY as u16;
/// Hangul syllables are their letters: three, or two where the third is missing.
const SYLLABLES: std::ops::RangeInclusive<u32> = 0xAC00..=0xD7AF;
const ENDINGS: u32 = 28;

static WORDS: [u16; include_bytes!("900levels.bin").len() / 2] =
    super::table::words(include_bytes!("900levels.bin"));

/// The elements of a text: secondary weight, and tertiary weight in the lowest bits.
pub struct Elements<'a> {
    rest: &'a [u8],
    charset: Charset,
    list: &'static [u16],
    common: u32,
}

impl<'a> Elements<'a> {
    pub fn new(s: &'a [u8], charset: Charset) -> Elements<'a> {
        Elements { rest: s, charset, list: &[], common: 0 }
    }
}

impl Iterator for Elements<'_> {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        loop {
            if let [element, rest @ ..] = self.list {
                self.list = rest;
                return Some(*element);
            }
            if self.common > 0 {
                self.common -= 1;
                return Some(COMMON);
            }
            let &b = self.rest.first()?;
            let (cp, n) = match b {
                0..0x80 => (u32::from(b), 1),
                _ => self.charset.decode(self.rest).unwrap_or((u32::MAX, 1)),
            };
            self.rest = &self.rest[n..];
            if cp == u32::MAX {
                return Some(COMMON);
            }
            match look(&WORDS, cp) {
                Look::Nothing => {}
                Look::One(element) => return Some(element),
                Look::List(list) => self.list = list,
                Look::Implicit if SYLLABLES.contains(&cp) => {
                    let short = (cp - *SYLLABLES.start()).is_multiple_of(ENDINGS);
                    self.common = if short { 2 } else { 3 };
                }
                Look::Implicit => return Some(COMMON),
            }
        }
    }
}

/// Appends a weight of a key.
pub fn put(weight: u16, out: &mut Vec<u8>) {
    let [high, low] = weight.to_be_bytes();
    if high == 0 && low < WIDE {
        out.push(low);
    } else {
        out.extend_from_slice(&[WIDE + high, low]);
    }
}

/// Weights that a byte of a run stands for, at most.
const RUN: u16 = 16;

/// Appends the weights of a level of a language, some of which may be less than the commonest one, or may have no equal in number in
/// a text that is equal on the levels before. So runs of that one are written shorter, and none is left out: one byte for each
/// sixteen, and one that tells how many are left and whether less or more follows.
///
/// From the commonest weight on, the bytes are: so many left and then less or the end, sixteen, so many left and then more, the weights
/// that are more.
pub fn put_runs(weights: impl Iterator<Item = u16>, common: u16, out: &mut Vec<u8>) {
    let mut run = 0;
    for weight in weights {
        if weight == common {
            run += 1;
            if run == RUN {
                out.push((common + RUN - 1) as u8);
                run = 0;
            }
            continue;
        }
        if run > 0 {
            let left = if weight < common { run - 1 } else { 2 * RUN - 1 - run };
            out.push((common + left) as u8);
            run = 0;
        }
        put(if weight < common { weight } else { weight + 2 * RUN - 2 }, out);
    }
    if run > 0 {
        out.push((common + run - 1) as u8);
    }
}

/// Length of a weight that begins so.
pub fn len(first: u8) -> usize {
    if first < WIDE { 1 } else { 2 }
}
