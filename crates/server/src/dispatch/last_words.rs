//! What a connection says when it ends without having been asked: a packet came too late, or none, or was none.

use super::Connection;
use crate::conn::ReadError;
use std::sync::atomic::Ordering;
use weir_sql::errno;
use weir_sql::session_api::SqlError;

impl Connection {
    /// The connection ends before a command came.
    pub(super) fn lost(&mut self, e: ReadError) {
        let (errno, text) = match e {
            // Gone, or killed between two commands: the end of the stream says it.
            ReadError::Closed | ReadError::Broken => return,
            ReadError::Timeout => (1159, "Got timeout reading communication packets".to_string()),
            ReadError::Frame(f) => (f.errno(), f.to_string()),
            ReadError::Memory(e) => (e.errno, e.message),
        };
        self.conn.out.writer.set_sequence(self.conn.framer.sequence().wrapping_add(1));
        self.last_words(&SqlError::new(errno, text));
    }

    /// `wait_timeout` is over. As MySQL does, the reason is sent without having been asked for.
    pub(super) fn idle_too_long(&mut self) {
        self.conn.out.writer.set_sequence(0);
        self.last_words(&SqlError::of(errno::ER_CLIENT_INTERACTION_TIMEOUT, &[]));
    }

    /// A command came too late: the connection was killed, or the server stops.
    pub(super) fn killed(&mut self) {
        let e = if self.server.stopping.load(Ordering::Relaxed) {
            SqlError::of(errno::ER_SERVER_SHUTDOWN, &[])
        } else {
            SqlError::new(1927, "Connection was killed")
        };
        self.conn.out.writer.set_sequence(self.conn.framer.sequence());
        self.last_words(&e);
    }

    pub(super) fn last_words(&mut self, e: &SqlError) {
        self.error(e);
        // Whether the client still listens does not matter: the connection ends.
        let _ = self.conn.out.flush();
    }
}
