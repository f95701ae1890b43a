//! What a transaction notes of its changes for anyone who reads them later: items of the owner's, one after the other.
//!
//! Items live and die with the changes that they tell of: what is undone to a savepoint takes its items along. When the transaction
//! commits, its owner makes events of them, which ride in the group of the commit (`log::events`).
//!
//! Invariants
//! - Savepoints stand between items.
//! - What is in the file are the first items, in the order of `pieces`; those in memory follow.

use super::{Savepoint, Txn};
use crate::error::Result;
use crate::ids::Lsn;
use crate::scratch::Scratch;
use std::ops::Range;
use weir_rt::Boxed;

/// What is waited for between a commit's record in the log and the moment at which others see it. It is given the end of the commit's group.
pub type Hold = Box<dyn FnOnce(Lsn) -> Boxed<'static, ()> + Send + Sync>;

#[derive(Default)]
pub struct RowLog {
    memory: Vec<u8>,
    file: Option<Scratch>,
    /// Where the bytes are that stand before those in memory.
    pieces: Vec<Range<u64>>,
    /// Bytes of all pieces.
    spilled: u64,
    /// How often something was cut off.
    cuts: u64,
    /// What rides with the commit.
    events: Option<Vec<u8>>,
    hold: Option<Hold>,
}

impl RowLog {
    pub fn len(&self) -> u64 {
        self.spilled + self.memory.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Items that are not in the file.
    pub fn memory(&self) -> &[u8] {
        &self.memory
    }

    pub fn has_file(&self) -> bool {
        self.file.is_some()
    }

    /// Pieces in the file. Each holds whole items.
    pub fn pieces(&self) -> usize {
        self.pieces.len()
    }

    pub async fn piece(&self, n: usize) -> Result<Vec<u8>> {
        match (&self.file, self.pieces.get(n)) {
            (Some(file), Some(at)) => Ok(file.read_at(at).await?.to_vec()),
            _ => Ok(Vec::new()),
        }
    }

    /// Moves the items in memory to the file. `fresh`: the file that is used where the transaction has no file yet.
    pub async fn spill(&mut self, fresh: Option<Scratch>) -> Result<()> {
        if self.file.is_none() {
            self.file = fresh;
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        let at = file.append(&self.memory).await?;
        self.spilled += self.memory.len() as u64;
        self.memory.clear();
        self.pieces.push(at);
        Ok(())
    }

    fn truncate(&mut self, len: u64) {
        self.cuts += u64::from(len < self.len());
        if len >= self.spilled {
            self.memory.truncate((len - self.spilled) as usize);
            return;
        }
        self.memory.clear();
        while self.spilled > len {
            let Some(last) = self.pieces.last_mut() else { break };
            let goes = (self.spilled - len).min(last.end - last.start);
            last.end -= goes;
            self.spilled -= goes;
            if last.start == last.end {
                self.pieces.pop();
            }
        }
    }
}

impl Txn {
    /// Whether the owner wants to note what the transaction changes.
    pub fn notes_rows(&self) -> bool {
        self.o.notes_rows
    }

    /// A statement that is noted in another form leaves its rows out.
    pub fn set_notes_rows(&mut self, notes: bool) {
        self.o.notes_rows = notes;
    }

    /// Where items are noted.
    pub fn row_log(&mut self) -> &mut RowLog {
        self.row_log.get_or_insert_default()
    }

    /// What was noted so far.
    pub fn noted(&self) -> Option<&RowLog> {
        self.row_log.as_deref().filter(|l| !l.is_empty())
    }

    /// How often items were undone: anyone who knows of one of them must look again when this has changed.
    pub fn cuts_of_notes(&self) -> u64 {
        self.row_log.as_ref().map_or(0, |l| l.cuts)
    }

    /// Adds an item; returns how many bytes are in memory now.
    pub fn note_row(&mut self, item: &[u8]) -> usize {
        let log = self.row_log();
        log.memory.extend_from_slice(item);
        log.memory.len()
    }

    /// The events that ride with the commit, or with the preparation, of this transaction.
    pub fn carry_events(&mut self, events: Vec<u8>) {
        self.row_log().events = Some(events);
    }

    /// The commit is seen by nobody, and keeps its locks, until the hold has ended. It cannot be undone by then.
    pub fn hold_commit(&mut self, hold: Hold) {
        self.row_log().hold = Some(hold);
    }

    pub(super) fn take_hold(&mut self) -> Option<Hold> {
        self.row_log.as_mut()?.hold.take()
    }

    pub(super) fn take_events(&mut self) -> Option<Vec<u8>> {
        self.row_log.as_mut()?.events.take()
    }

    pub(super) fn noted_bytes(&self) -> u64 {
        self.row_log.as_ref().map_or(0, |l| l.len())
    }

    pub(super) fn forget_notes_behind(&mut self, s: Savepoint) {
        if let Some(log) = &mut self.row_log {
            log.truncate(s.noted);
        }
    }
}

#[cfg(all(test, not(any(shuttle, loom))))]
mod tests {
    use super::*;
    use std::sync::Arc;
    use weir_disk::sim::SimDisk;
    use weir_rt::sim::SimRt;

    #[test]
    fn what_is_cut_off_is_gone_in_memory_and_in_the_file() {
        let sim = SimRt::new(1);
        let rt = sim.rt();
        let disk = Arc::new(SimDisk::new(rt.clone(), 1));
        let done = sim.run(async {
            let mut log = RowLog::default();
            log.memory.extend_from_slice(b"aaaabbbb");
            let file = Scratch::open(disk.as_ref(), "r").await.expect("a file");
            log.spill(Some(file)).await.expect("spilled");
            log.memory.extend_from_slice(b"cccc");
            log.spill(None).await.expect("spilled");
            log.memory.extend_from_slice(b"dddd");
            assert_eq!((log.len(), log.pieces()), (16, 2));
            log.truncate(12);
            assert_eq!((log.len(), log.memory()), (12, &b""[..]));
            log.truncate(4);
            assert_eq!((log.len(), log.pieces()), (4, 1));
            log.memory.extend_from_slice(b"eeee");
            log.spill(None).await.expect("spilled");
            let mut all = Vec::new();
            for n in 0..log.pieces() {
                all.extend(log.piece(n).await.expect("read"));
            }
            assert_eq!(all, b"aaaaeeee");
            log.truncate(0);
            assert!(log.is_empty() && log.pieces() == 0);
        });
        done.expect("nothing waits for ever");
    }
}
