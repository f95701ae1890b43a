//! A copy of an open database in another directory.

use crate::database::Database;
use crate::error::{Error, Result};
use std::path::Path;
use std::sync::Arc;
use weir_disk::{Backend, Disk, RealDisk};
use weir_engine::backup::{Backup, BackupOptions, Block, Restorer};
use weir_rt::Rt;

/// How far a backup has come.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackupProgress {
    /// Pages that have been read.
    pub read: u64,
    /// Pages that there were when the backup began. There may be more by now.
    pub expected: u64,
}

impl Database {
    /// Copies the database into a new directory while it is used: what was committed when the copy ends is in it. The copy is a directory as
    /// others are, for [`Database::open`] and `weir serve`; of a database in memory, too. Options that SET PERSIST has kept stay behind.
    ///
    /// ```
    /// # fn main() -> weir::Result<()> {
    /// # let to = std::env::temp_dir().join(format!("weir-doc-backup-{}", std::process::id()));
    /// let db = weir::Database::open_in_memory()?;
    /// db.connect()?.execute_batch("CREATE DATABASE app; CREATE TABLE app.t AS SELECT 42 AS n")?;
    /// db.backup(&to)?;
    /// let copy = weir::Database::open(&to)?;
    /// assert_eq!(copy.connect()?.query_row("SELECT n FROM app.t", ())?.get::<i64>("n")?, 42);
    /// # copy.close()?;
    /// # std::fs::remove_dir_all(&to).unwrap();
    /// # Ok(()) }
    /// ```
    ///
    /// Errors: [`Error::Misuse`] where the directory is not empty. What a failed backup has written is removed.
    pub fn backup(&self, path: impl AsRef<Path>) -> Result<()> {
        self.backup_with(path, |_| true)
    }

    /// The same, and tells how far it has come; `false` ends it with MySQL's error 1317, of class [`Class::Interrupted`](crate::Class).
    pub fn backup_with(
        &self,
        path: impl AsRef<Path>,
        mut go_on: impl FnMut(BackupProgress) -> bool,
    ) -> Result<()> {
        self.inner.check()?;
        let path = path.as_ref();
        let made_here = !path.exists();
        if !made_here && path.read_dir().is_ok_and(|mut there| there.next().is_some()) {
            let text =
                format!("a backup makes a new directory, and '{}' is not empty", path.display());
            return Err(Error::misuse(text));
        }
        let copied = self.copy(path, &mut go_on);
        if copied.is_err() {
            remove(path, made_here);
        }
        copied
    }

    fn copy(&self, path: &Path, go_on: &mut dyn FnMut(BackupProgress) -> bool) -> Result<()> {
        let failed = |e: weir_engine::Error| failed(&e.to_string());
        let disk = RealDisk::open(path, Backend::Auto, |_| {});
        let disk: Arc<dyn Disk> = Arc::new(disk.map_err(|e| self::failed(&e.to_string()))?);
        let (rt, db) = (self.inner.rt(), &self.inner.inst().db);
        let o = BackupOptions { program: "weir library".to_owned(), ..BackupOptions::default() };
        let mut backup = rt.block_on(db.begin_backup(o)).map_err(failed)?;
        let mut to =
            rt.block_on(Restorer::new(rt, disk, backup.begin().clone())).map_err(failed)?;
        rt.block_on(to.begin_redo(u64::MAX)).map_err(failed)?;
        while put_next(rt, &mut backup, &mut to).map_err(failed)? {
            let (read, _) = backup.progress();
            if !go_on(BackupProgress { read, expected: backup.begin().expected_pages }) {
                let message = "Query execution was interrupted".to_owned();
                return Err(Error::Sql { number: 1317, sqlstate: *b"70100", message });
            }
        }
        rt.block_on(to.finish()).map(drop).map_err(failed)
    }
}

/// Copies a block; `false`: there was none left.
fn put_next(rt: &Rt, from: &mut Backup, to: &mut Restorer) -> weir_engine::Result<bool> {
    rt.block_on(async {
        match from.next_block().await? {
            None => return Ok(false),
            Some(Block::Begin(_)) => {}
            Some(Block::Pages(pages)) => to.pages(&pages).await?,
            Some(Block::Redo { at, bytes }) => to.redo(at, &bytes).await?,
            Some(Block::End(end)) => to.end(end).await?,
        }
        Ok(true)
    })
}

fn failed(why: &str) -> Error {
    Error::Failed { message: format!("the backup failed: {why}") }
}

/// What there is of a backup that has failed. Without a control file nothing would open it; that it is there would be in the way of the next try.
fn remove(path: &Path, with_directory: bool) {
    // The caller learns what has failed first; a part that stays is refused by the next try.
    let _ = match with_directory {
        true => std::fs::remove_dir_all(path),
        false => path.read_dir().and_then(|mut there| {
            there.try_for_each(|entry| {
                let entry = entry?;
                match entry.file_type()?.is_dir() {
                    true => std::fs::remove_dir_all(entry.path()),
                    false => std::fs::remove_file(entry.path()),
                }
            })
        }),
    };
}
