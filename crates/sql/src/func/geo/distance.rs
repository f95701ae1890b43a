//! Distances, and whether two geometries have a point in common.

use super::measure::{EDGE_WORK, finite};
use super::*;
use crate::errno;
use crate::value::geo::globe;
use crate::value::geo::plane::{self, Edge, Pieces, Place};
use crate::value::geo::surface::Surface;

/// Metres: the radius of a sphere that MySQL takes for the earth where coordinates have no system.
const EARTH: f64 = 6_370_986.0;

/// What the distance of two edges on a globe is, in comparisons of edges of a plane.
const SEARCH: usize = 64;

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
        if f.iter().any(|y| a.on.meet(*x, *y)) {
            return Ok(true);
        }
    }
    Ok(lies_in(cx, a, b)? || lies_in(cx, b, a)?)
}

/// The distance of the nearest points, in metres or the unit that is named.
pub fn distance(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_distance";
    let Some((a, b, srs)) = pair(cx, args, function)? else { return Ok(Value::Null) };
    let unit = args.get(2);
    if a.shape.is_empty() || b.shape.is_empty() || unit.is_some_and(Value::is_null) {
        return Ok(Value::Null);
    }
    let on = Surface::of(&srs);
    let (a, b) = (Pieces::over(&a.shape, on), Pieces::over(&b.shape, on));
    let least = if meet(cx, &a, &b)? { 0.0 } else { apart(cx, &a, &b)? };
    finite(units::in_unit(least, unit, &srs, function)?, function)
}

/// The distance of two geometries that have no point in common.
fn apart(cx: &mut FuncCtx<'_>, a: &Pieces, b: &Pieces) -> Result<f64, ValueError> {
    let (e, f) = (all_edges(a), all_edges(b));
    let mut least = f64::INFINITY;
    for x in &e {
        cx.work(EDGE_WORK * f.len())?;
        for y in &f {
            least = match a.on {
                Surface::Plane => least.min(plane::distance_of_edges(*x, *y)),
                Surface::Globe(s) => {
                    // A bound is cheap, and the way itself a search.
                    if least.is_finite() && globe::least_distance(&s, *x, *y) >= least {
                        continue;
                    }
                    cx.work(EDGE_WORK * SEARCH)?;
                    least.min(globe::distance_of_edges(&s, *x, *y))
                }
            };
        }
    }
    Ok(least)
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
        0 => Srs { geographic: true, ..(*srs).clone() },
        _ if !srs.geographic => return not_there("projected"),
        _ => (*srs).clone(),
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
