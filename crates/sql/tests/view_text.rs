//! The text of views as MySQL 8.0 shows it: SHOW CREATE VIEW and information_schema.VIEWS. Each text, defined again, is the same text with
//! the same rows.
use crate::common::*;

const TABLES: [&str; 5] = [
    "create table t (id int primary key, a int, b varchar(20), d date, j json, key (a))",
    "create table u (id int primary key, t int, c int, b varchar(20))",
    "insert into t values (1, 10, 'x', '2024-01-31', '{\"k\": \"v\"}'), (2, 20, 'y', null, null), (3, null, 'it''s', '2023-05-06', '[1, 2]')",
    "insert into u values (1, 1, 5, 'x'), (2, 1, 6, 'z'), (3, 3, null, 'y')",
    "create function twice (n int) returns int deterministic return n * 2",
];

/// Each query with its text.
const QUERIES: &[(&str, &str)] = &[
    // Names.
    (
        "select * from t",
        "select `t`.`id` AS `id`,`t`.`a` AS `a`,`t`.`b` AS `b`,`t`.`d` AS `d`,`t`.`j` AS `j` from `t`",
    ),
    (
        "SELECT ID, A AS n FROM t WHERE a > 3",
        "select `t`.`id` AS `ID`,`t`.`a` AS `n` from `t` where (`t`.`a` > 3)",
    ),
    ("select x.a from t as x", "select `x`.`a` AS `a` from `t` `x`"),
    ("select a from t t", "select `t`.`a` AS `a` from `t`"),
    ("select test.t.a from test.t", "select `t`.`a` AS `a` from `t`"),
    ("select 1, 'x', null, true", "select 1 AS `1`,'x' AS `x`,NULL AS `NULL`,true AS `true`"),
    ("select a + 1 from t", "select (`t`.`a` + 1) AS `a + 1` from `t`"),
    ("table u", "select `u`.`id` AS `id`,`u`.`t` AS `t`,`u`.`c` AS `c`,`u`.`b` AS `b` from `u`"),
    (
        "select 1 as `we``ird` from dual where 1 = 1",
        "select 1 AS `we``ird` from DUAL  where (1 = 1)",
    ),
    // Literals.
    (
        "select 1.50 as a, .5 as b, 1e3 as c, -1 as d, +2 as e",
        "select 1.50 AS `a`,0.5 AS `b`,1e3 AS `c`,-(1) AS `d`,2 AS `e`",
    ),
    (
        "select 'it''s' as a, 'a\\\\b\\nc' as b, '' as c",
        "select 'it\\'s' AS `a`,'a\\\\b\\nc' AS `b`,'' AS `c`",
    ),
    (
        "select _utf8mb4'x' as a, x'4142' as b, 0x41 as c, b'1000001' as d",
        "select _utf8mb4'x' AS `a`,0x4142 AS `b`,0x41 AS `c`,0x41 AS `d`",
    ),
    (
        "select date '2024-01-02' as a, time '10:11:12' as b, timestamp '2024-01-02 03:04:05' as c",
        "select DATE'2024-01-02' AS `a`,TIME'10:11:12' AS `b`,TIMESTAMP'2024-01-02 03:04:05' AS `c`",
    ),
    // Operations.
    (
        "select a + 1 * 2 - id as x from t",
        "select ((`t`.`a` + (1 * 2)) - `t`.`id`) AS `x` from `t`",
    ),
    (
        "select a div 3 as q, a mod 3 as m, a % 3 as n, mod(a, 3) as o, a / 2 as h from t",
        "select (`t`.`a` DIV 3) AS `q`,(`t`.`a` % 3) AS `m`,(`t`.`a` % 3) AS `n`,(`t`.`a` % 3) AS `o`,(`t`.`a` / 2) AS `h` from `t`",
    ),
    (
        "select a & 1 as a, a | 1 as b, a ^ 1 as c, a << 1 as d, a >> 1 as e, ~a as f from t",
        "select (`t`.`a` & 1) AS `a`,(`t`.`a` | 1) AS `b`,(`t`.`a` ^ 1) AS `c`,(`t`.`a` << 1) AS `d`,(`t`.`a` >> 1) AS `e`,~(`t`.`a`) AS `f` from `t`",
    ),
    (
        "select id from t where a = 10 and b = 'x' and id <> 7 or id <=> null",
        "select `t`.`id` AS `id` from `t` where (((`t`.`a` = 10) and (`t`.`b` = 'x') and (`t`.`id` <> 7)) or (`t`.`id` <=> NULL))",
    ),
    (
        "select id from t where a != 10 xor id < 2",
        "select `t`.`id` AS `id` from `t` where ((`t`.`a` <> 10) xor (`t`.`id` < 2))",
    ),
    (
        "select id from t where a in (10, 20) and id not in (2, 3)",
        "select `t`.`id` AS `id` from `t` where ((`t`.`a` in (10,20)) and (`t`.`id` not in (2,3)))",
    ),
    (
        "select id from t where (id, a) in ((1, 10), (2, 3))",
        "select `t`.`id` AS `id` from `t` where ((`t`.`id`,`t`.`a`) in ((1,10),(2,3)))",
    ),
    (
        "select id from t where a between 1 and 15 and id not between 3 and 4",
        "select `t`.`id` AS `id` from `t` where ((`t`.`a` between 1 and 15) and (`t`.`id` not between 3 and 4))",
    ),
    (
        "select id from t where b like 'x%' and b not like 'y|_' escape '|'",
        "select `t`.`id` AS `id` from `t` where ((`t`.`b` like 'x%') and (not((`t`.`b` like 'y|_' escape '|'))))",
    ),
    (
        "select id from t where b regexp '^x' or b not rlike 'y'",
        "select `t`.`id` AS `id` from `t` where (regexp_like(`t`.`b`,'^x') or (not(regexp_like(`t`.`b`,'y'))))",
    ),
    (
        "select id from t where a is null or d is not null",
        "select `t`.`id` AS `id` from `t` where ((`t`.`a` is null) or (`t`.`d` is not null))",
    ),
    (
        "select a is true as a, (a = 1) is not false as b, (a > 1) is unknown as c, isnull(a) as e from t",
        "select ((0 <> `t`.`a`) is true) AS `a`,((`t`.`a` = 1) is not false) AS `b`,((`t`.`a` > 1) is null) AS `c`,(`t`.`a` is null) AS `e` from `t`",
    ),
    (
        "select b sounds like 'y' as s from t",
        "select (soundex(`t`.`b`) = soundex('y')) AS `s` from `t`",
    ),
    // Conditions.
    ("select id from t where a", "select `t`.`id` AS `id` from `t` where (0 <> `t`.`a`)"),
    (
        "select id from t where a and b = 'x'",
        "select `t`.`id` AS `id` from `t` where ((0 <> `t`.`a`) and (`t`.`b` = 'x'))",
    ),
    ("select id from t where not a", "select `t`.`id` AS `id` from `t` where (0 = `t`.`a`)"),
    (
        "select id from t where not (a = 10)",
        "select `t`.`id` AS `id` from `t` where (`t`.`a` <> 10)",
    ),
    (
        "select id from t where not (a > 10 or id <= 1)",
        "select `t`.`id` AS `id` from `t` where ((`t`.`a` <= 10) and (`t`.`id` > 1))",
    ),
    (
        "select id from t where not a <=> 10 and !(a is null)",
        "select `t`.`id` AS `id` from `t` where ((not((`t`.`a` <=> 10))) and (`t`.`a` is not null))",
    ),
    (
        "select id from t where not (b not like 'x') and not (a not in (1)) and not not a",
        "select `t`.`id` AS `id` from `t` where ((`t`.`b` like 'x') and (`t`.`a` = 1) and (0 <> `t`.`a`))",
    ),
    ("select id from t where true", "select `t`.`id` AS `id` from `t` where true"),
    // Functions.
    (
        "select substring(b, 1, 2) as a, mid(b, 1, 2) as b, left(b, 1) as c, ucase(b) as d, lower(b) as e, octet_length(b) as f, character_length(b) as g from t",
        "select substr(`t`.`b`,1,2) AS `a`,substr(`t`.`b`,1,2) AS `b`,left(`t`.`b`,1) AS `c`,upper(`t`.`b`) AS `d`,lower(`t`.`b`) AS `e`,length(`t`.`b`) AS `f`,char_length(`t`.`b`) AS `g` from `t`",
    ),
    (
        "select concat_ws(', ', b, a) as a, ifnull(b, 'none') as b, coalesce(a, id) as c, nullif(a, 10) as d, if(a > 10, 'big', 'small') as e from t",
        "select concat_ws(', ',`t`.`b`,`t`.`a`) AS `a`,ifnull(`t`.`b`,'none') AS `b`,coalesce(`t`.`a`,`t`.`id`) AS `c`,nullif(`t`.`a`,10) AS `d`,if((`t`.`a` > 10),'big','small') AS `e` from `t`",
    ),
    (
        "select ceil(a) as a, round(a) as b, round(a, 1) as c, power(a, 2) as d, abs(a) as e from t",
        "select ceiling(`t`.`a`) AS `a`,round(`t`.`a`,0) AS `b`,round(`t`.`a`,1) AS `c`,pow(`t`.`a`,2) AS `d`,abs(`t`.`a`) AS `e` from `t`",
    ),
    (
        "select trim(b) as a, trim(leading 'x' from b) as b, trim(both 'y' from b) as c, position('x' in b) as e from t",
        "select trim(`t`.`b`) AS `a`,trim(leading 'x' from `t`.`b`) AS `b`,trim(both 'y' from `t`.`b`) AS `c`,locate('x',`t`.`b`) AS `e` from `t`",
    ),
    (
        "select char(65, 66) as a, char(65 using utf8mb4) as b, convert(b using latin1) as c from t",
        "select char(65,66) AS `a`,char(65 using utf8mb4) AS `b`,convert(`t`.`b` using latin1) AS `c` from `t`",
    ),
    (
        "select twice(a) as a, test.twice(a) as b from t",
        "select `twice`(`t`.`a`) AS `a`,`test`.`twice`(`t`.`a`) AS `b` from `t`",
    ),
    // Dates.
    (
        "select date_add(d, interval 1 day) as a, d - interval a month as b, adddate(d, 3) as c, timestampadd(week, 1, d) as e from t",
        "select (`t`.`d` + interval 1 day) AS `a`,(`t`.`d` - interval `t`.`a` month) AS `b`,(`t`.`d` + interval 3 day) AS `c`,(`t`.`d` + interval 1 week) AS `e` from `t`",
    ),
    (
        "select extract(year_month from d) as a, timestampdiff(day, d, '2024-12-31') as b, datediff(d, '2020-01-01') as c, day(d) as e, date(d) as f from t",
        "select extract(year_month from `t`.`d`) AS `a`,timestampdiff(DAY,`t`.`d`,'2024-12-31') AS `b`,(to_days(`t`.`d`) - to_days('2020-01-01')) AS `c`,dayofmonth(`t`.`d`) AS `e`,cast(`t`.`d` as date) AS `f` from `t`",
    ),
    (
        "select current_timestamp > d as a, curdate() > d as b, localtime() > d as c from t",
        "select (now() > `t`.`d`) AS `a`,(curdate() > `t`.`d`) AS `b`,(now() > `t`.`d`) AS `c` from `t`",
    ),
    (
        "select date_format(d, '%Y-%m') as a, get_format(date, 'ISO') as b from t",
        "select date_format(`t`.`d`,'%Y-%m') AS `a`,get_format(DATE, 'ISO') AS `b` from `t`",
    ),
    // Types.
    (
        "select cast(a as char) as a, cast(a as char(3)) as b, cast(b as binary) as c, cast(a as signed) as e, cast(a as unsigned) as f, cast(a as decimal(8, 2)) as g, cast(a as decimal) as h from t",
        "select cast(`t`.`a` as char charset utf8mb4) AS `a`,cast(`t`.`a` as char(3) charset utf8mb4) AS `b`,cast(`t`.`b` as char charset binary) AS `c`,cast(`t`.`a` as signed) AS `e`,cast(`t`.`a` as unsigned) AS `f`,cast(`t`.`a` as decimal(8,2)) AS `g`,cast(`t`.`a` as decimal(10,0)) AS `h` from `t`",
    ),
    (
        "select convert(d, datetime) as a, cast(d as date) as b, cast('10:11:12' as time(2)) as c, cast(a as double) as e, cast(j as json) as f from t",
        "select cast(`t`.`d` as datetime) AS `a`,cast(`t`.`d` as date) AS `b`,cast('10:11:12' as time(2)) AS `c`,cast(`t`.`a` as double) AS `e`,cast(`t`.`j` as json) AS `f` from `t`",
    ),
    (
        "select b collate utf8mb4_bin as a from t order by b collate utf8mb4_bin desc",
        "select (`t`.`b` collate utf8mb4_bin) AS `a` from `t` order by (`t`.`b` collate utf8mb4_bin) desc",
    ),
    // JSON.
    (
        "select j->'$.k' as a, j->>'$.k' as b, json_object('a', a) as c, 1 member of (j) as e from t",
        "select json_extract(`t`.`j`,'$.k') AS `a`,json_unquote(json_extract(`t`.`j`,'$.k')) AS `b`,json_object('a',`t`.`a`) AS `c`,1 member of (`t`.`j`) AS `e` from `t`",
    ),
    (
        "select x.n from json_table('[1,2]', '$[*]' columns (n int path '$')) as x",
        "select `x`.`n` AS `n` from json_table('[1,2]', '$[*]' columns (`n` int path '$')) `x`",
    ),
    // CASE.
    (
        "select case a when 10 then 'ten' else 'other' end as a, case when a then 1 end as b from t",
        "select (case `t`.`a` when 10 then 'ten' else 'other' end) AS `a`,(case when (0 <> `t`.`a`) then 1 end) AS `b` from `t`",
    ),
    // Aggregates.
    (
        "select count(*) as n, count(distinct a, b) as m, sum(a) as s, avg(distinct a) as v, min(b) as i from t",
        "select count(0) AS `n`,count(distinct `t`.`a`,`t`.`b`) AS `m`,sum(`t`.`a`) AS `s`,avg(distinct `t`.`a`) AS `v`,min(`t`.`b`) AS `i` from `t`",
    ),
    (
        "select group_concat(b) as a, group_concat(distinct b order by b desc, id separator '; ') as c from t",
        "select group_concat(`t`.`b` separator ',') AS `a`,group_concat(distinct `t`.`b` order by `t`.`b` DESC,`t`.`id` ASC separator '; ') AS `c` from `t`",
    ),
    (
        "select a, count(*) as n from t group by a having n > 0 and count(*) < 5 order by n desc, a",
        "select `t`.`a` AS `a`,count(0) AS `n` from `t` group by `t`.`a` having ((`n` > 0) and (count(0) < 5)) order by `n` desc,`t`.`a`",
    ),
    (
        "select b as x, max(a) from t group by 1 order by 2, x",
        "select `t`.`b` AS `x`,max(`t`.`a`) AS `max(a)` from `t` group by `t`.`b` order by max(`t`.`a`),`x`",
    ),
    (
        "select upper(b) as big, count(*) as n from t group by big with rollup",
        "select upper(`t`.`b`) AS `big`,count(0) AS `n` from `t` group by `big` with rollup",
    ),
    (
        "select distinct b from u order by b limit 1, 2",
        "select distinct `u`.`b` AS `b` from `u` order by `u`.`b` limit 1,2",
    ),
    (
        "select std(a) as s, var_pop(a) as v, bit_or(a) as o from t",
        "select std(`t`.`a`) AS `s`,variance(`t`.`a`) AS `v`,bit_or(`t`.`a`) AS `o` from `t`",
    ),
    // Windows.
    (
        "select id, row_number() over (partition by b order by id desc) as n from u",
        "select `u`.`id` AS `id`,row_number() OVER (PARTITION BY `u`.`b` ORDER BY `u`.`id` desc )  AS `n` from `u`",
    ),
    (
        "select id, sum(c) over (order by id rows between 1 preceding and current row) as s, count(*) over () as n from u",
        "select `u`.`id` AS `id`,sum(`u`.`c`) OVER (ORDER BY `u`.`id` ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)  AS `s`,count(0) OVER ()  AS `n` from `u`",
    ),
    (
        "select id, rank() over w as r, lag(c, 1) over (w rows unbounded preceding) as l from u window w as (order by id)",
        "select `u`.`id` AS `id`,rank() OVER `w` AS `r`,lag(`u`.`c`,1) OVER (`w` ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)  AS `l` from `u` window `w` AS (ORDER BY `u`.`id` ) ",
    ),
    // Joins.
    (
        "select t.id, c from t, u where u.t = t.id",
        "select `t`.`id` AS `id`,`u`.`c` AS `c` from (`t` join `u`) where (`u`.`t` = `t`.`id`)",
    ),
    (
        "select t.id, x.c from t join u as x on x.t = t.id",
        "select `t`.`id` AS `id`,`x`.`c` AS `c` from (`t` join `u` `x` on((`x`.`t` = `t`.`id`)))",
    ),
    (
        "select t.id, c from t left join u on u.t = t.id and c > 5 cross join (select 1 as one) as o",
        "select `t`.`id` AS `id`,`u`.`c` AS `c` from ((`t` left join `u` on(((`u`.`t` = `t`.`id`) and (`u`.`c` > 5)))) join (select 1 AS `one`) `o`)",
    ),
    (
        "select t.a, u.c from u right join t on u.t = t.id",
        "select `t`.`a` AS `a`,`u`.`c` AS `c` from (`t` left join `u` on((`u`.`t` = `t`.`id`)))",
    ),
    (
        "select id, c from t join u using (id)",
        "select `t`.`id` AS `id`,`u`.`c` AS `c` from (`t` join `u` on((`t`.`id` = `u`.`id`)))",
    ),
    (
        "select * from t natural join u",
        "select `t`.`id` AS `id`,`t`.`b` AS `b`,`t`.`a` AS `a`,`t`.`d` AS `d`,`t`.`j` AS `j`,`u`.`t` AS `t`,`u`.`c` AS `c` from (`t` join `u` on(((`t`.`id` = `u`.`id`) and (`t`.`b` = `u`.`b`))))",
    ),
    (
        "select id, c, a from t right join u using (id)",
        "select `u`.`id` AS `id`,`u`.`c` AS `c`,`t`.`a` AS `a` from (`u` left join `t` on((`t`.`id` = `u`.`id`)))",
    ),
    (
        "select x.id from t x straight_join (u y join u z on y.id = z.id) on y.t = x.id",
        "select `x`.`id` AS `id` from (`t` `x` straight_join (`u` `y` join `u` `z` on((`y`.`id` = `z`.`id`))) on((`y`.`t` = `x`.`id`)))",
    ),
    (
        "select x.id from t x, t y, t z where x.id = y.id and y.id = z.id",
        "select `x`.`id` AS `id` from ((`t` `x` join `t` `y`) join `t` `z`) where ((`x`.`id` = `y`.`id`) and (`y`.`id` = `z`.`id`))",
    ),
    (
        "select id from t force index (a) where a = 10",
        "select `t`.`id` AS `id` from `t` FORCE INDEX (`a`) where (`t`.`a` = 10)",
    ),
    // Subqueries.
    (
        "select id, (select max(c) from u where u.t = t.id) as m from t",
        "select `t`.`id` AS `id`,(select max(`u`.`c`) from `u` where (`u`.`t` = `t`.`id`)) AS `m` from `t`",
    ),
    (
        "select id from t where id in (select t from u where c > 5)",
        "select `t`.`id` AS `id` from `t` where `t`.`id` in (select `u`.`t` from `u` where (`u`.`c` > 5))",
    ),
    (
        "select id from t where a > 1 and id not in (select t from u)",
        "select `t`.`id` AS `id` from `t` where ((`t`.`a` > 1) and `t`.`id` not in (select `u`.`t` from `u`))",
    ),
    (
        "select id from t where exists (select * from u where u.t = t.id)",
        "select `t`.`id` AS `id` from `t` where exists(select 1 from `u` where (`u`.`t` = `t`.`id`))",
    ),
    (
        "select id from t where not exists (select 1 from u where t = t.id)",
        "select `t`.`id` AS `id` from `t` where (not exists(select 1 from `u` where (`u`.`t` = `t`.`id`)))",
    ),
    (
        "select id from t where a >= all (select c from u where c is not null) or id = any (select id from u)",
        "select `t`.`id` AS `id` from `t` where (`t`.`a` >= all (select `u`.`c` from `u` where (`u`.`c` is not null)) or `t`.`id` = any (select `u`.`id` from `u`))",
    ),
    (
        "select (id in (select t from u)) = 1 as x from t",
        "select ((`t`.`id` in (select `u`.`t` from `u`)) = 1) AS `x` from `t`",
    ),
    (
        "select n from (select id as n, a + 1 from t where a > 5) as s where s.n < 3",
        "select `s`.`n` AS `n` from (select `t`.`id` AS `n`,(`t`.`a` + 1) AS `a + 1` from `t` where (`t`.`a` > 5)) `s` where (`s`.`n` < 3)",
    ),
    (
        "select y from (select id, a from t) as s (x, y)",
        "select `s`.`y` AS `y` from (select `t`.`id` AS `id`,`t`.`a` AS `a` from `t`) `s` (`x`,`y`)",
    ),
    (
        "select t.id, s.m from t, lateral (select max(c) as m from u where u.t = t.id) as s",
        "select `t`.`id` AS `id`,`s`.`m` AS `m` from (`t` join lateral (select max(`u`.`c`) AS `m` from `u` where (`u`.`t` = `t`.`id`)) `s`)",
    ),
    // Set operations.
    (
        "select id, b from t union select id, b from u order by 2 limit 3",
        "select `t`.`id` AS `id`,`t`.`b` AS `b` from `t` union select `u`.`id` AS `id`,`u`.`b` AS `b` from `u` order by `b` limit 3",
    ),
    (
        "(select a from t order by a limit 1) union all (select c from u)",
        "(select `t`.`a` AS `a` from `t` order by `t`.`a` limit 1) union all select `u`.`c` AS `c` from `u`",
    ),
    (
        "select id from t except select t from u",
        "select `t`.`id` AS `id` from `t` except select `u`.`t` AS `t` from `u`",
    ),
    (
        "select id from t union (select id from u intersect select t from u)",
        "select `t`.`id` AS `id` from `t` union (select `u`.`id` AS `id` from `u` intersect select `u`.`t` AS `t` from `u`)",
    ),
    ("(select id from t)", "select `t`.`id` AS `id` from `t`"),
    ("values row(1, 'a'), row(2, 'b')", "values row(1,'a'),row(2,'b')"),
    // Common tables.
    (
        "with c as (select id as n from t), e (x) as (select n from c) select x from e, c where c.n = e.x",
        "with `c` as (select `t`.`id` AS `n` from `t`), `e` (`x`) as (select `c`.`n` AS `n` from `c`) select `e`.`x` AS `x` from (`e` join `c`) where (`c`.`n` = `e`.`x`)",
    ),
    (
        "with recursive r as (select 1 as n union all select n + 1 from r where n < 4) select n from r as z",
        "with recursive `r` as (select 1 AS `n` union all select (`r`.`n` + 1) AS `n + 1` from `r` where (`r`.`n` < 4)) select `z`.`n` AS `n` from `r` `z`",
    ),
    ("select a from t for update", "select `t`.`a` AS `a` from `t` for update"),
];

