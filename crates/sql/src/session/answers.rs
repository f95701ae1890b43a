//! What every answer tells of its session.

use super::Session;
use crate::session_api::{OkInfo, StatusFlags};
use crate::value::SqlMode;

impl Session {
    /// What every answer tells.
    #[inline]
    pub fn status_flags(&self) -> StatusFlags {
        let in_transaction = self.shows_transaction();
        StatusFlags {
            in_transaction,
            read_only: in_transaction && self.is_read_only(),
            autocommit: self.settings.autocommit,
            no_backslash_escapes: self.mode_of_client().has(SqlMode::NO_BACKSLASH_ESCAPES),
            no_index_used: self.has_scanned(),
        }
    }

    /// Is there a transaction that a client would end? Without autocommit one begins with the first statement, and is not one for the
    /// client before it has come to a table.
    pub(super) fn shows_transaction(&self) -> bool {
        let used = |t: &weir_engine::Txn| t.has_used_tables();
        self.explicit || self.xa.is_some() || self.txn.as_ref().is_some_and(used)
    }

    /// The mode in which the client's statements are read. While a program runs, which has a mode of its own, the client learns of this
    /// one: it writes its next literals by it.
    fn mode_of_client(&self) -> SqlMode {
        self.outer_mode.unwrap_or(self.settings.mode)
    }

    pub(super) fn ok_info<'o>(&self, ok: OkInfo<'o>) -> OkInfo<'o> {
        OkInfo {
            flags: self.status_flags(),
            warnings: self.current.total().min(65_535) as u16,
            pressure: self.settings.tells_pressure.then(|| self.inst.db.pressure().value),
            ..ok
        }
    }
}
