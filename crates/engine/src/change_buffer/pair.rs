//! The leaves of both trees at a position, latched together, and their entries as one sequence.

use super::Trees;
use crate::btree;
use crate::mtr::{Attempt, Core};
use crate::page::slotted;
use crate::planted::{self, Bug};
use crate::pool::{Access, Guard};

/// The leaf of the main tree, and that of the buffer tree if there is one. What they both own is the piece that can be read (I14).
pub struct Pair<'c> {
    main: Guard<'c>,
    buffer: Option<Guard<'c>>,
}

/// What is left of a piece, in slots of the two leaves: those from `from` on and below `to`.
#[derive(Default)]
pub struct Walk {
    main: Span,
    buffer: Span,
    /// The two next keys, for as long as both leaves have one.
    keys: [Vec<u8>; 2],
}

#[derive(Default, Clone, Copy)]
struct Span {
    from: usize,
    to: usize,
}

impl Span {
    fn is_empty(self) -> bool {
        self.from >= self.to
    }
}

impl Walk {
    /// Passes the lowest entry, of the main leaf: see [`Pair::values`].
    #[inline]
    pub fn skip_first(&mut self) {
        self.main.from += 1;
    }

    /// Entries that are left.
    pub fn left(&self) -> usize {
        let of = |s: Span| s.to.saturating_sub(s.from);
        of(self.main) + of(self.buffer)
    }
}

/// The slots of a leaf whose keys are in `[low, high)`; `None`: to its end.
fn span(p: &[u8], low: &[u8], high: Option<&[u8]>) -> Span {
    let slot = |k: &[u8]| {
        if k < slotted::lower(p) {
            0
        } else if slotted::owns(p, k) {
            slotted::search(p, k).unwrap_or_else(|s| s)
        } else {
            slotted::count(p)
        }
    };
    Span { from: slot(low), to: high.map_or(slotted::count(p), slot) }
}

