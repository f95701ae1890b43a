//! Hash joins in parts: where the rows that a step keeps do not fit into memory, they and the rows of the steps before are divided by the
//! hash of what is equated, both in files, and joined part by part (a Grace hash join).
//!
//! In order: the first row before is joined while the step reads its rows, as always; those that have no room go to the file with all
//! others ([`Kept::Spilling`]). When there is a second row before ([`Kept::Spilled`]), the steps before are run to their end and their rows are
//! divided likewise ([`Joiner::divide_before`]). From then on the block's rows are those of the pairs of parts: rows before come from the
//! file, and the kept rows of one part are in memory ([`Joiner::next_before`]).
//!
//! Invariants:
//! - Rows that are equal in the equated columns are in parts of one pair, since equal values have equal keys. A NULL finds nothing: such a kept
//!   row is left out, such a row before is in any part if an outer join wants it, else left out. A row before whose key cannot be told comes
//!   last, and for it the table is read.
//! - A part whose kept rows do not fit is divided by another hash. Where that is of no use, because most rows have one key, it is read in
//!   pieces that fit, and the rows before are read again for each. An outer join knows of each row before whether a piece had a row for it;
//!   only the last piece leaves it without one.
//! - No outer join begins before the step and ends with it or behind it: whether it had a row would have to be known across parts.
//! - Between two rows the statement's end is looked at, and everything on disk goes with the statement.

use super::Joiner;
use super::kept::{Kept, KeptTable, silently};
use crate::memory::{Held, row_bytes};
use crate::query::eval::frame::{Frame, Slot};
use crate::query::exec::emit::join_memory;
use crate::query::exec::row_hash::RowHash;
use crate::query::exec::row_store::MadeRows;
use crate::query::exec::slots::{decode_slot, encode_with_key};
use crate::query::exec::spool::{Part, Partitions, begin_entry, damaged, decode_all, end_entry};
use crate::query::exec::temp::temp_file;
use crate::query::exec::{Boxed, Runner};
use crate::query::expr::BExpr;
use crate::query::expr::keyed::Keyed;
use crate::query::plan::outcome::Run;
use crate::query::plan::{Access, Step};
use crate::status::Stat;
use crate::value::encoded::encode;
use smallvec::SmallVec;
use std::sync::Arc;
use weir_engine::{Scratch, ScratchStream};

/// Bytes of one write of the rows whose key cannot be told.
const CHUNK: usize = 64 << 10;
/// How often rows are divided at most: what is too much for a part then has few keys.
const DIVISIONS: u32 = 4;

/// The kept rows of a step on their way to the file.
pub(super) struct Spilling {
    file: Scratch,
    parts: Partitions,
}

/// The kept rows of a step, divided.
pub(super) struct Spilled {
    file: Scratch,
    parts: Vec<ScratchStream>,
}

/// The pairs of parts of a join.
pub(super) struct Parted {
    /// The step whose kept rows are divided.
    base: usize,
    file: Scratch,
    waiting: Vec<Pair>,
    now: Option<Joined>,
    /// Rows before whose key cannot be told.
    odd: Option<Part>,
    /// All rows of a made table, for those.
    whole: Option<MadeRows>,
}

/// Kept rows and rows before that may be equal.
struct Pair {
    kept: ScratchStream,
    before: ScratchStream,
    /// How often they have been divided.
    depth: u32,
}

/// The pair that is joined.
struct Joined {
    kept: Part,
    /// The kept rows in memory are the last ones.
    last: bool,
    stream: ScratchStream,
    before: Part,
    /// The number of the row before at hand, among those of the pair.
    at: usize,
    /// For each row before, which of the outer joins that begin with the step have had a row in the pieces so far.
    matched: Vec<u8>,
    held: Held,
    /// What the rows in memory of a made table hold.
    made: Held,
}

/// A column of a step's table, and what of the rows before it equals.
type Equated = (u16, Keyed, BExpr);

/// What of the tables before the rows of a step are found by.
fn equated(step: &Step) -> SmallVec<[(Keyed, &BExpr); 4]> {
    match (&step.access, &step.kept) {
        (Access::Mem { hash }, _) => hash.iter().map(|(_, kind, e)| (*kind, e)).collect(),
        (_, Some(by)) => by.values().collect(),
        _ => SmallVec::new(),
    }
}

