//! How two geometries lie to each other: by their bounding rectangles (MBR), and by their own shape in a plane.

use super::measure::{EDGE_WORK, meet};
use super::*;
use crate::errno;
use crate::value::geo::Ring;
use crate::value::geo::plane::{self, Edge, Pieces, Place};

/// A bounding rectangle; it may be a line or a point.
#[derive(Clone, Copy, PartialEq)]
struct Mbr {
    low: Coord,
    high: Coord,
}

impl Mbr {
    fn width(&self) -> bool {
        self.low.x < self.high.x
    }

    fn height(&self) -> bool {
        self.low.y < self.high.y
    }

    fn dimension(&self) -> u8 {
        u8::from(self.width()) + u8::from(self.height())
    }

    fn intersects(&self, o: &Mbr) -> bool {
        self.low.x <= o.high.x
            && o.low.x <= self.high.x
            && self.low.y <= o.high.y
            && o.low.y <= self.high.y
    }

    /// No point of it is outside.
    fn is_covered_by(&self, o: &Mbr) -> bool {
        o.low.x <= self.low.x
            && self.high.x <= o.high.x
            && o.low.y <= self.low.y
            && self.high.y <= o.high.y
    }

    /// Covered, and not by the border alone.
    fn is_within(&self, o: &Mbr) -> bool {
        // Along an axis on which it has no extent it must be between the ends, unless there the other has none either.
        let inner = |low: f64, high: f64, flat: bool, from: f64, to: f64| {
            !flat || from == to || (from < low && high < to)
        };
        self.is_covered_by(o)
            && inner(self.low.x, self.high.x, !self.width(), o.low.x, o.high.x)
            && inner(self.low.y, self.high.y, !self.height(), o.low.y, o.high.y)
    }

    /// Only borders have points in common.
    fn touches(&self, o: &Mbr) -> bool {
        match (self.dimension(), o.dimension()) {
            (0, 0) => return false,
            (0, 1) => return self.low == o.low || self.low == o.high,
            (1, 0) => return o.touches(self),
            _ => {}
        }
        let beside = self.low.x == o.high.x || self.high.x == o.low.x;
        let above = self.low.y == o.high.y || self.high.y == o.low.y;
        // Two lines along each other have more in common than their ends.
        let along = self.dimension() == 1
            && o.dimension() == 1
            && self.width() == o.width()
            && ((self.width() && self.low.x < o.high.x && o.low.x < self.high.x)
                || (self.height() && self.low.y < o.high.y && o.low.y < self.high.y));
        self.intersects(o) && (beside || above) && !along
    }

    /// What they have in common has their dimension and is neither of them.
    fn overlaps(&self, o: &Mbr) -> bool {
        if self.dimension() != o.dimension() || !self.intersects(o) {
            return false;
        }
        let common = Mbr {
            low: Coord { x: self.low.x.max(o.low.x), y: self.low.y.max(o.low.y) },
            high: Coord { x: self.high.x.min(o.high.x), y: self.high.y.min(o.high.y) },
        };
        common.dimension() == self.dimension() && common != *self && common != *o
    }
}

