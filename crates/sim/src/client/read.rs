//! Reads: by key, by unique index, by range; plain and with locks.

use super::{Client, Done, Open, decoded};
use crate::model::{Range, Stop};
use crate::schema::{Handle, Row, TableSpec, columns_of, key_of};
use weir_engine::row::key::prefix_successor;
use weir_engine::row::{RowView, decode_len};
use weir_engine::{Error, Isolation, LockMode, OnLocked, RowBuf, ScanSpec};

/// A range that holds one key of the clustered index.
fn point(key: &[u8]) -> Range {
    let mut end = key.to_vec();
    end.push(0);
    Range { index: 0, start: key.to_vec(), end: Some(end), reverse: false, limit: None }
}

impl Client {
    pub(super) async fn point_read(
        &mut self,
        o: &mut Open,
        t: &Handle,
        spec: &TableSpec,
    ) -> Done<()> {
        let key = self.some_key(t, spec);
        let lock = self.some_lock(o);
        let on_locked = if lock == LockMode::None { OnLocked::Wait } else { self.on_locked() };
        let mut r = self.get(o, t, &key, lock, on_locked).await.map(|_| ());
        while self.comes_again(&r).await {
            r = self.get(o, t, &key, lock, on_locked).await.map(|_| ());
        }
        r
    }

    /// Whether a locking read that gave up is tried again, with the locks that it has got so far.
    async fn comes_again(&mut self, r: &Done<()>) -> bool {
        let gave_up =
            matches!(r, Err(Stop::Engine(Error::LockNotAvailable | Error::LockWaitTimeout)));
        if !gave_up || !self.rng.chance(0.5) {
            return false;
        }
        let pause = std::time::Duration::from_micros(self.rng.below(20_000));
        self.db.rt().sleep(pause).await;
        true
    }

    /// Reads a row by its clustered key, checked.
    pub(super) async fn get(
        &mut self,
        o: &mut Open,
        t: &Handle,
        key: &[u8],
        lock: LockMode,
        on_locked: OnLocked,
    ) -> Done<Option<(Row, Vec<u8>)>> {
        let from = self.world.lock().begin_read(o.no, lock == LockMode::None);
        let mut buf = RowBuf::default();
        let found = o.txn.get_boxed(t, 0, key, lock, on_locked, &mut buf).await?;
        let got = if found { vec![decoded(t, &buf.row)?] } else { Vec::new() };
        let range = point(key);
        let mut world = self.world.lock();
        if lock == LockMode::None {
            world.plain_read(o.no, t, &range, &got, from)?;
        } else {
            let partial = on_locked == OnLocked::SkipLocked;
            // A row that is there is locked without the gap before it.
            let exclusive = lock == LockMode::Exclusive;
            if found {
                world.locking_read(o.no, t, &range, &got, from, exclusive, true)?;
            } else {
                world.locking_read(o.no, t, &range, &got, from, exclusive, partial)?;
            }
        }
        Ok(got.into_iter().next().map(|r| (r, buf.row)))
    }

    /// A read by all columns of a unique index.
    pub(super) async fn unique_read(
        &mut self,
        o: &mut Open,
        t: &Handle,
        spec: &TableSpec,
    ) -> Done<()> {
        let Some(index) = (1..t.indexes.len()).find(|i| t.indexes[*i].def.unique) else {
            return self.point_read(o, t, spec).await;
        };
        let id = self.some_id(spec, false);
        let probe = spec.random_row(&mut self.rng, id);
        if probe.u.is_none() {
            return Ok(());
        }
        let key = columns_of(t, index, &probe);
        let lock = self.some_lock(o);
        let from = self.world.lock().begin_read(o.no, lock == LockMode::None);
        let mut buf = RowBuf::default();
        let found = o.txn.get_boxed(t, index, &key, lock, OnLocked::Wait, &mut buf).await?;
        let got = if found { vec![decoded(t, &buf.row)?] } else { Vec::new() };
        let end = prefix_successor(&key);
        let range = Range { index, start: key, end, reverse: false, limit: None };
        let mut world = self.world.lock();
        if lock == LockMode::None {
            world.plain_read(o.no, t, &range, &got, from)?;
        } else {
            let exclusive = lock == LockMode::Exclusive;
            world.locking_read(o.no, t, &range, &got, from, exclusive, found)?;
        }
        Ok(())
    }

