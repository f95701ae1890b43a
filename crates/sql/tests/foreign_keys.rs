//! Foreign keys: what definitions say, what rows may be written, what cascades do, and which statements a parent withstands.
use crate::common::*;

const NO_PARENT: &str = "E1452 Cannot add or update a child row: a foreign key constraint fails \
    (`test`.`c`, CONSTRAINT `c_ibfk_1` FOREIGN KEY (`p`) REFERENCES `p` (`id`))";
const HAS_CHILD: &str = "E1451 Cannot delete or update a parent row: a foreign key constraint fails \
    (`test`.`c`, CONSTRAINT `c_ibfk_1` FOREIGN KEY (`p`) REFERENCES `p` (`id`))";

#[test]
fn a_child_has_a_parent() {
    check(&[
        ("create table p (id int primary key, v int)", "ok 0"),
        ("create table c (id int primary key, p int, foreign key (p) references p (id))", "ok 0"),
        (
            "show create table c",
            "c|CREATE TABLE `c` (\n  `id` int NOT NULL,\n  `p` int DEFAULT NULL,\n  PRIMARY KEY (`id`),\n  KEY `p` (`p`),\n  \
             CONSTRAINT `c_ibfk_1` FOREIGN KEY (`p`) REFERENCES `p` (`id`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 \
             COLLATE=utf8mb4_0900_ai_ci",
        ),
        ("insert into c values (1, 1)", NO_PARENT),
        ("insert into p values (1, 10), (2, 20)", "ok 2"),
        ("insert into c values (1, 1), (2, null)", "ok 2"),
        ("insert into c values (3, 1), (4, 3)", NO_PARENT),
        ("select * from c order by id", "1|1; 2|NULL"),
        ("update c set p = 2 where id = 2", "ok 1"),
        ("update c set p = 3 where id = 2", NO_PARENT),
        ("update p set v = 11 where id = 1", "ok 1"),
        ("update p set id = 5 where id = 1", HAS_CHILD),
        ("delete from p where id = 1", HAS_CHILD),
        ("replace into p values (1, 12)", HAS_CHILD),
        ("insert into p values (1, 0) on duplicate key update v = 13", "ok 2"),
        ("insert into c values (1, 9) on duplicate key update p = 2", "ok 2"),
        ("delete from p where id = 1", "ok 1"),
        ("insert ignore into c values (7, 7), (8, 2)", "ok 1"),
        ("show warnings", &format!("Warning|1452|{}", &NO_PARENT[6..])),
        ("delete ignore from p", "ok 0"),
        ("set foreign_key_checks = 0", "ok 0"),
        ("insert into c values (9, 9)", "ok 1"),
        ("set foreign_key_checks = 1", "ok 0"),
        ("select * from c", "1|2; 2|2; 8|2; 9|9"),
    ]);
}

