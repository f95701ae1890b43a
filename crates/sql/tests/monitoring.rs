//! What monitors ask: statements by their digests, and the schema `sys`.
use crate::common::*;
use weir_sql::session::Sent;
use weir_sql::session_api::{ColumnMeta, OkInfo, OutValue, ResultSink, SinkError};

const COUNTS: &str = "select digest_text, schema_name, count_star, sum_errors, sum_warnings, sum_rows_affected, sum_rows_sent,
    sum_rows_examined, sum_no_index_used, sum_timer_wait, query_sample_text
    from performance_schema.events_statements_summary_by_digest order by first_seen, digest_text";

/// Runs a statement as the server does, which reports its end.
async fn tell(c: &mut Client, sql: &str, nanos: u64) {
    let answer = c.ask(sql).await;
    let work = c.0.take_work();
    c.0.summarize(Sent::Text(sql.as_bytes()), &work, nanos, answer.rows.len() as u64, None);
}

#[test]
fn statements_are_summed_up_by_their_digests() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (a int primary key, b int)", "insert into t values (1,1),(2,2)"])
            .await;
        _ = c.0.take_work();
        for n in 1..=3 {
            tell(&mut c, &format!("select b from t where a = {n}"), 1000 * n).await;
        }
        tell(&mut c, "select a from t where b > 0", 7).await;
        tell(&mut c, "insert ignore into t values (2, 5), (7, 7)", 9).await;
        tell(&mut c, "insert into t values (1, 1)", 9).await;
        // A kept plan of another statement must not be taken for that of one without a plan.
        tell(&mut c, "set @x = 1", 5).await;
        tell(&mut c, "set @x = 2", 5).await;
        let id = c.0.prepare(b"select b from t where a = ?").await.expect("prepares").id;
        c.execute(id, &[weir_sql::session_api::ParamValue::Int(1)]).await;
        let work = c.0.take_work();
        c.0.summarize(Sent::Prepared(id), &work, 4000, 1, None);
        let mut rows: Vec<String> = c.ask(COUNTS).await.rows;
        rows.sort();
        let mut want = vec![
            "SELECT `b` FROM `t` WHERE `a` = ?|test|4|0|0|0|3|3|0|10000000|select b from t where a = ?",
            "SELECT `a` FROM `t` WHERE `b` > ?|test|1|0|0|0|2|2|1|7000|select a from t where b > 0",
            "INSERT IGNORE INTO `t` VALUES (...) /* , ... */|test|1|0|1|1|0|0|0|9000|insert ignore into t values (2, 5), (7, 7)",
            "INSERT INTO `t` VALUES (...)|test|1|1|0|0|0|0|0|9000|insert into t values (1, 1)",
            "SET @? = ?|test|2|0|0|0|0|0|0|10000|set @x = 1",
        ];
        want.sort_unstable();
        assert_eq!(rows, want);
        c.check(&[
            ("truncate table performance_schema.events_statements_summary_by_digest", "ok 0"),
            ("select count(*) from performance_schema.events_statements_summary_by_digest", "0"),
            ("truncate table performance_schema.threads", "E1142"),
            ("truncate table performance_schema.events_statements_current", "ok 0"),
            ("truncate table performance_schema.setup_actors", "ok 0"),
            ("select count(*) from performance_schema.setup_actors", "0"),
            // It would have to bring the server's counters back to zero.
            ("truncate table performance_schema.global_status", "E1142"),
            ("truncate table performance_schema.nosuch", "E1146"),
            ("insert into performance_schema.nosuch values (1)", "E1146"),
            ("insert into performance_schema.threads values (1)", "E1044"),
        ])
        .await;
        tell(&mut c, "select b from t where a = 1", 1000).await;
        c.check(&[(
            "select count_star, digest = statement_digest('select b from t where a=9') from performance_schema.events_statements_summary_by_digest",
            "1|1",
        )])
        .await;
        // Anyone who may not see other people's statements sees no example of them.
        c.all(&["create user u@localhost", "grant select on performance_schema.* to u@localhost"])
            .await;
        let mut u = server.client_of("u");
        let sample = "select digest_text, query_sample_text from performance_schema.events_statements_summary_by_digest";
        u.check(&[(sample, "SELECT `b` FROM `t` WHERE `a` = ?|NULL")]).await;
    });
}

