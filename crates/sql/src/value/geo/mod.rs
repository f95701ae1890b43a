//! Geometries: points, lines, polygons and collections of them, as trees, as bytes (WKB), as text (WKT) and as GeoJSON.
//!
//! A geometry is kept as MySQL keeps it: four bytes of SRID, little-endian, and its WKB in little-endian order ([`wkb`]). In
//! expressions it is a binary text of these bytes; the functions read a tree from it. Uses `value::json` and errors only.
//!
//! Invariants:
//! - Stored bytes are well-formed: [`Geometry::from_stored`] reads them, and they have nothing behind their end.
//! - A tree is no deeper than [`MAX_DEPTH`], whatever it was read from, so that recursion over it is bounded.
//! - No count in WKB is believed before the bytes that it promises are there.
//! - Coordinates are finite. A geometry of a geographic SRS has the longitude in `x` and the latitude in `y`, whatever the
//!   order of the axes in its texts.

pub mod cast;
pub mod edges;
pub mod geojson;
pub mod globe;
pub mod plane;
pub mod spheroid;
pub mod srs;
pub mod srs_wkt;
pub mod surface;
pub mod units;
pub mod wkb;
pub mod wkt;

pub use srs::Srs;

use super::{Value, ValueError};
use wkb::BadWkb;

/// Collections inside each other.
pub const MAX_DEPTH: usize = 64;

/// Bytes of a tree for one of WKB, at most: an empty ring takes four bytes there, and a list here.
pub const TREE_PER_WKB: usize = 6;

/// What a geometry is, numbered as WKB numbers it; `Any` is the type of a column that takes all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GeoKind {
    Any = 0,
    Point = 1,
    LineString = 2,
    Polygon = 3,
    MultiPoint = 4,
    MultiLineString = 5,
    MultiPolygon = 6,
    Collection = 7,
}

impl GeoKind {
    pub const ALL: [GeoKind; 8] = [
        GeoKind::Any,
        GeoKind::Point,
        GeoKind::LineString,
        GeoKind::Polygon,
        GeoKind::MultiPoint,
        GeoKind::MultiLineString,
        GeoKind::MultiPolygon,
        GeoKind::Collection,
    ];

