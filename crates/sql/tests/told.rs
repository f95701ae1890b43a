//! Names, errors and other texts of the server's own in `character_set_results`.
use crate::common::*;
use weir_sql::session_api::{
    ColumnMeta, OkInfo, OutValue, ParamValue, ResultSink, SinkError, SqlError,
};

/// What a client reads: the columns as announced and the bytes of all values.
#[derive(Default)]
pub struct Told {
    pub columns: Vec<ColumnMeta>,
    values: Vec<Vec<u8>>,
}

impl ResultSink for Told {
    fn columns(&mut self, cols: &[ColumnMeta]) -> Result<(), SinkError> {
        self.columns = cols.to_vec();
        Ok(())
    }
    fn row(&mut self, row: &[OutValue<'_>]) -> Result<(), SinkError> {
        self.values.extend(row.iter().filter_map(|v| match v {
            OutValue::Bytes(b) => Some(b.to_vec()),
            _ => None,
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

pub async fn told(c: &mut Client, sql: &str) -> Told {
    let mut told = Told::default();
    let end = c.0.query(sql.as_bytes(), &mut told).await;
    assert!(end.result.is_ok(), "{sql} {:?}", end.result);
    told
}

async fn refused(c: &mut Client, sql: &str) -> SqlError {
    c.0.query(sql.as_bytes(), &mut Told::default()).await.result.unwrap_err()
}

#[test]
fn names_are_in_the_set_of_results() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table `тур` (`имя` varchar(9), `é` int comment 'цена')",
            "insert into `тур` values ('é', 1)",
        ])
        .await;
        let ask = "select `имя`, `é` as `é😀`, json_array('é') from `тур` `т`";
        for (set, names, value, json) in [
            ("cp1251", [&b"\xe8\xec\xff"[..], b"??"], &b"?"[..], &b"[\"?\"]"[..]),
            ("latin1", [b"???", b"\xe9?"], b"\xe9", b"[\"\xe9\"]"),
            ("utf8mb4", ["имя".as_bytes(), "é😀".as_bytes()], "é".as_bytes(), "[\"é\"]".as_bytes()),
            ("binary", ["имя".as_bytes(), "é😀".as_bytes()], "é".as_bytes(), "[\"é\"]".as_bytes()),
        ] {
            c.all(&[&format!("set character_set_results = {set}")]).await;
            let got = told(&mut c, ask).await;
            assert_eq!([got.columns[0].names()[3], got.columns[1].names()[3]], names, "{set}");
            assert_eq!(got.values, [value, json], "{set}");
            let id = c.0.prepare(ask.as_bytes()).await.unwrap();
            assert_eq!(id.columns[0].names(), got.columns[0].names(), "{set}");
        }
        c.all(&["set character_set_results = cp1251"]).await;
        let got = told(&mut c, ask).await;
        let (one, other) = (&got.columns[0], &got.columns[1]);
        assert_eq!(
            one.names(),
            [&b"test"[..], b"\xf2", b"\xf2\xf3\xf0", b"\xe8\xec\xff", b"\xe8\xec\xff"]
        );
        // A text is as long as it can be in the set, and in its default collation; a number is no text.
        assert_eq!((one.length, one.collation_id, other.collation_id), (9, 51, 63));
        for (sql, at, want) in [
            ("show create table `тур`", 0, &b"\xf2\xf3\xf0"[..]),
            ("show full columns from `тур`", 0, b"\xe8\xec\xff"),
            (
                "select column_comment from information_schema.columns where column_type = 'int' and table_schema = 'test'",
                0,
                b"\xf6\xe5\xed\xe0",
            ),
            ("explain select * from `тур`", 1, b"\xf2\xf3\xf0"),
        ] {
            let got = told(&mut c, sql).await;
            assert_eq!(got.values.get(at).map(Vec::as_slice), Some(want), "{sql}");
        }
        c.0.close().await;
        drop(server);
    });
}

/// The collation and the length in bytes of a text: in the set of results, or, without one, in its own.
#[test]
fn texts_are_announced_as_they_are_sent() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (l varchar(9) charset latin1, u varchar(9) charset ucs2, w char(9) charset utf16, b varbinary(9), \
             x text charset ucs2, m varchar(9) collate utf8mb4_bin)",
            "insert into t values ('é', 'é', 'é', 'é', 'é', 'é')",
        ])
        .await;
        let ask = "select * from t";
        let id = c.0.prepare(ask.as_bytes()).await.unwrap().id;
        let texts = |id: u16, w: u32, x: u32| {
            [(id, 9 * w), (id, 9 * w), (id, 9 * w), (63, 9), (id, x * w), (id, 9 * w)]
        };
        for (set, want) in [
            ("set names utf8mb4", texts(255, 4, 32767)),
            (
                "set character_set_results = null",
                [(8, 9), (35, 18), (54, 36), (63, 9), (35, 65535), (46, 36)],
            ),
            ("set character_set_results = binary", texts(63, 1, 32767)),
            ("set names utf8mb4 collate utf8mb4_bin", texts(46, 4, 32767)),
            ("set collation_connection = utf16_general_ci", texts(255, 4, 32767)),
            ("set names utf8mb3", texts(33, 3, 32767)),
            ("set character_set_results = latin1", texts(8, 1, 32767)),
            ("set character_set_results = ucs2", texts(35, 2, 32767)),
        ] {
            c.all(&[set]).await;
            let shape = |told: &Told| -> Vec<(u16, u32)> {
                told.columns.iter().map(|c| (c.collation_id, c.length)).collect()
            };
            assert_eq!(shape(&told(&mut c, ask).await), want, "{set}");
            // A plan that was made before.
            let mut again = Told::default();
            c.0.execute(id, &[], &mut again).await.unwrap();
            assert_eq!(shape(&again), want, "{set}");
            let id = c.0.prepare(ask.as_bytes()).await.unwrap();
            let prepared: Vec<_> = id.columns.iter().map(|c| (c.collation_id, c.length)).collect();
            assert_eq!(prepared, want, "{set}");
        }
        c.all(&["set names utf8mb4", "set character_set_results = null"]).await;
        assert_eq!(told(&mut c, ask).await.values[..2], [&b"\xe9"[..], b"\0\xe9"]);
        assert_eq!(told(&mut c, "select 'é'").await.columns[0].collation_id, 255);
        c.0.close().await;
        drop(server);
    });
}

