//! Backups as files: how the engine's blocks are stored, checked, and made a data directory again.
//!
//! `frame` is one block in its envelope (number, checksum, compressed, encrypted), `key` the encryption, `manifest` what people and programs
//! read about a backup, `write` a directory or a stream of frames, `read` the way back, `check` all that is looked at before a restore
//! touches its target, `restore` the restore itself, `statements` the definition statements that it finds in the log. `command` is what BACKUP TO does in a server. `archive` is the files of archived redo,
//! `archiver` the task that writes them.
//!
//! May use: the engine's blocks and its restorer. Knows no sessions and no sockets. Calls block their thread: each has one of its own.
//!
//! Invariants
//! - A directory without `manifest.json` is no backup. It is the last file that is made, and until then there is `incomplete`.
//! - Frames are numbered through all parts, and the last one says how many there are: none can be missing, doubled or of another backup
//!   without being noticed.
//! - With encryption, each frame's number, kind and lengths are authenticated with its bytes.

mod archive;
mod archiver;
mod check;
mod command;
mod frame;
mod key;
mod manifest;
mod read;
mod restore;
mod statements;
mod write;

pub use archiver::{ArchiveSettings, ArchiveStatus, Archiver};
pub use check::{Checked, check, check_chain};
pub use command::{BackupCommand, manifest_of};
pub use key::Key;
pub use manifest::Manifest;
pub use read::Reader;
pub use restore::{Goal, Named, Plan, Restore, refuse_used};
pub use statements::{NOTED, is_noted};
pub use write::{Settings, Target, Writer, prepare};

/// What went wrong, as a sentence for anyone who called.
pub type Fault<T> = Result<T, String>;

/// Of the file that says that a backup is under way, or was when something ended it.
pub const INCOMPLETE: &str = "incomplete";
pub const MANIFEST: &str = "manifest.json";

/// The n-th part of a backup, from 1 on.
pub fn part_name(number: u32) -> String {
    format!("part-{number:06}.weir")
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

pub fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N || !text.is_ascii() {
        return None;
    }
    let mut out = [0; N];
    for (i, b) in out.iter_mut().enumerate() {
        *b = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).ok()?;
    }
    Some(out)
}
