//! Redo records: decoding, and what a damaged one does to a page.

use crate::split;
use weir_engine::PageId;
use weir_engine::page::codec::Reader;
use weir_engine::page::redo::{self, Redo};
use weir_engine::page::{self, PageType, slotted};

/// A group of records applied to a good page: each applies or is refused, and a tree page stays one.
pub fn redo(data: &[u8]) {
    let (how, rest) = split(data);
    let id = PageId::new(1, 1);
    let mut p = vec![0; 512];
    let kind =
        [PageType::Tree, PageType::Undo, PageType::Bitmap, PageType::Blob][usize::from(how % 4)];
    let first = match kind {
        PageType::Tree => Redo::TreeInit { index: 7, level: 0, lower: b"aa", upper: Some(b"ac") },
        _ => Redo::PageInit { kind: kind as u8, owner: 7 },
    };
    assert_eq!(redo::apply(&mut p, id, &first), Ok(()));
    let (mut r, mut last) = (Reader::new(rest), Some(id));
    while !r.is_empty() {
        let Ok((to, rec)) = redo::decode(&mut r, &mut last) else { break };
        round_trip(to, &rec);
        if to.is_none() {
            continue;
        }
        let applied = redo::apply(&mut p, id, &rec);
        if page::page_type(&p) == Some(PageType::Tree) && applied.is_ok() {
            // Order and fences are the writer's; lengths and bounds are what keeps a reader inside the page.
            let _ = slotted::check(&p);
            assert!(slotted::used_bytes(&p) <= slotted::capacity(&p));
            for s in 0..slotted::count(&p) {
                let _ = (slotted::key(&p, s), slotted::value(&p, s));
            }
        }
    }
}

/// What was decoded is written as something that decodes to the same.
fn round_trip(to: Option<PageId>, rec: &Redo<'_>) {
    let mut bytes = Vec::new();
    rec.encode(to, &mut None, &mut bytes);
    let mut r = Reader::new(&bytes);
    assert_eq!(redo::decode(&mut r, &mut None), Ok((to, rec.clone())));
    assert!(r.is_empty());
}
