//! Rows about as long as a page takes: many columns of fixed width, NULL or not, and long texts, in pages of several sizes.
use crate::common::*;
use std::sync::Arc;
use weir_disk::sim::SimDisk;
use weir_engine::Options;
use weir_rt::sim::SimRt;

const PAGES: [usize; 3] = [4096, 8192, 16384];

/// A client of a server with pages of that size; the server is started again between the two halves.
fn with_pages(
    page_size: usize,
    first: impl AsyncFn(&mut Client),
    second: impl AsyncFn(&mut Client),
) {
    let sim = SimRt::new(page_size as u64);
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), 7);
    let done = sim.run(async {
        for n in 0..2 {
            let options = Options {
                page_size,
                buffer_pool: 16 << 20,
                redo_capacity: 16 << 20,
                log_buffer: 1 << 20,
                ..Options::default()
            };
            let server = start_on(&rt, Arc::new(disk.clone()), options).await;
            let db = server.inst.db.clone();
            let mut c = server.client();
            if n == 0 {
                c.rows("create database test").await;
                c.0.close().await;
                c = server.client();
            }
            match n {
                0 => first(&mut c).await,
                _ => second(&mut c).await,
            }
            c.0.close().await;
            drop(server);
            db.shutdown().await.expect("shuts down");
        }
    });
    done.expect("nothing waits for ever");
}

/// InnoDB's bound, which a refusal names.
fn limit(page_size: usize) -> usize {
    (page_size - 132) / 2
}

fn too_large(page_size: usize) -> String {
    format!(
        "E1118 Row size too large (> {}). Changing some columns to TEXT or BLOB may help. In current row format, BLOB prefix of 0 \
         bytes is stored inline.",
        limit(page_size)
    )
}

/// `id` and `n` columns `c0`, `c1`, ...
fn table(name: &str, n: usize, ty: &str) -> String {
    let columns: Vec<String> = (0..n).map(|i| format!("c{i} {ty}")).collect();
    format!("create table {name} (id int primary key, {})", columns.join(", "))
}

/// A row with `value(i)` in the i-th column.
fn row(name: &str, id: usize, n: usize, value: impl Fn(usize) -> String) -> String {
    let values: Vec<String> = (0..n).map(value).collect();
    format!("insert into {name} values ({id}, {})", values.join(", "))
}

/// The sum of all columns, in groups: a statement may not be nested as deep as there are columns.
fn sum(n: usize) -> String {
    let columns: Vec<String> = (0..n).map(|i| format!("ifnull(c{i}, 0)")).collect();
    columns.chunks(32).map(|c| format!("({})", c.join(" + "))).collect::<Vec<_>>().join(" + ")
}

const OK: (&str, &str) = ("check table t", "test.t|check|status|OK");

/// 1,016 INT and 599 BIGINT beside the key: full rows, changed, found, deleted and rolled back.
#[test]
fn columns_that_have_to_be_there() {
    for page_size in PAGES {
        for (n, ty) in [(1016, "int not null"), (599, "bigint not null"), (200, "bigint not null")]
        {
            let width = if ty.starts_with("int") { 4 } else { 8 };
            if n * width > page_size * 5 / 8 {
                with_pages(
                    page_size,
                    async |c: &mut Client| {
                        let want = too_large(page_size);
                        c.check(&[(table("t", n, ty).as_str(), want.as_str())]).await;
                        assert_eq!(c.rows(&table("t", 100, ty)).await, "ok 0");
                        let more: Vec<_> = (100..n).map(|i| format!("add c{i} {ty}")).collect();
                        let more = format!("alter table t {}", more.join(", "));
                        c.check(&[(more.as_str(), want.as_str())]).await;
                        assert_eq!(c.rows("select count(*) from t").await, "0");
                    },
                    async |c: &mut Client| {
                        assert_eq!(c.rows(&row("t", 1, 100, |i| i.to_string())).await, "ok 1");
                    },
                );
                continue;
            }
            full_rows(page_size, n, ty);
        }
    }
}