/// The text behind AS.
async fn text_of(c: &mut Client, view: &str) -> String {
    let shown = c.rows(&format!("show create view {view}")).await;
    let shown = shown.split_once(" AS ").map_or(shown.as_str(), |(_, text)| text).to_owned();
    shown.rsplitn(3, '|').last().unwrap_or_default().to_owned()
}

#[test]
fn texts_are_canonical_and_stay() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&TABLES).await;
        c.rows("create database other").await;
        let mut wrong = Vec::new();
        for (query, text) in QUERIES {
            let made = c.ask(&format!("create or replace view v as {query}")).await.line();
            if made != "ok 0" {
                wrong.push(format!("{query}\n  {made}"));
                continue;
            }
            let (shown, rows) = (text_of(&mut c, "v").await, c.rows("select * from v").await);
            if shown != *text {
                wrong.push(format!("{query}\n  is     {shown}\n  wanted {text}"));
                continue;
            }
            // Defined by its own text, here and from another schema by the one with all names, it is the same.
            let whole = c
                .rows("select view_definition from information_schema.views where table_name = 'v'")
                .await;
            c.rows("drop view v").await;
            let again = c.ask(&format!("create view v as {shown}")).await.line();
            let (shown_again, rows_again) =
                (text_of(&mut c, "v").await, c.rows("select * from v").await);
            if shown_again != *text || rows_again != rows {
                wrong.push(format!(
                    "{query}\n  {again}\n  again  {shown_again}\n  rows {rows_again}\n  not  {rows}"
                ));
            }
            c.rows("use other").await;
            let again = c.ask(&format!("create or replace view test.v as {whole}")).await.line();
            c.rows("use test").await;
            let (shown_again, rows_again) =
                (text_of(&mut c, "v").await, c.rows("select * from v").await);
            // Introducers are not in the whole text.
            let same = shown_again == *text || text.contains("_utf8mb4'");
            if !same || rows_again != rows {
                wrong.push(format!("{query}\n  from {whole}\n  {again}\n  again  {shown_again}\n  rows {rows_again}\n  not  {rows}"));
            }
        }
        assert!(wrong.is_empty(), "{} texts:\n{}", wrong.len(), wrong.join("\n"));
        c.0.close().await;
    });
}

