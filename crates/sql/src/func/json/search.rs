//! Functions that compare documents and search them.

use super::super::{FuncCtx, Out};
use super::schema::{Broken, Schema};
use super::{doc, one_or_all, part, path, written};
use crate::errno;
use crate::func::string::too_big;
use crate::value::json::{self, Dom, Item, Leg, Path, View, from_value};
use crate::value::{Collation, Value, ValueError};
use std::collections::HashSet;

pub fn contains(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let (Some(target), Some(candidate)) =
        (doc(cx, args, 0, "json_contains")?, doc(cx, args, 1, "json_contains")?)
    else {
        return Ok(Value::Null);
    };
    match part(cx, target.view(), args, 2)? {
        Some(target) => Ok(Value::bool(holds(cx, target, candidate.view())?)),
        None => Ok(Value::Null),
    }
}

/// Whether a candidate is contained in a target.
fn holds(cx: &mut FuncCtx<'_>, target: View<'_>, candidate: View<'_>) -> Result<bool, ValueError> {
    cx.work(64)?;
    if target.is_array() {
        if !candidate.is_array() {
            return in_some(cx, target, candidate);
        }
        for c in candidate.elements() {
            if !in_some(cx, target, c)? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    if !target.is_object() || !candidate.is_object() {
        return Ok(json::compare(target, candidate).is_eq());
    }
    for (name, c) in candidate.members() {
        match target.member(name) {
            Some(t) if holds(cx, t, c)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

fn in_some(cx: &mut FuncCtx<'_>, target: View<'_>, c: View<'_>) -> Result<bool, ValueError> {
    for t in target.elements() {
        if holds(cx, t, c)? {
            return Ok(true);
        }
    }
    Ok(false)
}

pub fn contains_path(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(doc) = doc(cx, args, 0, "json_contains_path")? else { return Ok(Value::Null) };
    let Some(all) = one_or_all(&args[1], "json_contains_path")? else { return Ok(Value::Null) };
    for i in 2..args.len() {
        let Some(path) = path(args, i)? else { return Ok(Value::Null) };
        let found = json::find_first(doc.view(), &path, cx)?.is_some();
        if found != all {
            return Ok(Value::bool(found));
        }
    }
    Ok(Value::bool(all))
}

pub fn overlaps(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let (Some(a), Some(b)) =
        (doc(cx, args, 0, "json_overlaps")?, doc(cx, args, 1, "json_overlaps")?)
    else {
        return Ok(Value::Null);
    };
    let (a, b) = (a.view(), b.view());
    let (array, other) = if a.is_array() { (a, b) } else { (b, a) };
    let found = if array.is_array() {
        let mut found = false;
        for x in array.elements() {
            cx.work(64)?;
            found |= match other.is_array() {
                true => is_element(cx, other, x)?,
                false => json::compare(x, other).is_eq(),
            };
            if found {
                break;
            }
        }
        found
    } else if a.is_object() && b.is_object() {
        let same = |(name, x): (&[u8], View<'_>)| {
            b.member(name).is_some_and(|y| json::compare(x, y).is_eq())
        };
        a.members().any(same)
    } else {
        json::compare(a, b).is_eq()
    };
    Ok(Value::bool(found))
}

fn is_element(cx: &mut FuncCtx<'_>, list: View<'_>, v: View<'_>) -> Result<bool, ValueError> {
    for e in list.elements() {
        cx.work(16)?;
        if json::compare(e, v).is_eq() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// `value MEMBER OF (list)`.
pub fn member_of(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(list) = doc(cx, args, 1, "member of")? else { return Ok(Value::Null) };
    let value = match &args[0] {
        Value::Null => return Ok(Value::Null),
        Value::Json(j) => j.borrow(),
        v => from_value(v).to_json()?,
    };
    let list = list.view();
    let found = match list.is_array() {
        true => is_element(cx, list, value.view())?,
        false => json::compare(list, value.view()).is_eq(),
    };
    Ok(Value::bool(found))
}

/// JSON_SEARCH(doc, one or all, text[, escape[, path...]]): where strings are LIKE the text.
pub fn search(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(doc) = doc(cx, args, 0, "json_search")? else { return Ok(Value::Null) };
    let Some(all) = one_or_all(&args[1], "json_search")? else { return Ok(Value::Null) };
    let Some(pattern) = args[2].to_text_in(Collation::Utf8mb4Bin) else { return Ok(Value::Null) };
    let escape = match args.get(3).and_then(Value::to_string_lossy) {
        None => Some('\\'),
        Some(e) if e.chars().count() > 1 => return Err(ValueError::wrong_arguments("ESCAPE")),
        Some(e) => e.chars().next().or(Some('\\')),
    };
    let (found, seen) = (Vec::new(), HashSet::new());
    let mut search = Search { pattern: &pattern, escape, all, found, seen, bytes: 0 };
    if args.len() <= 4 {
        search.walk(cx, doc.view(), &mut b"$".to_vec())?;
    }
    for i in 4..args.len() {
        let Some(path) = path(args, i)? else { return Ok(Value::Null) };
        search.below(cx, doc.view(), &path.legs, &mut b"$".to_vec())?;
    }
    if too_big(cx, search.bytes, "json_search")? {
        return Ok(Value::Null);
    }
    Ok(match search.found.len() {
        0 => Value::Null,
        1 => return written(search.found.remove(0)),
        _ => return written(Dom::Array(search.found)),
    })
}

struct Search<'p> {
    pattern: &'p [u8],
    escape: Option<char>,
    all: bool,
    /// Paths, each once, as long as `bytes` is no more than max_allowed_packet.
    found: Vec<Dom>,
    /// Where the strings lie that have been found: `**` may come to one on several ways.
    seen: HashSet<(*const u8, u8)>,
    /// Of all the paths together: names that are long make them many times as long as the document.
    bytes: usize,
}

impl Search<'_> {
    fn done(&self) -> bool {
        !self.all && !self.found.is_empty()
    }

    /// Follows the legs, with the way so far in `at`.
    fn below(
        &mut self,
        cx: &mut FuncCtx<'_>,
        v: View<'_>,
        legs: &[Leg],
        at: &mut Vec<u8>,
    ) -> Result<(), ValueError> {
        let Some((leg, rest)) = legs.split_first() else { return self.walk(cx, v, at) };
        cx.work(64)?;
        if *leg == Leg::Ellipsis {
            self.below(cx, v, rest, at)?;
            return self.each(v, at, |s, step, e, at| match s.done() {
                true => Ok(()),
                false => with(step, at, |at| s.below(cx, e, legs, at)),
            });
        }
        if !v.is_array() && leg.wraps() {
            return self.below(cx, v, rest, at);
        }
        let len = v.len();
        self.each(v, at, |s, step, e, at| {
            let takes = match (leg, step) {
                (Leg::Member(name), Leg::Member(own)) => name == own,
                (Leg::AnyMember, Leg::Member(_)) | (Leg::AnyCell, Leg::Cell(_)) => true,
                (Leg::Cell(c), Leg::Cell(own)) => c.within(len) == Some(own.n as usize),
                (Leg::Range(a, b), Leg::Cell(own)) => {
                    Leg::range(*a, *b, len).contains(&(own.n as usize))
                }
                _ => false,
            };
            match takes && !s.done() {
                true => with(step, at, |at| s.below(cx, e, rest, at)),
                false => Ok(()),
            }
        })
    }

    /// Each member or element, with the leg that leads to it.
    fn each(
        &mut self,
        v: View<'_>,
        at: &mut Vec<u8>,
        mut one: impl FnMut(&mut Self, &Leg, View<'_>, &mut Vec<u8>) -> Result<(), ValueError>,
    ) -> Result<(), ValueError> {
        for i in 0..v.len() {
            let leg = match v.is_object() {
                true => Leg::Member(v.name(i).into()),
                false => Leg::Cell(json::Cell { n: i as u32, from_end: false }),
            };
            one(self, &leg, v.element(i), at)?;
        }
        Ok(())
    }

    /// All strings inside.
    fn walk(
        &mut self,
        cx: &mut FuncCtx<'_>,
        v: View<'_>,
        at: &mut Vec<u8>,
    ) -> Result<(), ValueError> {
        if self.done() {
            return Ok(());
        }
        cx.work(64)?;
        if let Item::Str(s) = v.item() {
            let c = Collation::Utf8mb4Bin;
            if c.like_until(s, self.pattern, self.escape, |bytes| cx.work(bytes))?
                && self.seen.insert(v.place())
            {
                self.bytes = self.bytes.saturating_add(at.len());
                if self.bytes <= cx.max_packet {
                    self.found.push(Dom::str(at));
                }
            }
            return Ok(());
        }
        self.each(v, at, |s, leg, e, at| with(leg, at, |at| s.walk(cx, e, at)))
    }
}

/// Goes one leg further and comes back.
fn with<T>(leg: &Leg, at: &mut Vec<u8>, inside: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    let len = at.len();
    Path::write_leg(leg, at);
    let out = inside(at);
    at.truncate(len);
    out
}

pub fn schema_valid(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let broken = check_schema(cx, args, "json_schema_valid")?;
    Ok(broken.map_or(Value::Null, |b| Value::bool(b.is_none())))
}

pub fn schema_report(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(broken) = check_schema(cx, args, "json_schema_validation_report")? else {
        return Ok(Value::Null);
    };
    let mut report = vec![(b"valid"[..].into(), Dom::Bool(broken.is_none()))];
    if let Some(b) = broken {
        let reason = format!(
            "The JSON document location '{}' failed requirement '{}' at JSON Schema location '{}'",
            b.document, b.keyword, b.schema
        );
        let mut say = |name: &[u8], text: &str| {
            report.push((name.into(), Dom::str(text.as_bytes())));
        };
        say(b"reason", &reason);
        say(b"schema-location", &b.schema);
        say(b"document-location", &b.document);
        say(b"schema-failed-keyword", b.keyword);
    }
    written(Dom::object(report))
}

/// What the document breaks of its schema. None outside: an argument is NULL.
fn check_schema(
    cx: &mut FuncCtx<'_>,
    args: &[Value<'_>],
    function: &str,
) -> Result<Option<Option<Broken>>, ValueError> {
    let (schema, document) = (doc(cx, args, 0, function)?, doc(cx, args, 1, function)?);
    let (Some(schema), Some(document)) = (schema, document) else { return Ok(None) };
    if !schema.view().is_object() {
        return Err(ValueError::of(errno::ER_INVALID_JSON_TYPE, &[&"1", &function, &"object"]));
    }
    Schema::new(schema.view()).check(document.view(), cx).map(Some)
}
