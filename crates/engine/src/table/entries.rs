//! The entries that a row has in a secondary index: its columns, then the clustered key.
//!
//! Most indexes have one entry for each row. A part with [`KeyPart::elements`] makes an index multi-valued: its column is a list, and the
//! row has an entry for each element of it, with the other parts the same in all of them. A list without elements has no entry, and
//! NULL has one, as any column.
//!
//! Invariant: a list's bytes are its elements as ascending key parts of a type that may be NULL, in ascending order and each once. So they
//! tell where they end, an entry has a copy of them, and no two entries of a row are the same.

use super::{Index, Table};
use crate::error::{Error, Result};
use crate::row::{
    Datum, KeyPart, KeyPartType, RowError, RowView, decode_len, encode_datum, encode_key,
};
use smallvec::SmallVec;

/// All entries of a row in one index.
pub type Entries = SmallVec<[Vec<u8>; 1]>;

/// The entries that are in `a` and not in `b`.
pub(crate) fn lacking<'e>(a: &'e Entries, b: &Entries) -> Vec<&'e Vec<u8>> {
    if let ([one], [other]) = (&a[..], &b[..]) {
        return if one == other { Vec::new() } else { vec![one] };
    }
    let mut sorted: Vec<&Vec<u8>> = b.iter().collect();
    sorted.sort_unstable();
    a.iter().filter(|e| sorted.binary_search(e).is_err()).collect()
}

/// The parts of a multi-valued index around the list.
struct Split<'t> {
    before: &'t [KeyPart],
    list: &'t KeyPart,
    behind: &'t [KeyPart],
    element: KeyPartType,
}

impl<'t> Split<'t> {
    fn of(index: &'t Index) -> Option<Split<'t>> {
        let at = index.def.list_part()?;
        let (before, rest) = index.def.parts.split_at(at);
        let (list, behind) = rest.split_first()?;
        Some(Split { before, list, behind, element: index.types()[at] })
    }
}

/// What is wrong with bytes that are no list.
fn no_list(at: usize) -> RowError {
    RowError::Corrupt { at, what: "a list ends within an element" }
}

/// Calls `each` with the key bytes of every element, until it says that it has seen enough.
fn for_elements(
    element: &KeyPartType,
    list: Datum<'_>,
    mut each: impl FnMut(&[u8]) -> bool,
) -> std::result::Result<(), RowError> {
    let ascending = KeyPartType { desc: false, ..*element };
    let (bytes, mut at) = match list {
        Datum::Bytes(b) => (b, 0),
        _ => {
            let mut null = Vec::new();
            encode_datum(element, list, &mut null)?;
            each(&null);
            return Ok(());
        }
    };
    let mut inverted = Vec::new();
    while at < bytes.len() {
        let len = decode_len(&[ascending], &bytes[at..]).ok_or_else(|| no_list(at))?;
        let one = &bytes[at..at + len];
        at += len;
        let more = match element.desc {
            false => each(one),
            true => {
                inverted.clear();
                inverted.extend(one.iter().map(|b| !b));
                each(&inverted)
            }
        };
        if !more {
            break;
        }
    }
    Ok(())
}

impl Table {
    /// The entry of a row in full, in an index that is not multi-valued.
    pub fn secondary_key(&self, i: usize, row: &[u8], key: &[u8]) -> Result<Vec<u8>> {
        debug_assert!(self.indexes[i].def.list_part().is_none(), "a row may have several entries");
        self.one_entry(i, &RowView::new(&self.layout, row), key).map_err(|e| self.no_key(e))
    }

    /// The entries of a row in full.
    pub fn entries(&self, i: usize, row: &[u8], key: &[u8]) -> Result<Entries> {
        self.entries_of(i, row, key).map_err(|e| self.no_key(e))
    }

    /// As `entries` for a stored row; `None` when a column of the index is off the page.
    pub fn entries_stored(&self, i: usize, row: &[u8], key: &[u8]) -> Option<Entries> {
        self.entries_of(i, row, key).ok()
    }

    /// Whether a stored row has this entry; `None` when a column of the index is off the page.
    pub(crate) fn has_entry(&self, i: usize, row: &[u8], key: &[u8], entry: &[u8]) -> Option<bool> {
        let view = RowView::new(&self.layout, row);
        match Split::of(&self.indexes[i]) {
            None => self.one_entry(i, &view, key).ok().map(|e| e == entry),
            Some(split) if view.is_external(split.list.col) => None,
            Some(split) => {
                let list = view.get(split.list.col);
                self.is_among(&split, (&view, list), key, entry).ok()
            }
        }
    }

