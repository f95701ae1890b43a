//! Items that give another value each time they are evaluated, where HAVING, GROUP BY or ORDER BY names them: one evaluation for a row or group.

use crate::common::with_server;

#[test]
fn a_row_draws_once_for_the_list_and_for_having() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table n (a int)", "insert into n values (1), (2), (3), (4), (5), (6)"])
            .await;
        for (query, rows) in [
            ("select a, @r := @r + 1 as x from n having x between 2 and 4", "2|2; 3|3; 4|4"),
            (
                "select a, @r := @r + 1 as x from n having x > 2 order by x desc",
                "6|6; 5|5; 4|4; 3|3",
            ),
            ("select a, @r := @r + 1 as x from n having x > 2 order by 2 desc limit 2", "6|6; 5|5"),
            (
                "select a, @r := @r + 1 as x, x.y from n, (select 7 as y) x having x * 2 > 8 and x < 6",
                "5|5|7",
            ),
            ("select @r := @r + 1 as x, @r + 10 as y from n having x > 4", "5|15; 6|16"),
            ("select a from n having (@r := @r + 1) > 4", "5; 6"),
            (
                "select sum(a) as s, @r := @r + 1 as x from n group by a having x > 4 order by s",
                "5|5; 6|6",
            ),
            ("select distinct (@r := @r + 1) % 2 as x from n having x >= 0 order by x", "0; 1"),
            ("select @r := @r + 1 as x, count(*) over () as c from n having x < 3", "1|2; 2|2"),
            // Where no clause names it, or where a clause has an expression of its own, nothing changes.
            ("select @r := @r + 1 as x, a from n order by a desc limit 2", "1|6; 2|5"),
        ] {
            c.rows("set @r = 0").await;
            assert_eq!(c.rows(query).await, rows, "{query}");
        }
        assert_eq!(
            c.rows("select sum(a) as s, rand(2) as r from n group by a having r < 0.5 order by r")
                .await,
            "2|0.12234661925802624; 6|0.19757679030073508; 5|0.354211017819318"
        );
        assert_eq!(
            c.rows("select rand(3) * 10 as r from n having r < 5 order by r").await,
            "1.4808605345719126; 3.7307905813034536; 4.44958102372436"
        );
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn a_group_has_the_value_that_its_key_drew() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table n (a int)", "insert into n values (1), (2), (3), (4), (5), (6)"])
            .await;
        for by in ["f", "1", "floor(rand(1) * 2)"] {
            for order in ["", " order by f", " having f >= 0"] {
                let query = format!(
                    "select floor(rand(1) * 2) f, count(*), sum(a) from n group by {by}{order}"
                );
                assert_eq!(c.rows(&query).await, "0|4|13; 1|2|8", "{query}");
            }
        }
        for (query, rows) in [
            (
                "select @r := @r + 1 as g, count(*) from n group by g",
                "1|1; 2|1; 3|1; 4|1; 5|1; 6|1",
            ),
            (
                "select (@r := @r + 1) % 2 as g, count(*), sum(a) from n group by g having g = 1",
                "1|3|9",
            ),
            (
                "select (@r := @r + 1) % 2 as g, a > 3 as b, count(*) from n group by g, b order by g, b",
                "0|0|1; 0|1|2; 1|0|2; 1|1|1",
            ),
            // An empty table has no group, and no total either.
            ("select @r := @r + 1 as g, count(*) from n where a > 9 group by g", ""),
            ("select count(*) from n group by floor(rand(1) * 2)", "4; 2"),
        ] {
            c.rows("set @r = 0").await;
            assert_eq!(c.rows(query).await, rows, "{query}");
        }
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn stored_functions_are_called_once_for_a_row() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table n (a int)",
            "insert into n values (1), (2), (3), (4)",
            "create table calls (n int)",
            "insert into calls values (0)",
            "create function next() returns int begin update calls set n = n + 1; return (select n from calls); end",
        ])
        .await;
        let asked = "select a, next() as x from n having x % 2 = 0 order by x desc";
        assert_eq!(c.rows(asked).await, "4|4; 2|2");
        assert_eq!(c.rows("select n from calls").await, "4");
        assert_eq!(
            c.rows("select a, next() as x, count(*) from n group by a, x having x > 6").await,
            "3|7|1; 4|8|1"
        );
        assert_eq!(c.rows("select n from calls").await, "8");
        // As a prepared statement, more than once.
        c.rows("prepare p from 'select a, next() as x from n having x > ?'").await;
        c.rows("set @m = 10").await;
        assert_eq!(c.rows("execute p using @m").await, "3|11; 4|12");
        assert_eq!(c.rows("execute p using @m").await, "1|13; 2|14; 3|15; 4|16");
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn a_natural_join_among_joins_needs_no_condition() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (a int, b int)",
            "create table u (b int, c int)",
            "insert into t values (1, 2), (3, 4)",
            "insert into u values (2, 1), (4, 9)",
        ])
        .await;
        let asked = "select x.a, y.a, u.c from t x join t y natural join u on x.a = u.c";
        assert_eq!(c.rows(asked).await, "1|1|1");
        let asked = "select x.a, y.a from t x join t y natural left join u join u z on z.b = y.b on x.a = z.c";
        assert_eq!(c.rows(asked).await, "1|1");
        c.0.close().await;
        drop(server);
    });
}
