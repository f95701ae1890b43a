//! Hash joins whose kept rows do not fit: they are divided in files, and give the rows that much memory gives.
use crate::common::*;
use std::sync::Arc;
use weir_disk::sim::{Fault, SimDisk};
use weir_engine::Options;
use weir_rt::sim::SimRt;
use weir_sql::session_api::KillKind;

const LITTLE: &str =
    "set join_buffer_size = 128, tmp_table_size = 8192, sort_buffer_size = 4194304";
const MUCH: &str =
    "set join_buffer_size = 67108864, tmp_table_size = default, sort_buffer_size = default";
const PARTED: &str = "select variable_value from performance_schema.session_status \
     where variable_name = 'Weir_join_parted'";

/// No column has an index. `x` and `y` have many values, `k` a NULL among a few, and one value of `z` has most rows.
async fn fill(c: &mut Client) {
    c.all(&[
        "set cte_max_recursion_depth = 100000",
        "create table a (id int, x int, k int, z int, d decimal(12,4), s varchar(40))",
        "create table b (id int, y int, k int, z int, d decimal(14,2), s varchar(40), pad varchar(100))",
        "create table c (id int, y int, t text)",
        "create table p (id int, x int) partition by hash (id) partitions 3",
        "insert into a with recursive r(i) as (select 0 union all select i + 1 from r where i < 899) \
         select i, i % 700, if(i % 5, i % 9, null), if(i % 10, 1, i), i / 4, concat(elt(i % 3 + 1, 'a', 'A', 'b '), i % 211) from r",
        "insert into b with recursive r(i) as (select 0 union all select i + 1 from r where i < 1199) \
         select i, i % 800, if(i % 3, i % 7, null), if(i % 12, 1, i), i / 4, concat(elt(i % 4 + 1, 'a', 'b', 'B', 'c'), i % 311), repeat('p', i % 90) from r",
        "insert into c select id, y, repeat('t', id % 400) from b where id % 2",
        "insert into p select id, x from a",
        "analyze table a, b, c, p",
    ])
    .await;
}

/// Each over the whole of both tables, whatever the order of the rows.
const QUERIES: &[&str] = &[
    "select a.id, b.id, b.pad from a join b on a.x = b.y",
    "select a.id, b.id from a join b on a.s = b.s",
    "select a.id, b.id from a join b on a.d = b.d",
    "select a.id, b.id from a join b on a.x = b.y and a.s < b.s",
    "select a.id, b.id from a join b on a.x = b.y and a.k = b.k",
    "select a.id, b.id from a left join b on a.x = b.y",
    "select a.id, b.id from a left join b on a.k = b.k and b.id > 1100",
    "select a.id, b.id from a left join b on a.x = b.y and b.pad > 'pppp' where b.id is null or b.id % 2",
    "select b.id, a.id from a right join b on a.x = b.y",
    // One value has most rows: parts that no other hash divides.
    "select count(*), sum(a.id * b.id % 1009) from a join b on a.z = b.z where a.id % 5 = 0",
    "select a.id, count(b.id) from a left join b on a.z = b.z and b.id % 400 = a.id % 400 where a.id < 200 group by a.id",
    // More than one such step, behind each other and in one outer join.
    "select a.id, b.id, c.id from a join b on a.x = b.y join c on c.y = b.y",
    "select a.id, b.id, c.id from a left join b on a.x = b.y left join c on c.y = b.y and c.id > 50",
    "select a.id, b.id, c.id from a left join (b join c on c.y = b.y) on a.x = b.y",
    "select a.id, b.id, c.id from (a left join b on a.x = b.y and a.k = b.k) join c on c.y = a.x",
    // Semi-joins and antijoins, NULL among the values.
    "select a.id from a where a.x in (select y from b)",
    "select a.id from a where a.k in (select k from b where b.id > 30)",
    "select a.id from a where not exists (select 1 from b where b.y = a.x)",
    "select a.id from a where exists (select 1 from b where b.y = a.x and b.k = a.k)",
    "select a.id from a where a.x not in (select y from b where id < 900)",
    // What is around a join: groups, orders, windows, unions, derived tables, conditions with subqueries.
    "select a.x, count(*), group_concat(b.id order by b.id) from a join b on a.x = b.y group by a.x",
    "select a.id, b.id, row_number() over (order by a.id, b.id) from a join b on a.x = b.y",
    "select distinct a.k, b.k from a join b on a.x = b.y",
    "select a.id, b.id from a join b on a.x = b.y order by b.pad desc, a.id, b.id limit 100, 50",
    "select v.id, w.id from (select id, x + 0 x from a) v join (select id, y from b) w on v.x = w.y",
    "select a.id, b.id from a join b on a.x = b.y where (select count(*) from c where c.id = b.id) > 0",
    "select p.id, b.id from p join b on p.x = b.y",
    "select a.id, p.id from a join p on p.x = a.x",
    "select a.id, b.id from a join b on a.x = b.y union select id, id from c",
];

