//! A space becomes smaller: in memory first, and when no recovery can speak of the rest any more, its file.
//!
//! Invariants
//! - The end moves down only while the maps of all pages behind it are latched exclusively and say that those are free. Whoever takes a page
//!   has its map latched, and reads the end under that latch.
//! - The last change of a page behind the end is at or before the one that freed it, in one mini-transaction with its map, so its redo ends
//!   below the end of the log at the cut.

use super::{Space, bits_per_map, map_page};
use crate::error::Result;
use crate::ids::{PageId, PageNo};
use crate::mtr::{self, Core};
use crate::page::HEADER;
use crate::pool::LatchMode;

/// A space keeps at least this many pages, and always has a multiple of them.
const STEP: PageNo = 16;
/// Maps that one cut latches at most.
const MAPS_MAX: u32 = 32;

/// Ends a space behind its last page in use; `false` when little would be won. No page behind the end is handed out from then on, but the
/// file stays as it is.
pub async fn cut(core: &Core, space: &Space) -> Result<bool> {
    let _one = space.growing().await;
    let bits = bits_per_map(core.spaces.page_size());
    mtr::run(core, 0, |w| {
        let old = space.pages();
        let (mut end, mut g) = (old, w.gather());
        for k in (0..old.div_ceil(bits)).rev().take(MAPS_MAX as usize) {
            let map = g.fix(
                PageId::new(space.id, map_page(core.spaces.page_size(), k * bits)),
                LatchMode::X,
            )?;
            let limit = (old - k * bits).min(bits);
            let last = last_set(g.bytes(map), limit);
            // A map that has only itself goes with its range.
            end = if k > 0 && last == Some(0) {
                k * bits
            } else {
                k * bits + last.map_or(0, |b| b + 1)
            };
            if end > k * bits {
                break;
            }
        }
        let end = end.next_multiple_of(STEP).max(STEP);
        if end + end / 8 >= old {
            return Ok(false);
        }
        // The latches of all maps behind it are held: nobody is about to take a page there.
        space.set_pages(end);
        Ok(true)
    })
    .await
}

/// The last bit below `limit` that is set.
fn last_set(map: &[u8], limit: u32) -> Option<u32> {
    (0..limit).rev().find(|b| map[HEADER + *b as usize / 8] & (1 << (b % 8)) != 0)
}

/// Makes the file of a space that was cut as long as the space is; returns the bytes that it had, and has. No recovery may meet a record
/// of a page that was cut off, unless it formats the page.
pub async fn truncate(space: &Space) -> Result<(u64, u64)> {
    let _one = space.growing().await;
    let (before, now) = (space.file().len().await?, u64::from(space.pages()) * space.page_bytes());
    if now < before {
        space.file().truncate(now).await?;
        space.file().sync().await?;
    }
    Ok((before, now))
}
