//! `weir dump`: files whose names give the order in which they are to be read.
//!
//! | file | what |
//! |---|---|
//! | `00-databases.sql` | the databases |
//! | `01-accounts.sql` | accounts, where they are asked for: definers of what follows |
//! | `10-DB.TABLE.sql` | a table without rows |
//! | `20-DB.TABLE.NNNNNN.sql` | rows |
//! | `30-DB.routines.sql` | functions and procedures |
//! | `40-DB.views.sql` | views as they look, so that others can name them |
//! | `41-DB.views.sql` | views as they are |
//! | `50-DB.triggers.sql`, `51-DB.events.sql` | what acts by itself |
//! | `60-rights.sql` | rights and default roles: a right names a table, a column or a routine that must be there |

use super::names::{Table, literal, named, schemas, tables};
use super::rows::{Range, write};
use super::snapshot::Snapshot;
use super::{INCOMPLETE, threads};
use crate::command::{Call, Progress};
use std::fs::OpenOptions;
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use weir_bench::client::Connection;
use weir_sql::dump::{name, preamble};

/// Rows of a larger table are read in parts, where its key allows it.
const PART_BYTES: u64 = 64 << 20;
const BUFFER: usize = 1 << 20;

/// Where the files go.
enum Out {
    Directory(PathBuf),
    Standard,
}

impl Out {
    fn file(&self, file: &str) -> Result<Box<dyn Write + Send>, String> {
        let mut out: Box<dyn Write + Send> = match self {
            Out::Standard => Box::new(std::io::stdout()),
            Out::Directory(dir) => {
                let path = dir.join(file);
                // Nobody but the owner reads a copy of the database.
                let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
                let made = made.map_err(|e| format!("cannot make '{}': {e}", path.display()))?;
                Box::new(BufWriter::with_capacity(BUFFER, made))
            }
        };
        out.write_all(preamble().as_bytes()).map_err(not_written)?;
        Ok(out)
    }

    fn text(&self, file: &str, text: &str) -> Result<(), String> {
        if text.is_empty() {
            return Ok(());
        }
        let mut out = self.file(file)?;
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(not_written)
    }
}

fn not_written(e: std::io::Error) -> String {
    format!("cannot write the dump: {e}")
}

/// Characters that a file's name does not take stand as `%XX`.
fn in_file(text: &str) -> String {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'$');
    text.bytes()
        .map(|b| if plain(&b) { char::from(b).to_string() } else { format!("%{b:02X}") })
        .collect()
}

pub fn dump(call: &Call) -> Result<bool, String> {
    let (target, to) = (call.need("target")?, call.need("to")?);
    let threads = if to == "-" { 1 } else { threads(call)? };
    let out = match to {
        "-" => Out::Standard,
        dir => {
            let dir = PathBuf::from(dir);
            weir_server::backup::prepare(&dir)?;
            mark(&dir)?;
            Out::Directory(dir)
        }
    };
    let mut s = Snapshot::take(target, threads)?;
    let c = &mut s.main;
    let schemas = schemas(c, call.get("database"))?;
    databases(c, &out, &schemas)?;
    let accounts = call.has("accounts").then(|| accounts(c)).transpose()?.unwrap_or_default();
    out.text("01-accounts.sql", &accounts.creates)?;
    let mut all = Vec::new();
    for schema in &schemas {
        for t in tables(c, schema)? {
            let create = show(c, &format!("SHOW CREATE TABLE {}", t.full()), 1)?;
            let file = format!("10-{}.{}.sql", in_file(schema), in_file(&t.name));
            out.text(&file, &format!("USE {};\n{create};\n", name(schema)))?;
            all.push(t);
        }
    }
    let expected = all.iter().map(|t| t.bytes).sum();
    let progress = Mutex::new(Progress::new("dump", expected, call.has("quiet")));
    data(c, s.others, &out, &all, &progress)?;
    for schema in &schemas {
        programs(&mut s.main, &out, schema)?;
    }
    out.text("60-rights.sql", &accounts.rights)?;
    if let Out::Directory(dir) = &out {
        std::fs::remove_file(dir.join(INCOMPLETE)).map_err(not_written)?;
    }
    Ok(true)
}

fn mark(dir: &Path) -> Result<(), String> {
    std::fs::write(dir.join(INCOMPLETE), "This dump is not complete.\n").map_err(not_written)
}

fn show(c: &mut Connection, sql: &str, column: usize) -> Result<String, String> {
    let mut rows = c.rows(sql).map_err(|e| e.to_string())?;
    let row = rows.pop().ok_or_else(|| format!("no answer to {sql}"))?;
    row.into_iter().nth(column).ok_or_else(|| format!("a short answer to {sql}"))
}

fn databases(c: &mut Connection, out: &Out, schemas: &[String]) -> Result<(), String> {
    let mut text = String::new();
    for schema in schemas {
        let create = show(c, &format!("SHOW CREATE DATABASE IF NOT EXISTS {}", name(schema)), 1)?;
        text += &format!("{create};\n");
    }
    out.text("00-databases.sql", &text)
}

