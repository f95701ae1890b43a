//! A replica of a source that stands in for MySQL: it logs everybody in, answers what replicas ask, and sends events that the test made.

use crate::common::{Server, until};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use weir_binlog::encode::{self, Writer};
use weir_binlog::event::flag;
use weir_binlog::gtid::Begin;
use weir_binlog::query::Settings;
use weir_binlog::table_map::{Column, ColumnType, TableMap};
use weir_binlog::value::Value;
use weir_binlog::{Checksum, Gtid, GtidSet, Kind, Source};

const FILE: &str = "made.000001";
const UUID: [u8; 16] = [0x11; 16];
const TIME: u32 = 1_700_000_000;

/// The log of the source: for each transaction its number and its events, as the stream has them.
#[derive(Default)]
struct Log {
    transactions: Vec<Vec<Vec<u8>>>,
    /// Where each of them ends.
    ends: Vec<u32>,
    position: u32,
    server_id: u32,
}

#[derive(Clone)]
struct Origin {
    port: u16,
    log: Arc<Mutex<Log>>,
}

impl Origin {
    fn start(server_id: u32) -> Origin {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let log = Log { position: 200, server_id, ..Log::default() };
        let origin = Origin { port, log: Arc::new(Mutex::new(log)) };
        let serves = origin.clone();
        std::thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let one = serves.clone();
                // A replica may be killed in the middle of anything.
                std::thread::spawn(move || one.serve(socket));
            }
        });
        origin
    }

    /// Adds a transaction of these bodies.
    fn add(&self, bodies: &[(Kind, Vec<u8>)]) {
        let mut log = self.log.lock().expect("whole");
        let number = log.transactions.len() as u64 + 1;
        let begin = Begin {
            gtid: Some(Gtid::new(Source::new(UUID), number).expect("a number")),
            sequence_number: number as i64,
            ..Begin::default()
        };
        let mut head = Vec::new();
        encode::begin(&begin, &mut head).expect("no tag");
        let mut w =
            Writer { server_id: log.server_id, checksum: Checksum::Crc32, position: log.position };
        let all = std::iter::once((Kind::Gtid, head)).chain(bodies.iter().cloned());
        let events = all.map(|(kind, body)| {
            let mut out = Vec::new();
            w.event((kind, 0, TIME), &body, &mut out);
            out
        });
        let events: Vec<_> = events.collect();
        log.position = w.position;
        log.ends.push(w.position);
        log.transactions.push(events);
    }

    fn statement(&self, schema: &str, text: &str) {
        self.add(&[(Kind::Query, query(schema, text))]);
    }

    fn insert(&self, rows: &[(i64, &str)]) {
        let mut bodies = vec![(Kind::Query, query("d", "BEGIN"))];
        bodies.extend(inserted(rows));
        bodies.push((Kind::Xid, 7u64.to_le_bytes().to_vec()));
        self.add(&bodies);
    }

    /// A damaged byte in the last event of the last transaction, or that byte as it was.
    fn damage(&self) {
        let mut log = self.log.lock().expect("whole");
        let last = log.transactions.last_mut().and_then(|t| t.last_mut()).expect("one");
        last[20] ^= 0x40;
    }

    fn serve(&self, mut s: TcpStream) -> Option<()> {
        greet(&mut s)?;
        loop {
            let (command, body) = packet(&mut s).and_then(|p| Some((*p.first()?, p)))?;
            match command {
                0x03 => answer(&mut s, &self.value_of(&String::from_utf8_lossy(&body[1..])))?,
                0x15 => ok(&mut s)?,
                0x12 | 0x1E => return self.stream(&mut s, &body),
                _ => return None,
            }
        }
    }

    /// What a replica asks for; nothing for a SET.
    fn value_of(&self, sql: &str) -> Option<String> {
        let upper = sql.to_ascii_uppercase();
        let id = self.log.lock().expect("whole").server_id;
        match () {
            _ if upper.contains("VERSION()") => Some("8.0.36".into()),
            _ if upper.contains("UNIX_TIMESTAMP") => Some(TIME.to_string()),
            _ if upper.contains("SERVER_ID") => Some(id.to_string()),
            _ if upper.contains("SERVER_UUID") => Some(Source::new(UUID).uuid_text()),
            _ if upper.starts_with("SELECT @@GLOBAL.BINLOG_CHECKSUM") => Some("CRC32".into()),
            _ => None,
        }
    }

    /// Sends what the replica lacks, and what is added, until it is gone.
    fn stream(&self, s: &mut TcpStream, request: &[u8]) -> Option<()> {
        let mut sequence = 1;
        let known = (request[0] == 0x1E).then(|| GtidSet::decode(&request[23..]).ok()).flatten();
        let from = u32::from_le_bytes(request[1..5].try_into().ok()?);
        let id = self.log.lock().expect("whole").server_id;
        let mut w = Writer { server_id: id, checksum: Checksum::Crc32, position: 4 };
        let mut head = Vec::new();
        let mut body = Vec::new();
        encode::rotate(FILE, 4, &mut body);
        w.event((Kind::Rotate, flag::ARTIFICIAL, 0), &body, &mut head);
        send_event(s, &mut sequence, &head)?;
        head.clear();
        body.clear();
        encode::format_description("8.0.36", Checksum::Crc32, &mut body);
        w.event((Kind::FormatDescription, 0, TIME), &body, &mut head);
        send_event(s, &mut sequence, &head)?;
        let mut at = 0;
        loop {
            let next = {
                let log = self.log.lock().expect("whole");
                log.transactions.get(at).map(|t| (t.clone(), log.ends[at]))
            };
            let Some((events, end)) = next else {
                std::thread::sleep(std::time::Duration::from_millis(5));
                // A replica that has gone is noticed by the next heartbeat.
                let mut beat = Vec::new();
                w.event((Kind::Heartbeat, flag::ARTIFICIAL, 0), FILE.as_bytes(), &mut beat);
                send_event(s, &mut sequence, &beat)?;
                continue;
            };
            at += 1;
            let number = at as u64;
            let has = match &known {
                Some(set) => set.contains(&Gtid::new(Source::new(UUID), number).ok()?),
                None => end <= from,
            };
            if !has {
                for e in events {
                    send_event(s, &mut sequence, &e)?;
                }
            }
        }
    }
}

