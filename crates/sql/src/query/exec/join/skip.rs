//! Skip scan: the values of an index's first parts are found by searches, each for the first entry behind the last value. The ranges that are
//! searched for behind each of them are then read as those of any search are.

use super::{Joiner, KILL_EVERY, scan_spec};
use crate::query::eval::frame::Frame;
use crate::query::exec::Runner;
use crate::query::plan::outcome::Run;
use crate::query::plan::skip::SkipScan;
use crate::query::ranges::KeyRange;
use crate::session_api::SqlError;
use crate::status::Stat;
use weir_engine::row::key::prefix_successor;
use weir_engine::row::{RowView, encode_key};

/// Ranges at most. With more values than the statistics promised the whole index is read.
const MOST: usize = 65_536;

impl Joiner<'_> {
    pub(super) async fn begin_skip(
        &mut self,
        i: usize,
        scan: &SkipScan,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<()> {
        let t = self.block.steps[i].table;
        let behind = scan.key.ranges(&self.frame(r.params, outer), &mut r.ev)?;
        let mut list = Vec::new();
        let mut rest = Some(KeyRange::all());
        if behind.list.is_empty() {
            rest = None;
        }
        while let Some(range) = rest {
            let Some(prefix) = self.next_prefix(i, scan, range.clone(), r).await? else { break };
            for KeyRange { start, end } in &behind.list {
                let start = [&prefix[..], start].concat();
                let end = match end {
                    Some(end) => Some([&prefix[..], end].concat()),
                    None => prefix_successor(&prefix),
                };
                let bytes = size_of::<KeyRange>() + start.len() + end.as_ref().map_or(0, Vec::len);
                r.ev.cx.hold(&mut self.held, bytes)?;
                list.push(KeyRange { start, end });
            }
            if list.len() > MOST {
                list = vec![KeyRange::all()];
                break;
            }
            rest = prefix_successor(&prefix).map(|start| KeyRange { start, end: range.end });
        }
        let whole = matches!(&list[..], [all] if *all == KeyRange::all());
        let state = &mut self.states[t];
        (state.ranges, state.exact) = (list, behind.exact && !whole);
        Ok(())
    }

    /// The first parts of the first entry in a range, as bytes of the key.
    async fn next_prefix(
        &mut self,
        i: usize,
        scan: &SkipScan,
        range: KeyRange,
        r: &mut Runner<'_, '_>,
    ) -> Run<Option<Vec<u8>>> {
        self.count += 1;
        if self.count.is_multiple_of(KILL_EVERY) {
            r.go_on()?;
        }
        let (table, index) = (&scan.key.table.engine, scan.key.index);
        let parts = &table.def.indexes[index].parts;
        let mut spec = scan_spec(self.block, i, range, r);
        spec.expect = 1;
        // The columns of the first parts, whether anybody else looks at them or not.
        spec.index_only = spec.index_only.map(|_| parts.iter().map(|p| p.col as u16).collect());
        r.reads.work.inc(Stat::Handler_read_key);
        let mut cursor = r.open(table, spec);
        if !cursor.next(r.txn).await? {
            return Ok(None);
        }
        let row = RowView::new(&table.layout, cursor.row());
        let mut prefix = Vec::new();
        encode_key(&parts[..scan.skipped], &table.layout, &row, &mut prefix)
            .map_err(|_| SqlError::internal("an entry of an index without its columns"))?;
        r.close(cursor);
        Ok(Some(prefix))
    }
}