async fn sorted(c: &mut Client, sql: &str) -> Vec<String> {
    let got = c.ask(sql).await;
    assert_eq!(got.errno(), 0, "{sql}\n{}", got.line());
    let mut rows: Vec<String> = got.rows.iter().map(|row| format!("{row:?}")).collect();
    rows.sort();
    rows
}

#[test]
fn answers_do_not_depend_on_memory() {
    with_server(1, |server| async move {
        let mut c = server.client();
        fill(&mut c).await;
        let mut parted = 0;
        for sql in QUERIES {
            c.rows(MUCH).await;
            let much = sorted(&mut c, sql).await;
            c.rows(LITTLE).await;
            c.rows("flush status").await;
            let little = sorted(&mut c, sql).await;
            parted += u32::from(c.rows(PARTED).await != "0");
            assert_eq!(little.len(), much.len(), "{sql}");
            let other = little.iter().zip(&much).find(|(a, b)| a != b);
            assert!(other.is_none(), "{sql}\n{other:?}");
            assert_eq!(c.0.memory().used(), 0, "{sql}");
        }
        // Semi-joins and joins of derived tables have their rows in memory.
        assert!(parted >= 15, "only {parted} of {} queries divided their rows", QUERIES.len());
    });
}

/// As a join of tables that are divided, and as a set in memory.
#[test]
fn not_in_is_a_join_where_a_set_would_be_large() {
    with_server(1, |server| async move {
        let mut c = server.client();
        fill(&mut c).await;
        c.rows(LITTLE).await;
        let mut parted = 0;
        for sql in NOT_IN {
            c.rows("set optimizer_switch = default").await;
            c.rows("flush status").await;
            let joined = sorted(&mut c, sql).await;
            parted += u32::from(c.rows(PARTED).await != "0");
            c.rows("set optimizer_switch = 'semijoin=off'").await;
            assert_eq!(sorted(&mut c, sql).await, joined, "{sql}");
            c.rows("set optimizer_switch = 'semijoin=on,hash_join=off,block_nested_loop=off'")
                .await;
            assert_eq!(sorted(&mut c, sql).await, joined, "{sql} without hash joins");
            assert_eq!(c.0.memory().used(), 0, "{sql}");
        }
        assert!(parted >= 17, "only {parted} queries divided their rows");
        // A change looks for its rows in the same way; few rows are a set.
        c.rows("set optimizer_switch = default").await;
        c.check(&[
            (
                "delete from a where ifnull(x, 0) not in (select ifnull(y, 0) from b where id % 2)",
                "ok 450",
            ),
            ("set tmp_table_size = default, join_buffer_size = default", "ok 0"),
        ])
        .await;
        let few = "explain select id from a where ifnull(x, 1) not in (select ifnull(y, 0) from b)";
        assert!(!c.rows(few).await.contains("MATERIALIZED"));
        // A plan that is kept is made again where a set may take less.
        let kept = "select count(*) from a where ifnull(x, 1) not in (select ifnull(y, 0) from b)";
        let set = [c.rows(kept).await, c.rows(kept).await];
        c.all(&[LITTLE, "flush status"]).await;
        assert_eq!([c.rows(kept).await, set[0].clone()], set);
        assert_ne!(c.rows(PARTED).await, "0");
    });
}

/// Statements that change rows find them again by their keys; INSERT ... SELECT reads with locks.
#[test]
fn changes_find_their_rows() {
    with_server(1, |server| async move {
        let mut c = server.client();
        fill(&mut c).await;
        c.all(&["create table o (v int)", LITTLE, "flush status"]).await;
        c.check(&[
            ("insert into o select b.id from a join b on a.x = b.y", "ok 1500"),
            ("update p join b on p.x = b.y set p.id = p.id + 10000 where b.id < 300", "ok 500"),
        ])
        .await;
        assert_ne!(c.rows(PARTED).await, "0");
    });
}