#[test]
fn schemas_are_told_where_they_matter() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&TABLES).await;
        let head =
            "CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW";
        let tail = "utf8mb4|utf8mb4_general_ci";
        let own = format!("v|{head} `v` AS select `t`.`a` AS `a` from `t`|{tail}");
        let full = "select `test`.`t`.`a` AS `a` from `test`.`t`";
        let abroad = format!("v|{head} `test`.`v` AS {full}|{tail}");
        let mixed = format!(
            "m|{head} `m` AS select `test`.`t`.`a` AS `a`,`x`.`z` AS `z` from (`test`.`t` join `other`.`o` `x`)|{tail}"
        );
        let over = format!("w|{head} `w` AS select `test`.`m`.`a` AS `a` from `test`.`m`|{tail}");
        let ansi = own.replace('`', "\"");
        c.check(&[
            ("create view v as select a from t", "ok 0"),
            ("show create view v", &own),
            ("show create table v", &own),
            ("select view_definition from information_schema.views", full),
            ("create database other", "ok 1"),
            ("create table other.o (z int)", "ok 0"),
            ("create view m as select a, z from t, other.o as x", "ok 0"),
            ("create view w as select a from m", "ok 0"),
            ("show create view m", &mixed),
            // What is below counts, too.
            ("show create view w", &over),
            ("set sql_mode = concat(@@sql_mode, ',ANSI_QUOTES')", "ok 0"),
            ("show create view v", &ansi),
            ("set sql_mode = default", "ok 0"),
            ("use other", "ok 0"),
            ("show create view test.v", &abroad),
            // A function without a schema is the view's.
            ("create view test.f as select twice(4)", "ok 0"),
            ("select * from test.f", "8"),
            // A definition means what it said, whatever comes later.
            ("use test", "ok 0"),
            ("create view n as select id, c from t join u using (id)", "ok 0"),
            (
                "create view s as select id from t where exists (select * from u where c > a)",
                "ok 0",
            ),
            ("alter table t add column c int", "ok 0"),
            ("select * from n order by id", "1|5; 2|6; 3|NULL"),
            ("alter table u add column a int", "ok 0"),
            ("select * from s", ""),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn what_is_gone_is_still_shown() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&TABLES).await;
        let text = "v|CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `v` AS select `t`.`a` AS `n` from `t` where (`t`.`b` = 'x')|utf8mb4|utf8mb4_general_ci";
        let warning = "Warning|1356|View 'test.v' references invalid table(s) or column(s) or function(s) or definer/invoker of view lack rights to use them";
        c.check(&[
            ("create view v as select a as n from t where b = 'x'", "ok 0"),
            ("create view w as select n from v", "ok 0"),
            ("show create view v", text),
            ("show warnings", ""),
            ("alter table t rename column b to z", "ok 0"),
            ("show create view v", text),
            ("show warnings", warning),
            ("drop table t", "ok 0"),
            ("show create view v", text),
            ("show warnings", warning),
        ])
        .await;
        assert_eq!(text_of(&mut c, "w").await, "select `v`.`n` AS `n` from `v`");
        c.check(&[
            ("show warnings", &warning.replace(".v'", ".w'")),
            (
                "select view_definition from information_schema.views where table_name = 'v'",
                "select `test`.`t`.`a` AS `n` from `test`.`t` where (`test`.`t`.`b` = 'x')",
            ),
        ])
        .await;
        c.0.close().await;
    });
}

/// A list of names stands before the query, which keeps its own.
#[test]
fn a_list_of_names() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&TABLES).await;
        c.check(&[
            ("create view v (x, y) as select a + 1 as n, b from t order by n desc", "ok 0"),
            ("select * from v", "21|y; 11|x; NULL|it's"),
            ("create view w (k, m) as select b, count(*) as n from t group by b having n > 0 order by n, b", "ok 0"),
            ("select * from w", "it's|1; x|1; y|1"),
            ("create view u1 (p) as select a from t union select c from u order by a", "ok 0"),
            ("select * from u1", "NULL; 5; 6; 10; 20"),
        ])
        .await;
        assert_eq!(
            text_of(&mut c, "v").await,
            "select (`t`.`a` + 1) AS `n`,`t`.`b` AS `b` from `t` order by `n` desc"
        );
        assert_eq!(
            text_of(&mut c, "w").await,
            "select `t`.`b` AS `b`,count(0) AS `n` from `t` group by `t`.`b` having (`n` > 0) order by `n`,`t`.`b`"
        );
        assert_eq!(
            text_of(&mut c, "u1").await,
            "select `t`.`a` AS `a` from `t` union select `u`.`c` AS `c` from `u` order by `a`"
        );
        c.0.close().await;
    });
}
