//! Triggers: what they see and set, in which order, by which statements, and what MySQL refuses.

use crate::common::{run_sql, with_server};

/// The answers of the statements after a table `t`, a log, and triggers that write down what they see.
fn ask(statements: &[&str]) -> Vec<String> {
    let setup = [
        "use test",
        "create table t (id int primary key, v int)",
        "create table log (n int primary key auto_increment, what varchar(60))",
    ];
    let all: Vec<&str> = setup.iter().chain(statements).copied().collect();
    run_sql(&all).split_off(setup.len())
}

const LOGGED: [&str; 6] = [
    "create trigger bi before insert on t for each row insert into log(what) values (concat('bi ', new.id, ' ', ifnull(new.v, '-')))",
    "create trigger ai after insert on t for each row insert into log(what) values (concat('ai ', new.id))",
    "create trigger bu before update on t for each row insert into log(what) values (concat('bu ', old.v, '>', new.v))",
    "create trigger au after update on t for each row insert into log(what) values (concat('au ', old.v, '>', new.v))",
    "create trigger bd before delete on t for each row insert into log(what) values (concat('bd ', old.id))",
    "create trigger ad after delete on t for each row insert into log(what) values (concat('ad ', old.id))",
];

/// What the statements write down.
fn logged(statements: &[&str]) -> String {
    let mut all: Vec<&str> = LOGGED.to_vec();
    all.extend(statements);
    all.push("select group_concat(what order by n separator ', ') from log");
    ask(&all).pop().unwrap()
}

#[test]
fn each_statement_fires_its_triggers_in_order() {
    assert_eq!(logged(&["insert into t values (1, 10), (2, null)"]), "bi 1 10, ai 1, bi 2 -, ai 2");
    assert_eq!(
        logged(&["insert into t values (1, 10)", "update t set v = v + 1"]),
        "bi 1 10, ai 1, bu 10>11, au 10>11"
    );
    assert_eq!(
        logged(&["insert into t values (1, 10)", "delete from t"]),
        "bi 1 10, ai 1, bd 1, ad 1"
    );
    assert_eq!(
        logged(&["insert into t values (1, 10)", "replace into t values (1, 20)"]),
        "bi 1 10, ai 1, bi 1 20, bd 1, ad 1, ai 1"
    );
    assert_eq!(
        logged(&[
            "insert into t values (1, 10)",
            "insert into t values (1, 5) on duplicate key update v = v + 1"
        ]),
        "bi 1 10, ai 1, bi 1 5, bu 10>11, au 10>11"
    );
    assert_eq!(
        logged(&["insert into t values (1, 10)", "insert ignore into t values (1, 5)"]),
        "bi 1 10, ai 1, bi 1 5"
    );
    assert_eq!(logged(&["insert into t values (1, 10)", "truncate t"]), "bi 1 10, ai 1");
    assert_eq!(
        logged(&[
            "insert into t select 1, 2 union all select 2, 3",
            "update t a join t b using (id) set a.v = b.v * 2"
        ]),
        "bi 1 2, ai 1, bi 2 3, ai 2, bu 2>4, au 2>4, bu 3>6, au 3>6"
    );
    assert_eq!(
        logged(&["insert into t values (1, 10)", "delete x from t x where id = 1"]),
        "bi 1 10, ai 1, bd 1, ad 1"
    );
    // A row that has the values already is not written, and its triggers run.
    assert_eq!(
        logged(&["insert into t values (1, 10)", "update t set v = 10"]),
        "bi 1 10, ai 1, bu 10>10, au 10>10"
    );
}

