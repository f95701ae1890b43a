//! Archived redo: files that hold the log from some LSN on, frame by frame, with the time of each.
//!
//! A file is `redo-<LSN>-<history>.weir`, named by the LSN at which it begins and the history of the directory (16 hexadecimal digits each). Its first frame says whose log it is, the others hold
//! `at u64 | micros u64 | bytes`: redo from LSN `at` on, all of which was durable at the time `micros`. Files follow each other; where two overlap
//! they have the same bytes. A file that ends within a frame was being written when something ended the server: the next file goes on where the
//! last whole frame ends.

use super::frame::{HEAD, Head, Kind, pack};
use super::key::{FrameKey, Key, SALT};
use super::{Fault, hex};
use aws_lc_rs::rand::{SecureRandom, SystemRandom};
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use weir_engine::Lsn;
use weir_engine::backup::{LogIdentity, Piece};
use weir_engine::page::get_u64;

/// A file is closed when it has so many bytes.
const FILE_BYTES: u64 = 64 << 20;
const LEVEL: i32 = 1;
/// Directory id, history, salt.
const HEADER: usize = 16 + 8 + SALT;

/// Of one history of one directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Whose {
    pub directory: [u8; 16],
    pub history: u64,
}

impl From<&LogIdentity> for Whose {
    fn from(i: &LogIdentity) -> Whose {
        Whose { directory: i.directory, history: i.history }
    }
}

fn name(start: Lsn, history: u64) -> String {
    format!("redo-{start:016x}-{history:016x}.weir")
}

/// Names and beginnings of the archive's files, in order.
pub fn files(dir: &Path) -> Fault<Vec<(Lsn, PathBuf)>> {
    let list = std::fs::read_dir(dir)
        .map_err(|e| format!("cannot read the archive '{}': {e}", dir.display()))?;
    let mut all = Vec::new();
    for entry in list.flatten() {
        let path = entry.path();
        let stem = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let hex = stem.strip_prefix("redo-").and_then(|n| n.strip_suffix(".weir"));
        let start = hex.and_then(|h| h.split_once('-')).map(|(start, _)| start);
        if let Some(start) = start.and_then(|h| Lsn::from_str_radix(h, 16).ok()) {
            all.push((start, path));
        }
    }
    all.sort();
    Ok(all)
}

/// A file of an archive, being read.
pub struct ArchiveFile {
    pub path: PathBuf,
    pub whose: Whose,
    file: BufReader<File>,
    at: u64,
    number: u64,
    key: Option<FrameKey>,
}

/// How a file ends, when nothing more can be read from it.
pub enum Tail {
    /// Behind a frame, or within one that was being written.
    Clean,
    Damaged(String),
}

impl ArchiveFile {
    pub fn open(path: &Path, key: Option<&Key>) -> Fault<ArchiveFile> {
        let shown = path.display();
        let file = File::open(path).map_err(|e| format!("cannot read '{shown}': {e}"))?;
        let mut a = ArchiveFile {
            path: path.to_path_buf(),
            whose: Whose { directory: [0; 16], history: 0 },
            file: BufReader::new(file),
            at: 0,
            number: 0,
            key: None,
        };
        let first = a.frame().map_err(|tail| match tail {
            Tail::Clean => format!("'{shown}' is empty"),
            Tail::Damaged(e) => e,
        })?;
        let bytes = match (first.0.kind, first.0.unpack(first.1, None)) {
            (Kind::Part, Ok(bytes)) if bytes.len() == HEADER => bytes,
            _ => return Err(format!("'{shown}' does not begin as a file of a redo archive does")),
        };
        a.whose.directory = bytes[..16].try_into().expect("sixteen bytes");
        a.whose.history = get_u64(&bytes, 16);
        let salt: [u8; SALT] = bytes[24..].try_into().expect("as long as was asked for");
        a.key = key.map(|k| k.derive(&salt));
        Ok(a)
    }

