//! What a MySQL beside it answered otherwise about definitions.
use crate::common::*;

/// Relations of geometries and STRCMP() are truth values, which a CHECK may be alone.
#[test]
fn relations_of_geometries_may_be_checks() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            (
                "create table g (p point, check (st_equals(p, st_geomfromtext('POINT(1 2)'))))",
                "ok 0",
            ),
            ("insert into g values (st_geomfromtext('POINT(1 2)'))", "ok 1"),
            ("insert into g values (st_geomfromtext('POINT(1 3)'))", "E3819"),
            ("create table h (p geometry, check (mbrcontains(p, p)))", "ok 0"),
            ("create table t (a varchar(9) check (strcmp(a, 'x')))", "ok 0"),
            ("insert into t values ('y')", "ok 1"),
            ("insert into t values ('x')", "E3819"),
            ("create table n (p geometry check (st_srid(p)))", "E3812"),
        ])
        .await;
    });
}

/// A column that begins to count: NULL and 0 get numbers behind those before them, as an INSERT would give them.
#[test]
fn a_column_that_begins_to_count_numbers_its_rows() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (a int, b int primary key)",
            "insert into t values (0, 1), (null, 2), (7, 3), (0, 4)",
        ])
        .await;
        c.check(&[
            ("alter table t modify a int not null auto_increment, add key (a), algorithm = inplace", "E1846"),
            ("alter table t modify a int not null auto_increment, add key (a)", "ok 4"),
            ("select a from t order by b", "1; 2; 7; 8"),
            ("insert into t (b) values (5)", "ok 1"),
            ("select a from t where b = 5", "9"),
            // One that counts already keeps its zeros.
            ("set sql_mode = no_auto_value_on_zero", "ok 0"),
            ("update t set a = 0 where b = 1", "ok 1"),
            ("set sql_mode = default", "ok 0"),
            ("alter table t modify a bigint not null auto_increment", "ok 0"),
            ("select a from t where b = 1", "0"),
            ("create table z (a int)", "ok 0"),
            ("insert into z values (0), (0), (null)", "ok 3"),
            ("set sql_mode = no_auto_value_on_zero", "ok 0"),
            (
                "alter table z modify a int auto_increment primary key",
                "E1062 ALTER TABLE causes auto_increment resequencing, resulting in duplicate entry '0' for key 'z.PRIMARY'",
            ),
            ("set sql_mode = default", "ok 0"),
            ("alter table z modify a int auto_increment primary key", "ok 3"),
            ("select a from z", "1; 2; 3"),
            ("create table f (a tinyint)", "ok 0"),
            ("insert into f values (127), (null)", "ok 2"),
            ("alter table f modify a tinyint auto_increment primary key", "E1467"),
        ])
        .await;
    });
}

/// NULL in a column that takes none any more is an error under strict modes, and the type's zero with a warning elsewhere.
#[test]
fn nulls_become_zeros_outside_of_strict_modes() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (i int, s varchar(5), d date)",
            "insert into t values (1, 'a', '2020-01-01'), (null, null, null)",
        ])
        .await;
        c.check(&[
            ("alter table t modify i int not null", "E1138"),
            ("set sql_mode = ''", "ok 0"),
            ("alter table t modify i int not null, modify s char(9) not null, modify d date not null", "ok 2"),
            (
                "show warnings",
                "Warning|1265|Data truncated for column 'i' at row 2; Warning|1265|Data truncated for column 's' at row 2; \
                 Warning|1265|Data truncated for column 'd' at row 2",
            ),
            ("select * from t", "1|a|2020-01-01; 0||0000-00-00"),
        ])
        .await;
    });
}

/// Privileges of MySQL that there are none of here are a warning, so that what its SHOW GRANTS says can be run; other names are refused.
#[test]
fn grants_of_another_server_can_be_run() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create user u"]).await;
        c.check(&[
            ("grant binlog_admin, select, xa_recover_admin, clone_admin, system_user on *.* to u", "ok 0"),
            (
                "show warnings",
                "Warning|3929|Dynamic privilege 'BINLOG_ADMIN' is not registered with the server.; \
                 Warning|3929|Dynamic privilege 'CLONE_ADMIN' is not registered with the server.",
            ),
            (
                "show grants for u",
                "GRANT SELECT ON *.* TO `u`@`%`; GRANT SYSTEM_USER,XA_RECOVER_ADMIN ON *.* TO `u`@`%`",
            ),
            ("grant fly on *.* to u", "E1149"),
            ("grant fly on test.* to u", "E3619 Illegal privilege level specified for FLY"),
            (
                "grant xa_recover_admin on test.* to u",
                "E3619 Illegal privilege level specified for XA_RECOVER_ADMIN",
            ),
            ("revoke fly, select on *.* from u", "ok 0"),
            (
                "show warnings",
                "Warning|3929|Dynamic privilege 'FLY' is not registered with the server.",
            ),
        ])
        .await;
    });
}

