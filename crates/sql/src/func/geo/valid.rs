//! Whether a shape is simple, and whether it is valid: what OGC asks of lines and polygons.
//!
//! A polygon is valid where each ring is simple, the holes are inside of the outer ring and outside of each other, rings meet in single
//! points only, and these leave the interior in one piece. Polygons of one multi-polygon have no more than points in common.

use super::measure::EDGE_WORK;
use super::*;
use crate::value::geo::Ring;
use crate::value::geo::plane::{self, Edge, Pieces, Place};
use crate::value::geo::surface::{Surface, parts_of};

type Checked = Result<bool, ValueError>;

pub fn is_simple(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some((g, on)) = tidied(cx, &args[0], "st_issimple")? else { return Ok(Value::Null) };
    shape_is_simple(cx, &on, &g.shape).map(Value::bool)
}

pub fn is_valid(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some((g, on)) = tidied(cx, &args[0], "st_isvalid")? else { return Ok(Value::Null) };
    shape_is_valid(cx, &on, &g.shape).map(Value::bool)
}

/// A geometry in the form in which it is looked at, and what it lies on.
fn tidied(
    cx: &mut FuncCtx<'_>,
    v: &Value<'_>,
    function: &str,
) -> Result<Option<(Geometry, Surface)>, ValueError> {
    let Some((g, srs)) = known(cx, v, function)? else { return Ok(None) };
    let on = Surface::of(&srs);
    Ok(Some((Geometry { shape: on.tidy(&g.shape), ..g }, on)))
}

/// The geometry itself, and NULL where it is not valid.
pub fn validate(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some((g, srs)) = known(cx, &args[0], "st_validate")? else { return Ok(Value::Null) };
    let on = Surface::of(&srs);
    match shape_is_valid(cx, &on, &on.tidy(&g.shape))? {
        true => stored(g.srid, g.shape),
        false => Ok(Value::Null),
    }
}

