//! Option files, as MySQL's programs read them: groups, comments, quotes, escapes, `!include` and `!includedir`.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Files within files, as in MySQL.
const DEPTH_MAX: usize = 10;
/// Of a file's mode: anyone may write to it.
const WRITTEN_BY_ALL: u32 = 0o002;
/// Groups of a server's options: MySQL's, MariaDB's, Weir's. A suffix that the command line names makes a group of each more.
const GROUPS: &[&str] =
    &["mysqld", "mysqld-8.0", "server", "mariadb", "mariadbd", "client-server", "weir"];

/// An option as a file has it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: String,
    pub value: Option<String>,
    /// File and line, with a colon and a blank behind, for messages.
    pub place: String,
}

/// Options of files in the order in which they count.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub entries: Vec<Entry>,
    pub notes: Vec<String>,
    /// `--defaults-group-suffix`; empty for none.
    pub suffix: String,
}

impl Files {
    /// A file that the command line names. One that anybody may write to is refused: its options decide whose files a server reads.
    pub fn read(&mut self, path: &Path) -> Result<(), String> {
        if is_written_by_all(path) {
            return Err(format!(
                "option file '{}' may be written by everybody; take that right away (chmod o-w)",
                path.display()
            ));
        }
        self.one(path, 0)
    }

    fn is_ours(&self, group: &str) -> bool {
        let of_suffix =
            group.strip_suffix(self.suffix.as_str()).filter(|_| !self.suffix.is_empty());
        GROUPS.contains(&group) || of_suffix.is_some_and(|group| GROUPS.contains(&group))
    }

    fn one(&mut self, path: &Path, depth: usize) -> Result<(), String> {
        let text = std::fs::read_to_string(path)
            .map_err(|e| format!("cannot read option file '{}': {e}", path.display()))?;
        // What stands before any group counts, so that a file may do without one.
        let mut ours = true;
        for (n, line) in text.lines().enumerate() {
            let place = format!("{}:{}: ", path.display(), n + 1);
            let line = without_comment(line.trim());
            if line.is_empty() || line.starts_with(';') {
                continue;
            }
            if let Some(directive) = line.strip_prefix('!') {
                self.include(directive, path, depth, &place)?;
                continue;
            }
            if let Some(group) = line.strip_prefix('[') {
                let Some(name) = group.strip_suffix(']') else {
                    return Err(format!("{place}a section looks like [mysqld]"));
                };
                ours = self.is_ours(name.trim());
                continue;
            }
            if !ours {
                continue;
            }
            let (name, value) = match line.split_once('=') {
                Some((name, value)) => (name.trim(), Some(unescaped(unquoted(value.trim())))),
                None => (line, None),
            };
            self.entries.push(Entry { name: name.into(), value, place });
        }
        Ok(())
    }

    /// `!include FILE`, `!includedir DIR`: a directory's files that end in `.cnf`, by their names. A path is looked for from the
    /// directory of the file that names it.
    fn include(
        &mut self,
        directive: &str,
        from: &Path,
        depth: usize,
        place: &str,
    ) -> Result<(), String> {
        let (word, path) = directive.split_once(char::is_whitespace).unwrap_or((directive, ""));
        let path = unquoted(path.trim());
        if path.is_empty() || !matches!(word, "include" | "includedir") {
            return Err(format!("{place}a directive is !include FILE or !includedir DIR"));
        }
        if depth >= DEPTH_MAX {
            return Err(format!("{place}files include each other more than {DEPTH_MAX} deep"));
        }
        let path = from.parent().unwrap_or(Path::new(".")).join(path);
        let files = match word {
            "include" => vec![path],
            _ => files_in(&path).map_err(|e| {
                format!("{place}cannot read the directory '{}': {e}", path.display())
            })?,
        };
        for file in files {
            if is_written_by_all(&file) {
                self.notes.push(format!(
                    "{place}option file '{}' is left out: everybody may write to it",
                    file.display()
                ));
                continue;
            }
            self.one(&file, depth + 1).map_err(|e| match e.starts_with("cannot read") {
                true => format!("{place}{e}"),
                false => e,
            })?;
        }
        Ok(())
    }
}

/// The places where MySQL's programs look for option files, in their order; the later one rules.
pub(super) fn places_of_mysql() -> Vec<PathBuf> {
    let mut places = vec![PathBuf::from("/etc/my.cnf"), PathBuf::from("/etc/mysql/my.cnf")];
    let of_environment = |name: &str, file: &str| {
        std::env::var_os(name).filter(|dir| !dir.is_empty()).map(|dir| Path::new(&dir).join(file))
    };
    places.extend(of_environment("MYSQL_HOME", "my.cnf"));
    places.extend(of_environment("HOME", ".my.cnf"));
    places.retain(|p| p.is_file());
    places
}

fn is_written_by_all(path: &Path) -> bool {
    std::fs::metadata(path)
        .is_ok_and(|m| m.is_file() && m.permissions().mode() & WRITTEN_BY_ALL != 0)
}

