//! The memory that the log's writer writes from, which it keeps from round to round.
//!
//! Invariant: the first `filled` bytes are those of the log's last block that were written already; a write repeats them, since the device
//! takes whole blocks.

use weir_disk::IoBuf;

/// Bytes of a block of the log's files.
const BLOCK: usize = 4096;
/// What a new buffer has: most commits fit.
const SMALL: usize = 4 * BLOCK;
/// A buffer that had to be larger is given back after its round.
const KEPT: usize = 64 * BLOCK;

pub(super) struct WriteBuffer {
    memory: IoBuf,
    filled: usize,
    /// The memory is zero from here on, up to `known`. What is behind that was written once and has not been looked at since.
    used: usize,
    known: usize,
}

impl WriteBuffer {
    /// A buffer for a log that ends with these bytes of its last block.
    pub fn new(tail: &[u8]) -> WriteBuffer {
        assert!(tail.len() < BLOCK, "a block of the log that is full is written and over");
        let mut memory = IoBuf::new(SMALL);
        memory[..tail.len()].copy_from_slice(tail);
        WriteBuffer { memory, filled: tail.len(), used: tail.len(), known: SMALL }
    }

    /// Bytes of the last block that are written.
    pub fn filled(&self) -> usize {
        self.filled
    }

    /// Takes the memory for a write of `more` bytes behind those that are filled: whole blocks, with zeros behind the end. The bytes themselves are
    /// put in by `fill`, which gets their place.
    pub fn take(&mut self, more: usize, fill: impl FnOnce(&mut [u8])) -> IoBuf {
        let end = self.filled + more;
        let len = end.next_multiple_of(BLOCK);
        let mut memory = std::mem::replace(&mut self.memory, IoBuf::new(0));
        assert!(self.filled <= memory.capacity(), "a write of the log has kept its memory");
        if memory.capacity() < len {
            let mut larger = IoBuf::new(len.next_power_of_two());
            larger[..self.filled].copy_from_slice(&memory[..self.filled]);
            memory = larger;
            (self.used, self.known) = (self.filled, len.next_power_of_two());
        }
        memory.set_len(len);
        fill(&mut memory[self.filled..end]);
        self.clear_behind(end, &mut memory[..len]);
        memory
    }

    /// Puts zeros behind `end`, where there are others: commit after commit in the same block finds them there.
    fn clear_behind(&mut self, end: usize, memory: &mut [u8]) {
        let len = memory.len();
        if end < self.used {
            memory[end..self.used.min(len)].fill(0);
        }
        let joins = self.used <= len && len <= self.known;
        if self.known < len {
            memory[self.known.max(end)..].fill(0);
        }
        (self.used, self.known) = (end, if joins { self.known } else { len });
    }

    /// Takes the memory back after the write. The first `more + filled` of its bytes are in the log.
    pub fn put_back(&mut self, mut memory: IoBuf, more: usize) {
        let end = self.filled + more;
        let last = end / BLOCK * BLOCK;
        if memory.capacity() > KEPT {
            *self = WriteBuffer::new(&memory[last..end]);
            return;
        }
        if last > 0 {
            memory.copy_within(last..end, 0);
        }
        self.memory = memory;
        self.filled = end - last;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written is the log from the begin of its last block on, whatever the lengths of the rounds.
    #[test]
    fn blocks_are_repeated_from_their_begin() {
        let log: Vec<u8> = (0..400_000u32).map(|i| (i * 7 + i / 251) as u8 | 1).collect();
        let mut at = 100;
        let mut b = WriteBuffer::new(&log[..at]);
        let mut lengths = [1, 50, 4096, 3000, 996, 300_000, 8192, 5, 0, 20_000].into_iter().cycle();
        while at < 390_000 {
            let more = lengths.next().unwrap().min(log.len() - at);
            let begin = at / BLOCK * BLOCK;
            assert_eq!(b.filled(), at - begin);
            let m = b.take(more, |to| to.copy_from_slice(&log[at..at + more]));
            let end = at + more;
            assert_eq!(m.len() % BLOCK, 0);
            assert_eq!(m[..end - begin], log[begin..end]);
            assert!(m[end - begin..].iter().all(|x| *x == 0));
            b.put_back(m, more);
            at = end;
        }
        assert!(b.memory.capacity() <= KEPT);
    }
}
