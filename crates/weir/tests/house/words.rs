//! Words that comments and documents do without, each with what to write in its place. A native reader stumbles over them; the field has
//! others. Counts of words that are still there may only fall.

use crate::source;
use std::path::Path;

/// The word, what to write, and how often it is still there.
const WORDS: &[(&str, &str, usize)] = &[
    ("whoever", "the session, caller or reader that", 0),
    ("anew", "again", 0),
    ("but for", "except for", 0),
    ("stands behind", "comes after", 0),
    ("is none", "is not one, there is no", 1),
    ("is told", "is reported, learns", 2),
    ("are told", "are reported, learn", 0),
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

/// Places where the word stands by itself. "There is none" is what a native would say; "is none" after anything else is not.
fn places(text: &str, word: &str) -> usize {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let alone = |at: usize| {
        let before = &text[..at];
        edge(before.chars().next_back())
            && edge(text[at + word.len()..].chars().next())
            && !(word == "is none" && (before.ends_with("there ") || before.ends_with("if ")))
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

/// The glossary explains what is said elsewhere, in order within its sections, each term once.
#[test]
fn every_term_of_the_glossary_is_used() {
    let path = source::root().join("docs/glossary.md");
    let glossary = std::fs::read_to_string(path).expect("the glossary is there");
    let texts = texts();
    let mut all: Vec<String> = Vec::new();
    let mut section: Vec<String> = Vec::new();
    for line in glossary.lines() {
        if line.starts_with("## ") {
            section.clear();
        }
        let Some(rest) = line.strip_prefix("- **") else { continue };
        let (term, meaning) = rest.split_once("**: ").expect("a term and its meaning");
        assert!(meaning.ends_with('.'), "{term}: a sentence");
        let term = term.to_lowercase();
        assert!(!all.contains(&term), "{term} is explained twice");
        assert!(section.last().is_none_or(|last| *last < term), "{term} is out of order");
        let used =
            texts.iter().any(|(name, t)| !name.ends_with("glossary.md") && t.contains(&term));
        assert!(used, "nothing else says \"{term}\": take it out of the glossary, or use the term");
        section.push(term.clone());
        all.push(term);
    }
    assert!(all.len() >= 80, "the glossary has {} terms", all.len());
}
