//! Queries in FROM that are merged with the block around them: views and derived tables that join, pick and sort.
use crate::common::*;
use weir_rt::Rng;

const TABLES: &[(&str, &str)] = &[
    ("create table t (id int primary key, a int, b varchar(20), key (a))", "ok 0"),
    ("create table u (id int primary key, t_id int, c int, key (t_id))", "ok 0"),
    ("insert into t values (1, 10, 'x'), (2, 20, 'y'), (3, 30, 'z'), (4, 40, null)", "ok 4"),
    ("insert into u values (1, 1, 100), (2, 1, 200), (3, 2, 300), (4, 9, 400)", "ok 4"),
];

#[test]
fn indexes_of_merged_tables_are_used() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(TABLES).await;
        c.all(&[
            "create view v as select t.id, t.b, u.id as uid, u.c from t join u on u.t_id = t.id",
        ])
        .await;
        for (sql, tables) in [
            ("select * from v where uid = 3", "u const; t eq_ref"),
            ("select * from (select id, a + 1 as n from t) d where id = 2 and n = 21", "t const"),
            ("with q as (select * from t) select * from q where a = 10", "t ref"),
            (
                "select t.id, d.c from t left join (select t_id, c from u force index (t_id) where c > 100) d on d.t_id = t.id",
                "t index; u ref",
            ),
            // Not what is grouped, bounded, or made of expressions on the inner side of an outer join. What is grouped gets the condition.
            (
                "select * from (select a, count(*) from t group by a) d where a = 10",
                "<derived2> ALL; t ref",
            ),
            ("select * from (select id from t limit 2) d", "<derived2> ALL; t index"),
            (
                "select t.id from t left join (select t_id, c + 1 as n from u) d on d.t_id = t.id",
                "t index; <derived2> ALL; u ALL",
            ),
        ] {
            let plan = c.ask(&format!("explain {sql}")).await;
            // What is behind a semicolon in Extra is no row.
            let line = plan.line();
            let rows = line.split("; ").map(|row| row.split('|').collect::<Vec<_>>());
            let shown: Vec<String> = rows
                .filter(|cells| cells.len() > 4)
                .map(|cells| format!("{} {}", cells[2], cells[4]))
                .collect();
            assert_eq!(shown.join("; "), tables, "{sql}");
        }
        c.0.close().await;
    });
}

#[test]
fn rows_of_merged_queries() {
    let mut cases = TABLES.to_vec();
    cases.extend([
        ("create view v as select id, a from t where id < 4 order by a desc", "ok 0"),
        // The order of all that a block reads is its own, unless it has one.
        ("select id from v", "3; 2; 1"),
        ("select id from v limit 1", "3"),
        ("select id from v order by id", "1; 2; 3"),
        ("select count(*) from v", "3"),
        ("select * from (select b, id from t where id = 1) d (n, m)", "x|1"),
        ("select * from (select b, id from t) d (n)", "E1353"),
        ("select * from (select id, id from t) d", "E1060 Duplicate column name 'id'"),
        ("select 1 from (select id from t) d join (select id from u) d", "E1066"),
        ("select D.id from (select id from t) d", "E1054 Unknown column 'D.id' in 'field list'"),
        // What varies is asked once for each row.
        ("select count(*) from (select rand() as r from t) d where r <> r", "0"),
        ("select max(n = n) from (select @n := id as n from t) d", "1"),
        // Nothing is locked by anyone who locks the rows of the block.
        ("select id from (select id from t where id = 1) d for update", "1"),
        (
            "select id from t as x join (select t_id from u) d on d.t_id = x.id for update of d",
            "1; 1; 2",
        ),
    ]);
    check(&cases);
}

