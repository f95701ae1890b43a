//! The dictionary tree: small keys, values cut into chunks, changed by one mini-transaction a DDL.

use crate::btree::{self, Tree};
use crate::error::Result;
use crate::ids::PageNo;
use crate::mtr::{self, Attempt, Core, Work};
use crate::page::redo::Redo;
use crate::page::slotted;
use crate::planted::{self, Bug};
use crate::pool::Access;
use crate::space;
use crate::sync::atomic::Ordering;
use std::sync::Arc;

/// Index id of the dictionary tree; its root is the first page behind header and bitmap of the system space.
pub const INDEX: u64 = 1;
pub const ROOT: PageNo = 2;

pub mod kind {
    pub const SCHEMA: u8 = b'S';
    pub const TABLE: u8 = b'T';
    pub const META: u8 = b'M';
}

pub struct Dict {
    tree: Arc<Tree>,
}

/// One change: put (`Some`) or delete (`None`).
pub type Change = (Vec<u8>, Option<Vec<u8>>);

pub fn key(kind: u8, name: &[u8]) -> Vec<u8> {
    let mut k = vec![kind];
    k.extend_from_slice(name);
    k.push(0);
    k
}

pub fn table_key(id: u64) -> Vec<u8> {
    key(kind::TABLE, &id.to_be_bytes())
}

impl Dict {
    pub async fn create(core: &Core) -> Result<Dict> {
        let space = core.spaces.get(space::SYSTEM).expect("the system space is always open");
        let tree = btree::create(core, &space, INDEX).await?;
        assert_eq!(tree.root, ROOT, "the first page after header and bitmap");
        Ok(Dict { tree: Arc::new(tree) })
    }

