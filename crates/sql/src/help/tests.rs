use super::{answer, help};
use crate::value::Value;
use weir_syntax::parse::{ParseOptions, parse_one};

fn cell(v: &Value<'_>) -> String {
    v.to_string_lossy().unwrap_or_default()
}

fn asked(mask: &str) -> Vec<String> {
    let rows = answer(mask).rows;
    rows.iter().map(|r| r.iter().map(cell).collect::<Vec<_>>().join("|")).collect()
}

#[test]
fn every_example_is_a_statement_and_every_topic_is_whole() {
    let mut bad = String::new();
    for topic in &help().topics {
        let parts: Vec<&str> = topic.description.trim_end().split("\n\n").collect();
        if parts.len() < 2 || parts.iter().any(|p| p.is_empty()) {
            bad += &format!("{}: it has no syntax or no meaning\n", topic.name);
        }
        if topic.example.is_empty() {
            continue;
        }
        if let Err(e) = parse_one(topic.example.as_bytes(), &ParseOptions::default()) {
            bad += &format!("{}: {}: {e:?}\n", topic.name, topic.example);
        }
    }
    assert!(bad.is_empty(), "\n{bad}");
    let mut names: Vec<&str> = help().topics.iter().map(|t| &*t.name).collect();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "two topics have one name");
}

#[test]
fn topics_are_found_as_in_mysql() {
    assert_eq!(asked("ABS"), ["ABS|Syntax:\nABS(a)\n\nThe absolute value.\n\n|SELECT ABS(-3.5)"]);
    assert!(asked("select")[0].starts_with("SELECT|Syntax:\nSELECT [ALL"));
    assert_eq!(asked("nonesuch"), [""; 0]);
    assert_eq!(asked("drop%")[..2], ["DROP DATABASE|N", "DROP EVENT|N"]);
    assert!(asked("Contents").contains(&"Contents|Transactions|Y".to_owned()));
    assert!(asked("transactions").contains(&"Transactions|SAVEPOINT|N".to_owned()));
    assert!(asked("functions").contains(&"Functions|Numeric Functions|Y".to_owned()));
    assert!(asked("numeric functions").contains(&"Numeric Functions|ABS|N".to_owned()));
    // A word of one statement's syntax is as good as its name.
    assert!(asked("nowait")[0].starts_with("SELECT|"));
    // Topics and categories together.
    assert!(asked("%function%").contains(&"Functions|Y".to_owned()));
    assert!(asked("%function%").contains(&"CREATE FUNCTION|N".to_owned()));
}
