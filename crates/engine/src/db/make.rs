//! Making a new data directory.
//!
//! Nothing in it counts before the control file has its name: a start that finds none removes what is there and begins again. Therefore
//! files are written without a sync each, and everything is made durable once, in this order: the contents of all files, the names in
//! `redo` and in the directory, the control file's contents, its name.
//!
//! Invariant: when `weir.ctl` is there, after whatever crash, all that it speaks of is durable.

use super::open::{
    SEGMENTS_MIN, build_core, check_page_size, segment_size, segments_of, spaces_of, start,
};
use super::{Db, Options};
use crate::dict::Dict;
use crate::error::{Error, Result};
use crate::ids::{LSN_START, Lsn};
use crate::log::control::{self, Control, ControlFile};
use crate::log::{Log, Reach, Segments};
use crate::page;
use crate::pool::dblwr;
use crate::recovery::Report;
use crate::space;
use crate::txn::slots;
use crate::waits::Waits;
use std::sync::Arc;
use weir_disk::Disk;
use weir_rt::Rt;

/// What the control file is called before everything else is there.
const NEW_CONTROL: &str = "weir.ctl.new";

pub(super) async fn bootstrap(rt: &Rt, disk: Arc<dyn Disk>, o: Options) -> Result<Db> {
    let size = if o.page_size == 0 { page::SIZE_DEFAULT } else { o.page_size };
    check_page_size(size)?;
    if !disk.list(space::DIR).await?.is_empty() {
        return Err(Error::Corrupt {
            what: "there are table files but no control file 'weir.ctl'".into(),
            place: "data directory".into(),
        });
    }
    remove_leftovers(disk.as_ref()).await?;
    (o.log)(&format!("making a new data directory with pages of {size} bytes"));
    let state = first_state(rt, &o, size);
    let (id, segment) = (state.id, state.segment_size);
    let control = ControlFile::draft(disk.as_ref(), NEW_CONTROL, state).await?;
    let segments = Segments::open(disk.clone(), o.log_mode, segment, id).await?;
    let all = make_segments(rt, &segments, &o, LSN_START, How::NewDirectory).await?;
    let waits = Waits::new(rt.clone());
    let log = Log::new(rt.clone(), waits, segments, control, LSN_START, Vec::new(), o.log_buffer);
    o.follower.iter().for_each(|f| log.follow(f.clone()));
    log.may_grow_to(all);
    let spaces = spaces_of(&disk, &o, size, id);
    let core = build_core(rt, spaces, &o, log, How::NewDirectory).await?;
    for s in [space::SYSTEM, space::UNDO] {
        core.spaces.make_file(s, 16).await?;
        space::format(&core, s).await?;
    }
    slots::format(&core).await?;
    let dict = Dict::create(&core).await?;
    core.log.flush_all(Reach::Durable).await?;
    core.pool.flush_new(&core.log).await?;
    core.log.segments().sync_made().await?;
    // Before the control file has its name: a directory that has this name and lacks another would be refused.
    disk.sync_dir("").await?;
    core.log.write_checkpoint(core.log.durable(), false).await?;
    disk.rename(NEW_CONTROL, control::FILE).await?;
    disk.sync_dir("").await?;
    start(rt, core, dict, o, Report::default()).await
}

/// Removes what an interrupted making has left behind.
async fn remove_leftovers(disk: &dyn Disk) -> Result<()> {
    for f in [NEW_CONTROL, "system.weir", "undo.weir", dblwr::FILE] {
        if disk.exists(f).await? {
            disk.remove(f).await?;
        }
    }
    for f in disk.list(crate::log::DIR).await? {
        disk.remove(&format!("{}/{f}", crate::log::DIR)).await?;
    }
    Ok(())
}

fn first_state(rt: &Rt, o: &Options, page_size: usize) -> Control {
    let mut id = [0u8; 16];
    id[..8].copy_from_slice(&rt.random_u64().to_le_bytes());
    id[8..].copy_from_slice(&rt.random_u64().to_le_bytes());
    Control {
        seq: 0,
        id,
        page_size: page_size as u32,
        checkpoint: LSN_START,
        segment_size: segment_size(o.redo_capacity, page_size),
        segments: 0,
        clean: false,
        durable: LSN_START,
        sample: (0, 0),
        history: 0,
        damaged: Vec::new(),
        epochs: vec![(LSN_START, 1)],
    }
}

/// Nanoseconds between two lines of the server's log while a redo log is made.
const PROGRESS_EVERY: u64 = 5_000_000_000;

/// Whose files are made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// Those of a directory that does not count yet: they are synced together at its end.
    NewDirectory,
    /// Further ones of a directory that is in use: each is whole when it has its name.
    Added,
}

/// Makes the segments that the log has from the start on. Returns how many it may have. What takes longer than [`PROGRESS_EVERY`] says how
/// far it is.
pub(super) async fn make_segments(
    rt: &Rt,
    segments: &Segments,
    o: &Options,
    start: Lsn,
    how: How,
) -> Result<u64> {
    let all = segments_of(o.redo_capacity, segments.size());
    let want = if o.redo_on_demand { SEGMENTS_MIN } else { all };
    let mib = |segments: u64, size: u64| (segments * size) >> 20;
    let begun = rt.now();
    let mut last_line = begun;
    while (segments.count() as u64) < want {
        match how {
            How::NewDirectory => segments.make(start).await?,
            How::Added => segments.grow(start).await?,
        }
        let now = rt.now();
        if now - last_line >= PROGRESS_EVERY {
            last_line = now;
            let (there, size) = (segments.count() as u64, segments.size());
            let (made, wanted) = (mib(there, size), mib(want, size));
            (o.log)(&format!("making the redo log: {made} of {wanted} MiB"));
        }
    }
    if last_line > begun {
        let seconds = (rt.now() - begun) / 1_000_000_000;
        let made = mib(segments.count() as u64, segments.size());
        (o.log)(&format!("the redo log is made: {made} MiB in {seconds} s"));
    }
    Ok(all)
}
