//! One run of one system: a server's options on a computer, data, users, and what was measured.
//!
//! `sim` runs a plan in virtual time, `real` on this computer's disk, `measure` looks while it runs. Uses `machine`, `plan`, `data`, `users`,
//! the engine and the server's options.
//!
//! Invariant: a run in virtual time depends on its plan and its seed alone, and says so by a digest.

mod measure;
pub mod real;
pub mod sim;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Measured;
    use crate::machine::Array;
    use crate::plan::{Load, Plan, Size};
    use crate::published::all;
    use std::sync::Arc;

    #[test]
    fn every_published_run_has_options_that_the_server_takes() {
        for e in all() {
            for r in &e.runs {
                for full in [false, true] {
                    let plan = e.plan(r, e.size(full), &e.machine, &[]);
                    sim::server(&plan)
                        .map(|_| ())
                        .unwrap_or_else(|why| panic!("{} {}: {why}", e.name, r.name));
                }
            }
        }
    }

    /// Two warehouses for two virtual seconds, with each kind of load.
    fn tiny(load: Load, policy: &str) -> Plan {
        Plan {
            name: "tiny".into(),
            machine: "raid0-2009".into(),
            load,
            users: 4,
            options: vec![
                format!("weir_profile={policy}"),
                "innodb_buffer_pool_size=512M".into(),
                "innodb_log_file_size=512M".into(),
                "innodb_flush_method=O_DIRECT".into(),
                "innodb_doublewrite=0".into(),
            ],
            size: Size { pages: 4, divided: 64, warehouses: 1, shorter: 1, warmup_shorter: 1 },
            array: Some(Array { slots: 256, square: true }),
            window: None,
            serial_commits: true,
            seed: 5,
        }
    }

    fn run(plan: &Plan) -> Measured {
        let image = sim::prepare(plan, &|_| true).unwrap();
        sim::run(plan, Arc::new(image), &|_| true).unwrap()
    }

    #[test]
    fn the_same_plan_gives_the_same_digest_and_all_loads_run() {
        let tpcc = Load::Tpcc {
            warehouses: 2,
            dbt2: false,
            foreign_keys: true,
            warmup: 64.0,
            warmup_laps: 0,
            seconds: 128.0,
        };
        let insert = Load::Insert {
            start_rows: 512_000,
            rows: 512_000,
            query_users: 4,
            rows_per_query: 20,
            calls_per_row: 0.1,
            calls_per_row_read: 0.02,
        };
        let oltp = Load::Oltp { rows: 512_000, requests: 100 };
        for (load, policy) in [(tpcc, "v4-5037"), (insert, "xtradb-5134"), (oltp, "mysql-5.5")] {
            let plan = tiny(load, policy);
            let (a, b) = (run(&plan), run(&plan));
            assert_eq!((a.digest, &a.done), (b.digest, &b.done), "{:?}", plan.load);
            assert!(a.done[0] > 0 && a.reads > 0.0, "{a:?}");
        }
    }

    #[test]
    fn a_run_on_this_computer_has_the_same_figures() {
        let tpcc = Load::Tpcc {
            warehouses: 2,
            dbt2: false,
            foreign_keys: false,
            warmup: 0.0,
            warmup_laps: 0,
            seconds: 64.0,
        };
        let plan = tiny(tpcc, "plugin-1.0.4");
        // Beside the test itself, where a temporary folder may be one of memory, which has no O_DIRECT.
        let place = std::env::current_exe().unwrap();
        let place = place.parent().unwrap();
        let m = real::run(&plan, place, &|_| true).unwrap();
        assert!(m.done[0] > 0 && m.figure("dirty").is_some_and(|d| d > 0.0), "{m:?}");
    }
}