#[test]
fn a_merged_query_means_what_it_means_alone() {
    with_server(7, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table a (id int primary key, x int, s varchar(8), key (x))",
            "create table b (id int primary key, a_id int, y int, key (a_id))",
            "create table c (id int primary key, z int not null, unique (z))",
            "insert into a values (1, 1, 'a'), (2, null, 'b'), (3, 3, null), (4, 1, 'A'), (5, 2, 'c')",
            "insert into b values (1, 1, 5), (2, 1, null), (3, 2, 7), (4, null, 8), (5, 5, 5), (6, 3, 1)",
            "insert into c values (1, 5), (2, 7), (3, 1), (4, 8)",
        ])
        .await;
        let mut rng = Rng::new(20_261_126);
        for round in 0..400 {
            let (first, second) = (query(&mut rng), query(&mut rng));
            let outer = block(&mut rng);
            let ask = |more: &str| {
                let sql = outer.replace("$1", &format!("({first}{more})"));
                sql.replace("$2", &format!("({second}{more})"))
            };
            let (merged, alone) = (ask(""), ask(" limit 1000000"));
            let (m, a) = (c.ask(&merged).await.line(), c.ask(&alone).await.line());
            let sorted = |rows: &str| {
                let mut rows: Vec<&str> = rows.split("; ").collect();
                rows.sort_unstable();
                rows.join("; ")
            };
            assert_eq!(sorted(&m), sorted(&a), "round {round}\n{merged}\n{alone}");
        }
        c.0.close().await;
    });
}

/// A query of two columns, p and q.
fn query(rng: &mut Rng) -> String {
    let from = pick(
        rng,
        &[
            "a",
            "b",
            "a join b on b.a_id = a.id",
            "a left join b on b.a_id = a.id",
            "b left join (a join c on c.z = a.x) on b.a_id = a.id",
            "a, c",
            "a left join (select a_id, y from b where y > 4) b on b.a_id = a.id",
        ],
    );
    let columns: &[&str] = match () {
        () if from.starts_with("b left") => &["b.y", "a.x", "c.z", "b.id", "a.x + c.z"],
        () if from == "b" => &["b.id", "b.y", "b.a_id", "b.y + 1", "coalesce(b.y, 0)"],
        () if from == "a" => &["a.id", "a.x", "a.s", "a.x * 2", "upper(a.s)"],
        () if from == "a, c" => &["a.id", "c.z", "a.x", "c.z - a.id", "a.s"],
        () => &["a.id", "b.y", "a.x", "b.a_id", "a.s"],
    };
    let (p, q) = (pick(rng, columns), pick(rng, columns));
    let conds = match rng.below(4) {
        0 => format!(" where {} is not null", pick(rng, columns)),
        1 => format!(" where {} > 1", pick(rng, columns)),
        2 => format!(" where {} in (select z from c)", pick(rng, columns)),
        _ => String::new(),
    };
    format!("select {p} as p, {q} as q from {from}{conds}")
}

/// A block over two queries.
fn block(rng: &mut Rng) -> &'static str {
    pick(
        rng,
        &[
            "select * from $1 d",
            "select d.p, e.q from $1 d join $2 e on e.p = d.q",
            "select d.p, e.q from $1 d left join $2 e on e.p = d.p and e.q > 1",
            "select d.p, e.q from $1 d right join $2 e on e.p = d.p",
            "select p, count(*), max(q) from $1 d group by p",
            "select distinct q from $1 d where p is not null",
            "select p from $1 d where exists (select 1 from $2 e where e.q = d.p)",
            "select p from $1 d where q not in (select q from $2 e where q is not null)",
            "select d.p, (select count(*) from $2 e where e.p = d.q) from $1 d",
            "select x.id, d.q from a x left join ($1 d join $2 e on d.p = e.p) on x.id = d.q",
            "select * from (select p, q from $1 d where p > 0) f join $2 e on e.q = f.q",
            "select sum(d.p), count(e.q) from $1 d, $2 e where d.q = e.p",
            "select p, q from $1 d union select q, p from $2 e",
            "select p, row_number() over (order by p, q) > 0 from $1 d",
            "select d.p from $1 d natural join $2 e",
        ],
    )
}

fn pick<'s>(rng: &mut Rng, from: &[&'s str]) -> &'s str {
    from[rng.below(from.len() as u64) as usize]
}

