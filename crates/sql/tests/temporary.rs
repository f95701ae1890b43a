//! Temporary tables, and tables that are made of a query.
use crate::common::*;

fn check(cases: &[(&str, &str)]) {
    check_lives(&[cases]);
}

#[test]
fn a_table_of_the_session() {
    check(&[
        ("create table t (a int)", "ok 0"),
        ("insert into t values (1)", "ok 1"),
        (
            "create temporary table t (id int auto_increment primary key, v varchar(9) not null default 'x', key (v))",
            "ok 0",
        ),
        ("create temporary table t (a int)", "E1050 Table 't' already exists"),
        ("create temporary table if not exists t (a int)", "ok 0"),
        ("insert into t (v) values ('a'), ('b')", "ok 2"),
        ("select * from t", "1|a; 2|b"),
        ("insert into t values (1, 'z')", "E1062 Duplicate entry '1' for key 't.PRIMARY'"),
        ("select t.v, test.t.id from test.t where v = 'b'", "b|2"),
        ("update t set v = 'c' where id = 2", "ok 1"),
        ("delete from t where id = 1", "ok 1"),
        ("select default(v), v from t", "x|c"),
        (
            "show create table t",
            "t|CREATE TEMPORARY TABLE `t` (\n  `id` int NOT NULL AUTO_INCREMENT,\n  `v` varchar(9) NOT NULL DEFAULT 'x',\n  \
             PRIMARY KEY (`id`),\n  KEY `v` (`v`)\n) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
        ),
        ("show columns from t like 'v'", "v|varchar(9)|NO|MUL|x|"),
        ("show tables", "t"),
        (
            "select table_schema, table_name from information_schema.tables where table_schema not in ('information_schema', 'performance_schema', 'mysql')",
            "test|t",
        ),
        ("select count(*) from information_schema.columns where table_name = 't'", "1"),
        ("alter table t add column n int default 7, rename column v to w", "ok 0"),
        ("select * from t", "2|c|7"),
        ("create index n on t (n)", "ok 0"),
        ("alter table t rename to u", "ok 0"),
        ("select * from u", "2|c|7"),
        ("select * from t", "1"),
        ("truncate u", "ok 0"),
        ("select * from u", ""),
        ("check table u", "test.u|check|status|OK"),
        ("create temporary table l like u", "ok 0"),
        ("create table p like u", "ok 0"),
        ("insert into l (w) values ('q')", "ok 1"),
        ("drop temporary table t", "E1051 Unknown table 'test.t'"),
        ("drop temporary table if exists t, u", "ok 0"),
        ("select * from u", "E1146 Table 'test.u' doesn't exist"),
        ("create temporary table t (b int)", "ok 0"),
        ("drop table t", "ok 0"),
        ("select * from t", "1"),
        ("drop table t", "ok 0"),
        ("drop table t", "E1051"),
        ("select w from l", "q"),
        ("show tables", "p"),
    ]);
}

#[test]
fn nobody_names_the_hidden_schema() {
    check(&[
        ("create temporary table t (a int)", "ok 0"),
        ("show databases like '#%'", ""),
        ("select count(*) from information_schema.schemata where schema_name like '#%'", "0"),
        ("use `#temporary`", "E1049"),
        ("show tables from `#temporary`", "E1049"),
        ("create table `#temporary`.x (a int)", "E1049"),
        ("create database `#temporary`", "E1044"),
        ("drop database `#temporary`", "E1044"),
        ("drop database if exists `#temporary`", "E1044"),
        ("alter database `#temporary` collate utf8mb4_bin", "E1044"),
        ("select * from `#temporary`.`1:4:testt`", "E1049"),
        ("create view v as select * from t", "E1352 View's SELECT refers to a temporary table 't'"),
        ("create temporary table c (a int, foreign key (a) references t (a))", "E1215"),
    ]);
}

#[test]
fn in_a_transaction() {
    check(&[
        ("create table p (a int)", "ok 0"),
        ("begin", "ok 0"),
        ("insert into p values (1)", "ok 1"),
        ("select * from p", "1"),
        // Nothing of it commits, and a snapshot that is older sees the rows.
        ("create temporary table t (a int primary key)", "ok 0"),
        ("insert into t values (1), (2)", "ok 2"),
        ("create temporary table s as select a + 10 as b from t", "ok 2"),
        ("select * from t", "1; 2"),
        ("select * from s", "11; 12"),
        ("savepoint one", "ok 0"),
        ("delete from t", "ok 2"),
        ("rollback to one", "ok 0"),
        ("drop temporary table s", "ok 0"),
        ("select * from s", "E1146"),
        ("create temporary table s (c int)", "ok 0"),
        ("select * from t", "1; 2"),
        ("rollback", "ok 0"),
        ("select * from t", ""),
        ("select * from s", ""),
        ("select * from p", ""),
        ("begin", "ok 0"),
        ("insert into p values (2)", "ok 1"),
        // Of other statements on it that is not said.
        ("alter table t add column b int", "ok 0"),
        ("rollback", "ok 0"),
        ("select * from p", "2"),
    ]);
}

