//! Reading the binary form.
//!
//! A value is a byte for its type and its data. It is MySQL's form, so that JSON_STORAGE_SIZE gives MySQL's figures:
//!
//! ```text
//! object ::= count size key-entry* value-entry* name* value*      key-entry   ::= offset(2|4) length(2)
//! array  ::= count size value-entry* value*                       value-entry ::= type(1) (offset | value)(2|4)
//! string ::= length text     opaque ::= field-type length bytes     length ::= 7 bits a byte, the lowest first
//! ```
//!
//! Counts, sizes and offsets are little-endian, two bytes in a small container and four in a large one; offsets count from the
//! container's count. Literals and 16-bit integers stand in their entry, in a large container 32-bit integers, too.

use super::super::types::protocol::column_type;
use super::super::{Date, DateTime, Decimal, Time};
use super::Json;
use super::MAX_DEPTH;
use super::dom::Dom;

pub const SMALL_OBJECT: u8 = 0;
pub const LARGE_OBJECT: u8 = 1;
pub const SMALL_ARRAY: u8 = 2;
pub const LARGE_ARRAY: u8 = 3;
pub const LITERAL: u8 = 4;
pub const INT16: u8 = 5;
pub const UINT16: u8 = 6;
pub const INT32: u8 = 7;
pub const UINT32: u8 = 8;
pub const INT64: u8 = 9;
pub const UINT64: u8 = 10;
pub const DOUBLE: u8 = 11;
pub const STRING: u8 = 12;
pub const OPAQUE: u8 = 15;

pub const NULL: u8 = 0;
pub const TRUE: u8 = 1;
pub const FALSE: u8 = 2;

/// A part of a value.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    ty: u8,
    data: &'a [u8],
    /// Containers that may still be inside of this one: the bound of recursion, whatever the bytes say.
    left: u8,
}

/// What a part is; containers are looked into by the view's own functions.
#[derive(Debug, Clone, Copy)]
pub enum Item<'a> {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Double(f64),
    Decimal(Decimal),
    Str(&'a [u8]),
    Date(Date),
    Time(Time),
    /// `true`: it was a TIMESTAMP.
    DateTime(DateTime, bool),
    /// Bytes of a `MYSQL_TYPE_*`.
    Opaque(u8, &'a [u8]),
    Array,
    Object,
}

fn bytes<const N: usize>(data: &[u8], at: usize) -> [u8; N] {
    let mut out = [0; N];
    if let Some(b) = data.get(at..at.saturating_add(N)) {
        out.copy_from_slice(b);
    }
    out
}

fn u16_at(data: &[u8], at: usize) -> usize {
    usize::from(u16::from_le_bytes(bytes(data, at)))
}

fn u32_at(data: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes(data, at)) as usize
}

/// A length of seven bits a byte, and the bytes that it takes.
fn length(data: &[u8]) -> (usize, usize) {
    let mut n = 0;
    for (i, b) in data.iter().take(5).enumerate() {
        n |= usize::from(b & 0x7F) << (7 * i);
        if b & 0x80 == 0 {
            return (n, i + 1);
        }
    }
    (0, data.len().min(5))
}

/// The bytes behind a length, cut where the value ends.
fn counted(data: &[u8]) -> &[u8] {
    let (n, from) = length(data);
    data.get(from..from.saturating_add(n).min(data.len())).unwrap_or(&[])
}

