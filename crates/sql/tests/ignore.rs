//! IGNORE: the errors that it makes warnings of, for each statement that has it.
use crate::common::*;

const TABLES: &[&str] = &[
    "create table two (a int)",
    "insert into two values (1), (2)",
    "create table parent (id int primary key)",
    "insert into parent values (1), (2)",
    "create table t (id int primary key, n int not null, u int unique, p int, s varchar(3), c int check (c < 100), \
     foreign key (p) references parent (id))",
    "insert into t values (1, 1, 1, 1, 'a', 1), (2, 2, 2, 2, 'b', 2)",
    "create table l (a int) partition by list (a) (partition p1 values in (1, 2))",
    "insert into l values (1)",
    "create view v as select id, n, u from t where n < 10 with check option",
    "create view lv as select a from two where a < 10 with check option",
];

/// Statement, number of the error without IGNORE (`IGNORE` in the text is taken out), what it answers with it, its warnings, and
/// what is there then.
type Case = (&'static str, u16, &'static str, &'static str, &'static str, &'static str);

const CASES: &[Case] = &[
    (
        "insert IGNORE into t (id, n) values (3, (select a from two))",
        1242,
        "ok 1",
        "Warning|1242|Subquery returns more than 1 row; Warning|1048|Column 'n' cannot be null",
        "select id, n from t where id = 3",
        "3|0",
    ),
    (
        "insert IGNORE into t (id, n) values (3, null)",
        1048,
        "ok 1",
        "Warning|1048|Column 'n' cannot be null",
        "select n from t where id = 3",
        "0",
    ),
    (
        "insert IGNORE into t (id, n) select 3, null",
        1048,
        "ok 1",
        "Warning|1048|Column 'n' cannot be null",
        "select n from t where id = 3",
        "0",
    ),
    (
        "insert IGNORE into t (id) values (3)",
        1364,
        "ok 1",
        "Warning|1364|Field 'n' doesn't have a default value",
        "select n from t where id = 3",
        "0",
    ),
    (
        "insert IGNORE into t (id, n) values (1, 7), (3, 7)",
        1062,
        "ok 1",
        "Warning|1062|Duplicate entry '1' for key 't.PRIMARY'",
        "select id, n from t",
        "1|1; 2|2; 3|7",
    ),
    (
        "insert IGNORE into t (id, n, u) values (3, 7, 2)",
        1062,
        "ok 0",
        "Warning|1062|Duplicate entry '2' for key 't.u'",
        "select count(*) from t",
        "2",
    ),
    (
        "insert IGNORE into t (id, n, p) values (3, 7, 9), (4, 7, 1)",
        1452,
        "ok 1",
        "Warning|1452|Cannot add or update a child row: a foreign key constraint fails (`test`.`t`, CONSTRAINT `t_ibfk_1` FOREIGN KEY (`p`) REFERENCES `parent` (`id`))",
        "select id from t where id > 2",
        "4",
    ),
    (
        "insert IGNORE into t (id, n, c) values (3, 7, 100), (4, 7, 99)",
        3819,
        "ok 1",
        "Warning|3819|Check constraint 't_chk_1' is violated.",
        "select id from t where id > 2",
        "4",
    ),
    (
        "insert IGNORE into l values (7), (2)",
        1526,
        "ok 1",
        "Warning|1526|Table has no partition for value 7",
        "select a from l",
        "1; 2",
    ),
    (
        "insert IGNORE into v values (3, 10, 3), (4, 9, 4)",
        1369,
        "ok 1",
        "Warning|1369|CHECK OPTION failed 'test.v'",
        "select id from t where id > 2",
        "4",
    ),
    (
        "insert IGNORE into t (id, n) values (3, 3000000000)",
        1264,
        "ok 1",
        "Warning|1264|Out of range value for column 'n' at row 1",
        "select n from t where id = 3",
        "2147483647",
    ),
    (
        "insert IGNORE into t (id, n, s) values (3, 'x', 'long')",
        1366,
        "ok 1",
        "Warning|1366|Incorrect integer value: 'x' for column 'n' at row 1; Warning|1265|Data truncated for column 's' at row 1",
        "select n, s from t where id = 3",
        "0|lon",
    ),
    (
        "insert IGNORE into t (id, n) values (1, 7) on duplicate key update n = null",
        1048,
        "ok 2",
        "Warning|1048|Column 'n' cannot be null",
        "select n from t where id = 1",
        "0",
    ),
    (
        "insert IGNORE into t (id, n) select 1, 7 on duplicate key update n = null",
        1048,
        "ok 2",
        "Warning|1048|Column 'n' cannot be null",
        "select n from t where id = 1",
        "0",
    ),
    (
        "insert IGNORE into t (id, n) values (1, 7) on duplicate key update id = 2",
        1062,
        "ok 0",
        "Warning|1062|Duplicate entry '2' for key 't.PRIMARY'",
        "select id, n from t",
        "1|1; 2|2",
    ),
    (
        "insert IGNORE into t (id, n) values (1, 7) on duplicate key update n = (select a from two)",
        1242,
        "ok 2",
        "Warning|1242|Subquery returns more than 1 row; Warning|1048|Column 'n' cannot be null",
        "select n from t where id = 1",
        "0",
    ),
    (
        "update IGNORE t set n = null where id = 1",
        1048,
        "ok 1",
        "Warning|1048|Column 'n' cannot be null",
        "select n from t where id = 1",
        "0",
    ),
    (
        "update IGNORE t set n = (select a from two) where id = 1",
        1242,
        "ok 1",
        "Warning|1242|Subquery returns more than 1 row; Warning|1048|Column 'n' cannot be null",
        "select n from t where id = 1",
        "0",
    ),
    (
        "update IGNORE t set n = 7 where (id, n) = (select a, a from two)",
        1242,
        "ok 0",
        "Warning|1242|Subquery returns more than 1 row",
        "select n from t",
        "1; 2",
    ),
    (
        "update IGNORE t set id = 2 where id = 1",
        1062,
        "ok 0",
        "Warning|1062|Duplicate entry '2' for key 't.PRIMARY'",
        "select id from t",
        "1; 2",
    ),
    (
        "update IGNORE t set p = 9",
        1452,
        "ok 0",
        "Warning|1452|Cannot add or update a child row: a foreign key constraint fails (`test`.`t`, CONSTRAINT `t_ibfk_1` FOREIGN KEY (`p`) REFERENCES `parent` (`id`)); \
      Warning|1452|Cannot add or update a child row: a foreign key constraint fails (`test`.`t`, CONSTRAINT `t_ibfk_1` FOREIGN KEY (`p`) REFERENCES `parent` (`id`))",
        "select p from t order by id",
        "1; 2",
    ),
    (
        "update IGNORE t set c = id * 60",
        3819,
        "ok 1",
        "Warning|3819|Check constraint 't_chk_1' is violated.",
        "select c from t",
        "60; 2",
    ),
    (
        "update IGNORE parent set id = id + 5 where id = 1",
        1451,
        "ok 0",
        "Warning|1451|Cannot delete or update a parent row: a foreign key constraint fails (`test`.`t`, CONSTRAINT `t_ibfk_1` FOREIGN KEY (`p`) REFERENCES `parent` (`id`))",
        "select id from parent",
        "1; 2",
    ),
    (
        "update IGNORE l set a = 5",
        1526,
        "ok 0",
        "Warning|1526|Table has no partition for value 5",
        "select a from l",
        "1",
    ),
    (
        "update IGNORE v set n = n + 8",
        1369,
        "ok 1",
        "Warning|1369|CHECK OPTION failed 'test.v'",
        "select n from t",
        "9; 2",
    ),
    (
        "update IGNORE t, two set t.n = null where t.id = two.a",
        1048,
        "ok 2",
        "Warning|1048|Column 'n' cannot be null; Warning|1048|Column 'n' cannot be null",
        "select n from t",
        "0; 0",
    ),
    (
        "delete IGNORE from parent where id < 3",
        1451,
        "ok 0",
        "Warning|1451|Cannot delete or update a parent row: a foreign key constraint fails (`test`.`t`, CONSTRAINT `t_ibfk_1` FOREIGN KEY (`p`) REFERENCES `parent` (`id`)); \
      Warning|1451|Cannot delete or update a parent row: a foreign key constraint fails (`test`.`t`, CONSTRAINT `t_ibfk_1` FOREIGN KEY (`p`) REFERENCES `parent` (`id`))",
        "select id from parent",
        "1; 2",
    ),
    (
        "delete IGNORE from t where n = (select a from two)",
        1242,
        "ok 0",
        "Warning|1242|Subquery returns more than 1 row",
        "select id from t",
        "1; 2",
    ),
    (
        "delete IGNORE parent from parent join two on id = a",
        1451,
        "ok 0",
        "Warning|1451|Cannot delete or update a parent row: a foreign key constraint fails (`test`.`t`, CONSTRAINT `t_ibfk_1` FOREIGN KEY (`p`) REFERENCES `parent` (`id`)); \
      Warning|1451|Cannot delete or update a parent row: a foreign key constraint fails (`test`.`t`, CONSTRAINT `t_ibfk_1` FOREIGN KEY (`p`) REFERENCES `parent` (`id`))",
        "select id from parent",
        "1; 2",
    ),
];

#[test]
fn what_may_be_ignored_is_a_warning() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(TABLES).await;
        let mut bad = String::new();
        for (sql, errno, answer, warnings, then, there) in CASES {
            c.rows("begin").await;
            let strict = c.ask(&sql.replace(" IGNORE", "")).await;
            c.rows("rollback").await;
            c.rows("begin").await;
            let got = c.ask(sql).await.line();
            let told = c.ask("show warnings").await.line();
            let left = c.ask(then).await.line();
            c.rows("rollback").await;
            if (strict.errno(), got.as_str(), told.as_str(), left.as_str())
                != (*errno, *answer, *warnings, *there)
            {
                bad += &format!(
                    "{sql}\n  without {}\n  got {got}\n  told {told}\n  left {left}\n",
                    strict.line()
                );
            }
        }
        assert!(bad.is_empty(), "\n{bad}");
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn what_may_not_be_ignored_is_an_error() {
    with_server(2, |server| async move {
        let mut c = server.client();
        c.all(TABLES).await;
        c.check(&[
            ("insert ignore into nothing values (1)", "E1146"),
            ("insert ignore into t (nothing) values (1)", "E1054"),
            ("update ignore t set n = (select a, a from two)", "E1241"),
            ("delete ignore from t where nothing = 1", "E1054"),
            ("insert ignore into t (id, n) values (1)", "E1136"),
            // A query that is no change has nothing to ignore, nor has a function's own statement.
            ("select (select a from two)", "E1242"),
            ("create function f() returns int return (select a from two)", "ok 0"),
            ("insert ignore into two values (f())", "E1242"),
            ("replace into t (id, n) values (1, null)", "E1048"),
            (
                "create trigger tr before insert on two for each row set @x = (select a from t2)",
                "ok 0",
            ),
            ("insert ignore into two values (1)", "E1146"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// A strict mode lets pass that a text of a column of TEXT or BLOB is no number, and nothing else because such a column is there.
#[test]
fn texts_do_not_excuse_other_values() {
    check(&[
        (
            "create table s (id int primary key, n int, d date, dt datetime, f double, b text, v varchar(20))",
            "ok 0",
        ),
        ("insert into s values (1, 1, '2024-01-01', '2024-01-01', 1, 'x', 'y')", "ok 1"),
        ("update s set d = last_day(1)", "E1292"),
        ("update s set f = log2(-1)", "E3020"),
        ("update s set d = cast(1 as date)", "E1292"),
        ("update s set dt = date_add('x', interval 1 day)", "E1292"),
        ("update s set n = 2 where last_day(1) is null", "E1292"),
        ("insert into s (id, d) select 5, last_day(1) from s", "E1292"),
        ("insert into s (id) values (1) on duplicate key update d = last_day(1)", "E1292"),
        ("replace into s (id, d) select 1, last_day(1) from s", "E1292"),
        ("delete from s where last_day(1)", "E1292"),
        // The number that was no number came first.
        ("update s set n = b + 0, d = last_day(1)", "E1292"),
        ("select id, n, d, dt, f, b from s", "1|1|2024-01-01|2024-01-01 00:00:00|1|x"),
        ("update s set n = b + 0", "ok 1"),
        ("update ignore s set d = last_day(1)", "ok 1"),
        ("select id, n, d from s", "1|0|NULL"),
    ]);
}
