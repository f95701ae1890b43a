//! The general and the slow query log, and the counter of slow statements.

use crate::common::{Login, Server, param, until};

fn logged(server: &Server, name: &str) -> String {
    let path = server.root().join("data").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn slow_statements_are_logged_as_mysql_logs_them() {
    let server = Server::start(&[
        "--slow-query-log=ON",
        "--slow-query-log-file=s.log",
        "--long-query-time=0",
    ]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("use d");
    c.run("create table t (a int, b varchar(20))");
    c.run("insert into t values (1, 'x'), (2, 'y'), (3, 'z')");
    c.run("select * from t where a > 1");
    let (id, ..) = c.prepare("select b from t where b = ? or a = ?").unwrap();
    c.execute(id, &[param::text("it's"), param::int(2)]).unwrap();
    c.run("alter table t add c int");
    c.run("create user u identified by 'hidden'");
    c.fail("select nothing from t");
    c.run("set long_query_time = 10");
    c.run("select 'not slow'");
    let text = logged(&server, "s.log");
    assert!(text.contains("# Query_time: "), "{text}");
    assert!(text.contains("# User@Host: root[root] @ localhost"), "{text}");
    // The statement, and once before those that ran in d.
    assert_eq!(text.matches("use d;\n").count(), 2, "{text}");
    let block = |statement: &str| {
        let at = text.find(statement).unwrap_or_else(|| panic!("no {statement} in {text}"));
        let from = text[..at].rfind("# Query_time").unwrap();
        text[from..at].to_string()
    };
    let select = block("select * from t where a > 1;\n");
    assert!(select.contains("Rows_sent: 2  Rows_examined: 3\n"), "{select}");
    assert!(select.contains("SET timestamp="), "{select}");
    block("select b from t where b = 'it\\'s' or a = 2;\n");
    block("create user u identified by <secret>;\n");
    block("select nothing from t;\n");
    assert!(!text.contains("hidden") && !text.contains("not slow"), "{text}");
    assert!(!text.contains("alter table"), "it is an administrative statement: {text}");
    c.run("set long_query_time = 0");
    c.run("set global log_slow_admin_statements = 1");
    c.run("alter table t add d int");
    c.run("set min_examined_row_limit = 2");
    c.run("select a from t limit 1");
    let text = logged(&server, "s.log");
    assert!(text.contains("alter table t add d int;\n"), "{text}");
    assert!(!text.contains("limit 1;"), "{text}");
}

#[test]
fn statements_without_an_index_are_slow_when_they_shall_be() {
    let server = Server::start(&["--slow-query-log=ON", "--slow-query-log-file=s.log"]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("use d");
    c.run("create table t (a int primary key, b int)");
    c.run("insert into t values (1, 1), (2, 2)");
    c.run("select * from t where b = 1");
    assert!(!logged(&server, "s.log").contains("b = 1"));
    assert_eq!(c.rows("show session status like 'Slow_queries'"), "Slow_queries,0");
    c.run("set global log_queries_not_using_indexes = 1");
    c.run("select * from t where b = 1");
    c.run("select * from t where a = 1");
    let text = logged(&server, "s.log");
    assert!(text.contains("b = 1;\n") && !text.contains("a = 1"), "{text}");
    assert_eq!(c.rows("show session status like 'Slow_queries'"), "Slow_queries,1");
    // Counted without a log, too.
    c.run("set global slow_query_log = 0");
    c.run("select * from t where b = 2");
    assert_eq!(c.rows("show session status like 'Slow_queries'"), "Slow_queries,2");
    assert!(!logged(&server, "s.log").contains("b = 2"));
}

#[test]
fn the_general_log_has_all_that_clients_say() {
    let server = Server::start(&["--general-log-file=g.log"]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("set global general_log = 'ON'");
    let mut other = server.root_client();
    other.run("select 1; ");
    let (id, ..) = other.prepare("select ?").unwrap();
    other.execute(id, &[param::int(7)]).unwrap();
    other.run("set password for root@localhost = 'secret word'");
    other.run("set password for root@localhost = ''");
    for user in ["nobody", "no\nbody"] {
        assert!(server.connect(&Login { user, password: "x", ..Login::default() }).is_err());
    }
    other.run("set sql_log_off = 1");
    other.run("select 'unlogged'");
    let text = logged(&server, "g.log");
    for line in [
        "Connect\troot@localhost on ",
        " Query\tselect 1\n",
        " Prepare\tselect ?\n",
        " Execute\tselect 7\n",
        " Connect\tAccess denied for user 'nobody'@'localhost' (using password: YES)\n",
        " Connect\tAccess denied for user 'no body'@'localhost' (using password: YES)\n",
    ] {
        assert!(text.contains(line), "no {line:?} in {text}");
    }
    assert!(text.contains("set password for root@localhost = <secret>\n"), "{text}");
    assert!(!text.contains("secret word") && !text.contains("unlogged"), "{text}");

    // Renamed and made again, as log rotation does it.
    let data = server.root().join("data");
    std::fs::rename(data.join("g.log"), data.join("g.log.1")).unwrap();
    c.run("flush general logs");
    c.run("select 'behind the rotation'");
    assert!(logged(&server, "g.log").contains("behind the rotation"));
    c.run("set global general_log_file = 'other.log'");
    c.run("select 'elsewhere'");
    assert!(logged(&server, "other.log").contains("elsewhere"));
    assert_eq!(c.fail("set global general_log_file = 'no/such/folder'"), 1231);
    c.run("select 'still there'");
    assert!(logged(&server, "other.log").contains("still there"));
    c.run("set global log_output = 'NONE'");
    c.run("select 'nowhere'");
    assert!(!logged(&server, "other.log").contains("nowhere"));
    assert_eq!(c.fail("set global log_output = 'TABLE'"), 1231);
}

#[test]
fn a_log_is_no_other_file_and_never_keeps_anybody_waiting() {
    let server = Server::start(&["--general-log=ON", "--general-log-file=g.log"]);
    let mut c = server.root_client();
    let data = server.root().join("data");
    let before = std::fs::read(data.join("system.weir")).unwrap().len();
    for name in ["system.weir", "x.cnf", ".", "no/such/folder"] {
        assert_eq!(c.fail(&format!("set global general_log_file = '{name}'")), 1231, "{name}");
    }
    std::os::unix::fs::symlink(data.join("g.log"), data.join("link.log")).unwrap();
    assert_eq!(c.fail("set global general_log_file = 'link.log'"), 1231);
    assert!(std::fs::read(data.join("system.weir")).unwrap().len() >= before);
    c.run("select 'still here'");
    assert!(logged(&server, "g.log").contains("still here"));
    // A log whose place is taken by something else goes on in the old file.
    std::fs::remove_file(data.join("g.log")).unwrap();
    std::fs::create_dir(data.join("g.log")).unwrap();
    assert_eq!(c.fail("flush general logs"), 1105);
    std::fs::remove_dir(data.join("g.log")).unwrap();
    c.run("flush general logs");
    c.run("select 'again'");
    assert!(logged(&server, "g.log").contains("again"));

    c.run("create user u identified by 'p'");
    let login =
        crate::common::Login { user: "u", password: "p", ..crate::common::Login::default() };
    let mut u = server.connect(&login).unwrap();
    assert_eq!(u.fail("set sql_log_off = 1"), 1227);
    assert_eq!(u.fail("alter user u identified by 'never ends"), 1064);
    assert!(!logged(&server, "g.log").contains("never ends"));
}

#[test]
fn a_server_starts_without_a_log_that_cannot_be_opened() {
    let server =
        Server::start(&["--slow-query-log=ON", "--slow-query-log-file=/no/such/folder/s.log"]);
    let mut c = server.root_client();
    assert_eq!(c.rows("select @@slow_query_log"), "0");
    assert!(server.log().contains("cannot write the slow query log"), "{}", server.log());
}

fn signal(server: &Server, name: &str) {
    let sent = std::process::Command::new("kill")
        .arg(format!("-{name}"))
        .arg(server.pid().to_string())
        .status()
        .unwrap();
    assert!(sent.success());
}

/// SIGHUP and SIGUSR1 open the logs again, as a rotation of logs asks for; SIGUSR2 does nothing. None of them ends the server.
#[test]
fn signals_open_the_logs_again() {
    let server = Server::start(&[
        "--general-log=ON",
        "--general-log-file=g.log",
        "--slow-query-log=ON",
        "--slow-query-log-file=s.log",
        "--long-query-time=0",
    ]);
    let mut c = server.root_client();
    let data = server.root().join("data");
    for name in ["HUP", "USR1"] {
        for log in ["g.log", "s.log"] {
            std::fs::rename(data.join(log), data.join(format!("{log}.{name}"))).unwrap();
        }
        signal(&server, name);
        until("the logs are there again", || {
            server.log().contains(&format!("SIG{name}: the logs are opened again"))
        });
        c.run(&format!("select 'after {name}'"));
        for log in ["g.log", "s.log"] {
            let text = logged(&server, log);
            assert!(text.contains(&format!("'after {name}'")), "{log}: {text}");
        }
    }
    // What was written to the grant tables directly is read, as by FLUSH PRIVILEGES.
    c.run("create user u");
    c.run("update mysql.user set account_locked = 'Y' where user = 'u'");
    signal(&server, "HUP");
    let login = Login { user: "u", ..Login::default() };
    until("the account is locked", || server.connect(&login).is_err());
    signal(&server, "USR2");
    assert_eq!(c.rows("select 1"), "1");
}
