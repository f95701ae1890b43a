//! What sessions count: Handler_*, Select_*, Sort_* and Com_*, for themselves and for the server.
use crate::common::*;

/// The read counters that are not 0, short: f(irst), k(ey), l(ast), n(ext), p(rev), r(nd_next).
const READS: &str = "select group_concat(concat(substr(variable_name, 14, 1), variable_value) order by variable_name separator ' ') \
     from performance_schema.session_status where variable_name like 'Handler\\_read%' and variable_value > 0";

#[test]
fn reads_are_counted_where_mysql_counts_them() {
    let cases: Vec<(&str, &str, &str)> = vec![
        ("select * from t where a = 2", "2|20|0", "k1"),
        ("select * from t where a = 7", "", "k1"),
        ("select count(c) from t", "5", "f1 k1 r6"),
        ("select count(b) from t", "5", "f1 k1 n5"),
        ("select a from t where a between 2 and 4", "2; 3; 4", "k1 n3"),
        ("select a from t where a > 1 order by a desc limit 2", "5; 4", "k1 p1"),
        ("select b from t where b = 30", "30", "k1 n1"),
        ("select b from t order by b limit 3", "10; 20; 30", "f1 k1 n2"),
        ("select t.a from t join u on u.x = t.a order by t.a", "1; 3", "f1 k3 r3"),
    ];
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("create table t (a int primary key, b int, c int default 0, key (b))", "ok 0"),
            ("insert into t (a, b) values (1, 10), (2, 20), (3, 30), (4, 40), (5, 50)", "ok 5"),
            ("create table u (x int)", "ok 0"),
            ("insert into u values (1), (3)", "ok 2"),
            ("analyze table t, u", "test.t|analyze|status|OK; test.u|analyze|status|OK"),
        ])
        .await;
        for (sql, rows, reads) in cases {
            c.check(&[("flush status", "ok 0"), (sql, rows), (READS, reads)]).await;
        }
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn reads_of_handlers_are_counted() {
    let cases = [
        ("handler t read b first limit 3", "3|NULL; 1|10; 2|20", "f1 k1 n2"),
        ("handler t read b next limit 2", "4|20; 5|30", "n2"),
        ("handler t read b next", "", "n1"),
        ("handler t read b prev", "5|30", "p1"),
        ("handler t read b last", "5|30", "k1 l1"),
        ("handler t read b = (20) limit 3", "2|20; 4|20", "k1 n2"),
        ("handler t read b <= (20) limit 3", "4|20; 2|20; 1|10", "k1 p2"),
        ("handler t read first limit 10", "1|10; 2|20; 3|NULL; 4|20; 5|30", "f1 k1 r6"),
        ("handler t read next", "", "r1"),
    ];
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("create table t (a int primary key, b int, key (b))", "ok 0"),
            ("insert into t values (1, 10), (2, 20), (3, null), (4, 20), (5, 30)", "ok 5"),
            ("handler t open", "ok 0"),
        ])
        .await;
        for (sql, rows, reads) in cases {
            c.check(&[("flush status", "ok 0"), (sql, rows), (READS, reads)]).await;
        }
        c.check(&[
            ("flush status", "ok 0"),
            ("handler t read b = (1, 2)", "E1070"),
            ("handler t read first where nosuch", "E1054"),
            ("handler nosuch read first", "E1109"),
            ("handler t read first", "1|10"),
            ("handler t read next", "2|20"),
            ("handler t open", "E1066"),
            ("handler t close", "ok 0"),
            ("handler t close", "E1109"),
            ("show status like 'Com_ha%'", "Com_ha_close|2; Com_ha_open|1; Com_ha_read|5"),
            ("show status like 'Handler_external_lock'", "Handler_external_lock|4"),
            ("show status like 'Select_scan'", "Select_scan|0"),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn writes_and_transactions_are_counted() {
    const WRITES: &str = "select group_concat(concat(substr(variable_name, 9), variable_value) order by variable_name separator ' ') \
         from performance_schema.session_status where variable_value > 0 and variable_name in \
         ('Handler_write', 'Handler_update', 'Handler_delete', 'Handler_savepoint', 'Handler_savepoint_rollback', 'Handler_rollback')";
    check(&[
        ("create table t (a int primary key, b int)", "ok 0"),
        ("flush status", "ok 0"),
        ("insert into t values (1, 1), (2, 2), (3, 3)", "ok 3"),
        ("update t set b = 5 where a < 3", "ok 2"),
        ("update t set b = 5 where a < 3", "ok 0"),
        ("delete from t where a = 1", "ok 1"),
        ("begin", "ok 0"),
        ("savepoint s", "ok 0"),
        ("insert into t values (9, 9)", "ok 1"),
        ("rollback to s", "ok 0"),
        ("rollback", "ok 0"),
        (WRITES, "delete1 rollback1 savepoint1 savepoint_rollback1 update2 write4"),
        ("show session status like 'Com_insert'", "Com_insert|2"),
        ("show local status like 'Com_update'", "Com_update|2"),
    ]);
}

#[test]
fn plans_and_sorts_are_counted() {
    const PLANS: &str = "select group_concat(concat(variable_name, ' ', variable_value) order by variable_name separator ', ') \
         from performance_schema.session_status where variable_value > 0 and (variable_name like 'Select\\_%' or variable_name like 'Sort\\_%')";
    check(&[
        ("create table t (a int primary key, b int, c int, key (b))", "ok 0"),
        ("insert into t values (1, 3, 0), (2, 2, 0), (3, 1, 0)", "ok 3"),
        ("flush status", "ok 0"),
        ("select a from t order by c + a", "1; 2; 3"),
        // One of them is the query that asks.
        (PLANS, "Select_scan 2, Sort_rows 3, Sort_scan 1"),
        ("flush status", "ok 0"),
        ("select a from t where a > 1 order by c - a", "3; 2"),
        (PLANS, "Select_range 1, Select_scan 1, Sort_range 1, Sort_rows 2"),
        ("flush status", "ok 0"),
        ("select x.a from t as x, t as y where x.c + 0 = y.c + 1", ""),
        (PLANS, "Select_full_join 1, Select_scan 2"),
        ("flush status", "ok 0"),
        ("select * from t where 1 = 0", ""),
        ("update t set b = 1 where 1 = 0", "ok 0"),
        (PLANS, "Select_scan 1"),
    ]);
}

#[test]
fn a_session_counts_for_itself_and_for_the_server() {
    with_server(2, |server| async move {
        let (mut a, mut b) = (server.client(), server.client());
        a.check(&[("create table t (a int)", "ok 0"), ("insert into t values (1), (2)", "ok 2")])
            .await;
        b.check(&[
            ("show status like 'Handler_write'", "Handler_write|0"),
            ("show global status like 'Handler_write'", "Handler_write|2"),
            ("insert into t values (3)", "ok 1"),
            ("show status like 'Handler_write'", "Handler_write|1"),
            ("show global status like 'Com_insert'", "Com_insert|2"),
            ("flush status", "ok 0"),
            ("show status like 'Handler_write'", "Handler_write|0"),
            ("show global status like 'Handler_write'", "Handler_write|3"),
        ])
        .await;
        a.check(&[("show status like 'Handler_write'", "Handler_write|2")]).await;
        a.0.close().await;
        b.0.close().await;
        drop(server);
    });
}

/// Each is counted once, under its kind, whether it succeeds or not.
#[test]
fn statements_are_counted_by_their_kinds() {
    let cases = [
        ("insert into t values (1)", "Com_insert"),
        ("insert into t select 2", "Com_insert_select"),
        ("replace into t values (1)", "Com_replace"),
        ("replace into t select 2", "Com_replace_select"),
        ("insert into nothing values (1)", "Com_insert"),
        ("update t set a = 1 where a = 0", "Com_update"),
        ("update t, t as u set t.a = 1 where u.a = 9", "Com_update_multi"),
        ("delete from t", "Com_delete"),
        ("delete t from t", "Com_delete_multi"),
        ("do 1", "Com_do"),
        ("explain delete from t", "Com_delete"),
        ("describe t", "Com_show_fields"),
        ("show columns from t", "Com_show_fields"),
        ("show tables", "Com_show_tables"),
        ("show create view nothing", "Com_show_create_table"),
        ("show count(*) warnings", "Com_select"),
        ("show warnings", "Com_show_warnings"),
        ("analyze table t", "Com_analyze"),
        ("check table t", "Com_check"),
        ("create view v as select 1", "Com_create_view"),
        ("drop view v", "Com_drop_view"),
        ("grant r to u", "Com_grant_roles"),
        ("grant select on t to nobody", "Com_grant"),
        ("revoke all privileges, grant option from nobody", "Com_revoke_all"),
        ("set role none", "Com_set_role"),
        ("set @a = 1", "Com_set_option"),
        ("xa recover", "Com_xa_recover"),
        ("resignal", "Com_resignal"),
        ("get diagnostics @n = number", "Com_get_diagnostics"),
        ("prepare p from 'do 1'", "Com_stmt_prepare"),
        ("execute p", "Com_do"),
        ("deallocate prepare p", "Com_dealloc_sql"),
        ("help 'x'", "Com_help"),
        ("explain for connection 999", "Com_explain_other"),
        ("stop group_replication", "Com_group_replication_stop"),
        ("install component 'file://none'", "Com_install_component"),
        ("create server s foreign data wrapper mysql options (user 'u')", "Com_unsupported"),
    ];
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (a int)"]).await;
        for (sql, counter) in cases {
            let asked = format!("show session status like '{counter}'");
            let count =
                |told: String| told.rsplit('|').next().map_or(0, |n| n.parse().unwrap_or(0));
            let before: u64 = count(c.rows(&asked).await);
            c.ask(sql).await;
            assert_eq!(count(c.rows(&asked).await), before + 1, "{counter} of {sql}");
        }
        c.0.close().await;
        drop(server);
    });
}
