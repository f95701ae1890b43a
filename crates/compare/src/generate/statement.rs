//! Statements over the tables of a round.

use super::words::{AGGREGATES, WINDOWS};
use super::{Class, Generator, Scoped};
use crate::tree::{Tree, optional, text};

/// Depth of the expressions of a select list.
const DEPTH: usize = 3;

impl Generator {
    /// One statement; `true`: it may change rows.
    pub fn statement(&mut self) -> (Tree, bool) {
        self.scope.clear();
        match self.below(20) {
            0..=4 => (self.values(), false),
            5..=10 => (self.select(), false),
            11..=12 => (self.grouped(), false),
            13 => (self.windowed(), false),
            14 => (self.union(), false),
            15 => (self.insert(), true),
            16..=17 => (self.update(), true),
            18 => (self.delete(), true),
            _ => (self.insert_select(), true),
        }
    }

    /// `SELECT` of expressions without a table.
    fn values(&mut self) -> Tree {
        let count = 1 + self.below(3);
        let items = (0..count).map(|_| self.expression(Class::Any, DEPTH)).collect();
        Tree::Seq(vec![text("SELECT "), Tree::List { separator: ", ", items, least: 1 }])
    }

    /// Adds a table's columns to what expressions may name.
    fn see(&mut self, table: usize, alias: &str) {
        for (name, class) in &self.tables[table].columns {
            self.scope.push(Scoped { name: format!("{alias}.{name}"), class: *class });
        }
    }

    /// `FROM`, with one join now and then.
    fn from(&mut self) -> Tree {
        let first = self.below(3);
        self.see(first, "a");
        let mut parts = vec![text(format!(" FROM t{first} a"))];
        if self.chance(0.4) {
            let second = self.below(3);
            self.see(second, "b");
            let kind = self.pick(&[" JOIN", " LEFT JOIN", " RIGHT JOIN"]);
            let on = match self.below(3) {
                0 => text(" ON a.id = b.id"),
                _ => Tree::Seq(vec![text(" ON "), self.expression(Class::Condition, 1)]),
            };
            parts.push(optional(Tree::Seq(vec![text(format!("{kind} t{second} b")), on])));
        }
        Tree::Seq(parts)
    }

    fn filter(&mut self) -> Tree {
        if self.chance(0.4) {
            return Tree::Seq(Vec::new());
        }
        let inner =
            if self.chance(0.25) { self.subquery() } else { self.expression(Class::Condition, 2) };
        optional(Tree::Seq(vec![text(" WHERE "), inner]))
    }

    /// A condition with a subquery.
    fn subquery(&mut self) -> Tree {
        let table = self.below(3);
        let outer = self.expression(Class::Any, 1);
        let kept = self.scope.len();
        self.see(table, "s");
        let inner = self.expression(Class::Any, 1);
        let condition = self.expression(Class::Condition, 1);
        self.scope.truncate(kept);
        let filter = optional(Tree::Seq(vec![text(" WHERE "), condition]));
        let head = self.pick(&[
            " IN (SELECT ",
            " NOT IN (SELECT ",
            " = (SELECT MAX(",
            " > ALL (SELECT ",
            " = ANY (SELECT ",
        ]);
        let close = if head.contains("MAX") { ")" } else { "" };
        if self.chance(0.25) {
            let exists = self.pick(&["EXISTS (SELECT ", "NOT EXISTS (SELECT "]);
            let parts =
                vec![text(exists), inner, text(format!(" FROM t{table} s")), filter, text(")")];
            return Tree::Expr(parts);
        }
        let from = text(format!("{close} FROM t{table} s"));
        Tree::Expr(vec![outer, text(head), inner, from, filter, text(")")])
    }

    fn select(&mut self) -> Tree {
        let from = self.from();
        let count = 1 + self.below(3);
        let items = (0..count).map(|_| self.expression(Class::Any, DEPTH - 1)).collect();
        let list = Tree::List { separator: ", ", items, least: 1 };
        let distinct = if self.chance(0.15) { optional(text("DISTINCT ")) } else { text("") };
        let filter = self.filter();
        Tree::Seq(vec![text("SELECT "), distinct, list, from, filter])
    }

    fn grouped(&mut self) -> Tree {
        let from = self.from();
        let key = self.expression(Class::Any, 1);
        let grouped = self.chance(0.6);
        let mut items = if grouped { vec![Tree::Twin] } else { Vec::new() };
        for _ in 0..1 + self.below(2) {
            let template = self.pick(AGGREGATES);
            items.push(self.fill(template, 1));
        }
        let list = Tree::List { separator: ", ", items, least: 1 };
        let filter = self.filter();
        let mut parts = vec![text("SELECT "), list, from, filter];
        if grouped {
            parts.push(optional(Tree::Seq(vec![text(" GROUP BY "), Tree::Key(Box::new(key))])));
            if self.chance(0.3) {
                let template = self.pick(&["COUNT(*) > {i}", "MAX({n}) > {n}", "MIN({e}) IS NULL"]);
                let having = self.fill(template, 1);
                parts.push(optional(Tree::Seq(vec![text(" HAVING "), having])));
            }
        }
        Tree::Seq(parts)
    }

