//! Finding and freeing pages in the bitmaps.

use crate::error::Error;
use crate::files::{Space, bits_per_map, map_page};
use crate::ids::{PageId, PageNo};
use crate::mtr::{Apply, Attempt, Gather, P, Stop, Wait};
use crate::page::HEADER;
use crate::page::redo::Redo;
use crate::pool::LatchMode;
use crate::sync::atomic::Ordering;

fn bit_of(page_size: usize, page: PageNo) -> u32 {
    page % bits_per_map(page_size)
}

/// A page chosen in the first half of a mini-transaction; `mark` belongs into the second.
#[derive(Clone, Copy, Debug)]
pub struct Allocated {
    pub id: PageId,
    /// The new page, latched, to be formatted.
    pub page: P,
    map: P,
    bit: u32,
}

impl Allocated {
    pub fn mark(&self, a: &mut Apply<'_>) {
        a.record(self.map, &Redo::Bit { bit: self.bit, on: true });
    }
}

fn word(map: &[u8], w: usize) -> u64 {
    let at = HEADER + w * 8;
    u64::from_le_bytes(map[at..at + 8].try_into().expect("eight bytes"))
}

/// Picks a free page: in the extent of `near` behind it, else a wholly free extent of 64 pages, else any.
pub fn allocate(g: &mut Gather<'_, '_>, space: &Space, near: PageNo) -> Attempt<Allocated> {
    let size = g.core().spaces.page_size();
    let bits = bits_per_map(size);
    let pages = space.pages();
    let home = near.min(pages.saturating_sub(1)) / bits;
    let maps = pages.div_ceil(bits);
    for i in 0..maps {
        let k = (home + i) % maps;
        let map = g.fix(PageId::new(space.id, map_page(size, k * bits)), LatchMode::X)?;
        // Read under the latch of the map, under which the space is cut.
        let limit = space.pages().min(pages).saturating_sub(k * bits).min(bits);
        let hint_page = (i == 0).then(|| near % bits);
        if let Some(bit) = find(g, map, space, k * bits, limit, hint_page) {
            let id = PageId::new(space.id, k * bits + bit);
            g.take(id);
            let page = g.create(id)?;
            return Ok(Allocated { id, page, map, bit });
        }
    }
    let id = space.id;
    Err(Stop::Wait(Wait::Job(Box::new(move |core| Box::pin(super::extend(core, id))))))
}

fn find(
    g: &Gather<'_, '_>,
    map: P,
    space: &Space,
    base: u32,
    limit: u32,
    near: Option<u32>,
) -> Option<u32> {
    let bytes = g.bytes(map);
    let words = limit.div_ceil(64) as usize;
    let usable = |w: usize| {
        let mut used = word(bytes, w);
        let end = limit - w as u32 * 64;
        if end < 64 {
            used |= !0 << end;
        }
        for b in 0..64 {
            if used & (1 << b) == 0 && g.is_taken(PageId::new(space.id, base + w as u32 * 64 + b)) {
                used |= 1 << b;
            }
        }
        used
    };
    if let Some(n) = near {
        let w = n as usize / 64;
        if w < words {
            let used = usable(w) | ((1u64 << (n % 64)) - 1);
            if used != u64::MAX {
                return Some(w as u32 * 64 + used.trailing_ones());
            }
        }
    }
    let start = space.hint.load(Ordering::Relaxed) as usize % words.max(1);
    let mut partial = None;
    for i in 0..words {
        let w = (start + i) % words;
        if word(bytes, w) == u64::MAX {
            continue;
        }
        let used = usable(w);
        if used == 0 {
            space.hint.store(w as u32, Ordering::Relaxed);
            return Some(w as u32 * 64);
        }
        if used != u64::MAX && partial.is_none() {
            partial = Some(w as u32 * 64 + used.trailing_ones());
        }
    }
    partial
}

/// First half of freeing a page: latches its bitmap. A page that is free already is an error: two structures had it, or one let go of it
/// twice, and somebody else may have it by the next time.
pub fn free(g: &mut Gather<'_, '_>, space: &Space, page: PageNo) -> Attempt<Freed> {
    let size = g.core().spaces.page_size();
    let map = g.fix(PageId::new(space.id, map_page(size, page)), LatchMode::X)?;
    let bit = bit_of(size, page);
    if !is_set(g.bytes(map), bit) {
        let what = "is to be freed, but the space's map says that it is free already";
        return Err(Error::corrupt_page(PageId::new(space.id, page), space.path(), what).into());
    }
    // Anyone who remembers a page looks at this: a page that goes is latched by the one who frees it. That nothing comes of the freeing does no harm.
    space.freed.fetch_add(1, Ordering::Release);
    Ok(Freed { map, bit })
}

fn is_set(map: &[u8], bit: u32) -> bool {
    map[HEADER + bit as usize / 8] & (1 << (bit % 8)) != 0
}

pub struct Freed {
    map: P,
    bit: u32,
}

impl Freed {
    pub fn clear(&self, a: &mut Apply<'_>) {
        assert!(is_set(a.bytes(self.map), self.bit), "freed twice in a mini-transaction");
        a.record(self.map, &Redo::Bit { bit: self.bit, on: false });
    }
}

/// Whether the bitmap says that the page is in use.
pub fn is_allocated(g: &mut Gather<'_, '_>, space: &Space, page: PageNo) -> Attempt<bool> {
    let size = g.core().spaces.page_size();
    let map = g.fix(PageId::new(space.id, map_page(size, page)), LatchMode::S)?;
    let set = is_set(g.bytes(map), bit_of(size, page));
    g.release(map);
    Ok(set)
}
