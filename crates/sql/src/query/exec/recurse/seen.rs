//! The rows that a recursive table with UNION DISTINCT has had.
//!
//! Their keys are in memory until they take as much of it as they may (`tmp_table_size`). Then they are divided by a hash and wait in a file, and
//! so do the rows that come from there on. At the end of a round each part that has got rows is looked through: the keys of the part come
//! first, and of the rows behind them those pass whose keys are new. A round of few rows reads few parts.
//!
//! Invariant: a key is in memory, or in the file, and in one part of it.

use crate::context::Reads;
use crate::memory::Held;
use crate::query::eval::Ev;
use crate::query::exec::distinct::{Distinct, KEY};
use crate::query::exec::spool::{Part, Partitions, decode_all};
use crate::query::exec::temp::temp_table;
use crate::query::plan::outcome::{Row, Run};
use crate::value::ValueError;
use crate::value::encoded::encode;
use crate::value::key_hash::KeyHash;
use std::collections::HashSet;
use weir_engine::{Scratch, ScratchStream};

/// Which hash divides keys and rows: another one than those that divide a part that is too large.
const DIVISION: u32 = u32::MAX;
/// Bytes of keys that wait for a write, of each part.
const CHUNK: usize = 16 << 10;

/// What an entry of a part is.
const OLD: u8 = 0;
const NEW: u8 = 1;

pub struct Seen {
    keys: HashSet<Vec<u8>, KeyHash>,
    held: Held,
    /// Bytes of keys that may be in memory.
    memory: usize,
    parted: Option<Box<Parted>>,
}

struct Parted {
    file: Option<Scratch>,
    /// The keys of each part, and those that wait for a write.
    keys: Vec<Keys>,
    /// The rows of the round.
    rows: Partitions,
    _held: Held,
}

struct Keys {
    written: ScratchStream,
    last: Vec<Vec<u8>>,
    bytes: usize,
}

impl Seen {
    /// `memory`: bytes of keys that may be in memory.
    pub fn new(memory: usize) -> Seen {
        Seen { keys: HashSet::default(), held: Held::default(), memory, parted: None }
    }

    /// Whether a row with this key passes now. If not, there was one, or it is put aside until the round ends.
    pub fn is_new(&mut self, key: Vec<u8>, row: &Row, ev: &Ev<'_>) -> Result<bool, ValueError> {
        if let Some(parted) = &mut self.parted {
            put_row(&mut parted.rows, &key, row);
            return Ok(false);
        }
        if self.keys.contains(&key) {
            return Ok(false);
        }
        ev.cx.hold(&mut self.held, KEY + key.len())?;
        self.keys.insert(key);
        if self.held.bytes() >= self.memory {
            self.divide(ev)?;
        }
        Ok(true)
    }

    /// The keys have no more room in memory.
    fn divide(&mut self, ev: &Ev<'_>) -> Result<(), ValueError> {
        let rows = Partitions::new(self.memory, DIVISION, &ev.cx)?;
        let mut keys: Vec<Keys> = (0..rows.parts()).map(|_| Keys::new()).collect();
        for key in self.keys.drain() {
            keys[rows.part_of(&key)].push(key);
        }
        self.keys = HashSet::default();
        let mut held = std::mem::take(&mut self.held);
        // What is left of them in memory until the next write is charged as before, and then the chunks that wait are.
        let chunks = keys.len() * CHUNK;
        if held.bytes() < chunks {
            let missing = chunks - held.bytes();
            ev.cx.hold(&mut held, missing)?;
        }
        self.parted = Some(Box::new(Parted { file: None, keys, rows, _held: held }));
        Ok(())
    }

    /// The keys are in a file, and rows wait for the end of the round.
    pub fn is_parted(&self) -> bool {
        self.parted.is_some()
    }

    pub fn is_due(&self) -> bool {
        let due = |p: &Parted| p.rows.is_due() || p.keys.iter().any(Keys::is_due);
        self.parted.as_deref().is_some_and(due)
    }

    pub async fn write(&mut self, reads: Reads<'_>) -> Run<()> {
        let Some(parted) = &mut self.parted else { return Ok(()) };
        let file = opened(&mut parted.file, reads).await?;
        parted.rows.write(file).await?;
        for keys in parted.keys.iter_mut().filter(|k| k.is_due()) {
            keys.write(file).await?;
        }
        Ok(())
    }

    /// The round has ended: the rows that were put aside and are new. `pass` gets them one by one.
    pub async fn settle(
        &mut self,
        reads: Reads<'_>,
        ev: &mut Ev<'_>,
        pass: &mut (impl Passes + Send),
    ) -> Run<()> {
        let memory = self.memory;
        let Some(parted) = &mut self.parted else { return Ok(()) };
        let file = opened(&mut parted.file, reads).await?;
        let next = Partitions::new(memory, DIVISION, &ev.cx).map_err(ValueError::from)?;
        let mut rows = std::mem::replace(&mut parted.rows, next);
        for (rows, keys) in rows.close(file).await?.iter().zip(&mut parted.keys) {
            if rows.is_empty() {
                continue;
            }
            let mut look = Look { distinct: Distinct::new(memory), reads };
            look.known(keys, file, ev).await?;
            look.fresh(rows, keys, file, (ev, pass)).await?;
            look.aside(keys, file, (ev, pass)).await?;
        }
        Ok(())
    }
}

