//! Stored procedures and functions: the language, results, conditions, and what MySQL refuses.

use crate::common::{run_sql, with_server};

/// The answers of the last statements, after `use test`.
fn ask(statements: &[&str]) -> Vec<String> {
    let all: Vec<&str> = ["use test"].iter().chain(statements).copied().collect();
    run_sql(&all).split_off(1)
}

fn last(statements: &[&str]) -> String {
    ask(statements).pop().unwrap()
}

/// Runs a body as a procedure `p` and gives what CALL answers.
fn body(b: &str) -> String {
    let create = format!("create procedure p() {b}");
    let out = ask(&["create table t (id int primary key, c varchar(20))", &create, "call p()"]);
    assert_eq!(out[1], "ok 0", "{b}");
    out[2].clone()
}

#[test]
fn variables_and_control_flow() {
    assert_eq!(body("begin declare a, b int default 3; set b = a + 4; select a, b; end"), "3|7");
    assert_eq!(
        body(
            "begin declare n int default 0; declare s int default 0;
              while n < 10 do set n = n + 1; set s = s + n; end while; select s; end"
        ),
        "55"
    );
    assert_eq!(
        body(
            "begin declare n int default 0; repeat set n = n + 1; until n >= 5 end repeat; select n; end"
        ),
        "5"
    );
    assert_eq!(
        body("begin declare n, odd int default 0;
              l: loop set n = n + 1; if n > 9 then leave l; end if;
              if n % 2 = 0 then iterate l; end if; set odd = odd + 1; end loop l; select n, odd; end"),
        "10|5"
    );
    let of = |x: &str| {
        body(&format!(
            "begin declare x int default {x}; case x when 1 then select 'one'; when 2 then select 'two'; \
             else begin if x is null then select 'null'; elseif x > 100 then select 'big'; \
             else select 'other'; end if; end; end case; end"
        ))
    };
    assert_eq!(
        [of("1"), of("2"), of("3"), of("null"), of("101")],
        ["one", "two", "other", "null", "big"]
    );
    assert_eq!(
        body("begin case when 1 = 2 then select 1; end case; end"),
        "E1339 Case not found for CASE statement"
    );
    // A block's variable hides the one around it; declared again in a loop it begins again.
    assert_eq!(
        body(
            "begin declare x int default 1; begin declare x int default 2; select x; end; select x; end"
        ),
        "2 / 1"
    );
    assert_eq!(
        body("begin declare n int default (select count(*) + 5 from t); select n; end"),
        "5"
    );
    assert_eq!(
        body("begin declare x tinyint; set x = 300; end"),
        "E1264 Out of range value for column 'x' at row 1"
    );
    assert_eq!(
        body(
            "begin declare d decimal(5,2) default 1.005; declare v varchar(3) default 'abc'; select d, v; end"
        ),
        "1.01|abc"
    );
}

#[test]
fn a_variable_wins_over_a_column() {
    let out = ask(&[
        "create table t (id int primary key, c int)",
        "insert into t values (1, 10), (2, 20), (3, 30)",
        "create procedure p(id int) begin select t.id, c from t where t.id = id; \
         update t set c = c + id where t.id = id; select c from t where t.id = id limit id; end",
        "call p(2)",
        "create procedure q(n int) insert into t(id, c) values (n, n * 2)",
        "call q(9)",
        "select c from t where id = 9",
    ]);
    assert_eq!(out[3], "2|20 / 22");
    assert_eq!(out[5..], ["ok 1", "18"]);
}

#[test]
fn select_into_and_cursors() {
    let setup = "begin declare a int; declare b varchar(20); declare done int default 0; declare n int default 0;
        declare c cursor for select id, c from t where id > n order by id;
        declare continue handler for not found set done = 1;
        insert into t values (1, 'x'), (2, 'y'), (3, 'z');";
    assert_eq!(
        body(&format!(
            "{setup} select id, c into a, b from t where id = 2; select a, b, done; end"
        )),
        "2|y|0"
    );
    assert_eq!(
        body(&format!("{setup} select id into a from t where id = 99; select a, done; end")),
        "NULL|1"
    );
    assert_eq!(
        body(&format!(
            "{setup} set n = 1; open c; l: loop fetch c into a, b; if done then leave l; end if;
            select a, b; end loop; close c; end"
        )),
        "2|y / 3|z"
    );
    assert_eq!(
        body(&format!("{setup} open c; fetch c into a; end")),
        "E1328 Incorrect number of FETCH variables"
    );
    assert_eq!(body(&format!("{setup} open c; open c; end")), "E1325 Cursor is already open");
    assert_eq!(body(&format!("{setup} fetch c into a, b; end")), "E1326 Cursor is not open");
    assert_eq!(body(&format!("{setup} close c; end")), "E1326 Cursor is not open");
    assert_eq!(
        body(&format!("{setup} select id into a from t; end")),
        "E1172 Result consisted of more than one row"
    );
    // Without a handler the end of the rows is an error.
    assert_eq!(
        body(
            "begin declare a int; declare c cursor for select 1; open c; fetch c into a; fetch c into a; end"
        ),
        "E1329 No data - zero rows fetched, selected, or processed"
    );
    // Mixed targets.
    assert_eq!(body("begin declare a int; select 1, 2 into a, @b; select a, @b; end"), "1|2");
    // A cursor of a block that is left is closed.
    assert_eq!(
        body(
            "begin declare i int default 0; while i < 2 do begin declare a int; declare c cursor for select 7; \
              open c; fetch c into a; set i = i + 1; end; end while; select i; end"
        ),
        "2"
    );
}

#[test]
fn handlers() {
    let dup = "insert into t values (1, 'a'); insert into t values (1, 'b');";
    assert_eq!(
        body(&format!(
            "begin declare continue handler for 1062 select 'dup'; {dup} select 'on'; end"
        )),
        "dup / on"
    );
    assert_eq!(
        body(&format!(
            "begin declare exit handler for sqlstate '23000' select 'state'; {dup} select 'on'; end"
        )),
        "state"
    );
    assert_eq!(
        body(&format!(
            "begin declare exit handler for sqlexception select 'any'; {dup} select 'on'; end"
        )),
        "any"
    );
    assert_eq!(
        body(&format!(
            "begin declare dup condition for 1062; declare exit handler for dup select 'named'; {dup} end"
        )),
        "named"
    );
    // The most exact one of a block, of the innermost block that has one.
    assert_eq!(
        body(&format!("begin declare exit handler for sqlexception select 'any';
            declare exit handler for sqlstate '23000' select 'state'; declare exit handler for 1062 select 'number'; {dup} end")),
        "number"
    );
    assert_eq!(
        body(&format!("begin declare exit handler for 1062 select 'outer';
            begin declare exit handler for sqlexception select 'inner'; {dup} end; select 'after'; end")),
        "inner / after"
    );
    // What a handler's body raises is for the blocks around.
    assert_eq!(
        body(&format!("begin declare exit handler for 1062 select 'outer';
            begin declare continue handler for 1062 insert into t values (1, 'c'); {dup} select 'no'; end; select 'no'; end")),
        "outer"
    );
    assert_eq!(
        body(
            "begin declare continue handler for sqlexception begin end; if no_such.x then select 1; else select 2; end if; select 3; end"
        ),
        "3"
    );
    assert_eq!(
        body(
            "begin declare continue handler for sqlwarning select 'warned'; set sql_mode = ''; select 1 / 0; select 2; end"
        ),
        "NULL / 2"
    );
    assert_eq!(
        body(
            "begin declare x tinyint; declare continue handler for sqlwarning select 'warned'; signal sqlstate '01000'; select 2; end"
        ),
        "warned / 2"
    );
    // Through calls.
    let out = ask(&[
        "create procedure q() signal sqlstate '45000' set message_text = 'no', mysql_errno = 5000",
        "create procedure p() begin declare exit handler for 5000 begin get diagnostics condition 1 @s = returned_sqlstate, \
         @m = message_text, @n = mysql_errno; select @s, @m, @n; end; call q(); end",
        "call p()",
        "show warnings",
        "call q()",
        "show warnings",
        "get diagnostics condition 1 @s = returned_sqlstate, @m = message_text",
        "select @s, @m",
    ]);
    assert_eq!(out[2..], ["45000|no|5000", "", "E5000 no", "Error|5000|no", "ok 0", "45000|no"]);
}

/// What a statement had sent before it failed stays a result of its own, with an end.
#[test]
fn a_result_that_fails_between_its_rows_is_ended() {
    let fails = "select id, (select x.id from t x where x.id < t.id) from t order by id;";
    let rows = "insert into t values (1, 'a'), (2, 'b'), (3, 'c');";
    assert_eq!(
        body(&format!(
            "begin declare continue handler for 1242 select 'caught'; {rows} {fails} select 'on'; {fails} end"
        )),
        "1|NULL; 2|1 / caught / on / 1|NULL; 2|1 / caught"
    );
    assert_eq!(
        body(&format!(
            "begin declare exit handler for sqlexception begin end; {rows} {fails} select 'no'; end"
        )),
        "1|NULL; 2|1"
    );
    // A handler's own statement, an inner block's, and one without a handler.
    assert_eq!(
        body(&format!(
            "begin declare exit handler for 1242 select 'outer'; {rows}
            begin declare exit handler for 1062 {fails} insert into t values (1, 'x'); end; select 'no'; end"
        )),
        "1|NULL; 2|1 / outer"
    );
    assert_eq!(
        body(&format!("begin {rows} {fails} end")),
        "E1242 Subquery returns more than 1 row"
    );
    let inner = format!("create procedure inside() begin {rows} {fails} end");
    let outer = |call: &str| {
        format!(
            "create procedure around() begin declare continue handler for 1242 select 'caught'; {call} select 'on'; end"
        )
    };
    let table = "create table t (id int primary key, c varchar(20))";
    for call in ["call inside();", "prepare s from 'call inside()'; execute s;"] {
        assert_eq!(
            last(&[table, &inner, &outer(call), "call around()"]),
            "1|NULL; 2|1 / caught / on",
            "{call}"
        );
    }
}

#[test]
fn signal_and_resignal() {
    assert_eq!(body("signal sqlstate '45000'"), "E1644 Unhandled user-defined exception condition");
    assert_eq!(body("signal sqlstate '02000'"), "E1643 Unhandled user-defined not found condition");
    assert_eq!(body("signal sqlstate '01234' set message_text = 'careful'"), "ok 0");
    assert_eq!(
        body(
            "begin declare exit handler for sqlexception resignal; signal sqlstate '45000' set message_text = 'a'; end"
        ),
        "E1644 a"
    );
    assert_eq!(
        body(
            "begin declare exit handler for sqlexception resignal set message_text = 'b'; signal sqlstate '45000' set message_text = 'a'; end"
        ),
        "E1644 b"
    );
    assert_eq!(body("resignal"), "E1645 RESIGNAL when handler not active");
    assert_eq!(
        body(
            "begin declare exit handler for sqlexception begin get stacked diagnostics condition 1 @m = message_text; select @m; end; \
              signal sqlstate '45000' set message_text = 'deep'; end"
        ),
        "deep"
    );
    assert_eq!(
        body("get stacked diagnostics @n = number"),
        "E3004 GET STACKED DIAGNOSTICS when handler not active"
    );
    let out = ask(&[
        "signal sqlstate '45000' set message_text = 'outside', mysql_errno = 31001",
        "get diagnostics @n = number",
        "select @n",
    ]);
    assert_eq!(out, ["E31001 outside", "ok 0", "1"]);
}

#[test]
fn parameters_and_calls() {
    let out = ask(&[
        "create procedure p(in a int, out b int, inout c int) begin set b = a * 2; set c = c + b; set a = 99; end",
        "set @c = 5",
        "call p(10, @b, @c)",
        "select @b, @c",
        "call p(1, 2, @c)",
        "call p(1)",
        "create procedure q(out r int) begin declare x int default 1; call p(4, r, x); set r = r + x; end",
        "call q(@r)",
        "select @r",
        "prepare s from 'call p(?, ?, ?)'",
        "set @x = 3, @y = 0, @z = 1",
        "execute s using @x, @y, @z",
        "select @y, @z",
        "call nowhere()",
        "create procedure Mixed(x int) select x",
        "call mIXED((select 6) + 1)",
        "create procedure mixed() select 1",
        "drop procedure mixed",
        "drop procedure if exists mixed",
        "show warnings",
    ]);
    assert_eq!(out[3], "20|25");
    assert_eq!(
        out[4],
        "E1414 OUT or INOUT argument 2 for routine test.p is not a variable or NEW pseudo-variable in BEFORE trigger"
    );
    assert_eq!(
        out[5],
        "E1318 Incorrect number of arguments for PROCEDURE test.p; expected 3, got 1"
    );
    assert_eq!(out[8], "17");
    assert_eq!(out[12], "6|7");
    assert_eq!(out[13], "E1305 PROCEDURE test.nowhere does not exist");
    assert_eq!(out[15], "7");
    assert_eq!(out[16], "E1304 PROCEDURE mixed already exists");
    assert_eq!(out[19], "Note|1305|PROCEDURE test.mixed does not exist");
}

#[test]
fn recursion_has_its_limit() {
    let p = "create procedure f(n int, out r bigint) begin declare x bigint; if n < 2 then set r = 1; \
             else call f(n - 1, x); set r = n * x; end if; end";
    let out = ask(&[
        p,
        "call f(5, @r)",
        "set max_sp_recursion_depth = 100",
        "call f(20, @r)",
        "select @r",
        "call f(200, @r)",
    ]);
    assert_eq!(
        out[1],
        "E1456 Recursive limit 0 (as set by the max_sp_recursion_depth variable) was exceeded for routine f"
    );
    assert_eq!(out[3..5], ["ok 0", "2432902008176640000"]);
    assert!(out[5].starts_with("E1456"));
}

#[test]
fn statements_of_all_kinds_in_a_body() {
    let out = ask(&[
        "create procedure p() begin create table n (id int primary key); insert into n values (1), (2); \
         prepare s from 'select count(*) from n where id < ?'; set @l = 2; execute s using @l; deallocate prepare s; \
         start transaction; insert into n values (3); savepoint a; insert into n values (4); rollback to a; commit; \
         start transaction; delete from n; rollback; select count(*) from n; show tables like 'n'; drop table n; end",
        "call p()",
        "call p()",
        "select database(), @@sql_mode = ''",
        "set sql_mode = ''",
        "create procedure q() begin select @@sql_mode; end",
        "set sql_mode = default",
        "call q()",
        "select @@sql_mode = ''",
        "create database other",
        "use other",
        "create procedure test.r() select database()",
        "call test.r()",
        "select database()",
    ]);
    assert_eq!(out[1], "1 / 3 / n");
    assert_eq!(out[2], "1 / 3 / n");
    assert_eq!(out[7..9], ["", "0"]);
    assert_eq!(out[12..], ["test", "other"]);
}

#[test]
fn what_cannot_be_defined() {
    let of =
        |sql: &str| last(&["create table t (a int)", sql]).split(' ').next().unwrap().to_string();
    let errors = [
        ("create procedure p() set x = 1", "E1193"),
        ("create procedure p() begin select 1 into x; end", "E1327"),
        ("create procedure p() begin declare x int; declare X int; end", "E1331"),
        ("create procedure p(a int, A int) select 1", "E1330"),
        (
            "create procedure p() begin declare c condition for 1; declare c condition for 2; end",
            "E1332",
        ),
        (
            "create procedure p() begin declare c cursor for select 1; declare c cursor for select 1; end",
            "E1333",
        ),
        ("create procedure p() begin declare c cursor for select 1; declare x int; end", "E1337"),
        (
            "create procedure p() begin declare exit handler for 1 set @a = 1; declare c cursor for select 1; end",
            "E1338",
        ),
        (
            "create procedure p() begin declare exit handler for 1 set @a = 1; declare exit handler for 1 set @a = 1; end",
            "E1413",
        ),
        ("create procedure p() begin declare c cursor for select 1 into @a; end", "E1323"),
        ("create procedure p() begin open c; end", "E1324"),
        ("create procedure p() begin leave x; end", "E1308"),
        ("create procedure p() x: begin iterate x; end", "E1308"),
        ("create procedure p() x: begin declare exit handler for 1 leave x; end", "E1308"),
        ("create procedure p() x: begin x: begin end; end", "E1309"),
        ("create procedure p() x: begin end y", "E1310"),
        ("create procedure p() return 1", "E1313"),
        ("create procedure p() use test", "E1314"),
        ("create procedure p() lock tables t read", "E1314"),
        ("create procedure p() create procedure q() select 1", "E1303"),
        (
            "create procedure p() begin declare exit handler for sqlstate '00000' set @a = 1; end",
            "E1407",
        ),
        ("create procedure p() begin declare exit handler for nothing set @a = 1; end", "E1319"),
        ("create procedure p() begin declare c condition for 1; signal c; end", "E1646"),
        (
            "create procedure p() signal sqlstate '45000' set message_text = 'a', message_text = 'b'",
            "E1641",
        ),
        ("create procedure p(x nothing) select 1", "E1064"),
        ("create procedure p() begin select ?; end", "E1064"),
        ("create procedure p() begin select 1 end", "E1064"),
        ("create procedure p() if 1 then end if", "E1064"),
        ("create procedure nowhere.p() select 1", "E1049"),
        ("create procedure information_schema.p() select 1", "E1044"),
        ("create function f() returns int begin end", "E1320"),
        ("create function f() returns int begin select 1; return 1; end", "E1415"),
        ("create function f() returns int begin commit; return 1; end", "E1422"),
        ("create function f() returns int begin create table x (a int); return 1; end", "E1422"),
        ("create function f() returns int begin prepare s from 'select 1'; return 1; end", "E1336"),
        ("create function f() returns int begin alter instance reload tls; return 1; end", "E1422"),
        ("create function f() returns int begin stop replica; return 1; end", "E1422"),
        ("create function f() returns int begin uninstall plugin x; return 1; end", "E1422"),
        ("create function f() returns int begin set password for u = 'x'; return 1; end", "E1445"),
        ("create function f() returns int begin flush status; return 1; end", "E1336"),
        ("create function f() returns int begin load index into cache t; return 1; end", "E1415"),
        ("create procedure p() check table t", "E1314"),
        ("create procedure p() help 'x'", "E1314"),
        ("create procedure p() load data infile 'x' into table t", "E1314"),
        ("create procedure p() handler t open", "E1314"),
        ("create procedure p() alter view v as select 1", "E1314"),
        ("drop procedure p", "E1305"),
        ("alter procedure p comment 'x'", "E1305"),
    ];
    for (sql, errno) in errors {
        assert_eq!(of(sql), errno, "{sql}");
    }
    let nested = format!(
        "create procedure p() {} select 1; {}",
        "begin ".repeat(10_000),
        "end; ".repeat(10_000)
    );
    assert_eq!(of(&nested), "E1436");
    let long = format!("create procedure p() begin {} end", "set @a = 1;".repeat(100_000));
    assert_eq!(ask(&[&long, "call p()", "select @a"])[1..], ["ok 0", "1"]);
}

#[test]
fn what_show_and_information_schema_tell() {
    let out = ask(&[
        "create procedure p(in a int,  out b varchar(10)) reads sql data deterministic sql security invoker comment 'it''s' begin select 1; end",
        "show create procedure p",
        "select routine_name, routine_type, data_type, sql_data_access, is_deterministic, security_type, routine_comment, definer, routine_definition \
         from information_schema.routines where routine_schema = 'test'",
        "select ordinal_position, parameter_mode, parameter_name, data_type, dtd_identifier from information_schema.parameters where specific_name = 'p'",
        "alter procedure p comment 'new' sql security definer",
        "show create procedure p",
        "show procedure status like 'p%'",
        "show create procedure nothing",
        "show function status where db = 'test'",
    ]);
    assert!(out[1].starts_with("p|"), "{}", out[1]);
    assert!(
        out[1].contains("CREATE DEFINER=`root`@`localhost` PROCEDURE `p`(in a int,  out b varchar(10))\n    READS SQL DATA\n    DETERMINISTIC\n    SQL SECURITY INVOKER\n    COMMENT 'it''s'\nbegin select 1; end|utf8mb4|"),
        "{}",
        out[1]
    );
    assert_eq!(
        out[2],
        "p|PROCEDURE||READS SQL DATA|YES|INVOKER|it's|root@localhost|begin select 1; end"
    );
    assert_eq!(out[3], "1|IN|a|int|int; 2|OUT|b|varchar|varchar(10)");
    assert!(out[5].contains("    DETERMINISTIC\n    COMMENT 'new'\nbegin"));
    assert!(out[6].starts_with("test|p|PROCEDURE|root@localhost|"));
    assert_eq!(out[7], "E1305 PROCEDURE nothing does not exist");
    assert_eq!(out[8], "");
}

#[test]
fn several_statements_do_not_split_a_body() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.rows("use test").await;
        c.0.set_multi_statements(true);
        let sql = "create procedure p() begin select 1; select 2; end; select 3";
        let mut answer = crate::common::Answer::default();
        let end = c.0.query(sql.as_bytes(), &mut answer).await;
        assert!(end.result.is_ok());
        assert_eq!(&sql[end.consumed..], " select 3");
        assert_eq!(c.ask("call p()").await.line(), "1 / 2");
        c.0.close().await;
        drop(server);
    });
}

/// Nobody drops a procedure from within (1357), but others do.
#[test]
fn a_procedure_that_is_dropped_runs_to_its_end() {
    with_server(1, |server| async move {
        let rt = server.inst.db.rt().clone();
        let (mut a, mut b) = (server.client(), server.client());
        a.all(&[
            "create procedure p() begin do sleep(1); select 'still here'; end",
            "create procedure q() begin do sleep(1); select 'old'; end",
        ])
        .await;
        for (call, change, answer, then) in [
            ("call p()", "drop procedure p", "still here", "E1305 PROCEDURE test.p does not exist"),
            ("call q()", "alter procedure q comment 'changed'", "old", "old"),
        ] {
            let running = rt.spawn("a", async move {
                let got = a.ask(call).await.line();
                (a, got)
            });
            rt.sleep(std::time::Duration::from_millis(200)).await;
            b.rows(change).await;
            let (back, got) = running.await;
            a = back;
            assert_eq!(got, answer);
            assert_eq!(a.ask(call).await.line(), then);
        }
        a.0.close().await;
        b.0.close().await;
    });
}

#[test]
fn functions_in_expressions() {
    let out = ask(&[
        "create table t (id int primary key, v int)",
        "insert into t values (1, 10), (2, 20), (3, 30)",
        "create function twice(x int) returns int deterministic return x * 2",
        "select id, twice(v) from t where twice(id) > 2 order by twice(v) desc",
        "select twice(twice(id) + 1) from t",
        "select twice((select max(v) from t))",
        "select sum(twice(v)), twice(sum(v)) from t having twice(count(*)) = 6",
        "select twice(v) as d, count(*) from t group by twice(v) order by d",
        "insert into t values (4, twice(4)), (twice(3), twice(id))",
        "select * from t where id > 3",
        "update t set v = twice(v) where id = 1",
        "delete from t where twice(id) = 12",
        "select * from t",
        "set @a = twice(21)",
        "select @a, test.twice(1), TWICE(2)",
        "create procedure p(x int) begin declare y int default twice(x); if twice(y) = 20 then select y; end if; end",
        "call p(twice(2) + 1)",
        "create view w as select id, twice(v) as d from t",
        "select * from w where d > 50",
        "do twice(1)",
        "select twice()",
        "select nothing(1)",
    ]);
    assert_eq!(out[3], "3|60; 2|40");
    assert_eq!(out[4], "6; 10; 14");
    assert_eq!(out[5], "60");
    assert_eq!(out[6], "120|120");
    assert_eq!(out[7], "20|1; 40|1; 60|1");
    assert_eq!(out[9], "4|8; 6|12");
    assert_eq!(out[12], "1|20; 2|20; 3|30; 4|8");
    assert_eq!(out[14], "42|2|4");
    assert_eq!(out[16], "10");
    assert_eq!(out[18], "3|60");
    assert_eq!(out[19], "ok 0");
    assert_eq!(
        out[20],
        "E1318 Incorrect number of arguments for FUNCTION test.twice; expected 1, got 0"
    );
    assert_eq!(out[21], "E1305 FUNCTION test.nothing does not exist");
}

#[test]
fn what_functions_do_and_may_not() {
    let out = ask(&[
        "create table t (id int primary key auto_increment, v varchar(20))",
        "create table log (id int primary key auto_increment, what varchar(40))",
        "create function note(s varchar(40)) returns int begin insert into log(what) values (s); return last_insert_id(); end",
        "select note('a'), note('b')",
        "select what from log",
        "create function bad(n int) returns int begin insert into log(id, what) values (n, 'x'); insert into log(id, what) values (n, 'y'); return 1; end",
        "select bad(50)",
        "select count(*) from log",
        "create function soft(n int) returns int begin declare continue handler for 1062 set @dup = 1; \
         insert into log(id, what) values (n, 'x'); insert into log(id, what) values (n, 'y'); return 7; end",
        "select soft(60), @dup",
        "insert into t(v) values ('x')",
        "create function own() returns int begin update t set v = 'y'; return 1; end",
        "select own() from t",
        "select own()",
        "create function again(n int) returns int begin return again(n - 1); end",
        "select again(2)",
        "create function nothing() returns int begin if 1 = 2 then return 1; end if; end",
        "select nothing()",
        "create procedure commits() commit",
        "create function f() returns int begin call commits(); return 1; end",
        "select f()",
        "create procedure shows() select 1",
        "create function g() returns int begin call shows(); return 1; end",
        "select g()",
        "create procedure sums(n int, out s int) begin set s = 0; while n > 0 do set s = s + n; set n = n - 1; end while; end",
        "create function total(n int) returns int reads sql data begin declare s int; call sums(n, s); return s; end",
        "select total(4)",
        "create function cut(s varchar(10)) returns varchar(3) return s",
        "select cut('abcdef')",
        "show create function total",
        "drop function total",
        "select total(4)",
    ]);
    assert_eq!(out[3], "1|2");
    assert_eq!(out[4], "a; b");
    assert!(out[6].starts_with("E1062"), "{}", out[6]);
    assert_eq!(out[7], "2", "a statement that fails leaves nothing of what its functions did");
    assert_eq!(out[9].split('|').next(), Some("7"));
    assert!(out[12].starts_with("E1442 Can't update table 't'"), "{}", out[12]);
    assert_eq!(out[13], "1");
    assert_eq!(out[15], "E1424 Recursive stored functions and triggers are not allowed.");
    assert_eq!(out[17], "E1321 FUNCTION nothing ended without RETURN");
    assert!(out[20].starts_with("E1422"), "{}", out[20]);
    assert!(out[23].starts_with("E1415"), "{}", out[23]);
    assert_eq!(out[26], "10");
    assert!(out[28].starts_with("E1406"), "{}", out[28]);
    assert!(
        out[29].contains("FUNCTION `total`(n int) RETURNS int\n    READS SQL DATA\nbegin"),
        "{}",
        out[29]
    );
    assert_eq!(out[31], "E1305 FUNCTION test.total does not exist");
}

#[test]
fn current_user_is_the_definer() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create user u@localhost",
            "grant execute, select, insert on test.* to u@localhost",
            "create function who() returns varchar(90) deterministic return current_user()",
            "create function mine() returns varchar(90) deterministic sql security invoker return current_user()",
            "create procedure both_of() select who(), mine(), current_user(), user()",
            "create procedure outside() sql security invoker select who(), mine(), current_user()",
            "create procedure fails() begin declare continue handler for sqlexception begin end; select * from nosuch; select current_user(); end",
            "create table t (w varchar(90))",
            "create trigger g before insert on t for each row set new.w = current_user()",
        ])
        .await;
        let mut u = server.client_in("u", "test");
        u.check(&[
            ("select who(), mine(), current_user()", "root@localhost|u@localhost|u@localhost"),
            ("call both_of()", "root@localhost|root@localhost|root@localhost|u@localhost"),
            ("call outside()", "root@localhost|u@localhost|u@localhost"),
            ("call fails()", "root@localhost"),
            ("insert into t values ('x')", "ok 1"),
            ("select w, current_user() from t", "root@localhost|u@localhost"),
        ])
        .await;
        u.0.close().await;
        c.0.close().await;
    });
}
