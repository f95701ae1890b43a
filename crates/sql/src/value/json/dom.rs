//! A JSON value as a tree: what parsing makes, and what functions change.

use super::super::{Date, DateTime, Decimal, Time, ValueError};
use super::{MAX_DEPTH, too_deep};
use std::cmp::Ordering;

/// The name of a member.
pub type Key = Box<[u8]>;

#[derive(Debug, Clone, PartialEq)]
pub enum Dom {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Double(f64),
    Decimal(Box<Decimal>),
    Str(Box<[u8]>),
    Date(Date),
    Time(Time),
    /// `true`: it was a TIMESTAMP.
    DateTime(Box<(DateTime, bool)>),
    /// Bytes of a `MYSQL_TYPE_*`.
    Opaque(u8, Box<[u8]>),
    Array(Vec<Dom>),
    /// Sorted by [`key_order`], each name once: [`sorted`] and [`Dom::put`] keep it so.
    Object(Vec<(Key, Dom)>),
}

/// Shorter names come first.
pub fn key_order(a: &[u8], b: &[u8]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

/// Members in their order; of those with one name the last stays.
pub fn sorted(mut members: Vec<(Key, Dom)>) -> Vec<(Key, Dom)> {
    members.sort_by(|(a, _), (b, _)| key_order(a, b));
    // `dedup_by` keeps the first of equals, so the later value moves there.
    members.dedup_by(|later, first| {
        let same = later.0 == first.0;
        if same {
            std::mem::swap(&mut later.1, &mut first.1);
        }
        same
    });
    members
}

impl Dom {
    pub fn str(s: &[u8]) -> Dom {
        Dom::Str(s.into())
    }

    /// An object of members in any order.
    pub fn object(members: Vec<(Key, Dom)>) -> Dom {
        Dom::Object(sorted(members))
    }

    fn find(members: &[(Key, Dom)], name: &[u8]) -> Result<usize, usize> {
        members.binary_search_by(|(k, _)| key_order(k, name))
    }

    /// Gives an object's member a value, whether it was there or not.
    pub fn put(members: &mut Vec<(Key, Dom)>, name: &[u8], value: Dom) {
        match Dom::find(members, name) {
            Ok(at) => members[at].1 = value,
            Err(at) => members.insert(at, (name.into(), value)),
        }
    }

    pub fn member(&self, name: &[u8]) -> Option<&Dom> {
        let Dom::Object(members) = self else { return None };
        Dom::find(members, name).ok().map(|at| &members[at].1)
    }

    pub fn member_mut(&mut self, name: &[u8]) -> Option<&mut Dom> {
        let Dom::Object(members) = self else { return None };
        Dom::find(members, name).ok().map(|at| &mut members[at].1)
    }

    pub fn take(members: &mut Vec<(Key, Dom)>, name: &[u8]) -> Option<Dom> {
        Dom::find(members, name).ok().map(|at| members.remove(at).1)
    }

    /// The elements of an array; of anything else the value itself.
    pub fn into_elements(self) -> Vec<Dom> {
        match self {
            Dom::Array(list) => list,
            other => vec![other],
        }
    }

    /// 3157 for a tree that is too deep to be written: each function that nests values asks.
    pub fn check_depth(&self) -> Result<(), ValueError> {
        fn within(d: &Dom, left: usize) -> bool {
            match d {
                Dom::Array(list) => left > 0 && list.iter().all(|e| within(e, left - 1)),
                Dom::Object(list) => left > 0 && list.iter().all(|(_, e)| within(e, left - 1)),
                _ => true,
            }
        }
        if within(self, MAX_DEPTH) { Ok(()) } else { Err(too_deep()) }
    }
}

/// MySQL's JSON_MERGE_PRESERVE of two documents: objects by member, all else as arrays one behind the other.
pub fn merge_preserve(a: Dom, b: Dom) -> Dom {
    match (a, b) {
        (Dom::Object(mut a), Dom::Object(b)) => {
            for (name, value) in b {
                match Dom::find(&a, &name) {
                    Ok(at) => {
                        let old = std::mem::replace(&mut a[at].1, Dom::Null);
                        a[at].1 = merge_preserve(old, value);
                    }
                    Err(at) => a.insert(at, (name, value)),
                }
            }
            Dom::Object(a)
        }
        (a, b) => {
            let mut list = a.into_elements();
            list.extend(b.into_elements());
            Dom::Array(list)
        }
    }
}

/// RFC 7396.
pub fn merge_patch(target: Dom, patch: Dom) -> Dom {
    let Dom::Object(patch) = patch else { return patch };
    let mut out = match target {
        Dom::Object(members) => members,
        _ => Vec::new(),
    };
    for (name, value) in patch {
        if value == Dom::Null {
            Dom::take(&mut out, &name);
            continue;
        }
        let old = Dom::take(&mut out, &name).unwrap_or(Dom::Null);
        Dom::put(&mut out, &name, merge_patch(old, value));
    }
    Dom::Object(out)
}
