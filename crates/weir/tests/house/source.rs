//! Source files as text: without comments, strings and tests, so that a word in them is a word of the program.

use std::path::{Path, PathBuf};

/// One file of a crate's `src`.
pub struct Source {
    pub krate: String,
    /// From the crate's `src` on, with `/`.
    pub path: String,
    /// Lines of the program: comments and the contents of strings blanked out, tests at the end cut off.
    pub lines: Vec<String>,
}

impl Source {
    /// The folder or file right under `src`: a room.
    pub fn room(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or(&self.path);
        first.strip_suffix(".rs").unwrap_or(first)
    }

    pub fn name(&self) -> String {
        format!("crates/{}/src/{}", self.krate, self.path)
    }
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn crates() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|e| e.unwrap())
        .filter(|e| e.path().join("Cargo.toml").exists())
        .map(|e| e.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// All sources of a crate, without files that are tests as a whole.
pub fn of(krate: &str) -> Vec<Source> {
    let src = root().join("crates").join(krate).join("src");
    let mut all = Vec::new();
    walk(&src, &src, krate, &mut all);
    all.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!all.is_empty(), "crate {krate} has no sources");
    all
}

fn walk(dir: &Path, src: &Path, krate: &str, all: &mut Vec<Source>) {
    for e in std::fs::read_dir(dir).unwrap() {
        let p = e.unwrap().path();
        let stem = p.file_stem().unwrap().to_str().unwrap();
        if matches!(stem, "tests" | "testing" | "model") {
            continue;
        }
        if p.is_dir() {
            walk(&p, src, krate, all);
        } else if p.extension().is_some_and(|x| x == "rs") {
            let path = p.strip_prefix(src).unwrap().to_str().unwrap().replace('\\', "/");
            let text = std::fs::read_to_string(&p).unwrap();
            all.push(Source { krate: krate.into(), path, lines: program(&text) });
        }
    }
}

/// The lines before the tests, with comments and the contents of literals as blanks.
fn program(text: &str) -> Vec<String> {
    let blanked = blank(text);
    let mut lines: Vec<String> = blanked.lines().map(String::from).collect();
    // rustfmt puts an attribute at the left border only before an item of the file.
    let is_test = |i: usize| {
        lines[i].starts_with("#[cfg(")
            && lines[i].contains("test")
            && lines.get(i + 1).is_some_and(|l| l.starts_with("mod ") && l.ends_with('{'))
    };
    if let Some(end) = (0..lines.len()).find(|i| is_test(*i)) {
        lines.truncate(end);
    }
    lines
}

/// Comments and what stands inside quotes become spaces; lines stay lines.
fn blank(text: &str) -> String {
    let b = text.as_bytes();
    let mut out = Vec::with_capacity(b.len());
    let mut i = 0;
    let keep_lines = |out: &mut Vec<u8>, part: &[u8]| {
        out.extend(part.iter().map(|c| if *c == b'\n' { b'\n' } else { b' ' }));
    };
    while i < b.len() {
        let rest = &b[i..];
        let len = if rest.starts_with(b"//") {
            rest.iter().position(|c| *c == b'\n').unwrap_or(rest.len())
        } else if rest.starts_with(b"/*") {
            rest.windows(2).position(|w| w == b"*/").map_or(rest.len(), |n| n + 2)
        } else if let Some(n) = raw_string(b, i) {
            n
        } else if rest[0] == b'"' {
            quoted(rest, b'"')
        } else if rest[0] == b'\'' {
            // A character, or else a lifetime, which is left alone.
            match rest {
                [_, b'\\', ..] => quoted(rest, b'\''),
                [_, c, b'\'', ..] if *c != b'\'' => 3,
                _ => 0,
            }
        } else {
            0
        };
        match len {
            0 => {
                out.push(b[i]);
                i += 1;
            }
            n => {
                keep_lines(&mut out, &b[i..i + n]);
                i += n;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut i = 1;
    while i < rest.len() {
        match rest[i] {
            b'\\' => i += 2,
            c if c == quote => return i + 1,
            _ => i += 1,
        }
    }
    rest.len()
}

/// Length of `r"..."`, `r#"..."#` and the like that begin here.
fn raw_string(b: &[u8], at: usize) -> Option<usize> {
    let before = at.checked_sub(1).map(|i| b[i]);
    if before.is_some_and(|c| c.is_ascii_alphanumeric() && c != b'b' || c == b'_') || b[at] != b'r'
    {
        return None;
    }
    let hashes = b[at + 1..].iter().take_while(|c| **c == b'#').count();
    if b.get(at + 1 + hashes) != Some(&b'"') {
        return None;
    }
    let end = [b"\"", "#".repeat(hashes).as_bytes()].concat();
    let body = at + 2 + hashes;
    let n = b[body..].windows(end.len()).position(|w| w == end)?;
    Some(body + n + end.len() - at)
}

#[test]
fn words_in_comments_and_strings_are_none() {
    let text = "let a = \"x // unsafe\"; // unsafe\nlet b = r#\"unsafe \"q\" \"#; /* unsafe\n */ let c = '\"'; let d = b'\\'';\nfn f<'a>() {}\n";
    let out = blank(text);
    assert_eq!(out.lines().count(), text.lines().count());
    assert!(!out.contains("unsafe"), "{out}");
    assert!(out.contains("let c = ") && out.contains("fn f<'a>() {}"), "{out}");
}

/// How often `word` stands alone in a line.
pub fn count(line: &str, word: &str) -> usize {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word)
        .filter(|(i, _)| {
            !line[..*i].chars().next_back().is_some_and(part)
                && !line[i + word.len()..].chars().next().is_some_and(part)
        })
        .count()
}
