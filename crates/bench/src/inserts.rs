//! The insert benchmark's own figures: what is known before a run begins, and what it has come to. May use `report`, and the
//! workload.

use crate::error::Result;
use crate::report::insert::{InsertTotals, tenths};
use crate::run::Measured;
use crate::target::{Conn, Target};
use crate::workload::insert::{Config, Insert, ROW_BYTES, State, checks_behind, plans};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Of each server the counters whose sum is what it has written: pages and log, or log, flushes and compactions.
const WRITTEN: [&[&str]; 2] = [
    &["Innodb_data_written"],
    &["Rocksdb_wal_bytes", "Rocksdb_flush_write_bytes", "Rocksdb_compact_write_bytes"],
];

pub struct InsertRun {
    state: Arc<State>,
    plans: Vec<(String, String)>,
    rocks: bool,
    written: Option<f64>,
}

impl InsertRun {
    pub fn begin(target: &Target, c: &Config, w: &Insert, rocks: bool) -> Result<InsertRun> {
        let mut conn = target.connect_patient(&c.schema)?;
        let plans = plans(&mut conn, c, c.start_rows)?;
        let written = written(&mut conn, rocks)?;
        Ok(InsertRun { state: w.state.clone(), plans, rocks, written })
    }

    pub fn end(&self, target: &Target, c: &Config, m: &Measured) -> InsertTotals {
        let rows = m.collector.kinds.first().map_or(0, |k| k.count()) * c.rows_per_commit;
        // The last batch may be shorter; with a warm-up more was inserted than measured.
        let inserted = self.state.inserted.load(Ordering::Relaxed);
        // A server that is gone has no counters.
        let now = target.connect(&c.schema).and_then(|mut conn| written(&mut conn, self.rocks));
        let bytes = (inserted * ROW_BYTES) as f64;
        let written = now.ok().flatten().zip(self.written).filter(|(b, a)| b >= a && bytes > 0.0);
        let queries: u64 = m.collector.kinds.iter().skip(1).map(|k| k.count()).sum();
        InsertTotals {
            start_rows: c.start_rows,
            rows: rows.min(inserted),
            tenths: tenths(&m.intervals, c.rows_per_commit),
            queries_per_second: queries as f64 / m.seconds.max(1e-9),
            written_per_byte: written.map(|(b, a)| (b - a) / bytes),
            plans: self.plans.clone(),
            checked: self.state.checks.made.load(Ordering::Relaxed),
            wrong: self.state.checks.wrong.load(Ordering::Relaxed),
            first_wrong: self.state.checks.first_wrong(),
            rows_behind: 0,
        }
    }

    /// Computes answers a second way, and tells what they and those of the timed part have come to.
    pub fn check(
        &self,
        target: &Target,
        c: &Config,
        stop: &AtomicBool,
        totals: &mut InsertTotals,
    ) -> Result<()> {
        let behind = checks_behind(target, c, &self.state, stop);
        let checks = &self.state.checks;
        totals.checked = checks.made.load(Ordering::Relaxed);
        totals.wrong = checks.wrong.load(Ordering::Relaxed);
        totals.first_wrong = checks.first_wrong();
        totals.rows_behind = behind?;
        Ok(())
    }
}

