//! Definitions that change, beside queries as text and prepared, that must show one that was there.

use super::{Client, Connection, Stage};
use crate::model::Columns;
use std::sync::atomic::Ordering;

impl Stage {
    /// A definition statement begins.
    pub fn note_ddl(&self) {
        self.ddl_begun.fetch_add(1, Ordering::Relaxed);
    }
}

impl Client {
    /// A query of a table that may change meanwhile.
    pub(super) async fn look(&mut self, c: &mut Connection) {
        let k = self.rng.below(self.stage.world().tables.len() as u64) as usize;
        let from = self.stage.world().step();
        let sql = format!("SELECT * FROM d{k}");
        if self.rng.chance(0.2) {
            c.patience = Some(self.rng.below(6) as usize);
        }
        c.may_fail_with = vec![1146];
        let a = if self.rng.chance(0.3) {
            match c.prepare(&sql).await {
                Err(a) => a,
                Ok(p) => {
                    self.pause().await;
                    c.may_fail_with = vec![1146];
                    let a = c.execute(&sql, p.id, &[]).await;
                    c.forget(p.id);
                    a
                }
            }
        } else {
            c.ask(&sql).await
        };
        let seen: Option<Columns> = match a.errno() {
            0 => Some(a.columns),
            1146 => None,
            _ => return,
        };
        let mut w = self.stage.world();
        let to = w.step();
        if !w.tables[k].possible(from, to, |d| *d == seen) {
            let what = format!("{sql} shows {seen:?}, which it never was from {from} to {to}");
            w.fail("definitions", what);
        }
    }

    /// A definition statement on the client's own table, or an INSERT into somebody's.
    pub(super) async fn define(&mut self, c: &mut Connection) {
        let tables = self.stage.world().tables.len() as u64;
        if self.no >= tables || self.rng.chance(0.3) {
            return self.insert(c, tables).await;
        }
        let k = self.no as usize;
        let now = self.stage.world().tables[k].now().cloned().flatten();
        let (sql, new) = match now {
            None => (format!("CREATE TABLE d{k} (id INT PRIMARY KEY)"), Some(vec!["id".into()])),
            Some(columns) => self.change(k, columns),
        };
        {
            let mut w = self.stage.world();
            let step = w.step();
            w.tables[k].begin(step, new);
        }
        self.stage.note_ddl();
        self.perhaps_vanish(c);
        let a = c.ask(&sql).await;
        let works = self.stage.engine_works();
        {
            let mut w = self.stage.world();
            let step = w.step();
            match a.error {
                None => w.tables[k].succeeded(step),
                Some(_) if works => w.tables[k].failed(),
                Some(_) => {}
            }
        }
        self.no_room_is_held();
    }

    /// What is dropped is closed before its name goes, so no moment finds a file that has no name and is open.
    fn no_room_is_held(&mut self) {
        let held = self.stage.disk.held_of("tables/");
        if held > 0 {
            let what = format!("{held} bytes of dropped tables are held by open descriptors");
            self.stage.world().fail("space", what);
        }
    }

    async fn insert(&mut self, c: &mut Connection, tables: u64) {
        let (k, n) = (self.rng.below(tables), self.rng.below(1000));
        c.may_fail_with = vec![1146];
        let sql = format!("INSERT IGNORE INTO d{k} (id) VALUES ({n}), ({}), ({})", n + 1, n + 2);
        c.ask(&sql).await;
    }

    /// Any but the key, of which there is one.
    fn some_column(&mut self, columns: &Columns) -> usize {
        let key = columns.iter().position(|c| c == "id").unwrap_or(0);
        let others = columns.len() as u64 - 1;
        (key + 1 + self.rng.below(others) as usize) % columns.len()
    }

    fn change(&mut self, k: usize, columns: Columns) -> (String, Option<Columns>) {
        let n = self.rng.below(1000);
        match self.rng.below(9) {
            0 => (format!("DROP TABLE d{k}"), None),
            1 => (format!("TRUNCATE TABLE d{k}"), Some(columns)),
            2 if columns.len() > 1 => {
                let i = self.some_column(&columns);
                let sql = format!("ALTER TABLE d{k} DROP COLUMN {}", columns[i]);
                let mut left = columns;
                left.remove(i);
                (sql, Some(left))
            }
            3 if columns.len() > 1 => {
                let i = self.some_column(&columns);
                let new = format!("r{n}");
                let sql = format!("ALTER TABLE d{k} RENAME COLUMN {} TO {new}", columns[i]);
                let mut renamed = columns;
                renamed[i] = new;
                (sql, Some(renamed))
            }
            4 if columns.len() < 6 && !columns.contains(&format!("c{n}")) => {
                let sql = format!("ALTER TABLE d{k} ADD COLUMN c{n} INT DEFAULT {n} FIRST");
                (sql, Some([format!("c{n}")].into_iter().chain(columns).collect()))
            }
            5 | 6 if columns.len() < 6 && !columns.contains(&format!("c{n}")) => {
                let sql = format!("ALTER TABLE d{k} ADD COLUMN c{n} INT DEFAULT {n}");
                (sql, Some(columns.into_iter().chain([format!("c{n}")]).collect()))
            }
            _ => (format!("ALTER TABLE d{k} ENGINE = InnoDB"), Some(columns)),
        }
    }
}
