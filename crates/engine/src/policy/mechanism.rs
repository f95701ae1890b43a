//! What carries decisions out: in which order pages are replaced, and how writes reach the device.
//!
//! It is shared by all policies, but a measurement of a published build depends on it as much as on what the build decided. So which
//! mechanism a policy runs on is data of its profile, told with its rules for sessions. It changes while the engine runs, as the policy
//! does. Weir's own policy and those of page cleaners have what serves Weir best, the default here.

/// The order in which pages are replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replacement {
    /// Weir's queues: a scan passes through a small one.
    #[default]
    Queues,
    /// InnoDB's list with its old part. Pages at its end are written in batches, and evicted when somebody needs a frame.
    Midpoint,
}

/// InnoDB's read-ahead, which takes extents of 64 pages, fewer in a small pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadAhead {
    /// The rest of an extent when 13 of its pages were used lately.
    pub random: bool,
    /// The next extent when so many pages of 64 were used.
    pub linear: Option<u32>,
    /// They count only in the order in which they were used. The built-in InnoDB never remembered the page before, so that it compared
    /// nothing (`pred_block` in `buf_read_ahead_linear`); the plugin repaired that.
    pub in_order: bool,
    /// Requests at the device at once.
    pub threads: usize,
}

impl ReadAhead {
    /// As the built-in InnoDB did.
    pub fn built_in(random: bool, linear: bool, threads: u64) -> ReadAhead {
        let linear = linear.then_some(USED);
        ReadAhead { random, linear, in_order: false, threads: threads.max(1) as usize }
    }

    pub fn is_on(&self) -> bool {
        self.random || self.linear.is_some()
    }
}

/// Pages of an extent of 64 that the built-in InnoDB wanted to see used.
const USED: u32 = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mechanism {
    pub replacement: Replacement,
    /// Write requests at the device at once: threads that write one after the other, or many by native asynchronous I/O.
    pub in_flight: usize,
    /// Adjacent pages that one request takes; 0: as many of a batch as are at the device at once are given to it together.
    pub merge: usize,
    /// Without doublewrite, batches post their pages to the writer and go on; a checkpoint syncs the files. Otherwise each portion of a
    /// batch is synced before its pages count as clean.
    pub posts: bool,
    /// Requests that a batch without `wait` may leave behind: the array of slots. Who finds it full waits.
    pub slots: usize,
    /// Checkpoints are written by the mechanism when there is something to gain, not by the policy's steps.
    pub own_checkpoints: bool,
    /// What is read ahead in InnoDB's way; with neither, scans read ahead in Weir's.
    pub ahead: ReadAhead,
    /// A page on its way to the device can be read and not changed until it is home; otherwise what goes there is a copy.
    pub latches_written: bool,
    /// A session whose search for a frame has found none sleeps half a second, whatever becomes free meanwhile.
    pub sleeps_for_frames: bool,
}

/// Mechanisms of the builds that are left out, to see what each of them does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut(u16);

impl LeftOut {
    pub const WRITTEN_LATCHED: LeftOut = LeftOut(1);
    pub const MERGES_AT_ONCE: LeftOut = LeftOut(2);
    pub const MERGES_AT_RANDOM: LeftOut = LeftOut(4);
    pub const MERGES_ON_READ: LeftOut = LeftOut(8);
    pub const INSERTS_IN_MEMORY: LeftOut = LeftOut(16);
    pub const ONE_BUFFER: LeftOut = LeftOut(32);
    pub const LARGE_ENTRIES: LeftOut = LeftOut(64);
    pub const FRAME_SLEEP: LeftOut = LeftOut(128);
    pub const ONE_ARRAY: LeftOut = LeftOut(256);

    /// Their names, each with its bit.
    pub const NAMES: [(&'static str, LeftOut); 9] = [
        ("written-latched", LeftOut::WRITTEN_LATCHED),
        ("merges-at-once", LeftOut::MERGES_AT_ONCE),
        ("merges-at-random", LeftOut::MERGES_AT_RANDOM),
        ("merges-on-read", LeftOut::MERGES_ON_READ),
        ("inserts-in-memory", LeftOut::INSERTS_IN_MEMORY),
        ("one-buffer", LeftOut::ONE_BUFFER),
        ("large-entries", LeftOut::LARGE_ENTRIES),
        ("frame-sleep", LeftOut::FRAME_SLEEP),
        ("one-array", LeftOut::ONE_ARRAY),
    ];

    pub fn has(self, which: LeftOut) -> bool {
        self.0 & which.0 != 0
    }

    /// By names with commas between them; `None`: one of them is not one.
    pub fn named(list: &str) -> Option<LeftOut> {
        let bit = |name: &str| LeftOut::NAMES.iter().find(|n| n.0 == name.trim()).map(|n| n.1.0);
        let words = list.split(',').filter(|w| !w.trim().is_empty());
        words.map(bit).try_fold(LeftOut(0), |all, b| Some(LeftOut(all.0 | b?)))
    }
}

impl Default for Mechanism {
    fn default() -> Mechanism {
        Mechanism {
            replacement: Replacement::Queues,
            in_flight: 256,
            merge: 0,
            posts: false,
            slots: 256,
            own_checkpoints: true,
            ahead: ReadAhead::default(),
            latches_written: false,
            sleeps_for_frames: false,
        }
    }
}

/// Slots for each thread in the arrays of simulated asynchronous I/O: eight times 32.
pub const SLOTS: usize = 256;

/// Slots that the smallest pool has.
const SLOTS_MIN: usize = 16;

/// Pages that a thread of simulated asynchronous I/O merges into one request.
pub const MERGE: usize = 64;

impl Mechanism {
    /// InnoDB up to 5.1 and its patches: each thread takes adjacent pages from an array of slots and writes them with one call, and then
    /// the next. The master writes the checkpoints.
    pub fn simulated(threads: u64, slots: usize) -> Mechanism {
        Mechanism {
            replacement: Replacement::Midpoint,
            in_flight: threads.max(1) as usize,
            merge: MERGE,
            posts: true,
            slots,
            own_checkpoints: false,
            ahead: ReadAhead::default(),
            latches_written: true,
            sleeps_for_frames: true,
        }
    }

