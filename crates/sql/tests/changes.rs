//! INSERT, REPLACE, UPDATE, DELETE: rows, counts, generated values, conversions, errors.
use crate::common::*;
use weir_sql::session_api::ParamValue;

#[test]
fn inserting() {
    check(&[
        (
            "create table t (id int primary key auto_increment, a int default 5, b varchar(3) not null, c timestamp null, \
            unique key ab (a, b))",
            "ok 0",
        ),
        ("insert into t (b) values ('x'), ('y')", "ok 2"),
        ("select last_insert_id(), id, a, b from t order by id", "1|1|5|x; 1|2|5|y"),
        ("insert into t values (0, 1, 'q', null), (null, 2, 'r', null)", "ok 2"),
        ("insert into t (id, b, a) values (10, 's', 3)", "ok 1"),
        ("insert into t (b, a) values ('t', 4)", "ok 1"),
        ("select max(id), last_insert_id() from t", "11|11"),
        (
            "insert into t (id, a, b) values (1, 9, 'z')",
            "E1062 Duplicate entry '1' for key 't.PRIMARY'",
        ),
        ("insert into t (a, b) values (5, 'X')", "E1062 Duplicate entry '5-X' for key 't.ab'"),
        ("insert into t (a) values (1)", "E1364 Field 'b' doesn't have a default value"),
        ("insert into t (b) values (null)", "E1048 Column 'b' cannot be null"),
        ("insert into t (b) values ('long')", "E1406 Data too long for column 'b' at row 1"),
        (
            "insert into t (a, b) values ('abc', 'a')",
            "E1366 Incorrect integer value: 'abc' for column 'a' at row 1",
        ),
        (
            "insert into t (a, b) values (1, 'ok'), (99999999999, 'a')",
            "E1264 Out of range value for column 'a' at row 2",
        ),
        ("select count(*) from t where b = 'ok'", "0"),
        (
            "insert into t (b, c) values ('a', '2024-02-30')",
            "E1292 Incorrect datetime value: '2024-02-30' for column 'c' at row 1",
        ),
        ("insert into t set b = 'set', a = default(a) + 1", "ok 1"),
        ("select a from t where b = 'set'", "6"),
        ("insert into t (a, b) values (default, 'def')", "ok 1"),
        ("insert into t () values ()", "E1364"),
        (
            "insert into t (a, b) select a + 100, 'S' from t where id <= 2",
            "E1062 Duplicate entry '105-S' for key 't.ab'",
        ),
        ("insert into t (a, b) select id + 100, 'S' from t where id <= 2", "ok 2"),
        ("insert ignore into t (a, b) values (5, 'x'), (200, 'toolong'), (201, null)", "ok 2"),
        (
            "show warnings",
            "Warning|1062|Duplicate entry '5-x' for key 't.ab'; \
            Warning|1265|Data truncated for column 'b' at row 2; Warning|1048|Column 'b' cannot be null",
        ),
        ("select b from t where a >= 200 order by a", "too; "),
        ("insert into t (a, b) values (a + 1, 'e')", "ok 1"),
        (
            "create table d (k int primary key, v int default (1 + 2), w datetime default current_timestamp on update current_timestamp)",
            "ok 0",
        ),
        ("insert into d (k) values (1)", "ok 1"),
        ("select v, w is not null from d", "3|1"),
    ]);
}

#[test]
fn lax_mode_adjusts() {
    check(&[
        ("set sql_mode = ''", "ok 0"),
        (
            "create table t (a tinyint not null, b varchar(3), c tinyint unsigned, d decimal(3,1), e date)",
            "ok 0",
        ),
        ("insert into t values (1000, 'abcdef', -1, 123.45, '2024-13-01')", "ok 1"),
        ("select * from t", "127|abc|0|99.9|0000-00-00"),
        ("insert into t values (null, 'a', 1, 1, null)", "E1048 Column 'a' cannot be null"),
        ("insert into t values (1, 'a', 1, 1, null), (null, 'b', 1, 1, null)", "ok 2"),
        ("select a from t where b = 'b'", "0"),
        ("insert into t (b) values ('x')", "ok 1"),
        ("update t set a = null where b = 'x'", "ok 0"),
        ("update t set a = 'zz5' where b = 'x'", "ok 0"),
        ("update t set a = '5zz' where b = 'x'", "ok 1"),
        ("select a from t where b = 'x'", "5"),
    ]);
}

