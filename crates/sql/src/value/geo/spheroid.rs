//! An ellipsoid of revolution, as the figure of the earth: distances, directions and areas on it.
//!
//! The formulas are of the first order in the flattening, those of Andoyer and Lambert as Thomas gives them (Mathematical Models
//! for Navigation Systems, 1965), and Karney's series for the area under a geodesic (Algorithms for geodesics, 2013) cut behind the
//! same order: MySQL computes with these, so that its digits come out. They are good to some metres in ten thousand kilometres.

use super::Coord;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spheroid {
    /// The semi-major axis, in metres.
    pub a: f64,
    /// The flattening.
    pub f: f64,
}

/// The way from one place to another one.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// In metres.
    pub distance: f64,
    /// The direction at the start and the one at the end, from the north over the east, between -π and π.
    pub azimuth: f64,
    pub arrival: f64,
}

/// Sines below this are those of points that lie on each other, or opposite to each other.
const TINY: f64 = f64::EPSILON;

/// A longitude, or a difference of two, in (-180, 180].
pub fn turned(degrees: f64) -> f64 {
    match degrees {
        d if d > 180.0 => d - 360.0,
        d if d <= -180.0 => d + 360.0,
        d => d,
    }
}

fn haversine(x: f64) -> f64 {
    (x / 2.0).sin().powi(2)
}

/// A corrected direction does not leave the side of its meridian on which it was.
fn corrected(angle: f64, by: f64) -> f64 {
    let new = angle - by;
    match (angle >= 0.0, by >= 0.0) {
        (true, true) => new.max(0.0),
        (true, false) => new.min(PI),
        (false, true) => new.max(-PI),
        (false, false) => new.min(0.0),
    }
}

impl Spheroid {
    /// The mean radius.
    pub fn radius(&self) -> f64 {
        self.a * (3.0 - self.f) / 3.0
    }

    /// The shortest way from `p` to `q`.
    pub fn way(&self, p: Coord, q: Coord) -> Way {
        if p == q {
            return Way { distance: 0.0, azimuth: 0.0, arrival: 0.0 };
        }
        let (dlon, dlat) = (turned(q.x - p.x).to_radians(), (q.y - p.y).to_radians());
        let ((sin1, cos1), (sin2, cos2)) = (p.y.to_radians().sin_cos(), q.y.to_radians().sin_cos());
        let bend = haversine(dlon);
        let hav = (haversine(dlat) + cos1 * cos2 * bend).clamp(0.0, 1.0);
        let d = 2.0 * hav.sqrt().asin();
        let sin_d = d.sin();
        let part = |sum: f64, by: f64| if by < TINY { 0.0 } else { sum / by };
        let h = part(d + 3.0 * sin_d, 2.0 * hav) * (sin1 - sin2).powi(2);
        let g = part(d - 3.0 * sin_d, 2.0 - 2.0 * hav) * (sin1 + sin2).powi(2);
        let distance = self.a * (d - self.f / 4.0 * (h + g));
        if sin_d.abs() < TINY {
            let back = sin1 >= 1.0 - TINY;
            let (azimuth, arrival) = match () {
                () if hav <= 0.5 => (0.0, 0.0),
                () if back => (PI, 0.0),
                () => (0.0, PI),
            };
            return Way { distance, azimuth, arrival };
        }
        let eastward = dlon.sin();
        // Differences of products that are nearly equal, written so that short ways keep their digits.
        let a = (eastward * cos2).atan2(dlat.sin() + 2.0 * sin1 * cos2 * bend);
        let b = (eastward * cos1).atan2(2.0 * cos1 * sin2 * bend - dlat.sin());
        let u = self.f / 2.0 * cos1 * cos1 * (2.0 * a).sin();
        let v = self.f / 2.0 * cos2 * cos2 * (2.0 * b).sin();
        let t = d / sin_d;
        let half = if b >= 0.0 { PI } else { -PI };
        Way { distance, azimuth: corrected(a, v * t - u), arrival: half - corrected(b, u * t - v) }
    }

