//! What commands of this program have in common: command lines, exit codes, progress.

mod options;
mod progress;

pub use options::{Call, bytes};
pub use progress::{Progress, size};

use std::process::ExitCode;

type Command = fn(&Call) -> Result<bool, String>;

/// Runs a command: true is exit code 0, false 1, an error 2.
pub fn run(name: &str, help: &str, args: &[String], known: &[&str], command: Command) -> ExitCode {
    if args.is_empty() || args.iter().any(|a| a == "--help" || a == "-h" || a == "-?") {
        print!("{help}");
        return ExitCode::SUCCESS;
    }
    let call = match Call::of(args, known) {
        Ok(call) => call,
        Err(e) => {
            eprintln!("weir {name}: {e}; `weir {name} --help` lists the options");
            return ExitCode::from(64);
        }
    };
    match command(&call) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(e) => {
            eprintln!("weir {name}: {e}");
            ExitCode::from(2)
        }
    }
}
