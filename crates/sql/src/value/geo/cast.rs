//! CAST of a geometry to another kind: the same points, where the other kind can say them.

use super::plane::doubled_area;
use super::{Coord, GeoKind, Geometry, Ring, Shape};
use crate::errno;
use crate::value::ValueError;

/// Why a geometry cannot be one of another kind.
enum Bad {
    Kind,
    /// A line becomes a ring of a polygon only if it runs around it in the direction that such a ring has.
    Direction,
}

/// 4032 and 4033 for what the other kind cannot say. The SRID stays.
pub fn cast(g: Geometry, to: GeoKind) -> Result<Geometry, ValueError> {
    let from = match (g.shape.kind(), to) {
        // Each of its lines is to be a ring, and errors tell of the line.
        (GeoKind::MultiLineString, GeoKind::Polygon) => GeoKind::LineString,
        (kind, _) => kind,
    };
    let shape = cast_shape(g.shape, to).map_err(|bad| {
        let (from, to) = (name(from), name(to));
        match bad {
            Bad::Kind => ValueError::of(errno::ER_INVALID_CAST_TO_GEOMETRY, &[&from, &to]),
            Bad::Direction => {
                ValueError::of(errno::ER_INVALID_CAST_POLYGON_RING_DIRECTION, &[&from, &to])
            }
        }
    })?;
    Ok(Geometry { shape, ..g })
}

fn name(kind: GeoKind) -> String {
    kind.type_name().to_uppercase()
}

fn cast_shape(shape: Shape, to: GeoKind) -> Result<Shape, Bad> {
    let done = match to {
        GeoKind::Any => Some(shape),
        GeoKind::Point => to_point(shape),
        GeoKind::LineString => to_line(shape),
        GeoKind::Polygon => return to_polygon(shape),
        GeoKind::MultiPoint => to_points(shape),
        GeoKind::MultiLineString => to_lines(shape),
        GeoKind::MultiPolygon => return to_polygons(shape),
        GeoKind::Collection => Some(Shape::Collection(parts_of(shape))),
    };
    done.ok_or(Bad::Kind)
}

/// The only one of a list.
fn only<T>(list: Vec<T>) -> Option<T> {
    <[T; 1]>::try_from(list).ok().map(|[one]| one)
}

/// What a collection or a geometry of several has; anything else is its own only part.
fn parts_of(shape: Shape) -> Vec<Shape> {
    match all_turned(shape) {
        Shape::Collection(parts) => parts,
        Shape::MultiPoint(l) => l.into_iter().map(Shape::Point).collect(),
        Shape::MultiLineString(l) => l.into_iter().map(Shape::LineString).collect(),
        Shape::MultiPolygon(l) => l.into_iter().map(Shape::Polygon).collect(),
        one => vec![one],
    }
}

/// All polygons in it with their rings in the right direction.
fn all_turned(shape: Shape) -> Shape {
    match shape {
        Shape::Polygon(p) => Shape::Polygon(turned(p)),
        Shape::MultiPolygon(l) => Shape::MultiPolygon(l.into_iter().map(turned).collect()),
        Shape::Collection(l) => Shape::Collection(l.into_iter().map(all_turned).collect()),
        other => other,
    }
}

fn to_point(shape: Shape) -> Option<Shape> {
    match shape {
        Shape::Point(_) => Some(shape),
        Shape::MultiPoint(l) => only(l).map(Shape::Point),
        Shape::Collection(l) => only(l).filter(|s| s.kind() == GeoKind::Point),
        _ => None,
    }
}

fn to_line(shape: Shape) -> Option<Shape> {
    match shape {
        Shape::LineString(_) => Some(shape),
        Shape::Polygon(p) => only(turned(p)).map(Shape::LineString),
        Shape::MultiPoint(l) if l.len() > 1 => Some(Shape::LineString(l)),
        Shape::MultiLineString(l) => only(l).map(Shape::LineString),
        Shape::Collection(l) => only(l).filter(|s| s.kind() == GeoKind::LineString),
        _ => None,
    }
}

