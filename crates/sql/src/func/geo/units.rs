//! Lengths in the unit that an argument names.

use super::*;
use crate::errno;
use crate::value::geo::units::metres;

/// A length of an SRS in another unit: 3882 where the SRS has none, 3902 where the other one is not known.
pub fn in_unit(
    length: f64,
    unit: Option<&Value<'_>>,
    srs: &Srs,
    function: &str,
) -> Result<f64, ValueError> {
    let Some(name) = unit.and_then(Value::to_string_lossy) else { return Ok(length) };
    if srs.srid == 0 {
        return Err(ValueError::of(errno::ER_GEOMETRY_IN_UNKNOWN_LENGTH_UNIT, &[&function, &name]));
    }
    let metres = metres(&name).ok_or_else(|| ValueError::of(errno::ER_UNIT_NOT_FOUND, &[&name]))?;
    Ok(length * srs.unit / metres)
}
