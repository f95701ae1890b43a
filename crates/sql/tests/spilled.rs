//! Rows that wait on disk: with little memory for sorts, groups and DISTINCT every answer is the one that much memory gives.
use crate::common::*;
use std::sync::Arc;
use weir_disk::sim::{Fault, SimDisk};
use weir_engine::Options;
use weir_rt::sim::SimRt;
use weir_sql::session_api::KillKind;

/// The least that both take: rows of some tens of kilobytes go to disk.
pub const LITTLE: &str = "set sort_buffer_size = 32768, tmp_table_size = 1024";
pub const MUCH: &str = "set sort_buffer_size = default, tmp_table_size = default";

/// 3,000 rows of all kinds of values, with many equal ones in every column but the first.
pub async fn fill(c: &mut Client) {
    c.all(&[
        "create table t (id int primary key auto_increment, n int, u bigint unsigned, d decimal(30,10), f double, s varchar(60) collate utf8mb4_0900_ai_ci, \
         g varchar(60) collate utf8mb4_general_ci, l varchar(20) character set latin1, b varbinary(20), y date, m datetime(6), h time(3), e enum('x','','y'), \
         w set('a','b','c'), j json, k text, bi bit(9), v int as (n * 2) virtual)",
        "set cte_max_recursion_depth = 100000",
        "insert into t (n, u, d, f, s, g, l, b, y, m, h, e, w, j, k, bi) with recursive r(i) as (select 0 union all select i + 1 from r where i < 2999) \
         select if(i % 11 = 0, null, i % 37 - 18), 18446744073709551615 - i % 5, (i % 41 - 20) / 7, i % 29 / 3 - 4, concat(elt(i % 4 + 1, 'a', 'A', 'ä', 'b'), i % 13), \
         concat(elt(i % 3 + 1, 'ss', 'ß', 'S'), i % 7), if(i % 6, concat('é', i % 9), null), repeat(char(i % 251), i % 5), '2020-01-01' + interval i % 50 day, \
         '2021-03-03 04:05:06' + interval i % 77 * 1234567 microsecond, sec_to_time(i % 91 - 40), i % 3 + 1, i % 8, json_object('k', i % 10, 'a', json_array(i % 3)), \
         repeat(char(97 + i % 26), i % 300), i % 500 from r",
        "create table u (id int primary key, n int)",
        "insert into u select id, n from t where id % 3 = 0",
    ])
    .await;
}

