//! Words that comments and documents do without, each with what to write in its place. A native reader stumbles over them; the field has
//! others. Counts of words that are still there may only fall.

use crate::source;
use std::path::Path;

/// The word, what to write, and how often it is still there.
const WORDS: &[(&str, &str, usize)] = &[
    ("whoever", "the session, caller or reader that", 0),
    ("anew", "again", 0),
    ("but for", "except for", 3),
    ("stands behind", "comes after", 0),
    ("is none", "is not one, there is no", 104),
    ("is told", "is reported, learns", 210),
    ("are told", "are reported, learn", 59),
];

/// Comments of sources, and documents as a whole.
fn texts() -> Vec<(String, String)> {
    let root = source::root();
    let mut all = Vec::new();
    for dir in ["crates", "docs"] {
        walk(&root.join(dir), &root, &mut all);
    }
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        let text = std::fs::read_to_string(root.join(name)).expect("a document is there");
        all.push((name.to_owned(), text.to_lowercase()));
    }
    all
}

fn walk(dir: &Path, root: &Path, all: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(dir).expect("a folder is read") {
        let path = entry.expect("an entry is read").path();
        if path.is_dir() {
            walk(&path, root, all);
            continue;
        }
        let name = path.strip_prefix(root).expect("under the root").display().to_string();
        let kind = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        // This file holds the words themselves.
        if !matches!(kind, "rs" | "md") || name.ends_with("house/words.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text is read").to_lowercase();
        let comments = |l: &str| l.find("//").map(|at| l[at..].to_owned());
        let text = match kind {
            "rs" => text.lines().filter_map(comments).collect::<Vec<_>>().join("\n"),
            _ => text,
        };
        all.push((name, text));
    }
}

/// Places where the word stands by itself.
fn places(text: &str, word: &str) -> usize {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let alone = |at: usize| {
        edge(text[..at].chars().next_back()) && edge(text[at + word.len()..].chars().next())
    };
    text.match_indices(word).filter(|(at, _)| alone(*at)).count()
}

#[test]
fn words_that_are_not_ours() {
    let texts = texts();
    let mut wrong = String::new();
    for (word, instead, known) in WORDS {
        let counts: Vec<(&str, usize)> =
            texts.iter().map(|(name, t)| (name.as_str(), places(t, word))).collect();
        let found: usize = counts.iter().map(|(_, n)| n).sum();
        if found > *known {
            let most = counts.iter().filter(|(_, n)| *n > 0).take(20);
            let most: Vec<String> = most.map(|(name, n)| format!("  {name}: {n}")).collect();
            wrong += &format!(
                "\"{word}\" stands {found} times, {known} are known: write \"{instead}\"\n{}\n",
                most.join("\n")
            );
        } else if found < *known {
            wrong += &format!("\"{word}\" stands {found} times only: lower its count of {known}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
