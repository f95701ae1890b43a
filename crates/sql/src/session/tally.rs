//! What a session's statements came to: for the slow query log, and for the summary by digests.

use super::Session;
use super::by_id::ById;
use super::text::lexed;
use crate::digests::{COUNTED, Ended, Summary};
use crate::func::monitoring::MAX_DIGEST_LENGTH;
use crate::query::Plan;
use crate::session_api::SqlError;
use crate::statement_history::Past;
use crate::status::Stat;
use crate::value::key_hash::KeyHash;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use weir_engine::cost;
use weir_syntax::parse::{ParseOptions, Parsed, digest};

/// Counters that a summary has a column for.
pub const STATS: [Stat; COUNTED] = [
    Stat::Created_tmp_tables,
    Stat::Select_full_join,
    Stat::Select_range,
    Stat::Select_scan,
    Stat::Sort_range,
    Stat::Sort_rows,
    Stat::Sort_scan,
    Stat::Select_full_range_join,
];

/// Rows of the table that a session remembers by the key of their statements' plans.
const KNOWN: usize = 256;

/// Bytes of a text without a plan that is remembered. The digest of a longer one is made when it is parsed.
const SHORT: usize = 64;

/// What the logs and the tables of statements get of a session, and what they got before.
#[derive(Default)]
pub(super) struct Tally {
    /// Nanoseconds that transactions waited for locks of rows since they were told last.
    pub lock_time: Arc<AtomicU64>,
    /// What [`STATS`] were then.
    told: [u64; COUNTED],
    /// `Session::key` is the key of the statement that runs or ran last.
    pub keyed: bool,
    /// The kept plan that it ran by.
    pub plan: Option<Arc<Plan>>,
    /// Its digest text, where that was made when it was parsed.
    pub digest: Option<String>,
    /// Warnings of the statement that ended last, without its error.
    pub warnings: u64,
    /// The number of the error that it ended with; 0: it succeeded.
    pub failed: u16,
    /// The text of that error, where the history of statements is on.
    pub message: String,
    known: HashMap<Box<[u8]>, Arc<Summary>, KeyHash>,
    prepared: ById<Arc<Summary>>,
    /// [`crate::digests::Digests::generation`] that they are of.
    generation: u64,
    /// A moment of the clock that does not jump, in nanoseconds, and the wall clock then, in microseconds.
    wall: (u64, u64),
}

impl Tally {
    pub fn forget(&mut self, prepared: u32) {
        self.prepared.remove(&prepared);
    }
}

/// What statements came to since this was asked last.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// Rows that were looked at.
    pub examined: u64,
    /// Nanoseconds spent waiting for locks of rows.
    pub lock_nanos: u64,
    /// A table was read whole.
    pub scanned: bool,
    counted: [u64; COUNTED],
    /// Bytes of memory that were charged to the session at most.
    pub memory: usize,
}

/// A statement as it was sent.
#[derive(Clone, Copy)]
pub enum Sent<'s> {
    Text(&'s [u8]),
    /// The prepared one of this number.
    Prepared(u32),
}

impl Session {
    /// Parses a text that has no kept plan. A long one is not parsed once more for its digest.
    pub(super) fn parse_sent(&mut self, sql: &[u8]) -> Result<Parsed, SqlError> {
        if sql.len() <= SHORT || !self.inst.digests.are_kept() {
            return self.parse(sql, false, self.settings.client);
        }
        let options = ParseOptions {
            sql_mode: self.settings.lex_mode,
            client: self.client(),
            ..ParseOptions::default()
        };
        let (parsed, text) = self.watched(|watch| {
            digest::parse_with_digest(sql, &options, MAX_DIGEST_LENGTH, Some(watch))
        })?;
        self.tally.digest = Some(text);
        Ok(parsed)
    }

    /// A table was read whole since [`Session::take_work`].
    pub(super) fn has_scanned(&self) -> bool {
        let told = &self.tally.told;
        self.work.get(STATS[1]) > told[1] || self.work.get(STATS[3]) > told[3]
    }

    pub fn take_work(&mut self) -> Work {
        let mut counted = [0; COUNTED];
        // Most statements step none of them.
        if STATS.iter().zip(&self.tally.told).any(|(stat, told)| self.work.get(*stat) != *told) {
            let now = STATS.map(|stat| self.work.get(stat));
            let before = std::mem::replace(&mut self.tally.told, now);
            // FLUSH STATUS brings them back to zero.
            let since = |n: usize| now[n].checked_sub(before[n]).unwrap_or(now[n]);
            counted = std::array::from_fn(since);
        }
        Work {
            examined: self.work.take_examined(),
            lock_nanos: self.take_lock_time(),
            scanned: counted[1] + counted[3] > 0,
            counted,
            memory: self.info.memory.take_peak(),
        }
    }

    fn take_lock_time(&self) -> u64 {
        // Hardly any statement waits for a lock, and a swap locks the line of memory.
        match self.tally.lock_time.load(Relaxed) {
            0 => 0,
            _ => self.tally.lock_time.swap(0, Relaxed),
        }
    }

    /// The statement that ended last took so many nanoseconds and sent so many rows.
    /// `at`: when that was, in nanoseconds of a clock that does not jump, for somebody who has just looked at one.
    pub fn summarize(
        &mut self,
        said: Sent<'_>,
        work: &Work,
        nanos: u64,
        sent: u64,
        at: Option<u64>,
    ) {
        if !self.inst.digests.are_kept() {
            // The next statement is not to be charged with it.
            return cost::drain(|_, _| ());
        }
        let at_micros = self.wall_micros(at);
        let ended = Ended {
            nanos,
            lock_nanos: work.lock_nanos,
            at_micros,
            failed: self.tally.failed != 0,
            warnings: self.tally.warnings,
            affected: self.info.last_row_count().max(0) as u64,
            sent,
            examined: work.examined,
            counted: work.counted,
            memory: work.memory as u64,
        };
        if self.inst.history.is_on() {
            self.remember(said, ended);
        }
        let text = || self.loggable(self.text_of(said)).into_owned();
        if let Some(row) = self.kept_row(said) {
            return row.ended(&ended, self.conn.id, text);
        }
        match self.row_of(said, at_micros) {
            Some(row) => {
                row.ended(&ended, self.conn.id, || self.loggable(self.text_of(said)).into_owned());
            }
            None => cost::drain(|_, _| ()),
        }
    }

