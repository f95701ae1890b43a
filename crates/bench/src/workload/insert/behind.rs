//! Answers computed a second way behind the timed part of a run, while rows go on coming in.
//!
//! The second way reads the whole table. Within the timed part it would be a fifth session that takes a processor for as long as it
//! reads, more of it from a fast server than from a slow one, and more as the table grows.

use super::user::{Asking, Inserting, Path};
use super::{Config, State};
use crate::error::Result;
use crate::target::Target;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Asks each query in its turn, `c.checks` times in all, both ways, beside as many inserters as the run had. Returns the number of
/// rows that have come in meanwhile. Ends early where `stop` is set.
pub fn checks_behind(
    target: &Target,
    c: &Config,
    state: &Arc<State>,
    stop: &AtomicBool,
) -> Result<u64> {
    if c.checks == 0 || c.query_users == 0 {
        return Ok(0);
    }
    let rows = state.rows();
    let (next, inserted, over) = (AtomicU64::new(rows), AtomicU64::new(0), AtomicBool::new(false));
    let go_on = || !over.load(Ordering::Relaxed) && !stop.load(Ordering::Relaxed);
    let insert = || -> Result<()> {
        let mut session = Inserting::new(Path::open(target, c)?, c.clone(), state.clone());
        while go_on() {
            let from = next.fetch_add(c.rows_per_commit, Ordering::Relaxed);
            // The ids of the table end there.
            if from + c.rows_per_commit > i32::MAX as u64 {
                break;
            }
            if !session.insert_rows(from..from + c.rows_per_commit, go_on)? {
                break;
            }
            inserted.fetch_add(c.rows_per_commit, Ordering::Relaxed);
        }
        Ok(())
    };
    let ask = || -> Result<()> {
        for n in 0..c.checks {
            if !go_on() {
                break;
            }
            let path = Path::open(target, c)?;
            Asking::new(path, c.clone(), state.clone(), c.inserters + n as usize)
                .check_one(rows)?;
        }
        Ok(())
    };
    let insert = &insert;
    std::thread::scope(|s| {
        let ends = Ends(&over);
        let inserters: Vec<_> = (0..c.inserters).map(|_| s.spawn(insert)).collect();
        let asked = ask();
        drop(ends);
        let ended = inserters.into_iter().map(|t| t.join().expect("an inserter does not panic"));
        ended.fold(asked, |all, one| all.and(one))
    })?;
    Ok(inserted.load(Ordering::Relaxed))
}

/// Sets it when dropped: the scope waits for the inserters, whatever became of the checks.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
