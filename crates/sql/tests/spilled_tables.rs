//! Tables that a statement makes for itself, and what goes on with their rows: with little memory every answer is the one that much memory
//! gives. Derived tables in every place of a join, common tables, recursive ones, set operations, windows, aggregates of distinct values.
use crate::common::*;
use crate::spilled::{LITTLE, MUCH, compare_with_little, fill, on_device};
use weir_disk::sim::Fault;
use weir_sql::session_api::KillKind;

const DERIVED: &[&str] = &[
    // First, alone, and behind others.
    "select count(*), sum(x.id), sum(length(x.k)) from (select id, k from t limit 2900) x",
    "select x.id, x.j, x.m, x.d, x.e, x.w, x.bi from (select * from t where id <> 7 limit 5000) x order by x.id",
    "select x.id, u.n from (select id, k from t limit 2900) x join u on u.id = x.id order by x.id",
    "select u.id, x.k from u straight_join (select id, k from t limit 2900) x on x.id = u.id order by u.id",
    "select u.id, count(x.id), min(x.k) from u left join (select id, n, k from t limit 2900) x on x.n = u.n and x.id < 200 group by u.id order by u.id",
    "select a.id, b.k from (select id, k, n from t limit 2800) a join (select id, k from t limit 2700) b on a.id = b.id order by a.id",
    "select a.id, b.id from (select id, s from t limit 2800) a left join (select id, s from t where id % 40 = 1 limit 2700) b on a.s = b.s order by a.id, b.id",
    "select a.id, b.id from (select id, k, n from t where id < 60 limit 100) a, (select id, k from t limit 2700) b where a.id > b.id + 40 order by a.id, b.id",
    "select x.id, y.id from u x join (select id, n, k from t limit 2900) y on x.n <=> y.n and y.id < x.id order by x.id, y.id limit 1000",
    // Equated in kinds that no hash serves.
    "select count(*), sum(a.id) from u a straight_join (select id, concat(id, '') c, k from t limit 2900) b on a.id = b.c",
    // In the order of an index, and in a subquery that is run for each row.
    "select u.id, x.k from u left join (select id, k from t limit 2900) x on x.id = u.id order by u.id limit 30",
    "select u.id, (select max(x.k) from (select n, k from t limit 2900) x where x.n = u.n) from u where u.id < 60 order by u.id",
    "select u.id from u where exists (select 1 from (select n, k from t limit 2900) x where x.n = u.n and x.k > 'y') order by u.id",
    "select u.id, l.k from u, lateral (select k from t where t.n = u.n order by id limit 60) l where u.id < 90 order by u.id, l.k",
    // Read by several.
    "with x as (select id, n, k from t limit 2900) select a.id, b.id from x a join x b on b.id = a.id + 1 where a.n = b.n - 1 order by a.id",
    "with x as (select id, n, k from t limit 2900) select count(*) from x where id in (select id + 3 from x) and k <> (select max(k) from x)",
    "with x as (select id, n, k from t limit 2900) select id from x where id not in (select n from x where n > 0) order by id",
    "select count(*) from (select count(*) c, max(k) m from (select n, k from t limit 2900) x group by n, k) y where y.c > 1",
    "select sum(c) from (select x.n, count(*) c from (select n, k from t limit 2900) x group by x.n with rollup) y",
    // Changed by what is read from it.
    "select id from t where id in (select id from (select id, k from t where n > 3 limit 2900) x) order by id",
];

