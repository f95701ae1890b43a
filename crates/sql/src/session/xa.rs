//! XA: a transaction that a coordinator outside ends in two phases. See docs/decisions/two-phase-commit.md.
//!
//! A session has at most one branch, from XA START until XA PREPARE, XA COMMIT ... ONE PHASE or XA ROLLBACK. What is prepared belongs to no
//! session any more, and any session ends it (MySQL's `xa_detach_on_prepare=ON`).
//!
//! Invariant: while there is a branch, nothing but the statements of this file commits ([`Session::end_transaction`] asks).

use super::Session;
use crate::context::ShowResult;
use crate::ddl::engine_error;
use crate::errno;
use crate::infoschema::cells::{BIGINT, named, s, text};
use crate::locks::{TakenXid, rmfail, temporary_in_branch};
use crate::planted::{self, Bug};
use crate::query::Plan;
use crate::session_api::{OkInfo, ResultSink, SqlError};
use crate::value::{Collation, SqlType, Value};
use weir_engine::{Durability, Xid};
use weir_syntax::ast::{self, StartTransaction, Xa};

/// The branch of a distributed transaction that a session works on.
pub(super) struct Branch {
    name: TakenXid,
    state: State,
    /// The engine has rolled it back: XA END tells.
    lost: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Active,
    Idle,
    RollbackOnly,
}

impl Branch {
    fn state(&self) -> &'static str {
        match self.state {
            _ if self.lost => "ROLLBACK ONLY",
            State::Active => "ACTIVE",
            State::Idle => "IDLE",
            State::RollbackOnly => "ROLLBACK ONLY",
        }
    }

    /// 1399.
    pub(super) fn refused(&self) -> SqlError {
        rmfail(self.state())
    }

    fn is(&self, xid: &Xid) -> bool {
        self.name.xid == *xid
    }
}

fn unknown() -> SqlError {
    SqlError::of(errno::ER_XAER_NOTA, &[])
}

fn invalid() -> SqlError {
    SqlError::of(errno::ER_XAER_INVAL, &[])
}

fn outside() -> SqlError {
    SqlError::of(errno::ER_XAER_OUTSIDE, &[])
}

fn duplicate() -> SqlError {
    SqlError::of(errno::ER_XAER_DUPID, &[])
}

fn rolled_back() -> SqlError {
    SqlError::of(errno::ER_XA_RBDEADLOCK, &[])
}

/// The name as the engine has it. XA RECOVER shows the number as a signed one.
fn name_of(xid: &ast::Xid) -> Result<Xid, SqlError> {
    let fits = i64::try_from(xid.format_id).is_ok()
        && xid.gtrid.len() <= Xid::NAME_MAX
        && xid.bqual.len() <= Xid::NAME_MAX;
    match fits {
        true => {
            Ok(Xid { format: xid.format_id, gtrid: xid.gtrid.to_vec(), bqual: xid.bqual.to_vec() })
        }
        false => Err(invalid()),
    }
}

impl Session {
    pub(super) async fn xa(&mut self, x: &Xa, sink: &mut dyn ResultSink) -> Result<(), SqlError> {
        if let Xa::Recover { convert_xid } = x {
            let rows = self.xa_recover(*convert_xid);
            return self.send_rows(&rows, sink);
        }
        let done = self.xa_step(x).await;
        self.tell_branch();
        done?;
        self.ok(sink, OkInfo::default())
    }

    async fn xa_step(&mut self, x: &Xa) -> Result<(), SqlError> {
        match x {
            Xa::Start { xid, join, resume } => self.xa_start(name_of(xid)?, *join, *resume).await?,
            Xa::End { xid, suspend, .. } => self.xa_end(&name_of(xid)?, *suspend)?,
            Xa::Prepare(xid) => self.xa_prepare(&name_of(xid)?).await?,
            Xa::Commit { xid, one_phase } => self.xa_commit(&name_of(xid)?, *one_phase).await?,
            Xa::Rollback(xid) => self.xa_rollback(&name_of(xid)?).await?,
            // It has rows, and changes nothing.
            Xa::Recover { .. } => {}
        }
        Ok(())
    }

    async fn xa_start(&mut self, xid: Xid, join: bool, resume: bool) -> Result<(), SqlError> {
        match &mut self.xa {
            Some(b) if resume && b.state == State::Idle => {
                if !b.is(&xid) {
                    return Err(unknown());
                }
                b.state = State::Active;
                return Ok(());
            }
            _ if join || resume => return Err(invalid()),
            Some(b) => return Err(b.refused()),
            None => {}
        }
        if self.locked.is_some() || self.in_transaction() {
            return Err(outside());
        }
        let name = self.inst.xids.take(xid).ok_or_else(duplicate)?;
        if self.inst.db.knows_prepared(&name.xid) {
            return Err(duplicate());
        }
        self.begin(&StartTransaction::default()).await?;
        self.tracking.began_branch(&name.xid);
        self.xa = Some(Branch { name, state: State::Active, lost: false });
        Ok(())
    }

    fn xa_end(&mut self, xid: &Xid, suspend: bool) -> Result<(), SqlError> {
        if suspend {
            return Err(invalid());
        }
        let Some(b) = &mut self.xa else { return Err(rmfail("NON-EXISTING")) };
        if b.state != State::Active {
            return Err(b.refused());
        }
        if !b.is(xid) {
            return Err(unknown());
        }
        if b.lost {
            b.state = State::RollbackOnly;
            return Err(rolled_back());
        }
        b.state = State::Idle;
        Ok(())
    }

