//! The copy of the workspace with all mutants in it: written, checked, built.

use crate::rewrite::{Rewritten, rewrite};
use crate::{Mutant, ROOMS};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ENGINE: &str = "crates/engine/src";

pub struct Scratch {
    root: PathBuf,
    /// The copy; its target folder stands beside it.
    copy: PathBuf,
}

/// Programs that judge.
pub struct Programs {
    pub simulator: PathBuf,
    pub unit: PathBuf,
    pub tests: PathBuf,
}

impl Scratch {
    pub fn new(root: &Path) -> Scratch {
        Scratch { root: root.to_path_buf(), copy: root.join("target/mutants/copy") }
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.root.join("target/mutants").join(name)
    }

    pub fn copy(&self) -> &Path {
        &self.copy
    }

    /// Copies what git knows, with the changes that are not committed yet, and writes the mutants into the rooms.
    fn write(&self, refused: &HashSet<u32>) -> Result<Vec<(String, Rewritten)>, String> {
        let listed = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(&self.root)
            .output()
            .map_err(|e| format!("git ls-files: {e}"))?;
        let names = String::from_utf8_lossy(&listed.stdout).to_string();
        let mut rewritten = Vec::new();
        let mut next = 1;
        for name in names.split('\0').filter(|n| !n.is_empty()) {
            let from = self.root.join(name);
            if name.starts_with("tools/mutate/") || !from.is_file() {
                continue;
            }
            let to = self.copy.join(name);
            if in_a_room(name) {
                let source = fs::read_to_string(&from).map_err(|e| format!("{name}: {e}"))?;
                let r =
                    rewrite(name, &source, next, refused).map_err(|e| format!("{name}: {e}"))?;
                next += r.mutants.len() as u32;
                put(&to, r.text.as_bytes())?;
                rewritten.push((name.to_string(), r));
            } else {
                put(&to, &fs::read(&from).map_err(|e| format!("{name}: {e}"))?)?;
            }
        }
        let lib = self.root.join(ENGINE).join("lib.rs");
        let mut text = fs::read_to_string(&lib).map_err(|e| format!("{}: {e}", lib.display()))?;
        text.push_str(&include_str!("switch.txt").replace("MUTANTS", &(next - 1).to_string()));
        put(&self.copy.join(ENGINE).join("lib.rs"), text.as_bytes())?;
        let judge = self.copy.join("crates/sim_sql/examples/judge.rs");
        put(&judge, include_str!("judge_program.txt").as_bytes())?;
        Ok(rewritten)
    }

    /// Every mutant, and the numbers of those that the compiler refuses.
    pub fn make(&self) -> Result<(Vec<Mutant>, HashSet<u32>), String> {
        // As the last build left it, so that nothing is compiled again that has not changed.
        let (known, mut refused) = self.last_refused();
        for round in 1.. {
            let mut files = self.write(&refused)?;
            let mut all: usize = files.iter().map(|f| f.1.mutants.len()).sum();
            if round == 1 && all != known && !refused.is_empty() {
                refused.clear();
                files = self.write(&refused)?;
                all = files.iter().map(|f| f.1.mutants.len()).sum();
            }
            eprintln!("check {round}: {} of {all} mutants", all - refused.len());
            let out =
                self.cargo(&["check", "--release", "-p", "weir-engine", "--message-format=short"])?;
            let errors: Vec<&str> = out.1.lines().filter(|l| l.contains(": error")).collect();
            if out.0 {
                let ids: Vec<String> = refused.iter().map(u32::to_string).collect();
                put(&self.file("refused"), format!("{all} {}", ids.join(" ")).as_bytes())?;
                let all = files.into_iter().flat_map(|f| f.1.mutants).collect();
                return Ok((all, refused));
            }
            let by_name: HashMap<&str, &Rewritten> =
                files.iter().map(|(n, r)| (n.as_str(), r)).collect();
            let before = refused.len();
            for e in &errors {
                refuse(e, &by_name, &mut refused);
            }
            if refused.len() == before || round > 12 {
                return Err(format!(
                    "these errors are not those of mutants:\n{}",
                    errors.join("\n")
                ));
            }
        }
        unreachable!("the loop above ends by return")
    }

    /// How many mutants the last build had, and those that the compiler refused.
    fn last_refused(&self) -> (usize, HashSet<u32>) {
        let text = fs::read_to_string(self.file("refused")).unwrap_or_default();
        let mut words = text.split(' ');
        let all = words.next().and_then(|w| w.parse().ok()).unwrap_or(0);
        (all, words.filter_map(|w| w.parse().ok()).collect())
    }

