//! Definitions and rows, as they were at one moment of the source.

use super::schema::{self, Form, Table};
use super::{Done, Options, Progress, connect, name, rows, told, value};
use crate::source::{Row, Source};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of one INSERT.
const BATCH: usize = 1 << 20;

/// The place of the snapshot in the source's log.
#[derive(Clone, Debug, Default)]
pub struct Begun {
    pub file: String,
    pub offset: u64,
    /// MySQL's identifiers, where the source gives its transactions some.
    pub gtids: String,
}

impl Begun {
    pub fn told(&self) -> String {
        format!("{} {} {}", self.file, self.offset, self.gtids)
    }
}

pub fn run(o: &Options, from: &mut Source, to: &mut Source, databases: &[String]) -> Done<Begun> {
    let mut readers = Vec::new();
    for _ in 0..o.threads.max(1) {
        readers.push(connect(&o.from, "the source")?);
    }
    let begun = snapshot(from, &mut readers)?;
    println!("snapshot at {}", begun.told());
    let mut tables = Vec::new();
    let ask =
        |to: &mut Source, sql: &str| to.query(sql).map(drop).map_err(|e| format!("{sql}: {e}"));
    ask(to, "SET foreign_key_checks = 0")?;
    for d in databases {
        let create = rows(from, &format!("SHOW CREATE DATABASE IF NOT EXISTS {}", name(d)))?;
        ask(to, create.first().and_then(|r| r.get(1)).ok_or("a database is gone")?)?;
        for t in schema::tables(from, d)? {
            ask(to, &format!("USE {}", name(d)))?;
            ask(to, &schema::create_table(from, &t)?)?;
            tables.push(t);
        }
    }
    // The largest first, so that no thread is left with it at the end.
    tables.sort_by_key(|t| t.rows);
    copy_all(o, readers, tables)?;
    for d in databases {
        let objects = schema::objects(from, d)?;
        if let Some((o, why)) = schema::make_all(to, objects, None)?.into_iter().next() {
            return Err(format!("{} {}.{}: {why}", o.kind.to_lowercase(), name(d), name(&o.name)));
        }
    }
    Ok(begun)
}

/// All readers see the source as it was where the log was then. Writers wait for the moment that it takes.
fn snapshot(from: &mut Source, readers: &mut [Source]) -> Done<Begun> {
    let why = "FLUSH TABLES WITH READ LOCK (the account needs RELOAD)";
    from.query("FLUSH TABLES WITH READ LOCK").map_err(|e| format!("{why}: {e}"))?;
    let begun = place_and_views(from, readers);
    from.query("UNLOCK TABLES").map_err(told)?;
    begun
}

fn place_and_views(from: &mut Source, readers: &mut [Source]) -> Done<Begun> {
    for r in readers {
        r.query("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ").map_err(told)?;
        r.query("START TRANSACTION WITH CONSISTENT SNAPSHOT").map_err(told)?;
    }
    place(from)
}

/// Where the source's log is.
pub fn place(from: &mut Source) -> Done<Begun> {
    let shown = match rows(from, "SHOW BINARY LOG STATUS") {
        Ok(shown) => shown,
        Err(_) => rows(from, "SHOW MASTER STATUS")?,
    };
    let row = shown.into_iter().next().ok_or("the source has no binary log (log_bin)")?;
    let gtids = match value(from, "SELECT VERSION()")?.to_ascii_lowercase().contains("mariadb") {
        true => String::new(),
        false => match value(from, "SELECT @@global.gtid_mode")?.as_str() {
            "ON" => value(from, "SELECT @@global.gtid_executed")?,
            _ => String::new(),
        },
    };
    Ok(Begun { file: row[0].clone(), offset: row[1].parse().unwrap_or(4), gtids })
}