/// A subquery of ON DUPLICATE KEY UPDATE is run when a row is in the way; VALUES() in it is of the row that was to be inserted.
#[test]
fn subqueries_for_duplicates_wait_for_one() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (id int primary key, n int)",
            "create table u (b int)",
            "insert into t values (1, 1)",
            "insert into u values (1), (2)",
        ])
        .await;
        c.check(&[
            ("insert into t values (2, 2) on duplicate key update n = (select b from u)", "ok 1"),
            ("insert into t values (2, 2) on duplicate key update n = (select b from u)", "E1242"),
            ("insert into t values (2, 2) on duplicate key update n = (select max(b) from u) + 40", "ok 2"),
            ("insert into t values (1, 3) on duplicate key update n = (select values(n) + b from u order by b desc limit 1)", "ok 2"),
            ("select * from t", "1|5; 2|42"),
            ("insert into t values (1, (select max(b) from u)) on duplicate key update n = (select min(b) from u) * 10", "ok 2"),
            ("select n from t where id = 1", "10"),
            // Its own column does not belong to the row.
            ("insert into t values (1, 3) on duplicate key update n = (select values(b) from u limit 1)", "ok 2"),
            ("select n from t where id = 1", "NULL"),
            ("insert into t values (1, 3) on duplicate key update n = (select values(z) from u)", "E1054"),
        ])
        .await;
    });
}

/// Under LOCK TABLES nothing is defined but the tables that are locked.
#[test]
fn locked_tables_leave_nothing_else_to_define() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (a int)", "lock tables t write"]).await;
        for refused in [
            "create database other",
            "create procedure p() select 1",
            "create function f() returns int return 1",
            "drop procedure if exists p",
            "create event e on schedule every 1 day do select 1",
            "drop event if exists e",
        ] {
            let told = "E1192 Can't execute the given command because you have active locked tables or an active transaction";
            c.check(&[(refused, told)]).await;
        }
        for refused in [
            "create user u",
            "drop user if exists u",
            "grant select on t to root@localhost",
            "create role r",
        ] {
            c.check(&[(refused, "E1100 Table 'user' was not locked with LOCK TABLES")]).await;
        }
        c.check(&[
            ("create trigger g before insert on t for each row set @a = 1", "ok 0"),
            ("create temporary table w (a int)", "ok 0"),
            ("unlock tables", "ok 0"),
            ("create database other", "ok 1"),
        ])
        .await;
    });
}

/// A table in several locking clauses is 3569, and a function is named as the statement has it.
#[test]
fn clauses_and_names_as_they_are_written() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t1 (a int)", "create table t2 (a int)"]).await;
        c.check(&[
            (
                "select * from t1 for update of t1 for share of t1",
                "E3569 Table `t1` appears in multiple locking clauses.",
            ),
            (
                "select * from t1, t2 for update of t1 for share",
                "E3569 Table t1 appears in multiple locking clauses.",
            ),
            ("(select * from t1 for share) for update", "E3569"),
            ("select * from t1, t2 for update of t1 for share of t2", ""),
            (
                "select Abs(1, 2)",
                "E1582 Incorrect parameter count in the call to native function 'Abs'",
            ),
            (
                "select any_value()",
                "E1582 Incorrect parameter count in the call to native function 'any_value'",
            ),
        ])
        .await;
    });
}

