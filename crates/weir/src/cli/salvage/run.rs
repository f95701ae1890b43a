//! Opens what is left of a data directory on a device that keeps recovery's changes to itself, and copies the tables.
//!
//! Invariants
//! - The data directory is opened for reading only (`RealDisk::open_read_only`), and neither the copy nor the working directory is in it.
//! - A dump has each row that was read once, and a row that is not in it is in the report.

use super::Call;
use super::report::{self, Outcome};
use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use weir_disk::{Backend, Disk, Overlay, RealDisk};
use weir_engine::salvage::{self, Row};
use weir_engine::{Db, Force, Options, Table};
use weir_rt::Rt;
use weir_sql::dump::{self, TableDump};
use weir_sql::meta::temporary::HIDDEN;

const POOL: u64 = 256 << 20;

/// From what recovery can do to what is done without it.
#[derive(Clone, Copy)]
struct Way {
    force: Force,
    /// The redo log is not even looked at, and the control file may be gone.
    bare: bool,
    means: &'static str,
}

const WAYS: &[Way] = &[
    Way {
        force: Force(4),
        bare: false,
        means: "redo was applied; rows are as they were committed",
    },
    Way {
        force: Force(5),
        bare: false,
        means: "redo was applied, but the undo logs cannot be read: rows that were not committed are copied as if they were",
    },
    Way {
        force: Force(6),
        bare: false,
        means: "redo was not applied: rows are as the pages happened to be on disk, and those that were not committed are among them",
    },
    Way {
        force: salvage::BARE,
        bare: true,
        means: "redo log and control file cannot be used: rows are as the pages happened to be on disk, and those that were not committed \
                are among them",
    },
];

/// What the engine says while it is opened.
type Said = Arc<Mutex<Vec<String>>>;

struct Opened {
    db: Db,
    way: Way,
    said: Vec<String>,
}

/// True: everything was read. The text of an error is for the user.
pub fn salvage(call: &Call) -> Result<bool, String> {
    if !call.datadir.is_dir() {
        return Err(format!("there is no data directory '{}'", call.datadir.display()));
    }
    let lower = RealDisk::open_read_only(&call.datadir, |_| {}).map_err(|e| e.to_string())?;
    let lower: Arc<dyn Disk> = Arc::new(lower);
    if let Some(out) = &call.out {
        prepare_out(out, &call.datadir)?;
    }
    let work = Work::make(call)?;
    let rt = Rt::real();
    let opened = rt.block_on(open(&rt, &lower, &work.0))?;
    let whole = rt.block_on(copy(call, &opened));
    // The engine's tasks end before the files they write to go; what they say then is of no interest.
    let _ = rt.block_on(opened.db.shutdown());
    whole
}

/// Where recovery's changes go; removed at the end.
struct Work(PathBuf);

