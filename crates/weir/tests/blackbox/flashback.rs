//! A restore to the moment before a mistake: the archived redo names definition statements. Backups that are kept and those that go.
use crate::common::{Client, Server, until};
use std::process::{Command, Output};

fn weir(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_weir")).args(args).output().unwrap()
}

fn text(o: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&o.stdout), String::from_utf8_lossy(&o.stderr))
}

#[track_caller]
fn done(args: &[&str]) -> String {
    let o = weir(args);
    assert!(o.status.success(), "{args:?}: {}", text(&o));
    text(&o)
}

/// A row for each number, so that what is restored can be told from what is not.
fn fill(c: &mut Client, from: u64, to: u64) {
    (from..to).for_each(|n| _ = c.run(&format!("insert into d.t values ({n})")));
}

#[test]
fn the_table_is_there_as_it_was_before_it_was_dropped() {
    let archive = std::env::temp_dir().join(format!("weir-flashback-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&archive);
    std::fs::create_dir_all(&archive).unwrap();
    let mut s = Server::start(&[&format!("--weir-redo-archive-dir={}", archive.display())]);
    let root = s.root().to_path_buf();
    let path = |name: &str| root.join(name).display().to_string();
    let mut c = s.root_client();
    c.run("create database d");
    c.run("create table d.t (a int primary key)");
    fill(&mut c, 0, 10);
    let target = format!("--target=mysql://root@127.0.0.1:{}", s.port);
    done(&["backup", &target, &format!("--to={}", path("full"))]);
    fill(&mut c, 10, 20);
    c.run("create user spy identified by 'a secret word'");
    c.run("use d");
    c.run("DROP  TABLE `t` ;");
    c.run("create table d.t (a int primary key)");
    fill(&mut c, 0, 3);
    c.run("drop table t");
    c.run("create table d.u (a int)");
    until("the archive has come after", || s.log().contains("is archived"));
    drop(c);
    assert!(s.stop().success());
    let (from, redo) =
        (format!("--from={}", path("full")), format!("--redo-archive={}", archive.display()));
    let restore = |name: &str, more: &[&str]| {
        let dir = format!("--datadir={}", path(name));
        let mut args = vec!["restore", &from, &redo, &dir];
        args.extend(more);
        weir(&args)
    };
    // Of two statements of the same words the last one.
    let o = restore("last/data", &["--before=drop table t"]);
    assert!(o.status.success() && text(&o).contains("before 'drop table t'"), "{}", text(&o));
    let lsn = text(&o).split("up to LSN ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    // Within bounds the one before.
    let o = restore("first/data", &["--before=Drop Table t", &format!("--to-lsn={lsn}")]);
    assert!(o.status.success() && text(&o).contains("before 'DROP  TABLE `t`'"), "{}", text(&o));
    for (name, rows) in [("last", "3"), ("first", "20")] {
        let copy = Server::start_at(&root.join(name), &[]);
        let mut c = copy.root_client();
        assert_eq!(c.rows("select count(*) from d.t"), rows, "{name}");
        assert_eq!(
            c.rows("select count(*) from information_schema.tables where table_name = 'u'"),
            "0"
        );
        assert!(c.rows("check table d.t").contains("OK"));
    }
    // What is not there is answered with what is, and a password stands nowhere.
    let o = restore("no", &["--before=drop table nothing"]);
    assert_eq!(o.status.code(), Some(2), "{}", text(&o));
    let told = text(&o);
    assert!(
        told.contains("there is no statement") && told.contains("create table d.u (a int)"),
        "{told}"
    );
    assert!(!told.contains("spy") && !root.join("no").exists(), "{told}");
    let o =
        weir(&["restore", &from, "--before=drop table t", &format!("--datadir={}", path("no"))]);
    assert!(text(&o).contains("need archived redo"), "{}", text(&o));
    std::fs::remove_dir_all(&archive).unwrap();
}

#[test]
fn old_backups_go_when_a_new_one_is_complete() {
    let s = Server::start(&[]);
    let folder = s.root().join("all");
    std::fs::create_dir_all(folder.join("of somebody else")).unwrap();
    let target = format!("--target=mysql://root@127.0.0.1:{}", s.port);
    let into = format!("--into={}", folder.display());
    let names = || {
        let mut all: Vec<String> = folder
            .read_dir()
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        all.sort();
        all
    };
    done(&["backup", &target, &into]);
    let first = names().remove(0);
    done(&["backup", &target, &into, &format!("--since={}", folder.join(&first).display())]);
    done(&["backup", &target, &into, "--keep=2"]);
    assert_eq!(names().len(), 4);
    let told = done(&["backup", &target, &into, "--keep=2"]);
    assert!(
        told.contains(&format!("removed the old backup '{}'", folder.join(&first).display())),
        "{told}"
    );
    let left = names();
    // The two newest, and what is no backup.
    assert_eq!((left.len(), left.last().map(String::as_str)), (3, Some("of somebody else")));
    done(&["check", &folder.join(&left[0]).display().to_string()]);
    for (args, word) in [
        (&["--keep=2"][..], "--into"),
        (&[into.as_str(), "--keep=0"], "no number of backups"),
        (&[into.as_str(), "--to=x"], "exclude each other"),
        (&[], "missing"),
    ] {
        let mut all = vec!["backup", target.as_str()];
        all.extend(args);
        if args.first() == Some(&"--keep=2") {
            all.push("--to=/no/such");
        }
        let o = weir(&all);
        assert!(!o.status.success() && text(&o).contains(word), "{args:?}: {}", text(&o));
    }
}
