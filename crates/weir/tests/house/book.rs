//! The book, which is the folder `docs`, and the documents around it hold together: each page is in SUMMARY.md, each link leads to a page
//! and a heading that are there, and what stands between backticks as a variable, a status variable or an option is one. The SQL and the commands of the book are run
//! by `blackbox/book`.

use crate::source;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Component, Path, PathBuf};

const BOOK: &str = "docs";
const REFERENCE: &str = "docs/book/src/reference";

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Files under a folder of the repository with an ending, as paths from the root on; without one, those that have none.
fn files(dir: &str, ending: &str) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut open = vec![PathBuf::from(dir)];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(source::root().join(&dir)).unwrap() {
            let entry = entry.unwrap();
            let path = dir.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                open.push(path);
            } else if path.extension().map_or(ending.is_empty(), |e| e == ending) {
                all.push(path);
            }
        }
    }
    all.sort();
    all
}

/// All documents, by their paths from the root on.
fn documents() -> BTreeMap<PathBuf, String> {
    let mut all: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        .map(PathBuf::from)
        .into();
    all.extend(files(BOOK, "md"));
    all.into_iter().map(|path| (path.clone(), read(&source::root().join(&path)))).collect()
}

/// Without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// Prose: without fenced and indented blocks, and line by line without what stands between backticks if `quoted` is false.
fn prose(text: &str, quoted: bool) -> Vec<String> {
    let mut fenced = false;
    let mut all = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && !line.starts_with("    ") {
            let outside = || line.split('`').step_by(2).collect::<Vec<_>>().join("`");
            all.push(if quoted { line.to_owned() } else { outside() });
        }
    }
    all
}

/// The targets of links and pictures.
fn links(text: &str) -> Vec<String> {
    let of = |line: String| {
        let parts =
            line.split("](").skip(1).map(|p| p.split(')').next().unwrap_or_default().to_owned());
        parts.collect::<Vec<_>>()
    };
    prose(text, false).into_iter().flat_map(of).collect()
}

/// What a heading is called in links: lower case, blanks as hyphens, without punctuation.
fn anchor(heading: &str) -> String {
    let plain = heading.replace('`', "").trim().to_lowercase();
    let kept = plain.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let heading = |line: &String| {
        let rest = line.trim_start_matches('#');
        (line.starts_with('#') && rest.starts_with(' ')).then(|| anchor(rest))
    };
    prose(text, true).iter().filter_map(heading).collect()
}

#[test]
fn the_summary_names_each_page() {
    let summary = read(&source::root().join(BOOK).join("SUMMARY.md"));
    let named: BTreeSet<PathBuf> =
        links(&summary).iter().map(|l| Path::new(BOOK).join(l)).collect();
    let mut there: BTreeSet<PathBuf> = files(BOOK, "md").into_iter().collect();
    there.remove(&Path::new(BOOK).join("SUMMARY.md"));
    let missing: Vec<_> = there.difference(&named).collect();
    assert!(missing.is_empty(), "SUMMARY.md does not name {missing:?}");
    // Its page is the book's first one as well, with the same links.
    let first = links(&summary).into_iter().next().unwrap_or_default();
    assert!(
        !first.contains('/'),
        "the first page of SUMMARY.md, {first}, is not in the book's root"
    );
    let unknown: Vec<_> = named.difference(&there).collect();
    assert!(unknown.is_empty(), "SUMMARY.md names {unknown:?}, which are not there");
}