#[test]
fn it_ends_with_the_session() {
    with_server(1, |server| async move {
        let hidden = || server.inst.db.tables("#temporary").len();
        let (mut a, mut b) = (server.client(), server.client());
        a.check(&[
            ("create temporary table t (a int)", "ok 0"),
            ("insert into t values (1)", "ok 1"),
        ])
        .await;
        b.check(&[
            ("select * from t", "E1146"),
            ("create temporary table t (b int, c int)", "ok 0"),
        ])
        .await;
        b.check(&[("insert into t values (1, 2)", "ok 1"), ("select * from t", "1|2")]).await;
        a.check(&[("select * from t", "1")]).await;
        assert_eq!(hidden(), 2);
        a.check(&[("begin", "ok 0"), ("insert into t values (2)", "ok 1")]).await;
        a.0.reset().await.unwrap();
        assert_eq!(hidden(), 1);
        a.check(&[("select * from t", "E1146"), ("create temporary table x (a int)", "ok 0")])
            .await;
        a.check(&[
            ("begin", "ok 0"),
            ("insert into x values (2)", "ok 1"),
            ("drop temporary table x", "ok 0"),
        ])
        .await;
        assert_eq!(hidden(), 2);
        a.check(&[("commit", "ok 0")]).await;
        assert_eq!(hidden(), 1);
        b.0.close().await;
        assert_eq!(hidden(), 0);
        // A session that vanishes leaves it to the next start.
        let mut c = server.client();
        c.check(&[("create temporary table t (a int)", "ok 0")]).await;
        drop(c);
        assert_eq!(hidden(), 1);
        let again = server.again().await;
        assert!(again.inst.db.schema("#temporary").is_none());
        a.0.close().await;
    });
}

#[test]
fn rights_of_temporary_tables() {
    with_server(1, |server| async move {
        let mut root = server.client();
        root.all(&[
            "create database a",
            "create table a.secret (x int)",
            "insert into a.secret values (42)",
            "create user u@localhost",
            "grant create temporary tables on a.* to u@localhost",
            "grant all on test.* to u@localhost",
            "create user v@localhost",
        ])
        .await;
        let mut u = server.client_of("u");
        u.check(&[
            ("create temporary table a.secret (y int)", "ok 0"),
            ("insert into a.secret values (1)", "ok 1"),
            ("update a.secret set y = 2", "ok 1"),
            ("select * from a.secret", "2"),
            ("alter table a.secret add column z int", "ok 0"),
            ("show index from a.secret", ""),
            ("describe a.secret", "y|int|YES||NULL|; z|int|YES||NULL|"),
            // Its name is no way to the table that it hides.
            ("rename table a.secret to test.mine", "E1142"),
            ("create table a.secret (x int)", "E1142"),
            ("alter table a.secret rename to a.other", "E1142"),
            ("create table test.x (x int)", "ok 0"),
            ("alter table test.x rename to a.secret", "E1142"),
            ("create view test.w as select * from a.secret", "E1142"),
            ("lock tables a.secret read", "E1044"),
            ("drop table a.secret", "ok 0"),
            ("select * from a.secret", "E1142"),
            ("drop table a.secret", "E1142"),
        ])
        .await;
        let mut v = server.client_of("v");
        v.check(&[("create temporary table a.n (x int)", "E1044")]).await;
        for c in [root, u, v] {
            c.0.close().await;
        }
        drop(server);
    });
}

#[test]
fn columns_of_a_query() {
    check(&[
        (
            "create table s (id int not null auto_increment primary key, v varchar(9) not null default 'x' comment 'c', e enum('a','b'), \
             d decimal(9,2), ts timestamp(3) not null default current_timestamp(3), bl blob, j int unsigned default 7, g int as (j * 2), key (v))",
            "ok 0",
        ),
        ("insert into s (v) values ('one'), ('two')", "ok 2"),
        ("create table a select * from s", "ok 2"),
        (
            "show create table a",
            "a|CREATE TABLE `a` (\n  `id` int NOT NULL DEFAULT '0',\n  `v` varchar(9) NOT NULL DEFAULT 'x' COMMENT 'c',\n  \
             `e` enum('a','b') DEFAULT NULL,\n  `d` decimal(9,2) DEFAULT NULL,\n  \
             `ts` timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),\n  `bl` blob,\n  `j` int unsigned DEFAULT '7',\n  `g` int DEFAULT NULL\n\
             ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
        ),
        ("select id, v, j, g from a", "1|one|7|14; 2|two|7|14"),
        (
            "create table b as select 1 as a, 'abc' as b, null as c, concat(v, 'q') as f, count(*) as h, sum(d) as s, max(v) as m, \
             date'2020-01-01' as dt, repeat('a', 70000) as r, 1.5 as n, 1e3 as x from s group by v",
            "ok 2",
        ),
        (
            "show columns from b",
            "a|int|NO||0|; b|varchar(3)|NO|||; c|binary(0)|YES||NULL|; f|varchar(10)|YES||NULL|; h|bigint|NO||0|; s|decimal(31,2)|YES||NULL|; \
             m|varchar(9)|YES||NULL|; dt|date|NO||NULL|; r|longtext|YES||NULL|; n|decimal(2,1)|NO||0.0|; x|double|NO||0|",
        ),
        (
            "select a, b, c, f, h, s, m, dt, length(r), n, x from b",
            "1|abc|NULL|oneq|1|NULL|one|2020-01-01|70000|1.5|1000; 1|abc|NULL|twoq|1|NULL|two|2020-01-01|70000|1.5|1000",
        ),
    ]);
}