fn query(schema: &str, text: &str) -> Vec<u8> {
    let settings = Settings {
        flags2: Some(0),
        sql_mode: Some(0x4020_0000),
        charset: Some((45, 45, 255)),
        default_utf8mb4: Some(255),
        ..Settings::default()
    };
    let mut out = Vec::new();
    encode::query(schema.as_bytes(), &settings, text.as_bytes(), &mut out);
    out
}

fn table() -> TableMap {
    let column = |ty, nullable, unsigned| Column {
        ty,
        nullable,
        unsigned,
        collation: None,
        name: None,
        members: Vec::new(),
    };
    TableMap {
        id: 90,
        flags: 1,
        schema: "d".into(),
        table: "t".into(),
        columns: vec![
            column(ColumnType::Int { bytes: 4 }, false, Some(false)),
            column(ColumnType::Varchar { bytes: 80 }, true, None),
        ],
        primary_key: Vec::new(),
    }
}

fn image<'a>(id: i64, text: &'a str) -> Vec<Option<Value<'a>>> {
    vec![Some(Value::Int { value: id, bytes: 4 }), Some(Value::Bytes(text.as_bytes()))]
}

fn inserted(rows: &[(i64, &str)]) -> Vec<(Kind, Vec<u8>)> {
    let (map, mut of_table, mut of_rows) = (table(), Vec::new(), Vec::new());
    encode::table_map(&map, &mut of_table).expect("a table");
    encode::rows_head(map.id, true, &[&image(0, "")], &mut of_rows);
    for (id, text) in rows {
        encode::image(&map, &image(*id, text), &mut of_rows).expect("values of the columns");
    }
    vec![(Kind::TableMap, of_table), (Kind::WriteRows, of_rows)]
}

fn packet(s: &mut TcpStream) -> Option<Vec<u8>> {
    let mut head = [0; 4];
    s.read_exact(&mut head).ok()?;
    let mut body = vec![0; u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize];
    s.read_exact(&mut body).ok()?;
    Some(body)
}

fn send(s: &mut TcpStream, sequence: u8, body: &[u8]) -> Option<()> {
    let mut out = (body.len() as u32).to_le_bytes().to_vec();
    out[3] = sequence;
    out.extend_from_slice(body);
    s.write_all(&out).ok()
}

fn send_event(s: &mut TcpStream, sequence: &mut u8, event: &[u8]) -> Option<()> {
    let mut body = vec![0];
    body.extend_from_slice(event);
    let n = *sequence;
    *sequence = sequence.wrapping_add(1);
    send(s, n, &body)
}

