//! How tables are joined: rows that are kept and found by hash, the order, common tables that are made once. That the answers are right whatever
//! is chosen is asked by comparing each with the same question in a form that leaves no choice.
use crate::common::*;
use weir_rt::Rng;

/// What sessions have read so far of tables that are read whole, and the searches of an index.
const READ: &str = "select group_concat(variable_value order by variable_name separator ' ') from performance_schema.session_status \
     where variable_name in ('Handler_read_rnd_next', 'Handler_read_key')";

#[test]
fn a_table_without_an_index_is_read_once() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table a (x int, s varchar(20))",
            "create table b (y int, s varchar(20))",
            "insert into a with recursive r as (select 1 n union all select n + 1 from r where n < 300) select n, concat('k', n) from r",
            "insert into b select x * 2, s from a",
            "analyze table a, b",
        ])
        .await;
        let joins = [
            ("select count(*) from a join b on a.x = b.y", "150"),
            ("select count(*) from a join b on a.x + 1 = b.y", "150"),
            ("select count(*) from a join b on a.s = b.s", "300"),
            ("select count(*) from a left join b on a.x = b.y", "300"),
            (
                "select count(*), sum(b.y is null) from a left join b on a.x = b.y and b.y < 100",
                "300|251",
            ),
            ("select count(*) from a join b on a.x = b.y and b.y < 100", "49"),
            ("select count(*) from a join b on a.x < b.y", "67500"),
        ];
        for (sql, rows) in joins {
            c.check(&[("flush status", "ok 0"), (sql, rows), (READ, "2 602")]).await;
        }
        // Anyone who asks for few rows does not wait for all of a table.
        c.check(&[
            ("flush status", "ok 0"),
            ("select a.x from a join b on b.y > 0 limit 1", "1"),
            (READ, "2 2"),
        ])
        .await;
        c.check(&[
            ("explain select * from a join b on a.x = b.y", "1|SIMPLE|a|NULL|ALL|NULL|NULL|NULL|NULL|300|100.00|NULL; 1|SIMPLE|b|NULL|ALL|NULL|NULL|NULL|NULL|300|10.00|Using where; Using join buffer (hash join)"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn rows_beyond_the_memory_of_a_session_go_to_a_file() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table a (x int, s varchar(3000))",
            "insert into a with recursive r as (select 1 n union all select n + 1 from r where n < 990) select n, repeat('x', 3000) from r",
            "analyze table a",
        ])
        .await;
        const KEPT: &str = "select group_concat(variable_value order by variable_name separator ' ') \
             from performance_schema.session_status where variable_name like 'Weir\\_join%'";
        let join = ("select count(*) from a join a b on a.x = b.x where a.x < 4 and b.s > ''", "3");
        c.check(&[
            ("flush status", "ok 0"),
            join,
            (KEPT, "1 0 0"),
            ("set connection_memory_limit = 2097152", "ok 0"),
            join,
            (KEPT, "1 0 1"),
            // With what is kept the limit is free for the next statement.
            join,
            (KEPT, "1 0 2"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn rows_that_are_locked_are_found_by_all_means() {
    let cases = [
        ("create table a (x int)", "ok 0"),
        ("create table b (y int)", "ok 0"),
        ("insert into a values (1), (2), (2), (null)", "ok 4"),
        ("insert into b values (2), (3), (null), (1)", "ok 4"),
        ("set transaction isolation level read committed", "ok 0"),
        ("begin", "ok 0"),
        ("select x, y from a join b on x = y order by x for share", "1|1; 2|2; 2|2"),
        ("select x, y from a join b on x = y order by x for update", "1|1; 2|2; 2|2"),
        ("commit", "ok 0"),
        ("begin", "ok 0"),
        ("select x, y from a join b on x = y order by x for share", "1|1; 2|2; 2|2"),
        ("commit", "ok 0"),
        ("insert into a select y from b join a on x <=> y", "ok 4"),
        ("update a join b on x = y set x = x + 10", "ok 6 matched 6"),
        ("select group_concat(x order by x) from a", "11,11,12,12,12,12"),
    ];
    with_server(1, |server| async move {
        let mut c = server.client();
        for (sql, expected) in cases {
            let line = c.ask(sql).await.line();
            let expected = expected.split(" matched").next().unwrap_or_default();
            assert!(line.starts_with(expected), "{sql}: {line}");
        }
        c.0.close().await;
        drop(server);
    });
}

/// Columns of one kind or of several, with equal values in other forms.
const COLUMNS: [&str; 22] = [
    "t tinyint",
    "u bigint unsigned",
    "d decimal(10, 3)",
    "e decimal(20, 0)",
    "f double",
    "g float",
    "s varchar(10) collate utf8mb4_0900_ai_ci",
    "c char(10) collate utf8mb4_general_ci",
    "b varbinary(10)",
    "da date",
    "dt datetime(3)",
    "ti time(2)",
    "ts timestamp(1)",
    "ye year",
    "bi bit(5)",
    "en enum('b', 'a', '')",
    "se set('a', 'b')",
    "nu varchar(20) collate utf8mb4_0900_ai_ci",
    "bc varchar(10) collate utf8mb4_bin",
    "la varchar(20) character set latin1",
    "tx text collate utf8mb4_0900_ai_ci",
    "js json",
];

#[test]
fn a_hash_finds_what_a_comparison_finds() {
    with_server(7, |server| async move {
        let mut c = server.client();
        let mut rng = Rng::new(27_11);
        c.rows("set sql_mode = ''").await;
        for t in ["x", "y"] {
            c.rows(&format!("create table {t} (id int primary key, {})", COLUMNS.join(", "))).await;
            for id in 0..24 {
                let n = rng.below(6) as i64 - 2;
                let values = [
                    format!("{n}"),
                    format!("{}", n.unsigned_abs()),
                    format!("{n}.500"),
                    format!("{n}"),
                    format!("{n}"),
                    format!("{n}.5"),
                    format!("'{}'", ["a", "A", "á", "b ", "b", ""][rng.below(6) as usize]),
                    format!("'{}'", ["a", "A", "á", "b ", "b", ""][rng.below(6) as usize]),
                    format!("'{}'", ["a", "A", "b ", "b", "", "\\0"][rng.below(6) as usize]),
                    format!("'2024-01-0{}'", n + 3),
                    format!("'2024-01-0{} 00:00:00.00{}'", n + 3, rng.below(2)),
                    format!("'0{}:00:00.5'", n + 3),
                    format!("'2024-01-0{} 00:00:00'", n + 3),
                    format!("{}", 2000 + n),
                    format!("{}", n + 2),
                    format!("'{}'", ["a", "b", ""][rng.below(3) as usize]),
                    format!("'{}'", ["a", "b", "a,b"][rng.below(3) as usize]),
                    format!("'{}'", ["1e0", " 2", "2abc", "", "x", "2.0"][rng.below(6) as usize]),
                    format!("'{}'", ["a", "A", "á", "b ", "b", ""][rng.below(6) as usize]),
                    format!("'{}'", ["a", "2024-1-3", "2", "b", "x", ""][rng.below(6) as usize]),
                    format!(
                        "'{}'",
                        ["02:00:00.50", "3y", "2", "-1", "", "a"][rng.below(6) as usize]
                    ),
                    format!(
                        "'{}'",
                        ["2", "2.0", "\"2\"", "\"a\"", "null", "[1]"][rng.below(6) as usize]
                    ),
                ];
                let values: Vec<String> = (values.into_iter())
                    .map(|v| if rng.below(8) == 0 { "null".to_owned() } else { v })
                    .collect();
                c.rows(&format!("insert into {t} values ({id}, {})", values.join(", "))).await;
            }
        }
        let names: Vec<&str> = COLUMNS.iter().filter_map(|c| c.split(' ').next()).collect();
        for a in &names {
            for b in &names {
                let by_hash = format!("x.{a} = y.{b}");
                let plain = format!("not (x.{a} <> y.{b})");
                let rows = |on: &str| {
                    format!("select x.id, y.id from x join y on {on} order by x.id, y.id")
                };
                let expected = c.ask(&rows(&plain)).await.line();
                // 1267 names the operator.
                let expected = expected.replace("operation '<>'", "operation '='");
                assert_eq!(c.ask(&rows(&by_hash)).await.line(), expected, "{by_hash}");
                // Texts of two collations, and dates with what is not one.
                if expected.starts_with('E') {
                    continue;
                }
                let plan = c.rows(&format!("explain {}", rows(&by_hash))).await;
                assert!(plan.contains("hash join"), "{by_hash}: {plan}");
                let among = |test: &str| format!("select x.id from x where {test} order by x.id");
                let joined = among(&format!("x.{a} in (select {b} from y)"));
                // Within another condition it is no table of the block.
                let asked = among(&format!("(x.{a} in (select {b} from y)) is true"));
                assert_eq!(c.rows(&joined).await, c.rows(&asked).await, "{joined}");
                // The same ids as in the pairs. BIT beside JSON is another document in a subquery.
                if [a, b].iter().any(|c| ["bi", "js"].contains(c)) {
                    continue;
                }
                let mut ids: Vec<&str> = (expected.split("; "))
                    .filter_map(|pair| pair.split('|').next())
                    .filter(|id| !id.is_empty())
                    .collect();
                ids.dedup();
                assert_eq!(c.rows(&asked).await, ids.join("; "), "{asked}");
                let others = among(&format!(
                    "x.{a} not in (select {b} from y where {b} is not null) or x.{a} is null"
                ));
                let count = c.rows(&others).await.split("; ").filter(|id| !id.is_empty()).count();
                assert_eq!(count + ids.len(), 24, "{others}");
                let of_query = format!(
                    "select x.id, z.id from x join (select distinct * from y) z on x.{a} = z.{b} order by x.id, z.id"
                );
                assert_eq!(c.rows(&of_query).await, expected, "{of_query}");
                let inner = format!(
                    "select x.id, (select group_concat(z.id order by z.id) from (select distinct * from y) z where z.{b} = x.{a}) from x having 2 order by 1"
                );
                let by_rows = format!(
                    "select x.id, (select group_concat(y.id order by y.id) from y where {plain}) from x having 2 order by 1"
                );
                assert_eq!(c.rows(&inner).await, c.rows(&by_rows).await, "{inner}");
            }
        }
        c.0.close().await;
        drop(server);
    });
}

/// Each value that is converted for a comparison says once what is wrong with it, however many rows it is compared with, as in MySQL. The rows
/// for the first row before are kept while they are compared with it, and all others are found by hash.
#[test]
fn a_value_that_is_converted_warns_once() {
    const NOT_SO: &str = "Warning|1292|Truncated incorrect DOUBLE value: ";
    let numbers = format!("{NOT_SO}'10abc'; {NOT_SO}'abc'");
    let of = |join: &str, text: &str| {
        format!("select count(*) from {join} where {text} is not null or u.v is not null")
    };
    let dates = "Warning|1292|Incorrect date value: ''; Warning|1292|Incorrect date value: 'abc'";
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int primary key, v varchar(20), l text)",
            "insert into t values (1, '1e1', '1e1'), (2, ' 10', '10abc'), (3, '10abc', 'x'), (4, '', ''), (5, null, null), (6, 'abc', 'abc')",
            "create table u (id int primary key, v bigint, d date)",
            "insert into u values (1, 10, '2024-01-01'), (2, 0, '2024-01-02'), (3, 0, '2024-01-03'), (4, null, null), (5, 0, '2024-01-05')",
            "create table w (id int primary key, v varchar(20))",
            "insert into w values (1, '2024-1-1'), (2, ''), (3, 'abc'), (4, '2024-01-05')",
            "analyze table t, u, w",
        ])
        .await;
        for join in [
            "t join u on t.v = u.v",
            "u straight_join t on t.v = u.v",
            "t straight_join u on t.v = u.v",
        ] {
            let warned = "show warnings";
            // Three texts of ten, and two of zero for three rows.
            c.check(&[(&of(join, "t.v")[..], "9")]).await;
            let mut said: Vec<String> =
                c.rows(warned).await.split("; ").map(str::to_owned).collect();
            said.sort();
            let mut expected: Vec<String> = numbers.split("; ").map(str::to_owned).collect();
            expected.sort();
            assert_eq!(said, expected, "{join}");
        }
        c.check(&[
            // Of a long text a number is made without a word.
            (&of("t straight_join u on t.l = u.v", "t.v")[..], "11"),
            ("show count(*) warnings", "0"),
            ("select count(*) from u straight_join w on u.d = w.v", "2"),
            ("show warnings", dates),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn an_error_of_a_value_is_that_of_the_condition() {
    check(&[
        ("create table a (x int)", "ok 0"),
        ("create table b (y decimal(10, 4))", "ok 0"),
        ("insert into a values (0), (1), (2)", "ok 3"),
        ("insert into b values (1), (0.5), (7)", "ok 3"),
        ("select x, y from a join b on y = 1 / x order by x", "1|1.0000; 2|0.5000"),
        // Once for the row that it is wrong with.
        ("show count(*) warnings", "1"),
        (
            "select x, y from a join b on y = x * 9223372036854775807 order by x",
            "E1690 BIGINT value is out of range in '(`test`.`a`.`x` * 9223372036854775807)'",
        ),
    ]);
}

#[test]
fn a_common_table_is_made_once() {
    check(&[
        (
            "with c as (select rand() r union all select rand()) select count(*) from c a join c b on a.r = b.r",
            "2",
        ),
        (
            "with c as (select uuid() r union select uuid()), d as (select r from c union all select r from c) select count(*), count(distinct r) from d",
            "4|2",
        ),
        (
            "with c as (select rand() r union all select 7) select (select max(r) from c) = (select max(r) from c), (select min(r) from c) = (select min(r) from c)",
            "1|1",
        ),
        (
            "with recursive c as (select 1 n, rand() r union all select n + 1, rand() from c where n < 5) select count(*) from c join c d using (n, r)",
            "5",
        ),
        // Each reader looks for the rows in its own way: by other columns, and by the same ones compared as numbers of another kind.
        ("create table k (i int, d decimal(5, 2))", "ok 0"),
        ("insert into k values (1, 2), (2, 1)", "ok 2"),
        (
            "with c as (select distinct i from k) select k.i, k.d, x.i, y.i from k, c x, c y where x.i = k.i and y.i = k.d order by 1",
            "1|2.00|1|2; 2|1.00|2|1",
        ),
        (
            "with c as (select distinct i, d from k) select (select max(x.d) from c x where x.i = k.i), (select max(y.i) from c y where y.d = k.d), (select max(y.i) from c y where y.i = k.d) from k order by i",
            "2.00|1|2; 1.00|2|1",
        ),
        // Each subquery has its own.
        (
            "select count(distinct v) from (select (with c as (select rand() r union all select 8) select min(r) from c) v union all select (with c as (select rand() r union all select 8) select min(r) from c)) x",
            "2",
        ),
        // One that reads the rows around is made for each of them.
        ("create table t (id int primary key)", "ok 0"),
        ("insert into t values (1), (2), (3)", "ok 3"),
        (
            "select id, (with c as (select t.id i union all select 10) select sum(a.i) from c a join c b on a.i = b.i) from t",
            "1|11; 2|12; 3|13",
        ),
        // And what does not is made once, however often the subquery is run.
        ("flush status", "ok 0"),
        (
            "select sum((select count(*) from (select distinct id from t) d where d.id <= t.id)) from t",
            "6",
        ),
        (
            "select variable_value from performance_schema.session_status where variable_name = 'Created_tmp_tables'",
            // The table of counters is one.
            "2",
        ),
    ]);
}

#[test]
fn orders_are_looked_ahead() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.rows("set cte_max_recursion_depth = 20000").await;
        // From the second table on both others are found by hash; from the first one each would be read whole for each row.
        let sql = "with recursive q as (select 1 n union all select n + 1 from q where n < 5000) \
             select count(*) from q a, q b, q d where a.n = b.n + 10 and b.n + 20 = d.n";
        assert_eq!(c.rows(sql).await, "4980");
        c.all(&[
            "create table big (id int primary key, small int, v int, key (small))",
            "create table small (id int primary key, name varchar(10), kind int)",
            "insert into small with recursive r as (select 1 n union all select n + 1 from r where n < 50) select n, concat('n', n), n % 5 from r",
            "insert into big with recursive r as (select 1 n union all select n + 1 from r where n < 5000) select n, n % 50 + 1, n from r",
            "analyze table big, small",
        ])
        .await;
        // The filtered table first, whatever is written first; then the index.
        let first = |rows: String| rows.split('|').nth(2).unwrap_or_default().to_owned();
        let sql = "select * from big join small on small.id = big.small where small.name = 'n7'";
        assert_eq!(first(c.rows(&format!("explain {sql}")).await), "small");
        for (sql, table) in [
            (
                "select * from big straight_join small on small.id = big.small where small.name = 'n7'",
                "big",
            ),
            (
                "select straight_join * from big join small on small.id = big.small where small.name = 'n7'",
                "big",
            ),
        ] {
            assert_eq!(first(c.rows(&format!("explain {sql}")).await), table, "{sql}");
        }
        assert_eq!(c.rows(&sql.replace('*', "count(*)")).await, "100");
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn rows_of_a_query_lead_to_those_among_them() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table big (id int primary key, small int, v varchar(10), key (small))",
            "create table small (id int primary key, name varchar(10), kind int)",
            "insert into small with recursive r as (select 1 n union all select n + 1 from r where n < 50) select n, concat('n', n), n % 5 from r",
            "insert into big with recursive r as (select 1 n union all select n + 1 from r where n < 900) select n, n % 50 + 1, concat('n', n % 60) from r",
            "insert into small values (60, null, null)",
            "analyze table big, small",
        ])
        .await;
        let cases = [
            // Found by the index, each row once however often the query has it.
            (
                "select count(*), sum(id) from big where small in (select id from small where name = 'n7')",
                "18|7758",
            ),
            (
                "select count(*) from big where small in (select kind from small where kind is not null)",
                "72",
            ),
            (
                "select count(*) from big where (small, v) in (select id, concat('n', id - 1) from small)",
                "150",
            ),
            ("select count(*) from big where v in (select name from small)", "750"),
            ("select count(*) from big where v in (select concat('N', kind) from small)", "75"),
            (
                "select count(*) from big where small in (select id from small where name = 'n7') and id in (select id * 6 from small)",
                "2",
            ),
            (
                "select count(*) from big where 3 in (select kind from small) and small in (select max(id) from small group by kind)",
                "90",
            ),
            (
                "select count(*) from small left join big on big.small = small.id where big.id in (select id from small)",
                "51",
            ),
            (
                "select count(*) from big where small in (select id from small where id = big.id)",
                "0",
            ),
            (
                "select count(*) from big where small in (select id from small where rand() < 2)",
                "900",
            ),
            (
                "select count(*) from big where small not in (select id from small where name is not null)",
                "0",
            ),
            ("select count(*) from big where small not in (select kind from small)", "0"),
            ("select count(*) from big where small in (select id from small) or id = 1", "900"),
            (
                "select (select count(*) from big where big.small = s.id and big.v in (select name from small)) from small s where id < 4",
                "15; 15; 15",
            ),
        ];
        for (sql, rows) in cases {
            c.check(&[(sql, rows)]).await;
        }
        let plan = c
            .rows(
                "explain select * from big where small in (select id from small where name = 'n7')",
            )
            .await;
        let steps: Vec<&str> =
            plan.split("; ").map(|l| l.split('|').nth(2).unwrap_or("")).collect();
        assert_eq!(steps, ["<subquery2>", "big", "small"], "{plan}");
        let names = |plan: String| {
            let of = |l: &str| {
                let cells: Vec<&str> = l.split('|').collect();
                format!("{} {} {}", cells[0], cells[1], cells[2])
            };
            plan.split("; ").filter(|l| l.contains('|')).map(of).collect::<Vec<_>>()
        };
        let two = "explain select 1 from big where id in (select kind from small) and id in (select id from small)";
        let found = names(c.rows(two).await);
        assert!(
            found.contains(&"2 MATERIALIZED small".into())
                && found.contains(&"3 MATERIALIZED small".into()),
            "{found:?}"
        );
        assert!(
            found.contains(&"1 PRIMARY <subquery2>".into())
                && found.contains(&"1 PRIMARY <subquery3>".into()),
            "{found:?}"
        );
        let once = "explain with c as (select distinct kind from small) select 1 from c x, c y, (select distinct v from big) z";
        let found = names(c.rows(once).await);
        assert_eq!(found.iter().filter(|l| *l == "1 PRIMARY <derived2>").count(), 2, "{found:?}");
        assert!(found.contains(&"1 PRIMARY <derived3>".into()) && found.len() == 5, "{found:?}");
        // The target of a change is found in subqueries, joined or not.
        assert_eq!(
            c.ask("delete from big where small in (select small from big)").await.errno(),
            1093
        );
        c.check(&[(
            "delete from big where small in (select id from small where name = 'n7')",
            "ok 18",
        )])
        .await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn joins_of_many_tables_are_ordered_in_time() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.rows("create table t (id int primary key, up int, key (up))").await;
        c.rows("insert into t values (1, 1), (2, 1), (3, 2)").await;
        let tables: Vec<String> = (0..61).map(|n| format!("t t{n}")).collect();
        let chain: Vec<String> = (1..61).map(|n| format!("t{n}.id = t{}.up", n - 1)).collect();
        let sql =
            format!("select count(*) from {} where {}", tables.join(", "), chain.join(" and "));
        assert_eq!(c.rows(&sql).await, "3");
        let star: Vec<String> = (1..61).map(|n| format!("t{n}.id = t0.id")).collect();
        let sql =
            format!("select count(*) from {} where {}", tables.join(", "), star.join(" and "));
        assert_eq!(c.rows(&sql).await, "3");
        c.0.close().await;
        drop(server);
    });
}

