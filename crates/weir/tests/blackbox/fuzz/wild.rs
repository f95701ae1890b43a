//! A client that says anything: the parser's test statements and some that work, mutated; broken commands; prepared statements
//! with odd parameters. Its account may work in one schema only.

use super::{Arena, is_forbidden, is_lost};
use crate::common::{Client, Failure, Login, MORE_RESULTS, param};
use std::collections::VecDeque;
use weir_fuzz::mutate::mutate;
use weir_rt::Rng;

const CORPUS: &str = include_str!("../../../../syntax/testdata/statements.txt");

/// Statements that mean something here; `{}` is a number.
const SENSIBLE: [&str; 28] = [
    "insert into c0 (a, b, c) values ({}, {}, 'text'), ({}, null, repeat('x', {}00))",
    "insert ignore into c1 select a + {}, b, c from c0 where a < {}",
    "replace into c1 (a, b) values ({}, {})",
    "insert into c0 (a, b) values ({}, 1) on duplicate key update b = b + {}",
    "update c0 set b = b + 1, c = concat(c, 'y') where a between {} and {}",
    "update c0 join c1 using (a) set c0.b = c1.b where c1.a < {}",
    "delete from c1 where a > {} order by a limit {}",
    "delete c0, c1 from c0 join c1 using (a) where c0.a = {}",
    "select * from c0 where a = {}",
    "select c0.*, c1.b from c0 left join c1 on c0.b = c1.b order by c1.c desc limit {}",
    "select b, count(*), group_concat(c) from c0 group by b with rollup having count(*) > {}",
    "select distinct c from c0 union all select c from c1 limit {}, {}",
    "select (select max(b) from c1 where c1.a = c0.a), exists (select 1 from c1) from c0 for update skip locked",
    "select a from c0 where b in (select b from c1) or c like '%{}%'",
    "create table c{} (a int primary key, b bigint, c text, d decimal({}, 2), key (b))",
    "drop table if exists c{}",
    "alter table c0 add column e{} datetime default now(), drop column e{}",
    "alter table c1 add unique index (b), add index d{} (c(10))",
    "truncate table c{}",
    "rename table c{} to c{}",
    "handler c{} open as h{}",
    "handler h{} read b next where a < {} limit {}",
    "handler h{} read `PRIMARY` >= ({}) limit {}",
    "handler h{} close",
    "begin",
    "commit",
    "set autocommit = {}",
    "set transaction isolation level serializable",
];

/// The account, its schema and its tables, made again where somebody has dropped them.
pub fn make_room(root: &mut Client) {
    for sql in [
        "create database if not exists chaos",
        "create table if not exists chaos.c0 (a int primary key, b bigint, c text, key (b))",
        "create table if not exists chaos.c1 (a int primary key, b bigint, c text, key (b))",
        "create user if not exists wild@localhost",
        "alter user wild@localhost identified by ''",
        "grant all on chaos.* to wild@localhost",
    ] {
        // A session at work there may be in the way; the next round tries again.
        if let Err(e) = root.try_query(sql) {
            assert!(is_lost(&e) || [1050, 1205, 1317].contains(&e.errno), "{sql}: {e:?}");
        }
    }
}

/// What the client said last, told when an answer breaks it.
struct Said(VecDeque<String>);

impl Said {
    fn note(&mut self, how: &str, what: &[u8]) {
        if self.0.len() == 6 {
            self.0.pop_front();
        }
        self.0.push_back(format!("{how}: {}", String::from_utf8_lossy(what)));
    }
}

impl Drop for Said {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the client had said, the last one last: {:#?}", self.0);
        }
    }
}

pub fn run(arena: &Arena<'_>, mut rng: Rng) {
    let mut client = connect(arena);
    let mut said = Said(VecDeque::new());
    while arena.goes_on() {
        let alive = match rng.below(12) {
            0 => garbage(&mut client, &mut rng, &mut said),
            1..=3 => prepared(&mut client, &mut rng, &mut said),
            4 if rng.chance(0.1) => {
                client.end();
                false
            }
            _ => {
                let sql = statement(&mut rng);
                said.note("text", &sql);
                text(&mut client, &sql)
            }
        };
        if !alive {
            client = connect(arena);
        }
    }
}

fn connect(arena: &Arena<'_>) -> Client {
    let login = Login { user: "wild", database: "chaos", ..Login::default() };
    loop {
        match arena.server.connect(&login) {
            Ok(mut c) => {
                let limits = "set max_execution_time = 300, innodb_lock_wait_timeout = 1, lock_wait_timeout = 1";
                if c.try_query(limits).is_ok() {
                    return c;
                }
            }
            Err(e) => {
                assert!(is_lost(&e) || [1044, 1045, 1049].contains(&e.errno), "{e:?}");
                if let Ok(mut root) = arena.server.connect(&Login::default()) {
                    make_room(&mut root);
                }
            }
        }
    }
}

