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

/// Transactions that the undo slots tell of: what was active is handed to the rollback task, what was committed to purge.
/// Returns the next transaction id and commit number.
pub async fn undo_state(db: &System) -> Result<(u64, u64, Vec<Unfinished>)> {
    let (mut next_id, mut next_no) = (1, 1);
    let mut active = Vec::new();
    let found = |h: History| {
        if !planted::is(Bug::HistoryNotRebuilt) {
            db.purge.found(h);
        }
    };
    let slots = db.undo_slots.read(&db.core).await?;
    let with_page: HashSet<u16> = slots.iter().map(|(slot, _)| *slot).collect();
    for (slot, first) in slots {
        db.purge.set_first(slot, first);
        let mut at = UndoPosition { page: first, off: redo::UNDO_BODY as u32 };
        // The log being read: transaction, committed, number, begin; and the bytes of its records.
        let mut current: Option<(u64, bool, u64, UndoPosition)> = None;
        let mut bytes = 0;
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
                        if let Some((id, true, no, begin)) = current {
                            let end = at;
                            found(History { no, trx: id, slot, begin, end, bytes, work: true });
                        }
                        next_id = next_id.max(trx + 1);
                        next_no = next_no.max(no + 1);
                        current = Some((trx, committed, no, at));
                        bytes = 0;
                        tables.clear();
                        prepared = (is_prepared, None);
                    }
                    UndoRecord::Xid { format, gtrid, bqual } => {
                        let (gtrid, bqual) = (gtrid.to_vec(), bqual.to_vec());
                        prepared.1 = Some(Xid { format, gtrid, bqual });
                    }
                    change => tables.extend(change.table()),
                }
                bytes += u64::from(len);
                at.off += len;
            }
            end = at;
            if next == 0 {
                break;
            }
            at = UndoPosition { page: next, off: redo::UNDO_BODY as u32 };
        }
        match current {
            Some((id, true, no, begin)) => {
                found(History { no, trx: id, slot, begin, end, bytes, work: true });
                db.undo_slots.known(slot, Some(end));
            }
            Some((id, false, _, begin)) => {
                db.undo_slots.known(slot, None);
                if active.is_empty() || !planted::is(Bug::OneUnfinishedRolledBack) {
                    let log = UndoLog::recovered(slot, begin, end, bytes);
                    let prepared = name_of(prepared, begin)?;
                    active.push(Unfinished { id, log, prepared, tables });
                }
            }
            None => db.undo_slots.known(slot, Some(end)),
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
