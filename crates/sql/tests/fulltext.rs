//! FULLTEXT and SPATIAL keys, and MATCH ... AGAINST. The tables of articles and their answers are those of MySQL's Reference Manual (14.9.1
//! to 14.9.3); other ranks and errors are those of InnoDB in MariaDB 10.11 for the same statements.
use crate::common::*;
use std::time::Duration;
use weir_sql::session_api::{KillKind, ParamValue};

const TABLE: &str = "create table articles (id int unsigned auto_increment not null primary key, \
     title varchar(200), body text, fulltext (title, body)) engine=innodb";

const ROWS: &str = "insert into articles (title, body) values \
     ('MySQL Tutorial', 'DBMS stands for DataBase ...'), \
     ('How To Use MySQL Well', 'After you went through a ...'), \
     ('Optimizing MySQL', 'In this tutorial, we show ...'), \
     ('1001 MySQL Tricks', '1. Never run mysqld as root. 2. ...'), \
     ('MySQL vs. YourSQL', 'In the following database comparison ...'), \
     ('MySQL Security', 'When configured properly, MySQL ...')";

/// The manual's second table, of "How Relevancy Ranking Works".
const RANKED: &str = "insert into articles (title, body) values \
     ('MySQL Tutorial', 'This database tutorial ...'), \
     ('How To Use MySQL', 'After you went through a ...'), \
     ('Optimizing Your Database', 'In this database tutorial ...'), \
     ('MySQL vs. YourSQL', 'When comparing databases ...'), \
     ('MySQL Security', 'When configured properly, MySQL ...'), \
     ('Database, Database, Database', 'database database database'), \
     ('1001 MySQL Tricks', '1. Never run mysqld as root. 2. ...'), \
     ('MySQL Full-Text Indexes', 'MySQL fulltext indexes use a ..')";

fn with_articles(rows: &'static str, cases: &[(&str, &str)]) {
    let mut all = vec![(TABLE, "ok 0"), (rows, if rows == ROWS { "ok 6" } else { "ok 8" })];
    all.extend(cases);
    check(&all);
}

#[test]
fn the_examples_of_the_manual() {
    with_articles(
        ROWS,
        &[
            (
                "select id, title from articles where match (title, body) against ('database' in natural language mode)",
                "1|MySQL Tutorial; 5|MySQL vs. YourSQL",
            ),
            (
                "select count(*) from articles where match (title, body) against ('database' in natural language mode)",
                "2",
            ),
            (
                "select count(if(match (title, body) against ('database' in natural language mode), 1, null)) as count from articles",
                "2",
            ),
            (
                "select id, match (title, body) against ('Tutorial' in natural language mode) as score from articles",
                "1|0.22764469683170319; 2|0; 3|0.22764469683170319; 4|0; 5|0; 6|0",
            ),
            (
                "select id, title from articles where match (title, body) against ('+MySQL -YourSQL' in boolean mode)",
                "6|MySQL Security; 1|MySQL Tutorial; 2|How To Use MySQL Well; 3|Optimizing MySQL; 4|1001 MySQL Tricks",
            ),
            (
                "select id from articles where match (title, body) against ('database' with query expansion)",
                "5; 1; 3; 6; 2; 4",
            ),
            (
                "select id from articles where match (body, title) against ('database' in natural language mode with query expansion) limit 2",
                "5; 1",
            ),
        ],
    );
    with_articles(
        RANKED,
        &[
            (
                "select id, title, match (title, body) against ('database' in boolean mode) as score from articles order by score desc",
                "6|Database, Database, Database|1.0886961221694946; 3|Optimizing Your Database|0.36289870738983154; \
                 1|MySQL Tutorial|0.18144935369491577; 2|How To Use MySQL|0; 4|MySQL vs. YourSQL|0; 5|MySQL Security|0; \
                 7|1001 MySQL Tricks|0; 8|MySQL Full-Text Indexes|0",
            ),
            (
                "select id, match (title, body) against ('mysql tutorial' in boolean mode) as score from articles order by score desc limit 3",
                "1|0.7405621409416199; 3|0.3624762296676636; 5|0.031219376251101494",
            ),
        ],
    );
}

