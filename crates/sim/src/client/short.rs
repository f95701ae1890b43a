//! Writes that wait for nothing: in the middle of a transaction, and as a whole one that commits with its write.

use super::{Client, Done, Open};
use crate::model::Promise;
use crate::schema::{Content, Handle, Row, TableSpec, decode, encode, key_of};
use std::sync::Arc;
use weir_engine::{Durability, Error, RowChange};

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
        o.txn.insert_now(t, row, None).map(|done| done.map(|_| ()))
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
            true
        };
        let change = match new {
            Some(_) => RowChange::Update(&mut make),
            None => RowChange::Delete,
        };
        o.txn.change_now(t, key, change, None).map(|done| done.map(|_| ()))
    }

    /// A transaction of one row whose commit rides in the group of its write.
    pub(super) async fn alone(&mut self) -> Done<()> {
        let mut o = self.begin_as(false);
        let Some((t, spec)) = self.table(Content::Random)? else { return self.give_up(o).await };
        let d = self.durability();
        let done = match self.short.below(3) {
            0 => self.insert_alone(&mut o, &t, &spec, d),
            1 => self.update_alone(&mut o, &t, &spec, d),
            _ => self.delete_alone(&mut o, &t, &spec, d),
        };
        let Some((written, owed)) = done else {
            {
                let mut w = self.world.lock();
                w.release(o.no)?;
                w.ended(o.no, false);
            }
            o.txn.dismiss();
            return Ok(());
        };
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
        if let Some(owed) = owed? {
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
        o: &mut Open,
        t: &Handle,
        spec: &TableSpec,
        d: Durability,
    ) -> Option<(Written, Result<Option<weir_engine::Owed>, Error>)> {
        let row = Arc::new(self.new_row(spec));
        let key = key_of(t, &row);
        self.world.lock().intend(t.def.id, &key, Some(row.clone()));
        let done = o.txn.insert_now(t, &encode(t, &row), Some(d))?;
        Some((Written { key, row: Some(row), fresh: true }, done))
    }

    fn update_alone(
        &mut self,
        o: &mut Open,
        t: &Handle,
        spec: &TableSpec,
        d: Durability,
    ) -> Option<(Written, Result<Option<weir_engine::Owed>, Error>)> {
        let key = self.some_key(t, spec);
        let mut made = None;
        let mut make = |old: &[u8], out: &mut Vec<u8>| {
            let Some(old) = decode(t, old) else { return false };
            let new = Arc::new(self.changed(spec, &old));
            // A row that moves is two rows.
            if key_of(t, &new) != key {
                return false;
            }
            self.world.lock().intend(t.def.id, &key, Some(new.clone()));
            out.extend_from_slice(&encode(t, &new));
            made = Some(new);
            true
        };
        let done = o.txn.change_now(t, &key, RowChange::Update(&mut make), Some(d))?;
        Some((Written { key, row: made, fresh: false }, done))
    }

    fn delete_alone(
        &mut self,
        o: &mut Open,
        t: &Handle,
        spec: &TableSpec,
        d: Durability,
    ) -> Option<(Written, Result<Option<weir_engine::Owed>, Error>)> {
        let key = self.some_key(t, spec);
        self.world.lock().intend(t.def.id, &key, None);
        let done = o.txn.change_now(t, &key, RowChange::Delete, Some(d))?;
        Some((Written { key, row: None, fresh: false }, done))
    }
}