    fn windowed(&mut self) -> Tree {
        let table = self.below(3);
        self.see(table, "a");
        let mut window = String::new();
        if self.chance(0.5) {
            window.push_str("PARTITION BY a.c0 ");
        }
        window.push_str(self.pick(&[
            "ORDER BY a.id",
            "ORDER BY a.c1",
            "ORDER BY a.c2 DESC",
            "ORDER BY a.c1, a.id",
        ]));
        if self.chance(0.3) {
            window.push_str(self.pick(&[
                " RANGE UNBOUNDED PRECEDING",
                " RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
                " RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
            ]));
        }
        let template = self.pick(WINDOWS).replace("{o}", &window);
        let call = self.fill(&template, 1);
        let items = vec![text("a.id"), call];
        let list = Tree::List { separator: ", ", items, least: 1 };
        Tree::Seq(vec![text("SELECT "), list, text(format!(" FROM t{table} a"))])
    }

    fn union(&mut self) -> Tree {
        let count = 1 + self.below(2);
        let half = |g: &mut Generator| {
            g.scope.clear();
            let from = if g.chance(0.4) { text("") } else { g.from() };
            let items = (0..count).map(|_| g.expression(Class::Any, 1)).collect();
            let list = Tree::List { separator: ", ", items, least: count };
            Tree::Seq(vec![text("SELECT "), list, from])
        };
        let (one, two) = (half(self), half(self));
        let word = self.pick(&[" UNION ", " UNION ALL ", " UNION DISTINCT "]);
        Tree::Seq(vec![one, text(word), two])
    }

    fn insert(&mut self) -> Tree {
        let table = self.below(3);
        let columns = self.tables[table].columns.clone();
        let word = self.pick(&["INSERT INTO", "INSERT IGNORE INTO", "REPLACE INTO", "INSERT INTO"]);
        let mut rows = Vec::new();
        for _ in 0..1 + self.below(2) {
            let mut items = vec![text(self.below(16).to_string())];
            for (_, class) in &columns[1..] {
                let wild = self.chance(0.2);
                items.push(if wild {
                    self.expression(Class::Any, 1)
                } else {
                    self.expression(*class, 1)
                });
            }
            let list = Tree::List { separator: ", ", items, least: usize::MAX };
            rows.push(Tree::Seq(vec![text("("), list, text(")")]));
        }
        let rows = Tree::List { separator: ", ", items: rows, least: 1 };
        let mut parts = vec![text(format!("{word} t{table} VALUES ")), rows];
        if word == "INSERT INTO" && self.chance(0.5) {
            let (name, class) = columns[1 + self.below(columns.len() - 1)].clone();
            let value = match self.below(2) {
                0 => text(format!("VALUES({name})")),
                _ => self.expression(class, 1),
            };
            let update = vec![text(format!(" ON DUPLICATE KEY UPDATE {name} = ")), value];
            parts.push(optional(Tree::Seq(update)));
        }
        Tree::Seq(parts)
    }

    fn insert_select(&mut self) -> Tree {
        let table = self.below(3);
        let (name, class) = {
            let columns = &self.tables[table].columns;
            columns[1 + self.rng.below(columns.len() as u64 - 1) as usize].clone()
        };
        let from = self.below(3);
        self.see(from, "a");
        let value = self.expression(class, 2);
        let word = self.pick(&["INSERT INTO", "INSERT IGNORE INTO", "REPLACE INTO"]);
        let head = format!("{word} t{table} (id, {name}) SELECT a.id + 100, ");
        Tree::Seq(vec![text(head), value, text(format!(" FROM t{from} a ORDER BY a.id"))])
    }

    fn update(&mut self) -> Tree {
        let table = self.below(3);
        for (name, class) in &self.tables[table].columns {
            self.scope.push(Scoped { name: name.clone(), class: *class });
        }
        let columns = self.tables[table].columns.clone();
        let mut items = Vec::new();
        for _ in 0..1 + self.below(2) {
            let (name, class) = columns[1 + self.below(columns.len() - 1)].clone();
            let class = if self.chance(0.2) { Class::Any } else { class };
            items.push(Tree::Seq(vec![text(format!("{name} = ")), self.expression(class, 2)]));
        }
        let ignore = if self.chance(0.3) { optional(text("IGNORE ")) } else { text("") };
        let list = Tree::List { separator: ", ", items, least: 1 };
        let filter = self.filter_of(table);
        Tree::Seq(vec![
            text("UPDATE "),
            ignore,
            text(format!("t{table} SET ")),
            list,
            filter,
            text(" ORDER BY id"),
        ])
    }

    fn delete(&mut self) -> Tree {
        let table = self.below(3);
        for (name, class) in &self.tables[table].columns {
            self.scope.push(Scoped { name: name.clone(), class: *class });
        }
        let filter = self.filter_of(table);
        Tree::Seq(vec![text(format!("DELETE FROM t{table}")), filter, text(" ORDER BY id")])
    }

    /// A filter of a statement that changes a table; no subquery, which could name the table itself.
    fn filter_of(&mut self, _table: usize) -> Tree {
        if self.chance(0.3) {
            return text("");
        }
        optional(Tree::Seq(vec![text(" WHERE "), self.expression(Class::Condition, 2)]))
    }
}
