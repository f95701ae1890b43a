//! Geohash: longitude and latitude halved again and again, five bits to a letter.

use super::*;
use crate::errno;

const LETTERS: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";
const LONGEST: i128 = 100;

/// A range that is halved, and the half that a value lies in.
struct Halves {
    low: f64,
    high: f64,
}

impl Halves {
    fn middle(&self) -> f64 {
        (self.low + self.high) / 2.0
    }

    fn bit_of(&mut self, value: f64) -> bool {
        let middle = self.middle();
        let upper = value >= middle;
        *(if upper { &mut self.low } else { &mut self.high }) = middle;
        upper
    }

    fn take(&mut self, upper: bool) {
        let middle = self.middle();
        *(if upper { &mut self.low } else { &mut self.high }) = middle;
    }

    /// The value in the range with the fewest digits that its width tells anything about.
    fn rounded(&self) -> f64 {
        let mut width = self.high - self.low;
        if width == 0.0 {
            return self.middle();
        }
        let mut places = 0;
        while width <= 0.1 && places <= 15 {
            places += 1;
            width *= 10.0;
        }
        let at = |n| crate::value::double::round(self.middle(), n, false);
        let fits = |x: &f64| (self.low..=self.high).contains(x);
        // Adding zero takes the sign from a negative one.
        (places..=16).map(at).find(fits).unwrap_or_else(|| self.middle()) + 0.0
    }
}

fn globe() -> (Halves, Halves) {
    (Halves { low: -180.0, high: 180.0 }, Halves { low: -90.0, high: 90.0 })
}

/// ST_GeoHash(longitude, latitude, length), ST_GeoHash(point, length).
pub fn hash(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_geohash";
    let (c, length) = match args {
        [p, length] => {
            let Some((g, _)) = known(cx, p, function)? else { return Ok(Value::Null) };
            let Shape::Point(c) = g.shape else {
                return Err(unexpected("POINT", g.shape.kind(), function));
            };
            (c, length)
        }
        [x, y, length] => {
            let (x, y) = (x.to_f64(&mut cx.warnings), y.to_f64(&mut cx.warnings));
            let (Some(x), Some(y)) = (x, y) else { return Ok(Value::Null) };
            (Coord { x, y }, length)
        }
        _ => return Err(ValueError::wrong_parameter_count(function)),
    };
    let Some(length) = length.to_integer(&mut cx.warnings) else { return Ok(Value::Null) };
    if !(1..=LONGEST).contains(&length) {
        return Err(out_of_range("max geohash length", function));
    }
    if !(-180.0..=180.0).contains(&c.x) {
        return Err(out_of_range("longitude", function));
    }
    if !(-90.0..=90.0).contains(&c.y) {
        return Err(out_of_range("latitude", function));
    }
    let (mut x, mut y) = globe();
    let mut out = Vec::with_capacity(length as usize);
    let mut of_x = true;
    for _ in 0..length {
        let mut letter = 0;
        for _ in 0..5 {
            let bit = if of_x { x.bit_of(c.x) } else { y.bit_of(c.y) };
            letter = letter << 1 | usize::from(bit);
            of_x = !of_x;
        }
        out.push(LETTERS[letter]);
    }
    Ok(Value::text(out, cx.collation))
}

/// Longitude and latitude that a hash means. None: NULL.
fn decode(
    cx: &mut FuncCtx<'_>,
    v: &Value<'_>,
    function: &str,
) -> Result<Option<Coord>, ValueError> {
    let text = match v {
        Value::Null => return Ok(None),
        Value::Str(text, _) => text,
        _ => {
            return Err(ValueError::of(errno::ER_INCORRECT_TYPE, &[&"geohash", &function]));
        }
    };
    cx.work(text.len())?;
    let wrong = || {
        let shown = String::from_utf8_lossy(text);
        ValueError::of(errno::ER_WRONG_VALUE_FOR_TYPE, &[&"geohash", &shown, &function])
    };
    if text.is_empty() {
        return Err(wrong());
    }
    let (mut x, mut y) = globe();
    let mut of_x = true;
    for letter in text.iter() {
        let letter = letter.to_ascii_lowercase();
        let bits = LETTERS.iter().position(|l| *l == letter).ok_or_else(wrong)?;
        for bit in (0..5).rev() {
            (if of_x { &mut x } else { &mut y }).take(bits >> bit & 1 == 1);
            of_x = !of_x;
        }
    }
    Ok(Some(Coord { x: x.rounded(), y: y.rounded() }))
}

pub fn latitude(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = decode(cx, &args[0], "st_latfromgeohash")?;
    Ok(c.map_or(Value::Null, |c| Value::Double(c.y)))
}

pub fn longitude(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let c = decode(cx, &args[0], "st_longfromgeohash")?;
    Ok(c.map_or(Value::Null, |c| Value::Double(c.x)))
}

pub fn point_from(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let function = "st_pointfromgeohash";
    let srid = srid_argument(cx, &args[1], function)?;
    let (Some(c), Some(srid)) = (decode(cx, &args[0], function)?, srid) else {
        return Ok(Value::Null);
    };
    cx.reference_system(srid)?;
    stored(srid, Shape::Point(c))
}
