//! Sorted rows on disk: more of them than a sort may keep in memory wait in runs of one file without a name, and are merged as they are
//! read back. A row in a run: its length in four bytes, the bytes of its sort keys, its values and the values of the keys that are none of them.
//!
//! Invariants:
//! - Each run is sorted, and of equal rows those of an earlier run came first: the merge gives them in the order in which one sort would.
//! - What a merge holds is a piece and a row of each run, charged as all that outlives a row is.

use super::order::{SortKey, write_key};
use super::spool::damaged;
use super::temp::temp_file;
use crate::context::Reads;
use crate::memory::{Account, Held, Over, row_bytes};
use crate::planted::{self, Bug};
use crate::query::plan::outcome::{Row, Run};
use crate::value::encoded::{decode, encode};
use std::cmp::Ordering;
use weir_engine::{Scratch, ScratchReader, ScratchStream};

/// Bytes of one write.
const CHUNK: usize = 256 << 10;

/// A row that waits for the sort.
pub struct SortRow {
    /// The sort keys as bytes, as far as they reach.
    pub key: SortKey,
    pub row: Row,
    /// Sort keys that are no columns of the result.
    pub extra: Row,
}

impl SortRow {
    pub fn bytes(&self) -> usize {
        row_bytes(&self.row) + row_bytes(&self.extra) + size_of::<SortKey>() + self.key.heap()
    }
}

pub struct Runs {
    file: Scratch,
    runs: Vec<ScratchStream>,
    /// Values of a row, and sort keys beside them.
    widths: (usize, usize),
    /// Rows in all runs.
    rows: usize,
    /// The chunk that waits for its write.
    _held: Held,
}

impl Runs {
    pub async fn open(reads: Reads<'_>, widths: (usize, usize)) -> Run<Runs> {
        let mut held = Held::default();
        held.grow(reads.session.memory(), CHUNK).map_err(Over::in_sort)?;
        let file = temp_file(reads).await?;
        Ok(Runs { file, runs: Vec::new(), widths, rows: 0, _held: held })
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Begins the next run, which [`Runs::put`] is given rows for in their order.
    pub fn begin(&mut self) {
        self.runs.push(ScratchStream::new(CHUNK));
    }

    pub async fn put(&mut self, row: &SortRow) -> Run<()> {
        debug_assert_eq!((row.row.len(), row.extra.len()), self.widths);
        self.write(|to| {
            row.key.write(to);
            row.row.iter().chain(&row.extra).for_each(|v| encode(v, to));
        })
        .await
    }

    /// The same of a row whose values are bytes already, with all of its keys.
    pub async fn put_written(&mut self, key: (u128, &[u8]), values: &[u8]) -> Run<()> {
        self.write(|to| {
            write_key(key, false, to);
            to.extend_from_slice(values);
        })
        .await
    }

    async fn write(&mut self, put: impl FnOnce(&mut Vec<u8>)) -> Run<()> {
        let Some(run) = self.runs.last_mut() else { return Ok(()) };
        let to = run.buffer();
        let at = to.len();
        to.extend_from_slice(&[0; 4]);
        put(to);
        let len = (to.len() - at - 4) as u32;
        to[at..at + 4].copy_from_slice(&len.to_le_bytes());
        self.rows += 1;
        if run.is_due() {
            run.write(&mut self.file).await?;
        }
        Ok(())
    }

    pub async fn end(&mut self) -> Run<()> {
        if let Some(run) = self.runs.last_mut() {
            run.close(&mut self.file).await?;
        }
        Ok(())
    }

    /// All rows in their order. `memory`: what the pieces that are read of the runs may take together.
    pub async fn merge<C: Fn(&SortRow, &SortRow) -> Ordering>(
        self,
        compare: C,
        memory: usize,
        account: Account<'_>,
    ) -> Run<Merge<C>> {
        let each = memory / self.runs.len().max(1);
        let mut m = Merge {
            runs: Vec::with_capacity(self.runs.len()),
            heads: Vec::with_capacity(self.runs.len()),
            widths: self.widths,
            compare,
            held: Held::default(),
        };
        for (at, run) in self.runs.into_iter().enumerate() {
            let reader = run.read(&self.file, each);
            m.held.grow(account, reader.memory()).map_err(Over::in_sort)?;
            m.runs.push(reader);
            if let Some(row) = m.read(at, account).await? {
                m.heads.push((row, at));
                m.raise(m.heads.len() - 1);
            }
        }
        Ok(m)
    }
}

/// The runs, and the first row of each that is not at its end.
pub struct Merge<C> {
    runs: Vec<ScratchReader>,
    /// A heap: no row is behind those at twice its place and one and two more.
    heads: Vec<(SortRow, usize)>,
    widths: (usize, usize),
    compare: C,
    held: Held,
}

impl<C: Fn(&SortRow, &SortRow) -> Ordering> Merge<C> {
    pub async fn next(&mut self, account: Account<'_>) -> Run<Option<SortRow>> {
        let Some((_, run)) = self.heads.first() else { return Ok(None) };
        let run = *run;
        let first = match self.read(run, account).await? {
            Some(row) => std::mem::replace(&mut self.heads[0], (row, run)),
            None => self.heads.swap_remove(0),
        };
        self.held.shrink(first.0.bytes());
        self.sink();
        Ok(Some(first.0))
    }

    /// The next row of a run.
    async fn read(&mut self, run: usize, account: Account<'_>) -> Run<Option<SortRow>> {
        let reader = &mut self.runs[run];
        let Some(len) = reader.take(4).await? else { return Ok(None) };
        let len = u32::from_le_bytes(len.try_into().unwrap_or_default());
        let bytes = reader.must(len as usize).await?;
        let row = row_of(bytes, self.widths)?;
        self.held.grow(account, row.bytes()).map_err(Over::in_sort)?;
        Ok(Some(row))
    }

    fn before(&self, a: usize, b: usize) -> bool {
        let ((x, of_x), (y, of_y)) = (&self.heads[a], &self.heads[b]);
        let tie = match planted::is(Bug::RunTiesReversed) {
            true => of_y.cmp(of_x),
            false => of_x.cmp(of_y),
        };
        (self.compare)(x, y).then(tie).is_lt()
    }

    fn raise(&mut self, mut at: usize) {
        while at > 0 && self.before(at, (at - 1) / 2) {
            self.heads.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    fn sink(&mut self) {
        let mut at = 0;
        loop {
            let mut first = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if child < self.heads.len() && self.before(child, first) {
                    first = child;
                }
            }
            if first == at {
                return;
            }
            self.heads.swap(at, first);
            at = first;
        }
    }
}

fn row_of(mut bytes: &[u8], (row, extra): (usize, usize)) -> Run<SortRow> {
    let key = SortKey::read(&mut bytes)?;
    let mut values = |n: usize| (0..n).map(|_| decode(&mut bytes)).collect::<Option<Row>>();
    let (row, extra) = values(row).zip(values(extra)).ok_or_else(damaged)?;
    match bytes.is_empty() {
        true => Ok(SortRow { key, row, extra }),
        false => Err(damaged().into()),
    }
}