#[test]
fn a_trigger_before_the_row_may_change_it() {
    let out = ask(&[
        "create trigger bi before insert on t for each row begin if new.v is null then set new.v = new.id * 100; end if; end",
        "create trigger bu before update on t for each row set new.v = greatest(old.v, new.v)",
        "insert into t values (1, null), (2, 5)",
        "insert into t (id) values (3)",
        "select * from t",
        "update t set v = 50 where id in (1, 2)",
        "select * from t where id < 3",
        "alter table t add column w varchar(3), add column g int as (v + 1)",
        "create trigger bi2 before insert on t for each row set new.w = 'abcd'",
        "insert into t (id, v) values (4, 1)",
        "drop trigger bi2",
        "insert into t (id, v) values (4, null)",
        "select id, v, g from t where id = 4",
        "create trigger c before insert on t for each row begin declare n int; select count(*) into n from t; set new.w = n; end",
        "insert into t (id) values (5), (6)",
        "select id, v, w from t where id > 4",
    ]);
    assert_eq!(out[4], "1|100; 2|5; 3|300");
    assert_eq!(out[6], "1|100; 2|50");
    assert!(out[9].starts_with("E1406"), "{}", out[9]);
    assert_eq!(out[12], "4|400|401");
    assert_eq!(out[15], "5|500|4; 6|600|5");
}

#[test]
fn several_triggers_and_their_order() {
    let out = ask(&[
        "create trigger a before insert on t for each row set new.v = new.v * 2",
        "create trigger b before insert on t for each row set new.v = new.v + 1",
        "create trigger c before insert on t for each row precedes a set new.v = new.v + 10",
        "create trigger d before insert on t for each row follows a set new.v = new.v - 3",
        "create trigger e before insert on t for each row follows nothing set new.v = 1",
        "create trigger f after insert on t for each row follows a set @x = 1",
        "insert into t values (1, 5)",
        "select v from t",
        "select trigger_name, action_order from information_schema.triggers order by action_order",
        "show triggers like 't'",
    ]);
    assert_eq!(
        out[4],
        "E3011 Referenced trigger 'nothing' for the given action time and event type does not exist."
    );
    assert!(out[5].starts_with("E3011"));
    assert_eq!(out[7], "28", "c, a, d, b");
    assert_eq!(out[8], "c|1; a|2; d|3; b|4");
    assert_eq!(out[9].split("; ").map(|r| &r[..1]).collect::<String>(), "cadb");
}

#[test]
fn errors_undo_the_statement() {
    let out = ask(&[
        "create trigger bi before insert on t for each row begin insert into log(what) values (new.id); \
         if new.v < 0 then signal sqlstate '45000' set message_text = 'negative'; end if; end",
        "insert into t values (1, 1), (2, -1)",
        "select count(*) from t",
        "select count(*) from log",
        "start transaction",
        "insert into t values (1, 1)",
        "insert into t values (2, -1)",
        "commit",
        "select (select count(*) from t), (select count(*) from log)",
        "create trigger bu before update on t for each row update t set v = 1",
        "update t set v = 2",
        "create trigger bd after delete on t for each row insert into t values (9, 9)",
        "delete from t",
        "select * from t",
        "create table u (a int)",
        "create trigger ui after insert on u for each row insert into t values (new.a, new.a)",
        "create trigger ai after insert on t for each row insert into u values (new.id + 1)",
        "insert into u values (100)",
        "select (select count(*) from t), (select count(*) from u)",
    ]);
    assert_eq!(out[1], "E1644 negative");
    assert_eq!(out[2..4], ["0", "0"]);
    assert_eq!(out[6], "E1644 negative");
    assert_eq!(out[8], "1|1");
    for n in [10, 12, 17] {
        assert!(out[n].starts_with("E1442 Can't update table"), "{}", out[n]);
    }
    assert_eq!(out[13], "1|1");
    assert_eq!(out[18], "1|0");
}

