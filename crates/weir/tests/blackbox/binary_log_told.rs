//! What clients learn of a binary log besides its events: names of transactions, places, counters; and events that are compressed.

use crate::common::{Client, Login, Server, until};
use weir_binlog::event::File;
use weir_binlog::gtid::Begin;
use weir_binlog::{Checksum, Event, Kind};

const LOG: &[&str] =
    &["--log-bin", "--server-id=7", "--gtid-mode=ON", "--enforce-gtid-consistency=ON"];

/// CLIENT_SESSION_TRACK.
const SESSION_TRACK: u32 = 1 << 23;

/// The identifiers that the answer to a statement brings, as SESSION_TRACK_GTIDS has them.
fn told(c: &mut Client, sql: &str) -> Option<String> {
    let packet =
        c.simple(&[&[3], sql.as_bytes()].concat()).unwrap_or_else(|e| panic!("{sql}: {e:?}"));
    // The type, the length of its data, the way they are written, the length of the text.
    let at =
        packet.windows(4).position(|w| w[0] == 3 && w[2] == 0 && w[1] == w[3] + 2 && w[3] > 36)?;
    let text = &packet[at + 4..][..usize::from(packet[at + 3])];
    Some(String::from_utf8(text.to_vec()).expect("text"))
}

#[test]
fn clients_learn_the_names_of_their_transactions() {
    let server = Server::start(LOG);
    let login = Login { flags: Login::default().flags | SESSION_TRACK, ..Login::default() };
    let mut c = Client::tcp(server.port, &login).expect("a login");
    let own = c.run("select @@server_uuid").rows[0][0].clone().unwrap_or_default();
    let name = |n: &str| Some(format!("{own}:{n}"));
    assert_eq!(told(&mut c, "create database d"), None, "nobody has asked yet");
    assert_eq!(told(&mut c, "set session_track_gtids = OWN_GTID"), None);
    for (sql, names) in [
        ("create table d.t (a int primary key)", name("2")),
        ("insert into d.t values (1)", name("3")),
        ("update d.t set a = 1", None),
        ("begin", None),
        ("insert into d.t values (2)", None),
        ("commit", name("4")),
        ("begin", None),
        ("insert into d.t values (3)", None),
        ("rollback", None),
        ("create user u", name("5")),
        ("xa start 'x'", None),
        ("insert into d.t values (4)", None),
        ("xa end 'x'", None),
        ("xa prepare 'x'", name("6")),
        ("xa commit 'x'", name("7")),
        (
            "create procedure d.p() begin insert into d.t values (10); insert into d.t values (11); end",
            name("8"),
        ),
        ("call d.p()", name("9-10")),
        ("set gtid_next = '3e11fa47-71ca-11e1-9e33-c80aa9429562:7'", None),
        ("insert into d.t values (12)", Some("3e11fa47-71ca-11e1-9e33-c80aa9429562:7".into())),
        ("set gtid_next = automatic", None),
        ("set sql_log_bin = 0", None),
        ("insert into d.t values (13)", None),
        ("set sql_log_bin = 1", None),
    ] {
        assert_eq!(told(&mut c, sql), names, "{sql}");
    }
    assert!(c.query("insert into d.t values (1)").is_err());
    assert_eq!(told(&mut c, "do 1"), None);
    // Others' transactions come between.
    server.root_client().run("insert into d.t values (20)");
    assert_eq!(told(&mut c, "insert into d.t values (21)"), name("12"));
    c.run("set session_track_gtids = ALL_GTIDS");
    let all = told(&mut c, "delete from d.t where a = 20").unwrap_or_default();
    assert!(all.contains(&format!("{own}:1-13")) && all.contains("c80aa9429562:7"), "{all}");
    c.run("set session_track_gtids = OFF");
    assert_eq!(told(&mut c, "delete from d.t where a = 21"), None);
}

