//! What the connection asks of its session besides statements: another database, another user, a fresh start, the end.

use super::Session;
use crate::account::Privileges;
use crate::memory::SessionMemory;
use crate::meta::cache::schema_meta;
use crate::meta::temporary;
use crate::rights::{self, Need};
use crate::session_api::{ConnInfo, SqlError};
use crate::status::SessionCounts;
use crate::value::Collation;
use crate::vars::{Var, VarValue};
use std::sync::Arc;
use std::time::Duration;
use weir_rt::Boxed;

impl Session {
    pub(super) fn use_database(&mut self, name: &str) -> Result<(), SqlError> {
        rights::check(&[Need::AnyOnSchema { schema: name.into() }], &mut self.access)?;
        let known = self.inst.db.schema(name).is_some() || crate::ddl::is_virtual_schema(name);
        if !known || name == temporary::HIDDEN {
            return Err(SqlError::unknown_database(name));
        }
        self.info.database = Some(name.to_string());
        self.follow_schema();
        self.tracking.schema();
        Ok(())
    }

    /// `collation_database` and `character_set_database` are those of the default schema, or the server's without one. What SET
    /// has given them lasts until the next USE.
    pub(super) fn follow_schema(&mut self) {
        let collation = match self.info.database.as_deref() {
            Some(name) if crate::ddl::is_virtual_schema(name) => Some(Collation::Utf8mb3GeneralCi),
            Some(name) => self.inst.db.schema(name).map(|s| schema_meta(&s).collation),
            None => None,
        };
        let server = || Collation::by_name(&self.inst.vars.text(Var::collation_server));
        let Some(collation) = collation.or_else(server) else { return };
        let (name, charset) = (collation.name(), collation.charset().name());
        self.vars.put(Var::collation_database, VarValue::Str(name.into()));
        self.vars.put(Var::character_set_database, VarValue::Str(charset.into()));
    }

    /// COM_INIT_DB.
    pub fn init_db<'a>(&'a mut self, name: &'a str) -> Boxed<'a, Result<(), SqlError>> {
        Box::pin(async move {
            crate::ddl::refused::check_length(name)?;
            self.use_database(name)
        })
    }

    /// COM_RESET_CONNECTION.
    pub fn reset(&mut self) -> Boxed<'_, Result<(), SqlError>> {
        Box::pin(async move {
            self.end_transaction(false).await?;
            self.forget_started();
            self.handlers.close_all();
            self.drop_temporaries().await;
            self.locked = None;
            self.backup = None;
            self.vars.reset();
            self.kept = Default::default();
            self.vars.set_handshake_collation(self.conn.collation_id);
            self.user_vars.clear();
            self.forget_statements();
            self.inst.user_locks.release_all(self.conn.id);
            self.given_up = None;
            self.warnings.clear();
            self.next_isolation = None;
            self.next_read_only = None;
            self.info.reset();
            self.access.reset_roles();
            self.show_roles();
            let database = self.info.database.take();
            self.begin_vars();
            self.info.database = database;
            self.follow_schema();
            Ok(())
        })
    }

    /// COM_CHANGE_USER, after the password was checked.
    pub fn change_user(&mut self, who: ConnInfo) -> Boxed<'_, Result<(), SqlError>> {
        Box::pin(async move {
            self.end_transaction(false).await?;
            self.drop_temporaries().await;
            *self = Session::open(&self.inst.clone(), who);
            Ok(())
        })
    }

    /// Rolls back and lets go of everything.
    pub fn close(mut self) -> Boxed<'static, ()> {
        Box::pin(async move {
            self.interrupt.clear();
            // A failure here is the engine's, which has told its owner.
            let _ = self.end_transaction(false).await;
            self.drop_temporaries().await;
            self.inst.history.forget(self.conn.id);
        })
    }

    /// Waits for the next command, the rest of a packet, a client to take its answer.
    pub fn timeouts(&self) -> (Duration, Duration, Duration) {
        self.settings.timeouts
    }

    /// What a replica says of itself by variables of its own, under the new or the old name.
    pub fn said_by_replica(&self, names: [&str; 2]) -> Option<String> {
        names.iter().find_map(|n| self.user_vars.get(n)).and_then(|v| v.to_string_lossy())
    }

    /// 1227: anyone who asks for the binary log needs REPLICATION SLAVE.
    pub fn may_follow(&mut self) -> Result<(), SqlError> {
        rights::check(&[Need::Global(Privileges::REPLICATION_SLAVE)], &mut self.access)
    }

    pub fn database(&self) -> &str {
        self.info.database.as_deref().unwrap_or("")
    }

    /// The text of an error as the client gets it.
    pub fn message<'e>(&self, e: &'e SqlError) -> std::borrow::Cow<'e, [u8]> {
        super::text::message(self.settings.results, e)
    }

    /// The session's counters, for what the server counts on its behalf.
    pub fn counts(&self) -> &SessionCounts {
        self.work.counts()
    }

    /// The session's account of memory, for what the server keeps on its behalf.
    pub fn memory(&self) -> &Arc<SessionMemory> {
        &self.info.memory
    }
}