fn statement(rng: &mut Rng) -> Vec<u8> {
    let pick = |rng: &mut Rng| -> String {
        if rng.chance(0.7) {
            let mut sql = SENSIBLE[rng.below(SENSIBLE.len() as u64) as usize].to_string();
            while let Some(at) = sql.find("{}") {
                sql.replace_range(at..at + 2, &rng.below(20).to_string());
            }
            return sql;
        }
        let n = rng.below(CORPUS.lines().count() as u64) as usize;
        let line = CORPUS.lines().nth(n).unwrap_or_default();
        line.split_once('|').map_or(line, |(_, sql)| sql).replace("\\n", "\n")
    };
    let (a, b) = (pick(rng), pick(rng));
    match rng.chance(0.4) {
        true => mutate(rng, a.as_bytes(), b.as_bytes()),
        false => a.into_bytes(),
    }
}

/// The connection goes on? An error must be one that a client may see.
fn tolerable(e: &Failure, sql: &[u8]) -> bool {
    let lost = is_lost(e);
    assert!(lost || !is_forbidden(e.errno), "{}: {e:?}", String::from_utf8_lossy(sql));
    !lost
}

fn text(client: &mut Client, sql: &[u8]) -> bool {
    let mut packet = vec![3];
    packet.extend_from_slice(sql);
    if client.command(&packet).is_err() {
        return false;
    }
    loop {
        match client.read_answer(false) {
            Ok(a) if a.status & MORE_RESULTS != 0 => {}
            Ok(_) => return true,
            Err(e) => return tolerable(&e, sql),
        }
    }
}

fn prepared(client: &mut Client, rng: &mut Rng, said: &mut Said) -> bool {
    let sql = match rng.below(4) {
        0 => b"select ?, a from c0 where b = ? limit ?".to_vec(),
        1 => b"insert into c1 (a, b, c) values (?, ?, ?)".to_vec(),
        2 => b"update c0 set c = ?, b = ? where a < ?".to_vec(),
        _ => statement(rng),
    };
    let Ok(text) = String::from_utf8(sql) else { return true };
    said.note("prepare", text.as_bytes());
    let (id, params, _) = match client.prepare(&text) {
        Ok(p) => p,
        Err(e) => return tolerable(&e, text.as_bytes()),
    };
    let odd = |rng: &mut Rng| match rng.below(6) {
        0 => param::null(),
        1 => param::int(rng.next_u64() as i64 >> rng.below(63)),
        2 => param::uint(rng.next_u64() >> rng.below(63)),
        3 => param::double(f64::from_bits(rng.next_u64())),
        4 => param::bytes(252, &[0xFF, 0, b'\'', 0xC3]),
        _ => param::text(&rng.below(30).to_string()),
    };
    let mut alive = true;
    for _ in 0..1 + rng.below(3) {
        let values: Vec<param::Param> = (0..params).map(|_| odd(rng)).collect();
        said.note("execute", format!("statement {id}").as_bytes());
        let mut answer = client.execute(id, &values);
        // A CALL of a procedure that somebody has made answers more than once.
        while answer.as_ref().is_ok_and(|a| a.status & MORE_RESULTS != 0) {
            answer = client.read_answer(true);
        }
        if let Err(e) = answer {
            alive = tolerable(&e, text.as_bytes());
        }
        if !alive {
            return false;
        }
    }
    if rng.chance(0.7) {
        let mut close = vec![0x19];
        close.extend_from_slice(&id.to_le_bytes());
        return client.command(&close).is_ok();
    }
    true
}

/// A command of random bytes, then a ping: the conversation goes on in step, or the connection ends.
fn garbage(client: &mut Client, rng: &mut Rng, said: &mut Said) -> bool {
    // Those that have no answer, an answer of many packets, or end the session are left out.
    let mut command = rng.next_u64() as u8;
    while [0x01, 0x03, 0x04, 0x0A, 0x11, 0x16, 0x18, 0x19].contains(&command) {
        command = rng.next_u64() as u8;
    }
    let mut packet = vec![command];
    // An execution that is whole has rows for an answer: its number is one that no statement has.
    packet.extend((0..rng.below(40)).map(|_| 0xF0 | rng.next_u64() as u8));
    said.note("command", format!("{packet:02x?}").as_bytes());
    if client.command(&packet).is_err() || client.read_packet().is_err() {
        return false;
    }
    match client.simple(&[0x0E]) {
        Ok(_) => true,
        Err(e) => tolerable(&e, b"ping"),
    }
}