    /// The judges: release builds with the assertions of debug builds.
    pub fn build(&self) -> Result<Programs, String> {
        let judge =
            self.cargo(&["build", "--release", "-p", "weir-sim-sql", "--example", "judge"])?;
        if !judge.0 {
            return Err(judge.1);
        }
        let tests = self.cargo(&["test", "--release", "-p", "weir-engine", "--no-run"])?;
        if !tests.0 {
            return Err(tests.1);
        }
        // "Executable unittests src/lib.rs (path)"
        let named = |what: &str| {
            let line = tests.1.lines().find(|l| l.contains("Executable") && l.contains(what));
            let path = line.and_then(|l| l.rsplit_once('(')).map(|l| l.1.trim_end_matches(')'));
            path.map(PathBuf::from).ok_or(format!("cargo test names no program of {what}"))
        };
        let p = Programs {
            simulator: self.file("build/release/examples/judge"),
            unit: named("src/lib.rs")?,
            tests: named("tests/main.rs")?,
        };
        let text =
            format!("{}\n{}\n{}\n", p.simulator.display(), p.unit.display(), p.tests.display());
        put(&self.file("programs"), text.as_bytes())?;
        Ok(p)
    }

    /// Those that the last `build` made.
    pub fn programs(&self) -> Result<Programs, String> {
        let text = fs::read_to_string(self.file("programs"))
            .map_err(|_| "run `mutate build` first".to_string())?;
        let mut l = text.lines().map(PathBuf::from);
        match (l.next(), l.next(), l.next()) {
            (Some(simulator), Some(unit), Some(tests)) => Ok(Programs { simulator, unit, tests }),
            _ => Err("run `mutate build` again".into()),
        }
    }

    fn cargo(&self, args: &[&str]) -> Result<(bool, String), String> {
        let out = Command::new("cargo")
            .args(args)
            .current_dir(&self.copy)
            .env("CARGO_TARGET_DIR", self.file("build"))
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
            .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
            .env("CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS", "true")
            .env("CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS", "true")
            .env("CARGO_INCREMENTAL", "0")
            .env("CARGO_TERM_COLOR", "never")
            .env("RUSTFLAGS", "-Awarnings")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .output()
            .map_err(|e| format!("cargo: {e}"))?;
        Ok((out.status.success(), String::from_utf8_lossy(&out.stderr).to_string()))
    }
}

fn in_a_room(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("crates/engine/src/") else { return false };
    let room = rest.split('/').next().unwrap_or("");
    let tests = rest.ends_with("tests.rs") || rest.ends_with("model.rs");
    ROOMS.contains(&room) && rest.ends_with(".rs") && !tests
}

/// Writes only what has changed: cargo goes by the time of a file.
fn put(to: &Path, bytes: &[u8]) -> Result<(), String> {
    if fs::read(to).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let folder = to.parent().expect("a file has a folder");
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    fs::write(to, bytes).map_err(|e| format!("{}: {e}", to.display()))
}

/// `path:line:column: error...`: the smallest mutants around that place, else those of the line.
fn refuse(error: &str, files: &HashMap<&str, &Rewritten>, refused: &mut HashSet<u32>) {
    let mut parts = error.splitn(4, ':');
    let (Some(path), Some(line), Some(column)) = (parts.next(), parts.next(), parts.next()) else {
        return;
    };
    let (Ok(line), Ok(column)) = (line.parse::<usize>(), column.parse::<usize>()) else { return };
    let Some(r) = files.get(path.trim()) else { return };
    let begin: usize = r.text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let chars = r.text[begin..].chars().take(column - 1);
    let place = r.original(begin + chars.map(char::len_utf8).sum::<usize>());
    let left = |m: &&Mutant| !refused.contains(&m.id);
    let around =
        r.mutants.iter().filter(left).filter(|m| m.range.start <= place && place <= m.range.end);
    let smallest = around.min_by_key(|m| m.range.len()).map(|m| m.range.clone());
    let found: Vec<u32> = match smallest {
        Some(range) => {
            r.mutants.iter().filter(left).filter(|m| m.range == range).map(|m| m.id).collect()
        }
        None => flow(r, line, refused),
    };
    refused.extend(found);
}

/// What the compiler says of moves and of initialization has its cause elsewhere in the function: in a jump, else in a
/// statement, else anywhere.
fn flow(r: &Rewritten, line: usize, refused: &HashSet<u32>) -> Vec<u32> {
    let left: Vec<&Mutant> = r.mutants.iter().filter(|m| !refused.contains(&m.id)).collect();
    let Some(near) = left.iter().min_by_key(|m| m.line.abs_diff(line)) else { return Vec::new() };
    let function: Vec<&Mutant> =
        left.iter().copied().filter(|m| m.function == near.function).collect();
    for operator in ["jump", "statement"] {
        let some: Vec<u32> =
            function.iter().filter(|m| m.operator == operator).map(|m| m.id).collect();
        if !some.is_empty() {
            return some;
        }
    }
    function.iter().map(|m| m.id).collect()
}
