//! ST_Transform(): the coordinates of one spatial reference system as those of another one.
//!
//! The geographic systems that are known say the same of a place: their ellipsoids differ by less than a tenth of a millimetre, and
//! their definitions shift nothing, so that MySQL takes their datums for one. Between them and Web Mercator, which takes the earth
//! for a sphere, there is one formula.

use super::*;
use crate::errno;

/// A degree in radians, as the definitions of the systems have it.
const DEGREE: f64 = 0.017453292519943278;
/// Radians: nearer to a pole there is no place on the map.
const POLE: f64 = 1e-10;

pub fn transform(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_transform";
    let target = args[1].to_integer(&mut cx.warnings);
    let Some((mut g, from)) = known(cx, &args[0], function)? else { return Ok(Value::Null) };
    // As in MySQL a number of 32 bits is what is left of a larger one.
    let Some(srid) = target.map(|n| n as u32) else { return Ok(Value::Null) };
    if srid == g.srid {
        return stored(g.srid, g.shape);
    }
    let unsupported = |errno, srid: u32| ValueError::of(errno, &[&srid]);
    if from.srid == 0 {
        return Err(unsupported(errno::ER_TRANSFORM_SOURCE_SRS_NOT_SUPPORTED, 0));
    }
    let to = cx.reference_system(srid)?;
    if to.srid == 0 {
        return Err(unsupported(errno::ER_TRANSFORM_TARGET_SRS_NOT_SUPPORTED, 0));
    }
    // What a definition says of its projection and of the shift of its datum is not computed with.
    if !from.known {
        return Err(unsupported(errno::ER_TRANSFORM_SOURCE_SRS_NOT_SUPPORTED, from.srid));
    }
    if !to.known {
        return Err(unsupported(errno::ER_TRANSFORM_TARGET_SRS_NOT_SUPPORTED, to.srid));
    }
    let mut there = true;
    let (radius, _) = if from.geographic { to.ellipsoid } else { from.ellipsoid };
    match (from.geographic, to.geographic) {
        (true, false) => g.shape.map(&mut |c| there &= to_map(c, radius)),
        (false, true) => g.shape.map(&mut |c| to_globe(c, radius)),
        _ => {}
    }
    if there { stored(srid, g.shape) } else { Ok(Value::Null) }
}

/// False: the point is a pole.
fn to_map(c: &mut Coord, radius: f64) -> bool {
    let (longitude, latitude) = (c.x * DEGREE, c.y * DEGREE);
    let quarter = std::f64::consts::FRAC_PI_4;
    *c = Coord { x: radius * longitude, y: radius * (quarter + latitude / 2.0).tan().ln() };
    latitude.abs() < 2.0 * quarter - POLE
}

fn to_globe(c: &mut Coord, radius: f64) {
    use std::f64::consts::{FRAC_PI_2, PI, TAU};
    let latitude = FRAC_PI_2 - 2.0 * (-c.y / radius).exp().atan();
    let mut longitude = c.x / radius;
    if longitude.abs() > PI {
        let from_west = longitude + PI;
        longitude = from_west - TAU * (from_west / TAU).floor() - PI;
    }
    // The degree above is a little too small: what it puts behind the edge of the map lies on it. The western edge is the eastern one.
    let degrees = (longitude / DEGREE).min(180.0);
    *c = Coord {
        x: if degrees <= -180.0 { 180.0 } else { degrees },
        y: (latitude / DEGREE).clamp(-90.0, 90.0),
    };
}
