//! What follows lines: points at distances, simpler lines, and how far two of them are apart at most.

use super::measure::{EDGE_WORK, finite};
use super::*;
use crate::errno;
use crate::value::geo::plane;
use crate::value::geo::surface::Surface;

/// A line, what it lies on, and a number that belongs to it.
struct Measured {
    srid: u32,
    line: Vec<Coord>,
    on: Surface,
    number: f64,
}

/// None: NULL.
fn line_and_number(
    cx: &mut FuncCtx<'_>,
    args: &[Value<'_>],
    function: &str,
) -> Result<Option<Measured>, ValueError> {
    let number = args[1].to_f64(&mut cx.warnings);
    let Some((g, srs)) = known(cx, &args[0], function)? else { return Ok(None) };
    let Some(number) = number else { return Ok(None) };
    let kind = g.shape.kind();
    let Shape::LineString(line) = g.shape else {
        return Err(unexpected("LINESTRING", kind, function));
    };
    cx.work(EDGE_WORK * line.len())?;
    Ok(Some(Measured { srid: g.srid, line, on: Surface::of(&srs), number }))
}

fn length_of(line: &[Coord], on: &Surface) -> f64 {
    plane::edges(line).map(|(a, b)| on.distance(a, b)).sum()
}

/// Points at rising distances from the beginning of a line.
fn points_along(line: &[Coord], on: &Surface, distances: &[f64]) -> Vec<Coord> {
    let (mut found, mut gone) = (Vec::with_capacity(distances.len()), 0.0);
    let mut wanted = distances.iter().peekable();
    for (a, b) in plane::edges(line) {
        let long = on.distance(a, b);
        while let Some(d) = wanted.next_if(|d| **d <= gone + long) {
            let part = if long > 0.0 { (*d - gone) / long } else { 0.0 };
            found.push(on.between(a, b, part));
        }
        gone += long;
    }
    // What rounding has put behind the end.
    found.extend(wanted.filter_map(|_| line.last().copied()));
    found
}

/// ST_LineInterpolatePoint() at a part of the line, and ST_PointAtDistance() at a distance.
pub fn point_at<const DISTANCE: usize>(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = ["st_lineinterpolatepoint", "st_pointatdistance"][DISTANCE];
    let Some(Measured { srid, line, on, number: x }) = line_and_number(cx, args, function)? else {
        return Ok(Value::Null);
    };
    let whole = length_of(&line, &on);
    let (most, scale) = if DISTANCE == 1 { (whole, 1.0) } else { (1.0, whole) };
    if !(0.0..=most).contains(&x) {
        return Err(out_of_range("Distance", function));
    }
    match points_along(&line, &on, &[x * scale])[..] {
        [c] => stored(srid, Shape::Point(c)),
        _ => Ok(Value::Null),
    }
}

/// A point inside of a stored multi-point: its byte order, its type and two coordinates.
const BYTES_PER_POINT: usize = 21;

pub fn points_at(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_lineinterpolatepoints";
    let Some(Measured { srid, line, on, number: part }) = line_and_number(cx, args, function)?
    else {
        return Ok(Value::Null);
    };
    if !(0.0..=1.0).contains(&part) {
        return Err(out_of_range("Distance", function));
    }
    let whole = length_of(&line, &on);
    if part == 0.0 || whole == 0.0 {
        return stored(srid, Shape::MultiPoint(line[..1].to_vec()));
    }
    let count = (1.0 / part).floor();
    if too_big(cx, (count * BYTES_PER_POINT as f64) as usize, function)? {
        return Ok(Value::Null);
    }
    cx.work(EDGE_WORK * count as usize)?;
    cx.hold_tree(count as usize * 2 * size_of::<Coord>())?;
    let distances: Vec<f64> = (1..=count as usize).map(|n| whole * part * n as f64).collect();
    stored(srid, Shape::MultiPoint(points_along(&line, &on, &distances)))
}

/// Two lists of lines or of points, and what they lie on.
struct Lists {
    a: Vec<Vec<Coord>>,
    b: Vec<Vec<Coord>>,
    on: Surface,
}

/// Two lines, or two lists of points for ST_HausdorffDistance(), as MySQL has them; all else is 3704 or 3618.
fn lists(
    cx: &mut FuncCtx<'_>,
    args: &[Value<'_>],
    function: &str,
    points: bool,
) -> Result<Option<Lists>, ValueError> {
    let Some((a, b, srs)) = pair(cx, args, function)? else { return Ok(None) };
    let kinds = [a.shape.kind(), b.shape.kind()];
    use GeoKind::{LineString, MultiLineString, MultiPoint, Point};
    let there = match kinds {
        [LineString, LineString] => true,
        [Point, MultiPoint] | [MultiPoint, Point | MultiPoint] => points,
        [LineString, MultiLineString] | [MultiLineString, LineString | MultiLineString] => points,
        _ => false,
    };
    if !there && srs.geographic {
        return Err(geographic(function, &kinds));
    }
    if !there {
        let text = format!(
            "{function}({}, {}) has not been implemented for Cartesian spatial reference systems.",
            kinds[0].shown(),
            kinds[1].shown()
        );
        return Err(ValueError::new(errno::ER_NOT_IMPLEMENTED_FOR_CARTESIAN_SRS, text));
    }
    let list = |s: Shape| match s {
        Shape::Point(c) => vec![vec![c]],
        Shape::MultiPoint(l) | Shape::LineString(l) => vec![l],
        Shape::MultiLineString(all) => all,
        _ => Vec::new(),
    };
    let (a, b) = (list(a.shape), list(b.shape));
    // One and several are measured from the one, whichever is named first.
    let swapped = matches!(kinds, [MultiPoint, Point] | [MultiLineString, LineString]);
    let (a, b) = if swapped { (b, a) } else { (a, b) };
    Ok(Some(Lists { a, b, on: Surface::of(&srs) }))
}

/// The largest of the distances from a corner of `a` to the nearest corner of `b`.
fn furthest(
    cx: &mut FuncCtx<'_>,
    on: &Surface,
    a: &[Coord],
    b: &[Coord],
) -> Result<f64, ValueError> {
    let mut most = 0.0f64;
    for c in a {
        cx.work(EDGE_WORK * b.len())?;
        let nearest = b.iter().fold(f64::INFINITY, |d, e| d.min(on.distance(*c, *e)));
        most = most.max(nearest);
    }
    Ok(most)
}

/// From the first geometry to the second, by their corners: for each line of either, the largest.
pub fn hausdorff(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_hausdorffdistance";
    let Some(Lists { a, b, on }) = lists(cx, args, function, true)? else { return Ok(Value::Null) };
    let mut most = 0.0f64;
    for x in &a {
        for y in &b {
            most = most.max(furthest(cx, &on, x, y)?);
        }
    }
    finite(most, function)
}

/// The discrete distance of two lines: the shortest leash for two who go from corner to corner and never back.
pub fn frechet(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_frechetdistance";
    let Some(Lists { a, b, on }) = lists(cx, args, function, false)? else {
        return Ok(Value::Null);
    };
    let ([a], [b]) = (&a[..], &b[..]) else { return Ok(Value::Null) };
    cx.hold_tree(b.len() * 2 * size_of::<f64>())?;
    // The leash that is needed up to each corner of `b`, for the corner of `a` at hand.
    let mut row = vec![f64::INFINITY; b.len()];
    for (i, c) in a.iter().enumerate() {
        cx.work(EDGE_WORK * b.len())?;
        let (mut left, mut slant) = (f64::INFINITY, f64::INFINITY);
        for (j, d) in b.iter().enumerate() {
            let before = if i == 0 && j == 0 { 0.0 } else { left.min(slant).min(row[j]) };
            slant = row[j];
            row[j] = before.max(on.distance(*c, *d));
            left = row[j];
        }
    }
    finite(row.last().copied().unwrap_or(0.0), function)
}

/// ST_Simplify() by Douglas and Peucker: corners are left out that are nearer to the rest than the distance.
pub fn simplify(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_simplify";
    let distance = args[1].to_f64(&mut cx.warnings);
    let Some(g) = planar(cx, &args[0], function)? else { return Ok(Value::Null) };
    let Some(distance) = distance else { return Ok(Value::Null) };
    if distance <= 0.0 || !distance.is_finite() {
        return Err(ValueError::wrong_arguments(function));
    }
    match simpler(cx, &g.shape, distance)? {
        Some(shape) => stored(g.srid, shape),
        None => Ok(Value::Null),
    }
}

/// None: nothing is left of it.
fn simpler(
    cx: &mut FuncCtx<'_>,
    shape: &Shape,
    distance: f64,
) -> Result<Option<Shape>, ValueError> {
    fn all<T, U>(
        list: &[T],
        mut one: impl FnMut(&T) -> Result<Option<U>, ValueError>,
    ) -> Result<Vec<U>, ValueError> {
        let mut found = Vec::new();
        for x in list {
            found.extend(one(x)?);
        }
        Ok(found)
    }
    Ok(match shape {
        Shape::Point(_) | Shape::MultiPoint(_) => Some(shape.clone()),
        Shape::LineString(l) => line(cx, l, distance)?.map(Shape::LineString),
        Shape::MultiLineString(lines) => {
            let lines = all(lines, |l| line(cx, l, distance))?;
            (!lines.is_empty()).then_some(Shape::MultiLineString(lines))
        }
        Shape::Polygon(p) => polygon_of(cx, p, distance)?.map(Shape::Polygon),
        Shape::MultiPolygon(polygons) => {
            let polygons = all(polygons, |p| polygon_of(cx, p, distance))?;
            (!polygons.is_empty()).then_some(Shape::MultiPolygon(polygons))
        }
        Shape::Collection(parts) => {
            let parts = all(parts, |p| simpler(cx, p, distance))?;
            (!parts.is_empty()).then_some(Shape::Collection(parts))
        }
    })
}

fn line(
    cx: &mut FuncCtx<'_>,
    line: &[Coord],
    distance: f64,
) -> Result<Option<Vec<Coord>>, ValueError> {
    let mut l = line.to_vec();
    l.dedup();
    let kept = if l.len() < 2 { Vec::new() } else { kept(cx, &l, distance)? };
    Ok((kept.len() > 1).then_some(kept))
}

/// A polygon is no longer one where its outer ring has no area left; a hole that has none is left out.
fn polygon_of(
    cx: &mut FuncCtx<'_>,
    polygon: &[Vec<Coord>],
    distance: f64,
) -> Result<Option<Vec<Vec<Coord>>>, ValueError> {
    let mut rings = Vec::new();
    for (i, r) in polygon.iter().enumerate() {
        match ring(cx, r, distance)? {
            Some(r) => rings.push(r),
            None if i == 0 => return Ok(None),
            None => {}
        }
    }
    Ok(Some(rings))
}

/// A ring is begun at the corner that is furthest from its first one, so that this one may be left out.
fn ring(
    cx: &mut FuncCtx<'_>,
    ring: &[Coord],
    distance: f64,
) -> Result<Option<Vec<Coord>>, ValueError> {
    let mut open = ring.to_vec();
    open.dedup();
    open.pop();
    let Some(first) = open.first().copied() else { return Ok(None) };
    let far = |i: &usize| plane::distance(open[*i], first);
    // The first of several that are as far.
    let start = (0..open.len()).rev().max_by(|i, j| far(i).total_cmp(&far(j))).unwrap_or(0);
    open.rotate_left(start);
    open.push(open[0]);
    let kept = kept(cx, &open, distance)?;
    Ok((kept.len() > 3).then_some(kept))
}

fn kept(cx: &mut FuncCtx<'_>, line: &[Coord], distance: f64) -> Result<Vec<Coord>, ValueError> {
    let mut keep = vec![false; line.len()];
    let last = line.len() - 1;
    (keep[0], keep[last]) = (true, true);
    let mut parts = vec![(0, last)];
    while let Some((from, to)) = parts.pop() {
        cx.work(EDGE_WORK * (to - from))?;
        let edge = (line[from], line[to]);
        let apart = |i: usize| plane::distance_to_edge(line[i], edge);
        let furthest = (from + 1..to).max_by(|i, j| apart(*i).total_cmp(&apart(*j)));
        if let Some(i) = furthest.filter(|i| apart(*i) > distance) {
            keep[i] = true;
            parts.extend([(from, i), (i, to)]);
        }
    }
    Ok(line.iter().zip(keep).filter(|(_, k)| *k).map(|(c, _)| *c).collect())
}
