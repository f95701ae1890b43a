//! What client libraries read beside the rows.
mod common;

use common::*;

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
        // An explicit value is none of LAST_INSERT_ID()'s business.
        c.rows("insert into t (a) values (2000)").await;
        c.rows("insert into t values (5000, 5000)").await;
        assert_eq!(c.rows("select last_insert_id()").await, "902");
        c.0.close().await;
    });
}
