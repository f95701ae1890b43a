//! Columns that come, or get other names and lengths, without a look at the rows: a table answers as its twin does that is copied at each
//! ALTER, whatever random statements do to both.
use crate::common::*;
use weir_rt::Rng;

#[test]
fn what_is_instant() {
    check_lives(&[
        &[
            ("create table t (a int primary key, b varchar(10), e enum('x', 'y'))", "ok 0"),
            ("insert into t values (1, 'one', 'x'), (2, null, 'y')", "ok 2"),
            ("alter table t add c int not null default 5, algorithm=instant", "ok 0"),
            ("select * from t", "1|one|x|5; 2|NULL|y|5"),
            ("alter table t alter c set default 6, algorithm=instant", "ok 0"),
            ("insert into t (a) values (3)", "ok 1"),
            (
                "alter table t add d varchar(5) default 'dd', add (f datetime, g decimal(4,1) not null), algorithm=instant",
                "ok 0",
            ),
            ("alter table t rename column b to bb, algorithm=instant", "ok 0"),
            ("alter table t change bb bbb varchar(20), algorithm=instant", "ok 0"),
            ("alter table t modify e enum('x', 'y', 'z'), algorithm=inplace, lock=none", "ok 0"),
            ("update t set bbb = repeat('b', 20), e = 'z' where a = 2", "ok 1"),
            (
                "select * from t where a < 3",
                "1|one|x|5|dd|NULL|0.0; 2|bbbbbbbbbbbbbbbbbbbb|z|5|dd|NULL|0.0",
            ),
            ("select a, c from t where c = 6", "3|6"),
            ("alter table t add key (c), add key (d, bbb)", "ok 0"),
            ("select a from t force index (c) where c = 5 order by a", "1; 2"),
            ("select count(*) from t force index (d) where d = 'dd'", "3"),
            (
                "alter table t add h int, algorithm=instant, lock=none",
                "E1221 Incorrect usage of ALGORITHM=INSTANT and LOCK=NONE/SHARED/EXCLUSIVE",
            ),
            ("alter table t add h int first, algorithm=instant", "E1845"),
            ("alter table t add h int, add key (h), algorithm=instant", "E1845"),
            ("alter table t add h int default (a + 1), algorithm=instant", "E1845"),
            ("alter table t add h int auto_increment, add key (h), algorithm=instant", "E1845"),
            ("alter table t modify bbb varchar(2), algorithm=instant", "E1846"),
            ("alter table t add h int, algorithm=copy", "ok 3"),
            ("check table t extended", "test.t|check|status|OK"),
        ],
        &[
            ("select a, c, d, h from t", "1|5|dd|NULL; 2|5|dd|NULL; 3|6|dd|NULL"),
            ("create table n (a int, b int)", "ok 0"),
            ("insert into n values (1, 1)", "ok 1"),
            ("alter table n add t timestamp not null, algorithm=instant", "E1845"),
            ("alter table n add t date not null", "E1292"),
            ("set timestamp = 1000000000", "ok 0"),
            (
                "alter table n add t timestamp not null default current_timestamp, algorithm=instant",
                "ok 0",
            ),
            ("set timestamp = default", "ok 0"),
            ("select a, b, unix_timestamp(t) from n", "1|1|1000000000"),
            ("alter table n add constraint check (b > 0), add c int default 3", "ok 1"),
            ("select a, b, c from n", "1|1|3"),
        ],
    ]);
}

/// Rows from before a column's coming would read another value in the other table.
#[test]
fn rows_that_are_short_stay_where_they_are_read() {
    check(&[
        ("create table p (a int primary key, b int) partition by hash (a) partitions 2", "ok 0"),
        ("create table o (a int primary key, b int)", "ok 0"),
        ("insert into p values (1, 1), (2, 2), (3, 3)", "ok 3"),
        ("insert into o values (4, 4)", "ok 1"),
        ("alter table p add c int default 7, algorithm=instant", "ok 0"),
        ("alter table o add c int default 8, algorithm=instant", "ok 0"),
        (
            "alter table p exchange partition p0 with table o",
            "E1731 Non matching attribute 'INSTANT COLUMN(s)' between partition and table",
        ),
        ("alter table o force", "ok 0"),
        ("alter table p exchange partition p0 with table o", "E1731"),
        ("alter table p force", "ok 0"),
        ("alter table p exchange partition p0 with table o", "ok 0"),
        ("select * from p order by a", "1|1|7; 3|3|7; 4|4|8"),
        ("select * from o", "2|2|7"),
        ("alter table o add d int default 1", "ok 0"),
        ("truncate table o", "ok 0"),
        ("alter table p add d int", "ok 0"),
        ("alter table p exchange partition p1 with table o", "ok 0"),
        ("select * from o order by a", "1|1|7|NULL; 3|3|7|NULL"),
        ("alter table p truncate partition p0", "ok 0"),
        ("select count(*) from p", "0"),
    ]);
}

