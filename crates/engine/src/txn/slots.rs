//! The slots of the undo space: who writes where.
//!
//! The slot directory is a chain of pages that begins with the undo space's page 2. Each lists the first pages of so
//! many slots (u32 each, 0: none yet) and ends with the number of the next page of the directory (u32, 0: none yet); a new one is
//! chained before it is used.

use super::undo::{UndoLog, UndoPosition, damaged, id};
use crate::error::{Error, Result};
use crate::ids::PageNo;
use crate::mtr::{self, Core};
use crate::page::redo::{Redo, UNDO_BODY, UNDO_NEXT};
use crate::page::{self, PageType, get_u32};
use crate::planted::{self, Bug};
use crate::pool::LatchMode;
use crate::space;
use crate::sync::Mutex;
use crate::waits::Cause;
use std::collections::HashSet;

pub const SLOTS_PAGE: PageNo = 2;
/// Slots, which are transactions that write at the same time. Each keeps one page of the undo space.
pub(super) const SLOTS_MAX: usize = 32_000;

struct FreeSlot {
    slot: u16,
    end: UndoPosition,
}

/// Undo slots that no active transaction uses.
pub struct UndoSlots {
    free: Mutex<Vec<FreeSlot>>,
    used: Mutex<u16>,
    /// Slots below `used` without a page.
    vacant: Mutex<Vec<u16>>,
    /// The pages of the directory, in order.
    pages: Mutex<Vec<PageNo>>,
    /// Slots of one page of the directory.
    per_page: usize,
    making: weir_rt::AsyncMutex<()>,
}

/// Offset of the next page's number in a page of the directory.
fn directory_next(page_size: usize) -> u32 {
    (page::HEADER + slots_per_page(page_size) * 4) as u32
}

fn slots_per_page(page_size: usize) -> usize {
    (page_size - page::HEADER) / 4 - 1
}

impl UndoSlots {
    pub fn new(page_size: usize) -> UndoSlots {
        UndoSlots {
            free: Mutex::new(Vec::new()),
            used: Mutex::new(0),
            vacant: Mutex::new(Vec::new()),
            pages: Mutex::new(vec![SLOTS_PAGE]),
            per_page: slots_per_page(page_size),
            making: weir_rt::AsyncMutex::new(()),
        }
    }

    /// Slots that there are; each has a page.
    pub fn count(&self) -> usize {
        let used = usize::from(*self.used.lock());
        used - self.vacant.lock().len().min(used)
    }

    /// Slots that no transaction uses now and whose last page is not before `front`.
    pub fn idle_behind(&self, front: PageNo) -> Vec<u16> {
        let free = self.free.lock();
        free.iter().filter(|f| f.end.page >= front).map(|f| f.slot).collect()
    }

    /// Takes a slot away from the transactions, if none has it; returns where its log ends.
    pub fn take_idle(&self, slot: u16) -> Option<UndoPosition> {
        let mut free = self.free.lock();
        let at = free.iter().position(|f| f.slot == slot)?;
        Some(free.swap_remove(at).end)
    }

    /// The slot's page is free; it has none until somebody needs it.
    pub fn set_vacant(&self, slot: u16) {
        debug_assert!(self.free.lock().iter().all(|f| f.slot != slot), "slot {slot} is in use");
        self.vacant.lock().push(slot);
    }

    /// Recovery: all slots with a page are known.
    pub fn all_known(&self, with_page: &HashSet<u16>) {
        let used = *self.used.lock();
        *self.vacant.lock() = (0..used).rev().filter(|s| !with_page.contains(s)).collect();
    }

    /// The pages of the directory.
    pub fn directory(&self) -> Vec<PageNo> {
        self.pages.lock().clone()
    }