    /// Where a way ends that begins in a direction, and the direction that it has there.
    pub fn end(&self, from: Coord, azimuth: f64, distance: f64) -> (Coord, f64) {
        // Directions to the south are seen in a mirror: near them the formulas have fewer digits.
        let mirror = azimuth.abs() > FRAC_PI_2;
        let half = if azimuth >= 0.0 { PI } else { -PI };
        let (sign, azimuth) = if mirror { (-1.0, half - azimuth) } else { (1.0, azimuth) };
        let lat = sign * from.y.to_radians();
        let reduced =
            if lat.abs() >= FRAC_PI_2 { lat } else { ((1.0 - self.f) * lat.tan()).atan() };
        let ((sin1, cos1), (sin_a, cos_a)) = (reduced.sin_cos(), azimuth.sin_cos());
        let (m, n) = (cos1 * sin_a, cos1 * cos_a);
        let flat = self.f * (1.0 - m * m) / 4.0;
        let scale = 1.0 - 2.0 * flat - self.f * m * m;
        let sin0 = (1.0 - m * m).max(0.0).sqrt();
        let sigma = if sin0 < TINY { 0.0 } else { (sin1 / sin0).clamp(-1.0, 1.0).acos() };
        let d = distance / (self.a * scale);
        let u = 2.0 * (sigma - d);
        let p = flat / scale;
        let arc = d - 2.0 * p * (u + d).cos() * (1.0 - 2.0 * p * u.cos()) * d.sin();
        let (sin_arc, cos_arc) = arc.sin_cos();
        let across = n * cos_arc - sin1 * sin_arc;
        let turn = (sin_arc * sin_a).atan2(cos1 * cos_arc - sin1 * sin_arc * cos_a);
        let lon = from.x + (turn - self.f * m * arc).to_degrees();
        let (sin2, cos2) = (sin1 * cos_arc + n * sin_arc, m.hypot(across));
        let lat = (sin2 / cos2 / (1.0 - self.f)).atan();
        let arrival = m.atan2(across);
        let back = if arrival >= 0.0 { PI } else { -PI };
        let lon = turned(lon % 360.0);
        let to = Coord { x: lon, y: sign * lat.to_degrees() };
        (to, if mirror { back - arrival } else { arrival })
    }

    /// The square of the radius of a sphere that has the surface of this ellipsoid.
    fn authalic_square(&self) -> f64 {
        let square = self.f * (2.0 - self.f);
        let e = square.sqrt();
        if e < 1e-9 {
            return self.a * self.a;
        }
        self.a * self.a / 2.0 * (1.0 + (1.0 - square) * e.atanh() / e)
    }

    /// The area to the left of a ring, negative where it is the smaller one that lies to the right.
    pub fn ring_area(&self, ring: &[Coord]) -> f64 {
        let (mut excess, mut correction, mut around) = (0.0, 0.0, 0.0);
        for (p, q) in super::plane::edges(ring) {
            around += turned(q.x - p.x);
            let (e, c) = self.area_below(p, q);
            excess += e;
            correction += c;
        }
        let (whole, square) = (self.authalic_square(), self.f * (2.0 - self.f));
        let (sphere, rest) = (whole * excess, square * self.a * self.a * correction);
        // A correction that is large comes from a direction that was not known.
        let sum = if (rest / sphere).abs() > 0.01 { sphere } else { sphere + rest };
        if around.abs() < 180.0 {
            return -sum;
        }
        // The ring goes around a pole: the sum is the area between it and the equator.
        let cap = TAU * whole - sum.abs();
        if (sum > 0.0) == (around > 0.0) { cap.copysign(around) } else { -cap.copysign(around) }
    }