#[test]
fn what_a_definition_may_say() {
    const PARENT: &str = "create table p (id int primary key, a int, b varchar(9), u int unsigned, key ab (a, b), key pre (b(3)))";
    check(&[
        (PARENT, "ok 0"),
        (
            "create table c (x int, foreign key (x) references q (id))",
            "E1824 Failed to open the referenced table 'q'",
        ),
        (
            "create table c (x int, foreign key (x) references p (nix))",
            "E3734 Failed to add the foreign key constraint. Missing column 'nix' for constraint 'c_ibfk_1' in the referenced table 'p'",
        ),
        (
            "create table c (x int, foreign key (x) references p (u))",
            "E3780 Referencing column 'x' and referenced column 'u' in foreign key constraint 'c_ibfk_1' are incompatible.",
        ),
        (
            "create table c (x bigint, constraint k foreign key (x) references p (id))",
            "E3780 Referencing column 'x' and referenced column 'id' in foreign key constraint 'k' are incompatible.",
        ),
        (
            "create table c (x int unsigned, foreign key (x) references p (u))",
            "E1822 Failed to add the foreign key constraint. Missing index for constraint 'c_ibfk_1' in the referenced table 'p'",
        ),
        (
            "create table c (x varchar(20), foreign key (x) references p (b))",
            "E1822 Failed to add the foreign key constraint. Missing index for constraint 'c_ibfk_1' in the referenced table 'p'",
        ),
        (
            "create table c (x int, foreign key (nix) references p (id))",
            "E1072 Key column 'nix' doesn't exist in table",
        ),
        (
            "create table c (x int, foreign key (x) references p (a, b))",
            "E1239 Incorrect foreign key definition for 'foreign key without name': Key reference and table reference don't match",
        ),
        (
            "create table c (x int not null, foreign key (x) references p (id) on delete set null)",
            "E1830 Column 'x' cannot be NOT NULL: needed in a foreign key constraint 'c_ibfk_1' SET NULL",
        ),
        (
            "create table c (x int, foreign key (x) references p (id) on delete set default)",
            "E1215 Cannot add foreign key constraint",
        ),
        (
            "create table c (x int, constraint k foreign key (x) references p (id), constraint K foreign key (x) references p (a))",
            "E1826 Duplicate foreign key constraint name 'K'",
        ),
        (
            "create table c (x int, y int generated always as (x) virtual, foreign key (y) references p (id))",
            "E3733 Foreign key 'c_ibfk_1' uses virtual column 'y' which is not supported.",
        ),
        (
            "create table c (x int, foreign key (x) references p (id) on update cascade, check (x > 0))",
            "E3823 Column 'x' cannot be used in a check constraint 'c_chk_1': needed in a foreign key constraint 'c_ibfk_1' referential action.",
        ),
        // Lengths of texts may differ, and an index may go on behind the columns.
        (
            "create table c (id int primary key, x int, y varchar(30), z int, \
             constraint named foreign key (z) references p (id) on delete cascade on update set null, \
             foreign key nick (x, y) references p (a, b) on delete restrict on update no action)",
            "ok 0",
        ),
        (
            "show create table c",
            "c|CREATE TABLE `c` (\n  `id` int NOT NULL,\n  `x` int DEFAULT NULL,\n  `y` varchar(30) DEFAULT NULL,\n  \
             `z` int DEFAULT NULL,\n  PRIMARY KEY (`id`),\n  KEY `named` (`z`),\n  KEY `nick` (`x`,`y`),\n  \
             CONSTRAINT `c_ibfk_1` FOREIGN KEY (`x`, `y`) REFERENCES `p` (`a`, `b`) ON DELETE RESTRICT,\n  \
             CONSTRAINT `named` FOREIGN KEY (`z`) REFERENCES `p` (`id`) ON DELETE CASCADE ON UPDATE SET NULL\n\
             ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
        ),
        (
            "create table d (x int, constraint named foreign key (x) references p (id))",
            "E1826 Duplicate foreign key constraint name 'named'",
        ),
        (
            "select constraint_name, column_name, ordinal_position, position_in_unique_constraint, referenced_table_name, \
             referenced_column_name from information_schema.key_column_usage where table_name = 'c' order by 1, 3",
            "c_ibfk_1|x|1|1|p|a; c_ibfk_1|y|2|2|p|b; named|z|1|1|p|id; PRIMARY|id|1|NULL|NULL|NULL",
        ),
        (
            "select constraint_name, unique_constraint_name, match_option, update_rule, delete_rule, table_name, \
             referenced_table_name from information_schema.referential_constraints order by 1",
            "c_ibfk_1|NULL|NONE|NO ACTION|RESTRICT|c|p; named|PRIMARY|NONE|SET NULL|CASCADE|c|p",
        ),
        (
            "select constraint_name, constraint_type, enforced from information_schema.table_constraints where table_name = 'c' order by 1",
            "c_ibfk_1|FOREIGN KEY|YES; named|FOREIGN KEY|YES; PRIMARY|PRIMARY KEY|YES",
        ),
        ("create table l like c", "ok 0"),
        (
            "select count(*) from information_schema.referential_constraints where table_name = 'l'",
            "0",
        ),
        // In the definition of a column MySQL reads it and forgets it; here at least a warning says so.
        ("create table w (x int references p (id))", "ok 0"),
        (
            "show warnings",
            "Warning|1235|REFERENCES in a column's definition has no effect; write FOREIGN KEY",
        ),
    ]);
}

