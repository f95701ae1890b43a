//! What becomes of the entries of new indexes while their table is written.

use crate::error::{Error, Result};
use crate::sync::Mutex;
use crate::table::{RowLog, Said, Table, Word, lacking};
use std::collections::HashMap;
use std::sync::Arc;

/// What a word costs beside its entry's bytes: the pointer, the word, and what a map leaves empty.
const WORD: usize = 48;

/// The row log of a table whose indexes are being built. The last word about an entry counts, so the log is a map, and as large as what
/// was changed, however often.
pub(super) struct EntryLog {
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

impl EntryLog {
    pub fn new(building: Arc<Table>, first: usize, limit: usize, longest: usize) -> EntryLog {
        let of = (first..building.indexes.len()).map(|_| OfIndex::default()).collect();
        EntryLog { building, first, limit, longest, words: Mutex::new(Words { of, failed: None }) }
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
        let entries = |row: Option<&[u8]>| row.map(|r| t.entries(i, r, key)).transpose();
        let (gone, come) = (entries(gone)?.unwrap_or_default(), entries(come)?.unwrap_or_default());
        let gone = lacking(&gone, &come).into_iter().map(|e| (e, false));
        for (entry, there) in gone.chain(come.iter().map(|e| (e, true))) {
            if entry.len() > self.longest {
                return Err(Error::KeyTooLong { len: entry.len(), max: self.longest });
            }
            let word = Word { columns: (entry.len() - key.len()) as u16, there };
            let bytes = entry.len() + WORD;
            if of.words.insert(entry.as_slice().into(), word).is_none() {
                of.bytes += bytes;
            }
        }
        match of.bytes > self.limit {
            true => Err(Error::RowLogFull { index: t.def.indexes[i].name.clone() }),
            false => Ok(()),
        }
    }

    /// Takes the words about one index that were said until now, in the order of their entries.
    pub fn take(&self, i: usize) -> Result<Vec<Said>> {
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

impl RowLog for EntryLog {
    fn changed(&self, key: &[u8], gone: Option<&[u8]>, come: Option<&[u8]>) {
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
}