#[test]
fn places_and_counters_are_told() {
    let server = Server::start(LOG);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("create table d.t (a int primary key auto_increment, b varchar(1000))");
    let uses = |c: &mut Client| {
        let rows = c.run("show global status like 'Binlog%cache%'").rows;
        let numbers: Vec<String> = rows.into_iter().filter_map(|mut r| r.remove(1)).collect();
        numbers.join(" ")
    };
    assert_eq!(uses(&mut c), "0 2 0 0");
    c.run("insert into d.t values (1, 'x')");
    assert_eq!(uses(&mut c), "0 3 0 0");
    c.run("begin");
    c.run("insert into d.t values (2, 'x')");
    c.run("rollback");
    c.run("analyze table d.t");
    assert_eq!(uses(&mut c), "0 4 0 1");
    c.run("insert into d.t (b) with recursive s as (select 1 as i union all select i + 1 from s where i < 90) select repeat('y', 1000) from s");
    assert_eq!(uses(&mut c), "1 5 0 1");

    let row = c.run("select * from performance_schema.log_status").rows.remove(0);
    let text = |n: usize| row[n].clone().unwrap_or_default();
    let status = c.run("show binary log status").rows.remove(0);
    let field = |path: &str, doc: &str| {
        let sql = format!("select json_unquote(json_extract('{doc}', '{path}'))");
        server.root_client().run(&sql).rows[0][0].clone().unwrap_or_default()
    };
    assert_eq!(text(0), field("$.gtid_executed", &text(1)).split(':').next().unwrap_or_default());
    assert_eq!(Some(field("$.binary_log_file", &text(1))), status[0]);
    assert_eq!(Some(field("$.binary_log_position", &text(1))), status[1]);
    assert_eq!(Some(field("$.gtid_executed", &text(1))), status[4]);
    assert_eq!(field("$.channels", &text(2)), "[]");
    let (lsn, checkpoint) =
        (field("$.InnoDB.LSN", &text(3)), field("$.InnoDB.LSN_checkpoint", &text(3)));
    let number = |t: String| t.parse::<u64>().expect("a number");
    assert!(number(checkpoint) <= number(lsn));
    c.run("create user m identified with mysql_native_password by ''");
    c.run("grant select on *.* to m");
    let mut m =
        Client::tcp(server.port, &Login { user: "m", ..Login::default() }).expect("a login");
    let refused = m.query("select * from performance_schema.log_status").unwrap_err();
    assert_eq!(refused.errno, 1227);
    assert!(refused.message.contains("BACKUP_ADMIN"), "{refused:?}");
}

#[test]
fn compressed_transactions_reach_a_replica() {
    let source = Server::start(LOG);
    let mut c = source.root_client();
    c.run("create user repl identified with mysql_native_password by 'repl'");
    c.run("grant replication slave on *.* to repl");
    c.run("create database d");
    c.run("create table d.t (a int primary key, b varchar(200), j json)");
    let replica = Server::start(&["--server-id=8"]);
    let mut r = replica.root_client();
    let port = source.port;
    r.run(&format!(
        "change replication source to source_host = '127.0.0.1', source_port = {port}, source_user = 'repl', source_password = 'repl', source_auto_position = 1"
    ));
    r.run("start replica");
    let kinds = |c: &mut Client, sql: &str| {
        let from = c.run("show binary log status").rows.remove(0)[1].clone().unwrap_or_default();
        c.run(sql);
        let shown = c.run(&format!("show binlog events from {from}"));
        let kinds: Vec<String> = shown.rows.into_iter().filter_map(|mut r| r.remove(2)).collect();
        kinds.join(" ")
    };
    let many = "insert into d.t with recursive s as (select 1 as i union all select i + 1 from s where i < 500) select i, repeat('y', 150), json_object('k', i) from s";
    assert_eq!(
        c.query("set binlog_transaction_compression_level_zstd = 23")
            .map(drop)
            .map_err(|e| e.errno),
        Ok(()),
        "it is cut to 22"
    );
    c.run("set binlog_transaction_compression = ON");
    let before = c.run("show binary log status").rows.remove(0)[1].clone().unwrap_or_default();
    assert_eq!(kinds(&mut c, many), "Gtid Transaction_payload");
    let after = c.run("show binary log status").rows.remove(0)[1].clone().unwrap_or_default();
    let grown =
        after.parse::<u64>().expect("a position") - before.parse::<u64>().expect("a position");
    assert!(grown < 10_000, "{grown} bytes");
    assert_eq!(
        kinds(&mut c, "update d.t set b = concat(b, 'z'), j = json_set(j, '$.k', 0) where a < 9"),
        "Gtid Transaction_payload"
    );
    assert_eq!(
        kinds(&mut c, "create table d.u like d.t"),
        "Gtid Query",
        "a definition is not compressed"
    );
    c.run("set binlog_format = statement");
    assert_eq!(kinds(&mut c, "delete from d.t where a = 400"), "Gtid Query Query Xid");
    c.run("set binlog_format = row");
    c.run("set binlog_transaction_compression = OFF");
    assert_eq!(
        kinds(&mut c, "delete from d.t where a = 401"),
        "Gtid Query Table_map Delete_rows Xid"
    );
    let all = c.run("select @@global.gtid_executed").rows[0][0].clone().unwrap_or_default();
    until("the replica has everything", || {
        replica
            .root_client()
            .rows(&format!("select gtid_subset('{all}', @@global.gtid_executed)"))
            .trim()
            == "1"
    });
    let sum = "select count(*), sum(crc32(concat(a, b, j))) from d.t";
    assert_eq!(c.rows(sum), r.rows(sum));
}

