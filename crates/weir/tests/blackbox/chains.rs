//! Replicas that are sources themselves (`log_replica_updates`): chains, failover, rings, and what their logs have.

use crate::common::{Client, Server, until};

const GTIDS: [&str; 3] = ["--log-bin", "--gtid-mode=ON", "--enforce-gtid-consistency=ON"];
const ANONYMOUS: [&str; 2] = ["--log-bin", "--gtid-mode=OFF"];

fn start(options: &[&str], id: u32) -> Server {
    let id = format!("--server-id={id}");
    Server::start(&[options, &[id.as_str()]].concat())
}

/// A first server of a chain, with an account for its replicas.
fn first(options: &[&str]) -> Server {
    let server = start(options, 1);
    let mut c = server.root_client();
    c.run("create user repl identified with mysql_native_password by 'repl'");
    c.run("grant replication slave on *.* to repl");
    server
}

/// `how`: the place to begin at, and other options of the channel.
fn follow(replica: &Server, source: &Server, how: &str) {
    let mut c = replica.root_client();
    let port = source.port;
    c.run(&format!(
        "change replication source to source_host = '127.0.0.1', source_port = {port}, source_user = 'repl', \
         source_password = 'repl', source_connect_retry = 1, source_retry_count = 1000, {how}"
    ));
    c.run("start replica");
}

const AUTO: &str = "source_auto_position = 1";

/// From the beginning of a server's log.
fn by_position(source: &Server) -> String {
    let file = source.root_client().run("show binary logs").rows[0][0].clone();
    format!("source_log_file = '{}', source_log_pos = 4", file.unwrap_or_default())
}

fn stop_following(server: &Server) {
    let mut c = server.root_client();
    c.run("stop replica");
    c.run("reset replica all");
}

fn executed(server: &Server) -> String {
    server.root_client().rows("select @@global.gtid_executed").trim().replace('\n', "")
}

fn status(server: &Server, column: usize) -> String {
    let rows = server.root_client().run("show replica status").rows;
    rows.first().and_then(|r| r[column].clone()).unwrap_or_default()
}

/// Numbers of columns of SHOW REPLICA STATUS.
const IO_ERRNO: usize = 34;
const SQL_ERRNO: usize = 36;
const SQL_ERROR: usize = 37;

fn until_has(server: &Server, set: &str) {
    until(&format!("port {} has {set}: {}", server.port, status(server, SQL_ERROR)), || {
        let sql = format!("select gtid_subset('{set}', @@global.gtid_executed)");
        server.root_client().rows(&sql).trim() == "1"
    });
}

fn rows(server: &Server, sql: &str) -> String {
    server.root_client().rows(sql)
}

/// Types and servers of the events of a file; of statements their texts. Heads of files and numbers of tables are left out.
fn events(server: &Server, file: &str) -> Vec<String> {
    let all = server.root_client().run(&format!("show binlog events in '{file}'")).rows;
    let one = |row: &Vec<Option<String>>| {
        let text = |n: usize| row[n].clone().unwrap_or_default();
        let what = match text(2).as_str() {
            "Query" | "Gtid" => text(5),
            other => other.to_owned(),
        };
        format!("{} {what}", text(3))
    };
    let head = |e: &String| e.contains("Format_desc") || e.contains("Previous_gtids");
    all.iter().map(one).filter(|e| !head(e)).collect()
}

/// What a session does to the first server of a chain.
const STATEMENTS: &[&str] = &[
    "create database d",
    "use d",
    "create table t (a int primary key, b varchar(20), c json)",
    "insert into t values (1, 'x', '{\"a\": 1}'), (2, 'y', null)",
    "update t set b = 'z' where a = 1",
    "begin",
    "insert into t values (3, 'q', null)",
    "savepoint s",
    "insert into t values (4, 'gone', null)",
    "rollback to s",
    "commit",
    "create table parent (a int primary key)",
    "create table child (a int primary key, b int, foreign key (b) references parent (a) on delete cascade on update cascade)",
    "insert into parent values (1), (2)",
    "insert into child values (1, 1), (2, 2)",
    "update parent set a = 7 where a = 2",
    "delete from parent where a = 1",
    "create table log (i int auto_increment primary key, what varchar(20))",
    "create trigger told after insert on t for each row insert into log (what) values (new.b)",
    "insert into t values (5, 'fires', null)",
    "create table made as select a, b from t",
    "create table bare as select a from t where a > 100",
    "xa start 'x'",
    "insert into t values (6, 'xa', null)",
    "xa end 'x'",
    "xa prepare 'x'",
    "xa commit 'x'",
    "create user u identified with mysql_native_password by 'secret'",
    "grant select on d.* to u",
    "analyze table t",
    "set binlog_transaction_compression = 1",
    "insert into t values (8, repeat('c', 20), null)",
    "set binlog_transaction_compression = 0",
    "set binlog_format = 'STATEMENT'",
    "update log set what = 'as a text' where i = 1",
    "set binlog_format = 'ROW'",
    "set binlog_row_image = 'MINIMAL'",
    "update t set b = 'shorter' where a = 3",
    "create temporary table hidden (a int)",
    "insert into hidden values (1)",
    "drop table made",
    "create procedure p() insert into log (what) values ('p')",
    "call p()",
    "truncate table bare",
];

