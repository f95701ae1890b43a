//! Variable-length integers and byte strings of log and undo records.

/// Reading ran past the end or a number was too large: the record is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncated;

pub fn put_varint(out: &mut Vec<u8>, mut v: u64) {
    while v >= 0x80 {
        out.push(v as u8 | 0x80);
        v >>= 7;
    }
    out.push(v as u8);
}

pub fn put_bytes(out: &mut Vec<u8>, b: &[u8]) {
    put_varint(out, b.len() as u64);
    out.extend_from_slice(b);
}

/// 6-byte big-endian number: transaction ids.
pub fn put_u48(out: &mut Vec<u8>, v: u64) {
    out.extend_from_slice(&v.to_be_bytes()[2..]);
}

/// 7-byte big-endian number: roll pointers.
pub fn put_u56(out: &mut Vec<u8>, v: u64) {
    out.extend_from_slice(&v.to_be_bytes()[1..]);
}

fn u48_at(b: &[u8], at: usize) -> u64 {
    let mut w = [0u8; 8];
    w[2..].copy_from_slice(&b[at..at + 6]);
    u64::from_be_bytes(w)
}

fn u56_at(b: &[u8], at: usize) -> u64 {
    let mut w = [0u8; 8];
    w[1..].copy_from_slice(&b[at..at + 7]);
    u64::from_be_bytes(w)
}

fn word(b: &[u8; 8]) -> u64 {
    u64::from_le_bytes(*b)
}

/// Bytes that two have in common at their beginning.
pub fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let n = a.len().min(b.len());
    let mut at = 0;
    while let (Some(x), Some(y)) = (a[at..].first_chunk(), b[at..].first_chunk()) {
        let differing = word(x) ^ word(y);
        if differing != 0 {
            return at + differing.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + a[at..n].iter().zip(&b[at..n]).take_while(|(x, y)| x == y).count()
}

/// Bytes that two have in common at their end.
pub fn common_suffix(mut a: &[u8], mut b: &[u8]) -> usize {
    let mut same = 0;
    while let (Some((front_a, x)), Some((front_b, y))) =
        (a.split_last_chunk(), b.split_last_chunk())
    {
        let differing = word(x) ^ word(y);
        if differing != 0 {
            return same + differing.leading_zeros() as usize / 8;
        }
        (a, b, same) = (front_a, front_b, same + 8);
    }
    same + a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count()
}

/// A cursor over bytes that never panics.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    b: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub fn new(b: &'a [u8]) -> Reader<'a> {
        Reader { b, at: 0 }
    }

    pub fn position(&self) -> usize {
        self.at
    }

    pub fn remaining(&self) -> usize {
        self.b.len() - self.at
    }

    pub fn is_empty(&self) -> bool {
        self.at == self.b.len()
    }

    pub fn u8(&mut self) -> Result<u8, Truncated> {
        let v = *self.b.get(self.at).ok_or(Truncated)?;
        self.at += 1;
        Ok(v)
    }

    pub fn take(&mut self, n: usize) -> Result<&'a [u8], Truncated> {
        let end = self.at.checked_add(n).ok_or(Truncated)?;
        let s = self.b.get(self.at..end).ok_or(Truncated)?;
        self.at = end;
        Ok(s)
    }

    #[inline]
    pub fn varint(&mut self) -> Result<u64, Truncated> {
        // Most numbers of redo records fit into one byte, and need no loop.
        match self.b.get(self.at) {
            Some(&b) if b < 0x80 => {
                self.at += 1;
                Ok(u64::from(b))
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Result<u64, Truncated> {
        let mut v = 0u64;
        for shift in (0..70).step_by(7) {
            let b = self.u8()?;
            if shift == 63 && b > 1 {
                return Err(Truncated);
            }
            v |= ((b & 0x7f) as u64) << shift;
            if b & 0x80 == 0 {
                return Ok(v);
            }
        }
        Err(Truncated)
    }

    pub fn varint_u32(&mut self) -> Result<u32, Truncated> {
        u32::try_from(self.varint()?).map_err(|_| Truncated)
    }

    pub fn len(&mut self) -> Result<usize, Truncated> {
        let v = self.varint()?;
        if v > self.b.len() as u64 { Err(Truncated) } else { Ok(v as usize) }
    }

    pub fn bytes(&mut self) -> Result<&'a [u8], Truncated> {
        let n = self.len()?;
        self.take(n)
    }

    pub fn u48(&mut self) -> Result<u64, Truncated> {
        Ok(u48_at(self.take(6)?, 0))
    }

    pub fn u56(&mut self) -> Result<u64, Truncated> {
        Ok(u56_at(self.take(7)?, 0))
    }

    pub fn u64(&mut self) -> Result<u64, Truncated> {
        Ok(u64::from_le_bytes(self.take(8)?.try_into().expect("eight bytes")))
    }

    pub fn string(&mut self) -> Result<String, Truncated> {
        String::from_utf8(self.bytes()?.to_vec()).map_err(|_| Truncated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn varints_round_trip(v in any::<u64>()) {
            let mut b = Vec::new();
            put_varint(&mut b, v);
            let mut r = Reader::new(&b);
            prop_assert_eq!(r.varint(), Ok(v));
            prop_assert!(r.is_empty());
        }

        #[test]
        fn ends_in_common_are_those_counted_byte_by_byte(
            a in proptest::collection::vec(0u8..2, 0..40),
            b in proptest::collection::vec(0u8..2, 0..40),
            same in proptest::collection::vec(0u8..2, 0..40),
        ) {
            let prefix = |a: &[u8], b: &[u8]| a.iter().zip(b).take_while(|(x, y)| x == y).count();
            let (x, y) = ([&same[..], &a].concat(), [&same[..], &b].concat());
            prop_assert_eq!(common_prefix(&x, &y), prefix(&x, &y));
            let (x, y) = ([&a[..], &same].concat(), [&b[..], &same].concat());
            let back = |v: &[u8]| v.iter().rev().copied().collect::<Vec<u8>>();
            prop_assert_eq!(common_suffix(&x, &y), prefix(&back(&x), &back(&y)));
        }

        #[test]
        fn garbage_never_panics(b in proptest::collection::vec(any::<u8>(), 0..40)) {
            let mut r = Reader::new(&b);
            while r.bytes().is_ok() && !r.is_empty() {}
            let _ = Reader::new(&b).varint();
        }
    }
}