/// The numbers of the transactions of the file, each with the one that it must come behind.
fn order(server: &Server, c: &mut Client) -> Vec<(i64, i64)> {
    // Asking makes the log bring what is durable into its files.
    c.run("show binary log status");
    let bytes = std::fs::read(server.root().join("data/binlog.000001")).expect("the log");
    let events = File::new(&bytes).expect("a log").map(|e| e.expect("an event"));
    let events = events.map(|e| Event::decode(e, Checksum::Crc32).expect("whole"));
    let begins = events.filter(|e| e.header.kind == Kind::Gtid);
    let begins = begins.map(|e| Begin::decode(e.body, false).expect("a name"));
    begins.map(|b| (b.sequence_number, b.last_committed)).collect()
}

/// What is run, and which of the transactions behind the definitions it must come behind: 0 is the last definition.
const ORDERED: [(&str, i64); 19] = [
    ("insert into t values (1, 1, 'one')", 0),
    ("insert into t values (2, 2, 'two')", 0),
    ("insert into t values (3, null, null), (4, null, null)", 0),
    ("update t set b = 20 where a = 2", 2),
    ("insert into t values (5, 2, 'five')", 4),
    ("delete from t where c = 'one'", 1),
    ("insert into t values (6, 6, 'ONE')", 6),
    ("insert into t values (7, null, null)", 0),
    ("insert into k values (1)", 8),
    ("insert into t values (8, 8, '8')", 9),
    ("insert into t values (9, 9, '9')", 9),
    ("insert into n values (1)", 11),
    ("insert into t values (10, 10, '10')", 12),
    ("insert into p values (1)", 13),
    ("insert into child values (1, 1)", 14),
    ("insert into t values (11, 11, '11')", 15),
    ("insert into t values (12, 12, '12')", 15),
    ("create table later (a int)", 17),
    ("insert into t values (13, 13, '13')", 18),
];

/// Runs them in a database of their own. How many come behind a later one than they must.
fn later_than_they_must(server: &Server, c: &mut Client, n: usize) -> usize {
    let database = format!("create database d{n}");
    for sql in [
        database.as_str(),
        &format!("use d{n}"),
        "create table p (id int primary key)",
        "create table t (a int primary key, b int unique, c varchar(20), unique key (c))",
        "create table k (a int)",
        "create table n (a int unique)",
        "create table child (a int primary key, p int, foreign key (p) references p (id))",
    ] {
        c.run(sql);
    }
    let first = order(server, c).len();
    ORDERED.iter().for_each(|(sql, _)| drop(c.run(sql)));
    let all = order(server, c);
    let mut later = 0;
    for ((sql, must), (own, behind)) in ORDERED.iter().zip(&all[first..]) {
        let must = first as i64 + must;
        assert!((must..*own).contains(behind), "{sql}: {behind} of {must}..{own}");
        later += usize::from(*behind > must);
    }
    assert_eq!(all.len(), first + ORDERED.len());
    later
}

/// Transactions that have no row in common may be applied at the same time.
#[test]
fn transactions_come_behind_those_whose_rows_they_change() {
    let server = Server::start(LOG);
    let mut c = server.root_client();
    // A checkpoint that comes between makes the log forget what it knew.
    let later: Vec<usize> = (0..5)
        .map(|n| later_than_they_must(&server, &mut c, n))
        .take_while(|later| *later > 0)
        .collect();
    assert!(later.len() < 5, "{later:?}");
    c.run("set global binlog_transaction_dependency_tracking = COMMIT_ORDER");
    c.run("insert into t values (14, 14, '14')");
    c.run("insert into t values (15, 15, '15')");
    let all = order(&server, &mut c);
    assert!(all.iter().rev().take(2).all(|(own, behind)| behind + 1 == *own));
}