#[test]
fn replacing_and_updating_on_duplicates() {
    check(&[
        ("create table t (id int primary key, a int, b int, unique key (a))", "ok 0"),
        ("insert into t values (1,1,1),(2,2,2)", "ok 2"),
        ("replace into t values (1,1,1)", "ok 2"),
        ("replace into t values (3,2,9)", "ok 2"),
        ("select * from t order by id", "1|1|1; 3|2|9"),
        ("replace into t values (1,2,7)", "ok 3"),
        ("select * from t", "1|2|7"),
        ("replace into t set id = 5, a = 5", "ok 1"),
        ("insert into t values (1,9,9) on duplicate key update b = values(b) + 1", "ok 2"),
        ("insert into t values (1,9,9) on duplicate key update b = b", "ok 0"),
        (
            "insert into t values (8,8,8),(5,0,3) on duplicate key update b = values(b), a = a + 10",
            "ok 3",
        ),
        ("select * from t order by id", "1|2|10; 5|15|3; 8|8|8"),
        ("insert into t values (8,1,70) as n on duplicate key update b = n.b + t.b", "ok 2"),
        ("select b from t where id = 8", "78"),
        (
            "insert into t (id, a, b) select id, a, b from t x on duplicate key update b = values(b) + 1",
            "ok 6",
        ),
        ("select b from t order by id", "11; 4; 79"),
        (
            "insert into t values (1,0,0) on duplicate key update a = 15",
            "E1062 Duplicate entry '15' for key 't.a'",
        ),
    ]);
}

#[test]
fn updating() {
    check(&[
        (
            "create table t (id int primary key, a int, b varchar(5), ts timestamp default '2001-01-01 00:00:00' on update current_timestamp, key (a))",
            "ok 0",
        ),
        ("insert into t (id,a,b) values (1,1,'a'),(2,2,'b'),(3,3,'c'),(4,4,'d')", "ok 4"),
        ("update t set a = a + 1", "ok 4"),
        ("update t set a = a where id > 0", "ok 0"),
        ("select count(*) from t where ts = '2001-01-01 00:00:00'", "0"),
        ("update t set a = a + 1, b = a where id = 1", "ok 1"),
        ("select a, b from t where id = 1", "3|3"),
        ("update t set a = a + 100 where a >= 3 order by a desc limit 2", "ok 2"),
        ("select id, a from t order by id", "1|3; 2|3; 3|104; 4|105"),
        ("update t set a = a + 1 where a > 0", "ok 4"),
        ("update t set id = id + 1 order by id desc", "ok 4"),
        ("update t set id = id - 1 order by id desc", "E1062"),
        ("select group_concat(id order by id) from t", "2,3,4,5"),
        ("update t set id = id - 1", "ok 4"),
        ("update t set a = (select 10 + max(id) from (select id from t) x) where id = 1", "ok 1"),
        ("update t set b = default where id = 1", "ok 1"),
        ("update t set id = null where id = 1", "E1048 Column 'id' cannot be null"),
        ("update t set b = 'toolong' where id = 1", "E1406 Data too long for column 'b' at row 1"),
        ("update ignore t set b = 'toolong' where id = 1", "ok 1"),
        ("update ignore t set id = 2 where id = 1", "ok 0"),
        ("select id, b from t where id < 3 order by id", "1|toolo; 2|b"),
        ("create table s (id int primary key, n int)", "ok 0"),
        ("insert into s values (1,50),(2,60),(9,90)", "ok 3"),
        ("update t join s on t.id = s.id set t.a = s.n, s.n = 0 where s.n > 50", "ok 2"),
        ("select t.id, a, n from t join s on t.id = s.id order by 1", "1|14|50; 2|60|0"),
        ("update t left join s on t.id = s.id set t.a = -1 where s.id is null", "ok 2"),
        ("update t set a = 1 where id = 77", "ok 0"),
    ]);
}