#[test]
fn views_of_joins_can_be_changed() {
    let mut cases = TABLES.to_vec();
    cases.extend([
        ("create view v as select t.id, t.b, u.id as uid, u.c, u.c + 1 as n from t join u on u.t_id = t.id", "ok 0"),
        ("select is_updatable from information_schema.views where table_name = 'v'", "YES"),
        ("update v set c = 101 where uid = 1", "ok 1"),
        ("update v set b = 'w' where id = 1", "ok 1"),
        ("select id, b, uid, c from v", "1|w|1|101; 1|w|2|200; 2|y|3|300"),
        ("update v set b = 'w', c = 1", "E1393 Can not modify more than one base table through a join view 'test.v'"),
        ("update v set n = 1", "E1348 Column 'n' is not updatable"),
        ("update v set c = 1 limit 1", "E1288 The target table v of the UPDATE is not updatable"),
        ("delete from v where uid = 1", "E1395 Can not delete from join view 'test.v'"),
        ("delete v from v", "E1395"),
        ("insert into v values (1, 2, 3, 4, 5)", "E1471"),
        ("create view w as select t.id, t.a, u.id as uid, u.c from t join u on u.t_id = t.id", "ok 0"),
        ("insert into w values (1, 2, 3, 4)", "E1394 Can not insert into join view 'test.w' without fields list"),
        ("insert into w (id, uid) values (1, 2)", "E1393"),
        ("insert into w (uid, c) values (9, 900)", "ok 1"),
        ("insert into w (id, a) values (9, 90), (10, 100)", "ok 2"),
        ("insert into w (uid, c) values (9, 901) on duplicate key update c = 902", "ok 2"),
        ("replace into w (uid, c) values (9, 1)", "E1395"),
        ("select * from u where id = 9", "9|NULL|902"),
        ("select id from t where id > 8", "9; 10"),
        // A view over the view, and another table beside it.
        ("create view x as select id, c from w where id < 3", "ok 0"),
        ("update x join t on t.id = x.id set x.c = x.c + t.a", "ok 3"),
        ("select c from x order by c", "111; 210; 320"),
        // A subquery says which rows: they can be changed all the same, but not where it reads their own table.
        ("create view y as select * from t where id in (select t_id from u)", "ok 0"),
        ("update y set b = 'q'", "ok 3"),
        ("select group_concat(b order by id) from t", "q,q,z,q"),
        ("create view z as select * from t where a < (select max(a) from t)", "ok 0"),
        ("update z set a = 1", "E1288"),
        ("insert into z values (20, 1, 'n')", "E1471"),
        ("create view y2 as select * from t where id in (select t_id from u) with check option", "ok 0"),
    ]);
    check(&cases);
}

#[test]
fn check_option_of_a_join_looks_at_both_tables() {
    let mut cases = TABLES.to_vec();
    cases.extend([
        ("create view v as select t.id, t.a, u.c, u.id as uid from t join u on u.t_id = t.id where u.c > t.a with check option", "ok 0"),
        ("update v set c = 11 where uid = 1", "ok 1"),
        ("update v set c = 10 where uid = 1", "E1369 CHECK OPTION failed 'test.v'"),
        ("update v set a = 12 where id = 1", "E1369"),
        ("update ignore v set c = 1", "ok 0"),
        ("insert into v (uid, c) values (7, 7)", "E1393"),
        ("create view w as select id, a from v with local check option", "ok 0"),
        ("update w set a = 9 where id = 1", "ok 1"),
        ("update w set a = 90 where id = 1", "E1369"),
    ]);
    check(&cases);
}

