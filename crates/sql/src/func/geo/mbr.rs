//! How the bounding rectangles (MBR) of two geometries lie to each other.
//!
//! On a globe a rectangle reaches over the longitudes and latitudes that edges reach, which bulge beyond those of their ends. Its
//! longitudes go on behind 180, and rectangles are compared one time around apart as well.

use super::*;
use crate::value::geo::plane::{Edge, Pieces};
use crate::value::geo::spheroid::{Spheroid, turned};
use crate::value::geo::surface::Surface;
use crate::value::geo::{Ring, globe};

/// A bounding rectangle; it may be a line or a point.
#[derive(Debug, Clone, Copy, PartialEq)]
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

const EQUALS: &str = "mbrequals";

/// A relation of two rectangles. Those of a globe may lie over each other in two places, on both sides of it.
struct Relation {
    function: &'static str,
    holds: fn(&Mbr, &Mbr) -> bool,
    /// Whether it must hold in each place in which they meet, and not in one of them.
    everywhere: bool,
}

const fn relation(function: &'static str, holds: fn(&Mbr, &Mbr) -> bool) -> Relation {
    Relation { function, holds, everywhere: false }
}

/// The rectangles of two geometries, compared.
fn compare(cx: &mut FuncCtx<'_>, args: &[Value<'_>], relation: &Relation) -> Out {
    let Some((a, b, srs)) = pair(cx, args, relation.function)? else { return Ok(Value::Null) };
    let mut bounds = |g: &Geometry| match Surface::of(&srs) {
        Surface::Plane => Ok(g.shape.bounds().map(|(low, high)| Mbr { low, high })),
        Surface::Globe(s) => on_globe(cx, &s, &g.shape),
    };
    let (a, b) = match (bounds(&a)?, bounds(&b)?) {
        (Some(a), Some(b)) => (a, b),
        // Of empty geometries it is known whether they are equal.
        (a, b) if relation.function == EQUALS => return Ok(Value::bool(a == b)),
        _ => return Ok(Value::Null),
    };
    if !srs.geographic {
        return Ok(Value::bool((relation.holds)(&a, &b)));
    }
    let moved = |by: f64| Mbr {
        low: Coord { x: b.low.x + by, ..b.low },
        high: Coord { x: b.high.x + by, ..b.high },
    };
    let mut places = [-360.0, 0.0, 360.0].map(moved).into_iter();
    let holds = if relation.everywhere {
        places.filter(|b| a.intersects(b)).all(|b| (relation.holds)(&a, &b))
    } else {
        places.any(|b| (relation.holds)(&a, &b))
    };
    Ok(Value::bool(holds))
}

/// The rectangle around a geometry on a globe, its western side in (-180, 180].
fn on_globe(cx: &mut FuncCtx<'_>, on: &Spheroid, shape: &Shape) -> Result<Option<Mbr>, ValueError> {
    let pieces = Pieces::over(shape, Surface::Globe(*on));
    let mut edges = pieces.edges();
    edges.extend(pieces.points.iter().map(|c| (*c, *c)));
    cx.work(edges.len().saturating_mul(super::measure::EDGE_WORK))?;
    let mut lats = (f64::INFINITY, f64::NEG_INFINITY);
    let mut lons = Vec::with_capacity(edges.len());
    for e in &edges {
        let (low, high) = latitudes(on, *e);
        lats = (lats.0.min(low), lats.1.max(high));
        lons.extend(longitudes(*e));
    }
    for pole in pieces.polygons.iter().filter_map(|p| pole_inside(on, p.first()?)) {
        lats = (lats.0.min(pole), lats.1.max(pole));
        lons.push((-180.0, 360.0));
    }
    if edges.is_empty() {
        return Ok(None);
    }
    let (west, span) = joined(lons);
    let (low, high) = (Coord { x: west, y: lats.0 }, Coord { x: west + span, y: lats.1 });
    Ok(Some(Mbr { low, high }))
}

