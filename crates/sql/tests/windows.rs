//! Window functions.
use crate::common::*;
use weir_sql::session_api::ParamValue;

async fn sales(c: &mut Client) {
    c.all(&[
        "create table s (id int primary key, shop char(1), day date, n int, key (n))",
        "insert into s values (1, 'a', '2024-01-01', 10), (2, 'a', '2024-01-02', 20), (3, 'a', '2024-01-04', 20), \
         (4, 'b', '2024-01-01', 5), (5, 'b', '2024-01-03', null), (6, 'b', '2024-01-09', 7)",
    ])
    .await;
}

#[test]
fn places_and_neighbours() {
    with_server(1, |server| async move {
        let mut c = server.client();
        sales(&mut c).await;
        c.check(&[
            ("select id, row_number() over (order by id desc) from s order by id", "1|6; 2|5; 3|4; 4|3; 5|2; 6|1"),
            (
                "select id, row_number() over w, rank() over w, dense_rank() over w from s window w as (partition by shop order by n) order by id",
                "1|1|1|1; 2|2|2|2; 3|3|2|2; 4|2|2|2; 5|1|1|1; 6|3|3|3",
            ),
            (
                "select id, percent_rank() over (order by n), cume_dist() over (order by n) from s where n is not null order by id",
                "1|0.5|0.6; 2|0.75|1; 3|0.75|1; 4|0|0.2; 6|0.25|0.4",
            ),
            ("select id, ntile(4) over (order by id) from s", "1|1; 2|1; 3|2; 4|2; 5|3; 6|4"),
            ("select id, ntile(10) over (order by id) from s limit 3", "1|1; 2|2; 3|3"),
            ("select ntile(0) over () from s", "E1210 Incorrect arguments to ntile"),
            (
                "select id, lag(n) over w, lead(n, 2) over w, lag(n, 1, -1) over w from s where shop = 'a' window w as (order by id)",
                "1|NULL|20|-1; 2|10|NULL|10; 3|20|NULL|20",
            ),
            ("select lag(n, -1) over (order by id) from s", "E1064"),
            (
                "select id, first_value(id) over w, last_value(id) over w, nth_value(id, 2) over w from s window w as (partition by shop order by id rows between 1 preceding and 1 following) order by id",
                "1|1|2|2; 2|1|3|2; 3|2|3|3; 4|4|5|5; 5|4|6|5; 6|5|6|6",
            ),
            ("select row_number() over (), count(*) over () from s limit 2", "1|6; 2|6"),
            ("select id from s order by rank() over (order by n desc), id limit 3", "2; 3; 1"),
            ("select shop, sum(n), rank() over (order by sum(n) desc) from s group by shop order by shop", "a|50|1; b|12|2"),
            ("select shop, sum(sum(n)) over (order by shop) from s group by shop having count(*) > 1", "a|50; b|62"),
            ("select distinct shop, count(*) over (partition by shop) from s order by shop", "a|3; b|3"),
            ("select * from (select id, row_number() over (partition by shop order by n desc) as r from s) d where r = 1 order by id", "2|1; 6|1"),
            ("select id, (select count(*) from s as x where x.n < s.n) as below, sum(n) over (order by id) from s where shop = 'a'", "1|2|10; 2|3|30; 3|3|50"),
        ])
        .await;
        let p = c.0.prepare(b"select lead(n, ?) over (order by id), sum(n) over (order by id rows ? preceding) from s").await;
        let p = p.expect("prepares");
        let both = [ParamValue::Int(1), ParamValue::Int(1)];
        assert_eq!(c.execute(p.id, &both).await.line(), "20|10; 20|30; 5|40; NULL|25; 7|5; NULL|7");
        let bad = [ParamValue::Int(1), ParamValue::Int(-1)];
        assert_eq!(c.execute(p.id, &bad).await.errno(), 3586);
        c.0.close().await;
    });
}

