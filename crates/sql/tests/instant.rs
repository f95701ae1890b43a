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
            ("alter table t modify c int not null first, algorithm=instant", "E1845"),
            ("alter table t add h int, add key (h), algorithm=instant", "E1845"),
            ("alter table t add h int default (a + 1), algorithm=instant", "E1845"),
            ("alter table t add h int auto_increment, add key (h), algorithm=instant", "E1846"),
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

const VERSIONS: &str =
    "select total_row_versions from information_schema.innodb_tables where name like 'test/%'";

#[test]
fn columns_come_anywhere_and_go() {
    check_lives(&[
        &[
            (
                "create table t (a int primary key, b text, c int not null, d decimal(9,2), key (d))",
                "ok 0",
            ),
            ("insert into t values (1, repeat('b', 30000), 11, 1.5), (2, 'bb', 12, null)", "ok 2"),
            ("alter table t drop b, algorithm=instant", "ok 0"),
            ("select * from t", "1|11|1.50; 2|12|NULL"),
            (
                "alter table t add f varchar(10) not null default 'f' first, add g int after a, algorithm=instant",
                "ok 0",
            ),
            ("insert into t values ('new', 3, 33, 13, 3.5)", "ok 1"),
            ("update t set f = 'up', c = c + 1 where a = 2", "ok 1"),
            ("select * from t", "f|1|NULL|11|1.50; up|2|NULL|13|NULL; new|3|33|13|3.50"),
            ("select a from t where d = 1.5", "1"),
            (
                "alter table t drop c, add c varchar(5) default 'c' after d, algorithm=instant",
                "ok 0",
            ),
            ("alter table t add key (f, c), add unique (g)", "ok 0"),
            ("select a, c from t force index (f) where f = 'f'", "1|c"),
            (VERSIONS, "3"),
            (
                "select name, has_default, default_value from information_schema.innodb_columns where table_id = (select table_id from information_schema.innodb_tables where name = 'test/t') order by pos",
                "f|1|66; a|0|NULL; g|1|NULL; d|0|NULL; c|1|63",
            ),
            ("delete from t where a = 1", "ok 1"),
            ("check table t extended", "test.t|check|status|OK"),
        ],
        &[
            ("select * from t", "up|2|NULL|NULL|c; new|3|33|3.50|c"),
            ("alter table t drop d", "ok 0"),
            (VERSIONS, "0"),
            (
                "alter table t drop c, drop f, algorithm=instant",
                "E1845 ALGORITHM=INSTANT is not supported for this operation. Try ALGORITHM=COPY/INPLACE.",
            ),
            ("alter table t drop key f, drop key g", "ok 0"),
            ("alter table t drop c, drop f, algorithm=instant", "ok 0"),
            (VERSIONS, "1"),
            (
                "optimize table t",
                "test.t|optimize|note|Table does not support optimize, doing recreate + analyze instead; test.t|optimize|status|OK",
            ),
            (VERSIONS, "0"),
            ("alter table t add x int first", "ok 0"),
            ("truncate table t", "ok 0"),
            (VERSIONS, "0"),
            ("insert into t values (1, 2, 3)", "ok 1"),
            ("select * from t", "1|2|3"),
            ("create table u like t", "ok 0"),
            ("alter table t drop x, rename to w, algorithm=instant", "ok 0"),
            ("select * from w", "2|3"),
            ("alter table w drop a", "ok 0"),
            ("select * from w", "3"),
        ],
    ]);
}