/// A transaction that began before may go on: rows are as they were.
#[test]
fn views_of_before() {
    with_server(3, |server| async move {
        let (mut a, mut b) = (server.client(), server.client());
        a.all(&["create table t (a int primary key, b int)", "insert into t values (1, 1)"]).await;
        a.all(&["create table u (a int)", "start transaction with consistent snapshot"]).await;
        b.rows("alter table t add c int default 9, algorithm=instant").await;
        b.all(&["update t set c = 10, b = 2", "insert into t values (2, 2, 2)"]).await;
        assert_eq!(a.rows("select * from t").await, "1|1|9");
        assert_eq!(a.rows("select * from t for update").await, "1|2|10; 2|2|2");
        a.all(&["update t set b = 3 where a = 1", "rollback"]).await;
        assert_eq!(b.rows("select * from t").await, "1|2|10; 2|2|2");
        a.0.close().await;
        b.0.close().await;
        drop(server);
    });
}

/// Names of the columns behind the first two.
type Columns = Vec<String>;

fn alter(rng: &mut Rng, columns: &mut Columns, made: &mut usize) -> String {
    let some = |rng: &mut Rng, columns: &Columns| rng.below(columns.len() as u64) as usize;
    match rng.below(6) {
        0 | 1 if columns.len() < 9 => {
            *made += 1;
            let name = format!("c{made}");
            columns.push(name.clone());
            let value = rng.below(30);
            match rng.below(5) {
                0 => format!("add {name} int"),
                1 => format!("add {name} int not null default {value}"),
                2 => format!("add {name} varchar(30) default '{value}'"),
                3 => format!("add {name} char(3) not null"),
                _ => format!("add {name} decimal(9, 2) default {value}.25"),
            }
        }
        2 => {
            let at = some(rng, columns);
            *made += 1;
            let old = std::mem::replace(&mut columns[at], format!("c{made}"));
            format!("rename column {old} to {}", columns[at])
        }
        3 => format!("alter {} set default {}", columns[some(rng, columns)], rng.below(30)),
        4 if columns.len() > 3 => format!("drop column {}", columns.remove(some(rng, columns))),
        _ => format!("add key ({})", columns[some(rng, columns)]),
    }
}

fn change(rng: &mut Rng, columns: &Columns) -> String {
    let col = &columns[rng.below(columns.len() as u64) as usize];
    let (n, v) = (rng.below(40), rng.below(30));
    match rng.below(8) {
        0..=2 => {
            format!("insert ignore into T (a, b, {col}) values ({n}, {v}, {v}), ({}, 1, 2)", n + 1)
        }
        3 => format!("insert ignore into T (a, b) values ({n}, {v})"),
        4 => format!("update T set b = b + 1 where a > {n}"),
        5 => format!("update T set {col} = {v} where a between {n} and {}", n + 6),
        6 => format!("delete from T where a = {n}"),
        _ => format!("replace into T (a, {col}) values ({n}, {v})"),
    }
}

#[test]
fn twins() {
    for seed in 0..6 {
        with_server(100 + seed, |server| async move {
            let mut rng = Rng::new(seed);
            let mut c = server.client();
            for t in ["one", "two"] {
                let key = if seed % 2 == 0 { "primary key" } else { "" };
                c.rows(&format!(
                    "create table {t} (a int {key}, b int, c0 int default 4, key (b))"
                ))
                .await;
            }
            let (mut columns, mut made) = (vec!["c0".to_owned()], 0);
            for step in 0..140 {
                if rng.chance(0.12) {
                    let spec = alter(&mut rng, &mut columns, &mut made);
                    // Not every one can be instant; which are is tested above.
                    let (a, b) = (
                        c.ask(&format!("alter table one {spec}")).await,
                        c.ask(&format!("alter table two {spec}, algorithm=copy")).await,
                    );
                    assert_eq!(
                        a.errno(),
                        b.errno(),
                        "{seed}/{step}: {spec}: {} {}",
                        a.line(),
                        b.line()
                    );
                }
                let sql = change(&mut rng, &columns);
                let undone = rng.chance(0.2);
                if undone {
                    c.rows("begin").await;
                }
                let (a, b) =
                    (c.ask(&sql.replace('T', "one")).await, c.ask(&sql.replace('T', "two")).await);
                assert_eq!(a.line(), b.line(), "{seed}/{step}: {sql}");
                if undone {
                    c.rows("rollback").await;
                }
                if step % 10 == 9 {
                    for col in &columns {
                        let q = |t: &str| {
                            format!(
                                "select {col}, count(*), min(a), sum(b) from {t} group by {col} order by {col}"
                            )
                        };
                        assert_eq!(
                            c.rows(&q("one")).await,
                            c.rows(&q("two")).await,
                            "{seed}/{step}: {col}"
                        );
                    }
                    let q = |t: &str| {
                        format!("select * from {t} order by a, b, {}", columns.join(", "))
                    };
                    assert_eq!(c.rows(&q("one")).await, c.rows(&q("two")).await, "{seed}/{step}");
                }
            }
            assert_eq!(c.rows("check table one extended").await, "test.one|check|status|OK");
            let shown = |s: String| s.replace("one", "two");
            assert_eq!(
                shown(c.rows("show create table one").await),
                shown(c.rows("show create table two").await)
            );
            c.0.close().await;
            drop(server);
        });
    }
}
