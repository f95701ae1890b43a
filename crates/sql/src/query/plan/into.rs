//! Where SELECT ... INTO puts its rows.

use crate::query::textfile::Format;
use crate::value::Charset;
use std::sync::Arc;

/// Where a value goes.
pub enum Target {
    User(Arc<str>),
    /// A variable of the stored program that runs the statement.
    Slot(u32),
}

/// The file that the rows go to.
pub struct FileTarget {
    pub path: Box<[u8]>,
    pub kind: FileKind,
}

pub enum FileKind {
    /// OUTFILE; texts are converted where a character set was named.
    Text(Format, Option<Charset>),
    /// DUMPFILE.
    Raw,
}
