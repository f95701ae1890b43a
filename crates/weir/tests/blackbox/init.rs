//! `weir init` and `--initialize`: a new directory with a password for root, and what a process that was ended in the middle leaves.
use crate::common::*;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn weir(args: &[&str]) -> Output {
    let small = ["--innodb-buffer-pool-size=16M", "--innodb-redo-log-capacity=16M"];
    Command::new(env!("CARGO_BIN_EXE_weir")).args(args).args(small).output().unwrap()
}

fn folder(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("weir-init-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn login(server: &Server, password: &str) -> Result<Client, Failure> {
    server.connect(&Login { password, ..Login::default() })
}

fn started(root: &Path) -> Server {
    Server::start_at(root, &[])
}

#[test]
fn root_has_the_password_of_a_file_from_the_first_moment_on() {
    let root = folder("chosen");
    let datadir = format!("--datadir={}", root.join("data").display());
    let file = root.join("password");
    std::fs::write(&file, "s e'cret\n").unwrap();
    let source = format!("--password-file={}", file.display());
    let out = weir(&["init", &datadir, &source]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert_eq!(text(&out.stdout), "");
    use std::os::unix::fs::PermissionsExt;
    let mode = root.join("data").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777 & !0o750, 0, "{mode:o}");
    let out = weir(&["init", &datadir, &source]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("has files in it"), "{}", text(&out.stderr));
    let server = started(&root);
    assert_eq!(login(&server, "").err().map(|e| e.errno), Some(1045));
    let mut c = login(&server, "s e'cret").unwrap();
    assert_eq!(
        c.rows("select count(*) > 20 from information_schema.views where table_schema = 'sys'"),
        "1"
    );
}

#[test]
fn a_generated_password_is_to_be_changed_at_once() {
    let root = folder("generated");
    let datadir = format!("--datadir={}", root.join("data").display());
    let out = weir(&["init", &datadir, "--generate"]);
    let told = text(&out.stdout);
    let password = told.split_whitespace().nth(4).expect("root@localhost has the password X");
    assert_eq!(password.len(), 20, "{told}");
    let server = started(&root);
    let mut c = server
        .connect(&Login { password, flags: cap::EXPIRED_PASSWORDS, ..Login::default() })
        .unwrap();
    assert_eq!(c.query("select 1").unwrap_err().errno, 1820);
    c.run("alter user root@localhost identified by 'mine'");
    assert_eq!(c.rows("select 1"), "1");
}

#[test]
fn mysqls_options_are_understood() {
    let root = folder("mysql");
    let datadir = format!("--datadir={}", root.join("data").display());
    let out = weir(&["serve", &datadir, "--initialize"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let log = text(&out.stderr);
    assert!(
        log.contains("[MY-010454] [Server] A temporary password is generated for root@localhost: "),
        "{log}"
    );
    let insecure = format!("--datadir={}", root.join("other").display());
    let out = weir(&["serve", "--initialize-insecure", &insecure]);
    assert!(text(&out.stderr).contains(
        "[Warning] [MY-010453] [Server] root@localhost is created with an empty password"
    ));
    assert_eq!(weir(&["serve", &datadir, "--initialize"]).status.code(), Some(1));
    assert_eq!(weir(&["init", &datadir]).status.code(), Some(64));
    std::fs::remove_dir_all(&root).unwrap();
}

/// Root has no password until the end, so a directory whose making was ended in the middle must not be served.
#[test]
fn what_was_ended_in_the_middle_is_served_by_nobody() {
    let root = folder("killed");
    let datadir = format!("--datadir={}", root.join("data").display());
    let mut child = Command::new(env!("CARGO_BIN_EXE_weir"))
        .args(["init", &datadir, "--generate"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until("the directory is being made", || root.join("data/weir.initializing").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    if root.join("data/weir.initializing").exists() {
        let out = weir(&["serve", &datadir, "--port=0"]);
        assert_eq!(out.status.code(), Some(1));
        assert!(text(&out.stderr).contains("has not come to its end"), "{}", text(&out.stderr));
    }
    // A making that fails leaves nothing.
    let fails = format!("--datadir={}", root.join("fails").display());
    let out = weir(&[
        "init",
        &fails,
        "--no-password",
        "--ssl-cert=/no/such/file",
        "--ssl-key=/x",
        "--tls-certificates-enforced-validation=ON",
    ]);
    assert_eq!(out.status.code(), Some(2), "{}", text(&out.stderr));
    assert_eq!(root.join("fails").read_dir().unwrap().count(), 0);
    std::fs::remove_dir_all(&root).unwrap();
}
