//! Results that stream.

use crate::{filled, memory};
use std::time::Instant;
use weir::{Class, params};

/// The rows that a statement has looked at so far say how far it has come.
fn looked_at(conn: &mut weir::Connection) -> u64 {
    let sql = "SHOW GLOBAL STATUS LIKE 'Handler_read_rnd_next'";
    let text: String = conn.query_row(sql, ()).unwrap().get(1).unwrap();
    text.parse().unwrap()
}

#[test]
fn rows_are_made_as_they_are_asked_for() {
    let (db, mut conn) = memory();
    filled(&mut conn, 20_000);
    let mut other = crate::app(&db);
    for sql in [
        "SELECT id, pad FROM t",
        "SELECT id, pad FROM t UNION ALL SELECT id, pad FROM t",
        "SELECT a.id, b.pad FROM t a JOIN t b ON a.id = b.id",
        "SELECT id, pad FROM t ORDER BY pad, id",
        "SELECT id + 1, CONCAT(pad, 'x') FROM t ORDER BY n, id",
        "SELECT id, COUNT(*) FROM t GROUP BY id",
        "SELECT DISTINCT id, pad FROM t",
        "SELECT id, ROW_NUMBER() OVER (ORDER BY id) FROM t",
    ] {
        let mut rows = conn.query(sql, ()).unwrap();
        for _ in 0..10 {
            rows.next().unwrap().unwrap();
        }
        // Others work meanwhile, on the same thread and on the pages that were read.
        assert_eq!(
            other.execute("UPDATE t SET n = n + 1 WHERE id < 500", ()).unwrap().affected_rows(),
            500
        );
        let left = rows.try_fold(0, |n, row| row.map(|_| n + 1)).unwrap();
        let expected = if sql.contains("UNION") { 39_990 } else { 19_990 };
        assert_eq!(left, expected, "{sql}");
        assert_eq!(rows.columns().len(), 2);
    }
}

#[test]
fn a_result_that_nobody_reads_to_its_end_is_not_computed() {
    let (db, mut conn) = memory();
    filled(&mut conn, 3_000);
    let mut other = db.connect().unwrap();
    let before = looked_at(&mut other);
    // Nine million rows in all.
    let begun = Instant::now();
    let mut rows = conn.query("SELECT a.id, b.id FROM t a, t b", ()).unwrap();
    rows.next().unwrap().unwrap();
    drop(rows);
    assert!(begun.elapsed().as_secs() < 20);
    assert!(looked_at(&mut other) - before < 100_000);
    // The session goes on, and so does an open transaction.
    let mut tx = conn.transaction().unwrap();
    tx.execute("UPDATE t SET n = 9 WHERE id = 1", ()).unwrap();
    drop(tx.query("SELECT a.id FROM t a, t b FOR UPDATE", ()).unwrap());
    tx.commit().unwrap();
    let n = conn.query_row("SELECT n FROM t WHERE id = 1", ()).unwrap();
    assert_eq!(n.get::<i64>(0).unwrap(), 9);
}

#[test]
fn an_error_in_the_middle_comes_behind_the_rows_before_it() {
    let (_db, mut conn) = memory();
    filled(&mut conn, 2_000);
    let mut rows = conn.query("SELECT EXP(id) FROM t", ()).unwrap();
    let mut got = 0;
    let e = loop {
        match rows.next().expect("an error comes before the end") {
            Ok(_) => got += 1,
            Err(e) => break e,
        }
    };
    assert_eq!((e.number(), got), (1690, 710));
    assert!(rows.next().is_none());
    drop(rows);
    assert_eq!(conn.query_row("SELECT 1", ()).unwrap().len(), 1);
}

#[test]
fn results_of_a_procedure_come_one_after_the_other() {
    let (_db, mut conn) = memory();
    conn.execute("CREATE PROCEDURE p(n INT) BEGIN SELECT n; SELECT 'a' AS x, 'b' AS y; SELECT * FROM nowhere; END", ()).unwrap();
    let mut rows = conn.query("CALL p(?)", params![5]).unwrap();
    assert_eq!(rows.next().unwrap().unwrap().get::<i64>("n").unwrap(), 5);
    assert!(rows.next().is_none());
    assert!(rows.next_result().unwrap());
    assert_eq!(rows.columns().iter().map(|c| c.name()).collect::<Vec<_>>(), ["x", "y"]);
    // Its row is not read; the error is where the third result would be.
    let e = rows.next_result().unwrap_err();
    assert_eq!((e.number(), e.class()), (1146, Class::NotFound));
    drop(rows);
    let rows = conn.query("DO 1", ()).unwrap();
    assert!(rows.columns().is_empty() && rows.count() == 0);
}

