//! Beside MySQL: which names are taken for what, and which are refused where.
use crate::common::*;

/// A name alone is an alias or a table of the default schema; one with its schema is a table without an alias.
#[test]
fn tables_of_a_multi_delete() {
    with_server(98, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("create database other", "ok 1"),
            ("create table other.u (a int)", "ok 0"),
            ("create table t (a int)", "ok 0"),
            ("delete t from t, other.u", "ok 0"),
            ("delete test.t from t, other.u t", "ok 0"),
            ("delete x from t x, other.u", "ok 0"),
            ("delete t from t x, t", "ok 0"),
            ("delete other.u from t, other.u", "ok 0"),
            ("delete x, y from t x, t y", "ok 0"),
            ("delete u from t, other.u", "E1109 Unknown table 'u' in MULTI DELETE"),
            ("delete test.x from t x", "E1109 Unknown table 'x' in MULTI DELETE"),
            ("delete test.t from t as t", "E1109 Unknown table 't' in MULTI DELETE"),
            ("delete t from t as x", "E1109 Unknown table 't' in MULTI DELETE"),
            ("delete t from t, other.u t", "E1066 Not unique table/alias: 't'"),
            ("delete x from t x, other.u x where x.a = 1", "E1066 Not unique table/alias: 'x'"),
            ("delete x, x from t x", "E1066 Not unique table/alias: 'x'"),
            (
                "delete d from (select 1) d",
                "E1288 The target table d of the DELETE is not updatable",
            ),
            ("drop database test", "ok 1"),
            ("delete x from other.u x", "E1046 No database selected"),
            ("delete from u using other.u", "E1046"),
            ("delete other.u from other.u", "ok 0"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// Functions that are none of the server's own, whether they are there or not.
#[test]
fn stored_functions_in_definitions() {
    check(&[
        ("create function one() returns int deterministic no sql return 1", "ok 0"),
        (
            "create table n (a int, check (one() > a))",
            "E3814 An expression of a check constraint 'n_chk_1' contains disallowed function: `one`.",
        ),
        (
            "create table n (a int, check (test.one() > a))",
            "E3814 An expression of a check constraint 'n_chk_1' contains disallowed function: `test`.`one`.",
        ),
        ("create table n (a int, check (nowhere(a) > 0))", "E3814"),
        (
            "create table n (a int, b int as (one()))",
            "E3763 Expression of generated column 'b' contains a disallowed function: `one`.",
        ),
        (
            "create table n (a int, b int default (one()))",
            "E3770 Default value expression of column 'b' contains a disallowed function: `one`.",
        ),
        ("create table n (a int, key ((one() + a)))", "E3758"),
        (
            "create table n (a int, b varchar(9) as (charset(a)), check (coercibility(a) > 0))",
            "ok 0",
        ),
    ]);
}

/// Defaults of ENUM and SET name members: a number is the text that it is.
#[test]
fn members_as_defaults() {
    check(&[
        ("create table n (a enum('x', 'y') default 1)", "E1067 Invalid default value for 'a'"),
        ("create table n (a enum('x', 'y') default '1')", "E1067"),
        ("create table n (a enum('x', 'y') default 0)", "E1067"),
        ("create table n (a enum('x', 'y') default '')", "E1067"),
        ("create table n (a set('x', 'y') default 3)", "E1067"),
        (
            "create table n (a enum('2', '1') default 1, b set('x', 'y') default 'Y,x', c enum('x') default 'X', d set('x') default '')",
            "ok 0",
        ),
        ("insert into n () values ()", "ok 1"),
        ("select * from n", "1|x,y|x|"),
    ]);
}

/// Of the account of the session only the password is changed by this form.
#[test]
fn alter_user_user() {
    check(&[
        ("alter user user() identified by 'x' account lock", "E1064"),
        ("alter user user() account lock", "E1064"),
        ("alter user user() identified by 'x' default role none", "E1064"),
    ]);
}

/// An invisible index is not one that a hint may name, and no key that rows are stored by.
#[test]
fn invisible_indexes() {
    check(&[
        ("create table n (a int, b int, key a (a) invisible, unique key b (b) invisible)", "ok 0"),
        ("select * from n force index (a)", "E1176 Key 'a' doesn't exist in table 'n'"),
        ("select * from n ignore index (b)", "E1176 Key 'b' doesn't exist in table 'n'"),
        (
            "create table m (a int not null, unique key (a) invisible)",
            "E3522 A primary key index cannot be invisible",
        ),
        ("create table m (a int not null, unique key (a), unique key c (a) invisible)", "ok 0"),
        ("alter table m alter index a invisible", "E3522"),
        ("alter table n modify b int not null", "E3522"),
        ("set sql_require_primary_key = 1", "ok 0"),
        ("create table k like n", "E3750"),
        ("set sql_require_primary_key = 0", "ok 0"),
        ("create table k like n", "ok 0"),
        (
            "select cast(1 as float(54))",
            "E1426 Too-big precision 54 specified for 'CAST'. Maximum is 53.",
        ),
    ]);
}

/// Accounts that programs and views run as.
#[test]
fn definers() {
    with_server(102, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (a int)",
            "create user d, maker@localhost",
            "grant create user on *.* to maker@localhost",
            "create definer = d procedure p () select 1",
            "create definer = d function f () returns int deterministic return 1",
            "create definer = d view v as select 1",
            "create definer = d event e on schedule every 1 day do select 1",
            "create definer = d trigger tr before insert on t for each row set @a = 1",
        ])
        .await;
        let of = ["an event", "a view", "a stored routine", "a trigger"];
        let warned = of.map(|what| {
            format!("Warning|4005|User 'd'@'%' is referenced as a definer account in {what}.")
        });
        for sql in [
            "rename user d to g",
            "rename user g to d",
            "drop user d",
            "create user d",
            "drop role d",
            "create role d",
        ] {
            c.rows(sql).await;
            assert_eq!(c.rows("show warnings").await, warned.join("; "), "{sql}");
        }
        let mut maker = server.client_of("maker");
        maker
            .check(&[
                ("drop user d", "E4006 Operation DROP USER failed for 'd'@'%' as it is referenced as a definer account in an event."),
                ("create user h", "ok 0"),
                ("drop user h", "ok 0"),
            ])
            .await;
        maker.0.close().await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn nothing_to_revoke() {
    check(&[
        ("create table t (a int)", "ok 0"),
        ("create procedure p () select 1", "ok 0"),
        (
            "revoke select on *.* from nobody",
            "E1141 There is no such grant defined for user 'nobody' on host '%'",
        ),
        ("revoke select on test.* from nobody", "E1141"),
        (
            "revoke select on t from nobody",
            "E1147 There is no such grant defined for user 'nobody' on host '%' on table 't'",
        ),
        (
            "revoke execute on procedure p from nobody",
            "E1403 There is no such grant defined for user 'nobody' on host '%' on routine 'p'",
        ),
    ]);
}

/// A string names its column by its value behind an introducer, too; the marks of versioned comments are no part of a name.
#[test]
fn columns_of_literals() {
    with_server(1, async |s| {
        let mut c = s.client();
        for (item, name) in [
            ("_latin1'abc'", "abc"),
            ("_utf8mb4'abc' 'd'", "abc"),
            ("n'abc'", "abc"),
            ("_latin1 x'41'", "_latin1 x'41'"),
            ("x'41'", "x'41'"),
            ("_utf8mb4'x' collate utf8mb4_bin", "_utf8mb4'x' collate utf8mb4_bin"),
            ("1 /*!32301 +1 */", "1  +1"),
            ("1 + /*!00000 2 */ + 3 /*!99999 noise*/ + 4", "1 +  2  + 3  + 4"),
            ("1 /* a */ + 2", "1 /* a */ + 2"),
        ] {
            let query = format!("select `{name}` is not null from (select {item}) d");
            c.check(&[(&query, "1")]).await;
        }
        c.check(&[
            ("create table t as select _latin1'abc' union select 'x'", "ok 2"),
            ("select `abc` from t", "abc; x"),
        ])
        .await;
    });
}

/// With its parenthesis right behind it, the name of such a function names no table; a name of spaces is empty.
#[test]
fn names_of_built_in_functions() {
    with_server(98, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("create table count(a int)", "E1064"),
            ("create table count (a int)", "ok 0"),
            ("insert into count(a) values (1)", "E1064"),
            ("insert into count (a) values (1)", "ok 1"),
            ("insert into test.count(a) values (2)", "ok 1"),
            ("create table `max`(a int)", "ok 0"),
            ("set sql_mode = 'ignore_space'", "ok 0"),
            ("create table min (a int)", "E1064"),
            ("create table `min` (a int)", "ok 0"),
            ("create table length(a int)", "ok 0"),
            ("select 1 as ' '", "1"),
            ("show warnings", "Warning|1474|Name ' ' has become ''"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// Some built-in functions are what they are only with the parenthesis right behind their name.
#[test]
fn functions_away_from_their_parenthesis() {
    check(&[
        ("create table t (a int)", "ok 0"),
        (
            "select max (a) from t",
            "E1630 FUNCTION test.max does not exist. Check the 'Function Name Parsing and Resolution' section in the Reference Manual",
        ),
        ("select now ()", "E1630"),
        ("select substring ('a', 1)", "E1630"),
        ("select trim ('a')", "E1630"),
        ("select count (*) from t", "E1064"),
        ("select abs (-1), concat ('a', 'b'), length ('abc')", "1|ab|3"),
        ("set sql_mode = 'IGNORE_SPACE'", "ok 0"),
        ("select max (a), count (*) from t", "NULL|0"),
        ("set sql_mode = default", "ok 0"),
        ("create function max (a int) returns int deterministic return a + 1", "ok 0"),
        ("select max (1), max(a) from t", "2|NULL"),
    ]);
}

/// What is too long, or of the wrong kind, where a name is wanted.
#[test]
fn names_that_are_refused() {
    let long = "o".repeat(65);
    let user = "u".repeat(33);
    let procedure = format!("create procedure p(in {long} int) select 1");
    let by = |what: &str| format!("create definer = {user}@localhost {what}");
    let definers = [
        by("procedure q() select 1"),
        by("view v as select 1"),
        by("trigger x before insert on t for each row set @a = 1"),
        by("event e on schedule every 1 day do select 1"),
    ];
    let mut cases = vec![("create table t (a int)", "ok 0"), (procedure.as_str(), "E1059")];
    cases.extend(definers.iter().map(|d| (d.as_str(), "E1470")));
    cases.extend([
        ("create table s (a tinytext, key (a(63)))", "ok 0"),
        ("create table u (a tinytext, key (a(64)))", "E1071"),
        ("create table u (a tinyblob, key (a(256)))", "E1071"),
        ("create table u (a text, key (a(64)))", "ok 0"),
        (
            "create table c (a char(0), key (a))",
            "E1167 The used storage engine can't index column 'a'",
        ),
        ("create table c (a int, b varchar(0) unique)", "E1167"),
        ("lock tables mysql.time_zone write, t write", "E1428"),
        ("lock tables mysql.time_zone write, mysql.time_zone_name read", "E1428"),
        ("lock tables mysql.time_zone write, mysql.time_zone_name write", "ok 0"),
        ("lock tables t read", "ok 0"),
        ("flush tables", "E1099 Table 't' was locked with a READ lock and can't be updated"),
        ("flush privileges", "E1100 Table 'user' was not locked with LOCK TABLES"),
        ("lock tables t write", "ok 0"),
        ("flush tables", "ok 0"),
        ("unlock tables", "ok 0"),
        ("create view w as select * from t", "ok 0"),
        ("checksum table w", "test.w|NULL"),
        ("show warnings", "Error|1347|'test.w' is not BASE TABLE"),
    ]);
    check(&cases);
}