fn to_polygon(shape: Shape) -> Result<Shape, Bad> {
    match shape {
        Shape::Polygon(p) => Ok(Shape::Polygon(turned(p))),
        Shape::LineString(l) => ring(l, true).map(|r| Shape::Polygon(vec![r])),
        Shape::MultiLineString(lines) => {
            let rings = lines.into_iter().enumerate().map(|(i, l)| ring(l, i == 0));
            Ok(Shape::Polygon(rings.collect::<Result<_, Bad>>()?))
        }
        Shape::MultiPolygon(l) => only(l).map(|p| Shape::Polygon(turned(p))).ok_or(Bad::Kind),
        Shape::Collection(l) => match only(l) {
            Some(Shape::Polygon(p)) => Ok(Shape::Polygon(turned(p))),
            _ => Err(Bad::Kind),
        },
        _ => Err(Bad::Kind),
    }
}

fn to_points(shape: Shape) -> Option<Shape> {
    match shape {
        Shape::Point(c) => Some(Shape::MultiPoint(vec![c])),
        Shape::LineString(l) | Shape::MultiPoint(l) => Some(Shape::MultiPoint(l)),
        Shape::Collection(parts) => all(parts, |s| match s {
            Shape::Point(c) => Some(c),
            _ => None,
        })
        .map(Shape::MultiPoint),
        _ => None,
    }
}

fn to_lines(shape: Shape) -> Option<Shape> {
    match shape {
        Shape::LineString(l) => Some(Shape::MultiLineString(vec![l])),
        Shape::MultiLineString(_) => Some(shape),
        Shape::Polygon(p) => Some(Shape::MultiLineString(turned(p))),
        Shape::MultiPolygon(l) => all(l, |p| only(turned(p))).map(Shape::MultiLineString),
        Shape::Collection(parts) => all(parts, |s| match s {
            Shape::LineString(l) => Some(l),
            _ => None,
        })
        .map(Shape::MultiLineString),
        _ => None,
    }
}

fn to_polygons(shape: Shape) -> Result<Shape, Bad> {
    match shape {
        Shape::Polygon(p) => Ok(Shape::MultiPolygon(vec![turned(p)])),
        Shape::MultiPolygon(l) => Ok(Shape::MultiPolygon(l.into_iter().map(turned).collect())),
        Shape::MultiLineString(lines) => {
            let polygons = lines.into_iter().map(|l| ring(l, true).map(|r| vec![r]));
            Ok(Shape::MultiPolygon(polygons.collect::<Result<_, Bad>>()?))
        }
        Shape::Collection(parts) => all(parts, |s| match s {
            Shape::Polygon(p) => Some(turned(p)),
            _ => None,
        })
        .map(Shape::MultiPolygon)
        .ok_or(Bad::Kind),
        _ => Err(Bad::Kind),
    }
}

/// What each of them gives, where all give something; none is not enough.
fn all<T, U>(parts: Vec<T>, take: impl FnMut(T) -> Option<U>) -> Option<Vec<U>> {
    let taken: Option<Vec<U>> = parts.into_iter().map(take).collect();
    taken.filter(|l| !l.is_empty())
}

/// A closed line as a ring: an exterior one runs against the clock, a hole with it.
fn ring(line: Vec<Coord>, exterior: bool) -> Result<Ring, Bad> {
    if line.len() < 4 || line.first() != line.last() {
        return Err(Bad::Kind);
    }
    let area = doubled_area(&line);
    let right = if exterior { area >= 0.0 } else { area <= 0.0 };
    if right { Ok(line) } else { Err(Bad::Direction) }
}

/// Rings of a polygon, each in the direction that it should have.
fn turned(mut polygon: Vec<Ring>) -> Vec<Ring> {
    for (i, r) in polygon.iter_mut().enumerate() {
        let area = doubled_area(r);
        if if i == 0 { area < 0.0 } else { area > 0.0 } {
            r.reverse();
        }
    }
    polygon
}
