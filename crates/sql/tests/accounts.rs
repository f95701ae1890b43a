//! What bounds accounts beside their rights: resources, the age and reuse of passwords, and what is noted of them.
//! Sessions are opened as logins do it, without the proof of a password: that, and what failed ones lead to, is tested with a server.
use crate::common::*;
use std::time::Duration;

/// What SHOW CREATE USER says of `u` behind REQUIRE.
async fn shown(c: &mut Client) -> String {
    let text = c.ask("show create user u@localhost").await.line();
    text.split_once(" REQUIRE NONE ").map_or(text.clone(), |(_, rest)| rest.to_owned())
}

const DEFAULTS: &str = "PASSWORD EXPIRE DEFAULT ACCOUNT UNLOCK PASSWORD HISTORY DEFAULT PASSWORD REUSE INTERVAL DEFAULT PASSWORD REQUIRE CURRENT DEFAULT";

#[test]
fn options_are_kept_and_shown_and_read_again() {
    with_server(1, |server| async move {
        let server = server.with_passwords().await;
        let mut root = server.client();
        let all = [
            "",
            "WITH MAX_QUERIES_PER_HOUR 1 MAX_UPDATES_PER_HOUR 2 MAX_CONNECTIONS_PER_HOUR 3 MAX_USER_CONNECTIONS 4",
            "WITH MAX_USER_CONNECTIONS 7",
            "PASSWORD EXPIRE",
            "PASSWORD EXPIRE NEVER",
            "PASSWORD EXPIRE INTERVAL 65535 DAY ACCOUNT LOCK",
            "PASSWORD HISTORY 0 PASSWORD REUSE INTERVAL 365 DAY PASSWORD REQUIRE CURRENT",
            "PASSWORD HISTORY 5 PASSWORD REUSE INTERVAL 0 DAY PASSWORD REQUIRE CURRENT OPTIONAL",
            "FAILED_LOGIN_ATTEMPTS 3 PASSWORD_LOCK_TIME UNBOUNDED",
            "FAILED_LOGIN_ATTEMPTS 32767 PASSWORD_LOCK_TIME 1 COMMENT 'it''s'",
            "FAILED_LOGIN_ATTEMPTS 1",
            r#"ATTRIBUTE '{"b": [1, "x\\n"], "a": {"c": null}}'"#,
            "ATTRIBUTE '{}'",
        ];
        for options in all {
            root.rows("drop user if exists u@localhost").await;
            root.check(&[(
                &format!("create user u@localhost identified by 'x' {options}"),
                "ok 0",
            )])
            .await;
            let text = root.ask("show create user u@localhost").await.line();
            let row = root.ask("select * from mysql.user where user = 'u'").await.line();
            // The grant tables say all of it.
            root.all(&["update mysql.user set user = user", "flush privileges"]).await;
            assert_eq!(root.ask("show create user u@localhost").await.line(), text);
            root.rows("drop user u@localhost").await;
            root.check(&[(&text, "ok 0")]).await;
            assert_eq!(root.ask("show create user u@localhost").await.line(), text);
            let again = root.ask("select * from mysql.user where user = 'u'").await.line();
            assert_eq!(again, row, "{options}");
            // And so by ALTER USER.
            root.all(&["drop user u@localhost", "create user u@localhost"]).await;
            root.check(&[(&text.replacen("CREATE", "ALTER", 1), "ok 0")]).await;
            assert_eq!(root.ask("show create user u@localhost").await.line(), text);
        }
        root.all(&["drop user u@localhost", "create user u@localhost"]).await;
        assert_eq!(shown(&mut root).await, DEFAULTS);
        // What a statement does not name stays; DEFAULT and 0 take away.
        for (options, want) in [
            ("with max_user_connections 4", format!("WITH MAX_USER_CONNECTIONS 4 {DEFAULTS}")),
            ("password history 3", "WITH MAX_USER_CONNECTIONS 4 PASSWORD EXPIRE DEFAULT ACCOUNT UNLOCK PASSWORD HISTORY 3 PASSWORD REUSE INTERVAL DEFAULT PASSWORD REQUIRE CURRENT DEFAULT".into()),
            ("with max_user_connections 0 password history default", DEFAULTS.into()),
        ] {
            root.rows(&format!("alter user u@localhost {options}")).await;
            assert_eq!(shown(&mut root).await, want);
        }
        root.0.close().await;
    });
}

