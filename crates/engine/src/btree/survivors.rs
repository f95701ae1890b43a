//! What can still be read of a tree with damaged pages, leaf by leaf: for salvage, and for starts with `innodb_force_recovery`.
//!
//! The tree is walked from the root. Where a page cannot be read, or does not own what its parent says, a *gap* of keys is left. If
//! there are gaps at the end, all pages of the file are looked through for leaves of the index that own keys in them: fences tell what
//! a leaf owns without anything above it. Leaves on which no inner page has a say may be leftovers. The space's map tells which of them
//! are in use; of two that own the same keys the one in use, then the one that was changed last, is believed.
//!
//! Invariants
//! - No key range is handed out twice: a leaf is cut to the gap that it fills.
//! - What was neither handed out nor owned by nobody is in a gap. Nothing writes meanwhile.

use super::Tree;
use crate::error::{Error, Result};
use crate::ids::{Lsn, PageId, PageNo};
use crate::mtr::{self, Core};
use crate::page::{self, PageType, slotted};
use crate::pool::LatchMode;
use crate::space;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

/// A half-open range of keys; without an end it goes on to the last key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    pub lower: Vec<u8>,
    pub upper: Option<Vec<u8>>,
}

impl Range {
    pub fn has(&self, key: &[u8]) -> bool {
        key >= self.lower.as_slice() && self.upper.as_deref().is_none_or(|u| key < u)
    }

    /// What both have.
    fn and(&self, other: &Range) -> Option<Range> {
        let lower = self.lower.as_slice().max(&other.lower).to_vec();
        let upper = match (&self.upper, &other.upper) {
            (Some(a), Some(b)) => Some(a.min(b).clone()),
            (a, b) => a.as_ref().or(b.as_ref()).cloned(),
        };
        let some = upper.as_ref().is_none_or(|u| lower < *u);
        some.then_some(Range { lower, upper })
    }

    /// What the other one leaves of it: a part below, a part above.
    fn without(&self, other: &Range) -> Vec<Range> {
        let below = Range { lower: Vec::new(), upper: Some(other.lower.clone()) };
        let above = other.upper.clone().map(|lower| Range { lower, upper: None });
        [Some(below), above].into_iter().flatten().filter_map(|r| self.and(&r)).collect()
    }
}

/// Keys that are owned by no page that can be read.
#[derive(Clone, Debug)]
pub struct Gap {
    pub keys: Range,
    /// The page that should own them, and what is wrong with it.
    pub page: PageNo,
    pub why: String,
}

/// A leaf that was read.
pub struct Leaf {
    bytes: Vec<u8>,
    keys: Range,
    /// False: found by its content alone, and the space's map does not say that it is in use.
    pub certain: bool,
}

impl Leaf {
    /// Its cells within the range that it stands for.
    pub fn cells(&self) -> impl Iterator<Item = (Vec<u8>, &[u8])> {
        let p = &self.bytes;
        (0..slotted::count(p))
            .map(|s| (slotted::key(p, s), slotted::value(p, s)))
            .filter(|(k, _)| self.keys.has(k))
    }
}

struct Node {
    page: PageNo,
    /// None: the root's, which it tells itself.
    level: Option<u16>,
    keys: Range,
}

/// A leaf that may fill a gap.
struct Candidate {
    in_use: bool,
    lsn: Lsn,
    page: PageNo,
}

pub struct Survivors<'c> {
    core: &'c Core,
    tree: Arc<Tree>,
    /// Leaves that the map calls free may fill gaps: the map itself is old, or cannot be read.
    takes_stale: bool,
    /// Last comes first.
    stack: Vec<Node>,
    seen: HashSet<PageNo>,
    /// The best one is the last.
    candidates: Vec<Candidate>,
    looked_through: bool,
    ready: VecDeque<Leaf>,
    pub gaps: Vec<Gap>,
    /// Every page of the tree that could not be used; when there are gaps, every page of the file that cannot be read, since what is
    /// missing may have been there.
    pub bad: Vec<(PageNo, String)>,
    pub leaves: u64,
}

