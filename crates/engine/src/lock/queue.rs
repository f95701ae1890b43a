//! What excludes what: pure functions.

/// Strength of the record part, and of a gap (where it does not matter for conflicts, but is shown).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Mode {
    S,
    X,
}

/// Which parts of (gap below the key, key itself) a lock covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Kind {
    Record,
    Gap,
    NextKey,
    InsertIntention,
}

impl Kind {
    pub fn has_record(self) -> bool {
        matches!(self, Kind::Record | Kind::NextKey)
    }

    pub fn has_gap(self) -> bool {
        matches!(self, Kind::Gap | Kind::NextKey)
    }
}

/// Whether a request must wait for a lock that stands before it in the queue and belongs to another transaction.
pub fn conflicts(request: (Mode, Kind), held: (Mode, Kind)) -> bool {
    let (rm, rk) = request;
    let (hm, hk) = held;
    // Nobody waits for an insert intention: it is a request to pass, not a claim.
    if hk == Kind::InsertIntention {
        return false;
    }
    if rk == Kind::InsertIntention {
        return hk.has_gap();
    }
    // Gaps are shared by all; only the record parts exclude each other.
    rk.has_record() && hk.has_record() && (rm == Mode::X || hm == Mode::X)
}

/// Whether a lock that a transaction has makes a further request of the same transaction unnecessary.
pub fn covers(held: (Mode, Kind), request: (Mode, Kind)) -> bool {
    let (hm, hk) = held;
    let (rm, rk) = request;
    if rk == Kind::InsertIntention || hk == Kind::InsertIntention {
        return false;
    }
    let strong = hm == Mode::X || rm == Mode::S;
    (!rk.has_record() || (hk.has_record() && strong)) && (!rk.has_gap() || hk.has_gap())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 4] = [Kind::Record, Kind::Gap, Kind::NextKey, Kind::InsertIntention];

    #[test]
    fn the_whole_table() {
        // InnoDB's rules, restated: rows = request, columns = held, for X against X.
        let want = [
            // Record Gap NextKey Intention
            [true, false, true, false],
            [false, false, false, false],
            [true, false, true, false],
            [false, true, true, false],
        ];
        for (i, r) in KINDS.iter().enumerate() {
            for (j, h) in KINDS.iter().enumerate() {
                assert_eq!(
                    conflicts((Mode::X, *r), (Mode::X, *h)),
                    want[i][j],
                    "{r:?} behind {h:?}"
                );
                let shared = conflicts((Mode::S, *r), (Mode::S, *h));
                assert_eq!(
                    shared,
                    *r == Kind::InsertIntention && h.has_gap(),
                    "{r:?} behind {h:?}"
                );
            }
        }
    }

    #[test]
    fn covering_is_never_weaker() {
        for hk in KINDS {
            for rk in KINDS {
                if covers((Mode::S, hk), (Mode::X, rk)) {
                    assert!(!rk.has_record());
                }
                if covers((Mode::X, hk), (Mode::X, rk)) {
                    assert!(!rk.has_gap() || hk.has_gap());
                    assert!(!rk.has_record() || hk.has_record());
                }
            }
        }
    }
}
