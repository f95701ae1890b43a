//! Files of this machine that statements read and write: LOAD DATA, SELECT ... INTO OUTFILE and DUMPFILE.
//!
//! A statement's thread is its session's own, so reads and writes here simply block it. Which files may be touched is decided here
//! alone, by `secure_file_priv` as it was at the start: NULL forbids all, a directory allows what lies in it once links and `..` are
//! resolved, empty allows whatever the system does. Regular files only: a device or a pipe could keep a statement for ever. Nothing
//! is ever overwritten, and nothing is made in the data directory, whose names are the engine's.

use rustix::fs::OFlags;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use weir_sql::errno;
use weir_sql::files::{ReadFile, ServerFiles, WriteFile, not_allowed};
use weir_sql::session_api::SqlError;

/// Bytes read at once.
const PIECE: usize = 64 * 1024;
/// Rights of a new file, as MySQL's.
const MODE: u32 = 0o640;
/// Of a file's mode.
const READ_BY_ALL: u32 = 0o004;
/// MySQL's numbers of errors that the system gives rise to (`mysys`).
const EE_CANTCREATEFILE: u16 = 1;
const EE_READ: u16 = 2;
const EE_WRITE: u16 = 3;
const EE_STAT: u16 = 13;
const EE_FILENOTFOUND: u16 = 29;

enum Allowed {
    Nothing,
    /// What lies in this directory, which has no links in its path.
    In(PathBuf),
    Everything,
}

/// The machine's files within the bounds of `secure_file_priv`.
pub struct MachineFiles {
    allowed: Allowed,
    /// Where a relative path begins.
    datadir: PathBuf,
}

impl MachineFiles {
    /// The text of an error is for anyone who starts the server.
    pub fn new(secure_file_priv: &str, datadir: &Path) -> Result<MachineFiles, String> {
        let datadir = std::fs::canonicalize(datadir).map_err(|e| {
            format!("cannot resolve the data directory '{}': {e}", datadir.display())
        })?;
        let allowed = match secure_file_priv {
            "" => Allowed::Everything,
            null if null.eq_ignore_ascii_case("NULL") => Allowed::Nothing,
            dir => {
                let whole = std::fs::canonicalize(dir).and_then(|d| match d.is_dir() {
                    true => Ok(d),
                    false => Err(Error::from(ErrorKind::NotADirectory)),
                });
                Allowed::In(whole.map_err(|e| {
                    format!("--secure-file-priv needs a directory that exists, not '{dir}': {e}")
                })?)
            }
        };
        Ok(MachineFiles { allowed, datadir })
    }

    fn path(&self, name: &[u8]) -> PathBuf {
        self.datadir.join(OsStr::from_bytes(name))
    }

    /// Whether a path without links may be touched.
    fn allows(&self, resolved: &Path) -> bool {
        match &self.allowed {
            Allowed::Nothing => false,
            Allowed::In(dir) => resolved.starts_with(dir),
            Allowed::Everything => true,
        }
    }

    /// The path with links resolved; of a file that does not exist its directory's, with its name. `None`: there is no such directory.
    fn resolve(path: &Path) -> Option<PathBuf> {
        std::fs::canonicalize(path).ok().or_else(|| {
            let dir = std::fs::canonicalize(path.parent()?).ok()?;
            Some(dir.join(path.file_name()?))
        })
    }
}

impl MachineFiles {
    /// A path that statements may read.
    pub fn readable(&self, name: &[u8]) -> Result<PathBuf, SqlError> {
        let path = Self::resolve(&self.path(name)).filter(|p| self.allows(p));
        path.ok_or_else(not_allowed)
    }

    /// A directory that a statement may make, outside of the data directory.
    pub fn new_directory(&self, name: &[u8]) -> Result<PathBuf, SqlError> {
        let path = self.readable(name)?;
        match path.starts_with(&self.datadir) {
            true => Err(not_allowed()),
            false => Ok(path),
        }
    }
}

