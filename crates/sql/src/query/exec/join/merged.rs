//! Index merge: the clustered keys of the rows that several searches find, and then the rows, one range of the clustered index for each.
//!
//! A locking read locks what each search reads, as it would alone. The keys are charged to the session's account of memory.

use super::{Joiner, KILL_EVERY};
use crate::memory::Held;
use crate::query::eval::frame::Frame;
use crate::query::exec::Runner;
use crate::query::plan::index_merge::{IndexMerge, MergeKind};
use crate::query::plan::key::Key;
use crate::query::plan::outcome::Run;
use crate::query::ranges::{KeyRange, disjoint, whole};
use crate::status::Stat;
use weir_engine::{Cursor, ScanSpec};

/// Bytes that a key takes beside its own.
const KEY: usize = 2 * size_of::<KeyRange>();

impl Joiner<'_> {
    /// Finds the rows of step `i`, as ranges of the clustered index.
    pub(super) async fn begin_merged(
        &mut self,
        i: usize,
        merge: &IndexMerge,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<()> {
        let t = self.block.steps[i].table;
        let mut held = Held::default();
        let mut all: Option<Vec<Vec<u8>>> = None;
        let mut ranges = Vec::new();
        for key in &merge.keys {
            let of_key = key.ranges(&self.frame(r.params, outer), &mut r.ev)?;
            if merge.kind == MergeKind::MultiValued && of_key.widened {
                let state = &mut self.states[t];
                (state.ranges, state.exact) = (vec![KeyRange::all()], false);
                return Ok(());
            }
            let of_key = of_key.list;
            if key.index == 0 {
                ranges.extend(of_key);
                continue;
            }
            let mut found = self.entries(i, key, of_key, &mut held, r).await?;
            found.sort_unstable();
            all = Some(match (all, merge.kind) {
                (None, _) => found,
                (Some(before), MergeKind::Intersection) => {
                    before.into_iter().filter(|k| found.binary_search(k).is_ok()).collect()
                }
                (Some(mut before), _) => {
                    before.append(&mut found);
                    before
                }
            });
        }
        ranges.extend(whole(all.unwrap_or_default()));
        let state = &mut self.states[t];
        state.ranges = disjoint(ranges);
        state.exact = false;
        self.held.merge(held);
        Ok(())
    }

    /// The clustered keys of the entries in the ranges of an index.
    async fn entries(
        &mut self,
        i: usize,
        key: &Key,
        ranges: Vec<KeyRange>,
        held: &mut Held,
        r: &mut Runner<'_, '_>,
    ) -> Run<Vec<Vec<u8>>> {
        let t = self.block.steps[i].table;
        let slot = &self.block.tables[t];
        let (lock, on_locked) = (r.lock_of(slot), slot.on_locked);
        // Of a partitioned table those that are read at all.
        let stored = match key.table.engine.parts.is_empty() {
            true => vec![key.table.engine.clone()],
            false => self.states[t].parts.clone(),
        };
        let mut found = Vec::new();
        for table in &stored {
            for range in &ranges {
                let spec = ScanSpec {
                    index: key.index,
                    start: range.start.clone(),
                    end: range.end.clone(),
                    reverse: false,
                    lock,
                    on_locked,
                    unique_eq: false,
                    expect: 64,
                    fetch_external: false,
                    rows_only: false,
                    // No column is looked at here.
                    index_only: Some([].into()),
                };
                r.reads.work.inc(Stat::Handler_read_key);
                let cursor = r.txn.scan(table, spec);
                self.keys_of(cursor, held, &mut found, r).await?;
            }
        }
        Ok(found)
    }

    async fn keys_of(
        &mut self,
        mut cursor: Cursor,
        held: &mut Held,
        found: &mut Vec<Vec<u8>>,
        r: &mut Runner<'_, '_>,
    ) -> Run<()> {
        while cursor.next(r.txn).await? {
            loop {
                let own = cursor.key().to_vec();
                r.ev.cx.hold(held, own.len() + KEY)?;
                found.push(own);
                self.count += 1;
                r.reads.work.inc(Stat::Handler_read_next);
                if self.count.is_multiple_of(KILL_EVERY) {
                    r.go_on()?;
                }
                if !cursor.step() {
                    break;
                }
            }
        }
        Ok(())
    }
}