#[test]
fn definitions_beside_a_query() {
    check(&[
        ("create table s (a int, b varchar(5))", "ok 0"),
        ("insert into s values (1, 'x'), (2, 'y'), (2, 'z')", "ok 3"),
        // What is defined alone comes first, what the query has, too, stands where the query has it.
        (
            "create table c (id int auto_increment primary key, b char(3) not null default 'q', n int default 5, key (a)) \
             engine=InnoDB comment='k' select a, b from s",
            "ok 3",
        ),
        (
            "show create table c",
            "c|CREATE TABLE `c` (\n  `id` int NOT NULL AUTO_INCREMENT,\n  `n` int DEFAULT '5',\n  `a` int DEFAULT NULL,\n  \
             `b` char(3) NOT NULL DEFAULT 'q',\n  PRIMARY KEY (`id`),\n  KEY `a` (`a`)\n\
             ) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci COMMENT='k'",
        ),
        ("select * from c", "1|5|1|x; 2|5|2|y; 3|5|2|z"),
        (
            "create table d (unique key (a)) select a, b from s",
            "E1062 Duplicate entry '2' for key 'd.a'",
        ),
        ("show tables like 'd'", ""),
        ("create table d (unique key (a)) ignore select a, b from s", "ok 2"),
        ("select * from d", "1|x; 2|y"),
        ("create table r (unique key (a)) replace as (select a, b from s)", "ok 4"),
        ("select * from r", "1|x; 2|z"),
        ("create table d select 1", "E1050 Table 'd' already exists"),
        ("create table if not exists d select 99 as a, 'w' as b", "ok 0"),
        ("show warnings", "Note|1050|Table 'd' already exists"),
        ("create table x select 1 as a, 2 as a", "E1060"),
        ("create table x select * from nix", "E1146"),
        ("create table x select * from x", "E1146"),
        ("create table x (c tinyint) select 1000 as c", "E1264"),
        ("create table x (a int, foreign key (a) references s (a)) select 1 as a", "E3978"),
        ("show tables like 'x'", ""),
        ("create table x with w as (select 3 as q) select q from w", "ok 1"),
        ("create table y table x", "ok 1"),
        ("create table z values row(1, 'a'), row(2, 'b')", "ok 2"),
        ("show columns from z", "column_0|int|NO||0|; column_1|varchar(1)|NO|||"),
        ("create temporary table s select a from s where a = 2", "ok 2"),
        ("select * from s", "2; 2"),
        ("create table from_own select * from s", "ok 2"),
        ("set @v = 7", "ok 0"),
        ("create table cond select true as t, 1 = 1 as e, a is null as n from s", "ok 2"),
        ("show columns from cond", "t|int|NO||0|; e|int|NO||0|; n|int|NO||0|"),
        ("prepare p from 'create table w select @v as v, ? as w'", "ok 0"),
        ("execute p using @v", "ok 1"),
        ("select * from w", "7|7"),
        ("execute p using @v", "E1050"),
        ("set autocommit = 0", "ok 0"),
        ("create table auto select 1 as a", "ok 1"),
        ("rollback", "ok 0"),
        ("select * from auto", "1"),
    ]);
}

/// The transaction that has rows in it is rolled back behind the start, which neither waits for that nor fails.
#[test]
fn a_crash_cuts_off_a_transaction_on_one() {
    let many = "insert into m with recursive n (i) as (select 1 union all select i + 1 from n where i < 900) select i, repeat('x', 900) from n";
    check_over_a_crash(
        &[
            ("use test", "ok 0"),
            ("create table kept (id int primary key)", "ok 0"),
            ("create temporary table m (id int primary key, v varchar(1000))", "ok 0"),
            ("begin", "ok 0"),
            (many, "ok 900"),
        ],
        "insert into test.kept values (1)",
        &[
            ("use test", "ok 0"),
            ("select * from kept", "1"),
            ("select * from m", "E1146"),
            ("create temporary table m (id int primary key)", "ok 0"),
            ("insert into m values (7)", "ok 1"),
            ("select * from m", "7"),
        ],
    );
}
