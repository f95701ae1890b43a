//! `weir salvage`: its options, and the texts that people see. `run` opens what is left of a directory and copies its tables,
//! `report` says what came of it.

mod report;
mod run;

use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
weir salvage: copies the rows that can still be read out of a data directory that cannot, or should not, be started.

Nothing is written into the data directory. Recovery runs on it as at a start, but its changes go to a working directory beside; what
recovery cannot do is left out. So committed changes that are only in the redo log are in the copy, and uncommitted ones are not,
as long as redo and undo logs can be read. Then every table is read page by page, past damaged ones: leaves that are cut off
from their tree are found by their contents.

Try the server first, on a copy of the directory: a table with a damaged page is refused by itself, and the others are served.
`weir serve --innodb-force-recovery=1` (then 2 to 6) reads damaged tables as far as that goes.

Usage: weir salvage --datadir=DIR --out=DIR [options]

  --datadir=DIR      the data directory; no server may use it
  --out=DIR          where the dumps go: a directory that is empty or does not exist, outside of the data directory
  --database=NAME    only this database; may be given several times
  --table=NAME       only this table, as NAME or DATABASE.NAME; may be given several times
  --dry-run          copy nothing, say what could be copied; needs no --out
  --lossy-blobs      copy a row although long columns of it cannot be read: they become NULL, or empty where NULL is not allowed, with
                     a comment in the dump; without this option such a row is reported and left out
  --work=DIR         for recovery's changes, at most about as large as the redo log and the pages that it changes (default: .work in
                     --out, or the system's temporary directory); removed at the end

The copy: one file DATABASE.TABLE.sql per table, schemas.sql with the databases, and report.txt, which is shown too: for each table
how many rows were copied and lost, which pages of which file cannot be read, and which keys were in them. The dumps can be read
by Weir and by MySQL: cat OUT/schemas.sql OUT/*.*.sql | mysql. Accounts and rights are not copied.

Exit code 0: all rows of all tables were read. 1: rows are lost or doubtful, see the report. 2: nothing could be opened, or the
copy could not be written. 64: the options cannot be understood.
";

/// Options of one call.
#[derive(Default)]
pub struct Call {
    datadir: PathBuf,
    /// None: a dry run.
    out: Option<PathBuf>,
    work: Option<PathBuf>,
    databases: Vec<String>,
    tables: Vec<String>,
    dry_run: bool,
    lossy_blobs: bool,
}

impl Call {
    fn wants(&self, database: &str, table: &str) -> bool {
        let named = |t: &String| *t == table || *t == format!("{database}.{table}");
        (self.databases.is_empty() || self.databases.iter().any(|d| d == database))
            && (self.tables.is_empty() || self.tables.iter().any(named))
    }
}

pub fn main(args: &[String]) -> ExitCode {
    if args.is_empty() || args.iter().any(|a| a == "--help" || a == "-h" || a == "-?") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let call = match parse(args) {
        Ok(call) => call,
        Err(e) => {
            eprintln!("weir salvage: {e}; `weir salvage --help` lists the options");
            return ExitCode::from(64);
        }
    };
    match run::salvage(&call) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(e) => {
            eprintln!("weir salvage: {e}");
            ExitCode::from(2)
        }
    }
}

fn parse(args: &[String]) -> Result<Call, String> {
    let mut call = Call::default();
    let mut it = args.iter();
    while let Some(arg) = it.next() {
        let (name, given) = match arg.split_once('=') {
            Some((n, v)) => (n, Some(v.to_string())),
            None => (arg.as_str(), None),
        };
        let flag = match name {
            "--dry-run" => Some(&mut call.dry_run),
            "--lossy-blobs" => Some(&mut call.lossy_blobs),
            _ => None,
        };
        if let Some(flag) = flag {
            if given.is_some() {
                return Err(format!("{name} takes no value"));
            }
            *flag = true;
            continue;
        }
        if !["--datadir", "--out", "--work", "--database", "--table"].contains(&name) {
            return Err(format!("there is no option '{name}'"));
        }
        let value = given.or_else(|| it.next().cloned()).filter(|v| !v.is_empty());
        let value = value.ok_or_else(|| format!("{name} needs a value"))?;
        match name {
            "--datadir" => call.datadir = value.into(),
            "--out" => call.out = Some(value.into()),
            "--work" => call.work = Some(value.into()),
            "--database" => call.databases.push(value),
            _ => call.tables.push(value),
        }
    }
    if call.datadir.as_os_str().is_empty() {
        return Err("--datadir=DIR is missing".into());
    }
    match (&call.out, call.dry_run) {
        (None, false) => Err("--out=DIR is missing; --dry-run copies nothing".into()),
        (Some(_), true) => Err("--dry-run copies nothing, so --out has no meaning with it".into()),
        _ => Ok(call),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(args: &[&str]) -> Result<Call, String> {
        parse(&args.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn options() {
        let c = call(&["--datadir", "d", "--out=o", "--table=a", "--table=b.c", "--database=b"]);
        let c = c.unwrap();
        assert!(c.wants("b", "a") && c.wants("b", "c"));
        assert!(!c.wants("x", "a") && !c.wants("b", "d"));
        assert!(call(&["--datadir=d", "--dry-run"]).unwrap().out.is_none());
        for bad in [
            &["--datadir=d"][..],
            &["--out=o"],
            &["--datadir=d", "--out=o", "--dry-run"],
            &["--datadir=d", "--out"],
            &["--datadir=d", "--out=o", "--lossy"],
        ] {
            assert!(call(bad).is_err(), "{bad:?}");
        }
    }
}
