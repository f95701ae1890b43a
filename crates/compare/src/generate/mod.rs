//! What is asked: schemas, rows and statements from a seed.
//!
//! Everything is drawn from one generator of random numbers, so a seed and the number of a round say everything. Statements are
//! trees (`crate::tree`), which the shrinker cuts. Invariant: a statement means the same in MySQL and MariaDB as far as the
//! words here go; what it answers may differ, and `crate::known` says where it may.

mod expression;
mod statement;
mod table;
mod words;

pub use expression::Class;
pub use table::Table;
use weir_rt::Rng;

/// A column that an expression may name.
#[derive(Clone, Debug)]
pub struct Scoped {
    pub name: String,
    pub class: Class,
}

#[derive(Debug)]
pub struct Generator {
    rng: Rng,
    scope: Vec<Scoped>,
    pub tables: Vec<Table>,
}

/// Each is asked for in one round of so many.
const MODES: &[&str] = &[
    "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION",
    "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO",
    "",
    "ONLY_FULL_GROUP_BY,STRICT_ALL_TABLES,ANSI_QUOTES,PIPES_AS_CONCAT",
    "STRICT_TRANS_TABLES,ALLOW_INVALID_DATES,NO_UNSIGNED_SUBTRACTION",
    "NO_BACKSLASH_ESCAPES,HIGH_NOT_PRECEDENCE,PAD_CHAR_TO_FULL_LENGTH",
];

impl Generator {
    pub fn new(seed: u64) -> Generator {
        let mut rng = Rng::new(seed);
        // Neighbouring seeds start far from each other.
        rng.next_u64();
        Generator { rng, scope: Vec::new(), tables: Vec::new() }
    }

    fn below(&mut self, n: usize) -> usize {
        self.rng.below(n as u64) as usize
    }

    fn chance(&mut self, p: f64) -> bool {
        self.rng.chance(p)
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// The statements that make a session of the round: mode and schema.
    pub fn setup(&mut self) -> Vec<String> {
        let mode = if self.chance(0.5) { MODES[0] } else { self.pick(MODES) };
        let mut all = vec![
            "DROP DATABASE IF EXISTS weir_compare".into(),
            "CREATE DATABASE weir_compare CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci".into(),
            "USE weir_compare".into(),
            "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci".into(),
            "SET time_zone = '+00:00', timestamp = 1718454896".into(),
            format!("SET sql_mode = '{mode}'"),
        ];
        for i in 0..3 {
            let table = self.table(i);
            all.push(table.create.clone());
            self.tables.push(table);
        }
        all
    }
}