/// One COLLATE for a column, one character set for a table or a schema, and integers for LIMIT.
#[test]
fn what_contradicts_itself_is_not_defined() {
    with_server(1, async |s| {
        let mut c = s.client();
        let sets =
            "E1302 Conflicting declarations: 'CHARACTER SET latin1' and 'CHARACTER SET latin2'";
        c.check(&[
            (
                "create table t (x varchar(9) collate ascii_bin not null collate ascii_bin)",
                "E1064 Multiple COLLATE clauses near 'collate ascii_bin)' at line 1",
            ),
            ("create table t (x int) charset latin1 charset latin2", sets),
            ("create table t (x int) collate latin1_bin charset latin2", sets),
            ("create table t (x int) collate latin1_bin collate latin2_bin", "E1253"),
            ("create database d charset latin1 charset latin2", sets),
            ("create database d collate latin1_bin charset latin2", sets),
            ("create database d collate latin1_bin collate latin2_bin", "E1253"),
            ("create database d collate latin1_bin charset latin1", "ok 1"),
            ("select default_collation_name from information_schema.schemata where schema_name = 'd'", "latin1_bin"),
            ("create table t (x int)", "ok 0"),
            ("create procedure p(a date) select * from t limit 1, a", "E1064 The variable \"a\" has a non-integer based type near 'a' at line 1"),
            ("create procedure p(a decimal(5, 0)) delete from t limit a", "E1064"),
            ("create procedure p(a int) select * from t limit b", "E1327 Undeclared variable: b"),
            ("create procedure p(a tinyint unsigned, b bool) select * from t limit a, b", "ok 0"),
        ])
        .await;
    });
}

/// A trigger's definer needs SELECT on the columns of NEW and OLD that it looks at, and UPDATE on those of NEW that it sets, no matter who
/// writes the row: as in MySQL, for each of them. Otherwise TRIGGER alone would show and change what others write.
#[test]
fn triggers_see_and_set_what_their_definers_may() {
    with_server(1, |server| async move {
        let mut root = server.client();
        root.all(&[
            "create database a",
            "create table a.t (f1 varchar(20), f2 varchar(20))",
            "create user u@localhost",
            "grant trigger, create routine, execute on a.* to u@localhost",
            "create procedure a.out_p(out x varchar(20)) set x = 'p'",
            "create procedure a.inout_p(inout x varchar(20)) set x = concat(x, 'p')",
            "create procedure a.in_p(in x varchar(20)) set @x = x",
        ])
        .await;
        let mut u = server.client_in("u", "a");
        // The trigger, the rights that it needs, and those that are not enough.
        let cases: &[(&str, &[&str], &str)] = &[
            ("before insert on t for each row set new.f1 = 'x'", &["update (f1)"], "select"),
            ("before insert on t for each row set @q = new.f2", &["select (f2)"], "update"),
            ("before update on t for each row set @q = old.f2", &["select (f2)"], "update"),
            ("before delete on t for each row set @q = (select old.f1)", &["select"], "update"),
            (
                "before insert on t for each row set new.f1 = concat(new.f2, '!')",
                &["update (f1)", "select (f2)"],
                "select",
            ),
            (
                "before insert on t for each row begin if new.f1 = 'z' then set new.f2 = 'y'; end if; end",
                &["select (f1)", "update (f2)"],
                "update",
            ),
            (
                "before insert on t for each row call out_p(new.f1)",
                &["select (f1)", "update (f1)"],
                "select",
            ),
            (
                "before insert on t for each row call inout_p(new.f1)",
                &["select (f1)", "update (f1)"],
                "select",
            ),
            ("before insert on t for each row call in_p(new.f1)", &["select (f1)"], "update"),
        ];
        let change =
            ["insert into a.t values ('a', 'b')", "update a.t set f1 = 'c'", "delete from a.t"];
        for (trigger, needed, little) in cases {
            u.rows(&format!("create trigger tr {trigger}")).await;
            for given in [None, Some(*little)] {
                if let Some(given) = given {
                    root.rows(&format!("grant {given} on a.t to u@localhost")).await;
                }
                let mut errors = Vec::new();
                for sql in change {
                    errors.push(root.ask(sql).await.errno());
                }
                assert!(errors.contains(&1143), "{trigger} with {given:?}: {errors:?}");
                root.ask("drop trigger a.tr").await;
                root.all(&change[..]).await;
                u.rows(&format!("create trigger tr {trigger}")).await;
                if let Some(given) = given {
                    root.rows(&format!("revoke {given} on a.t from u@localhost")).await;
                }
            }
            for right in *needed {
                root.rows(&format!("grant {right} on a.t to u@localhost")).await;
            }
            root.all(&change[..]).await;
            root.rows("drop trigger a.tr").await;
            root.all(&["revoke select, update on a.t from u@localhost"]).await;
            for right in *needed {
                root.ask(&format!("revoke {right} on a.t from u@localhost")).await;
            }
        }
    });
}

