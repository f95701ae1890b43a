//! The audit log, and which slow statements are logged where there are too many.

use crate::common::{Login, Server, param, until};
use serde_json::Value;

/// The records of the log, in their order.
fn records(server: &Server, name: &str) -> Vec<Value> {
    let path = server.root().join("data").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let record = |line: &str| {
        let mut whole: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        whole["audit_record"].take()
    };
    text.lines().map(record).collect()
}

/// `name command status text` of each record that has a text.
fn statements(server: &Server, name: &str) -> Vec<String> {
    let said = |r: &Value| {
        let text = r["sqltext"].as_str()?;
        let (name, class) = (r["name"].as_str()?, r["command_class"].as_str()?);
        Some(format!("{name} {class} {} {text}", r["status"]))
    };
    records(server, name).iter().filter_map(said).collect()
}

#[test]
fn who_did_what() {
    let server = Server::start(&["--audit-log-policy=ALL"]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("use d");
    c.run("create table t (a int primary key)");
    c.run("create user anna identified by 'hidden'");
    c.run("grant all on d.* to anna");
    let (id, ..) = c.prepare("insert into t values (?)").unwrap();
    c.execute(id, &[param::int(7)]).unwrap();
    assert!(c.execute(id, &[param::int(7)]).is_err());
    assert_eq!(c.fail("select nothing from t"), 1054);
    assert_eq!(c.fail("selekt 1"), 1064);
    let login = Login { user: "anna", password: "hidden", database: "d", ..Login::default() };
    let mut anna = server.connect(&login).unwrap();
    anna.run("select a from t");
    drop(anna);
    let wrong = Login { user: "anna", password: "guessed", ..Login::default() };
    assert_eq!(server.connect(&wrong).err().map(|e| e.errno), Some(1045));
    until("the end of the connection is written", || {
        records(&server, "audit.log").iter().any(|r| r["name"] == "Quit")
    });
    assert_eq!(
        statements(&server, "audit.log"),
        [
            "Query create_db 0 create database d",
            "Query change_db 0 use d",
            "Query create_table 0 create table t (a int primary key)",
            "Query create_user 0 create user anna identified by <secret>",
            "Query grant 0 grant all on d.* to anna",
            "Execute insert 0 insert into t values (7)",
            "Execute insert 1062 insert into t values (7)",
            "Query select 1054 select nothing from t",
            "Query error 1064 selekt 1",
            "Query select 0 select a from t",
        ]
    );
    let all = records(&server, "audit.log");
    assert_eq!(all[0]["name"], "Audit");
    let mut logins: Vec<String> = all
        .iter()
        .filter(|r| r["user"] == "anna")
        .map(|r| format!("{} {} {} {}", r["name"], r["status"], r["priv_user"], r["db"]))
        .collect();
    logins.sort();
    assert_eq!(
        logins,
        [r#""Connect" 0 "anna" "d""#, r#""Connect" 1045 "" """#, r#""Quit" 0 "anna" "d""#]
    );
    let mut names: Vec<&str> = all.iter().filter_map(|r| r["record"].as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all.len(), "no two records have one name");
}

#[test]
fn what_is_not_wanted_is_left_out() {
    let server = Server::start(&["--audit-log-file=a.json"]);
    let mut c = server.root_client();
    c.run("set global audit_log_exclude_commands = 'set_option,show_status'");
    c.run("set global audit_log_policy = 'QUERIES'");
    c.run("select 1");
    c.run("show status like 'Uptime'");
    c.run("set global audit_log_exclude_accounts = 'root@localhost'");
    c.run("select 2");
    assert_ne!(c.fail("set global audit_log_include_accounts = 'anna@%'"), 0);
    c.run("set global audit_log_exclude_accounts = ''");
    c.run("set global audit_log_include_databases = 'd'");
    c.run("select 3");
    c.run("create database d");
    c.run("use d");
    c.run("select 4");
    assert_ne!(c.fail("set global audit_log_exclude_commands = 'selekt'"), 0);
    c.run("set global audit_log_policy = 'LOGINS'");
    c.run("select 5");
    drop(server.root_client());
    c.run("set global audit_log_policy = 'NONE'");
    c.run("select 6");
    assert_eq!(
        statements(&server, "a.json"),
        ["Query select 0 select 1", "Query change_db 0 use d", "Query select 0 select 4"]
    );
    let names: Vec<String> =
        records(&server, "a.json").iter().map(|r| r["name"].to_string()).collect();
    assert_eq!(names.first().map(String::as_str), Some("\"Audit\""));
    assert_eq!(names.last().map(String::as_str), Some("\"NoAudit\""));
}

#[test]
fn a_log_goes_on_in_another_file() {
    let server = Server::start(&[
        "--audit-log-policy=QUERIES",
        "--audit-log-rotate-on-size=2000",
        "--audit-log-rotations=2",
    ]);
    let mut c = server.root_client();
    for n in 0..40 {
        c.run(&format!("select {n}"));
    }
    let data = server.root().join("data");
    for name in ["audit.log", "audit.log.1", "audit.log.2"] {
        let len = std::fs::metadata(data.join(name)).map(|m| m.len()).unwrap_or_default();
        assert!((1..=2000).contains(&len), "{name} has {len} bytes");
        records(&server, name);
    }
    assert!(!data.join("audit.log.3").exists());
    // Another program has renamed it.
    std::fs::rename(data.join("audit.log"), data.join("old")).unwrap();
    c.run("flush logs");
    c.run("select 'behind'");
    assert!(statements(&server, "audit.log").iter().any(|s| s.ends_with("select 'behind'")));
    // What was written to the file before does not count against the new one.
    assert!(std::fs::metadata(data.join("audit.log")).unwrap().len() < 1000);
    // No other file is written into.
    std::fs::write(data.join("other"), "something else").unwrap();
    assert_ne!(c.fail("set global audit_log_file = 'other'"), 0);
    assert_eq!(std::fs::read_to_string(data.join("other")).unwrap(), "something else");
    c.run("select 'still'");
    assert!(statements(&server, "audit.log").iter().any(|s| s.ends_with("select 'still'")));
}

#[test]
fn one_of_so_many_slow_statements() {
    let server = Server::start(&[
        "--slow-query-log=ON",
        "--slow-query-log-file=s.log",
        "--long-query-time=0",
        "--log-slow-rate-type=query",
        "--log-slow-rate-limit=4",
    ]);
    let log = || std::fs::read_to_string(server.root().join("data/s.log")).unwrap();
    let mut c = server.root_client();
    for n in 0..12 {
        c.run(&format!("select 'number {n}'"));
    }
    let text = log();
    assert_eq!(text.matches("select 'number").count(), 3, "{text}");
    assert_eq!(
        text.matches("# Log_slow_rate_type: query  Log_slow_rate_limit: 4\n").count(),
        3,
        "{text}"
    );
    c.run("set global log_slow_rate_limit = 1");
    c.run("set long_query_time = 100");
    c.run("create database d");
    c.run("create table d.t (a int)");
    c.run("insert into d.t values (1), (2)");
    c.run("set global log_queries_not_using_indexes = 1");
    c.run("set global log_throttle_queries_not_using_indexes = 2");
    for _ in 0..5 {
        c.run("select a from d.t where a = 2");
    }
    let text = log();
    assert_eq!(text.matches("select a from d.t").count(), 2, "{text}");
}
