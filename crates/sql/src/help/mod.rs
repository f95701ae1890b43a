//! HELP: topics about statements, types and functions, in categories, and the tables `mysql.help_*` that have the same.
//!
//! `topics` makes them from `statements.txt` and from the table of functions with `func/meanings.txt`, once a program; here is how MySQL looks for one.
//! May use `func` and values; knows nothing of sessions.
//!
//! Invariant: everything that a topic says of a statement has an example in it that the grammar takes (tested).

pub mod tables;
mod topics;

pub use topics::{Category, Help, Topic, help};

use crate::account::host::like;
use crate::context::{ShowResult, VirtualColumn};
use crate::value::{Collation, SqlType, Value};

const TEXTS: Collation = Collation::Utf8mb3GeneralCi;

fn s(text: &str) -> Value<'static> {
    Value::text(text.as_bytes().to_vec(), TEXTS)
}

fn columns(names: &[(&'static str, u32)]) -> Vec<VirtualColumn> {
    let column = |(name, width): &(&'static str, u32)| {
        VirtualColumn::new(name, SqlType::varchar(*width, TEXTS))
    };
    names.iter().map(column).collect()
}

/// The answer to HELP. As MySQL does: one topic whole, the names of several; without any the topics of one keyword; and without these the contents of a
/// category, or the names of several.
pub fn answer(mask: &str) -> ShowResult {
    let (all, mask) = (help(), mask.to_lowercase());
    let fits = |name: &str| like(&mask, &name.to_lowercase());
    let mut topics: Vec<&Topic> = all.topics.iter().filter(|t| fits(&t.name)).collect();
    let categories: Vec<&Category> = all.categories.iter().filter(|c| fits(&c.name)).collect();
    if topics.is_empty() {
        topics = all.of_one_keyword(&fits);
    }
    match (&topics[..], &categories[..]) {
        ([topic], _) => whole(topic),
        ([], [category]) => contents(all, category),
        _ => names(&topics, &categories),
    }
}

fn whole(topic: &Topic) -> ShowResult {
    let columns = columns(&[("name", 64), ("description", 1000), ("example", 1000)]);
    let row = vec![s(&topic.name), s(&topic.description), s(&topic.example)];
    ShowResult { columns, rows: vec![row] }
}

fn names(topics: &[&Topic], categories: &[&Category]) -> ShowResult {
    let columns = columns(&[("name", 64), ("is_it_category", 1)]);
    let topics = topics.iter().map(|t| vec![s(&t.name), s("N")]);
    let rows = topics.chain(categories.iter().map(|c| vec![s(&c.name), s("Y")])).collect();
    ShowResult { columns, rows }
}

fn contents(all: &Help, category: &Category) -> ShowResult {
    let columns = columns(&[("source_category_name", 64), ("name", 64), ("is_it_category", 1)]);
    let row = |name: &str, is: &str| vec![s(&category.name), s(name), s(is)];
    let topics = all.topics.iter().filter(|t| t.category == category.id);
    let within = all.categories.iter().filter(|c| c.parent == Some(category.id));
    let rows = topics.map(|t| row(&t.name, "N")).chain(within.map(|c| row(&c.name, "Y"))).collect();
    ShowResult { columns, rows }
}

#[cfg(test)]
mod tests;
