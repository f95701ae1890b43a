//! `weir backup`: blocks of a running server, or of a stopped one's directory, into a directory or a stream.

use super::look::{Over, overlay};
use crate::command::{Call, Progress, bytes, size};
use std::path::{Path, PathBuf};
use weir_bench::client::Connection;
use weir_bench::error::Error;
use weir_engine::backup::{BackupOptions, Base, Block};
use weir_engine::{Db, Options};
use weir_rt::Rt;
use weir_server::backup::{Manifest, Settings, Target, Writer, hex, manifest_of};

/// Where no level is given.
const LEVEL: i32 = 3;
const LEVEL_MAX: i32 = 22;

/// Of the engine that reads a stopped server's directory.
pub const POOL: u64 = 128 << 20;

pub fn backup(call: &Call) -> Result<bool, String> {
    let target = call.need("target")?;
    let (to, folder) = place(call)?;
    let keep = kept(call, folder.as_deref())?;
    let settings = Settings { level: level(call)?, key: call.key()?, part_bytes: 0 };
    let base = call.path("since").map(|dir| manifest_of(&dir)).transpose()?;
    let base = base.as_ref().map(Manifest::as_base);
    let rate = match call.get("rate") {
        None => 0,
        Some(text) => bytes(text).ok_or_else(|| format!("--rate={text} is no number of bytes"))?,
    };
    let stream = to == Path::new("-");
    let out = match stream {
        true => Target::Stream(Box::new(std::io::stdout())),
        false => Target::Directory(to),
    };
    let mut source = Source::open(target, base, rate)?;
    let mut store = Store {
        writer: Writer::new(out, settings)?,
        progress: Progress::new("backup", 0, call.has("quiet")),
    };
    source.each(&mut |block| store.put(&block))?;
    let Store { writer, progress } = store;
    let m = writer.finish()?;
    drop(progress);
    if !stream {
        let stored: u64 = m.parts.iter().map(|p| p.bytes).sum();
        println!(
            "backup {} is complete: LSN {} to {}, {} pages and {} of redo in {}",
            hex(&m.backup),
            m.start,
            m.end,
            m.pages,
            size(m.redo_bytes as f64),
            size(stored as f64)
        );
    }
    for space in &m.damaged {
        eprintln!(
            "weir backup: the table of file 'tables/{space:08x}.weir' is not in the backup: the server cannot use it"
        );
    }
    if let (Some(folder), Some(keep)) = (&folder, keep) {
        for gone in super::keep::keep(folder, &m, keep)? {
            println!("removed the old backup '{}'", gone.display());
        }
    }
    Ok(true)
}

/// Where the backup goes, and the folder of backups that it is one of.
fn place(call: &Call) -> Result<(PathBuf, Option<PathBuf>), String> {
    match (call.path("to"), call.path("into")) {
        (Some(to), None) => Ok((to, None)),
        (None, Some(folder)) => Ok((super::keep::fresh(&folder), Some(folder))),
        (Some(_), Some(_)) => Err("--to and --into exclude each other".into()),
        (None, None) => Err("--to or --into is missing".into()),
    }
}

fn kept(call: &Call, folder: Option<&Path>) -> Result<Option<usize>, String> {
    let Some(text) = call.get("keep") else { return Ok(None) };
    if folder.is_none() {
        return Err("--keep is about the backups of a folder, --into=DIR".into());
    }
    let number = text.parse().ok().filter(|n| *n > 0);
    number.map(Some).ok_or_else(|| format!("--keep={text} is no number of backups"))
}

fn level(call: &Call) -> Result<i32, String> {
    match call.get("compress") {
        None => Ok(0),
        Some("") => Ok(LEVEL),
        Some(text) => {
            let level = text.parse().ok().filter(|l| (1..=LEVEL_MAX).contains(l));
            level.ok_or_else(|| format!("--compress={text}: levels are 1 to {LEVEL_MAX}"))
        }
    }
}

struct Store {
    writer: Writer,
    progress: Progress,
}

impl Store {
    fn put(&mut self, block: &Block) -> Result<(), String> {
        match block {
            Block::Begin(b) => {
                // What is copied of an increment is not known before.
                let pages = if b.base.is_some() { 0 } else { b.expected_pages };
                self.progress.expect(pages * u64::from(b.page_size));
            }
            Block::Pages(p) => self.progress.step(p.images.len() as u64),
            Block::Redo { bytes, .. } => self.progress.step(bytes.len() as u64),
            Block::End(_) => {}
        }
        self.writer.put(block)
    }
}

/// Where the blocks come from. It is opened before a target is made.
enum Source {
    Server { connection: Box<Connection>, statement: String },
    Directory { over: Over, options: BackupOptions },
}

impl Source {
    fn open(target: &str, base: Option<Base>, rate: u64) -> Result<Source, String> {
        if target.starts_with("mysql://") {
            let password = std::env::var("MYSQL_PWD").ok();
            let connection =
                Connection::open(target, password.as_deref()).map_err(|e| e.to_string())?;
            let mut statement = "BACKUP STREAM".to_string();
            if let Some(b) = &base {
                statement += &format!(" SINCE '{}:{}:{}'", hex(&b.backup), b.history, b.start);
            }
            if rate > 0 {
                statement += &format!(" RATE = {rate}");
            }
            return Ok(Source::Server { connection: Box::new(connection), statement });
        }
        if target.contains("://") {
            return Err(format!(
                "--target={target}: a target is mysql://USER@HOST:PORT or a directory"
            ));
        }
        if base.is_some() {
            return Err(
                "--since is for a running server: a stopped one's directory is copied as a whole"
                    .into(),
            );
        }
        let options = BackupOptions {
            base,
            rate,
            program: concat!("weir ", env!("CARGO_PKG_VERSION")).into(),
            apart: true,
            ..BackupOptions::default()
        };
        Ok(Source::Directory { over: overlay(Path::new(target), None)?, options })
    }

    fn each(&mut self, put: &mut dyn FnMut(Block) -> Result<(), String>) -> Result<(), String> {
        match self {
            Source::Server { connection, statement } => {
                let row = &mut |row: &[Option<&[u8]>]| {
                    let bytes = row.first().copied().flatten().unwrap_or_default();
                    let block = Block::decode(bytes).ok_or_else(|| {
                        Error::other("the server has sent something that is no part of a backup")
                    })?;
                    put(block).map_err(Error::Other)
                };
                connection.each_row(statement.as_bytes(), row).map_err(|e| e.to_string())
            }
            Source::Directory { over, options } => of_directory(over, options.clone(), put),
        }
    }
}

fn of_directory(
    over: &Over,
    options: BackupOptions,
    put: &mut dyn FnMut(Block) -> Result<(), String>,
) -> Result<(), String> {
    let rt = Rt::real();
    rt.block_on(async {
        let o = Options { buffer_pool: POOL, ..Options::default() };
        let db = Db::open(&rt, over.disk.clone(), o).await.map_err(|e| e.to_string())?;
        let done = async {
            let mut backup = db.begin_backup(options).await.map_err(|e| e.to_string())?;
            while let Some(block) = backup.next_block().await.map_err(|e| e.to_string())? {
                put(block)?;
            }
            Ok(())
        }
        .await;
        // What its tasks say while they end is of no interest.
        let _ = db.shutdown().await;
        done
    })
}
