//! `weir doctor`: looks at the host, the data directory and the settings before a server runs there, and says what to change and why.
//!
//! `finding` is what comes of it; `host`, `directory`, `device` and `settings` look, each at one thing. The host's files are read below a
//! root that tests replace. May use the server's options and what it knows of memory; starts no engine and changes nothing: what `device`
//! writes is removed.

mod certificates;
mod device;
mod directory;
mod finding;
mod host;
mod settings;

use finding::{Finding, Report};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use weir_server::boot;
use weir_server::options::{self, Wanted};
use weir_sql::vars::Var;

const HELP: &str = "\
weir doctor: looks at this machine, a data directory and settings, and says what to change before a server runs there, and why.

Usage: weir doctor [--json] [--no-write] [options of weir serve]

  --json         findings as JSON
  --no-write     do not measure the device, for which a file of 4 KiB is written and synced for half a second
  --datadir=DIR, --defaults-file=FILE and all other options of `weir serve`: what the server would be started with

Looked at: transparent huge pages, swapping, the clock, the limit of open files, memory against the machine's and the control group's;
the data directory's place, owner, permissions, lock, files of other databases, room, file system, and how long its device takes to sync; the server's certificate;
settings that lose data, that do not fit together or have no effect.

Nothing is changed. A server may be running in the directory.

Exit code 0: nothing found. 1: warnings. 2: an error, with which the server does not start or loses data. 64: the options cannot be understood.
";

/// What the command line asked for besides options of the server.
#[derive(Debug, Default, PartialEq, Eq)]
struct Call {
    json: bool,
    no_write: bool,
    rest: Vec<String>,
}

impl Call {
    fn of(args: &[String]) -> Call {
        let mut call = Call::default();
        for arg in args {
            match arg.as_str() {
                "--json" => call.json = true,
                "--no-write" => call.no_write = true,
                _ => call.rest.push(arg.clone()),
            }
        }
        call
    }
}

pub fn main(args: &[String]) -> ExitCode {
    if args.iter().any(|a| a == "--help" || a == "-h" || a == "-?") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let call = Call::of(args);
    let options = match options::read(&call.rest) {
        Ok(Wanted::Serve(options)) => options,
        // Taken above.
        Ok(Wanted::Help) => return ExitCode::SUCCESS,
        Ok(_) => {
            eprintln!("weir doctor: it looks at the options of a server, and makes nothing");
            return ExitCode::from(64);
        }
        Err(e) => {
            eprintln!("weir doctor: {e}");
            return ExitCode::from(64);
        }
    };
    let mut report = Report::default();
    match boot::settings(&options) {
        Ok((vars, notes)) => {
            let datadir = PathBuf::from(vars.text(Var::datadir));
            host::look(Path::new("/"), &vars, &mut report);
            directory::look(&datadir, &vars, &mut report);
            if !call.no_write {
                device::look(&datadir, &mut report);
            }
            certificates::look(&datadir, &vars, &mut report);
            settings::look(&vars, &notes, &mut report);
        }
        Err(e) => report.add(Finding::error(
            "settings",
            e,
            "correct the option or the file that the text names",
            "the server does not start with it",
        )),
    }
    match call.json {
        true => println!("{}", report.json()),
        false => print!("{}", report.text()),
    }
    ExitCode::from(report.code())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_own_options_are_taken_out() {
        let args = ["--datadir=x", "--json", "--port", "7"].map(String::from);
        let call = Call::of(&args);
        assert!(call.json && !call.no_write);
        assert_eq!(call.rest, ["--datadir=x", "--port", "7"]);
    }
}
