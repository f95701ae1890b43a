//! What programs outside of this repository may rely on is small, and all of it is described.

use crate::source::{self, root};

/// Names that `weir_engine::store` gives at most: types, traits, functions and methods.
const MOST: usize = 60;

#[test]
fn the_engines_interface_is_small() {
    let mut names = Vec::new();
    for file in source::of("engine").iter().filter(|s| s.path.starts_with("store/")) {
        let hidden = |i: usize| i > 0 && file.lines[i - 1].trim() == "#[doc(hidden)]";
        for (i, line) in file.lines.iter().enumerate().filter(|(i, _)| !hidden(*i)) {
            let line = line.trim();
            let Some(rest) = line.strip_prefix("pub ") else { continue };
            let mut words = rest.split_whitespace().skip_while(|w| *w == "const");
            if let (Some("fn" | "struct" | "trait" | "enum" | "type"), Some(name)) =
                (words.next(), words.next())
            {
                // What `database` has for its siblings is in a type that no one else can name.
                let outside = file.path != "store/database.rs"
                    || !["is_forked", "check"].iter().any(|n| name.starts_with(n));
                if outside {
                    names.push(format!("{}:{}: {name}", file.path, i + 1));
                }
            }
        }
    }
    assert!(names.len() > 30, "the count finds nothing: {names:?}");
    assert!(
        names.len() <= MOST,
        "{} names, {MOST} are allowed:\n{}",
        names.len(),
        names.join("\n")
    );
}

#[test]
fn what_else_the_engine_shows_is_hidden() {
    let text = std::fs::read_to_string(root().join("crates/engine/src/lib.rs")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let kept = ["pub mod store;", "pub use error::{Error, Result};"];
    for (i, line) in lines.iter().enumerate() {
        if line.starts_with("pub ") && !kept.contains(line) {
            assert_eq!(lines[i - 1], "#[doc(hidden)]", "line {} is shown: {line}", i + 1);
        }
    }
    for (krate, file) in [("engine", "store/mod.rs"), ("weir", "lib.rs")] {
        let path = root().join("crates").join(krate).join("src").join(file);
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains("#![deny(missing_docs)]"), "{krate}/{file}");
    }
}