fn files_in(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "cnf") && !path.is_dir() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// A line up to a `#` that stands in no quotes.
fn without_comment(line: &str) -> &str {
    let (mut quote, mut escaped) = (None, false);
    for (i, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') => return line[..i].trim_end(),
            (None, '"' | '\'') => quote = Some(c),
            (Some(q), c) if q == c && !escaped => quote = None,
            _ => {}
        }
        escaped = quote.is_some() && c == '\\' && !escaped;
    }
    line
}

fn unquoted(value: &str) -> &str {
    let within = |q: char| value.strip_prefix(q).and_then(|v| v.strip_suffix(q));
    within('"').or_else(|| within('\'')).unwrap_or(value)
}

/// MySQL's escapes; a backslash before anything else stays.
fn unescaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\x08'),
            Some('s') => out.push(' '),
            Some(c @ ('\\' | '"' | '\'')) => out.push(c),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str, files: &[(&str, &str)]) -> Folder {
            let dir = std::env::temp_dir().join(format!("weir-cnf-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&dir);
            for (file, text) in files {
                let path = dir.join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(&path, text).unwrap();
                std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
            }
            Folder(dir)
        }

        fn read(&self, suffix: &str) -> Result<Files, String> {
            let mut files = Files { suffix: suffix.into(), ..Files::default() };
            files.read(&self.0.join("my.cnf")).map(|()| files)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn pairs(files: &Files) -> Vec<(&str, &str)> {
        files
            .entries
            .iter()
            .map(|e| (e.name.as_str(), e.value.as_deref().unwrap_or("(nothing)")))
            .collect()
    }

    #[test]
    fn comments_quotes_and_escapes() {
        let lines = "a = 1 # one\nb='x # y'\nc = \"q\\tr\\s\" \n; d=1\n#e\nf\ng = \\d\\\\\nh = it's # not a comment'\ni=\n";
        let dir = Folder::new("quotes", &[("my.cnf", lines)]);
        let files = dir.read("").unwrap();
        let expected = [
            ("a", "1"),
            ("b", "x # y"),
            ("c", "q\tr "),
            ("f", "(nothing)"),
            ("g", "\\d\\"),
            ("h", "it's # not a comment'"),
            ("i", ""),
        ];
        assert_eq!(pairs(&files), expected);
        assert!(files.entries[0].place.ends_with("my.cnf:1: "));
    }

    #[test]
    fn groups_and_their_suffix() {
        let text = "[mysqld]\na=1\n[mysqld2]\nb=1\n[ weir ]\nc=1\n[client]\nd=1\n[mariadbd]\ne=1\n[mysqld-5.7]\nf=1";
        let dir = Folder::new("groups", &[("my.cnf", text)]);
        let names = |suffix: &str| {
            dir.read(suffix).unwrap().entries.iter().map(|e| e.name.clone()).collect::<String>()
        };
        assert_eq!((names("").as_str(), names("2").as_str()), ("ace", "abce"));
    }

    #[test]
    fn files_in_files() {
        let dir = Folder::new(
            "include",
            &[
                ("my.cnf", "[mysqld]\na=1\n!includedir conf.d\n!include more.cnf\nb=1\n"),
                ("conf.d/20.cnf", "[mysqld]\nd=1\n[client]\nx=1\n"),
                ("conf.d/10.cnf", "[mysqld]\nc=1\n"),
                ("conf.d/readme", "nonsense ["),
                ("conf.d/30.cnf", "[mysqld]\nopen=1\n"),
                ("more.cnf", "[mysqld]\ne=1\n"),
            ],
        );
        std::fs::set_permissions(dir.0.join("conf.d/30.cnf"), PermissionsExt::from_mode(0o666))
            .unwrap();
        let files = dir.read("").unwrap();
        let names: String = files.entries.iter().map(|e| e.name.as_str()).collect();
        // The group goes on behind the files.
        assert_eq!(names, "acdeb");
        assert!(files.notes.len() == 1 && files.notes[0].contains("30.cnf"), "{:?}", files.notes);
        std::fs::set_permissions(dir.0.join("my.cnf"), PermissionsExt::from_mode(0o646)).unwrap();
        assert!(dir.read("").unwrap_err().contains("chmod"));
    }

    #[test]
    fn what_cannot_be_included_is_an_error_with_its_line() {
        for (line, says) in [
            ("!include", "a directive is"),
            ("!includes x", "a directive is"),
            ("!include nowhere.cnf", "cannot read option file"),
            ("!includedir nowhere", "cannot read the directory"),
            ("!include my.cnf", "more than 10 deep"),
            ("[mysqld", "a section looks like"),
        ] {
            let dir = Folder::new("errors", &[("my.cnf", &format!("\n{line}\n"))]);
            let e = dir.read("").unwrap_err();
            assert!(e.contains(says) && e.contains("my.cnf:2: "), "{line}: {e}");
        }
    }
}