/// Texts that have no kept plan: their digests are made when they are parsed, and are those of the same statements by other ways.
#[test]
fn long_texts_have_the_digests_of_short_ones() {
    with_server(4, |server| async move {
        let mut c = server.client();
        c.rows("create table t (a int primary key, b varchar(90))").await;
        let rows: Vec<String> = (0..2000).map(|n| format!("({n}, 'row {n}')")).collect();
        tell(&mut c, &format!("insert into t values {}", rows.join(", ")), 5).await;
        tell(&mut c, "insert into t values (5000, 'x'), (5001, 'y')", 5).await;
        let comment = " ".repeat(90) + "/* long */";
        tell(&mut c, &format!("set{comment} @x = 5"), 5).await;
        tell(&mut c, "set @y = 'z'", 5).await;
        tell(&mut c, &format!("set{comment} @x = "), 5).await;
        let rows = "select count_star, sum_rows_affected, digest_text from performance_schema.events_statements_summary_by_digest
                    order by digest_text";
        c.check(&[(
            rows,
            "2|2002|INSERT INTO `t` VALUES (...) /* , ... */; 1|0|SET @? =; 2|0|SET @? = ?",
        )])
        .await;
    });
}

/// As in MySQL each statement says something of ROW_COUNT(), which the summaries take.
#[test]
fn row_count_is_of_the_last_statement() {
    check(&[
        ("create table t (a int primary key)", "ok 0"),
        ("insert into t values (1), (2)", "ok 2"),
        ("select row_count()", "2"),
        ("insert into t values (3), (4)", "ok 2"),
        ("set @x = 1", "ok 0"),
        ("select row_count()", "0"),
        ("delete from t where a > 1", "ok 3"),
        ("commit", "ok 0"),
        ("select row_count()", "0"),
        ("select * from t", "1"),
        ("select row_count()", "-1"),
        ("prepare p from 'update t set a = 9'", "ok 0"),
        ("select row_count()", "0"),
        ("execute p", "ok 1"),
        ("select row_count()", "1"),
        ("insert into t values (9)", "E1062"),
        ("select row_count()", "-1"),
    ]);
}

/// Passwords that stand in statements are not shown as examples.
#[test]
fn examples_keep_secrets() {
    with_server(2, |server| async move {
        let mut c = server.client();
        tell(&mut c, "create user x@localhost identified by 'hush'", 5).await;
        let shown = c.rows("select digest_text, query_sample_text from performance_schema.events_statements_summary_by_digest").await;
        assert_eq!(
            shown,
            "CREATE SYSTEM_USER `x` @? IDENTIFIED BY ?|create user x@localhost identified by <secret>"
        );
    });
}

