//! Steps over derived and computed tables, made before the first of their rows is looked at.
//!
//! Rows that do not fit into memory are read from their file: once, where nothing stands before the step; divided with the rows before, where
//! something is equated ([`super::parted`]); and for each row before otherwise. Where rows that are equated cannot be divided, they may take as
//! much memory as rows that a join keeps.

use super::Joiner;
use super::kept::{LIMIT, silently};
use super::parted::Spilled;
use crate::func::aggregate::distinct_key;
use crate::memory::Held;
use crate::query::eval::frame::{Frame, Slot};
use crate::query::eval::{Ev, eval};
use crate::query::exec::Runner;
use crate::query::exec::emit::table_memory;
use crate::query::exec::made::{By, Shared, hash_of};
use crate::query::exec::row_hash::RowHash;
use crate::query::exec::row_store::MadeRows;
use crate::query::expr::BExpr;
use crate::query::expr::keyed::Keyed;
use crate::query::plan::outcome::{Row, Run};
use crate::value::key_hash::KeyHash;
use std::collections::HashMap;
use std::sync::Arc;

/// Rows of derived tables that are made for each value of a key.
#[derive(Default)]
pub(super) struct ByKey {
    rows: HashMap<Vec<u8>, MadeRows, KeyHash>,
    held: Held,
}

/// What a step knows of its made rows.
#[derive(Default)]
pub(super) struct Made {
    /// What they and their hash table hold, unless others read them as well.
    pub held: Held,
    /// Of a table that stands for NOT IN: it has a NULL, so that no row before is wanted.
    pub nulls: bool,
}

impl ByKey {
    fn get(&self, key: &[u8]) -> Option<&MadeRows> {
        self.rows.get(key)
    }

    /// Keeps rows for the next row with their key. When there is no more room, those of all keys go: most come in runs.
    fn keep(
        &mut self,
        (key, rows): (Vec<u8>, MadeRows),
        held: Held,
        memory: usize,
        ev: &Ev<'_>,
    ) -> Run<()> {
        if self.held.bytes() + held.bytes() > memory {
            *self = ByKey::default();
        }
        let entry = size_of::<(Vec<u8>, MadeRows)>() + key.len();
        self.held.merge(held);
        ev.cx.hold(&mut self.held, entry)?;
        self.rows.insert(key, rows);
        Ok(())
    }
}

