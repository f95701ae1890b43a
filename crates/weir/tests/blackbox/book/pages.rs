//! The pages that a reader may copy from, and their blocks of code.

use std::path::{Path, PathBuf};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Pages of the book, in the order of their paths, and the README. Pages that only include another one have no blocks of their own.
pub fn pages() -> Vec<PathBuf> {
    let mut all = vec![root().join("README.md")];
    walk(&root().join("docs/book/src"), &mut all);
    all.sort();
    all
}

/// All documents: what is in the book and what is not.
pub fn documents() -> Vec<PathBuf> {
    let mut all = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    walk(&root().join("docs"), &mut all);
    all.sort();
    all
}

fn walk(dir: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        // The book sees the decisions through a link; they are read once.
        if entry.file_type().unwrap().is_symlink() {
            continue;
        }
        let path = entry.path();
        if path.is_dir() {
            walk(&path, all);
        } else if path.extension().is_some_and(|e| e == "md") {
            all.push(path);
        }
    }
}

/// The name of a page in messages.
pub fn name(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// A fenced block: its language, and its lines by their numbers on the page.
pub struct Block {
    pub language: String,
    pub first: usize,
    pub lines: Vec<String>,
}

pub fn blocks(text: &str) -> Vec<Block> {
    let mut all = Vec::new();
    let mut open: Option<Block> = None;
    for (n, line) in text.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => {
                open = Some(Block { language: language.into(), first: n + 1, lines: Vec::new() });
            }
            (Some(_), Some("")) => all.extend(open.take()),
            (Some(block), _) => block.lines.push(line.into()),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block without its end");
    all
}

/// Lines that a reader may type into a shell: of blocks that are indented, fenced as `sh`, or fenced without a language.
pub fn code(text: &str) -> Vec<String> {
    let mut fence: Option<&str> = None;
    let mut all = Vec::new();
    for line in text.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(language) };
        } else if fence.map_or(line.starts_with("    "), |l| matches!(l, "" | "sh")) {
            all.push(line.trim().to_owned());
        }
    }
    all
}
