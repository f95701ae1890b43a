//! All that can be known about backups before a target is touched.

use super::key::Key;
use super::manifest::Manifest;
use super::read::Reader;
use super::{Fault, hex};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use weir_engine::backup::{Begin, Block, End};
use weir_engine::log::stream::GroupStream;

/// A backup that is whole.
#[derive(Clone, Debug)]
pub struct Checked {
    pub path: PathBuf,
    pub begin: Begin,
    pub end: End,
    pub manifest: Manifest,
}

/// What the blocks of one backup have told so far.
struct Seen {
    begin: Begin,
    stream: GroupStream,
    /// The highest page of each file that came.
    highest: HashMap<u32, u32>,
    pages: u64,
    end: Option<End>,
}

impl Seen {
    fn add(&mut self, block: Block) -> Fault<()> {
        if self.end.is_some() {
            return Err("something follows its last block".into());
        }
        match block {
            Block::Begin(_) => return Err("it begins twice".into()),
            Block::Pages(p) => {
                p.check(self.begin.page_size as usize).map_err(|e| e.to_string())?;
                let highest = p.pages.iter().chain(&p.blank).max().copied().unwrap_or(0);
                let known = self.highest.entry(p.space).or_default();
                *known = highest.max(*known);
                self.pages += p.pages.len() as u64;
            }
            Block::Redo { at, bytes } => {
                if at != self.stream.end() {
                    return Err(format!(
                        "its redo goes on at LSN {at} instead of {}",
                        self.stream.end()
                    ));
                }
                self.stream.push(&bytes);
                while self.stream.next_group().map_err(|e| e.to_string())?.is_some() {}
            }
            Block::End(e) => self.end = Some(e),
        }
        Ok(())
    }

    /// Everything came, and it fits together.
    fn close(self) -> Fault<(Begin, End)> {
        let end = self.end.ok_or("its last block is missing")?;
        if self.stream.position() != end.end {
            return Err(format!(
                "its redo ends at LSN {} instead of {}",
                self.stream.position(),
                end.end
            ));
        }
        if self.pages != end.copied_pages {
            return Err(format!("it has {} pages instead of {}", self.pages, end.copied_pages));
        }
        for s in &end.spaces {
            if self.highest.get(&s.id).is_some_and(|highest| *highest >= s.pages.max(1)) {
                return Err(format!("it has pages behind the end of file {:08x}", s.id));
            }
        }
        let has = |id: u32| end.spaces.iter().any(|s| s.id == id);
        if !has(0) || !has(1) {
            return Err("the system space or the undo space is not in it".into());
        }
        Ok((self.begin, end))
    }
}

/// Reads a backup to its end. `step` hears of the bytes of each block.
pub fn check(path: &Path, key: Option<&Key>, step: &mut dyn FnMut(u64)) -> Fault<Checked> {
    let mut r = Reader::open(path, key)?;
    let about = |e: String| format!("the backup '{}' is damaged: {e}", path.display());
    let Some(Block::Begin(begin)) = r.next_block()? else {
        return Err(about("its first block is missing".into()));
    };
    if !weir_engine::page::SIZES.contains(&(begin.page_size as usize)) {
        return Err(about(format!("its pages have {} bytes", begin.page_size)));
    }
    let stream = GroupStream::new(begin.start, &begin.epochs);
    let mut seen = Seen { begin, stream, highest: HashMap::new(), pages: 0, end: None };
    while let Some(block) = r.next_block()? {
        step(size_of(&block));
        seen.add(block).map_err(about)?;
    }
    let (begin, end) = seen.close().map_err(about)?;
    let manifest = r.manifest().cloned().ok_or_else(|| about("its manifest is missing".into()))?;
    let right = Manifest::new(&begin, &end);
    let told =
        Manifest { compressed: right.compressed, encrypted: right.encrypted, ..manifest.clone() };
    if !right.same_backup(&told) {
        return Err(about("its manifest is of another backup".into()));
    }
    Ok(Checked { path: path.to_path_buf(), begin, end, manifest })
}

pub fn size_of(block: &Block) -> u64 {
    match block {
        Block::Pages(p) => p.images.len() as u64,
        Block::Redo { bytes, .. } => bytes.len() as u64,
        Block::Begin(_) | Block::End(_) => 0,
    }
}

/// A full backup and its increments, in their order.
pub fn check_chain(
    paths: &[PathBuf],
    key: Option<&Key>,
    step: &mut dyn FnMut(u64),
) -> Fault<Vec<Checked>> {
    let mut chain: Vec<Checked> = Vec::new();
    for path in paths {
        let c = check(path, key, step)?;
        let shown = path.display();
        match (chain.last(), &c.begin.base) {
            (None, None) => {}
            (None, Some(base)) => {
                return Err(format!(
                    "'{shown}' is an increment of backup {}: name that one, and what is between them, before it",
                    hex(&base.backup)
                ));
            }
            (Some(before), None) => {
                return Err(format!(
                    "'{shown}' is a full backup, no increment of '{}'",
                    before.path.display()
                ));
            }
            (Some(before), Some(base)) if before.begin.ids.backup != base.backup => {
                return Err(format!(
                    "'{shown}' is an increment of backup {}, and '{}' is backup {}",
                    hex(&base.backup),
                    before.path.display(),
                    hex(&before.begin.ids.backup)
                ));
            }
            (Some(before), Some(base)) => {
                let (a, b) = (&before.begin, &c.begin);
                if (&a.ids.directory, a.ids.history, a.page_size, a.start)
                    != (&b.ids.directory, b.ids.history, b.page_size, base.start)
                {
                    return Err(format!(
                        "'{shown}' and '{}' are not of the same database",
                        before.path.display()
                    ));
                }
            }
        }
        chain.push(c);
    }
    match chain.is_empty() {
        true => Err("no backup is named".into()),
        false => Ok(chain),
    }
}