#[test]
fn cascades() {
    check(&[
        ("create table p (id int primary key)", "ok 0"),
        (
            "create table c (id int primary key, p int, d int as (p * 2) virtual, key (d), \
             foreign key (p) references p (id) on delete cascade on update cascade)",
            "ok 0",
        ),
        (
            "create table g (id int primary key, c int, foreign key (c) references c (id) on delete set null)",
            "ok 0",
        ),
        ("insert into p values (1), (2), (3)", "ok 3"),
        ("insert into c (id, p) values (10, 1), (11, 1), (20, 2), (30, null)", "ok 4"),
        ("insert into g values (100, 10), (110, 11), (200, 20)", "ok 3"),
        ("update p set id = 7 where id = 1", "ok 1"),
        ("select id, p, d from c", "10|7|14; 11|7|14; 20|2|4; 30|NULL|NULL"),
        ("select id from c where d = 14", "10; 11"),
        ("delete from p where id = 7", "ok 1"),
        ("select id from c order by id", "20; 30"),
        ("select * from g", "100|NULL; 110|NULL; 200|20"),
        ("start transaction", "ok 0"),
        ("delete from p", "ok 2"),
        ("select count(*) from c", "1"),
        ("rollback", "ok 0"),
        ("select id, p from c order by id", "20|2; 30|NULL"),
        ("select * from g", "100|NULL; 110|NULL; 200|20"),
        // With the checks off nothing follows.
        ("set foreign_key_checks = 0", "ok 0"),
        ("delete from p where id = 2", "ok 1"),
        ("select id, p from c order by id", "20|2; 30|NULL"),
    ]);
}

#[test]
fn a_child_in_the_way_stops_a_cascade() {
    check(&[
        ("create table p (id int primary key)", "ok 0"),
        (
            "create table c (id int primary key, foreign key (id) references p (id) on delete cascade on update cascade)",
            "ok 0",
        ),
        ("create table g (c int, foreign key (c) references c (id))", "ok 0"),
        ("insert into p values (1), (2)", "ok 2"),
        ("insert into c values (1), (2)", "ok 2"),
        ("insert into g values (2)", "ok 1"),
        (
            "delete from p",
            "E1451 Cannot delete or update a parent row: a foreign key constraint fails \
             (`test`.`g`, CONSTRAINT `g_ibfk_1` FOREIGN KEY (`c`) REFERENCES `c` (`id`))",
        ),
        ("select * from p", "1; 2"),
        ("select * from c", "1; 2"),
        ("delete ignore from p", "ok 1"),
        ("select * from p", "2"),
        ("select * from c", "2"),
    ]);
}

#[test]
fn rows_of_the_same_table() {
    const CONSTRAINT: &str =
        "(`test`.`t`, CONSTRAINT `t_ibfk_1` FOREIGN KEY (`p`) REFERENCES `t` (`id`))";
    let refused = format!(
        "E1451 Cannot delete or update a parent row: a foreign key constraint fails {CONSTRAINT}"
    );
    let missing = format!(
        "E1452 Cannot add or update a child row: a foreign key constraint fails {CONSTRAINT}"
    );
    check(&[
        ("create table t (id int primary key, p int, foreign key (p) references t (id))", "ok 0"),
        ("insert into t values (1, 1)", "ok 1"),
        ("insert into t values (2, 1), (3, 2)", "ok 2"),
        ("insert into t values (4, 5), (5, 4)", missing.as_str()),
        ("delete from t where id = 2", refused.as_str()),
        ("delete from t where id = 3", "ok 1"),
        // As InnoDB: a row that references itself stays.
        ("delete from t where id in (1, 2)", refused.as_str()),
        ("delete from t where id = 2", "ok 1"),
        ("delete from t where id = 1", refused.as_str()),
        ("update t set p = null", "ok 1"),
        ("delete from t", "ok 1"),
        ("alter table t drop foreign key t_ibfk_1", "ok 0"),
        (
            "alter table t add foreign key (p) references t (id) on delete cascade on update cascade",
            "ok 0",
        ),
        ("insert into t values (1, 1), (2, 1), (3, 2)", "ok 3"),
        // An update that comes back to its own table is refused; a delete goes round.
        (
            "update t set id = 9 where id = 1",
            "E1451 Cannot delete or update a parent row: a foreign key constraint fails (`test`.`t`, CONSTRAINT `t_ibfk_1` \
             FOREIGN KEY (`p`) REFERENCES `t` (`id`) ON DELETE CASCADE ON UPDATE CASCADE)",
        ),
        ("delete from t where id = 1", "ok 1"),
        ("select count(*) from t", "0"),
    ]);
}

