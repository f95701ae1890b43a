//! Tree pages as they come from a device.

use crate::split;
use weir_engine::PageId;
use weir_engine::page::{self, PageType, slotted};

/// Any bytes as a page: the checksum says no, and where the structure check says yes, everything can be read and changed.
pub fn page(data: &[u8]) {
    let (how, rest) = split(data);
    let size = if how & 1 == 0 { 512 } else { 4096 };
    let mut p = vec![0u8; size];
    let n = rest.len().min(size);
    p[..n].copy_from_slice(&rest[..n]);
    let id = PageId::new(1, 2);
    let _ = page::verify(&p, id);
    let _ = (page::page_type(&p), page::page_id(&p), page::is_blank(&p));
    // Most inputs would end at the first bytes: these are given.
    p[4] = PageType::Tree as u8;
    p[5] = page::FORMAT_VERSION;
    page::seal(&mut p);
    assert_eq!(page::verify(&p, page::page_id(&p)), Ok(()));
    if slotted::check(&p).is_ok() {
        use_page(&mut p);
    }
}

fn use_page(p: &mut [u8]) {
    let n = slotted::count(p);
    let used = slotted::used_bytes(p);
    assert!(used <= slotted::capacity(p));
    for s in 0..n {
        let key = slotted::key(p, s);
        assert_eq!(slotted::search(p, &key), Ok(s));
        assert!(slotted::owns(p, &key));
        let _ = slotted::value(p, s);
        if slotted::level(p) > 0 {
            assert_eq!(slotted::child_slot(p, &key), s);
            let _ = slotted::child(p, s);
        }
    }
    slotted::compact(p);
    assert_eq!(slotted::check(p), Ok(()));
    assert_eq!(slotted::used_bytes(p), used);
    if n > 0 {
        let last = slotted::key_rest(p, n - 1).to_vec();
        let value = slotted::value(p, n - 1).to_vec();
        assert_eq!(slotted::remove(p, n - 1), Ok(()));
        assert_eq!(slotted::check(p), Ok(()));
        assert_eq!(slotted::insert(p, n - 1, &last, &value), Ok(()));
        assert_eq!(slotted::check(p), Ok(()));
    }
    let mut longer = vec![7; slotted::free_bytes(p) / 2];
    if n > 0 && slotted::level(p) == 0 && slotted::fits_replace(p, 0, longer.len()) {
        longer.truncate(u16::MAX as usize);
        assert_eq!(slotted::replace(p, 0, &longer), Ok(()));
        assert_eq!(slotted::check(p), Ok(()));
    }
}
