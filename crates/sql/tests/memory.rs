//! The account of memory: whatever a statement or session holds is charged, refused beyond the limits, and given back.
use crate::common::*;
use weir_sql::session_api::ParamValue;

/// The least that `connection_memory_limit` takes.
const LIMIT: usize = 2 << 20;

/// 16,384 rows, four megabytes.
async fn fill(c: &mut Client) {
    c.all(&[
        "create table t (id int primary key auto_increment, c varchar(250), n int)",
        "insert into t (c, n) values (repeat('x', 240), 1), (repeat('y', 240), 2)",
    ])
    .await;
    for _ in 0..13 {
        c.rows("insert into t (c, n) select c, n from t").await;
    }
    assert_eq!(c.rows("select count(*) from t").await, "16384");
}

#[test]
fn each_consumer_is_charged_and_gives_back() {
    const CASES: &[(&str, u16)] = &[
        // Sorts of stored columns, of expressions, of set operations.
        ("select * from t order by n, c", 1038),
        ("select concat(c, id) from t order by concat(c, id)", 1038),
        (
            "(select id, c from t limit 2500) union all (select n, c from t limit 2000) order by 2, 1",
            1038,
        ),
        // DISTINCT, groups, aggregates.
        ("select distinct concat(c, id) from t", 4082),
        ("select count(*) from t group by concat(c, id)", 4082),
        ("select id + 0, max(c) from t group by id + 0", 4082),
        ("select count(distinct concat(c, id)) from t", 4082),
        ("select json_arrayagg(c) from t", 4082),
        ("select group_concat(distinct concat(c, id)) from t", 4082),
        // Rows of subqueries, derived tables, set operations, and their hash tables.
        ("select concat(c, id) from t union select c from t", 4082),
        ("(select id, c from t) union (select n, c from t) order by 1", 1038),
        ("select concat(c, id) from t intersect select concat(c, id) from t", 4082),
        ("select count(*) from (select distinct id, c from t) d", 4082),
        ("select count(*) from t join (select distinct id, c from t) d on d.id = t.id", 4082),
        ("select 'z' in (select concat(c, id) from t)", 4082),
        ("with w as (select distinct id, c from t) select count(*) from w", 4082),
        // Changes that read before they write.
        ("insert into t (c, n) select c, n from t", 4082),
        ("update t set n = n + 1 order by c", 4082),
        ("delete t from t join t u using (id)", 4082),
        // Values of functions, and variables.
        ("select length(concat(repeat('x', 1500000), repeat('y', 1500000)))", 4082),
        ("select repeat('x', 1500000), repeat('y', 1500000)", 4082),
        ("set @x = repeat('x', 3000000)", 4082),
        ("select @x := repeat('x', 3000000)", 4082),
    ];
    with_server(1, |server| async move {
        let mut c = server.client();
        fill(&mut c).await;
        let memory = c.0.memory().clone();
        assert_eq!(memory.used(), 0);
        c.rows(&format!("set connection_memory_limit = {LIMIT}")).await;
        let mut bad = String::new();
        for (sql, errno) in CASES {
            let got = c.ask(sql).await;
            if got.errno() != *errno {
                bad += &format!("{sql}\n  {}\n", got.line().chars().take(200).collect::<String>());
            }
            if memory.used() != 0 {
                bad += &format!("{sql}\n  left {} bytes\n", memory.used());
            }
        }
        assert!(bad.is_empty(), "\n{bad}");
        // The session goes on, nothing was changed, and what fits passes.
        c.check(&[
            ("select count(*), sum(n) from t", "16384|24576"),
            ("select count(*) from (select id from t) d", "16384"),
            ("select id from t order by c desc, id limit 1", "2"),
            // Elements and members take what they take in the document.
            ("select json_length(json_arrayagg(t.n)) from t, t u where u.id < 7", "98304"),
            ("select json_length(json_objectagg(concat(t.id, 'x', u.id), 1)) from t, t u where u.id < 4", "49152"),
            ("set connection_memory_limit = default", "ok 0"),
            ("select count(*) from (select distinct id, c from t) d", "16384"),
        ])
        .await;
        assert_eq!(memory.used(), 0);
        c.0.close().await;
    });
}

