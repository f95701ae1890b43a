//! Statements that MySQL 8.0's grammar refuses, class by class, each next to what it takes. Asked of a MySQL server.

use super::{opts, parse};
use crate::parse::{ParseOptions, parse_one};

/// Each statement with the number of its error, 0 for one that is taken.
fn check(cases: &[(&str, u16)]) {
    let mut wrong = Vec::new();
    for (sql, errno) in cases {
        let got = parse(sql).err();
        let found = got.as_ref().map_or(0, |e| e.errno);
        if found != *errno {
            wrong.push(format!("{sql}: {errno} expected, {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the error names as its place.
fn near(sql: &str) -> String {
    let message = String::from(parse(sql).expect_err(sql).message);
    let (_, rest) = message.split_once(" near '").unwrap_or(("", &message));
    rest.rsplit_once("' at line").map_or(rest, |(near, _)| near).to_owned()
}

/// A definition of the dictionary loads, whatever was narrowed since it was written down.
fn check_stored(statements: &[&str]) {
    let stored = ParseOptions { stored: true, ..opts() };
    for sql in statements {
        assert_eq!(parse(sql).expect_err(sql).errno, 1064, "{sql}");
        if let Err(e) = parse_one(sql.as_bytes(), &stored) {
            panic!("{sql}: {e}");
        }
    }
}

#[test]
fn names_of_roles() {
    check(&[
        ("DROP ROLE CURRENT_USER", 1064),
        ("DROP ROLE IF EXISTS x, CURRENT_USER()", 1064),
        ("CREATE ROLE CURRENT_USER", 1064),
        ("CREATE ROLE none", 1064),
        ("CREATE ROLE file", 1064),
        ("CREATE ROLE 'none', `proxy`", 0),
        ("GRANT CURRENT_USER TO x", 1064),
        ("REVOKE CURRENT_USER FROM x", 1064),
        ("GRANT none TO x", 1064),
        ("GRANT r TO none, CURRENT_USER", 0),
        ("SET ROLE CURRENT_USER", 1064),
        ("SET ROLE ALL EXCEPT CURRENT_USER", 1064),
        ("SET ROLE ALL EXCEPT NONE", 1064),
        ("SET ROLE ALL EXCEPT r, s@h", 0),
        ("SET DEFAULT ROLE CURRENT_USER TO x", 1064),
        ("SET DEFAULT ROLE r TO CURRENT_USER", 1064),
        ("SET DEFAULT ROLE NONE TO x, y", 0),
        ("CREATE USER e DEFAULT ROLE CURRENT_USER", 1064),
        ("CREATE USER e DEFAULT ROLE NONE", 1064),
        ("ALTER USER x DEFAULT ROLE CURRENT_USER", 1064),
        ("SHOW GRANTS FOR x USING CURRENT_USER", 0),
        ("DROP USER CURRENT_USER", 0),
    ]);
    assert_eq!(near("DROP ROLE IF EXISTS x, CURRENT_USER"), "CURRENT_USER");
}

#[test]
fn clauses_of_accounts() {
    check(&[
        ("ALTER USER u DEFAULT ROLE ALL", 0),
        ("ALTER USER CURRENT_USER DEFAULT ROLE NONE", 0),
        ("ALTER USER u DEFAULT ROLE ALL ACCOUNT LOCK", 1064),
        ("ALTER USER u DEFAULT ROLE NONE REQUIRE SSL", 1064),
        ("ALTER USER u IDENTIFIED BY 'x' DEFAULT ROLE ALL", 1064),
        ("ALTER USER u DISCARD OLD PASSWORD DEFAULT ROLE ALL", 1064),
        ("ALTER USER u, v DEFAULT ROLE ALL", 1064),
        ("CREATE USER e COMMENT 'x' ACCOUNT LOCK", 1064),
        ("CREATE USER e ACCOUNT LOCK COMMENT 'x'", 0),
        ("CREATE USER e COMMENT 'x' ATTRIBUTE '{}'", 1064),
        ("ALTER USER e ATTRIBUTE '{}' PASSWORD EXPIRE", 1064),
        ("CREATE USER e REQUIRE SUBJECT 'x' AND", 1064),
        ("CREATE USER e REQUIRE SUBJECT 'x' AND ISSUER 'y'", 0),
        ("CREATE USER e REQUIRE SUBJECT 'x' ISSUER 'y'", 0),
    ]);
    assert_eq!(near("ALTER USER u DEFAULT ROLE a REQUIRE SSL"), "REQUIRE SSL");
    assert_eq!(near("CREATE USER e COMMENT 'x' ACCOUNT LOCK"), "ACCOUNT LOCK");
}

#[test]
fn hosts_stand_right_behind_the_sign() {
    check(&[
        ("CREATE USER a @localhost", 0),
        ("CREATE USER a@ localhost", 1064),
        ("CREATE USER 'a'@ 'localhost'", 1064),
        ("CREATE USER e@", 0),
        ("SET PASSWORD FOR a @ b = 'x'", 1064),
        ("GRANT SELECT ON t TO a @ b", 1064),
        ("CREATE DEFINER = a@ b PROCEDURE p() SELECT 1", 1064),
        ("CREATE DEFINER = a @b PROCEDURE p() SELECT 1", 0),
    ]);
    check_stored(&["CREATE PROCEDURE p() CREATE USER a @ localhost"]);
}

#[test]
fn privileges() {
    check(&[
        ("GRANT FOO BAR ON t TO u", 1064),
        ("GRANT FOO ON *.* TO u", 0),
        ("GRANT SELECT INSERT ON t TO u", 1064),
        ("GRANT NOT SELECT ON t TO u", 1064),
        ("GRANT TO SELECT ON t TO u", 1064),
        ("GRANT SELECT AS zz ON t TO u", 1064),
        ("GRANT CREATE TEMPORARY ON t TO u", 1064),
        ("GRANT CREATE TEMPORARY TABLES, LOCK TABLES, GRANT OPTION ON *.* TO u", 0),
        ("GRANT SELECT (a), REFERENCES (b), foo (a) ON t TO u", 0),
        ("GRANT SELECT, ALL ON t TO u", 1064),
        ("REVOKE zz PROXY ON t FROM u", 1064),
        ("GRANT EXECUTE (a) ON PROCEDURE p1 TO u", 1064),
        ("GRANT DELETE (a) ON t TO u", 1064),
        ("GRANT foo@h ON *.* TO u", 1064),
        ("GRANT SELECT TO u", 1064),
        ("GRANT ALL PRIVILEGES, GRANT OPTION TO u", 1064),
        ("REVOKE ALL PRIVILEGES, GRANT OPTION FROM u", 0),
        ("GRANT SELECT ON t TO u IDENTIFIED BY 'x'", 1064),
        ("GRANT r TO u IDENTIFIED WITH p", 1064),
        ("GRANT SELECT ON t TO u DISCARD OLD PASSWORD", 1064),
        ("GRANT r TO u AS root", 1064),
        ("GRANT PROXY ON a TO u AS root", 1064),
        ("GRANT SELECT ON *.* TO u WITH GRANT OPTION AS root WITH ROLE DEFAULT", 0),
    ]);
    assert_eq!(near("GRANT SELECT INSERT ON t TO u"), "INSERT ON t TO u");
    assert_eq!(near("GRANT ALL PRIVILEGES, GRANT OPTION TO u"), ", GRANT OPTION TO u");
    let message = String::from(parse("GRANT SELECT TO u").unwrap_err().message);
    assert_eq!(message, "Illegal authorization identifier near 'SELECT TO u' at line 1");
    check_stored(&["CREATE PROCEDURE p() GRANT FOO BAR ON t TO u"]);
}

#[test]
fn clauses_of_views_before_programs() {
    check(&[
        ("CREATE OR REPLACE PROCEDURE p() SELECT 1", 1064),
        ("CREATE OR REPLACE DEFINER = a@b PROCEDURE p() SELECT 1", 1064),
        ("CREATE ALGORITHM = MERGE FUNCTION f() RETURNS INT RETURN 1", 1064),
        (
            "CREATE SQL SECURITY INVOKER TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1",
            1064,
        ),
        ("CREATE ALGORITHM = MERGE EVENT x ON SCHEDULE EVERY 1 DAY DO SELECT 1", 1064),
        ("ALTER DEFINER = a@b PROCEDURE p COMMENT 'x'", 1064),
        ("ALTER ALGORITHM = MERGE FUNCTION f COMMENT 'x'", 1064),
        ("ALTER SQL SECURITY INVOKER EVENT e COMMENT 'x'", 1064),
        ("ALTER DEFINER = a@b EVENT e COMMENT 'x'", 0),
        ("ALTER PROCEDURE p DETERMINISTIC", 1064),
        ("ALTER FUNCTION f NOT DETERMINISTIC", 1064),
        ("ALTER FUNCTION f SQL SECURITY INVOKER", 0),
        ("CREATE VIEW v AS SELECT 1 WITH LOCAL CASCADED CHECK OPTION", 1064),
        ("CREATE VIEW v AS SELECT 1 WITH CASCADED CHECK OPTION", 0),
    ]);
    assert_eq!(near("CREATE OR REPLACE PROCEDURE p() SELECT 1"), "PROCEDURE p() SELECT 1");
    assert_eq!(near("ALTER PROCEDURE p NOT DETERMINISTIC"), "NOT DETERMINISTIC");
}

#[test]
fn scopes_before_variables_of_programs() {
    check(&[
        ("CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET SESSION NEW.a = 1", 1064),
        ("CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET @@NEW.a = 1", 1064),
        ("CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1", 0),
        ("CREATE PROCEDURE p(x INT) SET SESSION x = 1", 1064),
        ("CREATE PROCEDURE p(x INT) SET GLOBAL x = 1", 1064),
        ("CREATE PROCEDURE p(sql_mode INT) SET SESSION sql_mode = ''", 1064),
        ("CREATE PROCEDURE p(x INT) SET SESSION sql_mode = ''", 0),
        ("RESET PERSIST IF EXISTS", 1064),
        ("RESET PERSIST", 0),
        ("RESET PERSIST IF EXISTS x", 0),
    ]);
    assert_eq!(near("CREATE PROCEDURE p(x INT) SET SESSION x = 1"), "x = 1");
    check_stored(&["CREATE PROCEDURE p(x INT) SET GLOBAL x = 1"]);
}

#[test]
fn values_of_table_options() {
    let table = |option: &str| format!("CREATE TABLE n1 (a INT) {option}");
    let taken = [
        "ENGINE := InnoDB COMMENT := 'x' DEFAULT CHARSET := utf8mb4",
        "KEY_BLOCK_SIZE=1.5",
        "MAX_ROWS=1e1",
        "CHECKSUM=0x5 TABLE_CHECKSUM=1",
        "PACK_KEYS=0x1 STATS_PERSISTENT=DEFAULT STATS_AUTO_RECALC=0x0",
        "STATS_SAMPLE_PAGES=DEFAULT",
        "AUTO_INCREMENT=99999999999999999999",
        "AUTOEXTEND_SIZE=4M",
        "AUTOEXTEND_SIZE=0x400000",
        "ROW_FORMAT=compact INSERT_METHOD=LAST TABLESPACE `x` STORAGE MEMORY",
        "SECONDARY_ENGINE=NULL ENGINE='InnoDB'",
        "COLLATE=binary UNION=() DATA DIRECTORY '/x', INDEX DIRECTORY='/y'",
    ];
    let refused = [
        "MAX_ROWS=0x5",
        "MIN_ROWS='1'",
        "DELAY_KEY_WRITE=DEFAULT",
        "PACK_KEYS=2",
        "STATS_PERSISTENT=zz",
        "STATS_SAMPLE_PAGES=0",
        "STATS_SAMPLE_PAGES=70000",
        "AUTO_INCREMENT=0x5",
        "AUTO_INCREMENT AS SELECT 1",
        "AUTOEXTEND_SIZE=DEFAULT",
        "ROW_FORMAT=zz",
        "ROW_FORMAT=`dynamic`",
        "INSERT_METHOD=zz",
        "STORAGE=DISK",
        "TABLESPACE='x'",
        "SECONDARY_ENGINE=DEFAULT",
        "ENGINE=NULL",
        "ENGINE 1",
        "ENGINE AS SELECT 1",
        "CHARSET=DEFAULT",
        "COLLATE=DEFAULT",
        "PASSWORD EXPIRE",
        "COMMENT=x'41'",
        "DATA DIRECTORY=x",
        "UNION zz",
        "ENGINE=InnoDB,",
        "ENGINE=InnoDB, SELECT 1 AS a",
    ];
    for (options, errno) in [(&taken[..], 0), (&refused[..], 1064)] {
        for option in options {
            check(&[(&*table(option), errno)]);
        }
    }
    let message = String::from(parse(&table("STATS_SAMPLE_PAGES=0")).unwrap_err().message);
    let want = "The valid range for stats_sample_pages is [1, 65535]. Error near '0' at line 1";
    assert_eq!(message, want);
    check_stored(&["CREATE PROCEDURE p() CREATE TABLE n1 (a INT) ROW_FORMAT=zz MAX_ROWS='1'"]);
}

#[test]
fn options_of_partitions_and_schemas() {
    let by = "CREATE TABLE n1 (a INT) PARTITION BY";
    check(&[
        (&*format!("{by} HASH(a) (PARTITION p0 STORAGE ENGINE = InnoDB MAX_ROWS = 0x1)"), 0),
        (&*format!("{by} HASH(a) (PARTITION p0 STORAGE)"), 1064),
        (&*format!("{by} HASH(a) (PARTITION p0 CHARSET utf8mb4)"), 1064),
        (&*format!("{by} HASH(a) (PARTITION p0 MIN_ROWS = 1.5)"), 1064),
        (&*format!("{by} HASH(a) (PARTITION 'p0')"), 1064),
        (&*format!("{by} KEY ALGORITHM = 3 (a)"), 1064),
        (&*format!("{by} HASH(a) PARTITIONS 0x2"), 0),
        ("ALTER DATABASE d READ ONLY = 2", 1064),
        ("ALTER DATABASE d READ ONLY = 0x1", 0),
        ("ALTER DATABASE d DEFAULT READ ONLY = 0", 1064),
        ("CREATE DATABASE d READ ONLY = 0", 1064),
        ("ALTER DATABASE CHARSET = utf8mb4", 1064),
        ("ALTER DATABASE ENCRYPTION 'N'", 1064),
        ("ALTER DATABASE DEFAULT CHARSET utf8mb4", 0),
    ]);
}

#[test]
fn strings_side_by_side_numbers_and_dots() {
    check(&[
        ("CREATE TABLE n1 (a INT COMMENT 'a' 'b')", 1064),
        ("CREATE TABLE n1 (a ENUM('a' 'b'))", 1064),
        ("SHOW TABLES LIKE 'a' 'b'", 1064),
        ("SELECT 'a' 'b' LIKE 'c' 'd'", 0),
        ("SELECT * FROM JSON_TABLE('[]', '$' '.a' COLUMNS (x INT PATH '$' '.b')) j", 0),
        ("SELECT GROUP_CONCAT(a SEPARATOR 'a' 'b') FROM t", 1064),
        ("XA START 'a' 'b'", 1064),
        ("XA START 'a','b',0x3", 0),
        ("SELECT 1 LIMIT 0x1", 1064),
        ("SELECT CAST(1 AS CHAR(0x3))", 1064),
        ("CREATE TABLE n1 (a VARCHAR(0x41))", 1064),
        ("EXPLAIN FOR CONNECTION 0x41", 0),
        ("SELECT * FROM .t1", 1064),
        ("SELECT .a FROM t", 1064),
        ("INSERT INTO t (.id) VALUES (1)", 1064),
        ("CALL .p1()", 1064),
    ]);
    assert_eq!(near("SELECT 1 LIMIT 0x1"), "0x1");
    check_stored(&["CREATE PROCEDURE p() SELECT .a FROM .t1 LIMIT 0x1"]);
}

#[test]
fn columns() {
    let cases = [
        ("JSON(3)", 1064),
        ("DATE(3)", 1064),
        ("TINYTEXT(3)", 1064),
        ("TEXT(3)", 0),
        ("LONG VARCHAR(3)", 1064),
        ("DOUBLE(5)", 1064),
        ("DOUBLE PRECISION(5,2)", 0),
        ("FLOAT(5)", 0),
        ("CHAR(3) ASCII ASCII", 1064),
        ("CHAR(3) BINARY ASCII", 0),
        ("CHAR(3) CHARSET latin1 BINARY", 0),
        ("CHAR(3) BYTE BINARY", 1064),
        ("CHAR(3) CHARSET latin1 CHARSET latin1", 1064),
        ("NCHAR(3) BINARY", 0),
        ("NCHAR(3) CHARSET latin1", 1064),
        ("INT COLUMN_FORMAT zz", 1064),
        ("INT STORAGE DEFAULT COLUMN_FORMAT DEFAULT", 0),
        ("INT NOT NULL AS (1)", 1064),
        ("INT AS (1) AS (2)", 1064),
        ("CHAR(3) COLLATE utf8mb4_bin AS (1) NOT NULL", 0),
        ("INT REFERENCES t1 (id) NOT NULL", 1064),
        ("INT NOT NULL REFERENCES t1 (id) ON DELETE CASCADE ON UPDATE CASCADE", 0),
        ("INT, FOREIGN KEY (b) REFERENCES t1 (id) ON DELETE CASCADE ON DELETE CASCADE", 1064),
        ("INT CHECK (b > 1) NOT ENFORCED ENFORCED", 0),
        ("INT, CHECK (b > 1) NOT ENFORCED ENFORCED", 1064),
        ("INT DEFAULT BINARY 1", 1064),
        ("INT DEFAULT - -1", 1064),
        ("INT DEFAULT +1", 0),
        ("INT DEFAULT -0x41", 1064),
        ("INT, FULLTEXT KEY (b) USING BTREE", 1064),
        ("INT, FULLTEXT KEY (b) WITH PARSER ngram", 0),
        ("INT, KEY (b) WITH PARSER ngram", 1064),
        ("INT, KEY USING BTREE (b) KEY_BLOCK_SIZE := 4", 0),
    ];
    for (text, errno) in cases {
        check(&[(&*format!("CREATE TABLE n1 (b {text})"), errno)]);
    }
    check(&[
        ("SELECT CAST(a AS CHAR CHARSET latin1 CHARSET latin1) FROM t", 1064),
        ("SELECT CAST(a AS CHAR BINARY ASCII) FROM t", 0),
        ("SELECT CAST(a AS NCHAR BINARY) FROM t", 1064),
        ("SELECT WEIGHT_STRING('a' AS CHAR(3))", 0),
        ("SELECT WEIGHT_STRING('a' AS CHAR)", 1064),
        ("CREATE PROCEDURE p(x CHAR(3) COLLATE utf8mb4_bin) SELECT 1", 1235),
        ("CREATE PROCEDURE p(x CHAR(3) CHARSET utf8mb4 COLLATE utf8mb4_bin) SELECT 1", 0),
    ]);
    check_stored(&["CREATE PROCEDURE p() CREATE TABLE n1 (b JSON(3), c INT NOT NULL AS (1))"]);
}

#[test]
fn lists_of_changes() {
    check(&[
        ("ALTER TABLE t COMMENT 'x' ENGINE=InnoDB, ADD x INT", 0),
        ("ALTER TABLE t COMMENT 'x' ADD x INT", 1064),
        ("ALTER TABLE t COMMENT 'x' FORCE", 1064),
        ("ALTER TABLE t ADD x INT PARTITION BY HASH(x)", 0),
        ("ALTER TABLE t ADD x INT, PARTITION BY HASH(x)", 1064),
        ("ALTER TABLE t ADD x INT, REMOVE PARTITIONING", 1064),
        ("ALTER TABLE t ADD PARTITION PARTITIONS 2, ALGORITHM=INPLACE", 1064),
        ("ALTER TABLE t ALGORITHM=INPLACE, ADD PARTITION PARTITIONS 2", 0),
        ("ALTER TABLE t ORDER BY a DESC, b", 0),
        ("ALTER TABLE t ORDER BY a + 1", 1064),
        ("ALTER TABLE t CONVERT TO CHARACTER SET = latin1", 1064),
        ("ALTER TABLE t ALGORITHM=ON", 1064),
        ("ALTER TABLE t ALGORITHM := DEFAULT, LOCK = NONE", 0),
        ("ALTER TABLE t ALTER a SET DEFAULT NOW()", 1064),
        ("ALTER TABLE t ALTER a SET DEFAULT (NOW())", 0),
        ("ALTER TABLE t DROP INDEX PRIMARY", 1064),
        ("ALTER TABLE t DROP INDEX `PRIMARY`", 0),
        ("DROP INDEX PRIMARY ON t", 1064),
        ("DROP INDEX a ON t LOCK = NONE LOCK = NONE", 1064),
        ("DROP INDEX a ON t LOCK = NONE ALGORITHM = INPLACE", 0),
        ("SELECT 1 FROM t USE INDEX (PRIMARY)", 0),
    ]);
    assert_eq!(near("ALTER TABLE t COMMENT 'x' ADD x INT"), "ADD x INT");
}

#[test]
fn arguments_that_the_grammar_counts() {
    check(&[
        ("SELECT REPLACE(1,2)", 1064),
        ("SELECT YEAR(1,2)", 1064),
        ("SELECT WEEK(1), WEEK(1,2), COALESCE(1), FORMAT(1,2), TIMESTAMP('a')", 0),
        ("SELECT WEEK()", 1064),
        ("SELECT COALESCE()", 1064),
        ("SELECT CURDATE(1)", 1064),
        ("SELECT CURRENT_USER(1)", 1064),
        ("SELECT NOW(3), NOW(), UTC_TIME(6), CURRENT_TIMESTAMP(), USER(), DATABASE()", 0),
        ("SELECT NOW(1+1)", 1064),
        ("SELECT CURRENT_TIMESTAMP('3')", 1064),
        ("SELECT ROW_NUMBER(1) OVER ()", 1064),
        ("SELECT FIRST_VALUE(a) OVER (), NTH_VALUE(a, 2) OVER () FROM t", 0),
        ("SELECT CONCAT()", 0),
        ("SELECT ON(1)", 1064),
        ("SELECT PRIMARY(1)", 1064),
        ("SELECT STD(DISTINCT 1)", 1064),
        ("SELECT COUNT(ALL *), MIN(DISTINCTROW 1), AVG(DISTINCT 2)", 0),
        ("SELECT 1 UNION DISTINCTROW SELECT 1", 0),
    ]);
    assert_eq!(near("SELECT REPLACE(1,2)"), ")");
    assert_eq!(near("SELECT YEAR(1,2)"), ",2)");
}

#[test]
fn conditions_and_labels() {
    let signal = "CREATE PROCEDURE p(x INT) SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =";
    for value in ["-1", "(1)", "1+1", "CONCAT('a')", "@a := 1", "'x' COLLATE utf8mb4_bin"] {
        check(&[(&*format!("{signal} {value}"), 1064)]);
    }
    for value in ["@@version", "x", "'a' 'b'", "NULL", "@a"] {
        check(&[(&*format!("{signal} {value}"), 0)]);
    }
    check(&[
        ("GET DIAGNOSTICS CONDITION 1 @a = MESSAGE_TEXT", 0),
        ("GET DIAGNOSTICS CONDITION (1) @a = MESSAGE_TEXT", 1064),
        ("CREATE PROCEDURE p() BEGIN END zz", 1064),
        ("CREATE PROCEDURE p() LOOP SELECT 1; END LOOP zz", 1064),
        ("CREATE PROCEDURE p() a: BEGIN END zz", 1310),
        ("CREATE PROCEDURE p() a: BEGIN END a", 0),
    ]);
    assert_eq!(near("CREATE PROCEDURE p() BEGIN END zz"), "zz");
}

#[test]
fn places_of_into_and_of_words_about_the_result() {
    check(&[
        ("SELECT 1 FROM t INTO @x", 0),
        ("(SELECT 1 FROM t INTO @x)", 0),
        ("SELECT 1 UNION SELECT 2 INTO @x", 0),
        ("WITH c AS (SELECT 1) SELECT * FROM c INTO @x", 0),
        ("CREATE TABLE n1 AS SELECT a FROM t INTO @x", 1064),
        ("INSERT INTO n1 SELECT a FROM t INTO @x", 1064),
        ("SELECT * FROM (SELECT 1 FROM t INTO @x) d", 1064),
        ("SELECT (SELECT 1 FROM t INTO @x)", 1064),
        ("SELECT a INTO @x FROM t UNION ALL SELECT b FROM t", 3954),
        ("SELECT a INTO @x FROM t INTO @y", 3953),
        ("SELECT HIGH_PRIORITY 1 UNION SELECT 2", 0),
        ("SELECT 1 UNION SELECT HIGH_PRIORITY 2", 1234),
        ("(SELECT HIGH_PRIORITY 1) UNION SELECT 2", 0),
        ("SELECT * FROM (SELECT SQL_BUFFER_RESULT 1) d", 1234),
        ("SELECT 1 IN (SELECT SQL_CALC_FOUND_ROWS 1)", 1234),
        ("UPDATE t SET a = (SELECT HIGH_PRIORITY 1)", 1234),
        ("CREATE TABLE n1 AS SELECT HIGH_PRIORITY 1", 0),
        ("INSERT INTO n1 SELECT SQL_CALC_FOUND_ROWS 1", 0),
        ("WITH c AS (SELECT 1) SELECT HIGH_PRIORITY * FROM c", 0),
        ("SELECT SQL_NO_CACHE 1 UNION SELECT SQL_NO_CACHE 1", 0),
    ]);
    assert_eq!(near("INSERT INTO n1 SELECT a FROM t INTO @x"), "INTO @x");
}

#[test]
fn handlers_by_their_own_names() {
    check(&[
        ("HANDLER d.t OPEN", 0),
        ("HANDLER d.t OPEN AS h", 0),
        ("HANDLER h READ FIRST", 0),
        ("HANDLER h READ k >= (1, 2) WHERE a = 1 LIMIT 2", 0),
        ("HANDLER h READ `PRIMARY` FIRST", 0),
        ("HANDLER h READ PRIMARY FIRST", 1064),
        ("HANDLER h READ k = ()", 1064),
        ("HANDLER h CLOSE", 0),
        ("HANDLER d.t READ FIRST", 1064),
        ("HANDLER d.t CLOSE", 1064),
    ]);
    assert_eq!(near("HANDLER h READ FIRST WHERE a IN (SELECT 1)"), "(SELECT 1)");
    assert_eq!(near("HANDLER h READ FIRST WHERE EXISTS (SELECT 1)"), "(SELECT 1)");
    assert_eq!(near("HANDLER h READ k = (SELECT 1)"), "SELECT 1)");
    assert_eq!(near("HANDLER h READ k = ((SELECT 1))"), "(SELECT 1))");
    assert_eq!(near("HANDLER d.t READ k FIRST"), "READ k FIRST");
    assert_eq!(near("HANDLER d.t CLOSE"), "CLOSE");
    assert_eq!(near("HANDLER h READ k = ()"), ")");
}