#[test]
fn cascades_have_an_end() {
    let chain = |n: u32| {
        format!(
            "create table t{n} (id int primary key, foreign key (id) references t{} (id) on delete cascade)",
            n - 1
        )
    };
    let chains: Vec<String> = (1..=16).map(chain).collect();
    let rows: Vec<String> = (0..=16).map(|n| format!("insert into t{n} values (1), (2)")).collect();
    let mut cases: Vec<(&str, &str)> = vec![("create table t0 (id int primary key)", "ok 0")];
    cases.extend(chains.iter().map(|s| (s.as_str(), "ok 0")));
    cases.extend(rows.iter().map(|s| (s.as_str(), "ok 2")));
    cases.extend([
        (
            "delete from t0 where id = 1",
            "E3008 Foreign key cascade delete/update exceeds max depth of 15.",
        ),
        ("select count(*) from t0", "2"),
        ("delete from t16", "ok 2"),
        ("delete from t0 where id = 1", "E3008"),
        ("delete from t15", "ok 2"),
        ("delete from t0 where id = 1", "ok 1"),
        ("select * from t14", "2"),
    ]);
    check(&cases);
}

#[test]
fn a_part_that_is_null_references_nothing() {
    const FAILS: &str = "E1452 Cannot add or update a child row: a foreign key constraint fails (`test`.`c`, CONSTRAINT `c_ibfk_1` \
        FOREIGN KEY (`a`, `b`) REFERENCES `p` (`a`, `b`) ON UPDATE CASCADE)";
    check(&[
        (
            "create table p (a int, b varchar(5) collate utf8mb4_general_ci, v int, unique key (a, b))",
            "ok 0",
        ),
        (
            "create table c (a int, b varchar(5) collate utf8mb4_general_ci, foreign key (a, b) references p (a, b) on update cascade)",
            "ok 0",
        ),
        ("insert into p values (1, 'x', 0), (1, null, 0), (2, 'y', 0)", "ok 3"),
        ("insert into c values (1, 'X '), (9, null), (null, 'q'), (null, null)", "ok 4"),
        ("insert into c values (1, 'y')", FAILS),
        ("update p set b = 'z' where a = 1 and b = 'x'", "ok 1"),
        ("select a, b from c order by a, b", "NULL|NULL; NULL|q; 1|z; 9|NULL"),
        ("update p set a = null where b = 'z'", "ok 1"),
        ("select a, b from c order by a, b", "NULL|NULL; NULL|q; NULL|z; 9|NULL"),
    ]);
}

#[test]
fn statements_that_a_parent_withstands() {
    check(&[
        ("create table p (id int primary key, k int, unique key k (k))", "ok 0"),
        ("create table c (id int primary key, k int, foreign key (k) references p (k))", "ok 0"),
        (
            "drop table p",
            "E3730 Cannot drop table 'p' referenced by a foreign key constraint 'c_ibfk_1' on table 'c'.",
        ),
        (
            "truncate p",
            "E1701 Cannot truncate a table referenced in a foreign key constraint (`test`.`c`, CONSTRAINT `c_ibfk_1`)",
        ),
        ("create database other", "ok 1"),
        ("create table other.c (id int, foreign key (id) references test.p (id))", "ok 0"),
        (
            "show create table other.c",
            "c|CREATE TABLE `c` (\n  `id` int DEFAULT NULL,\n  KEY `id` (`id`),\n  CONSTRAINT `c_ibfk_1` FOREIGN KEY (`id`) \
             REFERENCES `test`.`p` (`id`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
        ),
        (
            "drop database test",
            "E3730 Cannot drop table 'p' referenced by a foreign key constraint 'c_ibfk_1' on table 'c'.",
        ),
        ("drop database other", "ok 1"),
        (
            "alter table p drop key k",
            "E1553 Cannot drop index 'k': needed in a foreign key constraint",
        ),
        (
            "alter table c drop key k",
            "E1553 Cannot drop index 'k': needed in a foreign key constraint",
        ),
        (
            "alter table p drop column k",
            "E1829 Cannot drop column 'k': needed in a foreign key constraint 'c_ibfk_1' of table 'c'",
        ),
        (
            "alter table c drop column k",
            "E1828 Cannot drop column 'k': needed in a foreign key constraint 'c_ibfk_1'",
        ),
        (
            "alter table p modify k bigint",
            "E1833 Cannot change column 'k': used in a foreign key constraint 'c_ibfk_1' of table 'c'",
        ),
        (
            "alter table c modify k bigint",
            "E1832 Cannot change column 'k': used in a foreign key constraint 'c_ibfk_1'",
        ),
        ("alter table c rename column k to kk", "ok 0"),
        ("alter table c add column first_one int first", "ok 0"),
        ("insert into p values (1, 5)", "ok 1"),
        ("rename table p to parent", "ok 0"),
        ("rename table c to child", "ok 0"),
        (
            "show create table child",
            "child|CREATE TABLE `child` (\n  `first_one` int DEFAULT NULL,\n  `id` int NOT NULL,\n  `kk` int DEFAULT NULL,\n  \
             PRIMARY KEY (`id`),\n  KEY `k` (`kk`),\n  CONSTRAINT `child_ibfk_1` FOREIGN KEY (`kk`) REFERENCES `parent` (`k`)\n\
             ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
        ),
        ("insert into child (id, kk) values (1, 5)", "ok 1"),
        (
            "insert into child (id, kk) values (2, 6)",
            "E1452 Cannot add or update a child row: a foreign key constraint fails (`test`.`child`, CONSTRAINT `child_ibfk_1` \
             FOREIGN KEY (`kk`) REFERENCES `parent` (`k`))",
        ),
        (
            "alter table child add foreign key (id) references parent (id), algorithm = inplace",
            "E1846 ALGORITHM=INPLACE is not supported. Reason: Adding foreign keys needs foreign_key_checks=OFF. Try ALGORITHM=COPY.",
        ),
        (
            "alter table child drop foreign key nix",
            "E1091 Can't DROP 'nix'; check that column/key exists",
        ),
        ("alter table child drop foreign key child_ibfk_1", "ok 0"),
        ("insert into child (id, kk) values (2, 6)", "ok 1"),
        (
            "alter table child add constraint again foreign key (kk) references parent (k)",
            "E1452 Cannot add or update a child row: a foreign key constraint fails (`test`.`child`, CONSTRAINT `again` \
             FOREIGN KEY (`kk`) REFERENCES `parent` (`k`))",
        ),
        ("delete from child where id = 2", "ok 1"),
        ("alter table child add constraint again foreign key (kk) references parent (k)", "ok 0"),
        ("truncate child", "ok 0"),
        ("drop table parent, child", "ok 0"),
    ]);
}