#[test]
fn what_cannot_be_defined() {
    let of = |sql: &str| {
        let out = ask(&[
            "create view w as select * from t",
            "create database other",
            "create trigger known before insert on t for each row set @a = 1",
            sql,
        ]);
        out[3].clone()
    };
    let errors = [
        (
            "create trigger known after insert on t for each row set @a = 1",
            "E1359 Trigger already exists",
        ),
        (
            "create trigger g before insert on w for each row set @a = 1",
            "E1347 'test.w' is not BASE TABLE",
        ),
        (
            "create trigger g before insert on nothing for each row set @a = 1",
            "E1146 Table 'test.nothing' doesn't exist",
        ),
        (
            "create trigger other.g before insert on test.t for each row set @a = 1",
            "E1435 Trigger in wrong schema",
        ),
        (
            "create trigger g before insert on t for each row set @a = old.v",
            "E1363 There is no OLD row in on INSERT trigger",
        ),
        (
            "create trigger g before delete on t for each row set @a = new.v",
            "E1363 There is no NEW row in on DELETE trigger",
        ),
        (
            "create trigger g before update on t for each row set old.v = 1",
            "E1362 Updating of OLD row is not allowed in trigger",
        ),
        (
            "create trigger g after update on t for each row set new.v = 1",
            "E1362 Updating of NEW row is not allowed in after trigger",
        ),
        (
            "create trigger g before update on t for each row set new.x = 1",
            "E1054 Unknown column 'x' in 'NEW'",
        ),
        (
            "create trigger g before update on t for each row select 1",
            "E1415 Not allowed to return a result set from a trigger",
        ),
        (
            "create trigger g before update on t for each row commit",
            "E1422 Explicit or implicit commit is not allowed in stored function or trigger.",
        ),
        ("drop trigger nothing", "E1360 Trigger does not exist"),
        ("drop trigger if exists nothing", "ok 0"),
        ("create trigger if not exists known before insert on t for each row set @a = 1", "ok 0"),
    ];
    for (sql, answer) in errors {
        assert_eq!(of(sql), answer, "{sql}");
    }
}

#[test]
fn triggers_go_and_move_with_their_table() {
    let out = ask(&[
        "create database other",
        "create trigger g before insert on t for each row set new.v = 7",
        "rename table t to s",
        "insert into s (id) values (1)",
        "select v from s",
        "rename table s to other.s",
        "alter table s rename to r",
        "insert into r (id) values (2)",
        "select v from r where id = 2",
        "show create trigger g",
        "select event_object_table, action_statement, action_timing, event_manipulation from information_schema.triggers",
        "drop table r",
        "show triggers",
        "create table r (id int primary key, v int)",
        "insert into r values (1, 1)",
        "select v from r",
    ]);
    assert_eq!(out[4], "7");
    assert_eq!(out[5], "E1435 Trigger in wrong schema");
    assert_eq!(out[8], "7");
    assert!(out[9].contains("CREATE DEFINER=`root`@`localhost` TRIGGER `g` BEFORE INSERT ON `r` FOR EACH ROW set new.v = 7|utf8mb4"), "{}", out[9]);
    assert_eq!(out[10], "r|set new.v = 7|BEFORE|INSERT");
    assert_eq!(out[12], "");
    assert_eq!(out[15], "1");
}

#[test]
fn what_is_generated_inside_is_not_the_statements() {
    let out = ask(&[
        "create table a (id int primary key auto_increment, v int)",
        "create trigger g after insert on a for each row insert into log(what) values ('x'), ('y')",
        "insert into a(v) values (5)",
        "insert into a(v) values (6)",
        "select last_insert_id(), row_count()",
        "set @n = 0",
        "create trigger h after insert on a for each row set @n = @n + new.v",
        "insert into a(v) values (1), (2), (3)",
        "select @n",
    ]);
    assert_eq!(out[4], "2|1");
    assert_eq!(out[8], "6");
}

