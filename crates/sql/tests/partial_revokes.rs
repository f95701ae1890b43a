//! Partial revokes: what is granted on all databases does not reach the one that it was revoked on.
use crate::common::*;

const BEGIN: [(&str, &str); 6] = [
    ("create database x", "ok 1"),
    ("create database y", "ok 1"),
    ("create table x.t (a int)", "ok 0"),
    ("create table y.t (a int)", "ok 0"),
    ("create user a", "ok 0"),
    ("create user b", "ok 0"),
];

const ATTRIBUTES: &str = "select user_attributes from mysql.user where user = 'a'";

#[test]
fn they_are_shown_and_lifted() {
    let mut cases = BEGIN.to_vec();
    cases.extend([
        ("grant select, insert, update on *.* to a", "ok 0"),
        // Without the variable nothing is granted on the database that could be revoked.
        ("revoke insert on x.* from a", "E1141 There is no such grant defined for user 'a' on host '%'"),
        ("set global partial_revokes = on", "ok 0"),
        ("revoke insert on x.* from a", "ok 0"),
        ("show grants for a", "GRANT SELECT, INSERT, UPDATE ON *.* TO `a`@`%`; REVOKE INSERT ON `x`.* FROM `a`@`%`"),
        (ATTRIBUTES, r#"{"Restrictions": [{"Database": "x", "Privileges": ["INSERT"]}]}"#),
        ("revoke select, update on x.* from a", "ok 0"),
        ("revoke select on x.* from a", "ok 0"),
        (ATTRIBUTES, r#"{"Restrictions": [{"Database": "x", "Privileges": ["SELECT", "INSERT", "UPDATE"]}]}"#),
        ("grant insert on x.* to a", "ok 0"),
        ("show grants for a", "GRANT SELECT, INSERT, UPDATE ON *.* TO `a`@`%`; REVOKE SELECT, UPDATE ON `x`.* FROM `a`@`%`"),
        ("revoke delete on x.* from a", "E1141"),
        ("revoke insert, drop on x.* from a", "E1141"),
        ("revoke select on nosuch.* from a", "ok 0"),
        ("revoke insert on *.* from a", "ok 0"),
        (
            "show grants for a",
            "GRANT SELECT, UPDATE ON *.* TO `a`@`%`; REVOKE SELECT ON `nosuch`.* FROM `a`@`%`; REVOKE SELECT, UPDATE ON `x`.* FROM `a`@`%`",
        ),
        ("grant select on *.* to a", "ok 0"),
        ("grant all on y.* to a", "ok 0"),
        ("grant insert on x.t to a", "ok 0"),
        (
            "show grants for a",
            "GRANT SELECT, UPDATE ON *.* TO `a`@`%`; GRANT ALL PRIVILEGES ON `y`.* TO `a`@`%`; REVOKE UPDATE ON `x`.* FROM `a`@`%`; GRANT INSERT ON `x`.`t` TO `a`@`%`",
        ),
        // What was granted on the database goes first.
        ("revoke select on y.* from a", "ok 0"),
        ("revoke select on y.* from a", "ok 0"),
        ("show grants for a", "GRANT SELECT, UPDATE ON *.* TO `a`@`%`; GRANT INSERT, UPDATE, DELETE, CREATE, DROP, REFERENCES, INDEX, ALTER, CREATE TEMPORARY TABLES, LOCK TABLES, EXECUTE, CREATE VIEW, SHOW VIEW, CREATE ROUTINE, ALTER ROUTINE, EVENT, TRIGGER ON `y`.* TO `a`@`%`; REVOKE UPDATE ON `x`.* FROM `a`@`%`; REVOKE SELECT ON `y`.* FROM `a`@`%`; GRANT INSERT ON `x`.`t` TO `a`@`%`"),
        (
            "set global partial_revokes = off",
            "E3896 At least one partial revoke exists on a database. The system variable '@@partial_revokes' must be set to ON.",
        ),
        ("select @@partial_revokes", "1"),
        ("set session partial_revokes = off", "E1229"),
        ("set global partial_revokes = 'x'", "E1231"),
        ("revoke select on information_schema.* from a", "E1044"),
        ("revoke all, grant option from a", "ok 0"),
        ("show grants for a", "GRANT USAGE ON *.* TO `a`@`%`"),
        ("set global partial_revokes = off", "ok 0"),
        (ATTRIBUTES, "NULL"),
    ]);
    check(&cases);
}

#[test]
fn they_close_a_database() {
    with_server(3, async |server| {
        let mut root = server.client();
        root.check(&BEGIN[..4]).await;
        root.check(&[
            ("create user a@localhost, b@localhost", "ok 0"),
            ("set global partial_revokes = on", "ok 0"),
            ("insert into x.t values (1)", "ok 1"),
            ("insert into y.t values (2)", "ok 1"),
            ("create view y.v as select a from x.t", "ok 0"),
            ("grant select, insert, create user on *.* to a@localhost with grant option", "ok 0"),
            ("revoke select on x.* from a@localhost", "ok 0"),
        ])
        .await;
        let mut a = server.client_of("a");
        a.check(&[
            ("select * from y.t", "2"),
            (
                "select * from x.t",
                "E1142 SELECT command denied to user 'a'@'localhost' for table 't'",
            ),
            ("select (select a from x.t limit 1)", "E1142"),
            ("create table y.c as select * from x.t", "E1142"),
            ("insert into y.t select a from x.t", "E1142"),
            ("insert into x.t values (3)", "ok 1"),
            // Rights cannot be got by handing them out.
            ("grant select on x.* to b@localhost", "E1044"),
            ("grant select on `_`.* to b@localhost", "E1044"),
            ("grant select on x.t to b@localhost", "E1142"),
            ("grant select on *.* to b@localhost", "ok 0"),
            (
                "show grants for b@localhost",
                "GRANT SELECT ON *.* TO `b`@`localhost`; REVOKE SELECT ON `x`.* FROM `b`@`localhost`",
            ),
            ("grant select on *.* to a@localhost", "ok 0"),
            ("select * from x.t", "E1142"),
            ("revoke insert on y.* from a@localhost", "ok 0"),
            ("insert into y.t values (3)", "E1142"),
        ])
        .await;
        let mut b = server.client_of("b");
        b.check(&[("select * from x.t", "E1142"), ("select * from y.t", "2")]).await;
        root.check(&[
            ("create role r", "ok 0"),
            ("grant select on *.* to r", "ok 0"),
            ("revoke select on y.* from r", "ok 0"),
            ("grant r to a@localhost", "ok 0"),
            (
                "show grants for a@localhost using r",
                "GRANT SELECT, INSERT, CREATE USER ON *.* TO `a`@`localhost` WITH GRANT OPTION; REVOKE INSERT ON `y`.* FROM `a`@`localhost`; GRANT `r`@`%` TO `a`@`localhost`",
            ),
        ])
        .await;
        // A role opens what the account has closed.
        a.check(&[
            ("set role r", "ok 0"),
            ("select * from x.t", "1; 3"),
            ("select * from y.t", "2"),
        ])
        .await;
        for client in [root, a, b] {
            client.0.close().await;
        }
        drop(server);
    });
}

#[test]
fn they_outlive_a_restart() {
    check_lives(&[
        &[
            ("create user a", "ok 0"),
            ("grant select on *.* to a", "ok 0"),
            ("set global partial_revokes = on", "ok 0"),
            ("revoke select on x.* from a", "ok 0"),
            ("rename user a to c", "ok 0"),
        ],
        &[
            ("select @@partial_revokes", "1"),
            (
                "show grants for c",
                "GRANT SELECT ON *.* TO `c`@`%`; REVOKE SELECT ON `x`.* FROM `c`@`%`",
            ),
            ("grant select on x.* to c", "ok 0"),
            ("show grants for c", "GRANT SELECT ON *.* TO `c`@`%`"),
        ],
        &[("select @@partial_revokes", "0")],
    ]);
}