#[test]
fn deleting() {
    check(&[
        ("create table t (id int primary key, a int, key (a))", "ok 0"),
        ("insert into t values (1,1),(2,2),(3,2),(4,4),(5,5),(6,6)", "ok 6"),
        ("delete from t where id = 1", "ok 1"),
        ("delete from t where a = 2 order by id desc limit 1", "ok 1"),
        ("select group_concat(id order by id) from t", "2,4,5,6"),
        ("create table s (id int primary key)", "ok 0"),
        ("insert into s values (4),(5),(100)", "ok 3"),
        ("delete t from t join s on t.id = s.id where s.id = 4", "ok 1"),
        ("delete t, s from t join s on t.id = s.id", "ok 2"),
        (
            "delete from x using t as x left join s on x.id = s.id where x.id = 2 and s.id is null",
            "ok 1",
        ),
        ("delete from t where id in (select id from s)", "ok 0"),
        ("delete from t", "ok 1"),
        ("delete from s where id > 3 limit 0", "ok 0"),
        ("delete from nope", "E1146 Table 'test.nope' doesn't exist"),
    ]);
}

#[test]
fn counts_and_info() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (id int primary key auto_increment, a int)"]).await;
        let a = c.ask("insert into t (a) values (1),(2),(3)").await;
        assert_eq!((a.affected, a.insert_id), (3, 1));
        assert_eq!(a.info, "Records: 3  Duplicates: 0  Warnings: 0");
        let a = c.ask("insert into t (a) values (4)").await;
        assert_eq!((a.affected, a.insert_id, a.info.as_str()), (1, 4, ""));
        let a = c.ask("update t set a = 2 where id <= 2").await;
        assert_eq!(a.info, "Rows matched: 2  Changed: 1  Warnings: 0");
        let a = c.ask("insert into t (id, a) values (1, 9) on duplicate key update a = 9").await;
        assert_eq!(a.affected, 2);
        let a = c.ask("insert ignore into t (id, a) values (1, 9), (50, 9)").await;
        assert_eq!((a.affected, a.info.as_str()), (1, "Records: 2  Duplicates: 1  Warnings: 1"));
        c.rows("set auto_increment_increment = 10, auto_increment_offset = 3").await;
        let a = c.ask("insert into t (a) values (1), (2)").await;
        assert_eq!(a.insert_id, 53);
        assert_eq!(c.rows("select id from t where id > 50 order by id").await, "53; 63");
        c.0.close().await;
    });
}

#[test]
fn a_failed_statement_leaves_nothing_and_the_transaction_goes_on() {
    check(&[
        ("create table t (id int primary key, a int)", "ok 0"),
        ("begin", "ok 0"),
        ("insert into t values (1,1)", "ok 1"),
        ("insert into t values (2,2),(3,3),(1,9)", "E1062"),
        ("select count(*) from t", "1"),
        ("update t set a = a + 1", "ok 1"),
        ("insert into t values (2,2)", "ok 1"),
        ("update t set id = 7", "E1062"),
        ("commit", "ok 0"),
        ("select * from t order by id", "1|2; 2|2"),
    ]);
}

#[test]
fn prepared_statements_take_any_type() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int primary key, k int, c char(20), key (k))",
            "insert into t values (1,10,'a'),(2,20,'b'),(3,30,'c'),(4,40,'d')",
        ])
        .await;
        let point = c.0.prepare(b"select c from t where id = ?").await.expect("prepares");
        assert_eq!((point.params, point.columns.len()), (1, 1));
        let text = |s: &str| ParamValue::Bytes(s.into());
        for (v, want) in [
            (ParamValue::Int(2), "b"),
            (text("3"), "c"),
            (ParamValue::Double(1.5), ""),
            (ParamValue::Null, ""),
            (ParamValue::UInt(u64::MAX), ""),
            (ParamValue::Decimal(b"4.0".to_vec()), "d"),
            (text("x"), ""),
            (ParamValue::Int(1), "a"),
        ] {
            let a = c.execute(point.id, std::slice::from_ref(&v)).await;
            assert_eq!(a.line(), want, "{v:?}");
        }
        let range =
            c.0.prepare(b"select id from t where k between ? and ? order by id desc limit ?")
                .await
                .expect("prepares");
        let int = ParamValue::Int;
        let a = c.execute(range.id, &[int(15), int(40), int(2)]).await;
        assert_eq!(a.line(), "4; 3");
        let a = c.execute(range.id, &[ParamValue::Double(19.5), text("30"), int(9)]).await;
        assert_eq!(a.line(), "3; 2");
        let a = c.execute(range.id, &[ParamValue::Null, int(30), int(9)]).await;
        assert_eq!(a.line(), "");
        let up =
            c.0.prepare(b"update t set k = k + ?, c = ? where id = ?").await.expect("prepares");
        let a = c.execute(up.id, &[int(1), text("new"), int(1)]).await;
        assert_eq!((a.affected, a.error), (1, None));
        let a = c.execute(up.id, &[ParamValue::Null, ParamValue::Null, int(1)]).await;
        assert_eq!((a.affected, a.error), (1, None));
        assert_eq!(c.rows("select k, c from t where id = 1").await, "NULL|NULL");
        c.rows("alter table t add column z int default 3 first").await;
        assert_eq!(c.execute(point.id, &[int(2)]).await.line(), "b", "planned again");
        c.0.close().await;
    });
}

