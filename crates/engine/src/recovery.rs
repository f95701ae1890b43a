//! Floor 6: start-up after any end. Checkpoint -> doublewrite -> redo -> undo -> dictionary.
//!
//! Redo is scanned once. Records are collected by page up to a bound of memory and then applied page by page, in LSN order
//! within a page; a record at or below the page's LSN is already in it (idempotence). A page whose records begin with an
//! init is not read at all. Pages are written out by the ordinary means when the pool is full: the log is durable already.

use crate::db::Inner;
use crate::error::{Error, Result};
use crate::flush::policy::Cause;
use crate::ids::{Lsn, PageId, SpaceId};
use crate::log::Segments;
use crate::log::control::Control;
use crate::log::reader::LogReader;
use crate::mtr::Core;
use crate::page::codec::Reader;
use crate::page::redo::{self, Redo};
use crate::page::{self, PageType};
use crate::planted::{self, Bug};
use crate::pool::{Access, BATCH, LatchMode, LruBatch};
use crate::space::{self, Spaces};
use crate::txn::undo::{self, History, UndoLog, UndoPosition, UndoRecord};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Memory for collected records before they are applied.
const COLLECT_BYTES: usize = 64 << 20;

#[derive(Clone, Debug, Default)]
pub struct Report {
    pub from: Lsn,
    pub to: Lsn,
    pub groups: u64,
    pub records: u64,
    pub pages: usize,
    pub restored: usize,
    pub nanos: u64,
    pub transactions: usize,
}

/// What scanning the log yields before there is a `Log`.
pub struct Scan {
    pub end: Lsn,
    /// Bytes of the last, partly filled block.
    pub tail: Vec<u8>,
    /// (start, end, payload) of every group.
    groups: Vec<(Lsn, Lsn, Vec<u8>)>,
    deleted: HashSet<SpaceId>,
}

/// Reads the log from the checkpoint to its end. Small logs stay in memory; for larger ones only the position of the end
/// is kept and the groups are read again while applying.
pub async fn scan(segments: &Segments, control: &Control) -> Result<Scan> {
    let mut r = LogReader::new(segments, control, control.checkpoint);
    let mut s = Scan {
        end: control.checkpoint,
        tail: Vec::new(),
        groups: Vec::new(),
        deleted: HashSet::new(),
    };
    let mut bytes = 0;
    let mut keep = true;
    while let Some((start, payload)) = r.next().await? {
        let (mut p, mut last) = (Reader::new(&payload), None);
        while !p.is_empty() {
            let (_, rec) = redo::decode(&mut p, &mut last).map_err(|_| {
                Error::corrupt_log(start, "a record cannot be read although its group is whole")
            })?;
            if let Redo::FileDelete { space } = rec {
                s.deleted.insert(space);
            }
        }
        bytes += payload.len() + 64;
        if keep {
            s.groups.push((start, r.position, payload));
            if bytes > 4 * COLLECT_BYTES {
                s.groups.clear();
                keep = false;
            }
        }
    }
    s.end = r.position;
    if planted::is(Bug::LogTailCutEarly) {
        s.end = s.groups.pop().map_or(s.end, |last| last.0);
    }
    let block = segments.block_start(s.end);
    s.tail = segments.read(block, (s.end - block) as usize).await?;
    Ok(s)
}

/// Opens the spaces' files: system, undo, and every table file there is.
pub async fn open_spaces(spaces: &Spaces) -> Result<()> {
    for id in [space::SYSTEM, space::UNDO] {
        if !spaces.open(id).await? {
            return Err(Error::Corrupt {
                what: "file is missing".into(),
                place: format!("'{}'", space::path_of(id)),
            });
        }
    }
    for name in spaces.disk().list(space::DIR).await? {
        if let Some(id) = space::id_of(&name) {
            spaces.open(id).await?;
        }
    }
    Ok(())
}

struct Pending {
    end: Lsn,
    start: Lsn,
    bytes: Vec<u8>,
}