    /// First pages of all slots, read from the directory.
    pub async fn read(&self, core: &Core) -> Result<Vec<(u16, PageNo)>> {
        let (mut slots, mut pages) = (Vec::new(), vec![SLOTS_PAGE]);
        loop {
            let (at, base) = (pages[pages.len() - 1], (pages.len() - 1) * self.per_page);
            let next = mtr::run(core, 0, |w| {
                let mut g = w.gather();
                let p = g.fix(id(at), LatchMode::S)?;
                let b = g.bytes(p);
                if page::page_type(b) != Some(PageType::UndoSlots) {
                    return Ok(None);
                }
                let firsts: Vec<PageNo> =
                    (0..self.per_page).map(|i| get_u32(b, page::HEADER + i * 4)).collect();
                Ok(Some((firsts, get_u32(b, directory_next(b.len()) as usize))))
            })
            .await?;
            let here = next.filter(|_| base < SLOTS_MAX);
            let (firsts, next) = here.ok_or_else(|| damaged(UndoPosition { page: at, off: 0 }))?;
            let used = firsts.into_iter().enumerate().filter(|(_, first)| *first != 0);
            slots.extend(used.map(|(i, first)| ((base + i) as u16, first)));
            if next == 0 {
                // It may have grown since it was read.
                let mut known = self.pages.lock();
                if pages.len() > known.len() {
                    *known = pages;
                }
                return Ok(slots);
            }
            pages.push(next);
        }
    }

    /// The page of the directory that lists a slot, and the slot's offset there.
    fn place(&self, slot: u16) -> Option<(PageNo, u32)> {
        let (page, i) = (usize::from(slot) / self.per_page, usize::from(slot) % self.per_page);
        self.pages.lock().get(page).map(|p| (*p, (page::HEADER + i * 4) as u32))
    }

    /// Chains another page to the directory.
    async fn grow(&self, core: &Core) -> Result<()> {
        let undo = core.spaces.get(space::UNDO).expect("the undo space is always open");
        let last = *self.pages.lock().last().expect("the first page is always there");
        let new = mtr::run(core, 256, |w| {
            let mut g = w.gather();
            let old = g.fix(id(last), LatchMode::X)?;
            let new = space::allocate(&mut g, &undo, last)?;
            let mut a = g.seal(160)?;
            new.mark(&mut a);
            a.record(new.page, &Redo::PageInit { kind: PageType::UndoSlots as u8, owner: 0 });
            let off = directory_next(core.spaces.page_size());
            a.record(old, &Redo::Bytes { off, data: &new.id.page.to_le_bytes() });
            a.commit();
            Ok(new.id.page)
        })
        .await?;
        self.pages.lock().push(new);
        Ok(())
    }

    /// Recovery: slot `slot` exists and its log ends at `end`.
    pub fn known(&self, slot: u16, end: Option<UndoPosition>) {
        let mut used = self.used.lock();
        *used = (*used).max(slot + 1);
        if let Some(end) = end {
            self.free.lock().push(FreeSlot { slot, end });
        }
    }

    /// A slot that was used before and that nobody has now.
    pub fn take_free(&self) -> Option<UndoLog> {
        self.free.lock().pop().map(|f| UndoLog::empty(f.slot, f.end))
    }

    pub async fn take(&self, core: &Core) -> Result<UndoLog> {
        if let Some(log) = self.take_free() {
            return Ok(log);
        }
        let _one = core.waits.during(|| Cause::Turn.into(), self.making.lock()).await;
        let vacant = self.vacant.lock().last().copied();
        let slot = vacant.unwrap_or(*self.used.lock());
        let one_page = planted::is(Bug::OnePageOfUndoSlots) && usize::from(slot) >= self.per_page;
        if usize::from(slot) >= SLOTS_MAX || one_page {
            return Err(Error::TooManyTransactions { max: SLOTS_MAX });
        }
        if self.place(slot).is_none() {
            self.grow(core).await?;
        }
        let page = self.make(core, slot).await?;
        match vacant {
            // Others may have come on top of it meanwhile.
            Some(_) => self.vacant.lock().retain(|s| *s != slot),
            None => *self.used.lock() = slot + 1,
        }
        let end = UndoPosition { page, off: UNDO_BODY as u32 };
        Ok(UndoLog::empty(slot, end))
    }

