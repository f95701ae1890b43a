//! What transactions keep between their statements, for anyone who asks what holds purge back, or a definition statement up.
//!
//! A view is shared by all who opened one while nothing was committed, and a metadata lock counts its sharers: neither can tell whose it is. The
//! list has who kept something when a statement ended. What is opened and closed within a statement never comes here, and costs nothing.

use super::System;
use super::view::View;
use crate::lock::TrxLocks;
use crate::sync::Mutex;
use crate::sync::atomic::Ordering;
use crate::table::MdlMode;
use std::collections::HashMap;
use std::sync::Arc;

/// What one transaction keeps.
#[derive(Clone)]
pub struct Kept {
    pub locks: Arc<TrxLocks>,
    /// A snapshot that outlives the statement.
    pub view: Option<Arc<View>>,
    /// Tables in use, by their ids.
    pub tables: Vec<(u64, MdlMode)>,
    /// Wall clock at the end of the transaction's first statement, microseconds since 1970.
    pub since_micros: u64,
}

#[derive(Default)]
pub struct Between(Mutex<HashMap<u64, Kept>>);

impl Between {
    /// Takes the place of what the transaction kept before.
    pub(super) fn keep(&self, kept: Kept) {
        let mut all = self.0.lock();
        let since = all.get(&kept.locks.serial()).map(|k| k.since_micros);
        let since_micros = since.unwrap_or(kept.since_micros);
        all.insert(kept.locks.serial(), Kept { since_micros, ..kept });
    }

    pub(super) fn forget(&self, serial: u64) {
        self.0.lock().remove(&serial);
    }

    pub fn list(&self) -> Vec<Kept> {
        self.0.lock().values().cloned().collect()
    }

    /// Those who keep a snapshot, the one that holds most back first.
    pub fn snapshots(&self) -> Vec<(Kept, Arc<View>)> {
        let with_view = |k: Kept| k.view.clone().map(|v| (k, v));
        let mut all: Vec<_> = self.list().into_iter().filter_map(with_view).collect();
        all.sort_by_key(|(k, v)| (v.no, k.since_micros));
        all
    }
}

/// The snapshot that holds most back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OldestSnapshot {
    pub session: u64,
    pub seconds: u64,
    /// Since it was opened: purge leaves what they have replaced.
    pub commits: u64,
    /// Bytes of undo of those.
    pub undo: u64,
}

impl System {
    /// Bytes of undo of the transactions that have committed since they were so many.
    pub fn undo_since(&self, then: u64) -> u64 {
        self.trx.undo.load(Ordering::Relaxed).saturating_sub(then)
    }

    /// `None`: nobody keeps a snapshot between statements.
    pub fn oldest_snapshot(&self) -> Option<OldestSnapshot> {
        let (kept, view) = self.between.snapshots().into_iter().next()?;
        let age = self.rt.wall_micros().saturating_sub(kept.since_micros);
        let commits = self.trx.next_no().saturating_sub(view.no);
        let undo = self.undo_since(view.undo);
        Some(OldestSnapshot {
            session: kept.locks.session,
            seconds: age / 1_000_000,
            commits,
            undo,
        })
    }
}
