//! Well-known binary, and the form in which geometries are stored.
//!
//! ```text
//! stored   ::= srid(4, little-endian) wkb          wkb      ::= order(1) kind(4) body
//! point    ::= x(8) y(8)                           line     ::= count(4) point*
//! polygon  ::= count(4) line*                      others   ::= count(4) wkb*
//! ```

use super::{Coord, GeoKind, Geometry, MAX_DEPTH, Shape};

const BIG: u8 = 0;
const LITTLE: u8 = 1;
const SRID_BYTES: usize = 4;
const POINT_BYTES: usize = 16;
/// Order, kind and count: the smallest geometry.
const HEADER_BYTES: usize = 9;

/// Why bytes are no geometry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadWkb {
    Malformed,
    /// In a stored geometry only the little-endian order is taken.
    BigEndian,
}

struct Reader<'a> {
    rest: &'a [u8],
    /// Whether the stored form is read, which has one order.
    stored: bool,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], BadWkb> {
        let (head, rest) = self.rest.split_first_chunk::<N>().ok_or(BadWkb::Malformed)?;
        self.rest = rest;
        Ok(*head)
    }

    fn u32(&mut self, little: bool) -> Result<u32, BadWkb> {
        let b = self.take::<4>()?;
        Ok(if little { u32::from_le_bytes(b) } else { u32::from_be_bytes(b) })
    }

    fn f64(&mut self, little: bool) -> Result<f64, BadWkb> {
        let b = self.take::<8>()?;
        let x = if little { f64::from_le_bytes(b) } else { f64::from_be_bytes(b) };
        if x.is_finite() { Ok(x) } else { Err(BadWkb::Malformed) }
    }

    fn coord(&mut self, little: bool) -> Result<Coord, BadWkb> {
        Ok(Coord { x: self.f64(little)?, y: self.f64(little)? })
    }

    /// A count of things that take at least `bytes` each, which must be there.
    fn count(&mut self, little: bool, bytes: usize) -> Result<usize, BadWkb> {
        let n = self.u32(little)? as usize;
        if n > self.rest.len() / bytes { Err(BadWkb::Malformed) } else { Ok(n) }
    }

    fn line(&mut self, little: bool) -> Result<Vec<Coord>, BadWkb> {
        let n = self.count(little, POINT_BYTES)?;
        (0..n).map(|_| self.coord(little)).collect()
    }

    fn polygon(&mut self, little: bool) -> Result<Vec<Vec<Coord>>, BadWkb> {
        let n = self.count(little, 4)?;
        (0..n).map(|_| self.line(little)).collect()
    }

    fn header(&mut self) -> Result<(bool, GeoKind), BadWkb> {
        let little = match self.take::<1>()? {
            [LITTLE] => true,
            [BIG] if self.stored => return Err(BadWkb::BigEndian),
            [BIG] => false,
            _ => return Err(BadWkb::Malformed),
        };
        match GeoKind::from_code(self.u32(little)?) {
            None | Some(GeoKind::Any) => Err(BadWkb::Malformed),
            Some(kind) => Ok((little, kind)),
        }
    }

    /// The parts of a geometry that has only those of one kind.
    fn parts<T>(
        &mut self,
        little: bool,
        kind: GeoKind,
        read: impl Fn(&mut Self, bool) -> Result<T, BadWkb>,
    ) -> Result<Vec<T>, BadWkb> {
        let n = self.count(little, HEADER_BYTES)?;
        let one = |r: &mut Self| match r.header()? {
            (little, found) if found == kind => read(r, little),
            _ => Err(BadWkb::Malformed),
        };
        (0..n).map(|_| one(self)).collect()
    }

    fn shape(&mut self, depth: usize) -> Result<Shape, BadWkb> {
        let (little, kind) = self.header()?;
        Ok(match kind {
            GeoKind::Point => Shape::Point(self.coord(little)?),
            GeoKind::LineString => Shape::LineString(self.line(little)?),
            GeoKind::Polygon => Shape::Polygon(self.polygon(little)?),
            GeoKind::MultiPoint => {
                Shape::MultiPoint(self.parts(little, GeoKind::Point, Self::coord)?)
            }
            GeoKind::MultiLineString => {
                Shape::MultiLineString(self.parts(little, GeoKind::LineString, Self::line)?)
            }
            GeoKind::MultiPolygon => {
                Shape::MultiPolygon(self.parts(little, GeoKind::Polygon, Self::polygon)?)
            }
            GeoKind::Collection | GeoKind::Any => {
                if depth > MAX_DEPTH {
                    return Err(BadWkb::Malformed);
                }
                let n = self.count(little, HEADER_BYTES)?;
                Shape::Collection((0..n).map(|_| self.shape(depth + 1)).collect::<Result<_, _>>()?)
            }
        })
    }
}

