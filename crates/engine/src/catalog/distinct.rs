//! How many different values each prefix of an index has, estimated from few pages.
//!
//! The entries of an index are sorted, so a prefix has one more value than there are places where it changes from one entry to the next. A
//! subtree whose lower and upper fence have the same prefix holds no such place, and need not be read: the fences in the pages above tell. So a
//! value that fills whole leaves is seen without reading them, and where few subtrees hold changes all of them are read and the count is exact.
//! Of many, some at equal distances are read, level by level, and stand for the others.
//!
//! Pages read: the root, the ways to the first and the last entry, and at most [`INNER`] and [`LEAVES`] pages for all prefixes of an index
//! together. Pages are latched one at a time, so that entries written in between may be counted or not.
//!
//! A fence is cut behind the first byte that tells its two neighbours apart. Where that byte lies within the prefix the fence is shorter than
//! the prefix, and the prefix changes there.

use crate::btree::{self, Page, Tree};
use crate::error::Result;
use crate::mtr::{self, Core};
use crate::row::{KeyPartType, decode_len};
use std::collections::HashMap;
use std::sync::Arc;

/// Inner pages below the root that are read at most, and leaves.
const INNER: usize = 27;
const LEAVES: usize = 30;

/// A subtree: what it owns, by its fences, or by the first and last entry where it is the first or last one of its level.
struct Span {
    from: Vec<u8>,
    to: Vec<u8>,
}

/// The pages of one tree that have been read, by their level and lower fence.
pub struct Sampler<'c> {
    core: &'c Core,
    tree: &'c Tree,
    types: &'c [KeyPartType],
    pages: HashMap<(u16, Vec<u8>), Arc<Page>>,
    /// The first and the last entry.
    ends: (Vec<u8>, Vec<u8>),
}

/// The pages that prefixes yet to be asked for may still read.
struct Budget {
    inner: usize,
    leaves: usize,
    prefixes: usize,
}

impl<'c> Sampler<'c> {
    pub fn new(core: &'c Core, tree: &'c Tree, types: &'c [KeyPartType]) -> Sampler<'c> {
        Sampler { core, tree, types, pages: HashMap::new(), ends: Default::default() }
    }

    /// Estimates the values of the prefixes of 1, 2 and so on up to `most` parts.
    pub async fn distinct(&mut self, most: usize) -> Result<Vec<f64>> {
        let (core, tree) = (self.core, self.tree);
        let root = mtr::run(core, 0, |w| btree::root_page(w.core, tree)).await?;
        self.ends = mtr::run(core, 0, |w| btree::ends(w.core, tree)).await?;
        let mut budget = Budget { inner: INNER, leaves: LEAVES, prefixes: most };
        let mut out = Vec::with_capacity(most);
        for parts in 1..=most {
            let values = self.changes(&root, parts, &mut budget).await? + 1.0;
            budget.prefixes -= 1;
            // A longer prefix has at least as many values.
            out.push(out.last().copied().unwrap_or(0.0f64).max(values));
        }
        Ok(out)
    }

    /// Estimates the places where the prefix of so many parts changes.
    async fn changes(&mut self, root: &Page, parts: usize, budget: &mut Budget) -> Result<f64> {
        if root.level == 0 {
            return Ok(self.changes_in(root, parts) as f64);
        }
        let mut spans = self.children(root);
        let mut weight = 1.0;
        for level in (0..root.level).rev() {
            spans.retain(|s| self.may_change(s, parts));
            let most = match level {
                0 => budget.leaves / budget.prefixes,
                _ => budget.inner / budget.prefixes / usize::from(level),
            };
            let chosen = spread(spans.len(), most.max(1));
            weight *= spans.len() as f64 / chosen.len().max(1) as f64;
            let mut below = Vec::new();
            let mut found = 0;
            for at in chosen {
                let known = self.pages.len();
                let page = self.page(level, &spans[at].from).await?;
                let read = self.pages.len() - known;
                let left = if level == 0 { &mut budget.leaves } else { &mut budget.inner };
                *left = left.saturating_sub(read);
                match level {
                    0 => found += self.changes_in(&page, parts),
                    _ => below.extend(self.children(&page)),
                }
            }
            if level == 0 {
                return Ok(found as f64 * weight);
            }
            spans = below;
        }
        Ok(0.0)
    }

    async fn page(&mut self, level: u16, from: &[u8]) -> Result<Arc<Page>> {
        let key = (level, from.to_vec());
        if let Some(known) = self.pages.get(&key) {
            return Ok(known.clone());
        }
        let (core, tree) = (self.core, self.tree);
        let page = mtr::run(core, 0, |w| btree::page_at(w.core, tree, from, level)).await?;
        let page = Arc::new(page);
        self.pages.insert(key, page.clone());
        Ok(page)
    }

    fn prefix<'k>(&self, key: &'k [u8], parts: usize) -> Option<&'k [u8]> {
        decode_len(&self.types[..parts], key).map(|len| &key[..len])
    }

    fn may_change(&self, s: &Span, parts: usize) -> bool {
        match (self.prefix(&s.from, parts), self.prefix(&s.to, parts)) {
            (Some(a), Some(b)) => a != b,
            _ => true,
        }
    }

    /// The subtrees below an inner page.
    fn children(&self, page: &Page) -> Vec<Span> {
        let (first, last) = &self.ends;
        let end = page.upper.as_ref().unwrap_or(last);
        let next = page.keys.iter().skip(1).chain([end]).cloned();
        let from = page.keys.iter().map(|k| if k.is_empty() { first } else { k }).cloned();
        from.zip(next).map(|(from, to)| Span { from, to }).collect()
    }

    /// The places in a leaf where the prefix changes, the one behind its last entry included.
    fn changes_in(&self, leaf: &Page, parts: usize) -> usize {
        let mut last: Option<&[u8]> = None;
        let mut changes = 0;
        for key in &leaf.keys {
            let Some(prefix) = self.prefix(key, parts) else { continue };
            changes += usize::from(last.is_some_and(|l| l != prefix));
            last = Some(prefix);
        }
        let behind = match (&leaf.upper, last) {
            (Some(upper), Some(last)) => self.prefix(upper, parts).is_none_or(|u| u != last),
            _ => false,
        };
        changes + usize::from(behind)
    }
}

/// At most so many of `n` places, one of each of as many runs of the same length. Which one of a run changes from run to run, so that what
/// repeats at equal distances is not met at the same point each time.
fn spread(n: usize, most: usize) -> Vec<usize> {
    /// The fractions of the golden ratio's multiples fill an interval evenly.
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    if n <= most {
        return (0..n).collect();
    }
    let run = n as f64 / most as f64;
    let place = |i: usize| (i as f64 + (i as f64 * GOLDEN).fract()) * run;
    (0..most).map(|i| (place(i) as usize).min(n - 1)).collect()
}

#[cfg(all(test, not(any(shuttle, miri))))]
mod tests;