#[test]
fn there_is_always_room_between_two_triggers() {
    let mut all = vec![
        "create trigger a before insert on t for each row set @s = 'a'".to_owned(),
        "create trigger z before insert on t for each row set @s = concat(@s, 'z')".to_owned(),
    ];
    all.extend((0..40).map(|n| {
        format!("create trigger t{n} before insert on t for each row follows a set @s = concat(@s, ' {n}')")
    }));
    all.push("create trigger first before insert on t for each row precedes a set @s = ''".into());
    all.push("insert into t values (1, 1)".into());
    all.push("select @s".into());
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let out = ask(&all);
    let middle: String = (0..40).rev().map(|n| format!(" {n}")).collect();
    assert_eq!(out.last().unwrap(), &format!("a{middle}z"));
    let failed: Vec<_> = out.iter().filter(|l| l.starts_with('E')).collect();
    assert!(failed.is_empty(), "{failed:?}");
}

/// Anyone who comes first, no trigger is left without its table, nor comes back under the table's new name.
#[test]
fn a_trigger_and_its_table_change_one_after_the_other() {
    let pairs = [
        ("create trigger g before insert on t for each row set new.v = 1", "drop table t"),
        ("drop table t", "create trigger g before insert on t for each row set new.v = 1"),
        ("create trigger g before insert on t for each row set new.v = 1", "rename table t to s"),
        ("drop trigger k", "rename table t to s"),
        ("rename table t to s", "drop trigger k"),
    ];
    for (n, (first, second)) in pairs.into_iter().enumerate() {
        with_server(n as u64, |server| async move {
            let rt = server.inst.db.rt().clone();
            let mut user = server.client();
            user.all(&[
                "create table t (id int primary key, v int)",
                "create trigger k after insert on t for each row set @k = 1",
                "begin",
                "insert into t values (1, 1)",
            ])
            .await;
            let run = |sql: &'static str| {
                let mut c = server.client();
                rt.spawn("definer", async move {
                    let line = c.ask(sql).await.line();
                    c.0.close().await;
                    line
                })
            };
            let a = run(first);
            rt.sleep(std::time::Duration::from_millis(10)).await;
            let b = run(second);
            rt.sleep(std::time::Duration::from_millis(10)).await;
            user.all(&["commit"]).await;
            let (a, b) = (a.await, b.await);
            let orphans = "select count(*) from information_schema.triggers where event_object_table not in \
                           (select table_name from information_schema.tables where table_schema = 'test')";
            assert_eq!(user.rows(orphans).await, "0", "{first} ({a}), {second} ({b})");
            if first.contains("trigger k") || second.contains("trigger k") {
                let left = "select count(*) from information_schema.triggers";
                assert_eq!(user.rows(left).await, "0", "{first} ({a}), {second} ({b})");
            }
            user.0.close().await;
        });
    }
}

/// Answers of one client to statements one after the other.
fn check(cases: &'static [(&str, &str)]) {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(cases).await;
        c.0.close().await;
    });
}

/// What a trigger reads moves no row: two rows of one table may change places, although an audit trigger names the key.
#[test]
fn a_trigger_that_reads_the_key_moves_nothing() {
    check(&[
        ("create table items (id int primary key, pos int)", "ok 0"),
        ("create table audit (id int, pos int)", "ok 0"),
        ("insert into items values (1, 10), (2, 20)", "ok 2"),
        (
            "create trigger b before update on items for each row insert into audit values (new.id, new.pos)",
            "ok 0",
        ),
        (
            "update items a join items b on a.id = 1 and b.id = 2 set a.pos = b.pos, b.pos = a.pos",
            "ok 2",
        ),
        ("select * from items", "1|20; 2|10"),
        ("select * from audit", "1|20; 2|10"),
        // One that may set it does.
        ("create trigger c before update on items for each row set new.id = new.id", "ok 0"),
        (
            "update items a join items b on a.id = 1 and b.id = 2 set a.pos = b.pos, b.pos = a.pos",
            "E1706",
        ),
    ]);
}

/// A number that no text of the column is exactly finds all texts that are like it.
#[test]
fn a_row_is_met_once_whatever_its_key_is_compared_with() {
    check(&[
        ("create table t (code varchar(20) primary key, n int)", "ok 0"),
        ("insert into t values ('0.5', 1), ('7', 1)", "ok 2"),
        ("update t set code = concat(code, '0') where code = 0.5", "ok 1"),
        ("select * from t", "0.50|1; 7|1"),
        (
            "create trigger b before update on t for each row set new.code = concat(new.code, '0')",
            "ok 0",
        ),
        ("update t set n = 2 where code = 0.5", "ok 1"),
        ("select * from t", "0.500|2; 7|1"),
    ]);
}

