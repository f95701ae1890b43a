//! AVG() of exact numbers keeps the digits that it was computed with until it is shown or stored.
use crate::common::*;

#[test]
fn averages_are_rounded_where_they_are_shown() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table a (g int, i int, d decimal(10,2))",
            "insert into a values (1, 1, 1), (1, 2, 2), (1, 4, 4), (2, 10, 10), (2, 11, 10), (2, 13, 9)",
        ])
        .await;
        c.check(&[
            (
                "select avg(i), avg(i) * 3, avg(i) / 3, avg(d) / 3, avg(i) * avg(i), avg(i) + 0.00000000000001 from a group by g",
                "2.3333|7.0000|0.77777778|0.7777777777|5.44444444|2.33333333300001; 11.3333|34.0000|3.77777778|3.2222222220|128.44444444|11.33333333300001",
            ),
            ("select g from a group by g having avg(i) * count(*) = sum(i)", "1; 2"),
            ("select g, avg(i) x from a group by g having x * 3 = 7", "1|2.3333"),
            ("select avg(i) > 2.3333, avg(i) = 2.3333, avg(i) in (2.3333), avg(i) between 2.3333 and 2.3333 from a where g = 1", "1|0|0|0"),
            // IF() and CASE give what they choose; COALESCE() gives a value of its type.
            (
                "select if(1, avg(i), 0) * 3, case when 1 then avg(i) end * 3, nullif(avg(i), 0) * 3, coalesce(avg(i), 0) * 3 from a where g = 1",
                "7.0000|7.0000|7.0000|6.9999",
            ),
            ("select (select avg(i) from a where g = 1) * 3, cast(avg(i) as char), json_array(avg(i)) from a where g = 1", "7.0000|2.3333|[2.333333333]"),
            // What is kept in a table has the digits of its column: so do the values of windows.
            ("select x * 3 from (select avg(i) x from a group by g) q", "6.9999; 33.9999"),
            ("select avg(i) over () * 3 from a where g = 1 limit 1", "6.9999"),
            ("select avg(avg(i)) over (), sum(avg(i)) over () from a group by g limit 1", "6.83330000|13.6666"),
            ("create table b as select avg(i) x, avg(i) * 3 y from a where g = 1", "ok 1"),
            ("select x, x * 3, y from b", "2.3333|6.9999|7.0000"),
            ("select avg(i) from a where g = 1 into @v", "ok 1"),
            ("select @v", "2.333333333"),
            ("select @w := avg(i) from a where g = 1", "2.3333"),
            ("select @w", "2.333333333"),
            ("select avg(i) from a where g = 1 union select 2.3333", "2.3333"),
        ])
        .await;
    });
}
