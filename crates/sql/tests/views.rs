//! Views: what they mean, what can be changed through them, whose rights they have, and what shows them.
use crate::common::*;

#[test]
fn definitions() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int primary key, a int, b varchar(20), key (a))",
            "insert into t values (1, 10, 'x'), (2, 20, 'y'), (3, 30, 'z')",
        ])
        .await;
        c.check(&[
            ("create view v as select * from t where a > 10", "ok 0"),
            ("select * from v", "2|20|y; 3|30|z"),
            ("create view v as select 1", "E1050 Table 'v' already exists"),
            ("create table v (a int)", "E1050 Table 'v' already exists"),
            ("create table if not exists v (a int)", "ok 0"),
            ("create view t as select 1", "E1050"),
            ("create or replace view t as select 1", "E1347 'test.t' is not VIEW"),
            ("alter view nope as select 1", "E1146"),
            ("create view nope.v as select 1", "E1049"),
            ("create view n as select * from nope", "E1146"),
            ("create view n as select nope from t", "E1054"),
            ("create view n (x, y) as select 1", "E1353"),
            ("create view n as select 1 as a, 2 as A", "E1060 Duplicate column name 'A'"),
            ("create view n as select @x", "E1351 View's SELECT contains a variable or parameter"),
            ("create view n as select 1 into @x", "E1350 View's SELECT contains a 'INTO' clause"),
            ("create view information_schema.n as select 1", "E1044"),
            // The columns are those of the day on which it was made.
            ("alter table t add column c int default 7", "ok 0"),
            ("select * from v where id = 2", "2|20|y"),
            ("create or replace view v (n, twice) as select id, a * 2 from t", "ok 0"),
            ("select twice from v where n = 3", "60"),
            ("alter view v as select a, count(*) as n from t group by a", "ok 0"),
            ("select sum(n) from v", "3"),
            ("create view w as select n + 1 as m from v where a >= 20", "ok 0"),
            ("select * from w", "2; 2"),
            ("drop view v", "ok 0"),
            ("select * from w", "E1356 View 'test.w' references invalid table(s) or column(s) or function(s) or definer/invoker of view lack rights to use them"),
            ("drop view v, w", "E1051 Unknown table 'test.v'"),
            ("drop view if exists v, w", "ok 0"),
            ("show warnings", "Note|1051|Unknown table 'test.v'"),
            ("drop view t", "E1347 'test.t' is not VIEW"),
            ("create view v as select id from t", "ok 0"),
            ("drop table v", "E1051"),
            ("truncate table v", "E1146 Table 'test.v' doesn't exist"),
            ("alter table v add x int", "E1347"),
            ("create index i on v (id)", "E1347"),
            ("rename table v to w", "ok 0"),
            ("select id from w order by id desc limit 1", "3"),
            ("rename table w to t", "E1050"),
            ("alter table t rename to w", "E1050"),
            ("check table w", "test.w|check|status|OK"),
            ("optimize table w", "test.w|optimize|Error|'test.w' is not BASE TABLE; test.w|optimize|status|Operation failed"),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn a_circle_is_refused() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("create view a as select 1 as x", "ok 0"),
            ("create view b as select x from a", "ok 0"),
            ("create or replace view a as select x from b", "E1146 Table 'test.a' doesn't exist"),
            ("alter view a as select x from a", "E1146"),
            ("select * from b", "1"),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn views_in_queries() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int primary key, a int, b varchar(20), key (a))",
            "create table u (id int primary key, t int, key (t))",
            "insert into t values (1, 10, 'x'), (2, 20, 'y'), (3, 30, 'z')",
            "insert into u values (1, 1), (2, 1), (3, 3), (4, 9)",
            "create view p as select id, a, upper(b) as big from t where a > 10",
            "create view c as select id as n, b from t",
            "create view j as select t.id, u.id as uid, t.b from t join u on u.t = t.id",
            "create view g as select a, max(b) as m from t group by a",
        ])
        .await;
        c.check(&[
            ("select big from p where id = 3", "Z"),
            // The index of the table is used.
            ("explain select big from p where id = 3", "1|SIMPLE|t|NULL|const|PRIMARY,a|PRIMARY|4|const|1|100.00|NULL"),
            ("select p.id, u.id from p join u on u.t = p.id", "3|3"),
            ("select u.id, c.b from u left join c on c.n = u.t order by u.id", "1|x; 2|x; 3|z; 4|NULL"),
            // What an expression makes of a missing row is NULL all the same.
            ("create view k as select id, 5 as five, coalesce(b, 'none') as b from t", "ok 0"),
            ("select u.id, k.five, k.b from u left join k on k.id = u.t where u.id > 2 order by u.id", "3|5|z; 4|NULL|NULL"),
            ("select id, uid, b from j order by uid", "1|1|x; 1|2|x; 3|3|z"),
            ("select count(*), max(uid) from j where b = 'x'", "2|2"),
            ("select p.* from p, c where c.n = p.id and c.b = 'y'", "2|20|Y"),
            ("select test.p.big from test.p where test.p.id = 2", "Y"),
            ("select x.m from g as x where x.a = 20", "y"),
            ("select id from u where t in (select n from c where b = 'x') order by id", "1; 2"),
            ("select (select b from c where n = u.t) from u order by id", "x; x; z; NULL"),
            ("select big, count(*) from p group by big order by big desc", "Z|1; Y|1"),
            ("select distinct p.a from p natural join c order by 1", "20; 30"),
            ("select a from p union all select n from c order by 1", "1; 2; 3; 20; 30"),
            ("with c as (select 77 as n) select n from c", "77"),
            ("create view i as select n from c", "ok 0"),
            ("with c as (select 77 as n) select max(n) from i", "3"),
            ("select p.nope from p", "E1054 Unknown column 'p.nope' in 'field list'"),
            ("select 1 from p, p", "E1066 Not unique table/alias: 'p'"),
            ("select id from p use index (a)", "E1176"),
            ("select default(a) from p where id = 2", "NULL"),
            ("select b from c where n = 1 for update", "x"),
        ])
        .await;
        let p = c.0.prepare(b"select big from p where id = ?").await.expect("prepares");
        let one = [weir_sql::session_api::ParamValue::Int(2)];
        assert_eq!(c.execute(p.id, &one).await.line(), "Y");
        // A plan that is kept follows the view.
        c.rows("create or replace view p as select id, lower(b) as big from t").await;
        assert_eq!(c.execute(p.id, &one).await.line(), "y");
        c.rows("drop view p").await;
        assert_eq!(c.execute(p.id, &one).await.errno(), 1146);
        c.0.close().await;
    });
}