const RECURSIVE: &[&str] = &[
    "with recursive r(i, s) as (select 1, cast(repeat('x', 80) as char(100)) union all select i + 1, s from r where i < 2500) select count(*), sum(i), max(s) from r",
    "with recursive r(id, p) as (select id, 0 from t where id < 1000 union all select id + 1000, p + 1 from r where p < 3) select count(*), sum(id), max(p) from r",
    "with recursive r(id, p) as (select id, 0 from t where id < 1000 union select id + 500, p from r where id < 2000) select count(*), sum(id) from r",
    "with recursive r(id) as (select id from t union all select id + 3000 from r where id < 6000) select id from r order by id desc limit 3000, 20",
    "with recursive r(id) as (select id from t where id <= 2000 union all select id + 2000 from r where id < 9000 limit 5000) select count(*), sum(id) from r",
    "with recursive r(a, b) as (select id, n from t where id < 50 union distinct select u.id, u.n from r join u on u.n = r.b) select count(*), sum(a) from r",
    // What has been there has no room: in one round, in several, and around in a circle.
    "with recursive r(id, k) as (select id, k from t union select id + 1000, k from r where id < 5000) select count(*), sum(id), max(k) from r",
    "with recursive r(id) as (select id + 40 from t union select (id + 1) % 3100 from r) select count(*), sum(id), min(id) from r",
    "with recursive r(i, s) as (select 1, cast(repeat('x', 80) as char(100)) union select i + 1, s from r where i < 900) select count(*), sum(i), max(s) from r",
    "with recursive r(id, k) as (select id, k from t union select id, k from t union select t.id + 3000, t.k from r join t on t.id = r.id) select count(*), sum(id) from r",
    "with recursive r(id, k) as (select id, k from t union select id + 3000, k from r where id < 3000 limit 3500) select count(*) from r",
    "with recursive r(i) as (select 1 union all select i + 1 from r where i < 2000) select a.i, b.i from r a join r b on a.i = b.i + 1 where a.i % 500 = 0 order by 1",
];

const SETS: &[&str] = &[
    "select id, k from t union all select id + 1, k from t order by k, id limit 5000",
    "select id, k from t union all select id + 1, k from t order by k desc, id desc limit 3000, 900",
    "select id, k from t union select id % 700, k from t order by length(k), concat(k, id), id",
    "select n, s from t union select n, upper(s) from t order by s, n limit 7",
    "select sql_calc_found_rows id, k from t union all select id + 1, k from t order by k, id limit 3",
    "(select id, k from t order by k limit 2000) order by id desc limit 1500",
    "select id, e from t union all select id, e from t order by e, id",
    "select id, k from t intersect select id + 10, k from t order by id",
    "select id, k from t except select id, k from u join t using (id) order by id",
    "select n, s, g from t intersect select n, upper(s), g from t where id % 3 = 0 order by n, s, g",
    "select count(*), sum(n) from (select n, s, id % 900 from t except select n, s, id % 600 from t) x",
    "select count(*), sum(a) from (select id % 700 a, k from t intersect all select id % 500, k from t) x",
    "select count(*), sum(a) from (select id % 700 a, k from t except all select id % 500, k from t where id < 2500) x",
    "select count(*), sum(id) from (select id, k from t except select 1, 'a') x",
    "select count(*), sum(id) from (select id, k from t except select id, k from t where id < 20) x",
    "select count(*), sum(id) from (select id, k from t intersect select id, k from t where id < 20) x",
    "select count(*), sum(id) from (select id, k from t except (select id, k from t where id < 900 intersect select id, k from t)) x",
    "values row(3, 'c'), row(1, 'a'), row(2, 'b') order by column_0 limit 1, 1",
];

const WINDOWS: &[&str] = &[
    "select id, row_number() over (order by k, id), rank() over (order by s), dense_rank() over (order by s), k from t order by id",
    "select id, lag(k) over w, lead(k, 3, 'none') over w, first_value(id) over w, last_value(id) over w from t window w as (partition by n order by id) order by id",
    "select id, percent_rank() over w, cume_dist() over w, ntile(7) over w from t window w as (order by s, g) order by id, 2, 3, 4",
    "select id, sum(n) over (order by id rows between 5 preceding and 3 following), max(k) over (order by id rows between 900 preceding and current row) from t where id < 1500 order by id",
    "select id, count(*) over (order by n range between 3 preceding and 2 following), avg(d) over (order by y range between interval 3 day preceding and current row) from t order by id",
    "select id, sum(n) over (order by n desc range between 1 preceding and 1 following), nth_value(id, 4) over (partition by e order by id rows between 1 following and unbounded following) from t order by id",
    "select id, sum(u) over (), count(k) over (partition by l), min(m) over (partition by e order by m) from t order by id",
    "select n, count(*), sum(count(*)) over (order by n), rank() over (order by max(k)) from t group by n order by n",
    "select id, x.k, row_number() over (partition by x.n order by x.id) r from (select id, n, k from t limit 2900) x order by id",
    "select id, (select max(u.id) from u where u.n = t.n) m, row_number() over (order by k desc, id) from t order by id",
    "select * from (select id, k, row_number() over (partition by n order by id) r from t) x where r <= 3 order by id",
    "select id, row_number() over (order by id), k from t limit 2900, 20",
    "select distinct n, count(*) over (partition by n), k from t order by n, k",
    "select t.id, u.id, sum(u.n) over (partition by t.e order by t.id, u.id) from t left join u on u.id = t.id order by t.id",
    "select id, e, w, j, lag(j) over (order by id), lead(m) over (order by id desc) from t order by id",
    "select id, json_arrayagg(n) over (order by id rows between 2 preceding and current row), bit_or(bi) over (partition by n order by id) from t order by id",
    "select id, first_value(k) over (order by n, id), last_value(f) over (order by d rows between unbounded preceding and 1 preceding) from t order by n, id",
];

