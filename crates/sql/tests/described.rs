//! The metadata of the columns of a result, and the columns that a table made of the same query has.
use crate::common::*;
use crate::told::told;
use weir_sql::session_api::ColumnMeta;

/// Expression; type code, length, decimals and flags; type of the column that CREATE TABLE ... SELECT makes.
type Case = (&'static str, [u32; 4], &'static str);

const TABLE: &str = "create table t (i int not null, n int, t tinyint, u bigint unsigned, d decimal(10,2), x double, f float, \
                     v varchar(20), l varchar(2000), c char(10), b text, w date, z int(5) unsigned zerofill)";

async fn check_all(c: &mut Client, cases: &[Case]) {
    for (expr, want, column) in cases {
        let told = told(c, &format!("select {expr} from t")).await;
        let m = &told.columns[0];
        let have = [u32::from(m.type_code), m.length, u32::from(m.decimals), u32::from(m.flags)];
        assert_eq!(have, *want, "{expr}");
        c.check(&[
            (&format!("create table made as select {expr} as x from t limit 0"), "ok 0"),
            (
                "select column_type from information_schema.columns where table_name = 'made'",
                column,
            ),
            ("drop table made", "ok 0"),
        ])
        .await;
    }
}

fn with_table(cases: &'static [Case]) {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[("set names utf8mb4", "ok 0"), (TABLE, "ok 0")]).await;
        check_all(&mut c, cases).await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn numbers() {
    with_table(&[
        ("1", [8, 2, 0, 129], "int"),
        ("i", [3, 11, 0, 4097], "int"),
        ("i + 1", [8, 12, 0, 129], "bigint"),
        ("t + 1", [8, 5, 0, 128], "int"),
        ("u + 1", [8, 21, 0, 160], "bigint unsigned"),
        ("i * i", [8, 21, 0, 129], "bigint"),
        ("i div 2", [8, 11, 0, 128], "int"),
        ("-t", [8, 4, 0, 128], "int"),
        ("i = 1", [8, 1, 0, 129], "int"),
        ("z + 1", [8, 11, 0, 160], "int unsigned"),
        ("length(v)", [8, 11, 0, 128], "int"),
        ("month(w)", [8, 3, 0, 128], "int"),
        ("year(w)", [13, 4, 0, 160], "year"),
        ("i / 3", [246, 16, 4, 128], "decimal(14,4)"),
        ("d + 1", [246, 13, 2, 128], "decimal(11,2)"),
        ("round(d, 1)", [246, 12, 1, 128], "decimal(10,1)"),
        ("x", [5, 22, 31, 0], "double"),
        ("x + 1", [5, 23, 31, 128], "double"),
        ("ifnull(f, t)", [4, 23, 31, 128], "float"),
        ("if(i, t, n)", [3, 11, 0, 128], "int"),
        ("coalesce(t)", [1, 4, 0, 128], "int"),
        ("ifnull(t, t)", [1, 4, 0, 128], "tinyint"),
        ("count(*)", [8, 21, 0, 129], "bigint"),
        ("sum(n)", [246, 33, 0, 128], "decimal(32,0)"),
        ("max(t)", [1, 4, 0, 128], "tinyint"),
        ("999999999", [8, 10, 0, 129], "bigint"),
    ]);
}

#[test]
fn texts() {
    with_table(&[
        ("v", [253, 80, 0, 0], "varchar(20)"),
        ("concat(v, 'a')", [253, 84, 31, 0], "varchar(21)"),
        ("concat_ws(',', v, n, 'a')", [253, 136, 31, 0], "varchar(34)"),
        ("left(v, 3)", [253, 12, 31, 0], "varchar(3)"),
        ("substring(v, 2)", [253, 76, 31, 0], "varchar(19)"),
        ("repeat(v, 3)", [253, 240, 31, 0], "varchar(60)"),
        ("lpad(v, 5, 'x')", [253, 20, 31, 0], "varchar(5)"),
        ("hex(i)", [253, 64, 31, 0], "varchar(16)"),
        ("date_format(w, '%Y %M')", [253, 276, 31, 0], "varchar(69)"),
        ("upper(l)", [253, 8000, 31, 0], "text"),
        ("repeat(v, i)", [251, 268_435_456, 31, 0], "longtext"),
        ("concat(b)", [250, 1_048_560, 31, 0], "longtext"),
        ("ifnull(b, 'a')", [252, 1_048_560, 31, 1], "longtext"),
        ("if(i, c, c)", [254, 40, 31, 0], "varchar(10)"),
        ("group_concat(v)", [251, 65_536, 31, 0], "text"),
    ]);
}

/// In strict mode a text may turn out to be none.
#[test]
fn the_mode_makes_texts_nullable() {
    with_server(1, |server| async move {
        let mut c = server.client();
        for (mode, flags) in [("STRICT_ALL_TABLES", 0), ("", 1)] {
            c.check(&[(&format!("set sql_mode = '{mode}'"), "ok 0")]).await;
            for expr in ["concat('a', 'b')", "cast(1 as char)", "'a' collate utf8mb4_0900_ai_ci"] {
                let told = told(&mut c, &format!("select {expr}")).await;
                assert_eq!(told.columns[0].flags, flags, "{mode} {expr}");
            }
        }
        c.0.close().await;
        drop(server);
    });
}

/// Rows that stand in a temporary table have columns, also of what was computed.
#[test]
fn columns_of_temporary_tables() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[("set names utf8mb4", "ok 0"), (TABLE, "ok 0")]).await;
        let cases = [
            ("select n + 1 from t", [8, 12, 0, 128]),
            ("select distinct n + 1 from t", [8, 12, 0, 0]),
            ("select distinct t + 1 from t", [3, 5, 0, 0]),
            ("select concat(v, 'a') from t group by 1", [253, 84, 0, 0]),
            ("select count(*) from t group by n", [8, 21, 0, 1]),
            ("select count(distinct v) from t group by n", [8, 21, 0, 129]),
            ("select row_number() over () from t", [8, 21, 0, 33]),
            ("select n from t union select 1", [8, 11, 0, 0]),
            ("select a from (select n + 1 a from t) x", [8, 12, 0, 128]),
            ("select a from (select n + 1 a from t limit 1) x", [8, 12, 0, 0]),
        ];
        for (sql, want) in cases {
            let told = told(&mut c, sql).await;
            let m = &told.columns[0];
            let have =
                [u32::from(m.type_code), m.length, u32::from(m.decimals), u32::from(m.flags)];
            assert_eq!(have, want, "{sql}");
        }
        c.0.close().await;
        drop(server);
    });
}

