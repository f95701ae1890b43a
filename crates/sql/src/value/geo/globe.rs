//! Where points, lines and polygons on an ellipsoid lie to each other.
//!
//! An edge is the shortest way between its ends, which is what MySQL takes it for. The directions of an edge and of a point, both from
//! one end of it, say on which side the point lies ([`side`]); meridians and the equator are exact, elsewhere a point is on an edge
//! only where rounding cannot tell it from one. Edges are shorter than half the way around: those over a pole are cut there ([`tidy`]).

use super::plane::{Edge, Place, edges};
use super::spheroid::{Spheroid, turned};
use super::{Coord, Ring, Shape};
use std::cmp::Ordering;

/// Directions that differ by less are one: a few nanometres on the earth.
const SAME: f64 = 1e-15;

const POLE: f64 = 90.0;

fn is_pole(c: Coord) -> bool {
    c.y.abs() == POLE
}

/// A pole has one longitude, 0, and an edge from a meridian to the opposite one gets the pole between them as a corner.
pub fn tidy(shape: &Shape) -> Shape {
    let line = |l: &Vec<Coord>| tidy_line(l);
    match shape {
        Shape::Point(c) => Shape::Point(tidy_point(*c)),
        Shape::MultiPoint(l) => Shape::MultiPoint(l.iter().copied().map(tidy_point).collect()),
        Shape::LineString(l) => Shape::LineString(tidy_line(l)),
        Shape::MultiLineString(l) => Shape::MultiLineString(l.iter().map(line).collect()),
        Shape::Polygon(p) => Shape::Polygon(p.iter().map(line).collect()),
        Shape::MultiPolygon(all) => {
            Shape::MultiPolygon(all.iter().map(|p| p.iter().map(line).collect()).collect())
        }
        Shape::Collection(parts) => Shape::Collection(parts.iter().map(tidy).collect()),
    }
}

fn tidy_point(c: Coord) -> Coord {
    if is_pole(c) { Coord { x: 0.0, y: c.y } } else { Coord { x: c.x + 0.0, y: c.y + 0.0 } }
}

fn tidy_line(line: &[Coord]) -> Vec<Coord> {
    let mut made: Vec<Coord> = Vec::with_capacity(line.len());
    for c in line.iter().copied().map(tidy_point) {
        if let Some(before) = made.last().copied()
            && !is_pole(before)
            && !is_pole(c)
            && turned(c.x - before.x).abs() == 180.0
        {
            let y = if before.y + c.y >= 0.0 { POLE } else { -POLE };
            made.push(Coord { x: 0.0, y });
        }
        made.push(c);
    }
    made
}

/// The longitudes of the ends of an edge: that of a pole is the other end's.
fn longitudes((a, b): Edge) -> (f64, f64) {
    match (is_pole(a), is_pole(b)) {
        (true, false) => (b.x, b.x),
        (false, true) => (a.x, a.x),
        _ => (a.x, b.x),
    }
}

/// Greater: `c` lies to the left of the way from `a` to `b`. Less: to its right. Equal: on it, or where it goes on.
pub fn side(on: &Spheroid, a: Coord, b: Coord, c: Coord) -> Ordering {
    if a == b || a == c || b == c {
        return Ordering::Equal;
    }
    // The same curve, whichever end is named first.
    if (b.x, b.y) < (a.x, a.y) {
        return side(on, b, a, c).reverse();
    }
    let (from, to) = longitudes((a, b));
    if from == to {
        let away = turned(c.x - from);
        let northward = a.y < b.y;
        return match () {
            () if is_pole(c) || away == 0.0 || away == 180.0 => Ordering::Equal,
            () if (away < 0.0) == northward => Ordering::Greater,
            () => Ordering::Less,
        };
    }
    if a.y == 0.0 && b.y == 0.0 {
        let eastward = turned(to - from) > 0.0;
        let up = c.y.total_cmp(&0.0);
        let up = if c.y == 0.0 { Ordering::Equal } else { up };
        return if eastward { up } else { up.reverse() };
    }
    let off = on.way(a, c).azimuth - on.way(a, b).azimuth;
    let half = std::f64::consts::PI;
    let off = match off {
        x if x > half => x - 2.0 * half,
        x if x <= -half => x + 2.0 * half,
        x => x,
    };
    match off {
        x if x.abs() < SAME || half - x.abs() < SAME => Ordering::Equal,
        x if x < 0.0 => Ordering::Greater,
        _ => Ordering::Less,
    }
}