#[test]
fn on_duplicate_key_update_sees_the_tables_of_its_select() {
    check(&[
        ("create table t (id int primary key, a int, b varchar(10))", "ok 0"),
        ("insert into t values (1, 10, 'x'), (2, 20, 'y')", "ok 2"),
        ("create table s (id int primary key, n int, note varchar(30))", "ok 0"),
        ("insert into s values (1, 50, '-')", "ok 1"),
        (
            "insert into s (id, n) select t.id, t.a from t where id = 1 on duplicate key update n = t.a + 1",
            "ok 2",
        ),
        (
            "insert into s (id, n) select t.id, t.a from t \
             on duplicate key update n = n + a + values(n), note = b",
            "ok 3",
        ),
        ("select * from s", "1|31|x; 2|20|NULL"),
        (
            "insert into s (id, n) select t.id, t.a from t on duplicate key update n = id",
            "E1052 Column 'id' in field list is ambiguous",
        ),
        (
            "insert into s (id, n) select x.id, y.a from t x join t y using (id) \
             on duplicate key update note = concat(x.b, y.b), n = y.id",
            "ok 4",
        ),
        ("select * from s", "1|1|xx; 2|2|yy"),
        (
            "insert into s (id, n) select d.id, d.a from (select id, a * 2 a from t) d \
             on duplicate key update n = d.a",
            "ok 4",
        ),
        ("select * from s", "1|20|xx; 2|40|yy"),
        (
            "insert into s (id, n) select t.id, 0 from t order by id desc limit 1 \
             on duplicate key update n = (select t.a * 100 + count(*) from t x where x.id <= t.id)",
            "ok 2",
        ),
        ("select * from s", "1|20|xx; 2|2002|yy"),
        (
            "insert into s (id, n) select distinct id, a from t on duplicate key update n = t.a",
            "ok 4",
        ),
        (
            "insert into s (id, n) select distinct id, 0 from t on duplicate key update n = t.a",
            "E1235",
        ),
        (
            "insert into s (id, n) select t.id, max(t.a) from t group by t.id \
             on duplicate key update n = t.a",
            "E1054 Unknown column 't.a' in 'field list'",
        ),
        (
            "insert into s (id, n) select t.id, t.a from t union select 1, 2 \
             on duplicate key update n = t.a",
            "E1054",
        ),
        // The new row by an alias, its columns by other names too.
        (
            "insert into s values (1, 5, 'q') as new on duplicate key update n = new.n + s.n, note = new.note",
            "ok 2",
        ),
        ("select * from s where id = 1", "1|15|q"),
        (
            "insert into s values (1, 6, 'r') as new(x, y, z) on duplicate key update n = y, note = z",
            "ok 2",
        ),
        ("insert into s set id = 2, n = 8 as new on duplicate key update n = new.n", "ok 2"),
        ("select * from s", "1|6|r; 2|8|yy"),
    ]);
}

