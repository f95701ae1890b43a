//! FILE I/O: threads, what is under way, sums, and, as Google's v4 had them, figures by file.

use super::{Page, Rate, line};
use crate::files::{FIRST_TABLE, Space, Sums};
use crate::pool::Handler;
use crate::status::table::n;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

/// Files in the list, at most: those with the most requests.
const FILES: usize = 100;

impl Page<'_> {
    pub(super) fn files(&mut self) {
        self.section("FILE I/O");
        self.threads();
        self.pending();
        let pool = &self.r.i.core.pool;
        if self.has(|b| b.google) {
            let by = &pool.requesters;
            let kinds =
                [("Sync reads", by.sync_reads.sums()), ("Sync writes", by.sync_writes.sums())];
            for (name, s) in kinds {
                line!(
                    self,
                    "{name}: requests {}, pages {}, bytes {}, seconds {:.2}, msecs/r {:.2}",
                    s.requests,
                    s.pages,
                    s.pages * self.r.page,
                    s.seconds(),
                    s.mean()
                );
            }
        }
        line!(
            self,
            "{} OS file reads, {} OS file writes, {} OS fsyncs",
            self.count(Rate::FileReads),
            self.count(Rate::FileWrites),
            self.count(Rate::FileSyncs)
        );
        let bytes = if self.grown(Rate::FileReads) > 0 { self.r.page } else { 0 };
        line!(
            self,
            "{:.2} reads/s, {bytes} avg bytes/read, {:.2} writes/s, {:.2} fsyncs/s",
            self.rate(Rate::FileReads),
            self.rate(Rate::FileWrites),
            self.rate(Rate::FileSyncs)
        );
        if self.has(|b| b.google) {
            self.by_file();
        }
    }

    /// Thread 0 reads for the insert buffer, 1 writes the log, then those that read, then those that write. In Weir's own form, requests by
    /// who made them.
    fn threads(&mut self) {
        let pool = &self.r.i.core.pool;
        let by = &pool.requesters;
        let merges = Handler { io: by.merges.sums(), ..Handler::default() };
        if self.build.is_none() {
            let all = |list: Vec<Handler>| list.iter().fold(Sums::default(), |a, h| a.plus(h.io));
            let kinds = [
                ("Page reads", by.sync_reads.sums()),
                ("Reads ahead", all(by.ahead.list(0))),
                ("Reads of merges", by.merges.sums()),
                ("Page writes", by.sync_writes.sums().plus(all(by.writers.list(0)))),
            ];
            kinds.into_iter().for_each(|(name, s)| self.sums(name, s));
            return;
        }
        let set = *self.r.i.settings.flush.lock();
        // 5.0 has one thread of each kind, whatever the options say.
        let m = self.r.i.core.flush.mechanism();
        let threads = |option: u64| match m.in_flight {
            1 => 1,
            _ => option.clamp(1, 64) as usize,
        };
        let log = Handler {
            io: Sums {
                requests: n(&self.r.l.writes),
                pages: n(&self.r.l.writes),
                ..Sums::default()
            },
            ..Handler::default()
        };
        self.thread(0, "insert buffer thread", true, &merges);
        self.thread(1, "log thread", false, &log);
        let readers = by.ahead.list(threads(set.read_io_threads));
        let readers = &readers[..threads(set.read_io_threads)];
        for (i, h) in readers.iter().enumerate() {
            self.thread(2 + i, "read thread", true, h);
        }
        let writers = by.writers.list(threads(set.write_io_threads));
        for (i, h) in writers[..threads(set.write_io_threads)].iter().enumerate() {
            self.thread(2 + readers.len() + i, "write thread", false, h);
        }
    }

    fn thread(&mut self, number: usize, name: &str, reads: bool, h: &Handler) {
        let state = if h.busy { "doing file i/o" } else { "waiting for i/o request" };
        let start = format!("I/O thread {number} state: {state} ({name})");
        if !self.has(|b| b.google) {
            line!(self, "{start}");
            return;
        }
        let (read, wrote) = if reads { (h.io.pages, 0) } else { (0, h.io.pages) };
        let sums = |s: &Sums| {
            format!(
                "secs {:.2} msecs/r {:.2} max msecs {:.2}",
                s.seconds(),
                s.mean(),
                s.longest as f64 / 1e6
            )
        };
        line!(
            self,
            "{start} reads {read} writes {wrote} io: requests {} {} svc: {} old {}",
            h.io.requests,
            sums(&h.io),
            sums(&h.service),
            h.old
        );
    }

    fn pending(&mut self) {
        let (pool, log) = (&self.r.i.core.pool, &self.r.i.core.log);
        let (reads, writes) = (pool.reads.pages_at_device(), pool.pages_in_flight());
        let (merges, log_now) = (self.r.i.core.flush.merges_owed(), log.pending_writes());
        match self.build {
            Some(_) => line!(
                self,
                "Pending normal aio reads: {reads}, aio writes: {writes},\n ibuf aio reads: {merges}, log i/o's: {log_now}, sync i/o's: 0"
            ),
            None => line!(
                self,
                "Pending normal aio reads: [{reads}] , aio writes: [{writes}] ,\n ibuf aio reads:, log i/o's:"
            ),
        }
        line!(
            self,
            "Pending flushes (fsync) log: {}; buffer pool: {}",
            log.pending_syncs(),
            pool.syncs_under_way()
        );
    }

    fn by_file(&mut self) {
        let tables = self.r.i.catalog.all_stored();
        let names: HashMap<u32, String> = tables
            .iter()
            .map(|t| (t.space.id, format!("./{}/{}.ibd", t.def.schema, t.def.name)))
            .collect();
        let requests = |s: &Arc<Space>| s.meters.each_ref().map(|m| m.sums());
        let mut all: Vec<_> = self
            .r
            .i
            .core
            .spaces
            .all()
            .into_iter()
            .map(|s| (requests(&s), s))
            .filter(|(sums, _)| sums.iter().any(|s| s.requests > 0))
            .collect();
        all.sort_by_key(|([r, w], s)| (std::cmp::Reverse(r.requests + w.requests), s.id));
        line!(self, "File IO statistics");
        for ([read, write], s) in all.iter().take(FILES) {
            let path = format!("./{}", s.path());
            let own = s.id < FIRST_TABLE;
            let name = names.get(&s.id).filter(|_| !own).unwrap_or(&path);
            let sums = |s: &Sums| {
                format!(
                    "{} requests, {} pages, {:.2} secs, {:.2} msecs/r",
                    s.requests,
                    s.pages,
                    s.seconds(),
                    s.mean()
                )
            };
            line!(self, "  {name} {} -- read: {}, write: {}", s.id, sums(read), sums(write));
        }
    }
}
