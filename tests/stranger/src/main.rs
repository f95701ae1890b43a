//! The program of the README, and a few more lines: what a stranger writes first.

use std::time::Instant;
use weir::{Class, Database, params};

fn main() -> weir::Result<()> {
    let dir = std::env::args().nth(1).expect("a directory");
    let begun = Instant::now();
    let db = Database::open(&dir)?;
    let opened = begun.elapsed();
    let mut conn = db.connect()?;
    conn.execute_batch("CREATE DATABASE IF NOT EXISTS shop; USE shop")?;
    conn.execute(
        "CREATE TABLE IF NOT EXISTS orders (id BIGINT AUTO_INCREMENT PRIMARY KEY, customer INT, total DECIMAL(10,2), KEY (customer))",
        (),
    )?;

    let mut tx = conn.transaction()?;
    for (customer, total) in [(1, "9.99"), (2, "25.00"), (1, "5.50")] {
        tx.execute("INSERT INTO orders (customer, total) VALUES (?, ?)", params![customer, total])?;
    }
    tx.commit()?;

    for row in conn.query("SELECT customer, SUM(total) AS total FROM orders GROUP BY customer ORDER BY customer", ())? {
        let row = row?;
        println!("{} {}", row.get::<i64>("customer")?, row.get::<weir::Decimal>("total")?);
    }

    let twice = conn.execute("INSERT INTO orders (id) VALUES (1)", ()).unwrap_err();
    assert_eq!((twice.number(), twice.class()), (1062, Class::Constraint));

    // Threads with the stack that Rust gives them.
    std::thread::scope(|s| {
        for customer in 3..7 {
            let db = &db;
            s.spawn(move || {
                let mut conn = db.connect().unwrap();
                conn.use_database("shop").unwrap();
                let mut add = conn.appender("orders", &["customer", "total"]).unwrap();
                for n in 0..500 {
                    add.append(params![customer, n]).unwrap();
                }
                add.finish().unwrap();
            });
        }
    });
    let all: i64 = conn.query_row("SELECT COUNT(*) FROM orders WHERE customer > ?", params![2])?.get(0)?;
    println!("{all} rows more");
    drop(conn);
    db.close()?;
    eprintln!("opened in {opened:?}");
    Ok(())
}