impl Work {
    fn make(call: &Call) -> Result<Work, String> {
        let own = format!("weir-salvage-{}", std::process::id());
        let dir = match (&call.work, &call.out) {
            (Some(dir), _) => dir.join(own),
            (None, Some(out)) => out.join(".work"),
            (None, None) => std::env::temp_dir().join(own),
        };
        outside(&dir, &call.datadir)?;
        std::fs::create_dir_all(&dir)
            .map_err(|e| format!("cannot make the working directory '{}': {e}", dir.display()))?;
        Ok(Work(dir))
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The directory does not exist, or is empty, and is not in the data directory.
fn prepare_out(out: &Path, datadir: &Path) -> Result<(), String> {
    outside(out, datadir)?;
    let fail = |e: std::io::Error| format!("cannot make the directory '{}': {e}", out.display());
    std::fs::create_dir_all(out).map_err(fail)?;
    match std::fs::read_dir(out).map_err(fail)?.next() {
        None => Ok(()),
        Some(_) => Err(format!("'{}' is not empty: --out takes a new directory", out.display())),
    }
}

/// Refuses a path in the data directory before anything of it is made.
fn outside(path: &Path, datadir: &Path) -> Result<(), String> {
    let absolute = std::path::absolute(path).map_err(|e| format!("'{}': {e}", path.display()))?;
    let there = absolute.ancestors().find_map(|a| a.canonicalize().ok()).unwrap_or_default();
    let datadir = datadir.canonicalize().map_err(|e| format!("'{}': {e}", datadir.display()))?;
    match there.starts_with(&datadir) {
        true => Err(format!(
            "'{}' is in the data directory, into which nothing is written",
            path.display()
        )),
        false => Ok(()),
    }
}

/// The first way that leads to an open directory.
async fn open(rt: &Rt, lower: &Arc<dyn Disk>, work: &Path) -> Result<Opened, String> {
    let mut why = Vec::new();
    for (i, way) in WAYS.iter().enumerate() {
        let dir = work.join(format!("{i}"));
        let upper = RealDisk::open(&dir, Backend::Threads, |_| {}).map_err(|e| e.to_string())?;
        let disk: Arc<dyn Disk> = Arc::new(Overlay::new(lower.clone(), Arc::new(upper)));
        let said = Said::default();
        match try_to_open(rt, disk, *way, &said).await {
            Ok(db) => {
                let mut lines =
                    std::mem::take(&mut *said.lock().unwrap_or_else(PoisonError::into_inner));
                lines.retain(|l| l.starts_with("error:") || l.starts_with("warning:"));
                why.extend(lines);
                return Ok(Opened { db, way: *way, said: why });
            }
            Err(e) => why.push(format!(
                "tried without success, with innodb_force_recovery={}: {e}",
                way.force.0
            )),
        }
        let _ = std::fs::remove_dir_all(&dir);
    }
    Err(format!("the directory cannot be opened in any way\n{}", why.join("\n")))
}

async fn try_to_open(rt: &Rt, disk: Arc<dyn Disk>, way: Way, said: &Said) -> Result<Db, String> {
    if way.bare {
        salvage::without_log(disk.as_ref()).await.map_err(|e| e.to_string())?;
    }
    if !disk.exists("weir.ctl").await.map_err(|e| e.to_string())? {
        return Err("there is no control file 'weir.ctl'".into());
    }
    let said = said.clone();
    let o = Options {
        buffer_pool: POOL,
        redo_capacity: redo_bytes(disk.as_ref()).await.max(Options::default().redo_capacity),
        stall_seconds: 0,
        force: way.force,
        log: Arc::new(move |line| {
            said.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_string());
        }),
        ..Options::default()
    };
    Db::open(rt, disk, o).await.map_err(|e| e.to_string())
}

/// The pool's bookkeeping is made for a log of this size.
async fn redo_bytes(disk: &dyn Disk) -> u64 {
    let how = weir_disk::OpenOptions {
        create: false,
        create_new: false,
        mode: weir_disk::Mode::Buffered,
    };
    let mut sum = 0;
    for name in disk.list("redo").await.unwrap_or_default() {
        if let Ok(file) = disk.open(&format!("redo/{name}"), how).await {
            sum += file.len().await.unwrap_or_default();
        }
    }
    sum
}

/// A text for the report and the terminal.
struct Told {
    file: Option<File>,
}

impl Told {
    fn say(&mut self, text: &str) -> Result<(), String> {
        print!("{text}");
        match &mut self.file {
            Some(f) => f.write_all(text.as_bytes()).map_err(|e| format!("report.txt: {e}")),
            None => Ok(()),
        }
    }
}

async fn copy(call: &Call, opened: &Opened) -> Result<bool, String> {
    let db = &opened.db;
    let file = |name: &str| match &call.out {
        None => Ok(None),
        Some(out) => {
            let path = out.join(name);
            File::create(&path).map(Some).map_err(|e| format!("'{}': {e}", path.display()))
        }
    };
    let mut told = Told { file: file("report.txt")? };
    told.say(&format!("weir salvage of '{}': {}\n", call.datadir.display(), opened.way.means))?;
    for line in &opened.said {
        told.say(&format!("  {line}\n"))?;
    }
    let mut tables = db.all_tables();
    // Temporary tables have gone with the server.
    tables.retain(|t| t.def.schema != HIDDEN);
    tables.retain(|t| call.wants(&t.def.schema, &t.def.name));
    if tables.is_empty() && !(call.databases.is_empty() && call.tables.is_empty()) {
        return Err("no table that is known has a name that was asked for".into());
    }
    if let Some(mut f) = file("schemas.sql")? {
        let schemas = db
            .schemas()
            .into_iter()
            .filter(|s| s.name != HIDDEN && !call.databases.iter().any(|d| *d != s.name));
        let text: String =
            schemas.map(|s| format!("{};\n", dump::create_schema(&s.name, Some(&s)))).collect();
        f.write_all(text.as_bytes()).map_err(|e| format!("schemas.sql: {e}"))?;
    }
    // Without undo or redo nothing proves what was committed.
    let proved = opened.way.force.0 <= 4;
    let (mut whole, mut rows) = (proved, 0);
    for t in &tables {
        let out = file(&file_name(t))?.map(|f| BufWriter::with_capacity(1 << 20, f));
        let outcome = table(call, db, t, out, !proved).await?;
        whole &= outcome.is_whole();
        rows += outcome.copied;
        told.say(&report::table(t, &outcome, call.lossy_blobs))?;
    }
    for lost in db.files_without_table() {
        whole = false;
        told.say(&format!(
            "'{lost}' is of no table that is known: its definition is lost, or a definition statement was cut off\n"
        ))?;
    }
    let end = if whole { "nothing is lost" } else { "see above for what is lost or doubtful" };
    let verb = if call.dry_run { "could be copied" } else { "copied" };
    let s = if tables.len() == 1 { "" } else { "s" };
    told.say(&format!("{} table{s}, {rows} rows {verb}; {end}\n", tables.len()))?;
    Ok(whole)
}

/// Letters, digits and what is harmless in names of files stay; the others become `@` and their number.
fn file_name(t: &Table) -> String {
    let part = |name: &str| -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == '$';
        name.chars()
            .map(|c| if plain(c) { c.to_string() } else { format!("@{:04x}", u32::from(c)) })
            .collect()
    };
    format!("{}.{}.sql", part(&t.def.schema), part(&t.def.name))
}

