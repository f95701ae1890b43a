//! The engine from outside: its public interface over simulated and real devices. One program for all files, since each program of its own
//! would be linked, and the engine's generic code compiled, once more: with thirty of them that took most of the time of a test run.
//!
//!     cargo test -p weir-engine --test engine crash::      # one file

mod common;

mod background;
mod backup;
mod bulk;
mod change_buffer;
mod covering;
mod crash;
mod damage;
mod ddl_crash;
mod directed;
mod entries;
mod first_use;
mod flush;
mod format;
mod full_device;
mod given_back;
mod given_up;
mod gone;
mod held_commits;
mod implicit;
mod index_build;
mod log_on_demand;
mod long_history;
mod making;
mod many_parts;
mod many_writers;
mod mechanism;
mod multi_valued;
mod now;
mod online_index;
mod policies;
mod prepared;
mod purge_again;
mod read_ahead;
mod rebuild;
mod recovery_time;
mod smoke;
mod stale_files;
mod stalls;
mod start;
mod threads;
mod uncommitted;
mod undo_truncation;
mod unlocked;
mod unreadable;
mod unsynced;
mod wide_rows;
mod write_now;

/// A file that nobody names here would be a test that never runs.
#[test]
fn every_file_is_named() {
    let named = include_str!("main.rs");
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(
            module == "main" || named.lines().any(|l| l == format!("mod {module};")),
            "tests/{name} is in no program"
        );
    }
}
