//! The end of a command: its answer leaves when what it tells of is durable.

use super::Connection;
use crate::planted::{self, Bug};
use std::sync::Arc;
use weir_engine::Answer;
use weir_sql::session_api::SqlError;

impl Connection {
    /// Sends what is gathered, or leaves it to anyone who writes the log. An error: the connection is over. It says nothing then, which
    /// is all that is known of a commit whose log has failed.
    pub(super) fn answer_out(&mut self, closes: bool) -> Result<(), ()> {
        if self.session.owes() && !closes && self.leave_answer() {
            return Ok(());
        }
        self.settle().map_err(|_| ())?;
        self.conn.out.flush()
    }

    fn leave_answer(&mut self) -> bool {
        let Some(aside) = &self.aside else { return false };
        let twice =
            planted::is(Bug::AnswerSentTwice).then(|| self.conn.out.writer.pending().to_vec());
        let session = &mut self.session;
        self.left_aside = self.conn.out.leave(|bytes| {
            if !aside.put(bytes) {
                return false;
            }
            let answer: Arc<dyn Answer> = aside.clone();
            let left = session.leave_answer(&answer);
            if !left {
                aside.take_back();
            }
            left
        });
        if let Some(bytes) = twice.filter(|_| self.left_aside) {
            let _ = self.conn.transport.write_all(&bytes);
        }
        self.left_aside
    }

    /// The list of connections has the session's default database.
    pub(super) fn show_database(&mut self) {
        let now = self.session.database();
        if self.shown != now {
            self.shown.clear();
            self.shown.push_str(now);
            self.entry.set_database(now);
        }
    }

    /// Waits for what the last statement owes.
    pub(super) fn settle(&mut self) -> Result<(), SqlError> {
        match self.session.owes() {
            true => self.session.settle_here(&self.server.rt),
            false => Ok(()),
        }
    }
}
