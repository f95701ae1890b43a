//! InnoDB's read-ahead, which guesses from page numbers: the rest of an extent of which many pages are in use, and the extent behind one
//! whose pages were used in order.
//!
//! A page read or used gives a hint, which costs its user a push to a queue; the reader task looks and reads. It looks for frames as a
//! session of those builds does, which read pages ahead itself: near the end of the list, and by writing what is dirty there.
//!
//! Invariant: hints are no more than `HINTS_MAX`, so a reader that is behind forgets rather than collects.

use super::frame::FrameNo;
use super::{Guard, LatchMode, Pool};
use crate::ids::PageId;
use crate::page::{self, PageType, slotted};
use crate::policy::ReadAhead;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use smallvec::SmallVec;
use std::collections::VecDeque;
use weir_rt::Notify;

/// Hints that wait for the reader.
const HINTS_MAX: usize = 64;
/// Pages that count for a random read-ahead: 5 and an eighth of the extent.
const fn enough(area: u32) -> u32 {
    5 + area / 8
}

/// Something that may be worth reading ahead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hint {
    /// The page is about to be read.
    Read(PageId),
    /// The first page of an extent, or the last, was used for the first time.
    Border(PageId),
}

/// Where a page of a tree begins and ends, and whose it is.
struct Fences {
    owner: u64,
    lower: Vec<u8>,
    upper: Option<Vec<u8>>,
}

#[derive(Default)]
pub(super) struct Extents {
    /// Whether there are any hints to give; the rules, when the reader looks.
    on: AtomicBool,
    rules: Mutex<ReadAhead>,
    hints: Mutex<VecDeque<Hint>>,
    wanted: Notify,
    /// Extents begun with, of either kind.
    pub random: AtomicU64,
    pub linear: AtomicU64,
    /// Pages of them that were not in memory.
    pages: [AtomicU64; 2],
}

impl Extents {
    fn give(&self, hint: Hint) {
        let mut hints = self.hints.lock();
        if hints.len() < HINTS_MAX && hints.back() != Some(&hint) {
            hints.push_back(hint);
            drop(hints);
            self.wanted.notify_one();
        }
    }
}

impl Pool {
    pub(super) fn read_extents(&self, rules: ReadAhead) {
        *self.extents.rules.lock() = rules;
        self.extents.on.store(rules.is_on(), Ordering::Relaxed);
    }

    /// InnoDB's read-ahead is in force, and Weir's is not.
    pub fn reads_extents(&self) -> bool {
        self.extents.on.load(Ordering::Relaxed)
    }

    /// The page is about to be read by somebody who wants it.
    pub fn hint_read(&self, id: PageId) {
        if self.reads_extents() && self.extents.rules.lock().random {
            self.extents.give(Hint::Read(id));
        }
    }

    /// A page was used for the first time since it is in memory.
    pub(super) fn hint_first_use(&self, id: PageId) {
        let area = self.area();
        let border = id.page.is_multiple_of(area) || (id.page + 1).is_multiple_of(area);
        if border && area > 1 && self.reads_extents() {
            self.extents.give(Hint::Border(id));
        }
    }

    pub fn next_hint(&self) -> Option<Hint> {
        self.extents.hints.lock().pop_front()
    }

    /// Resolves when there may be a hint.
    pub async fn hinted(&self) {
        self.extents.wanted.notified().await;
    }

    /// Wakes the reader, which has to look at something else.
    pub fn wake_reader(&self) {
        self.extents.wanted.notify_one();
    }

    pub fn read_threads(&self) -> usize {
        self.extents.rules.lock().threads.max(1)
    }

    /// Extents read ahead since the start: because many of their pages were in use, and because the one before was used in order.
    pub fn extents_read(&self) -> (u64, u64) {
        let n = |a: &AtomicU64| a.load(Ordering::Relaxed);
        (n(&self.extents.random), n(&self.extents.linear))
    }

    /// Pages asked for ahead with those extents, of either kind.
    pub fn extent_pages(&self) -> [u64; 2] {
        self.extents.pages.each_ref().map(|a| a.load(Ordering::Relaxed))
    }

