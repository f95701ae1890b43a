//! The data directory while the server runs: whether its path still leads to it.
//!
//! Open files of a directory that was moved away or unmounted go on taking writes that no later start would find under the path, and
//! new files would be made somewhere else. The server ends instead, as after a failed sync, and the next start recovers.

use crate::log;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Of a process that ends because its storage cannot go on (`EX_SOFTWARE` of sysexits).
const EXIT_CODE: i32 = 70;

/// A data directory by its path and by what the system knows it as.
pub struct Place {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl Place {
    pub fn of(datadir: &Path) -> Result<Place, String> {
        // A relative path would lead elsewhere if the working directory went.
        let found = std::fs::canonicalize(datadir).and_then(|p| Ok((p.metadata()?, p)));
        let (metadata, path) = found.map_err(|e| {
            format!("cannot look at the data directory '{}': {e}", datadir.display())
        })?;
        Ok(Place { path, device: metadata.dev(), inode: metadata.ino() })
    }

    /// Why the path does not lead to the directory any more. An error of another kind than that it is not there is no reason: a
    /// device that fails makes its reads and writes fail.
    fn gone(&self) -> Option<&'static str> {
        match self.path.metadata() {
            Ok(m) if (m.dev(), m.ino()) == (self.device, self.inode) => None,
            Ok(_) => Some("another directory is in its place"),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                Some("it was moved, removed or unmounted")
            }
            Err(_) => None,
        }
    }

    pub fn end_if_gone(&self) {
        let Some(why) = self.gone() else { return };
        log::error(&format!(
            "the data directory '{}' is gone: {why}; ending the process, since nothing that it writes would be found. The next start recovers",
            self.path.display()
        ));
        std::process::exit(EXIT_CODE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_is_moved_is_missed() {
        let base = std::env::temp_dir().join(format!("weir-place-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&base);
        let (here, there) = (base.join("here"), base.join("there"));
        std::fs::create_dir_all(&here).unwrap();
        let place = Place::of(&here).unwrap();
        assert_eq!(place.gone(), None);
        std::fs::rename(&here, &there).unwrap();
        assert_eq!(place.gone(), Some("it was moved, removed or unmounted"));
        std::fs::create_dir(&here).unwrap();
        assert_eq!(place.gone(), Some("another directory is in its place"));
        std::fs::remove_dir(&here).unwrap();
        std::fs::rename(&there, &here).unwrap();
        assert_eq!(place.gone(), None);
        std::fs::remove_dir_all(&base).unwrap();
    }
}
