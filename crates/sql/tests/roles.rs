//! Roles, rights on columns and rights on routines.
use crate::common::*;

async fn accounts(root: &mut Client) {
    root.all(&[
        "create database a",
        "create table a.t (id int primary key, v int, w int)",
        "insert into a.t values (1, 10, 100), (2, 20, 200)",
        "create table a.o (id int primary key, v int)",
        "insert into a.o values (1, 1)",
        "create user u@localhost",
        "create user other@localhost",
    ])
    .await;
}

#[test]
fn roles_are_granted_activated_and_taken_away() {
    with_server(1, |server| async move {
        let mut root = server.client();
        accounts(&mut root).await;
        root.check(&[
            ("create role reader, 'writer'@'localhost'", "ok 0"),
            ("create role reader", "E1396 Operation CREATE ROLE failed for 'reader'@'%'"),
            ("create role if not exists reader", "ok 0"),
            ("grant select on a.* to reader", "ok 0"),
            ("grant insert on a.* to 'writer'@'localhost'", "ok 0"),
            ("grant reader, nobody to u@localhost", "E3523 Unknown authorization ID `nobody`@`%`"),
            ("grant reader to nobody", "E3523 Unknown authorization ID `nobody`@`%`"),
            ("show grants for u@localhost", "GRANT USAGE ON *.* TO `u`@`localhost`"),
            ("grant reader to u@localhost", "ok 0"),
            ("grant 'writer'@'localhost' to u@localhost with admin option", "ok 0"),
            ("show grants for u@localhost", "GRANT USAGE ON *.* TO `u`@`localhost`; GRANT `reader`@`%` TO `u`@`localhost`; GRANT `writer`@`localhost` TO `u`@`localhost` WITH ADMIN OPTION"),
            ("show grants for u@localhost using reader", "GRANT USAGE ON *.* TO `u`@`localhost`; GRANT SELECT ON `a`.* TO `u`@`localhost`; GRANT `reader`@`%` TO `u`@`localhost`; GRANT `writer`@`localhost` TO `u`@`localhost` WITH ADMIN OPTION"),
            ("show grants for other@localhost using reader", "E3530 `reader`@`%` is not granted to `other`@`localhost`"),
            ("select current_role()", "NONE"),
        ])
        .await;
        let mut u = server.client_of("u");
        u.check(&[
            ("select current_role()", "NONE"),
            ("select count(*) from a.t", "E1142"),
            ("set role other@localhost", "E3530"),
            ("set role reader", "ok 0"),
            ("select current_role()", "`reader`@`%`"),
            ("select count(*) from a.t", "2"),
            ("insert into a.o values (2, 2)", "E1142"),
            ("set role all except reader", "ok 0"),
            ("select current_role()", "`writer`@`localhost`"),
            ("set role all", "ok 0"),
            ("insert into a.o values (2, 2)", "ok 1"),
            ("select role_name, is_default from information_schema.enabled_roles order by 1", "reader|NO; writer|NO"),
            ("select grantee, role_name, is_grantable from information_schema.applicable_roles order by 2", "u|reader|NO; u|writer|YES"),
            ("select role_name from information_schema.administrable_role_authorizations", "writer"),
            ("grant 'writer'@'localhost' to other@localhost", "ok 0"),
            ("grant reader to other@localhost", "E1227 Access denied; you need (at least one of) the WITH ADMIN, ROLE_ADMIN, SUPER privilege(s) for this operation"),
            ("show grants", "GRANT USAGE ON *.* TO `u`@`localhost`; GRANT SELECT, INSERT ON `a`.* TO `u`@`localhost`; GRANT `reader`@`%` TO `u`@`localhost`; GRANT `writer`@`localhost` TO `u`@`localhost` WITH ADMIN OPTION"),
            ("prepare s from 'select count(*) from a.t'", "ok 0"),
            ("execute s", "2"),
        ])
        .await;
        // What is revoked is gone with the next statement: the role's right, then the role.
        root.rows("revoke select on a.* from reader").await;
        u.check(&[("execute s", "E1142"), ("insert into a.o values (3, 3)", "ok 1")]).await;
        root.rows("revoke 'writer'@'localhost' from u@localhost").await;
        u.check(&[
            ("select current_role()", "`reader`@`%`"),
            ("insert into a.o values (4, 4)", "E1142"),
            ("set role none", "ok 0"),
            ("select current_role()", "NONE"),
        ])
        .await;
        root.check(&[
            ("rename user reader to r2", "E3532 Renaming of a role identifier is forbidden"),
            ("drop role reader, missing", "E1396 Operation DROP ROLE failed for 'missing'@'%'"),
            ("drop role reader", "ok 0"),
            ("show grants for u@localhost", "GRANT USAGE ON *.* TO `u`@`localhost`"),
            ("drop role if exists reader", "ok 0"),
        ])
        .await;
    });
}

