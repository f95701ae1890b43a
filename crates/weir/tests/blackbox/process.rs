//! The process: options, starts that are refused, restarts.

use crate::common::{Client, Login, Server, run_to_end};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

fn weir(args: &[&str]) -> (Option<i32>, String, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_weir")).args(args).output().unwrap();
    let text = |b: Vec<u8>| String::from_utf8(b).unwrap();
    (out.status.code(), text(out.stdout), text(out.stderr))
}

#[test]
fn help_and_version() {
    let (code, out, _) = weir(&["serve", "--help"]);
    assert_eq!(code, Some(0));
    for option in
        ["--innodb-buffer-pool-size", "--port", "--socket", "--socket-mode", "--defaults-file"]
    {
        assert!(out.contains(option), "{option}");
    }
    let (code, out, _) = weir(&["--version"]);
    assert!(code == Some(0) && out.starts_with("weir ") && out.contains("8.0.36-weir-"));
    let (code, out, _) = weir(&["--help"]);
    assert!(code == Some(0) && out.contains("weir serve"));
    let (code, _, err) = weir(&["sevre"]);
    assert!(code == Some(64) && err.contains("unknown command 'sevre'"));
}

#[test]
fn options_that_are_wrong() {
    let refuse = |options: &[&str], what: &str| {
        let (status, log) = run_to_end(None, options);
        assert!(!status.success());
        assert!(log.contains(what), "{options:?}: {log}");
    };
    refuse(&["--innodb-bufer-pool-size=1G"], "did you mean '--innodb-buffer-pool-size'?");
    refuse(&["--port=nonsense"], "--port=nonsense");
    refuse(&["--innodb-page-size=5000"], "innodb-page-size");
    refuse(&["--defaults-file=/nonexistent/my.cnf"], "/nonexistent/my.cnf");
    refuse(&["--bind-address=0.0.0.0"], "ALTER USER 'root'@'localhost' IDENTIFIED BY");
    refuse(&["--innodb-flush-method"], "needs a value");
    refuse(&["--socket-mode=0888"], "--socket-mode=0888");
}

#[test]
fn options_from_a_file() {
    let server = Server::start(&[]);
    let path = server.root().join("my.cnf");
    let text = "[client]\nnonsense=1\n[mysqld]\nmax_connections = 33 # why not\n\
                innodb-lock-wait-timeout=7\nskip-networking=OFF\n[weir]\nsort_buffer_size=1M\n";
    std::fs::write(&path, text).unwrap();
    let file = format!("--defaults-file={}", path.display());
    // The command line comes last.
    let server = server.restart(&[&file, "--innodb_lock_wait_timeout=8"]);
    let mut c = server.root_client();
    let sql = "select @@max_connections, @@innodb_lock_wait_timeout, @@sort_buffer_size";
    assert_eq!(c.rows(sql), "33,8,1048576");
    std::fs::write(&path, "[mysqld]\nmax_conections=5\n").unwrap();
    let (_, log) = run_to_end(None, &[&file]);
    assert!(log.contains("my.cnf:2: unknown option") && log.contains("--max-connections"), "{log}");
}

#[test]
fn a_data_directory_has_one_server() {
    let server = Server::start(&[]);
    let (status, log) = run_to_end(Some(server.root()), &[]);
    assert_eq!(status.code(), Some(1));
    assert!(log.contains("in use"), "{log}");
    // The port is the other thing that only one can have.
    let port = format!("--port={}", server.port);
    let (status, log) = run_to_end(None, &[&port]);
    assert_eq!(status.code(), Some(1));
    assert!(log.contains("cannot listen on 127.0.0.1:"), "{log}");
    let socket = format!("--socket={}", server.socket().display());
    let (_, log) = run_to_end(None, &[&socket]);
    assert!(log.contains("another server answers on the socket"), "{log}");
    assert_eq!(server.root_client().rows("select 1"), "1");
}

/// Clients run under other accounts of the system than the server's.
#[test]
fn the_socket_has_the_permissions_that_were_asked_for() {
    let mode =
        |server: &Server| std::fs::metadata(server.socket()).unwrap().permissions().mode() & 0o777;
    let server = Server::start(&[]);
    assert_eq!(mode(&server), 0o777);
    assert_eq!(server.root_client().rows("select @@socket_mode"), "0777");
    let server = server.restart(&["--socket-mode=0660"]);
    assert_eq!(mode(&server), 0o660);
    let mut c = Client::unix(&server.socket(), &Login::default()).unwrap();
    assert_eq!(c.rows("select 1"), "1");
}

