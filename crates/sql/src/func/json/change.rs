//! Functions that change a document. Each path works on what the ones before it have left.

use super::super::{FuncCtx, Out};
use super::{pairs, plain_path, tree, written};
use crate::errno;
use crate::value::json::{Cell, Dom, Leg, MAX_DEPTH, Path, from_value, place_mut, too_deep};
use crate::value::{Value, ValueError};

/// Which of the values that a path names or could name are written.
#[derive(Clone, Copy)]
struct Which {
    there: bool,
    missing: bool,
}

pub fn set(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    write(cx, args, "json_set", Which { there: true, missing: true })
}

pub fn insert(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    write(cx, args, "json_insert", Which { there: false, missing: true })
}

pub fn replace(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    write(cx, args, "json_replace", Which { there: true, missing: false })
}

fn write(cx: &mut FuncCtx<'_>, args: &[Value<'_>], function: &str, which: Which) -> Out {
    change(cx, args, function, |doc, path, value| {
        match place_mut(doc, &path.legs) {
            Some(at) if which.there => *at = value,
            Some(_) => {}
            None if which.missing => add(doc, path, value),
            None => {}
        }
        Ok(())
    })
}

/// For each pair of a path and a value behind the document.
///
/// No pair begins on a tree that is too deep to be written: each could put as many levels again below the lowest leaf, and a tree of
/// many thousands of levels would overflow the stack where it is dropped. `bound` is at least the tree's depth, so that the tree is
/// measured only where a long path or a deep value may have passed the limit.
fn change(
    cx: &mut FuncCtx<'_>,
    args: &[Value<'_>],
    function: &str,
    mut one: impl FnMut(&mut Dom, &Path, Dom) -> Result<(), ValueError>,
) -> Out {
    pairs(args, 1, function)?;
    let Some(mut doc) = tree(cx, args, 0, function)? else { return Ok(Value::Null) };
    let mut bound = doc.depth(cx)?;
    for i in (1..args.len()).step_by(2) {
        let Some(path) = plain_path(args, i)? else { return Ok(Value::Null) };
        let value = from_value(&args[i + 1]);
        // What stands at the path may become the element of a new array, so that all below it is one level deeper.
        bound = bound.max(path.legs.len() + value.depth(cx)?) + 1;
        one(&mut doc, &path, value)?;
        if bound > MAX_DEPTH {
            bound = doc.depth(cx)?;
            if bound > MAX_DEPTH {
                return Err(too_deep());
            }
        }
    }
    written(doc)
}

/// A member or an element that is not there, in a parent that is.
fn add(doc: &mut Dom, path: &Path, value: Dom) {
    let Some((last, parent)) = path.legs.split_last() else { return };
    let Some(parent) = place_mut(doc, parent) else { return };
    match (last, parent) {
        (Leg::Member(name), Dom::Object(members)) => Dom::put(members, name, value),
        (Leg::Cell(c), Dom::Array(list)) => {
            let at = c.position(list.len());
            list.insert(at, value);
        }
        (Leg::Cell(c), scalar) => wrap(scalar, *c, value),
        _ => {}
    }
}

/// What is no array becomes one, with the new element at the end that the path counts to.
fn wrap(scalar: &mut Dom, cell: Cell, value: Dom) {
    let old = std::mem::replace(scalar, Dom::Null);
    *scalar = Dom::Array(if cell.from_end { vec![value, old] } else { vec![old, value] });
}

/// 3153.
fn vacuous() -> ValueError {
    ValueError::of(errno::ER_JSON_VACUOUS_PATH, &[])
}

pub fn remove(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let doc = tree(cx, args, 0, "json_remove")?;
    let mut paths = Vec::with_capacity(args.len() - 1);
    for i in 1..args.len() {
        match plain_path(args, i)? {
            Some(p) if p.legs.is_empty() => return Err(vacuous()),
            p => paths.push(p),
        }
    }
    let (Some(mut doc), Some(paths)) = (doc, paths.into_iter().collect::<Option<Vec<_>>>()) else {
        return Ok(Value::Null);
    };
    for path in paths {
        let Some((last, parent)) = path.legs.split_last() else { continue };
        match (last, place_mut(&mut doc, parent)) {
            (Leg::Member(name), Some(Dom::Object(members))) => {
                Dom::take(members, name);
            }
            (Leg::Cell(c), Some(Dom::Array(list))) => {
                if let Some(at) = c.within(list.len()) {
                    list.remove(at);
                }
            }
            _ => {}
        }
    }
    written(doc)
}

pub fn array_append(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    change(cx, args, "json_array_append", |doc, path, value| {
        match place_mut(doc, &path.legs) {
            Some(Dom::Array(list)) => list.push(value),
            Some(scalar) => wrap(scalar, Cell { n: 1, from_end: false }, value),
            None => {}
        }
        Ok(())
    })
}

/// 3165.
fn no_cell() -> ValueError {
    ValueError::of(errno::ER_INVALID_JSON_PATH_ARRAY_CELL, &[])
}

pub fn array_insert(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    change(cx, args, "json_array_insert", |doc, path, value| {
        let Some((Leg::Cell(c), parent)) = path.legs.split_last() else { return Err(no_cell()) };
        // Only into an array that is there: nothing is wrapped.
        if let Some(Dom::Array(list)) = place_mut(doc, parent) {
            let at = c.position(list.len());
            list.insert(at, value);
        }
        Ok(())
    })
}
