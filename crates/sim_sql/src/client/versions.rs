//! Views, stored functions, procedures, triggers and events whose definitions say a number: made, replaced and dropped by one client each,
//! while the others ask what the number is. The answer must be a number that was defined at some moment of the question.

use super::{Client, Connection};
use crate::answer::Answer;

/// A kind of definition.
struct Kind {
    /// `{n}` stands for the number.
    create: &'static str,
    /// Gives an object that is there another number in one step, where the kind has a statement for that.
    replace: Option<&'static str>,
    drop: &'static str,
    /// Answers with the number.
    ask: &'static str,
    /// Runs before `ask`, in one transaction with it; it is what meets the definition.
    first: Option<&'static str>,
    /// What `ask` says when there is none.
    missing: u16,
}

const KINDS: [Kind; 6] = [
    Kind {
        create: "CREATE VIEW numbered AS SELECT {n} AS k FROM bank WHERE id = 0",
        replace: Some("CREATE OR REPLACE VIEW numbered AS SELECT {n} AS k FROM bank WHERE id = 0"),
        drop: "DROP VIEW numbered",
        ask: "SELECT k FROM numbered",
        first: None,
        missing: 1146,
    },
    Kind {
        create: "CREATE FUNCTION numbered() RETURNS BIGINT DETERMINISTIC READS SQL DATA RETURN (SELECT {n} FROM bank WHERE id = 1)",
        replace: None,
        drop: "DROP FUNCTION numbered",
        ask: "SELECT numbered()",
        first: None,
        missing: 1305,
    },
    Kind {
        create: "CREATE PROCEDURE numbered() BEGIN DECLARE n BIGINT DEFAULT {n}; SELECT n; END",
        replace: None,
        drop: "DROP PROCEDURE numbered",
        ask: "CALL numbered()",
        first: None,
        missing: 1305,
    },
    Kind {
        create: "CREATE TRIGGER numbered BEFORE INSERT ON tagged FOR EACH ROW SET NEW.tag = {n}",
        replace: None,
        drop: "DROP TRIGGER numbered",
        ask: "SELECT tag FROM tagged WHERE id = LAST_INSERT_ID()",
        first: Some("INSERT INTO tagged (tag) VALUES (NULL)"),
        missing: 0,
    },
    Kind {
        create: "CREATE EVENT numbered ON SCHEDULE EVERY 1 YEAR STARTS '2099-01-01 00:00:00' COMMENT '{n}' DO SET @a = 1",
        replace: Some("ALTER EVENT numbered COMMENT '{n}'"),
        drop: "DROP EVENT numbered",
        ask: "SELECT event_comment FROM information_schema.events WHERE event_schema = 's' AND event_name = 'numbered'",
        first: None,
        missing: 0,
    },
    // A view over a view and a function: both may change under it.
    Kind {
        create: "CREATE VIEW outer_numbered AS SELECT k + 1000000000 * {n} AS k FROM (SELECT 0 AS k FROM bank WHERE id = 2) t",
        replace: Some(
            "ALTER VIEW outer_numbered AS SELECT 1000000000 * {n} AS k FROM bank WHERE id = 3",
        ),
        drop: "DROP VIEW IF EXISTS outer_numbered",
        ask: "SELECT k DIV 1000000000 FROM outer_numbered",
        first: None,
        missing: 1146,
    },
];

/// How many kinds there are.
pub const VERSIONS: usize = KINDS.len();