impl Spilling {
    pub(super) fn is_due(&self) -> bool {
        self.parts.is_due()
    }

    /// A row with this key; one without is never found.
    pub(super) fn put(&mut self, key: &[u8], row: &[u8]) {
        self.parts.begin(key).extend_from_slice(row);
        self.parts.end();
    }
}

impl<'p> Joiner<'p> {
    /// Whether the rows that step `i` keeps may be divided. Where an index delivers the order, or the block is run for each row around, they
    /// have to come as they do.
    pub(super) fn may_part(&self, i: usize, hashed: bool, again: bool) -> bool {
        let crossed = self.block.groups.iter().any(|g| g.first < i && i <= g.last);
        let few = self.block.steps[i].begins.len() <= 8;
        let ordered = self.block.keeps_order();
        i > 0 && !again && hashed && !crossed && few && !ordered
    }

    /// What step `i` keeps does not fit, or waits for a write.
    pub(super) fn spill<'b>(&'b mut self, i: usize, r: &'b mut Runner<'_, '_>) -> Boxed<'b, ()> {
        let t = self.block.steps[i].table;
        Box::pin(async move {
            match std::mem::take(&mut self.states[t].kept) {
                Kept::Filling(kept) => {
                    let spilling = self.spill_kept(i, kept, r).await?;
                    self.states[t].kept = Kept::Spilling(spilling);
                }
                Kept::Spilling(mut spilling) => {
                    spilling.parts.write(&mut spilling.file).await?;
                    self.states[t].kept = Kept::Spilling(spilling);
                }
                other => self.states[t].kept = other,
            }
            Ok(())
        })
    }

    /// Moves the rows that are kept so far to the file.
    async fn spill_kept(
        &mut self,
        i: usize,
        mut kept: KeptTable,
        r: &mut Runner<'_, '_>,
    ) -> Run<Box<Spilling>> {
        kept.charge_no_more();
        let step = &self.block.steps[i];
        let parts = Partitions::new(join_memory(r.reads), 0, &r.ev.cx);
        let parts = parts.map_err(crate::value::ValueError::from)?;
        r.reads.work.inc(Stat::Weir_join_parted);
        let mut spilling = Spilling { file: temp_file(r.reads).await?, parts };
        let Some(by) = &step.kept else { return Ok(spilling.into()) };
        let rows = kept.rows();
        let current = std::mem::replace(&mut self.slots[step.table], Slot::Null);
        let mut key = Vec::new();
        for at in 0..rows.len() {
            r.ev.cx.work(rows.row(at).len())?;
            self.slots[step.table] = Slot::Packed { rows: rows.clone(), at };
            key.clear();
            if let Ok(Some(())) = silently(r, |r| self.key_kept(step.table, by, r, &mut key)) {
                spilling.put(&key, rows.row(at));
            }
            if spilling.is_due() {
                spilling.parts.write(&mut spilling.file).await?;
            }
        }
        self.slots[step.table] = current;
        Ok(spilling.into())
    }