/// Ends with an order that leaves nothing open, or tells nothing of the order.
const QUERIES: &[&str] = &[
    // Stored columns, alone and with keys that are none of the result's.
    "select * from t order by n, id",
    "select id, s from t order by s desc, id desc",
    "select id from t order by g, l desc, id",
    "select id, k from t order by k, b, id",
    "select n, d, f, y, m, h, e, w, bi from t order by d desc, f, y, m desc, h, e, w, bi, id",
    // Ties stay in the order in which they came.
    "select id, n from t order by n",
    "select id, e, w from t order by w desc",
    // DISTINCT over what is sorted, and over other things.
    "select distinct s from t order by s",
    "select distinct n, l from t order by l, n",
    "select distinct j from t order by j->'$.k', j",
    // Expressions, generated columns, JSON, subqueries.
    "select id, concat(s, '-', k), v, j from t order by v desc, concat(k, s), id",
    "select id, (select max(u.id) from u where u.n = t.n) x from t order by x, id",
    "select id, e, e + 0, m from t order by e + 0, m, id",
    "select id, cast(u as char), d * f from t order by d * f, u, id",
    // A limit that is large beside what memory takes, and small ones.
    "select id, k from t order by k desc, id limit 2000",
    "select id, k from t order by k desc, id limit 700, 900",
    "select id, k from t order by k desc, id limit 2990, 100",
    "select id, k from t order by k desc, id limit 3",
    "select sql_calc_found_rows id, k from t order by k, id limit 1500",
    // Joins, outer joins, derived tables, set operations.
    "select t.id, u.id, t.s from t left join u on u.id = t.id + 1 order by u.id desc, t.s, t.id",
    "select x.id, x.k from (select id, k from t order by k, id limit 2500) x order by x.id desc",
    "(select id, k from t order by k, id limit 1200) union all (select id, k from t order by k desc, id limit 1300) order by 2, 1",
    "select id, row_number() over (order by s, id), k from t order by k desc, id",
    // Groups, by every kind of key.
    "select n, count(*), sum(d), min(s), max(m), avg(f) from t group by n order by n",
    "select id, count(*), max(k) from t group by id order by id",
    "select s, e, count(*), group_concat(id order by id) from t group by s, e order by s, e",
    "select k, min(id), count(distinct n), sum(distinct u), group_concat(distinct g order by g) from t group by k order by min(id)",
    "select concat(id, k) c, json_arrayagg(n), bit_xor(u) from t group by c order by c",
    "select id, any_value(k), std(f) from t group by id having count(*) = 1 and max(n) > 0 order by id",
    "select j->'$.k' a, y, count(*) from t group by a, y order by a, y",
    "select id % 1000 a, sum(n), (select count(*) from u where u.id % 1000 = a) from t group by a order by a",
    "select id, sum(n), sum(sum(n)) over (order by id) from t group by id order by id",
    "select n, id % 500 r, count(*), grouping(n) from t group by n, r with rollup order by grouping(n), n, grouping(r), r",
    "select count(*) from (select id, max(k) from t group by id, k) x",
    "select sum(c) from (select count(*) c from t group by s, g, l, b) x",
    "select t.id, count(u.id), min(u.n) from t left join u on u.n = t.n and u.id < 300 group by t.id order by t.id",
    // DISTINCT without an order.
    "select count(*), sum(id) from (select distinct id, k from t) x",
    "select count(*), sum(length(k)) from (select distinct k, j from t) x",
    "select sql_calc_found_rows distinct id, k from t limit 0",
    "select count(*) from (select distinct id, k from t limit 1700) x",
    // UNION.
    "select count(*), sum(id), sum(length(k)) from (select id, k from t union select id, concat(k, 'x') from t union select id, k from t) x",
    "select count(*), sum(n) from (select id, n, s from t where id < 2000 union select id, n, upper(s) from t where id > 1000) x",
    "select count(*) from (select id, k from t union select id + 1, k from t limit 100, 3500) x",
    "select count(*) from (select id, k from t union distinct (select id, k from t union all select id, k from t)) x",
    "select id, k from t union select id, k from u join t using (id) order by 2, 1",
];

#[test]
fn answers_do_not_depend_on_memory() {
    compare_with_little(QUERIES);
}

/// Each query gives the same rows, in their order, with much memory and with little.
pub fn compare_with_little(queries: &'static [&'static str]) {
    with_server(1, move |server| async move {
        let mut c = server.client();
        fill(&mut c).await;
        c.rows("set group_concat_max_len = 100000").await;
        let mut bad = String::new();
        for sql in queries {
            c.rows(MUCH).await;
            let much = c.ask(sql).await;
            let found = c.rows("select found_rows()").await;
            assert_eq!(much.errno(), 0, "{sql}\n{}", much.line());
            c.rows(LITTLE).await;
            let little = c.ask(sql).await;
            let told = c.rows("select found_rows()").await;
            let other = little.rows.iter().zip(&much.rows).position(|(a, b)| a != b);
            let other = other.map(|n| (n, &little.rows[n], &much.rows[n]));
            let lengths = (little.rows.len(), much.rows.len());
            if told != found || lengths.0 != lengths.1 || other.is_some() {
                bad += &format!("{sql}\n{:?} {lengths:?} {told} {found} {other:?}\n", little.error);
            }
            if c.0.memory().used() != 0 {
                bad += &format!("{sql}\n  left {} bytes\n", c.0.memory().used());
            }
        }
        assert!(bad.is_empty(), "{bad}");
    });
}

