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