#[test]
fn the_schema_sys_is_made_once_and_answers() {
    with_server(3, |server| async move {
        weir_sql::sys::install(&server.inst, 900).await.expect("is made");
        let mut c = server.client();
        c.all(&["create table t (a int auto_increment primary key, b int, c int, key k (b), key l (b, c), unique m (c))"])
            .await;
        tell(&mut c, "select a from t where b + 1 > 0 order by c", 5_000_000).await;
        let views = c
            .ask("select table_name from information_schema.views where table_schema = 'sys'")
            .await
            .rows;
        assert!(views.len() > 25, "{}", views.len());
        for view in &views {
            c.rows(&format!("select * from sys.`{view}`")).await;
            c.rows(&format!("show create view sys.`{view}`")).await;
        }
        c.check(&[
            ("select * from sys.version", "2.1.2|8.0.36-weir-0.1.0"),
            (
                "select redundant_index_name, dominant_index_name, sql_drop_index from sys.schema_redundant_indexes",
                "k|l|ALTER TABLE `test`.`t` DROP INDEX `k`",
            ),
            (
                "select column_name, max_value, is_signed from sys.schema_auto_increment_columns",
                "a|2147483647|1",
            ),
            (
                "select query, db, full_scan, exec_count, total_latency, rows_sorted from sys.statement_analysis",
                "SELECT `a` FROM `t` WHERE `b` + ? > ? ORDER BY `c`|test|*|1|5.00 ms|0",
            ),
            ("select sys.format_bytes(2048), sys.format_time(5000), sys.quote_identifier('a`b')", "2.00 KiB|5.00 ns|`a``b`"),
            ("select sys.list_add('a,b', 'c'), sys.list_drop('a,b,c', 'b'), sys.list_add('a', 'a')", "a,b,c|a,c|a"),
            ("select sys.list_drop('a,bc,b,b,b', 'b'), sys.list_drop('b', 'b')", "a,bc|"),
            ("call sys.ps_truncate_all_tables(true)", "Running: TRUNCATE TABLE performance_schema.events_statements_summary_by_digest / Truncated 1 tables"),
            ("select sys.list_add('a', null)", "E1138"),
            ("select sys.version_major(), sys.version_minor(), sys.version_patch()", "8|0|36"),
            ("call sys.table_exists('test', 't', @k)", "ok 0"),
            ("select @k", "BASE TABLE"),
            ("call sys.execute_prepared_stmt('select 5')", "5"),
            ("select sys.format_statement(repeat('abc ', 40))", "abc abc abc abc abc abc abc ab ... c abc abc abc abc abc abc abc "),
            ("set @sys.statement_truncate_len = 20", "ok 0"),
            ("select sys.format_statement(repeat('abc ', 40))", "abc abc  ... abc abc "),
        ])
        .await;
        // Another start leaves what is there; another version makes it again.
        weir_sql::sys::install(&server.inst, 901).await.expect("is there");
        server.inst.db.meta_put(b"sys_schema", b"older").await.expect("is written");
        c.all(&["drop view sys.version"]).await;
        weir_sql::sys::install(&server.inst, 902).await.expect("is made anew");
        c.check(&[("select count(*) from sys.version", "1"), ("drop database sys", "ok 48")]).await;
        weir_sql::sys::install(&server.inst, 903).await.expect("stays away");
        c.check(&[("use sys", "E1049")]).await;
    });
}

#[test]
fn who_is_connected() {
    check(&[
        ("select count(*) from performance_schema.threads", "0"),
        (
            "select ps_current_thread_id() = connection_id(), ps_thread_id(connection_id()) = connection_id()",
            "1|1",
        ),
        ("select ps_thread_id(999999), ps_thread_id(null)", "NULL|NULL"),
        ("select uuid_short() + 1 = uuid_short()", "1"),
        ("select format_bytes(1048576), format_pico_time(1e12)", "1.00 MiB|1.00 s"),
        (
            "select statement_digest_text('select 1 from t where a in (1, 2)')",
            "SELECT ? FROM `t` WHERE `a` IN (...)",
        ),
        ("select statement_digest('x')", "E3676"),
        ("select gtid_subset('', 'x')", "E1772"),
    ]);
}

/// A new column under the name of one that goes takes its place in the keys: how applications number rows again.
#[test]
fn a_column_that_takes_anothers_name_takes_its_keys() {
    check(&[
        (
            "create table t (i int unsigned not null auto_increment primary key, b varchar(9), key k (b, i))",
            "ok 0",
        ),
        ("insert into t values (5, 'x'), (9, 'y')", "ok 2"),
        (
            "alter table t drop i, add i int unsigned not null auto_increment first, auto_increment = 1",
            "ok 0",
        ),
        ("select * from t", "1|x; 2|y"),
        ("select i from t force index (k) where b = 'y'", "2"),
        ("check table t", "test.t|check|status|OK"),
        ("alter table t drop b, add b int default 3", "ok 0"),
        (
            "show index from t where key_name = 'k'",
            "t|1|k|1|b|A|2|NULL|NULL|YES|BTREE|||YES|NULL; t|1|k|2|i|A|2|NULL|NULL||BTREE|||YES|NULL",
        ),
        ("select b, i from t force index (k) where b = 3", "3|1; 3|2"),
        ("alter table t drop b, add c int", "ok 0"),
        (
            "select count(*) from information_schema.statistics where table_name = 't' and index_name = 'k'",
            "1",
        ),
    ]);
}