fn greet(s: &mut TcpStream) -> Option<()> {
    let mut g = b"\x0A8.0.36\0\x07\0\0\0abcdefgh\0".to_vec();
    g.extend_from_slice(&[0xFF, 0xF7, 45, 2, 0, 0xFF, 0xDF, 21]);
    g.extend_from_slice(&[0; 10]);
    g.extend_from_slice(b"ijklmnopqrst\0mysql_native_password\0");
    send(s, 0, &g)?;
    packet(s)?;
    send(s, 2, b"\0\0\0\x02\0\0\0")
}

fn ok(s: &mut TcpStream) -> Option<()> {
    send(s, 1, b"\0\0\0\x02\0\0\0")
}

/// A row of one column, or OK.
fn answer(s: &mut TcpStream, value: &Option<String>) -> Option<()> {
    let Some(value) = value else { return ok(s) };
    send(s, 1, &[1])?;
    let column = b"\x03def\0\0\0\x01v\0\x0C\x2D\0\xFF\0\0\0\xFD\0\0\0\0\0";
    send(s, 2, column)?;
    send(s, 3, &[0xFE, 0, 0, 2, 0])?;
    let mut row = vec![value.len() as u8];
    row.extend_from_slice(value.as_bytes());
    send(s, 4, &row)?;
    send(s, 5, &[0xFE, 0, 0, 2, 0])
}

fn follow(server: &Server, port: u16, how: &str) {
    let mut c = server.root_client();
    c.run(&format!(
        "change replication source to source_host = '127.0.0.1', source_port = {port}, source_user = 'r', source_password = '', source_connect_retry = 1, {how}"
    ));
    c.run("start replica");
}

fn status(server: &Server, column: &str) -> String {
    let mut c = server.root_client();
    let shown = c.run("show replica status");
    let at = shown.columns.iter().position(|c| c == column).expect("a column of the status");
    shown.rows.first().and_then(|r| r[at].clone()).unwrap_or_default()
}

/// Rows and the sum of their keys; nothing before the table is there.
fn count(server: &Server) -> String {
    let asked = server.root_client().query("select count(*), coalesce(sum(id), 0) from d.t");
    let cells = asked.map(|a| a.rows.into_iter().flatten().flatten().collect::<Vec<_>>());
    cells.unwrap_or_default().join(",")
}

const AUTO: &str = "source_auto_position = 1";

fn begun(origin: &Origin) {
    origin.statement("", "create database d");
    origin.statement("d", "create table t (id int primary key, v varchar(20))");
}

#[test]
fn rows_and_statements_arrive_once_over_many_crashes() {
    let by_file = format!("source_log_file = '{FILE}', source_log_pos = 4");
    for how in [AUTO, &by_file] {
        let origin = Origin::start(99);
        begun(&origin);
        let mut server = Server::start(&["--server-id=1"]);
        follow(&server, origin.port, how);
        let mut sum = 0;
        for round in 0..12i64 {
            for n in 0..20 {
                let id = round * 100 + n;
                sum += id;
                origin.insert(&[(id, "row")]);
            }
            // Neither the statement nor the row may happen twice: both would fail.
            origin.statement("d", &format!("alter table t add column c{round} int"));
            origin.statement("d", &format!("alter table t drop column c{round}"));
            std::thread::sleep(std::time::Duration::from_millis(30 + 17 * (round as u64 % 5)));
            server = server.crash(&["--server-id=1"]);
        }
        until("all rows are there", || count(&server) == format!("240,{sum}"));
        until("the applier is idle", || status(&server, "Seconds_Behind_Source") == "0");
        assert_eq!(status(&server, "Last_SQL_Error"), "");
        let end = origin.log.lock().expect("whole").position;
        until("the end", || status(&server, "Exec_Source_Log_Pos") == end.to_string());
        let gtids = format!("{}:1-266", Source::new(UUID).uuid_text());
        assert_eq!(server.root_client().rows("select @@gtid_executed"), gtids);
        let check = server.root_client().rows("check table d.t");
        assert!(check.ends_with("status,OK"), "{check}");
    }
}