    /// A range of some index: everything, an equality of the first column, or from one place to another.
    pub(super) fn some_range(&mut self, t: &Handle, spec: &TableSpec) -> Range {
        let index = self.rng.below(t.indexes.len() as u64) as usize;
        let mut place = || {
            let id = self.some_id(spec, false);
            let row = spec.random_row(&mut self.rng, id);
            if index == 0 { key_of(t, &row) } else { columns_of(t, index, &row) }
        };
        let (mut start, mut end) = (place(), Some(place()));
        match self.rng.below(5) {
            0 => (start, end) = (Vec::new(), None),
            1 => end = None,
            2 | 3 if t.indexes[index].types().len() > 1 || index > 0 => {
                let first = &t.indexes[index].types()[..1];
                if let Some(n) = decode_len(first, &start) {
                    start.truncate(n);
                    end = prefix_successor(&start);
                }
            }
            _ => {
                if end.as_ref().is_some_and(|e| *e < start) {
                    let e = end.replace(start).unwrap_or_default();
                    start = e;
                }
            }
        }
        let limit = self.rng.chance(0.25).then(|| 1 + self.rng.below(5) as usize);
        Range { index, start, end, reverse: self.rng.chance(0.4), limit }
    }

    pub(super) async fn range_read(
        &mut self,
        o: &mut Open,
        t: &Handle,
        spec: &TableSpec,
    ) -> Done<()> {
        let range = self.some_range(t, spec);
        let lock = self.some_lock(o);
        let on_locked = if lock == LockMode::None { OnLocked::Wait } else { self.on_locked() };
        let mut r = self.scan(o, t, &range, lock, on_locked).await.map(|_| ());
        while self.comes_again(&r).await {
            r = self.scan(o, t, &range, lock, on_locked).await.map(|_| ());
        }
        r
    }

    /// READ COMMITTED: a locking scan that wants some of its rows only, and gives the locks of the others back at once. What an
    /// earlier statement has locked stays claimed.
    pub(super) async fn pass_over(
        &mut self,
        o: &mut Open,
        t: &Handle,
        spec: &TableSpec,
    ) -> Done<()> {
        if o.isolation() > Isolation::ReadCommitted {
            return self.range_read(o, t, spec).await;
        }
        let range = self.some_range(t, spec);
        let exclusive = self.rng.chance(0.7);
        let lock = if exclusive { LockMode::Exclusive } else { LockMode::Shared };
        let from = self.world.lock().begin_read(o.no, false);
        let mut cursor = o.txn.scan(t, self.scan_spec(&range, lock, OnLocked::Wait));
        let mut kept = Vec::new();
        while range.limit.is_none_or(|n| kept.len() < n) && cursor.next_boxed(&mut o.txn).await? {
            let (row, key) = (decoded(t, cursor.row())?, cursor.key().to_vec());
            self.world.lock().sees_newest(o.no, t, &range, &row)?;
            if self.rng.chance(0.3) {
                kept.push(row);
            } else {
                o.txn.unlock_row(t, &key);
            }
        }
        self.world.lock().locking_read(o.no, t, &range, &kept, from, exclusive, true)?;
        Ok(())
    }

    /// The same range twice in a statement's distance: it must not have changed where the level says so.
    pub(super) async fn repeat_range(
        &mut self,
        o: &mut Open,
        t: &Handle,
        spec: &TableSpec,
    ) -> Done<()> {
        let range = self.some_range(t, spec);
        let lock = self.some_lock(o);
        let first = self.scan(o, t, &range, lock, OnLocked::Wait).await?;
        if self.rng.chance(0.5) {
            let pause = std::time::Duration::from_millis(self.rng.below(30));
            self.db.rt().sleep(pause).await;
        }
        if o.isolation() < Isolation::RepeatableRead {
            return Ok(());
        }
        let again = self.scan(o, t, &range, lock, OnLocked::Wait).await?;
        if first.iter().map(|r| &r.0).ne(again.iter().map(|r| &r.0)) {
            return Err(crate::model::Failure {
                checker: "reads",
                what: format!(
                    "a range of {} changed between two reads of a transaction",
                    t.def.name
                ),
            }
            .into());
        }
        Ok(())
    }