    async fn make(&self, core: &Core, slot: u16) -> Result<PageNo> {
        let undo = core.spaces.get(space::UNDO).expect("the undo space is always open");
        let (at, off) = self.place(slot).expect("the directory has grown for it");
        mtr::run(core, 256, |w| {
            let mut g = w.gather();
            let dir = g.fix(id(at), LatchMode::X)?;
            let new = space::allocate(&mut g, &undo, at)?;
            let mut a = g.seal(160)?;
            new.mark(&mut a);
            a.record(new.page, &Redo::PageInit { kind: PageType::Undo as u8, owner: slot as u64 });
            a.record(dir, &Redo::Bytes { off, data: &new.id.page.to_le_bytes() });
            a.commit();
            Ok(new.id.page)
        })
        .await
    }

    /// Frees the first page of a slot's chain; the next one becomes the first.
    pub async fn drop_first_page(&self, core: &Core, slot: u16, first: PageNo) -> Result<PageNo> {
        let undo = core.spaces.get(space::UNDO).expect("the undo space is always open");
        let (at, off) = self.place(slot).expect("the directory lists every slot in use");
        mtr::run(core, 256, |w| {
            let mut g = w.gather();
            let dir = g.fix(id(at), LatchMode::X)?;
            let p = g.fix(id(first), LatchMode::S)?;
            let next = get_u32(g.bytes(p), UNDO_NEXT);
            assert!(next != 0, "the last page of a chain stays");
            let freed = space::free(&mut g, &undo, first)?;
            let mut a = g.seal(128)?;
            a.record(dir, &Redo::Bytes { off, data: &next.to_le_bytes() });
            if !planted::is(Bug::UndoPageLeaked) {
                freed.clear(&mut a);
            }
            a.commit();
            Ok(next)
        })
        .await
    }

    /// How many slots have a page, and how many of them no transaction has.
    pub fn counts(&self) -> (usize, usize) {
        (self.count(), self.free.lock().len())
    }

    pub fn give_back(&self, log: UndoLog) {
        self.free.lock().push(FreeSlot { slot: log.slot, end: log.position() });
    }
}

/// Frees the last page of a slot that nobody uses, which has no log that anybody needs: the slot has none then.
pub async fn drop_only_page(core: &Core, slots: &UndoSlots, slot: u16, page: PageNo) -> Result<()> {
    let undo = core.spaces.get(space::UNDO).expect("the undo space is always open");
    let (at, off) = slots.place(slot).expect("the directory lists every slot in use");
    mtr::run(core, 256, |w| {
        let mut g = w.gather();
        let dir = g.fix(id(at), LatchMode::X)?;
        let p = g.fix(id(page), LatchMode::S)?;
        assert_eq!(page::owner(g.bytes(p)), u64::from(slot), "page {page} is another slot's");
        assert_eq!(get_u32(g.bytes(p), UNDO_NEXT), 0, "the log goes on behind page {page}");
        assert_eq!(get_u32(g.bytes(dir), off as usize), page, "not the slot's first page");
        let freed = space::free(&mut g, &undo, page)?;
        let mut a = g.seal(128)?;
        a.record(dir, &Redo::Bytes { off, data: &[0; 4] });
        freed.clear(&mut a);
        a.commit();
        Ok(())
    })
    .await
}

/// Formats the slot directory of a new undo space.
pub async fn format(core: &Core) -> Result<()> {
    let undo = core.spaces.get(space::UNDO).expect("the undo space is always open");
    mtr::run(core, 256, |w| {
        let mut g = w.gather();
        let new = space::allocate(&mut g, &undo, SLOTS_PAGE)?;
        assert_eq!(new.id.page, SLOTS_PAGE, "the first page after header and bitmap");
        let mut a = g.seal(128)?;
        new.mark(&mut a);
        a.record(new.page, &Redo::PageInit { kind: PageType::UndoSlots as u8, owner: 0 });
        a.commit();
        Ok(())
    })
    .await
}
