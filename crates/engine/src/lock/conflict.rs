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
    pub const fn has_record(self) -> bool {
        matches!(self, Kind::Record | Kind::NextKey)
    }

    pub const fn has_gap(self) -> bool {
        matches!(self, Kind::Gap | Kind::NextKey)
    }
}

/// Whether a request must wait for a lock that stands before it in the queue and belongs to another transaction.
pub const fn conflicts(request: (Mode, Kind), held: (Mode, Kind)) -> bool {
    let (rm, rk) = request;
    let (hm, hk) = held;
    // Nobody waits for an insert intention: it is a request to pass, not a claim.
    if matches!(hk, Kind::InsertIntention) {
        return false;
    }
    if matches!(rk, Kind::InsertIntention) {
        return hk.has_gap();
    }
    // Gaps are shared by all; only the record parts exclude each other.
    rk.has_record() && hk.has_record() && (matches!(rm, Mode::X) || matches!(hm, Mode::X))
}

/// How many different (mode, kind) there are.
pub const CLASSES: usize = 8;

/// A (mode, kind) as a number below [`CLASSES`].
pub const fn class((mode, kind): (Mode, Kind)) -> usize {
    mode as usize * 4 + kind as usize
}

/// For each class the mask of the classes that a request of it waits for.
pub const WAITS_FOR: [u8; CLASSES] = {
    const ALL: [(Mode, Kind); CLASSES] = [
        (Mode::S, Kind::Record),
        (Mode::S, Kind::Gap),
        (Mode::S, Kind::NextKey),
        (Mode::S, Kind::InsertIntention),
        (Mode::X, Kind::Record),
        (Mode::X, Kind::Gap),
        (Mode::X, Kind::NextKey),
        (Mode::X, Kind::InsertIntention),
    ];
    let mut table = [0; CLASSES];
    let (mut r, mut h) = (0, 0);
    while r < CLASSES {
        while h < CLASSES {
            if conflicts(ALL[r], ALL[h]) {
                table[class(ALL[r])] |= 1 << class(ALL[h]);
            }
            h += 1;
        }
        (r, h) = (r + 1, 0);
    }
    table
};

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
    fn the_masks_say_the_same() {
        for (rm, rk) in KINDS.iter().flat_map(|k| [(Mode::S, *k), (Mode::X, *k)]) {
            for (hm, hk) in KINDS.iter().flat_map(|k| [(Mode::S, *k), (Mode::X, *k)]) {
                let bit = WAITS_FOR[class((rm, rk))] >> class((hm, hk)) & 1;
                assert_eq!(bit == 1, conflicts((rm, rk), (hm, hk)));
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
