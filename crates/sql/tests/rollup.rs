//! GROUP BY ... WITH ROLLUP and GROUPING().
use crate::common::*;

async fn sales(c: &mut Client) {
    c.all(&[
        "create table s (y int not null, c char(2) not null, p varchar(10), n int, key (y))",
        "insert into s values (2000, 'fi', 'phone', 100), (2000, 'fi', 'pc', 1500), (2000, 'us', 'calc', 75), \
         (2001, 'fi', 'phone', 10), (2001, 'us', 'calc', 50), (2001, 'us', null, 5), (2001, 'us', null, 7)",
    ])
    .await;
}

#[test]
fn every_level_has_its_row() {
    with_server(1, |server| async move {
        let mut c = server.client();
        sales(&mut c).await;
        c.check(&[
            ("select y, sum(n) from s group by y with rollup", "2000|1675; 2001|72; NULL|1747"),
            // The arguments of a function see the key of the group, too.
            ("create function f(a int) returns int deterministic return ifnull(a, -1)", "ok 0"),
            (
                "select y, f(y), f(grouping(y)) from s group by y with rollup having f(grouping(y)) < 2",
                "2000|2000|0; 2001|2001|0; NULL|-1|1",
            ),
            (
                "select y, c, sum(n), count(*) from s group by y, c with rollup",
                "2000|fi|1600|2; 2000|us|75|1; 2000|NULL|1675|3; 2001|fi|10|1; 2001|us|62|3; 2001|NULL|72|4; NULL|NULL|1747|7",
            ),
            // A NULL of the table differs from one of a super-aggregate row.
            (
                "select c, p, grouping(p), grouping(c, p), sum(n) from s where c = 'us' group by c, p with rollup",
                "us|NULL|0|0|12; us|calc|0|0|125; us|NULL|1|1|137; NULL|NULL|1|3|137",
            ),
            // What sees single values is not a sum of sums.
            (
                "select y, count(distinct c), group_concat(distinct c order by c), max(p), avg(n) from s group by y with rollup",
                "2000|2|fi,us|phone|558.3333; 2001|2|fi,us|phone|18.0000; NULL|2|fi,us|phone|249.5714",
            ),
            ("select y + 1 as z, count(*) from s group by z with rollup", "2001|3; 2002|4; NULL|7"),
            ("select y + 1, count(*) from s group by y with rollup", "2001|3; 2002|4; NULL|7"),
            ("select concat(c, '!'), count(*) from s group by 1 with rollup", "fi!|3; us!|4; NULL|7"),
            // Of no rows there is the grand total alone.
            ("select y, count(*) from s where y = 1 group by y, c with rollup", "NULL|0"),
            ("select count(*) from s group by y with rollup", "3; 4; 7"),
            // A subquery sees no key where the row sums them up.
            (
                "select y, c, (select count(*) from s i where i.y = s.y and i.c <=> s.c) from s group by y, c with rollup",
                "2000|fi|2; 2000|us|1; 2000|NULL|0; 2001|fi|1; 2001|us|3; 2001|NULL|0; NULL|NULL|0",
            ),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn what_comes_after_the_groups_sees_the_nulls() {
    with_server(2, |server| async move {
        let mut c = server.client();
        sales(&mut c).await;
        c.check(&[
            ("select y, sum(n) from s group by y with rollup having y is null", "NULL|1747"),
            ("select y, sum(n) from s group by y with rollup having grouping(y) = 0", "2000|1675; 2001|72"),
            ("select y, sum(n) from s group by y with rollup order by y desc", "2001|72; 2000|1675; NULL|1747"),
            ("select y, sum(n) as t from s group by y with rollup order by t limit 2", "2001|72; 2000|1675"),
            ("select y, sum(n) from s group by y with rollup order by grouping(y) desc, y", "NULL|1747; 2000|1675; 2001|72"),
            ("select ifnull(y, 'all') as y, sum(n) from s group by s.y with rollup limit 1, 2", "2001|72; all|1747"),
            ("select if(grouping(y), 'all', y), count(*) from s group by y with rollup", "2000|3; 2001|4; all|7"),
            ("select distinct c from s group by y, c with rollup order by c", "NULL; fi; us"),
            ("select y, sum(n), rank() over (order by sum(n)) from s group by y with rollup order by 3", "2001|72|1; 2000|1675|2; NULL|1747|3"),
            ("select y, count(*) over (partition by y) from s group by y, c with rollup order by y", "NULL|1; 2000|3; 2000|3; 2000|3; 2001|3; 2001|3; 2001|3"),
            ("select * from (select y, sum(n) as t from s group by y with rollup) d where y is null", "NULL|1747"),
            ("select y, (select count(*) from s) from s group by y with rollup", "2000|7; 2001|7; NULL|7"),
            ("select y, c, count(*) from s group by y, c with rollup union all select 1, 2, 3 limit 8 offset 6", "NULL|NULL|7; 1|2|3"),
            ("create view v as select y, grouping(y) as g, sum(n) as t from s group by y with rollup", "ok 0"),
            ("select * from v where g = 1", "NULL|1|1747"),
            ("create table made as select y, c, count(*) as n from s group by y, c with rollup", "ok 7"),
            ("select column_name, is_nullable from information_schema.columns where table_name = 'made'", "y|YES; c|YES; n|NO"),
            ("select y, sum(n) from s group by y with rollup having sum(n) > 100 order by y", "NULL|1747; 2000|1675"),
        ])
        .await;
        let plan = c.ask("explain select y, sum(n) from s group by y with rollup").await.line();
        assert!(plan.contains("SIMPLE"), "{plan}");
        c.0.close().await;
    });
}

#[test]
fn what_is_refused() {
    with_server(3, |server| async move {
        let mut c = server.client();
        sales(&mut c).await;
        c.check(&[
            ("select grouping(y) from s group by y", "E1111 Invalid use of group function"),
            ("select y from s where grouping(y) = 1 group by y with rollup", "E1111"),
            (
                "select grouping(c) from s group by y with rollup",
                "E3602 Argument #0 of GROUPING function is not in GROUP BY",
            ),
            ("select sum(grouping(y)) from s group by y with rollup", "E1111"),
            ("select y, n from s group by y with rollup", "E1055"),
            ("create table k (id int primary key, v int)", "ok 0"),
            ("select id, v from k group by id", ""),
            // A key's other columns do not follow from a NULL.
            ("select id, v from k group by id with rollup", "E1055"),
            ("select count(*) from s with rollup", "E1064"),
        ])
        .await;
        c.0.close().await;
    });
}

/// Groups that have no room are made of sorted rows, in files where these are many, and are the same.
#[test]
fn groups_without_room_are_made_of_sorted_rows() {
    with_server(4, |server| async move {
        let mut c = server.client();
        sales(&mut c).await;
        c.all(&[
            "set cte_max_recursion_depth = 10000",
            "create table m (id int primary key, g int, s varchar(20) collate utf8mb4_0900_ai_ci, d decimal(9,3), y date, pad varchar(100))",
            "insert into m with recursive q as (select 1 i union all select i + 1 from q where i < 3000) \
             select i, if(i % 11 = 0, null, i * 7 % 13), concat(elt(i % 4 + 1, 'a', 'A', 'ä', 'b'), i % 50), i / 8, \
             '2020-01-01' + interval i % 40 day, repeat('p', 90) from q",
            "create table n (g int primary key, x int)",
            "insert into n values (1, 10), (2, 20), (3, 30), (5, 50)",
            "analyze table m, n",
        ])
        .await;
        let queries = [
            "select g, lower(s), count(*), sum(d), min(y), max(id), avg(id) from m group by g, s with rollup",
            "select g, y, s, count(*), group_concat(id order by id desc) from m where id % 3 = 0 group by g, y, s with rollup",
            "select id, g, grouping(id), grouping(id, g), sum(d) from m group by id, g with rollup having grouping(g) = 0 or id < 9",
            "select id, count(*) n from m group by id with rollup order by n desc, id limit 5",
            "select id, g, count(*) from m group by id, g with rollup limit 7",
            "select id + 1, (select x from n where n.g = m.g), count(*) from m where g < 4 group by id, g with rollup",
            "select m.g, m.id, sum(n.x) from m join n on n.g = m.g group by m.g, m.id with rollup",
            "select n.x, m.id, count(*) from m left join n on n.g = m.g where m.d > 5 group by n.x, m.id with rollup",
            "select id, any_value(pad), max(s) from m group by id with rollup",
            "select y, id, count(distinct g), std(g) from m group by y, id with rollup",
            "select count(*), sum(k) from (select id, y, count(*) k from m group by id, y with rollup) z",
            "select id, s, json_arrayagg(g) from m where g is not null group by id, s with rollup having s is not null",
        ];
        for sql in queries {
            c.rows("set tmp_table_size = 1 << 26").await;
            let by_hash = c.rows(sql).await;
            c.rows("set tmp_table_size = 1024, sort_buffer_size = 32768").await;
            assert_eq!(c.rows(sql).await, by_hash, "{sql}");
        }
        // Memory has an end; where the block would answer otherwise the next time, or DISTINCT keeps what it has seen, it is that of the session.
        c.rows("set session connection_memory_limit = 4194304").await;
        let many = "select count(*) from (select a.id, b.id i, count(*) from m a, m b where b.id < 9 group by a.id, b.id with rollup) z";
        assert_eq!(c.rows(many).await, "27001");
        let varies = many.replace("count(*) from m a", "max(rand()) from m a");
        assert_eq!(c.ask(&varies).await.errno(), 4082);
        c.rows("set session connection_memory_limit = default").await;
        assert_eq!(c.rows(&varies).await, "27001");
        // It ends when its time is over.
        c.rows("set max_execution_time = 1").await;
        assert_eq!(c.ask(&many.replace("b.id < 9", "b.id < 3000")).await.errno(), 3024);
        c.0.close().await;
    });
}