#[test]
fn default_mandatory_and_nested_roles() {
    with_server(1, |server| async move {
        let mut root = server.client();
        accounts(&mut root).await;
        root.check(&[
            ("create role inner_role, outer_role, everybody", "ok 0"),
            ("grant select on a.t to inner_role", "ok 0"),
            ("grant inner_role to outer_role", "ok 0"),
            ("grant outer_role to inner_role", "E4027 User account `inner_role`@`%` is directly or indirectly granted to the role `outer_role`@`%`. The GRANT would create a loop"),
            ("set default role outer_role to u@localhost", "E3530 `outer_role`@`%` is not granted to `u`@`localhost`"),
            ("grant outer_role to u@localhost", "ok 0"),
            ("set default role outer_role to u@localhost", "ok 0"),
            ("create user d@localhost default role nobody", "E3162"),
            ("create user d@localhost default role outer_role", "ok 0"),
            ("show grants for d@localhost", "GRANT USAGE ON *.* TO `d`@`localhost`; GRANT `outer_role`@`%` TO `d`@`localhost`"),
            ("show create user d@localhost", "CREATE USER `d`@`localhost` IDENTIFIED WITH 'caching_sha2_password' DEFAULT ROLE `outer_role`@`%` REQUIRE NONE PASSWORD EXPIRE DEFAULT ACCOUNT UNLOCK PASSWORD HISTORY DEFAULT PASSWORD REUSE INTERVAL DEFAULT PASSWORD REQUIRE CURRENT DEFAULT"),
        ])
        .await;
        let mut u = server.client_of("u");
        u.check(&[
            ("select current_role()", "`outer_role`@`%`"),
            ("select count(*) from a.t", "2"),
            (
                "select grantee, role_name from information_schema.applicable_roles order by 2",
                "outer_role|inner_role; u|outer_role",
            ),
            (
                "select table_name, privilege_type from information_schema.role_table_grants",
                "t|SELECT",
            ),
            ("set role none", "ok 0"),
            ("select count(*) from a.t", "E1142"),
        ])
        .await;
        // SET ROLE in a procedure that runs with the caller's rights is the caller's.
        root.all(&[
            "create procedure a.take() sql security invoker set role all",
            "grant execute on procedure a.take to u@localhost",
        ])
        .await;
        u.check(&[
            ("call a.take()", "ok 0"),
            ("select current_role()", "`outer_role`@`%`"),
            ("set role none", "ok 0"),
        ])
        .await;
        // A reset takes the roles of a login again.
        u.0.reset().await.expect("resets");
        u.check(&[("select current_role()", "`outer_role`@`%`")]).await;
        root.check(&[
            ("alter user u@localhost default role none", "ok 0"),
            ("set global mandatory_roles = 'everybody, nobody@nowhere'", "ok 0"),
            ("set global mandatory_roles = 'a@b@c'", "E1231"),
            ("select @@mandatory_roles", "everybody, nobody@nowhere"),
            ("grant select on a.o to everybody", "ok 0"),
            ("drop role everybody", "E3628"),
            ("drop user everybody", "E3628"),
            ("revoke everybody from u@localhost", "E3628"),
        ])
        .await;
        let mut u = server.client_of("u");
        u.check(&[
            ("select current_role()", "NONE"),
            ("set role everybody", "ok 0"),
            ("select count(*) from a.o", "1"),
        ])
        .await;
        root.rows("set global activate_all_roles_on_login = on").await;
        let mut u = server.client_of("u");
        u.check(&[("select current_role()", "`everybody`@`%`,`outer_role`@`%`")]).await;
    });
}

