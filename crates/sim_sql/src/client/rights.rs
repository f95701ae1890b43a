//! Somebody with few rights, while another one grants and revokes them: on a schema, a table, columns, a routine, and by a role.

use super::{Client, Connection};
use crate::model::Rights;

/// The user whose rights change.
pub const READER: &str = "reader";

/// What is granted and revoked: its name here, the words of the statement, what they stand on. A grant of a role stands on nothing.
const GRANTED: [(&str, &str, &str); 18] = [
    ("SELECT", "SELECT", "p.*"),
    ("INSERT", "INSERT", "p.*"),
    ("UPDATE", "UPDATE", "p.*"),
    ("DELETE", "DELETE", "p.*"),
    ("CREATE", "CREATE", "p.*"),
    ("DROP", "DROP", "p.*"),
    ("ALTER", "ALTER", "p.*"),
    ("INDEX", "INDEX", "p.*"),
    ("EXECUTE", "EXECUTE", "p.*"),
    ("EVENT", "EVENT", "p.*"),
    ("CREATE VIEW", "CREATE VIEW", "p.*"),
    ("table: SELECT", "SELECT", "p.seen"),
    ("table: INSERT", "INSERT", "p.seen"),
    ("column: SELECT", "SELECT (v)", "p.seen"),
    ("column: UPDATE", "UPDATE (v)", "p.seen"),
    ("view: SELECT", "SELECT", "p.of_definer"),
    ("routine: EXECUTE", "EXECUTE", "FUNCTION p.total"),
    ("role", "seer@localhost", ""),
];

/// Ways to one right: any of them is enough.
type Ways = &'static [&'static str];

/// The whole table, one column of it, and so on. The role has SELECT on the schema.
const READS: Ways = &["SELECT", "table: SELECT", "role"];
const READS_V: Ways = &["SELECT", "table: SELECT", "column: SELECT", "role"];
const READS_VIEW: Ways = &["SELECT", "view: SELECT", "role"];
const INSERTS: Ways = &["INSERT", "table: INSERT"];
const UPDATES_V: Ways = &["UPDATE", "column: UPDATE"];
const DELETES: Ways = &["DELETE"];
const CALLS: Ways = &["EXECUTE", "routine: EXECUTE"];

/// A statement and the rights without which it is denied. `None`: it is always denied.
const CASES: [(&str, Option<&[Ways]>); 34] = [
    ("SELECT COUNT(id) FROM p.seen", Some(&[READS])),
    ("SELECT id, v FROM p.seen WHERE id = 1", Some(&[READS])),
    ("SELECT v FROM p.seen WHERE v = 1", Some(&[READS_V])),
    ("SELECT MAX(v) FROM p.seen", Some(&[READS_V])),
    ("SELECT v FROM p.seen WHERE id = 1 LOCK IN SHARE MODE", Some(&[READS])),
    ("INSERT INTO p.seen VALUES (1, 1)", Some(&[INSERTS])),
    ("INSERT INTO p.seen SELECT id + 100, v FROM p.seen WHERE id = 1", Some(&[INSERTS, READS])),
    ("INSERT INTO p.seen VALUES (1, 1) ON DUPLICATE KEY UPDATE v = 2", Some(&[INSERTS, UPDATES_V])),
    ("REPLACE INTO p.seen VALUES (2, 2)", Some(&[INSERTS, DELETES])),
    ("UPDATE p.seen SET v = 1", Some(&[UPDATES_V])),
    ("UPDATE p.seen SET v = v + 1", Some(&[UPDATES_V, READS_V])),
    ("UPDATE p.seen SET id = 7 WHERE id = 77", Some(&[&["UPDATE"], READS])),
    ("UPDATE p.seen a JOIN p.seen b ON a.id = b.id SET a.v = 3", Some(&[UPDATES_V, READS])),
    ("DELETE FROM p.seen WHERE id = 101", Some(&[DELETES, READS])),
    ("CREATE TABLE p.x (id INT)", Some(&[&["CREATE"]])),
    ("DROP TABLE p.x", Some(&[&["DROP"]])),
    ("TRUNCATE TABLE p.seen", Some(&[&["DROP"]])),
    ("CREATE INDEX i ON p.seen (v)", Some(&[&["INDEX"]])),
    ("ALTER TABLE p.seen COMMENT 'a'", Some(&[&["ALTER"]])),
    ("CREATE VIEW p.w AS SELECT v FROM p.seen", Some(&[&["CREATE VIEW"], READS_V])),
    ("CREATE EVENT p.e ON SCHEDULE AT '2037-01-01' DO SET @a = 1", Some(&[&["EVENT"]])),
    ("DROP EVENT p.e", Some(&[&["EVENT"]])),
    // By the rights of the one who made it.
    ("SELECT n FROM p.of_definer", Some(&[READS_VIEW])),
    ("SELECT p.total()", Some(&[CALLS])),
    // By one's own.
    ("SELECT n FROM p.of_invoker", None),
    ("CALL p.of_invoker()", None),
    // As others run it, so that its plan is known.
    ("SELECT v FROM own WHERE id = 0", None),
    ("SELECT SUM(v), COUNT(*) FROM bank", None),
    ("UPDATE bank SET v = v + 1 WHERE id = 1", None),
    ("DELETE FROM s.bank", None),
    ("INSERT INTO p.seen SELECT id, v FROM s.own", None),
    ("DROP TABLE s.bank", None),
    ("CALL s.move_money(0, 1, 1)", None),
    ("CREATE USER other@localhost", None),
];

