//! `killed DIR ACK`: what `killed work` of tests/killed/killed.c does, by the library.

use std::fs::OpenOptions;
use std::io::Write;
use weir::{Database, params};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut ack = OpenOptions::new().append(true).create(true).open(&args[1])?;
    let db = Database::open(&args[0])?;
    let mut conn = db.connect()?;
    conn.execute_batch("CREATE DATABASE IF NOT EXISTS k; USE k")?;
    conn.execute(
        "CREATE TABLE IF NOT EXISTS pairs (id BIGINT, side INT, pad VARCHAR(400), PRIMARY KEY (id, side), KEY (pad))",
        (),
    )?;
    let mut next: i64 = conn.query_row("SELECT COALESCE(MAX(id), 0) + 1 FROM pairs", ())?.get(0)?;
    loop {
        let mut tx = conn.transaction()?;
        for side in 0..2 {
            tx.execute("INSERT INTO pairs VALUES (?, ?, REPEAT('x', ? % 400))", params![next, side, next * 7919])?;
        }
        tx.commit()?;
        ack.write_all(b"x")?;
        next += 1;
    }
}