const TABLES: [&str; 5] = ["t", "parent", "child", "log", "bare"];

fn assert_equal(a: &Server, b: &Server) {
    for t in TABLES {
        let sql = format!("select * from d.{t} order by 1");
        assert_eq!(rows(a, &sql), rows(b, &sql), "{t}");
    }
}

#[test]
fn a_replica_logs_what_it_applies_as_its_source_has_it() {
    let a = first(&GTIDS);
    let (b, c) = (start(&GTIDS, 2), start(&GTIDS, 3));
    follow(&b, &a, AUTO);
    until_has(&b, &executed(&a));
    follow(&c, &b, AUTO);
    let mut client = a.root_client();
    STATEMENTS.iter().for_each(|sql| drop(client.run(sql)));
    let all = executed(&a);
    until_has(&b, &all);
    until_has(&c, &all);
    assert_equal(&a, &b);
    assert_equal(&a, &c);
    assert_eq!((executed(&b), executed(&c)), (all.clone(), all.clone()));
    for server in [&b, &c] {
        assert_eq!(rows(server, "select @@global.gtid_purged").trim(), "");
        assert_eq!(rows(server, "select user from mysql.user where user = 'u'").trim(), "u");
    }
    // A transaction that the middle has compressed no more stands in its log in the open.
    let open = |server: &Server| -> Vec<String> {
        let all = events(server, "binlog.000001");
        all.into_iter().filter(|e| !e.contains("Transaction_payload")).collect()
    };
    let (of_a, of_b, of_c) = (open(&a), open(&b), open(&c));
    let gtids = |all: &[String]| all.iter().filter(|e| e.contains("GTID_NEXT")).cloned().collect();
    let (ga, gb, gc): (Vec<_>, Vec<_>, Vec<_>) = (gtids(&of_a), gtids(&of_b), gtids(&of_c));
    assert_eq!((&gb, &gc), (&ga, &ga), "each transaction once, in the order of the source");
    let texts = |all: &[String]| -> Vec<String> {
        all.iter().filter(|e| !e.contains("_rows") && !e.contains("Table_map")).cloned().collect()
    };
    // What was compressed at the source has two events more, and tables are named for each event.
    let shown = ["BEGIN", "Xid"];
    let plain = |all: &[String]| -> Vec<String> {
        texts(all).into_iter().filter(|e| !shown.iter().any(|s| e.ends_with(s))).collect()
    };
    assert_eq!(plain(&of_b), plain(&of_a));
    assert_eq!(of_c, of_b);
    for kind in ["Update_rows", "Delete_rows"] {
        let count = |all: &[String]| all.iter().filter(|e| e.ends_with(kind)).count();
        assert_eq!(count(&of_a), count(&of_b), "{kind}: cascades among them, once each");
    }
    assert!(of_b.iter().all(|e| e.starts_with("1 ")), "{of_b:?}");
    assert!(of_b.iter().any(|e| e.contains("update log set what = 'as a text'")), "{of_b:?}");
}