#[test]
fn rows_are_changed_through_views() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int primary key, a int, b varchar(20) not null default 'd')",
            "insert into t values (1, 10, 'x'), (2, 20, 'y'), (3, 30, 'z')",
            "create view v as select id as n, a as x, upper(b) as big from t where a < 100",
            "create view s as select id as n, a as x from t where a < 100 with check option",
            "create view l as select n, x from s where x > 5 with local check option",
            "create view k as select n, x from s where x > 5 with cascaded check option",
            "create view d as select distinct a from t",
            "create algorithm=temptable view m as select id, a from t",
        ])
        .await;
        c.check(&[
            (
                "create view bad as select distinct a from t with check option",
                "E1368 CHECK OPTION on non-updatable view 'test.bad'",
            ),
            ("update v set x = x + 1 where n = 1", "ok 1"),
            ("update v set big = 'q'", "E1348 Column 'big' is not updatable"),
            ("update v set x = 500 where n = 2", "ok 1"),
            ("update v set x = 1 where n = 2", "ok 0"),
            ("select id, a from t", "1|11; 2|500; 3|30"),
            ("delete from v where n = 2", "ok 0"),
            (
                "insert into v (n, x) values (9, 9)",
                "E1471 The target table v of the INSERT is not insertable-into",
            ),
            ("insert into v (n, big) values (9, 'q')", "E1348 Column 'big' is not updatable"),
            ("update d set a = 1", "E1288 The target table d of the UPDATE is not updatable"),
            ("delete from d", "E1288"),
            ("insert into d values (1)", "E1471"),
            ("update m set a = 1", "E1288"),
            // The option.
            ("insert into s values (4, 40)", "ok 1"),
            ("insert into s (x, n) values (100, 5)", "E1369 CHECK OPTION failed 'test.s'"),
            ("insert into s values (6, null)", "E1369"),
            ("insert ignore into s values (7, 100), (8, 80)", "ok 1"),
            ("show warnings", "Warning|1369|CHECK OPTION failed 'test.s'"),
            ("update s set x = 99 where n = 4", "ok 1"),
            ("update s set x = 100 where n = 4", "E1369"),
            ("update ignore s set x = 100 where n = 4", "ok 0"),
            ("insert into s values (4, 1) on duplicate key update x = 200", "E1369"),
            ("insert into s values (4, 1) on duplicate key update x = x - 1", "ok 2"),
            ("insert into l values (20, 200)", "E1369 CHECK OPTION failed 'test.l'"),
            ("insert into l values (20, 1)", "E1369"),
            ("insert into k values (20, 200)", "E1369 CHECK OPTION failed 'test.k'"),
            ("insert into k values (20, 50)", "ok 1"),
            ("insert into s select id + 100, a from t where id < 4 and a < 100", "ok 2"),
            ("replace into s values (1, 12)", "ok 2"),
            ("delete from s where n > 100", "ok 2"),
            (
                "select id, a, b from t order by id",
                "1|12|d; 2|500|y; 3|30|z; 4|98|d; 8|80|d; 20|50|d",
            ),
            // Of a join one table's rows go, or change.
            ("delete s from s join t on t.id = s.n where t.b = 'z'", "ok 1"),
            ("update s join t on t.id = s.n set s.x = 3 where t.id = 8", "ok 1"),
            ("select a from t where id in (3, 8)", "3"),
            ("update s set nope = 1", "E1054"),
            ("insert into s (n, n) values (1, 1)", "E1110"),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn check_option_sees_what_the_table_works_out() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int primary key, a int, g int as (a * 2) stored, h int as (g + 1), check (a <> 7))",
            "create view v as select id, a, g from t where g > 10 with check option",
            "create table j (id int primary key, x int)",
            "insert into j values (1, 3), (2, 30)",
        ])
        .await;
        c.check(&[
            ("create view w as select id, a from v where g < 90 with local check option", "ok 0"),
            ("insert into v (id, a) values (1, 10), (2, 20)", "ok 2"),
            ("insert into v (id, a) values (3, 1)", "E1369 CHECK OPTION failed 'test.v'"),
            ("insert ignore into v (id, a) values (3, 1), (4, 30)", "ok 1"),
            ("update v set a = 1 where id = 1", "E1369 CHECK OPTION failed 'test.v'"),
            ("update v set a = 6 where id = 1", "ok 1"),
            ("update ignore v set a = 1 where id = 1", "ok 0"),
            ("update v set a = 7 where id = 1", "E3819"),
            ("update w set a = 50 where id = 1", "E1369 CHECK OPTION failed 'test.w'"),
            ("update w set a = 2 where id = 1", "E1369"),
            ("insert into v (id, a) values (1, 9) on duplicate key update a = 1", "E1369"),
            ("insert into v (id, a) values (1, 9) on duplicate key update a = 9", "ok 2"),
            ("replace into v (id, a) values (1, 2)", "E1369"),
            ("insert into v (id, a) select 8, x from j where id = 1", "E1369"),
            ("update v join j on v.id = j.id set v.a = j.x where v.id = 1", "E1369"),
            ("update v join j on v.id = j.id set v.a = j.x where v.id = 2", "ok 1"),
            ("select id, a, g, h from t order by id", "1|9|18|19; 2|30|60|61; 4|30|60|61"),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn window_functions_stay_in_the_views_block() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int primary key, e enum('z', 'y', 'x'))",
            "insert into t values (1, 'x'), (2, 'y'), (3, 'z')",
            "create view v as select id, e, row_number() over (order by e) as r from t",
            "create view w as select r, sum(r) over (order by r) as s from v where r < 3",
        ])
        .await;
        c.check(&[
            // An ENUM is ordered by its place in the list.
            ("select id, r from v order by id", "1|3; 2|2; 3|1"),
            ("select e, r from v where r > 1 order by r", "y|2; x|3"),
            ("select max(r), count(*) from v where id < 3", "3|2"),
            // What a UNION or COALESCE makes of ENUM columns is text.
            ("select e from v union all select e from t order by e limit 3", "x; x; y"),
            ("select coalesce(e, e) as c from t order by c", "x; y; z"),
            ("show keys from v", ""),
            ("select * from w order by r", "1|1; 2|3"),
            ("select v.r from t join v using (id) where t.e = 'x'", "3"),
            ("select sum(id) over (order by e range 1 preceding) from t", "E3587"),
            ("update v set e = 'x'", "E1288"),
            ("delete from v", "E1288"),
            ("insert into v (id) values (4)", "E1471"),
            (
                "create view n as select id, rank() over (order by id) as r from t with check option",
                "E1368",
            ),
            (
                "select is_updatable from information_schema.views where table_name = 'v'",
                "NO",
            ),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn rights_are_the_definers_or_the_invokers() {
    with_server(1, |server| async move {
        let mut root = server.client();
        root.all(&[
            "create table t (id int primary key, a int)",
            "insert into t values (1, 1)",
            "create database o",
            "create user d@localhost",
            "create user u@localhost",
            "grant select, insert, create view on test.* to d@localhost",
            "grant create view, select, insert, update on o.* to d@localhost",
            "grant select, insert, update on o.* to u@localhost",
        ])
        .await;
        let mut d = server.client_in("d", "test");
        d.all(&[
            "create view o.v as select id, a from test.t",
            "create sql security invoker view o.i as select id, a from test.t",
            "create view o.w as select * from o.i",
        ])
        .await;
        d.check(&[("create definer=root@localhost view o.x as select 1", "E1227")]).await;
        let mut u = server.client_in("u", "o");
        u.check(&[
            ("select * from v", "1|1"),
            ("select * from i", "E1356"),
            // Anyone who invokes a view in another one is that one's definer.
            ("select * from w", "1|1"),
            ("insert into v values (2, 2)", "ok 1"),
            // The definer may not.
            ("update v set a = 3", "E1356"),
            ("select * from test.t", "E1142"),
            ("show create view v", "E1142"),
        ])
        .await;
        root.rows("revoke select on test.* from d@localhost").await;
        u.check(&[("select * from v", "E1356")]).await;
        root.rows("drop user d@localhost").await;
        u.check(&[(
            "select * from v",
            "E1045 Access denied for user 'u'@'localhost' (using password: YES)",
        )])
        .await;
        root.check(&[
            ("create definer=nobody@localhost view x as select 1", "ok 0"),
            (
                "show warnings",
                "Note|1449|The user specified as a definer ('nobody'@'localhost') does not exist",
            ),
        ])
        .await;
        root.0.close().await;
    });
}

#[test]
fn what_shows_views() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int primary key, b varchar(20) not null)",
            "create view v (n, name) as select t.id, t.b from t where id > 1 with check option",
        ])
        .await;
        let text = "select `t`.`id` AS `id`,`t`.`b` AS `b` from `t` where (`t`.`id` > 1)";
        let whole = text.replace("`t`", "`test`.`t`");
        let create = format!(
            "v|CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `v` (`n`,`name`) AS {text} WITH CASCADED CHECK OPTION|utf8mb4|utf8mb4_general_ci"
        );
        let in_views = format!(
            "def|test|v|{whole}|CASCADED|YES|root@localhost|DEFINER|utf8mb4|utf8mb4_general_ci"
        );
        c.check(&[
            ("show create view v", &create),
            ("show create table v", &create),
            ("show create view t", "E1347 'test.t' is not VIEW"),
            ("show tables", "t; v"),
            ("show full tables", "t|BASE TABLE; v|VIEW"),
            ("show full tables where table_type = 'VIEW'", "v|VIEW"),
            ("describe v", "n|int|NO||NULL|; name|varchar(20)|NO||NULL|"),
            ("select * from information_schema.views", &in_views),
            ("select table_name, table_type, engine, table_comment from information_schema.tables where table_schema = 'test' order by 1", "t|BASE TABLE|InnoDB|; v|VIEW|NULL|VIEW"),
            ("select column_name, data_type, is_nullable from information_schema.columns where table_name = 'v'", "n|int|NO; name|varchar|NO"),
            ("drop database test", "ok 2"),
            ("create database test", "ok 1"),
            ("select count(*) from information_schema.views", "0"),
        ])
        .await;
        // The text makes the same view again.
        c.all(&["use test", "create table t (id int primary key, b varchar(20) not null)"]).await;
        let again = create.split('|').nth(1).unwrap().to_string();
        c.rows(&again).await;
        assert_eq!(c.rows("show create view v").await, create);
        c.0.close().await;
    });
}

