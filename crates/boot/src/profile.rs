//! Flush settings from the options, and the profiles: what a published server decided and had as defaults.
//!
//! A profile stands for a binary whose benchmark was published with its configuration. It chooses that binary's flush
//! policy, and its defaults for the options that are not given; an option that is given wins.

use crate::options::ServeOptions;
use weir_engine::{FLUSH_OPTIONS, FLUSH_POLICIES, FlushSettings, Neighbours};
use weir_sql::admin::setting_value;
use weir_sql::vars::{GlobalVars, Var};

/// Defaults of a server of its time, with the values as they would stand in an option file.
type Defaults = &'static [(Var, &'static str)];

/// Built-in InnoDB of 5.0 and 5.1. The thread concurrency reserves redo space.
const BUILT_IN: Defaults = &[
    (Var::innodb_max_dirty_pages_pct, "90"),
    (Var::innodb_flush_neighbors, "2"),
    (Var::innodb_log_file_size, "5M"),
    (Var::innodb_log_files_in_group, "2"),
    (Var::innodb_thread_concurrency, "8"),
    (Var::innodb_flush_method, "fsync"),
];

const V4: Defaults = &[
    (Var::weir_flush_policy, "google-v4"),
    (Var::innodb_io_capacity, "100"),
    (Var::innodb_read_io_threads, "1"),
    (Var::innodb_write_io_threads, "1"),
    (Var::innodb_flush_adjacent_background, "ON"),
    (Var::innodb_flush_adjacent_foreground, "ON"),
];

/// The plugin that XtraDB began from does not limit threads.
const XTRADB: Defaults = &[
    (Var::innodb_thread_concurrency, "0"),
    (Var::innodb_io_capacity, "100"),
    (Var::innodb_read_io_threads, "1"),
    (Var::innodb_write_io_threads, "1"),
];

const MYSQL_5_4: Defaults = &[
    (Var::weir_flush_policy, "mysql-5.4"),
    (Var::innodb_max_dirty_pages_pct, "75"),
    (Var::innodb_io_capacity, "200"),
    (Var::innodb_read_io_threads, "8"),
    (Var::innodb_write_io_threads, "8"),
    (Var::innodb_extra_dirty_writes, "ON"),
    (Var::innodb_flush_neighbors, "2"),
    (Var::innodb_buffer_pool_size, "1G"),
    (Var::innodb_log_file_size, "128M"),
    (Var::innodb_log_files_in_group, "3"),
    (Var::innodb_log_buffer_size, "16M"),
    (Var::innodb_flush_method, "fsync"),
];

/// InnoDB Plugin 1.0.4 and 5.5.
const PLUGIN: Defaults = &[
    (Var::innodb_max_dirty_pages_pct, "75"),
    (Var::innodb_io_capacity, "200"),
    (Var::innodb_adaptive_flushing, "ON"),
    (Var::innodb_read_io_threads, "4"),
    (Var::innodb_write_io_threads, "4"),
    (Var::innodb_flush_neighbors, "2"),
    (Var::innodb_log_file_size, "5M"),
    (Var::innodb_log_files_in_group, "2"),
    (Var::innodb_log_buffer_size, "8M"),
    (Var::innodb_flush_method, "fsync"),
];

/// The page cleaner of 5.6.
const MYSQL_5_6: Defaults = &[
    (Var::weir_flush_policy, "mysql-5.6"),
    (Var::innodb_max_dirty_pages_pct, "75"),
    (Var::innodb_max_dirty_pages_pct_lwm, "0"),
    (Var::innodb_io_capacity, "200"),
    (Var::innodb_io_capacity_max, "2000"),
    (Var::innodb_adaptive_flushing, "ON"),
    (Var::innodb_adaptive_flushing_lwm, "10"),
    (Var::innodb_flushing_avg_loops, "30"),
    (Var::innodb_lru_scan_depth, "1024"),
    (Var::innodb_read_io_threads, "4"),
    (Var::innodb_write_io_threads, "4"),
    (Var::innodb_flush_neighbors, "1"),
    (Var::innodb_log_file_size, "48M"),
    (Var::innodb_log_files_in_group, "2"),
    (Var::innodb_log_buffer_size, "8M"),
    (Var::innodb_flush_method, "fsync"),
    (Var::innodb_change_buffer_max_size, "25"),
];

