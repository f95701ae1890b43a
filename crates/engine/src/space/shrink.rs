//! A space becomes smaller: in memory first, and when no recovery can speak of the rest any more, its file.
//!
//! Invariants
//! - The end moves down only while the maps of all pages behind it are latched exclusively and say that those are free. Anyone who takes a page
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
            end = end_in(k * bits, last_set(g.bytes(map), limit));
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

/// Where a space ends that has no page in use behind the range that begins at `first`, of whose map `last` is the last bit that is set.
/// A map that has only itself goes with its range, except for the first one.
fn end_in(first: PageNo, last: Option<u32>) -> PageNo {
    match last {
        Some(0) if first > 0 => first,
        Some(bit) => first + bit + 1,
        None => first,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranges behind the first one are some 130 MB away, where no simulated space comes.
    #[test]
    fn a_space_ends_behind_its_last_page_in_use() {
        assert_eq!((end_in(0, None), end_in(0, Some(0)), end_in(0, Some(7))), (0, 1, 8));
        let far = bits_per_map(4096);
        assert_eq!((end_in(far, None), end_in(far, Some(0))), (far, far));
        assert_eq!((end_in(far, Some(1)), end_in(far, Some(7))), (far + 2, far + 8));
    }

    #[test]
    fn the_last_page_in_use_is_found_below_the_limit() {
        let mut map = vec![0; 4096];
        assert_eq!(last_set(&map, 100), None);
        map[HEADER] |= 1;
        map[HEADER + 2] |= 1 << 3;
        assert_eq!((last_set(&map, 100), last_set(&map, 20)), (Some(19), Some(19)));
        assert_eq!((last_set(&map, 19), last_set(&map, 0)), (Some(0), None));
    }
}
