//! After a start: the state is that of a prefix of the commits, in the order in which they became visible.
//!
//! The log has them in that order, so anyone who survives, everybody before survives too. What was acknowledged is in it.

use super::claims::short;
use super::{Ddl, Failure, Key, Promise, Tid, World, failed};
use crate::schema::{Row, TableSpec};
use std::collections::BTreeMap;

/// A table as it was found.
pub struct Found {
    pub tid: Tid,
    pub name: String,
    pub rows: BTreeMap<Key, Row>,
}

impl World {
    /// Nobody runs any more; what was under way has no promise.
    pub fn stopped(&mut self) {
        let open: Vec<u64> = self.txs.keys().copied().collect();
        for no in open {
            if let Some(tx) = self.txs.remove(&no) {
                let status = crate::history::Status::Unknown;
                self.history.add(no, tx.isolation, status, tx.events, false);
            }
        }
    }

    /// The engine was closed: everything is safe.
    pub fn closed(&mut self) {
        self.durable = self.seq;
        self.written = self.seq;
    }

    /// Whether the life that ended had come so far that its start was compared with the model.
    pub fn take_compared(&mut self) -> bool {
        std::mem::take(&mut self.compared)
    }

    /// Compares what is there, when nobody works, with the model.
    pub fn unchanged(&mut self, found: &[Found]) -> Result<(), Failure> {
        self.same_tables(found)?;
        match self.difference(found, self.seq) {
            None => Ok(()),
            Some(d) => failed("reads", format!("when all clients had gone, {d}")),
        }
    }

    /// Compares what was found with the model and goes on from there. `kept`: which promises the last end did not break.
    pub fn recovered(&mut self, found: Vec<Found>, kept: Option<Promise>) -> Result<u64, Failure> {
        self.same_tables(&found)?;
        let low = self.oldest_kept(kept);
        let mut nearest = None;
        for seq in (low..=self.seq).rev() {
            match self.difference(&found, seq) {
                None => {
                    // States may be alike: the earliest one says which commits must have survived.
                    let alike = |s: &u64| self.difference(&found, *s).is_none();
                    let sure = (low..seq).find(alike).unwrap_or(seq);
                    self.rebase(seq, sure);
                    return Ok(seq);
                }
                Some(d) => nearest = nearest.or(Some((seq, d))),
            }
        }
        let (seq, d) = nearest.unwrap_or((0, String::new()));
        let older = (0..low).rev().find(|s| self.difference(&found, *s).is_none());
        let older = older.map_or(String::new(), |s| {
            format!("; it is the state after commit {s}, but commit {low} was acknowledged")
        });
        failed(
            "durability",
            format!(
                "after the start the state is none of those after commits {low} to {}: compared with {seq}, {d}{older}",
                self.seq
            ),
        )
    }

    /// Whether what was found is a state that the next start may come to; the model stays as it is. What a definition statement has
    /// left that was under way is for that start to judge.
    pub fn would_be_recovered(
        &self,
        found: &[Found],
        kept: Option<Promise>,
    ) -> Result<(), Failure> {
        if !self.ddl.is_empty() {
            return Ok(());
        }
        let names = |f: &Found| self.tables.get(&f.tid).is_some_and(|m| m.name == f.name);
        if found.len() != self.tables.len() || !found.iter().all(names) {
            let there: Vec<&str> = found.iter().map(|f| f.name.as_str()).collect();
            return failed("catalog", format!("there are the tables {}", there.join(", ")));
        }
        let mut states = self.oldest_kept(kept)..=self.seq;
        if states.any(|seq| self.difference(found, seq).is_none()) {
            return Ok(());
        }
        let d = self.difference(found, self.seq).unwrap_or_default();
        failed("durability", format!("compared with {}, {d}", self.seq))
    }

    /// The first state that the last end may have left.
    fn oldest_kept(&self, kept: Option<Promise>) -> u64 {
        match kept {
            Some(Promise::Durable) => self.durable,
            Some(Promise::Written) => self.written.max(self.durable),
            // Everything: the engine was closed.
            None => self.seq,
        }
    }

