//! The spatial functions.
//!
//! `make` builds geometries from text, bytes, documents and other geometries, `read` takes them apart, `measure` computes lengths,
//! areas and hulls, `distance` distances in `units`, `along` follows lines, `overlay` makes new shapes of two, `valid` says what is a simple and what a
//! valid shape, `relate` and `relate_mixed` compare two of them, `mbr` the rectangles around them, `hash` is geohash, `collect` gathers those of a group,
//! `transform` changes the system of coordinates.
//!
//! A geometry is a binary text in its stored form (`value::geo`), and is read for each call. Where no function says otherwise, NULL
//! gives NULL, bytes that are no geometry are error 3037, and a spatial reference system that is not known is error 3548. What
//! MySQL computes on an ellipsoid is refused with error 3618, as MySQL refuses what it cannot compute there.

mod along;
pub mod collect;
mod distance;
mod hash;
mod make;
mod mbr;
mod measure;
mod overlay;
#[cfg(test)]
mod properties;
mod read;
mod relate;
mod relate_mixed;
mod transform;
mod units;
mod valid;

use super::facts::Arg;
use super::infer::{self, TEXT};
use super::string::too_big;
use super::{ANY, FuncCtx, FuncDef, Out, def};
use crate::errno;
use crate::value::geo::wkb::BadWkb;
use crate::value::geo::{Coord, GeoKind, Geometry, Shape, Srs};
use crate::value::{Collation, LobKind, SqlType, TypeInfo, Value, ValueError};
use std::sync::Arc;

/// Rows for functions that differ in their names only: `$eval::<n>` looks its name up in a list.
macro_rules! family {
    ($list:expr, $infer:expr, $min:literal, $max:literal, $eval:ident, [$($n:literal),*]) => {
        [$(def($list[$n].0, $min, $max, $infer, make::$eval::<$n>).takes(&[Arg::Any, Arg::Number, Arg::Any])),*]
    };
}

const FROM_TEXT: [FuncDef; 16] = family!(
    make::FROM_TEXT,
    any_geometry,
    1,
    3,
    from_text,
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
);
const FROM_WKB: [FuncDef; 15] = family!(
    make::FROM_WKB,
    any_geometry,
    1,
    3,
    from_wkb,
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
);

/// Those of bytes, for an argument that is a geometry by its type.
const OF_GEOMETRY: [FuncDef; 15] = family!(
    make::FROM_WKB,
    any_geometry,
    1,
    3,
    from_geometry,
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
);

