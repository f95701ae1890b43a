//! Bugs planted on purpose, to measure what the simulator and the models find.
//!
//! Each stands at the line where it would happen, as `planted::is(Bug::X)`. Without the feature `planted` that is the
//! constant `false`, and nothing of it is in the program. With it, one bug at a time is switched on by [`plant`]; every
//! other run of the same program is sound. What finds which bug, and how fast, stands in `docs/planted-bugs.md`.

/// What a planted bug breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Breaks {
    /// The log goes to the device before the page, and a page's whole copy before the page itself.
    WriteAhead,
    /// A checkpoint passes no change that is not safely home, and log space is reused only behind a durable checkpoint.
    Checkpoint,
    /// What was acknowledged is there after any crash.
    Durability,
    /// A transaction or a DDL statement is there as a whole or not at all.
    Atomicity,
    /// Readers see what their isolation level promises.
    Snapshot,
    /// Writers and locking readers exclude each other as their isolation level promises.
    Locking,
    /// A tree has every key once, in the page that its parent names; indexes agree with their table.
    Structure,
    /// Every page is in exactly one place: free, or reachable from its owner.
    Space,
    /// A page has one frame, which keeps it while it is used, and loses no change.
    Pool,
    /// Ids and counters are never given twice.
    Identity,
    /// Both trees of an index are one.
    ChangeBuffer,
    /// Anyone who waits is woken.
    Liveness,
}

macro_rules! bugs {
    ($($bug:ident $name:literal $breaks:ident $what:literal)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Bug { $($bug),* }

        /// Every bug: its name on the command line, what it breaks, and what it does in one sentence.
        #[cfg(feature = "planted")]
        pub const ALL: &[(Bug, &str, Breaks, &str)] =
            &[$((Bug::$bug, $name, Breaks::$breaks, $what)),*];
    };
}

