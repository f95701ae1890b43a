//! `sql_auto_is_null`: WHERE id IS NULL finds the row that was inserted last.
use crate::common::*;

#[test]
fn the_row_inserted_last_is_found_by_is_null() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (id int auto_increment primary key, a int)",
            "create procedure p() select id from t where id is null",
        ])
        .await;
        c.check(&[
            ("insert into t (a) values (7)", "ok 1"),
            ("select * from t where id is null", ""),
            ("prepare q from 'select id from t where id is null'", "ok 0"),
            ("set sql_auto_is_null = 1", "ok 0"),
            ("show warnings", ""),
            ("select * from t where id is null", "1|7"),
            ("select * from t where isnull(id)", "1|7"),
            ("execute q", "1"),
            ("call p()", "1"),
            ("insert into t (a) values (8), (9)", "ok 2"),
            ("select * from t where id is null", "2|8"),
            ("select * from t where id is null", "2|8"),
            ("execute q", "2"),
            ("call p()", "2"),
            // It is the whole condition, and of no other column.
            ("select * from t where id is null or a = 9", "3|9"),
            ("select id is null from t limit 1", "0"),
            ("select * from t where a is null", ""),
            (
                "select x.id, y.id from t x left join t y on y.id = x.id + 1 where y.id is null",
                "3|NULL",
            ),
            // A value that was given was not generated.
            ("insert into t values (100, 1)", "ok 1"),
            ("select id from t where id is null", "2"),
            ("update t set a = 80 where id is null", "ok 1"),
            ("delete from t where id is null", "ok 1"),
            ("select * from t where id is null", ""),
            ("select * from t order by id", "1|7; 3|9; 100|1"),
            ("insert into t (a) values (10)", "ok 1"),
            ("select id from t where id is null", "101"),
            ("set sql_auto_is_null = 0", "ok 0"),
            ("select id from t where id is null", ""),
            ("execute q", ""),
            ("call p()", ""),
        ])
        .await;
        // Before a first value is generated no row is found.
        let mut other = s.client();
        other
            .check(&[
                ("set sql_auto_is_null = 1", "ok 0"),
                ("set sql_mode = 'NO_AUTO_VALUE_ON_ZERO'", "ok 0"),
                ("insert into t values (0, 0)", "ok 1"),
                ("select id from t where id is null", ""),
            ])
            .await;
    });
}