/// Access denied to a schema, a table, a column, a statement, a routine; a view whose reader has not all that it needs.
const DENIED: [u16; 7] = [1044, 1045, 1142, 1143, 1227, 1356, 1370];
/// What somebody with all rights may hear of these statements.
const ALLOWED: [u16; 6] = [1050, 1051, 1061, 1062, 1537, 1539];

/// What the reader meets.
pub fn reader_tables() -> Vec<String> {
    [
        "DROP USER IF EXISTS reader@localhost",
        "DROP ROLE IF EXISTS seer@localhost",
        "CREATE USER reader@localhost IDENTIFIED BY ''",
        "CREATE ROLE seer@localhost",
        "DROP DATABASE IF EXISTS p",
        "CREATE DATABASE p",
        "CREATE TABLE p.seen (id INT PRIMARY KEY, v INT)",
        "CREATE SQL SECURITY DEFINER VIEW p.of_definer AS SELECT COUNT(*) AS n FROM s.bank",
        "CREATE SQL SECURITY INVOKER VIEW p.of_invoker AS SELECT COUNT(*) AS n FROM s.bank",
        "CREATE FUNCTION p.total() RETURNS BIGINT READS SQL DATA RETURN (SELECT SUM(v) FROM s.bank)",
        "CREATE PROCEDURE p.of_invoker() SQL SECURITY INVOKER SELECT COUNT(*) FROM s.bank",
        "GRANT SELECT ON p.* TO seer@localhost",
        "GRANT SELECT ON p.* TO reader@localhost",
        // So that a call of it is denied for what it does, and not for itself.
        "GRANT EXECUTE ON PROCEDURE p.of_invoker TO reader@localhost",
        "GRANT SELECT ON p.of_invoker TO reader@localhost",
    ]
    .map(String::from)
    .to_vec()
}

impl Client {
    pub(super) async fn with_few_rights(&mut self) {
        let id = self.new_id();
        // A role is active in sessions that begin after its grant.
        let connected = self.stage.world().step();
        let mut c = self.stage.connect(id, READER);
        c.ask("SET innodb_lock_wait_timeout = 1, lock_wait_timeout = 1").await;
        for _ in 0..1 + self.rng.below(4) {
            let from = self.stage.world().step();
            let (sql, needs) = CASES[self.rng.below(CASES.len() as u64) as usize];
            c.may_fail_with = [&DENIED[..], &ALLOWED[..]].concat();
            let a = if self.rng.chance(0.25) {
                match c.prepare(sql).await {
                    Err(a) => a,
                    Ok(p) => {
                        self.pause().await;
                        c.may_fail_with = [&DENIED[..], &ALLOWED[..]].concat();
                        let a = c.execute(sql, p.id, &[]).await;
                        c.forget(p.id);
                        a
                    }
                }
            } else {
                c.ask(sql).await
            };
            self.judge_rights(sql, needs, a.errno(), (connected, from));
        }
        c.close().await;
    }