#[test]
fn page_size_is_chosen_once() {
    let mut server = Server::start(&["--innodb-page-size=8192"]);
    server.stop();
    let (status, log) = run_to_end(Some(server.root()), &["--innodb-page-size=16384"]);
    assert!(!status.success());
    assert!(log.contains("8192"), "{log}");
    let server = server.crash(&[]);
    assert_eq!(server.root_client().rows("select @@innodb_page_size"), "8192");
}

#[test]
fn everything_is_there_after_a_restart() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("use d");
    c.run("create table t (id int auto_increment primary key, name varchar(50), key (name))");
    c.run("insert into t (name) values ('one'), ('two'), ('three')");
    c.run("create user u@localhost identified by 'pw'");
    c.run("grant select on d.* to u@localhost");
    c.run("begin");
    c.run("insert into t (name) values ('never')");
    let server = server.restart(&[]);
    assert_eq!(c.try_query("select 1").unwrap_err().errno, 0, "the old connection is gone");
    let check = |server: &Server, rows: &str| {
        let u = Login { user: "u", password: "pw", database: "d", ..Login::default() };
        let mut c = server.connect(&u).unwrap();
        assert_eq!(c.rows("select id, name from t order by id"), rows);
        assert_eq!(c.fail("insert into t (name) values ('x')"), 1142);
        let mut root = server.root_client();
        assert!(root.rows("check table d.t").ends_with("status,OK"));
        root.run("insert into d.t (name) values ('more')");
    };
    check(&server, "1,one;2,two;3,three");
    let first = server.root_client().rows("select max(id) from d.t");
    let server = server.crash(&[]);
    check(&server, &format!("1,one;2,two;3,three;{first},more"));
}

#[test]
fn stopping_waits_for_nobody_too_long() {
    let mut server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("create table d.t (a int primary key)");
    c.run("insert into d.t values (1)");
    // One that is idle in a transaction, one that runs, one in the middle of its login.
    c.run("begin");
    c.run("delete from d.t");
    let mut busy = server.root_client();
    busy.send_query("select sleep(1000)");
    let mut works = server.root_client();
    works.send_query("select benchmark(1000000000000, sha2('x', 512))");
    crate::common::until("the statement runs", || {
        c.rows("select count(*) from information_schema.processlist where info like 'select b%'")
            == "1"
    });
    let mut half = Client::raw(server.port);
    half.greeting().unwrap();
    assert!(server.stop().success());
    assert!(server.log().contains("shutdown complete"), "{}", server.log());
    assert!(!server.socket().exists());
    assert!(half.is_closed());
    // A statement that is interrupted gets the reason.
    assert_eq!(works.read_answer(false).unwrap_err().errno, 1053);
    assert!(works.is_closed());
    let server = server.crash(&[]);
    assert_eq!(server.root_client().rows("select a from d.t"), "1");
}

/// By the statement, and by the command that clients of MariaDB send.
#[test]
fn a_client_stops_the_server() {
    let mut server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create user u@'127.0.0.1'");
    let mut u = server.connect(&Login { user: "u", ..Login::default() }).unwrap();
    assert_eq!(u.fail("shutdown"), 1227);
    assert_eq!(u.simple(&[0x08, 0]).unwrap_err().errno, 1227);
    c.run("shutdown");
    assert!(server.wait().success(), "{}", server.log());
    assert!(server.log().contains("shutdown complete"), "{}", server.log());
    let mut server = server.again(&[]);
    server.root_client().simple(&[0x08, 0]).unwrap();
    assert!(server.wait().success(), "{}", server.log());
}

#[test]
fn a_left_over_socket_is_replaced() {
    let server = Server::start(&[]);
    let socket = server.socket();
    let server = server.crash(&[]);
    let mut c = Client::unix(&socket, &Login::default()).unwrap();
    assert_eq!(c.rows("select user()"), "root@localhost");
    assert_eq!(server.socket(), socket);
}