/// What sorts in memory and what does not, as it is counted.
#[test]
fn spilled_sorts_are_counted() {
    with_server(1, |server| async move {
        let mut c = server.client();
        fill(&mut c).await;
        let passes = "select variable_value from performance_schema.session_status where variable_name in \
             ('Created_tmp_files', 'Sort_merge_passes', 'Sort_rows') order by variable_name";
        c.rows("flush status").await;
        c.ask("select id, k from t order by k").await;
        assert_eq!(c.rows(passes).await, "0; 0; 3000");
        c.rows(LITTLE).await;
        c.rows("flush status").await;
        c.ask("select id, k from t order by k").await;
        c.ask("select concat(id, k) from t order by k limit 2500").await;
        // A few rows of many never wait on disk.
        c.ask("select concat(id, k) from t order by k limit 2").await;
        let got = c.rows(passes).await;
        assert!(got.starts_with("2; 2; "), "{got}");
    });
}

/// A limit of memory that all rows together are beyond is no limit for a sort that may spill.
#[test]
fn little_memory_is_enough() {
    with_server(1, |server| async move {
        let mut c = server.client();
        fill(&mut c).await;
        c.all(&["create table big (id int primary key auto_increment, c varchar(250))"]).await;
        c.all(&["insert into big (c) select repeat(char(65 + id % 26), 200) from t"]).await;
        for _ in 0..3 {
            c.all(&["insert into big (c) select concat(c, 'x') from big"]).await;
        }
        c.all(&["set connection_memory_limit = 2097152"]).await;
        for (sql, much) in [
            ("select id, c from big order by c, id", 1038),
            ("select id, concat(c, id) from big order by concat(c, id)", 1038),
            ("select count(*), max(id) from big group by concat(c, id)", 4082),
            ("select distinct concat(c, id) from big", 4082),
        ] {
            c.rows(MUCH).await;
            assert_eq!(c.ask(sql).await.errno(), much, "{sql}");
            c.rows("set sort_buffer_size = 262144, tmp_table_size = 262144").await;
            let got = c.ask(sql).await;
            assert_eq!((got.errno(), got.rows.len()), (0, 24_000), "{sql} {:?}", got.error);
            assert_eq!(c.0.memory().used(), 0);
        }
    });
}

/// Statements that write files: sorts, groups, DISTINCT.
const WRITERS: &[&str] = &[
    "select id, k from t order by k, id",
    "select concat(id, k) from t order by concat(k, id)",
    "select concat(id, k) c, count(*) from t group by c order by c",
    "select distinct id, k from t order by k",
    "insert into u select id + 1000000, max(n) from t group by id, k order by id",
];

/// A device of the test's own, with `t` and `u` on it and a session with little memory.
pub fn on_device(test: impl AsyncFnOnce(&SimDisk, Server)) {
    let sim = SimRt::new(3);
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), 3);
    let done = sim.run(async {
        let server = start_on(&rt, Arc::new(disk.clone()), Options::default()).await;
        let db = server.inst.db.clone();
        let mut c = server.client_in("root", "");
        c.all(&["create database test", "use test"]).await;
        fill(&mut c).await;
        c.0.close().await;
        test(&disk, server).await;
        db.shutdown().await.expect("shuts down");
    });
    done.expect("nothing waits for ever");
}

