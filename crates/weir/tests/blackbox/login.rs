//! Who gets in, and what becomes of those who do not speak the protocol.

use crate::common::{Client, Login, Server, cap, until};

const SHA2: &str = "caching_sha2_password";
const NATIVE: &str = "mysql_native_password";

fn with_users() -> Server {
    let server = Server::start(&[]);
    let mut root = server.root_client();
    root.run("create user n@localhost identified with mysql_native_password by 'nat'");
    root.run("create user s@localhost identified with caching_sha2_password by 'sha'");
    root.run("create user locked@localhost identified by 'x' account lock");
    server
}

fn login<'a>(user: &'a str, password: &'a str, plugin: &'a str) -> Login<'a> {
    Login { user, password, plugin, ..Login::default() }
}

#[test]
fn the_greeting_announces_mysql() {
    let server = Server::start(&[]);
    let mut raw = Client::raw(server.port);
    let (salt, version) = raw.greeting().unwrap();
    assert!(version.starts_with("8.0.36-weir-"), "{version}");
    assert!(salt.iter().all(|b| *b != 0));
    let mut root = server.root_client();
    assert_eq!(root.rows("select version()"), version);
    assert_eq!(root.rows("select connection_id()"), root.id.to_string());
}

#[test]
fn passwords_by_both_methods_whatever_the_client_prefers() {
    let server = with_users();
    for preferred in [NATIVE, SHA2] {
        for (user, password) in [("n", "nat"), ("s", "sha")] {
            // A client whose own method is not the greeting's may hold its answer back.
            for withhold in [false, preferred != NATIVE] {
                let l = Login { withhold, ..login(user, password, preferred) };
                let mut c = server
                    .connect(&l)
                    .unwrap_or_else(|e| panic!("{user} by {preferred} {withhold}: {e:?}"));
                assert_eq!(c.rows("select current_user()"), format!("{user}@localhost"));
            }
        }
    }
}

#[test]
fn a_password_is_sent_once_then_proved_from_the_cache() {
    let server = with_users();
    let l = login("s", "sha", SHA2);
    assert_eq!(server.connect(&l).unwrap().dialogue, ["key"]);
    assert_eq!(server.connect(&l).unwrap().dialogue, ["fast"]);
    // A wrong password is not proved by the cache, and does not spoil it.
    assert_eq!(server.connect(&login("s", "no", SHA2)).err().unwrap().errno, 1045);
    assert_eq!(server.connect(&l).unwrap().dialogue, ["fast"]);
    // A new password is asked for again.
    server.root_client().run("alter user s@localhost identified by 'new'");
    assert_eq!(server.connect(&l).err().unwrap().errno, 1045);
    let new = login("s", "new", SHA2);
    let local = Client::unix(&server.socket(), &new).unwrap();
    assert_eq!(local.dialogue, ["clear"]);
    assert_eq!(server.connect(&new).unwrap().dialogue, ["fast"]);
}

#[test]
fn wrong_passwords_and_names_are_refused() {
    let server = with_users();
    for plugin in [NATIVE, SHA2] {
        for (user, password) in
            [("n", "sha"), ("n", ""), ("s", "nat"), ("s", ""), ("root", "x"), ("nobody", "x")]
        {
            let e = server.connect(&login(user, password, plugin)).err().expect("refused");
            assert_eq!((e.errno, &*e.state), (1045, "28000"), "{user} {password} {e:?}");
            let using = if password.is_empty() { "NO" } else { "YES" };
            assert_eq!(
                e.message,
                format!("Access denied for user '{user}'@'localhost' (using password: {using})")
            );
        }
    }
    assert_eq!(server.connect(&login("locked", "x", SHA2)).err().unwrap().errno, 3118);
    let mut root = server.root_client();
    assert_ne!(root.rows("show status like 'Aborted_connects'"), "Aborted_connects,0");
    // The answer is out a moment before the connection is.
    until("the refused ones are gone", || {
        root.rows("select count(*) from information_schema.processlist") == "1"
    });
}

