//! What is known of a backup: for people, for programs, and for a check of the parts.

use super::{Fault, hex, unhex};
use serde_json::{Value, json};
use weir_engine::backup::{Base, Begin, End};

pub const FORMAT: u64 = 1;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub name: String,
    pub bytes: u64,
    pub crc: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    pub backup: [u8; 16],
    pub directory: [u8; 16],
    pub history: u64,
    pub base: Option<Base>,
    pub page_size: u32,
    /// Where recovery begins and ends.
    pub start: u64,
    pub end: u64,
    pub begun_micros: u64,
    pub ended_micros: u64,
    pub program: String,
    pub pages: u64,
    pub redo_bytes: u64,
    pub files: u64,
    /// Tables that the server could not use, and that are not in the backup.
    pub damaged: Vec<u32>,
    pub compressed: bool,
    pub encrypted: bool,
    pub frames: u64,
    pub parts: Vec<Part>,
}

impl Manifest {
    pub fn new(b: &Begin, e: &End) -> Manifest {
        Manifest {
            backup: b.ids.backup,
            directory: b.ids.directory,
            history: b.ids.history,
            base: b.base.clone(),
            page_size: b.page_size,
            start: b.start,
            end: e.end,
            begun_micros: b.begun_micros,
            ended_micros: e.ended_micros,
            program: b.program.clone(),
            pages: e.copied_pages,
            redo_bytes: e.redo_bytes,
            files: e.spaces.len() as u64,
            damaged: e.damaged.clone(),
            compressed: false,
            encrypted: false,
            frames: 0,
            parts: Vec::new(),
        }
    }

    /// As whom an incremental backup names this one.
    pub fn as_base(&self) -> Base {
        Base { backup: self.backup, history: self.history, start: self.start }
    }

    /// Without what only the writer knows: the same in the backup's last frame and in its file.
    pub fn same_backup(&self, other: &Manifest) -> bool {
        let plain = |m: &Manifest| Manifest { parts: Vec::new(), frames: 0, ..m.clone() };
        plain(self) == plain(other)
    }

    pub fn encode(&self) -> String {
        let base = self.base.as_ref().map(|b| {
            json!({ "backup": hex(&b.backup), "history": b.history.to_string(), "start_lsn": b.start })
        });
        let parts: Vec<Value> = self
            .parts
            .iter()
            .map(
                |p| json!({ "name": p.name, "bytes": p.bytes, "crc32c": format!("{:08x}", p.crc) }),
            )
            .collect();
        let all = json!({
            "format": FORMAT,
            "backup": hex(&self.backup),
            "directory": hex(&self.directory),
            "history": self.history.to_string(),
            "base": base,
            "page_size": self.page_size,
            "start_lsn": self.start,
            "end_lsn": self.end,
            "begun": crate::log::timestamp(self.begun_micros),
            "ended": crate::log::timestamp(self.ended_micros),
            "begun_micros": self.begun_micros,
            "ended_micros": self.ended_micros,
            "program": self.program,
            "pages": self.pages,
            "redo_bytes": self.redo_bytes,
            "files": self.files,
            "damaged_spaces": self.damaged,
            "compressed": self.compressed,
            "encrypted": self.encrypted,
            "frames": self.frames,
            "parts": parts,
        });
        let mut text = format!("{all:#}");
        text.push('\n');
        text
    }

    pub fn decode(text: &[u8]) -> Fault<Manifest> {
        let v: Value = serde_json::from_slice(text).map_err(|e| format!("it is no JSON: {e}"))?;
        match v["format"].as_u64() {
            Some(FORMAT) => {}
            Some(other) => {
                return Err(format!("format {other}, this program reads format {FORMAT}"));
            }
            None => return Err("it has no format".into()),
        }
        read(&v).ok_or_else(|| "something is missing in it".into())
    }
}

fn read(v: &Value) -> Option<Manifest> {
    let history = |v: &Value| v["history"].as_str()?.parse().ok();
    let base = match &v["base"] {
        Value::Null => None,
        b => Some(Base {
            backup: unhex(b["backup"].as_str()?)?,
            history: history(b)?,
            start: b["start_lsn"].as_u64()?,
        }),
    };
    let part = |p: &Value| {
        Some(Part {
            name: p["name"].as_str()?.into(),
            bytes: p["bytes"].as_u64()?,
            crc: u32::from_str_radix(p["crc32c"].as_str()?, 16).ok()?,
        })
    };
    let number = |name: &str| v[name].as_u64();
    Some(Manifest {
        backup: unhex(v["backup"].as_str()?)?,
        directory: unhex(v["directory"].as_str()?)?,
        history: history(v)?,
        base,
        page_size: u32::try_from(number("page_size")?).ok()?,
        start: number("start_lsn")?,
        end: number("end_lsn")?,
        begun_micros: number("begun_micros")?,
        ended_micros: number("ended_micros")?,
        program: v["program"].as_str()?.into(),
        pages: number("pages")?,
        redo_bytes: number("redo_bytes")?,
        files: number("files")?,
        damaged: v["damaged_spaces"]
            .as_array()?
            .iter()
            .map(|d| d.as_u64().and_then(|d| u32::try_from(d).ok()))
            .collect::<Option<_>>()?,
        compressed: v["compressed"].as_bool()?,
        encrypted: v["encrypted"].as_bool()?,
        frames: number("frames")?,
        parts: v["parts"].as_array()?.iter().map(part).collect::<Option<_>>()?,
    })
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn example() -> Manifest {
        Manifest {
            backup: [1; 16],
            directory: [2; 16],
            history: u64::MAX,
            base: Some(Base { backup: [3; 16], history: 5, start: 77 }),
            page_size: 16384,
            start: 99,
            end: 1000,
            begun_micros: 1_700_000_000_000_000,
            ended_micros: 1_700_000_001_000_000,
            program: "weir".into(),
            pages: 3,
            redo_bytes: 901,
            files: 4,
            damaged: vec![17],
            compressed: true,
            encrypted: false,
            frames: 7,
            parts: vec![Part { name: "part-000001.weir".into(), bytes: 9, crc: 0xDEAD }],
        }
    }

    #[test]
    fn a_manifest_comes_back_from_its_text() {
        let m = example();
        assert_eq!(Manifest::decode(m.encode().as_bytes()), Ok(m.clone()));
        let full = Manifest { base: None, ..m };
        assert_eq!(Manifest::decode(full.encode().as_bytes()), Ok(full));
    }

    #[test]
    fn what_is_none_is_told() {
        for (text, word) in [
            ("", "no JSON"),
            ("{}", "no format"),
            ("{\"format\":9}", "format 9"),
            ("{\"format\":1}", "missing"),
        ] {
            let e = Manifest::decode(text.as_bytes()).unwrap_err();
            assert!(e.contains(word), "{e}");
        }
    }
}
