//! kill -9 while clients keep a ledger of what was acknowledged.

use crate::common::{Login, Server};
use std::collections::HashSet;
use std::thread;
use std::time::Duration;

const ROUNDS: u64 = 6;
const WRITERS: u64 = 12;

/// Inserts until the connection breaks: the ids that were acknowledged.
fn write(port: u16, first: u64) -> Vec<u64> {
    let login = Login { database: "d", ..Login::default() };
    let mut acknowledged = Vec::new();
    let Ok(mut c) = crate::common::Client::tcp(port, &login) else { return acknowledged };
    for id in (first..).step_by(WRITERS as usize) {
        let sql = format!("insert into t values ({id}, repeat('{}', 50))", id % 10);
        if c.try_query(&sql).is_err() {
            break;
        }
        acknowledged.push(id);
    }
    acknowledged
}

#[test]
fn nothing_acknowledged_is_lost() {
    let mut server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("create table d.t (id bigint primary key, pad varchar(200), key (pad))");
    let mut next = 0;
    let mut ledger: HashSet<u64> = HashSet::new();
    for round in 0..ROUNDS {
        let port = server.port;
        let writers: Vec<_> =
            (0..WRITERS).map(|w| thread::spawn(move || write(port, next + w))).collect();
        // Long enough for some rows, at another moment each time.
        thread::sleep(Duration::from_millis(100 + 150 * (round % 4)));
        server = server.crash(&[]);
        for writer in writers {
            ledger.extend(writer.join().unwrap());
        }
        let mut c = server.root_client();
        let rows = c.run("select id from d.t").rows;
        let found: HashSet<u64> =
            rows.iter().map(|r| r[0].as_ref().unwrap().parse().unwrap()).collect();
        let lost = ledger.difference(&found).count();
        assert_eq!(lost, 0, "round {round}: {lost} of {} acknowledged rows", ledger.len());
        let check = c.rows("check table d.t");
        assert!(check.ends_with("status,OK"), "{check}");
        next = found.iter().max().map_or(0, |m| m + WRITERS);
    }
}