#[test]
fn views_over_json_table() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("create table t (id int, doc json)", "ok 0"),
            ("insert into t values (1, '[{\"a\": 1, \"b\": [5, 6]}, {\"a\": \"x\"}]')", "ok 1"),
            (
                "create view v as select id, j.* from t, json_table(doc, '$[*]' columns (n for ordinality, \
                 a int path '$.a' default '7' on error, e int exists path '$.b', \
                 nested path '$.b[*]' columns (b decimal(5,2) path '$'))) as j",
                "ok 0",
            ),
            ("select * from v", "1|1|1|1|5.00; 1|1|1|1|6.00; 1|2|7|0|NULL"),
            ("create view w as select b from v where b > 5", "ok 0"),
            ("select * from w", "6.00"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn an_insert_through_a_view_tells_only_of_columns_that_the_view_has() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("create table t (id int auto_increment primary key, a int)", "ok 0"),
            ("create view without as select a from t", "ok 0"),
            ("create view whole as select a, id from t", "ok 0"),
            ("insert into without values (1), (2)", "ok 2"),
            ("select last_insert_id()", "0"),
            ("insert into whole (a) values (3)", "ok 1"),
            ("select last_insert_id()", "3"),
            ("insert into without values (4)", "ok 1"),
            ("select last_insert_id()", "3"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn columns_are_told_with_what_their_tables_say_of_them() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int auto_increment primary key, n varchar(9) not null default 'it''s', ts timestamp default current_timestamp on update current_timestamp, x int default (1+2), b text comment 'hey', g int as (x + 1) comment 'made', nn int not null, d decimal(4,2) not null default 1)",
            "create view v as select t.*, 5 five, now() clock, 'a' txt, d * 2 twice, n is null as nil from t",
            "create view j as select a.id, b.n as m from t a left join t b on a.id = b.id",
            "create view vv as select m from j",
            "create view q as with c (k) as (select n from t) select k, y.x from c join (select x from t) y",
            "create view u as select id, n from t union select 1, 'x'",
        ])
        .await;
        let told = "select group_concat(column_name, '=', ifnull(column_default, 'NULL'), ' ', extra, ' ', column_comment order by ordinal_position separator '; ') from information_schema.columns where table_name = ";
        c.check(&[
            (&format!("{told}'v'"), "id=0  ; n=it's  ; ts=CURRENT_TIMESTAMP DEFAULT_GENERATED on update CURRENT_TIMESTAMP ; x=(1 + 2) DEFAULT_GENERATED ; b=NULL  hey; g=NULL  made; nn=NULL  ; d=1.00  ; five=0  ; clock=0000-00-00 00:00:00  ; txt=  ; twice=0.00  ; nil=0  "),
            (&format!("{told}'j'"), "id=0  ; m=it's  "),
            (&format!("{told}'vv'"), "m=it's  "),
            (&format!("{told}'q'"), "k=it's  ; x=(1 + 2) DEFAULT_GENERATED "),
            (&format!("{told}'u'"), "id=0  ; n=  "),
            ("show columns from v like 'ts'", "ts|timestamp|YES||CURRENT_TIMESTAMP|DEFAULT_GENERATED on update CURRENT_TIMESTAMP"),
            ("alter table t alter n set default 'other'", "ok 0"),
            ("show columns from vv", "m|varchar(9)|YES||other|"),
            ("drop table t", "ok 0"),
            ("show columns from vv", "E1356"),
            ("select count(*) from information_schema.columns where table_name = 'vv'", "1"),
        ])
        .await;
        // Two tables of one name.
        c.all(&[
            "create database d",
            "create table t (x int default 1 comment 'mine')",
            "create table d.t (x int default 2 comment 'theirs')",
            "create view two as select test.t.x, d.t.x y from test.t join d.t",
            "create view cte as with Named as (select x from t) select x from Named",
        ])
        .await;
        c.check(&[
            (&format!("{told}'two'"), "x=1  mine; y=2  theirs"),
            (&format!("{told}'cte'"), "x=1  mine"),
        ])
        .await;
        // Each view below is looked through once.
        let names: Vec<String> = (0..600).map(|n| format!("c{n}")).collect();
        c.all(&[&format!("create table wide ({} int default 3)", names.join(" int default 3, "))])
            .await;
        for n in 0..6 {
            let of = if n == 0 { "wide".to_owned() } else { format!("w{}", n - 1) };
            c.all(&[&format!("create view w{n} as select {} from {of}", names.join(", "))]).await;
        }
        let all = c.rows("show columns from w5").await;
        assert_eq!(all.matches("|int|YES||3|").count(), 600);
    });
}