/// Conditions with subqueries are looked at between those without, on rows that are kept meanwhile: each is kept once.
#[test]
fn subqueries_among_the_conditions_of_kept_rows() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table a (id int primary key, k int)",
            "create table b (id int primary key, k int, x int)",
            "create table c (k int, x int)",
            "insert into a with recursive r(n) as (select 1 union all select n + 1 from r where n < 60) select n, n % 7 from r",
            "insert into b with recursive r(n) as (select 1 union all select n + 1 from r where n < 40) select n, n % 7, n from r",
            "insert into c with recursive r(n) as (select 1 union all select n + 1 from r where n < 30) select n % 6, n from r",
        ])
        .await;
        let tops = "(select max(x) from c where c.k = b.k)";
        let lows = "(select min(x) from c where c.k = a.k)";
        for on in [
            format!("b.k = a.k and b.x > 3 and {tops} > 27"),
            format!("b.k = a.k and {tops} > 26 and {lows} < 5 and b.x + a.id > 9"),
            format!("b.x > 3 and {tops} > b.x and {lows} < a.k + 4 and b.k = a.k and {tops} > 20"),
            format!("{tops} > b.x and {lows} < 5"),
        ] {
            for join in ["join", "left join", "right join"] {
                let by_hash = format!("select a.id, b.id from a {join} b on {on} order by 1, 2");
                let without = by_hash.replacen("select", "select /*+ no_bnl() */", 1);
                let (one, other) = (c.rows(&by_hash).await, c.rows(&without).await);
                assert_eq!(one, other, "{by_hash}");
                assert!(one.len() > 20, "{by_hash}: {one}");
            }
            for exists in ["exists", "not exists"] {
                let asked = format!(
                    "select a.id from a where {exists} (select 1 from b where {on}) order by 1"
                );
                let joined = match exists {
                    "exists" => format!("select distinct a.id from a join b on {on} order by 1"),
                    _ => format!(
                        "select a.id from a left join b on {on} where b.id is null order by 1"
                    ),
                };
                assert_eq!(c.rows(&asked).await, c.rows(&joined).await, "{asked}");
            }
        }
    });
}

