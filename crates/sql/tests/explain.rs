//! EXPLAIN's table, its formats that are one text, and EXPLAIN ANALYZE.
use crate::common::*;

const SETUP: &[&str] = &[
    "create table t (id int primary key, a int, key k (a))",
    "insert into t values (1, 10), (2, 20), (3, 30)",
];

#[test]
fn tree_and_json() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        c.check(&[
            ("explain format=json select 1", "{\n  \"query_block\": {\n    \"select_id\": 1,\n    \"message\": \"No tables used\"\n  }\n}"),
            ("explain format=xml select 1", "E1791"),
            ("explain analyze format=json select 1", "E1235"),
            ("explain analyze format=traditional select 1", "E1235"),
            ("explain analyze insert into t values (9, 9)", "E1235"),
            ("select count(*) from t", "3"),
        ])
        .await;
        // Every document is one.
        for query in [
            "select * from t x join t y on x.id = y.a",
            "select * from t union select 1, 2 order by 1",
            "select * from (select a, count(*) n from t group by a) d where n in (select id from t)",
            "select (select max(a) from t y where y.id < x.id) from t x order by a",
            "insert into t select id + 10, a from t",
            "delete from t where a = '\"'",
            "with recursive r as (select 1 n union all select n + 1 from r where n < 3) select * from r",
        ] {
            let text = c.rows(&format!("explain format=json {query}")).await;
            let quoted = text.replace('\\', "\\\\").replace('\'', "''");
            c.check(&[(&format!("select json_valid('{quoted}')"), "1")]).await;
            c.rows(&format!("explain format=tree {query}")).await;
        }
        let ran = c.rows("explain analyze select * from t where a > 10").await;
        assert!(ran.contains("rows=2 loops=1)"), "{ran:?}");
        // Each step tells what it read and what its conditions let through.
        let sql = "explain analyze select count(*) from t x join t y on y.id < x.id where x.a is not null";
        let ran = c.rows(sql).await;
        let told = |what: &str| ran.lines().filter(|l| l.contains(what)).count();
        assert!(told("(actual time=") >= 4 && told("never executed") == 0, "{ran}");
        assert!(told("loops=1)") >= 2, "{ran}");
        let none = c
            .rows("explain analyze select * from t x join t y on y.a = x.a + 1 where x.id > 100")
            .await;
        assert!(none.contains("rows=0 loops=1)") && none.contains("(never executed)"), "{none}");
        c.0.close().await;
        drop(server);
    });
}

/// The trees of `common/explain_trees.txt`, a statement behind each `#`: the names are those that MySQL 9.7 gives to the same steps.
#[test]
fn trees() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table a (id int primary key, b int, c varchar(20), key (b))",
            "create table t (id int primary key, a int, n int, key (a))",
            "create table u (id int primary key, x int, y int)",
            "insert into a with recursive r as (select 1 n union all select n + 1 from r where n < 200) \
             select n, n % 10, concat('x', n) from r",
            "insert into t select id, id % 50, id from a",
            "insert into u select id, id % 7, id % 3 from a",
            "analyze table a, t, u",
        ])
        .await;
        let mut bad = String::new();
        for case in include_str!("common/explain_trees.txt").split("# ").skip(1) {
            let (sql, want) = case.split_once('\n').expect("a statement has a line of its own");
            let got = c.rows(&format!("explain format=tree {sql}")).await;
            if got.trim_end() != want.trim_end() {
                bad += &format!("# {sql}\n{got}\n");
            }
        }
        assert!(bad.is_empty(), "\n{bad}");
        c.0.close().await;
        drop(server);
    });
}

