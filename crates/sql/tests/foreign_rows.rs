//! Foreign keys under statements of every form, and under sessions that meet on one key.
use crate::common::*;

fn check(cases: &[(&str, &str)]) {
    check_lives(&[cases]);
}

const TABLES: [(&str, &str); 4] = [
    ("create table p (id int primary key, v int)", "ok 0"),
    (
        "create table c (id int primary key, p int, v int, foreign key (p) references p (id) on delete cascade on update cascade)",
        "ok 0",
    ),
    ("insert into p values (1, 1), (2, 2), (3, 3)", "ok 3"),
    ("insert into c values (1, 1, 1), (2, 2, 2), (3, 3, 3)", "ok 3"),
];

#[test]
fn statements_of_every_form() {
    check(&TABLES);
    let mut cases = TABLES.to_vec();
    cases.extend([
        // REPLACE deletes the row in its way, and with it the children.
        ("replace into p values (1, 9)", "ok 2"),
        ("select * from c", "2|2|2; 3|3|3"),
        ("replace into c values (2, 7, 7)", "E1452"),
        ("select * from c", "2|2|2; 3|3|3"),
        ("insert into p values (2, 0) on duplicate key update id = 20", "ok 2"),
        ("select * from c", "2|20|2; 3|3|3"),
        ("insert into c values (2, 1, 1) on duplicate key update p = 77", "E1452"),
        ("insert ignore into c values (2, 1, 1) on duplicate key update p = 77", "ok 0"),
        ("show warnings", "Warning|1452|Cannot add or update a child row: a foreign key constraint fails (`test`.`c`, CONSTRAINT `c_ibfk_1` \
            FOREIGN KEY (`p`) REFERENCES `p` (`id`) ON DELETE CASCADE ON UPDATE CASCADE)"),
        ("insert into c select 9, 99, 9", "E1452"),
        ("insert ignore into c select 9, 99, 9", "ok 0"),
        ("insert into c select id + 100, id, v from p where id = 20", "ok 1"),
        ("update ignore c set p = 55 where id = 3", "ok 0"),
        ("update ignore c set p = case id when 3 then 55 else 20 end, v = 0", "ok 2"),
        ("select * from c", "2|20|0; 3|3|3; 120|20|0"),
        // A join: the children have gone with their parents when their turn comes.
        ("delete p, c from p join c on c.p = p.id where p.id = 20", "ok 1"),
        ("select * from c", "3|3|3"),
        ("update p join c on c.p = p.id set p.id = 30, c.v = 31", "ok 2"),
        ("select * from c", "3|30|31"),
        ("update c set p = null", "ok 1"),
        ("delete from p", "ok 2"),
        ("select * from c", "3|NULL|31"),
    ]);
    check(&cases);
}

#[test]
fn prepared_before_the_key() {
    check(&[
        ("create table p (id int primary key)", "ok 0"),
        ("create table c (p int)", "ok 0"),
        ("prepare i from 'insert into c values (?)'", "ok 0"),
        ("prepare d from 'delete from p where id = ?'", "ok 0"),
        ("set @x = 1, @y = 2", "ok 0"),
        ("execute i using @x", "ok 1"),
        ("truncate c", "ok 0"),
        ("insert into p values (1), (2)", "ok 2"),
        ("execute i using @x", "ok 1"),
        ("alter table c add constraint k foreign key (p) references p (id)", "ok 0"),
        ("execute d using @x", "E1451"),
        ("set @x = 3", "ok 0"),
        ("execute i using @x", "E1452"),
        // The parent is built again under its child.
        ("alter table p add column v varchar(20) first, force", "ok 0"),
        ("execute i using @x", "E1452"),
        ("execute i using @y", "ok 1"),
        ("execute d using @y", "E1451"),
        ("set foreign_key_checks = 0", "ok 0"),
        ("execute d using @y", "ok 1"),
        ("set foreign_key_checks = 1", "ok 0"),
        ("alter table c drop constraint k", "ok 0"),
        ("execute i using @x", "ok 1"),
        ("set @x = 1", "ok 0"),
        ("execute d using @x", "ok 1"),
    ]);
}

#[test]
fn cascades_that_come_round() {
    check(&[
        (
            "create table t (id int primary key, up int, foreign key (up) references t (id) on delete cascade)",
            "ok 0",
        ),
        ("insert into t values (0, null)", "ok 1"),
        (
            "insert into t values (1, 0), (2, 1), (3, 2), (4, 3), (5, 4), (6, 5), (7, 6), (8, 7)",
            "ok 8",
        ),
        ("insert into t values (9, 8), (10, 9), (11, 10), (12, 11), (13, 12), (14, 13)", "ok 6"),
        // A ring, from its end back to its beginning: fourteen levels, and one more is too many.
        ("update t set up = 14 where id = 0", "ok 1"),
        ("begin", "ok 0"),
        ("delete from t where id = 4", "ok 1"),
        ("select count(*) from t", "0"),
        ("rollback", "ok 0"),
        ("select count(*), sum(up) from t", "15|105"),
        ("update t set up = null where id = 0", "ok 1"),
        ("insert into t values (15, 14)", "ok 1"),
        ("delete from t where id = 0", "E3008"),
        ("select count(*) from t", "16"),
        ("delete from t where id = 1", "ok 1"),
        ("select * from t", "0|NULL"),
    ]);
}

