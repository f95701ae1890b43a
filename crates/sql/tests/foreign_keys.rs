//! Foreign keys: what definitions say, what rows may be written, what cascades do, and which statements a parent withstands.
use crate::common::*;

fn check(cases: &[(&str, &str)]) {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(cases).await;
        c.0.close().await;
        drop(server);
    });
}

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
             COLLATE=utf8mb4_general_ci",
        ),
        ("insert into c values (1, 1)", NO_PARENT),
        ("insert into p values (1, 10), (2, 20)", "ok 2"),
        ("insert into c values (1, 1), (2, null)", "ok 2"),
        ("insert into c values (3, 1), (4, 3)", NO_PARENT),
        ("select * from c", "1|1; 2|NULL"),
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
