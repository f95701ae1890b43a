//! DECIMAL literals, which may be longer than what a column keeps.

use super::{Decimal, LONGEST, WORD, Wide, wide_mul_small};

/// The words of a number of MySQL's.
const WORDS: usize = 9;

/// Digits behind the point of a literal: four of MySQL's words.
const LONGEST_SCALE: u8 = 36;

impl Decimal {
    /// 65 nines.
    pub const LARGEST: Decimal = Decimal {
        neg: false,
        scale: 0,
        mag: [u64::MAX, 0x4e39_45ef_7a25_3609, 0x1c7f_c390_8a8b_ef46, 0x00f3_1627],
    };

    /// A literal of digits and a point, as MySQL keeps it: what the words behind the point do not hold is cut. `Err`: there are more digits
    /// before the point than any number has, and those that MySQL names.
    pub fn of_literal(text: &str) -> Result<Self, &str> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = whole.trim_start_matches('0');
        if digits.len() > usize::from(LONGEST) {
            return Err(&digits[digits.len().saturating_sub(WORDS * usize::from(WORD))..]);
        }
        let left = WORDS - digits.len().div_ceil(usize::from(WORD));
        let room = (left * usize::from(WORD)).min(usize::from(LONGEST) - digits.len());
        let places = fraction.len().min(room).min(usize::from(LONGEST_SCALE));
        let mut w: Wide = [0; 20];
        for d in digits.bytes().chain(fraction.bytes().take(places)) {
            wide_mul_small(&mut w, 10, u32::from(d - b'0'));
        }
        Ok(Self::from_wide(false, places as u8, &w).expect("LONGEST digits fit into 256 bits"))
    }
}
