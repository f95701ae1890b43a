//! Geometries as text, bytes and documents, and their parts.

use super::make::axis_order;
use super::*;
use crate::errno;
use crate::value::geo::geojson::{self, Crs};
use crate::value::geo::wkt;

/// A geometry as its texts have it: of an unknown system as it is kept, with a warning.
fn shown(
    cx: &mut FuncCtx<'_>,
    args: &[Value<'_>],
    function: &str,
) -> Result<Option<Shape>, ValueError> {
    let Some(mut g) = parsed(cx, &args[0], function)? else { return Ok(None) };
    let Some(order) = axis_order(args.get(1), function)? else { return Ok(None) };
    match cx.session.reference_system(g.srid) {
        Some(srs) if srs.geographic && order.swaps(&srs) => g.shape.swap(),
        Some(_) => {}
        None => cx.warnings.warn(errno::ER_WARN_SRS_NOT_FOUND_AXIS_ORDER, || {
            format!(
                "There's no spatial reference system with SRID {}. The axis order is unknown.",
                g.srid
            )
        }),
    }
    Ok(Some(g.shape))
}

pub fn as_text<const N: usize>(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = ["st_astext", "st_aswkt"][N];
    let Some(shape) = shown(cx, args, function)? else { return Ok(Value::Null) };
    let text = wkt::write_up_to(&shape, cx.max_packet);
    if too_big(cx, text.len(), function)? {
        return Ok(Value::Null);
    }
    Ok(Value::text(text, cx.collation))
}

pub fn as_wkb<const N: usize>(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = ["st_asbinary", "st_aswkb"][N];
    let Some(shape) = shown(cx, args, function)? else { return Ok(Value::Null) };
    // It is the stored form without the SRID.
    let bytes = args[0].as_bytes().map_or(0, |b| b.len().saturating_sub(size_of::<u32>()));
    if too_big(cx, bytes, function)? {
        return Ok(Value::Null);
    }
    let mut out = Vec::with_capacity(bytes);
    shape.write_wkb(&mut out);
    Ok(Value::Bytes(out.into()))
}

const BOUNDING_BOX: i128 = 1;
const SHORT_CRS: i128 = 2;
const LONG_CRS: i128 = 4;

pub fn as_geojson(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_asgeojson";
    let Some((g, _)) = known(cx, &args[0], function)? else { return Ok(Value::Null) };
    let mut style = geojson::Style::default();
    if let Some(v) = args.get(1) {
        let Some(n) = v.to_integer(&mut cx.warnings) else { return Ok(Value::Null) };
        let n = u32::try_from(n).ok().filter(|n| *n <= i32::MAX as u32);
        let n = n.ok_or_else(|| out_of_range("max decimal digits", function))?;
        // A double has no more digits than that behind its point that rounding could take.
        style.digits = Some(n).filter(|n| *n < 325);
    }
    if let Some(v) = args.get(2) {
        let Some(n) = v.to_integer(&mut cx.warnings) else { return Ok(Value::Null) };
        if !(0..=7).contains(&n) {
            return Err(out_of_range("options", function));
        }
        style.bounding_box = n & BOUNDING_BOX != 0;
        style.crs = match g.srid {
            0 => None,
            srid if n & LONG_CRS != 0 => Some(Crs::Long(srid)),
            srid if n & SHORT_CRS != 0 => Some(Crs::Short(srid)),
            _ => None,
        };
    }
    // A document has no fewer bytes than the geometry.
    let bytes = args[0].as_bytes().map_or(0, <[u8]>::len);
    if too_big(cx, bytes, function)? {
        return Ok(Value::Null);
    }
    cx.hold_tree(bytes.saturating_mul(DOCUMENT_PER_WKB))?;
    geojson::write(&g.shape, style).to_json().map(Value::Json)
}

pub fn geometry_type(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let found = known(cx, &args[0], "st_geometrytype")?;
    let name = |g: &Geometry| g.shape.kind().shown().as_bytes();
    Ok(found.map_or(Value::Null, |(g, _)| Value::text(name(&g).to_vec(), cx.collation)))
}

pub fn srid(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_srid";
    let g = parsed(cx, &args[0], function)?;
    let Some(to) = args.get(1) else {
        let Some(g) = g else { return Ok(Value::Null) };
        if cx.session.reference_system(g.srid).is_none() {
            let text = format!("There's no spatial reference system with SRID {}.", g.srid);
            cx.warnings.warn(errno::ER_WARN_SRS_NOT_FOUND, || text);
        }
        return Ok(Value::Int(i64::from(g.srid)));
    };
    let (Some(g), Some(to)) = (g, srid_argument(cx, to, function)?) else {
        return Ok(Value::Null);
    };
    check_degrees(&g.shape, &*cx.reference_system(to)?, Whose::Parameter, function)?;
    stored(to, g.shape)
}

/// The axes by which a point's coordinates are named.
#[derive(Clone, Copy, PartialEq)]
enum Axis {
    /// The first and the second of the system's definition.
    First,
    Second,
    Latitude,
    Longitude,
}

fn coordinate(cx: &mut FuncCtx<'_>, args: &[Value<'_>], axis: Axis, function: &str) -> Out {
    let Some((g, srs)) = known(cx, &args[0], function)? else { return Ok(Value::Null) };
    let Shape::Point(mut c) = g.shape else {
        return Err(unexpected("POINT", g.shape.kind(), function));
    };
    let of_globe = matches!(axis, Axis::Latitude | Axis::Longitude);
    if of_globe && !srs.geographic {
        let text = format!(
            "Function {function} is only defined for geographic spatial reference systems, but one \
             of its arguments is in SRID {}, which is not geographic.",
            g.srid
        );
        return Err(ValueError::new(errno::ER_SRS_NOT_GEOGRAPHIC, text));
    }
    let in_x = match axis {
        Axis::First => !srs.lat_long,
        Axis::Second => srs.lat_long,
        Axis::Longitude => true,
        Axis::Latitude => false,
    };
    let place = if in_x { &mut c.x } else { &mut c.y };
    let Some(new) = args.get(1) else { return Ok(Value::Double(*place)) };
    let Some(new) = new.to_f64(&mut cx.warnings) else { return Ok(Value::Null) };
    if !new.is_finite() {
        return Err(invalid(function));
    }
    *place = new;
    let shape = Shape::Point(c);
    check_degrees(&shape, &srs, Whose::Own, function)?;
    stored(g.srid, shape)
}

