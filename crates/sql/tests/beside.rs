//! What a MySQL beside it answered otherwise, and what was repaired, by class.
use crate::common::*;

/// A number is drawn when nothing refuses the row any more, and one whose row was not inserted goes to the next row.
#[test]
fn numbers_are_drawn_for_rows_that_are_written() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (id int auto_increment primary key, k int unique, g int as (100 div k), check (k < 100))",
            "insert into t (k) values (1), (2)",
        ])
        .await;
        c.check(&[
            ("insert into t (k) values (500)", "E3819"),
            ("insert into t (k) values (0)", "E1365"),
            ("insert ignore into t (k) values (500), (3)", "ok 1"),
            ("insert ignore into t (k) values (1), (4), (2), (5)", "ok 2"),
            ("select id, k from t", "1|1; 2|2; 3|3; 5|4; 6|5"),
            ("alter table t auto_increment = 20", "ok 0"),
            ("insert into t (k) values (6), (1), (7) on duplicate key update k = k", "ok 2"),
            ("select id, k from t where id > 6", "20|6; 21|7"),
            ("insert into t (k) select 1 union all select 8 on duplicate key update k = values(k)", "ok 1"),
            ("select id from t where k = 8", "23"),
        ])
        .await;
    });
}

/// LAST_INSERT_ID() is of rows that were inserted; that of a row that was updated goes to the client alone.
#[test]
fn an_updated_row_is_no_last_insert() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (id int auto_increment primary key, k int unique, n int)",
            "insert into t (k, n) values (1, 1), (2, 2)",
            "insert into t (k, n) values (2, 1) on duplicate key update n = n + 1",
        ])
        .await;
        c.check(&[
            ("select last_insert_id()", "1"),
            ("insert into t (k, n) values (2, 1), (9, 9) on duplicate key update n = n", "ok 1"),
            ("select last_insert_id()", "4"),
            ("insert into t (k) values (2) on duplicate key update id = last_insert_id(id), n = 0", "ok 2"),
            ("select last_insert_id()", "2"),
        ])
        .await;
    });
}

/// A BEFORE INSERT trigger sees no number yet, generated columns of the statement's values, and may give a value to a column that has
/// neither one nor a default.
#[test]
fn triggers_see_the_row_as_the_statement_gives_it() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (id int auto_increment primary key, a int not null, b int as (a * 2) stored, c varchar(9))",
            "create trigger i before insert on t for each row set @seen = concat_ws(',', new.id, new.a, new.b), \
             new.a = ifnull(new.a, 7)",
            "create trigger u before update on t for each row set @seen = concat_ws(',', old.b, new.a, new.b), \
             new.a = new.a + 1",
        ])
        .await;
        c.check(&[
            ("insert into t (a) values (5)", "ok 1"),
            ("select @seen, id, a, b from t", "0,5,10|1|5|10"),
            ("insert into t (c) values ('x'), ('y')", "ok 2"),
            ("insert into t (c) select 'z'", "ok 1"),
            ("select id, a, b, c from t where id > 1", "2|7|14|x; 3|7|14|y; 4|7|14|z"),
            ("select @seen", "0"),
            ("update t set a = 50 where id = 1", "ok 1"),
            ("select @seen, a, b from t where id = 1", "10,50,100|51|102"),
            ("drop trigger i", "ok 0"),
            ("create trigger i before insert on t for each row set @seen = ifnull(new.a, 'none')", "ok 0"),
            ("insert into t (c) values ('q')", "E1364 Field 'a' doesn't have a default value"),
            ("select @seen", "none"),
            ("drop trigger i", "ok 0"),
            ("create trigger i before insert on t for each row set new.id = 90", "ok 0"),
            ("insert into t (a) values (1)", "ok 1"),
            ("select id from t where a = 1", "90"),
        ])
        .await;
    });
}

/// Bounds of frames and counts of rows are plain numbers in the grammar, and changes pass over no rows.
#[test]
fn numbers_that_the_grammar_asks_for() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (a int)", "insert into t values (1), (2), (3)"]).await;
        c.check(&[
            ("update t set a = 9 limit 1, 2", "E1064"),
            ("delete from t limit 1 offset 1", "E1064"),
            ("select count(*) over (order by a rows between -1 preceding and current row) from t", "E1064"),
            ("select count(*) over (order by a range between null preceding and current row) from t", "E1064"),
            ("select count(*) over (order by a rows '1' preceding) from t", "E1064"),
            ("select count(*) over (order by a rows a preceding) from t", "E1064"),
            ("select count(*) over (order by a rows unbounded following) from t", "E1064"),
            ("select count(*) over (order by a rows 1 following) from t", "E1064"),
            ("select count(*) over (order by a rows between 1.5 preceding and current row) from t", "E3586"),
            ("select count(*) over (order by a rows interval 1 day preceding) from t", "E3596"),
            ("select count(*) over (order by a range 0.5 preceding) from t", "1; 1; 1"),
            ("select count(*) over (rows 1 preceding exclude ties) from t", "E1235"),
            ("select count(*) over (order by 1) from t", "E3592"),
            ("select ntile(-1) over () from t", "E1064"),
            ("select ntile('2') over () from t", "E1064"),
            ("select ntile(a) over () from t", "E1327 Undeclared variable: a"),
            ("select lag(a, null) over () from t", "E1064"),
            ("select nth_value(a, 1.5) over () from t", "E1210"),
            ("select nth_value(a, a) over () from t", "E1210"),
            ("select any_value(a) over () from t", "E1064"),
            ("select rank() from t", "E1064"),
            ("select a as x, rank() over (order by x) from t", "E1054 Unknown column 'x' in 'window order by'"),
            ("set @n = 2", "ok 0"),
            ("select ntile(@n) over (order by a), lag(a, 2, 'none') over (order by a) from t", "1|none; 1|none; 2|1"),
            ("select a from t", "1; 2; 3"),
        ])
        .await;
    });
}
