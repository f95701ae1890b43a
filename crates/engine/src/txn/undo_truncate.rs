//! Undo truncation (`innodb_undo_log_truncate`): the undo space gives room back to the device when purge has done its work.
//!
//! 1. *Vacate.* Each slot keeps a page, wherever the space was free when it needed one. Slots that nobody uses, and of which the history
//!    has nothing, give theirs back; anyone who needs one makes it again, at the front.
//! 2. *Cut.* The space ends behind its last page in use, in memory, at a moment when all maps of the rest are latched.
//! 3. *Wait*, for a checkpoint behind the cut, in both slots of the control file. Nothing is written for it: checkpoints come as they do.
//! 4. *Truncate* the file to what the space has then; it may have grown again.
//!
//! Until 4 a crash finds the file as it was, and what the log says of it. After 4 no recovery meets a record of a page that was cut
//! off, but those of its next life, which begin with its format. A copy of such a page in the doublewrite area is of a time when it was
//! free, and does no harm where it is put back.
//!
//! Pages of transactions that are open, or that a view may still want, are not free, and are where they are: the space ends behind the
//! last of them, and is looked at again later.
//!
//! Invariants
//! - A slot's page goes only when the slot is in nobody's hands and purge has passed all that is in it: no view follows a roll pointer there.
//! - The file is never shorter than the pages that redo from either slot's checkpoint on speaks of without formatting them.

use super::System;
use super::slots;
use super::undo::UndoPosition;
use crate::error::Result;
use crate::ids::{Lsn, PageNo};
use crate::planted::{self, Bug};
use crate::space;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Slots with pages in front of this one keep them.
const FRONT: PageNo = 16;
/// With so many transactions in the history it is not worth a look: each may have pages.
const HISTORY_MAX: usize = 1000;
/// Least nanoseconds between two looks.
const REST: u64 = 1_000_000_000;

/// When the undo space is truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndoLimits {
    /// `innodb_undo_log_truncate`.
    pub truncate: bool,
    /// A larger space is truncated (`innodb_max_undo_log_size`).
    pub max_bytes: u64,
    /// While purge is busy it is looked at after so many of its rounds (`innodb_purge_rseg_truncate_frequency`); when purge
    /// has nothing to do, always.
    pub rounds: u64,
    /// Committed transactions that are listed in memory until purge has had them; of more, it reads in their slots when it comes to them.
    pub listed: usize,
}

impl Default for UndoLimits {
    /// MySQL's, where it has such a limit.
    fn default() -> UndoLimits {
        UndoLimits { truncate: true, max_bytes: 1 << 30, rounds: 128, listed: 1 << 14 }
    }
}

/// Options, and what is under way.
pub struct Truncation {
    pub on: AtomicBool,
    pub max_bytes: AtomicU64,
    pub frequency: AtomicU64,
    /// Times that the file became shorter.
    pub done: AtomicU64,
    /// The space was cut; the end of the log then.
    cut: Mutex<Option<Lsn>>,
    /// Rounds of purge since the last look.
    rounds: AtomicU64,
    next_look: AtomicU64,
}

impl Truncation {
    pub fn new(l: UndoLimits) -> Truncation {
        Truncation {
            on: AtomicBool::new(l.truncate),
            max_bytes: AtomicU64::new(l.max_bytes),
            frequency: AtomicU64::new(l.rounds),
            done: AtomicU64::new(0),
            cut: Mutex::new(None),
            rounds: AtomicU64::new(0),
            next_look: AtomicU64::new(0),
        }
    }

    fn is_time(&self, now: u64, idle: bool) -> bool {
        let rounds = self.rounds.fetch_add(1, Ordering::Relaxed) + 1;
        if !self.on.load(Ordering::Relaxed)
            || now < self.next_look.load(Ordering::Relaxed)
            || !(idle || rounds >= self.frequency.load(Ordering::Relaxed))
        {
            return false;
        }
        self.rounds.store(0, Ordering::Relaxed);
        self.next_look.store(now + REST, Ordering::Relaxed);
        true
    }
}

/// One step, if it is time for one. The purge task calls it after each of its rounds; `idle`: that found nothing to do.
pub async fn truncate_undo(db: &System, idle: bool) -> Result<()> {
    let t = &db.undo_truncation;
    if !t.is_time(db.rt.now(), idle) {
        return Ok(());
    }
    // While it is held, purge adds nothing to what it knows of the slots, and follows none of them; nobody checks the space.
    let _running = db.purge.running.lock().await;
    let cut = *t.cut.lock();
    match cut {
        Some(lsn) => finish(db, lsn).await,
        None => begin(db).await,
    }
}

async fn begin(db: &System) -> Result<()> {
    let undo = db.core.spaces.get(space::UNDO).expect("the undo space is always open");
    let max = db.undo_truncation.max_bytes.load(Ordering::Relaxed);
    let large = u64::from(undo.pages()) * undo.page_bytes() > max;
    // An old view holds the history, and with it most slots.
    if !large || db.purge.history_length() > HISTORY_MAX {
        return Ok(());
    }
    vacate_idle(db).await?;
    if space::cut(&db.core, &undo).await? {
        // Read behind the cut: every change of a page that was cut off ends before it. Not all of the log up to here need be published.
        *db.undo_truncation.cut.lock() = Some(db.core.log.reserved());
    }
    Ok(())
}

async fn finish(db: &System, lsn: Lsn) -> Result<()> {
    let t = &db.undo_truncation;
    let log = &db.core.log;
    // Recovery of a copy that is being made begins where the copy began.
    let recovers_from =
        log.keeps().oldest_begin().map_or(log.checkpoint(), |b| b.min(log.checkpoint()));
    if recovers_from < lsn && !planted::is(Bug::UndoCutUnderLog) {
        return Ok(());
    }
    log.settle_slots().await?;
    let undo = db.core.spaces.get(space::UNDO).expect("the undo space is always open");
    let (before, now) = space::truncate(&undo).await?;
    *t.cut.lock() = None;
    if now < before {
        t.done.fetch_add(1, Ordering::Relaxed);
        (db.log)(&format!("undo space truncated from {} to {} KiB", before >> 10, now >> 10));
    }
    Ok(())
}

/// Gives back the pages of slots that nobody uses and purge is through with. The caller holds `running`.
async fn vacate_idle(db: &System) -> Result<()> {
    for slot in db.undo_slots.idle_behind(FRONT) {
        let Some(end) = db.undo_slots.take_idle(slot) else { continue };
        // Looked at behind the taking: anyone who gives a slot back has told purge of its log before.
        let vacated = match db.purge.has_history_of(slot) {
            true => Ok(false),
            false => vacate(db, slot, end).await.map(|()| true),
        };
        if !matches!(vacated, Ok(true)) {
            db.undo_slots.known(slot, Some(end));
        }
        vacated?;
    }
    Ok(())
}

async fn vacate(db: &System, slot: u16, end: UndoPosition) -> Result<()> {
    let mut first = db.purge.first_of(db, slot, end.page).await?;
    while first != end.page {
        first = db.undo_slots.drop_first_page(&db.core, slot, first).await?;
        db.purge.set_first(slot, first);
    }
    slots::drop_only_page(&db.core, &db.undo_slots, slot, first).await?;
    db.purge.forget_first(slot);
    db.undo_slots.set_vacant(slot);
    Ok(())
}
