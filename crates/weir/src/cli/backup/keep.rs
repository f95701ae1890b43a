//! Backups in one folder, each named by its time, and how many of them are kept.
//!
//! Invariant: nothing is removed but backups of the same database that this command has named, after a newer one is complete; never one
//! that a kept increment needs.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use weir_server::backup::{MANIFEST, Manifest, manifest_of};

/// Of a name: `2026-11-28T14-00-00.000000Z`.
const NAME: usize = 27;

/// The directory of a backup that begins now.
pub fn fresh(folder: &Path) -> PathBuf {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as u64;
    folder.join(weir_server::log::timestamp(now).replace(':', "-"))
}

fn is_named_here(name: &str) -> bool {
    let form = "0000-00-00T00-00-00.000000Z";
    name.len() == NAME
        && name
            .chars()
            .zip(form.chars())
            .all(|(c, f)| if f == '0' { c.is_ascii_digit() } else { c == f })
}

/// A backup of the folder.
struct Made {
    path: PathBuf,
    manifest: Manifest,
}

/// Those of one database, the oldest first. What has no manifest is no backup, or is being made.
fn made(folder: &Path, directory: [u8; 16]) -> Result<Vec<Made>, String> {
    let cannot = |e| format!("cannot read '{}': {e}", folder.display());
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        if !is_named_here(name) {
            continue;
        }
        if let Ok(manifest) = manifest_of(&path)
            && manifest.directory == directory
        {
            all.push(Made { path, manifest });
        }
    }
    all.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(all)
}

/// Keeps the newest full backups, and the increments to them. The paths that were removed.
pub fn keep(folder: &Path, newest: &Manifest, full: usize) -> Result<Vec<PathBuf>, String> {
    let all = made(folder, newest.directory)?;
    let gone: Vec<PathBuf> = superfluous(&all, full).into_iter().map(|m| m.path.clone()).collect();
    for path in &gone {
        // Without its manifest it is no backup: what is removed in part is not restored.
        let removed = std::fs::remove_file(path.join(MANIFEST));
        removed
            .and_then(|()| std::fs::remove_dir_all(path))
            .map_err(|e| format!("cannot remove the old backup '{}': {e}", path.display()))?;
    }
    Ok(gone)
}

fn superfluous(all: &[Made], full: usize) -> Vec<&Made> {
    let whole = || all.iter().rev().filter(|m| m.manifest.base.is_none());
    let mut kept: HashSet<[u8; 16]> = whole().take(full).map(|m| m.manifest.backup).collect();
    // An increment is newer than what it rests on.
    for m in all {
        if m.manifest.base.as_ref().is_some_and(|b| kept.contains(&b.backup)) {
            kept.insert(m.manifest.backup);
        }
    }
    all.iter().filter(|m| !kept.contains(&m.manifest.backup)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_engine::backup::Base;

    fn backup(n: u8, base: Option<u8>) -> Made {
        let base = base.map(|b| Base { backup: [b; 16], history: 1, start: 1 });
        let manifest = Manifest { backup: [n; 16], base, ..empty() };
        Made { path: PathBuf::from(format!("{n}")), manifest }
    }

    fn empty() -> Manifest {
        Manifest {
            backup: [0; 16],
            directory: [0; 16],
            history: 1,
            base: None,
            page_size: 16384,
            start: 1,
            end: 1,
            begun_micros: 0,
            ended_micros: 0,
            program: String::new(),
            pages: 0,
            redo_bytes: 0,
            files: 0,
            damaged: Vec::new(),
            compressed: false,
            encrypted: false,
            frames: 0,
            parts: Vec::new(),
        }
    }

    #[test]
    fn the_newest_full_ones_and_their_increments_stay() {
        // Full 1 with increments 2 and 3 on 2, full 4 with 5, full 6.
        let all = [
            backup(1, None),
            backup(2, Some(1)),
            backup(3, Some(2)),
            backup(4, None),
            backup(5, Some(4)),
            backup(6, None),
        ];
        let gone = |n: usize| -> Vec<u8> {
            superfluous(&all, n).iter().map(|m| m.manifest.backup[0]).collect()
        };
        assert_eq!(gone(1), [1, 2, 3, 4, 5]);
        assert_eq!(gone(2), [1, 2, 3]);
        assert!(gone(3).is_empty() && gone(9).is_empty());
    }

    #[test]
    fn names() {
        let name = fresh(Path::new("x"));
        assert!(is_named_here(name.file_name().unwrap().to_str().unwrap()), "{name:?}");
        for other in ["", "sunday", "2026-11-28T14:00:00.000000Z", "2026-11-28T14-00-00.000000Zx"] {
            assert!(!is_named_here(other), "{other}");
        }
    }
}
