//! sysbench 0.4.12's distributions of row ids.

use crate::error::{Error, Result};
use weir_rt::Rng;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    Uniform,
    /// The mean of so many uniform ids.
    Gaussian {
        iterations: u64,
    },
    /// `res` of 100 draws are among `pct` percent of the ids, in the middle of the table; the others are Gaussian.
    Special {
        iterations: u64,
        pct: u64,
        res: u64,
    },
}

impl Distribution {
    pub fn parse(name: &str, iterations: u64, pct: u64, res: u64) -> Result<Distribution> {
        let iterations = iterations.max(1);
        if res > 99 || pct > 100 {
            return Err(Error::other("--dist-res is at most 99, --dist-pct at most 100"));
        }
        match name {
            "uniform" => Ok(Distribution::Uniform),
            "gaussian" => Ok(Distribution::Gaussian { iterations }),
            "special" => Ok(Distribution::Special { iterations, pct, res }),
            _ => Err(Error::other(format!("--dist={name}: uniform, gaussian or special"))),
        }
    }

    /// sysbench's words for it.
    pub fn describe(&self) -> String {
        match self {
            Distribution::Uniform => "Using Uniform distribution".into(),
            Distribution::Gaussian { iterations } => {
                format!("Using Gaussian distribution ({iterations} iterations)")
            }
            Distribution::Special { iterations, pct, res } => format!(
                "Using Special distribution ({iterations} iterations,  {pct} pct of values are returned in {res} pct cases)"
            ),
        }
    }

    /// An id from 1 to `rows`.
    pub fn draw(&self, r: &mut Rng, rows: u64) -> u64 {
        match *self {
            Distribution::Uniform => 1 + r.below(rows),
            Distribution::Gaussian { iterations } => gaussian(r, rows, iterations),
            Distribution::Special { iterations, pct, res } => {
                // Integer division, as there: 75 gives 4.
                let n = 1 + r.below(rows * (100 / (100 - res)));
                if n <= rows {
                    return gaussian(r, rows, iterations);
                }
                let width = (rows * pct / 100).max(1);
                (n % width + rows / 2).saturating_sub(rows * pct / 200).clamp(1, rows)
            }
        }
    }
}

fn gaussian(r: &mut Rng, rows: u64, iterations: u64) -> u64 {
    (0..iterations).map(|_| 1 + r.below(rows)).sum::<u64>() / iterations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_exist_and_lie_where_they_should() {
        let mut r = Rng::new(1);
        let kinds = ["uniform", "gaussian", "special"];
        for (name, low, high) in
            kinds.iter().zip([(9, 11), (18, 30), (75, 85)]).map(|(n, (l, h))| (*n, l, h))
        {
            let d = Distribution::parse(name, 12, 1, 75).unwrap();
            let mut middle = 0;
            for _ in 0..10_000 {
                let id = d.draw(&mut r, 1000);
                assert!((1..=1000).contains(&id), "{name} {id}");
                // Uniform: a tenth. Special: three quarters, and what is Gaussian.
                middle += u32::from((450..550).contains(&id));
            }
            let pct = middle / 100;
            assert!((low - 2..=high + 25).contains(&pct), "{name} {pct}");
        }
        let d = Distribution::parse("special", 12, 1, 75).unwrap();
        assert!((0..1000).all(|_| d.draw(&mut r, 1) == 1));
        assert!(Distribution::parse("pareto", 12, 1, 75).is_err());
        assert!(Distribution::parse("special", 12, 1, 100).is_err());
    }
}
