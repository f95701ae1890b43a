//! What a backup consists of, and its bytes.

use crate::error::{Error, Result};
use crate::files::path_of;
use crate::ids::{Lsn, PageId, PageNo, SpaceId};
use crate::page;
use crate::page::codec::{Reader, Truncated, put_bytes, put_varint};

/// Which database at which time of its life a backup is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ids {
    /// Drawn for each backup.
    pub backup: [u8; 16],
    /// The directory's id, which restored copies of it share.
    pub directory: [u8; 16],
    /// Drawn by each restore: the same directory id and the same history make LSNs comparable.
    pub history: u64,
}

/// The backup that an incremental one is made to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    pub backup: [u8; 16],
    pub history: u64,
    /// Its start: pages with older LSNs are in it.
    pub start: Lsn,
}

/// The first block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begin {
    pub ids: Ids,
    pub page_size: u32,
    pub segment_size: u64,
    /// Where recovery of the copy begins.
    pub start: Lsn,
    pub epochs: Vec<(Lsn, u32)>,
    pub base: Option<Base>,
    /// By the wall clock of the server, in microseconds since 1970.
    pub begun_micros: u64,
    /// How many pages the files had at the beginning, for anyone who shows progress.
    pub expected_pages: u64,
    /// What made it: name and version.
    pub program: String,
}

/// Whole pages of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pages {
    pub space: SpaceId,
    pub pages: Vec<PageNo>,
    /// Pages of zeros; told in incremental backups only, since a new file has zeros.
    pub blank: Vec<PageNo>,
    /// The images of `pages`, one behind the other.
    pub images: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpaceEnd {
    pub id: SpaceId,
    /// Length of the file in pages.
    pub pages: PageNo,
}

/// The last block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Where recovery of the copy ends.
    pub end: Lsn,
    /// All files of the copy.
    pub spaces: Vec<SpaceEnd>,
    /// Spaces that the server refuses to use: of each of these tables changes are lost, in the server as in the copy.
    pub damaged: Vec<SpaceId>,
    pub ended_micros: u64,
    pub copied_pages: u64,
    pub redo_bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    Begin(Begin),
    Pages(Pages),
    Redo { at: Lsn, bytes: Vec<u8> },
    End(End),
}

mod tag {
    pub const BEGIN: u8 = 1;
    pub const PAGES: u8 = 2;
    pub const REDO: u8 = 3;
    pub const END: u8 = 4;
}

impl Pages {
    /// Numbers and images, in their order.
    pub fn each(&self, page_size: usize) -> impl Iterator<Item = (PageNo, &[u8])> {
        self.pages.iter().copied().zip(self.images.chunks_exact(page_size))
    }

    /// Each image has its checksum and its place.
    pub fn check(&self, page_size: usize) -> Result<()> {
        if self.images.len() != self.pages.len() * page_size {
            return Err(Error::Corrupt {
                what: format!("{} bytes for {} pages", self.images.len(), self.pages.len()),
                place: format!("copy of file '{}'", path_of(self.space)),
            });
        }
        for (no, image) in self.each(page_size) {
            let id = PageId::new(self.space, no);
            page::verify(image, id)
                .map_err(|e| Error::corrupt_page(id, &path_of(self.space), e))?;
        }
        Ok(())
    }
}

impl Block {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Block::Begin(b) => put_begin(&mut out, b),
            Block::Pages(p) => {
                out.reserve(p.images.len() + p.pages.len() * 5 + 16);
                out.push(tag::PAGES);
                put_varint(&mut out, u64::from(p.space));
                for list in [&p.pages, &p.blank] {
                    put_varint(&mut out, list.len() as u64);
                    let mut last = 0;
                    for no in list {
                        put_varint(&mut out, u64::from(no.wrapping_sub(last)));
                        last = *no;
                    }
                }
                out.extend_from_slice(&p.images);
            }
            Block::Redo { at, bytes } => {
                out.push(tag::REDO);
                put_varint(&mut out, *at);
                out.extend_from_slice(bytes);
            }
            Block::End(e) => put_end(&mut out, e),
        }
        out
    }

    /// `None`: these are not the bytes of a block.
    pub fn decode(bytes: &[u8]) -> Option<Block> {
        let mut r = Reader::new(bytes);
        let block = take_block(&mut r).ok()?;
        r.is_empty().then_some(block)
    }
}

fn put_begin(out: &mut Vec<u8>, b: &Begin) {
    out.push(tag::BEGIN);
    out.extend_from_slice(&b.ids.backup);
    out.extend_from_slice(&b.ids.directory);
    out.extend_from_slice(&b.ids.history.to_le_bytes());
    put_varint(out, u64::from(b.page_size));
    put_varint(out, b.segment_size);
    put_varint(out, b.start);
    put_varint(out, b.epochs.len() as u64);
    for (lsn, number) in &b.epochs {
        put_varint(out, *lsn);
        put_varint(out, u64::from(*number));
    }
    out.push(u8::from(b.base.is_some()));
    if let Some(base) = &b.base {
        out.extend_from_slice(&base.backup);
        out.extend_from_slice(&base.history.to_le_bytes());
        put_varint(out, base.start);
    }
    put_varint(out, b.begun_micros);
    put_varint(out, b.expected_pages);
    put_bytes(out, b.program.as_bytes());
}