/// A definer's programs and views have his default roles.
#[test]
fn definers_have_their_default_roles() {
    with_server(1, |server| async move {
        let mut root = server.client();
        accounts(&mut root).await;
        root.all(&[
            "create role r",
            "grant select on a.t to r",
            "grant r to u@localhost",
            "create definer = u@localhost view a.w as select id from a.t",
            "create definer = u@localhost procedure a.p() select current_role(), count(*) from a.t",
            "grant select on a.w to other@localhost",
            "grant execute on procedure a.p to other@localhost",
        ])
        .await;
        let mut other = server.client_of("other");
        other.check(&[("select * from a.w", "E1356"), ("call a.p()", "E1142")]).await;
        root.rows("set default role r to u@localhost").await;
        other.check(&[("select * from a.w", "1; 2"), ("call a.p()", "`r`@`%`|2")]).await;
        other.check(&[("select current_role()", "NONE")]).await;
    });
}

#[test]
fn rights_on_columns_are_asked_for_what_is_read_and_written() {
    with_server(1, |server| async move {
        let mut root = server.client();
        accounts(&mut root).await;
        root.rows("alter table a.t add unique key pair (w, id)").await;
        root.check(&[
            ("grant select (id, v), insert (id), update (v) on a.t to u@localhost", "ok 0"),
            ("grant select (nothing) on a.t to u@localhost", "E1054 Unknown column 'nothing' in 't'"),
            ("grant delete (id) on a.t to u@localhost", "E1064"),
            ("grant select (id) on a.* to u@localhost", "E1144"),
            ("show grants for u@localhost", "GRANT USAGE ON *.* TO `u`@`localhost`; GRANT SELECT (`id`, `v`), INSERT (`id`), UPDATE (`v`) ON `a`.`t` TO `u`@`localhost`"),
        ])
        .await;
        let mut u = server.client_in("u", "a");
        u.check(&[
            ("select id, v from t", "1|10; 2|20"),
            ("select count(*) from t", "2"),
            ("select * from t", "E1142 SELECT command denied to user 'u'@'localhost' for table 't'"),
            ("select t.* from t", "E1142"),
            ("table t", "E1142"),
            ("select w from t", "E1143"),
            ("select id from t where w = 1", "E1143"),
            ("select id from t order by w", "E1143"),
            ("select id from t group by id having max(w) > 1", "E1143"),
            ("select x.id from t x join t y using (id)", "1; 2"),
            ("select x.id from t x join t y using (id, w)", "E1143"),
            ("select x.id from t x natural join t y", "E1143"),
            ("select (select max(w) from t) from t", "E1143"),
            ("select id from t x where exists (select 1 from t y where y.id = x.w)", "E1143"),
            ("select id from t x where exists (select * from t y where y.id = x.id + 1)", "1"),
            ("select 1 where exists (select * from t y where y.w = 1)", "E1143"),
            ("select 1 where exists (select * from t y having w = 1)", "E1142"),
            ("select 1 where exists (select 1 from (select * from t) y)", "E1142"),
            ("select values(w) from t", "E1143"),
            ("select * from (select id, v from t) d", "1|10; 2|20"),
            ("with d as (select w from t) select * from d", "E1143"),
            ("insert into t (id) values (3)", "ok 1"),
            ("insert into t (id, v) values (4, 4)", "E1143 INSERT command denied to user 'u'@'localhost' for column 'v' in table 't'"),
            ("insert into t values (4, 4, 4)", "E1142"),
            ("insert into t (id) values (1) on duplicate key update v = 11", "ok 2"),
            ("insert into t (id) values (1) on duplicate key update w = 11", "E1143"),
            ("insert into t (id) values (1) on duplicate key update v = w", "E1143"),
            ("replace into t (id) values (1)", "E1142"),
            ("insert into t values (default, default, default)", "E1142"),
            ("insert into t () values ()", "E1142"),
            ("insert into t values ()", "E1142"),
            ("update t set v = 12 where id = 1", "ok 1"),
            ("update t set w = 12", "E1143 UPDATE command denied to user 'u'@'localhost' for column 'w' in table 't'"),
            ("update t set v = w", "E1143"),
            ("update t x, t y set x.v = 12 where x.id = y.id and x.id = 1", "ok 0"),
            ("delete from t where id = 3", "E1142"),
            ("describe t", "id|int|NO|PRI|NULL|; v|int|YES||NULL|"),
            ("show tables", "t"),
            ("select index_name, column_name from information_schema.statistics where table_name = 't' order by 1, 2", "pair|id; PRIMARY|id"),
            ("select constraint_name, column_name from information_schema.key_column_usage where table_name = 't' order by 1", "pair|id; PRIMARY|id"),
            ("show index from t where column_name = 'w'", ""),
            ("select column_name, privileges from information_schema.columns where table_name = 't'", "id|select,insert; v|select,update"),
            ("select column_name, privilege_type from information_schema.column_privileges order by 1, 2", "id|INSERT; id|SELECT; v|SELECT; v|UPDATE"),
            ("prepare s from 'select v from t where id = 1'", "ok 0"),
            ("execute s", "12"),
        ])
        .await;
        root.rows("revoke select (v) on a.t from u@localhost").await;
        u.check(&[("execute s", "E1143"), ("select id from t where id = 1", "1")]).await;
        // A view's columns are the view's; what it reads is its definer's or the invoker's to have.
        root.all(&[
            "create sql security invoker view a.i as select id, w from a.t",
            "create view a.d as select id, w from a.t",
            "grant select on a.i to u@localhost",
            "grant select (w) on a.d to u@localhost",
        ])
        .await;
        u.check(&[
            ("select id from i", "E1356"),
            ("select sum(w) from d", "300"),
            (
                "select id from d",
                "E1143 SELECT command denied to user 'u'@'localhost' for column 'id' in table 'd'",
            ),
            ("select * from d", "E1142"),
        ])
        .await;
        // Revoked on the table, a right is gone from its columns.
        root.rows("revoke select on a.t from u@localhost").await;
        u.check(&[("select id from t", "E1142")]).await;
    });
}