#[test]
fn a_full_device_ends_the_statement_alone() {
    on_device(async |disk, server| {
        let mut c = server.client();
        c.rows(LITTLE).await;
        for sql in WRITERS {
            for after in [0, 1, 7] {
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
            c.check(&[("select count(*) from u", "1000")]).await;
            let got = c.ask(&format!("{sql} limit 2900")).await;
            assert_eq!((got.errno(), got.rows.len().max(got.affected as usize)), (0, 2900));
            c.rows("delete from u where id > 1000000").await;
        }
    });
}

/// Killed at a write or a read of its file, a statement ends there, and nothing of it is left.
#[test]
fn a_kill_ends_it_at_any_moment() {
    on_device(async |disk, server| {
        for sql in WRITERS {
            for at in [1, 2, 5, 20, 40] {
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

/// A UNION ALL is its branches' rows one after the other, cut by its LIMIT, however it is nested.
#[test]
fn a_union_all_is_its_branches() {
    const BRANCHES: &[&str] = &[
        "select id, s, n from t where id % 3 = 1",
        "(select id, s, n from t order by s desc, id limit 40)",
        "select n, max(s), count(*) from t group by n",
        "select distinct n, s, 1 from t where id < 200",
        "(select id, s, n from t where id < 9 union all select id, s, n from t where id > 2990)",
        "(select id, s, n from t where id < 9 union all select id, s, n from t limit 5, 6)",
        "select id, s, n from t where false",
        "values row(1, 'a', 2), row(3, 'b', 4)",
    ];
    with_server(1, |server| async move {
        let mut c = server.client();
        fill(&mut c).await;
        for (n, a) in BRANCHES.iter().enumerate() {
            for b in &BRANCHES[..=n] {
                let mut all = c.ask(a).await.rows;
                all.extend(c.ask(b).await.rows);
                for (limit, offset, count) in
                    [("", 0, usize::MAX), (" limit 7", 0, 7), (" limit 38, 900", 38, 900)]
                {
                    let cut: Vec<_> = all.iter().skip(offset).take(count).cloned().collect();
                    let sql = format!("{a} union all {b}{limit}");
                    assert_eq!(c.ask(&sql).await.rows, cut, "{sql}");
                    let found = c.rows("select found_rows()").await;
                    assert_eq!(found, all.len().min(offset.saturating_add(count)).to_string());
                    let sql = format!("select * from ({a} union all {b}{limit}) x");
                    assert_eq!(c.ask(&sql).await.rows, cut, "{sql}");
                    let mut once: Vec<String> = Vec::new();
                    all.iter().for_each(|row| {
                        if !once.contains(row) {
                            once.push(row.clone());
                        }
                    });
                    let once: Vec<_> = once.into_iter().skip(offset).take(count).collect();
                    let sql = format!("{a} union {b}{limit}");
                    // Texts that differ in case are one row.
                    if ![a, b].iter().any(|q| q.contains("'a'")) {
                        assert_eq!(c.ask(&sql).await.rows.len(), once.len(), "{sql}");
                    }
                    let sql = format!("select exists ({a} union all {b}{limit})");
                    assert_eq!(c.rows(&sql).await, u8::from(!cut.is_empty()).to_string());
                }
            }
        }
        c.check(&[
            // Every row is in the types that all branches have in common.
            ("select y, bi from t where id = 1 union all select 'x', 'y'", "2020-01-01|0; x|y"),
            ("select 1.50 union all select 2 union all select 3.125", "1.500; 2.000; 3.125"),
            ("select sql_calc_found_rows 1 union all select 2 union all select 3 limit 1", "1"),
            ("select found_rows()", "3"),
            ("set sql_select_limit = 2", "ok 0"),
            ("select 1 union all select 2 union all select 3", "1; 2"),
            ("set sql_select_limit = default", "ok 0"),
        ])
        .await;
    });
}

/// An INSERT ... SELECT reads all its rows before it writes the first, and keeps few of them in memory.
#[test]
fn an_insert_reads_first() {
    with_server(1, |server| async move {
        let mut c = server.client();
        fill(&mut c).await;
        let all = "select * from t order by id";
        let expected = c.ask(all).await.rows;
        c.all(&["create table copy like t", LITTLE, "set connection_memory_limit = 2097152"]).await;
        let columns = "id, n, u, d, f, s, g, l, b, y, m, h, e, w, j, k, bi";
        for sql in [
            format!("insert into copy ({columns}) select {columns} from t"),
            format!("replace into copy ({columns}) select {columns} from t order by k"),
            format!(
                "insert into copy ({columns}) select {columns} from t where id < 1000 union all select {columns} from t where id >= 1000"
            ),
            format!("create table made as {all}"),
        ] {
            c.rows("delete from copy").await;
            let got = c.ask(&sql).await;
            assert_eq!((got.errno(), got.affected), (0, 3000), "{sql} {:?}", got.error);
            let table = if sql.starts_with("create") { "made" } else { "copy" };
            let rows = c.ask(&all.replace(" t ", &format!(" {table} "))).await.rows;
            assert!(rows == expected, "{sql}");
        }
        c.rows(&format!("insert into copy ({columns}) select {columns} from t")).await;
        // Its own rows, which it would meet for ever.
        for doubled in [6000, 12000, 24000] {
            c.rows("insert into copy (n, k) select n, k from copy").await;
            assert_eq!(c.rows("select count(*) from copy").await, doubled.to_string());
        }
        c.check(&[
            ("insert into u select id + 5000, n from t on duplicate key update n = t.n", "ok 3000"),
            ("select count(*), sum(u.n <=> t.n) from u join t on u.id = t.id + 5000", "3000|3000"),
        ])
        .await;
        assert_eq!(c.0.memory().used(), 0);
    });
}

/// Texts that begin alike for longer than the bytes by which most comparisons end, plain ones and others, and many equal ones.
fn texts(rows: usize) -> String {
    let parts = [
        "00000012345-",
        "https://www.example.com/",
        "a",
        "A",
        "\u{e4}",
        "\u{df}",
        "ss",
        "ch",
        "CH",
        "c",
        "h",
        " ",
        "  ",
        "-",
        "\u{1}",
        "\u{4e00}",
        "\u{301}",
        "9",
        "8",
    ];
    let mut x = 7u64;
    let mut draw = |n: usize| {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (x >> 33) as usize % n
    };
    let mut list = Vec::with_capacity(rows);
    for id in 0..rows {
        let mut text =
            ["", parts[0], parts[1], "00000012345-00000012345-"][draw(4)].repeat(1 + draw(5));
        (0..draw(4)).for_each(|_| text += parts[draw(parts.len())]);
        let text = if draw(20) == 0 { "null".to_owned() } else { format!("'{text}'") };
        list.push(format!("({id}, {}, {text})", draw(3)));
    }
    list.join(", ")
}

/// Rows that wait as they are stored come in the order of their values, equal ones in the order in which they were read: in all kinds of collations, from
/// one leaf and from many, with limits and without, in memory and on disk.
#[test]
fn texts_that_begin_alike_are_in_their_order() {
    with_server(1, |server| async move {
        let mut c = server.client();
        for collation in [
            "utf8mb4_0900_ai_ci",
            "utf8mb4_0900_as_cs",
            "utf8mb4_es_trad_0900_ai_ci",
            "utf8mb4_zh_0900_as_cs",
            "utf8mb4_unicode_ci",
            "utf8mb4_spanish2_ci",
            "utf8mb4_general_ci",
            "utf8mb4_bin",
        ] {
            let table = format!(
                "create table t (id int primary key, n int, c varchar(200) collate {collation})"
            );
            c.all(&[&table, &format!("insert into t values {}", texts(700))]).await;
            for memory in [MUCH, LITTLE] {
                c.rows(memory).await;
                for (columns, order) in [
                    ("id, c", "{}"),
                    ("id, c", "{} desc"),
                    ("id", "{}"),
                    ("id, n", "n desc, {}"),
                    ("id, c", "{}, id desc limit 9"),
                    ("id, c", "{} limit 9"),
                    ("id, c", "{} desc limit 40, 300"),
                    ("id, c", "n, {} limit 30, 5"),
                    ("distinct c", "{}"),
                    ("distinct c", "{} desc limit 3, 17"),
                    ("distinct n, c", "{}, n"),
                ] {
                    let stored =
                        format!("select {columns} from t order by {}", order.replace("{}", "c"));
                    let made = columns.replace(" c", " concat(c, '')");
                    let made = format!(
                        "select {made} from t order by {}",
                        order.replace("{}", "concat(c, '')")
                    );
                    assert_eq!(
                        c.rows(&stored).await,
                        c.rows(&made).await,
                        "{collation}, {memory}: {stored}"
                    );
                    assert_eq!(c.0.memory().used(), 0, "{stored}");
                }
            }
            c.all(&["drop table t"]).await;
        }
    });
}
