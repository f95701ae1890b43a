//! A mutator without feedback: for toolchains without a fuzzer, and for every run of the tests.

use weir_rt::Rng;

/// Bytes that borders are made of.
const BORDERS: [u8; 10] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF, b'\'', b'(', b'`', b';'];
const LEN_MAX: usize = 6000;

/// A few random edits of `a`, among them pieces of `b`.
pub fn mutate(rng: &mut Rng, a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut out = a.to_vec();
    for _ in 0..1 + rng.below(5) {
        edit(rng, &mut out, b);
    }
    out.truncate(LEN_MAX);
    out
}

fn place(rng: &mut Rng, len: usize) -> usize {
    rng.below(len as u64 + 1) as usize
}

/// Up to 64 bytes of it.
fn piece<'a>(rng: &mut Rng, from: &'a [u8]) -> &'a [u8] {
    let at = place(rng, from.len());
    let n = place(rng, (from.len() - at).min(64));
    &from[at..at + n]
}

fn edit(rng: &mut Rng, out: &mut Vec<u8>, b: &[u8]) {
    let at = place(rng, out.len());
    let byte = match rng.chance(0.5) {
        true => BORDERS[rng.below(BORDERS.len() as u64) as usize],
        false => rng.next_u64() as u8,
    };
    match rng.below(8) {
        0 if at < out.len() => out[at] ^= 1 << rng.below(8),
        1 | 2 if at < out.len() => out[at] = byte,
        3 => out.insert(at, byte),
        4 => {
            let n = place(rng, (out.len() - at).min(16));
            out.drain(at..at + n);
        }
        5 => {
            let p = piece(rng, b).to_vec();
            out.splice(at..at, p);
        }
        6 => {
            // A piece many times over: depth.
            let p = piece(rng, out).to_vec();
            let p = p.repeat(1 + rng.below(100) as usize);
            out.splice(at..at, p);
        }
        _ => {
            let p = piece(rng, b).to_vec();
            let end = (at + p.len()).min(out.len());
            out.splice(at..end, p);
        }
    }
}