/// SHOW and the computed tables tell of keys and enumerations that only MySQL's dictionary has.
#[test]
fn show_and_computed_tables() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[("set names utf8mb4", "ok 0"), (TABLE, "ok 0")]).await;
        let cases = [
            ("show tables", 0, [253, 256, 0, 4225]),
            ("show columns from t", 3, [254, 12, 0, 4481]),
            ("show warnings", 1, [3, 5, 0, 161]),
            ("select table_name from information_schema.tables", 0, [253, 256, 0, 20609]),
            ("select * from information_schema.innodb_columns", 7, [252, 262_144, 0, 144]),
            ("select * from information_schema.innodb_datafiles", 0, [253, 256, 31, 128]),
            ("select * from information_schema.innodb_foreign", 3, [8, 21, 0, 1]),
            ("select * from information_schema.tables_extensions", 3, [245, 4_294_967_292, 0, 144]),
            ("select * from information_schema.view_table_usage", 1, [253, 256, 0, 20609]),
        ];
        for (sql, at, want) in cases {
            let told = told(&mut c, sql).await;
            let m = &told.columns[at];
            let have =
                [u32::from(m.type_code), m.length, u32::from(m.decimals), u32::from(m.flags)];
            assert_eq!(have, want, "{sql}");
        }
        c.0.close().await;
        drop(server);
    });
}

/// A program's variables and the results of stored functions have the metadata of columns: MySQL keeps them in fields.
#[test]
fn values_of_programs_are_told_of_as_columns() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create procedure p(a text, b varchar(10), c enum('a', 'b'), d bigint, e decimal(10, 2), f json, g blob) \
             select a, b, c, d, e, f, g",
            "create function f() returns text return 'a'",
        ])
        .await;
        let of = |t: &crate::told::Told| -> Vec<[u32; 4]> {
            let facts =
                |m: &ColumnMeta| [m.type_code.into(), m.length, m.decimals.into(), m.flags.into()];
            t.columns.iter().map(facts).collect()
        };
        let want = [
            [252, 262_140, 0, 16],
            [253, 40, 0, 0],
            [254, 4, 0, 256],
            [8, 20, 0, 0],
            [246, 12, 2, 0],
            [245, 4_294_967_292, 0, 144],
            [252, 65_535, 0, 144],
        ];
        assert_eq!(of(&told(&mut c, "call p('a', 'b', 'a', 1, 1.5, '{}', 'g')").await), want);
        assert_eq!(of(&told(&mut c, "select f()").await), [[252, 262_140, 0, 16]]);
    });
}
