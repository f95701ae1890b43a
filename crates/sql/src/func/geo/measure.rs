//! Lengths, areas, distances, hulls.

use super::*;
use crate::errno;
use crate::value::geo::plane::{self, Edge, Pieces, Place};

/// Metres: the radius of a sphere that MySQL takes for the earth where coordinates have no system.
const EARTH: f64 = 6_370_986.0;

/// What one comparison of two edges is in the units of [`FuncCtx::work`].
pub const EDGE_WORK: usize = 16;

/// The rectangle between two corners, or the line or the point that it is.
pub fn rectangle(a: Coord, b: Coord) -> Shape {
    let (x, y) = ((a.x.min(b.x), a.x.max(b.x)), (a.y.min(b.y), a.y.max(b.y)));
    let c = |x, y| Coord { x, y };
    match (x.0 == x.1, y.0 == y.1) {
        (true, true) => Shape::Point(c(x.0, y.0)),
        (false, false) => Shape::Polygon(vec![vec![
            c(x.0, y.0),
            c(x.1, y.0),
            c(x.1, y.1),
            c(x.0, y.1),
            c(x.0, y.0),
        ]]),
        _ => Shape::LineString(vec![c(x.0, y.0), c(x.1, y.1)]),
    }
}

pub fn envelope(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(g) = planar(cx, &args[0], "st_envelope")? else { return Ok(Value::Null) };
    match g.shape.bounds() {
        Some((low, high)) => stored(g.srid, rectangle(low, high)),
        None => stored(g.srid, Shape::Collection(Vec::new())),
    }
}

pub fn convex_hull(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(g) = planar(cx, &args[0], "st_convexhull")? else { return Ok(Value::Null) };
    let mut all = Vec::new();
    g.shape.all_coords(&mut |c| {
        all.push(c);
        true
    });
    let hull = plane::convex_hull(all);
    match hull[..] {
        [] => Ok(Value::Null),
        [c] => stored(g.srid, Shape::Point(c)),
        [_, _] => stored(g.srid, Shape::LineString(hull)),
        _ => stored(g.srid, Shape::Polygon(vec![hull])),
    }
}

fn length_of(line: &[Coord]) -> f64 {
    plane::edges(line).map(|(a, b)| plane::distance(a, b)).sum()
}

/// A number that is not one where it went beyond all doubles.
pub fn finite(x: f64, function: &str) -> Out {
    if x.is_finite() { Ok(Value::Double(x)) } else { Err(out_of_range("result", function)) }
}

/// Of lines; NULL of all others.
pub fn length(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_length";
    let Some((g, srs)) = known(cx, &args[0], function)? else { return Ok(Value::Null) };
    let sum = match &g.shape {
        Shape::LineString(l) => length_of(l),
        Shape::MultiLineString(all) => all.iter().map(|l| length_of(l)).sum(),
        _ => return Ok(Value::Null),
    };
    if srs.geographic {
        return Err(geographic(function, &[g.shape.kind()]));
    }
    finite(sum, function)
}

/// The area of a polygon whatever the direction of its rings.
fn area_of(polygon: &[Vec<Coord>]) -> f64 {
    let mut rings = polygon.iter().map(|r| plane::doubled_area(r).abs() / 2.0);
    rings.next().unwrap_or(0.0) - rings.sum::<f64>()
}

pub fn area(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_area";
    let Some((g, srs)) = known(cx, &args[0], function)? else { return Ok(Value::Null) };
    let sum = match &g.shape {
        Shape::Polygon(p) => area_of(p),
        Shape::MultiPolygon(all) => all.iter().map(|p| area_of(p)).sum(),
        other => return Err(unexpected("POLYGON/MULTIPOLYGON", other.kind(), function)),
    };
    if srs.geographic {
        return Err(geographic(function, &[g.shape.kind()]));
    }
    finite(sum, function)
}

/// A sum of places, each with its weight.
#[derive(Default)]
struct Balance {
    x: f64,
    y: f64,
    weight: f64,
}

