//! `weir doctor`: exit codes, both forms, a directory that a server uses.

use crate::common::Server;
use serde_json::Value;
use std::process::{Command, Output};

fn doctor(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_weir")).arg("doctor").args(args).output().unwrap()
}

fn subjects(out: &Output, level: &str) -> Vec<String> {
    let v: Value = serde_json::from_slice(&out.stdout).unwrap();
    let findings = v["findings"].as_array().unwrap();
    let of = findings.iter().filter(|f| f["level"] == level);
    of.map(|f| f["subject"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn exit_codes_tell_what_was_found() {
    let folder = std::env::temp_dir().join(format!("weir-doctor-cli-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let datadir = format!("--datadir={}", folder.display());
    let out = doctor(&[&datadir, "--json"]);
    // The machine of a test may have its own faults.
    assert!(matches!(out.status.code(), Some(0..=2)), "{out:?}");
    assert!(subjects(&out, "fine").contains(&"data directory".to_owned()), "{out:?}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "it leaves nothing");

    std::fs::write(folder.join("ibdata1"), "").unwrap();
    let out = doctor(&[&datadir, "--json", "--innodb-doublewrite=OFF"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(subjects(&out, "error").contains(&"files of others".to_owned()));
    assert!(subjects(&out, "warning").contains(&"durability".to_owned()));
    let text = String::from_utf8(doctor(&[&datadir, "--no-write"]).stdout).unwrap();
    assert!(
        text.contains("ERROR   files of others: ")
            && text.contains("\n        change: --datadir=DIR"),
        "{text}"
    );
    assert!(!text.contains("device:"), "{text}");

    let out = doctor(&[&datadir, "--innodb-page-size=5000"]);
    assert_eq!(out.status.code(), Some(2), "an option that a start refuses is a finding: {out:?}");
    assert_eq!(doctor(&["--nonsense"]).status.code(), Some(64));
    assert_eq!(doctor(&["--defaults-file=/no/such/file"]).status.code(), Some(64));
    assert_eq!(doctor(&["--help"]).status.code(), Some(0));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_directory_may_be_looked_at_while_a_server_uses_it() {
    let server = Server::start(&[]);
    let datadir = format!("--datadir={}", server.root().join("data").display());
    let out = doctor(&[&datadir, "--json"]);
    let v: Value = serde_json::from_slice(&out.stdout).unwrap();
    let lock = v["findings"].as_array().unwrap().iter().find(|f| f["subject"] == "lock").unwrap();
    assert_eq!(lock["found"], "a server uses the directory now");
    assert_eq!(server.root_client().rows("select 1"), "1");
}
