//! LOAD DATA from files of the server and of the client, and SELECT ... INTO OUTFILE: all of a file's rows are there, or none, and what
//! was written comes back as it was.

use super::partitions::pairs_of;
use super::{Client, Connection};
use crate::model::{Change, difference};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Keys that each client has of its own.
const OWN: i64 = 64;

/// All rows of the table that files are loaded into.
pub const LOADED: &str = "SELECT id, v FROM loaded";

/// What becomes of a row whose key is there already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Duplicates {
    Error,
    Ignore,
    Replace,
}

impl Client {
    pub(super) async fn load(&mut self, c: &mut Connection) {
        let low = self.no as i64 * OWN;
        if self.rng.chance(0.25) {
            self.clear(c, low).await;
        }
        let rows = self.stage.world().loaded.of(low, low + OWN);
        let local = self.rng.chance(0.5);
        let (how, word) = [
            (Duplicates::Error, ""),
            (Duplicates::Ignore, "IGNORE "),
            (Duplicates::Replace, "REPLACE "),
        ][self.rng.below(3) as usize];
        // A client cannot take back what it has sent, so that the statement goes on as with IGNORE.
        let how = if local && how == Duplicates::Error { Duplicates::Ignore } else { how };
        let (file, change) = self.file_of_rows(low, how, &rows);
        let path = format!("{}.csv", self.no);
        let sql = format!(
            "LOAD DATA {}INFILE '{path}' {word}INTO TABLE loaded FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' IGNORE 1 LINES (id, @v, @rest) SET v = @v + 0",
            if local { "LOCAL " } else { "" }
        );
        match local {
            true => c.sends = Some(file),
            false => self.stage.files.put(&path, file),
        }
        let known = change.clone().unwrap_or_default();
        self.stage.world().loaded.begin(&known);
        c.has_variables = true;
        self.perhaps_vanish(c);
        c.may_fail_with = vec![1062];
        let a = c.ask(&sql).await;
        self.judge_load(&sql, &known, change.is_none(), a.errno());
        self.look_at_loaded(c, low).await;
    }

    fn judge_load(&self, sql: &str, change: &Change, refused: bool, errno: u16) {
        let works = self.stage.engine_works();
        let mut w = self.stage.world();
        match errno {
            0 if refused => w.fail("unique", format!("{sql} loads a key that is there")),
            0 => w.loaded.succeeded(change),
            1062 if !refused => w.fail("errors", format!("{sql} finds a key that is not there")),
            _ if works => w.loaded.failed(change),
            _ => {}
        }
    }

    /// A file of some rows, and what it does to the table; `None`: a key is there already, and the statement must fail.
    fn file_of_rows(
        &mut self,
        low: i64,
        how: Duplicates,
        rows: &BTreeMap<i64, i64>,
    ) -> (Vec<u8>, Option<Change>) {
        let mut text = String::from("a line, that is skipped\n");
        let (mut change, mut twice) = (Change::new(), false);
        for _ in 0..1 + self.rng.below(24) {
            let id = low + self.rng.below(OWN as u64) as i64;
            let v = self.stage.world().step() as i64;
            let _ = writeln!(text, "{id},{v},\"a, b\\\n\"");
            let there = rows.contains_key(&id) || change.contains_key(&id);
            twice |= there;
            if !there || how == Duplicates::Replace {
                change.insert(id, Some(v));
            }
        }
        let fails = twice && how == Duplicates::Error;
        (text.into_bytes(), (!fails).then_some(change))
    }

    async fn clear(&mut self, c: &mut Connection, low: i64) {
        let rows = self.stage.world().loaded.of(low, low + OWN);
        let change: Change = rows.keys().map(|k| (*k, None)).collect();
        self.stage.world().loaded.begin(&change);
        let sql = format!("DELETE FROM loaded WHERE id >= {low} AND id < {}", low + OWN);
        let a = c.ask(&sql).await;
        let works = self.stage.engine_works();
        let mut w = self.stage.world();
        match a.error {
            None => w.loaded.succeeded(&change),
            Some(_) if works => w.loaded.failed(&change),
            Some(_) => {}
        }
    }

    /// The client's rows, as they are sent or as they are written to a file.
    async fn look_at_loaded(&mut self, c: &mut Connection, low: i64) {
        let own = format!("WHERE id >= {low} AND id < {}", low + OWN);
        let found = if self.rng.chance(0.3) {
            let path = format!("{}.out", self.no);
            self.stage.files.take(&path);
            let sql = format!(
                "{LOADED} {own} INTO OUTFILE '{path}' FIELDS TERMINATED BY ';' LINES TERMINATED BY '\\r\\n'"
            );
            let a = c.ask(&sql).await;
            let file = self.stage.files.take(&path);
            if a.error.is_some() {
                if file.is_some() {
                    self.stage.world().fail("files", format!("{sql} failed and left its file"));
                }
                return;
            }
            lines_of(&file.unwrap_or_default())
        } else {
            let a = c.ask(&format!("{LOADED} {own}")).await;
            if a.error.is_some() {
                return;
            }
            pairs_of(&a)
        };
        let mut w = self.stage.world();
        let want = w.loaded.of(low, low + OWN);
        if let Some(what) = difference(&want, &found).filter(|_| self.stage.engine_works()) {
            w.fail("rows", format!("loaded rows of client {}: {what}", self.no));
        }
    }
}

/// The pairs of numbers in a file of two fields.
fn lines_of(file: &[u8]) -> BTreeMap<i64, i64> {
    let text = String::from_utf8_lossy(file);
    let pair = |l: &str| {
        let (a, b) = l.split_once(';')?;
        Some((a.parse().ok()?, b.parse().ok()?))
    };
    text.split("\r\n").filter_map(pair).collect()
}
