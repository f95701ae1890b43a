//! Documents that name code: every function, type and module that ARCHITECTURE.md and docs/invariants.md name is still there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn sources(dir: &Path, out: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            out.push((path, text));
        }
    }
}

/// The names between back quotes that are paths: `crate::module::Type::function`.
fn paths(text: &str) -> BTreeSet<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let is_path = |s: &&str| {
        s.contains("::") && s.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':')
    };
    quoted.filter(is_path).collect()
}

/// Whether a source file defines `name`.
fn defines(text: &str, name: &str) -> bool {
    ["fn", "struct", "enum", "trait", "type", "mod"].into_iter().any(|what| {
        text.match_indices(&format!("{what} {name}")).any(|(at, m)| {
            !text[at + m.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    })
}

/// Whether `name` is a variant of the last of `types`.
fn is_variant(text: &str, types: &[&str], name: &str) -> bool {
    name.starts_with(char::is_uppercase)
        && text.contains(&format!("    {name}"))
        && types.last().is_some_and(|t| text.contains(&format!("enum {t}")))
}

/// The last part of the path is defined in a file whose own path has the modules before it, beside the type before it.
fn exists(path: &str, files: &[(PathBuf, String)]) -> bool {
    let parts: Vec<&str> = path.split("::").collect();
    let (name, before) = parts.split_last().expect("a path has parts");
    let is_type = |p: &&&str| p.starts_with(char::is_uppercase);
    let (types, modules): (Vec<&str>, Vec<&str>) = before.iter().partition(is_type);
    files.iter().any(|(file, text)| {
        let file = file.with_extension("");
        let names: BTreeSet<_> = file.iter().filter_map(|n| n.to_str()).collect();
        let has_type = |t: &&str| {
            defines(text, t)
                || [" {", "<", " for"].iter().any(|e| text.contains(&format!("{t}{e}")))
        };
        modules.iter().all(|m| names.contains(m) || defines(text, m))
            && types.iter().all(has_type)
            && (defines(text, name) || names.contains(name) || is_variant(text, &types, name))
    })
}

#[test]
fn what_documents_name_is_in_the_code() {
    let mut crates: BTreeMap<String, Vec<(PathBuf, String)>> = BTreeMap::new();
    for entry in std::fs::read_dir(Path::new(ROOT).join("crates")).unwrap() {
        let entry = entry.unwrap();
        let mut files = Vec::new();
        sources(&entry.path().join("src"), &mut files);
        crates.insert(entry.file_name().into_string().unwrap(), files);
    }
    let (mut all, mut missing) = (0, Vec::new());
    // The second one speaks of the engine alone and leaves the crate out.
    for (document, of) in [("ARCHITECTURE.md", None), ("docs/invariants.md", Some("engine"))] {
        let text = read(document);
        for path in paths(&text) {
            let (first, rest) = path.split_once("::").expect("a path");
            let (krate, rest) = of.map_or((first, rest), |one| (one, path));
            all += 1;
            if !crates.get(krate).is_some_and(|files| exists(rest, files)) {
                missing.push(format!("{document}: {path}"));
            }
        }
    }
    assert!(all > 80, "only {all} names found");
    assert!(missing.is_empty(), "not in the code: {missing:#?}");
}
