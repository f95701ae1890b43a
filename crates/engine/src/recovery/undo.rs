//! What the undo slots tell after a start: transactions to roll back, history to purge.

use crate::error::Result;
use crate::ids::Xid;
use crate::page::redo;
use crate::page::{self, PageType};
use crate::planted::{self, Bug};
use crate::txn::System;
use crate::txn::undo::{self, History, UndoLog, UndoPosition, UndoRecord};
use std::collections::{BTreeSet, HashSet};

/// A transaction that the crash cut off.
pub struct Unfinished {
    pub id: u64,
    pub log: UndoLog,
    /// It was prepared: its outcome is not for the engine to decide.
    pub prepared: Option<Xid>,
    /// Ids of the tables it changed: they stay locked against DDL until it is rolled back.
    pub tables: BTreeSet<u64>,
}

/// A log of a slot that is being read.
struct Log {
    trx: u64,
    committed: bool,
    no: u64,
    begin: UndoPosition,
    /// Of its records.
    bytes: u64,
}

/// A log ends here, if there is one. What was committed is purge's.
fn found(db: &System, log: &Option<Log>, slot: u16, end: UndoPosition) {
    if let Some(Log { trx, committed: true, no, begin, bytes }) = *log
        && !planted::is(Bug::HistoryNotRebuilt)
    {
        db.purge.found(History { no, trx, slot, begin, end, bytes, work: true });
    }
}

/// Transactions that the undo slots tell of: what was active is handed to the rollback task, what was committed to purge.
/// Returns the next transaction id and commit number.
pub async fn undo_state(db: &System) -> Result<(u64, u64, Vec<Unfinished>)> {
    let (mut next_id, mut next_no) = (1, 1);
    let mut active = Vec::new();
    let slots = db.undo_slots.read(&db.core).await?;
    let with_page: HashSet<u16> = slots.iter().map(|(slot, _)| *slot).collect();
    for (slot, first) in slots {
        db.purge.set_first(slot, first);
        let mut at = UndoPosition { page: first, off: redo::UNDO_BODY as u32 };
        let mut current: Option<Log> = None;
        let mut tables = BTreeSet::new();
        // Whether the log's header says prepared, and the name that a record gives.
        let mut prepared = (false, None);
        let mut end;
        loop {
            let (p, next) = undo::read_page(&db.core, at.page).await?;
            if page::page_type(&p) != Some(PageType::Undo) {
                return Err(undo::damaged(at));
            }
            let free = undo::free_pointer(&p);
            while at.off < free {
                let (rec, len) = undo::record_at(&p, at.off).map_err(|_| undo::damaged(at))?;
                match rec {
                    UndoRecord::Header { trx, committed, prepared: is_prepared, no } => {
                        found(db, &current, slot, at);
                        next_id = next_id.max(trx + 1);
                        next_no = next_no.max(no + 1);
                        current = Some(Log { trx, committed, no, begin: at, bytes: 0 });
                        tables.clear();
                        prepared = (is_prepared, None);
                    }
                    UndoRecord::Xid { format, gtrid, bqual } => {
                        let (gtrid, bqual) = (gtrid.to_vec(), bqual.to_vec());
                        prepared.1 = Some(Xid { format, gtrid, bqual });
                    }
                    change => tables.extend(change.table()),
                }
                current.iter_mut().for_each(|log| log.bytes += u64::from(len));
                at.off += len;
            }
            end = at;
            if next == 0 {
                break;
            }
            at = UndoPosition { page: next, off: redo::UNDO_BODY as u32 };
        }
        match current {
            Some(Log { trx: id, committed: false, begin, bytes, .. }) => {
                db.undo_slots.known(slot, None);
                if active.is_empty() || !planted::is(Bug::OneUnfinishedRolledBack) {
                    let log = UndoLog::recovered(slot, begin, end, bytes);
                    let prepared = name_of(prepared, begin)?;
                    active.push(Unfinished { id, log, prepared, tables });
                }
            }
            last => {
                found(db, &last, slot, end);
                db.undo_slots.known(slot, Some(end));
            }
        }
    }
    db.undo_slots.all_known(&with_page);
    db.purge.all_found();
    Ok((next_id, next_no, active))
}

/// The name of a log whose header says that it is prepared. It was written before the header said so.
fn name_of((prepared, name): (bool, Option<Xid>), begin: UndoPosition) -> Result<Option<Xid>> {
    match (prepared && !planted::is(Bug::PreparedForgotten), name) {
        (false, _) => Ok(None),
        (true, None) => Err(undo::damaged(begin)),
        (true, name) => Ok(name),
    }
}