#[test]
fn transactions_that_change_nothing_are_empty_ones() {
    let a = first(&GTIDS);
    let b = start(&GTIDS, 2);
    let mut c = a.root_client();
    c.run("create database d");
    c.run("create database hidden");
    c.run("create table d.t (a int primary key)");
    c.run("create table hidden.t (a int primary key)");
    b.root_client().run("change replication filter replicate_ignore_db = (hidden)");
    follow(&b, &a, AUTO);
    let all = executed(&a);
    until_has(&b, &all);
    let mut r = b.root_client();
    r.run("stop replica");
    r.run("change replication filter replicate_ignore_db = (hidden)");
    // One that an operator passes over, and one that is skipped by the counter.
    let (uuid, n) = all.rsplit_once('-').expect("a range");
    let uuid = uuid.split(':').next().expect("a name");
    let n: u64 = n.parse().expect("a number");
    for next in 1..=4 {
        c.run(&format!("insert into d.t values ({next})"));
    }
    c.run("insert into hidden.t values (1)");
    c.run("create table if not exists d.t (a int)");
    r.run(&format!("set gtid_next = '{uuid}:{}'", n + 2));
    r.run("begin");
    r.run("commit");
    r.run("set gtid_next = automatic");
    r.run("set global sql_replica_skip_counter = 1");
    r.run("start replica");
    let all = executed(&a);
    until_has(&b, &all);
    assert_eq!(executed(&b), all);
    assert_eq!(rows(&b, "select a from d.t order by a"), "3;4");
    let log = events(&b, "binlog.000001");
    let empty = log.windows(2).filter(|w| w[0].ends_with("BEGIN") && w[1].ends_with("COMMIT"));
    // The row that is filtered, the one that was skipped, and the operator's. Statements are filtered by their default database.
    assert_eq!(empty.count(), 3, "{log:?}");
    assert_eq!(log.iter().filter(|e| e.contains("GTID_NEXT")).count() as u64, n + 5, "{log:?}");
}

#[test]
fn a_server_in_the_middle_is_killed_at_any_moment() {
    let a = first(&GTIDS);
    let middle = [&GTIDS[..], &["--max-binlog-size=4096", "--server-id=2"]].concat();
    let mut b = Server::start(&middle);
    let c = start(&GTIDS, 3);
    follow(&b, &a, AUTO);
    until_has(&b, &executed(&a));
    follow(&c, &b, AUTO);
    let mut client = a.root_client();
    client.run("create database d");
    client.run("use d");
    client.run("create table t (a int primary key, b varchar(200))");
    for round in 0..5 {
        for n in 0..25 {
            let id = round * 100 + n;
            client.run(&format!("insert into t values ({id}, repeat('x', {n}))"));
            client.run(&format!("update t set b = 'again' where a = {}", id - n / 2));
            match n % 5 {
                0 => client.run(&format!("create table m{id} as select * from t")),
                1 => client.run(&format!("rename table m{} to t{}", id - 1, id)),
                2 => client.run(&format!("create table e{id} as select * from t where a < 0")),
                3 => client.run(&format!("drop table t{}, e{}", id - 2, id - 1)),
                _ => client.run("begin"),
            };
        }
        client.run("commit");
        b = b.crash(&middle);
        let mut r = c.root_client();
        r.run("stop replica");
        r.run(&format!("change replication source to source_port = {}", b.port));
        r.run("start replica");
    }
    let all = executed(&a);
    until_has(&b, &all);
    until_has(&c, &all);
    let tables = "select group_concat(table_name order by 1) from information_schema.tables where table_schema = 'd'";
    for sql in ["select * from d.t order by a", tables] {
        assert_eq!(rows(&a, sql), rows(&b, sql), "{sql}");
        assert_eq!(rows(&a, sql), rows(&c, sql), "{sql}");
    }
    assert_eq!((executed(&b), executed(&c)), (all.clone(), all));
    // Each transaction stands in one file of the middle, once.
    let files = b.root_client().run("show binary logs").rows;
    let mut seen = Vec::new();
    for file in files {
        let name = file[0].clone().unwrap_or_default();
        seen.extend(events(&b, &name).into_iter().filter(|e| e.contains("GTID_NEXT")));
    }
    let of_a: Vec<String> =
        events(&a, "binlog.000001").into_iter().filter(|e| e.contains("GTID_NEXT")).collect();
    assert_eq!(seen, of_a);
}

#[test]
fn the_one_in_the_middle_takes_over_and_a_ring_closes() {
    let a = first(&GTIDS);
    let (b, c) = (start(&GTIDS, 2), start(&GTIDS, 3));
    follow(&b, &a, AUTO);
    until_has(&b, &executed(&a));
    follow(&c, &b, AUTO);
    a.root_client().run("create database d");
    a.root_client().run("create table d.t (a int primary key)");
    until_has(&c, &executed(&a));
    stop_following(&b);
    follow(&a, &b, AUTO);
    b.root_client().run("insert into d.t values (1)");
    until_has(&a, &executed(&b));
    until_has(&c, &executed(&b));
    stop_following(&a);
    follow(&a, &c, AUTO);
    follow(&b, &a, AUTO);
    let ring = [&a, &b, &c];
    for (n, server) in ring.iter().enumerate() {
        server.root_client().run(&format!("insert into d.t values ({})", 10 + n));
    }
    for from in ring {
        let all = executed(from);
        ring.iter().for_each(|to| until_has(to, &all));
    }
    for server in ring {
        assert_eq!(rows(server, "select a from d.t order by a"), "1;10;11;12");
        assert_eq!((status(server, SQL_ERRNO), status(server, IO_ERRNO)), ("0".into(), "0".into()));
        let log = events(server, "binlog.000001");
        let mut names: Vec<_> = log.iter().filter(|e| e.contains("GTID_NEXT")).collect();
        let before = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), before, "a transaction stands in a log once");
    }
}