async fn table(
    call: &Call,
    db: &Db,
    t: &Arc<Table>,
    mut out: Option<BufWriter<File>>,
    ignore: bool,
) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let mut dump = match TableDump::new(t, ignore) {
        Ok(dump) => dump,
        Err(e) => {
            outcome.failed = Some(e.message);
            return Ok(outcome);
        }
    };
    let fail = |e: std::io::Error| format!("cannot write the dump of table '{}': {e}", t.def.name);
    let mut text = Vec::new();
    head(db, t, &dump, &mut text);
    for part in t.stored() {
        rows_of(call, db, (t, part), &mut dump, &mut outcome, (&mut text, &mut out)).await?;
    }
    dump.end(&mut text);
    if let Some(f) = &mut out {
        f.write_all(&text).and_then(|()| f.flush()).map_err(fail)?;
    }
    Ok(outcome)
}

/// Dumps the rows of a table, or of one of its partitions.
async fn rows_of(
    call: &Call,
    db: &Db,
    (t, part): (&Arc<Table>, &Arc<Table>),
    dump: &mut TableDump,
    outcome: &mut Outcome,
    (text, out): (&mut Vec<u8>, &mut Option<BufWriter<File>>),
) -> Result<(), String> {
    let fail = |e: std::io::Error| format!("cannot write the dump of table '{}': {e}", t.def.name);
    let mut rows = match db.salvage(part).await {
        Ok(rows) => rows,
        Err(e) => {
            outcome.failed = Some(e.to_string());
            return Ok(());
        }
    };
    let mut bar = Bar::new(format!("{}.{}", t.def.schema, t.def.name), rows.pages());
    loop {
        let page = match rows.next().await {
            Ok(Some(page)) => page,
            Ok(None) => break,
            Err(e) => {
                outcome.failed = Some(format!("after {} rows: {e}", outcome.copied));
                break;
            }
        };
        for row in &page {
            take(call, t, dump, row, outcome, text);
        }
        if let Some(f) = out {
            f.write_all(text).map_err(fail)?;
        }
        text.clear();
        bar.show(rows.pages_read, outcome.copied);
    }
    bar.end();
    outcome.losses.add(std::mem::take(&mut rows.losses));
    Ok(())
}

fn head(db: &Db, t: &Table, dump: &TableDump, text: &mut Vec<u8>) {
    let schema = db.schema(&t.def.schema);
    let create = dump::create_schema(&t.def.schema, schema.as_deref());
    let statements = format!(
        "-- Salvaged by Weir; report.txt says what is missing.\n{}{create};\nUSE {};\n{};\n",
        dump::preamble(),
        dump::name(&t.def.schema),
        dump.create()
    );
    text.extend_from_slice(statements.as_bytes());
}

fn take(
    call: &Call,
    t: &Table,
    dump: &mut TableDump,
    row: &Row,
    outcome: &mut Outcome,
    text: &mut Vec<u8>,
) {
    if !row.lost.is_empty() {
        let key = salvage::key_text(t, 0, &row.key);
        outcome.broken.push(format!("row {key}: {}", dump.columns(&row.lost)));
        if !call.lossy_blobs {
            return;
        }
    }
    outcome.copied += 1;
    if !call.dry_run {
        dump.row(&row.row, &row.lost, text);
    }
}

/// How far a table is, on a terminal.
struct Bar {
    name: String,
    pages: u64,
    shown: Option<Instant>,
    terminal: bool,
}

impl Bar {
    const WIDTH: u64 = 30;
    const EVERY: Duration = Duration::from_millis(200);

    fn new(name: String, pages: u32) -> Bar {
        let terminal = std::io::stderr().is_terminal();
        Bar { name, pages: u64::from(pages).max(1), shown: None, terminal }
    }

    fn show(&mut self, done: u64, rows: u64) {
        if !self.terminal || self.shown.is_some_and(|t| t.elapsed() < Bar::EVERY) {
            return;
        }
        self.shown = Some(Instant::now());
        let n = (done * Bar::WIDTH / self.pages).min(Bar::WIDTH) as usize;
        let (full, rest) = ("#".repeat(n), ".".repeat(Bar::WIDTH as usize - n));
        eprint!(
            "\r\x1b[K{} [{full}{rest}] {done} of at most {} pages, {rows} rows",
            self.name, self.pages
        );
    }

    fn end(&self) {
        if self.shown.is_some() {
            eprint!("\r\x1b[K");
        }
    }
}