/// Each way to a column leads past its right.
#[test]
fn no_way_around_rights_on_columns() {
    with_server(1, |server| async move {
        let mut root = server.client();
        accounts(&mut root).await;
        root.all(&[
            "create database own",
            "grant all on own.* to u@localhost",
            "grant select (id, v), insert (id), update (v) on a.t to u@localhost",
            "create view a.whole as select id, w + 1 as x, w from a.t",
            "create algorithm = temptable view a.kept as select id, w from a.t",
            "create view a.grouped as select v, max(w) as m from a.t group by v",
            "create view a.over_view as select id, x from a.whole",
            "grant select (id) on a.whole to u@localhost",
            "grant select (id), update (id) on a.kept to u@localhost",
            "grant select (v) on a.grouped to u@localhost",
            "grant select (id) on a.over_view to u@localhost",
        ])
        .await;
        let mut u = server.client_in("u", "a");
        u.check(&[
            ("create table own.c as select id, w from t", "E1143"),
            ("create table own.c as select * from t", "E1142"),
            ("create table own.c as select id, v from t", "ok 2"),
            ("insert into own.c select id, w from t", "E1143"),
            ("insert into own.c (id) select id from t where w > 0", "E1143"),
            ("update own.c, t set own.c.v = t.w where own.c.id = t.id", "E1143"),
            ("update own.c, t set own.c.v = t.v where own.c.id = t.id", "ok 0"),
            ("delete own.c from own.c join t on own.c.id = t.w", "E1143"),
            ("delete from own.c where v in (select w from t)", "E1143"),
            ("select id, row_number() over (order by w) from t", "E1143"),
            ("select sum(v) over z from t window z as (partition by w)", "E1143"),
            ("select w as id from t order by id", "E1143"),
            ("select distinct w from t", "E1143"),
            ("select id from t union select w from t", "E1143"),
            ("select 1 from t group by w", "E1143"),
            ("select count(w) from t", "E1143"),
            ("select l.x from t, lateral (select t.w as x) l", "E1143"),
            ("select default(w) from t limit 1", "E1143"),
            ("update t set v = default(w)", "E1143"),
            ("select j.x from t, json_table(t.w, '$' columns (x int path '$')) j", "E1143"),
            ("do (select max(w) from t)", "E1143"),
            ("set @x = (select max(w) from t)", "E1143"),
            ("explain select w from t", "E1143"),
            ("prepare s from 'select w from t'", "E1143"),
            ("select id from t for update", "1; 2"),
            (
                "show create table t",
                "E1142 SHOW command denied to user 'u'@'localhost' for table 't'",
            ),
            ("select id from whole", "1; 2"),
            ("select x from whole", "E1143"),
            ("select * from whole", "E1142"),
            ("select id from kept order by w", "E1143"),
            ("select id from kept", "1; 2"),
            ("select m from grouped", "E1143"),
            ("select v from grouped", "10; 20"),
            ("select x from over_view", "E1143"),
            ("select id from over_view", "1; 2"),
        ])
        .await;
    });
}

