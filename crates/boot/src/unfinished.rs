//! The mark of a data directory that `weir init` is making. Until it goes, root has no password there, so nothing serves the directory: a
//! process that is ended in the middle leaves the mark behind.

use std::fs::{DirBuilder, File};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

const NAME: &str = "weir.initializing";
/// Rights of a new data directory: the server's account, and its group to look.
const MODE: u32 = 0o750;

/// The directory while it is being made. Dropped before [`Unfinished::finish`], it takes what was made away again.
pub struct Unfinished {
    datadir: PathBuf,
    finished: bool,
}

impl Unfinished {
    /// Makes the directory, or takes an empty one, and marks it.
    pub fn begin(datadir: &Path) -> Result<Unfinished, String> {
        let shown = datadir.display();
        let made = DirBuilder::new().recursive(true).mode(MODE).create(datadir);
        let was_there = datadir.read_dir().map(|mut entries| entries.next().is_some());
        match (made, was_there) {
            (Err(e), _) | (_, Err(e)) => {
                return Err(format!("cannot make the data directory '{shown}': {e}"));
            }
            (_, Ok(true)) => {
                return Err(format!(
                    "the data directory '{shown}' has files in it; a new one is made in an empty directory or in one that does not exist"
                ));
            }
            (Ok(()), Ok(false)) => {}
        }
        let marked = File::create_new(datadir.join(NAME)).and_then(|f| f.sync_all());
        let marked = marked.and_then(|()| File::open(datadir)?.sync_all());
        marked.map_err(|e| format!("cannot write to the data directory '{shown}': {e}"))?;
        Ok(Unfinished { datadir: datadir.into(), finished: false })
    }

    /// The directory may be served from now on.
    pub fn finish(mut self) -> Result<(), String> {
        let gone = std::fs::remove_file(self.datadir.join(NAME));
        let gone = gone.and_then(|()| File::open(&self.datadir)?.sync_all());
        gone.map_err(|e| format!("cannot end the making of '{}': {e}", self.datadir.display()))?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        // Everything in it was made since `begin`. What cannot be removed stays, with the mark.
        let Ok(entries) = self.datadir.read_dir() else { return };
        for entry in entries.flatten().filter(|e| e.file_name() != NAME) {
            let path = entry.path();
            let gone = if path.is_dir() {
                std::fs::remove_dir_all(&path)
            } else {
                std::fs::remove_file(&path)
            };
            if gone.is_err() {
                return;
            }
        }
        let _ = std::fs::remove_file(self.datadir.join(NAME));
    }
}

/// A directory whose making has not come to its end is served by nobody.
pub fn refuse(datadir: &Path) -> Result<(), String> {
    match std::fs::symlink_metadata(datadir.join(NAME)) {
        Err(e) if e.kind() == ErrorKind::NotFound || e.kind() == ErrorKind::NotADirectory => Ok(()),
        _ => Err(format!(
            "the data directory '{}' was being made by `weir init`, which has not come to its end: remove the directory and run it again",
            datadir.display()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_goes_with_the_end_and_stays_with_what_is_left() {
        let dir = std::env::temp_dir().join(format!("weir-unfinished-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        let begun = Unfinished::begin(&dir).unwrap();
        assert!(refuse(&dir).is_err() && Unfinished::begin(&dir).is_err());
        std::fs::write(dir.join("x"), "x").unwrap();
        drop(begun);
        assert_eq!((refuse(&dir), dir.read_dir().unwrap().count()), (Ok(()), 0));
        Unfinished::begin(&dir).unwrap().finish().unwrap();
        assert!(refuse(&dir).is_ok());
        std::fs::write(dir.join("x"), "x").unwrap();
        assert!(Unfinished::begin(&dir).is_err_and(|e| e.contains("has files in it")));
        assert!(dir.join("x").exists());
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
