//! The real binary on a free port and in a temporary directory.

use super::client::{Client, Login};
use super::until;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

pub struct Server {
    child: Child,
    root: PathBuf,
    pub port: u16,
}

/// Small enough that a dozen of them run side by side.
const SMALL: &[&str] = &["--innodb-buffer-pool-size=16M", "--innodb-redo-log-capacity=16M"];

fn fresh_folder() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    let root = std::env::temp_dir().join(format!("weir-test-{}-{n}", std::process::id()));
    let _ = std::fs::remove_dir_all(&root);
    std::fs::create_dir_all(&root).unwrap();
    root
}

fn command(root: &Path, options: &[&str], log: File) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_weir"));
    command
        .env("TZ", "UTC")
        .arg("serve")
        .arg("--port=0")
        .arg(format!("--datadir={}", root.join("data").display()))
        .args(SMALL)
        .args(options)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log);
    command
}

/// Starts a server that is to refuse: its exit code and what it wrote. `root`: of a running one.
pub fn run_to_end(root: Option<&Path>, options: &[&str]) -> (ExitStatus, String) {
    let own = fresh_folder();
    let log = own.join("log");
    let mut child =
        command(root.unwrap_or(&own), options, File::create(&log).unwrap()).spawn().unwrap();
    let mut status = None;
    until("the refused server ends", || {
        status = child.try_wait().unwrap();
        status.is_some() || ready_port(&log).is_some()
    });
    let text = std::fs::read_to_string(&log).unwrap();
    if status.is_none() {
        let _ = child.kill();
        let _ = child.wait();
    }
    let _ = std::fs::remove_dir_all(&own);
    (status.unwrap_or_else(|| panic!("it started: {text}")), text)
}

/// The port of the last ready line, once the socket's line is there too.
fn ready_port(log: &Path) -> Option<u16> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.contains("--socket=").then_some(())?;
    let (_, rest) = text.rsplit_once("--port=")?;
    rest.split_whitespace().next()?.parse().ok()
}

impl Server {
    pub fn start(options: &[&str]) -> Server {
        Server::start_in(fresh_folder(), options)
    }

    /// On a machine in a time zone; others are in UTC.
    pub fn start_in_zone(zone: &str, options: &[&str]) -> Server {
        let root = fresh_folder();
        let mut command = command(&root, options, File::create(root.join("log")).unwrap());
        command.env("TZ", zone);
        Server::run(root, command)
    }

    /// With variables of the environment.
    pub fn start_with_env(env: &[(&str, &str)], options: &[&str]) -> Server {
        let root = fresh_folder();
        let mut command = command(&root, options, File::create(root.join("log")).unwrap());
        command.envs(env.iter().copied());
        Server::run(root, command)
    }

    /// On a folder that has a data directory already, `data`. The folder goes with the server.
    pub fn start_at(root: &Path, options: &[&str]) -> Server {
        Server::start_in(root.into(), options)
    }

    fn start_in(root: PathBuf, options: &[&str]) -> Server {
        let command = command(&root, options, File::create(root.join("log")).unwrap());
        Server::run(root, command)
    }

    fn run(root: PathBuf, mut command: Command) -> Server {
        let log = root.join("log");
        let child = command.spawn().unwrap();
        let mut server = Server { child, root, port: 0 };
        until("the server is ready", || {
            if let Some(status) = server.child.try_wait().unwrap() {
                panic!("the server ended with {status} while starting: {}", server.log());
            }
            server.port = ready_port(&log).unwrap_or(0);
            server.port != 0
        });
        server
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn socket(&self) -> PathBuf {
        self.root.join("data/weir.sock")
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.root.join("log")).unwrap_or_default()
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Resident memory in KiB.
    pub fn resident_kib(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = text.lines().find(|l| l.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// Root over TCP.
    pub fn root_client(&self) -> Client {
        self.connect(&Login::default()).unwrap_or_else(|e| panic!("login of root: {e:?}"))
    }

    pub fn connect(&self, login: &Login<'_>) -> Result<Client, super::Failure> {
        Client::tcp(self.port, login)
    }

    /// SIGTERM, and the end of the process.
    pub fn stop(&mut self) -> ExitStatus {
        self.signal("TERM");
        self.child.wait().unwrap()
    }

    pub fn signal(&self, name: &str) {
        let pid = self.pid().to_string();
        assert!(Command::new("kill").arg(format!("-{name}")).arg(pid).status().unwrap().success());
    }

    /// The end of a process that was asked to stop.
    pub fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// Stops it politely and starts it again.
    pub fn restart(mut self, options: &[&str]) -> Server {
        let status = self.stop();
        assert!(status.success(), "{status}: {}", self.log());
        self.again(options)
    }

    /// Stops it politely, does something to its files, and starts it again.
    pub fn stop_and(mut self, options: &[&str], harm: impl FnOnce()) -> Server {
        let status = self.stop();
        assert!(status.success(), "{status}: {}", self.log());
        harm();
        self.again(options)
    }

    /// Kills it at once.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Kills it at once and starts it again.
    pub fn crash(mut self, options: &[&str]) -> Server {
        self.kill();
        self.again(options)
    }

    /// Starts again what has ended.
    pub fn again(mut self, options: &[&str]) -> Server {
        let root = std::mem::take(&mut self.root);
        Server::start_in(root, options)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if !self.root.as_os_str().is_empty() {
            if std::thread::panicking() {
                eprintln!("log of the server:\n{}", self.log());
            }
            let _ = std::fs::remove_dir_all(&self.root);
        }
    }
}
