//! What a connection does at the moment, written by its own thread at each command and read by anyone who asks for the list.
//!
//! The owner takes no lock and executes no locked instruction: it makes the version odd, writes, and makes it even again, and a
//! reader that has met a change reads once more (a sequence lock). All of it is atomic words, so a torn read is a wrong number for
//! a moment and nothing else, and the version tells.
//!
//! Invariants
//! - One thread at a time writes: the one that serves the connection.
//! - The version is odd while words are written. A statement that is longer than the words keeps its rest under a mutex, which the owner
//!   takes while the version is odd; no reader waits for the owner with that mutex.

use crate::moment::Moment;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Mutex, PoisonError};

/// Bytes of a statement that the list shows.
pub const SHOWN: usize = 1024;
const WORDS: usize = 16;
const SHORT: usize = 8 * WORDS;

/// What a connection may be doing, by the names of the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Command {
    /// Until it has logged in.
    Connect,
    Sleep,
    Query,
    Execute,
    Prepare,
    RegisterReplica,
    BinlogDump,
    BinlogDumpGtid,
}

impl Command {
    const ALL: [Command; 8] = [
        Command::Connect,
        Command::Sleep,
        Command::Query,
        Command::Execute,
        Command::Prepare,
        Command::RegisterReplica,
        Command::BinlogDump,
        Command::BinlogDumpGtid,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Command::Connect => "Connect",
            Command::Sleep => "Sleep",
            Command::Query => "Query",
            Command::Execute => "Execute",
            Command::Prepare => "Prepare",
            Command::RegisterReplica => "Register Replica",
            Command::BinlogDump => "Binlog Dump",
            Command::BinlogDumpGtid => "Binlog Dump GTID",
        }
    }
}

/// See the module.
pub struct Now {
    version: AtomicU64,
    /// The command, and whether it runs.
    state: AtomicU64,
    since: AtomicU64,
    /// Bytes of the text.
    len: AtomicU64,
    text: [AtomicU64; WORDS],
    /// What does not fit there.
    rest: Mutex<Vec<u8>>,
}

/// One look at it.
#[derive(Debug, PartialEq, Eq)]
pub struct Seen {
    pub command: Command,
    pub running: bool,
    pub since: Moment,
    /// The statement, while one runs.
    pub text: Vec<u8>,
}

const RUNNING: u64 = 1 << 8;

impl Now {
    pub fn new(command: Command) -> Now {
        Now {
            version: AtomicU64::new(0),
            state: AtomicU64::new(command as u64),
            since: AtomicU64::new(Moment::now().nanos()),
            len: AtomicU64::new(0),
            text: [const { AtomicU64::new(0) }; WORDS],
            rest: Mutex::default(),
        }
    }