#[test]
fn errors_stop_it_with_their_numbers() {
    let origin = Origin::start(99);
    begun(&origin);
    let server = Server::start(&["--server-id=1", "--super-read-only=ON"]);
    follow(&server, origin.port, AUTO);
    origin.insert(&[(1, "a"), (2, "b")]);
    until("two rows", || count(&server) == "2,3");
    let mut c = server.root_client();
    c.run("set global super_read_only = 0");
    c.run("set global read_only = 0");
    c.run("insert into d.t values (3, 'own')");
    origin.insert(&[(4, "before"), (3, "theirs")]);
    until("the duplicate", || status(&server, "Last_SQL_Errno") == "1062");
    let text = status(&server, "Last_SQL_Error");
    assert!(text.starts_with("Could not execute Write_rows event on table d.t; Duplicate entry '3' for key 't.PRIMARY', Error_code: 1062; handler error HA_ERR_FOUND_DUPP_KEY; the event's source log made.000001, end_log_pos "), "{text}");
    assert_eq!(
        (status(&server, "Replica_SQL_Running"), count(&server)),
        ("No".into(), "3,6".into())
    );
    c.run("delete from d.t where id = 3");
    c.run("start replica sql_thread");
    until("the rest", || count(&server) == "4,10");
    origin.statement("d", "drop table nothing");
    until("the statement", || status(&server, "Last_SQL_Errno") == "1051");
    let text = status(&server, "Last_SQL_Error");
    assert_eq!(
        text,
        "Error 'Unknown table 'd.nothing'' on query. Default database: 'd'. Query: 'drop table nothing'"
    );
    // One transaction is passed over, and counts as carried out.
    c.run("set global sql_replica_skip_counter = 1");
    c.run("start replica");
    origin.insert(&[(5, "behind")]);
    until("the row behind it", || count(&server) == "5,15");
    // The row is there a moment before its identifier is, as in MySQL.
    let all = format!("{}:1-6", Source::new(UUID).uuid_text());
    until("all of them", || status(&server, "Executed_Gtid_Set") == all);
}

#[test]
fn a_damaged_event_is_not_applied() {
    let origin = Origin::start(99);
    begun(&origin);
    origin.insert(&[(1, "a")]);
    origin.damage();
    let server = Server::start(&["--server-id=1"]);
    follow(&server, origin.port, AUTO);
    until("the table", || count(&server) == "0,0");
    until("the error", || status(&server, "Last_IO_Errno") == "1595");
    assert_eq!(count(&server), "0,0");
    origin.damage();
    until("the row, by another connection", || count(&server) == "1,1");
    until("no error", || status(&server, "Last_IO_Errno") == "0");
}

#[test]
fn a_source_of_the_same_number_is_refused() {
    let origin = Origin::start(7);
    let server = Server::start(&["--server-id=7"]);
    follow(&server, origin.port, AUTO);
    until("the error", || status(&server, "Last_IO_Errno") == "13117");
    assert!(status(&server, "Last_IO_Error").contains("equal MySQL server ids"));
    until("the end of the thread", || status(&server, "Replica_IO_Running") == "No");
    let mut c = server.root_client();
    assert_eq!(c.fail("change replication source to source_host = 'h'"), 3081);
    c.run("stop replica");
    c.run("reset replica all");
    assert_eq!(c.rows("show replica status"), "");
    assert_eq!(c.fail("start replica"), 1200);
}

#[test]
fn filters_and_a_place_to_stop_at() {
    let origin = Origin::start(99);
    begun(&origin);
    let server = Server::start(&["--server-id=1"]);
    let mut c = server.root_client();
    let to = format!(
        "change replication source to source_host = '127.0.0.1', source_port = {}, source_user = 'r', {AUTO}",
        origin.port
    );
    c.run(&to);
    for id in 1..6 {
        origin.insert(&[(id, "x")]);
    }
    let uuid = Source::new(UUID).uuid_text();
    c.run(&format!("start replica until sql_after_gtids = '{uuid}:1-4'"));
    until("the end", || status(&server, "Replica_SQL_Running") == "No");
    assert_eq!(count(&server), "2,3");
    c.run("stop replica");
    c.run("change replication filter replicate_ignore_table = (d.t)");
    c.run("start replica");
    let all = format!("{uuid}:1-7");
    until("all are carried out", || status(&server, "Executed_Gtid_Set") == all);
    assert_eq!(count(&server), "2,3");
    let told = c.rows(
        "select filter_name, filter_rule from performance_schema.replication_applier_filters",
    );
    assert_eq!(told, "REPLICATE_IGNORE_TABLE,d.t");
}