#[test]
fn another_address_needs_a_password() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("alter user root@localhost identified by 'secret'");
    let server = server.restart(&["--bind-address=0.0.0.0"]);
    assert_eq!(server.connect(&Login::default()).err().unwrap().errno, 1045);
    let with = Login { password: "secret", ..Login::default() };
    assert_eq!(server.connect(&with).unwrap().rows("select 1"), "1");
}

#[test]
fn persisted_variables_come_back() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("set persist max_connections = 44, persist_only innodb_log_files_in_group = 5");
    c.run("set persist sort_buffer_size = 65536");
    c.run("set persist sql_mode = 'ansi_quotes', persist long_query_time = 2.5");
    assert_eq!(c.rows("select @@max_connections, @@innodb_log_files_in_group"), "44,2");
    let file = server.root().join("my.cnf");
    std::fs::write(&file, "[mysqld]\nmax_connections=33\nsort_buffer_size=131072\n").unwrap();
    // The kept values stand before option files, and the command line before them.
    let file = format!("--defaults-file={}", file.display());
    let server = server.restart(&[&file, "--sort-buffer-size=262144"]);
    let mut c = server.root_client();
    let sql = "select @@max_connections, @@innodb_log_files_in_group, @@sort_buffer_size, @@sql_mode, @@long_query_time";
    assert_eq!(c.rows(sql), "44,5,262144,ANSI_QUOTES,2.500000");
    let listed = "select count(*), max(variable_value) from performance_schema.persisted_variables";
    assert_eq!(c.rows(listed), "5,ANSI_QUOTES");
    c.run("reset persist max_connections");
    assert_eq!(c.fail("reset persist max_connections"), 3615);
    let server = server.restart(&["--persisted-globals-load=OFF"]);
    let mut c = server.root_client();
    assert_eq!(c.rows("select @@max_connections, @@sort_buffer_size"), "151,262144");
    let server = server.restart(&["--super-read-only"]);
    let mut c = server.root_client();
    assert_eq!(c.fail("create database x"), 1290);
    assert_eq!(c.rows("select @@read_only, @@max_connections"), "1,151");
}

#[test]
fn what_another_connection_runs_is_explained() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create database x");
    c.run("create table x.t (a int primary key)");
    c.run("insert into x.t values (1)");
    let mut other = server.root_client();
    other.run("use x");
    let id = other.rows("select connection_id()");
    assert_eq!(c.fail("explain for connection 987654"), 1094);
    assert_eq!(c.fail("explain analyze for connection 987654"), 1235);
    assert_eq!(c.fail(&format!("explain for connection {id}")), 3012);
    let own = c.rows("select connection_id()");
    assert_eq!(c.fail(&format!("explain for connection {own}")), 3012);
    other.send_query("select sleep(600) from t where a = 1");
    let ask = format!("explain for connection {id}");
    crate::common::until("it runs", || c.query(&ask).is_ok());
    let plan = c.rows(&ask);
    assert!(plan.starts_with("1,SIMPLE,t,") && plan.contains("const,PRIMARY"), "{plan}");
    c.run(&format!("kill {id}"));
}

/// SYSTEM is the machine's time zone, and UTC where that is not known.
#[test]
fn the_time_zone_of_the_machine() {
    let server = Server::start_in_zone("Etc/GMT-3", &[]);
    let mut c = server.root_client();
    let now = "select @@system_time_zone, @@time_zone, from_unixtime(0)";
    assert_eq!(c.rows(now), "+03,SYSTEM,1970-01-01 03:00:00");
    c.run("set time_zone = '+01:00'");
    assert_eq!(c.rows("select from_unixtime(0)"), "1970-01-01 01:00:00");
    let berlin = Server::start_in_zone("Europe/Berlin", &[]);
    let mut c = berlin.root_client();
    let summer =
        "select unix_timestamp('2026-07-01 12:00:00') - unix_timestamp('2026-01-01 12:00:00')";
    assert_eq!(c.rows(summer), (181 * 86_400 - 3_600).to_string());
    let lost = Server::start_in_zone("Nowhere/At_All", &[]);
    let mut c = lost.root_client();
    assert_eq!(c.rows(now), "UTC,SYSTEM,1970-01-01 00:00:00");
    assert!(lost.log().contains("SYSTEM is UTC"), "{}", lost.log());
}
