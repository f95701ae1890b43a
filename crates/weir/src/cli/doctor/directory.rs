//! The data directory: whether it is one, whose it is, what else is in it, and what it lies on.

use super::finding::{Finding, Report};
use rustix::fs::{Access, FlockOperation, access, flock, statfs};
use std::fs::{File, Metadata};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use weir_sql::vars::{GlobalVars, Var};

/// The file that each data directory of Weir has.
const OWN: &str = "weir.ctl";
const LOCK: &str = "weir.lock";
/// What there is to say of a file system: whether it is wrong for a database, and why.
type Remark = (bool, &'static str);

/// Numbers of file systems as `statfs(2)` gives them, their names, and what there is to say of them.
const FILE_SYSTEMS: [(i64, &str, Option<Remark>); 11] = [
    (0xEF53, "ext4", None),
    (0x5846_5342, "xfs", None),
    (0x2FC1_2FC1, "zfs", None),
    (
        0x9123_683E,
        "btrfs",
        Some((
            false,
            "it copies what is written again: files are scattered, and a full file system cannot be written at all; chattr +C on the empty directory turns that off",
        )),
    ),
    (0x0102_1994, "tmpfs", Some((true, "it is memory: everything is lost when the machine stops"))),
    (0x8584_58F6, "ramfs", Some((true, "it is memory: everything is lost when the machine stops"))),
    (
        0x794C_7630,
        "overlayfs",
        Some((false, "it is a container's own layer, which goes with the container: use a volume")),
    ),
    (
        0x6969,
        "nfs",
        Some((
            false,
            "a server elsewhere decides when a sync is true, and the lock that keeps a second server out may not reach it",
        )),
    ),
    (
        0xFF53_4D42,
        "cifs",
        Some((true, "it does not keep a second server out and does not keep what was synced")),
    ),
    (
        0xFE53_4D42,
        "smb2",
        Some((true, "it does not keep a second server out and does not keep what was synced")),
    ),
    (0x6573_5546, "fuse", Some((false, "a program of its own decides when a sync is true"))),
];

/// Bytes below which even a small server cannot work.
const LEAST: u64 = 64 << 20;
/// Bytes beyond the redo log that a new data directory should have to grow.
const TO_GROW: u64 = 1 << 30;

pub fn look(datadir: &Path, vars: &GlobalVars, report: &mut Report) {
    let there = place(datadir, report);
    let is_own = datadir.join(OWN).exists();
    if there {
        if let Ok(meta) = std::fs::metadata(datadir) {
            permissions(datadir, &meta, report);
        }
        foreign(datadir, is_own, report);
        lock(datadir, report);
    }
    let on = existing(datadir);
    file_system(&on, report);
    if let Some(free) = weir_server::boot::free_bytes(&on) {
        room(free, if is_own { 0 } else { vars.u64(Var::innodb_redo_log_capacity) }, report);
    }
}

/// The directory, or the nearest one above it that is there.
pub fn existing(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = absolute.ancestors().find(|p| p.is_dir());
    there.map_or_else(|| PathBuf::from("/"), Path::to_owned)
}

fn place(datadir: &Path, report: &mut Report) -> bool {
    let subject = "data directory";
    let shown = datadir.display();
    let writable = |p: &Path| access(p, Access::WRITE_OK | Access::EXEC_OK).is_ok();
    if datadir.is_dir() {
        report.add(match writable(datadir) {
            true => Finding::fine(subject, format!("'{shown}'")),
            false => Finding::error(
                subject,
                format!("'{shown}' cannot be written by this account"),
                format!("chown it to the account that runs the server, which is the one that should run `weir doctor`: sudo -u weir weir doctor --datadir={shown}"),
                "the server does not start",
            ),
        });
        return true;
    }
    let parent = existing(datadir);
    report.add(if datadir.exists() {
        Finding::error(
            subject,
            format!("'{shown}' is no directory"),
            "--datadir=DIR",
            "the server does not start",
        )
    } else if writable(&parent) {
        Finding::fine(subject, format!("'{shown}' will be made by the first start"))
    } else {
        Finding::error(
            subject,
            format!(
                "'{shown}' is not there, and '{}' cannot be written by this account",
                parent.display()
            ),
            format!("mkdir -m 0750 {shown} && chown weir {shown}, as root"),
            "the server does not start",
        )
    });
    false
}

fn permissions(datadir: &Path, meta: &Metadata, report: &mut Report) {
    let subject = "permissions";
    let mode = meta.permissions().mode() & 0o7777;
    let own = rustix::process::geteuid().as_raw();
    if mode & 0o007 != 0 {
        report.add(Finding::warning(
            subject,
            format!("'{}' has mode {mode:04o}", datadir.display()),
            format!("chmod 0750 {}", datadir.display()),
            "every account of the machine can reach the files in it, the keys of the certificates and all data among them",
        ));
    } else if meta.uid() != own {
        report.add(Finding::warning(
            subject,
            format!(
                "'{}' is of the account with number {}, and this one has {own}",
                datadir.display(),
                meta.uid()
            ),
            "run `weir doctor` as the account that runs the server",
            "what the server may read and write there cannot be told for another account",
        ));
    } else {
        report.add(Finding::fine(subject, format!("mode {mode:04o}")));
    }
}

fn foreign(datadir: &Path, is_own: bool, report: &mut Report) {
    let subject = "files of others";
    if let Some((name, whose)) = weir_boot::foreign::found_in(datadir) {
        return report.add(Finding::error(
            subject,
            format!("'{}' has {name}, a file of {whose}", datadir.display()),
            "--datadir=DIR with a directory of its own; data of MySQL come by mysqldump and `mariadb < dump.sql`",
            "Weir does not read files of other databases, and two databases in one directory end in a cleaning-up that takes both",
        ));
    }
    let other = std::fs::read_dir(datadir).into_iter().flatten().flatten().map(|e| e.file_name());
    let other: Vec<_> = other.filter(|n| n != "lost+found" && n != LOCK).take(4).collect();
    report.add(match other.is_empty() || is_own {
        true => Finding::fine(subject, "none that are known"),
        false => Finding::warning(
            subject,
            format!(
                "'{}' is not empty and no data directory of Weir: {} and maybe more",
                datadir.display(),
                other.iter().map(|n| n.to_string_lossy()).collect::<Vec<_>>().join(", ")
            ),
            "--datadir=DIR with an empty directory, or one that does not exist",
            "a first start makes its files among them",
        ),
    });
}

fn lock(datadir: &Path, report: &mut Report) {
    let subject = "lock";
    let Ok(file) = File::open(datadir.join(LOCK)) else {
        return report.add(Finding::fine(subject, "no server has been here"));
    };
    // Given back when the file is closed, at once.
    report.add(match flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => Finding::fine(subject, "no server uses the directory"),
        Err(_) => Finding::fine(subject, "a server uses the directory now"),
    });
}