    /// What a hint makes the reader read: requests of adjacent pages.
    pub fn requests_for(&self, hint: Hint) -> Vec<Vec<PageId>> {
        let rules = *self.extents.rules.lock();
        if !rules.is_on() || self.reads.pages_at_device() > self.size() / 2 {
            return Vec::new();
        }
        let first = match hint {
            Hint::Read(id) => self.random_extent(id, rules),
            Hint::Border(id) => self.linear_extent(id, rules),
        };
        let Some(first) = first else { return Vec::new() };
        let Some(space) = self.spaces.get(first.space).filter(|s| s.is_live()) else {
            return Vec::new();
        };
        let end = first.page.saturating_add(self.area()).min(space.pages());
        let absent: Vec<PageId> = (first.page..end)
            .map(|page| PageId::new(first.space, page))
            .filter(|id| self.table.find(&self.frames, *id).is_none())
            .collect();
        if absent.is_empty() {
            return Vec::new();
        }
        let e = &self.extents;
        let (count, pages) = match hint {
            Hint::Read(_) => (&e.random, &e.pages[0]),
            Hint::Border(_) => (&e.linear, &e.pages[1]),
        };
        count.fetch_add(1, Ordering::Relaxed);
        pages.fetch_add(absent.len() as u64, Ordering::Relaxed);
        absent.chunk_by(|a, b| a.page + 1 == b.page).map(<[PageId]>::to_vec).collect()
    }

    /// The extent of a page, if enough others of it were used lately.
    fn random_extent(&self, id: PageId, rules: ReadAhead) -> Option<PageId> {
        let area = self.area();
        let first = id.page / area * area;
        if !rules.random {
            return None;
        }
        // All pages first and then all their nodes: each is another line of memory, and side by side they cost little more than one.
        let here: SmallVec<[FrameNo; 64]> = (first..first + area)
            .filter_map(|page| self.table.peek(&self.frames, PageId::new(id.space, page)))
            .collect();
        let enough = enough(area) as usize;
        let used = here.len() >= enough && self.replace.lock().used_lately(&here) >= enough;
        used.then_some(PageId::new(id.space, first))
    }

    /// The extent behind that of a page at its border, if enough pages were used there and the tree goes on in the order of pages.
    pub(super) fn linear_extent(&self, id: PageId, rules: ReadAhead) -> Option<PageId> {
        let area = self.area();
        let first = id.page / area * area;
        let descending = id.page == first;
        let next = match descending {
            true => first.checked_sub(area)?,
            false => first.checked_add(area)?,
        };
        let wanted = rules.linear.map(|of_64| of_64 * area / 64)?;
        let mut before = None;
        let mut in_order = 0;
        let order = self.replace.lock();
        for page in first..first + area {
            let no = self.table.peek(&self.frames, PageId::new(id.space, page));
            // A page that was not used, or not after its neighbour, does not count.
            let Some(at) = no.and_then(|no| order.used_at(no)) else { continue };
            // Pages that were read have the position of their neighbours in the list until one of them goes to its head, which none does
            // before pages leave: equal positions say nothing against the order.
            let in_turn = |b| if descending { at <= b } else { at >= b };
            let fits = !rules.in_order || before.is_none_or(in_turn);
            in_order += u32::from(fits);
            before = Some(at);
        }
        drop(order);
        let enough = in_order >= wanted.max(1);
        let goes_on = enough && self.goes_on(PageId::new(id.space, first), descending);
        goes_on.then_some(PageId::new(id.space, next))
    }

    /// Whether a tree's leaves lie in the order of its keys in this extent, so that its next one begins where the tree goes on. InnoDB's pages
    /// name the page before and the page behind; here the two adjacent pages in memory that are nearest to the border must share a fence.
    fn goes_on(&self, first: PageId, descending: bool) -> bool {
        let last = first.page + self.area() - 1;
        let at = |n: u32| if descending { first.page + n } else { last - 1 - n };
        let fences = |page| self.fences(PageId::new(first.space, page));
        let pairs = (0..self.area() - 1).map(at).filter_map(|p| Some((fences(p)?, fences(p + 1)?)));
        let share =
            |(a, b): (Fences, Fences)| a.owner == b.owner && a.upper.as_ref() == Some(&b.lower);
        pairs.take(1).all(share)
    }

    /// What a page of a tree owns, if it is in memory and nobody changes it at this moment.
    fn fences(&self, id: PageId) -> Option<Fences> {
        let no = self.table.peek(&self.frames, id)?;
        let frame = &self.frames[no as usize];
        if !frame.latch.try_lock(LatchMode::S) {
            return None;
        }
        let guard = Guard::new(self, no, LatchMode::S);
        // Only under the latch is it certain which page is there.
        let there = frame.is_resident() && guard.id() == id;
        if !there || page::page_type(guard.bytes()) != Some(PageType::Tree) {
            return None;
        }
        let (lower, upper) = (slotted::lower(guard.bytes()), slotted::upper(guard.bytes()));
        Some(Fences {
            owner: page::owner(guard.bytes()),
            lower: lower.to_vec(),
            upper: upper.map(<[u8]>::to_vec),
        })
    }

    /// Reads adjacent pages ahead, as far as there are frames for them.
    pub async fn read_request(&self, ids: Vec<PageId>) {
        self.read_ahead(&ids).await;
    }
}
