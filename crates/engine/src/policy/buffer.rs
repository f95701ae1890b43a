//! Who moves entries out of the change buffer, and how much may wait there.
//!
//! In InnoDB the master thread merges a number of pages now and then ([`Action::Merge`](super::Action::Merge)), a page that is read for any
//! reason is merged, and an insert that makes the buffer grow *contracts* it once it is large: it has up to eight pages merged, and
//! waits for that when the buffer is at its limit. Ten pages beyond the limit nothing is buffered any more. (facts: InnoDB's
//! `ibuf_contract_after_insert`, 5.0 to 5.6.) How entries come together with their pages is in [`Merging`].

use super::mechanism::SLOTS;
use super::{LeftOut, Settings};

/// Pages that a contraction merges at most: an aligned area of eight pages in InnoDB.
pub const CONTRACTION: u64 = 8;
/// Percentage points that buffer trees stay away from the limit of dirty pages under `weir`: flushing needs room to move, and a buffer
/// tree's pages are changed again as soon as they are written.
const DIRTY_MARGIN: f64 = 10.0;
/// Percent of the pool that buffer trees may have under `weir` however small the main trees are.
const ALWAYS_PERCENT: f64 = 25.0;
/// Leaves of a main tree for each leaf of its buffer tree, from which on the buffer is as large as the option lets it be.
const MAIN_TO_BUFFER: u64 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferRules {
    /// Pages that all buffer trees together may have.
    pub pages: u64,
    /// Those of them that they may have however small the main trees are. Beyond that a buffer tree grows with its main tree, so that as
    /// many entries as ever wait for each leaf: what a move costs for each entry stays the same while the table grows.
    pub always: u64,
    pub keeper: Keeper,
    pub merging: Merging,
    /// All trees have one size and one limit, as InnoDB's one tree had; otherwise each has an equal part of it.
    pub one: bool,
    /// Entries are as large as InnoDB's.
    pub large_entries: bool,
}

/// How entries come to their leaves of the main tree. The default is the sweep's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merging {
    /// Moves under way at once in the background, and of a session that waits for a contraction: the threads that read.
    pub at_once: usize,
    /// Moves that may be owed before anyone who makes the buffer grow waits: the slots of all reads. 0: any number, as one order.
    pub slots: u64,
    /// A move takes the entries of a leaf drawn at random, and not of the one that comes next in the sweep's order, for which twice as
    /// many wait.
    pub at_random: bool,
    /// A leaf that somebody reads gets the entries that wait for it.
    pub on_read: bool,
    /// An entry whose leaf is in memory goes there.
    pub past_resident: bool,
}

impl Default for Merging {
    fn default() -> Merging {
        Merging { at_once: 1, slots: 0, at_random: false, on_read: false, past_resident: false }
    }
}

impl Merging {
    /// InnoDB's, with so many threads that read.
    fn innodb(threads: u64) -> Merging {
        let at_once = threads.max(1) as usize;
        let slots = (SLOTS * at_once) as u64;
        Merging { at_once, slots, at_random: true, on_read: true, past_resident: true }
    }

