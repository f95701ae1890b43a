//! COM_REFRESH, by the statements that it stands for.

use super::{Connection, Next};
use crate::moment::Moment;
use crate::sink::NetSink;
use weir_sql::session_api::SqlError;

impl Connection {
    /// COM_REFRESH, which `mysqladmin refresh` and its like send: the same as FLUSH.
    pub(super) fn refresh(&mut self, flags: u8) -> Next {
        let kinds = [(1, "PRIVILEGES"), (2, "LOGS"), (8, "HOSTS"), (16, "STATUS")];
        let words: Vec<_> = kinds.iter().filter(|k| flags & k.0 != 0).map(|k| k.1).collect();
        // What concerns replication is answered as its statements are.
        match flags {
            f if f & 0x80 != 0 => return self.query(b"RESET MASTER"),
            f if f & 0x40 != 0 => return self.query(b"RESET REPLICA"),
            _ => {}
        }
        match (words.is_empty(), flags & 4 != 0) {
            (true, true) => return self.query(b"FLUSH TABLES"),
            // Nothing that is here, the cache of threads for one: it asks for the same right.
            (true, false) => return self.query(b"FLUSH PRIVILEGES"),
            // FLUSH has it in no list.
            (false, true) => {
                if let Err(e) = self.quietly(b"FLUSH TABLES") {
                    self.error(&e);
                    return Next::Go;
                }
            }
            (false, false) => {}
        }
        self.query(format!("FLUSH {}", words.join(", ")).as_bytes())
    }

    /// A statement without rows, whose OK the client is not told of.
    fn quietly(&mut self, sql: &[u8]) -> Result<(), SqlError> {
        let now = Moment::now();
        let mut sink = NetSink::new(&mut self.conn, self.caps, false, &self.session, now);
        self.session.query_here(&self.server.rt, sql, &mut sink).result
    }
}