fn put_end(out: &mut Vec<u8>, e: &End) {
    out.push(tag::END);
    put_varint(out, e.end);
    put_varint(out, e.spaces.len() as u64);
    for s in &e.spaces {
        put_varint(out, u64::from(s.id));
        put_varint(out, u64::from(s.pages));
    }
    put_varint(out, e.damaged.len() as u64);
    e.damaged.iter().for_each(|id| put_varint(out, u64::from(*id)));
    put_varint(out, e.ended_micros);
    put_varint(out, e.copied_pages);
    put_varint(out, e.redo_bytes);
}

type Taken<T> = std::result::Result<T, Truncated>;

fn take_id(r: &mut Reader<'_>) -> Taken<[u8; 16]> {
    Ok(r.take(16)?.try_into().expect("sixteen bytes"))
}

fn take_list<T>(
    r: &mut Reader<'_>,
    mut one: impl FnMut(&mut Reader<'_>) -> Taken<T>,
) -> Taken<Vec<T>> {
    let n = r.len()?;
    (0..n).map(|_| one(r)).collect()
}

fn take_numbers(r: &mut Reader<'_>) -> Taken<Vec<PageNo>> {
    let mut last: PageNo = 0;
    take_list(r, |r| {
        last = last.wrapping_add(r.varint_u32()?);
        Ok(last)
    })
}

fn take_rest(r: &mut Reader<'_>) -> Taken<Vec<u8>> {
    Ok(r.take(r.remaining())?.to_vec())
}

fn take_block(r: &mut Reader<'_>) -> Taken<Block> {
    Ok(match r.u8()? {
        tag::BEGIN => Block::Begin(take_begin(r)?),
        tag::PAGES => Block::Pages(Pages {
            space: r.varint_u32()?,
            pages: take_numbers(r)?,
            blank: take_numbers(r)?,
            images: take_rest(r)?,
        }),
        tag::REDO => Block::Redo { at: r.varint()?, bytes: take_rest(r)? },
        tag::END => Block::End(End {
            end: r.varint()?,
            spaces: take_list(r, |r| Ok(SpaceEnd { id: r.varint_u32()?, pages: r.varint_u32()? }))?,
            damaged: take_list(r, |r| r.varint_u32())?,
            ended_micros: r.varint()?,
            copied_pages: r.varint()?,
            redo_bytes: r.varint()?,
        }),
        _ => return Err(Truncated),
    })
}

fn take_begin(r: &mut Reader<'_>) -> Taken<Begin> {
    Ok(Begin {
        ids: Ids { backup: take_id(r)?, directory: take_id(r)?, history: r.u64()? },
        page_size: r.varint_u32()?,
        segment_size: r.varint()?,
        start: r.varint()?,
        epochs: take_list(r, |r| Ok((r.varint()?, r.varint_u32()?)))?,
        base: match r.u8()? {
            0 => None,
            _ => Some(Base { backup: take_id(r)?, history: r.u64()?, start: r.varint()? }),
        },
        begun_micros: r.varint()?,
        expected_pages: r.varint()?,
        program: r.string()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks() -> Vec<Block> {
        let ids = Ids { backup: [1; 16], directory: [2; 16], history: 77 };
        let base = Some(Base { backup: [3; 16], history: 77, start: 5000 });
        let begin = Begin {
            ids,
            page_size: 16384,
            segment_size: 1 << 20,
            start: 9999,
            epochs: vec![(4096, 1), (7000, 2)],
            base,
            begun_micros: 1_000_000,
            expected_pages: 12,
            program: "weir 1".into(),
        };
        let pages =
            Pages { space: 16, pages: vec![3, 4, 900], blank: vec![1, 5], images: vec![7; 96] };
        let end = End {
            end: 12345,
            spaces: vec![SpaceEnd { id: 0, pages: 16 }, SpaceEnd { id: 16, pages: 1000 }],
            damaged: vec![17],
            ended_micros: 2_000_000,
            copied_pages: 3,
            redo_bytes: 44,
        };
        vec![
            Block::Begin(Begin { base: None, ..begin.clone() }),
            Block::Begin(begin),
            Block::Pages(pages),
            Block::Redo { at: 10_000, bytes: vec![9; 50] },
            Block::End(end),
        ]
    }

    #[test]
    fn blocks_come_back_from_their_bytes() {
        for b in blocks() {
            assert_eq!(Block::decode(&b.encode()), Some(b));
        }
    }

    #[test]
    fn bytes_that_are_cut_off_or_garbage_are_no_block_or_another_one_and_never_a_panic() {
        for b in blocks() {
            let bytes = b.encode();
            for n in 0..bytes.len() {
                assert_ne!(Block::decode(&bytes[..n]).as_ref(), Some(&b));
            }
            for at in 0..bytes.len().min(60) {
                let mut bad = bytes.clone();
                bad[at] = 0xFF;
                let _ = Block::decode(&bad);
            }
        }
        assert_eq!(Block::decode(&[]), None);
    }

    #[test]
    fn an_image_of_another_place_is_told() {
        let mut image = vec![0; 512];
        page::format(&mut image, PageId::new(16, 3), page::PageType::Tree, 1);
        page::seal(&mut image);
        let of = |no, images: &[u8]| Pages {
            space: 16,
            pages: vec![no],
            blank: vec![],
            images: images.to_vec(),
        };
        assert!(of(3, &image).check(512).is_ok());
        assert!(of(4, &image).check(512).is_err());
        assert!(of(3, &image[..500]).check(512).is_err());
        image[100] ^= 1;
        assert!(of(3, &image).check(512).is_err());
    }
}