    pub fn open(core: &Core) -> Dict {
        let space = core.spaces.get(space::SYSTEM).expect("the system space is always open");
        Dict { tree: Arc::new(Tree::new(space, ROOT, INDEX)) }
    }

    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// All entries whose key begins with `prefix`, chunks joined.
    pub async fn scan(&self, core: &Core, prefix: &[u8]) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let mut out: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        let mut at = prefix.to_vec();
        loop {
            let (cells, next) = mtr::run(core, 0, |w| {
                let g = btree::leaf(w.core, &self.tree, &at, Access::Point)?;
                let p = g.bytes();
                let from = slotted::search(p, &at).unwrap_or_else(|s| s);
                let cells: Vec<(Vec<u8>, Vec<u8>)> = (from..slotted::count(p))
                    .map(|s| (slotted::key(p, s), slotted::value(p, s).to_vec()))
                    .collect();
                Ok((cells, slotted::upper(p).map(<[u8]>::to_vec)))
            })
            .await?;
            for (mut k, v) in cells {
                if !k.starts_with(prefix) {
                    return Ok(out);
                }
                let chunk = k.pop();
                match out.last_mut() {
                    Some(last) if last.0 == k && chunk != Some(0) => last.1.extend_from_slice(&v),
                    _ => out.push((k, v)),
                }
            }
            match next {
                Some(u) if u.starts_with(prefix) || u.as_slice() < prefix => at = u,
                _ => return Ok(out),
            }
        }
    }

    pub async fn get(&self, core: &Core, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.scan(core, key).await?.into_iter().find(|(k, _)| k == key).map(|(_, v)| v))
    }

    fn chunk_size(core: &Core) -> usize {
        slotted::max_cell(core.spaces.page_size()) / 2
    }

    /// Applies all changes in one mini-transaction and makes it durable: the commit point of a DDL.
    pub async fn write(&self, core: &Core, changes: &[Change]) -> Result<()> {
        if planted::is(Bug::DdlInPieces) && changes.len() > 1 {
            for one in changes {
                Box::pin(self.write(core, std::slice::from_ref(one))).await?;
            }
            return Ok(());
        }
        // Which cells go and come: chunks beyond the new length of a value are removed.
        let mut puts: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        let mut gone: Vec<Vec<u8>> = Vec::new();
        for (k, v) in changes {
            let old = self.chunks(core, k).await?;
            let new: Vec<(Vec<u8>, Vec<u8>)> = match v {
                None => Vec::new(),
                Some(v) if v.is_empty() => vec![(with_chunk(k, 0), Vec::new())],
                Some(v) => v
                    .chunks(Self::chunk_size(core))
                    .enumerate()
                    .map(|(i, c)| (with_chunk(k, i), c.to_vec()))
                    .collect(),
            };
            gone.extend(old.into_iter().filter(|o| !new.iter().any(|(n, _)| n == o)));
            puts.extend(new);
        }
        let bytes: usize = puts.iter().map(|(k, v)| k.len() + v.len() + 64).sum::<usize>()
            + gone.iter().map(|k| k.len() + 32).sum::<usize>()
            + 128;
        let lsn = mtr::run(core, bytes * 2, |w| self.attempt(w, &puts, &gone, bytes * 2)).await?;
        if planted::is(Bug::DdlNotDurable) {
            return Ok(());
        }
        core.log.flush_for(lsn, crate::log::Reach::Durable, (0, 0)).await?;
        core.stats.commits.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    async fn chunks(&self, core: &Core, key: &[u8]) -> Result<Vec<Vec<u8>>> {
        mtr::run(core, 0, |w| {
            let mut out = Vec::new();
            let mut at = with_chunk(key, 0);
            loop {
                let g = btree::leaf(w.core, &self.tree, &at, Access::Point)?;
                let p = g.bytes();
                let from = slotted::search(p, &at).unwrap_or_else(|s| s);
                for s in from..slotted::count(p) {
                    let k = slotted::key(p, s);
                    if k.len() != key.len() + 1 || !k.starts_with(key) {
                        return Ok(out);
                    }
                    out.push(k);
                }
                match slotted::upper(p) {
                    Some(u) if u < with_chunk(key, 255).as_slice() => at = u.to_vec(),
                    _ => return Ok(out),
                }
            }
        })
        .await
    }

    fn attempt(
        &self,
        w: &mut Work<'_>,
        puts: &[(Vec<u8>, Vec<u8>)],
        gone: &[Vec<u8>],
        need: usize,
    ) -> Attempt<u64> {
        let mut g = w.gather();
        // First half: every leaf is latched, and has room for all that goes into it.
        let mut incoming: Vec<(crate::mtr::P, usize)> = Vec::new();
        let leaf_of = |g: &mut crate::mtr::Gather<'_, '_>, k: &[u8]| -> Attempt<crate::mtr::P> {
            let here = g.find_where(|p| {
                crate::page::owner(p.bytes()) == INDEX
                    && crate::page::page_type(p.bytes()) == Some(crate::page::PageType::Tree)
                    && slotted::owns(p.bytes(), k)
            });
            match here {
                Some(p) => Ok(p),
                None => {
                    let guard = btree::leaf_x(g.core(), &self.tree, k)?;
                    Ok(g.adopt(guard))
                }
            }
        };
        for (k, v) in puts {
            let p = leaf_of(&mut g, k)?;
            let add = slotted::cell_size(k.len(), v.len());
            let sum = match incoming.iter_mut().find(|(q, _)| *q == p) {
                Some(x) => {
                    x.1 += add;
                    x.1
                }
                None => {
                    incoming.push((p, add));
                    add
                }
            };
            if slotted::free_bytes(g.bytes(p)) < sum {
                return Err(btree::split_job(&self.tree, k, sum));
            }
        }
        for k in gone {
            leaf_of(&mut g, k)?;
        }
        let places: Vec<crate::mtr::P> = puts
            .iter()
            .map(|(k, _)| k)
            .chain(gone)
            .map(|k| leaf_of(&mut g, k))
            .collect::<Attempt<_>>()?;
        let mut a = g.seal(need)?;
        for (i, (k, v)) in puts.iter().enumerate() {
            let p = places[i];
            match slotted::search(a.bytes(p), k) {
                Ok(slot) => a.record(p, &Redo::SlotReplace { slot: slot as u16, value: v }),
                Err(slot) => btree::insert(&mut a, &self.tree, p, slot, k, v),
            }
        }
        for (i, k) in gone.iter().enumerate() {
            let p = places[puts.len() + i];
            if let Ok(slot) = slotted::search(a.bytes(p), k) {
                a.record(p, &Redo::SlotRemove { slot: slot as u16 });
            }
        }
        Ok(a.commit())
    }
}

fn with_chunk(key: &[u8], i: usize) -> Vec<u8> {
    let mut k = key.to_vec();
    k.push(u8::try_from(i).expect("definitions are shorter than 256 chunks"));
    k
}