    /// The owner writes.
    #[inline]
    fn write(&self, words: impl FnOnce(&Now)) {
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version.wrapping_add(1), Ordering::Relaxed);
        fence(Ordering::Release);
        words(self);
        self.version.store(version.wrapping_add(2), Ordering::Release);
    }

    /// A command begins.
    pub fn begin(&self, command: Command, text: &[u8], at: Moment) {
        let text = &text[..text.len().min(SHOWN)];
        self.write(|now| {
            now.state.store(command as u64 | RUNNING, Ordering::Relaxed);
            now.since.store(at.nanos(), Ordering::Relaxed);
            now.len.store(text.len() as u64, Ordering::Relaxed);
            let (short, rest) = text.split_at(text.len().min(SHORT));
            let (words, last) = short.as_chunks::<8>();
            for (to, word) in now.text.iter().zip(words) {
                to.store(u64::from_le_bytes(*word), Ordering::Relaxed);
            }
            if !last.is_empty() {
                let mut word = [0; 8];
                word[..last.len()].copy_from_slice(last);
                now.text[words.len()].store(u64::from_le_bytes(word), Ordering::Relaxed);
            }
            if !rest.is_empty() {
                let mut kept = now.rest.lock().unwrap_or_else(PoisonError::into_inner);
                kept.clear();
                kept.extend_from_slice(rest);
            }
        });
    }

    /// It has ended, or another one that shows no text begins.
    pub fn end(&self, command: Command, at: Moment) {
        self.write(|now| {
            now.state.store(command as u64, Ordering::Relaxed);
            now.since.store(at.nanos(), Ordering::Relaxed);
        });
    }

    /// The client has proved who it is: it is idle, for as long as it has been connected.
    pub fn logged_in(&self) {
        self.write(|now| now.state.store(Command::Sleep as u64, Ordering::Relaxed));
    }

    fn text(&self) -> Vec<u8> {
        let len = self.len.load(Ordering::Relaxed) as usize;
        let words = self.text.iter().take(len.div_ceil(8));
        let mut text: Vec<u8> =
            words.flat_map(|w| w.load(Ordering::Relaxed).to_le_bytes()).collect();
        if len > SHORT {
            text.extend_from_slice(&self.rest.lock().unwrap_or_else(PoisonError::into_inner));
        }
        text.truncate(len);
        text
    }

    fn words(&self) -> Seen {
        let state = self.state.load(Ordering::Relaxed);
        let running = state & RUNNING != 0;
        let command = Command::ALL.into_iter().find(|c| *c as u64 == state & (RUNNING - 1));
        let text = if running { self.text() } else { Vec::new() };
        Seen {
            command: command.unwrap_or(Command::Sleep),
            running,
            since: Moment::from_nanos(self.since.load(Ordering::Relaxed)),
            text,
        }
    }

    /// `None`: the owner was writing.
    fn try_read<R>(&self, read: impl Fn(&Now) -> R) -> Option<R> {
        let before = self.version.load(Ordering::Acquire);
        if !before.is_multiple_of(2) {
            return None;
        }
        let seen = read(self);
        fence(Ordering::Acquire);
        (self.version.load(Ordering::Relaxed) == before).then_some(seen)
    }

    fn read<R>(&self, read: impl Fn(&Now) -> R) -> R {
        loop {
            if let Some(seen) = self.try_read(&read) {
                return seen;
            }
            // The owner was preempted in between, or writes much.
            std::thread::yield_now();
        }
    }

    /// The statement that runs, or the one that ran last.
    pub fn last_text(&self) -> Vec<u8> {
        self.read(Now::text)
    }

    /// What it does now.
    pub fn look(&self) -> Seen {
        self.read(Now::words)
    }

    /// The same for somebody who must not wait: the owner may have crashed while it wrote.
    pub fn glance(&self) -> Option<Seen> {
        (0..100).find_map(|_| {
            let seen = self.try_read(Now::words);
            if seen.is_none() {
                std::thread::yield_now();
            }
            seen
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn what_is_written_is_read() {
        let now = Now::new(Command::Connect);
        assert_eq!((now.look().command, now.look().running), (Command::Connect, false));
        for len in [0, 1, 7, 8, 9, SHORT - 1, SHORT, SHORT + 1, SHOWN, SHOWN + 5] {
            let text: Vec<u8> = (0..len).map(|n| n as u8).collect();
            now.begin(Command::Query, &text, Moment::from_nanos(len as u64));
            let seen = now.look();
            assert_eq!(seen.text, text[..len.min(SHOWN)]);
            assert_eq!(
                (seen.command, seen.running, seen.since.nanos()),
                (Command::Query, true, len as u64)
            );
        }
        now.end(Command::Sleep, Moment::from_nanos(7));
        let idle = Seen {
            command: Command::Sleep,
            running: false,
            since: Moment::from_nanos(7),
            text: Vec::new(),
        };
        assert_eq!(now.look(), idle);
    }

    #[test]
    fn nobody_sees_half_of_a_statement() {
        let (now, over) = (Now::new(Command::Sleep), AtomicBool::new(false));
        std::thread::scope(|s| {
            s.spawn(|| {
                for round in 0..20_000usize {
                    // A text of one letter repeated, as long as the letter says.
                    let letter = (round % 200) as u8;
                    now.begin(
                        Command::Query,
                        &vec![letter; usize::from(letter)],
                        Moment::from_nanos(letter.into()),
                    );
                    if round % 3 == 0 {
                        now.end(Command::Sleep, Moment::from_nanos(1));
                    }
                }
                over.store(true, Ordering::Relaxed);
            });
            while !over.load(Ordering::Relaxed) {
                let seen = now.look();
                if seen.running {
                    let letter = seen.since.nanos() as u8;
                    assert_eq!(seen.text, vec![letter; usize::from(letter)]);
                }
            }
        });
    }
}
