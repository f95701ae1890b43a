//! Subqueries and stored functions in branches that are not taken: nothing is run for them, as in MySQL.
use crate::common::*;

const SETUP: [&str; 5] = [
    "create table t (id int primary key, n int)",
    "insert into t values (1, 10), (2, null), (3, 30)",
    "create table log (at int auto_increment primary key, n int)",
    "create function f(x int) returns int modifies sql data begin insert into log (n) values (x); return x; end",
    "create view v as select id, if(id = 1, f(id), 0) as called from t",
];

/// What was called meanwhile, in order.
async fn called(c: &mut Client) -> String {
    let seen = c.rows("select n from log order by at").await;
    c.all(&["truncate table log"]).await;
    seen
}

#[test]
fn functions_of_other_branches_are_not_called() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&SETUP).await;
        for (sql, answer, calls) in [
            ("select if(1, 0, f(1))", "0", ""),
            ("select if(0, 0, f(1))", "1", "1"),
            ("select if(null, f(2), f(1))", "1", "1"),
            ("select id, if(id = 2, f(id), 0) from t order by id", "1|0; 2|2; 3|0", "2"),
            (
                "select case when id = 1 then f(11) when id = 2 then f(12) else f(13) end from t order by id",
                "11; 12; 13",
                "11; 12; 13",
            ),
            (
                "select case id when 1 then 5 when f(2) then 6 end from t order by id",
                "5; 6; NULL",
                "2; 2",
            ),
            ("select coalesce(n, f(id)) from t order by id", "10; 2; 30", "2"),
            ("select ifnull(n, f(id)) from t where id < 3 order by id", "10; 2", "2"),
            ("select id = 1 or f(id) > 2 from t order by id", "1; 0; 1", "2; 3"),
            ("select id = 2 and f(id) from t order by id", "0; 1; 0", "2"),
            ("select n > 10 and f(id) from t order by id", "0; NULL; 1", "2; 3"),
            ("select elt(id, f(21), 'x', f(23)) from t order by id", "21; x; 23", "21; 23"),
            ("select make_set(id, f(1), f(2)) from t order by id", "1; 2; 1,2", "1; 2; 1; 2"),
            ("select if(id = 1, if(n = 10, f(id), f(-1)), f(-2)) from t where id = 1", "1", "1"),
            ("select if(f(0), f(1), f(2))", "2", "0; 2"),
            (
                "select if(f(id) = 1, f(id + 10), f(id + 20)) from t order by id",
                "11; 22; 23",
                "1; 11; 2; 22; 3; 23",
            ),
            // The same condition in two places, of which one takes it.
            (
                "select if(id = 1, f(7), 0), if(id = 2, f(8), 0) from t order by id",
                "7|0; 0|8; 0|0",
                "7; 8",
            ),
            ("select id from t where if(id = 2, f(id), 1) order by id", "1; 2; 3", "2"),
            ("select id from t where id = 2 and f(id) order by id", "2", "2"),
            ("select id from t order by if(id = 3, f(0), id)", "3; 1; 2", "0"),
            ("select called from v order by id", "1; 0; 0", "1"),
            ("select if(count(*) = 3, f(1), f(2)) from t", "1", "1"),
            (
                "select n is null, sum(if(n is null, f(id), 0)) from t group by n is null order by 1",
                "0|0; 1|2",
                "2",
            ),
            (
                "select n is null as g from t group by g having if(g, f(5), 1) order by 1",
                "0; 1",
                "5",
            ),
            (
                "select id, sum(f(id)) over (order by id) from t order by id",
                "1|1; 2|3; 3|6",
                "1; 2; 3",
            ),
            (
                "select id, sum(if(id = 2, f(id), 0)) over (order by id) from t order by id",
                "1|0; 2|2; 3|2",
                "2",
            ),
            ("do if(1, 0, f(1)), if(0, 0, f(2))", "ok 0", "2"),
            ("set @a = if(1, 0, f(1))", "ok 0", ""),
            ("select if(@a = 0, f(3), f(4))", "3", "3"),
            ("update t set n = if(id = 1, f(100), n)", "ok 1", "100"),
            ("delete from t where if(id = 3, f(0), 0)", "ok 0", "0"),
            ("insert into t values (4, if(1, 40, f(1))), (5, if(0, 40, f(50)))", "ok 2", "50"),
            ("insert into t values (4, 0) on duplicate key update n = if(1, 41, f(1))", "ok 2", ""),
            (
                "insert into t values (4, 0), (5, 0) on duplicate key update n = if(t.id = 4, f(43), n)",
                "ok 2",
                "43",
            ),
            ("replace into t select id, if(id = 4, f(42), n) from t where id > 3", "ok 3", "42"),
        ] {
            assert_eq!(c.ask(sql).await.line(), answer, "{sql}");
            assert_eq!(called(&mut c).await, calls, "{sql}");
        }
    });
}

