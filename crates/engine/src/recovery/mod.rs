//! Floor 7: start-up after any end. Control file -> doublewrite -> redo -> undo -> dictionary.
//!
//! Redo is read once, from the checkpoint to the log's end, in large reads ahead of the work. Each group is checked once and
//! split once into records; a [`collect::Batch`] of them is divided by page among as many tasks as there are processors, and
//! each task applies its pages one after the other, in LSN order within a page, while the next batch is being collected.
//! A record at or below the page's LSN is already in it (idempotence). A page whose records begin with an init is not read at
//! all. Pages are written out by the ordinary means when the pool is full.
//!
//! What the control file and the log say together decides what a start does (`cases::decide`, one line of the table each):
//!
//! | case | control file | redo log | outcome |
//! |---|---|---|---|
//! | A | ended cleanly | nothing of a later life at the checkpoint | open; nothing is searched |
//! | B | ended cleanly | no files, or new ones that a start had made before it ended | open, with a new log |
//! | C | ended cleanly | a later life begins at the checkpoint | refuse: the control file is older than the log |
//! | D | not clean | the checkpoint lies before or behind the files | refuse: log files missing, or an older control file |
//! | E | not clean | groups up to a torn tail | recover to the first invalid group |
//! | F | either | ends before what the control file says was durable, or has other bytes there | refuse: an older log, or a hole |
//! | G | not clean | a mark behind the end says that more was durable | refuse: a hole |
//! | H | not clean | a later life begins at the end | refuse: the control file is older than the log |
//! | I | either | ends before what the flight recorder has seen durable | refuse: both are older than the directory, or one of them |
//!
//! After A to E one more proof is asked for: no page image, in the doublewrite area or met by redo, has an LSN beyond the
//! log's end (and none that is read later: `pool::load`). A torn tail is what no mark speaks of: it was never acknowledged.
//! Either slot of the control file may be damaged; the other one leads to the same outcome (see `log::control`).
//!
//! Invariants
//! - Batches are applied one after the other, so a page sees its records in the order of the log.
//! - Nothing is written to the log before the control file says, in both slots, that a new life has begun at its end.
//! - Memory is bounded by two batches, whatever the length of the log.
//! - What is applied is durable: a page that had its redo already is synced before the next life begins, and a page that got it is dirty.

mod apply;
mod cases;
mod collect;
mod undo;

pub use undo::undo_state;

use crate::error::{Error, Result};
use crate::force::Force;
use crate::history::flight;
use crate::ids::{Lsn, PageId, SpaceId};
use crate::log::Log;
use crate::log::control::{Control, EPOCHS_MAX};
use crate::log::reader::{self, LogReader};
use crate::mtr::Core;
use crate::planted::{self, Bug};
use crate::pool::beyond_log;
use crate::space::{self, Spaces};
use apply::Appliers;
use cases::{Facts, Outcome};
use collect::Collector;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

#[derive(Clone, Debug, Default)]
pub struct Report {
    pub from: Lsn,
    pub to: Lsn,
    pub groups: u64,
    pub records: u64,
    pub pages: usize,
    pub restored: usize,
    pub nanos: u64,
}

/// Whether the log's files and the control file belong together, before anything is read: `true` when the log has to be made
/// again, for it was empty and its files are gone.
pub async fn check_log(control: &Control, segments: &crate::log::Segments) -> Result<bool> {
    let first = segments.first();
    let later = match control.clean && first.is_some() {
        true => reader::later_life(segments, control, control.checkpoint).await?,
        false => None,
    };
    let covered =
        first.is_some_and(|f| f <= control.checkpoint) && segments.end() > control.checkpoint;
    let sampled = segments.has_sample(control.durable, control.sample).await?
        || control.clean && segments.made_anew_at(control.checkpoint).await?;
    let facts = Facts { clean: control.clean, files: first.is_some(), covered, sampled, later };
    match cases::decide(&facts, control.checkpoint, control.durable) {
        Outcome::Open | Outcome::Recover => Ok(false),
        Outcome::NewLog => Ok(true),
        Outcome::Refuse(what) => Err(Error::corrupt_log(control.checkpoint, what)),
    }
}

/// Enters the spaces: system, undo, and every table file there is, by one listing of their folder. No table's file is opened.
pub async fn open_spaces(spaces: &Spaces) -> Result<()> {
    for id in [space::SYSTEM, space::UNDO] {
        if !spaces.disk().exists(&space::path_of(id)).await? {
            return Err(Error::Corrupt {
                what: "file is missing; put it back, or restore a backup of the whole directory"
                    .into(),
                place: format!("'{}'", space::path_of(id)),
            });
        }
        spaces.enter(id).measure().await?;
    }
    for name in spaces.disk().list(space::DIR).await? {
        if let Some(id) = space::id_of(&name) {
            spaces.enter(id);
        }
    }
    Ok(())
}