#[test]
fn variables_of_the_log_need_rights_and_the_end_of_a_transaction() {
    let server = Server::start(LOG);
    let mut c = server.root_client();
    c.run("create user m identified with mysql_native_password by ''");
    let mut m =
        Client::tcp(server.port, &Login { user: "m", ..Login::default() }).expect("a login");
    for (set, right, inside) in [
        ("binlog_format = ROW", Some(1227), Some(1679)),
        ("binlog_row_image = MINIMAL", Some(1227), None),
        ("binlog_row_value_options = ''", Some(1227), Some(1766)),
        ("binlog_rows_query_log_events = OFF", Some(1227), None),
        ("binlog_transaction_compression = ON", Some(1227), Some(1766)),
        ("binlog_transaction_compression_level_zstd = 5", Some(1227), Some(1766)),
        ("session_track_gtids = OWN_GTID", None, Some(1766)),
        ("sql_log_bin = 1", Some(1227), Some(1694)),
    ] {
        let sql = format!("set session {set}");
        assert_eq!(m.query(&sql).err().map(|e| e.errno), right, "{set} of anyone");
        c.run("begin");
        assert_eq!(c.query(&sql).err().map(|e| e.errno), inside, "{set} in a transaction");
        c.run("rollback");
    }
}

#[test]
fn intervals_of_executed_transactions_are_rows() {
    let server = Server::start(LOG);
    let mut c = server.root_client();
    let own = c.rows("select @@server_uuid");
    let sql = "select source_uuid, interval_start, interval_end from mysql.gtid_executed order by interval_start";
    assert_eq!(c.rows(sql), "");
    c.run("create database d");
    c.run("create database e");
    c.run("set gtid_next = '3e11fa47-71ca-11e1-9e33-c80aa9429562:7'");
    c.run("create database f");
    c.run("set gtid_next = automatic");
    assert_eq!(c.rows(sql), format!("{own},1,2;3e11fa47-71ca-11e1-9e33-c80aa9429562,7,7"));
    assert!(c.rows("show create table mysql.gtid_executed").contains("`interval_end` bigint"));
    c.run("create user anyone identified with mysql_native_password by ''");
    let login = Login { user: "anyone", ..Login::default() };
    assert_eq!(server.connect(&login).expect("a login").fail(sql), 1142);
    // A dump of MySQL 8.0 brings the table, which a replica completes.
    c.run("set sql_log_bin = 0");
    c.run("drop table mysql.gtid_executed");
    c.run("create table mysql.gtid_executed (source_uuid char(36) not null, interval_start bigint not null, interval_end bigint not null, primary key (source_uuid, interval_start))");
    c.run("insert into mysql.gtid_executed values ('4e11fa47-71ca-11e1-9e33-c80aa9429562', 1, 5)");
    drop(c);
    let again = server.restart(LOG);
    let mut c = again.root_client();
    c.run("change replication source to source_host = '127.0.0.1', source_port = 1, source_user = 'r'");
    c.run("start replica sql_thread");
    until("the table is a replica's", || {
        c.rows("show create table mysql.gtid_executed").contains("gtid_tag")
    });
}

#[test]
fn promises_that_nothing_keeps_are_refused() {
    let server = Server::start(LOG);
    let mut c = server.root_client();
    for (sql, errno) in [
        ("set global binlog_error_action = ignore_error", 1235),
        ("set global binlog_error_action = 0", 1235),
        ("set global binlog_error_action = nonsense", 1231),
        ("set persist_only binlog_error_action = ignore_error", 1235),
        ("set binlog_row_value_options = 2", 1231),
        ("set binlog_row_value_options = 'partial_json,nonsense'", 1231),
        ("set binlog_row_value_options = nonsense", 1231),
        ("set binlog_row_value_options = null", 1231),
    ] {
        assert_eq!(c.fail(sql), errno, "{sql}");
    }
    for sql in [
        "set global binlog_error_action = abort_server",
        "set global binlog_error_action = default",
        "set binlog_row_value_options = ''",
        "set binlog_row_value_options = default",
    ] {
        assert_eq!(c.run(sql).warnings, 0, "{sql}");
    }
}
