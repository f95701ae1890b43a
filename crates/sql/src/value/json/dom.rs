//! A JSON value as a tree: what parsing makes, and what functions change.

use super::super::{Date, DateTime, Decimal, EvalCtx, Time, ValueError};
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

    /// Containers inside each other, a scalar being 0 deep. The recursion is as deep as the tree, which no function lets grow to
    /// more than a few times [`MAX_DEPTH`].
    pub fn depth(&self, cx: &mut EvalCtx<'_>) -> Result<usize, ValueError> {
        cx.work(size_of::<Dom>())?;
        let mut below = 0;
        match self {
            Dom::Array(list) => {
                for e in list {
                    below = below.max(e.depth(cx)?);
                }
            }
            Dom::Object(members) => {
                for (_, e) in members {
                    below = below.max(e.depth(cx)?);
                }
            }
            _ => return Ok(0),
        }
        Ok(below + 1)
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
pub fn merge_preserve(a: Dom, b: Dom, cx: &mut EvalCtx<'_>) -> Result<Dom, ValueError> {
    Ok(match (a, b) {
        (Dom::Object(a), Dom::Object(b)) => Dom::Object(by_member(a, b, cx, |old, new, cx| {
            match old {
                Some(old) => merge_preserve(old, new, cx),
                None => Ok(new),
            }
            .map(Some)
        })?),
        (a, b) => {
            let mut list = a.into_elements();
            let more = b.into_elements();
            cx.work(more.len() * size_of::<Dom>())?;
            list.extend(more);
            Dom::Array(list)
        }
    })
}

/// RFC 7396.
pub fn merge_patch(target: Dom, patch: Dom, cx: &mut EvalCtx<'_>) -> Result<Dom, ValueError> {
    let Dom::Object(patch) = patch else { return Ok(patch) };
    let members = match target {
        Dom::Object(members) => members,
        _ => Vec::new(),
    };
    let all = by_member(members, patch, cx, |old, new, cx| match new {
        Dom::Null => Ok(None),
        new => merge_patch(old.unwrap_or(Dom::Null), new, cx).map(Some),
    })?;
    Ok(Dom::Object(all))
}

/// The members of two objects in one pass over both, as each is sorted: those of `a` that `b` does not name as they are, for each
/// name in `b` what `one` makes of the values under it.
fn by_member(
    a: Vec<(Key, Dom)>,
    b: Vec<(Key, Dom)>,
    cx: &mut EvalCtx<'_>,
    mut one: impl FnMut(Option<Dom>, Dom, &mut EvalCtx<'_>) -> Result<Option<Dom>, ValueError>,
) -> Result<Vec<(Key, Dom)>, ValueError> {
    let mut out = Vec::with_capacity(a.len().max(b.len()));
    let mut a = a.into_iter().peekable();
    for (name, new) in b {
        while let Some(before) = a.next_if(|(k, _)| key_order(k, &name).is_lt()) {
            cx.work(size_of_val(&before))?;
            out.push(before);
        }
        cx.work(size_of::<(Key, Dom)>())?;
        let old = a.next_if(|(k, _)| *k == name).map(|(_, old)| old);
        out.extend(one(old, new, cx)?.map(|value| (name, value)));
    }
    cx.work(a.len() * size_of::<(Key, Dom)>())?;
    out.extend(a);
    Ok(out)
}
