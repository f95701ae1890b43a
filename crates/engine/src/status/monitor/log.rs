//! LOG.

use super::{Page, Rate, line};
use crate::policy::Cause;
use crate::status::table::n;
use std::fmt::Write;

impl Page<'_> {
    pub(super) fn redo(&mut self) {
        self.section("LOG");
        let log = &self.r.i.core.log;
        let (lsn, checkpoint) = (self.r.lsn, self.r.checkpoint);
        let oldest = self.r.i.core.pool.oldest_dirty(checkpoint).unwrap_or(lsn).min(lsn);
        match self.build {
            None => {
                line!(self, "Log sequence number          {lsn}");
                line!(self, "Log buffer assigned up to    {}", log.reserved());
                line!(self, "Log written up to            {}", log.written());
                line!(self, "Log flushed up to            {}", log.durable());
                line!(self, "Pages flushed up to          {oldest}");
                line!(self, "Last checkpoint at           {checkpoint}");
                line!(self, "Log capacity                 {}", log.capacity());
                line!(self, "Modified age                 {}", lsn.saturating_sub(oldest));
                line!(self, "Checkpoint age               {}", lsn.saturating_sub(checkpoint));
            }
            Some(_) => {
                line!(self, "Log sequence number {}", self.lsn(lsn));
                line!(self, "Log flushed up to   {}", self.lsn(log.durable()));
                line!(self, "Last checkpoint at  {}", self.lsn(checkpoint));
            }
        }
        self.limits(lsn.saturating_sub(oldest), lsn.saturating_sub(checkpoint));
        if self.build.is_some() {
            let pending = log.pending_writes();
            line!(self, "{pending} pending log writes, 0 pending chkp writes");
        }
        line!(
            self,
            "{} log i/o's done, {:.2} log i/o's/second",
            self.count(Rate::LogWrites),
            self.rate(Rate::LogWrites)
        );
        if self.build.is_none() {
            let l = self.r.l;
            line!(
                self,
                "{} log writes, {} log fsyncs, {} checkpoints",
                n(&l.writes),
                n(&l.syncs),
                n(&l.checkpoints)
            );
        }
    }

    /// How far the oldest change and the last checkpoint are from where sessions write.
    fn limits(&mut self, modified: u64, age: u64) {
        let Some(p) = self.r.i.core.flush.rules().preflush else { return };
        if self.has(|b| b.ages) {
            line!(self, "Max checkpoint age    {}", p.checkpoint_sync);
            line!(self, "Checkpoint age target {}", p.checkpoint_async);
            line!(self, "Modified age          {modified}");
            line!(self, "Checkpoint age        {age}");
        }
        if !self.has(|b| b.google) {
            return;
        }
        let f = self.r.f;
        line!(
            self,
            "Foreground page flushes:  sync {} async {}",
            f.by(Cause::UserSync),
            f.by(Cause::UserAsync)
        );
        line!(self, "Background adaptive page flushes: {}", f.by(Cause::Age));
        let soon = p.flush_async.unwrap_or(p.flush_sync);
        line!(self, "Foreground flush margins: sync {} async {soon}", p.flush_sync);
        line!(
            self,
            "Space to flush margin:     sync {} async {}",
            p.flush_sync.saturating_sub(modified),
            soon.saturating_sub(modified)
        );
        line!(self, "Current_LSN - Min_LSN     {modified}");
        line!(self, "Checkpoint age            {age}");
        line!(self, "Max checkpoint age        {}", p.checkpoint_sync);
    }
}