#[test]
fn operators() {
    with_articles(
        ROWS,
        &[
            ("set @m = 'select 1'", "ok 0"),
            (
                "select id from articles where match (title, body) against ('+mysql +tutorial' in boolean mode)",
                "1; 3",
            ),
            (
                "select id from articles where match (title, body) against ('\"mysql tutorial\"' in boolean mode)",
                "1",
            ),
            (
                "select id from articles where match (title, body) against ('\"mysql tutorial\"')",
                "1",
            ),
            (
                "select id from articles where match (title, body) against ('\"after through\" @4' in boolean mode)",
                "2",
            ),
            (
                "select id from articles where match (title, body) against ('\"after through\" @3' in boolean mode)",
                "",
            ),
            (
                "select id from articles where match (title, body) against ('tut* yours*' in boolean mode)",
                "5; 1; 3",
            ),
            (
                "select id from articles where match (title, body) against ('-mysql' in boolean mode)",
                "",
            ),
            (
                "select id from articles where match (title, body) against ('+the +mysql' in boolean mode)",
                "",
            ),
            ("select id from articles where match (title, body) against ('the')", ""),
            ("select id from articles where match (title, body) against ('')", ""),
            ("select id from articles where match (title, body) against (null)", ""),
            ("select distinct match (title, body) against (null) from articles", "0"),
            (
                "select id from articles where match (title, body) against ('+mysql +(>tutorial <tricks)' in boolean mode)",
                "1; 3; 4",
            ),
            (
                "select id from articles where match (title, body) against ('mysql +' in boolean mode)",
                "E1064 syntax error, unexpected $end",
            ),
            (
                "select id from articles where match (title, body) against ('mysql**' in boolean mode)",
                "E1064 syntax error, unexpected $end, expecting FTS_TERM or FTS_NUMB or '*'",
            ),
        ],
    );
}

#[test]
fn where_a_search_may_stand() {
    with_articles(
        ROWS,
        &[
            // The order of relevance gives way to any other.
            (
                "select id from articles where match (title, body) against ('mysql')",
                "6; 1; 2; 3; 4; 5",
            ),
            (
                "select id from articles where match (title, body) against ('mysql') order by id desc",
                "6; 5; 4; 3; 2; 1",
            ),
            (
                "select id from articles where match (title, body) against ('mysql') > 0 and id > 1 limit 2",
                "6; 2",
            ),
            (
                "select id from articles where not match (title, body) against ('tutorial')",
                "2; 4; 5; 6",
            ),
            (
                "select id, match (title, body) against ('tutorial') > 0 as m from articles having m order by m, id",
                "1|1; 3|1",
            ),
            (
                "select max(match (title, body) against ('tutorial')) > 0.2, count(*) from articles where id < 4",
                "1|3",
            ),
            (
                "select match (title, body) against ('tutorial') > 0 as m, count(*) from articles group by m order by m",
                "0|4; 1|2",
            ),
            ("create table tags (article int, tag varchar(10))", "ok 0"),
            ("insert into tags values (1, 'a'), (3, 'b'), (5, 'c'), (9, 'd')", "ok 4"),
            (
                "select tag, a.id from tags left join articles a on a.id = article and match (a.title, a.body) against ('tutorial') order by tag",
                "a|1; b|3; c|NULL; d|NULL",
            ),
            (
                "select tag from tags where article in (select id from articles where match (title, body) against ('database')) order by 1",
                "a; c",
            ),
            (
                "select tag, (select match (title, body) against ('database') > 0 from articles where id = article) from tags order by 1",
                "a|1; b|0; c|1; d|NULL",
            ),
            (
                "select id, (select count(*) from tags where match (title, body) against ('tutorial')) from articles order by 1 limit 2",
                "1|4; 2|0",
            ),
            (
                "select id from articles where match (title, body) against ('tutorial') union select 7 order by 1",
                "1; 3; 7",
            ),
            // A variable is one value, a column is not.
            ("set @q = 'tutorial'", "ok 0"),
            ("select id from articles where match (title, body) against (@q)", "1; 3"),
            (
                "select id from articles where match (title, body) against (concat('tuto', 'rial'))",
                "1; 3",
            ),
            (
                "select id from articles where match (title, body) against (title)",
                "E1210 Incorrect arguments to AGAINST",
            ),
            (
                "select id from articles where match (title, body) against ((select 'x'))",
                "E1210 Incorrect arguments to AGAINST",
            ),
            (
                "select id from articles where match (title) against ('x')",
                "E1191 Can't find FULLTEXT index matching the column list",
            ),
            (
                "select id from articles join tags where match (title, tag) against ('x')",
                "E1210 Incorrect arguments to MATCH",
            ),
            (
                "select * from (select title, body from articles) d where match (title, body) against ('x')",
                "E1210 Incorrect arguments to MATCH",
            ),
            // An index that is used raises no warning.
            (
                "select id from articles use index (title) where match (title, body) against ('tutorial')",
                "1; 3",
            ),
            ("select id from articles force index (nix) where id = 1", "E1176"),
        ],
    );
}

