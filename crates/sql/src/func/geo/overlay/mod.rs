//! Unions, intersections and differences of any two geometries of a plane.
//!
//! Both are taken apart by dimension. Areas are combined by `areas`; what lies in or on them is decided by the exact sides of
//! `value::geo::plane` on the geometries that were given: `lines` cuts lines at their borders. What is covered by something of a
//! higher dimension is no part of a result. `buffer` unites what lies near a geometry, in ways that `strategy` names. A polygon that crosses itself counts as what it goes around, one without an area as
//! nothing.

mod areas;
mod buffer;
mod lines;
mod strategy;

pub use buffer::buffer;
pub use strategy::strategy;

use super::measure::EDGE_WORK;
use super::*;
use crate::value::geo::edges::EdgeIndex;
use crate::value::geo::plane::{self, Pieces, Place};
use areas::Polygons;
pub use areas::Rule;
use lines::{Along, Lines};

/// A geometry taken apart: no part is covered by another one of a higher dimension, and polygons have no area in common.
pub struct Operand {
    points: Vec<Coord>,
    lines: Lines,
    polygons: Polygons,
    of_lines: EdgeIndex,
    borders: EdgeIndex,
}

#[derive(Default)]
struct Made {
    points: Vec<Coord>,
    lines: Lines,
    polygons: Polygons,
}

#[derive(Clone, Copy, PartialEq)]
enum Op {
    Union,
    Intersection,
    Difference,
    SymDifference,
}

const FUNCTIONS: [(&str, Op); 4] = [
    ("st_union", Op::Union),
    ("st_intersection", Op::Intersection),
    ("st_difference", Op::Difference),
    ("st_symdifference", Op::SymDifference),
];

pub fn overlay<const N: usize>(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let (function, op) = FUNCTIONS[N];
    let Some((a, b, srs)) = pair(cx, args, function)? else { return Ok(Value::Null) };
    let kinds = [a.shape.kind(), b.shape.kind()];
    let pointlike = |k: &GeoKind| matches!(k, GeoKind::Point | GeoKind::MultiPoint);
    if srs.geographic && !kinds.iter().all(pointlike) {
        return Err(geographic(function, &kinds));
    }
    let p = Operand::of(cx, &a.shape, function)?;
    let q = Operand::of(cx, &b.shape, function)?;
    let made = match op {
        Op::Union => union(cx, &p, &q, function)?,
        Op::Intersection => intersection(cx, &p, &q, function)?,
        Op::Difference => difference(cx, &p, &q, function)?,
        Op::SymDifference => {
            let one = without(cx, &p, &q)?;
            let other = without(cx, &q, &p)?;
            let polygons = areas_of(cx, &p, &q, Rule::Xor, function)?;
            Made {
                points: [one.points, other.points].concat(),
                lines: [one.lines, other.lines].concat(),
                polygons,
            }
        }
    };
    let shape = form(made, op, kinds);
    finish(cx, a.srid, shape, function)
}

/// The bytes of a result, or NULL with a warning where it is larger than a packet.
fn finish(cx: &mut FuncCtx<'_>, srid: u32, shape: Shape, function: &str) -> Out {
    let mut corners = 0usize;
    shape.all_coords(&mut |_| {
        corners += 1;
        true
    });
    if too_big(cx, corners.saturating_mul(size_of::<Coord>()), function)? {
        return Ok(Value::Null);
    }
    stored(srid, shape)
}

/// The points, each of them once, in their order.
fn distinct(points: &[Coord]) -> Vec<Coord> {
    let order = |a: &Coord, b: &Coord| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y));
    let mut at: Vec<usize> = (0..points.len()).collect();
    at.sort_by(|i, j| order(&points[*i], &points[*j]).then(i.cmp(j)));
    at.dedup_by(|i, j| points[*i] == points[*j]);
    at.sort_unstable();
    at.into_iter().map(|i| points[i]).collect()
}

impl Operand {
    pub fn of(cx: &mut FuncCtx<'_>, shape: &Shape, function: &str) -> Result<Operand, ValueError> {
        let pieces = Pieces::of(shape);
        let mut polygons = areas::oriented(&pieces.polygons);
        let mut borders = EdgeIndex::of_rings(&polygons);
        cx.hold_tree(borders.edges().len().saturating_mul(2 * size_of::<plane::Edge>()))?;
        if shape.kind() == GeoKind::Collection && polygons.len() > 1 {
            let nothing = (Vec::new(), EdgeIndex::default());
            let (both, indexes) = ((&polygons, &nothing.0), (&borders, &nothing.1));
            polygons = areas::combine(cx, both, indexes, Rule::Union, function)?;
            borders = EdgeIndex::of_rings(&polygons);
        }
        let (moving, still): (Lines, Lines) =
            pieces.lines.into_iter().partition(|l| l.iter().any(|c| *c != l[0]));
        let mut lines = moving;
        if !borders.is_empty() && !lines.is_empty() {
            let outside = |p| p == Place::Outside;
            lines = lines::pieces(cx, &lines, Along::Areas(&borders), outside)?;
        }
        let of_lines = EdgeIndex::of_lines(&lines);
        cx.hold_tree(of_lines.edges().len().saturating_mul(2 * size_of::<plane::Edge>()))?;
        // A line that stays where it is is a point.
        let mut points = pieces.points;
        points.extend(still.iter().map(|l| l[0]));
        let mut operand = Operand { points: Vec::new(), lines, polygons, of_lines, borders };
        operand.points = operand.split_points(cx, &distinct(&points), false)?.1;
        Ok(operand)
    }