/// MySQL's rules for ALGORITHM=INSTANT, with its numbers and texts.
#[test]
fn what_instant_refuses() {
    let not =
        "E1845 ALGORITHM=INSTANT is not supported for this operation. Try ALGORITHM=COPY/INPLACE.";
    let fulltext = "E1846 ALGORITHM=INSTANT is not supported. Reason: InnoDB presently supports one FULLTEXT index creation at a time. Try ALGORITHM=COPY/INPLACE.";
    let combined = "E1846 ALGORITHM=INSTANT is not supported. Reason: INPLACE ADD or DROP of virtual columns cannot be combined with other ALTER TABLE actions. Try ALGORITHM=COPY/INPLACE.";
    check(&[
        ("create table f (a int primary key, b text, c int, fulltext (b))", "ok 0"),
        ("alter table f add x int, algorithm=instant", fulltext),
        ("alter table f drop c, algorithm=instant", fulltext),
        ("alter table f add v int as (a + 1) virtual, algorithm=instant", "ok 0"),
        ("alter table f drop c", "ok 0"),
        ("create temporary table tt (a int primary key, c int)", "ok 0"),
        (
            "alter table tt drop c, algorithm=instant",
            "E1845 ALGORITHM=INSTANT is not supported for this operation. Try ALGORITHM=COPY.",
        ),
        ("create table t (a int primary key, b int, c int, v int as (b + 1), key (v))", "ok 0"),
        ("alter table t drop a, algorithm=instant", not),
        ("alter table t drop v, algorithm=instant", not),
        ("alter table t drop c, drop key v, algorithm=instant", not),
        ("alter table t add w int as (a + 2) virtual first, algorithm=instant", combined),
        ("alter table t add w int as (a + 2) stored, algorithm=instant", not),
        (
            "alter table t add w int as (a + 1), add key (w), algorithm=instant",
            "E1846 ALGORITHM=INSTANT is not supported. Reason: ADD COLUMN col...VIRTUAL, ADD INDEX(col). Try ALGORITHM=COPY/INPLACE.",
        ),
        ("alter table t add w int as (a + 1), algorithm=instant, with validation", not),
        ("alter table t add w int as (a + 1), add x int, algorithm=instant", "ok 0"),
        (
            "alter table t drop c, add check (a > 0), algorithm=instant",
            "E1845 ALGORITHM=INSTANT is not supported for this operation. Try ALGORITHM=COPY.",
        ),
        ("alter table t drop c, algorithm=instant, lock=none", "E1221"),
        ("alter table t drop b, algorithm=instant", "E3108"),
        ("create table e (a int primary key, b int, key ((b + 1)))", "ok 0"),
        ("alter table e add c int first, algorithm=instant", "ok 0"),
        ("alter table e drop b, algorithm=instant", "E3755"),
        ("alter table e add d int as (c), algorithm=instant", combined),
        ("alter table e add d int as (c)", "ok 0"),
    ]);
}

