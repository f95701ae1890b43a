//! Floor 3: what is in a tablespace: its header, the pages that bitmaps hand out, growth by steps.
//!
//! May use: `mtr`, `files`, `pool`, `page`. Knows no rows and no trees. The layout stands in `files`.
//!
//! Invariants
//! - Every page below `pages` has a bitmap that is formatted, in the log or at home.
//! - A page is in exactly one of: bitmap clear (free), or reachable from its owner; `check` in the catalog compares both.

mod alloc;
#[cfg(all(test, not(any(shuttle, miri))))]
mod model;
mod shrink;

pub use crate::files::{
    DIR, FIRST_TABLE, HEADER_DIRECTORY, SYSTEM, Space, Spaces, UNDO, bits_per_map, id_of, map_page,
    path_of,
};
pub use alloc::{Freed, allocate, free, is_allocated};
pub use shrink::{cut, truncate};

use crate::error::{Error, Result};
use crate::ids::{PageId, SpaceId};
use crate::mtr::{self, Core};
use crate::page::PageType;
use crate::page::redo::Redo;
use crate::planted::{self, Bug};
use crate::pool::LatchMode;
use crate::waits::{Cause, Object, What};

/// Formats header and first bitmap of a space whose file is there.
pub async fn format(core: &Core, space: SpaceId) -> Result<()> {
    mtr::run(core, 288, |w| {
        let mut g = w.gather();
        let header = g.create(PageId::new(space, 0))?;
        let map = g.create(PageId::new(space, 1))?;
        let mut a = g.seal(232)?;
        a.record(
            header,
            &Redo::PageInit { kind: PageType::SpaceHeader as u8, owner: space as u64 },
        );
        let directory = &core.spaces.directory();
        a.record(header, &Redo::Bytes { off: HEADER_DIRECTORY as u32, data: directory });
        a.record(map, &Redo::PageInit { kind: PageType::Bitmap as u8, owner: space as u64 });
        a.record(map, &Redo::Bit { bit: 0, on: true });
        a.record(map, &Redo::Bit { bit: 1, on: true });
        a.commit();
        Ok(())
    })
    .await
}

/// Grows the file of a space by one step, unless somebody else just did.
pub async fn extend(core: &Core, id: SpaceId) -> Result<()> {
    let space = core.spaces.get(id).ok_or_else(|| Error::Corrupt {
        what: "no such tablespace".into(),
        place: format!("space {id}"),
    })?;
    let seen = space.pages();
    let waiting = core.waits.begin(What::new(Cause::File, Object::Space(id)));
    let _growing = space.growing().await;
    space.measure_alone().await?;
    let old = space.pages();
    if old > seen {
        return Ok(());
    }
    let size = core.spaces.page_size() as u64;
    // 16 pages at first, doubling up to 4 MiB steps, so that small tables stay small.
    let step = (old as u64).clamp(16, ((4 << 20) / size).max(16));
    let new = old as u64 + step;
    if new > u32::MAX as u64 {
        return Err(Error::DiskFull { file: space.path().into() });
    }
    space.file().allocate(new * size, false).await?;
    space.file().sync().await?;
    drop(waiting);
    let bits = bits_per_map(core.spaces.page_size());
    // The first page of each new range is its bitmap; with the smallest pages a step may reach into two of them.
    let first = if planted::is(Bug::StepPastMap) { (new as u32 - 1) / bits } else { 0 };
    for at in (old.div_ceil(bits).max(first)..=(new as u32 - 1) / bits)
        .filter(|k| *k > 0)
        .map(|k| k * bits)
    {
        mtr::run(core, 128, |w| {
            let mut g = w.gather();
            let p = g.create(PageId::new(id, at))?;
            let mut a = g.seal(64)?;
            a.record(p, &Redo::PageInit { kind: PageType::Bitmap as u8, owner: id as u64 });
            a.record(p, &Redo::Bit { bit: 0, on: true });
            a.commit();
            Ok(())
        })
        .await?;
    }
    space.set_pages(new as u32);
    Ok(())
}

/// The first look at a space's file since the start: how long it is, and by its header whether it is the right one.
pub async fn meet(core: &Core, space: &Space) -> Result<()> {
    space.measure().await?;
    if space.pages() == 0 {
        return Err(Error::Corrupt { what: "file is empty".into(), place: space.path().into() });
    }
    read_header(core, space.id, |_| ()).await?;
    if let Some(what) = core.spaces.is_stale(space).await? {
        return Err(Error::Corrupt { what, place: space.path().into() });
    }
    space.mark_met();
    Ok(())
}

/// Reads from the header page of a space.
pub async fn read_header<T>(core: &Core, id: SpaceId, f: impl Fn(&[u8]) -> T) -> Result<T> {
    mtr::run(core, 0, |w| {
        let mut g = w.gather();
        let p = g.fix(PageId::new(id, 0), LatchMode::S)?;
        Ok(f(g.bytes(p)))
    })
    .await
}

/// Overwrites bytes of the header page of a space.
pub async fn write_header(core: &Core, id: SpaceId, off: usize, data: &[u8]) -> Result<()> {
    mtr::run(core, data.len() + 64, |w| {
        let mut g = w.gather();
        let p = g.fix(PageId::new(id, 0), LatchMode::X)?;
        let mut a = g.seal(data.len() + 32)?;
        a.record(p, &Redo::Bytes { off: off as u32, data });
        a.commit();
        Ok(())
    })
    .await
}
