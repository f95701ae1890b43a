//! Elements and members that an aggregate gathers, one behind the other in the binary form that they will have in the document.
//!
//! A tree of them would take 24 bytes for each number, and a piece of memory of its own for each text and each name: several times what the
//! document takes.
//!
//! Invariant: the document is byte by byte the one that [`Dom::to_json`] makes of the same values.

use super::binary::{self as b, Item, View};
use super::dom::key_order;
use super::write::append;
use super::{Dom, Json, MAX_DEPTH, name_too_long, too_big, too_deep};
use crate::value::ValueError;

/// Bytes of a name's length in front of it.
const NAME: usize = 2;

/// The elements of an array, in their order.
#[derive(Debug, Default)]
pub struct Elements {
    bytes: Vec<u8>,
    /// The most containers inside each other.
    deepest: usize,
}

/// The members of an object in the order in which they came; the last of a name counts.
#[derive(Debug, Default)]
pub struct Members {
    /// Of each the length of its name, the name, and the value.
    values: Elements,
    /// Where each of them begins.
    at: Vec<u32>,
}

impl Elements {
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The bytes of the elements, about those of the document.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes of memory that they take, with the room that a vector has in advance.
    pub fn memory(&self) -> usize {
        self.bytes.capacity()
    }

    pub fn push(&mut self, value: &Dom) -> Result<(), ValueError> {
        self.deepest = self.deepest.max(depth(value));
        append(value, &mut self.bytes)?;
        // No document is longer.
        if u32::try_from(self.bytes.len()).is_err() { Err(too_big()) } else { Ok(()) }
    }

    fn iter(&self) -> impl Iterator<Item = View<'_>> + Clone {
        let mut rest = &self.bytes[..];
        std::iter::from_fn(move || {
            let view = (!rest.is_empty()).then(|| View::new(rest))?;
            rest = &rest[1 + view.size()..];
            Some(view)
        })
    }

    /// The array.
    pub fn to_json(&self) -> Result<Json<'static>, ValueError> {
        self.check_depth()?;
        write(None::<std::iter::Empty<&[u8]>>, self.iter())
    }

    fn check_depth(&self) -> Result<(), ValueError> {
        if self.deepest < MAX_DEPTH { Ok(()) } else { Err(too_deep()) }
    }
}

impl Members {
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// The bytes of the members with their places, about those of the document.
    pub fn bytes(&self) -> usize {
        self.values.bytes() + size_of_val(&self.at[..])
    }

    /// The bytes of memory that they take, with the room that vectors have in advance.
    pub fn memory(&self) -> usize {
        self.values.memory() + self.at.capacity() * size_of::<u32>()
    }

    pub fn push(&mut self, name: &[u8], value: &Dom) -> Result<(), ValueError> {
        let length = u16::try_from(name.len()).map_err(|_| name_too_long())?;
        let at = self.values.bytes.len() as u32;
        self.values.bytes.extend_from_slice(&length.to_le_bytes());
        self.values.bytes.extend_from_slice(name);
        self.values.push(value)?;
        self.at.push(at);
        Ok(())
    }

    /// The name at a place, and the bytes of the value and of what follows it.
    fn member(&self, at: u32) -> (&[u8], &[u8]) {
        let from = &self.values.bytes[at as usize..];
        let length = usize::from(u16::from_le_bytes([from[0], from[1]]));
        from[NAME..].split_at(length)
    }

    /// The object.
    pub fn to_json(&self) -> Result<Json<'static>, ValueError> {
        self.values.check_depth()?;
        let mut at = self.at.clone();
        // A member that came later stands further behind.
        at.sort_unstable_by(|x, y| {
            key_order(self.member(*x).0, self.member(*y).0).then_with(|| x.cmp(y))
        });
        at.dedup_by(|later, first| {
            let same = self.member(*later).0 == self.member(*first).0;
            if same {
                *first = *later;
            }
            same
        });
        let names = at.iter().map(|at| self.member(*at).0);
        write(Some(names), at.iter().map(|at| View::new(self.member(*at).1)))
    }
}

