//! What systemd learns, by a socket that stands for it.

use crate::common::{PATIENCE, Server, until};
use std::os::unix::net::UnixDatagram;

fn next(socket: &UnixDatagram) -> String {
    let mut buf = [0; 512];
    let n = socket.recv(&mut buf).unwrap_or_else(|e| panic!("no message: {e}"));
    String::from_utf8(buf[..n].to_vec()).unwrap()
}

fn next_but_watchdog(socket: &UnixDatagram) -> String {
    loop {
        let text = next(socket);
        if text != "WATCHDOG=1" && !text.starts_with("EXTEND_TIMEOUT_USEC=") {
            return text;
        }
    }
}

#[test]
fn a_supervisor_is_told_of_start_reload_life_and_stop() {
    let path = std::env::temp_dir().join(format!("weir-supervisor-{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let env = [("NOTIFY_SOCKET", path.to_str().unwrap()), ("WATCHDOG_USEC", "400000")];
    let mut server = Server::start_with_env(&env, &[]);
    assert_eq!(next_but_watchdog(&socket), "STATUS=starting");
    assert_eq!(next_but_watchdog(&socket), "READY=1\nSTATUS=ready for connections");
    until("the watchdog is fed", || next(&socket) == "WATCHDOG=1");
    server.signal("HUP");
    assert!(next_but_watchdog(&socket).starts_with("RELOADING=1\nMONOTONIC_USEC="));
    assert!(next_but_watchdog(&socket).starts_with("READY=1\n"));
    assert!(server.stop().success());
    assert_eq!(next_but_watchdog(&socket), "STOPPING=1\nSTATUS=stopping");
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_supervisor_that_does_not_read_keeps_nobody_waiting() {
    let path = std::env::temp_dir().join(format!("weir-deaf-{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let socket = UnixDatagram::bind(&path).unwrap();
    let env = [("NOTIFY_SOCKET", path.to_str().unwrap()), ("WATCHDOG_USEC", "2000")];
    let mut server = Server::start_with_env(&env, &[]);
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert_eq!(server.root_client().rows("select 1"), "1");
    assert!(server.stop().success());
    drop(socket);
    std::fs::remove_file(&path).unwrap();
    // A socket that is not there is a warning, or nothing at all.
    let server = Server::start_with_env(&[("NOTIFY_SOCKET", "relative")], &[]);
    assert!(server.log().contains("cannot notify systemd at 'relative'"), "{}", server.log());
}
