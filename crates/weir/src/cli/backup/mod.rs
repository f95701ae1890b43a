//! `weir backup`, `weir restore`, `weir check`: their options, and the texts that people see. `take` makes a backup, `keep` knows which old ones go, `put` a directory of
//! it, `look` checks a directory or a backup.

mod keep;
mod look;
mod put;
mod take;

use crate::command::run;
use std::process::ExitCode;

const BACKUP: &str = "\
weir backup: copies a whole database, consistently, while its server runs and nobody waits for it.

Usage: weir backup --target=TARGET --to=DIR|--into=DIR [options]

  --target=mysql://USER:PASSWORD@HOST:PORT   a running Weir; also mysql://USER@/?socket=PATH. The account needs BACKUP_ADMIN. A password that
                     is not in the target is taken from the variable MYSQL_PWD
  --target=DIR       the data directory of a server that is stopped; the backup is no base for increments, and no archived redo fits to it
  --to=DIR           where the backup goes: a directory that is empty or does not exist
  --into=DIR         in a directory of its own below this one, named by the time
  --keep=N           with --into: when the backup is complete, older ones of the same database are removed, except for the newest N full
                     ones and the increments to them
  --to=-             the backup as one stream, to standard output
  --since=DIR        an increment: only pages that changed since this backup
  --rate=BYTES       read at most so many bytes of pages in a second (K, M and G are understood). Without it the copy goes as fast as the
                     engine's pressure lets it
  --compress[=LEVEL] by zstd, 1 to 22; 3 where no level is given
  --key-file=FILE    encrypt by AES-256-GCM with this key: 32 bytes, or 64 hexadecimal digits (`openssl rand -hex 32`)
  --quiet            no progress

Pages are copied from the files while they change, each checked for its checksum, and the redo log from the beginning of the copy to its
end makes them the database as it was at the end. The server waits for nothing; if the copy falls behind its log by more than
innodb_redo_log_capacity, the backup ends with an error. What was ended in the middle leaves a directory with a file 'incomplete', which
nothing restores. Not copied: settings (mysqld-auto.cnf), certificates, logs.

Exit code 0: the backup is complete. 2: it is not, and standard error says why. 64: the options cannot be understood.
";

const RESTORE: &str = "\
weir restore: makes a data directory of a backup, its increments and archived redo.

Usage: weir restore --from=BACKUP[,INCREMENT...] --datadir=DIR [options]

  --from=BACKUP,...  a full backup, then its increments in their order: directories, or files that hold a stream
  --datadir=DIR      the directory to be made; it is empty or does not exist
  --redo-archive=DIR redo that a server has archived (--weir-redo-archive-dir), to go on behind the last backup's end
  --before=STATEMENT as of the moment before this definition statement: --before='DROP TABLE orders'; of several the last one,
                     within --to-time or --to-lsn if they are given
  --to-time=TIME     as of this moment: 2026-11-28T14:00:00Z, or 2026-11-28 14:00:00 by this machine's time zone
  --to-lsn=LSN       as of this LSN
  --key-file=FILE    the key that the backups were encrypted with
  --verify           then recover the directory and check every table, as CHECK TABLE does
  --dry-run          check everything, and write nothing
  --quiet            no progress

Everything is read and checked before the first byte is written. The directory opens by ordinary recovery; accounts are in it, settings
and certificates are not. A restore that was ended in the middle leaves a directory that does not open.

Exit code 0: done. 1: restored, and --verify has found something. 2: not restored, and standard error says why. 64: the options cannot be understood.
";

const CHECK: &str = "\
weir check: reads everything of a data directory or of a backup, and says what is wrong.

Usage: weir check DIR [options]

  DIR                the data directory of a stopped server, or a backup (a directory, or the file of a stream)
  --key-file=FILE    the key that the backup was encrypted with
  --work=DIR         for what recovery changes; default: the system's temporary directory
  --quiet            no progress

Nothing is changed: recovery of a data directory works on a copy of what it changes. Every table is checked as CHECK TABLE does, and so
are the dictionary and the maps of the system's own spaces.

Exit code 0: nothing is wrong. 1: something is. 2: it cannot be opened. 64: the options cannot be understood.
";

pub fn main(args: &[String]) -> ExitCode {
    let known =
        ["target", "to", "into", "keep", "since", "rate", "compress?", "key-file", "quiet!"];
    run("backup", BACKUP, args, &known, take::backup)
}

pub fn restore(args: &[String]) -> ExitCode {
    let known = [
        "from",
        "datadir",
        "redo-archive",
        "to-time",
        "before",
        "to-lsn",
        "key-file",
        "verify!",
        "dry-run!",
        "quiet!",
    ];
    run("restore", RESTORE, args, &known, put::restore)
}

pub fn check(args: &[String]) -> ExitCode {
    run("check", CHECK, args, &["", "key-file", "work", "quiet!"], look::check)
}
