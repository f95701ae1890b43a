//! What client libraries read beside the rows: insert ids, column metadata, character sets other than UTF-8, and the
//! columns of information_schema that dump programs ask for.
use crate::common::*;
use weir_sql::session_api::{ColumnMeta, OkInfo, OutValue, ParamValue, ResultSink, SinkError};

#[test]
fn insert_ids() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.rows("create table t (id int auto_increment primary key, a int unique)").await;
        let cases: &[(&str, u64)] = &[
            ("insert into t (a) values (1), (2)", 1),
            // Explicit values: the last one.
            ("insert into t values (10, 10)", 10),
            ("insert into t values (20, 20), (15, 15)", 15),
            // That of a row that was there and has changed.
            ("insert into t values (15, 15) on duplicate key update id = 16", 16),
            ("insert into t values (90, 15) on duplicate key update a = a", 0),
            ("insert into t select 30, 30", 30),
            ("replace into t values (30, 31)", 30),
            ("insert into t values (-5, 5)", (-5i64) as u64),
            // A generated one goes before them.
            ("insert into t values (40, 40), (null, 41), (50, 50)", 41),
            ("insert ignore into t values (40, 99)", 0),
            // LAST_INSERT_ID(expr) is for the client too.
            ("update t set a = last_insert_id(a + 100) where id = 10", 110),
            ("update t set a = 111 where id = 10", 0),
            ("insert into t set id = last_insert_id(900), a = 900", 900),
            ("insert into t (a) values (900) on duplicate key update id = last_insert_id(id)", 900),
            ("delete from t where id = 900", 0),
        ];
        for (sql, id) in cases {
            assert_eq!(c.ask(sql).await.insert_id, *id, "{sql}");
        }
        // An explicit value does not change LAST_INSERT_ID().
        c.rows("insert into t (a) values (2000)").await;
        c.rows("insert into t values (5000, 5000)").await;
        assert_eq!(c.rows("select last_insert_id()").await, "902");
        c.0.close().await;
    });
}

/// Bytes as a client with latin1 sends and sees them.
#[derive(Default)]
struct Raw(Vec<Vec<u8>>);

impl ResultSink for Raw {
    fn columns(&mut self, _: &[ColumnMeta]) -> Result<(), SinkError> {
        Ok(())
    }
    fn row(&mut self, row: &[OutValue<'_>]) -> Result<(), SinkError> {
        self.0.extend(row.iter().map(|v| match v {
            OutValue::Bytes(b) => b.to_vec(),
            OutValue::Int(n) => n.to_string().into_bytes(),
            other => panic!("{other:?}"),
        }));
        Ok(())
    }
    fn end_rows(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
    fn ok(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

#[test]
fn statements_in_latin1() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (a varchar(10) character set utf8mb4)", "set names latin1"]).await;
        // Twice: the second time the statement's plan is known.
        for _ in 0..2 {
            let mut raw = Raw::default();
            let end = c.0.query(b"select '\xe9', hex('\xe9'), length('\xe9')", &mut raw).await;
            assert!(end.result.is_ok());
            assert_eq!(raw.0, [&b"\xe9"[..], b"E9", b"1"]);
            let end = c.0.query(b"insert into t values ('\xe9\x80')", &mut Raw::default()).await;
            assert!(end.result.is_ok());
        }
        let p = c.0.prepare(b"insert into t values (concat('\xe9', ?))").await.unwrap();
        let param = ParamValue::Bytes(b"\xe8".to_vec());
        c.0.execute(p.id, &[param], &mut Raw::default()).await.unwrap();
        let mut raw = Raw::default();
        c.0.query(b"select a from t where a = '\xe9\xe8'", &mut raw).await.result.unwrap();
        assert_eq!(raw.0, [b"\xe9\xe8"]);
        assert_eq!(c.rows("select hex(a) from t").await, "C3A9E282AC; C3A9E282AC; C3A9C3A8");
        c.0.set_multi_statements(true);
        // The statement behind the first one is found by the client's own count.
        let sql = b"select '\xe9\xe9'; select 2";
        let end = c.0.query(sql, &mut Raw::default()).await;
        assert_eq!(sql[end.consumed..].trim_ascii_start(), b"select 2");
        c.0.close().await;
    });
}

/// Name, flags and decimals of each column.
#[derive(Default)]
struct Columns(Vec<(String, u16, u8)>);

impl ResultSink for Columns {
    fn columns(&mut self, cols: &[ColumnMeta]) -> Result<(), SinkError> {
        self.0.extend(cols.iter().map(|c| (c.name.to_string(), c.flags, c.decimals)));
        Ok(())
    }
    fn row(&mut self, _: &[OutValue<'_>]) -> Result<(), SinkError> {
        Ok(())
    }
    fn end_rows(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
    fn ok(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

#[test]
fn column_metadata() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.rows(
            "create table t (id int auto_increment primary key, n varchar(9) not null, d decimal(5,2), \
             y year, k int unsigned, l int, e datetime(3), f double, b blob, key (k, l))",
        )
        .await;
        let mut got = Columns::default();
        let sql = b"select t.*, 1, 'a', id + 1, null from t";
        c.0.query(sql, &mut got).await.result.unwrap();
        let want = [
            ("id", 0x4203, 0),
            ("n", 0x1001, 0),
            ("d", 0, 2),
            ("y", 0x60, 0),
            ("k", 0x4028, 0),
            ("l", 0x4000, 0),
            ("e", 0x80, 3),
            ("f", 0, 31),
            ("b", 0x90, 0),
            ("1", 0x81, 0),
            ("a", 0x01, 31),
            ("id + 1", 0x81, 0),
            ("NULL", 0x80, 0),
        ];
        for (got, want) in got.0.iter().zip(want) {
            assert_eq!((got.0.as_str(), got.1, got.2), want);
        }
        c.0.close().await;
    });
}

#[test]
fn what_dump_programs_read() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            (
                "select logfile_group_name, file_name, total_extents, initial_size, engine, extra \
                 from information_schema.files where file_type = 'UNDO LOG'",
                "",
            ),
            ("set sql_log_off = 1", "ok 0"),
        ])
        .await;
        let mut files = Columns::default();
        c.0.query(b"select * from information_schema.files", &mut files).await.result.unwrap();
        assert_eq!(files.0.len(), 38);
        c.0.close().await;
    });
}