    /// Tables that are there and should not be, or the other way round, as far as unfinished DDL does not explain it.
    fn same_tables(&mut self, found: &[Found]) -> Result<(), Failure> {
        let pending: Vec<Ddl> = std::mem::take(&mut self.ddl).into_values().collect();
        let mut known: BTreeMap<Tid, super::TableModel> = std::mem::take(&mut self.tables);
        let mut now = BTreeMap::new();
        for f in found {
            if let Some(mut m) = known.remove(&f.tid) {
                let renamed = pending.iter().any(
                    |d| matches!(d, Ddl::Rename { tid, to } if *tid == f.tid && *to == f.name),
                );
                if m.name != f.name && !renamed {
                    return failed("catalog", format!("table '{}' is called '{}'", m.name, f.name));
                }
                m.name.clone_from(&f.name);
                now.insert(f.tid, m);
                continue;
            }
            let old = |tid: &Tid| known.get(tid).or(now.get(tid)).filter(|m| m.name == f.name);
            let made = pending.iter().find_map(|d| match d {
                Ddl::Create { name, spec } if *name == f.name => {
                    Some(super::TableModel::new(name, spec.clone()))
                }
                Ddl::Truncate { tid } => {
                    old(tid).map(|m| super::TableModel::new(&m.name, m.spec.clone()))
                }
                Ddl::Rebuild { tid } => old(tid).cloned(),
                _ => None,
            });
            let mut made = made;
            if let Some(m) = made.as_mut() {
                m.leaky = false;
            }
            let Some(made) = made else {
                return failed(
                    "catalog",
                    format!("there is a table '{}' that nobody made", f.name),
                );
            };
            now.insert(f.tid, made);
        }
        for (tid, m) in known {
            let gone = pending.iter().any(|d| match d {
                Ddl::Drop { tid: t } => *t == tid,
                // Its successor is there.
                Ddl::Truncate { tid: t } | Ddl::Rebuild { tid: t } => {
                    *t == tid && found.iter().any(|f| f.name == m.name)
                }
                // Seen by somebody before its definition was durable.
                Ddl::Create { name, .. } => *name == m.name,
                _ => false,
            });
            // The same for the successor of a table whose change did not survive.
            let undone = pending.iter().any(|d| {
                matches!(d, Ddl::Truncate { tid: t } | Ddl::Rebuild { tid: t }
                    if now.get(t).is_some_and(|o| o.name == m.name))
            });
            if !gone && !undone {
                return failed("catalog", format!("table '{}' is gone", m.name));
            }
        }
        for d in &pending {
            if let Ddl::Alter { tid } = d
                && let Some(m) = now.get_mut(tid)
            {
                m.leaky = true;
            }
        }
        self.tables = now;
        for n in self.windows.iter() {
            n.store(0, std::sync::atomic::Ordering::Relaxed);
        }
        Ok(())
    }

    /// How what was found differs from the state after `seq` commits.
    fn difference(&self, found: &[Found], seq: u64) -> Option<String> {
        for f in found {
            let want = self.state_at(f.tid, seq);
            if want.len() == f.rows.len()
                && want.iter().zip(&f.rows).all(|((a, x), (b, y))| a == b && x.as_ref() == y)
            {
                continue;
            }
            let missing = want.iter().find(|(k, _)| !f.rows.contains_key(*k));
            let extra = f.rows.iter().find(|(k, _)| !want.contains_key(*k));
            let other = f.rows.iter().find(|(k, r)| want.get(*k).is_some_and(|w| w.as_ref() != *r));
            let mut d = format!("table '{}' has {} rows, not {}", f.name, f.rows.len(), want.len());
            for (what, key) in [
                ("missing", missing.map(|m| m.0)),
                ("not expected", extra.map(|m| m.0)),
                ("different", other.map(|m| m.0)),
            ] {
                if let Some(k) = key {
                    d += &format!(", {what}: {}", short(k));
                }
            }
            return Some(d);
        }
        None
    }

    /// What did not survive never was; older versions are of no use to anybody. `sure`: the last commit that must have
    /// survived.
    fn rebase(&mut self, seq: u64, sure: u64) {
        self.compared = true;
        for t in self.tables.values_mut() {
            for versions in t.rows.values_mut() {
                versions.retain(|v| v.seq <= seq);
                let last = versions.pop();
                versions.clear();
                versions.extend(last);
            }
            t.rows.retain(|_, v| v.first().is_some_and(|v| v.row.is_some()));
            t.tried.clear();
        }
        self.numbers.retain(|n| n.0 <= sure);
        self.drawn.clear();
        self.chosen.clear();
        self.seq = seq;
        self.durable = seq;
        self.written = seq;
    }

    pub fn made(&mut self, i: usize) {
        if self.made.len() <= i {
            self.made.resize(i + 1, false);
        }
        self.made[i] = true;
    }

    /// The clients begin: the history goes on from the rows that are there.
    pub fn begin_history(&mut self, content: crate::schema::Content) {
        let rows = self.lists();
        self.history.begin(rows, content);
    }

    fn lists(&self) -> Vec<(Tid, i64, Vec<u8>)> {
        let mut out = Vec::new();
        for (tid, t) in &self.tables {
            if t.spec.content == crate::schema::Content::Random {
                continue;
            }
            for r in self.state_at(*tid, u64::MAX).values() {
                out.push((*tid, r.id, r.body.clone()));
            }
        }
        out
    }

    /// Specifications of tables that no start has found made.
    pub fn to_make(&self, all: &[TableSpec]) -> Vec<(usize, TableSpec)> {
        all.iter()
            .enumerate()
            .filter(|(i, _)| !self.made.get(*i).copied().unwrap_or(false))
            .map(|(i, s)| (i, s.clone()))
            .collect()
    }
}
