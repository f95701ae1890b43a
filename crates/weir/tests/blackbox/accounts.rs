//! Logins that an account's bounds are about: failed ones in a row, expired passwords, connections at a time and in an hour.

use crate::common::{Client, Failure, Login, Server, cap, until};

const SHA2: &str = "caching_sha2_password";
const NATIVE: &str = "mysql_native_password";

fn login<'a>(user: &'a str, password: &'a str, plugin: &'a str) -> Login<'a> {
    Login { user, password, plugin, ..Login::default() }
}

fn refused(server: &Server, login: &Login<'_>) -> Failure {
    server.connect(login).err().expect("refused")
}

fn blocked(user: &str, days: &str, left: &str, failures: u32) -> String {
    format!(
        "Access denied for user '{user}'@'localhost'. Account is blocked for {days} day(s) ({left} day(s) remaining) due to {failures} consecutive failed logins."
    )
}

#[test]
fn failed_logins_in_a_row_block_the_account() {
    let server = Server::start(&[]);
    let mut root = server.root_client();
    // So that the test does not wait; what they do together is below.
    root.run("set global connection_control_failed_connections_threshold = 0");
    for (user, plugin) in [("n", NATIVE), ("s", SHA2)] {
        root.run(&format!(
            "create user {user}@localhost identified with {plugin} by 'x' failed_login_attempts 2 password_lock_time 3"
        ));
        let (good, bad) = (login(user, "x", plugin), login(user, "no", plugin));
        let denied = |l: &Login<'_>| {
            let e = refused(&server, l);
            (e.errno, e.message)
        };
        assert_eq!(denied(&bad).0, 1045);
        // A login in between begins a new row.
        server.connect(&good).unwrap();
        assert_eq!(denied(&login(user, "", plugin)).0, 1045);
        let told = (3955, blocked(user, "3", "3", 2));
        assert_eq!(denied(&bad), told);
        // The right password does not help now, by COM_CHANGE_USER neither.
        assert_eq!(denied(&good), told);
        assert_eq!(denied(&bad), told);
        assert_eq!(server.root_client().change_user(&good).unwrap_err().errno, 3955);
        for way in
            [format!("alter user {user}@localhost account unlock"), "flush privileges".into()]
        {
            root.run(&way);
            server.connect(&good).unwrap();
            assert_eq!([denied(&bad).0, denied(&bad).0], [1045, 3955]);
        }
        root.run(&format!("alter user {user}@localhost password_lock_time unbounded"));
        assert_eq!(denied(&bad).0, 1045);
        assert_eq!(denied(&bad), (3955, blocked(user, "unlimited", "unlimited", 2)));
        // Without both numbers nothing is counted.
        root.run(&format!("alter user {user}@localhost password_lock_time 0"));
        assert!((0..4).all(|_| denied(&bad).0 == 1045));
        server.connect(&good).unwrap();
    }
}

/// A password is changed while programs that know the former one go on: both log in, a third does not.
#[test]
fn two_passwords_of_one_account_log_in() {
    let server = Server::start(&[]);
    let mut root = server.root_client();
    root.run("set global connection_control_failed_connections_threshold = 0");
    for (user, plugin) in [("n", NATIVE), ("s", SHA2)] {
        root.run(&format!("create user {user}@localhost identified with {plugin} by 'old'"));
        server.connect(&login(user, "old", plugin)).unwrap();
        root.run(&format!(
            "alter user {user}@localhost identified by 'new' retain current password"
        ));
        // Twice: by the proof itself, and by what the server remembers of it.
        for password in ["old", "new", "new", "old"] {
            server.connect(&login(user, password, plugin)).unwrap();
            root.change_user(&login(user, password, plugin)).unwrap();
            root.change_user(&Login::default()).unwrap();
        }
        assert_eq!(refused(&server, &login(user, "older", plugin)).errno, 1045);
        assert_eq!(refused(&server, &login(user, "", plugin)).errno, 1045);
        root.run(&format!("alter user {user}@localhost discard old password"));
        assert_eq!(refused(&server, &login(user, "old", plugin)).errno, 1045);
        server.connect(&login(user, "new", plugin)).unwrap();
    }
}

/// Both rules hold beside one another: anyone who guesses waits, and the account is blocked.
#[test]
fn a_blocked_account_is_slow_too() {
    let server = Server::start(&[]);
    let mut root = server.root_client();
    root.run("set global connection_control_failed_connections_threshold = 1");
    root.run("set global connection_control_max_connection_delay = 1000");
    root.run("create user n@localhost identified with mysql_native_password by 'x' failed_login_attempts 1 password_lock_time 1");
    assert_eq!(refused(&server, &login("n", "no", NATIVE)).errno, 3955);
    let begun = std::time::Instant::now();
    assert_eq!(refused(&server, &login("n", "x", NATIVE)).errno, 3955);
    // A lower bound is no measurement: sooner would be wrong on any machine.
    assert!(begun.elapsed() >= std::time::Duration::from_secs(1));
    let attempts = "select * from information_schema.connection_control_failed_login_attempts";
    assert_eq!(root.rows(attempts), "'n'@'localhost',2");
}

