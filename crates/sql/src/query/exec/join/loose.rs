//! Loose index scan: the first or the last row of each group of an index's first columns, or both. Each is a scan of its own that ends with its first
//! row, so that read views and deleted rows mean what they always do.

use super::{Joiner, scan_spec};
use crate::query::eval::frame::Slot;
use crate::query::exec::Runner;
use crate::query::plan::outcome::Run;
use crate::query::plan::{Ends, Source};
use crate::query::ranges::KeyRange;
use crate::session_api::SqlError;
use crate::status::Stat;
use weir_engine::RowBuf;
use weir_engine::row::key::prefix_successor;
use weir_engine::row::{RowView, encode_key};

impl Joiner<'_> {
    /// The next row of step `i`. What is still to be read is the last of the step's ranges; above it may stand the group whose last row
    /// comes next.
    pub(super) async fn advance_loose(
        &mut self,
        i: usize,
        (index, parts, ends): (usize, usize, Ends),
        r: &mut Runner<'_, '_>,
    ) -> Run<bool> {
        let t = self.block.steps[i].table;
        let Source::Table(table) = &self.block.tables[t].source else { return Ok(false) };
        let engine = &table.engine;
        let Some(range) = self.states[t].ranges.pop() else {
            self.slots[t] = Slot::Null;
            return Ok(false);
        };
        // The group's last row, behind its first.
        let within = !self.states[t].ranges.is_empty();
        let reverse = within || ends == Ends::Last;
        let mut spec = scan_spec(self.block, i, range.clone(), r);
        (spec.index, spec.reverse, spec.expect) = (index, reverse, 1);
        r.reads.work.inc(Stat::Handler_read_key);
        let mut cursor = r.open(engine, spec);
        let mut found = match std::mem::replace(&mut self.slots[t], Slot::Null) {
            Slot::Buf(last) => last,
            _ => RowBuf::default(),
        };
        if !cursor.next(r.txn).await? {
            return Ok(false);
        }
        found.row.clear();
        found.row.extend_from_slice(cursor.row());
        found.key.clear();
        found.key.extend_from_slice(cursor.key());
        r.close(cursor);
        if !within {
            let mut prefix = Vec::new();
            let of = &engine.def.indexes[index].parts[..parts];
            encode_key(of, &engine.layout, &RowView::new(&engine.layout, &found.row), &mut prefix)
                .map_err(|_| SqlError::internal("an entry of an index without its columns"))?;
            let behind = prefix_successor(&prefix);
            let rest = match ends {
                Ends::Last => Some(KeyRange { start: range.start, end: Some(prefix.clone()) }),
                _ => behind.clone().map(|start| KeyRange { start, end: range.end }),
            };
            let state = &mut self.states[t];
            state.ranges.extend(rest);
            if ends == Ends::Both {
                // An end of the index is there too, so that the group is known as such.
                if state.ranges.is_empty() {
                    state.ranges.push(KeyRange { start: vec![0xFF; 8], end: Some(Vec::new()) });
                }
                state.ranges.push(KeyRange { start: prefix, end: behind });
            }
        }
        self.slots[t] = Slot::Buf(found);
        Ok(true)
    }
}