bugs! {
    WalOfFirstPageOnly "wal-of-first-page-only" WriteAhead
        "A batch of pages is written when the log of its first page is durable, not of its newest."
    DoublewriteNotSynced "doublewrite-not-synced" WriteAhead
        "Pages go home before their doublewrite copies are synced."
    DoublewriteOverNewer "doublewrite-over-newer" WriteAhead
        "Recovery puts a doublewrite copy over a page that is whole, and perhaps newer."
    TornPageNotRestored "torn-page-not-restored" WriteAhead
        "Recovery leaves torn pages as they are although there are whole copies."
    ChecksumNotVerified "checksum-not-verified" WriteAhead
        "A page's checksum is not compared when it is read."
    PageSyncForgotten "page-sync-forgotten" Checkpoint
        "A page counts as home when it is written, not when its file is synced."
    BackwardAtMainFence "backward-at-main-fence" ChangeBuffer
        "A backward scan goes on at the lower fence of the main tree's leaf, wherever the buffer tree's leaf ends."
    MovedEntryStays "moved-entry-stays" ChangeBuffer
        "A move leaves the entries in the buffer tree that it has put into the main tree."
    MoveForgetsWriter "move-forgets-writer" ChangeBuffer
        "A move does not take the newest writer of the buffer tree's leaf along."
    BufferedInLockedGap "buffered-in-locked-gap" ChangeBuffer
        "An insert into the buffer tree does not look for locked gaps."
    RemovedFromMainOnly "removed-from-main-only" ChangeBuffer
        "Purge and rollback look for an entry in the main tree only."
    BufferGapUnlatched "buffer-gap-unlatched" ChangeBuffer
        "A locking scan looks at the main tree only: neither entries nor gaps of the buffer tree count."
    BufferLimitIgnored "buffer-limit-ignored" ChangeBuffer
        "An insert into a full buffer tree moves nothing first."
    BufferTreeLeaked "buffer-tree-leaked" ChangeBuffer
        "DROP INDEX frees the main tree only."
    DroppedFileKeptOpen "dropped-file-kept-open" Space
        "A dropped table's file stays open as long as somebody has the table's definition."
    ClosedUnsynced "closed-unsynced" Checkpoint
        "A file that is closed to make room for another one counts as synced."
    CheckpointPastInflight "checkpoint-past-inflight" Checkpoint
        "A checkpoint passes changes whose pages are on their way to the device."
    UnsyncedForgotten "unsynced-forgotten" Checkpoint
        "A checkpoint passes changes whose pages were posted, and are home and not synced."
    PostedLeavesFirst "posted-leaves-first" Checkpoint
        "A page that is posted leaves the age index before it counts as being on its way."
    HeldForgotten "held-forgotten" Pool
        "A batch that is dropped half-way forgets the pages that it has taken and not posted."
    CheckpointReadsAgeFirst "checkpoint-reads-age-first" Checkpoint
        "A checkpoint looks for the oldest dirty page before it looks how far the log is published."
    RecycledBeforeCheckpoint "recycled-before-checkpoint" Checkpoint
        "Log segments get a new place before the checkpoint that frees them is durable."
    CheckpointSlotReused "checkpoint-slot-reused" Checkpoint
        "The control file is always written in the same slot."
    AgeAtEndOfGroup "age-at-end-of-group" Checkpoint
        "A page enters the age index under the end of its first change instead of the start."
    ImageTakenTwice "image-taken-twice" Pool
        "Two flushers that look at a dirty page at the same moment both make an image of it."
    DirtyLostAtCompletion "dirty-lost-at-completion" Pool
        "When a page's write ends, the page counts as clean although it was changed meanwhile."
    FourthPageNotDirty "fourth-page-not-dirty" Pool
        "Of the pages that a mini-transaction changes, those gathered after the third are not marked dirty."
    PinnedPageEvicted "pinned-page-evicted" Pool
        "Replacement takes a page away from an operation that has it pinned."
    EvictedWhileWritten "evicted-while-written" Pool
        "Replacement takes a page whose newest image is still on its way to the device."
    CreatedDuringRead "created-during-read" Pool
        "A page is formatted anew while its old image is being read."
    HolePublished "hole-published" Durability
        "A log group is published although an earlier one is still being copied into the buffer."
    DurableTooFar "durable-too-far" Durability
        "After a sync the log counts as durable up to what was published meanwhile."
    AnsweredBeforeSync "answered-before-sync" Durability
        "Commit returns when its log is written, not when it is synced."
    LogSyncErrorIgnored "log-sync-error-ignored" Durability
        "A failed sync of the log is taken for a success."
    PageSyncErrorIgnored "page-sync-error-ignored" Durability
        "A failed sync of a data file is taken for a success."
    LogTailCutEarly "log-tail-cut-early" Durability
        "Recovery ends one whole group before the end of the log."
    LogTailCutLate "log-tail-cut-late" Durability
        "Recovery takes a torn group at the end of the log for a whole one."
    CleanEndKept "clean-end-kept" Durability
        "A start after a clean stop leaves the control file saying that the log ends there."
    OneSlotAtRecycling "one-slot-at-recycling" Checkpoint
        "Log is reused that the older slot of the control file begins with."
    RedoBatchesOverlap "redo-batches-overlap" Durability
        "Recovery begins with the next batch of redo while the last one is being applied."
    RedoOutOfOrder "redo-out-of-order" Durability
        "Recovery applies the records of a page in another order than the log has them."
    PageBeyondLogRead "page-beyond-log-read" Durability
        "A page with an LSN beyond the end of the log is read as if it were whole."
    EpochNotChecked "epoch-not-checked" Durability
        "A log group written before a crash is valid behind those written after it."
    RedoAgainAtSameLsn "redo-again-at-same-lsn" Durability
        "Recovery applies a record to a page that has it already."
    OldLifeKept "old-life-kept" Durability
        "Recovery begins a page's new life with what is left of its former one."
    OneUnfinishedRolledBack "one-unfinished-rolled-back" Atomicity
        "Of the transactions that a crash cut off only the first one found is rolled back."
    PreparedForgotten "prepared-forgotten" Durability
        "A start rolls back the transactions that were prepared before a crash."
    LastingFailureTriedAgain "lasting-failure-tried-again" Liveness
        "A change that cannot be undone because its table's file is gone is tried again for ever."
    SavepointKeepsChange "savepoint-keeps-change" Atomicity
        "Rollback to a savepoint keeps the first change behind it."
    RollbackForgetsEntry "rollback-forgets-entry" Structure
        "Rollback of an insert leaves its secondary entries."
    RollbackKeepsMark "rollback-keeps-mark" Structure
        "Rollback of an update leaves the delete mark on the entry that is valid again."
    DdlInPieces "ddl-in-pieces" Atomicity
        "The dictionary changes of a DDL statement are several mini-transactions."
    BesideInPieces "beside-in-pieces" Atomicity
        "What a DDL statement changes beside its own table is written in a mini-transaction of its own."
    OldDefinitionRemovedFirst "old-definition-removed-first" Atomicity
        "The pieces of a long definition are removed before the entry that names them."
    DdlNotDurable "ddl-not-durable" Atomicity
        "A DDL statement goes on before its dictionary change is synced."
    FileRemovedBeforeLogged "file-removed-before-logged" Atomicity
        "A dropped table's file goes before the log durably says so."
    NewFileNotSynced "new-file-not-synced" Atomicity
        "A new table's file is used before its directory entry is synced."
    UnlockedBeforeCommit "unlocked-before-commit" Locking
        "Commit gives its locks back before its outcome is in the log."
    VisibleBeforeLogged "visible-before-logged" Snapshot
        "Readers see a transaction's changes before its commit is in the log."
    VictimUnlockedFirst "victim-unlocked-first" Locking
        "A deadlock's victim gives its locks back before its changes are undone."
    OrphanUnlocked "orphan-unlocked" Locking
        "A transaction whose client is gone gives its locks back before it is rolled back."
    ViewSeesNextTransaction "view-sees-next-transaction" Snapshot
        "A read view sees the first transaction that begins after it."
    ViewStaleAfterCommit "view-stale-after-commit" Snapshot
        "A read view is shared although a transaction has committed since it was built."
    ViewKeptByReadCommitted "view-kept-by-read-committed" Snapshot
        "READ COMMITTED reads the next statement with the view of the last one."
    ViewDroppedByRepeatableRead "view-dropped-by-repeatable-read" Snapshot
        "REPEATABLE READ gets a new view with each statement."
    OwnWritesInvisible "own-writes-invisible" Snapshot
        "A plain read does not see its own transaction's changes."
    StaleEntryBelieved "stale-entry-believed" Snapshot
        "An index scan returns a row by an entry of another version of it."
    CoveringTrustsNewPage "covering-trusts-new-page" Snapshot
        "A covering read takes the entries of a leaf for rows whoever has changed it."
    NewIndexForOldViews "new-index-for-old-views" Snapshot
        "A snapshot may read an index that was built after it."
    PurgeOneViewEarly "purge-one-view-early" Snapshot
        "Purge takes the first transaction that the oldest view does not see."
    ViewNotRegistered "view-not-registered" Snapshot
        "Purge does not hear of a read view."
    EntryPurgedTooEarly "entry-purged-too-early" Snapshot
        "Purge removes an index entry that an older version still has."
    NextKeyLockedAsRecord "next-key-locked-as-record" Locking
        "A locking scan locks the record without the gap before it."
    GapOfNextLeafMissed "gap-of-next-leaf-missed" Locking
        "An insert at the end of a leaf looks for gap locks at the end of the index."
    RunIgnoresGaps "run-ignores-gaps" Locking
        "A run of inserts does not look for gap locks."
    EntriesIgnoreGaps "entries-ignore-gaps" Locking
        "Entries of a run of rows do not look for gap locks."
    GapLostAtInsert "gap-lost-at-insert" Locking
        "An insert into a locked gap leaves the half below it unlocked."
    GapLostAtRemoval "gap-lost-at-removal" Locking
        "The gap of a record that is removed for good is not locked any more."
    ImplicitLockMissed "implicit-lock-missed" Locking
        "A secondary entry that an active transaction has deleted is free for a unique value."
    WaitersOvertaken "waiters-overtaken" Locking
        "A lock is granted as if those who wait for it already were not there."
    DeadlockOfThreeMissed "deadlock-of-three-missed" Liveness
        "Only circles of two waiting transactions are looked for."
    DeadlockBehindSecondMissed "deadlock-behind-second-missed" Liveness
        "The search for deadlocks follows one of those whom a transaction waits for."
    DeadlockSearchAmnesic "deadlock-search-amnesic" Liveness
        "The search for deadlocks walks a line of waiters again for each of them."
    OnlyFirstWaiterGranted "only-first-waiter-granted" Liveness
        "A released lock wakes one waiter although it was to be shared by several."
    CommitNotWoken "commit-not-woken" Liveness
        "A committer whose log another one's sync made durable is not woken."
    LoadNotWoken "load-not-woken" Liveness
        "Those who wait for a page that another one reads are not woken."
    LatchNotWoken "latch-not-woken" Liveness
        "Those who wait for a latch are not woken."
    LogRoomNotWoken "log-room-not-woken" Liveness
        "Those who wait for log space are not woken by the checkpoint that makes it."
    PinsKeptInLockWait "pins-kept-in-lock-wait" Liveness
        "Whoever waits for a row lock keeps the pages pinned that it has read."
    GrantUseNotTold "grant-use-not-told" Liveness
        "Those who wait because grants fill the log buffer are not woken when a grant is used or given back."
    SplitKeepsFence "split-keeps-fence" Structure
        "The left page of a split keeps its old upper fence."
    SplitLosesLastKey "split-loses-last-key" Structure
        "A split forgets the last cell of the page."
    LoneCellLeft "lone-cell-left" Structure
        "A split before a page's only cell leaves that cell in the left page."
    RowBeyondItsPage "row-beyond-its-page" Structure
        "A row may be longer than what stands beside the longest fences."
    MergeLosesRow "merge-loses-row" Structure
        "A merge forgets the last cell of the right page."
    MergedPageReferenced "merged-page-referenced" Structure
        "A merge frees a page that its parent still names."
    MergedPageLeaked "merged-page-leaked" Space
        "A merge does not give the empty page back."
    ChainFreedTooEarly "chain-freed-too-early" Space
        "An update frees long columns that the new version of the row still has."
    ChainFreedTwice "chain-freed-twice" Space
        "Purge does not note that it has freed long columns; after a crash it frees them again."
    IndexOfDeletedRows "index-of-deleted-rows" Structure
        "A new index gets entries for rows that are deleted and not purged yet."
    DroppedUndoNotNoted "dropped-undo-not-noted" Space
        "Purge notes the undo pages that it has freed when all are, so that an error in between leaves the history in free pages."
    RowsOfWholeLeaf "rows-of-whole-leaf" Structure
        "A rebuild copies whole leaves, with the rows that purge has merged into them since they were copied."
    DdlIgnoresUsers "ddl-ignores-users" Locking
        "DDL does not wait for the transactions that use the table."
    AutoIncrementNotLogged "auto-increment-not-logged" Identity
        "The AUTO_INCREMENT counter is durable only after a clean stop."
    TrxIdsNotReserved "trx-ids-not-reserved" Identity
        "Transaction ids are given without a durable mark above them."
    SpaceIdReused "space-id-reused" Identity
        "The id of a dropped table's space is given to the next one."
    BlankMapBelieved "blank-map-believed" Space
        "A space goes on behind a map that a crash left blank."
    StepPastMap "step-past-map" Space
        "A step of growth that reaches into two maps formats the last one only."
    PageTakenTwice "page-taken-twice" Space
        "A mini-transaction that needs two pages may take the same one twice."
    OnePageOfUndoSlots "one-page-of-undo-slots" Space
        "No more transactions may be writing than one page has undo slots."
    UndoWaitsInLine "undo-waits-in-line" Liveness
        "A rollback waits for room in the log behind the statements of others."
    UndoCutUnderLog "undo-cut-under-log" Checkpoint
        "The undo space is truncated while the log behind the checkpoint still speaks of what is cut off."
    UndoPageLeaked "undo-page-leaked" Space
        "Purge leaves the pages of undo that it is done with taken."
    ChainNotInUndo "chain-not-in-undo" Space
        "A long column's first page is not noted in the undo log, so rollback leaves its pages taken."
    DefaultOfOldRowsChanged "default-of-old-rows-changed" Durability
        "ALTER TABLE gives rows from before a column the default that the column has now."
    IndexFreedTooEarly "index-freed-too-early" Atomicity
        "DROP INDEX gives the index's pages back before its definition is gone."
    OneTornPageRestored "one-torn-page-restored" WriteAhead
        "Of the torn pages of a batch recovery puts the first one back only."
    HistoryNotRebuilt "history-not-rebuilt" Structure
        "A start forgets the committed transactions that purge had not come to."
    PurgeForgetsEntry "purge-forgets-entry" Structure
        "Purge leaves the index entries that an update has made obsolete."
    PurgeForgetsRow "purge-forgets-row" Structure
        "Purge leaves a deleted row that is the last one of its page."
    GivenBackNotPurged "given-back-not-purged" Structure
        "A deleted row that a rollback gives back is not purged, though purge has passed."
    UniqueInNextLeaf "unique-in-next-leaf" Structure
        "A uniqueness check ends with the first leaf of the index."
    AddUniqueUnchecked "add-unique-unchecked" Structure
        "ADD UNIQUE does not compare a new entry with the one before it."
    EntryKeptForOlderViews "entry-kept-for-older-views" Structure
        "Rollback keeps a marked entry for versions from before the index, whose records do not name it."
    ViewBeforeLatch "view-before-latch" Structure
        "Rollback asks who may read an entry before it has the entry's leaf, and purge passes in between."
    RowLogForgetsRollback "row-log-forgets-rollback" Structure
        "What a transaction undoes while an index is built is not told to the row log."
    RowLogAfterUndo "row-log-after-undo" Structure
        "An undone insert is written to the row log after it is undone, when another transaction may have inserted the row again."
    CaughtUpUnchecked "caught-up-unchecked" Structure
        "What was changed while a unique index was built is not compared with the other entries."
    OpenWritersForgotten "open-writers-forgotten" Structure
        "The build of an index does not wait for those who have changed rows before its row log began."
    RunLosesLastEntry "run-loses-last-entry" Structure
        "A run of sorted entries goes to disk without its last one."
    RunWithTwins "run-with-twins" Structure
        "A run of inserts takes a key twice when its rows stand next to each other."
    ChosenNumberNotCovered "chosen-number-not-covered" Identity
        "A number that a client chose itself moves the AUTO_INCREMENT counter in memory only."
    WaiterLeftBehind "waiter-left-behind" Liveness
        "Whoever gives up waiting for a lock leaves the request in the queue."
    SkippedCountsAsLocked "skipped-counts-as-locked" Locking
        "A NOWAIT request that finds the row locked takes it for its own."
    SplitForgetsWriter "split-forgets-writer" Snapshot
        "The new page of a split does not know who has changed it last."
    EarlierLockUnlocked "earlier-lock-unlocked" Locking
        "READ COMMITTED unlocks a row that it does not want although an earlier statement has locked it."
    MarkedUnderReader "marked-under-reader" Locking
        "An entry gets its delete mark although a reader has it locked."
    DropListForgotten "drop-list-forgotten" Atomicity
        "A start does not finish a DROP of many tables that a crash cut off."
    GivenBackCutEarly "given-back-cut-early" Structure
        "Rollback cuts a record off before purge has caught up with the deleted row that it gives back."
    GivenBackTooEarly "given-back-too-early" Structure
        "A deleted row that a rollback gives back is removed before purge has come to its older versions."
    RecordLocksLostAtRemoval "record-locks-lost-at-removal" Locking
        "When a record goes for good its gap locks pass on to the gap behind it, the locks of the record do not."
    GapCheckMainOnly "gap-check-main-only" ChangeBuffer
        "Which entry follows a new one, and so which gap it goes into, is looked for in the main tree only."
    RevivedUnderReader "revived-under-reader" Locking
        "A marked entry comes back to life although a reader has it locked."
    OneObsoleteEntryPurged "one-obsolete-entry-purged" Structure
        "Of the index entries that an update has made obsolete purge removes the first one."
    ChainsOfShortRowLeaked "chains-of-short-row-leaked" Space
        "An update after which no column is long any more does not tell purge of the long columns before it."
    PrefixOfLongColumnCut "prefix-of-long-column-cut" Structure
        "Of a long column that an index keeps the first characters of, as many bytes are read as there are characters."
    PreparedTablesUnlocked "prepared-tables-unlocked" Locking
        "After a start the tables of a prepared transaction are free for definition statements."
    SavepointEndsAtPage "savepoint-ends-at-page" Atomicity
        "A rollback to a savepoint ends where the undo page of the last change begins."
    ChosenNumberGivenAgain "chosen-number-given-again" Identity
        "A number that a client chose itself moves the AUTO_INCREMENT counter to it, not past it."
    RebuildForgetsCounter "rebuild-forgets-counter" Identity
        "After a rebuild the AUTO_INCREMENT counter goes on from the highest number that a row has."
    RowLogFullIgnored "row-log-full-ignored" Durability
        "A copy of a table goes on when the log of what is changed meanwhile is full and forgotten."
    RenameNotTold "rename-not-told" Atomicity
        "Who keeps something of the catalog is not told that tables have other names."
    HalfTreeForgotten "half-tree-forgotten" Space
        "Nothing tells a start of the index that a crash left half built."
}

