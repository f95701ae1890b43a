//! Who owns which page of a space, gathered by a check and compared with the space's maps.

use crate::change_buffer::BUFFER;
use crate::error::Result;
use crate::ids::{PageId, PageNo};
use crate::mtr::{self, Core};
use crate::page::{self, PageType};
use crate::pool::{Access, LatchMode};
use crate::space::{self, Space};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// What a page may belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    /// The space itself: its header, its maps, a directory.
    Space,
    /// A tree, by its index's id.
    Tree(u64),
    /// A long column, by its first page.
    Chain(PageNo),
    /// The undo of a slot.
    Slot(u64),
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Owner::Space => f.write_str("the space itself"),
            Owner::Tree(id) if id & BUFFER != 0 => {
                write!(f, "the change buffer of index {}", id & !BUFFER)
            }
            Owner::Tree(id) => write!(f, "index {id}"),
            Owner::Chain(first) => write!(f, "the long column that begins at page {first}"),
            Owner::Slot(slot) => write!(f, "undo slot {slot}"),
        }
    }
}

/// Problems of one kind that are listed one by one; more of them say no more.
const TOLD: usize = 4;

pub(super) struct Owners {
    of: HashMap<PageNo, Owner>,
    /// Indexes that are gone and whose pages are still to be freed.
    half: HashSet<u64>,
    problems: Vec<String>,
}

impl Owners {
    /// Knows the space's header and maps.
    pub(super) fn new(space: &Space, page_size: usize) -> Owners {
        let mut owners = Owners { of: HashMap::new(), half: HashSet::new(), problems: Vec::new() };
        owners.take(0, Owner::Space);
        let bits = space::bits_per_map(page_size);
        for k in 0..space.pages().div_ceil(bits) {
            owners.take(space::map_page(page_size, k * bits), Owner::Space);
        }
        owners
    }

    /// Notes the owner of a page; `false`, and a problem, when it has one already.
    pub(super) fn take(&mut self, page: PageNo, owner: Owner) -> bool {
        match self.of.entry(page) {
            Entry::Vacant(v) => {
                v.insert(owner);
                true
            }
            Entry::Occupied(o) => {
                if self.problems.len() < TOLD {
                    let first = o.get();
                    self.problems.push(format!("page {page} belongs to {first} and to {owner}"));
                }
                false
            }
        }
    }

    pub(super) fn take_all(&mut self, index: u64, pages: impl IntoIterator<Item = PageNo>) {
        for p in pages {
            self.take(p, Owner::Tree(index));
        }
    }

    /// Pages of these indexes belong to them, although no definition names them any more.
    pub(super) fn expect_half(&mut self, indexes: HashSet<u64>) {
        self.half = indexes;
    }

    /// Follows the pages of a long column. It ends where it meets a page of somebody else, or its own.
    pub(super) async fn take_chain(
        &mut self,
        core: &Core,
        space: &Space,
        first: PageNo,
    ) -> Result<()> {
        let mut page = first;
        while page != 0 && self.take(page, Owner::Chain(first)) {
            let id = PageId::new(space.id, page);
            let next = mtr::run(core, 0, |w| {
                let g = w.core.pool.fix(id, LatchMode::S, Access::Scan)?;
                let blob = page::page_type(g.bytes()) == Some(PageType::Blob);
                Ok(blob.then(|| page::get_u32(g.bytes(), page::HEADER)))
            })
            .await?;
            page = next.unwrap_or_else(|| {
                self.problems.push(format!("page {page} is no page of a long column"));
                0
            });
        }
        Ok(())
    }

    async fn is_of_half(&self, core: &Core, id: PageId) -> Result<bool> {
        if self.half.is_empty() {
            return Ok(false);
        }
        mtr::run(core, 0, |w| {
            let g = w.core.pool.fix(id, LatchMode::S, Access::Scan)?;
            let tree = page::page_type(g.bytes()) == Some(PageType::Tree);
            Ok(tree && self.half.contains(&page::owner(g.bytes())))
        })
        .await
    }

    /// Every page with an owner must be taken in the maps, and the other way round. Nobody may change the space meanwhile.
    pub(super) async fn compare(mut self, core: &Core, space: &Space) -> Result<Vec<String>> {
        let (mut lost, mut wild) = (0u64, 0u64);
        for page in 0..space.pages() {
            let set = mtr::run(core, 0, |w| {
                let mut g = w.gather();
                space::is_allocated(&mut g, space, page)
            })
            .await?;
            match (set, self.of.remove(&page).is_some()) {
                (true, false) if self.is_of_half(core, PageId::new(space.id, page)).await? => {}
                (true, false) => lost += 1,
                (false, true) => wild += 1,
                _ => {}
            }
        }
        if wild > 0 {
            self.problems.push(format!("space map: {wild} pages in use are marked free"));
        }
        // Pages of deleted rows are found through their rows, those of older versions through the history.
        if lost > 0 {
            self.problems.push(format!("space map: {lost} pages are taken but belong to nothing"));
        }
        if !self.of.is_empty() {
            let n = self.of.len();
            self.problems.push(format!("{n} pages in use lie behind the end of the file"));
        }
        Ok(self.problems)
    }
}
