//! What answers again each time it is asked is asked for each row: chance, variables that the statement sets, functions that are not
//! deterministic; as a condition, as what a column is compared with, and in a subquery.
use crate::common::*;

const SETUP: &[&str] = &[
    "create table t (id int primary key, a int, key a (a))",
    "create table u (id int primary key, a int)",
    "insert into t with recursive n as (select 1 i union all select i + 1 from n where i < 400) select i, i % 8 from n",
    "insert into u select id, 0 from t",
    "create function chance() returns double not deterministic no sql return rand()",
];

/// One time in 2^400 they are all the same.
#[test]
fn chance_picks_rows_one_by_one() {
    with_server(91, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        for condition in [
            "rand() < 0.5",
            "rand() < 0.5 and a >= 0",
            "(select rand()) < 0.5",
            "(select rand() from t limit 1) < 0.5",
            "exists (select 1 from t y where y.id = 1 and rand() < 0.5)",
            "chance() < 0.5",
            "(select chance()) < 0.5",
            "conv(right(left(hex(random_bytes(1)), 2), 1), 16, 10) < 8",
            // A search for one drawn value would find the rows of that value, and then ask them for another one.
            "a = floor(rand() * 2)",
            "id < rand() * 400",
        ] {
            let some = "between 1 and 399";
            c.check(&[
                (&format!("select count(*) {some} from t where {condition}"), "1"),
                (&format!("select max(id) > 0 from t where {condition}"), "1"),
                (
                    &format!(
                        "select count(*) {some} from t join u using (id) where {}",
                        condition.replace("id <", "t.id <").replace("a ", "t.a ")
                    ),
                    "1",
                ),
            ])
            .await;
            c.rows("update u set a = 0").await;
            c.rows(&format!(
                "update u set a = 1 where {}",
                condition.replace("a = floor", "a + id % 8 = floor")
            ))
            .await;
            c.check(&[(&format!("select sum(a) {some} from u"), "1")]).await;
        }
        c.rows("delete from u where rand() < 0.5").await;
        c.check(&[("select count(*) between 1 and 399 from u", "1")]).await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn subqueries_draw_for_each_row() {
    with_server(92, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        for value in [
            "(select rand())",
            "(select id from t order by rand() limit 1)",
            "(select max(rand()) from t)",
            "(select uuid())",
            "(select uuid() from t limit 1)",
            "(select chance())",
            "(select (select rand()) from t limit 1)",
            "(select @n := ifnull(@n, 0) + 1)",
        ] {
            let rows = c.rows(&format!("select {value} from u limit 20")).await;
            let mut each: Vec<&str> = rows.split("; ").collect();
            each.sort_unstable();
            each.dedup();
            assert!(each.len() > 1, "{value}: {rows}");
        }
        c.rows("update u set a = (select id from t order by rand() limit 1)").await;
        c.check(&[
            ("select count(distinct a) > 1 from u", "1"),
            // A derived table is made once.
            ("select count(distinct x) from (select (select max(n) from (select rand() n) d) x from u limit 9) e", "1"),
            ("select count(distinct x) from (select d.n x from u, (select rand() n) d limit 9) e", "1"),
            // And so is a subquery that draws nothing, whatever is drawn beside it.
            ("select count(distinct x) from (select (select max(id) from t where id > 5) x, rand() y from u limit 9) e", "1"),
        ])
        .await;
        let told = c.rows("explain select (select id from t order by rand() limit 1) from u").await;
        assert!(told.contains("UNCACHEABLE SUBQUERY"), "{told}");
        c.0.close().await;
        drop(server);
    });
}

/// A variable that the statement sets is looked at for each row, one that it does not set is a constant of a search.
#[test]
fn variables_that_the_statement_sets() {
    with_server(93, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        c.check(&[
            ("set @i = 0", "ok 0"),
            ("select count(*) from t where (@i := @i + 1) > 390", "10"),
            ("set @i = 1", "ok 0"),
            ("select @i := @i + 1 from t where @i < 4", "2; 3; 4"),
            ("set @i = 0", "ok 0"),
            (
                "select count(distinct x), count(distinct y), count(distinct z) from (select @i := @i + 1 x, (select @i) y, (select @i from u limit 1) z from t limit 3) d", "3|3|3",
            ),
            ("set @i = 0", "ok 0"),
            ("select id from u where id = (@i := @i + 1) limit 2", "1; 2"),
            ("set @i = 7", "ok 0"),
            ("select count(*) from t where id = @i", "1"),
            ("select count(*) from t where @i < 4", "0"),
        ])
        .await;
        let told = c.rows("explain select id from t where id = @i").await;
        assert!(told.contains("PRIMARY"), "{told}");
        c.0.close().await;
        drop(server);
    });
}

