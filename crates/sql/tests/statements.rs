//! Statements that are neither plain queries nor definitions: SELECT ... INTO, CHECKSUM TABLE, SHUTDOWN; and small things that
//! clients say in the middle of queries.
use crate::common::*;
use weir_sql::session_api::ParamValue;

#[test]
fn words_and_literals() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.rows("create table t (id int primary key, a int)").await;
        c.rows("insert into t values (1, 1), (2, 1), (3, 5)").await;
        c.check(&[
            (
                "select count(all a), sum(all a), avg(all a), min(all a), max(all a) from t",
                "3|7|2.3333|1|5",
            ),
            ("select avg(distinct a), count(distinct a), bit_or(all a) from t", "3.0000|2|5"),
            ("select group_concat(all a order by id) from t", "E1064"),
            ("select std(all a), variance(all 2) from t", "1.8856180831641267|0"),
            ("select avg(all) from t", "E1064"),
            (
                "select -9223372036854775808, -9223372036854775809",
                "-9223372036854775808|-9223372036854775809",
            ),
            ("select -10000000000000000000", "-10000000000000000000"),
            ("select -18446744073709551615 - 1", "-18446744073709551616"),
            ("select - 10000000000000000000 + 1", "-9999999999999999999"),
            ("select a from t where id > -10000000000000000000 limit 1", "1"),
            // The opposite of a constant is a DECIMAL where it is no BIGINT, as that of a literal.
            ("select -(18446744073709551615 + 0)", "-18446744073709551615"),
            ("do 1, 2 + 3", "ok 0"),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn select_into_variables() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.rows("create table t (id int primary key, a varchar(20))").await;
        c.rows("insert into t values (1, 'x'), (2, 'y')").await;
        c.check(&[
            ("select id, a into @id, @a from t where id = 2", "ok 1"),
            ("select row_count()", "1"),
            ("select @id, @a", "2|y"),
            ("select a from t order by id limit 1 into @a", "ok 1"),
            ("select @a", "x"),
            // The last place is before the lock clause, too.
            ("select a into @b from t where id = 1 for update", "ok 1"),
            ("select @b", "x"),
            (
                "select id, a from t into @a",
                "E1222 The used SELECT statements have a different number of columns",
            ),
            ("select id from t into @a", "E1172 Result consisted of more than one row"),
            ("select @a", "x"),
            ("select a into @a from t where id = 9", "ok 0"),
            ("show warnings", "Warning|1329|No data - zero rows fetched, selected, or processed"),
            ("select @a", "x"),
            ("select 1 union select 1 into @u", "ok 1"),
            ("select count(*), group_concat(a) into @n, @g from t", "ok 1"),
            ("select @n, @g, @u", "2|x,y|1"),
            ("select 1 into nothing", "E1327 Undeclared variable: nothing"),
            ("prepare p from 'select a into @c from t where id = ?'", "ok 0"),
            ("set @two = 2", "ok 0"),
            ("execute p using @two", "ok 1"),
            ("select @c", "y"),
            (
                "explain select a into @c from t where id = 1",
                "1|SIMPLE|t|NULL|const|PRIMARY|PRIMARY|4|const|1|100.00|NULL",
            ),
        ])
        .await;
        let p = c.0.prepare(b"select a into @d from t where id = ?").await.expect("prepares");
        assert_eq!((p.params, p.columns.len()), (1, 0), "it sends no rows");
        assert_eq!(c.execute(p.id, &[ParamValue::Int(1)]).await.line(), "ok 1");
        assert_eq!(c.rows("select @d").await, "x");
        c.0.close().await;
    });
}

#[test]
fn checksum_table() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int primary key, a varchar(20), b double)",
            "create table u (id int, a varchar(20), b double)",
            "insert into t values (1, 'x', 0.5), (2, null, 1), (3, 'z', null)",
            "insert into u values (3, 'z', null), (1, 'x', 0.5), (2, null, 1)",
            "set sql_select_limit = 1",
        ])
        .await;
        let sums = c.ask("checksum table t, test.u").await;
        assert_eq!(sums.columns, ["Table", "Checksum"]);
        let of = |row: &str| row.rsplit_once('|').map(|(_, n)| n.to_string()).unwrap();
        assert_eq!(of(&sums.rows[0]), of(&sums.rows[1]), "in whatever order");
        assert!(sums.rows[0].starts_with("test.t|") && of(&sums.rows[0]) != "NULL");
        c.check(&[
            ("checksum table t quick", "test.t|NULL"),
            ("checksum table nope", "test.nope|NULL"),
            ("show warnings", "Error|1146|Table 'test.nope' doesn't exist"),
        ])
        .await;
        // Within the session's transaction, which goes on.
        c.all(&["begin", "update u set b = 2 where id = 1"]).await;
        let changed = c.rows("checksum table u extended").await;
        assert_ne!(of(&changed), of(&sums.rows[1]));
        c.rows("rollback").await;
        assert_eq!(c.rows("checksum table u").await, sums.rows[1]);
        c.0.close().await;
    });
}

/// An embedded database is stopped by the program around it.
#[test]
fn shutdown_without_a_server() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[("shutdown", "E1235"), ("restart", "E3707"), ("select 1", "1")]).await;
        c.0.close().await;
    });
}
