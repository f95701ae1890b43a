//! The one binary: `weir serve`, and what else Weir does from the command line.

mod allocator;
mod backup;
mod command;
mod crash;
mod doctor;
mod init;
mod logical;
mod migrate;
mod salvage;
mod simulate;

use std::process::ExitCode;
use weir_server::boot;
use weir_server::options::{self, Wanted};

const USAGE: &str = "\
Weir: a transactional database that speaks the MySQL protocol.

Usage: weir <command> [options]

Commands:
  serve      run the server (data in ./weir-data, 127.0.0.1:3306)
  init       make a data directory with a password for root; `weir init --help`
  bench      run workloads against Weir, MariaDB or MySQL and report; `weir bench help` lists all
  reproduce  run published measurements of flush policies again, on a computed machine; `weir reproduce help`
  backup     copy a running server's database, or a stopped one's directory; `weir backup --help`
  restore    make a data directory of backups, as of a moment; `weir restore --help`
  check      look at every page of a stopped server's directory, or of a backup; `weir check --help`
  dump       write databases as SQL text, from several connections, as of one moment; `weir dump --help`
  load       run the statements of a dump; `weir load --help`
  doctor     look at the machine, the data directory and the settings, and say what to change; `weir doctor --help`
  migrate    move the databases of a MySQL or MariaDB here without a stop; `weir migrate --help`
  salvage    copy the rows that can be read out of a directory that does not start; `weir salvage --help`
  simulate   search the storage engine for faults, with simulated time, crashes and a broken disk
  help       this text; `weir serve --help` lists all options of the server
  version    the version

Start with:  weir serve
Then:        mariadb --host=127.0.0.1 --port=3306 --user=root
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let command = args.first().map(String::as_str);
    match command {
        None | Some("help" | "--help" | "-h" | "-?") => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        Some("version" | "--version" | "-V") => {
            println!(
                "weir {} (MySQL protocol {})",
                env!("CARGO_PKG_VERSION"),
                weir_server::options::protocol_version()
            );
            ExitCode::SUCCESS
        }
        Some("serve") => serve(&args[1..]),
        Some("init") => init::main(&args[1..]),
        Some("bench") => weir_bench::main(&args[1..]),
        Some("reproduce") => weir_reproduce::main(&args[1..]),
        Some("backup") => backup::main(&args[1..]),
        Some("restore") => backup::restore(&args[1..]),
        Some("check") => backup::check(&args[1..]),
        Some("dump") => logical::dump(&args[1..]),
        Some("load") => logical::load(&args[1..]),
        Some("doctor") => doctor::main(&args[1..]),
        Some("migrate") => migrate::main(&args[1..]),
        Some("salvage") => salvage::main(&args[1..]),
        Some("simulate") => simulate::main(&args[1..]),
        Some(other) => {
            eprintln!("weir: unknown command '{other}'; `weir help` lists the commands");
            ExitCode::from(64)
        }
    }
}

fn serve(args: &[String]) -> ExitCode {
    let wanted = match options::read(args) {
        Ok(w) => w,
        Err(e) => {
            eprintln!("weir: {e}");
            return ExitCode::from(64);
        }
    };
    let done = match wanted {
        Wanted::Help => {
            print!("{}", options::help());
            Ok(())
        }
        Wanted::Print(line) => {
            println!("weir serve {line}");
            Ok(())
        }
        Wanted::Validate(o) => boot::settings(&o).map(|(_, notes)| {
            notes.iter().for_each(|note| eprintln!("weir: {note}"));
        }),
        Wanted::Initialize { options, insecure } => init::as_mysql(&options, insecure),
        Wanted::Serve(o) => {
            let (begun, stack) = (weir_server::crash::begun, weir_server::crash::stack);
            crash::report_to(crash::Report { begun, stack });
            boot::serve(&o)
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("weir: {e}");
            ExitCode::FAILURE
        }
    }
}
