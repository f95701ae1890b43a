//! Rows of tables as bytes, for those that wait in a file until the row that they belong to is the current one again.

use crate::query::eval::frame::Slot;
use crate::value::Value;
use crate::value::encoded::{decode, encode};
use weir_engine::RowBuf;

const NO_ROW: u8 = 0;
const STORED: u8 = 1;
const VALUES: u8 = 2;
/// A stored row and its clustered key, by which a statement that changes rows finds it again.
const WITH_KEY: u8 = 3;

/// What columns of the row are read from, for code that only reads them.
pub fn encode_slot(slot: &Slot, to: &mut Vec<u8>) {
    match slot {
        Slot::Mem { rows, at } => put_values(&rows[*at], to),
        Slot::Values(row) => put_values(row, to),
        other => match other.bytes() {
            None => to.push(NO_ROW),
            Some(bytes) => {
                to.push(STORED);
                put_bytes(bytes, to);
            }
        },
    }
}

/// The same with the row's key, where it has one.
pub fn encode_with_key(slot: &Slot, to: &mut Vec<u8>) {
    match (slot.key(), slot.bytes()) {
        (Some(key), Some(row)) => {
            to.push(WITH_KEY);
            put_bytes(key, to);
            put_bytes(row, to);
        }
        _ => encode_slot(slot, to),
    }
}

fn put_values(row: &[Value<'static>], to: &mut Vec<u8>) {
    to.push(VALUES);
    to.extend_from_slice(&(row.len() as u32).to_le_bytes());
    row.iter().for_each(|v| encode(v, to));
}

fn put_bytes(bytes: &[u8], to: &mut Vec<u8>) {
    to.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    to.extend_from_slice(bytes);
}

/// Takes a row off; `None`: these are no such bytes.
pub fn decode_slot(bytes: &mut &[u8]) -> Option<Slot> {
    Some(match take_byte(bytes)? {
        NO_ROW => Slot::Null,
        STORED => Slot::Bytes(take_bytes(bytes)?),
        VALUES => {
            let len = take_len(bytes)?;
            Slot::Values((0..len).map(|_| decode(bytes)).collect::<Option<_>>()?)
        }
        WITH_KEY => Slot::Buf(RowBuf { key: take_bytes(bytes)?, row: take_bytes(bytes)? }),
        _ => return None,
    })
}

fn take_byte(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

fn take_len(bytes: &mut &[u8]) -> Option<usize> {
    let (len, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*len) as usize)
}

fn take_bytes(bytes: &mut &[u8]) -> Option<Vec<u8>> {
    let len = take_len(bytes)?;
    let (taken, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(taken.to_vec())
}
