//! Stored programs through the protocol: several results of one CALL, OUT parameters of a prepared one, loops that are stopped.

use crate::common::{Client, Login, MORE_RESULTS, Server, cap, param, until};

/// The rows of the status that says they are OUT parameters.
const PS_OUT_PARAMS: u16 = 1 << 12;

fn with_programs() -> (Server, Client) {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create database d");
    let mut c = server.connect(&Login { database: "d", ..Login::default() }).unwrap();
    c.run("create table t (a int primary key, b int)");
    c.run("create procedure two(in n int, out s int) begin select n; select n + 1, 'x'; set s = n * 10; end");
    c.run("create procedure forever() begin l: loop set @n = ifnull(@n, 0) + 1; end loop; end");
    (server, c)
}

#[test]
fn a_call_answers_with_several_results() {
    let (server, mut c) = with_programs();
    c.send_query("call two(7, @s)");
    let first = c.read_answer(false).unwrap();
    assert_eq!((first.rows.len(), first.status & MORE_RESULTS), (1, MORE_RESULTS));
    let second = c.read_answer(false).unwrap();
    assert_eq!(second.rows[0], [Some("8".to_string()), Some("x".to_string())]);
    let end = c.read_answer(false).unwrap();
    assert_eq!((end.columns.len(), end.status & MORE_RESULTS), (0, 0));
    assert_eq!(c.rows("select @s"), "70");
    // An error ends the answer wherever it comes.
    c.run("create procedure fails() begin select 1; signal sqlstate '45000' set message_text = 'no'; end");
    c.send_query("call fails()");
    assert_eq!(c.read_answer(false).unwrap().rows.len(), 1);
    let e = c.read_answer(false).unwrap_err();
    assert_eq!((e.errno, &*e.state), (1644, "45000"));
    assert_eq!(c.rows("select 5"), "5");
    drop(server);
}

#[test]
fn a_prepared_call_sends_its_out_parameters() {
    let (server, mut c) = with_programs();
    let (id, params, _) = c.prepare("call two(?, ?)").unwrap();
    assert_eq!(params, 2);
    let first = c.execute(id, &[param::int(3), param::null()]).unwrap();
    assert_eq!((first.cells.len(), first.status & MORE_RESULTS), (1, MORE_RESULTS));
    c.read_answer(true).unwrap();
    let outs = c.read_answer(true).unwrap();
    assert_eq!(outs.columns, ["s"]);
    assert_eq!(outs.status & (PS_OUT_PARAMS | MORE_RESULTS), PS_OUT_PARAMS | MORE_RESULTS);
    assert_eq!(format!("{:?}", outs.cells), "[[Int(30)]]");
    assert_eq!(c.read_answer(true).unwrap().columns.len(), 0);
    drop(server);
}

/// A client that has not said that it takes them would take them for a result of its next statement.
#[test]
fn out_parameters_go_to_those_who_take_them() {
    let (server, mut c) = with_programs();
    c.run("create procedure mixed(out a int, out b varchar(25)) begin set a = 1, b = 'two'; end");
    let plain = Login { database: "d", without: cap::PS_MULTI_RESULTS, ..Login::default() };
    let mut c = server.connect(&plain).unwrap();
    let (id, ..) = c.prepare("call mixed(?, ?)").unwrap();
    let end = c.execute(id, &[param::null(), param::null()]).unwrap();
    assert_eq!((end.columns.len(), end.status & (PS_OUT_PARAMS | MORE_RESULTS)), (0, 0));
    assert_eq!(c.rows("select 5"), "5");

    let mut c = server.connect(&Login { database: "d", ..Login::default() }).unwrap();
    // The one that is a variable does not belong to the client.
    let (id, ..) = c.prepare("call mixed(@a, ?)").unwrap();
    let outs = c.execute(id, &[param::null()]).unwrap();
    assert_eq!(outs.columns, ["b"]);
    assert_eq!(c.read_answer(true).unwrap().columns.len(), 0);
    assert_eq!(c.rows("select @a"), "1");
    drop(server);
}

