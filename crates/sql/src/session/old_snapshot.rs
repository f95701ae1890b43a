//! A transaction that keeps a snapshot for longer than `weir_snapshot_max_age` is rolled back, and its client hears of it at the next statement.
//!
//! The server looks once a second. It throws the interrupt of a session whose snapshot is too old: a statement that runs ends, and a
//! connection that is idle is woken to roll back. The session looks by itself before each statement as well, so that the limit holds
//! where nobody else looks, as in a program that has the database inside.
//!
//! While a session has LOCK INSTANCE FOR BACKUP nobody's snapshot is too old: those of a dump are among them. A prepared transaction has none.

use super::Session;
use crate::errno;
use crate::query::RunError;
use crate::session_api::SqlError;
use crate::status::Stat;

const SECOND: u64 = 1_000_000_000;

impl super::Instance {
    /// Nanoseconds for which a snapshot may be kept now; `None`: as long as its transaction likes.
    pub fn snapshot_limit(&self) -> Option<u64> {
        let seconds = self.vars.snapshot_max_age();
        (seconds > 0 && !self.definitions.is_backed_up()).then(|| seconds.saturating_mul(SECOND))
    }
}

impl Session {
    /// The session's transaction was rolled back for its age, or is to be.
    pub(super) fn has_old_snapshot(&self) -> bool {
        if self.given_up.is_some() || self.interrupt.is_over() {
            return true;
        }
        let Some(since) = self.interrupt.kept_since() else { return false };
        let age = || self.inst.db.rt().coarse_now().saturating_sub(since);
        self.inst.snapshot_limit().is_some_and(|limit| age() > limit)
    }

    /// Rolls the transaction back, if that was not done, and refuses the statement. A ROLLBACK is what it asks for.
    pub(super) async fn refuse_old_snapshot(&mut self, text: &[u8]) -> Result<(), SqlError> {
        self.give_up_old_snapshot().await;
        match self.given_up.take() {
            Some(e) if !is_rollback(text) => Err(*e),
            _ => Ok(()),
        }
    }

    /// Rolls the transaction back if its snapshot is too old. The next statement tells the client.
    pub async fn give_up_old_snapshot(&mut self) {
        if self.given_up.is_some() || !self.has_old_snapshot() {
            return;
        }
        self.interrupt.clear();
        self.interrupt.keeps_nothing();
        // As after a deadlock, a branch of a distributed transaction is there until its client rolls it back.
        let branch = self.xa.take();
        let done = self.end_transaction(false).await;
        self.xa = branch;
        self.lose_branch();
        let e = self.rolled_back_for_its_age();
        self.given_up = Some(Box::new(done.err().unwrap_or(e)));
    }

    /// The error of a statement that was interrupted because the snapshot is too old.
    pub(super) fn too_old(&self, e: RunError) -> RunError {
        match e {
            RunError::Sql(e)
                if e.errno == errno::ER_QUERY_INTERRUPTED && self.conn.kill.pending().is_none() =>
            {
                RunError::Deadlock(self.rolled_back_for_its_age())
            }
            e => e,
        }
    }

    fn rolled_back_for_its_age(&self) -> SqlError {
        self.inst.status.inc(Stat::Weir_snapshots_ended);
        let seconds = self.inst.vars.snapshot_max_age();
        SqlError::new(
            errno::ER_TRANSACTION_ROLLBACK_DURING_COMMIT,
            format!(
                "The transaction was rolled back because it kept a snapshot for longer than weir_snapshot_max_age = {seconds} seconds. \
                 Begin it again, and end it sooner or read at READ COMMITTED, or have the limit raised"
            ),
        )
    }
}

/// ROLLBACK as a whole, which would find nothing to roll back.
fn is_rollback(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let text = text.strip_suffix(b";").unwrap_or(text);
    let words: Vec<&[u8]> = text.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).collect();
    let is = |n: usize, word: &str| {
        words.get(n).is_some_and(|w| w.eq_ignore_ascii_case(word.as_bytes()))
    };
    is(0, "rollback") && (words.len() == 1 || words.len() == 2 && is(1, "work"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_rollback_is_one() {
        for text in ["rollback", " ROLLBACK\n", "Rollback work;", "rollback ;"] {
            assert!(is_rollback(text.as_bytes()), "{text}");
        }
        for text in
            ["", "rollback to a", "rollback and chain", "commit", "select 1", "rollback; select 1"]
        {
            assert!(!is_rollback(text.as_bytes()), "{text}");
        }
    }
}