fn full_rows(page_size: usize, n: usize, ty: &str) {
    let sums = format!("select id, {} from t order by id", sum(n));
    let of = |id: usize, first: usize| (first * n + n * (n - 1) / 2 + id * n).to_string();
    with_pages(
        page_size,
        async |c: &mut Client| {
            assert_eq!(c.rows(&table("t", n, ty)).await, "ok 0");
            for id in [5, 1, 9, 3, 7] {
                assert_eq!(c.rows(&row("t", id, n, |i| (i + id).to_string())).await, "ok 1");
            }
            c.check(&[
                ("update t set c0 = c0 + 100 where id = 3", "ok 1"),
                ("begin", "ok 0"),
                ("update t set c1 = 0, c2 = c2 + 7", "ok 5"),
                ("delete from t where id > 4", "ok 3"),
                ("rollback", "ok 0"),
                ("delete from t where id = 9", "ok 1"),
                ("insert into t select * from t where id = 9", "ok 0"),
                OK,
            ])
            .await;
            let want = [(1, 0), (3, 100), (5, 0), (7, 0)];
            let sum = |(id, more): (usize, usize)| {
                format!("{id}|{}", of(id, 0).parse::<usize>().unwrap() + more)
            };
            let want = want.map(sum).join("; ");
            assert_eq!(c.rows(&sums).await, want);
            c.check(&[("alter table t add key (c3, c0), add unique key (c5)", "ok 0"), OK]).await;
            c.check(&[("select id from t force index (c3) where c3 = 6", "3")]).await;
            c.check(&[("alter table t drop key c3, force", "ok 0"), OK]).await;
            assert_eq!(c.rows(&sums).await, want);
        },
        async |c: &mut Client| {
            c.check(&[
                ("create table u like t", "ok 0"),
                ("insert into u select * from t", "ok 4"),
                ("select count(*) from t join u using (id, c0, c9)", "4"),
                ("update u set id = id + 1 where id > 4 order by id desc", "ok 2"),
                ("replace into u select * from t", "ok 8"),
                ("select group_concat(id order by id) from u", "1,3,5,7"),
                ("check table u", "test.u|check|status|OK"),
                ("delete from t", "ok 4"),
                OK,
            ])
            .await;
        },
    );
}

/// 1,016 BIGINT that are mostly NULL: NULL takes no room, so as many have values as fit, whichever they are.
#[test]
fn columns_that_are_mostly_null() {
    for page_size in PAGES {
        let n = 1016;
        let some = |id: usize, i: usize, many: usize| match (i * 31 + id * 7) % n < many {
            true => (i + id).to_string(),
            false => "null".to_owned(),
        };
        // InnoDB has 8 bytes for each, and one bit for each that may be NULL.
        let most = ((limit(page_size) - 160) / 8).min(n);
        let sums = format!("select id, {} from t where id = 4", sum(n));
        let want: usize =
            (0..n).filter_map(|i| some(4, i, most).parse::<usize>().ok()).sum::<usize>();
        with_pages(
            page_size,
            async |c: &mut Client| {
                c.check(&[(table("t", n, "bigint").as_str(), "ok 0")]).await;
                for (id, many) in [(1, 5), (2, most / 2), (3, 0), (4, most)] {
                    let insert = row("t", id, n, |i| some(id, i, many));
                    assert_eq!(c.rows(&insert).await, "ok 1", "{many} of {page_size}");
                }
                assert_eq!(c.rows(&sums).await, format!("4|{want}"));
                let done = match page_size {
                    16384 => "ok 1".to_owned(),
                    _ => too_large(page_size),
                };
                let all = row("t", 5, n, |i| i.to_string());
                let sets: Vec<String> = (0..n).map(|i| format!("c{i} = {i}")).collect();
                let grow = format!("update t set {} where id = 1", sets.join(", "));
                c.check(&[(all.as_str(), done.as_str()), (grow.as_str(), done.as_str())]).await;
                c.check(&[
                    ("update t set c7 = null, c8 = 8, c9 = c8 where id = 2", "ok 1"),
                    ("select c7, c8, c9 from t where id = 2", "NULL|8|8"),
                    ("begin", "ok 0"),
                    ("update t set c1 = 1, c1000 = 2 where id = 3", "ok 1"),
                    ("delete from t where id = 4", "ok 1"),
                    ("rollback", "ok 0"),
                    ("select c1, c1000, c1015 from t where id = 3", "NULL|NULL|NULL"),
                    OK,
                ])
                .await;
                assert_eq!(c.rows(&sums).await, format!("4|{want}"));
                c.check(&[
                    ("create index k on t (c8, c500)", "ok 0"),
                    ("select id from t force index (k) where c8 = 8 and id = 2", "2"),
                    ("alter table t drop column c1015, drop column c1014", "ok 0"),
                    ("alter table t add last bigint default 6, add t text", "ok 0"),
                    ("update t set t = repeat('x', 20000), last = null where id = 2", "ok 1"),
                    (
                        "select last, length(t), c8 from t where id in (2, 3) order by id",
                        "NULL|20000|8; 6|NULL|NULL",
                    ),
                    OK,
                ])
                .await;
            },
            async |c: &mut Client| {
                let copied = if page_size == 16384 { "ok 5" } else { "ok 4" };
                c.check(&[
                    (
                        "select last, length(t), c8 from t where id in (2, 3) order by id",
                        "NULL|20000|8; 6|NULL|NULL",
                    ),
                    ("alter table t modify c9 int, order by c8", copied),
                    ("select c9, c8 from t where id = 2", "8|8"),
                    OK,
                ])
                .await;
            },
        );
    }
}