/// Applies the scanned log to the pages.
pub async fn apply(
    core: &Core,
    segments_control: &Control,
    s: Scan,
    report: &mut Report,
) -> Result<()> {
    let mut by_page: BTreeMap<PageId, Vec<Pending>> = BTreeMap::new();
    let mut bytes = 0;
    let mut touched: HashSet<PageId> = HashSet::new();
    let reread = s.groups.is_empty() && s.end > segments_control.checkpoint;
    let mut from_memory = s.groups.into_iter();
    let mut reader = core.log.reader(segments_control);
    loop {
        let group = if reread {
            let next = reader.next().await?;
            next.map(|(start, payload)| (start, reader.position, payload))
        } else {
            from_memory.next()
        };
        let Some((start, end, payload)) = group else { break };
        report.groups += 1;
        let (mut p, mut last) = (Reader::new(&payload), None);
        while !p.is_empty() {
            let at = p.position();
            let (page, rec) = redo::decode(&mut p, &mut last).map_err(|_| {
                Error::corrupt_log(start, "a record cannot be read although its group is whole")
            })?;
            report.records += 1;
            let Some(id) = page else { continue };
            if core.spaces.get(id.space).is_none() {
                if s.deleted.contains(&id.space) {
                    continue;
                }
                return Err(Error::Corrupt {
                    what: format!(
                        "file '{}' is missing, and the log does not say that it was dropped",
                        space::path_of(id.space)
                    ),
                    place: format!("redo log at LSN {start}"),
                });
            }
            let list = by_page.entry(id).or_default();
            if rec.is_init() {
                // A new life: what came before does not matter.
                bytes -= list.iter().map(|x| x.bytes.len() + 48).sum::<usize>();
                list.clear();
            }
            let raw = own_record(&payload[at..p.position()], id);
            bytes += raw.len() + 48;
            list.push(Pending { start, end, bytes: raw });
        }
        if bytes > COLLECT_BYTES {
            apply_batch(core, &mut by_page, &mut touched).await?;
            bytes = 0;
        }
    }
    apply_batch(core, &mut by_page, &mut touched).await?;
    report.pages = touched.len();
    Ok(())
}

/// The record's own bytes with its page spelled out, so that it decodes alone.
fn own_record(raw: &[u8], id: PageId) -> Vec<u8> {
    let mut last = Some(id);
    let mut r = Reader::new(raw);
    match redo::decode(&mut r, &mut last) {
        Ok((Some(_), rec)) => {
            let mut out = Vec::with_capacity(raw.len() + 10);
            rec.encode(Some(id), &mut None, &mut out);
            out
        }
        _ => raw.to_vec(),
    }
}

async fn apply_batch(
    core: &Core,
    by_page: &mut BTreeMap<PageId, Vec<Pending>>,
    touched: &mut HashSet<PageId>,
) -> Result<()> {
    for (id, list) in std::mem::take(by_page) {
        if list.is_empty() {
            continue;
        }
        apply_page(core, id, &list).await?;
        touched.insert(id);
        if core.pool.free_frames() < core.pool.low_water() {
            let want = core.pool.low_water() * 2;
            core.pool.lru_batch(&core.log, &LruBatch::simple(want, 2 * BATCH, Cause::Stop)).await?;
        }
    }
    Ok(())
}

async fn apply_page(core: &Core, id: PageId, list: &[Pending]) -> Result<()> {
    let space = core.spaces.get(id.space).ok_or_else(|| Error::Corrupt {
        what: "no such tablespace".into(),
        place: id.to_string(),
    })?;
    core.spaces.ensure_page(&space, id.page).await?;
    let (pin, valid) = core.pool.load_unchecked(id).await?;
    let first = decode_one(&list[0])?;
    if !valid && !first.is_init() {
        core.pool.unpin(pin);
        return Err(Error::corrupt_page(
            id,
            space.path(),
            "the page is damaged, has no whole copy in the doublewrite area, and the log does not rebuild it",
        ));
    }
    let done = {
        let mut g = match core.pool.fix(id, LatchMode::X, Access::Scan) {
            Ok(g) => g,
            Err(_) => unreachable!("recovery is alone with a pinned page"),
        };
        apply_list(&mut g, id, list, valid, space.path())
    };
    core.pool.unpin(pin);
    done
}

