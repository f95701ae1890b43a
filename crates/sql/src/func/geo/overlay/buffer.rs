//! ST_Buffer(): all places that are no further from a geometry than a distance.
//!
//! It is the union of simple pieces: a strip along each edge, a wedge at each corner, a cap at each end of a line, a circle around
//! each point. They are united in groups of neighbours, so that each step has little to do and can be interrupted behind it. A
//! negative distance takes the pieces along the border of a polygon away from it.

use super::areas::{self, Polygons, Rule};
use super::strategy::{Join, Style, style};
use super::*;
use crate::value::geo::plane;
use std::f64::consts::{PI, TAU};

/// Pieces, and then results of earlier groups, that are united in one step.
const GROUP: usize = 16;
/// Rings with less than this part of the square of the distance are what rounding has left between two pieces.
const SLIVER: f64 = 1e-12;

struct Brush {
    distance: f64,
    style: Style,
    pieces: Polygons,
}

pub fn buffer(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_buffer";
    let distance = args[1].to_f64(&mut cx.warnings);
    let Some((g, srs)) = known(cx, &args[0], function)? else { return Ok(Value::Null) };
    let kind = g.shape.kind();
    if srs.geographic && kind != GeoKind::Point {
        return Err(geographic(function, &[kind]));
    }
    let Some(style) = style(&args[2..], kind, function)? else { return Ok(Value::Null) };
    let Some(distance) = distance else { return Ok(Value::Null) };
    if srs.geographic {
        return around_point(&g, &srs, distance, &args[2..]);
    }
    let pieces = Pieces::of(&g.shape);
    let shrinks = distance < 0.0;
    if !distance.is_finite() || (shrinks && pieces.polygons.is_empty() && !g.shape.is_empty()) {
        return Err(ValueError::wrong_arguments(function));
    }
    if distance == 0.0 || g.shape.is_empty() {
        return stored(g.srid, g.shape);
    }
    let polygons = areas::oriented(&pieces.polygons);
    let mut brush = Brush { distance: distance.abs(), style, pieces: Vec::new() };
    for ring in polygons.iter().flatten() {
        brush.ring(cx, ring)?;
    }
    if !shrinks {
        for line in &pieces.lines {
            brush.line(cx, line)?;
        }
        pieces.points.iter().try_for_each(|c| brush.point(cx, *c))?;
    }
    let far =
        brush.pieces.iter().flatten().flatten().any(|c| !(c.x.is_finite() && c.y.is_finite()));
    if far {
        return Err(out_of_range("result", function));
    }
    let border = united(cx, brush.pieces, function)?;
    let rule = if shrinks { Rule::Difference } else { Rule::Union };
    let mut made = two(cx, &polygons, &border, rule, function)?;
    let least = Some(SLIVER * distance * distance).filter(|x| x.is_finite()).unwrap_or(0.0);
    for polygon in &mut made {
        polygon.iter_mut().for_each(|r| *r = areas::straightened(r));
        polygon.retain(|r| r.len() > 3 && plane::doubled_area(r).abs() >= least);
    }
    made.retain(|p| !p.is_empty());
    let shape = parts(made, true, Shape::Polygon, Shape::MultiPolygon).pop();
    finish(cx, g.srid, shape.unwrap_or(Shape::Collection(Vec::new())), function)
}

/// Points of a circle on a globe.
const ROUND: u32 = 32;

