//! EXPLAIN FOR CONNECTION: the statement that another session runs at this moment, planned here in that session's schema.
//!
//! It is planned again, with this session's rights and modes: anyone who asks needs the rights of the statement itself beside PROCESS. The
//! other session's temporary tables and the values of its parameters are not known here.

use super::Session;
use super::execute::Origin;
use crate::account::Privileges;
use crate::errno;
use crate::session_api::{ResultSink, SqlError};
use weir_syntax::ast::{Explain, ExplainTarget, Statement};

impl Session {
    pub(super) async fn explain_for(
        &mut self,
        explain: &Explain,
        id: u64,
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        // It would run what another session runs.
        if explain.analyze {
            return Err(SqlError::not_supported("EXPLAIN ANALYZE FOR CONNECTION"));
        }
        let found = self.inst.sessions().list().into_iter().find(|p| p.id == id);
        let Some(other) = found else {
            return Err(SqlError::of(errno::ER_NO_SUCH_THREAD, &[&id]));
        };
        if other.user != self.conn.user && !self.access.global().intersects(Privileges::PROCESS) {
            let (user, host) = (&self.conn.account_user, &self.conn.account_host);
            return Err(SqlError::of(errno::ER_ACCESS_DENIED_ERROR, &[&user, &host, &"YES"]));
        }
        let text = other.info.filter(|_| id != self.conn.id).ok_or_else(not_explained)?;
        let parsed = self.parse(text.as_bytes(), false, None).map_err(|_| not_explained())?;
        let known = matches!(
            parsed.stmt,
            Statement::Select(_)
                | Statement::Insert(_)
                | Statement::Update(_)
                | Statement::Delete(_)
        );
        if !known {
            return Err(not_explained());
        }
        let stmt = Statement::Explain(Box::new(Explain {
            target: ExplainTarget::Statement(Box::new(parsed.stmt)),
            ..explain.clone()
        }));
        let own = std::mem::replace(&mut self.info.database, other.db);
        let done = Box::pin(self.run_query(&stmt, Origin::Tree, &[], sink)).await;
        self.info.database = own;
        done
    }
}

/// 3012.
fn not_explained() -> SqlError {
    SqlError::of(errno::ER_EXPLAIN_NOT_SUPPORTED, &[])
}
