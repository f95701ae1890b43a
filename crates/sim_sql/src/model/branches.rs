//! Branches of distributed transactions: one for each client at a time, which changes the client's two rows to one value.
//!
//! A branch whose PREPARE was answered stays until somebody decides about it, over the end of its session, of the process and of the
//! machine; after the decision it is gone for good, and the two rows say what was decided.

/// How far a branch has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Nothing of it lasts.
    Working,
    /// XA COMMIT ... ONE PHASE was sent.
    AtOnce,
    /// XA PREPARE was sent.
    Preparing,
    Prepared,
    /// XA COMMIT was sent.
    Committing,
    /// XA ROLLBACK of a prepared branch was sent.
    RollingBack,
}

#[derive(Clone, Debug)]
pub struct OpenBranch {
    pub xid: String,
    /// What its two rows will be.
    pub value: i64,
    pub phase: Phase,
}

/// What one client has.
#[derive(Clone, Default, Debug)]
pub struct Branch {
    /// What the two rows are for readers.
    pub value: i64,
    pub open: Option<OpenBranch>,
}

impl Branch {
    pub fn set_phase(&mut self, phase: Phase) {
        if let Some(o) = &mut self.open {
            o.phase = phase;
        }
    }

    /// It has committed, or it is gone without a trace.
    pub fn over(&mut self, committed: bool) {
        if let Some(o) = self.open.take().filter(|_| committed) {
            self.value = o.value;
        }
    }

    /// The xid of the branch if it must be listed by XA RECOVER.
    pub fn prepared(&self) -> Option<&OpenBranch> {
        self.open.as_ref().filter(|o| o.phase == Phase::Prepared)
    }

    /// After a start: what XA RECOVER lists of the client, and its two rows.
    pub fn recovered(&mut self, listed: &[String], rows: [i64; 2]) -> Result<(), String> {
        if rows[0] != rows[1] {
            return Err(format!("a part of a branch is there: its rows are {rows:?}, {self:?}"));
        }
        let known = |l: &String| self.open.as_ref().is_some_and(|o| o.xid == *l);
        if let Some(l) = listed.iter().find(|l| !known(l)) {
            return Err(format!("branch {l} is prepared, known was {self:?}"));
        }
        let (old, there) = (self.value, !listed.is_empty());
        let fits = match self.open.as_ref().map(|o| (o.phase, o.value)) {
            None => rows[0] == old,
            Some((phase, new)) => match (phase, there) {
                (Phase::Working | Phase::AtOnce, true) => false,
                (_, true) => rows[0] == old,
                (Phase::Prepared, false) => false,
                (Phase::Committing, false) => rows[0] == new,
                (Phase::AtOnce, false) => rows[0] == old || rows[0] == new,
                (Phase::Working | Phase::Preparing | Phase::RollingBack, false) => rows[0] == old,
            },
        };
        if !fits {
            return Err(format!("the rows of a branch are {rows:?}, listed: {there}, {self:?}"));
        }
        match there {
            true => self.set_phase(Phase::Prepared),
            false => *self = Branch { value: rows[0], open: None },
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(phase: Phase) -> Branch {
        let open = OpenBranch { xid: "b".into(), value: 2, phase };
        Branch { value: 1, open: Some(open) }
    }

    fn fits(phase: Phase, listed: bool, value: i64) -> bool {
        let listed: Vec<String> = listed.then(|| "b".to_string()).into_iter().collect();
        at(phase).recovered(&listed, [value, value]).is_ok()
    }

    #[test]
    fn a_prepared_branch_waits_for_its_decision() {
        use Phase::*;
        for (phase, listed, value, want) in [
            (Working, false, 1, true),
            (Working, true, 1, false),
            (AtOnce, false, 2, true),
            (AtOnce, true, 1, false),
            (Preparing, true, 1, true),
            (Preparing, false, 1, true),
            (Preparing, false, 2, false),
            (Prepared, true, 1, true),
            (Prepared, true, 2, false),
            (Prepared, false, 1, false),
            (Committing, false, 2, true),
            (Committing, false, 1, false),
            (Committing, true, 1, true),
            (RollingBack, false, 1, true),
            (RollingBack, false, 2, false),
        ] {
            assert_eq!(fits(phase, listed, value), want, "{phase:?} {listed} {value}");
        }
        assert!(at(Prepared).recovered(&["b".into()], [1, 2]).is_err());
        assert!(Branch::default().recovered(&["b".into()], [0, 0]).is_err());
    }
}