#[derive(Default)]
struct Accounts {
    creates: String,
    rights: String,
}

/// CREATE USER and GRANT as the server shows them; an account that is there already keeps its password.
fn accounts(c: &mut Connection) -> Result<Accounts, String> {
    c.run("SET SESSION print_identified_with_as_hex = ON").map_err(|e| e.to_string())?;
    let list = c
        .rows("SELECT user, host FROM mysql.user WHERE user NOT LIKE 'mysql.%' ORDER BY 1, 2")
        .map_err(|e| e.to_string())?;
    let mut out = Accounts::default();
    let mut default_roles = String::new();
    for row in &list {
        let account = format!("{}@{}", literal(&row[0]), literal(&row[1]));
        let create = show(c, &format!("SHOW CREATE USER {account}"), 0)?;
        let (create, roles) = without_roles(&create);
        out.creates +=
            &format!("{};\n", create.replacen("CREATE USER ", "CREATE USER IF NOT EXISTS ", 1));
        if let Some(roles) = roles {
            default_roles += &format!("ALTER USER {account} DEFAULT ROLE {roles};\n");
        }
        let shown = c.rows(&format!("SHOW GRANTS FOR {account}")).map_err(|e| e.to_string())?;
        shown.iter().for_each(|g| out.rights += &format!("{};\n", g[0]));
    }
    out.rights += &default_roles;
    Ok(out)
}

/// A CREATE USER without its default roles, and these: a role may be made and granted by a later statement. REQUIRE is always shown behind
/// them; before them there is only the name and the secret of the account, as a number.
fn without_roles(create: &str) -> (String, Option<&str>) {
    const CLAUSE: &str = " DEFAULT ROLE ";
    let found = create.find(CLAUSE).and_then(|from| {
        let roles = &create[from + CLAUSE.len()..];
        Some((from, &roles[..=roles.find("` REQUIRE ")?]))
    });
    match found {
        Some((from, roles)) => {
            let rest = &create[from + CLAUSE.len() + roles.len()..];
            (format!("{}{rest}", &create[..from]), Some(roles))
        }
        None => (create.into(), None),
    }
}

/// One piece of the work: a table, or a part of it.
struct Job<'t> {
    table: &'t Table,
    number: usize,
    range: Range,
}

fn jobs<'t>(c: &mut Connection, all: &'t [Table]) -> Result<Vec<Job<'t>>, String> {
    let mut jobs = Vec::new();
    for table in all {
        let parts = (table.bytes / PART_BYTES + 1).min(1000);
        let ranges = match &table.integer_key {
            Some(key) if parts > 1 => {
                let key = name(key);
                let sql = format!("SELECT MIN({key}), MAX({key}) FROM {}", table.full());
                let row = c.rows(&sql).map_err(|e| e.to_string())?.pop().unwrap_or_default();
                let bound = |i: usize| row.get(i).and_then(|v: &String| v.parse::<i128>().ok());
                split(bound(0), bound(1), parts)
            }
            _ => vec![Range::default()],
        };
        let of_table = ranges.into_iter().enumerate();
        jobs.extend(of_table.map(|(n, range)| Job { table, number: n + 1, range }));
    }
    // The largest first, so that none of them is left for the end.
    jobs.sort_by_key(|j| std::cmp::Reverse(j.table.bytes));
    Ok(jobs)
}

/// Ranges of equal width that together have every key.
fn split(least: Option<i128>, most: Option<i128>, parts: u64) -> Vec<Range> {
    let (Some(least), Some(most)) = (least, most) else { return vec![Range::default()] };
    let parts = i128::from(parts);
    let width = ((most - least) / parts).max(1);
    let mut bounds: Vec<Option<i128>> = vec![None];
    bounds.extend((1..parts).map(|i| least + i * width).take_while(|b| *b < most).map(Some));
    bounds.push(None);
    bounds.windows(2).map(|w| Range { above: w[0], upto: w[1] }).collect()
}

fn data(
    main: &mut Connection,
    others: Vec<Connection>,
    out: &Out,
    all: &[Table],
    progress: &Mutex<Progress>,
) -> Result<(), String> {
    let jobs = Mutex::new(jobs(main, all)?.into_iter());
    let work = |mut c: Connection| -> Result<(), String> {
        loop {
            let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(job) = next else { return Ok(()) };
            let (schema, table) = (in_file(&job.table.schema), in_file(&job.table.name));
            let mut file = out.file(&format!("20-{schema}.{table}.{:06}.sql", job.number))?;
            let step = &mut |n| progress.lock().unwrap_or_else(PoisonError::into_inner).step(n);
            write(&mut c, job.table, job.range, &mut file, step)?;
            file.flush().map_err(not_written)?;
        }
    };
    std::thread::scope(|s| {
        let all: Vec<_> = others.into_iter().map(|c| s.spawn(move || work(c))).collect();
        let ends = all.into_iter().map(|t| {
            t.join().unwrap_or_else(|_| Err("a thread ended by an internal error".into()))
        });
        // All of them end before the first error is returned.
        ends.collect::<Vec<_>>().into_iter().collect()
    })
}

