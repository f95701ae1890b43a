//! Expressions from templates: `{n}` is a number, `{s}` a text, `{d}` a date or time, `{i}` a small integer, `{e}` anything,
//! `{j}` a JSON text. One argument in eight is of another class than its place asks for.

use super::Generator;
use super::words::{
    ANY, CONDITIONS, DATES, INTEGERS, JSON, LITERALS_DATE, LITERALS_INTEGER, LITERALS_JSON,
    LITERALS_NUMBER, LITERALS_TEXT, NUMBERS, TEXTS,
};
use crate::tree::{Tree, text};

/// What a place asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Number,
    Text,
    Date,
    Integer,
    Json,
    Any,
    Condition,
}

const CLASSES: [Class; 5] = [Class::Number, Class::Text, Class::Date, Class::Integer, Class::Json];

impl Generator {
    pub fn expression(&mut self, class: Class, depth: usize) -> Tree {
        let class = match class {
            Class::Any => CLASSES[self.below(CLASSES.len())],
            Class::Condition | Class::Json => class,
            _ if self.chance(0.12) => CLASSES[self.below(CLASSES.len())],
            _ => class,
        };
        if depth == 0 || self.chance(0.2) {
            return self.leaf(class);
        }
        let templates = match class {
            Class::Number => NUMBERS,
            Class::Text => TEXTS,
            Class::Date => DATES,
            Class::Integer => INTEGERS,
            Class::Json => JSON,
            Class::Condition => CONDITIONS,
            Class::Any => ANY,
        };
        let templates = if self.chance(0.15) && class != Class::Json { ANY } else { templates };
        let template = templates[self.below(templates.len())];
        self.fill(template, depth - 1)
    }

    /// A template with its places filled.
    pub fn fill(&mut self, template: &str, depth: usize) -> Tree {
        let mut parts = Vec::new();
        let mut rest = template;
        while let Some(at) = rest.find('{') {
            let (before, place) = rest.split_at(at);
            parts.push(text(before));
            let class = match place.as_bytes().get(1) {
                Some(b'n') => Class::Number,
                Some(b's') => Class::Text,
                Some(b'd') => Class::Date,
                Some(b'i') => Class::Integer,
                Some(b'j') => Class::Json,
                Some(b'c') => Class::Condition,
                _ => Class::Any,
            };
            parts.push(self.expression(class, depth));
            rest = place.get(3..).unwrap_or_default();
        }
        parts.push(text(rest));
        Tree::Expr(parts)
    }

    fn leaf(&mut self, class: Class) -> Tree {
        if class == Class::Condition {
            let template = CONDITIONS[self.below(6)];
            return self.fill(template, 0);
        }
        if !self.scope.is_empty() && self.chance(0.6) {
            let fitting: Vec<_> = self.scope.iter().filter(|c| c.class == class).collect();
            let from = if fitting.is_empty() || self.rng.chance(0.1) {
                self.scope.iter().collect()
            } else {
                fitting
            };
            let column = from[self.rng.below(from.len() as u64) as usize];
            return Tree::Expr(vec![text(column.name.clone())]);
        }
        if self.chance(0.06) {
            return Tree::Expr(vec![text("NULL")]);
        }
        let list = match class {
            Class::Number => LITERALS_NUMBER,
            Class::Text | Class::Any | Class::Condition => LITERALS_TEXT,
            Class::Date => LITERALS_DATE,
            Class::Integer => LITERALS_INTEGER,
            Class::Json => LITERALS_JSON,
        };
        Tree::Expr(vec![text(list[self.below(list.len())])])
    }
}