impl Client {
    /// Changes the definition that the client has, if it has one.
    pub(super) async fn define_version(&mut self, c: &mut Connection) {
        let no = self.no as usize;
        let Some(kind) = KINDS.get(no) else { return self.ask_version(c).await };
        let there = self.stage.world().versions[no].now().is_some_and(Option::is_some);
        let n = self.stage.world().step() as i64;
        let (text, new) = match (there, kind.replace) {
            (false, _) => (kind.create, Some(n)),
            (true, Some(r)) if self.rng.chance(0.6) => (r, Some(n)),
            (true, _) => (kind.drop, None),
        };
        let sql = text.replace("{n}", &n.to_string());
        self.stage.world().versions[no].begin(n as u64, new);
        self.stage.note_ddl();
        self.perhaps_vanish(c);
        let a = c.ask(&sql).await;
        let works = self.stage.engine_works();
        let mut w = self.stage.world();
        let step = w.step();
        match a.error {
            None => w.versions[no].succeeded(step),
            Some(_) if works => w.versions[no].failed(),
            Some(_) => {}
        }
    }

    /// Asks what the number of a definition is, as text or by a statement that was prepared before.
    pub(super) async fn ask_version(&mut self, c: &mut Connection) {
        let at = self.rng.below(VERSIONS as u64) as usize;
        let kind = &KINDS[at];
        if kind.first.is_some() && c.ask("BEGIN").await.error.is_some() {
            return;
        }
        let prepared = match self.rng.chance(0.35) {
            false => None,
            true => {
                c.may_fail_with = vec![kind.missing];
                match c.prepare(kind.first.unwrap_or(kind.ask)).await {
                    Ok(p) => Some(p.id),
                    Err(_) => return self.leave(c, kind).await,
                }
            }
        };
        for _ in 0..1 + self.rng.below(3) {
            self.pause().await;
            let from = self.stage.world().step();
            let Some((a, to)) = self.number_of(c, kind, prepared).await else { break };
            let seen = match a.errno() {
                0 => a.rows.first().and_then(|r| r.first()).and_then(|v| v.parse().ok()),
                e if e == kind.missing => None,
                _ => break,
            };
            let mut w = self.stage.world();
            if !w.versions[at].possible(from, to, |v| *v == seen) {
                let what = format!("{} says {seen:?} from {from} to {to}", kind.ask);
                w.fail("definitions", format!("{what}, which was not defined then"));
            }
        }
        if let Some(id) = prepared {
            c.forget(id);
        }
        self.leave(c, kind).await;
    }

    /// The answer, and the moment by which the definition was met.
    async fn number_of(
        &mut self,
        c: &mut Connection,
        kind: &Kind,
        prepared: Option<u32>,
    ) -> Option<(Answer, u64)> {
        let text = kind.first.unwrap_or(kind.ask);
        c.may_fail_with = vec![kind.missing];
        let a = match prepared {
            Some(id) => c.execute(text, id, &[]).await,
            None => c.ask(text).await,
        };
        let to = self.stage.world().step();
        if kind.first.is_none() {
            return Some((a, to));
        }
        if a.error.is_some() {
            return None;
        }
        Some((c.ask(kind.ask).await, to))
    }

    async fn leave(&mut self, c: &mut Connection, kind: &Kind) {
        if kind.first.is_some() {
            c.ask("ROLLBACK").await;
        }
    }
}

/// What each kind says after a start.
pub async fn found_versions(c: &mut Connection) -> Result<Vec<Option<i64>>, String> {
    let mut all = Vec::new();
    for kind in &KINDS {
        if let Some(first) = kind.first {
            c.ask("BEGIN").await;
            // A read that the device refuses once says nothing of the definition.
            let again = c.ask(first).await.error.is_some();
            if again && let Some(e) = c.ask(first).await.error {
                return Err(format!("{first} after the start: {e}"));
            }
        }
        c.may_fail_with = vec![kind.missing];
        let a = c.ask(kind.ask).await;
        if let Some(e) = a.error.as_ref().filter(|e| e.errno != kind.missing) {
            return Err(format!("{} after the start: {e}", kind.ask));
        }
        all.push(a.rows.first().and_then(|r| r.first()).and_then(|v| v.parse().ok()));
        if kind.first.is_some() {
            c.ask("ROLLBACK").await;
        }
    }
    Ok(all)
}
