//! Parameters of prepared statements and variables that are compared with dates. A parameter is converted to the type that it has where it stands: what is
//! no date is NULL there, and no row with the zero date is found by it. What a real MySQL 9.7 answers.

use crate::common::*;
use weir_sql::session_api::ParamValue;

const SETUP: &[&str] = &[
    "set sql_mode = ''",
    "create table t (id int primary key, d date, dt datetime(3), ts timestamp null, n int, key (d), key (dt))",
    "insert into t values (1, '2024-01-01', '2024-01-01 10:00:00.5', '2024-01-01 10:00:00', 1),
     (2, '0000-00-00', '0000-00-00', '0000-00-00', 2), (3, null, null, null, 3),
     (4, '2030-05-06', '2030-05-06', '2030-05-06', 4)",
    "set sql_mode = default",
];

/// Each statement with the values of its parameters, all the same, and what it answers.
fn check_sent(value: &'static str, cases: &'static [(&'static str, &'static str)]) {
    with_server(1, move |s| async move {
        let mut c = s.client();
        c.all(SETUP).await;
        for (sql, want) in cases {
            let p = c.0.prepare(sql.as_bytes()).await.unwrap();
            let values =
                vec![ParamValue::Bytes(value.as_bytes().to_vec()); sql.matches('?').count()];
            assert_eq!(c.execute(p.id, &values).await.line(), *want, "{sql} with '{value}'");
            // The plan that was made of the first values serves the next ones.
            let known = vec![ParamValue::Bytes(b"2030-05-06".to_vec()); values.len()];
            c.execute(p.id, &known).await;
            assert_eq!(c.execute(p.id, &values).await.line(), *want, "{sql} again with '{value}'");
        }
        c.0.close().await;
    });
}

#[test]
fn a_parameter_that_is_no_date_is_unknown() {
    let cases = &[
        ("select id from t where d = ?", ""),
        ("select id from t where d <> ?", ""),
        ("select id from t where d >= ? order by id", ""),
        ("select id from t where ? <= d order by id", ""),
        ("select id from t where d <=> ? order by id", ""),
        ("select id from t where not (d <> ?)", ""),
        ("select id from t ignore index (d) where d = ?", ""),
        ("select id from t where dt = ?", ""),
        ("select id from t where dt < ? order by id", ""),
        ("select id from t where ts = ?", ""),
        ("select id from t where d + interval 0 day = ?", ""),
        ("select id from t where d between ? and '2025-01-01'", ""),
        ("select id from t where d between '0000-01-01' and ?", ""),
        ("select id from t where ? between d and '2025-01-01'", ""),
        ("select id from t where d in (?)", ""),
        ("select id from t where d in (?, '2030-05-06')", "4"),
        ("select id from t where dt not in (?, '2030-05-06')", ""),
        ("select id from t where ? in (d, '2030-05-06')", ""),
        ("select id from t where (d, n) = (?, n)", ""),
        ("select id from t where (d, 1) in ((?, 1), ('2030-05-06', 1))", "4"),
        ("select id from t where d = ? or id = 4", "4"),
        ("select id, case d when ? then 'y' else 'n' end from t order by id", "1|n; 2|n; 3|n; 4|n"),
        (
            "select id, nullif(d, ?) from t order by id",
            "1|2024-01-01; 2|0000-00-00; 3|NULL; 4|2030-05-06",
        ),
        (
            "select id, d = ?, d < ?, d <=> ? from t order by id",
            "1|NULL|NULL|0; 2|NULL|NULL|0; 3|NULL|NULL|0; 4|NULL|NULL|0",
        ),
        ("select sum(d < ?), sum(d >= ?) from t", "NULL|NULL"),
        (
            "select a.id, b.id from t a left join t b on b.id = a.id and b.d = ? order by 1",
            "1|NULL; 2|NULL; 3|NULL; 4|NULL",
        ),
        ("update ignore t set n = 9 where d = ?", "ok 0"),
        ("delete from t where id = 99 and d = ?", "ok 0"),
        ("delete from t where dt = ?", "E1292 Incorrect datetime value: 'bad'"),
        ("update t set n = 9 where d = ?", "E1292 Truncated incorrect date value: 'bad'"),
    ];
    check_sent("bad", cases);
}

