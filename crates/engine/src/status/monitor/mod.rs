//! The text of SHOW ENGINE INNODB STATUS, section by section.
//!
//! Under the flush policy of a published build it has the sections, lines and order of that build's monitor, so that its users can
//! compare their prints with it line by line; under all other policies it has the order of MySQL 8.0 and lines of Weir's own.
//! `builds` has a row of properties for each build, `waits` the semaphores and the background thread, `io` the files, `buffers` the change
//! buffer and the pool, `log` the redo log, `rows` transactions and rows. Figures per second are means since the last print.
//!
//! A line of a build that has no counterpart here (spins of mutexes, the adaptive hash index) is there with zeros where programs look for
//! it, and left out elsewhere; docs/flush.md lists them.

mod buffers;
mod builds;
mod io;
mod log;
mod rows;
#[cfg(all(test, not(any(shuttle, loom))))]
mod tests;
mod waits;

use super::table::{Reading, n};
use crate::db::Db;
use crate::files::Sums;
use crate::history::printed::Print;
use crate::policy::Cause;
use builds::Build;
pub use builds::is_before_5_5;
use std::fmt::Write;

/// What the engine does not know of a print.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heading<'a> {
    /// The time of the print, `2026-11-28 14:22:18`, in the zone of the session that asks.
    pub time: &'a str,
    /// The text of the last deadlock.
    pub deadlock: Option<&'a str>,
    /// The thread of the session that asks.
    pub thread: u64,
}

/// Counters whose growth per second is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rate {
    FileReads,
    FileWrites,
    FileSyncs,
    LogWrites,
    Gets,
    PagesRead,
    PagesCreated,
    PagesWritten,
    PagesAhead,
    PagesAheadRandom,
    Inserted,
    Updated,
    Deleted,
    RowsRead,
    MergesOrdered,
    EntriesIn,
    EntriesOut,
    MergeReads,
}

const RATES: usize = Rate::MergeReads as usize + 1;

/// A print in the making.
struct Page<'a> {
    r: Reading<'a>,
    /// `None`: Weir's own form.
    build: Option<&'static Build>,
    now: Vec<u64>,
    before: Vec<u64>,
    seconds: f64,
    out: String,
}

/// Adds a line.
macro_rules! line {
    ($p:expr, $($arg:tt)*) => {{
        // Not into the print at once: the arguments may read it.
        let mut text = String::new();
        let _ = writeln!(text, $($arg)*);
        $p.out.push_str(&text);
    }};
}
use line;

