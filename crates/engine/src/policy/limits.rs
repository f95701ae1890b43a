//! The fractions of the redo log at which InnoDB acts, to the byte.
//!
//! They are computed from the files of the options, as the published builds did, and not from Weir's own capacity. Weir's
//! hard stop is at 31/32 of the files; all limits below lie under it. Should the log be smaller than the options say (it
//! keeps its size until it is made again), `within` pulls each limit that lies beyond 15/16 of the observed capacity down to
//! there: a limit that is never reached would leave sessions waiting at the hard stop for a flush that nobody orders.

use super::Settings;

const PAGE: u64 = 16384;
/// Header of a redo file: four blocks of 512 bytes.
const HEADER: u64 = 2048;
const BLOCK: u64 = 512;

/// Limits of the built-in InnoDB, the plugin, XtraDB, 5.4 and 5.5. Each is passed when an age is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// What the log holds at all: the divisor of adaptive flushing.
    pub capacity: u64,
    pub modified_async: u64,
    pub modified_sync: u64,
    pub checkpoint_async: u64,
    /// `M` of the formulas.
    pub checkpoint_max: u64,
}

impl Limits {
    fn of(capacity: u64, margin: u64) -> Limits {
        Limits {
            capacity,
            modified_async: margin - margin / 8,
            modified_sync: margin - margin / 16,
            checkpoint_async: margin - margin / 32,
            checkpoint_max: margin,
        }
    }

    /// XtraDB's `innodb_checkpoint_age_target`: a soft ceiling in bytes, 0: none.
    pub fn with_target(self, target: u64) -> Limits {
        if target == 0 {
            return self;
        }
        Limits {
            modified_async: self.modified_async.min(target - target / 8),
            checkpoint_async: self.checkpoint_async.min(target),
            ..self
        }
    }

    /// Not beyond 15/16 of what the log really holds; 0: not known.
    pub fn within(self, log_capacity: u64) -> Limits {
        let c = |limit| clamp(limit, log_capacity);
        Limits {
            capacity: c(self.capacity),
            modified_async: c(self.modified_async),
            modified_sync: c(self.modified_sync),
            checkpoint_async: c(self.checkpoint_async),
            checkpoint_max: c(self.checkpoint_max),
        }
    }
}

fn clamp(limit: u64, log_capacity: u64) -> u64 {
    if log_capacity == 0 { limit } else { limit.min(log_capacity - log_capacity / 16) }
}

/// The limits of sessions: as `innodb`, within the log that is there.
pub fn of(s: &Settings) -> Limits {
    innodb(s).within(s.log_capacity)
}

/// InnoDB from 5.0 to 5.5: ten percent off, a reserve for each thread, ten percent off.
///
/// InnoDB refuses to start when the reserve takes half of the log or more. Weir's log may be 1 MiB; there the reserve is
/// left out, and the same fractions are taken of what is there: the hard stop behind them is what protects the log.
pub fn innodb(s: &Settings) -> Limits {
    let capacity = s.log_file_size.saturating_sub(HEADER) * s.log_files;
    let smallest = capacity - capacity / 10;
    let reserve = 4 * PAGE * (10 + s.thread_concurrency) + 8 * PAGE;
    let margin = if reserve < smallest / 2 { smallest - reserve } else { smallest };
    Limits::of(smallest, margin - margin / 10)
}

/// MariaDB 10.5 and later: one file, no reserve for threads. It has no limit of its own at 15/16 and 31/32.
pub fn mariadb(s: &Settings) -> Limits {
    let files = s.log_file_size.saturating_sub(HEADER) * s.log_files;
    let capacity = files - files / 10;
    let reserve = 48 * PAGE;
    let margin = if reserve < capacity / 2 { capacity - reserve } else { capacity };
    Limits::of(capacity, margin - margin / 10)
}

/// Limits of MySQL 8.0.30 and later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits80 {
    pub soft: u64,
    /// What sessions may write between two looks at the log.
    pub margin: u64,
    /// Checkpoint age from which sessions wait.
    pub free_check: u64,
    /// Age that counts as 100 in adaptive flushing.
    pub page_age: u64,
    /// Age plus margin from which the cleaner flushes without a cap.
    pub sync_flush: u64,
}

impl Limits80 {
    /// Not beyond 15/16 of what the log really holds; 0: not known.
    pub fn within(self, log_capacity: u64) -> Limits80 {
        let c = |limit| clamp(limit, log_capacity);
        Limits80 {
            free_check: c(self.free_check),
            page_age: c(self.page_age),
            sync_flush: c(self.sync_flush),
            ..self
        }
    }
}

/// MySQL 8.0.30: 32 files of which two are spare, headers, a safety margin and a tenth of a file taken off; 95 % of it for
/// sessions; of that a margin for threads and five percent. Left out: the reserve for dictionary metadata, which Weir does
/// not write at checkpoints.
pub fn mysql_8_0(s: &Settings) -> Limits80 {
    let physical = s.log_file_size * s.log_files;
    let ahead = (physical / 32 / PAGE * PAGE).div_ceil(10).next_multiple_of(BLOCK);
    let overhead = 31 * HEADER + 2 * 65536 + ahead;
    let hard = down((physical / 32 * 30).saturating_sub(overhead));
    let soft = down(hard * 95 / 100);
    let wanted = 4 * PAGE * (10 + s.thread_concurrency) + 4096 + down(soft / 20);
    // At most half of the log for threads and five percent.
    let margin = wanted.min(soft * 55 / 100);
    Limits80 {
        soft,
        margin,
        free_check: down(soft - margin),
        page_age: down(down(soft - soft / 8) - margin),
        sync_flush: down(soft - soft / 16),
    }
}