/// Parameters are in the client's set, whatever the connection's is.
#[test]
fn parameters_are_converted_to_the_connections_set() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (id int auto_increment primary key, a varchar(9) charset utf16)"])
            .await;
        for (set, sent, want) in [
            ("latin1", "é", "é"),
            ("latin1", "ж", "?"),
            ("ucs2", "é", "é"),
            ("ucs2", "😀", "?"),
            ("utf8mb3", "ж", "ж"),
            ("utf8mb4", "😀", "😀"),
        ] {
            c.all(&["set names utf8mb4", &format!("set character_set_connection = {set}")]).await;
            let id = c.0.prepare(b"insert into t (a) values (?)").await.unwrap().id;
            let sent = ParamValue::Bytes(sent.as_bytes().to_vec());
            c.0.execute(id, &[sent], &mut Told::default()).await.unwrap();
            let got = told(&mut c, "select a from t order by id desc limit 1").await;
            assert_eq!(got.values, [want.as_bytes()], "{set}");
        }
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn errors_are_in_the_set_of_results() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let sql = "select * from `éж😀`";
        for (set, want) in [
            ("latin1", &b"Table 'test.\xe9\\0436\\+01F600' doesn't exist"[..]),
            ("cp1251", b"Table 'test.\\00E9\xe6\\+01F600' doesn't exist"),
            ("utf8mb4", "Table 'test.éж😀' doesn't exist".as_bytes()),
            ("null", "Table 'test.éж😀' doesn't exist".as_bytes()),
        ] {
            c.all(&[&format!("set character_set_results = {set}")]).await;
            let e = refused(&mut c, sql).await;
            assert_eq!(c.0.message(&e), want, "{set}");
        }
        // No set: texts in the bytes that they have.
        c.all(&["create table own (l varchar(9) charset latin1, u varchar(9) charset utf16, e enum('é') charset cp850)", "insert into own values ('é', 'é', 'é')"]).await;
        for set in ["binary", "null"] {
            c.all(&[&format!("set character_set_results = {set}")]).await;
            let got = told(&mut c, "select *, concat(l), 'é' from own").await;
            assert_eq!(
                got.values,
                [&b"\xe9"[..], b"\0\xe9", b"\x82", b"\xe9", "é".as_bytes()],
                "{set}"
            );
        }
        c.all(&["set character_set_results = utf16"]).await;
        let got = told(&mut c, "select 'é' as `ж`, 7").await;
        assert_eq!(
            (got.columns[0].names()[3], &got.values[0][..]),
            (&b"\x04\x36"[..], &b"\0\xe9"[..])
        );
        assert_eq!(c.0.message(&SqlError::new(1, "a😀")), &b"\0a\xd8\x3d\xde\0"[..]);
        c.all(&["set character_set_results = koi8r"]).await;
        // A packet's text has 511 bytes at most, and no half of a character's number.
        let e = SqlError::new(1064, "é".repeat(400));
        assert_eq!(c.0.message(&e).len(), 510);
        assert_eq!(told(&mut c, "show warnings").await.values.len(), 0);
        c.0.close().await;
        drop(server);
    });
}