    fn frame(&mut self) -> Result<(Head, Vec<u8>), Tail> {
        let damaged = |what: &dyn std::fmt::Display| {
            Tail::Damaged(format!(
                "'{}' is damaged: the frame at byte {}: {what}",
                self.path.display(),
                self.at
            ))
        };
        let mut head = [0; HEAD];
        match read_all(&mut self.file, &mut head) {
            Ok(true) => {}
            Ok(false) => return Err(Tail::Clean),
            Err(e) => return Err(damaged(&e)),
        }
        let h = Head::decode(&head).map_err(|e| damaged(&e))?;
        let mut stored = vec![0; h.stored];
        match read_all(&mut self.file, &mut stored) {
            Ok(true) => {}
            Ok(false) => return Err(Tail::Clean),
            Err(e) => return Err(damaged(&e)),
        }
        if h.number != self.number || !h.is_whole(&stored) {
            return Err(damaged(&"its checksum or its number is wrong"));
        }
        self.at += (HEAD + h.stored) as u64;
        self.number += 1;
        Ok((h, stored))
    }

    /// The next piece.
    pub fn next_piece(&mut self) -> Result<Piece, Tail> {
        let at = self.at;
        let (head, stored) = self.frame()?;
        let damaged = |what: &dyn std::fmt::Display| {
            Tail::Damaged(format!(
                "'{}' is damaged: the frame at byte {at}: {what}",
                self.path.display()
            ))
        };
        let bytes = head.unpack(stored, self.key.as_ref()).map_err(|e| damaged(&e))?;
        if head.kind != Kind::Redo || bytes.len() < 16 {
            return Err(damaged(&"it holds no redo"));
        }
        let (at, micros) = (get_u64(&bytes, 0), get_u64(&bytes, 8));
        Ok(Piece { at, micros, bytes: bytes[16..].to_vec() })
    }
}

/// False: the file ends before.
fn read_all(file: &mut impl Read, buf: &mut [u8]) -> std::io::Result<bool> {
    match file.read_exact(buf) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
        Err(e) => Err(e),
    }
}

/// The last piece that the archive has of a history: the log behind it is wanted next. `None`: it has nothing of it. Files that cannot be read
/// are reported.
pub fn last_of(dir: &Path, whose: Whose, key: Option<&Key>) -> Fault<Option<Piece>> {
    let mut last: Option<Piece> = None;
    for (_, path) in files(dir)? {
        let mut file = ArchiveFile::open(&path, key)?;
        if file.whose.directory != whose.directory {
            return Err(format!(
                "'{}' is of another database, {}: each needs an archive of its own",
                path.display(),
                hex(&file.whose.directory)
            ));
        }
        if file.whose != whose {
            continue;
        }
        while let Ok(piece) = file.next_piece() {
            if last.as_ref().is_none_or(|l| end(l) < end(&piece)) {
                last = Some(piece);
            }
        }
    }
    Ok(last)
}

/// The LSN behind a piece.
pub fn end(piece: &Piece) -> Lsn {
    piece.at + piece.bytes.len() as Lsn
}

/// The archive, being written.
pub struct ArchiveWriter {
    dir: PathBuf,
    whose: Whose,
    key: Option<Key>,
    open: Option<Open>,
}

struct Open {
    path: PathBuf,
    file: File,
    key: Option<FrameKey>,
    number: u64,
    bytes: u64,
}

impl ArchiveWriter {
    pub fn new(dir: &Path, whose: Whose, key: Option<Key>) -> ArchiveWriter {
        ArchiveWriter { dir: dir.to_path_buf(), whose, key, open: None }
    }

    /// The next piece goes to a new file: this one is full, or not to be trusted.
    pub fn close(&mut self) {
        self.open = None;
    }

    pub fn put(&mut self, piece: &Piece) -> std::io::Result<()> {
        if self.open.as_ref().is_some_and(|o| o.bytes >= FILE_BYTES) {
            self.sync()?;
            self.close();
        }
        if self.open.is_none() {
            self.begin(piece.at)?;
        }
        let mut block = Vec::with_capacity(piece.bytes.len() + 16);
        block.extend_from_slice(&piece.at.to_le_bytes());
        block.extend_from_slice(&piece.micros.to_le_bytes());
        block.extend_from_slice(&piece.bytes);
        let open = self.open.as_mut().expect("it was opened just now");
        let frame = pack(Kind::Redo, open.number, &block, LEVEL, open.key.as_ref());
        open.file.write_all(&frame)?;
        open.number += 1;
        open.bytes += frame.len() as u64;
        Ok(())
    }

