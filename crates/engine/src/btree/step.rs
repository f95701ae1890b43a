//! From one leaf to the next, with what was passed latched.

use super::{Tree, leaf};
use crate::mtr::{Attempt, Gather, P};
use crate::page::{self, slotted};
use crate::planted::{self, Bug};
use crate::pool::Access;

/// The key that follows a place in its tree: in the leaf, or the first one behind it. `Ok(None)`: the end.
/// The following leaf stays gathered (shared), so that nothing slips in between.
pub fn next_key(
    g: &mut Gather<'_, '_>,
    tree: &Tree,
    at: P,
    slot: usize,
) -> Attempt<Option<Vec<u8>>> {
    let p = g.bytes(at);
    if slot < slotted::count(p) {
        return Ok(Some(slotted::key(p, slot)));
    }
    let mut at = slotted::upper(p).map(<[u8]>::to_vec);
    if planted::is(Bug::GapOfNextLeafMissed) {
        at = None;
    }
    while let Some(fence) = at {
        // A uniqueness check may hold the following leaf already; latching it twice would wait for itself.
        if let Some(p) = gathered_leaf(g, tree, &fence) {
            let b = g.bytes(p);
            if slotted::count(b) > 0 {
                return Ok(Some(slotted::key(b, 0)));
            }
            at = slotted::upper(b).map(<[u8]>::to_vec);
            continue;
        }
        let next = leaf(g.core(), tree, &fence, Access::Point)?;
        let b = next.bytes();
        if slotted::count(b) > 0 {
            let k = slotted::key(b, 0);
            g.adopt(next);
            return Ok(Some(k));
        }
        at = slotted::upper(b).map(<[u8]>::to_vec);
        g.adopt(next);
    }
    Ok(None)
}

/// The leaf of `tree` among the gathered pages that owns `key`.
pub fn gathered_leaf(g: &Gather<'_, '_>, tree: &Tree, key: &[u8]) -> Option<P> {
    g.find_where(|p| {
        let b = p.bytes();
        page::page_type(b) == Some(page::PageType::Tree)
            && page::owner(b) == tree.index
            && slotted::level(b) == 0
            && slotted::owns(b, key)
    })
}
