//! The statements that ended of late, and those that run.
use crate::common::*;
use weir_sql::session::Sent;

/// Runs a statement as the server does, which reports its end.
async fn tell(c: &mut Client, sql: &str) {
    let answer = c.ask(sql).await;
    let work = c.0.take_work();
    c.0.summarize(Sent::Text(sql.as_bytes()), &work, 2_000, answer.rows.len() as u64, None);
}

const PAST: &str = "select event_id, event_name, sql_text, digest_text, current_schema, mysql_errno, returned_sqlstate,
    message_text, errors, rows_sent, rows_examined, timer_wait, timer_end - timer_start
    from performance_schema.events_statements_history order by event_id";

#[test]
fn the_last_statements_of_a_session() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (a int primary key, b int)", "insert into t values (1,1),(2,2)"])
            .await;
        tell(&mut c, "select 'before it is on'").await;
        c.check(&[
            (PAST, ""),
            (
                "select enabled from performance_schema.setup_consumers where name = 'events_statements_history'",
                "NO",
            ),
            ("set global weir_statement_history = ON", "ok 0"),
            (
                "select enabled from performance_schema.setup_consumers where name = 'events_statements_history'",
                "YES",
            ),
        ])
        .await;
        _ = c.0.take_work();
        for n in 0..9 {
            tell(&mut c, &format!("do {n}")).await;
        }
        tell(&mut c, "select b from t where a = 1").await;
        tell(&mut c, "select nothing from t").await;
        tell(&mut c, "alter user root@localhost identified by ''").await;
        let rows = c.ask(PAST).await.rows;
        assert_eq!(rows.len(), 10, "{rows:?}");
        assert_eq!(
            rows[7..],
            [
                "10|statement/sql/select|select b from t where a = 1|SELECT `b` FROM `t` WHERE `a` = ?|test|0|00000|NULL|0|1|1|2000000|2000000",
                "11|statement/sql/select|select nothing from t|SELECT `nothing` FROM `t`|test|1054|42S22|Unknown column 'nothing' in 'field list'|1|0|0|2000000|2000000",
                "12|statement/sql/alter_user|alter user root@localhost identified by <secret>|ALTER SYSTEM_USER `root` @? IDENTIFIED BY ?|test|0|00000|NULL|0|0|0|2000000|2000000",
            ]
        );
        c.check(&[
            ("select count(*) from performance_schema.events_statements_history_long", "12"),
            ("truncate table performance_schema.events_statements_history", "ok 0"),
            (PAST, ""),
            ("select count(*) from performance_schema.events_statements_history_long", "12"),
            ("truncate table performance_schema.events_statements_history_long", "ok 0"),
            ("select count(*) from performance_schema.events_statements_history_long", "0"),
        ])
        .await;
        tell(&mut c, "do 99").await;
        c.check(&[(
            "select event_id, sql_text from performance_schema.events_statements_history",
            "13|do 99",
        )])
        .await;
        // Those of others are for accounts with PROCESS.
        c.all(&[
            "create user few@localhost",
            "grant select on performance_schema.* to few@localhost",
        ])
        .await;
        let mut few = server.client_of("few");
        few.check(&[(
            "select count(*) from performance_schema.events_statements_history_long",
            "0",
        )])
        .await;
        c.check(&[
            ("set global weir_statement_history = OFF", "ok 0"),
            ("select count(*) from performance_schema.events_statements_history_long", "0"),
        ])
        .await;
    });
}
