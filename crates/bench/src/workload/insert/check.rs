//! Answers a second way, and the plans of the queries.

use super::Config;
use super::rows::{QUERIES, Query};
use crate::error::Result;
use crate::target::{Conn, Rows, Target};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use weir_rt::Rng;

/// How many answers were computed a second way, and what differed first.
#[derive(Default)]
pub struct Checks {
    pub made: AtomicU64,
    pub wrong: AtomicU64,
    pub first: Mutex<Option<String>>,
}

impl Checks {
    /// The query and its second way in one snapshot.
    pub fn both_ways(
        &self,
        conn: &mut Conn,
        c: &Config,
        query: Query,
        condition: &str,
    ) -> Result<()> {
        conn.query("START TRANSACTION WITH CONSISTENT SNAPSHOT")?;
        let sql = query.text(c, condition);
        let one = lines(conn.query(&sql)?);
        let two = lines(conn.query(&query.second_way(c, condition))?);
        conn.query("COMMIT")?;
        self.compare(&one, &two, &sql);
        Ok(())
    }

    /// Notes what two ways to answer a question have come to.
    pub fn compare(&self, one: &[String], two: &[String], question: &str) {
        self.made.fetch_add(1, Ordering::Relaxed);
        if one == two {
            return;
        }
        self.wrong.fetch_add(1, Ordering::Relaxed);
        let at = one.iter().zip(two).position(|(a, b)| a != b).unwrap_or(one.len().min(two.len()));
        let row = |l: &[String]| l.get(at).cloned().unwrap_or_else(|| "nothing".into());
        let what = format!("row {} is {}, must be {}: {question}", at + 1, row(one), row(two));
        self.first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(what);
    }

    pub fn first_wrong(&self) -> Option<String> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn lines(rows: &Rows) -> Vec<String> {
    let row =
        |r| (0..rows.columns()).map(|c| rows.text(r, c).into_owned()).collect::<Vec<_>>().join(" ");
    (0..rows.len()).map(row).collect()
}

/// Each query a number of times both ways, on a table that may be at work.
pub fn check(target: &Target, c: &Config, times: usize) -> Result<Checks> {
    let mut conn = target.connect_patient(&c.schema)?;
    let rows = super::scale(&mut conn, c)?;
    let (checks, mut rng) = (Checks::default(), Rng::new(c.seed));
    for q in QUERIES {
        for _ in 0..times {
            checks.both_ways(&mut conn, c, q, &q.condition(q.draw(&mut rng, rows)))?;
        }
    }
    Ok(checks)
}

/// For each query its name and the access, the index and the extra words of its plan.
pub fn plans(conn: &mut Conn, c: &Config, rows: u64) -> Result<Vec<(String, String)>> {
    let mut rng = Rng::new(c.seed);
    let mut out = Vec::new();
    for q in QUERIES {
        let sql = q.text(c, &q.condition(q.draw(&mut rng, rows)));
        let answer = conn.query(&format!("EXPLAIN {sql}"))?;
        let mut words = Vec::new();
        for col in 0..answer.columns() {
            let text = answer.text(0, col);
            let told = ["range", "ref", "ALL", "index", q.index()].contains(&text.as_ref());
            if (told || text.starts_with("Using")) && !words.iter().any(|w| *w == text) {
                words.push(text.into_owned());
            }
        }
        out.push((q.index().to_string(), words.join(" ")));
    }
    Ok(out)
}