/// Bytes that the server has written so far, if it tells.
fn written(conn: &mut Conn, rocks: bool) -> Result<Option<f64>> {
    let mut sum = None;
    for name in WRITTEN[usize::from(rocks)] {
        let found = conn.pairs(&format!("SHOW GLOBAL STATUS LIKE '{name}'"))?;
        match found.first().and_then(|(_, v)| v.parse::<f64>().ok()) {
            Some(v) => sum = Some(sum.unwrap_or(0.0) + v),
            None => return Ok(None),
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Args;
    use crate::command::{Options, measure};
    use crate::live::Live;
    use crate::report::Report;
    use crate::workload::insert::{Checks, check, prepare, rows, scale};
    use std::sync::atomic::AtomicBool;

    fn config() -> Config {
        Config::read(&mut Args::read(&[]).unwrap(), None, 1).unwrap()
    }

    /// A whole run by its options; the target is still open.
    fn run(options: &[&str]) -> (Target, Report) {
        let list: Vec<String> = options.iter().map(|s| s.to_string()).collect();
        let mut o =
            Options::read("insert", &mut Args::read(&list).unwrap(), &Arc::default()).unwrap();
        let target = o.open().unwrap();
        let report = measure(&mut o, &target, &mut Live::new(true)).unwrap();
        (target, report)
    }

    /// Rows go in beside two query sessions, whose answers are right, by ranges of the indexes; then all is looked at again.
    #[test]
    fn a_run_in_this_process_from_nothing_to_a_result() {
        let list = [
            "--target=embedded",
            "--start-rows=3000",
            "--rows=2500",
            "--rows-per-commit=500",
            "--inserters=2",
            "--query-users=3",
            "--checks=0",
            "--check-every=3ms",
            "--interval=50ms",
        ];
        let (target, r) = run(&list);
        let t = r.insert.as_ref().unwrap();
        assert_eq!((&r.partial, t.start_rows, t.rows), (&None, 3000, 2500));
        assert_eq!((t.wrong, &t.first_wrong), (0, &None));
        assert!(t.checked >= 3 && t.tenths.len() == 10 && t.written_per_byte.is_some(), "{t:?}");
        assert!(t.plans.iter().all(|(_, p)| p.contains("range")), "{:?}", t.plans);
        let c = Config { start_rows: 0, ..config() };
        let checks = check(&target, &c, 3).unwrap();
        assert_eq!(checks.made.load(Ordering::Relaxed), 9);
        assert_eq!(checks.first_wrong(), None);
        let mut conn = target.connect("insertbench").unwrap();
        assert_eq!(scale(&mut conn, &c).unwrap(), 5500);
        let count = "SELECT COUNT(*), COUNT(DISTINCT transactionid) FROM purchases_index";
        let rows = conn.query(count).unwrap();
        assert_eq!((rows.int(0, 0).unwrap(), rows.int(0, 1).unwrap()), (5500, 5500));
        assert!(crate::report::text::show(&r).contains("Last tenth against the first"));
        drop(conn);
        target.close().unwrap();
    }

    /// By calls of the engine: the same rows as by SQL, and right answers, which SQL gives as well.
    #[test]
    fn both_paths_leave_the_same_rows() {
        let sums = ["sql", "engine"].map(|path| {
            let path = format!("--path={path}");
            let list = [
                path.as_str(),
                "--target=embedded",
                "--start-rows=500",
                "--rows=2500",
                "--rows-per-commit=300",
                "--query-users=3",
                "--checks=0",
                "--check-every=3ms",
                "--interval=50ms",
            ];
            let (target, r) = run(&list);
            let t = r.insert.as_ref().unwrap();
            assert_eq!((r.path, t.rows, &t.first_wrong), (path["--path=".len()..].into(), 2500, &None));
            assert!(t.checked >= 3, "{t:?}");
            let checks = check(&target, &Config { start_rows: 0, ..config() }, 2).unwrap();
            assert_eq!(checks.first_wrong(), None);
            let mut conn = target.connect("insertbench").unwrap();
            let sql = "SELECT COUNT(*), SUM(transactionid * customerid), SUM(cashregisterid * productid), SUM(price), \
                       MIN(dateandtime), MAX(CRC32(CONCAT_WS(',', transactionid, dateandtime, customerid, price))), \
                       (SELECT AUTO_INCREMENT FROM information_schema.TABLES WHERE TABLE_NAME = 'purchases_index') \
                       FROM purchases_index";
            let rows = conn.query(sql).unwrap();
            let sums: Vec<_> = (0..7).map(|c| rows.text(0, c).into_owned()).collect();
            drop(conn);
            target.close().unwrap();
            sums
        });
        assert_eq!(sums[0], sums[1]);
        assert_eq!((sums[0][0].as_str(), sums[0][6].as_str()), ("3000", "3001"));
    }

    /// Behind the run answers are computed a second way while rows go on coming in, by both paths.
    #[test]
    fn answers_are_checked_behind_the_run() {
        for path in ["sql", "engine"] {
            let path = format!("--path={path}");
            let list = [
                path.as_str(),
                "--target=embedded",
                "--start-rows=3000",
                "--rows=1000",
                "--rows-per-commit=100",
                "--inserters=2",
                "--query-users=1",
                "--checks=7",
                "--interval=50ms",
            ];
            let (target, r) = run(&list);
            let t = r.insert.as_ref().unwrap();
            assert_eq!((&r.partial, t.rows, t.checked, t.wrong), (&None, 1000, 7, 0));
            let mut conn = target.connect("insertbench").unwrap();
            let sql = "SELECT COUNT(*), MAX(transactionid) FROM purchases_index";
            let rows = conn.query(sql).unwrap();
            // Other inserters than the last may have been ended between two numbers: none is left out.
            let all = 4000 + t.rows_behind;
            assert_eq!(
                (rows.int(0, 0).unwrap(), rows.int(0, 1).unwrap()),
                (all as i64, all as i64)
            );
            drop(conn);
            target.close().unwrap();
        }
    }

    /// An answer that lacks a row is noticed.
    #[test]
    fn a_wrong_answer_is_told() {
        let target = Target::open("embedded", &[]).unwrap();
        let c = Config { start_rows: 50, rows_per_query: 1_000, ..config() };
        prepare(&target, &c, "InnoDB", 1, &AtomicBool::new(false), |_, _, _| {}).unwrap();
        let mut conn = target.connect(&c.schema).unwrap();
        let checks = Checks::default();
        // The first way leaves out the second row that it reads; the second way counts on, and leaves out none.
        let lame = "price>0 AND (@n := IFNULL(@n,0)+1) <> 2";
        checks.both_ways(&mut conn, &c, rows::Query::Market, "price>0").unwrap();
        assert_eq!(checks.first_wrong(), None);
        checks.both_ways(&mut conn, &c, rows::Query::Market, lame).unwrap();
        assert!(checks.first_wrong().is_some());
        drop(conn);
        target.close().unwrap();
    }
}