/// Aggregates of distinct values, in one group and in many.
const AGGREGATES: &[&str] = &[
    "select count(distinct k), sum(distinct n), avg(distinct d), count(distinct k, n), max(distinct k) from t",
    "select count(distinct id, k), sum(distinct id), group_concat(distinct n order by n desc) from t",
    "select n, count(distinct k), sum(distinct id), count(*), group_concat(distinct g order by g) from t group by n order by n",
    "select id % 1000 a, count(distinct k), sum(distinct n), min(k) from t group by a order by a",
    "select e, count(distinct id), count(distinct j), sum(distinct n) from t group by e with rollup",
    "select count(distinct id, k), sum(count(distinct s)) over () from t group by n order by n",
    "select group_concat(k order by id) from t where id < 400",
    "select n, group_concat(k order by k desc, id separator '--') from t group by n order by n",
    "select sum(distinct id + 0e0), count(distinct null), count(distinct e), count(distinct m, h, y) from t",
];

#[test]
fn windows() {
    compare_with_little(WINDOWS);
}

#[test]
fn aggregates_of_distinct_values() {
    compare_with_little(AGGREGATES);
}

#[test]
fn derived_tables() {
    compare_with_little(DERIVED);
}

#[test]
fn recursive_tables() {
    compare_with_little(RECURSIVE);
}

#[test]
fn set_operations() {
    compare_with_little(SETS);
}

/// What goes to disk at a limit far beyond which its rows are, by the account: the operator holds no more than its share.
#[test]
fn each_stays_within_its_memory() {
    with_server(1, |server| async move {
        let mut c = server.client();
        fill(&mut c).await;
        c.all(&["create table big (id int primary key auto_increment, c varchar(250), g int)"])
            .await;
        c.all(&["insert into big (c, g) select repeat(char(65 + id % 26), 200), id % 7 from t"])
            .await;
        for _ in 0..2 {
            c.all(&["insert into big (c, g) select concat(c, 'x'), g from big"]).await;
        }
        let little =
            "set sort_buffer_size = 131072, tmp_table_size = 131072, join_buffer_size = 131072";
        c.all(&["set connection_memory_limit = 2097152", little]).await;
        let mut bad = String::new();
        for (sql, rows) in BIG {
            let got = c.ask(sql).await;
            if (got.errno(), got.rows.len()) != (0, *rows) {
                bad += &format!("{sql}\n  {} rows, {:?}\n", got.rows.len(), got.error);
            }
            if c.0.memory().used() != 0 {
                bad += &format!("{sql}\n  left {} bytes\n", c.0.memory().used());
            }
        }
        assert!(bad.is_empty(), "{bad}");
    });
}

