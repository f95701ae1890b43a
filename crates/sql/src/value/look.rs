//! Whether a statement must end, asked by readers of long values that know neither statements nor their errors.

use super::{SessionInfo, ValueError};

/// Bytes of work between two looks whether the statement must end.
pub(super) const EVERY: usize = 64 * 1024;

/// Handed down into a parser. Once [`Look::go_on`] says no, the parser gives up with any error of its own: anyone who handed the
/// look down asks [`Look::end`], and the statement's error goes before the parser's.
pub struct Look<'a> {
    session: Option<&'a dyn SessionInfo>,
    work: usize,
    stopped: Option<ValueError>,
}

impl<'a> Look<'a> {
    pub fn new(session: Option<&'a dyn SessionInfo>) -> Look<'a> {
        Look { session, work: 0, stopped: None }
    }

    /// For what is short or belongs to no statement: it always goes on.
    pub fn none() -> Look<'static> {
        Look::new(None)
    }

    /// Notes `bytes` of work. False: the statement must end.
    pub fn go_on(&mut self, bytes: usize) -> bool {
        self.work += bytes;
        if self.work >= EVERY {
            self.work = 0;
            self.stopped = self.session.and_then(SessionInfo::stopped);
        }
        self.stopped.is_none()
    }

    /// What was read, unless the statement must end.
    pub fn end<T>(self, read: T) -> Result<T, ValueError> {
        self.stopped.map_or(Ok(read), Err)
    }
}