#[test]
fn without_checks_a_parent_may_come_later() {
    check(&[
        ("set foreign_key_checks = 0", "ok 0"),
        ("create table c (p int, foreign key (p) references p (id))", "ok 0"),
        ("insert into c values (1)", "ok 1"),
        (
            "create table p (id bigint primary key)",
            "E3780 Referencing column 'p' and referenced column 'id' in foreign key constraint 'c_ibfk_1' are incompatible.",
        ),
        ("create table p (id int primary key)", "ok 0"),
        ("set foreign_key_checks = 1", "ok 0"),
        ("insert into c values (2)", NO_PARENT),
        ("insert into p values (2)", "ok 1"),
        ("insert into c values (2)", "ok 1"),
        ("set foreign_key_checks = 0", "ok 0"),
        ("drop table p", "ok 0"),
        ("set foreign_key_checks = 1", "ok 0"),
        ("insert into c values (2)", NO_PARENT),
        ("insert into c values (null)", "ok 1"),
    ]);
}

#[test]
fn children_wait_for_their_parents_row() {
    with_server(1, |server| async move {
        let (mut a, mut b) = (server.client(), server.client());
        a.check(&[
            ("create table p (id int primary key)", "ok 0"),
            ("create table c (p int, foreign key (p) references p (id))", "ok 0"),
            ("insert into p values (1), (2), (5)", "ok 3"),
            ("insert into c values (2)", "ok 1"),
            ("begin", "ok 0"),
            ("delete from p where id = 1", "ok 1"),
        ])
        .await;
        b.check(&[
            ("set innodb_lock_wait_timeout = 1", "ok 0"),
            (
                "insert into c values (1)",
                "E1205 Lock wait timeout exceeded; try restarting transaction",
            ),
            // Only the gap where its children would be is closed.
            ("insert into c values (5)", "ok 1"),
        ])
        .await;
        a.check(&[("rollback", "ok 0")]).await;
        b.check(&[("begin", "ok 0"), ("insert into c values (1)", "ok 1")]).await;
        a.check(&[
            ("set innodb_lock_wait_timeout = 1", "ok 0"),
            (
                "delete from p where id = 1",
                "E1205 Lock wait timeout exceeded; try restarting transaction",
            ),
        ])
        .await;
        b.check(&[("commit", "ok 0")]).await;
        a.check(&[("delete from p where id = 1", HAS_CHILD)]).await;
        a.0.close().await;
        b.0.close().await;
        drop(server);
    });
}