#[test]
fn a_cursor_is_ended_by_the_next_statement_and_says_so() {
    let (_db, mut conn) = memory();
    filled(&mut conn, 3_000);
    let mut first = conn.open_cursor("SELECT id FROM t WHERE id >= ?", params![0]).unwrap();
    assert_eq!(first.next(&mut conn).unwrap().unwrap().get::<i64>(0).unwrap(), 0);
    let mut second = conn.open_cursor("SELECT id FROM t", ()).unwrap();
    assert_eq!(first.next(&mut conn).unwrap_err().number(), 2014);
    assert!(first.next(&mut conn).unwrap().is_none());
    first.close(&mut conn);
    let mut n = 0;
    while second.next(&mut conn).unwrap().is_some() {
        n += 1;
    }
    assert_eq!((n, second.columns().len()), (3_000, 1));
    let mut third = conn.open_cursor("SELECT id FROM t", ()).unwrap();
    conn.execute("DO 1", ()).unwrap();
    assert_eq!(third.next_result(&mut conn).unwrap_err().number(), 2014);
    third.close(&mut conn);
    let fourth = conn.open_cursor("SELECT id FROM t", ()).unwrap();
    fourth.close(&mut conn);
    assert_eq!(conn.query_row("SELECT 1", ()).unwrap().len(), 1);
}

#[test]
fn the_end_tells_counts() {
    let (_db, mut conn) = memory();
    conn.execute("CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY, n INT)", ()).unwrap();
    let done = conn.execute("INSERT INTO a (n) VALUES (1), (2), (2)", ()).unwrap();
    assert_eq!((done.affected_rows(), done.last_insert_id(), done.warnings()), (3, 1, 0));
    let done = conn.execute("UPDATE a SET n = 2", ()).unwrap();
    assert_eq!(
        (done.affected_rows(), done.info()),
        (1, "Rows matched: 3  Changed: 1  Warnings: 0")
    );
    let mut rows = conn.query("SELECT 1/0", ()).unwrap();
    assert_eq!(rows.by_ref().count(), 1);
    assert_eq!(rows.executed().warnings(), 1);
}

#[test]
fn appenders_write_in_bulk_and_say_what_is_wrong() {
    let (_db, mut conn) = memory();
    conn.execute("CREATE TABLE `odd``name` (id INT PRIMARY KEY, v VARCHAR(5))", ()).unwrap();
    let mut add = conn.appender("app.odd`name", &["id", "v"]).unwrap();
    assert_eq!(add.append(params![1]).unwrap_err().class(), Class::Usage);
    for id in 0..1000 {
        add.append(params![id, Some("x")]).unwrap();
    }
    assert_eq!(add.finish().unwrap(), 1000);
    let mut add = conn.appender("odd`name", &["id"]).unwrap();
    add.append(params![7]).unwrap();
    assert_eq!(add.finish().unwrap_err().number(), 1062);
    let mut add = conn.appender("nowhere", &["id"]).unwrap();
    add.append(params![7]).unwrap();
    assert_eq!(add.flush().unwrap_err().number(), 1146);
    assert!(conn.appender("t", &[]).is_err());
}

/// What a statement by a key gives, whichever way it is asked for.
fn by_key(conn: &mut weir::Connection, stmt: &weir::Statement, id: i64) -> Vec<(i64, i64)> {
    let rows = conn.query(stmt, params![id]).unwrap();
    assert_eq!(rows.columns().iter().map(|c| c.name()).collect::<Vec<_>>(), ["id", "n"]);
    let rows: Vec<(i64, i64)> = rows.map(|row| row.unwrap().into_typed().unwrap()).collect();
    let mut cursor = conn.open_cursor(stmt, params![id]).unwrap();
    let mut stepped = Vec::new();
    while cursor.step(conn).unwrap() {
        let whole =
            |v: &weir::Value| if let weir::Value::Int(n) = v { *n } else { panic!("{v:?}") };
        stepped.push((whole(&cursor.values()[0]), whole(&cursor.values()[1])));
    }
    assert!(cursor.values().is_empty() && !cursor.step(conn).unwrap());
    assert_eq!(stepped, rows);
    assert_eq!(
        conn.query_opt(stmt, params![id]).unwrap().map(|r| r.into_typed().unwrap()),
        rows.first().copied()
    );
    rows
}

