//! ENUM columns with an empty member: it has the number 1, what is no member has the number 0, and both are shown as an empty text.
use crate::common::*;

const TABLE: [&str; 5] = [
    "create table t (id int primary key, e enum('', 'a') default 'a', n int, key (e))",
    "set sql_mode = ''",
    "insert into t values (1, '', 0), (2, 'zzz', 0), (3, 'a', 0), (4, 'yyy', 0), (5, '', 0)",
    "set sql_mode = default",
    "create table plain (id int primary key, e enum('x', 'a'))",
];

#[test]
fn an_empty_member_is_not_what_is_no_member() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&TABLE).await;
        c.check(&[
            ("select id, e, e + 0 from t order by id", "1||1; 2||0; 3|a|2; 4||0; 5||1"),
            ("select id from t order by e, id", "2; 4; 1; 5; 3"),
            ("select id from t order by e desc, id desc", "3; 5; 1; 4; 2"),
            // As texts they are the same.
            ("select id from t where e like '' order by id", "1; 2; 4; 5"),
            ("select length(e), concat('<', e, '>'), e is null from t where id = 2", "0|<>|0"),
            // Groups are of numbers.
            ("select e + 0 as n, count(*) from t group by e order by n", "0|2; 1|2; 2|1"),
            ("select count(*) from (select e, count(*) from t ignore index (e) group by e) as g", "3"),
            ("select count(*) from (select distinct e from t) as d", "3"),
            ("select count(*) from (select distinct e from t ignore index (e)) as d", "3"),
            ("select e + 0 as n, count(*) from t group by e with rollup", "0|2; 1|2; 2|1; NULL|5"),
            ("select id, count(*) over (partition by e) as n from t order by id", "1|2; 2|2; 3|1; 4|2; 5|2"),
            ("select id, rank() over (order by e) as r from t order by id", "1|3; 2|1; 3|5; 4|1; 5|3"),
            // What is made of them is text.
            ("select count(*) from (select distinct concat(e) from t) as d", "2"),
            ("select count(*) from (select distinct coalesce(e, 'x') from t) as d", "2"),
            ("select count(*) from (select distinct case when id > 0 then e end from t) as d", "2"),
            ("select count(*) from (select e from t union select e from t) as d", "2"),
            // Rows that are kept have them still.
            ("select id, e + 0 from (select id, e from t order by id desc limit 5) as d order by e, id", "2|0; 4|0; 1|1; 5|1; 3|2"),
            ("with c as (select id, e from t limit 10) select e + 0 as n, count(*) from c group by e order by n", "0|2; 1|2; 2|1"),
            ("select t.id, d.e + 0 from t join (select id, e from t limit 10) as d on d.id = t.id order by t.id", "1|1; 2|0; 3|2; 4|0; 5|1"),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn what_is_no_member_is_written_as_it_is() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&TABLE).await;
        let numbers = "1|1; 2|0; 3|2; 4|0; 5|1";
        c.check(&[
            // Nothing changes, and in strict mode nothing is an error.
            ("update t set e = e", "ok 0"),
            ("update t as x join t as y on x.id = y.id set x.e = y.e", "ok 0"),
            ("update t set e = e, n = n + 1 order by id desc", "ok 5"),
            ("select id, e + 0 from t order by id", numbers),
            ("create table u like t", "ok 0"),
            ("insert into u select * from t", "ok 5"),
            ("select id, e + 0 from u order by id", numbers),
            ("insert into u select * from t on duplicate key update e = values(e)", "ok 0"),
            ("insert into u select * from t on duplicate key update e = t.e, n = 7", "ok 10"),
            ("replace into u select * from t order by e", "ok 10"),
            ("select id, e + 0 from u order by id", numbers),
            ("create table w as select id, e from t", "ok 5"),
            ("select id, e + 0 from w order by id", numbers),
            ("create temporary table tmp as select * from t", "ok 5"),
            ("update tmp set e = e", "ok 0"),
            ("insert into w select id + 10, e from tmp", "ok 5"),
            ("select id - 10, e + 0 from w where id > 10 order by id", numbers),
            // Another ENUM's is not one here either, and its empty member is a text.
            ("insert into plain select id, e from t where e + 0 <> 1", "ok 3"),
            ("select id, e + 0 from plain order by id", "2|0; 3|2; 4|0"),
            ("insert into plain select id, e from t where id = 1", "E1265"),
            // What was made of it is a text, which is a member.
            ("update t set e = concat(e) where id = 2", "ok 1"),
            ("select e + 0 from t where id = 2", "1"),
            ("update t set e = '' where id = 4", "ok 1"),
            ("select e + 0 from t where id = 4", "1"),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn triggers_and_columns_that_are_worked_out() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&TABLE).await;
        c.all(&[
            "create table log (id int, e enum('', 'a'), f enum('', 'a'))",
            "create trigger tr before update on t for each row begin insert into log values (old.id, old.e, new.e); set new.e = old.e; end",
            "create table g (id int primary key, e enum('', 'a'), s enum('', 'a') as (e) stored, v enum('', 'a') as (e))",
        ])
        .await;
        c.check(&[
            ("update t set n = n + 1", "ok 5"),
            ("select id, e + 0 from t order by id", "1|1; 2|0; 3|2; 4|0; 5|1"),
            ("select id, e + 0, f + 0 from log order by id", "1|1|1; 2|0|0; 3|2|2; 4|0|0; 5|1|1"),
            ("insert into g (id, e) select id, e from t", "ok 5"),
            (
                "select id, e + 0, s + 0, v + 0 from g order by id",
                "1|1|1|1; 2|0|0|0; 3|2|2|2; 4|0|0|0; 5|1|1|1",
            ),
            ("update g set e = e", "ok 0"),
            // A copy of the table keeps them.
            ("alter table t modify e enum('a', '') default 'a'", "ok 5"),
            ("select id, e + 0 from t order by id", "1|2; 2|0; 3|1; 4|0; 5|2"),
        ])
        .await;
        c.0.close().await;
    });
}
