//! Row log: what becomes of a table's rows while indexes of it are built and its writers go on.
//!
//! Whoever changes a row says here which entries the new indexes are to have, and which not any more. The last word about an entry
//! counts, so the log is a map, and as large as what was changed, however often.
//!
//! Invariants
//! - The log begins and ends at moments when nobody writes the table, so it has every change between the two, and none that may still
//!   be undone.
//! - A word is said while nobody else can change the row: behind a change that was made, whose transaction goes on, and before one that
//!   is undone, since the row is free for others as soon as it is. So words about one row come in the order of its changes.

use super::Table;
use crate::error::{Error, Result};
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, Ordering};
use std::collections::HashMap;
use std::sync::Arc;

/// What a word costs beside its entry's bytes: the pointer, the word, and what a map leaves empty.
const WORD: usize = 48;

/// Where a table's writers find its log; most of the time there is none.
#[derive(Default)]
pub(crate) struct RowLogs {
    on: AtomicBool,
    log: Mutex<Option<Arc<RowLog>>>,
}

impl RowLogs {
    pub fn begin(&self, log: Arc<RowLog>) {
        *self.log.lock() = Some(log);
        self.on.store(true, Ordering::Release);
    }

    pub fn end(&self) {
        self.on.store(false, Ordering::Release);
        *self.log.lock() = None;
    }

    /// A writer's metadata lock is younger than the log's begin, so it sees the flag.
    #[inline]
    pub fn get(&self) -> Option<Arc<RowLog>> {
        match self.on.load(Ordering::Relaxed) {
            false => None,
            true => self.log.lock().clone(),
        }
    }
}

/// The last word about an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Word {
    /// How many of the entry's bytes are the index's own columns.
    pub columns: u16,
    /// Whether the index is to have it.
    pub there: bool,
}

pub(crate) struct RowLog {
    /// A handle that nobody else knows, with the new indexes behind the others.
    pub building: Arc<Table>,
    first: usize,
    /// Bytes that the words about one index may take (`innodb_online_alter_log_max_size`).
    limit: usize,
    /// Bytes of the longest entry.
    longest: usize,
    words: Mutex<Words>,
}

#[derive(Default)]
struct Words {
    /// By new index.
    of: Vec<OfIndex>,
    failed: Option<Error>,
}

#[derive(Default)]
struct OfIndex {
    words: HashMap<Box<[u8]>, Word>,
    bytes: usize,
}

impl RowLog {
    pub fn new(building: Arc<Table>, first: usize, limit: usize, longest: usize) -> RowLog {
        let of = (first..building.indexes.len()).map(|_| OfIndex::default()).collect();
        RowLog { building, first, limit, longest, words: Mutex::new(Words { of, failed: None }) }
    }

    /// A row, given in full, is what was `gone` no more and is what has `come`.
    pub fn changed(&self, key: &[u8], gone: Option<&[u8]>, come: Option<&[u8]>) {
        let mut words = self.words.lock();
        for n in 0..words.of.len() {
            if words.failed.is_some() {
                return;
            }
            if let Err(e) = self.say(&mut words.of[n], n, key, gone, come) {
                // The statement that builds the index fails, not the one that writes.
                words.failed = Some(e);
                words.of.iter_mut().for_each(|i| *i = OfIndex::default());
            }
        }
    }

    fn say(
        &self,
        of: &mut OfIndex,
        n: usize,
        key: &[u8],
        gone: Option<&[u8]>,
        come: Option<&[u8]>,
    ) -> Result<()> {
        let t = &self.building;
        let i = self.first + n;
        let entry = |row: &[u8]| t.secondary_key(i, row, key);
        let (gone, come) = (gone.map(entry).transpose()?, come.map(entry).transpose()?);
        let gone = gone.filter(|g| Some(g) != come.as_ref());
        for (entry, there) in [(gone, false), (come, true)] {
            let Some(entry) = entry else { continue };
            if entry.len() > self.longest {
                return Err(Error::KeyTooLong { len: entry.len(), max: self.longest });
            }
            let word = Word { columns: (entry.len() - key.len()) as u16, there };
            let bytes = entry.len() + WORD;
            if of.words.insert(entry.into(), word).is_none() {
                of.bytes += bytes;
            }
        }
        match of.bytes > self.limit {
            true => Err(Error::RowLogFull { index: t.def.indexes[i].name.clone() }),
            false => Ok(()),
        }
    }

    /// Takes the words about one index that were said until now, in the order of their entries.
    pub fn take(&self, i: usize) -> Result<Vec<(Box<[u8]>, Word)>> {
        let taken = {
            let mut words = self.words.lock();
            if let Some(e) = &words.failed {
                return Err(e.clone());
            }
            std::mem::take(&mut words.of[i - self.first]).words
        };
        let mut all: Vec<_> = taken.into_iter().collect();
        all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(all)
    }
}