#[test]
fn an_expired_password_is_changed_by_clients_that_can() {
    let mut server = Server::start(&[]);
    let mut root = server.root_client();
    root.run("create database d");
    root.run(
        "create user n@localhost identified with mysql_native_password by 'x' password expire",
    );
    root.run("grant all on d.* to n@localhost");
    let old = login("n", "x", NATIVE);
    let able = Login { flags: cap::DEPRECATE_EOF | cap::EXPIRED_PASSWORDS, ..old };
    let e = refused(&server, &old);
    assert_eq!(
        (e.errno, &*e.message),
        (
            1862,
            "Your password has expired. To log in you must change it using a client that supports expired passwords."
        )
    );
    assert_eq!(refused(&server, &login("n", "no", NATIVE)).errno, 1045);
    assert_eq!(server.root_client().change_user(&old).unwrap_err().errno, 1862);
    let mut c = server.connect(&Login { database: "d", ..able }).unwrap();
    assert_eq!(c.query("select 1").err().unwrap().errno, 1820);
    // Another database, and statistics, are asked for without a statement.
    for command in [&b"\x02d"[..], &b"\x09"[..], &b"\x04t\0"[..], &b"\x0a"[..]] {
        c.command(command).unwrap();
        let answer = c.read_packet().unwrap();
        let errno = u16::from_le_bytes([answer[1], answer[2]]);
        assert_eq!((answer[0], errno), (0xFF, 1820), "{command:?}");
    }
    c.run("set names utf8mb4");
    c.run("alter user user() identified by 'y'");
    assert_eq!(c.rows("select 1"), "1");
    server.connect(&login("n", "y", NATIVE)).unwrap();
    server.stop();
}

#[test]
fn any_client_may_come_where_the_server_says_so() {
    let server = Server::start(&["--disconnect-on-expired-password=OFF"]);
    let mut root = server.root_client();
    root.run(
        "create user n@localhost identified with mysql_native_password by 'x' password expire",
    );
    let mut c = server.connect(&login("n", "x", NATIVE)).unwrap();
    assert_eq!(c.query("do 1").err().unwrap().errno, 1820);
    c.run("set password = 'y'");
    c.run("do 1");
}

#[test]
fn connections_of_an_account_are_limited() {
    let server = Server::start(&[]);
    let mut root = server.root_client();
    root.run("create user n@localhost identified with mysql_native_password by 'x' with max_user_connections 1");
    let l = login("n", "x", NATIVE);
    let first = server.connect(&l).unwrap();
    let e = refused(&server, &l);
    assert_eq!(
        (e.errno, &*e.state, &*e.message),
        (
            1226,
            "42000",
            "User 'n' has exceeded the 'max_user_connections' resource (current value: 1)"
        )
    );
    assert_eq!(server.root_client().change_user(&l).unwrap_err().errno, 1226);
    drop(first);
    until("its place is free again", || server.connect(&l).is_ok());
    until("and again", || server.connect(&l).is_ok());
    let mut own = until_in(&server, &l);
    own.change_user(&l).unwrap();
    root.run("alter user n@localhost with max_user_connections 0 max_connections_per_hour 2");
    let two = [server.connect(&l).unwrap(), server.connect(&l).unwrap()];
    assert_eq!(refused(&server, &l).errno, 1226);
    root.run("flush user_resources");
    root.run("alter user n@localhost with max_connections_per_hour 0");
    root.run("set global max_user_connections = 3");
    assert_eq!(refused(&server, &l).errno, 1203);
    drop((two, own));
}

/// The connection before is counted out a moment after it is gone.
fn until_in(server: &Server, l: &Login<'_>) -> Client {
    let mut come = None;
    until("there is room", || {
        come = server.connect(l).ok();
        come.is_some()
    });
    come.expect("it came")
}

/// A client that is asked for the password itself, though the server has it in its cache, knows by then that its guess was wrong:
/// leaving without an answer does not save it from being counted.
#[test]
fn a_guess_counts_though_the_client_leaves() {
    let server = Server::start(&[]);
    let mut root = server.root_client();
    root.run(
        "create user s@localhost identified by 'x' failed_login_attempts 1 password_lock_time 1",
    );
    let guess = || {
        let mut c = Client::raw(server.port);
        let (salt, _) = c.greeting().unwrap();
        let mut p = (cap::DEFAULT | cap::DEPRECATE_EOF).to_le_bytes().to_vec();
        p.extend_from_slice(&[0, 0, 0, 1, 45]);
        p.extend_from_slice(&[0; 23]);
        p.extend_from_slice(b"s\0\x20");
        p.extend(weir_login::proof::caching_sha2(b"guess", &salt));
        p.extend_from_slice(b"caching_sha2_password\0");
        c.write_packet(&p).unwrap();
        assert_eq!(c.read_packet().unwrap(), [1, 4]);
        c.vanish();
    };
    let gone = |root: &mut Client| {
        until("the guess is over", || {
            root.rows("select count(*) from information_schema.processlist") == "1"
        });
    };
    // Nothing is in the cache yet, and the server sends nothing.
    guess();
    gone(&mut root);
    let good = login("s", "x", SHA2);
    drop(server.connect(&good).unwrap());
    guess();
    gone(&mut root);
    assert_eq!(refused(&server, &good).errno, 3955);
}
