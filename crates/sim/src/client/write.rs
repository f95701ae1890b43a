//! Inserts, updates, deletes: of one row, of many, of ranges.

use super::commit::{commit, open};
use super::{ASCENDING, Client, Done, Open};
use crate::model::{Shared, Stop};
use crate::schema::{Handle, Row, TableSpec, encode, key_of};
use std::sync::Arc;
use weir_engine::{Db, Durability, Error, LockMode, OnLocked, RowList};

/// Pages that a wide table has at least: more than two maps speak of.
const WIDE: u64 = 8000;

/// Rows with long columns, until the table's file has several map pages.
pub async fn fill_wide(db: &Db, world: &Shared, t: &Handle, spec: &TableSpec) -> Done<()> {
    let mut id = ASCENDING;
    while t.space.pages() < WIDE as u32 {
        let mut o = open(db, world);
        for _ in 0..8 {
            id += 1;
            let body = vec![b'w'; spec.long as usize];
            let row = Arc::new(Row { id, k: Some(2), u: Some(id), s: b"w".to_vec(), body });
            let key = key_of(t, &row);
            let r = o.txn.insert_boxed(t, &encode(t, &row)).await;
            let mut w = world.lock();
            if let Err(e) = r {
                w.ended(o.no, false);
                return Err(e.into());
            }
            w.wrote(o.no, t, &key, Some(row))?;
        }
        commit(db, world, o, Durability::Lazy).await?;
    }
    Ok(())
}

impl Client {
    /// A row for an insert.
    pub(super) fn new_row(&mut self, spec: &TableSpec) -> Row {
        let ascending = self.rng.chance(0.3);
        let id = self.some_id(spec, ascending);
        spec.random_row(&mut self.rng, id)
    }

    pub(super) async fn insert(&mut self, o: &mut Open, t: &Handle, spec: &TableSpec) -> Done<()> {
        if self.rng.chance(0.15) {
            self.take_numbers(o, t).await?;
        }
        let row = self.new_row(spec);
        self.insert_row(o, t, row).await.map(|_| ())
    }

    /// AUTO_INCREMENT: one number, many in steps, or one of the client's own choice, before or behind what the engine has
    /// set aside.
    async fn take_numbers(&mut self, o: &Open, t: &Handle) -> Done<()> {
        let (tid, used) = (t.def.id, self.world.lock().used(t.def.id));
        if self.rng.chance(0.3) {
            let ahead = match self.rng.below(3) {
                0 => self.rng.below(4),
                1 => 250 + self.rng.below(16),
                _ => self.rng.below(2000),
            };
            let n = (t.auto_increment_next() + ahead).saturating_sub(2);
            t.auto_increment_observe(n).await?;
            self.world.lock().chose(o.no, tid, n);
            return Ok(());
        }
        let many = self.rng.chance(0.3);
        let n = if many { 1 + self.rng.below(300) } else { 1 };
        let step = if self.rng.chance(0.2) { 1 + self.rng.below(10) } else { 1 };
        let first = t.auto_increment_reserve(n, step, 1 + self.rng.below(step)).await?;
        self.world
            .lock()
            .drew(o.no, tid, (0..n).map(|k| first + k * step), used)
            .map_err(Stop::Failed)
    }

    /// Inserts a row, checked; the clustered key of the row in its way if there is one.
    pub(super) async fn insert_row(
        &mut self,
        o: &mut Open,
        t: &Handle,
        row: Row,
    ) -> Done<Option<Vec<u8>>> {
        let (key, row) = (key_of(t, &row), Arc::new(row));
        self.world.lock().intend(t.def.id, &key, Some(row.clone()));
        let exclusive = self.rng.chance(0.3);
        let lock = if exclusive { LockMode::Exclusive } else { LockMode::Shared };
        let bytes = encode(t, &row);
        let r = match self.insert_short(o, t, &bytes) {
            Some(done) => done,
            None => o.txn.insert_locking_boxed(t, &bytes, lock).await,
        };
        let mut world = self.world.lock();
        match r {
            Ok(()) => {
                world.check_inserted(o.no, t, &row, &[], None)?;
                world.wrote(o.no, t, &key, Some(row))?;
                Ok(None)
            }
            Err(Error::DuplicateKey { index, key: other, .. }) => {
                world.check_refused(o.no, t, &row, &[], None, (index, &other))?;
                if index == 0 {
                    world.claim_row(o.no, t, &other, exclusive)?;
                }
                Ok(Some(other))
            }
            Err(e) => Err(e.into()),
        }
    }