/// A table whose columns all fitted gets more of them: its rows are copied, so that NULLs take no room; unless that is refused.
#[test]
fn columns_that_come_later() {
    let add = |from: usize, to: usize| {
        let columns: Vec<String> = (from..to).map(|i| format!("add c{i} bigint")).collect();
        format!("alter table t {}", columns.join(", "))
    };
    with_pages(
        4096,
        async |c: &mut Client| {
            c.check(&[
                    (table("t", 100, "bigint").as_str(), "ok 0"),
                    (row("t", 1, 100, |i| i.to_string()).as_str(), "ok 1"),
                    (add(100, 150).as_str(), "ok 0"),
                    (format!("{}, algorithm=instant", add(150, 200)).as_str(), "ok 0"),
                    (add(200, 800).as_str(), "ok 0"),
                    ("insert into t (id, c799) values (2, 7)", "ok 1"),
                    ("update t set c700 = 9 where id = 1", "ok 1"),
                    ("select c0, c99, c150, c700, c799 from t order by id", "0|99|NULL|9|NULL; NULL|NULL|NULL|NULL|7"),
                    ("create table p (id int primary key, a int) partition by hash (id) partitions 2", "ok 0"),
                    OK,
                ])
                .await;
        },
        async |c: &mut Client| {
            c.check(&[
                (
                    "select c0, c99, c150, c700, c799 from t order by id",
                    "0|99|NULL|9|NULL; NULL|NULL|NULL|NULL|7",
                ),
                ("truncate table t", "ok 0"),
                ("insert into t (id, c799) values (2, 7)", "ok 1"),
                OK,
            ])
            .await;
        },
    );
}

