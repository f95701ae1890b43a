//! Geometries as JSON documents (RFC 7946, with the `crs` member of the specification before it, as MySQL has them).
//!
//! Positions are longitude and latitude, which is the order in which geographic coordinates are kept.

use super::{Coord, GeoKind, MAX_DEPTH, Shape};
use crate::errno;
use crate::value::json::Dom;
use crate::value::{ValueError, double};

/// How a document is written.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style {
    /// Digits behind the point at most.
    pub digits: Option<u32>,
    pub bounding_box: bool,
    /// The name of the `crs` member, where there is to be one.
    pub crs: Option<Crs>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crs {
    Short(u32),
    Long(u32),
}

fn member(name: &str, value: Dom) -> (Box<[u8]>, Dom) {
    (name.as_bytes().into(), value)
}

pub fn write(shape: &Shape, style: Style) -> Dom {
    let mut members = members_of(shape, style);
    if let Some(crs) = style.crs {
        let name = match crs {
            Crs::Short(srid) => format!("EPSG:{srid}"),
            Crs::Long(srid) => format!("urn:ogc:def:crs:EPSG::{srid}"),
        };
        let properties = Dom::object(vec![member("name", Dom::str(name.as_bytes()))]);
        let crs = vec![member("type", Dom::str(b"name")), member("properties", properties)];
        members.push(member("crs", Dom::object(crs)));
    }
    Dom::object(members)
}

fn members_of(shape: &Shape, style: Style) -> Vec<(Box<[u8]>, Dom)> {
    let position = |c: &Coord| {
        let number = |x| Dom::Double(style.digits.map_or(x, |d| double::round(x, d as i32, false)));
        Dom::Array(vec![number(c.x), number(c.y)])
    };
    let line = |l: &Vec<Coord>| Dom::Array(l.iter().map(position).collect());
    let polygon = |p: &Vec<Vec<Coord>>| Dom::Array(p.iter().map(line).collect());
    let content = match shape {
        Shape::Point(c) => member("coordinates", position(c)),
        Shape::LineString(l) | Shape::MultiPoint(l) => member("coordinates", line(l)),
        Shape::Polygon(p) | Shape::MultiLineString(p) => member("coordinates", polygon(p)),
        Shape::MultiPolygon(all) => {
            member("coordinates", Dom::Array(all.iter().map(polygon).collect()))
        }
        Shape::Collection(parts) => {
            let parts = parts.iter().map(|p| Dom::object(members_of(p, style))).collect();
            member("geometries", Dom::Array(parts))
        }
    };
    let mut members = vec![member("type", Dom::str(shape.kind().json_name().as_bytes())), content];
    if style.bounding_box
        && let Some((low, high)) = shape.bounds()
    {
        let corners = [low.x, low.y, high.x, high.y];
        let corners =
            corners.map(|x| style.digits.map_or(x, |d| double::round(x, d as i32, false)));
        members.push(member("bbox", Dom::Array(corners.map(Dom::Double).to_vec())));
    }
    members
}

impl Shape {
    /// The lowest and the highest coordinates; none of nothing.
    pub fn bounds(&self) -> Option<(Coord, Coord)> {
        let mut found: Option<(Coord, Coord)> = None;
        self.all_coords(&mut |c| {
            let (low, high) = found.get_or_insert((c, c));
            (low.x, low.y) = (low.x.min(c.x), low.y.min(c.y));
            (high.x, high.y) = (high.x.max(c.x), high.y.max(c.y));
            true
        });
        found
    }
}

/// What a document says.
#[derive(Debug)]
pub struct Read {
    /// None: a feature without a geometry.
    pub shape: Option<Shape>,
    /// The SRID of the `crs` member.
    pub srid: Option<u32>,
}

/// Reads documents for the function whose name errors tell.
pub struct Reader<'a> {
    pub function: &'a str,
    /// Positions of more than two numbers lose those behind, instead of being an error.
    pub strip: bool,
}

