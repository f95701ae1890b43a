//! Geometries from text, bytes, documents and other geometries.

use super::*;
use crate::errno;
use crate::func::json::no_json;
use crate::value::geo::{geojson, wkb, wkt};
use crate::value::json::{self, Dom};

/// Name in upper and lower case, and the kind that the function gives.
type Member = (&'static str, &'static str, GeoKind);

pub const FROM_TEXT: [Member; 16] = [
    ("ST_GEOMFROMTEXT", "st_geomfromtext", GeoKind::Any),
    ("ST_GEOMETRYFROMTEXT", "st_geometryfromtext", GeoKind::Any),
    ("ST_POINTFROMTEXT", "st_pointfromtext", GeoKind::Point),
    ("ST_LINEFROMTEXT", "st_linefromtext", GeoKind::LineString),
    ("ST_LINESTRINGFROMTEXT", "st_linestringfromtext", GeoKind::LineString),
    ("ST_POLYFROMTEXT", "st_polyfromtext", GeoKind::Polygon),
    ("ST_POLYGONFROMTEXT", "st_polygonfromtext", GeoKind::Polygon),
    ("ST_MPOINTFROMTEXT", "st_mpointfromtext", GeoKind::MultiPoint),
    ("ST_MULTIPOINTFROMTEXT", "st_multipointfromtext", GeoKind::MultiPoint),
    ("ST_MLINEFROMTEXT", "st_mlinefromtext", GeoKind::MultiLineString),
    ("ST_MULTILINESTRINGFROMTEXT", "st_multilinestringfromtext", GeoKind::MultiLineString),
    ("ST_MPOLYFROMTEXT", "st_mpolyfromtext", GeoKind::MultiPolygon),
    ("ST_MULTIPOLYGONFROMTEXT", "st_multipolygonfromtext", GeoKind::MultiPolygon),
    ("ST_GEOMCOLLFROMTEXT", "st_geomcollfromtext", GeoKind::Collection),
    ("ST_GEOMCOLLFROMTXT", "st_geomcollfromtxt", GeoKind::Collection),
    ("ST_GEOMETRYCOLLECTIONFROMTEXT", "st_geometrycollectionfromtext", GeoKind::Collection),
];

pub const FROM_WKB: [Member; 15] = [
    ("ST_GEOMFROMWKB", "st_geomfromwkb", GeoKind::Any),
    ("ST_GEOMETRYFROMWKB", "st_geometryfromwkb", GeoKind::Any),
    ("ST_POINTFROMWKB", "st_pointfromwkb", GeoKind::Point),
    ("ST_LINEFROMWKB", "st_linefromwkb", GeoKind::LineString),
    ("ST_LINESTRINGFROMWKB", "st_linestringfromwkb", GeoKind::LineString),
    ("ST_POLYFROMWKB", "st_polyfromwkb", GeoKind::Polygon),
    ("ST_POLYGONFROMWKB", "st_polygonfromwkb", GeoKind::Polygon),
    ("ST_MPOINTFROMWKB", "st_mpointfromwkb", GeoKind::MultiPoint),
    ("ST_MULTIPOINTFROMWKB", "st_multipointfromwkb", GeoKind::MultiPoint),
    ("ST_MLINEFROMWKB", "st_mlinefromwkb", GeoKind::MultiLineString),
    ("ST_MULTILINESTRINGFROMWKB", "st_multilinestringfromwkb", GeoKind::MultiLineString),
    ("ST_MPOLYFROMWKB", "st_mpolyfromwkb", GeoKind::MultiPolygon),
    ("ST_MULTIPOLYGONFROMWKB", "st_multipolygonfromwkb", GeoKind::MultiPolygon),
    ("ST_GEOMCOLLFROMWKB", "st_geomcollfromwkb", GeoKind::Collection),
    ("ST_GEOMETRYCOLLECTIONFROMWKB", "st_geometrycollectionfromwkb", GeoKind::Collection),
];

pub fn from_text<const N: usize>(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let (_, function, kind) = FROM_TEXT[N];
    let Some(text) = args[0].to_bytes() else { return Ok(Value::Null) };
    cx.work(text.len())?;
    cx.hold_tree(text.len().saturating_mul(TREE_PER_WKT))?;
    finish(cx, args, (function, kind, "WKT"), |cx| {
        cx.looking(|look| wkt::parse_looking(&text, look))
    })
}

pub fn from_wkb<const N: usize>(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let (_, function, kind) = FROM_WKB[N];
    if args[0].is_null() {
        return Ok(Value::Null);
    }
    let Some(bytes) = args[0].as_bytes() else { return Err(invalid(function)) };
    cx.work(bytes.len())?;
    cx.hold_tree(bytes.len().saturating_mul(TREE_PER_WKB))?;
    finish(cx, args, (function, kind, "WKB"), |_| Ok(wkb::parse(bytes)))
}

