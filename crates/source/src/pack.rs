//! Events in a record, without what they say twice.
//!
//! An update has both images of its row, each transaction begins with the same statement under the same variables, and every event names
//! its time: in the files, that is. Redo is written once more than the files are, and synced by each commit, so a record refers back to
//! such bytes. A coder of repetitions does that at about the price of a copy; what is random in a row is not worth more.
//!
//! Layout, a sequence: `token u8 | literals | distance u16`. The upper four bits of the token are the number of literals, the lower four
//! the length of the repetition less [`SHORTEST`]; fifteen means that a length-encoded integer with the rest follows, that of the
//! literals first. A distance counts back from the end of what is unpacked, which begins behind [`KNOWN`]. The last sequence has literals
//! alone.
//!
//! Invariant: what is packed is unpacked to the same bytes by every later version: [`KNOWN`] and the layout belong to the form of the record.

use weir_binlog::{Error, Result};
use weir_wire::{Reader, put_lenenc_int};

/// A repetition that is shorter is not worth its distance.
const SHORTEST: usize = 4;
/// As far as a distance goes back.
const FARTHEST: usize = u16::MAX as usize;
/// Bits of the hashes of a short record, whose table is cleared in less time than its bytes are looked at, and of a long one.
const BITS_SHORT: u32 = 10;
const BITS_LONG: u32 = 13;
/// Bytes up to which a record is short.
const SHORT: usize = 4096;
/// After so many literals in a row each further place is one byte farther away: random bytes are passed over.
const PATIENCE: usize = 64;

/// What every record may refer to: how a transaction begins in a session whose variables are the defaults. Behind it come the heads of
/// rows events as most of them are.
const KNOWN: &[u8] = b"\x02\x03\x08\0\0\0\0\0\x00\x3d\0\0\0\0\0\0\0\0\x04\0\0)\0\0\0\0\0\0\x01 \0\xa0E\0\0\0\0\x04-\0!\0\xff\0\x05\
\x06SYSTEM\x08\xff\0\x0d\0\0\0\x10\x01\x12\xff\0test\0BEGIN\x13\0\x41\x01\0\0\0\0\0\x01\0\x01\0\x01\x01\0\x02\x03\xfc\xff\0\x10\0\x08\0\0\0\0\0\0\0\0";

fn hash<const BITS: u32>(four: &[u8]) -> usize {
    let n = u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
    (n.wrapping_mul(0x9E37_79B1) >> (32 - BITS)) as usize
}

/// `None`: it is not worth while.
pub fn pack(raw: &[u8]) -> Option<Vec<u8>> {
    if raw.len() < SHORTEST * 4 || u32::try_from(raw.len() + KNOWN.len()).is_err() {
        return None;
    }
    match raw.len() <= SHORT {
        true => pack_by::<BITS_SHORT>(raw, &mut [0; 1 << BITS_SHORT]),
        false => pack_by::<BITS_LONG>(raw, &mut [0; 1 << BITS_LONG]),
    }
}

/// `places`: the last place of each hash, plus one.
fn pack_by<const BITS: u32>(raw: &[u8], places: &mut [u32]) -> Option<Vec<u8>> {
    let all = [KNOWN, raw].concat();
    for (at, four) in KNOWN.windows(SHORTEST).enumerate() {
        places[hash::<BITS>(four)] = at as u32 + 1;
    }
    let mut out = Vec::with_capacity(raw.len() / 2 + 16);
    let last = all.len() - SHORTEST;
    let (mut from, mut at) = (KNOWN.len(), KNOWN.len());
    while at <= last {
        let place =
            std::mem::replace(&mut places[hash::<BITS>(&all[at..])], at as u32 + 1) as usize;
        let fits = place > 0 && at + 1 - place <= FARTHEST;
        let len = if fits { common(&all, place - 1, at) } else { 0 };
        if len < SHORTEST {
            at += 1 + (at - from) / PATIENCE;
            continue;
        }
        // Bytes before the place that was looked at may be the same as well.
        let pairs = all[..place - 1].iter().rev().zip(all[from..at].iter().rev());
        let back = pairs.take_while(|(a, b)| a == b).count();
        sequence(&all[from..at - back], Some((at + 1 - place, len + back)), &mut out);
        // Places inside are known where they begin a later repetition most often: at the end.
        for inside in (at + len).saturating_sub(2)..(at + len).min(last + 1) {
            places[hash::<BITS>(&all[inside..])] = inside as u32 + 1;
        }
        at += len;
        from = at;
    }
    sequence(&all[from..], None, &mut out);
    (out.len() + 8 < raw.len()).then_some(out)
}

