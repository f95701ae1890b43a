//! BACKUP TO: the server stores a backup itself.

use super::read::Reader;
use super::write::{Settings, Target, Writer};
use super::{Fault, Key, MANIFEST, Manifest, hex};
use crate::log;
use std::path::Path;
use std::sync::Arc;
use weir_boot::files::MachineFiles;
use weir_engine::backup::{Base, Block};
use weir_sql::errno;
use weir_sql::files::{BackupAsked, BackupFile, BackupFiles, BackupMade};
use weir_sql::session_api::SqlError;

/// Stores backups where `secure_file_priv` lets statements write.
pub struct BackupCommand {
    files: Arc<MachineFiles>,
}

fn failed(why: String) -> SqlError {
    SqlError::new(errno::ER_UNKNOWN_ERROR, format!("Backup failed: {why}"))
}

impl BackupCommand {
    pub fn new(files: Arc<MachineFiles>) -> BackupCommand {
        BackupCommand { files }
    }

    /// The key is read as a file that statements may read.
    fn key(&self, path: &str) -> Result<Key, SqlError> {
        Key::read(&self.files.readable(path.as_bytes())?).map_err(failed)
    }
}

/// What a directory's manifest says, without a look at its parts.
pub fn manifest_of(dir: &Path) -> Fault<Manifest> {
    // Whether the directory is a whole backup is looked at as before a restore; its bytes are not.
    let _ = Reader::open(dir, None)?;
    let path = dir.join(MANIFEST);
    let text =
        std::fs::read(&path).map_err(|e| format!("cannot read '{}': {e}", path.display()))?;
    Manifest::decode(&text).map_err(|e| format!("'{}' is damaged: {e}", path.display()))
}

impl BackupFiles for BackupCommand {
    fn begin(&self, asked: &BackupAsked<'_>) -> Result<Box<dyn BackupFile>, SqlError> {
        let dir = self.files.new_directory(asked.directory.as_bytes())?;
        let base = match asked.since {
            None => None,
            Some(since) => {
                let since = self.files.readable(since.as_bytes())?;
                Some(manifest_of(&since).map_err(failed)?.as_base())
            }
        };
        let key = asked.key_file.map(|path| self.key(path)).transpose()?;
        let level = i32::try_from(asked.compression).unwrap_or(0);
        let shown = dir.display().to_string();
        let settings = Settings { level, key, part_bytes: 0 };
        let writer = Writer::new(Target::Directory(dir), settings).map_err(failed)?;
        Ok(Box::new(Stored { writer, base, shown }))
    }
}

struct Stored {
    writer: Writer,
    base: Option<Base>,
    shown: String,
}

impl BackupFile for Stored {
    fn base(&self) -> Option<Base> {
        self.base.clone()
    }

    fn put(&mut self, block: &Block) -> Result<(), SqlError> {
        self.writer.put(block).map_err(failed)
    }

    fn finish(self: Box<Self>) -> Result<BackupMade, SqlError> {
        let Stored { writer, shown, .. } = *self;
        let m = writer.finish().map_err(failed)?;
        let bytes = m.parts.iter().map(|p| p.bytes).sum();
        let id = hex(&m.backup);
        log::system(&format!(
            "backup {id} is complete in '{shown}': LSN {} to {}, {} pages, {bytes} bytes",
            m.start, m.end, m.pages
        ));
        Ok(BackupMade { backup: id, bytes })
    }
}