impl Balance {
    fn add(&mut self, c: Coord, weight: f64) {
        self.x += c.x * weight;
        self.y += c.y * weight;
        self.weight += weight;
    }

    fn of_lines<'l>(lines: impl Iterator<Item = &'l Vec<Coord>>) -> Balance {
        let mut sum = Balance::default();
        for (a, b) in lines.flat_map(|l| plane::edges(l)) {
            let middle = Coord { x: a.x / 2.0 + b.x / 2.0, y: a.y / 2.0 + b.y / 2.0 };
            sum.add(middle, plane::distance(a, b));
        }
        sum
    }

    /// Triangles from one corner; holes count against their polygon.
    fn of_polygons(polygons: &[Vec<Vec<Coord>>], from: Coord) -> Balance {
        let mut sum = Balance::default();
        for polygon in polygons {
            for (i, ring) in polygon.iter().enumerate() {
                let clockwise = plane::doubled_area(ring) < 0.0;
                let sign = if clockwise == (i == 0) { -1.0 } else { 1.0 };
                for (a, b) in plane::edges(ring) {
                    let (a, b) = (less(a, from), less(b, from));
                    let third = Coord { x: (a.x + b.x) / 3.0, y: (a.y + b.y) / 3.0 };
                    sum.add(third, sign * (a.x * b.y - b.x * a.y));
                }
            }
        }
        sum
    }

    fn at(&self) -> Option<Coord> {
        let c = Coord { x: self.x / self.weight, y: self.y / self.weight };
        (self.weight != 0.0 && c.x.is_finite() && c.y.is_finite()).then_some(c)
    }
}

fn less(c: Coord, from: Coord) -> Coord {
    Coord { x: c.x - from.x, y: c.y - from.y }
}

/// What has the highest dimension decides; what has no extent there counts as what it is one dimension below.
fn centroid_of(pieces: &Pieces) -> Option<Coord> {
    let corner = pieces.polygons.iter().flatten().flatten().next().copied();
    let whole = corner.and_then(|o| {
        let c = Balance::of_polygons(&pieces.polygons, o).at()?;
        Some(Coord { x: c.x + o.x, y: c.y + o.y })
    });
    let rings = || Balance::of_lines(pieces.polygons.iter().flatten()).at();
    let lines = || Balance::of_lines(pieces.lines.iter()).at();
    let points = || {
        let mut sum = Balance::default();
        pieces.points.iter().for_each(|c| sum.add(*c, 1.0));
        sum.at()
    };
    let ends = || pieces.polygons.iter().flatten().chain(&pieces.lines).flatten().next().copied();
    match () {
        () if !pieces.polygons.is_empty() => whole.or_else(rings).or_else(ends),
        () if !pieces.lines.is_empty() => lines().or_else(ends),
        () => points(),
    }
}

pub fn centroid(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(g) = planar(cx, &args[0], "st_centroid")? else { return Ok(Value::Null) };
    let c = centroid_of(&Pieces::of(&g.shape));
    c.map_or(Ok(Value::Null), |c| stored(g.srid, Shape::Point(c)))
}

/// Points as edges without an extent, and all edges.
fn all_edges(pieces: &Pieces) -> Vec<Edge> {
    let mut all = pieces.edges();
    all.extend(pieces.points.iter().map(|c| (*c, *c)));
    all
}

