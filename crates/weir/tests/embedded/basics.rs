//! Opening, values both ways, options.

use crate::{Dir, app, memory};
use weir::{Database, Date, DateTime, Decimal, Error, Json, Time, Value, params};

#[test]
fn what_was_committed_is_there_after_a_close() {
    let dir = Dir::new("reopen");
    for round in 0..5i64 {
        let db = Database::open(dir.path()).unwrap();
        let mut conn = app(&db);
        conn.execute("CREATE TABLE IF NOT EXISTS t (id BIGINT PRIMARY KEY)", ()).unwrap();
        let before: i64 = conn.query_row("SELECT COUNT(*) FROM t", ()).unwrap().get(0).unwrap();
        assert_eq!(before, round);
        let done = conn.execute("INSERT INTO t VALUES (?)", params![round]).unwrap();
        assert_eq!(done.affected_rows(), 1);
        drop(conn);
        db.close().unwrap();
    }
}

/// Every type, as a parameter and as a value of a row.
#[test]
fn values_go_both_ways() {
    let (_db, mut conn) = memory();
    conn.execute(
        "CREATE TABLE v (i BIGINT, u BIGINT UNSIGNED, f FLOAT, d DOUBLE, de DECIMAL(65,30), t TEXT, b BLOB, j JSON, \
         da DATE, ti TIME(6), dt DATETIME(6), y YEAR, bi BIT(12), e ENUM('a','b'))",
        (),
    )
    .unwrap();
    let date = Date { year: 2024, month: 2, day: 29 };
    let row = vec![
        Value::Int(i64::MIN),
        Value::UInt(u64::MAX),
        Value::Float(1.5),
        Value::Double(-1e300),
        Value::Decimal(
            "-12345678901234567890123456789012345.123456789012345678901234567890".parse().unwrap(),
        ),
        Value::Text("Grüße, 世界 🦀 \0 '\"\\".into()),
        Value::Bytes(vec![0, 255, 128, 39, 92]),
        Value::Json(r#"{"a": [1, 2.5, null]}"#.into()),
        Value::Date(date),
        Value::Time(Time { negative: true, hours: 838, minutes: 59, seconds: 59, micros: 0 }),
        Value::DateTime(DateTime { date, hour: 23, minute: 59, second: 59, micros: 999_999 }),
        Value::Int(2155),
        Value::Bytes(vec![0x0A, 0xBC]),
        Value::Text("b".into()),
    ];
    conn.execute("INSERT INTO v VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", row.clone()).unwrap();
    conn.execute("INSERT INTO v VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", vec![Value::Null; 14])
        .unwrap();
    // By a prepared statement and by a text alone.
    let prepared = conn.prepare("SELECT * FROM v WHERE i <=> ?").unwrap();
    let by_statement = conn.query_row(&prepared, params![i64::MIN]).unwrap();
    assert_eq!(by_statement.values(), row);
    let by_text: Vec<weir::Row> = conn.query_as("SELECT * FROM v", ()).unwrap();
    assert_eq!(by_text[0].values(), row);
    assert!(by_text[1].values().iter().all(Value::is_null));
    assert_eq!(by_text[0].get::<Date>("da").unwrap(), date);
    assert_eq!(by_text[0].get::<Json>("J").unwrap().0, r#"{"a": [1, 2.5, null]}"#);
    assert_eq!(by_text[0].get::<Decimal>("de").unwrap().as_str().len(), 67);
    let sum =
        conn.query_row("SELECT SUM(n), AVG(n) FROM (SELECT 1 n UNION ALL SELECT 2) x", ()).unwrap();
    assert_eq!((sum.get::<i64>(0).unwrap(), sum.get::<f64>(1).unwrap()), (3, 1.5));
}

#[test]
fn rows_are_read_as_types() {
    let (_db, mut conn) = memory();
    let row = conn.query_row("SELECT 1 AS a, NULL AS b, 'x' AS c", ()).unwrap();
    assert_eq!(row.get::<u8>("A").unwrap(), 1);
    assert_eq!(row.get::<Option<i64>>("b").unwrap(), None);
    assert!(matches!(row.get::<i64>("b"), Err(Error::Conversion { .. })));
    assert!(matches!(row.get::<i64>("c"), Err(Error::Conversion { .. })));
    assert!(matches!(row.get::<i64>("d"), Err(Error::NoSuchColumn { .. })));
    assert!(matches!(row.get::<i64>(3), Err(Error::NoSuchColumn { .. })));
    let typed: (i64, Option<String>, String) = row.into_typed().unwrap();
    assert_eq!(typed, (1, None, "x".into()));
    assert!(matches!(conn.query_as::<(i64,)>("SELECT 1, 2", ()), Err(Error::Misuse { .. })));
    assert_eq!(conn.query_opt("SELECT 1 WHERE FALSE", ()).unwrap().map(|_| ()), None);
    assert!(matches!(conn.query_row("SELECT 1 WHERE FALSE", ()), Err(Error::NoRow)));
    // The first of many is enough, and the connection goes on.
    let first = conn.query_row("SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9", ()).unwrap();
    assert_eq!(first.get::<i64>(0).unwrap(), 7);
    assert_eq!(conn.query_row("SELECT 1", ()).unwrap().get::<i64>(0).unwrap(), 1);
}

#[test]
fn parameters_are_counted_and_statements_cached() {
    let (_db, mut conn) = memory();
    let wrong = conn.query_row("SELECT ?", params![1, 2]).unwrap_err();
    assert_eq!(wrong.number(), 1210);
    assert_eq!(conn.query_row("SELECT ?", ()).unwrap_err().number(), 1064);
    conn.set_statement_cache(2).unwrap();
    for round in 0..3i64 {
        for sql in ["SELECT ? + 0", "SELECT ? + 1", "SELECT ? + 2", "SELECT ? + 3"] {
            conn.query_row(sql, params![round]).unwrap();
        }
    }
    let count = "SHOW SESSION STATUS LIKE 'Prepared_stmt_count'";
    let open: String = conn.query_row(count, ()).unwrap().get(1).unwrap();
    assert_eq!(open, "2");
    let one = conn.prepare("SELECT ?").unwrap();
    assert_eq!((one.parameter_count(), one.sql()), (1, "SELECT ?"));
    drop(one);
    conn.set_statement_cache(0).unwrap();
    let open: String = conn.query_row(count, ()).unwrap().get(1).unwrap();
    assert_eq!(open, "0");
}

/// The text of a statement means the tables of the schema that is the default one now.
#[test]
fn a_cached_statement_belongs_to_its_schema() {
    let (_db, mut conn) = memory();
    for schema in ["one", "two"] {
        conn.execute(&format!("CREATE DATABASE {schema}"), ()).unwrap();
        conn.use_database(schema).unwrap();
        conn.execute("CREATE TABLE t (name VARCHAR(9))", ()).unwrap();
        conn.execute("INSERT INTO t VALUES (?)", params![schema]).unwrap();
    }
    for schema in ["one", "two", "one"] {
        conn.use_database(schema).unwrap();
        let row = conn.query_row("SELECT name FROM t WHERE name <> ?", params![""]).unwrap();
        assert_eq!(row.get::<String>(0).unwrap(), schema);
        assert_eq!(conn.database(), schema);
    }
}

#[test]
fn a_batch_stops_at_its_first_error() {
    let (_db, mut conn) = memory();
    let e = conn
        .execute_batch("CREATE TABLE a (i INT); INSERT INTO a VALUES (1);; INSERT INTO nowhere VALUES (1); INSERT INTO a VALUES (2)")
        .unwrap_err();
    assert!([1065, 1146].contains(&e.number()), "{e}");
    let e = conn
        .execute_batch(
            "INSERT INTO a VALUES (7); INSERT INTO nowhere VALUES (1); INSERT INTO a VALUES (2);",
        )
        .unwrap_err();
    assert_eq!(e.number(), 1146);
    let rows: Vec<(i64,)> = conn.query_as("SELECT i FROM a ORDER BY i", ()).unwrap();
    assert_eq!(rows, [(1,), (7,)]);
    // One text is one statement everywhere else.
    assert_eq!(conn.execute("SELECT 1; SELECT 2", ()).unwrap_err().number(), 1064);
    conn.execute_batch(" ").unwrap();
}

#[test]
fn options_act_and_those_of_a_server_are_refused() {
    let db =
        Database::builder().set("sql-mode", "ANSI_QUOTES").set("pid_file", "x").open_in_memory();
    assert!(matches!(db, Err(Error::Option { ref name, .. }) if name == "pid_file"));
    let db = Database::builder()
        .set("sql-mode", "ANSI_QUOTES")
        .buffer_pool(8 << 20)
        .open_in_memory()
        .unwrap();
    let mut conn = db.connect().unwrap();
    let row = conn
        .query_row("SELECT @@sql_mode, @@innodb_buffer_pool_size, @@event_scheduler", ())
        .unwrap();
    let got: (String, i64, String) = row.into_typed().unwrap();
    assert_eq!(got, ("ANSI_QUOTES".into(), 8 << 20, "OFF".into()));
    for set in [
        "SET GLOBAL event_scheduler = ON",
        "SET GLOBAL general_log = ON",
        "SET GLOBAL wait_timeout = 5",
    ] {
        assert!(conn.execute(set, ()).is_err(), "{set}");
    }
    conn.execute("SET GLOBAL innodb_lock_wait_timeout = 7", ()).unwrap();
    assert_eq!(conn.execute("SHUTDOWN", ()).unwrap_err().number(), 1235);
}
