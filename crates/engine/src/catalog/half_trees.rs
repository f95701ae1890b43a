//! Trees of indexes that are being built or freed: many mini-transactions, and a crash may come between any two of them.
//!
//! Such a tree stands in the dictionary under its index's id, with its space and its root, from the mini-transaction that makes its
//! root, or takes its index out of the table's definition, to the one that puts the index into the definition, or to the one
//! behind which all its pages are free. A start frees what it finds there.
//!
//! Entry: `'I' | index id 8, big-endian | 0 | 0 -> space 4 | root 4`, little-endian. The trees that an index has in the partitions of a
//! table go by one entry, under the first one's id: `(index id 8 | space 4 | root 4)...`, little-endian; it stays until all are free.
//!
//! Invariants
//! - A tree is named by its table's definition or by an entry here, never by both, and never by none while it has pages.
//! - Its pages are listed before the first is freed. While they are freed others may take those that are free already: the table's users
//!   go on. So each page is asked under its latch whether it is still the tree's, which its index's id tells. Where a stop came in
//!   between and the tree leads nowhere any more, the whole space is looked through for its pages.

use super::Catalog;
use crate::btree::{self, Tree};
use crate::dict::{self, Change, kind};
use crate::error::{Error, Result};
use crate::ids::{PageId, PageNo, SpaceId};
use crate::mtr;
use crate::page::redo::Redo;
use crate::page::{self, PageType, get_u32, get_u64};
use crate::planted::{self, Bug};
use crate::pool::LatchMode;
use crate::space::{self, Space};
use std::collections::HashSet;
use std::sync::Arc;

fn key(index: u64) -> Vec<u8> {
    dict::key(kind::HALF_TREE, &index.to_be_bytes())
}

fn index_of(key: &[u8]) -> Option<u64> {
    key.get(1..9).and_then(|b| b.try_into().ok()).map(u64::from_be_bytes)
}

fn value(space: SpaceId, root: PageNo) -> [u8; 8] {
    let mut v = [0; 8];
    v[..4].copy_from_slice(&space.to_le_bytes());
    v[4..].copy_from_slice(&root.to_le_bytes());
    v
}

/// The index goes out of its table's definition in the same mini-transaction.
pub fn begins_to_go(space: SpaceId, (index, root): (u64, PageNo)) -> Change {
    (key(index), Some(value(space, root).to_vec()))
}

/// Those of a partitioned table, in one entry however many they are.
pub fn go_together(trees: &[(SpaceId, (u64, PageNo))]) -> Option<Change> {
    let (_, (first, _)) = trees.first()?;
    let one = |(space, (index, root)): &(SpaceId, (u64, PageNo))| {
        [&index.to_le_bytes()[..], &value(*space, *root)].concat()
    };
    Some((key(*first), Some(trees.iter().flat_map(one).collect())))
}

/// The trees that an entry is about.
fn trees_of(k: &[u8], v: &[u8]) -> Result<Vec<(SpaceId, (u64, PageNo))>> {
    let place = |v: &[u8]| (get_u32(v, 0), get_u32(v, 4));
    match (index_of(k), v.len()) {
        (Some(index), 8) => {
            let (space, root) = place(v);
            Ok(vec![(space, (index, root))])
        }
        (Some(_), n) if n > 0 && n.is_multiple_of(16) => {
            let one = |v: &[u8]| {
                let (space, root) = place(&v[8..]);
                (space, (get_u64(v, 0), root))
            };
            Ok(v.chunks_exact(16).map(one).collect())
        }
        _ => Err(Error::Corrupt {
            what: "an entry of a half tree is cut off".into(),
            place: "data dictionary".into(),
        }),
    }
}

/// The index comes into its table's definition in the same mini-transaction.
pub fn is_whole(index: u64) -> Change {
    (key(index), None)
}

impl Catalog {
    /// Whether so many trees can come into a definition in one step.
    pub(super) fn become_whole(&self, trees: usize) -> Result<()> {
        dict::Dict::fits(&self.core, trees, key(0).len())
    }

    /// Makes the root of a tree that no definition names yet.
    pub(super) async fn begin_tree(&self, space: &Arc<Space>, index: u64) -> Result<PageNo> {
        let (dict, key) = (&self.dict, key(index));
        mtr::run(&self.core, 384, |w| {
            let mut g = w.gather();
            let entry = dict.prepare_put(&mut g, &key, 8)?;
            let new = space::allocate(&mut g, space, 0)?;
            let mut a = g.seal(288)?;
            new.mark(&mut a);
            a.record(new.page, &Redo::TreeInit { index, level: 0, lower: b"", upper: None });
            if !planted::is(Bug::HalfTreeForgotten) {
                entry.put(&mut a, dict, &value(space.id, new.id.page));
            }
            a.commit();
            Ok(new.id.page)
        })
        .await
    }

