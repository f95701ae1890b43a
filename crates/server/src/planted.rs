//! Bugs planted on purpose in the server, to measure what the simulator's third storey finds.
//!
//! As in `weir_sql::planted`: each stands at the line where it would happen, without the feature `planted` the question is the constant
//! `false`, with it one bug at a time is switched on for the process.

macro_rules! bugs {
    ($($bug:ident $name:literal $what:literal)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Bug { $($bug),* }

        /// Every bug: its name on the command line, and what it does in one sentence.
        #[cfg(feature = "planted")]
        pub const ALL: &[(Bug, &str, &str)] = &[$((Bug::$bug, $name, $what)),*];
    };
}

bugs! {
    AnswerSentTwice "answer-sent-twice"
        "An answer that the log's writer sends is sent by the connection's own thread as well."
    AnswerOvertaken "answer-overtaken"
        "A connection goes on with its next command before an answer that was left has been sent."
    BufferedSleepsOn "buffered-sleeps-on"
        "A connection is parked though a command has come together with the one before."
    ParkedUnseen "parked-unseen"
        "The watch is not woken for a connection that was parked behind its last look."
    VanishedGoesOn "vanished-goes-on"
        "A statement goes on when its client has gone."
    KilledSleepsOn "killed-sleeps-on"
        "KILL of an idle connection is noted, and the connection is not woken."
    RefusedStaysCounted "refused-stays-counted"
        "A client whose login is refused stays counted as connected."
    LostTransactionStays "lost-transaction-stays"
        "The transaction of a connection that has ended is not rolled back."
}

#[cfg(not(feature = "planted"))]
mod off {
    #[inline(always)]
    pub(crate) const fn is(_: super::Bug) -> bool {
        false
    }
}
#[cfg(not(feature = "planted"))]
pub(crate) use off::is;

#[cfg(feature = "planted")]
mod on {
    use super::{ALL, Bug};
    use std::sync::atomic::{AtomicU32, Ordering};

    /// 0: none; else the bug's number + 1.
    static NOW: AtomicU32 = AtomicU32::new(0);

    /// Switches one bug on, or the last one off. For the whole process.
    pub fn plant(bug: Option<Bug>) {
        NOW.store(bug.map_or(0, |b| b as u32 + 1), Ordering::Relaxed);
    }

    pub fn by_name(name: &str) -> Option<Bug> {
        ALL.iter().find(|b| b.1 == name).map(|b| b.0)
    }

    pub(crate) fn is(bug: Bug) -> bool {
        NOW.load(Ordering::Relaxed) == bug as u32 + 1
    }
}
#[cfg(feature = "planted")]
pub(crate) use on::is;
#[cfg(feature = "planted")]
pub use on::{by_name, plant};
