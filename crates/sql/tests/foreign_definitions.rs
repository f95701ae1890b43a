//! Foreign keys as applications and dumps define them, across restarts, and what follows a definition that changes.
use crate::common::*;

fn check(cases: &[(&str, &str)]) {
    check_lives(&[cases]);
}

#[test]
fn keys_survive_a_restart() {
    const FAILS: &str = "E1452 Cannot add or update a child row: a foreign key constraint fails (`test`.`c`, CONSTRAINT `named` \
        FOREIGN KEY (`a`, `b`) REFERENCES `other`.`p` (`x`, `y`) ON DELETE CASCADE ON UPDATE SET NULL)";
    check_lives(&[
        &[
            ("create database other", "ok 1"),
            ("create table other.p (x int, y varchar(9), unique key (x, y))", "ok 0"),
            (
                "create table c (id int primary key, a int, b varchar(9), constraint named foreign key (a, b) \
                 references other.p (x, y) on delete cascade on update set null)",
                "ok 0",
            ),
            (
                "create table g (id int primary key, c int, foreign key (c) references c (id))",
                "ok 0",
            ),
            ("insert into other.p values (1, 'one'), (2, 'two')", "ok 2"),
            ("insert into c values (1, 1, 'one'), (2, 2, 'two')", "ok 2"),
        ],
        &[
            ("use test", "ok 0"),
            ("insert into c values (3, 3, 'three')", FAILS),
            ("delete from other.p where x = 1", "ok 1"),
            ("update other.p set y = 'zwei' where x = 2", "ok 1"),
            ("select * from c", "2|NULL|NULL"),
            ("insert into g values (1, 7)", "E1452"),
            ("rename table c to other.d", "ok 0"),
        ],
        &[
            ("use test", "ok 0"),
            (
                "insert into g values (1, 7)",
                "E1452 Cannot add or update a child row: a foreign key constraint fails \
                (`test`.`g`, CONSTRAINT `g_ibfk_1` FOREIGN KEY (`c`) REFERENCES `other`.`d` (`id`))",
            ),
            ("insert into g values (1, 2)", "ok 1"),
            ("delete from other.d", "E1451"),
        ],
    ]);
}

#[test]
fn how_applications_define_them() {
    check(&[
        // Django: tables first, then a key for each column, named by itself and with an index of its own.
        ("CREATE TABLE `a` (`id` bigint AUTO_INCREMENT NOT NULL PRIMARY KEY)", "ok 0"),
        (
            "CREATE TABLE `b` (`id` bigint AUTO_INCREMENT NOT NULL PRIMARY KEY, `a_id` bigint NOT NULL, `up_id` bigint NULL)",
            "ok 0",
        ),
        (
            "ALTER TABLE `b` ADD CONSTRAINT `b_a_id_5b_fk_a_id` FOREIGN KEY (`a_id`) REFERENCES `a` (`id`)",
            "ok 0",
        ),
        ("CREATE INDEX `b_up_id_1` ON `b` (`up_id`)", "ok 0"),
        (
            "ALTER TABLE `b` ADD CONSTRAINT `b_up_id_fk` FOREIGN KEY (`up_id`) REFERENCES `b` (`id`)",
            "ok 0",
        ),
        (
            "SHOW CREATE TABLE b",
            "b|CREATE TABLE `b` (\n  `id` bigint NOT NULL AUTO_INCREMENT,\n  `a_id` bigint NOT NULL,\n  `up_id` bigint DEFAULT NULL,\n  \
             PRIMARY KEY (`id`),\n  KEY `b_a_id_5b_fk_a_id` (`a_id`),\n  KEY `b_up_id_1` (`up_id`),\n  \
             CONSTRAINT `b_a_id_5b_fk_a_id` FOREIGN KEY (`a_id`) REFERENCES `a` (`id`),\n  \
             CONSTRAINT `b_up_id_fk` FOREIGN KEY (`up_id`) REFERENCES `b` (`id`)\n\
             ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
        ),
        ("ALTER TABLE `b` DROP FOREIGN KEY `b_up_id_fk`", "ok 0"),
        ("ALTER TABLE `b` DROP CONSTRAINT `b_a_id_5b_fk_a_id`", "ok 0"),
        // Hibernate: the parent's primary key by its name, schema and all.
        (
            "alter table b add constraint FKr1 foreign key (a_id) references test.a (id) on delete cascade",
            "ok 0",
        ),
        // ActiveRecord: a new column, its index and its key in one statement.
        (
            "ALTER TABLE `b` ADD `c_id` bigint, ADD INDEX `index_b_on_c_id` (`c_id`), \
             ADD CONSTRAINT `fk_rails_1` FOREIGN KEY (`c_id`) REFERENCES `a` (`id`)",
            "ok 0",
        ),
        // Sakila: KEY and CONSTRAINT side by side, in the order of the dump.
        (
            "CREATE TABLE city (city_id SMALLINT UNSIGNED NOT NULL AUTO_INCREMENT, country_id SMALLINT UNSIGNED NOT NULL, \
             PRIMARY KEY (city_id), KEY idx_fk_country_id (country_id), CONSTRAINT `fk_city_country` FOREIGN KEY (country_id) \
             REFERENCES city (city_id) ON DELETE RESTRICT ON UPDATE CASCADE) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4",
            "ok 0",
        ),
        ("create table m (x bigint, foreign key (x) references a (id) match simple)", "ok 0"),
        ("create table m2 (x bigint, foreign key (x) references a (id) match full)", "E1235"),
        ("create table m2 (x bigint, foreign key (x) references a (id) match partial)", "E1235"),
        ("alter table a add foreign key (id) references m (x) on delete set default", "E1215"),
        ("select count(*) from information_schema.referential_constraints", "4"),
    ]);
}