/// Rows that come before the kept ones are all read go out at once, and few rows ask for no file.
#[test]
fn few_rows_wait_for_nothing() {
    with_server(1, |server| async move {
        let mut c = server.client();
        fill(&mut c).await;
        c.all(&[LITTLE, "flush status"]).await;
        c.check(&[
            ("select a.id, b.id from a join b on a.x = b.y limit 1", "0|0"),
            (PARTED, "0"),
            ("select count(*) from (select a.id from a join b on a.x = b.y limit 700) v", "700"),
        ])
        .await;
    });
}

fn on_device(test: impl AsyncFnOnce(&SimDisk, Server)) {
    let sim = SimRt::new(5);
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), 5);
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

const JOINS: &[&str] = &[
    "select a.id, b.id, b.pad from a join b on a.x = b.y",
    "select count(*) from a left join b on a.z = b.z where a.id < 200",
    "select id from a where ifnull(x, 0) not in (select ifnull(y, 0) from b where id > 20)",
    "select id from a where x not in (select y from b where id > 20)",
];

/// NOT IN with a query that reads nothing around it, and has more rows than a set may have.
const NOT_IN: &[&str] = &[
    "select id from a where ifnull(x, 0) not in (select ifnull(y, 0) from b where id > 20)",
    "select id from a where ifnull(s, '') not in (select ifnull(s, '') from b where id % 3)",
    "select id from a where ifnull(x, 0) <> all (select ifnull(y, 0) from b where id > 20) and id > 5",
    "select id from a where (ifnull(x, 0), ifnull(k, 0)) not in (select ifnull(y, 0), ifnull(k, 0) from b)",
    "select id from a where ifnull(x, 0) not in (select ifnull(b.y, 0) from b join c on c.id = b.id where b.id < 900)",
    "select id from a where ifnull(x, 0) not in (select ifnull(y, 0) from b where id < 0)",
    "select id from a where ifnull(x, 0) not in (select ifnull(y, 0) from (select y from b limit 300) d)",
    "select a.id, c.id from a left join c on c.id = a.id where ifnull(a.x, 0) not in (select ifnull(y, 0) from b where id % 2)",
    "select count(*) from a where ifnull(x, 0) not in (select ifnull(y, 0) from b where id > 20) or id = 7",
    // What may be NULL on either side: some is, or nothing, or there is no row.
    "select id from a where x not in (select y from b where id > 20)",
    "select id from a where k not in (select y from b where id > 20)",
    "select id from a where k not in (select y from b where id < 0)",
    "select id from a where x not in (select nullif(y, 17) from b)",
    "select id from a where x not in (select nullif(y, 17) from b where id > 1190)",
    "select id from a where k not in (select k from b)",
    "select id from a where concat(s, id) not in (select concat(s, id) from b where id % 2)",
    "select id from a where ifnull(x, 0) not in (select y from b where id > 20)",
    "select id from a where k not in (select ifnull(y, 0) from b where id > 20)",
    "select id from a where k not in (select y + 3 from b where id > 20) and x not in (select y from b where id % 3 = 0)",
    "select id from a where x = 33 and x not in (select y from b where id > 20)",
    "select a.id, c.id from a left join c on c.id = a.id where c.y not in (select y from b where id % 7)",
    "select a.id, c.id from a join c on c.id = a.id and a.k not in (select y from b where id > 300) order by c.t, a.id",
    "select id from a where nullif(x, id) not in (select nullif(y, 3) from b where y <> 3)",
    "select id, (select max(b.id) from b where b.id <= a.id and ifnull(b.y, 0) not in (select ifnull(x, 0) from a)) from a where id < 9",
];

#[test]
fn a_full_device_ends_the_statement_alone() {
    on_device(async |disk, server| {
        let mut c = server.client();
        c.rows(LITTLE).await;
        for sql in JOINS {
            for after in [0, 3, 20] {
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
            assert_eq!(c.ask(sql).await.errno(), 0);
        }
    });
}

#[test]
fn a_kill_ends_it_at_any_moment() {
    on_device(async |disk, server| {
        for sql in JOINS {
            for at in [1, 2, 5, 20, 40] {
                let kill = server.kill_switch();
                let mut c = server.client_with(kill.clone());
                c.rows(LITTLE).await;
                let mut operations = 0;
                disk.set_fault(Some(Box::new(move |op| {
                    operations += u32::from(op.path.starts_with("sort/"));
                    if operations == at {
                        kill.kill(KillKind::Query);
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
