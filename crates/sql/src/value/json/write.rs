//! Writing the binary form; `binary` describes it.

use super::super::ValueError;
use super::super::types::protocol::column_type;
use super::binary as b;
use super::dom::Dom;
use super::{Json, name_too_long, too_big};

impl Dom {
    /// The binary form. 3151 for a name of more than 65,535 bytes, 3150 beyond 4 GiB, 3157 for what is too deep.
    pub fn to_json(&self) -> Result<Json<'static>, ValueError> {
        self.check_depth()?;
        let mut plan = Vec::new();
        let bytes = measure(self, &mut plan)?;
        if u32::try_from(bytes).is_err() {
            return Err(too_big());
        }
        let mut out = Vec::with_capacity(bytes + 1);
        let mut plans = plan.into_iter();
        out.push(0);
        let ty = put(self, &mut out, &mut plans);
        out[0] = ty;
        debug_assert_eq!(out.len(), bytes + 1);
        Ok(Json::from_bytes(out))
    }
}

/// Puts a value behind others, with its type in front of its data.
pub(super) fn append(d: &Dom, out: &mut Vec<u8>) -> Result<(), ValueError> {
    let mut plan = Vec::new();
    measure(d, &mut plan)?;
    let at = out.len();
    out.push(0);
    out[at] = put(d, out, &mut plan.into_iter());
    Ok(())
}

fn length_bytes(n: usize) -> usize {
    (usize::BITS - (n | 1).leading_zeros()).div_ceil(7) as usize
}

fn counted_bytes(n: usize) -> usize {
    length_bytes(n) + n
}

/// The type of an integer, and the bytes that it takes.
fn int_type(n: i64) -> (u8, usize) {
    if i16::try_from(n).is_ok() {
        (b::INT16, 2)
    } else if i32::try_from(n).is_ok() {
        (b::INT32, 4)
    } else {
        (b::INT64, 8)
    }
}

fn uint_type(n: u64) -> (u8, usize) {
    if u16::try_from(n).is_ok() {
        (b::UINT16, 2)
    } else if u32::try_from(n).is_ok() {
        (b::UINT32, 4)
    } else {
        (b::UINT64, 8)
    }
}

/// Type and bytes of an integer or literal, which may stand in an entry.
fn short(d: &Dom) -> Option<(u8, usize)> {
    match d {
        Dom::Null | Dom::Bool(_) => Some((b::LITERAL, 1)),
        Dom::Int(n) => Some(int_type(*n)),
        Dom::UInt(n) => Some(uint_type(*n)),
        _ => None,
    }
}

fn is_inlined(d: &Dom, large: bool) -> bool {
    short(d).is_some_and(|(ty, n)| ty == b::LITERAL || n <= if large { 4 } else { 2 })
}

/// Bytes of the data of `d`. `plan` gets for each container, in the order of writing, whether it is a large one.
fn measure(d: &Dom, plan: &mut Vec<bool>) -> Result<usize, ValueError> {
    if let Some((_, n)) = short(d) {
        return Ok(n);
    }
    let (names, children): (usize, Vec<&Dom>) = match d {
        Dom::Double(_) => return Ok(8),
        Dom::Str(s) => return Ok(counted_bytes(s.len())),
        Dom::Decimal(d) => {
            return Ok(1 + counted_bytes(2 + super::super::decimal::fixed_len(d.precision())));
        }
        Dom::Date(_) | Dom::Time(_) | Dom::DateTime(_) => return Ok(1 + counted_bytes(8)),
        Dom::Opaque(_, data) => return Ok(1 + counted_bytes(data.len())),
        Dom::Array(list) => (0, list.iter().collect()),
        Dom::Object(list) => {
            if list.iter().any(|(k, _)| u16::try_from(k.len()).is_err()) {
                return Err(name_too_long());
            }
            (list.iter().map(|(k, _)| k.len()).sum(), list.iter().map(|(_, v)| v).collect())
        }
        Dom::Null | Dom::Bool(_) | Dom::Int(_) | Dom::UInt(_) => return Ok(0),
    };
    let at = plan.len();
    plan.push(false);
    let object = matches!(d, Dom::Object(_));
    let n = children.len();
    let head = |w: usize| 2 * w + n * (1 + w + if object { w + 2 } else { 0 }) + names;
    let (mut small, mut large) = (head(2), head(4));
    for child in children {
        let bytes = measure(child, plan)?;
        small += if is_inlined(child, false) { 0 } else { bytes };
        large += if is_inlined(child, true) { 0 } else { bytes };
    }
    plan[at] = small > 65_535;
    Ok(if plan[at] { large } else { small })
}