fn programs(c: &mut Connection, out: &Out, schema: &str) -> Result<(), String> {
    let (file, full) = (in_file(schema), |n: &str| format!("{}.{}", name(schema), name(n)));
    let head = format!("USE {};\n", name(schema));
    let within = |text: String| if text.is_empty() { text } else { format!("{head}{text}") };
    let mut text = String::new();
    let sql = "SELECT routine_type, routine_name FROM information_schema.routines WHERE routine_schema = ? ORDER BY 1, 2";
    for r in named(c, sql, schema)? {
        text += &program(c, &format!("SHOW CREATE {} {}", r[0], full(&r[1])), None)?;
    }
    out.text(&format!("30-{file}.routines.sql"), &within(std::mem::take(&mut text)))?;
    let mut stand_in = String::new();
    let sql = "SELECT table_name FROM information_schema.views WHERE table_schema = ? ORDER BY 1";
    for v in named(c, sql, schema)? {
        let sql = format!(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = ? AND table_name = {} ORDER BY ordinal_position",
            literal(&v[0])
        );
        let columns: Vec<String> =
            named(c, &sql, schema)?.iter().map(|c| format!("1 AS {}", name(&c[0]))).collect();
        stand_in +=
            &format!("CREATE OR REPLACE VIEW {} AS SELECT {};\n", full(&v[0]), columns.join(", "));
        let sql = format!("SHOW CREATE VIEW {}", full(&v[0]));
        let row = c.rows(&sql).map_err(|e| e.to_string())?.pop().unwrap_or_default();
        let [_, create, client, collation, ..] = row.as_slice() else {
            return Err(format!("a short answer to {sql}"));
        };
        let create = create.replacen("CREATE ", "CREATE OR REPLACE ", 1);
        text += &format!("{}{create};\n{UTF8}", client_set(&create, client, collation));
    }
    out.text(&format!("40-{file}.views.sql"), &within(stand_in))?;
    out.text(&format!("41-{file}.views.sql"), &within(std::mem::take(&mut text)))?;
    let sql = "SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = ? \
               ORDER BY event_object_table, action_timing, event_manipulation, action_order";
    for t in named(c, sql, schema)? {
        text += &program(c, &format!("SHOW CREATE TRIGGER {}", full(&t[0])), None)?;
    }
    out.text(&format!("50-{file}.triggers.sql"), &within(std::mem::take(&mut text)))?;
    let sql = "SELECT event_name FROM information_schema.events WHERE event_schema = ? ORDER BY 1";
    for e in named(c, sql, schema)? {
        text += &program(c, &format!("SHOW CREATE EVENT {}", full(&e[0])), Some(2))?;
    }
    out.text(&format!("51-{file}.events.sql"), &within(text))
}

const UTF8: &str = "SET NAMES utf8mb4;\n";

/// What was made by a client of another character set is made by one again, where the text is the same in both.
fn client_set(text: &str, client: &str, collation: &str) -> String {
    let same = text.is_ascii() || matches!(client, "utf8" | "utf8mb3" | "utf8mb4");
    match same && !client.is_empty() {
        true => format!("SET NAMES {client} COLLATE {collation};\n"),
        false => String::new(),
    }
}

/// A program with the SQL mode, the client's character set and the time zone that it was made with. `zone`: which column of the answer tells the
/// last.
fn program(c: &mut Connection, sql: &str, zone: Option<usize>) -> Result<String, String> {
    let row = c.rows(sql).map_err(|e| e.to_string())?.pop().unwrap_or_default();
    let body = zone.map_or(2, |z| z + 1);
    let (Some(mode), Some([body, client, collation])) = (row.get(1), row.get(body..body + 3))
    else {
        return Err(format!("a short answer to {sql}"));
    };
    if body.is_empty() {
        return Err(format!("the account may not see the text of a program: {sql}"));
    }
    let mut out = client_set(body, client, collation);
    if let Some(zone) = zone.and_then(|z| row.get(z)) {
        out += &format!("SET time_zone = {};\n", literal(zone));
    }
    out +=
        &format!("SET sql_mode = {};\nDELIMITER ;;\n{body} ;;\nDELIMITER ;\n{UTF8}", literal(mode));
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_every_key_once() {
        for (least, most, parts) in
            [(0, 100, 4), (-7, 3, 5), (5, 5, 9), (0, i128::from(u64::MAX), 1000), (1, 3, 8)]
        {
            let ranges = split(Some(least), Some(most), parts);
            assert_eq!((ranges[0].above, ranges[ranges.len() - 1].upto), (None, None));
            assert!(ranges.len() as u64 <= parts);
            for pair in ranges.windows(2) {
                assert_eq!(pair[0].upto, pair[1].above);
                assert!(pair[0].upto.is_some());
            }
        }
        assert_eq!(split(None, None, 4), [Range::default()]);
    }

    #[test]
    fn names_of_files_have_no_slashes_and_no_dots() {
        assert_eq!(in_file("a_b-1"), "a_b-1");
        assert_eq!(in_file("../x y"), "%2E%2E%2Fx%20y");
        assert_eq!(in_file("é"), "%C3%A9");
    }
}