    fn no_key(&self, e: RowError) -> Error {
        Error::Unsupported(format!("key of table '{}': {e}", self.def.name))
    }

    fn one_entry(
        &self,
        i: usize,
        row: &RowView<'_>,
        key: &[u8],
    ) -> std::result::Result<Vec<u8>, RowError> {
        let mut k = Vec::with_capacity(key.len() + 24);
        encode_key(&self.def.indexes[i].parts, &self.layout, row, &mut k)?;
        k.extend_from_slice(key);
        Ok(k)
    }

    fn entries_of(
        &self,
        i: usize,
        row: &[u8],
        key: &[u8],
    ) -> std::result::Result<Entries, RowError> {
        let view = RowView::new(&self.layout, row);
        let Some(split) = Split::of(&self.indexes[i]) else {
            return Ok(SmallVec::from_buf([self.one_entry(i, &view, key)?]));
        };
        let column = split.list.col;
        if view.is_external(column) {
            return Err(RowError::External { column });
        }
        let (before, behind) = self.around(&split, &view, key)?;
        let mut all = Entries::new();
        for_elements(&split.element, view.get(column), |element| {
            all.push([&before[..], element, &behind[..]].concat());
            true
        })?;
        Ok(all)
    }

    /// What all entries of a row have before an element, and behind it.
    fn around(
        &self,
        split: &Split<'_>,
        row: &RowView<'_>,
        key: &[u8],
    ) -> std::result::Result<(Vec<u8>, Vec<u8>), RowError> {
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        encode_key(split.before, &self.layout, row, &mut before)?;
        encode_key(split.behind, &self.layout, row, &mut behind)?;
        behind.extend_from_slice(key);
        Ok((before, behind))
    }

    fn is_among(
        &self,
        split: &Split<'_>,
        (row, list): (&RowView<'_>, Datum<'_>),
        key: &[u8],
        entry: &[u8],
    ) -> std::result::Result<bool, RowError> {
        let (before, behind) = self.around(split, row, key)?;
        let middle = entry.strip_prefix(&before[..]).and_then(|e| e.strip_suffix(&behind[..]));
        let Some(middle) = middle else { return Ok(false) };
        let mut found = false;
        for_elements(&split.element, list, |element| {
            found = element == middle;
            !found
        })?;
        Ok(found)
    }
}

#[cfg(all(test, not(any(shuttle, miri))))]
mod tests {
    use super::*;
    use crate::row::PhysType;

    fn list(of: &[i64], desc: bool) -> Vec<Vec<u8>> {
        let ty = PhysType::Int { bytes: 8, unsigned: false };
        let element = KeyPartType { desc, ..KeyPartType::asc(ty, true) };
        let mut bytes = Vec::new();
        for n in of {
            encode_datum(&KeyPartType::asc(ty, true), Datum::Int(*n), &mut bytes).unwrap();
        }
        let mut out = Vec::new();
        for_elements(&element, Datum::Bytes(&bytes), |e| {
            out.push(e.to_vec());
            true
        })
        .unwrap();
        out
    }

    #[test]
    fn a_list_gives_its_elements() {
        assert_eq!(list(&[], false), Vec::<Vec<u8>>::new());
        let two = list(&[-1, 7], false);
        assert!(two.len() == 2 && two[0] < two[1]);
        let back = list(&[-1, 7], true);
        assert!(back[0] > back[1] && back[0][0] == 0xFE, "descending parts are inverted");
    }

    #[test]
    fn what_ends_within_an_element_is_no_list() {
        let ty = KeyPartType::asc(PhysType::Int { bytes: 8, unsigned: true }, true);
        let broken = for_elements(&ty, Datum::Bytes(&[1, 0, 0]), |_| true);
        assert!(matches!(broken, Err(RowError::Corrupt { at: 0, .. })));
        let mut seen = 0;
        for_elements(&ty, Datum::Null, |e| {
            seen += usize::from(e == [0]);
            true
        })
        .unwrap();
        assert_eq!(seen, 1, "NULL is one entry");
    }

    #[test]
    fn entries_are_compared_as_sets() {
        let of = |all: &[&[u8]]| all.iter().map(|e| e.to_vec()).collect::<Entries>();
        let (a, b) = (of(&[b"a", b"c", b"e"]), of(&[b"b", b"c"]));
        assert_eq!(lacking(&a, &b), [&b"a".to_vec(), &b"e".to_vec()]);
        assert!(lacking(&of(&[b"x"]), &of(&[b"x"])).is_empty());
        assert_eq!(lacking(&of(&[b"x"]), &of(&[])).len(), 1);
    }
}