/// Equalities of what is computed, and of texts beside numbers, find their rows by a hash: the same rows as in a form that no hash serves, and
/// no table is read more than once.
#[test]
fn what_is_computed_is_found_by_hash() {
    const JOINS: &[&str] = &[
        "a join b on a.x + 1 = b.y + 2",
        "a join b on a.x * 2 = b.y + b.z",
        "a join b on concat(a.s, '') = concat('k', b.z)",
        "a join b on a.t = b.y",
        "a join b on b.s = a.x + 0.5",
        "a left join b on a.x + 1 = b.y + 2 and b.z > 3",
        "a left join b on a.t = b.y",
        "a join b on a.x = b.y + 1 and a.z + 1 = b.z",
        "a join b on a.d + interval 1 day = b.d - interval 1 day",
        "a join b on upper(a.s) = lower(b.t)",
        "a join b on ifnull(a.x, -1) = ifnull(b.y, -1)",
    ];
    with_server(1, async |server| {
        let mut c = server.client();
        c.all(&[
            "set cte_max_recursion_depth = 10000",
            "create table a (id int primary key, x int, z int, s varchar(20), t varchar(20), d date)",
            "create table b (id int primary key, y int, z int, s varchar(20), t varchar(20), d date)",
            "insert into a with recursive r(i) as (select 0 union all select i + 1 from r where i < 399) \
             select i, if(i % 9, i % 50, null), i % 7, concat('k', i % 5), concat(if(i % 2, ' ', ''), i % 40, if(i % 3, '', '.0')), '2020-01-01' + interval i % 30 day from r",
            "insert into b select id, x, z, if(x is null, null, x + 0.5), s, d from a",
        ])
        .await;
        for join in JOINS {
            let (from, on) = join.split_once(" on ").expect("has a condition");
            // IS TRUE hides each equality.
            let hidden = on.split(" and ").map(|p| format!("({p}) is true")).collect::<Vec<_>>();
            let sql = |on: &str| format!("select a.id, b.id from {from} on {on} order by 1, 2");
            c.rows("flush status").await;
            let found = c.rows(&sql(on)).await;
            let read = c.rows("select variable_value from performance_schema.session_status where variable_name = 'Handler_read_rnd_next'").await;
            assert!(read.parse::<u32>().is_ok_and(|n| n <= 802), "{join}: {read} rows read");
            assert_eq!(found, c.rows(&sql(&hidden.join(" and "))).await, "{join}");
            assert!(found.len() > 100, "{join}");
        }
        // A text that is no number says so, and changes in a strict mode end.
        c.check(&[
            ("update a set t = '7x' where id = 1", "ok 1"),
            ("select count(*) from a join b on a.t = b.y where a.id < 3", "21"),
            (
                "update b join a on a.t = b.y set b.z = 0",
                "E1292 Truncated incorrect DOUBLE value: '7x'",
            ),
        ])
        .await;
    });
}

