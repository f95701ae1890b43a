//! Deferred acknowledgement: a statement ends before its commit is durable, and its answer is sent when it is.
//!
//! Invariant: nothing of a statement's answer leaves before what it owes is settled, by [`Session::settle`] or by an answer that was left
//! with [`Session::leave_answer`]. So only the last step of a statement from outside may owe: autocommit, and COMMIT itself. Anyone who
//! lets a session owe ([`Session::let_owe`]) asks after each statement.

use super::Session;
use crate::ddl::engine_error;
use crate::session_api::SqlError;
use std::sync::Arc;
use weir_engine::{Answer, Owed, Txn};

/// When a commit is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// More follows in the same statement.
    Now,
    /// With the end of the statement, whose last step the commit is.
    Last,
}

#[derive(Default)]
pub(super) struct Owing {
    /// Commits may be settled behind their statements, by anyone who sends the answers.
    allowed: bool,
    /// What the statement's commit owes before its answer may be sent.
    owed: Option<Owed>,
}

impl Session {
    /// From now on statements may leave something to settle, and their caller asks for it.
    pub fn let_owe(&mut self, on: bool) {
        self.owing.allowed = on;
    }

    /// Something must be settled before the answer leaves.
    pub fn owes(&self) -> bool {
        self.owing.owed.is_some()
    }

    /// As [`Session::settle`].
    pub(super) async fn run_settle(&mut self) -> Result<(), SqlError> {
        match self.owing.owed.take() {
            Some(owed) => self.settle_one(owed).await,
            None => Ok(()),
        }
    }

    /// Leaves the answer to anyone who writes the log: it is given when the commit is durable. False: it is not taken, and must be settled.
    pub fn leave_answer(&mut self, answer: &Arc<dyn Answer>) -> bool {
        let left = self.owing.owed.is_some_and(|owed| self.inst.db.leave_answer(owed, answer));
        if left {
            self.owing.owed = None;
        }
        left
    }

    pub(super) async fn commit_told(&mut self, mut txn: Txn, told: Told) -> Result<(), SqlError> {
        if txn.notes_rows()
            && let Err(e) = Box::pin(self.carry_rows(&mut txn)).await
        {
            txn.rollback().await.map_err(engine_error)?;
            return Err(e);
        }
        let durability = self.durability();
        if self.said.unconfirmed.any()
            && let Some(hold) = self.hold_for_replicas()
        {
            txn.hold_commit(hold);
        }
        let Some(owed) = txn.commit_ahead(durability).await.map_err(engine_error)? else {
            return Ok(());
        };
        // What the commit was held for is confirmed.
        let is_confirmed = !self.said.unconfirmed.any();
        if !is_confirmed {
            self.said.unconfirmed.reaches(owed.lsn());
        }
        let rest = match told {
            Told::Last if is_confirmed || !self.waits_for_replicas() => self.owe(owed),
            _ => Some(owed),
        };
        match rest {
            Some(owed) => self.settle_one(owed).await,
            None => Ok(()),
        }
    }

    /// Leaves it owing behind the last step of a statement, where that may be; otherwise gives it back, to be settled now.
    pub(super) fn owe(&mut self, owed: Owed) -> Option<Owed> {
        // Statements inside others are followed by more.
        let last = self.depth == 0 && self.owing.allowed;
        if last && self.owing.owed.is_none() && self.inst.db.takes_answers() {
            self.owing.owed = Some(owed);
            return None;
        }
        Some(owed)
    }

    pub(super) async fn settle_one(&self, owed: Owed) -> Result<(), SqlError> {
        self.inst.db.settle_commit(owed).await.map_err(engine_error)
    }
}