/// What a body may not drop or define is refused when the program is made; a trigger's table is looked for before its schema.
#[test]
fn what_bodies_may_not_define() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create database d", "create table t (a int)", "create table d.t (a int)"]).await;
        let text =
            |kind| format!("E1357 Can't drop or alter a {kind} from within another stored routine");
        let (procedure, function) = (text("PROCEDURE"), text("FUNCTION"));
        c.check(&[
            ("create procedure p() drop procedure p", &procedure),
            ("create procedure p() drop procedure if exists q", &procedure),
            ("create procedure p() alter procedure p comment 'x'", &procedure),
            ("create function f() returns int begin drop function g; return 1; end", &function),
            ("create event e on schedule every 1 day do drop procedure p", &procedure),
            (
                "create procedure p() begin declare x int; create view v as select * from t where a = x; end",
                "E1351 View's SELECT contains a variable or parameter",
            ),
            ("create procedure p() create view v as select @a", "E1351"),
            ("create procedure p() begin drop view if exists v; drop trigger if exists x; end", "ok 0"),
            ("create trigger d.x before insert on t for each row set new.a = 1", "E1435 Trigger in wrong schema"),
            ("create trigger nope.x before insert on t for each row set new.a = 1", "E1435"),
            ("create trigger d.x before insert on test.nope for each row set new.a = 1", "E1146"),
            ("create trigger nope.x before insert on nope.t for each row set new.a = 1", "E1049"),
            ("create trigger d.x before insert on d.t for each row set new.a = 1", "ok 0"),
        ])
        .await;
        c.0.close().await;
    });
}

/// Defaults of bytes are written so that they can be read back; a member of an ENUM loses the spaces at its end as a default as well.
#[test]
fn defaults_of_bytes_and_members() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            ("create table t (a varbinary(6) default x'00ff', b binary(3) default 'ab', c binary(2) default x'fffe', e enum(' ', 'b ') not null default 'b ')", "ok 0"),
            (
                "show create table t",
                "t|CREATE TABLE `t` (\n  `a` varbinary(6) DEFAULT 0x00FF,\n  `b` binary(3) DEFAULT 'ab\\0',\n  `c` binary(2) DEFAULT 0xFFFE,\n  `e` enum('','b') NOT NULL DEFAULT 'b'\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
            ),
            (
                "select column_default from information_schema.columns where table_name = 't' order by ordinal_position",
                "0x; 0x6162; 0xFFFE; b",
            ),
            ("insert into t values ()", "ok 1"),
            ("select hex(a), hex(b), hex(c), e from t", "00FF|616200|FFFE|b"),
            ("create table u (a varbinary(6) default 0x00FF, b varbinary(6) not null default '')", "ok 0"),
            ("select column_default from information_schema.columns where table_name = 'u' order by ordinal_position", "0x; "),
            ("create table p (a int) partition by hash (a) partitions 2", "ok 0"),
            ("select table_name, nodegroup from information_schema.partitions where table_name in ('p', 'u')", "p|default; p|default; u|"),
        ])
        .await;
    });
}

/// COLLATE behind a default is the column's.
#[test]
fn collations_stand_anywhere() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            ("create table t (a enum('Y', 'N') default 'N' collate utf8mb4_bin, b varchar(5) not null default 'x' collate utf8mb4_bin comment 'c', c int default -1)", "ok 0"),
            ("alter table t add d varchar(4) default null collate utf8mb4_bin, modify b varchar(6) default 'q' collate utf8mb4_0900_as_cs", "ok 0"),
            (
                "select column_name, collation_name, column_default from information_schema.columns where table_name = 't' order by ordinal_position",
                "a|utf8mb4_bin|N; b|utf8mb4_0900_as_cs|q; c|NULL|-1; d|utf8mb4_bin|NULL",
            ),
            ("create table u (a varchar(5) default 'x' collate utf8mb4_bin collate utf8mb4_bin)", "E1064"),
        ])
        .await;
    });
}