#[test]
fn what_a_session_keeps_stays_charged() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let memory = c.0.memory().clone();
        c.rows(&format!("set connection_memory_limit = {LIMIT}")).await;
        c.rows("set @a = repeat('x', 1000000)").await;
        assert!((1_000_000..1_001_000).contains(&memory.used()), "{}", memory.used());
        // A new value takes the place of the old one; while it is made, both are there.
        c.check(&[("set @A = repeat('x', 1500000)", "E4082")]).await;
        assert!((1_000_000..1_001_000).contains(&memory.used()), "{}", memory.used());
        c.rows("set @A = repeat('x', 50)").await;
        c.rows("set @A = repeat('x', 1500000)").await;
        assert!((1_500_000..1_501_000).contains(&memory.used()), "{}", memory.used());
        c.check(&[
            ("set @b = repeat('x', 1000000)", "E4082"),
            ("select length(left(@a, 3))", "E4082"),
            ("select @a is null", "0"),
        ])
        .await;
        c.rows("set @a = 1").await;
        assert!(memory.used() < 1000);
        // Prepared statements, by number and by name.
        let before = memory.used();
        let id = c.0.prepare(b"select length(?)").await.unwrap().id;
        c.rows("prepare p from 'select 1'").await;
        assert!(memory.used() > before + 8000);
        let big = [ParamValue::Bytes(vec![b'x'; LIMIT])];
        assert_eq!(c.execute(id, &big).await.errno(), 4082);
        assert_eq!(c.execute(id, &[ParamValue::Bytes(vec![b'x'; 100_000])]).await.line(), "100000");
        c.0.close_statement(id);
        c.rows("deallocate prepare p").await;
        assert_eq!(memory.used(), before);
        let mut prepared = 0;
        let refused = loop {
            match c.0.prepare(b"select 1").await {
                Ok(_) => prepared += 1,
                Err(e) => break e.errno,
            }
        };
        assert_eq!(refused, 4082);
        assert!((200..520).contains(&prepared), "{prepared}");
        c.0.reset().await.unwrap();
        assert_eq!(memory.used(), 0);
        // A statement's text.
        c.rows(&format!("set connection_memory_limit = {LIMIT}")).await;
        let long = format!("select length('{}')", "x".repeat(LIMIT / 2));
        assert_eq!(c.ask(&long).await.errno(), 4082);
        c.rows("select 1").await;
        c.0.close().await;
    });
}

#[test]
fn the_server_has_a_limit_for_all_sessions() {
    with_server(1, |server| async move {
        let (mut a, mut b) = (server.client(), server.client());
        let status = "show status like 'Global_connection_memory'";
        a.check(&[
            (status, "Global_connection_memory|0"),
            ("set global global_connection_memory_limit = 16777216", "ok 0"),
            ("set @x = repeat('x', 9000000)", "ok 0"),
        ])
        .await;
        b.check(&[
            ("set @x = repeat('x', 9000000)", "E4081"),
            ("set @x = repeat('x', 5000000)", "ok 0"),
            // In chunks of 64 KiB.
            (status, "Global_connection_memory|14090240"),
        ])
        .await;
        a.0.close().await;
        b.check(&[("set @y = repeat('x', 9000000)", "ok 0")]).await;
        b.0.close().await;
        assert_eq!(server.inst.memory.used(), 0);
        let mut c = server.client();
        c.check(&[
            ("set global global_connection_memory_tracking = off", "ok 0"),
            ("set @x = repeat('x', 20000000)", "ok 0"),
            (status, "Global_connection_memory|0"),
        ])
        .await;
        c.0.close().await;
    });
}

/// Results have MySQL's own limit: NULL with a warning for a function's, an error for a row.
#[test]
fn results_are_no_larger_than_a_packet() {
    with_server(1, |server| async move {
        server.client().rows("set global max_allowed_packet = 1048576").await;
        let mut c = server.client();
        for call in [
            "repeat('x', 2000000)",
            "concat(repeat('x', 600000), repeat('y', 600000))",
            "concat_ws(',', repeat('x', 600000), repeat('y', 600000))",
            "space(2000000)",
            "lpad('x', 2000000, 'y')",
            "replace(repeat('x', 600000), 'x', 'yy')",
            "hex(repeat('x', 600000))",
            "to_base64(repeat('x', 900000))",
            "insert(repeat('x', 600000), 1, 0, repeat('y', 600000))",
            "quote(repeat('''', 600000))",
            "regexp_replace(repeat('x', 600000), 'x', 'yy')",
        ] {
            let got = c.ask(&format!("select {call} is null")).await;
            assert_eq!((got.line().as_str(), got.warnings), ("1", 1), "{call}");
            assert!(c.rows("show warnings").await.starts_with("Warning|1301|"), "{call}");
        }
        c.check(&[("select repeat('x', 600000), repeat('y', 600000)", "E1153"), ("select 1", "1")])
            .await;
        c.0.close().await;
    });
}