/// Nothing is assigned, and the triggers are fired all the same, with whole rows.
#[test]
fn a_generated_column_given_its_default_fires_triggers() {
    check(&[
        (
            "create table t (id int primary key, v longtext, g char(32) as (md5(v)) stored, n int, key (g))",
            "ok 0",
        ),
        ("insert into t (id, v, n) values (1, repeat('x', 100000), 0), (2, 'y', 0)", "ok 2"),
        ("create trigger b before update on t for each row set new.n = new.n + 1", "ok 0"),
        ("update t set g = default", "ok 2"),
        ("update t force index (g) set g = default where g > ''", "ok 2"),
        ("select id, n, g = md5(v), length(v) from t order by id", "1|2|1|100000; 2|2|1|1"),
    ]);
}

/// A trigger changes its own row by what it does to the parent: the change goes on from the row as it is then.
#[test]
fn a_row_that_a_cascade_of_its_own_trigger_changed() {
    check(&[
        ("create table u (id int primary key)", "ok 0"),
        (
            "create table t (id int primary key, c int, n int, foreign key (c) references u (id) on update cascade on delete cascade)",
            "ok 0",
        ),
        ("insert into u values (1), (2), (3)", "ok 3"),
        ("insert into t values (1, 1, 0), (2, 2, 0), (3, 3, 0)", "ok 3"),
        (
            "create trigger b before update on t for each row update u set id = id + 100 where id = old.c",
            "ok 0",
        ),
        ("update t set n = n + 1 where id = 1", "ok 1"),
        ("select * from t where id = 1", "1|101|1"),
        ("select * from t force index (c) where c = 101", "1|101|1"),
        ("drop trigger b", "ok 0"),
        (
            "create trigger d before delete on t for each row update u set id = id + 100 where id = old.c",
            "ok 0",
        ),
        ("delete from t where id = 2", "ok 1"),
        ("select c from t force index (c)", "3; 101"),
        ("drop trigger d", "ok 0"),
        ("create trigger d before update on t for each row delete from u where id = old.c", "ok 0"),
        ("update t set n = 5 where id = 3", "E1032"),
        ("select count(*) from u", "3"),
        ("check table t, u", "test.t|check|status|OK; test.u|check|status|OK"),
    ]);
}

#[test]
fn a_trigger_belongs_to_the_schema_of_its_table() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("create table t (a int)", "ok 0"),
            ("create database other", "ok 1"),
            ("create table other.u (a int)", "ok 0"),
            (
                "create trigger x before insert on other.u for each row set @a = 1",
                "E1435 Trigger in wrong schema",
            ),
            (
                "create trigger other.x before insert on t for each row set @a = 1",
                "E1435 Trigger in wrong schema",
            ),
            ("create trigger other.x before insert on other.u for each row set @a = 1", "ok 0"),
            ("create temporary table tt (a int)", "ok 0"),
            (
                "create trigger y before insert on tt for each row set @a = 1",
                "E1361 Trigger's 'tt' is view or temporary table",
            ),
            (
                "create trigger y before insert on t for each row flush tables",
                "E1336 FLUSH is not allowed in stored function or trigger",
            ),
            (
                "update information_schema.character_sets set description = ''",
                "E1044 Access denied for user 'root'@'localhost' to database 'information_schema'",
            ),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// A BEFORE trigger sees the NULL that a statement gives to a column that takes none, and may give it a value; what it leaves is refused
