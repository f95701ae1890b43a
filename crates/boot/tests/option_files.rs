//! Option files of real servers: what stands in them is taken, or has no effect and a warning that says why.

use std::path::PathBuf;
use std::sync::Arc;
use weir_boot::options::{ServeOptions, Wanted, read};
use weir_sql::vars::{GlobalVars, Var};

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/option_files").join(name)
}

fn serve(args: &[String]) -> Result<Arc<ServeOptions>, String> {
    match read(args)? {
        Wanted::Serve(options) => Ok(options),
        other => Err(format!("{other:?}")),
    }
}

/// The variables that a file leads to, and the warnings.
fn started(name: &str) -> (GlobalVars, Vec<String>) {
    let options = serve(&[format!("--defaults-file={}", path(name).display())]);
    let options = options.unwrap_or_else(|e| panic!("{name}: {e}"));
    let vars = GlobalVars::default();
    let warnings = options.apply(&vars).unwrap_or_else(|e| panic!("{name}: {e}"));
    (vars, warnings)
}

fn has(warnings: &[String], words: &[&str]) {
    assert!(
        warnings.iter().any(|w| words.iter().all(|word| w.contains(word))),
        "no warning with {words:?} among {warnings:#?}"
    );
}

#[test]
fn files_of_packages_start() {
    for name in ["debian-mysql-8.0.cnf", "debian-mysql-5.7.cnf", "debian-mariadb.cnf", "rpm.cnf"] {
        let (vars, warnings) = started(name);
        assert!(warnings.iter().all(|w| !w.contains("unknown option")), "{warnings:#?}");
        assert_ne!(vars.text(Var::log_error), "stderr", "{name}");
    }
    let (vars, warnings) = started("debian-mariadb.cnf");
    assert_eq!(vars.text(Var::slow_query_log_file), "/var/log/mysql/mariadb-slow.log");
    assert_eq!(vars.u64(Var::innodb_buffer_pool_size), 8 << 30);
    assert_eq!(vars.u64(Var::table_open_cache), 64);
    has(&warnings, &["aria-pagecache-buffer-size", "InnoDB's"]);
    has(&warnings, &["rowid_filter=off", "left out"]);
    // Galera's group is read where there is Galera.
    assert!(warnings.iter().all(|w| !w.contains("wsrep")));
    // Nor is it news that what is the default anyway has no effect.
    assert!(warnings.iter().all(|w| !w.contains("skip-external-locking")), "{warnings:#?}");
    let (_, warnings) = started("rpm.cnf");
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn files_of_older_servers_start() {
    let (vars, warnings) = started("my-huge.cnf");
    assert_eq!(vars.u64(Var::innodb_buffer_pool_size), 384 << 20);
    assert_eq!(vars.u64(Var::innodb_redo_log_capacity), 200 << 20);
    has(&warnings, &["thread-concurrency"]);
    has(&warnings, &["innodb-additional-mem-pool-size"]);
    let (vars, warnings) = started("wizard.cnf");
    assert_eq!(vars.u64(Var::max_connections), 500);
    assert!(vars.bool(Var::slow_query_log) && vars.bool(Var::log_queries_not_using_indexes));
    has(&warnings, &["sql-mode", "NO_AUTO_CREATE_USER is left out"]);
}

#[test]
fn a_busy_server_of_8_0_starts() {
    let (vars, warnings) = started("cloud-8.0.cnf");
    assert_eq!(vars.u64(Var::innodb_redo_log_capacity), 8 << 30);
    assert_eq!(vars.text(Var::tls_version), "TLSv1.2,TLSv1.3");
    assert_eq!(vars.text(Var::default_storage_engine), "InnoDB");
    assert_eq!(vars.u64(Var::performance_schema_digests_size), 10_000);
    assert_eq!(vars.u64(Var::group_concat_max_len), 1 << 20);
    has(&warnings, &["plugin-load-add", "plugins are not loaded"]);
    has(&warnings, &["validate-password.policy", "passwords are not judged"]);
    has(&warnings, &["innodb-monitor-enable"]);
    has(&warnings, &["default-storage-engine=MyISAM", "taken as 'InnoDB'"]);
}

/// A name that a MySQL or a MariaDB knows is never an unknown option: it is taken, has no effect for a reason, or is refused with one.
#[test]
fn no_name_of_another_server_is_unknown() {
    let text = std::fs::read_to_string(path("names.txt")).unwrap();
    let names = text.lines().filter(|l| !l.starts_with('#')).flat_map(str::split_whitespace);
    let unknown: Vec<&str> = names
        .filter(|name| {
            let read = serve(&[format!("--{name}=1")]);
            read.is_err_and(|e| e.contains("unknown option"))
        })
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    assert!(serve(&["--innodb_bufer_pool_size=1".into()]).is_err());
}

/// A program with the database inside, doctor and the server read the same files.
#[test]
fn includes_groups_and_places() {
    let dir = std::env::temp_dir().join(format!("weir-option-files-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(dir.join("conf.d")).unwrap();
    std::fs::write(dir.join("my.cnf"), "!includedir conf.d\n[mysqld]\nport=1\n").unwrap();
    std::fs::write(dir.join("conf.d/a.cnf"), "[mysqld]\nport=2\nsocket=/x\n[mysqld7]\nport=7\n")
        .unwrap();
    let file = format!("--defaults-file={}", dir.join("my.cnf").display());
    let port = |args: &[&str]| {
        let mut all = vec![file.clone()];
        all.extend(args.iter().map(ToString::to_string));
        let vars = GlobalVars::default();
        serve(&all).unwrap().apply(&vars).unwrap();
        (vars.u64(Var::port), vars.text(Var::socket).to_string())
    };
    assert_eq!(port(&[]), (1, "/x".into()));
    assert_eq!(port(&["--port=5"]), (5, "/x".into()));
    std::fs::write(dir.join("my.cnf"), "[mysqld]\nport=1\n!includedir conf.d\n").unwrap();
    assert_eq!((port(&[]).0, port(&["--defaults-group-suffix=7"]).0), (2, 7));
    let Wanted::Print(line) =
        read(&[file.clone(), "--print-defaults".into(), "--x=1".into()]).unwrap()
    else {
        panic!("the options are printed")
    };
    assert_eq!(line, "--port=1 --port=2 --socket=/x --x=1");
    assert!(matches!(
        read(&[file, "--initialize".into()]),
        Ok(Wanted::Initialize { insecure: false, .. })
    ));
    std::fs::remove_dir_all(&dir).unwrap();
}
