//! The blocks of a stored backup, each checked for what one can see of it alone.

use super::frame::{Bad, HEAD, Head, Kind};
use super::key::{FrameKey, Key, SALT};
use super::manifest::Manifest;
use super::{Fault, INCOMPLETE, MANIFEST, hex, part_name};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use weir_engine::backup::Block;

const BUFFER: usize = 1 << 20;

struct Open {
    file: BufReader<File>,
    name: String,
    at: u64,
    crc: u32,
}

pub struct Reader {
    /// How people know it.
    place: String,
    manifest: Option<Manifest>,
    /// Paths of the parts that come.
    left: VecDeque<PathBuf>,
    open: Option<Open>,
    part: u32,
    key: Option<Key>,
    frame_key: Option<FrameKey>,
    backup: Option<[u8; 16]>,
    number: u64,
    last: Option<Manifest>,
}

impl Reader {
    /// A directory, or the file of a stream.
    pub fn open(path: &Path, key: Option<&Key>) -> Fault<Reader> {
        let place = path.display().to_string();
        let about = |e| format!("cannot read the backup '{place}': {e}");
        let is_dir = std::fs::metadata(path).map_err(about)?.is_dir();
        let (manifest, left) = match is_dir {
            true => open_directory(path, &place)?,
            false => (None, VecDeque::from([path.to_path_buf()])),
        };
        let mut r = Reader {
            place,
            manifest,
            left,
            open: None,
            part: 0,
            key: key.cloned(),
            frame_key: None,
            backup: None,
            number: 0,
            last: None,
        };
        r.next_part()?;
        Ok(r)
    }

    /// Bytes of all parts, for anyone who shows progress.
    pub fn bytes(path: &Path) -> u64 {
        let len = |p: &Path| std::fs::metadata(p).map_or(0, |m| m.len());
        match std::fs::read_dir(path) {
            Ok(dir) => dir.flatten().map(|e| len(&e.path())).sum(),
            Err(_) => len(path),
        }
    }

    fn next_part(&mut self) -> Fault<bool> {
        if let Some(open) = self.open.take() {
            self.compare_part(&open)?;
        }
        let Some(path) = self.left.pop_front() else { return Ok(false) };
        let name = path.display().to_string();
        let file = File::open(&path).map_err(|e| match e.kind() {
            ErrorKind::NotFound => {
                format!("the backup '{}' is not whole: '{name}' is missing", self.place)
            }
            _ => format!("cannot read '{name}': {e}"),
        })?;
        self.part += 1;
        self.open =
            Some(Open { file: BufReader::with_capacity(BUFFER, file), name, at: 0, crc: 0 });
        self.read_part_head()?;
        Ok(true)
    }

    /// A part that was read to its end, against what the manifest says of it.
    fn compare_part(&self, open: &Open) -> Fault<()> {
        let Some(part) = self.manifest.as_ref().and_then(|m| m.parts.get(self.part as usize - 1))
        else {
            return Ok(());
        };
        match (part.bytes, part.crc) == (open.at, open.crc) {
            true => Ok(()),
            false => Err(format!("'{}' is not the file that the manifest speaks of", open.name)),
        }
    }

    fn read_part_head(&mut self) -> Fault<()> {
        let name = self.name();
        let Some((head, stored)) = self.read_frame()? else {
            return Err(format!("'{name}' is empty"));
        };
        let bytes = match (head.kind, head.unpack(stored, None)) {
            (Kind::Part, Ok(bytes)) if bytes.len() == 16 + 4 + SALT => bytes,
            _ => return Err(format!("'{name}' does not begin as a part of a backup does")),
        };
        let backup: [u8; 16] = bytes[..16].try_into().expect("sixteen bytes");
        let number = u32::from_le_bytes(bytes[16..20].try_into().expect("four bytes"));
        let salt: [u8; SALT] = bytes[20..].try_into().expect("as long as was asked for");
        let expected = self.backup.or(self.manifest.as_ref().map(|m| m.backup));
        if expected.is_some_and(|b| b != backup) {
            return Err(format!("'{name}' belongs to another backup, {}", hex(&backup)));
        }
        if number != self.part {
            return Err(format!(
                "'{name}' is part {number}, and part {} is expected here",
                self.part
            ));
        }
        self.backup = Some(backup);
        self.frame_key = self.key.as_ref().map(|k| k.derive(&salt));
        Ok(())
    }

    fn name(&self) -> String {
        self.open.as_ref().map_or(self.place.clone(), |o| o.name.clone())
    }