#[test]
fn aggregates_over_frames() {
    with_server(1, |server| async move {
        let mut c = server.client();
        sales(&mut c).await;
        c.check(&[
            // Without a frame: the peers of the current row are in it.
            ("select id, sum(n) over (partition by shop order by n) from s order by id", "1|10; 2|50; 3|50; 4|5; 5|NULL; 6|12"),
            ("select id, sum(n) over (partition by shop) from s order by id", "1|50; 2|50; 3|50; 4|12; 5|12; 6|12"),
            ("select id, sum(n) over (partition by shop order by n rows unbounded preceding) from s where shop = 'a'", "1|10; 2|30; 3|50"),
            ("select id, count(n) over (order by id rows between 1 preceding and 1 following) from s", "1|2; 2|3; 3|3; 4|2; 5|2; 6|1"),
            ("select id, count(*) over (order by id rows between 2 following and 3 following) from s", "1|2; 2|2; 3|2; 4|1; 5|0; 6|0"),
            ("select id, sum(n) over (order by id rows between 2 following and 3 following) from s where id > 4", "5|NULL; 6|NULL"),
            ("select id, min(n) over w, max(n) over w, avg(n) over w from s window w as (order by id rows between current row and unbounded following) limit 2", "1|5|20|12.4000; 2|5|20|13.0000"),
            ("select id, count(*) over (order by n range between 5 preceding and 2 following) from s order by id", "1|3; 2|2; 3|2; 4|2; 5|1; 6|2"),
            ("select id, count(*) over (order by n desc range between 5 preceding and 2 following) from s order by id", "1|1; 2|2; 3|2; 4|3; 5|1; 6|3"),
            ("select id, count(*) over (order by day range between interval 1 day preceding and current row) from s order by id", "1|2; 2|3; 3|2; 4|2; 5|2; 6|1"),
            ("select id, count(*) over (order by n rows between 1 following and 1 preceding) from s", "E3586"),
            ("select id, std(n) over (), bit_or(n) over () from s order by id limit 1", "1|6.406246951218787|31"),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn what_is_refused() {
    with_server(1, |server| async move {
        let mut c = server.client();
        sales(&mut c).await;
        c.check(&[
            ("select id from s where row_number() over () = 1", "E3593 You cannot use the window function 'row_number' in this context.'"),
            ("select id from s group by rank() over ()", "E3593"),
            ("select id from s having rank() over () = 1", "E3593"),
            ("select sum(rank() over ()) from s", "E3593"),
            ("select sum(rank() over ()) over () from s", "E3593"),
            ("update s set n = row_number() over ()", "E3593"),
            ("select row_number() from s", "E1064"),
            ("select rank() over w from s", "E3579 Window name 'w' is not defined."),
            ("select 1 from s window w as (), w as ()", "E3591 Window 'w' is defined twice."),
            ("select 1 from s window w as (x), x as (w)", "E3580"),
            ("select rank() over (w partition by n) from s window w as (order by id)", "E3581"),
            ("select sum(n) over (w order by n) from s window w as (rows unbounded preceding)", "E3582"),
            ("select rank() over (w order by n) from s window w as (order by id)", "E3583"),
            ("select rank() over (w order by n) from s window w as (partition by shop) limit 1", "1"),
            ("select sum(n) over (rows between unbounded following and current row) from s", "E3584"),
            ("select sum(n) over (rows between current row and unbounded preceding) from s", "E3585"),
            ("select sum(n) over (order by n, id range 1 preceding) from s", "E3587"),
            ("select sum(n) over (order by shop range 1 preceding) from s", "E3587"),
            ("select sum(n) over (order by day range 1 preceding) from s", "E3588"),
            ("select sum(n) over (order by n range interval 1 day preceding) from s", "E3589"),
            ("select sum(n) over (order by n rows interval 1 day preceding) from s", "E3596"),
            ("select count(distinct n) over () from s", "E1235"),
            ("select group_concat(n) over () from s", "E1235"),
            ("select first_value(n) ignore nulls over () from s", "E1235"),
            ("select nth_value(n, 1) from last over () from s", "E1235"),
            ("select lag() over () from s", "E1064"),
            ("select shop, rank() over (order by n) from s group by shop", "E1055"),
            ("with recursive r as (select 1 as i union all select rank() over (order by i) from r) select * from r", "E3575"),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn lateral() {
    with_server(1, |server| async move {
        let mut c = server.client();
        sales(&mut c).await;
        c.check(&[
            // The best day of each shop.
            (
                "select d.shop, best.id, best.n from (select distinct shop from s) d, lateral (select id, n from s where s.shop = d.shop order by n desc, id limit 1) best order by 1",
                "a|2|20; b|6|7",
            ),
            ("select x.id, l.m from s x join lateral (select x.n * 2 as m) l where x.n > 6 order by x.id", "1|20; 2|40; 3|40; 6|14"),
            ("select x.id, l.id from s x left join lateral (select id from s y where y.n > x.n and y.shop = x.shop) l on true order by x.id, l.id", "1|2; 1|3; 2|NULL; 3|NULL; 4|6; 5|NULL; 6|NULL"),
            ("select x.id, l.c from s x, lateral (select count(*) as c from s y where y.id < x.id) l where l.c between 1 and 2", "2|1; 3|2"),
            ("select x.id, b.v from s x, lateral (select x.id + 1 as v) a, lateral (select a.v * 10 as v) b where x.id < 3", "1|20; 2|30"),
            ("select (select sum(l.q) from lateral (select s.id * 2 as q) l) from s where id < 3", "2; 4"),
            ("select id from s where exists (select 1 from lateral (select s.n as k) l where l.k = 5)", "4"),
            ("select * from lateral (select x.n) l, s x", "E1054"),
            ("select * from s x, (select x.n) l", "E1054"),
        ])
        .await;
        c.0.close().await;
    });
}

/// Against the same numbers by subqueries, over many partitions and peers; and memory is charged.
#[test]
fn many_rows() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int primary key, p int, v int)",
            "insert into t with recursive n as (select 1 as i union all select i + 1 from n where i < 400) select i, i * 7 % 13, i * 31 % 29 from n",
        ])
        .await;
        let same = [
            (
                "sum(v) over (partition by p order by v)",
                "(select sum(x.v) from t x where x.p = t.p and x.v <= t.v)",
            ),
            (
                "rank() over (partition by p order by v)",
                "(select count(*) + 1 from t x where x.p = t.p and x.v < t.v)",
            ),
            (
                "count(*) over (order by v range between 3 preceding and 2 following)",
                "(select count(*) from t x where x.v between t.v - 3 and t.v + 2)",
            ),
            (
                "max(v) over (order by id rows between 5 preceding and 1 preceding)",
                "(select max(x.v) from t x where x.id between t.id - 5 and t.id - 1)",
            ),
        ];
        for (window, subquery) in same {
            let a = c.rows(&format!("select id, {window} from t order by id")).await;
            let b = c.rows(&format!("select id, {subquery} from t order by id")).await;
            assert_eq!(a, b, "{window}");
        }
        // Partitions of many rows, of which functions look far back and far ahead.
        c.all(&["create table n (id int primary key)", "set cte_max_recursion_depth = 100000"])
            .await;
        c.all(&["insert into n with recursive r as (select 1 as i union all select i + 1 from r where i < 1000) select i from r"]).await;
        for (window, plain) in [
            ("row_number() over (partition by id > 300 order by id)", "if(id > 300, id - 300, id)"),
            (
                "rank() over (partition by id > 300 order by id div 2)",
                "if(id > 300, greatest(id div 2 * 2, 301) - 300, greatest(id div 2 * 2, 1))",
            ),
            (
                "lag(id, 290) over (partition by id > 300 order by id)",
                "if(id > 590 or id between 291 and 300, id - 290, null)",
            ),
            (
                "last_value(id) over (partition by id > 300 order by id rows between current row and 280 following)",
                "least(id + 280, if(id > 300, 1000, 300))",
            ),
            ("concat(id, '-', row_number() over (order by id desc))", "concat(id, '-', 1001 - id)"),
        ] {
            let a = c.rows(&format!("select id, {window} from n order by id")).await;
            let b = c.rows(&format!("select id, {plain} from n order by id")).await;
            assert_eq!(a, b, "{window}");
            // The rows of a partition that have no room are in a file.
            c.all(&["set tmp_table_size = 16384"]).await;
            assert_eq!(c.rows(&format!("select id, {window} from n order by id")).await, a);
            c.all(&["set tmp_table_size = default"]).await;
        }
        c.all(&[
            "create table big (id int primary key)",
            "insert into big with recursive n as (select 1 as i union all select i + 1 from n where i < 20000) select i from n",
            "set connection_memory_limit = 2097152",
        ])
        .await;
        // Rows with short keys wait as bytes, and others as values.
        c.check(&[
            ("select sum(r) from (select rank() over (order by id) as r from big) d", "200010000"),
            (
                "select sum(r) from (select rank() over (order by id, repeat('x', 100)) as r from big) d",
                "E1038",
            ),
        ])
        .await;
        c.0.close().await;
    });
}

/// Sums, counts and averages of frames that move are those of their rows, whatever has left the frame before.
#[test]
fn moving_frames() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table m (id int primary key, p int, i int, u bigint unsigned, d decimal(20,6), f double)",
            "insert into m with recursive r(n) as (select 0 union all select n + 1 from r where n < 199) \
             select n, n % 3, if(n % 5, n * 37 % 101 - 50, null), 18446744073709551615 - n * n % 77, if(n % 7, (n * 53 % 211 - 100) / 7, null), \
             if(n % 2, 1e16, n / 3) from r",
        ])
        .await;
        let frames = [
            ("rows between 4 preceding and 2 following", "b.k between a.k - 4 and a.k + 2"),
            ("rows between 9 preceding and 3 preceding", "b.k between a.k - 9 and a.k - 3"),
            ("rows between 2 following and 40 following", "b.k between a.k + 2 and a.k + 40"),
            ("rows between current row and unbounded following", "b.k >= a.k"),
            ("rows between 3 preceding and 3 preceding", "b.k = a.k - 3"),
            ("range between 20 preceding and 11 following", "b.id between a.id - 20 and a.id + 11"),
            ("range between 90 following and 99 following", "b.id between a.id + 90 and a.id + 99"),
        ];
        for (frame, rows) in frames {
            for of in [
                "sum(i)",
                "sum(u)",
                "sum(d)",
                "avg(i)",
                "avg(d)",
                "count(i)",
                "count(*)",
                "sum(i * d)",
                "avg(u)",
                "min(i)",
                "max(i)",
                "min(u)",
                "max(d)",
                "min(f)",
                "max(concat('x', id % 11))",
            ] {
                let over = format!(
                    "select id, {of} over (partition by p order by id {frame}) from m order by id"
                );
                let asked = format!(
                    "with n as (select m.*, id div 3 k from m) select id, (select {of} from n b where b.p = a.p and {rows}) from n a order by id"
                );
                assert_eq!(c.rows(&over).await, c.rows(&asked).await, "{over}");
            }
        }
        // What a large number has rounded away of the others is there again when it has left.
        c.check(&[(
            "select round(x, 1) from (select id, sum(f) over (order by id rows between 1 preceding and current row) - f x from m where id in (1, 2, 4)) v where id = 4",
            "0.7",
        )])
        .await;
    });
}

/// The row that NTH_VALUE() counts to may be NULL as a parameter or a variable of a program: then no row is meant.
#[test]
fn nth_value_of_no_row() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (id int primary key)",
            "insert into t values (1), (2)",
            "create procedure p(n int) select nth_value(id, n) over (order by id) from t",
            "prepare q from 'select nth_value(id, ?) over (order by id) from t'",
            "set @n = 2",
        ])
        .await;
        c.check(&[
            ("execute q using @n", "NULL; 2"),
            ("set @n = null", "ok 0"),
            ("execute q using @n", "NULL; NULL"),
            ("call p(null)", "NULL; NULL"),
            ("call p(0)", "E1210 Incorrect arguments to nth_value"),
            ("select nth_value(id, null) over (order by id) from t", "E1210"),
            ("select nth_value(id, @n) over (order by id) from t", "E1210"),
        ])
        .await;
    });
}