/// 64 statements change the columns at once, the next one rewrites the rows, unless it must not.
#[test]
fn row_versions_are_counted() {
    with_server(9, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (a int primary key, b int)", "insert into t values (1, 2)"]).await;
        for n in 0..64 {
            c.rows(&format!("alter table t add c{n} int default {n} first, algorithm=instant"))
                .await;
        }
        assert_eq!(
            c.ask("alter table t drop c3, algorithm=instant").await.line(),
            "E4092 Maximum row versions reached for table test/t. No more columns can be added or dropped instantly. Please use COPY/INPLACE."
        );
        assert_eq!(c.rows(VERSIONS).await, "64");
        assert_eq!(c.rows("select c63, c0, a, b from t").await, "63|0|1|2");
        c.rows("alter table t add v int as (a + 1), algorithm=instant").await;
        c.rows("alter table t drop c3").await;
        assert_eq!(c.rows(VERSIONS).await, "0");
        assert_eq!(c.rows("select c63, c0, a, b, v from t").await, "63|0|1|2|2");
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn places_of_columns_are_bounded() {
    with_server(10, |server| async move {
        let mut c = server.client();
        let list = |verb: &str, n: usize, ty: &str| {
            (0..n).map(|i| format!("{verb}c{i}{ty}")).collect::<Vec<_>>().join(", ")
        };
        c.rows(&format!("create table t (a int primary key, {})", list("", 900, " tinyint"))).await;
        c.rows("insert into t (a, c7) values (1, 7)").await;
        c.rows(&format!("alter table t {}, algorithm=instant", list("drop ", 880, ""))).await;
        let adds = list("add x", 500, " tinyint");
        assert_eq!(
            c.ask(&format!("alter table t {adds}, algorithm=instant")).await.line(),
            "E4158 Column can't be added to 'test/t' with ALGORITHM=INSTANT anymore. Please try ALGORITHM=INPLACE/COPY."
        );
        c.rows(&format!("alter table t {adds}")).await;
        assert_eq!(c.rows(VERSIONS).await, "0");
        assert_eq!(c.rows("select a, xc499 from t").await, "1|NULL");
        c.0.close().await;
        drop(server);
    });
}

/// Virtual columns that rows are older than: every reader and writer has their values.
#[test]
fn virtual_columns_come_late() {
    check_lives(&[
        &[
            ("create table t (a int primary key, b int, c text)", "ok 0"),
            ("create table log (n int auto_increment primary key, x varchar(60))", "ok 0"),
            (
                "insert into t values (1, 10, repeat('c', 20000)), (2, 20, 'cc'), (3, null, null)",
                "ok 3",
            ),
            (
                "alter table t add v int as (b + 1), add w varchar(8) as (concat(left(c, 3), v)), algorithm=instant",
                "ok 0",
            ),
            ("select a, v, w from t", "1|11|ccc11; 2|21|cc21; 3|NULL|NULL"),
            ("select v from t where a = 2", "21"),
            ("select a from t where v > 11 order by w", "2"),
            ("select max(v), count(w), sum(v) from t", "21|2|32"),
            ("select count(*) from t", "3"),
            ("select x.a, y.v from t x join t y on y.v = x.b + 1 order by 1", "1|11; 2|21"),
            ("select count(*) from t x, t y where x.b = y.v - 1", "2"),
            ("select count(*) from t x left join t y on x.v = y.v and y.w like 'cc%'", "3"),
            ("select a, (select max(y.v) from t y where y.b = t.b) from t", "1|11; 2|21; 3|NULL"),
            (
                "select a from t where v in (select v from t y where w is not null) order by a",
                "1; 2",
            ),
            ("select v from t union select v + 1 from t order by v", "NULL; 11; 12; 21; 22"),
            ("select a from t where v between 5 and 15 for update", "1"),
            ("select v, count(*) from t group by v with rollup", "NULL|1; 11|1; 21|1; NULL|3"),
            ("select a, lag(v) over (order by a) from t", "1|NULL; 2|11; 3|21"),
            (VERSIONS, "0; 0"),
            (
                "create trigger u before update on t for each row insert into log (x) values (concat('u ', old.v, ' ', new.v))",
                "ok 0",
            ),
            (
                "create trigger d after delete on t for each row insert into log (x) values (concat('d ', old.v, ' ', old.w))",
                "ok 0",
            ),
            ("update t set b = b + 100 where v = 11", "ok 1"),
            ("insert into t (a, b) values (2, 5) on duplicate key update b = v + 1", "ok 2"),
            ("replace into t (a, b, c) values (2, 7, 'x')", "ok 2"),
            ("delete from t where v is null", "ok 1"),
            ("select x from log", "u 11 111; u 21 23; d 23 cc23; NULL"),
            ("select a, v, w from t", "1|111|ccc111; 2|8|x8"),
            (
                "analyze table t update histogram on v with 4 buckets",
                "test.t|histogram|status|Histogram statistics created for column 'v'.",
            ),
            ("check table t extended", "test.t|check|status|OK"),
        ],
        &[
            ("insert into t (a, b) values (5, 50)", "ok 1"),
            (
                "alter table t add n tinyint as (b * 10) not null, add m int as (a), algorithm=instant",
                "ok 0",
            ),
            ("select a, n, m from t order by a", "1|127|1; 2|70|2; 5|127|5"),
            ("alter table t drop w, algorithm=instant", "ok 0"),
            ("alter table t drop v, add x int first, algorithm=instant", "ok 0"),
            (
                "select x, a, b, n, m from t order by a",
                "NULL|1|110|127|1; NULL|2|7|70|2; NULL|5|50|127|5",
            ),
            ("alter table t add key (m)", "ok 0"),
            ("select a from t force index (m) where m = 5", "5"),
            ("alter table t drop n, add z int as (m + a), algorithm=instant", "ok 0"),
            ("select a, z from t where z > 3 order by a", "2|4; 5|10"),
            ("alter table t add unique (z), algorithm=inplace", "ok 0"),
            ("select a from t force index (z) where z = 10", "5"),
            ("check table t extended", "test.t|check|status|OK"),
        ],
    ]);
}

#[test]
fn partitions_and_late_columns() {
    check(&[
        (
            "create table p (a int primary key, b int) partition by range (a) (partition p0 values less than (10), partition p1 values less than (20))",
            "ok 0",
        ),
        ("insert into p values (1, 1), (2, 2), (11, 11)", "ok 3"),
        (
            "alter table p add v int as (b + 1), add c int default 5 first, algorithm=instant",
            "ok 0",
        ),
        ("alter table p drop b", "E3108"),
        (
            "alter table p reorganize partition p0 into (partition q0 values less than (2), partition q1 values less than (10))",
            "ok 0",
        ),
        ("select * from p order by v desc", "5|11|11|12; 5|2|2|3; 5|1|1|2"),
        ("update p set a = a + 8 where v = 3", "ok 1"),
        ("select * from p order by a", "5|1|1|2; 5|10|2|3; 5|11|11|12"),
        ("create table o (c int default 5, a int primary key, b int, v int as (b + 1))", "ok 0"),
        (
            "alter table p exchange partition q0 with table o",
            "E1731 Non matching attribute 'INSTANT COLUMN(s)' between partition and table",
        ),
        ("alter table p drop c, algorithm=instant", "ok 0"),
        ("alter table p force", "ok 0"),
        ("alter table o drop c, force", "ok 0"),
        ("alter table p exchange partition q0 with table o", "ok 0"),
        ("select * from o", "1|1|2"),
        ("check table p extended", "test.p|check|status|OK"),
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
        b.rows("alter table u add d int, algorithm=instant").await;
        b.rows("create table w (a int primary key, b text, c int)").await;
        b.rows("insert into w values (1, repeat('b', 20000), 7)").await;
        let mut old = server.client();
        old.rows("start transaction with consistent snapshot").await;
        b.rows("alter table w drop b, add d int default 4 first, algorithm=instant").await;
        b.all(&["update w set c = 8, d = 5", "delete from w", "insert into w values (1, 1, 1)"])
            .await;
        assert_eq!(old.rows("select * from w").await, "4|1|7");
        old.rows("rollback").await;
        b.all(&["begin", "update w set c = 9", "rollback"]).await;
        assert_eq!(b.rows("select * from w").await, "1|1|1");
        old.0.close().await;
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
            let place = match rng.below(3) {
                0 => " first".to_owned(),
                1 => format!(" after {}", columns[rng.below(columns.len() as u64 - 1) as usize]),
                _ => String::new(),
            };
            let added = match rng.below(7) {
                0 => format!("add {name} int"),
                1 => format!("add {name} int not null default {value}"),
                2 => format!("add {name} varchar(30) default '{value}'"),
                3 => format!("add {name} char(3) not null"),
                4 => format!("add {name} text"),
                5 => format!("add {name} bigint as (b * 2 + {value})"),
                _ => format!("add {name} decimal(9, 2) default {value}.25"),
            };
            added + &place
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
    match rng.below(9) {
        0..=2 => {
            format!("insert ignore into T (a, b, {col}) values ({n}, {v}, {v}), ({}, 1, 2)", n + 1)
        }
        3 => format!("insert ignore into T (a, b) values ({n}, {v})"),
        4 => format!("update T set b = b + 1 where a > {n}"),
        5 => format!("update T set {col} = {v} where a between {n} and {}", n + 6),
        7 => format!(
            "update ignore T set {col} = repeat('{v}', 9000) where a between {n} and {}",
            n + 6
        ),
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
                let parts = ["", "", "partition by hash (a) partitions 3"][seed as usize % 3];
                c.rows(&format!(
                    "create table {t} (a int {key}, b int, c0 int default 4, key (b)) {parts}"
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
                assert_eq!(a.line().replace("'one'", "'two'"), b.line(), "{seed}/{step}: {sql}");
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