    /// Keeps the statement that has ended for those who ask what ran of late.
    #[cold]
    fn remember(&mut self, said: Sent<'_>, ended: Ended) {
        let message = std::mem::take(&mut self.tally.message);
        let past = Past {
            thread: self.conn.id,
            event: 0,
            command: self.command_of(self.text_of(said)),
            digest: self.digest_of(said),
            text: self.loggable(self.text_of(said)).into_owned(),
            schema: self.info.database.as_deref().map(str::to_owned),
            ended,
            error: (self.tally.failed != 0).then_some((self.tally.failed, message)),
        };
        self.inst.history.add(past);
    }

    /// The wall clock at a moment of the clock that does not jump. It is looked at once a second for it: the tables show seconds.
    fn wall_micros(&mut self, at: Option<u64>) -> u64 {
        let read = || self.inst.db.rt().wall_micros();
        let Some(at) = at else { return read() };
        let (then, micros) = self.tally.wall;
        match at.checked_sub(then) {
            Some(since) if since < 1_000_000_000 && micros > 0 => micros + since / 1000,
            _ => {
                let now = read();
                self.tally.wall = (at, now);
                now
            }
        }
    }

    /// The row that the statement's plan remembers, or the session for a prepared one: nobody looks for it twice.
    fn kept_row(&self, said: Sent<'_>) -> Option<&Summary> {
        let now = self.inst.digests.generation();
        if let Sent::Prepared(id) = said {
            let of_now = self.tally.generation == now;
            return self.tally.prepared.get(&id).filter(|_| of_now).map(|row| &**row);
        }
        let (generation, row) = self.tally.plan.as_ref()?.digest.get()?;
        (*generation == now).then_some(&**row)
    }

    fn text_of<'t>(&'t self, said: Sent<'t>) -> &'t [u8] {
        match said {
            Sent::Text(text) => text,
            Sent::Prepared(id) => self.prepared_text(id).unwrap_or_default(),
        }
    }

    /// The row of a statement. It is found without a look at the text where that was run by a kept plan.
    fn row_of(&mut self, said: Sent<'_>, now: u64) -> Option<Arc<Summary>> {
        let generation = self.inst.digests.generation();
        if generation != self.tally.generation {
            self.tally.known.clear();
            self.tally.prepared.clear();
            self.tally.generation = generation;
        }
        self.key_of(said);
        let known = match said {
            Sent::Prepared(id) => self.tally.prepared.get(&id),
            Sent::Text(_) => self.tally.known.get(&self.key[..]),
        };
        if let Some(row) = known {
            return Some(row.clone());
        }
        let made = match said {
            Sent::Text(_) => self.tally.digest.take(),
            Sent::Prepared(_) => None,
        };
        let text = made.or_else(|| self.digest_of(said))?;
        let schema = self.info.database.as_deref();
        let row = self.inst.digests.row(schema, text, now);
        match said {
            Sent::Prepared(id) => _ = self.tally.prepared.insert(id, row.clone()),
            Sent::Text(_) if self.key.is_empty() => {}
            Sent::Text(_) => {
                if self.tally.known.len() >= KNOWN {
                    self.tally.known.clear();
                }
                self.tally.known.insert(self.key[..].into(), row.clone());
                if let Some(plan) = &self.tally.plan {
                    // Another session may have been first; after a TRUNCATE it stays what it was, and sessions look for themselves.
                    _ = plan.digest.set((generation, row.clone()));
                }
            }
        }
        Some(row)
    }

    /// Leaves in `Session::key` what says which row a text belongs to: the key of its plan, or of a short one without a plan (COMMIT)
    /// all that its digest follows from. No key of a plan begins as those do: its first bytes are an SQL mode. Empty: it is to be read.
    fn key_of(&mut self, said: Sent<'_>) {
        let Sent::Text(text) = said else { return };
        if self.tally.keyed {
            return;
        }
        self.key.clear();
        if text.len() <= SHORT && self.settings.client.is_none() {
            self.key.extend_from_slice(&[u8::MAX; 8]);
            self.key.extend_from_slice(&self.settings.mode.0.to_le_bytes());
            self.key.extend_from_slice(self.info.database.as_deref().unwrap_or("").as_bytes());
            self.key.push(u8::from(self.info.database.is_some()));
            self.key.extend_from_slice(text);
        }
    }

    fn digest_of(&self, said: Sent<'_>) -> Option<String> {
        let options = ParseOptions {
            sql_mode: self.settings.lex_mode,
            allow_params: true,
            client: self.client(),
            ..ParseOptions::default()
        };
        let text = match said {
            // It was converted when it was prepared.
            Sent::Prepared(id) => self.prepared_text(id)?.into(),
            Sent::Text(text) => lexed(self.settings.client, text, self.reading()),
        };
        let parsed = digest::parse_with_digest(&text, &options, MAX_DIGEST_LENGTH, None);
        let digest = match parsed {
            Ok((_, text)) => text,
            Err(_) => digest::digest_of_tokens(&text, &options, MAX_DIGEST_LENGTH),
        };
        (!digest.is_empty()).then_some(digest)
    }
}