#[test]
fn a_renamed_column_is_followed_by_its_children() {
    check(&[
        ("create table p (id int primary key, a int, b int, unique key (a, b))", "ok 0"),
        (
            "create table c (x int, y int, foreign key (x, y) references p (a, b) on delete cascade, foreign key (y) references p (id))",
            "ok 0",
        ),
        ("create table d (x int, foreign key (x) references p (id))", "ok 0"),
        ("insert into p values (1, 10, 1)", "ok 1"),
        ("insert into c values (10, 1)", "ok 1"),
        ("insert into d values (1)", "ok 1"),
        (
            "alter table p rename column id to pid, change b bb int, add column more int first",
            "ok 0",
        ),
        (
            "select table_name, constraint_name, referenced_column_name from information_schema.key_column_usage \
             where referenced_table_name = 'p' order by 1, 2, ordinal_position",
            "c|c_ibfk_1|a; c|c_ibfk_1|bb; c|c_ibfk_2|pid; d|d_ibfk_1|pid",
        ),
        ("insert into d values (2)", "E1452"),
        ("delete from p where pid = 1", "E1451"),
        ("alter table p rename column pid to bb, rename column bb to pid, rename to q", "ok 0"),
        (
            "select table_name, constraint_name, referenced_table_name, referenced_column_name from information_schema.key_column_usage \
             where referenced_table_name is not null order by 1, 2, ordinal_position",
            "c|c_ibfk_1|q|a; c|c_ibfk_1|q|pid; c|c_ibfk_2|q|bb; d|d_ibfk_1|q|bb",
        ),
        ("delete from d", "ok 1"),
        ("alter table c drop foreign key c_ibfk_2", "ok 0"),
        ("delete from q", "ok 1"),
        ("select count(*) from c", "0"),
    ]);
}

#[test]
fn a_key_to_its_own_table_comes_with_its_index() {
    check(&[
        ("create table t (a int, b int)", "ok 0"),
        ("insert into t values (1, null), (2, 1), (3, 9)", "ok 3"),
        ("alter table t add key (a), add foreign key (b) references t (a)", "E1452"),
        ("update t set b = 2 where b = 9", "ok 1"),
        ("alter table t add key (a), add foreign key (b) references t (a)", "ok 0"),
        ("insert into t values (4, 9)", "E1452"),
        ("alter table t drop foreign key t_ibfk_1, drop key a", "ok 0"),
        (
            "alter table t rename column a to aa, add key (aa), add foreign key (b) references t (aa)",
            "ok 0",
        ),
        ("insert into t values (4, 9)", "E1452"),
        ("alter table t add foreign key (b) references t (zz)", "E3734"),
    ]);
}