#[cfg(not(feature = "planted"))]
mod off {
    #[inline(always)]
    pub(crate) const fn is(_: super::Bug) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) const fn any() -> bool {
        false
    }
}
#[cfg(not(feature = "planted"))]
pub(crate) use off::{any, is};

#[cfg(feature = "planted")]
mod on {
    use super::{ALL, Bug};
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

    /// 0: none; else the bug's number + 1.
    static NOW: AtomicU32 = AtomicU32::new(0);
    static REACHED: AtomicU64 = AtomicU64::new(0);

    /// Switches one bug on, or the last one off. For the whole process.
    pub fn plant(bug: Option<Bug>) {
        NOW.store(bug.map_or(0, |b| b as u32 + 1), Ordering::Relaxed);
        REACHED.store(0, Ordering::Relaxed);
    }

    pub fn by_name(name: &str) -> Option<Bug> {
        ALL.iter().find(|b| b.1 == name).map(|b| b.0)
    }

    /// Plants the bug that `WEIR_PLANT` names, if it is set: tests call this so that one can ask which of them find a bug.
    /// Panics when there is none of that name.
    pub fn plant_named() {
        plant(
            std::env::var("WEIR_PLANT")
                .ok()
                .map(|name| by_name(&name).unwrap_or_else(|| panic!("no planted bug '{name}'"))),
        );
    }

    /// How often the planted line was passed since the last `plant`: 0 means that no workload gets there.
    pub fn reached() -> u64 {
        REACHED.load(Ordering::Relaxed)
    }

    pub(crate) fn is(bug: Bug) -> bool {
        let here = NOW.load(Ordering::Relaxed) == bug as u32 + 1;
        if here {
            REACHED.fetch_add(1, Ordering::Relaxed);
        }
        here
    }

    /// Some bug is planted. The short ways of writes are closed then: the bugs stand in the usual ones.
    pub(crate) fn any() -> bool {
        NOW.load(Ordering::Relaxed) != 0
    }
}
#[cfg(feature = "planted")]
pub(crate) use on::{any, is};
#[cfg(feature = "planted")]
pub use on::{by_name, plant, plant_named, reached};

#[cfg(all(test, feature = "planted"))]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_known() {
        for (i, (bug, name, _, _)) in ALL.iter().enumerate() {
            assert_eq!(*bug as usize, i);
            assert_eq!(by_name(name), Some(*bug), "{name}");
        }
    }
}
