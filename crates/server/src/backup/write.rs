//! A backup on its way into a directory, or into a stream.

use super::frame::{Kind, pack};
use super::key::{FrameKey, Key, SALT};
use super::manifest::{Manifest, Part};
use super::{Fault, INCOMPLETE, MANIFEST, part_name};
use aws_lc_rs::rand::{SecureRandom, SystemRandom};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use weir_engine::backup::{Begin, Block, End};

/// A part is closed when it has so many bytes: object stores and old file systems take no file of any length.
pub const PART_BYTES: u64 = 1 << 30;
/// Nobody but the owner reads a copy of the database.
const FILE_MODE: u32 = 0o600;
const DIRECTORY_MODE: u32 = 0o700;

pub enum Target {
    Directory(PathBuf),
    /// One stream with all frames, such as standard output.
    Stream(Box<dyn Write + Send>),
}

#[derive(Clone, Default)]
pub struct Settings {
    /// Of zstd; 0: not compressed.
    pub level: i32,
    pub key: Option<Key>,
    /// 0: [`PART_BYTES`].
    pub part_bytes: u64,
}

struct Open {
    file: File,
    name: String,
    bytes: u64,
    crc: u32,
}

pub struct Writer {
    target: Target,
    settings: Settings,
    salt: [u8; SALT],
    key: Option<FrameKey>,
    open: Option<Open>,
    parts: Vec<Part>,
    number: u64,
    begin: Option<Begin>,
    end: Option<End>,
    pub written: u64,
}

fn failed(what: &str, path: &Path, e: &std::io::Error) -> String {
    format!("cannot {what} '{}': {e}", path.display())
}

fn make(path: &Path) -> Fault<File> {
    let file = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(path);
    file.map_err(|e| failed("make", path, &e))
}

/// A file with this text, durable under its name.
fn put_text(dir: &Path, name: &str, text: &str) -> Fault<()> {
    let path = dir.join(name);
    let mut file = make(&path)?;
    file.write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .map_err(|e| failed("write", &path, &e))?;
    sync_dir(dir)
}

fn sync_dir(dir: &Path) -> Fault<()> {
    File::open(dir).and_then(|d| d.sync_all()).map_err(|e| failed("sync", dir, &e))
}

/// Makes the directory, or takes an empty one.
pub fn prepare(dir: &Path) -> Fault<()> {
    let made = std::fs::DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(dir);
    made.map_err(|e| failed("make the directory", dir, &e))?;
    let used = std::fs::read_dir(dir).map_err(|e| failed("read", dir, &e))?.next();
    match used {
        None => Ok(()),
        Some(_) => Err(format!(
            "'{}' is not empty: a backup goes to a directory of its own",
            dir.display()
        )),
    }
}

impl Writer {
    pub fn new(target: Target, settings: Settings) -> Fault<Writer> {
        if let Target::Directory(dir) = &target {
            prepare(dir)?;
            let text = "This backup is not complete: it is being made, or something ended it. It cannot be restored.\n";
            put_text(dir, INCOMPLETE, text)?;
        }
        let mut salt = [0; SALT];
        SystemRandom::new().fill(&mut salt).map_err(|_| "the system has no random numbers")?;
        let key = settings.key.as_ref().map(|k| k.derive(&salt));
        Ok(Writer {
            target,
            settings,
            salt,
            key,
            open: None,
            parts: Vec::new(),
            number: 0,
            begin: None,
            end: None,
            written: 0,
        })
    }

    /// The next block of the backup.
    pub fn put(&mut self, block: &Block) -> Fault<()> {
        match block {
            Block::Begin(b) => self.begin = Some(b.clone()),
            Block::End(e) => self.end = Some(e.clone()),
            _ => {}
        }
        self.frame(Kind::Block, &block.encode())
    }

    fn frame(&mut self, kind: Kind, bytes: &[u8]) -> Fault<()> {
        let limit = match self.settings.part_bytes {
            0 => PART_BYTES,
            given => given,
        };
        if self.open.as_ref().is_some_and(|o| o.bytes >= limit) {
            self.close_part()?;
        }
        if self.number == 0 || matches!(self.target, Target::Directory(_)) && self.open.is_none() {
            self.begin_part()?;
        }
        let frame = pack(kind, self.number, bytes, self.settings.level, self.key.as_ref());
        self.number += 1;
        self.write(&frame)
    }

    /// Whose part it is and how it is encrypted: the frame itself is not.
    fn begin_part(&mut self) -> Fault<()> {
        let begin = self.begin.as_ref().ok_or("a backup begins with its first block")?;
        let number = self.parts.len() as u32 + 1;
        let mut head = Vec::new();
        head.extend_from_slice(&begin.ids.backup);
        head.extend_from_slice(&number.to_le_bytes());
        head.extend_from_slice(&self.salt);
        if let Target::Directory(dir) = &self.target {
            let name = part_name(number);
            let file = make(&dir.join(&name))?;
            self.open = Some(Open { file, name, bytes: 0, crc: 0 });
        }
        let frame = pack(Kind::Part, self.number, &head, 0, None);
        self.number += 1;
        self.write(&frame)
    }

    fn write(&mut self, frame: &[u8]) -> Fault<()> {
        self.written += frame.len() as u64;
        match (&mut self.target, &mut self.open) {
            (Target::Stream(out), _) => {
                out.write_all(frame).map_err(|e| format!("cannot write the stream: {e}"))
            }
            (Target::Directory(dir), Some(open)) => {
                let done = open.file.write_all(frame);
                done.map_err(|e| failed("write", &dir.join(&open.name), &e))?;
                open.bytes += frame.len() as u64;
                open.crc = crc32c::crc32c_append(open.crc, frame);
                Ok(())
            }
            (Target::Directory(_), None) => Err("no part is open".into()),
        }
    }

    fn close_part(&mut self) -> Fault<()> {
        if let (Some(open), Target::Directory(dir)) = (self.open.take(), &self.target) {
            open.file.sync_all().map_err(|e| failed("sync", &dir.join(&open.name), &e))?;
            self.parts.push(Part { name: open.name, bytes: open.bytes, crc: open.crc });
        }
        Ok(())
    }

    /// All blocks are there: the backup becomes one.
    pub fn finish(mut self) -> Fault<Manifest> {
        let (begin, end) = match (&self.begin, &self.end) {
            (Some(b), Some(e)) => (b, e),
            _ => return Err("the backup ended before its last block".into()),
        };
        let mut m = Manifest::new(begin, end);
        (m.compressed, m.encrypted) = (self.settings.level != 0, self.key.is_some());
        // This frame is counted, too.
        m.frames = self.number + 1;
        self.frame(Kind::Last, m.encode().as_bytes())?;
        self.close_part()?;
        m.frames = self.number;
        m.parts = std::mem::take(&mut self.parts);
        match &mut self.target {
            Target::Stream(out) => {
                out.flush().map_err(|e| format!("cannot write the stream: {e}"))?;
            }
            Target::Directory(dir) => {
                put_text(dir, MANIFEST, &m.encode())?;
                let mark = dir.join(INCOMPLETE);
                std::fs::remove_file(&mark).map_err(|e| failed("remove", &mark, &e))?;
                sync_dir(dir)?;
            }
        }
        Ok(m)
    }
}