    pub fn polygons(&self) -> &[Vec<Vec<Coord>>] {
        &self.polygons
    }

    pub fn has_points(&self) -> bool {
        !self.points.is_empty()
    }

    /// The highest of its parts.
    pub fn dimension(&self) -> u8 {
        match (self.polygons.is_empty(), self.lines.is_empty()) {
            (false, _) => 2,
            (true, false) => 1,
            (true, true) => 0,
        }
    }

    /// Points, lines and areas, each for itself.
    pub fn by_dimension(&self) -> [Pieces; 3] {
        let (points, lines) = (self.points.clone(), self.lines.clone());
        [
            Pieces { points, ..Pieces::default() },
            Pieces { lines, ..Pieces::default() },
            Pieces { polygons: self.polygons.clone(), ..Pieces::default() },
        ]
    }

    /// Whether all of its points and lines are in another one.
    pub fn is_covered_below_areas(
        &self,
        cx: &mut FuncCtx<'_>,
        by: &Operand,
    ) -> Result<bool, ValueError> {
        let rest = without(cx, self, by)?;
        Ok(rest.points.is_empty() && rest.lines.is_empty())
    }

    /// The areas of two by a rule.
    pub fn areas_with(
        &self,
        cx: &mut FuncCtx<'_>,
        other: &Operand,
        rule: Rule,
        function: &str,
    ) -> Result<Polygons, ValueError> {
        areas_of(cx, self, other, rule, function)
    }

    /// The points that are here, on lines or in areas or one of its own points, and those that are not.
    fn split_points(
        &self,
        cx: &mut FuncCtx<'_>,
        points: &[Coord],
        by_points: bool,
    ) -> Result<(Vec<Coord>, Vec<Coord>), ValueError> {
        let (mut here, mut not_here) = (Vec::new(), Vec::new());
        let mut near = Vec::new();
        let own = if by_points { &self.points[..] } else { &[] };
        let mut own: Vec<(u64, u64)> = own.iter().map(bits).collect();
        own.sort_unstable();
        for c in points {
            let mut work = |n| cx.work(EDGE_WORK * n);
            let found = own.binary_search(&bits(c)).is_ok()
                || self.of_lines.touches(*c, &mut work, &mut near)?
                || self.borders.locate(*c, &mut work, &mut near)? != Place::Outside;
            if found { here.push(*c) } else { not_here.push(*c) }
        }
        Ok((here, not_here))
    }
}

/// No coordinate of pieces is a negative zero, so that equal ones have equal bits.
fn bits(c: &Coord) -> (u64, u64) {
    (c.x.to_bits(), c.y.to_bits())
}

/// The areas of two operands by a rule; the library is asked only where both have a part in it.
fn areas_of(
    cx: &mut FuncCtx<'_>,
    p: &Operand,
    q: &Operand,
    rule: Rule,
    function: &str,
) -> Result<Polygons, ValueError> {
    let apart = match (p.borders.bounds(), q.borders.bounds()) {
        (Some(a), Some(b)) => !a.meets(&b),
        _ => true,
    };
    if !apart {
        let (both, indexes) = ((&p.polygons, &q.polygons), (&p.borders, &q.borders));
        return areas::combine(cx, both, indexes, rule, function);
    }
    Ok(match rule {
        Rule::Intersect => Vec::new(),
        Rule::Difference => p.polygons.clone(),
        _ => [&p.polygons[..], &q.polygons[..]].concat(),
    })
}

/// The lines and points of `p` that are not in `q`.
fn without(cx: &mut FuncCtx<'_>, p: &Operand, q: &Operand) -> Result<Made, ValueError> {
    let outside = |place| place == Place::Outside;
    let mut lines = p.lines.clone();
    for along in [Along::Areas(&q.borders), Along::Lines(&q.of_lines)] {
        let (Along::Lines(index) | Along::Areas(index)) = along;
        if !index.is_empty() && !lines.is_empty() {
            lines = lines::pieces(cx, &lines, along, outside)?;
        }
    }
    let points = q.split_points(cx, &p.points, true)?.1;
    Ok(Made { points, lines, polygons: Vec::new() })
}