#[test]
fn bad_options_are_refused() {
    check(&[
        ("create user u@localhost", "ok 0"),
        ("alter user u@localhost password expire interval 0 day", "E1525 Incorrect DAY value: '0'"),
        (
            "alter user u@localhost password expire interval 65536 day",
            "E1525 Incorrect DAY value: '65536'",
        ),
        (
            "alter user u@localhost failed_login_attempts 32768",
            "E1525 Incorrect FAILED_LOGIN_ATTEMPTS value: '32768'",
        ),
        (
            "create user v@localhost password_lock_time 32768",
            "E1525 Incorrect PASSWORD_LOCK_TIME value: '32768'",
        ),
        ("alter user u@localhost with", "E1064"),
        ("alter user u@localhost with max_queries_per_hour -1", "E1064"),
        ("alter user u@localhost comment 'a' attribute '{}'", "E1064"),
        (
            "alter user u@localhost attribute 'x'",
            "E3982 The user attribute must be a valid JSON object",
        ),
        ("alter user u@localhost attribute '[]'", "E3982"),
        ("alter user u@localhost attribute ''", "E3982"),
        ("create user v@localhost attribute 'null'", "E3982"),
        ("create user v@localhost identified by 'x' replace 'y'", "E1064"),
        ("alter user v@localhost comment 'x'", "E1396"),
        ("select count(*) from mysql.user where user in ('u', 'v')", "1"),
        ("set global password_history = -1", "ok 0"),
        (
            "select @@password_history, @@password_reuse_interval, @@password_require_current, @@default_password_lifetime, @@disconnect_on_expired_password",
            "0|0|0|0|1",
        ),
        ("set global disconnect_on_expired_password = off", "E1238"),
        ("set session password_history = 1", "E1229"),
    ]);
}

#[test]
fn a_second_password_is_kept_until_it_is_discarded() {
    with_server(1, |server| async move {
        let server = server.with_passwords().await;
        let mut root = server.client();
        let kept = "select authentication_string, user_attributes from mysql.user where user = 'u'";
        root.check(&[
            ("create user u@localhost identified by 'a'", "ok 0"),
            ("alter user u@localhost identified by 'b' retain current password", "ok 0"),
            (kept, "h:b|{\"additional_password\": \"h:a\"}"),
            // A new password alone leaves it as it is.
            ("alter user u@localhost identified by 'c'", "ok 0"),
            (kept, "h:c|{\"additional_password\": \"h:a\"}"),
            (
                "alter user u@localhost identified by '' retain current password",
                "E3895 Current password can not be retained for user 'u'@'localhost' because new password is empty.",
            ),
            (
                "alter user u@localhost identified with mysql_native_password by 'y' retain current password",
                "E3894 Current password can not be retained for user 'u'@'localhost' because authentication plugin is being changed.",
            ),
            (
                "alter user u@localhost identified with caching_sha2_password as 'h:d' retain current password",
                "ok 0",
            ),
            (kept, "h:d|{\"additional_password\": \"h:c\"}"),
            // What grant tables say is read back.
            ("update mysql.user set account_locked = 'N' where user = 'u'", "ok 0"),
            ("flush privileges", "ok 0"),
            (kept, "h:d|{\"additional_password\": \"h:c\"}"),
            ("alter user u@localhost discard old password", "ok 0"),
            (kept, "h:d|NULL"),
            ("alter user u@localhost discard old password", "ok 0"),
            // Neither an empty password nor one of another method has a second beside it.
            ("set password for u@localhost = 'e' retain current password", "ok 0"),
            ("alter user u@localhost identified with mysql_native_password by 'f'", "ok 0"),
            (kept, "h:f|NULL"),
            ("set password for u@localhost = 'g' retain current password", "ok 0"),
            (kept, "h:g|{\"additional_password\": \"h:f\"}"),
            ("set password for u@localhost = ''", "ok 0"),
            (kept, "|NULL"),
            (
                "alter user u@localhost identified by 'h' retain current password",
                "E3878 Empty password can not be retained as second password for user 'u'@'localhost'.",
            ),
            ("alter user u@localhost retain current password", "E1064"),
            ("alter user u@localhost identified by 'z' discard old password", "E1064"),
            ("alter user u@localhost identified by 'k' retain current password replace 'z'", "E1064"),
            ("create user v@localhost identified by 'a' retain current password", "E1064"),
            ("create user v@localhost discard old password", "E1064"),
            ("alter user v@localhost discard old password", "E1396"),
            ("alter user if exists v@localhost discard old password", "ok 0"),
        ])
        .await;
        root.0.close().await;
    });
}