    fn begin(&mut self, start: Lsn) -> std::io::Result<()> {
        let mut salt = [0; SALT];
        let random = SystemRandom::new().fill(&mut salt);
        random.map_err(|_| std::io::Error::other("the system has no random numbers"))?;
        let mut head = Vec::with_capacity(HEADER);
        head.extend_from_slice(&self.whose.directory);
        head.extend_from_slice(&self.whose.history.to_le_bytes());
        head.extend_from_slice(&salt);
        let path = self.dir.join(name(start, self.whose.history));
        // What a file of this name has is not safe, or the archive would end behind it.
        let how =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path);
        let mut file = how?;
        let frame = pack(Kind::Part, 0, &head, 0, None);
        file.write_all(&frame)?;
        File::open(&self.dir)?.sync_all()?;
        let key = self.key.as_ref().map(|k| k.derive(&salt));
        self.open = Some(Open { path, file, key, number: 1, bytes: frame.len() as u64 });
        Ok(())
    }

    /// What was put is safe behind this.
    pub fn sync(&mut self) -> std::io::Result<()> {
        match &self.open {
            Some(open) => open.file.sync_data(),
            None => Ok(()),
        }
    }

    /// The file at hand, for messages.
    pub fn path(&self) -> PathBuf {
        self.open.as_ref().map_or(self.dir.clone(), |o| o.path.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOSE: Whose = Whose { directory: [5; 16], history: 9 };

    fn folder(what: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("weir-archive-{what}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        dir
    }

    fn piece(at: Lsn, len: usize) -> Piece {
        Piece { at, micros: at * 10, bytes: vec![at as u8; len] }
    }

    fn pieces(path: &Path, key: Option<&Key>) -> (Vec<Lsn>, bool) {
        let mut file = ArchiveFile::open(path, key).unwrap();
        let mut out = Vec::new();
        loop {
            match file.next_piece() {
                Ok(p) => out.push(p.at),
                Err(tail) => return (out, matches!(tail, Tail::Clean)),
            }
        }
    }

    #[test]
    fn pieces_come_back_and_the_end_is_found() {
        let dir = folder("back");
        let key = Key::of(&[4; 32]);
        for (history, key) in [(9, None), (10, key.clone())] {
            let whose = Whose { history, ..WHOSE };
            let mut w = ArchiveWriter::new(&dir, whose, key.clone());
            let first = 5000 + history;
            w.put(&piece(first, 100)).unwrap();
            w.put(&piece(first + 100, 50)).unwrap();
            w.sync().unwrap();
            assert_eq!(pieces(&w.path(), key.as_ref()), (vec![first, first + 100], true));
            let last = last_of(&dir, whose, key.as_ref()).unwrap();
            assert_eq!(last.map(|p| end(&p)), Some(first + 150));
        }
        assert!(last_of(&dir, Whose { history: 1, ..WHOSE }, None).unwrap().is_none());
        let other = Whose { directory: [6; 16], ..WHOSE };
        assert!(last_of(&dir, other, None).unwrap_err().contains("another database"));
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn a_torn_end_is_told_from_damage() {
        let dir = folder("torn");
        let mut w = ArchiveWriter::new(&dir, WHOSE, None);
        w.put(&piece(100, 80)).unwrap();
        w.put(&piece(180, 80)).unwrap();
        let path = w.path();
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert_eq!(pieces(&path, None), (vec![100], true));
        let mut bad = whole.clone();
        let last = bad.len() - 1;
        bad[last] ^= 1;
        std::fs::write(&path, &bad).unwrap();
        assert_eq!(pieces(&path, None), (vec![100], false));
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
