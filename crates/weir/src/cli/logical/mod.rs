//! `weir dump` and `weir load`: databases as SQL text of one snapshot, in files that the mysql client reads as well.
//!
//! `snapshot` has several connections see the same moment, `names` lists what there is, `rows` writes the rows of tables, `dump` puts the files
//! together; `split` finds the statements of a text, `load` runs them. Works on Weir and on MySQL, by their protocol alone.

mod dump;
mod load;
mod names;
mod rows;
mod snapshot;
mod split;

use crate::command::run;
use std::process::ExitCode;

const DUMP: &str = "\
weir dump: writes databases as SQL text, as they were at one moment, from several connections at once.

Usage: weir dump --target=mysql://USER:PASSWORD@HOST:PORT --to=DIR [options]

  --target=...       a running Weir or MySQL; also mysql://USER@/?socket=PATH. A password that is not there is taken from the variable MYSQL_PWD
  --to=DIR           a directory that is empty or does not exist
  --to=-             everything to standard output, by one connection
  --database=A,B     only these databases; otherwise all but those of the system
  --threads=N        connections that read rows, 1 to 64 (4)
  --accounts         accounts and their rights as well
  --quiet            no progress

The files are read in the order of their names: `cat DIR/*.sql | mysql`, or `weir load`, which runs those with rows at once. Statements that
change rows wait for a moment while the connections begin their snapshot, and definition statements wait until the dump has ended
(LOCK INSTANCE FOR BACKUP, FLUSH TABLES WITH READ LOCK), so the account needs SELECT, SHOW VIEW, TRIGGER, EVENT, PROCESS, RELOAD,
LOCK TABLES, BACKUP_ADMIN and SHOW_ROUTINE. A dump that was ended in the middle leaves a file 'incomplete', and weir load refuses it.

Exit code 0: complete. 2: not, and standard error says why. 64: the options cannot be understood.
";

const LOAD: &str = "\
weir load: runs the statements of a dump.

Usage: weir load --from=DIR|FILE|- --target=mysql://USER:PASSWORD@HOST:PORT [options]

  --from=...         a directory that weir dump has made, or a text of SQL statements, such as mysqldump's; - is standard input
  --target=...       as for weir dump; a database in it is used first
  --threads=N        connections that run the files with rows, 1 to 64 (4)
  --force            go on behind a statement that fails, and tell each
  --quiet            no progress

Exit code 0: all statements ran. 1: some failed, with --force. 2: not, and standard error says why. 64: the options cannot be understood.
";

/// Of the file that says that a dump is not whole.
const INCOMPLETE: &str = "incomplete";

pub fn dump(args: &[String]) -> ExitCode {
    let known = ["target", "to", "database", "threads", "accounts!", "quiet!"];
    run("dump", DUMP, args, &known, dump::dump)
}

pub fn load(args: &[String]) -> ExitCode {
    run("load", LOAD, args, &["from", "target", "threads", "force!", "quiet!"], load::load)
}

/// `--threads`.
fn threads(call: &crate::command::Call) -> Result<usize, String> {
    let Some(text) = call.get("threads") else { return Ok(4) };
    let n = text.parse().ok().filter(|n| (1..=64).contains(n));
    n.ok_or_else(|| format!("--threads={text}: 1 to 64"))
}