#[test]
fn links_lead_somewhere() {
    let all = documents();
    let (mut count, mut wrong) = (0, Vec::new());
    for (path, text) in &all {
        let in_book = path.starts_with(BOOK);
        for link in links(text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            count += 1;
            let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => path.clone(),
                file => normal(&path.parent().expect("a folder").join(file)),
            };
            let is_there = source::root().join(&target).exists();
            // A browser reads the book alone.
            let left = in_book && !target.starts_with(BOOK);
            let found = heading.is_empty()
                || all.get(&target).is_some_and(|t| anchors(t).contains(heading));
            if !is_there || left || !found {
                wrong.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "links that lead nowhere, or out of the book: {wrong:#?}");
    assert!(count > 300, "only {count} links found");
}

/// The first cells of the tables of a page of the reference.
fn first_cells(page: &str) -> BTreeSet<String> {
    let text = read(&source::root().join(REFERENCE).join(page));
    let cell = |line: &str| line.strip_prefix("| ")?.split(" |").next().map(str::to_owned);
    text.lines().filter_map(cell).collect()
}

/// Words between backticks in prose, without the value that an option is given.
fn quoted(text: &str) -> BTreeSet<String> {
    let lines = prose(text, true).join("\n");
    let inside = lines.split('`').skip(1).step_by(2);
    let words = inside.flat_map(str::split_whitespace);
    words.map(|w| w.split(['=', ',', ';', '(']).next().unwrap_or_default().to_owned()).collect()
}

fn is_name(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The words of the sources and scripts of the repository, for names that no table of the reference has: tables of information_schema,
/// options of other commands and of other programs that scripts call.
fn source_words() -> HashSet<String> {
    let mut all = HashSet::new();
    for ending in ["rs", "sh", "toml", "py", "service", "cnf", "txt", ""] {
        for dir in ["crates", "tests", "bench", "packaging", "tools"] {
            for path in files(dir, ending).iter().filter(|p| !p.ends_with("house/book.rs")) {
                let bytes = std::fs::read(source::root().join(path)).expect("a file is read");
                let text = String::from_utf8_lossy(&bytes).to_lowercase();
                let words =
                    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')));
                all.extend(words.filter(|w| w.contains(['_', '-'])).map(str::to_owned));
            }
        }
    }
    all
}

/// What names of variables and status variables begin with that are checked in every document.
const OURS: &[&str] = &["innodb_", "weir_", "Innodb_", "Weir_", "Com_"];

/// Options of programs that are not of the repository, and names of which a text says that they are not there.
const OF_OTHERS: &[&str] = &["--all", "--all-targets", "--open", "--testcase", "Com_show"];

#[test]
fn names_between_backticks_are_known() {
    let variables = first_cells("variables.md");
    let status: BTreeSet<String> = first_cells("status.md");
    assert!(variables.len() > 500 && status.len() > 200);
    let sources = source_words();
    let mut wrong = Vec::new();
    let mut count = 0;
    for (path, text) in documents() {
        // What was is not what is; and the reference is made from the tables.
        if path.ends_with("changes-0.1.md") || path.starts_with(REFERENCE) {
            continue;
        }
        // Other documents name what others have, too, and shorten names.
        let is_page = path.starts_with("docs/book/src") || path.starts_with("README.md");
        for word in quoted(&text) {
            let word = word.trim_start_matches("@@").trim_start_matches("global.");
            // The list of metrics has counters without what their kind adds.
            let word = word.strip_suffix("_total").unwrap_or(word);
            if OF_OTHERS.contains(&word) {
                continue;
            }
            let known = if let Some(option) = word.strip_prefix("--") {
                let plain = option.replace('-', "_");
                let stem = ["skip_", "loose_", "disable_", "enable_"]
                    .iter()
                    .find_map(|p| plain.strip_prefix(p));
                variables.contains(&plain)
                    || stem.is_some_and(|s| variables.contains(s))
                    || sources.contains(&word.to_lowercase())
                    || sources.contains(&option.replace('_', "-"))
                    || sources.contains(&plain)
            } else if !is_name(word) || !word.contains('_') || word.ends_with('_') {
                continue;
            } else if is_page || OURS.iter().any(|p| word.starts_with(p)) {
                variables.contains(word)
                    || status.contains(word)
                    || sources.contains(&word.to_lowercase())
            } else {
                continue;
            };
            count += 1;
            if !known {
                wrong.push(format!("{}: {word}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "names that the program does not have: {wrong:#?}");
    assert!(count > 300, "only {count} names found");
}

/// A file or folder of the repository, or of a crate; the ending of a file in Rust may be left out.
fn is_there(path: &str) -> bool {
    let root = source::root();
    let places =
        source::crates().into_iter().map(|k| root.join("crates").join(k)).chain([root.clone()]);
    places.flat_map(|p| [p.join(path), p.join(format!("{path}.rs"))]).any(|p| p.exists())
}

#[test]
fn paths_between_backticks_are_there() {
    let folders =
        ["crates/", "docs/", "packaging/", "tests/", "tools/", "bench/", "bindings/", ".ci/"];
    let (mut count, mut wrong) = (0, Vec::new());
    for (path, text) in documents() {
        if path.ends_with("changes-0.1.md") {
            continue;
        }
        for word in quoted(&text) {
            let is_plain = !word.contains(['*', '{', '<', ':']);
            if is_plain && folders.iter().any(|f| word.starts_with(f)) {
                count += 1;
                if !is_there(&word) {
                    wrong.push(format!("{}: {word}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "files that are not there: {wrong:#?}");
    assert!(count > 100, "only {count} paths found");
}

/// A decision has a number, a day and a status under its heading, and a line in the list.
#[test]
fn decisions_are_numbered_and_listed() {
    let list = read(&source::root().join("docs/decisions/index.md"));
    let mut numbers = BTreeMap::new();
    for path in files("docs/decisions", "md") {
        let name = path.file_name().and_then(|n| n.to_str()).expect("a name");
        if name == "index.md" {
            continue;
        }
        let text = read(&source::root().join(&path));
        let head = text.lines().nth(2).unwrap_or_default();
        let parts: Vec<&str> = head.trim_matches('*').split(" · ").collect();
        let [number, day, status] = parts[..] else { panic!("{name}: its third line is {head:?}") };
        let number = number.strip_prefix("Decision ").and_then(|n| n.parse::<u32>().ok());
        let number = number.unwrap_or_else(|| panic!("{name}: {head}"));
        assert!(day.len() == 10 && day.starts_with("20"), "{name}: {head}");
        let is_status = ["accepted", "replaced by", "partly replaced by"];
        assert!(is_status.iter().any(|s| status.starts_with(s)), "{name}: {head}");
        if let Some(other) = numbers.insert(number, name.to_owned()) {
            panic!("{name} and {other} have the number {number}");
        }
        let row = format!("| {number} | [");
        let line = list.lines().find(|l| l.starts_with(&row)).unwrap_or_default();
        assert!(
            line.contains(&format!("]({name})")) && line.contains(day) && line.contains(status),
            "docs/decisions/index.md has no line \"{row}...]({name}) | ... | {day} | {status} |\""
        );
    }
    let all: Vec<u32> = numbers.into_keys().collect();
    assert_eq!(all, (1..=all.len() as u32).collect::<Vec<_>>(), "numbers without gaps");
}

#[test]
fn anchors_are_those_of_a_browser() {
    assert_eq!(anchor(" What \"stalls\", and why?"), "what-stalls-and-why");
    assert_eq!(anchor(" `weir doctor`"), "weir-doctor");
    assert_eq!(links("a [b](c.md#d), ![e](f.svg) `[g](h)`\n\n    [i](j)\n"), ["c.md#d", "f.svg"]);
    assert_eq!(normal(Path::new("a/b/../c/./d")), Path::new("a/c/d"));
}