#[test]
fn tables_that_reference_each_other() {
    const A: &str = "create table a (id int primary key, b int, foreign key (b) references b (id) on delete set null)";
    const B: &str = "create table b (id int primary key, a int, foreign key (a) references a (id) on delete cascade)";
    check(&[
        (A, "E1824"),
        ("set foreign_key_checks = 0", "ok 0"),
        (A, "ok 0"),
        (B, "ok 0"),
        ("set foreign_key_checks = 1", "ok 0"),
        ("insert into a values (1, null), (2, null)", "ok 2"),
        ("insert into b values (1, 1), (2, 2)", "ok 2"),
        ("update a set b = 2 where id = 1", "ok 1"),
        ("update a set b = 1 where id = 2", "ok 1"),
        ("delete from a where id = 1", "ok 1"),
        ("select * from a", "2|NULL"),
        ("select * from b", "2|2"),
        ("drop table a", "E3730"),
        ("drop table a, b", "ok 0"),
        ("drop table b", "E1051"),
    ]);
}

/// DROP DATABASE waits for its tables; a child that is made elsewhere meanwhile keeps it from going.
#[test]
fn a_schema_does_not_go_under_a_new_child() {
    with_server(1, |server| async move {
        let rt = server.inst.db.rt().clone();
        let pause = std::time::Duration::from_millis(20);
        let (mut holder, mut dropper, mut b) = (server.client(), server.client(), server.client());
        holder
            .check(&[
                ("create database gone", "ok 1"),
                ("create table gone.p (id int primary key)", "ok 0"),
                ("create table gone.z (id int primary key)", "ok 0"),
                ("begin", "ok 0"),
                ("select * from gone.z", ""),
            ])
            .await;
        let waits = rt.spawn("dropper", async move {
            let answer = dropper.ask("drop database gone").await;
            dropper.0.close().await;
            answer
        });
        rt.sleep(pause).await;
        let child = rt.spawn("child", async move {
            let made =
                b.ask("create table c (p int, foreign key (p) references gone.p (id))").await;
            b.0.close().await;
            made
        });
        rt.sleep(pause).await;
        holder.check(&[("commit", "ok 0")]).await;
        let (dropped, made) = (waits.await, child.await);
        // One of them comes first, and the other one sees it.
        let made = made.line();
        match dropped.errno() {
            0 => assert!(made.starts_with("E1824") || made.starts_with("E1049"), "{made}"),
            errno => assert_eq!((errno, made.as_str()), (3730, "ok 0")),
        }
        holder.0.close().await;
    });
}

/// Anyone who alters a table that foreign keys tie to others has them all alone, and looks at their rows meanwhile: it must not wait
/// for what it holds itself.
#[test]
fn no_alteration_of_a_family_waits_for_itself() {
    const ALTERATIONS: [&str; 26] = [
        "auto_increment = 1",
        "auto_increment = 1000",
        "auto_increment = 7",
        "comment = 'x'",
        "add column a int",
        "add column b int first",
        "add column d int default 3, drop column a",
        "drop column b",
        "modify v bigint",
        "modify v int not null default 0",
        "change w w2 varchar(30)",
        "rename column w2 to w",
        "alter v set default 5",
        "alter v drop default",
        "add index iv (v)",
        "rename index iv to jv",
        "alter index jv invisible",
        "drop index jv",
        "add unique uv (v)",
        "drop index uv",
        "add constraint positive check (v > -1)",
        "drop check positive",
        "convert to character set latin1",
        "force",
        "algorithm = copy, modify w varchar(99)",
        "engine = innodb, auto_increment = 2",
    ];
    with_server(1, |server| async move {
        let mut root = server.client();
        root.all(&["set lock_wait_timeout = 1, foreign_key_checks = 1"]).await;
        for locked in [false, true] {
            for role in ["p", "c", "s"] {
                root.all(&[
                    "unlock tables",
                    "drop table if exists c, s, p",
                    "create table p (id bigint auto_increment primary key, v int, w varchar(20), k int unique)",
                    "create table c (id bigint auto_increment primary key, v int, w varchar(20), k int unique, foreign key (k) references p (k))",
                    "create table s (id bigint auto_increment primary key, v int, w varchar(20), k int unique, u int, foreign key (u) references s (k))",
                    "insert into p (v, k) values (1, 1), (2, 2)",
                    "insert into c (v, k) values (1, 1), (2, 2)",
                    "insert into s (v, k, u) values (1, 1, 1), (2, 2, 1)",
                ])
                .await;
                if locked {
                    root.all(&["lock tables p write, c write, s write"]).await;
                }
                for a in ALTERATIONS {
                    root.all(&[&format!("alter table {role} {a}")]).await;
                }
                root.check(&[("select count(*) from p, c, s", "8")]).await;
            }
        }
        root.all(&["unlock tables", "drop table c, s, p"]).await;
    });
}