/// Nobody hands himself, by another way, a role that he may not grant.
#[test]
fn roles_are_granted_by_those_who_may() {
    with_server(1, |server| async move {
        let mut root = server.client();
        accounts(&mut root).await;
        root.all(&[
            "create role r",
            "grant all on *.* to r",
            "grant create user, system_variables_admin on *.* to u@localhost",
        ])
        .await;
        let mut u = server.client_of("u");
        u.check(&[
            ("create user n@localhost default role r", "E1227"),
            ("create user n@localhost", "ok 0"),
            ("alter user n@localhost default role r", "E3530"),
            ("set default role r to n@localhost", "E3530"),
            ("set global mandatory_roles = 'r'", "E1227"),
            ("set persist mandatory_roles = 'r'", "E1227"),
            ("grant r to u@localhost", "E1227"),
            ("revoke r from u@localhost", "E1227"),
            ("grant root@localhost to u@localhost", "E1227"),
            ("create role mine", "ok 0"),
            ("drop role mine", "ok 0"),
            (
                "show grants for current_user()",
                "GRANT CREATE USER ON *.* TO `u`@`localhost`; GRANT SYSTEM_VARIABLES_ADMIN ON *.* TO `u`@`localhost`",
            ),
        ])
        .await;
        // Sharing out roles is not to be everything; nor is dropping them.
        root.all(&[
            "create user v@localhost",
            "create role small",
            "create role nested",
            "grant root@localhost to nested",
            "grant role_admin, drop role, system_variables_admin on *.* to v@localhost",
        ])
        .await;
        let mut v = server.client_of("v");
        v.check(&[
            ("grant root@localhost to v@localhost", "E1227"),
            ("grant nested to v@localhost", "E1227"),
            ("grant small to v@localhost", "ok 0"),
            ("revoke small from v@localhost", "ok 0"),
            ("drop role root@localhost", "E1227"),
            ("set global mandatory_roles = 'nested'", "E1227"),
            ("drop role small", "ok 0"),
        ])
        .await;
        // Who may make a temporary table may fill it.
        root.all(&[
            "create user w@localhost",
            "grant create temporary tables on a.* to w@localhost",
            "grant select on a.t to w@localhost",
        ])
        .await;
        let mut w = server.client_in("w", "a");
        w.check(&[
            ("create temporary table n select * from t", "ok 2"),
            ("insert into n values (7, 7, 7)", "ok 1"),
            ("select count(*) from n", "3"),
        ])
        .await;
        // What is active shows.
        root.all(&["create role s", "grant select on a.* to s", "grant s to other@localhost"])
            .await;
        let mut other = server.client_of("other");
        other.check(&[
            ("create role mine", "E1227"),
            ("set role s", "ok 0"),
            ("show grants for current_user()", "GRANT USAGE ON *.* TO `other`@`localhost`; GRANT SELECT ON `a`.* TO `other`@`localhost`; GRANT `s`@`%` TO `other`@`localhost`"),
        ])
        .await;
    });
}

/// A column's right may come from one role and another's from the account.
#[test]
fn rights_on_columns_add_up() {
    with_server(1, |server| async move {
        let mut root = server.client();
        accounts(&mut root).await;
        root.all(&[
            "create role r",
            "grant select (id) on a.t to r",
            "grant r to u@localhost",
            "set default role r to u@localhost",
            "grant select (v) on a.t to u@localhost",
            "grant references (id) on a.t to u@localhost",
            "grant create on a.* to u@localhost",
        ])
        .await;
        let mut u = server.client_in("u", "a");
        u.check(&[
            ("select id, v from t where id = 1", "1|10"),
            ("select w from t", "E1143"),
            ("select column_name from information_schema.role_column_grants", "id"),
            ("create table f (id int, foreign key (id) references t (v))", "E1143"),
            ("create table f (id int, foreign key (id) references t (id))", "ok 0"),
        ])
        .await;
    });
}

