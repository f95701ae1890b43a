//! The HTTP port: what it answers, to whom, and what it does not let clients do.

mod exposition;

use crate::common::{PATIENCE, Server, Trust, run_to_end, tls_config, until};
use rustls::pki_types::ServerName;
use rustls::version::TLS13;
use rustls::{ClientConnection, StreamOwned};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A port that was free a moment ago, on all addresses. The kernel gives ports from 32768 on (Linux's default) to
/// clients and to servers that ask for any port, at any moment: those below stay free until a server takes them.
fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let first = std::process::id() * 64;
    (0..10_000)
        .map(|_| first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % 16_384 + 16_000)
        .filter_map(|port| u16::try_from(port).ok())
        .find(|port| TcpListener::bind(("0.0.0.0", *port)).is_ok())
        .expect("a free port")
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

fn parsed(bytes: &[u8]) -> Answer {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head in {text:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head: head.into(), body: body.into() }
}

fn connect(port: u16) -> TcpStream {
    let socket = TcpStream::connect(("127.0.0.1", port)).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket
}

/// Sends bytes, and reads until the server closes.
fn raw(port: u16, bytes: &[u8]) -> Vec<u8> {
    let mut socket = connect(port);
    socket.write_all(bytes).unwrap();
    let mut all = Vec::new();
    // A server that closes with bytes unread resets the connection, after its answer.
    let _ = socket.read_to_end(&mut all);
    all
}

fn request(path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n")
}

fn get(port: u16, path: &str) -> Answer {
    get_with(port, path, "")
}

fn get_with(port: u16, path: &str, headers: &str) -> Answer {
    parsed(&raw(port, request(path, headers).as_bytes()))
}

fn serving(options: &[&str]) -> (Server, u16) {
    let port = free_port();
    let option = format!("--http-port={port}");
    let options: Vec<&str> = options.iter().copied().chain([option.as_str()]).collect();
    (Server::start(&options), port)
}

/// Names of all metrics with their kinds and units, as they were published: dashboards and alerts of others rest on them.
const NAMES: &str = include_str!("metrics.txt");

#[test]
fn metrics_are_well_formed_in_both_forms_and_keep_their_names() {
    let (server, port) = serving(&[]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("create table d.t (a int primary key)");
    c.run("insert into d.t values (1)");
    let text = get(port, "/metrics");
    assert!(
        text.head.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8"),
        "{}",
        text.head
    );
    let families = exposition::text(&text.body);
    let open =
        get_with(port, "/metrics", "Accept: application/openmetrics-text; version=1.0.0\r\n");
    assert!(
        open.head.contains("Content-Type: application/openmetrics-text; version=1.0.0"),
        "{}",
        open.head
    );
    let of_open = exposition::open_metrics(&open.body);
    let mut listed = String::new();
    for f in &of_open {
        listed +=
            &format!("{} {} {}\n", f.name, f.kind, if f.unit.is_empty() { "-" } else { &f.unit });
        let old = if f.kind == "counter" { format!("{}_total", f.name) } else { f.name.clone() };
        assert!(families.iter().any(|o| o.name == old && o.kind == f.kind), "{old}");
    }
    assert_eq!(families.len(), of_open.len());
    let mut lines: Vec<&str> = listed.lines().collect();
    lines.sort_unstable();
    if std::env::var_os("WEIR_WRITE_METRICS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/blackbox/http/metrics.txt");
        std::fs::write(path, lines.join("\n") + "\n").unwrap();
        return;
    }
    let (was, is): (BTreeSet<&str>, BTreeSet<&str>) =
        (NAMES.lines().collect(), lines.into_iter().collect());
    let (gone, new): (Vec<_>, Vec<_>) =
        (was.difference(&is).collect(), is.difference(&was).collect());
    assert!(
        gone.is_empty() && new.is_empty(),
        "gone {gone:?}, new {new:?}: names are kept; WEIR_WRITE_METRICS=1 writes the list with those that are new"
    );
}

#[test]
fn metrics_have_the_numbers_of_show_status() {
    let (server, port) = serving(&[]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("create table d.t (a int primary key)");
    c.run("insert into d.t values (1), (2), (3)");
    let families = exposition::text(&get(port, "/metrics").body);
    let value = |name: &str| {
        let f = families.iter().find(|f| f.name == name).unwrap_or_else(|| panic!("no {name}"));
        f.samples[0].1
    };
    let status = |c: &mut crate::common::Client, name: &str| -> f64 {
        c.rows(&format!("show global status like '{name}'"))
            .split(',')
            .nth(1)
            .unwrap()
            .parse()
            .unwrap()
    };
    assert_eq!(value("weir_innodb_rows_inserted_total"), status(&mut c, "Innodb_rows_inserted"));
    assert_eq!(
        value("weir_innodb_buffer_pool_pages"),
        status(&mut c, "Innodb_buffer_pool_pages_total")
    );
    assert_eq!(value("weir_threads_connected"), 1.0);
    let f = families.iter().find(|f| f.name == "weir_statement_duration_seconds").unwrap();
    let count =
        f.samples.iter().find(|s| s.0 == "weir_statement_duration_seconds_count").unwrap().1;
    assert!(count >= 3.0, "{count}");
    let off = serving(&["--performance-schema=OFF"]);
    let text = get(off.1, "/metrics").body;
    assert!(!text.contains("duration_seconds"), "without digests there is no histogram");
}

#[test]
fn health_readiness_and_what_is_not_there() {
    let (mut server, port) = serving(&[]);
    assert_eq!((get(port, "/health").status, get(port, "/health").body.as_str()), (200, "ok\n"));
    assert_eq!((get(port, "/ready").status, get(port, "/ready").body.as_str()), (200, "ready\n"));
    assert_eq!(get(port, "/nothing").status, 404);
    let page = get(port, "/");
    assert_eq!(page.status, 200);
    assert!(page.body.starts_with("<!doctype html>") && page.head.contains("script-src 'sha256-"));
    assert_eq!(get(port, "/api/now?after=x").status, 400);
    assert!(server.log().contains(&format!("live page and metrics: http://127.0.0.1:{port}/")));
    // Without the option nothing listens, and a port that is taken is reported before anything is touched.
    let (status, text) = run_to_end(None, &[&format!("--http-port={port}")]);
    assert!(
        !status.success() && text.contains("for HTTP") && text.contains("--http-port=N"),
        "{text}"
    );
    let (status, text) =
        run_to_end(None, &["--http-port=1", "--http-bind-address=no.such.host.invalid"]);
    assert!(
        !status.success() && text.contains("http-bind-address 'no.such.host.invalid'"),
        "{text}"
    );
    assert!(server.stop().success());
    let server = server.again(&["--innodb-force-recovery=1", &format!("--http-port={port}")]);
    let answer = get(port, "/ready");
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (503, "started with innodb_force_recovery=1\n")
    );
    assert_eq!(get(port, "/health").status, 200);
    drop(server);
}

#[test]
fn connections_are_kept_and_requests_may_follow_each_other() {
    let (_server, port) = serving(&[]);
    let mut socket = connect(port);
    let one = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let head = "HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    // Two at once, one in pieces, and one that says that it is the last.
    socket.write_all(format!("{one}{head}").as_bytes()).unwrap();
    let last = request("/ready", "");
    let (a, b) = last.split_at(20);
    socket.write_all(a.as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(30));
    socket.write_all(b.as_bytes()).unwrap();
    let mut all = String::new();
    socket.read_to_string(&mut all).unwrap();
    assert_eq!(all.matches("HTTP/1.1 200 OK").count(), 3, "{all}");
    assert_eq!(all.matches("\r\nConnection: keep-alive\r\n").count(), 2);
    assert!(all.ends_with("\r\n\r\nready\n") && !all.contains("weir_uptime"), "{all}");
}

#[test]
fn what_is_not_http_or_of_another_site_gets_nothing() {
    let (_server, port) = serving(&[]);
    let status = |bytes: &[u8]| parsed(&raw(port, bytes)).status;
    assert_eq!(
        status(b"POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
        405
    );
    assert_eq!(status(b"hello\r\n\r\n"), 400);
    assert_eq!(status(&[b'x'; 20_000]), 431);
    assert_eq!(
        status(b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nsomething"),
        413
    );
    assert_eq!(
        status(b"GET /api/now HTTP/1.1\r\nHost: weir.example:80\r\nConnection: close\r\n\r\n"),
        421,
        "DNS rebinding"
    );
    for header in
        ["Origin: http://evil.example\r\n", "Origin: null\r\n", "Sec-Fetch-Site: cross-site\r\n"]
    {
        let answer = get_with(port, "/api/now", header);
        assert_eq!((answer.status, answer.body.contains("samples")), (403, false), "{header}");
    }
    assert_eq!(
        get_with(port, "/api/now", "Origin: http://localhost\r\nSec-Fetch-Site: same-origin\r\n")
            .status,
        200
    );
}

#[test]
fn slow_and_silent_clients_hold_up_nobody() {
    let (server, port) = serving(&[]);
    // As many as are let in, which say nothing; and the next one is turned away.
    let silent: Vec<TcpStream> = (0..64).map(|_| connect(port)).collect();
    until("all places are taken", || {
        parsed(&raw(port, request("/health", "").as_bytes())).status == 503
    });
    let mut c = server.root_client();
    assert_eq!(c.rows("select 1"), "1", "SQL is served meanwhile");
    // A client that sends byte by byte does not get more time than the others.
    drop(silent);
    until("the places are free again", || get(port, "/health").status == 200);
    let mut drip = connect(port);
    let begun = Instant::now();
    let mut sent = 0;
    for byte in request("/health", &"X: y\r\n".repeat(50)).bytes() {
        if drip.write_all(&[byte]).is_err() || begun.elapsed() > Duration::from_secs(30) {
            break;
        }
        sent += 1;
        std::thread::sleep(Duration::from_millis(40));
    }
    assert!(
        begun.elapsed() < Duration::from_secs(20) && sent < 300,
        "{sent} bytes in {:?}",
        begun.elapsed()
    );
}

#[test]
fn the_live_page_has_seconds_statements_and_who_waits_for_whom() {
    let (server, port) = serving(&[]);
    let mut a = server.root_client();
    a.run("create database d");
    a.run("create table d.t (a int primary key, b varchar(20))");
    a.run("insert into d.t values (1, 'secret word')");
    a.run("begin");
    a.run("update d.t set b = 'secret word' where a = 1");
    let blocker: u64 = a.rows("select connection_id()").parse().unwrap();
    let now = || -> Value { serde_json::from_str(&get(port, "/api/now").body).unwrap() };
    std::thread::scope(|scope| {
        let mut b = server.root_client();
        let waits = scope.spawn(move || b.run("update d.t set b = 'other secret' where a = 1"));
        until("the wait is seen", || {
            let open = now()["waits"]["open"].clone();
            open.as_array().is_some_and(|w| {
                w.iter().any(|w| w["blocker"] == blocker && w["cause"] == "row lock")
            })
        });
        let seen = now();
        assert_eq!(seen["waits"]["sessions"][blocker.to_string()]["user"], "root");
        a.run("commit");
        waits.join().unwrap();
    });
    until("there are some seconds", || now()["samples"].as_array().unwrap().len() >= 3);
    let body = get(port, "/api/now").body;
    assert!(!body.contains("secret"), "literals are nobody's business: {body}");
    let v: Value = serde_json::from_str(&body).unwrap();
    let fields = v["fields"].as_array().unwrap();
    assert_eq!(v["samples"][0][2].as_array().unwrap().len(), fields.len());
    assert!(
        v["statements"]
            .as_array()
            .unwrap()
            .iter()
            .any(|s| { s["text"].as_str().unwrap().starts_with("INSERT INTO") && s["count"] == 1 }),
        "{v}"
    );
    let last = v["samples"].as_array().unwrap().last().unwrap()[0].as_u64().unwrap();
    let new: Value =
        serde_json::from_str(&get(port, &format!("/api/now?after={last}")).body).unwrap();
    assert!(new["samples"].as_array().unwrap().len() <= 2, "only what is new is sent");
}

/// A request over TLS; `None`: the server closed without an answer.
fn over_tls(server: &Server, port: u16, path: &str, headers: &str) -> Option<Answer> {
    let ca = server.root().join("data/ca.pem");
    let config = tls_config(&Trust { ca: &ca, own: None, versions: &[&TLS13] });
    let name = ServerName::try_from("localhost").unwrap();
    let tls = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(tls, connect(port));
    stream.write_all(request(path, headers).as_bytes()).ok()?;
    let mut all = Vec::new();
    // The server ends without a close_notify, as HTTP's Content-Length allows.
    let _ = stream.read_to_end(&mut all);
    (!all.is_empty()).then(|| parsed(&all))
}

#[test]
fn elsewhere_an_account_with_the_process_privilege_is_needed() {
    let (server, port) = serving(&["--http-bind-address=0.0.0.0"]);
    // The page is served after the ports that make a server ready.
    until("the page's line", || server.log().contains("accounts with the PROCESS privilege"));
    let mut c = server.root_client();
    for account in [
        "watcher@localhost identified by 'p:w'",
        "plain@localhost identified with mysql_native_password by 'n'",
        "none@localhost identified by 'x'",
        "locked@localhost identified by 'x' account lock",
        "open@localhost",
        "old@localhost identified by 'x' password expire",
        "certified@localhost identified by 'x' require x509",
        "byrole@localhost identified by 'x'",
    ] {
        c.run(&format!("create user {account}"));
    }
    c.run("grant process on *.* to watcher@localhost, plain@localhost, locked@localhost, open@localhost, old@localhost, certified@localhost");
    c.run("create role seer");
    c.run("grant process on *.* to seer");
    c.run("grant seer to byrole@localhost");
    c.run("set default role seer to byrole@localhost");
    c.run("set global connection_control_failed_connections_threshold = 0");
    let basic = |pair: &str| {
        let pem = weir_server::crypto::pem("X", pair.as_bytes());
        let token: String = pem.lines().filter(|l| !l.starts_with('-')).collect();
        format!("Authorization: Basic {token}\r\n")
    };
    let asked = |pair: &str| over_tls(&server, port, "/metrics", &basic(pair)).unwrap();
    assert!(asked("watcher:p:w").body.contains("weir_uptime_seconds"));
    for (pair, status) in [
        ("watcher:p:w", 200),
        ("plain:n", 200),
        ("byrole:x", 200),
        ("watcher:", 401),
        ("watcher:p", 401),
        ("nobody:x", 401),
        ("locked:x", 401),
        ("certified:x", 401),
        ("open:", 401),
        ("root:", 401),
        ("none:x", 403),
        ("old:x", 403),
    ] {
        let answer = asked(pair);
        assert_eq!(answer.status, status, "{pair}: {}", answer.body);
        assert_eq!(status == 200, answer.body.contains("weir_uptime"), "{pair}");
        assert_eq!(status == 401, answer.head.contains("WWW-Authenticate: Basic"), "{pair}");
    }
    for path in ["/metrics", "/api/now"] {
        assert_eq!(over_tls(&server, port, path, "").unwrap().status, 401, "{path}");
    }
    // The page is a form that has no number in it. Its script shows the form itself: no window of the browser's comes before it.
    let page = over_tls(&server, port, "/", "").unwrap();
    assert_eq!((page.status, page.body.contains("hostname")), (200, false));
    let asked_by_script =
        over_tls(&server, port, "/api/now", "Accept: application/json\r\n").unwrap();
    assert_eq!(
        (asked_by_script.status, asked_by_script.head.contains("WWW-Authenticate")),
        (401, false)
    );
    // What supervises a server has no account.
    assert_eq!(over_tls(&server, port, "/ready", "").unwrap().body, "ready\n");
    let plain = raw(port, request("/metrics", &basic("watcher:p:w")).as_bytes());
    assert!(!String::from_utf8_lossy(&plain).contains("HTTP/1.1"), "nothing is said in the clear");
    c.run("alter user watcher@localhost identified by 'new'");
    assert_eq!(asked("watcher:p:w").status, 401);
    assert_eq!(asked("watcher:new").status, 200);
    // Guesses are held back and counted as those of SQL are.
    c.run("set global connection_control_failed_connections_threshold = 1");
    c.run("set global connection_control_min_connection_delay = 1000");
    assert_eq!(asked("watcher:a").status, 401);
    let begun = Instant::now();
    assert_eq!(asked("watcher:b").status, 401);
    assert!(begun.elapsed() >= Duration::from_millis(1000));
}

fn post(port: u16, path: &str, headers: &str, body: &str) -> Answer {
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
    );
    parsed(&raw(port, (head + body).as_bytes()))
}

const OWN: &str = "Origin: http://localhost\r\n";

/// Logs in; the Cookie header of later requests.
fn cookie(port: u16, user: &str, password: &str) -> String {
    let body = format!(r#"{{"user":"{user}","password":"{password}"}}"#);
    let answer = post(port, "/api/login", OWN, &body);
    assert_eq!(answer.status, 200, "{user}: {}", answer.body);
    let set = answer.head.lines().find_map(|l| l.strip_prefix("Set-Cookie: ")).unwrap();
    assert!(set.contains("HttpOnly") && set.contains("SameSite=Strict"), "{set}");
    format!("Cookie: {}\r\n{OWN}", set.split(';').next().unwrap())
}

#[test]
fn a_connection_is_ended_from_the_page_by_those_who_may() {
    let (server, port) = serving(&[]);
    let mut c = server.root_client();
    for sql in [
        "create user boss@localhost identified by 'b'",
        "grant connection_admin, system_user on *.* to boss@localhost",
        "create user clerk@localhost identified by 'c'",
        "create user open@localhost",
    ] {
        c.run(sql);
    }
    let mut victim = server.root_client();
    let id = victim.rows("select connection_id()");
    let body = format!(r#"{{"id":{id}}}"#);
    let ends = |headers: &str| post(port, "/api/kill", headers, &body).status;
    // Nobody, another site, an old or wrong cookie, an account without the right: nothing happens.
    let clerk = cookie(port, "clerk", "c");
    let boss = cookie(port, "boss", "b");
    let stolen = boss.replace(OWN, "");
    for (headers, status) in [
        (OWN.to_string(), 401),
        (String::new(), 403),
        (stolen.clone(), 403),
        (format!("{stolen}Origin: http://evil.example\r\n"), 403),
        (format!("{boss}Sec-Fetch-Site: cross-site\r\n"), 403),
        (format!("Cookie: weir={}\r\n{OWN}", "0".repeat(64)), 401),
        (clerk, 403),
    ] {
        assert_eq!(ends(&headers), status, "{headers}");
    }
    assert_eq!(victim.rows("select 1"), "1");
    for wrong in [
        r#"{"user":"boss","password":"x"}"#,
        r#"{"user":"open","password":""}"#,
        r#"{"user":"nobody","password":"x"}"#,
    ] {
        assert_eq!(post(port, "/api/login", OWN, wrong).status, 403, "{wrong}");
    }
    assert_eq!(post(port, "/api/login", OWN, "nonsense").status, 400);
    assert_eq!(get_with(port, "/api/kill", "").status, 405);
    // What it does, and then itself.
    let mut sleeper = server.root_client();
    let slow = sleeper.rows("select connection_id()");
    std::thread::scope(|s| {
        let slept = s.spawn(move || sleeper.query("select sleep(600)").is_ok());
        until("it sleeps", || {
            c.rows(&format!("select count(*) from information_schema.processlist where id = {slow} and info is not null")) == "1"
        });
        let query = format!(r#"{{"id":{slow},"query":true}}"#);
        assert_eq!(post(port, "/api/kill", &boss, &query).status, 200);
        slept.join().unwrap();
    });
    assert_eq!(ends(&boss), 200);
    assert!(victim.query("select 1").is_err());
    assert!(
        server.log().contains(&format!("HTTP: boss@localhost ends connection {id} from localhost"))
            || server
                .log()
                .contains(&format!("HTTP: boss@localhost ends connection {id} from 127.0.0.1")),
        "{}",
        server.log()
    );
    // Its connection leaves the list when its thread has seen the end.
    until("it is gone", || ends(&boss) == 403);
    // A new password ends what was begun with the old one; so do a logout and the server's end.
    c.run("alter user boss@localhost identified by 'new'");
    assert_eq!(ends(&boss), 401);
    let boss = cookie(port, "boss", "new");
    assert_eq!(post(port, "/api/logout", &boss, "{}").status, 200);
    assert_eq!(ends(&boss), 401);
    let boss = cookie(port, "boss", "new");
    drop((c, victim));
    let option = format!("--http-port={port}");
    let server = server.restart(&[&option]);
    assert_eq!(post(port, "/api/kill", &boss, r#"{"id":1}"#).status, 401);
    drop(server);
}
