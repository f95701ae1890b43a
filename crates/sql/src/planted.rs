//! Bugs planted on purpose above the engine, to measure what the simulator's second storey finds.
//!
//! As in `weir_engine::planted`: each stands at the line where it would happen, without the feature `planted` the question is
//! the constant `false`, with it one bug at a time is switched on for the process.

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
    HeaderBeforeLocks "header-before-locks"
        "A query sends its result's header before it has the metadata locks of its tables, and again when it is bound anew."
    RightsOfPlanUnchecked "rights-of-plan-unchecked"
        "A plan that is known already is run without a look at the rights of whoever runs it."
    KillNotPassedOn "kill-not-passed-on"
        "KILL is noted and does not wake what the statement waits for."
    FailedStatementKept "failed-statement-kept"
        "A statement that fails within a transaction leaves the changes that it had made by then."
    ParentUnlocked "parent-unlocked"
        "The row that a foreign key needs is looked for without a lock."
    OneKeyFollowed "one-key-followed"
        "Of the foreign keys that reference a row that goes or changes only the first is followed."
    PartlyNullKeySearched "partly-null-key-searched"
        "A foreign key of several columns asks for a parent unless all of them are NULL."
    OneColumnCompared "one-column-compared"
        "Whether a foreign key's columns have changed is asked of the first one."
    CascadeKeepsGenerated "cascade-keeps-generated"
        "Generated columns of a child do not follow a cascade."
    CascadeUnchecked "cascade-unchecked"
        "A child that a cascade has changed is not compared with its other parents."
    ReplacedWithoutCascade "replaced-without-cascade"
        "REPLACE deletes the row in the way without a look at those who reference it."
    IgnoredOrphanKept "ignored-orphan-kept"
        "INSERT IGNORE warns of a row without its parent, and leaves it in the table."
    FirstNumberObserved "first-number-observed"
        "Of a batch of rows with numbers of their own the first one moves the AUTO_INCREMENT counter."
    GeneratedBeforeTouched "generated-before-touched"
        "Generated columns of a changed row are worked out before ON UPDATE CURRENT_TIMESTAMP sets its columns."
    NumberOfUpdateForgotten "number-of-update-forgotten"
        "A number that an UPDATE gives a row does not move the AUTO_INCREMENT counter."
    RunTiesReversed "run-ties-reversed"
        "Of equal rows in two sorted runs the one of the later run goes out first."
    LimitWithoutOffset "limit-without-offset"
        "A sorted run is cut to the rows that LIMIT counts, without those that its offset skips."
    PartForgotten "part-forgotten"
        "Rows that were put aside a second time are not read back."
    MergeForgetsCondition "merge-forgets-condition"
        "A query that is merged with the block around it leaves its last condition behind."
    OldShowsNew "old-shows-new"
        "A trigger behind an update sees the new row as OLD."
    PrepareNotDurable "prepare-not-durable"
        "XA PREPARE is answered before its log is durable."
    DecisionNotDurable "decision-not-durable"
        "XA ROLLBACK of a prepared branch is answered before its log is durable."
    EventKept "event-kept"
        "The definition of an event that runs once is not removed before the run."
    SecondTableKept "second-table-kept"
        "A DELETE of several tables leaves the rows of the second one that were put aside."
    LoadErrorIgnored "load-error-ignored"
        "LOAD DATA of a file of the server goes on behind a key that is there."
    RightsKept "rights-kept"
        "A session keeps the rights that its account had at its first statement."
    MovedRowStays "moved-row-stays"
        "A row that goes to another partition stays in the former one, too."
    StatementKeepsMemory "statement-keeps-memory"
        "What a statement held in memory stays charged to its session."
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