/// Where the rows of a round go.
pub trait Passes {
    async fn pass(&mut self, row: Row, reads: Reads<'_>, ev: &mut Ev<'_>) -> Run<()>;
}

impl Keys {
    fn new() -> Keys {
        Keys { written: ScratchStream::new(CHUNK), last: Vec::new(), bytes: 0 }
    }

    fn push(&mut self, key: Vec<u8>) {
        self.bytes += key.len() + size_of::<Vec<u8>>();
        self.last.push(key);
    }

    fn is_due(&self) -> bool {
        self.bytes >= CHUNK
    }

    async fn write(&mut self, file: &mut Scratch) -> Run<()> {
        for key in self.last.drain(..) {
            let to = self.written.buffer();
            to.extend_from_slice(&(key.len() as u32).to_le_bytes());
            to.extend_from_slice(&key);
            if self.written.is_due() {
                self.written.write(file).await?;
            }
        }
        (self.last, self.bytes) = (Vec::new(), 0);
        Ok(self.written.close(file).await?)
    }
}

/// A look through a part: its keys, and then the rows of the round. What has no room in memory comes part by part, in the same order.
struct Look<'r> {
    distinct: Distinct,
    reads: Reads<'r>,
}

impl Look<'_> {
    async fn known(&mut self, keys: &Keys, file: &Scratch, ev: &mut Ev<'_>) -> Run<()> {
        let mut written = keys.written.read(file, CHUNK);
        while let Some(len) = written.take(4).await? {
            let len = u32::from_le_bytes(len.try_into().unwrap_or_default()) as usize;
            let key = written.must(len).await?.to_vec();
            self.old_one(key, ev).await?;
        }
        for key in &keys.last {
            self.old_one(key.clone(), ev).await?;
        }
        Ok(())
    }

    async fn old_one(&mut self, key: Vec<u8>, ev: &mut Ev<'_>) -> Run<()> {
        ev.cx.work(key.len())?;
        self.distinct.is_first(&key, |to| to.push(OLD), ev)?;
        self.make_room().await
    }

    async fn fresh(
        &mut self,
        rows: &ScratchStream,
        keys: &mut Keys,
        file: &mut Scratch,
        (ev, pass): (&mut Ev<'_>, &mut (impl Passes + Send)),
    ) -> Run<()> {
        let mut part = Part::of(rows, file);
        while let Some((key, row)) = part.next().await? {
            ev.cx.work(key.len() + row.len())?;
            let (key, row) = (key.to_vec(), row.to_vec());
            let put = |to: &mut Vec<u8>| {
                to.push(NEW);
                to.extend_from_slice(&row);
            };
            if self.distinct.is_first(&key, put, ev)? {
                found(key, keys, file).await?;
                pass.pass(decode_all(&row)?, self.reads, ev).await?;
            }
            self.make_room().await?;
        }
        Ok(())
    }

    async fn aside(
        &mut self,
        keys: &mut Keys,
        file: &mut Scratch,
        (ev, pass): (&mut Ev<'_>, &mut (impl Passes + Send)),
    ) -> Run<()> {
        if !self.distinct.has_aside() {
            return Ok(());
        }
        while let Some(mut part) = self.distinct.next_part(self.reads).await? {
            while let Some((key, entry)) = part.next().await? {
                ev.cx.work(key.len() + entry.len())?;
                let (key, entry) = (key.to_vec(), entry.to_vec());
                let put = |to: &mut Vec<u8>| to.extend_from_slice(&entry);
                let first = self.distinct.is_first(&key, put, ev)?;
                if let (true, Some((&NEW, row))) = (first, entry.split_first()) {
                    found(key, keys, file).await?;
                    pass.pass(decode_all(row)?, self.reads, ev).await?;
                }
                self.make_room().await?;
            }
        }
        Ok(())
    }

    async fn make_room(&mut self) -> Run<()> {
        match self.distinct.is_due() {
            true => self.distinct.write(self.reads).await,
            false => Ok(()),
        }
    }
}

/// A row is new.
async fn found(key: Vec<u8>, keys: &mut Keys, file: &mut Scratch) -> Run<()> {
    keys.push(key);
    match keys.is_due() {
        true => keys.write(file).await,
        false => Ok(()),
    }
}

fn put_row(rows: &mut Partitions, key: &[u8], row: &Row) {
    let to = rows.begin(key);
    row.iter().for_each(|v| encode(v, to));
    rows.end();
}

async fn opened<'r>(file: &'r mut Option<Scratch>, reads: Reads<'_>) -> Run<&'r mut Scratch> {
    Ok(match file {
        Some(file) => file,
        none => none.insert(temp_table(reads).await?),
    })
}