#[test]
fn an_unknown_name_looks_like_a_wrong_password() {
    let server = with_users();
    let dialogue = |user: &str, plugin: &str| {
        let mut c = Client::raw(server.port);
        let (salt, _) = c.greeting().unwrap();
        let mut p = (cap::DEFAULT | cap::DEPRECATE_EOF).to_le_bytes().to_vec();
        p.extend_from_slice(&[0, 0, 0, 1, 45]);
        p.extend_from_slice(&[0; 23]);
        p.extend_from_slice(user.as_bytes());
        p.extend_from_slice(&[0, 32]);
        p.extend(weir_login::proof::caching_sha2(b"guess", &salt));
        p.extend_from_slice(plugin.as_bytes());
        p.push(0);
        c.write_packet(&p).unwrap();
        c.read_packet().unwrap()
    };
    assert_eq!(dialogue("s", SHA2), dialogue("nobody", SHA2));
    assert_eq!(dialogue("nobody", SHA2), [1, 4]);
}

#[test]
fn a_default_database_must_exist() {
    let server = with_users();
    let with = |database| server.connect(&Login { database, ..Login::default() });
    let mut c = with("mysql").or_else(|_| with("information_schema")).unwrap();
    assert_ne!(c.rows("select database()"), "NULL");
    assert_eq!(with("nope").err().unwrap().errno, 1049);
    let e = server
        .connect(&Login { database: "mysql", ..login("n", "nat", NATIVE) })
        .err()
        .expect("no right to it");
    assert_eq!(e.errno, 1044);
}

#[test]
fn change_user_begins_anew() {
    let server = with_users();
    let mut c = server.root_client();
    c.run("set @a = 1");
    c.run("create database d");
    c.run("use d");
    c.run("create table t (a int primary key)");
    c.run("begin");
    c.run("insert into t values (1)");
    for (user, password) in [("s", "sha"), ("n", "nat"), ("s", "sha")] {
        c.change_user(&login(user, password, SHA2)).unwrap();
        assert_eq!(c.rows("select user()"), format!("{user}@localhost"));
    }
    assert_eq!(c.rows("select @a, database()"), "NULL,NULL");
    c.change_user(&Login { database: "d", ..Login::default() }).unwrap();
    assert_eq!(c.rows("select count(*), database() from t"), "0,d");
    assert_eq!(c.change_user(&login("s", "wrong", SHA2)).unwrap_err().errno, 1045);
    assert!(c.is_closed());
}

#[test]
fn garbage_instead_of_a_login() {
    let server = Server::start(&[]);
    let noise: &[&[u8]] = &[
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        &[0xFF; 64],
        &[0; 64],
        &[1, 0, 0, 1, 0],
        &[0, 0, 0, 1],
        // A header of a login with nothing behind it.
        &[4, 0, 0, 1, 0x00, 0x82, 0, 0],
    ];
    for bytes in noise {
        let mut c = Client::raw(server.port);
        c.greeting().unwrap();
        c.send_bytes(bytes).unwrap();
        let e = c.read_failure();
        assert!([1043, 1153, 1156, 1251].contains(&e.errno), "{bytes:?}: {e:?}");
        assert!(c.is_closed(), "{bytes:?}");
    }
    assert_eq!(server.root_client().rows("select 1"), "1");
}

#[test]
fn tls_was_not_offered() {
    let server = Server::start(&["--skip-ssl"]);
    let mut c = Client::raw(server.port);
    c.greeting().unwrap();
    assert_eq!(c.offered & cap::SSL, 0);
    let mut p = (cap::DEFAULT | cap::SSL).to_le_bytes().to_vec();
    p.resize(32, 0);
    c.write_packet(&p).unwrap();
    assert_eq!(c.read_failure().errno, 1043);
}

