//! Structure check of a whole tree: order, fences, levels, space maps; hands every leaf cell to the caller.

use super::Tree;
use super::seek::{Toward, descend};
use crate::error::Result;
use crate::ids::PageNo;
use crate::mtr::{self, Core};
use crate::page::{self, slotted};
use crate::pool::{Access, LatchMode};
use std::collections::BTreeSet;

#[derive(Default, Debug)]
pub struct TreeReport {
    pub leaves: u64,
    pub inner: u64,
    pub cells: u64,
    /// All pages of the tree, in order: what is done with them is done in the same order every time.
    pub pages: BTreeSet<PageNo>,
    pub problems: Vec<String>,
}

const PROBLEMS_MAX: usize = 20;

impl TreeReport {
    fn say(&mut self, what: String) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(what);
        }
    }
}

/// What one page contributes, copied out under its latch.
struct Seen {
    no: PageNo,
    level: u16,
    upper: Option<Vec<u8>>,
    children: Vec<(Vec<u8>, PageNo)>,
    cells: Vec<(Vec<u8>, Vec<u8>)>,
    fault: Option<String>,
    lower: Vec<u8>,
}

/// Walks each level from left to right by fences. `each` gets every leaf cell in order. Runs beside writers: a page is
/// checked as it is under its latch; what is compared across pages is only what cannot change between them without a
/// fence changing too.
pub async fn check(
    core: &Core,
    tree: &Tree,
    mut each: impl FnMut(&[u8], &[u8]),
) -> Result<TreeReport> {
    let mut r = TreeReport::default();
    let height = mtr::run(core, 0, |w| {
        let g = w.core.pool.fix(tree.root_id(), LatchMode::S, Access::Scan)?;
        Ok(slotted::level(g.bytes()))
    })
    .await?;
    for level in (0..=height).rev() {
        let mut at: Vec<u8> = Vec::new();
        loop {
            let seen = mtr::run(core, 0, |w| {
                let g = descend(w.core, tree, Toward::Key(&at), level, LatchMode::S, Access::Scan)?;
                Ok(look(tree, g.bytes(), level))
            })
            .await;
            let seen = match seen {
                Ok(s) => s,
                Err(crate::error::Error::Corrupt { what, place }) => {
                    r.say(format!("{place}: {what}"));
                    break;
                }
                Err(e) => return Err(e),
            };
            if let Some(f) = &seen.fault {
                r.say(format!("{tree:?} page {}: {f}", seen.no));
            }
            if seen.lower.as_slice() > at.as_slice() {
                r.say(format!(
                    "{tree:?} page {}: keys between two pages belong to neither",
                    seen.no
                ));
            }
            if !r.pages.insert(seen.no) {
                r.say(format!("{tree:?} page {}: reached twice", seen.no));
            }
            if seen.level == 0 {
                r.leaves += 1;
                r.cells += seen.cells.len() as u64;
                for (k, v) in &seen.cells {
                    each(k, v);
                }
            } else {
                r.inner += 1;
                if seen.children.first().is_none_or(|c| c.0 != seen.lower) {
                    r.say(format!("{tree:?} page {}: first key is not the lower fence", seen.no));
                }
            }
            match seen.upper {
                // A fence that does not go on would be walked for ever.
                Some(u) if u > at || at.is_empty() => at = u,
                Some(_) => {
                    r.say(format!("{tree:?} page {}: ends where it begins", seen.no));
                    break;
                }
                None => break,
            }
        }
    }
    Ok(r)
}

fn look(tree: &Tree, p: &[u8], level: u16) -> Seen {
    let mut fault = slotted::check(p).err().map(|e| e.to_string());
    if page::owner(p) != tree.index {
        fault = Some(format!("belongs to index {}", page::owner(p)));
    }
    let n = if fault.is_some() { 0 } else { slotted::count(p) };
    let mut s = Seen {
        no: page::page_id(p).page,
        level,
        upper: slotted::upper(p).map(<[u8]>::to_vec),
        lower: slotted::lower(p).to_vec(),
        children: Vec::new(),
        cells: Vec::new(),
        fault,
    };
    for i in 0..n {
        if level == 0 {
            s.cells.push((slotted::key(p, i), slotted::value(p, i).to_vec()));
        } else {
            s.children.push((slotted::key(p, i), slotted::child(p, i)));
        }
    }
    s
}
