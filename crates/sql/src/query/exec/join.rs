//! Rows of a block's tables, joined: nested loops over the steps, outer joins by null-complemented groups.

mod at_hand;
mod counted;
mod entries;
mod kept;
mod leaves;
mod loose;
mod measured;
mod mem;
mod merged;
mod parted;
mod parts;
mod settled;
mod sifted;
mod skip;
mod specs;

pub use counted::count_sort;
pub use kept::KeptTable;

use super::Runner;
use super::merge::Merge;
use super::row_hash::RowHash;
use super::row_store::{MadeRows, RowScan};
use crate::memory::Held;
use crate::query::bind::rules;
use crate::query::eval::frame::{Frame, Slot, SubResult};
use crate::query::eval::is_true;
use crate::query::plan::key::Key;
use crate::query::plan::outcome::Run;
use crate::query::plan::{Access, Block, Cond, Source};
use crate::query::ranges::KeyRange;
use crate::status::Stat;
use crate::value::Value;
use counted::Reading;
use kept::{Begun, Kept};
use parted::Parted;
use sifted::Sifted;
use specs::scan_spec;
use std::sync::Arc;
use weir_engine::row::KeyLike;
use weir_engine::{Cursor, Isolation, LockMode, RowBuf, Table};

/// Rows read between two looks whether the statement must end.
const KILL_EVERY: u32 = 256;

#[derive(Default)]
struct StepState {
    ranges: Vec<KeyRange>,
    /// The ranges hold no row that the conditions implied by them exclude.
    exact: bool,
    next: usize,
    /// Of a partitioned table the partitions to be read, and which of them is.
    parts: Vec<Arc<Table>>,
    part: usize,
    /// They are read side by side, in the order of an index.
    merge: Option<Merge>,
    /// The cursor (or the single row) is being read.
    open: bool,
    /// How its rows are counted.
    reading: Reading,
    /// Its rows, where they are the same for all rows before.
    kept: Kept,
    /// The reader of made rows that are not all in memory.
    scan: Option<Box<RowScan>>,
    /// The cursor, while a copy of a row is in its place.
    aside: Option<Box<Cursor>>,
    /// Of rows in memory: the next one, whether only rows of the same hash follow it, and that hash.
    at: Option<u32>,
    by_hash: bool,
    hash: Option<Arc<RowHash>>,
    /// What is known of made rows.
    made: mem::Made,
}

/// What conditions say of a row.
enum Checked {
    Row(bool),
    /// The one at this place needs subqueries, which have to be run.
    Subs(usize),
}

pub struct Joiner<'p> {
    pub block: &'p Block,
    pub slots: Vec<Slot>,
    pub subs: Vec<SubResult>,
    /// Rows of derived and computed tables.
    mems: Vec<Option<MadeRows>>,
    /// What its steps hold as long as it runs.
    held: Held,
    /// What tables made again for each row hold, by table.
    lateral: Vec<(usize, Held)>,
    by_key: mem::ByKey,
    states: Vec<StepState>,
    matched: Vec<bool>,
    nulled: Vec<bool>,
    started: bool,
    count: u32,
    /// The steps that are run: from this one, whose rows before come from a file, if it is not the first...
    base: usize,
    /// ...up to the one before this one.
    upto: usize,
    parted: Option<Box<Parted>>,
    /// The first step, where it is read by the leaf.
    sifted: Option<Box<Sifted<'p>>>,
    /// The first step reads more than its index was asked for: its order is not the one that was planned.
    pub widened: bool,
    /// Rows of the only step that need no look are to be poured out of their leaves.
    pub pours: bool,
    /// What the entries of the first step's index must look like, once it has been looked for.
    like: Option<Option<Arc<KeyLike>>>,
}

