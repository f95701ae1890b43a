//! A statement inside another one: EXECUTE runs what was prepared, SET the subquery of its value. Bodies of routines and
//! triggers are of the same kind.
//!
//! An inner statement runs as one from outside does (rights, plan, attempts, counters), with these differences:
//! - It is no command: it has no text, its beginning and end are those of the statement around it. So are the limits of memory and
//!   KILL, which belong to the session.
//! - It has parameters and diagnostics of its own. What it warned of is given back to anyone who runs it.
//! - Its transaction is the session's. Where there is none it is one of its own, as autocommit has it.
//! - Its answer goes to the sink that it is given.

use super::Session;
use crate::errno;
use crate::session_api::{ResultSink, SqlError};
use crate::value::{Value, Warnings};
use weir_syntax::ast::Statement;

/// Statements around one another at most, the outermost not counted. Each takes some kilobytes of the heap, and the plans in it
/// recur on the stack of their own depth, so it bounds what a routine that calls itself can take.
pub(super) const DEPTH_MAX: u32 = 64;

impl Session {
    /// Runs a parsed statement inside the one at hand; gives back its warnings.
    pub(super) async fn run_inner(
        &mut self,
        stmt: &Statement,
        params: &[Value<'static>],
        sink: &mut dyn ResultSink,
    ) -> (Result<(), SqlError>, Warnings) {
        if self.depth >= DEPTH_MAX {
            return (Err(too_deep()), Warnings::default());
        }
        self.depth += 1;
        let outer_params = std::mem::take(&mut self.params);
        let outer_warnings = std::mem::take(&mut self.current);
        let done = Box::pin(self.run_statement(stmt, params, sink)).await;
        self.params = outer_params;
        let own = std::mem::replace(&mut self.current, outer_warnings);
        self.depth -= 1;
        (done, own)
    }

    /// The same, for a statement that answers in the name of the one at hand: its warnings are that one's.
    pub(super) async fn run_for_outer(
        &mut self,
        stmt: &Statement,
        params: &[Value<'static>],
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        let (done, warnings) = self.run_inner(stmt, params, sink).await;
        self.current.absorb(warnings);
        done
    }
}

/// 1436, MySQL's answer to statements that nest too deep.
pub(super) fn too_deep() -> SqlError {
    let text = format!(
        "Thread stack overrun: statements run inside one another {DEPTH_MAX} deep, which is the limit"
    );
    SqlError::new(errno::ER_STACK_OVERRUN_NEED_MORE, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{AuthPlugin, PasswordHasher};
    use crate::session::Instance;
    use crate::session_api::{ConnInfo, Discard, KillSwitch, ParamValue};
    use crate::vars::GlobalVars;
    use std::sync::Arc;
    use weir_disk::sim::SimDisk;
    use weir_engine::{Db, Options};
    use weir_rt::sim::SimRt;

    struct NoPasswords;

    impl PasswordHasher for NoPasswords {
        fn hash(&self, _: AuthPlugin, _: &[u8]) -> String {
            String::new()
        }
        fn verify(&self, _: AuthPlugin, _: &str, _: &[u8]) -> bool {
            false
        }
        fn is_credential(&self, _: AuthPlugin, _: &str) -> bool {
            false
        }
    }

    fn root() -> ConnInfo {
        ConnInfo {
            id: 1,
            user: "root".into(),
            host: "localhost".into(),
            account_user: "root".into(),
            account_host: "localhost".into(),
            database: String::new(),
            collation_id: 45,
            found_rows: false,
            interactive: false,
            ignore_space: false,
            multi_statements: false,
            multi_results: true,
            out_params: true,
            attributes: Vec::new(),
            compression: None,
            tls: None,
            kill: Arc::new(KillSwitch::default()),
        }
    }

    fn with_session<F: Future<Output = Session>>(body: impl FnOnce(Session) -> F) {
        let sim = SimRt::new(1);
        let rt = sim.rt();
        let disk = Arc::new(SimDisk::new(rt.clone(), 1));
        let done = sim.run(async {
            let options = Options {
                buffer_pool: 8 << 20,
                redo_capacity: 16 << 20,
                log_buffer: 1 << 20,
                ..Options::default()
            };
            let db = Db::open(&rt, disk, options).await.expect("a fresh device");
            let vars = Arc::new(GlobalVars::default());
            let inst = Instance::open(db.clone(), vars, Box::new(NoPasswords)).await;
            let inst = inst.map_err(|e| e.message).expect("opens");
            body(Session::open(&inst, root())).await.close().await;
            db.shutdown().await.expect("shuts down");
        });
        done.expect("nothing waits for ever");
    }

    async fn ask(s: &mut Session, sql: &str) -> Result<(), u16> {
        s.query(sql.as_bytes(), &mut Discard).await.result.map_err(|e| e.errno)
    }

    #[test]
    fn too_deep_is_refused_and_one_less_is_not() {
        with_session(|mut s| async move {
            let (stmt, none) = (Statement::Begin, Warnings::default());
            s.depth = DEPTH_MAX - 1;
            let (done, warnings) = s.run_inner(&stmt, &[], &mut Discard).await;
            assert_eq!((done.is_ok(), warnings.total()), (true, none.total()));
            s.depth = DEPTH_MAX;
            let (done, _) = s.run_inner(&stmt, &[], &mut Discard).await;
            assert_eq!(done.unwrap_err().errno, 1436);
            // A statement from outside begins at the ground.
            assert_eq!(ask(&mut s, "prepare p from 'select 1'").await, Ok(()));
            assert_eq!(ask(&mut s, "execute p").await, Ok(()));
            s
        });
    }

    #[test]
    fn the_outer_statement_keeps_its_parameters_and_gets_the_warnings() {
        with_session(|mut s| async move {
            let p = s.prepare(b"set @a = (select ? / 0), @b = ?").await.expect("prepared");
            let values = [ParamValue::Int(7), ParamValue::Int(8)];
            s.execute(p.id, &values, &mut Discard).await.expect("runs");
            assert!(matches!(s.user_vars.get("a"), Some(Value::Null)));
            assert!(matches!(s.user_vars.get("b"), Some(Value::Int(8))));
            assert_eq!(s.warnings.list().iter().map(|w| w.code).collect::<Vec<_>>(), [1365]);
            s
        });
    }
}