    /// All rows of step `i` have been read.
    pub(super) fn spilled<'b>(&'b mut self, i: usize) -> Boxed<'b, ()> {
        let t = self.block.steps[i].table;
        Box::pin(async move {
            if let Kept::Spilling(mut s) = std::mem::take(&mut self.states[t].kept) {
                let parts = s.parts.close(&mut s.file).await?;
                self.states[t].kept = Kept::Spilled(Spilled { file: s.file, parts }.into());
            }
            Ok(())
        })
    }

    /// The rows of the steps before `i`, of which one is at hand, go to the file: from here on the block's rows begin with those of the pairs of
    /// parts. Step `i` is left without a row.
    pub(super) fn divide_before<'b>(
        &'b mut self,
        i: usize,
        spilled: Spilled,
        r: &'b mut Runner<'_, '_>,
        outer: Option<&'b Frame<'b>>,
    ) -> Boxed<'b, ()> {
        Box::pin(async move {
            let block = self.block;
            let step = &block.steps[i];
            let equal = equated(step);
            let Spilled { mut file, parts: kept } = spilled;
            let before = Partitions::new(join_memory(r.reads), 0, &r.ev.cx);
            let mut before = before.map_err(crate::value::ValueError::from)?;
            let mut odd = ScratchStream::new(CHUNK);
            let upto = std::mem::replace(&mut self.upto, i);
            let mut key = Vec::new();
            // NULL is not known not to be in a table that has rows.
            let is_not_in = block.tables[step.table].not_in.is_some();
            loop {
                key.clear();
                let known = self.key_before(equal.iter().copied(), &mut key, r, outer);
                match known {
                    Ok(None) if step.begins.is_empty() || is_not_in => {}
                    Ok(_) => {
                        self.put_before(i, before.begin(&key));
                        before.end();
                    }
                    Err(()) => {
                        let at = odd.buffer().len();
                        begin_entry(&[], odd.buffer());
                        self.put_before(i, odd.buffer());
                        end_entry(odd.buffer(), at);
                    }
                }
                if before.is_due() {
                    before.write(&mut file).await?;
                }
                if odd.is_due() {
                    odd.write(&mut file).await?;
                }
                if !self.next(r, outer).await? {
                    break;
                }
            }
            self.upto = upto;
            odd.close(&mut file).await?;
            let before = before.close(&mut file).await?;
            let pairs = kept.into_iter().zip(before);
            let waiting = pairs.map(|(kept, before)| Pair { kept, before, depth: 1 }).collect();
            let odd = (!odd.is_empty()).then(|| Part::of(&odd, &file));
            self.base = i;
            self.parted =
                Some(Parted { base: i, file, waiting, now: None, odd, whole: None }.into());
            self.leave_made(i);
            self.leave_groups(i);
            Ok(())
        })
    }

    /// The rows of step `i` and of those before it are in files: what is in memory of their tables goes. The rows of a made table that is divided
    /// stay where there are rows before whose key cannot be told.
    fn leave_made(&mut self, i: usize) {
        let block = self.block;
        for step in &block.steps[..i] {
            let t = step.table;
            self.slots[t] = Slot::Null;
            self.mems[t] = None;
            let state = &mut self.states[t];
            state.made.held = Held::default();
            (state.kept, state.hash, state.scan) = (Kept::No, None, None);
        }
        let step = &block.steps[i];
        self.slots[step.table] = Slot::Null;
        match (matches!(step.access, Access::Mem { .. }), &mut self.parted) {
            (true, Some(parted)) => {
                let whole = self.mems[step.table].replace(MadeRows::none());
                match parted.odd {
                    Some(_) => parted.whole = whole,
                    None => self.states[step.table].made.held = Held::default(),
                }
            }
            _ => self.states[step.table].kept = Kept::All(KeptTable::default().alone()),
        }
    }

    /// No outer join that begins with step `i` misses a row for the rows before.
    fn leave_groups(&mut self, i: usize) {
        for &g in &self.block.steps[i].begins {
            (self.matched[g], self.nulled[g]) = (true, false);
        }
    }

    /// The rows before step `i` that are at hand.
    fn put_before(&self, i: usize, to: &mut Vec<u8>) {
        for step in &self.block.steps[..i] {
            let part = self.states[step.table].part as u32;
            to.extend_from_slice(&part.to_le_bytes());
            encode_with_key(&self.slots[step.table], to);
        }
    }

    /// Makes rows before step `i` the current ones.
    fn take_before(&mut self, i: usize, mut bytes: &[u8]) -> Run<()> {
        for step in &self.block.steps[..i] {
            let (part, rest) = bytes.split_first_chunk().ok_or_else(damaged)?;
            bytes = rest;
            self.states[step.table].part = u32::from_le_bytes(*part) as usize;
            self.slots[step.table] = decode_slot(&mut bytes).ok_or_else(damaged)?;
        }
        Ok(())
    }

    /// Puts the join on its next rows before, and its step before the first of its rows. False: there are no more.
    pub(super) fn next_before<'b>(
        &'b mut self,
        r: &'b mut Runner<'_, '_>,
        outer: Option<&'b Frame<'b>>,
    ) -> Boxed<'b, bool> {
        Box::pin(async move {
            let Some(mut parted) = self.parted.take() else { return Ok(false) };
            let found = self.next_of(&mut parted, r, outer).await;
            self.parted = Some(parted);
            found
        })
    }

    async fn next_of(
        &mut self,
        parted: &mut Parted,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<bool> {
        let (block, i) = (self.block, parted.base);
        let step = &block.steps[i];
        loop {
            if let Some(now) = &mut parted.now {
                if let Some((_, bytes)) = now.before.next().await? {
                    r.ev.cx.work(bytes.len())?;
                    self.take_before(i, bytes)?;
                    self.begin_groups(i);
                    for (n, &g) in step.begins.iter().enumerate() {
                        self.matched[g] = now.matched.get(now.at).is_some_and(|m| m >> n & 1 == 1);
                    }
                    now.at += 1;
                    // What is wrong with the values has been said when the rows went to the file.
                    silently(r, |r| match &step.access {
                        Access::Mem { hash } => self.seek_mem(step.table, hash, r, outer),
                        _ => self.seek_kept(step.table, equated(step).into_iter(), r, outer),
                    });
                    return Ok(true);
                }
                if now.last {
                    parted.now = None;
                } else {
                    self.read_piece(i, now, r).await?;
                    (now.before, now.at) = (Part::of(&now.stream, &parted.file), 0);
                    continue;
                }
            }
            if let Some(pair) = parted.waiting.pop() {
                let wanted = !pair.kept.is_empty() || !step.begins.is_empty();
                if !pair.before.is_empty() && wanted {
                    self.begin_pair(i, pair, parted, r).await?;
                }
                continue;
            }
            let Some(odd) = &mut parted.odd else { return Ok(false) };
            let Some((_, bytes)) = odd.next().await? else { return Ok(false) };
            self.take_before(i, bytes)?;
            self.states[step.table].kept = Kept::Never;
            self.mems[step.table].clone_from(&parted.whole);
            self.states[step.table].hash = None;
            Box::pin(self.begin(i, r, outer)).await?;
            return Ok(true);
        }
    }

    /// Takes up a pair, or divides it once more.
    async fn begin_pair(
        &mut self,
        i: usize,
        pair: Pair,
        parted: &mut Parted,
        r: &mut Runner<'_, '_>,
    ) -> Run<()> {
        let memory = join_memory(r.reads);
        if pair.kept.bytes() > 2 * memory as u64 && pair.depth < DIVISIONS {
            let depth = pair.depth;
            let mut kept = divide(&pair.kept, depth, &mut parted.file, r).await?;
            let mut before = divide(&pair.before, depth, &mut parted.file, r).await?;
            // Rows of one key stay together whatever the hash is.
            let useless = kept.iter().any(|part| part.bytes() == pair.kept.bytes());
            let depth = if useless { DIVISIONS } else { depth + 1 };
            let pairs = kept.drain(..).zip(before.drain(..));
            parted.waiting.extend(pairs.map(|(kept, before)| Pair { kept, before, depth }));
            return Ok(());
        }
        let mut joined = Joined {
            kept: Part::of(&pair.kept, &parted.file),
            last: false,
            before: Part::of(&pair.before, &parted.file),
            stream: pair.before,
            at: 0,
            matched: Vec::new(),
            held: Held::default(),
            made: Held::default(),
        };
        self.read_piece(i, &mut joined, r).await?;
        parted.now = Some(joined);
        Ok(())
    }

    /// Reads kept rows of a pair into memory, as many as fit.
    async fn read_piece(&mut self, i: usize, now: &mut Joined, r: &mut Runner<'_, '_>) -> Run<()> {
        let t = self.block.steps[i].table;
        // Those of the last piece go first.
        self.slots[t] = Slot::Null;
        if let Access::Mem { .. } = self.block.steps[i].access {
            return self.read_made(t, now, r).await;
        }
        self.states[t].kept = Kept::No;
        let mut piece = KeptTable::of_part(join_memory(r.reads));
        now.last = true;
        while let Some((key, row)) = now.kept.next().await? {
            r.ev.cx.work(key.len() + row.len())?;
            if !piece.take(key, row, &r.ev.cx)? {
                now.last = false;
                break;
            }
        }
        self.states[t].kept = Kept::All(piece.alone());
        Ok(())
    }

    /// The same for rows of a made table.
    async fn read_made(&mut self, t: usize, now: &mut Joined, r: &mut Runner<'_, '_>) -> Run<()> {
        (self.mems[t], self.states[t].hash) = (None, None);
        now.made = Held::default();
        let memory = join_memory(r.reads);
        let (mut rows, mut hash) = (Vec::new(), RowHash::default());
        now.last = true;
        while let Some((key, bytes)) = now.kept.next().await? {
            r.ev.cx.work(key.len() + bytes.len())?;
            let row = decode_all(bytes)?;
            let charged = row_bytes(&row) + RowHash::ROW_BYTES + hash.push(Some(key));
            r.ev.cx.hold(&mut now.made, charged)?;
            rows.push(row);
            if now.made.bytes() >= memory {
                now.last = false;
                break;
            }
        }
        self.states[t].hash = Some(Arc::new(hash));
        self.mems[t] = Some(MadeRows::Memory(Arc::new(rows)));
        Ok(())
    }

    /// Divides the rows of a made table by what is equated. None: a value is of another kind than its column's type promised, so that the rows
    /// have to be looked at one by one.
    pub(super) async fn divide_made(
        &mut self,
        i: usize,
        hash: &[Equated],
        r: &mut Runner<'_, '_>,
    ) -> Run<Option<Box<Spilled>>> {
        let t = self.block.steps[i].table;
        let parts = Partitions::new(join_memory(r.reads), 0, &r.ev.cx);
        let mut parts = parts.map_err(crate::value::ValueError::from)?;
        r.reads.work.inc(Stat::Weir_join_parted);
        let mut file = temp_file(r.reads).await?;
        let mut rows = self.mems[t].as_ref().map(MadeRows::scan);
        let mut key = Vec::new();
        while let Some(rows) = &mut rows
            && let Some(row) = rows.next().await?
        {
            r.ev.cx.work(size_of_val(&row[..]))?;
            key.clear();
            let mut known = true;
            for (c, kind, _) in hash {
                match kind.key(&row[usize::from(*c)], &mut key, &mut r.ev.cx) {
                    Ok(Some(())) => {}
                    // A NULL equals nothing.
                    Ok(None) => known = false,
                    Err(()) => return Ok(None),
                }
            }
            if known {
                let to = parts.begin(&key);
                row.iter().for_each(|v| encode(v, to));
                parts.end();
            }
            if parts.is_due() {
                parts.write(&mut file).await?;
            }
        }
        let parts = parts.close(&mut file).await?;
        Ok(Some(Spilled { file, parts }.into()))
    }

    /// Step `i` has no more rows for the rows before. Outer joins that begin with the divided step learn it from the last piece of a pair alone.
    #[inline]
    pub(super) fn leave_piece(&mut self, i: usize, r: &mut Runner<'_, '_>) -> Run<()> {
        match self.parted.is_some() && i == self.base {
            true => self.note_matched(r),
            false => Ok(()),
        }
    }

    /// The outer joins that have had a row for the rows before, if another piece of the pair follows.
    fn note_matched(&mut self, r: &mut Runner<'_, '_>) -> Run<()> {
        let block = self.block;
        let Some(parted) = &mut self.parted else { return Ok(()) };
        let begins = &block.steps[parted.base].begins;
        let Some(now) = parted.now.as_mut().filter(|now| !now.last && !begins.is_empty()) else {
            return Ok(());
        };
        let bits = begins.iter().enumerate();
        let matched = bits.fold(0, |m, (n, &g)| m | u8::from(self.matched[g]) << n);
        if now.matched.len() < now.at {
            r.ev.cx.hold(&mut now.held, now.at - now.matched.len())?;
            now.matched.resize(now.at, 0);
        }
        now.matched[now.at - 1] |= matched;
        let base = parted.base;
        self.leave_groups(base);
        Ok(())
    }
}

/// A part, divided by another hash.
async fn divide(
    part: &ScratchStream,
    depth: u32,
    file: &mut Scratch,
    r: &mut Runner<'_, '_>,
) -> Run<Vec<ScratchStream>> {
    let parts = Partitions::new(join_memory(r.reads), depth, &r.ev.cx);
    let mut parts = parts.map_err(crate::value::ValueError::from)?;
    let mut entries = Part::of(part, file);
    while let Some((key, rest)) = entries.next().await? {
        r.ev.cx.work(key.len() + rest.len())?;
        parts.begin(key).extend_from_slice(rest);
        parts.end();
        if parts.is_due() {
            parts.write(file).await?;
        }
    }
    parts.close(file).await
}