#[test]
fn changes_by_a_search() {
    with_articles(
        ROWS,
        &[
            (
                "update articles set title = 'gone' where match (title, body) against ('tutorial')",
                "ok 2",
            ),
            ("select id from articles where match (title, body) against ('tutorial')", "3"),
            // What a statement changes does not change what it finds.
            (
                "update articles set body = concat(body, ' tutorial ', match (title, body) against ('tutorial') > 0) order by id",
                "ok 6",
            ),
            ("select id from articles where body like '%tutorial 1' order by id", "3"),
            (
                "delete from articles where match (title, body) against ('+tutorial +mysql' in boolean mode)",
                "ok 4",
            ),
            ("select id from articles order by id", "1; 3"),
            // Changes of the own transaction are seen.
            ("begin", "ok 0"),
            ("insert into articles (title) values ('own words')", "ok 1"),
            ("select title from articles where match (title, body) against ('words')", "own words"),
            ("rollback", "ok 0"),
            ("select title from articles where match (title, body) against ('words')", ""),
            (
                "create table copies as select id from articles where match (title, body) against ('gone')",
                "ok 2",
            ),
            (
                "insert into copies select id from articles where match (title, body) against ('gone')",
                "ok 2",
            ),
            (
                "select id from articles where match (title, body) against ('gone') for update",
                "1; 3",
            ),
        ],
    );
}

#[test]
fn views_programs_and_plans() {
    with_articles(
        ROWS,
        &[
            (
                "create view v as select id, title as t, body as b from articles where match (title, body) against ('mysql' in boolean mode)",
                "ok 0",
            ),
            (
                "select view_definition from information_schema.views where table_name = 'v'",
                "select `test`.`articles`.`id` AS `id`,`test`.`articles`.`title` AS `t`,`test`.`articles`.`body` AS `b` \
                 from `test`.`articles` where (0 <> (match `test`.`articles`.`title`,`test`.`articles`.`body` against ('mysql' in boolean mode)))",
            ),
            ("select count(*) from v", "6"),
            // This view searches itself, so it is read as a table of its own, which has no key.
            ("select id from v where match (t, b) against ('tutorial')", "E1210"),
            (
                "create procedure p (q varchar(20)) select id from articles where match (title, body) against (q)",
                "ok 0",
            ),
            ("call p('tutorial')", "1; 3"),
            ("call p('security')", "6"),
            (
                "explain select id from articles where match (title, body) against ('tutorial')",
                "1|SIMPLE|articles|NULL|ALL|NULL|NULL|NULL|NULL|6|100.00|Using where; Using filesort",
            ),
        ],
    );
}

#[test]
fn a_prepared_search() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[TABLE, ROWS]).await;
        let sql = "select id from articles where match (title, body) against (? in boolean mode)";
        let id = c.0.prepare(sql.as_bytes()).await.expect("prepares").id;
        for (text, want) in [("+tutorial", "1; 3"), ("secur*", "6"), ("+", "E1064")] {
            let answer = c.execute(id, &[ParamValue::Bytes(text.into())]).await;
            assert!(answer.line().starts_with(want), "{text}: {}", answer.line());
        }
        let null = c.execute(id, &[ParamValue::Null]).await;
        assert_eq!(null.line(), "");
    });
}

#[test]
fn collations_and_the_parser_of_pieces() {
    check(&[
        (
            "create table t (id int primary key, a varchar(99) collate utf8mb4_bin, b varchar(99), fulltext (a), fulltext (b), fulltext n (b, b2) with parser ngram, b2 text)",
            "ok 0",
        ),
        (
            "insert into t values (1, 'MySQL Café', 'MySQL Café', '数据库管理'), (2, 'mysql cafe', 'mysql cafe', '据库')",
            "ok 2",
        ),
        ("select id from t where match (a) against ('mysql')", "2"),
        ("select id from t where match (b) against ('MYSQL') order by id", "1; 2"),
        ("select id from t where match (b) against ('cafe') order by id", "1; 2"),
        ("select id from t where match (b, b2) against ('数据库') order by id", "1; 2"),
        ("select id from t where match (b, b2) against ('数据库' in boolean mode)", "1"),
        ("set innodb_ft_enable_stopword = off", "ok 0"),
        ("insert into t values (3, '', 'the end', '')", "ok 1"),
        ("select id from t where match (b) against ('the')", "3"),
        ("set innodb_ft_enable_stopword = on", "ok 0"),
        ("select id from t where match (b) against ('the')", ""),
        ("set innodb_ft_user_stopword_table = 'test/t'", "E1235"),
        ("set innodb_ft_user_stopword_table = ''", "ok 0"),
    ]);
}

