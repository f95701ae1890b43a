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

/// Number of different weights of ASCII characters, the same in all versions; z has the greatest.
const LOW: usize = 74;
const WIDE: u8 = 1 + 2 * LOW as u8;
const WIDE_BYTES: u16 = 98;
const HIGH: u8 = WIDE + WIDE_BYTES as u8;
const BASES: [u16; 4] = [0xFB40, 0xFB41, 0xFB80, 0xFBC1];

const _: () = assert!(HIGH as usize + 2 * BASES.len() == 255);

/// No code of one byte.
pub const LONG: u8 = 1;

/// The codes of one version.
#[derive(Debug)]
pub struct Codes {
    /// Code of each ASCII character; 0 for the ignorable ones, [`LONG`] for those whose code has several bytes.
    pub ascii: [u8; 128],
    low: [u16; LOW],
}

impl Codes {
    pub const fn new(ascii: &[u16; 128]) -> Codes {
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
        let mut codes = [0; 128];
        let mut c = 0;
        while c < 128 {
            let mut i = 0;
            while i < LOW {
                if low[i] == ascii[c] {
                    codes[c] = 2 + 2 * i as u8;
                }
                i += 1;
            }
            c += 1;
        }
        Codes { ascii: codes, low }
    }

    /// The same codes for a language that gives some ASCII letters other weights.
    pub const fn tailored(&self, ascii: &[u16; 128]) -> Codes {
        let mut codes = [0; 128];
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
        Codes { ascii: codes, low: self.low }
    }

    pub fn space(&self) -> u8 {
        self.ascii[b' ' as usize]
    }

    /// Appends a weight's code.
    pub fn put(&self, weight: u16, out: &mut Vec<u8>) {
        let [high, low] = weight.to_be_bytes();
        let behind = i32::from(weight) - i32::from(self.low[LOW - 1]) - 1;
        if behind < 0 {
            match self.low.binary_search(&weight) {
                Ok(i) => out.push(2 + 2 * i as u8),
                Err(i) => out.extend_from_slice(&[1 + 2 * i as u8, high, low]),
            }
        } else if behind < i32::from(WIDE_BYTES) * 256 {
            out.extend_from_slice(&[WIDE + (behind >> 8) as u8, behind as u8]);
        } else {
            match BASES.binary_search(&weight) {
                Ok(i) => out.push(HIGH + 1 + 2 * i as u8),
                Err(i) => out.extend_from_slice(&[HIGH + 2 * i as u8, high, low]),
            }
        }
    }
}

/// Length of the code that begins with this byte.
pub fn code_len(first: u8) -> usize {
    match first {
        WIDE..HIGH => 2,
        HIGH.. => 3 - 2 * usize::from((first - HIGH) % 2),
        _ => 1 + 2 * usize::from(first % 2),
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::{UCA_400, UCA_520, UCA_900};
    use super::*;

    #[test]
    fn codes_are_in_the_order_of_weights() {
        for table in [&UCA_400, &UCA_520, &UCA_900] {
            let mut last = vec![0];
            for weight in 1..=u16::MAX {
                let mut code = Vec::new();
                table.codes.put(weight, &mut code);
                assert!(code > last, "{weight:x} {code:?} {last:?}");
                assert_eq!(code_len(code[0]), code.len());
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
