//! How two geometries lie to each other by their own shape, in a plane or on a globe.

use super::distance::meet;
use super::measure::EDGE_WORK;
use super::relate_mixed::Mixed;
use super::*;
use crate::value::geo::Ring;
use crate::value::geo::plane::{Edge, Pieces, Place};
use crate::value::geo::surface::{Surface, parts_of};

/// Two geometries that are not empty, compared on what they lie on.
fn relate(
    cx: &mut FuncCtx<'_>,
    args: &[Value<'_>],
    function: &str,
    how: impl FnOnce(&mut FuncCtx<'_>, Surface, &Shape, &Shape) -> Result<bool, ValueError>,
) -> Out {
    let Some((a, b, srs)) = pair(cx, args, function)? else { return Ok(Value::Null) };
    if a.shape.is_empty() || b.shape.is_empty() {
        return Ok(Value::Null);
    }
    how(cx, Surface::of(&srs), &a.shape, &b.shape).map(Value::bool)
}

fn have_common(
    cx: &mut FuncCtx<'_>,
    on: Surface,
    a: &Shape,
    b: &Shape,
) -> Result<bool, ValueError> {
    meet(cx, &Pieces::over(a, on), &Pieces::over(b, on))
}

pub fn intersects(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    relate(cx, args, "st_intersects", have_common)
}

pub fn disjoint(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    relate(cx, args, "st_disjoint", |cx, on, a, b| have_common(cx, on, a, b).map(|met| !met))
}

pub fn contains(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    relate(cx, args, "st_contains", |cx, on, a, b| is_within(cx, on, (b, a), (a, b), "st_contains"))
}

pub fn within(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    relate(cx, args, "st_within", |cx, on, a, b| is_within(cx, on, (a, b), (a, b), "st_within"))
}

/// All empty geometries are equal.
pub fn equals(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_equals";
    let Some((a, b, srs)) = pair(cx, args, function)? else { return Ok(Value::Null) };
    match (a.shape.is_empty(), b.shape.is_empty()) {
        (false, false) => {}
        (p, q) => return Ok(Value::bool(p == q)),
    }
    let on = Surface::of(&srs);
    let equal = match (pieces(cx, on, &a.shape)?, pieces(cx, on, &b.shape)?) {
        (Some(p), Some(q)) => pieces_within(cx, &p, &q)? && pieces_within(cx, &q, &p)?,
        _ => mixed(cx, on, &a.shape, &b.shape, function)?.equal(cx)?,
    };
    Ok(Value::bool(equal))
}

/// Of collections whose parts are of several dimensions nothing is known on a globe: overlays are there for planes alone.
fn mixed<'f>(
    cx: &mut FuncCtx<'_>,
    on: Surface,
    a: &Shape,
    b: &Shape,
    function: &'f str,
) -> Result<Mixed<'f>, ValueError> {
    if on.is_globe() {
        return Err(geographic(function, &[a.kind(), b.kind()]));
    }
    Mixed::of(cx, a, b, function)
}

/// The pieces of a geometry, which are of one dimension. None: they are not, or polygons of a collection meet: these are no
/// multi-polygon, where a boundary has the outside on one of its sides.
fn pieces(cx: &mut FuncCtx<'_>, on: Surface, s: &Shape) -> Result<Option<Pieces>, ValueError> {
    let all = Pieces::over(s, on);
    let mixed = all.is_mixed() || (s.kind() == GeoKind::Collection && some_meet(cx, &all)?);
    Ok((!mixed).then_some(all))
}