#[test]
fn definitions() {
    let note = "Note|1235|FULLTEXT index 'f' of table 'test.t' is no index on disk here: MATCH ... AGAINST reads the whole table";
    check(&[
        (
            "create table t (id int primary key, a varchar(20), b text, g point not null srid 0, fulltext key f (a, b(9)) comment 'c', \
             fulltext n (b) with parser ngram invisible, spatial index s (g), key k (id, a))",
            "ok 0",
        ),
        (
            "show create table t",
            "t|CREATE TABLE `t` (\n  `id` int NOT NULL,\n  `a` varchar(20) DEFAULT NULL,\n  `b` text,\n  \
             `g` point NOT NULL /*!80003 SRID 0 */,\n  PRIMARY KEY (`id`),\n  KEY `k` (`id`,`a`),\n  SPATIAL KEY `s` (`g`),\n  \
             FULLTEXT KEY `f` (`a`,`b`) COMMENT 'c',\n  FULLTEXT KEY `n` (`b`) /*!50100 WITH PARSER `ngram` */  /*!80000 INVISIBLE */\n) \
             ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
        ),
        (
            "select index_name, seq_in_index, column_name, collation, sub_part, nullable, index_type, index_comment, is_visible \
             from information_schema.statistics where table_name = 't' and index_type <> 'BTREE'",
            "s|1|g|A|32||SPATIAL||YES; f|1|a|NULL|NULL|YES|FULLTEXT|c|YES; f|2|b|NULL|NULL|YES|FULLTEXT|c|YES; \
             n|1|b|NULL|NULL|YES|FULLTEXT||NO",
        ),
        ("select count(*) from information_schema.statistics where table_name = 't'", "7"),
        (
            "select column_name, column_key from information_schema.columns where table_name = 't' order by ordinal_position",
            "id|PRI; a|MUL; b|MUL; g|MUL",
        ),
        (
            "show index from t where key_name = 'f' and seq_in_index = 1",
            "t|1|f|1|a|NULL|0|NULL|NULL|YES|FULLTEXT||c|YES|NULL",
        ),
        // An invisible key is not one for a search.
        ("select id from t where match (b) against ('x')", "E1191"),
        ("alter table t alter index n visible", "ok 0"),
        ("select id from t where match (b) against ('x')", ""),
        // Names are those of all keys.
        ("alter table t add key f (id)", "E1061 Duplicate key name 'f'"),
        ("alter table t add fulltext k (a)", "E1061 Duplicate key name 'k'"),
        ("alter table t rename index f to k", "E1061 Duplicate key name 'k'"),
        ("alter table t rename index f to F2", "ok 0"),
        ("alter table t rename index f2 to f", "ok 0"),
        ("alter table t drop index nix", "E1091"),
        // Names of columns change under a key.
        ("alter table t rename column a to a2, change b b2 mediumtext", "ok 0"),
        ("select id from t where match (a2, b2) against ('x')", ""),
        ("alter table t modify a2 int", "E1283 Column 'a2' cannot be part of FULLTEXT index"),
        ("alter table t modify b2 blob", "E1283"),
        ("alter table t modify g point", "E1252"),
        // Columns that come and go.
        ("alter table t add column c int first, add column d text", "ok 0"),
        ("select id from t where match (a2, b2) against ('x')", ""),
        ("alter table t drop column b2", "ok 0"),
        ("select id from t where match (a2) against ('x')", ""),
        (
            "select group_concat(index_name) from information_schema.statistics where table_name = 't' and index_type = 'FULLTEXT'",
            "f",
        ),
        ("create table l like t", "ok 0"),
        ("rename table l to m", "ok 0"),
        ("truncate table m", "ok 0"),
        ("alter table m force", "ok 0"),
        ("alter table m add unique (c), drop key k", "ok 0"),
        ("alter table m drop column a2", "ok 0"),
        (
            "select group_concat(index_name) from information_schema.statistics where table_name = 'm' and index_type <> 'BTREE'",
            "s",
        ),
        ("drop index s on m", "ok 0"),
        ("drop index f on t", "ok 0"),
        ("create fulltext index f on t (d)", "ok 0"),
        ("show warnings", note),
        ("alter table t drop index f, add fulltext index f (a2, d), algorithm = instant", "ok 0"),
        ("select id from t where match (d, a2) against ('x')", ""),
    ]);
}

