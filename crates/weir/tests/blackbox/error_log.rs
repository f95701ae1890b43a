//! The error log: numbers, JSON, its table, and what a process that ends by a signal or loses its directory leaves in it.
use crate::common::*;

#[test]
fn lines_have_numbers_and_rows() {
    let server = Server::start(&["--key-buffer-size=16M"]);
    let log = server.log();
    assert!(log.contains("[System] [MY-010116] [Server] weir "), "{log}");
    assert!(log.contains("[System] [MY-010931] [Server] ready for connections"), "{log}");
    assert!(log.contains("[System] [MY-900100] [InnoDB] making a new data directory"), "{log}");
    assert!(
        log.contains("[Warning] [MY-900002] [Server] option 'key-buffer-size' has no effect"),
        "{log}"
    );
    let mut c = server.root_client();
    assert_eq!(
        c.rows("select prio, error_code, subsystem, data like '%key-buffer%' from performance_schema.error_log where error_code = 'MY-900002'"),
        "Warning,MY-900002,Server,1"
    );
    assert_eq!(
        c.rows("select count(distinct logged) = count(*), max(logged) > now() - interval 1 hour from performance_schema.error_log"),
        "1,1"
    );
    c.run("create user u");
    let mut u = server.connect(&Login { user: "u", ..Login::default() }).unwrap();
    assert_eq!(
        u.query("select * from performance_schema.error_log").map_or(0, |a| a.rows.len()),
        0
    );
}

#[test]
fn logins_that_fail_are_notes_of_one_line() {
    let server = Server::start(&["--log-error-verbosity=3"]);
    let mut c = server.root_client();
    c.run("create user u identified by 'p', shut account lock");
    let refused = |user, password| {
        assert!(server.connect(&Login { user, password, ..Login::default() }).is_err(), "{user}");
    };
    for (name, password, number, text) in [
        ("u", "wrong", "MY-010926", "user 'u'@'localhost' (using password: YES)"),
        ("shut", "", "MY-010927", "user 'shut'@'localhost'. Account is locked."),
        (
            "a\n0 [Error] b",
            "x",
            "MY-010926",
            "user 'a 0 [Error] b'@'localhost' (using password: YES)",
        ),
    ] {
        refused(name, password);
        let line = format!(" [Note] [{number}] [Server] Access denied for {text}\n");
        until(name, || server.log().contains(&line));
    }
    c.run("set global log_error_verbosity = 2");
    let before = server.log().len();
    refused("u", "wrong");
    assert_eq!(server.log().len(), before, "{}", server.log());
}

#[test]
fn lines_may_be_json_and_left_out() {
    let folder = std::env::temp_dir().join(format!("weir-json-log-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("error.log");
    let server = Server::start(&["--log-error-verbosity=3"]);
    let mut c = server.root_client();
    let refused = c.query("set global log_error_services = 'log_sink_syseventlog'").unwrap_err();
    assert_eq!(refused.errno, 1231);
    assert_eq!(
        c.query("set global log_error_suppression_list = 'ER_NONSENSE'").unwrap_err().errno,
        1231
    );
    c.run("set global log_error_services = 'log_filter_internal; log_sink_json'");
    c.simple(&[0x0D]).unwrap();
    let log = server.log();
    let line = log.lines().last().unwrap();
    let v: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    assert_eq!((v["err_code"].as_u64(), v["label"].as_str()), (Some(900_016), Some("System")));
    drop(server);
    // A start writes both into files of the names that MySQL gives them.
    let (status, _) = run_to_end(
        None,
        &[
            &format!("--log-error={}", path.display()),
            "--log-error-services=log_sink_internal;log_sink_json",
            "--bind-address=0.0.0.0",
        ],
    );
    assert_eq!(status.code(), Some(1));
    let (text, json) = (
        std::fs::read_to_string(&path).unwrap(),
        std::fs::read_to_string(folder.join("error.log.00.json")).unwrap(),
    );
    assert!(
        text.contains("[MY-010116]") && json.contains("\"err_symbol\":\"ER_STARTING_AS\""),
        "{text}{json}"
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_signal_that_ends_the_process_leaves_its_stack() {
    let mut server = Server::start(&[]);
    server.signal("SEGV");
    let status = server.wait();
    assert!(!status.success());
    let log = server.log();
    assert!(log.contains("[Error] [MY-900006] [Server] signal 11 (SIGSEGV) at address "), "{log}");
    assert!(log.contains("the stack:\n") && log.contains("weir"), "{log}");
    let server = server.again(&[]);
    assert_eq!(server.root_client().rows("select 1"), "1");
}

#[test]
fn a_directory_that_is_moved_ends_the_server() {
    let mut server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("create table d.t (a int primary key)");
    c.run("insert into d.t values (1)");
    let (here, there) = (server.root().join("data"), server.root().join("elsewhere"));
    std::fs::rename(&here, &there).unwrap();
    let status = server.wait();
    assert_eq!(status.code(), Some(70));
    assert!(server.log().contains("[MY-900007] [Server] the data directory '"), "{}", server.log());
    std::fs::rename(&there, &here).unwrap();
    let server = server.again(&[]);
    assert_eq!(server.root_client().rows("select a from d.t"), "1");
}