    /// A statement of a READ ONLY transaction: what would write is refused.
    pub(super) async fn only_read(
        &mut self,
        o: &mut Open,
        t: &Handle,
        spec: &TableSpec,
    ) -> Done<()> {
        let r = match self.odd.below(3) {
            0 => self.point_read(o, t, spec).await,
            1 => self.range_read(o, t, spec).await,
            _ => {
                let row = self.new_row(spec);
                match o.txn.insert_boxed(t, &encode(t, &row)).await {
                    Err(Error::ReadOnlyTransaction) => Ok(()),
                    Err(e) => Err(e.into()),
                    Ok(()) => Err(crate::model::Failure {
                        checker: "reads",
                        what: "a READ ONLY transaction has inserted a row".into(),
                    }
                    .into()),
                }
            }
        };
        match r {
            // A read that locks exclusively counts as a write.
            Err(Stop::Engine(Error::ReadOnlyTransaction)) => Ok(()),
            r => r,
        }
    }

    /// The pages where this transaction has made or marked entries say so: nothing else protects them from others.
    pub(super) async fn check_writer(&self, o: &Open, t: &Handle) -> Done<()> {
        let Some(id) = o.txn.id() else { return Ok(()) };
        let entries = self.world.lock().entries_made(o.no, t);
        for (index, entry) in entries {
            let known = self.db.inner().catalog.writer_of_page(t, index, &entry).await?;
            if known < id {
                let what = format!(
                    "the page of an entry of index {index} of {} that transaction {id} has changed knows of {known} only",
                    t.def.name
                );
                return Err(crate::model::Failure { checker: "structure", what }.into());
            }
        }
        Ok(())
    }

    /// INSERT ... ON DUPLICATE KEY UPDATE.
    pub(super) async fn insert_or_update(
        &mut self,
        o: &mut Open,
        t: &Handle,
        spec: &TableSpec,
    ) -> Done<()> {
        let row = self.new_row(spec);
        if let Some(other) = self.insert_row(o, t, row).await? {
            self.update_at(o, t, spec, &other).await?;
        }
        Ok(())
    }

    /// Many rows of one statement, now and then with a key that one of them has already: then none of them stays.
    pub(super) async fn insert_many(
        &mut self,
        o: &mut Open,
        t: &Handle,
        spec: &TableSpec,
    ) -> Done<()> {
        let ascending = self.rng.chance(0.6);
        let mut rows = Vec::new();
        let first = self.some_id(spec, ascending);
        for n in 0..2 + self.rng.below(40) as i64 {
            let id = if ascending { self.some_id(spec, true) } else { first + n };
            rows.push(spec.random_row(&mut self.rng, id));
        }
        self.twins(spec, &mut rows);
        let mut list = RowList::default();
        let begun = {
            let mut world = self.world.lock();
            for r in &rows {
                list.push(&encode(t, r));
                world.intend(t.def.id, &key_of(t, r), Some(Arc::new(r.clone())));
            }
            world.seq
        };
        match o.txn.insert_many_boxed(t, &list).await {
            Ok(()) => {
                let mut world = self.world.lock();
                for r in rows {
                    let key = key_of(t, &r);
                    world.check_inserted(o.no, t, &r, &[], None)?;
                    world.wrote(o.no, t, &key, Some(Arc::new(r)))?;
                }
                Ok(())
            }
            Err((at, Error::DuplicateKey { index, key, .. })) => {
                let world = self.world.lock();
                for (i, r) in rows[..at].iter().enumerate() {
                    world.check_was_free(o.no, t, r, &rows[..i], begun)?;
                }
                let refused = (index, key.as_slice());
                world.check_refused(o.no, t, &rows[at], &rows[..at], None, refused)?;
                Ok(())
            }
            Err((_, e)) => Err(e.into()),
        }
    }

    /// Now and then a row comes twice, next to its twin or at the end, or another one has its unique value.
    fn twins(&mut self, spec: &TableSpec, rows: &mut Vec<Row>) {
        if !self.rng.chance(0.15) {
            return;
        }
        let i = self.rng.below(rows.len() as u64) as usize;
        let mut twin = rows[i].clone();
        if self.rng.chance(0.5) {
            let id = self.some_id(spec, true);
            // The same group: equal in both of the unique indexes.
            let id = id - id.rem_euclid(5) + twin.id.rem_euclid(5);
            twin = Row { u: twin.u, ..spec.random_row(&mut self.rng, id) };
        }
        let at = if self.rng.chance(0.7) { i + 1 } else { rows.len() };
        rows.insert(at, twin);
    }