/// behind it.
#[test]
fn a_trigger_may_fill_what_an_update_set_to_null() {
    check(&[
        ("create table t (id int primary key, a int not null, b int not null default 3)", "ok 0"),
        (
            "create trigger u before update on t for each row begin set @s = concat(new.a is null, new.b is null); set new.a = ifnull(new.a, 5); end",
            "ok 0",
        ),
        ("insert into t values (1, 1, 1), (2, 2, 2)", "ok 2"),
        ("update t set a = null where id = 1", "ok 1"),
        ("select @s, t.* from t", "10|1|5|1; 10|2|2|2"),
        ("update t set a = null, b = null where id = 2", "E1048 Column 'b' cannot be null"),
        ("select @s", "11"),
        ("update ignore t set a = null, b = null where id = 2", "ok 1"),
        ("show warnings", "Warning|1048|Column 'b' cannot be null"),
        ("insert into t values (1, 9, 9) on duplicate key update a = null, b = 2", "ok 2"),
        ("update t, (select 7 x) d set a = null, b = x where id = 2", "ok 1"),
        ("select * from t", "1|5|2; 2|5|7"),
        ("drop trigger u", "ok 0"),
        ("update t set a = null where id = 1", "E1048 Column 'a' cannot be null"),
    ]);
}

/// LOCK TABLES locks what the triggers of a table that may be written use, under whatever names, but no table for more than it names.
#[test]
fn triggers_of_locked_tables() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            ("create table t (a int)", "ok 0"),
            ("create table u (c int)", "ok 0"),
            ("create table v (d int)", "ok 0"),
            ("insert into u values (1)", "ok 1"),
            ("create function f() returns int begin update v set d = d + 1; return (select max(x.d) from v x); end", "ok 0"),
            ("create trigger tu after insert on t for each row update u set c = c + (select count(*) from t y)", "ok 0"),
            ("create trigger tv before insert on t for each row set new.a = f()", "ok 0"),
            ("insert into v values (1)", "ok 1"),
            ("lock tables t write", "ok 0"),
            ("insert into t values (1)", "ok 1"),
            ("insert into t values (1)", "ok 1"),
            ("update u set c = 1", "E1100 Table 'u' was not locked with LOCK TABLES"),
            ("select * from t z", "E1100"),
            ("lock tables t write, u read", "ok 0"),
            ("insert into t values (1)", "E1099 Table 'u' was locked with a READ lock and can't be updated"),
            ("lock tables t write, u as w write, v write", "ok 0"),
            ("insert into t values (1)", "ok 1"),
            ("unlock tables", "ok 0"),
            ("select a from t order by a", "2; 3; 4"),
            ("select c from u", "7"),
        ])
        .await;
    });
}

/// NULL that a trigger gives a column that takes none, or leaves where it was given, is reported before columns that nobody gave a value.
#[test]
fn nulls_behind_a_trigger() {
    crate::common::check(&[
        ("create table t (a int not null, b int not null, c int)", "ok 0"),
        ("create trigger i before insert on t for each row set @x = 1", "ok 0"),
        ("insert into t (a, c) values (null, 3)", "E1048 Column 'a' cannot be null"),
        ("insert into t (b, c) values (2, 3)", "E1364 Field 'a' doesn't have a default value"),
        ("insert ignore into t (a, b) values (null, 1)", "ok 1"),
        ("select * from t", "0|1|NULL"),
        ("drop trigger i", "ok 0"),
        ("create trigger i before insert on t for each row set new.a = null", "ok 0"),
        ("insert into t values (1, 2, 3)", "E1048"),
        ("insert into t (b) values (1)", "E1048"),
        ("insert ignore into t values (1, 2, 3), (2, 3, 4)", "ok 0"),
        ("show warnings", "Warning|1048|Column 'a' cannot be null"),
        ("create table p (id int primary key, j json not null)", "ok 0"),
        ("create trigger k before insert on p for each row set new.id = null", "ok 0"),
        ("insert ignore into p values (1, '{}')", "ok 0"),
        ("insert into p (id) values (1)", "E1048 Column 'id' cannot be null"),
        ("select count(*) from p", "0"),
    ]);
}
