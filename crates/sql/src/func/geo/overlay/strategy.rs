//! ST_Buffer_Strategy(): how a buffer goes around points, corners and ends of lines.

use super::*;
use crate::errno;

/// MySQL's max_points_in_geometry.
const MOST_POINTS: f64 = 65_536.0;
/// A code of four bytes and a number of eight.
const BYTES: usize = 12;
const DEFAULT_POINTS: usize = 32;
const DEFAULT_MITER: f64 = 5.0;

/// Names in the order of their codes, which start at 1, and whether a number belongs to them.
const NAMES: [(&str, bool); 6] = [
    ("end_round", true),
    ("end_flat", false),
    ("join_round", true),
    ("join_miter", true),
    ("point_circle", true),
    ("point_square", false),
];

#[derive(Clone, Copy)]
pub enum Join {
    /// Points in a full circle.
    Round(usize),
    /// How far the tip may be away, in distances of the buffer.
    Miter(f64),
}

/// Points in a full circle; None: a flat end, or a square around a point.
#[derive(Clone, Copy)]
pub struct Style {
    pub end: Option<usize>,
    pub join: Join,
    pub point: Option<usize>,
}

pub fn strategy(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_buffer_strategy";
    let number = match args.get(1) {
        Some(v) if v.is_null() => return Ok(Value::Null),
        Some(v) => v.to_f64(&mut cx.warnings),
        None => None,
    };
    let Some(name) = args[0].to_string_lossy() else { return Ok(Value::Null) };
    let known = NAMES.iter().position(|(n, _)| name.eq_ignore_ascii_case(n));
    let wrong = || ValueError::wrong_arguments(function);
    let at = known.filter(|at| NAMES[*at].1 == number.is_some()).ok_or_else(wrong)?;
    if number.is_some_and(|n| n <= 0.0 || n.is_nan()) {
        return Err(wrong());
    }
    if let Some(n) = number
        && NAMES[at].0 != "join_miter"
        && n > MOST_POINTS
    {
        let (what, most) = ("points_per_circle", MOST_POINTS);
        return Err(ValueError::of(
            errno::ER_GIS_MAX_POINTS_IN_GEOMETRY_OVERFLOWED,
            &[&what, &most, &function],
        ));
    }
    let mut bytes = (at as u32 + 1).to_le_bytes().to_vec();
    bytes.extend(number.unwrap_or(0.0).to_le_bytes());
    Ok(Value::Bytes(bytes.into()))
}

/// Reads the strategies of a buffer around a geometry of some kind. None: one is NULL. Each of ends, joins and points may be said
/// once, and only where the geometry may have some.
pub fn style(
    args: &[Value<'_>],
    kind: GeoKind,
    function: &str,
) -> Result<Option<Style>, ValueError> {
    let round = Join::Round(DEFAULT_POINTS);
    let mut style = Style { end: Some(DEFAULT_POINTS), join: round, point: Some(DEFAULT_POINTS) };
    let mut said = [false; 3];
    if args.iter().any(Value::is_null) {
        return Ok(None);
    }
    let wrong = || ValueError::wrong_arguments(function);
    for v in args {
        let bytes = v.as_bytes().filter(|b| b.len() == BYTES).ok_or_else(wrong)?;
        let (code, number) = bytes.split_at(BYTES - size_of::<f64>());
        let code = u32::from_le_bytes(code.try_into().expect("split at four bytes"));
        let number = f64::from_le_bytes(number.try_into().expect("eight bytes are left"));
        let count = |least: usize| (number.min(MOST_POINTS) as usize).max(least);
        let about = match code {
            1 | 2 => 0,
            3 | 4 => 1,
            5 | 6 => 2,
            _ => return Err(wrong()),
        };
        match code {
            1 => style.end = Some(count(4)),
            2 => style.end = None,
            3 => style.join = Join::Round(count(4)),
            4 => style.join = Join::Miter(number),
            5 => style.point = Some(count(3)),
            _ => style.point = None,
        }
        if std::mem::replace(&mut said[about], true) || !has(kind, about) {
            return Err(wrong());
        }
    }
    if matches!(style.join, Join::Miter(limit) if limit.is_nan() || limit <= 0.0) {
        style.join = Join::Miter(DEFAULT_MITER);
    }
    Ok(Some(style))
}

/// Whether a geometry of a kind may have ends (0), corners (1) or points (2).
fn has(kind: GeoKind, about: usize) -> bool {
    match kind {
        GeoKind::Point | GeoKind::MultiPoint => about == 2,
        GeoKind::LineString | GeoKind::MultiLineString => about < 2,
        GeoKind::Polygon | GeoKind::MultiPolygon => about == 1,
        GeoKind::Collection | GeoKind::Any => true,
    }
}
