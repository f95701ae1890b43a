//! ST_Collect(): the geometries of a group in one. Points, lines or polygons alone are a multi-geometry, all else a collection.

use super::*;

/// Byte order, kind and count of a collection, with the SRID in front.
const HEAD: usize = 13;
/// The SRID in front of a stored geometry, which a part does not have.
const SRID: usize = 4;

/// What has been collected: stored geometries of one SRID without it.
#[derive(Debug, Default)]
pub struct Collected {
    srid: u32,
    count: u32,
    /// The kind of all of them; `Any` where there are several.
    kind: Option<GeoKind>,
    parts: Vec<u8>,
}

impl Collected {
    /// Takes a geometry, and gives the number of bytes that are kept of it.
    pub fn add(&mut self, cx: &mut FuncCtx<'_>, v: &Value<'_>) -> Result<usize, ValueError> {
        let function = "st_collect";
        let Some(g) = parsed(cx, v, function)? else { return Ok(0) };
        let bytes = v.as_bytes().unwrap_or_default();
        if self.count > 0 && self.srid != g.srid {
            return Err(ValueError::of(
                errno::ER_GIS_DIFFERENT_SRIDS_AGGREGATION,
                &[&function, &self.srid, &g.srid],
            ));
        }
        let kind = g.shape.kind();
        self.srid = g.srid;
        self.kind = Some(if self.kind.is_none_or(|k| k == kind) { kind } else { GeoKind::Any });
        self.count = self.count.checked_add(1).ok_or_else(|| invalid(function))?;
        self.parts.extend_from_slice(&bytes[SRID..]);
        Ok(bytes.len())
    }

    /// Of the result.
    pub fn bytes(&self) -> usize {
        self.parts.len() + HEAD
    }

    /// NULL for no geometry at all, and with a warning for one that is larger than a packet.
    pub fn value(&self, cx: &mut FuncCtx<'_>) -> Result<Value<'static>, ValueError> {
        let function = "st_collect";
        if self.count == 0 || too_big(cx, self.bytes(), function)? {
            return Ok(Value::Null);
        }
        cx.work(self.bytes())?;
        let kind = match self.kind {
            Some(GeoKind::Point) => GeoKind::MultiPoint,
            Some(GeoKind::LineString) => GeoKind::MultiLineString,
            Some(GeoKind::Polygon) => GeoKind::MultiPolygon,
            _ => GeoKind::Collection,
        };
        let mut bytes = Vec::with_capacity(self.bytes());
        bytes.extend(self.srid.to_le_bytes());
        bytes.push(1);
        bytes.extend((kind as u32).to_le_bytes());
        bytes.extend(self.count.to_le_bytes());
        bytes.extend_from_slice(&self.parts);
        // A collection of collections is one level deeper than they are.
        if kind == GeoKind::Collection && Geometry::from_stored(&bytes).is_err() {
            return Err(invalid(function));
        }
        Ok(Value::Bytes(bytes.into()))
    }
}
