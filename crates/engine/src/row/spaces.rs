//! Runs of spaces in keys of texts whose collation is PAD SPACE.
//!
//! The run code makes PAD SPACE right. A text counts as followed by endless spaces, so at the place where one text
//! has `n` spaces and then character `c`, it sorts before the end of another text if `c` < space, and behind it if
//! `c` > space; among the first kind fewer spaces are less, among the second kind more spaces are less. So the code
//! is: `n` ascending (below 80), 80 for the end, `n` inverted (above 80). Text is stripped of trailing spaces
//! first, so a run is always followed by something else.

pub(super) const TEXT_END: u8 = 0x80;
/// Longest run of spaces whose code is one byte; a longer one is `LONG_RUN` and four bytes.
const SHORT_RUN: usize = 0x6F;
const LONG_RUN: u8 = 0x70;

/// Appends a run of spaces, and whether what follows weighs more than one.
pub(super) fn put_run(space: u8, run: usize, above: bool, out: &mut Vec<u8>) {
    out.push(space);
    let start = out.len();
    if run <= SHORT_RUN {
        out.push(run as u8);
    } else {
        out.push(LONG_RUN);
        out.extend_from_slice(&(run as u32).to_be_bytes());
    }
    if above {
        invert(&mut out[start..]);
    }
}

/// Length of a run of spaces whose code begins so.
pub(super) fn run_len(code: u8) -> usize {
    if code == LONG_RUN || code == !LONG_RUN { 6 } else { 2 }
}

pub(super) fn invert(bytes: &mut [u8]) {
    for b in bytes {
        *b = !*b;
    }
}
