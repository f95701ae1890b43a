//! XA: a client's two rows change together, by a branch that commits at once, is rolled back, or stays prepared until somebody decides,
//! perhaps another session or one of a later life.

use super::{Client, Connection, Stage};
use crate::model::{OpenBranch, Phase};

/// What a branch that did not come to PREPARE may answer to its end: unknown, wrong state, rolled back for a reason of its own.
const ENDED: [u16; 6] = [1397, 1399, 1402, 1613, 1614, 1400];

impl Client {
    pub(super) async fn branch(&mut self, c: &mut Connection) {
        let no = self.no as usize;
        if self.stage.world().branches[no].open.is_none() {
            self.begin_branch(c, no).await;
        }
        let prepared = self.stage.world().branches[no].prepared().is_some();
        // Half of them wait for the next unit.
        if prepared && self.rng.chance(0.5) {
            if self.rng.chance(0.4) {
                // Whose session it was does not matter.
                let mut other = self.connect().await;
                self.decide(&mut other, no).await;
                other.close().await;
            } else {
                self.decide(c, no).await;
            }
        }
        self.look_at_branch(c, no).await;
    }

    async fn begin_branch(&mut self, c: &mut Connection, no: usize) {
        let (value, xid) = {
            let mut w = self.stage.world();
            let value = w.step() as i64;
            (value, format!("b{no}.{value}"))
        };
        if c.ask(&format!("XA START '{xid}'")).await.error.is_some() {
            return;
        }
        let open = OpenBranch { xid: xid.clone(), value, phase: Phase::Working };
        self.stage.world().branches[no].open = Some(open);
        if !self.work_in_branch(c, no, value, &xid).await {
            return self.give_up_branch(c, no, &xid).await;
        }
        let (phase, sql) = match self.rng.below(6) {
            0 => (Phase::Working, format!("XA ROLLBACK '{xid}'")),
            1 => (Phase::AtOnce, format!("XA COMMIT '{xid}' ONE PHASE")),
            _ => (Phase::Preparing, format!("XA PREPARE '{xid}'")),
        };
        self.stage.world().branches[no].set_phase(phase);
        self.perhaps_vanish(c);
        c.may_fail_with = ENDED.to_vec();
        let a = c.ask(&sql).await;
        let works = self.stage.engine_works();
        match (a.error, phase) {
            (None, Phase::Preparing) => {
                self.stage.world().branches[no].set_phase(Phase::Prepared);
            }
            (None, phase) => {
                let mut w = self.stage.world();
                w.commits += 1;
                w.branches[no].over(phase == Phase::AtOnce);
            }
            (Some(_), _) if works => self.give_up_branch(c, no, &xid).await,
            (Some(_), _) => {}
        }
    }

    /// The two rows, by one statement or two; whether the branch is ready for its end.
    async fn work_in_branch(&mut self, c: &mut Connection, no: usize, v: i64, xid: &str) -> bool {
        let (a, b) = (2 * no, 2 * no + 1);
        let all = match self.rng.below(3) {
            0 => vec![format!("UPDATE xa SET v = {v} WHERE id IN ({a}, {b})")],
            1 => vec![
                format!("UPDATE xa SET v = {v} WHERE id = {b}"),
                format!("REPLACE INTO xa VALUES ({a}, {v})"),
            ],
            _ => vec![
                format!("DELETE FROM xa WHERE id BETWEEN {a} AND {b}"),
                format!("INSERT INTO xa VALUES ({a}, {v}), ({b}, {v})"),
            ],
        };
        for sql in &all {
            self.pause().await;
            c.may_fail_with = ENDED.to_vec();
            if c.ask(sql).await.error.is_some() {
                return false;
            }
        }
        c.may_fail_with = ENDED.to_vec();
        c.ask(&format!("XA END '{xid}'")).await.error.is_none()
    }

    /// Ends a branch that is not prepared.
    async fn give_up_branch(&mut self, c: &mut Connection, no: usize, xid: &str) {
        for sql in [format!("XA END '{xid}'"), format!("XA ROLLBACK '{xid}'")] {
            // A client whose session is killed hears nothing but that; the branch goes with the session.
            for _ in 0..3 {
                c.may_fail_with = ENDED.to_vec();
                if c.ask(&sql).await.errno() != 1317 {
                    break;
                }
            }
        }
        if self.stage.engine_works() {
            self.stage.world().branches[no].over(false);
        }
    }

    /// Commits or rolls back what is prepared.
    async fn decide(&mut self, c: &mut Connection, no: usize) {
        let (commits, slow) = (self.rng.chance(0.6), self.rng.chance(0.3));
        if slow {
            self.pause().await;
        }
        decide(&self.stage, c, no, commits).await;
    }

    /// The two rows are what the last decision made them, and XA RECOVER lists the branch if it waits.
    async fn look_at_branch(&mut self, c: &mut Connection, no: usize) {
        let sql =
            format!("SELECT MIN(v), MAX(v) FROM xa WHERE id BETWEEN {} AND {}", 2 * no, 2 * no + 1);
        let rows = c.ask(&sql).await;
        let listed = c.ask("XA RECOVER").await;
        let mut w = self.stage.world();
        let b = w.branches[no].clone();
        if b.open.as_ref().is_some_and(|o| o.phase != Phase::Prepared) {
            return;
        }
        let want = [vec![b.value.to_string(), b.value.to_string()]];
        if rows.error.is_none() && rows.rows != want {
            w.fail("branches", format!("{sql}: {:?}, known is {b:?}", rows.rows));
        }
        let mine = listed_of(&listed.rows, no);
        let want: Vec<String> = b.prepared().map(|o| o.xid.clone()).into_iter().collect();
        if listed.error.is_none() && mine != want {
            w.fail("branches", format!("XA RECOVER lists {mine:?} of client {no}, not {want:?}"));
        }
    }
}

/// The branches of a client in the rows of XA RECOVER.
pub fn listed_of(rows: &[Vec<String>], no: usize) -> Vec<String> {
    let own = format!("b{no}.");
    let xids = rows.iter().filter_map(|r| r.last());
    xids.filter(|x| x.starts_with(&own)).cloned().collect()
}

async fn decide(stage: &Stage, c: &mut Connection, no: usize, commits: bool) {
    let Some(open) = stage.world().branches[no].prepared().cloned() else { return };
    let (word, phase) = match commits {
        true => ("COMMIT", Phase::Committing),
        false => ("ROLLBACK", Phase::RollingBack),
    };
    stage.world().branches[no].set_phase(phase);
    let a = c.ask(&format!("XA {word} '{}'", open.xid)).await;
    let works = stage.engine_works();
    let mut w = stage.world();
    match a.error {
        None => {
            w.commits += u64::from(commits);
            w.branches[no].over(commits);
        }
        // The decision was not taken.
        Some(_) if works => w.branches[no].set_phase(Phase::Prepared),
        Some(_) => {}
    }
}

/// Nobody leaves anything prepared: all branches are rolled back or committed, by somebody who comes last.
pub async fn end_branches(stage: &Stage) {
    let count = stage.world().branches.len();
    let mut c = stage.connect(3, "root");
    for no in 0..count {
        decide(stage, &mut c, no, no % 2 == 0).await;
    }
    c.close().await;
}
