//! What a start does, from what the control file and the log's files say (the table in `recovery`).

use crate::ids::Lsn;

/// What is known before the log is read.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The control file says that the log ends at the checkpoint.
    pub clean: bool,
    /// There are log files.
    pub files: bool,
    /// One of them holds the checkpoint.
    pub covered: bool,
    /// The log has the bytes that had been synced when the control file was written, by their sample.
    pub sampled: bool,
    /// The epoch of a life that begins at the checkpoint and that the control file does not know.
    pub later: Option<u32>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing to recover.
    Open,
    /// The log was empty and its files are gone: new ones.
    NewLog,
    /// Read the log from the checkpoint on.
    Recover,
    Refuse(String),
}

pub fn decide(f: &Facts, checkpoint: Lsn, durable: Lsn) -> Outcome {
    match (f.clean, f.files, f.covered) {
        (true, false, _) => Outcome::NewLog,
        (true, true, true) => match f.later {
            Some(epoch) => Outcome::Refuse(older_control(epoch, checkpoint)),
            None if f.sampled => Outcome::Open,
            None => Outcome::Refuse(format!(
                "the directory was closed, but the log does not have the bytes that stood before its end, LSN {checkpoint}: the files of \
                 folder 'redo/' are older than the control file 'weir.ctl', and the data files may be as old. Put back the files that \
                 belong together, or restore a backup. If only the log is older, remove its files: nothing of it is needed"
            )),
        },
        (false, true, true) if f.sampled => Outcome::Recover,
        (false, true, true) => Outcome::Refuse(format!(
            "the log does not have the bytes before LSN {durable} that had been synced: the files of folder 'redo/' are older \
             than the control file 'weir.ctl', or damaged. Put back the files that belong together, or restore a backup; \
             innodb_force_recovery=6 opens what is there to be read"
        )),
        (_, true, false) => Outcome::Refuse(format!(
            "no file of folder 'redo' holds the checkpoint, LSN {checkpoint}: either redo files are missing or of another time, \
             or the control file 'weir.ctl' is older than they are. Put back the files that belong together, or restore a backup"
        )),
        (false, false, _) => Outcome::Refuse(
            "the files of folder 'redo' are missing, and the directory was not closed: what they held cannot be told from the \
             data files. Put them back, or restore a backup; innodb_force_recovery=6 opens what is there to be read"
                .into(),
        ),
    }
}

pub fn older_control(epoch: u32, end: Lsn) -> String {
    format!(
        "the control file 'weir.ctl' is older than the redo log: at LSN {end}, where it knows of no more, the log goes on in a \
         later life of the server (number {epoch}), whose commits would be lost. Put back the control file that belongs to the \
         log, or restore a backup of the whole directory"
    )
}

pub fn older_than_recorded(durable: Lsn, seconds_ago: u64) -> String {
    format!(
        "the log ends here, but the flight recorder '{}' has seen it durable up to LSN {durable}, {seconds_ago} seconds ago: the files of \
         folder 'redo/', the control file 'weir.ctl', or both are older than the directory. Put back the files that belong together. \
         If the whole directory was restored from a backup, and only the flight recorder's file is newer, remove that file; \
         innodb_force_recovery=1 opens what is there to be read",
        crate::history::flight::FILE
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_combination_has_its_outcome() {
        // Case, clean, files, covered, sampled, later life; the outcome, or a word of the refusal.
        type Case<'a> = (&'a str, [bool; 4], Option<u32>, Result<Outcome, &'a str>);
        let table: [Case<'_>; 10] = [
            ("A", [true, true, true, true], None, Ok(Outcome::Open)),
            (
                "F: clean, an older log",
                [true, true, true, false],
                None,
                Err("remove its files: nothing of it is needed"),
            ),
            ("B", [true, false, false, false], None, Ok(Outcome::NewLog)),
            ("C", [true, true, true, true], Some(9), Err("later life of the server (number 9)")),
            (
                "D: clean, files behind",
                [true, true, false, true],
                None,
                Err("no file of folder 'redo'"),
            ),
            (
                "D: files before or behind",
                [false, true, false, true],
                None,
                Err("'weir.ctl' is older"),
            ),
            ("D: no files", [false, false, false, false], None, Err("innodb_force_recovery=6")),
            ("E to H", [false, true, true, true], None, Ok(Outcome::Recover)),
            (
                "E to H, later life not asked for",
                [false, true, true, true],
                Some(9),
                Ok(Outcome::Recover),
            ),
            ("F", [false, true, true, false], None, Err("older than the control file")),
        ];
        for (case, [clean, files, covered, sampled], later, expected) in table {
            match (decide(&Facts { clean, files, covered, sampled, later }, 5000, 6000), expected) {
                (Outcome::Refuse(text), Err(word)) => {
                    assert!(text.contains(word), "{case}: {text}")
                }
                (outcome, expected) => assert_eq!(Ok(outcome), expected, "case {case}"),
            }
        }
    }
}