/// Until 8.0.29, whose two files of 48 MiB are `innodb_redo_log_capacity` since.
const MYSQL_8_0: Defaults = &[
    (Var::weir_flush_policy, "mysql-8.0"),
    (Var::innodb_max_dirty_pages_pct, "90"),
    (Var::innodb_max_dirty_pages_pct_lwm, "10"),
    (Var::innodb_flush_neighbors, "0"),
    (Var::innodb_log_buffer_size, "16M"),
];

/// MariaDB 10.6. Since 10.6.7 it buffers no inserts.
const MARIADB_10_6: Defaults = &[
    (Var::weir_flush_policy, "mariadb-10.6"),
    (Var::innodb_max_dirty_pages_pct, "90"),
    (Var::innodb_lru_scan_depth, "1536"),
    // One file of 96 MiB.
    (Var::innodb_log_file_size, "48M"),
    (Var::innodb_log_buffer_size, "16M"),
    (Var::innodb_flush_method, "O_DIRECT"),
    (Var::innodb_change_buffering, "none"),
];

/// Later rows win.
fn defaults(profile: &str) -> Option<Vec<Defaults>> {
    const STOCK: Defaults = &[(Var::weir_flush_policy, "stock-5.0")];
    const NONE: Defaults = &[(Var::weir_flush_policy, "xtradb-none")];
    const REFLEX: Defaults =
        &[(Var::weir_flush_policy, "xtradb-reflex"), (Var::innodb_adaptive_checkpoint, "reflex")];
    const P104: Defaults = &[(Var::weir_flush_policy, "plugin-1.0.4")];
    const P55: Defaults = &[(Var::weir_flush_policy, "mysql-5.5")];
    Some(match profile {
        "v4-5037" => vec![BUILT_IN, V4],
        "mysql-5075" => vec![BUILT_IN, STOCK],
        "xtradb-5134" => vec![BUILT_IN, XTRADB, NONE],
        "xtradb-adaptive" => vec![BUILT_IN, XTRADB, REFLEX],
        "mysql-5.4" => vec![MYSQL_5_4],
        "plugin-1.0.4" => vec![PLUGIN, P104],
        "mysql-5.5" => vec![PLUGIN, P55],
        "mysql-5.6" => vec![MYSQL_5_6],
        "mysql-8.0" => vec![MYSQL_5_6, MYSQL_8_0],
        "mariadb-10.6" => vec![MYSQL_5_6, MARIADB_10_6],
        _ => return None,
    })
}

/// Puts the profile's defaults before what is given. A name that is no profile is refused with the other values.
pub fn apply(given: &mut Vec<(Var, String)>, notes: &mut Vec<String>) {
    let Some(name) = given.iter().rev().find(|(v, _)| *v == Var::weir_profile) else { return };
    let name = name.1.to_lowercase();
    let Some(rows) = defaults(&name) else { return };
    let mut taken: Vec<(Var, String)> = Vec::new();
    for &(var, value) in rows.into_iter().flatten() {
        taken.retain(|(v, _)| *v != var);
        if !is_given(given, var) {
            taken.push((var, value.to_string()));
        }
    }
    let shown: Vec<_> =
        taken.iter().map(|(v, value)| format!("{}={value}", v.name().replace('_', "-"))).collect();
    notes.push(format!("profile '{name}' sets {}", shown.join(", ")));
    taken.append(given);
    *given = taken;
}