pub fn on_edge(on: &Spheroid, e: Edge, c: Coord) -> bool {
    if c == e.0 || c == e.1 {
        return true;
    }
    if e.0 == e.1 || is_pole(c) {
        return false;
    }
    let (from, to) = longitudes(e);
    let (whole, part) = (turned(to - from), turned(c.x - from));
    let within =
        if whole >= 0.0 { 0.0 <= part && part <= whole } else { whole <= part && part <= 0.0 };
    match () {
        () if !within => false,
        () if whole == 0.0 => e.0.y.min(e.1.y) <= c.y && c.y <= e.0.y.max(e.1.y),
        () => side(on, e.0, e.1, c).is_eq(),
    }
}

/// A place as the direction from the middle of a sphere.
type Vector = [f64; 3];

fn vector(c: Coord) -> Vector {
    let ((sin, cos), (y, x)) = (c.y.to_radians().sin_cos(), c.x.to_radians().sin_cos());
    [cos * x, cos * y, sin]
}

fn plus(p: Vector, q: Vector) -> Vector {
    [p[0] + q[0], p[1] + q[1], p[2] + q[2]]
}

fn dot(p: Vector, q: Vector) -> f64 {
    p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
}

fn cross_product(p: Vector, q: Vector) -> Vector {
    [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
}

fn length(p: Vector) -> f64 {
    dot(p, p).sqrt()
}

/// The straight distance of two places through a sphere of radius 1.
pub fn chord(p: Coord, q: Coord) -> f64 {
    let (p, q) = (vector(p), vector(q));
    length([p[0] - q[0], p[1] - q[1], p[2] - q[2]])
}

/// A circle around an edge on the sphere: its middle, and a bound for the straight distance of its points from there. It is wider
/// than the edge by more than an ellipsoid bends it.
struct Cap {
    middle: Vector,
    reach: f64,
}

impl Cap {
    fn of(e: Edge) -> Cap {
        let (p, q) = (vector(e.0), vector(e.1));
        let sum = plus(p, q);
        let long = length(sum);
        if long < 1e-3 {
            return Cap { middle: p, reach: 2.0 };
        }
        let half = length([p[0] - q[0], p[1] - q[1], p[2] - q[2]]) / 2.0;
        Cap { middle: sum.map(|x| x / long), reach: 1.45 * half + 1e-12 }
    }

    /// What is between two of them at least; negative where they may meet.
    fn gap(&self, o: &Cap) -> f64 {
        let (p, q) = (self.middle, o.middle);
        length([p[0] - q[0], p[1] - q[1], p[2] - q[2]]) - self.reach - o.reach
    }
}

/// A bound for the distance of two edges on an ellipsoid, in metres, which is cheap.
pub fn least_distance(on: &Spheroid, e: Edge, f: Edge) -> f64 {
    // The smallest radius of curvature, that of a meridian at the equator.
    let radius = on.a * (1.0 - on.f).powi(2);
    (Cap::of(e).gap(&Cap::of(f)) * radius * 0.999).max(0.0)
}

/// Both edges go through a point that is no end of either.
pub fn cross(on: &Spheroid, (a, b): Edge, (c, d): Edge) -> bool {
    let opposite = |x: Ordering, y: Ordering| x.is_ne() && x == y.reverse();
    let through = opposite(side(on, a, b, c), side(on, a, b, d))
        && opposite(side(on, c, d, a), side(on, c, d, b));
    // Each crosses the circle of the other one: where both do, or one on the far side of the globe.
    through && {
        let [a, b, c, d] = [a, b, c, d].map(vector);
        let at = cross_product(cross_product(a, b), cross_product(c, d));
        dot(at, plus(a, b)) * dot(at, plus(c, d)) > 0.0
    }
}

/// Whether two edges have a point in common.
pub fn meet(on: &Spheroid, e: Edge, f: Edge) -> bool {
    if Cap::of(e).gap(&Cap::of(f)) > 0.0 {
        return false;
    }
    on_edge(on, e, f.0)
        || on_edge(on, e, f.1)
        || on_edge(on, f, e.0)
        || on_edge(on, f, e.1)
        || (e.0 != e.1 && f.0 != f.1 && cross(on, e, f))
}

/// Whether two edges have more than a point in common.
pub fn run_along(on: &Spheroid, e: Edge, f: Edge) -> bool {
    let both = |c: &Coord| on_edge(on, e, *c) && on_edge(on, f, *c);
    let common: Vec<Coord> = [e.0, e.1, f.0, f.1].into_iter().filter(both).collect();
    e.0 != e.1 && f.0 != f.1 && common.iter().any(|c| *c != common[0])
}

/// How the longitude turns along a ring; a pole on it is left on the shorter side.
fn turns(ring: &[Coord]) -> f64 {
    edges(&unfolded(ring)).map(|(a, b)| turned(b.x - a.x)).sum()
}

/// A ring with the longitude of a pole written twice, once as that of the corner before and once as that of the one behind.
fn unfolded(ring: &[Coord]) -> Vec<Coord> {
    let open = ring.split_last().map_or(ring, |(_, open)| open);
    let mut made = Vec::with_capacity(ring.len() + 2);
    for (i, c) in open.iter().enumerate() {
        if is_pole(*c) {
            let (before, behind) =
                (open[(i + open.len() - 1) % open.len()], open[(i + 1) % open.len()]);
            made.extend([before, behind].map(|other| Coord { x: other.x, y: c.y }));
        } else {
            made.push(*c);
        }
    }
    made.extend(made.first().copied());
    made
}

/// A way along a meridian to the north pole crosses the ring once for each time that it comes in or goes out; whether the pole is
/// inside is known from the way that the ring takes around it.
pub fn locate_in_ring(on: &Spheroid, c: Coord, ring: &[Coord]) -> Place {
    if edges(ring).any(|e| on_edge(on, e, c)) {
        return Place::Boundary;
    }
    let around = turns(ring);
    let mut inside = around.abs() > 180.0 && (on.ring_area(ring) > 0.0) == (around > 0.0);
    if c.y == POLE {
        return if inside { Place::Inside } else { Place::Outside };
    }
    for (a, b) in edges(&unfolded(ring)) {
        let (p, q) = (turned(a.x - c.x), turned(b.x - c.x));
        if (p > 0.0) == (q > 0.0) || (p - q).abs() > 180.0 {
            continue;
        }
        let (west, east) = if p < q { (a, b) } else { (b, a) };
        let (west, east) = (tidy_point(west), tidy_point(east));
        let north = match is_pole(west) && is_pole(east) {
            true => west.y > 0.0,
            false => side(on, west, east, c).is_lt(),
        };
        inside ^= north;
    }
    if inside { Place::Inside } else { Place::Outside }
}

/// The middle of an edge.
pub fn middle(on: &Spheroid, (a, b): Edge) -> Coord {
    let way = on.way(a, b);
    on.end(a, way.azimuth, way.distance / 2.0).0
}

/// Longitudes that are looked at for a point inside of a polygon.
const MERIDIANS: usize = 32;

/// The latitude at which an edge crosses a meridian, on a sphere.
fn latitude_at((a, b): Edge, lon: f64) -> f64 {
    let (p, q) = (turned(lon - a.x).to_radians(), turned(b.x - lon).to_radians());
    let tan = |c: Coord| c.y.to_radians().tan();
    let at = (tan(a) * q.sin() + tan(b) * p.sin()) / (p + q).sin();
    at.atan().to_degrees()
}

/// A point inside of a polygon: in the middle of the widest part of a meridian that goes through no corner. `work` is called for
/// each look at all of the edges, and may end it.
pub fn inner_point<E>(
    on: &Spheroid,
    polygon: &[Ring],
    work: &mut impl FnMut(usize) -> Result<(), E>,
) -> Result<Option<Coord>, E> {
    let corners: usize = polygon.iter().map(Vec::len).sum();
    work(corners)?;
    let mut lons: Vec<f64> = polygon.iter().flatten().map(|c| c.x).collect();
    lons.sort_by(f64::total_cmp);
    lons.dedup();
    let Some(first) = lons.first().copied() else { return Ok(None) };
    lons.push(first + 360.0);
    let mut gaps: Vec<(f64, f64)> = lons.windows(2).map(|w| (w[1] - w[0], w[0])).collect();
    gaps.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (gap, west) in gaps.into_iter().take(MERIDIANS) {
        work(corners)?;
        let lon = turned(west + gap / 2.0);
        let crossed = |(a, b): &Edge| {
            let (p, q) = (turned(a.x - lon), turned(b.x - lon));
            (p > 0.0) != (q > 0.0) && (p - q).abs() < 180.0
        };
        let rings = polygon.iter().flat_map(|r| edges(r));
        let mut at: Vec<f64> = rings.filter(crossed).map(|e| latitude_at(e, lon)).collect();
        at.extend([-POLE, POLE]);
        at.sort_by(f64::total_cmp);
        let mut spans: Vec<(f64, f64)> = at.windows(2).map(|w| (w[1] - w[0], w[0])).collect();
        spans.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (span, low) in spans {
            work(corners)?;
            let c = Coord { x: lon, y: low + span / 2.0 };
            if super::plane::locate_by(polygon, |r| locate_in_ring(on, c, r)) == Place::Inside {
                return Ok(Some(c));
            }
        }
    }
    Ok(None)
}

/// The distance of a point from an edge: the foot on the geodesic is moved until it is seen from it at a right angle.
pub fn distance_to_edge(on: &Spheroid, c: Coord, (a, b): Edge) -> f64 {
    // The same curve, whichever end is named first: it begins at the western one.
    let (a, b) = if a.x > b.x { (b, a) } else { (a, b) };
    let (whole, first) = (on.way(a, b), on.way(a, c));
    if whole.distance == 0.0 || c == a || (first.azimuth - whole.azimuth).cos() < 0.0 {
        return first.distance;
    }
    let last = on.way(b, c);
    if (last.azimuth - whole.arrival).cos() > 0.0 || c == b {
        return last.distance;
    }
    let radius = on.radius();
    let along = |angle: f64, distance: f64| {
        let d = distance / radius;
        (d.sin() * angle.cos()).atan2(d.cos()) * radius
    };
    let mut s = along(first.azimuth - whole.azimuth, first.distance).clamp(0.0, whole.distance);
    let mut least = first.distance.min(last.distance);
    for _ in 0..STEPS {
        let (foot, direction) = on.end(a, whole.azimuth, s);
        let way = on.way(foot, c);
        let better = way.distance < least;
        least = least.min(way.distance);
        let next = (s + along(way.azimuth - direction, way.distance)).clamp(0.0, whole.distance);
        if !better || (next - s).abs() < 1e-6 {
            break;
        }
        s = next;
    }
    least
}

/// Between edges that have no point in common; an edge may be a point.
pub fn distance_of_edges(on: &Spheroid, e: Edge, f: Edge) -> f64 {
    if e.0 == e.1 && f.0 == f.1 {
        return on.way(e.0, f.0).distance;
    }
    let to = |ends: Edge, edge: Edge| match edge.0 == edge.1 {
        true => f64::INFINITY,
        false => distance_to_edge(on, ends.0, edge).min(distance_to_edge(on, ends.1, edge)),
    };
    to(e, f).min(to(f, e))
}

/// Steps of the search for a foot: each has a few hundred times less of an error.
const STEPS: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    const WGS84: Spheroid = Spheroid { a: 6_378_137.0, f: 1.0 / 298.257223563 };

    fn at(lat: f64, lon: f64) -> Coord {
        Coord { x: lon, y: lat }
    }

    fn ring(corners: &[(f64, f64)]) -> Vec<Coord> {
        let mut r: Vec<Coord> = corners.iter().map(|(lat, lon)| at(*lat, *lon)).collect();
        r.push(r[0]);
        r
    }

    #[test]
    fn an_edge_bulges_to_its_pole() {
        let (a, b) = (at(45.0, 0.0), at(45.0, 90.0));
        assert!(side(&WGS84, a, b, at(46.0, 45.0)).is_lt());
        assert!(side(&WGS84, a, b, at(56.0, 45.0)).is_gt());
        assert!(side(&WGS84, b, a, at(56.0, 45.0)).is_lt());
        assert!(on_edge(&WGS84, (at(0.0, 0.0), at(0.0, 20.0)), at(0.0, 13.7)));
        assert!(on_edge(&WGS84, (at(10.0, 7.0), at(20.0, 7.0)), at(13.7, 7.0)));
        assert!(!on_edge(&WGS84, (at(10.0, 7.0), at(20.0, 7.0)), at(23.7, 7.0)));
    }

    #[test]
    fn edges_meet_over_the_date_line_and_not_at_the_far_side() {
        let e = (at(-10.0, 175.0), at(10.0, -175.0));
        assert!(meet(&WGS84, e, (at(10.0, 175.0), at(-10.0, -175.0))));
        assert!(!meet(&WGS84, e, (at(10.0, -5.0), at(-10.0, 5.0))));
    }

    #[test]
    fn places_in_rings() {
        let square = ring(&[(0.0, 0.0), (0.0, 10.0), (10.0, 10.0), (10.0, 0.0)]);
        assert_eq!(locate_in_ring(&WGS84, at(5.0, 5.0), &square), Place::Inside);
        assert_eq!(locate_in_ring(&WGS84, at(10.01, 5.0), &square), Place::Inside);
        assert_eq!(locate_in_ring(&WGS84, at(5.0, -5.0), &square), Place::Outside);
        assert_eq!(locate_in_ring(&WGS84, at(-5.0, 5.0), &square), Place::Outside);
        assert_eq!(locate_in_ring(&WGS84, at(5.0, 10.0), &square), Place::Boundary);
        let cap = ring(&[(80.0, 0.0), (80.0, 120.0), (80.0, -120.0)]);
        assert_eq!(locate_in_ring(&WGS84, at(90.0, 0.0), &cap), Place::Inside);
        assert_eq!(locate_in_ring(&WGS84, at(89.0, 77.0), &cap), Place::Inside);
        assert_eq!(locate_in_ring(&WGS84, at(0.0, 77.0), &cap), Place::Outside);
        let back: Vec<Coord> = cap.iter().rev().copied().collect();
        assert_eq!(locate_in_ring(&WGS84, at(89.0, 77.0), &back), Place::Inside);
        let wedge = ring(&[(50.0, 0.0), (50.0, 40.0), (90.0, 0.0)]);
        assert_eq!(locate_in_ring(&WGS84, at(70.0, 20.0), &wedge), Place::Inside);
        assert_eq!(locate_in_ring(&WGS84, at(70.0, -20.0), &wedge), Place::Outside);
        let south = ring(&[(-80.0, 0.0), (-80.0, 120.0), (-80.0, -120.0)]);
        assert_eq!(locate_in_ring(&WGS84, at(-89.0, 77.0), &south), Place::Inside);
        assert_eq!(locate_in_ring(&WGS84, at(89.0, 77.0), &south), Place::Outside);
        for r in [square, cap, back, wedge, south] {
            let polygon = [r];
            let inner = inner_point(&WGS84, &polygon, &mut |_| Ok::<_, ()>(())).expect("no end");
            let inner = inner.expect("one");
            assert_eq!(locate_in_ring(&WGS84, inner, &polygon[0]), Place::Inside, "{inner:?}");
        }
    }

    #[test]
    fn poles_become_corners() {
        let Shape::LineString(l) = tidy(&Shape::LineString(vec![at(80.0, 10.0), at(80.0, -170.0)]))
        else {
            panic!("a line")
        };
        assert_eq!(l, [at(80.0, 10.0), at(90.0, 0.0), at(80.0, -170.0)]);
        assert_eq!(tidy(&Shape::Point(at(-90.0, 33.0))), Shape::Point(at(-90.0, 0.0)));
    }
}