/// A statement that was planned before its table had a child waits for the definition, and plans again.
#[test]
fn a_child_that_is_defined_meanwhile_is_seen() {
    with_server(1, |server| async move {
        let rt = server.inst.db.rt().clone();
        let pause = std::time::Duration::from_millis(20);
        let (mut holder, mut ddl, mut b) = (server.client(), server.client(), server.client());
        holder
            .check(&[
                ("create table p (id int primary key)", "ok 0"),
                ("create table c (p int, key (p))", "ok 0"),
                ("insert into p values (1), (2)", "ok 2"),
                ("insert into c values (1)", "ok 1"),
                ("begin", "ok 0"),
                ("select * from p", "1; 2"),
            ])
            .await;
        // The plan is made, and kept.
        b.check(&[("delete from p where id = 2", "ok 1")]).await;
        let ddl = rt.spawn("ddl", async move {
            ddl.rows("alter table c add foreign key (p) references p (id)").await;
            ddl.0.close().await;
        });
        rt.sleep(pause).await;
        let waiting = rt.spawn("b", async move {
            let answer = b.ask("delete from p where id = 1").await;
            (b, answer)
        });
        rt.sleep(pause).await;
        holder.check(&[("commit", "ok 0")]).await;
        let (b, answer) = waiting.await;
        assert_eq!(answer.line(), HAS_CHILD);
        ddl.await;
        b.0.close().await;
        holder.0.close().await;
    });
}

#[test]
fn who_may_not_know_a_table_is_not_told_of_it() {
    with_server(1, |server| async move {
        let mut root = server.client();
        root.check(&[
            ("create database a", "ok 1"),
            ("create database b", "ok 1"),
            ("create table a.p (id int primary key)", "ok 0"),
            ("create table b.c (p int, foreign key (p) references a.p (id))", "ok 0"),
            ("insert into a.p values (1)", "ok 1"),
            ("insert into b.c values (1)", "ok 1"),
            ("create user pa@localhost", "ok 0"),
            ("create user cb@localhost", "ok 0"),
            ("grant all on a.* to pa@localhost", "ok 0"),
            ("grant all on b.* to cb@localhost", "ok 0"),
        ])
        .await;
        let mut parent = server.client_of("pa");
        parent
            .check(&[(
                "delete from a.p",
                "E1217 Cannot delete or update a parent row: a foreign key constraint fails",
            )])
            .await;
        let mut child = server.client_of("cb");
        child
            .check(&[(
                "insert into b.c values (2)",
                "E1216 Cannot add or update a child row: a foreign key constraint fails",
            )])
            .await;
        parent.0.close().await;
        child.0.close().await;
        root.0.close().await;
        drop(server);
    });
}

#[test]
fn a_cascade_that_meets_a_duplicate() {
    check(&[
        ("create table p (id int primary key)", "ok 0"),
        (
            "create table c (p int, n int, unique key pn (p, n), foreign key (p) references p (id) on update cascade)",
            "ok 0",
        ),
        ("insert into p values (1), (2)", "ok 2"),
        ("insert into c values (1, 7)", "ok 1"),
        ("set foreign_key_checks = 0", "ok 0"),
        ("insert into c values (3, 7)", "ok 1"),
        ("set foreign_key_checks = 1", "ok 0"),
        (
            "update p set id = 3 where id = 1",
            "E1761 Foreign key constraint for table 'p', record '3' would lead to a duplicate entry in table 'c', key 'pn'",
        ),
        ("select * from p", "1; 2"),
        ("select p, n from c order by p", "1|7; 3|7"),
    ]);
}

#[test]
fn names_that_change_places() {
    check(&[
        ("create table p (id int primary key)", "ok 0"),
        ("create table q (id int primary key)", "ok 0"),
        ("create table c (p int, foreign key (p) references p (id))", "ok 0"),
        ("insert into p values (1)", "ok 1"),
        ("rename table p to t, q to p, t to q", "ok 0"),
        ("insert into c values (1)", "ok 1"),
        ("select referenced_table_name from information_schema.referential_constraints", "q"),
        ("drop table p", "ok 0"),
        ("alter table q rename to p", "ok 0"),
        ("delete from p", HAS_CHILD),
        ("alter table p add column v int, rename to w", "ok 0"),
        ("select referenced_table_name from information_schema.referential_constraints", "w"),
        ("insert into c values (2)", "E1452"),
    ]);
}
