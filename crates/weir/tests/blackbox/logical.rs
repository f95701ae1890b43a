//! `weir dump` and `weir load`: what comes back is what was there, beside writers it is of one moment, and the mysql client's way of reading works.

use crate::common::{Client, Server};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

fn weir(args: &[&str]) -> (Option<i32>, String) {
    let o = Command::new(env!("CARGO_BIN_EXE_weir")).args(args).output().unwrap();
    let text =
        format!("{}{}", String::from_utf8_lossy(&o.stdout), String::from_utf8_lossy(&o.stderr));
    (o.status.code(), text)
}

fn target(s: &Server) -> String {
    format!("--target=mysql://root@127.0.0.1:{}", s.port)
}

fn make(c: &mut Client) {
    for sql in [
        "create database d",
        "use d",
        "create table t (id int auto_increment primary key, a bigint, c decimal(20,5), d float, e double, g bit(12), h char(5), i varchar(50),
         k binary(4), m blob, n date, o time(3), p datetime(6), q timestamp null, r enum('x','y''z'), s set('a','b'), j json, u geometry,
         v varchar(60) as (concat(i, h)) stored, w varchar(10) character set latin1, x int invisible default 7)",
        "insert into t (a,c,d,e,g,h,i,k,m,n,o,p,q,r,s,j,u,w,x) values
         (-9223372036854775808,-123456789.12345,1.5,1e300,b'101010101010','ab','it''s \\\\ \\n q','ab\\0',0xDEADBEEF00,'2024-02-29','-12:34:56.789',
          '2024-01-01 00:00:00.123456','2024-06-01 12:00:00','y''z','a,b','{\"a\":[1,\"x\"]}',st_geomfromtext('POINT(1 2)'),'\u{ff}',9),
         (null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null)",
        "create table `odd/..name` (`a b` int, `select` int, key (`select`))",
        "insert into `odd/..name` values (1, 2), (3, null)",
        "create table child (id int primary key, pid int, foreign key (pid) references parent (id))",
        "create table parent (id int primary key, n int)",
        "insert into parent values (1, 1), (2, 2)",
        "insert into child values (1, 1), (2, null)",
        "create view z as select id from parent",
        "create view a as select id from z",
        "create function f(x int) returns int deterministic begin declare y int; set y = x + 1; return y; end",
        "create procedure p() begin select 'a;b'; end",
        "create trigger tr before insert on parent for each row begin set new.n = new.n + 100; end",
        "create event e on schedule every 1 day disable do begin delete from parent where id > 100; end",
        "create user u@localhost identified by 'secret'",
        "grant select on d.* to u@localhost",
        // Rights name what must be there already, and a default role is made after the account whose it is.
        "grant select (a), insert on d.t to u@localhost with grant option",
        "grant execute on function d.f to u@localhost",
        "create role z_role",
        "grant z_role to u@localhost",
        "set default role z_role to u@localhost",
    ] {
        if sql.starts_with("create table child") {
            c.run("set foreign_key_checks = 0");
        }
        c.run(sql);
    }
}

/// Everything that is to come back.
fn shown(c: &mut Client) -> String {
    c.run("use d");
    let mut out = String::new();
    for sql in [
        "select id, a, c, d, e, hex(g), h, i, hex(k), hex(m), n, o, p, q, r, s, j, hex(u), v, w, x from t",
        "select * from `odd/..name`",
        "select * from child",
        "select * from parent",
        "select * from a",
        "select f(1)",
        "show create table t",
        "show create table child",
        "show create view a",
        "show create procedure p",
        "show create event e",
        "show create user u@localhost",
        "show grants for u@localhost",
        "select action_statement, character_set_client from information_schema.triggers where trigger_schema = 'd'",
    ] {
        out += &format!("{sql}\n{}\n", c.rows(sql));
    }
    out
}

