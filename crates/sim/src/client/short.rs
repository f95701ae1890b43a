//! Writes that wait for nothing: in the middle of a transaction, and as a whole one that commits with its write.

use super::{Client, Done, Open};
use crate::model::Promise;
use crate::schema::{Content, Handle, Row, TableSpec, decode, encode, key_of};
use std::sync::Arc;
use weir_engine::{Alone, Durability, Error, Made, RowChange};

/// How often a write tries the short way first.
const SHORT: f64 = 0.4;

/// A row that a short write made, or what it deleted.
struct Written {
    key: Vec<u8>,
    row: Option<Arc<Row>>,
    fresh: bool,
}

impl Client {
    /// `None`: the usual way is to be gone.
    pub(super) fn insert_short(
        &mut self,
        o: &mut Open,
        t: &Handle,
        row: &[u8],
    ) -> Option<Result<(), Error>> {
        if !self.short.chance(SHORT) {
            return None;
        }
        o.txn.insert_now(t, row).map(Ok)
    }

    /// As [`Client::insert_short`], of a row that the transaction has locked; `new`: `None` deletes it.
    pub(super) fn change_short(
        &mut self,
        o: &mut Open,
        t: &Handle,
        key: &[u8],
        old: &[u8],
        new: Option<&[u8]>,
    ) -> Option<Result<(), Error>> {
        if !self.short.chance(SHORT) {
            return None;
        }
        let mut make = |found: &[u8], out: &mut Vec<u8>| {
            assert!(
                decode(t, found) == decode(t, old),
                "a locked row of {} has changed",
                t.def.name
            );
            out.extend_from_slice(new.unwrap_or_default());
            Made::New
        };
        let change = match new {
            Some(_) => RowChange::Update(&mut make),
            None => RowChange::Delete,
        };
        o.txn.change_now(t, 0, key, change).map(|_| Ok(()))
    }

    /// A transaction of one row whose commit rides in the group of its write.
    pub(super) async fn alone(&mut self) -> Done<()> {
        // The model's transaction; the engine's has nothing to do.
        let o = self.begin_as(false);
        let Some((t, spec)) = self.table(Content::Random)? else { return self.give_up(o).await };
        let d = self.durability();
        let done = match self.short.below(3) {
            _ if self.background => None,
            0 => self.insert_alone(&t, &spec, d),
            1 => self.update_alone(&t, &spec, d),
            _ => self.delete_alone(&t, &spec, d),
        };
        let Some((written, done)) = done else { return self.give_up(o).await };
        // Nothing has run since the write: others see it from here on.
        let seq = {
            let mut w = self.world.lock();
            let Written { key, row, fresh } = written;
            w.claim_row(o.no, &t, &key, true)?;
            if let Some(row) = &row {
                let replaced = (!fresh).then_some(&key);
                w.check_inserted(o.no, &t, row, &[], replaced)?;
            }
            w.wrote(o.no, &t, &key, row)?;
            w.release(o.no)?;
            w.visible(o.no)
        };
        if let Some(owed) = done?.owed {
            self.db.settle_commit(owed).await?;
        }
        match d {
            Durability::Flush => self.world.lock().acknowledged(seq, Promise::Durable),
            Durability::Write => self.world.lock().acknowledged(seq, Promise::Written),
            Durability::Lazy => {}
        }
        Ok(())
    }

    fn insert_alone(
        &mut self,
        t: &Handle,
        spec: &TableSpec,
        d: Durability,
    ) -> Option<(Written, Result<Alone, Error>)> {
        let row = Arc::new(self.new_row(spec));
        let key = key_of(t, &row);
        self.world.lock().intend(t.def.id, &key, Some(row.clone()));
        let done = self.db.insert_alone(t, &encode(t, &row), (1, d))?;
        Some((Written { key, row: Some(row), fresh: true }, done))
    }

    fn update_alone(
        &mut self,
        t: &Handle,
        spec: &TableSpec,
        d: Durability,
    ) -> Option<(Written, Result<Alone, Error>)> {
        let key = self.some_key(t, spec);
        let (mut made, db) = (None, self.db.clone());
        let mut make = |old: &[u8], out: &mut Vec<u8>| {
            let Some(old) = decode(t, old) else { return Made::Declined };
            let new = Arc::new(self.changed(spec, &old));
            // A row that moves is two rows.
            if key_of(t, &new) != key {
                return Made::Declined;
            }
            self.world.lock().intend(t.def.id, &key, Some(new.clone()));
            out.extend_from_slice(&encode(t, &new));
            made = Some(new);
            Made::New
        };
        let done = db.change_alone(t, (0, &key), RowChange::Update(&mut make), (1, d))?;
        Some((Written { key, row: made, fresh: false }, done))
    }

    fn delete_alone(
        &mut self,
        t: &Handle,
        spec: &TableSpec,
        d: Durability,
    ) -> Option<(Written, Result<Alone, Error>)> {
        let key = self.some_key(t, spec);
        self.world.lock().intend(t.def.id, &key, None);
        let done = self.db.change_alone(t, (0, &key), RowChange::Delete, (1, d))?;
        Some((Written { key, row: None, fresh: false }, done))
    }
}