#[test]
fn rights_on_routines() {
    with_server(1, |server| async move {
        let mut root = server.client();
        accounts(&mut root).await;
        root.all(&[
            "create procedure a.p() select 'p'",
            "create procedure a.q() select 'q'",
            "create function a.f() returns int deterministic return 7",
            "grant create routine on a.* to other@localhost",
        ])
        .await;
        let mut u = server.client_of("u");
        u.check(&[("call a.p()", "E1370"), ("select a.f()", "E1370"), ("use a", "E1044")]).await;
        root.check(&[
            ("grant execute on procedure a.P to u@localhost", "ok 0"),
            ("grant execute on function a.f to u@localhost with grant option", "ok 0"),
            ("grant execute on procedure a.f to u@localhost", "E1305"),
            ("grant select on procedure a.p to u@localhost", "E1144"),
            ("show grants for u@localhost", "GRANT USAGE ON *.* TO `u`@`localhost`; GRANT EXECUTE ON PROCEDURE `a`.`p` TO `u`@`localhost`; GRANT EXECUTE ON FUNCTION `a`.`f` TO `u`@`localhost` WITH GRANT OPTION"),
        ])
        .await;
        u.check(&[
            ("use a", "ok 0"),
            ("call p()", "p"),
            ("call q()", "E1370 execute command denied to user 'u'@'localhost' for routine 'a.q'"),
            ("select f()", "7"),
            ("drop procedure p", "E1370 alter routine command denied to user 'u'@'localhost' for routine 'a.p'"),
            ("select routine_name, routine_definition from information_schema.routines order by 1", "f|NULL; p|NULL"),
            ("grant execute on function f to other@localhost", "ok 0"),
            ("grant execute on procedure p to other@localhost", "E1370"),
        ])
        .await;
        root.check(&[
            ("revoke execute on procedure a.p from u@localhost", "ok 0"),
            ("revoke execute on procedure a.p from u@localhost", "E1403"),
        ])
        .await;
        u.check(&[("call p()", "E1370")]).await;
        // Anyone who makes a routine has it; dropped, nothing of it is left.
        let mut other = server.client_in("other", "a");
        other
            .check(&[
                ("create procedure mine() select 'mine'", "ok 0"),
                ("call mine()", "mine"),
                ("alter procedure mine comment 'm'", "ok 0"),
                ("drop procedure mine", "ok 0"),
                ("show grants", "GRANT USAGE ON *.* TO `other`@`localhost`; GRANT CREATE ROUTINE ON `a`.* TO `other`@`localhost`; GRANT EXECUTE ON FUNCTION `a`.`f` TO `other`@`localhost`"),
            ])
            .await;
        root.rows("set global automatic_sp_privileges = off").await;
        other
            .check(&[("create procedure mine() select 1", "ok 0"), ("call mine()", "E1370")])
            .await;
    });
}

/// Accounts, roles and finer rights over a start.
#[test]
fn rights_outlive_a_stop() {
    check_lives(&[
        &[
            ("create database a", "ok 1"),
            ("create table a.t (id int primary key, v int)", "ok 0"),
            ("create role r", "ok 0"),
            ("create user u@localhost default role r", "ok 0"),
            ("grant select (v) on a.t to r", "ok 0"),
        ],
        &[
            (
                "show grants for r",
                "GRANT USAGE ON *.* TO `r`@`%`; GRANT SELECT (`v`) ON `a`.`t` TO `r`@`%`",
            ),
            (
                "show grants for u@localhost",
                "GRANT USAGE ON *.* TO `u`@`localhost`; GRANT `r`@`%` TO `u`@`localhost`",
            ),
            ("revoke if exists process on b.* from u@localhost", "E1221"),
            ("revoke if exists select on b.* from u@localhost", "ok 0"),
            ("revoke select on b.* from nobody ignore unknown user", "ok 0"),
        ],
    ]);
}