fn down(bytes: u64) -> u64 {
    bytes / BLOCK * BLOCK
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn files(log_files: u64, mib: u64, thread_concurrency: u64) -> Settings {
        let log_file_size = mib * MIB;
        Settings { log_files, log_file_size, thread_concurrency, ..Settings::default() }
    }

    #[test]
    fn published_limits_to_the_byte() {
        // Files, size in MiB, threads; capacity, 7/8, 15/16, 31/32, all. The first row was printed by a server.
        let table: &[(u64, u64, u64, [u64; 5])] = &[
            (2, 1900, 0, [3586126234, 2823455095, 3025130459, 3125968141, 3226805822]),
            (2, 256, 0, [483180135, 379885042, 407019688, 420587011, 434154333]),
            (3, 128, 0, [362382336, 284756775, 305096545, 315266430, 325436314]),
            (2, 128, 0, [241588224, 189631412, 203176513, 209949063, 216721613]),
            (2, 48, 0, [90593280, 70722894, 75774529, 78300347, 80826164]),
            (2, 5, 0, [9433498, 6809565, 7295963, 7539162, 7782360]),
            (2, 5, 8, [9433498, 6396689, 6853595, 7082048, 7310501]),
        ];
        for &(n, mib, threads, want) in table {
            let l = innodb(&files(n, mib, threads));
            let got = [
                l.capacity,
                l.modified_async,
                l.modified_sync,
                l.checkpoint_async,
                l.checkpoint_max,
            ];
            assert_eq!(got, want, "{n} x {mib} MiB, {threads} threads");
        }
    }

    /// The reflex rule of XtraDB counts in fractions of `M`: its 7/8 and the asynchronous limit are the same number.
    #[test]
    fn seven_eighths_are_the_asynchronous_limit() {
        for mib in [1, 5, 48, 127, 128, 256, 1900] {
            let l = innodb(&files(2, mib, 0));
            assert_eq!(l.checkpoint_max - l.checkpoint_max / 8, l.modified_async);
        }
    }

    #[test]
    fn logs_too_small_for_the_reserve_keep_the_fractions() {
        // 2 x 512 KiB, which InnoDB would not start with.
        let s = Settings { log_file_size: MIB / 2, ..files(2, 1, 0) };
        let l = innodb(&s);
        assert_eq!(l.capacity, 940032);
        assert_eq!(l.checkpoint_max, 940032 - 94003);
        assert_eq!(l.modified_async, l.checkpoint_max - l.checkpoint_max / 8);
        let m = mysql_8_0(&s);
        assert!(0 < m.page_age && m.page_age < m.free_check && m.free_check < m.soft, "{m:?}");
    }

    #[test]
    fn no_files_no_limits() {
        let s = Settings { log_files: 0, ..Settings::default() };
        assert_eq!(innodb(&s).checkpoint_max, 0);
        assert_eq!(mariadb(&s).checkpoint_max, 0);
        assert_eq!((mysql_8_0(&s).free_check, mysql_8_0(&s).page_age), (0, 0));
    }

    #[test]
    fn all_limits_lie_before_the_hard_stop() {
        for mib in [1, 2, 5, 48, 100, 1900] {
            let s = files(2, mib, 0);
            let capacity = s.log_files * s.log_file_size / 32 * 31;
            assert_eq!(innodb(&s), innodb(&s).within(capacity));
            assert_eq!(mariadb(&s), mariadb(&s).within(capacity));
            assert_eq!(mysql_8_0(&s), mysql_8_0(&s).within(capacity));
        }
    }

    #[test]
    fn a_smaller_log_pulls_them_in() {
        let l = innodb(&files(2, 256, 0)).within(160 * MIB);
        assert_eq!((l.modified_async, l.checkpoint_max), (150 * MIB, 150 * MIB));
        let l = innodb(&files(2, 256, 0)).within(410 * MIB);
        assert_eq!(l.modified_async, 379885042);
        assert_eq!(l.checkpoint_max, 410 * MIB / 16 * 15);
    }

    #[test]
    fn checkpoint_age_target() {
        let l = innodb(&files(2, 256, 0));
        assert_eq!(l.with_target(0), l);
        let t = l.with_target(200_000_000);
        assert_eq!((t.modified_async, t.checkpoint_async), (175_000_000, 200_000_000));
        assert_eq!((t.modified_sync, t.checkpoint_max), (l.modified_sync, l.checkpoint_max));
        assert_eq!(l.with_target(4 << 30), l);
    }

    #[test]
    fn mysql_8_0_of_100_mib() {
        let m = mysql_8_0(&files(2, 50, 0));
        let hard = (100 * MIB / 32 * 30 - 63488 - 131072 - 327680) / 512 * 512;
        assert_eq!(m.soft, hard * 95 / 100 / 512 * 512);
        assert_eq!(m.margin, 655360 + 4096 + m.soft / 20 / 512 * 512);
        assert_eq!(m.free_check, m.soft / 512 * 512 - m.margin);
        assert_eq!(m.sync_flush, (m.soft - m.soft / 16) / 512 * 512);
        assert!(m.page_age < m.sync_flush - m.margin);
    }

    #[test]
    fn mariadb_of_96_mib() {
        let l = mariadb(&files(1, 96, 0));
        assert_eq!(l.capacity, 90595124);
        assert_eq!(l.checkpoint_max, 90595124 - 786432 - (90595124 - 786432) / 10);
        assert_eq!(l.modified_async, l.checkpoint_max - l.checkpoint_max / 8);
    }
}