fn read(bytes: &[u8], stored: bool) -> Result<Shape, BadWkb> {
    let mut r = Reader { rest: bytes, stored };
    let shape = r.shape(1)?;
    if r.rest.is_empty() && shape.is_well_formed() { Ok(shape) } else { Err(BadWkb::Malformed) }
}

/// Reads WKB of either order, without an SRID.
pub fn parse(bytes: &[u8]) -> Option<Shape> {
    read(bytes, false).ok()
}

impl Geometry {
    /// Reads the stored form.
    pub fn from_stored(bytes: &[u8]) -> Result<Geometry, BadWkb> {
        let (srid, wkb) = bytes.split_first_chunk::<SRID_BYTES>().ok_or(BadWkb::Malformed)?;
        Ok(Geometry { srid: u32::from_le_bytes(*srid), shape: read(wkb, true)? })
    }

    pub fn to_stored(&self) -> Vec<u8> {
        let mut out = self.srid.to_le_bytes().to_vec();
        self.shape.write_wkb(&mut out);
        out
    }
}

impl Shape {
    /// Appends its WKB in little-endian order.
    pub fn write_wkb(&self, out: &mut Vec<u8>) {
        header(out, self.kind());
        match self {
            Shape::Point(c) => put_coord(out, c),
            Shape::LineString(l) => put_line(out, l),
            Shape::Polygon(p) => put_polygon(out, p),
            Shape::MultiPoint(l) => put_parts(out, l, GeoKind::Point, put_coord),
            Shape::MultiLineString(l) => {
                put_parts(out, l, GeoKind::LineString, |out, l| put_line(out, l));
            }
            Shape::MultiPolygon(l) => {
                put_parts(out, l, GeoKind::Polygon, |out, p| put_polygon(out, p));
            }
            Shape::Collection(parts) => {
                put_count(out, parts.len());
                parts.iter().for_each(|p| p.write_wkb(out));
            }
        }
    }
}

fn header(out: &mut Vec<u8>, kind: GeoKind) {
    out.push(LITTLE);
    out.extend((kind as u32).to_le_bytes());
}

fn put_count(out: &mut Vec<u8>, n: usize) {
    // Lists come from WKB, from a text, or from arguments; all of them are smaller than max_allowed_packet, which is a gigabyte
    // at most.
    let n = u32::try_from(n).expect("a list has fewer parts than its source has bytes");
    out.extend(n.to_le_bytes());
}

fn put_coord(out: &mut Vec<u8>, c: &Coord) {
    out.extend(c.x.to_le_bytes());
    out.extend(c.y.to_le_bytes());
}

fn put_line(out: &mut Vec<u8>, line: &[Coord]) {
    put_count(out, line.len());
    line.iter().for_each(|c| put_coord(out, c));
}

fn put_polygon(out: &mut Vec<u8>, rings: &[Vec<Coord>]) {
    put_count(out, rings.len());
    rings.iter().for_each(|r| put_line(out, r));
}

