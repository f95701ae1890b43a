//! Each row once: DISTINCT, and UNION without ALL.
//!
//! The keys of the rows that have passed are kept. When these take as much memory as they may (`tmp_table_size`), rows with other keys are put aside
//! until the input has ended; then they come part by part, each with keys of its own.

use super::Boxed;
use super::spool::{Part, Spool};
use super::texts::Texts;
use crate::context::Reads;
use crate::memory::Held;
use crate::query::eval::Ev;
use crate::query::plan::outcome::Run;
use crate::value::ValueError;

/// Bytes of a key beside its own: its place in a table that is half full, and what the allocator adds.
pub const KEY: usize = 2 * size_of::<Vec<u8>>() + 16;

pub struct Distinct {
    seen: Texts,
    held: Held,
    /// Bytes of keys that may be in memory.
    memory: usize,
    aside: Option<Box<Spool>>,
    /// Equal rows come one behind the other: the key of the last one is enough.
    adjacent: bool,
    last: Option<Vec<u8>>,
}

/// A set of keys that may be emptied once for each group of few rows; a larger one is made again.
const SMALL: usize = 1024;

impl Distinct {
    /// `memory`: bytes of keys that may be in memory.
    pub fn new(memory: usize) -> Distinct {
        let (seen, held) = (Texts::default(), Held::default());
        Distinct { seen, held, memory, aside: None, adjacent: false, last: None }
    }

    /// The same, of rows of which equal ones come one behind the other: [`Distinct::is_next`] tells which are first.
    pub fn of_adjacent(memory: usize) -> Distinct {
        Distinct { adjacent: true, ..Distinct::new(memory) }
    }

    pub fn is_adjacent(&self) -> bool {
        self.adjacent
    }

    /// Equal rows do not come one behind the other after all. Before the first of them.
    pub fn disorder(&mut self) {
        self.adjacent = false;
    }

    /// Whether a key is another one than that of the row before, of rows that come one behind the other.
    pub fn is_next(&mut self, key: &mut Vec<u8>) -> bool {
        if self.last.as_ref() == Some(key) {
            return false;
        }
        std::mem::swap(self.last.get_or_insert_default(), key);
        true
    }

    /// A row with this key has passed.
    pub fn knows(&self, key: &[u8]) -> bool {
        self.seen.find(key, self.seen.hash_of(key)).is_some()
    }

    /// Whether the row at hand is the first with its key. One whose key has no room is put aside, as `put` writes it: it comes later.
    pub fn is_first(
        &mut self,
        key: &[u8],
        put: impl FnOnce(&mut Vec<u8>),
        ev: &Ev<'_>,
    ) -> Result<bool, ValueError> {
        let hash = self.seen.hash_of(key);
        if self.seen.find(key, hash).is_some() {
            return Ok(false);
        }
        if self.is_full() {
            let aside = match &mut self.aside {
                Some(aside) => aside,
                none => {
                    let spool = Spool::new(self.memory, &ev.cx)?;
                    none.insert(spool.into())
                }
            };
            put(aside.begin(key));
            aside.end();
            return Ok(false);
        }
        ev.cx.hold(&mut self.held, KEY + key.len())?;
        self.seen.put(key, hash);
        Ok(true)
    }

    fn is_full(&self) -> bool {
        self.held.bytes() >= self.memory && self.seen.len() > 0
    }

    /// A row with this key, which is not known, has passed, whatever room there is.
    pub fn see(&mut self, key: &[u8], ev: &Ev<'_>) -> Result<(), ValueError> {
        ev.cx.hold(&mut self.held, KEY + key.len())?;
        self.seen.put(key, self.seen.hash_of(key));
        Ok(())
    }

    /// Rows that were put aside are to be written ([`Distinct::write`]).
    pub fn is_due(&self) -> bool {
        self.aside.as_ref().is_some_and(|a| a.is_due())
    }

    pub fn write<'d>(&'d mut self, reads: Reads<'d>) -> Boxed<'d, ()> {
        Box::pin(async move {
            match &mut self.aside {
                Some(aside) => aside.write(reads).await,
                None => Ok(()),
            }
        })
    }

    pub fn has_aside(&self) -> bool {
        self.aside.is_some()
    }

    /// The input has ended, or a part: the next part of what was put aside.
    pub async fn next_part(&mut self, reads: Reads<'_>) -> Run<Option<Part>> {
        match self.seen.places() <= SMALL {
            true => self.seen.clear(),
            false => self.seen = Texts::default(),
        }
        self.held = Held::default();
        self.last = None;
        match &mut self.aside {
            Some(aside) => aside.next_part(reads).await,
            None => Ok(None),
        }
    }

    /// The next row of the part that is the first with its key, as it was put aside.
    pub async fn next_first(
        &mut self,
        part: &mut Part,
        reads: Reads<'_>,
        ev: &mut Ev<'_>,
    ) -> Run<Option<Vec<u8>>> {
        while let Some((key, row)) = part.next().await? {
            ev.cx.work(key.len() + row.len())?;
            if self.is_first(key, |to| to.extend_from_slice(row), ev)? {
                return Ok(Some(row.to_vec()));
            }
            if self.is_due() {
                self.write(reads).await?;
            }
        }
        Ok(None)
    }
}