fn copy_all(o: &Options, readers: Vec<Source>, tables: Vec<Table>) -> Done<()> {
    let count = tables.len();
    let (left, done) = (Mutex::new(tables), AtomicU64::new(0));
    let copied = AtomicU64::new(0);
    let progress = Progress::new();
    let work = |mut from: Source| -> Done<()> {
        let mut to = connect(&o.to, "the target")?;
        for sql in ["SET foreign_key_checks = 0", "SET unique_checks = 0"] {
            to.query(sql).map_err(told)?;
        }
        loop {
            let Some(t) = crate::lock(&left).pop() else { return Ok(()) };
            copy(&mut from, &mut to, &t, &|n| {
                let sum = copied.fetch_add(n, Ordering::Relaxed) + n;
                let ready = done.load(Ordering::Relaxed);
                progress.show(&format!("{ready} of {count} tables, {sum} rows"));
            })
            .map_err(|e| format!("{}: {e}", t.full()))?;
            done.fetch_add(1, Ordering::Relaxed);
        }
    };
    let result = std::thread::scope(|scope| {
        let threads: Vec<_> = readers.into_iter().map(|r| scope.spawn(|| work(r))).collect();
        let ended = threads.into_iter().map(|t| {
            t.join().unwrap_or_else(|_| Err("a thread has ended by an internal error".into()))
        });
        ended.collect::<Done<Vec<()>>>()
    });
    progress.end();
    result?;
    println!("copied {} rows of {count} tables", copied.load(Ordering::Relaxed));
    Ok(())
}

fn copy(from: &mut Source, to: &mut Source, t: &Table, copied: &dyn Fn(u64)) -> Done<()> {
    let columns = schema::columns(from, t)?;
    let reads: Vec<&str> = columns.iter().map(|c| c.read.as_str()).collect();
    let names: Vec<String> = columns.iter().map(|c| name(&c.name)).collect();
    let head = format!("INSERT INTO {} ({}) VALUES ", t.full(), names.join(", "));
    let sql = format!("SELECT {} FROM {}", reads.join(", "), t.full());
    let mut batch = head.clone().into_bytes();
    let mut waiting = 0;
    let mut flush = |batch: &mut Vec<u8>, waiting: &mut u64| {
        if *waiting > 0 {
            to.command_text(batch)?;
            copied(*waiting);
        }
        batch.truncate(head.len());
        *waiting = 0;
        Ok(())
    };
    from.query_each(&sql, &mut |row| {
        if waiting > 0 {
            batch.push(b',');
        }
        put_row(&row, &columns, &mut batch);
        waiting += 1;
        if batch.len() >= BATCH { flush(&mut batch, &mut waiting) } else { Ok(()) }
    })
    .map_err(told)?;
    flush(&mut batch, &mut waiting).map_err(told)
}

fn put_row(row: &Row, columns: &[schema::Column], out: &mut Vec<u8>) {
    out.push(b'(');
    for (at, (value, column)) in row.iter().zip(columns).enumerate() {
        if at > 0 {
            out.push(b',');
        }
        match value {
            None => out.extend_from_slice(b"NULL"),
            Some(v) if column.form == Form::Number => out.extend_from_slice(v),
            Some(v) if column.form == Form::Hex => {
                out.extend_from_slice(b"x'");
                out.extend_from_slice(v);
                out.push(b'\'');
            }
            Some(v) => {
                out.push(b'\'');
                for b in v {
                    match b {
                        b'\'' => out.extend_from_slice(b"''"),
                        b'\\' => out.extend_from_slice(b"\\\\"),
                        b => out.push(*b),
                    }
                }
                out.push(b'\'');
            }
        }
    }
    out.push(b')');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_so_that_they_come_back() {
        let column = |form| schema::Column { name: "c".into(), read: "c".into(), form };
        let columns = [Form::Text, Form::Hex, Form::Number, Form::Text].map(column);
        let value = |t: &str| Some(t.as_bytes().to_vec());
        let mut out = Vec::new();
        put_row(&vec![value("it's \\ a"), value("00FF"), value("257"), None], &columns, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), "('it''s \\\\ a',x'00FF',257,NULL)");
    }
}
