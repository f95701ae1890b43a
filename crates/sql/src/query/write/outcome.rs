//! What is asked of the writer, and what it answers.

use crate::value::DatumBuf;

/// What became of a row to be inserted.
pub enum Inserted {
    /// It is in the table, or waits in the batch; REPLACE met this many rows in its way.
    Row { replaced: u64 },
    /// ON DUPLICATE KEY UPDATE: the row with this clustered key is to be changed instead.
    InTheWay(Vec<u8>),
    /// IGNORE left it out.
    LeftOut,
}

/// What became of a row to be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Updated {
    Changed,
    /// It has the values already: nothing is written, and nothing else is set off.
    Same,
    /// IGNORE left it as it was.
    LeftOut,
}

/// What a foreign key does to a child's row.
pub enum Cascade {
    Delete,
    /// Columns and their new values.
    Update(Vec<(usize, DatumBuf)>),
}

/// A child's row that a foreign key has changed: before, and after if it is still there.
pub struct Cascaded {
    pub old: Vec<u8>,
    pub new: Option<Vec<u8>>,
}
