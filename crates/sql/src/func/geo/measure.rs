//! Lengths, areas, hulls.

use super::*;
use crate::value::geo::plane::{self, Pieces};
use crate::value::geo::surface::Surface;

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

/// A number that is not one where it went beyond all doubles.
pub fn finite(x: f64, function: &str) -> Out {
    if x.is_finite() { Ok(Value::Double(x)) } else { Err(out_of_range("result", function)) }
}

/// What lines are long in all, on what they lie on.
fn length_of(cx: &mut FuncCtx<'_>, lines: &[&Vec<Coord>], on: Surface) -> Result<f64, ValueError> {
    let mut sum = 0.0;
    for line in lines {
        cx.work(EDGE_WORK * line.len())?;
        for (a, b) in plane::edges(line) {
            sum += on.distance(a, b);
        }
    }
    Ok(sum)
}

/// Of lines, in metres or the unit that is named; NULL of all others.
pub fn length(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_length";
    let Some((g, srs)) = known(cx, &args[0], function)? else { return Ok(Value::Null) };
    let lines: Vec<&Vec<Coord>> = match &g.shape {
        Shape::LineString(l) => vec![l],
        Shape::MultiLineString(all) => all.iter().collect(),
        _ => return Ok(Value::Null),
    };
    if args.get(1).is_some_and(Value::is_null) {
        return Ok(Value::Null);
    }
    let sum = length_of(cx, &lines, Surface::of(&srs))?;
    finite(units::in_unit(sum, args.get(1), &srs, function)?, function)
}

/// The area of a polygon whatever the direction of its rings.
fn area_of(polygon: &[Vec<Coord>], on: Surface) -> f64 {
    let mut rings = polygon.iter().map(|r| match on {
        Surface::Plane => plane::doubled_area(r).abs() / 2.0,
        Surface::Globe(s) => s.ring_area(r).abs(),
    });
    rings.next().unwrap_or(0.0) - rings.sum::<f64>()
}

pub fn area(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_area";
    let Some((g, srs)) = known(cx, &args[0], function)? else { return Ok(Value::Null) };
    let polygons = match &g.shape {
        Shape::Polygon(p) => std::slice::from_ref(p),
        Shape::MultiPolygon(all) => &all[..],
        other => return Err(unexpected("POLYGON/MULTIPOLYGON", other.kind(), function)),
    };
    let mut sum = 0.0;
    for polygon in polygons {
        cx.work(polygon.iter().map(|r| EDGE_WORK * r.len()).sum())?;
        sum += area_of(polygon, Surface::of(&srs));
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
