//! What a session waits for: the cause, the object, no matter who stands in the way.

use super::scarcity::Scarcity;
use crate::cost::Cost;
use crate::ids::{PageId, SpaceId, TrxId};

/// Causes that a record of the flight recorder has room for.
pub const CAUSES: usize = 16;

macro_rules! causes {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $text:literal, $counter:literal;)*) => {
        /// Why a session waits. The numbers are those of the flight recorder's file and are not given again.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Cause { $($(#[$doc])* $name = $number),* }

        impl Cause {
            pub const ALL: &[Cause] = &[$(Cause::$name),*];

            pub fn name(self) -> &'static str {
                match self { $(Cause::$name => $text),* }
            }

            /// Its counters in SHOW STATUS, each with what it means: waits, and their time in microseconds.
            pub fn counters(self) -> [(&'static str, &'static str); 2] {
                match self {
                    $(Cause::$name => [
                        (
                            concat!("Weir_waits_", $counter),
                            concat!("Waits of sessions with the cause '", $text, "'."),
                        ),
                        (
                            concat!("Weir_waits_", $counter, "_usec"),
                            concat!("Time of waits with the cause '", $text, "', in microseconds."),
                        ),
                    ]),*
                }
            }
        }
    };
}

causes! {
    /// Another transaction has the row or the gap.
    RowLock = 0, "row lock", "row_lock";
    /// DDL waits for the table's users, or they for DDL.
    MetadataLock = 1, "metadata lock", "metadata_lock";
    /// Another definition statement works: there is one at a time.
    Ddl = 2, "ddl", "ddl";
    /// The commit's log is written and synced, by this session or for its group by another.
    LogSync = 3, "log sync", "log_sync";
    /// The same without a sync.
    LogWrite = 4, "log write", "log_write";
    /// No room between the checkpoint and the end of the log.
    LogSpace = 5, "log space", "log_space";
    /// The log buffer is full and has to be written first.
    LogBuffer = 6, "log buffer", "log_buffer";
    /// Changes are admitted at the rate that the device carries.
    Admission = 7, "admission", "admission";
    /// The dirty limit is passed: a page has to be written first.
    DirtyLimit = 8, "dirty limit", "dirty_limit";
    /// The policy has the session write pages, or wait for a batch or a checkpoint.
    PageWrite = 9, "page write", "page_write";
    /// No frame without a page.
    FreeFrame = 10, "free frame", "free_frame";
    PageRead = 11, "page read", "page_read";
    /// Another operation has the page latched.
    PageLatch = 12, "page latch", "page_latch";
    /// A file is made, grows or goes.
    File = 13, "file", "file";
    /// Another session prepares what both need: transaction ids, an undo log, AUTO_INCREMENT values; or purge is in the table.
    Turn = 14, "turn", "turn";
    /// The change buffer is full: the session that inserts moves entries to the index first.
    ChangeBuffer = 15, "change buffer", "change_buffer";
}

impl Cause {
    /// What ends such a wait is the end of somebody's transaction or statement: that others make changes meanwhile is no
    /// progress for those who wait. The other causes are shortages, and who changes anything has got past them.
    pub fn needs_commit(self) -> bool {
        use Cause::*;
        matches!(self, RowLock | MetadataLock | Ddl | LogSync | LogWrite | Turn)
    }

    /// What such a wait is charged as.
    pub fn cost(self) -> Cost {
        use Cause::*;
        match self {
            RowLock | MetadataLock | Ddl | Turn => Cost::WaitLock,
            LogSync | LogWrite => Cost::WaitLog,
            LogSpace | LogBuffer | Admission | DirtyLimit | PageWrite | FreeFrame
            | ChangeBuffer => Cost::WaitRoom,
            PageRead | PageLatch | File => Cost::WaitPage,
        }
    }

    /// Such a wait ends with a page: that pages come is progress.
    pub fn needs_page(self) -> bool {
        matches!(self, Cause::PageRead | Cause::PageLatch)
    }
}

/// What it is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Object {
    #[default]
    None,
    /// Of all tables: [`crate::table::Table::indexes`].
    Index(u64),
    Table(u64),
    Space(SpaceId),
    Page(PageId),
    /// Why changes are delayed.
    Scarce(Scarcity),
}

impl Object {
    /// As reports add it up: pages by their file.
    pub fn coarse(self) -> Object {
        match self {
            Object::Page(p) => Object::Space(p.space),
            other => other,
        }
    }
}

/// Who stands in the way; zeros where that is not known or nobody does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Blocker {
    pub session: u64,
    pub trx: TrxId,
}

/// A wait as its place in the code knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct What {
    pub cause: Cause,
    pub object: Object,
    pub blocker: Blocker,
    /// Who waits, where anyone who acts has no number.
    pub session: u64,
    pub trx: TrxId,
}

impl What {
    pub fn new(cause: Cause, object: Object) -> What {
        What { cause, object, blocker: Blocker::default(), session: 0, trx: 0 }
    }

    pub fn page(cause: Cause, id: PageId) -> What {
        What::new(cause, Object::Page(id))
    }

    pub fn of(self, session: u64, trx: TrxId) -> What {
        What { session, trx, ..self }
    }

    pub fn blocked_by(self, blocker: Blocker) -> What {
        What { blocker, ..self }
    }
}

impl From<Cause> for What {
    fn from(cause: Cause) -> What {
        What::new(cause, Object::None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_fit_the_file_and_have_names() {
        assert!(Cause::ALL.len() <= CAUSES);
        for (i, c) in Cause::ALL.iter().enumerate() {
            assert_eq!(*c as usize, i);
            let [(waits, _), (usec, _)] = c.counters();
            assert_eq!(waits, format!("Weir_waits_{}", c.name().replace(' ', "_")));
            assert_eq!(usec, format!("{waits}_usec"));
        }
    }
}