    fn judge_rights(
        &mut self,
        sql: &str,
        needs: Option<&[Ways]>,
        errno: u16,
        (connected, from): (u64, u64),
    ) {
        let mut w = self.stage.world();
        let to = w.step();
        let has = |r: &Rights, ways: &Ways| ways.iter().any(|p| r.contains(p));
        let allowed = |r: &Rights| needs.is_some_and(|n| n.iter().all(|ways| has(r, ways)));
        let (denied, done) = (DENIED.contains(&errno), errno == 0 || ALLOWED.contains(&errno));
        let has_role = !w.rights.possible(connected, to, |r| !r.contains("role"));
        let refused = |r: &Rights| {
            let mut active = r.clone();
            active.retain(|p| has_role || *p != "role");
            !allowed(&active)
        };
        // What was interrupted or timed out tells nothing.
        if denied && !w.rights.possible(from, to, refused) {
            let now = w.rights.now().cloned();
            w.fail(
                "rights",
                format!("{sql} is denied ({errno}) and all it needs is granted: {now:?}"),
            );
        }
        if done && !w.rights.possible(from, to, allowed) {
            let now = w.rights.now().cloned();
            w.fail("rights", format!("{sql} is done ({errno}) without a right it needs: {now:?}"));
        }
    }

    /// One client alone changes rights; the others leave it.
    pub(super) async fn change_rights(&mut self, c: &mut Connection) {
        if self.no != 1 {
            return;
        }
        let now = self.stage.world().rights.now().cloned().unwrap_or_default();
        let (right, words, on) = GRANTED[self.rng.below(GRANTED.len() as u64) as usize];
        let mut new = now.clone();
        let on = if on.is_empty() { String::new() } else { format!(" ON {on}") };
        let sql = if now.contains(right) {
            new.remove(right);
            format!("REVOKE {words}{on} FROM {READER}@localhost")
        } else {
            new.insert(right);
            format!("GRANT {words}{on} TO {READER}@localhost")
        };
        {
            let mut w = self.stage.world();
            let step = w.step();
            w.rights.begin(step, new);
        }
        let a = c.ask(&sql).await;
        let works = self.stage.engine_works();
        let mut w = self.stage.world();
        let step = w.step();
        match a.error {
            None => w.rights.succeeded(step),
            Some(_) if works => w.rights.failed(),
            Some(_) => {}
        }
    }
}

/// The rights that the lines of SHOW GRANTS tell.
pub fn found_rights(rows: &[Vec<String>]) -> Rights {
    let lines: Vec<&str> = rows.iter().flatten().map(String::as_str).collect();
    let told = |(_, words, on): &(&str, &str, &str)| {
        let shown = |t: &str| t.split('.').map(quoted).collect::<Vec<_>>().join(".");
        lines.iter().any(|line| {
            let Some(rest) = line.strip_prefix("GRANT ") else { return false };
            if on.is_empty() {
                return rest.starts_with("`seer`@");
            }
            let Some((list, place)) = rest.split_once(" ON ") else { return false };
            let on = match on.split_once(' ') {
                Some((kind, name)) => format!("{kind} {} TO", shown(name)),
                None => format!("{} TO", shown(on)),
            };
            let words = words.replace("(v)", "(`v`)");
            place.starts_with(&on) && list.split(", ").any(|x| x == words)
        })
    };
    GRANTED.iter().filter(|g| told(g)).map(|g| g.0).collect()
}

fn quoted(name: &str) -> String {
    if name == "*" { name.into() } else { format!("`{name}`") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_are_read_as_they_are_shown() {
        let lines = [
            "GRANT USAGE ON *.* TO `reader`@`localhost`",
            "GRANT SELECT, CREATE VIEW ON `p`.* TO `reader`@`localhost`",
            "GRANT INSERT, UPDATE (`v`) ON `p`.`seen` TO `reader`@`localhost`",
            "GRANT EXECUTE ON FUNCTION `p`.`total` TO `reader`@`localhost`",
            "GRANT `seer`@`localhost` TO `reader`@`localhost`",
        ];
        let rows: Vec<Vec<String>> = lines.iter().map(|l| vec![(*l).to_string()]).collect();
        let want = [
            "SELECT",
            "CREATE VIEW",
            "table: INSERT",
            "column: UPDATE",
            "routine: EXECUTE",
            "role",
        ];
        assert_eq!(found_rights(&rows), Rights::from(want));
    }
}