/// The function as it is where its first argument is a geometry.
pub fn of_geometry(def: &'static FuncDef) -> &'static FuncDef {
    static ALL: [FuncDef; 15] = OF_GEOMETRY;
    ALL.iter().find(|d| d.name == def.name).unwrap_or(def)
}

/// ST_GEOHASH() of a longitude and a latitude: then no argument is a geometry.
pub fn takes_degrees(def: &FuncDef, args: usize) -> bool {
    def.name == "ST_GEOHASH" && args == 3
}

const TREE_PER_WKB: usize = crate::value::geo::TREE_PER_WKB;

/// Bytes of a tree for one of WKT, about: the shortest point takes four.
const TREE_PER_WKT: usize = 12;

/// Bytes of a document's tree for one of WKB: a coordinate is a value of its own there.
const DOCUMENT_PER_WKB: usize = 8;

pub const TABLES: [&[FuncDef]; 3] = [&FROM_TEXT, &FROM_WKB, OTHERS];

const OTHERS: &[FuncDef] = &[
    def("POINT", 2, 2, point, make::point).numbers(),
    def("LINESTRING", 1, ANY, line, make::line_string),
    def("POLYGON", 1, ANY, polygon, make::polygon),
    def("MULTIPOINT", 1, ANY, multi_point, make::multi_point),
    def("MULTILINESTRING", 1, ANY, multi_line, make::multi_line_string),
    def("MULTIPOLYGON", 1, ANY, multi_polygon, make::multi_polygon),
    def("GEOMETRYCOLLECTION", 0, ANY, collection, make::collection),
    def("GEOMCOLLECTION", 0, ANY, collection, make::collection),
    def("ST_GEOMFROMGEOJSON", 1, 3, any_geometry, make::from_geojson)
        .takes(&[Arg::Any, Arg::Number]),
    def("ST_MAKEENVELOPE", 2, 2, any_geometry, make::make_envelope),
    def("ST_POINTFROMGEOHASH", 2, 2, point, hash::point_from).takes(&[Arg::Any, Arg::Number]),
    def("ST_LATFROMGEOHASH", 1, 1, infer::double_null, hash::latitude),
    def("ST_LONGFROMGEOHASH", 1, 1, infer::double_null, hash::longitude),
    def("ST_GEOHASH", 2, 3, geohash_text, hash::hash).takes(&[Arg::Any, Arg::Number]),
    def("ST_ASTEXT", 1, 2, long_text, read::as_text::<0>),
    def("ST_ASWKT", 1, 2, long_text, read::as_text::<1>).alias_of("st_astext"),
    def("ST_ASBINARY", 1, 2, long_bytes, read::as_wkb::<0>).alias_of("st_aswkb"),
    def("ST_ASWKB", 1, 2, long_bytes, read::as_wkb::<1>),
    def("ST_ASGEOJSON", 1, 3, document, read::as_geojson).takes(&[Arg::Any, Arg::Number]),
    def("ST_GEOMETRYTYPE", 1, 1, name_text, read::geometry_type),
    def("ST_SRID", 1, 2, srid, read::srid).takes(&[Arg::Any, Arg::Number]),
    def("ST_X", 1, 2, ordinate, read::x).takes(&[Arg::Any, Arg::Number]),
    def("ST_Y", 1, 2, ordinate, read::y).takes(&[Arg::Any, Arg::Number]),
    def("ST_LATITUDE", 1, 2, ordinate, read::latitude).takes(&[Arg::Any, Arg::Number]),
    def("ST_LONGITUDE", 1, 2, ordinate, read::longitude).takes(&[Arg::Any, Arg::Number]),
    def("ST_SWAPXY", 1, 1, any_geometry, read::swap_xy),
    def("ST_DIMENSION", 1, 1, infer::int_null::<10>, read::dimension),
    def("ST_ISEMPTY", 1, 1, truth, read::is_empty).truth(),
    def("ST_ISCLOSED", 1, 1, truth, read::is_closed).truth(),
    def("ST_NUMPOINTS", 1, 1, infer::int_null::<10>, read::num_points),
    def("ST_POINTN", 2, 2, point, read::point_n).takes(&[Arg::Any, Arg::Number]),
    def("ST_STARTPOINT", 1, 1, point, read::start_point),
    def("ST_ENDPOINT", 1, 1, point, read::end_point),
    def("ST_EXTERIORRING", 1, 1, line, read::exterior_ring),
    def("ST_INTERIORRINGN", 2, 2, line, read::interior_ring_n).takes(&[Arg::Any, Arg::Number]),
    def("ST_NUMINTERIORRING", 1, 1, infer::int_null::<10>, read::num_interior_rings::<0>)
        .alias_of("st_numinteriorrings"),
    def("ST_NUMINTERIORRINGS", 1, 1, infer::int_null::<10>, read::num_interior_rings::<1>),
    def("ST_NUMGEOMETRIES", 1, 1, infer::int_null::<10>, read::num_geometries),
    def("ST_GEOMETRYN", 2, 2, any_geometry, read::geometry_n).takes(&[Arg::Any, Arg::Number]),
    def("ST_ENVELOPE", 1, 1, any_geometry, measure::envelope),
    def("ST_CONVEXHULL", 1, 1, any_geometry, measure::convex_hull),
    def("ST_CENTROID", 1, 1, point, measure::centroid),
    def("ST_LENGTH", 1, 2, infer::double_null, measure::length).takes(&[Arg::Any, Arg::Text]),
    def("ST_AREA", 1, 1, infer::double_null, measure::area),
    def("ST_DISTANCE", 2, 3, infer::double_null, distance::distance).takes(&[
        Arg::Any,
        Arg::Any,
        Arg::Text,
    ]),
    def("ST_DISTANCE_SPHERE", 2, 3, infer::double_null, distance::distance_sphere).takes(&[
        Arg::Any,
        Arg::Any,
        Arg::Number,
    ]),
    def("MBRCONTAINS", 2, 2, truth, mbr::mbr_contains).truth(),
    def("MBRWITHIN", 2, 2, truth, mbr::mbr_within).truth(),
    def("MBRCOVERS", 2, 2, truth, mbr::mbr_covers).truth(),
    def("MBRCOVEREDBY", 2, 2, truth, mbr::mbr_covered_by).truth(),
    def("MBREQUALS", 2, 2, truth, mbr::mbr_equals).truth(),
    def("MBRINTERSECTS", 2, 2, truth, mbr::mbr_intersects).truth(),
    def("MBRDISJOINT", 2, 2, truth, mbr::mbr_disjoint).truth(),
    def("MBROVERLAPS", 2, 2, truth, mbr::mbr_overlaps).truth(),
    def("MBRTOUCHES", 2, 2, truth, mbr::mbr_touches).truth(),
    def("ST_INTERSECTS", 2, 2, truth, relate::intersects).truth(),
    def("ST_DISJOINT", 2, 2, truth, relate::disjoint).truth(),
    def("ST_CONTAINS", 2, 2, truth, relate::contains).truth(),
    def("ST_WITHIN", 2, 2, truth, relate::within).truth(),
    def("ST_EQUALS", 2, 2, truth, relate::equals).truth(),
    def("ST_TOUCHES", 2, 2, truth, relate::touches).truth(),
    def("ST_CROSSES", 2, 2, truth, relate::crosses).truth(),
    def("ST_OVERLAPS", 2, 2, truth, relate::overlaps).truth(),
    def("ST_UNION", 2, 2, any_geometry, overlay::overlay::<0>),
    def("ST_INTERSECTION", 2, 2, any_geometry, overlay::overlay::<1>),
    def("ST_DIFFERENCE", 2, 2, any_geometry, overlay::overlay::<2>),
    def("ST_SYMDIFFERENCE", 2, 2, any_geometry, overlay::overlay::<3>),
    def("ST_TRANSFORM", 2, 2, any_geometry, transform::transform).takes(&[Arg::Any, Arg::Number]),
    def("ST_BUFFER", 2, 5, any_geometry, overlay::buffer).takes(&[Arg::Any, Arg::Number, Arg::Any]),
    def("ST_BUFFER_STRATEGY", 1, 2, strategy_bytes, overlay::strategy)
        .takes(&[Arg::Any, Arg::Number]),
    def("ST_ISSIMPLE", 1, 1, truth, valid::is_simple).truth(),
    def("ST_ISVALID", 1, 1, truth, valid::is_valid).truth(),
    def("ST_VALIDATE", 1, 1, any_geometry, valid::validate),
    def("ST_HAUSDORFFDISTANCE", 2, 2, infer::double_null, along::hausdorff),
    def("ST_FRECHETDISTANCE", 2, 2, infer::double_null, along::frechet),
    def("ST_SIMPLIFY", 2, 2, any_geometry, along::simplify).takes(&[Arg::Any, Arg::Number]),
    def("ST_LINEINTERPOLATEPOINT", 2, 2, point, along::point_at::<0>)
        .takes(&[Arg::Any, Arg::Number]),
    def("ST_POINTATDISTANCE", 2, 2, point, along::point_at::<1>).takes(&[Arg::Any, Arg::Number]),
    def("ST_LINEINTERPOLATEPOINTS", 2, 2, any_geometry, along::points_at)
        .takes(&[Arg::Any, Arg::Number]),
];

fn of_kind(kind: GeoKind) -> TypeInfo {
    TypeInfo::new(SqlType::geometry(kind), true)
}

fn any_geometry(_: &[TypeInfo]) -> TypeInfo {
    of_kind(GeoKind::Any)
}

fn point(_: &[TypeInfo]) -> TypeInfo {
    of_kind(GeoKind::Point)
}

fn line(_: &[TypeInfo]) -> TypeInfo {
    of_kind(GeoKind::LineString)
}

fn polygon(_: &[TypeInfo]) -> TypeInfo {
    of_kind(GeoKind::Polygon)
}

fn multi_point(_: &[TypeInfo]) -> TypeInfo {
    of_kind(GeoKind::MultiPoint)
}

fn multi_line(_: &[TypeInfo]) -> TypeInfo {
    of_kind(GeoKind::MultiLineString)
}

fn multi_polygon(_: &[TypeInfo]) -> TypeInfo {
    of_kind(GeoKind::MultiPolygon)
}

fn collection(_: &[TypeInfo]) -> TypeInfo {
    of_kind(GeoKind::Collection)
}

fn truth(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::BOOL, true)
}