impl<'c> Pair<'c> {
    /// The leaves that own a key.
    pub fn owning(core: &'c Core, trees: Trees<'_>, key: &[u8]) -> Attempt<Pair<'c>> {
        let main = btree::leaf(core, trees.main, key, Access::Scan)?;
        let buffer = match trees.buffer {
            Some(tree) => Some(btree::leaf(core, tree, key, Access::Scan)?),
            None => None,
        };
        Ok(Pair { main, buffer })
    }

    /// The leaves that own what is just below a key (`None`: the last ones).
    pub fn below(core: &'c Core, trees: Trees<'_>, key: Option<&[u8]>) -> Attempt<Pair<'c>> {
        let main = btree::leaf_before(core, trees.main, key, Access::Scan)?;
        let buffer = match trees.buffer {
            Some(tree) => Some(btree::leaf_before(core, tree, key, Access::Scan)?),
            None => None,
        };
        Ok(Pair { main, buffer })
    }

    /// A key of the main leaf for which entries wait in the buffer leaf: the first of them; `None`: none do.
    pub fn waits(&self) -> Option<Vec<u8>> {
        let b = self.buffer.as_ref()?.bytes();
        let main = self.main.bytes();
        let there = span(b, slotted::lower(main), slotted::upper(main));
        (!there.is_empty()).then(|| slotted::key(b, there.from))
    }

    /// Where the piece begins.
    pub fn lower(&self) -> &[u8] {
        let main = slotted::lower(self.main.bytes());
        match &self.buffer {
            Some(b) if !planted::is(Bug::BackwardAtMainFence) => {
                main.max(slotted::lower(b.bytes()))
            }
            _ => main,
        }
    }

    /// Where it ends.
    pub fn upper(&self) -> Option<&[u8]> {
        let main = slotted::upper(self.main.bytes());
        let buffer = self.buffer.as_ref().and_then(|b| slotted::upper(b.bytes()));
        match (main, buffer) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// The entries of the piece in `[low, high)`.
    pub fn walk(&self, low: &[u8], high: Option<&[u8]>) -> Walk {
        let Some(buffer) = &self.buffer else {
            return Walk { main: span(self.main.bytes(), low, high), ..Walk::default() };
        };
        let low = low.max(self.lower());
        let high = match (high, self.upper()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let mut w = Walk {
            main: span(self.main.bytes(), low, high),
            buffer: span(buffer.bytes(), low, high),
            ..Walk::default()
        };
        self.meet(&mut w, true, true, false);
        w
    }

    /// Both leaves have more: their next keys, or last ones, are to be compared.
    fn meet(&self, w: &mut Walk, main: bool, buffer: bool, last: bool) {
        let Some(b) = &self.buffer else { return };
        if w.main.is_empty() || w.buffer.is_empty() {
            return;
        }
        for (i, changed, p, span) in
            [(0, main, self.main.bytes(), w.main), (1, buffer, b.bytes(), w.buffer)]
        {
            if changed {
                w.keys[i].clear();
                let slot = if last { span.to - 1 } else { span.from };
                slotted::key_into(p, slot, &mut w.keys[i]);
            }
        }
    }

    /// The lowest entry that is left: its leaf and slot.
    #[inline]
    pub fn first(&self, w: &Walk) -> Option<(&[u8], usize)> {
        let main = || (self.main.bytes(), w.main.from);
        match &self.buffer {
            Some(b) if !w.buffer.is_empty() => {
                let from_main = !w.main.is_empty() && w.keys[0] < w.keys[1];
                Some(if from_main { main() } else { (b.bytes(), w.buffer.from) })
            }
            _ => (!w.main.is_empty()).then(main),
        }
    }

    /// The values of all entries that are left, from the lowest up, where the leaf of the main tree has them all.
    pub fn values<'p>(&'p self, w: &Walk) -> Option<impl Iterator<Item = &'p [u8]> + use<'p, 'c>> {
        let alone = self.buffer.is_none() || w.buffer.is_empty();
        alone.then(|| slotted::values(self.main.bytes(), w.main.from, w.main.to))
    }

    /// Passes the lowest entry.
    #[inline]
    pub fn pass_first(&self, w: &mut Walk) {
        if self.buffer.is_none() {
            w.main.from += 1;
            return;
        }
        let both = !w.main.is_empty() && !w.buffer.is_empty();
        let from_main = w.buffer.is_empty() || (both && w.keys[0] < w.keys[1]);
        if from_main {
            w.main.from += 1
        } else {
            w.buffer.from += 1
        }
        self.meet(w, from_main, !from_main, false);
    }

    /// The entries of the piece in `[low, high)`, to be read from the highest down.
    pub fn walk_back(&self, low: &[u8], high: Option<&[u8]>) -> Walk {
        let mut w = self.walk(low, high);
        self.meet(&mut w, true, true, true);
        w
    }

    /// The highest entry that is left.
    #[inline]
    pub fn last(&self, w: &Walk) -> Option<(&[u8], usize)> {
        let main = || (self.main.bytes(), w.main.to - 1);
        match &self.buffer {
            Some(b) if !w.buffer.is_empty() => {
                let from_main = !w.main.is_empty() && w.keys[0] > w.keys[1];
                Some(if from_main { main() } else { (b.bytes(), w.buffer.to - 1) })
            }
            _ => (!w.main.is_empty()).then(main),
        }
    }

    /// Passes the highest entry.
    #[inline]
    pub fn pass_last(&self, w: &mut Walk) {
        if self.buffer.is_none() {
            w.main.to -= 1;
            return;
        }
        let both = !w.main.is_empty() && !w.buffer.is_empty();
        let from_main = w.buffer.is_empty() || (both && w.keys[0] > w.keys[1]);
        if from_main {
            w.main.to -= 1
        } else {
            w.buffer.to -= 1
        }
        self.meet(w, from_main, !from_main, true);
    }
}
