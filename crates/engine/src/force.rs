//! `innodb_force_recovery`: how much of a start, and of what the engine does by itself, is left out so that rows can be read out
//! of a damaged directory. A level leaves out what the ones below it do, too.
//!
//! | level | left out |
//! |---|---|
//! | 1 | nothing stops at a damaged page: recovery leaves it, a table with a damaged file is not refused but read page by page as far as that goes, and no page is called newer than the log |
//! | 2 | purge |
//! | 3 | rollback of the transactions that the last stop cut off; their rows stay locked |
//! | 4 | every change: definitions, statistics (there is no change buffer to merge); the directory is read only except for what recovery itself applies |
//! | 5 | the undo logs are not looked at: what was not committed looks as if it were |
//! | 6 | redo, and every write |
//!
//! From 1 on changes of rows are refused; up to 3 tables can be made and dropped.

use crate::error::{Error, Result};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Force(pub u8);

impl Force {
    pub fn leaves_damaged_pages(self) -> bool {
        self.0 >= 1
    }

    pub fn purges(self) -> bool {
        self.0 < 2
    }

    pub fn rolls_back(self) -> bool {
        self.0 < 3
    }

    pub fn read_only(self) -> bool {
        self.0 >= 4
    }

    pub fn reads_undo(self) -> bool {
        self.0 < 5
    }

    /// Whether rows may be changed.
    pub fn may_write(self) -> Result<()> {
        match self.0 {
            0 => Ok(()),
            level => Err(Error::ForcedRecovery { level }),
        }
    }

    /// Whether definitions may be changed.
    pub fn may_define(self) -> Result<()> {
        match self.read_only() {
            false => Ok(()),
            true => Err(Error::ForcedRecovery { level: self.0 }),
        }
    }

    /// Recovery, and with it everything that writes.
    pub fn recovers(self) -> bool {
        self.0 < 6
    }
}