    fn scan_spec(&mut self, range: &Range, lock: LockMode, on_locked: OnLocked) -> ScanSpec {
        ScanSpec {
            index: range.index,
            start: range.start.clone(),
            end: range.end.clone(),
            reverse: range.reverse,
            lock,
            on_locked,
            unique_eq: false,
            expect: if self.rng.chance(0.3) { 1 + self.rng.below(20) as u32 } else { 0 },
            fetch_external: true,
            rows_only: false,
            index_only: None,
        }
    }

    /// Reads a range, checked; the rows with their keys and bytes.
    pub(super) async fn scan(
        &mut self,
        o: &mut Open,
        t: &Handle,
        range: &Range,
        lock: LockMode,
        on_locked: OnLocked,
    ) -> Done<Vec<(Row, Vec<u8>, Vec<u8>)>> {
        let from = self.world.lock().begin_read(o.no, lock == LockMode::None);
        let mut cursor = o.txn.scan(t, self.scan_spec(range, lock, on_locked));
        let mut out = Vec::new();
        while range.limit.is_none_or(|n| out.len() < n) && cursor.next_boxed(&mut o.txn).await? {
            out.push((decoded(t, cursor.row())?, cursor.key().to_vec(), cursor.row().to_vec()));
            if self.rng.chance(0.02) {
                // The client is slow: the cursor finds its place again.
                self.db.rt().sleep(std::time::Duration::from_millis(1)).await;
            }
        }
        let plain = lock == LockMode::None && o.isolation() != Isolation::ReadUncommitted;
        if plain && range.index > 0 && self.rng.chance(0.5) {
            self.same_by_entries(o, t, range, &out).await?;
        }
        let got: Vec<Row> = out.iter().map(|r| r.0.clone()).collect();
        let mut world = self.world.lock();
        if lock == LockMode::None {
            world.plain_read(o.no, t, range, &got, from)?;
        } else {
            let partial = on_locked == OnLocked::SkipLocked;
            let exclusive = lock == LockMode::Exclusive;
            world.locking_read(o.no, t, range, &got, from, exclusive, partial)?;
        }
        Ok(out)
    }

    /// The same view, read by the entries of the index alone, has the same rows: as far as the entries tell.
    async fn same_by_entries(
        &mut self,
        o: &mut Open,
        t: &Handle,
        range: &Range,
        rows: &[(Row, Vec<u8>, Vec<u8>)],
    ) -> Done<()> {
        let all = (0..t.layout.len()).filter(|c| t.covers(range.index, [*c]));
        let wanted: Vec<u16> = all.map(|c| c as u16).filter(|_| self.rng.chance(0.7)).collect();
        let mut spec = self.scan_spec(range, LockMode::None, OnLocked::Wait);
        spec.index_only = Some(wanted.clone().into());
        let mut cursor = o.txn.scan(t, spec);
        let mut at = 0;
        while range.limit.is_none_or(|n| at < n) && cursor.next_boxed(&mut o.txn).await? {
            let told = RowView::new(&t.layout, cursor.row());
            let same = rows.get(at).is_some_and(|(_, key, row)| {
                let row = RowView::new(&t.layout, row);
                let mut wanted = wanted.iter().map(|c| usize::from(*c));
                key == cursor.key() && wanted.all(|c| row.get(c).to_buf() == told.get(c).to_buf())
            });
            if !same {
                return Err(entries_differ(t, range, at, rows.len()).into());
            }
            at += 1;
        }
        if at < rows.len() {
            return Err(entries_differ(t, range, at, rows.len()).into());
        }
        Ok(())
    }
}

fn entries_differ(t: &Handle, range: &Range, at: usize, of: usize) -> crate::model::Failure {
    let (table, index) = (&t.def.name, &t.indexes[range.index].def.name);
    crate::model::Failure {
        checker: "reads",
        what: format!("{index} of {table} alone tells another row {at} of {of} than with the rows"),
    }
}