#[test]
fn a_change_that_reads_its_own_table_through_a_view() {
    let mut cases = TABLES.to_vec();
    cases.extend([
        ("create view v as select * from t", "ok 0"),
        ("update t set a = (select max(a) from v)", "E1443 The definition of table 'v' prevents operation UPDATE on table 't'."),
        ("update v set a = (select max(a) from t)", "E1443 The definition of table 'v' prevents operation UPDATE on table 'v'."),
        ("update v set a = (select max(a) from v)", "E1093 You can't specify target table 'v' for update in FROM clause"),
        ("delete from t where a = (select max(a) from v)", "E1443 The definition of table 'v' prevents operation DELETE on table 't'."),
        ("insert into v values ((select max(id) + 1 from v), 1, 'n')", "E1093"),
        ("insert into t values ((select max(id) + 1 from v), 1, 'n')", "E1443"),
        // A query of its own is read before.
        ("update t set a = (select m from (select max(a) as m from v) d)", "ok 3"),
        ("delete from t where id = (select m from (select max(id) as m from (select id from t) e) d)", "ok 1"),
        ("insert into u (id, t_id) select 50, id from (select id from t where id = 1) d on duplicate key update c = d.id", "ok 1"),
        ("insert into u (id, t_id) select 50, id from (select id from t where id = 1) d on duplicate key update c = d.id", "ok 2"),
        ("select c from u where id = 50", "1"),
        ("set updatable_views_with_limit = no", "ok 0"),
        ("create view s as select a, b from t", "ok 0"),
        ("update s set b = 'n' limit 1", "E1288"),
        ("delete from s limit 1", "E1288"),
        ("update v set b = 'n' limit 1", "ok 1"),
        ("set updatable_views_with_limit = default", "ok 0"),
        ("update s set b = 'm' limit 1", "ok 1"),
    ]);
    check(&cases);
}

#[test]
fn a_derived_table_sees_the_blocks_around_its_own() {
    let mut cases = TABLES.to_vec();
    cases.extend([
        ("select id, (select sum(d.c) from (select c from u where u.t_id = t.id) d) from t", "1|300; 2|300; 3|NULL; 4|NULL"),
        ("select id from t where exists (select 1 from (select count(*) as n from u where u.t_id = t.id) d where n = 2)", "1"),
        ("select id, (with q as (select c from u where t_id = t.id) select max(c) from q) from t where id < 3", "1|200; 2|300"),
        ("select id, (select n from (select count(*) as n from (select 1 from u where t_id = t.id) e) d) from t", "1|2; 2|1; 3|0; 4|0"),
        // Not those beside it.
        ("select * from t, (select c from u where u.t_id = t.id) d", "E1054 Unknown column 't.id' in 'where clause'"),
        ("select (select 1 from u, (select u.c) d limit 1) from t", "E1054"),
    ]);
    check(&cases);
}

#[test]
fn names_and_functional_dependence() {
    let mut cases = TABLES.to_vec();
    cases.extend([
        ("create view v as select 'k', 'K', id as k from t where id = 1", "ok 0"),
        ("select column_name from information_schema.columns where table_name = 'v' order by ordinal_position", "Name_exp_1_k; Name_exp_K; k"),
        ("create or replace view v (n) as select id from t", "ok 0"),
        ("show create view v", "v|CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `v` (`n`) AS select `t`.`id` AS `id` from `t`|utf8mb4|utf8mb4_general_ci"),
        ("select N from v where n = 1", "1"),
        ("select t.id, t.b from t group by id", "1|x; 2|y; 3|z; 4|NULL"),
        ("select u.t_id, t.b from u left join t on t.id = u.t_id group by u.t_id", "1|x; 2|y; 9|NULL"),
        ("select u.t_id, t.b from u left join t on t.id = u.t_id and u.c > 1 group by u.t_id", "E1055"),
        ("select a, n from (select a, count(*) as n from t group by a) d group by a", "10|1; 20|1; 30|1; 40|1"),
        ("select (select t.b from t where t.id = u.t_id group by t.a) from u where id = 1", "x"),
        ("select count(*) from t order by a", "4"),
        ("alter table t add unique (a)", "ok 0"),
        ("select a, b from t where a is not null group by a", "10|x; 20|y; 30|z; 40|NULL"),
        ("select a, b from t group by a", "E1055"),
    ]);
    check(&cases);
}