fn apply_list(
    g: &mut crate::pool::Guard<'_>,
    id: PageId,
    list: &[Pending],
    valid: bool,
    path: &str,
) -> Result<()> {
    for (i, p) in list.iter().enumerate() {
        let has = page::lsn(g.bytes()).saturating_sub(planted::is(Bug::RedoAgainAtSameLsn).into());
        if valid && has >= p.end {
            continue;
        }
        let rec = decode_one(p)?;
        if rec.is_init() && valid && planted::is(Bug::OldLifeKept) {
            continue;
        }
        redo::apply(g.bytes_mut(), id, &rec).map_err(|e| {
            Error::corrupt_page(
                id,
                path,
                format!("redo record of LSN {} does not apply: {e}", p.start),
            )
        })?;
        // All records of one group carry the same end: the page LSN moves when the last of them is in.
        let more = list.get(i + 1).is_some_and(|q| q.end == p.end);
        if !more {
            g.stamp(p.start, p.end);
        }
    }
    Ok(())
}

fn decode_one(p: &Pending) -> Result<Redo<'_>> {
    let mut r = Reader::new(&p.bytes);
    redo::decode(&mut r, &mut None)
        .map(|(_, rec)| rec)
        .map_err(|_| Error::corrupt_log(p.start, "a record cannot be read"))
}

/// A transaction that the crash cut off.
pub struct Unfinished {
    pub id: u64,
    pub log: UndoLog,
    /// Ids of the tables it changed: they stay locked against DDL until it is rolled back.
    pub tables: BTreeSet<u64>,
}

/// Transactions that the undo slots tell of: what was active is handed to the rollback task, what was committed to purge.
/// Returns the next transaction id and commit number.
pub async fn undo_state(db: &Inner) -> Result<(u64, u64, Vec<Unfinished>)> {
    let (mut next_id, mut next_no) = (1, 1);
    let mut active = Vec::new();
    for (slot, first) in undo::slots(&db.core).await? {
        db.purge.set_first(slot, first);
        let mut at = UndoPosition { page: first, off: redo::UNDO_BODY as u32 };
        // The log being read: transaction, committed, number, begin.
        let mut current: Option<(u64, bool, u64, UndoPosition)> = None;
        let mut tables = BTreeSet::new();
        let mut end;
        let mut done: Vec<History> = Vec::new();
        loop {
            let (p, next) = undo::read_page(&db.core, at.page).await?;
            if page::page_type(&p) != Some(PageType::Undo) {
                return Err(undo::damaged(at));
            }
            let free = undo::free_pointer(&p);
            while at.off < free {
                let (rec, len) = undo::record_at(&p, at.off).map_err(|_| undo::damaged(at))?;
                match rec {
                    UndoRecord::Header { trx, committed, no } => {
                        if let Some((id, true, no, begin)) = current {
                            done.push(History { no, trx: id, slot, begin, end: at });
                        }
                        next_id = next_id.max(trx + 1);
                        next_no = next_no.max(no + 1);
                        current = Some((trx, committed, no, at));
                        tables.clear();
                    }
                    UndoRecord::Insert { table, .. } | UndoRecord::External { table, .. } => {
                        tables.insert(table);
                    }
                    UndoRecord::Change(c) => {
                        tables.insert(c.table);
                    }
                }
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
                done.push(History { no, trx: id, slot, begin, end });
                db.undo_slots.known(slot, Some(end));
            }
            Some((id, false, _, begin)) => {
                db.undo_slots.known(slot, None);
                if active.is_empty() || !planted::is(Bug::OneUnfinishedRolledBack) {
                    let log = UndoLog::recovered(slot, begin, end);
                    active.push(Unfinished { id, log, tables });
                }
            }
            None => db.undo_slots.known(slot, Some(end)),
        }
        for h in done {
            if planted::is(Bug::HistoryNotRebuilt) {
                continue;
            }
            db.purge.push(h);
        }
    }
    Ok((next_id, next_no, active))
}

/// Numbers for the start-up log.
pub fn describe(r: &Report) -> String {
    format!(
        "recovery: redo from LSN {} to {} ({} groups, {} records) applied to {} pages in {:.2} s; {} torn pages restored; {} transactions to roll back",
        r.from,
        r.to,
        r.groups,
        r.records,
        r.pages,
        r.nanos as f64 / 1e9,
        r.restored,
        r.transactions
    )
}