/// With the rows that they give; all would take about 3 MB and more.
const BIG: &[(&str, usize)] = &[
    ("select count(*), max(c) from (select id, c from big limit 11999) x", 1),
    ("select x.id from (select id, c from big limit 11999) x join t on t.id = x.id", 3000),
    ("select t.id from t straight_join (select id, c from big limit 11999) x on t.id = x.id", 3000),
    ("select id from t where concat(k, id) not in (select concat(c, id) from big)", 3000),
    ("select id from t where ifnull(k, '') not in (select ifnull(c, '') from big)", 2989),
    (
        "with x as (select id, c from big limit 11999) select a.id from x a join x b on a.id = b.id",
        11_999,
    ),
    ("select id, c from big union all select id, c from big order by c, id", 24_000),
    ("select id, c from big except select id, c from big where id % 2", 6_000),
    ("select id, c from big intersect select id, c from big where id % 2", 6_000),
    ("select id, row_number() over (order by c, id) from big order by id", 12_000),
    ("select id, count(*) over (), lead(c, 50) over (order by c) from big", 12_000),
    (
        "select id, sum(id) over (partition by g order by id range between 70 preceding and 7 following) from big",
        12_000,
    ),
    ("select count(distinct c, id), sum(distinct id) from big", 1),
    (
        "select g, count(distinct c, id), group_concat(distinct id order by c) from big group by g",
        7,
    ),
    ("select group_concat(c order by id desc), group_concat(c) from big", 1),
    (
        "with recursive r(id, c) as (select id, c from big union all select id + 20000, c from r where id < 20000) select count(*) from r",
        1,
    ),
    (
        "with recursive r(id, c) as (select id, c from big union distinct select id + 20000, c from r where id < 20000) select count(*) from r",
        1,
    ),
];

/// Statements that write files of several kinds.
const WRITERS: &[&str] = &[
    "select x.id, x.k from (select id, k from t limit 2950) x",
    "select u.id from u straight_join (select id, k from t limit 2950) x on x.id = u.id",
    "select id, k from t except select id + 50, k from t",
    "select id, k from t union all select id, k from t order by k",
    "select id, lead(k) over (order by id), rank() over (partition by n order by k) from t",
    "select count(distinct k, id), sum(distinct id) from t",
    "with recursive r(id, k) as (select id, k from t union all select id + 3000, k from r where id < 6000) select count(*) from r",
    "with recursive r(id, k) as (select id, k from t union distinct select id + 3000, k from r where id < 6000) select count(*) from r",
];

/// A full device, and the quota of such files, end the statement and leave nothing.
#[test]
fn a_full_device_ends_the_statement_alone() {
    on_device(async |disk, server| {
        let mut c = server.client();
        c.rows(LITTLE).await;
        for sql in WRITERS {
            for after in [0, 3] {
                let mut writes = 0;
                disk.set_fault(Some(Box::new(move |op| {
                    let mine = op.path.starts_with("sort/") && op.kind == "write";
                    writes += u32::from(mine);
                    (mine && writes > after).then_some(Fault::Full)
                })));
                let got = c.ask(sql).await;
                assert_eq!(got.errno(), 1114, "{sql} {after}\n{:?}", got.error);
                assert_eq!(disk.held_without_a_name(), 0, "{sql}: the file is closed");
                assert_eq!(c.0.memory().used(), 0, "{sql}");
            }
            disk.set_fault(None);
            c.rows("set global weir_temp_limit = 70000").await;
            let got = c.ask(sql).await;
            assert_eq!(got.errno(), 1114, "{sql}\n{:?}", got.error);
            assert_eq!(server.inst.db.scratch_bytes(), 0, "{sql}");
            c.rows("set global weir_temp_limit = default").await;
            assert_eq!(c.ask(sql).await.errno(), 0, "{sql}");
            c.rows(MUCH).await;
            assert_eq!(c.ask(sql).await.errno(), 0, "{sql}");
            c.rows(LITTLE).await;
        }
    });
}

/// Killed at a write or a read of its file, a statement ends there, and nothing of it is left.
#[test]
fn a_kill_ends_it_at_any_moment() {
    on_device(async |disk, server| {
        for sql in WRITERS {
            for at in [1, 3, 9] {
                let kill = server.kill_switch();
                let mut c = server.client_with(kill.clone());
                c.rows(LITTLE).await;
                let switch = kill.clone();
                let mut operations = 0;
                disk.set_fault(Some(Box::new(move |op| {
                    operations += u32::from(op.path.starts_with("sort/"));
                    if operations == at {
                        switch.kill(KillKind::Query);
                    }
                    None
                })));
                let got = c.ask(sql).await;
                disk.set_fault(None);
                assert_eq!(got.errno(), 1317, "{sql} {at}\n{:?}", got.error);
                assert_eq!(disk.held_without_a_name(), 0, "{sql}");
                assert_eq!(c.0.memory().used(), 0, "{sql}");
                c.0.close().await;
            }
        }
    });
}
