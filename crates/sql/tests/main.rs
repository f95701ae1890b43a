//! Sessions of the sql crate from outside, statement by statement. One program for all files, since each program of its own
//! would be linked, and the engine's generic code compiled, once more: with thirty of them that took most of the time of a test run.
//!
//!     cargo test -p weir-sql --test sql locking::      # one file

mod common;

mod accounts;
mod batches;
mod beside;
mod beside_definitions;
mod beside_names;
mod beside_refusals;
mod beside_values;
mod book;
mod branches;
mod changes;
mod charsets;
mod clients;
mod collations;
mod compared;
mod compared_answers;
mod compared_values;
mod correlated;
mod counters;
mod covering;
mod dates_compared;
mod dates_sent;
mod dates_stored;
mod definitions;
mod described;
mod dictionary;
mod differential;
mod drawn;
mod drawn_items;
mod drivers;
mod effort;
mod encrypting;
mod engines;
mod events;
mod explain;
mod fixed_places;
mod foreign_definitions;
mod foreign_keys;
mod foreign_rows;
mod fulltext;
mod functional_keys;
mod gaps;
mod generated;
mod geometry;
mod geometry_edges;
mod geometry_globe;
mod geometry_overlays;
mod geometry_relations;
mod grouped;
mod handlers;
mod hinted;
mod histograms;
mod ignore;
mod inserted_last;
mod instant;
mod instruments;
mod joins;
mod json;
mod json_stored;
mod json_value;
mod keywords;
mod languages;
mod literals;
mod locking;
mod locks;
mod made_columns;
mod members;
mod memory;
mod merged;
mod metamorphic;
mod moments;
mod monitoring;
mod multi_valued;
mod names;
mod not_taken;
mod numbers_and_texts;
mod online;
mod outer_joins;
mod params;
mod parted_joins;
mod partial_revokes;
mod partition_rules;
mod partition_twins;
mod partitions;
mod planned;
mod point_plans;
mod point_writes;
mod preparable;
mod program_conditions;
mod program_own;
mod queries;
mod ranges;
mod read_only;
mod recent_statements;
mod recursive;
mod refused;
mod replication;
mod rights;
mod rights_cases;
mod roles;
mod rollup;
mod routines;
mod semi_consistent;
mod setting;
mod show_create;
mod shown;
mod slt;
mod spilled;
mod spilled_tables;
mod stalls;
mod statements;
mod strict;
mod subpartitions;
mod subqueries;
mod switched_plans;
mod switches;
mod system_tables;
mod system_user;
mod temporary;

mod time_limits;
mod together;
mod told;
mod tracked;
mod triggers;
mod view_checks;
mod view_text;
mod views;
mod warned_once;
mod whole_digits;
mod wide;
mod wide_rows;
mod windows;
mod written_calls;
mod xa;
mod zones;

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