fn document(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::Json, true)
}

fn long_text(_: &[TypeInfo]) -> TypeInfo {
    infer::unknown_text(&[])
}

fn long_bytes(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::Text { kind: LobKind::Long, collation: Collation::Binary }, true)
}

fn strategy_bytes(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::varbinary(16), true)
}

fn name_text(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::varchar(15, TEXT), true)
}

fn geohash_text(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::varchar(100, TEXT), true)
}

/// ST_SRID: a number, or with a second argument the geometry with that number.
fn srid(args: &[TypeInfo]) -> TypeInfo {
    if args.len() > 1 {
        of_kind(GeoKind::Any)
    } else {
        TypeInfo::new(SqlType::wide_int(10, false), true)
    }
}

/// ST_X and its like: a coordinate, or the point with another one.
fn ordinate(args: &[TypeInfo]) -> TypeInfo {
    if args.len() > 1 { of_kind(GeoKind::Point) } else { TypeInfo::new(SqlType::LONG_DOUBLE, true) }
}

/// 3037.
fn invalid(function: &str) -> ValueError {
    ValueError::of(errno::ER_GIS_INVALID_DATA, &[&function])
}

/// 3516.
fn unexpected(wanted: &str, found: GeoKind, function: &str) -> ValueError {
    ValueError::of(errno::ER_UNEXPECTED_GEOMETRY_TYPE, &[&wanted, &found.shown(), &function])
}

