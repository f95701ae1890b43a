//! Somebody with few rights on one schema, while another one grants and revokes them.

use super::{Client, Connection};
use crate::model::Rights;

/// The user whose rights change.
pub const READER: &str = "reader";

/// Privileges that are granted and revoked.
const GRANTED: [&str; 8] =
    ["SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER", "INDEX"];

/// A statement and the rights on `p` without which it is denied. `None`: it is always denied.
const CASES: [(&str, Option<&[&str]>); 22] = [
    ("SELECT COUNT(*) FROM p.seen", Some(&["SELECT"])),
    ("SELECT v FROM p.seen WHERE id = 1", Some(&["SELECT"])),
    ("SELECT v FROM p.seen WHERE id = 1 LOCK IN SHARE MODE", Some(&["SELECT"])),
    ("INSERT INTO p.seen VALUES (1, 1)", Some(&["INSERT"])),
    ("INSERT INTO p.seen SELECT id + 100, v FROM p.seen WHERE id = 1", Some(&["INSERT", "SELECT"])),
    ("INSERT INTO p.seen VALUES (1, 1) ON DUPLICATE KEY UPDATE v = 2", Some(&["INSERT", "UPDATE"])),
    ("REPLACE INTO p.seen VALUES (2, 2)", Some(&["INSERT", "DELETE"])),
    ("UPDATE p.seen SET v = 1", Some(&["UPDATE"])),
    ("UPDATE p.seen SET v = v + 1 WHERE id = 1", Some(&["UPDATE", "SELECT"])),
    ("DELETE FROM p.seen WHERE id = 101", Some(&["DELETE", "SELECT"])),
    ("CREATE TABLE p.x (id INT)", Some(&["CREATE"])),
    ("DROP TABLE p.x", Some(&["DROP"])),
    ("TRUNCATE TABLE p.seen", Some(&["DROP"])),
    ("CREATE INDEX i ON p.seen (v)", Some(&["INDEX"])),
    ("ALTER TABLE p.seen COMMENT 'a'", Some(&["ALTER", "CREATE", "INSERT"])),
    // As others run it, so that its plan is known.
    ("SELECT v FROM own WHERE id = 0", None),
    ("SELECT SUM(v), COUNT(*) FROM bank", None),
    ("UPDATE bank SET v = v + 1 WHERE id = 1", None),
    ("DELETE FROM s.bank", None),
    ("INSERT INTO p.seen SELECT id, v FROM s.own", None),
    ("DROP TABLE s.bank", None),
    ("CREATE USER other@localhost", None),
];

/// Access denied to a schema, a table, a column, a statement.
const DENIED: [u16; 5] = [1044, 1045, 1142, 1143, 1227];
/// What somebody with all rights may hear of these statements.
const ALLOWED: [u16; 4] = [1050, 1051, 1061, 1062];

impl Client {
    pub(super) async fn with_few_rights(&mut self) {
        let id = self.new_id();
        // Rights are looked up when somebody connects, too.
        let from = self.stage.world().step();
        let mut c = self.stage.connect(id, READER);
        c.ask("SET innodb_lock_wait_timeout = 1, lock_wait_timeout = 1").await;
        for _ in 0..1 + self.rng.below(3) {
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
            self.judge_rights(sql, needs, DENIED.contains(&a.errno()), a.errno(), from);
        }
        c.close().await;
    }

    fn judge_rights(
        &mut self,
        sql: &str,
        needs: Option<&[&str]>,
        denied: bool,
        errno: u16,
        from: u64,
    ) {
        let mut w = self.stage.world();
        let to = w.step();
        let allowed = |r: &Rights| needs.is_some_and(|n| n.iter().all(|p| r.contains(p)));
        let done = errno == 0 || ALLOWED.contains(&errno);
        // What was interrupted or timed out tells nothing.
        if denied && !w.rights.possible(from, to, |r| !allowed(r)) {
            w.fail("rights", format!("{sql} is denied ({errno}) to whoever has all it needs"));
        }
        if done && !w.rights.possible(from, to, allowed) {
            w.fail("rights", format!("{sql} is done ({errno}) for whoever has not all it needs"));
        }
    }

    /// One client alone changes rights; the others leave it.
    pub(super) async fn change_rights(&mut self, c: &mut Connection) {
        if self.no != 1 {
            return;
        }
        let now = self.stage.world().rights.now().cloned().unwrap_or_default();
        let right = GRANTED[self.rng.below(GRANTED.len() as u64) as usize];
        let mut new = now.clone();
        let sql = if now.contains(right) {
            new.remove(right);
            format!("REVOKE {right} ON p.* FROM {READER}@localhost")
        } else {
            new.insert(right);
            format!("GRANT {right} ON p.* TO {READER}@localhost")
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
