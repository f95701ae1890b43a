//! Weights as bytes whose `memcmp` order is the order of the weights.
//!
//! | first byte | weight | length |
//! |---|---|---|
//! | 1, 3, ... 147 | none of ASCII's, below that of z: between two of them; big endian | 3 |
//! | 2, 4, ... 148 | of an ASCII character, in order | 1 |
//! | 149 to 246 | the next 98 * 256 behind z: the other alphabets | 2 |
//! | 247, 249, ... 255 | any other, between two of `BASES`; big endian | 3 |
//! | 248, 250, ... 254 | one of `BASES`: with the next weight a Chinese character or a Hangul syllable | 1 |
//!
//! 0 is free for the end. This is the format of keys on disk.
//!
//! Where Cyrillic stands before Latin, two of the 98 first bytes stand before that of a ([`Split`]), and the next 96 * 256 are behind z.

/// Number of different weights of ASCII characters, the same in all versions; z has the greatest.
const LOW: usize = 74;
const WIDE: u8 = 1 + 2 * LOW as u8;
const WIDE_BYTES: u16 = 98;
const HIGH: u8 = WIDE + WIDE_BYTES as u8;
const BASES: [u16; 4] = [0xFB40, 0xFB41, 0xFB80, 0xFBC1];

const _: () = assert!(HIGH as usize + 2 * BASES.len() == 255);

/// No code of one byte.
pub const LONG: u8 = 1;

/// Weights between two of ASCII's that have codes of two bytes as those behind z have: from which on, and of how many first bytes.
#[derive(Debug, Clone, Copy)]
pub struct Split {
    pub weight: u16,
    pub bytes: u8,
}

impl Split {
    pub const NONE: Split = Split { weight: 0, bytes: 0 };
}

/// The codes of one version.
#[derive(Debug)]
pub struct Codes {
    split: Split,
    /// How many of ASCII's weights are before the split.
    before: usize,
    /// Code of each ASCII character; 0 for the ignorable ones, [`LONG`] for those whose code has several bytes. 0 for all other bytes.
    pub ascii: [u8; 256],
    low: [u16; LOW],
}

impl Codes {
    pub const fn new(ascii: &[u16; 128], split: Split) -> Codes {
        // Smallest first, each once.
        let mut low = [0; LOW];
        let (mut n, mut last) = (0, 0);
        loop {
            let (mut next, mut c) = (u16::MAX, 0);
            while c < 128 {
                if ascii[c] > last && ascii[c] < next {
                    next = ascii[c];
                }
                c += 1;
            }
            if next == u16::MAX {
                break;
            }
            low[n] = next;
            last = next;
            n += 1;
        }
        assert!(n == LOW && last == ascii[b'z' as usize]);
        let mut before = 0;
        while before < LOW && low[before] < split.weight {
            before += 1;
        }
        let mut codes = [0; 256];
        let mut c = 0;
        while c < 128 {
            let mut i = 0;
            while i < LOW {
                if low[i] == ascii[c] {
                    codes[c] = 2 + 2 * i as u8 + if i < before { 0 } else { split.bytes };
                }
                i += 1;
            }
            c += 1;
        }
        Codes { split, before, ascii: codes, low }
    }

    /// The same codes for a language that gives some ASCII letters other weights.
    pub const fn tailored(&self, ascii: &[u16; 128]) -> Codes {
        assert!(self.split.bytes == 0);
        let mut codes = [0; 256];
        let mut c = 0;
        while c < 128 {
            let mut i = 0;
            while i < LOW && self.low[i] != ascii[c] {
                i += 1;
            }
            codes[c] = match (ascii[c], i) {
                (0, _) => 0,
                (_, LOW) => LONG,
                _ => 2 + 2 * i as u8,
            };
            c += 1;
        }
        Codes { split: self.split, before: self.before, ascii: codes, low: self.low }
    }

    pub fn space(&self) -> u8 {
        self.ascii[b' ' as usize]
    }

    /// Length of the code that begins with this byte.
    pub fn len(&self, first: u8) -> usize {
        let early = 2 + 2 * self.before as u8;
        match first {
            HIGH.. => 3 - 2 * usize::from((first - HIGH) % 2),
            _ if first >= WIDE + self.split.bytes => 2,
            _ if first >= early + self.split.bytes => {
                1 + 2 * usize::from((first - self.split.bytes) % 2)
            }
            _ if first >= early && self.split.bytes > 0 => 2,
            _ => 1 + 2 * usize::from(first % 2),
        }
    }

    /// Appends a weight's code.
    pub fn put(&self, weight: u16, out: &mut Vec<u8>) {
        let [high, low] = weight.to_be_bytes();
        let behind = i32::from(weight) - i32::from(self.low[LOW - 1]) - 1;
        let early = self.split.bytes;
        if behind < 0 {
            let within = weight.wrapping_sub(self.split.weight);
            match self.low.binary_search(&weight) {
                Err(i) if i == self.before && within < u16::from(early) * 256 => {
                    out.extend_from_slice(&[2 + 2 * i as u8 + (within >> 8) as u8, within as u8]);
                }
                Ok(i) if i < self.before => out.push(2 + 2 * i as u8),
                Ok(i) => out.push(2 + 2 * i as u8 + early),
                // Two weights of the same gap, one before and one behind the split, are distinguished by what it covers: all of it.
                Err(i) if i <= self.before => out.extend_from_slice(&[1 + 2 * i as u8, high, low]),
                Err(i) => out.extend_from_slice(&[1 + 2 * i as u8 + early, high, low]),
            }
        } else if behind < i32::from(WIDE_BYTES - u16::from(early)) * 256 {
            out.extend_from_slice(&[WIDE + early + (behind >> 8) as u8, behind as u8]);
        } else {
            match BASES.binary_search(&weight) {
                Ok(i) => out.push(HIGH + 1 + 2 * i as u8),
                Err(i) => out.extend_from_slice(&[HIGH + 2 * i as u8, high, low]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::language::{CHINESE, RUSSIAN};
    use super::super::table::{UCA_400, UCA_520, UCA_900};

    #[test]
    fn codes_are_in_the_order_of_weights() {
        for table in [&UCA_400, &UCA_520, &UCA_900, &RUSSIAN, &CHINESE] {
            let mut last = vec![0];
            for weight in 1..=u16::MAX {
                let mut code = Vec::new();
                table.codes.put(weight, &mut code);
                assert!(code > last, "{weight:x} {code:?} {last:?}");
                assert_eq!(table.codes.len(code[0]), code.len());
                last = code;
            }
            for (c, weight) in table.ascii.iter().enumerate().filter(|(_, w)| **w != 0) {
                let mut code = Vec::new();
                table.codes.put(*weight, &mut code);
                assert_eq!(code, [table.codes.ascii[c]]);
            }
        }
    }
}