impl<'a> View<'a> {
    /// The whole value.
    pub fn new(doc: &'a [u8]) -> View<'a> {
        match doc.split_first() {
            Some((ty, data)) => View { ty: *ty, data, left: MAX_DEPTH as u8 },
            None => View { ty: LITERAL, data: &[NULL], left: 0 },
        }
    }

    /// Where the part lies: two parts at the same place are the same part.
    pub fn place(self) -> (*const u8, u8) {
        (self.data.as_ptr(), self.ty)
    }

    pub fn item(self) -> Item<'a> {
        let d = self.data;
        match self.ty {
            SMALL_OBJECT | LARGE_OBJECT => Item::Object,
            SMALL_ARRAY | LARGE_ARRAY => Item::Array,
            INT16 => Item::Int(i64::from(i16::from_le_bytes(bytes(d, 0)))),
            UINT16 => Item::UInt(u64::from(u16::from_le_bytes(bytes(d, 0)))),
            INT32 => Item::Int(i64::from(i32::from_le_bytes(bytes(d, 0)))),
            UINT32 => Item::UInt(u64::from(u32::from_le_bytes(bytes(d, 0)))),
            INT64 => Item::Int(i64::from_le_bytes(bytes(d, 0))),
            UINT64 => Item::UInt(u64::from_le_bytes(bytes(d, 0))),
            DOUBLE => Item::Double(f64::from_le_bytes(bytes(d, 0))),
            STRING => Item::Str(counted(d)),
            OPAQUE => opaque(d.first().copied().unwrap_or(0), counted(d.get(1..).unwrap_or(&[]))),
            _ => match d.first() {
                Some(&TRUE) => Item::Bool(true),
                Some(&FALSE) => Item::Bool(false),
                _ => Item::Null,
            },
        }
    }

    /// Type and bytes of what JSON itself has not.
    pub(super) fn opaque(self) -> Option<(u8, &'a [u8])> {
        let (ty, data) = self.data.split_first()?;
        (self.ty == OPAQUE).then(|| (*ty, counted(data)))
    }

    pub fn is_object(self) -> bool {
        matches!(self.ty, SMALL_OBJECT | LARGE_OBJECT)
    }

    pub fn is_array(self) -> bool {
        matches!(self.ty, SMALL_ARRAY | LARGE_ARRAY)
    }

    pub fn is_container(self) -> bool {
        self.is_object() || self.is_array()
    }

    fn large(self) -> bool {
        matches!(self.ty, LARGE_OBJECT | LARGE_ARRAY)
    }

    /// Bytes of a count, a size or an offset.
    fn width(self) -> usize {
        if self.large() { 4 } else { 2 }
    }

    fn number(self, at: usize) -> usize {
        if self.large() { u32_at(self.data, at) } else { u16_at(self.data, at) }
    }