impl Reader<'_> {
    fn unspecified(&self) -> ValueError {
        ValueError::of(errno::ER_INVALID_GEOJSON_UNSPECIFIED, &[&self.function])
    }

    fn missing(&self, name: &str) -> ValueError {
        ValueError::of(errno::ER_INVALID_GEOJSON_MISSING_MEMBER, &[&self.function, &name])
    }

    fn wrong_type(&self, name: &str, wanted: &str) -> ValueError {
        let text = format!(
            "Invalid GeoJSON data provided to function {}: Member '{name}' must be of type \
             '{wanted}'",
            self.function
        );
        ValueError::new(errno::ER_INVALID_GEOJSON_WRONG_TYPE, text)
    }

    fn required<'d>(&self, object: &'d Dom, name: &str) -> Result<&'d Dom, ValueError> {
        object.member(name.as_bytes()).ok_or_else(|| self.missing(name))
    }

    fn array<'d>(&self, object: &'d Dom, name: &str) -> Result<&'d [Dom], ValueError> {
        match self.required(object, name)? {
            Dom::Array(all) => Ok(all),
            _ => Err(self.wrong_type(name, "array")),
        }
    }

    fn text<'d>(&self, object: &'d Dom, name: &str) -> Result<&'d [u8], ValueError> {
        match self.required(object, name)? {
            Dom::Str(s) => Ok(s),
            _ => Err(self.wrong_type(name, "string")),
        }
    }

    pub fn read(&self, doc: &Dom) -> Result<Read, ValueError> {
        if !matches!(doc, Dom::Object(_)) {
            return Err(self.unspecified());
        }
        let shape = self.object(doc, 1)?;
        if shape.as_ref().is_some_and(|s| !s.is_well_formed()) {
            return Err(self.unspecified());
        }
        Ok(Read { shape, srid: self.crs(doc)? })
    }

    /// A geometry, or what a feature or several of them have of geometries.
    fn object(&self, doc: &Dom, depth: usize) -> Result<Option<Shape>, ValueError> {
        if !matches!(doc, Dom::Object(_)) || depth > MAX_DEPTH {
            return Err(self.unspecified());
        }
        let ty = self.text(doc, "type")?;
        if ty.eq_ignore_ascii_case(b"Feature") {
            if !matches!(self.required(doc, "properties")?, Dom::Object(_) | Dom::Null) {
                return Err(self.wrong_type("properties", "object"));
            }
            return match self.required(doc, "geometry")? {
                Dom::Null => Ok(None),
                geometry @ Dom::Object(_) => self.object(geometry, depth + 1),
                _ => Err(self.wrong_type("geometry", "object")),
            };
        }
        if ty.eq_ignore_ascii_case(b"FeatureCollection") {
            return self.collection(self.array(doc, "features")?, depth).map(Some);
        }
        if ty.eq_ignore_ascii_case(b"GeometryCollection") {
            return self.collection(self.array(doc, "geometries")?, depth).map(Some);
        }
        let named = |k: &&GeoKind| k.json_name().as_bytes().eq_ignore_ascii_case(ty);
        let kind = GeoKind::ALL[1..7].iter().find(named).ok_or_else(|| self.unspecified())?;
        self.plain(*kind, self.array(doc, "coordinates")?).map(Some)
    }

    fn collection(&self, parts: &[Dom], depth: usize) -> Result<Shape, ValueError> {
        let mut all = Vec::with_capacity(parts.len());
        for p in parts {
            all.extend(self.object(p, depth + 1)?);
        }
        Ok(Shape::Collection(all))
    }

    fn plain(&self, kind: GeoKind, coordinates: &[Dom]) -> Result<Shape, ValueError> {
        let line = |l: &[Dom]| l.iter().map(|c| self.position(self.list(c)?)).collect();
        let lines = |l: &[Dom]| l.iter().map(|c| line(self.list(c)?)).collect();
        Ok(match kind {
            GeoKind::Point => Shape::Point(self.position(coordinates)?),
            GeoKind::LineString => Shape::LineString(line(coordinates)?),
            GeoKind::MultiPoint => Shape::MultiPoint(line(coordinates)?),
            GeoKind::Polygon => Shape::Polygon(lines(coordinates)?),
            GeoKind::MultiLineString => Shape::MultiLineString(lines(coordinates)?),
            GeoKind::MultiPolygon => {
                let all = coordinates.iter().map(|c| lines(self.list(c)?));
                Shape::MultiPolygon(all.collect::<Result<_, _>>()?)
            }
            GeoKind::Any | GeoKind::Collection => return Err(self.unspecified()),
        })
    }

    fn list<'d>(&self, d: &'d Dom) -> Result<&'d [Dom], ValueError> {
        match d {
            Dom::Array(all) => Ok(all),
            _ => Err(self.wrong_type("coordinates", "array")),
        }
    }

    fn position(&self, numbers: &[Dom]) -> Result<Coord, ValueError> {
        let n = numbers.len();
        if n < 2 {
            return Err(self.unspecified());
        }
        if n > 2 && !self.strip {
            return Err(ValueError::of(
                errno::ER_DIMENSION_UNSUPPORTED,
                &[&self.function, &n, &"2"],
            ));
        }
        let number = |d: &Dom| match d {
            Dom::Int(x) => Ok(*x as f64),
            Dom::UInt(x) => Ok(*x as f64),
            Dom::Double(x) => Ok(*x),
            Dom::Decimal(x) => Ok(x.to_f64()),
            _ => Err(self.wrong_type("coordinates", "array of numbers")),
        };
        numbers.iter().skip(2).try_for_each(|d| number(d).map(drop))?;
        Ok(Coord { x: number(&numbers[0])?, y: number(&numbers[1])? })
    }

    /// The SRID that a `crs` member names; null names none.
    fn crs(&self, doc: &Dom) -> Result<Option<u32>, ValueError> {
        let crs = match doc.member(b"crs") {
            None | Some(Dom::Null) => return Ok(None),
            Some(crs @ Dom::Object(_)) => crs,
            Some(_) => return Err(self.wrong_type("crs", "object")),
        };
        if !self.text(crs, "type")?.eq_ignore_ascii_case(b"name") {
            return Err(self.unspecified());
        }
        let properties = self.required(crs, "properties")?;
        if !matches!(properties, Dom::Object(_)) {
            return Err(self.wrong_type("properties", "object"));
        }
        let name = String::from_utf8_lossy(self.text(properties, "name")?).into_owned();
        if name.eq_ignore_ascii_case("urn:ogc:def:crs:OGC:1.3:CRS84") {
            return Ok(Some(4326));
        }
        let number = ["urn:ogc:def:crs:EPSG::", "EPSG:"].iter().find_map(|prefix| {
            let head = name.get(..prefix.len())?;
            head.eq_ignore_ascii_case(prefix).then(|| &name[prefix.len()..])
        });
        let srid = number.and_then(|n| n.parse().ok()).filter(|n| *n != 0);
        srid.map(Some).ok_or_else(|| self.unspecified())
    }
}
