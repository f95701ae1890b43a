//! Integers to decimal text without the formatting machinery: the hot part of text rows.

const PAIRS: &[u8; 200] = b"0001020304050607080910111213141516171819\
    2021222324252627282930313233343536373839\
    4041424344454647484950515253545556575859\
    6061626364656667686970717273747576777879\
    8081828384858687888990919293949596979899";

/// Longest: `-9223372036854775808` and `18446744073709551615`, 20 bytes each.
pub(crate) const MAX_DIGITS: usize = 20;

/// Writes the digits at the end of `buffer` and returns where they begin.
fn digits(mut n: u64, buffer: &mut [u8; MAX_DIGITS]) -> usize {
    let mut at = MAX_DIGITS;
    while n >= 100 {
        let pair = (n % 100) as usize * 2;
        n /= 100;
        at -= 2;
        buffer[at..at + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    }
    if n >= 10 {
        let pair = n as usize * 2;
        at -= 2;
        buffer[at..at + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    } else {
        at -= 1;
        buffer[at] = b'0' + n as u8;
    }
    at
}

/// Calls `with` with the decimal text of `n`.
pub(crate) fn unsigned<T>(n: u64, with: impl FnOnce(&[u8]) -> T) -> T {
    let mut buffer = [0; MAX_DIGITS];
    let at = digits(n, &mut buffer);
    with(&buffer[at..])
}

/// Calls `with` with the decimal text of `n`.
pub(crate) fn signed<T>(n: i64, with: impl FnOnce(&[u8]) -> T) -> T {
    let mut buffer = [0; MAX_DIGITS];
    let mut at = digits(n.unsigned_abs(), &mut buffer);
    if n < 0 {
        at -= 1;
        buffer[at] = b'-';
    }
    with(&buffer[at..])
}

/// Appends `n` with at least `width` digits.
pub(crate) fn push_padded(out: &mut Vec<u8>, n: u32, width: usize) {
    unsigned(u64::from(n), |text| {
        for _ in text.len()..width {
            out.push(b'0');
        }
        out.extend_from_slice(text);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(n: i64) {
        signed(n, |text| assert_eq!(text, n.to_string().as_bytes()));
        unsigned(n as u64, |text| assert_eq!(text, (n as u64).to_string().as_bytes()));
    }

    #[test]
    fn borders() {
        for n in [0, 1, 9, 10, 99, 100, 101, -1, -10, i64::MIN, i64::MAX] {
            check(n);
        }
    }

    proptest! {
        #[test]
        fn as_the_standard_library(n: i64, shift in 0u32..64) {
            check(n >> shift);
        }
    }
}