#[test]
fn half_a_login_does_not_stay() {
    let server = Server::start(&[]);
    let mut root = server.root_client();
    for bytes in [&[][..], &[50, 0], &[50, 0, 0, 1, 5, 5, 5]] {
        let mut c = Client::raw(server.port);
        c.greeting().unwrap();
        c.send_bytes(bytes).unwrap();
        c.vanish();
    }
    until("half logins are gone", || {
        root.rows("select count(*) from information_schema.processlist") == "1"
    });
}

#[test]
fn too_many_connections() {
    let server = Server::start(&["--max-connections=2"]);
    let mut root = server.root_client();
    root.run("create user u@localhost");
    let user = login("u", "", NATIVE);
    let second = server.connect(&user).unwrap();
    // One more is kept for somebody who may kill others.
    assert_eq!(server.connect(&user).err().unwrap().errno, 1040);
    until("the refused one is counted out", || {
        root.rows("select count(*) from information_schema.processlist") == "2"
    });
    let reserve = server.root_client();
    let e = Client::raw(server.port).greeting().unwrap_err();
    assert_eq!((e.errno, &*e.message), (1040, "Too many connections"));
    let refused = root.rows("show global status like 'Connection_errors_max_connections'");
    assert_eq!(refused, "Connection_errors_max_connections,2");
    drop((second, reserve));
    until("there is room again", || server.connect(&user).is_ok());
}

#[test]
fn a_thousand_idle_connections_are_cheap() {
    raise_files_limit();
    let server = Server::start(&["--max-connections=1100"]);
    let mut root = server.root_client();
    root.run("create database d");
    root.run("create table d.t (a int primary key)");
    root.run("insert into d.t values (1)");
    let before = server.resident_kib();
    let mut clients: Vec<_> = (0..1000).map(|_| server.root_client()).collect();
    for c in &mut clients {
        assert_eq!(c.rows("select a from d.t where a = 1"), "1");
    }
    assert_eq!(root.rows("show status like 'Threads_connected'"), "Threads_connected,1001");
    // Buffers are given back when a connection has been idle for a while.
    until("a thousand idle connections cost less than 64 MiB", || {
        server.resident_kib().saturating_sub(before) < 64 * 1024
    });
    drop(clients);
    until("they are gone", || {
        root.rows("show status like 'Threads_connected'") == "Threads_connected,1"
    });
}

/// The test holds a thousand sockets itself.
fn raise_files_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let now = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: now.maximum, maximum: now.maximum }).unwrap();
}

/// A stranger holds neither memory nor a place: a packet longer than any login is refused at its header, and a client that
/// sends its login byte by byte is cut off when `connect_timeout` is over, though each byte came in time.
#[test]
fn a_login_is_small_and_soon_over() {
    let server = Server::start(&["--connect-timeout=2"]);
    let mut large = Client::raw(server.port);
    large.greeting().unwrap();
    // The header claims 62 MiB; a piece of them follows.
    let mut claim = (62u32 << 20).to_le_bytes()[..3].to_vec();
    claim.push(1);
    claim.extend_from_slice(&[b'x'; 4096]);
    large.send_bytes(&claim).unwrap();
    assert_eq!(large.read_failure().errno, 1153);
    assert!(large.is_closed());

    let mut slow = Client::raw(server.port);
    slow.greeting().unwrap();
    slow.send_bytes(&[200, 0, 0, 1]).unwrap();
    until("the slow client is cut off", || {
        std::thread::sleep(std::time::Duration::from_millis(200));
        slow.send_bytes(b"x").is_err()
    });
    // A login with all the attributes that a client may send is not too long, nor is a large statement after it.
    let mut c = server.root_client();
    let text = "x".repeat(1 << 20);
    assert_eq!(c.rows(&format!("select length('{text}')")), "1048576");
    c.change_user(&Login::default()).unwrap();
    assert_eq!(c.rows(&format!("select length('{text}')")), "1048576");
}