/// The note that shows what was made of a statement.
#[test]
fn the_note_shows_the_statement() {
    with_server(11, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (a int primary key, b int, c varchar(9), key (b))",
            "create table u (a int primary key, b int)",
            "create view v as select a, b + 1 as n from t where b > 5",
            "create function f(x int) returns int deterministic return x",
        ])
        .await;
        let notes = [
            ("select 1", "/* select#1 */ select 1 AS `1`"),
            (
                "select * from t",
                "/* select#1 */ select `test`.`t`.`a` AS `a`,`test`.`t`.`b` AS `b`,`test`.`t`.`c` AS `c` from `test`.`t`",
            ),
            (
                "select x.a + 1 as n from t x where b = 3 and c like 'q%' order by c desc limit 5",
                "/* select#1 */ select (`test`.`x`.`a` + 1) AS `n` from `test`.`t` `x` where ((`test`.`x`.`b` = 3) and (`test`.`x`.`c` like ('q%' collate utf8mb4_0900_ai_ci))) \
                 order by `test`.`x`.`c` desc limit 5",
            ),
            (
                "select count(*), sum(distinct b) from t group by c with rollup having count(*) > 1",
                "/* select#1 */ select count(0) AS `count(*)`,sum(distinct `test`.`t`.`b`) AS `sum(distinct b)` from `test`.`t` group by `test`.`t`.`c` \
                 with rollup having (count(0) > 1)",
            ),
            (
                "select t.a from t left join u on u.a = t.b and u.b > 1 where t.a < 9",
                "/* select#1 */ select `test`.`t`.`a` AS `a` from `test`.`t` left join `test`.`u` on ((`test`.`u`.`a` = `test`.`t`.`b`) and \
                 (`test`.`u`.`b` > 1)) where (`test`.`t`.`a` < 9)",
            ),
            (
                "select a from t where a in (select b from u where u.a = t.a) and exists (select 1 from u)",
                "/* select#1 */ select `test`.`t`.`a` AS `a` from `test`.`t` where (exists(/* select#3 */ select 1 AS `1` from `test`.`u`) and \
                 (`test`.`t`.`a` in (/* select#2 */ select `test`.`u`.`b` AS `b` from `test`.`u` where (`test`.`u`.`a` = `test`.`t`.`a`))))",
            ),
            (
                "select * from (select b as x from t group by b) d where x > 1",
                "/* select#1 */ select `d`.`x` AS `x` from (/* select#2 */ select `test`.`t`.`b` AS `x` from `test`.`t` where (`test`.`t`.`b` > 1) group by `test`.`t`.`b`) `d` \
                 where (`d`.`x` > 1)",
            ),
            (
                "select n from v where n < 9",
                "/* select#1 */ select (`test`.`t`.`b` + 1) AS `n` from `test`.`t` where ((`test`.`t`.`b` > 5) and ((`test`.`t`.`b` + 1) < 9))",
            ),
            (
                "select a from t union all select a from u order by 1",
                "/* select#1 */ select `test`.`t`.`a` AS `a` from `test`.`t` union all /* select#2 */ select `test`.`u`.`a` AS `a` from `test`.`u` order by `a`",
            ),
            (
                "select case when a is null then 'it''s' else upper(c) end, cast(a as char(3)), -b, not b, f(b) from t",
                "",
            ),
            (
                "select row_number() over (partition by b order by a desc), date_add(c, interval 1 day) from t",
                "",
            ),
            (
                "with recursive r as (select 1 as n union all select n + 1 from r where n < 3) select * from r",
                "",
            ),
            (
                "update t set b = b + 1, c = default where a = 5",
                "update `test`.`t` set `test`.`t`.`b` = (`test`.`t`.`b` + 1),`test`.`t`.`c` = default where (`test`.`t`.`a` = 5)",
            ),
            (
                "delete from t where a > 3 order by b limit 2",
                "delete from `test`.`t` where (`test`.`t`.`a` > 3) order by `test`.`t`.`b` limit 2",
            ),
            (
                "insert into t (a, b) values (1, 2), (3, default)",
                "insert into `test`.`t` (`test`.`t`.`a`,`test`.`t`.`b`) values (1,2),(3,default)",
            ),
            (
                "insert into u select a, b from t on duplicate key update b = values(b) + 1",
                "insert into `test`.`u` /* select#1 */ select `test`.`t`.`a` AS `a`,`test`.`t`.`b` AS `b` from `test`.`t` on duplicate key update \
                 `test`.`u`.`b` = (values(`test`.`u`.`b`) + 1)",
            ),
        ];
        let mut bad = String::new();
        for (sql, want) in notes {
            let a = c.ask(&format!("explain {sql}")).await;
            let told = c.rows("show warnings").await;
            // Behind what the statement is warned of.
            let same = want.is_empty() || told.ends_with(&format!("Note|1003|{want}"));
            if a.error.is_some() || a.warnings == 0 || !same {
                bad += &format!("{sql}\n  {}\n  {told}\n", a.line());
            }
            if want.is_empty() {
                println!("{told}");
            }
            c.rows(&format!("explain format=json {sql}")).await;
            assert_eq!(c.rows("show warnings").await, told, "{sql}");
        }
        assert!(bad.is_empty(), "\n{bad}");
        c.0.close().await;
    });
}

