//! What was observed, as comparisons of figures: `a.tpm > b.tpm`, `a.rows >= 3 * b.rows`, `a.dirty within 22 27`, joined by `and`.

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Claim {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Compare(Side, Order, Side),
    Within(Side, f64, f64),
}

/// A number times a figure, or one of the two.
#[derive(Clone, Debug, PartialEq)]
struct Side {
    factor: f64,
    figure: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Less,
    AtMost,
    More,
    AtLeast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Reproduced,
    /// It holds, and it holds as well where all systems run under one policy: it says nothing of their difference.
    WithoutEffect,
    /// It holds because a figure of it is an input.
    PutIn,
    NotReproduced,
    /// A run that it speaks of was not made.
    NotDecidable,
}

/// Whether a claim holds, and by how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    pub holds: bool,
    /// Percent of a bound by which its figure is on the right side of it, of the bound that is nearest, or missed by most.
    pub distance: f64,
}

impl Verdict {
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Reproduced => "reproduced",
            Verdict::WithoutEffect => "holds, but does so without the effect",
            Verdict::PutIn => "put in",
            Verdict::NotReproduced => "**not reproduced**",
            Verdict::NotDecidable => "not decidable: runs are missing",
        }
    }
}

fn side(words: &[&str]) -> Result<Side, String> {
    let one = |w: &str| match w.parse::<f64>() {
        Ok(n) => Side { factor: n, figure: None },
        Err(_) => Side { factor: 1.0, figure: Some(w.into()) },
    };
    match words {
        [w] => Ok(one(w)),
        [n, "*", w] => {
            let factor = n.parse().map_err(|_| format!("'{n}' is no number"))?;
            Ok(Side { factor, figure: Some((*w).into()) })
        }
        _ => Err(format!("'{}' is neither a figure nor a number times one", words.join(" "))),
    }
}

fn part(text: &str) -> Result<Part, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let at = |w: &str| words.iter().position(|x| *x == w);
    if let Some(n) = at("within") {
        let bound = |k: usize| words.get(n + k).and_then(|w| w.parse().ok());
        return match (bound(1), bound(2)) {
            (Some(low), Some(high)) if low < high && words.len() == n + 3 => {
                Ok(Part::Within(side(&words[..n])?, low, high))
            }
            _ => Err(format!("'{text}': within LOW HIGH")),
        };
    }
    for (sign, order) in
        [("<", Order::Less), ("<=", Order::AtMost), (">", Order::More), (">=", Order::AtLeast)]
    {
        if let Some(n) = at(sign) {
            let (a, b) = (side(&words[..n])?, side(&words[n + 1..])?);
            return match a.figure.is_some() || b.figure.is_some() {
                true => Ok(Part::Compare(a, order, b)),
                false => Err(format!("'{text}' compares two numbers")),
            };
        }
    }
    Err(format!("'{text}' compares nothing"))
}

impl TryFrom<String> for Claim {
    type Error = String;

    fn try_from(text: String) -> Result<Claim, String> {
        let parts = text.split(" and ").map(part).collect::<Result<_, _>>()?;
        Ok(Claim { parts })
    }
}

impl Claim {
    /// Names of all figures in it.
    pub fn figures(&self) -> Vec<String> {
        let of = |p: &Part| match p {
            Part::Compare(a, _, b) => vec![a.figure.clone(), b.figure.clone()],
            Part::Within(a, ..) => vec![a.figure.clone()],
        };
        self.parts.iter().flat_map(of).flatten().collect()
    }

    /// `None`: a figure is missing.
    pub fn judge(&self, figure: &dyn Fn(&str) -> Option<f64>) -> Option<Judged> {
        let value = |s: &Side| match &s.figure {
            Some(f) => figure(f).map(|v| v * s.factor),
            None => Some(s.factor),
        };
        let judged = |p: &Part| match p {
            Part::Compare(a, order, b) => {
                let (a, b) = (value(a)?, value(b)?);
                let (holds, distance) = match order {
                    Order::Less => (a < b, b - a),
                    Order::AtMost => (a <= b, b - a),
                    Order::More => (a > b, a - b),
                    Order::AtLeast => (a >= b, a - b),
                };
                Some(Judged { holds, distance: percent(distance, b) })
            }
            Part::Within(a, low, high) => {
                let v = value(a)?;
                let distance = percent(v - low, *low).min(percent(high - v, *high));
                Some(Judged { holds: (*low..=*high).contains(&v), distance })
            }
        };
        let all: Option<Vec<Judged>> = self.parts.iter().map(judged).collect();
        let all = all?;
        let distance = all.iter().map(|j| j.distance).fold(f64::INFINITY, f64::min);
        Some(Judged { holds: all.iter().all(|j| j.holds), distance })
    }

    /// A claim with a bound on one side only can hold by any amount.
    #[cfg(test)]
    pub fn is_bounded(&self) -> bool {
        let is_low = |p: &Part| matches!(p, Part::Compare(_, Order::More | Order::AtLeast, _));
        let is_high = |p: &Part| matches!(p, Part::Compare(_, Order::Less | Order::AtMost, _));
        let within = self.parts.iter().any(|p| matches!(p, Part::Within(..)));
        within || (self.parts.iter().any(is_low) && self.parts.iter().any(is_high))
    }
}

fn percent(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { part * 100.0 } else { part * 100.0 / whole.abs() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(t: &str) -> Result<Claim, String> {
        Claim::try_from(t.to_string())
    }

    #[test]
    fn claims_are_judged() {
        let figure = |f: &str| match f {
            "a.tpm" => Some(100.0),
            "b.tpm" => Some(40.0),
            _ => None,
        };
        let judge =
            |t: &str| claim(t).unwrap().judge(&figure).map(|j| (j.holds, j.distance.round()));
        assert_eq!(judge("a.tpm > b.tpm and a.tpm within 90 110"), Some((true, 9.0)));
        assert_eq!(judge("a.tpm >= 3 * b.tpm and b.tpm <= 50"), Some((false, -17.0)));
        assert_eq!(judge("a.tpm >= 2.5 * b.tpm and b.tpm <= 40"), Some((true, 0.0)));
        assert_eq!(judge("b.tpm within 50 90"), Some((false, -20.0)));
        assert_eq!(judge("a.tpm > c.tpm"), None);
        let bounded = |t: &str| claim(t).unwrap().is_bounded();
        assert!(!bounded("a.tpm > b.tpm") && bounded("a.tpm > b.tpm and a.tpm < 3 * b.tpm"));
        assert_eq!(claim("a.x > 2 * b.y and c.z < 4").unwrap().figures(), ["a.x", "b.y", "c.z"]);
        for bad in [
            "a.tpm",
            "a.tpm within 3",
            "a.tpm within 1 2 3",
            "a.tpm within 3 2",
            "3 > 2",
            "a b > c",
            "x * a > 2",
        ] {
            assert!(claim(bad).is_err(), "{bad}");
        }
    }
}