fn union(
    cx: &mut FuncCtx<'_>,
    p: &Operand,
    q: &Operand,
    function: &str,
) -> Result<Made, ValueError> {
    let polygons = areas_of(cx, p, q, Rule::Union, function)?;
    let mut lines = p.lines.clone();
    if !q.borders.is_empty() && !lines.is_empty() {
        lines = lines::pieces(cx, &lines, Along::Areas(&q.borders), |p| p == Place::Outside)?;
    }
    let others = without(cx, q, p)?;
    lines.extend(others.lines);
    let mut points = q.split_points(cx, &p.points, false)?.1;
    points.extend(others.points);
    Ok(Made { points, lines, polygons })
}

fn difference(
    cx: &mut FuncCtx<'_>,
    p: &Operand,
    q: &Operand,
    function: &str,
) -> Result<Made, ValueError> {
    let polygons = areas_of(cx, p, q, Rule::Difference, function)?;
    Ok(Made { polygons, ..without(cx, p, q)? })
}

fn intersection(
    cx: &mut FuncCtx<'_>,
    p: &Operand,
    q: &Operand,
    function: &str,
) -> Result<Made, ValueError> {
    let polygons = areas_of(cx, p, q, Rule::Intersect, function)?;
    let (along, covered) = (|p| p == Place::Boundary, |p| p != Place::Outside);
    let mut lines = lines::pieces(cx, &p.lines, Along::Lines(&q.of_lines), along)?;
    lines.extend(lines::pieces(cx, &p.lines, Along::Areas(&q.borders), covered)?);
    lines.extend(lines::pieces(cx, &q.lines, Along::Areas(&p.borders), covered)?);
    lines.extend(lines::common_borders(cx, &p.borders, &q.borders)?);
    let mut touched = Vec::new();
    for (a, b, corners_only) in [
        (&p.of_lines, &q.of_lines, false),
        (&p.of_lines, &q.borders, false),
        (&q.of_lines, &p.borders, false),
        (&p.borders, &q.borders, true),
    ] {
        touched.extend(lines::meetings(cx, a, b, corners_only)?);
    }
    let touched = lines::points_off(cx, touched, &EdgeIndex::of_lines(&lines))?;
    let touched = lines::points_off(cx, touched, &EdgeIndex::of_rings(&polygons))?;
    let mut points = q.split_points(cx, &p.points, true)?.0;
    points.extend(p.split_points(cx, &q.points, true)?.0);
    points.extend(touched);
    Ok(Made { points: distinct(&points), lines, polygons })
}

/// The geometry that a result is. Where it has parts of several dimensions MySQL puts all of them into one collection, and keeps
/// those of the highest dimension of a symmetric difference together; an intersection has the lower dimensions first.
fn form(made: Made, op: Op, kinds: [GeoKind; 2]) -> Shape {
    let Made { points, lines, polygons } = made;
    let filled = [!points.is_empty(), !lines.is_empty(), !polygons.is_empty()];
    let mixed = filled.iter().filter(|f| **f).count() > 1;
    let linear = |k: &GeoKind| matches!(k, GeoKind::LineString | GeoKind::MultiLineString);
    let areal = |k: &GeoKind| matches!(k, GeoKind::Polygon | GeoKind::MultiPolygon);
    let simple = !kinds.contains(&GeoKind::Collection);
    let line_and_area = kinds.iter().any(linear) && kinds.iter().any(areal);
    let together = (op == Op::Intersection && simple && !line_and_area) || !mixed;
    let lines_apart = op == Op::Intersection && line_and_area;
    // Of a symmetric difference the parts of the highest dimension are one.
    let highest = op == Op::SymDifference && simple;
    let lines_together = together || (highest && polygons.is_empty());
    let polygons_together = together || highest;
    let points = parts(points, together, Shape::Point, Shape::MultiPoint);
    let lines =
        parts(lines, lines_together && !lines_apart, Shape::LineString, Shape::MultiLineString);
    let polygons = parts(polygons, polygons_together, Shape::Polygon, Shape::MultiPolygon);
    let mut all = if op == Op::Intersection && together {
        [points, lines, polygons].concat()
    } else {
        [polygons, lines, points].concat()
    };
    match all.len() {
        1 => all.remove(0),
        _ => Shape::Collection(all),
    }
}

/// Parts of one dimension, in one geometry or each for itself.
fn parts<T>(
    all: Vec<T>,
    together: bool,
    one: fn(T) -> Shape,
    many: fn(Vec<T>) -> Shape,
) -> Vec<Shape> {
    match all.len() {
        0 => Vec::new(),
        2.. if together => vec![many(all)],
        _ => all.into_iter().map(one).collect(),
    }
}