#[test]
fn the_table_that_changes_is_not_read_by_a_subquery() {
    const T: &str = "E1093 You can't specify target table 't' for update in FROM clause";
    check(&[
        ("create table t (id int primary key, a int)", "ok 0"),
        ("create table s (id int primary key, a int)", "ok 0"),
        ("insert into t values (1, 10), (2, 20)", "ok 2"),
        ("insert into s values (1, 100), (2, 200)", "ok 2"),
        ("update t set a = (select max(id) from t) where id = 1", T),
        (
            "update t set a = 0 where id in (select s.id from s where s.a > (select min(a) from t))",
            T,
        ),
        (
            "update t x set a = (select max(id) from t) where id = 1",
            "E1093 You can't specify target table 'x' for update in FROM clause",
        ),
        (
            "update t, s set t.a = 0 where t.id = s.id and exists (select 1 from t y where y.id = 9)",
            T,
        ),
        (
            "update t, s set s.a = 0 where t.id = s.id and exists (select 1 from t y where y.id = 9)",
            "ok 0",
        ),
        ("delete from t where id in (select id from t where id > 90)", T),
        ("delete from t where id in (select id from s union select id from t)", T),
        ("delete t from t join s using (id) where t.a > (select avg(a) from t)", T),
        ("insert into t values (1, 1) on duplicate key update a = (select max(a) from t y)", T),
        // A derived table is read before.
        ("update t set a = (select m from (select max(id) m from t) d) where id = 1", "ok 1"),
        ("update t join (select max(a) m from t) d set t.a = d.m where t.id = 1", "ok 1"),
        ("delete from t where id in (select id from (select id from t where id > 90) d)", "ok 0"),
        ("insert into t select id + 10, a from t where id in (select id from t)", "ok 2"),
        ("update t set a = (select s.a from s where s.id = t.id) where id = 2", "ok 1"),
        (
            "insert into t (id, a) values ((select max(id) + 1 from t x), 5), (14, (select count(*) from t x))",
            "ok 2",
        ),
        ("replace into t values ((select 1 from t y limit 1), 21)", "ok 2"),
        ("select * from t", "1|21; 2|200; 11|20; 12|20; 13|5; 14|4"),
        ("insert into t values (15, (select count(*) from t))", T),
        ("replace into t values ((select max(id) + 1 from t), 1)", T),
        // What is asked for each row finds the rows before it.
        (
            "insert into t (id, a) values (20, 1), (21, (select count(*) from t x where x.id < t.id))",
            "ok 2",
        ),
        ("select a from t where id = 21", "7"),
    ]);
}

#[test]
fn common_tables_before_changes() {
    check(&[
        ("create table t (id int primary key, a int)", "ok 0"),
        ("create table s (id int primary key)", "ok 0"),
        ("insert into t values (1, 10), (2, 20), (3, 30)", "ok 3"),
        ("with x as (select 1 id) update t join x using (id) set t.a = 7", "ok 1"),
        (
            "with x as (select 2 id), y as (select id from x) delete from t where id in (select id from y)",
            "ok 1",
        ),
        ("with x as (select 3 id) delete t from t join x using (id)", "ok 1"),
        ("select * from t", "1|7"),
        (
            "with x as (select 1 id) update x set id = 2",
            "E1288 The target table x of the UPDATE is not updatable",
        ),
        // The rows of a join have no order to be changed in.
        (
            "update t, s set a = 0 where t.id = s.id order by t.id",
            "E1221 Incorrect usage of UPDATE and ORDER BY",
        ),
        (
            "update t join s using (id) set a = 0 limit 1",
            "E1221 Incorrect usage of UPDATE and LIMIT",
        ),
        ("delete t from t join s using (id) limit 1", "E1064"),
    ]);
}

#[test]
fn safe_updates_need_a_key() {
    const UNSAFE: &str = "E1175 You are using safe update mode and you tried to update a table without a WHERE that uses \
                          a KEY column. ";
    check(&[
        ("create table t (id int primary key, a int, b int, key (b))", "ok 0"),
        ("create table s (id int primary key, t_id int)", "ok 0"),
        ("insert into t values (1, 1, 1), (2, 2, 2), (3, 3, 3)", "ok 3"),
        ("insert into s values (1, 1)", "ok 1"),
        ("set sql_safe_updates = 1", "ok 0"),
        ("update t set a = 5", UNSAFE),
        ("update t set a = 5 where a = 1", UNSAFE),
        ("delete from t where a > 1", UNSAFE),
        ("delete from t", UNSAFE),
        ("update t, s set a = 5 where t.a = s.t_id", UNSAFE),
        // A key that is too dear to be used is one.
        ("update t set a = 5 where b > 0", "ok 3"),
        ("update t set a = 6 where id = 1", "ok 1"),
        ("update t set a = 7 limit 2", "ok 2"),
        ("update t, s set a = 8 where t.id = s.t_id", "ok 1"),
        ("delete from t where a = 8 limit 1", "ok 1"),
        ("select count(*) from t where a > 0", "2"),
        ("insert into s select id + 1, a from t", "ok 2"),
        // The plan may be known from before, or from another session.
        ("set sql_safe_updates = 0", "ok 0"),
        ("update t set a = 9", "ok 2"),
        ("set sql_safe_updates = 1", "ok 0"),
        ("update t set a = 9", UNSAFE),
    ]);
}