impl<'a> Page<'a> {
    fn new(db: &'a Db) -> Page<'a> {
        let r = Reading::of(db);
        let now = counters(&r);
        let at = r.i.rt.now();
        let last = r.i.printed.note(Print { at, counters: now.clone() });
        // As in InnoDB: a print at once after the other divides by a thousandth of a second.
        let seconds = 0.001 + at.saturating_sub(last.at) as f64 / 1e9;
        let policy = *r.i.core.flush.in_charge.lock();
        Page {
            build: builds::of(policy),
            now,
            before: last.counters,
            seconds,
            out: String::new(),
            r,
        }
    }

    /// A heading between two rules of its length.
    fn section(&mut self, title: &str) {
        let rule = "-".repeat(title.len());
        line!(self, "{rule}\n{title}\n{rule}");
    }

    /// By how much a counter has grown since the last print.
    fn grown(&self, r: Rate) -> u64 {
        self.now[r as usize].saturating_sub(self.before[r as usize])
    }

    fn rate(&self, r: Rate) -> f64 {
        self.grown(r) as f64 / self.seconds
    }

    fn count(&self, r: Rate) -> u64 {
        self.now[r as usize]
    }

    /// Whether the build in charge has this; Weir's own form has not.
    fn has(&self, what: fn(&Build) -> bool) -> bool {
        self.build.is_some_and(what)
    }

    /// A position in the log as the build wrote it.
    fn lsn(&self, lsn: u64) -> String {
        match self.has(|b| b.halves) {
            true => format!("{} {}", lsn >> 32, lsn & 0xffff_ffff),
            false => lsn.to_string(),
        }
    }

    fn heading(&mut self, time: &str, thread: u64) {
        let rule = "=".repeat(37);
        let stamp = match self.build {
            // 261128  9:05:07
            Some(_) => {
                let (date, time) = time.split_once(' ').unwrap_or((time, ""));
                let hour = time.strip_prefix('0').map_or_else(|| time.into(), |t| format!(" {t}"));
                format!("{} {hour}", date.get(2..).unwrap_or(date).replace('-', ""))
            }
            None => format!("{time} {thread:#x}"),
        };
        line!(self, "\n{rule}\n{stamp} INNODB MONITOR OUTPUT\n{rule}");
        let seconds = self.seconds as u64;
        line!(self, "Per second averages calculated from the last {seconds} seconds");
    }

    /// Seconds that a thread has spent since the start on a kind of requests.
    fn sums(&mut self, what: &str, s: Sums) {
        line!(
            self,
            "{what}: {} requests, {} pages, {:.2} secs, {:.2} msecs/r, max msecs {:.2}",
            s.requests,
            s.pages,
            s.seconds(),
            s.mean(),
            s.longest as f64 / 1e6
        );
    }
}

fn counters(r: &Reading<'_>) -> Vec<u64> {
    let (f, l, p, i) = (r.f, r.l, r.p, r.i);
    let b = &i.core.stats.change_buffer;
    let pages = i.core.pool.extent_pages();
    let merges = i.core.pool.requesters.merges.sums();
    let all: [(Rate, u64); RATES] = [
        (Rate::FileReads, n(&p.reads)),
        (Rate::FileWrites, n(&f.pages) + n(&f.dblwr_writes) + n(&l.writes)),
        (Rate::FileSyncs, n(&f.data_syncs) + n(&f.dblwr_writes) + n(&l.syncs)),
        (Rate::LogWrites, n(&l.writes) + n(&l.checkpoints)),
        (Rate::Gets, i.core.pool.read_requests()),
        (Rate::PagesRead, n(&p.reads)),
        (Rate::PagesCreated, n(&p.created)),
        (Rate::PagesWritten, n(&f.pages)),
        (Rate::PagesAhead, n(&p.read_ahead)),
        (Rate::PagesAheadRandom, pages[0]),
        (Rate::Inserted, i.stats.rows_inserted.get()),
        (Rate::Updated, i.stats.rows_updated.get()),
        (Rate::Deleted, i.stats.rows_deleted.get()),
        (Rate::RowsRead, i.stats.rows_read.get()),
        (Rate::MergesOrdered, n(&b.ordered)),
        (Rate::EntriesIn, n(&b.inserts)),
        (Rate::EntriesOut, n(&b.moved)),
        (Rate::MergeReads, merges.pages),
    ];
    debug_assert!(all.iter().enumerate().all(|(at, (rate, _))| *rate as usize == at));
    all.map(|(_, value)| value).to_vec()
}

impl Db {
    /// The text of SHOW ENGINE INNODB STATUS. The last deadlock comes from `sql`, which knows statements.
    pub fn status_text(&self, h: &Heading<'_>) -> String {
        let mut p = Page::new(self);
        let last = p.has(|b| b.transactions_last);
        p.heading(h.time, h.thread);
        if p.has(|b| b.background) {
            p.background();
        }
        p.semaphores();
        if let Some(deadlock) = h.deadlock {
            p.section("LATEST DETECTED DEADLOCK");
            p.out.push_str(deadlock);
        }
        if !last {
            p.transactions();
        }
        p.files();
        p.change_buffer();
        p.redo();
        p.pool();
        if p.build.is_none() {
            p.section("PAGE FLUSHING");
            let text = self.flush_text();
            p.out.push_str(&text);
        }
        p.row_operations();
        if last {
            p.transactions();
        }
        line!(
            p,
            "----------------------------\nEND OF INNODB MONITOR OUTPUT\n============================"
        );
        p.out
    }

    fn flush_text(&self) -> String {
        let db = self.inner();
        let f = db.core.pool.flush_stats();
        let u = &db.core.flush.stats;
        let rules = db.core.flush.rules();
        let mut s = String::new();
        let _ = writeln!(s, "Policy {}", *db.core.flush.in_charge.lock());
        let _ = writeln!(
            s,
            "Pages written by cause: dirty share {}, age {}, extra {}, free frames {}",
            f.by(Cause::Dirty),
            f.by(Cause::Age),
            f.by(Cause::Extra),
            f.by(Cause::Free)
        );
        let _ = writeln!(
            s,
            "By sessions: asynchronous {}, synchronous {}, dirty limit {}, free frames {}; rescue {}",
            f.by(Cause::UserAsync),
            f.by(Cause::UserSync),
            f.by(Cause::UserDirty),
            f.by(Cause::UserFree),
            f.by(Cause::Rescue)
        );
        let _ = writeln!(
            s,
            "Pages dirtied {}, written {}, of these again {}, as neighbours {}; batches {}, refused {}",
            db.core.pool.dirtied(),
            n(&f.pages),
            n(&f.rewritten),
            n(&f.neighbours),
            n(&f.batches),
            n(&f.batches_refused)
        );
        if let Some(p) = rules.preflush {
            let _ = writeln!(
                s,
                "Preflush limits: asynchronous {}, synchronous {}, checkpoint {} and {}",
                p.flush_async.map_or("none".into(), |a| a.to_string()),
                p.flush_sync,
                p.checkpoint_async,
                p.checkpoint_sync
            );
        }
        let _ = writeln!(
            s,
            "Waits of sessions: {} ({} us, longest {} us); delayed changes {} ({} us, longest {} us)",
            n(&u.waits),
            n(&u.wait_nanos) / 1000,
            n(&u.wait_nanos_max) / 1000,
            n(&u.paced),
            n(&u.paced_nanos) / 1000,
            n(&u.paced_nanos_max) / 1000
        );
        s
    }
}