/// Rows are kept only where a trigger may move them to where the statement is still to read.
#[test]
fn an_update_with_triggers_holds_no_rows_that_stay_in_place() {
    with_server(1, |server| async move {
        let mut c = server.client();
        fill(&mut c).await;
        c.all(&[
            "alter table t add column g int as (n + 1) stored, add column m int",
            "create trigger b before update on t for each row set new.c = upper(old.c)",
        ])
        .await;
        c.rows(&format!("set connection_memory_limit = {LIMIT}")).await;
        c.check(&[
            ("update t set n = n + 1", "ok 16384"),
            ("update t force index (primary) set m = 1 where id > 0", "ok 16384"),
            // What a trigger sets decides, and what else the place of a row rests on.
            ("create trigger b2 before update on t for each row set new.m = new.n", "ok 0"),
            ("update t set n = n + 1", "ok 16384"),
            ("alter table t add key (m)", "ok 0"),
            ("update t set n = n + 1", "ok 16384"),
            ("update t force index (m) set n = n + 1 where m > 0", "E4082"),
            ("drop trigger b2", "ok 0"),
            ("update t force index (m) set n = n + 1 where m > 0", "ok 16384"),
            // One that reads the key moves nothing.
            ("create trigger b3 before update on t for each row set new.c = new.id", "ok 0"),
            ("update t set n = n + 1", "ok 16384"),
            ("drop trigger b3", "ok 0"),
            ("create trigger b3 before update on t for each row set new.id = new.id", "ok 0"),
            ("update t set n = n + 1", "E4082"),
            ("update t set n = n + 1 where id = 1", "ok 1"),
            ("drop trigger b3", "ok 0"),
            ("alter table t add key (g)", "ok 0"),
            ("create trigger b4 before update on t for each row set new.n = old.n + 1", "ok 0"),
            ("update t force index (g) set c = 'z' where g > 0", "E4082"),
            ("update t set c = 'z'", "ok 16384"),
        ])
        .await;
        assert_eq!(c.0.memory().used(), 0);
        c.0.close().await;
    });
}

/// Savepoints are few in most programs. Where they are many they are on the session's account until the transaction ends.
#[test]
fn savepoints_are_charged() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (id int primary key)", "begin", "insert into t values (1)"]).await;
        c.all(&["set connection_memory_limit = 2097152"]).await;
        let memory = c.0.memory().clone();
        let before = memory.used();
        let name = |n: usize| format!("savepoint `{}{n}`", "s".repeat(50));
        for n in 0..200 {
            c.rows(&name(n)).await;
        }
        assert!(memory.used() - before > 200 * 60, "{}", memory.used());
        // One of the same name takes its place.
        let full = memory.used();
        c.rows(&name(3)).await;
        assert_eq!(memory.used(), full);
        c.rows(&format!("release savepoint `{}0`", "s".repeat(50))).await;
        assert_eq!(memory.used(), before);
        c.rows(&name(1)).await;
        c.rows("commit").await;
        assert_eq!(memory.used(), before);
        c.0.close().await;
    });
}