impl<'p> Joiner<'p> {
    pub fn new(block: &'p Block) -> Joiner<'p> {
        let n = block.tables.len();
        Joiner {
            block,
            slots: (0..n).map(|_| Slot::Null).collect(),
            subs: block.subs.iter().map(|_| SubResult::Pending).collect(),
            mems: (0..n).map(|_| None).collect(),
            held: Held::default(),
            lateral: Vec::new(),
            by_key: mem::ByKey::default(),
            states: (0..n).map(|_| StepState::default()).collect(),
            matched: vec![false; block.groups.len()],
            nulled: vec![false; block.groups.len()],
            started: false,
            count: 0,
            base: 0,
            upto: block.steps.len(),
            parted: None,
            sifted: None,
            widened: false,
            pours: false,
            like: None,
        }
    }

    pub fn frame<'f>(
        &'f self,
        params: &'f [Value<'static>],
        outer: Option<&'f Frame<'f>>,
    ) -> Frame<'f> {
        Frame {
            block: Some(self.block),
            shapes: &self.block.shapes,
            slots: &self.slots,
            aggs: &[],
            subs: &self.subs,
            params,
            outer,
        }
    }

    /// Evaluates subqueries that are not known yet or depend on rows.
    pub async fn run_subs(
        &mut self,
        list: &[u32],
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<()> {
        for &s in list {
            let sub = &self.block.subs[s as usize];
            if !sub.correlated && !matches!(self.subs[s as usize], SubResult::Pending) {
                continue;
            }
            let params = r.params;
            let frame = Frame {
                block: Some(self.block),
                shapes: &self.block.shapes,
                slots: &self.slots,
                aggs: &[],
                subs: &self.subs,
                params,
                outer,
            };
            let result = r.run_sub(sub, &frame).await?;
            self.subs[s as usize] = result;
        }
        Ok(())
    }

    pub async fn holds(
        &mut self,
        c: &Cond,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<bool> {
        if !c.subs.is_empty() {
            self.run_subs(&c.subs, r, outer).await?;
        }
        let frame = Frame {
            block: Some(self.block),
            shapes: &self.block.shapes,
            slots: &self.slots,
            aggs: &[],
            subs: &self.subs,
            params: r.params,
            outer,
        };
        Ok(is_true(&c.expr, &frame, &mut r.ev)?)
    }

    /// What no row is looked at for.
    async fn passes_gate(
        &mut self,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<bool> {
        for c in &self.block.gate {
            if !self.holds(c, r, outer).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The next joined row; false at the end.
    pub async fn next(&mut self, r: &mut Runner<'_, '_>, outer: Option<&Frame<'_>>) -> Run<bool> {
        let block = self.block;
        let n = self.upto;
        let mut i;
        if self.started {
            if n == 0 {
                return Ok(false);
            }
            i = n - 1;
        } else {
            self.started = true;
            if !self.passes_gate(r, outer).await? {
                return Ok(false);
            }
            // What no row can satisfy reads nothing.
            if outer.is_none() {
                self.count_begun(r);
            }
            if n == 0 {
                return Ok(true);
            }
            i = 0;
            self.begin(i, r, outer).await?;
        }
        loop {
            // A null-complemented group has no further row.
            let nulled = self.nulled_around(i);
            i = nulled.unwrap_or(i);
            let known = self.known_at_hand(i, nulled, r)?;
            if known == Some(true) || (known.is_none() && self.advance(i, r).await?) {
                r.reads.work.examine();
                self.complete(i, r)?;
                let wanted = match self.check_from(i, 0, r, outer)? {
                    Checked::Row(wanted) => wanted,
                    Checked::Subs(at) => self.check_row(i, at, r, outer).await?,
                } && !self.insists(i);
                self.note(i, r, |m| m.passed += u64::from(wanted));
                if !wanted || !(self.ends_nothing(i) || self.settle(i, None, r, outer).await?) {
                    i -= usize::from(self.refuses(i));
                    continue;
                }
            } else {
                self.leave_piece(i, r)?;
                match self.complement(i) {
                    Some(g) => {
                        i = block.groups[g].last;
                        if !self.settle(i, Some(g), r, outer).await? {
                            continue;
                        }
                    }
                    None if i == self.base => match i > 0 && self.next_before(r, outer).await? {
                        true => continue,
                        false => return Ok(false),
                    },
                    None => {
                        i -= 1;
                        continue;
                    }
                }
            }
            self.note(i, r, |m| m.joined += 1);
            if i + 1 == n {
                return Ok(true);
            }
            i += 1;
            if !self.begin_at_hand(i, r, outer) {
                self.begin(i, r, outer).await?;
            }
        }
    }

    /// The row of step `i` gets the virtual columns that it is older than.
    #[inline]
    fn complete(&mut self, i: usize, r: &mut Runner<'_, '_>) -> Run<()> {
        if self.block.steps[i].completes { self.complete_row(i, r) } else { Ok(()) }
    }

    fn complete_row(&mut self, i: usize, r: &mut Runner<'_, '_>) -> Run<()> {
        let t = self.block.steps[i].table;
        let Source::Table(table) = &self.block.tables[t].source else { return Ok(()) };
        let Some(row) = self.slots[t].bytes() else { return Ok(()) };
        let Some(row) = rules::complete(table, row, r.reads, &mut r.ev)? else { return Ok(()) };
        match &mut self.slots[t] {
            Slot::Cursor(c) => c.show(&row),
            Slot::Buf(b) => b.row = row,
            _ => {}
        }
        Ok(())
    }

    /// The first step of the null-complemented group that step `i` is in.
    #[inline]
    fn nulled_around(&self, i: usize) -> Option<usize> {
        let groups = self.block.groups.iter().zip(&self.nulled);
        let mut around = groups.filter(|(g, nulled)| **nulled && (g.first..=g.last).contains(&i));
        around.next().map(|(g, _)| g.first)
    }

    /// The row of step `i` was read as it is committed, because somebody else has it locked: it is read again, with its lock.
    #[inline]
    fn insists(&mut self, i: usize) -> bool {
        match &mut self.slots[self.block.steps[i].table] {
            Slot::Cursor(c) if c.is_provisional() => {
                c.insist();
                true
            }
            _ => false,
        }
    }

    /// Whether the row of step `i` is wanted, by its conditions from the one at `at` on, which needs subqueries.
    async fn check_row(
        &mut self,
        i: usize,
        mut at: usize,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<bool> {
        loop {
            let cond = &self.block.steps[i].conds[at];
            if !self.holds(cond, r, outer).await? {
                self.unlock(i, r);
                return Ok(false);
            }
            match self.check_from(i, at + 1, r, outer)? {
                Checked::Row(wanted) => return Ok(wanted),
                Checked::Subs(next) => at = next,
            }
        }
    }

    /// Looks at the conditions of step `i` from the one at `from` on, up to the first that needs subqueries.
    fn check_from(
        &mut self,
        i: usize,
        from: usize,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<Checked> {
        let step = &self.block.steps[i];
        let t = step.table;
        let exact = self.states[t].exact;
        let (kept, found) = (self.is_kept(t), self.is_found(t));
        let (mut filling, keyed) = (self.is_filling(t), self.is_keyed(t));
        for (at, c) in step.conds.iter().enumerate().skip(from) {
            if filling && !c.early {
                // It is kept once, before the first of these conditions.
                if at == 0 || step.conds[at - 1].early {
                    self.fill(i, r);
                }
                filling = false;
            }
            if (c.implied && exact) || (c.early && kept) || (c.equated && found) {
                continue;
            }
            if i == 0 && self.sifted.as_ref().is_some_and(|s| s.knows(at)) {
                continue;
            }
            if !c.subs.is_empty() {
                return Ok(Checked::Subs(at));
            }
            if !self.is_met(c, keyed, r, outer)? {
                self.unlock(i, r);
                return Ok(Checked::Row(false));
            }
        }
        if filling && step.conds.last().is_none_or(|c| c.early) {
            self.fill(i, r);
        }
        Ok(Checked::Row(true))
    }

    /// READ COMMITTED keeps no locks on rows that the statement does not want.
    fn unlock(&self, i: usize, r: &mut Runner<'_, '_>) {
        let t = self.block.steps[i].table;
        if r.lock_of(&self.block.tables[t]) == LockMode::None
            || r.txn.isolation() > Isolation::ReadCommitted
        {
            return;
        }
        if let (Some(home), Some(key)) = (self.home(t), self.slots[t].key()) {
            r.txn.unlock_row(home, key);
        }
    }

    /// Step `i` has no more rows: an outer group that begins there and had none gets one of NULLs.
    fn complement(&mut self, i: usize) -> Option<usize> {
        let block = self.block;
        for &g in block.steps[i].begins.iter().rev() {
            if self.matched[g] {
                self.nulled[g] = false;
                continue;
            }
            self.matched[g] = true;
            self.nulled[g] = true;
            let (first, last) = (block.groups[g].first, block.groups[g].last);
            for s in &block.steps[first..=last] {
                self.slots[s.table] = Slot::Null;
                self.states[s.table].open = false;
            }
            return Some(g);
        }
        None
    }

    /// Outer groups that begin with step `i` have no row yet.
    fn begin_groups(&mut self, i: usize) {
        for &g in &self.block.steps[i].begins {
            self.matched[g] = false;
            self.nulled[g] = false;
        }
    }

    /// Prepares step `i` for the rows of the steps before.
    async fn begin(
        &mut self,
        i: usize,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<()> {
        match r.profile {
            None => self.begin_step(i, r, outer).await,
            Some(_) => self.begin_measured(i, r, outer).await,
        }
    }

    async fn begin_step(
        &mut self,
        i: usize,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<()> {
        let block = self.block;
        let step = &block.steps[i];
        self.begin_groups(i);
        let t = step.table;
        loop {
            let begun = match &step.kept {
                Some(by) => self.begin_kept(i, by, r, outer),
                None => Begun::Reads,
            };
            match begun {
                Begun::Found => return Ok(()),
                Begun::Spilled(of) => return self.divide_before(i, *of, r, outer).await,
                Begun::Reads | Begun::ReadsWhole => {}
            }
            let state = &mut self.states[t];
            (state.next, state.open, state.exact) = (0, false, false);
            if matches!(&block.tables[t].source, Source::Table(x) if !x.engine.parts.is_empty()) {
                Box::pin(self.begin_parts(i, r, outer)).await?;
            }
            let state = &mut self.states[t];
            match &step.access {
                Access::Scan { .. } | Access::Loose { .. } => {
                    if state.ranges.is_empty() {
                        state.ranges.push(KeyRange::all());
                    }
                }
                Access::Point(key) => self.begin_point(i, key, r, outer).await?,
                Access::Ranges { key, reverse } => {
                    if !key.subs.is_empty() {
                        self.run_subs(&key.subs, r, outer).await?;
                    }
                    self.begin_ranges(i, key, *reverse, r, outer)?;
                }
                Access::Merged(merge) => {
                    Box::pin(self.begin_merged(i, merge, r, outer)).await?;
                }
                Access::Skip(scan) => Box::pin(self.begin_skip(i, scan, r, outer)).await?,
                Access::Mem { hash } => {
                    if let Some(spilled) = self.begin_mem(i, hash, r, outer).await? {
                        return self.divide_before(i, *spilled, r, outer).await;
                    }
                    self.refuse_unknown(i, r, outer);
                }
            }
            self.begin_order(i);
            // What is too much to be kept is begun again.
            match (begun, &step.kept) {
                (Begun::ReadsWhole, Some(by)) if !self.read_whole(i, by, r, outer).await? => {}
                _ => return Ok(()),
            }
        }
    }

    fn begin_ranges(
        &mut self,
        i: usize,
        key: &Key,
        reverse: bool,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<()> {
        let t = self.block.steps[i].table;
        let mut ranges = key.ranges(&self.frame(r.params, outer), &mut r.ev)?;
        if reverse {
            ranges.list.reverse();
        }
        self.widened |= i == 0 && ranges.widened;
        self.states[t].exact = ranges.exact;
        self.states[t].ranges = ranges.list;
        Ok(())
    }

    async fn begin_point(
        &mut self,
        i: usize,
        key: &Key,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<()> {
        let t = self.block.steps[i].table;
        if !key.subs.is_empty() {
            self.run_subs(&key.subs, r, outer).await?;
        }
        let mut bytes = match std::mem::replace(&mut self.slots[t], Slot::Null) {
            Slot::Buf(b) => b,
            _ => RowBuf::default(),
        };
        let mut k = std::mem::take(&mut r.key);
        let block = self.block;
        let frame = Frame {
            block: Some(block),
            shapes: &block.shapes,
            slots: &self.slots,
            aggs: &[],
            subs: &self.subs,
            params: r.params,
            outer,
        };
        let mut exact = true;
        let found = key.unique_key(&frame, &mut r.ev, &mut exact, &mut k)?;
        self.states[t].ranges.clear();
        self.states[t].exact = exact;
        match found {
            None => {
                let ranges = key.ranges(&frame, &mut r.ev)?;
                self.widened |= i == 0;
                self.states[t].exact = false;
                self.states[t].ranges = ranges.list;
            }
            Some(false) => {}
            Some(true) => {
                let slot = &block.tables[t];
                let (lock, on_locked) = (r.lock_of(slot), slot.on_locked);
                let state = &mut self.states[t];
                r.reads.work.inc(Stat::Handler_read_key);
                let mut hit = false;
                if key.table.engine.parts.is_empty() {
                    let table = &key.table.engine;
                    hit = r.txn.get(table, key.index, &k, lock, on_locked, &mut bytes).await?;
                }
                while !hit && let Some(part) = state.parts.get(state.part) {
                    hit = r.txn.get(part, key.index, &k, lock, on_locked, &mut bytes).await?;
                    state.part += usize::from(!hit);
                }
                if hit {
                    self.slots[t] = Slot::Buf(bytes);
                    self.states[t].open = true;
                }
            }
        }
        r.key = k;
        Ok(())
    }

    /// A row is about to be read; now and then it is asked whether the statement must end.
    #[inline]
    fn look(&mut self, r: &Runner<'_, '_>) -> Run<()> {
        self.count += 1;
        if self.count.is_multiple_of(KILL_EVERY) {
            r.go_on()?;
        }
        Ok(())
    }

    /// The next row of step `i`.
    async fn advance(&mut self, i: usize, r: &mut Runner<'_, '_>) -> Run<bool> {
        match r.profile {
            None => self.advance_step(i, r).await,
            Some(_) => self.advance_measured(i, r).await,
        }
    }

    async fn advance_step(&mut self, i: usize, r: &mut Runner<'_, '_>) -> Run<bool> {
        self.look(r)?;
        if i == 0 && self.sifted.is_some() {
            return self.advance_sifted(r).await;
        }
        let block = self.block;
        let step = &block.steps[i];
        let t = step.table;
        if let Access::Mem { .. } = step.access {
            return match self.states[t].scan {
                Some(_) => self.advance_scan(t).await,
                None => Ok(self.advance_mem(t)),
            };
        }
        if let Access::Loose { index, parts, ends } = step.access {
            return Box::pin(self.advance_loose(i, (index, parts, ends), r)).await;
        }
        if step.kept.is_some() {
            if let Some(more) = self.advance_kept(t) {
                return Ok(more);
            }
            if self.is_kept_due(t) {
                self.spill(i, r).await?;
            }
            let more = self.read_on(i, r).await?;
            match &self.states[t].kept {
                Kept::Spilling(_) if !more => self.spilled(i).await?,
                _ if !more => self.filled(i, r),
                _ => {}
            }
            return Ok(more);
        }
        self.read_on(i, r).await
    }

    /// The next row of the table of step `i`.
    async fn read_on(&mut self, i: usize, r: &mut Runner<'_, '_>) -> Run<bool> {
        let block = self.block;
        let step = &block.steps[i];
        let t = step.table;
        if let (Access::Point(_), true) = (&step.access, self.states[t].open)
            && matches!(self.slots[t], Slot::Buf(_))
        {
            self.states[t].open = false;
            return Ok(true);
        }
        if let Some(merge) = self.states[t].merge.take() {
            let range = self.states[t].ranges.first().cloned().unwrap_or_else(KeyRange::all);
            let spec = scan_spec(block, i, range, r);
            return Box::pin(self.advance_merged(t, merge, spec, r)).await;
        }
        loop {
            if self.states[t].open {
                self.states[t].count_row(r.reads.work);
                if let Slot::Cursor(c) = &mut self.slots[t]
                    && c.next(r.txn).await?
                {
                    return Ok(true);
                }
                self.states[t].open = false;
            }
            let Some((table, range)) = self.next_range(i) else {
                self.close(t, r);
                return Ok(false);
            };
            let spec = scan_spec(block, i, range, r);
            let whole = matches!(step.access, Access::Scan { .. });
            self.states[t].count_opened(r.reads.work, whole, &spec);
            self.close(t, r);
            let mut cursor = r.open(&table, spec);
            if i == 0 {
                self.only_like(&mut cursor, r);
            }
            self.open_to_pour(t, &mut cursor);
            self.slots[t] = Slot::Cursor(cursor);
            self.states[t].open = true;
        }
    }
}