    /// Simulated, with the usual array for each thread.
    pub fn threads(threads: u64) -> Mechanism {
        Mechanism::simulated(threads, SLOTS * threads.max(1) as usize)
    }

    /// With some of it left out.
    pub fn without(self, what: LeftOut) -> Mechanism {
        let latches_written = self.latches_written && !what.has(LeftOut::WRITTEN_LATCHED);
        let sleeps_for_frames = self.sleeps_for_frames && !what.has(LeftOut::FRAME_SLEEP);
        Mechanism { latches_written, sleeps_for_frames, ..self }
    }

    /// Slots in a pool of so many pages: what is posted has a copy of its page, so all together have a quarter of the pool at most.
    pub fn slots_in(&self, pool: usize) -> usize {
        if self.posts { self.slots.min((pool / 4).max(SLOTS_MIN)).max(1) } else { self.slots }
    }

    /// Native asynchronous I/O: 256 requests a thread.
    pub fn native(threads: u64) -> Mechanism {
        let requests = SLOTS * threads.max(1) as usize;
        Mechanism { in_flight: requests, slots: requests, ..Mechanism::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NAMES, Settings, named};
    use super::*;

    /// Who runs on what, with four threads and a capacity of 1000.
    #[test]
    fn of_the_policies() {
        let s = Settings { write_io_threads: 4, io_capacity: 1000, ..Settings::default() };
        let of = |name: &str| {
            let m = named(name).expect("listed").mechanism(&s);
            (m.replacement == Replacement::Midpoint, m.posts, m.in_flight, m.merge, m.slots)
        };
        for &name in NAMES {
            let want = match name {
                "stock-5.0" => (true, true, 1, 64, 256),
                "google-v4" => (true, true, 4, 64, 1024),
                "mysql-5.4" | "plugin-1.0.4" => (true, true, 4, 64, 1024),
                "mysql-5.5" => (true, true, 1024, 64, 1024),
                x if x.starts_with("xtradb-") => (true, true, 4, 64, 256),
                "mysql-5.6" | "mysql-8.0" | "mariadb-10.6" => (false, false, 1024, 0, 1024),
                _ => {
                    let m = of(name);
                    assert!(!m.0 && !m.1 && m.3 == 0, "{name}");
                    continue;
                }
            };
            assert_eq!(of(name), want, "{name}");
        }
    }

    #[test]
    fn what_is_left_out_is_not_there() {
        let named_only = |left_out: &str| {
            let left_out = LeftOut::named(left_out).expect("names");
            let s = Settings { write_io_threads: 4, left_out, ..Settings::default() };
            let m = named("xtradb-none").expect("listed").mechanism(&s).without(left_out);
            (m.slots, m.sleeps_for_frames, m.latches_written)
        };
        assert_eq!(named_only("large-entries"), (256, true, true));
        assert_eq!(named_only("one-array"), (1024, true, true));
        assert_eq!(named_only("frame-sleep,written-latched"), (256, false, false));
    }

    /// Whatever the options say, posted pages take a quarter of the pool's memory at most.
    #[test]
    fn slots_are_bounded_by_the_pool() {
        for io_capacity in [0, 1, 1000, 20_000, u64::MAX] {
            for write_io_threads in [0, 1, 64] {
                let s = Settings { write_io_threads, io_capacity, ..Settings::default() };
                for &name in NAMES {
                    let m = named(name).expect("listed").mechanism(&s);
                    let most = |pool: usize| if m.posts { (pool / 4).max(16) } else { m.slots };
                    for pool in [24, 1000, 8192, 1 << 20] {
                        assert!((1..=most(pool)).contains(&m.slots_in(pool)), "{name}");
                    }
                }
            }
        }
        let v4 = |io_capacity| {
            let s = Settings { io_capacity, ..Settings::default() };
            named("google-v4").expect("listed").mechanism(&s).slots
        };
        assert_eq!([1, 100, 1000, 10_000, u64::MAX].map(v4), [256, 256, 1024, 16_384, 16_384]);
    }
}