    /// Frees a tree that stands in the dictionary as one that goes, and its entry. What cannot be freed now, on a failing device, the
    /// next start frees: the statement has its outcome.
    pub(super) async fn end_tree(
        &self,
        space: &Arc<Space>,
        index: u64,
        root: PageNo,
    ) -> Result<()> {
        self.end_entry(key(index), &[(space.id, (index, root))]).await
    }

    /// The same of trees that go by one entry.
    pub(super) async fn end_together(&self, trees: &[(SpaceId, (u64, PageNo))]) -> Result<()> {
        let Some((_, (first, _))) = trees.first() else { return Ok(()) };
        self.end_entry(key(*first), trees).await
    }

    async fn end_entry(&self, entry: Vec<u8>, trees: &[(SpaceId, (u64, PageNo))]) -> Result<()> {
        for (space, (index, root)) in trees {
            // Of a file that is gone its pages are gone too.
            let Some(space) = self.core.spaces.get(*space) else { continue };
            if let Err(e) = self.free_pages(&space, *index, *root).await {
                return self.put_off(*index, space.path(), &e);
            }
        }
        match (self.dict.write_alone(&self.core, &[(entry, None)]).await, trees) {
            (Err(e), [(_, (index, _)), ..]) => self.put_off(*index, "the data dictionary", &e),
            (done, _) => done,
        }
    }

    fn put_off(&self, index: u64, place: &str, e: &Error) -> Result<()> {
        self.core.log.failure()?;
        (self.log)(&format!(
            "cannot free the pages of index {index} in '{place}' now, the next start will: {e}"
        ));
        Ok(())
    }

    /// Gives all pages of a tree back that are still its.
    async fn free_pages(&self, space: &Arc<Space>, index: u64, root: PageNo) -> Result<()> {
        let tree = Tree::new(space.clone(), root, index);
        let pages: Vec<PageNo> = match btree::check(&self.core, &tree, |_, _| {}).await {
            Ok(whole) if whole.problems.is_empty() => whole.pages.into_iter().collect(),
            Ok(_) | Err(Error::Corrupt { .. }) => (0..space.pages()).collect(),
            Err(e) => return Err(e),
        };
        for no in pages {
            mtr::run(&self.core, 96, |w| {
                let mut g = w.gather();
                if !space::is_allocated(&mut g, space, no)? {
                    return Ok(());
                }
                let p = g.fix(PageId::new(space.id, no), LatchMode::S)?;
                let b = g.bytes(p);
                if page::owner(b) != index || page::page_type(b) != Some(PageType::Tree) {
                    return Ok(());
                }
                let freed = space::free(&mut g, space, no)?;
                let mut a = g.seal(64)?;
                freed.clear(&mut a);
                a.commit();
                Ok(())
            })
            .await?;
        }
        Ok(())
    }

    /// Index ids of the trees in a space that are still to be freed.
    pub(super) async fn half_trees_of(&self, space: SpaceId) -> Result<HashSet<u64>> {
        let all = self.dict.scan(&self.core, &[kind::HALF_TREE]).await?;
        let trees = all.iter().flat_map(|(k, v)| trees_of(k, v).unwrap_or_default());
        Ok(trees.filter(|(s, _)| *s == space).map(|(_, (index, _))| index).collect())
    }

    /// Entries of half trees and of drop lists: what a start has to finish. There are none behind one that could read and write
    /// everything, as long as no definition statement is under way.
    pub async fn left_to_finish(&self) -> Result<usize> {
        let left = self.dict.scan(&self.core, &[kind::HALF_TREE]).await?;
        Ok(left.len() + self.dict.scan(&self.core, &[kind::DROPPED]).await?.len())
    }

    /// At a start: the trees that the last stop has left half built or half freed.
    pub(crate) async fn finish_trees(&self) -> Result<()> {
        for (k, v) in self.dict.scan(&self.core, &[kind::HALF_TREE]).await? {
            let mut trees = trees_of(&k, &v)?;
            // Pages of a file that is gone went with it.
            let usable = |id| self.core.spaces.get(id).filter(|s| s.refusal().is_none());
            trees.retain(|(space, _)| usable(*space).is_some());
            for space in trees.iter().filter_map(|(space, _)| usable(*space)) {
                space.measure().await?;
            }
            self.end_entry(k, &trees).await?;
        }
        Ok(())
    }
}