/// ON DUPLICATE KEY UPDATE names the tables of the SELECT, which may be wider than the target.
#[test]
fn the_note_names_the_tables_of_the_select() {
    with_server(13, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (a int primary key, b int)",
            "create table s (a int, b int, c int, d int)",
        ])
        .await;
        for (sql, end) in [
            (
                "insert into t select a, b from s on duplicate key update b = s.d",
                "`test`.`t`.`b` = `test`.`s`.`d`",
            ),
            (
                "insert into t select x.a, y.b from s x, s y on duplicate key update b = y.d + x.c + values(b)",
                "`test`.`t`.`b` = ((`test`.`y`.`d` + `test`.`x`.`c`) + values(`test`.`t`.`b`))",
            ),
            (
                "insert into t select a, b from s on duplicate key update b = (select max(d) from s o where o.c = s.d)",
                ")",
            ),
            (
                "insert into t select a, b from s group by a, b on duplicate key update b = t.a",
                "`test`.`t`.`a`",
            ),
            ("insert into t select 1, 2 union select 3, 4 on duplicate key update b = 7", "7"),
            (
                "insert into t values (1, 2) as n on duplicate key update b = n.a",
                "values(`test`.`t`.`a`)",
            ),
        ] {
            let a = c.ask(&format!("explain {sql}")).await;
            let told = c.rows("show warnings").await;
            assert!(a.error.is_none(), "{sql}: {}", a.line());
            assert!(told.ends_with(end), "{sql}: {told}");
        }
        c.0.close().await;
    });
}

/// Statements of all shapes: each has its note, whatever is in it.
#[test]
fn every_statement_has_a_note() {
    with_server(12, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table `we``ird` (`a``b` int primary key, `c` json, d datetime, k int, key ((k + 1)), g int as (k * 2))",
            "create table p (a int, b varchar(9)) partition by hash (a) partitions 3",
            "create view w as select * from p union select 1, 'x'",
            "create function f(x int) returns int deterministic return x",
            "create temporary table own (a int)",
        ])
        .await;
        let statements = [
            "select `a``b` from `we``ird` where `a``b` = 1 and d > '2020-01-01' and c->'$.x' = 1",
            "select * from `we``ird` where k + 1 = 5",
            "select min(`a``b`), max(`a``b`) from `we``ird`",
            "select * from p partition (p0) where a in (1, 2, null) and b not in ('a', 'b''c')",
            "select * from p x, p y where x.a = y.a and (x.a, x.b) = (1, 'q') and (x.a, x.b) in (select a, b from w)",
            "select x.a from p x left join (p y join p z on y.a = z.a) on x.a = y.a where z.b is null",
            "select x.a from p x left join p y on x.a = y.a left join p z on y.a = z.a and z.b = 'x' where x.a is not null",
            "select (select count(*) from p where a > o.a having count(*) > (select 1)) from p o",
            "select a, sum(a) over w, rank() over (order by b desc) from p window w as (partition by b rows 1 preceding)",
            "select grouping(a), a, count(distinct b), group_concat(b order by a desc separator '-') from p group by a with rollup",
            "select a from p where a > any (select a from w) or a <= all (select a from own) or not exists (select 1)",
            "select f(a), f(f(a)), f((select max(a) from p)) from p where f(a) = 1",
            "select sleep(0), get_lock('a', 0), benchmark(1, 1), load_file('x'), @a := a, @a, @@sql_mode, @@global.port from p",
            "select cast(a as decimal(9,2)), cast(b as char(3) charset latin1), cast(b as json), b collate utf8mb4_bin, binary b from p",
            "select -a, ~a, !a, a | 1, a << 2, a div 2, a mod 2, a xor 1, a <=> null, a between 1 and 2, b like '%\\_', b regexp 'x' from p",
            "select extract(year_month from d), d + interval '1 2' day_hour, timestampdiff(day, d, now()), date'2020-01-01', time'10:00', x'41', b'1' from `we``ird`",
            "select json_value(c, '$.a' returning signed), json_arrayagg(k) from `we``ird` group by c",
            "select * from json_table('[1]', '$[*]' columns (x int path '$')) as j, p where j.x = p.a",
            "select * from p, lateral (select p.a + 1 as n) as l",
            "with recursive r (n) as (select 1 union all select n + 1 from r where n < 3), q as (select * from r) select * from q, r where q.n = r.n",
            "values row(1, 'a'), row(2, null) order by column_0 limit 1",
            "table p",
            "(select a from p order by b limit 2) union distinct (select 1) except select 2 limit 1, 2",
            "select 1 from dual where 1 = 0",
            "select * from information_schema.tables t where table_schema = 'test'",
            "select a from own",
            "select distinct b from p order by b limit 3 offset 1",
            "select case a when 1 then 'x' end, if(a, 1, 2), ifnull(a, 0), coalesce(a, b), nullif(a, 1) from p",
            "insert into p select * from w",
            "insert ignore into p (a) values ((select 1)), (f(2)), (default)",
            "replace into p set a = 1, b = default",
            "insert into `we``ird` (`a``b`, k) values (1, 2) on duplicate key update k = values(k) + (select 1)",
            "update p x join own y on x.a = y.a set x.b = y.a, y.a = default where x.a in (select 1)",
            "update ignore w2 set a = 1",
            "delete x from p x join p y on x.a = y.a where y.b is null",
            "delete from p where a = (select max(n) from (select a as n from p) d)",
        ];
        let mut bad = String::new();
        for sql in statements {
            let a = c.ask(&format!("explain {sql}")).await;
            let told = c.rows("show warnings").await;
            let expected = if sql.contains("w2") {
                a.errno() == 1146
            } else {
                a.error.is_none() && told.contains("Note|1003|")
            };
            if !expected || told.contains('?') {
                bad += &format!("{sql}\n  {}\n  {told}\n", a.line());
            }
        }
        assert!(bad.is_empty(), "\n{bad}");
        c.0.close().await;
    });
}