/// What is the same for the whole statement stands in nobody's way, nor does a subquery in the list.
#[test]
fn views_that_ask_the_session_are_merged() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(TABLES).await;
        c.all(&[
            "alter table t add o varchar(99), add d datetime",
            "update t set o = if(id % 2, user(), 'x'), d = '2020-01-01' + interval id day",
            "create function f(n int) returns int no sql return n + 1",
            "create view m1 as select id, o from t where o = user() or o = 'x'",
            "create view m2 as select id, d, a from t where d < now()",
            "create view m3 as select id, now() n, curdate() c, user() u, database() s, connection_id() i, version() v, last_insert_id() l from t",
            "create view m4 as select id, (select max(c) from u) mx, (select count(*) from u where u.t_id = t.id) n from t",
            "create view m5 as select id, f(a) fa from t",
            "create view m6 as select straight_join id, a from t",
        ])
        .await;
        for (sql, table) in [
            ("select * from m1 where id = 2", "t"),
            ("select * from m2 where id = 2", "t"),
            ("select * from m3 where id = 2", "t"),
            ("select * from m4 where id = 2", "t"),
            ("select * from m5 where id = 2", "t"),
            ("select * from (select id, d from t where d < now()) q where id = 2", "t"),
            (
                "with q as (select id, d from t where d < curdate()) select * from q where id = 2",
                "t",
            ),
        ] {
            let plan = c.ask(&format!("explain format=traditional {sql}")).await.line();
            let cells: Vec<&str> = plan.split('|').collect();
            assert_eq!((cells[2], cells[4]), (table, "const"), "{sql}: {plan}");
        }
        c.check(&[
            ("select id from m1 order by id", "1; 2; 3; 4"),
            ("select id, mx, n from m4 order by n desc, id", "1|400|2; 2|400|1; 3|400|0; 4|400|0"),
            ("select id from m4 where n = 1 and mx = 400", "2"),
            ("select n, count(*), sum(mx) from m4 group by n order by n", "0|2|800; 1|1|400; 2|1|400"),
            ("select max(n) + max(mx) from m4", "402"),
            // Subqueries that name such a column: the view is read before.
            ("select id from m4 where exists (select 1 from u where u.c > m4.mx - 200) order by id", "1; 2; 3; 4"),
            ("select id, (select count(*) from u where u.c > m4.n * 150) k from m4 order by id", "1|1; 2|3; 3|4; 4|4"),
            ("select id from m4 where n in (select t_id from u where t_id = m4.n) order by id", "1; 2"),
            ("select t.id, m4.n from t left join m4 on m4.id = t.id and m4.n > 1 order by t.id", "1|2; 2|NULL; 3|NULL; 4|NULL"),
            ("select fa from m5 where fa > 21 order by fa", "31; 41"),
            // They can be changed.
            ("update m2 set a = a + 1 where id = 2", "ok 1"),
            ("update m1 set o = 'q' where id = 2", "ok 1"),
            ("select id from m1 order by id", "1; 3; 4"),
            ("delete from m2 where id = 4", "ok 1"),
            ("insert into m6 values (7, 70)", "ok 1"),
            ("update m6 set a = 71 where id = 7", "ok 1"),
            ("select a from t where id in (2, 7) order by id", "21; 71"),
        ])
        .await;
    });
}

/// The best known use: rows of one's own.
#[test]
fn check_option_over_what_the_session_says() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("create table t (id int primary key, owner varchar(99), at datetime)", "ok 0"),
            ("create sql security invoker view mine as select id, owner from t where owner = current_user() with check option", "ok 0"),
            ("insert into mine values (1, 'root@localhost')", "ok 1"),
            ("insert into mine values (2, 'someone@else')", "E1369 CHECK OPTION failed 'test.mine'"),
            ("update mine set owner = 'x' where id = 1", "E1369 CHECK OPTION failed 'test.mine'"),
            ("create view past as select id, at from t where at <= now() with check option", "ok 0"),
            ("insert into past values (3, '2020-01-01')", "ok 1"),
            ("insert into past values (4, '9999-01-01')", "E1369 CHECK OPTION failed 'test.past'"),
            ("create view here as select id, owner from t where owner = database() with check option", "ok 0"),
            ("insert into here values (5, 'test')", "ok 1"),
            ("insert into here values (6, 'other')", "E1369"),
            ("create view numbered as select id from t where id = connection_id() with check option", "ok 0"),
            ("select is_updatable from information_schema.views where table_name = 'numbered'", "YES"),
            ("insert into numbered values (1000000)", "E1369"),
            ("select id from t order by id", "1; 3; 5"),
        ])
        .await;
    });
}