/// Partitions of such tables change places with tables of the same rows, and with no others; foreign keys and temporary tables.
#[test]
fn partitions_and_families() {
    with_pages(
        4096,
        async |c: &mut Client| {
            let parts =
                format!("{} partition by hash (id) partitions 3", table("t", 600, "bigint"));
            let insert = |name: &str, id: usize| {
                row(name, id, 600, |i| if i % 90 == 0 { id.to_string() } else { "null".into() })
            };
            c.check(&[
                (parts.as_str(), "ok 0"),
                (table("x", 600, "bigint").as_str(), "ok 0"),
                // Made with fewer columns, that all had room; then the others come, and rows stay as they were.
                (table("y", 100, "bigint").as_str(), "ok 0"),
                (insert("t", 1).as_str(), "ok 1"),
                (insert("t", 2).as_str(), "ok 1"),
                (insert("t", 3).as_str(), "ok 1"),
                (insert("x", 6).as_str(), "ok 1"),
                ("alter table t exchange partition p0 with table x", "ok 0"),
                ("select id, c90 from t order by id", "1|1; 2|2; 6|6"),
                ("select id, c90, c91 from x", "3|3|NULL"),
                OK,
            ])
            .await;
            let more: Vec<String> = (100..600).map(|i| format!("add c{i} bigint")).collect();
            let more = format!("alter table y {}, algorithm=instant", more.join(", "));
            c.check(&[
                (more.as_str(), "ok 0"),
                (
                    "alter table t exchange partition p0 with table y",
                    "E1736 Tables have different definitions",
                ),
                ("alter table y force", "ok 0"),
                ("alter table t exchange partition p0 with table y", "ok 0"),
                ("select id from t order by id", "1; 2"),
                ("select id, c90 from y", "6|6"),
                ("alter table t add partition partitions 2", "ok 0"),
                ("select id, c90 from t order by id", "1|1; 2|2"),
                ("alter table t remove partitioning", "ok 2"),
                OK,
            ])
            .await;
            c.check(&[
                    ("create table child (id int primary key, p int, foreign key (p) references x (id) on update cascade on delete cascade)", "ok 0"),
                    ("insert into child values (1, 3)", "ok 1"),
                    ("update x set id = 30, c0 = null, c1 = 4", "ok 1"),
                    ("select p from child", "30"),
                    ("delete from x", "ok 1"),
                    ("select count(*) from child", "0"),
                    ("create temporary table tt like t", "ok 0"),
                    ("insert into tt select * from t", "ok 2"),
                    ("update tt set c5 = 5", "ok 2"),
                    ("select id, c5, c90, c91 from tt", "1|5|1|NULL; 2|5|2|NULL"),
                    ("create table s as select * from tt", "ok 2"),
                    ("select id, c5, c90, c91 from s", "1|5|1|NULL; 2|5|2|NULL"),
                ])
                .await;
        },
        async |c: &mut Client| {
            c.check(&[
                    ("select id, c90, c91 from t order by id", "1|1|NULL; 2|2|NULL"),
                    ("check table t, s, y, child", "test.t|check|status|OK; test.s|check|status|OK; test.y|check|status|OK; test.child|check|status|OK"),
                ])
                .await;
        },
    );
}

/// Long texts move off the page when a row is longer than half of it, so 30 CHAR(255) always fit.
#[test]
fn long_texts_move() {
    for page_size in PAGES {
        let texts =
            |n: usize| format!("repeat('{}', {})", (b'a' + (n % 26) as u8) as char, 255 - n);
        let lengths: usize = (0..30).map(|i| 255 - i).sum();
        let lengths_of = (0..30).map(|i| format!("length(c{i})")).collect::<Vec<_>>().join(" + ");
        with_pages(
            page_size,
            async |c: &mut Client| {
                let create = format!("{} charset latin1", table("t", 30, "char(255) not null"));
                c.check(&[(create.as_str(), "ok 0")]).await;
                for id in 1..6 {
                    assert_eq!(c.rows(&row("t", id, 30, texts)).await, "ok 1");
                }
                c.check(&[
                        ("update t set c3 = 'x', c4 = repeat('y', 255) where id in (2, 4)", "ok 2"),
                        ("update t set c3 = repeat('d', 252), c4 = repeat('e', 251) where id in (2, 4)", "ok 2"),
                        ("delete from t where id = 3", "ok 1"),
                        ("create index k on t (c9(30), c8)", "ok 0"),
                        ("alter table t add v varchar(3000) default 'v', force", "ok 0"),
                        ("update t set v = repeat('v', 3000) where id = 1", "ok 1"),
                        OK,
                    ])
                    .await;
                let rows = c.rows(&format!("select distinct {lengths_of} from t")).await;
                assert_eq!(rows, lengths.to_string());
            },
            async |c: &mut Client| {
                c.check(&[
                    ("select id, length(v) from t order by id", "1|3000; 2|1; 4|1; 5|1"),
                    OK,
                ])
                .await;
            },
        );
    }
}