    /// The name of the column type.
    pub const fn type_name(self) -> &'static str {
        match self {
            GeoKind::Any => "geometry",
            GeoKind::Point => "point",
            GeoKind::LineString => "linestring",
            GeoKind::Polygon => "polygon",
            GeoKind::MultiPoint => "multipoint",
            GeoKind::MultiLineString => "multilinestring",
            GeoKind::MultiPolygon => "multipolygon",
            GeoKind::Collection => "geomcollection",
        }
    }

    /// The keyword of WKT.
    pub const fn word(self) -> &'static str {
        match self {
            GeoKind::Any => "GEOMETRY",
            GeoKind::Point => "POINT",
            GeoKind::LineString => "LINESTRING",
            GeoKind::Polygon => "POLYGON",
            GeoKind::MultiPoint => "MULTIPOINT",
            GeoKind::MultiLineString => "MULTILINESTRING",
            GeoKind::MultiPolygon => "MULTIPOLYGON",
            GeoKind::Collection => "GEOMETRYCOLLECTION",
        }
    }

    /// The `type` of a GeoJSON object.
    pub const fn json_name(self) -> &'static str {
        match self {
            GeoKind::Any => "Geometry",
            GeoKind::Point => "Point",
            GeoKind::LineString => "LineString",
            GeoKind::Polygon => "Polygon",
            GeoKind::MultiPoint => "MultiPoint",
            GeoKind::MultiLineString => "MultiLineString",
            GeoKind::MultiPolygon => "MultiPolygon",
            GeoKind::Collection => "GeometryCollection",
        }
    }

    pub fn from_code(code: u32) -> Option<GeoKind> {
        GeoKind::ALL.get(code as usize).copied()
    }

    /// Whether a column or function for `self` takes a geometry of kind `other`: collections of one kind are collections.
    pub fn takes(self, other: GeoKind) -> bool {
        use GeoKind::{Any, Collection, MultiLineString, MultiPoint, MultiPolygon};
        let multi = matches!(other, MultiPoint | MultiLineString | MultiPolygon);
        self == Any || self == other || (self == Collection && multi)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coord {
    pub x: f64,
    pub y: f64,
}

/// A ring is closed: its first point is its last.
pub type Ring = Vec<Coord>;

#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    Point(Coord),
    /// At least two points.
    LineString(Vec<Coord>),
    /// The exterior ring, and the holes.
    Polygon(Vec<Ring>),
    MultiPoint(Vec<Coord>),
    MultiLineString(Vec<Vec<Coord>>),
    MultiPolygon(Vec<Vec<Ring>>),
    /// The only one that may be empty.
    Collection(Vec<Shape>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Geometry {
    pub srid: u32,
    pub shape: Shape,
}

impl Shape {
    pub fn kind(&self) -> GeoKind {
        match self {
            Shape::Point(_) => GeoKind::Point,
            Shape::LineString(_) => GeoKind::LineString,
            Shape::Polygon(_) => GeoKind::Polygon,
            Shape::MultiPoint(_) => GeoKind::MultiPoint,
            Shape::MultiLineString(_) => GeoKind::MultiLineString,
            Shape::MultiPolygon(_) => GeoKind::MultiPolygon,
            Shape::Collection(_) => GeoKind::Collection,
        }
    }

    /// No point at all: a collection of nothing, or of such collections.
    pub fn is_empty(&self) -> bool {
        match self {
            Shape::Collection(parts) => parts.iter().all(Shape::is_empty),
            _ => false,
        }
    }

    /// Calls `f` with every point, in order, until it says that it has seen enough.
    pub fn all_coords(&self, f: &mut impl FnMut(Coord) -> bool) -> bool {
        let mut line = |l: &[Coord]| l.iter().all(|c| f(*c));
        match self {
            Shape::Point(c) => line(&[*c]),
            Shape::LineString(l) | Shape::MultiPoint(l) => line(l),
            Shape::Polygon(lines) | Shape::MultiLineString(lines) => lines.iter().all(|l| line(l)),
            Shape::MultiPolygon(all) => all.iter().flatten().all(|l| line(l)),
            Shape::Collection(parts) => parts.iter().all(|p| p.all_coords(f)),
        }
    }

    /// Changes every point.
    pub fn map(&mut self, f: &mut impl FnMut(&mut Coord)) {
        match self {
            Shape::Point(c) => f(c),
            Shape::LineString(l) | Shape::MultiPoint(l) => l.iter_mut().for_each(f),
            Shape::Polygon(lines) | Shape::MultiLineString(lines) => {
                lines.iter_mut().flatten().for_each(f);
            }
            Shape::MultiPolygon(all) => all.iter_mut().flatten().flatten().for_each(f),
            Shape::Collection(parts) => parts.iter_mut().for_each(|p| p.map(f)),
        }
    }

    /// The other order of the axes.
    pub fn swap(&mut self) {
        self.map(&mut |c| std::mem::swap(&mut c.x, &mut c.y));
    }

    /// How many geometries there are in a multi-geometry or collection.
    pub fn count(&self) -> Option<usize> {
        match self {
            Shape::MultiPoint(l) => Some(l.len()),
            Shape::MultiLineString(l) => Some(l.len()),
            Shape::MultiPolygon(l) => Some(l.len()),
            Shape::Collection(l) => Some(l.len()),
            Shape::Point(_) | Shape::LineString(_) | Shape::Polygon(_) => None,
        }
    }

    /// One of them, counted from 0.
    pub fn part(self, at: usize) -> Option<Shape> {
        match self {
            Shape::MultiPoint(l) => l.into_iter().nth(at).map(Shape::Point),
            Shape::MultiLineString(l) => l.into_iter().nth(at).map(Shape::LineString),
            Shape::MultiPolygon(l) => l.into_iter().nth(at).map(Shape::Polygon),
            Shape::Collection(l) => l.into_iter().nth(at),
            Shape::Point(_) | Shape::LineString(_) | Shape::Polygon(_) => None,
        }
    }

    /// Whether lines and rings have as many points as they need, and rings are closed.
    pub fn is_well_formed(&self) -> bool {
        let ring = |r: &Ring| r.len() >= 4 && r.first() == r.last();
        let polygon = |p: &Vec<Ring>| !p.is_empty() && p.iter().all(ring);
        match self {
            Shape::Point(_) => true,
            Shape::LineString(l) => l.len() >= 2,
            Shape::Polygon(p) => polygon(p),
            Shape::MultiPoint(l) => !l.is_empty(),
            Shape::MultiLineString(l) => !l.is_empty() && l.iter().all(|l| l.len() >= 2),
            Shape::MultiPolygon(l) => !l.is_empty() && l.iter().all(polygon),
            Shape::Collection(parts) => parts.iter().all(Shape::is_well_formed),
        }
    }
}

/// The bytes that a column of geometries keeps of a value, whatever the mode: nothing stands for one that is no geometry.
pub fn column_value(
    v: &Value<'_>,
    kind: GeoKind,
    srid: Option<u32>,
    column: &str,
) -> Result<Vec<u8>, ValueError> {
    let bytes = v.as_bytes().ok_or_else(ValueError::no_geometry)?;
    let found = Geometry::from_stored(bytes).map_err(|e| match e {
        BadWkb::Malformed => ValueError::no_geometry(),
        BadWkb::BigEndian => ValueError::big_endian(),
    })?;
    if !kind.takes(found.shape.kind()) {
        return Err(ValueError::no_geometry());
    }
    match srid.filter(|wanted| *wanted != found.srid) {
        Some(wanted) => Err(ValueError::wrong_srid(column, found.srid, wanted)),
        None => Ok(bytes.to_vec()),
    }
}