    /// What lies between an edge and the equator: the part of the sphere, and the integral that corrects it.
    fn area_below(&self, p: Coord, q: Coord) -> (f64, f64) {
        let dlon = turned(q.x - p.x).to_radians();
        if dlon == 0.0 || (p.y == 0.0 && q.y == 0.0) {
            return (0.0, 0.0);
        }
        let way = self.way(p, q);
        let over_pole = dlon.abs() >= PI;
        let short = way.distance < self.radius() / 638.0;
        let excess = match () {
            () if over_pole => PI,
            () if short && p.y.abs() < 90.0 && q.y.abs() < 90.0 => {
                let (s, t) = ((p.y.to_radians() / 2.0).tan(), (q.y.to_radians() / 2.0).tan());
                2.0 * ((s + t) / (1.0 + s * t) * (dlon / 2.0).tan()).atan()
            }
            () => way.arrival - way.azimuth,
        };
        let reduced = |y: f64| ((1.0 - self.f) * y.to_radians().tan()).atan().sin_cos();
        let ((sin1, cos1), (sin2, cos2)) = (reduced(p.y), reduced(q.y));
        let sin0 = way.azimuth.sin() * cos1;
        let cos0 = (1.0 - sin0 * sin0).max(0.0).sqrt();
        let second = self.f * (2.0 - self.f) / (1.0 - self.f).powi(2);
        let root = (1.0 + second * cos0 * cos0).sqrt();
        let (eps, n) = ((root - 1.0) / (root + 1.0), self.f / (2.0 - self.f));
        let (first, third) = ((10.0 - 4.0 * n) / 15.0 - eps / 5.0, eps / 45.0);
        let integral = |sin: f64, along: f64| {
            let c = along / sin.hypot(along);
            first * c + third * (4.0 * c * c - 3.0) * c
        };
        let from = integral(sin1, way.azimuth.cos() * cos1);
        let to = integral(sin2, way.arrival.cos() * cos2);
        let correction = cos0 * sin0 * (to - from);
        (excess, if correction.is_finite() { correction } else { 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WGS84: Spheroid = Spheroid { a: 6_378_137.0, f: 1.0 / 298.257223563 };

    fn at(lat: f64, lon: f64) -> Coord {
        Coord { x: lon, y: lat }
    }

    fn close(found: f64, wanted: f64) {
        assert!((found - wanted).abs() <= 1e-12 * wanted.abs(), "{found} {wanted}");
    }

    /// What MySQL answers.
    #[test]
    fn distances() {
        close(WGS84.way(at(0.0, 0.0), at(1.0, 0.0)).distance, 110573.13812782218);
        close(WGS84.way(at(40.0, 0.0), at(40.0, 1.0)).distance, 85393.36195134123);
        close(WGS84.way(at(40.0, 10.0), at(41.0, -170.0)).distance, 11033831.82816837);
        close(WGS84.way(at(0.0, 10.0), at(0.0, -170.0)).distance, 20037508.342789244);
    }

    #[test]
    fn a_way_ends_where_it_leads() {
        for (p, q) in [
            (at(10.0, 20.0), at(11.0, 21.0)),
            (at(-10.0, 20.0), at(-40.0, 19.0)),
            (at(60.0, 179.0), at(61.0, -179.0)),
        ] {
            let way = WGS84.way(p, q);
            let (end, arrival) = WGS84.end(p, way.azimuth, way.distance);
            assert!((end.x - q.x).abs() < 2e-4 && (end.y - q.y).abs() < 2e-4, "{end:?} {q:?}");
            assert!((arrival - way.arrival).abs() < 1e-4, "{arrival} {}", way.arrival);
        }
    }

    #[test]
    fn areas() {
        let ring = |corners: &[(f64, f64)]| -> Vec<Coord> {
            corners.iter().map(|(lat, lon)| at(*lat, *lon)).collect()
        };
        let square = ring(&[(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0)]);
        close(WGS84.ring_area(&square), 12308778368.75034);
        let back: Vec<Coord> = square.iter().rev().copied().collect();
        close(WGS84.ring_area(&back), -12308778368.75034);
        let cap = ring(&[(80.0, 0.0), (80.0, 120.0), (80.0, -120.0), (80.0, 0.0)]);
        close(WGS84.ring_area(&cap), 1634783588571.125);
        let cap: Vec<Coord> = cap.iter().rev().copied().collect();
        close(WGS84.ring_area(&cap), -1634783588571.125);
        let south = ring(&[(-80.0, 0.0), (-80.0, 120.0), (-80.0, -120.0), (-80.0, 0.0)]);
        close(WGS84.ring_area(&south), -1634783588571.125);
    }
}