/// What is beneath a view is shown to anyone who has SHOW VIEW on it and may read that.
#[test]
fn views_are_shown_to_those_who_may_see_them() {
    const HIDDEN: &str =
        "E1345 EXPLAIN/SHOW can not be issued; lacking privileges for underlying table";
    with_server(14, |server| async move {
        let mut root = server.client();
        root.all(&[
            "create table t (a int primary key, b int)",
            "create view merged as select a from t where b = 42",
            "create view made as select count(*) as n from t where b = 42",
            "create view outer_one as select a from merged",
            "create user u@localhost",
            "grant select, insert, update on test.merged to u@localhost",
            "grant select on test.made to u@localhost",
            "grant select on test.outer_one to u@localhost",
        ])
        .await;
        let mut c = server.client_in("u", "test");
        let hidden = [
            "select * from merged",
            "select * from made",
            "select * from outer_one",
            "select 1 where exists (select 1 from made)",
            "update merged set a = 1 where a = 2",
            "insert into merged (a) values (1)",
        ];
        let formats = ["explain", "explain format=json", "explain format=tree"];
        for sql in hidden {
            for explain in formats {
                c.check(&[(&format!("{explain} {sql}"), HIDDEN)]).await;
            }
        }
        c.check(&[("explain analyze select * from made", HIDDEN), ("select n from made", "0")])
            .await;
        root.all(&["grant show view on test.* to u@localhost"]).await;
        let mut c = server.client_in("u", "test");
        c.check(&[("explain select * from merged", HIDDEN)]).await;
        root.all(&[
            "revoke show view on test.* from u@localhost",
            "grant select on test.* to u@localhost",
        ])
        .await;
        let mut c = server.client_in("u", "test");
        c.check(&[("explain select * from merged", HIDDEN)]).await;
        root.all(&["grant show view on test.* to u@localhost"]).await;
        let mut c = server.client_in("u", "test");
        for sql in hidden {
            let a = c.ask(&format!("explain {sql}")).await;
            assert!(a.error.is_none(), "{sql}: {}", a.line());
        }
        c.0.close().await;
        root.0.close().await;
    });
}