fn file_system(on: &Path, report: &mut Report) {
    let number = statfs(on).map_or(0, |s| s.f_type & 0xFFFF_FFFF);
    of_file_system(number, report);
}

fn of_file_system(number: i64, report: &mut Report) {
    let subject = "file system";
    let known = FILE_SYSTEMS.iter().find(|(n, ..)| *n == number);
    report.add(match known {
        None => {
            Finding::fine(subject, format!("number {number:#x}, of which nothing is known here"))
        }
        Some((_, name, None)) => Finding::fine(subject, *name),
        Some((_, name, Some((true, why)))) => {
            Finding::error(subject, *name, "put the data directory on ext4 or xfs of a disk", *why)
        }
        Some((_, name, Some((false, why)))) => Finding::warning(
            subject,
            *name,
            "put the data directory on ext4 or xfs of a disk",
            *why,
        ),
    });
}

/// `redo`: bytes of the redo log that are still to be made.
fn room(free: u64, redo: u64, report: &mut Report) {
    let subject = "room";
    let mib = |n: u64| n >> 20;
    report.add(if free < LEAST + redo {
        Finding::error(
            subject,
            format!("{} MiB are free, and the redo log needs {}", mib(free), mib(redo)),
            "make room, or --innodb-redo-log-capacity with less",
            "the server does not start, or statements that write fail with \"no space left on device\"",
        )
    } else if free < redo + TO_GROW {
        Finding::warning(
            subject,
            format!("{} MiB are free", mib(free)),
            "make room",
            "statements that write fail when it is used up; data, undo logs and sorts on disk grow into it",
        )
    } else {
        Finding::fine(subject, format!("{} MiB are free", mib(free)))
    });
}

#[cfg(test)]
mod tests {
    use super::super::finding::Level;
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("weir-doctor-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();
        path
    }

    fn looked(path: &Path) -> Report {
        let mut r = Report::default();
        look(path, &GlobalVars::default(), &mut r);
        r
    }

    fn level(r: &Report, subject: &str) -> Level {
        r.of(subject).first().unwrap_or_else(|| panic!("{subject}")).level
    }

    #[test]
    fn an_empty_directory_and_one_that_is_not_there_are_fine() {
        let path = folder("empty");
        for path in [path.clone(), path.join("not/there")] {
            let r = looked(&path);
            assert_eq!(level(&r, "data directory"), Level::Fine, "{}", r.text());
        }
        assert_eq!(level(&looked(&path), "files of others"), Level::Fine);
        assert_eq!(existing(&path.join("a/b")), path);
        std::fs::remove_dir_all(&path).unwrap();
    }

    #[test]
    fn files_of_others_wide_permissions_and_locks_are_found() {
        let path = folder("foreign");
        std::fs::write(path.join("notes.txt"), "").unwrap();
        assert_eq!(level(&looked(&path), "files of others"), Level::Warning);
        std::fs::write(path.join(OWN), "").unwrap();
        assert_eq!(level(&looked(&path), "files of others"), Level::Fine);
        std::fs::write(path.join("ibdata1"), "").unwrap();
        assert_eq!(level(&looked(&path), "files of others"), Level::Error);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(level(&looked(&path), "permissions"), Level::Warning);
        let file = File::create(path.join(LOCK)).unwrap();
        flock(&file, FlockOperation::LockExclusive).unwrap();
        assert!(looked(&path).of("lock")[0].found.contains("now"));
        drop(file);
        assert!(looked(&path).of("lock")[0].found.contains("no server uses"));
        let r = looked(&path.join(OWN));
        assert_eq!(level(&r, "data directory"), Level::Error, "it is a file: {}", r.text());
        std::fs::remove_dir_all(&path).unwrap();
    }

    #[test]
    fn file_systems_and_room() {
        let of = |number| {
            let mut r = Report::default();
            of_file_system(number, &mut r);
            r.code()
        };
        assert_eq!([0xEF53, 0x9123_683E, 0x0102_1994, 0x6969, 1].map(of), [0, 1, 2, 1, 0]);
        let of = |free, redo| {
            let mut r = Report::default();
            room(free, redo, &mut r);
            r.code()
        };
        assert_eq!(
            [of(10 << 20, 0), of(512 << 20, 0), of(512 << 20, 1 << 30), of(8 << 30, 1 << 30)],
            [2, 1, 2, 0]
        );
    }
}