#[test]
fn comments_and_attributes_are_merged_and_seen_by_whom_they_concern() {
    with_server(1, |server| async move {
        let mut root = server.client();
        let seen = "select user, attribute from information_schema.user_attributes order by user";
        let kept = "select user_attributes from mysql.user where user = 'u'";
        root.check(&[
            ("create user u@localhost comment 'first'", "ok 0"),
            (seen, "root|NULL; u|{\"comment\": \"first\"}"),
            (r#"alter user u@localhost attribute '{"comment": null, "team": {"a": 1, "b": 2}}'"#, "ok 0"),
            (r#"alter user u@localhost attribute '{"team": {"a": null}}'"#, "ok 0"),
            (seen, "root|NULL; u|{\"team\": {\"b\": 2}}"),
            ("alter user u@localhost comment 'second'", "ok 0"),
            (kept, r#"{"metadata": {"team": {"b": 2}, "comment": "second"}}"#),
            ("alter user u@localhost failed_login_attempts 3 password_lock_time unbounded", "ok 0"),
            (kept, r#"{"metadata": {"team": {"b": 2}, "comment": "second"}, "Password_locking": {"failed_login_attempts": 3, "password_lock_time_days": -1}}"#),
            ("rename user u@localhost to v@localhost", "ok 0"),
            (seen, "root|NULL; v|{\"team\": {\"b\": 2}, \"comment\": \"second\"}"),
            ("select column_name from information_schema.columns where table_name = 'USER_ATTRIBUTES'", "USER; HOST; ATTRIBUTE"),
        ])
        .await;
        let mut v = server.client_of("v");
        let own = "v|{\"team\": {\"b\": 2}, \"comment\": \"second\"}";
        v.check(&[(seen, own), ("alter user v@localhost comment 'x'", "E1227")]).await;
        root.rows("grant create user on *.* to v@localhost").await;
        v.check(&[(seen, &format!("root|NULL; {own}"))]).await;
        // A restart finds all of it.
        server.again().await.client().check(&[(seen, &format!("root|NULL; {own}"))]).await;
        root.check(&[("drop user v@localhost", "ok 0"), (seen, "root|NULL")]).await;
        root.0.close().await;
        v.0.close().await;
    });
}

#[test]
fn statements_are_counted_by_the_hour() {
    with_server(1, |server| async move {
        let mut root = server.client();
        root.all(&[
            "create table t (id int primary key)",
            "create user u@localhost with max_queries_per_hour 4",
            "grant all on test.* to u@localhost",
        ])
        .await;
        let told = "E1226 User 'u' has exceeded the 'max_questions' resource (current value: 4)";
        let mut u = server.log_in("u", false).unwrap();
        // Errors count as well, and both sessions of the account together.
        u.check(&[("select 1", "1"), ("nonsense", "E1064"), ("set @a = 1", "ok 0")]).await;
        let mut second = server.log_in("u", false).unwrap();
        second.check(&[("select 2", "2"), ("select 3", told), ("set @a = 2", told)]).await;
        u.check(&[("select 1", told)]).await;
        root.rows("flush user_resources").await;
        u.check(&[("select 1", "1")]).await;
        second.check(&[("select 1", "1"); 3]).await;
        second.check(&[("select 1", told)]).await;
        let rt = server.inst.db.rt().clone();
        rt.sleep(Duration::from_secs(3600)).await;
        u.check(&[("select 1", "1"); 4]).await;
        u.check(&[("select 1", told)]).await;
        // New limits hold at once, and begin again.
        root.rows("alter user u@localhost with max_queries_per_hour 0 max_updates_per_hour 2")
            .await;
        let told = "E1226 User 'u' has exceeded the 'max_updates' resource (current value: 2)";
        u.check(&[
            ("insert into test.t values (1)", "ok 1"),
            ("select count(*) from test.t", "1"),
            ("prepare s from 'delete from test.t where id = 9'", "ok 0"),
            ("execute s", "ok 0"),
            ("execute s", told),
            ("insert into test.t values (2)", told),
            ("create table test.o (id int primary key)", told),
            ("set password = 'x'", told),
            ("select count(*) from test.t", "1"),
        ])
        .await;
        root.rows("flush privileges").await;
        u.check(&[("create table test.o (id int primary key)", "ok 0")]).await;
        // Nobody else is concerned; nor is a session that is no login's.
        root.check(&[("insert into t values (5)", "ok 1"); 1]).await;
        root.rows("alter user u@localhost with max_updates_per_hour 0").await;
        u.check(&[("delete from test.t", "ok 2"), ("delete from test.t", "ok 0")]).await;
        for c in [root, u, second] {
            c.0.close().await;
        }
    });
}

#[test]
fn connections_are_counted() {
    with_server(1, |server| async move {
        let mut root = server.client();
        root.rows("create user u@localhost with max_connections_per_hour 2 max_user_connections 1")
            .await;
        let first = server.log_in("u", false).unwrap();
        assert_eq!(server.log_in("u", false).err(), Some(1226));
        first.0.close().await;
        let second = server.log_in("u", false).unwrap();
        second.0.close().await;
        assert_eq!(server.log_in("u", false).err(), Some(1226), "two in this hour");
        server.inst.db.rt().clone().sleep(Duration::from_secs(3600)).await;
        let third = server.log_in("u", false).unwrap();
        // The variable is for accounts without a number of their own.
        root.all(&["set global max_user_connections = 1", "create user v@localhost"]).await;
        let mut v = server.log_in("v", false).unwrap();
        let mut another = server.client_of("v");
        assert_eq!(
            another.0.log_in(false).unwrap_err().message,
            "User v already has more than 'max_user_connections' active connections"
        );
        // Another login in the same connection gives the place back.
        let conn = server.conn("v", "", server.kill_switch());
        v.0.change_user(conn).await.unwrap();
        v.0.log_in(false).unwrap();
        assert_eq!(server.log_in("v", false).err(), Some(1203));
        for c in [root, third, v, another] {
            c.0.close().await;
        }
        assert!(server.log_in("v", false).is_ok());
    });
}

#[test]
fn an_expired_password_has_to_be_changed() {
    with_server(1, |server| async move {
        let server = server.with_passwords().await;
        let mut root = server.client();
        root.all(&[
            "create table t (id int primary key)",
            "create procedure p() select 1",
            "create function f() returns int deterministic return 1",
            "create user u@localhost identified by 'a' password expire",
            "create user v@localhost",
            "grant all on test.* to u@localhost",
            "grant create user on *.* to u@localhost",
        ])
        .await;
        root.check(&[("select password_expired from mysql.user where user = 'u'", "Y")]).await;
        assert_eq!(server.log_in("u", false).err(), Some(1862));
        let mut u = server.log_in("u", true).unwrap();
        assert!(u.0.must_change_password());
        let told = "E1820 You must reset your password using ALTER USER statement before executing this statement.";
        for sql in [
            "select 1",
            "select * from test.t",
            "insert into test.t values (1)",
            "do 1",
            "show tables from test",
            "show variables",
            "use test",
            "begin",
            "commit",
            "call test.p()",
            "create table test.o (id int primary key)",
            "explain select 1",
            "explain for connection 1",
            "prepare s from 'select 1'",
            "execute s",
            "set @a = (select count(*) from test.t)",
            "set @a = test.f()",
            "kill 1",
            "lock tables test.t read",
            "alter user v@localhost identified by 'x'",
            "set password for v@localhost = 'x'",
            "create user w@localhost",
            "grant all on test.* to v@localhost",
        ] {
            u.check(&[(sql, told)]).await;
        }
        assert_eq!(u.0.prepare(b"select 1").await.err().map(|e| e.errno), Some(1820));
        u.check(&[
            ("set names utf8mb4", "ok 0"),
            ("set autocommit = 1", "ok 0"),
            ("alter user u@localhost account unlock", "ok 0"),
            ("do 1", told),
            ("alter user user() identified by 'b'", "ok 0"),
            ("select 1", "1"),
        ])
        .await;
        root.check(&[("select password_expired from mysql.user where user = 'u'", "N")]).await;
        assert!(server.log_in("u", false).is_ok());
        // By age: the account's own number of days goes before the variable.
        root.rows("alter user u@localhost password expire interval 1 day").await;
        let day = Duration::from_secs(86_400);
        let rt = server.inst.db.rt().clone();
        assert!(server.log_in("u", false).is_ok());
        // Days of the simulation are long: each counts for as many answers as it can.
        rt.sleep(day).await;
        assert_eq!(server.log_in("u", false).err(), Some(1862));
        root.rows("alter user u@localhost password expire never").await;
        root.rows("set global default_password_lifetime = 1").await;
        assert!(server.log_in("u", false).is_ok());
        assert_eq!(server.log_in("v", false).err(), Some(1862));
        let mut v = server.log_in("v", true).unwrap();
        v.check(&[("do 1", told), ("set password = 'x'", "ok 0"), ("do 1", "ok 0")]).await;
        assert!(server.log_in("v", false).is_ok());
        // A restart knows when.
        let later = server.with_passwords().await;
        later.client().rows("set global default_password_lifetime = 1").await;
        assert!(later.log_in("v", false).is_ok());
        rt.sleep(day).await;
        assert_eq!(later.log_in("v", false).err(), Some(1862));
        for c in [root, u, v] {
            c.0.close().await;
        }
    });
}

#[test]
fn former_passwords_are_not_used_again() {
    with_server(1, |server| async move {
        let server = server.with_passwords().await;
        let mut root = server.client();
        let told = "E3638 Cannot use these credentials for 'u@localhost' because they contradict the password history policy";
        root.check(&[
            ("create user u@localhost identified by 'a' password history 2", "ok 0"),
            ("alter user u@localhost identified by 'a'", told),
            ("set password for u@localhost = 'a'", told),
            ("alter user u@localhost identified by 'b'", "ok 0"),
            ("alter user u@localhost identified by 'a'", told),
            ("rename user u@localhost to v@localhost", "ok 0"),
            ("alter user v@localhost identified by 'a'", "E3638"),
            ("rename user v@localhost to u@localhost", "ok 0"),
            ("alter user u@localhost identified by 'c'", "ok 0"),
            ("alter user u@localhost identified by 'a'", "ok 0"),
            ("alter user u@localhost identified by 'c' password history default", "ok 0"),
            ("alter user u@localhost identified by 'c'", "ok 0"),
            ("set global password_history = 1", "ok 0"),
            ("alter user u@localhost identified by 'd'", "ok 0"),
            ("alter user u@localhost identified by 'd'", told),
            ("set global password_history = 0", "ok 0"),
            ("set global password_reuse_interval = 1", "ok 0"),
            ("alter user u@localhost identified by 'd'", told),
            ("alter user u@localhost identified by 'e'", "ok 0"),
            // One of several that fails changes none.
            ("create user o@localhost", "ok 0"),
            ("alter user o@localhost identified by 'x', u@localhost identified by 'e'", "E3638"),
            ("select authentication_string from mysql.user where user = 'o'", ""),
        ])
        .await;
        server.inst.db.rt().clone().sleep(Duration::from_secs(86_400)).await;
        root.check(&[("alter user u@localhost identified by 'd'", "ok 0")]).await;
        // They are there after a restart.
        let again = server.with_passwords().await;
        let mut later = again.client();
        later
            .check(&[
                ("alter user u@localhost identified by 'd' password history 3", told),
                ("alter user u@localhost identified by 'f'", "ok 0"),
            ])
            .await;
        root.0.close().await;
        later.0.close().await;
    });
}

#[test]
fn the_current_password_is_asked_for() {
    with_server(1, |server| async move {
        let server = server.with_passwords().await;
        let mut root = server.client();
        root.rows("create user u@localhost identified by 'a' password require current").await;
        let mut u = server.client_of("u");
        let missing = "E3892 Current password needs to be specified in the REPLACE clause in order to change it.";
        let wrong = "E3891 Incorrect current password. Specify the correct password which has to be replaced.";
        u.check(&[
            ("alter user u@localhost identified by 'b'", missing),
            ("set password = 'b'", missing),
            ("alter user u@localhost identified with caching_sha2_password as 'h:b'", missing),
            ("alter user user() identified by 'b' replace 'x'", wrong),
            ("set password = 'b' replace ''", wrong),
            ("alter user user() identified by 'b' replace 'a'", "ok 0"),
            ("set password = 'c' replace 'b'", "ok 0"),
        ])
        .await;
        root.check(&[
            ("alter user u@localhost identified by 'd'", "ok 0"),
            (
                "alter user u@localhost identified by 'e' replace 'd'",
                "E3893 Do not specify the current password while changing it for other users.",
            ),
            ("set password for u@localhost = 'e' replace 'd'", "E3893"),
            ("alter user u@localhost password require current default", "ok 0"),
            ("select password_require_current from mysql.user where user = 'u'", "NULL"),
        ])
        .await;
        u.check(&[("set password = 'e'", "ok 0"), ("set password = 'f' replace 'x'", "E3891")])
            .await;
        root.rows("set global password_require_current = on").await;
        u.check(&[("set password = 'f'", missing)]).await;
        root.rows("alter user u@localhost password require current optional").await;
        u.check(&[("set password = 'f'", "ok 0")]).await;
        // Anyone who may change those of others need not say his own.
        root.all(&[
            "alter user u@localhost password require current",
            "grant create user on *.* to u@localhost",
        ])
        .await;
        u.check(&[("set password = 'g'", "ok 0"), ("set password = 'h' replace 'x'", "E3891")])
            .await;
        root.0.close().await;
        u.0.close().await;
    });
}

#[test]
fn nobody_gets_rights_on_information_schema() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("create user u", "ok 0"),
            ("grant select on information_schema.* to u", "E1044"),
            ("grant select on INFORMATION_SCHEMA.tables to u", "E1044"),
            ("grant execute on procedure information_schema.p to u", "E1044"),
            ("revoke select on information_schema.* from u", "E1044"),
            ("grant select on performance_schema.* to u", "ok 0"),
            ("create database mysql", "E3552"),
            ("create database if not exists mysql", "ok 1"),
            ("alter database mysql character set latin1", "E3552"),
            ("drop database mysql", "E3552"),
            ("drop database information_schema", "E1044"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}