#[test]
fn short_answers_are_read_as_any_others() {
    let (db, mut conn) = memory();
    filled(&mut conn, 3_000);
    conn.execute("UPDATE t SET n = id * 10", ()).unwrap();
    let one = conn.prepare("SELECT id, n FROM t WHERE id = ?").unwrap();
    let few = conn.prepare("SELECT id, n FROM t WHERE id BETWEEN ? AND ?").unwrap();
    for _ in 0..3 {
        assert_eq!(by_key(&mut conn, &one, 7), [(7, 70)]);
        assert_eq!(by_key(&mut conn, &one, -7), []);
        for (from, to) in [(0, 99), (2_950, 3_050), (50, 40), (0, 2_999)] {
            let rows = conn.query(&few, params![from, to]).unwrap();
            let ids: Vec<i64> = rows.map(|row| row.unwrap().get("id").unwrap()).collect();
            assert_eq!(ids, (from..=to.min(2_999)).collect::<Vec<_>>());
        }
    }
    // Rows that nobody reads, and another statement in between.
    drop(conn.query(&few, params![1, 50]).unwrap());
    let mut cursor = conn.open_cursor(&few, params![1, 50]).unwrap();
    assert!(cursor.step(&mut conn).unwrap());
    assert_eq!(cursor.values(), [weir::Value::Int(1), weir::Value::Int(10)]);
    assert_eq!(cursor.next(&mut conn).unwrap().unwrap().get::<i64>(0).unwrap(), 2);
    conn.execute("DO 1", ()).unwrap();
    assert_eq!(cursor.next(&mut conn).unwrap_err().number(), 2014);
    assert!(cursor.next(&mut conn).unwrap().is_none());
    // A transaction sees what it has written, and others do not.
    let mut other = crate::app(&db);
    let theirs = other.prepare("SELECT id, n FROM t WHERE id = ?").unwrap();
    let mut tx = conn.transaction().unwrap();
    tx.execute("UPDATE t SET n = 1 WHERE id = 7", ()).unwrap();
    tx.execute("DELETE FROM t WHERE id = 8", ()).unwrap();
    for _ in 0..2 {
        assert_eq!(by_key(&mut tx, &one, 7), [(7, 1)]);
        assert_eq!(by_key(&mut tx, &one, 8), []);
        assert_eq!(by_key(&mut other, &theirs, 7), [(7, 70)]);
    }
    tx.rollback().unwrap();
    assert_eq!(by_key(&mut conn, &one, 8), [(8, 80)]);
    // Its table is another one afterwards.
    conn.execute("ALTER TABLE t MODIFY n VARCHAR(20)", ()).unwrap();
    let row = conn.query_row(&one, params![7]).unwrap();
    let streamed = conn.query(&one, params![7]).unwrap().next().unwrap().unwrap();
    assert_eq!(
        (row.get::<String>("n").unwrap(), streamed.get::<String>(1).unwrap()),
        ("70".into(), "70".into())
    );
    conn.execute("DROP TABLE t", ()).unwrap();
    assert_eq!(conn.query(&one, params![7]).unwrap_err().number(), 1146);
}

weir::from_row! {
    #[derive(Debug, PartialEq)]
    struct Typed {
        id: i64,
        r#type: Option<String> as "pad",
        n: u8,
    }
}

#[test]
fn structures_are_read_by_the_names_of_columns() {
    let (_db, mut conn) = memory();
    conn.execute("CREATE TABLE s (N INT, id BIGINT PRIMARY KEY, pad VARCHAR(9))", ()).unwrap();
    conn.execute("INSERT INTO s VALUES (5, 1, 'a'), (255, 2, NULL), (256, 3, '')", ()).unwrap();
    let all =
        conn.query_as::<Typed>("SELECT * FROM s WHERE id < ? ORDER BY id", params![3]).unwrap();
    let typed = |id, pad: Option<&str>, n| Typed { id, r#type: pad.map(String::from), n };
    assert_eq!(all, [typed(1, Some("a"), 5), typed(2, None, 255)]);
    let row = conn.query_row("SELECT * FROM s WHERE id = ?", params![3]).unwrap();
    assert!(matches!(row.into_typed::<Typed>(), Err(weir::Error::Conversion { .. })));
    let row = conn.query_row("SELECT id, n FROM s WHERE id = ?", params![1]).unwrap();
    assert!(matches!(row.into_typed::<Typed>(), Err(weir::Error::NoSuchColumn { .. })));
}
