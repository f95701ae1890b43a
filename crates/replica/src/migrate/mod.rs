//! `weir migrate`: moves the databases of a MySQL or MariaDB to a Weir without a stop.
//!
//! It asks both servers over their protocol, as any client. `check` has each definition made in a scratch database of the target, so that
//! what is refused is what would be refused; `copy` reads the source's rows under one snapshot by several connections and writes them;
//! `follow` makes the target a replica from the snapshot's place on, tells its lag, and compares the tables.
//!
//! Nothing is changed at the source, and the switch is its user's.

mod check;
mod copy;
mod follow;
mod schema;

use crate::source::{Source, SourceError, Target};
use std::io::IsTerminal;
use std::time::Duration;

/// How long each step of a connection may take; a statement that makes an index over a large table takes long.
const PATIENCE: Duration = Duration::from_secs(3600);

#[derive(Clone, Debug)]
pub struct Options {
    pub from: Target,
    pub to: Target,
    /// Empty: all that are not the server's own.
    pub databases: Vec<String>,
    /// Connections that copy.
    pub threads: usize,
    /// Only tell what would be refused.
    pub check_only: bool,
    /// Do not make a replica of the target.
    pub no_follow: bool,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// Weir refuses something, or tables differ.
    Trouble,
}

pub type Done<T> = Result<T, String>;

/// Runs it. The text of an error is for the user.
pub fn run(o: &Options) -> Done<Outcome> {
    let mut from = connect(&o.from, "the source")?;
    let mut to = connect(&o.to, "the target")?;
    let version = value(&mut from, "SELECT VERSION()")?;
    println!("from {} ({version}), to {}", place(&o.from), place(&o.to));
    let databases = schema::databases(&mut from, &o.databases)?;
    if databases.is_empty() {
        return Err("the source has no databases to move".into());
    }
    let refused = check::run(&mut from, &mut to, &databases)?;
    check::tell(&refused);
    if o.check_only || !refused.is_empty() {
        if !refused.is_empty() {
            println!(
                "nothing was copied: change what is refused, or leave its database out with --databases"
            );
        }
        return Ok(if refused.is_empty() { Outcome::Done } else { Outcome::Trouble });
    }
    let begun = copy::run(o, &mut from, &mut to, &databases)?;
    if o.no_follow {
        println!("copied; the snapshot was at {}", begun.told());
        return Ok(Outcome::Done);
    }
    follow::run(o, &mut from, &mut to, &databases, &begun)
}

fn place(t: &Target) -> String {
    format!("{}@{}:{}", t.user, t.host, t.port)
}

fn connect(t: &Target, who: &str) -> Done<Source> {
    let mut s = Source::connect(t, Duration::from_secs(10)).map_err(|e| format!("{who}: {e}"))?;
    s.set_patience(PATIENCE).map_err(told)?;
    for sql in
        ["SET NAMES utf8mb4", "SET time_zone = '+00:00'", "SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO'"]
    {
        s.query(sql).map_err(|e| format!("{who}: {e}"))?;
    }
    Ok(s)
}

fn told(e: SourceError) -> String {
    e.to_string()
}

fn value(s: &mut Source, sql: &str) -> Done<String> {
    Ok(s.value(sql).map_err(told)?.unwrap_or_default())
}

/// Rows as text; NULL is empty.
fn rows(s: &mut Source, sql: &str) -> Done<Vec<Vec<String>>> {
    let text = |v: Option<Vec<u8>>| String::from_utf8_lossy(&v.unwrap_or_default()).into_owned();
    let rows = s.query(sql).map_err(|e| format!("{sql}: {e}"))?;
    Ok(rows.into_iter().map(|r| r.into_iter().map(text).collect()).collect())
}

fn name(text: &str) -> String {
    format!("`{}`", text.replace('`', "``"))
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

/// Shows how far something is: on a terminal one line that changes, elsewhere nothing until the end.
struct Progress {
    terminal: bool,
}

impl Progress {
    fn new() -> Progress {
        Progress { terminal: std::io::stderr().is_terminal() }
    }

    fn show(&self, text: &str) {
        if self.terminal {
            eprint!("\r\x1B[K{text}");
        }
    }

    fn end(&self) {
        if self.terminal {
            eprintln!();
        }
    }
}