/// A circle around a point on a globe, which is the one buffer that there is; it takes no strategies.
fn around_point(g: &Geometry, srs: &Srs, distance: f64, strategies: &[Value<'_>]) -> Out {
    let Shape::Point(c) = g.shape else {
        return Err(geographic("st_buffer", &[g.shape.kind()]));
    };
    if distance.is_nan() || distance < 0.0 || distance.is_infinite() || !strategies.is_empty() {
        return Err(ValueError::wrong_arguments("st_buffer"));
    }
    if distance == 0.0 {
        return stored(g.srid, g.shape.clone());
    }
    let spheroid = srs.spheroid();
    let at = |i: u32| {
        // From the south over the east, as rings go around their inside.
        let azimuth = PI - f64::from(i) * (TAU / f64::from(ROUND));
        spheroid.end(c, azimuth, distance).0
    };
    let mut ring: Vec<Coord> = (0..ROUND).map(at).collect();
    ring.push(ring[0]);
    stored(g.srid, Shape::Polygon(vec![ring]))
}

fn two(
    cx: &mut FuncCtx<'_>,
    a: &Polygons,
    b: &Polygons,
    rule: Rule,
    function: &str,
) -> Result<Polygons, ValueError> {
    let (of_a, of_b) = (EdgeIndex::of_rings(a), EdgeIndex::of_rings(b));
    areas::combine(cx, (a, b), (&of_a, &of_b), rule, function)
}

/// The union of pieces, by groups of neighbours.
fn united(cx: &mut FuncCtx<'_>, pieces: Polygons, function: &str) -> Result<Polygons, ValueError> {
    let mut groups: Vec<Polygons> = pieces.into_iter().map(|p| vec![p]).collect();
    while groups.len() > 1 {
        let mut fewer = Vec::with_capacity(groups.len().div_ceil(GROUP));
        for group in groups.chunks(GROUP) {
            fewer.push(two(cx, &group.concat(), &Vec::new(), Rule::Union, function)?);
        }
        groups = fewer;
    }
    Ok(groups.pop().unwrap_or_default())
}

/// Turned to the left by an angle.
fn turned(v: Coord, angle: f64) -> Coord {
    let (sin, cos) = angle.sin_cos();
    Coord { x: v.x * cos - v.y * sin, y: v.x * sin + v.y * cos }
}

fn plus(a: Coord, b: Coord) -> Coord {
    Coord { x: a.x + b.x, y: a.y + b.y }
}

fn minus(a: Coord, b: Coord) -> Coord {
    Coord { x: a.x - b.x, y: a.y - b.y }
}

impl Brush {
    fn add(&mut self, cx: &mut FuncCtx<'_>, mut ring: Vec<Coord>) -> Result<(), ValueError> {
        cx.work(EDGE_WORK * ring.len())?;
        cx.hold_tree((ring.len() + 4) * size_of::<Coord>())?;
        ring.extend(ring.first().copied());
        self.pieces.extend(areas::oriented(&[vec![ring]]));
        Ok(())
    }

    fn point(&mut self, cx: &mut FuncCtx<'_>, c: Coord) -> Result<(), ValueError> {
        let d = self.distance;
        let ring = match self.style.point {
            Some(n) => {
                let angle = |i: usize| TAU * i as f64 / n as f64;
                (0..n).map(|i| plus(c, turned(Coord { x: d, y: 0.0 }, angle(i)))).collect()
            }
            None => {
                let corners = [(-d, -d), (d, -d), (d, d), (-d, d)];
                corners.map(|(x, y)| plus(c, Coord { x, y })).to_vec()
            }
        };
        self.add(cx, ring)
    }

    /// To the left of the way from one point to another, as long as the distance.
    fn normal(&self, a: Coord, b: Coord) -> Coord {
        let long = plane::distance(a, b) / self.distance;
        Coord { x: (a.y - b.y) / long, y: (b.x - a.x) / long }
    }

    fn line(&mut self, cx: &mut FuncCtx<'_>, line: &[Coord]) -> Result<(), ValueError> {
        let mut l = line.to_vec();
        l.dedup();
        let [first, second, ..] = l[..] else { return self.point(cx, l[0]) };
        let (last, before) = (l[l.len() - 1], l[l.len() - 2]);
        self.end(cx, first, second)?;
        for (a, b) in plane::edges(&l) {
            self.strip(cx, a, b)?;
        }
        for w in l.windows(3) {
            self.corner(cx, w[0], w[1], w[2])?;
        }
        self.end(cx, last, before)
    }

    fn ring(&mut self, cx: &mut FuncCtx<'_>, ring: &[Coord]) -> Result<(), ValueError> {
        let before = ring[ring.len() - 2];
        self.corner(cx, before, ring[0], ring[1])?;
        for w in ring.windows(3) {
            self.strip(cx, w[0], w[1])?;
            self.corner(cx, w[0], w[1], w[2])?;
        }
        self.strip(cx, before, ring[0])
    }

    /// Its own ends are corners of it, so that neighbours share all of them.
    fn strip(&mut self, cx: &mut FuncCtx<'_>, a: Coord, b: Coord) -> Result<(), ValueError> {
        let n = self.normal(a, b);
        self.add(cx, vec![a, minus(a, n), minus(b, n), b, plus(b, n), plus(a, n)])
    }

    /// The cap where a line begins that goes on to another point.
    fn end(&mut self, cx: &mut FuncCtx<'_>, c: Coord, other: Coord) -> Result<(), ValueError> {
        let Some(points) = self.style.end else { return Ok(()) };
        let from = self.normal(c, other);
        let step = TAU / points as f64;
        // An odd number of points leaves half a step at the first side.
        let shift = if points % 2 == 1 { 0.5 } else { 0.0 };
        let inner = (1..).map(|k| (f64::from(k) - shift) * step);
        let mut ring = vec![c, plus(c, from)];
        ring.extend(inner.take(points.div_ceil(2) - 1).map(|a| plus(c, turned(from, a))));
        ring.push(minus(c, from));
        self.add(cx, ring)
    }

    /// The wedge between the strips of two edges, on the side on which they leave a gap.
    fn corner(
        &mut self,
        cx: &mut FuncCtx<'_>,
        a: Coord,
        c: Coord,
        b: Coord,
    ) -> Result<(), ValueError> {
        let (n, m) = (self.normal(a, c), self.normal(c, b));
        let zero = Coord { x: 0.0, y: 0.0 };
        let (from, to) = match plane::side(a, c, b) {
            std::cmp::Ordering::Greater => (minus(zero, n), minus(zero, m)),
            std::cmp::Ordering::Less => (m, n),
            std::cmp::Ordering::Equal if n.x * m.x + n.y * m.y > 0.0 => return Ok(()),
            std::cmp::Ordering::Equal => (minus(zero, n), n),
        };
        let turn = (from.x * to.y - from.y * to.x).atan2(from.x * to.x + from.y * to.y).abs();
        let mut ring = vec![c, plus(c, from)];
        match self.style.join {
            Join::Round(points) => {
                let count = (turn * points as f64 / TAU - 1e-9).ceil().max(1.0);
                let inner = (1..count as usize).map(|k| turn * k as f64 / count);
                ring.extend(inner.map(|a| plus(c, turned(from, a))));
            }
            // A way back has no corner outside.
            Join::Miter(_) if PI - turn < 1e-9 => {}
            Join::Miter(limit) => {
                // The sum of two vectors of this length runs to the tip, and is twice the cosine of half the turn long.
                let square = self.distance * self.distance;
                let cos = (from.x * to.x + from.y * to.y) / square;
                let (full, sum) = (1.0 / (1.0 + cos), plus(from, to));
                let most = limit / (2.0 + 2.0 * cos).sqrt();
                let share = if full.is_finite() { full.min(most) } else { 0.0 };
                ring.push(plus(c, Coord { x: sum.x * share, y: sum.y * share }));
            }
        }
        ring.push(plus(c, to));
        self.add(cx, ring)
    }
}