impl<'c> Survivors<'c> {
    pub fn new(core: &'c Core, tree: &Arc<Tree>, takes_stale: bool) -> Survivors<'c> {
        let root =
            Node { page: tree.root, level: None, keys: Range { lower: Vec::new(), upper: None } };
        Survivors {
            core,
            tree: tree.clone(),
            takes_stale,
            stack: vec![root],
            seen: HashSet::new(),
            candidates: Vec::new(),
            looked_through: false,
            ready: VecDeque::new(),
            gaps: Vec::new(),
            bad: Vec::new(),
            leaves: 0,
        }
    }

    /// The next leaf: those of the tree in the order of keys, then those that were found otherwise. After `None`, `gaps` is what is lost.
    pub async fn next_leaf(&mut self) -> Result<Option<Leaf>> {
        loop {
            let leaf = if let Some(leaf) = self.ready.pop_front() {
                Some(leaf)
            } else if let Some(node) = self.stack.pop() {
                self.visit(node).await?
            } else if self.gaps.is_empty() {
                return Ok(None);
            } else if let Some(c) = self.candidates.pop() {
                self.fill(&c).await?;
                None
            } else if !std::mem::replace(&mut self.looked_through, true) {
                self.candidates = self.look_through().await?;
                None
            } else {
                return Ok(None);
            };
            if leaf.is_some() {
                self.leaves += 1;
                return Ok(leaf);
            }
        }
    }

    /// A copy of a page, or what is wrong with it.
    async fn read(&self, no: PageNo) -> Result<std::result::Result<Vec<u8>, String>> {
        let id = PageId::new(self.tree.space.id, no);
        let read = mtr::run(self.core, 0, |w| {
            let mut g = w.gather();
            let p = g.fix(id, LatchMode::S)?;
            Ok(g.bytes(p).to_vec())
        })
        .await;
        match read {
            Ok(bytes) => Ok(Ok(bytes)),
            Err(Error::Corrupt { what, .. } | Error::Io { what }) => {
                self.core.log.failure()?;
                Ok(Err(what))
            }
            Err(e) => Err(e),
        }
    }

    fn fault(&self, bytes: &[u8], level: Option<u16>) -> Option<String> {
        if page::page_type(bytes) != Some(PageType::Tree) {
            return Some("not a page of a tree".into());
        }
        if page::owner(bytes) != self.tree.index {
            return Some(format!("belongs to index {}", page::owner(bytes)));
        }
        if let Err(e) = slotted::check(bytes) {
            return Some(e.to_string());
        }
        let has = slotted::level(bytes);
        level.filter(|l| *l != has).map(|l| format!("is on level {has} instead of {l}"))
    }

    fn lose(&mut self, keys: Range, page: PageNo, why: &str) {
        if !self.bad.iter().any(|(p, _)| *p == page) {
            self.bad.push((page, why.to_string()));
        }
        self.gaps.push(Gap { keys, page, why: why.to_string() });
    }

    async fn visit(&mut self, node: Node) -> Result<Option<Leaf>> {
        let no = node.page;
        let why = match no {
            _ if no >= self.tree.space.pages() => Some("is behind the file's end"),
            0 => Some("is no page of a tree"),
            _ if !self.seen.insert(no) => Some("is met twice"),
            _ => None,
        };
        if let Some(why) = why {
            self.lose(node.keys, no, why);
            return Ok(None);
        }
        let bytes = match self.read(no).await? {
            Ok(bytes) => bytes,
            Err(why) => {
                self.lose(node.keys, no, &why);
                return Ok(None);
            }
        };
        if let Some(why) = self.fault(&bytes, node.level) {
            self.lose(node.keys, no, &why);
            return Ok(None);
        }
        let own = fences(&bytes);
        let Some(keys) = node.keys.and(&own) else {
            self.lose(node.keys, no, "owns other keys than its parent says");
            return Ok(None);
        };
        for rest in node.keys.without(&own) {
            self.lose(rest, no, "owns fewer keys than its parent says");
        }
        if slotted::level(&bytes) == 0 {
            return Ok(Some(Leaf { bytes, keys, certain: true }));
        }
        self.push_children(&bytes, &keys);
        Ok(None)
    }

    fn push_children(&mut self, bytes: &[u8], keys: &Range) {
        let level = Some(slotted::level(bytes) - 1);
        let mut upper = slotted::upper(bytes).map(<[u8]>::to_vec);
        for slot in (0..slotted::count(bytes)).rev() {
            // Whatever its key, the first child has all that is below the second one.
            let lower = if slot == 0 { Vec::new() } else { slotted::key(bytes, slot) };
            let all = Range { lower: lower.clone(), upper };
            if let Some(keys) = all.and(keys) {
                let whole = slotted::value(bytes, slot).len() == 4;
                let page = if whole { slotted::child(bytes, slot) } else { 0 };
                self.stack.push(Node { page, level, keys });
            }
            upper = Some(lower);
        }
    }

    /// All leaves of the index that the walk has not come to and that own keys of a gap.
    async fn look_through(&mut self) -> Result<Vec<Candidate>> {
        let mut found = Vec::new();
        for no in 2..self.tree.space.pages() {
            if self.seen.contains(&no) {
                continue;
            }
            let bytes = match self.read(no).await? {
                Ok(bytes) => bytes,
                Err(why) => {
                    self.bad.push((no, format!("{why}; whose it was cannot be told")));
                    continue;
                }
            };
            if self.fault(&bytes, Some(0)).is_some() {
                continue;
            }
            let own = fences(&bytes);
            if !self.gaps.iter().any(|g| g.keys.and(&own).is_some()) {
                continue;
            }
            let in_use = self.is_in_use(no).await?;
            if in_use == Some(false) && !self.takes_stale {
                continue;
            }
            let in_use = in_use == Some(true);
            found.push(Candidate { in_use, lsn: page::lsn(&bytes), page: no });
        }
        found.sort_by_key(|c| (c.in_use, c.lsn));
        Ok(found)
    }

    /// What the map says; `None`: it cannot be read.
    async fn is_in_use(&self, no: PageNo) -> Result<Option<bool>> {
        let space = &self.tree.space;
        let said = mtr::run(self.core, 0, |w| {
            let mut g = w.gather();
            space::is_allocated(&mut g, space, no)
        })
        .await;
        match said {
            Ok(said) => Ok(Some(said)),
            Err(Error::Corrupt { .. } | Error::Io { .. }) => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Gives a leaf to the gaps that it has keys of.
    async fn fill(&mut self, c: &Candidate) -> Result<()> {
        let Ok(bytes) = self.read(c.page).await? else { return Ok(()) };
        let own = fences(&bytes);
        let mut left = Vec::new();
        for gap in std::mem::take(&mut self.gaps) {
            let Some(keys) = gap.keys.and(&own) else {
                left.push(gap);
                continue;
            };
            for rest in gap.keys.without(&own) {
                left.push(Gap { keys: rest, page: gap.page, why: gap.why.clone() });
            }
            self.ready.push_back(Leaf { bytes: bytes.clone(), keys, certain: c.in_use });
        }
        self.gaps = left;
        Ok(())
    }
}

fn fences(bytes: &[u8]) -> Range {
    Range {
        lower: slotted::lower(bytes).to_vec(),
        upper: slotted::upper(bytes).map(<[u8]>::to_vec),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(lower: &str, upper: &str) -> Range {
        let upper = (!upper.is_empty()).then(|| upper.as_bytes().to_vec());
        Range { lower: lower.as_bytes().to_vec(), upper }
    }

    #[test]
    fn ranges_are_cut_without_loss() {
        let all = range("", "");
        assert_eq!(all.without(&range("b", "d")), [range("", "b"), range("d", "")]);
        assert_eq!(range("b", "d").without(&all), []);
        assert_eq!(range("b", "d").without(&range("c", "")), [range("b", "c")]);
        assert_eq!(range("b", "d").without(&range("d", "e")), [range("b", "d")]);
        assert_eq!(range("b", "d").and(&range("d", "e")), None);
        assert_eq!(range("b", "").and(&range("a", "c")), Some(range("b", "c")));
        assert!(range("b", "c").has(b"bz") && !range("b", "c").has(b"c"));
    }
}
