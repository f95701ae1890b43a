//! `offline_mode`: only those who administer connections come in and stay.
use crate::common::*;

#[test]
fn others_are_kept_out_and_their_connections_end() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    for sql in [
        "create user u@localhost",
        "create user boss@localhost",
        "grant connection_admin on *.* to boss@localhost",
    ] {
        c.run(sql);
    }
    let login = |user| server.connect(&Login { user, ..Login::default() });
    let mut u = login("u").unwrap();
    let mut boss = login("boss").unwrap();
    assert_eq!(u.query("set global offline_mode = ON").unwrap_err().errno, 1227);
    c.run("set global offline_mode = ON");
    let refused = login("u").err().unwrap();
    assert_eq!(
        (refused.errno, refused.message.as_str()),
        (3032, "The server is currently in offline mode")
    );
    until("the connection is ended", || u.query("do 1").is_err());
    assert_eq!(boss.rows("select 1"), "1");
    assert!(login("boss").is_ok());
    c.run("set global offline_mode = OFF");
    assert_eq!(login("u").unwrap().rows("select 1"), "1");
    drop((c, boss));
    let server = server.restart(&["--offline-mode=ON"]);
    assert_eq!(
        server.connect(&Login { user: "u", ..Login::default() }).err().map(|e| e.errno),
        Some(3032)
    );
    assert_eq!(server.root_client().rows("select @@offline_mode"), "1");
}