fn shape_is_simple(cx: &mut FuncCtx<'_>, on: &Surface, shape: &Shape) -> Checked {
    match shape {
        // Of a polygon MySQL asks only whether it is valid.
        Shape::Point(_) | Shape::Polygon(_) | Shape::MultiPolygon(_) => Ok(true),
        Shape::MultiPoint(points) => {
            let mut sorted = points.clone();
            sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
            Ok(sorted.windows(2).all(|w| w[0] != w[1]))
        }
        Shape::LineString(l) => line_is_simple(cx, on, l),
        Shape::MultiLineString(lines) => lines_are_simple(cx, on, lines),
        Shape::Collection(parts) => {
            for part in parts {
                if !shape_is_simple(cx, on, part)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
    }
}

/// A line without the points at which it stays.
fn moving(line: &[Coord]) -> Vec<Coord> {
    let mut l = line.to_vec();
    l.dedup();
    l
}

/// It goes through no point twice; only its end may be its beginning.
fn line_is_simple(cx: &mut FuncCtx<'_>, on: &Surface, line: &[Coord]) -> Checked {
    let l = moving(line);
    let edges: Vec<Edge> = plane::edges(&l).collect();
    let Some(last) = edges.len().checked_sub(1) else { return Ok(false) };
    let closed = l.first() == l.last();
    for (i, e) in edges.iter().enumerate() {
        cx.work(EDGE_WORK * (edges.len() - i))?;
        for (j, f) in edges.iter().enumerate().skip(i + 1) {
            if !on.meet(*e, *f) {
                continue;
            }
            // They have the corner between them in common, and nothing else.
            let next = j == i + 1 && !on.on_edge(*e, f.1) && !on.on_edge(*f, e.0);
            let around =
                closed && (i, j) == (0, last) && !on.on_edge(*e, f.0) && !on.on_edge(*f, e.1);
            if !next && !around {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Each is simple, and they meet in ends of both only.
fn lines_are_simple(cx: &mut FuncCtx<'_>, on: &Surface, lines: &[Vec<Coord>]) -> Checked {
    for (i, a) in lines.iter().enumerate() {
        if !line_is_simple(cx, on, a)? {
            return Ok(false);
        }
        for b in &lines[..i] {
            if !meet_at_ends(cx, on, &moving(a), &moving(b))? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn meet_at_ends(cx: &mut FuncCtx<'_>, on: &Surface, a: &[Coord], b: &[Coord]) -> Checked {
    let ends = |l: &[Coord]| match (l.first(), l.last()) {
        (Some(first), Some(last)) if first != last => vec![*first, *last],
        _ => Vec::new(),
    };
    let (of_a, of_b) = (ends(a), ends(b));
    let common: Vec<Coord> = of_a.into_iter().filter(|c| of_b.contains(c)).collect();
    for e in plane::edges(a) {
        cx.work(EDGE_WORK * b.len())?;
        for f in plane::edges(b).filter(|f| on.meet(e, *f)) {
            let at_end = |c: &Coord| on.on_edge(e, *c) && on.on_edge(f, *c);
            if on.run_along(e, f) || !common.iter().any(at_end) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn shape_is_valid(cx: &mut FuncCtx<'_>, on: &Surface, shape: &Shape) -> Checked {
    match shape {
        Shape::Point(_) | Shape::MultiPoint(_) => Ok(true),
        Shape::LineString(l) => Ok(moving(l).len() > 1),
        Shape::MultiLineString(lines) => Ok(lines.iter().all(|l| moving(l).len() > 1)),
        Shape::Polygon(p) => polygon_is_valid(cx, on, p),
        Shape::MultiPolygon(all) => polygons_are_valid(cx, on, all),
        Shape::Collection(parts) => {
            for part in parts {
                if !shape_is_valid(cx, on, part)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
    }
}

fn polygons_are_valid(cx: &mut FuncCtx<'_>, on: &Surface, all: &[Vec<Ring>]) -> Checked {
    for (i, p) in all.iter().enumerate() {
        if !polygon_is_valid(cx, on, p)? {
            return Ok(false);
        }
        for q in &all[..i] {
            if !lies(cx, on, p, q, Place::Outside)? || !lies(cx, on, q, p, Place::Outside)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn polygon_is_valid(cx: &mut FuncCtx<'_>, on: &Surface, polygon: &[Ring]) -> Checked {
    for ring in polygon {
        // Three corners at least, and the first one again.
        if moving(ring).len() < 4 || !line_is_simple(cx, on, ring)? {
            return Ok(false);
        }
    }
    let Some((outer, holes)) = polygon.split_first() else { return Ok(false) };
    for (i, hole) in holes.iter().enumerate() {
        let (one, around) = (std::slice::from_ref(hole), std::slice::from_ref(outer));
        if !lies(cx, on, one, around, Place::Inside)? {
            return Ok(false);
        }
        for other in &holes[..i] {
            let other = std::slice::from_ref(other);
            if !lies(cx, on, one, other, Place::Outside)?
                || !lies(cx, on, other, one, Place::Outside)?
            {
                return Ok(false);
            }
        }
    }
    is_in_one_piece(cx, on, polygon)
}

/// Whether all edges of `rings` are on one side of a polygon; they may touch its border in points.
fn lies(
    cx: &mut FuncCtx<'_>,
    on: &Surface,
    rings: &[Ring],
    polygon: &[Ring],
    side: Place,
) -> Checked {
    let of = Pieces { polygons: vec![polygon.to_vec()], on: *on, ..Pieces::default() };
    let border = of.edges();
    let mut work = |n| cx.work(EDGE_WORK * n);
    for ring in rings {
        for e in plane::edges(&moving(ring)) {
            match parts_of(e, &of, &border, &mut work)? {
                Some(places) if places.iter().all(|p| *p == side) => {}
                _ => return Ok(false),
            }
        }
    }
    Ok(true)
}

/// Rings that touch each other in a circle cut the interior in two: rings and points are the places of a graph, which is a forest
/// otherwise.
fn is_in_one_piece(cx: &mut FuncCtx<'_>, on: &Surface, polygon: &[Ring]) -> Checked {
    let mut touched: Vec<(Coord, usize)> = Vec::new();
    for (i, a) in polygon.iter().enumerate() {
        for (j, b) in polygon.iter().enumerate().filter(|(j, _)| *j != i) {
            for c in &moving(a)[1..] {
                cx.work(EDGE_WORK * b.len())?;
                if plane::edges(b).any(|e| on.on_edge(e, *c)) {
                    touched.extend([(*c, i), (*c, j)]);
                }
            }
        }
    }
    let order = |a: &Coord, b: &Coord| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y));
    touched.sort_by(|a, b| order(&a.0, &b.0).then(a.1.cmp(&b.1)));
    touched.dedup();
    // The tree that each ring is in.
    let mut tree: Vec<usize> = (0..polygon.len()).collect();
    for rings in touched.chunk_by(|a, b| a.0 == b.0) {
        let mut trees: Vec<usize> = rings.iter().map(|(_, ring)| tree[*ring]).collect();
        trees.sort_unstable();
        if trees.windows(2).any(|w| w[0] == w[1]) {
            return Ok(false);
        }
        tree.iter_mut().filter(|t| trees.contains(t)).for_each(|t| *t = trees[0]);
    }
    Ok(true)
}