/// The rectangles of two geometries, compared. On a globe the edges of a line or polygon bulge beyond the rectangle of its
/// corners, so that there only points are taken.
fn compare(
    cx: &mut FuncCtx<'_>,
    args: &[Value<'_>],
    function: &str,
    how: impl FnOnce(&Mbr, &Mbr) -> bool,
) -> Out {
    let Some((a, b, srs)) = pair(cx, args, function)? else { return Ok(Value::Null) };
    let kinds = [a.shape.kind(), b.shape.kind()];
    if srs.geographic && kinds != [GeoKind::Point; 2] {
        return Err(geographic(function, &kinds));
    }
    let bounds = |g: &Geometry| g.shape.bounds().map(|(low, high)| Mbr { low, high });
    let (Some(a), Some(b)) = (bounds(&a), bounds(&b)) else { return Ok(Value::Null) };
    Ok(Value::bool(how(&a, &b)))
}

pub fn mbr_contains(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    compare(cx, args, "mbrcontains", |a, b| b.is_within(a))
}

pub fn mbr_within(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    compare(cx, args, "mbrwithin", Mbr::is_within)
}

pub fn mbr_covers(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    compare(cx, args, "mbrcovers", |a, b| b.is_covered_by(a))
}

pub fn mbr_covered_by(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    compare(cx, args, "mbrcoveredby", Mbr::is_covered_by)
}

pub fn mbr_equals(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    compare(cx, args, "mbrequals", |a, b| a == b)
}

pub fn mbr_intersects(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    compare(cx, args, "mbrintersects", Mbr::intersects)
}

pub fn mbr_disjoint(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    compare(cx, args, "mbrdisjoint", |a, b| !a.intersects(b))
}

pub fn mbr_overlaps(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    compare(cx, args, "mbroverlaps", Mbr::overlaps)
}

pub fn mbr_touches(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    compare(cx, args, "mbrtouches", Mbr::touches)
}

/// Two geometries of a plane that are not empty, compared.
fn relate(
    cx: &mut FuncCtx<'_>,
    args: &[Value<'_>],
    function: &str,
    how: impl FnOnce(&mut FuncCtx<'_>, &Shape, &Shape) -> Result<bool, ValueError>,
) -> Out {
    let Some((a, b, srs)) = pair(cx, args, function)? else { return Ok(Value::Null) };
    if srs.geographic {
        return Err(geographic(function, &[a.shape.kind(), b.shape.kind()]));
    }
    if a.shape.is_empty() || b.shape.is_empty() {
        return Ok(Value::Null);
    }
    how(cx, &a.shape, &b.shape).map(Value::bool)
}

pub fn intersects(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    relate(cx, args, "st_intersects", |cx, a, b| meet(cx, &Pieces::of(a), &Pieces::of(b)))
}

pub fn disjoint(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    relate(cx, args, "st_disjoint", |cx, a, b| {
        meet(cx, &Pieces::of(a), &Pieces::of(b)).map(|met| !met)
    })
}

pub fn contains(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    relate(cx, args, "st_contains", |cx, a, b| is_within(cx, b, a, "st_contains"))
}

pub fn within(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    relate(cx, args, "st_within", |cx, a, b| is_within(cx, a, b, "st_within"))
}

pub fn equals(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_equals";
    relate(cx, args, function, |cx, a, b| {
        Ok(is_within(cx, a, b, function)? && is_within(cx, b, a, function)?)
    })
}

/// The pieces of a geometry, which are of one dimension; others are error 3034. So are polygons of a collection that meet: they
/// are no multi-polygon, where a boundary has the outside on one of its sides.
fn pieces(cx: &mut FuncCtx<'_>, s: &Shape, function: &str) -> Result<Pieces, ValueError> {
    let all = Pieces::of(s);
    if all.is_mixed() || (s.kind() == GeoKind::Collection && some_meet(cx, &all.polygons)?) {
        return Err(ValueError::of(errno::ER_GIS_UNSUPPORTED_ARGUMENT, &[&function]));
    }
    Ok(all)
}

/// Whether two of the polygons have a point in common.
fn some_meet(cx: &mut FuncCtx<'_>, polygons: &[Vec<Ring>]) -> Result<bool, ValueError> {
    let one = |p: &Vec<Ring>| Pieces { polygons: vec![p.clone()], ..Pieces::default() };
    let apart: Vec<Pieces> = polygons.iter().map(one).collect();
    for (i, p) in apart.iter().enumerate() {
        for q in &apart[..i] {
            if meet(cx, p, q)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// No point of `a` is outside of `b`, and their interiors have one in common.
fn is_within(
    cx: &mut FuncCtx<'_>,
    a: &Shape,
    b: &Shape,
    function: &str,
) -> Result<bool, ValueError> {
    let (a, b) = (pieces(cx, a, function)?, pieces(cx, b, function)?);
    match (a.lines.is_empty(), a.polygons.is_empty()) {
        (true, true) => points_within(cx, &a.points, &b),
        (false, true) => lines_within(cx, &a, &b),
        _ => polygons_within(cx, &a, &b),
    }
}

fn points_within(cx: &mut FuncCtx<'_>, points: &[Coord], b: &Pieces) -> Result<bool, ValueError> {
    let edges = b.edges();
    let ends = boundary_of_lines(&b.lines);
    let mut inside = false;
    for c in points {
        cx.work(EDGE_WORK * (edges.len() + b.points.len() + ends.len()))?;
        let place = match () {
            () if !b.polygons.is_empty() => b.locate(*c),
            () if b.lines.is_empty() && b.points.contains(c) => Place::Inside,
            () if !edges.iter().any(|e| plane::on_edge(*e, *c)) => Place::Outside,
            () if ends.contains(c) => Place::Boundary,
            () => Place::Inside,
        };
        match place {
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
        if !plane::all_covered(e, &border, &mut work)? {
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
        let Some(places) = plane::parts_of(*e, b, border, &mut work)? else { return Ok(None) };
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
        match plane::parts_of(*e, a, &own, &mut work)? {
            Some(places) if !places.contains(&Place::Inside) => {}
            _ => return Ok(false),
        }
    }
    for polygon in &a.polygons {
        cx.work(EDGE_WORK * border.len())?;
        let inner = plane::inner_point(polygon, &mut |n| cx.work(EDGE_WORK * n))?;
        if inner.is_none_or(|c| b.locate(c) != Place::Inside) {
            return Ok(false);
        }
    }
    Ok(true)
}