/// 3618.
fn geographic(function: &str, kinds: &[GeoKind]) -> ValueError {
    let kinds: Vec<&str> = kinds.iter().map(|k| k.shown()).collect();
    ValueError::of(errno::ER_NOT_IMPLEMENTED_FOR_GEOGRAPHIC_SRS, &[&function, &kinds.join(", ")])
}

/// Errors about coordinates of an argument have other numbers than those about coordinates that are being made.
#[derive(Clone, Copy, PartialEq)]
enum Whose {
    Own,
    Parameter,
}

/// 3616 and 3617, or 3731 and 3732: degrees outside of the globe.
fn check_degrees(shape: &Shape, srs: &Srs, whose: Whose, function: &str) -> Result<(), ValueError> {
    if !srs.geographic {
        return Ok(());
    }
    let mut bad = None;
    shape.all_coords(&mut |c: Coord| {
        if c.x <= -180.0 || c.x > 180.0 {
            bad = Some(("ongitude", c.x, "(-180.000000, 180.000000]", 0));
        } else if !(-90.0..=90.0).contains(&c.y) {
            bad = Some(("atitude", c.y, "[-90.000000, 90.000000]", 1));
        }
        bad.is_none()
    });
    let Some((what, value, range, n)) = bad else { return Ok(()) };
    let initial = |upper: &'static str, lower| if whose == Whose::Own { upper } else { lower };
    let l = initial("L", "l");
    let (errno, text) = match whose {
        Whose::Own => (
            errno::ER_LONGITUDE_OUT_OF_RANGE + n,
            format!(
                "{l}{what} {value:.6} is out of range in function {function}. It must be within \
                 {range}."
            ),
        ),
        Whose::Parameter => (
            errno::ER_GEOMETRY_PARAM_LONGITUDE_OUT_OF_RANGE + n,
            format!(
                "A parameter of function {function} contains a geometry with {l}{what} {value:.6}, \
                 which is out of range. It must be within {range}."
            ),
        ),
    };
    Err(ValueError::new(errno, text))
}