/// Of what is a geometry already: it stays what it is, in its own system.
pub fn from_geometry<const N: usize>(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let (_, function, kind) = FROM_WKB[N];
    let Some(g) = parsed(cx, &args[0], function)? else { return Ok(Value::Null) };
    if let Some(v) = args.get(1) {
        let Some(srid) = srid_argument(cx, v, function)? else { return Ok(Value::Null) };
        cx.reference_system(srid)?;
    }
    if axis_order(args.get(2), function)?.is_none() {
        return Ok(Value::Null);
    }
    match g.shape.kind() {
        found if kind.takes(found) => stored(g.srid, g.shape),
        found => Err(unexpected("WKB", found, function)),
    }
}

/// What both families do with SRID, options and the geometry that was read.
fn finish(
    cx: &mut FuncCtx<'_>,
    args: &[Value<'_>],
    (function, kind, what): (&str, GeoKind, &str),
    read: impl FnOnce(&FuncCtx<'_>) -> Result<Option<Shape>, ValueError>,
) -> Out {
    let srid = match args.get(1) {
        None => 0,
        Some(v) => match srid_argument(cx, v, function)? {
            Some(srid) => srid,
            None => return Ok(Value::Null),
        },
    };
    let srs = cx.reference_system(srid)?;
    let Some(order) = axis_order(args.get(2), function)? else { return Ok(Value::Null) };
    let mut shape = read(cx)?.ok_or_else(|| invalid(function))?;
    let found = shape.kind();
    if !kind.takes(found) {
        return Err(unexpected(what, found, function));
    }
    if srs.geographic && order.swaps(&srs) {
        shape.swap();
    }
    check_degrees(&shape, &srs, Whose::Own, function)?;
    stored(srid, shape)
}

/// The order of geographic coordinates that an option asks for.
#[derive(Clone, Copy)]
pub enum AxisOrder {
    LatLong,
    LongLat,
    SridDefined,
}

impl AxisOrder {
    /// Whether the order differs from the one in which coordinates are kept.
    pub fn swaps(self, srs: &Srs) -> bool {
        match self {
            AxisOrder::LatLong => true,
            AxisOrder::LongLat => false,
            AxisOrder::SridDefined => srs.lat_long,
        }
    }
}

/// `'axis-order=long-lat'`. None: NULL.
pub fn axis_order(v: Option<&Value<'_>>, function: &str) -> Result<Option<AxisOrder>, ValueError> {
    let Some(v) = v else { return Ok(Some(AxisOrder::SridDefined)) };
    let Some(text) = v.to_string_lossy() else { return Ok(None) };
    let mut order = None;
    if text.trim().is_empty() {
        return Ok(Some(AxisOrder::SridDefined));
    }
    for option in text.split(',') {
        let parts = option.split_once('=').map(|(k, v)| (k.trim(), v.trim()));
        let Some((key, value)) = parts.filter(|(k, v)| !k.is_empty() && !v.is_empty()) else {
            return Err(ValueError::of(
                errno::ER_INVALID_OPTION_KEY_VALUE_PAIR,
                &[&option.trim(), &"=", &function],
            ));
        };
        if key != "axis-order" {
            return Err(ValueError::of(errno::ER_INVALID_OPTION_KEY, &[&key, &function]));
        }
        if order.is_some() {
            return Err(ValueError::of(errno::ER_DUPLICATE_OPTION_KEY, &[&key, &function]));
        }
        order = Some(match value {
            "lat-long" => AxisOrder::LatLong,
            "long-lat" => AxisOrder::LongLat,
            "srid-defined" => AxisOrder::SridDefined,
            _ => {
                return Err(ValueError::of(
                    errno::ER_INVALID_OPTION_VALUE,
                    &[&value, &key, &function],
                ));
            }
        });
    }
    Ok(order.or(Some(AxisOrder::SridDefined)))
}

pub fn point(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let (x, y) = (args[0].to_f64(&mut cx.warnings), args[1].to_f64(&mut cx.warnings));
    let (Some(x), Some(y)) = (x, y) else { return Ok(Value::Null) };
    if !(x.is_finite() && y.is_finite()) {
        return Err(invalid("point"));
    }
    stored(0, Shape::Point(Coord { x, y }))
}

/// Order, kind and count of a part, and what else of an argument's bytes a list of plain points or rings leaves out.
const PLAIN: usize = 9;
/// The SRID in front of an argument, which a part has not.
const PART: usize = 4;

/// The parts of a geometry that is made of others: `one` takes what fits, 1210 for the rest. None: one is NULL, or all are larger
/// than max_allowed_packet when each of them leaves `less` bytes behind.
fn parts<T>(
    cx: &mut FuncCtx<'_>,
    args: &[Value<'_>],
    (function, less): (&str, usize),
    one: impl Fn(Shape) -> Option<T>,
) -> Result<Option<Vec<T>>, ValueError> {
    let bytes = |v: &Value<'_>| v.as_bytes().map_or(0, |b| b.len().saturating_sub(less));
    let total = args.iter().map(bytes).fold(PART + PLAIN, usize::saturating_add);
    if args.iter().any(Value::is_null) || too_big(cx, total, function)? {
        return Ok(None);
    }
    let mut all = Vec::with_capacity(args.len());
    for v in args {
        let Some(g) = parsed(cx, v, function)? else { return Ok(None) };
        all.push(one(g.shape).ok_or_else(|| ValueError::wrong_arguments(function))?);
    }
    Ok(Some(all))
}

/// What was made, if it is well-formed.
fn made(function: &str, shape: Option<Shape>) -> Out {
    match shape {
        None => Ok(Value::Null),
        Some(s) if !s.is_well_formed() => Err(invalid(function)),
        Some(s) => stored(0, s),
    }
}

fn as_point(s: Shape) -> Option<Coord> {
    if let Shape::Point(c) = s { Some(c) } else { None }
}

fn as_line(s: Shape) -> Option<Vec<Coord>> {
    if let Shape::LineString(l) = s { Some(l) } else { None }
}

fn as_polygon(s: Shape) -> Option<Vec<Vec<Coord>>> {
    if let Shape::Polygon(p) = s { Some(p) } else { None }
}

pub fn line_string(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    made("linestring", parts(cx, args, ("linestring", PLAIN), as_point)?.map(Shape::LineString))
}

pub fn polygon(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    made("polygon", parts(cx, args, ("polygon", PLAIN), as_line)?.map(Shape::Polygon))
}

pub fn multi_point(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    made("multipoint", parts(cx, args, ("multipoint", PART), as_point)?.map(Shape::MultiPoint))
}

pub fn multi_line_string(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    made(
        "multilinestring",
        parts(cx, args, ("multilinestring", PART), as_line)?.map(Shape::MultiLineString),
    )
}

pub fn multi_polygon(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let all = parts(cx, args, ("multipolygon", PART), as_polygon)?;
    made("multipolygon", all.map(Shape::MultiPolygon))
}

pub fn collection(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let all = parts(cx, args, ("geomcollection", PART), Some)?;
    let Some(all) = all else { return Ok(Value::Null) };
    let bytes = Geometry { srid: 0, shape: Shape::Collection(all) }.to_stored();
    // Each call nests one level deeper.
    match Geometry::from_stored(&bytes) {
        Ok(_) => Ok(Value::Bytes(bytes.into())),
        Err(_) => Err(invalid("geomcollection")),
    }
}

/// The rectangle between two points, or the line or the point that it is, in their system.
pub fn make_envelope(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_makeenvelope";
    let Some((a, b, srs)) = pair(cx, args, function)? else { return Ok(Value::Null) };
    if srs.geographic {
        return Err(geographic(function, &[a.shape.kind(), b.shape.kind()]));
    }
    match (as_point(a.shape), as_point(b.shape)) {
        (Some(a), Some(b)) => stored(srs.srid, measure::rectangle(a, b)),
        _ => Err(ValueError::wrong_arguments(function)),
    }
}

pub fn from_geojson(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_geomfromgeojson";
    let strip = match args.get(1).map(|v| (v, v.to_integer(&mut cx.warnings))) {
        None | Some((_, Some(1))) => false,
        Some((_, Some(2..=4))) => true,
        Some((_, None)) => return Ok(Value::Null),
        Some((v, _)) => {
            let shown = v.to_string_lossy().unwrap_or_default();
            return Err(ValueError::of(
                errno::ER_WRONG_VALUE_FOR_TYPE,
                &[&"option", &shown, &function],
            ));
        }
    };
    let given = match args.get(2) {
        None => None,
        Some(v) => match srid_argument(cx, v, function)? {
            Some(srid) => Some(srid),
            None => return Ok(Value::Null),
        },
    };
    let doc = match &args[0] {
        Value::Null => return Ok(Value::Null),
        Value::Json(j) => j.view().to_dom(),
        v @ (Value::Str(b, _) | Value::Bytes(b)) => {
            cx.work(b.len())?;
            json::from_text(v, Some(cx.session))?.map_err(|e| e.in_argument(1, function))?
        }
        _ => return Err(no_json(1, function)),
    };
    if doc == Dom::Null {
        return Ok(Value::Null);
    }
    let read = geojson::Reader { function, strip }.read(&doc)?;
    let srid = given.or(read.srid).unwrap_or(4326);
    let srs = cx.reference_system(srid)?;
    let Some(shape) = read.shape else { return Ok(Value::Null) };
    check_degrees(&shape, &srs, Whose::Own, function)?;
    stored(srid, shape)
}