    /// Elements of an array, members of an object; 0 for scalars. No more than have room for their entries.
    pub fn len(self) -> usize {
        if !self.is_container() || self.left == 0 {
            return 0;
        }
        let entry = 1 + self.width() + if self.is_object() { self.width() + 2 } else { 0 };
        self.number(0).min(self.data.len() / entry)
    }

    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The `i`-th element or member's value, by their order.
    pub fn element(self, i: usize) -> View<'a> {
        let (w, n) = (self.width(), self.len());
        if i >= n {
            return View { ty: LITERAL, data: &[NULL], left: 0 };
        }
        let keys = if self.is_object() { n * (w + 2) } else { 0 };
        let entry = 2 * w + keys + i * (1 + w);
        let ty = self.data.get(entry).copied().unwrap_or(LITERAL);
        let inlined =
            matches!(ty, LITERAL | INT16 | UINT16) || self.large() && matches!(ty, INT32 | UINT32);
        let at = if inlined { entry + 1 } else { self.number(entry + 1) };
        // Behind the header, so that anyone who follows damaged offsets comes to an end.
        let data = if at < 2 * w { &[] } else { self.data.get(at..).unwrap_or(&[]) };
        View { ty, data, left: self.left - 1 }
    }

    /// The name of the `i`-th member.
    pub fn name(self, i: usize) -> &'a [u8] {
        let w = self.width();
        let entry = 2 * w + i * (w + 2);
        let at = self.number(entry);
        let n = u16_at(self.data, entry + w);
        self.data.get(at..at + n).unwrap_or(&[])
    }

    /// The member of that name.
    pub fn member(self, name: &[u8]) -> Option<View<'a>> {
        if !self.is_object() {
            return None;
        }
        let (mut lo, mut hi) = (0, self.len());
        while lo < hi {
            let mid = (lo + hi) / 2;
            let at = self.name(mid);
            match at.len().cmp(&name.len()).then_with(|| at.cmp(name)) {
                std::cmp::Ordering::Less => lo = mid + 1,
                std::cmp::Ordering::Greater => hi = mid,
                std::cmp::Ordering::Equal => return Some(self.element(mid)),
            }
        }
        None
    }

    pub fn elements(self) -> impl DoubleEndedIterator<Item = View<'a>> {
        (0..self.len()).map(move |i| self.element(i))
    }

    /// Names and values of an object.
    pub fn members(self) -> impl Iterator<Item = (&'a [u8], View<'a>)> {
        (0..self.len()).map(move |i| (self.name(i), self.element(i)))
    }

    /// Bytes of the part without its type, as its header says, but no more than there are.
    pub fn size(self) -> usize {
        let d = self.data;
        let n = match self.ty {
            SMALL_OBJECT | LARGE_OBJECT | SMALL_ARRAY | LARGE_ARRAY => self.number(self.width()),
            LITERAL => 1,
            INT16 | UINT16 => 2,
            INT32 | UINT32 => 4,
            INT64 | UINT64 | DOUBLE => 8,
            STRING => {
                let (n, from) = length(d);
                n + from
            }
            _ => {
                let (n, from) = length(d.get(1..).unwrap_or(&[]));
                1 + n + from
            }
        };
        n.min(d.len())
    }

    /// The byte of its type.
    pub(super) fn kind(self) -> u8 {
        self.ty
    }

    /// Its bytes without the type.
    pub(super) fn raw(self) -> &'a [u8] {
        &self.data[..self.size()]
    }

    /// The part as a value of its own.
    pub fn to_json(self) -> Json<'static> {
        let n = self.size();
        let mut out = Vec::with_capacity(n + 1);
        out.push(self.ty);
        out.extend_from_slice(&self.data[..n]);
        Json::from_bytes(out)
    }

    /// The part as a tree.
    pub fn to_dom(self) -> Dom {
        match self.item() {
            Item::Null => Dom::Null,
            Item::Bool(b) => Dom::Bool(b),
            Item::Int(n) => Dom::Int(n),
            Item::UInt(n) => Dom::UInt(n),
            Item::Double(x) => Dom::Double(x),
            Item::Decimal(d) => Dom::Decimal(Box::new(d)),
            Item::Str(s) => Dom::Str(s.into()),
            Item::Date(d) => Dom::Date(d),
            Item::Time(t) => Dom::Time(t),
            Item::DateTime(d, stamp) => Dom::DateTime(Box::new((d, stamp))),
            Item::Opaque(ty, b) => Dom::Opaque(ty, b.into()),
            Item::Array => Dom::Array(self.elements().map(View::to_dom).collect()),
            Item::Object => {
                Dom::Object(self.members().map(|(k, v)| (k.into(), v.to_dom())).collect())
            }
        }
    }

    /// Containers inside each other, a scalar being 1 deep.
    pub fn depth(self) -> usize {
        1 + self.elements().map(View::depth).max().unwrap_or(0)
    }
}

/// Numbers and dates that JSON itself has not are kept as bytes of their field type.
fn opaque(ty: u8, data: &[u8]) -> Item<'_> {
    let packed = || i64::from_le_bytes(bytes(data, 0));
    match ty {
        column_type::NEWDECIMAL if data.len() > 2 => {
            let fits =
                data.len() - 2 == super::super::decimal::fixed_len(data[0]) && data[1] <= data[0];
            match fits {
                true => Item::Decimal(Decimal::from_fixed(&data[2..], data[1])),
                false => Item::Opaque(ty, data),
            }
        }
        column_type::DATE => Item::Date(Date::unpack(packed() as u32)),
        column_type::TIME => Item::Time(Time::from_micros(packed(), 6)),
        column_type::DATETIME => Item::DateTime(DateTime::unpack(packed() as u64, 6), false),
        column_type::TIMESTAMP => Item::DateTime(DateTime::unpack(packed() as u64, 6), true),
        _ => Item::Opaque(ty, data),
    }
}