/// Guessing is slow: from the fourth failure in a row on, each answer of a name from an address comes later than the one
/// before, a right one too. Nobody else waits, the delay is over when the client gives up, and KILL and SIGTERM end it.
#[test]
fn whoever_guesses_waits() {
    let mut server = with_users();
    let mut root = server.root_client();
    root.run("set global connection_control_failed_connections_threshold = 2");
    root.run("set global connection_control_max_connection_delay = 1500");
    root.run("create user o@localhost identified by 'x'");
    let delays = |root: &mut Client| {
        let row = root.rows("show global status like 'Connection_control_delay_generated'");
        row.rsplit(',').next().and_then(|n| n.parse::<u64>().ok()).expect("a number")
    };
    let attempts = "select * from information_schema.connection_control_failed_login_attempts";
    for user in ["s", "nobody"] {
        let before = delays(&mut root);
        for _ in 0..2 {
            assert_eq!(server.connect(&login(user, "no", SHA2)).err().unwrap().errno, 1045);
        }
        assert_eq!(delays(&mut root), before, "the first ones are answered at once");
        let begun = std::time::Instant::now();
        assert_eq!(server.connect(&login(user, "no", SHA2)).err().unwrap().errno, 1045);
        // A lower bound is no measurement: sooner would be wrong on any machine.
        assert!(begun.elapsed() >= std::time::Duration::from_secs(1));
        assert_eq!(delays(&mut root), before + 1);
    }
    assert_eq!(root.rows(attempts), "'nobody'@'localhost',3;'s'@'localhost',3");
    // Those without the right see nothing of it, and do not wait for others' failures.
    let mut other = server.connect(&login("n", "nat", NATIVE)).unwrap();
    assert_eq!(other.rows(attempts), "");
    // The right password waits too, then all is forgotten.
    let before = delays(&mut root);
    server.connect(&login("s", "sha", SHA2)).unwrap();
    assert_eq!(delays(&mut root), before + 1);
    assert_eq!(root.rows(attempts), "'nobody'@'localhost',3");
    // COM_CHANGE_USER is a login as well.
    assert_eq!(other.change_user(&login("nobody", "no", SHA2)).unwrap_err().errno, 1045);
    assert_eq!(root.rows(attempts), "'nobody'@'localhost',4");

    // Many guesses at a time do not fill the server with connections that wait.
    root.run("set global connection_control_max_connection_delay = 2147483647");
    root.run("set global connection_control_min_connection_delay = 600000");
    let mut guesses: Vec<_> = (0..30).map(|_| guess(&server, "n")).collect();
    let all = |root: &mut Client| root.rows("select count(*) from information_schema.processlist");
    until("all but eight are refused", || all(&mut root) == "9");
    // A client that gives up frees its place at once.
    guesses.clear();
    until("they are gone", || all(&mut root) == "1");
    // A killed one too, and the server stops while others wait.
    let _one = guess(&server, "n");
    until("it waits", || all(&mut root) == "2");
    root.run("set global connection_control_failed_connections_threshold = 0");
    server.connect(&login("s", "sha", SHA2)).unwrap();
    server.stop();
}

/// A login with a wrong password whose answer is not waited for.
fn guess(server: &Server, user: &str) -> Client {
    let mut c = Client::raw(server.port);
    let (salt, _) = c.greeting().unwrap();
    let mut p = (cap::DEFAULT | cap::DEPRECATE_EOF).to_le_bytes().to_vec();
    p.extend_from_slice(&[0, 0, 0, 1, 45]);
    p.extend_from_slice(&[0; 23]);
    p.extend_from_slice(user.as_bytes());
    p.extend_from_slice(&[0, 20]);
    p.extend(weir_login::proof::native(b"guess", &salt));
    p.extend_from_slice(NATIVE.as_bytes());
    p.push(0);
    c.write_packet(&p).unwrap();
    c
}