/// Given itself, or by an option that says the same and more.
fn is_given(given: &[(Var, String)], var: Var) -> bool {
    let named = |v: Var| given.iter().any(|(g, _)| *g == v);
    let by_other = match var {
        Var::innodb_log_file_size | Var::innodb_log_files_in_group => {
            named(Var::innodb_redo_log_capacity)
        }
        Var::innodb_flush_neighbors
        | Var::innodb_flush_adjacent_background
        | Var::innodb_flush_adjacent_foreground => {
            named(Var::innodb_flush_neighbors) || named(Var::innodb_flush_neighbor_pages)
        }
        _ => false,
    };
    named(var) || by_other
}

/// Which flush policy it is, and its settings. The variables hold the values of the options by now.
pub fn flush_settings(vars: &GlobalVars, options: &ServeOptions) -> (&'static str, FlushSettings) {
    let neighbours = match vars.u64(Var::innodb_flush_neighbors) {
        0 => Neighbours::None,
        1 => Neighbours::Run,
        2 => Neighbours::Area,
        _ => Neighbours::ByDevice,
    };
    let side = |var: Var| match (options.is_given(var), vars.bool(var)) {
        (false, _) => neighbours,
        (true, false) => Neighbours::None,
        (true, true) => Neighbours::Area,
    };
    let log_files = vars.u64(Var::innodb_log_files_in_group).max(1);
    let mut settings = FlushSettings {
        read_io_threads: vars.u64(Var::innodb_read_io_threads),
        write_io_threads: vars.u64(Var::innodb_write_io_threads),
        log_files,
        log_file_size: vars.u64(Var::innodb_redo_log_capacity) / log_files,
        doublewrite: vars.bool(Var::innodb_doublewrite),
        ..FlushSettings::default()
    };
    for option in FLUSH_OPTIONS {
        let var =
            Var::lookup(option.name).expect("flush options are variables, which a test holds");
        let taken = option.apply(&mut settings, &setting_value(var, &vars.get(var)));
        debug_assert!(taken, "{} has a value that its type forbids", option.name);
    }
    // Their defaults say nothing, so the order of the options does not decide here.
    settings.neighbours = side(Var::innodb_flush_adjacent_background);
    settings.neighbours_foreground = side(Var::innodb_flush_adjacent_foreground);
    let name = vars.text(Var::weir_flush_policy);
    let policy = FLUSH_POLICIES.iter().find(|n| **n == name).copied();
    (policy.unwrap_or(FLUSH_POLICIES[0]), settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Wanted, read};
    use std::sync::Arc;
    use weir_sql::vars::VarType;

    /// Configurations as they were published.
    const V4_BLOCK: &str = "\
innodb_buffer_pool_size=2G
innodb_log_file_size=1900M
innodb_flush_log_at_trx_commit=2
innodb_flush_method=O_DIRECT
innodb_io_capacity=1000
innodb_read_io_threads=4
innodb_write_io_threads=4
innodb_max_dirty_pages_pct=20 or 80
innodb_ibuf_max_pct_of_buffer=10
innodb_doublewrite=0
innodb_ibuf_flush_pct=40
skip_innodb_ibuf_reads_sync
innodb_check_max_dirty_foreground
innodb_adaptive_checkpoint
innodb_thread_concurrency=0
innodb_file_per_table
allow_view_trigger_sp_subquery
";
    const XTRADB_BLOCK: &str = "\
innodb_log_file_size=1900M
innodb_buffer_pool_size=2G
innodb_flush_log_at_trx_commit=2
innodb_flush_method=O_DIRECT
innodb_io_capacity=1000
innodb_use_sys_malloc=0
innodb_read_io_threads=4
innodb_write_io_threads=4
innodb_max_dirty_pages_pct=20 or 80
innodb_ibuf_max_size=200M
innodb_ibuf_active_contract=1
innodb_ibuf_accel_rate=400
innodb_doublewrite=0
innodb_file_per_table
innodb_thread_concurrency=0
";
    const STOCK_BLOCK: &str = "\
innodb_buffer_pool_size=2G
innodb_log_file_size=1900M
innodb_flush_log_at_trx_commit=2
innodb_flush_method=O_DIRECT
innodb_max_dirty_pages_pct=80
innodb_doublewrite=0
innodb_thread_concurrency=0
innodb_file_per_table
";
    const PLUGIN_BLOCK: &str = "\
query-cache-type = 0
query-cache-size = 0
table-open-cache = 2048
innodb-data-file-path = ibdata1:512M:autoextend
innodb_adaptive_hash_index = ON
innodb_buffer_pool_size = 12G
innodb_checksums = ON
innodb_doublewrite = ON
innodb_file_per_table = ON
innodb_flush_log_at_trx_commit = 2
innodb_flush_method = O_DIRECT
innodb_lock_wait_timeout = 50
innodb_locks_unsafe_for_binlog = OFF
innodb_log_buffer_size = 64M
innodb_log_file_size = 256M
innodb_log_files_in_group = 2
innodb_max_dirty_pages_pct = 75
innodb_table_locks = ON
innodb_thread_concurrency = 0
innodb_use_sys_malloc = ON";
    const NOTES_BLOCK: &str = "
    # Flush transaction each second (approximately):
    innodb_flush_log_at_trx_commit  = 0

    # Configure disk flush method (fsync being default):
    innodb_flush_method             = O_DIRECT
    innodb_buffer_pool_size         = 512M
    innodb_log_file_size            = 128M
";

    struct Started {
        vars: GlobalVars,
        options: Arc<ServeOptions>,
        log: Vec<String>,
        policy: &'static str,
        flush: FlushSettings,
    }

    fn start(name: &str, block: &str, more: &[&str]) -> Started {
        let path = std::env::temp_dir().join(format!("weir-{name}-{}.cnf", std::process::id()));
        std::fs::write(&path, block).unwrap();
        let mut args = vec![format!("--defaults-file={}", path.display())];
        args.extend(more.iter().map(|a| a.to_string()));
        let wanted = read(&args);
        std::fs::remove_file(&path).unwrap();
        let Wanted::Serve(options) = wanted.unwrap() else { panic!("serve is wanted") };
        let vars = GlobalVars::default();
        let log = options.apply(&vars).unwrap();
        let (policy, flush) = flush_settings(&vars, &options);
        Started { vars, options, log, policy, flush }
    }

    impl Started {
        fn logs(&self, part: &str) -> bool {
            self.log.iter().any(|l| l.contains(part))
        }
    }

    #[test]
    fn google_v4() {
        let s = start("v4", V4_BLOCK, &["--weir-profile=v4-5037"]);
        assert_eq!(s.policy, "google-v4");
        let f = s.flush;
        assert_eq!((f.max_dirty_pct, f.io_capacity, f.write_io_threads), (20.0, 1000, 4));
        assert_eq!((f.log_files, f.log_file_size, f.thread_concurrency), (2, 1900 << 20, 0));
        assert!(f.adaptive_checkpoint && f.check_max_dirty_foreground && !f.doublewrite);
        assert_eq!((f.neighbours, f.neighbours_foreground), (Neighbours::Area, Neighbours::Area));
        assert_eq!(f.flush_log_at_trx_commit, 2);
        assert_eq!(s.vars.text(Var::innodb_flush_method), "O_DIRECT");
        assert_eq!((f.ibuf_max_pct, f.ibuf_flush_pct, f.ibuf_reads_sync), (10, 40, false));
        assert!(!s.logs("ibuf"), "{:#?}", s.log);
        for said in [
            "'innodb-max-dirty-pages-pct' is 20; for 80 start again",
            "'allow-view-trigger-sp-subquery' has no effect",
            "profile 'v4-5037' sets",
        ] {
            assert!(s.logs(said), "{said} in {:#?}", s.log);
        }
        assert!(!s.logs("adaptive"), "what the policy reads needs no note: {:#?}", s.log);
    }

    #[test]
    fn what_is_given_wins_over_the_profile() {
        let more = [
            "--weir-profile=v4-5037",
            "--innodb-max-dirty-pages-pct=80",
            "--weir_flush_policy=weir",
        ];
        let s = start("v4b", V4_BLOCK, &more);
        assert_eq!((s.policy, s.flush.max_dirty_pct), ("weir", 80.0));
        assert!(
            s.logs("'innodb_check_max_dirty_foreground' has no effect with weir_flush_policy=weir")
        );
        let s = start(
            "v4c",
            "",
            &["--weir-profile=v4-5037", "--skip-innodb-flush-adjacent-foreground"],
        );
        let f = s.flush;
        assert_eq!((f.neighbours, f.neighbours_foreground), (Neighbours::Area, Neighbours::None));
        assert_eq!((f.io_capacity, f.write_io_threads, f.thread_concurrency), (100, 1, 8));
        assert_eq!((f.log_file_size, f.max_dirty_pct), (5 << 20, 90.0));
        let s = start("v4e", "", &["--weir-profile=v4-5037", "--innodb-flush-neighbor-pages=cont"]);
        assert_eq!(
            (s.flush.neighbours, s.flush.neighbours_foreground),
            (Neighbours::Run, Neighbours::Run)
        );
        let s = start("v4d", "", &["--weir-profile=v4-5037", "--innodb-redo-log-capacity=64M"]);
        assert_eq!((s.flush.log_files, s.flush.log_file_size), (2, 32 << 20));
    }

    #[test]
    fn xtradb() {
        let s = start("xb", XTRADB_BLOCK, &["--weir-profile=xtradb-5134"]);
        assert_eq!(
            (s.policy, s.flush.io_capacity, s.flush.max_dirty_pct),
            ("xtradb-none", 1000, 20.0)
        );
        assert_eq!(s.flush.neighbours, Neighbours::Area);
        let f = s.flush;
        assert_eq!(
            (f.ibuf_max_size, f.ibuf_active_contract, f.ibuf_accel_rate),
            (200 << 20, true, 400)
        );
        assert!(!s.logs("ibuf"), "{:#?}", s.log);
        let s = start("xb2", XTRADB_BLOCK, &["--weir-profile=xtradb-adaptive"]);
        assert_eq!(s.policy, "xtradb-reflex");
        let more = ["--weir-profile=xtradb-5134", "--innodb-adaptive-checkpoint=keep_average"];
        let s = start("xb3", XTRADB_BLOCK, &more);
        assert_eq!(s.policy, "xtradb-keep-average");
        let s = start(
            "xb4",
            "",
            &["--weir-profile=xtradb-adaptive", "--skip_innodb_adaptive_checkpoint"],
        );
        assert_eq!(s.policy, "xtradb-none");
    }

    #[test]
    fn stock() {
        let s = start("stock", STOCK_BLOCK, &["--weir-profile=mysql-5075"]);
        assert_eq!((s.policy, s.flush.max_dirty_pct), ("stock-5.0", 80.0));
        assert_eq!((s.flush.log_file_size, s.flush.neighbours), (1900 << 20, Neighbours::Area));
    }

    #[test]
    fn plugin() {
        let s = start("plugin", PLUGIN_BLOCK, &["--weir-profile=plugin-1.0.4"]);
        assert_eq!(
            (s.policy, s.flush.max_dirty_pct, s.flush.io_capacity),
            ("plugin-1.0.4", 75.0, 200)
        );
        assert_eq!(s.vars.u64(Var::innodb_buffer_pool_size), 12 << 30);
        assert_eq!(s.vars.u64(Var::innodb_redo_log_capacity), 512 << 20);
        assert_eq!(s.vars.u64(Var::innodb_log_buffer_size), 64 << 20);
        assert_eq!(s.vars.text(Var::innodb_data_file_path), "ibdata1:512M:autoextend");
        assert!(s.flush.doublewrite && s.logs("'innodb-data-file-path' has no effect"));
        assert!(!s.logs("query-cache"), "what is the default anyway is no news");
    }

    #[test]
    fn mysql_5_5_notes() {
        let s = start("notes", NOTES_BLOCK, &["--weir-profile=mysql-5.5"]);
        assert_eq!(
            (s.policy, s.flush.log_file_size, s.flush.log_files),
            ("mysql-5.5", 128 << 20, 2)
        );
        assert_eq!(s.flush.flush_log_at_trx_commit, 0);
        let s = start("five6", "", &["--weir-profile=mysql-5.6"]);
        assert_eq!(
            (s.policy, s.flush.log_file_size, s.flush.log_files),
            ("mysql-5.6", 48 << 20, 2)
        );
        let f = s.flush;
        assert_eq!((f.max_dirty_pct, f.max_dirty_pct_lwm, f.io_capacity_max), (75.0, 0.0, 2000));
        assert_eq!((f.io_capacity, f.neighbours), (200, Neighbours::Run));
        let s = start("eight", "", &["--weir-profile=mysql-8.0"]);
        assert_eq!((s.policy, s.flush.neighbours), ("mysql-8.0", Neighbours::None));
        assert_eq!((s.flush.max_dirty_pct, s.flush.max_dirty_pct_lwm), (90.0, 10.0));
        let s = start("maria", "", &["--weir-profile=mariadb-10.6"]);
        assert_eq!(
            (s.policy, s.flush.log_file_size, s.flush.log_files),
            ("mariadb-10.6", 48 << 20, 2)
        );
        assert_eq!(s.vars.text(Var::innodb_change_buffering), "none");
        let s = start("five4", "", &["--weir-profile=mysql-5.4"]);
        assert_eq!((s.policy, s.flush.log_files, s.flush.write_io_threads), ("mysql-5.4", 3, 8));
        assert_eq!(s.vars.u64(Var::innodb_buffer_pool_size), 1 << 30);
    }

    /// Without a profile the published blocks change the numbers and not the policy.
    #[test]
    fn blocks_without_a_profile() {
        for (n, block) in
            [V4_BLOCK, XTRADB_BLOCK, STOCK_BLOCK, PLUGIN_BLOCK, NOTES_BLOCK].into_iter().enumerate()
        {
            let s = start(&format!("none{n}"), block, &[]);
            assert_eq!(s.policy, "weir");
            assert!(!s.options.is_given(Var::weir_profile));
        }
    }

    #[test]
    fn defaults() {
        let s = start("default", "", &[]);
        assert_eq!((s.policy, s.log.len()), ("weir", 0));
        let d = FlushSettings::default();
        assert_eq!(s.flush, d, "the table and the engine agree");
        let bad = read(&["--weir-profile=mysql-4.0".to_string()]).unwrap();
        let Wanted::Serve(o) = bad else { panic!("serve is wanted") };
        let e = o.apply(&GlobalVars::default()).unwrap_err();
        assert!(e.contains("weir-profile=mysql-4.0"), "{e}");
    }

    #[test]
    fn every_profile_has_its_defaults() {
        let VarType::Enum(names) = Var::weir_profile.def().ty else { panic!("an enumeration") };
        for name in names.iter().skip(1) {
            assert!(super::defaults(name).is_some(), "{name}");
            let s = start(&format!("p-{name}"), "", &[&format!("--weir-profile={name}")]);
            assert_ne!(s.policy, "weir", "{name}");
            assert_eq!(s.log.len(), 1, "the profile says what it sets: {:#?}", s.log);
        }
        assert!(super::defaults("none").is_none());
    }
}
