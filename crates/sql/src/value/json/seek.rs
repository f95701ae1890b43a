//! Finding the parts of a value that a path names.

use super::super::{EvalCtx, ValueError};
use super::binary::View;
use super::dom::Dom;
use super::path::{Leg, Path};
use std::collections::HashSet;

/// All parts, each once, in the order of the document. The work is at most legs times parts, and can be interrupted.
pub fn find<'a>(
    doc: View<'a>,
    path: &Path,
    cx: &mut EvalCtx<'_>,
) -> Result<Vec<View<'a>>, ValueError> {
    let mut found = vec![doc];
    let mut seen_ellipsis = false;
    for leg in &path.legs {
        let mut next = Vec::new();
        let mut seen = HashSet::new();
        if *leg == Leg::Ellipsis {
            seen_ellipsis = true;
            found.iter().try_for_each(|v| descend(*v, &mut next, &mut seen, cx))?;
        } else {
            found.iter().try_for_each(|v| step(*v, leg, &mut next, cx))?;
            // Behind `**` the same part may be come to on several ways.
            if seen_ellipsis {
                next.retain(|v: &View<'_>| seen.insert(v.place()));
            }
        }
        found = next;
        if found.is_empty() {
            break;
        }
    }
    Ok(found)
}

/// The first part that a path names.
pub fn find_first<'a>(
    doc: View<'a>,
    path: &Path,
    cx: &mut EvalCtx<'_>,
) -> Result<Option<View<'a>>, ValueError> {
    if path.is_wild() {
        return Ok(find(doc, path, cx)?.first().copied());
    }
    let mut at = doc;
    for leg in &path.legs {
        let next = match leg {
            Leg::Member(name) => at.member(name),
            Leg::Cell(c) if at.is_array() => c.within(at.len()).map(|i| at.element(i)),
            other => other.wraps().then_some(at),
        };
        let Some(next) = next else { return Ok(None) };
        at = next;
    }
    Ok(Some(at))
}

fn step<'a>(
    v: View<'a>,
    leg: &Leg,
    out: &mut Vec<View<'a>>,
    cx: &mut EvalCtx<'_>,
) -> Result<(), ValueError> {
    cx.work(64)?;
    match leg {
        Leg::Member(name) => out.extend(v.member(name)),
        Leg::AnyMember if v.is_object() => out.extend(v.elements()),
        Leg::AnyCell if v.is_array() => out.extend(v.elements()),
        Leg::Cell(c) if v.is_array() => out.extend(c.within(v.len()).map(|i| v.element(i))),
        Leg::Range(a, b) if v.is_array() => {
            out.extend(Leg::range(*a, *b, v.len()).map(|i| v.element(i)));
        }
        other if other.wraps() => out.push(v),
        _ => {}
    }
    Ok(())
}

/// A part and all below it, except for what has been there: below a part that has been there, everything has.
fn descend<'a>(
    v: View<'a>,
    out: &mut Vec<View<'a>>,
    seen: &mut HashSet<(*const u8, u8)>,
    cx: &mut EvalCtx<'_>,
) -> Result<(), ValueError> {
    cx.work(64)?;
    if !seen.insert(v.place()) {
        return Ok(());
    }
    out.push(v);
    v.elements().try_for_each(|e| descend(e, out, seen, cx))
}

/// The part of a tree that a path without wildcards names, to be changed.
pub fn place_mut<'a>(doc: &'a mut Dom, legs: &[Leg]) -> Option<&'a mut Dom> {
    let mut at = doc;
    for leg in legs {
        at = match leg {
            Leg::Member(name) => at.member_mut(name)?,
            Leg::Cell(c) => match at {
                Dom::Array(list) => {
                    let i = c.within(list.len())?;
                    &mut list[i]
                }
                other if leg.wraps() => other,
                _ => return None,
            },
            _ => return None,
        };
    }
    Some(at)
}