impl ServerFiles for MachineFiles {
    fn open(&self, name: &[u8]) -> Result<Box<dyn ReadFile>, SqlError> {
        let path = self.path(name);
        let resolved = Self::resolve(&path);
        let allowed = match (&resolved, &self.allowed) {
            (Some(p), _) => self.allows(p),
            // That it is not there may be told only to anyone who might read it.
            (None, allowed) => matches!(allowed, Allowed::Everything),
        };
        if !allowed {
            return Err(not_allowed());
        }
        let no_stat = |e: Error| failed(EE_STAT, "Can't get stat of", &path, "", &e);
        std::fs::metadata(&path).map_err(no_stat)?;
        // What was resolved is opened: a link that is put there meanwhile is not followed, and a pipe keeps nobody waiting.
        let resolved = resolved.unwrap_or_else(|| path.clone());
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let mut options = OpenOptions::new();
        let file = options
            .read(true)
            .custom_flags(flags.bits() as i32)
            .open(&resolved)
            .map_err(|e| failed(EE_FILENOTFOUND, "File", &path, " not found", &e))?;
        // The keys of encrypted connections lie in the data directory. MySQL 8.0 has no such bound any more.
        let metadata = file.metadata().map_err(no_stat)?;
        let is_secret = resolved.starts_with(&self.datadir) && metadata.mode() & READ_BY_ALL == 0;
        if !metadata.is_file() || is_secret {
            let text = format!(
                "The file '{}' must be in the database directory or be readable by all",
                path.display()
            );
            return Err(SqlError::new(errno::ER_TEXTFILE_NOT_READABLE, text));
        }
        Ok(Box::new(Reading { file, path }))
    }

    fn create(&self, name: &[u8]) -> Result<Box<dyn WriteFile>, SqlError> {
        let path = self.path(name);
        let Some(resolved) = Self::resolve(&path) else {
            return match self.allowed {
                Allowed::Everything => {
                    let gone = Error::from_raw_os_error(2);
                    Err(failed(EE_CANTCREATEFILE, "Can't create/write to file", &path, "", &gone))
                }
                Allowed::Nothing | Allowed::In(_) => Err(not_allowed()),
            };
        };
        if !self.allows(&resolved) || resolved.starts_with(&self.datadir) {
            return Err(not_allowed());
        }
        match OpenOptions::new().write(true).create_new(true).mode(MODE).open(&resolved) {
            Ok(file) => Ok(Box::new(Writing { file, path: resolved, finished: false })),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                let text = format!("File '{}' already exists", String::from_utf8_lossy(name));
                Err(SqlError::new(errno::ER_FILE_EXISTS_ERROR, text))
            }
            Err(e) => Err(failed(EE_CANTCREATEFILE, "Can't create/write to file", &path, "", &e)),
        }
    }
}

/// `Can't get stat of 'x' (OS errno 2 - No such file or directory)`.
fn failed(errno: u16, before: &str, path: &Path, after: &str, e: &Error) -> SqlError {
    let code = e.raw_os_error().unwrap_or(0);
    let why = e.to_string();
    let why = why.split(" (os error").next().unwrap_or_default();
    let path = path.display();
    SqlError::new(errno, format!("{before} '{path}'{after} (OS errno {code} - {why})"))
}

struct Reading {
    file: File,
    path: PathBuf,
}