    pub(super) async fn update(&mut self, o: &mut Open, t: &Handle, spec: &TableSpec) -> Done<()> {
        let key = self.some_key(t, spec);
        self.update_at(o, t, spec, &key).await
    }

    async fn update_at(
        &mut self,
        o: &mut Open,
        t: &Handle,
        spec: &TableSpec,
        key: &[u8],
    ) -> Done<()> {
        let found = self.get(o, t, key, LockMode::Exclusive, OnLocked::Wait).await?;
        let Some((old, bytes)) = found else { return Ok(()) };
        self.update_row(o, t, spec, key, &old, &bytes).await
    }

    /// Some columns of a row get other values: longer, shorter, NULL, or (with a text key) a new place.
    pub(super) fn changed(&mut self, spec: &TableSpec, old: &Row) -> Row {
        let drawn = spec.random_row(&mut self.rng, old.id);
        match self.rng.below(6) {
            0 => Row { k: drawn.k, ..old.clone() },
            1 => Row { u: drawn.u, ..old.clone() },
            2 => Row { s: drawn.s, ..old.clone() },
            3 | 4 => Row { body: drawn.body, ..old.clone() },
            _ => drawn,
        }
    }

    async fn update_row(
        &mut self,
        o: &mut Open,
        t: &Handle,
        spec: &TableSpec,
        key: &[u8],
        old: &Row,
        bytes: &[u8],
    ) -> Done<()> {
        let new = Arc::new(self.changed(spec, old));
        let new_key = key_of(t, &new);
        {
            let mut world = self.world.lock();
            if new_key != key {
                world.intend(t.def.id, key, None);
            }
            world.intend(t.def.id, &new_key, Some(new.clone()));
        }
        let image = encode(t, &new);
        let short = match new_key == key {
            true => self.change_short(o, t, key, bytes, Some(&image)),
            false => None,
        };
        let r = match short {
            Some(done) => done,
            None => o.txn.update_boxed(t, key, bytes, &image).await,
        };
        let mut world = self.world.lock();
        let moved = key.to_vec();
        match r {
            Ok(()) => {
                world.check_inserted(o.no, t, &new, &[], Some(&moved))?;
                if new_key != key {
                    world.wrote(o.no, t, key, None)?;
                }
                world.wrote(o.no, t, &new_key, Some(new))?;
                Ok(())
            }
            Err(Error::DuplicateKey { index, key: other, .. }) => {
                world.check_refused(o.no, t, &new, &[], Some(&moved), (index, &other))?;
                Ok(())
            }
            Err(e) => Err(e.into()),
        }
    }

    pub(super) async fn delete(&mut self, o: &mut Open, t: &Handle, spec: &TableSpec) -> Done<()> {
        let key = self.some_key(t, spec);
        let found = self.get(o, t, &key, LockMode::Exclusive, OnLocked::Wait).await?;
        let Some((_, bytes)) = found else { return Ok(()) };
        self.delete_row(o, t, &key, &bytes).await
    }

    async fn delete_row(&mut self, o: &mut Open, t: &Handle, key: &[u8], bytes: &[u8]) -> Done<()> {
        self.world.lock().intend(t.def.id, key, None);
        match self.change_short(o, t, key, bytes, None) {
            Some(done) => done?,
            None => o.txn.delete_boxed(t, key, bytes).await?,
        }
        self.world.lock().wrote(o.no, t, key, None)?;
        Ok(())
    }

    /// UPDATE or DELETE of a range: rows are locked by a scan, then changed one by one.
    pub(super) async fn change_range(
        &mut self,
        o: &mut Open,
        t: &Handle,
        spec: &TableSpec,
    ) -> Done<()> {
        let mut range = self.some_range(t, spec);
        if self.rng.chance(0.7) {
            range.limit = Some(1 + self.rng.below(12) as usize);
        }
        let delete = self.rng.chance(0.5);
        let rows = self.scan(o, t, &range, LockMode::Exclusive, OnLocked::Wait).await?;
        for (row, key, bytes) in rows {
            if delete {
                self.delete_row(o, t, &key, &bytes).await?;
                continue;
            }
            // An earlier row of this statement may have taken the place.
            let r = self.update_row(o, t, spec, &key, &row, &bytes).await;
            if let Err(Stop::Engine(Error::DuplicateKey { .. })) = r {
                continue;
            }
            r?;
        }
        Ok(())
    }
}