pub fn x(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    coordinate(cx, args, Axis::First, "st_x")
}

pub fn y(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    coordinate(cx, args, Axis::Second, "st_y")
}

pub fn latitude(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    coordinate(cx, args, Axis::Latitude, "st_latitude")
}

pub fn longitude(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    coordinate(cx, args, Axis::Longitude, "st_longitude")
}

pub fn swap_xy(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(mut g) = parsed(cx, &args[0], "st_swapxy")? else { return Ok(Value::Null) };
    cx.reference_system(g.srid)?;
    g.shape.swap();
    stored(g.srid, g.shape)
}

/// A number that a geometry gives. None: NULL, or not the kind that has it.
fn number(
    cx: &mut FuncCtx<'_>,
    v: &Value<'_>,
    function: &str,
    of: impl FnOnce(&Shape) -> Option<usize>,
) -> Out {
    let n = known(cx, v, function)?.and_then(|(g, _)| of(&g.shape));
    Ok(n.map_or(Value::Null, |n| Value::Int(n as i64)))
}

/// A part of a geometry, in its system.
fn part(
    cx: &mut FuncCtx<'_>,
    v: &Value<'_>,
    function: &str,
    of: impl FnOnce(Shape) -> Option<Shape>,
) -> Out {
    let Some((g, _)) = known(cx, v, function)? else { return Ok(Value::Null) };
    of(g.shape).map_or(Ok(Value::Null), |s| stored(g.srid, s))
}

/// A place counted from 1, as an index. None: NULL or none.
fn place(cx: &mut FuncCtx<'_>, v: &Value<'_>) -> Option<usize> {
    v.to_integer(&mut cx.warnings).and_then(|n| usize::try_from(n.checked_sub(1)?).ok())
}

fn dimension_of(s: &Shape) -> Option<usize> {
    match s {
        Shape::Point(_) | Shape::MultiPoint(_) => Some(0),
        Shape::LineString(_) | Shape::MultiLineString(_) => Some(1),
        Shape::Polygon(_) | Shape::MultiPolygon(_) => Some(2),
        Shape::Collection(parts) => parts.iter().filter_map(dimension_of).max(),
    }
}

pub fn dimension(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    number(cx, &args[0], "st_dimension", dimension_of)
}

pub fn is_empty(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    number(cx, &args[0], "st_isempty", |s| Some(usize::from(s.is_empty())))
}

pub fn is_closed(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some((g, _)) = known(cx, &args[0], "st_isclosed")? else { return Ok(Value::Null) };
    let closed = |l: &Vec<Coord>| l.first() == l.last();
    Ok(match &g.shape {
        Shape::LineString(l) => Value::bool(closed(l)),
        Shape::MultiLineString(all) => Value::bool(all.iter().all(closed)),
        _ => Value::Null,
    })
}

pub fn num_points(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    number(cx, &args[0], "st_numpoints", |s| match s {
        Shape::LineString(l) => Some(l.len()),
        _ => None,
    })
}

fn point_at(shape: Shape, at: impl FnOnce(&[Coord]) -> Option<&Coord>) -> Option<Shape> {
    match shape {
        Shape::LineString(l) => at(&l).copied().map(Shape::Point),
        _ => None,
    }
}

pub fn point_n(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let n = place(cx, &args[1]);
    part(cx, &args[0], "st_pointn", |s| point_at(s, |l| l.get(n?)))
}

pub fn start_point(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    part(cx, &args[0], "st_startpoint", |s| point_at(s, <[Coord]>::first))
}

pub fn end_point(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    part(cx, &args[0], "st_endpoint", |s| point_at(s, <[Coord]>::last))
}

fn ring_at(shape: Shape, at: usize) -> Option<Shape> {
    match shape {
        Shape::Polygon(rings) => rings.into_iter().nth(at).map(Shape::LineString),
        _ => None,
    }
}

pub fn exterior_ring(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    part(cx, &args[0], "st_exteriorring", |s| ring_at(s, 0))
}

pub fn interior_ring_n(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let n = place(cx, &args[1]);
    part(cx, &args[0], "st_interiorringn", |s| ring_at(s, n?.checked_add(1)?))
}

pub fn num_interior_rings<const N: usize>(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = ["st_numinteriorring", "st_numinteriorrings"][N];
    number(cx, &args[0], function, |s| match s {
        Shape::Polygon(rings) => Some(rings.len() - 1),
        _ => None,
    })
}

pub fn num_geometries(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    number(cx, &args[0], "st_numgeometries", Shape::count)
}

pub fn geometry_n(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let n = place(cx, &args[1]);
    part(cx, &args[0], "st_geometryn", |s| s.part(n?))
}