/// A value that an UPDATE assigns sees those that were assigned before it, and so do the functions and subqueries that it asks for.
#[test]
fn values_after_others_have_what_they_ask_for() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&SETUP).await;
        c.check(&[
            ("update t set n = 5, id = if(n = 5, f(id) + 100, 0) where id = 1", "ok 1"),
            ("select id, n from t order by id", "2|NULL; 3|30; 101|5"),
            ("update t set n = '7.6', id = if(n = 8, (select 1000), f(n)) where id = 101", "ok 1"),
            ("update t set n = 9, id = n + (select max(n) from log where log.n < t.n + 1000) where id = 1000", "ok 1"),
            ("update t set n = 4, id = n + f(n), n = f(id) where id = 2", "ok 1"),
            ("select id, n from t order by id", "3|30; 8|8; 10|9"),
            ("select n from log order by at", "1; 4; 8"),
        ])
        .await;
    });
}

/// What changes between two looks at it is no reason to leave something out.
#[test]
fn conditions_that_change_leave_nothing_out() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&SETUP).await;
        c.check(&[
            ("select @b := 1, if(@b = 1, f(1), f(2))", "1|1"),
            ("select if((@c := id) = 2, f(id), 0) from t order by id", "0; 2; 0"),
        ])
        .await;
        for _ in 0..20 {
            let taken = c.rows("select if(rand() < 0.5, f(1), f(2)) from t").await;
            assert!(!taken.contains("NULL"), "{taken}");
        }
    });
}

#[test]
fn subqueries_of_other_branches_are_not_run() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&SETUP).await;
        let two = "(select 1 union select 2)";
        let each = "(select u.id + t.id from t u)";
        for (sql, answer) in [
            (
                "select if(1, 'x', TWO), coalesce('x', TWO), case 1 when 1 then 2 else TWO end",
                "x|x|2",
            ),
            ("select 1 or TWO, 0 and TWO, elt(1, 'x', TWO), 1 or 1 in TWO", "1|0|x|1"),
            ("select if(id < 4, 'x', EACH) from t", "x; x; x"),
            ("select count(*) from t where if(id < 4, 1, TWO)", "3"),
            ("select id from t order by if(id < 4, -id, TWO)", "3; 2; 1"),
            ("select if(id = 2, (select max(id) from t), 0) from t order by id", "0; 3; 0"),
            (
                "select if(id = 2, (select max(u.id) + t.id from t u), 0) from t order by id",
                "0; 5; 0",
            ),
            (
                "select if(id = 2, 2 in (select id from t), id in (select id + 1 from t)) from t order by id",
                "0; 1; 1",
            ),
            (
                "select if(id = 2, exists (select 1 from t u where u.id > t.id), 9) from t order by id",
                "9; 1; 9",
            ),
            ("select if(id = 2, 5 > all (select id from t), 9) from t order by id", "9; 1; 9"),
            ("select if(0, sleep(1000), 1)", "1"),
        ] {
            let sql = sql.replace("TWO", two).replace("EACH", each);
            assert_eq!(c.ask(&sql).await.line(), answer, "{sql}");
        }
        for sql in ["select if(0, 'x', TWO)", "select 0 or TWO", "select coalesce(null, TWO)"] {
            assert_eq!(c.ask(&sql.replace("TWO", two)).await.errno(), 1242, "{sql}");
        }
        // A prepared statement takes what its parameters say, each time.
        c.all(&["prepare s from 'select if(?, f(1), f(2))'", "set @y = 1, @n = 0"]).await;
        for (variable, answer) in [("@y", "1"), ("@n", "2"), ("@y", "1")] {
            assert_eq!(c.rows(&format!("execute s using {variable}")).await, answer);
            assert_eq!(called(&mut c).await, answer);
        }
    });
}
