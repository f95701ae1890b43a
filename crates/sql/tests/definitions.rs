//! What definitions say of other engines, constraints and columns: what is made of them, and what is refused.
use crate::common::*;

fn check(cases: &[(&str, &str)]) {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(cases).await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn tables_of_other_engines() {
    check(&[
        // The default mode has the word, but nobody wrote it.
        ("select @@sql_mode like '%NO_ENGINE_SUBSTITUTION%'", "1"),
        ("create table m (a int) engine=MyISAM row_format=fixed", "ok 0"),
        (
            "show warnings",
            "Warning|1266|Using storage engine InnoDB for table 'm'; \
             Warning|1478|InnoDB: assuming ROW_FORMAT=DYNAMIC.",
        ),
        (
            "show create table m",
            "m|CREATE TABLE `m` (\n  `a` int DEFAULT NULL\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 \
             COLLATE=utf8mb4_general_ci",
        ),
        ("create table n (a int) engine=nothing", "ok 0"),
        (
            "show warnings",
            "Warning|1286|Unknown storage engine 'nothing'; \
             Warning|1266|Using storage engine InnoDB for table 'n'",
        ),
        ("alter table m engine=memory", "ok 0"),
        ("show warnings", "Warning|1266|Using storage engine InnoDB for table 'm'"),
        // What dump tools do with the mode changes nothing.
        ("set @old = @@sql_mode, sql_mode = 'NO_AUTO_VALUE_ON_ZERO'", "ok 0"),
        ("create table d1 (a int) engine=aria", "ok 0"),
        ("set sql_mode = @old", "ok 0"),
        ("create table d2 (a int) engine=aria", "ok 0"),
        ("set sql_mode = concat(@@sql_mode, ',STRICT_ALL_TABLES')", "ok 0"),
        ("create table d3 (a int) engine=csv", "ok 0"),
        // The user's own hand.
        ("set sql_mode = 'STRICT_TRANS_TABLES,no_engine_substitution'", "ok 0"),
        ("create table r (a int) engine=myisam", "E1286 Unknown storage engine 'myisam'"),
        ("alter table m engine=myisam", "E1286 Unknown storage engine 'myisam'"),
        ("create table r (a int) engine=nothing", "E1286 Unknown storage engine 'nothing'"),
        ("set @old = @@sql_mode, sql_mode = ''", "ok 0"),
        ("create table d4 (a int) engine=myisam", "ok 0"),
        ("set sql_mode = @old", "ok 0"),
        ("create table r (a int) engine=myisam", "E1286 Unknown storage engine 'myisam'"),
        ("set sql_mode = default", "ok 0"),
        ("create table d5 (a int) engine=myisam", "ok 0"),
        ("set sql_mode = traditional", "ok 0"),
        ("create table r (a int) engine=myisam", "E1286 Unknown storage engine 'myisam'"),
        ("create table r (a int) engine=innodb", "ok 0"),
    ]);
}

#[test]
fn a_mode_written_for_the_server_holds_for_new_sessions() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let refused = "E1286 Unknown storage engine 'myisam'";
        c.check(&[
            ("set global sql_mode = 'NO_ENGINE_SUBSTITUTION'", "ok 0"),
            ("create table t (a int) engine=myisam", "ok 0"),
        ])
        .await;
        let mut d = server.client();
        d.check(&[("create table u (a int) engine=myisam", refused)]).await;
        c.check(&[("set global sql_mode = default", "ok 0")]).await;
        d.check(&[("create table u (a int) engine=myisam", refused)]).await;
        let mut e = server.client();
        e.check(&[("create table u (a int) engine=myisam", "ok 0")]).await;
        for client in [c, d, e] {
            client.0.close().await;
        }
        drop(server);
    });
}

#[test]
fn indexes_that_there_are_not() {
    check(&[
        (
            "create table t (a int, b text, fulltext key f (b))",
            "E1235 This version doesn't yet support FULLTEXT indexes (index 'f' of table 'test.t'); \
             SET weir_skip_unsupported_indexes = ON leaves them out with a warning",
        ),
        ("create table t (a int, b text)", "ok 0"),
        ("create fulltext index f on t (b)", "E1235"),
        ("set weir_skip_unsupported_indexes = on", "ok 0"),
        ("create table u (a int, b text, key (a), fulltext key f (b))", "ok 0"),
        (
            "show warnings",
            "Warning|1235|FULLTEXT index 'f' of table 'test.u' was left out: there are none",
        ),
        ("create fulltext index f on t (b)", "ok 0"),
        ("alter table t add fulltext (b), add key (a)", "ok 0"),
        ("create fulltext index f on t (c)", "E1072 Key column 'c' doesn't exist in table"),
        (
            "show create table t",
            "t|CREATE TABLE `t` (\n  `a` int DEFAULT NULL,\n  `b` text COLLATE utf8mb4_general_ci,\n  KEY `a` (`a`)\n) ENGINE=InnoDB \
             DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci",
        ),
    ]);
}