/// Whatever a session makes grow, one statement after another, ends with the session's limit or with a limit of MySQL's own; and what it
/// has made is given back.
#[test]
fn all_that_grows_is_charged_or_bounded() {
    /// What is done before, the statement with `{n}` for a number that grows, its end, times that are enough for it, and what gives back.
    type Case<'c> = (&'c [&'c str], &'c str, u16, usize, &'c [&'c str]);
    let wide = format!(
        "create temporary table `w{{n}}` ({})",
        (0..200).map(|n| format!("c{n} int comment 'a column'")).collect::<Vec<_>>().join(",")
    );
    let tables = "create temporary table `a table with a long name {n}` (id int)";
    let comment = "one more column".repeat(60);
    let altered = &*format!("alter table grows add column c{{n}} int comment '{comment}'");
    let lock = "select get_lock(concat('a name of a lock that is long {n}', space(20)), 0)";
    let many = "insert ignore into few select 1000 + id from t";
    let cases: &[Case<'_>] = &[
        (&[], "set @variable_{n} = repeat('x', 5000)", 4082, 1000, &[]),
        (&[], "select @chosen_{n} := repeat('x', 5000)", 4082, 1000, &[]),
        (&[], lock, 4082, 10_000, &["select release_all_locks()"]),
        (&[], tables, 4082, 1000, &[]),
        (&[], &wide, 4082, 100, &[]),
        (&["create temporary table grows (id int)"], altered, 4082, 1000, &["drop table grows"]),
        (&[], "prepare named_{n} from 'select 1'", 4082, 1000, &[]),
        (&["set @@session.max_error_count = 65535"], many, 0, 1, &["select 1"]),
    ];
    with_server(1, |server| async move {
        let mut c = server.client();
        fill(&mut c).await;
        let columns = (0..500).map(|n| format!("c{n} int")).collect::<Vec<_>>().join(",");
        c.all(&["create table few (id tinyint)", &format!("create table wide ({columns})")]).await;
        // A short text whose plan is large.
        let memory = c.0.memory().clone();
        let id = c.0.prepare(b"select * from wide").await.unwrap().id;
        assert!(memory.used() > 200_000, "{}", memory.used());
        c.0.close_statement(id);
        assert_eq!(memory.used(), 0);
        let mut bad = String::new();
        for (before, grows, errno, times, back) in cases {
            c.rows(&format!("set connection_memory_limit = {LIMIT}")).await;
            for sql in *before {
                c.rows(sql).await;
            }
            let mut got = 0;
            for n in 0..*times {
                got = c.ask(&grows.replace("{n}", &n.to_string())).await.errno();
                if got != 0 {
                    break;
                }
            }
            if got != *errno {
                bad += &format!("{grows}\n  ended with {got} and {} bytes\n", memory.used());
            }
            if memory.used() > LIMIT {
                bad += &format!("{grows}\n  took {} bytes\n", memory.used());
            }
            for sql in *back {
                c.rows(sql).await;
            }
            c.0.reset().await.unwrap();
            if memory.used() != 0 {
                bad += &format!("{grows}\n  left {} bytes\n", memory.used());
            }
        }
        assert!(bad.is_empty(), "\n{bad}");
        c.0.close().await;
    });
}

#[test]
fn texts_of_variables_lists_of_locks_and_warnings_are_charged() {
    with_server(1, |server| async move {
        let mut c = server.client();
        fill(&mut c).await;
        let memory = c.0.memory().clone();
        c.rows(&format!("set connection_memory_limit = {LIMIT}")).await;
        // A variable of the session whose text is any.
        let text = |n: usize| format!("set session innodb_tmpdir = repeat('x', {n})");
        c.check(&[(&text(600_000), "ok 0")]).await;
        assert!((600_000..700_000).contains(&memory.used()), "{}", memory.used());
        c.check(&[(&text(1_900_000), "E4082")]).await;
        c.check(&[("select length(@@session.innodb_tmpdir)", "600000")]).await;
        c.check(&[("set session innodb_tmpdir = default", "ok 0")]).await;
        assert_eq!(memory.used(), 0);
        // A list of locks is larger than its text.
        let list = |n: usize| {
            let items = (0..n).map(|n| format!("t a{n} read")).collect::<Vec<_>>();
            format!("lock tables {}", items.join(","))
        };
        c.rows(&list(2000)).await;
        assert!(memory.used() > 200_000, "{}", memory.used());
        c.rows("unlock tables").await;
        assert_eq!(memory.used(), 0);
        // Warnings that are kept for SHOW WARNINGS.
        c.all(&["create table few (id tinyint)", "set max_error_count = 65535"]).await;
        c.rows("insert ignore into few select 1000 + id from t").await;
        assert!(memory.used() > 500_000, "{}", memory.used());
        c.rows("select count(*) from few").await;
        assert_eq!(memory.used(), 0);
        c.0.close().await;
    });
}