/// Containers inside each other.
fn depth(d: &Dom) -> usize {
    match d {
        Dom::Array(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
        Dom::Object(list) => 1 + list.iter().map(|(_, e)| depth(e)).max().unwrap_or(0),
        _ => 0,
    }
}

/// A value that stands in its entry.
fn is_inlined(v: View<'_>, large: bool) -> bool {
    matches!(v.kind(), b::LITERAL | b::INT16 | b::UINT16)
        || large && matches!(v.kind(), b::INT32 | b::UINT32)
}

/// The bytes of such a value: a negative number fills the entry with its sign.
fn entry_of(v: View<'_>) -> [u8; 8] {
    match v.item() {
        Item::Int(n) => n.to_le_bytes(),
        Item::UInt(n) => n.to_le_bytes(),
        Item::Bool(true) => u64::from(b::TRUE).to_le_bytes(),
        Item::Bool(false) => u64::from(b::FALSE).to_le_bytes(),
        _ => u64::from(b::NULL).to_le_bytes(),
    }
}

/// An object with these names, or an array.
fn write<'v>(
    names: Option<impl Iterator<Item = &'v [u8]> + Clone>,
    values: impl Iterator<Item = View<'v>> + Clone,
) -> Result<Json<'static>, ValueError> {
    let (mut n, mut small, mut large) = (0, 0, 0);
    for v in values.clone() {
        n += 1;
        small += if is_inlined(v, false) { 0 } else { v.size() };
        large += if is_inlined(v, true) { 0 } else { v.size() };
    }
    let named: Option<usize> = names.clone().map(|names| names.map(<[u8]>::len).sum());
    let keys = |w: usize| if named.is_some() { n * (w + 2) } else { 0 };
    let head = |w: usize| 2 * w + keys(w) + n * (1 + w) + named.unwrap_or(0);
    let is_large = small + head(2) > 65_535;
    let (w, size) = if is_large { (4, large + head(4)) } else { (2, small + head(2)) };
    if u32::try_from(size).is_err() {
        return Err(too_big());
    }
    let mut out = Vec::with_capacity(1 + size);
    out.push(match (named.is_some(), is_large) {
        (true, true) => b::LARGE_OBJECT,
        (true, false) => b::SMALL_OBJECT,
        (false, true) => b::LARGE_ARRAY,
        (false, false) => b::SMALL_ARRAY,
    });
    out.resize(1 + 2 * w + keys(w) + n * (1 + w), 0);
    // Numbers of `w` bytes, at offsets from the count.
    let set = |out: &mut Vec<u8>, at: usize, n: usize| {
        out[1 + at..1 + at + w].copy_from_slice(&(n as u32).to_le_bytes()[..w]);
    };
    set(&mut out, 0, n);
    set(&mut out, w, size);
    for (i, name) in names.into_iter().flatten().enumerate() {
        let entry = 2 * w + i * (w + 2);
        let offset = out.len() - 1;
        set(&mut out, entry, offset);
        out[1 + entry + w..1 + entry + w + 2].copy_from_slice(&(name.len() as u16).to_le_bytes());
        out.extend_from_slice(name);
    }
    for (i, v) in values.enumerate() {
        let entry = 2 * w + keys(w) + i * (1 + w);
        out[1 + entry] = v.kind();
        if is_inlined(v, is_large) {
            out[2 + entry..2 + entry + w].copy_from_slice(&entry_of(v)[..w]);
        } else {
            let offset = out.len() - 1;
            set(&mut out, entry + 1, offset);
            out.extend_from_slice(v.raw());
        }
    }
    debug_assert_eq!(out.len(), 1 + size);
    Ok(Json::from_bytes(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_rt::Rng;

    fn drawn(rng: &mut Rng, left: u64) -> Dom {
        let n = rng.next_u64();
        match rng.below(if left == 0 { 7 } else { 9 }) {
            0 => Dom::Null,
            1 => Dom::Bool(n & 1 == 1),
            2 => Dom::Int(n as i64 >> rng.below(60)),
            3 => Dom::UInt(n >> rng.below(60)),
            4 => Dom::Double(n as f64 / 7.0),
            5 => Dom::str(&vec![b'x'; rng.below(300) as usize]),
            6 => Dom::Opaque(252, vec![7; rng.below(9) as usize].into()),
            7 => Dom::Array((0..rng.below(4)).map(|_| drawn(rng, left - 1)).collect()),
            _ => Dom::object(
                (0..rng.below(4))
                    .map(|i| (format!("{i}").as_bytes().into(), drawn(rng, left - 1)))
                    .collect(),
            ),
        }
    }

    #[test]
    fn documents_are_those_of_trees() {
        let mut rng = Rng::new(3);
        for rows in [1, 2, 9, 200, 2_000, 9_000] {
            let list: Vec<Dom> = (0..rows).map(|_| drawn(&mut rng, 3)).collect();
            let (mut elements, mut members) = (Elements::default(), Members::default());
            let mut named = Vec::new();
            for value in &list {
                let name = format!("n{}", rng.below(rows * 2)).into_bytes();
                elements.push(value).expect("is short");
                members.push(&name, value).expect("is short");
                named.push((name.into(), value.clone()));
            }
            assert_eq!(elements.to_json(), Dom::Array(list).to_json());
            let object = Dom::object(named).to_json();
            assert_eq!(members.to_json(), object);
            assert_eq!(members.to_json(), object, "the same once more");
        }
    }

    #[test]
    fn limits() {
        let mut deep = Dom::Array(Vec::new());
        for _ in 2..MAX_DEPTH {
            deep = Dom::Array(vec![deep]);
        }
        let (mut elements, mut members) = (Elements::default(), Members::default());
        elements.push(&deep).expect("is short");
        members.push(b"a", &deep).expect("is short");
        assert!(elements.to_json().is_ok() && members.to_json().is_ok());
        elements.push(&Dom::Array(vec![deep])).expect("is short");
        assert_eq!(elements.to_json(), Err(too_deep()));
        assert_eq!(members.push(&vec![b'n'; 65_536], &Dom::Null), Err(name_too_long()));
    }
}