/// Whether two of the polygons have a point in common.
fn some_meet(cx: &mut FuncCtx<'_>, all: &Pieces) -> Result<bool, ValueError> {
    let one = |p: &Vec<Ring>| Pieces { polygons: vec![p.clone()], on: all.on, ..Pieces::default() };
    let apart: Vec<Pieces> = all.polygons.iter().map(one).collect();
    for (i, p) in apart.iter().enumerate() {
        for q in &apart[..i] {
            if meet(cx, p, q)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// No point of the first is outside of the second, and their interiors have one in common. Errors name the arguments as given.
fn is_within(
    cx: &mut FuncCtx<'_>,
    on: Surface,
    (a, b): (&Shape, &Shape),
    given: (&Shape, &Shape),
    function: &str,
) -> Result<bool, ValueError> {
    match (pieces(cx, on, a)?, pieces(cx, on, b)?) {
        (Some(p), Some(q)) => pieces_within(cx, &p, &q),
        _ if on.is_globe() => Err(geographic(function, &[given.0.kind(), given.1.kind()])),
        _ => Mixed::of(cx, a, b, function)?.within(cx),
    }
}

fn pieces_within(cx: &mut FuncCtx<'_>, a: &Pieces, b: &Pieces) -> Result<bool, ValueError> {
    match (a.lines.is_empty(), a.polygons.is_empty()) {
        (true, true) => points_within(cx, &a.points, b),
        (false, true) => lines_within(cx, a, b),
        _ => polygons_within(cx, a, b),
    }
}

/// Where a point lies to pieces of one dimension, whose edges and whose ends of lines are given.
fn place(
    cx: &mut FuncCtx<'_>,
    c: Coord,
    of: &Pieces,
    edges: &[Edge],
    ends: &[Coord],
) -> Result<Place, ValueError> {
    cx.work(EDGE_WORK * (edges.len() + of.points.len() + ends.len()))?;
    Ok(match () {
        () if !of.polygons.is_empty() => of.locate(c),
        () if of.lines.is_empty() && of.points.contains(&c) => Place::Inside,
        () if !edges.iter().any(|e| of.on.on_edge(*e, c)) => Place::Outside,
        () if ends.contains(&c) => Place::Boundary,
        () => Place::Inside,
    })
}

fn points_within(cx: &mut FuncCtx<'_>, points: &[Coord], b: &Pieces) -> Result<bool, ValueError> {
    let edges = b.edges();
    let ends = boundary_of_lines(&b.lines);
    let mut inside = false;
    for c in points {
        match place(cx, *c, b, &edges, &ends)? {
            Place::Outside => return Ok(false),
            Place::Inside => inside = true,
            Place::Boundary => {}
        }
    }
    Ok(inside)
}

/// The ends of lines at which an odd number of them ends; closed lines have none.
fn boundary_of_lines(lines: &[Vec<Coord>]) -> Vec<Coord> {
    let open = lines.iter().filter(|l| l.first() != l.last());
    let mut ends: Vec<Coord> = open.flat_map(|l| [l[0], l[l.len() - 1]]).collect();
    ends.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let odd = ends.chunk_by(|a, b| a == b).filter(|same| same.len() % 2 == 1);
    odd.map(|same| same[0]).collect()
}

fn lines_within(cx: &mut FuncCtx<'_>, a: &Pieces, b: &Pieces) -> Result<bool, ValueError> {
    let border = b.edges();
    // Lines without extent are the points at which they stay.
    if a.edges().iter().all(|e| e.0 == e.1) {
        let places: Vec<Coord> = a.lines.iter().filter_map(|l| l.first().copied()).collect();
        return points_within(cx, &places, b);
    }
    if !b.polygons.is_empty() {
        return Ok(boundary_within(cx, &a.edges(), b, &border)? == Some(true));
    }
    let mut work = |n| cx.work(EDGE_WORK * n);
    for e in a.edges() {
        if !b.on.all_covered(e, &border, &mut work)? {
            return Ok(false);
        }
    }
    Ok(!border.is_empty())
}

/// Whether a part of the edges is inside. None: one is outside.
fn boundary_within(
    cx: &mut FuncCtx<'_>,
    edges: &[Edge],
    b: &Pieces,
    border: &[Edge],
) -> Result<Option<bool>, ValueError> {
    let mut inside = false;
    let mut work = |n| cx.work(EDGE_WORK * n);
    for e in edges {
        let Some(places) = parts_of(*e, b, border, &mut work)? else { return Ok(None) };
        for place in places {
            match place {
                Place::Outside => return Ok(None),
                Place::Inside => inside = true,
                Place::Boundary => {}
            }
        }
    }
    Ok(Some(inside))
}

/// The border of `a` is not outside of `b`, no border of `b` is inside of `a`, and then each polygon of `a` is wholly on one side.
fn polygons_within(cx: &mut FuncCtx<'_>, a: &Pieces, b: &Pieces) -> Result<bool, ValueError> {
    if b.polygons.is_empty() {
        return Ok(false);
    }
    let (own, border) = (a.edges(), b.edges());
    if boundary_within(cx, &own, b, &border)?.is_none() {
        return Ok(false);
    }
    let mut work = |n| cx.work(EDGE_WORK * n);
    for e in &border {
        match parts_of(*e, a, &own, &mut work)? {
            Some(places) if !places.contains(&Place::Inside) => {}
            _ => return Ok(false),
        }
    }
    for polygon in &a.polygons {
        cx.work(EDGE_WORK * border.len())?;
        let inner = a.on.inner_point(polygon, &mut |n| cx.work(EDGE_WORK * n))?;
        if inner.is_none_or(|c| b.locate(c) != Place::Inside) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The dimension of pieces that are of one.
fn dimension(p: &Pieces) -> u8 {
    match (p.polygons.is_empty(), p.lines.is_empty()) {
        (false, _) => 2,
        (true, false) => 1,
        (true, true) => 0,
    }
}

/// A relation of what the interiors of two geometries have in common.
struct OfInteriors {
    function: &'static str,
    /// Whether it says anything of such dimensions; NULL where it does not.
    asks: fn(u8, u8) -> bool,
    of_pieces: fn(&mut FuncCtx<'_>, &Pieces, &Pieces) -> Result<bool, ValueError>,
    of_mixed: fn(&Mixed<'_>, &mut FuncCtx<'_>) -> Result<bool, ValueError>,
}

fn relate_interiors(cx: &mut FuncCtx<'_>, args: &[Value<'_>], relation: &OfInteriors) -> Out {
    let function = relation.function;
    let Some((a, b, srs)) = pair(cx, args, function)? else { return Ok(Value::Null) };
    if a.shape.is_empty() || b.shape.is_empty() {
        return Ok(Value::Null);
    }
    let on = Surface::of(&srs);
    let (Some(p), Some(q)) = (pieces(cx, on, &a.shape)?, pieces(cx, on, &b.shape)?) else {
        let mixed = mixed(cx, on, &a.shape, &b.shape, function)?;
        let (d, e) = mixed.dimensions();
        if !(relation.asks)(d, e) || (function == TOUCHES && mixed.are_points()) {
            return Ok(Value::Null);
        }
        if function == TOUCHES && !have_common(cx, on, &a.shape, &b.shape)? {
            return Ok(Value::bool(false));
        }
        return (relation.of_mixed)(&mixed, cx).map(Value::bool);
    };
    if !(relation.asks)(dimension(&p), dimension(&q)) {
        return Ok(Value::Null);
    }
    (relation.of_pieces)(cx, &p, &q).map(Value::bool)
}

const TOUCHES: &str = "st_touches";

/// They meet, but not inside of both. Points have no boundary, so that two of them never touch.
pub fn touches(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let relation = OfInteriors {
        function: TOUCHES,
        asks: |a, b| a > 0 || b > 0,
        of_pieces: |cx, a, b| Ok(meet(cx, a, b)? && interiors_meet(cx, a, b)?.is_none()),
        of_mixed: |mixed, cx| Ok(mixed.interiors(cx)?.is_none()),
    };
    relate_interiors(cx, args, &relation)
}

/// A part of `a` is inside of `b` and a part is outside; two lines cross in points.
pub fn crosses(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let relation = OfInteriors {
        function: "st_crosses",
        asks: |a, b| a < 2 && b > 0,
        of_pieces: |cx, a, b| {
            let common = interiors_meet(cx, a, b)?;
            match (dimension(a), dimension(b)) {
                (1, 1) => Ok(common == Some(0)),
                _ => Ok(common.is_some() && !pieces_within(cx, a, b)?),
            }
        },
        of_mixed: |mixed, cx| mixed.crosses(cx),
    };
    relate_interiors(cx, args, &relation)
}

/// What they have in common is of their dimension, and is neither of them.
pub fn overlaps(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let relation = OfInteriors {
        function: "st_overlaps",
        asks: |a, b| a == b,
        of_pieces: |cx, a, b| {
            let whole = interiors_meet(cx, a, b)? == Some(dimension(a));
            Ok(whole && !pieces_within(cx, a, b)? && !pieces_within(cx, b, a)?)
        },
        of_mixed: |mixed, cx| mixed.overlap(cx),
    };
    relate_interiors(cx, args, &relation)
}

/// The dimension of what two interiors have in common; `None`: nothing.
pub fn interiors_meet(
    cx: &mut FuncCtx<'_>,
    a: &Pieces,
    b: &Pieces,
) -> Result<Option<u8>, ValueError> {
    match (dimension(a), dimension(b)) {
        (0, _) => some_inside(cx, &a.points, b),
        (_, 0) => some_inside(cx, &b.points, a),
        (1, 1) => lines_meet(cx, a, b),
        (1, _) => some_edge_inside(cx, &a.edges(), b).map(|yes| yes.then_some(1)),
        (_, 1) => some_edge_inside(cx, &b.edges(), a).map(|yes| yes.then_some(1)),
        _ => polygons_meet(cx, a, b).map(|yes| yes.then_some(2)),
    }
}

fn some_inside(
    cx: &mut FuncCtx<'_>,
    points: &[Coord],
    of: &Pieces,
) -> Result<Option<u8>, ValueError> {
    let (edges, ends) = (of.edges(), boundary_of_lines(&of.lines));
    for c in points {
        if place(cx, *c, of, &edges, &ends)? == Place::Inside {
            return Ok(Some(0));
        }
    }
    Ok(None)
}

/// Lines along each other have a line in common; others the points in which they meet, without the ends of either.
fn lines_meet(cx: &mut FuncCtx<'_>, a: &Pieces, b: &Pieces) -> Result<Option<u8>, ValueError> {
    let (e, f) = (a.edges(), b.edges());
    let (ends, others) = (boundary_of_lines(&a.lines), boundary_of_lines(&b.lines));
    let mut points = false;
    for x in &e {
        cx.work(EDGE_WORK * f.len())?;
        for y in f.iter().filter(|y| a.on.meet(*x, **y)) {
            if a.on.run_along(*x, *y) {
                return Ok(Some(1));
            }
            let at = [x.0, x.1].into_iter().find(|c| a.on.on_edge(*y, *c));
            let at = at.or_else(|| [y.0, y.1].into_iter().find(|c| a.on.on_edge(*x, *c)));
            points |= at.is_none_or(|c| !ends.contains(&c) && !others.contains(&c));
        }
    }
    Ok(points.then_some(0))
}

/// Whether a part of one of the edges is inside of the polygons: one that crosses a boundary has such a part.
fn some_edge_inside(cx: &mut FuncCtx<'_>, edges: &[Edge], of: &Pieces) -> Result<bool, ValueError> {
    let border = of.edges();
    let mut work = |n| cx.work(EDGE_WORK * n);
    for e in edges {
        match parts_of(*e, of, &border, &mut work)? {
            Some(places) if !places.contains(&Place::Inside) => {}
            _ => return Ok(true),
        }
    }
    Ok(false)
}

/// Where no border is inside of the other, each polygon is inside or outside as a whole.
fn polygons_meet(cx: &mut FuncCtx<'_>, a: &Pieces, b: &Pieces) -> Result<bool, ValueError> {
    if some_edge_inside(cx, &a.edges(), b)? || some_edge_inside(cx, &b.edges(), a)? {
        return Ok(true);
    }
    for (these, others) in [(a, b), (b, a)] {
        for polygon in &these.polygons {
            let inner = these.on.inner_point(polygon, &mut |n| cx.work(EDGE_WORK * n))?;
            cx.work(EDGE_WORK * others.polygons.iter().flatten().map(Vec::len).sum::<usize>())?;
            if inner.is_some_and(|c| others.locate(c) == Place::Inside) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