/// Rows of one statement go to the engine together; what a client sees is as if they went one by one.
#[test]
fn many_rows_are_inserted_as_if_one_by_one() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table m (id int primary key, u int unique, b varchar(5))",
            "create table n (id int auto_increment primary key, b varchar(5))",
            "insert into m values (50, 50, 'old')",
        ])
        .await;
        let run: Vec<String> = (100..400).map(|i| format!("({i},{i},'x')")).collect();
        c.check(&[
            (&format!("insert into m values {}", run.join(",")), "ok 300"),
            ("select count(*), sum(id), sum(u) from m", "301|74900|74900"),
            // The first row that meets its like is named, and none of the statement stays.
            (
                "insert into m values (1,1,'a'),(2,2,'a'),(2,3,'a'),(1,4,'a')",
                "E1062 Duplicate entry '2' for key 'm.PRIMARY'",
            ),
            (
                "insert into m values (1,1,'a'),(2,50,'a'),(3,3,'a'),(3,4,'a')",
                "E1062 Duplicate entry '50' for key 'm.u'",
            ),
            // A duplicate before a row that cannot be made comes first, and the other way round.
            (
                "insert into m values (1,1,'a'),(50,2,'a'),(3,3,'too long')",
                "E1062 Duplicate entry '50' for key 'm.PRIMARY'",
            ),
            (
                "insert into m values (1,1,'a'),(3,3,'too long'),(50,2,'a')",
                "E1406 Data too long for column 'b' at row 2",
            ),
            ("select count(*) from m where id < 50", "0"),
            ("insert ignore into m values (1,1,'a'),(50,2,'a'),(3,3,'a')", "ok 2"),
            ("insert into m values (9,9,'a'),(8,8,'a'),(7,7,'a'),(10,10,'a'),(6,6,'a')", "ok 5"),
            ("select group_concat(id order by id) from m where id < 50", "1,3,6,7,8,9,10"),
            ("insert into n (b) select b from m where id < 100", "ok 8"),
            ("insert into n values (20, 'a'), (null, 'b'), (null, 'c')", "ok 3"),
            ("select group_concat(id order by id) from n", "1,2,3,4,5,6,7,8,20,21,22"),
            ("insert into n values (null, 'd'), (40, 'e'), (null, 'f')", "ok 3"),
            ("select group_concat(id order by id) from n where id > 22", "23,40,41"),
            ("begin", "ok 0"),
            ("insert into m values (11,11,'a'),(12,12,'a')", "ok 2"),
            ("rollback", "ok 0"),
            ("select count(*) from m where id in (11,12)", "0"),
        ])
        .await;
        c.0.close().await;
    });
}

/// Rows that an INSERT never came to, or that met the error, do not move the AUTO_INCREMENT counter; those before do.
#[test]
fn the_counter_follows_rows_that_were_inserted() {
    check(&[
        ("create table n (id bigint auto_increment primary key, u int unique)", "ok 0"),
        ("insert into n (u) values (1), (2)", "ok 2"),
        (
            "insert into n values (10, 3), (20, 1), (9223372036854775807, 4)",
            "E1062 Duplicate entry '1' for key 'n.u'",
        ),
        ("insert into n (u) values (5)", "ok 1"),
        ("select id, u from n", "1|1; 2|2; 11|5"),
        (
            "insert into n values (20, 6), (null, 7), (30, 8), (null, 9), (null, 10), (25, 11)",
            "ok 6",
        ),
        ("select id, u from n where u > 5 order by u", "20|6; 21|7; 30|8; 31|9; 32|10; 25|11"),
        ("insert into n select 100 + id, 100 + u from n where id < 3", "ok 2"),
        ("insert into n (u) values (12), (13)", "ok 2"),
        ("select id from n where u in (12, 13)", "103; 104"),
    ]);
}

