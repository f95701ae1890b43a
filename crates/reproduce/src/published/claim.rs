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
    NotReproduced,
    /// A run that it speaks of was not made.
    NotDecidable,
}

impl Verdict {
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Reproduced => "reproduced",
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

    pub fn judge(&self, figure: &dyn Fn(&str) -> Option<f64>) -> Verdict {
        let value = |s: &Side| match &s.figure {
            Some(f) => figure(f).map(|v| v * s.factor),
            None => Some(s.factor),
        };
        let holds = |p: &Part| match p {
            Part::Compare(a, order, b) => {
                let (a, b) = (value(a)?, value(b)?);
                Some(match order {
                    Order::Less => a < b,
                    Order::AtMost => a <= b,
                    Order::More => a > b,
                    Order::AtLeast => a >= b,
                })
            }
            Part::Within(a, low, high) => value(a).map(|v| (*low..=*high).contains(&v)),
        };
        let all: Option<Vec<bool>> = self.parts.iter().map(holds).collect();
        match all {
            None => Verdict::NotDecidable,
            Some(l) if l.iter().all(|b| *b) => Verdict::Reproduced,
            Some(_) => Verdict::NotReproduced,
        }
    }
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
        let judge = |t: &str| claim(t).unwrap().judge(&figure);
        assert_eq!(judge("a.tpm > b.tpm and a.tpm within 90 110"), Verdict::Reproduced);
        assert_eq!(judge("a.tpm >= 3 * b.tpm"), Verdict::NotReproduced);
        assert_eq!(judge("a.tpm >= 2.5 * b.tpm and b.tpm <= 40"), Verdict::Reproduced);
        assert_eq!(judge("a.tpm > c.tpm"), Verdict::NotDecidable);
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