#[test]
fn what_was_dumped_comes_back() {
    let s = Server::start(&[]);
    let mut c = s.root_client();
    make(&mut c);
    let before = shown(&mut c);
    let dir = s.root().join("dump").display().to_string();
    let (code, told) =
        weir(&["dump", &target(&s), &format!("--to={dir}"), "--accounts", "--threads=2"]);
    assert_eq!(code, Some(0), "{told}");
    let stream = Command::new(env!("CARGO_BIN_EXE_weir"))
        .args(["dump", &target(&s), "--to=-", "--database=d"])
        .output()
        .unwrap();
    assert!(stream.status.success());
    let file = s.root().join("one.sql").display().to_string();
    std::fs::write(&file, &stream.stdout).unwrap();
    for from in [&dir, &file] {
        c.run("drop database d");
        if from == &dir {
            c.run("drop user u@localhost");
        }
        let (code, told) = weir(&["load", &target(&s), &format!("--from={from}")]);
        assert_eq!(code, Some(0), "{told}");
        assert_eq!(shown(&mut c), before);
    }
    // Twice: the tables are there.
    let (code, told) = weir(&["load", &target(&s), &format!("--from={dir}")]);
    assert!(code == Some(2) && told.contains("1050"), "{told}");
    let (code, told) = weir(&["load", &target(&s), &format!("--from={dir}"), "--force"]);
    assert!(code == Some(1) && told.contains("1050"), "{told}");
    // What is refused.
    let (code, told) = weir(&["dump", &target(&s), &format!("--to={dir}")]);
    assert!(code == Some(2) && told.contains("is not empty"), "{told}");
    let (code, told) = weir(&["dump", &target(&s), "--to=-", "--database=nothing"]);
    assert!(code == Some(2) && told.contains("no database 'nothing'"), "{told}");
    std::fs::write(Path::new(&dir).join("incomplete"), "").unwrap();
    let (code, told) = weir(&["load", &target(&s), &format!("--from={dir}")]);
    assert!(code == Some(2) && told.contains("is not complete"), "{told}");
    let (code, _) = weir(&["dump", &target(&s), "--to=x", "--threads=0"]);
    assert_eq!(code, Some(2));
}

/// Writers move amounts between two tables all the time; the sum in the dump is what it always was.
#[test]
fn a_dump_beside_writers_is_of_one_moment() {
    let s = Server::start(&[]);
    let mut c = s.root_client();
    c.run("create database d");
    for name in ["a", "b"] {
        c.run(&format!("create table d.{name} (id int primary key, n int)"));
        let rows: Vec<String> = (0..200).map(|i| format!("({i}, 100)")).collect();
        c.run(&format!("insert into d.{name} values {}", rows.join(",")));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..2)
        .map(|w| {
            let (stop, mut c) = (stop.clone(), s.root_client());
            thread::spawn(move || {
                for n in w * 100.. {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    c.run("begin");
                    c.run(&format!("update d.a set n = n - 1 where id = {}", n % 100 + w * 100));
                    c.run(&format!("update d.b set n = n + 1 where id = {}", n % 100 + w * 100));
                    c.run("commit");
                }
            })
        })
        .collect();
    for round in 0..3 {
        let to = format!("--to={}", s.root().join(format!("dump{round}")).display());
        let (code, told) = weir(&["dump", &target(&s), &to, "--threads=3"]);
        assert_eq!(code, Some(0), "{told}");
    }
    stop.store(true, Ordering::Relaxed);
    writers.into_iter().for_each(|w| w.join().unwrap());
    for round in 0..3 {
        let from = format!("--from={}", s.root().join(format!("dump{round}")).display());
        c.run("drop database d");
        let (code, told) = weir(&["load", &target(&s), &from]);
        assert_eq!(code, Some(0), "{told}");
        let sums = c.rows("select (select sum(n) from d.a) + (select sum(n) from d.b), (select sum(n) from d.a) < 20000");
        assert!(sums.starts_with("40000,"), "{sums}");
    }
}