    /// The next frame of the open part, with its number as it must be; `None` at the part's end.
    fn read_frame(&mut self) -> Fault<Option<(Head, Vec<u8>)>> {
        let number = self.number;
        let Some(open) = &mut self.open else { return Ok(None) };
        let mut head = [0; HEAD];
        let at = open.at;
        let told = |what: &dyn std::fmt::Display| {
            Err(format!("'{}' is damaged: the frame at byte {at}: {what}", open.name))
        };
        match fill(&mut open.file, &mut head) {
            Ok(0) => return Ok(None),
            Ok(HEAD) => {}
            Ok(_) => return told(&"the file ends within it"),
            Err(e) => return told(&e),
        }
        let h = match Head::decode(&head) {
            Ok(h) => h,
            Err(e) => return told(&e),
        };
        let mut stored = vec![0; h.stored];
        match fill(&mut open.file, &mut stored) {
            Ok(n) if n == h.stored => {}
            Ok(_) => return told(&"the file ends within it"),
            Err(e) => return told(&e),
        }
        if !h.is_whole(&stored) {
            return told(&Bad::Checksum);
        }
        if h.number != number {
            return told(&format!("it is frame {}, and frame {number} is expected here", h.number));
        }
        open.at += (HEAD + h.stored) as u64;
        open.crc = crc32c::crc32c_append(crc32c::crc32c_append(open.crc, &head), &stored);
        self.number += 1;
        Ok(Some((h, stored)))
    }

    /// The next block; `None` behind the last one, when nothing is missing.
    pub fn next_block(&mut self) -> Fault<Option<Block>> {
        loop {
            let (at, name) = (self.open.as_ref().map_or(0, |o| o.at), self.name());
            let Some((head, stored)) = self.read_frame()? else {
                if self.next_part()? {
                    continue;
                }
                return match self.last.is_some() {
                    true => Ok(None),
                    false => Err(format!("'{name}' is not whole: the backup's end is missing")),
                };
            };
            let damaged = |what: &dyn std::fmt::Display| {
                format!("'{name}' is damaged: the frame at byte {at}: {what}")
            };
            if self.last.is_some() {
                return Err(damaged(&"something follows the backup's end"));
            }
            let bytes = head.unpack(stored, self.frame_key.as_ref()).map_err(|e| damaged(&e))?;
            match head.kind {
                Kind::Block => {
                    let block = Block::decode(&bytes);
                    return block.map(Some).ok_or_else(|| damaged(&"it holds no block"));
                }
                Kind::Last => {
                    let m = Manifest::decode(&bytes).map_err(|e| damaged(&e))?;
                    if m.frames != self.number {
                        return Err(damaged(&"frames are missing before it"));
                    }
                    if self.manifest.as_ref().is_some_and(|known| !known.same_backup(&m)) {
                        return Err(format!(
                            "'{}' has another backup's {MANIFEST}, or it was changed",
                            self.place
                        ));
                    }
                    self.last = Some(m);
                }
                Kind::Part | Kind::Redo => return Err(damaged(&"it does not belong here")),
            }
        }
    }

    /// What the backup says of itself; known behind its last block.
    pub fn manifest(&self) -> Option<&Manifest> {
        self.last.as_ref()
    }
}

/// As many bytes as there are, up to the whole buffer.
fn fill(file: &mut impl Read, buf: &mut [u8]) -> std::io::Result<usize> {
    let mut n = 0;
    while n < buf.len() {
        match file.read(&mut buf[n..]) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(n)
}

fn open_directory(dir: &Path, place: &str) -> Fault<(Option<Manifest>, VecDeque<PathBuf>)> {
    let text = match std::fs::read(dir.join(MANIFEST)) {
        Ok(text) => text,
        Err(e) if e.kind() != ErrorKind::NotFound => {
            return Err(format!("cannot read '{place}/{MANIFEST}': {e}"));
        }
        Err(_) if dir.join(INCOMPLETE).exists() => {
            return Err(format!(
                "the backup '{place}' is not complete: it is being made, or something ended it"
            ));
        }
        Err(_) => return Err(format!("'{place}' is no backup: there is no {MANIFEST}")),
    };
    let m = Manifest::decode(&text).map_err(|e| format!("'{place}/{MANIFEST}' is damaged: {e}"))?;
    if dir.join(INCOMPLETE).exists() {
        return Err(format!("the backup '{place}' is not complete: '{INCOMPLETE}' is still there"));
    }
    let mut left = VecDeque::new();
    for (i, part) in m.parts.iter().enumerate() {
        if part.name != part_name(i as u32 + 1) {
            return Err(format!(
                "'{place}/{MANIFEST}' is damaged: a part is called '{}'",
                part.name
            ));
        }
        let path = dir.join(&part.name);
        match std::fs::metadata(&path) {
            Ok(f) if f.len() == part.bytes => {}
            Ok(f) => {
                return Err(format!(
                    "'{}' has {} bytes, and the manifest says {}",
                    path.display(),
                    f.len(),
                    part.bytes
                ));
            }
            Err(_) => {
                return Err(format!(
                    "the backup '{place}' is not whole: '{}' is missing",
                    path.display()
                ));
            }
        }
        left.push_back(path);
    }
    match left.is_empty() {
        true => Err(format!("'{place}/{MANIFEST}' is damaged: it names no part")),
        false => Ok((Some(m), left)),
    }
}