#[test]
fn a_session_in_the_background_answers_the_same() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("select @@weir_priority, @@global.weir_priority", "normal|normal"),
            ("set weir_priority = 'low'", "E1231"),
            ("set session weir_priority = 'background'", "ok 0"),
            ("select @@weir_priority, @@global.weir_priority", "background|normal"),
            ("create database b", "ok 1"),
            ("create table b.t (a int primary key, b int, key (b))", "ok 0"),
            ("insert into b.t values (1, 10), (2, 20)", "ok 2"),
            ("begin", "ok 0"),
            ("update b.t set b = b + 1 where b > 10", "ok 1"),
            ("alter table b.t add c int", "ok 0"),
            ("insert into b.t select a + 2, b, a from b.t", "ok 2"),
            ("insert into b.t values (1, 1, 1)", "E1062"),
            ("select /*+ MAX_EXECUTION_TIME(60000) */ sum(b) from b.t for update", "62"),
            ("prepare p from 'select count(*) from b.t where b > ?'", "ok 0"),
            ("set @b = 10", "ok 0"),
            ("execute p using @b", "2"),
            ("set max_execution_time = 60000", "ok 0"),
            ("select count(*) from b.t", "4"),
            ("set session weir_priority = normal", "ok 0"),
            ("drop database b", "ok 1"),
            ("set global weir_priority = 'background'", "ok 0"),
        ])
        .await;
        let mut other = server.client();
        other.check(&[("select @@weir_priority", "background")]).await;
        other.0.close().await;
        c.0.close().await;
    });
}

#[test]
fn pressure_is_a_variable_and_told_to_those_who_ask() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("select @@weir_pressure, @@global.weir_pressure", "0|0"),
            ("show variables like 'weir_pressure'", "weir_pressure|0"),
            ("show global variables like 'weir_pressure'", "weir_pressure|0"),
            ("show status like 'Weir_pressure%'", "Weir_pressure|0; Weir_pressure_cause|none"),
            ("set global weir_pressure = 5", "E1238"),
            ("set weir_pressure = 5", "E1238"),
        ])
        .await;
        assert_eq!(c.ask("select 1").await.pressure, None);
        for (list, told) in [
            ("time_zone, weir_pressure", Some(0)),
            ("time_zone", None),
            ("*", Some(0)),
            ("weir_pressures", None),
        ] {
            c.rows(&format!("set session_track_system_variables = '{list}'")).await;
            assert_eq!(c.ask("select 1").await.pressure, told, "{list}");
            assert_eq!(c.ask("do 1").await.pressure, told, "{list}");
        }
        c.0.close().await;
    });
}