/// Applies the log from the checkpoint to its end, and tells both in the report. `newest`: the newest page LSN that is known
/// to have been on its way to the device.
pub async fn redo(
    core: &Arc<Core>,
    control: &Control,
    newest: Option<(Lsn, PageId)>,
    force: Force,
    report: &mut Report,
) -> Result<Vec<GivenUp>> {
    report.from = control.checkpoint;
    report.to = control.checkpoint;
    if control.clean {
        return nothing_beyond(report.to, newest, force).map(|()| Vec::new());
    }
    let rt = core.pool.rt.clone();
    let mut r = LogReader::new(core.log.segments(), control, control.checkpoint).reading_ahead(&rt);
    let mut appliers = Appliers::new(core.clone(), rt.processors());
    let mut batch = Collector::new(&rt);
    let mut deleted = HashSet::new();
    let read: Result<()> = async {
        while let Some(start) = r.next().await? {
            batch.add(start, r.position, r.payload(), &mut deleted)?;
            report.groups += 1;
            if planted::is(Bug::LogTailCutEarly) && !r.has_next().await? {
                report.to = start;
                return Ok(());
            }
            report.to = r.position;
            if let (Some(events), Some(f)) = (batch.take_events(), core.log.follower()) {
                f.recovered(r.position, &events).await?;
            }
            if batch.is_full() {
                report.records += batch.records();
                appliers.apply(batch.take()).await?;
            }
        }
        Ok(())
    }
    .await;
    report.records += batch.records();
    let applied = match read {
        Ok(()) => appliers.apply(batch.take()).await,
        failed => failed,
    };
    assert!(
        report.from <= report.to,
        "redo ends at {} before its start {}",
        report.to,
        report.from
    );
    // Whatever happened: nobody but this task may have the core when it ends.
    let done = appliers.finish().await;
    applied?;
    let done = done?;
    sync_what_was_there(core, &done.ahead).await?;
    // What is read next finds frames: there is no cleaner yet.
    apply::make_room(core, core.pool.low_water()).await?;
    report.pages = done.pages;
    if control.epochs.len() >= EPOCHS_MAX {
        let what = "too many recoveries without a checkpoint in between";
        return Err(Error::corrupt_log(report.to, what));
    }
    if let Some(epoch) = reader::later_life(core.log.segments(), control, report.to).await? {
        return Err(Error::corrupt_log(report.to, cases::older_control(epoch, report.to)));
    }
    nothing_beyond(report.to, done.newest.max(newest), force)?;
    skipped(done, &deleted, force)
}

/// Syncs the files that had something of the log already: where the process ended and the system did not, no sync of ours has reached those
/// pages yet, and since they are not dirty, nothing else would do it before a checkpoint passes their redo.
async fn sync_what_was_there(core: &Core, ahead: &BTreeSet<SpaceId>) -> Result<()> {
    core.pool.sync_files(ahead.iter().filter_map(|id| core.spaces.get(*id)).collect()).await
}

/// A table whose redo had to be skipped.
pub struct GivenUp {
    pub space: SpaceId,
    pub missing: bool,
    pub why: String,
}

/// What could not be applied, by tables. Of the system space and the undo space nothing can be given up.
fn skipped(done: apply::Done, deleted: &HashSet<SpaceId>, force: Force) -> Result<Vec<GivenUp>> {
    let mut out: BTreeMap<SpaceId, GivenUp> = BTreeMap::new();
    for (space, lsn) in done.missing.into_iter().filter(|m| !deleted.contains(&m.0)) {
        let why = format!("its file is missing, and redo from LSN {lsn} on was skipped");
        out.insert(space, GivenUp { space, missing: true, why });
    }
    for (space, what) in done.foreign {
        let why = format!("{what}; redo was skipped");
        out.insert(space, GivenUp { space, missing: false, why });
    }
    for (id, what) in done.damaged {
        let own = id.space < space::FIRST_TABLE;
        if force.leaves_damaged_pages() {
            continue;
        }
        if own {
            return Err(Error::corrupt_page(id, &space::path_of(id.space), what));
        }
        let why = format!("page {}: {what}; redo was skipped", id.page);
        out.entry(id.space).or_insert(GivenUp { space: id.space, missing: false, why });
    }
    if let Some(g) = out.values().find(|g| g.space < space::FIRST_TABLE) {
        return Err(Error::Corrupt {
            what: format!(
                "{}; put the right file back, or restore a backup of the whole directory",
                g.why
            ),
            place: format!("'{}'", space::path_of(g.space)),
        });
    }
    Ok(out.into_values().collect())
}

/// Case I: an older log and an older control file that fit together are recognised by whatever has seen more. A recorder that cannot be read
/// proves nothing.
pub async fn is_not_older(core: &Core, end: Lsn, force: Force) -> Result<()> {
    let spaces = &core.spaces;
    let seen = flight::durable_end(spaces.disk().as_ref(), spaces.directory()).await;
    match seen {
        Ok(Some((durable, at))) if durable > end && !force.leaves_damaged_pages() => {
            let ago = core.pool.rt.wall_micros().saturating_sub(at) / 1_000_000;
            Err(Error::corrupt_log(end, cases::older_than_recorded(durable, ago)))
        }
        _ => Ok(()),
    }
}

fn nothing_beyond(end: Lsn, newest: Option<(Lsn, PageId)>, force: Force) -> Result<()> {
    match newest {
        _ if force.leaves_damaged_pages() => Ok(()),
        Some((lsn, id)) if lsn > end && !planted::is(Bug::PageBeyondLogRead) => {
            Err(Error::corrupt_page(id, &space::path_of(id.space), beyond_log(lsn, end)))
        }
        _ => Ok(()),
    }
}

/// The bytes of the log's last block below its end, which the next write begins with.
pub async fn tail(log: &Log, end: Lsn) -> Result<Vec<u8>> {
    let block = log.segments().block_start(end);
    log.segments().read(block, (end - block) as usize).await
}

/// Numbers for the start-up log.
pub fn describe(r: &Report) -> String {
    format!(
        "recovery: redo from LSN {} to {} ({} groups, {} records) applied to {} pages in {:.2} s; {} torn pages restored",
        r.from,
        r.to,
        r.groups,
        r.records,
        r.pages,
        r.nanos as f64 / 1e9,
        r.restored
    )
}