/// Anyone who deletes parents and anyone who inserts children never both have their way.
#[test]
fn inserters_and_deleters_meet() {
    for seed in 0..20 {
        with_server(seed, |server| async move {
            let rt = server.inst.db.rt().clone();
            let mut root = server.client();
            root.check(&[
                ("create table p (id int primary key)", "ok 0"),
                ("create table c (id int auto_increment primary key, p int, foreign key (p) references p (id))", "ok 0"),
                ("insert into p values (1), (2), (3), (4)", "ok 4"),
            ])
            .await;
            let mut tasks = Vec::new();
            for n in 0..4u64 {
                let (mut c, own) = (server.client(), rt.clone());
                tasks.push(rt.spawn("client", async move {
                    for round in 0..30u64 {
                        let at = (seed * 7 + n * 5 + round * 3) % 4 + 1;
                        let (first, second) = match n % 2 {
                            0 => (
                                format!("insert into c (p) values ({at})"),
                                format!("delete from c where p = {at}"),
                            ),
                            _ => (
                                format!("delete from p where id = {at}"),
                                format!("insert into p values ({at})"),
                            ),
                        };
                        c.ask("begin").await;
                        c.ask(&first).await;
                        own.sleep(std::time::Duration::from_micros((n + 1) * (round % 5) * 100))
                            .await;
                        c.ask(if round % 4 == 3 { "rollback" } else { "commit" }).await;
                        if round % 3 == 2 {
                            c.ask(&second).await;
                        }
                    }
                    c.0.close().await;
                }));
            }
            for t in tasks {
                t.await;
            }
            root.check(&[(
                "select count(*) from c left join p on p.id = c.p where p.id is null",
                "0",
            )])
            .await;
            root.0.close().await;
        });
    }
}

#[test]
fn rights_on_the_parent() {
    with_server(1, |server| async move {
        let mut root = server.client();
        root.all(&[
            "create database a",
            "create table a.p (id int primary key)",
            "create user u@localhost",
            "grant all on test.* to u@localhost",
            "grant select on a.* to u@localhost",
        ])
        .await;
        let mut u = server.client_in("u", "test");
        const CREATE: &str =
            "create table c (p int, foreign key (p) references a.p (id) on delete cascade)";
        u.check(&[
            (CREATE, "E1142 REFERENCES command denied to user 'u'@'localhost' for table 'p'"),
            ("create table c (p int)", "ok 0"),
            ("alter table c add foreign key (p) references a.p (id)", "E1142"),
            ("drop table c", "ok 0"),
        ])
        .await;
        root.check(&[("grant references on a.* to u@localhost", "ok 0")]).await;
        u.check(&[(CREATE, "ok 0")]).await;
        // A cascade asks for no right on the child.
        root.all(&[
            "insert into a.p values (1)",
            "insert into test.c values (1)",
            "create user v@localhost",
            "grant delete, select on a.* to v@localhost",
        ])
        .await;
        let mut v = server.client_of("v");
        v.check(&[("delete from a.p where id = 1", "ok 1")]).await;
        root.check(&[("select count(*) from c", "0")]).await;
        for c in [root, u, v] {
            c.0.close().await;
        }
        drop(server);
    });
}

/// A child that a cascade has changed needs the parents that its other keys name.
#[test]
fn a_cascade_asks_for_the_other_parents() {
    check(&[
        ("create table p (id int primary key)", "ok 0"),
        ("create table q (a int, b int, primary key (a, b))", "ok 0"),
        (
            "create table c (id int primary key, a int, b int, foreign key (a) references p (id) on update cascade, \
             foreign key (a, b) references q (a, b))",
            "ok 0",
        ),
        ("insert into p values (1)", "ok 1"),
        ("insert into q values (1, 7), (3, 7)", "ok 2"),
        ("insert into c values (1, 1, 7)", "ok 1"),
        (
            "update p set id = 2",
            "E1452 Cannot add or update a child row: a foreign key constraint fails (`test`.`c`, CONSTRAINT `c_ibfk_2` \
             FOREIGN KEY (`a`, `b`) REFERENCES `q` (`a`, `b`))",
        ),
        ("select (select id from p), a, b from c", "1|1|7"),
        ("update p set id = 3", "ok 1"),
        ("select (select id from p), a, b from c", "3|3|7"),
    ]);
}

/// Statements that have been made ready find tables under their new names, and so do the keys that name them.
#[test]
fn names_that_change_places() {
    check(&[
        ("create table a (id int primary key)", "ok 0"),
        ("create table b (id int primary key)", "ok 0"),
        ("insert into a values (1)", "ok 1"),
        ("insert into b values (2)", "ok 1"),
        ("prepare s from 'select id from a'", "ok 0"),
        ("execute s", "1"),
        ("select id from a", "1"),
        ("rename table a to x, b to a, x to b", "ok 0"),
        ("select id from a", "2"),
        ("execute s", "2"),
        ("create table c (p int, foreign key (p) references a (id))", "ok 0"),
        ("insert into c values (2)", "ok 1"),
        ("delete from a", "E1451"),
        ("rename table a to p", "ok 0"),
        ("delete from p", "E1451"),
        ("select id from a", "E1146"),
        ("execute s", "E1146"),
        ("rename table c to d", "ok 0"),
        ("update p set id = 3", "E1451"),
        ("insert into d values (3)", "E1452"),
    ]);
}