/// `ref` names the columns that a key is compared with, with their schema where their table is stored.
#[test]
fn columns_beside_keys() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        c.check(&[
            (
                "explain select * from t x join t on t.id = x.a",
                "1|SIMPLE|x|NULL|index|k|k|5|NULL|3|100.00|Using index; \
                 1|SIMPLE|t|NULL|eq_ref|PRIMARY|PRIMARY|4|test.x.a|1|100.00|NULL",
            ),
            (
                "explain select * from (select a, count(*) as n from t group by a) d join t on t.id = d.n",
                "1|PRIMARY|<derived2>|NULL|ALL|NULL|NULL|NULL|NULL|2|100.00|NULL; \
                 1|PRIMARY|t|NULL|eq_ref|PRIMARY|PRIMARY|4|d.n|1|100.00|NULL; \
                 2|DERIVED|t|NULL|index|NULL|k|5|NULL|3|100.00|Using index",
            ),
            (
                "explain select * from t x straight_join t on t.id = x.a + 1",
                "1|SIMPLE|x|NULL|index|NULL|k|5|NULL|3|100.00|Using index; \
                 1|SIMPLE|t|NULL|eq_ref|PRIMARY|PRIMARY|4|func|1|100.00|Using where",
            ),
            (
                "explain select * from t where a = 10",
                "1|SIMPLE|t|NULL|ref|k|k|5|const|1|100.00|Using index",
            ),
        ])
        .await;
        c.0.close().await;
    });
}

/// Indexes are named that conditions could be searches of, whichever access is taken; lengths of keys are MySQL's.
#[test]
fn possible_keys() {
    with_server(97, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table p (id int primary key, a int, b int, d varchar(20), key a (a), key ab (a, b), key d (d), key dp (d(3)))",
            "create table q (x int primary key, y int, e char(5) not null, key y (y), key e (e))",
            "insert into p values (1, 1, 1, 'a'), (2, 2, 2, 'b'), (3, 3, 3, 'c')",
            "insert into q values (1, 1, 'a'), (2, 2, 'b')",
        ])
        .await;
        let mut bad = String::new();
        for (sql, want) in [
            ("select * from p where a > 0", "a,ab"),
            ("select * from p where a <> 2", "a,ab"),
            ("select * from p where not (a = 2)", "a,ab"),
            ("select * from p where a not in (1, 2)", "a,ab"),
            ("select * from p where a is not null", "a,ab"),
            ("select * from p where a = 1 or b = 5", "a,ab"),
            ("select * from p where a = 1 or id = 5", "PRIMARY,a,ab"),
            ("select * from p where 3 between a and b", "a,ab"),
            ("select * from p where a", "a,ab"),
            ("select * from p where d like 'x%'", "d,dp"),
            ("select * from p where d = 1", "d,dp"),
            ("select * from p where id = 1 and a = 1", "PRIMARY,a,ab"),
            ("select * from p use index (ab) where a > 0", "ab"),
            ("select * from p ignore index (ab) where a > 0", "a"),
            ("update p set b = 2 where a > 0", "a,ab"),
            ("delete from p where a > 0 and id > 0", "PRIMARY,a,ab"),
            ("select * from q left join p on p.a = q.x", "NULL; a,ab"),
            ("select * from p left join q on p.a = q.y where q.y is null", "NULL; y"),
            // No search could be made by these.
            ("select * from p where a + 1 = 3", "NULL"),
            ("select * from p where b = 1", "NULL"),
            ("select * from p where d like '%x'", "NULL"),
            ("select * from p where a = b", "NULL"),
            ("select * from p where a = rand()", "NULL"),
            ("select * from p where case when a = 1 then 1 else 0 end", "NULL"),
            ("select a from p", "NULL"),
        ] {
            let told = c.rows(&format!("explain {sql}")).await;
            let named: Vec<&str> =
                told.split("; ").filter_map(|line| line.split('|').nth(5)).collect();
            if named.join("; ") != want {
                bad += &format!("{sql}\n  want {want}\n  got  {told}\n");
            }
        }
        for (sql, want) in [
            ("select * from p force index (d) where d = 'a'", "d|83"),
            ("select * from p force index (dp) where d like 'a%'", "dp|15"),
            ("select * from q force index (e) where e = 'a'", "e|20"),
            ("select * from p force index (ab) where a = 1 and b = 2", "ab|10"),
        ] {
            let told = c.rows(&format!("explain {sql}")).await;
            if !told.contains(&format!("|{want}|")) {
                bad += &format!("{sql}\n  want {want}\n  got  {told}\n");
            }
        }
        assert!(bad.is_empty(), "\n{bad}");
        c.0.close().await;
        drop(server);
    });
}