/// Whether a corner of `a` lies in a polygon of `b`; with no edges that meet, one corner of each piece tells it.
fn lies_in(cx: &mut FuncCtx<'_>, a: &Pieces, b: &Pieces) -> Result<bool, ValueError> {
    let corners: usize = b.polygons.iter().flatten().map(Vec::len).sum();
    let firsts = a.lines.iter().filter_map(|l| l.first());
    let rings = a.polygons.iter().filter_map(|p| p.first()?.first());
    for c in a.points.iter().chain(firsts).chain(rings) {
        cx.work(EDGE_WORK * corners)?;
        if b.locate(*c) != Place::Outside {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether two geometries have a point in common.
pub fn meet(cx: &mut FuncCtx<'_>, a: &Pieces, b: &Pieces) -> Result<bool, ValueError> {
    let (e, f) = (all_edges(a), all_edges(b));
    for x in &e {
        cx.work(EDGE_WORK * f.len())?;
        if f.iter().any(|y| plane::meet(*x, *y)) {
            return Ok(true);
        }
    }
    Ok(lies_in(cx, a, b)? || lies_in(cx, b, a)?)
}

pub fn distance(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_distance";
    let Some((a, b, srs)) = pair(cx, args, function)? else { return Ok(Value::Null) };
    if srs.geographic {
        return Err(geographic(function, &[a.shape.kind(), b.shape.kind()]));
    }
    if a.shape.is_empty() || b.shape.is_empty() {
        return Ok(Value::Null);
    }
    let (a, b) = (Pieces::of(&a.shape), Pieces::of(&b.shape));
    if meet(cx, &a, &b)? {
        return Ok(Value::Double(0.0));
    }
    let (e, f) = (all_edges(&a), all_edges(&b));
    let mut least = f64::INFINITY;
    for x in &e {
        cx.work(EDGE_WORK * f.len())?;
        least = f.iter().fold(least, |d, y| d.min(plane::distance_of_edges(*x, *y)));
    }
    finite(least, function)
}

/// The distance of two points on a sphere, by haversines.
fn on_sphere(a: Coord, b: Coord, radius: f64) -> f64 {
    let half = |x: f64, y: f64| ((y - x).to_radians() / 2.0).sin().powi(2);
    let (p, q) = (a.y.to_radians().cos(), b.y.to_radians().cos());
    let h = half(a.y, b.y) + p * q * half(a.x, b.x);
    2.0 * radius * h.sqrt().min(1.0).asin()
}

/// Between points, and the nearest of several; without a system their coordinates are degrees.
pub fn distance_sphere(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_distance_sphere";
    let radius = match args.get(2) {
        None => None,
        Some(v) => match v.to_f64(&mut cx.warnings) {
            None => return Ok(Value::Null),
            Some(r) if r > 0.0 && r.is_finite() => Some(r),
            Some(_) => {
                let text = format!(
                    "Invalid radius provided to function {function}: Radius must be greater than \
                     zero."
                );
                return Err(ValueError::new(errno::ER_NONPOSITIVE_RADIUS, text));
            }
        },
    };
    let Some((a, b, srs)) = pair(cx, args, function)? else { return Ok(Value::Null) };
    let kinds = [a.shape.kind(), b.shape.kind()];
    let not_there = |what| {
        let text = format!(
            "{function}({}, {}) has not been implemented for {what} spatial reference systems.",
            kinds[0].shown(),
            kinds[1].shown()
        );
        let errno = if what == "Cartesian" {
            errno::ER_NOT_IMPLEMENTED_FOR_CARTESIAN_SRS
        } else {
            errno::ER_NOT_IMPLEMENTED_FOR_PROJECTED_SRS
        };
        Err(ValueError::new(errno, text))
    };
    if !kinds.iter().all(|k| matches!(k, GeoKind::Point | GeoKind::MultiPoint)) {
        if srs.geographic {
            return Err(geographic(function, &kinds));
        }
        return not_there("Cartesian");
    }
    let globe = match srs.srid {
        0 => Srs { geographic: true, ..*srs },
        _ if !srs.geographic => return not_there("projected"),
        _ => *srs,
    };
    check_degrees(&a.shape, &globe, Whose::Parameter, function)?;
    check_degrees(&b.shape, &globe, Whose::Parameter, function)?;
    let radius = radius.unwrap_or(if srs.srid == 0 { EARTH } else { srs.mean_radius() });
    let (a, b) = (Pieces::of(&a.shape), Pieces::of(&b.shape));
    let mut least = f64::INFINITY;
    for x in &a.points {
        cx.work(EDGE_WORK * b.points.len())?;
        least = b.points.iter().fold(least, |d, y| d.min(on_sphere(*x, *y, radius)));
    }
    finite(least, function)
}