/// The geometry in an argument, whatever its SRID. None: NULL.
fn parsed(
    cx: &mut FuncCtx<'_>,
    v: &Value<'_>,
    function: &str,
) -> Result<Option<Geometry>, ValueError> {
    if v.is_null() {
        return Ok(None);
    }
    let bytes = v.as_bytes().ok_or_else(|| invalid(function))?;
    cx.work(bytes.len())?;
    cx.hold_tree(bytes.len().saturating_mul(TREE_PER_WKB))?;
    match Geometry::from_stored(bytes) {
        Ok(g) => Ok(Some(g)),
        Err(BadWkb::BigEndian) => Err(ValueError::big_endian()),
        Err(BadWkb::Malformed) => Err(invalid(function)),
    }
}

/// The geometry in an argument and its system, which is known. None: NULL.
fn known(
    cx: &mut FuncCtx<'_>,
    v: &Value<'_>,
    function: &str,
) -> Result<Option<(Geometry, Arc<Srs>)>, ValueError> {
    let Some(g) = parsed(cx, v, function)? else { return Ok(None) };
    let srs = cx.reference_system(g.srid)?;
    check_degrees(&g.shape, &srs, Whose::Parameter, function)?;
    Ok(Some((g, srs)))
}

/// The geometry in an argument, which lies in a plane.
fn planar(
    cx: &mut FuncCtx<'_>,
    v: &Value<'_>,
    function: &str,
) -> Result<Option<Geometry>, ValueError> {
    match known(cx, v, function)? {
        Some((g, srs)) if srs.geographic => Err(geographic(function, &[g.shape.kind()])),
        found => Ok(found.map(|(g, _)| g)),
    }
}

/// Two geometries of one system. None: one is NULL.
fn pair(
    cx: &mut FuncCtx<'_>,
    args: &[Value<'_>],
    function: &str,
) -> Result<Option<(Geometry, Geometry, Arc<Srs>)>, ValueError> {
    let (a, b) = (known(cx, &args[0], function)?, known(cx, &args[1], function)?);
    let (Some((a, srs)), Some((b, _))) = (a, b) else { return Ok(None) };
    if a.srid != b.srid {
        let text = format!(
            "Binary geometry function {function} given two geometries of different srids: {} and \
             {}, which should have been identical.",
            a.srid, b.srid
        );
        return Err(ValueError::new(errno::ER_GIS_DIFFERENT_SRIDS, text));
    }
    Ok(Some((a, b, srs)))
}

fn stored(srid: u32, shape: Shape) -> Out {
    Ok(Value::Bytes(Geometry { srid, shape }.to_stored().into()))
}

/// A SRID as a number of 32 bits, or 1690. None: NULL.
fn srid_argument(
    cx: &mut FuncCtx<'_>,
    v: &Value<'_>,
    function: &str,
) -> Result<Option<u32>, ValueError> {
    let Some(n) = v.to_integer(&mut cx.warnings) else { return Ok(None) };
    u32::try_from(n).map(Some).map_err(|_| out_of_range("SRID", function))
}

/// 1690.
fn out_of_range(what: &str, function: &str) -> ValueError {
    ValueError::of(errno::ER_DATA_OUT_OF_RANGE, &[&what, &function])
}