impl ReadFile for Reading {
    fn read(&mut self, into: &mut Vec<u8>) -> Result<bool, SqlError> {
        let from = into.len();
        into.resize(from + PIECE, 0);
        let got = loop {
            match self.file.read(&mut into[from..]) {
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        into.truncate(from + *got.as_ref().unwrap_or(&0));
        let got = got.map_err(|e| failed(EE_READ, "Error reading file", &self.path, "", &e))?;
        Ok(got > 0)
    }
}

struct Writing {
    file: File,
    path: PathBuf,
    finished: bool,
}

impl WriteFile for Writing {
    fn write(&mut self, bytes: &[u8]) -> Result<(), SqlError> {
        let done = self.file.write_all(bytes);
        done.map_err(|e| failed(EE_WRITE, "Error writing file", &self.path, "", &e))
    }

    fn finish(&mut self) -> Result<(), SqlError> {
        self.finished = true;
        Ok(())
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if !self.finished {
            // What cannot be removed stays: the statement has failed already, and says why.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Place {
            let dir =
                std::env::temp_dir().join(format!("weir-files-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&dir);
            for sub in ["data", "free", "other"] {
                std::fs::create_dir_all(dir.join(sub)).expect("a directory");
            }
            Place(dir)
        }

        fn files(&self, secure: &str) -> MachineFiles {
            MachineFiles::new(secure, &self.0.join("data")).expect("valid")
        }

        fn name(&self, of: &str) -> Vec<u8> {
            self.0.join(of).into_os_string().into_encoded_bytes()
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn errno<T>(r: Result<T, SqlError>) -> u16 {
        r.err().map_or(0, |e| e.errno)
    }

    #[test]
    fn a_directory_holds_whatever_the_path_says() {
        let p = Place::new("bounds");
        std::fs::write(p.0.join("free/in"), "x").expect("written");
        std::fs::write(p.0.join("other/out"), "x").expect("written");
        std::os::unix::fs::symlink(p.0.join("other/out"), p.0.join("free/link")).expect("a link");
        let free = p.0.join("free");
        let files = p.files(free.to_str().expect("a name"));
        assert_eq!(errno(files.open(&p.name("free/in"))), 0);
        for out in ["other/out", "free/../other/out", "free/link", "none/x", "data/x"] {
            assert_eq!(errno(files.open(&p.name(out))), 1290, "{out}");
        }
        assert_eq!(errno(files.open(&p.name("free/none"))), 13);
        assert_eq!(errno(files.create(&p.name("other/new"))), 1290);
        assert_eq!(errno(files.create(&p.name("free/../other/new"))), 1290);
        assert_eq!(errno(files.create(&p.name("free/in"))), 1086);
        // A link to what is allowed is as good as that.
        assert_eq!(errno(p.files("NULL").open(&p.name("free/in"))), 1290);
        assert!(MachineFiles::new("/nowhere at all", &p.0).is_err());
    }

    #[test]
    fn without_bounds_only_regular_files_are_read_and_no_data_is_touched() {
        let p = Place::new("free");
        let files = p.files("");
        assert_eq!(errno(files.open(b"/dev/zero")), 1085);
        assert_eq!(errno(files.open(&p.name("free"))), 1085);
        assert_eq!(errno(files.open(&p.name("none/x"))), 13);
        // Keys are nobody's business; what is written by OUTFILE elsewhere can be read again.
        for (name, mode, expected) in
            [("data/key", 0o600, 1085), ("data/cert", 0o644, 0), ("free/out", MODE, 0)]
        {
            let path = p.0.join(name);
            std::fs::write(&path, "x").expect("written");
            let rights = std::os::unix::fs::PermissionsExt::from_mode(mode);
            std::fs::set_permissions(&path, rights).expect("set");
            assert_eq!(errno(files.open(&p.name(name))), expected, "{name}");
        }
        assert_eq!(errno(files.create(&p.name("none/x"))), 1);
        assert_eq!(errno(files.create(&p.name("data/redo"))), 1290);
        assert_eq!(errno(files.create(b"relative")), 1290);
    }

    #[test]
    fn a_file_that_is_not_finished_goes() {
        let p = Place::new("unfinished");
        let files = p.files("");
        let name = p.name("free/f");
        let mut f = files.create(&name).expect("made");
        f.write(b"abc").expect("written");
        drop(f);
        assert!(!p.0.join("free/f").exists());
        let mut f = files.create(&name).expect("made again");
        f.write(b"abc").expect("written");
        f.finish().expect("finished");
        drop(f);
        let mut got = Vec::new();
        let mut f = files.open(&name).expect("opened");
        while f.read(&mut got).expect("read") {}
        assert_eq!(got, b"abc");
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(p.0.join("free/f")).expect("there").permissions().mode();
        assert_eq!(mode & 0o777 & !MODE, 0);
    }
}
