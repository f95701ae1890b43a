//! The tables `mysql.help_topic`, `help_category`, `help_keyword` and `help_relation`.

use super::{help, s};
use crate::value::Value;

type Row = Vec<Value<'static>>;

fn number(n: u32) -> Value<'static> {
    Value::UInt(n.into())
}

/// The rows of one of them, by its name; `None`: it is another table.
pub fn rows(name: &str) -> Option<Vec<Row>> {
    let help = help();
    let keywords = help.keywords.iter().zip(0..);
    Some(match name {
        "help_topic" => {
            let row = |t: &super::Topic| {
                let (description, example) = (s(&t.description), s(&t.example));
                vec![number(t.id), s(&t.name), number(t.category), description, example, s("")]
            };
            help.topics.iter().map(row).collect()
        }
        "help_category" => {
            let row = |c: &super::Category| {
                vec![number(c.id), s(&c.name), c.parent.map_or(Value::Null, number), s("")]
            };
            help.categories.iter().map(row).collect()
        }
        "help_keyword" => keywords.map(|((word, _), id)| vec![number(id), s(word)]).collect(),
        "help_relation" => {
            let rows = keywords.flat_map(|((_, topics), id)| {
                topics.iter().map(move |topic| vec![number(*topic), number(id)])
            });
            rows.collect()
        }
        _ => return None,
    })
}
