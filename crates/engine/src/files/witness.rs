//! What each table's file must be at least: the newest page that a clean stop knew of, with its LSN, in a file of their own (`weir.lsn`).
//!
//! A copy of a table's file from an earlier day is a valid file of the right directory, and each of its pages is whole. It is known by
//! this page, which has an older LSN in it, or is not there at all. The file is looked at where its header is: before recovery applies
//! the first redo to it, else when the table is first used.
//!
//! A life that ends with a crash has changed files, too, and the life behind it may not touch them. So the first page of a listed table
//! that goes home in a life takes the place of the one in the list, once a checkpoint has passed it; and what went home behind the last
//! checkpoint is seen by recovery, which reads those pages.
//!
//! Invariants
//! - The list is a lower bound at every time. What it says of a page is home and synced when it is written, under another name first: at
//!   a clean stop everything is, else what a checkpoint has passed. LSNs of pages only grow, no table's file becomes shorter, and ids of
//!   spaces are never used again. So it holds after a crash, too.
//! - Recovery is the one time at which a page could be older than before: it formats a page without reading it where the log has all of
//!   it, and a batch later the page is as new as it was. So the list is written behind the checkpoint that has passed its pages, and
//!   recovery reads a listed page before it formats it. The second matters where a damaged slot of the control file leads to an older
//!   checkpoint.
//! - A page that does not verify says nothing here; it is found damaged when it is read.
//!
//! Nothing tells a copy that is older than the last change, but not older than the last clean stop, from the right file, unless redo
//! meets a page in it that is too old.

use super::{FIRST_TABLE, Space, Spaces};
use crate::ids::{Lsn, PageId, PageNo, SpaceId};
use crate::page::{self, get_u32, get_u64, put_u32, put_u64};
use crate::sync::atomic::Ordering;
use std::collections::BTreeMap;
use weir_disk::{File, IoBuf, Mode, OpenOptions, Result};

pub const FILE: &str = "weir.lsn";
const NEW: &str = "weir.lsn.new";
const MAGIC: u64 = u64::from_le_bytes(*b"WEIRlsn1");
/// Magic 8 | directory id 16 | entries 4 | zeros 4.
const HEAD: usize = 32;
/// Space 4 | page 4 | LSN 8.
const ENTRY: usize = 16;
const BLOCK: usize = 4096;

pub type Witnesses = BTreeMap<SpaceId, (PageNo, Lsn)>;

/// Pages of a space's file, with the LSNs that they have there at least. LSN 0: none is known.
#[derive(Default)]
pub struct Home {
    /// The first one that became known since the start.
    first: (PageNo, Lsn),
    /// The one with the highest LSN.
    newest: (PageNo, Lsn),
}

fn encode(directory: &[u8; 16], all: &Witnesses) -> Vec<u8> {
    let used = HEAD + all.len() * ENTRY + 4;
    let mut b = vec![0; used.next_multiple_of(BLOCK)];
    put_u64(&mut b, 0, MAGIC);
    b[8..24].copy_from_slice(directory);
    put_u32(&mut b, 24, all.len() as u32);
    for (i, (space, (page, lsn))) in all.iter().enumerate() {
        let at = HEAD + i * ENTRY;
        put_u32(&mut b, at, *space);
        put_u32(&mut b, at + 4, *page);
        put_u64(&mut b, at + 8, *lsn);
    }
    let crc = crc32c::crc32c(&b[..used - 4]);
    put_u32(&mut b, used - 4, crc);
    b
}

/// `None`: it is damaged, or another directory's.
fn decode(directory: &[u8; 16], b: &[u8]) -> Option<Witnesses> {
    if b.len() < HEAD || get_u64(b, 0) != MAGIC || b[8..24] != *directory {
        return None;
    }
    let count = get_u32(b, 24) as usize;
    let end = count.checked_mul(ENTRY)?.checked_add(HEAD)?;
    if b.len() < end.checked_add(4)? || get_u32(b, end) != crc32c::crc32c(&b[..end]) {
        return None;
    }
    let entry = |i: usize| {
        let at = HEAD + i * ENTRY;
        (get_u32(b, at), (get_u32(b, at + 4), get_u64(b, at + 8)))
    };
    Some((0..count).map(entry).collect())
}

impl Space {
    /// A page of it goes to the file, or was found there by recovery.
    pub fn goes_home(&self, page: PageNo, lsn: Lsn) {
        let mut home = self.home.lock();
        if lsn > home.newest.1 {
            home.newest = (page, lsn);
            if home.first.1 == 0 {
                home.first = (page, lsn);
                self.arrived.store(true, Ordering::Relaxed);
            }
        }
    }
}

