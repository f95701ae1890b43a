//! The files of tests/slt, in the form that other databases' tests have (`sqllogictest`). Their answers come from a second
//! computation, never from Weir: see tools/gen_slt.py, and what each file says at its head.
use crate::common::*;
use sqllogictest::{DB, DBOutput, DefaultColumnType, Runner};
use std::sync::mpsc::{Receiver, Sender, channel};

/// A session in a thread of its own, since the runner wants one that may move between threads.
struct Remote {
    ask: Sender<String>,
    told: Receiver<Answer>,
}

#[derive(Debug)]
struct Refused(u16, String);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "error {}: {}", self.0, self.1)
    }
}

impl std::error::Error for Refused {}

impl Remote {
    fn start() -> Remote {
        let (ask, asked) = channel::<String>();
        let (tell, told) = channel();
        std::thread::spawn(move || {
            with_server(1, async |s: Server| {
                let mut c = s.client();
                while let Ok(sql) = asked.recv() {
                    let answer = c.ask(&sql).await;
                    if tell.send(answer).is_err() {
                        break;
                    }
                }
                c.0.close().await;
            });
        });
        Remote { ask, told }
    }
}

impl DB for Remote {
    type Error = Refused;
    type ColumnType = DefaultColumnType;

    fn run(&mut self, sql: &str) -> Result<DBOutput<DefaultColumnType>, Refused> {
        self.ask.send(sql.to_string()).expect("the session listens");
        let a = self.told.recv().expect("the session answers");
        if let Some((errno, message)) = a.error {
            return Err(Refused(errno, message));
        }
        if a.columns.is_empty() {
            return Ok(DBOutput::StatementComplete(a.affected));
        }
        let cell = |c: &str| if c.is_empty() { "(empty)".to_string() } else { c.to_string() };
        // No value of the files has the sign that separates columns here.
        let rows = a.rows.iter().map(|r| r.split('|').map(cell).collect()).collect();
        Ok(DBOutput::Rows { types: vec![DefaultColumnType::Any; a.columns.len()], rows })
    }

    fn engine_name(&self) -> &str {
        "weir"
    }
}

fn check(file: &str) {
    let mut runner = Runner::new(async || Ok(Remote::start()));
    let path = format!("{}/tests/slt/{file}.slt", env!("CARGO_MANIFEST_DIR"));
    if let Err(e) = runner.run_file(path) {
        panic!("{file}: {e}");
    }
}

#[test]
fn arithmetic() {
    check("arithmetic");
}

#[test]
fn dates() {
    check("dates");
}

#[test]
fn strings() {
    check("strings");
}

#[test]
fn queries() {
    check("queries");
}

/// A file that nobody names here would be a test that never runs.
#[test]
fn every_file_is_run() {
    let named = include_str!("slt.rs");
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/slt")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let stem = name.strip_suffix(".slt").unwrap_or_else(|| panic!("{name} is no .slt"));
        assert!(named.contains(&format!("check(\"{stem}\")")), "{name} is not run");
    }
}