fn put_length(mut n: usize, out: &mut Vec<u8>) {
    loop {
        let low = (n & 0x7F) as u8;
        n >>= 7;
        out.push(if n > 0 { low | 0x80 } else { low });
        if n == 0 {
            return;
        }
    }
}

fn put_opaque(ty: u8, data: &[u8], out: &mut Vec<u8>) -> u8 {
    out.push(ty);
    put_length(data.len(), out);
    out.extend_from_slice(data);
    b::OPAQUE
}

/// Bytes of an integer or literal, the lowest first.
fn short_bytes(d: &Dom) -> [u8; 8] {
    match d {
        Dom::Int(n) => n.to_le_bytes(),
        Dom::UInt(n) => n.to_le_bytes(),
        Dom::Bool(true) => [b::TRUE, 0, 0, 0, 0, 0, 0, 0],
        Dom::Bool(false) => [b::FALSE, 0, 0, 0, 0, 0, 0, 0],
        _ => [b::NULL; 8],
    }
}

/// Appends the data of `d` and gives its type.
fn put(d: &Dom, out: &mut Vec<u8>, plan: &mut std::vec::IntoIter<bool>) -> u8 {
    if let Some((ty, n)) = short(d) {
        out.extend_from_slice(&short_bytes(d)[..n]);
        return ty;
    }
    match d {
        Dom::Double(x) => {
            out.extend_from_slice(&x.to_le_bytes());
            b::DOUBLE
        }
        Dom::Str(s) => {
            put_length(s.len(), out);
            out.extend_from_slice(s);
            b::STRING
        }
        Dom::Decimal(d) => {
            let (precision, scale) = (d.precision(), d.scale());
            let mut data = vec![precision, scale];
            data.extend(d.to_fixed(precision, scale).unwrap_or_default());
            put_opaque(column_type::NEWDECIMAL, &data, out)
        }
        Dom::Date(d) => put_opaque(column_type::DATE, &u64::from(d.pack()).to_le_bytes(), out),
        Dom::Time(t) => put_opaque(column_type::TIME, &t.micros.to_le_bytes(), out),
        Dom::DateTime(d) => {
            let ty = if d.1 { column_type::TIMESTAMP } else { column_type::DATETIME };
            put_opaque(ty, &d.0.pack().to_le_bytes(), out)
        }
        Dom::Opaque(ty, data) => put_opaque(*ty, data, out),
        Dom::Array(list) => {
            let large = plan.next().unwrap_or(true);
            put_container(None, &list.iter().collect::<Vec<_>>(), large, out, plan);
            if large { b::LARGE_ARRAY } else { b::SMALL_ARRAY }
        }
        Dom::Object(list) => {
            let large = plan.next().unwrap_or(true);
            let names: Vec<&[u8]> = list.iter().map(|(k, _)| &**k).collect();
            let values: Vec<&Dom> = list.iter().map(|(_, v)| v).collect();
            put_container(Some(&names), &values, large, out, plan);
            if large { b::LARGE_OBJECT } else { b::SMALL_OBJECT }
        }
        Dom::Null | Dom::Bool(_) | Dom::Int(_) | Dom::UInt(_) => b::LITERAL,
    }
}

fn put_container(
    names: Option<&[&[u8]]>,
    values: &[&Dom],
    large: bool,
    out: &mut Vec<u8>,
    plan: &mut std::vec::IntoIter<bool>,
) {
    let w = if large { 4 } else { 2 };
    let start = out.len();
    let set = |out: &mut Vec<u8>, at: usize, n: usize| {
        out[at..at + w].copy_from_slice(&(n as u32).to_le_bytes()[..w]);
    };
    let keys = names.map_or(0, |names| names.len() * (w + 2));
    out.resize(start + 2 * w + keys + values.len() * (1 + w), 0);
    set(out, start, values.len());
    for (i, name) in names.unwrap_or(&[]).iter().enumerate() {
        let entry = start + 2 * w + i * (w + 2);
        let offset = out.len() - start;
        set(out, entry, offset);
        out[entry + w..entry + w + 2].copy_from_slice(&(name.len() as u16).to_le_bytes());
        out.extend_from_slice(name);
    }
    for (i, value) in values.iter().enumerate() {
        let entry = start + 2 * w + keys + i * (1 + w);
        if let Some((ty, _)) = short(value).filter(|_| is_inlined(value, large)) {
            out[entry] = ty;
            // A negative number of 16 bits fills all four bytes of a large entry with its sign.
            out[entry + 1..entry + 1 + w].copy_from_slice(&short_bytes(value)[..w]);
        } else {
            let offset = out.len() - start;
            set(out, entry + 1, offset);
            out[entry] = put(value, out, plan);
        }
    }
    let size = out.len() - start;
    set(out, start + w, size);
}
