//! Tables of all types, and the rows they start with.

use super::words::{LITERALS_DATE, LITERALS_INTEGER, LITERALS_NUMBER, LITERALS_TEXT};
use super::{Class, Generator};
use crate::tree::{Tree, optional, text};

#[derive(Clone, Debug)]
pub struct Table {
    pub name: String,
    pub create: String,
    pub columns: Vec<(String, Class)>,
}

const TYPES: &[(&str, Class)] = &[
    ("TINYINT", Class::Integer),
    ("SMALLINT UNSIGNED", Class::Integer),
    ("MEDIUMINT", Class::Integer),
    ("INT", Class::Integer),
    ("INT UNSIGNED", Class::Number),
    ("BIGINT", Class::Number),
    ("BIGINT UNSIGNED", Class::Number),
    ("DECIMAL(10,3)", Class::Number),
    ("DECIMAL(30,0)", Class::Number),
    ("DOUBLE", Class::Number),
    ("BIT(8)", Class::Integer),
    ("CHAR(8)", Class::Text),
    ("VARCHAR(20)", Class::Text),
    ("VARCHAR(20) COLLATE utf8mb4_bin", Class::Text),
    ("VARCHAR(20) COLLATE utf8mb4_unicode_ci", Class::Text),
    ("VARCHAR(20) CHARACTER SET latin1", Class::Text),
    ("TEXT", Class::Text),
    ("VARBINARY(12)", Class::Text),
    ("BINARY(4)", Class::Text),
    ("BLOB", Class::Text),
    ("ENUM('a','b','C','')", Class::Text),
    ("SET('x','y','z')", Class::Text),
    ("DATE", Class::Date),
    ("TIME", Class::Date),
    ("TIME(3)", Class::Date),
    ("DATETIME", Class::Date),
    ("DATETIME(6)", Class::Date),
    ("YEAR", Class::Date),
];

impl Generator {
    pub(super) fn table(&mut self, i: usize) -> Table {
        let mut columns = vec![("id".to_string(), Class::Integer)];
        let mut create = format!("CREATE TABLE t{i} (id INT NOT NULL PRIMARY KEY");
        let count = 3 + self.below(5);
        for c in 0..count {
            let (ty, class) = TYPES[self.below(TYPES.len())];
            create.push_str(&format!(", c{c} {ty}"));
            if self.chance(0.1) {
                create.push_str(" NOT NULL");
            }
            columns.push((format!("c{c}"), class));
            let long = matches!(ty, "TEXT" | "BLOB");
            if self.chance(0.3) {
                let part = if long { "(5)" } else { "" };
                create.push_str(&format!(", KEY k{c} (c{c}{part})"));
            }
        }
        create.push(')');
        Table { name: format!("t{i}"), create, columns }
    }

    /// A value that mostly fits a column of the class.
    pub(super) fn constant(&mut self, class: Class) -> Tree {
        if self.chance(0.12) {
            return Tree::Expr(vec![text("NULL")]);
        }
        let class = if self.chance(0.05) { Class::Any } else { class };
        let list = match class {
            Class::Number => LITERALS_NUMBER,
            Class::Integer => LITERALS_INTEGER,
            Class::Date => LITERALS_DATE,
            _ => LITERALS_TEXT,
        };
        Tree::Expr(vec![text(self.pick(list))])
    }

    /// `INSERT` of one row; `id` is the key.
    pub fn insert_row(&mut self, table: usize, id: u64) -> Tree {
        let columns = self.tables[table].columns.clone();
        let mut items = vec![text(id.to_string())];
        for (_, class) in &columns[1..] {
            items.push(self.constant(*class));
        }
        let list = Tree::List { separator: ", ", items, least: usize::MAX };
        let ignore = optional(text("IGNORE "));
        let name = &self.tables[table].name;
        Tree::Seq(vec![
            text("INSERT "),
            ignore,
            text(format!("INTO {name} VALUES (")),
            list,
            text(")"),
        ])
    }
}