    async fn xa_prepare(&mut self, xid: &Xid) -> Result<(), SqlError> {
        let Some(b) = &self.xa else { return Err(rmfail("NON-EXISTING")) };
        if b.state != State::Idle {
            return Err(b.refused());
        }
        if !b.is(xid) {
            return Err(unknown());
        }
        // The name is this branch's until the engine has it.
        let branch = self.xa.take();
        self.explicit = false;
        self.savepoints.clear();
        let Some(mut txn) = self.txn.take() else { return Err(rolled_back()) };
        if let Err(e) = self.carry_branch(&mut txn, xid).await {
            txn.rollback().await.map_err(engine_error)?;
            return Err(e);
        }
        let durability = match planted::is(Bug::PrepareNotDurable) {
            true => Durability::Lazy,
            false => self.durability(),
        };
        let done = txn.prepare(xid, durability).await;
        drop(branch);
        self.drop_doomed().await;
        done.map_err(|e| match e {
            weir_engine::Error::Deadlock => SqlError::of(errno::ER_XA_RBROLLBACK, &[]),
            other => engine_error(other),
        })
    }

    /// Ends the session's own branch.
    async fn end_branch(&mut self, commit: bool) -> Result<(), SqlError> {
        let branch = self.xa.take();
        let done = self.end_transaction(commit).await;
        drop(branch);
        done
    }

    /// Whether a name means a prepared transaction: the session has to be in no other one.
    fn means_prepared(&self, xid: &Xid) -> Result<bool, SqlError> {
        match &self.xa {
            Some(b) if b.is(xid) => Ok(false),
            Some(b) => Err(b.refused()),
            None if self.in_transaction() => Err(outside()),
            None => Ok(true),
        }
    }

    async fn xa_commit(&mut self, xid: &Xid, one_phase: bool) -> Result<(), SqlError> {
        if self.means_prepared(xid)? {
            if one_phase {
                return Err(match self.inst.db.knows_prepared(xid) {
                    true => invalid(),
                    false => unknown(),
                });
            }
            let found = self.commit_prepared(xid).await?;
            return self.ended_prepared(xid, found);
        }
        match &self.xa {
            Some(b) if b.lost => {
                self.end_branch(false).await?;
                Err(rolled_back())
            }
            Some(b) if b.state == State::Idle && one_phase => self.end_branch(true).await,
            Some(b) => Err(b.refused()),
            None => Err(unknown()),
        }
    }

    /// A name that is known and was not found is in the hands of anyone who prepares or ends it, and may come back: a coordinator must not
    /// take it for ended.
    fn ended_prepared(&self, xid: &Xid, found: bool) -> Result<(), SqlError> {
        match found {
            true => Ok(()),
            false if self.inst.db.knows_prepared(xid) => Err(rmfail("PREPARED")),
            false => Err(unknown()),
        }
    }

    async fn xa_rollback(&mut self, xid: &Xid) -> Result<(), SqlError> {
        if self.means_prepared(xid)? {
            let (o, mut d) = (self.options(), self.durability());
            if planted::is(Bug::DecisionNotDurable) {
                d = Durability::Lazy;
            }
            let events = self.branch_ends(xid, "ROLLBACK").await?;
            let ended = self.inst.db.rollback_prepared_with(xid, o, d, events).await;
            let found = ended.map_err(engine_error)?;
            return self.ended_prepared(xid, found);
        }
        match &self.xa {
            Some(b) if b.state == State::Active && !b.lost => Err(b.refused()),
            _ => self.end_branch(false).await,
        }
    }

    fn xa_recover(&self, convert: bool) -> ShowResult {
        let data = match convert {
            true => text(4 * Xid::NAME_MAX as u32 + 2),
            false => SqlType::varchar(2 * Xid::NAME_MAX as u32, Collation::Binary),
        };
        let columns = vec![
            named("formatID".to_owned(), BIGINT),
            named("gtrid_length".to_owned(), BIGINT),
            named("bqual_length".to_owned(), BIGINT),
            named("data".to_owned(), data),
        ];
        let row = |xid: Xid| {
            let both = [&xid.gtrid[..], &xid.bqual[..]].concat();
            let hex = || both.iter().map(|b| format!("{b:02X}")).collect::<String>();
            let data = match convert {
                true => s(format!("0x{}", hex())),
                false => Value::text(both, Collation::Binary),
            };
            let number = |n: usize| Value::Int(n as i64);
            let (gtrid, bqual) = (number(xid.gtrid.len()), number(xid.bqual.len()));
            vec![Value::Int(xid.format as i64), gtrid, bqual, data]
        };
        ShowResult { columns, rows: self.inst.db.prepared().into_iter().map(row).collect() }
    }

    /// The engine has rolled the transaction back: what follows in the branch is refused until it is ended.
    pub(super) fn lose_branch(&mut self) {
        if let Some(b) = &mut self.xa {
            b.lost = true;
        }
        self.tell_branch();
    }

    /// May a plan run in the session's branch? 1399 for one with tables where the branch is not active, 4091 for one with
    /// temporary tables, which would end with the session that the branch is to outlive.
    pub(super) fn branch_admits(&self, plan: &Plan) -> Result<(), SqlError> {
        plan.fits_branch(self.xa.as_ref().map(Branch::state))
    }

    /// Stored functions and triggers ask for themselves.
    pub(super) fn tell_branch(&self) {
        self.info.set_branch(self.xa.as_ref().map(Branch::state));
    }

    /// 1399 where there is a branch that is not active.
    pub(super) fn check_branch_active(&self) -> Result<(), SqlError> {
        match &self.xa {
            Some(b) if b.state != State::Active || b.lost => Err(b.refused()),
            _ => Ok(()),
        }
    }

    /// 4091 for a definition of a temporary table within a branch.
    pub(super) fn check_branch_temporary(&self, temporary: bool) -> Result<(), SqlError> {
        match temporary && self.xa.is_some() {
            true => Err(temporary_in_branch()),
            false => Ok(()),
        }
    }
}