/// The idiom of numbering rows: what sets a variable is computed as the rows go out, in their order, and a row is shown with the value that
/// it was ordered by.
#[test]
fn variables_count_rows_in_their_order() {
    with_server(91, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table r (g varchar(5), s int, e enum('z', 'y', 'x'))",
            "insert into r values ('b', 3, 'z'), ('a', 1, 'y'), ('b', 1, 'x'), ('a', 2, 'z'), ('c', 9, 'y')",
        ])
        .await;
        for (list, rest, rows) in [
            ("@n := @n + 1 as n, s", "order by s desc", "1|9; 2|3; 3|2; 4|1; 5|1"),
            ("@n := @n + 1 as n, s", "where s > 1 order by s desc limit 2", "1|9; 2|3"),
            ("@n := @n + 1 as n, s", "order by s desc limit 1, 2", "1|3; 2|2"),
            ("@n := @n + 1 as n, s", "having s > 1 order by s desc", "1|9; 2|3; 3|2"),
            ("@n := @n + s as n, s", "order by s, e", "1|1; 2|1; 4|2; 7|3; 16|9"),
            (
                "@n := @n + 1 as n, upper(concat(g, e)), @n",
                "order by e, s",
                "1|AZ|1; 2|BZ|2; 3|AY|3; 4|CY|4; 5|BX|5",
            ),
            ("(@n := @n + 1), r.s", ", (select @n := 0) x order by s desc limit 2", "1|9; 2|3"),
            (
                "g, s, if(@p = g, @n := @n + 1, @n := 1) as rn, @p := g",
                "order by g, s desc",
                "a|2|1|a; a|1|2|a; b|3|1|b; b|1|2|b; c|9|1|c",
            ),
            // Where the order follows the variable, each row counts once.
            ("@n := @n + 1 as n", "order by n desc", "5; 4; 3; 2; 1"),
            ("@n := @n + 1 as n", "order by 1 desc limit 2", "5; 4"),
            ("@n := @n + 1 as n, sum(s)", "group by g order by n desc", "3|9; 2|3; 1|4"),
            ("@n := @n + (e + 0) as n, e", "order by s desc, e", "2|y; 3|z; 4|z; 6|y; 9|x"),
        ] {
            c.all(&["set @n = 0, @p = null"]).await;
            let query = format!("select {list} from r {rest}");
            c.check(&[(&query, rows)]).await;
        }
        c.check(&[
            ("set @n = 0", "ok 0"),
            ("create table h as select @n := @n + 1 as n, s from r order by s desc", "ok 5"),
            ("select * from h order by n", "1|9; 2|3; 3|2; 4|1; 5|1"),
        ])
        .await;
        c.all(SETUP).await;
        c.check(&[
            ("select count(*) from (select x, lag(x) over () y from (select rand() x from t order by x limit 400) d) e where y > x", "0"),
            // On disk the variables wait as well.
            ("set sort_buffer_size = 32768, tmp_table_size = 1024, @n = 0", "ok 0"),
            ("create table n as select @n := @n + 1 as n, t.id, repeat('x', 1000) c from t order by t.id desc", "ok 400"),
            ("select count(*) from n where n + id = 401", "400"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}