fn put_parts<T>(out: &mut Vec<u8>, parts: &[T], kind: GeoKind, put: impl Fn(&mut Vec<u8>, &T)) {
    put_count(out, parts.len());
    for p in parts {
        header(out, kind);
        put(out, p);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    pub fn coord() -> impl Strategy<Value = Coord> {
        (-1e6f64..1e6, -1e6f64..1e6).prop_map(|(x, y)| Coord { x, y })
    }

    fn line(n: usize) -> impl Strategy<Value = Vec<Coord>> {
        proptest::collection::vec(coord(), n..6)
    }

    fn polygon() -> impl Strategy<Value = Vec<Vec<Coord>>> {
        let ring = line(3).prop_map(|mut l| {
            l.push(l[0]);
            l
        });
        proptest::collection::vec(ring, 1..3)
    }

    pub fn shapes() -> impl Strategy<Value = Shape> {
        let leaf = prop_oneof![
            coord().prop_map(Shape::Point),
            line(2).prop_map(Shape::LineString),
            polygon().prop_map(Shape::Polygon),
            line(1).prop_map(Shape::MultiPoint),
            proptest::collection::vec(line(2), 1..3).prop_map(Shape::MultiLineString),
            proptest::collection::vec(polygon(), 1..3).prop_map(Shape::MultiPolygon),
        ];
        leaf.prop_recursive(4, 16, 4, |inner| {
            proptest::collection::vec(inner, 0..4).prop_map(Shape::Collection)
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(shape in shapes(), srid in any::<u32>()) {
            let g = Geometry { srid, shape };
            prop_assert_eq!(Geometry::from_stored(&g.to_stored()), Ok(g.clone()));
            let text = super::super::wkt::write(&g.shape);
            prop_assert_eq!(super::super::wkt::parse(text.as_bytes()), Some(g.shape));
        }

        #[test]
        fn a_cut_or_a_tail_is_found(shape in shapes(), cut in 1usize..20) {
            let mut bytes = Geometry { srid: 0, shape }.to_stored();
            let end = bytes.len().saturating_sub(cut);
            prop_assert!(Geometry::from_stored(&bytes[..end]).is_err());
            bytes.push(0);
            prop_assert!(Geometry::from_stored(&bytes).is_err());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in any::<Vec<u8>>(), kind in 0u8..9) {
            let _ = Geometry::from_stored(&bytes);
            let headed = [&[0, 0, 0, 0, 1, kind, 0, 0, 0][..], &bytes].concat();
            let _ = Geometry::from_stored(&headed);
        }
    }

    #[test]
    fn counts_that_lie_are_refused() {
        for kind in 2u8..=7 {
            let mut bytes = vec![0, 0, 0, 0, 1, kind, 0, 0, 0];
            bytes.extend(u32::MAX.to_le_bytes());
            bytes.extend([0; 16]);
            assert_eq!(Geometry::from_stored(&bytes), Err(BadWkb::Malformed), "{kind}");
        }
    }

    #[test]
    fn collections_nest_to_a_limit() {
        let nested = |n: usize| {
            let mut out = Vec::new();
            (0..n).for_each(|_| out.extend([1, 7, 0, 0, 0, 1, 0, 0, 0]));
            out.extend([1, 7, 0, 0, 0, 0, 0, 0, 0]);
            out
        };
        assert!(parse(&nested(MAX_DEPTH - 1)).is_some());
        assert!(parse(&nested(MAX_DEPTH)).is_none());
        assert!(parse(&nested(1_000_000)).is_none());
    }

    #[test]
    fn both_orders_are_read_and_one_is_stored() {
        let mut big = vec![0, 0, 0, 0, 1];
        big.extend(1.5f64.to_be_bytes());
        big.extend(2.5f64.to_be_bytes());
        assert_eq!(parse(&big), Some(Shape::Point(Coord { x: 1.5, y: 2.5 })));
        let stored = [&[0; 4][..], &big].concat();
        assert_eq!(Geometry::from_stored(&stored), Err(BadWkb::BigEndian));
    }
}