/// What is anonymous at the source stays so, or gets an identifier where the channel says which.
#[test]
fn anonymous_transactions_stay_so_or_get_identifiers() {
    let a = first(&ANONYMOUS);
    let (b, c) = (start(&ANONYMOUS, 2), start(&GTIDS, 3));
    follow(&b, &a, &by_position(&a));
    let mut client = a.root_client();
    client.run("create database d");
    client.run("create table d.t (a int primary key)");
    client.run("insert into d.t values (1), (2)");
    let made = "select count(*) from information_schema.tables where table_schema = 'd'";
    until("the middle has the table", || rows(&b, made) == "1");
    until("the middle has all", || rows(&b, "select count(*) from d.t") == "2");
    let log = events(&b, "binlog.000001");
    assert!(log.iter().any(|e| e.starts_with("1 Anonymous_Gtid")), "{log:?}");
    assert!(log.iter().all(|e| e.starts_with("1 ")), "{log:?}");
    // A log with identifiers cannot have it as it is.
    follow(&c, &b, &by_position(&b));
    until("the receiver has stopped", || status(&c, IO_ERRNO) == "13117");
    let mut r = c.root_client();
    r.run("stop replica");
    assert_eq!(
        r.fail("change replication source to assign_gtids_to_anonymous_transactions = 'x'"),
        1525
    );
    assert_eq!(r.fail("change replication source to assign_gtids_to_anonymous_transactions = local, source_auto_position = 1"), 4014);
    let uuid = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
    r.run(&format!(
        "change replication source to assign_gtids_to_anonymous_transactions = '{uuid}'"
    ));
    let told = "select assign_gtids_to_anonymous_transactions_type, assign_gtids_to_anonymous_transactions_value from performance_schema.replication_applier_configuration";
    assert_eq!(r.rows(told), format!("UUID,{uuid}"));
    assert_eq!(r.fail(&format!("start replica until sql_after_gtids = '{uuid}:1'")), 4019);
    r.run("start replica");
    until_has(&c, &format!("{uuid}:1-5"));
    r.run("stop replica");
    r.run("change replication source to assign_gtids_to_anonymous_transactions = local");
    r.run("start replica");
    client.run("insert into d.t values (3)");
    let own = rows(&c, "select @@server_uuid").trim().to_owned();
    until_has(&c, &format!("{own}:1"));
    assert_eq!(rows(&c, "select count(*) from d.t").trim(), "3");
    let mut b = b.root_client();
    assert_eq!(b.fail("change replication source to source_auto_position = 1"), 3081);
    b.run("stop replica");
    assert_eq!(b.fail("change replication source to source_auto_position = 1"), 1777);
    assert_eq!(
        b.fail("change replication source to assign_gtids_to_anonymous_transactions = local"),
        4015
    );
}

#[test]
fn without_log_replica_updates_a_replica_logs_its_own_changes_only() {
    let a = first(&GTIDS);
    let off = [&GTIDS[..], &["--log-replica-updates=OFF"]].concat();
    let (b, c) = (start(&off, 2), start(&GTIDS, 3));
    let mut client = a.root_client();
    client.run("create database d");
    follow(&b, &a, AUTO);
    let all = executed(&a);
    until_has(&b, &all);
    assert_eq!(rows(&b, "select @@log_replica_updates, @@log_slave_updates").trim(), "0,0");
    assert_eq!(events(&b, "binlog.000001"), Vec::<String>::new());
    assert_eq!(rows(&b, "select @@global.gtid_purged").trim(), all);
    // Nobody gets a log with a gap in it.
    follow(&c, &b, AUTO);
    until("the receiver has stopped", || status(&c, IO_ERRNO) == "13114");
    // From the next start on it logs; what it has applied until then is purged.
    let on = [&GTIDS[..], &["--server-id=2"]].concat();
    let b = b.crash(&on);
    assert_eq!(rows(&b, "select @@log_replica_updates, @@log_slave_updates").trim(), "1,1");
    client.run("create table d.t (a int primary key)");
    until_has(&b, &executed(&a));
    let purged = rows(&b, "select @@global.gtid_purged").trim().to_owned();
    assert_eq!(purged, all);
    let mut c: Client = c.root_client();
    c.run("stop replica");
    c.run(&format!("set global gtid_purged = '+{purged}'"));
    c.run("create database d");
}
