//! Transactions on lists and registers, noted for the history.

use super::commit::{commit, open};
use super::{Client, Done, Open, ends_statement_only};
use crate::history::Event;
use crate::model::{Shared, Stop, failed};
use crate::scenario::Workload;
use crate::schema::{Content, Handle, Row, TableSpec, encode, key_of, number, numbers};
use std::sync::Arc;
use weir_engine::{Db, Durability, LockMode, OnLocked};

/// The rows of a table of lists or registers, each with nothing in it.
pub async fn fill(db: &Db, world: &Shared, t: &Handle, spec: &TableSpec) -> Done<()> {
    let mut o = open(db, world);
    for id in 0..spec.ids as i64 {
        let body = if spec.content == Content::Register { number(0) } else { Vec::new() };
        let row = Arc::new(Row { id, k: Some(1), u: Some(id), s: Vec::new(), body });
        let key = key_of(t, &row);
        let r = o.txn.insert_boxed(t, &encode(t, &row)).await;
        let mut w = world.lock();
        if let Err(e) = r {
            w.ended(o.no, false);
            return Err(e.into());
        }
        w.wrote(o.no, t, &key, Some(row))?;
    }
    commit(db, world, o, Durability::Flush).await
}

impl Client {
    pub(super) async fn history_transaction(&mut self) -> Done<()> {
        let mut o = self.begin();
        let r = self.history_statements(&mut o).await;
        self.finish(o, r).await
    }

    fn content(&self) -> Content {
        if self.workload == Workload::Append { Content::List } else { Content::Register }
    }

    async fn history_statements(&mut self, o: &mut Open) -> Done<()> {
        let reader = self.rng.chance(0.35);
        for _ in 0..1 + self.rng.below(self.ops) {
            let Some((t, spec)) = self.table(self.content())? else { return Ok(()) };
            let save = o.txn.begin_statement();
            let mark = self.world.lock().mark(o.no);
            let id = self.some_id(&spec, false);
            let row = Row { id, k: None, u: None, s: Vec::new(), body: Vec::new() };
            let key = key_of(&t, &row);
            let r = if reader || self.rng.chance(0.4) {
                self.history_read(o, &t, id, &key).await
            } else {
                self.history_write(o, &t, id, &key).await
            };
            match r {
                Err(Stop::Engine(e)) if ends_statement_only(&e) => {
                    if let Some(f) = self.unexplained(&e) {
                        return Err(f.into());
                    }
                    self.world.lock().revert(o.no, mark);
                    o.txn.rollback_to(save).await?;
                }
                other => other?,
            }
            if self.rng.chance(0.05) {
                self.world.lock().revert(o.no, mark);
                o.txn.rollback_to(save).await?;
            }
        }
        Ok(())
    }

    fn values(&self, t: &Handle, r: &Row) -> Done<Vec<u64>> {
        match numbers(&r.body) {
            Some(v) => Ok(v),
            None => {
                failed("history", format!("the list of row {} in {} is garbage", r.id, t.def.name))
                    .map_err(Stop::Failed)
            }
        }
    }

    async fn history_read(&mut self, o: &mut Open, t: &Handle, id: i64, key: &[u8]) -> Done<()> {
        let lock = if self.rng.chance(0.2) { LockMode::Shared } else { o.plain() };
        let Some((row, _)) = self.get(o, t, key, lock, OnLocked::Wait).await? else {
            return Ok(());
        };
        let values = self.values(t, &row)?;
        let e = Event::Read { cell: (t.def.id, id), values, locked: lock != LockMode::None };
        self.world.lock().event(o.no, e);
        Ok(())
    }

    async fn history_write(&mut self, o: &mut Open, t: &Handle, id: i64, key: &[u8]) -> Done<()> {
        let found = self.get(o, t, key, LockMode::Exclusive, OnLocked::Wait).await?;
        let Some((old, bytes)) = found else { return Ok(()) };
        let values = self.values(t, &old)?;
        let (value, cell) = (self.world.lock().fresh_value(), (t.def.id, id));
        let mut new = old.clone();
        if self.content() == Content::List {
            new.body.extend_from_slice(&number(value));
        } else {
            new.body = number(value);
        }
        let new = Arc::new(new);
        self.world.lock().intend(t.def.id, key, Some(new.clone()));
        o.txn.update_boxed(t, key, &bytes, &encode(t, &new)).await?;
        let mut w = self.world.lock();
        w.wrote(o.no, t, key, Some(new))?;
        if self.content() == Content::List {
            w.event(o.no, Event::Read { cell, values, locked: true });
            w.event(o.no, Event::Append { cell, value });
        } else {
            let before = values.last().copied().unwrap_or(0);
            w.event(o.no, Event::Write { cell, before, value });
        }
        Ok(())
    }
}