/// A column under another collation is a column that is written through the view.
#[test]
fn columns_under_a_collation_are_written() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (s varchar(5), n int default 1)",
            "create view v as select s collate utf8mb4_bin as x, n from t",
            "create view w as select concat(s, '') as x, n from t",
        ])
        .await;
        c.check(&[
            ("insert into v (x) values ('a'), ('b')", "ok 2"),
            ("insert into v values ('c', 5)", "ok 1"),
            ("update v set x = 'B' where x = 'b'", "ok 1"),
            ("update v join t on t.s = v.x set v.x = 'C' where v.n = 5", "ok 1"),
            ("select s from t order by s", "a; B; C"),
            ("delete from v where x = 'A'", "ok 0"),
            ("delete from v where x = 'a'", "ok 1"),
            ("insert into w (x) values ('a')", "E1348 Column 'x' is not updatable"),
            ("update w set x = 'a'", "E1348 Column 'x' is not updatable"),
        ])
        .await;
    });
}

/// A row that goes into one table of a join view has no row of the others, whose columns nothing of the statement may name: 1393.
#[test]
fn inserts_through_a_join_view_name_one_table() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (id int primary key, a int)",
            "create table u (id int primary key, b int)",
            "insert into t values (1, 1)",
            "insert into u values (1, 1)",
            "create view v as select t.id, t.a, u.id uid, u.b from t join u on t.id = u.id",
        ])
        .await;
        let put = "insert into v (id, a) values (1, 2) on duplicate key update";
        for change in ["a = uid", "a = v.b", "a = (select b)", "b = 5", "b = b"] {
            let text = "E1393 Can not modify more than one base table through a join view 'test.v'";
            c.check(&[(&format!("{put} {change}"), text)]).await;
        }
        c.check(&[
            ("insert into v (id, a) select 1, 3 on duplicate key update a = b", "E1393"),
            ("insert into v (id, a) values (2, b)", "E1393"),
            ("insert into v (uid, b) values (1, 2) on duplicate key update b = id", "E1393"),
            (&format!("{put} z = 1"), "E1054 Unknown column 'z' in 'field list'"),
            (&format!("{put} a = z"), "E1054"),
            (&format!("{put} a = v.a + values(a)"), "ok 2"),
            ("insert into v (uid, b) values (1, 2) on duplicate key update b = b + 10", "ok 2"),
            ("select * from t join u", "1|3|1|11"),
        ])
        .await;
    });
}