/// NOT IN of rows, and `<> ALL`, look rows up: those with NULL one by one.
#[test]
fn rows_that_are_not_among_others() {
    with_server(1, async |server| {
        let mut c = server.client();
        c.all(&[
            "create table a (id int primary key, x int, y varchar(9), z decimal(6,2), d date)",
            "create table b (x int, y varchar(9), z decimal(6,2), d date)",
            "insert into a values (1, 1, 'a', 1, '2020-01-01'), (2, 2, 'B', 2, '2020-01-02'), (3, null, 'a', 3, null), (4, 4, null, null, '2020-01-04'), (5, 9, 'a', 9.5, '2020-01-09')",
            "insert into b values (1, 'A', 1.00, '2020-01-01'), (2, 'b', 5, '2020-01-02'), (null, 'z', 2, null), (9, null, null, '2020-01-04')",
        ])
        .await;
        for (left, right) in [
            ("x, y", "x, y"),
            ("x, z", "x, z"),
            ("d, y", "d, y"),
            ("x, x", "x, z"),
            ("z, x", "x, z"),
        ] {
            for test in ["in", "not in"] {
                let equal =
                    left.split(", ").zip(right.split(", ")).map(|(l, r)| format!("a.{l} = b.{r}"));
                let equal = equal.collect::<Vec<_>>().join(" and ");
                let asked = format!("select id, ({left}) {test} (select {right} from b) from a");
                let want = format!(
                    "select id, (select max({equal}) from b) = {}, (select sum(({equal}) is null) from b) > 0 from a",
                    u8::from(test == "in")
                );
                let (got, want) = (c.ask(&asked).await.rows, c.ask(&want).await.rows);
                for (g, w) in got.iter().zip(&want) {
                    let w: Vec<&str> = w.split('|').collect();
                    let is_one = w[1] == u8::from(test == "in").to_string();
                    let told = match (is_one, w[2]) {
                        (true, _) => u8::from(test == "in").to_string(),
                        (false, "1") => "NULL".into(),
                        (false, _) => u8::from(test != "in").to_string(),
                    };
                    assert_eq!(g, &format!("{}|{told}", w[0]), "{asked}");
                }
            }
        }
        c.check(&[
            (
                "select id from a where x <> all (select x from b where x is not null) order by id",
                "4",
            ),
            ("select id from a where x <> all (select x from b)", ""),
            ("select count(*) from a where x <> all (select x from b where false)", "5"),
        ])
        .await;
    });
}

/// A condition goes into a common table that nobody else reads, and into none that two read.
#[test]
fn a_common_table_with_one_reader_takes_conditions() {
    with_server(1, async |server| {
        let mut c = server.client();
        c.all(&[
            "set cte_max_recursion_depth = 10000",
            "create table t (id int primary key, a int, key (a))",
            "insert into t with recursive r(i) as (select 1 union all select i + 1 from r where i < 2000) select i, i % 100 from r",
            "analyze table t",
        ])
        .await;
        let read = "select variable_value from performance_schema.session_status where variable_name = 'Handler_read_next'";
        let x = "with x as (select a, count(*) k from t group by a)";
        for (sql, rows, most) in [
            (format!("{x} select * from x where a = 77"), "77|20", 30),
            (format!("{x}, y as (select * from x) select * from y where a = 77"), "77|20", 30),
            (format!("{x} select x.k, (select max(a) from x) from x where a = 77"), "20|99", 5000),
        ] {
            c.rows("flush status").await;
            assert_eq!(c.rows(&sql).await, rows, "{sql}");
            let read = c.rows(read).await.parse::<u32>().expect("a number");
            assert!(read <= most, "{sql}: {read}");
        }
    });
}