impl Joiner<'_> {
    /// Some: the rows have been divided for the rows before, and have to be joined in parts.
    pub(super) async fn begin_mem(
        &mut self,
        i: usize,
        hash: &[(u16, Keyed, BExpr)],
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<Option<Box<Spilled>>> {
        let t = self.block.steps[i].table;
        // One that reads blocks around this one alone stays what it is as long as this block is run.
        let made_once = self.block.tables[t].lateral == Some(0) && self.mems[t].is_some();
        if self.block.tables[t].lateral.is_some() && !made_once {
            self.make_anew(t, r, outer).await?;
        }
        if self.mems[t].is_none() {
            self.make(i, hash, r, outer).await?;
            if let Some(MadeRows::File(_)) = &self.mems[t]
                && !self.states[t].made.nulls
                && self.may_part(i, !hash.is_empty(), outer.is_some())
                && let Some(spilled) = self.divide_made(i, hash, r).await?
            {
                return Ok(Some(spilled));
            }
        }
        self.seek_mem(t, hash, r, outer);
        Ok(None)
    }

    /// Puts a table in memory before the first of its rows for the rows before it.
    pub(super) fn seek_mem(
        &mut self,
        t: usize,
        hash: &[(u16, Keyed, BExpr)],
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) {
        let state = &mut self.states[t];
        state.by_hash = false;
        (state.at, state.scan) = match &self.mems[t] {
            Some(MadeRows::Memory(rows)) if !rows.is_empty() => (Some(0), None),
            Some(rows @ MadeRows::File(_)) => (None, Some(Box::new(rows.scan()))),
            _ => (None, None),
        };
        if self.states[t].hash.is_some() {
            let mut key = std::mem::take(&mut r.key);
            key.clear();
            let values = hash.iter().map(|(_, kind, e)| (*kind, e));
            let found = self.key_before(values, &mut key, r, outer);
            let state = &mut self.states[t];
            // Another kind of value than the type promised is compared row by row.
            if let (Some(map), Ok(known)) = (&state.hash, found) {
                state.at = known.and_then(|()| map.first(&key));
                state.by_hash = true;
            }
            r.key = key;
        }
    }

    /// Makes the rows of a table in memory, or takes them from anyone who has made them before.
    async fn make(
        &mut self,
        i: usize,
        hash: &[(u16, Keyed, BExpr)],
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<()> {
        let t = self.block.steps[i].table;
        let slot = &self.block.tables[t];
        let again = outer.is_some();
        let shared = Shared::of(slot, again);
        let made = shared.and_then(|by| r.made.get(by)).cloned();
        let rows = match &made {
            Some(made) => made.rows.clone(),
            None => {
                // What is looked for by hash and cannot be divided would be read for each row before.
                let memory = match hash.is_empty() || self.may_part(i, true, again) {
                    true => table_memory(r.reads),
                    false => LIMIT,
                };
                let (rows, held) = r.materialise(&slot.source, memory, outer).await?;
                match shared {
                    Some(by) => r.made.put(by, rows.clone(), held),
                    None => self.states[t].made.held.merge(held),
                }
                rows
            }
        };
        if let (MadeRows::Memory(rows), false) = (&rows, hash.is_empty()) {
            let by: By = hash.iter().map(|(c, kind, _)| (*c, *kind)).collect();
            let known = made.as_ref().and_then(|m| m.hash(&by)).cloned();
            self.states[t].hash = match known {
                Some(hash) => Some(hash),
                None => self.hash_made((t, rows), by, shared, r)?,
            };
        }
        self.states[t].made.nulls = slot.not_in.is_some() && rows.has_null();
        self.mems[t] = Some(rows);
        Ok(())
    }

    /// A step that stands for NOT IN has been put before its rows. Where NULL makes that unknown for the rows before, they are left without a row
    /// of it, neither one that was found nor one of NULLs.
    pub(super) fn refuse_unknown(
        &mut self,
        i: usize,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) {
        let step = &self.block.steps[i];
        let t = step.table;
        let Some(left) = &self.block.tables[t].not_in else { return };
        if self.mems[t].as_ref().is_none_or(MadeRows::is_empty) {
            return;
        }
        let frame = self.frame(r.params, outer);
        // An error, or a warning, is left to the comparison.
        let is_null = |r: &mut Runner<'_, '_>| {
            silently(r, |r| eval(left, &frame, &mut r.ev).is_ok_and(|v| v.is_null()))
        };
        if self.states[t].made.nulls || (left.info.nullable && is_null(r)) {
            step.begins.iter().for_each(|g| self.matched[*g] = true);
            (self.states[t].at, self.states[t].scan) = (None, None);
        }
    }

    fn hash_made(
        &mut self,
        (t, rows): (usize, &[Row]),
        by: By,
        shared: Option<Shared>,
        r: &mut Runner<'_, '_>,
    ) -> Run<Option<Arc<RowHash>>> {
        let mut held = Held::default();
        r.ev.cx.hold(&mut held, rows.len() * RowHash::ROW_BYTES)?;
        let made = match hash_of(rows, &by, &mut r.ev.cx) {
            Some((hash, bytes)) => {
                r.ev.cx.hold(&mut held, bytes)?;
                Some(Arc::new(hash))
            }
            None => None,
        };
        match (shared, &made) {
            (Some(of), Some(hash)) => r.made.put_hash(of, by, hash.clone(), held),
            _ => self.states[t].made.held.merge(held),
        }
        Ok(made)
    }

    /// A LATERAL derived table, for the rows that the tables before it stand on.
    async fn make_anew(
        &mut self,
        t: usize,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<()> {
        // The rows of the last time go first.
        self.slots[t] = Slot::Null;
        self.mems[t] = None;
        self.lateral.retain(|(of, _)| *of != t);
        let slot = &self.block.tables[t];
        let frame = self.frame(r.params, outer);
        let key = match &slot.by_key {
            Some(value) => {
                let mut key = (t as u32).to_le_bytes().to_vec();
                distinct_key(&eval(value, &frame, &mut r.ev)?, &mut key);
                Some(key)
            }
            None => None,
        };
        let known = key.as_ref().and_then(|key| self.by_key.get(key));
        if let Some(rows) = known {
            self.mems[t] = Some(rows.clone());
            return Ok(());
        }
        let memory = table_memory(r.reads);
        let (rows, held) = r.materialise(&slot.source, memory, Some(&frame)).await?;
        match key {
            Some(key) => self.by_key.keep((key, rows.clone()), held, memory, &r.ev)?,
            None => self.lateral.push((t, held)),
        }
        self.mems[t] = Some(rows);
        Ok(())
    }

    /// The next of the rows that are read from their file.
    pub(super) async fn advance_scan(&mut self, t: usize) -> Run<bool> {
        let Some(scan) = &mut self.states[t].scan else { return Ok(false) };
        let row = scan.next().await?;
        let found = row.is_some();
        self.slots[t] = row.map_or(Slot::Null, Slot::Values);
        Ok(found)
    }

    pub(super) fn advance_mem(&mut self, t: usize) -> bool {
        let (Some(MadeRows::Memory(rows)), state) = (&self.mems[t], &mut self.states[t]) else {
            return false;
        };
        let Some(at) = state.at else {
            self.slots[t] = Slot::Null;
            return false;
        };
        state.at = match &state.hash {
            Some(hash) if state.by_hash => hash.after(at),
            _ => (at as usize + 1 < rows.len()).then_some(at + 1),
        };
        match &mut self.slots[t] {
            // The rows are those that it has already: a table that is made again has left its slot.
            Slot::Mem { at: now, .. } => *now = at as usize,
            slot => *slot = Slot::Mem { rows: rows.clone(), at: at as usize },
        }
        true
    }
}