/// Spaces at the end are none of a member's name, other blanks are; a number stands for a member with blanks before it, not behind it.
#[test]
fn blanks_at_the_end_of_members() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            ("create table t (a enum('x\\t', 'y '), b enum('x', 'y') character set binary, s set('p\\t', 'q'))", "ok 0"),
            ("insert into t (a) values ('x\\t'), ('x\\t  '), ('y  '), (' 2'), ('2  ')", "ok 5"),
            ("insert into t (b) values ('y'), ('\\t2')", "ok 2"),
            ("insert into t (s) values ('p\\t'), ('q  '), ('\\t2')", "ok 3"),
            (
                "select hex(a), hex(b), hex(s) from t",
                "7809|NULL|NULL; 7809|NULL|NULL; 79|NULL|NULL; 79|NULL|NULL; 79|NULL|NULL; NULL|79|NULL; NULL|79|NULL; \
                 NULL|NULL|7009; NULL|NULL|71; NULL|NULL|71",
            ),
            ("select count(*) from t where a = 'x\\t'", "2"),
            ("insert into t (a) values ('x')", "E1265"),
            ("insert into t (a) values ('y\\t')", "E1265"),
            ("insert into t (a) values ('2\\t')", "E1265"),
            ("insert into t (b) values ('y ')", "E1265"),
            ("insert into t (b) values ('2 ')", "E1265"),
            ("insert into t (s) values ('p')", "E1265"),
            ("insert into t (s) values ('2 ')", "E1265"),
            ("insert into t (s) values ('2\\t')", "E1265"),
        ])
        .await;
    });
}

/// ALTER CONSTRAINT may name a constraint of any kind, and changes checks alone.
#[test]
fn constraints_that_are_enforced_or_not() {
    check(&[
        ("create table p (a int primary key)", "ok 0"),
        (
            "create table t (a int primary key, b int, constraint u unique (b), constraint c check (b > 0), \
             constraint f foreign key (a) references p (a), constraint u check (a > 0))",
            "ok 0",
        ),
        (
            "alter table t alter constraint nothing enforced",
            "E3940 Constraint 'nothing' does not exist.",
        ),
        (
            "alter table t alter constraint u not enforced",
            "E3939 Table has multiple constraints with the name 'u'. Please use constraint specific 'ALTER' clause.",
        ),
        (
            "alter table t alter constraint f not enforced",
            "E3941 Altering constraint enforcement is not supported for the constraint 'f'. Enforcement state alter is not \
             supported for the PRIMARY, UNIQUE and FOREIGN KEY type constraints.",
        ),
        ("alter table t alter constraint `primary` not enforced", "E3941"),
        ("alter table t alter constraint c not enforced", "ok 0"),
        ("alter table t alter check u not enforced", "ok 0"),
        ("alter table t alter check f not enforced", "E3821"),
        ("alter table t add constraint n check (b < 9), algorithm = inplace", "E1845"),
        ("alter table t alter check c enforced, algorithm = inplace", "E1845"),
    ]);
}

#[test]
fn clauses_about_partitions() {
    check(&[
        ("create table n (a int)", "ok 0"),
        (
            "alter table n analyze partition p",
            "test.n|analyze|Error|Partition management on a not partitioned table is not possible; \
             test.n|analyze|status|Operation failed",
        ),
        (
            "alter table n repair partition all",
            "test.n|repair|Error|Partition management on a not partitioned table is not possible; \
             test.n|repair|status|Operation failed",
        ),
        ("alter table n truncate partition p", "E1505"),
        (
            "create table t (a int) partition by list (a) (partition p values in (1), partition q values in (2))",
            "ok 0",
        ),
        ("insert into t values (1), (2)", "ok 2"),
        ("alter table t truncate partition p, p", "ok 0"),
        ("select a from t", "2"),
        ("alter table t truncate partition q, x", "E1735 Unknown partition 'x' in table 't'"),
        ("alter table t drop partition x", "E1507"),
        ("alter table t truncate partition all", "ok 0"),
        ("select a from t", ""),
    ]);
}

#[test]
fn names_within_one_statement() {
    check(&[
        ("create table a (i int, key k (i), key l (i))", "ok 0"),
        ("alter table a rename index k to m, alter index k invisible", "E1176"),
        ("alter table a rename index k to m, alter index m invisible", "E1176"),
        ("alter table a rename index k to m, alter index l invisible", "ok 0"),
        ("create table b (j int)", "ok 0"),
        ("lock tables a write, b write", "ok 0"),
        // A name that the statement has given before is that of a locked table.
        ("rename table a to c, c to d, b to a", "ok 0"),
        ("select * from d", ""),
        ("rename table c to e", "E1100"),
        ("unlock tables", "ok 0"),
        ("show tables", "a; d"),
        ("prepare p from 'create view v as select ?'", "E1351"),
        ("prepare p from 'create view v as select 1 into @a'", "E1350"),
    ]);
}