/// A client may send any day that DATE has room for, whatever the mode says of what is stored.
#[test]
fn a_parameter_may_be_a_day_of_no_month() {
    let cases = &[
        ("select id from t where d < ? order by id", "1; 2"),
        ("select id from t where d between '2000-01-01' and ?", "1"),
        ("select id from t where dt not between ? and '2025-01-01' order by id", "1; 2; 4"),
        ("update t set n = 9 where d = ?", "ok 0"),
    ];
    check_sent("2024-02-30", cases);
    check_sent(
        "0000-00-00",
        &[("select id from t where d = ?", "2"), ("select id from t where dt = ?", "2")],
    );
    check_sent(
        "2024-01-01x",
        &[("select id from t where d = ?", "1"), ("update t set n = n where d = ?", "ok 0")],
    );
}

/// What is NULL itself finds the rows without a date by `<=>`.
#[test]
fn a_parameter_that_is_null() {
    with_server(1, |s| async move {
        let mut c = s.client();
        c.all(SETUP).await;
        let p = c.0.prepare(b"select id from t where d <=> ?").await.unwrap();
        assert_eq!(c.execute(p.id, &[ParamValue::Null]).await.line(), "3");
        assert_eq!(c.execute(p.id, &[ParamValue::Bytes(b"".to_vec())]).await.line(), "");
        assert_eq!(c.execute(p.id, &[ParamValue::Null]).await.line(), "3");
        let p =
            c.0.prepare(b"select id from t where d = ? or d <=> null order by id").await.unwrap();
        assert_eq!(c.execute(p.id, &[ParamValue::Int(20_240_101)]).await.line(), "1; 3");
        c.0.close().await;
    });
}

#[test]
fn variables_beside_dates() {
    with_server(1, |s| async move {
        let mut c = s.client();
        c.all(SETUP).await;
        c.check(&[
            ("set @v = 'bad'", "ok 0"),
            // Where the constant would take the place of the column.
            ("select id from t where d = @v", "E1525 Incorrect DATE value: 'bad'"),
            ("select id from t where not (d <> @v)", "E1525"),
            ("select id from t where d in (@v)", "E1525"),
            ("select id from t where d = @v or id = 4", "E1525"),
            ("select a.id from t a left join t b on b.d = @v", "E1525"),
            (
                "update t set n = 1 where d = @v",
                "E1292 Incorrect date value: 'bad' for column 'd' at row 1",
            ),
            // Everywhere else it is the zero date, as a text of a column is.
            ("select id from t where d <> @v order by id", "1; 4"),
            ("select id from t where d > @v order by id", "1; 4"),
            ("select id, d = @v from t order by id", "1|0; 2|1; 3|NULL; 4|0"),
            ("select sum(d < @v), sum(d = @v) from t", "0|1"),
            ("select id from t where if(d = @v, 1, 0)", "2"),
            ("create procedure p(v varchar(20)) select id from t where d = v", "ok 0"),
            ("call p('bad')", "E1525 Incorrect DATE value: 'bad'"),
            ("call p('2024-01-01')", "1"),
            ("create procedure q(v varchar(20)) select id from t where d >= v order by id", "ok 0"),
            ("call q('bad')", "1; 2; 4"),
        ])
        .await;
    });
}

/// One side of BETWEEN with a date makes dates of the others, and a list of several leaves out what is no date.
#[test]
fn constants_beside_dates() {
    with_server(1, |s| async move {
        let mut c = s.client();
        c.all(SETUP).await;
        c.check(&[
            ("select id from t where '2024-1-5' between d and '2024-1-10' order by id", "1; 2"),
            ("select id from t where '2024-9-5' between '2024-10-1' and d order by id", ""),
            ("select id from t where 'bad' between d and '2025-01-01'", "2"),
            ("select id from t where d in ('bad', '2030-05-06')", "4"),
            ("show warnings", "Warning|1292|Truncated incorrect date value: 'bad'; Warning|1292|Truncated incorrect date value: 'bad'; Warning|1292|Truncated incorrect date value: 'bad'"),
            ("select id from t where d not in ('bad', '2030-05-06') order by id", "1; 2"),
            (
                "update t set n = 1 where d = '2024-01-01x'",
                "E1292 Incorrect date value: '2024-01-01x' for column 'd' at row 1",
            ),
            ("delete from t where id = 9 and dt = '2024-01-01x'", "E1292"),
            ("select id from t where d = '2024-01-01x'", "1"),
        ])
        .await;
    });
}