    /// With some of it left out.
    pub fn without(self, what: LeftOut) -> Merging {
        let one = what.has(LeftOut::MERGES_AT_ONCE);
        Merging {
            at_once: if one { 1 } else { self.at_once },
            slots: if one { 0 } else { self.slots },
            at_random: self.at_random && !what.has(LeftOut::MERGES_AT_RANDOM),
            on_read: self.on_read && !what.has(LeftOut::MERGES_ON_READ),
            past_resident: self.past_resident && !what.has(LeftOut::INSERTS_IN_MEMORY),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeper {
    /// The sweep keeps the buffer trees below most of their limit. Beyond the limit an insert makes a move first.
    Sweep,
    /// The policy's steps merge, and inserts that make the buffer grow while it has at least `from` pages.
    Contraction { from: u64 },
}

impl Default for BufferRules {
    fn default() -> BufferRules {
        BufferRules {
            pages: 0,
            always: 0,
            keeper: Keeper::Sweep,
            merging: Merging::default(),
            one: false,
            large_entries: false,
        }
    }
}

impl BufferRules {
    /// `weir`: as much as the option says, but less than may be dirty.
    pub fn weir(s: &Settings, pool: u64) -> BufferRules {
        let most = (s.change_buffer_pct as f64).min((s.max_dirty_pct - DIRTY_MARGIN).max(1.0));
        let pages = |percent: f64| (pool as f64 * percent / 100.0) as u64;
        BufferRules {
            pages: pages(most),
            always: pages(most.min(ALWAYS_PERCENT)),
            ..BufferRules::default()
        }
    }

    /// With some of it left out.
    pub fn without(self, what: LeftOut) -> BufferRules {
        BufferRules {
            merging: self.merging.without(what),
            one: self.one && !what.has(LeftOut::ONE_BUFFER),
            large_entries: self.large_entries && !what.has(LeftOut::LARGE_ENTRIES),
            ..self
        }
    }

    fn contraction(pages: u64, from: u64, merging: Merging) -> BufferRules {
        let keeper = Keeper::Contraction { from };
        BufferRules { pages, always: pages, keeper, merging, one: true, large_entries: true }
    }

    /// Leaves that the buffer tree of one of `indexes` may have whose main tree has `main` leaves.
    pub fn limit_of(&self, main: u64, indexes: u64) -> u64 {
        let share = |pages: u64| (pages / indexes.max(1)).max(1);
        (main / MAIN_TO_BUFFER).clamp(share(self.always), share(self.pages))
    }

    /// 5.0 and 5.1, where one thread reads: half of the pool, and contraction from there on.
    pub fn built_in(_: &Settings, pool: u64) -> BufferRules {
        BufferRules::contraction(pool / 2, pool / 2, Merging::innodb(1))
    }

    /// The same with as many threads as an option says: 5.4 to 5.5.
    pub fn innodb(s: &Settings, pool: u64) -> BufferRules {
        BufferRules::contraction(pool / 2, pool / 2, Merging::innodb(s.read_io_threads))
    }

    /// 5.6 and later.
    pub fn by_option(s: &Settings, pool: u64) -> BufferRules {
        let pages = pool * s.change_buffer_pct / 100;
        BufferRules::contraction(pages, pages, Merging::innodb(s.read_io_threads))
    }

    /// Google v4: contraction begins at the soft limit.
    pub fn google(s: &Settings, pool: u64) -> BufferRules {
        let from = google_soft(s, pool).min(pool / 2);
        BufferRules::contraction(pool / 2, from, Merging::innodb(s.read_io_threads))
    }

    pub fn xtradb(s: &Settings, pool: u64) -> BufferRules {
        // The size is an option of a time when all pages were of 16 KiB.
        let most = if s.ibuf_max_size == 0 { u64::MAX } else { s.ibuf_max_size / 16384 };
        let pages = most.min(pool / 2);
        let from = if s.ibuf_active_contract { 0 } else { pages };
        BufferRules::contraction(pages, from, Merging::innodb(s.read_io_threads))
    }
}

/// Bytes that the entry of an index with so many columns, those of the clustered key among them, has in InnoDB's insert buffer beside its
/// values: a record's head, an offset of a byte for each field, space, marker and page number, six bytes of each column's type and one that
/// says that the table is compact. (5.0: `ibuf_entry_build`, `rec_convert_dtuple_to_rec_old`)
pub fn innodb_overhead(columns: usize) -> usize {
    const HEAD: usize = 6;
    const PLACE: usize = 4 + 1 + 4;
    const FIELDS_OF_ITS_OWN: usize = 4;
    HEAD + FIELDS_OF_ITS_OWN + columns + PLACE + 6 * columns + 1
}

/// Pages from which Google's master merges faster.
pub fn google_soft(s: &Settings, pool: u64) -> u64 {
    pool * s.ibuf_max_pct / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let mut s = Settings::default();
        let w = BufferRules::weir(&s, 16_384);
        assert_eq!((w.pages, w.always), (8192, 4096));
        // A quarter of the pool up to a main tree of eight times that, then an eighth of it, up to what the option says.
        let limits = [0, 32_768, 40_000, 65_536, 1 << 30].map(|main| w.limit_of(main, 1));
        assert_eq!(limits, [4096, 4096, 5000, 8192, 8192]);
        assert_eq!([0, 20_000].map(|main| w.limit_of(main, 4)), [1024, 2048]);
        s.change_buffer_pct = 20;
        let w = BufferRules::weir(&s, 16_384);
        assert_eq!((w.pages, w.limit_of(1 << 30, 1)), (3276, 3276));
        s.change_buffer_pct = 0;
        assert_eq!(BufferRules::weir(&s, 16_384).limit_of(1 << 30, 3), 1);
        s.change_buffer_pct = 50;
        s.max_dirty_pct = 20.0;
        assert_eq!(BufferRules::weir(&s, 16_384).pages, 1638, "ten points below the dirty limit");
        s.max_dirty_pct = 5.0;
        assert_eq!(BufferRules::weir(&s, 16_384).pages, 163);
        let of = |r: BufferRules| (r.pages, r.always, r.keeper);
        let contraction = |pages, from| (pages, pages, Keeper::Contraction { from });
        assert_eq!(of(BufferRules::innodb(&s, 16_384)), contraction(8192, 8192));
        s.change_buffer_pct = 25;
        assert_eq!(of(BufferRules::by_option(&s, 16_384)), contraction(4096, 4096));
        s.ibuf_max_pct = 10;
        assert_eq!(of(BufferRules::google(&s, 16_384)), contraction(8192, 1638));
        assert_eq!(of(BufferRules::xtradb(&s, 131_072)), contraction(65_536, 65_536));
        // As published: 200M, active contraction.
        s.ibuf_max_size = 200 << 20;
        s.ibuf_active_contract = true;
        assert_eq!(of(BufferRules::xtradb(&s, 131_072)), contraction(12_800, 0));
    }

    #[test]
    fn entries_of_the_insert_benchmark_are_twice_to_three_times_as_large() {
        // Three columns, 12 bytes of values: 53 bytes, where a cell of the buffer tree has some 20.
        assert_eq!(innodb_overhead(3), 41);
        let s = Settings::default();
        assert!(!BufferRules::weir(&s, 1000).one && !BufferRules::weir(&s, 1000).large_entries);
        let stock = BufferRules::built_in(&s, 1000);
        let bare = stock.without(LeftOut::named("one-buffer,large-entries").expect("names"));
        assert!(stock.one && stock.large_entries && !bare.one && !bare.large_entries);
    }

    /// One thread reads in the first builds, whatever the option says; later pages are read by as many as it says.
    #[test]
    fn merging() {
        let s = Settings { read_io_threads: 4, ..Settings::default() };
        assert_eq!(BufferRules::weir(&s, 16_384).merging, Merging::default());
        let all = |at_once, slots| Merging {
            at_once,
            slots,
            at_random: true,
            on_read: true,
            past_resident: true,
        };
        assert_eq!(BufferRules::built_in(&s, 16_384).merging, all(1, 256));
        assert_eq!(BufferRules::google(&s, 16_384).merging, all(4, 1024));
        let two = LeftOut::named("merges-at-once,merges-at-random").expect("names");
        let m = BufferRules::google(&s, 16_384).merging;
        assert_eq!(m.without(two), Merging { at_random: false, ..all(1, 0) });
    }
}