#[test]
fn names_of_days_in_the_language_of_dates() {
    check(&[
        ("select dayname('2007-02-03'), monthname('2008-02-03')", "Saturday|February"),
        ("set lc_time_names = 'de_DE'", "ok 0"),
        ("select dayname('2007-02-03'), monthname('2008-03-03')", "Samstag|März"),
        ("select date_format('2007-02-03', '%W %a %M %b')", "Samstag Sa Februar Feb"),
        ("select @@lc_time_names", "de_DE"),
        ("set lc_time_names = 5", "ok 0"),
        ("select date_format('2007-02-03', '%W %a %M %b')", "samedi sam février fév"),
        ("set lc_time_names = default", "ok 0"),
        ("select date_format('2007-02-03', '%W %a %M %b')", "Saturday Sat February Feb"),
        ("set lc_time_names = 'xx_YY'", "E1649 Unknown locale: 'xx_YY'"),
        ("set lc_time_names = 111", "E1231"),
    ]);
}

/// Doubles are shown with the digits that MySQL knows of them beforehand, and are sent whole in the binary protocol.
#[test]
fn doubles_of_a_known_number_of_digits() {
    check(&[
        ("create table t (a double(10,2), b float(8,3), c double, i int)", "ok 0"),
        ("insert into t values (2, 3, 4, 6)", "ok 1"),
        (
            "select a+1, a*2, a-i, a/2, a+b, a*b, a+c, -a, abs(a), a%2 from t",
            "3.00|4.00|-4.00|1.000000|5.000|6.000|6|-2.00|2.00|0.00",
        ),
        (
            "select round(c, 1), round(c, 3), truncate(c, 2), round(c), round(c, -1), round(2e0, 40) from t",
            "4.0|4.000|4.00|4|0|2",
        ),
        (
            "select concat(round(c, 2)), ifnull(round(c, 1), 0), coalesce(a, i), coalesce(a, c), greatest(a, i), if(0, a, i) from t",
            "4.00|4.0|2.00|2|6.00|6.00",
        ),
        (
            "select pi(), pi() + 1, pi() + 0.000000000000000000, concat(pi()), pi() + '1' from t",
            "3.141593|4.141593|3.141592653589793000|3.141593|4.141592653589793",
        ),
        ("select max(round(c, 2)), sum(a), avg(a), sum(a + 1) from t", "4.00|2.00|2.000000|3.00"),
        (
            "select z from (select a + 1 as z from t union select i from t) q order by 1",
            "3.00; 6.00",
        ),
        ("create table u as select round(c, 2) r, pi() p, a / 3 q from t", "ok 1"),
        ("select * from u", "4.00|3.141593|0.666667"),
    ]);
    with_server(9, |server| async move {
        let mut c = server.client();
        let id = c.0.prepare(b"select pi()").await.expect("prepares").id;
        let mut sent = Doubles::default();
        c.0.execute(id, &[], &mut sent).await.expect("runs");
        assert_eq!(sent.0, [(std::f64::consts::PI, "3.141593".to_owned())]);
    });
}

/// Doubles as they are sent, and as they are shown.
#[derive(Default)]
struct Doubles(Vec<(f64, String)>);

impl ResultSink for Doubles {
    fn columns(&mut self, _: &[ColumnMeta]) -> Result<(), SinkError> {
        Ok(())
    }
    fn row(&mut self, row: &[OutValue<'_>]) -> Result<(), SinkError> {
        for v in row {
            if let OutValue::Shown(x, text) = v {
                self.0.push((*x, String::from_utf8_lossy(text).into_owned()));
            }
        }
        Ok(())
    }
    fn end_rows(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
    fn ok(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}