#[test]
fn a_loop_is_stopped_by_kill_and_by_a_client_that_vanishes() {
    let (server, mut c) = with_programs();
    let mut other = server.root_client();
    c.send_query("call forever()");
    let runs = format!("select command from information_schema.processlist where id = {}", c.id);
    until("the loop runs", || other.rows(&runs) == "Query");
    other.run(&format!("kill query {}", c.id));
    assert_eq!(c.read_answer(false).unwrap_err().errno, 1317);
    assert_eq!(c.rows("select @n > 0"), "1");
    c.send_query("call forever()");
    until("the loop runs again", || other.rows(&runs) == "Query");
    c.vanish();
    until("nobody else is left", || {
        other.rows("show status like 'Threads_connected'") == "Threads_connected,1"
    });
    drop(server);
}

#[test]
fn definitions_survive_a_kill_of_the_server() {
    let (server, mut c) = with_programs();
    c.run("create function twice(x int) returns int deterministic return x * 2");
    c.run("create trigger g before insert on t for each row set new.b = twice(new.a)");
    c.run("insert into t (a) values (1)");
    let server = server.crash(&[]);
    let mut c = server.connect(&Login { database: "d", ..Login::default() }).unwrap();
    c.run("insert into t (a) values (2)");
    assert_eq!(c.rows("select a, b from t"), "1,2;2,4");
    c.run("drop table t");
    assert_eq!(c.rows("select count(*) from information_schema.triggers"), "0");
}

/// A connection's stack holds what may run inside of one another, and more is refused.
#[test]
fn long_chains_end_with_an_error() {
    let (server, mut c) = with_programs();
    c.run("create table t1 (a int primary key)");
    c.run("create function f1(x int) returns int return x + 1");
    for n in 2..=20 {
        let before = n - 1;
        c.run(&format!("create table t{n} (a int primary key)"));
        c.run(&format!(
            "create trigger g{n} after insert on t{n} for each row insert into t{before} values (new.a)"
        ));
        c.run(&format!("create function f{n}(x int) returns int return f{before}(x) + 1"));
    }
    c.run("insert into t16 values (1)");
    assert_eq!(c.rows("select count(*) from t1"), "1");
    assert_eq!(c.rows("select f16(1)"), "17");
    assert_eq!(c.fail("insert into t20 values (2)"), 1436);
    assert_eq!(c.fail("select f20(1)"), 1436);
    assert_eq!(c.rows("select count(*) from t1"), "1");
    drop(server);
}

/// Expressions as high as the parser lets them be, in every place that has some: an answer or error 1436, and the server goes on.
#[test]
fn high_expressions_fit_on_the_stack() {
    let (server, mut c) = with_programs();
    let levels = [
        "=1",
        "+1",
        "-1",
        " and 1",
        " or 1",
        " xor 1",
        " is null",
        " like 1",
        "->'$.a'",
        " in (1, 2)",
    ];
    for level in levels {
        for n in [100, 249, 250, 600, 1249, 1250, 3000] {
            let high = format!("@@global.port{}", level.repeat(n));
            for sql in [
                format!("set @a = {high}"),
                format!("select {high}"),
                format!("do {high}"),
                format!("select * from t where {high} having {high} order by {high}"),
                format!("insert into t values ({high}, 1) on duplicate key update b = {high}"),
                format!("update t set b = {high} where {high}"),
                format!("create table x (a int check ({high}))"),
                format!("prepare s from 'select {}'", high.replace('\'', "''")),
                format!("create procedure high() set @a = {high}"),
            ] {
                // Whether it means anything is not asked here.
                let done = c.try_query(&sql);
                let lost = done.as_ref().is_err_and(|e| e.errno == 2013 || e.errno == 0);
                assert!(!lost, "{n} times {level}: {done:?}");
            }
            let _ = c.try_query("call high()");
            let _ = c.try_query("drop procedure high");
            let _ = c.try_query("drop table x");
        }
        assert_eq!(c.rows("select 1"), "1", "{level}");
    }
    for (open, close) in [
        ("(", ")"),
        ("not ", ""),
        ("json_array(", ")"),
        ("(select ", ")"),
        ("case when 1 then ", " end"),
    ] {
        for n in [50, 61, 100, 201, 500, 999, 1001, 5000] {
            let deep = format!("select {}1{}", open.repeat(n), close.repeat(n));
            let _ = c.try_query(&deep);
            let _ = c.try_query(&format!("set @a = ({deep})"));
        }
        assert_eq!(c.rows("select 1"), "1", "{open}");
    }
    assert_eq!(c.rows(&format!("select 1{}", " + 1".repeat(400))), "401");
    assert_eq!(c.rows(&format!("select {}1{}", "(select ".repeat(63), ")".repeat(63))), "1");
    drop(server);
}