/// How many bytes from both places on are the same.
fn common(all: &[u8], before: usize, at: usize) -> usize {
    all[before..].iter().zip(&all[at..]).take_while(|(a, b)| a == b).count()
}

fn sequence(literals: &[u8], repetition: Option<(usize, usize)>, out: &mut Vec<u8>) {
    let nibble = |n: usize| n.min(15) as u8;
    let more = repetition.map_or(0, |(_, len)| len - SHORTEST);
    out.push(nibble(literals.len()) << 4 | nibble(more));
    for n in [literals.len(), more].into_iter().filter(|n| *n >= 15) {
        put_lenenc_int(out, (n - 15) as u64);
    }
    out.extend_from_slice(literals);
    if let Some((distance, _)) = repetition {
        out.extend_from_slice(&(distance as u16).to_le_bytes());
    }
}

/// What was packed, which had `len` bytes.
pub fn unpack(packed: &[u8], len: usize) -> Result<Vec<u8>> {
    let bad = || Error::Malformed("a packed record");
    let mut r = Reader::new(packed);
    // No more is taken than the bytes that are there can mean, until they have meant it.
    let mut out = Vec::with_capacity(KNOWN.len() + len.min(packed.len() * 16));
    out.extend_from_slice(KNOWN);
    let end = KNOWN.len().checked_add(len).ok_or_else(bad)?;
    loop {
        let token = r.u8()?;
        let mut number = |n: u8| -> Result<usize> {
            let more = if n == 15 { r.lenenc_int()? } else { 0 };
            usize::try_from(more).ok().and_then(|m| m.checked_add(n.into())).ok_or_else(bad)
        };
        let (literals, more) = (number(token >> 4)?, number(token & 15)?);
        if literals > end - out.len() {
            return Err(bad());
        }
        out.extend_from_slice(r.bytes(literals)?);
        if r.is_empty() {
            return match out.len() == end && more == 0 {
                true => Ok(out.split_off(KNOWN.len())),
                false => Err(bad()),
            };
        }
        let distance = usize::from(r.u16()?);
        let fits = more.checked_add(SHORTEST).is_some_and(|n| n <= end - out.len());
        if !fits || distance == 0 || distance > out.len() {
            return Err(bad());
        }
        repeat(&mut out, distance, more + SHORTEST);
    }
}

/// The bytes may be among those that are appended.
fn repeat(out: &mut Vec<u8>, distance: usize, mut len: usize) {
    let from = out.len() - distance;
    while len > 0 {
        let some = len.min(out.len() - from);
        out.extend_from_within(from..from + some);
        len -= some;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_rt::Rng;

    #[test]
    fn bytes_come_back_and_damage_does_no_harm() {
        let mut rng = Rng::new(7);
        for round in 0..400usize {
            let mut raw = Vec::new();
            while raw.len() < round * 3 {
                match rng.below(3) {
                    0 => raw.extend((0..rng.below(40)).map(|_| rng.below(256) as u8)),
                    1 => raw.extend(vec![rng.below(3) as u8; rng.below(90) as usize]),
                    _ => {
                        let from = rng.below(raw.len() as u64 + 1) as usize;
                        let to = (from + rng.below(300) as usize).min(raw.len());
                        raw.extend_from_within(from..to);
                    }
                }
            }
            let Some(packed) = pack(&raw) else { continue };
            assert_eq!(unpack(&packed, raw.len()).as_ref(), Ok(&raw));
            assert!(unpack(&packed, raw.len() + 1).is_err());
            for n in 0..packed.len() {
                _ = unpack(&packed[..n], raw.len());
                let mut damaged = packed.clone();
                damaged[n] ^= 1 << rng.below(8);
                _ = unpack(&damaged, raw.len());
            }
        }
        let far = [vec![9; 10], vec![0; 70_000], b"behind 70,000".to_vec(), vec![9; 10]].concat();
        let packed = pack(&far).expect("short");
        assert!(packed.len() < 100 && unpack(&packed, far.len()) == Ok(far));
        // A few bytes that say that they are a gibibyte: no memory is taken for it.
        assert!(unpack(&[0x10, 7], 1 << 30).is_err());
        assert!(
            unpack(&[0x1f, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], usize::MAX)
                .is_err()
        );
        assert_eq!(pack(b"short"), None);
    }

    #[test]
    fn an_update_takes_little_more_than_one_image() {
        let row: Vec<u8> = (0..190u32).map(|n| b'0' + (n * n * 7 + n / 3) as u8 % 10).collect();
        let update = [&KNOWN[..80], &[1], &row, &[2], &row].concat();
        let packed = pack(&update).expect("it is worth while");
        assert!(packed.len() < row.len() + 40, "{}", packed.len());
    }
}