/// The lowest and the highest latitude of an edge: those of its ends, and the one at which it turns back.
fn latitudes(on: &Spheroid, (p, q): Edge) -> (f64, f64) {
    let (low, high) = (p.y.min(q.y), p.y.max(q.y));
    if p == q || p.x == q.x || low == -90.0 || high == 90.0 || (low == 0.0 && high == 0.0) {
        return (low, high);
    }
    let way = on.way(p, q);
    let reduced = ((1.0 - on.f) * p.y.to_radians().tan()).atan();
    let turn = (way.azimuth.sin() * reduced.cos()).abs().acos();
    let turn = (turn.tan() / (1.0 - on.f)).atan().to_degrees();
    match (way.azimuth.cos() > 0.0, way.arrival.cos() > 0.0) {
        (true, false) => (low, high.max(turn)),
        (false, true) => (low.min(-turn), high),
        _ => (low, high),
    }
}

/// The western end of an edge and how far it reaches to the east. None: a pole, which has no longitude.
fn longitudes((p, q): Edge) -> Option<(f64, f64)> {
    let is_pole = |c: Coord| c.y.abs() == 90.0;
    match (is_pole(p), is_pole(q)) {
        (true, true) => None,
        (true, false) => Some((q.x, 0.0)),
        (false, true) => Some((p.x, 0.0)),
        (false, false) => {
            let turn = turned(q.x - p.x);
            Some(if turn < 0.0 { (q.x, -turn) } else { (p.x, turn) })
        }
    }
}

/// The latitude of the pole that a ring goes around.
fn pole_inside(on: &Spheroid, ring: &Ring) -> Option<f64> {
    let inside = |y: &f64| {
        globe::locate_in_ring(on, Coord { x: 0.0, y: *y }, ring)
            == crate::value::geo::plane::Place::Inside
    };
    [90.0, -90.0].into_iter().find(inside)
}

/// The shortest way to the east over all of the ranges: what is left out is the widest gap between them.
fn joined(mut ranges: Vec<(f64, f64)>) -> (f64, f64) {
    ranges.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Some(first) = ranges.first().copied() else { return (0.0, 0.0) };
    // A range may reach around to those at the beginning.
    let ends = ranges.iter().map(|(west, span)| west + span - 360.0);
    let mut reach = ends.fold(first.0 + first.1, f64::max);
    let mut best = (f64::NEG_INFINITY, first.0);
    for (west, span) in ranges.iter().skip(1).copied().chain([(first.0 + 360.0, 0.0)]) {
        if west - reach > best.0 {
            best = (west - reach, west);
        }
        reach = reach.max(west + span);
    }
    if best.0 <= 0.0 { (-180.0, 360.0) } else { (turned(best.1), 360.0 - best.0) }
}

pub fn mbr_contains(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    compare(cx, args, &relation("mbrcontains", |a, b| b.is_within(a)))
}

pub fn mbr_within(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    compare(cx, args, &relation("mbrwithin", Mbr::is_within))
}

pub fn mbr_covers(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    compare(cx, args, &relation("mbrcovers", |a, b| b.is_covered_by(a)))
}

pub fn mbr_covered_by(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    compare(cx, args, &relation("mbrcoveredby", Mbr::is_covered_by))
}

pub fn mbr_equals(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    compare(cx, args, &relation(EQUALS, |a, b| a == b))
}

pub fn mbr_intersects(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    compare(cx, args, &relation("mbrintersects", Mbr::intersects))
}

pub fn mbr_disjoint(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let relation = relation("mbrdisjoint", |a, b| !a.intersects(b));
    compare(cx, args, &Relation { everywhere: true, ..relation })
}

pub fn mbr_overlaps(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    compare(cx, args, &relation("mbroverlaps", Mbr::overlaps))
}

pub fn mbr_touches(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    compare(cx, args, &relation("mbrtouches", Mbr::touches))
}