#[test]
fn definitions_that_are_refused() {
    check(&[
        (
            "create table t (a int, fulltext (a))",
            "E1283 Column 'a' cannot be part of FULLTEXT index",
        ),
        ("create table t (a varbinary(9), fulltext (a))", "E1283"),
        ("create table t (a text, b text charset latin1, fulltext (a, b))", "E1283"),
        ("create table t (a text charset utf16, fulltext (a))", "E1283"),
        ("create table t (a enum('x'), fulltext (a))", "E1283"),
        ("create table t (a text, fulltext (a, a))", "E1060 Duplicate column name 'a'"),
        ("create table t (a text, fulltext (b))", "E1072"),
        ("create table t (a text, fulltext (a desc))", "E1221"),
        (
            "create table t (a text, fulltext (a) with parser nix)",
            "E1128 Function 'nix' is not defined",
        ),
        ("create table t (a varchar(9), b varchar(9) as (a), fulltext (b))", "E3106"),
        (
            "create temporary table t (a text, fulltext (a))",
            "E1796 Cannot create FULLTEXT index on temporary InnoDB table",
        ),
        (
            "create table t (id int, a text, fulltext (a)) partition by hash (id)",
            "E1214 The used table type doesn't support FULLTEXT indexes",
        ),
        ("create table p (id int, a text) partition by hash (id)", "ok 0"),
        ("create fulltext index f on p (a)", "E1214"),
        ("create temporary table q (a text)", "ok 0"),
        ("alter table q add fulltext (a)", "E1796"),
        ("create table t (a text, fulltext (a))", "ok 0"),
        ("create temporary table r like t", "E1796"),
        ("alter table t add column id int partition by hash (id)", "E1214"),
    ]);
}

/// Who reads the columns by a search needs the right to read them; whom a view gives it needs no more.
#[test]
fn rights() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            TABLE,
            ROWS,
            "create user u@localhost",
            "grant select (id, title) on articles to u@localhost",
        ])
        .await;
        c.all(&[
            "create view v as select id, title, body from articles",
            "grant select on v to u@localhost",
        ])
        .await;
        let mut u = s.client_in("u", "test");
        u.check(&[
            ("select id from articles where match (title, body) against ('tutorial')", "E1143"),
            ("select id from v where match (title, body) against ('tutorial')", "1; 3"),
        ])
        .await;
        c.all(&["grant select (body) on articles to u@localhost"]).await;
        u.check(&[(
            "select id from articles where match (title, body) against ('tutorial')",
            "1; 3",
        )])
        .await;
    });
}

#[test]
fn memory_is_charged_and_given_back() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (id int primary key auto_increment, a varchar(99), fulltext (a))",
            "insert into t (a) values ('word one'), ('word two')",
        ])
        .await;
        for n in 0..13 {
            c.rows(&format!("insert into t (a) select concat(a, ' x{n}') from t")).await;
        }
        c.all(&["set connection_memory_limit = 2097152"]).await;
        let find = "select count(*) from t where match (a) against ('word')";
        assert_eq!(c.ask(find).await.errno(), 4082);
        c.all(&["set connection_memory_limit = default"]).await;
        assert_eq!(c.rows(find).await, "16384");
        let before = c.0.memory().used();
        assert_eq!(c.rows("select count(*) from t where match (a) against ('nothing')").await, "0");
        assert_eq!(c.0.memory().used(), before);
    });
}

/// A search waits for a row as any reader of a SERIALIZABLE transaction does, and ends when it is killed.
#[test]
fn a_killed_search_ends() {
    with_server(1, |server| async move {
        let mut a = server.client();
        a.all(&[TABLE, ROWS, "begin", "delete from articles where id = 2"]).await;
        let rt = server.inst.db.rt().clone();
        let kill = server.kill_switch();
        let mut b = server.client_with(kill.clone());
        b.all(&["set transaction_isolation = 'SERIALIZABLE'", "begin"]).await;
        let running = rt.spawn("b", async move {
            let answer =
                b.ask("select id from articles where match (title, body) against ('mysql')").await;
            (b, answer)
        });
        rt.sleep(Duration::from_millis(20)).await;
        kill.kill(KillKind::Query);
        let (b, answer) = running.await;
        assert_eq!(answer.errno(), 1317, "{}", answer.line());
        for c in [a, b] {
            c.0.close().await;
        }
    });
}