impl Spaces {
    /// Takes over what the last clean stop has written down; says when that cannot be read.
    pub async fn read_witnesses(&self) -> Result<()> {
        if !self.disk.exists(FILE).await? {
            return Ok(());
        }
        let how = OpenOptions { create: false, create_new: false, mode: Mode::Buffered };
        let file = self.disk.open_needed(FILE, how).await?;
        let len = file.len().await? as usize / BLOCK * BLOCK;
        let (bytes, done) = file.read(0, IoBuf::new(len)).await;
        done?;
        match decode(&self.directory, &bytes) {
            Some(all) => *self.witnesses.lock() = all,
            None => self.say(&format!(
                "warning: file '{FILE}' is damaged; a table's file that is older than the last stop is not recognized"
            )),
        }
        Ok(())
    }

    /// Whether this is the page by which its file is known: it had been written and synced when that was written down.
    pub fn is_witness(&self, id: PageId) -> bool {
        self.witnesses.lock().get(&id.space).is_some_and(|(page, _)| *page == id.page)
    }

    /// A clean stop: everything is home and synced, and the last checkpoint has passed it.
    pub async fn write_witnesses(&self) -> Result<()> {
        let mut all = self.witnesses.lock().clone();
        let spaces = self.all();
        all.retain(|id, _| spaces.binary_search_by_key(id, |s| s.id).is_ok());
        for s in spaces.iter().filter(|s| s.id >= FIRST_TABLE) {
            let newest = s.home.lock().newest;
            if newest.1 > 0 {
                all.insert(s.id, newest);
            }
        }
        self.put_witnesses(&all).await
    }

    /// Everything before `checkpoint`, which is written, is home and synced. Tables that are in the list, whose copies of earlier days may lie around, stand in
    /// it from now on with a page of this life. Each comes to that once in a life, so few checkpoints write the list.
    pub async fn renew_witnesses(&self, checkpoint: Lsn) -> Result<()> {
        if !self.arrived.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        let mut all = self.witnesses.lock().clone();
        let (mut changed, mut later) = (false, false);
        for s in self.all() {
            let Some(listed) = all.get_mut(&s.id) else { continue };
            let first = s.home.lock().first;
            if first.1 > listed.1 {
                later |= first.1 >= checkpoint;
                if first.1 < checkpoint {
                    (*listed, changed) = (first, true);
                }
            }
        }
        if changed {
            if let Err(e) = self.put_witnesses(&all).await {
                self.arrived.store(true, Ordering::Relaxed);
                return Err(e);
            }
            *self.witnesses.lock() = all;
        }
        if later {
            self.arrived.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    async fn put_witnesses(&self, all: &Witnesses) -> Result<()> {
        let bytes = encode(&self.directory, all);
        let mut buf = IoBuf::new(bytes.len());
        buf.copy_from_slice(&bytes);
        let how = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
        let file = self.disk.open_needed(NEW, how).await?;
        file.truncate(0).await?;
        let (_, done) = file.write(0, buf).await;
        done?;
        file.sync().await?;
        self.disk.rename(NEW, FILE).await?;
        self.disk.sync_dir("").await
    }

    /// Why the file cannot be what it was at the last clean stop.
    pub async fn is_stale(&self, space: &Space) -> Result<Option<String>> {
        let witness = self.witnesses.lock().get(&space.id).copied();
        let Some((page, lsn)) = witness else { return Ok(None) };
        let (size, at) = (self.page_size, u64::from(page) * self.page_size as u64);
        if space.file.len().await? < at + size as u64 {
            return Ok(Some(format!(
                "the file is older than the last stop of the server: it has no page {page}"
            )));
        }
        let (bytes, done) = space.file.read(at, IoBuf::new(size)).await;
        done?;
        let has = page::lsn(&bytes);
        // A file grows ahead of its pages: where the older one has the page, it may never have been written.
        let whole =
            page::is_blank(&bytes) || page::verify(&bytes, PageId::new(space.id, page)).is_ok();
        let older = whole && has < lsn;
        Ok(older.then(|| {
            format!(
                "the file is older than the last stop of the server: page {page} has LSN {has}, and had {lsn}"
            )
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for n in [0, 1, 253, 254, 5000] {
            let all: Witnesses = (0..n).map(|i| (i + 16, (i * 3, u64::from(i) << 33))).collect();
            let b = encode(&[7; 16], &all);
            assert_eq!(b.len() % BLOCK, 0);
            assert_eq!(decode(&[7; 16], &b), Some(all));
            assert_eq!(decode(&[8; 16], &b), None);
            for at in [0, 25, HEAD, b.len().min(HEAD + n as usize * ENTRY + 3)] {
                let mut bad = b.clone();
                bad[at] ^= 1;
                assert!(n == 0 && at == HEAD || decode(&[7; 16], &bad).is_none(), "{n} {at}");
            }
        }
    }
}