#[test]
fn set_insert_id_gives_the_next_number_once() {
    check(&[
        ("create table t (id int primary key auto_increment, a int)", "ok 0"),
        ("set insert_id = 10", "ok 0"),
        ("select @@insert_id", "10"),
        // Who gives the number himself does not take it.
        ("insert into t values (3, 0)", "ok 1"),
        ("insert into t (a) values (1), (2)", "ok 2"),
        ("select @@insert_id, last_insert_id()", "0|10"),
        ("insert into t (a) values (3)", "ok 1"),
        ("set insert_id = 5", "ok 0"),
        ("insert into t (a) values (4)", "ok 1"),
        // A smaller number does not take the counter back.
        ("insert into t (a) values (5)", "ok 1"),
        ("set insert_id = 5", "ok 0"),
        ("insert into t (a) values (6)", "E1062"),
        ("select @@insert_id", "0"),
        ("insert /*+ set_var(insert_id = 40) */ into t (a) values (7)", "ok 1"),
        ("insert into t (a) values (8)", "ok 1"),
        ("select id, a from t", "3|0; 5|4; 10|1; 11|2; 12|3; 13|5; 40|7; 41|8"),
    ]);
}

#[test]
fn a_number_that_may_be_missing_is_given_for_zero_only() {
    check(&[
        ("create table t (id int auto_increment null unique, a int)", "ok 0"),
        (
            "show create table t",
            "t|CREATE TABLE `t` (\n  `id` int AUTO_INCREMENT,\n  `a` int DEFAULT NULL,\n  UNIQUE KEY `id` (`id`)\n) \
             ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
        ),
        ("insert into t values (null, 1), (0, 2), (default, 3)", "ok 3"),
        // A number is drawn where NULL is kept, too.
        ("select last_insert_id()", "1"),
        ("insert into t (a) values (4)", "ok 1"),
        ("select last_insert_id()", "4"),
        ("select id, a from t order by a", "NULL|1; 2|2; NULL|3; NULL|4"),
        ("create table n (id int null auto_increment unique)", "ok 0"),
        ("insert into n values (null)", "ok 1"),
        ("create table p (id int auto_increment null primary key)", "E1171"),
    ]);
}

/// ON UPDATE CURRENT_TIMESTAMP sets its column before generated columns look at it.
#[test]
fn a_generated_column_sees_the_moment_of_the_update() {
    check(&[
        (
            "create table t (id int primary key, v int, at datetime default '2001-01-01 00:00:00' on update current_timestamp, \
             y int as (year(at)) stored, z int as (year(at)), key (z))",
            "ok 0",
        ),
        ("insert into t (id, v) values (1, 1), (2, 2)", "ok 2"),
        ("select y, z from t", "2001|2001; 2001|2001"),
        ("update t set v = 3 where id = 1", "ok 1"),
        ("insert into t (id, v) values (2, 2) on duplicate key update v = 4", "ok 2"),
        ("select y = year(at), z = year(at), at > '2001-01-02' from t", "1|1|1; 1|1|1"),
        ("select count(*) from t where z = 2001", "0"),
    ]);
}

/// The AUTO_INCREMENT counter goes beyond a number that an UPDATE has given a row, and stays there when the table is written again.
#[test]
fn the_counter_passes_numbers_of_updates_and_outlives_a_rebuild() {
    check(&[
        ("create table t (id int auto_increment primary key, v int)", "ok 0"),
        ("insert into t (v) values (1), (2)", "ok 2"),
        ("update t set id = 100 where v = 2", "ok 1"),
        ("insert into t (v) values (3)", "ok 1"),
        ("select id from t", "1; 100; 101"),
        ("delete from t where id > 1", "ok 2"),
        ("alter table t force", "ok 0"),
        ("insert into t (v) values (4)", "ok 1"),
        ("select id from t", "1; 102"),
    ]);
}
